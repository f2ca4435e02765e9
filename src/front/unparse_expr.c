/* Expressions as text, with parentheses only where the grammar needs them. */
#include "front/unparse_impl.h"

typedef struct OpText {
    const char *symbol;
    Level level;
} OpText;

static const OpText op_texts[OP_KIND_COUNT] = {
#define OP(kind, python_class, symbol, precedence, builtin) [OP_##kind] = {symbol, (Level)(precedence)},
#include "lang/op.def"
#undef OP
};

/* The levels that are named are those of op.def. */
enum {
#define OP(kind, python_class, symbol, precedence, builtin) PRECEDENCE_##kind = precedence,
#include "lang/op.def"
#undef OP
};
_Static_assert((int)LEVEL_OR == PRECEDENCE_OR && (int)LEVEL_COMPARE == PRECEDENCE_EQ, "levels and op.def");
_Static_assert((int)LEVEL_BIT_OR == PRECEDENCE_BIT_OR && (int)LEVEL_SUM == PRECEDENCE_ADD, "levels and op.def");
_Static_assert((int)LEVEL_UNARY == PRECEDENCE_U_SUB && (int)LEVEL_AWAIT == PRECEDENCE_POW + 1, "levels and op.def");

/* A negative constant is written with a sign, so it binds like one. */
static bool is_negative(const Node *node)
{
    switch (node->constant.kind) {
    case CONSTANT_INT: return constant_integer(node) < 0;
    case CONSTANT_FLOAT:
    case CONSTANT_COMPLEX: return node->constant.real < 0;
    default: return false;
    }
}

static bool needs_parentheses(const Node *node, Level level)
{
    switch (node->kind) {
    case NODE_YIELD:
    case NODE_YIELD_FROM: return level != LEVEL_ANY;
    case NODE_NAMED_EXPR: return level != LEVEL_NAMED;
    case NODE_LAMBDA:
    case NODE_IF_EXP: return level > LEVEL_TEST;
    case NODE_BOOL_OP: return level > op_texts[node->bool_op.op].level;
    case NODE_BIN_OP: return level > op_texts[node->bin_op.op].level;
    case NODE_UNARY_OP: return level > op_texts[node->unary_op.op].level;
    case NODE_COMPARE: return level > LEVEL_COMPARE;
    case NODE_AWAIT: return level > LEVEL_AWAIT;
    case NODE_CONSTANT: return level > LEVEL_UNARY && is_negative(node);
    default: return false;
    }
}

void write_expressions(Unparser *u, const NodeList *list, Level level)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (i > 0)
            text_lit(u->out, ", ");
        write_expression(u, list->items[i], level);
    }
}

/* ---- operators ---- */

/* Operators whose precedence few know by heart. */
static bool is_rare_operator(OpKind op)
{
    return op == OP_BIT_OR || op == OP_BIT_XOR || op == OP_BIT_AND || op == OP_L_SHIFT || op == OP_R_SHIFT ||
           op == OP_MOD;
}

static void write_bool_op(Unparser *u, const Node *node)
{
    OpText op = op_texts[node->bool_op.op];
    Level level = (Level)(op.level + 1 + (u->readable && node->bool_op.op == OP_OR)); /* a or (b and c) */
    for (uint32_t i = 0; i < node->bool_op.values.count; i++) {
        if (i > 0) {
            text_char(u->out, ' ');
            text_str(u->out, op.symbol);
            text_char(u->out, ' ');
        }
        write_expression(u, node->bool_op.values.items[i], level);
    }
}

static void write_bin_op(Unparser *u, const Node *node)
{
    OpText op = op_texts[node->bin_op.op];
    bool power = node->bin_op.op == OP_POW; /* binds to the right, and the exponent may have a sign */
    const Node *first = node->bin_op.left;
    bool chain = first->kind == NODE_BIN_OP && first->bin_op.op == node->bin_op.op;
    bool apart = u->readable && is_rare_operator(node->bin_op.op); /* operands with operators of their own */
    write_expression(u, first, power ? LEVEL_AWAIT : apart && !chain ? LEVEL_UNARY : op.level);
    text_char(u->out, ' ');
    text_str(u->out, op.symbol);
    text_char(u->out, ' ');
    write_expression(u, node->bin_op.right, power || apart ? LEVEL_UNARY : (Level)(op.level + 1));
}

