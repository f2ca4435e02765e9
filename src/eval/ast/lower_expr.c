/* Syntax tree to plan: expressions and what calls call. */
#include "eval/ast/impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NESTING = 300, MAX_PATH = 12 };

/* ---- nodes ---- */

static Expr *new_expr(Lower *l, const Node *node, EvalFn *function, uint32_t kids)
{
    Expr *x = ARENA_NEW(l->e->arena, Expr);
    x->eval = function;
    x->offset = lower_place(l, node);
    x->count = kids;
    x->kids = kids ? ARENA_ARRAY(l->e->arena, Expr *, kids) : NULL;
    return x;
}

__attribute__((format(printf, 3, 4))) static Expr *unsupported_expr(Lower *l, const Node *node, const char *format, ...)
{
    Expr *x = new_expr(l, node, eval_unsupported, 0);
    va_list args;
    va_start(args, format);
    x->message = arena_format_list(l->e->arena, format, args);
    va_end(args);
    return x;
}

static Expr *constant_expr(Lower *l, const Node *node, const Value *value)
{
    Evaluator *e = l->e;
    Expr *x = new_expr(l, node, eval_constant, 0);
    bool mode = e->in_double;
    if (value->kind == VALUE_UNKNOWN)
        return unsupported_expr(l, node, "the value is not known: %s", value->reason);
    e->in_double = false;
    bool known = datum_of_value(e, value, true, &x->constant.rounded);
    e->in_double = true;
    known = known && datum_of_value(e, value, true, &x->constant.exact);
    e->in_double = mode;
    if (!known)
        return unsupported_expr(l, node, "%s cannot be used in a kernel", value_kind_name(value->kind));
    x->literal = value_is_constant(value) ? value : NULL;
    return x;
}

/* ---- operators ---- */

/* A function of the file named after the builtin behind an operator overloads it. */
Func *operator_function(Lower *l, OpKind op)
{
    const char *name = op_builtin(op);
    const Value *value = name ? scope_find(l->code->scope, name_cstr(l->e->unit->names, name)) : NULL;
    return value && value->kind == VALUE_FUNC ? value->func : NULL;
}

static Expr *lower_binary(Lower *l, const Node *node)
{
    Expr *x = new_expr(l, node, eval_binary, 2);
    x->kids[0] = lower_expr(l, node->bin_op.left);
    x->kids[1] = lower_expr(l, node->bin_op.right);
    x->binary.op = node->bin_op.op;
    x->binary.overload = operator_function(l, node->bin_op.op);
    return x;
}

/* Minus before a constant is part of it. */
static const Value *negated(Lower *l, const Node *operand)
{
    const StaticValue *known = code_static(l->code, operand);
    Number number = {0};
    if (known) {
        if (!value_as_number(known->value, false, &number))
            return NULL;
    } else if (operand->kind == NODE_CONSTANT && operand->constant.kind == CONSTANT_INT)
        number = (Number){.is_int = true, .integer = constant_integer(operand)};
    else if (operand->kind == NODE_CONSTANT && operand->constant.kind == CONSTANT_FLOAT)
        number.real = operand->constant.real;
    else
        return NULL;
    number.integer = -number.integer;
    number.real = -number.real;
    return value_number(l->e->arena, number);
}

static Expr *lower_unary(Lower *l, const Node *node)
{
    const Value *constant = node->unary_op.op == OP_U_SUB ? negated(l, node->unary_op.operand) : NULL;
    if (constant)
        return constant_expr(l, node, constant);
    Expr *x = new_expr(l, node, eval_unary, 1);
    x->kids[0] = lower_expr(l, node->unary_op.operand);
    x->op = node->unary_op.op;
    return x;
}

static Expr *lower_compare(Lower *l, const Node *node)
{
    uint32_t count = node->compare.comparators.count;
    Expr *x = new_expr(l, node, eval_compare, count + 1);
    x->ops = node->compare.ops;
    x->kids[0] = lower_expr(l, node->compare.left);
    for (uint32_t i = 0; i < count; i++) {
        x->kids[i + 1] = lower_expr(l, node->compare.comparators.items[i]);
        if (!op_builtin(x->ops[i]))
            return unsupported_expr(l, node, "'is' and 'in' have no meaning in a kernel");
    }
    return x;
}

static void lower_list(Lower *l, const NodeList *nodes, Expr **out)
{
    for (uint32_t i = 0; i < nodes->count; i++)
        out[i] = lower_expr(l, nodes->items[i]);
}

/* ---- names ---- */

static Expr *slot_expr(Lower *l, const Node *node, uint32_t slot)
{
    Expr *x = new_expr(l, node, eval_name, 0);
    x->slot = slot;
    x->literal = l->constant[slot];
    return x;
}

