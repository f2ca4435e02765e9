/* Functions, classes, decorators and parameters. */
#include "front/parser_impl.h"

/* ---- parameters ---- */

/* Where the kinds of parameters meet, as numbers of parameters read before. */
typedef struct ParameterState {
    uint32_t count;      /* parameters with a name and a possible default: pairs on the scratch */
    uint32_t posonly;    /* of them, those before `/` */
    uint32_t positional; /* of them, those before `*` */
    bool slash, star, bare_star, optional;
} ParameterState;

static Node *parse_parameter_name(Parser *p, bool annotated, bool star_annotation)
{
    Node *arg = node_new(p, NODE_ARG, p->token.start);
    arg->arg.name = expect_name(p);
    if (annotated && accept(p, TOKEN_COLON))
        arg->arg.annotation = star_annotation ? parse_star_or_ternary(p) : parse_ternary(p);
    return node_end(p, arg);
}

/* `name`, `name: annotation`, `name=default`: pushed as a pair. */
static void parse_parameter(Parser *p, ParameterState *state, bool annotated)
{
    Node *arg = parse_parameter_name(p, annotated, false);
    Node *value = NULL;
    if (accept(p, TOKEN_EQUAL)) {
        value = parse_ternary(p);
        state->optional = true;
    } else if (state->optional && !state->star) {
        parser_fail(p, arg->start, arg->end, "non-default argument follows default argument");
    }
    state->count++;
    state->bare_star = false;
    scratch_push(p, arg);
    scratch_push(p, value);
}

static void parse_slash(Parser *p, ParameterState *state)
{
    if (state->slash)
        parser_fail(p, p->token.start, p->token.end, "/ may appear only once");
    else if (state->star)
        parser_fail(p, p->token.start, p->token.end, "/ must be ahead of *");
    else if (!state->count)
        parser_fail(p, p->token.start, p->token.end, "at least one argument must precede /");
    state->slash = true;
    state->posonly = state->count;
    accept(p, TOKEN_SLASH);
}

static void parse_star(Parser *p, ParameterState *state, Node *params, bool annotated)
{
    if (state->star)
        parser_fail(p, p->token.start, p->token.end, "* argument may appear only once");
    state->star = true;
    state->positional = state->count;
    accept(p, TOKEN_STAR);
    if (at(p, TOKEN_NAME))
        params->arguments.vararg = parse_parameter_name(p, annotated, true);
    else
        state->bare_star = true;
    if (at(p, TOKEN_EQUAL))
        parser_fail(p, p->token.start, p->token.end, "var-positional argument cannot have default value");
}

static void parse_double_star(Parser *p, ParameterState *state, Node *params, bool annotated)
{
    if (state->bare_star)
        parser_fail(p, p->token.start, p->token.end, "named arguments must follow bare *");
    accept(p, TOKEN_DOUBLE_STAR);
    params->arguments.kwarg = parse_parameter_name(p, annotated, false);
    if (at(p, TOKEN_EQUAL))
        parser_fail(p, p->token.start, p->token.end, "var-keyword argument cannot have default value");
}

/* The pairs on the scratch, sorted into the lists of the node. */
static void fill_arguments(Parser *p, Node *params, const ParameterState *state, uint32_t mark)
{
    uint32_t positional = state->star ? state->positional : state->count;
    uint32_t first_default = 0;
    while (first_default < positional && !p->scratch[mark + 2 * first_default + 1])
        first_default++;
    uint32_t args = mark + 2 * state->posonly, kwonly = mark + 2 * positional;
    params->arguments.posonly = scratch_copy(p, mark, state->posonly, 2);
    params->arguments.args = scratch_copy(p, args, positional - state->posonly, 2);
    params->arguments.kwonly = scratch_copy(p, kwonly, state->count - positional, 2);
    params->arguments.kw_defaults = scratch_copy(p, kwonly + 1, state->count - positional, 2);
    params->arguments.defaults = scratch_copy(p, mark + 2 * first_default + 1, positional - first_default, 2);
}

