/* Typed expressions, each with the interval it lies in. What is not well defined is refused. */
#include "synth/context.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double REAL_LIMIT = 1e12, INT_LIMIT = 2147483647.0;

/* ---- trees ---- */

Node *node_new(Synth *s, NodeKind kind)
{
    Node *node = ARENA_NEW(s->arena, Node);
    node->kind = kind;
    return node;
}

static inline Node *node_sized(Synth *s, NodeKind kind, size_t size)
{
    Node *node = arena_alloc(s->arena, size);
    node->kind = kind;
    return node;
}

/* For the kinds that there are most of: without the room that only other kinds need. */
#define NODE_SMALL(s, kind, member) node_sized((s), (kind), offsetof(Node, member) + sizeof((Node){0}.member))

void list_reserve(Synth *s, NodeList *list, uint32_t cap)
{
    list->items = arena_grow_raw(s->arena, list->items, list->count * sizeof *list->items, cap * sizeof *list->items);
    list->cap = cap;
}

void list_push(Synth *s, NodeList *list, Node *node)
{
    if (list->count == list->cap)
        list_reserve(s, list, list->cap ? list->cap * 2 : 4);
    list->items[list->count++] = node;
}

static NodeList list_of(Synth *s, Node *const *nodes, uint32_t count)
{
    NodeList list = {arena_take(s->arena, count * sizeof *nodes), count, count};
    for (uint32_t i = 0; i < count; i++)
        list.items[i] = nodes[i];
    return list;
}

Node *node_name(Synth *s, Name name)
{
    Node *node = NODE_SMALL(s, NODE_NAME, name);
    node->name.id = name;
    return node;
}

Node *node_wp(Synth *s, const char *name)
{
    return warp_name(s, name_cstr(&s->context->names, name))->node;
}

Node *node_constant_int(Synth *s, int64_t value)
{
    Node *node = NODE_SMALL(s, NODE_CONSTANT, constant);
    node->constant.kind = CONSTANT_INT;
    node->constant.integer = value;
    return node;
}

static Node *node_constant_real(Synth *s, double value)
{
    Node *node = NODE_SMALL(s, NODE_CONSTANT, constant);
    node->constant.kind = CONSTANT_FLOAT;
    node->constant.real = value;
    return node;
}

Node *node_call(Synth *s, Node *function, Node *const *args, uint32_t count)
{
    Node *node = NODE_SMALL(s, NODE_CALL, call);
    node->call.func = function;
    node->call.args = list_of(s, args, count);
    return node;
}

Node *node_assign(Synth *s, Node *place, Node *value)
{
    Node *node = NODE_SMALL(s, NODE_ASSIGN, assign);
    node->assign.targets = list_of(s, &place, 1);
    node->assign.value = value;
    return node;
}

static bool same_list(const NodeList *a, const NodeList *b)
{
    for (uint32_t i = 0; i < a->count && a->count == b->count; i++)
        if (!same_tree(a->items[i], b->items[i]))
            return false;
    return a->count == b->count;
}

bool same_tree(const Node *a, const Node *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case NODE_NAME: return a->name.id == b->name.id;
    case NODE_ATTRIBUTE:
        return a->attribute.attr == b->attribute.attr && same_tree(a->attribute.value, b->attribute.value);
    case NODE_SUBSCRIPT:
        return same_tree(a->subscript.value, b->subscript.value) && same_tree(a->subscript.slice, b->subscript.slice);
    case NODE_TUPLE: return same_list(&a->sequence.elts, &b->sequence.elts);
    case NODE_CONSTANT:
        return a->constant.kind == b->constant.kind && a->constant.integer == b->constant.integer &&
               !(a->constant.real < b->constant.real) && !(a->constant.real > b->constant.real);
    case NODE_BIN_OP:
        return a->bin_op.op == b->bin_op.op && same_tree(a->bin_op.left, b->bin_op.left) &&
               same_tree(a->bin_op.right, b->bin_op.right);
    case NODE_UNARY_OP: return a->unary_op.op == b->unary_op.op && same_tree(a->unary_op.operand, b->unary_op.operand);
    case NODE_CALL: return same_tree(a->call.func, b->call.func) && same_list(&a->call.args, &b->call.args);
    default: return false;
    }
}

