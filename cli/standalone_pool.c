/* Threads make candidates, and they are taken in order: a ring of them bounds the memory. */
#include "standalone.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct Slot {
    Made made;
    bool ready;
} Slot;

typedef struct Pool {
    uint64_t seed, next, taken; /* candidates given out; taken */
    const CategoryWeights *weights;
    pthread_mutex_t lock;
    pthread_cond_t room, done;
    Slot *slots;
    uint64_t slot_count;
    bool stop;
} Pool;

static void *work(void *argument)
{
    Pool *pool = argument;
    ProgramMaker maker;
    bool can = maker_init(&maker);
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stop && pool->next >= pool->taken + pool->slot_count)
            pthread_cond_wait(&pool->room, &pool->lock);
        if (pool->stop)
            break;
        uint64_t index = pool->next++;
        Slot *slot = &pool->slots[index % pool->slot_count];
        pthread_mutex_unlock(&pool->lock);
        if (can)
            make_invented(&maker, pool->seed, index, pool->weights, &slot->made);
        else
            slot->made.state = MADE_FAILED;
        pthread_mutex_lock(&pool->lock);
        slot->ready = true;
        pthread_cond_broadcast(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    maker_free_parts(&maker);
    return NULL;
}

static void take_all(Pool *pool, MadeTaker *take, void *user)
{
    for (bool more = true; more;) {
        Slot *slot = &pool->slots[pool->taken % pool->slot_count];
        pthread_mutex_lock(&pool->lock);
        while (!slot->ready)
            pthread_cond_wait(&pool->done, &pool->lock);
        pthread_mutex_unlock(&pool->lock);
        more = take(&slot->made, user);
        pthread_mutex_lock(&pool->lock);
        slot->ready = false;
        pool->taken++;
        pool->stop = !more;
        pthread_cond_broadcast(&pool->room);
        pthread_mutex_unlock(&pool->lock);
    }
}

bool make_in_order(unsigned jobs, uint64_t seed, uint64_t first, const CategoryWeights *weights, MadeTaker *take,
                   void *user)
{
    Pool pool = {.seed = seed, .next = first, .taken = first, .weights = weights, .slot_count = 4 * (uint64_t)jobs};
    pthread_t *threads = calloc(jobs, sizeof *threads);
    unsigned started = 0;
    pool.slots = calloc(pool.slot_count, sizeof *pool.slots);
    for (uint64_t i = 0; pool.slots && i < pool.slot_count; i++)
        made_init(&pool.slots[i].made);
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.room, NULL);
    pthread_cond_init(&pool.done, NULL);
    while (threads && pool.slots && started < jobs && pthread_create(&threads[started], NULL, work, &pool) == 0)
        started++;
    if (started)
        take_all(&pool, take, user);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    for (uint64_t i = 0; pool.slots && i < pool.slot_count; i++)
        made_free(&pool.slots[i].made);
    pthread_mutex_destroy(&pool.lock);
    pthread_cond_destroy(&pool.room);
    pthread_cond_destroy(&pool.done);
    free(pool.slots);
    free(threads);
    return started > 0;
}
