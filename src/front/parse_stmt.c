/* Statements, but for definitions (parse_def.c) and match (parse_match.c). */
#include "front/parser_impl.h"

static const uint8_t augmented_op[TOKEN_KIND_COUNT + 1] = {
#define TOKEN(kind, spelling) [TOKEN_##kind] = OP_NONE,
#define OPERATOR(kind, spelling, binary, augmented) [TOKEN_##kind] = augmented,
#include "lang/token.def"
    [TOKEN_STUCK] = OP_NONE,
};

/* ---- assignments and expressions ---- */

static Node *parse_assignment(Parser *p, Node *first, uint32_t start)
{
    uint32_t mark = p->scratch_count;
    Node *node = node_new(p, NODE_ASSIGN, start);
    Node *value = first;
    while (at(p, TOKEN_EQUAL)) {
        make_target(p, value);
        accept(p, TOKEN_EQUAL);
        scratch_push(p, value);
        value = parse_yield_or_star(p);
    }
    node->assign.targets = scratch_take(p, mark);
    node->assign.value = value;
    return node_end(p, node);
}

static Node *parse_augmented(Parser *p, Node *target, uint32_t start, OpKind op)
{
    Node *node = node_new(p, NODE_AUG_ASSIGN, start);
    if (target->kind != NODE_NAME && target->kind != NODE_ATTRIBUTE && target->kind != NODE_SUBSCRIPT)
        parser_fail(p, target->start, target->end, "'%s' is an illegal expression for augmented assignment",
                    expression_noun(target));
    else
        make_target(p, target);
    if (!p->failed)
        advance(p);
    node->aug_assign.target = target;
    node->aug_assign.op = op;
    node->aug_assign.value = parse_yield_or_star(p);
    return node_end(p, node);
}

static Node *parse_annotated(Parser *p, Node *target, uint32_t start)
{
    Node *node = node_new(p, NODE_ANN_ASSIGN, start);
    if (target->kind == NODE_TUPLE || target->kind == NODE_LIST)
        parser_fail(p, target->start, target->end, "only single target (not %s) can be annotated",
                    expression_noun(target));
    else if (target->kind != NODE_NAME && target->kind != NODE_ATTRIBUTE && target->kind != NODE_SUBSCRIPT)
        parser_fail(p, target->start, target->end, "illegal target for annotation");
    else
        make_target(p, target);
    accept(p, TOKEN_COLON);
    node->ann_assign.target = target;
    node->ann_assign.simple = target->kind == NODE_NAME && target->start == start; /* (x): int is not simple */
    node->ann_assign.annotation = parse_ternary(p);
    if (accept(p, TOKEN_EQUAL))
        node->ann_assign.value = parse_yield_or_star(p);
    return node_end(p, node);
}

static Node *parse_expression_statement(Parser *p)
{
    uint32_t start = p->token.start;
    Node *first = parse_yield_or_star(p);
    if (at(p, TOKEN_EQUAL))
        return parse_assignment(p, first, start);
    if (at(p, TOKEN_COLON))
        return parse_annotated(p, first, start);
    if (augmented_op[p->token.kind] != OP_NONE)
        return parse_augmented(p, first, start, augmented_op[p->token.kind]);
    Node *node = node_new(p, NODE_EXPR, start);
    node->expr.value = first;
    return node_end(p, node);
}

/* ---- simple statements ---- */

static bool at_statement_end(const Parser *p)
{
    return at(p, TOKEN_NEWLINE) || at(p, TOKEN_SEMICOLON) || at(p, TOKEN_END);
}

static Node *parse_word(Parser *p, NodeKind kind)
{
    Node *node = node_new(p, kind, p->token.start);
    advance(p);
    return node_end(p, node);
}

static Node *parse_return(Parser *p)
{
    Node *node = parse_word(p, NODE_RETURN);
    if (!at_statement_end(p))
        node->ret.value = parse_star_expressions(p);
    return node_end(p, node);
}

