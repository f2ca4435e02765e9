/* What was read of a program's objects, to be looked at again.
 *
 * A trail is a tuple (kind, thing, names, values, kind, thing, ...): `values` is what look(kind, thing, names) gave. While all of it is
 * still so, object for object, what was found out from it holds, too. A thing that is None stands for the one that is given along, so
 * that this one can keep its trail without keeping itself alive. */
#include "native.h"

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

/* ---- again ---- 1: it is still so, 0: it is not, -1: an exception is set. */

static int names_hold(const NativeState *state, long kind, PyObject *thing, PyObject *names, PyObject *values)
{
    Py_ssize_t count = PyTuple_Size(names);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *value = look_at_name(state, kind, thing, PyTuple_GetItem(names, i));
        if (!value)
            return -1;
        Py_DECREF(value); /* the trail has it, if it is the same */
        if (value != PyTuple_GetItem(values, i))
            return 0;
    }
    return 1;
}

static int whole_holds(PyObject *thing, PyObject *values)
{
    Py_ssize_t count = PyTuple_Size(values), at = 0, i = 0;
    PyObject *key, *value;
    if (PyDict_Check(thing)) {
        for (; PyDict_Next(thing, &at, &key, &value); i += 2)
            if (i + 2 > count || PyTuple_GetItem(values, i) != key || PyTuple_GetItem(values, i + 1) != value)
                return 0;
        return i == count;
    }
    if (PyList_Size(thing) != count)
        return PyErr_Occurred() ? -1 : 0;
    for (; i < count; i++)
        if (PyList_GetItem(thing, i) != PyTuple_GetItem(values, i))
            return 0;
    return 1;
}

static int bytes_hold(PyObject *thing, PyObject *values)
{
    PyObject *now = PyObject_Bytes(thing);
    int same = now ? PyObject_RichCompareBool(now, PyTuple_GetItem(values, 0), Py_EQ) : -1;
    Py_XDECREF(now);
    return same;
}

static int step_holds(const NativeState *state, PyObject *trail, Py_ssize_t at, PyObject *given)
{
    long kind = PyLong_AsLong(PyTuple_GetItem(trail, at));
    PyObject *thing = PyTuple_GetItem(trail, at + 1), *names = PyTuple_GetItem(trail, at + 2),
             *values = PyTuple_GetItem(trail, at + 3);
    thing = thing == Py_None ? given : thing;
    return kind == LOOK_WHOLE   ? whole_holds(thing, values)
           : kind == LOOK_BYTES ? bytes_hold(thing, values)
                                : names_hold(state, kind, thing, names, values);
}

/* holds(trail, given) */
PyObject *native_holds(PyObject *module, PyObject *args)
{
    PyObject *trail, *given;
    if (!PyArg_ParseTuple(args, "O!O:holds", &PyTuple_Type, &trail, &given))
        return NULL;
    const NativeState *state = PyModule_GetState(module);
    int same = 1;
    for (Py_ssize_t at = 0; same > 0 && at + 4 <= PyTuple_Size(trail); at += 4)
        same = step_holds(state, trail, at, given);
    return same < 0 ? NULL : PyBool_FromLong(same);
}
