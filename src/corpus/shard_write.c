#include "corpus/shard.h"

#include "base/safe_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

enum {
    BUFFER_SIZE = 1 << 16,
    COMPRESSION_LEVEL = 1
}; /* small enough for a cache; level 3: 2 % less in twice the time */

const char *split_name(Split split)
{
    static const char *const names[] = {"train", "validation", "test"};
    return names[split];
}

bool corpus_fail(CorpusError *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    defuse(error->message);
    return false;
}

/* ---- bytes to files ---- */

bool write_file_safely(int dir_fd, const char *dir, const char *name, const char *bytes, size_t len, CorpusError *error)
{
    return file_replace(dir_fd, name, bytes, len) ||
           corpus_fail(error, "cannot write %s/%s: %s", dir, name, strerror(errno));
}

static bool flush_buffer(ShardWriter *writer, CorpusError *error)
{
    if (writer->used && !write_fully(writer->fd, writer->buffer, writer->used))
        return corpus_fail(error, "cannot write %s/%s: %s", writer->dir, writer->entry.file, strerror(errno));
    XXH3_128bits_update(writer->hash, writer->buffer, writer->used);
    writer->entry.bytes += writer->used;
    writer->used = 0;
    return true;
}

static bool compress(ShardWriter *writer, const char *bytes, size_t len, ZSTD_EndDirective mode, CorpusError *error)
{
    ZSTD_inBuffer in = {bytes, len, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {writer->buffer, writer->buffer_size, writer->used};
        left = ZSTD_compressStream2(writer->zstd, &out, &in, mode);
        if (ZSTD_isError(left))
            return corpus_fail(error, "cannot compress: %s", ZSTD_getErrorName(left));
        writer->used = out.pos;
        if (out.pos == out.size && !flush_buffer(writer, error))
            return false;
    } while (mode == ZSTD_e_continue ? in.pos < in.size : left != 0);
    writer->frame_open = mode != ZSTD_e_end;
    return true;
}

/* ---- the writer ---- */

bool shard_writer_init(ShardWriter *writer, const CorpusOptions *options, const char *dir, int dir_fd,
                       CorpusError *error)
{
    *writer = (ShardWriter){.options = options, .dir = dir, .dir_fd = dir_fd, .fd = -1, .buffer_size = BUFFER_SIZE};
    writer->hash = XXH3_createState();
    writer->buffer = malloc(BUFFER_SIZE);
    writer->zstd = options->compress ? ZSTD_createCCtx() : NULL;
    if (!writer->hash || !writer->buffer || (options->compress && !writer->zstd))
        return corpus_fail(error, "out of memory");
    if (shard_is_parquet(options)) {
        writer->parquet = calloc(1, sizeof *writer->parquet);
        if (!writer->parquet || !parquet_init(writer->parquet, record_columns))
            return corpus_fail(error, "out of memory");
    }
    if (writer->zstd) {
        ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
        ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1);
    }
    XXH3_128bits_reset(writer->hash);
    return true;
}

void shard_writer_free(ShardWriter *writer)
{
    if (writer->fd >= 0)
        close(writer->fd);
    XXH3_freeState(writer->hash);
    ZSTD_freeCCtx(writer->zstd);
    if (writer->parquet)
        parquet_free(writer->parquet);
    free(writer->parquet);
    free(writer->buffer);
    text_free(&writer->frame_lines);
    writer->fd = -1;
}

/* What was written so far is whole: the run can be continued behind it. */
static void mark_safe(ShardWriter *writer)
{
    XXH128_hash_t hash = XXH3_128bits_digest(writer->hash);
    snprintf(writer->entry.hash, HASH_HEX_SIZE, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64,
             (uint64_t)hash.low64);
    writer->safe = writer->entry;
    writer->frame_lines.len = 0;
    writer->frame_rows = 0;
}

static bool add_plain(ShardWriter *writer, const char *bytes, size_t len, CorpusError *error)
{
    while (len) {
        size_t part = writer->buffer_size - writer->used < len ? writer->buffer_size - writer->used : len;
        memcpy(writer->buffer + writer->used, bytes, part);
        writer->used += part;
        bytes += part;
        len -= part;
        if (writer->used == writer->buffer_size && !flush_buffer(writer, error))
            return false;
    }
    return true;
}

