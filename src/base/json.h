/* JSON, both ways. Out: the writer of json_writer.h. In: jansson's trees, which keep integers of 64 bits; json_write writes a tree
 * as the writer would have, so that what weft wrote comes out byte by byte. */
#ifndef WEFT_BASE_JSON_H
#define WEFT_BASE_JSON_H

#include "base/json_writer.h"

#include <jansson.h>

/* To be freed with json_decref. NULL: it is not JSON, an object has a member twice, or memory ran out. */
json_t *json_read(const char *bytes, size_t len);
/* Likewise, but when memory ran out it leaves by the arena's recovery point. */
json_t *json_read_or_give_up(Arena *arena, const char *bytes, size_t len);
/* The members of an object that have one of the names (each once, and NULL at the end), as an object; to be freed with
 * json_decref. The others have to be well-formed, but are not kept: a record of 44 KB takes a seventh of the time of json_read.
 * NULL: it is not an object in JSON, a member of these names is there twice, or memory ran out. */
json_t *json_read_members(const char *bytes, size_t len, const char *const *names);
/* A member that is a string; "" where there is none. */
const char *json_member_string(const json_t *object, const char *name);
void json_write(const json_t *value, Text *out);

#endif
