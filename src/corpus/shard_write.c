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

static bool end_frame(ShardWriter *writer, CorpusError *error)
{
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
    return open_file(writer, true, error);
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
    if (!open_file(writer, false, error))
        return false;
    for (uint64_t left = entry->bytes; left;) {
        ssize_t got = read(writer->fd, writer->buffer, left < writer->buffer_size ? (size_t)left : writer->buffer_size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return corpus_fail(error, "cannot read %s/%s: %s", writer->dir, entry->file, strerror(errno));
        if (!got)
            return corpus_fail(error, "%s/%s is shorter than the manifest says", writer->dir, entry->file);
        XXH3_128bits_update(writer->hash, writer->buffer, (size_t)got);
        left -= (uint64_t)got;
    }
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
    if (writer->options->compress)
        return compress(writer, bytes, len, ZSTD_e_continue, error);
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
    writer->entry = writer->safe;
    return sync_shard(writer, error);
}

bool shard_close(ShardWriter *writer, CorpusError *error)
{
    char closed[SHARD_NAME_SIZE];
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
