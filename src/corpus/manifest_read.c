/* Reading a manifest. It may come from anyone: every number, word and name is held against what weft can have written,
 * and in the end the whole is written again and compared with what was read, byte by byte. */
#include "base/choice.h"
#include "base/json.h"
#include "corpus/manifest.h"

#include "weft.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Problems are collected here: the first one counts. */
typedef struct Reading {
    const char *problem;
} Reading;

static void blame(Reading *reading, const char *name)
{
    if (!reading->problem)
        reading->problem = name;
}

static json_t *member(Reading *reading, json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    if (!value)
        blame(reading, name);
    return value;
}

/* A whole number from `least` to `most`. */
static uint64_t whole(Reading *reading, json_t *value, const char *name, uint64_t least, uint64_t most)
{
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
    if (number >= 0 && (uint64_t)number >= least && (uint64_t)number <= most)
        return (uint64_t)number;
    blame(reading, name);
    return least;
}

static const uint64_t MOST = (uint64_t)1 << 53;

static uint64_t number(Reading *reading, json_t *object, const char *name)
{
    return whole(reading, member(reading, object, name), name, 0, MOST);
}

static bool boolean(Reading *reading, json_t *object, const char *name)
{
    json_t *value = member(reading, object, name);
    if (!json_is_boolean(value))
        blame(reading, name);
    return json_is_true(value);
}

/* Which of the words it is. */
static unsigned word(Reading *reading, json_t *object, const char *name, const char *choices)
{
    int found = choice_find(choices, json_member_string(object, name));
    if (found < 0)
        blame(reading, name);
    return found < 0 ? 0 : (unsigned)found;
}

/* A short text without anything odd in it. */
static void text(Reading *reading, json_t *object, const char *name, char *out, size_t size)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+*";
    json_t *value = member(reading, object, name);
    const char *string = json_is_string(value) ? json_string_value(value) : "";
    if (!string[0] || strlen(string) >= size || string[strspn(string, allowed)])
        blame(reading, name);
    snprintf(out, size, "%s", string);
}

static void hash(Reading *reading, json_t *object, char out[HASH_HEX_SIZE])
{
    text(reading, object, "xxh3_128", out, HASH_HEX_SIZE);
    if (strspn(out, "0123456789abcdef") != HASH_HEX_SIZE - 1)
        blame(reading, "xxh3_128");
}

/* ---- options ---- */

static void read_splits(Reading *reading, json_t *list, CorpusOptions *options)
{
    uint64_t total = 0;
    if (json_array_size(list) != SPLIT_COUNT)
        blame(reading, "splits");
    for (int i = 0; i < SPLIT_COUNT; i++) {
        options->splits[i] = (unsigned)whole(reading, json_array_get(list, (size_t)i), "splits", 0, CORPUS_MOST_SHARES);
        total += options->splits[i];
    }
    if (!total || total > CORPUS_MOST_SHARES)
        blame(reading, "splits");
}

static void read_piece(Reading *reading, json_t *pair, CorpusOptions *options)
{
    if (!pair)
        return;
    if (json_array_size(pair) != 2)
        blame(reading, "piece");
    options->piece_count = (uint32_t)whole(reading, json_array_get(pair, 1), "piece", 1, CORPUS_MOST_PIECES);
    options->piece = (uint32_t)whole(reading, json_array_get(pair, 0), "piece", 1, options->piece_count) - 1;
}

static void read_weights(Reading *reading, json_t *object, CategoryWeights *weights)
{
    const char *name;
    json_t *item;
    uint64_t total = 0;
    memset(weights, 0, sizeof *weights);
    json_object_foreach(object, name, item)
    {
        int category = category_named(name);
        if (category == CATEGORY_COUNT)
            blame(reading, "categories");
        else
            total += weights->weight[category] =
                (unsigned)whole(reading, item, "categories", 1, 1000000 * CATEGORY_COUNT);
    }
    if (!total)
        blame(reading, "categories");
}

