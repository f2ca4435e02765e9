#include "corpus/shard.h"

#include "base/limits.h"
#include "base/safe_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

struct ShardReader {
    int dir_fd, fd; /* fd -1: one file per record */
    const char *dir;
    ShardEntry entry;
    XXH3_state_t *hash;
    ZSTD_DCtx *zstd;
    uint64_t bytes, limit;
    uint64_t row; /* how many lines were handed out */
    char *in;
    size_t in_size, in_used, in_at;
    size_t frame_left;        /* 0: at the end of a frame */
    bool at_end, out_pending; /* the output was full: there may be more before the next input */
    char *out;                /* decompressed, from `line` on not yet handed out */
    size_t out_size, out_used, line;
    ParquetFile *parquet; /* NULL: lines */
    ColumnList columns;   /* of the file */
    CorpusError *error;   /* of the call */
    Text row_line;
    ShardReader *details; /* of the same records; NULL: lines are handed out as they are */
    Text whole;           /* a line with its details */
};

bool fail_size(const char *dir, const ShardEntry *entry, long long bytes, CorpusError *error)
{
    return corpus_fail(error, "%s/%s has %lld bytes, but the manifest says %llu: it was changed", dir, entry->file,
                       bytes, (unsigned long long)entry->bytes);
}

/* Room for the whole of an open file. NULL: *error says why. */
static char *room_for_file(int fd, const char *dir, const char *name, size_t most, size_t *size, CorpusError *error)
{
    struct stat info;
    char *bytes = NULL;
    if (fd >= 0 && fstat(fd, &info) == 0) {
        if ((uint64_t)info.st_size > most) {
            corpus_fail(error, "%s/%s has %lld bytes, and %zu are the most that are read", dir, name,
                        (long long)info.st_size, most);
            return NULL;
        }
        *size = (size_t)info.st_size;
        bytes = malloc(*size + 1);
    }
    if (!bytes)
        corpus_fail(error, "cannot read %s/%s: %s", dir, name, strerror(errno));
    return bytes;
}

char *read_small_file(int dir_fd, const char *dir, const char *name, size_t most, size_t *len, CorpusError *error)
{
    int fd = file_open_regular(dir_fd, name);
    size_t size = 0;
    char *bytes = room_for_file(fd, dir, name, most, &size, error);
    if (!bytes) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    size_t got = 0;
    while (got < size) {
        ssize_t now = read(fd, bytes + got, size - got);
        if (now < 0 && errno == EINTR)
            continue;
        if (now < 0) {
            corpus_fail(error, "cannot read %s/%s: %s", dir, name, strerror(errno));
            close(fd);
            free(bytes);
            return NULL;
        }
        if (!now)
            break;
        got += (size_t)now;
    }
    close(fd);
    bytes[got] = 0;
    *len = got;
    return bytes;
}

static bool open_parquet(ShardReader *reader, CorpusError *error)
{
    reader->parquet = calloc(1, sizeof *reader->parquet);
    return (reader->parquet && parquet_init(reader->parquet, reader->columns)) || corpus_fail(error, "out of memory");
}

/* Whoever reads a shard to its end, or only to the record that he wants, learns at once whether it was cut off or grew. */
static bool has_its_size(const ShardReader *reader, CorpusError *error)
{
    const ShardEntry *entry = &reader->entry;
    struct stat info;
    if (reader->fd < 0 || reader->limit != SHARD_WHOLE)
        return true;
    if (fstat(reader->fd, &info) != 0)
        return corpus_fail(error, "cannot read %s/%s: %s", reader->dir, entry->file, strerror(errno));
    return (uint64_t)info.st_size == entry->bytes || fail_size(reader->dir, entry, info.st_size, error);
}

static bool fail_open(const char *dir, const char *file, RecordPart part, CorpusError *error)
{
    if (part != PART_DETAILS || errno != ENOENT)
        return corpus_fail(error, "cannot read %s/%s: %s", dir, file, strerror(errno));
    return corpus_fail(error,
                       "%s/%s is missing: it has launches, arguments, plan and line map of these records, which are "
                       "needed here; put it beside them",
                       dir, file);
}

