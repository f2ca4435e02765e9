/* The manifest is read as it was written, and every other one is refused with the name of what is wrong with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/io.h"
#include "corpus/manifest.h"

#include <stdio.h>
#include <string.h>

typedef enum Kind { WHOLE, PIECE, FILES, UNFINISHED, PARQUET, STORED, KINDS } Kind;

static void add_shard(Manifest *manifest, Split split, const char *file, uint64_t rows)
{
    ShardEntry entry = {
        .split = split, .number = manifest_count_shards(manifest, split), .rows = rows, .bytes = 100 * rows};
    snprintf(entry.file, sizeof entry.file, "%s", file);
    memset(entry.hash, 'a', HASH_HEX_SIZE - 1);
    if (has_details(&manifest->options)) {
        memset(entry.details_hash, 'd', HASH_HEX_SIZE - 1);
        entry.details_bytes = 10 * rows;
    }
    assert_non_null(manifest_add_shard(manifest, &entry));
}

static void make(Manifest *manifest, Kind kind)
{
    CorpusOptions options = corpus_default_options();
    options.count = 12;
    options.seed = 77;
    options.shard_rows = 5;
    options.splits[0] = 70;
    options.splits[1] = 30;
    if (kind == FILES || kind == PIECE)
        memcpy(options.splits, corpus_default_options().splits, sizeof options.splits);
    if (kind == PIECE) {
        options.piece = 1;
        options.piece_count = 3;
    }
    if (kind == FILES) {
        options.format = FORMAT_JSON;
        options.compress = false;
        options.full = true;
        options.shard_rows = corpus_default_options().shard_rows;
    }
    if (kind == PARQUET) {
        options.format = FORMAT_PARQUET;
        options.device = DEVICE_SET_BOTH;
        options.backward = options.readable = false;
        options.timing = true;
        options.gradients = GRADIENTS_SKIP;
        options.dedup = DEDUP_MASKED;
        options.launches = CHECK_MOST_LAUNCHES;
        options.checkpoint_rows = 3;
        corpus_hide_launches(&options, &(Secret){.key = {1}});
        assert_null(category_weights_read(&options.weights, "vector=3,fem=1"));
    }
    if (kind == STORED) {
        options.stored = true;
        options.count = 15;
        options.device = DEVICE_SET_CPU;
        options.gradients = GRADIENTS_MARKED;
        snprintf(options.origin, sizeof options.origin, "0011223344556677");
    }
    *manifest =
        (Manifest){.options = options, .weft_version = "1.2", .generator = "0123456789abcdef", .complete = true};
    snprintf(manifest->warp_version, sizeof manifest->warp_version, "%s", options.warp);
    manifest->rows = 12;
    manifest->next = 15;
    for (size_t i = 0; i < sizeof manifest->counters / sizeof(uint64_t); i++) { /* each another number */
        uint64_t number = 1000 + i;
        memcpy((char *)&manifest->counters + i * sizeof number, &number, sizeof number);
    }
    manifest->counters.rejected[REASON_NONE] = 0;
    manifest->counters.rejected[REASON_FINDING + FINDING_UNSUPPORTED] = 0; /* counted as the failure of that name */
    manifest->counters.by_category[0] = 12;
    manifest->counters.by_split[0] = 9;
    manifest->counters.by_split[1] = 3;
    manifest->counters.rejected[1] = 3;
    manifest->counters.forward_lines = 31;
    char name[SHARD_NAME_SIZE];
    if (kind == PIECE) {
        manifest->kept = 10;
        for (uint32_t i = 0; i < 3; i++) {
            shard_name(&options, SPLIT_TRAIN, i, SHARD_FINAL, 3, name);
            add_shard(manifest, SPLIT_TRAIN, name, i < 2 ? 5 : 2);
        }
    } else if (kind == FILES) {
        shard_name(&options, SPLIT_TRAIN, 0, SHARD_FINAL, 0, name);
        add_shard(manifest, SPLIT_TRAIN, name, 12);
    } else {
        bool done = kind != UNFINISHED;
        for (uint32_t i = 0; i < 2; i++) {
            shard_name(&options, SPLIT_TRAIN, i, done ? SHARD_FINAL : SHARD_OPEN, done ? 2 : 0, name);
            add_shard(manifest, SPLIT_TRAIN, name, i ? 4 : 5);
        }
        shard_name(&options, SPLIT_VALIDATION, 0, done ? SHARD_FINAL : SHARD_OPEN, done ? 1 : 0, name);
        add_shard(manifest, SPLIT_VALIDATION, name, done ? 3 : 1);
        if (kind == UNFINISHED) {
            manifest->complete = false;
            manifest->milliseconds = 4321;
            manifest->pending_rows = 2;
            memset(manifest->pending_hash, 'b', HASH_HEX_SIZE - 1);
        }
    }
}