static Node *parse_raise(Parser *p)
{
    Node *node = parse_word(p, NODE_RAISE);
    if (!at_statement_end(p)) {
        node->raise.exc = parse_ternary(p);
        if (accept(p, TOKEN_FROM))
            node->raise.cause = parse_ternary(p);
    }
    return node_end(p, node);
}

static Node *parse_assert(Parser *p)
{
    Node *node = parse_word(p, NODE_ASSERT);
    node->assert_stmt.test = parse_ternary(p);
    if (accept(p, TOKEN_COMMA))
        node->assert_stmt.message = parse_ternary(p);
    return node_end(p, node);
}

static Node *parse_del(Parser *p)
{
    Node *node = parse_word(p, NODE_DELETE);
    uint32_t mark = p->scratch_count;
    do {
        Node *target = parse_primary(p);
        make_delete_target(p, target);
        scratch_push(p, target);
    } while (accept(p, TOKEN_COMMA) && !at_statement_end(p));
    node->del.targets = scratch_take(p, mark);
    return node_end(p, node);
}

static Node *parse_global(Parser *p, NodeKind kind)
{
    Node *node = parse_word(p, kind);
    uint32_t cap = 0;
    do
        ARENA_PUSH(p->arena, node->names.items, node->names.count, cap) = expect_name(p);
    while (accept(p, TOKEN_COMMA));
    return node_end(p, node);
}

/* ---- imports ---- */

/* `a.b.c` as one name, blanks left out. */
static Name parse_dotted_name(Parser *p)
{
    Name name = expect_name(p);
    if (!at(p, TOKEN_DOT))
        return name;
    uint32_t count = 0, cap = 0, len = name ? name->len : 0;
    Name *parts = NULL;
    ARENA_PUSH(p->arena, parts, count, cap) = name;
    while (accept(p, TOKEN_DOT)) {
        name = expect_name(p);
        len += 1 + (name ? name->len : 0);
        ARENA_PUSH(p->arena, parts, count, cap) = name;
    }
    if (p->failed)
        return NULL;
    char *text = arena_alloc(p->arena, len + 1), *end = text;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            *end++ = '.';
        memcpy(end, parts[i]->text, parts[i]->len);
        end += parts[i]->len;
    }
    return name_of(p->names, text, len);
}

static Node *parse_alias(Parser *p, bool dotted)
{
    Node *node = node_new(p, NODE_ALIAS, p->token.start);
    node->alias.name = dotted ? parse_dotted_name(p) : expect_name(p);
    if (accept(p, TOKEN_AS))
        node->alias.asname = expect_name(p);
    return node_end(p, node);
}

static Node *parse_import(Parser *p)
{
    Node *node = parse_word(p, NODE_IMPORT);
    uint32_t mark = p->scratch_count;
    do
        scratch_push(p, parse_alias(p, true));
    while (accept(p, TOKEN_COMMA));
    node->import.names = scratch_take(p, mark);
    return node_end(p, node);
}

static NodeList parse_imported_names(Parser *p)
{
    uint32_t mark = p->scratch_count, open = p->token.start;
    if (at(p, TOKEN_STAR)) {
        Node *star = parse_word(p, NODE_ALIAS);
        star->alias.name = name_cstr(p->names, "*");
        scratch_push(p, star);
        return scratch_take(p, mark);
    }
    bool parenthesised = accept(p, TOKEN_LEFT_PAREN);
    do {
        scratch_push(p, parse_alias(p, false));
        if (!accept(p, TOKEN_COMMA))
            break;
        if (!parenthesised && at_statement_end(p))
            parser_fail(p, p->last_end - 1, p->last_end, "trailing comma not allowed without surrounding parentheses");
    } while (!parenthesised || !at(p, TOKEN_RIGHT_PAREN));
    if (parenthesised)
        expect_close(p, TOKEN_RIGHT_PAREN, open);
    return scratch_take(p, mark);
}

