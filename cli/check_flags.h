/* How weft check launches kernels: --dim, --shape, --range, --set, --sorted, --symmetric and --definite. */
#ifndef WEFT_CLI_CHECK_FLAGS_H
#define WEFT_CLI_CHECK_FLAGS_H

#include "args.h"

#include "check/check.h"

enum { MAX_GIVEN = 256 }; /* room that launch->args must have */

/* As they stand on the command line. */
typedef struct LaunchFlags {
    const char *dim;     /* NULL: not given */
    long long block_dim; /* 0: not given */
    Words shapes, ranges, values, sorted, symmetric, definite;
} LaunchFlags;

/* What is for all arguments gets the name "*". `names` has room for MAX_GIVEN: the name of each of launch->args, which the
 * caller frees. EXIT_DONE, or EXIT_USAGE after a message. */
int read_launch_flags(const Command *command, const LaunchFlags *flags, CheckLaunch *launch, char **names);

#endif
