// What stands before the preamble of Warp's CUDA text when it is compiled as C++.
#include <stddef.h>
#include <utility>

#define __global__
#define __device__

struct dim3 {
    unsigned x, y, z;
};
static dim3 blockIdx, blockDim, threadIdx, gridDim;
