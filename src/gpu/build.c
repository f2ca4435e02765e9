#include "base/array.h"
#include "base/folder.h"
#include "base/pool.h"
#include "base/safe_file.h"
#include "gpu/build_impl.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { MOST_A_MODULE = 200, FEWEST_A_MODULE = 8 };

typedef struct Builder {
    const BuildOptions *options;
    Build *build;
    Sample **samples; /* those with text */
    uint32_t count, per_module, next, done;
    char folder[600]; /* of what is not kept */
    uint32_t files;
    pthread_mutex_t lock;
    GpuError *error;
    bool failed;
} Builder;

const char *samples_version(const Sample *samples, uint32_t count, GpuError *error)
{
    const char *warp = count ? samples[0].warp : NULL;
    if (!warp)
        gpu_fail(error, count ? "the version of Warp that %s is of is not known" : "there is no kernel",
                 count ? samples[0].id : "");
    for (uint32_t i = 1; warp && i < count; i++)
        if (!samples[i].warp || strcmp(samples[i].warp, warp) != 0) {
            gpu_fail(error, "these kernels are of several versions of Warp: %s of %s, %s of %s; run them apart",
                     samples[0].id, warp, samples[i].id, samples[i].warp ? samples[i].warp : "an unknown one");
            warp = NULL;
        }
    return warp;
}

/* ---- what is kept ---- */

static void key_of(const Builder *builder, const Text *source, char key[40])
{
    const BuildOptions *options = builder->options;
    Text how;
    text_init(&how);
    text_str(&how, options->tools->headers_hash);
    text_char(&how, ' ');
    if (options->target == BUILD_CPP)
        describe_cpp_compiler(options, &how);
    else {
        NvrtcOptions nvrtc = {.arch = options->arch, .image = options->image, .no_fma = options->no_fma};
        nvrtc_describe(options->nvrtc, &nvrtc, &how);
    }
    XXH128_hash_t first = XXH3_128bits(how.data, how.len);
    XXH128_hash_t hash = XXH3_128bits_withSeed(source->data, source->len, first.low64 ^ first.high64);
    text_free(&how);
    snprintf(key, 40, "%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
}

static char *read_whole(const char *path, size_t *size)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *bytes = NULL;
    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0 && (bytes = malloc((size_t)info.st_size + 1))) {
        *size = (size_t)info.st_size;
        if (read(fd, bytes, *size) != (ssize_t)*size) {
            free(bytes);
            bytes = NULL;
        } else
            bytes[*size] = '\0';
    }
    if (fd >= 0)
        close(fd);
    return bytes;
}

/* What is loaded runs: only a plain file that nobody but this user can have written. */
static bool is_ours(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
           !(info.st_mode & (S_IWGRP | S_IWOTH));
}

/* Written aside and renamed, so that no other process reads half of it. That it cannot be kept is no error. */
static void keep(const char *path, const char *bytes, size_t size)
{
    char aside[800];
    snprintf(aside, sizeof aside, "%s.%d", path, (int)getpid());
    int fd = file_create(AT_FDCWD, aside);
    if (fd < 0)
        return;
    bool written = write_fully(fd, bytes, size) && fchmod(fd, 0600) == 0;
    if (close(fd) != 0 || !written || rename(aside, path) != 0)
        unlink(aside);
}

/* ---- one module ---- */

static bool make_cuda(Builder *builder, const Text *source, BuiltModule *module, bool *known, Text *log)
{
    const BuildOptions *options = builder->options;
    char key[40], path[700];
    key_of(builder, source, key);
    snprintf(path, sizeof path, "%s/%s.%s", options->cache ? options->cache : "", key,
             options->image ? "cubin" : "ptx");
    if (options->cache && (module->image = read_whole(path, &module->image_size))) {
        *known = true;
        return true;
    }
    Text out;
    text_init(&out);
    NvrtcOptions nvrtc = {.warp_include = options->tools->warp_include,
                          .arch = options->arch,
                          .image = options->image,
                          .no_fma = options->no_fma};
    if (!nvrtc_compile(options->nvrtc, source->data, &nvrtc, &out, log)) {
        text_free(&out);
        return false;
    }
    module->image_size = out.len;
    text_cstr(&out);
    if (out.failed) {
        text_str(log, "out of memory");
        return false;
    }
    module->image = out.data;
    if (options->cache)
        keep(path, module->image, module->image_size);
    return true;
}

