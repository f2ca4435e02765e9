#include "corpus/batch.h"

#include "base/pool.h"
#include "corpus/shard.h"

#include <stdlib.h>

/* Few candidates a batch: what is made and not taken when a run ends was made for nothing. Many batches: while one kernel takes long, the
 * other threads go on behind it. */
enum { BATCH_SIZE = 2, BATCHES_PER_JOB = 16 };

typedef struct Batch {
    bool failed;
    Candidate items[BATCH_SIZE];
    Text text;
} Batch;

typedef struct Work {
    const CandidateLine *line;
    CorpusError *error;
} Work;

static bool is_stopped(const CandidateLine *line)
{
    return line->stop && *line->stop;
}

static void *open_maker(void *user)
{
    return maker_new(((const Work *)user)->line->options);
}

static void close_maker(void *maker)
{
    maker_free(maker);
}

static void fill_batch(void *user, void *maker, uint64_t number, void *slot)
{
    const CandidateLine *line = ((const Work *)user)->line;
    Batch *batch = slot;
    batch->text.len = 0;
    batch->failed = !maker;
    for (uint64_t i = 0; !batch->failed && i < BATCH_SIZE && !is_stopped(line); i++) {
        uint64_t index = candidate_index(line->options, line->first + number * BATCH_SIZE + i);
        batch->failed = !make_candidate(maker, index, &batch->items[i], &batch->text) || batch->text.failed;
    }
}

static bool take_batch(void *user, void *slot)
{
    const Work *work = user;
    const Batch *batch = slot;
    if (is_stopped(work->line)) /* then the batch may not be whole */
        return false;
    if (batch->failed)
        return corpus_fail(work->error, "out of memory");
    for (int i = 0; i < BATCH_SIZE; i++) {
        const Candidate *candidate = &batch->items[i];
        if (!work->line->take(work->line->user, candidate, batch->text.data + candidate->start))
            return false;
    }
    return true;
}

bool candidates_in_order(const CandidateLine *line, unsigned jobs, CorpusError *error)
{
    Work work = {line, error};
    PoolLine pool = {.user = &work,
                     .open = open_maker,
                     .close = close_maker,
                     .make = fill_batch,
                     .take = take_batch,
                     .slot_size = sizeof(Batch),
                     .slot_count = BATCHES_PER_JOB * (size_t)jobs};
    Batch *batches = pool.slots = calloc(pool.slot_count, pool.slot_size);
    bool done = batches && pool_run_in_order(jobs, &pool);
    if (!done)
        corpus_fail(error, batches ? "cannot start a thread" : "out of memory");
    for (size_t i = 0; batches && i < pool.slot_count; i++)
        text_free(&batches[i].text);
    free(batches);
    return done && !error->message[0];
}