static void write_unary_op(Unparser *u, const Node *node)
{
    OpText op = op_texts[node->unary_op.op];
    text_str(u->out, op.symbol);
    if (node->unary_op.op == OP_NOT)
        text_char(u->out, ' ');
    write_expression(u, node->unary_op.operand, op.level);
}

static void write_compare(Unparser *u, const Node *node)
{
    const Level level = u->readable ? LEVEL_SUM : LEVEL_BIT_OR; /* (a & b) == c */
    write_expression(u, node->compare.left, level);
    for (uint32_t i = 0; i < node->compare.comparators.count; i++) {
        text_char(u->out, ' ');
        text_str(u->out, op_texts[node->compare.ops[i]].symbol);
        text_char(u->out, ' ');
        write_expression(u, node->compare.comparators.items[i], level);
    }
}

static void write_if_exp(Unparser *u, const Node *node)
{
    write_expression(u, node->if_exp.body, LEVEL_OR);
    text_lit(u->out, " if ");
    write_expression(u, node->if_exp.test, LEVEL_OR);
    text_lit(u->out, " else ");
    write_expression(u, node->if_exp.orelse, LEVEL_TEST);
}

static void write_yield(Unparser *u, const Node *node)
{
    if (node->kind == NODE_YIELD_FROM) {
        text_lit(u->out, "yield from ");
        write_expression(u, node->wrap.value, LEVEL_TEST);
        return;
    }
    text_lit(u->out, "yield");
    if (node->wrap.value) {
        text_char(u->out, ' ');
        write_expression(u, node->wrap.value, LEVEL_STAR);
    }
}

/* ---- displays ---- */

static void write_bracketed(Unparser *u, char open, const NodeList *list, char close)
{
    text_char(u->out, open);
    write_expressions(u, list, LEVEL_NAMED);
    text_char(u->out, close);
}

/* A tuple of one is never bare: its comma is easily overlooked. */
static void write_tuple(Unparser *u, const Node *node, Level level)
{
    const NodeList *elts = &node->sequence.elts;
    if (level <= LEVEL_STAR && elts->count > 1) {
        write_expressions(u, elts, LEVEL_TEST);
        return;
    }
    text_char(u->out, '(');
    write_expressions(u, elts, LEVEL_NAMED);
    text_str(u->out, elts->count == 1 ? ",)" : ")");
}

static void write_dict(Unparser *u, const Node *node)
{
    text_char(u->out, '{');
    for (uint32_t i = 0; i < node->dict.keys.count; i++) {
        const Node *key = node->dict.keys.items[i], *value = node->dict.values.items[i];
        if (i > 0)
            text_lit(u->out, ", ");
        if (key) {
            write_expression(u, key, LEVEL_TEST);
            text_lit(u->out, ": ");
            write_expression(u, value, LEVEL_TEST);
        } else {
            text_lit(u->out, "**");
            write_expression(u, value, LEVEL_BIT_OR);
        }
    }
    text_char(u->out, '}');
}

static void write_generators(Unparser *u, const NodeList *generators)
{
    for (uint32_t i = 0; i < generators->count; i++) {
        text_char(u->out, ' ');
        write_helper(u, generators->items[i]);
    }
}

/* Without its brackets. */
static void write_comprehension(Unparser *u, const Node *node)
{
    bool is_dict = node->kind == NODE_DICT_COMP;
    write_expression(u, node->comp.elt, is_dict ? LEVEL_TEST : LEVEL_NAMED);
    if (is_dict) {
        text_lit(u->out, ": ");
        write_expression(u, node->comp.value, LEVEL_TEST);
    }
    write_generators(u, &node->comp.generators);
}

/* ---- trailers ---- */

static void write_attribute(Unparser *u, const Node *node)
{
    const Node *value = node->attribute.value;
    bool is_integer = value->kind == NODE_CONSTANT && value->constant.kind == CONSTANT_INT;
    if (is_integer) /* the dot would become part of the number */
        text_char(u->out, '(');
    write_expression(u, value, is_integer ? LEVEL_TEST : LEVEL_ATOM);
    if (is_integer)
        text_char(u->out, ')');
    text_char(u->out, '.');
    write_name(u, node->attribute.attr);
}

