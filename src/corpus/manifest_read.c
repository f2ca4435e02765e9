/* Reading a manifest. It may come from anyone: every number, word and name must be one that weft can write. In the
 * end the manifest is written again and compared with the input, byte for byte. */
#include "base/choice.h"
#include "base/json.h"
#include "base/limits.h"
#include "check/io.h"
#include "corpus/details.h"
#include "corpus/writer.h"

#include "weft.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Problems are collected here: the first one counts. */
typedef struct ManifestReader {
    const char *problem;
} ManifestReader;

static void blame(ManifestReader *reader, const char *name)
{
    if (!reader->problem)
        reader->problem = name;
}

static json_t *member(ManifestReader *reader, json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    if (!value)
        blame(reader, name);
    return value;
}

/* A whole number from `least` to `most`. */
static uint64_t whole(ManifestReader *reader, json_t *value, const char *name, uint64_t least, uint64_t most)
{
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
    if (number >= 0 && (uint64_t)number >= least && (uint64_t)number <= most)
        return (uint64_t)number;
    blame(reader, name);
    return least;
}

static const uint64_t MOST = (uint64_t)1 << 53;

static uint64_t number(ManifestReader *reader, json_t *object, const char *name)
{
    return whole(reader, member(reader, object, name), name, 0, MOST);
}

static bool boolean(ManifestReader *reader, json_t *object, const char *name)
{
    json_t *value = member(reader, object, name);
    if (!json_is_boolean(value))
        blame(reader, name);
    return json_is_true(value);
}

/* Which of the words it is. */
static unsigned word(ManifestReader *reader, json_t *object, const char *name, const char *choices)
{
    int found = choice_find(choices, json_member_string(object, name));
    if (found < 0)
        blame(reader, name);
    return found < 0 ? 0 : (unsigned)found;
}

/* A short text without anything odd in it. */
static void text(ManifestReader *reader, json_t *object, const char *name, char *out, size_t size)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+*";
    json_t *value = member(reader, object, name);
    const char *string = json_is_string(value) ? json_string_value(value) : "";
    if (!string[0] || strlen(string) >= size || string[strspn(string, allowed)])
        blame(reader, name);
    snprintf(out, size, "%s", string);
}

static void hash(ManifestReader *reader, json_t *object, char out[HASH_HEX_SIZE])
{
    text(reader, object, "xxh3_128", out, HASH_HEX_SIZE);
    if (strspn(out, "0123456789abcdef") != HASH_HEX_SIZE - 1)
        blame(reader, "xxh3_128");
}

/* ---- options ---- */

static void read_splits(ManifestReader *reader, json_t *list, CorpusOptions *options)
{
    uint64_t total = 0;
    if (json_array_size(list) != SPLIT_COUNT)
        blame(reader, "splits");
    for (int i = 0; i < SPLIT_COUNT; i++) {
        options->splits[i] = (unsigned)whole(reader, json_array_get(list, (size_t)i), "splits", 0, CORPUS_MOST_SHARES);
        total += options->splits[i];
    }
    if (!total || total > CORPUS_MOST_SHARES)
        blame(reader, "splits");
}

static void read_piece(ManifestReader *reader, json_t *pair, CorpusOptions *options)
{
    if (!pair)
        return;
    if (json_array_size(pair) != 2)
        blame(reader, "piece");
    options->piece_count = (uint32_t)whole(reader, json_array_get(pair, 1), "piece", 1, CORPUS_MOST_PIECES);
    options->piece = (uint32_t)whole(reader, json_array_get(pair, 0), "piece", 1, options->piece_count) - 1;
}

static bool read_pair(ManifestReader *reader, json_t *pair, const char *name, uint64_t *first, uint64_t *end)
{
    if (!pair)
        return false;
    if (json_array_size(pair) != 2)
        blame(reader, name);
    *end = whole(reader, json_array_get(pair, 1), name, 1, CORPUS_MOST_CANDIDATES);
    *first = whole(reader, json_array_get(pair, 0), name, 0, *end - 1);
    return true;
}

/* For a range, `count` is the number of its candidates. */
static void read_range(ManifestReader *reader, json_t *json, CorpusOptions *options)
{
    if (!read_pair(reader, json_object_get(json, "range"), "range", &options->first, &options->end))
        return;
    if (options->count != options->end - options->first || options->first % options->shard_rows || options->stored ||
        options->piece_count || has_splits(options) || options->format == FORMAT_JSON)
        blame(reader, "range");
    if (!read_pair(reader, json_object_get(json, "of"), "of", &options->whole_first, &options->whole_end))
        return;
    if (options->whole_first > options->first || options->whole_end < options->end)
        blame(reader, "of");
    text(reader, json, "losers", options->losers_hash, sizeof options->losers_hash);
}

