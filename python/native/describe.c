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

/* (prelude, forward, backward) */
static PyObject *parts_of(const WeftResult *result, size_t index, WeftDevice device)
{
    PyObject *parts = PyTuple_New(3);
    for (int part = 0; parts && part < 3; part++) {
        size_t length;
        const char *text = weft_kernel_text(result, index, device, (WeftPart)part, &length);
        PyObject *object = text_object(text, length);
        if (!object)
            Py_CLEAR(parts);
        else
            PyTuple_SetItem(parts, part, object);
    }
    return parts;
}

static PyObject *describe_kernel(const WeftResult *result, size_t index, const WeftOptions *options)
{
    const WeftKernel *kernel = weft_kernel(result, index);
    PyObject *dict = PyDict_New();
    if (!dict)
        return NULL;
    int failed = put(dict, "key", string_object(kernel->key)) || put(dict, "name", string_object(kernel->name)) ||
                 put(dict, "source", string_object(kernel->source)) ||
                 put(dict, "arg_names", strings(kernel->arg_names, kernel->arg_count)) ||
                 put(dict, "arg_types", strings(kernel->arg_types, kernel->arg_count)) ||
                 put(dict, "has_backward", PyBool_FromLong(kernel->has_backward)) ||
                 (options->cuda && put(dict, "cuda", parts_of(result, index, WEFT_CUDA))) ||
                 (options->cpu && put(dict, "cpu", parts_of(result, index, WEFT_CPU)));
    if (failed)
        Py_CLEAR(dict);
    return dict;
}

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

PyObject *describe_result(const WeftResult *result, const WeftOptions *options)
{
    size_t kernel_count = weft_kernel_count(result), error_count = weft_error_count(result);
    PyObject *kernels = PyList_New((Py_ssize_t)kernel_count), *errors = PyList_New((Py_ssize_t)error_count);
    bool failed = !kernels || !errors;
    for (size_t i = 0; !failed && i < kernel_count; i++) {
        PyObject *item = describe_kernel(result, i, options);
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
