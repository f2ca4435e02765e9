/* What compiling the emitted text needs: Warp's native headers, a C++ compiler, NVRTC. All of it is found at run time,
 * so that building and generating need none of it. */
#ifndef WEFT_GPU_TOOLCHAIN_H
#define WEFT_GPU_TOOLCHAIN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct GpuError {
    char message[1000];
} GpuError;

bool gpu_fail(GpuError *error, const char *format, ...) __attribute__((format(printf, 2, 3))); /* returns false */

typedef struct Toolchain {
    char warp_include[1024]; /* the folder of builtin.h */
    char warp[32];           /* the version of Warp that the headers are of */
    char compiler[1024];     /* of C++; $CXX, or what the path has */
    char headers_hash[33];   /* of the headers' content: part of the key of whatever is kept */
} Toolchain;

/* The headers of a version of Warp: in `given`, or (NULL) where that warp-lang is installed. Headers of another version than the
 * text's are an error: they may lack what it calls, or compute something else. */
bool toolchain_find_headers(Toolchain *tools, const char *given, const char *warp, GpuError *error);
bool toolchain_find_compiler(Toolchain *tools, GpuError *error);

/* The first of a library's names that can be opened, in the folders of `cuda` (may be NULL), of the environment, and
 * where such things are usually installed. `names` ends with NULL. */
void *toolchain_open_library(const char *const *names, const char *cuda);

/* The file of an open library, and the folder that it lies in, links followed. */
bool toolchain_library_path(void *library, char *path, size_t size);
bool toolchain_library_folder(void *library, char *folder, size_t size);

typedef struct LibraryFunction {
    const char *name;
    size_t offset; /* of the pointer to it */
} LibraryFunction;
/* Sets the pointers of a struct to functions of a library; the list ends with one that has no name. Returns the name of the first
 * one that is missing, or NULL. */
const char *toolchain_load_functions(void *library, const LibraryFunction *functions, void *into);

#endif
