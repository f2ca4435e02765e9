/* The objects of a running program, as weft/_live.py describes them, become a World.
 *
 * An object is a tuple (kind, text, key, native, type, names, definition); names are a tuple (name, number, name, number, ...), a
 * definition is a dict. All texts are copied: they are read while the GIL is released. */
#include "native.h"

#include <stdlib.h>

typedef struct Reader {
    Arena *arena;
    bool failed; /* a Python exception is set */
} Reader;

/* A copy of a str or bytes; NULL: None, or a failure. */
static const char *read_text(Reader *r, PyObject *object, size_t *length)
{
    *length = 0;
    if (r->failed || !object || object == Py_None)
        return NULL;
    PyObject *bytes = PyUnicode_Check(object) ? PyUnicode_AsEncodedString(object, "utf-8", "surrogateescape")
                                              : PyObject_Bytes(object);
    char *data;
    Py_ssize_t size;
    if (!bytes || PyBytes_AsStringAndSize(bytes, &data, &size) < 0) {
        Py_XDECREF(bytes);
        r->failed = true;
        return NULL;
    }
    const char *copy = arena_strndup(r->arena, data, (size_t)size);
    *length = (size_t)size;
    Py_DECREF(bytes);
    return copy;
}

static const char *read_string(Reader *r, PyObject *object)
{
    size_t length;
    return read_text(r, object, &length);
}

/* WORLD_NOTHING for None. */
static uint32_t read_number(Reader *r, PyObject *object)
{
    if (r->failed || !object || object == Py_None)
        return WORLD_NOTHING;
    unsigned long number = PyLong_AsUnsignedLong(object);
    if (PyErr_Occurred())
        r->failed = true;
    return number < WORLD_NOTHING ? (uint32_t)number : WORLD_NOTHING;
}

static PyObject *item_of(Reader *r, PyObject *tuple, Py_ssize_t index)
{
    PyObject *item = r->failed ? NULL : PyTuple_GetItem(tuple, index);
    r->failed |= !item;
    return item;
}

static Py_ssize_t size_of(Reader *r, PyObject *tuple)
{
    Py_ssize_t size = r->failed || !tuple || tuple == Py_None ? 0 : PyTuple_Size(tuple);
    r->failed |= size < 0;
    return size < 0 ? 0 : size;
}

static WorldNames read_names(Reader *r, PyObject *tuple)
{
    Py_ssize_t count = size_of(r, tuple) / 2;
    WorldName *items = ARENA_ARRAY(r->arena, WorldName, count);
    for (Py_ssize_t i = 0; i < count && !r->failed; i++) {
        items[i].name = read_string(r, item_of(r, tuple, 2 * i));
        items[i].object = read_number(r, item_of(r, tuple, 2 * i + 1));
        if (!r->failed && !items[i].name) {
            PyErr_SetString(PyExc_ValueError, "a name of the world is missing");
            r->failed = true;
        }
    }
    return (WorldNames){items, (uint32_t)count};
}

static WorldList read_list(Reader *r, PyObject *tuple)
{
    Py_ssize_t count = size_of(r, tuple);
    uint32_t *items = ARENA_ARRAY(r->arena, uint32_t, count);
    for (Py_ssize_t i = 0; i < count && !r->failed; i++)
        items[i] = read_number(r, item_of(r, tuple, i));
    return (WorldList){items, (uint32_t)count};
}

static bool read_flag(PyObject *dict, const char *name)
{
    PyObject *value = PyDict_GetItemString(dict, name);
    return value && PyObject_IsTrue(value) > 0;
}

static ModuleOptions read_module(Reader *r, PyObject *dict)
{
    ModuleOptions options = {0};
    options.enable_backward = read_flag(dict, "module_backward");
    options.default_grid_stride = read_flag(dict, "grid_stride");
    options.strip_hash = read_flag(dict, "strip_hash");
    options.component_overwrites = read_flag(dict, "component_overwrites");
    options.built_first = read_flag(dict, "built_first");
    options.max_unroll = (int64_t)read_number(r, PyDict_GetItemString(dict, "max_unroll"));
    options.unsupported = read_string(r, PyDict_GetItemString(dict, "unsupported"));
    return options;
}

