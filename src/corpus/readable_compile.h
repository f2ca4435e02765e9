/* The readable CUDA of records, compiled: with a C++ compiler, run on the records' launches, and with NVRTC, by itself. */
#ifndef WEFT_CORPUS_READABLE_COMPILE_H
#define WEFT_CORPUS_READABLE_COMPILE_H

#include "gpu/nvrtc.h"

typedef struct ReadableSample {
    const char *id, *text, *launches; /* columns of the record; text NULL: it has none */
    /* The outcome: */
    bool compiled, cuda_compiled, forward, has_backward, backward; /* the kernels agree */
    char failure[400];                                             /* the first thing that is wrong; "": nothing */
} ReadableSample;

typedef struct ReadableReport {
    uint32_t texts, compiled, forward, with_backward, backward, failures;
    bool has_nvrtc;
    uint32_t cuda_compiled;
} ReadableReport;

typedef struct ReadableOptions {
    const char *compiler; /* of C++ */
    const Nvrtc *nvrtc;   /* NULL: nothing is compiled as CUDA */
    int arch;
    unsigned jobs;
} ReadableOptions;

/* Values must be those of the launches, and gradients those of the interpreter. The interpreter's gradients were
 * checked when the record was made and validated. False: nothing could be run, *error says why. */
bool readable_compile(ReadableSample *samples, uint32_t count, const ReadableOptions *options, ReadableReport *report,
                      GpuError *error);

#endif
