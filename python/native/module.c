#include "native.h"
#include "standalone/standalone.h"

static NativeState *state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

static ContextPool *pool_of(PyObject *module)
{
    return &state_of(module)->pool;
}

/* A text, or the kernel of a world. */
static PyObject *compile(PyObject *module, const Source *source, const World *world, Compilation *compilation,
                         const char *warp)
{
    NativeState *state = state_of(module);
    Weft *weft = pool_take(&state->pool, warp);
    if (!weft)
        return NULL;
    compilation->state = state;
    PyObject *pair = describe_compilation(weft, source, world, compilation);
    pool_give_back(&state->pool, weft);
    return pair;
}

PyDoc_STRVAR(compile_doc,
             "compile(source, path, kernel, cuda, cpu, backward, warp)\n--\n\n"
             "Compile the kernels of a source text, given as bytes; ([kernel, ...], [refusal, ...]), each a dict.");

static PyObject *native_compile(PyObject *module, PyObject *args)
{
    const char *text, *path, *warp;
    Py_ssize_t length;
    int cuda, cpu, backward;
    WeftOptions options = weft_default_options();
    if (!PyArg_ParseTuple(args, "y#szpppz:compile", &text, &length, &path, &options.kernel, &cuda, &cpu, &backward,
                          &warp))
        return NULL;
    options.cuda = cuda;
    options.cpu = cpu;
    options.backward = backward;
    Compilation compilation = {.options = &options};
    return compile(module, &(Source){path, text, (size_t)length}, NULL, &compilation, warp);
}

PyDoc_STRVAR(compile_kept_doc,
             "compile_kept((trail, world, warp), given, cuda, cpu, backward, block_dim, cpu_blocks)\n--\n\n"
             "Compile one kernel of a running program, given by what keep_world gave, if what was looked at for it is "
             "still so; else None. A given None is not looked at. block_dim: threads of a block, on either device (0: "
             "the usual); cpu_blocks: entry points of the CPU are for blocks of several threads.");

static PyObject *native_compile_kept(PyObject *module, PyObject *args)
{
    PyObject *kept, *given;
    int cuda, cpu, backward, cpu_blocks;
    unsigned block_dim;
    WeftOptions options = weft_default_options();
    if (!PyArg_ParseTuple(args, "O!OpppIp:compile_kept", &PyTuple_Type, &kept, &given, &cuda, &cpu, &backward,
                          &block_dim, &cpu_blocks))
        return NULL;
    PyObject *tuple, *handle;
    const char *warp;
    if (!PyArg_ParseTuple(kept, "OOs:compile_kept", &tuple, &handle, &warp))
        return NULL;
    const World *world = kept_world(handle);
    if (!world)
        return NULL;
    const Trail *trail = given == Py_None ? NULL : kept_trail(handle);
    int same = trail ? trail_holds(state_of(module), trail, given) : given == Py_None;
    if (same < 0)
        return NULL;
    if (!same)
        Py_RETURN_NONE;
    options.cuda = cuda;
    options.cpu = cpu;
    options.backward = backward;
    options.block_dim = block_dim;
    Compilation compilation = {.options = &options, .cpu_block_dim = block_dim, .cpu_blocks = cpu_blocks};
    return compile(module, NULL, world, &compilation, warp);
}

PyDoc_STRVAR(check_doc,
             "check(warp, (objects, kernel, arguments, dim, threads, seed))\n--\n\n"
             "Run one kernel of a running program on its own data, with both evaluators: a dict, or a str that says "
             "why not.");

static PyObject *native_check(PyObject *module, PyObject *args)
{
    const char *warp;
    PyObject *rest;
    if (!PyArg_ParseTuple(args, "zO!:check", &warp, &PyTuple_Type, &rest))
        return NULL;
    Weft *weft = pool_take(pool_of(module), warp);
    if (!weft)
        return NULL;
    PyObject *answer = check_world(weft, rest);
    pool_give_back(pool_of(module), weft);
    return answer;
}

PyDoc_STRVAR(preamble_doc, "preamble(cuda, block_dim, warp)\n--\n\n"
                           "What a module needs before it to compile against Warp's headers.");

static PyObject *native_preamble(PyObject *module, PyObject *args)
{
    int cuda;
    unsigned block_dim;
    const char *warp;
    if (!PyArg_ParseTuple(args, "pIz:preamble", &cuda, &block_dim, &warp))
        return NULL;
    Weft *weft = pool_take(pool_of(module), warp);
    if (!weft)
        return NULL;
    PyObject *text = PyUnicode_FromString(weft_preamble(weft, cuda ? WEFT_CUDA : WEFT_CPU, block_dim));
    pool_give_back(pool_of(module), weft);
    return text;
}

