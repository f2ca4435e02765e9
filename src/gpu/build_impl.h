/* Private to the builder. */
#ifndef WEFT_GPU_BUILD_IMPL_H
#define WEFT_GPU_BUILD_IMPL_H

#include "gpu/build.h"

/* ---- build_text.c ---- */
void build_text(Sample *const *samples, uint32_t count, const BuildOptions *options, Text *out); /* NUL-terminated */

/* ---- native.c: the system's C++ compiler ---- */

/* Compiles to a shared library at `path`. False: `log` says why. */
bool compile_cpp(const BuildOptions *options, const char *source, size_t len, const char *path, Text *log);
void describe_cpp_compiler(const BuildOptions *options, Text *out);

#endif
