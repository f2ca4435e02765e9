#include "corpus/each_record.h"

#include "corpus/manifest.h"
#include "corpus/writer.h"

#include <string.h>
#include <unistd.h>

struct RecordReader {
    char *set;
    int set_fd, split;
    Manifest manifest;
    ShardReader *shard; /* NULL: none is open */
    uint32_t next;      /* shard to open */
    bool slim;          /* without details */
};

static bool open_set(RecordReader *reader, const char *warp, CorpusError *error)
{
    bool found;
    const char *set = reader->set;
    reader->set_fd = folder_open(set, error);
    if (reader->set_fd < 0 || !manifest_read(&reader->manifest, reader->set_fd, set, &found, error))
        return false;
    if (!found)
        return corpus_fail(error, "%s has no " MANIFEST_NAME ": it is not a weft data set", set);
    if (reader->manifest.options.piece_count)
        return corpus_fail(error, "%s is a piece: join all of them with weft merge first", set);
    if (!reader->manifest.complete)
        return fail_unfinished(&reader->manifest, set, error);
    return !warp || strcmp(warp, reader->manifest.warp_version) == 0 ||
           corpus_fail(error, "%s is of Warp %s, not %s", set, reader->manifest.warp_version, warp);
}

RecordReader *record_reader_open(const char *set, const char *warp, int split, CorpusError *error)
{
    RecordReader *reader = calloc(1, sizeof *reader);
    if (reader) {
        *reader = (RecordReader){.set = strdup(set), .set_fd = -1, .split = split};
        if (reader->set && open_set(reader, warp, error))
            return reader;
    }
    if (!reader || !reader->set)
        corpus_fail(error, "out of memory");
    record_reader_close(reader);
    return NULL;
}

void record_reader_close(RecordReader *reader)
{
    if (!reader)
        return;
    shard_reader_free(reader->shard);
    manifest_free(&reader->manifest);
    if (reader->set_fd >= 0)
        close(reader->set_fd);
    free(reader->set);
    free(reader);
}

void record_reader_slim(RecordReader *reader)
{
    reader->slim = true;
}

const CorpusOptions *record_reader_options(const RecordReader *reader)
{
    return &reader->manifest.options;
}

static bool open_shard(RecordReader *reader, CorpusError *error)
{
    const Manifest *manifest = &reader->manifest;
    while (reader->next < manifest->shard_count && reader->split >= 0 &&
           (int)manifest->shards[reader->next].split != reader->split)
        reader->next++;
    if (reader->next == manifest->shard_count)
        return false;
    const ShardEntry *entry = &manifest->shards[reader->next++];
    reader->shard = reader->slim
                        ? shard_open_slim(reader->set_fd, reader->set, entry, &manifest->options, error)
                        : shard_open(reader->set_fd, reader->set, entry, &manifest->options, SHARD_WHOLE, error);
    return reader->shard;
}

/* After its last line: was the shard what the manifest says? */
static bool end_shard(RecordReader *reader, CorpusError *error)
{
    const ShardEntry *entry = &reader->manifest.shards[reader->next - 1];
    ShardEntry found;
    if (!error->message[0]) {
        shard_sum(reader->shard, &found);
        if (!shard_same_bytes(&found, entry))
            corpus_fail(error, "%s/%s is not as its manifest says: it was changed", reader->set, entry->file);
    }
    shard_reader_free(reader->shard);
    reader->shard = NULL;
    return !error->message[0];
}

const char *record_reader_next(RecordReader *reader, size_t *len, Split *split, CorpusError *error)
{
    while (reader->shard || open_shard(reader, error)) {
        const char *line = shard_line(reader->shard, len, error);
        *split = reader->manifest.shards[reader->next - 1].split;
        if (line)
            return line;
        if (!end_shard(reader, error))
            return NULL;
    }
    return NULL;
}

bool corpus_each_record(const char *set, const RecordVisitor *visitor, CorpusError *error)
{
    RecordReader *reader = record_reader_open(set, visitor->warp, -1, error);
    const char *line;
    size_t len;
    Split split;
    uint64_t records = 0;
    bool fine = reader;
    while (fine && (line = record_reader_next(reader, &len, &split, error))) {
        fine = visitor->visit(line, len, split, visitor->user, error) && !(visitor->stop && *visitor->stop);
        records++;
        if (visitor->progress)
            visitor->progress(records, reader->manifest.rows, visitor->user);
    }
    record_reader_close(reader);
    return fine && !error->message[0];
}
