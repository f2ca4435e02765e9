/* The interpreter of readable CUDA, by itself: what it understands, what it refuses, and how it reads launches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/text.h"
#include "cuda/cuda.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VECTORS "__device__ inline float3 turn(float3 a)\n{\n    return {a.y, a.z, a.x};\n}\n"
#define SAVE "template <class T, int N> __device__ inline void save(T (&stack)[N], int turn, T value)\n{\n}\n"
#define EXTREME(name, sign)                                                                                            \
    "__device__ inline float " name                                                                                    \
    "(float *to, float value)\n{\n    int seen = __float_as_int(*to), expected;\n    do {\n"                           \
    "        expected = seen;\n        if (__int_as_float(expected) " sign " value)\n            break;\n"             \
    "        seen = atomicCAS((int *)to, expected, __float_as_int(value));\n    } while (seen != expected);\n"         \
    "    return __int_as_float(seen);\n}\n"
#define EXTREMES EXTREME("atomic_min", "<=") EXTREME("atomic_max", ">=")

/* Runs `__global__ void k(float *y, int threads) { float x = y[0]; BODY }` on one number. */
static const char *run_body(const char *before, const char *body, bool wide, double *y)
{
    static Arena arena;
    const char *why = NULL;
    arena_free(&arena);
    arena_init(&arena);
    char *text = arena_format(
        &arena, "%s\n__global__ void k(float *y, int threads)\n{\n    float x = y[0];\n    %s\n}\n", before, body);
    CudaText *cuda = cuda_read(&arena, text, &why);
    CudaExamples examples;
    static const char row[] = "[{\"dim\": [1], \"inputs\": [{\"name\": \"y\", \"field\": null, \"shape\": [2], "
                              "\"floats\": [3.0, 0.0], \"ints\": null}]}]";
    assert_true(cuda_read_examples(&arena, row, strlen(row), &examples));
    CudaLaunch *launch = cuda ? cuda_launch(cuda, examples.items, wide, &why) : NULL;
    bool done = launch && cuda_run(cuda, cuda_forward(cuda), launch, &why);
    *y = done ? cuda_cell(&launch->arrays[0], 1, false) : (double)NAN;
    return done ? NULL : why;
}

typedef struct LanguageCase {
    const char *before, *body;
    double expected;
} LanguageCase;

