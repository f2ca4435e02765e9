#include "judge/inside.h"

#include "base/safe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SOURCE_PATH "/tmp/answer.cpp"
#define LIBRARY_PATH "/tmp/answer.so"

enum { MB = 1 << 20, MOST_FILE_MB = 64, MOST_PROCESSES = 48 };

bool inside_write(const void *bytes, size_t len)
{
    return write_fully(INSIDE_RESULTS, bytes, len);
}

/* ---- limits ---- */

static void limit(unsigned what, rlim_t most)
{
    struct rlimit value = {most, most};
    setrlimit(what, &value);
}

static void limit_memory(uint32_t megabytes)
{
#ifndef __SANITIZE_ADDRESS__ /* which reserves more addresses than there are */
    limit(RLIMIT_AS, (rlim_t)megabytes * MB);
#else
    (void)megabytes;
#endif
}

static void limit_common(uint32_t seconds)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, seconds);
    limit(RLIMIT_FSIZE, (rlim_t)MOST_FILE_MB * MB);
    limit(RLIMIT_NOFILE, 64);
    limit(RLIMIT_NPROC, MOST_PROCESSES);
}

void inside_limits(const Job *job)
{
    limit_common(job->limits.run_seconds);
    limit(RLIMIT_STACK, (rlim_t)64 * MB);
    limit_memory(job->limits.memory_mb);
}

void inside_limit_compiler(const Job *job)
{
    limit_common(job->limits.compile_seconds);
    limit_memory(COMPILER_MB);
    limit(RLIMIT_FSIZE, 0);
}

void inside_limit_host(void)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
}

/* ---- stages ---- */

uint32_t inside_milliseconds(const struct rusage *usage)
{
    return (uint32_t)(usage->ru_utime.tv_sec * 1000 + usage->ru_utime.tv_usec / 1000 + usage->ru_stime.tv_sec * 1000 +
                      usage->ru_stime.tv_usec / 1000);
}

static void tell_status(JobStage stage, int status, const struct rusage *usage)
{
    JobStatus told = {.magic = JOB_MAGIC, .stage = (uint32_t)stage};
    told.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    told.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    told.milliseconds = inside_milliseconds(usage);
    told.kilobytes = (uint32_t)usage->ru_maxrss;
    write_fully(STDOUT_FILENO, (const char *)&told, sizeof told);
}

static int wait_for(pid_t child, struct rusage *usage)
{
    int status = -1;
    while (child > 0 && wait4(child, &status, 0, usage) < 0 && errno == EINTR)
        continue;
    return status;
}

