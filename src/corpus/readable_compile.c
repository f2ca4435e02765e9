#include "corpus/readable_compile.h"

#include "base/pool.h"
#include "base/process.h"
#include "base/safe_file.h"
#include "cuda/cuda.h"
#include "standalone/standalone.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { AT_ONCE = 20 }; /* texts in a library: reading the headers takes longer than a kernel */

typedef struct Work {
    const ReadableOptions *options;
    ReadableSample *samples;
    uint32_t count, next;
    char folder[512];
    pthread_mutex_t lock;
} Work;

static void fail_sample(ReadableSample *sample, const char *what, const char *why)
{
    if (!sample->failure[0])
        snprintf(sample->failure, sizeof sample->failure, "its readable CUDA%s: %s", what, why);
}

/* ---- compiling ---- */

/* The text without the line that includes weft_math.cuh, which stands before all of them. */
static const char *own_text(const char *text)
{
    static const char include[] = "#include \"weft_math.cuh\"\n";
    return strncmp(text, include, sizeof include - 1) == 0 ? text + sizeof include - 1 : text;
}

/* Every text in a namespace of its own. Its parameters are taken from where they lie. */
static void write_library(const Work *work, uint32_t from, uint32_t to, Text *out)
{
    text_str(out, standalone_shim());
    text_str(out, standalone_header());
    text_lit(out, "#include <utility>\n"
                  "template <class... P, size_t... I> static void call(void (*kernel)(P...), void **a, "
                  "std::index_sequence<I...>) { kernel(*(P *)a[I]...); }\n"
                  "template <class... P> static void launch(void (*kernel)(P...), unsigned threads, void **a)\n{\n"
                  "    blockDim.x = 1;\n"
                  "    for (blockIdx.x = 0; blockIdx.x < threads; ++blockIdx.x)\n"
                  "        call(kernel, a, std::index_sequence_for<P...>());\n}\n");
    for (uint32_t i = from; i < to; i++) {
        const ReadableSample *sample = &work->samples[i];
        if (!sample->text)
            continue;
        Arena arena;
        const char *why;
        arena_init(&arena);
        CudaText *text = cuda_read(&arena, sample->text, &why);
        if (text) {
            text_format(out, "namespace k%u {\nusing ::min;\nusing ::max;\n%s\n}\n", i, own_text(sample->text));
            text_format(out,
                        "extern \"C\" void forward_%u(unsigned threads, void **a) { launch(k%u::%s, threads, a); }\n",
                        i, i, cuda_name(cuda_forward(text)));
            if (cuda_backward(text))
                text_format(
                    out, "extern \"C\" void backward_%u(unsigned threads, void **a) { launch(k%u::%s, threads, a); }\n",
                    i, i, cuda_name(cuda_backward(text)));
        }
        arena_free(&arena);
    }
}

