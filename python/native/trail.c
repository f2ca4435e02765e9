/* What was read of a program's objects, to be looked at again.
 *
 * A trail is a tuple (kind, thing, names, values, kind, thing, ...): `values` is what look(kind, thing, names) gave. While all of it is
 * still so, object for object, what was found out from it holds, too. A thing that is None stands for the one that is given along, so
 * that this one can keep its trail without keeping itself alive. */
#include "native.h"

#include <stdlib.h>

enum { LOOK_ATTRIBUTES, LOOK_TRUTHS, LOOK_ITEMS, LOOK_WHOLE, LOOK_BYTES };

/* A new reference, state->missing where there is nothing; NULL: an exception that is not the program's own. */
static PyObject *found_or_missing(const NativeState *state, PyObject *found)
{
    if (found)
        return found;
    if (PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_Exception))
            return NULL;
        PyErr_Clear(); /* what a property raises is not a matter of the kernel */
    }
    Py_INCREF(state->missing);
    return state->missing;
}

static PyObject *look_at_name(const NativeState *state, long kind, PyObject *thing, PyObject *name)
{
    if (kind == LOOK_ITEMS) {
        PyObject *item = PyDict_GetItemWithError(thing, name);
        Py_XINCREF(item);
        return found_or_missing(state, item);
    }
    PyObject *value = found_or_missing(state, PyObject_GetAttr(thing, name));
    if (kind == LOOK_ATTRIBUTES || !value || value == state->missing)
        return value;
    int truth = PyObject_IsTrue(value);
    Py_DECREF(value);
    return truth < 0 ? NULL : PyBool_FromLong(truth);
}

static PyObject *look_at_names(const NativeState *state, long kind, PyObject *thing, PyObject *names)
{
    Py_ssize_t count = PyTuple_Size(names);
    PyObject *values = count < 0 ? NULL : PyTuple_New(count);
    for (Py_ssize_t i = 0; values && i < count; i++) {
        PyObject *value = look_at_name(state, kind, thing, PyTuple_GetItem(names, i));
        if (!value)
            Py_CLEAR(values);
        else
            PyTuple_SetItem(values, i, value);
    }
    return values;
}

/* (key, value, key, ...) of a dict, the elements of a list. */
static PyObject *look_at_whole(PyObject *thing)
{
    if (!PyDict_Check(thing))
        return PySequence_Tuple(thing);
    PyObject *list = PyList_New(0), *key, *value;
    Py_ssize_t at = 0;
    while (list && PyDict_Next(thing, &at, &key, &value))
        if (PyList_Append(list, key) || PyList_Append(list, value))
            Py_CLEAR(list);
    PyObject *values = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return values;
}

static PyObject *look_at_bytes(PyObject *thing)
{
    PyObject *bytes = PyObject_Bytes(thing), *values = bytes ? PyTuple_Pack(1, bytes) : NULL;
    Py_XDECREF(bytes);
    return values;
}

/* look(kind, thing, names) */
PyObject *native_look(PyObject *module, PyObject *args)
{
    long kind;
    PyObject *thing, *names;
    if (!PyArg_ParseTuple(args, "lOO:look", &kind, &thing, &names))
        return NULL;
    if (kind == LOOK_WHOLE)
        return look_at_whole(thing);
    if (kind == LOOK_BYTES)
        return look_at_bytes(thing);
    if (!PyTuple_Check(names) || (kind == LOOK_ITEMS && !PyDict_Check(thing)))
        return PyErr_Format(PyExc_TypeError, "there are no such names to look at"), NULL;
    return look_at_names(PyModule_GetState(module), kind, thing, names);
}

/* ---- again ----
 * A trail is read more often than it is made, so its objects are also in arrays; the tuple keeps them alive. */

typedef struct Step {
    long kind;
    PyObject *thing; /* NULL: the one that is given along */
    size_t first, count;
} Step;

struct Trail {
    Step *steps;
    size_t count;
    PyObject **names, **values; /* names[i] is NULL where a step has none */
};

