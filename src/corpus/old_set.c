#include "corpus/old_set.h"

#include "base/choice.h"
#include "base/limits.h"
#include "base/safe_file.h"
#include "base/sha256.h"
#include "corpus/writer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The records of one split, file after file. */
typedef struct Stream {
    ShardReader *reader;
    uint32_t shard;   /* the one that is being read, or the next; among all of the set */
    uint64_t rows;    /* read from it */
    const char *line; /* the next record; NULL: not looked at, or the end */
    size_t len;
    uint64_t number; /* of its id */
    bool ended;
} Stream;

struct OldSet {
    const char *dir;
    int dir_fd;
    bool compressed;
    ShardEntry *shards;
    uint32_t shard_count;
    Stream streams[SPLIT_COUNT];
    Stream *last; /* whose record was handed out */
};

/* ---- the manifest ---- */

static unsigned option_word(const json_t *options, const char *name, const char *choices)
{
    int found = choice_find(choices, json_member_string(options, name));
    return found < 0 ? 0 : (unsigned)found;
}

static bool option_flag(const json_t *options, const char *name, bool otherwise)
{
    const json_t *value = json_object_get(options, name);
    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

static uint64_t option_number(const json_t *options, const char *name, uint64_t otherwise)
{
    const json_t *value = json_object_get(options, name);
    return json_is_integer(value) && json_integer_value(value) >= 0 ? (uint64_t)json_integer_value(value) : otherwise;
}

static void read_categories(const json_t *categories, CategoryWeights *weights)
{
    const char *name;
    json_t *weight;
    CategoryWeights read = {0};
    bool any = false;
    json_object_foreach((json_t *)(uintptr_t)categories, name, weight)
    {
        int category = category_named(name);
        if (category == CATEGORY_COUNT || !json_is_integer(weight))
            continue;
        read.weight[category] = (unsigned)json_integer_value(weight);
        any |= read.weight[category] > 0;
    }
    if (any)
        *weights = read;
}

/* Whoever changes a line of a manifest is found out by its last one; the oldest ones have none. */
static bool is_sealed(const char *bytes, size_t len)
{
    static const char seal[] = "\"sha256\": \"";
    unsigned char hash[32];
    char hex[65];
    const char *at = strstr(bytes, seal);
    if (!at)
        return true;
    sha256(bytes, (size_t)(at - bytes), hash);
    for (size_t i = 0; i < sizeof hash; i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    return strncmp(at + strlen(seal), hex, 64) == 0 && (size_t)(at - bytes) + strlen(seal) + 64 < len;
}

static void read_old_options(const json_t *manifest, const char *bytes, size_t len, CorpusOptions *options)
{
    const json_t *old = json_object_get(manifest, "options"), *splits = json_object_get(old, "splits");
    unsigned char hash[32];
    *options = corpus_default_options();
    options->warp = weft_find_warp(json_member_string(manifest, "warp_version"));
    options->count = option_number(manifest, "rows", 0);
    options->seed = option_number(manifest, "seed", 0);
    options->device = option_word(old, "device", DEVICE_WORDS) + 1;
    options->backward = option_flag(old, "backward", true);
    options->verify = option_flag(old, "verify", true);
    options->gradients = (GradientRule)option_word(old, "gradients", GRADIENT_RULE_WORDS);
    options->dedup = (DedupRule)option_word(old, "dedup", DEDUP_RULE_WORDS);
    options->format = (CorpusFormat)option_word(old, "format", FORMAT_WORDS);
    options->compress = option_flag(old, "compress", options->format == FORMAT_JSONL);
    options->launches = options->verify ? options->launches : 0;
    options->shard_rows = option_number(old, "shard_rows", options->shard_rows);
    options->checkpoint_rows = option_number(old, "checkpoint_rows", options->checkpoint_rows);
    for (size_t i = 0; json_array_size(splits) == SPLIT_COUNT && i < SPLIT_COUNT; i++)
        options->splits[i] = (unsigned)json_integer_value(json_array_get(splits, i));
    read_categories(json_object_get(old, "categories"), &options->weights);
    options->stored = true;
    sha256(bytes, len, hash);
    for (size_t i = 0; i < sizeof options->origin / 2; i++)
        snprintf(options->origin + 2 * i, 3, "%02x", hash[i]);
}

static bool read_old_shards(OldSet *set, const json_t *list)
{
    const json_t *item;
    size_t i;
    set->shards = calloc(json_array_size(list) + 1, sizeof *set->shards);
    json_array_foreach((json_t *)(uintptr_t)list, i, item)
    {
        const char *file = json_member_string(item, "file"), *split = json_member_string(item, "split");
        const char *hash = json_member_string(item, "xxh3_128");
        size_t len = strcspn(file, "*");
        char plain[SHARD_NAME_SIZE];
        if (!set->shards || strlen(file) >= SHARD_NAME_SIZE || strlen(hash) != HASH_HEX_SIZE - 1)
            return false;
        snprintf(plain, sizeof plain, "%.*s%s", (int)len, file, file + len + (file[len] == '*'));
        if (!is_plain_name(plain))
            return false;
        ShardEntry *entry = &set->shards[set->shard_count++];
        snprintf(entry->file, sizeof entry->file, "%s", file);
        snprintf(entry->hash, sizeof entry->hash, "%s", hash);
        entry->rows = option_number(item, "rows", 0);
        entry->bytes = option_number(item, "bytes", 0);
        for (int s = 0; s < SPLIT_COUNT; s++)
            if (strcmp(split, split_name((Split)s)) == 0)
                entry->split = (Split)s;
    }
    return set->shards;
}

static bool read_old_manifest(OldSet *set, CorpusOptions *options, CorpusError *error)
{
    size_t len;
    char *bytes = read_small_file(set->dir_fd, set->dir, MANIFEST_NAME, LIMIT_COMPANION_BYTES, &len, error);
    if (!bytes)
        return false;
    json_t *manifest = json_read(bytes, len);
    const char *format = json_member_string(manifest, "format");
    bool fine = false;
    if (strcmp(format, MANIFEST_FORMAT) == 0)
        corpus_fail(error, "%s is a data set of format 2 already: there is nothing to rewrite", set->dir);
    else if (!manifest || strncmp(format, MANIFEST_FORMAT_1, strlen(MANIFEST_FORMAT_1) - 1) != 0)
        corpus_fail(error, "%s/" MANIFEST_NAME " is not that of a weft data set", set->dir);
    else if (!is_sealed(bytes, len))
        corpus_fail(error, "%s/" MANIFEST_NAME " is damaged: it was changed after weft wrote it", set->dir);
    else if (!json_is_true(json_object_get(manifest, "complete")))
        corpus_fail(error, "%s is not finished: only finished data sets are rewritten", set->dir);
    else if (json_object_get(json_object_get(manifest, "options"), "piece"))
        corpus_fail(error, "%s is a piece: join the pieces with the weft that made them first", set->dir);
    else {
        read_old_options(manifest, bytes, len, options);
        set->compressed = options->compress;
        if (!options->warp)
            corpus_fail(error, "%s is for Warp %s, which this weft does not write", set->dir,
                        json_member_string(manifest, "warp_version"));
        else if (!options->count || !options->shard_rows || !options->checkpoint_rows ||
                 !read_old_shards(set, json_object_get(manifest, "shards")))
            corpus_fail(error, "%s/" MANIFEST_NAME " is damaged: rows, options or shards are wrong", set->dir);
        else
            fine = true;
    }
    json_decref(manifest);
    free(bytes);
    return fine;
}

OldSet *old_set_open(const char *dir, CorpusOptions *options, CorpusError *error)
{
    OldSet *set = calloc(1, sizeof *set);
    if (!set) {
        corpus_fail(error, "out of memory");
        return NULL;
    }
    set->dir = dir;
    set->dir_fd = folder_open(dir, error);
    if (set->dir_fd >= 0 && read_old_manifest(set, options, error))
        return set;
    old_set_free(set);
    return NULL;
}

void old_set_free(OldSet *set)
{
    if (!set)
        return;
    for (int split = 0; split < SPLIT_COUNT; split++)
        shard_reader_free(set->streams[split].reader);
    if (set->dir_fd >= 0)
        close(set->dir_fd);
    free(set->shards);
    free(set);
}

/* ---- records ---- */

/* cuda_0000042 */
static uint64_t number_of_id(const char *line)
{
    static const char head[] = "{\"id\": \"";
    const char *at = strncmp(line, head, strlen(head)) == 0 ? line + strlen(head) : "";
    at += strcspn(at, "_\"");
    return *at == '_' && isdigit((unsigned char)at[1]) ? strtoull(at + 1, NULL, 10) : UINT64_MAX;
}

static bool finish_file(OldSet *set, Stream *stream, CorpusError *error)
{
    const ShardEntry *entry = &set->shards[stream->shard];
    char hash[HASH_HEX_SIZE];
    uint64_t bytes;
    shard_sum(stream->reader, hash, &bytes);
    shard_reader_free(stream->reader);
    stream->reader = NULL;
    if (stream->rows != entry->rows || strcmp(hash, entry->hash) != 0)
        return corpus_fail(error, "%s/%s is not as its manifest says: it was changed", set->dir, entry->file);
    stream->shard++;
    stream->rows = 0;
    return true;
}

/* Looks at the next record of a split. */
static bool look_ahead(OldSet *set, Split split, CorpusError *error)
{
    Stream *stream = &set->streams[split];
    while (!stream->line && !stream->ended) {
        if (!stream->reader) {
            while (stream->shard < set->shard_count && set->shards[stream->shard].split != split)
                stream->shard++;
            stream->ended = stream->shard == set->shard_count;
            if (stream->ended)
                break;
            stream->reader =
                shard_open(set->dir_fd, set->dir, &set->shards[stream->shard], set->compressed, SHARD_WHOLE, error);
            if (!stream->reader)
                return false;
        }
        stream->line = shard_line(stream->reader, &stream->len, error);
        if (stream->line) {
            stream->rows++;
            stream->number = number_of_id(stream->line);
        } else if (error->message[0] || !finish_file(set, stream, error))
            return false;
    }
    return true;
}

const char *old_set_next(OldSet *set, size_t *len, CorpusError *error)
{
    if (set->last)
        set->last->line = NULL;
    set->last = NULL;
    for (int split = 0; split < SPLIT_COUNT; split++) {
        Stream *stream = &set->streams[split];
        if (!look_ahead(set, (Split)split, error))
            return NULL;
        if (stream->line && (!set->last || stream->number < set->last->number))
            set->last = stream;
    }
    if (!set->last)
        return NULL;
    *len = set->last->len;
    return set->last->line;
}