/* NULL: the compiler does not take it; `log` has its first words. */
static void *build_library(const Work *work, uint32_t from, uint32_t to, char *log, size_t size)
{
    char source_path[600], path[600], log_path[600];
    snprintf(source_path, sizeof source_path, "%s/%u_%u.cpp", work->folder, from, to);
    snprintf(path, sizeof path, "%s/%u_%u.so", work->folder, from, to);
    snprintf(log_path, sizeof log_path, "%s/%u_%u.log", work->folder, from, to);
    Text source = {0};
    write_library(work, from, to, &source);
    int fd = open(source_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool written = fd >= 0 && !source.failed && write_fully(fd, source.data, source.len);
    if (fd >= 0)
        close(fd);
    text_free(&source);
    const char *const args[] = {work->options->compiler,
                                "-std=c++17",
                                "-w",
                                "-fPIC",
                                "-shared",
                                "-O0",
                                "-ffp-contract=off",
                                "-x",
                                "c++",
                                source_path,
                                "-o",
                                path,
                                NULL};
    snprintf(log, size, "%s", written ? "" : strerror(errno));
    bool built = written && process_run(args, log_path) == 0;
    FILE *said = built ? NULL : fopen(log_path, "r");
    for (char line[300]; said && fgets(line, sizeof line, said);)
        if (strstr(line, "error")) {
            snprintf(log, size, "%.*s", (int)strcspn(line, "\n"), line);
            break;
        }
    if (said)
        fclose(said);
    void *library = built ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    unlink(source_path);
    unlink(log_path);
    unlink(path);
    return library;
}

static void compile_cuda(const ReadableOptions *options, ReadableSample *sample)
{
    Text out = {0}, log = {0};
    NvrtcOptions how = {.warp_include = "/dev/null",
                        .arch = options->arch,
                        .no_fma = true,
                        .plain = true}; /* no header but weft_math.cuh */
    sample->cuda_compiled = nvrtc_compile(options->nvrtc, sample->text, &how, &out, &log);
    if (!sample->cuda_compiled)
        fail_sample(sample, " does not compile with NVRTC", log.len ? text_cstr(&log) : "no reason is given");
    text_free(&out);
    text_free(&log);
}

/* ---- running ---- */

typedef void Launcher(unsigned threads, void **args);

static Launcher *find_launcher(void *library, const char *pass, uint32_t number)
{
    char name[40];
    Launcher *launcher;
    snprintf(name, sizeof name, "%s_%u", pass, number);
    void *found = dlsym(library, name);
    memcpy(&launcher, &found, sizeof launcher);
    return launcher;
}

static void set_weights(CudaLaunch *launch)
{
    for (uint32_t i = 0; i < launch->array_count; i++)
        for (size_t c = 0; launch->arrays[i].has_adjoint && c < launch->arrays[i].elements * launch->arrays[i].cells;
             c++)
            cuda_set_adjoint(launch, &launch->arrays[i], c, (double)((i * 7 + c * 5) % 17) / 8 - 1);
}

/* The adjoints of two launches, which began alike. */
static bool adjoints_agree(Arena *arena, const CudaLaunch *a, const CudaLaunch *b, const char **why)
{
    for (uint32_t i = 0; i < a->array_count; i++) {
        size_t cells = a->arrays[i].elements * a->arrays[i].cells;
        double largest = 1;
        for (size_t c = 0; c < cells; c++)
            largest = fmax(largest, fabs(cuda_cell(&b->arrays[i], c, true)));
        for (size_t c = 0; c < cells; c++) {
            double found = cuda_cell(&a->arrays[i], c, true), expected = cuda_cell(&b->arrays[i], c, true);
            if (fabs(found - expected) <= 1e-5 * largest)
                continue;
            *why = arena_format(arena, "gradient of %s: number %zu is %.9g instead of %.9g", a->arrays[i].name, c,
                                found, expected);
            return false;
        }
    }
    return true;
}

static void run_compiled(CudaText *text, const CudaFunction *function, CudaLaunch *launch, Launcher *launcher)
{
    CudaPacked *packed = cuda_pack(text, function, launch);
    launcher((unsigned)launch->threads, packed->args);
    cuda_unpack(packed, launch);
}

static bool backward_agrees(Arena *arena, CudaText *text, CudaLaunch *launch, const CudaExample *example,
                            Launcher *backward, const char **why)
{
    CudaLaunch *expected = cuda_launch(text, example, false, why);
    if (!expected || !cuda_run(text, cuda_forward(text), expected, why))
        return false;
    set_weights(expected);
    cuda_rewind(expected);
    if (!cuda_run(text, cuda_backward(text), expected, why))
        return false;
    set_weights(launch);
    cuda_rewind(launch);
    run_compiled(text, cuda_backward(text), launch, backward);
    return adjoints_agree(arena, launch, expected, why);
}

static void run_sample(ReadableSample *sample, Launcher *forward, Launcher *backward)
{
    Arena arena;
    const char *why = "it cannot be read";
    CudaExamples examples;
    arena_init(&arena);
    CudaText *text = cuda_read(&arena, sample->text, &why);
    bool is_read = cuda_read_examples(&arena, sample->launches, strlen(sample->launches), &examples);
    sample->forward = text && is_read && examples.count;
    sample->has_backward = sample->backward = sample->forward && cuda_backward(text);
    for (uint32_t i = 0; sample->forward && sample->backward == sample->has_backward && i < examples.count; i++) {
        CudaLaunch *launch = cuda_launch(text, &examples.items[i], false, &why);
        sample->forward = launch != NULL;
        if (!launch)
            break;
        run_compiled(text, cuda_forward(text), launch, forward);
        sample->forward = cuda_outputs_agree(&arena, launch, &examples.items[i].outputs, &why);
        if (sample->forward && sample->backward)
            sample->backward = backward && backward_agrees(&arena, text, launch, &examples.items[i], backward, &why);
    }
    if (!sample->forward || sample->backward != sample->has_backward)
        fail_sample(sample, ", run", why);
    arena_free(&arena);
}

/* A library that does not compile is taken apart. */
static void try_samples(Work *work, uint32_t from, uint32_t to)
{
    char log[300];
    void *library = build_library(work, from, to, log, sizeof log);
    if (!library && to - from > 1) {
        try_samples(work, from, from + (to - from) / 2);
        try_samples(work, from + (to - from) / 2, to);
        return;
    }
    for (uint32_t i = from; i < to; i++) {
        ReadableSample *sample = &work->samples[i];
        if (!sample->text)
            continue;
        Launcher *forward = library ? find_launcher(library, "forward", i) : NULL;
        sample->compiled = forward != NULL;
        if (forward)
            run_sample(sample, forward, find_launcher(library, "backward", i));
        else
            fail_sample(sample, " does not compile", log);
        if (work->options->nvrtc)
            compile_cuda(work->options, sample);
    }
    if (library)
        dlclose(library);
}

static void do_some(void *user, unsigned number)
{
    (void)number;
    Work *work = user;
    for (;;) {
        pthread_mutex_lock(&work->lock);
        uint32_t from = work->next;
        work->next += AT_ONCE;
        pthread_mutex_unlock(&work->lock);
        if (from >= work->count)
            return;
        try_samples(work, from, from + AT_ONCE < work->count ? from + AT_ONCE : work->count);
    }
}

bool readable_compile(ReadableSample *samples, uint32_t count, const ReadableOptions *options, ReadableReport *report,
                      GpuError *error)
{
    const char *base = getenv("TMPDIR");
    Work work = {.options = options, .samples = samples, .count = count};
    *report = (ReadableReport){.has_nvrtc = options->nvrtc != NULL};
    snprintf(work.folder, sizeof work.folder, "%s/weft-readable-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(work.folder))
        return gpu_fail(error, "no folder for compiling can be made: %s", strerror(errno));
    pthread_mutex_init(&work.lock, NULL);
    pool_run_once(options->jobs, do_some, &work);
    pthread_mutex_destroy(&work.lock);
    rmdir(work.folder);
    for (uint32_t i = 0; i < count; i++) {
        report->texts += samples[i].text != NULL;
        report->compiled += samples[i].compiled;
        report->cuda_compiled += samples[i].cuda_compiled;
        report->forward += samples[i].forward;
        report->with_backward += samples[i].has_backward;
        report->backward += samples[i].backward;
        report->failures += samples[i].failure[0] != 0;
    }
    return true;
}
