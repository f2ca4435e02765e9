/* Records as samples for compilers and devices: all that they say is taken over, and nothing that this weft did not make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "corpus/each_record.h"
#include "corpus/manifest.h"
#include "corpus/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 5 };
static char work[] = "/tmp/weft-samples-XXXXXX";
static char *lines[COUNT];
static int line_count;

static const char *in_work(const char *name)
{
    static char path[2][120];
    static int at;
    char *out = path[at++ % 2];
    snprintf(out, sizeof path[0], "%s/%s", work, name);
    return out;
}

static CorpusOptions options_of(void)
{
    CorpusOptions options = corpus_default_options();
    options.count = COUNT;
    options.seed = 4;
    options.device = DEVICE_SET_BOTH;
    options.launches = 1;
    options.compress = false;
    options.gradients = GRADIENTS_MARKED;
    return options;
}

static bool keep(const char *line, size_t len, Split split, void *user, CorpusError *error)
{
    (void)len;
    (void)split;
    (void)user;
    (void)error;
    lines[line_count++] = strdup(line);
    return true;
}

static void make_set(const char *name, const CorpusOptions *options)
{
    CorpusError error = {""};
    CorpusRun run = {.jobs = 1};
    if (corpus_produce(in_work(name), options, &run, &error) != CORPUS_DONE)
        fail_msg("%s", error.message);
}

static int make_sets(void **state)
{
    (void)state;
    CorpusError error = {""};
    CorpusOptions options = options_of();
    RecordVisitor visitor = {.visit = keep};
    if (!mkdtemp(work))
        return -1;
    make_set("set", &options);
    return corpus_each_record(in_work("set"), &visitor, &error) && line_count == COUNT ? 0 : -1;
}

static int remove_sets(void **state)
{
    (void)state;
    char command[120];
    while (line_count)
        free(lines[--line_count]);
    snprintf(command, sizeof command, "rm -rf %s", work);
    return system(command);
}

static void same(const char *text, const json_t *record, const char *name)
{
    const char *want = json_string_value(json_object_get(record, name));
    if (!text != !want || (text && strcmp(text, want) != 0))
        fail_msg("%s is '%s', not '%s'", name, text ? text : "(none)", want ? want : "(none)");
}

static void same_json(const char *text, json_t *want)
{
    json_t *got = json_read(text, strlen(text));
    assert_true(json_equal(got, want));
    json_decref(got);
}

static void check_sample(const Sample *sample, const char *line)
{
    json_t *record = json_read(line, strlen(line));
    assert_non_null(record);
    static const char head[] = "import warp as wp\n\n\n";
    assert_memory_equal(sample->source, head, strlen(head));
    same(sample->source, record, "python_source");
    same(sample->category, record, "category");
    same(sample->name, record, "mangled_name");
    same(sample->warp, record, "warp_version");
    same(sample->readable, record, "cuda_readable");
    same(sample->text[BUILD_CPP].prelude, record, "cpp_helpers");
    same(sample->text[BUILD_CPP].forward, record, "cpp_forward");
    same(sample->text[BUILD_CPP].backward, record, "cpp_backward");
    same(sample->text[BUILD_CUDA].prelude, record, "cuda_helpers");
    same(sample->text[BUILD_CUDA].forward, record, "cuda_forward");
    same(sample->text[BUILD_CUDA].backward, record, "cuda_backward");
    same_json(sample->launches, json_object_get(record, "launches"));
    json_t *launch = json_read(sample->launch, strlen(sample->launch));
    bool tiles = json_is_integer(json_object_get(record, "block_dim"));
    assert_int_equal(json_object_size(launch), tiles ? 3 : 2);
    assert_true(!tiles || json_equal(json_object_get(launch, "block_dim"), json_object_get(record, "block_dim")));
    assert_true(json_equal(json_object_get(launch, "launch_dim"), json_object_get(record, "launch_dim")));
    assert_true(json_equal(json_object_get(launch, "arguments"), json_object_get(record, "arguments")));
    json_decref(launch);
    json_decref(record);
    for (int target = 0; target < BUILD_TARGET_COUNT; target++)
        assert_true(sample->module[target] == -1 && !sample->refusal[target]);
}

static void test_samples_are_the_records(void **state)
{
    (void)state;
    CorpusError error = {""};
    CorpusOptions options = options_of();
    SampleList read, made, copied;
    sample_list_init(&read);
    sample_list_init(&made);
    sample_list_init(&copied);
    if (!corpus_read_samples(in_work("set"), &read, &error) || !corpus_make_samples(&options, 2, &made, &error))
        fail_msg("%s", error.message);
    assert_int_equal(read.count, COUNT);
    assert_int_equal(made.count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        check_sample(&read.items[i], lines[i]);
        check_sample(&made.items[i], lines[i]);
        json_t *record = json_read(lines[i], strlen(lines[i]));
        same(read.items[i].id, record, "id");
        json_decref(record);
        sample_list_copy(&copied, &read.items[i]);
        Sample copy = copied.items[i];
        copy.readable = read.items[i].readable; /* what is copied goes without these */
        copy.launches = read.items[i].launches;
        check_sample(&copy, lines[i]);
        assert_string_equal(copy.id, read.items[i].id);
        assert_ptr_not_equal(copy.source, read.items[i].source);
    }
    sample_list_free(&read);
    sample_list_free(&made);
    sample_list_free(&copied);
}

