/* Smaller launches: what sizes become, whatever they mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/name.h"
#include "check/shrink.h"

enum { ARGUMENTS = 3 };

typedef struct Case {
    Shrinking by;
    uint32_t dim[3], shapes[ARGUMENTS][4];
    double number; /* the value of an integer argument */
    uint32_t dim_after[3], shapes_after[ARGUMENTS][4];
    double number_after;
} Case;

static uint32_t dimensions(const uint32_t *shape, uint32_t most)
{
    uint32_t count = 0;
    while (count < most && shape[count])
        count++;
    return count;
}

static void check_case(const Case *c)
{
    static const char *const names[] = {"a", "b", "c", "n"};
    Arena arena;
    arena_init(&arena);
    NameTable table;
    names_init(&table, &arena);
    Type array = {.kind = TYPE_ARRAY, .array = {.dtype = type_scalar(TYPE_FLOAT32), .ndim = 1}};
    Param params[ARGUMENTS + 1];
    CheckArg args[ARGUMENTS + 1];
    for (uint32_t i = 0; i <= ARGUMENTS; i++) {
        params[i] =
            (Param){.name = name_cstr(&table, names[i]), .type = i < ARGUMENTS ? &array : type_scalar(TYPE_INT32)};
        args[i] = (CheckArg){.name = names[i]};
        args[i].ndim = i < ARGUMENTS ? dimensions(c->shapes[i], 4) : 0;
        for (uint32_t k = 0; k < args[i].ndim; k++)
            args[i].shape[k] = c->shapes[i][k];
    }
    args[ARGUMENTS].has_value = true;
    args[ARGUMENTS].value = c->number;
    Code code = {.params = params, .param_count = ARGUMENTS + 1};
    CheckLaunch description = {.ndim = dimensions(c->dim, 3), .args = args, .arg_count = ARGUMENTS + 1};
    for (uint32_t i = 0; i < description.ndim; i++)
        description.dim[i] = c->dim[i];
    CheckLaunch small = shrink_launch(&arena, &code, &description, c->by);
    for (uint32_t i = 0; i < description.ndim; i++)
        assert_int_equal(small.dim[i], c->dim_after[i]);
    for (uint32_t i = 0; i < ARGUMENTS; i++)
        for (uint32_t k = 0; k < args[i].ndim; k++)
            assert_int_equal(small.args[i].shape[k], c->shapes_after[i][k]);
    assert_true(small.args[ARGUMENTS].value == c->number_after);
    arena_free(&arena);
}

static void test_sizes(void **state)
{
    (void)state;
    static const Shrinking all = {.limit = 3, .keep = 3};
    static const Case cases[] = {
        /* neighbours stay neighbours, others stay larger */
        {all, {64}, {{64}, {65}, {100}}, 64, {3}, {{3}, {4}, {6}}, 3},
        {all, {96}, {{64}, {64}, {64}}, 63, {5}, {{3}, {3}, {3}}, 2},
        /* a flattened grid: its factors are those of another array, or numbers that are given */
        {all, {308}, {{14, 22}, {308}, {308}}, 1, {15}, {{3, 5}, {15}, {15}}, 1},
        {all, {64}, {{64}, {64}, {64}}, 8, {9}, {{9}, {9}, {9}}, 3},
        {all, {1000}, {{10}, {1000}, {1000}}, 1, {27}, {{3}, {27}, {27}}, 1},
        /* sizes that the kernel knows stay, also where they are the last index of another */
        {{.limit = 3, .keep = 7}, {12, 8, 8}, {{12, 8, 8, 7}, {7}, {1}}, 12, {5, 3, 3}, {{5, 3, 3, 7}, {7}, {1}}, 5},
        {{.limit = 3, .keep = 48}, {96}, {{64, 12}, {64, 48}, {768}}, 64, {5}, {{3, 12}, {3, 48}, {36}}, 3},
        /* a constant number per item; the launch's own dimensions alone; a launch that was rounded up */
        {{.limit = 3, .keep = 3, .multiples = true}, {192}, {{576}, {192}, {5}}, 192, {5}, {{15}, {5}, {3}}, 5},
        {{.limit = 3, .keep = 3, .trailing = true},
         {7, 8},
         {{7, 8, 7}, {7, 8}, {8}},
         7,
         {3, 4},
         {{3, 4, 7}, {3, 4}, {4}},
         3},
        {{.limit = 3, .keep = 3, .exact = true}, {1056}, {{1024}, {1024}, {1}}, 1, {3}, {{3}, {3}, {1}}, 1},
        /* nothing grows */
        {{.limit = 64, .keep = 64}, {8}, {{8}, {9}, {80}}, 8, {8}, {{8}, {9}, {64}}, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

/* Each size of an array that the kernel may know is kept once, the smallest first; then come launches that shrink less. */
static void test_ways(void **state)
{
    (void)state;
    CheckArg args[] = {{.name = "a", .ndim = 2, .shape = {64, 12}}, {.name = "b", .ndim = 1, .shape = {1000}}};
    CheckLaunch description = {.ndim = 1, .dim = {64}, .args = args, .arg_count = 2};
    static const uint32_t keeps[] = {3, 5, 12, 12, 64, 64, 3, 12, 64, 16, 64},
                          limits[] = {3, 5, 3, 5, 3, 5, 3, 3, 3, 16, 64};
    Shrinking way;
    for (uint32_t i = 0; i < sizeof keeps / sizeof *keeps; i++) {
        assert_true(way_to_shrink(&description, i, &way));
        assert_int_equal(way.keep, keeps[i]);
        assert_int_equal(way.limit, limits[i]);
        assert_int_equal(way.exact, i >= 6 && i < 9);
    }
    assert_false(way_to_shrink(&description, sizeof keeps / sizeof *keeps, &way));
    assert_int_equal(count_elements(&description), 64 * 12 + 1000);
}

/* "grid.width": a field of a struct. What follows is said only where the name is the one that is asked for: a shorter one ends before. */
static void test_names(void **state)
{
    (void)state;
    Arena arena;
    NameTable table;
    arena_init(&arena);
    names_init(&table, &arena);
    Name grid = name_cstr(&table, "grid");
    static const char *const others[] = {"", "g", "gri", "grids", "grids.width", "width.grid"};
    const char *rest = NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(begins_with(others[i], grid, &rest));
        assert_null(rest);
    }
    assert_true(begins_with("grid", grid, &rest));
    assert_string_equal(rest, "");
    assert_true(begins_with("grid.width.x", grid, &rest));
    assert_string_equal(rest, "width.x");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_ways),
                                       cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
