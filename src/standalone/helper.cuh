// The small device functions of standalone programs. A program gets those that it calls, written out for its types.
//
//     //: name <- other helpers that it calls     starts one; with (U) or (T,T): for other types than its own
//     T, U, S          the type (or two), and the scalar of T
//     X, Y             vectors as long as a row and a column of T
//     M, P, V, Q       matrices: of outer(T, U), of T * U, T transposed, of three rows
//     W, O             vector of three, quaternion
//     ZERO, ONE, SQRT, FMOD, TRUNC, MIN, MAX     for the scalar
//     PARTS, ROW_COUNT, COL_COUNT, COL_COUNT2    how many; COL_COUNT2: of U
//     EACH, ALL, ANY, SUM, DO                    the text once for every part, which .x stands for: with commas, &&, ||, +, as statements
//     ROWS, COLS, ROWS2, SUM_ROWS, SUM_COLS      once for every row i and column j of T; ROWS2: for every row j of U
//
// The rest of this head and what stands between //. and the next helper are for compilers alone: the file is valid C++.
#define WEFT_BLOCKS
#include "weft_cpu_shim.h"

#include <cmath>
#include <cstdint>

#define EACH(part) part
#define ALL(part) part
#define ANY(part) part
#define SUM(part) part
#define DO(part) part
#define ROWS(part) part
#define COLS(part) part
#define ROWS2(part) part
#define SUM_ROWS(part) part
#define SUM_COLS(part) part
#define ZERO 0
#define ONE 1
#define SQRT sqrt
#define FMOD fmod
#define TRUNC trunc
#define MIN min
#define MAX max
enum { PARTS = 3, ROW_COUNT = 3, COL_COUNT = 3, COL_COUNT2 = 3 };
using S = int;
struct O {
};
struct W {
};
struct T {
    S x, y, z, m[3][3];
    W p;
    O q;
    template <class... Parts> T(Parts...);
    S operator[](int) const;
};
using U = T;
using M = T;
using P = T;
using V = T;
using Q = T;
struct X : T {
    using T::T;
};
struct Y : T {
    using T::T;
};
static const int i = 0, j = 0;
S atomic_min(S *, S);
S atomic_max(S *, S);

//: float16
// A number of 16 bits: computed with as float, rounded to the nearest when it is made.
struct float16 {
    uint16_t bits;
    float16() = default;
    __host__ __device__ float16(float value)
    {
        float size = fabsf(value), unit = 0.000000059604644775390625f; // the smallest one
        for (int i = 0; i < 29 && size >= unit * 2048.0f; ++i)
            unit *= 2.0f;
        float steps = rintf(size / unit);
        bits = (uint16_t)(size < 65520.0f ? 0 : 0x7c00);
        if (size < 65520.0f) {
            int exponent = 0;
            for (; exponent < 30 && unit > 0.000000059604644775390625f; ++exponent)
                unit *= 0.5f;
            bits = (uint16_t)((exponent << 10) + (int)steps);
        } else if (size != size)
            bits = 0x7e00;
        if (value < 0.0f)
            bits |= 0x8000;
    }
    __host__ __device__ operator float() const
    {
        int exponent = bits >> 10 & 31, fraction = bits & 1023;
        float size = (exponent ? fraction + 1024 : fraction) * 0.000000059604644775390625f;
        for (int i = 1; i < exponent; ++i)
            size *= 2.0f;
        if (exponent == 31)
            size = fraction ? NAN : INFINITY;
        return bits & 0x8000 ? -size : size;
    }
    __host__ __device__ float16 &operator+=(float value) { return *this = (float)*this + value; }
};

//. every composite

//: add
__device__ inline T operator+(T a, T b)
{
    return {EACH(a.x + b.x)};
}

//: accumulate
__device__ inline void operator+=(T &a, T b)
{
    DO(a.x += b.x);
}

//: sub
__device__ inline T operator-(T a, T b)
{
    return {EACH(a.x - b.x)};
}

