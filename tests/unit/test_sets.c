/* Data sets within one process: made, made again, looked at record by record, counted, exported; and all of that where memory ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus/arrow.h"
#include "corpus/each_record.h"
#include "corpus/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STORED "tests/pinned/stored/lines" /* seven records */
#define STORED_PARQUET "tests/pinned/stored/parquet"
enum { STORED_ROWS = 7 };
static char work[] = "/tmp/weft-sets-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(work) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[120];
    snprintf(command, sizeof command, "rm -rf %s", work);
    return system(command);
}

static const char *in_work(const char *name)
{
    static char path[120];
    snprintf(path, sizeof path, "%s/%s", work, name);
    return path;
}

static void must_fail_with(CorpusOutcome outcome, const CorpusError *error, const char *words)
{
    assert_int_equal(outcome, CORPUS_FAILED);
    if (!strstr(error->message, words))
        fail_msg("'%s', not '%s'", error->message, words);
}

/* A folder is let go of at the end: the next run in the same process finds what there is. */
static void test_again(void **state)
{
    (void)state;
    CorpusOptions options = corpus_default_options(), others;
    CorpusRun run = {.jobs = 1}, resume = {.jobs = 1, .resume = true};
    options.count = 3;
    options.verify = options.readable = false;
    options.launches = 0;
    char set[120];
    snprintf(set, sizeof set, "%s", in_work("again"));
    for (int i = 0; i < 3; i++) {
        CorpusError error = {""};
        if (i < 2)
            assert_int_equal(corpus_produce(set, &options, i ? &resume : &run, &error),
                             i ? CORPUS_ALREADY_DONE : CORPUS_DONE);
        else
            must_fail_with(corpus_produce(set, &options, &run, &error), &error, "already holds a data set");
    }
    for (int i = 0; i < 4; i++) {
        CorpusError error = {""};
        others = options;
        if (i == 0)
            others.count = 4;
        else if (i == 1)
            others.seed = 9;
        else if (i == 2)
            others.dedup = DEDUP_MASKED;
        else
            others.backward = false;
        must_fail_with(corpus_produce(set, &others, &resume, &error), &error, "different");
    }
    CorpusError error = {""};
    ValidateReport report;
    ValidateOptions look = {.jobs = 1, .sample = 100, .max_messages = 9};
    assert_true(corpus_validate(set, &look, &report, &error));
    assert_int_equal(report.records, 3);
    assert_int_equal(report.problems, 0);
    assert_int_equal(report.verdicts, 0);
    assert_true(report.origin_checked && !report.stopped);
    validate_report_free(&report);
    look.warp = "1.16.0";
    assert_false(corpus_validate(set, &look, &report, &error));
    assert_non_null(strstr(error.message, "1.16.0"));
}

/* ---- record by record ---- */

typedef struct Seen {
    uint64_t records, told, last_of;
    unsigned by_split[SPLIT_COUNT];
    uint64_t enough; /* ends the reading; 0: never */
    atomic_int stop;
    uint64_t stop_at;
} Seen;

static bool see(const char *line, size_t len, Split split, void *user, CorpusError *error)
{
    Seen *seen = user;
    (void)error;
    assert_int_equal(strlen(line), len);
    assert_memory_equal(line, "{\"row\": ", 8);
    seen->by_split[split]++;
    seen->records++;
    seen->stop = seen->stop_at && seen->records >= seen->stop_at;
    return seen->records != seen->enough;
}

static void tell(uint64_t records, uint64_t of, void *user)
{
    Seen *seen = user;
    assert_int_equal(records, seen->records);
    seen->told++;
    seen->last_of = of;
}

static void test_each_record(void **state)
{
    (void)state;
    static const char *const sets[] = {STORED, STORED_PARQUET};
    for (int i = 0; i < 2; i++) {
        CorpusError error = {""};
        Seen seen = {0}, some = {.enough = 3}, stopped = {.stop_at = 2};
        RecordVisitor visitor = {.visit = see, .progress = tell, .user = &seen, .stop = &seen.stop};
        assert_true(corpus_each_record(sets[i], &visitor, &error));
        assert_int_equal(seen.records, STORED_ROWS);
        assert_int_equal(seen.told, STORED_ROWS);
        assert_int_equal(seen.last_of, STORED_ROWS);
        assert_int_equal(seen.by_split[SPLIT_TRAIN], 2);
        assert_int_equal(seen.by_split[SPLIT_VALIDATION], 1);
        assert_int_equal(seen.by_split[SPLIT_TEST], 4);
        visitor.user = &some;
        visitor.stop = NULL;
        assert_false(corpus_each_record(sets[i], &visitor, &error));
        assert_int_equal(some.records, 3);
        assert_string_equal(error.message, "");
        visitor.user = &stopped;
        visitor.stop = &stopped.stop;
        assert_false(corpus_each_record(sets[i], &visitor, &error));
        assert_int_equal(stopped.records, 2);
        visitor.warp = "1.17.0";
        assert_false(corpus_each_record(sets[i], &visitor, &error));
        assert_non_null(strstr(error.message, ", not 1.17.0"));
    }
}