static const LanguageCase language[] = {
    {"", "y[1] = x / 2 + 7 / 2 * (float)(1 << 3);", 25.5},
    {"", "y[1] = 0.1f + 0.2f;", (double)(0.1f + 0.2f)},
    {"", "int k = 0; for (int i = 0; i < 9; ++i) { if (i == 2) continue; if (i > 5) break; k += i; } y[1] = k;", 13},
    {"", "int k = 5; do { y[1] += 1.0f; } while (--k > 0);", 5},
    {"", "unsigned int u = 1u; u -= 2u; y[1] = u > 0x7fffffffu ? u % 7u : -1.0f;", 3},
    {"", "int i = -7; y[1] = i / 2 * 100 + i % 4 * 10 + (i >> 1);", -334},
    {"", "y[1] = fmaxf(-x, fminf(x, 2.0f)) + sqrtf(16.0f) + fabsf(-x);", 9},
    {"", "float s[2][3] = {{1, 2, 3}, {4, 5, 6}}; y[1] = s[1][0] * 10 + s[0][2];", 43},
    {"", "float3 v = {x, 2.0f}; float3 w = make_float3(1.0f, v.x, v.y); y[1] = w.y * 100 + w.z * 10 + v.z;", 320},
    {"struct P {\n    float3 p;\n    int n;\n};\n",
     "P a = {{1.0f, 2.0f, 3.0f}, 4}; P b = a; b.p.y = x; y[1] = a.p.y * 10 + b.p.y + b.n;", 27},
    {"struct P {\n    float m[2][2];\n};\n", "P a = {1.0f, 2.0f, 3.0f, 4.0f}; y[1] = a.m[1][0];", 3},
    {"__device__ inline float3 operator+(float3 a, float3 b)\n{\n    return {a.x + b.x, a.y + b.y, a.z + "
     "b.z};\n}\n",
     "float3 v = {x, x, x}; y[1] = (v + v + float3{}).z;", 6},
    {"__device__ inline float f(float a)\n{\n    return a;\n}\n__device__ inline float f(int a)\n{\n    return 10 "
     "* a;\n}\n",
     "y[1] = f(2) + f(2.0f);", 22},
    {"__device__ inline void add(float &to, float a)\n{\n    to += a;\n}\n", "add(x, 2.0f); add(y[1], x); y[1] *= 2;",
     10},
    {"__device__ inline float &part(float3 &a, int i)\n{\n    float *const parts[] = {&a.x, &a.y, &a.z};\n    "
     "return *parts[i];\n}\n",
     "float3 v = {}; part(v, 1) = x; y[1] = v.y;", 3},
    {"constexpr float STEP = 0.5f;\n", "y[1] = STEP * x;", 1.5},
    {"", "y[1] = atomicAdd(&y[0], 2.0f) * 10 + y[0];", 35},
    {"", "bool b = x > 2.0f && !(x > 5.0f || x != x); y[1] = b ? 1.0f : 2.0f;", 1},
    {"", "bool b = x > 2.0f; b = x < 5.0f && b; bool c = false; c = b || c; y[1] = b + 2 * c;", 3},
    /* what is read while it is written */
    {"", "float3 v = {1.0f, 2.0f, 3.0f}; v = float3{v.z, v.x, v.y}; y[1] = v.x * 100 + v.y * 10 + v.z;", 312},
    {VECTORS, "float3 v = {x, 1.0f, 0.0f}; v = turn(turn(v)); v = turn(v) ; y[1] = v.x * 100 + v.y * 10 + v.z;", 310},
    {VECTORS, "float3 v = {x, 1.0f, 0.0f}; v = x > 2.0f ? turn(v) : v; y[1] = v.x * 100 + v.y * 10 + v.z;", 103},
    {"", "int i = 0; int a[3] = {5, 6, 7}; y[1] = a[i++] * 100 + a[i] * 10 + i--; y[1] += i;", 561},
    {"", "x = y[1] = x + 1.0f; y[1] += x;", 8},
    /* parameters are copies where that can be told, and references are not */
    {"__device__ inline float half(float a)\n{\n    a *= 0.5f;\n    return a;\n}\n", "y[1] = half(half(x)) + x;", 3.75},
    {"__device__ inline void both(float &to, float a)\n{\n    to += 1.0f;\n    to += a;\n}\n",
     "both(x, x); float s[2] = {1.0f, 2.0f}; int i = 1; both(s[i], s[1]); y[1] = x * 10 + s[1];", 75},
    {"__device__ inline float through(float *p, float a)\n{\n    *p = 9.0f;\n    return a;\n}\n",
     "y[1] = through(&x, x) * 10 + x;", 39},
    {"__device__ inline int first(const int *a, int n)\n{\n    for (int i = 0; i < n; ++i) {\n        if (a[i] > "
     "2)\n"
     "            return i;\n    }\n    return -1;\n}\n",
     "int a[4] = {1, 2, 3, 4}; y[1] = first(&a[0], 4) * 10 + first(&a[0], 2);", 19},
    /* places that are known only when it runs */
    {"struct M {\n    float m[2][3];\n};\n",
     "M a[2] = {}; for (int k = 0; k < 12; ++k) a[k / 6].m[k / 3 % 2][k % 3] = k; M b = a[1]; "
     "int r = 1; y[1] = b.m[r][2] * 100 + a[r - 1].m[r][r];",
     1104},
    {"", "float s[4]; int k = 3; float *p = &s[k]; *p = x; p[-1] = 2.0f; s[k] += 1.0f; y[1] = s[3] * 10 + s[2] + s[0];",
     42},
    {"", "int k = 7; int *const p[] = {&k}; *p[0] += 1; ++*p[0]; y[1] = k;", 9},
    {SAVE, "float3 s[3]; float3 v = {}; for (int t = 0; t < 3; ++t) { v.y += 1.0f; save(s, t, v); } y[1] = s[1].y;", 2},
    {SAVE, "int v[5] = {1, 3, 3, 7, 9}; y[1] = lower_bound(&v[0], 0, 5, 3.5f) * 10 + lower_bound(&v[0], 0, 5, 3);", 11},
    /* whole numbers */
    {"", "int8_t a = 127; ++a; uint8_t b = 3; b -= 5; int16_t c = (int16_t)70000; y[1] = a + b + c;", 4590},
    {"",
     "int64_t a = 1ll << 40; uint64_t b = 0xffffffffffffffffull; y[1] = a / (1 << 30) + (float)(b >> 60) + (b > "
     "5ull);",
     1040},
    {"", "uint32_t h = 2166136261u; h ^= 97u; h *= 16777619u; y[1] = h >> 16;", 58380},
    {"", "int a = -2147483647 - 1; y[1] = a / -1 == a && a % -1 == 0 && -a == a && ~a == 2147483647;", 1},
    {"", "int m = 3; y[1] = (m << 33) + min(m, -1) + max(2u, 1u);", 7},
    {"", "if (x > 1.0f) { if (x > 5.0f) { y[1] = 1.0f; return; } else y[1] = 2.0f; } else return; y[1] += 10.0f;", 12},
    {"", "int n = 0; while (true) { if (++n > 6) break; if (n % 2) continue; for (;;) { y[1] += n; break; } }", 12},
    {"constexpr float3 UP = {0.0f, 1.0f, 0.0f};\nconstexpr float TWO = 2.0f;\n", "y[1] = UP.y * TWO * x;", 6},
    {EXTREMES,
     "float a = atomic_max(&y[1], x), b = atomic_max(&y[1], 1.0f), c = atomic_min(&y[1], 2.0f); y[1] += a + 10 * b "
     "+ 100 * c;",
     332},
};