/* What a name stands for, while that is known. */
static const Node *behind(const Synth *s, Expr e)
{
    const Node *value = e.node->kind == NODE_NAME && e.var ? s->vars[e.var - 1].value : NULL;
    return value ? value : e.node;
}

static bool same_value(const Synth *s, Expr a, Expr b)
{
    return same_tree(behind(s, a), behind(s, b));
}

/* ---- results ---- */

Expr refused(Synth *s, const char *why)
{
    if (!s->failure)
        s->failure = why;
    return (Expr){0};
}

_Noreturn void give_up(Synth *s, const char *why)
{
    refused(s, why);
    longjmp(*s->given_up, 1);
}

/* The last gate: values must be finite, and integers must fit. */
static Expr made(Synth *s, Node *node, const Type *type, Range range, unsigned flags)
{
    const Type *scalar = type_scalar_of(type);
    double limit = type_is_float(scalar) ? REAL_LIMIT : INT_LIMIT;
    if (scalar->kind == TYPE_UINT32)
        limit = 4294967295.0;
    if (scalar->kind == TYPE_INT64 || scalar->kind == TYPE_UINT64)
        limit = 9e18;
    if (scalar->kind == TYPE_FLOAT16)
        limit = 3e4;
    if (scalar->kind == TYPE_UINT8)
        limit = 255;
    bool is_unsigned = scalar->kind == TYPE_UINT8 || scalar->kind == TYPE_UINT16 || scalar->kind == TYPE_UINT32 ||
                       scalar->kind == TYPE_UINT64;
    if (!(range.low >= -limit && range.high <= limit) || (is_unsigned && range.low < 0))
        return refused(s, "a value may become too large");
    return (Expr){.node = node, .type = type, .range = range, .flags = flags};
}

static double max_abs(Range r)
{
    return fmax(fabs(r.low), fabs(r.high));
}

static Range hull(Range a, Range b)
{
    return (Range){fmin(a.low, b.low), fmax(a.high, b.high)};
}

static Range product(Range a, Range b)
{
    double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, t = a.high * b.high;
    return (Range){fmin(fmin(p, q), fmin(r, t)), fmax(fmax(p, q), fmax(r, t))};
}

static bool has_zero(Range r)
{
    return r.low <= 0 && r.high >= 0;
}

Expr with_range(Expr a, double low, double high)
{
    a.range = (Range){fmax(a.range.low, low), fmin(a.range.high, high)};
    return a;
}

/* ---- constants ---- */

Expr literal(Synth *s, const Type *type, double value)
{
    type = type_canonical(type);
    Node *node = type_is_float(type) ? node_constant_real(s, value) : node_constant_int(s, (int64_t)value);
    if (type->kind == TYPE_BOOL) {
        node->constant.kind = CONSTANT_BOOL;
        node->constant.truth = value != 0;
    } else if (type->kind != TYPE_FLOAT32 && type->kind != TYPE_INT32) {
        node = node_call(s, type_callee(s, type), &node, 1);
    }
    return (Expr){.node = node, .type = type, .range = {value, value}, .flags = EXPR_CONSTANT};
}

Expr integer(Synth *s, int64_t value)
{
    return literal(s, type_scalar(TYPE_INT32), (double)value);
}

Expr real(Synth *s, double value)
{
    return literal(s, s->style.real, value);
}

