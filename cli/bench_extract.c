/* weft bench extract: what compiling each kernel of some files takes.
 *
 * Every kernel is compiled from its own excerpt of the file: parse, load, build, name, emit for both devices. All kernels are
 * compiled one after the other, and then all of them again: none finds the caches as it left them. What counts is the CPU time of
 * the process, the median of all rounds. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "inputs.h"
#include "report.h"
#include "terminal.h"
#include "weft.h"

#include "base/arena.h"
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

typedef struct BenchKernel {
    const char *path, *key, *name;
    const char *source; /* a file of its own */
    size_t length, bytes;
    double *ns; /* one per round */
} BenchKernel;

typedef struct BenchList {
    Arena arena;
    BenchKernel *kernels;
    size_t count, cap;
    size_t refused;
    bool as_json;
} BenchList;

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

static void out_of_memory(void)
{
    tell(stderr, "weft: out of memory\n");
    exit(EXIT_FOUND);
}

static void measure(Weft *weft, BenchKernel *kernel, long long round)
{
    WeftOptions options = weft_default_options();
    options.kernel = kernel->key;
    options.source = false;
    double start = clock_cpu_seconds();
    WeftResult *result = weft_compile(weft, kernel->path, kernel->source, kernel->length, &options);
    kernel->ns[round] = (clock_cpu_seconds() - start) * 1e9;
    if (!result)
        out_of_memory();
    kernel->bytes = output_bytes(result);
    weft_result_free(result);
}

/* An excerpt that lacks something, of another file say, is not measured. */
static void add_kernel(Weft *weft, BenchList *list, const char *path, const WeftKernel *kernel, long long rounds)
{
    Arena *arena = &list->arena;
    BenchKernel *added = &ARENA_PUSH(arena, list->kernels, list->count, list->cap);
    added->path = path;
    added->key = arena_strndup(arena, kernel->key, strlen(kernel->key));
    added->name = arena_strndup(arena, kernel->name, strlen(kernel->name));
    added->source = arena_join(arena, "import warp as wp\n", kernel->source);
    added->length = strlen(added->source);
    added->ns = ARENA_ARRAY(arena, double, (size_t)rounds);
    measure(weft, added, 0);
    if (!added->bytes)
        list->count--;
}

static void add_file(Weft *weft, BenchList *list, const InputFile *file, long long rounds)
{
    size_t length;
    const char *path = file->path;
    char *text = read_input(file, &length, stderr);
    if (!text) {
        list->refused++;
        return;
    }
    WeftResult *result = weft_compile(weft, path, text, length, NULL);
    free(text);
    if (!result)
        out_of_memory();
    for (size_t k = 0; k < weft_kernel_count(result); k++)
        add_kernel(weft, list, path, weft_kernel(result, k), rounds);
    for (size_t k = 0; k < weft_error_count(result); k++) {
        print_refusal(stderr, path, weft_error(result, k));
        if (list->as_json)
            print_refusal_record(stdout, path, weft_error(result, k));
    }
    list->refused += weft_error_count(result);
    weft_result_free(result);
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_kernel(const BenchKernel *kernel, double ns, bool as_json)
{
    if (!as_json) {
        tell(stdout, "%10.1f us %9zu bytes  %s\n", ns / 1e3, kernel->bytes, kernel->name);
        return;
    }
    Text text = {0};
    JsonWriter json = {.out = &text};
    json_open(&json, NULL, '{');
    json_kernel(&json, kernel->path, kernel->key, kernel->name);
    json_add_string(&json, "kernel", kernel->key);
    json_add_string(&json, "name", kernel->name);
    json_add_number(&json, "ns", ns);
    json_add_number(&json, "bytes", (double)kernel->bytes);
    json_close(&json, '}');
    put_json_line(&text, stdout);
}

int bench_extract(const Call *call, long long rounds, bool as_json)
{
    Weft *weft = weft_new(call->warp);
    BenchList list = {.as_json = as_json};
    Inputs inputs;
    if (!weft)
        out_of_memory();
    inputs_find(&inputs, call->operands + 1, call->operand_count - 1);
    for (size_t i = 0; i < inputs.count; i++)
        add_file(weft, &list, &inputs.files[i], rounds);
    for (long long round = 0; round < rounds; round++)
        for (size_t i = 0; i < list.count; i++)
            measure(weft, &list.kernels[i], round);
    for (size_t i = 0; i < list.count; i++) {
        qsort(list.kernels[i].ns, (size_t)rounds, sizeof *list.kernels[i].ns, compare_numbers);
        print_kernel(&list.kernels[i], list.kernels[i].ns[rounds / 2], as_json);
    }
    int code = inputs.failed || list.refused ? EXIT_FOUND : EXIT_DONE;
    if (code == EXIT_DONE && !list.count)
        code = no_kernel(&inputs, NULL, 0, as_json ? stdout : NULL);
    inputs_free(&inputs);
    arena_free(&list.arena);
    weft_free(weft);
    return code;
}
