/* What decides whether two evaluators agree, and which threads they run: tables of cases at the edges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/check_impl.h"

#include <string.h>

enum { CELLS = 6 };

/* An array of one kind of cells, or of two that alternate; `values` are real numbers, rounded for integers. */
typedef struct Made {
    Type type;
    LaunchValue value;
    const Type *kinds[2];
    Cell cells[CELLS];
} Made;

static void make(Made *made, TypeKind first, TypeKind second, size_t count, const double *values)
{
    *made = (Made){.type = {.kind = TYPE_ARRAY, .array = {.dtype = type_scalar(first), .ndim = 1}}};
    made->kinds[0] = type_scalar(first);
    made->kinds[1] = type_scalar(second);
    uint32_t width = first == second ? 1 : 2;
    made->value = (LaunchValue){.type = &made->type, .width = width, .cell_types = made->kinds, .ndim = 1};
    made->value.shape[0] = (uint32_t)(made->value.count = count / width);
    made->value.cells = made->cells;
    for (size_t i = 0; i < count; i++)
        if (type_is_float(made->kinds[i % width]))
            made->cells[i].real = values[i];
        else
            made->cells[i].integer = (int64_t)values[i];
}

static Launch launch_of(LaunchValue *args, uint32_t count)
{
    return (Launch){.dim = {1, 1, 1, 1}, .ndim = 1, .args = args, .arg_count = count};
}

/* ---- one cell ---- */

