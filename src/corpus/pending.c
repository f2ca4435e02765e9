/* A run is interrupted between two frames: records outside whole frames go into a file of their own,
 * `pending-ROWS.jsonl`. A resumed run adds them to their shards again. So no record is lost, and the shards are the
 * same as without the interruption. */
#include "base/limits.h"
#include "corpus/writer.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void pending_name(uint64_t rows, char name[SHARD_NAME_SIZE])
{
    snprintf(name, SHARD_NAME_SIZE, "pending-%" PRIu64 ".jsonl", rows);
}

bool is_pending_name(const char *name)
{
    char expected[SHARD_NAME_SIZE];
    if (strncmp(name, "pending-", 8) != 0 || !isdigit((unsigned char)name[8]))
        return false;
    pending_name(strtoull(name + 8, NULL, 10), expected);
    size_t len = strlen(expected);
    return strncmp(name, expected, len) == 0 && (!name[len] || strcmp(name + len, ".tmp") == 0);
}

static void hash_of(const char *bytes, size_t len, char hex[HASH_HEX_SIZE])
{
    XXH128_hash_t hash = XXH3_128bits(bytes, len);
    snprintf(hex, HASH_HEX_SIZE, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
}

bool pending_write(Writer *writer, const Text *lines, CorpusError *error)
{
    Manifest *manifest = &writer->manifest;
    char name[SHARD_NAME_SIZE];
    if (lines->failed)
        return corpus_fail(error, "out of memory");
    manifest->pending_rows = text_count(lines, '\n');
    if (!lines->len)
        return true;
    hash_of(lines->data, lines->len, manifest->pending_hash);
    pending_name(manifest->rows, name);
    return write_file_safely(writer->dir_fd, writer->dir, name, lines->data, lines->len, error);
}

void pending_clean(const Writer *writer)
{
    char keep[SHARD_NAME_SIZE] = "";
    if (writer->manifest.pending_rows)
        pending_name(writer->manifest.rows, keep);
    CorpusError ignored; /* what stays is removed next time */
    DIR *list = folder_list(writer->dir_fd, writer->dir, &ignored);
    for (const char *found; list && (found = folder_next(list, writer->dir, &ignored));)
        if (is_pending_name(found) && strcmp(found, keep) != 0)
            unlinkat(writer->dir_fd, found, 0);
    if (list)
        closedir(list);
}

/* Pending lines lie split by split: of each, there are as many as are in no shard. */
static void count_pending(const Manifest *manifest, uint64_t left[SPLIT_COUNT])
{
    memcpy(left, manifest->counters.by_split, SPLIT_COUNT * sizeof *left);
    for (uint32_t i = 0; i < manifest->shard_count; i++)
        left[manifest->shards[i].split] -= manifest->shards[i].rows;
}

/* SPLIT_COUNT: there are more lines than that. */
static Split next_split(uint64_t left[SPLIT_COUNT])
{
    int split = 0;
    while (split < SPLIT_COUNT && !left[split])
        split++;
    if (split < SPLIT_COUNT)
        left[split]--;
    return (Split)split;
}

static bool add_line(Writer *writer, Split split, const char *line, size_t len, PendingLine *add, CorpusError *error)
{
    Candidate candidate;
    bool piece = writer->manifest.options.piece_count, record = read_candidate(line, len, &candidate, NULL);
    size_t head = record ? candidate.start : len; /* a piece has lines without a record */
    if (!record && !piece)
        return corpus_fail(error, "%s: a pending record is not a weft record", writer->dir);
    return add(writer, split, line, head, len, error);
}

bool pending_read(Writer *writer, PendingLine *add, CorpusError *error)
{
    Manifest *manifest = &writer->manifest;
    char name[SHARD_NAME_SIZE], hash[HASH_HEX_SIZE];
    size_t len, at = 0;
    if (!manifest->pending_rows)
        return true;
    pending_name(manifest->rows, name);
    char *lines = read_small_file(writer->dir_fd, writer->dir, name, LIMIT_GROUP_BYTES, &len, error);
    if (!lines)
        return false;
    hash_of(lines, len, hash);
    uint64_t rows = 0, left[SPLIT_COUNT];
    bool fine = strcmp(hash, manifest->pending_hash) == 0;
    count_pending(manifest, left);
    for (; fine && at < len; rows++) {
        size_t end = at + strcspn(lines + at, "\n");
        Split split = manifest->options.piece_count ? SPLIT_TRAIN : next_split(left);
        fine = end < len && split < SPLIT_COUNT && writer->initialized[split] &&
               add_line(writer, split, lines + at, end - at, add, error);
        at = end + 1;
    }
    free(lines);
    return (fine && rows == manifest->pending_rows) ||
           (!error->message[0] &&
            corpus_fail(error, "%s/%s does not match the manifest: it was changed", writer->dir, name));
}