/* The lines of the frame as a row group. */
static bool add_row_group(ShardWriter *writer, CorpusError *error)
{
    const char *line = text_cstr(&writer->frame_lines);
    for (uint64_t row = 0; row < writer->frame_rows; row++, line = strchr(line, '\n') + 1)
        if (!leaves_add(&writer->parquet->leaves, line))
            return corpus_fail(error, "%s/%s: a record does not fit its columns, or memory ran out", writer->dir,
                               writer->entry.file);
    Text group;
    text_init(&group);
    bool fine = parquet_add_group(writer->parquet, &group) ? add_plain(writer, group.data, group.len, error)
                                                           : corpus_fail(error, "out of memory");
    text_free(&group);
    return fine;
}

static bool end_frame(ShardWriter *writer, CorpusError *error)
{
    if (writer->parquet && writer->frame_rows && !add_row_group(writer, error))
        return false;
    if (writer->frame_open && !compress(writer, "", 0, ZSTD_e_end, error))
        return false;
    if (!flush_buffer(writer, error))
        return false;
    mark_safe(writer);
    return true;
}

static bool open_file(ShardWriter *writer, bool is_new, CorpusError *error)
{
    if (writer->options->format == FORMAT_JSON) {
        writer->fd = dup(writer->dir_fd); /* there is no one file; this one is synced */
        return writer->fd >= 0 || corpus_fail(error, "cannot open %s: %s", writer->dir, strerror(errno));
    }
    writer->fd = (is_new ? file_create : file_open_own)(writer->dir_fd, writer->entry.file);
    if (writer->fd < 0)
        return corpus_fail(error, "cannot write %s/%s: %s", writer->dir, writer->entry.file, strerror(errno));
    return true;
}

bool shard_start(ShardWriter *writer, Split split, uint32_t number, CorpusError *error)
{
    writer->entry = (ShardEntry){.split = split, .number = number};
    shard_name(writer->options, split, number, SHARD_OPEN, 0, writer->entry.file);
    writer->used = 0;
    writer->frame_open = false;
    XXH3_128bits_reset(writer->hash);
    mark_safe(writer);
    if (writer->parquet) {
        parquet_begin(writer->parquet);
        add_plain(writer, PARQUET_MAGIC, strlen(PARQUET_MAGIC), error);
    }
    return open_file(writer, true, error);
}

/* Reads what is there of a shard, and hashes it. */
typedef struct Rereading {
    ShardWriter *writer;
    uint64_t left;
    bool failed;
} Rereading;

static size_t reread(void *user, char *to, size_t len)
{
    Rereading *rereading = user;
    size_t got = 0;
    len = rereading->left < len ? (size_t)rereading->left : len;
    while (got < len) {
        ssize_t now = read(rereading->writer->fd, to + got, len - got);
        if (now < 0 && errno == EINTR)
            continue;
        rereading->failed |= now < 0;
        if (now <= 0)
            break;
        got += (size_t)now;
    }
    XXH3_128bits_update(rereading->writer->hash, to, got);
    rereading->left -= got;
    return got;
}

/* All of it, for the hash; of a Parquet file also for what its footer will say. */
static bool reread_all(ShardWriter *writer, const ShardEntry *entry, CorpusError *error)
{
    Rereading rereading = {.writer = writer, .left = entry->bytes};
    if (writer->parquet) {
        writer->parquet->offset = 0;
        while (parquet_read(writer->parquet, reread, &rereading) == PARQUET_ROWS)
            ;
        leaves_clear(&writer->parquet->leaves);
        if (!entry->bytes && !add_plain(writer, PARQUET_MAGIC, strlen(PARQUET_MAGIC), error))
            return false;
    } else
        while (reread(&rereading, writer->buffer, writer->buffer_size))
            ;
    if (rereading.failed)
        return corpus_fail(error, "cannot read %s/%s: %s", writer->dir, entry->file, strerror(errno));
    if (rereading.left || (writer->parquet && writer->parquet->rows != entry->rows))
        return corpus_fail(error, "%s/%s is shorter than the manifest says", writer->dir, entry->file);
    return true;
}

bool shard_continue(ShardWriter *writer, const ShardEntry *entry, CorpusError *error)
{
    writer->entry = writer->safe = *entry;
    writer->used = 0;
    XXH3_128bits_reset(writer->hash);
    if (writer->options->format == FORMAT_JSON) {
        for (uint64_t row = 0; row < entry->rows; row++) {
            char name[SHARD_NAME_SIZE];
            size_t len;
            row_name(entry->file, row, name);
            char *bytes = read_small_file(writer->dir_fd, writer->dir, name, &len, error);
            if (!bytes)
                return false;
            XXH3_128bits_update(writer->hash, bytes, len);
            free(bytes);
        }
        return open_file(writer, false, error);
    }
    if (!open_file(writer, false, error) || !reread_all(writer, entry, error))
        return false;
    if (ftruncate(writer->fd, (off_t)entry->bytes) != 0)
        return corpus_fail(error, "cannot write %s/%s: %s", writer->dir, entry->file, strerror(errno));
    return true;
}