Node *parse_parameters(Parser *p, TokenKind closing)
{
    bool annotated = closing != TOKEN_COLON;
    uint32_t mark = p->scratch_count;
    ParameterState state = {0};
    Node *params = node_new(p, NODE_ARGUMENTS, p->token.start);
    params->end = params->start;
    while (!at(p, closing)) {
        if (at(p, TOKEN_SLASH))
            parse_slash(p, &state);
        else if (at(p, TOKEN_STAR))
            parse_star(p, &state, params, annotated);
        else if (at(p, TOKEN_DOUBLE_STAR))
            parse_double_star(p, &state, params, annotated);
        else
            parse_parameter(p, &state, annotated);
        params->end = p->last_end;
        if (!accept(p, TOKEN_COMMA))
            break;
        if (params->arguments.kwarg && !at(p, closing))
            parser_fail(p, p->token.start, p->token.end, "arguments cannot follow var-keyword argument");
    }
    if (state.bare_star)
        parser_fail(p, p->token.start, p->token.end, "named arguments must follow bare *");
    if (!p->failed)
        fill_arguments(p, params, &state, mark);
    p->scratch_count = mark;
    return params;
}

/* ---- definitions ---- */

static uint32_t line_start(const Parser *p, uint32_t offset)
{
    const char *text = p->lexer.text;
    while (offset > 0 && text[offset - 1] != '\n' && text[offset - 1] != '\r')
        offset--;
    return offset;
}

/* At `def`; `start` is that of `async`, where there is one. */
Node *parse_function(Parser *p, uint32_t start, bool is_async, NodeList decorators, uint32_t first)
{
    Node *node = node_new(p, is_async ? NODE_ASYNC_FUNCTION_DEF : NODE_FUNCTION_DEF, start);
    node->function.def_start = p->token.start;
    node->function.first_line = line_start(p, first);
    node->function.decorators = decorators;
    advance(p);
    node->function.name = expect_name(p);
    uint32_t open = p->token.start;
    if (expect(p, TOKEN_LEFT_PAREN)) {
        node->function.params = parse_parameters(p, TOKEN_RIGHT_PAREN);
        expect_close(p, TOKEN_RIGHT_PAREN, open);
    }
    if (accept(p, TOKEN_ARROW))
        node->function.returns = parse_ternary(p);
    node->function.body = parse_block(p, "function definition");
    return node_end(p, node);
}

Node *parse_class(Parser *p, NodeList decorators, uint32_t first)
{
    Node *node = node_new(p, NODE_CLASS_DEF, p->token.start);
    node->class_def.first_line = line_start(p, first);
    node->class_def.decorators = decorators;
    advance(p);
    node->class_def.name = expect_name(p);
    uint32_t open = p->token.start;
    if (accept(p, TOKEN_LEFT_PAREN))
        node->class_def.bases = parse_arguments(p, open, false, &node->class_def.keywords);
    node->class_def.body = parse_block(p, "class definition");
    return node_end(p, node);
}

Node *parse_decorated(Parser *p)
{
    uint32_t first = p->token.start, mark = p->scratch_count;
    while (accept(p, TOKEN_AT)) {
        scratch_push(p, parse_named(p));
        if (!at(p, TOKEN_NEWLINE))
            parser_fail_expected(p, "end of line");
        else
            parser_advance_line(p);
    }
    NodeList decorators = scratch_take(p, mark);
    uint32_t start = p->token.start;
    if (at(p, TOKEN_CLASS))
        return parse_class(p, decorators, first);
    bool is_async = accept(p, TOKEN_ASYNC);
    if (at(p, TOKEN_DEF)) {
        Node *function = parse_function(p, start, is_async, decorators, first);
        ARENA_PUSH(p->arena, p->decorated.items, p->decorated.count, p->decorated.cap) = function;
        return function;
    }
    parser_fail_expected(p, "'def' or 'class' after a decorator");
    return error_node(p);
}