static Expr *lower_name(Lower *l, const Node *node)
{
    uint32_t slot;
    if (find_plan_slot(l->plan, node->name.id, &slot))
        return slot_expr(l, node, slot);
    Name path[] = {node->name.id};
    bool missing;
    const Value *value = resolve_path(l->e->unit, reference_scope(l->code, path[0]), path, 1, &missing);
    if (!value)
        return unsupported_expr(l, node, "'%s' is not defined", node->name.id->text);
    return constant_expr(l, node, value);
}

/* A dotted path that does not start with a variable; NULL: no such thing. */
static const Value *static_path(Lower *l, const Node *node, Name *path, uint32_t *count)
{
    uint32_t slot;
    *count = node_path(node, path, MAX_PATH);
    if (!*count || find_plan_slot(l->plan, path[0], &slot))
        return NULL;
    bool missing;
    return resolve_kernel_path(l->e->unit, reference_scope(l->code, path[0]), path, *count, &missing);
}

static Expr *lower_attribute(Lower *l, const Node *node)
{
    Name path[MAX_PATH];
    uint32_t count;
    const Value *value = static_path(l, node, path, &count);
    if (value && value->kind != VALUE_MODULE && value->kind != VALUE_FILE)
        return constant_expr(l, node, value);
    Expr *x = new_expr(l, node, eval_attribute, 1);
    x->kids[0] = lower_expr(l, node->attribute.value);
    x->attribute = ARENA_NEW(l->e->arena, Attribute);
    x->attribute->name = node->attribute.attr;
    return x;
}

/* Subscripts: kids are the object and every index of all brackets, as Warp flattens them. */
static Expr *lower_subscript(Lower *l, const Node *node)
{
    uint32_t count = 0, brackets = 0;
    const Node *base = node;
    for (; base->kind == NODE_SUBSCRIPT; base = base->subscript.value, brackets++) {
        const Node *slice = base->subscript.slice;
        count += slice->kind == NODE_TUPLE ? slice->sequence.elts.count : 1;
    }
    if (base->kind == NODE_ATTRIBUTE && name_is(base->attribute.attr, "adjoint"))
        return unsupported_expr(l, node, "wp.adjoint has no meaning in a forward run");
    if (count > 16)
        return unsupported_expr(l, node, "there are too many indices");
    Expr *x = new_expr(l, node, eval_subscript, count + 1);
    x->kids[0] = lower_expr(l, base);
    uint32_t next = count, *sizes = NULL;
    if (brackets > 1)
        x->brackets = sizes = ARENA_ARRAY(l->e->arena, uint32_t, brackets + 1);
    for (const Node *part = node; part->kind == NODE_SUBSCRIPT; part = part->subscript.value) {
        const Node *slice = part->subscript.slice;
        uint32_t elements = slice->kind == NODE_TUPLE ? slice->sequence.elts.count : 1;
        for (uint32_t i = 0; i < elements; i++)
            x->kids[next - elements + i + 1] =
                lower_expr(l, slice->kind == NODE_TUPLE ? slice->sequence.elts.items[i] : slice);
        next -= elements;
        if (sizes)
            sizes[--brackets] = elements;
    }
    return x;
}

static Expr *lower_slice(Lower *l, const Node *node)
{
    Expr *x = new_expr(l, node, eval_slice, 3);
    x->kids[0] = node->slice.lower ? lower_expr(l, node->slice.lower) : NULL;
    x->kids[1] = node->slice.upper ? lower_expr(l, node->slice.upper) : NULL;
    x->kids[2] = node->slice.step ? lower_expr(l, node->slice.step) : NULL;
    return x;
}

/* ---- calls ---- */

/* Arguments of a builtin with keywords, in the order of the parameters of an overload that has them all. */
static bool order_keywords(Lower *l, const char *name, const Node *node, Expr *x)
{
    const BuiltinSet *set = builtin_find(l->e->unit->builtins, name, strlen(name));
    uint32_t positional = node->call.args.count, given = node->call.keywords.count;
    for (uint32_t k = 0; set && k < set->count; k++) {
        const Builtin *builtin = set->overloads[k];
        if ((builtin->flags & BUILTIN_VARIADIC) || builtin->param_count < positional + given)
            continue;
        Expr **kids = ARENA_ARRAY(l->e->arena, Expr *, builtin->param_count);
        memcpy(kids, x->kids, positional * sizeof *kids);
        uint32_t found = 0;
        for (uint32_t i = 0; i < given; i++)
            for (uint32_t p = positional; p < builtin->param_count; p++)
                if (!strcmp(builtin->params[p].name, node->call.keywords.items[i]->keyword.name->text) && !kids[p]) {
                    kids[p] = x->kids[positional + i];
                    found++;
                }
        bool complete = found == given;
        for (uint32_t p = 0; p < builtin->param_count; p++)
            complete &= kids[p] || builtin->params[p].default_kind != DEFAULT_NONE;
        if (!complete)
            continue;
        x->kids = kids;
        x->count = builtin->param_count;
        return true;
    }
    return false;
}