static void read_weights(ManifestReader *reader, json_t *object, CategoryWeights *weights)
{
    const char *name;
    json_t *item;
    uint64_t total = 0;
    memset(weights, 0, sizeof *weights);
    json_object_foreach(object, name, item)
    {
        int category = category_named(name);
        if (category == CATEGORY_COUNT)
            blame(reader, "categories");
        else
            total += weights->weight[category] =
                (unsigned)whole(reader, item, "categories", 1, 1000000 * CATEGORY_COUNT);
    }
    if (!total)
        blame(reader, "categories");
}

static void read_options(ManifestReader *reader, json_t *json, CorpusOptions *options)
{
    *options = corpus_default_options();
    options->count = whole(reader, member(reader, json, "count"), "count", 1, MOST);
    options->seed = whole(reader, member(reader, json, "seed"), "seed", 0, INT64_MAX);
    options->device = word(reader, json, "device", DEVICE_WORDS) + 1;
    options->backward = boolean(reader, json, "backward");
    options->readable = boolean(reader, json, "readable");
    options->verify = boolean(reader, json, "verify");
    options->gradients = (GradientRule)word(reader, json, "gradients", GRADIENT_RULE_WORDS);
    options->dedup = (DedupRule)word(reader, json, "dedup", DEDUP_RULE_WORDS);
    options->format = (CorpusFormat)word(reader, json, "format", FORMAT_WORDS);
    options->compress = boolean(reader, json, "compress");
    options->timing = boolean(reader, json, "timing");
    options->full = boolean(reader, json, "full");
    options->launches = (uint32_t)whole(reader, member(reader, json, "launches"), "launches", 0, CHECK_MOST_LAUNCHES);
    if (json_object_get(json, "hidden"))
        text(reader, json, "hidden", options->hidden, sizeof options->hidden);
    if (json_object_get(json, "source")) {
        unsigned source = word(reader, json, "source", "stored|harvested|merged");
        options->harvested = source == 1;
        options->merged = source == 2;
        options->stored = true;
        text(reader, json, "origin", options->origin, sizeof options->origin);
    }
    options->shard_rows = whole(reader, member(reader, json, "shard_rows"), "shard_rows", 1, MOST);
    options->checkpoint_rows = whole(reader, member(reader, json, "checkpoint_rows"), "checkpoint_rows", 1, MOST);
    read_splits(reader, member(reader, json, "splits"), options);
    read_piece(reader, json_object_get(json, "piece"), options);
    read_weights(reader, member(reader, json, "categories"), &options->weights);
    read_range(reader, json, options);
    bool one_split = options->splits[0] == 1 && !options->splits[1] && !options->splits[2];
    if (options->format == FORMAT_JSON && (options->compress || options->piece_count || !one_split || !options->full))
        blame(reader, "format");
    if (options->format == FORMAT_PARQUET && !options->compress)
        blame(reader, "compress");
    if (options->launches && !options->verify)
        blame(reader, "launches");
    if (options->stored && (options->piece_count || options->timing))
        blame(reader, "source");
}

/* The sources of a merged set, which is harvested if one of them is. */
static void read_sources(ManifestReader *reader, json_t *list, Manifest *manifest)
{
    size_t count = json_array_size(list);
    uint64_t rows = 0, given = 0;
    json_t *item;
    size_t index;
    if (!json_is_array(list) || count > MOST_SOURCES || (manifest->complete && count < 2))
        blame(reader, "sources");
    manifest->sources = reader->problem ? NULL : calloc(count + 1, sizeof *manifest->sources);
    if (!manifest->sources) {
        blame(reader, "sources");
        return;
    }
    manifest->source_count = (uint32_t)count;
    json_array_foreach(list, index, item)
    {
        MergedSource *source = &manifest->sources[index];
        read_options(reader, member(reader, item, "options"), &source->options);
        source->options.warp = manifest->options.warp;
        given += source->given = number(reader, item, "given");
        rows += source->rows = whole(reader, member(reader, item, "rows"), "rows", 0, source->given);
        text(reader, item, "manifest", source->manifest, sizeof source->manifest);
        const CorpusOptions *options = &source->options;
        if (options->merged || options->piece_count || options->whole_end || options->hidden[0] || options->timing)
            blame(reader, "sources");
        manifest->options.harvested |= options->harvested;
    }
    char origin[sizeof manifest->options.origin];
    manifest_origin_of(manifest->sources, count, origin);
    if (manifest->complete && strcmp(origin, manifest->options.origin) != 0)
        blame(reader, "origin");
    if (manifest->complete && (rows != manifest->rows || given != manifest->options.count))
        blame(reader, "sources");
}