static void test_cell_difference(void **state)
{
    (void)state;
    static const struct {
        double a, b, scale, difference;
    } cases[] = {
        {1, 1, 1, 0},        {2, 1, 2, 0.5},          {1, 2, 2, 1},
        {-2, 2, 2, 2},       {0, 1e-3, 1, 1},         {0, 1e-6, 0, 1},
        {0, 1e-7, 0, 0.1},   {1e-9, 0, 1, 1e-6},      {4, 5, 1e6, 1e-3},
        {-4, -5, 1e6, 1e-3}, {2000, 2001, 1e6, 5e-4}, {100, 101, 1e6, 1e-3},
        {0, -0.0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Made a, b;
        make(&a, TYPE_FLOAT32, TYPE_FLOAT32, 2, (double[]){7, cases[i].a});
        make(&b, TYPE_FLOAT32, TYPE_FLOAT32, 2, (double[]){9, cases[i].b});
        double found = cell_difference(&a.value, &b.value, 1, cases[i].scale);
        if (fabs(found - cases[i].difference) > 1e-12)
            fail_msg("case %zu: %g, expected %g", i, found, cases[i].difference);
    }
    Made a, b;
    make(&a, TYPE_FLOAT32, TYPE_FLOAT32, 3, (double[]){NAN, INFINITY, 1});
    make(&b, TYPE_FLOAT32, TYPE_FLOAT32, 3, (double[]){NAN, INFINITY, NAN});
    assert_true(cell_difference(&a.value, &b.value, 0, 1) == 0);
    assert_true(cell_difference(&a.value, &b.value, 1, 1) == 0);
    assert_true(isnan(cell_difference(&a.value, &b.value, 2, 1)));
}

static void test_integers_differ_or_not(void **state)
{
    (void)state;
    Made a, b;
    make(&a, TYPE_INT32, TYPE_INT32, 3, (double[]){1000000, -1, 0});
    make(&b, TYPE_INT32, TYPE_INT32, 3, (double[]){1000001, -1, 1});
    assert_true(cell_difference(&a.value, &b.value, 0, 1e9) == 1);
    assert_true(cell_difference(&a.value, &b.value, 1, 0) == 0);
    assert_true(cell_difference(&a.value, &b.value, 2, 0) == 1);
    make(&a, TYPE_FLOAT32, TYPE_INT32, 4, (double[]){0.5, 3, 0.5, 4});
    make(&b, TYPE_FLOAT32, TYPE_INT32, 4, (double[]){0.5, 3, 0.25, 5});
    assert_true(cell_difference(&a.value, &b.value, 0, 0) == 0 && cell_difference(&a.value, &b.value, 1, 0) == 0);
    assert_true(cell_difference(&a.value, &b.value, 2, 0) == 0.5 && cell_difference(&a.value, &b.value, 3, 0) == 1);
}

static void test_array_scale(void **state)
{
    (void)state;
    Made a;
    make(&a, TYPE_FLOAT32, TYPE_FLOAT32, 4, (double[]){1, -7, 3, 6.5});
    assert_true(array_scale(&a.value) == 7);
    make(&a, TYPE_FLOAT32, TYPE_INT32, 4, (double[]){1, 100, -2, 100});
    assert_true(array_scale(&a.value) == 2);
    make(&a, TYPE_INT32, TYPE_INT32, 2, (double[]){5, 6});
    assert_true(array_scale(&a.value) == 0);
    a.value.width = 0;
    assert_true(array_scale(&a.value) == 0);
    make(&a, TYPE_FLOAT64, TYPE_FLOAT64, 1, (double[]){-0.125});
    assert_true(array_scale(&a.value) == 0.125 && is_float_array(&a.value));
    a.type.kind = TYPE_FLOAT64;
    assert_false(is_float_array(&a.value));
    make(&a, TYPE_INT64, TYPE_INT64, 1, (double[]){1});
    assert_false(is_float_array(&a.value));
}

/* ---- whole launches ---- */

static double difference(TypeKind first, TypeKind second, size_t count, const double *left, const double *right)
{
    Made a[2], b[2];
    static const double same[CELLS] = {1, 2, 3, 4, 5, 6};
    make(&a[0], TYPE_INT32, TYPE_INT32, 3, same);
    make(&b[0], TYPE_INT32, TYPE_INT32, 3, same);
    make(&a[1], first, second, count, left);
    make(&b[1], first, second, count, right);
    LaunchValue left_args[] = {a[0].value, a[1].value}, right_args[] = {b[0].value, b[1].value};
    Launch left_launch = launch_of(left_args, 2), right_launch = launch_of(right_args, 2);
    return check_difference(&left_launch, &right_launch);
}

static void test_check_difference(void **state)
{
    (void)state;
    TypeKind real = TYPE_FLOAT32, whole = TYPE_INT32;
    assert_true(difference(real, real, 3, (double[]){1, 2, 3}, (double[]){1, 2, 3}) == 0);
    assert_true(difference(real, real, 3, (double[]){1, 2, 4}, (double[]){1, 2, 5}) == 0.25);
    assert_true(difference(real, real, 3, (double[]){4, 2, 4}, (double[]){5, 3, 5}) == 0.5);
    assert_true(difference(real, real, 3, (double[]){0, 1000, 0}, (double[]){0.5, 1000, 0}) == 0.5);
    assert_true(difference(real, real, 1, (double[]){0.0}, (double[]){-0.0}) == 0);
    assert_true(difference(whole, whole, 3, (double[]){1, 2, 3}, (double[]){1, 2, 3}) == 0);
    assert_true(difference(whole, whole, 3, (double[]){1, 2, 3}, (double[]){1, 2, 4}) == 1);
    assert_true(difference(whole, whole, 3, (double[]){9, 2, 3}, (double[]){1, 2, 3}) == 1);
    assert_true(difference(real, whole, 4, (double[]){1, 2, 3, 4}, (double[]){1, 2, 3, 5}) == 1);
    assert_true(isnan(difference(real, real, 2, (double[]){1, 2}, (double[]){NAN, 2})));
    assert_true(isnan(difference(real, real, 2, (double[]){1, 2}, (double[]){1, NAN})));
    assert_true(isnan(difference(real, real, 2, (double[]){1, 2}, (double[]){NAN, 3})));
    assert_true(difference(real, real, 2, (double[]){NAN, 2}, (double[]){NAN, 3}) == 0.5);
    assert_true(difference(real, real, 2, (double[]){INFINITY, 2}, (double[]){INFINITY, 2}) == 0);
    assert_false(difference(real, real, 2, (double[]){1, 2}, (double[]){INFINITY, 2}) <= 1e300);
}

static void test_only_arrays_are_compared(void **state)
{
    (void)state;
    Made a, b;
    make(&a, TYPE_FLOAT32, TYPE_FLOAT32, 1, (double[]){1});
    make(&b, TYPE_FLOAT32, TYPE_FLOAT32, 1, (double[]){2});
    a.type.kind = b.type.kind = TYPE_FLOAT32;
    Launch left = launch_of(&a.value, 1), right = launch_of(&b.value, 1);
    assert_true(check_difference(&left, &right) == 0);
    a.type.kind = b.type.kind = TYPE_ARRAY;
    assert_true(check_difference(&left, &right) == 1);
    a.value.count = b.value.count = 0;
    assert_true(check_difference(&left, &right) == 0);
    a.value.count = b.value.count = 1;
    LaunchValue outer_a = {.type = type_scalar(TYPE_INT32), .fields = &a.value, .field_count = 1};
    LaunchValue outer_b = {.type = type_scalar(TYPE_INT32), .fields = &b.value, .field_count = 1};
    left = launch_of(&outer_a, 1);
    right = launch_of(&outer_b, 1);
    assert_true(check_difference(&left, &right) == 1); /* the field of a struct */
}

static void test_trails(void **state)
{
    (void)state;
    PathSum a = {.elements = 5, .numbers = 2}, b = {.elements = 5, .numbers = 2};
    assert_true(path_difference(&a, &b) == 0);
    b.elements = 6;
    assert_true(path_difference(&a, &b) == 1);
    b = (PathSum){.elements = 5, .numbers = 3};
    assert_true(path_difference(&a, &b) == 0.5);
    a = (PathSum){.elements = 5, .numbers = 0.25};
    b = (PathSum){.elements = 5, .numbers = 0.5};
    assert_true(path_difference(&a, &b) == 0.25);
    a = (PathSum){.elements = 5, .numbers = -4};
    b = (PathSum){.elements = 5, .numbers = -2};
    assert_true(path_difference(&a, &b) == 0.5);
}

/* ---- outputs that say nothing ---- */

static CheckFailure degenerate(TypeKind kind, const double *in, const double *before, const double *after)
{
    Made x, y, z;
    make(&x, kind, kind, 3, in);
    make(&y, kind, kind, 3, before);
    make(&z, kind, kind, 3, after);
    LaunchValue start[] = {x.value, y.value}, end[] = {x.value, z.value};
    start[1].type = end[1].type = start[0].type;
    Launch left = launch_of(start, 2), right = launch_of(end, 2);
    return find_degenerate(&left, &right);
}

static void test_degenerate(void **state)
{
    (void)state;
    const TypeKind kinds[] = {TYPE_FLOAT32, TYPE_INT32};
    for (int i = 0; i < 2; i++) {
        TypeKind kind = kinds[i];
        const double *in = (double[]){1, 2, 3}, *zeros = (double[]){0, 0, 0}, *ones = (double[]){1, 1, 1};
        assert_int_equal(degenerate(kind, in, zeros, zeros), CHECK_NO_OUTPUT);
        assert_int_equal(degenerate(kind, in, ones, zeros), CHECK_ALL_ZERO);
        assert_int_equal(degenerate(kind, in, zeros, in), CHECK_COPY);
        assert_int_equal(degenerate(kind, in, zeros, ones), CHECK_OK);
        assert_int_equal(degenerate(kind, in, zeros, ((double[]){0, 0, 5})), CHECK_OK);
        assert_int_equal(degenerate(kind, in, zeros, ((double[]){1, 2, 4})), CHECK_OK);
        assert_int_equal(degenerate(kind, in, zeros, ((double[]){2, 2, 3})), CHECK_OK);
        assert_int_equal(degenerate(kind, in, ones, ((double[]){1, 0, 1})), CHECK_OK);
    }
    /* Nothing but the sign of a zero: that is no output. */
    assert_int_equal(degenerate(TYPE_FLOAT32, (double[]){1, 2, 3}, (double[]){0, 0, 0}, (double[]){-0.0, 0, 0}),
                     CHECK_NO_OUTPUT);
}

static void test_same_outputs(void **state)
{
    (void)state;
    static const struct {
        double before[2], a[2], b[2];
        bool same;
    } cases[] = {
        {{0, 0}, {1, 2}, {1, 2}, true},  {{0, 0}, {1, 2}, {1, 3}, false},
        {{0, 0}, {1, 2}, {2, 2}, false}, {{1, 2}, {1, 2}, {5, 6}, true}, /* not written: no output */
        {{0, 2}, {1, 2}, {1, 3}, false},
    };
    for (int kind = 0; kind < 2; kind++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            TypeKind type = kind ? TYPE_INT32 : TYPE_FLOAT32;
            Made start, a, b;
            make(&start, type, type, 2, cases[i].before);
            make(&a, type, type, 2, cases[i].a);
            make(&b, type, type, 2, cases[i].b);
            Launch before = launch_of(&start.value, 1), left = launch_of(&a.value, 1), right = launch_of(&b.value, 1);
            assert_int_equal(same_outputs(&before, &left, &right), cases[i].same);
            a.type.kind = TYPE_FLOAT32; /* a plain argument is no output */
            assert_true(same_outputs(&before, &left, &right));
        }
}

/* ---- threads ---- */

static void test_neighbouring_threads(void **state)
{
    (void)state;
    Arena memory, *arena = &memory;
    arena_init(arena);
    Launch launch = {.dim = {100, 1, 1, 1}, .ndim = 1};
    ThreadList list = neighbouring_threads(arena, &launch, 9);
    static const uint32_t expected[] = {49, 50, 51, 0, 1, 2, 97, 98, 99};
    assert_int_equal(list.count, 9);
    assert_memory_equal(list.items, expected, sizeof expected);
    launch.dim[0] = 9;
    list = neighbouring_threads(arena, &launch, 9);
    assert_int_equal(list.count, 9);
    for (uint32_t i = 0; i < 9; i++)
        assert_int_equal(list.items[i], i);
    launch.dim[0] = 10;
    assert_int_equal(neighbouring_threads(arena, &launch, 9).items[0], 4);
    use_threads(&launch, &list);
    assert_ptr_equal(launch.threads, list.items);
    assert_int_equal(launch.thread_count, 9);
    use_threads(&launch, NULL);
    assert_null(launch.threads);
    assert_int_equal(launch.thread_count, 0);
    arena_free(arena);
}

static void test_add_thread(void **state)
{
    (void)state;
    uint32_t items[40];
    ThreadList list = {.items = items};
    for (uint32_t i = 0; i < 30; i++)
        add_thread(&list, 40, i);
    assert_int_equal(list.count, 30);
    add_thread(&list, 40, 0);
    add_thread(&list, 40, 23);
    assert_int_equal(list.count, 30);
    add_thread(&list, 40, 24); /* far from the head nobody looks */
    assert_int_equal(list.count, 31);
    assert_int_equal(items[30], 24);
    add_thread(&list, 31, 99);
    assert_int_equal(list.count, 31);
}

/* Variables of a kernel with these constants; NULL: one that is computed. */
static const IrModule *module_of(Arena *arena, TypeKind kind, const Value *const *constants, uint32_t count)
{
    IrModule *module = ARENA_NEW(arena, IrModule);
    module->kernel = ARENA_NEW(arena, IrFunction);
    module->kernel->vars.items = ARENA_ARRAY(arena, IrVar *, count);
    for (uint32_t i = 0; i < count; i++) {
        IrVar *var = module->kernel->vars.items[i] = ARENA_NEW(arena, IrVar);
        *var = (IrVar){.index = i, .type = type_scalar(kind), .constant = constants[i]};
    }
    module->kernel->vars.count = count;
    return module;
}

static void expect_threads(const ThreadList *list, const uint32_t *threads, uint32_t count)
{
    assert_int_equal(list->count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(list->items[i], threads[i]);
}

static void test_spread_threads(void **state)
{
    (void)state;
    Arena memory, *arena = &memory;
    arena_init(arena);
    const IrModule *nothing = module_of(arena, TYPE_INT32, NULL, 0);
    Launch launch = {.dim = {10, 20, 1, 1}, .ndim = 2};
    /* One in the middle, the ends, then every 123rd, which meets all 200. */
    ThreadList list = spread_threads(arena, &launch, nothing, 6);
    expect_threads(&list, (uint32_t[]){123, 0, 199, 46, 169, 92}, 6);
    list = spread_threads(arena, &launch, nothing, 200);
    bool seen[200] = {0};
    for (uint32_t i = 0; i < list.count; i++)
        seen[list.items[i]] = true;
    for (uint32_t i = 0; i < 200; i++)
        assert_true(seen[i]);
    /* A number of the kernel is a coordinate in each dimension that has it, in the middle of the others. */
    const Value *named[] = {value_int(arena, 7),     NULL,
                            value_float(arena, 3.0), value_int(arena, -1),
                            value_int(arena, 15),    value_int(arena, 20),
                            value_int(arena, 10),    value_int(arena, 7)};
    list = spread_threads(arena, &launch, module_of(arena, TYPE_INT32, named, 8), 9);
    expect_threads(&list, (uint32_t[]){123, 0, 199, 150, 107, 115, 110, 46, 169}, 9);
    list = spread_threads(arena, &launch, module_of(arena, TYPE_FLOAT32, named, 8), 5);
    expect_threads(&list, (uint32_t[]){123, 0, 199, 46, 169}, 5);
    launch = (Launch){.dim = {3, 4, 5, 6}, .ndim = 4};
    list = spread_threads(arena, &launch, module_of(arena, TYPE_INT32, named + 6, 1), 4);
    assert_int_equal(list.items[3], 2 * list.items[0] % 360);
    const Value *two[] = {value_int(arena, 2)};
    list = spread_threads(arena, &launch, module_of(arena, TYPE_INT32, two, 1), 7);
    expect_threads(&list,
                   (uint32_t[]){list.items[0], 0, 359, 2 * 120 + 2 * 30 + 2 * 6 + 3, 120 + 2 * 30 + 2 * 6 + 3,
                                120 + 2 * 30 + 2 * 6 + 2, 2 * list.items[0] % 360},
                   7);
    launch = (Launch){.dim = {0, 1, 1, 1}, .ndim = 1};
    assert_int_equal(spread_threads(arena, &launch, nothing, 4).count, 0);
    launch.dim[0] = 2;
    list = spread_threads(arena, &launch, nothing, 4);
    expect_threads(&list, (uint32_t[]){1, 0}, 2);
    arena_free(arena);
}

/* ---- descriptions of launches ---- */

static void read_good_launch(Arena *arena, const char *good)
{
    CheckLaunch launch;
    assert_null(check_launch_read(arena, good, strlen(good), &launch));
    assert_int_equal(launch.ndim, 2);
    assert_true(launch.dim[0] == 4 && launch.dim[1] == 16777216);
    assert_int_equal(launch.arg_count, 4);
    const CheckArg *a = check_find_arg(&launch, "a"), *x = check_find_arg(&launch, "s.x"),
                   *y = check_find_arg(&launch, "s.y");
    assert_true(a && a->ndim == 4 && a->shape[0] == 2 && a->shape[3] == 5 && a->has_range && !a->has_value &&
                a->sorted);
    assert_true(a->low == -1.5 && a->high == 20);
    assert_true(x && x->has_value && x->value == -7 && !x->has_range && !x->sorted && !x->ndim);
    assert_true(x->is_output && !a->is_output);
    assert_true(y && !y->sorted && !y->has_value);
    assert_non_null(check_find_arg(&launch, "s"));
    assert_null(check_find_arg(&launch, "x"));
    for (size_t len = 0; len < strlen(good); len++)
        assert_non_null(check_launch_read(arena, good, len, &launch)); /* cut off anywhere */
}

/* As the generator writes it, and with members that nobody asks for. */
static void test_launch_read(void **state)
{
    (void)state;
    Arena memory, *arena = &memory;
    CheckLaunch launch;
    arena_init(arena);
    read_good_launch(
        arena,
        "{\"launch_dim\": [4, 16777216], \"other\": {\"x\": [1, \"]\", {}]}, \"arguments\": [{\"name\": \"a\", "
        "\"field\": null, \"shape\": [2, 3, 4, 5], \"low\": -1.5, \"high\": 2e1, \"value\": null, \"sorted\": true, "
        "\"role\": \"input\", \"more\": [[]]}, {\"name\": \"s\"}, {\"name\": \"s\", \"field\": \"x\", "
        "\"value\": -7, \"role\": \"sum\"}, {\"name\": \"s\", \"field\": \"y\", \"sorted\": false}]}");
    read_good_launch(
        arena, "{\"launch_dim\": [4, 16777216], \"arguments\": [{\"name\": \"a\", \"field\": null, \"type\": "
               "\"array(ndim=4, dtype=float32)\", \"shape\": [2, 3, 4, 5], \"low\": -1.5, \"high\": 20.0, \"value\": "
               "null, \"sorted\": true, \"role\": \"input\", \"quantity\": \"mass\"}, {\"name\": \"s\"}, {\"name\": "
               "\"s\", \"field\": \"x\", \"value\": -7.0, \"role\": \"sum\", \"quantity\": null}, {\"name\": \"s\", "
               "\"field\": \"y\", \"sorted\": false}]}");
    assert_null(check_launch_read(arena, " {\n}\t", 5, &launch));
    assert_true(launch.ndim == 0 && launch.arg_count == 0);
    arena_free(arena);
}

static void test_launch_read_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *json, *error;
    } cases[] = {
        {"[]", "a launch must be an object"},
        {"{dim: 1}", "it is not JSON"},
        {"{\"launch_dim\": 1}", "a list is expected"},
        {"{\"launch_dim\": [\"x\"]}", "a number is expected"},
        {"{\"launch_dim\": [1 2]}", "it is not JSON"},
        {"{\"launch_dim\": [1e999]}", "it is not JSON"},
        {"{\"launch_dim\": [1, 2, 3, 4, 5]}", "the list is too long"},
        {"{\"launch_dim\": [1.5]}", "a size must be a whole number"},
        {"{\"launch_dim\": [-1]}", "a size must be a whole number"},
        {"{\"launch_dim\": [16777217]}", "a size must be a whole number"},
        {"{\"launch_dim\": [1], \"launch_dim\": [2]}", "it is not JSON"},
        {"{\"arguments\": 3}", "the arguments must be a list"},
        {"{\"arguments\": [3]}", "an argument must be an object with a name"},
        {"{\"arguments\": [{\"low\": 1, \"high\": 2}]}", "an argument must be an object with a name"},
        {"{\"arguments\": [{\"name\": \"a\", \"low\": 1}]}", "a range has two ends"},
        {"{\"arguments\": [{\"name\": \"a\", \"low\": 1, \"value\": \"x\"}, 3]}",
         "a range has two ends"}, /* the first mistake */
        {"{\"arguments\": [{\"name\": \"a\", \"shape\": [1, \"x\"]}]}", "a number is expected"},
        {"{\"arguments\": [{\"name\": \"a\", \"low\": 1, \"high\": [2]}]}", "a number is expected"},
        {"{\"arguments\": [{\"name\": \"a\", \"shape\": [1, 2, 3, 4, 5]}]}", "the list is too long"},
        {"{\"arguments\": [{\"name\": \"a\", \"shape\": [0.5]}]}", "a size must be a whole number"},
        {"{\"arguments\": [{\"name\": \"a\", \"value\": \"x\"}]}", "a number is expected"},
        {"{\"arguments\": [}", "it is not JSON"},
        {"{\"arguments\": [{\"name\": \"a\", \"value\": 1, \"value\": 1}]}", "it is not JSON"},
        {"{\"arguments\": [{\"name\": \"a\", \"value\": 01}]}", "it is not JSON"},
        {"{\"arguments\": [{\"name\": \"a\", \"value\": 1.}]}", "it is not JSON"},
        {"{\"arguments\": [{\"name\": \"a\", \"value\": 1e}]}", "it is not JSON"},
        {"{\"arguments\": [{\"name\": \"a\", \"value\": -}]}", "it is not JSON"},
        {"{\"arguments\": [{\"name\": \"a\", \"value\": 1e400}]}", "it is not JSON"},
        {"{\"arguments\": [{\"name\": \"a\", \"value\": 10000000000000000000}]}", "it is not JSON"},
        {"{\"arguments\": [{\"name\": \"a\"},]}", "it is not JSON"},
        {"{\"arguments\": []} 1", "it is not JSON"},
        {"{\"arguments\": [{\"name\": \"a\xff\"}]}", "it is not JSON"},
        {"{\"arguments\": [{\"name\": \"a\n\"}]}", "it is not JSON"},
    };
    Arena memory, *arena = &memory;
    CheckLaunch launch;
    arena_init(arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *error = check_launch_read(arena, cases[i].json, strlen(cases[i].json), &launch);
        if (!error || strcmp(error, cases[i].error) != 0)
            fail_msg("%s: %s, expected %s", cases[i].json, error ? error : "accepted", cases[i].error);
    }
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cell_difference),
        cmocka_unit_test(test_integers_differ_or_not),
        cmocka_unit_test(test_array_scale),
        cmocka_unit_test(test_check_difference),
        cmocka_unit_test(test_only_arrays_are_compared),
        cmocka_unit_test(test_trails),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_same_outputs),
        cmocka_unit_test(test_neighbouring_threads),
        cmocka_unit_test(test_add_thread),
        cmocka_unit_test(test_spread_threads),
        cmocka_unit_test(test_launch_read),
        cmocka_unit_test(test_launch_read_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