static int place_of(const Builtin *builtin, const char *name)
{
    for (uint32_t i = 0; i < builtin->param_count; i++)
        if (!strcmp(builtin->params[i].name, name))
            return (int)i;
    return -1;
}

/* Named arguments of a constructor, put into the order of the parameters of an overload that has them all. */
static void sort_keywords(Lower *l, const char *name, const Node *node, Expr *x)
{
    const BuiltinSet *set = builtin_find(l->e->unit->builtins, name, strlen(name));
    uint32_t first = node->call.args.count;
    for (uint32_t k = 0; set && x->call->keywords && k < set->count; k++) {
        const Builtin *builtin = set->overloads[k];
        bool fits = true;
        for (uint32_t i = first; i < x->count; i++)
            fits &= place_of(builtin, x->call->keywords[i]->text) >= 0;
        for (uint32_t i = first + 1; fits && i < x->count; i++)
            for (uint32_t j = i; j > first && place_of(builtin, x->call->keywords[j - 1]->text) >
                                                  place_of(builtin, x->call->keywords[j]->text);
                 j--) {
                Expr *kid = x->kids[j];
                Name keyword = x->call->keywords[j];
                x->kids[j] = x->kids[j - 1];
                x->kids[j - 1] = kid;
                x->call->keywords[j] = x->call->keywords[j - 1];
                x->call->keywords[j - 1] = keyword;
            }
        if (fits)
            return;
    }
}

