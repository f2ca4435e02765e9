#include "base/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct Member {
    Pool *pool;
    unsigned number;
    pthread_t thread;
} Member;

struct Pool {
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    Member *members; /* the calling thread is members[0] */
    unsigned size;
    PoolWork *work;
    void *user;
    uint64_t task;    /* counts what was given to pool_run */
    unsigned running; /* members that are not through with it */
    bool stop;
};

unsigned pool_jobs(unsigned wanted)
{
    long cores = wanted ? wanted : sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (unsigned)cores : 1;
}

static void *serve(void *argument)
{
    const Member *member = argument;
    Pool *pool = member->pool;
    pthread_mutex_lock(&pool->lock);
    for (uint64_t done = 0;; done = pool->task) {
        while (!pool->stop && pool->task == done)
            pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->stop)
            break;
        pthread_mutex_unlock(&pool->lock);
        pool->work(pool->user, member->number);
        pthread_mutex_lock(&pool->lock);
        if (--pool->running == 0)
            pthread_cond_signal(&pool->end);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

Pool *pool_open(unsigned jobs)
{
    Pool *pool = calloc(1, sizeof *pool);
    jobs = pool_jobs(jobs);
    if (!pool || !(pool->members = calloc(jobs, sizeof *pool->members))) {
        free(pool);
        return NULL;
    }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    for (pool->size = 1; pool->size < jobs; pool->size++) {
        Member *member = &pool->members[pool->size];
        *member = (Member){.pool = pool, .number = pool->size};
        if (pthread_create(&member->thread, NULL, serve, member) != 0)
            break;
    }
    return pool;
}

void pool_close(Pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 1; i < pool->size; i++)
        pthread_join(pool->members[i].thread, NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->begin);
    pthread_cond_destroy(&pool->end);
    free(pool->members);
    free(pool);
}

unsigned pool_size(const Pool *pool)
{
    return pool->size;
}

void pool_run(Pool *pool, PoolWork *work, void *user)
{
    pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->user = user;
    pool->running = pool->size - 1;
    pool->task++;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    work(user, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->running)
        pthread_cond_wait(&pool->end, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void pool_run_once(unsigned jobs, PoolWork *work, void *user)
{
    Pool *pool = pool_open(jobs);
    if (pool)
        pool_run(pool, work, user);
    else
        work(user, 0);
    pool_close(pool);
}

/* ---- in order ---- */

typedef struct Ring {
    const PoolLine *line;
    pthread_mutex_t lock;
    pthread_cond_t room, done;
    bool *ready;          /* one per slot */
    uint64_t next, taken; /* numbers given out; numbers that the caller is through with */
    bool stop;
} Ring;

static void *slot_of(const Ring *ring, uint64_t number)
{
    return (char *)ring->line->slots + number % ring->line->slot_count * ring->line->slot_size;
}

static void fill_slots(Ring *ring)
{
    const PoolLine *line = ring->line;
    void *own = line->open(line->user);
    pthread_mutex_lock(&ring->lock);
    for (;;) {
        while (!ring->stop && ring->next >= ring->taken + line->slot_count)
            pthread_cond_wait(&ring->room, &ring->lock);
        if (ring->stop)
            break;
        uint64_t number = ring->next++;
        pthread_mutex_unlock(&ring->lock);
        line->make(line->user, own, number, slot_of(ring, number));
        pthread_mutex_lock(&ring->lock);
        ring->ready[number % line->slot_count] = true;
        pthread_cond_signal(&ring->done);
    }
    pthread_mutex_unlock(&ring->lock);
    line->close(own);
}

static void take_slots(Ring *ring)
{
    const PoolLine *line = ring->line;
    for (bool more = true; more;) {
        bool *ready = &ring->ready[ring->taken % line->slot_count];
        pthread_mutex_lock(&ring->lock);
        while (!*ready)
            pthread_cond_wait(&ring->done, &ring->lock);
        pthread_mutex_unlock(&ring->lock);
        more = line->take(line->user, slot_of(ring, ring->taken));
        pthread_mutex_lock(&ring->lock);
        *ready = false;
        ring->taken++;
        ring->stop = !more;
        pthread_cond_broadcast(&ring->room);
        pthread_mutex_unlock(&ring->lock);
    }
}

static void work_on_ring(void *user, unsigned number)
{
    if (number)
        fill_slots(user);
    else
        take_slots(user);
}

bool pool_run_in_order(unsigned jobs, const PoolLine *line)
{
    Ring ring = {.line = line, .ready = calloc(line->slot_count, sizeof *ring.ready)};
    Pool *pool = ring.ready ? pool_open(pool_jobs(jobs) + 1) : NULL;
    bool can = pool && pool_size(pool) > 1;
    pthread_mutex_init(&ring.lock, NULL);
    pthread_cond_init(&ring.room, NULL);
    pthread_cond_init(&ring.done, NULL);
    if (can)
        pool_run(pool, work_on_ring, &ring);
    pool_close(pool);
    pthread_mutex_destroy(&ring.lock);
    pthread_cond_destroy(&ring.room);
    pthread_cond_destroy(&ring.done);
    free(ring.ready);
    return can;
}
