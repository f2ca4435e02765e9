/* Instances of structs that Python makes: `s = Settings()`, `s.gain = 1.5`, and what wp.static(s) stands for.
 *
 * An instance is changed in place, as in Python: every name of it sees the change. A field that is not known makes the instance
 * unusable in a kernel, not the file. */
#include "front/static_impl.h"

#include <string.h>

static const Value *zero_of(Unit *unit, const Type *type)
{
    const Type *plain = type_canonical(type);
    Number zero = {.is_int = true};
    if (type_is_composite(plain)) {
        uint32_t count = plain->composite.rows * (plain->kind == TYPE_MAT ? plain->composite.cols : 1);
        Number *numbers = ARENA_ARRAY(unit->arena, Number, count);
        for (uint32_t i = 0; i < count; i++)
            numbers[i] = zero;
        return value_composite(unit->arena, plain, numbers, count);
    }
    if (plain->kind == TYPE_STRUCT)
        return make_instance(unit, plain);
    if (plain->kind == TYPE_BOOL)
        return value_bool(false);
    return type_is_scalar(plain) ? value_scalar(unit->arena, plain, zero)
                                 : value_unknown(unit->arena, "a field of a struct is not a number, vector or matrix");
}

const Value *make_instance(Unit *unit, const Type *type)
{
    const StructDecl *decl = type->decl;
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_STRUCT;
    value->instance.type = type;
    value->instance.fields = ARENA_ARRAY(unit->arena, const Value *, decl->field_count);
    for (uint32_t i = 0; i < decl->field_count; i++)
        value->instance.fields[i] = zero_of(unit, decl->fields[i].type);
    return value;
}

/* What a field has after the assignment; numbers stay as they were given. */
static const Value *field_value(Unit *unit, const Type *type, const Value *value)
{
    const Type *plain = type_canonical(type);
    Number number;
    bool is_number = value_as_number(value, true, &number);
    bool is_numpy = value->kind == VALUE_NUMPY || (value->kind == VALUE_SCALAR && value->scalar.as_single);
    if (type_is_composite(plain) && value->kind == VALUE_COMPOSITE && value->composite.type == plain)
        return value;
    if (plain->kind == TYPE_BOOL && value->kind == VALUE_BOOL)
        return value;
    if (type_is_scalar(plain) && is_number && !is_numpy && (number.is_int || type_is_float(plain)))
        return value->kind == VALUE_SCALAR ? value_scalar(unit->arena, plain, number) : value;
    return value->kind == VALUE_UNKNOWN ? value
                                        : value_unknown(unit->arena, "a field of a struct is given another type");
}

static void copy_instance(Unit *unit, const Value *to, const Value *from)
{
    const StructDecl *decl = to->instance.type->decl;
    for (uint32_t i = 0; i < decl->field_count; i++)
        if (decl->fields[i].type->kind == TYPE_STRUCT)
            copy_instance(unit, to->instance.fields[i], from->instance.fields[i]);
        else
            to->instance.fields[i] = from->instance.fields[i];
}

static void forget_fields(const Value *instance, const Value *why)
{
    const StructDecl *decl = instance->instance.type->decl;
    for (uint32_t i = 0; i < decl->field_count; i++)
        if (instance->instance.fields[i]->kind == VALUE_STRUCT)
            forget_fields(instance->instance.fields[i], why);
        else
            instance->instance.fields[i] = why;
}

void forget_instance(Unit *unit, const Value *instance)
{
    forget_fields(instance, value_unknown(unit->arena, "the struct may be changed in a way that is not followed"));
}

const Value *instance_field(const Value *instance, Name name)
{
    const StructDecl *decl = instance->instance.type->decl;
    for (uint32_t i = 0; i < decl->field_count; i++)
        if (decl->fields[i].name == name)
            return instance->instance.fields[i];
    return NULL;
}

void set_instance_field(Unit *unit, const Value *instance, Name name, const Value *value)
{
    const StructDecl *decl = instance->instance.type->decl;
    for (uint32_t i = 0; i < decl->field_count; i++) {
        if (decl->fields[i].name != name)
            continue;
        const Value *old = instance->instance.fields[i];
        if (old->kind != VALUE_STRUCT)
            instance->instance.fields[i] = field_value(unit, decl->fields[i].type, value);
        else if (value->kind == VALUE_STRUCT && value->instance.type == old->instance.type)
            copy_instance(unit, old, value);
        else
            forget_instance(unit, old);
        return;
    }
    forget_instance(unit, instance);
}

bool assign_field(Unit *unit, const Node *target, const Value *value, const Scope *scope)
{
    const Node *root = target;
    while (root->kind == NODE_ATTRIBUTE || root->kind == NODE_SUBSCRIPT)
        root = root->kind == NODE_ATTRIBUTE ? root->attribute.value : root->subscript.value;
    const Value *whole = root != target && root->kind == NODE_NAME ? scope_find(scope, root->name.id) : NULL;
    if (!whole || whole->kind != VALUE_STRUCT)
        return false;
    const Value *instance = target->kind == NODE_ATTRIBUTE ? static_eval(unit, target->attribute.value, scope) : NULL;
    if (value && instance && instance->kind == VALUE_STRUCT)
        set_instance_field(unit, instance, target->attribute.attr, value);
    else
        forget_instance(unit, whole); /* a component of a field, say */
    return true;
}

const Value *instance_trouble(const Value *instance)
{
    const StructDecl *decl = instance->instance.type->decl;
    for (uint32_t i = 0; i < decl->field_count; i++) {
        const Value *field = instance->instance.fields[i];
        const Value *trouble = field->kind == VALUE_STRUCT    ? instance_trouble(field)
                               : field->kind == VALUE_UNKNOWN ? field
                                                              : NULL;
        if (trouble)
            return trouble;
    }
    return NULL;
}
