#include "corpus/stored.h"

#include "base/clock.h"
#include "base/pool.h"
#include "corpus/writer.h"

#include <pthread.h>
#include <stdlib.h>

enum { BATCH_SOURCES = 16 };

typedef struct Batch {
    Text lines;
    size_t starts[BATCH_SOURCES + 1];
    uint32_t count;
    uint64_t first; /* number of the first */
    bool failed;
    Candidate items[BATCH_SOURCES];
    Text text;
} Batch;

typedef struct StoredRun {
    const CorpusRun *user;
    const CorpusOptions *options;
    const StoredSources *sources;
    Writer writer;
    uint64_t first;       /* record that the run begins with */
    pthread_mutex_t lock; /* what follows: threads read in turn */
    pthread_cond_t turn;
    uint64_t next_batch;
    bool ended;
    CorpusError read_error;
    CorpusError *error;
    CorpusOutcome outcome;
    double started, told;
} StoredRun;

static bool is_stopped(const StoredRun *run)
{
    return run->user->stop && *run->user->stop;
}

/* ---- one source ---- */

static void close_worker(void *own)
{
    StoredWorker *worker = own;
    if (!worker)
        return;
    maker_free(worker->maker);
    weft_free(worker->weft);
    text_free(&worker->source);
    text_free(&worker->launch);
    free(worker);
}

static void *open_worker(void *user)
{
    const StoredRun *run = user;
    StoredWorker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return NULL;
    worker->maker = maker_new(run->options);
    worker->weft = weft_new(run->options->warp);
    if (worker->maker && worker->weft)
        return worker;
    close_worker(worker);
    return NULL;
}

bool stored_compile(StoredWorker *worker, const SynthSample *sample, const PipelineVisitor *visitor)
{
    PipelineOptions options = pipeline_options();
    options.weft.cuda = options.weft.cpu = true;
    options.weft.source = false;
    worker->source.len = 0;
    synth_add_module(sample, &worker->source);
    return !worker->source.failed &&
           pipeline_compile(worker->weft, &(Source){"stored.py", worker->source.data, worker->source.len}, &options,
                            visitor);
}

void stored_use_launch(StoredWorker *worker, SynthSample *sample)
{
    sample->launch = text_cstr(&worker->launch);
    sample->launch_len = worker->launch.len;
    sample->arguments = strstr(sample->launch, LAUNCH_ARGUMENTS) + strlen(LAUNCH_ARGUMENTS);
}

/* ---- all of them ---- */

/* The lines of batch `number`, when those before it have been read. */
static void read_batch(StoredRun *run, uint64_t number, Batch *batch)
{
    batch->count = 0;
    batch->lines.len = 0;
    batch->first = run->first + number * BATCH_SOURCES;
    pthread_mutex_lock(&run->lock);
    while (run->next_batch != number)
        pthread_cond_wait(&run->turn, &run->lock);
    while (!run->ended && batch->count < BATCH_SOURCES) {
        size_t len;
        const char *line = run->sources->next(run->sources->user, &len, &run->read_error);
        run->ended = !line;
        if (!line)
            break;
        batch->starts[batch->count++] = batch->lines.len;
        text_add(&batch->lines, line, len);
        text_char(&batch->lines, '\0');
    }
    batch->starts[batch->count] = batch->lines.len;
    batch->failed = run->read_error.message[0];
    run->next_batch++;
    pthread_cond_broadcast(&run->turn);
    pthread_mutex_unlock(&run->lock);
}

static void fill_batch(void *user, void *own, uint64_t number, void *slot)
{
    StoredRun *run = user;
    Batch *batch = slot;
    batch->text.len = 0;
    read_batch(run, number, batch);
    batch->failed |= !own || batch->lines.failed;
    for (uint32_t i = 0; !batch->failed && i < batch->count && !is_stopped(run); i++)
        batch->failed =
            !run->sources->make(own, batch->first + i, batch->lines.data + batch->starts[i],
                                batch->starts[i + 1] - batch->starts[i] - 1, &batch->items[i], &batch->text);
}

