#include "judge/benchmark.h"

#include "base/sha256.h"
#include "corpus/shard.h"

#include <stdio.h>

static const Benchmark benchmarks[] = {
#define BENCHMARK(name, per_kind, hash, command) {name, per_kind, hash, command},
#include "judge/benchmarks.def"
#undef BENCHMARK
};
enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

/* An answer about a gradient in words may be guessed. */
static const TaskKind kinds[] = {KIND_WARP,     KIND_READABLE, KIND_FROM_CUDA,     KIND_PYTHON,
                                 KIND_GRADIENT, KIND_BACKWARD, KIND_WARP_BACKWARD, KIND_REPAIR};

const Benchmark *benchmark_at(uint32_t number)
{
    return number < BENCHMARKS ? &benchmarks[number] : NULL;
}

const Benchmark *benchmark_named(const char *name)
{
    for (uint32_t i = 0; i < BENCHMARKS; i++)
        if (strcmp(benchmarks[i].name, name) == 0)
            return &benchmarks[i];
    return NULL;
}

static bool add_line(const char *line, size_t len, void *user)
{
    Text *lines = user;
    text_add(lines, line, len);
    return !lines->failed;
}

bool benchmark_make(const Benchmark *benchmark, const char *set, const TasksOptions *like, Text *lines,
                    TasksReport *report, CorpusError *error)
{
    TasksOptions options = {.limit = benchmark->per_kind,
                            .warp = like->warp,
                            .stop = like->stop,
                            .progress = like->progress,
                            .user = like->user};
    unsigned char hash[32];
    char digits[2 * sizeof hash + 1];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        options.kinds[kinds[i]] = true;
    if (!judge_make_tasks(set, &options, add_line, lines, report, error))
        return lines->failed ? corpus_fail(error, "out of memory") : false;
    sha256(lines->data, lines->len, hash);
    for (size_t i = 0; i < sizeof hash; i++)
        snprintf(digits + 2 * i, 3, "%02x", hash[i]);
    return strcmp(digits, benchmark->hash) == 0 ||
           corpus_fail(error,
                       "%s gives other tasks than the benchmark %s, which is of the set of `%s` (SHA-256 %s, not %s)",
                       set, benchmark->name, benchmark->command, digits, benchmark->hash);
}
