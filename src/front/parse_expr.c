/* Expressions: conditional, lambda, operators by precedence, calls, attributes, subscripts. */
#include "front/parser_impl.h"

/* What a token does between two operands; precedence 0: it ends the expression. */
typedef struct Infix {
    uint8_t precedence, op;
} Infix;

static const Infix infix_of[TOKEN_KIND_COUNT + 1] = {
#define KEYWORD(kind, spelling, first, last)
#define OPERATOR(kind, spelling, binary, augmented) [TOKEN_##kind] = {PRECEDENCE_##binary, binary},
#include "lang/token.def"
    [TOKEN_OR] = {PRECEDENCE_OP_OR, OP_OR},   [TOKEN_AND] = {PRECEDENCE_OP_AND, OP_AND},
    [TOKEN_IN] = {PRECEDENCE_COMPARE, OP_IN}, [TOKEN_NOT] = {PRECEDENCE_COMPARE, OP_NOT_IN},
    [TOKEN_IS] = {PRECEDENCE_COMPARE, OP_IS},
};

/* Chains such as `a + b + c` and `a.b.c` are parsed in a loop, but whoever walks the tree recurses. So
 * `chained` measures the tree: it is the most chain links on any path down from what was parsed since
 * chain_begin. chain_link puts one more node on top; chain_end takes the larger of two siblings. */
static uint32_t chain_begin(Parser *p)
{
    uint32_t outer = p->chained;
    p->chained = 0;
    return outer;
}

static bool chain_link(Parser *p, uint32_t start)
{
    if (++p->chained <= LIMIT_PARSE_CHAIN)
        return true;
    parser_fail(p, start, p->last_end, "expression nested too deeply");
    return false;
}

static void chain_end(Parser *p, uint32_t outer)
{
    if (outer > p->chained)
        p->chained = outer;
}

/* ---- atoms and their trailers ---- */

static Node *parse_constant(Parser *p, ConstantKind kind, bool truth)
{
    Node *node = node_new(p, NODE_CONSTANT, p->token.start);
    node->constant.kind = kind;
    node->constant.truth = truth;
    advance(p);
    return node_end(p, node);
}

static Node *parse_name(Parser *p)
{
    Node *node = node_new(p, NODE_NAME, p->token.start);
    node->name.id = p->token.name;
    advance(p);
    return node_end(p, node);
}

static Node *parse_atom(Parser *p)
{
    switch (p->token.kind) {
    case TOKEN_NAME: return parse_name(p);
    case TOKEN_NUMBER: return parse_number(p);
    case TOKEN_STRING: return parse_strings(p);
    case TOKEN_LEFT_PAREN: return parse_parentheses(p);
    case TOKEN_LEFT_BRACKET: return parse_list(p);
    case TOKEN_LEFT_BRACE: return parse_braces(p);
    case TOKEN_ELLIPSIS: return parse_constant(p, CONSTANT_ELLIPSIS, false);
    case TOKEN_NONE: return parse_constant(p, CONSTANT_NONE, false);
    case TOKEN_TRUE: return parse_constant(p, CONSTANT_BOOL, true);
    case TOKEN_FALSE: return parse_constant(p, CONSTANT_BOOL, false);
    default: parser_fail_expected(p, "an expression"); return error_node(p);
    }
}

static Node *parse_slice(Parser *p)
{
    if (at(p, TOKEN_STAR))
        return parse_starred(p, true);
    uint32_t start = p->token.start;
    Node *lower = at(p, TOKEN_COLON) ? NULL : parse_named(p);
    if (!at(p, TOKEN_COLON))
        return lower;
    if (lower && lower->kind == NODE_NAMED_EXPR && lower->start == start) {
        parser_fail(p, p->token.start, p->token.end, "cannot use an unparenthesized ':=' as a slice bound");
        return lower;
    }
    Node *node = node_new(p, NODE_SLICE, start);
    node->slice.lower = lower;
    advance(p);
    if (!at(p, TOKEN_COLON) && !at(p, TOKEN_COMMA) && !at(p, TOKEN_RIGHT_BRACKET))
        node->slice.upper = parse_ternary(p);
    if (accept(p, TOKEN_COLON) && !at(p, TOKEN_COMMA) && !at(p, TOKEN_RIGHT_BRACKET))
        node->slice.step = parse_ternary(p);
    return node_end(p, node);
}

