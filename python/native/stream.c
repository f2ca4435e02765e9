/* Streams of records. A handle is a capsule around a Handle; it is used by one thread at a time (weft/_data.py has a lock). */
#include "native.h"

#include "base/choice.h"
#include "corpus/arrow.h"

#include <sys/syscall.h>
#include <unistd.h>

static const char handle_name[] = "weft.stream", arrow_name[] = "arrow_array_stream";

typedef struct Handle {
    RecordStream *stream; /* NULL: somebody else has it */
} Handle;

static void free_handle(PyObject *capsule)
{
    Handle *handle = PyCapsule_GetPointer(capsule, handle_name);
    Py_BEGIN_ALLOW_THREADS stream_free(handle->stream);
    Py_END_ALLOW_THREADS PyMem_Free(handle);
}

static PyObject *fail(const CorpusError *error)
{
    PyObject *text = PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message), "surrogateescape");
    if (text) /* names of files need not be UTF-8 */
        PyErr_SetObject(PyExc_ValueError, text);
    Py_XDECREF(text);
    return NULL;
}

/* Takes the stream over. */
static PyObject *new_handle(RecordStream *stream)
{
    Handle *handle = PyMem_Malloc(sizeof *handle);
    PyObject *capsule = NULL;
    if (handle) {
        handle->stream = stream;
        capsule = PyCapsule_New(handle, handle_name, free_handle);
    } else
        PyErr_NoMemory();
    if (!capsule) {
        stream_free(stream);
        PyMem_Free(handle);
    }
    return capsule;
}

static Handle *handle_of(PyObject *capsule)
{
    Handle *handle = PyCapsule_GetPointer(capsule, handle_name);
    if (handle && !handle->stream) {
        PyErr_SetString(PyExc_ValueError, "the records of this stream went to whoever took it as an Arrow stream");
        return NULL;
    }
    if (handle && stream_is_foreign(handle->stream)) {
        PyErr_SetString(PyExc_RuntimeError, STREAM_IS_FOREIGN);
        return NULL;
    }
    return handle;
}

/* Which of the words; -1: none, and an exception is set. */
static int read_word(const char *what, const char *words, const char *word)
{
    int found = choice_find(words, word);
    if (found < 0)
        PyErr_Format(PyExc_ValueError, "%s is one of %s, not '%s'", what, words, word);
    return found;
}

static bool read_weights(const char *text, CategoryWeights *weights)
{
    const char *wrong = text ? category_weights_read(weights, text) : NULL;
    if (!wrong)
        return true;
    Text names;
    text_init(&names);
    for (int i = 0; i < CATEGORY_COUNT; i++)
        text_format(&names, i ? ", %s" : "%s", category_name((CategoryId)i));
    PyErr_Format(PyExc_ValueError,
                 "categories: there is no category '%.100s', or it has no weight from 1 on; there are %s", wrong,
                 text_cstr(&names));
    text_free(&names);
    return false;
}

PyObject *native_stream_invent(PyObject *module, PyObject *args)
{
    (void)module;
    CorpusOptions options = corpus_default_options();
    CorpusError error = {""};
    const char *categories, *device, *gradients, *dedup, *warp, *hidden;
    unsigned long long count, seed;
    int backward, readable, verify, device_found, gradients_found, dedup_found;
    unsigned jobs;
    if (!PyArg_ParseTuple(args, "KKzsss(ppp)Iz(II)Iz:stream_invent", &count, &seed, &categories, &device, &gradients,
                          &dedup, &backward, &readable, &verify, &options.launches, &hidden, &options.piece,
                          &options.piece_count, &jobs, &warp) ||
        (device_found = read_word("device", DEVICE_WORDS, device)) < 0 ||
        (gradients_found = read_word("gradients", GRADIENT_RULE_WORDS, gradients)) < 0 ||
        (dedup_found = read_word("dedup", DEDUP_RULE_WORDS, dedup)) < 0 || !read_weights(categories, &options.weights))
        return NULL;
    Secret key;
    if (hidden && !secret_open(hidden, true, &key, error.message, sizeof error.message))
        return fail(&error);
    if (hidden)
        corpus_hide_launches(&options, &key);
    options.warp = weft_find_warp(warp);
    if (!options.warp)
        return PyErr_Format(PyExc_ValueError, "weft does not write the text of Warp %s", warp);
    options.count = count;
    options.seed = seed;
    options.device = (unsigned)device_found + 1;
    options.gradients = (GradientRule)gradients_found;
    options.dedup = (DedupRule)dedup_found;
    options.backward = backward;
    options.readable = readable;
    options.verify = verify;
    RecordStream *stream = PyErr_Occurred() ? NULL : stream_of_invented(&options, jobs, &error);
    return stream ? new_handle(stream) : PyErr_Occurred() ? NULL : fail(&error);
}

