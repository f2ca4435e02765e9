// Just enough of CUDA to build a standalone program as C++ and run it on the CPU: the threads of a launch run one after the
// other. g++ -std=c++17 -x c++ NAME.cu, or `make cpu`.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define __global__ static
#define __device__
#define __host__

using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;

struct dim3 {
    unsigned x, y, z;
};
static dim3 blockIdx, blockDim, threadIdx;

#define LAUNCH(kernel, blocks, block_size, ...)                                                                        \
    do {                                                                                                               \
        blockDim.x = (block_size);                                                                                     \
        for (blockIdx.x = 0; blockIdx.x < (unsigned)(blocks); ++blockIdx.x)                                            \
            for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x)                                             \
                kernel(__VA_ARGS__);                                                                                   \
    } while (0)

// ---- vectors ----

#define WEFT_VECTORS(T, name)                                                                                          \
    struct name##2 {                                                                                                   \
        T x, y;                                                                                                        \
    };                                                                                                                 \
    struct name##3 {                                                                                                   \
        T x, y, z;                                                                                                     \
    };                                                                                                                 \
    struct name##4 {                                                                                                   \
        T x, y, z, w;                                                                                                  \
    };                                                                                                                 \
    static inline name##2 make_##name##2(T x, T y) { return {x, y}; }                                                  \
    static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                                          \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
WEFT_VECTORS(float, float)
WEFT_VECTORS(int, int)
WEFT_VECTORS(unsigned, uint)

// ---- numbers ----

template <class T> static inline T min(T a, T b) { return b < a ? b : a; }
template <class T> static inline T max(T a, T b) { return a < b ? b : a; }

static inline double erfinv(double y)
{
    double w = -std::log((1 - y) * (1 + y)), x = w < 5 ? 1.5 : 2.8;
    x *= y;
    for (int i = 0; i < 60; ++i)
        x -= (std::erf(x) - y) / (1.1283791670955126 * std::exp(-x * x)) * (i < 20 ? 0.5 : 1.0);
    return x;
}
static inline float erfinvf(float y) { return (float)erfinv((double)y); }
static inline double erfcinv(double y) { return erfinv(1 - y); }
static inline float erfcinvf(float y) { return (float)erfinv(1 - (double)y); }

static inline int __float_as_int(float value)
{
    int bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline float __int_as_float(int bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
static inline long long __double_as_longlong(double value)
{
    long long bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline double __longlong_as_double(long long bits)
{
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

[[noreturn]] static inline void __trap()
{
    std::fprintf(stderr, "a thread has stopped the kernel\n");
    std::exit(1);
}

// ---- atomics: there is only one thread at a time ----

#define WEFT_ATOMIC(name, expression)                                                                                  \
    template <class T, class U> static inline T name(T *to, U given)                                                   \
    {                                                                                                                  \
        T old = *to, value = (T)given;                                                                                 \
        *to = (T)(expression);                                                                                         \
        return old;                                                                                                    \
    }
WEFT_ATOMIC(atomicAdd, old + value)
WEFT_ATOMIC(atomicMin, value < old ? value : old)
WEFT_ATOMIC(atomicMax, old < value ? value : old)
WEFT_ATOMIC(atomicAnd, old & value)
WEFT_ATOMIC(atomicOr, old | value)
WEFT_ATOMIC(atomicXor, old ^ value)
WEFT_ATOMIC(atomicExch, value)
template <class T> static inline T atomicCAS(T *to, T expected, T value)
{
    T old = *to;
    if (old == expected)
        *to = value;
    return old;
}

// ---- the runtime ----

enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

static inline const char *cudaGetErrorString(cudaError_t error) { return error ? "out of memory" : "no error"; }
template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t size)
{
    *pointer = (T *)std::malloc(size ? size : 1);
    return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}
static inline cudaError_t cudaFree(void *pointer)
{
    std::free(pointer);
    return cudaSuccess;
}
static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t size, cudaMemcpyKind)
{
    if (size)
        std::memcpy(to, from, size);
    return cudaSuccess;
}
static inline cudaError_t cudaGetLastError() { return cudaSuccess; }
static inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

using cudaEvent_t = std::chrono::steady_clock::time_point;
static inline cudaError_t cudaEventCreate(cudaEvent_t *) { return cudaSuccess; }
static inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
static inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
static inline cudaError_t cudaEventRecord(cudaEvent_t &event)
{
    event = std::chrono::steady_clock::now();
    return cudaSuccess;
}
static inline cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    *milliseconds = std::chrono::duration<float, std::milli>(to - from).count();
    return cudaSuccess;
}
