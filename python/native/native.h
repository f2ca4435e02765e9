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

/* What a compilation gave, as ([kernel, ...], [refusal, ...]), each a dict, a kernel's as weft.extract_ir returns it; NULL: an exception is set. */
PyObject *describe_result(const NativeState *state, const WeftResult *result, const WeftOptions *options,
                          const char *warp);
PyObject *result_keys(void); /* NativeState.keys */

/* A list of objects, copied into the arena; NULL: a Python exception is set. */
World *read_world(Arena *arena, PyObject *list, uint32_t kernel);

/* The same, kept for as long as a program has the handle. */
PyObject *native_keep_world(PyObject *module, PyObject *args); /* keep_world(objects, kernel) */
const World *kept_world(PyObject *handle);

/* ---- what was read of objects (trail.c) ---- */
PyObject *native_look(PyObject *module, PyObject *args);
PyObject *native_holds(PyObject *module, PyObject *args);

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