PyObject *native_stream_read(PyObject *module, PyObject *args)
{
    (void)module;
    CorpusError error = {""};
    const char *dir;
    int split, details;
    if (!PyArg_ParseTuple(args, "yip:stream_read", &dir, &split, &details))
        return NULL;
    RecordStream *stream = stream_of_set(dir, split, &error);
    if (stream && !details)
        stream_slim(stream);
    return stream ? new_handle(stream) : fail(&error);
}

PyObject *native_stream_next(PyObject *module, PyObject *capsule)
{
    (void)module;
    Handle *handle = handle_of(capsule);
    const char *line = NULL;
    size_t len = 0;
    CorpusError error = {""};
    StreamNext next = STREAM_LATER;
    while (handle && next == STREAM_LATER) {
        Py_BEGIN_ALLOW_THREADS next = stream_next(handle->stream, 0.1, &line, &len, &error);
        Py_END_ALLOW_THREADS if (PyErr_CheckSignals()) return NULL;
    }
    if (!handle)
        return NULL;
    switch (next) {
    case STREAM_RECORD: return PyBytes_FromStringAndSize(line, (Py_ssize_t)len);
    case STREAM_FAILED: return fail(&error);
    default: Py_RETURN_NONE;
    }
}

PyObject *native_stream_place(PyObject *module, PyObject *capsule)
{
    (void)module;
    Handle *handle = handle_of(capsule);
    CorpusError error = {""};
    Text place;
    if (!handle)
        return NULL;
    text_init(&place);
    PyObject *bytes = stream_place(handle->stream, &place, &error)
                          ? PyBytes_FromStringAndSize(place.data, (Py_ssize_t)place.len)
                          : fail(&error);
    text_free(&place);
    return bytes;
}

PyObject *native_stream_go_to(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    const char *place;
    Py_ssize_t len;
    CorpusError error = {""};
    if (!PyArg_ParseTuple(args, "Oy#:stream_go_to", &capsule, &place, &len))
        return NULL;
    Handle *handle = handle_of(capsule);
    if (!handle)
        return NULL;
    if (!stream_go_to(handle->stream, place, (size_t)len, &error))
        return fail(&error);
    Py_RETURN_NONE;
}

static void free_arrow(PyObject *capsule)
{
    struct ArrowArrayStream *arrow = PyCapsule_GetPointer(capsule, arrow_name);
    if (arrow->release) { /* nobody took it */
        Py_BEGIN_ALLOW_THREADS arrow->release(arrow);
        Py_END_ALLOW_THREADS
    }
    PyMem_Free(arrow);
}

/* Did somebody press Ctrl-C? Only the main thread hears of signals. Another thread must not wait for the GIL here: whoever has it may be
 * waiting for that thread. */
static bool is_interrupted(void)
{
    if (getpid() != syscall(SYS_gettid))
        return false;
    PyGILState_STATE gil = PyGILState_Ensure();
    bool yes = PyErr_CheckSignals() < 0;
    if (yes) { /* the reader has an error of its own to raise; this is raised behind it */
        PyErr_Clear();
        PyErr_SetInterrupt();
    }
    PyGILState_Release(gil);
    return yes;
}

PyObject *native_stream_arrow(PyObject *module, PyObject *capsule)
{
    (void)module;
    Handle *handle = handle_of(capsule);
    if (!handle)
        return NULL;
    struct ArrowArrayStream *arrow = PyMem_Malloc(sizeof *arrow);
    if (!arrow || !arrow_stream(handle->stream, is_interrupted, arrow)) {
        PyMem_Free(arrow);
        return PyErr_NoMemory();
    }
    handle->stream = NULL;
    PyObject *given = PyCapsule_New(arrow, arrow_name, free_arrow);
    if (!given) {
        arrow->release(arrow);
        PyMem_Free(arrow);
    }
    return given;
}
