/* weft bench: the measurements behind the figures of the README. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "json.h"
#include "weft.h"

#include "synth/synth.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static size_t output_bytes(const WeftResult *result)
{
    size_t total = 0;
    for (size_t i = 0; i < weft_kernel_count(result); i++)
        for (int device = 0; device < 2; device++)
            for (int part = 0; part < 3; part++) {
                size_t length;
                weft_kernel_text(result, i, (WeftDevice)device, (WeftPart)part, &length);
                total += length;
            }
    return total;
}

/* The time to compile one kernel from its own excerpt of the file: parse, load, build, name, emit for both devices. */
static void bench_kernel(Weft *weft, const WeftKernel *kernel, long long repeat, bool as_json)
{
    WeftOptions options = weft_default_options();
    options.kernel = kernel->key;
    options.source = false;
    size_t import_len = strlen("import warp as wp\n"), length = import_len + strlen(kernel->source);
    char *source = malloc(length + 1);
    if (!source)
        return;
    snprintf(source, length + 1, "import warp as wp\n%s", kernel->source);
    double best = 0;
    size_t bytes = 0;
    for (long long i = 0; i < repeat; i++) {
        double start = now_ns();
        WeftResult *result = weft_compile(weft, "bench.py", source, length, &options);
        double elapsed = now_ns() - start;
        if (!result)
            break;
        bytes = output_bytes(result);
        weft_result_free(result);
        if (i == 0 || elapsed < best)
            best = elapsed;
    }
    free(source);
    if (as_json) {
        JsonWriter json = {.out = stdout};
        json_open(&json, NULL, '{');
        json_string(&json, "kernel", kernel->key);
        json_string(&json, "name", kernel->name);
        json_number(&json, "ns", best);
        json_number(&json, "bytes", (double)bytes);
        json_close(&json, '}');
        putchar('\n');
    } else
        printf("%10.1f us %9zu bytes  %s\n", best / 1e3, bytes, kernel->name);
}

static int bench_extract(char *const *files, size_t count, long long repeat, bool as_json)
{
    Weft *weft = weft_new();
    int code = weft ? EXIT_DONE : EXIT_FOUND;
    for (size_t i = 0; weft && i < count; i++) {
        size_t length;
        char *text = read_file(files[i], &length);
        WeftResult *result = text ? weft_compile(weft, files[i], text, length, NULL) : NULL;
        free(text);
        if (!result) {
            code = EXIT_FOUND;
            continue;
        }
        for (size_t k = 0; k < weft_kernel_count(result); k++)
            bench_kernel(weft, weft_kernel(result, k), repeat, as_json);
        weft_result_free(result);
    }
    weft_free(weft);
    return code;
}

static int bench_memcpy(bool as_json)
{
    enum { SIZE = 64 << 20, ROUNDS = 8 };
    char *from = malloc(SIZE), *to = malloc(SIZE);
    double best = 0;
    if (!from || !to) {
        free(from);
        free(to);
        return EXIT_FOUND;
    }
    memset(from, 1, SIZE);
    memset(to, 2, SIZE);
    for (int i = 0; i < ROUNDS; i++) {
        double start = now_ns();
        memcpy(to, from, SIZE);
        double elapsed = now_ns() - start;
        from[i] = to[SIZE - 1 - i]; /* keeps the copy from being optimised away */
        double rate = SIZE / elapsed * 1e9;
        best = rate > best ? rate : best;
    }
    free(from);
    free(to);
    if (as_json) {
        JsonWriter json = {.out = stdout};
        json_open(&json, NULL, '{');
        json_number(&json, "bytes_per_second", best);
        json_close(&json, '}');
        putchar('\n');
    } else
        printf("memcpy: %.2f GB/s\n", best / 1e9);
    return EXIT_DONE;
}

