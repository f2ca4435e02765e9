// What stands before an answer in plain CUDA when it is compiled as C++, between weft_cpu_shim.h and entry.cuh: the rest of CUDA that answers
// tend to use.

#include <cfloat>
#include <climits>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#undef __global__
#define __global__
#define __constant__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)

static dim3 gridDim;

struct alignas(16) double2 {
    double x, y;
};
struct double3 {
    double x, y, z;
};
struct alignas(16) double4 {
    double x, y, z, w;
};
static inline double2 make_double2(double x, double y) { return {x, y}; }
static inline double3 make_double3(double x, double y, double z) { return {x, y, z}; }
static inline double4 make_double4(double x, double y, double z, double w) { return {x, y, z, w}; }

static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float fdividef(float x, float y) { return x / y; }
static inline float __fdividef(float x, float y) { return x / y; }
// the C library has declared functions of these names
#define __expf expf
#define __logf logf
#define __sinf sinf
#define __cosf cosf
#define __powf powf
static inline unsigned __float_as_uint(float x) { return (unsigned)__float_as_int(x); }
static inline float __uint_as_float(unsigned x) { return __int_as_float((int)x); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
template <class T> static inline T __ldg(const T *from) { return *from; }
template <class T, class U> static inline T atomicSub(T *to, U value)
{
    T old = *to;
    *to = (T)(old - (T)value);
    return old;
}
static inline float min(float a, double b) { return fminf(a, (float)b); }
static inline float max(float a, double b) { return fmaxf(a, (float)b); }
