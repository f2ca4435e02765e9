/* Match statements: `match` and `case` are keywords only here. */
#include "front/parser_impl.h"

static bool token_is(const Parser *p, const char *word)
{
    return at(p, TOKEN_NAME) && name_is(p->token.name, word);
}

/* What the token behind the word `match` says about it. */
enum { MATCH_IS_NAME, MATCH_IS_KEYWORD, MATCH_IS_UNCLEAR };

static const uint8_t match_followers[TOKEN_KIND_COUNT] = {
    /* Nothing but a subject can start with these: a name would need an operator first. */
    [TOKEN_NAME] = MATCH_IS_KEYWORD,
    [TOKEN_NUMBER] = MATCH_IS_KEYWORD,
    [TOKEN_STRING] = MATCH_IS_KEYWORD,
    [TOKEN_NONE] = MATCH_IS_KEYWORD,
    [TOKEN_TRUE] = MATCH_IS_KEYWORD,
    [TOKEN_FALSE] = MATCH_IS_KEYWORD,
    [TOKEN_ELLIPSIS] = MATCH_IS_KEYWORD,
    [TOKEN_LEFT_BRACE] = MATCH_IS_KEYWORD,
    [TOKEN_TILDE] = MATCH_IS_KEYWORD,
    [TOKEN_LAMBDA] = MATCH_IS_KEYWORD,
    [TOKEN_AWAIT] = MATCH_IS_KEYWORD,
    /* `match (x)` may be a call, `match -x` a difference. */
    [TOKEN_LEFT_PAREN] = MATCH_IS_UNCLEAR,
    [TOKEN_LEFT_BRACKET] = MATCH_IS_UNCLEAR,
    [TOKEN_MINUS] = MATCH_IS_UNCLEAR,
    [TOKEN_PLUS] = MATCH_IS_UNCLEAR,
    [TOKEN_STAR] = MATCH_IS_UNCLEAR,
    [TOKEN_NOT] = MATCH_IS_UNCLEAR,
};

/* `match` is at hand. Where what follows leaves it open, it is a statement if its line ends with a colon. */
bool at_match_statement(Parser *p)
{
    LexerMark mark = lexer_mark(&p->lexer);
    Token token, last;
    lexer_next(&p->lexer, &token);
    bool is_match = match_followers[token.kind] == MATCH_IS_KEYWORD;
    if (match_followers[token.kind] == MATCH_IS_UNCLEAR) {
        do {
            last = token;
            lexer_next(&p->lexer, &token);
        } while (token.kind != TOKEN_NEWLINE && token.kind != TOKEN_END && token.kind != TOKEN_ERROR &&
                 !(token.kind == TOKEN_SEMICOLON && p->lexer.brackets == 0));
        is_match = token.kind == TOKEN_NEWLINE && last.kind == TOKEN_COLON;
    }
    lexer_rewind(&p->lexer, mark);
    return is_match;
}

/* ---- patterns ---- */

static Node *parse_pattern(Parser *p);

static Node *pattern_new(Parser *p, PatternKind kind, uint32_t start)
{
    Node *node = node_new(p, NODE_PATTERN, start);
    node->pattern.kind = kind;
    return node;
}

static Node *pattern_with(Parser *p, PatternKind kind, uint32_t start, Node *part)
{
    Node *node = pattern_new(p, kind, start);
    uint32_t mark = p->scratch_count;
    scratch_push(p, part);
    node->pattern.parts = scratch_take(p, mark);
    return node_end(p, node);
}

static bool is_number(const Node *node, bool complex)
{
    return node->kind == NODE_CONSTANT &&
           (complex ? node->constant.kind == CONSTANT_COMPLEX
                    : node->constant.kind == CONSTANT_INT || node->constant.kind == CONSTANT_FLOAT);
}