/* `a[…]`: one slice, or a tuple of them that begins and ends inside the brackets. */
static Node *parse_slices(Parser *p)
{
    uint32_t start = p->token.start, mark = p->scratch_count;
    Node *first = parse_slice(p);
    if (!at(p, TOKEN_COMMA) && first->kind != NODE_STARRED)
        return first;
    scratch_push(p, first);
    while (accept(p, TOKEN_COMMA) && !at(p, TOKEN_RIGHT_BRACKET))
        scratch_push(p, parse_slice(p));
    return take_tuple(p, start, mark);
}

static Node *parse_subscript(Parser *p, Node *value, uint32_t start)
{
    uint32_t open = p->token.start;
    Node *node = node_new(p, NODE_SUBSCRIPT, start);
    node->subscript.value = value;
    advance(p);
    node->subscript.slice = parse_slices(p);
    expect_close(p, TOKEN_RIGHT_BRACKET, open);
    return node_end(p, node);
}

static Node *parse_attribute(Parser *p, Node *value, uint32_t start)
{
    Node *node = node_new(p, NODE_ATTRIBUTE, start);
    node->attribute.value = value;
    advance(p);
    node->attribute.attr_start = p->token.start;
    node->attribute.attr = expect_name(p);
    return node_end(p, node);
}

static Node *parse_call(Parser *p, Node *func, uint32_t start)
{
    uint32_t open = p->token.start;
    Node *node = node_new(p, NODE_CALL, start);
    node->call.func = func;
    advance(p);
    node->call.args = parse_arguments(p, open, true, &node->call.keywords);
    return node_end(p, node);
}

Node *parse_primary(Parser *p)
{
    uint32_t start = p->token.start, outer = chain_begin(p);
    Node *node = parse_atom(p);
    do {
        if (at(p, TOKEN_DOT))
            node = parse_attribute(p, node, start);
        else if (at(p, TOKEN_LEFT_PAREN))
            node = parse_call(p, node, start);
        else if (at(p, TOKEN_LEFT_BRACKET))
            node = parse_subscript(p, node, start);
        else
            break;
    } while (chain_link(p, start));
    chain_end(p, outer);
    return node;
}

/* ---- arguments ---- */

static Node *parse_keyword_value(Parser *p, Node *keyword)
{
    keyword->keyword.value = parse_ternary(p);
    return node_end(p, keyword);
}

static Node *parse_double_star(Parser *p)
{
    Node *keyword = node_new(p, NODE_KEYWORD, p->token.start);
    advance(p);
    return parse_keyword_value(p, keyword);
}

/* `name=value`: `name` was read as an expression. */
static Node *parse_named_argument(Parser *p, Node *name, uint32_t start)
{
    Node *keyword = node_new(p, NODE_KEYWORD, start);
    if (name->kind == NODE_NAME && name->start == start) {
        keyword->keyword.name = name->name.id;
    } else if (name->kind == NODE_CONSTANT && name->constant.kind <= CONSTANT_BOOL) {
        parser_fail(p, start, p->last_end, "cannot assign to %s", expression_noun(name));
    } else {
        Diag *diag = parser_fail(p, start, p->last_end, "expression cannot contain assignment");
        if (diag)
            diag->hint = "perhaps you meant '=='";
    }
    advance(p);
    return parse_keyword_value(p, keyword);
}

static Node *parse_generator_argument(Parser *p, Node *element, uint32_t open, bool allowed)
{
    Node *node = node_new(p, NODE_GENERATOR_EXP, open);
    node->comp.elt = element;
    node->comp.generators = parse_generators(p);
    if (!allowed || !at(p, TOKEN_RIGHT_PAREN))
        parser_fail(p, element->start, p->last_end, "generator expression must be parenthesized");
    node->end = p->token.end; /* it includes the parentheses of the call */
    return node;
}

/* What came before an argument decides what it may be. */
typedef struct ArgumentOrder {
    bool keyword, double_star;
} ArgumentOrder;

