/* A run: threads make batches of candidates, one writer takes them in order. A run of one job has no threads. */
#include "base/clock.h"
#include "base/pool.h"
#include "corpus/batch.h"
#include "corpus/join.h"
#include "corpus/losers.h"
#include "corpus/writer.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct ProgressTimer {
    const CorpusRun *run;
    CorpusProgress progress;
    double started, last;
} ProgressTimer;

static void tell_progress(ProgressTimer *timer, const Writer *writer, bool always)
{
    double now = clock_seconds();
    if (!timer->run->progress || (!always && now - timer->last < 0.2))
        return;
    timer->last = now;
    const Manifest *manifest = &writer->manifest;
    timer->progress.made = manifest->options.piece_count ? manifest->kept : manifest->rows;
    timer->progress.rejected = counters_rejected(&manifest->counters);
    timer->progress.seconds = now - timer->started;
    timer->run->progress(&timer->progress, timer->run->user);
}

static bool is_stopped(const CorpusRun *run)
{
    return run->stop && *run->stop;
}

/* False: the run is over, because the set is full, the user has enough, or something failed. */
static bool take(Writer *writer, const Candidate *candidate, const char *text, const CorpusRun *run,
                 CorpusOutcome *outcome, CorpusError *error)
{
    if (!writer_take(writer, candidate, text, text + candidate->len, error))
        *outcome = CORPUS_FAILED;
    else if (writer_is_full(writer))
        *outcome = CORPUS_DONE;
    else if (is_stopped(run))
        *outcome = CORPUS_STOPPED;
    else
        return true;
    return false;
}

/* A run on several threads. */
typedef struct Production {
    Writer *writer;
    ProgressTimer *timer;
    CorpusError *error;
    CorpusOutcome outcome;
} Production;

static bool take_made(void *user, const Candidate *candidate, const char *text)
{
    Production *production = user;
    bool more =
        take(production->writer, candidate, text, production->timer->run, &production->outcome, production->error);
    if (more)
        tell_progress(production->timer, production->writer, false);
    return more;
}

static CorpusOutcome run_workers(Writer *writer, unsigned jobs, ProgressTimer *timer, CorpusError *error)
{
    Production production = {writer, timer, error, CORPUS_STOPPED};
    writer_pack_beside(writer, jobs);
    CandidateLine line = {.options = &writer->manifest.options,
                          .first = writer->manifest.next,
                          .stop = timer->run->stop,
                          .take = take_made,
                          .user = &production};
    return candidates_in_order(&line, jobs, error) ? production.outcome : CORPUS_FAILED;
}

/* One job: the record that was just made is still in the cache when it is written. */
static CorpusOutcome run_alone(Writer *writer, ProgressTimer *timer, CorpusError *error)
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
        if (!take(writer, &candidate, text.data, timer->run, &outcome, error))
            break;
        tell_progress(timer, writer, false);
    }
    text_free(&text);
    maker_free(maker);
    return outcome;
}

static CorpusOutcome produce(const char *dir, const CorpusOptions *options, const CorpusRun *run, CorpusError *error)
{
    Writer writer;
    CorpusOutcome outcome = writer_open(&writer, dir, options, run->resume, error);
    if (outcome == CORPUS_DONE) {
        unsigned jobs = pool_jobs(run->jobs);
        writer.manifest.options.losers = options->losers; /* a manifest that was read has none */
        ProgressTimer timer = {.run = run, .started = clock_seconds()};
        timer.progress.wanted =
            options->piece_count ? (options->count + options->piece_count - 1) / options->piece_count : options->count;
        timer.progress.resumed_from = options->piece_count ? writer.manifest.kept : writer.manifest.rows;
        if (!writer_is_full(&writer))
            outcome = jobs == 1 ? run_alone(&writer, &timer, error) : run_workers(&writer, jobs, &timer, error);
        if ((outcome == CORPUS_DONE && !writer_finish(&writer, error)) ||
            (outcome == CORPUS_STOPPED && !writer_pause(&writer, error)))
            outcome = CORPUS_FAILED;
        if (outcome == CORPUS_DONE)
            tell_progress(&timer, &writer, true);
    }
    writer_free(&writer);
    return outcome;
}

CorpusOutcome corpus_produce(const char *dir, const CorpusOptions *options, const CorpusRun *run, CorpusError *error)
{
    CorpusOptions with_losers = *options;
    LoserMap *losers = NULL;
    if (options->end && !options->losers) {
        losers = losers_of_range(options, run->jobs, run->stop, error);
        if (!losers)
            return error->message[0] ? CORPUS_FAILED : CORPUS_STOPPED;
        with_losers.losers = losers;
    }
    CorpusOutcome outcome = produce(dir, &with_losers, run, error);
    loser_map_free(losers);
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
    GramSet grams; /* of the last candidate */
} Piece;

static bool finish_piece_shard(Piece *piece, CorpusError *error)
{
    const ShardEntry *entry = &piece->manifest.shards[piece->shard];
    ShardEntry found;
    shard_sum(piece->reader, &found);
    shard_reader_free(piece->reader);
    piece->reader = NULL;
    if (error->message[0])
        return false;
    if (piece->shard_rows_read != entry->rows || !shard_same_bytes(&found, entry))
        return corpus_fail(error, "%s/%s is not as its manifest says: it was changed", piece->dir, entry->file);
    piece->shard++;
    piece->shard_rows_read = 0;
    return true;
}