/* `1`, `-1`, `1 + 2j`: the only expressions with operators that a pattern may hold. */
static Node *parse_number_value(Parser *p)
{
    uint32_t start = p->token.start;
    Node *node;
    if (at(p, TOKEN_MINUS)) {
        node = node_new(p, NODE_UNARY_OP, start);
        node->unary_op.op = OP_U_SUB;
        advance(p);
        if (!at(p, TOKEN_NUMBER)) {
            parser_fail_expected(p, "a number");
            return error_node(p);
        }
        node->unary_op.operand = parse_number(p);
        node_end(p, node);
    } else {
        node = parse_number(p);
    }
    const Node *real = node->kind == NODE_UNARY_OP ? node->unary_op.operand : node;
    if (!at(p, TOKEN_PLUS) && !at(p, TOKEN_MINUS))
        return node;
    Node *sum = node_new(p, NODE_BIN_OP, start);
    sum->bin_op.op = at(p, TOKEN_PLUS) ? OP_ADD : OP_SUB;
    sum->bin_op.left = node;
    if (!is_number(real, false))
        parser_fail(p, real->start, real->end, "real number required in complex literal");
    else
        advance(p);
    if (!at(p, TOKEN_NUMBER)) {
        parser_fail_expected(p, "an imaginary number");
        return error_node(p);
    }
    sum->bin_op.right = parse_number(p);
    if (!is_number(sum->bin_op.right, true))
        parser_fail(p, sum->bin_op.right->start, sum->bin_op.right->end,
                    "imaginary number required in complex literal");
    return node_end(p, sum);
}

static Node *parse_singleton(Parser *p)
{
    uint32_t start = p->token.start;
    Node *value = node_new(p, NODE_CONSTANT, start);
    value->constant.kind = at(p, TOKEN_NONE) ? CONSTANT_NONE : CONSTANT_BOOL;
    value->constant.truth = at(p, TOKEN_TRUE);
    advance(p);
    return pattern_with(p, PATTERN_SINGLETON, start, node_end(p, value));
}

/* `a.b.c`, or the single name in front of `(`. */
static Node *parse_name_or_attribute(Parser *p)
{
    uint32_t start = p->token.start, links = 0;
    Node *node = node_new(p, NODE_NAME, start);
    node->name.id = expect_name(p);
    node_end(p, node);
    while (at(p, TOKEN_DOT)) {
        Node *attribute = node_new(p, NODE_ATTRIBUTE, start);
        advance(p);
        attribute->attribute.value = node;
        attribute->attribute.attr_start = p->token.start;
        attribute->attribute.attr = expect_name(p);
        node = node_end(p, attribute);
        if (++links > LIMIT_PARSE_CHAIN)
            parser_fail(p, start, p->last_end, "expression nested too deeply");
    }
    return node;
}

/* `Point(1, y=2)`, behind the class. */
static Node *parse_class_pattern(Parser *p, Node *class, uint32_t start)
{
    Node *node = pattern_new(p, PATTERN_CLASS, start);
    uint32_t mark = p->scratch_count, open = p->token.start, cap = 0;
    advance(p);
    scratch_push(p, class);
    while (!at(p, TOKEN_RIGHT_PAREN)) {
        uint32_t argument = p->token.start;
        Node *pattern = parse_pattern(p);
        if (at(p, TOKEN_EQUAL)) {
            bool is_name = pattern->pattern.kind == PATTERN_AS && !pattern->pattern.parts.count &&
                           pattern->start == argument && pattern->end == p->last_end;
            if (!is_name)
                parser_fail_expected(p, "',' or ')'");
            accept(p, TOKEN_EQUAL);
            Name name = pattern->pattern.name ? pattern->pattern.name : name_cstr(p->names, "_");
            ARENA_PUSH(p->arena, node->pattern.keywords, node->pattern.keyword_count, cap) = name;
            pattern = parse_pattern(p);
        } else if (node->pattern.keyword_count) {
            parser_fail(p, argument, p->last_end, "positional patterns follow keyword patterns");
        }
        scratch_push(p, pattern);
        if (!accept(p, TOKEN_COMMA))
            break;
    }
    expect_close(p, TOKEN_RIGHT_PAREN, open);
    node->pattern.parts = scratch_take(p, mark);
    return node_end(p, node);
}

static Node *parse_name_pattern(Parser *p)
{
    uint32_t start = p->token.start;
    Node *value = parse_name_or_attribute(p);
    if (at(p, TOKEN_LEFT_PAREN))
        return parse_class_pattern(p, value, start);
    if (value->kind == NODE_ATTRIBUTE)
        return pattern_with(p, PATTERN_VALUE, start, value);
    Node *node = pattern_new(p, PATTERN_AS, start);
    if (!name_is(value->name.id, "_"))
        node->pattern.name = value->name.id;
    return node_end(p, node);
}