/* ---- counting ---- */

static void write_manifest(const char *dir, const Manifest *manifest)
{
    char path[160];
    Text text;
    text_init(&text);
    manifest_text(manifest, &text);
    mkdir(dir, 0700);
    snprintf(path, sizeof path, "%s/manifest.json", dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text.data, 1, text.len, file), text.len);
    fclose(file);
    text_free(&text);
}

/* Of a run that has just begun. */
static void test_stats_of_nothing(void **state)
{
    (void)state;
    CorpusOptions options = corpus_default_options();
    CorpusError error = {""};
    Manifest manifest;
    Text out;
    options.count = 5;
    manifest_init(&manifest, &options);
    write_manifest(in_work("nothing"), &manifest);
    text_init(&out);
    assert_true(corpus_stats(in_work("nothing"), false, &out, &error));
    const char *text = text_cstr(&out);
    static const char *const lines[] = {
        "0 pairs (not finished), 0.0 MB in 0 files, 0.0 MB as text, 0 bytes of Python per kernel\n",
        "unique: 0.0000 % by structure, 0.0000 % with numbers masked\n",
        "  forward pass                   0   0.0 %  \n",
        "  gradient mismatch              0   0.0 %  \n",
        "  python                        0        0        0        0        0        0\n",
        "builtins and constructors (0;",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i]))
            fail_msg("'%s' is not in\n%s", lines[i], text);
    assert_null(strstr(text, "rejected"));
    assert_null(strstr(text, "not checked"));
    out.len = 0;
    assert_true(corpus_stats(in_work("nothing"), true, &out, &error));
    json_t *json = json_read(out.data, out.len);
    assert_non_null(json);
    assert_false(json_boolean_value(json_object_get(json, "complete")));
    assert_int_equal(json_integer_value(json_object_get(json, "files")), 0);
    assert_true(json_real_value(json_object_get(json, "avg_backward_lines")) == 0);
    json_decref(json);
    text_free(&out);
    manifest_free(&manifest);
}

/* ---- where memory ends ---- */

typedef bool Operation(Text *out, CorpusError *error);

static bool count_lines(Text *out, CorpusError *error)
{
    return corpus_stats(STORED, true, out, error);
}

static bool count_parquet(Text *out, CorpusError *error)
{
    return corpus_stats(STORED_PARQUET, false, out, error);
}

/* The rows of Arrow's arrays, and some of their bytes. */
static bool take_arrow(Text *out, CorpusError *error)
{
    struct ArrowArrayStream stream;
    struct ArrowArray batch = {0};
    RecordStream *records = stream_of_set(STORED, -1, error);
    if (!records)
        return false;
    if (!arrow_stream(records, NULL, &stream)) {
        stream_free(records);
        return corpus_fail(error, "out of memory");
    }
    bool fine = stream.get_next(&stream, &batch) == 0;
    if (fine) {
        text_format(out, "%d rows, %d columns\n", (int)batch.length, (int)batch.n_children);
        const struct ArrowArray *last = batch.children[batch.n_children - 1];
        text_format(out, "%d of %d are null\n", (int)last->null_count, (int)last->length);
        batch.release(&batch);
    } else
        corpus_fail(error, "%s", stream.get_last_error(&stream));
    stream.release(&stream);
    return fine;
}

static bool export_all(Text *out, CorpusError *error)
{
    static int number;
    char dir[140];
    ExportReport report;
    ExportOptions options = {.target = EXPORT_HF, .tasks = {[KIND_WARP_VERDICT] = true}};
    snprintf(dir, sizeof dir, "%s/export-%d", work, number++);
    bool fine = corpus_export(STORED, dir, &options, &report, error) == CORPUS_DONE;
    if (fine)
        text_format(out, "%d records, %d rows\n", (int)report.records, (int)report.rows);
    return fine;
}

static void test_memory(void **state)
{
    (void)state;
    static Operation *const operations[] = {count_lines, count_parquet, take_arrow, export_all};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        CorpusError error = {""};
        Text whole;
        unsigned failures = 0;
        bool done = false;
        text_init(&whole);
        assert_true(operations[i](&whole, &error));
        assert_true(whole.len > 10);
        for (unsigned nth = 1; !done; nth += nth < 40 ? 1 : nth / 8) {
            Text out;
            text_init(&out);
            text_reserve(&out, 1 << 16); /* what is looked at does not fail itself */
            error.message[0] = 0;
            arena_fail_after(nth);
            bool fine = operations[i](&out, &error);
            done = arena_fail_pending();
            arena_fail_after(0);
            failures += !fine;
            if (fine) {
                assert_int_equal(out.len, whole.len);
                assert_memory_equal(out.data, whole.data, whole.len);
            } else if (!error.message[0])
                fail_msg("operation %zu without allocation %u says nothing", i, nth);
            text_free(&out);
        }
        assert_true(failures > 2);
        text_free(&whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_each_record),
        cmocka_unit_test(test_stats_of_nothing),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
