/* A run: threads make candidates, one writer takes them in order.
 *
 *     workers ── batch 7, batch 8, batch 9 … ──▶ ring of batches ── in order ──▶ writer
 *
 * The ring bounds the memory: a worker waits until the writer is near enough. A run of one job has no threads. */
#include "corpus/writer.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { BATCH_SIZE = 32 };

typedef struct Batch {
    bool ready, failed;
    Candidate items[BATCH_SIZE];
    Text text;
} Batch;

typedef struct Pool {
    const CorpusOptions *options;
    uint64_t first; /* candidate of batch 0 */
    pthread_mutex_t lock;
    pthread_cond_t room, done;
    uint64_t next, taken; /* batches given out, batches that the writer is through with */
    uint64_t ring;
    Batch *batches;
    bool stop;
    const volatile sig_atomic_t *enough; /* the user's wish; NULL: none can come */
} Pool;

/* Pieces take turns, a block each. */
static uint64_t candidate_index(const CorpusOptions *options, uint64_t ordinal)
{
    if (!options->piece_count)
        return ordinal;
    return (ordinal / PIECE_BLOCK * options->piece_count + options->piece) * PIECE_BLOCK + ordinal % PIECE_BLOCK;
}

static void fill_batch(const Pool *pool, Maker *maker, uint64_t number, Batch *batch)
{
    batch->text.len = 0;
    batch->failed = !maker;
    for (uint64_t i = 0; !batch->failed && i < BATCH_SIZE && !(pool->enough && *pool->enough); i++) {
        uint64_t index = candidate_index(pool->options, pool->first + number * BATCH_SIZE + i);
        batch->failed = !make_candidate(maker, index, &batch->items[i], &batch->text) || batch->text.failed;
    }
}

static void *work(void *argument)
{
    Pool *pool = argument;
    Maker *maker = maker_new(pool->options);
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stop && pool->next >= pool->taken + pool->ring)
            pthread_cond_wait(&pool->room, &pool->lock);
        if (pool->stop)
            break;
        uint64_t number = pool->next++;
        Batch *batch = &pool->batches[number % pool->ring];
        pthread_mutex_unlock(&pool->lock);
        fill_batch(pool, maker, number, batch);
        pthread_mutex_lock(&pool->lock);
        batch->ready = true;
        pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    maker_free(maker);
    return NULL;
}

static Batch *wait_for_batch(Pool *pool, uint64_t number)
{
    Batch *batch = &pool->batches[number % pool->ring];
    pthread_mutex_lock(&pool->lock);
    while (!batch->ready)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    return batch;
}

static void release_batch(Pool *pool, Batch *batch)
{
    pthread_mutex_lock(&pool->lock);
    batch->ready = false;
    pool->taken++;
    pthread_cond_broadcast(&pool->room);
    pthread_mutex_unlock(&pool->lock);
}

static void stop_workers(Pool *pool, pthread_t *threads, unsigned count)
{
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->room);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

typedef struct Telling {
    const CorpusRun *run;
    CorpusProgress progress;
    double started, last;
} Telling;

static void tell(Telling *telling, const Writer *writer, bool always)
{
    double now = corpus_now();
    if (!telling->run->progress || (!always && now - telling->last < 0.2))
        return;
    telling->last = now;
    const Manifest *manifest = &writer->manifest;
    telling->progress.made = manifest->options.piece_count ? manifest->kept : manifest->rows;
    telling->progress.rejected = counters_rejected(&manifest->counters);
    telling->progress.seconds = now - telling->started;
    telling->run->progress(&telling->progress, telling->run->user);
}

static bool is_stopped(const CorpusRun *run)
{
    return run->stop && *run->stop;
}

/* False: the run is over, because the set is full, the user has enough, or something failed. */
static bool take(Writer *writer, const Candidate *candidate, const char *text, const CorpusRun *run,
                 CorpusOutcome *outcome, CorpusError *error)
{
    if (!writer_take(writer, candidate, text, error))
        *outcome = CORPUS_FAILED;
    else if (writer_is_full(writer))
        *outcome = CORPUS_DONE;
    else if (is_stopped(run))
        *outcome = CORPUS_STOPPED;
    else
        return true;
    return false;
}

static CorpusOutcome take_batches(Pool *pool, Writer *writer, Telling *telling, CorpusError *error)
{
    CorpusOutcome outcome;
    for (uint64_t number = 0;; number++) {
        Batch *batch = wait_for_batch(pool, number);
        if (is_stopped(telling->run)) /* then the batch may not be whole */
            return CORPUS_STOPPED;
        if (batch->failed) {
            corpus_fail(error, "out of memory");
            return CORPUS_FAILED;
        }
        for (int i = 0; i < BATCH_SIZE; i++) {
            const Candidate *candidate = &batch->items[i];
            if (!take(writer, candidate, batch->text.data + candidate->start, telling->run, &outcome, error))
                return outcome;
        }
        release_batch(pool, batch);
        tell(telling, writer, false);
    }
}