static Node *parse_star_pattern(Parser *p)
{
    Node *node = pattern_new(p, PATTERN_STAR, p->token.start);
    advance(p);
    Name name = expect_name(p);
    if (!name_is(name, "_"))
        node->pattern.name = name;
    return node_end(p, node);
}

static Node *parse_maybe_star_pattern(Parser *p)
{
    return at(p, TOKEN_STAR) ? parse_star_pattern(p) : parse_pattern(p);
}

/* `(a)` is a group, `(a,)` and `[a]` are sequences. */
static Node *parse_sequence_pattern(Parser *p, TokenKind closing)
{
    uint32_t open = p->token.start, mark = p->scratch_count;
    bool comma = false;
    advance(p);
    while (!at(p, closing)) {
        scratch_push(p, parse_maybe_star_pattern(p));
        comma = accept(p, TOKEN_COMMA);
        if (!comma)
            break;
    }
    expect_close(p, closing, open);
    bool single = p->scratch_count == mark + 1 && !comma && closing == TOKEN_RIGHT_PAREN;
    if (single && p->scratch[mark]->pattern.kind != PATTERN_STAR) {
        p->scratch_count = mark;
        return p->scratch[mark];
    }
    Node *node = pattern_new(p, PATTERN_SEQUENCE, open);
    node->pattern.parts = scratch_take(p, mark);
    return node_end(p, node);
}

static Node *parse_mapping_key(Parser *p)
{
    switch (p->token.kind) {
    case TOKEN_NUMBER:
    case TOKEN_MINUS: return parse_number_value(p);
    case TOKEN_STRING: return parse_strings(p);
    case TOKEN_NONE:
    case TOKEN_TRUE:
    case TOKEN_FALSE: return parse_singleton(p)->pattern.parts.items[0];
    case TOKEN_NAME: {
        Node *key = parse_name_or_attribute(p);
        if (key->kind == NODE_ATTRIBUTE)
            return key;
        parser_fail(p, key->start, key->end, "mapping pattern keys may only be literals and dotted names");
        return key;
    }
    default: parser_fail_expected(p, "a mapping key"); return error_node(p);
    }
}

static Node *parse_mapping_pattern(Parser *p)
{
    Node *node = pattern_new(p, PATTERN_MAPPING, p->token.start);
    uint32_t open = p->token.start, mark = p->scratch_count;
    advance(p);
    while (!at(p, TOKEN_RIGHT_BRACE)) {
        if (node->pattern.name)
            parser_fail(p, p->token.start, p->token.end, "double star pattern must be the last one");
        if (accept(p, TOKEN_DOUBLE_STAR)) {
            node->pattern.name = expect_name(p);
            if (name_is(node->pattern.name, "_"))
                parser_fail(p, p->last_end - 1, p->last_end, "cannot use '_' as the rest of a mapping pattern");
        } else {
            scratch_push(p, parse_mapping_key(p));
            expect(p, TOKEN_COLON);
            scratch_push(p, parse_pattern(p));
        }
        if (!accept(p, TOKEN_COMMA))
            break;
    }
    expect_close(p, TOKEN_RIGHT_BRACE, open);
    /* Keys and patterns alternate on the scratch; in the node, all keys come first. */
    uint32_t count = (p->scratch_count - mark) / 2;
    for (uint32_t i = 0; i < count; i++)
        scratch_push(p, p->scratch[mark + 2 * i]);
    for (uint32_t i = 0; i < count; i++)
        scratch_push(p, p->scratch[mark + 2 * i + 1]);
    node->pattern.parts = scratch_copy(p, mark + 2 * count, 2 * count, 1);
    p->scratch_count = mark;
    return node_end(p, node);
}

