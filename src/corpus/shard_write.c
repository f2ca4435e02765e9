#include "corpus/shard.h"

#include "base/limits.h"
#include "base/safe_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 16 }; /* small enough for a cache */

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

static bool write_bytes(ShardWriter *writer, const char *bytes, size_t len, CorpusError *error)
{
    if (len && !write_fully(writer->fd, bytes, len))
        return corpus_fail(error, "cannot write %s/%s: %s", writer->dir, writer->entry.file, strerror(errno));
    XXH3_128bits_update(writer->hash, bytes, len);
    writer->entry.bytes += len;
    return true;
}

static bool flush_buffer(ShardWriter *writer, CorpusError *error)
{
    bool fine = write_bytes(writer, writer->buffer, writer->used, error);
    writer->used = fine ? 0 : writer->used;
    return fine;
}

/* ---- the writer ---- */

static bool init_part(ShardWriter *writer, const CorpusOptions *options, RecordPart part, const char *dir, int dir_fd,
                      CorpusError *error)
{
    *writer = (ShardWriter){
        .options = options, .dir = dir, .dir_fd = dir_fd, .fd = -1, .buffer_size = BUFFER_SIZE, .part = part};
    columns_of(options, part, writer->columns);
    writer->hash = XXH3_createState();
    writer->buffer = malloc(BUFFER_SIZE);
    writer->frame = calloc(1, sizeof *writer->frame);
    if (!writer->hash || !writer->buffer || !writer->frame ||
        (options->compress && !frame_packer_init(&writer->packer, options, shard_is_parquet(options))))
        return corpus_fail(error, "out of memory");
    if (shard_is_parquet(options)) {
        writer->parquet = calloc(1, sizeof *writer->parquet);
        if (!writer->parquet || !parquet_init(writer->parquet, writer->columns))
            return corpus_fail(error, "out of memory");
    }
    XXH3_128bits_reset(writer->hash);
    return true;
}

bool shard_writer_init(ShardWriter *writer, const CorpusOptions *options, const char *dir, int dir_fd,
                       CorpusError *error)
{
    bool details = has_details(options);
    if (!init_part(writer, options, details ? PART_MAIN : PART_WHOLE, dir, dir_fd, error))
        return false;
    writer->details = details ? calloc(1, sizeof *writer->details) : NULL;
    if (details && !writer->details)
        return corpus_fail(error, "out of memory");
    return !details || init_part(writer->details, options, PART_DETAILS, dir, dir_fd, error);
}

void shard_writer_pack_beside(ShardWriter *writer, Packers *packers)
{
    writer->packers = packers;
    if (writer->details)
        writer->details->packers = packers;
}

static void free_frames(ShardFrame *frame)
{
    for (ShardFrame *next; frame; frame = next) {
        next = frame->next;
        frame_free(frame);
    }
}

static void free_part(ShardWriter *writer)
{
    for (ShardFrame *frame = writer->waiting; frame; frame = frame->next)
        packers_wait(writer->packers, frame);
    free_frames(writer->waiting);
    free_frames(writer->spare);
    frame_free(writer->frame);
    if (writer->fd >= 0)
        close(writer->fd);
    XXH3_freeState(writer->hash);
    frame_packer_free(&writer->packer);
    if (writer->parquet)
        parquet_free(writer->parquet);
    free(writer->parquet);
    free(writer->buffer);
    text_free(&writer->details_head);
    writer->fd = -1;
}

void shard_writer_free(ShardWriter *writer)
{
    if (writer->details)
        free_part(writer->details);
    free(writer->details);
    free_part(writer);
}

/* The output so far is whole, the first `rows` records: a run can resume after them. */
static void mark_safe(ShardWriter *writer, uint64_t rows)
{
    XXH128_hash_t hash = XXH3_128bits_digest(writer->hash);
    snprintf(writer->entry.hash, HASH_HEX_SIZE, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64,
             (uint64_t)hash.low64);
    writer->safe = writer->entry;
    writer->safe.rows = rows;
}