static Node *parse_argument(Parser *p, ArgumentOrder *before)
{
    uint32_t start = p->token.start;
    if (at(p, TOKEN_DOUBLE_STAR)) {
        before->double_star = true;
        return parse_double_star(p);
    }
    if (at(p, TOKEN_STAR)) {
        if (before->double_star)
            parser_fail(p, start, p->token.end, "iterable argument unpacking follows keyword argument unpacking");
        return parse_starred(p, true);
    }
    Node *node = parse_named(p);
    if (at(p, TOKEN_EQUAL)) {
        before->keyword = true;
        return parse_named_argument(p, node, start);
    }
    if (before->double_star)
        parser_fail(p, start, p->last_end, "positional argument follows keyword argument unpacking");
    else if (before->keyword)
        parser_fail(p, start, p->last_end, "positional argument follows keyword argument");
    return node;
}

/* Arguments and keywords lie mixed on the scratch: two lists of them. */
static NodeList split_arguments(Parser *p, uint32_t mark, NodeList *keywords)
{
    uint32_t args = mark, named = 0;
    for (uint32_t i = mark; i < p->scratch_count; i++)
        named += p->scratch[i]->kind == NODE_KEYWORD;
    *keywords = (NodeList){0};
    if (!named)
        return scratch_take(p, mark);
    keywords->items = ARENA_ARRAY(p->arena, Node *, named);
    keywords->cap = named;
    for (uint32_t i = mark; i < p->scratch_count; i++) {
        Node *node = p->scratch[i];
        if (node->kind == NODE_KEYWORD)
            keywords->items[keywords->count++] = node;
        else
            p->scratch[args++] = node;
    }
    p->scratch_count = args;
    return scratch_take(p, mark);
}

/* Behind the `(` at `open`, over the `)`. */
NodeList parse_arguments(Parser *p, uint32_t open, bool allow_generator, NodeList *keywords)
{
    uint32_t mark = p->scratch_count;
    ArgumentOrder before = {0};
    while (!at(p, TOKEN_RIGHT_PAREN)) {
        Node *argument = parse_argument(p, &before);
        if (at_comprehension(p) && argument->kind != NODE_KEYWORD && argument->kind != NODE_STARRED)
            argument = parse_generator_argument(p, argument, open, allow_generator && p->scratch_count == mark);
        scratch_push(p, argument);
        if (!accept(p, TOKEN_COMMA))
            break;
    }
    expect_close(p, TOKEN_RIGHT_PAREN, open);
    return split_arguments(p, mark, keywords);
}

/* ---- operators ---- */

static Node *parse_unary(Parser *p);

/* The rest of a power: ['**' factor] */
static Node *parse_exponent(Parser *p, Node *left, uint32_t start)
{
    if (!at(p, TOKEN_DOUBLE_STAR) || !enter(p))
        return left;
    Node *node = node_new(p, NODE_BIN_OP, start);
    advance(p);
    node->bin_op.op = OP_POW;
    node->bin_op.left = left;
    node->bin_op.right = parse_unary(p);
    leave(p);
    return node_end(p, node);
}

/* power: await_primary ['**' factor] */
static Node *parse_power(Parser *p)
{
    uint32_t start = p->token.start;
    if (!at(p, TOKEN_AWAIT))
        return parse_exponent(p, parse_primary(p), start);
    Node *left = node_new(p, NODE_AWAIT, start);
    advance(p);
    left->wrap.value = parse_primary(p);
    return parse_exponent(p, node_end(p, left), start);
}

static Node *parse_sign(Parser *p, OpKind op)
{
    if (!enter(p))
        return error_node(p);
    Node *node = node_new(p, NODE_UNARY_OP, p->token.start);
    node->unary_op.op = op;
    advance(p);
    node->unary_op.operand = parse_unary(p);
    leave(p);
    return node_end(p, node);
}

static Node *parse_unary(Parser *p)
{
    switch (p->token.kind) {
    case TOKEN_PLUS: return parse_sign(p, OP_U_ADD);
    case TOKEN_MINUS: return parse_sign(p, OP_U_SUB);
    case TOKEN_TILDE: return parse_sign(p, OP_INVERT);
    default: return parse_power(p);
    }
}

