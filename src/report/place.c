/* A record by its number, read from its shard in place.
 *
 * A compressed shard is a row of zstd frames of some hundred records, so only the frame of the record is decompressed. Where frames begin,
 * and with which record, is found out when a shard is first asked for. Other forms of shards are read from their beginning. */
#include "report/overview.h"

#include "base/limits.h"
#include "base/safe_file.h"
#include "corpus/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

typedef struct Frame {
    size_t start, length; /* in the file */
    uint64_t first;       /* record, within the shard */
} Frame;

typedef struct Place { /* a shard, or the file with its details */
    const ShardEntry *entry;
    char file[SHARD_NAME_SIZE];
    uint64_t first; /* record */
    Frame *frames;
    size_t frame_count; /* 0: not yet looked for */
} Place;

struct Places {
    const Overview *overview;
    int set_fd;
    Place *shards, *details; /* details NULL: records have none */
    uint32_t count;
    ZSTD_DCtx *zstd;
    Text packed; /* bytes of a file */
    Text frame;  /* the one that was decompressed last */
    const Frame *frame_of;
};

Places *places_open(const Overview *overview, CorpusError *error)
{
    const Manifest *manifest = &overview->manifest;
    Places *places = calloc(1, sizeof *places);
    if (places)
        *places = (Places){.overview = overview,
                           .set_fd = folder_open(overview->set, error),
                           .shards = calloc(manifest->shard_count + 1, sizeof *places->shards),
                           .count = manifest->shard_count,
                           .zstd = ZSTD_createDCtx()};
    bool details = has_details(&manifest->options);
    if (places && details)
        places->details = calloc(manifest->shard_count + 1, sizeof *places->details);
    if (!places || !places->shards || !places->zstd || (details && !places->details))
        corpus_fail(error, "out of memory");
    else if (places->set_fd >= 0) {
        uint64_t first = 0;
        for (uint32_t i = 0; i < places->count; i++) {
            const ShardEntry *entry = &manifest->shards[i];
            places->shards[i] = (Place){.entry = entry, .first = first};
            memcpy(places->shards[i].file, entry->file, SHARD_NAME_SIZE);
            first += entry->rows;
            if (!places->details)
                continue;
            places->details[i] = places->shards[i];
            details_file(entry->file, places->details[i].file);
        }
        return places;
    }
    places_close(places);
    return NULL;
}

void places_close(Places *places)
{
    if (!places)
        return;
    for (uint32_t i = 0; places->shards && i < places->count; i++)
        free(places->shards[i].frames);
    for (uint32_t i = 0; places->details && i < places->count; i++)
        free(places->details[i].frames);
    free(places->details);
    if (places->set_fd >= 0)
        close(places->set_fd);
    ZSTD_freeDCtx(places->zstd);
    text_free(&places->packed);
    text_free(&places->frame);
    free(places->shards);
    free(places);
}

