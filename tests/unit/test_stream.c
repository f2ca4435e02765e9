/* Streams of records and what Arrow's interface gives of them: the same records as a data set of the same options has, in its order,
 * whatever is asked for in between. Arrow's arrays are put together again here, by the words of their specification. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "corpus/arrow.h"
#include "corpus/candidate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FEW = 6,
    MANY = 1100,
    MOST_LINES = MANY
}; /* MANY: more than wait at a time, and more than two batches of Arrow */
static char work[] = "/tmp/weft-stream-XXXXXX";

typedef struct Lines {
    char *items[MOST_LINES];
    int count;
} Lines;

static Lines few, many; /* of the data sets, by row; */
static Lines stored;    /* the few in the order of their files; */
static Lines invented;  /* and as a stream that has no splits gives them */

/* Few records with everything in them. */
static CorpusOptions few_options(void)
{
    CorpusOptions options = corpus_default_options();
    options.count = FEW;
    options.seed = 12;
    options.launches = 1;
    options.compress = false;
    options.full = true;
    options.gradients = GRADIENTS_MARKED;
    options.splits[SPLIT_TRAIN] = 50;
    options.splits[SPLIT_TEST] = 50;
    options.shard_rows = 4;
    return options;
}

/* Many small ones, with duplicates among the candidates. */
static CorpusOptions many_options(void)
{
    CorpusOptions options = corpus_default_options();
    options.count = MANY;
    options.verify = options.backward = options.readable = false;
    options.launches = 0;
    options.dedup = DEDUP_MASKED;
    assert_null(category_weights_read(&options.weights, "atomic"));
    return options;
}

static char *folder(const char *name)
{
    static char path[4][200];
    static int at;
    char *out = path[at++ % 4];
    snprintf(out, sizeof path[0], "%s/%s", work, name);
    return out;
}

static void keep(Lines *lines, const char *line, size_t len)
{
    assert_true(lines->count < MOST_LINES);
    assert_int_equal(strlen(line), len);
    lines->items[lines->count++] = strdup(line);
}

static void keep_in_train(Lines *out, const Lines *lines)
{
    for (int i = 0; i < lines->count; i++) {
        uint64_t row;
        Text line;
        const char *from = lines->items[i];
        size_t head = read_record_head(from, strlen(from), &row, NULL);
        assert_true(head > 0);
        text_init(&line);
        write_record_head(row, SPLIT_TRAIN, &line);
        text_str(&line, from + head);
        text_char(&line, '\0');
        keep(out, line.data, line.len - 1);
        text_free(&line);
    }
}

static void drop(Lines *lines)
{
    while (lines->count)
        free(lines->items[--lines->count]);
}

static void must_be_same(const Lines *got, const Lines *want, int from)
{
    assert_int_equal(got->count, want->count - from);
    for (int i = 0; i < got->count; i++)
        assert_string_equal(got->items[i], want->items[from + i]);
}

/* What is left of a stream. */
static void take_all(RecordStream *stream, Lines *out)
{
    CorpusError error = {""};
    const char *line;
    size_t len;
    StreamNext next;
    while ((next = stream_next(stream, 30, &line, &len, &error)) == STREAM_RECORD)
        keep(out, line, len);
    assert_int_equal(next, STREAM_END);
    assert_int_equal(stream_next(stream, 30, &line, &len, &error), STREAM_END);
    assert_string_equal(error.message, "");
}

static RecordStream *invent(const CorpusOptions *options, unsigned jobs)
{
    CorpusError error = {""};
    RecordStream *stream = stream_of_invented(options, jobs, &error);
    assert_non_null(stream);
    return stream;
}

static RecordStream *of_set(const char *name, int split)
{
    CorpusError error = {""};
    RecordStream *stream = stream_of_set(folder(name), split, &error);
    assert_non_null(stream);
    return stream;
}

static void make_set(const char *name, const CorpusOptions *options)
{
    CorpusError error = {""};
    CorpusRun run = {.jobs = 1};
    if (corpus_produce(folder(name), options, &run, &error) != CORPUS_DONE)
        fail_msg("%s", error.message);
}