/* ---- counters and shards ---- */

static void read_sizes(ManifestReader *reader, json_t *json, Counters *counters)
{
    json_t *splits = member(reader, json, "split_bytes"), *texts = member(reader, json, "texts");
    for (int i = 0; i < SPLIT_COUNT; i++)
        counters->split_bytes[i] = number(reader, splits, split_name((Split)i));
    for (int i = 0; i < MEASURED_COLUMNS; i++) {
        json_t *text_size = member(reader, texts, measured_columns[i]);
        counters->texts[i].bytes = number(reader, text_size, "bytes");
        counters->texts[i].tokens = number(reader, text_size, "tokens");
    }
}

static void read_counters(ManifestReader *reader, json_t *json, Counters *counters)
{
    const char *name;
    json_t *item;
    json_object_foreach(member(reader, json, "by_category"), name, item)
    {
        int category = category_named(name);
        if (category == CATEGORY_COUNT)
            blame(reader, "by_category");
        else
            counters->by_category[category] = whole(reader, item, "by_category", 1, MOST);
    }
    json_t *splits = member(reader, json, "by_split");
    for (int i = 0; i < SPLIT_COUNT; i++)
        counters->by_split[i] = number(reader, splits, split_name((Split)i));
    json_object_foreach(member(reader, json, "rejected"), name, item)
    {
        unsigned reason = reason_of_name(name, strlen(name));
        if (reason == REASON_COUNT)
            blame(reader, "rejected");
        else
            counters->rejected[reason] = whole(reader, item, "rejected", 1, MOST);
    }
    counters->forward_lines = number(reader, json, "forward_lines");
    counters->backward_lines = number(reader, json, "backward_lines");
    counters->with_backward = number(reader, json, "with_backward");
    counters->record_bytes = number(reader, json, "record_bytes");
    read_sizes(reader, json, counters);
    counters->forward_pass = number(reader, json, "forward_pass");
    counters->gradient[GRADIENT_NONE] = number(reader, json, "gradient_none");
    counters->gradient[GRADIENT_PASS] = number(reader, json, "gradient_pass");
    counters->gradient[GRADIENT_MISMATCH] = number(reader, json, "gradient_mismatch");
    json_t *readable = member(reader, json, "readable");
    for (int i = 0; i < READABLE_COUNT; i++)
        counters->readable[i] = number(reader, readable, readable_verdict_name((ReadableVerdict)i));
    counters->readable_backward = number(reader, json, "readable_backward");
    counters->distinct_structures = number(reader, json, "distinct_structures");
    counters->distinct_masked = number(reader, json, "distinct_masked");
}

static void read_pending(ManifestReader *reader, json_t *pending, Manifest *manifest)
{
    if (!pending)
        return;
    manifest->pending_rows =
        whole(reader, member(reader, pending, "rows"), "pending", 1, SPLIT_COUNT * (uint64_t)PARQUET_GROUP_ROWS);
    hash(reader, pending, manifest->pending_hash);
}

static Split read_split(ManifestReader *reader, json_t *item)
{
    for (int split = 0; split < SPLIT_COUNT; split++)
        if (strcmp(json_member_string(item, "split"), split_name((Split)split)) == 0)
            return (Split)split;
    blame(reader, "split");
    return SPLIT_TRAIN;
}

static void read_shard(ManifestReader *reader, json_t *item, Manifest *manifest, uint32_t numbers[SPLIT_COUNT])
{
    const CorpusOptions *options = &manifest->options;
    ShardEntry entry = {0};
    ShardName name;
    char pattern[SHARD_NAME_SIZE];
    text(reader, item, "file", entry.file, sizeof entry.file);
    hash(reader, item, entry.hash);
    entry.split = read_split(reader, item);
    entry.number = numbers[entry.split]++;
    entry.rows = number(reader, item, "rows");
    entry.bytes = number(reader, item, "bytes");
    if (options->format == FORMAT_JSON) {
        shard_name(options, SPLIT_TRAIN, 0, SHARD_FINAL, 0, pattern);
        if (strcmp(entry.file, pattern) != 0 || entry.split != SPLIT_TRAIN || entry.number)
            blame(reader, "file");
    } else if (!shard_name_read(options, entry.file, &name) || name.split != entry.split ||
               name.number != entry.number || (manifest->complete && name.state != SHARD_FINAL))
        blame(reader, "file");
    else if (entry.rows > options->shard_rows)
        blame(reader, "rows");
    if (has_details(options)) {
        json_t *details = member(reader, item, "details");
        hash(reader, details, entry.details_hash);
        entry.details_bytes = number(reader, details, "bytes");
    }
    if (!reader->problem && !manifest_add_shard(manifest, &entry))
        blame(reader, "shards");
}