Expr zero(Synth *s, const Type *type)
{
    Node *node;
    if (type_is_scalar(type)) {
        Node *constant = type_is_float(type) ? node_constant_real(s, 0) : node_constant_int(s, 0);
        node = node_call(s, type_callee(s, type), &constant, 1);
    } else {
        bool explicit_zeros = is_vec(type) && type->composite.rows <= 4 && chance(s, 0.5);
        Node *zeros[4];
        uint32_t count = 0, wanted = chance(s, 0.15) ? 1 : type->composite.rows;
        if (explicit_zeros)
            while (count < wanted)
                zeros[count++] = literal(s, type_scalar_of(type), 0).node;
        node = node_call(s, type_callee(s, type), zeros, count);
    }
    return (Expr){.node = node, .type = type, .flags = EXPR_CONSTANT};
}

/* ---- operators ---- */

static unsigned linear_flags(Expr a, Expr b)
{
    unsigned flags = (a.flags & b.flags & EXPR_CONSTANT) | ((a.flags | b.flags) & EXPR_LOOPED);
    return flags | ((a.flags | b.flags) & EXPR_GENERIC);
}

static unsigned product_flags(Expr a, Expr b)
{
    return (a.flags & b.flags & EXPR_CONSTANT) | ((a.flags | b.flags) & EXPR_LOOPED) |
           (((a.flags & EXPR_GENERIC) || (!has_zero(a.range))) && ((b.flags & EXPR_GENERIC) || !has_zero(b.range))
                ? EXPR_GENERIC
                : 0u);
}

static Node *binary_node(Synth *s, OpKind op, Node *a, Node *b)
{
    Node *node = NODE_SMALL(s, NODE_BIN_OP, bin_op);
    node->bin_op.op = op;
    node->bin_op.left = a;
    node->bin_op.right = b;
    return node;
}

/* The type of a product, and how many terms each element sums; NULL: there is none. */
static const Type *product_type(Synth *s, const Type *a, const Type *b, double *terms)
{
    *terms = 1;
    if (type_scalar_of(a) != type_scalar_of(b))
        return NULL;
    if (type_is_scalar(a))
        return b;
    if (type_is_scalar(b))
        return a;
    if (a->kind == TYPE_QUAT && b->kind == TYPE_QUAT)
        return *terms = 4, a;
    if (a->kind == TYPE_TRANSFORM && b->kind == TYPE_TRANSFORM)
        return *terms = 12, a;
    if (is_mat(a) && is_vec(b) && a->composite.cols == b->composite.rows)
        return *terms = a->composite.cols, type_vec(s->types, a->composite.rows, a->composite.dtype);
    if (is_mat(a) && is_mat(b) && a->composite.cols == b->composite.rows)
        return *terms = a->composite.cols, type_mat(s->types, a->composite.rows, b->composite.cols, a->composite.dtype);
    return NULL;
}

static Expr multiply(Synth *s, OpKind op, Expr a, Expr b)
{
    double terms;
    const Type *type = product_type(s, a.type, b.type, &terms);
    if (!type)
        return refused(s, "no such product");
    Range range = product(a.range, b.range);
    if (same_tree(a.node, b.node) && type_is_scalar(a.type)) /* a square */
        range.low = has_zero(a.range) ? 0 : range.low;
    if (terms > 1)
        range = (Range){-terms * max_abs(range), terms * max_abs(range)};
    if (a.type->kind == TYPE_QUAT && (a.flags & b.flags & EXPR_UNIT))
        range = (Range){-1, 1};
    unsigned flags = product_flags(a, b) | (a.type->kind == TYPE_QUAT ? a.flags & b.flags & EXPR_UNIT : 0);
    return made(s, binary_node(s, op, a.node, b.node), type, range, flags);
}

static Expr divide(Synth *s, Expr a, Expr b)
{
    if (!is_real(b.type) || type_scalar_of(a.type) != b.type || a.type->kind == TYPE_TRANSFORM)
        return refused(s, "no such quotient");
    if (has_zero(b.range))
        return refused(s, "a divisor may be zero");
    if (same_value(s, a, b))
        return refused(s, "a value divided by itself");
    Range inverse = {1 / b.range.high, 1 / b.range.low};
    return made(s, binary_node(s, OP_DIV, a.node, b.node), a.type, product(a.range, inverse), product_flags(a, b));
}