static ShardReader *open_part(int dir_fd, const char *dir, const ShardEntry *entry, const CorpusOptions *options,
                              RecordPart part, uint64_t limit, CorpusError *error)
{
    ShardReader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        corpus_fail(error, "out of memory");
        return NULL;
    }
    *reader = (ShardReader){.dir_fd = dir_fd, .dir = dir, .fd = -1, .entry = *entry, .limit = limit};
    columns_of(options, part, reader->columns);
    reader->hash = XXH3_createState();
    reader->in_size = 1 << 17;
    reader->out_size = 1 << 18;
    reader->in = malloc(reader->in_size);
    reader->out = malloc(reader->out_size);
    reader->zstd = options->compress ? ZSTD_createDCtx() : NULL;
    bool fine = reader->hash && reader->in && reader->out && (!options->compress || reader->zstd);
    if (!fine)
        corpus_fail(error, "out of memory");
    else if (strchr(entry->file, '*') || (reader->fd = file_open_regular(dir_fd, entry->file)) >= 0) {
        XXH3_128bits_reset(reader->hash);
        if ((!shard_is_parquet(options) || open_parquet(reader, error)) && has_its_size(reader, error))
            return reader;
    } else
        fail_open(dir, entry->file, part, error);
    shard_reader_free(reader);
    return NULL;
}

/* The entry of the file with the details. */
static ShardEntry details_of(const ShardEntry *entry)
{
    ShardEntry details = *entry;
    details_file(entry->file, details.file);
    details.bytes = entry->details_bytes;
    memcpy(details.hash, entry->details_hash, HASH_HEX_SIZE);
    details.details_hash[0] = '\0';
    return details;
}

ShardReader *shard_open(int dir_fd, const char *dir, const ShardEntry *entry, const CorpusOptions *options,
                        uint64_t limit, CorpusError *error)
{
    if (!has_details(options))
        return open_part(dir_fd, dir, entry, options, PART_WHOLE, limit, error);
    ShardEntry details = details_of(entry);
    ShardReader *reader = open_part(dir_fd, dir, entry, options, PART_MAIN, limit, error);
    if (reader)
        reader->details = open_part(dir_fd, dir, &details, options, PART_DETAILS,
                                    limit < SHARD_OF_ANY_SIZE ? entry->details_bytes : limit, error);
    if (!reader || reader->details)
        return reader;
    shard_reader_free(reader);
    return NULL;
}

ShardReader *shard_open_slim(int dir_fd, const char *dir, const ShardEntry *entry, const CorpusOptions *options,
                             CorpusError *error)
{
    return open_part(dir_fd, dir, entry, options, has_details(options) ? PART_MAIN : PART_WHOLE, SHARD_WHOLE, error);
}

void shard_reader_free(ShardReader *reader)
{
    if (!reader)
        return;
    shard_reader_free(reader->details);
    text_free(&reader->whole);
    if (reader->fd >= 0)
        close(reader->fd);
    XXH3_freeState(reader->hash);
    ZSTD_freeDCtx(reader->zstd);
    if (reader->parquet)
        parquet_free(reader->parquet);
    free(reader->parquet);
    text_free(&reader->row_line);
    free(reader->in);
    free(reader->out);
    free(reader);
}

static void digest(const XXH3_state_t *state, char hex[HASH_HEX_SIZE])
{
    XXH128_hash_t sum = XXH3_128bits_digest(state);
    snprintf(hex, HASH_HEX_SIZE, "%016" PRIx64 "%016" PRIx64, (uint64_t)sum.high64, (uint64_t)sum.low64);
}

void shard_sum(const ShardReader *reader, ShardEntry *found)
{
    digest(reader->hash, found->hash);
    found->bytes = reader->bytes;
    found->details_bytes = reader->details ? reader->details->bytes : 0;
    found->details_hash[0] = '\0';
    if (reader->details)
        digest(reader->details->hash, found->details_hash);
}

bool shard_same_bytes(const ShardEntry *a, const ShardEntry *b)
{
    bool details = a->details_hash[0] && b->details_hash[0];
    return a->bytes == b->bytes && strcmp(a->hash, b->hash) == 0 &&
           (!details || (a->details_bytes == b->details_bytes && strcmp(a->details_hash, b->details_hash) == 0));
}

static bool fill_input(ShardReader *reader, CorpusError *error)
{
    uint64_t left = reader->limit - reader->bytes;
    size_t wanted = left < reader->in_size ? (size_t)left : reader->in_size;
    ssize_t got;
    do
        got = wanted ? read(reader->fd, reader->in, wanted) : 0;
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return corpus_fail(error, "cannot read %s/%s: %s", reader->dir, reader->entry.file, strerror(errno));
    XXH3_128bits_update(reader->hash, reader->in, (size_t)got);
    reader->bytes += (uint64_t)got;
    reader->in_used = (size_t)got;
    reader->in_at = 0;
    if (!got) {
        reader->at_end = true;
        if (reader->frame_left)
            return corpus_fail(error, "%s/%s is truncated", reader->dir, reader->entry.file);
    }
    return true;
}

static bool fail_too_long(const ShardReader *reader, CorpusError *error)
{
    return corpus_fail(error, "%s/%s is damaged: one of its records has more than %d bytes, the most that one may have",
                       reader->dir, reader->entry.file, LIMIT_RECORD_BYTES);
}

