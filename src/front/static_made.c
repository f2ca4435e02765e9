/* What kind of object an expression gives that only a running program has: an array, a tape, a mesh. Nothing is evaluated: the
 * expression was, and its value is not known. */
#include "front/static_impl.h"

#include <string.h>

static const struct {
    const char *module, *name;
    ObjectKind kind;
} makers[] = {
#define MAKES(module, name, kind) {module, name, OBJECT_##kind},
#include "front/objects.def"
#undef MAKES
};

static const struct {
    const char *owner, *name;
    uint32_t shape;
} shaped[] = {
#define SHAPED(owner, name, shape) {owner, name, shape},
#include "front/objects.def"
#undef SHAPED
};

typedef struct Member {
    ObjectKind kind;
    const char *name;
    ObjectKind result;
} Member;

static const Member methods[] = {
#define METHOD(kind, name, result) {OBJECT_##kind, name, OBJECT_##result},
#include "front/objects.def"
#undef METHOD
};

static const Member attributes[] = {
#define ATTRIBUTE(kind, name, value) {OBJECT_##kind, name, OBJECT_##value},
#include "front/objects.def"
#undef ATTRIBUTE
};

/* OBJECT_UNSURE: there is no such row. */
static ObjectKind member_of(const Member *rows, size_t count, ObjectKind kind, Name name)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].kind == kind && name_is(name, rows[i].name))
            return rows[i].result;
    return OBJECT_UNSURE;
}

const Value *plain_value(Unit *unit, const Node *node, const Scope *scope)
{
    Name path[LIMIT_PATH];
    uint32_t count = node_path(node, path, LIMIT_PATH);
    const Value *value = count ? scope_find(scope, path[0]) : NULL;
    for (uint32_t i = 1; i < count && value; i++)
        value = value->kind == VALUE_MODULE ? module_attribute(unit, value->module, path[i]) : NULL;
    return value;
}

static bool is_number(Unit *unit, const Node *node, const Scope *scope)
{
    Number number;
    if (node->kind == NODE_CONSTANT)
        return node->constant.kind == CONSTANT_INT || node->constant.kind == CONSTANT_FLOAT;
    if (node->kind == NODE_UNARY_OP)
        return is_number(unit, node->unary_op.operand, scope);
    if (node->kind == NODE_BIN_OP)
        return is_number(unit, node->bin_op.left, scope) && is_number(unit, node->bin_op.right, scope);
    const Value *value = plain_value(unit, node, scope);
    return value && value_as_number(value, false, &number);
}

/* Is it a number of elements, or a tuple of at least one? */
static bool has_dimension(Unit *unit, const Node *shape, const Scope *scope)
{
    if (shape->kind == NODE_TUPLE || shape->kind == NODE_LIST)
        return shape->sequence.elts.count > 0;
    const Value *value = plain_value(unit, shape, scope);
    bool tuple = value && (value->kind == VALUE_TUPLE || value->kind == VALUE_LIST);
    return tuple ? value->sequence.count > 0 : is_number(unit, shape, scope);
}

const Node *argument_node(const Node *call, uint32_t position, const char *name)
{
    for (uint32_t i = 0; i < call->call.keywords.count; i++) {
        Name keyword = call->call.keywords.items[i]->keyword.name;
        if (keyword && name_is(keyword, name))
            return call->call.keywords.items[i]->keyword.value;
    }
    const Node *given = position < call->call.args.count ? call->call.args.items[position] : NULL;
    return given && given->kind != NODE_STARRED ? given : NULL;
}

const Node *given_shape(const Node *call, uint32_t position)
{
    const Node *size = argument_node(call, UINT32_MAX, "size");
    return size ? size : argument_node(call, position, "shape");
}

