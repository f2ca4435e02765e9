/* What may stand left of `=`, after `for`, `with … as` and `del`. */
#include "front/parser_impl.h"

static const char *constant_noun(const Node *node)
{
    switch (node->constant.kind) {
    case CONSTANT_NONE: return "None";
    case CONSTANT_BOOL: return node->constant.truth ? "True" : "False";
    case CONSTANT_ELLIPSIS: return "ellipsis";
    default: return "literal";
    }
}

const char *expression_noun(const Node *node)
{
    switch (node->kind) {
    case NODE_ATTRIBUTE: return "attribute";
    case NODE_SUBSCRIPT: return "subscript";
    case NODE_STARRED: return "starred";
    case NODE_NAME: return "name";
    case NODE_LIST: return "list";
    case NODE_TUPLE: return "tuple";
    case NODE_LAMBDA: return "lambda";
    case NODE_CALL: return "function call";
    case NODE_GENERATOR_EXP: return "generator expression";
    case NODE_YIELD:
    case NODE_YIELD_FROM: return "yield expression";
    case NODE_AWAIT: return "await expression";
    case NODE_LIST_COMP: return "list comprehension";
    case NODE_SET_COMP: return "set comprehension";
    case NODE_DICT_COMP: return "dict comprehension";
    case NODE_DICT: return "dict literal";
    case NODE_SET: return "set display";
    case NODE_JOINED_STR: return "f-string expression";
    case NODE_CONSTANT: return constant_noun(node);
    case NODE_COMPARE: return "comparison";
    case NODE_IF_EXP: return "conditional expression";
    case NODE_NAMED_EXPR: return "named expression";
    default: return "expression";
    }
}

/* The tree below a target is no deeper than the brackets that made it, so the recursion is bounded. */
static void check_target(Parser *p, Node *node, bool deleted)
{
    switch (node->kind) {
    case NODE_NAME: node->name.store = true; return;
    case NODE_ATTRIBUTE:
    case NODE_SUBSCRIPT: return;
    case NODE_TUPLE:
    case NODE_LIST:
        for (uint32_t i = 0; i < node->sequence.elts.count; i++)
            check_target(p, node->sequence.elts.items[i], deleted);
        return;
    case NODE_STARRED:
        if (!deleted) {
            check_target(p, node->wrap.value, false);
            return;
        }
        break;
    default: break;
    }
    Diag *diag =
        parser_fail(p, node->start, node->end, "cannot %s %s", deleted ? "delete" : "assign to", expression_noun(node));
    if (diag && !deleted && p->failed_at.kind == TOKEN_EQUAL)
        diag->hint = "maybe you meant '==' instead of '='";
}

void make_target(Parser *p, Node *node)
{
    check_target(p, node, false);
}

void make_delete_target(Parser *p, Node *node)
{
    check_target(p, node, true);
}

/* star_target: a primary, not any expression, so that `in` is left to the `for`. */
static Node *parse_star_target(Parser *p)
{
    if (!at(p, TOKEN_STAR))
        return parse_primary(p);
    Node *node = node_new(p, NODE_STARRED, p->token.start);
    advance(p);
    node->wrap.value = parse_primary(p);
    return node_end(p, node);
}

Node *parse_with_target(Parser *p)
{
    Node *target = parse_star_target(p);
    make_target(p, target);
    return target;
}

Node *parse_targets(Parser *p)
{
    uint32_t start = p->token.start, mark = p->scratch_count;
    Node *target = parse_star_target(p);
    if (at(p, TOKEN_COMMA)) {
        scratch_push(p, target);
        while (accept(p, TOKEN_COMMA) && !at(p, TOKEN_IN))
            scratch_push(p, parse_star_target(p));
        target = node_new(p, NODE_TUPLE, start);
        target->sequence.elts = scratch_take(p, mark);
        node_end(p, target);
    }
    make_target(p, target);
    return target;
}
