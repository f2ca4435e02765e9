/* NVRTC, opened at run time: CUDA text in, PTX or a device image out. Serves any number of threads. */
#ifndef WEFT_GPU_NVRTC_H
#define WEFT_GPU_NVRTC_H

#include "base/text.h"
#include "gpu/toolchain.h"

typedef struct Nvrtc Nvrtc;

Nvrtc *nvrtc_open(const char *cuda, GpuError *error); /* NULL: it is not there, and *error says where it may be */
void nvrtc_close(Nvrtc *nvrtc);
int nvrtc_version(const Nvrtc *nvrtc);                            /* 1000 * major + 10 * minor */
bool nvrtc_folder(const Nvrtc *nvrtc, char *folder, size_t size); /* where the library lies */

/* Kernels by the names that the text gives them; what the image calls them comes back. */
typedef struct NvrtcNames {
    const char *wanted[2]; /* "": none */
    char found[2][4096];
} NvrtcNames;

typedef struct NvrtcOptions {
    const char *warp_include;
    int arch;   /* 90: sm_90 */
    bool image; /* a CUBIN for that card instead of PTX */
    bool no_fma;
    bool
        plain; /* CUDA of people: not what Warp defines and assumes, and the usual headers, which have nothing in them */
    NvrtcNames *names; /* NULL: the text's own, which are extern "C" */
} NvrtcOptions;

/* What makes one compilation different from another of the same text; for keys. */
void nvrtc_describe(const Nvrtc *nvrtc, const NvrtcOptions *options, Text *out);

/* False: `log` has what the compiler says. */
bool nvrtc_compile(const Nvrtc *nvrtc, const char *source, const NvrtcOptions *options, Text *out, Text *log);

#endif