static void write_out(Kind kind, Text *text)
{
    Manifest manifest;
    make(&manifest, kind);
    text_init(text);
    manifest_text(&manifest, text);
    text_char(text, '\0');
    text->len--;
    manifest_free(&manifest);
}

static void test_read_again(void **state)
{
    (void)state;
    for (int kind = WHOLE; kind < KINDS; kind++) {
        Text text;
        Manifest manifest, expected;
        CorpusError error = {0};
        write_out((Kind)kind, &text);
        make(&expected, (Kind)kind);
        if (!manifest_parse(&manifest, text.data, text.len, "set", &error))
            fail_msg("%d: %s\n%s", kind, error.message, text.data);
        assert_int_equal(manifest.rows, 12);
        assert_int_equal(manifest.next, 15);
        assert_int_equal(manifest.kept, expected.kept);
        assert_int_equal(manifest.complete, expected.complete);
        assert_int_equal(manifest.milliseconds, expected.milliseconds);
        assert_int_equal(manifest.pending_rows, expected.pending_rows);
        assert_string_equal(manifest.pending_hash, expected.pending_hash);
        assert_memory_equal(&manifest.counters, &expected.counters, sizeof manifest.counters);
        assert_string_equal(manifest.generator, "0123456789abcdef");
        assert_int_equal(manifest.shard_count, expected.shard_count);
        for (uint32_t i = 0; i < manifest.shard_count; i++) {
            assert_string_equal(manifest.shards[i].file, expected.shards[i].file);
            assert_string_equal(manifest.shards[i].hash, expected.shards[i].hash);
            assert_int_equal(manifest.shards[i].rows, expected.shards[i].rows);
            assert_int_equal(manifest.shards[i].bytes, expected.shards[i].bytes);
            assert_int_equal(manifest.shards[i].split, expected.shards[i].split);
            assert_int_equal(manifest.shards[i].number, expected.shards[i].number);
        }
        Text options[2];
        for (int i = 0; i < 2; i++) {
            text_init(&options[i]);
            corpus_options_json(i ? &expected.options : &manifest.options, &options[i]);
        }
        assert_string_equal(text_cstr(&options[0]), text_cstr(&options[1]));
        text_free(&options[0]);
        text_free(&options[1]);
        assert_true(manifest_same_options(&manifest, &expected.options, "set", &error) ||
                    strstr(error.message, "was begun by"));
        manifest_free(&manifest);
        manifest_free(&expected);
        text_free(&text);
    }
}