static void test_language(void **state)
{
    (void)state;
    double y;
    for (size_t i = 0; i < sizeof language / sizeof *language; i++) {
        const char *why = run_body(language[i].before, language[i].body, false, &y);
        if (why || y != language[i].expected)
            fail_msg("%s: %s, %.9g", language[i].body, why ? why : "done", y);
    }
    assert_null(run_body("", "y[1] = 0.1f + 0.2f;", true, &y)); /* floats are wide */
    assert_true(y == 0.1 + 0.2);
    assert_null(run_body(EXTREMES, "atomic_max(&y[1], 0.1f); atomic_max(&y[1], -3.0f);", true, &y));
    assert_true(y == 0.1);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *body, *why;
    } cases[] = {
        {"y[2] = x;", "outside of all arrays"},
        {"y[-1] = x;", "outside of all arrays"},
        {"float s[2]; s[2] = x;", "outside of its array"},
        {"int k = 0; y[1] = 1 / k;", "divided by zero"},
        {"for (;;) x += 1.0f;", "too many steps"},
        {"__trap();", "stopped the kernel"},
        {"y[1] = (int)(x * 1e30f);", "too large"},
        {"y[1] = nothing;", "'nothing' is not known"},
        {"y[1] = y[0]", "is expected"},
        {"float3 v = x;", "cannot be converted"},
        {"x.z = 1.0f;", "no field"},
        {"goto there;", "is not known"},
        {"y[1] = x % 2.0f;", "whole numbers"},
        {"((((((((x))))))));", NULL},
        {"break;", "outside of a loop"},
        {"float3 v = {}; y[1] = ~v.x;", "whole numbers"},
        {"int a = 1; a <<= x;", "whole numbers"},
        {"int k = 3; float s[3]; y[1] = s[k];", "outside of its array"},
        {"int k = -1; float s[3]; y[1] = s[k];", "outside of its array"},
        {"float *p; y[1] = *p;", "outside of all arrays"},
        {"float *p = y; *(double *)p = 1.0;", "another size"},
        {"k(y, 1);", "is not known"},
    };
    double y;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *why = run_body("", cases[i].body, false, &y);
        if (!why != !cases[i].why || (why && !strstr(why, cases[i].why)))
            fail_msg("%s: %s", cases[i].body, why ? why : "done");
    }
}

static void test_what_cannot_end(void **state)
{
    (void)state;
    double y;
    static const char *const long_ones[] = {"for (int i = 0; i < 30000000; ++i) float r[200000];",
                                            "for (int i = 0;; ++i) for (int k = 0; k < i; ++k) x += 1.0f;",
                                            "do ; while (true);"};
    for (size_t i = 0; i < sizeof long_ones / sizeof *long_ones; i++)
        assert_non_null(strstr(run_body("", long_ones[i], false, &y), "too many steps"));
    const char *why =
        run_body("__device__ inline float f(float a)\n{\n    return f(a);\n}\n", "y[1] = f(x);", false, &y);
    assert_non_null(strstr(why, "f() calls itself"));
    Text doubled = {0}, deep = {0}; /* each function calls the one before twice */
    text_lit(&doubled, "__device__ inline float f0(float a)\n{\n    return a * a;\n}\n");
    for (int i = 1; i < 40; i++)
        text_format(&doubled, "__device__ inline float f%d(float a)\n{\n    return f%d(a) + f%d(a);\n}\n", i, i - 1,
                    i - 1);
    assert_non_null(strstr(run_body(text_cstr(&doubled), "y[1] = f39(x);", false, &y), "too long"));
    text_lit(&deep, "y[1] = x");
    for (int i = 0; i < 100000; i++)
        text_lit(&deep, " + x");
    text_lit(&deep, ";");
    assert_non_null(strstr(run_body("", text_cstr(&deep), false, &y), "too deeply"));
    static const char *const openings[] = {"(", "{", "-", "x = ", "x ? x : ", "if (x) ", "y["};
    for (size_t k = 0; k < sizeof openings / sizeof *openings; k++) {
        deep.len = 0;
        for (int i = 0; i < 100000; i++)
            text_str(&deep, openings[k]);
        assert_non_null(strstr(run_body("", text_cstr(&deep), false, &y), "too deeply"));
    }
    text_free(&doubled);
    text_free(&deep);
}

