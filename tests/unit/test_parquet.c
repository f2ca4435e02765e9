/* Parquet: lines come back byte by byte, in any groups; damaged files are refused, whatever is wrong with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "corpus/parquet.h"

#include <stdio.h>
#include <string.h>

static const Column pair_fields[] = {
    {"name", KIND_TEXT, false, "", NULL},
    {"sizes", KIND_INTS, true, "", NULL},
    {NULL, KIND_TEXT, false, NULL, NULL},
};
static const Column outer_fields[] = {
    {"pairs", KIND_OBJECTS, true, "", pair_fields},
    {"weight", KIND_FLOAT, true, "", NULL},
    {NULL, KIND_TEXT, false, NULL, NULL},
};
static const Column columns[] = {
    {"number", KIND_INT, false, "", NULL},
    {"text", KIND_TEXT, true, "", NULL},
    {"flag", KIND_BOOL, true, "", NULL},
    {"floats", KIND_FLOATS, true, "", NULL},
    {"groups", KIND_OBJECTS, true, "", outer_fields},
    {"one", KIND_OBJECT, false, "", outer_fields},
    {"words", KIND_TEXTS, false, "", NULL},
    {NULL, KIND_TEXT, false, NULL, NULL},
};

static const char *const lines[] = {
    "{\"number\": 0, \"text\": \"a \\\"b\\\"\\n\\t\\\\ \\u0001 \xc3\xa9\", \"flag\": true, \"floats\": [0.5, "
    "-1.25e-07, -0.0], "
    "\"groups\": [{\"pairs\": [{\"name\": \"x\", \"sizes\": [1, 2]}, {\"name\": \"\", \"sizes\": null}], \"weight\": "
    "1.0}], "
    "\"one\": {\"pairs\": [], \"weight\": null}, \"words\": [\"\", \"b\"]}",
    "{\"number\": -9223372036854775808, \"text\": null, \"flag\": false, \"floats\": [], \"groups\": null, "
    "\"one\": {\"pairs\": null, \"weight\": 1e+300}, \"words\": []}",
    "{\"number\": 9223372036854775807, \"text\": \"\", \"flag\": null, \"floats\": null, \"groups\": [], "
    "\"one\": {\"pairs\": [{\"name\": \"y\", \"sizes\": []}], \"weight\": 0.1}, \"words\": [\"a\"]}",
    "{\"number\": 7, \"text\": \"z\", \"flag\": true, \"floats\": [1.0], \"groups\": [{\"pairs\": null, \"weight\": "
    "2.0}, "
    "{\"pairs\": [], \"weight\": null}, {\"pairs\": [{\"name\": \"p\", \"sizes\": [3]}, {\"name\": \"q\", \"sizes\": "
    "[4, 5]}], "
    "\"weight\": 3.0}], \"one\": {\"pairs\": [], \"weight\": null}, \"words\": []}",
};
enum { LINES = sizeof lines / sizeof *lines };

typedef struct Reading {
    const char *bytes;
    size_t len, at;
} Reading;

static size_t take(void *user, char *to, size_t len)
{
    Reading *reading = user;
    size_t left = reading->len - reading->at;
    len = len < left ? len : left;
    memcpy(to, reading->bytes + reading->at, len);
    reading->at += len;
    return len;
}

/* A file of `count` rows, so many per group; without its footer where `whole` is false. */
static Text make_file(int count, int group, bool whole)
{
    ParquetFile file;
    Text out;
    text_init(&out);
    assert_true(parquet_init(&file, columns));
    parquet_begin(&file);
    text_lit(&out, PARQUET_MAGIC);
    for (int i = 0; i < count; i++) {
        assert_true(leaves_add(&file.leaves, lines[i % LINES]));
        if ((i + 1) % group == 0 || i + 1 == count)
            assert_true(parquet_add_group(&file, &out));
    }
    if (whole)
        parquet_end(&file, &out);
    parquet_free(&file);
    assert_false(out.failed);
    return out;
}

/* Reads to the end; how many rows there were. All of them are compared where `same`. */
static int read_rows(const char *bytes, size_t len, bool same, ParquetRead *outcome)
{
    ParquetFile file;
    Reading reading = {bytes, len, 0};
    Text line;
    int rows = 0;
    text_init(&line);
    assert_true(parquet_init(&file, columns));
    while ((*outcome = parquet_read(&file, take, &reading)) == PARQUET_ROWS)
        for (; file.leaves.row < file.leaves.rows; rows++) {
            line.len = 0;
            if (!leaves_take(&file.leaves, &line)) {
                assert_false(same);
                *outcome = PARQUET_DAMAGED;
                goto end;
            }
            if (same)
                assert_string_equal(text_cstr(&line), lines[rows % LINES]);
        }
end:
    text_free(&line);
    parquet_free(&file);
    return rows;
}

static void test_lines_come_back(void **state)
{
    (void)state;
    static const int groups[] = {1, 3, 4, 256};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        ParquetRead outcome;
        Text file = make_file(57, groups[i], true);
        assert_int_equal(read_rows(file.data, file.len, true, &outcome), 57);
        assert_int_equal(outcome, PARQUET_END);
        text_free(&file);
        file = make_file(57, groups[i], false);
        assert_int_equal(read_rows(file.data, file.len, true, &outcome), 57);
        assert_int_equal(outcome, PARQUET_CUT_OFF);
        text_free(&file);
    }
}

