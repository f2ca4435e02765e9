/* Folders of data sets: is everything there that the manifest names, and nothing else? */
#include "base/folder.h"
#include "corpus/writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

double corpus_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int folder_open(const char *dir, bool make, CorpusError *error)
{
    if (make && !make_folder_path(dir)) {
        corpus_fail(error, "cannot make the folder %s: %s", dir, strerror(errno));
        return -1;
    }
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        corpus_fail(error, "cannot open the folder %s: %s", dir, strerror(errno));
        return -1;
    }
    if (make && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        corpus_fail(error, "another run is writing to %s", dir);
        close(fd);
        return -1;
    }
    return fd;
}

static DIR *list_folder(int dir_fd, const char *dir, CorpusError *error)
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

bool folder_is_empty(int dir_fd, const char *dir, bool *empty, CorpusError *error)
{
    DIR *list = list_folder(dir_fd, dir, error);
    if (!list)
        return false;
    *empty = true;
    for (struct dirent *entry; (entry = readdir(list));)
        if (!is_dots(entry->d_name) && strcmp(entry->d_name, MANIFEST_NAME ".tmp") != 0) /* killed at the very start */
            *empty = false;
    closedir(list);
    return true;
}

/* ---- is a file ours? ---- */

static bool is_companion(const char *name)
{
    static const char *const names[] = {MANIFEST_NAME, "stats.json", "README.md"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len = strlen(names[i]);
        if (strncmp(name, names[i], len) == 0 && (!name[len] || strcmp(name + len, ".tmp") == 0))
            return true;
    }
    return false;
}

/* A name that this run gives to a shard: one of the manifest, or one that was begun after its last checkpoint. */
static bool is_shard(const Manifest *manifest, const char *name)
{
    const CorpusOptions *options = &manifest->options;
    char expected[SHARD_NAME_SIZE];
    if (options->format == FORMAT_JSON) {
        shard_name(options, SPLIT_TRAIN, 0, SHARD_FINAL, 0, expected);
        size_t stem = strcspn(expected, "*");
        char *end;
        if (strncmp(name, expected, stem) != 0)
            return false;
        unsigned long long row = strtoull(name + stem, &end, 10);
        char right[SHARD_NAME_SIZE];
        row_name(expected, row, right);
        return strcmp(name, right) == 0 && row < manifest->rows + options->checkpoint_rows;
    }
    for (int split = 0; split < SPLIT_COUNT; split++) {
        uint32_t known = manifest_count_shards(manifest, (Split)split);
        uint64_t last = known + options->checkpoint_rows / options->shard_rows + 1;
        for (uint32_t number = 0; number <= last; number++)
            for (int state = SHARD_OPEN; state <= SHARD_FINAL; state++) {
                shard_name(options, (Split)split, number, (ShardState)state, known, expected);
                if (strcmp(name, expected) == 0)
                    return true;
            }
    }
    return false;
}

static bool check_no_strangers(const Writer *writer, CorpusError *error)
{
    DIR *list = list_folder(writer->dir_fd, writer->dir, error);
    bool fine = list != NULL;
    for (struct dirent *entry; fine && (entry = readdir(list));)
        if (!is_dots(entry->d_name) && !is_companion(entry->d_name) && !is_shard(&writer->manifest, entry->d_name))
            fine = corpus_fail(error, "%s/%s is not a file of this data set: move it away, or use another folder",
                               writer->dir, entry->d_name);
    if (list)
        closedir(list);
    return fine;
}

/* ---- are the shards as they were? ---- */

/* A run may have been ended before the manifest learned of a new name. */
static bool locate(const Writer *writer, ShardEntry *entry, CorpusError *error)
{
    const CorpusOptions *options = &writer->manifest.options;
    if (options->format == FORMAT_JSON)
        return true;
    uint32_t of = manifest_count_shards(&writer->manifest, entry->split);
    char name[SHARD_NAME_SIZE];
    for (int state = SHARD_OPEN; state <= SHARD_FINAL; state++) {
        shard_name(options, entry->split, entry->number, (ShardState)state, of, name);
        if (faccessat(writer->dir_fd, name, F_OK, 0) != 0)
            continue;
        memcpy(entry->file, name, sizeof name);
        return true;
    }
    return corpus_fail(error, "%s/%s is missing: the manifest has it with %llu records", writer->dir, entry->file,
                       (unsigned long long)entry->rows);
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
        return corpus_fail(error, "%s/%s has %lld bytes, but the manifest says %llu: it was changed", writer->dir,
                           entry->file, (long long)info.st_size, (unsigned long long)entry->bytes);
    return true;
}

static bool learn_line(Writer *writer, const char *line, size_t len)
{
    Candidate candidate;
    if (writer->manifest.options.piece_count)
        return true;
    if (!scan_record(line, len, &candidate) || hash_set_is_full(&writer->known))
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
        shard_open(writer->dir_fd, writer->dir, entry, writer->manifest.options.compress, entry->bytes, error);
    if (!reader)
        return false;
    uint64_t rows = 0, bytes;
    char hash[HASH_HEX_SIZE];
    size_t len;
    bool fine = true;
    for (char *line; fine && (line = shard_line(reader, &len, error)); rows++)
        fine = learn_line(writer, line, len) || corpus_fail(error, "%s/%s: record %llu is not one of weft", writer->dir,
                                                            entry->file, (unsigned long long)rows);
    fine = fine && !error->message[0];
    shard_sum(reader, hash, &bytes);
    shard_reader_free(reader);
    if (fine && (rows != entry->rows || strcmp(hash, entry->hash) != 0))
        fine = corpus_fail(error, "%s/%s is not as the manifest says: it was changed", writer->dir, entry->file);
    return fine;
}

bool folder_check(Writer *writer, CorpusError *error)
{
    if (!check_no_strangers(writer, error))
        return false;
    error->message[0] = 0;
    for (uint32_t i = 0; i < writer->manifest.shard_count; i++) {
        ShardEntry *entry = &writer->manifest.shards[i];
        if (!locate(writer, entry, error) || !check_size(writer, entry, error) ||
            (!writer->manifest.complete && !check_shard(writer, entry, error)))
            return false;
    }
    return true;
}
