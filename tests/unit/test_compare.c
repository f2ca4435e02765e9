/* What decides whether a compiled kernel computed what the evaluators say: every tolerance from both sides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/compare.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CELLS = 4, LAUNCHES = 12 };

/* Launches of one array of CELLS cells: `width` to an element. */
typedef struct Bench {
    Type type;
    const Type *kinds[CELLS];
    LaunchValue values[LAUNCHES];
    Launch launches[LAUNCHES];
    Cell cells[LAUNCHES][CELLS];
    double gradients[LAUNCHES][CELLS];
    uint32_t width, used;
    Comparison found;
} Bench;

static void start(Bench *bench, TypeKind kind, uint32_t width)
{
    *bench = (Bench){.type = {.kind = TYPE_ARRAY, .array = {.dtype = type_scalar(kind), .ndim = 1}}, .width = width};
    for (int i = 0; i < CELLS; i++)
        bench->kinds[i] = type_scalar(kind);
}

static const Launch *with(Bench *bench, double first, double second)
{
    uint32_t n = bench->used++;
    assert_true(n < LAUNCHES);
    const double values[CELLS] = {first, second, 0, 0};
    for (int i = 0; i < CELLS; i++) {
        if (type_is_float(bench->kinds[i]))
            bench->cells[n][i].real = values[i];
        else
            bench->cells[n][i].integer = (int64_t)values[i];
        bench->gradients[n][i] = values[i];
    }
    bench->values[n] =
        (LaunchValue){.type = &bench->type, .width = bench->width, .cell_types = bench->kinds, .ndim = 1};
    bench->values[n].count = CELLS / bench->width;
    bench->values[n].cells = bench->cells[n];
    bench->values[n].gradients = bench->gradients[n];
    bench->launches[n] = (Launch){.dim = {1, 1, 1, 1}, .ndim = 1, .args = &bench->values[n], .arg_count = 1};
    return &bench->launches[n];
}

static uint64_t compare(Bench *bench, const Launch *result, const Runs *runs)
{
    static const char *const names[] = {"a"};
    compare_launch(result, runs, false, names, &bench->found);
    return bench->found.wrong;
}

/* One run, which says the same in its own types and in double. */
static uint64_t wrong_of(TypeKind kind, double expected, double largest, double result)
{
    Bench bench;
    start(&bench, kind, 1);
    const Launch *run = with(&bench, expected, largest);
    return compare(&bench, with(&bench, result, largest), &(Runs){.moved = {{run, run}}, .count = 1});
}

/* ---- tolerances ---- */