static Node *parse_closed_pattern(Parser *p)
{
    uint32_t start = p->token.start;
    switch (p->token.kind) {
    case TOKEN_NUMBER:
    case TOKEN_MINUS: return pattern_with(p, PATTERN_VALUE, start, parse_number_value(p));
    case TOKEN_STRING: return pattern_with(p, PATTERN_VALUE, start, parse_strings(p));
    case TOKEN_NONE:
    case TOKEN_TRUE:
    case TOKEN_FALSE: return parse_singleton(p);
    case TOKEN_NAME: return parse_name_pattern(p);
    case TOKEN_LEFT_PAREN: return parse_sequence_pattern(p, TOKEN_RIGHT_PAREN);
    case TOKEN_LEFT_BRACKET: return parse_sequence_pattern(p, TOKEN_RIGHT_BRACKET);
    case TOKEN_LEFT_BRACE: return parse_mapping_pattern(p);
    default: parser_fail_expected(p, "a pattern"); return pattern_new(p, PATTERN_AS, start);
    }
}

/* or_pattern ['as' NAME] */
static Node *parse_pattern(Parser *p)
{
    uint32_t start = p->token.start, mark = p->scratch_count;
    if (!enter(p))
        return pattern_new(p, PATTERN_AS, start);
    Node *node = parse_closed_pattern(p);
    if (at(p, TOKEN_BAR)) {
        scratch_push(p, node);
        while (accept(p, TOKEN_BAR))
            scratch_push(p, parse_closed_pattern(p));
        node = pattern_new(p, PATTERN_OR, start);
        node->pattern.parts = scratch_take(p, mark);
        node_end(p, node);
    }
    if (accept(p, TOKEN_AS)) {
        Name name = expect_name(p);
        if (name_is(name, "_"))
            parser_fail(p, p->last_end - 1, p->last_end, "cannot use '_' as a target");
        node = pattern_with(p, PATTERN_AS, start, node);
        node->pattern.name = name;
    }
    leave(p);
    return node;
}

/* Behind `case`: a sequence needs no brackets. */
static Node *parse_case_pattern(Parser *p)
{
    uint32_t start = p->token.start, mark = p->scratch_count;
    Node *first = parse_maybe_star_pattern(p);
    if (!at(p, TOKEN_COMMA) && first->pattern.kind != PATTERN_STAR)
        return first;
    if (!at(p, TOKEN_COMMA))
        parser_fail_expected(p, "','");
    scratch_push(p, first);
    while (accept(p, TOKEN_COMMA) && !at(p, TOKEN_COLON) && !at(p, TOKEN_IF))
        scratch_push(p, parse_maybe_star_pattern(p));
    Node *node = pattern_new(p, PATTERN_SEQUENCE, start);
    node->pattern.parts = scratch_take(p, mark);
    return node_end(p, node);
}

/* ---- the statement ---- */

static Node *parse_case(Parser *p)
{
    Node *node = node_new(p, NODE_MATCH_CASE, p->token.start);
    advance(p);
    node->match_case.pattern = parse_case_pattern(p);
    if (accept(p, TOKEN_IF))
        node->match_case.guard = parse_named(p);
    node->match_case.body = parse_block(p, "'case' statement");
    return node_end(p, node);
}

static Node *parse_subject(Parser *p)
{
    uint32_t start = p->token.start, mark = p->scratch_count;
    Node *first = parse_star_or_named(p);
    if (!at(p, TOKEN_COMMA)) {
        if (first->kind == NODE_STARRED)
            parser_fail_expected(p, "','");
        return first;
    }
    scratch_push(p, first);
    while (accept(p, TOKEN_COMMA) && !at(p, TOKEN_COLON))
        scratch_push(p, parse_star_or_named(p));
    return take_tuple(p, start, mark);
}

Node *parse_match(Parser *p)
{
    Node *node = node_new(p, NODE_MATCH, p->token.start);
    uint32_t mark = p->scratch_count;
    advance(p);
    node->match.subject = parse_subject(p);
    expect(p, TOKEN_COLON);
    if (at(p, TOKEN_NEWLINE))
        parser_advance_line(p);
    else
        parser_fail_expected(p, "end of line");
    if (!at(p, TOKEN_INDENT)) {
        parser_fail_expected(p, "an indented block after 'match' statement");
        return node;
    }
    parser_advance_line(p);
    while (token_is(p, "case"))
        scratch_push(p, parse_case(p));
    if (at(p, TOKEN_DEDENT) && p->scratch_count > mark)
        parser_advance_line(p);
    else
        parser_fail_expected(p, "'case'");
    node->match.cases = scratch_take(p, mark);
    return node_end(p, node);
}
