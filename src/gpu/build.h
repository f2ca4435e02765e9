/* Samples to machine code: hundreds of kernels per module, since reading Warp's headers takes longer than a kernel; modules
 * in parallel, and kept by content. A module that does not compile is halved until the culprit stands alone. */
#ifndef WEFT_GPU_BUILD_H
#define WEFT_GPU_BUILD_H

#include "base/watch.h"
#include "gpu/nvrtc.h"
#include "gpu/ptx.h"

typedef enum BuildTarget { BUILD_CPP, BUILD_CUDA, BUILD_TARGET_COUNT } BuildTarget;

/* The text of one kernel; NULL where there is none. */
typedef struct SampleText {
    const char *preamble, *prelude, *forward, *backward;
} SampleText;

typedef struct Sample {
    const char *id, *category;
    const char *source; /* a complete file */
    const char *name;   /* the kernel's full name: what its symbols begin with */
    const char *launch; /* JSON; NULL: by default */
    uint32_t block_dim; /* threads of a block, of a kernel with tiles; 0: it has none */
    const char *warp;   /* the version of Warp that the text is of; one for all samples that are built together */
    SampleText text[BUILD_TARGET_COUNT];
    const char *readable, *launches; /* of a record: cuda_readable, launches as JSON; NULL: none */
    /* What became of it: */
    int32_t module[BUILD_TARGET_COUNT]; /* -1: not built */
    char *refusal[BUILD_TARGET_COUNT];  /* what the compiler said about it alone; to be freed */
    PtxStats ptx[2];                    /* forward, backward; of PTX only */
} Sample;

typedef struct BuildOptions {
    BuildTarget target;
    const Toolchain *tools;
    const Nvrtc *nvrtc; /* for CUDA */
    int arch;
    bool image; /* CUDA: for that card; otherwise PTX */
    bool no_fma;
    unsigned optimize; /* C++: 0 to 3 */
    bool like_gpu;     /* C++: fused operations, and entry points that run the last thread first */
    bool slices;       /* C++: also an entry point that runs a part of the launch */
    unsigned jobs;
    uint32_t per_module; /* 0: as many as give every thread something to do */
    const char *cache;   /* a folder; NULL: nothing is kept */
    Watch watch;
} BuildOptions;

typedef struct BuiltModule {
    void *library; /* C++: opened */
    char *image;   /* CUDA: image or PTX, with a NUL behind it */
    size_t image_size;
} BuiltModule;

typedef struct Build {
    BuildTarget target;
    BuiltModule *modules;
    uint32_t module_count;
    size_t module_cap;
    uint32_t refused;    /* samples that do not compile */
    uint32_t from_cache; /* modules that were at hand */
} Build;

/* The version that all of the samples are of; NULL: *error says why there is none. */
const char *samples_version(const Sample *samples, uint32_t count, GpuError *error);

/* False: nothing could be compiled at all (no memory, no room on the disk). Samples without text are passed over. */
bool build_samples(Sample *samples, uint32_t count, const BuildOptions *options, Build *build, GpuError *error);
/* The same for CUDA, compiled in a child process: this one may then fork others that use the card. */
bool build_samples_apart(Sample *samples, uint32_t count, const BuildOptions *options, Build *build, GpuError *error);
void build_free(Build *build);

/* The address of a C++ sample's function, "forward" or "backward"; "slice", "reversed_forward" and
 * "reversed_backward": see BuildOptions. */
void *build_symbol(const Build *build, const Sample *sample, const char *which);

/* What Warp's own library has and its headers only declare, as C++ text. */
const char *build_runtime(void);

/* Where the first error stands in what a compiler said; one line of it is enough for most people. */
const char *build_first_error(const char *refusal);

/* The full name of the kernel that a text defines; its length goes to *len. NULL: none. */
const char *build_kernel_name(const char *forward, BuildTarget target, size_t *len);

#endif