//: neg
__device__ inline T operator-(T a)
{
    return {EACH(-a.x)};
}

//: scale
__device__ inline T operator*(T a, S s)
{
    return {EACH(a.x * s)};
}

__device__ inline T operator*(S s, T a)
{
    return {EACH(s * a.x)};
}

//: divide
__device__ inline T operator/(T a, S s)
{
    return {EACH(a.x / s)};
}

//: reciprocal
__device__ inline T reciprocal(S s, T a)
{
    return {EACH(s / a.x)};
}

//: equal
__device__ inline bool operator==(T a, T b)
{
    return ALL(a.x == b.x);
}

//: bit_and
__device__ inline T operator&(T a, T b)
{
    return {EACH(a.x & b.x)};
}

//: bit_or
__device__ inline T operator|(T a, T b)
{
    return {EACH(a.x | b.x)};
}

//: bit_xor
__device__ inline T operator^(T a, T b)
{
    return {EACH(a.x ^ b.x)};
}

//: lshift
__device__ inline T operator<<(T a, T b)
{
    return {ROWS((S)(a[i] << b[i]))};
}

//: rshift
__device__ inline T operator>>(T a, T b)
{
    return {ROWS((S)(a[i] >> b[i]))};
}

//: invert
__device__ inline T operator~(T a)
{
    return {EACH(~a.x)};
}

//: mod
__device__ inline T mod(T a, T b)
{
    return {EACH(FMOD(a.x, b.x))};
}

//: trunc_parts
__device__ inline T trunc_parts(T a)
{
    return {EACH(TRUNC(a.x))};
}

//: atomic_min
__device__ inline void atomic_min(T *to, T value)
{
    DO(atomic_min(&to->x, value.x));
}

//: atomic_max
__device__ inline void atomic_max(T *to, T value)
{
    DO(atomic_max(&to->x, value.x));
}

//: any_nan
__device__ inline bool any_nan(T a)
{
    return ANY(isnan(a.x));
}

//: any_inf
__device__ inline bool any_inf(T a)
{
    return ANY(isinf(a.x));
}

//: all_finite
__device__ inline bool all_finite(T a)
{
    return ALL(isfinite(a.x));
}

//: dot
__device__ inline S dot(T a, T b)
{
    return SUM(a.x * b.x);
}

//: length <- dot
__device__ inline S length(T a)
{
    return SQRT(dot(a, a));
}

//: adj_length <- length scale
__device__ inline T adj_length(T a, S adj)
{
    S size = length(a);
    return size > ZERO ? a * (adj / size) : T{};
}

//: normalize <- length divide
__device__ inline T normalize(T a)
{
    S size = length(a);
    return size > ZERO ? a / size : T{};
}

//: adj_normalize <- length dot scale sub divide
__device__ inline T adj_normalize(T a, T adj)
{
    S size = length(a);
    if (size <= ZERO)
        return {};
    T unit = a / size;
    return (adj - unit * dot(unit, adj)) / size;
}

//: cw_mul
__device__ inline T cw_mul(T a, T b)
{
    return {EACH(a.x * b.x)};
}

//: cw_div
__device__ inline T cw_div(T a, T b)
{
    return {EACH(a.x / b.x)};
}

//: abs_parts
__device__ inline T abs_parts(T a)
{
    return {EACH(a.x < ZERO ? -a.x : a.x)};
}

//: sign
__device__ inline T sign(T a)
{
    return {EACH(a.x < ZERO ? -ONE : ONE)};
}

//: sign_scalar
__device__ inline S sign(S a)
{
    return a < ZERO ? -ONE : ONE;
}

//: clamp
__device__ inline S clamp(S x, S low, S high)
{
    return MIN(MAX(low, x), high);
}

//: floor_div
__device__ inline S floor_div(S a, S b)
{
    S quotient = (S)(a / b);
    return a % b != 0 && (a < 0) != (b < 0) ? (S)(quotient - 1) : quotient;
}

