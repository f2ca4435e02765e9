/* What a compilation gives, as Python objects, made from the texts where the compiler has them.
 *
 * The compiler runs with the GIL released; `compiled` and `refused` are called by it and take the GIL for as long as they make objects.
 * What they need of the compiler's memory they take before: where there is none, control leaves the compiler without coming back. */
#include "native.h"

#include "front/excerpt.h"
#include "ir/tile_shared.h"

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
    KEY_SHARED_BYTES,
    KEY_WARP_VERSION,
    KEY_WEFT_VERSION,
    WORD_CUDA, /* values, not keys */
    WORD_CPU,
    WORD_BOTH,
    WORD_WEFT_VERSION,
    KEY_COUNT,
} ResultKey;

PyObject *result_keys(void)
{
    const char *const names[KEY_COUNT] = {
        "kernel_name",  "full_name",    "python_source", "cuda_prelude", "cuda_forward",  "cuda_backward",
        "cuda_module",  "cpp_prelude",  "cpp_forward",   "cpp_backward", "cpp_module",    "metadata",
        "device",       "arg_names",    "arg_types",     "has_backward", "forward_lines", "backward_lines",
        "shared_bytes", "warp_version", "weft_version",  "cuda",         "cpu",           "both",
        weft_version()};
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

/* What the compiler's memory has of a kernel. */
typedef struct Described {
    const Compiled *compiled;
    const Kernel *kernel;
    const char *source;
    size_t source_length;
    const char **arg_types;
} Described;

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

static PyObject *word(const NativeState *state, int number)
{
    PyObject *object = PyTuple_GetItem(state->keys, number);
    Py_XINCREF(object);
    return object;
}

/* The texts of one device, and all of them together; those that do not exist are left out. */
static void set_texts(Result *r, const EmitText *text, int first)
{
    const Text *const parts[] = {&text->prelude, &text->forward, &text->backward};
    PyObject *all = NULL;
    for (int part = 0; part < 3 && !r->failed; part++) {
        if (!parts[part]->len && part != WEFT_FORWARD)
            continue;
        PyObject *object = text_object(parts[part]->data, parts[part]->len);
        PyObject *longer = all && object ? PyUnicode_Concat(all, object) : object;
        if (!all)
            Py_XINCREF(longer);
        Py_XDECREF(all);
        all = longer;
        r->failed |= !all;
        set(r, first + part, object);
    }
    set(r, first + 3, all);
}

static PyObject *line_count(const Text *text)
{
    size_t lines = 0;
    const char *at = text->data, *end = at + text->len;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        lines++;
        at++;
    }
    return PyLong_FromSize_t(lines);
}

static void set_arguments(Result *r, const Described *d)
{
    uint32_t count = d->kernel->code.param_count;
    PyObject *names = PyList_New(count), *types = PyDict_New();
    for (uint32_t i = 0; names && types && i < count && !r->failed; i++) {
        Name name = d->kernel->code.params[i].name;
        PyObject *key = text_object(name->text, name->len), *type = string_object(d->arg_types[i]);
        r->failed |= !key || !type || PyDict_SetItem(types, key, type) < 0;
        Py_XDECREF(type);
        if (key)
            PyList_SetItem(names, i, key);
    }
    set(r, KEY_ARG_NAMES, names);
    set(r, KEY_ARG_TYPES, types);
}

/* Of a block, by its tiles: [forward, backward]. */
static PyObject *describe_shared(const IrModule *module)
{
    SharedBytes bytes = ir_shared_bytes(module);
    const uint64_t both[] = {bytes.forward, bytes.backward};
    PyObject *list = PyList_New(2);
    for (int i = 0; list && i < 2; i++) {
        PyObject *number = PyLong_FromUnsignedLongLong(both[i]);
        if (!number)
            Py_CLEAR(list);
        else
            PyList_SetItem(list, i, number);
    }
    return list;
}

static PyObject *describe_metadata(const Compilation *c, const Described *d)
{
    const WeftOptions *options = c->options;
    const EmitText *text = &d->compiled->texts[options->cuda ? DEVICE_CUDA : DEVICE_CPU];
    Result r = {.state = c->state, .dict = PyDict_New()};
    set(&r, KEY_DEVICE, word(c->state, !options->cpu ? WORD_CUDA : !options->cuda ? WORD_CPU : WORD_BOTH));
    set_arguments(&r, d);
    set(&r, KEY_HAS_BACKWARD, PyBool_FromLong(d->compiled->has_backward));
    set(&r, KEY_FORWARD_LINES, line_count(&text->forward));
    set(&r, KEY_BACKWARD_LINES, line_count(&text->backward));
    if (d->compiled->module->uses_tiles)
        set(&r, KEY_SHARED_BYTES, describe_shared(d->compiled->module));
    set(&r, KEY_WARP_VERSION, PyUnicode_InternFromString(c->warp));
    set(&r, KEY_WEFT_VERSION, word(c->state, WORD_WEFT_VERSION));
    if (r.failed)
        Py_CLEAR(r.dict);
    return r.dict;
}

