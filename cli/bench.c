/* weft bench: the measurements behind the figures of the README. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "terminal.h"
#include "weft.h"

#include "base/clock.h"
#include "base/json.h"
#include "synth/synth.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int bench_memcpy(bool as_json)
{
    enum { SIZE = 64 << 20, ROUNDS = 8 };
    char *from = malloc(SIZE), *to = malloc(SIZE);
    double best = 0;
    if (!from || !to) {
        tell(stderr, "weft: out of memory\n");
        free(from);
        free(to);
        return EXIT_FOUND;
    }
    memset(from, 1, SIZE);
    memset(to, 2, SIZE);
    for (int i = 0; i < ROUNDS; i++) {
        double start = clock_seconds() * 1e9;
        memcpy(to, from, SIZE);
        double elapsed = clock_seconds() * 1e9 - start;
        from[i] = to[SIZE - 1 - i]; /* keeps the copy from being optimised away */
        double rate = SIZE / elapsed * 1e9;
        best = rate > best ? rate : best;
    }
    free(from);
    free(to);
    if (as_json) {
        Text text = {0};
        JsonWriter json = {.out = &text};
        json_open(&json, NULL, '{');
        json_add_number(&json, "bytes_per_second", best);
        json_close(&json, '}');
        put_json_line(&text, stdout);
    } else
        tell(stdout, "memcpy: %.2f GB/s\n", best / 1e9);
    return EXIT_DONE;
}

/* Synthesis and compilation of the same kernels, side by side; a kernel that is refused is shown. */
static int bench_synth(const BenchRun *run)
{
    SynthContext *context = synth_new(run->warp);
    Weft *weft = weft_new(run->warp);
    double synth_ns = 0, compile_ns = 0;
    size_t source_bytes = 0;
    long long refused = 0, attempts = 0, made = 0;
    Text source;
    text_init(&source);
    for (; context && weft && made < run->count; made++) {
        SynthSample sample;
        double start = clock_cpu_seconds() * 1e9;
        if (!synth_sample(context, (uint64_t)run->seed, (uint64_t)made, &run->weights, &sample))
            break;
        synth_ns += clock_cpu_seconds() * 1e9 - start;
        attempts += sample.attempts;
        source_bytes += sample.source_len;
        source.len = 0;
        synth_add_module(&sample, &source);
        start = clock_cpu_seconds() * 1e9;
        WeftResult *result = weft_compile(weft, "synth.py", source.data, source.len, NULL);
        compile_ns += clock_cpu_seconds() * 1e9 - start;
        if (!result)
            break;
        progress_tell(run->progress, "kernels", (uint64_t)made + 1, (uint64_t)run->count, "");
        if (weft_error_count(result) || weft_kernel_count(result) != 1) {
            refused++;
            progress_clear(run->progress);
            tell(stderr, "sample %lld of seed %lld is refused:\n%s%.*s\n", made, run->seed,
                 weft_error_count(result) ? weft_error(result, 0)->shown : "", (int)source.len, source.data);
        }
        weft_result_free(result);
    }
    text_free(&source);
    synth_free(context);
    weft_free(weft);
    progress_end(run->progress, NULL);
    if (made < run->count) {
        tell(stderr, "weft: out of memory\n");
        return EXIT_FOUND;
    }
    double each = made ? 1.0 / (double)made : 0;
    if (run->json) {
        Text text = {0};
        JsonWriter json = {.out = &text};
        json_open(&json, NULL, '{');
        json_add_number(&json, "kernels", (double)made);
        json_add_number(&json, "refused", (double)refused);
        json_add_number(&json, "synth_ns", synth_ns * each);
        json_add_number(&json, "compile_ns", compile_ns * each);
        json_add_number(&json, "attempts", (double)attempts * each);
        json_close(&json, '}');
        put_json_line(&text, stdout);
    } else
        tell(stdout,
             "%lld kernels, %lld refused: %.1f us to invent one (%.2f attempts, %.0f bytes), %.1f us to compile it\n",
             made, refused, synth_ns * each / 1e3, (double)attempts * each, (double)source_bytes * each,
             compile_ns * each / 1e3);
    return !refused ? EXIT_DONE : EXIT_FOUND;
}

