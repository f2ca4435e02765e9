#include "corpus/each_record.h"

#include "corpus/manifest.h"
#include "corpus/writer.h"

#include <string.h>
#include <unistd.h>

typedef struct Reading {
    const char *set;
    int set_fd;
    Manifest manifest;
    const RecordVisitor *visitor;
    uint64_t records;
} Reading;

static bool read_shard(Reading *reading, const ShardEntry *entry, CorpusError *error)
{
    const RecordVisitor *visitor = reading->visitor;
    ShardReader *reader =
        shard_open(reading->set_fd, reading->set, entry, reading->manifest.options.compress, UINT64_MAX, error);
    bool fine = reader;
    size_t len;
    for (char *line; fine && (line = shard_line(reader, &len, error));) {
        fine = visitor->visit(line, len, entry->split, visitor->user, error) && !(visitor->stop && *visitor->stop);
        reading->records++;
        if (visitor->progress)
            visitor->progress(reading->records, reading->manifest.rows, visitor->user);
    }
    if (fine && !error->message[0]) {
        char hash[HASH_HEX_SIZE];
        uint64_t bytes;
        shard_sum(reader, hash, &bytes);
        if (strcmp(hash, entry->hash) != 0)
            corpus_fail(error, "%s/%s is not as its manifest says: it was changed", reading->set, entry->file);
    }
    shard_reader_free(reader);
    return fine && !error->message[0];
}

static bool open_set(Reading *reading, CorpusError *error)
{
    bool found;
    const char *warp = reading->visitor->warp, *set = reading->set;
    reading->set_fd = folder_open(set, error);
    if (reading->set_fd < 0 || !manifest_read(&reading->manifest, reading->set_fd, set, &found, error))
        return false;
    if (!found)
        return corpus_fail(error, "%s has no " MANIFEST_NAME ": it is not a weft data set", set);
    if (reading->manifest.options.piece_count)
        return corpus_fail(error, "%s is a piece: join all of them with weft merge first", set);
    if (!reading->manifest.complete)
        return corpus_fail(error, "%s is not finished: continue it with weft produce --resume", set);
    return !warp || strcmp(warp, reading->manifest.warp_version) == 0 ||
           corpus_fail(error, "%s is of Warp %s, not %s", set, reading->manifest.warp_version, warp);
}

bool corpus_each_record(const char *set, const RecordVisitor *visitor, CorpusError *error)
{
    Reading reading = {.set = set, .set_fd = -1, .visitor = visitor};
    bool fine = open_set(&reading, error);
    for (uint32_t i = 0; fine && i < reading.manifest.shard_count; i++)
        fine = read_shard(&reading, &reading.manifest.shards[i], error);
    manifest_free(&reading.manifest);
    if (reading.set_fd >= 0)
        close(reading.set_fd);
    return fine;
}
