#include "gpu/cores.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

typedef struct Core {
    Cores *cores;
    unsigned number;
    pthread_t thread;
} Core;

struct Cores {
    unsigned count; /* the caller is number 0 */
    Core *items;
    pthread_barrier_t begin, end;
    SliceJob job;
    bool stop;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void run_part(const SliceJob *job, unsigned number, unsigned count)
{
    uint64_t first = job->end * number / count, end = job->end * (number + 1) / count;
    job->run(job->bounds, job->args, first, end);
}

static void *work(void *argument)
{
    const Core *core = argument;
    Cores *cores = core->cores;
    for (;;) {
        pthread_barrier_wait(&cores->begin);
        if (cores->stop)
            return NULL;
        run_part(&cores->job, core->number, cores->count);
        pthread_barrier_wait(&cores->end);
    }
}

Cores *cores_open(unsigned count)
{
    Cores *cores = calloc(1, sizeof *cores);
    if (!cores || !(cores->items = calloc(count, sizeof *cores->items))) {
        free(cores);
        return NULL;
    }
    cores->count = count;
    pthread_barrier_init(&cores->begin, NULL, count);
    pthread_barrier_init(&cores->end, NULL, count);
    for (unsigned i = 1; i < count; i++) {
        cores->items[i] = (Core){cores, i, 0};
        if (pthread_create(&cores->items[i].thread, NULL, work, &cores->items[i]) != 0)
            return NULL; /* those that wait already end with the process */
    }
    return cores;
}

void cores_close(Cores *cores)
{
    if (!cores)
        return;
    cores->stop = true;
    pthread_barrier_wait(&cores->begin);
    for (unsigned i = 1; i < cores->count; i++)
        pthread_join(cores->items[i].thread, NULL);
    pthread_barrier_destroy(&cores->begin);
    pthread_barrier_destroy(&cores->end);
    free(cores->items);
    free(cores);
}

double cores_run(Cores *cores, const SliceJob *job, unsigned threads)
{
    double start = now();
    if (threads <= 1)
        run_part(job, 0, 1);
    else {
        cores->job = *job;
        pthread_barrier_wait(&cores->begin);
        run_part(job, 0, cores->count);
        pthread_barrier_wait(&cores->end);
    }
    return now() - start;
}