static const WorldDefinition *read_definition(Reader *r, PyObject *dict)
{
    if (r->failed || !dict || dict == Py_None)
        return NULL;
    WorldDefinition *d = ARENA_NEW(r->arena, WorldDefinition);
    d->path = read_string(r, PyDict_GetItemString(dict, "path"));
    d->line = read_number(r, PyDict_GetItemString(dict, "line"));
    d->closure = read_names(r, PyDict_GetItemString(dict, "closure"));
    d->globals = read_names(r, PyDict_GetItemString(dict, "globals"));
    d->statics = read_names(r, PyDict_GetItemString(dict, "statics"));
    d->defaults = read_names(r, PyDict_GetItemString(dict, "defaults"));
    d->attributes = read_names(r, PyDict_GetItemString(dict, "attributes"));
    d->options = read_names(r, PyDict_GetItemString(dict, "options"));
    d->option_text = read_string(r, PyDict_GetItemString(dict, "option_text"));
    d->returns = read_number(r, PyDict_GetItemString(dict, "returns"));
    d->written = read_string(r, PyDict_GetItemString(dict, "written"));
    d->refused = read_string(r, PyDict_GetItemString(dict, "refused"));
    d->snippet = read_string(r, PyDict_GetItemString(dict, "snippet"));
    d->adj_snippet = read_string(r, PyDict_GetItemString(dict, "adj_snippet"));
    d->replay_snippet = read_string(r, PyDict_GetItemString(dict, "replay_snippet"));
    d->overloads = read_list(r, PyDict_GetItemString(dict, "overloads"));
    d->custom_grad = read_number(r, PyDict_GetItemString(dict, "custom_grad"));
    d->custom_replay = read_number(r, PyDict_GetItemString(dict, "custom_replay"));
    d->inlining = read_flag(dict, "forceinline") ? INLINE_ALWAYS
                  : read_flag(dict, "noinline")  ? INLINE_NEVER
                                                 : INLINE_UNSAID;
    d->skip_forward = read_flag(dict, "skip_forward");
    d->skip_reverse = read_flag(dict, "skip_reverse");
    d->custom_reverse = read_flag(dict, "custom_reverse");
    d->custom_reverse_inputs = read_number(r, PyDict_GetItemString(dict, "custom_reverse_inputs"));
    d->used_by_backward = read_flag(dict, "used_by_backward");
    d->force_adjoint = read_flag(dict, "force_adjoint");
    d->uses_grad = read_flag(dict, "uses_grad");
    d->module = read_module(r, dict);
    return d;
}

static void read_object(Reader *r, PyObject *tuple, WorldObject *out)
{
    out->kind = (WorldKind)read_number(r, item_of(r, tuple, 0));
    out->text = read_text(r, item_of(r, tuple, 1), &out->length);
    out->key = read_string(r, item_of(r, tuple, 2));
    out->native = read_string(r, item_of(r, tuple, 3));
    out->type = read_number(r, item_of(r, tuple, 4));
    out->names = read_names(r, item_of(r, tuple, 5));
    out->definition = read_definition(r, item_of(r, tuple, 6));
    bool needs_text = out->kind == WORLD_EXPRESSION || out->kind >= WORLD_FUNCTION;
    bool needs_key = out->kind != WORLD_EXPRESSION && out->kind != WORLD_INSTANCE && out->kind != WORLD_UNKNOWN;
    bool needs_native = out->kind == WORLD_STRUCT || out->kind == WORLD_FUNCTION;
    bool is_definition = out->kind == WORLD_FUNCTION || out->kind == WORLD_KERNEL;
    bool lacks = (needs_text && !out->text) || (needs_key && !out->key) || (needs_native && !out->native) ||
                 (is_definition && (!out->definition || !out->definition->path)) || out->kind > WORLD_UNKNOWN;
    if (!r->failed && lacks) {
        PyErr_SetString(PyExc_ValueError, "an object of the world lacks a part");
        r->failed = true;
    }
}