/* One change of the text; what is blamed for it. */
static const struct {
    Kind kind;
    const char *from, *to, *blamed;
} changes[] = {
    {WHOLE, "weft-records-3", "weft-records-4", "format"},
    {WHOLE, "\"format\": \"weft-records-3\",\n", "", "format"},
    {WHOLE, "\"weft_version\": \"1.2\"", "\"weft_version\": 12", "weft_version"},
    {WHOLE, "\"1.2\"", "\"1.2345678901234567890123456789012\"", "weft_version"},
    {WHOLE, "\"generator\": \"0123456789abcdef\"", "\"generator\": []", "generator"},
    {WHOLE, "\"warp_version\": \"1.", "\"warp_version\": \"7.", "warp_version"},
    {WHOLE, "\"options\": {", "\"options\": [], \"was\": {", "count"},
    {WHOLE, "\"options\": {", "\"was\": {", "options"},
    {WHOLE, "\"count\": 12", "\"count\": \"x\"", "count"},
    {WHOLE, "\"count\": 12", "\"count\": 0", "count"},
    {WHOLE, "\"device\": \"", "\"device\": \"x", "device"},
    {WHOLE, "\"backward\": true", "\"backward\": 1", "backward"},
    {WHOLE, "\"gradients\": \"", "\"gradients\": \"x", "gradients"},
    {WHOLE, "\"launches\": 3", "\"launches\": 99", "launches"},
    {WHOLE, "\"launches\": 3", "\"launches\": 3, \"hidden\": 7", "hidden"},
    {WHOLE, "\"verify\": true", "\"verify\": false", "launches"},
    {WHOLE, "\"dedup\": \"", "\"dedup\": \"x", "dedup"},
    {WHOLE, "\"format\": \"jsonl\"", "\"format\": \"xml\"", "format"},
    {WHOLE, "\"splits\": [70, 30, 0]", "\"splits\": [70, 30]", "splits"},
    {WHOLE, "\"splits\": [70, 30, 0]", "\"splits\": [0, 0, 0]", "splits"},
    {WHOLE, "\"splits\": [70, 30, 0]", "\"splits\": [70, -30, 0]", "splits"},
    {WHOLE, "\"splits\": [70, 30, 0]", "\"splits\": [70, \"a\", 0]", "splits"},
    {WHOLE, "\"shard_rows\": 5", "\"shard_rows\": 0", "shard_rows"},
    {WHOLE, "\"checkpoint_rows\": ", "\"checkpoint_rows\": -", "checkpoint_rows"},
    {WHOLE, "\"categories\": {\"", "\"categories\": {\"x", "categories"},
    {WHOLE, "\"categories\": {", "\"categories\": 3, \"was\": {", "categories"},
    {WHOLE, "\"arithmetic\": 10,", "\"arithmetic\": 900000,", NULL},
    {WHOLE, "\"arithmetic\": 10,", "\"arithmetic\": 900000000,", "categories"},
    {WHOLE, "\"by_category\": {\"arithmetic\": 12", "\"by_category\": {\"arithmetics\": 12", "by_category"},
    {WHOLE, "\"by_category\": {\"arithmetic\": 12", "\"by_category\": {\"arithmetic\": -12", "by_category"},
    {WHOLE, "\"by_split\": {\"train\": 9", "\"by_split\": {\"train\": \"9\"", "train"},
    {WHOLE, "\"rejected\": {\"", "\"rejected\": {\"x", "rejected"},
    {WHOLE, "\"forward_lines\": 31", "\"forward_lines\": 3.5", "forward_lines"},
    {WHOLE, "\"complete\": true", "\"complete\": \"yes\"", "complete"},
    {WHOLE, "\"rows\": 12", "\"rows\": 13", "rows"},
    {WHOLE, "\"rows\": 12", "\"rows\": 11", "rows"},
    {WHOLE, "\"rows\": 12", "\"rows\": -1", "rows"},
    {WHOLE, "\"next_index\": 15", "\"next_index\": 11", "next_index"},
    {WHOLE, "\"shards\": [", "\"shards\": {}, \"was\": [", "rows"},
    {WHOLE, "\"shards\": [", "\"was\": [", "shards"},
    {WHOLE, "\"split\": \"validation\"", "\"split\": \"valid\"", "split"},
    {WHOLE, "\"split\": \"validation\"", "\"split\": \"test\"", "file"},
    {WHOLE, "train-00001-of-00002", "train-00002-of-00002", "file"},
    {WHOLE, "train-00001-of-00002", "train-00001-of-00003", "file"},
    {WHOLE, "train-00001-of-00002", "other-00001-of-00002", "file"},
    {WHOLE, "aaaaaaaa", "aaaaaaag", "xxh3_128"},
    {WHOLE, "aaaaaaaa\"", "aaaaaaa\"", "xxh3_128"},
    {WHOLE, "\"rows\": 4, \"bytes\"", "\"rows\": 6, \"bytes\"", "rows"},
    {WHOLE, "\"rows\": 4, \"bytes\"", "\"rows\": 3, \"bytes\"", "rows"},
    {WHOLE, "\"bytes\": 400", "\"bytes\": null", "bytes"},
    /* The greatest numbers, and one more. */
    {WHOLE, "\"arithmetic\": 10,", "\"arithmetic\": 23000000,", NULL},
    {WHOLE, "\"arithmetic\": 10,", "\"arithmetic\": 23000001,", "categories"},
    {WHOLE, "\"arithmetic\": 10,", "\"arithmetic\": 1,", NULL},
    {WHOLE, "\"arithmetic\": 10,", "\"arithmetic\": 0,", "categories"},
    {WHOLE, "\"launches\": 3", "\"launches\": 8", NULL},
    {WHOLE, "\"launches\": 3", "\"launches\": 9", "launches"},
    {WHOLE, "\"launches\": 3", "\"launches\": 0", NULL},
    {WHOLE, "\"splits\": [70, 30, 0]", "\"splits\": [999970, 30, 0]", NULL},
    {WHOLE, "\"splits\": [70, 30, 0]", "\"splits\": [999970, 31, 0]", "splits"},
    {WHOLE, "\"splits\": [70, 30, 0]", "\"splits\": [0, 1000001, 0]", "splits"},
    {WHOLE, "\"splits\": [70, 30, 0]", "\"splits\": [70, 30, 0, 0]", "splits"},
    {WHOLE, "\"count\": 12", "\"count\": 9007199254740993", "count"},
    {WHOLE, "\"next_index\": 15", "\"next_index\": 9007199254740992", NULL},
    {WHOLE, "\"next_index\": 15", "\"next_index\": 9007199254740993", "next_index"},
    {WHOLE, "\"next_index\": 15", "\"next_index\": 12", NULL},
    {WHOLE, "\"shard_rows\": 5", "\"shard_rows\": 1", "rows"},
    {WHOLE, "\"shard_rows\": 5", "\"shard_rows\": 4", "rows"},
    {WHOLE, "\"shard_rows\": 5", "\"shard_rows\": 6", NULL},
    {WHOLE, "\"checkpoint_rows\": 2000", "\"checkpoint_rows\": 1", NULL},
    {WHOLE, "\"checkpoint_rows\": 2000", "\"checkpoint_rows\": 0", "checkpoint_rows"},
    {WHOLE, "\"by_category\": {\"arithmetic\": 12", "\"by_category\": {\"arithmetic\": 0", "by_category"},
    {WHOLE, "\"by_category\": {\"arithmetic\": 12", "\"by_category\": {\"arithmetic\": 1", NULL},
    {WHOLE, "\"by_split\": {\"train\": 9", "\"by_split\": {\"train\": 0", NULL},
    {PIECE, "\"piece\": [2, 3]", "\"piece\": [2, 65536]", NULL},
    {PIECE, "\"piece\": [2, 3]", "\"piece\": [2, 65537]", "piece"},
    {PIECE, "\"piece\": [2, 3]", "\"piece\": [3, 3]", NULL},
    {PIECE, "\"piece\": [2, 3]", "\"piece\": [4, 3]", "piece"},
    {PIECE, "\"piece\": [2, 3]", "\"piece\": [1, 3]", NULL},
    {PIECE, "\"piece\": [2, 3]", "\"piece\": [0, 3]", "piece"},
    {PIECE, "\"piece\": [2, 3]", "\"piece\": [2, 3, 4]", "piece"},
    {PIECE, "\"kept\": 10", "\"kept\": 12", NULL},
    {FILES, "\"compress\": false", "\"compress\": true", "format"},
    {FILES, "\"splits\": [1, 0, 0]", "\"splits\": [2, 0, 0]", "format"},
    {FILES, "\"splits\": [1, 0, 0]", "\"splits\": [1, 0, 1]", "format"},
    {PARQUET, "\"compress\": true", "\"compress\": false", "compress"},
    {PARQUET, "\"hidden\": \"", "\"hidden\": \"0", "hidden"},
    {WHOLE, "\"full\": false", "\"full\": true", NULL},
    {WHOLE, "\"full\": false, ", "", "full"},
    {FILES, "\"full\": true", "\"full\": false", "format"},
    {WHOLE, "\"details\": {", "\"other\": {", "details"},
    {WHOLE, "details-train-00001", "details-train-00002", NULL},
    {WHOLE, "\"bytes\": 50, \"xxh3_128\": \"d", "\"bytes\": -1, \"xxh3_128\": \"d", "bytes"},
    {WHOLE, "\"xxh3_128\": \"d", "\"xxh3_128\": \"x", "xxh3_128"},
    {STORED, "\"source\": \"stored\"", "\"source\": \"store\"", "source"},
    {STORED, "\"origin\": \"", "\"origin\": \"0", "origin"},
    {STORED, "\"timing\": false", "\"timing\": true", "source"},
    {STORED, "\"next_index\": 15", "\"next_index\": 14", "rows"},
    {UNFINISHED, "\"rows\": 1, \"bytes\"", "\"rows\": 2, \"bytes\"", "rows"},
    {WHOLE, "\"sha256\": \"", "\"sha256\": \"x", NULL},
    {WHOLE, "\"seed\": 77,\n", "\"seed\": 78,\n", NULL},
    {WHOLE, "\"next_index\": 15", "\"next_index\": 16", NULL},
    {WHOLE, "{\n", "{ \n", NULL},
    {WHOLE, "{\n", "[{\n", "format"},
    {PIECE, "\"kept\": 10", "\"kept\": 13", "kept"},
    {PIECE, "\"kept\": 10", "\"kept\": true", "kept"},
    {FILES, "\"rows\": 12, \"bytes\"", "\"rows\": 11, \"bytes\"", "rows"},
    {FILES, "\"split\": \"train\"", "\"split\": \"test\"", "file"},
    {UNFINISHED, "\"milliseconds\": 4321", "\"milliseconds\": \"4321\"", "milliseconds"},
    {UNFINISHED, "\"pending\": {\"rows\": 2", "\"pending\": {\"rows\": 3", "rows"},
    {UNFINISHED, "\"pending\": {\"rows\": 2", "\"pending\": {\"rows\": 0", "pending"},
    {UNFINISHED, "bbbb\"", "bbb\"", "xxh3_128"},
    {UNFINISHED, "\"complete\": false", "\"complete\": true", "file"},
};

static void test_every_change(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        Text text, changed;
        Manifest manifest;
        CorpusError error = {0};
        char expected[200];
        write_out(changes[i].kind, &text);
        const char *at = strstr(text.data, changes[i].from);
        if (!at)
            fail_msg("%zu: '%s' is not in %s", i, changes[i].from, text.data);
        text_init(&changed);
        text_add(&changed, text.data, (size_t)(at - text.data));
        text_str(&changed, changes[i].to);
        text_str(&changed, at + strlen(changes[i].from));
        text_char(&changed, '\0');
        assert_false(manifest_parse(&manifest, changed.data, changed.len - 1, "set", &error));
        snprintf(expected, sizeof expected, "set/manifest.json is damaged: '%s' is wrong or missing",
                 changes[i].blamed ? changes[i].blamed : "");
        if (changes[i].blamed ? strcmp(error.message, expected) != 0
                              : !strstr(error.message, "is not as weft wrote it"))
            fail_msg("%zu: %s -> %s: %s", i, changes[i].from, changes[i].to, error.message);
        text_free(&changed);
        text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read_again), cmocka_unit_test(test_every_change)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