static void write_slice(Unparser *u, const Node *node)
{
    if (node->slice.lower)
        write_expression(u, node->slice.lower, LEVEL_TEST);
    text_char(u->out, ':');
    if (node->slice.upper)
        write_expression(u, node->slice.upper, LEVEL_TEST);
    if (node->slice.step) {
        text_char(u->out, ':');
        write_expression(u, node->slice.step, LEVEL_TEST);
    }
}

/* `*x` where x may be any expression: in calls and subscripts. */
static void write_wide_starred(Unparser *u, const Node *node, Level level)
{
    if (node->kind == NODE_STARRED) {
        text_char(u->out, '*');
        write_expression(u, node->wrap.value, LEVEL_TEST);
    } else {
        write_expression(u, node, level);
    }
}

static void write_subscript(Unparser *u, const Node *node)
{
    const Node *slice = node->subscript.slice;
    write_expression(u, node->subscript.value, LEVEL_ATOM);
    text_char(u->out, '[');
    if (slice->kind == NODE_TUPLE && slice->sequence.elts.count > 0) {
        const NodeList *elts = &slice->sequence.elts;
        for (uint32_t i = 0; i < elts->count; i++) {
            if (i > 0)
                text_lit(u->out, ", ");
            write_wide_starred(u, elts->items[i], LEVEL_NAMED);
        }
        if (elts->count == 1)
            text_char(u->out, ',');
    } else {
        write_wide_starred(u, slice, LEVEL_NAMED);
    }
    text_char(u->out, ']');
}

void write_arguments(Unparser *u, const NodeList *args, const NodeList *keywords, bool bare_generator)
{
    if (bare_generator && args->count == 1 && !keywords->count && args->items[0]->kind == NODE_GENERATOR_EXP) {
        write_comprehension(u, args->items[0]);
        return;
    }
    for (uint32_t i = 0; i < args->count; i++) {
        if (i > 0)
            text_lit(u->out, ", ");
        write_wide_starred(u, args->items[i], LEVEL_NAMED);
    }
    for (uint32_t i = 0; i < keywords->count; i++) {
        if (i > 0 || args->count > 0)
            text_lit(u->out, ", ");
        write_helper(u, keywords->items[i]);
    }
}

static void write_call(Unparser *u, const Node *node)
{
    write_expression(u, node->call.func, LEVEL_ATOM);
    text_char(u->out, '(');
    write_arguments(u, &node->call.args, &node->call.keywords, true);
    text_char(u->out, ')');
}

/* ---- parameters ---- */

static void write_parameter(Unparser *u, const Node *arg, const Node *value)
{
    write_helper(u, arg);
    if (value) {
        text_str(u->out, arg->arg.annotation ? " = " : "=");
        write_expression(u, value, LEVEL_TEST);
    }
}

static void write_separator(Unparser *u, bool *first)
{
    if (!*first)
        text_lit(u->out, ", ");
    *first = false;
}

void write_parameters(Unparser *u, const Node *params)
{
    const NodeList *posonly = &params->arguments.posonly, *args = &params->arguments.args;
    const NodeList *defaults = &params->arguments.defaults, *kwonly = &params->arguments.kwonly;
    uint32_t count = posonly->count + args->count, required = count - defaults->count;
    bool first = true;
    for (uint32_t i = 0; i < count; i++) {
        const Node *arg = i < posonly->count ? posonly->items[i] : args->items[i - posonly->count];
        write_separator(u, &first);
        write_parameter(u, arg, i < required ? NULL : defaults->items[i - required]);
        if (i + 1 == posonly->count)
            text_lit(u->out, ", /");
    }
    if (params->arguments.vararg || kwonly->count) {
        write_separator(u, &first);
        text_char(u->out, '*');
        if (params->arguments.vararg)
            write_parameter(u, params->arguments.vararg, NULL);
    }
    for (uint32_t i = 0; i < kwonly->count; i++) {
        write_separator(u, &first);
        write_parameter(u, kwonly->items[i], params->arguments.kw_defaults.items[i]);
    }
    if (params->arguments.kwarg) {
        write_separator(u, &first);
        text_lit(u->out, "**");
        write_parameter(u, params->arguments.kwarg, NULL);
    }
}