/* How many values the steps have; -1: the tuple is not a trail. */
static Py_ssize_t count_values(PyObject *tuple, Py_ssize_t size)
{
    Py_ssize_t count = 0;
    for (Py_ssize_t at = 0; at + 4 <= size; at += 4) {
        PyObject *names = PyTuple_GetItem(tuple, at + 2), *values = PyTuple_GetItem(tuple, at + 3);
        if (!PyTuple_Check(values) || (PyTuple_Check(names) && PyTuple_Size(names) != PyTuple_Size(values)))
            return PyErr_Format(PyExc_ValueError, "this is not a trail"), -1;
        count += PyTuple_Size(values);
    }
    return count;
}

static void read_step(Trail *trail, PyObject *tuple, Py_ssize_t at, size_t first)
{
    PyObject *thing = PyTuple_GetItem(tuple, at + 1), *names = PyTuple_GetItem(tuple, at + 2),
             *values = PyTuple_GetItem(tuple, at + 3);
    size_t count = (size_t)PyTuple_Size(values);
    trail->steps[trail->count++] =
        (Step){PyLong_AsLong(PyTuple_GetItem(tuple, at)), thing == Py_None ? NULL : thing, first, count};
    for (size_t i = 0; i < count; i++) {
        trail->names[first + i] = PyTuple_Check(names) ? PyTuple_GetItem(names, (Py_ssize_t)i) : NULL;
        trail->values[first + i] = PyTuple_GetItem(values, (Py_ssize_t)i);
    }
}

Trail *trail_new(PyObject *tuple)
{
    Py_ssize_t size = PyTuple_Size(tuple), count = size < 0 ? -1 : count_values(tuple, size);
    if (count < 0)
        return NULL;
    size_t steps = (size_t)size / 4;
    Trail *trail = malloc(sizeof *trail + steps * sizeof(Step) + 2 * (size_t)count * sizeof(PyObject *));
    if (!trail)
        return PyErr_NoMemory(), NULL;
    trail->steps = (Step *)(trail + 1);
    trail->count = 0;
    trail->names = (PyObject **)(trail->steps + steps);
    trail->values = trail->names + count;
    for (size_t i = 0, first = 0; i < steps; first += trail->steps[i++].count)
        read_step(trail, tuple, (Py_ssize_t)(4 * i), first);
    if (!PyErr_Occurred())
        return trail;
    free(trail);
    return NULL;
}

/* 1: it is still so, 0: it is not, -1: an exception is set. */
static int names_hold(const NativeState *state, long kind, PyObject *thing, PyObject *const *names,
                      PyObject *const *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        PyObject *value = look_at_name(state, kind, thing, names[i]);
        if (!value)
            return -1;
        Py_DECREF(value); /* the trail has it, if it is the same */
        if (value != values[i])
            return 0;
    }
    return 1;
}

static int whole_holds(PyObject *thing, PyObject *const *values, size_t count)
{
    PyObject *key, *value;
    size_t i = 0;
    if (PyDict_Check(thing)) {
        for (Py_ssize_t at = 0; PyDict_Next(thing, &at, &key, &value); i += 2)
            if (i + 2 > count || values[i] != key || values[i + 1] != value)
                return 0;
        return i == count;
    }
    Py_ssize_t size = PyList_Size(thing);
    if (size < 0 || (size_t)size != count)
        return size < 0 ? -1 : 0;
    for (; i < count; i++)
        if (PyList_GetItem(thing, (Py_ssize_t)i) != values[i])
            return 0;
    return 1;
}

static int bytes_hold(PyObject *thing, PyObject *const *values)
{
    PyObject *now = PyObject_Bytes(thing);
    int same = now ? PyObject_RichCompareBool(now, values[0], Py_EQ) : -1;
    Py_XDECREF(now);
    return same;
}

int trail_holds(const NativeState *state, const Trail *trail, PyObject *given)
{
    int same = 1;
    for (size_t i = 0; same > 0 && i < trail->count; i++) {
        const Step *step = &trail->steps[i];
        PyObject *thing = step->thing ? step->thing : given, **values = trail->values + step->first;
        same = step->kind == LOOK_WHOLE ? whole_holds(thing, values, step->count)
               : step->kind == LOOK_BYTES
                   ? bytes_hold(thing, values)
                   : names_hold(state, step->kind, thing, trail->names + step->first, values, step->count);
    }
    return same;
}
