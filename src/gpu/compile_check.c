#include "gpu/compile_check.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- summing up ---- */

const char *compile_failure(const Sample *sample, const DeviceCheckResult *result, char *buffer, size_t size)
{
    static const char *const names[] = {"C++", "CUDA"};
    for (int target = 0; target < BUILD_TARGET_COUNT; target++) {
        const char *refusal = sample->refusal[target];
        if (!refusal)
            continue;
        const char *error = build_first_error(refusal);
        snprintf(buffer, size, "its %s does not compile: %.*s", names[target], (int)strcspn(error, "\n"), error);
        return buffer;
    }
    if (!sample->text[BUILD_CPP].forward || (result->forward && (result->backward || !result->has_backward)))
        return NULL;
    snprintf(buffer, size, "its C++, run: %s", result->message);
    return buffer;
}

static void add_ptx(PtxSummary *summary, const PtxStats *stats)
{
    if (!stats->instructions)
        return;
    summary->kernels++;
    summary->instructions += stats->instructions;
    summary->registers += stats->registers;
    if (stats->instructions > summary->most_instructions)
        summary->most_instructions = stats->instructions;
    if (stats->registers > summary->most_registers)
        summary->most_registers = stats->registers;
}

static void sum_up(const Sample *samples, uint32_t count, CompileReport *report)
{
    char buffer[1000];
    for (uint32_t i = 0; i < count; i++) {
        const DeviceCheckResult *result = &report->results[i];
        for (int target = 0; target < BUILD_TARGET_COUNT; target++) {
            report->with_text[target] += samples[i].text[target].forward != NULL;
            report->compiled[target] += samples[i].module[target] >= 0;
            add_ptx(&report->ptx[target], &samples[i].ptx[target]); /* here: forward and backward */
        }
        device_totals_add(&report->totals, result);
        report->failures += compile_failure(&samples[i], result, buffer, sizeof buffer) != NULL;
    }
}

/* ---- the two sides ---- */

static bool find_function(const Sample *sample, DeviceKernel *kernel, void *user, GpuError *error)
{
    const Build *build = user;
    kernel->forward = build_symbol(build, sample, "forward");
    kernel->backward = sample->text[BUILD_CPP].backward ? build_symbol(build, sample, "backward") : NULL;
    if (!kernel->forward || (!kernel->backward && sample->text[BUILD_CPP].backward))
        return gpu_fail(error, "the compiled library lacks its entry point");
    return true;
}

static bool check_cpp(Sample *samples, uint32_t count, const CompileCheckOptions *options, const Toolchain *tools,
                      CompileReport *report, GpuError *error)
{
    BuildOptions how = {.target = BUILD_CPP,
                        .tools = tools,
                        .jobs = options->jobs,
                        .cache = options->cache,
                        .optimize = 0,
                        .watch = options->watch};
    Build build;
    double start = clock_seconds();
    bool done = build_samples(samples, count, &how, &build, error);
    report->build_seconds[BUILD_CPP] = clock_seconds() - start;
    if (done) {
        DeviceCheckOptions check = {.machine = machine_cpu(),
                                    .find = find_function,
                                    .user = &build,
                                    .jobs = options->jobs,
                                    .watch = options->watch};
        start = clock_seconds();
        check_on_device(samples, count, BUILD_CPP, &check, report->results);
        report->run_seconds = clock_seconds() - start;
    }
    build_free(&build);
    return done;
}

static bool check_cuda(Sample *samples, uint32_t count, const CompileCheckOptions *options, const Toolchain *tools,
                       const Nvrtc *nvrtc, CompileReport *report, GpuError *error)
{
    BuildOptions how = {.target = BUILD_CUDA,
                        .tools = tools,
                        .nvrtc = nvrtc,
                        .arch = options->arch ? options->arch : 90,
                        .jobs = options->jobs,
                        .cache = options->cache,
                        .watch = options->watch};
    Build build;
    double start = clock_seconds();
    bool done = build_samples(samples, count, &how, &build, error);
    report->build_seconds[BUILD_CUDA] = clock_seconds() - start;
    build_free(&build);
    return done;
}

bool check_by_compiling(Sample *samples, uint32_t count, const CompileCheckOptions *options, CompileReport *report,
                        GpuError *error)
{
    Toolchain tools = {0};
    Nvrtc *nvrtc = NULL;
    bool wanted[BUILD_TARGET_COUNT] = {false};
    *report = (CompileReport){.samples = count};
    for (uint32_t i = 0; i < count; i++)
        for (int target = 0; target < BUILD_TARGET_COUNT; target++)
            wanted[target] |= samples[i].text[target].forward != NULL;
    report->results = calloc(count + 1, sizeof *report->results);
    bool done = report->results || gpu_fail(error, "out of memory");
    const char *warp = done ? samples_version(samples, count, error) : NULL;
    done = warp && toolchain_find_headers(&tools, options->warp_include, warp, error);
    done = done && (!wanted[BUILD_CPP] || toolchain_find_compiler(&tools, error));
    done = done && (!wanted[BUILD_CUDA] || (nvrtc = nvrtc_open(options->cuda, error)));
    done = done && (!wanted[BUILD_CPP] || check_cpp(samples, count, options, &tools, report, error));
    done = done && (!wanted[BUILD_CUDA] || check_cuda(samples, count, options, &tools, nvrtc, report, error));
    if (done)
        sum_up(samples, count, report);
    nvrtc_close(nvrtc);
    return done;
}

void compile_report_free(CompileReport *report)
{
    free(report->results);
    report->results = NULL;
}
