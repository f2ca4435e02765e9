// Device functions of kernels with tiles, whose threads wait for each other: a program gets those that it calls. All others are in
// weft_math.cuh.
//
//     //: name         starts one: the operation of op.def that calls it
//
// The file is valid C++; this head is for compilers alone.
#define WEFT_BLOCKS
#include "weft_cpu_shim.h"

//: block_sum
// The sum of what the threads of a block have, for each of them.
template <class Value> __device__ inline Value block_sum(Value value)
{
    __shared__ Value parts[1024];
    parts[threadIdx.x] = value;
    __syncthreads();
    for (int count = (int)blockDim.x; count > 1;) {
        int half = (count + 1) / 2;
        if ((int)threadIdx.x + half < count)
            parts[threadIdx.x] = parts[threadIdx.x] + parts[threadIdx.x + half];
        __syncthreads();
        count = half;
    }
    Value total = parts[0];
    __syncthreads();
    return total;
}

//: block_argmin
// Where the smallest of so many elements is: the first of them.
template <class Value> __device__ inline int block_argmin(const Value *tile, int count)
{
    __shared__ int best[1024];
    int own = (int)threadIdx.x < count ? (int)threadIdx.x : 0;
    for (int e = threadIdx.x; e < count; e += blockDim.x)
        own = tile[e] < tile[own] ? e : own;
    best[threadIdx.x] = own;
    __syncthreads();
    for (int i = 0; i < (int)blockDim.x && i < count; ++i)
        if (tile[best[i]] < tile[own] || (tile[best[i]] == tile[own] && best[i] < own))
            own = best[i];
    __syncthreads();
    return own;
}

//: block_argmax
// Where the largest of so many elements is: the first of them.
template <class Value> __device__ inline int block_argmax(const Value *tile, int count)
{
    __shared__ int best[1024];
    int own = (int)threadIdx.x < count ? (int)threadIdx.x : 0;
    for (int e = threadIdx.x; e < count; e += blockDim.x)
        own = tile[e] > tile[own] ? e : own;
    best[threadIdx.x] = own;
    __syncthreads();
    for (int i = 0; i < (int)blockDim.x && i < count; ++i)
        if (tile[best[i]] > tile[own] || (tile[best[i]] == tile[own] && best[i] < own))
            own = best[i];
    __syncthreads();
    return own;
}
