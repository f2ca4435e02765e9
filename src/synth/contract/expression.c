/* Expressions as formulas: Warp's names without `wp.`, and the signs of mathematics. */
#include "synth/contract/tell.h"

#include <string.h>

typedef struct Sign {
    const char *text;
    int bind;
} Sign;

static const Sign signs[OP_KIND_COUNT] = {
#define OP(kind, python_class, symbol, precedence, builtin) [OP_##kind] = {symbol, precedence},
#include "lang/op.def"
#undef OP
};

static const char *sign_of(OpKind op)
{
    switch (op) {
    case OP_EQ: return "=";
    case OP_NOT_EQ: return "≠";
    case OP_LT_E: return "≤";
    case OP_GT_E: return "≥";
    case OP_MULT: return "·";
    default: return signs[op].text;
    }
}

static bool is_wp(const Node *node)
{
    return node->kind == NODE_NAME && (name_is(node->name.id, "wp") || name_is(node->name.id, "warp"));
}

Name builtin_of(const Node *node)
{
    return node->kind == NODE_ATTRIBUTE && is_wp(node->attribute.value) ? node->attribute.attr : NULL;
}

bool calls_builtin(const Node *node, const char *name)
{
    return node->kind == NODE_CALL && name_is(builtin_of(node->call.func), name);
}

const Node *without_static(const Node *node)
{
    while (calls_builtin(node, "static") && node->call.args.count == 1)
        node = node->call.args.items[0];
    return node;
}

bool is_number(const Node *node, double value)
{
    node = without_static(node);
    if (node->kind != NODE_CONSTANT)
        return false;
    return node->constant.kind == CONSTANT_FLOAT ? node->constant.real == value
           : node->constant.kind == CONSTANT_INT ? (double)constant_integer(node) == value
                                                 : false;
}

static void open_if(Teller *t, bool needed, char bracket)
{
    if (needed)
        text_char(t->out, bracket);
}

void tell_list(Teller *t, const NodeList *list, const char *between)
{
    for (uint32_t i = 0; i < list->count; i++) {
        text_str(t->out, i ? between : "");
        tell_expression(t, list->items[i], BIND_ANY);
    }
}

/* Operators whose precedence few know by heart: their operands stand in parentheses. */
static bool is_rare_operator(OpKind op)
{
    return op == OP_BIT_OR || op == OP_BIT_XOR || op == OP_BIT_AND || op == OP_L_SHIFT || op == OP_R_SHIFT ||
           op == OP_MOD;
}

static void tell_operands(Teller *t, const Node *left, OpKind op, const Node *right)
{
    int bind = signs[op].bind;
    bool power = op == OP_POW, apart = is_rare_operator(op);
    bool chain = left->kind == NODE_BIN_OP && left->bin_op.op == op;
    tell_expression(t, left, power ? BIND_ATOM : apart && !chain ? BIND_UNARY : bind);
    text_char(t->out, ' ');
    text_str(t->out, sign_of(op));
    text_char(t->out, ' ');
    tell_expression(t, right, power || apart ? BIND_UNARY : bind + 1);
}

static void tell_comparison(Teller *t, const Node *node)
{
    tell_expression(t, node->compare.left, BIND_SUM);
    for (uint32_t i = 0; i < node->compare.comparators.count; i++) {
        text_char(t->out, ' ');
        text_str(t->out, sign_of(node->compare.ops[i]));
        text_char(t->out, ' ');
        tell_expression(t, node->compare.comparators.items[i], BIND_SUM);
    }
}

static void tell_bool_op(Teller *t, const Node *node)
{
    const NodeList *values = &node->bool_op.values;
    for (uint32_t i = 0; i < values->count; i++) {
        text_str(t->out, !i ? "" : node->bool_op.op == OP_AND ? " and " : " or ");
        tell_expression(t, values->items[i], signs[OP_NOT].bind); /* a or (b and c) */
    }
}

static void tell_choice(Teller *t, const Node *test, const Node *yes, const Node *no)
{
    text_char(t->out, '(');
    tell_expression(t, yes, 1);
    text_lit(t->out, " if ");
    tell_expression(t, test, 1);
    text_lit(t->out, ", otherwise ");
    tell_expression(t, no, 1);
    text_char(t->out, ')');
}

static void tell_arguments(Teller *t, const Node *call)
{
    text_char(t->out, '(');
    tell_list(t, &call->call.args, ", ");
    for (uint32_t i = 0; i < call->call.keywords.count; i++) {
        const Node *keyword = call->call.keywords.items[i];
        text_str(t->out, i || call->call.args.count ? ", " : "");
        if (keyword->keyword.name) {
            text_add(t->out, keyword->keyword.name->text, keyword->keyword.name->len);
            text_lit(t->out, "=");
        } else
            t->failed = true;
        tell_expression(t, keyword->keyword.value, BIND_ANY);
    }
    text_char(t->out, ')');
}

/* A name or a number: that it is static goes without saying. */
static bool is_plain(const Node *node)
{
    return node->kind == NODE_NAME || node->kind == NODE_CONSTANT || node->kind == NODE_ATTRIBUTE;
}

/* geometry.area(…), where a class of the record stands for a module of the project. */
static bool is_of_class(Teller *t, const Node *func)
{
    return func->kind == NODE_ATTRIBUTE && func->attribute.value->kind == NODE_NAME &&
           !variable_of(t, func->attribute.value) && is_class(t->module, func->attribute.value->name.id);
}