static bool takes_keywords(const char *name)
{
    static const char *const names[] = {"vector", "matrix", "quaternion", "transformation", "spatial_vector"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

/* kids[first …] are the arguments. */
static bool lower_arguments(Lower *l, const Node *node, Expr *x, uint32_t first)
{
    uint32_t positional = node->call.args.count;
    bool named = node->call.keywords.count > 0;
    if (named)
        x->call->keywords = ARENA_ARRAY(l->e->arena, Name, x->count);
    for (uint32_t i = 0; i < positional; i++) {
        const Node *arg = node->call.args.items[i];
        if (arg->kind == NODE_STARRED) {
            x->kids[first + i] = new_expr(l, arg, eval_unpack, 1);
            x->kids[first + i]->kids[0] = lower_expr(l, arg->wrap.value);
        } else
            x->kids[first + i] = lower_expr(l, arg);
    }
    for (uint32_t i = 0; i < node->call.keywords.count; i++) {
        const Node *keyword = node->call.keywords.items[i];
        if (!keyword->keyword.name)
            return false;
        x->kids[first + positional + i] = lower_expr(l, keyword->keyword.value);
        x->call->keywords[first + positional + i] = keyword->keyword.name;
    }
    return true;
}

static Expr *builtin_expr(Lower *l, const Node *node, const char *name, Expr *x)
{
    const BuiltinRow *row = builtin_row(name);
    x->call->name = name;
    if (!row && (x->call->tile = tile_row(name))) {
        x->eval = eval_tile_call;
        l->e->has_tiles = true;
        return x;
    }
    if (!row)
        return unsupported_expr(l, node, "the builtin '%s' is not evaluated", name);
    x->eval = eval_call_builtin;
    x->call->row = row;
    x->call->literal = x->count == 1 ? x->kids[0]->literal : NULL;
    if (takes_keywords(name))
        sort_keywords(l, name, node, x);
    else if (x->call->keywords) {
        if (!order_keywords(l, name, node, x))
            return unsupported_expr(l, node, "no overload of '%s' takes these arguments", name);
        x->call->keywords = NULL;
    }
    return x;
}

static Expr *value_call(Lower *l, const Node *node, const Value *value, const char *attr, Expr *x)
{
    x->call->callee = value;
    x->call->name = attr;
    x->call->literal = x->count == 1 ? x->kids[0]->literal : NULL;
    switch (value->kind) {
    case VALUE_FUNC: x->eval = eval_call_value; return x;
    case VALUE_TYPE:
        if (attr && !strncmp(attr, "spatial_vector", 14))
            return builtin_expr(l, node, "spatial_vector", x);
        if (value->type->kind == TYPE_QUAT || value->type->kind == TYPE_TRANSFORM)
            sort_keywords(l, value->type->kind == TYPE_QUAT ? "quaternion" : "transformation", node, x);
        x->eval = eval_call_value;
        return x;
    case VALUE_BUILTIN: return builtin_expr(l, node, value->builtin->name, x);
    case VALUE_GRAD: return unsupported_expr(l, node, "wp.grad() is not evaluated");
    default:
        if (value_is_intrinsic(value, INTRINSIC_TYPE))
            return builtin_expr(l, node, "type", x);
        if (attr && (tile_row(attr) || builtin_find(l->e->unit->builtins, attr, strlen(attr))))
            return builtin_expr(l, node, attr, x);
        return unsupported_expr(l, node, "'%s' is not evaluated", attr ? attr : value_kind_name(value->kind));
    }
}

Expr *lower_call(Lower *l, const Node *node, uint32_t expected)
{
    const StaticValue *known = code_static(l->code, node);
    if (known)
        return constant_expr(l, node, known->value);
    const Node *func = node->call.func;
    const StaticValue *known_func = func->kind == NODE_CALL ? code_static(l->code, func) : NULL;
    Name path[MAX_PATH];
    uint32_t path_count = 0;
    const Value *value = known_func ? known_func->value : static_path(l, func, path, &path_count);
    if (value_is_intrinsic(value, INTRINSIC_WP_STATIC)) {
        Expr *x = new_expr(l, node, eval_deferred_static, 0);
        x->deferred = ARENA_NEW(l->e->arena, Deferred);
        x->deferred->node = node;
        return x;
    }
    uint32_t args = node->call.args.count + node->call.keywords.count, first = value ? 0 : 1;
    Expr *x = new_expr(l, node, eval_call_dynamic, args + first);
    x->call = ARENA_NEW(l->e->arena, CallSite);
    x->call->expected = expected;
    x->call->name = path_count ? path[path_count - 1]->text : NULL;
    if (!value)
        x->kids[0] = lower_expr(l, func);
    if (!lower_arguments(l, node, x, first))
        return unsupported_expr(l, node, "arguments from a dict");
    return value ? value_call(l, node, value, x->call->name, x) : x;
}

/* ---- expressions ---- */

static const Value *literal(Lower *l, const Node *node)
{
    Arena *arena = l->e->arena;
    switch (node->constant.kind) {
    case CONSTANT_BOOL: return value_bool(node->constant.truth);
    case CONSTANT_INT: return value_int(arena, constant_integer(node));
    case CONSTANT_FLOAT: return value_float(arena, node->constant.real);
    case CONSTANT_STR: return value_str(arena, node->constant.text, node->constant.len);
    default: return NULL;
    }
}

static Expr *lower_any(Lower *l, const Node *node)
{
    Expr *x;
    switch (node->kind) {
    case NODE_CONSTANT: {
        const Value *value = literal(l, node);
        return value ? constant_expr(l, node, value)
                     : unsupported_expr(l, node, "this constant has no meaning in a kernel");
    }
    case NODE_NAME: return lower_name(l, node);
    case NODE_ATTRIBUTE: return lower_attribute(l, node);
    case NODE_SUBSCRIPT: return lower_subscript(l, node);
    case NODE_SLICE: return lower_slice(l, node);
    case NODE_CALL: return lower_call(l, node, 0);
    case NODE_BIN_OP: return lower_binary(l, node);
    case NODE_UNARY_OP: return lower_unary(l, node);
    case NODE_COMPARE: return lower_compare(l, node);
    case NODE_BOOL_OP:
        x = new_expr(l, node, eval_and_or, node->bool_op.values.count);
        x->op = node->bool_op.op;
        lower_list(l, &node->bool_op.values, x->kids);
        return x;
    case NODE_IF_EXP:
        x = new_expr(l, node, eval_if_exp, 3);
        x->kids[0] = lower_expr(l, node->if_exp.test);
        x->kids[1] = lower_expr(l, node->if_exp.body);
        x->kids[2] = lower_expr(l, node->if_exp.orelse);
        return x;
    case NODE_TUPLE:
        x = new_expr(l, node, eval_tuple, node->sequence.elts.count);
        lower_list(l, &node->sequence.elts, x->kids);
        return x;
    default: return unsupported_expr(l, node, "%s has no meaning in a kernel", node_kind_name(node->kind));
    }
}

Expr *lower_expr(Lower *l, const Node *node)
{
    if (++l->nesting > MAX_NESTING) {
        l->nesting--;
        return unsupported_expr(l, node, "the code is nested too deeply");
    }
    Expr *x = lower_any(l, node);
    l->nesting--;
    return x;
}