typedef struct BenchArgs {
    long long repeat, count, seed, start;
    const char *categories;
    bool json, show;
} BenchArgs;

static int run_bench(const Call *call)
{
    const BenchArgs *args = call->args;
    const char *what = call->operand_count ? call->operands[0] : "";
    Progress progress;
    BenchRun run = {.warp = call->warp,
                    .start = args->start,
                    .count = args->count               ? args->count
                             : strcmp(what, "scaling") ? 1000
                                                       : 10000,
                    .seed = args->seed,
                    .weights = category_default_weights(),
                    .show = args->show,
                    .json = args->json,
                    .progress = &progress};
    progress_begin(&progress, call);
    if (!read_categories(call->command, args->categories, &run.weights))
        return EXIT_USAGE;
    if (call->operand_count >= 2 && strcmp(what, "extract") == 0)
        return bench_extract(call, args->repeat, args->json);
    if (strcmp(what, "extract") == 0)
        return wrong_call(call->command, "no file is given");
    if (call->operand_count > 1)
        return wrong_call(call->command, "only `weft bench extract` takes files");
    if (strcmp(what, "synth") == 0)
        return bench_synth(&run);
    if (strcmp(what, "verify") == 0)
        return bench_verify(&run);
    if (strcmp(what, "standalone") == 0)
        return bench_standalone(&run);
    if (strcmp(what, "scaling") == 0)
        return bench_scaling(&run);
    if (strcmp(what, "memcpy") == 0)
        return bench_memcpy(args->json);
    return wrong_word(call->command, *what ? what : NULL);
}

static const BenchArgs defaults = {.repeat = 20};

#define ARGS BenchArgs
static const Option options[] = {
    OPT_COUNT(0, "repeat", repeat, 1, 1000000, "N",
              "extract: compile all kernels N times in turn; the median counts (default 20)"),
    OPT_COUNT('n', "count", count, 1, 100000000, "N",
              "how many kernels to invent (default 1000); scaling: the largest size (default 10000)"),
    OPT_COUNT('s', "seed", seed, 0, MAX_SEED, "SEED", "seed of the invented kernels (default 0)"),
    OPT_COUNT(0, "start", start, 0, MAX_SEED / 2, "I", "verify: begin with sample I of the seed (default 0)"),
    OPT_CATEGORIES('c', "categories", categories, "LIST", "synth and verify: categories of the invented kernels"),
    OPT_FLAG(0, "show", show,
             "verify: name every kernel that is rejected or marked; scaling: print the sources, as JSON lines, and "
             "time nothing"),
    OPT_FLAG(0, "json", json, "one JSON line per measurement"),
};

static const CommandExample examples[] = {
    {"weft bench extract kernels.py", "how long each kernel of a file takes to compile"},
    {"weft bench verify -n 20000 -s 1", "what checking costs compared with compiling"},
    {NULL, NULL},
};

const Command bench_command = {
    .name = "bench",
    .summary = "measure how fast weft is on this machine",
    .operands = "extract FILE.py|DIR... [options]\nsynth | verify | standalone | scaling | memcpy [options]",
    .input_kind = INPUTS_WORDS,
    .operand_words = "extract|synth|verify|standalone|scaling|memcpy",
    .description =
        "extract: CPU time to compile each kernel, from source text to both devices and both passes.\n"
        "synth: time to invent kernels and to compile them; refused ones are printed.\n"
        "verify: time to check invented kernels, compared with compiling them, and what the checks found.\n"
        "standalone: time to translate kernels to readable CUDA, compared with emitting Warp's text.\n"
        "scaling: how the time to compile grows with the size of the source: the exponent, for several shapes.\n"
        "memcpy: how fast this machine copies memory, for comparison.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run_bench,
};