/* The next line of the piece. NULL: *error says why. */
static const char *next_line(Piece *piece, size_t *len, CorpusError *error)
{
    for (;;) {
        if (!piece->reader) {
            if (piece->shard == piece->manifest.shard_count) {
                corpus_fail(error, "%s has fewer records than its manifest says", piece->dir);
                return NULL;
            }
            piece->reader = shard_open(piece->dir_fd, piece->dir, &piece->manifest.shards[piece->shard],
                                       &piece->manifest.options, SHARD_WHOLE, error);
            if (!piece->reader)
                return NULL;
        }
        const char *line = shard_line(piece->reader, len, error);
        if (line) {
            piece->rows_read++;
            piece->shard_rows_read++;
            return line;
        }
        if (!finish_piece_shard(piece, error))
            return NULL;
    }
}

/* The next candidate of the piece; the record is in *line. */
static bool read_piece(Piece *piece, Candidate *candidate, const char **line, CorpusError *error)
{
    size_t len;
    *line = next_line(piece, &len, error);
    if (!*line)
        return false;
    static const char *const members[] = {CANDIDATE_MEMBERS, "python_source", "rejected", NULL};
    json_t *record = json_read_members(*line, len, members), *why = json_object_get(record, "rejected");
    bool fine;
    if (why) {
        const char *reason = json_member_string(record, "rejected");
        *candidate = (Candidate){.index = (uint64_t)json_integer_value(json_object_get(record, "index")),
                                 .reason = reason_of_name(reason, strlen(reason))};
        fine = candidate->reason < REASON_COUNT;
    } else {
        fine = record && candidate_of_json(record, *line, len, candidate) && grams_of_json(record, &piece->grams);
        candidate->gram_count = piece->grams.count;
    }
    json_decref(record);
    *line += fine ? candidate->start : 0;
    if (fine)
        return true;
    return corpus_fail(error, "%s: record %llu is not a weft record", piece->dir, (unsigned long long)piece->rows_read);
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
        return fail_unfinished(&piece->manifest, dir, error);
    return true;
}

static void free_pieces(Piece *pieces, size_t count)
{
    for (size_t i = 0; pieces && i < count; i++) {
        shard_reader_free(pieces[i].reader);
        manifest_free(&pieces[i].manifest);
        gram_set_free(&pieces[i].grams);
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

/* A run that goes on does not look again at what is done. */
static bool skip_done(Piece *pieces, size_t count, uint64_t done, CorpusError *error)
{
    size_t len;
    for (uint64_t index = 0; index < done; index++) {
        Piece *piece = &pieces[index / PIECE_BLOCK % count];
        if (piece->rows_read < piece->manifest.rows && !next_line(piece, &len, error))
            return false;
    }
    return true;
}

static CorpusOutcome merge_pieces(Piece *pieces, size_t count, Writer *writer, ProgressTimer *timer, CorpusError *error)
{
    Maker *maker = NULL;
    Text text;
    uint64_t done = writer->manifest.next;
    CorpusOutcome outcome = skip_done(pieces, count, done, error) ? CORPUS_DONE : CORPUS_FAILED;
    text_init(&text);
    for (uint64_t index = done; outcome == CORPUS_DONE && !writer_is_full(writer); index++) {
        Piece *piece = &pieces[index / PIECE_BLOCK % count];
        Candidate candidate;
        const char *record = NULL, *grams;
        bool fine;
        if (piece->rows_read < piece->manifest.rows) {
            fine = read_piece(piece, &candidate, &record, error);
            grams = (const char *)piece->grams.items;
            if (fine && candidate.index != index)
                fine = corpus_fail(error, "%s: candidate %llu is missing", piece->dir, (unsigned long long)index);
        } else {
            text.len = 0;
            maker = maker ? maker : maker_new(&writer->manifest.options);
            fine = maker && make_candidate(maker, index, &candidate, &text) && !text.failed;
            if (!fine)
                corpus_fail(error, "out of memory");
            record = text.data;
            grams = record + candidate.len;
        }
        if (!fine || !writer_take(writer, &candidate, record, grams, error))
            outcome = CORPUS_FAILED;
        else if (is_stopped(timer->run))
            outcome = CORPUS_STOPPED;
        tell_progress(timer, writer, false);
    }
    text_free(&text);
    maker_free(maker);
    return outcome;
}

CorpusOutcome corpus_merge(const char *dir, char *const *dirs, size_t count, const CorpusRun *run, CorpusError *error)
{
    if (count > 1 && is_whole_set(dirs[0]))
        return corpus_join(dir, dirs, count, run, error);
    Piece *pieces = open_pieces(dirs, count, error);
    if (!pieces)
        return CORPUS_FAILED;
    CorpusOptions options = pieces[0].manifest.options;
    options.piece = options.piece_count = 0;
    if ((run->splits && !corpus_fail(error, "%s is a piece: its splits are those of its set", pieces[0].dir)) ||
        !take_hidden_key(&options, run->hidden_key, pieces[0].dir, error)) {
        free_pieces(pieces, count);
        return CORPUS_FAILED;
    }
    Writer writer;
    CorpusOutcome outcome = writer_open(&writer, dir, &options, run->resume, error);
    if (outcome == CORPUS_DONE) {
        ProgressTimer timer = {.run = run, .started = clock_seconds(), .progress.wanted = options.count};
        timer.progress.resumed_from = writer.manifest.rows;
        outcome = merge_pieces(pieces, count, &writer, &timer, error);
        if ((outcome == CORPUS_DONE && !writer_finish(&writer, error)) ||
            (outcome == CORPUS_STOPPED && !writer_pause(&writer, error)))
            outcome = CORPUS_FAILED;
        tell_progress(&timer, &writer, true);
    }
    writer_free(&writer);
    free_pieces(pieces, count);
    return outcome;
}
