/* The thread pool: threads that wait for work and do it together.
 *
 *     pool_run_once(jobs, work, &task);      work(&task, number) on every thread; back when all are done
 *
 * Where pieces are made in any order and needed in order, pool_run_in_order keeps a ring of slots: the threads fill them,
 * the caller empties them. The ring bounds the memory: a thread waits until the caller is near enough. */
#ifndef WEFT_BASE_POOL_H
#define WEFT_BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Pool Pool;

/* `number` tells the threads apart; the calling one is number 0. */
typedef void PoolWork(void *user, unsigned number);

unsigned pool_jobs(unsigned wanted); /* 0: as many as there are cores */

Pool *pool_open(unsigned jobs);       /* the caller counts as one; NULL: out of memory */
void pool_close(Pool *pool);          /* NULL: nothing happens */
unsigned pool_size(const Pool *pool); /* fewer than were wanted where threads could not be started */
void pool_run(Pool *pool, PoolWork *work, void *user);

/* On a pool of its own; on the calling thread alone where there can be none. */
void pool_run_once(unsigned jobs, PoolWork *work, void *user);

typedef struct PoolLine {
    void *user;
    void *(*open)(void *user); /* what a thread has for itself, given to `make` and `close` */
    void (*close)(void *own);
    void (*make)(void *user, void *own, uint64_t number, void *slot); /* number: 0, 1, 2, … */
    bool (*take)(void *user, void *slot);                             /* on the calling thread; false: enough */
    void *slots;
    size_t slot_size, slot_count;
} PoolLine;

/* Besides the calling thread, so many. False: none could be started. */
bool pool_run_in_order(unsigned jobs, const PoolLine *line);

#endif