static ObjectKind made_by(Unit *unit, const char *owner, const char *name, const Node *call, const Scope *scope)
{
    for (size_t i = 0; i < sizeof shaped / sizeof *shaped; i++) {
        if (strcmp(shaped[i].owner, owner) != 0 || strcmp(shaped[i].name, name) != 0)
            continue;
        const Node *shape = given_shape(call, shaped[i].shape);
        if (shape && has_dimension(unit, shape, scope))
            return OBJECT_NUMPY;
    }
    const Node *first = call->call.args.count ? call->call.args.items[0] : NULL;
    bool list = first && (first->kind == NODE_LIST || first->kind == NODE_TUPLE || first->kind == NODE_LIST_COMP);
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(makers[i].module, owner) == 0 && strcmp(makers[i].name, name) == 0)
            return list && strcmp(name, "array") == 0 && makers[i].kind == OBJECT_NUMPY_ANY ? OBJECT_NUMPY
                                                                                            : makers[i].kind;
    return OBJECT_UNSURE;
}

static ObjectKind called_object(Unit *unit, const Node *call, const Scope *scope)
{
    Name path[LIMIT_PATH];
    const Node *func = call->call.func;
    uint32_t count = node_path(func, path, LIMIT_PATH);
    const Value *root = count ? scope_find(scope, path[0]) : NULL;
    if (root && root->kind == VALUE_MODULE && count > 1) {
        const char *name = path[1]->text;
        for (uint32_t i = 2; i < count; i++)
            name = arena_format(unit->arena, "%s.%s", name, path[i]->text);
        return made_by(unit, root->module, name, call, scope);
    }
    if (func->kind != NODE_ATTRIBUTE)
        return OBJECT_UNSURE;
    ObjectKind owner = object_made(unit, func->attribute.value, scope);
    return owner == OBJECT_RANDOM ? made_by(unit, "RANDOM", func->attribute.attr->text, call, scope)
                                  : member_of(methods, sizeof methods / sizeof *methods, owner, func->attribute.attr);
}

/* Arithmetic with an array of NumPy gives another, unless it is a product of two matrices. */
static ObjectKind combined_object(Unit *unit, const Node *node, const Scope *scope)
{
    const Node *sides[] = {node->bin_op.left, node->bin_op.right};
    bool array = false;
    for (int i = 0; i < 2; i++) {
        ObjectKind kind = object_made(unit, sides[i], scope);
        array |= kind == OBJECT_NUMPY;
        if (kind != OBJECT_NUMPY && kind != OBJECT_NUMPY_ANY && !is_number(unit, sides[i], scope))
            return OBJECT_UNSURE;
    }
    return array && node->bin_op.op != OP_MAT_MULT ? OBJECT_NUMPY : OBJECT_UNSURE;
}

ObjectKind object_made(Unit *unit, const Node *node, const Scope *scope)
{
    if (!step(unit))
        return OBJECT_UNSURE;
    switch (node->kind) {
    case NODE_NAME: {
        const Value *value = scope_find(scope, node->name.id);
        return value && value->kind == VALUE_UNKNOWN ? value->object : OBJECT_UNSURE;
    }
    case NODE_CALL: return called_object(unit, node, scope);
    case NODE_BIN_OP: return combined_object(unit, node, scope);
    case NODE_UNARY_OP: {
        ObjectKind kind = object_made(unit, node->unary_op.operand, scope);
        return kind == OBJECT_NUMPY && node->unary_op.op != OP_NOT ? kind : OBJECT_UNSURE;
    }
    case NODE_ATTRIBUTE:
        return member_of(attributes, sizeof attributes / sizeof *attributes,
                         object_made(unit, node->attribute.value, scope), node->attribute.attr);
    case NODE_SUBSCRIPT: {
        ObjectKind kind = object_made(unit, node->subscript.value, scope);
        bool slice = node->subscript.slice->kind == NODE_SLICE;
        return slice && (kind == OBJECT_NUMPY || kind == OBJECT_ARRAY) ? kind : OBJECT_UNSURE;
    }
    default: return OBJECT_UNSURE;
    }
}

const Value *note_object(Unit *unit, const Node *node, const Scope *scope, const Value *value)
{
    ObjectKind kind = object_made(unit, node, scope);
    if (value->object == kind && kind != OBJECT_ARRAY)
        return value;
    Value *noted = ARENA_NEW(unit->arena, Value);
    *noted = *value;
    noted->object = kind;
    noted->array = kind == OBJECT_ARRAY ? array_made(unit, node, scope) : NULL;
    return noted;
}