//: bit_count
__device__ inline int bit_count(S a)
{
    int count = 0;
    for (int i = 0; i < 8 * (int)sizeof(S); ++i)
        count += (int)(a >> i & 1);
    return count;
}

//: min
__device__ inline T min(T a, T b)
{
    return {EACH(MIN(a.x, b.x))};
}

//: max
__device__ inline T max(T a, T b)
{
    return {EACH(MAX(a.x, b.x))};
}

//: where_less
__device__ inline T where_less(T a, T b, T value)
{
    return {EACH(a.x <= b.x ? value.x : ZERO)};
}

//: where_more
__device__ inline T where_more(T a, T b, T value)
{
    return {EACH(a.x >= b.x ? value.x : ZERO)};
}

//: component
__device__ inline S component(T a, int i)
{
    const S parts[] = {EACH(a.x)};
    return parts[i];
}

//: component_ref
__device__ inline S &component_ref(T &a, int i)
{
    S *const parts[] = {EACH(&a.x)};
    return *parts[i];
}

//: smallest_part <- component
__device__ inline int smallest_part(T a)
{
    int best = 0;
    for (int i = 1; i < PARTS; ++i)
        if (component(a, i) < component(a, best))
            best = i;
    return best;
}

//: largest_part <- component
__device__ inline int largest_part(T a)
{
    int best = 0;
    for (int i = 1; i < PARTS; ++i)
        if (component(a, i) > component(a, best))
            best = i;
    return best;
}

//: smallest <- component smallest_part
__device__ inline S smallest(T a)
{
    return component(a, smallest_part(a));
}

//: largest <- component largest_part
__device__ inline S largest(T a)
{
    return component(a, largest_part(a));
}

//: unit_part <- component_ref
__device__ inline T unit_part(T, int i, S value)
{
    T result = {};
    component_ref(result, i) = value;
    return result;
}

//: atomic_add
__device__ inline void atomic_add(T *to, T value)
{
    DO(atomicAdd(&to->x, value.x));
}

//. blocks of threads

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

//. vectors of three

