// weft_math.cuh: vectors, matrices, quaternions and transforms for CUDA kernels, and what gradients of them need.
//
//     float3 r = xi - x[j];          float d = length(r);          mat33f m = outer(r, r) + 2.0f * identity<mat33f>();
//
// CUDA has float3, int2 and so on; this header adds their operators, the other types, and functions on all of them:
//
//     types         vec6f, mat22f, mat33f, mat44f, quatf, transformf; of any size: vec<int, 7>, mat<float, 2, 4>, quat<double>
//     operators     + - * / (numbers, matrices with vectors and matrices), - == += -= & | ^ << >> ~
//     vectors       dot cross length normalize outer skew cw_mul cw_div component; min max smallest largest, abs_parts sign clamp
//     matrices      transpose determinant cofactors inverse trace diag get_diag identity row_of
//     quaternions   quat_mul quat_inverse quat_rotate quat_rotate_inv quat_from_axis_angle quat_to_matrix quat_from_matrix ...
//     transforms    transform_multiply transform_point transform_vector transform_inverse; spatial_cross
//     numbers       clamp sign floor_div bit_count smoothstep; float16
//     atomics       atomic_add of vectors and matrices; atomic_min, atomic_max of floats
//     random        random_next random_float random_int random_normal random_poisson sample_unit_sphere ...; noise pnoise
//     gradients     adj_length adj_normalize adj_inverse ...: adj_f(arguments of f, adjoint of its result); save: values of a loop
//
// An adjoint of a function with several arguments adds to references: adj_quat_mul(a, b, adj_return, adj_a, adj_b). A kernel may
// define a function of its own with the same name and parameters: that one is called then, since all of these are templates.
//
// For nvcc, NVRTC (--include-path, or as a header of the program), and as C++17 behind weft_cpu_shim.h. Printed by
// `weft standalone --header`. SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_MATH_CUH
#define WEFT_MATH_CUH

#ifdef __CUDACC_RTC__ // NVRTC, which has no headers of C++
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#else
#include <math.h>
#include <stdint.h>
#endif

// ---- numbers ----

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

// number<S>: S itself; nothing for other types, so that templates with it are for numbers alone. same<S>: S, and a call may give
// another type that becomes it.
template <class S> struct number_traits {};
template <> struct number_traits<int8_t> { using type = int8_t; };
template <> struct number_traits<uint8_t> { using type = uint8_t; };
template <> struct number_traits<int16_t> { using type = int16_t; };
template <> struct number_traits<uint16_t> { using type = uint16_t; };
template <> struct number_traits<int> { using type = int; };
template <> struct number_traits<uint32_t> { using type = uint32_t; };
template <> struct number_traits<int64_t> { using type = int64_t; };
template <> struct number_traits<uint64_t> { using type = uint64_t; };
template <> struct number_traits<float> { using type = float; };
template <> struct number_traits<double> { using type = double; };
template <> struct number_traits<float16> { using type = float16; };
template <class S> using number = typename number_traits<S>::type;
template <class T> struct same_traits { using type = T; };
template <class T> using same = typename same_traits<T>::type;

template <class S>
__device__ inline number<S> clamp(S x, same<S> low, same<S> high)
{
    return min(max(low, x), high);
}

template <class S>
__device__ inline number<S> sign(S a)
{
    return a < (S)0 ? (S)-1 : (S)1;
}

// Rounded down.
template <class S>
__device__ inline number<S> floor_div(S a, same<S> b)
{
    S quotient = (S)(a / b);
    return a % b != 0 && (a < 0) != (b < 0) ? (S)(quotient - 1) : quotient;
}

template <class S, class = number<S>>
__device__ inline int bit_count(S a)
{
    int count = 0;
    for (int i = 0; i < 8 * (int)sizeof(S); ++i) {
        count += (int)(a >> i & 1);
    }
    return count;
}

// ---- types ----

// A vector of CUDA's, or numbers in an array: vec<float, 3> is float3, vec<float, 6> has c[0] to c[5].
template <class S, int N> struct vec_parts { S c[N]; };
template <class S> struct vec_parts<S, 2> { S x, y; };
template <class S> struct vec_parts<S, 3> { S x, y, z; };
template <class S> struct vec_parts<S, 4> { S x, y, z, w; };
template <class S, int N> struct vec_traits { using type = vec_parts<S, N>; };
template <> struct vec_traits<float, 2> { using type = float2; };
template <> struct vec_traits<float, 3> { using type = float3; };
template <> struct vec_traits<float, 4> { using type = float4; };
template <> struct vec_traits<int, 2> { using type = int2; };
template <> struct vec_traits<int, 3> { using type = int3; };
template <> struct vec_traits<int, 4> { using type = int4; };
template <> struct vec_traits<uint32_t, 2> { using type = uint2; };
template <> struct vec_traits<uint32_t, 3> { using type = uint3; };
template <> struct vec_traits<uint32_t, 4> { using type = uint4; };
template <class S, int N> using vec = typename vec_traits<S, N>::type;

template <class S, int ROWS, int COLS> struct mat { S m[ROWS][COLS]; };

template <class S> struct quat { S x, y, z, w; }; // w: the real part

template <class S> struct transform { // first turned by q, then moved by p
    vec<S, 3> p;
    quat<S> q;
};

using vec6f = vec<float, 6>; // spatial vectors: the angular part comes first
using mat22f = mat<float, 2, 2>;
using mat33f = mat<float, 3, 3>;
using mat44f = mat<float, 4, 4>;
using quatf = quat<float>;
using transformf = transform<float>;

// All of these are composites: so many numbers of one type, one after the other. composite<T>: T itself; nothing for other types.
template <class T, class S, int N> struct composite_of {
    using type = T;
    using scalar = S;
    static constexpr int count = N;
};
template <class T> struct composite_traits {};
template <> struct composite_traits<float2> : composite_of<float2, float, 2> {};
template <> struct composite_traits<float3> : composite_of<float3, float, 3> {};
template <> struct composite_traits<float4> : composite_of<float4, float, 4> {};
template <> struct composite_traits<int2> : composite_of<int2, int, 2> {};
template <> struct composite_traits<int3> : composite_of<int3, int, 3> {};
template <> struct composite_traits<int4> : composite_of<int4, int, 4> {};
template <> struct composite_traits<uint2> : composite_of<uint2, uint32_t, 2> {};
template <> struct composite_traits<uint3> : composite_of<uint3, uint32_t, 3> {};
template <> struct composite_traits<uint4> : composite_of<uint4, uint32_t, 4> {};
template <class S, int N> struct composite_traits<vec_parts<S, N>> : composite_of<vec_parts<S, N>, S, N> {};
template <class S, int R, int C> struct composite_traits<mat<S, R, C>> : composite_of<mat<S, R, C>, S, R * C> {};
template <class S> struct composite_traits<quat<S>> : composite_of<quat<S>, S, 4> {};
template <class S> struct composite_traits<transform<S>> : composite_of<transform<S>, S, 7> {};
template <class T> using composite = typename composite_traits<T>::type;
template <class T> using scalar_of = typename composite_traits<T>::scalar;
template <class T> constexpr int part_count = composite_traits<T>::count;

// The part with this number, of a matrix by rows: to be read and set, or of a value.
template <class T>
__device__ inline scalar_of<T> &component(T &a, int i)
{
    return ((scalar_of<T> *)&a)[i];
}

template <class T>
__device__ inline scalar_of<T> component(const T &a, int i)
{
    return ((const scalar_of<T> *)&a)[i];
}

// ---- operators ----

template <class T>
__device__ inline composite<T> operator+(T a, T b)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = component(a, i) + component(b, i);
    return a;
}

template <class T, class = composite<T>>
__device__ inline void operator+=(T &a, T b)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) += component(b, i);
}

template <class T>
__device__ inline composite<T> operator-(T a, T b)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = component(a, i) - component(b, i);
    return a;
}

template <class T, class = composite<T>>
__device__ inline void operator-=(T &a, T b)
{
    a = a - b;
}

template <class T>
__device__ inline composite<T> operator-(T a)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = -component(a, i);
    return a;
}

template <class T>
__device__ inline composite<T> operator*(T a, scalar_of<T> s)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = component(a, i) * s;
    return a;
}

template <class T>
__device__ inline composite<T> operator*(scalar_of<T> s, T a)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = s * component(a, i);
    return a;
}

template <class T>
__device__ inline composite<T> operator/(T a, scalar_of<T> s)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = component(a, i) / s;
    return a;
}

// s / a, part by part
template <class T>
__device__ inline composite<T> reciprocal(scalar_of<T> s, T a)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = s / component(a, i);
    return a;
}

template <class T, class = composite<T>>
__device__ inline bool operator==(T a, T b)
{
    bool equal = component(a, 0) == component(b, 0);
    for (int i = 1; i < part_count<T>; ++i)
        equal = equal && component(a, i) == component(b, i);
    return equal;
}

template <class T>
__device__ inline composite<T> operator&(T a, T b)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = component(a, i) & component(b, i);
    return a;
}

template <class T>
__device__ inline composite<T> operator|(T a, T b)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = component(a, i) | component(b, i);
    return a;
}

template <class T>
__device__ inline composite<T> operator^(T a, T b)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = component(a, i) ^ component(b, i);
    return a;
}

template <class T>
__device__ inline composite<T> operator<<(T a, T b)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = component(a, i) << component(b, i);
    return a;
}

template <class T>
__device__ inline composite<T> operator>>(T a, T b)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = component(a, i) >> component(b, i);
    return a;
}

template <class T>
__device__ inline composite<T> operator~(T a)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = ~component(a, i);
    return a;
}

// ---- parts of vectors and matrices ----

template <class T>
__device__ inline composite<T> cw_mul(T a, T b)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = component(a, i) * component(b, i);
    return a;
}

template <class T>
__device__ inline composite<T> cw_div(T a, T b)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = component(a, i) / component(b, i);
    return a;
}

template <class T>
__device__ inline composite<T> mod(T a, T b)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = fmod(component(a, i), component(b, i));
    return a;
}

template <class T>
__device__ inline composite<T> trunc_parts(T a)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = trunc(component(a, i));
    return a;
}

template <class T>
__device__ inline composite<T> abs_parts(T a)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = component(a, i) < (scalar_of<T>)0 ? -component(a, i) : component(a, i);
    return a;
}

template <class T>
__device__ inline composite<T> sign(T a)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = sign(component(a, i));
    return a;
}

template <class T>
__device__ inline composite<T> min(T a, T b)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = min(component(a, i), component(b, i));
    return a;
}

template <class T>
__device__ inline composite<T> max(T a, T b)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(a, i) = max(component(a, i), component(b, i));
    return a;
}

// The parts of `value` where a <= b, and where a >= b; zero elsewhere.
template <class T>
__device__ inline composite<T> where_less(T a, T b, T value)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(value, i) = component(a, i) <= component(b, i) ? component(value, i) : (scalar_of<T>)0;
    return value;
}

template <class T>
__device__ inline composite<T> where_more(T a, T b, T value)
{
    for (int i = 0; i < part_count<T>; ++i)
        component(value, i) = component(a, i) >= component(b, i) ? component(value, i) : (scalar_of<T>)0;
    return value;
}

template <class T, class = composite<T>>
__device__ inline bool any_nan(T a)
{
    bool any = isnan(component(a, 0));
    for (int i = 1; i < part_count<T>; ++i)
        any = any || isnan(component(a, i));
    return any;
}

template <class T, class = composite<T>>
__device__ inline bool any_inf(T a)
{
    bool any = isinf(component(a, 0));
    for (int i = 1; i < part_count<T>; ++i)
        any = any || isinf(component(a, i));
    return any;
}

template <class T, class = composite<T>>
__device__ inline bool all_finite(T a)
{
    bool all = isfinite(component(a, 0));
    for (int i = 1; i < part_count<T>; ++i)
        all = all && isfinite(component(a, i));
    return all;
}

// Which part is the smallest, the largest: the first of them.
template <class T, class = composite<T>>
__device__ inline int smallest_part(T a)
{
    int best = 0;
    for (int i = 1; i < part_count<T>; ++i)
        best = component(a, i) < component(a, best) ? i : best;
    return best;
}

template <class T, class = composite<T>>
__device__ inline int largest_part(T a)
{
    int best = 0;
    for (int i = 1; i < part_count<T>; ++i)
        best = component(a, i) > component(a, best) ? i : best;
    return best;
}

template <class T>
__device__ inline scalar_of<T> smallest(T a)
{
    return component(a, smallest_part(a));
}

template <class T>
__device__ inline scalar_of<T> largest(T a)
{
    return component(a, largest_part(a));
}

// Zero but for one part; the first argument only says of which type.
template <class T>
__device__ inline composite<T> unit_part(T a, int i, scalar_of<T> value)
{
    a = T{};
    component(a, i) = value;
    return a;
}

// ---- vectors ----

// Of matrices: the sum of the products of their parts, too.
template <class T>
__device__ inline scalar_of<T> dot(T a, T b)
{
    scalar_of<T> sum = component(a, 0) * component(b, 0);
    for (int i = 1; i < part_count<T>; ++i)
        sum = sum + component(a, i) * component(b, i);
    return sum;
}

template <class T>
__device__ inline scalar_of<T> length(T a)
{
    return sqrt(dot(a, a));
}