static bool make_cpp(Builder *builder, const Text *source, BuiltModule *module, bool *known, Text *log)
{
    const BuildOptions *options = builder->options;
    char key[40], path[700], made[700];
    key_of(builder, source, key);
    snprintf(path, sizeof path, "%s/%s.so", options->cache ? options->cache : "", key);
    if (options->cache && is_ours(path) && (module->library = dlopen(path, RTLD_NOW | RTLD_LOCAL))) {
        *known = true;
        return true;
    }
    pthread_mutex_lock(&builder->lock);
    snprintf(made, sizeof made, "%s/m%u.so", builder->folder, builder->files++);
    pthread_mutex_unlock(&builder->lock);
    if (!compile_cpp(options, source->data, source->len, made, log))
        return false;
    module->library = dlopen(made, RTLD_NOW | RTLD_LOCAL);
    if (!module->library)
        text_str(log, dlerror());
    size_t size;
    char *bytes = options->cache ? read_whole(made, &size) : NULL;
    if (bytes)
        keep(path, bytes, size);
    free(bytes);
    unlink(made);
    return module->library != NULL;
}

static void count_ptx(Sample *sample, const BuiltModule *module)
{
    static const char *const passes[] = {"forward", "backward"};
    char entry[600];
    for (int pass = 0; pass < 2; pass++) {
        snprintf(entry, sizeof entry, "%s_cuda_kernel_%s", sample->name, passes[pass]);
        ptx_stats(module->image, module->image_size, entry, &sample->ptx[pass]);
    }
}

