/* Building in a process of its own.
 *
 * NVRTC starts the CUDA driver when it compiles for a card, and a process that has started the driver cannot fork others
 * that use it. So the compiler runs in a child, and what it made comes back through a file. */
#include "gpu/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Answer {
    bool done;
    GpuError error;
    uint32_t module_count, from_cache, refused;
} Answer;

typedef struct SampleAnswer {
    int32_t module;
    size_t refusal_size; /* 0: none */
    PtxStats ptx[2];
} SampleAnswer;

/* ---- in the child ---- */

static bool put(FILE *file, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, file) == size;
}

static bool write_answer(FILE *file, const Answer *answer, const Sample *samples, uint32_t count, const Build *build)
{
    bool fine = put(file, answer, sizeof *answer);
    for (uint32_t i = 0; fine && i < build->module_count; i++)
        fine = put(file, &build->modules[i].image_size, sizeof build->modules[i].image_size) &&
               put(file, build->modules[i].image, build->modules[i].image_size);
    for (uint32_t i = 0; fine && i < count; i++) {
        const char *refusal = samples[i].refusal[build->target];
        SampleAnswer sample = {.module = samples[i].module[build->target],
                               .refusal_size = refusal ? strlen(refusal) + 1 : 0,
                               .ptx = {samples[i].ptx[0], samples[i].ptx[1]}};
        fine = put(file, &sample, sizeof sample) && put(file, refusal, sample.refusal_size);
    }
    return fine && fflush(file) == 0;
}

static bool build_here(FILE *file, Sample *samples, uint32_t count, const BuildOptions *options)
{
    Answer answer = {0};
    Build build;
    answer.done = build_samples(samples, count, options, &build, &answer.error);
    answer.module_count = build.module_count;
    answer.from_cache = build.from_cache;
    answer.refused = build.refused;
    return write_answer(file, &answer, samples, count, &build);
}

/* ---- in the parent ---- */

static bool take(FILE *file, void *bytes, size_t size)
{
    return fread(bytes, 1, size, file) == size;
}

static bool read_module(FILE *file, BuiltModule *module)
{
    return take(file, &module->image_size, sizeof module->image_size) &&
           (module->image = calloc(1, module->image_size + 1)) && take(file, module->image, module->image_size);
}

static bool read_sample(FILE *file, Sample *sample, BuildTarget target)
{
    SampleAnswer answer;
    if (!take(file, &answer, sizeof answer))
        return false;
    sample->module[target] = answer.module;
    memcpy(sample->ptx, answer.ptx, sizeof answer.ptx);
    if (!answer.refusal_size)
        return true;
    sample->refusal[target] = calloc(1, answer.refusal_size);
    return sample->refusal[target] && take(file, sample->refusal[target], answer.refusal_size);
}

static bool read_answer(FILE *file, Sample *samples, uint32_t count, Build *build, GpuError *error)
{
    Answer answer;
    bool fine = fseek(file, 0, SEEK_SET) == 0 && take(file, &answer, sizeof answer);
    if (fine && !answer.done) {
        *error = answer.error;
        return false;
    }
    build->modules = fine ? calloc(answer.module_count + 1, sizeof *build->modules) : NULL;
    for (fine = build->modules != NULL; fine && build->module_count < answer.module_count;)
        fine = read_module(file, &build->modules[build->module_count++]);
    for (uint32_t i = 0; fine && i < count; i++)
        fine = read_sample(file, &samples[i], build->target);
    if (!fine)
        return gpu_fail(error, "what was compiled cannot be read back");
    build->from_cache = answer.from_cache;
    build->refused = answer.refused;
    return true;
}

bool build_samples_apart(Sample *samples, uint32_t count, const BuildOptions *options, Build *build, GpuError *error)
{
    FILE *file = tmpfile();
    int status = 0;
    *build = (Build){.target = options->target};
    if (!file)
        return gpu_fail(error, "no temporary file can be made: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0)
        _exit(build_here(file, samples, count, options) ? 0 : 1);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    bool done = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!done && child > 0 && WIFSIGNALED(status))
        gpu_fail(error, "the compiler crashed (signal %d)", WTERMSIG(status));
    else if (!done)
        gpu_fail(error, "the compiler's process failed");
    done = done && read_answer(file, samples, count, build, error);
    fclose(file);
    return done;
}
