/* Folders of data sets: is everything there that the manifest names, and nothing else? */
#include "base/limits.h"
#include "corpus/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

DIR *folder_list(int dir_fd, const char *dir, CorpusError *error)
{
    int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    if (!list) {
        corpus_fail(error, "cannot read the folder %s: %s", dir, strerror(errno));
        if (fd >= 0)
            close(fd);
    }
    return list;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

const char *folder_next(DIR *list, const char *dir, CorpusError *error)
{
    struct dirent *entry;
    do {
        errno = 0;
        entry = readdir(list);
    } while (entry && is_dots(entry->d_name));
    if (!entry && errno)
        corpus_fail(error, "cannot read the folder %s: %s", dir, strerror(errno));
    return entry ? entry->d_name : NULL;
}

bool folder_is_empty(int dir_fd, const char *dir, bool *empty, CorpusError *error)
{
    error->message[0] = 0;
    DIR *list = folder_list(dir_fd, dir, error);
    if (!list)
        return false;
    *empty = true;
    for (const char *name; (name = folder_next(list, dir, error));)
        if (strcmp(name, LOCK_NAME) != 0 && strcmp(name, UNFINISHED_NAME) != 0 &&
            strcmp(name, UNFINISHED_NAME ".tmp") != 0 && strcmp(name, MANIFEST_NAME ".tmp") != 0)
            *empty = false; /* those are there where a run was killed at the very start */
    closedir(list);
    return !error->message[0];
}

/* ---- is a file ours? ---- */

bool is_companion_name(const char *name)
{
    static const char *const names[] = {MANIFEST_NAME, STATS_NAME, CARD_NAME, LICENSE_NAME, HEADER_NAME, RUN_NAME};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len = strlen(names[i]);
        if (strncmp(name, names[i], len) == 0 && (!name[len] || strcmp(name + len, ".tmp") == 0))
            return true;
    }
    return strcmp(name, LOCK_NAME) == 0 || is_pending_name(name);
}

/* A name that this run gives to a shard: one of the manifest, or one that was begun after its last checkpoint. */
static bool is_shard(const Manifest *manifest, const uint32_t counts[SPLIT_COUNT], const char *name)
{
    const CorpusOptions *options = &manifest->options;
    ShardName shard;
    uint64_t row;
    if (options->format == FORMAT_JSON)
        return row_name_read(options, name, &row) && row < manifest->rows + options->checkpoint_rows;
    if (!shard_file_read(options, name, &shard))
        return false;
    uint64_t last = counts[shard.split] + options->checkpoint_rows / options->shard_rows + 1;
    return shard.number <= last && (shard.state != SHARD_FINAL || shard.of == counts[shard.split]);
}

static bool check_no_strangers(const Writer *writer, const uint32_t counts[SPLIT_COUNT], CorpusError *error)
{
    error->message[0] = 0;
    DIR *list = folder_list(writer->dir_fd, writer->dir, error);
    for (const char *name; !error->message[0] && (name = folder_next(list, writer->dir, error));)
        if (!is_companion_name(name) && !is_shard(&writer->manifest, counts, name))
            corpus_fail(error, "%s/%s is not a file of this data set: move it away, or use another folder", writer->dir,
                        name);
    if (list)
        closedir(list);
    return !error->message[0];
}

/* ---- are the shards as they were? ---- */

static bool fail_missing(const Writer *writer, const char *file, const ShardEntry *entry, CorpusError *error)
{
    return corpus_fail(error, "%s/%s is missing: the manifest has it with %llu records", writer->dir, file,
                       (unsigned long long)entry->rows);
}

/* They were renamed just before their records, or will be: they get the name that goes with that of these. */
static bool locate_details(const Writer *writer, const ShardEntry *entry, const uint32_t counts[SPLIT_COUNT],
                           CorpusError *error)
{
    char name[SHARD_NAME_SIZE], found[SHARD_NAME_SIZE], wanted[SHARD_NAME_SIZE];
    details_file(entry->file, wanted);
    if (faccessat(writer->dir_fd, wanted, F_OK, 0) == 0)
        return true;
    for (int state = writer->manifest.complete ? SHARD_FINAL : SHARD_OPEN; state <= SHARD_FINAL; state++) {
        shard_name(&writer->manifest.options, entry->split, entry->number, (ShardState)state, counts[entry->split],
                   name);
        details_file(name, found);
        if (renameat(writer->dir_fd, found, writer->dir_fd, wanted) == 0)
            return true;
    }
    return fail_missing(writer, wanted, entry, error);
}

/* A run may have been ended before the manifest learned of a new name. */
static bool locate(const Writer *writer, ShardEntry *entry, const uint32_t counts[SPLIT_COUNT], CorpusError *error)
{
    const CorpusOptions *options = &writer->manifest.options;
    if (options->format == FORMAT_JSON)
        return true;
    char name[SHARD_NAME_SIZE];
    for (int state = writer->manifest.complete ? SHARD_FINAL : SHARD_OPEN; state <= SHARD_FINAL; state++) {
        shard_name(options, entry->split, entry->number, (ShardState)state, counts[entry->split], name);
        if (faccessat(writer->dir_fd, name, F_OK, 0) != 0)
            continue;
        memcpy(entry->file, name, sizeof name);
        return !entry->details_hash[0] || locate_details(writer, entry, counts, error);
    }
    return fail_missing(writer, entry->file, entry, error);
}

