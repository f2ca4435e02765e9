/* How a kernel is launched: by what was given, and by what is assumed without a word. */
#ifndef WEFT_CHECK_USUAL_H
#define WEFT_CHECK_USUAL_H

#include "check/check.h"
#include "pipeline.h"

/* An argument that can be named: of a struct, each of its fields, as "particle.mass". */
typedef struct Argument {
    const char *name;
    const Type *type; /* canonical */
} Argument;
Argument *list_arguments(const Compiled *compiled,
                         uint32_t *count); /* in memory that lasts as long as the kernel's turn (unit->building) */

/* What the flags say about arguments that are not so in this kernel, as "--shape x=3,4: x has 1 dimension"; NULL: nothing. */
const char *find_flag_mistake(const CheckLaunch *given, const Compiled *compiled);

/* The launch of one kernel: what was given, and for the rest what is sensible. Arrays that are only written start at
 * zero and have no direction. threads, size: instead of the default, for every dimension of the launch and of arrays
 * of which nothing is said; 0: the default. */
CheckLaunch usual_launch(const CheckLaunch *given, const Compiled *compiled, uint32_t threads, uint32_t size);

#endif