static void tell_progress(StoredRun *run, bool always)
{
    double now = clock_seconds();
    if (!run->user->progress || (!always && now - run->told < 0.2))
        return;
    const Manifest *manifest = &run->writer.manifest;
    CorpusProgress progress = {.made = manifest->rows,
                               .wanted = run->options->count,
                               .rejected = counters_rejected(&manifest->counters),
                               .seconds = now - run->started};
    run->told = now;
    run->user->progress(&progress, run->user->user);
}

static bool take_batch(void *user, void *slot)
{
    StoredRun *run = user;
    const Batch *batch = slot;
    run->outcome = CORPUS_STOPPED;
    if (is_stopped(run)) /* then the batch may not be whole */
        return false;
    run->outcome = CORPUS_FAILED;
    if (batch->failed)
        return corpus_fail(run->error, "%s", run->read_error.message[0] ? run->read_error.message : "out of memory");
    for (uint32_t i = 0; i < batch->count; i++) {
        const Candidate *candidate = &batch->items[i];
        const char *text = batch->text.data ? batch->text.data + candidate->start : "";
        if (!writer_take(&run->writer, candidate, text, text + candidate->len, run->error))
            return false;
    }
    tell_progress(run, false);
    run->outcome = CORPUS_DONE;
    return batch->count == BATCH_SOURCES;
}

static void run_batches(StoredRun *run)
{
    unsigned jobs = pool_jobs(run->user->jobs);
    PoolLine line = {.user = run,
                     .open = open_worker,
                     .close = close_worker,
                     .make = fill_batch,
                     .take = take_batch,
                     .slot_size = sizeof(Batch),
                     .slot_count = 2 * (size_t)jobs + 2};
    Batch *batches = line.slots = calloc(line.slot_count, line.slot_size);
    if (!batches)
        corpus_fail(run->error, "out of memory");
    else if (!pool_run_in_order(jobs, &line))
        corpus_fail(run->error, "cannot start a thread");
    for (size_t i = 0; batches && i < line.slot_count; i++) {
        text_free(&batches[i].text);
        text_free(&batches[i].lines);
    }
    free(batches);
}

/* A run that goes on does not look again at what is done. */
static bool skip_done(StoredRun *run)
{
    size_t len;
    for (; run->first < run->writer.manifest.next; run->first++)
        if (!run->sources->next(run->sources->user, &len, run->error))
            return run->error->message[0] ? false : corpus_fail(run->error, "it has fewer records now");
    return true;
}

CorpusOutcome stored_run(const StoredSources *sources, const char *dir, const CorpusOptions *options,
                         const CorpusRun *user, CorpusError *error)
{
    StoredRun run = {.user = user, .options = options, .sources = sources, .error = error, .started = clock_seconds()};
    CorpusOutcome outcome = writer_open(&run.writer, dir, options, user->resume, error);
    if (outcome == CORPUS_DONE) {
        pthread_mutex_init(&run.lock, NULL);
        pthread_cond_init(&run.turn, NULL);
        run.outcome = CORPUS_FAILED;
        if (skip_done(&run))
            run_batches(&run);
        outcome = run.outcome;
        const Manifest *manifest = &run.writer.manifest;
        if (outcome == CORPUS_DONE && (manifest->next != options->count || !manifest->rows)) {
            corpus_fail(error,
                        manifest->rows ? "%s has fewer records than its manifest says" : "no record can be made of %s",
                        sources->from);
            outcome = CORPUS_FAILED;
        }
        if ((outcome == CORPUS_DONE && !writer_finish(&run.writer, error)) ||
            (outcome == CORPUS_STOPPED && !writer_pause(&run.writer, error)))
            outcome = CORPUS_FAILED;
        if (outcome == CORPUS_DONE)
            tell_progress(&run, true);
        pthread_mutex_destroy(&run.lock);
        pthread_cond_destroy(&run.turn);
    }
    writer_free(&run.writer);
    return outcome;
}