//: cross
__device__ inline T cross(T a, T b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

//: skew
__device__ inline Q skew(T a)
{
    return {ZERO, -a.z, a.y, a.z, ZERO, -a.x, -a.y, a.x, ZERO};
}

//: adj_skew
__device__ inline T adj_skew(Q adj)
{
    return {adj.m[2][1] - adj.m[1][2], adj.m[0][2] - adj.m[2][0], adj.m[1][0] - adj.m[0][1]};
}

//. matrices

//: mat_vec
__device__ inline Y operator*(T a, X v)
{
    return {ROWS(SUM_COLS(a.m[i][j] * v[j]))};
}

//: vec_mat
__device__ inline X operator*(Y v, T a)
{
    return {COLS(SUM_ROWS(v[i] * a.m[i][j]))};
}

//: mat_mat
__device__ inline P operator*(T a, U b)
{
    P product = {};
    for (int i = 0; i < ROW_COUNT; ++i)
        for (int j = 0; j < COL_COUNT2; ++j)
            for (int k = 0; k < COL_COUNT; ++k)
                product.m[i][j] += a.m[i][k] * b.m[k][j];
    return product;
}

//: transpose
__device__ inline V transpose(T a)
{
    return {COLS(ROWS(a.m[i][j]))};
}

//: outer
__device__ inline M outer(T a, U b)
{
    return {ROWS(ROWS2(a[i] * b[j]))};
}

//: trace
__device__ inline S trace(T a)
{
    S sum = a.m[0][0];
    for (int i = 1; i < ROW_COUNT; ++i)
        sum += a.m[i][i];
    return sum;
}

//: identity
__device__ inline T identity_T()
{
    T result = {};
    for (int i = 0; i < ROW_COUNT; ++i)
        result.m[i][i] = ONE;
    return result;
}

//: diag <- component
__device__ inline U diag(T a)
{
    U result = {};
    for (int i = 0; i < ROW_COUNT; ++i)
        result.m[i][i] = component(a, i);
    return result;
}

//: get_diag
__device__ inline U get_diag(T a)
{
    return {ROWS(a.m[i][i])};
}

//: row_of
__device__ inline U row_of(T a, int i)
{
    return {COLS(a.m[i][j])};
}

//: with_row_of <- component(U)
__device__ inline T with_row_of_T(int i, U row)
{
    T result = {};
    for (int j = 0; j < COL_COUNT; ++j)
        result.m[i][j] = component(row, j);
    return result;
}

//.
namespace two_rows
{

//: determinant2
__device__ inline S determinant(T a)
{
    return a.m[0][0] * a.m[1][1] - a.m[1][0] * a.m[0][1];
}

//: cofactors2
__device__ inline T cofactors(T a)
{
    return {a.m[1][1], -a.m[1][0], -a.m[0][1], a.m[0][0]};
}

//: inverse2 <- determinant2 cofactors2 transpose divide
__device__ inline T inverse(T a)
{
    S det = determinant(a);
    return det == ZERO ? T{} : transpose(cofactors(a)) / det;
}

//.
} // namespace two_rows

//.
namespace three_rows
{

//: cofactors3
__device__ inline T cofactors(T a)
{
    T result;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int p = (i + 1) % 3, q = (i + 2) % 3, u = (j + 1) % 3, v = (j + 2) % 3;
            result.m[i][j] = a.m[p][u] * a.m[q][v] - a.m[p][v] * a.m[q][u];
        }
    return result;
}

//: determinant3 <- cofactors3
__device__ inline S determinant(T a)
{
    T c = cofactors(a);
    return a.m[0][0] * c.m[0][0] + a.m[0][1] * c.m[0][1] + a.m[0][2] * c.m[0][2];
}

//: inverse3 <- determinant3 cofactors3 transpose divide
__device__ inline T inverse(T a)
{
    S det = determinant(a);
    return det == ZERO ? T{} : transpose(cofactors(a)) / det;
}

//.
} // namespace three_rows

