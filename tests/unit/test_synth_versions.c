/* Kernels are made for a version of Warp: what only newer versions have is used for these, and never for others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "synth/synth.h"

#include <ctype.h>
#include <string.h>

typedef struct Uses {
    uint32_t bit_counts, inline_hints, vector_constants, row_stores;
} Uses;

/* `name[i][0] = value` at the start of a line; no other kernel stores a component of an element. */
static bool is_row_store(const char *line)
{
    line += strspn(line, " ");
    const char *end = line + strcspn(line, "\n"), *row = strstr(line, "][0] = ");
    return row && row < end && !memchr(line, ' ', (size_t)(row - line));
}

static bool is_vector_constant(const char *line)
{
    const char *value = line + strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return (isupper((unsigned char)*line) || *line == '_') &&
           (strncmp(value, " = wp.vec3(", 11) == 0 || strncmp(value, " = wp.constant(wp.vec3(", 23) == 0);
}

static void count_uses(const SynthSample *sample, Uses *uses)
{
    for (const char *line = sample->source; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *end = line + strcspn(line, "\n"), *bits = strstr(line, "wp.bit_count(");
        uses->bit_counts += bits && bits < end;
        uses->inline_hints += strncmp(line, "@wp.func(inline=", 16) == 0;
        uses->vector_constants += is_vector_constant(line);
        uses->row_stores += is_row_store(line);
    }
}

static Uses uses_in(const char *warp)
{
    enum { SAMPLES = 4000 };
    SynthContext *context = synth_new(warp);
    CategoryWeights weights = category_default_weights();
    SynthSample sample;
    Uses uses = {0};
    assert_non_null(context);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        assert_true(synth_sample(context, 3, i, &weights, &sample));
        count_uses(&sample, &uses);
    }
    synth_free(context);
    return uses;
}

static void test_newest_uses_each(void **state)
{
    (void)state;
    Uses uses = uses_in("1.19");
    assert_true(uses.bit_counts > 0);
    assert_true(uses.inline_hints > 0);
    assert_true(uses.vector_constants > 0);
    assert_true(uses.row_stores > 0);
}

static void test_oldest_uses_none(void **state)
{
    (void)state;
    Uses uses = uses_in("1.16");
    assert_int_equal(uses.bit_counts, 0);
    assert_int_equal(uses.inline_hints, 0);
    assert_int_equal(uses.vector_constants, 0);
    assert_int_equal(uses.row_stores, 0);
}

static void test_between_uses_what_it_has(void **state)
{
    (void)state;
    Uses uses = uses_in("1.18.0");
    assert_int_equal(uses.bit_counts, 0);
    assert_true(uses.inline_hints > 0);
    assert_int_equal(uses.vector_constants, 0);
    assert_true(uses.row_stores > 0);
}

static void test_unknown_version(void **state)
{
    (void)state;
    assert_null(synth_new("1.15"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newest_uses_each),
        cmocka_unit_test(test_oldest_uses_none),
        cmocka_unit_test(test_between_uses_what_it_has),
        cmocka_unit_test(test_unknown_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