/* Moves what is left of the last line to the front and makes room behind it. */
static bool make_room(ShardReader *reader, CorpusError *error)
{
    memmove(reader->out, reader->out + reader->line, reader->out_used - reader->line);
    reader->out_used -= reader->line;
    reader->line = 0;
    if (reader->out_used + 1 < reader->out_size / 2)
        return true;
    if (reader->out_used > LIMIT_RECORD_BYTES)
        return fail_too_long(reader, error);
    char *larger = realloc(reader->out, reader->out_size * 2);
    if (!larger)
        return corpus_fail(error, "out of memory");
    reader->out = larger;
    reader->out_size *= 2;
    return true;
}

static bool more_output(ShardReader *reader, CorpusError *error)
{
    if (!make_room(reader, error))
        return false;
    if (reader->in_at == reader->in_used && !reader->out_pending && !fill_input(reader, error))
        return false;
    ZSTD_inBuffer in = {reader->in, reader->in_used, reader->in_at};
    ZSTD_outBuffer out = {reader->out, reader->out_size - 1, reader->out_used}; /* one byte for a NUL */
    if (reader->zstd && (in.pos < in.size || reader->out_pending)) {
        reader->frame_left = ZSTD_decompressStream(reader->zstd, &out, &in);
        if (ZSTD_isError(reader->frame_left)) {
            const char *why = ZSTD_getErrorName(reader->frame_left);
            reader->frame_left = 0;
            return corpus_fail(error, "%s/%s is damaged: %s", reader->dir, reader->entry.file, why);
        }
    } else if (!reader->zstd) {
        size_t len = in.size - in.pos < out.size - out.pos ? in.size - in.pos : out.size - out.pos;
        memcpy((char *)out.dst + out.pos, reader->in + in.pos, len);
        in.pos += len;
        out.pos += len;
    }
    reader->in_at = in.pos;
    reader->out_used = out.pos;
    reader->out_pending = reader->zstd && out.pos == out.size;
    return true;
}

static char *next_file(ShardReader *reader, size_t *len, CorpusError *error)
{
    char name[SHARD_NAME_SIZE];
    if (reader->row == reader->entry.rows)
        return NULL;
    row_name(reader->entry.file, reader->row, name);
    char *bytes = read_small_file(reader->dir_fd, reader->dir, name, LIMIT_RECORD_BYTES, len, error);
    if (!bytes)
        return NULL;
    XXH3_128bits_update(reader->hash, bytes, *len);
    reader->bytes += *len;
    free(reader->out);
    reader->out = bytes;
    if (!*len || bytes[*len - 1] != '\n') {
        corpus_fail(error, "%s/%s is truncated", reader->dir, name);
        return NULL;
    }
    bytes[--*len] = 0;
    return bytes;
}

static size_t take_input(void *user, char *to, size_t len)
{
    ShardReader *reader = user;
    CorpusError *error = reader->error;
    size_t got = 0;
    while (got < len && !reader->at_end && !error->message[0]) {
        size_t there = reader->in_used - reader->in_at, part = there < len - got ? there : len - got;
        memcpy(to + got, reader->in + reader->in_at, part);
        reader->in_at += part;
        got += part;
        if (got < len)
            fill_input(reader, error);
    }
    return got;
}

/* A shard whose end is given, or that is still open, need not have a footer. */
static bool may_be_cut_off(const ShardReader *reader)
{
    const char *dot = strrchr(reader->entry.file, '.');
    return reader->limit < SHARD_OF_ANY_SIZE || strcmp(dot, ".part") == 0;
}

static char *next_row(ShardReader *reader, size_t *len, CorpusError *error)
{
    Leaves *leaves = &reader->parquet->leaves;
    ParquetRead outcome = PARQUET_ROWS;
    reader->error = error;
    if (leaves->row == leaves->rows)
        outcome = parquet_read(reader->parquet, take_input, reader);
    if (outcome == PARQUET_END || (outcome == PARQUET_CUT_OFF && may_be_cut_off(reader)) || error->message[0])
        return NULL;
    reader->row_line.len = 0;
    if (outcome == PARQUET_ROWS && leaves_take(leaves, &reader->row_line)) {
        *len = reader->row_line.len;
        text_char(&reader->row_line, '\0');
        if (!reader->row_line.failed)
            return reader->row_line.data;
    }
    if (outcome == PARQUET_NO_MEMORY || reader->row_line.failed)
        corpus_fail(error, "out of memory");
    else
        corpus_fail(error,
                    outcome == PARQUET_CUT_OFF ? "%s/%s is truncated"
                                               : "%s/%s is damaged: it is not as weft writes Parquet",
                    reader->dir, reader->entry.file);
    return NULL;
}

