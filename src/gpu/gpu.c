#include "gpu/gpu.h"

#include "base/clock.h"
#include "gpu/machine_cuda.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_DONE = 0, CHILD_LOST = 3, CHILD_FAILED = 4, MAX_RESTARTS = 200, LONGEST_LAUNCH = 20 };

/* ---- building ---- */

/* Asked in a child: a process that has used the driver cannot fork others that do. */
static bool look_at_card(Card *card, int number, GpuError *error)
{
    struct Answer {
        bool found;
        Card card;
        GpuError error;
    } *answer = mmap(NULL, sizeof *answer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;
    if (answer == MAP_FAILED)
        return gpu_fail(error, "out of memory");
    pid_t child = fork();
    if (child == 0) {
        answer->found = card_look(&answer->card, number, &answer->error);
        _exit(0);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    bool found = child > 0 && WIFEXITED(status) && answer->found;
    *card = answer->card;
    memset(&card->driver, 0, sizeof card->driver); /* of the other process */
    if (!found)
        gpu_fail(error, "%s",
                 answer->error.message[0] ? answer->error.message : "no GPU: the driver cannot be started");
    munmap(answer, sizeof *answer);
    return found;
}

bool gpu_tools_open(GpuTools *tools, const GpuOptions *options, const char *warp, GpuError *error)
{
    memset(tools, 0, sizeof *tools);
    if (options->on_cpu)
        return toolchain_find_compiler(&tools->tools, error) &&
               toolchain_find_headers(&tools->tools, options->warp_include, warp, error);
    return (options->same_process ? card_look(&tools->card, options->card, error)
                                  : look_at_card(&tools->card, options->card, error)) &&
           (tools->nvrtc = nvrtc_open(options->cuda, error)) &&
           toolchain_find_headers(&tools->tools, options->warp_include, warp, error);
}

void gpu_tools_close(GpuTools *tools)
{
    nvrtc_close(tools->nvrtc);
    card_close(&tools->card);
    tools->nvrtc = NULL;
}

bool gpu_build(GpuTools *tools, Sample *samples, uint32_t count, const GpuOptions *options, Build *build,
               GpuError *error)
{
    BuildOptions how = {.target = options->on_cpu ? BUILD_CPP : BUILD_CUDA,
                        .tools = &tools->tools,
                        .nvrtc = tools->nvrtc,
                        .arch = tools->card.arch,
                        .image = true,
                        .no_fma = options->no_fma,
                        .like_gpu = options->like_gpu,
                        .optimize = options->like_gpu ? 2 : 0,
                        .jobs = options->jobs,
                        .cache = options->cache,
                        .watch = options->watch};
    return options->on_cpu || options->same_process ? build_samples(samples, count, &how, build, error)
                                                    : build_samples_apart(samples, count, &how, build, error);
}

/* ---- running ---- */

static bool is_fused(const GpuOptions *options)
{
    return !options->no_fma && (!options->on_cpu || options->like_gpu);
}

typedef struct Session {
    Sample *samples;
    uint32_t count;
    const GpuOptions *options;
    const Build *build;
    GpuReport *report;
    CudaMachine cuda;
    unsigned jobs;
    bool fused; /* what does not agree is tried again */
} Session;

static bool find_on_cpu(const Sample *sample, DeviceKernel *kernel, void *user, GpuError *error)
{
    const Session *session = user;
    bool reversed = session->options->like_gpu, backward = sample->text[BUILD_CPP].backward != NULL;
    kernel->forward = build_symbol(session->build, sample, reversed ? "reversed_forward" : "forward");
    kernel->backward =
        backward ? build_symbol(session->build, sample, reversed ? "reversed_backward" : "backward") : NULL;
    return kernel->forward || gpu_fail(error, "the compiled library lacks its entry point");
}

static bool find_on_card(const Sample *sample, DeviceKernel *kernel, void *user, GpuError *error)
{
    Session *session = user;
    return machine_cuda_find(&session->cuda, sample, kernel, error);
}

static void keep_failure(const FailedCheck *failed, void *user)
{
    const Session *session = user;
    if (!session->fused || !failed->result->ran)
        keep_failed_check(failed, session->report->target, session->options->keep);
}

/* Tries what was not tried yet. CHILD_LOST: the machine was lost on the way. */
static int try_samples(Session *session, GpuError *error)
{
    const GpuOptions *options = session->options;
    DeviceCheckOptions check = {.find = options->on_cpu ? find_on_cpu : find_on_card,
                                .user = session,
                                .races = options->races,
                                .one_at_a_time = !options->on_cpu,
                                .keep = options->keep ? keep_failure : NULL,
                                .jobs = session->jobs,
                                .watch = options->watch};
    Card card;
    if (options->on_cpu)
        check.machine = machine_cpu();
    else {
        if (!card_open(&card, options->card, error) || !machine_cuda_init(&session->cuda, &card, session->build, error))
            return CHILD_FAILED;
        check.machine = &session->cuda.machine;
        session->cuda.limit = options->same_process ? 0 : LONGEST_LAUNCH;
    }
    check_on_device(session->samples, session->count, session->report->target, &check, session->report->results);
    int code = check.machine->is_lost ? CHILD_LOST : CHILD_DONE;
    if (!options->on_cpu) {
        machine_cuda_free(&session->cuda);
        card_close(&card);
    }
    return code;
}

static uint32_t count_untried(const Session *session)
{
    uint32_t untried = 0;
    for (uint32_t i = 0; i < session->count; i++)
        untried += session->samples[i].module[session->report->target] >= 0 && !session->report->results[i].tried;
    return untried;
}

/* With one thread, the first that was not tried is the one that crashed. */
static void blame_crash(Session *session, int status)
{
    for (uint32_t i = 0; i < session->count; i++) {
        DeviceCheckResult *result = &session->report->results[i];
        if (session->samples[i].module[session->report->target] < 0 || result->tried)
            continue;
        result->tried = true;
        if (WTERMSIG(status) == SIGALRM)
            snprintf(result->message, sizeof result->message, "a launch took more than %d seconds", LONGEST_LAUNCH);
        else
            snprintf(result->message, sizeof result->message, "the process crashed (signal %d)", WTERMSIG(status));
        return;
    }
}

/* One child; false: it could not even begin. */
static bool run_child(Session *session, GpuError *shared, bool *alone, GpuError *error)
{
    int status = 0;
    fflush(stdout);
    fflush(stderr);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout)) /* kernels may print; the results go through shared memory */
            _exit(CHILD_FAILED);
        session->jobs = *alone ? 1 : session->jobs;
        _exit(try_samples(session, shared));
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (child < 0)
        return gpu_fail(error, "no process can be started: %s", strerror(errno));
    if (WIFSIGNALED(status) && *alone)
        blame_crash(session, status);
    *alone = WIFSIGNALED(status);
    return !WIFEXITED(status) || WEXITSTATUS(status) != CHILD_FAILED || gpu_fail(error, "%s", shared->message);
}

