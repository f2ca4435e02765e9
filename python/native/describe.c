/* Results as Python objects. */
#include "native.h"

#include <string.h>

/* Takes over `value`, which may be NULL after a failure. */
static int put(PyObject *dict, const char *key, PyObject *value)
{
    int failed = value ? PyDict_SetItemString(dict, key, value) : -1;
    Py_XDECREF(value);
    return failed;
}

/* Source texts may hold bytes that are not UTF-8; they come back as they went in. */
static PyObject *text_object(const char *text, size_t length)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "surrogateescape");
}

static PyObject *string_object(const char *text)
{
    return text ? text_object(text, strlen(text)) : (Py_INCREF(Py_None), Py_None);
}

static PyObject *strings(const char *const *items, size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *item = string_object(items[i]);
        if (!item)
            Py_CLEAR(list);
        else
            PyList_SetItem(list, (Py_ssize_t)i, item);
    }
    return list;
}

/* ---- kernels, as weft.extract_ir returns them ---- */

typedef enum ResultKey {
    KEY_KERNEL_NAME,
    KEY_FULL_NAME,
    KEY_PYTHON_SOURCE,
    KEY_CUDA_PRELUDE, /* prelude, forward, backward, module of each device */
    KEY_CPP_PRELUDE = KEY_CUDA_PRELUDE + 4,
    KEY_METADATA = KEY_CPP_PRELUDE + 4,
    KEY_DEVICE,
    KEY_ARG_NAMES,
    KEY_ARG_TYPES,
    KEY_HAS_BACKWARD,
    KEY_FORWARD_LINES,
    KEY_BACKWARD_LINES,
    KEY_WARP_VERSION,
    KEY_WEFT_VERSION,
    KEY_COUNT,
} ResultKey;

PyObject *result_keys(void)
{
    static const char *const names[KEY_COUNT] = {"kernel_name",   "full_name",      "python_source", "cuda_prelude",
                                                 "cuda_forward",  "cuda_backward",  "cuda_module",   "cpp_prelude",
                                                 "cpp_forward",   "cpp_backward",   "cpp_module",    "metadata",
                                                 "device",        "arg_names",      "arg_types",     "has_backward",
                                                 "forward_lines", "backward_lines", "warp_version",  "weft_version"};
    PyObject *keys = PyTuple_New(KEY_COUNT);
    for (int i = 0; keys && i < KEY_COUNT; i++) {
        PyObject *key = PyUnicode_InternFromString(names[i]);
        if (!key)
            Py_CLEAR(keys);
        else
            PyTuple_SetItem(keys, i, key);
    }
    return keys;
}

/* A dict in the making. */
typedef struct Result {
    const NativeState *state;
    PyObject *dict;
    bool failed;
} Result;

/* Takes over `value`, which may be NULL after a failure. */
static void set(Result *r, int key, PyObject *value)
{
    r->failed |= !value || !r->dict || PyDict_SetItem(r->dict, PyTuple_GetItem(r->state->keys, key), value) < 0;
    Py_XDECREF(value);
}

/* The texts of one device, and all of them together; those that do not exist are left out. */
static void set_texts(Result *r, const WeftResult *result, size_t index, WeftDevice device)
{
    int first = device == WEFT_CUDA ? KEY_CUDA_PRELUDE : KEY_CPP_PRELUDE;
    PyObject *all = NULL;
    for (int part = 0; part < 3 && !r->failed; part++) {
        size_t length;
        const char *text = weft_kernel_text(result, index, device, (WeftPart)part, &length);
        if (!length && part != WEFT_FORWARD)
            continue;
        PyObject *object = text_object(text, length), *longer = all && object ? PyUnicode_Concat(all, object) : object;
        if (!all)
            Py_XINCREF(longer);
        Py_XDECREF(all);
        all = longer;
        r->failed |= !all;
        set(r, first + part, object);
    }
    set(r, first + 3, all);
}

static PyObject *line_count(const WeftResult *result, size_t index, WeftDevice device, WeftPart part)
{
    size_t length, lines = 0;
    const char *text = weft_kernel_text(result, index, device, part, &length);
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    return PyLong_FromSize_t(lines);
}

