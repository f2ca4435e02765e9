/* Which kernels are asked for: a list of names, "a,b", each a key or a full name (key, underscore, eight hex digits). */
#ifndef WEFT_FRONT_ASKED_H
#define WEFT_FRONT_ASKED_H

#include <stdbool.h>

bool is_asked_by(const char *list, const char *name);  /* NULL: all are */
bool asks_for_hash(const char *list, const char *key); /* is the kernel asked for by a full name alone? */
bool is_wanted(const char *list, const char *key);     /* by one or the other */

#endif
