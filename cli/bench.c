/* weft bench: the measurements behind the figures of the README. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "json.h"
#include "weft.h"

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

static int bench_extract(const char *const *files, size_t count, long long repeat, bool as_json)
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

int command_bench(int argc, char **argv)
{
    long long repeat = 20;
    bool as_json = false;
    const Option options[] = {
        {0, "repeat", OPTION_COUNT, &repeat, "N", "measure each kernel N times and take the fastest (default 20)"},
        {0, "json", OPTION_FLAG, &as_json, NULL, "one JSON line a measurement"},
    };
    const Command command = {"bench", "extract FILE.py... | memcpy [options]",
                             "extract: time to compile each kernel, from source text to both devices and both passes.\n"
                             "memcpy: what this machine copies, to compare with.",
                             options, sizeof options / sizeof *options};
    const char **operands = malloc(sizeof *operands * (size_t)(argc + 1));
    size_t count;
    int code = EXIT_USAGE;
    if (operands && read_args(&command, argc, argv, operands, &count, &code)) {
        code = EXIT_USAGE;
        if (count >= 2 && strcmp(operands[0], "extract") == 0 && repeat > 0)
            code = bench_extract(operands + 1, count - 1, repeat, as_json);
        else if (count == 1 && strcmp(operands[0], "memcpy") == 0)
            code = bench_memcpy(as_json);
        else
            fprintf(stderr, "weft bench: say what to measure (see weft bench --help)\n");
    }
    free(operands);
    return code;
}
