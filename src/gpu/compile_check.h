/* What compilers say about a data set: its C++ compiled, run and compared with the evaluators, its CUDA compiled. */
#ifndef WEFT_GPU_COMPILE_CHECK_H
#define WEFT_GPU_COMPILE_CHECK_H

#include "gpu/build.h"
#include "gpu/device_check.h"

typedef struct CompileCheckOptions {
    const char *warp_include, *cuda, *cache; /* NULL: found; found; nothing is kept */
    unsigned jobs;
    int arch; /* of the PTX; 0: 90 */
    Watch watch;
} CompileCheckOptions;

typedef struct PtxSummary {
    uint32_t kernels;
    uint64_t instructions, registers; /* of all */
    uint32_t most_instructions, most_registers;
} PtxSummary;

typedef struct CompileReport {
    uint32_t samples;
    uint32_t with_text[BUILD_TARGET_COUNT], compiled[BUILD_TARGET_COUNT];
    DeviceTotals totals;
    PtxSummary ptx[2]; /* forward, backward */
    uint32_t failures; /* samples with something wrong */
    double build_seconds[BUILD_TARGET_COUNT], run_seconds;
    DeviceCheckResult *results; /* one per sample */
} CompileReport;

/* What is needed for the texts that the samples have must be there: false otherwise, and *error says what is missing. */
bool check_by_compiling(Sample *samples, uint32_t count, const CompileCheckOptions *options, CompileReport *report,
                        GpuError *error);
void compile_report_free(CompileReport *report);

/* The first thing that is wrong with a sample; NULL: nothing. */
const char *compile_failure(const Sample *sample, const DeviceCheckResult *result, char *buffer, size_t size);

#endif