static Node *parse_import_from(Parser *p)
{
    Node *node = parse_word(p, NODE_IMPORT_FROM);
    for (;;) {
        if (accept(p, TOKEN_DOT))
            node->import_from.level++;
        else if (accept(p, TOKEN_ELLIPSIS))
            node->import_from.level += 3;
        else
            break;
    }
    if (!node->import_from.level || at(p, TOKEN_NAME))
        node->import_from.module = parse_dotted_name(p);
    expect(p, TOKEN_IMPORT);
    node->import_from.names = parse_imported_names(p);
    return node_end(p, node);
}

/* ---- compound statements ---- */

static NodeList parse_else(Parser *p)
{
    return accept(p, TOKEN_ELSE) ? parse_block(p, "'else' statement") : (NodeList){0};
}

static Node *parse_if_clause(Parser *p, const char *name)
{
    Node *node = parse_word(p, NODE_IF);
    node->if_stmt.test = parse_named(p);
    node->if_stmt.body = parse_block(p, name);
    return node;
}

/* `elif` is an If alone in the orelse of the one before: a deep tree, built in a loop. */
static Node *parse_if(Parser *p)
{
    Node *first = parse_if_clause(p, "'if' statement"), *last = first;
    uint32_t links = 0;
    for (; at(p, TOKEN_ELIF); links++) {
        if (++p->elif_depth > LIMIT_PARSE_CHAIN) {
            parser_fail(p, p->token.start, p->token.end, "too many elif clauses");
            break;
        }
        Node *next = parse_if_clause(p, "'elif' statement");
        NodeList *orelse = &last->if_stmt.orelse;
        orelse->items = ARENA_NEW(p->arena, Node *);
        orelse->items[0] = next;
        orelse->count = orelse->cap = 1;
        last = next;
    }
    last->if_stmt.orelse = parse_else(p);
    for (Node *node = first; node != last; node = node->if_stmt.orelse.items[0])
        node_end(p, node);
    p->elif_depth -= links;
    node_end(p, last);
    return first;
}

static Node *parse_while(Parser *p)
{
    Node *node = parse_word(p, NODE_WHILE);
    node->while_loop.test = parse_named(p);
    node->while_loop.body = parse_block(p, "'while' statement");
    node->while_loop.orelse = parse_else(p);
    return node_end(p, node);
}

static Node *parse_for(Parser *p, uint32_t start, bool is_async)
{
    Node *node = node_new(p, is_async ? NODE_ASYNC_FOR : NODE_FOR, start);
    advance(p);
    node->for_loop.target = parse_targets(p);
    expect(p, TOKEN_IN);
    node->for_loop.iter = parse_star_expressions(p);
    node->for_loop.body = parse_block(p, "'for' statement");
    node->for_loop.orelse = parse_else(p);
    return node_end(p, node);
}

static Node *parse_handler(Parser *p, bool *is_star)
{
    Node *node = parse_word(p, NODE_EXCEPT_HANDLER);
    *is_star = accept(p, TOKEN_STAR);
    if (*is_star || !at(p, TOKEN_COLON)) {
        node->handler.type = parse_ternary(p);
        if (at(p, TOKEN_COMMA))
            parser_fail(p, node->handler.type->start, p->last_end, "multiple exception types must be parenthesized");
        if (accept(p, TOKEN_AS))
            node->handler.name = expect_name(p);
    }
    node->handler.body = parse_block(p, *is_star ? "'except*' statement" : "'except' statement");
    return node_end(p, node);
}

