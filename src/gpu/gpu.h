/* Samples on a real GPU: compiled for it, run forward and backward, compared with the evaluators.
 *
 * Those that run but do not agree are compiled again without fused multiply-add: where a*b - a*b is zero for whoever
 * rounds both products, a fused operation leaves the rounding error of one, and what follows may hang on it. A wrong
 * index or a lost adjoint is wrong either way.
 *
 * The card is used by a child process. A kernel that breaks its context (an illegal access) ends the child; another one
 * goes on with the next sample. */
#ifndef WEFT_GPU_GPU_H
#define WEFT_GPU_GPU_H

#include "gpu/device_check.h"
#include "gpu/driver.h"

typedef struct GpuOptions {
    const char *warp_include, *cuda; /* NULL: found */
    const char *cache;               /* compiled modules; NULL: not kept */
    const char *keep;                /* a folder for failed of failures; NULL: none */
    unsigned jobs;
    int card;
    bool no_fma;
    bool on_cpu;       /* the C++ on the CPU instead: for trying this out without a GPU */
    bool like_gpu;     /* then: fused operations, the last thread first */
    bool races;        /* see DeviceCheckOptions */
    bool same_process; /* no child, for debuggers and sanitizers */
    Watch watch;       /* told by children, too */
} GpuOptions;

typedef struct GpuReport {
    char machine[200]; /* "NVIDIA H200, sm_90, driver 13.0" */
    BuildTarget target;
    DeviceCheckResult *results; /* one per sample */
    size_t results_size;
    uint32_t modules, from_cache, restarts;
    double build_seconds, run_seconds;
} GpuReport;

/* False: nothing could be run (no card, no compiler, no headers); *error says what is missing. */
bool gpu_run(Sample *samples, uint32_t count, const GpuOptions *options, GpuReport *report, GpuError *error);
void gpu_report_free(GpuReport *report);

typedef enum GpuVerdict {
    GPU_AGREES,
    GPU_DIFFERS,     /* it was not compiled, did not run, or does not agree: a failure */
    GPU_NOT_COMPARED /* the evaluators cannot run it: that says nothing about the card */
} GpuVerdict;
GpuVerdict gpu_verdict(const Sample *sample, const DeviceCheckResult *result, BuildTarget target);

/* ---- failed.c ---- */

/* A folder `keep`/ID with the source, the compiled text, the inputs and both results. */
void keep_failed_check(const FailedCheck *failed, BuildTarget target, const char *keep);

/* For those who use the parts: what is needed to compile for a target. */
typedef struct GpuTools {
    Toolchain tools;
    Nvrtc *nvrtc;
    Card card; /* looked at only */
} GpuTools;
bool gpu_tools_open(GpuTools *tools, const GpuOptions *options, const char *warp, GpuError *error);
void gpu_tools_close(GpuTools *tools);
bool gpu_build(GpuTools *tools, Sample *samples, uint32_t count, const GpuOptions *options, Build *build,
               GpuError *error);

#endif
