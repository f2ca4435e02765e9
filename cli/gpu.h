/* What the parts of weft gpu share. */
#ifndef WEFT_CLI_GPU_H
#define WEFT_CLI_GPU_H

#include "progress.h"

#include "corpus/samples.h"
#include "gpu/gpu.h"

typedef struct GpuCall {
    GpuOptions options;
    const char *warp; /* the version of files and of what is invented; data sets have their own */
    bool warp_given;  /* which must then be the same */
    bool json;
    long long generate, seed, messages, block_dim;
    bool has_weights; /* --categories was given */
    CategoryWeights weights;
    const char *standalone;
    Progress *progress;
    const char *skip; /* kernels of files that are left out, with commas between them */
} GpuCall;

int gpu_bench(const GpuCall *call);
int gpu_standalone(const GpuCall *call);

#endif
