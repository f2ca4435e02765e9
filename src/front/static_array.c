/* The types of the arrays that a program makes: `wp.zeros(n, dtype=wp.vec3)`. Nothing is evaluated but names and constants. */
#include "front/static_impl.h"

#include <string.h>

enum { NOT_KNOWN = 0, MOST_DIMS = 4 };

/* A type that is named where a dtype is meant; NULL: it is not given, or not known. */
static const Type *named_type(Unit *unit, const Node *node, const Scope *scope)
{
    bool missing;
    Name path[LIMIT_PATH];
    uint32_t count = node ? node_path(node, path, LIMIT_PATH) : 0;
    const Value *value = count ? scope_find(scope, path[0]) : NULL;
    if (count == 1 && !value)
        value = resolve_path(unit, scope, path, count, &missing);
    else if (count > 1 && value && value->kind == VALUE_FILE)
        value = resolve_path(unit, scope, path, count, &missing);
    else if (count > 1)
        value = plain_value(unit, node, scope);
    return value ? type_of_value(value) : NULL;
}

/* How many dimensions a shape has. */
static uint32_t dims_of_shape(Unit *unit, const Node *shape, const Scope *scope)
{
    Number number;
    if (!shape)
        return NOT_KNOWN;
    if (shape->kind == NODE_TUPLE || shape->kind == NODE_LIST)
        return shape->sequence.elts.count;
    if (shape->kind == NODE_BIN_OP) {
        uint32_t left = dims_of_shape(unit, shape->bin_op.left, scope),
                 right = dims_of_shape(unit, shape->bin_op.right, scope);
        return left == 1 && right == 1 ? 1 : NOT_KNOWN;
    }
    if (shape->kind == NODE_CONSTANT)
        return shape->constant.kind == CONSTANT_INT;
    if (shape->kind == NODE_CALL)
        return value_is_intrinsic(plain_value(unit, shape->call.func, scope), INTRINSIC_LEN) ||
               (shape->call.func->kind == NODE_NAME && name_is(shape->call.func->name.id, "len"));
    const Value *value = plain_value(unit, shape, scope);
    if (value && (value->kind == VALUE_TUPLE || value->kind == VALUE_LIST))
        return value->sequence.count;
    return value && value_as_number(value, false, &number) && number.is_int;
}

/* Dimensions of a list of numbers or vectors, those of the vectors included if these are written as lists. */
static uint32_t depth_of_value(const Value *value, bool *composite, uint32_t left)
{
    Number number;
    *composite = value->kind == VALUE_COMPOSITE;
    if (value->kind != VALUE_LIST && value->kind != VALUE_TUPLE)
        return *composite || value_as_number(value, true, &number) ? 0 : MOST_DIMS * 2;
    if (!value->sequence.count || !left)
        return MOST_DIMS * 2;
    return 1 + depth_of_value(value->sequence.items[0], composite, left - 1);
}

static uint32_t depth_of_list(Unit *unit, const Node *node, const Scope *scope, bool *composite, uint32_t left)
{
    const Value *value;
    *composite = false;
    switch (node->kind) {
    case NODE_LIST:
    case NODE_TUPLE:
        return node->sequence.elts.count && left
                   ? 1 + depth_of_list(unit, node->sequence.elts.items[0], scope, composite, left - 1)
                   : MOST_DIMS * 2;
    case NODE_CONSTANT: return 0;
    case NODE_UNARY_OP: return depth_of_list(unit, node->unary_op.operand, scope, composite, left);
    case NODE_CALL: {
        const Type *made = named_type(unit, node->call.func, scope);
        *composite = made && type_is_composite(made);
        return made && (*composite || type_is_scalar(made)) ? 0 : MOST_DIMS * 2;
    }
    default:
        value = plain_value(unit, node, scope);
        return value ? depth_of_value(value, composite, left) : MOST_DIMS * 2;
    }
}

/* Dimensions of an array of NumPy that an expression makes. */
static uint32_t dims_of_numpy(Unit *unit, const Node *node, const Scope *scope)
{
    static const char *const lines[] = {"arange", "linspace"}, *const shaped[] = {"zeros", "ones", "empty", "full"};
    const Node *func = node->kind == NODE_CALL ? node->call.func : NULL;
    bool composite;
    if (!func || func->kind != NODE_ATTRIBUTE)
        return NOT_KNOWN;
    Name name = func->attribute.attr;
    if (name_is(name, "astype") || name_is(name, "copy"))
        return dims_of_numpy(unit, func->attribute.value, scope);
    const Value *module = plain_value(unit, func->attribute.value, scope);
    if (!module || module->kind != VALUE_MODULE || strcmp(module->module, "numpy"))
        return NOT_KNOWN;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (name_is(name, lines[i]))
            return 1;
    for (size_t i = 0; i < sizeof shaped / sizeof *shaped; i++)
        if (name_is(name, shaped[i]))
            return dims_of_shape(unit, given_shape(node, 0), scope);
    if (!name_is(name, "array") || !node->call.args.count)
        return NOT_KNOWN;
    uint32_t depth = depth_of_list(unit, node->call.args.items[0], scope, &composite, MOST_DIMS * 2);
    return composite || depth > MOST_DIMS + 2 ? NOT_KNOWN : depth;
}

