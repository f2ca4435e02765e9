/* Frozen sets of tasks: the same bytes wherever they are made, or none. Results on one can be compared. */
#ifndef WEFT_JUDGE_BENCHMARK_H
#define WEFT_JUDGE_BENCHMARK_H

#include "judge/judge.h"

typedef struct Benchmark {
    const char *name;
    uint64_t per_kind;
    const char *hash;    /* SHA-256 of the lines, in hexadecimal digits */
    const char *command; /* makes the set */
} Benchmark;

const Benchmark *benchmark_named(const char *name); /* NULL: there is none */
const Benchmark *benchmark_at(uint32_t number);     /* from the newest on; NULL: there are no more */

/* The lines of its tasks, made of the set: half of them about values, half about gradients. `like` has the progress and
 * the stop flag. False: *error says why, also where the lines are others than those of the benchmark; with an empty
 * message, it was stopped. */
bool benchmark_make(const Benchmark *benchmark, const char *set, const TasksOptions *like, Text *lines,
                    TasksReport *report, CorpusError *error);

#endif