static bool check_size(const Writer *writer, const ShardEntry *entry, CorpusError *error)
{
    struct stat info;
    bool open_shard = entry->rows < writer->manifest.options.shard_rows && !writer->manifest.complete;
    if (writer->manifest.options.format == FORMAT_JSON)
        return true;
    if (fstatat(writer->dir_fd, entry->file, &info, 0) != 0)
        return corpus_fail(error, "cannot read %s/%s: %s", writer->dir, entry->file, strerror(errno));
    if ((uint64_t)info.st_size < entry->bytes || (!open_shard && (uint64_t)info.st_size != entry->bytes))
        return fail_size(writer->dir, entry, info.st_size, error);
    return true;
}

bool folder_learn(Writer *writer, Split split, const char *line, size_t len)
{
    Candidate candidate;
    if (writer->manifest.options.piece_count)
        return true;
    if (writer->manifest.options.end)
        return read_record_head(line, len, &writer->last_row, NULL);
    if (!read_candidate(line, len, &candidate, writer->neighbours ? &writer->grams : NULL) ||
        hash_set_is_full(&writer->known) ||
        (writer->neighbours && !neighbours_add(writer->neighbours, &writer->grams, split)))
        return false;
    bool masked = writer->manifest.options.dedup == DEDUP_MASKED;
    hash_set_add(&writer->known, masked ? candidate.masked : candidate.structure);
    if (!masked)
        hash_set_add(&writer->masked, candidate.masked);
    return true;
}

static bool check_shard(Writer *writer, const ShardEntry *entry, CorpusError *error)
{
    ShardReader *reader =
        shard_open(writer->dir_fd, writer->dir, entry, &writer->manifest.options, entry->bytes, error);
    if (!reader)
        return false;
    uint64_t rows = 0;
    ShardEntry found;
    size_t len;
    bool fine = true;
    for (char *line; fine && (line = shard_line(reader, &len, error)); rows++)
        fine = folder_learn(writer, entry->split, line, len) ||
               corpus_fail(error, "%s/%s: record %llu is not a weft record", writer->dir, entry->file,
                           (unsigned long long)rows);
    fine = fine && !error->message[0];
    shard_sum(reader, &found);
    shard_reader_free(reader);
    if (fine && (rows != entry->rows || !shard_same_bytes(&found, entry)))
        fine = corpus_fail(error, "%s/%s does not match the manifest: it was changed", writer->dir, entry->file);
    return fine;
}

/* Beside the shards, a finished set has files that follow from its manifest. */
static bool check_companions(const Writer *writer, CorpusError *error)
{
    Text text;
    if (writer->manifest.options.piece_count)
        return true;
    text_init(&text);
    write_stats_json(&writer->manifest, &text);
    bool fine = companion_is(writer->dir_fd, writer->dir, STATS_NAME, &text, error);
    text.len = 0;
    write_card(&writer->manifest, &text);
    fine = fine && companion_is(writer->dir_fd, writer->dir, CARD_NAME, &text, error);
    text.len = 0;
    write_license(&writer->manifest.options, &text);
    fine = fine && companion_is(writer->dir_fd, writer->dir, LICENSE_NAME, &text, error);
    text.len = 0;
    text_str(&text, standalone_header());
    if (writer->manifest.options.readable)
        fine = fine && companion_is(writer->dir_fd, writer->dir, HEADER_NAME, &text, error);
    text_free(&text);
    return fine;
}

bool companion_is(int dir_fd, const char *dir, const char *name, const Text *expected, CorpusError *error)
{
    size_t len, at = 0;
    unsigned line = 1;
    char *bytes = read_small_file(dir_fd, dir, name, LIMIT_COMPANION_BYTES, &len, error);
    if (!bytes)
        return false;
    for (; at < len && at < expected->len && bytes[at] == expected->data[at]; at++)
        line += bytes[at] == '\n';
    free(bytes);
    if (expected->failed)
        return corpus_fail(error, "out of memory");
    return (at == len && at == expected->len) ||
           corpus_fail(error, "%s/%s: line %u is not what the data set gives: it was changed", dir, name, line);
}

bool folder_check(Writer *writer, CorpusError *error)
{
    const Manifest *manifest = &writer->manifest;
    uint32_t counts[SPLIT_COUNT];
    for (int split = 0; split < SPLIT_COUNT; split++)
        counts[split] = manifest_count_shards(manifest, (Split)split);
    if (!check_no_strangers(writer, counts, error))
        return false;
    for (uint32_t i = 0; i < manifest->shard_count; i++) {
        ShardEntry *entry = &manifest->shards[i];
        if (!locate(writer, entry, counts, error) || !check_size(writer, entry, error) ||
            !(manifest->complete ? shard_check_bytes(writer->dir_fd, writer->dir, entry, error)
                                 : check_shard(writer, entry, error)))
            return false;
    }
    return !manifest->complete || check_companions(writer, error);
}
