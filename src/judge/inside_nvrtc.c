/* NVRTC compiles answers in CUDA, one after the other. Each gets a child of a process that has the library loaded,
 * since loading takes longer than most compilations. The child ends with its answer, and can only compile; neither
 * has a card. */
#include "judge/inside.h"

#include "base/safe_file.h"
#include "gpu/nvrtc.h"
#include "judge/sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void complain(int fd, const char *text, size_t len)
{
    write_fully(fd, text, len);
    _exit(1);
}

static void compile(const Nvrtc *nvrtc, const Job *job, int messages)
{
    static const char no_filter[] = "error: system calls cannot be filtered on this machine";
    NvrtcNames names = {.wanted = {job->entries[0], job->entries[1]}};
    NvrtcOptions options = {.warp_include = job->plain ? "/dev/null" : "/judge/warp",
                            .arch = (int)job->arch,
                            .image = true,
                            .no_fma = true,
                            .plain = job->plain,
                            .names = &names};
    Text image, log;
    text_init(&image);
    text_init(&log);
    inside_limit_compiler(job);
    if (!inside_filter(FILTER_NVRTC))
        complain(messages, no_filter, sizeof no_filter - 1);
    if (!nvrtc_compile(nvrtc, job->source, &options, &image, &log))
        complain(messages, log.data ? log.data : "", log.len);
    JobImage head = {.magic = JOB_MAGIC, .size = (uint32_t)image.len};
    for (int i = 0; i < 2; i++)
        head.name_sizes[i] = (uint32_t)strlen(names.found[i]);
    bool written = image.len <= JOB_MOST_IMAGE && inside_write(&head, sizeof head) &&
                   inside_write(names.found[0], head.name_sizes[0]) &&
                   inside_write(names.found[1], head.name_sizes[1]) && inside_write(image.data, image.len);
    _exit(written ? 0 : 1);
}

/* The first compilation does the setup once, for all children. */
static bool warm_up(const Nvrtc *nvrtc)
{
    NvrtcOptions options = {.warp_include = "/dev/null", .arch = 80, .image = true, .no_fma = true, .plain = true};
    Text image, log;
    text_init(&image);
    text_init(&log);
    bool done =
        nvrtc_compile(nvrtc, "__global__ void nothing(float *a) { a[0] = sinf(a[1]); }", &options, &image, &log);
    text_free(&image);
    text_free(&log);
    return done;
}

static void serve_one(const Nvrtc *nvrtc, const Job *job, const InsideFiles *files)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        close(STDIN_FILENO); /* the next jobs and their status are not for it */
        close(files->status);
        compile(nvrtc, job, files->messages);
    }
    struct rusage usage = {0};
    while (child > 0 && wait4(child, &status, 0, &usage) < 0 && errno == EINTR)
        continue;
    bool compiled = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    JobStatus told = {.magic = JOB_MAGIC, .stage = compiled ? JOB_COMPILED : JOB_REFUSED};
    told.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    told.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    told.milliseconds = inside_milliseconds(&usage);
    write_fully(files->status, (const char *)&told, sizeof told);
}

int judge_inside_compiler(void)
{
    InsideFiles files = inside_take_files();
    GpuError error = {""};
    Nvrtc *nvrtc = nvrtc_open(SANDBOX_CUDA, &error);
    if (!nvrtc || !warm_up(nvrtc)) {
        dprintf(files.messages, "error: %s\n", nvrtc ? "NVRTC does not compile" : error.message);
        return 1;
    }
    JobStatus started = {.magic = JOB_MAGIC, .stage = JOB_STARTED};
    write_fully(files.status, (const char *)&started, sizeof started);
    for (;;) {
        Arena arena;
        Job job;
        arena_init(&arena);
        bool taken = inside_take_job(&arena, JOB_NVRTC, &job);
        if (taken)
            serve_one(nvrtc, &job, &files);
        arena_free(&arena);
        if (!taken)
            return 0;
    }
}
