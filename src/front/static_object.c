/* Classes of the project that are called: `DISPATCH = Dispatcher(kernel, names)`.
 *
 * Their __init__ runs, since it may make kernels and overloads and change what it is given. The object does not outlive it: what its methods
 * do later is not followed, so that they may do anything (lost.c). */
#include "front/static_impl.h"

#include <string.h>

static const Value *find_member(Unit *unit, const Value *cls, const char *name)
{
    const Value *member = NULL;
    for (const Value *at = cls; at && !member; at = at->class_object.base)
        member = scope_find_here(at->class_object.scope, name_of(unit->names, name, (uint32_t)strlen(name)));
    return member;
}

static const Value *new_object(Unit *unit, const Value *cls)
{
    Value *object = ARENA_NEW(unit->arena, Value);
    object->kind = VALUE_CLASS;
    object->class_object.name = cls->class_object.name;
    object->class_object.scope = scope_new(unit, cls->class_object.scope, "");
    object->class_object.base = cls;
    object->class_object.is_object = true;
    object->class_object.changeable = object;
    return object;
}

void forget_object(Unit *unit, const Value *object)
{
    Value *own = object->kind == VALUE_CLASS ? object->class_object.changeable : NULL;
    if (!own)
        return;
    for (uint32_t i = 0; i < own->class_object.scope->count; i++)
        own->class_object.scope->bindings[i].value =
            value_unknown(unit->arena, "objects of class '%s' are not followed", own->class_object.name->text);
    own->class_object.base = NULL; /* what a class has may be hidden by what the object has by now */
    own->class_object.derived = true;
}

const PythonFunc *run_constructor(Unit *unit, const Value *cls, Args *args)
{
    const Value *init = find_member(unit, cls, "__init__");
    const Value *given[LIMIT_LOAD_ARGS + 1];
    if (cls->class_object.is_object || cls->class_object.derived || find_member(unit, cls, "__new__") || !init ||
        init->kind != VALUE_PYTHON_FUNC || args->count == LIMIT_LOAD_ARGS)
        return NULL;
    const Value *object = given[0] = new_object(unit, cls);
    memcpy(given + 1, args->positional, args->count * sizeof *given);
    const Value *result =
        call_python(unit, init->python, given, args->count + 1, args->names, args->named, args->named_count);
    forget_object(unit, object);
    return result->kind == VALUE_NONE ? init->python : NULL;
}

void lose_methods(Unit *unit, const Value *cls, const PythonFunc *but)
{
    for (const Value *at = cls; at; at = at->class_object.base)
        for (uint32_t i = 0; i < at->class_object.scope->count; i++) {
            const Value *member = at->class_object.scope->bindings[i].value;
            if (member->kind == VALUE_PYTHON_FUNC && member->python != but)
                lose_call(unit, member->python, LOST_ALL);
        }
}