static CorpusOutcome run_workers(Writer *writer, unsigned jobs, Telling *telling, CorpusError *error)
{
    Pool pool = {.options = &writer->manifest.options,
                 .first = writer->manifest.next,
                 .ring = 2 * (uint64_t)jobs + 2,
                 .enough = telling->run->stop};
    pthread_t *threads = calloc(jobs, sizeof *threads);
    unsigned started = 0;
    CorpusOutcome outcome = CORPUS_FAILED;
    pool.batches = calloc(pool.ring, sizeof *pool.batches);
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.room, NULL);
    pthread_cond_init(&pool.done, NULL);
    while (threads && pool.batches && started < jobs && pthread_create(&threads[started], NULL, work, &pool) == 0)
        started++;
    if (started)
        outcome = take_batches(&pool, writer, telling, error);
    else
        corpus_fail(error, "cannot start a thread");
    stop_workers(&pool, threads, started);
    for (uint64_t i = 0; pool.batches && i < pool.ring; i++)
        text_free(&pool.batches[i].text);
    pthread_mutex_destroy(&pool.lock);
    pthread_cond_destroy(&pool.room);
    pthread_cond_destroy(&pool.done);
    free(pool.batches);
    free(threads);
    return outcome;
}

/* One job: the record that was just made is still in the cache when it is written. */
static CorpusOutcome run_alone(Writer *writer, Telling *telling, CorpusError *error)
{
    const CorpusOptions *options = &writer->manifest.options;
    Maker *maker = maker_new(options);
    CorpusOutcome outcome = CORPUS_FAILED;
    Text text;
    text_init(&text);
    for (uint64_t ordinal = writer->manifest.next;; ordinal++) {
        Candidate candidate;
        text.len = 0;
        if (!maker || !make_candidate(maker, candidate_index(options, ordinal), &candidate, &text) || text.failed) {
            corpus_fail(error, "out of memory");
            break;
        }
        if (!take(writer, &candidate, text.data, telling->run, &outcome, error))
            break;
        if (ordinal % BATCH_SIZE == 0)
            tell(telling, writer, false);
    }
    text_free(&text);
    maker_free(maker);
    return outcome;
}

CorpusOutcome corpus_produce(const char *dir, const CorpusOptions *options, const CorpusRun *run, CorpusError *error)
{
    Writer writer;
    CorpusOutcome outcome = writer_open(&writer, dir, options, run->resume, error);
    if (outcome == CORPUS_DONE) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        unsigned jobs = run->jobs ? run->jobs : cores > 0 ? (unsigned)cores : 1;
        Telling telling = {.run = run, .started = corpus_now()};
        telling.progress.wanted =
            options->piece_count ? (options->count + options->piece_count - 1) / options->piece_count : options->count;
        telling.progress.resumed_from = options->piece_count ? writer.manifest.kept : writer.manifest.rows;
        if (!writer_is_full(&writer))
            outcome = jobs == 1 ? run_alone(&writer, &telling, error) : run_workers(&writer, jobs, &telling, error);
        if ((outcome == CORPUS_DONE && !writer_finish(&writer, error)) ||
            (outcome == CORPUS_STOPPED && !writer_pause(&writer, error)))
            outcome = CORPUS_FAILED;
        if (outcome == CORPUS_DONE)
            tell(&telling, &writer, true);
    }
    writer_free(&writer);
    return outcome;
}

/* ---- pieces ---- */

typedef struct Piece {
    const char *dir;
    int dir_fd;
    Manifest manifest;
    ShardReader *reader;
    uint32_t shard; /* the one that is being read */
    uint64_t rows_read, shard_rows_read;
} Piece;

static bool finish_piece_shard(Piece *piece, CorpusError *error)
{
    const ShardEntry *entry = &piece->manifest.shards[piece->shard];
    char hash[HASH_HEX_SIZE];
    uint64_t bytes;
    shard_sum(piece->reader, hash, &bytes);
    shard_reader_free(piece->reader);
    piece->reader = NULL;
    if (error->message[0])
        return false;
    if (piece->shard_rows_read != entry->rows || strcmp(hash, entry->hash) != 0)
        return corpus_fail(error, "%s/%s is not as its manifest says: it was changed", piece->dir, entry->file);
    piece->shard++;
    piece->shard_rows_read = 0;
    return true;
}

/* The next candidate of the piece; the record is in *line. */
static bool read_piece(Piece *piece, Candidate *candidate, const char **line, CorpusError *error)
{
    size_t len;
    for (;;) {
        if (!piece->reader) {
            if (piece->shard == piece->manifest.shard_count)
                return corpus_fail(error, "%s has fewer records than its manifest says", piece->dir);
            piece->reader = shard_open(piece->dir_fd, piece->dir, &piece->manifest.shards[piece->shard],
                                       piece->manifest.options.compress, UINT64_MAX, error);
            if (!piece->reader)
                return false;
        }
        *line = shard_line(piece->reader, &len, error);
        if (*line)
            break;
        if (!finish_piece_shard(piece, error))
            return false;
    }
    piece->rows_read++;
    piece->shard_rows_read++;
    static const char rejected[] = "\", \"rejected\": \"";
    const char *why = memmem(*line, len, rejected, sizeof rejected - 1);
    if (strncmp(*line, "{\"index\": ", 10) == 0 && why) {
        why += sizeof rejected - 1;
        *candidate =
            (Candidate){.index = strtoull(*line + 10, NULL, 10), .reason = reason_of_name(why, strcspn(why, "\""))};
        if (candidate->reason < REASON_COUNT)
            return true;
    } else if (scan_record(*line, len, candidate)) {
        *line += candidate->start;
        return true;
    }
    return corpus_fail(error, "%s: record %llu is not one of weft", piece->dir, (unsigned long long)piece->rows_read);
}