static void test_units(void **state)
{
    (void)state;
    /* 16 units of the cell and 4 of the largest cell of the array, which is 1 here: 20 units. */
    static const struct {
        TypeKind kind;
        double unit;
    } kinds[] = {{TYPE_FLOAT16, 0x1p-10}, {TYPE_BFLOAT16, 0x1p-7}, {TYPE_FLOAT32, 0x1p-23}, {TYPE_FLOAT64, 0x1p-52}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        assert_int_equal(wrong_of(kinds[i].kind, 1, 1, 1 + 20 * kinds[i].unit), 0);
        assert_int_equal(wrong_of(kinds[i].kind, 1, 1, 1 - 20 * kinds[i].unit), 0);
        assert_int_equal(wrong_of(kinds[i].kind, 1, 1, 1 + 21 * kinds[i].unit), 1);
        assert_int_equal(wrong_of(kinds[i].kind, 1, 1, 1 - 21 * kinds[i].unit), 1);
        assert_int_equal(wrong_of(kinds[i].kind, -1, 1, -1 - 21 * kinds[i].unit), 1);
        assert_int_equal(wrong_of(kinds[i].kind, 1, 8, 1 + 48 * kinds[i].unit), 0); /* 16 and 4 times 8 */
        assert_int_equal(wrong_of(kinds[i].kind, 1, 8, 1 + 49 * kinds[i].unit), 1);
        assert_int_equal(wrong_of(kinds[i].kind, 1, -8, 1 + 48 * kinds[i].unit), 0);
        assert_int_equal(wrong_of(kinds[i].kind, 1, INFINITY, 1 + 21 * kinds[i].unit), 1);
    }
    /* Next to zero: 16 of the smallest numbers. */
    assert_int_equal(wrong_of(TYPE_FLOAT16, 0, 0, 15 * 0x1p-24), 0);
    assert_int_equal(wrong_of(TYPE_FLOAT16, 0, 0, 17 * 0x1p-24), 1);
    assert_int_equal(wrong_of(TYPE_FLOAT32, 0, 0, 15 * (double)FLT_MIN), 0);
    assert_int_equal(wrong_of(TYPE_FLOAT32, 0, 0, 17 * (double)FLT_MIN), 1);
    assert_int_equal(wrong_of(TYPE_FLOAT64, 0, 0, 15 * DBL_MIN), 0);
    assert_int_equal(wrong_of(TYPE_FLOAT64, 0, 0, 17 * DBL_MIN), 1);
    assert_int_equal(wrong_of(TYPE_FLOAT32, 1, 1, NAN), 1);
    assert_int_equal(wrong_of(TYPE_FLOAT32, NAN, 1, NAN), 0);
    assert_int_equal(wrong_of(TYPE_FLOAT32, INFINITY, 1, INFINITY), 0);
}

static void test_spread(void **state)
{
    (void)state;
    Bench bench;
    start(&bench, TYPE_FLOAT64, 1);
    /* The runs differ by 0.001: 32 times as much is allowed. */
    const Launch *exact = with(&bench, 1, 1), *own = with(&bench, 1.001, 1), *moved = with(&bench, 1.002, 1);
    const Launch *near = with(&bench, 1.0319, 1), *far = with(&bench, 1.0321, 1), *farther = with(&bench, 1.065, 1);
    Runs runs = {.moved = {{own, exact}}, .count = 1};
    assert_int_equal(compare(&bench, near, &runs), 0);
    assert_int_equal(bench.found.loose, 1); /* the tolerance is more than a thousandth */
    assert_int_equal(bench.found.cells, CELLS);
    assert_true(bench.found.largest == 0);
    assert_int_equal(compare(&bench, far, &runs), 1);
    runs = (Runs){.moved = {{exact, exact}, {moved, moved}}, .count = 2};
    assert_int_equal(compare(&bench, with(&bench, 1.063, 1), &runs), 0);
    assert_int_equal(compare(&bench, farther, &runs), 1);
    /* Exactly what a run in the kernel's own types says is never wrong. */
    runs = (Runs){.moved = {{with(&bench, 9, 1), exact}}, .count = 1};
    assert_int_equal(compare(&bench, with(&bench, 9, 1), &runs), 0);
}

/* Arrays in a struct are compared as others are, with all runs, and named by their path. */
static void test_structs(void **state)
{
    (void)state;
    enum { USED = 5 };
    Arena arena;
    NameTable names;
    Bench bench;
    arena_init(&arena);
    names_init(&names, &arena);
    start(&bench, TYPE_FLOAT64, 1);
    StructField fields[] = {{name_of(&names, "one", 3), &bench.type}, {name_of(&names, "two", 3), &bench.type}};
    StructDecl decl = {.fields = fields, .field_count = 2};
    Type type = {.kind = TYPE_STRUCT, .decl = &decl};
    static const double numbers[USED][2] = {{1, 1}, {1, 1}, {1.002, 1.002}, {1.063, 1.063}, {1.063, 1.065}};
    LaunchValue inner[USED][2], outer[USED];
    Launch launches[USED];
    for (int i = 0; i < USED; i++) {
        for (int k = 0; k < 2; k++)
            inner[i][k] = with(&bench, numbers[i][k], 1)->args[0];
        outer[i] = (LaunchValue){.type = &type, .fields = inner[i], .field_count = 2};
        launches[i] = (Launch){.dim = {1, 1, 1, 1}, .ndim = 1, .args = &outer[i], .arg_count = 1};
    }
    Runs runs = {.moved = {{&launches[0], &launches[1]}, {&launches[2], &launches[2]}}, .count = 2};
    assert_int_equal(compare(&bench, &launches[3], &runs), 0);
    assert_int_equal(bench.found.cells, 2 * CELLS);
    assert_int_equal(compare(&bench, &launches[4], &runs), 1);
    assert_non_null(strstr(bench.found.where, "a.two"));
    arena_free(&arena);
}