PyDoc_STRVAR(find_warp_doc,
             "find_warp(version)\n--\n\n"
             "The full number of a version of Warp, or of the newest (None); None: weft does not write its text.");

static PyObject *native_find_warp(PyObject *module, PyObject *args)
{
    (void)module;
    const char *version, *found;
    if (!PyArg_ParseTuple(args, "z:find_warp", &version))
        return NULL;
    found = weft_find_warp(version);
    if (!found)
        Py_RETURN_NONE;
    return PyUnicode_FromString(found);
}

static PyMethodDef methods[] = {
    {"compile", native_compile, METH_VARARGS, compile_doc},
    {"compile_kept", native_compile_kept, METH_VARARGS, compile_kept_doc},
    {"keep_world", native_keep_world, METH_VARARGS,
     "keep_world(objects, kernel, trail)\n--\n\nObjects as weft._live describes them, for compile_kept. A trail is "
     "(kind, thing, names, values, ...), or None."},
    {"look", native_look, METH_VARARGS,
     "look(kind, thing, names)\n--\n\nWhat an object has, as a tuple; MISSING where it has nothing."},
    {"check", native_check, METH_VARARGS, check_doc},
    {"preamble", native_preamble, METH_VARARGS, preamble_doc},
    {"stream_invent", native_stream_invent, METH_VARARGS,
     "stream_invent(count, seed, categories, device, gradients, dedup, (backward, readable, "
     "verify), launches, hidden_key, (piece, pieces), jobs, warp)\n--\n\n"
     "A stream of invented records; count 0: without an end."},
    {"stream_read", native_stream_read, METH_VARARGS,
     "stream_read(folder, split, details)\n--\n\nThe records of a data set; split -1: all."},
    {"stream_next", native_stream_next, METH_O,
     "stream_next(stream)\n--\n\nThe next record as a line of JSON; None: the end."},
    {"stream_place", native_stream_place, METH_O,
     "stream_place(stream)\n--\n\nWhere a stream of invented records is, as bytes."},
    {"stream_go_to", native_stream_go_to, METH_VARARGS,
     "stream_go_to(stream, place)\n--\n\nBrings a new stream to a place."},
    {"stream_arrow", native_stream_arrow, METH_O,
     "stream_arrow(stream)\n--\n\nThe rest of it as a capsule \"arrow_array_stream\"."},
    {"find_warp", native_find_warp, METH_VARARGS, find_warp_doc},
    {0}};

static PyObject *version_tuple(void)
{
    Py_ssize_t count = 0;
    while (weft_warp_at((size_t)count))
        count++;
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple && i < count; i++)
        if (PyTuple_SetItem(tuple, i, PyUnicode_FromString(weft_warp_at((size_t)i))))
            Py_CLEAR(tuple);
    return tuple;
}

static int native_exec(PyObject *module)
{
    NativeState *state = state_of(module);
    state->missing = PyObject_CallObject((PyObject *)&PyBaseObject_Type, NULL);
    state->keys = result_keys();
    if (!state->missing || !state->keys)
        return -1;
    Py_INCREF(state->missing);
    if (PyModule_AddObject(module, "MISSING", state->missing)) {
        Py_DECREF(state->missing);
        return -1;
    }
    PyObject *versions = version_tuple();
    if (!versions || PyModule_AddObject(module, "WARP_VERSIONS", versions)) {
        Py_XDECREF(versions);
        return -1;
    }
    return PyModule_AddStringConstant(module, "CUDA_HEADER", standalone_header()) ||
                   PyModule_AddStringConstant(module, "VERSION", weft_version())
               ? -1
               : 0;
}

static void native_free(void *module)
{
    NativeState *state = state_of(module);
    if (!state) /* it was never executed */
        return;
    pool_free(&state->pool);
    Py_CLEAR(state->missing);
    Py_CLEAR(state->keys);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)native_exec}, {0}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "weft._native",
    .m_doc = "The compiler. Use the functions of the package weft instead.",
    .m_size = sizeof(NativeState),
    .m_methods = methods,
    .m_slots = slots,
    .m_free = native_free,
};

PyMODINIT_FUNC PyInit__native(void);

PyMODINIT_FUNC PyInit__native(void)
{
    return PyModuleDef_Init(&definition);
}