static void refuses(const char *dir, const char *words)
{
    CorpusError error = {""};
    SampleList list;
    sample_list_init(&list);
    assert_false(corpus_read_samples(dir, &list, &error));
    if (!strstr(error.message, words))
        fail_msg("'%s', not '%s'", error.message, words);
    sample_list_free(&list);
}

static void change(const char *name, const char *from, const char *to)
{
    static char bytes[1 << 20];
    FILE *file = fopen(in_work(name), "r+");
    assert_non_null(file);
    size_t len = fread(bytes, 1, sizeof bytes - 1, file);
    bytes[len] = 0;
    char *at = strstr(bytes, from);
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    fseek(file, at - bytes, SEEK_SET);
    fputs(to, file);
    fclose(file);
}

static void test_what_is_not_compiled(void **state)
{
    (void)state;
    CorpusOptions options = options_of();
    refuses(in_work("nowhere"), "nowhere");
    refuses("tests/pinned/stored/lines", "was made by another build of weft");
    refuses(work, "it is not a weft data set");
    options.verify = false;
    options.launches = 0;
    options.count = 2;
    make_set("text", &options);
    change("text/train-00000-of-00001.jsonl", "blockDim.x", "blockDim.y");
    refuses(in_work("text"), "nothing of this data set is compiled");
    options.piece_count = 2;
    make_set("piece", &options);
    refuses(in_work("piece"), "is a piece");
    options = options_of();
    options.count = 2;
    corpus_hide_launches(&options, &(Secret){.key = {5}});
    make_set("hidden", &options);
    refuses(in_work("hidden"), "hidden key");
    make_set("lost", &(CorpusOptions){.count = 2,
                                      .warp = options.warp,
                                      .weights = options.weights,
                                      .device = DEVICE_SET_CUDA,
                                      .splits = {1, 0, 0},
                                      .shard_rows = 1,
                                      .checkpoint_rows = 9});
    remove(in_work("lost/train-00001-of-00002.jsonl"));
    refuses(in_work("lost"), "train-00001-of-00002.jsonl");
}

/* What is promised must be there. */
static void test_records_that_lack_something(void **state)
{
    (void)state;
    static const char *const needed[] = {"id", "category", "python_source", "mangled_name", "launch_dim", "arguments"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        CorpusError error = {""};
        SampleList list;
        sample_list_init(&list);
        json_t *record = json_read(lines[0], strlen(lines[0]));
        assert_int_equal(json_object_del(record, needed[i]), 0);
        char *line = json_dumps(record, 0);
        assert_false(sample_list_add_record(&list, line, &error));
        assert_non_null(strstr(error.message, i ? "is not a weft record" : "record ? is not a weft record"));
        free(line);
        json_decref(record);
        sample_list_free(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_are_the_records),
        cmocka_unit_test(test_what_is_not_compiled),
        cmocka_unit_test(test_records_that_lack_something),
    };
    return cmocka_run_group_tests(tests, make_sets, remove_sets);
}