static void empty_frame(ShardFrame *frame)
{
    frame->lines.len = 0;
    frame->rows = 0;
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

/* A frame that is packed goes to the end of the file. */
static bool append_frame(ShardWriter *writer, ShardFrame *frame, CorpusError *error)
{
    if (frame->packed.failed && writer->parquet)
        return corpus_fail(error, "%s/%s: a record does not fit its columns, or memory ran out", writer->dir,
                           writer->entry.file);
    if (frame->packed.failed)
        return corpus_fail(error, "cannot compress: out of memory");
    if (!flush_buffer(writer, error) || !write_bytes(writer, frame->packed.data, frame->packed.len, error))
        return false;
    if (writer->parquet && !parquet_note_packed(writer->parquet, &frame->group))
        return corpus_fail(error, "out of memory");
    mark_safe(writer, frame->rows);
    return true;
}

/* Waits until no more than so many frames are being packed. */
static bool append_waiting(ShardWriter *writer, unsigned left, CorpusError *error)
{
    while (writer->waiting_count > left) {
        ShardFrame *frame = writer->waiting;
        packers_wait(writer->packers, frame);
        if (!append_frame(writer, frame, error))
            return false;
        writer->waiting = frame->next;
        writer->waiting_count--;
        empty_frame(frame);
        frame->next = writer->spare;
        writer->spare = frame;
    }
    return true;
}

/* The frame goes to the packers, and another one takes its place. */
static bool give_away_frame(ShardWriter *writer, CorpusError *error)
{
    if (!append_waiting(writer, packers_count(writer->packers), error))
        return false;
    ShardFrame *frame = writer->frame, *other = writer->spare ? writer->spare : calloc(1, sizeof *other);
    if (!other)
        return corpus_fail(error, "out of memory");
    writer->spare = writer->spare ? writer->spare->next : NULL;
    writer->frame = other;
    frame->next = other->next = NULL;
    frame->rows = writer->entry.rows;
    frame->part = writer->part;
    *(writer->waiting ? &writer->last_waiting->next : &writer->waiting) = frame;
    writer->last_waiting = frame;
    writer->waiting_count++;
    packers_give(writer->packers, frame);
    return true;
}

static bool end_frame(ShardWriter *writer, CorpusError *error)
{
    if (!writer->options->compress) {
        bool fine = flush_buffer(writer, error);
        if (fine)
            mark_safe(writer, writer->entry.rows);
        return fine;
    }
    if (!writer->frame->rows)
        return true;
    if (writer->packers)
        return give_away_frame(writer, error);
    writer->frame->part = writer->part;
    frame_pack(&writer->packer, writer->frame);
    writer->frame->rows = writer->entry.rows;
    bool fine = append_frame(writer, writer->frame, error);
    empty_frame(writer->frame);
    return fine;
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

/* The name of its file in a state. */
static void name_part(const ShardWriter *writer, ShardState state, char name[SHARD_NAME_SIZE])
{
    char shard[SHARD_NAME_SIZE];
    shard_name(writer->options, writer->entry.split, writer->entry.number, state, 0, shard);
    if (writer->part == PART_DETAILS)
        details_file(shard, name);
    else
        memcpy(name, shard, sizeof shard);
}

static bool start_part(ShardWriter *writer, Split split, uint32_t number, CorpusError *error)
{
    writer->entry = (ShardEntry){.split = split, .number = number};
    name_part(writer, SHARD_OPEN, writer->entry.file);
    writer->used = 0;
    XXH3_128bits_reset(writer->hash);
    mark_safe(writer, 0);
    if (writer->parquet) {
        parquet_begin(writer->parquet);
        add_plain(writer, PARQUET_MAGIC, strlen(PARQUET_MAGIC), error);
    }
    return open_file(writer, true, error);
}

/* Copies size and hash of the details into the entries of their records. */
static void take_details(ShardWriter *writer)
{
    const ShardWriter *details = writer->details;
    if (!details)
        return;
    writer->entry.details_bytes = details->entry.bytes;
    writer->safe.details_bytes = details->safe.bytes;
    memcpy(writer->entry.details_hash, details->entry.hash, HASH_HEX_SIZE);
    memcpy(writer->safe.details_hash, details->safe.hash, HASH_HEX_SIZE);
}

bool shard_start(ShardWriter *writer, Split split, uint32_t number, CorpusError *error)
{
    bool fine = start_part(writer, split, number, error) &&
                (!writer->details || start_part(writer->details, split, number, error));
    take_details(writer);
    return fine;
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

static bool continue_part(ShardWriter *writer, const ShardEntry *entry, CorpusError *error)
{
    writer->entry = writer->safe = *entry;
    writer->used = 0;
    XXH3_128bits_reset(writer->hash);
    if (writer->options->format == FORMAT_JSON) {
        for (uint64_t row = 0; row < entry->rows; row++) {
            char name[SHARD_NAME_SIZE];
            size_t len;
            row_name(entry->file, row, name);
            char *bytes = read_small_file(writer->dir_fd, writer->dir, name, LIMIT_RECORD_BYTES, &len, error);
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

bool shard_continue(ShardWriter *writer, const ShardEntry *entry, CorpusError *error)
{
    if (!continue_part(writer, entry, error))
        return false;
    if (!writer->details)
        return true;
    ShardEntry details = *entry;
    details_file(entry->file, details.file);
    details.bytes = entry->details_bytes;
    memcpy(details.hash, entry->details_hash, HASH_HEX_SIZE);
    return continue_part(writer->details, &details, error);
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

static bool add_line(ShardWriter *writer, const Text *head, const char *rest, size_t len, const char *end,
                     CorpusError *error)
{
    return add_plain(writer, head->data, head->len, error) && add_plain(writer, rest, len, error) &&
           add_plain(writer, end, strlen(end), error);
}

/* A line: head, rest, and its end, which may have a bracket before it. */
static bool add_to_part(ShardWriter *writer, const Text *head, const char *rest, size_t len, const char *end,
                        CorpusError *error)
{
    if (!writer->options->compress) {
        bool added = writer->options->format == FORMAT_JSON ? add_file(writer, head, rest, len, error)
                                                            : add_line(writer, head, rest, len, end, error);
        writer->entry.rows += added;
        return added;
    }
    Text *lines = &writer->frame->lines;
    text_add(lines, head->data, head->len);
    text_add(lines, rest, len);
    text_str(lines, end);
    if (lines->failed)
        return corpus_fail(error, "out of memory");
    writer->entry.rows++;
    return ++writer->frame->rows < (writer->parquet ? PARQUET_GROUP_ROWS : FRAME_ROWS) || end_frame(writer, error);
}

bool shard_add(ShardWriter *writer, const Text *head, const char *rest, size_t len, CorpusError *error)
{
    if (!writer->details)
        return add_to_part(writer, head, rest, len, "\n", error);
    size_t start = details_start(rest, len), id = details_id(rest, len);
    Text *other = &writer->details_head;
    other->len = 0;
    text_char(other, '{');
    text_add(other, rest, id);
    if (other->failed)
        return corpus_fail(error, "out of memory");
    if (!start || !id)
        return corpus_fail(error, "%s/%s: a record is not as weft writes it", writer->dir, writer->entry.file);
    return add_to_part(writer, head, rest, start, "}\n", error) &&
           add_to_part(writer->details, other, rest + start, len - start, "\n", error);
}

static bool sync_shard(ShardWriter *writer, CorpusError *error)
{
    bool one_file_each = writer->options->format == FORMAT_JSON;
    if ((one_file_each ? syncfs : fsync)(writer->fd) == 0)
        return true;
    return corpus_fail(error, "cannot write %s/%s: %s", writer->dir, one_file_each ? "" : writer->entry.file,
                       strerror(errno));
}

static bool checkpoint_part(ShardWriter *writer, CorpusError *error)
{
    return end_frame(writer, error) && append_waiting(writer, 0, error) && sync_shard(writer, error);
}

bool shard_checkpoint(ShardWriter *writer, CorpusError *error)
{
    bool fine = checkpoint_part(writer, error) && (!writer->details || checkpoint_part(writer->details, error));
    take_details(writer);
    return fine;
}

static bool pause_part(ShardWriter *writer, CorpusError *error)
{
    return append_waiting(writer, 0, error) && sync_shard(writer, error);
}

/* Frames end together: what is in none are the same records. */
static bool join_rest(const ShardWriter *writer, Text *rest, CorpusError *error)
{
    Text whole;
    const Text *lines = &writer->frame->lines, *details = writer->details ? &writer->details->frame->lines : NULL;
    if (!details) {
        text_add(rest, lines->data, lines->len);
        return true;
    }
    text_init(&whole);
    bool fine = true;
    for (size_t at = 0, beside = 0; fine && at < lines->len;) {
        const char *line = lines->data + at, *detail = details->data + beside;
        const char *end = memchr(line, '\n', lines->len - at),
                   *detail_end = memchr(detail, '\n', details->len - beside);
        fine = end && detail_end &&
               details_join(line, (size_t)(end - line), detail, (size_t)(detail_end - detail), &whole);
        text_add(rest, whole.data, fine ? whole.len : 0);
        text_char(rest, '\n');
        at += fine ? (size_t)(end + 1 - line) : 0;
        beside += fine ? (size_t)(detail_end + 1 - detail) : 0;
    }
    text_free(&whole);
    return fine || corpus_fail(error, "out of memory");
}

bool shard_pause(ShardWriter *writer, Text *rest, CorpusError *error)
{
    if (!writer->options->compress)
        return shard_checkpoint(writer, error);
    bool fine = join_rest(writer, rest, error) && pause_part(writer, error) &&
                (!writer->details || pause_part(writer->details, error));
    take_details(writer);
    return fine;
}

static bool add_footer(ShardWriter *writer, CorpusError *error)
{
    Text footer;
    text_init(&footer);
    parquet_end(writer->parquet, &footer);
    bool fine = !footer.failed ? add_plain(writer, footer.data, footer.len, error) && flush_buffer(writer, error)
                               : corpus_fail(error, "out of memory");
    text_free(&footer);
    mark_safe(writer, writer->entry.rows);
    return fine;
}

static bool close_part(ShardWriter *writer, CorpusError *error)
{
    char closed[SHARD_NAME_SIZE];
    if (writer->parquet && !(add_footer(writer, error) && sync_shard(writer, error)))
        return false;
    int failed = close(writer->fd);
    writer->fd = -1;
    name_part(writer, SHARD_CLOSED, closed);
    if (strcmp(closed, writer->entry.file) != 0)
        failed = failed || renameat(writer->dir_fd, writer->entry.file, writer->dir_fd, closed) != 0;
    if (failed)
        return corpus_fail(error, "cannot write %s/%s: %s", writer->dir, writer->entry.file, strerror(errno));
    memcpy(writer->entry.file, closed, sizeof closed);
    return true;
}

bool shard_close(ShardWriter *writer, CorpusError *error)
{
    bool fine = close_part(writer, error) && (!writer->details || close_part(writer->details, error));
    take_details(writer);
    return fine;
}
