#include "gpu/proof.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- summing up ---- */

const char *proof_failure(const Sample *sample, const TrialResult *result, char *buffer, size_t size)
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

static void sum_up(const Sample *samples, uint32_t count, Proof *proof)
{
    char buffer[1000];
    for (uint32_t i = 0; i < count; i++) {
        const TrialResult *result = &proof->results[i];
        for (int target = 0; target < BUILD_TARGET_COUNT; target++) {
            proof->with_text[target] += samples[i].text[target].forward != NULL;
            proof->compiled[target] += samples[i].module[target] >= 0;
            add_ptx(&proof->ptx[target], &samples[i].ptx[target]); /* here: forward and backward */
        }
        proof->ran += result->ran;
        proof->forward_agrees += result->forward;
        proof->with_backward += result->has_backward;
        proof->backward_agrees += result->backward;
        proof->undefined_backward += result->undefined_backward;
        proof->poisoned += result->poisoned;
        proof->cells += result->cells;
        proof->loose += result->loose;
        if (result->forward_error > proof->forward_error)
            proof->forward_error = result->forward_error;
        if (result->backward_error > proof->backward_error)
            proof->backward_error = result->backward_error;
        proof->failures += proof_failure(&samples[i], result, buffer, sizeof buffer) != NULL;
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

static bool prove_cpp(Sample *samples, uint32_t count, const ProofOptions *options, const Toolchain *tools,
                      Proof *proof, GpuError *error)
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
    proof->build_seconds[BUILD_CPP] = clock_seconds() - start;
    if (done) {
        TrialOptions trial = {.machine = machine_cpu(),
                              .find = find_function,
                              .user = &build,
                              .jobs = options->jobs,
                              .watch = options->watch};
        start = clock_seconds();
        trial_samples(samples, count, BUILD_CPP, &trial, proof->results);
        proof->run_seconds = clock_seconds() - start;
    }
    build_free(&build);
    return done;
}

static bool prove_cuda(Sample *samples, uint32_t count, const ProofOptions *options, const Toolchain *tools,
                       const Nvrtc *nvrtc, Proof *proof, GpuError *error)
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
    proof->build_seconds[BUILD_CUDA] = clock_seconds() - start;
    build_free(&build);
    return done;
}

bool proof_run(Sample *samples, uint32_t count, const ProofOptions *options, Proof *proof, GpuError *error)
{
    Toolchain tools = {0};
    Nvrtc *nvrtc = NULL;
    bool wanted[BUILD_TARGET_COUNT] = {false};
    *proof = (Proof){.samples = count};
    for (uint32_t i = 0; i < count; i++)
        for (int target = 0; target < BUILD_TARGET_COUNT; target++)
            wanted[target] |= samples[i].text[target].forward != NULL;
    proof->results = calloc(count + 1, sizeof *proof->results);
    bool done = proof->results || gpu_fail(error, "out of memory");
    done = done && toolchain_find_headers(&tools, options->warp_include, error);
    done = done && (!wanted[BUILD_CPP] || toolchain_find_compiler(&tools, error));
    done = done && (!wanted[BUILD_CUDA] || (nvrtc = nvrtc_open(options->cuda, error)));
    done = done && (!wanted[BUILD_CPP] || prove_cpp(samples, count, options, &tools, proof, error));
    done = done && (!wanted[BUILD_CUDA] || prove_cuda(samples, count, options, &tools, nvrtc, proof, error));
    if (done)
        sum_up(samples, count, proof);
    nvrtc_close(nvrtc);
    return done;
}

void proof_free(Proof *proof)
{
    free(proof->results);
    proof->results = NULL;
}
