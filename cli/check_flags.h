/* How weft check launches kernels: --dim, --shape, --range and --set. */
#ifndef WEFT_CLI_CHECK_FLAGS_H
#define WEFT_CLI_CHECK_FLAGS_H

#include "check/check.h"
#include "pipeline.h"

enum { MAX_GIVEN = 256 }; /* room that launch->args must have */

/* Takes the flags out of argv; what is for all arguments gets the name "*". False: a message was printed. */
bool read_launch_flags(CheckLaunch *launch, int *argc, char **argv);

/* The launch of one kernel: what was given, and for the rest what is sensible. Arrays that are only written start at
 * zero and have no direction. threads, size: instead of the default, for every dimension of the launch and of arrays
 * of which nothing is said; 0: the default. */
CheckLaunch launch_of_flags(const CheckLaunch *given, const Compiled *compiled, uint32_t threads, uint32_t size);

#endif