static char *next_line(ShardReader *reader, size_t *len, CorpusError *error)
{
    size_t searched = reader->line;
    for (;;) {
        char *end = memchr(reader->out + searched, '\n', reader->out_used - searched);
        if (end) {
            char *line = reader->out + reader->line;
            *len = (size_t)(end - line);
            *end = 0;
            reader->line += *len + 1;
            return line;
        }
        size_t pending = reader->out_used - reader->line;
        if (reader->at_end && !reader->out_pending && reader->in_at == reader->in_used) {
            if (pending)
                corpus_fail(error, "%s/%s: the last line has no end", reader->dir, reader->entry.file);
            return NULL;
        }
        if (!more_output(reader, error))
            return NULL;
        searched = reader->line + pending;
    }
}

/* A small file may unpack to any number of records: those that the manifest does not have are not looked at. */
static char *part_line(ShardReader *reader, size_t *len, CorpusError *error)
{
    error->message[0] = 0;
    char *line = reader->parquet  ? next_row(reader, len, error)
                 : reader->fd < 0 ? next_file(reader, len, error)
                                  : next_line(reader, len, error);
    if (!line)
        return NULL;
    if (*len > LIMIT_RECORD_BYTES) {
        fail_too_long(reader, error);
        return NULL;
    }
    if (reader->row++ < reader->entry.rows)
        return line;
    corpus_fail(error, "%s/%s has more than the %llu records that its manifest says: it was changed", reader->dir,
                reader->entry.file, (unsigned long long)reader->entry.rows);
    return NULL;
}

/* The line with its details; at the end of the records, those of the details end, too. */
char *shard_line(ShardReader *reader, size_t *len, CorpusError *error)
{
    size_t details_len;
    char *line = part_line(reader, len, error);
    if (!reader->details || error->message[0])
        return line;
    char *details = part_line(reader->details, &details_len, error);
    if (error->message[0] || (!line && !details))
        return NULL;
    if (line && details && details_join(line, *len, details, details_len, &reader->whole)) {
        *len = reader->whole.len;
        return reader->whole.data;
    }
    if (reader->whole.failed)
        corpus_fail(error, "out of memory");
    else
        corpus_fail(error, "%s/%s is damaged: its line %llu does not belong to that line of %s", reader->dir,
                    reader->details->entry.file, (unsigned long long)reader->row + !line, reader->entry.file);
    return NULL;
}

/* Ends where there are more than `most` bytes. */
static bool hash_file(int dir_fd, const char *dir, const char *name, uint64_t most, XXH3_state_t *hash, uint64_t *bytes,
                      CorpusError *error)
{
    enum { PIECE = 1 << 16 };
    char *piece = malloc(PIECE);
    int fd = piece ? file_open_regular(dir_fd, name) : -1;
    ssize_t got = -1;
    while (fd >= 0 && *bytes <= most && ((got = read(fd, piece, PIECE)) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0) {
            XXH3_128bits_update(hash, piece, (size_t)got);
            *bytes += (uint64_t)got;
        }
    int why = errno;
    if (fd >= 0)
        close(fd);
    free(piece);
    return got >= 0 || corpus_fail(error, "cannot read %s/%s: %s", dir, name, strerror(why));
}

static bool check_part(int dir_fd, const char *dir, const ShardEntry *entry, CorpusError *error)
{
    XXH3_state_t *hash = XXH3_createState();
    uint64_t bytes = 0;
    char name[SHARD_NAME_SIZE], hex[HASH_HEX_SIZE];
    bool fine = hash || corpus_fail(error, "out of memory");
    if (hash)
        XXH3_128bits_reset(hash);
    if (!strchr(entry->file, '*'))
        fine = fine && hash_file(dir_fd, dir, entry->file, entry->bytes, hash, &bytes, error);
    else
        for (uint64_t row = 0; fine && row < entry->rows; row++) {
            row_name(entry->file, row, name);
            fine = hash_file(dir_fd, dir, name, entry->bytes, hash, &bytes, error);
        }
    if (fine) {
        digest(hash, hex);
        if (bytes != entry->bytes || strcmp(hex, entry->hash) != 0)
            fine = corpus_fail(error, "%s/%s does not match the manifest: it was changed", dir, entry->file);
    }
    XXH3_freeState(hash);
    return fine;
}

bool shard_check_bytes(int dir_fd, const char *dir, const ShardEntry *entry, CorpusError *error)
{
    ShardEntry details = details_of(entry);
    return check_part(dir_fd, dir, entry, error) &&
           (!entry->details_hash[0] || check_part(dir_fd, dir, &details, error));
}
