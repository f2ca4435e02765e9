/* The compiled proof of a data set: its C++ compiled, run and compared with the evaluators, its CUDA compiled. */
#ifndef WEFT_GPU_PROOF_H
#define WEFT_GPU_PROOF_H

#include "gpu/build.h"
#include "gpu/trial.h"

typedef struct ProofOptions {
    const char *warp_include, *cuda, *cache; /* NULL: found; found; nothing is kept */
    unsigned jobs;
    int arch; /* of the PTX; 0: 90 */
    Watch watch;
} ProofOptions;

typedef struct PtxSummary {
    uint32_t kernels;
    uint64_t instructions, registers; /* of all */
    uint32_t most_instructions, most_registers;
} PtxSummary;

typedef struct Proof {
    uint32_t samples;
    uint32_t with_text[BUILD_TARGET_COUNT], compiled[BUILD_TARGET_COUNT];
    uint32_t ran, forward_agrees, with_backward, backward_agrees, undefined_backward, poisoned;
    double forward_error, backward_error;
    uint64_t cells, loose;
    PtxSummary ptx[2]; /* forward, backward */
    uint32_t failures; /* samples with something wrong */
    double build_seconds[BUILD_TARGET_COUNT], run_seconds;
    TrialResult *results; /* one a sample */
} Proof;

/* What is needed for the texts that the samples have must be there: false otherwise, and *error says what is missing. */
bool proof_run(Sample *samples, uint32_t count, const ProofOptions *options, Proof *proof, GpuError *error);
void proof_free(Proof *proof);

/* The first thing that is wrong with a sample; NULL: nothing. */
const char *proof_failure(const Sample *sample, const TrialResult *result, char *buffer, size_t size);

#endif
