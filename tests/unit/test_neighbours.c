/* Records that look alike: what a source text looks like, and that the search finds just the neighbours that comparing all would. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "corpus/neighbours.h"

#include <string.h>

static bool same_grams(const char *one, const char *two)
{
    GramSet a = {0}, b = {0};
    assert_true(grams_of_source(&a, one, strlen(one)));
    assert_true(grams_of_source(&b, two, strlen(two)));
    bool same = a.count == b.count && memcmp(a.items, b.items, a.count * sizeof *a.items) == 0;
    gram_set_free(&a);
    gram_set_free(&b);
    return same;
}

static void test_grams_see_through_names_numbers_and_comments(void **state)
{
    (void)state;
    const char *text = "    y[i] = wp.max(x[i], 2.5e-3) ** 2 + 0x1f\n";
    assert_true(same_grams(text, "    out[j]=wp.max(v[j],.5)**3.0+7  # 'other'\n"));
    assert_true(same_grams(text, "    \"\"\"It's a text.\"\"\"\n    b[k] = wp.max(a[k], 1.0) ** 1 + 1\n"));
    assert_false(same_grams(text, "    y[i] = wp.min(x[i], 2.5e-3) ** 2 + 0x1f\n"));
    assert_false(same_grams(text, "    y[i] = wp.max(x[i], 2.5e-3) * 2 + 0x1f\n"));
    assert_false(same_grams(text, "    y[i] = wp.max(x[i], 2.5e-3) ** 2 + 0x1f - 1\n"));
    assert_false(same_grams("a = int(b) + c", "a = float(b) + c"));
    assert_true(same_grams("a = 1.5e+3 * b - c", "a = 15E-4 * b - c"));
    assert_true(same_grams("a = 1e-3 * b - c", "a = 2e5 * b - c"));
    assert_false(same_grams("a = 0x1e - 3 * b", "a = 1e-3 * b")); /* of a hexadecimal number, e is a digit */
    assert_true(same_grams("a = 0x1e-3 * b", "a = 7-3 * b"));
    assert_true(same_grams("a", "b")); /* fewer than five tokens */
    assert_false(same_grams("a = b", "a + b"));
    assert_true(same_grams("x = '\\'#' + y * z", "x = + y * z # a text ends with its quote"));
}

static void test_grams_are_many_and_ascend(void **state)
{
    (void)state;
    static const char text[] = "a = b + c\nif a < b:\n    c = wp.sin(a) * b[a, c] - d.x\nelse:\n    return -a\n";
    GramSet set = {0};
    assert_true(grams_of_source(&set, text, strlen(text)));
    assert_int_equal(set.count, 30); /* of 34 tokens */
    for (size_t i = 1; i < set.count; i++)
        assert_true(set.items[i - 1] < set.items[i] && set.items[i] < GRAM_COUNT);
    gram_set_free(&set);
}

enum { RECORDS = 900, MOST = 60 };
typedef struct Known {
    uint32_t items[MOST];
    size_t count;
    Split split;
} Known;

static bool are_near(const Known *a, const Known *b)
{
    size_t common = 0;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++)
            common += a->items[i] == b->items[j];
    return common * 100 >= (a->count + b->count - common) * NEIGHBOUR_PERCENT;
}

/* Most of the grams of one of some families, and a few others. Grams lie at both ends of what there may be, too. */
static void draw(Rng *rng, Known *record)
{
    enum { FAMILIES = 20, FAMILY = 44, STEP = GRAM_COUNT / (FAMILIES * FAMILY) };
    uint32_t family = rng_below(rng, FAMILIES), common = 3 + rng_below(rng, 4);
    record->count = 0;
    for (uint32_t i = 0; i < FAMILIES * FAMILY && record->count < MOST; i++)
        if (i / FAMILY == family ? rng_below(rng, common) != 0 : rng_below(rng, 300) == 0)
            record->items[record->count++] = i % 2 ? (i + 1) * STEP - 1 : i * STEP;
}

static Split expected_split(const Known *all, size_t count, const Known *record, Split wanted)
{
    unsigned seen = 0;
    for (size_t i = 0; i < count; i++)
        seen |= are_near(&all[i], record) ? 1u << all[i].split : 0;
    if (!seen)
        return wanted;
    if (seen & (seen - 1))
        return SPLIT_COUNT;
    return seen == 1 ? SPLIT_TRAIN : seen == 2 ? SPLIT_VALIDATION : SPLIT_TEST;
}

static void test_the_search_finds_every_neighbour(void **state)
{
    (void)state;
    static Known all[RECORDS];
    Rng rng = rng_at(1, 2, 3);
    Neighbours *neighbours = neighbours_new();
    assert_non_null(neighbours);
    unsigned joined = 0, between = 0;
    for (size_t count = 0; count < RECORDS;) {
        Known record;
        draw(&rng, &record);
        if (!record.count)
            continue;
        Split wanted = (Split)rng_below(&rng, SPLIT_COUNT), split;
        GramSet grams = {record.items, record.count, MOST};
        assert_true(neighbours_choose(neighbours, &grams, wanted, &split));
        assert_int_equal(split, expected_split(all, count, &record, wanted));
        joined += split != wanted && split != SPLIT_COUNT;
        between += split == SPLIT_COUNT;
        if (split == SPLIT_COUNT)
            continue;
        record.split = split;
        assert_true(neighbours_add(neighbours, &grams, split));
        all[count++] = record;
    }
    print_message("%u joined others, %u were between two splits\n", joined, between);
    assert_true(joined > 100 && between > 20);
    neighbours_free(neighbours);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grams_see_through_names_numbers_and_comments),
        cmocka_unit_test(test_grams_are_many_and_ascend),
        cmocka_unit_test(test_the_search_finds_every_neighbour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