static Expr integer_binary(Synth *s, OpKind op, Expr a, Expr b)
{
    if (!type_is_int(a.type) || a.type != b.type)
        return refused(s, "no such integer operation");
    Range r = a.range;
    double bits = exp2(ceil(log2(fmax(a.range.high, b.range.high) + 1))) - 1;
    switch (op) {
    case OP_FLOOR_DIV:
    case OP_MOD:
        if (a.range.low < 0 || b.range.low <= 0)
            return refused(s, "a divisor may be zero, or a dividend negative");
        if (op == OP_FLOOR_DIV)
            r = (Range){floor(a.range.low / b.range.high), floor(a.range.high / b.range.low)};
        else if (a.range.high < b.range.low)
            return refused(s, "a remainder that changes nothing");
        else
            r = (Range){0, fmin(a.range.high, b.range.high - 1)};
        break;
    case OP_L_SHIFT:
    case OP_R_SHIFT:
        if (a.range.low < 0 || b.range.low < 0 || b.range.high > 31)
            return refused(s, "a shift by too much");
        r = op == OP_L_SHIFT
                ? (Range){a.range.low * exp2(b.range.low), a.range.high * exp2(b.range.high)}
                : (Range){floor(a.range.low / exp2(b.range.high)), floor(a.range.high / exp2(b.range.low))};
        break;
    case OP_BIT_AND:
        if (a.range.low < 0 || b.range.low < 0)
            return refused(s, "bits of a negative number");
        r = (Range){0, fmin(a.range.high, b.range.high)};
        break;
    case OP_BIT_OR:
    case OP_BIT_XOR:
        if (a.range.low < 0 || b.range.low < 0)
            return refused(s, "bits of a negative number");
        r = (Range){0, bits};
        break;
    default: return refused(s, "no integer operation");
    }
    if (r.low == r.high)
        return refused(s, "an integer operation without a choice");
    return made(s, binary_node(s, op, a.node, b.node), a.type, r, a.flags & b.flags & EXPR_CONSTANT);
}

static Expr power(Synth *s, Expr a, Expr b)
{
    Expr result = call(s, "pow", (Expr[]){a, b}, 2);
    if (result.type)
        result.node = binary_node(s, OP_POW, a.node, b.node);
    return result;
}

static bool same_place(Expr a, Expr b)
{
    return same_tree(a.node, b.node) || (a.array && a.array == b.array);
}

Expr binary(Synth *s, OpKind op, Expr a, Expr b)
{
    if (!a.type || !b.type)
        return (Expr){0};
    if (op == OP_MULT || op == OP_MAT_MULT)
        return multiply(s, op, a, b);
    if (op == OP_DIV)
        return divide(s, a, b);
    if (op == OP_POW)
        return power(s, a, b);
    if (op != OP_ADD && op != OP_SUB)
        return integer_binary(s, op, a, b);
    if (a.type != b.type || a.type->kind == TYPE_BOOL || a.type->kind == TYPE_ARRAY || a.type->kind == TYPE_STRUCT)
        return refused(s, "no such sum");
    if (op == OP_SUB && same_value(s, a, b))
        return refused(s, "a value minus itself");
    Range range = op == OP_ADD ? (Range){a.range.low + b.range.low, a.range.high + b.range.high}
                               : (Range){a.range.low - b.range.high, a.range.high - b.range.low};
    if (range.low == range.high && !(a.flags & b.flags & EXPR_CONSTANT) && is_real(a.type))
        return refused(s, "a sum without a choice");
    unsigned flags = linear_flags(a, b);
    if (op == OP_SUB && same_place(a, b))
        flags &= ~(unsigned)EXPR_GENERIC; /* an element may meet itself */
    return made(s, binary_node(s, op, a.node, b.node), a.type, range, flags);
}