static PyObject *describe_kernel(const Compilation *c, const Described *d)
{
    Result r = {.state = c->state, .dict = PyDict_New()};
    Name key = d->kernel->key;
    set(&r, KEY_KERNEL_NAME, text_object(key->text, key->len));
    set(&r, KEY_FULL_NAME, string_object(d->compiled->module->name));
    set(&r, KEY_PYTHON_SOURCE, text_object(d->source, d->source_length));
    if (c->options->cuda)
        set_texts(&r, &d->compiled->texts[DEVICE_CUDA], KEY_CUDA_PRELUDE);
    if (c->options->cpu)
        set_texts(&r, &d->compiled->texts[DEVICE_CPU], KEY_CPP_PRELUDE);
    set(&r, KEY_METADATA, describe_metadata(c, d));
    if (r.failed)
        Py_CLEAR(r.dict);
    return r.dict;
}

/* Adds to a list what the last call made, which may be NULL after a failure. */
static void append(Compilation *c, PyObject *list, PyObject *item)
{
    c->failed |= !item || PyList_Append(list, item) < 0;
    Py_XDECREF(item);
}

/* Where the text of the definition is: in the program's own words, or cut out of the file with what it needs. */
static void find_source(const Compilation *c, Described *d)
{
    const Code *code = &d->kernel->code;
    Unit *unit = d->compiled->unit;
    d->source = code->written ? code->written : code->source;
    d->source_length = code->written ? strlen(code->written) : code->source_len;
    if (code->written || c->told)
        return;
    unit->scratch.len = 0;
    excerpt(unit, code->def, &unit->scratch);
    d->source_length = unit->scratch.len;
    d->source = arena_strndup(unit->arena, unit->scratch.data, unit->scratch.len);
}

static void find_arg_types(Described *d)
{
    const Code *code = &d->kernel->code;
    Unit *unit = d->compiled->unit;
    d->arg_types = ARENA_ARRAY(unit->arena, const char *, code->param_count);
    for (uint32_t i = 0; i < code->param_count; i++) {
        unit->scratch.len = 0;
        type_repr(type_canonical(code->params[i].type), &unit->scratch);
        d->arg_types[i] = arena_strndup(unit->arena, unit->scratch.data, unit->scratch.len);
    }
}

static bool compiled(const Compiled *kernel, void *user)
{
    Compilation *c = user;
    Described d = {.compiled = kernel, .kernel = kernel->module->kernel->kernel};
    find_source(c, &d);
    find_arg_types(&d);
    PyEval_RestoreThread(c->thread);
    append(c, c->kernels, describe_kernel(c, &d));
    c->thread = PyEval_SaveThread();
    return !c->failed;
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

static void refused(const WeftError *error, void *user)
{
    Compilation *c = user;
    const char *wanted = c->options->kernel;
    if (c->failed || (wanted && error->kernel && strcmp(error->kernel, wanted) != 0))
        return;
    PyEval_RestoreThread(c->thread);
    append(c, c->errors, describe_error(error));
    c->thread = PyEval_SaveThread();
}

PyObject *describe_compilation(Weft *weft, const Source *source, const World *world, Compilation *c)
{
    const PipelineOptions options = {
        .weft = *c->options, .cpu_block_dim = c->cpu_block_dim, .cpu_blocks = c->cpu_blocks};
    const PipelineVisitor visitor = {.compiled = compiled, .refused = refused, .user = c};
    c->warp = weft_warp_version(weft);
    c->told = world != NULL;
    c->kernels = PyList_New(0);
    c->errors = PyList_New(0);
    c->failed = !c->kernels || !c->errors;
    if (!c->failed) {
        c->thread = PyEval_SaveThread();
        bool done = world ? pipeline_visit_world(weft, world, &options, &visitor)
                          : pipeline_compile(weft, source, &options, &visitor);
        PyEval_RestoreThread(c->thread);
        if (!done && !c->failed)
            PyErr_NoMemory();
        c->failed |= !done || PyErr_CheckSignals();
    }
    PyObject *pair = c->failed ? NULL : PyTuple_Pack(2, c->kernels, c->errors);
    Py_XDECREF(c->kernels);
    Py_XDECREF(c->errors);
    return pair;
}
