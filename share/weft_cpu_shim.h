// Just enough of CUDA to build a standalone program as C++ and run it on the CPU: the threads of a launch run one after the
// other, in any order that is asked for. g++ -std=c++17 -x c++ NAME.cu, or `make cpu`.
#pragma once

#ifndef WEFT_NO_RUNTIME // kernels alone: without cudaMalloc, cudaEvent_t and the like
#include <chrono>
#endif
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

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

// The order of the threads: as they are numbered, or shuffled where WEFT_THREAD_ORDER is set, to any number but 0.
static inline unsigned *weft_thread_order(unsigned count)
{
    const char *chosen = std::getenv("WEFT_THREAD_ORDER");
    uint64_t state = chosen ? std::strtoull(chosen, nullptr, 10) : 0;
    unsigned *order = (unsigned *)std::malloc((count + 1) * sizeof *order);
    if (!order)
        std::abort();
    for (unsigned i = 0; i < count; ++i)
        order[i] = i;
    for (unsigned i = count; state && i > 1; --i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        unsigned k = (unsigned)((state >> 33) % i), kept = order[i - 1];
        order[i - 1] = order[k];
        order[k] = kept;
    }
    return order;
}

#ifdef WEFT_BLOCKS
// Threads that wait for each other: each has a stack of its own, and runs until it waits or ends; then the next one does.
#include <ucontext.h>
#include <vector>

#define __shared__ static

static ucontext_t weft_scheduler, *weft_thread;
static void (*weft_kernel)(void *);
static void *weft_arguments;
static bool weft_ended;

static void weft_enter()
{
    weft_kernel(weft_arguments);
    weft_ended = true;
}

static inline void __syncthreads() { swapcontext(weft_thread, &weft_scheduler); }

template <class F> static void weft_run_blocks(unsigned blocks, unsigned block_size, F run)
{
    const size_t stack_size = 256 * 1024;
    unsigned *order = weft_thread_order(blocks), *lanes = weft_thread_order(block_size);
    std::vector<ucontext_t> threads(block_size);
    std::vector<char> stacks(stack_size * block_size);
    std::vector<bool> ended(block_size);
    weft_kernel = [](void *arguments) { (*(F *)arguments)(); };
    weft_arguments = &run;
    blockDim.x = block_size;
    for (unsigned block = 0; block < blocks; ++block) {
        blockIdx.x = order[block];
        for (unsigned i = 0; i < block_size; ++i) {
            getcontext(&threads[i]);
            threads[i].uc_stack.ss_sp = &stacks[stack_size * i];
            threads[i].uc_stack.ss_size = stack_size;
            threads[i].uc_link = &weft_scheduler;
            makecontext(&threads[i], weft_enter, 0);
            ended[i] = false;
        }
        for (unsigned left = block_size; left;)
            for (unsigned i = 0; i < block_size; ++i) {
                if (ended[lanes[i]])
                    continue;
                threadIdx.x = lanes[i];
                weft_thread = &threads[lanes[i]];
                weft_ended = false;
                swapcontext(&weft_scheduler, weft_thread);
                ended[lanes[i]] = weft_ended;
                left -= weft_ended;
            }
    }
    std::free(order);
    std::free(lanes);
}

#define LAUNCH(kernel, blocks, block_size, ...)                                                                        \
    weft_run_blocks((unsigned)(blocks), (unsigned)(block_size), [&] { kernel(__VA_ARGS__); })
#else
#define LAUNCH(kernel, blocks, block_size, ...)                                                                        \
    do {                                                                                                               \
        unsigned weft_count = (unsigned)(blocks) * (unsigned)(block_size);                                             \
        unsigned *weft_order = weft_thread_order(weft_count);                                                          \
        blockDim.x = (unsigned)(block_size);                                                                           \
        for (unsigned weft_i = 0; weft_i < weft_count; ++weft_i) {                                                     \
            blockIdx.x = weft_order[weft_i] / blockDim.x;                                                              \
            threadIdx.x = weft_order[weft_i] % blockDim.x;                                                             \
            kernel(__VA_ARGS__);                                                                                       \
        }                                                                                                              \
        std::free(weft_order);                                                                                         \
    } while (0)
#endif

// ---- vectors ----

#define WEFT_VECTORS(T, name)                                                                                          \
    struct alignas(2 * sizeof(T)) name##2 {                                                                            \
        T x, y;                                                                                                        \
    };                                                                                                                 \
    struct name##3 {                                                                                                   \
        T x, y, z;                                                                                                     \
    };                                                                                                                 \
    struct alignas(4 * sizeof(T)) name##4 {                                                                            \
        T x, y, z, w;                                                                                                  \
    };                                                                                                                 \
    static inline name##2 make_##name##2(T x, T y) { return {x, y}; }                                                  \
    static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                                          \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
WEFT_VECTORS(float, float)
WEFT_VECTORS(int, int)
WEFT_VECTORS(unsigned, uint)

// ---- numbers ----

template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>> static inline T min(T a, T b) { return b < a ? b : a; }
template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>> static inline T max(T a, T b) { return a < b ? b : a; }

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

// With -DWEFT_NOISE, functions of the library are off by one unit in the last place now and then, as those of another
// library are; WEFT_NOISE_SEED says when.
#ifdef WEFT_NOISE
static inline bool weft_noise(uint64_t bits, int &direction)
{
    static const char *const chosen = std::getenv("WEFT_NOISE_SEED");
    uint64_t z = (bits + 1 + (chosen ? std::strtoull(chosen, nullptr, 10) : 0) * 1000003u) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
    direction = z >> 40 & 1 ? 1 : -1;
    return (z >> 50 & 1) != 0;
}
static inline float weft_near(float value)
{
    int direction, bits = __float_as_int(value);
    return weft_noise((uint64_t)bits, direction) ? std::nextafter(value, direction * INFINITY) : value;
}
static inline double weft_near(double value)
{
    int direction;
    return weft_noise((uint64_t)__double_as_longlong(value), direction) ? std::nextafter(value, direction * INFINITY)
                                                                         : value;
}
#define sinf(x) weft_near(::sinf(x))
#define cosf(x) weft_near(::cosf(x))
#define tanf(x) weft_near(::tanf(x))
#define asinf(x) weft_near(::asinf(x))
#define acosf(x) weft_near(::acosf(x))
#define atanf(x) weft_near(::atanf(x))
#define atan2f(y, x) weft_near(::atan2f(y, x))
#define sinhf(x) weft_near(::sinhf(x))
#define coshf(x) weft_near(::coshf(x))
#define tanhf(x) weft_near(::tanhf(x))
#define expf(x) weft_near(::expf(x))
#define logf(x) weft_near(::logf(x))
#define log2f(x) weft_near(::log2f(x))
#define log10f(x) weft_near(::log10f(x))
#define powf(x, y) weft_near(::powf(x, y))
#define cbrtf(x) weft_near(::cbrtf(x))
#define erff(x) weft_near(::erff(x))
#define erfcf(x) weft_near(::erfcf(x))
#endif

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

#ifndef WEFT_NO_RUNTIME
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
#endif
