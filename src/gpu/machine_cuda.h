/* A GPU as a machine. A launch that fails in a way that breaks the context marks it as lost. */
#ifndef WEFT_GPU_MACHINE_CUDA_H
#define WEFT_GPU_MACHINE_CUDA_H

#include "gpu/build.h"
#include "gpu/driver.h"
#include "gpu/machine.h"

typedef struct CudaMachine {
    Machine machine; /* first, so that one is the other */
    Card *card;
    unsigned limit; /* seconds of a launch, after which SIGALRM ends the process; 0: none */
    const Build *build;
    CudaModule *modules; /* loaded when a sample of theirs is asked for */
} CudaMachine;

bool machine_cuda_init(CudaMachine *cuda, Card *card, const Build *build, GpuError *error);
void machine_cuda_free(CudaMachine *cuda);

/* Its functions, and what the assembler made of them. Makes the card current in the calling thread. */
bool machine_cuda_find(CudaMachine *cuda, const Sample *sample, DeviceKernel *kernel, GpuError *error);

#endif