Expr unary(Synth *s, OpKind op, Expr a)
{
    if (!a.type)
        return a;
    Node *node = node_new(s, NODE_UNARY_OP);
    node->unary_op.op = op;
    node->unary_op.operand = a.node;
    if (op == OP_NOT)
        return a.type->kind == TYPE_BOOL ? made(s, node, a.type, a.range, a.flags) : refused(s, "not of no bool");
    if (op == OP_INVERT) {
        if (!type_is_int(a.type))
            return refused(s, "bits of a real number");
        if (a.type->kind == TYPE_UINT32)
            return made(s, node, a.type, (Range){0, 4294967295.0}, 0);
        return made(s, node, a.type, (Range){-a.range.high - 1, -a.range.low - 1}, 0);
    }
    if (a.node->kind == NODE_CONSTANT && a.node->constant.kind == CONSTANT_FLOAT)
        return real(s, -a.node->constant.real);
    if (a.node->kind == NODE_CONSTANT && a.node->constant.kind == CONSTANT_INT)
        return integer(s, -(int64_t)a.node->constant.integer);
    return made(s, node, a.type, (Range){-a.range.high, -a.range.low}, a.flags);
}

Expr compare(Synth *s, OpKind op, Expr a, Expr b)
{
    if (!a.type || !b.type)
        return (Expr){0};
    if (a.type != b.type || !type_is_scalar(a.type))
        return refused(s, "no such comparison");
    bool below_all = a.range.high<b.range.low, above_all = a.range.low> b.range.high;
    if (below_all || above_all || same_value(s, a, b))
        return refused(s, "a comparison that is decided");
    if ((op == OP_LT && a.range.low >= b.range.high) || (op == OP_GT && a.range.high <= b.range.low) ||
        (op == OP_LT_E && a.range.high <= b.range.low) || (op == OP_GT_E && a.range.low >= b.range.high))
        return refused(s, "a comparison that is decided");
    Node *node = node_new(s, NODE_COMPARE);
    node->compare.left = a.node;
    node->compare.ops = ARENA_NEW(s->arena, OpKind);
    node->compare.ops[0] = op;
    node->compare.comparators = list_of(s, &b.node, 1);
    return made(s, node, type_scalar(TYPE_BOOL), (Range){0, 1}, (a.flags | b.flags) & EXPR_LOOPED);
}

Expr both(Synth *s, OpKind op, Expr a, Expr b)
{
    if (!a.type || !b.type)
        return (Expr){0};
    if (a.type->kind != TYPE_BOOL || b.type->kind != TYPE_BOOL)
        return refused(s, "and, or of no bools");
    Node *node = node_new(s, NODE_BOOL_OP);
    node->bool_op.op = op;
    Expr parts[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        Node *part = parts[i].node;
        if (part->kind == NODE_BOOL_OP && part->bool_op.op == op)
            for (uint32_t k = 0; k < part->bool_op.values.count; k++)
                list_push(s, &node->bool_op.values, part->bool_op.values.items[k]);
        else
            list_push(s, &node->bool_op.values, part);
    }
    return made(s, node, a.type, (Range){0, 1}, (a.flags | b.flags) & EXPR_LOOPED);
}

/* ---- calls ---- */

Expr call(Synth *s, const char *name, const Expr *args, uint32_t count)
{
    return call_warp(s, name_cstr(&s->context->names, name), args, count);
}

Expr call_warp(Synth *s, Name name, const Expr *args, uint32_t count)
{
    Node *nodes[12];
    unsigned constant = EXPR_CONSTANT, looped = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!args[i].type)
            return (Expr){0};
        nodes[i] = args[i].node;
        constant &= args[i].flags;
        looped |= args[i].flags & EXPR_LOOPED;
    }
    if (count == 3 && name_is(name, "where"))
        return where(s, args[0], args[1], args[2]);
    const Node *inner = count == 1 && args[0].node->kind == NODE_CALL ? args[0].node->call.func : NULL;
    if (inner && inner->kind == NODE_ATTRIBUTE && inner->attribute.attr == name)
        return refused(s, "a function of itself");
    const Function *function = function_find(s, name, args, count);
    if (!function)
        return refused(s, name->text);
    Range range = {0, 0};
    unsigned flags = 0;
    if (!function->rule(args, count, &range, &flags))
        return refused(s, name->text);
    const Type *type = function_result(s, function->result, args, count);
    if (!type)
        return refused(s, name->text);
    return made(s, node_call(s, warp_name(s, name)->node, nodes, count), type, range, flags | constant | looped);
}

