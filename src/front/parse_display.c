/* What stands in brackets: groups, tuples, lists, sets, dictionaries, comprehensions. */
#include "front/parser_impl.h"

/* ---- comprehensions ---- */

static Node *parse_generator(Parser *p)
{
    Node *node = node_new(p, NODE_COMPREHENSION, p->token.start);
    node->comprehension.is_async = accept(p, TOKEN_ASYNC);
    expect(p, TOKEN_FOR);
    node->comprehension.target = parse_targets(p);
    expect(p, TOKEN_IN);
    node->comprehension.iter = parse_operators(p, PRECEDENCE_OP_OR);
    uint32_t mark = p->scratch_count;
    while (accept(p, TOKEN_IF))
        scratch_push(p, parse_operators(p, PRECEDENCE_OP_OR));
    node->comprehension.ifs = scratch_take(p, mark);
    return node_end(p, node);
}

NodeList parse_generators(Parser *p)
{
    uint32_t mark = p->scratch_count;
    while (at_comprehension(p))
        scratch_push(p, parse_generator(p));
    return scratch_take(p, mark);
}

static Node *parse_comprehension(Parser *p, NodeKind kind, uint32_t start, Node *element)
{
    Node *node = node_new(p, kind, start);
    if (element->kind == NODE_STARRED)
        parser_fail(p, element->start, element->end, "iterable unpacking cannot be used in comprehension");
    node->comp.elt = element;
    node->comp.generators = parse_generators(p);
    return node;
}

/* ---- parentheses ---- */

/* The rest of `a, b, c` up to `closing`; `first` is read, the next token is a comma or `closing`. */
static NodeList parse_elements(Parser *p, Node *first, TokenKind closing)
{
    uint32_t mark = p->scratch_count;
    scratch_push(p, first);
    while (accept(p, TOKEN_COMMA) && !at(p, closing))
        scratch_push(p, parse_star_or_named(p));
    return scratch_take(p, mark);
}

/* Tuples and generator expressions span their parentheses, which the caller still has to set;
 * anything else keeps the position it has inside. */
Node *parse_in_parentheses(Parser *p, bool *spans_parentheses)
{
    uint32_t start = p->token.start;
    *spans_parentheses = true;
    if (at(p, TOKEN_RIGHT_PAREN))
        return node_new(p, NODE_TUPLE, start);
    if (at(p, TOKEN_YIELD)) {
        *spans_parentheses = false;
        return parse_yield(p);
    }
    Node *first = parse_star_or_named(p);
    if (at_comprehension(p))
        return parse_comprehension(p, NODE_GENERATOR_EXP, start, first);
    if (at(p, TOKEN_COMMA)) {
        Node *tuple = node_new(p, NODE_TUPLE, start);
        tuple->sequence.elts = parse_elements(p, first, TOKEN_RIGHT_PAREN);
        return tuple;
    }
    if (first->kind == NODE_STARRED)
        parser_fail(p, first->start, first->end, "cannot use starred expression here");
    *spans_parentheses = false;
    return first;
}

Node *parse_parentheses(Parser *p)
{
    uint32_t open = p->token.start;
    bool spans_parentheses;
    advance(p);
    Node *node = parse_in_parentheses(p, &spans_parentheses);
    expect_close(p, TOKEN_RIGHT_PAREN, open);
    if (spans_parentheses) {
        node->start = open;
        node->end = p->last_end;
    }
    return node;
}

/* ---- lists ---- */

Node *parse_list(Parser *p)
{
    uint32_t open = p->token.start;
    Node *node;
    advance(p);
    if (at(p, TOKEN_RIGHT_BRACKET)) {
        node = node_new(p, NODE_LIST, open);
    } else {
        Node *first = parse_star_or_named(p);
        if (at_comprehension(p)) {
            node = parse_comprehension(p, NODE_LIST_COMP, open, first);
        } else {
            node = node_new(p, NODE_LIST, open);
            node->sequence.elts = parse_elements(p, first, TOKEN_RIGHT_BRACKET);
        }
    }
    expect_close(p, TOKEN_RIGHT_BRACKET, open);
    return node_end(p, node);
}

/* ---- braces ---- */

/* Pushes a key (NULL for `**x`) and a value. */
static void parse_dict_item(Parser *p)
{
    if (accept(p, TOKEN_DOUBLE_STAR)) {
        scratch_push(p, NULL);
        scratch_push(p, parse_operators(p, PRECEDENCE_OP_BIT_OR));
        return;
    }
    scratch_push(p, parse_ternary(p));
    expect(p, TOKEN_COLON);
    scratch_push(p, parse_ternary(p));
}

/* The items before the current token, from `mark` on, are on the scratch already. */
static Node *parse_dict_rest(Parser *p, uint32_t open, uint32_t mark)
{
    while (accept(p, TOKEN_COMMA) && !at(p, TOKEN_RIGHT_BRACE))
        parse_dict_item(p);
    uint32_t count = (p->scratch_count - mark) / 2;
    Node *node = node_new(p, NODE_DICT, open);
    node->dict.keys = scratch_copy(p, mark, count, 2);
    node->dict.values = scratch_copy(p, mark + 1, count, 2);
    p->scratch_count = mark;
    return node;
}

static Node *parse_dict(Parser *p, uint32_t open, Node *first_key)
{
    uint32_t mark = p->scratch_count;
    advance(p);
    Node *first_value = parse_ternary(p);
    if (at_comprehension(p)) {
        Node *node = parse_comprehension(p, NODE_DICT_COMP, open, first_key);
        node->comp.value = first_value;
        return node;
    }
    scratch_push(p, first_key);
    scratch_push(p, first_value);
    return parse_dict_rest(p, open, mark);
}

static Node *parse_in_braces(Parser *p, uint32_t open)
{
    uint32_t start = p->token.start;
    if (at(p, TOKEN_RIGHT_BRACE))
        return node_new(p, NODE_DICT, open);
    if (at(p, TOKEN_DOUBLE_STAR)) {
        uint32_t mark = p->scratch_count;
        parse_dict_item(p);
        return parse_dict_rest(p, open, mark);
    }
    Node *first = parse_star_or_named(p);
    bool plain = first->kind != NODE_STARRED && !(first->kind == NODE_NAMED_EXPR && first->start == start);
    if (plain && at(p, TOKEN_COLON))
        return parse_dict(p, open, first);
    if (at_comprehension(p))
        return parse_comprehension(p, NODE_SET_COMP, open, first);
    Node *node = node_new(p, NODE_SET, open);
    node->sequence.elts = parse_elements(p, first, TOKEN_RIGHT_BRACE);
    return node;
}

Node *parse_braces(Parser *p)
{
    uint32_t open = p->token.start;
    advance(p);
    Node *node = parse_in_braces(p, open);
    expect_close(p, TOKEN_RIGHT_BRACE, open);
    return node_end(p, node);
}