/* ---- launches ---- */

static void test_numbers_of_launches(void **state)
{
    (void)state;
    static const char *const written[] = {
        "0",      "-0.0", "1e22",          "1e-22", "123456789012345",     "9007199254740993", "1.5e300",
        "4e-310", "0.1",  "3.4028235e+38", "-7",    "18446744073709551615"};
    Arena arena;
    arena_init(&arena);
    Text text = {0};
    char numbers[2000][40];
    Rng rng = rng_at(5, 6, 7);
    for (size_t i = 0; i < 2000; i++)
        if (i < sizeof written / sizeof *written)
            snprintf(numbers[i], sizeof numbers[i], "%s", written[i]);
        else
            snprintf(numbers[i], sizeof numbers[i], "%.*g", (int)(i % 18) + 1,
                     (rng_unit(&rng) - 0.5) * pow(10, (int)(i % 60) - 30));
    text_lit(&text, "[{\"more\": {\"a\": [1, {\"b\": \"c]\"}], \"d\": -1.5e3}, \"none\": null, \"dim\": [2, 3], "
                    "\"inputs\": [{\"name\": \"a\", \"field\": null, \"type\": \"float64\", \"shape\": "
                    "[2000], \"floats\": [");
    for (size_t i = 0; i < 2000; i++)
        text_format(&text, "%s%s", i ? ", " : "", numbers[i]);
    text_lit(&text, "], \"ints\": null, \"tolerance\": 0.25}, {\"name\": \"b\", \"field\": \"\xce\xb1\", \"shape\": "
                    "[], \"floats\": "
                    "null, \"ints\": [-9223372036854775807]}], \"cotangents\": null}]");
    CudaExamples examples;
    assert_true(cuda_read_examples(&arena, text.data, text.len, &examples));
    assert_int_equal(examples.count, 1);
    assert_int_equal(examples.items[0].dim[1], 3);
    assert_false(examples.items[0].cotangents.are_there);
    const CudaRow *rows = examples.items[0].inputs.items;
    assert_true(rows[0].count == 2000 && rows[0].tolerance == 0.25 && !rows[0].wholes && !rows[0].field);
    for (size_t i = 0; i < 2000; i++)
        if (rows[0].reals[i] != strtod(numbers[i], NULL))
            fail_msg("%s: %.17g", numbers[i], rows[0].reals[i]);
    assert_true(rows[1].wholes[0] == -9223372036854775807);
    assert_string_equal(rows[1].field, "\xce\xb1");
    for (size_t length = 0; length < text.len; length += 1 + length / 50) /* cut off anywhere */
        assert_false(cuda_read_examples(&arena, text.data, length, &examples));
    text_free(&text);
    arena_free(&arena);
}

/* As CUDA has them: two and four numbers are aligned as a whole, three are not. */
static void test_sizes_of_parameters(void **state)
{
    (void)state;
    static const char source[] = "struct Cell {\n    float q;\n    float2 v;\n};\n"
                                 "__global__ void k(Cell c, float4 f, float3 g, int threads)\n{\n}\n";
    const size_t sizes[] = {16, 16, 12, 4, 0};
    const char *why = NULL;
    Arena arena;
    arena_init(&arena);
    CudaText *text = cuda_read(&arena, source, &why);
    assert_non_null(text);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(cuda_param_size(cuda_forward(text), i), sizes[i]);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_of_parameters), cmocka_unit_test(test_language),
        cmocka_unit_test(test_what_is_refused),     cmocka_unit_test(test_what_cannot_end),
        cmocka_unit_test(test_numbers_of_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
