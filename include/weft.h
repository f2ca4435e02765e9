/* weft: kernels written in the Python language of NVIDIA Warp, compiled to the CUDA and C++ that Warp writes.
 *
 *     Weft *weft = weft_new(NULL);
 *     WeftResult *result = weft_compile(weft, "kernels.py", text, length, NULL);
 *     for (size_t i = 0; i < weft_kernel_count(result); i++)
 *         puts(weft_kernel_text(result, i, WEFT_CUDA, WEFT_FORWARD, NULL));
 *     weft_result_free(result);
 *     weft_free(weft);
 *
 * A Weft serves one thread at a time; make one for each thread. Nothing here prints, exits, or runs the source. */
#ifndef WEFT_H
#define WEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* all that a library shows */
#endif

typedef struct Weft Weft;             /* tables that are built once */
typedef struct WeftResult WeftResult; /* what came out of one source text */

enum { WEFT_BLOCK_DIM = 256 }; /* Warp's own default */
typedef enum WeftDevice { WEFT_CUDA, WEFT_CPU } WeftDevice;
/* Prelude (structs, functions), forward, backward: in this order they are the module. */
typedef enum WeftPart { WEFT_PRELUDE, WEFT_FORWARD, WEFT_BACKWARD } WeftPart;

/* Other files that a source text may import: read when they are first asked for, once. It serves one thread at a time. */
typedef struct WeftFiles WeftFiles;
/* The text of a file, of absolute path; it must live as long as the WeftFiles. NULL: there is no such file, or,
 * with `*length` not 0 (it is 0 before), one that is not read: no regular file, too large, or elsewhere by a link. */
typedef const char *WeftReadFile(void *user, const char *path, size_t *length);

typedef struct WeftOptions {
    const char *kernel; /* only this one, by key or by full name, or several: "a,b"; NULL: all */
    bool cuda, cpu;     /* which texts to make */
    bool backward;
    bool source; /* also the excerpt of the source that each kernel needs */
    bool dump_ast, dump_ir;
    bool lines;          /* also which lines of the texts come from which line of the source */
    WeftFiles *files;    /* what may be imported, by the path of the source text; NULL: nothing */
    size_t memory_limit; /* bytes for one source text; 0: the default of 1 GiB */
    uint32_t block_dim;  /* threads of a block of a GPU, for tiles; 0: WEFT_BLOCK_DIM */
    uint32_t arch;       /* 90 for sm_90: tiles use code of the vendor's library for it, on a GPU; 0: they do without */
    /* Gets each kernel as soon as it is compiled, alone in a result that is good until this returns; what weft_compile returns then
     * has the errors alone. NULL: kernels are collected. */
    void (*each)(const WeftResult *one, void *user);
    void *user;
} WeftOptions;

WeftOptions weft_default_options(void); /* all kernels, both devices, backward */

const char *weft_version(void); /* "0.1.0" */

/* The versions of Warp whose text weft writes: the full number of "1.19" or "1.19.0", or of the default (NULL), the newest. NULL: not one of them. */
const char *weft_find_warp(const char *version);
const char *weft_warp_at(size_t index); /* all of them, oldest first; NULL: no more */

Weft *weft_new(const char *warp); /* a version of Warp, as above. NULL: out of memory, or no such version */
void weft_free(Weft *weft);
const char *weft_warp_version(const Weft *weft); /* "1.19.0" */

/* `folder`: what relative paths begin at. NULL: out of memory. */
WeftFiles *weft_files_new(const char *folder, WeftReadFile *read, void *user);
bool weft_files_add(WeftFiles *files, const char *folder); /* to look for packages in; false: out of memory */
void weft_files_free(WeftFiles *files);

/* Compiles every kernel of a source text. `path` is used in messages, and with options->files to find what it imports. NULL: out of memory. Results are
 * independent of each other, and of the source text once this returns. */
WeftResult *weft_compile(Weft *weft, const char *path, const char *source, size_t length, const WeftOptions *options);
void weft_result_free(WeftResult *result);

/* ---- kernels, in the order of the file ---- */

typedef struct WeftKernel {
    const char *key;    /* as in the source */
    const char *name;   /* with Warp's hash */
    const char *source; /* the definition, and what it uses from its file */
    bool has_backward;
    size_t arg_count;
    const char *const *arg_names;
    const char *const *arg_types;
    size_t offset; /* of the definition in the source text */
    bool uses_tiles;
    size_t shared_bytes[2]; /* of a block, by its tiles: forward, backward */
} WeftKernel;

size_t weft_kernel_count(const WeftResult *result);
const WeftKernel *weft_kernel(const WeftResult *result, size_t index);
/* NUL-terminated; empty where that text was not asked for or does not exist. */
const char *weft_kernel_text(const WeftResult *result, size_t index, WeftDevice device, WeftPart part, size_t *length);
/* Lines of a text that come from a line of the source, both counted from 1. */
typedef struct WeftLines {
    WeftPart part;
    unsigned source_line, first_line, last_line;
} WeftLines;
/* If they were asked for: text by text and line by line. A line of the source may be there several times. */
const WeftLines *weft_kernel_lines(const WeftResult *result, size_t index, WeftDevice device, size_t *count);
/* The readable form of the region tree, if it was asked for. */
const char *weft_kernel_dump(const WeftResult *result, size_t index);
const char *weft_ast_dump(const WeftResult *result);

/* ---- what was refused ---- */

typedef struct WeftError {
    const char *kernel; /* key, or NULL for the file as a whole */
    bool unsupported;   /* weft cannot do it; otherwise the source is wrong, and Warp refuses it, too */
    const char *message;
    const char *hint; /* or NULL */
    unsigned line, column;
    const char *shown; /* file:line:col: error: …, the line, a caret, the hint */
    const char *path;  /* the file that it is about */
} WeftError;

size_t weft_error_count(const WeftResult *result);
const WeftError *weft_error(const WeftResult *result, size_t index);

/* What a module needs before it to compile against Warp's headers. `block_dim`: threads of a block of a GPU; 0: WEFT_BLOCK_DIM. The text
 * is the Weft's, until it is used again; empty when memory runs out. */
const char *weft_preamble(Weft *weft, WeftDevice device, uint32_t block_dim);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
