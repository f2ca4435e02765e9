/* How long kernels take at several sizes, on a GPU and as C++ on the CPU.
 *
 * A record's launch is small. It is made larger along its first dimension, and with it every array along the axis that
 * fits that dimension; the evaluators then run it at twice and three times its size, and a kernel that would reach
 * outside of its arrays is not measured. */
#ifndef WEFT_GPU_BENCH_H
#define WEFT_GPU_BENCH_H

#include "gpu/gpu.h"

enum { BENCH_SIZES = 4 };
extern const uint64_t bench_sizes[BENCH_SIZES];

typedef struct BenchTimes {
    uint64_t threads;     /* of the launch; 0: not measured */
    uint64_t bytes;       /* of the arrays that grow with the launch: each is read or written once, at least */
    double gpu, one, all; /* milliseconds: median; on a GPU by events */
} BenchTimes;

typedef struct BenchResult {
    BenchTimes times[BENCH_SIZES];
    char message[300]; /* why something is missing */
} BenchResult;

/* Can its launch be made larger? */
bool bench_can_grow(const Sample *sample);

/* Measures samples; both of their texts are needed. `copy_speed`: bytes per second of copying on the card, both
 * directions counted. False: nothing can be measured. With options->on_cpu, only the CPU is. */
bool bench_samples(Sample *samples, uint32_t count, const GpuOptions *options, BenchResult *results, double *copy_speed,
                   char machine[200], GpuError *error);

#endif