/* What was read is continued, and the file is the same. */
static void test_a_file_is_continued(void **state)
{
    (void)state;
    Text whole = make_file(20, 5, true), half = make_file(10, 5, false);
    ParquetFile file;
    Reading reading = {half.data, half.len, 0};
    assert_true(parquet_init(&file, columns));
    while (parquet_read(&file, take, &reading) == PARQUET_ROWS)
        ;
    leaves_clear(&file.leaves);
    for (int i = 10; i < 20; i++) {
        assert_true(leaves_add(&file.leaves, lines[i % LINES]));
        if (i % 5 == 4)
            assert_true(parquet_add_group(&file, &half));
    }
    parquet_end(&file, &half);
    assert_int_equal(half.len, whole.len);
    assert_memory_equal(half.data, whole.data, whole.len);
    parquet_free(&file);
    text_free(&whole);
    text_free(&half);
}

static void test_other_lines_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "{",
        "{}",
        "{\"number\": 1}",
        "{\"number\": \"1\", \"text\": null}",
        "{\"text\": null, \"number\": 1}",
        "{\"number\":1, \"text\": null}",
        "{\"number\": 1, \"text\": \"",
        "{\"number\": 1, \"text\": \"\\",
        "[]",
        "{\"number\": 1, \"text\": \"\\u00",
        "{\"number\": 1, \"text\": \"\\ud800\", \"flag\": true}",
        "null",
        "{\"number\": 1, \"text\": \"a\", \"flag\": yes}",
        "{\"number\": 1, \"text\": \"a\", \"flag\": true, \"floats\": [,]}",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Leaves leaves;
        assert_true(leaves_init(&leaves, columns));
        assert_false(leaves_add(&leaves, wrong[i]));
        leaves_free(&leaves);
    }
    char longer[2000];
    Leaves leaves;
    assert_true(leaves_init(&leaves, columns));
    snprintf(longer, sizeof longer, "%s ", lines[0]);
    assert_false(leaves_add(&leaves, longer));
    leaves_free(&leaves);
}

static void test_cut_files_are_refused(void **state)
{
    (void)state;
    Text file = make_file(12, 5, true);
    for (size_t len = 0; len < file.len; len++) {
        ParquetRead outcome;
        char *exact = malloc(len + 1); /* what is behind it is not read */
        assert_non_null(exact);
        memcpy(exact, file.data, len);
        read_rows(exact, len, true, &outcome);
        assert_int_not_equal(outcome, PARQUET_END);
        free(exact);
    }
    text_free(&file);
}

/* No changed byte changes a row: the pages have checksums, and all else is known beforehand. zstd has bits that mean nothing. */
static void test_changed_files_are_refused(void **state)
{
    (void)state;
    Text file = make_file(12, 5, true);
    Rng rng = rng_at(1, 2, 3);
    unsigned unnoticed = 0;
    for (int round = 0; round < 5000; round++) {
        ParquetRead outcome;
        size_t at = rng_next(&rng) % file.len;
        char before = file.data[at];
        file.data[at] = (char)((uint64_t)(unsigned char)before ^ (1 + rng_next(&rng) % 255));
        read_rows(file.data, file.len, false, &outcome);
        if (outcome == PARQUET_END) {
            assert_int_equal(read_rows(file.data, file.len, true, &outcome), 12);
            unnoticed++;
        }
        file.data[at] = before;
    }
    assert_in_range(unnoticed, 0, 50);
    text_free(&file);
}

/* Levels that no row has, in pages that are otherwise in order. */
static void test_wrong_levels_are_refused(void **state)
{
    (void)state;
    Rng rng = rng_at(4, 5, 6);
    unsigned accepted = 0;
    for (int round = 0; round < 1000; round++) {
        ParquetFile file;
        Text out;
        text_init(&out);
        text_lit(&out, PARQUET_MAGIC);
        assert_true(parquet_init(&file, columns));
        parquet_begin(&file);
        for (int i = 0; i < 8; i++)
            assert_true(leaves_add(&file.leaves, lines[i % LINES]));
        Leaf *leaf = &file.leaves.items[rng_next(&rng) % file.leaves.count];
        Text *levels = rng_next(&rng) % 2 ? &leaf->definitions : &leaf->repetitions;
        levels->data[rng_next(&rng) % levels->len] = (char)(rng_next(&rng) % 12);
        assert_true(parquet_add_group(&file, &out));
        parquet_end(&file, &out);
        ParquetRead outcome;
        accepted += read_rows(out.data, out.len, false, &outcome) == 8 && outcome == PARQUET_END;
        parquet_free(&file);
        text_free(&out);
    }
    assert_in_range(accepted, 1, 500); /* some are other rows, or the same */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_come_back),           cmocka_unit_test(test_a_file_is_continued),
        cmocka_unit_test(test_other_lines_are_refused),   cmocka_unit_test(test_cut_files_are_refused),
        cmocka_unit_test(test_changed_files_are_refused), cmocka_unit_test(test_wrong_levels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
