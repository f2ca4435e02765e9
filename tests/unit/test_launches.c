/* The launches of records, and what their inputs are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/io.h"
#include "pipeline.h"

#include <jansson.h>
#include <math.h>
#include <string.h>
#include <time.h>

static void visit_kernel(const char *text, bool (*visit)(const Compiled *, void *))
{
    Weft *weft = weft_new(NULL);
    PipelineOptions options = pipeline_options();
    bool has_run = false;
    assert_true(pipeline_compile(weft, &(Source){"test.py", text, strlen(text)}, &options,
                                 &(PipelineVisitor){.compiled = visit, .user = &has_run}));
    assert_true(has_run);
    weft_free(weft);
}

/* The sum of the numbers of one row. */
static double sum_of(const json_t *rows, const char *name)
{
    size_t i, k;
    json_t *row, *number;
    double sum = 0;
    json_array_foreach(rows, i, row) if (strcmp(json_string_value(json_object_get(row, "name")), name) == 0)
        json_array_foreach(json_object_get(row, "floats"), k, number) sum += json_number_value(number);
    return sum;
}

/* However the inputs are moved together, the largest of them moves as far: its gradient adds up to that of the maximum. Where two
 * threads name the same element, Warp counts it twice. */
static bool check_maximum(const Compiled *compiled, void *user)
{
    CheckArg args[] = {{.name = "x", .ndim = 1, .shape = {16}, .has_range = true, .low = 1, .high = 2},
                       {.name = "which", .ndim = 1, .shape = {16}, .has_range = true, .low = 0, .high = 15},
                       {.name = "best", .ndim = 1, .shape = {1}, .has_value = true, .value = 0, .is_output = true}};
    CheckLaunch launch = {.dim = {16, 1, 1, 1}, .ndim = 1, .args = args, .arg_count = 3};
    uint32_t written = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        IoOptions options = {.seed = seed, .launches = 3, .backward = true, .wants_slope = true, .choose = true};
        Text text = text_in(compiled->unit->arena);
        if (!check_write_launches(compiled->unit, compiled->module, &launch, &options, &text))
            continue;
        json_t *launches = json_loadb(text.data, text.len, 0, NULL), *one;
        size_t i;
        json_array_foreach(launches, i, one)
        {
            double wanted = sum_of(json_object_get(one, "output_gradients"), "best");
            assert_true(fabs(sum_of(json_object_get(one, "gradients"), "x") - wanted) < 1e-6);
            written++;
        }
        json_decref(launches);
    }
    assert_true(written >= 30);
    *(bool *)user = true;
    return true;
}

static void gradients_of_launches_are_true(void **state)
{
    (void)state;
    visit_kernel("import warp as wp\n@wp.kernel\n"
                 "def k(x: wp.array(dtype=float), which: wp.array(dtype=int), best: wp.array(dtype=float)):\n"
                 "    i = wp.tid()\n    wp.atomic_max(best, 0, x[which[i]])\n",
                 check_maximum);
}

/* Every launch shows one branch more; those come first that show many. */
static bool look_for_rich_launches(const Compiled *compiled, void *user)
{
    enum { SEEDS = 40 };
    CheckArg args[] = {{.name = "x", .ndim = 1, .shape = {256}, .has_range = true, .low = 0, .high = 1},
                       {.name = "s", .has_range = true, .low = 0, .high = 1},
                       {.name = "mode", .has_range = true, .low = 0, .high = 40},
                       {.name = "out", .ndim = 1, .shape = {256}, .has_value = true, .value = 0, .is_output = true}};
    CheckLaunch launch = {.dim = {256, 1, 1, 1}, .ndim = 1, .args = args, .arg_count = 4};
    uint32_t rich = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        IoOptions options = {.seed = seed * 1000, .launches = 3, .choose = true};
        Text text = text_in(compiled->unit->arena);
        assert_true(check_write_launches(compiled->unit, compiled->module, &launch, &options, &text));
        json_t *launches = json_loadb(text.data, text.len, 0, NULL), *one;
        bool is_rich = false;
        size_t i;
        json_array_foreach(launches, i, one)
        {
            double s = sum_of(json_object_get(one, "inputs"), "s");
            is_rich |= s > 0.62 && s < 0.7;
        }
        rich += is_rich;
        json_decref(launches);
    }
    assert_true(rich >= 30);
    *(bool *)user = true;
    return true;
}

static void launches_show_much(void **state)
{
    (void)state;
    visit_kernel("import warp as wp\n@wp.kernel\n"
                 "def k(x: wp.array(dtype=float), s: float, mode: int, out: wp.array(dtype=float)):\n"
                 "    i = wp.tid()\n    v = x[i]\n"
                 "    if mode % 8 == 1:\n        v += 1.0\n    if mode % 8 == 2:\n        v += 2.0\n"
                 "    if mode % 8 == 3:\n        v += 3.0\n    if mode % 8 == 4:\n        v += 4.0\n"
                 "    if mode % 8 == 5:\n        v += 5.0\n    if mode % 8 == 6:\n        v += 6.0\n"
                 "    if s > 0.62 and s < 0.7:\n        if v < 0.2:\n            v *= 2.0\n        if v < 0.6:\n       "
                 "     v *= 3.0\n"
                 "        if v < 0.8:\n            v *= 4.0\n        if v < 1.2:\n            v *= 5.0\n"
                 "    out[i] = v\n",
                 look_for_rich_launches);
}