static void read_options(Reading *reading, json_t *json, CorpusOptions *options)
{
    *options = corpus_default_options();
    options->count = whole(reading, member(reading, json, "count"), "count", 1, MOST);
    options->seed = whole(reading, member(reading, json, "seed"), "seed", 0, INT64_MAX);
    options->device = word(reading, json, "device", DEVICE_WORDS) + 1;
    options->backward = boolean(reading, json, "backward");
    options->verify = boolean(reading, json, "verify");
    options->gradients = (GradientRule)word(reading, json, "gradients", GRADIENT_RULE_WORDS);
    options->dedup = (DedupRule)word(reading, json, "dedup", DEDUP_RULE_WORDS);
    options->format = (CorpusFormat)word(reading, json, "format", FORMAT_WORDS);
    options->compress = boolean(reading, json, "compress");
    options->timing = boolean(reading, json, "timing");
    options->with_io = boolean(reading, json, "with_io");
    options->shard_rows = whole(reading, member(reading, json, "shard_rows"), "shard_rows", 1, MOST);
    options->checkpoint_rows = whole(reading, member(reading, json, "checkpoint_rows"), "checkpoint_rows", 1, MOST);
    read_splits(reading, member(reading, json, "splits"), options);
    read_piece(reading, json_object_get(json, "piece"), options);
    read_weights(reading, member(reading, json, "categories"), &options->weights);
    bool one_split = options->splits[0] == 1 && !options->splits[1] && !options->splits[2];
    if (options->format == FORMAT_JSON && (options->compress || options->piece_count || !one_split))
        blame(reading, "format");
    if (options->with_io && !options->verify)
        blame(reading, "with_io");
}

/* ---- counters and shards ---- */

static void read_counters(Reading *reading, json_t *json, Counters *counters)
{
    const char *name;
    json_t *item;
    json_object_foreach(member(reading, json, "by_category"), name, item)
    {
        int category = category_named(name);
        if (category == CATEGORY_COUNT)
            blame(reading, "by_category");
        else
            counters->by_category[category] = whole(reading, item, "by_category", 1, MOST);
    }
    json_t *splits = member(reading, json, "by_split");
    for (int i = 0; i < SPLIT_COUNT; i++)
        counters->by_split[i] = number(reading, splits, split_name((Split)i));
    json_object_foreach(member(reading, json, "rejected"), name, item)
    {
        unsigned reason = reason_of_name(name, strlen(name));
        if (reason == REASON_COUNT)
            blame(reading, "rejected");
        else
            counters->rejected[reason] = whole(reading, item, "rejected", 1, MOST);
    }
    counters->forward_lines = number(reading, json, "forward_lines");
    counters->backward_lines = number(reading, json, "backward_lines");
    counters->with_backward = number(reading, json, "with_backward");
    counters->record_bytes = number(reading, json, "record_bytes");
    counters->forward_pass = number(reading, json, "forward_pass");
    counters->gradient[GRADIENT_NONE] = number(reading, json, "gradient_none");
    counters->gradient[GRADIENT_PASS] = number(reading, json, "gradient_pass");
    counters->gradient[GRADIENT_MISMATCH] = number(reading, json, "gradient_mismatch");
    counters->distinct_structures = number(reading, json, "distinct_structures");
    counters->distinct_masked = number(reading, json, "distinct_masked");
}

static void read_pending(Reading *reading, json_t *pending, Manifest *manifest)
{
    if (!pending)
        return;
    manifest->pending_rows =
        whole(reading, member(reading, pending, "rows"), "pending", 1, SPLIT_COUNT * (uint64_t)FRAME_ROWS);
    hash(reading, pending, manifest->pending_hash);
}

static Split read_split(Reading *reading, json_t *item)
{
    for (int split = 0; split < SPLIT_COUNT; split++)
        if (strcmp(json_member_string(item, "split"), split_name((Split)split)) == 0)
            return (Split)split;
    blame(reading, "split");
    return SPLIT_TRAIN;
}

static void read_shard(Reading *reading, json_t *item, Manifest *manifest, uint32_t numbers[SPLIT_COUNT])
{
    const CorpusOptions *options = &manifest->options;
    ShardEntry entry = {0};
    ShardName name;
    char pattern[SHARD_NAME_SIZE];
    text(reading, item, "file", entry.file, sizeof entry.file);
    hash(reading, item, entry.hash);
    entry.split = read_split(reading, item);
    entry.number = numbers[entry.split]++;
    entry.rows = number(reading, item, "rows");
    entry.bytes = number(reading, item, "bytes");
    if (options->format == FORMAT_JSON) {
        shard_name(options, SPLIT_TRAIN, 0, SHARD_FINAL, 0, pattern);
        if (strcmp(entry.file, pattern) != 0 || entry.split != SPLIT_TRAIN || entry.number)
            blame(reading, "file");
    } else if (!shard_name_read(options, entry.file, &name) || name.split != entry.split ||
               name.number != entry.number || (manifest->complete && name.state != SHARD_FINAL))
        blame(reading, "file");
    else if (entry.rows > options->shard_rows)
        blame(reading, "rows");
    if (!reading->problem && !manifest_add_shard(manifest, &entry))
        blame(reading, "shards");
}

