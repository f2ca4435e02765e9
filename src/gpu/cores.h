/* The cores of the CPU, waiting: parts of one launch run on all of them at once, and the time is taken. */
#ifndef WEFT_GPU_CORES_H
#define WEFT_GPU_CORES_H

#include <stddef.h>
#include <stdint.h>

typedef struct Cores Cores;

typedef struct SliceJob {
    void (*run)(void *bounds, void *args, size_t first, size_t end);
    void *bounds, *args;
    uint64_t end; /* of the whole */
} SliceJob;

Cores *cores_open(unsigned count); /* NULL: threads cannot be started */
void cores_close(Cores *cores);
/* Runs the job on so many threads, each an equal part; returns seconds. 1: on the calling thread. */
double cores_run(Cores *cores, const SliceJob *job, unsigned threads);

#endif
