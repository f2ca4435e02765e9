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

static Value *new_object(Unit *unit, const Value *cls)
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

/* An object that does not change may refer to others that do. */
static void forget_fields(Unit *unit, const Value *object)
{
    const Scope *fields = object->class_object.scope;
    for (uint32_t i = 0; i < fields->count; i++) {
        const Value *value = fields->bindings[i].value;
        if (value->kind == VALUE_PYTHON_FUNC)
            lose_call(unit, value->python, LOST_NUMBERS);
        else if (value->kind == VALUE_DICT)
            dict_forget(value, "a dict may be changed by a call or statement that is not followed");
        else if (value->kind == VALUE_STRUCT)
            forget_instance(unit, value);
        else
            forget_object(unit, value);
    }
}

void forget_object(Unit *unit, const Value *object)
{
    Value *own = object->kind == VALUE_CLASS ? object->class_object.changeable : NULL;
    if (!own && object->kind == VALUE_CLASS && object->class_object.is_object)
        forget_fields(unit, object);
    if (!own)
        return;
    for (uint32_t i = 0; i < own->class_object.scope->count; i++)
        own->class_object.scope->bindings[i].value =
            value_unknown(unit->arena, "objects of class '%s' are not followed", own->class_object.name->text);
    own->class_object.base = NULL; /* what a class has may be hidden by what the object has by now */
    own->class_object.derived = true;
}

/* Has the class one of the methods that change what its constructor or its attributes are? */
static bool has_special_methods(Unit *unit, const Value *cls)
{
    static const char *const names[] = {"__new__", "__getattr__", "__getattribute__", "__setattr__", "__post_init__"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (find_member(unit, cls, names[i]))
            return true;
    return false;
}

/* The value of a field of a dataclass: it is given, or has a default. NULL: neither. A list may change in many ways. */
static const Value *field_value(Unit *unit, const Value *cls, const Args *args, uint32_t position, const Node *field)
{
    Name name = field->ann_assign.target->name.id;
    const Value *value = given_argument(args, position, name->text);
    if (!value && field->ann_assign.value)
        value = scope_find_here(cls->class_object.scope, name);
    return value && value->kind == VALUE_LIST ? value_unknown(unit->arena, "a list of an object is not followed")
                                              : value;
}

/* An object of a dataclass. NULL: its fields are not told. */
static const Value *new_record(Unit *unit, const Value *cls, const Args *args)
{
    const NodeList *body = &cls->class_object.dataclass->class_def.body;
    Value *object = new_object(unit, cls);
    uint32_t count = 0, named = 0;
    for (uint32_t i = 0; i < body->count; i++) {
        const Node *field = body->items[i];
        if (field->kind != NODE_ANN_ASSIGN)
            continue;
        const Value *value =
            field->ann_assign.target->kind == NODE_NAME ? field_value(unit, cls, args, count, field) : NULL;
        if (!value || scope_find_here(object->class_object.scope, field->ann_assign.target->name.id))
            return NULL;
        named +=
            count++ >= args->count && given_argument(args, LIMIT_LOAD_ARGS, field->ann_assign.target->name.id->text);
        scope_bind(unit, object->class_object.scope, field->ann_assign.target->name.id, value);
    }
    if (cls->class_object.is_frozen)
        object->class_object.changeable = NULL;
    return args->count <= count && named == args->named_count ? object : NULL;
}

const Value *construct_object(Unit *unit, const Value *cls, Args *args, const PythonFunc **ran)
{
    const Value *init = find_member(unit, cls, "__init__");
    const Value *given[LIMIT_LOAD_ARGS + 1];
    *ran = NULL;
    if (cls->class_object.is_object || cls->class_object.derived || has_special_methods(unit, cls))
        return NULL;
    if (!init && cls->class_object.dataclass)
        return new_record(unit, cls, args);
    if (!init || init->kind != VALUE_PYTHON_FUNC || cls->class_object.dataclass || args->count == LIMIT_LOAD_ARGS)
        return NULL;
    const Value *object = given[0] = new_object(unit, cls);
    memcpy(given + 1, args->positional, args->count * sizeof *given);
    const Value *result =
        call_python(unit, init->python, given, args->count + 1, args->names, args->named, args->named_count);
    if (result->kind == VALUE_NONE)
        *ran = init->python;
    else
        forget_object(unit, object);
    return object;
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
