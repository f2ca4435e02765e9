/* Names of shards, made and recognised. */
#include "corpus/shard.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool shard_is_parquet(const CorpusOptions *options)
{
    return options->format == FORMAT_PARQUET && !options->piece_count;
}

const char *shard_suffix(const CorpusOptions *options)
{
    return shard_is_parquet(options) ? ".parquet" : options->compress ? ".jsonl.zst" : ".jsonl";
}

void shard_name(const CorpusOptions *options, Split split, uint32_t number, ShardState state, uint32_t of,
                char name[SHARD_NAME_SIZE])
{
    const char *suffix = shard_suffix(options);
    const char *stem = options->piece_count ? "piece" : split_name(split);
    if (options->format == FORMAT_JSON)
        snprintf(name, SHARD_NAME_SIZE, "%s_synth_*.json", options->device & DEVICE_SET_CUDA ? "cuda" : "cpu");
    else if (state == SHARD_FINAL)
        snprintf(name, SHARD_NAME_SIZE, "%s-%05u-of-%05u%s", stem, number, of, suffix);
    else
        snprintf(name, SHARD_NAME_SIZE, "%s-%05u%s%s", stem, number, suffix, state == SHARD_OPEN ? ".part" : "");
}

/* Lines of details end in .ndjson, so that `*.jsonl` finds records alone. Loaders of Parquet know one ending. */
static const char *const line_ends[] = {".jsonl", ".ndjson"};

/* The name with one end in place of the other. */
static void change_end(const char *prefix, const char *file, bool to_details, char name[SHARD_NAME_SIZE])
{
    const char *from = line_ends[!to_details], *to = line_ends[to_details], *at = strstr(file, from);
    int most = SHARD_NAME_SIZE - 1 - (int)strlen(prefix);
    if (at)
        snprintf(name, SHARD_NAME_SIZE, "%s%.*s%s%s", prefix, (int)(at - file), file, to, at + strlen(from));
    else
        snprintf(name, SHARD_NAME_SIZE, "%s%.*s", prefix, most, file);
}

void details_file(const char *file, char name[SHARD_NAME_SIZE])
{
    change_end(DETAILS_PREFIX, file, true, name);
}

const char *details_suffix(const CorpusOptions *options)
{
    return shard_is_parquet(options) ? ".parquet" : options->compress ? ".ndjson.zst" : ".ndjson";
}

bool shard_rename(int dir_fd, const ShardEntry *entry, const char *name)
{
    char from[SHARD_NAME_SIZE], to[SHARD_NAME_SIZE];
    details_file(entry->file, from);
    details_file(name, to);
    return strcmp(entry->file, name) == 0 || ((!entry->details_hash[0] || renameat(dir_fd, from, dir_fd, to) == 0) &&
                                              renameat(dir_fd, entry->file, dir_fd, name) == 0);
}

bool shard_file_read(const CorpusOptions *options, const char *name, ShardName *read)
{
    size_t prefix = strlen(DETAILS_PREFIX);
    if (!has_details(options) || strncmp(name, DETAILS_PREFIX, prefix) != 0)
        return shard_name_read(options, name, read);
    char records[SHARD_NAME_SIZE], details[SHARD_NAME_SIZE];
    change_end("", name + prefix, false, records);
    details_file(records, details);
    return strcmp(details, name) == 0 && shard_name_read(options, records, read);
}

void row_name(const char *pattern, uint64_t row, char name[SHARD_NAME_SIZE])
{
    const char *star = strchr(pattern, '*');
    snprintf(name, SHARD_NAME_SIZE, "%.*s%04" PRIu64 "%s", (int)(star - pattern), pattern, row, star + 1);
}

/* The digits at *at, no others and no more than a shard can have; moves *at behind them. */
static bool read_number(const char **at, uint32_t *number)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    unsigned long long value = strtoull(*at, &end, 10);
    *number = (uint32_t)value;
    *at = end;
    return value <= UINT32_MAX;
}

bool shard_name_read(const CorpusOptions *options, const char *name, ShardName *read)
{
    for (int split = 0; split < (options->piece_count ? 1 : SPLIT_COUNT); split++) {
        const char *stem = options->piece_count ? "piece" : split_name((Split)split);
        const char *at = name + strlen(stem);
        *read = (ShardName){.split = (Split)split};
        if (strncmp(name, stem, strlen(stem)) != 0 || *at++ != '-' || !read_number(&at, &read->number))
            continue;
        read->state = SHARD_CLOSED;
        if (strncmp(at, "-of-", 4) == 0) {
            at += 4;
            read->state = SHARD_FINAL;
            if (!read_number(&at, &read->of))
                continue;
        } else if (strlen(at) > 5 && strcmp(at + strlen(at) - 5, ".part") == 0)
            read->state = SHARD_OPEN;
        char expected[SHARD_NAME_SIZE];
        shard_name(options, read->split, read->number, read->state, read->of, expected);
        if (strcmp(name, expected) == 0)
            return true;
    }
    return false;
}

bool row_name_read(const CorpusOptions *options, const char *name, uint64_t *row)
{
    char pattern[SHARD_NAME_SIZE], expected[SHARD_NAME_SIZE];
    shard_name(options, SPLIT_TRAIN, 0, SHARD_FINAL, 0, pattern);
    size_t stem = strcspn(pattern, "*");
    if (strncmp(name, pattern, stem) != 0 || !isdigit((unsigned char)name[stem]))
        return false;
    *row = strtoull(name + stem, NULL, 10);
    row_name(pattern, *row, expected);
    return strcmp(name, expected) == 0;
}
