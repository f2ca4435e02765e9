/* A launch of a record, a member of its column `launches`, as the evaluators take it. */
#ifndef WEFT_CORPUS_LAUNCH_ROWS_H
#define WEFT_CORPUS_LAUNCH_ROWS_H

#include "check/check.h"
#include "cuda/cuda.h"
#include "pipeline.h"

/* With the inputs of the rows; lives in the unit's arena. NULL: it does not fit the kernel, and *why says why. */
Launch *launch_of_rows(const Compiled *compiled, const CudaExample *example, const char **why);
/* The arrays of the arguments, and of structs among them, in order; at most so many. */
uint32_t launch_arrays(Launch *launch, LaunchValue **arrays, uint32_t most);

#endif