static void read_shards(ManifestReader *reader, json_t *list, Manifest *manifest)
{
    uint32_t numbers[SPLIT_COUNT] = {0};
    uint64_t rows = 0;
    json_t *item;
    size_t index;
    json_array_foreach(list, index, item)
    {
        read_shard(reader, item, manifest, numbers);
        if (reader->problem)
            return;
        rows += manifest->shards[manifest->shard_count - 1].rows;
    }
    if (rows + manifest->pending_rows != manifest->rows)
        blame(reader, "rows");
    for (uint32_t i = 0; i < manifest->shard_count && manifest->complete; i++) {
        ShardName name;
        const ShardEntry *entry = &manifest->shards[i];
        if (shard_name_read(&manifest->options, entry->file, &name) && name.of != numbers[entry->split])
            blame(reader, "file");
    }
}

/* ---- the whole ---- */

static void read_all(ManifestReader *reader, json_t *json, Manifest *manifest)
{
    word(reader, json, "format", MANIFEST_FORMAT);
    text(reader, json, "weft_version", manifest->weft_version, sizeof manifest->weft_version);
    text(reader, json, "warp_version", manifest->warp_version, sizeof manifest->warp_version);
    text(reader, json, "generator", manifest->generator, sizeof manifest->generator);
    if (reader->problem)
        return;
    read_options(reader, member(reader, json, "options"), &manifest->options);
    manifest->options.warp = weft_find_warp(manifest->warp_version);
    if (!manifest->options.warp)
        blame(reader, "warp_version");
    read_counters(reader, member(reader, json, "counters"), &manifest->counters);
    manifest->complete = boolean(reader, json, "complete");
    manifest->rows = number(reader, json, "rows");
    manifest->next = number(reader, json, "next_index");
    if (manifest->options.piece_count)
        manifest->kept = number(reader, json, "kept");
    else if (manifest->rows > manifest->options.count ||
             (manifest->complete && manifest_progress(manifest) != manifest->options.count))
        blame(reader, "rows");
    if (manifest->rows > manifest->next || manifest->next < manifest->options.first)
        blame(reader, "next_index");
    if (manifest->kept > manifest->rows)
        blame(reader, "kept");
    if (!manifest->complete) {
        manifest->milliseconds = number(reader, json, "milliseconds");
        read_pending(reader, json_object_get(json, "pending"), manifest);
    }
    if (manifest->options.merged)
        read_sources(reader, member(reader, json, "sources"), manifest);
    if (!reader->problem)
        read_shards(reader, member(reader, json, "shards"), manifest);
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
    ManifestReader reader = {0};
    json_t *json = json_read(bytes, len);
    for (int format = 1; json && format < RECORD_FORMAT; format++)
        if (strcmp(json_member_string(json, "format"), format == 1 ? MANIFEST_FORMAT_1 : MANIFEST_FORMAT_2) == 0) {
            json_decref(json);
            return corpus_fail(error,
                               "%s is a data set of format %d, and this weft reads format %d: make it again with the "
                               "options in its " MANIFEST_NAME,
                               dir, format, RECORD_FORMAT);
        }
    if (json)
        read_all(&reader, json, manifest);
    else
        reader.problem = "format";
    json_decref(json);
    if (!reader.problem) {
        Text again;
        text_init(&again);
        manifest_text(manifest, &again);
        bool failed = again.failed;
        unsigned line = failed ? 1 : first_difference(bytes, len, again.data, again.len);
        text_free(&again);
        if (!line)
            return true;
        if (failed) /* the file may be as it should */
            corpus_fail(error, "cannot read %s/" MANIFEST_NAME ": out of memory", dir);
        else
            corpus_fail(error, "%s/" MANIFEST_NAME " is damaged: line %u is not as weft wrote it", dir, line);
    } else
        corpus_fail(error, "%s/" MANIFEST_NAME " is damaged: '%s' is wrong or missing", dir, reader.problem);
    manifest_free(manifest);
    return false;
}

bool manifest_read(Manifest *manifest, int dir_fd, const char *dir, bool *found, CorpusError *error)
{
    *manifest = (Manifest){0};
    *found = faccessat(dir_fd, MANIFEST_NAME, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    if (!*found && folder_is_unfinished(dir_fd))
        return corpus_fail(error, "%s is not finished: its file " UNFINISHED_NAME " names the command to run again",
                           dir);
    if (!*found)
        return true;
    size_t len;
    char *bytes = read_small_file(dir_fd, dir, MANIFEST_NAME, LIMIT_COMPANION_BYTES, &len, error);
    bool fine = bytes && manifest_parse(manifest, bytes, len, dir, error);
    free(bytes);
    return fine;
}