static Node *parse_try(Parser *p)
{
    Node *node = parse_word(p, NODE_TRY);
    uint32_t mark = p->scratch_count, plain = 0, stars = 0;
    node->try_stmt.body = parse_block(p, "'try' statement");
    while (at(p, TOKEN_EXCEPT)) {
        uint32_t start = p->token.start;
        bool is_star = false;
        scratch_push(p, parse_handler(p, &is_star));
        is_star ? stars++ : plain++;
        if (plain && stars)
            parser_fail(p, start, start + 6, "cannot have both 'except' and 'except*' on the same 'try'");
    }
    node->try_stmt.handlers = scratch_take(p, mark);
    if (stars)
        node->kind = NODE_TRY_STAR;
    if (plain || stars)
        node->try_stmt.orelse = parse_else(p);
    if (accept(p, TOKEN_FINALLY))
        node->try_stmt.finalbody = parse_block(p, "'finally' statement");
    else if (!plain && !stars)
        parser_fail_expected(p, "'except' or 'finally' block");
    return node_end(p, node);
}

/* ---- with ---- */

/* `with (a as b, c):` holds items, `with (a, b) as c:` a tuple. Looks ahead to the closing bracket: these
 * are items where `:` follows it and no element is one that only a tuple or a group may have. */
static bool at_parenthesised_items(Parser *p)
{
    LexerMark mark = lexer_mark(&p->lexer);
    uint32_t outside = p->lexer.brackets - 1, lambdas = 0;
    bool items = true;
    Token before = p->token, token = p->token;
    for (;;) {
        before = token;
        lexer_next(&p->lexer, &token);
        if (token.kind == TOKEN_END || token.kind == TOKEN_ERROR || p->lexer.brackets == outside)
            break;
        if (p->lexer.brackets > outside + 1)
            continue;
        bool first = before.kind == TOKEN_LEFT_PAREN || (before.kind == TOKEN_COMMA && !lambdas);
        lambdas += token.kind == TOKEN_LAMBDA;
        if (token.kind == TOKEN_COLON && lambdas)
            lambdas--;
        if (token.kind == TOKEN_COLON_EQUAL || token.kind == TOKEN_YIELD || token.kind == TOKEN_FOR ||
            (token.kind == TOKEN_STAR && first))
            items = false;
    }
    bool empty = before.kind == TOKEN_LEFT_PAREN;
    if (token.kind == TOKEN_RIGHT_PAREN)
        lexer_next(&p->lexer, &token);
    lexer_rewind(&p->lexer, mark);
    return items && !empty && token.kind == TOKEN_COLON;
}

static Node *parse_with_item(Parser *p)
{
    Node *node = node_new(p, NODE_WITH_ITEM, p->token.start);
    node->with_item.context = parse_ternary(p);
    if (accept(p, TOKEN_AS))
        node->with_item.vars = parse_with_target(p);
    return node_end(p, node);
}

static Node *parse_with(Parser *p, uint32_t start, bool is_async)
{
    Node *node = node_new(p, is_async ? NODE_ASYNC_WITH : NODE_WITH, start);
    advance(p);
    uint32_t mark = p->scratch_count, open = p->token.start;
    bool parenthesised = at(p, TOKEN_LEFT_PAREN) && at_parenthesised_items(p);
    if (parenthesised)
        advance(p);
    do
        scratch_push(p, parse_with_item(p));
    while (accept(p, TOKEN_COMMA) && !(parenthesised && at(p, TOKEN_RIGHT_PAREN)));
    if (parenthesised)
        expect_close(p, TOKEN_RIGHT_PAREN, open);
    node->with.items = scratch_take(p, mark);
    node->with.body = parse_block(p, "'with' statement");
    return node_end(p, node);
}

/* ---- dispatch ---- */

static Node *parse_async(Parser *p)
{
    uint32_t start = p->token.start;
    advance(p);
    switch (p->token.kind) {
    case TOKEN_DEF: return parse_function(p, start, true, (NodeList){0}, start);
    case TOKEN_FOR: return parse_for(p, start, true);
    case TOKEN_WITH: return parse_with(p, start, true);
    default: parser_fail_expected(p, "'def', 'for' or 'with' after 'async'"); return error_node(p);
    }
}

