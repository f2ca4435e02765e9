/* Templates: a piece of Python text with holes, parsed once and then put together from typed parts.
 *
 * `wp.dot(_0, _1) / _2` is easier to read, and to write, than the calls that build it. */
#include "synth/context.h"

#include "front/parser.h"

#include <string.h>

typedef struct Template {
    const char *text; /* the literal itself: templates are found by address */
    Node *tree;
} Template;

enum { TEMPLATE_SLOTS = 8192 };

struct TemplateTable {
    Template slots[TEMPLATE_SLOTS];
};

static Node *find_template(SynthContext *context, const char *text)
{
    if (!context->templates)
        context->templates = ARENA_NEW(&context->tables, struct TemplateTable);
    uint32_t slot = (uint32_t)(((uintptr_t)text * 0x9e3779b97f4a7c15u) >> 40) % TEMPLATE_SLOTS;
    while (context->templates->slots[slot].text && context->templates->slots[slot].text != text)
        slot = (slot + 1) % TEMPLATE_SLOTS;
    Template *found = &context->templates->slots[slot];
    if (!found->text) {
        Source source = {"template", text, strlen(text)};
        DiagList diags;
        diags_init(&diags, &context->tables);
        found->text = text;
        found->tree = parse_expression(&context->tables, &context->names, &source, &diags);
        if (diags.count)
            found->tree = NULL;
    }
    return found->tree;
}

static Expr fill(Synth *s, const Node *node, const Expr *holes);

static uint32_t fill_list(Synth *s, const NodeList *list, const Expr *holes, Expr *out, uint32_t max)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count && count < max; i++)
        out[count++] = fill(s, list->items[i], holes);
    return count;
}

/* Python's own names of types, and those of warp that are called as constructors. */
static const Type *constructor_type(Synth *s, const Node *function)
{
    if (function->kind == NODE_NAME) {
        if (name_is(function->name.id, "float"))
            return s->style.real;
        return name_is(function->name.id, "int") ? type_scalar(TYPE_INT32) : NULL;
    }
    Name name = function->attribute.attr;
    return warp_name(s, name)->is_type ? type_of(s, name->text) : NULL;
}

static Expr fill_call(Synth *s, const Node *node, const Expr *holes)
{
    Expr args[36];
    uint32_t count = fill_list(s, &node->call.args, holes, args, 36);
    const Type *type = constructor_type(s, node->call.func);
    if (type && type_is_scalar(type))
        return cast(s, type, args[0]);
    if (type && !count)
        return zero(s, type);
    if (type)
        return construct(s, type, args, count);
    return call_warp(s, node->call.func->attribute.attr, args, count);
}

static Expr fill_subscript(Synth *s, const Node *node, const Expr *holes)
{
    const Node *value = node->subscript.value, *slice = node->subscript.slice;
    if (value->kind == NODE_ATTRIBUTE && name_is(value->attribute.attr, "shape"))
        return extent(s, fill(s, value->attribute.value, holes), (uint32_t)slice->constant.integer);
    Expr index[4];
    uint32_t count = 1;
    if (slice->kind == NODE_TUPLE)
        count = fill_list(s, &slice->sequence.elts, holes, index, 4);
    else
        index[0] = fill(s, slice, holes);
    return subscript(s, fill(s, value, holes), index, count);
}

static Expr fill(Synth *s, const Node *node, const Expr *holes)
{
    switch (node->kind) {
    case NODE_NAME:
        if (node->name.id->text[0] == '_')
            return holes[node->name.id->text[1] - '0' + 1];
        return refused(s, node->name.id->text);
    case NODE_CONSTANT:
        if (node->constant.kind == CONSTANT_FLOAT)
            return real(s, node->constant.real);
        if (node->constant.kind == CONSTANT_BOOL)
            return literal(s, type_scalar(TYPE_BOOL), node->constant.truth);
        return integer(s, (int64_t)node->constant.integer);
    case NODE_BIN_OP: {
        Expr left = fill(s, node->bin_op.left, holes);
        Expr right = fill(s, node->bin_op.right, holes);
        return binary(s, node->bin_op.op, left, right);
    }
    case NODE_UNARY_OP: return unary(s, node->unary_op.op, fill(s, node->unary_op.operand, holes));
    case NODE_COMPARE: {
        Expr left = fill(s, node->compare.left, holes);
        return compare(s, node->compare.ops[0], left, fill(s, node->compare.comparators.items[0], holes));
    }
    case NODE_BOOL_OP: {
        Expr result = fill(s, node->bool_op.values.items[0], holes);
        for (uint32_t i = 1; i < node->bool_op.values.count; i++)
            result = both(s, node->bool_op.op, result, fill(s, node->bool_op.values.items[i], holes));
        return result;
    }
    case NODE_IF_EXP: {
        Expr test = fill(s, node->if_exp.test, holes), body = fill(s, node->if_exp.body, holes);
        return if_else(s, test, body, fill(s, node->if_exp.orelse, holes));
    }
    case NODE_CALL: return fill_call(s, node, holes);
    case NODE_SUBSCRIPT: return fill_subscript(s, node, holes);
    case NODE_ATTRIBUTE:
        if (node->attribute.value->kind == NODE_NAME && name_is(node->attribute.value->name.id, "wp")) {
            /* wp.pi and its kin */
            Expr result = real(s, 3.141592653589793);
            bool double_pi = name_is(node->attribute.attr, "TAU") || name_is(node->attribute.attr, "tau");
            result.range.low = result.range.high = double_pi ? 6.283185307179586 : 3.141592653589793;
            if (s->style.real->kind == TYPE_FLOAT32)
                result.node = node_wp(s, node->attribute.attr->text);
            return result;
        }
        return member(s, fill(s, node->attribute.value, holes), node->attribute.attr->text);
    default: return refused(s, "a template of an unknown kind");
    }
}

Expr quote(Synth *s, const char *text, const Expr *holes)
{
    const Node *tree = find_template(s->context, text);
    if (!tree)
        give_up(s, text);
    Expr result = fill(s, tree, holes);
    if (!result.type && s->failure)
        s->failure = arena_format(s->arena, "%s in %s", s->failure, text);
    return result;
}
