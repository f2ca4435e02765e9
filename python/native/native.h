/* weft._native: the compiler as CPython sees it.
 *
 * Only what Python cannot do is here; names, defaults and exceptions are in the package's Python files. Everything that belongs to
 * the interpreter is made and read with the GIL held; it is released while a text is compiled. */
#ifndef WEFT_PYTHON_NATIVE_H
#define WEFT_PYTHON_NATIVE_H

#include <Python.h>

#include "pipeline.h"

/* Contexts that no call uses at the moment, to be used again: making one takes longer than compiling a kernel. */
typedef struct ContextPool {
    Weft **free;
    size_t count, room;
} ContextPool;

/* What the module keeps; the GIL guards it. */
typedef struct NativeState {
    ContextPool pool;
    PyObject *missing; /* stands for no value */
    PyObject *keys;    /* of results: a tuple of str, in the order of ResultKey */
} NativeState;

/* One for this version of Warp (NULL: the newest); NULL: a Python exception is set. */
Weft *pool_take(ContextPool *pool, const char *warp);
void pool_give_back(ContextPool *pool, Weft *weft);
void pool_free(ContextPool *pool);

/* A compilation for Python; the caller says `state` and `options`. */
typedef struct Compilation {
    const NativeState *state;
    const WeftOptions *options;
    uint32_t cpu_block_dim; /* see PipelineOptions */
    bool cpu_blocks;
    const char *warp;
    bool told;                  /* by a running program: the definition is all the text there is */
    PyThreadState *thread;      /* while the GIL is released */
    PyObject *kernels, *errors; /* lists */
    bool failed;                /* an exception is set */
} Compilation;

/* Compiles a text, or the kernel of a world if there is one, with the GIL released: ([kernel, ...], [refusal, ...]), each a dict, a
 * kernel's as weft.extract_ir returns it; NULL: an exception is set. */
PyObject *describe_compilation(Weft *weft, const Source *source, const World *world, Compilation *compilation);
PyObject *result_keys(void); /* NativeState.keys */

/* A list of objects, copied into the arena; NULL: a Python exception is set. */
World *read_world(Arena *arena, PyObject *list, uint32_t kernel);

/* ---- what was read of objects (trail.c) ---- */
typedef struct Trail Trail;
PyObject *native_look(PyObject *module, PyObject *args);
/* Reads a tuple that lives longer; free() ends it. NULL: a Python exception is set. */
Trail *trail_new(PyObject *tuple);
int trail_holds(const NativeState *state, const Trail *trail, PyObject *given); /* -1: an exception is set */

/* A world that is kept for as long as a program has the handle, with the trail of what it was read from, if there is one. */
PyObject *native_keep_world(PyObject *module, PyObject *args); /* keep_world(objects, kernel, trail) */
const World *kept_world(PyObject *handle);
const Trail *kept_trail(PyObject *handle); /* NULL: there is none */

/* check(objects, kernel, arguments, dim, threads, seed): what both evaluators find out, as a dict; a str says why they cannot run it. */
PyObject *check_world(Weft *weft, PyObject *args);

/* ---- streams of records (stream.c) ----
 * A handle is what stream_invent and stream_read give; it is used by one thread at a time. */
PyObject *native_stream_invent(PyObject *module, PyObject *args);
PyObject *native_stream_read(PyObject *module, PyObject *args);
PyObject *native_stream_next(PyObject *module, PyObject *handle); /* bytes; None: the end */
PyObject *native_stream_place(PyObject *module, PyObject *handle);
PyObject *native_stream_go_to(PyObject *module, PyObject *args);
PyObject *native_stream_arrow(PyObject *module, PyObject *handle);

#endif