/* The same without calls where there is nothing but a primary, as mostly: 1 % fewer instructions for a compilation (callgrind,
 * weft_compile on Warp's own files). */
static inline Node *parse_operand(Parser *p)
{
    uint32_t start = p->token.start;
    if (!at(p, TOKEN_NAME) && !at(p, TOKEN_NUMBER))
        return parse_unary(p);
    Node *node = parse_primary(p);
    return at(p, TOKEN_DOUBLE_STAR) ? parse_exponent(p, node, start) : node;
}

static Node *parse_not(Parser *p)
{
    if (!enter(p))
        return error_node(p);
    Node *node = node_new(p, NODE_UNARY_OP, p->token.start);
    node->unary_op.op = OP_NOT;
    advance(p);
    node->unary_op.operand = parse_operators(p, PRECEDENCE_OP_NOT);
    leave(p);
    return node_end(p, node);
}

/* `a or b or c` is one node with three values. */
static Node *parse_bool_op(Parser *p, Node *left, uint32_t start, Infix infix)
{
    uint32_t mark = p->scratch_count;
    TokenKind word = p->token.kind;
    Node *node = node_new(p, NODE_BOOL_OP, start);
    node->bool_op.op = infix.op;
    scratch_push(p, left);
    while (accept(p, word))
        scratch_push(p, parse_operators(p, infix.precedence + 1));
    node->bool_op.values = scratch_take(p, mark);
    return node_end(p, node);
}

static OpKind parse_comparison_operator(Parser *p)
{
    OpKind op = infix_of[p->token.kind].op;
    advance(p);
    if (op == OP_IS && accept(p, TOKEN_NOT))
        return OP_IS_NOT;
    if (op == OP_NOT_IN)
        expect(p, TOKEN_IN);
    return op;
}

/* `a < b < c` is one node with two comparators. */
static Node *parse_comparison(Parser *p, Node *left, uint32_t start)
{
    uint32_t mark = p->scratch_count, op_count = 0, op_cap = 0;
    Node *node = node_new(p, NODE_COMPARE, start);
    node->compare.left = left;
    while (infix_of[p->token.kind].precedence == PRECEDENCE_COMPARE) {
        ARENA_PUSH(p->arena, node->compare.ops, op_count, op_cap) = parse_comparison_operator(p);
        scratch_push(p, parse_operators(p, PRECEDENCE_OP_BIT_OR));
    }
    node->compare.comparators = scratch_take(p, mark);
    return node_end(p, node);
}

static Node *parse_binary(Parser *p, Node *left, uint32_t start, Infix infix)
{
    Node *node = node_new(p, NODE_BIN_OP, start);
    advance(p);
    node->bin_op.op = infix.op;
    node->bin_op.left = left;
    node->bin_op.right = parse_operators(p, infix.precedence + 1);
    return node_end(p, node);
}

Node *parse_operators(Parser *p, int precedence)
{
    uint32_t start = p->token.start, outer = chain_begin(p);
    Node *left = at(p, TOKEN_NOT) && precedence <= PRECEDENCE_OP_NOT ? parse_not(p) : parse_operand(p);
    do {
        Infix infix = infix_of[p->token.kind];
        if (infix.precedence < precedence)
            break;
        if (infix.precedence >= PRECEDENCE_OP_BIT_OR)
            left = parse_binary(p, left, start, infix);
        else if (infix.precedence == PRECEDENCE_COMPARE)
            left = parse_comparison(p, left, start);
        else
            left = parse_bool_op(p, left, start, infix);
    } while (chain_link(p, start));
    chain_end(p, outer);
    return left;
}

/* ---- whole expressions ---- */

static Node *parse_lambda(Parser *p)
{
    Node *node = node_new(p, NODE_LAMBDA, p->token.start);
    advance(p);
    node->lambda.params = parse_parameters(p, TOKEN_COLON);
    expect(p, TOKEN_COLON);
    node->lambda.body = parse_ternary(p);
    return node_end(p, node);
}