static bool add_file(ShardWriter *writer, const Text *head, const char *rest, size_t len, CorpusError *error)
{
    char name[SHARD_NAME_SIZE];
    row_name(writer->entry.file, writer->entry.rows, name);
    int fd = file_create(writer->dir_fd, name);
    bool written =
        fd >= 0 && write_fully(fd, head->data, head->len) && write_fully(fd, rest, len) && write_fully(fd, "\n", 1);
    int why = errno;
    if (fd >= 0 && close(fd) != 0 && written) {
        written = false;
        why = errno;
    }
    if (!written)
        return corpus_fail(error, "cannot write %s/%s: %s", writer->dir, name, strerror(why));
    XXH3_128bits_update(writer->hash, head->data, head->len);
    XXH3_128bits_update(writer->hash, rest, len);
    XXH3_128bits_update(writer->hash, "\n", 1);
    writer->entry.bytes += head->len + len + 1;
    return true;
}

static bool add_bytes(ShardWriter *writer, const char *bytes, size_t len, CorpusError *error)
{
    if (writer->parquet)
        return true; /* when the frame ends */
    return writer->options->compress ? compress(writer, bytes, len, ZSTD_e_continue, error)
                                     : add_plain(writer, bytes, len, error);
}

bool shard_add(ShardWriter *writer, const Text *head, const char *rest, size_t len, CorpusError *error)
{
    bool added = writer->options->format == FORMAT_JSON
                     ? add_file(writer, head, rest, len, error)
                     : add_bytes(writer, head->data, head->len, error) && add_bytes(writer, rest, len, error) &&
                           add_bytes(writer, "\n", 1, error);
    writer->entry.rows += added;
    if (!added || !writer->options->compress)
        return added;
    text_add(&writer->frame_lines, head->data, head->len);
    text_add(&writer->frame_lines, rest, len);
    text_char(&writer->frame_lines, '\n');
    if (writer->frame_lines.failed)
        return corpus_fail(error, "out of memory");
    return ++writer->frame_rows < FRAME_ROWS || end_frame(writer, error);
}

static bool sync_shard(ShardWriter *writer, CorpusError *error)
{
    bool one_file_each = writer->options->format == FORMAT_JSON;
    if ((one_file_each ? syncfs : fsync)(writer->fd) == 0)
        return true;
    return corpus_fail(error, "cannot write %s/%s: %s", writer->dir, one_file_each ? "" : writer->entry.file,
                       strerror(errno));
}

bool shard_checkpoint(ShardWriter *writer, CorpusError *error)
{
    return end_frame(writer, error) && sync_shard(writer, error);
}

bool shard_pause(ShardWriter *writer, Text *rest, CorpusError *error)
{
    if (!writer->options->compress)
        return shard_checkpoint(writer, error);
    text_add(rest, writer->frame_lines.data, writer->frame_lines.len);
    return sync_shard(writer, error);
}

static bool add_footer(ShardWriter *writer, CorpusError *error)
{
    Text footer;
    text_init(&footer);
    parquet_end(writer->parquet, &footer);
    bool fine = !footer.failed ? add_plain(writer, footer.data, footer.len, error) && flush_buffer(writer, error)
                               : corpus_fail(error, "out of memory");
    text_free(&footer);
    mark_safe(writer);
    return fine;
}

bool shard_close(ShardWriter *writer, CorpusError *error)
{
    char closed[SHARD_NAME_SIZE];
    if (writer->parquet && !(add_footer(writer, error) && sync_shard(writer, error)))
        return false;
    int failed = close(writer->fd);
    writer->fd = -1;
    shard_name(writer->options, writer->entry.split, writer->entry.number, SHARD_CLOSED, 0, closed);
    if (strcmp(closed, writer->entry.file) != 0)
        failed = failed || renameat(writer->dir_fd, writer->entry.file, writer->dir_fd, closed) != 0;
    if (failed)
        return corpus_fail(error, "cannot write %s/%s: %s", writer->dir, writer->entry.file, strerror(errno));
    memcpy(writer->entry.file, closed, sizeof closed);
    return true;
}