static int compare_rows(const void *a, const void *b)
{
    long row[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(sscanf(*(char *const *)(i ? b : a), "{\"row\": %ld", &row[i]), 1);
    return row[0] < row[1] ? -1 : row[0] > row[1];
}

static int make_sets(void **state)
{
    (void)state;
    if (!mkdtemp(work))
        return -1;
    CorpusOptions options = few_options();
    make_set("few", &options);
    options = many_options();
    make_set("many", &options);
    RecordStream *stream = of_set("few", -1);
    take_all(stream, &few);
    stream_free(stream);
    stored = few;
    qsort(few.items, (size_t)few.count, sizeof *few.items, compare_rows);
    keep_in_train(&invented, &few);
    stream = of_set("many", -1);
    take_all(stream, &many);
    stream_free(stream);
    return few.count == FEW && many.count == MANY ? 0 : -1;
}

static int remove_sets(void **state)
{
    (void)state;
    char command[120];
    drop(&few);
    drop(&invented);
    drop(&many);
    snprintf(command, sizeof command, "rm -rf %s", work);
    return system(command);
}

/* ---- streams ---- */

static void test_invented_are_those_of_the_set(void **state)
{
    (void)state;
    const CorpusOptions options[] = {few_options(), many_options()};
    const Lines *want[] = {&invented, &many};
    for (int i = 0; i < 2; i++) {
        Lines got = {.count = 0};
        RecordStream *stream = invent(&options[i], 3);
        take_all(stream, &got);
        must_be_same(&got, want[i], 0);
        stream_free(stream);
        drop(&got);
    }
}

static void test_sets_by_split(void **state)
{
    (void)state;
    int found = 0;
    for (int split = 0; split < SPLIT_COUNT; split++) {
        static const char *const names[] = {"train-0000", "validation-0000", "test-0000"};
        Lines got = {.count = 0}, want = {.count = 0};
        RecordStream *stream = of_set("few", split);
        take_all(stream, &got);
        stream_free(stream);
        for (int number = 0; number < 3; number++)
            for (int of = 1; of < 4; of++) { /* read without weft */
                char name[60], *line = NULL;
                size_t size = 0;
                snprintf(name, sizeof name, "few/%s%d-of-0000%d.jsonl", names[split], number, of);
                FILE *file = fopen(folder(name), "r");
                while (file && getline(&line, &size, file) > 0) {
                    line[strcspn(line, "\n")] = 0;
                    keep(&want, line, strlen(line));
                }
                free(line);
                if (file)
                    fclose(file);
            }
        must_be_same(&got, &want, 0);
        assert_true(split == SPLIT_VALIDATION ? !got.count : got.count > 0);
        found += got.count;
        drop(&got);
        drop(&want);
    }
    assert_int_equal(found, FEW);
}

/* Without an end, and ended by whoever takes: also while others are being made, or wait. */
static void test_without_an_end(void **state)
{
    (void)state;
    CorpusOptions options = many_options();
    options.count = 0;
    static const int numbers[] = {0, 5, MANY};
    for (int k = 0; k < 3; k++) {
        CorpusError error = {""};
        const char *line;
        size_t len;
        RecordStream *stream = invent(&options, 2);
        for (int i = 0; i < numbers[k]; i++) {
            assert_int_equal(stream_next(stream, 30, &line, &len, &error), STREAM_RECORD);
            assert_string_equal(line, many.items[i]);
            assert_int_equal(len, strlen(line));
        }
        stream_free(stream);
    }
}

static void test_no_time(void **state)
{
    (void)state;
    CorpusError error = {""};
    CorpusOptions options = few_options();
    const char *line;
    size_t len;
    RecordStream *stream = invent(&options, 1);
    assert_int_equal(stream_next(stream, 0, &line, &len, &error), STREAM_LATER);
    assert_int_equal(stream_next(stream, 0.001, &line, &len, &error), STREAM_LATER);
    assert_int_equal(stream_next(stream, 30.75, &line, &len, &error), STREAM_RECORD);
    assert_string_equal(line, invented.items[0]);
    stream_free(stream);
    stream_free(NULL);
}

/* A piece is every n-th block of candidates; what is twice in it is left out, and rows count within it. */
static void test_pieces(void **state)
{
    (void)state;
    CorpusOptions options = many_options();
    options.count = 150;
    options.piece_count = 3;
    long last = -1;
    for (uint32_t piece = 0; piece < 3; piece++) {
        options.piece = piece;
        Lines got = {.count = 0};
        RecordStream *stream = invent(&options, 1);
        take_all(stream, &got);
        stream_free(stream);
        assert_int_equal(got.count, 150);
        for (int i = 0; i < got.count; i++) {
            json_t *record = json_read(got.items[i], strlen(got.items[i]));
            long index = (long)json_integer_value(json_object_get(record, "index"));
            assert_int_equal(json_integer_value(json_object_get(record, "row")), i);
            assert_int_equal(index / 128 % 3, piece);
            assert_true(!i || index > last);
            last = index;
            json_decref(record);
        }
        drop(&got);
    }
}

static void test_places(void **state)
{
    (void)state;
    CorpusOptions options = many_options();
    options.count = 60;
    Lines sixty = many;
    sixty.count = 60;
    for (int taken = 0; taken <= 60; taken += 30) {
        CorpusError error = {""};
        const char *line;
        size_t len;
        Lines got = {.count = 0}, again = {.count = 0};
        Text place, other;
        text_init(&place);
        text_init(&other);
        RecordStream *stream = invent(&options, 1), *second = invent(&options, 2);
        for (int i = 0; i < taken; i++)
            assert_int_equal(stream_next(stream, 30, &line, &len, &error), STREAM_RECORD);
        assert_true(stream_place(stream, &place, &error));
        assert_int_equal(place.len, 32 + 8 * taken);
        take_all(stream, &got);
        must_be_same(&got, &sixty, taken);
        assert_true(stream_go_to(second, place.data, place.len, &error));
        assert_true(stream_place(second, &other, &error)); /* where it was brought to, it is */
        assert_int_equal(other.len, place.len);
        assert_memory_equal(other.data, place.data, place.len);
        take_all(second, &again);
        must_be_same(&again, &sixty, taken);
        other.len = 0; /* and from there it goes on counting */
        assert_true(stream_place(second, &other, &error));
        assert_int_equal(other.len, 32 + 8 * 60);
        stream_free(stream);
        stream_free(second);
        drop(&got);
        drop(&again);
        text_free(&place);
        text_free(&other);
    }
}

static void refuses(RecordStream *stream, const char *place, size_t len, const char *why)
{
    CorpusError error = {""};
    assert_false(stream_go_to(stream, place, len, &error));
    if (!strstr(error.message, why))
        fail_msg("'%s', not '%s'", error.message, why);
}

static void test_wrong_places(void **state)
{
    (void)state;
    CorpusError error = {""};
    CorpusOptions options = many_options(), others = many_options();
    others.seed++;
    const char *line;
    size_t len;
    Text place;
    text_init(&place);
    RecordStream *stream = invent(&options, 1), *fresh = invent(&options, 1), *other = invent(&others, 1),
                 *set = of_set("few", -1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(stream_next(stream, 30, &line, &len, &error), STREAM_RECORD);
    assert_true(stream_place(stream, &place, &error));
    refuses(fresh, place.data, 0, "this is not a place in a stream");
    for (size_t cut = 1; cut <= 33; cut++)
        refuses(fresh, place.data, place.len - cut, "this is not a place in a stream");
    place.data[2] ^= 1;
    refuses(fresh, place.data, place.len, "this is not a place in a stream");
    place.data[2] ^= 1;
    refuses(other, place.data, place.len, "with other options, or of another version");
    refuses(stream, place.data, place.len, "that has not been read yet");
    refuses(set, place.data, place.len, "only a stream of invented kernels");
    assert_false(stream_place(set, &place, &error));
    assert_string_equal(error.message, "only a stream of invented kernels has a place");
    assert_true(stream_go_to(fresh, place.data, place.len, &error));
    refuses(fresh, place.data, place.len, "that has not been read yet");
    stream_free(stream);
    stream_free(fresh);
    stream_free(other);
    stream_free(set);
    text_free(&place);
}

static void test_no_set(void **state)
{
    (void)state;
    CorpusError error = {""};
    assert_null(stream_of_set(folder("nothing"), -1, &error));
    assert_true(strstr(error.message, "nothing"));
}

/* ---- Arrow ---- */

static void check_schema(const struct ArrowSchema *schema, const Column *columns)
{
    static const char *const formats[] = {
        [KIND_TEXT] = "u", [KIND_INT] = "l",    [KIND_FLOAT] = "g",   [KIND_BOOL] = "b",    [KIND_TEXTS] = "u",
        [KIND_INTS] = "l", [KIND_FLOATS] = "g", [KIND_OBJECT] = "+s", [KIND_OBJECTS] = "+s"};
    int64_t count = 0;
    for (; columns[count].name; count++) {
        const Column *column = &columns[count];
        assert_true(count < schema->n_children);
        const struct ArrowSchema *child = schema->children[count];
        assert_string_equal(child->name, column->name);
        assert_int_equal(child->flags, column->nullable ? ARROW_NULLABLE : 0);
        assert_true(!child->metadata && !child->dictionary && child->release);
        if (column->kind == KIND_TEXTS || column->kind == KIND_INTS || column->kind == KIND_FLOATS ||
            column->kind == KIND_OBJECTS) {
            assert_string_equal(child->format, "+l");
            assert_int_equal(child->n_children, 1);
            child = child->children[0];
            assert_string_equal(child->name, "item");
            assert_int_equal(child->flags, 0);
        }
        assert_string_equal(child->format, formats[column->kind]);
        if (column->fields)
            check_schema(child, column->fields);
        else
            assert_int_equal(child->n_children, 0);
    }
    assert_int_equal(schema->n_children, count);
}

static bool bit(const void *bits, int64_t at)
{
    return ((const uint8_t *)bits)[at / 8] >> at % 8 & 1;
}

/* One value of an array, as JSON. */
static json_t *value_of(const struct ArrowArray *array, const struct ArrowSchema *schema, int64_t at)
{
    const char *format = schema->format;
    assert_true(at < array->length && array->offset == 0 && !array->dictionary);
    if (array->buffers[0] && !bit(array->buffers[0], at))
        return json_null();
    if (strcmp(format, "u") == 0) {
        const int32_t *ends = array->buffers[1];
        assert_true(array->n_buffers == 3 && (at || !ends[0]) && ends[at] <= ends[at + 1]);
        return json_stringn((const char *)array->buffers[2] + ends[at], (size_t)(ends[at + 1] - ends[at]));
    }
    if (strcmp(format, "l") == 0)
        return json_integer(((const int64_t *)array->buffers[1])[at]);
    if (strcmp(format, "g") == 0)
        return json_real(((const double *)array->buffers[1])[at]);
    if (strcmp(format, "b") == 0)
        return json_boolean(bit(array->buffers[1], at));
    if (strcmp(format, "+l") == 0) {
        const int32_t *ends = array->buffers[1];
        json_t *list = json_array();
        assert_true(array->n_buffers == 2 && array->n_children == 1 && (at || !ends[0]) && ends[at] <= ends[at + 1]);
        assert_int_equal(ends[array->length], array->children[0]->length);
        for (int32_t i = ends[at]; i < ends[at + 1]; i++)
            json_array_append_new(list, value_of(array->children[0], schema->children[0], i));
        return list;
    }
    json_t *object = json_object();
    assert_string_equal(format, "+s");
    assert_int_equal(array->n_buffers, 1);
    assert_int_equal(array->n_children, schema->n_children);
    for (int64_t i = 0; i < array->n_children; i++) {
        assert_int_equal(array->children[i]->length, array->length);
        json_object_set_new(object, schema->children[i]->name, value_of(array->children[i], schema->children[i], at));
    }
    return object;
}

/* How many are null is said, too; without any there are no bits. */
static void check_nulls(const struct ArrowArray *array)
{
    int64_t nulls = 0;
    for (int64_t i = 0; array->buffers[0] && i < array->length; i++)
        nulls += !bit(array->buffers[0], i);
    assert_int_equal(array->null_count, nulls);
    assert_int_equal(!array->buffers[0], !nulls);
    for (int64_t i = 1; i < array->n_buffers; i++)
        assert_non_null(array->buffers[i]);
    for (int64_t i = 0; i < array->n_children; i++)
        check_nulls(array->children[i]);
}

static int64_t check_batch(const struct ArrowArray *batch, const struct ArrowSchema *schema, const Lines *want,
                           int64_t from)
{
    check_nulls(batch);
    for (int64_t i = 0; i < batch->length; i++) {
        json_t *record = json_read(want->items[from + i], strlen(want->items[from + i]));
        json_t *got = value_of(batch, schema, i);
        assert_true(json_equal(got, record));
        json_decref(got);
        json_decref(record);
    }
    return batch->length;
}

static void test_arrow(void **state)
{
    (void)state;
    const CorpusOptions options[] = {few_options(), many_options()};
    const Lines *want[] = {&stored, &many};
    for (int i = 0; i < 2; i++) {
        struct ArrowArrayStream stream;
        struct ArrowSchema schema;
        struct ArrowArray batch;
        int64_t rows = 0, batches = 0;
        assert_true(arrow_stream(i ? invent(&options[i], 1) : of_set("few", -1), NULL, &stream));
        assert_int_equal(stream.get_schema(&stream, &schema), 0);
        assert_string_equal(schema.format, "+s");
        ColumnList columns;
        columns_of(&options[i], PART_WHOLE, columns);
        check_schema(&schema, columns);
        while (stream.get_next(&stream, &batch) == 0 && batch.release) {
            assert_null(stream.get_last_error(&stream));
            rows += check_batch(&batch, &schema, want[i], rows);
            batch.release(&batch);
            assert_null(batch.release);
            batches++;
        }
        assert_null(stream.get_last_error(&stream));
        assert_int_equal(rows, want[i]->count);
        assert_int_equal(batches, (want[i]->count + 511) / 512);
        assert_int_equal(stream.get_next(&stream, &batch), 0); /* the end stays the end */
        assert_null(batch.release);
        schema.release(&schema);
        assert_null(schema.release);
        stream.release(&stream);
        assert_null(stream.release);
    }
}

/* A file that was changed is an error with a message, not an end. */
static void test_arrow_of_damaged_sets(void **state)
{
    (void)state;
    CorpusOptions options = many_options();
    options.count = 20;
    options.compress = false;
    make_set("damaged", &options);
    FILE *file = fopen(folder("damaged/train-00000-of-00001.jsonl"), "r+");
    fseek(file, 3000, SEEK_SET);
    fputc('\t', file);
    fclose(file);
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    assert_true(arrow_stream(of_set("damaged", -1), NULL, &stream));
    int code = stream.get_next(&stream, &batch);
    assert_true(code == EIO || code == EINVAL);
    assert_null(batch.release);
    assert_non_null(stream.get_last_error(&stream));
    assert_true(strlen(stream.get_last_error(&stream)) > 10);
    stream.release(&stream);
}

static int questions;

static bool is_third_question(void)
{
    return ++questions == 3;
}

/* Whoever reads can be interrupted between records, not only between batches; what follows is not lost. */
static void test_arrow_interrupted(void **state)
{
    (void)state;
    const CorpusOptions options = many_options();
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    questions = 0;
    assert_true(arrow_stream(invent(&options, 1), is_third_question, &stream));
    assert_int_equal(stream.get_next(&stream, &batch), EINTR);
    assert_null(batch.release);
    assert_string_equal(stream.get_last_error(&stream), "interrupted");
    assert_int_equal(questions, 3);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_true(batch.length > 0);
    batch.release(&batch);
    stream.release(&stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_invented_are_those_of_the_set),
        cmocka_unit_test(test_sets_by_split),
        cmocka_unit_test(test_without_an_end),
        cmocka_unit_test(test_no_time),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_wrong_places),
        cmocka_unit_test(test_no_set),
        cmocka_unit_test(test_arrow),
        cmocka_unit_test(test_arrow_of_damaged_sets),
        cmocka_unit_test(test_arrow_interrupted),
    };
    return cmocka_run_group_tests(tests, make_sets, remove_sets);
}