static bool run_children(Session *session, GpuError *error)
{
    GpuError *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool fine = shared != MAP_FAILED || gpu_fail(error, "out of memory"), alone = false;
    while (fine && count_untried(session) && session->report->restarts < MAX_RESTARTS) {
        fine = run_child(session, shared, &alone, error);
        session->report->restarts += fine && count_untried(session) > 0;
    }
    if (shared != MAP_FAILED)
        munmap(shared, sizeof *shared);
    return fine;
}

static void keep_refusals(const Session *session)
{
    BuildTarget target = session->report->target;
    for (uint32_t i = 0; i < session->count; i++)
        if (session->samples[i].refusal[target])
            keep_failed_check(&(FailedCheck){.sample = &session->samples[i]}, target, session->options->keep);
}

static void describe(const GpuTools *tools, const GpuOptions *options, GpuReport *report)
{
    if (options->on_cpu)
        snprintf(report->machine, sizeof report->machine, "the CPU, C++ by %.100s", tools->tools.compiler);
    else
        snprintf(report->machine, sizeof report->machine, "%.100s, sm_%d, driver %d.%d, NVRTC %d.%d", tools->card.name,
                 tools->card.arch, tools->card.version / 1000, tools->card.version % 1000 / 10,
                 nvrtc_version(tools->nvrtc) / 1000, nvrtc_version(tools->nvrtc) % 1000 / 10);
}