static void tell_call(Teller *t, const Node *node)
{
    t->lacks_name |= is_of_class(t, node->call.func);
    const NodeList *args = &node->call.args;
    bool plain = !node->call.keywords.count;
    if (plain && args->count == 1 && calls_builtin(node, "static") && is_plain(args->items[0]))
        tell_expression(t, args->items[0], BIND_ATOM);
    else if (plain && args->count == 3 && calls_builtin(node, "where"))
        tell_choice(t, args->items[0], args->items[1], args->items[2]);
    else {
        tell_expression(t, node->call.func, BIND_ATOM);
        tell_arguments(t, node);
    }
}

/* x.shape[0]: size(x, 0) */
static bool tell_size(Teller *t, const Node *node)
{
    const Node *value = node->subscript.value;
    if (value->kind != NODE_ATTRIBUTE || !name_is(value->attribute.attr, "shape"))
        return false;
    text_lit(t->out, "size(");
    tell_expression(t, value->attribute.value, BIND_ATOM);
    text_lit(t->out, ", ");
    tell_expression(t, node->subscript.slice, BIND_ANY);
    text_char(t->out, ')');
    return true;
}

static void tell_subscript(Teller *t, const Node *node)
{
    const Node *slice = node->subscript.slice;
    if (tell_size(t, node))
        return;
    tell_expression(t, node->subscript.value, BIND_ATOM);
    text_char(t->out, '[');
    if (slice->kind == NODE_TUPLE)
        tell_list(t, &slice->sequence.elts, ", ");
    else
        tell_expression(t, slice, BIND_ANY);
    text_char(t->out, ']');
}

/* wp.pi beside a variable pi keeps its prefix. */
static bool is_taken(Teller *t, Name builtin)
{
    bool taken = is_defined(t->module, builtin);
    for (uint32_t i = 0; i < t->variable_count; i++)
        taken |= t->variables[i].name->len == builtin->len &&
                 memcmp(t->variables[i].name->text, builtin->text, builtin->len) == 0;
    return taken;
}

static void tell_attribute(Teller *t, const Node *node)
{
    Name builtin = builtin_of(node);
    if (name_is(builtin, "pi") || name_is(builtin, "PI")) {
        text_lit(t->out, "π");
        return;
    }
    if (!builtin || is_taken(t, builtin)) {
        tell_expression(t, node->attribute.value, BIND_ATOM);
        text_char(t->out, '.');
    }
    text_add(t->out, node->attribute.attr->text, node->attribute.attr->len);
}

static void tell_slice(Teller *t, const Node *node)
{
    if (node->slice.lower)
        tell_expression(t, node->slice.lower, BIND_SUM);
    text_char(t->out, ':');
    if (node->slice.upper)
        tell_expression(t, node->slice.upper, BIND_SUM);
    if (node->slice.step)
        t->failed = true;
}

static void tell_name(Teller *t, const Node *node, int bind)
{
    const Variable *variable = variable_of(t, node);
    t->lacks_name |= !variable && !is_known_name(t->module, node->name.id);
    if (variable && variable->value)
        tell_expression(t, variable->value, bind);
    else
        text_add(t->out, node->name.id->text, node->name.id->len);
}

static int bind_of(const Node *node)
{
    switch (node->kind) {
    case NODE_BIN_OP: return signs[node->bin_op.op].bind;
    case NODE_UNARY_OP: return signs[node->unary_op.op].bind;
    case NODE_BOOL_OP: return signs[node->bool_op.op].bind;
    case NODE_COMPARE: return signs[OP_EQ].bind;
    default: return BIND_ATOM;
    }
}

static void tell_unary(Teller *t, const Node *node)
{
    text_str(t->out, node->unary_op.op == OP_NOT ? "not " : signs[node->unary_op.op].text);
    tell_expression(t, node->unary_op.operand, signs[node->unary_op.op].bind);
}

/* A sign before a number belongs to it, but not below a power: (-2) ** 2. */
static bool is_negative(const Node *node)
{
    return node->kind == NODE_CONSTANT && ((node->constant.kind == CONSTANT_FLOAT && node->constant.real < 0) ||
                                           (node->constant.kind == CONSTANT_INT && constant_integer(node) < 0));
}

static void tell_inner(Teller *t, const Node *node, int bind)
{
    switch (node->kind) {
    case NODE_CONSTANT: unparse(node, t->out); break;
    case NODE_NAME: tell_name(t, node, bind); break;
    case NODE_ATTRIBUTE: tell_attribute(t, node); break;
    case NODE_SUBSCRIPT: tell_subscript(t, node); break;
    case NODE_CALL: tell_call(t, node); break;
    case NODE_BIN_OP: tell_operands(t, node->bin_op.left, node->bin_op.op, node->bin_op.right); break;
    case NODE_UNARY_OP: tell_unary(t, node); break;
    case NODE_BOOL_OP: tell_bool_op(t, node); break;
    case NODE_COMPARE: tell_comparison(t, node); break;
    case NODE_IF_EXP: tell_choice(t, node->if_exp.test, node->if_exp.body, node->if_exp.orelse); break;
    case NODE_SLICE: tell_slice(t, node); break;
    case NODE_TUPLE:
        text_char(t->out, '(');
        tell_list(t, &node->sequence.elts, ", ");
        text_str(t->out, node->sequence.elts.count == 1 ? ",)" : ")");
        break;
    default: t->failed = true;
    }
}

void tell_expression(Teller *t, const Node *node, int bind)
{
    bool apart = bind_of(node) < bind || (bind > BIND_UNARY && is_negative(node));
    open_if(t, apart, '(');
    tell_inner(t, node, bind);
    open_if(t, apart, ')');
}