static bool open_piece(Piece *piece, const char *dir, CorpusError *error)
{
    bool found;
    *piece = (Piece){.dir = dir};
    piece->dir_fd = folder_open(dir, error);
    if (piece->dir_fd < 0 || !manifest_read(&piece->manifest, piece->dir_fd, dir, &found, error))
        return false;
    if (!found || !piece->manifest.options.piece_count)
        return corpus_fail(error, "%s is not a piece: make pieces with weft produce --shard I/N", dir);
    if (!piece->manifest.complete)
        return corpus_fail(error, "%s is not finished: continue it with --resume", dir);
    return true;
}

static void free_pieces(Piece *pieces, size_t count)
{
    for (size_t i = 0; pieces && i < count; i++) {
        shard_reader_free(pieces[i].reader);
        manifest_free(&pieces[i].manifest);
        if (pieces[i].dir && pieces[i].dir_fd >= 0)
            close(pieces[i].dir_fd);
    }
    free(pieces);
}

/* Opens all pieces of one run and puts them in order. */
static Piece *open_pieces(char *const *dirs, size_t count, CorpusError *error)
{
    Piece *pieces = calloc(count, sizeof *pieces);
    for (size_t i = 0; pieces && i < count; i++) {
        Piece piece;
        bool fine = open_piece(&piece, dirs[i], error);
        CorpusOptions *options = &piece.manifest.options;
        if (fine && options->piece_count != count)
            fine =
                corpus_fail(error, "%s is one of %u pieces, but %zu are given", dirs[i], options->piece_count, count);
        if (fine && pieces[options->piece].dir)
            fine = corpus_fail(error, "%s and %s are the same piece", pieces[options->piece].dir, dirs[i]);
        if (!fine) {
            manifest_free(&piece.manifest);
            if (piece.dir_fd >= 0)
                close(piece.dir_fd);
            free_pieces(pieces, count);
            return NULL;
        }
        pieces[options->piece] = piece;
    }
    for (size_t i = 1; pieces && i < count; i++) {
        CorpusOptions expected = pieces[0].manifest.options;
        expected.piece = (uint32_t)i;
        if (!manifest_same_options(&pieces[i].manifest, &expected, pieces[i].dir, error)) {
            free_pieces(pieces, count);
            return NULL;
        }
    }
    return pieces;
}

static CorpusOutcome merge_pieces(Piece *pieces, size_t count, Writer *writer, Telling *telling, CorpusError *error)
{
    Maker *maker = NULL;
    Text text;
    CorpusOutcome outcome = CORPUS_DONE;
    text_init(&text);
    for (uint64_t index = 0; outcome == CORPUS_DONE && !writer_is_full(writer); index++) {
        Piece *piece = &pieces[index / PIECE_BLOCK % count];
        Candidate candidate;
        const char *record = NULL;
        bool fine;
        if (piece->rows_read < piece->manifest.rows) {
            fine = read_piece(piece, &candidate, &record, error);
            if (fine && candidate.index != index)
                fine = corpus_fail(error, "%s: candidate %llu is missing", piece->dir, (unsigned long long)index);
        } else {
            text.len = 0;
            maker = maker ? maker : maker_new(&writer->manifest.options);
            fine = maker && make_candidate(maker, index, &candidate, &text) && !text.failed;
            if (!fine)
                corpus_fail(error, "out of memory");
            record = text.data;
        }
        if (!fine || !writer_take(writer, &candidate, record, error))
            outcome = CORPUS_FAILED;
        else if (is_stopped(telling->run))
            outcome = CORPUS_STOPPED;
        tell(telling, writer, false);
    }
    text_free(&text);
    maker_free(maker);
    return outcome;
}

CorpusOutcome corpus_merge(const char *dir, char *const *dirs, size_t count, const CorpusRun *run, CorpusError *error)
{
    Piece *pieces = open_pieces(dirs, count, error);
    if (!pieces)
        return CORPUS_FAILED;
    CorpusOptions options = pieces[0].manifest.options;
    options.piece = options.piece_count = 0;
    Writer writer;
    CorpusOutcome outcome = writer_open(&writer, dir, &options, false, error);
    if (outcome == CORPUS_DONE) {
        Telling telling = {.run = run, .started = corpus_now(), .progress.wanted = options.count};
        outcome = merge_pieces(pieces, count, &writer, &telling, error);
        if (outcome == CORPUS_DONE && !writer_finish(&writer, error))
            outcome = CORPUS_FAILED;
        tell(&telling, &writer, true);
    }
    writer_free(&writer);
    free_pieces(pieces, count);
    return outcome;
}