static uint32_t dims_of_data(Unit *unit, const Node *data, const Type *dtype, const Scope *scope)
{
    bool composite = false;
    if (!data)
        return NOT_KNOWN;
    uint32_t depth = dims_of_numpy(unit, data, scope);
    if (!depth)
        depth = depth_of_list(unit, data, scope, &composite, MOST_DIMS * 2);
    const Type *plain = type_canonical(dtype);
    uint32_t own = composite || !type_is_composite(plain) ? 0 : plain->kind == TYPE_MAT ? 2 : 1;
    return depth > own && depth - own <= MOST_DIMS ? depth - own : NOT_KNOWN;
}

static uint32_t dims_as_given(Unit *unit, const Node *call, const Scope *scope)
{
    const Node *ndim = argument_node(call, UINT32_MAX, "ndim");
    const Value *value = ndim ? static_eval(unit, ndim, scope) : NULL;
    BigInt count;
    if (value)
        return value_as_int(value, &count) && count >= 1 && count <= MOST_DIMS ? (uint32_t)count : NOT_KNOWN;
    return dims_of_shape(unit, argument_node(call, 2, "shape"), scope);
}

/* wp.NAME(…) */
static const Type *array_of_call(Unit *unit, const Node *call, Name name, const Scope *scope)
{
    static const char *const alike[] = {"empty_like", "zeros_like", "ones_like", "full_like", "clone"};
    static const char *const shaped[] = {"zeros", "ones", "empty"};
    const Node *first = call->call.args.count ? call->call.args.items[0] : NULL;
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        if (name_is(name, alike[i]))
            return first ? array_made(unit, first, scope) : NULL;
    const Type *dtype = NULL;
    uint32_t dims = NOT_KNOWN;
    for (size_t i = 0; i < sizeof shaped / sizeof *shaped; i++)
        if (name_is(name, shaped[i])) {
            const Node *given = argument_node(call, 1, "dtype");
            dtype = given ? named_type(unit, given, scope) : type_scalar(TYPE_FLOAT32);
            dims = dims_of_shape(unit, given_shape(call, 0), scope);
        }
    if (name_is(name, "full")) {
        dtype = named_type(unit, argument_node(call, 2, "dtype"), scope);
        dims = dims_of_shape(unit, given_shape(call, 0), scope);
    } else if (name_is(name, "array") || name_is(name, "from_numpy")) {
        dtype = named_type(unit, argument_node(call, 1, "dtype"), scope);
        dims = dtype && name_is(name, "array") ? dims_as_given(unit, call, scope) : NOT_KNOWN;
        if (dtype && !dims)
            dims = dims_of_data(unit, argument_node(call, 0, name_is(name, "array") ? "data" : "arr"), dtype, scope);
    }
    bool usual = dtype && !type_is_generic(dtype) && dims >= 1 && dims <= MOST_DIMS;
    return usual ? type_array(unit->types, ARRAY_PLAIN, type_canonical(dtype), dims) : NULL;
}

const Type *array_made(Unit *unit, const Node *node, const Scope *scope)
{
    if (!step(unit))
        return NULL;
    if (node->kind == NODE_NAME) {
        const Value *value = scope_find(scope, node->name.id);
        return value && value->kind == VALUE_UNKNOWN ? value->array : NULL;
    }
    if (node->kind == NODE_ATTRIBUTE)
        return name_is(node->attribute.attr, "grad") ? array_made(unit, node->attribute.value, scope) : NULL;
    if (node->kind != NODE_CALL || node->call.func->kind != NODE_ATTRIBUTE)
        return NULL;
    const Node *func = node->call.func;
    const Value *module = plain_value(unit, func->attribute.value, scope);
    if (module && module->kind == VALUE_MODULE)
        return strcmp(module->module, "warp") ? NULL : array_of_call(unit, node, func->attribute.attr, scope);
    return name_is(func->attribute.attr, "to") || name_is(func->attribute.attr, "contiguous")
               ? array_made(unit, func->attribute.value, scope)
               : NULL;
}