static bool make_results(GpuReport *report, uint32_t count, GpuError *error)
{
    report->results_size = (count + 1) * sizeof *report->results;
    report->results = mmap(NULL, report->results_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report->results != MAP_FAILED)
        return true;
    report->results = NULL;
    return gpu_fail(error, "out of memory");
}

static bool build_and_run(GpuTools *tools, Sample *samples, uint32_t count, const GpuOptions *options,
                          GpuReport *report, GpuError *error)
{
    Build build = {0};
    double start = clock_seconds();
    bool fine = gpu_build(tools, samples, count, options, &build, error);
    report->build_seconds += clock_seconds() - start;
    if (fine) {
        Session session = {.samples = samples,
                           .count = count,
                           .options = options,
                           .build = &build,
                           .report = report,
                           .jobs = options->jobs,
                           .fused = is_fused(options)};
        report->modules += build.module_count;
        report->from_cache += build.from_cache;
        if (options->keep)
            keep_refusals(&session);
        start = clock_seconds();
        fine = options->same_process ? try_samples(&session, error) != CHILD_FAILED : run_children(&session, error);
        report->run_seconds += clock_seconds() - start;
    }
    build_free(&build);
    return fine;
}

/* ---- without fused operations ---- */

static bool differs(const DeviceCheckResult *result)
{
    return result->ran && !(result->forward && (result->backward || !result->has_backward));
}

static void take_unfused(const DeviceCheckResult *unfused, DeviceCheckResult *result)
{
    char message[sizeof result->message];
    if (!unfused->tried)
        return;
    memcpy(message, result->message, sizeof message);
    *result = *unfused;
    result->only_unfused = !differs(unfused) && unfused->ran;
    if (result->only_unfused)
        memcpy(result->message, message, sizeof message);
    else
        snprintf(result->message, sizeof result->message, "%.600s; without fused multiply-add, too", message);
}

static bool run_unfused(GpuTools *tools, Sample *samples, uint32_t count, const GpuOptions *options, GpuReport *report,
                        GpuError *error)
{
    GpuOptions unfused = *options;
    GpuReport second = {.target = report->target};
    Sample *again = calloc(count + 1, sizeof *again);
    uint32_t *places = calloc(count + 1, sizeof *places), found = 0;
    unfused.no_fma = true;
    for (uint32_t i = 0; again && places && i < count; i++)
        if (differs(&report->results[i])) {
            places[found] = i;
            again[found++] = samples[i];
        }
    bool fine = (again && places) || gpu_fail(error, "out of memory");
    if (found)
        fine = make_results(&second, found, error) && build_and_run(tools, again, found, &unfused, &second, error);
    for (uint32_t i = 0; i < found; i++) {
        if (fine)
            take_unfused(&second.results[i], &report->results[places[i]]);
        free(again[i].refusal[report->target]);
    }
    report->restarts += second.restarts;
    report->build_seconds += second.build_seconds;
    report->run_seconds += second.run_seconds;
    gpu_report_free(&second);
    free(again);
    free(places);
    return fine;
}

bool gpu_run(Sample *samples, uint32_t count, const GpuOptions *options, GpuReport *report, GpuError *error)
{
    GpuTools tools = {0};
    *report = (GpuReport){.target = options->on_cpu ? BUILD_CPP : BUILD_CUDA};
    if (!make_results(report, count, error))
        return false;
    const char *warp = samples_version(samples, count, error);
    bool fine = warp && gpu_tools_open(&tools, options, warp, error);
    if (fine)
        describe(&tools, options, report);
    fine = fine && build_and_run(&tools, samples, count, options, report, error);
    if (fine && is_fused(options))
        fine = run_unfused(&tools, samples, count, options, report, error);
    gpu_tools_close(&tools);
    return fine;
}

void gpu_report_free(GpuReport *report)
{
    if (report->results)
        munmap(report->results, report->results_size);
    report->results = NULL;
}

GpuVerdict gpu_verdict(const Sample *sample, const DeviceCheckResult *result, BuildTarget target)
{
    if (sample->module[target] < 0)
        return GPU_DIFFERS;
    if (result->skipped)
        return GPU_NOT_COMPARED;
    bool agrees = result->tried && result->ran && result->forward && (result->backward || !result->has_backward);
    return agrees ? GPU_AGREES : GPU_DIFFERS;
}