/* Opened for every piece: the file may be cut off or replaced meanwhile, and pages of it in memory would then be gone. */
static int open_shard(const Places *places, const Place *place, size_t *length, CorpusError *error)
{
    int fd = file_open_regular(places->set_fd, place->file);
    struct stat info = {0};
    if (fd >= 0 && fstat(fd, &info) == 0) {
        *length = (size_t)info.st_size;
        return fd;
    }
    corpus_fail(error, "cannot read %s/%s: %s", places->overview->set, place->file, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* So many bytes of it into places->packed. */
static bool read_bytes(Places *places, const Place *place, int fd, size_t start, size_t length, CorpusError *error)
{
    Text *out = &places->packed;
    out->len = 0;
    if (!text_reserve(out, length))
        return corpus_fail(error, "out of memory");
    while (out->len < length) {
        ssize_t got = pread(fd, out->data + out->len, length - out->len, (off_t)(start + out->len));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return corpus_fail(error, "cannot read %s/%s: %s", places->overview->set, place->file, strerror(errno));
        if (got == 0)
            return corpus_fail(error, "%s/%s is truncated", places->overview->set, place->file);
        out->len += (size_t)got;
    }
    return true;
}

/* A frame, which is in places->packed, into places->frame. */
static bool decompress(Places *places, const Place *place, const Frame *frame, CorpusError *error)
{
    ZSTD_inBuffer in = {places->packed.data, frame->length, 0};
    Text *out = &places->frame;
    places->frame_of = NULL;
    out->len = 0;
    ZSTD_DCtx_reset(places->zstd, ZSTD_reset_session_only);
    for (size_t left = 1; left;) {
        if (!text_reserve(out, 1 << 20))
            return corpus_fail(error, "out of memory");
        ZSTD_outBuffer to = {out->data + out->len, (size_t)1 << 20, 0};
        size_t before = in.pos;
        left = ZSTD_decompressStream(places->zstd, &to, &in);
        if (ZSTD_isError(left) || (left && !to.pos && in.pos == before))
            return corpus_fail(error, "%s/%s is damaged", places->overview->set, place->file);
        out->len += to.pos;
        if (out->len > LIMIT_FRAME_BYTES)
            return corpus_fail(error, "%s/%s is damaged: a frame has more than %d bytes", places->overview->set,
                               place->file, LIMIT_FRAME_BYTES);
    }
    places->frame_of = frame;
    return true;
}

static uint64_t count_records(const char *text, size_t len)
{
    uint64_t count = 0;
    for (const char *at = text, *end = text + len; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        count++;
    return count;
}

/* The frame that begins there, into places->packed: more and more is read until it is whole. */
static size_t read_next(Places *places, const Place *place, int fd, size_t at, size_t length, CorpusError *error)
{
    for (size_t piece = 1 << 18;; piece *= 4) {
        bool is_rest = piece >= length - at;
        if (!read_bytes(places, place, fd, at, is_rest ? length - at : piece, error))
            return 0;
        size_t found = ZSTD_findFrameCompressedSize(places->packed.data, places->packed.len);
        if (!ZSTD_isError(found))
            return found;
        if (is_rest || piece > LIMIT_FRAME_BYTES) {
            corpus_fail(error, "%s/%s is damaged", places->overview->set, place->file);
            return 0;
        }
    }
}

static bool find_frames(Places *places, Place *place, int fd, size_t length, CorpusError *error)
{
    size_t cap = 0;
    uint64_t first = 0;
    for (size_t at = 0; at < length;) {
        Frame frame = {at, read_next(places, place, fd, at, length, error), first};
        if (!frame.length || !decompress(places, place, &frame, error))
            return false;
        if (place->frame_count == cap) {
            Frame *larger = realloc(place->frames, (cap = 2 * cap + 64) * sizeof *larger);
            if (!larger)
                return corpus_fail(error, "out of memory");
            place->frames = larger;
        }
        first += count_records(places->frame.data, places->frame.len);
        place->frames[place->frame_count++] = frame;
        at += frame.length;
    }
    places->frame_of = NULL;
    return true;
}

/* Line `number` of a text, to be freed. */
static char *copy_line(const char *text, size_t len, uint64_t number, size_t *line_len)
{
    const char *at = text, *end = text + len, *line_end;
    while ((line_end = memchr(at, '\n', (size_t)(end - at))) && number--)
        at = line_end + 1;
    if (!line_end)
        return NULL;
    *line_len = (size_t)(line_end - at);
    return strndup(at, *line_len);
}

/* The frame that has a row, into places->frame. */
static const Frame *load_frame(Places *places, Place *place, uint64_t row, CorpusError *error)
{
    size_t length, i;
    int fd = open_shard(places, place, &length, error);
    if (fd < 0)
        return NULL;
    bool found = place->frame_count || find_frames(places, place, fd, length, error);
    if (!found)
        place->frame_count = 0;
    for (i = place->frame_count; i > 0 && place->frames[i - 1].first > row;)
        i--;
    const Frame *frame = i ? &place->frames[i - 1] : NULL;
    bool there =
        frame && (places->frame_of == frame || (read_bytes(places, place, fd, frame->start, frame->length, error) &&
                                                decompress(places, place, frame, error)));
    close(fd);
    return there ? frame : NULL;
}

static char *read_frame(Places *places, Place *place, uint64_t row, size_t *len, CorpusError *error)
{
    const Frame *frame = load_frame(places, place, row, error);
    return frame ? copy_line(places->frame.data, places->frame.len, row - frame->first, len) : NULL;
}

/* From the beginning of the shard. */
static char *read_through(const Places *places, const Place *place, uint64_t row, size_t *len, CorpusError *error)
{
    ShardReader *reader = shard_open(places->set_fd, places->overview->set, place->entry,
                                     &places->overview->manifest.options, SHARD_WHOLE, error);
    const char *line = reader ? shard_line(reader, len, error) : NULL;
    while (line && row--)
        line = shard_line(reader, len, error);
    char *copy = line ? strndup(line, *len) : NULL;
    shard_reader_free(reader);
    return copy;
}

/* A line of a compressed shard, with its details. */
static char *read_frames(Places *places, uint32_t shard, uint64_t row, size_t *len, CorpusError *error)
{
    size_t details_len = 0;
    char *line = read_frame(places, &places->shards[shard], row, len, error);
    char *details =
        line && places->details ? read_frame(places, &places->details[shard], row, &details_len, error) : NULL;
    if (!line || !places->details)
        return line;
    Text whole;
    text_init(&whole);
    bool fine = details && details_join(line, *len, details, details_len, &whole);
    *len = whole.len;
    free(line);
    free(details);
    if (fine)
        return whole.data;
    text_free(&whole);
    return NULL;
}

char *places_read(Places *places, uint64_t number, size_t *len, CorpusError *error)
{
    error->message[0] = 0;
    for (uint32_t i = 0; i < places->count; i++) {
        Place *place = &places->shards[i];
        uint64_t row = number - place->first;
        if (number < place->first || row >= place->entry->rows)
            continue;
        size_t name = strlen(place->file);
        bool frames = name > 4 && strcmp(place->file + name - 4, ".zst") == 0;
        char *line = frames ? read_frames(places, i, row, len, error) : read_through(places, place, row, len, error);
        if (!line && !error->message[0])
            corpus_fail(error, "record %llu cannot be read", (unsigned long long)number);
        return line;
    }
    corpus_fail(error, "there is no record %llu", (unsigned long long)number);
    return NULL;
}
