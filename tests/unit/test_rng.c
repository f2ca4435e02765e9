/* Random numbers by counter: the same everywhere, evenly spread, independent of the order of use. */
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void same_place_same_numbers(void **state)
{
    (void)state;
    Rng a = rng_at(1, 42, 0), b = rng_at(1, 42, 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(rng_next(&a), rng_next(&b));
}

static void other_places_differ(void **state)
{
    (void)state;
    Rng here = rng_at(1, 42, 0);
    uint64_t first = rng_next(&here);
    const Rng others[] = {rng_at(2, 42, 0), rng_at(1, 43, 0), rng_at(1, 42, 1), rng_at(42, 1, 0)};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        Rng other = others[i];
        assert_int_not_equal(first, rng_next(&other));
    }
}

/* A known value: changing it would change every kernel that was ever made. */
static void the_stream_is_fixed(void **state)
{
    (void)state;
    Rng rng = rng_at(0, 0, 0);
    assert_int_equal(rng_next(&rng), 0xe1272fd7690f8728u);
}

static void bounds_hold_and_are_reached(void **state)
{
    (void)state;
    Rng rng = rng_at(3, 3, 3);
    int seen[7] = {0};
    for (int i = 0; i < 7000; i++) {
        int value = rng_between(&rng, -3, 3);
        assert_in_range(value + 3, 0, 6);
        seen[value + 3]++;
        double unit = rng_unit(&rng);
        assert_true(unit >= 0 && unit < 1);
    }
    for (int i = 0; i < 7; i++)
        assert_in_range(seen[i], 850, 1150);
}

static void weights_are_kept(void **state)
{
    (void)state;
    Rng rng = rng_at(4, 4, 4);
    const unsigned weights[] = {1, 0, 3};
    int seen[3] = {0};
    for (int i = 0; i < 4000; i++)
        seen[rng_weighted(&rng, weights, 3)]++;
    assert_int_equal(seen[1], 0);
    assert_in_range(seen[0], 880, 1120);
}

static void words_come_whole(void **state)
{
    (void)state;
    Rng rng = rng_at(5, 5, 5);
    int first = 0, last = 0;
    for (int i = 0; i < 300; i++) {
        size_t len;
        const char *word = rng_word(&rng, "alpha|be|gamma", &len);
        first += len == 5 && strncmp(word, "alpha", 5) == 0;
        last += len == 5 && strncmp(word, "gamma", 5) == 0;
        assert_true(len == 5 || (len == 2 && strncmp(word, "be", 2) == 0));
    }
    assert_in_range(first, 60, 140);
    assert_in_range(last, 60, 140);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_place_same_numbers), cmocka_unit_test(other_places_differ),
        cmocka_unit_test(the_stream_is_fixed),     cmocka_unit_test(bounds_hold_and_are_reached),
        cmocka_unit_test(weights_are_kept),        cmocka_unit_test(words_come_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