template <class T>
__device__ inline composite<T> adj_length(T a, scalar_of<T> adj)
{
    scalar_of<T> size = length(a);
    return size > (scalar_of<T>)0 ? a * (adj / size) : T{};
}

template <class T>
__device__ inline composite<T> normalize(T a)
{
    scalar_of<T> size = length(a);
    return size > (scalar_of<T>)0 ? a / size : T{};
}

template <class T>
__device__ inline composite<T> adj_normalize(T a, T adj)
{
    scalar_of<T> size = length(a);
    if (size <= (scalar_of<T>)0)
        return {};
    T unit = a / size;
    return (adj - unit * dot(unit, adj)) / size;
}

template <class T>
__device__ inline composite<T> cross(T a, T b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// The matrix of a x.
template <class T>
__device__ inline mat<scalar_of<T>, 3, 3> skew(T a)
{
    return {0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0};
}

template <class S>
__device__ inline vec<S, 3> adj_skew(mat<S, 3, 3> adj)
{
    return {adj.m[2][1] - adj.m[1][2], adj.m[0][2] - adj.m[2][0], adj.m[1][0] - adj.m[0][1]};
}

// ---- matrices ----

template <class S, int R, int C>
__device__ inline vec<S, R> operator*(mat<S, R, C> a, vec<S, C> v)
{
    vec<S, R> product;
    for (int i = 0; i < R; ++i)
        component(product, i) = a.m[i][0] * component(v, 0);
    for (int i = 0; i < R; ++i)
        for (int j = 1; j < C; ++j)
            component(product, i) = component(product, i) + a.m[i][j] * component(v, j);
    return product;
}

template <class S, int R, int C>
__device__ inline vec<S, C> operator*(vec<S, R> v, mat<S, R, C> a)
{
    vec<S, C> product;
    for (int j = 0; j < C; ++j)
        component(product, j) = component(v, 0) * a.m[0][j];
    for (int j = 0; j < C; ++j)
        for (int i = 1; i < R; ++i)
            component(product, j) = component(product, j) + component(v, i) * a.m[i][j];
    return product;
}

template <class S, int R, int K, int C>
__device__ inline mat<S, R, C> operator*(mat<S, R, K> a, mat<S, K, C> b)
{
    mat<S, R, C> product = {};
    for (int i = 0; i < R; ++i) {
        for (int j = 0; j < C; ++j) {
            for (int k = 0; k < K; ++k) {
                product.m[i][j] += a.m[i][k] * b.m[k][j];
            }
        }
    }
    return product;
}

template <class S, int R, int C>
__device__ inline mat<S, C, R> transpose(mat<S, R, C> a)
{
    mat<S, C, R> turned;
    for (int i = 0; i < R; ++i)
        for (int j = 0; j < C; ++j)
            turned.m[j][i] = a.m[i][j];
    return turned;
}

// a[i] * b[j]
template <class T, class U>
__device__ inline mat<scalar_of<T>, part_count<T>, part_count<U>> outer(T a, U b)
{
    mat<scalar_of<T>, part_count<T>, part_count<U>> product;
    for (int i = 0; i < part_count<T>; ++i)
        for (int j = 0; j < part_count<U>; ++j)
            product.m[i][j] = component(a, i) * component(b, j);
    return product;
}

template <class S, int N>
__device__ inline S trace(mat<S, N, N> a)
{
    S sum = a.m[0][0];
    for (int i = 1; i < N; ++i)
        sum = sum + a.m[i][i];
    return sum;
}

// identity<mat33f>()
template <class T>
__device__ inline composite<T> identity()
{
    T result = {};
    for (int i = 0; i * i < part_count<T>; ++i)
        result.m[i][i] = 1;
    return result;
}

template <class T>
__device__ inline mat<scalar_of<T>, part_count<T>, part_count<T>> diag(T a)
{
    mat<scalar_of<T>, part_count<T>, part_count<T>> result = {};
    for (int i = 0; i < part_count<T>; ++i)
        result.m[i][i] = component(a, i);
    return result;
}

template <class S, int N>
__device__ inline vec<S, N> get_diag(mat<S, N, N> a)
{
    vec<S, N> result;
    for (int i = 0; i < N; ++i)
        component(result, i) = a.m[i][i];
    return result;
}

template <class S, int R, int C>
__device__ inline vec<S, C> row_of(mat<S, R, C> a, int i)
{
    vec<S, C> row;
    for (int j = 0; j < C; ++j)
        component(row, j) = a.m[i][j];
    return row;
}

// with_row_of<mat33f>(i, row): zero but for that row
template <class T, class U>
__device__ inline composite<T> with_row_of(int i, U row)
{
    T result = {};
    for (int j = 0; j < part_count<U>; ++j)
        result.m[i][j] = component(row, j);
    return result;
}

template <class S>
__device__ inline S determinant(mat<S, 2, 2> a)
{
    return a.m[0][0] * a.m[1][1] - a.m[1][0] * a.m[0][1];
}

// The determinant without row i and column j, with its sign.
template <class S>
__device__ inline mat<S, 2, 2> cofactors(mat<S, 2, 2> a)
{
    return {a.m[1][1], -a.m[1][0], -a.m[0][1], a.m[0][0]};
}

template <class S>
__device__ inline mat<S, 3, 3> cofactors(mat<S, 3, 3> a)
{
    mat<S, 3, 3> result;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            int p = (i + 1) % 3, q = (i + 2) % 3, u = (j + 1) % 3, v = (j + 2) % 3;
            result.m[i][j] = a.m[p][u] * a.m[q][v] - a.m[p][v] * a.m[q][u];
        }
    }
    return result;
}

template <class S>
__device__ inline S determinant(mat<S, 3, 3> a)
{
    mat<S, 3, 3> c = cofactors(a);
    return a.m[0][0] * c.m[0][0] + a.m[0][1] * c.m[0][1] + a.m[0][2] * c.m[0][2];
}

template <class S>
__device__ inline S minor_of(mat<S, 4, 4> a, int row, int col)
{
    S m[3][3];
    for (int i = 0, p = 0; i < 4; ++i) {
        if (i == row)
            continue;
        for (int j = 0, q = 0; j < 4; ++j) {
            if (j != col)
                m[p][q++] = a.m[i][j];
        }
        ++p;
    }
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

template <class S>
__device__ inline mat<S, 4, 4> cofactors(mat<S, 4, 4> a)
{
    mat<S, 4, 4> result;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            result.m[i][j] = (i + j) % 2 ? -minor_of(a, i, j) : minor_of(a, i, j);
        }
    }
    return result;
}

template <class S>
__device__ inline S determinant(mat<S, 4, 4> a)
{
    S sum = 0;
    mat<S, 4, 4> c = cofactors(a);
    for (int j = 0; j < 4; ++j)
        sum = sum + a.m[0][j] * c.m[0][j];
    return sum;
}

// Zero where there is none.
template <class S, int N>
__device__ inline mat<S, N, N> inverse(mat<S, N, N> a)
{
    S det = determinant(a);
    return det == (S)0 ? mat<S, N, N>{} : transpose(cofactors(a)) / det;
}

template <class T>
__device__ inline composite<T> adj_inverse(T a, T adj)
{
    T turned = transpose(inverse(a));
    return -(turned * adj * turned);
}

// ---- atomics ----

template <class T, class = composite<T>>
__device__ inline void atomic_add(T *to, T value)
{
    for (int i = 0; i < part_count<T>; ++i)
        atomicAdd(&component(*to, i), component(value, i));
}

template <int = 0>
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

template <int = 0>
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

template <int = 0>
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

template <int = 0>
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

template <class T, class = composite<T>>
__device__ inline void atomic_min(T *to, T value)
{
    for (int i = 0; i < part_count<T>; ++i)
        atomic_min(&component(*to, i), component(value, i));
}

template <class T, class = composite<T>>
__device__ inline void atomic_max(T *to, T value)
{
    for (int i = 0; i < part_count<T>; ++i)
        atomic_max(&component(*to, i), component(value, i));
}

// What is there, and zero instead.
template <int = 0>
__device__ inline double atomic_take(double *from)
{
    return __longlong_as_double(atomicExch((unsigned long long *)from, 0ull));
}

// ---- random numbers: a permuted congruential generator with a state of 32 bits ----

template <int = 0>
__device__ inline uint32_t random_next(uint32_t state)
{
    uint32_t mixed = state * 747796405u + 2891336453u;
    uint32_t word = ((mixed >> ((mixed >> 28) + 4)) ^ mixed) * 277803737u;
    return (word >> 22) ^ word;
}

template <int = 0>
__device__ inline float random_float(uint32_t &state) /* 0 <= x < 1 */
{
    state = random_next(state);
    return (state >> 8) * (1.0f / 16777216.0f);
}

template <int = 0>
__device__ inline float random_between(uint32_t &state, float low, float high)
{
    return (high - low) * random_float(state) + low;
}

template <int = 0>
__device__ inline int random_int(uint32_t &state)
{
    state = random_next(state);
    return (int)state;
}

template <int = 0>
__device__ inline int random_int(uint32_t &state, int low, int high)
{
    state = random_next(state);
    return (int)(state % (uint32_t)(high - low) + (uint32_t)low);
}

template <int = 0>
__device__ inline uint32_t random_uint(uint32_t &state)
{
    return state = random_next(state);
}

template <int = 0>
__device__ inline uint32_t random_uint(uint32_t &state, uint32_t low, uint32_t high)
{
    state = random_next(state);
    return state % (high - low) + low;
}

template <int = 0>
__device__ inline float random_angle(uint32_t &state)
{
    return 6.2831853071795865f * random_float(state);
}

template <int = 0>
__device__ inline float random_normal(uint32_t &state)
{
    float radius = sqrtf(-2.0f * logf(random_float(state) + 5.96e-8f));
    return radius * cosf(random_angle(state));
}

template <int = 0>
__device__ inline float2 sample_unit_square(uint32_t &state)
{
    float x = random_float(state) - 0.5f;
    return {x, random_float(state) - 0.5f};
}

template <int = 0>
__device__ inline float3 sample_unit_cube(uint32_t &state)
{
    float x = random_float(state) - 0.5f, y = random_float(state) - 0.5f;
    return {x, y, random_float(state) - 0.5f};
}

template <int = 0>
__device__ inline float2 sample_unit_ring(uint32_t &state)
{
    float angle = random_angle(state);
    return {cosf(angle), sinf(angle)};
}

template <int = 0>
__device__ inline float2 sample_unit_disk(uint32_t &state)
{
    float radius = sqrtf(random_float(state)), angle = random_angle(state);
    return {radius * cosf(angle), radius * sinf(angle)};
}

template <int = 0>
__device__ inline float2 sample_triangle(uint32_t &state)
{
    float root = sqrtf(random_float(state));
    return {1.0f - root, random_float(state) * root};
}

template <int = 0>
__device__ inline float3 sample_direction(uint32_t &state, float cosine)
{
    float polar = acosf(cosine), angle = random_angle(state);
    return {cosf(angle) * sinf(polar), sinf(angle) * sinf(polar), cosf(polar)};
}

template <int = 0>
__device__ inline float3 sample_unit_sphere_surface(uint32_t &state)
{
    float cosine = 1.0f - 2.0f * random_float(state);
    return sample_direction(state, cosine);
}

template <int = 0>
__device__ inline float3 sample_unit_hemisphere_surface(uint32_t &state)
{
    float cosine = 1.0f - random_float(state);
    return sample_direction(state, cosine);
}

template <int = 0>
__device__ inline float3 sample_unit_sphere(uint32_t &state)
{
    float3 direction = sample_unit_sphere_surface(state);
    float radius = cbrtf(random_float(state));
    return {radius * direction.x, radius * direction.y, radius * direction.z};
}

template <int = 0>
__device__ inline float3 sample_unit_hemisphere(uint32_t &state)
{
    float3 direction = sample_unit_hemisphere_surface(state);
    float radius = cbrtf(random_float(state));
    return {radius * direction.x, radius * direction.y, radius * direction.z};
}

template <int = 0>
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

template <int = 0>
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

template <int = 0>
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

// ---- arrays, and what a loop saves for the reverse pass ----

// The first of the sorted values from `low` on that is not below `wanted`.
template <class T, class U>
__device__ inline int lower_bound(const T *values, int low, int high, U wanted)
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

template <class T, int N>
__device__ inline void save(T (&stack)[N], int turn, T value)
{
    if (turn >= N) // more turns than were foreseen: raise the size
        __trap();
    stack[turn] = value;
}

// ---- quaternions, transforms, spatial vectors, decompositions, distances, noise: each function with its adjoint ----

template <class V>
__device__ inline transform<scalar_of<V>> adj_translation(V adj)
{
    transform<scalar_of<V>> result = {};
    result.p = adj;
    return result;
}

template <class S>
__device__ inline transform<S> adj_rotation(quat<S> adj)
{
    transform<S> result = {};
    result.q = adj;
    return result;
}