static Node *parse_conditional(Parser *p, Node *body, uint32_t start)
{
    Node *node = node_new(p, NODE_IF_EXP, start);
    advance(p);
    node->if_exp.body = body;
    node->if_exp.test = parse_operators(p, PRECEDENCE_OP_OR);
    expect(p, TOKEN_ELSE);
    node->if_exp.orelse = parse_ternary(p);
    return node_end(p, node);
}

Node *parse_ternary(Parser *p)
{
    if (!enter(p))
        return error_node(p);
    Node *node;
    if (at(p, TOKEN_LAMBDA)) {
        node = parse_lambda(p);
    } else {
        uint32_t start = p->token.start;
        node = parse_operators(p, PRECEDENCE_OP_OR);
        if (at(p, TOKEN_IF))
            node = parse_conditional(p, node, start);
    }
    leave(p);
    return node;
}

Node *parse_named(Parser *p)
{
    uint32_t start = p->token.start;
    Node *target = parse_ternary(p);
    if (!at(p, TOKEN_COLON_EQUAL))
        return target;
    if (target->kind != NODE_NAME || target->start != start) {
        parser_fail(p, start, p->last_end, "cannot use assignment expressions with %s", expression_noun(target));
        return target;
    }
    Node *node = node_new(p, NODE_NAMED_EXPR, start);
    advance(p);
    target->name.store = true;
    node->named_expr.target = target;
    node->named_expr.value = parse_ternary(p);
    return node_end(p, node);
}

Node *parse_starred(Parser *p, bool any_expression)
{
    Node *node = node_new(p, NODE_STARRED, p->token.start);
    advance(p);
    node->wrap.value = any_expression ? parse_ternary(p) : parse_operators(p, PRECEDENCE_OP_BIT_OR);
    return node_end(p, node);
}

Node *parse_star_or_ternary(Parser *p)
{
    return at(p, TOKEN_STAR) ? parse_starred(p, false) : parse_ternary(p);
}

Node *parse_star_or_named(Parser *p)
{
    return at(p, TOKEN_STAR) ? parse_starred(p, false) : parse_named(p);
}

/* Can an expression start here? Decides whether a comma was the last thing of a tuple. An error can: it is
 * reported where the expression is looked for. */
static bool at_expression(const Parser *p)
{
    static const bool starts_expression[TOKEN_KIND_COUNT + 1] = {
        [TOKEN_NAME] = true,     [TOKEN_NUMBER] = true,     [TOKEN_STRING] = true,       [TOKEN_FALSE] = true,
        [TOKEN_NONE] = true,     [TOKEN_TRUE] = true,       [TOKEN_NOT] = true,          [TOKEN_LAMBDA] = true,
        [TOKEN_AWAIT] = true,    [TOKEN_LEFT_PAREN] = true, [TOKEN_LEFT_BRACKET] = true, [TOKEN_LEFT_BRACE] = true,
        [TOKEN_ELLIPSIS] = true, [TOKEN_PLUS] = true,       [TOKEN_MINUS] = true,        [TOKEN_TILDE] = true,
        [TOKEN_STAR] = true,     [TOKEN_ERROR] = true,
    };
    return starts_expression[p->token.kind];
}

Node *parse_star_expressions(Parser *p)
{
    uint32_t start = p->token.start, mark = p->scratch_count;
    Node *first = parse_star_or_ternary(p);
    if (!at(p, TOKEN_COMMA))
        return first;
    scratch_push(p, first);
    while (accept(p, TOKEN_COMMA) && at_expression(p))
        scratch_push(p, parse_star_or_ternary(p));
    return take_tuple(p, start, mark);
}

Node *parse_yield(Parser *p)
{
    Node *node = node_new(p, NODE_YIELD, p->token.start);
    advance(p);
    if (accept(p, TOKEN_FROM)) {
        node->kind = NODE_YIELD_FROM;
        node->wrap.value = parse_ternary(p);
    } else if (at_expression(p)) {
        node->wrap.value = parse_star_expressions(p);
    }
    return node_end(p, node);
}

Node *parse_yield_or_star(Parser *p)
{
    return at(p, TOKEN_YIELD) ? parse_yield(p) : parse_star_expressions(p);
}