World *read_world(Arena *arena, PyObject *list, uint32_t kernel)
{
    jmp_buf failure;
    Reader r = {.arena = arena};
    arena->on_failure = &failure;
    if (setjmp(failure)) {
        arena->on_failure = NULL;
        PyErr_NoMemory();
        return NULL;
    }
    Py_ssize_t count = PyList_Size(list);
    World *world = ARENA_NEW(arena, World);
    WorldObject *objects = ARENA_ARRAY(arena, WorldObject, count > 0 ? count : 0);
    for (Py_ssize_t i = 0; i < count && !r.failed; i++)
        read_object(&r, PyList_GetItem(list, i), &objects[i]);
    arena->on_failure = NULL;
    *world = (World){objects, (uint32_t)count, kernel};
    if (!r.failed && count >= 0 && (kernel >= (uint32_t)count || objects[kernel].kind != WORLD_KERNEL)) {
        PyErr_SetString(PyExc_ValueError, "the kernel is not an object of the world");
        r.failed = true;
    }
    return r.failed || count < 0 ? NULL : world;
}

/* ---- worlds that are kept ---- */

static const char HANDLE[] = "weft.world";

typedef struct KeptWorld {
    Arena arena; /* what did not fit into `room` */
    const World *world;
    char *room;
    Trail *trail;
} KeptWorld;

static void free_kept(KeptWorld *kept)
{
    arena_free(&kept->arena);
    free(kept->room);
    free(kept->trail);
    free(kept);
}

static void forget_world(PyObject *handle)
{
    free_kept(PyCapsule_GetPointer(handle, HANDLE));
}

/* Reads a world into a room of its own, of so many bytes, and gives back what is left of it. */
static bool read_into_room(KeptWorld *kept, size_t size, PyObject *list, uint32_t kernel)
{
    char *room = malloc(size);
    if (!room)
        return PyErr_NoMemory(), false;
    kept->room = room;
    kept->arena.next = room;
    kept->arena.end = room + size;
    kept->world = read_world(&kept->arena, list, kernel);
    if (!kept->world || kept->arena.blocks)
        return kept->world != NULL;
    size_t used = (size_t)(kept->arena.next - room);
    char *smaller = used < size ? realloc(room, used) : room;
    if (!smaller || smaller == room)
        return true;
    kept->room = smaller; /* it was moved, which the pointers in it do not know */
    kept->arena.next = smaller;
    kept->arena.end = smaller + used;
    kept->world = read_world(&kept->arena, list, kernel);
    return kept->world != NULL;
}

static bool keep_parts(KeptWorld *kept, PyObject *list, uint32_t kernel, PyObject *trail)
{
    enum { ROOM = 64 * 1024 };
    if (trail != Py_None)
        kept->trail = trail_new(trail);
    return (kept->trail || trail == Py_None) && read_into_room(kept, ROOM, list, kernel);
}

PyObject *native_keep_world(PyObject *module, PyObject *args)
{
    PyObject *list, *trail;
    unsigned kernel;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!IO:keep_world", &PyList_Type, &list, &kernel, &trail))
        return NULL;
    KeptWorld *kept = calloc(1, sizeof *kept);
    if (!kept)
        return PyErr_NoMemory();
    arena_init(&kept->arena);
    PyObject *handle = keep_parts(kept, list, kernel, trail) ? PyCapsule_New(kept, HANDLE, forget_world) : NULL;
    if (!handle)
        free_kept(kept);
    return handle;
}

const World *kept_world(PyObject *handle)
{
    const KeptWorld *kept = PyCapsule_GetPointer(handle, HANDLE);
    return kept ? kept->world : NULL;
}

const Trail *kept_trail(PyObject *handle)
{
    const KeptWorld *kept = PyCapsule_GetPointer(handle, HANDLE);
    return kept ? kept->trail : NULL;
}