template <int = 0>
__device__ inline float smoothstep(float edge0, float edge1, float x)
{
    float t = clamp((x - edge0) / (edge1 - edge0), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

template <int = 0>
__device__ inline void adj_smoothstep(float edge0, float edge1, float x, float adj_return, float &adj_edge0,
                                      float &adj_edge1, float &adj_x)
{
    float t = clamp((x - edge0) / (edge1 - edge0), 0.0f, 1.0f);
    float g1 = adj_return * (3.0f - 2.0f * t);
    float adj_t = g1 * t;
    adj_t += g1 * t;
    adj_t += -(adj_return * (t * t)) * 2.0f;
    float g2 = (x - edge0) / (edge1 - edge0) >= 0.0f && (x - edge0) / (edge1 - edge0) <= 1.0f ? adj_t : 0.0f;
    float g3 = g2 / (edge1 - edge0);
    adj_x += g3;
    adj_edge0 -= g3;
    float g4 = -g2 * ((x - edge0) / (edge1 - edge0)) / (edge1 - edge0);
    adj_edge1 += g4;
    adj_edge0 -= g4;
}

template <int = 0>
__device__ inline quatf quat_mul(quatf a, quatf b)
{
    return quatf{a.w * b.x + b.w * a.x + a.y * b.z - b.y * a.z, a.w * b.y + b.w * a.y + a.z * b.x - b.z * a.x, a.w * b.z + b.w * a.z + a.x * b.y - b.x * a.y, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

template <int = 0>
__device__ inline void adj_quat_mul(quatf a, quatf b, quatf adj_return, quatf &adj_a, quatf &adj_b)
{
    adj_a.w += adj_return.x * b.x;
    adj_b.x += adj_return.x * a.w;
    adj_b.w += adj_return.x * a.x;
    adj_a.x += adj_return.x * b.w;
    adj_a.y += adj_return.x * b.z;
    adj_b.z += adj_return.x * a.y;
    float g1 = -adj_return.x;
    adj_b.y += g1 * a.z;
    adj_a.z += g1 * b.y;
    adj_a.w += adj_return.y * b.y;
    adj_b.y += adj_return.y * a.w;
    adj_b.w += adj_return.y * a.y;
    adj_a.y += adj_return.y * b.w;
    adj_a.z += adj_return.y * b.x;
    adj_b.x += adj_return.y * a.z;
    float g2 = -adj_return.y;
    adj_b.z += g2 * a.x;
    adj_a.x += g2 * b.z;
    adj_a.w += adj_return.z * b.z;
    adj_b.z += adj_return.z * a.w;
    adj_b.w += adj_return.z * a.z;
    adj_a.z += adj_return.z * b.w;
    adj_a.x += adj_return.z * b.y;
    adj_b.y += adj_return.z * a.x;
    float g3 = -adj_return.z;
    adj_b.x += g3 * a.y;
    adj_a.y += g3 * b.x;
    adj_a.w += adj_return.w * b.w;
    adj_b.w += adj_return.w * a.w;
    float g4 = -adj_return.w;
    adj_a.x += g4 * b.x;
    adj_b.x += g4 * a.x;
    float g5 = -adj_return.w;
    adj_a.y += g5 * b.y;
    adj_b.y += g5 * a.y;
    float g6 = -adj_return.w;
    adj_a.z += g6 * b.z;
    adj_b.z += g6 * a.z;
}

template <int = 0>
__device__ inline quatf quat_inverse(quatf q)
{
    return quatf{-q.x, -q.y, -q.z, q.w};
}

template <int = 0>
__device__ inline void adj_quat_inverse(quatf q, quatf adj_return, quatf &adj_q)
{
    adj_q.x -= adj_return.x;
    adj_q.y -= adj_return.y;
    adj_q.z -= adj_return.z;
    adj_q.w += adj_return.w;
}

template <int = 0>
__device__ inline float3 quat_rotate(quatf q, float3 v)
{
    float3 u = make_float3(q.x, q.y, q.z);
    return v * (2.0f * q.w * q.w - 1.0f) + u * (2.0f * dot(u, v)) + cross(u, v) * (2.0f * q.w);
}

template <int = 0>
__device__ inline void adj_quat_rotate(quatf q, float3 v, float3 adj_return, quatf &adj_q, float3 &adj_v)
{
    float3 u = make_float3(q.x, q.y, q.z);
    adj_v += adj_return * (2.0f * q.w * q.w - 1.0f);
    float g1 = dot(adj_return, v);
    adj_q.w += g1 * q.w * 2.0f;
    adj_q.w += g1 * (2.0f * q.w);
    float3 adj_u = adj_return * (2.0f * dot(u, v));
    float g2 = dot(adj_return, u) * 2.0f;
    adj_u += g2 * v;
    adj_v += g2 * u;
    float3 g3 = adj_return * (2.0f * q.w);
    adj_u += cross(v, g3);
    adj_v += cross(g3, u);
    adj_q.w += dot(adj_return, cross(u, v)) * 2.0f;
    adj_q.x += adj_u.x;
    adj_q.y += adj_u.y;
    adj_q.z += adj_u.z;
}

template <int = 0>
__device__ inline float3 quat_rotate_inv(quatf q, float3 v)
{
    float3 u = make_float3(q.x, q.y, q.z);
    return v * (2.0f * q.w * q.w - 1.0f) + u * (2.0f * dot(u, v)) - cross(u, v) * (2.0f * q.w);
}

template <int = 0>
__device__ inline void adj_quat_rotate_inv(quatf q, float3 v, float3 adj_return, quatf &adj_q, float3 &adj_v)
{
    float3 u = make_float3(q.x, q.y, q.z);
    adj_v += adj_return * (2.0f * q.w * q.w - 1.0f);
    float g1 = dot(adj_return, v);
    adj_q.w += g1 * q.w * 2.0f;
    adj_q.w += g1 * (2.0f * q.w);
    float3 adj_u = adj_return * (2.0f * dot(u, v));
    float g2 = dot(adj_return, u) * 2.0f;
    adj_u += g2 * v;
    adj_v += g2 * u;
    float3 g3 = -adj_return;
    float3 g4 = g3 * (2.0f * q.w);
    adj_u += cross(v, g4);
    adj_v += cross(g4, u);
    adj_q.w += dot(g3, cross(u, v)) * 2.0f;
    adj_q.x += adj_u.x;
    adj_q.y += adj_u.y;
    adj_q.z += adj_u.z;
}

template <int = 0>
__device__ inline quatf quat_from_axis_angle(float3 axis, float angle)
{
    float sine = sinf(0.5f * angle);
    return quatf{axis.x * sine, axis.y * sine, axis.z * sine, cosf(0.5f * angle)};
}

template <int = 0>
__device__ inline void adj_quat_from_axis_angle(float3 axis, float angle, quatf adj_return, float3 &adj_axis,
                                                float &adj_angle)
{
    float sine = sinf(0.5f * angle);
    adj_axis.x += adj_return.x * sine;
    float adj_sine = adj_return.x * axis.x;
    adj_axis.y += adj_return.y * sine;
    adj_sine += adj_return.y * axis.y;
    adj_axis.z += adj_return.z * sine;
    adj_sine += adj_return.z * axis.z;
    adj_angle += -adj_return.w * sinf(0.5f * angle) * 0.5f;
    adj_angle += adj_sine * cosf(0.5f * angle) * 0.5f;
}

struct quat_to_axis_angle_result {
    float3 value0;
    float value1;
};

template <int = 0>
__device__ inline quat_to_axis_angle_result quat_to_axis_angle(quatf q)
{
    float3 u = make_float3(q.x, q.y, q.z);
    float3 axis = normalize(u);
    float w = q.w;
    if (w < 0.0f) {
        axis = -axis;
        w = -w;
    }
    return {axis, 2.0f * atan2f(length(u), w)};
}

template <int = 0>
__device__ inline void adj_quat_to_axis_angle(quatf q, quat_to_axis_angle_result adj_return, quatf &adj_q)
{
    float3 u = make_float3(q.x, q.y, q.z);
    float w = q.w;
    float w_before = w;
    if (w < 0.0f) {
        w = -w;
    }
    float3 adj_axis = adj_return.value0;
    float g1 = adj_return.value1 * 2.0f;
    float g2 = length(u) * length(u) + w * w > 0.0f ? g1 * w / (length(u) * length(u) + w * w) : 0.0f;
    float3 adj_u = adj_length(u, g2);
    float adj_w = length(u) * length(u) + w * w > 0.0f ? -g1 * length(u) / (length(u) * length(u) + w * w) : 0.0f;
    w = w_before;
    if (w < 0.0f) {
        float g3 = adj_w;
        adj_w = -g3;
        float3 g4 = adj_axis;
        adj_axis = -g4;
    }
    adj_q.w += adj_w;
    adj_u += adj_normalize(u, adj_axis);
    adj_q.x += adj_u.x;
    adj_q.y += adj_u.y;
    adj_q.z += adj_u.z;
}

template <int = 0>
__device__ inline quatf quat_slerp(quatf a, quatf b, float t)
{
    float3 axis = {};
    float angle = 0.0f;
    quat_to_axis_angle_result result = quat_to_axis_angle(quat_mul(quat_inverse(a), b));
    axis = result.value0;
    angle = result.value1;
    return quat_mul(a, quat_from_axis_angle(axis, t * angle));
}

template <int = 0>
__device__ inline void adj_quat_slerp(quatf a, quatf b, float t, quatf adj_return, quatf &adj_a, quatf &adj_b,
                                      float &adj_t)
{
    float3 axis = {};
    float angle = 0.0f;
    quat_to_axis_angle_result result = quat_to_axis_angle(quat_mul(quat_inverse(a), b));
    axis = result.value0;
    angle = result.value1;
    float3 adj_axis = {};
    quatf g1 = {};
    adj_quat_mul(a, quat_from_axis_angle(axis, t * angle), adj_return, adj_a, g1);
    float g2 = 0.0f;
    adj_quat_from_axis_angle(axis, t * angle, g1, adj_axis, g2);
    adj_t += g2 * angle;
    float adj_angle = g2 * t;
    quat_to_axis_angle_result g3 = {};
    g3.value0 = adj_axis;
    adj_axis = float3{};
    g3.value1 = adj_angle;
    adj_angle = 0.0f;
    quatf g4 = {};
    adj_quat_to_axis_angle(quat_mul(quat_inverse(a), b), g3, g4);
    quatf g5 = {};
    adj_quat_mul(quat_inverse(a), b, g4, g5, adj_b);
    adj_quat_inverse(a, g5, adj_a);
}

template <int = 0>
__device__ inline quatf quat_rpy(float roll, float pitch, float yaw)
{
    float cr = cosf(0.5f * roll);
    float sr = sinf(0.5f * roll);
    float cp = cosf(0.5f * pitch);
    float sp = sinf(0.5f * pitch);
    float cy = cosf(0.5f * yaw);
    float sy = sinf(0.5f * yaw);
    return quatf{cy * sr * cp - sy * cr * sp, cy * cr * sp + sy * sr * cp, sy * cr * cp - cy * sr * sp, cy * cr * cp + sy * sr * sp};
}

template <int = 0>
__device__ inline void adj_quat_rpy(float roll, float pitch, float yaw, quatf adj_return, float &adj_roll,
                                    float &adj_pitch, float &adj_yaw)
{
    float cr = cosf(0.5f * roll);
    float sr = sinf(0.5f * roll);
    float cp = cosf(0.5f * pitch);
    float sp = sinf(0.5f * pitch);
    float cy = cosf(0.5f * yaw);
    float sy = sinf(0.5f * yaw);
    float g1 = adj_return.x * cp;
    float adj_cy = g1 * sr;
    float adj_sr = g1 * cy;
    float adj_cp = adj_return.x * (cy * sr);
    float g2 = -adj_return.x;
    float g3 = g2 * sp;
    float adj_sy = g3 * cr;
    float adj_cr = g3 * sy;
    float adj_sp = g2 * (sy * cr);
    float g4 = adj_return.y * sp;
    adj_cy += g4 * cr;
    adj_cr += g4 * cy;
    adj_sp += adj_return.y * (cy * cr);
    float g5 = adj_return.y * cp;
    adj_sy += g5 * sr;
    adj_sr += g5 * sy;
    adj_cp += adj_return.y * (sy * sr);
    float g6 = adj_return.z * cp;
    adj_sy += g6 * cr;
    adj_cr += g6 * sy;
    adj_cp += adj_return.z * (sy * cr);
    float g7 = -adj_return.z;
    float g8 = g7 * sp;
    adj_cy += g8 * sr;
    adj_sr += g8 * cy;
    adj_sp += g7 * (cy * sr);
    float g9 = adj_return.w * cp;
    adj_cy += g9 * cr;
    adj_cr += g9 * cy;
    adj_cp += adj_return.w * (cy * cr);
    float g10 = adj_return.w * sp;
    adj_sy += g10 * sr;
    adj_sr += g10 * sy;
    adj_sp += adj_return.w * (sy * sr);
    adj_yaw += adj_sy * cosf(0.5f * yaw) * 0.5f;
    adj_yaw += -adj_cy * sinf(0.5f * yaw) * 0.5f;
    adj_pitch += adj_sp * cosf(0.5f * pitch) * 0.5f;
    adj_pitch += -adj_cp * sinf(0.5f * pitch) * 0.5f;
    adj_roll += adj_sr * cosf(0.5f * roll) * 0.5f;
    adj_roll += -adj_cr * sinf(0.5f * roll) * 0.5f;
}

template <int = 0>
__device__ inline mat33f quat_to_matrix(quatf q)
{
    float3 x = quat_rotate(q, make_float3(1.0f, 0.0f, 0.0f));
    float3 y = quat_rotate(q, make_float3(0.0f, 1.0f, 0.0f));
    float3 z = quat_rotate(q, make_float3(0.0f, 0.0f, 1.0f));
    return mat33f{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

template <int = 0>
__device__ inline void adj_quat_to_matrix(quatf q, mat33f adj_return, quatf &adj_q)
{
    float3 adj_x = {};
    float3 adj_y = {};
    float3 adj_z = {};
    adj_x.x += adj_return.m[0][0];
    adj_y.x += adj_return.m[0][1];
    adj_z.x += adj_return.m[0][2];
    adj_x.y += adj_return.m[1][0];
    adj_y.y += adj_return.m[1][1];
    adj_z.y += adj_return.m[1][2];
    adj_x.z += adj_return.m[2][0];
    adj_y.z += adj_return.m[2][1];
    adj_z.z += adj_return.m[2][2];
    float3 g1 = {};
    adj_quat_rotate(q, make_float3(0.0f, 0.0f, 1.0f), adj_z, adj_q, g1);
    float3 g2 = {};
    adj_quat_rotate(q, make_float3(0.0f, 1.0f, 0.0f), adj_y, adj_q, g2);
    float3 g3 = {};
    adj_quat_rotate(q, make_float3(1.0f, 0.0f, 0.0f), adj_x, adj_q, g3);
}

template <int = 0>
__device__ inline quatf quat_from_parts(float m00, float m01, float m02, float m10, float m11, float m12,
                                        float m20, float m21, float m22)
{
    float trace = m00 + m11 + m22;
    float x = 0.0f;
    float y = 0.0f;
    float z = 0.0f;
    float w = 0.0f;
    float root = 0.0f;
    float h = 0.0f;
    if (trace >= 0.0f) {
        root = sqrtf(trace + 1.0f);
        h = 0.5f / root;
        x = (m21 - m12) * h;
        y = (m02 - m20) * h;
        z = (m10 - m01) * h;
        w = 0.5f * root;
    } else if (m22 > fmaxf(m00, m11)) {
        root = sqrtf(m22 - (m00 + m11) + 1.0f);
        h = 0.5f / root;
        x = (m20 + m02) * h;
        y = (m12 + m21) * h;
        z = 0.5f * root;
        w = (m10 - m01) * h;
    } else if (m11 > m00) {
        root = sqrtf(m11 - (m22 + m00) + 1.0f);
        h = 0.5f / root;
        x = (m01 + m10) * h;
        y = 0.5f * root;
        z = (m12 + m21) * h;
        w = (m02 - m20) * h;
    } else {
        root = sqrtf(m00 - (m11 + m22) + 1.0f);
        h = 0.5f / root;
        x = 0.5f * root;
        y = (m01 + m10) * h;
        z = (m20 + m02) * h;
        w = (m21 - m12) * h;
    }
    return normalize(quatf{x, y, z, w});
}

template <int = 0>
__device__ inline void adj_quat_from_parts(float m00, float m01, float m02, float m10, float m11, float m12,
                                           float m20, float m21, float m22, quatf adj_return, float &adj_m00,
                                           float &adj_m01, float &adj_m02, float &adj_m10, float &adj_m11,
                                           float &adj_m12, float &adj_m20, float &adj_m21, float &adj_m22)
{
    float trace = m00 + m11 + m22;
    float x = 0.0f;
    float y = 0.0f;
    float z = 0.0f;
    float w = 0.0f;
    float root = 0.0f;
    float h = 0.0f;
    if (trace >= 0.0f) {
        root = sqrtf(trace + 1.0f);
        h = 0.5f / root;
        x = (m21 - m12) * h;
        y = (m02 - m20) * h;
        z = (m10 - m01) * h;
        w = 0.5f * root;
    } else {
        if (m22 > fmaxf(m00, m11)) {
            root = sqrtf(m22 - (m00 + m11) + 1.0f);
            h = 0.5f / root;
            x = (m20 + m02) * h;
            y = (m12 + m21) * h;
            z = 0.5f * root;
            w = (m10 - m01) * h;
        } else {
            if (m11 > m00) {
                root = sqrtf(m11 - (m22 + m00) + 1.0f);
                h = 0.5f / root;
                x = (m01 + m10) * h;
                y = 0.5f * root;
                z = (m12 + m21) * h;
                w = (m02 - m20) * h;
            } else {
                root = sqrtf(m00 - (m11 + m22) + 1.0f);
                h = 0.5f / root;
                x = 0.5f * root;
                y = (m01 + m10) * h;
                z = (m20 + m02) * h;
                w = (m21 - m12) * h;
            }
        }
    }
    float adj_trace = 0.0f;
    float adj_root = 0.0f;
    float adj_h = 0.0f;
    quatf g1 = adj_normalize(quatf{x, y, z, w}, adj_return);
    float adj_x = g1.x;
    float adj_y = g1.y;
    float adj_z = g1.z;
    float adj_w = g1.w;
    if (trace >= 0.0f) {
        root = sqrtf(trace + 1.0f);
        h = 0.5f / root;
        adj_root += adj_w * 0.5f;
        adj_w = 0.0f;
        float g2 = adj_z * h;
        adj_m10 += g2;
        adj_m01 -= g2;
        adj_h += adj_z * (m10 - m01);
        adj_z = 0.0f;
        float g3 = adj_y * h;
        adj_m02 += g3;
        adj_m20 -= g3;
        adj_h += adj_y * (m02 - m20);
        adj_y = 0.0f;
        float g4 = adj_x * h;
        adj_m21 += g4;
        adj_m12 -= g4;
        adj_h += adj_x * (m21 - m12);
        adj_x = 0.0f;
        adj_root += -adj_h * (0.5f / root) / root;
        adj_h = 0.0f;
        float g5 = sqrtf(trace + 1.0f) > 0.0f ? 0.5f * adj_root / sqrtf(trace + 1.0f) : 0.0f;
        adj_trace += g5;
        adj_root = 0.0f;
    } else {
        if (m22 > fmaxf(m00, m11)) {
            root = sqrtf(m22 - (m00 + m11) + 1.0f);
            h = 0.5f / root;
            float g6 = adj_w * h;
            adj_m10 += g6;
            adj_m01 -= g6;
            adj_h += adj_w * (m10 - m01);
            adj_w = 0.0f;
            adj_root += adj_z * 0.5f;
            adj_z = 0.0f;
            float g7 = adj_y * h;
            adj_m12 += g7;
            adj_m21 += g7;
            adj_h += adj_y * (m12 + m21);
            adj_y = 0.0f;
            float g8 = adj_x * h;
            adj_m20 += g8;
            adj_m02 += g8;
            adj_h += adj_x * (m20 + m02);
            adj_x = 0.0f;
            adj_root += -adj_h * (0.5f / root) / root;
            adj_h = 0.0f;
            float g9 = sqrtf(m22 - (m00 + m11) + 1.0f) > 0.0f ? 0.5f * adj_root / sqrtf(m22 - (m00 + m11) + 1.0f) : 0.0f;
            adj_m22 += g9;
            float g10 = -g9;
            adj_m00 += g10;
            adj_m11 += g10;
            adj_root = 0.0f;
        } else {
            if (m11 > m00) {
                root = sqrtf(m11 - (m22 + m00) + 1.0f);
                h = 0.5f / root;
                float g11 = adj_w * h;
                adj_m02 += g11;
                adj_m20 -= g11;
                adj_h += adj_w * (m02 - m20);
                adj_w = 0.0f;
                float g12 = adj_z * h;
                adj_m12 += g12;
                adj_m21 += g12;
                adj_h += adj_z * (m12 + m21);
                adj_z = 0.0f;
                adj_root += adj_y * 0.5f;
                adj_y = 0.0f;
                float g13 = adj_x * h;
                adj_m01 += g13;
                adj_m10 += g13;
                adj_h += adj_x * (m01 + m10);
                adj_x = 0.0f;
                adj_root += -adj_h * (0.5f / root) / root;
                adj_h = 0.0f;
                float g14 = sqrtf(m11 - (m22 + m00) + 1.0f) > 0.0f ? 0.5f * adj_root / sqrtf(m11 - (m22 + m00) + 1.0f) : 0.0f;
                adj_m11 += g14;
                float g15 = -g14;
                adj_m22 += g15;
                adj_m00 += g15;
                adj_root = 0.0f;
            } else {
                root = sqrtf(m00 - (m11 + m22) + 1.0f);
                h = 0.5f / root;
                float g16 = adj_w * h;
                adj_m21 += g16;
                adj_m12 -= g16;
                adj_h += adj_w * (m21 - m12);
                adj_w = 0.0f;
                float g17 = adj_z * h;
                adj_m20 += g17;
                adj_m02 += g17;
                adj_h += adj_z * (m20 + m02);
                adj_z = 0.0f;
                float g18 = adj_y * h;
                adj_m01 += g18;
                adj_m10 += g18;
                adj_h += adj_y * (m01 + m10);
                adj_y = 0.0f;
                adj_root += adj_x * 0.5f;
                adj_x = 0.0f;
                adj_root += -adj_h * (0.5f / root) / root;
                adj_h = 0.0f;
                float g19 = sqrtf(m00 - (m11 + m22) + 1.0f) > 0.0f ? 0.5f * adj_root / sqrtf(m00 - (m11 + m22) + 1.0f) : 0.0f;
                adj_m00 += g19;
                float g20 = -g19;
                adj_m11 += g20;
                adj_m22 += g20;
                adj_root = 0.0f;
            }
        }
    }
    adj_m00 += adj_trace;
    adj_m11 += adj_trace;
    adj_m22 += adj_trace;
}

template <int = 0>
__device__ inline quatf quat_from_matrix(mat33f m)
{
    return quat_from_parts(m.m[0][0], m.m[0][1], m.m[0][2], m.m[1][0], m.m[1][1], m.m[1][2], m.m[2][0], m.m[2][1], m.m[2][2]);
}

template <int = 0>
__device__ inline void adj_quat_from_matrix(mat33f m, quatf adj_return, mat33f &adj_m)
{
    float g1 = 0.0f;
    float g2 = 0.0f;
    float g3 = 0.0f;
    float g4 = 0.0f;
    float g5 = 0.0f;
    float g6 = 0.0f;
    float g7 = 0.0f;
    float g8 = 0.0f;
    float g9 = 0.0f;
    adj_quat_from_parts(m.m[0][0], m.m[0][1], m.m[0][2], m.m[1][0], m.m[1][1], m.m[1][2], m.m[2][0], m.m[2][1], m.m[2][2], adj_return, g1, g2, g3, g4, g5, g6, g7, g8, g9);
    adj_m.m[0][0] += g1;
    adj_m.m[0][1] += g2;
    adj_m.m[0][2] += g3;
    adj_m.m[1][0] += g4;
    adj_m.m[1][1] += g5;
    adj_m.m[1][2] += g6;
    adj_m.m[2][0] += g7;
    adj_m.m[2][1] += g8;
    adj_m.m[2][2] += g9;
}

template <int = 0>
__device__ inline quatf quat_from_matrix(mat44f m)
{
    return quat_from_parts(m.m[0][0], m.m[0][1], m.m[0][2], m.m[1][0], m.m[1][1], m.m[1][2], m.m[2][0], m.m[2][1], m.m[2][2]);
}

template <int = 0>
__device__ inline void adj_quat_from_matrix(mat44f m, quatf adj_return, mat44f &adj_m)
{
    float g1 = 0.0f;
    float g2 = 0.0f;
    float g3 = 0.0f;
    float g4 = 0.0f;
    float g5 = 0.0f;
    float g6 = 0.0f;
    float g7 = 0.0f;
    float g8 = 0.0f;
    float g9 = 0.0f;
    adj_quat_from_parts(m.m[0][0], m.m[0][1], m.m[0][2], m.m[1][0], m.m[1][1], m.m[1][2], m.m[2][0], m.m[2][1], m.m[2][2], adj_return, g1, g2, g3, g4, g5, g6, g7, g8, g9);
    adj_m.m[0][0] += g1;
    adj_m.m[0][1] += g2;
    adj_m.m[0][2] += g3;
    adj_m.m[1][0] += g4;
    adj_m.m[1][1] += g5;
    adj_m.m[1][2] += g6;
    adj_m.m[2][0] += g7;
    adj_m.m[2][1] += g8;
    adj_m.m[2][2] += g9;
}

template <int = 0>
__device__ inline transformf transform_multiply(transformf a, transformf b)
{
    float3 p = quat_rotate(a.q, b.p) + a.p;
    quatf value = quat_mul(a.q, b.q);
    return transformf{p.x, p.y, p.z, value.x, value.y, value.z, value.w};
}

template <int = 0>
__device__ inline void adj_transform_multiply(transformf a, transformf b, transformf adj_return,
                                              transformf &adj_a, transformf &adj_b)
{
    float3 adj_p = {};
    quatf adj_value = {};
    adj_p.x += adj_return.p.x;
    adj_p.y += adj_return.p.y;
    adj_p.z += adj_return.p.z;
    adj_value.x += adj_return.q.x;
    adj_value.y += adj_return.q.y;
    adj_value.z += adj_return.q.z;
    adj_value.w += adj_return.q.w;
    quatf g1 = {};
    quatf g2 = {};
    adj_quat_mul(a.q, b.q, adj_value, g1, g2);
    adj_a.q += g1;
    adj_b.q += g2;
    quatf g3 = {};
    float3 g4 = {};
    adj_quat_rotate(a.q, b.p, adj_p, g3, g4);
    adj_a.q += g3;
    adj_b.p += g4;
    adj_a.p += adj_p;
}

template <int = 0>
__device__ inline float3 transform_point(transformf t, float3 p)
{
    return t.p + quat_rotate(t.q, p);
}

template <int = 0>
__device__ inline void adj_transform_point(transformf t, float3 p, float3 adj_return, transformf &adj_t,
                                           float3 &adj_p)
{
    adj_t.p += adj_return;
    quatf g1 = {};
    adj_quat_rotate(t.q, p, adj_return, g1, adj_p);
    adj_t.q += g1;
}

template <int = 0>
__device__ inline float3 transform_vector(transformf t, float3 v)
{
    return quat_rotate(t.q, v);
}

template <int = 0>
__device__ inline void adj_transform_vector(transformf t, float3 v, float3 adj_return, transformf &adj_t,
                                            float3 &adj_v)
{
    quatf g1 = {};
    adj_quat_rotate(t.q, v, adj_return, g1, adj_v);
    adj_t.q += g1;
}

template <int = 0>
__device__ inline transformf transform_inverse(transformf t)
{
    quatf q = quat_inverse(t.q);
    float3 value = -quat_rotate(q, t.p);
    return transformf{value.x, value.y, value.z, q.x, q.y, q.z, q.w};
}

template <int = 0>
__device__ inline void adj_transform_inverse(transformf t, transformf adj_return, transformf &adj_t)
{
    quatf q = quat_inverse(t.q);
    quatf adj_q = {};
    float3 adj_value = {};
    adj_value.x += adj_return.p.x;
    adj_value.y += adj_return.p.y;
    adj_value.z += adj_return.p.z;
    adj_q.x += adj_return.q.x;
    adj_q.y += adj_return.q.y;
    adj_q.z += adj_return.q.z;
    adj_q.w += adj_return.q.w;
    float3 g1 = {};
    adj_quat_rotate(q, t.p, -adj_value, adj_q, g1);
    adj_t.p += g1;
    quatf g2 = {};
    adj_quat_inverse(t.q, adj_q, g2);
    adj_t.q += g2;
}

template <int = 0>
__device__ inline float3 transform_point(mat44f m, float3 p)
{
    float4 r = m * make_float4(p.x, p.y, p.z, 1.0f);
    return make_float3(r.x, r.y, r.z);
}

template <int = 0>
__device__ inline void adj_transform_point(mat44f m, float3 p, float3 adj_return, mat44f &adj_m, float3 &adj_p)
{
    float4 adj_r = {};
    adj_r.x += adj_return.x;
    adj_r.y += adj_return.y;
    adj_r.z += adj_return.z;
    adj_m += outer(adj_r, make_float4(p.x, p.y, p.z, 1.0f));
    float4 g1 = transpose(m) * adj_r;
    adj_p.x += g1.x;
    adj_p.y += g1.y;
    adj_p.z += g1.z;
}

template <int = 0>
__device__ inline float3 transform_vector(mat44f m, float3 v)
{
    float4 r = m * make_float4(v.x, v.y, v.z, 0.0f);
    return make_float3(r.x, r.y, r.z);
}

template <int = 0>
__device__ inline void adj_transform_vector(mat44f m, float3 v, float3 adj_return, mat44f &adj_m,
                                            float3 &adj_v)
{
    float4 adj_r = {};
    adj_r.x += adj_return.x;
    adj_r.y += adj_return.y;
    adj_r.z += adj_return.z;
    adj_m += outer(adj_r, make_float4(v.x, v.y, v.z, 0.0f));
    float4 g1 = transpose(m) * adj_r;
    adj_v.x += g1.x;
    adj_v.y += g1.y;
    adj_v.z += g1.z;
}

template <int = 0>
__device__ inline vec6f spatial_cross(vec6f a, vec6f b)
{
    float3 wa = make_float3(a.c[0], a.c[1], a.c[2]);
    float3 va = make_float3(a.c[3], a.c[4], a.c[5]);
    float3 wb = make_float3(b.c[0], b.c[1], b.c[2]);
    float3 vb = make_float3(b.c[3], b.c[4], b.c[5]);
    float3 top = cross(wa, wb);
    float3 bottom = cross(wa, vb) + cross(va, wb);
    return vec6f{top.x, top.y, top.z, bottom.x, bottom.y, bottom.z};
}

template <int = 0>
__device__ inline void adj_spatial_cross(vec6f a, vec6f b, vec6f adj_return, vec6f &adj_a, vec6f &adj_b)
{
    float3 wa = make_float3(a.c[0], a.c[1], a.c[2]);
    float3 va = make_float3(a.c[3], a.c[4], a.c[5]);
    float3 wb = make_float3(b.c[0], b.c[1], b.c[2]);
    float3 vb = make_float3(b.c[3], b.c[4], b.c[5]);
    float3 adj_top = {};
    float3 adj_bottom = {};
    adj_top.x += adj_return.c[0];
    adj_top.y += adj_return.c[1];
    adj_top.z += adj_return.c[2];
    adj_bottom.x += adj_return.c[3];
    adj_bottom.y += adj_return.c[4];
    adj_bottom.z += adj_return.c[5];
    float3 adj_wa = cross(vb, adj_bottom);
    float3 adj_vb = cross(adj_bottom, wa);
    float3 adj_va = cross(wb, adj_bottom);
    float3 adj_wb = cross(adj_bottom, va);
    adj_wa += cross(wb, adj_top);
    adj_wb += cross(adj_top, wa);
    adj_b.c[3] += adj_vb.x;
    adj_b.c[4] += adj_vb.y;
    adj_b.c[5] += adj_vb.z;
    adj_b.c[0] += adj_wb.x;
    adj_b.c[1] += adj_wb.y;
    adj_b.c[2] += adj_wb.z;
    adj_a.c[3] += adj_va.x;
    adj_a.c[4] += adj_va.y;
    adj_a.c[5] += adj_va.z;
    adj_a.c[0] += adj_wa.x;
    adj_a.c[1] += adj_wa.y;
    adj_a.c[2] += adj_wa.z;
}

template <int = 0>
__device__ inline vec6f spatial_cross_dual(vec6f a, vec6f b)
{
    float3 wa = make_float3(a.c[0], a.c[1], a.c[2]);
    float3 va = make_float3(a.c[3], a.c[4], a.c[5]);
    float3 wb = make_float3(b.c[0], b.c[1], b.c[2]);
    float3 vb = make_float3(b.c[3], b.c[4], b.c[5]);
    float3 top = cross(wa, wb) + cross(va, vb);
    float3 bottom = cross(wa, vb);
    return vec6f{top.x, top.y, top.z, bottom.x, bottom.y, bottom.z};
}

template <int = 0>
__device__ inline void adj_spatial_cross_dual(vec6f a, vec6f b, vec6f adj_return, vec6f &adj_a, vec6f &adj_b)
{
    float3 wa = make_float3(a.c[0], a.c[1], a.c[2]);
    float3 va = make_float3(a.c[3], a.c[4], a.c[5]);
    float3 wb = make_float3(b.c[0], b.c[1], b.c[2]);
    float3 vb = make_float3(b.c[3], b.c[4], b.c[5]);
    float3 adj_top = {};
    float3 adj_bottom = {};
    adj_top.x += adj_return.c[0];
    adj_top.y += adj_return.c[1];
    adj_top.z += adj_return.c[2];
    adj_bottom.x += adj_return.c[3];
    adj_bottom.y += adj_return.c[4];
    adj_bottom.z += adj_return.c[5];
    float3 adj_wa = cross(vb, adj_bottom);
    float3 adj_vb = cross(adj_bottom, wa);
    adj_wa += cross(wb, adj_top);
    float3 adj_wb = cross(adj_top, wa);
    float3 adj_va = cross(vb, adj_top);
    adj_vb += cross(adj_top, va);
    adj_b.c[3] += adj_vb.x;
    adj_b.c[4] += adj_vb.y;
    adj_b.c[5] += adj_vb.z;
    adj_b.c[0] += adj_wb.x;
    adj_b.c[1] += adj_wb.y;
    adj_b.c[2] += adj_wb.z;
    adj_a.c[3] += adj_va.x;
    adj_a.c[4] += adj_va.y;
    adj_a.c[5] += adj_va.z;
    adj_a.c[0] += adj_wa.x;
    adj_a.c[1] += adj_wa.y;
    adj_a.c[2] += adj_wa.z;
}

struct qr3_result {
    mat33f value0;
    mat33f value1;
};

template <int = 0>
__device__ inline qr3_result qr3(mat33f a)
{
    float3 c0 = make_float3(a.m[0][0], a.m[1][0], a.m[2][0]);
    float3 c1 = make_float3(a.m[0][1], a.m[1][1], a.m[2][1]);
    float3 c2 = make_float3(a.m[0][2], a.m[1][2], a.m[2][2]);
    float3 q0 = normalize(c0);
    float3 q1 = normalize(c1 - q0 * dot(q0, c1));
    float3 q2 = cross(q0, q1);
    mat33f q = mat33f{q0.x, q1.x, q2.x, q0.y, q1.y, q2.y, q0.z, q1.z, q2.z};
    float zero = 0.0f;
    mat33f r = mat33f{dot(q0, c0), dot(q0, c1), dot(q0, c2), zero, dot(q1, c1), dot(q1, c2), zero, zero, dot(q2, c2)};
    return {q, r};
}

template <int = 0>
__device__ inline void adj_qr3(mat33f a, qr3_result adj_return, mat33f &adj_a)
{
    float3 c0 = make_float3(a.m[0][0], a.m[1][0], a.m[2][0]);
    float3 c1 = make_float3(a.m[0][1], a.m[1][1], a.m[2][1]);
    float3 c2 = make_float3(a.m[0][2], a.m[1][2], a.m[2][2]);
    float3 q0 = normalize(c0);
    float3 q1 = normalize(c1 - q0 * dot(q0, c1));
    float3 q2 = cross(q0, q1);
    mat33f adj_q = adj_return.value0;
    mat33f adj_r = adj_return.value1;
    float3 adj_q0 = adj_r.m[0][0] * c0;
    float3 adj_c0 = adj_r.m[0][0] * q0;
    adj_q0 += adj_r.m[0][1] * c1;
    float3 adj_c1 = adj_r.m[0][1] * q0;
    adj_q0 += adj_r.m[0][2] * c2;
    float3 adj_c2 = adj_r.m[0][2] * q0;
    float3 adj_q1 = adj_r.m[1][1] * c1;
    adj_c1 += adj_r.m[1][1] * q1;
    adj_q1 += adj_r.m[1][2] * c2;
    adj_c2 += adj_r.m[1][2] * q1;
    float3 adj_q2 = adj_r.m[2][2] * c2;
    adj_c2 += adj_r.m[2][2] * q2;
    adj_q0.x += adj_q.m[0][0];
    adj_q1.x += adj_q.m[0][1];
    adj_q2.x += adj_q.m[0][2];
    adj_q0.y += adj_q.m[1][0];
    adj_q1.y += adj_q.m[1][1];
    adj_q2.y += adj_q.m[1][2];
    adj_q0.z += adj_q.m[2][0];
    adj_q1.z += adj_q.m[2][1];
    adj_q2.z += adj_q.m[2][2];
    adj_q0 += cross(q1, adj_q2);
    adj_q1 += cross(adj_q2, q0);
    float3 g1 = adj_normalize(c1 - q0 * dot(q0, c1), adj_q1);
    adj_c1 += g1;
    float3 g2 = -g1;
    adj_q0 += g2 * dot(q0, c1);
    float g3 = dot(g2, q0);
    adj_q0 += g3 * c1;
    adj_c1 += g3 * q0;
    adj_c0 += adj_normalize(c0, adj_q0);
    adj_a.m[0][2] += adj_c2.x;
    adj_a.m[1][2] += adj_c2.y;
    adj_a.m[2][2] += adj_c2.z;
    adj_a.m[0][1] += adj_c1.x;
    adj_a.m[1][1] += adj_c1.y;
    adj_a.m[2][1] += adj_c1.z;
    adj_a.m[0][0] += adj_c0.x;
    adj_a.m[1][0] += adj_c0.y;
    adj_a.m[2][0] += adj_c0.z;
}

struct svd2_result {
    mat22f value0;
    float2 value1;
    mat22f value2;
};

template <int = 0>
__device__ inline svd2_result svd2(mat22f a)
{
    float p = a.m[0][0] * a.m[0][0] + a.m[1][0] * a.m[1][0];
    float q = a.m[0][1] * a.m[0][1] + a.m[1][1] * a.m[1][1];
    float mixed = a.m[0][0] * a.m[0][1] + a.m[1][0] * a.m[1][1];
    float gap = p - q;
    float inside = gap * gap + 4.0f * mixed * mixed;
    mat22f u = mat22f{1.0f, 0.0f, 0.0f, 1.0f};
    float2 sigma = make_float2(sqrtf(0.5f * (p + q)), sqrtf(0.5f * (p + q)));
    mat22f v = mat22f{1.0f, 0.0f, 0.0f, 1.0f};
    if (inside > 0.0f) {
        float root = sqrtf(inside);
        float det = a.m[0][0] * a.m[1][1] - a.m[0][1] * a.m[1][0];
        float largest = sqrtf(0.5f * (p + q + root));
        sigma = make_float2(largest, fabsf(det) / largest);
        float2 way = make_float2(gap + root - 2.0f * mixed, gap - root + 2.0f * mixed);
        if (way.x == 0.0f && way.y == 0.0f) {
            way = make_float2(1.0f, 1.0f);
        }
        float2 d = normalize(way);
        v = mat22f{d.x, -d.y, d.y, d.x};
        float u0 = (a.m[0][0] * d.x + a.m[0][1] * d.y) / largest;
        float u1 = (a.m[1][0] * d.x + a.m[1][1] * d.y) / largest;
        u = mat22f{u0, -u1, u1, u0};
        if (det < 0.0f) {
            u = mat22f{u0, u1, u1, -u0};
        }
    }
    return {u, sigma, v};
}

template <int = 0>
__device__ inline void adj_svd2(mat22f a, svd2_result adj_return, mat22f &adj_a)
{
    float p = a.m[0][0] * a.m[0][0] + a.m[1][0] * a.m[1][0];
    float q = a.m[0][1] * a.m[0][1] + a.m[1][1] * a.m[1][1];
    float mixed = a.m[0][0] * a.m[0][1] + a.m[1][0] * a.m[1][1];
    float gap = p - q;
    float inside = gap * gap + 4.0f * mixed * mixed;
    float adj_p = 0.0f;
    float adj_q = 0.0f;
    float adj_mixed = 0.0f;
    float adj_gap = 0.0f;
    float adj_inside = 0.0f;
    mat22f adj_u = adj_return.value0;
    float2 adj_sigma = adj_return.value1;
    mat22f adj_v = adj_return.value2;
    if (inside > 0.0f) {
        float root = sqrtf(inside);
        float det = a.m[0][0] * a.m[1][1] - a.m[0][1] * a.m[1][0];
        float largest = sqrtf(0.5f * (p + q + root));
        float2 way = make_float2(gap + root - 2.0f * mixed, gap - root + 2.0f * mixed);
        float2 way_before = way;
        if (way.x == 0.0f && way.y == 0.0f) {
            way = make_float2(1.0f, 1.0f);
        }
        float2 d = normalize(way);
        float2 adj_d = {};
        float adj_u0 = 0.0f;
        float adj_u1 = 0.0f;
        if (det < 0.0f) {
            adj_u0 += adj_u.m[0][0];
            adj_u1 += adj_u.m[0][1];
            adj_u1 += adj_u.m[1][0];
            adj_u0 -= adj_u.m[1][1];
            adj_u = mat22f{};
        }
        adj_u0 += adj_u.m[0][0];
        adj_u1 -= adj_u.m[0][1];
        adj_u1 += adj_u.m[1][0];
        adj_u0 += adj_u.m[1][1];
        adj_u = mat22f{};
        float g1 = adj_u1 / largest;
        adj_a.m[1][0] += g1 * d.x;
        adj_d.x += g1 * a.m[1][0];
        adj_a.m[1][1] += g1 * d.y;
        adj_d.y += g1 * a.m[1][1];
        float adj_largest = -adj_u1 * ((a.m[1][0] * d.x + a.m[1][1] * d.y) / largest) / largest;
        float g2 = adj_u0 / largest;
        adj_a.m[0][0] += g2 * d.x;
        adj_d.x += g2 * a.m[0][0];
        adj_a.m[0][1] += g2 * d.y;
        adj_d.y += g2 * a.m[0][1];
        adj_largest += -adj_u0 * ((a.m[0][0] * d.x + a.m[0][1] * d.y) / largest) / largest;
        adj_d.x += adj_v.m[0][0];
        adj_d.y -= adj_v.m[0][1];
        adj_d.y += adj_v.m[1][0];
        adj_d.x += adj_v.m[1][1];
        adj_v = mat22f{};
        float2 adj_way = adj_normalize(way, adj_d);
        way = way_before;
        if (way.x == 0.0f && way.y == 0.0f) {
            adj_way = float2{};
        }
        adj_gap += adj_way.x;
        float adj_root = adj_way.x;
        adj_mixed += -adj_way.x * 2.0f;
        adj_gap += adj_way.y;
        adj_root -= adj_way.y;
        adj_mixed += adj_way.y * 2.0f;
        adj_largest += adj_sigma.x;
        float g3 = adj_sigma.y / largest;
        float adj_det = det < 0.0f ? -g3 : g3;
        adj_largest += -adj_sigma.y * (fabsf(det) / largest) / largest;
        adj_sigma = float2{};
        float g4 = sqrtf(0.5f * (p + q + root)) > 0.0f ? 0.5f * adj_largest / sqrtf(0.5f * (p + q + root)) : 0.0f;
        float g5 = g4 * 0.5f;
        adj_p += g5;
        adj_q += g5;
        adj_root += g5;
        adj_a.m[0][0] += adj_det * a.m[1][1];
        adj_a.m[1][1] += adj_det * a.m[0][0];
        float g6 = -adj_det;
        adj_a.m[0][1] += g6 * a.m[1][0];
        adj_a.m[1][0] += g6 * a.m[0][1];
        adj_inside += sqrtf(inside) > 0.0f ? 0.5f * adj_root / sqrtf(inside) : 0.0f;
    }
    float g7 = sqrtf(0.5f * (p + q)) > 0.0f ? 0.5f * adj_sigma.x / sqrtf(0.5f * (p + q)) : 0.0f;
    float g8 = g7 * 0.5f;
    adj_p += g8;
    adj_q += g8;
    float g9 = sqrtf(0.5f * (p + q)) > 0.0f ? 0.5f * adj_sigma.y / sqrtf(0.5f * (p + q)) : 0.0f;
    float g10 = g9 * 0.5f;
    adj_p += g10;
    adj_q += g10;
    adj_gap += adj_inside * gap;
    adj_gap += adj_inside * gap;
    adj_mixed += adj_inside * mixed * 4.0f;
    adj_mixed += adj_inside * (4.0f * mixed);
    adj_p += adj_gap;
    adj_q -= adj_gap;
    adj_a.m[0][0] += adj_mixed * a.m[0][1];
    adj_a.m[0][1] += adj_mixed * a.m[0][0];
    adj_a.m[1][0] += adj_mixed * a.m[1][1];
    adj_a.m[1][1] += adj_mixed * a.m[1][0];
    adj_a.m[0][1] += adj_q * a.m[0][1];
    adj_a.m[0][1] += adj_q * a.m[0][1];
    adj_a.m[1][1] += adj_q * a.m[1][1];
    adj_a.m[1][1] += adj_q * a.m[1][1];
    adj_a.m[0][0] += adj_p * a.m[0][0];
    adj_a.m[0][0] += adj_p * a.m[0][0];
    adj_a.m[1][0] += adj_p * a.m[1][0];
    adj_a.m[1][0] += adj_p * a.m[1][0];
}

template <int = 0>
__device__ inline float3 closest_point_edge_edge(float3 p1, float3 q1, float3 p2, float3 q2, float epsilon)
{
    float3 d1 = q1 - p1;
    float3 d2 = q2 - p2;
    float3 apart = p1 - p2;
    float a = dot(d1, d1);
    float e = dot(d2, d2);
    float f = dot(d2, apart);
    float c = dot(d1, apart);
    float s = 0.0f;
    float t = 0.0f;
    if (a <= epsilon && e > epsilon) {
        t = clamp(f / e, 0.0f, 1.0f);
    }
    if (a > epsilon && e <= epsilon) {
        s = clamp(-c / a, 0.0f, 1.0f);
    }
    if (a > epsilon && e > epsilon) {
        float b = dot(d1, d2);
        float area = a * e - b * b;
        if (area > 0.0f) {
            s = clamp((b * f - c * e) / area, 0.0f, 1.0f);
        }
        float along = (b * s + f) / e;
        if (along < 0.0f) {
            s = clamp(-c / a, 0.0f, 1.0f);
        }
        if (along > 1.0f) {
            s = clamp((b - c) / a, 0.0f, 1.0f);
        }
        t = clamp(along, 0.0f, 1.0f);
    }
    return make_float3(s, t, length(p2 + d2 * t - (p1 + d1 * s)));
}

template <int = 0>
__device__ inline void adj_closest_point_edge_edge(float3 p1, float3 q1, float3 p2, float3 q2, float epsilon,
                                                   float3 adj_return, float3 &adj_p1, float3 &adj_q1,
                                                   float3 &adj_p2, float3 &adj_q2, float &adj_epsilon)
{
    float3 d1 = q1 - p1;
    float3 d2 = q2 - p2;
    float3 apart = p1 - p2;
    float a = dot(d1, d1);
    float e = dot(d2, d2);
    float f = dot(d2, apart);
    float c = dot(d1, apart);
    float s = 0.0f;
    float t = 0.0f;
    if (a <= epsilon && e > epsilon) {
        t = clamp(f / e, 0.0f, 1.0f);
    }
    if (a > epsilon && e <= epsilon) {
        s = clamp(-c / a, 0.0f, 1.0f);
    }
    float s_before = s;
    float t_before = t;
    if (a > epsilon && e > epsilon) {
        float b = dot(d1, d2);
        float area = a * e - b * b;
        if (area > 0.0f) {
            s = clamp((b * f - c * e) / area, 0.0f, 1.0f);
        }
        float along = (b * s + f) / e;
        if (along < 0.0f) {
            s = clamp(-c / a, 0.0f, 1.0f);
        }
        if (along > 1.0f) {
            s = clamp((b - c) / a, 0.0f, 1.0f);
        }
        t = clamp(along, 0.0f, 1.0f);
    }
    float adj_a = 0.0f;
    float adj_e = 0.0f;
    float adj_f = 0.0f;
    float adj_c = 0.0f;
    float adj_s = adj_return.x;
    float adj_t = adj_return.y;
    float3 g1 = adj_length(p2 + d2 * t - (p1 + d1 * s), adj_return.z);
    adj_p2 += g1;
    float3 adj_d2 = g1 * t;
    adj_t += dot(g1, d2);
    float3 g2 = -g1;
    adj_p1 += g2;
    float3 adj_d1 = g2 * s;
    adj_s += dot(g2, d1);
    s = s_before;
    t = t_before;
    if (a > epsilon && e > epsilon) {
        float b = dot(d1, d2);
        float area = a * e - b * b;
        float s_before1 = s;
        if (area > 0.0f) {
            s = clamp((b * f - c * e) / area, 0.0f, 1.0f);
        }
        float along = (b * s + f) / e;
        float s_before2 = s;
        if (along < 0.0f) {
            s = clamp(-c / a, 0.0f, 1.0f);
        }
        float adj_b = 0.0f;
        float adj_area = 0.0f;
        float adj_along = along >= 0.0f && along <= 1.0f ? adj_t : 0.0f;
        adj_t = 0.0f;
        if (along > 1.0f) {
            float g3 = (b - c) / a >= 0.0f && (b - c) / a <= 1.0f ? adj_s : 0.0f;
            float g4 = g3 / a;
            adj_b += g4;
            adj_c -= g4;
            adj_a += -g3 * ((b - c) / a) / a;
            adj_s = 0.0f;
        }
        s = s_before2;
        if (along < 0.0f) {
            float g5 = -c / a >= 0.0f && -c / a <= 1.0f ? adj_s : 0.0f;
            adj_c -= g5 / a;
            adj_a += -g5 * (-c / a) / a;
            adj_s = 0.0f;
        }
        float g6 = adj_along / e;
        adj_b += g6 * s;
        adj_s += g6 * b;
        adj_f += g6;
        adj_e += -adj_along * ((b * s + f) / e) / e;
        s = s_before1;
        if (area > 0.0f) {
            float g7 = (b * f - c * e) / area >= 0.0f && (b * f - c * e) / area <= 1.0f ? adj_s : 0.0f;
            float g8 = g7 / area;
            adj_b += g8 * f;
            adj_f += g8 * b;
            float g9 = -g8;
            adj_c += g9 * e;
            adj_e += g9 * c;
            adj_area += -g7 * ((b * f - c * e) / area) / area;
            adj_s = 0.0f;
        }
        adj_a += adj_area * e;
        adj_e += adj_area * a;
        float g10 = -adj_area;
        adj_b += g10 * b;
        adj_b += g10 * b;
        adj_d1 += adj_b * d2;
        adj_d2 += adj_b * d1;
    }
    if (a > epsilon && e <= epsilon) {
        float g11 = -c / a >= 0.0f && -c / a <= 1.0f ? adj_s : 0.0f;
        adj_c -= g11 / a;
        adj_a += -g11 * (-c / a) / a;
        adj_s = 0.0f;
    }
    if (a <= epsilon && e > epsilon) {
        float g12 = f / e >= 0.0f && f / e <= 1.0f ? adj_t : 0.0f;
        adj_f += g12 / e;
        adj_e += -g12 * (f / e) / e;
        adj_t = 0.0f;
    }
    adj_d1 += adj_c * apart;
    float3 adj_apart = adj_c * d1;
    adj_d2 += adj_f * apart;
    adj_apart += adj_f * d2;
    adj_d2 += adj_e * d2;
    adj_d2 += adj_e * d2;
    adj_d1 += adj_a * d1;
    adj_d1 += adj_a * d1;
    adj_p1 += adj_apart;
    adj_p2 += -adj_apart;
    adj_q2 += adj_d2;
    adj_p2 += -adj_d2;
    adj_q1 += adj_d1;
    adj_p1 += -adj_d1;
}

template <int = 0>
__device__ inline float noise_blend(float t)
{
    return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

template <int = 0>
__device__ inline void adj_noise_blend(float t, float adj_return, float &adj_t)
{
    float g1 = adj_return * (t * (t * 6.0f - 15.0f) + 10.0f);
    float g2 = g1 * t;
    adj_t += g2 * t;
    adj_t += g2 * t;
    adj_t += g1 * (t * t);
    float g3 = adj_return * (t * t * t);
    adj_t += g3 * (t * 6.0f - 15.0f);
    adj_t += g3 * t * 6.0f;
}

template <int = 0>
__device__ inline float noise_corner(uint32_t state, int i)
{
    uint32_t corner = (uint32_t)i * 73856093u + state;
    float drawn = random_float(corner);
    return drawn * 2.0f - 1.0f;
}

template <int = 0>
__device__ inline float2 noise_corner(uint32_t state, int i, int j)
{
    uint32_t corner = ((uint32_t)i * 73856093u) ^ ((uint32_t)j * 19349663u + state);
    float drawn = random_float(corner);
    float x = drawn - 0.5f;
    float drawn_2 = random_float(corner);
    float y = drawn_2 - 0.5f;
    return normalize(make_float2(x, y));
}

template <int = 0>
__device__ inline float3 noise_corner(uint32_t state, int i, int j, int k)
{
    uint32_t corner = (((uint32_t)i * 73856093u) ^ ((uint32_t)j * 19349663u)) ^ ((uint32_t)k * 53471161u + state);
    float drawn = random_float(corner);
    float x = drawn - 0.5f;
    float drawn_2 = random_float(corner);
    float y = drawn_2 - 0.5f;
    float drawn_3 = random_float(corner);
    float z = drawn_3 - 0.5f;
    return normalize(make_float3(x, y, z));
}

template <int = 0>
__device__ inline float4 noise_corner(uint32_t state, int i, int j, int k, int l)
{
    uint32_t corner = ((((uint32_t)i * 73856093u) ^ ((uint32_t)j * 19349663u)) ^ ((uint32_t)k * 53471161u)) ^ ((uint32_t)l * 10000019u + state);
    float drawn = random_float(corner);
    float x = drawn - 0.5f;
    float drawn_2 = random_float(corner);
    float y = drawn_2 - 0.5f;
    float drawn_3 = random_float(corner);
    float z = drawn_3 - 0.5f;
    float drawn_4 = random_float(corner);
    float w = drawn_4 - 0.5f;
    return normalize(make_float4(x, y, z, w));
}

template <int = 0>
__device__ inline float noise_between(uint32_t state, float x, int i0, int i1, float s)
{
    float low = noise_corner(state, i0) * x;
    float high = noise_corner(state, i1) * (x - 1.0f);
    return (high - low) * s + low;
}

template <int = 0>
__device__ inline void adj_noise_between(uint32_t state, float x, int i0, int i1, float s, float adj_return,
                                         float &adj_x, float &adj_s)
{
    float low = noise_corner(state, i0) * x;
    float high = noise_corner(state, i1) * (x - 1.0f);
    float g1 = adj_return * s;
    float adj_high = g1;
    float adj_low = -g1;
    adj_s += adj_return * (high - low);
    adj_low += adj_return;
    adj_x += adj_high * noise_corner(state, i1);
    adj_x += adj_low * noise_corner(state, i0);
}

template <int = 0>
__device__ inline float noise_between(uint32_t state, float x, float y, int i0, int i1, int j, float s)
{
    float low = dot(noise_corner(state, i0, j), make_float2(x, y));
    float high = dot(noise_corner(state, i1, j), make_float2(x - 1.0f, y));
    return (high - low) * s + low;
}

template <int = 0>
__device__ inline void adj_noise_between(uint32_t state, float x, float y, int i0, int i1, int j, float s,
                                         float adj_return, float &adj_x, float &adj_y, float &adj_s)
{
    float low = dot(noise_corner(state, i0, j), make_float2(x, y));
    float high = dot(noise_corner(state, i1, j), make_float2(x - 1.0f, y));
    float g1 = adj_return * s;
    float adj_high = g1;
    float adj_low = -g1;
    adj_s += adj_return * (high - low);
    adj_low += adj_return;
    float2 g2 = adj_high * noise_corner(state, i1, j);
    adj_x += g2.x;
    adj_y += g2.y;
    float2 g3 = adj_low * noise_corner(state, i0, j);
    adj_x += g3.x;
    adj_y += g3.y;
}

template <int = 0>
__device__ inline float noise_between(uint32_t state, float x, float y, float z, int i0, int i1, int j, int k,
                                      float s)
{
    float low = dot(noise_corner(state, i0, j, k), make_float3(x, y, z));
    float high = dot(noise_corner(state, i1, j, k), make_float3(x - 1.0f, y, z));
    return (high - low) * s + low;
}

template <int = 0>
__device__ inline void adj_noise_between(uint32_t state, float x, float y, float z, int i0, int i1, int j,
                                         int k, float s, float adj_return, float &adj_x, float &adj_y,
                                         float &adj_z, float &adj_s)
{
    float low = dot(noise_corner(state, i0, j, k), make_float3(x, y, z));
    float high = dot(noise_corner(state, i1, j, k), make_float3(x - 1.0f, y, z));
    float g1 = adj_return * s;
    float adj_high = g1;
    float adj_low = -g1;
    adj_s += adj_return * (high - low);
    adj_low += adj_return;
    float3 g2 = adj_high * noise_corner(state, i1, j, k);
    adj_x += g2.x;
    adj_y += g2.y;
    adj_z += g2.z;
    float3 g3 = adj_low * noise_corner(state, i0, j, k);
    adj_x += g3.x;
    adj_y += g3.y;
    adj_z += g3.z;
}

template <int = 0>
__device__ inline float noise_between(uint32_t state, float4 p, int i0, int i1, int j, int k, int l, float s)
{
    float low = dot(noise_corner(state, i0, j, k, l), p);
    float high = dot(noise_corner(state, i1, j, k, l), p - make_float4(1.0f, 0.0f, 0.0f, 0.0f));
    return (high - low) * s + low;
}

template <int = 0>
__device__ inline void adj_noise_between(uint32_t state, float4 p, int i0, int i1, int j, int k, int l,
                                         float s, float adj_return, float4 &adj_p, float &adj_s)
{
    float low = dot(noise_corner(state, i0, j, k, l), p);
    float high = dot(noise_corner(state, i1, j, k, l), p - make_float4(1.0f, 0.0f, 0.0f, 0.0f));
    float g1 = adj_return * s;
    float adj_high = g1;
    float adj_low = -g1;
    adj_s += adj_return * (high - low);
    adj_low += adj_return;
    adj_p += adj_high * noise_corner(state, i1, j, k, l);
    adj_p += adj_low * noise_corner(state, i0, j, k, l);
}

template <int = 0>
__device__ inline float noise_at(uint32_t state, float2 p, int i0, int i1, int j0, int j1)
{
    float sx = noise_blend(p.x);
    float low = noise_between(state, p.x, p.y, i0, i1, j0, sx);
    float high = noise_between(state, p.x, p.y - 1.0f, i0, i1, j1, sx);
    return (high - low) * noise_blend(p.y) + low;
}

template <int = 0>
__device__ inline void adj_noise_at(uint32_t state, float2 p, int i0, int i1, int j0, int j1,
                                    float adj_return, float2 &adj_p)
{
    float sx = noise_blend(p.x);
    float low = noise_between(state, p.x, p.y, i0, i1, j0, sx);
    float high = noise_between(state, p.x, p.y - 1.0f, i0, i1, j1, sx);
    float adj_sx = 0.0f;
    float g1 = adj_return * noise_blend(p.y);
    float adj_high = g1;
    float adj_low = -g1;
    float g2 = 0.0f;
    adj_noise_blend(p.y, adj_return * (high - low), g2);
    adj_p.y += g2;
    adj_low += adj_return;
    float g3 = 0.0f;
    float g4 = 0.0f;
    adj_noise_between(state, p.x, p.y - 1.0f, i0, i1, j1, sx, adj_high, g3, g4, adj_sx);
    adj_p.x += g3;
    adj_p.y += g4;
    float g5 = 0.0f;
    float g6 = 0.0f;
    adj_noise_between(state, p.x, p.y, i0, i1, j0, sx, adj_low, g5, g6, adj_sx);
    adj_p.x += g5;
    adj_p.y += g6;
    float g7 = 0.0f;
    adj_noise_blend(p.x, adj_sx, g7);
    adj_p.x += g7;
}

template <int = 0>
__device__ inline float noise_at(uint32_t state, float3 p, int i0, int i1, int j0, int j1, int k0, int k1)
{
    float sx = noise_blend(p.x);
    float sy = noise_blend(p.y);
    float a = noise_between(state, p.x, p.y, p.z, i0, i1, j0, k0, sx);
    float b = noise_between(state, p.x, p.y - 1.0f, p.z, i0, i1, j1, k0, sx);
    float c = noise_between(state, p.x, p.y, p.z - 1.0f, i0, i1, j0, k1, sx);
    float d = noise_between(state, p.x, p.y - 1.0f, p.z - 1.0f, i0, i1, j1, k1, sx);
    float low = (b - a) * sy + a;
    float high = (d - c) * sy + c;
    return (high - low) * noise_blend(p.z) + low;
}

template <int = 0>
__device__ inline void adj_noise_at(uint32_t state, float3 p, int i0, int i1, int j0, int j1, int k0, int k1,
                                    float adj_return, float3 &adj_p)
{
    float sx = noise_blend(p.x);
    float sy = noise_blend(p.y);
    float a = noise_between(state, p.x, p.y, p.z, i0, i1, j0, k0, sx);
    float b = noise_between(state, p.x, p.y - 1.0f, p.z, i0, i1, j1, k0, sx);
    float c = noise_between(state, p.x, p.y, p.z - 1.0f, i0, i1, j0, k1, sx);
    float d = noise_between(state, p.x, p.y - 1.0f, p.z - 1.0f, i0, i1, j1, k1, sx);
    float low = (b - a) * sy + a;
    float high = (d - c) * sy + c;
    float adj_sx = 0.0f;
    float g1 = adj_return * noise_blend(p.z);
    float adj_high = g1;
    float adj_low = -g1;
    float g2 = 0.0f;
    adj_noise_blend(p.z, adj_return * (high - low), g2);
    adj_p.z += g2;
    adj_low += adj_return;
    float g3 = adj_high * sy;
    float adj_d = g3;
    float adj_c = -g3;
    float adj_sy = adj_high * (d - c);
    adj_c += adj_high;
    float g4 = adj_low * sy;
    float adj_b = g4;
    float adj_a = -g4;
    adj_sy += adj_low * (b - a);
    adj_a += adj_low;
    float g5 = 0.0f;
    float g6 = 0.0f;
    float g7 = 0.0f;
    adj_noise_between(state, p.x, p.y - 1.0f, p.z - 1.0f, i0, i1, j1, k1, sx, adj_d, g5, g6, g7, adj_sx);
    adj_p.x += g5;
    adj_p.y += g6;
    adj_p.z += g7;
    float g8 = 0.0f;
    float g9 = 0.0f;
    float g10 = 0.0f;
    adj_noise_between(state, p.x, p.y, p.z - 1.0f, i0, i1, j0, k1, sx, adj_c, g8, g9, g10, adj_sx);
    adj_p.x += g8;
    adj_p.y += g9;
    adj_p.z += g10;
    float g11 = 0.0f;
    float g12 = 0.0f;
    float g13 = 0.0f;
    adj_noise_between(state, p.x, p.y - 1.0f, p.z, i0, i1, j1, k0, sx, adj_b, g11, g12, g13, adj_sx);
    adj_p.x += g11;
    adj_p.y += g12;
    adj_p.z += g13;
    float g14 = 0.0f;
    float g15 = 0.0f;
    float g16 = 0.0f;
    adj_noise_between(state, p.x, p.y, p.z, i0, i1, j0, k0, sx, adj_a, g14, g15, g16, adj_sx);
    adj_p.x += g14;
    adj_p.y += g15;
    adj_p.z += g16;
    float g17 = 0.0f;
    adj_noise_blend(p.y, adj_sy, g17);
    adj_p.y += g17;
    float g18 = 0.0f;
    adj_noise_blend(p.x, adj_sx, g18);
    adj_p.x += g18;
}

template <int = 0>
__device__ inline float noise_level(uint32_t state, float4 p, int i0, int i1, int j0, int j1, int k0, int k1,
                                    int l)
{
    float sx = noise_blend(p.x);
    float sy = noise_blend(p.y);
    float a = noise_between(state, p, i0, i1, j0, k0, l, sx);
    float b = noise_between(state, p - make_float4(0.0f, 1.0f, 0.0f, 0.0f), i0, i1, j1, k0, l, sx);
    float c = noise_between(state, p - make_float4(0.0f, 0.0f, 1.0f, 0.0f), i0, i1, j0, k1, l, sx);
    float d = noise_between(state, p - make_float4(0.0f, 1.0f, 1.0f, 0.0f), i0, i1, j1, k1, l, sx);
    float low = (b - a) * sy + a;
    float high = (d - c) * sy + c;
    return (high - low) * noise_blend(p.z) + low;
}

template <int = 0>
__device__ inline void adj_noise_level(uint32_t state, float4 p, int i0, int i1, int j0, int j1, int k0,
                                       int k1, int l, float adj_return, float4 &adj_p)
{
    float sx = noise_blend(p.x);
    float sy = noise_blend(p.y);
    float a = noise_between(state, p, i0, i1, j0, k0, l, sx);
    float b = noise_between(state, p - make_float4(0.0f, 1.0f, 0.0f, 0.0f), i0, i1, j1, k0, l, sx);
    float c = noise_between(state, p - make_float4(0.0f, 0.0f, 1.0f, 0.0f), i0, i1, j0, k1, l, sx);
    float d = noise_between(state, p - make_float4(0.0f, 1.0f, 1.0f, 0.0f), i0, i1, j1, k1, l, sx);
    float low = (b - a) * sy + a;
    float high = (d - c) * sy + c;
    float adj_sx = 0.0f;
    float g1 = adj_return * noise_blend(p.z);
    float adj_high = g1;
    float adj_low = -g1;
    float g2 = 0.0f;
    adj_noise_blend(p.z, adj_return * (high - low), g2);
    adj_p.z += g2;
    adj_low += adj_return;
    float g3 = adj_high * sy;
    float adj_d = g3;
    float adj_c = -g3;
    float adj_sy = adj_high * (d - c);
    adj_c += adj_high;
    float g4 = adj_low * sy;
    float adj_b = g4;
    float adj_a = -g4;
    adj_sy += adj_low * (b - a);
    adj_a += adj_low;
    float4 g5 = {};
    adj_noise_between(state, p - make_float4(0.0f, 1.0f, 1.0f, 0.0f), i0, i1, j1, k1, l, sx, adj_d, g5, adj_sx);
    adj_p += g5;
    float4 g6 = {};
    adj_noise_between(state, p - make_float4(0.0f, 0.0f, 1.0f, 0.0f), i0, i1, j0, k1, l, sx, adj_c, g6, adj_sx);
    adj_p += g6;
    float4 g7 = {};
    adj_noise_between(state, p - make_float4(0.0f, 1.0f, 0.0f, 0.0f), i0, i1, j1, k0, l, sx, adj_b, g7, adj_sx);
    adj_p += g7;
    adj_noise_between(state, p, i0, i1, j0, k0, l, sx, adj_a, adj_p, adj_sx);
    float g8 = 0.0f;
    adj_noise_blend(p.y, adj_sy, g8);
    adj_p.y += g8;
    float g9 = 0.0f;
    adj_noise_blend(p.x, adj_sx, g9);
    adj_p.x += g9;
}

template <int = 0>
__device__ inline float noise(uint32_t state, float x)
{
    int i = (int)floorf(x);
    float t = x - floorf(x);
    return noise_between(state, t, i, i + 1, noise_blend(t));
}

template <int = 0>
__device__ inline void adj_noise(uint32_t state, float x, float adj_return, float &adj_x)
{
    int i = (int)floorf(x);
    float t = x - floorf(x);
    float adj_t = 0.0f;
    float g1 = 0.0f;
    adj_noise_between(state, t, i, i + 1, noise_blend(t), adj_return, adj_t, g1);
    adj_noise_blend(t, g1, adj_t);
    adj_x += adj_t;
}

template <int = 0>
__device__ inline float noise(uint32_t state, float2 p)
{
    int i = (int)floorf(p.x);
    int j = (int)floorf(p.y);
    float2 t = make_float2(p.x - floorf(p.x), p.y - floorf(p.y));
    return noise_at(state, t, i, i + 1, j, j + 1);
}

template <int = 0>
__device__ inline void adj_noise(uint32_t state, float2 p, float adj_return, float2 &adj_p)
{
    int i = (int)floorf(p.x);
    int j = (int)floorf(p.y);
    float2 t = make_float2(p.x - floorf(p.x), p.y - floorf(p.y));
    float2 adj_t = {};
    adj_noise_at(state, t, i, i + 1, j, j + 1, adj_return, adj_t);
    adj_p.x += adj_t.x;
    adj_p.y += adj_t.y;
}

template <int = 0>
__device__ inline float noise(uint32_t state, float3 p)
{
    int i = (int)floorf(p.x);
    int j = (int)floorf(p.y);
    int k = (int)floorf(p.z);
    float3 t = make_float3(p.x - floorf(p.x), p.y - floorf(p.y), p.z - floorf(p.z));
    return noise_at(state, t, i, i + 1, j, j + 1, k, k + 1);
}

template <int = 0>
__device__ inline void adj_noise(uint32_t state, float3 p, float adj_return, float3 &adj_p)
{
    int i = (int)floorf(p.x);
    int j = (int)floorf(p.y);
    int k = (int)floorf(p.z);
    float3 t = make_float3(p.x - floorf(p.x), p.y - floorf(p.y), p.z - floorf(p.z));
    float3 adj_t = {};
    adj_noise_at(state, t, i, i + 1, j, j + 1, k, k + 1, adj_return, adj_t);
    adj_p.x += adj_t.x;
    adj_p.y += adj_t.y;
    adj_p.z += adj_t.z;
}

template <int = 0>
__device__ inline float noise(uint32_t state, float4 p)
{
    int i = (int)floorf(p.x);
    int j = (int)floorf(p.y);
    int k = (int)floorf(p.z);
    int l = (int)floorf(p.w);
    float4 t = make_float4(p.x - floorf(p.x), p.y - floorf(p.y), p.z - floorf(p.z), p.w - floorf(p.w));
    float low = noise_level(state, t, i, i + 1, j, j + 1, k, k + 1, l);
    float high = noise_level(state, t - make_float4(0.0f, 0.0f, 0.0f, 1.0f), i, i + 1, j, j + 1, k, k + 1, l + 1);
    return (high - low) * noise_blend(t.w) + low;
}

template <int = 0>
__device__ inline void adj_noise(uint32_t state, float4 p, float adj_return, float4 &adj_p)
{
    int i = (int)floorf(p.x);
    int j = (int)floorf(p.y);
    int k = (int)floorf(p.z);
    int l = (int)floorf(p.w);
    float4 t = make_float4(p.x - floorf(p.x), p.y - floorf(p.y), p.z - floorf(p.z), p.w - floorf(p.w));
    float low = noise_level(state, t, i, i + 1, j, j + 1, k, k + 1, l);
    float high = noise_level(state, t - make_float4(0.0f, 0.0f, 0.0f, 1.0f), i, i + 1, j, j + 1, k, k + 1, l + 1);
    float4 adj_t = {};
    float g1 = adj_return * noise_blend(t.w);
    float adj_high = g1;
    float adj_low = -g1;
    float g2 = 0.0f;
    adj_noise_blend(t.w, adj_return * (high - low), g2);
    adj_t.w += g2;
    adj_low += adj_return;
    float4 g3 = {};
    adj_noise_level(state, t - make_float4(0.0f, 0.0f, 0.0f, 1.0f), i, i + 1, j, j + 1, k, k + 1, l + 1, adj_high, g3);
    adj_t += g3;
    adj_noise_level(state, t, i, i + 1, j, j + 1, k, k + 1, l, adj_low, adj_t);
    adj_p.x += adj_t.x;
    adj_p.y += adj_t.y;
    adj_p.z += adj_t.z;
    adj_p.w += adj_t.w;
}

template <int = 0>
__device__ inline float pnoise(uint32_t state, float x, int px)
{
    int i0 = (int)floorf(x) % px;
    float t = x - floorf(x);
    return noise_between(state, t, i0, (i0 + 1) % px, noise_blend(t));
}

template <int = 0>
__device__ inline void adj_pnoise(uint32_t state, float x, int px, float adj_return, float &adj_x)
{
    int i0 = (int)floorf(x) % px;
    float t = x - floorf(x);
    float adj_t = 0.0f;
    float g1 = 0.0f;
    adj_noise_between(state, t, i0, (i0 + 1) % px, noise_blend(t), adj_return, adj_t, g1);
    adj_noise_blend(t, g1, adj_t);
    adj_x += adj_t;
}

template <int = 0>
__device__ inline float pnoise(uint32_t state, float2 p, int px, int py)
{
    int i0 = (int)floorf(p.x) % px;
    int j0 = (int)floorf(p.y) % py;
    float2 t = make_float2(p.x - floorf(p.x), p.y - floorf(p.y));
    return noise_at(state, t, i0, (i0 + 1) % px, j0, (j0 + 1) % py);
}

template <int = 0>
__device__ inline void adj_pnoise(uint32_t state, float2 p, int px, int py, float adj_return, float2 &adj_p)
{
    int i0 = (int)floorf(p.x) % px;
    int j0 = (int)floorf(p.y) % py;
    float2 t = make_float2(p.x - floorf(p.x), p.y - floorf(p.y));
    float2 adj_t = {};
    adj_noise_at(state, t, i0, (i0 + 1) % px, j0, (j0 + 1) % py, adj_return, adj_t);
    adj_p.x += adj_t.x;
    adj_p.y += adj_t.y;
}

template <int = 0>
__device__ inline float pnoise(uint32_t state, float3 p, int px, int py, int pz)
{
    int i0 = (int)floorf(p.x) % px;
    int j0 = (int)floorf(p.y) % py;
    int k0 = (int)floorf(p.z) % pz;
    float3 t = make_float3(p.x - floorf(p.x), p.y - floorf(p.y), p.z - floorf(p.z));
    return noise_at(state, t, i0, (i0 + 1) % px, j0, (j0 + 1) % py, k0, (k0 + 1) % pz);
}

template <int = 0>
__device__ inline void adj_pnoise(uint32_t state, float3 p, int px, int py, int pz, float adj_return,
                                  float3 &adj_p)
{
    int i0 = (int)floorf(p.x) % px;
    int j0 = (int)floorf(p.y) % py;
    int k0 = (int)floorf(p.z) % pz;
    float3 t = make_float3(p.x - floorf(p.x), p.y - floorf(p.y), p.z - floorf(p.z));
    float3 adj_t = {};
    adj_noise_at(state, t, i0, (i0 + 1) % px, j0, (j0 + 1) % py, k0, (k0 + 1) % pz, adj_return, adj_t);
    adj_p.x += adj_t.x;
    adj_p.y += adj_t.y;
    adj_p.z += adj_t.z;
}

template <int = 0>
__device__ inline float pnoise(uint32_t state, float4 p, int px, int py, int pz, int pw)
{
    int i0 = (int)floorf(p.x) % px;
    int j0 = (int)floorf(p.y) % py;
    int k0 = (int)floorf(p.z) % pz;
    int l0 = (int)floorf(p.w) % pw;
    int i1 = (i0 + 1) % px;
    int j1 = (j0 + 1) % py;
    int k1 = (k0 + 1) % pz;
    float4 t = make_float4(p.x - floorf(p.x), p.y - floorf(p.y), p.z - floorf(p.z), p.w - floorf(p.w));
    float low = noise_level(state, t, i0, i1, j0, j1, k0, k1, l0);
    float high = noise_level(state, t - make_float4(0.0f, 0.0f, 0.0f, 1.0f), i0, i1, j0, j1, k0, k1, (l0 + 1) % pw);
    return (high - low) * noise_blend(t.w) + low;
}

template <int = 0>
__device__ inline void adj_pnoise(uint32_t state, float4 p, int px, int py, int pz, int pw, float adj_return,
                                  float4 &adj_p)
{
    int i0 = (int)floorf(p.x) % px;
    int j0 = (int)floorf(p.y) % py;
    int k0 = (int)floorf(p.z) % pz;
    int l0 = (int)floorf(p.w) % pw;
    int i1 = (i0 + 1) % px;
    int j1 = (j0 + 1) % py;
    int k1 = (k0 + 1) % pz;
    float4 t = make_float4(p.x - floorf(p.x), p.y - floorf(p.y), p.z - floorf(p.z), p.w - floorf(p.w));
    float low = noise_level(state, t, i0, i1, j0, j1, k0, k1, l0);
    float high = noise_level(state, t - make_float4(0.0f, 0.0f, 0.0f, 1.0f), i0, i1, j0, j1, k0, k1, (l0 + 1) % pw);
    float4 adj_t = {};
    float g1 = adj_return * noise_blend(t.w);
    float adj_high = g1;
    float adj_low = -g1;
    float g2 = 0.0f;
    adj_noise_blend(t.w, adj_return * (high - low), g2);
    adj_t.w += g2;
    adj_low += adj_return;
    float4 g3 = {};
    adj_noise_level(state, t - make_float4(0.0f, 0.0f, 0.0f, 1.0f), i0, i1, j0, j1, k0, k1, (l0 + 1) % pw, adj_high, g3);
    adj_t += g3;
    adj_noise_level(state, t, i0, i1, j0, j1, k0, k1, l0, adj_low, adj_t);
    adj_p.x += adj_t.x;
    adj_p.y += adj_t.y;
    adj_p.z += adj_t.z;
    adj_p.w += adj_t.w;
}


#endif