/* Numbers that cancel: a cell that comes out alike in every run is no more exact than the others of its array. */
static void test_usual_spread(void **state)
{
    static const struct {
        double others[3], result;
        bool wrong;
    } cases[] = {
        {{0.001, 0.001, 0.001}, 0.0079, false},
        {{0.001, 0.001, 0.001}, 0.0081, true},
        {{-0.001, 0.001, -0.002}, -0.0079, false},
        {{0.001, 0, 0.002}, 0.0079, false},
        {{0.001, 0, 0.002}, 0.0081, true}, /* a quarter may be further apart, */
        {{0, 0, 5}, 1e-9, true},           /* and alone says nothing of the others */
        {{NAN, 0.001, 0.001}, 0.0079, false},
        {{NAN, 0.001, 0.001}, 0.0081, true},
        {{INFINITY, INFINITY, NAN}, 1e-9, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Bench bench;
        start(&bench, TYPE_FLOAT64, i % 2 ? 1 : 2);
        const Launch *exact = with(&bench, 0, 0), *own = with(&bench, 0, cases[i].others[0]);
        bench.cells[1][2].real = cases[i].others[1];
        bench.cells[1][3].real = cases[i].others[2];
        const Launch *result = with(&bench, cases[i].result, 0);
        assert_int_equal(compare(&bench, result, &(Runs){.moved = {{own, exact}}, .count = 1}), cases[i].wrong);
    }
}

static void test_sums(void **state)
{
    (void)state;
    Bench bench;
    start(&bench, TYPE_FLOAT32, 1);
    const Launch *exact = with(&bench, 1, 1), *sizes = with(&bench, -100, 0), *endless = with(&bench, INFINITY, 0);
    Runs runs = {.moved = {{exact, exact}}, .count = 1, .sizes = sizes};
    const Launch *near = with(&bench, 1 + (20 + 128 * 100) * 0x1p-23, 1),
                 *far = with(&bench, 1 + (21 + 128 * 100) * 0x1p-23, 1);
    assert_int_equal(compare(&bench, near, &runs), 0);
    assert_int_equal(compare(&bench, far, &runs), 1);
    runs.sizes = endless;
    assert_int_equal(compare(&bench, near, &runs), 1);
    runs.sizes = NULL;
    assert_int_equal(compare(&bench, near, &runs), 1);
}

static void test_largest_error(void **state)
{
    (void)state;
    Bench bench;
    start(&bench, TYPE_FLOAT32, 1);
    const Launch *exact = with(&bench, 2, 1);
    Runs runs = {.moved = {{exact, exact}}, .count = 1};
    assert_int_equal(compare(&bench, with(&bench, 2.5, 1), &runs), 1);
    assert_true(bench.found.largest == 0.25);
    assert_string_equal(bench.found.where, "a[0]");
    assert_string_equal(bench.found.what, "2.5, expected 2 within 4.8e-06");
    assert_int_equal(bench.found.loose, 0);
    assert_int_equal(compare(&bench, with(&bench, 2.5, 1.5), &runs), 2);
    assert_true(bench.found.largest == 0.5);
    assert_string_equal(bench.found.where, "a[0]"); /* of the first */
    assert_int_equal(compare(&bench, with(&bench, 2, 1.25), &runs), 1);
    assert_string_equal(bench.found.where, "a[1]");
}

static void test_parts(void **state)
{
    (void)state;
    Bench bench;
    start(&bench, TYPE_FLOAT32, 2);
    const Launch *exact = with(&bench, 2, 1), *result = with(&bench, 2, 1);
    Runs runs = {.moved = {{exact, exact}}, .count = 1};
    assert_int_equal(compare(&bench, result, &runs), 0);
    bench.cells[1][3].real = 7;
    assert_int_equal(compare(&bench, result, &runs), 1);
    assert_string_equal(bench.found.where, "a[1], part 1");
    /* Each part has the tolerance of its own type. */
    Bench mixed;
    start(&mixed, TYPE_FLOAT64, 2);
    mixed.kinds[1] = type_scalar(TYPE_FLOAT16);
    exact = with(&mixed, 1, 1);
    runs.moved[0] = (RunPair){exact, exact};
    assert_int_equal(compare(&mixed, with(&mixed, 1, 1 + 0x1p-8), &runs), 0);
    assert_int_equal(compare(&mixed, with(&mixed, 1 + 0x1p-8, 1), &runs), 1);
}

/* ---- integers ---- */

static void test_integers(void **state)
{
    (void)state;
    Bench bench;
    start(&bench, TYPE_INT32, 1);
    const Launch *five = with(&bench, 5, 0), *seven = with(&bench, 7, 0), *four = with(&bench, 4, 0),
                 *six = with(&bench, 6, 0);
    const Launch *eight = with(&bench, 8, 0);
    Runs runs = {.moved = {{five, five}}, .count = 1};
    assert_int_equal(compare(&bench, five, &runs), 0);
    assert_int_equal(bench.found.loose, 0);
    assert_int_equal(compare(&bench, six, &runs), 1);
    assert_string_equal(bench.found.what, "6, expected 5");
    assert_int_equal(compare(&bench, four, &runs), 1);
    /* Next to a jump, either side will do. */
    runs.moved[0].own = seven;
    assert_int_equal(compare(&bench, six, &runs), 0);
    assert_int_equal(bench.found.loose, 1);
    assert_int_equal(compare(&bench, seven, &runs), 0);
    assert_int_equal(compare(&bench, eight, &runs), 1);
    assert_int_equal(compare(&bench, four, &runs), 1);
    runs = (Runs){.moved = {{five, five}, {five, four}, {seven, five}}, .count = 3};
    assert_int_equal(compare(&bench, four, &runs), 0);
    assert_int_equal(compare(&bench, seven, &runs), 0);
    assert_int_equal(compare(&bench, eight, &runs), 1);
}

/* ---- the order of threads ---- */

static void test_orders(void **state)
{
    (void)state;
    Bench bench;
    start(&bench, TYPE_FLOAT64, 1);
    const Launch *one = with(&bench, 1, 1), *two = with(&bench, 2, 1), *nearly = with(&bench, 1 + 1e-7, 1);
    const Launch *nine = with(&bench, 9, 1);
    Runs runs = {.moved = {{one, one}}, .count = 1, .ordered = {{one, two}}, .orders = 1};
    assert_int_equal(compare(&bench, nine, &runs), 0);
    assert_int_equal(bench.found.unordered, 1);
    runs.ordered[0] = (RunPair){one, nearly}; /* no more than rounding */
    assert_int_equal(compare(&bench, nine, &runs), 1);
    assert_int_equal(bench.found.unordered, 0);
    runs.ordered[0] = (RunPair){with(&bench, 5000, 1), two}; /* far less than in the kernel's own types */
    assert_int_equal(compare(&bench, with(&bench, 200000, 1), &runs), 1);
    assert_int_equal(bench.found.unordered, 0);
    runs.ordered[0] = (RunPair){with(&bench, 900, 1), two};
    assert_int_equal(compare(&bench, with(&bench, 200000, 1), &runs), 0);
    assert_int_equal(bench.found.unordered, 1);
}

static void test_content(void **state)
{
    (void)state;
    Bench bench;
    start(&bench, TYPE_INT32, 1);
    const Launch *ab = with(&bench, 3, 8), *ba = with(&bench, 8, 3), *other = with(&bench, 8, 8),
                 *sum = with(&bench, 4, 7);
    Runs runs = {.moved = {{ab, ab}}, .count = 1, .ordered = {{ba, ba}}, .orders = 1};
    assert_int_equal(compare(&bench, ab, &runs), 0);
    assert_int_equal(compare(&bench, ba, &runs), 0);
    assert_int_equal(bench.found.unordered, 2);
    assert_int_equal(compare(&bench, other, &runs), 1);
    assert_string_equal(bench.found.what, "not one of the expected elements, in any order");
    assert_int_equal(compare(&bench, sum, &runs), 1);
    runs.ordered[0] = (RunPair){other, ba}; /* what it holds depends on the order, too */
    assert_int_equal(compare(&bench, sum, &runs), 0);
    runs.ordered[0] = (RunPair){ba, other};
    assert_int_equal(compare(&bench, sum, &runs), 0);
    /* Elements stay whole. */
    Bench pairs;
    start(&pairs, TYPE_INT32, 2);
    const Launch *first = with(&pairs, 1, 2), *second = with(&pairs, 0, 0), *torn = with(&pairs, 1, 0),
                 *turned = with(&pairs, 2, 1);
    pairs.cells[1][2].integer = 1;
    pairs.cells[1][3].integer = 2;
    pairs.cells[2][3].integer = 2;
    runs = (Runs){.moved = {{first, first}}, .count = 1, .ordered = {{second, second}}, .orders = 1};
    assert_int_equal(compare(&pairs, second, &runs), 0);
    assert_int_equal(compare(&pairs, torn, &runs), 1);
    assert_int_equal(compare(&pairs, turned, &runs), 1);
}

/* ---- gradients, and what holds arrays ---- */

static void test_gradients(void **state)
{
    (void)state;
    static const char *const names[] = {"a"};
    Bench bench;
    start(&bench, TYPE_FLOAT32, 1);
    const Launch *exact = with(&bench, 2, 1), *result = with(&bench, 2, 1);
    Runs runs = {.moved = {{exact, exact}}, .count = 1};
    bench.gradients[1][1] = 5;
    assert_int_equal(compare(&bench, result, &runs), 0); /* values are compared, not gradients */
    compare_launch(result, &runs, true, names, &bench.found);
    assert_int_equal(bench.found.wrong, 1);
    assert_int_equal(bench.found.cells, CELLS);
    assert_string_equal(bench.found.where, "gradient of a[1]");
    bench.values[1].gradients = NULL;
    compare_launch(result, &runs, true, names, &bench.found);
    assert_int_equal(bench.found.cells, 0);
    Bench whole;
    start(&whole, TYPE_INT32, 1);
    const Launch *three = with(&whole, 3, 0), *four = with(&whole, 4, 0);
    runs.moved[0] = (RunPair){three, three};
    compare_launch(four, &runs, true, names, &whole.found);
    assert_int_equal(whole.found.wrong, 0); /* integers have no gradient */
    whole.type.kind = TYPE_INT32;           /* neither has what is no array, nor is it an output */
    compare_launch(four, &runs, false, names, &whole.found);
    assert_int_equal(whole.found.cells, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),        cmocka_unit_test(test_spread),    cmocka_unit_test(test_structs),
        cmocka_unit_test(test_usual_spread), cmocka_unit_test(test_sums),      cmocka_unit_test(test_largest_error),
        cmocka_unit_test(test_parts),        cmocka_unit_test(test_integers),  cmocka_unit_test(test_orders),
        cmocka_unit_test(test_content),      cmocka_unit_test(test_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