static PyObject *types_by_name(const WeftKernel *kernel)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < kernel->arg_count; i++)
        if (put(dict, kernel->arg_names[i], string_object(kernel->arg_types[i])))
            Py_CLEAR(dict);
    return dict;
}

static PyObject *describe_metadata(const NativeState *state, const WeftResult *result, size_t index,
                                   const WeftOptions *options, const char *warp)
{
    const WeftKernel *kernel = weft_kernel(result, index);
    WeftDevice device = options->cuda ? WEFT_CUDA : WEFT_CPU;
    Result r = {.state = state, .dict = PyDict_New()};
    set(&r, KEY_DEVICE, PyUnicode_InternFromString(!options->cpu ? "cuda" : !options->cuda ? "cpu" : "both"));
    set(&r, KEY_ARG_NAMES, strings(kernel->arg_names, kernel->arg_count));
    set(&r, KEY_ARG_TYPES, types_by_name(kernel));
    set(&r, KEY_HAS_BACKWARD, PyBool_FromLong(kernel->has_backward));
    set(&r, KEY_FORWARD_LINES, line_count(result, index, device, WEFT_FORWARD));
    set(&r, KEY_BACKWARD_LINES, line_count(result, index, device, WEFT_BACKWARD));
    set(&r, KEY_WARP_VERSION, PyUnicode_InternFromString(warp));
    set(&r, KEY_WEFT_VERSION, PyUnicode_InternFromString(weft_version()));
    if (r.failed)
        Py_CLEAR(r.dict);
    return r.dict;
}

static PyObject *describe_kernel(const NativeState *state, const WeftResult *result, size_t index,
                                 const WeftOptions *options, const char *warp)
{
    const WeftKernel *kernel = weft_kernel(result, index);
    Result r = {.state = state, .dict = PyDict_New()};
    set(&r, KEY_KERNEL_NAME, string_object(kernel->key));
    set(&r, KEY_FULL_NAME, string_object(kernel->name));
    set(&r, KEY_PYTHON_SOURCE, string_object(kernel->source));
    if (options->cuda)
        set_texts(&r, result, index, WEFT_CUDA);
    if (options->cpu)
        set_texts(&r, result, index, WEFT_CPU);
    set(&r, KEY_METADATA, describe_metadata(state, result, index, options, warp));
    if (r.failed)
        Py_CLEAR(r.dict);
    return r.dict;
}

/* ---- refusals ---- */

static PyObject *describe_error(const WeftError *error)
{
    PyObject *dict = PyDict_New();
    if (!dict)
        return NULL;
    int failed =
        put(dict, "kernel", string_object(error->kernel)) ||
        put(dict, "unsupported", PyBool_FromLong(error->unsupported)) ||
        put(dict, "path", string_object(error->path)) || put(dict, "message", string_object(error->message)) ||
        put(dict, "hint", string_object(error->hint)) || put(dict, "line", PyLong_FromUnsignedLong(error->line)) ||
        put(dict, "column", PyLong_FromUnsignedLong(error->column)) || put(dict, "shown", string_object(error->shown));
    if (failed)
        Py_CLEAR(dict);
    return dict;
}

PyObject *describe_result(const NativeState *state, const WeftResult *result, const WeftOptions *options,
                          const char *warp)
{
    size_t kernel_count = weft_kernel_count(result), error_count = weft_error_count(result);
    PyObject *kernels = PyList_New((Py_ssize_t)kernel_count), *errors = PyList_New((Py_ssize_t)error_count);
    bool failed = !kernels || !errors;
    for (size_t i = 0; !failed && i < kernel_count; i++) {
        PyObject *item = describe_kernel(state, result, i, options, warp);
        failed = !item || PyList_SetItem(kernels, (Py_ssize_t)i, item);
    }
    for (size_t i = 0; !failed && i < error_count; i++) {
        PyObject *item = describe_error(weft_error(result, i));
        failed = !item || PyList_SetItem(errors, (Py_ssize_t)i, item);
    }
    PyObject *pair = failed ? NULL : PyTuple_Pack(2, kernels, errors);
    Py_XDECREF(kernels);
    Py_XDECREF(errors);
    return pair;
}