/* Soft keywords are names but for this place. */
static bool token_is(const Parser *p, const Token *token, const char *word)
{
    size_t len = strlen(word);
    return token->kind == TOKEN_NAME && token->end - token->start == len &&
           memcmp(p->lexer.text + token->start, word, len) == 0;
}

static bool at_type_alias(Parser *p)
{
    if (!token_is(p, &p->token, "type"))
        return false;
    LexerMark mark = lexer_mark(&p->lexer);
    Token name, equal;
    lexer_next(&p->lexer, &name);
    bool is_alias = name.kind == TOKEN_NAME;
    if (is_alias) {
        lexer_next(&p->lexer, &equal);
        is_alias = equal.kind == TOKEN_EQUAL;
    }
    lexer_rewind(&p->lexer, mark);
    return is_alias;
}

static Node *parse_type_alias(Parser *p)
{
    Node *node = parse_word(p, NODE_TYPE_ALIAS);
    node->type_alias.name = expect_name(p);
    expect(p, TOKEN_EQUAL);
    node->type_alias.value = parse_ternary(p);
    return node_end(p, node);
}

static Node *parse_simple(Parser *p)
{
    switch (p->token.kind) {
    case TOKEN_RETURN: return parse_return(p);
    case TOKEN_PASS: return parse_word(p, NODE_PASS);
    case TOKEN_BREAK: return parse_word(p, NODE_BREAK);
    case TOKEN_CONTINUE: return parse_word(p, NODE_CONTINUE);
    case TOKEN_IMPORT: return parse_import(p);
    case TOKEN_FROM: return parse_import_from(p);
    case TOKEN_RAISE: return parse_raise(p);
    case TOKEN_ASSERT: return parse_assert(p);
    case TOKEN_DEL: return parse_del(p);
    case TOKEN_GLOBAL: return parse_global(p, NODE_GLOBAL);
    case TOKEN_NONLOCAL: return parse_global(p, NODE_NONLOCAL);
    case TOKEN_NAME:
        if (at_type_alias(p))
            return parse_type_alias(p);
        return parse_expression_statement(p);
    case TOKEN_ELSE:
    case TOKEN_ELIF:
    case TOKEN_EXCEPT:
    case TOKEN_FINALLY:
        parser_fail(p, p->token.start, p->token.end, "'%s' without a statement that it belongs to",
                    token_spelling(p->token.kind));
        return error_node(p);
    default: return parse_expression_statement(p);
    }
}

void parse_simple_line(Parser *p)
{
    do
        scratch_push(p, parse_simple(p));
    while (accept(p, TOKEN_SEMICOLON) && !at_statement_end(p));
    if (at(p, TOKEN_NEWLINE))
        parser_advance_line(p);
    else if (!at(p, TOKEN_END))
        parser_fail_expected(p, "end of line");
}

void parse_statement(Parser *p)
{
    Node *node;
    switch (p->token.kind) {
    case TOKEN_IF: node = parse_if(p); break;
    case TOKEN_FOR: node = parse_for(p, p->token.start, false); break;
    case TOKEN_WHILE: node = parse_while(p); break;
    case TOKEN_DEF: node = parse_function(p, p->token.start, false, (NodeList){0}, p->token.start); break;
    case TOKEN_CLASS: node = parse_class(p, (NodeList){0}, p->token.start); break;
    case TOKEN_AT: node = parse_decorated(p); break;
    case TOKEN_WITH: node = parse_with(p, p->token.start, false); break;
    case TOKEN_TRY: node = parse_try(p); break;
    case TOKEN_ASYNC: node = parse_async(p); break;
    case TOKEN_NAME:
        if (token_is(p, &p->token, "match") && at_match_statement(p)) {
            node = parse_match(p);
            break;
        }
        parse_simple_line(p);
        return;
    default: parse_simple_line(p); return;
    }
    scratch_push(p, node);
}