static void add_module(Builder *builder, Sample **samples, uint32_t count, const BuiltModule *module, bool known)
{
    Build *build = builder->build;
    BuildTarget target = builder->options->target;
    pthread_mutex_lock(&builder->lock);
    if (!ARRAY_ROOM(build->modules, build->module_count, build->module_cap)) {
        builder->failed = true;
        gpu_fail(builder->error, "out of memory");
        pthread_mutex_unlock(&builder->lock);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        samples[i]->module[target] = (int32_t)build->module_count;
    build->modules[build->module_count++] = *module;
    build->from_cache += known;
    pthread_mutex_unlock(&builder->lock);
    for (uint32_t i = 0; target == BUILD_CUDA && !builder->options->image && i < count; i++)
        count_ptx(samples[i], module);
}

static void refuse(Builder *builder, Sample *sample, Text *log)
{
    sample->refusal[builder->options->target] = strdup(log->failed ? "out of memory" : text_cstr(log));
    pthread_mutex_lock(&builder->lock);
    builder->build->refused++;
    pthread_mutex_unlock(&builder->lock);
}

static void make_range(Builder *builder, Sample **samples, uint32_t count)
{
    Text source, log;
    BuiltModule module = {0};
    bool known = false;
    text_init(&source);
    text_init(&log);
    build_text(samples, count, builder->options, &source);
    bool done = source.failed                           ? false
                : builder->options->target == BUILD_CPP ? make_cpp(builder, &source, &module, &known, &log)
                                                        : make_cuda(builder, &source, &module, &known, &log);
    text_free(&source);
    if (done)
        add_module(builder, samples, count, &module, known);
    else if (count == 1)
        refuse(builder, samples[0], &log);
    text_free(&log);
    if (!done && count > 1) {
        make_range(builder, samples, count / 2);
        make_range(builder, samples + count / 2, count - count / 2);
    }
}

/* ---- all modules ---- */

static const char *preamble_of(const Builder *builder, uint32_t sample)
{
    return builder->samples[sample]->text[builder->options->target].preamble;
}

/* A module has one preamble: how many samples, from this one on, have the same. */
static uint32_t same_preamble(const Builder *builder, uint32_t first, uint32_t count)
{
    uint32_t same = 0;
    while (same < count && strcmp(preamble_of(builder, first + same), preamble_of(builder, first)) == 0)
        same++;
    return same;
}

static int by_preamble(const Sample *first, const Sample *second, BuildTarget target)
{
    int order = strcmp(first->text[target].preamble, second->text[target].preamble);
    return order ? order : (first > second) - (first < second);
}

static int by_cpp_preamble(const void *a, const void *b)
{
    return by_preamble(*(Sample *const *)a, *(Sample *const *)b, BUILD_CPP);
}

static int by_cuda_preamble(const void *a, const void *b)
{
    return by_preamble(*(Sample *const *)a, *(Sample *const *)b, BUILD_CUDA);
}

static void work(void *user, unsigned number)
{
    (void)number;
    Builder *builder = user;
    for (;;) {
        pthread_mutex_lock(&builder->lock);
        uint32_t first = builder->next, left = builder->count - first;
        uint32_t count = left < builder->per_module ? left : builder->per_module;
        count = same_preamble(builder, first, count);
        builder->next += count;
        bool failed = builder->failed;
        pthread_mutex_unlock(&builder->lock);
        if (!count || failed)
            return;
        make_range(builder, builder->samples + first, count);
        pthread_mutex_lock(&builder->lock);
        builder->done += count;
        watch_tell(&builder->options->watch, "kernels compiled", builder->done, builder->count);
        pthread_mutex_unlock(&builder->lock);
    }
}

static bool make_folders(Builder *builder)
{
    const char *base = getenv("TMPDIR");
    if (builder->options->cache && !make_folder_path(builder->options->cache))
        return gpu_fail(builder->error, "%s cannot be made: %s", builder->options->cache, strerror(errno));
    snprintf(builder->folder, sizeof builder->folder, "%s/weft-build-XXXXXX", base && *base ? base : "/tmp");
    if (builder->options->target == BUILD_CPP && !mkdtemp(builder->folder))
        return gpu_fail(builder->error, "no folder for compiling can be made: %s", strerror(errno));
    return true;
}

bool build_samples(Sample *samples, uint32_t count, const BuildOptions *options, Build *build, GpuError *error)
{
    Builder builder = {.options = options, .build = build, .error = error};
    unsigned jobs = options->jobs ? options->jobs : 1;
    *build = (Build){.target = options->target};
    builder.samples = calloc(count + 1, sizeof *builder.samples);
    bool ready = builder.samples ? make_folders(&builder) : gpu_fail(error, "out of memory");
    for (uint32_t i = 0; ready && i < count; i++) {
        samples[i].module[options->target] = -1;
        if (samples[i].text[options->target].forward)
            builder.samples[builder.count++] = &samples[i];
    }
    if (ready)
        qsort(builder.samples, builder.count, sizeof *builder.samples,
              options->target == BUILD_CPP ? by_cpp_preamble : by_cuda_preamble);
    uint32_t share = builder.count / (jobs * 2) + 1;
    builder.per_module = options->per_module       ? options->per_module
                         : share < FEWEST_A_MODULE ? FEWEST_A_MODULE
                         : share > MOST_A_MODULE   ? MOST_A_MODULE
                                                   : share;
    pthread_mutex_init(&builder.lock, NULL);
    watch_tell(&options->watch, "kernels compiled", 0, builder.count);
    if (ready)
        pool_run_once(jobs, work, &builder);
    pthread_mutex_destroy(&builder.lock);
    if (ready && options->target == BUILD_CPP)
        rmdir(builder.folder);
    free(builder.samples);
    return ready && !builder.failed;
}

void build_free(Build *build)
{
    for (uint32_t i = 0; i < build->module_count; i++) {
        if (build->modules[i].library)
            dlclose(build->modules[i].library);
        free(build->modules[i].image);
    }
    free(build->modules);
    *build = (Build){0};
}

void *build_symbol(const Build *build, const Sample *sample, const char *which)
{
    char symbol[600];
    int32_t module = sample->module[BUILD_CPP];
    if (module < 0)
        return NULL;
    snprintf(symbol, sizeof symbol, "%s_cpu_%s", sample->name, which);
    return dlsym(build->modules[module].library, symbol);
}

const char *build_first_error(const char *refusal)
{
    const char *error = strstr(refusal, "error");
    while (error && error > refusal && error[-1] != '\n')
        error--;
    return error ? error : refusal;
}