//.
namespace four_rows
{

//: cofactors4
__device__ inline S minor(T a, int row, int col)
{
    S m[3][3];
    for (int i = 0, p = 0; i < 4; ++i) {
        if (i == row)
            continue;
        for (int j = 0, q = 0; j < 4; ++j)
            if (j != col)
                m[p][q++] = a.m[i][j];
        ++p;
    }
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

__device__ inline T cofactors(T a)
{
    T result;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            result.m[i][j] = (i + j) % 2 ? -minor(a, i, j) : minor(a, i, j);
    return result;
}

//: determinant4 <- cofactors4
__device__ inline S determinant(T a)
{
    S sum = ZERO;
    T c = cofactors(a);
    for (int j = 0; j < 4; ++j)
        sum += a.m[0][j] * c.m[0][j];
    return sum;
}

//: inverse4 <- determinant4 cofactors4 transpose divide
__device__ inline T inverse(T a)
{
    S det = determinant(a);
    return det == ZERO ? T{} : transpose(cofactors(a)) / det;
}

//.
} // namespace four_rows
using four_rows::inverse;

//: adj_inverse <- transpose mat_mat(T,T) neg
__device__ inline T adj_inverse(T a, T adj)
{
    T turned = transpose(inverse(a));
    return -(turned * adj * turned);
}

//. transforms

//: adj_translation
__device__ inline T adj_translation(W adj)
{
    T result = {};
    result.p = adj;
    return result;
}

//: adj_rotation
__device__ inline T adj_rotation(O adj)
{
    T result = {};
    result.q = adj;
    return result;
}

//. atomics of single numbers

//: atomic_take_double
__device__ inline double atomic_take(double *from)
{
    return __longlong_as_double(atomicExch((unsigned long long *)from, 0ull));
}

//: atomic_min_float
__device__ inline float atomic_min(float *to, float value)
{
    int seen = __float_as_int(*to), expected;
    do {
        expected = seen;
        if (__int_as_float(expected) <= value)
            break;
        seen = atomicCAS((int *)to, expected, __float_as_int(value));
    } while (seen != expected);
    return __int_as_float(seen);
}

//: atomic_max_float
__device__ inline float atomic_max(float *to, float value)
{
    int seen = __float_as_int(*to), expected;
    do {
        expected = seen;
        if (__int_as_float(expected) >= value)
            break;
        seen = atomicCAS((int *)to, expected, __float_as_int(value));
    } while (seen != expected);
    return __int_as_float(seen);
}

//: atomic_min_double
__device__ inline double atomic_min(double *to, double value)
{
    unsigned long long seen = __double_as_longlong(*to), expected;
    do {
        expected = seen;
        if (__longlong_as_double(expected) <= value)
            break;
        seen = atomicCAS((unsigned long long *)to, expected, (unsigned long long)__double_as_longlong(value));
    } while (seen != expected);
    return __longlong_as_double(seen);
}

//: atomic_max_double
__device__ inline double atomic_max(double *to, double value)
{
    unsigned long long seen = __double_as_longlong(*to), expected;
    do {
        expected = seen;
        if (__longlong_as_double(expected) >= value)
            break;
        seen = atomicCAS((unsigned long long *)to, expected, (unsigned long long)__double_as_longlong(value));
    } while (seen != expected);
    return __longlong_as_double(seen);
}

//. random numbers: a permuted congruential generator with a state of 32 bits

//: random_next
__device__ inline uint32_t random_next(uint32_t state)
{
    uint32_t mixed = state * 747796405u + 2891336453u;
    uint32_t word = ((mixed >> ((mixed >> 28) + 4)) ^ mixed) * 277803737u;
    return (word >> 22) ^ word;
}

//: random_float <- random_next
__device__ inline float random_float(uint32_t &state) /* 0 <= x < 1 */
{
    state = random_next(state);
    return (state >> 8) * (1.0f / 16777216.0f);
}

//: random_between <- random_float
__device__ inline float random_between(uint32_t &state, float low, float high)
{
    return (high - low) * random_float(state) + low;
}

//: random_int <- random_next
__device__ inline int random_int(uint32_t &state)
{
    state = random_next(state);
    return (int)state;
}

__device__ inline int random_int(uint32_t &state, int low, int high)
{
    state = random_next(state);
    return (int)(state % (uint32_t)(high - low) + (uint32_t)low);
}

//: random_uint <- random_next
__device__ inline uint32_t random_uint(uint32_t &state)
{
    return state = random_next(state);
}

__device__ inline uint32_t random_uint(uint32_t &state, uint32_t low, uint32_t high)
{
    state = random_next(state);
    return state % (high - low) + low;
}

//: random_angle <- random_float
__device__ inline float random_angle(uint32_t &state)
{
    return 6.2831853071795865f * random_float(state);
}

//: random_normal <- random_float random_angle
__device__ inline float random_normal(uint32_t &state)
{
    float radius = sqrtf(-2.0f * logf(random_float(state) + 5.96e-8f));
    return radius * cosf(random_angle(state));
}

//: sample_square <- random_float
__device__ inline float2 sample_unit_square(uint32_t &state)
{
    float x = random_float(state) - 0.5f;
    return {x, random_float(state) - 0.5f};
}

//: sample_cube <- random_float
__device__ inline float3 sample_unit_cube(uint32_t &state)
{
    float x = random_float(state) - 0.5f, y = random_float(state) - 0.5f;
    return {x, y, random_float(state) - 0.5f};
}

//: sample_ring <- random_angle
__device__ inline float2 sample_unit_ring(uint32_t &state)
{
    float angle = random_angle(state);
    return {cosf(angle), sinf(angle)};
}

//: sample_disk <- random_angle
__device__ inline float2 sample_unit_disk(uint32_t &state)
{
    float radius = sqrtf(random_float(state)), angle = random_angle(state);
    return {radius * cosf(angle), radius * sinf(angle)};
}

//: sample_triangle <- random_float
__device__ inline float2 sample_triangle(uint32_t &state)
{
    float root = sqrtf(random_float(state));
    return {1.0f - root, random_float(state) * root};
}

//: sample_direction <- random_angle
__device__ inline float3 sample_direction(uint32_t &state, float cosine)
{
    float polar = acosf(cosine), angle = random_angle(state);
    return {cosf(angle) * sinf(polar), sinf(angle) * sinf(polar), cosf(polar)};
}

//: sample_sphere_surface <- sample_direction
__device__ inline float3 sample_unit_sphere_surface(uint32_t &state)
{
    float cosine = 1.0f - 2.0f * random_float(state);
    return sample_direction(state, cosine);
}

//: sample_hemisphere_surface <- sample_direction
__device__ inline float3 sample_unit_hemisphere_surface(uint32_t &state)
{
    float cosine = 1.0f - random_float(state);
    return sample_direction(state, cosine);
}

//: sample_sphere <- sample_sphere_surface
__device__ inline float3 sample_unit_sphere(uint32_t &state)
{
    float3 direction = sample_unit_sphere_surface(state);
    float radius = cbrtf(random_float(state));
    return {radius * direction.x, radius * direction.y, radius * direction.z};
}

//: sample_hemisphere <- sample_hemisphere_surface
__device__ inline float3 sample_unit_hemisphere(uint32_t &state)
{
    float3 direction = sample_unit_hemisphere_surface(state);
    float radius = cbrtf(random_float(state));
    return {radius * direction.x, radius * direction.y, radius * direction.z};
}

//: random_cdf <- random_float
__device__ inline int random_cdf(uint32_t &state, const float *cdf, int count)
{
    float u = random_float(state);
    int low = 0, high = count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (cdf[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

//: random_poisson <- random_float
__device__ inline uint32_t random_poisson_small(uint32_t &state, float rate) /* by multiplication */
{
    float limit = expf(-rate), product = 1.0f;
    uint32_t count = 0;
    for (; count < 10000; ++count) {
        product *= random_float(state);
        if (product <= limit)
            break;
    }
    return count;
}

__device__ inline uint32_t random_poisson(uint32_t &state, float rate) /* large rates: by transformed rejection */
{
    if (rate < 10.0f)
        return rate == 0.0f ? 0 : random_poisson_small(state, rate);
    float b = 0.931f + 2.53f * sqrtf(rate), a = -0.059f + 0.02483f * b;
    float inverse_alpha = 1.1239f + 1.1328f / (b - 3.4f), limit = 0.9277f - 3.6224f / (b - 2.0f);
    for (int tries = 0; tries < 10000; ++tries) {
        float u = random_float(state) - 0.5f;
        float v = random_float(state), us = 0.5f - fabsf(u);
        float value = floorf((2.0f * a / us + b) * u + rate + 0.43f);
        if (us >= 0.07f && v <= limit && value >= 0.0f)
            return (uint32_t)value;
        if (value < 0.0f || !(value < 4e9f) || (us < 0.013f && v > us))
            continue;
        if (logf(v) + logf(inverse_alpha) - logf(a / (us * us) + b) <= -rate + value * logf(rate) - lgammaf(value + 1.0f))
            return (uint32_t)value;
    }
    return 0;
}

//. arrays

//: lower_bound
template <class T, class U> __device__ inline int lower_bound(const T *values, int low, int high, U wanted)
{
    for (--high; low < high;) {
        int middle = low + (high - low) / 2;
        if (values[middle] < (T)wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

//. what a loop saves for the reverse pass

//: save
template <class T, int N> __device__ inline void save(T (&stack)[N], int turn, T value)
{
    if (turn >= N) /* more turns than were foreseen: raise the size */
        __trap();
    stack[turn] = value;
}