/* Processor time: what other programs take does not count. */
static double cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Synthesis and compilation of the same kernels, side by side; a kernel that is refused is shown. */
static int bench_synth(long long count, long long seed, const char *categories, bool as_json)
{
    CategoryWeights weights = category_default_weights();
    if (!read_categories("bench", categories, &weights))
        return EXIT_USAGE;
    SynthContext *context = synth_new();
    Weft *weft = weft_new();
    double synth_ns = 0, compile_ns = 0;
    size_t source_bytes = 0;
    long long refused = 0, attempts = 0, made = 0;
    Text source;
    text_init(&source);
    for (; context && weft && made < count; made++) {
        SynthSample sample;
        double start = cpu_ns();
        if (!synth_sample(context, (uint64_t)seed, (uint64_t)made, &weights, &sample))
            break;
        synth_ns += cpu_ns() - start;
        attempts += sample.attempts;
        source_bytes += sample.source_len;
        source.len = 0;
        synth_add_module(&sample, &source);
        start = cpu_ns();
        WeftResult *result = weft_compile(weft, "synth.py", source.data, source.len, NULL);
        compile_ns += cpu_ns() - start;
        if (!result)
            break;
        if (weft_error_count(result) || weft_kernel_count(result) != 1) {
            refused++;
            fprintf(stderr, "sample %lld of seed %lld is refused:\n%s%.*s\n", made, seed,
                    weft_error_count(result) ? weft_error(result, 0)->shown : "", (int)source.len, source.data);
        }
        weft_result_free(result);
    }
    text_free(&source);
    synth_free(context);
    weft_free(weft);
    double each = made ? 1.0 / (double)made : 0;
    if (as_json) {
        JsonWriter json = {.out = stdout};
        json_open(&json, NULL, '{');
        json_number(&json, "kernels", (double)made);
        json_number(&json, "refused", (double)refused);
        json_number(&json, "synth_ns", synth_ns * each);
        json_number(&json, "compile_ns", compile_ns * each);
        json_number(&json, "attempts", (double)attempts * each);
        json_close(&json, '}');
        putchar('\n');
    } else
        printf("%lld kernels, %lld refused: %.1f us to invent one (%.2f attempts, %.0f bytes), %.1f us to compile it\n",
               made, refused, synth_ns * each / 1e3, (double)attempts * each, (double)source_bytes * each,
               compile_ns * each / 1e3);
    return made == count && !refused ? EXIT_DONE : EXIT_FOUND;
}

int command_bench(int argc, char **argv)
{
    long long repeat = 20, samples = 1000, seed = 0;
    const char *categories = NULL;
    bool as_json = false, show = false;
    const Option options[] = {
        {0, "repeat", OPTION_COUNT, &repeat, "N", "measure each kernel N times and take the fastest (default 20)"},
        {'n', "count", OPTION_COUNT, &samples, "N", "synth: how many kernels (default 1000)"},
        {'s', "seed", OPTION_COUNT, &seed, "SEED", "synth: of which seed (default 0)"},
        {'c', "categories", OPTION_TEXT, &categories, "LIST", "synth: of which categories"},
        {0, "show", OPTION_FLAG, &show, NULL, "verify: name every kernel that is rejected or marked"},
        {0, "json", OPTION_FLAG, &as_json, NULL, "one JSON line a measurement"},
    };
    const Command command = {"bench", "extract FILE.py... | synth | verify | standalone | memcpy [options]",
                             "extract: time to compile each kernel, from source text to both devices and both passes.\n"
                             "synth: time to invent kernels and to compile them; one that is refused is printed.\n"
                             "verify: time to check invented kernels, beside compiling them, and what was found.\n"
                             "standalone: time to translate kernels to readable CUDA, beside emitting Warp's text.\n"
                             "memcpy: what this machine copies, to compare with.",
                             options, sizeof options / sizeof *options};
    size_t count;
    int code = EXIT_USAGE;
    if (read_args(&command, argc, argv, &count, &code)) {
        code = EXIT_USAGE;
        if (count >= 2 && strcmp(argv[0], "extract") == 0 && repeat > 0)
            code = bench_extract(argv + 1, count - 1, repeat, as_json);
        else if (count == 1 && strcmp(argv[0], "synth") == 0)
            code = bench_synth(samples, seed, categories, as_json);
        else if (count == 1 && strcmp(argv[0], "verify") == 0)
            code = bench_verify(samples, seed, categories, show, as_json);
        else if (count == 1 && strcmp(argv[0], "standalone") == 0)
            code = bench_standalone(samples, seed, as_json);
        else if (count == 1 && strcmp(argv[0], "memcpy") == 0)
            code = bench_memcpy(as_json);
        else
            fprintf(stderr, "weft bench: say what to measure (see weft bench --help)\n");
    }
    return code;
}