static void read_shards(Reading *reading, json_t *list, Manifest *manifest)
{
    uint32_t numbers[SPLIT_COUNT] = {0};
    uint64_t rows = 0;
    json_t *item;
    size_t index;
    json_array_foreach(list, index, item)
    {
        read_shard(reading, item, manifest, numbers);
        if (reading->problem)
            return;
        rows += manifest->shards[manifest->shard_count - 1].rows;
    }
    if (rows + manifest->pending_rows != manifest->rows)
        blame(reading, "rows");
    for (uint32_t i = 0; i < manifest->shard_count && manifest->complete; i++) {
        ShardName name;
        const ShardEntry *entry = &manifest->shards[i];
        if (shard_name_read(&manifest->options, entry->file, &name) && name.of != numbers[entry->split])
            blame(reading, "file");
    }
}

/* ---- the whole ---- */

static void read_all(Reading *reading, json_t *json, Manifest *manifest)
{
    word(reading, json, "format", MANIFEST_FORMAT);
    text(reading, json, "weft_version", manifest->weft_version, sizeof manifest->weft_version);
    text(reading, json, "warp_version", manifest->warp_version, sizeof manifest->warp_version);
    text(reading, json, "generator", manifest->generator, sizeof manifest->generator);
    if (reading->problem)
        return;
    read_options(reading, member(reading, json, "options"), &manifest->options);
    manifest->options.warp = weft_find_warp(manifest->warp_version);
    if (!manifest->options.warp)
        blame(reading, "warp_version");
    read_counters(reading, member(reading, json, "counters"), &manifest->counters);
    manifest->complete = boolean(reading, json, "complete");
    manifest->rows = number(reading, json, "rows");
    manifest->next = number(reading, json, "next_index");
    if (manifest->options.piece_count)
        manifest->kept = number(reading, json, "kept");
    else if (manifest->rows > manifest->options.count ||
             (manifest->complete && manifest->rows != manifest->options.count))
        blame(reading, "rows");
    if (manifest->rows > manifest->next)
        blame(reading, "next_index");
    if (manifest->kept > manifest->rows)
        blame(reading, "kept");
    if (!manifest->complete) {
        manifest->milliseconds = number(reading, json, "milliseconds");
        read_pending(reading, json_object_get(json, "pending"), manifest);
    }
    if (!reading->problem)
        read_shards(reading, member(reading, json, "shards"), manifest);
}

/* Number of the line in which two texts begin to differ; 0: they do not. */
static unsigned first_difference(const char *a, size_t a_len, const char *b, size_t b_len)
{
    unsigned line = 1;
    size_t at = 0;
    for (; at < a_len && at < b_len && a[at] == b[at]; at++)
        line += a[at] == '\n';
    return at == a_len && at == b_len ? 0 : line;
}

bool manifest_parse(Manifest *manifest, const char *bytes, size_t len, const char *dir, CorpusError *error)
{
    *manifest = (Manifest){0};
    Reading reading = {0};
    json_t *json = json_read(bytes, len);
    if (json)
        read_all(&reading, json, manifest);
    else
        reading.problem = "format";
    json_decref(json);
    if (!reading.problem) {
        Text again;
        text_init(&again);
        manifest_text(manifest, &again);
        unsigned line = again.failed ? 1 : first_difference(bytes, len, again.data, again.len);
        text_free(&again);
        if (!line)
            return true;
        corpus_fail(error, "%s/" MANIFEST_NAME " is damaged: line %u is not as weft wrote it", dir, line);
    } else
        corpus_fail(error, "%s/" MANIFEST_NAME " is damaged: '%s' is wrong or missing", dir, reading.problem);
    manifest_free(manifest);
    return false;
}

bool manifest_read(Manifest *manifest, int dir_fd, const char *dir, bool *found, CorpusError *error)
{
    *manifest = (Manifest){0};
    *found = faccessat(dir_fd, MANIFEST_NAME, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    if (!*found)
        return true;
    size_t len;
    char *bytes = read_small_file(dir_fd, dir, MANIFEST_NAME, &len, error);
    bool fine = bytes && manifest_parse(manifest, bytes, len, dir, error);
    free(bytes);
    return fine;
}