Expr cast(Synth *s, const Type *type, Expr a)
{
    if (!a.type)
        return a;
    if (!type_is_scalar(type_canonical(type)) || (!type_is_scalar(a.type) && a.type->kind != TYPE_BOOL))
        return refused(s, "no such conversion");
    Range range = a.range;
    if (type_is_int(type_canonical(type)))
        range = (Range){trunc(range.low), trunc(range.high)};
    Node *node = a.node;
    unsigned flags = a.flags & (EXPR_CONSTANT | EXPR_LOOPED);
    if (type_is_float(a.type) && type_is_float(type_canonical(type)))
        flags = a.flags;
    return made(s, node_call(s, type_callee(s, type), &node, 1), type_canonical(type), range, flags);
}

Expr construct(Synth *s, const Type *type, const Expr *args, uint32_t count)
{
    Node *nodes[40];
    if (!count || count > 36)
        return refused(s, "a constructor without arguments");
    Range range = args[0].range;
    unsigned constant = EXPR_CONSTANT, other = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!args[i].type)
            return (Expr){0};
        if (type_scalar_of(args[i].type) != type_scalar_of(type))
            return refused(s, "components of another type");
        nodes[i] = args[i].node;
        range = hull(range, args[i].range);
        constant &= args[i].flags;
        other |= args[i].flags & (EXPR_LOOPED | EXPR_GENERIC);
        if (!(args[i].flags & EXPR_GENERIC) && !has_zero(args[i].range))
            other |= EXPR_GENERIC;
    }
    bool twist = is_vec(type) && type->composite.rows == 6; /* the halves are taken by the function, not by the type */
    if (twist && type_scalar_of(type)->kind != TYPE_FLOAT32)
        return refused(s, "a twist of another precision");
    Node *callee = twist ? node_wp(s, "spatial_vector") : type_callee(s, type);
    return made(s, node_call(s, callee, nodes, count), type, range, constant | other);
}

Expr where(Synth *s, Expr condition, Expr a, Expr b)
{
    if (!condition.type || !a.type || !b.type)
        return (Expr){0};
    if (condition.type->kind != TYPE_BOOL || a.type != b.type || same_value(s, a, b))
        return refused(s, "no such choice");
    if ((a.flags & b.flags & EXPR_CONSTANT) && a.range.low == b.range.low && type_is_scalar(a.type))
        return refused(s, "a choice between equals");
    Node *nodes[3] = {condition.node, a.node, b.node};
    return made(s, node_call(s, node_wp(s, "where"), nodes, 3), a.type, hull(a.range, b.range),
                (a.flags & b.flags & EXPR_GENERIC) | ((a.flags | b.flags | condition.flags) & EXPR_LOOPED));
}

Expr if_else(Synth *s, Expr condition, Expr a, Expr b)
{
    Expr result = where(s, condition, a, b);
    if (!result.type)
        return result;
    Node *node = node_new(s, NODE_IF_EXP);
    node->if_exp.test = condition.node;
    node->if_exp.body = a.node;
    node->if_exp.orelse = b.node;
    result.node = node;
    return result;
}

/* ---- parts ---- */