/* Inputs below zero keep it busy for ever. */
static bool look_for_ends(const Compiled *compiled, void *user)
{
    const double most_seconds = 3; /* of processor time: it takes 0.3, and without a bound on a run twelve */
    CheckArg args[] = {{.name = "x", .ndim = 1, .shape = {256}, .has_range = true, .low = -1, .high = 40},
                       {.name = "out", .ndim = 1, .shape = {256}, .has_value = true, .value = 0, .is_output = true}};
    CheckLaunch launch = {.dim = {256, 1, 1, 1}, .ndim = 1, .args = args, .arg_count = 2};
    clock_t start = clock();
    for (uint64_t seed = 1; seed <= 10; seed++) {
        IoOptions options = {.seed = seed, .launches = 3, .choose = true};
        Text text = text_in(compiled->unit->arena);
        check_write_launches(compiled->unit, compiled->module, &launch, &options, &text);
    }
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < most_seconds);
    *(bool *)user = true;
    return true;
}

static void endless_launches_are_given_up(void **state)
{
    (void)state;
    visit_kernel(
        "import warp as wp\n@wp.kernel\ndef k(x: wp.array(dtype=int), out: wp.array(dtype=int)):\n"
        "    i = wp.tid()\n    left = int(x[i])\n    turns = int(0)\n"
        "    while left != 0:\n        left = left - wp.sign(left) * wp.max(wp.sign(left), 0)\n        turns += 1\n"
        "    out[i] = turns + 1\n",
        look_for_ends);
}

/* The numbers of one row that are this one. */
static uint32_t count_of(const json_t *rows, const char *name, long long wanted)
{
    size_t i, k;
    json_t *row, *number;
    uint32_t count = 0;
    json_array_foreach(rows, i, row) if (strcmp(json_string_value(json_object_get(row, "name")), name) == 0)
        json_array_foreach(json_object_get(row, "ints"), k, number) count += json_integer_value(number) == wanted;
    return count;
}

/* Inputs that lie just on the bound are looked for, and several launches have few threads. */
static bool look_for_bounds(const Compiled *compiled, void *user)
{
    CheckArg args[] = {{.name = "x", .ndim = 1, .shape = {512}, .has_range = true, .low = 0, .high = 2047},
                       {.name = "out", .ndim = 1, .shape = {512}, .has_value = true, .value = 0, .is_output = true}};
    CheckLaunch launch = {.dim = {512, 1, 1, 1}, .ndim = 1, .args = args, .arg_count = 2};
    uint32_t seeds_with_bound = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        IoOptions options = {.seed = seed * 1000, .launches = 3, .choose = true};
        Text text = text_in(compiled->unit->arena);
        assert_true(check_write_launches(compiled->unit, compiled->module, &launch, &options, &text));
        json_t *launches = json_loadb(text.data, text.len, 0, NULL), *one;
        uint32_t bounds = 0, small = 0;
        size_t i;
        json_array_foreach(launches, i, one)
        {
            bounds += count_of(json_object_get(one, "inputs"), "x", 1024);
            small += json_integer_value(json_array_get(json_object_get(one, "dim"), 0)) < 10;
        }
        seeds_with_bound += bounds > 0;
        assert_true(small >= 4);
        json_decref(launches);
    }
    assert_true(seeds_with_bound >= 8);
    *(bool *)user = true;
    return true;
}

static void launches_tell_bounds(void **state)
{
    (void)state;
    visit_kernel("import warp as wp\n@wp.kernel\n"
                 "def k(x: wp.array(dtype=int), out: wp.array(dtype=int)):\n    i = wp.tid()\n"
                 "    if x[i] < 1024:\n        out[i] = 1\n    else:\n        out[i] = 2\n",
                 look_for_bounds);
}

static bool look_for_equal_inputs(const Compiled *compiled, void *user)
{
    enum { COUNT = 1000 };
    CheckArg args[] = {{.name = "x", .ndim = 1, .shape = {COUNT}, .has_range = true, .low = 1, .high = 2},
                       {.name = "y", .ndim = 1, .shape = {COUNT}}};
    CheckLaunch description = {.dim = {COUNT, 1, 1, 1}, .ndim = 1, .args = args, .arg_count = 2};
    const char *why;
    Launch *launch = check_make_launch(compiled->unit, compiled->module, &description, 1, &why);
    assert_non_null(launch);
    for (uint32_t k = 0; k < launch->arg_count; k++) {
        const LaunchValue *value = &launch->args[k];
        for (size_t i = 0; i < value->count; i++)
            for (size_t other = i + 1; other < value->count; other++)
                assert_true(value->cells[i * value->width].real != value->cells[other * value->width].real);
    }
    *(bool *)user = true;
    return true;
}

/* In double precision, so that none are equal by chance. */
static void inputs_of_long_arrays_differ(void **state)
{
    (void)state;
    visit_kernel("import warp as wp\n@wp.struct\nclass P:\n    u: wp.float64\n    v: wp.float64\n\n@wp.kernel\n"
                 "def k(x: wp.array(dtype=wp.float64), y: wp.array(dtype=P)):\n"
                 "    i = wp.tid()\n    x[i] = y[i].u + y[i].v\n",
                 look_for_equal_inputs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_launches_are_true), cmocka_unit_test(launches_show_much),
        cmocka_unit_test(endless_launches_are_given_up),  cmocka_unit_test(launches_tell_bounds),
        cmocka_unit_test(inputs_of_long_arrays_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