static bool write_source(const Job *job)
{
    int fd = open(SOURCE_PATH, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool fine = fd >= 0 && write_fully(fd, job->source, job->source_len);
    return fd >= 0 && close(fd) == 0 && fine;
}

static void exec_compiler(const Job *job)
{
    enum { MOST_ARGS = 80 };
    const char *args[MOST_ARGS];
    size_t count = 0;
    args[count++] = job->compiler;
    for (size_t i = 0; job->flags[i] && count < MOST_ARGS - 8; i++)
        args[count++] = job->flags[i];
    static const char *const rest[] = {"-shared", "-nostdlib", "-x", "c++", SOURCE_PATH, "-o", LIBRARY_PATH, NULL};
    for (size_t i = 0; rest[i]; i++)
        args[count++] = rest[i];
    args[count] = NULL;
    limit_common(job->limits.compile_seconds);
    limit_memory(COMPILER_MB);
    int nothing = open("/dev/null", O_RDONLY); /* what follows in the input is not for what an answer includes */
    dup2(nothing, STDIN_FILENO);
    close(nothing);
    close(INSIDE_RESULTS);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execv(args[0], (char *const *)(uintptr_t)args);
    dprintf(STDERR_FILENO, "error: the compiler cannot be started: %s\n", strerror(errno));
    _exit(127);
}

/* False: the compiler does not take it. */
static bool compile(const Job *job)
{
    struct rusage usage = {0};
    pid_t child = write_source(job) ? fork() : -1;
    if (child == 0)
        exec_compiler(job);
    int status = wait_for(child, &usage);
    bool compiled = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    tell_status(compiled ? JOB_COMPILED : JOB_REFUSED, status, &usage);
    return compiled;
}

/* Whatever else was open when weft was started, by whoever started it: not for answers. */
static void close_others(void)
{
    if (syscall(SYS_close_range, INSIDE_RESULTS + 1, ~0u, 0) == 0)
        return;
    for (int fd = INSIDE_RESULTS + 1; fd < 65536; fd++) /* an old kernel */
        close(fd);
}

static void run_in_child(const Job *job)
{
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    if (job->mode == JOB_NATIVE)
        dup2(nothing, STDERR_FILENO);
    close(nothing);
    inside_limits(job);
    if (job->mode == JOB_NATIVE)
        inside_run_native(job);
    inside_run_python(job);
}

/* Passes on what the child writes, up to `most` bytes. True: exactly so many came. */
static bool pass_on(int from, size_t most, bool *overflows)
{
    char piece[65536];
    for (ssize_t got; (got = read(from, piece, sizeof piece)) != 0;) {
        *overflows = got > 0 && (size_t)got > most;
        if (*overflows || (got < 0 && errno != EINTR) || (got > 0 && !inside_write(piece, (size_t)got)))
            return false;
        most -= got > 0 ? (size_t)got : 0;
    }
    return !most;
}

/* Each pass writes into a pipe of its own: results of one pass are never written by the process of another. */
static bool run_native(const Job *job)
{
    struct rusage usage = {0};
    size_t most = 0;
    int ends[2];
    bool overflows = false;
    for (uint32_t i = 0; i < job->launch_count; i++)
        most += sizeof(JobMark) + job_result_size(&job->launches[i]);
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child == 0) {
        dup2(ends[1], INSIDE_RESULTS);
        close_others();
        run_in_child(job);
    }
    close(ends[1]);
    bool whole = child > 0 && pass_on(ends[0], most, &overflows);
    close(ends[0]);
    if (overflows)
        kill(child, SIGKILL);
    int status = wait_for(child, &usage);
    tell_status(JOB_RAN, overflows ? JOB_EXIT_OVERFLOW << 8 : status, &usage);
    return whole && status == 0;
}

static bool run_python(const Job *job)
{
    struct rusage usage = {0};
    pid_t child = fork();
    if (child == 0)
        run_in_child(job);
    close(INSIDE_RESULTS);
    int status = wait_for(child, &usage);
    tell_status(JOB_RAN, status, &usage);
    return false; /* it has one pass */
}

/* ---- jobs one after the other ---- */

InsideFiles inside_take_files(void)
{
    close_others();
    InsideFiles files = {.status = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10),
                         .messages = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10)};
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    close(nothing);
    return files;
}

static bool read_exactly(void *to, size_t len)
{
    for (char *at = to; len;) {
        ssize_t got = read(STDIN_FILENO, at, len);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        at += got > 0 ? got : 0;
        len -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool take_job(Arena *arena, Job *job)
{
    JobRequest request;
    if (!read_exactly(&request, sizeof request) || request.magic != JOB_MAGIC || request.size > JOB_MOST_REQUEST)
        return false;
    char *bytes = arena_alloc(arena, request.size + 1);
    return read_exactly(bytes, request.size) && job_read(arena, bytes, request.size, job);
}

bool inside_take_job(Arena *arena, JobMode mode, Job *job)
{
    return take_job(arena, job) && job->mode == mode;
}

/* ---- one job, in one or two passes ---- */

int judge_inside(void)
{
    bool goes_on = true, compiled = false;
    close_others();
    while (goes_on) {
        Arena arena;
        Job job;
        arena_init(&arena);
        if (!take_job(&arena, &job))
            return !compiled;
        if (!compiled)
            tell_status(JOB_STARTED, 0, &(struct rusage){0});
        compiled = compiled || job.mode != JOB_NATIVE || compile(&job);
        goes_on = compiled && (job.mode == JOB_NATIVE ? run_native(&job) : run_python(&job));
        arena_free(&arena); /* before what the next pass is given comes in */
    }
    return 0;
}