static Node *subscript_node(Synth *s, Node *value, const Expr *index, uint32_t count)
{
    Node *node = NODE_SMALL(s, NODE_SUBSCRIPT, subscript);
    node->subscript.value = value;
    if (count == 1) {
        node->subscript.slice = index[0].node;
        return node;
    }
    Node *tuple = node_new(s, NODE_TUPLE);
    for (uint32_t i = 0; i < count; i++)
        list_push(s, &tuple->sequence.elts, index[i].node);
    node->subscript.slice = tuple;
    return node;
}

Expr subscript(Synth *s, Expr a, const Expr *index, uint32_t count)
{
    if (!a.type)
        return a;
    const uint32_t composite_shape[2] = {a.type->kind == TYPE_ARRAY ? 0 : type_length(a.type),
                                         is_mat(a.type) ? a.type->composite.cols : 1};
    bool is_array = a.type->kind == TYPE_ARRAY;
    const uint32_t *shape = is_array ? a.array->shape : composite_shape;
    uint32_t ndim = is_array ? a.array->ndim : is_mat(a.type) ? 2 : 1;
    if (is_mat(a.type) && count == 1) /* a row */
        ndim = 1;
    if (count != ndim)
        return refused(s, "a wrong number of indices");
    unsigned looped = a.flags & EXPR_LOOPED;
    for (uint32_t i = 0; i < count; i++) {
        if (!index[i].type || !type_is_int(index[i].type))
            return refused(s, "an index that is no integer");
        if (index[i].range.low < 0 || index[i].range.high > (double)shape[i] - 1)
            return refused(s, "an index may be out of bounds");
    }
    const Type *type = is_array ? a.array->dtype : type_scalar_of(a.type);
    if (is_mat(a.type) && count == 1)
        type = type_vec(s->types, a.type->composite.cols, a.type->composite.dtype);
    Expr result = made(s, subscript_node(s, a.node, index, count), type, is_array ? a.array->range : a.range,
                       looped | (is_array ? (type_is_float(type_scalar_of(type)) ? EXPR_GENERIC : 0u)
                                          : a.flags & (EXPR_GENERIC | EXPR_CONSTANT)));
    result.array = a.array;
    return result;
}

Expr component(Synth *s, Expr a, uint32_t i)
{
    if (is_vec(a.type) && a.type->composite.rows <= 4 && a.node->kind == NODE_NAME && s->style.short_names &&
        chance(s, 0.3) && i < a.type->composite.rows) {
        Expr index = integer(s, i);
        Expr result = subscript(s, a, &index, 1);
        Node *node = node_new(s, NODE_ATTRIBUTE);
        node->attribute.value = a.node;
        node->attribute.attr = intern(s, (const char *[]){"x", "y", "z", "w"}[i]);
        result.node = node;
        return result;
    }
    Expr index = integer(s, i);
    return subscript(s, a, &index, 1);
}

Expr extent(Synth *s, Expr array, uint32_t axis)
{
    if (!array.type || array.type->kind != TYPE_ARRAY || axis >= array.array->ndim)
        return refused(s, "no such extent");
    Node *shape = node_new(s, NODE_ATTRIBUTE);
    shape->attribute.value = array.node;
    shape->attribute.attr = intern(s, "shape");
    Expr index = integer(s, axis);
    double value = array.array->shape[axis];
    return (Expr){
        .node = subscript_node(s, shape, &index, 1), .type = type_scalar(TYPE_INT32), .range = {value, value}};
}

Expr member(Synth *s, Expr a, const char *name)
{
    if (!a.type)
        return a;
    if (a.type->kind == TYPE_ARRAY && strcmp(name, "shape") == 0)
        return refused(s, "a shape without an axis");
    if (is_vec(a.type) && strlen(name) == 1 && strchr("xyzw", *name)) {
        static const char order[] = "xyzw";
        Expr index = integer(s, strchr(order, *name) - order);
        Expr result = subscript(s, a, &index, 1);
        Node *node = node_new(s, NODE_ATTRIBUTE);
        node->attribute.value = a.node;
        node->attribute.attr = intern(s, name);
        result.node = node;
        return result;
    }
    return refused(s, "no such member");
}