static void write_lambda(Unparser *u, const Node *node)
{
    const Node *params = node->lambda.params;
    text_lit(u->out, "lambda");
    size_t before = u->out->len;
    text_char(u->out, ' ');
    write_parameters(u, params);
    if (u->out->len == before + 1)
        u->out->len = before;
    text_lit(u->out, ": ");
    write_expression(u, node->lambda.body, LEVEL_TEST);
}

void write_helper(Unparser *u, const Node *node)
{
    switch (node->kind) {
    case NODE_KEYWORD:
        write_name(u, node->keyword.name);
        text_str(u->out, node->keyword.name ? "=" : "**");
        write_expression(u, node->keyword.value, LEVEL_TEST);
        break;
    case NODE_ARG:
        write_name(u, node->arg.name);
        if (node->arg.annotation) {
            text_lit(u->out, ": ");
            write_expression(u, node->arg.annotation, LEVEL_TEST);
        }
        break;
    case NODE_COMPREHENSION:
        text_str(u->out, node->comprehension.is_async ? "async for " : "for ");
        write_expression(u, node->comprehension.target, LEVEL_STAR);
        text_lit(u->out, " in ");
        write_expression(u, node->comprehension.iter, LEVEL_OR);
        for (uint32_t i = 0; i < node->comprehension.ifs.count; i++) {
            text_lit(u->out, " if ");
            write_expression(u, node->comprehension.ifs.items[i], LEVEL_OR);
        }
        break;
    case NODE_ARGUMENTS: write_parameters(u, node); break;
    default: break;
    }
}

/* ---- dispatch ---- */

static void write_bare(Unparser *u, const Node *node, Level level)
{
    switch (node->kind) {
    case NODE_BOOL_OP: write_bool_op(u, node); break;
    case NODE_NAMED_EXPR:
        write_expression(u, node->named_expr.target, LEVEL_ATOM);
        text_lit(u->out, " := ");
        write_expression(u, node->named_expr.value, LEVEL_TEST);
        break;
    case NODE_BIN_OP: write_bin_op(u, node); break;
    case NODE_UNARY_OP: write_unary_op(u, node); break;
    case NODE_LAMBDA: write_lambda(u, node); break;
    case NODE_IF_EXP: write_if_exp(u, node); break;
    case NODE_DICT: write_dict(u, node); break;
    case NODE_SET: write_bracketed(u, '{', &node->sequence.elts, '}'); break;
    case NODE_LIST: write_bracketed(u, '[', &node->sequence.elts, ']'); break;
    case NODE_TUPLE: write_tuple(u, node, level); break;
    case NODE_LIST_COMP:
        text_char(u->out, '[');
        write_comprehension(u, node);
        text_char(u->out, ']');
        break;
    case NODE_SET_COMP:
    case NODE_DICT_COMP:
        text_char(u->out, '{');
        write_comprehension(u, node);
        text_char(u->out, '}');
        break;
    case NODE_GENERATOR_EXP:
        text_char(u->out, '(');
        write_comprehension(u, node);
        text_char(u->out, ')');
        break;
    case NODE_AWAIT:
        text_lit(u->out, "await ");
        write_expression(u, node->wrap.value, LEVEL_ATOM);
        break;
    case NODE_YIELD:
    case NODE_YIELD_FROM: write_yield(u, node); break;
    case NODE_COMPARE: write_compare(u, node); break;
    case NODE_CALL: write_call(u, node); break;
    case NODE_JOINED_STR: write_joined_string(u, node); break;
    case NODE_CONSTANT: write_constant(u, node); break;
    case NODE_ATTRIBUTE: write_attribute(u, node); break;
    case NODE_SUBSCRIPT: write_subscript(u, node); break;
    case NODE_STARRED:
        text_char(u->out, '*');
        write_expression(u, node->wrap.value, LEVEL_BIT_OR);
        break;
    case NODE_NAME: write_name(u, node->name.id); break;
    case NODE_SLICE: write_slice(u, node); break;
    default: break;
    }
}

void write_expression(Unparser *u, const Node *node, Level level)
{
    if (!needs_parentheses(node, level)) {
        write_bare(u, node, level);
        return;
    }
    text_char(u->out, '(');
    write_bare(u, node, node->kind == NODE_NAMED_EXPR ? LEVEL_NAMED : LEVEL_TEST);
    text_char(u->out, ')');
}
