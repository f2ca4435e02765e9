/* The parser's frame: entry points, blocks, errors and the recovery from them. */
#include "front/parser_impl.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- errors ---- */

/* How a message names the token that was found. */
static void describe_token(const Parser *p, const Token *token, char *out, size_t size)
{
    enum { SHOWN = 40 };
    if (p->field_end && token->start == p->field_end) {
        snprintf(out, size, "the end of the f-string field");
        return;
    }
    bool has_text = token->kind != TOKEN_END && token->kind != TOKEN_NEWLINE && token->kind != TOKEN_INDENT &&
                    token->kind != TOKEN_DEDENT;
    if (!has_text) {
        snprintf(out, size, "%s", token_spelling(token->kind));
        return;
    }
    if (token->kind == TOKEN_STRING) {
        snprintf(out, size, "a string");
        return;
    }
    uint32_t len = token->end - token->start;
    const char *text = p->lexer.text + token->start;
    bool cut = len > SHOWN;
    for (len = cut ? SHOWN : len; cut && len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80;)
        len--;
    snprintf(out, size, "'%.*s%s'", (int)len, text, cut ? "..." : "");
}

/* Only the first error of a statement is reported: returns NULL for others. */
Diag *parser_fail(Parser *p, uint32_t start, uint32_t end, const char *format, ...)
{
    if (p->failed)
        return NULL;
    va_list args;
    va_start(args, format);
    Diag *diag = diag_add_list(p->diags, p->source, DIAG_ERROR, start, end, format, args);
    va_end(args);
    p->failed = true;
    p->failed_at = p->token;
    p->token.kind = (TokenKind)TOKEN_STUCK;
    p->error_count++;
    return diag;
}

static void fail_unclosed(Parser *p, uint32_t open)
{
    parser_fail(p, open, open + 1, "'%c' was never closed", p->lexer.text[open]);
}

void parser_fail_expected(Parser *p, const char *what)
{
    const Token *token = &p->token;
    char found[64];
    uint32_t open = p->lexer.brackets;
    if (token->kind == TOKEN_ERROR) {
        parser_fail(p, token->start, token->end, "%s", p->lexer.error);
    } else if (token->kind == TOKEN_END && open > 0 && open <= LEXER_KNOWN_BRACKETS) {
        fail_unclosed(p, p->lexer.bracket_starts[open - 1]);
    } else if (token->kind == TOKEN_INDENT && p->token.start == p->line_first) {
        parser_fail(p, token->end, token->end, "unexpected indent");
    } else if (!p->failed) {
        describe_token(p, token, found, sizeof found);
        bool equal = token->kind == TOKEN_EQUAL;
        Diag *diag = parser_fail(p, token->start, token->end, "expected %s, found %s", what, found);
        if (equal && diag)
            diag->hint = "maybe you meant '==' instead of '='";
    }
}

void parser_fail_depth(Parser *p)
{
    parser_fail(p, p->token.start, p->token.end, "nested too deeply");
}

/* ---- tokens ---- */

bool expect(Parser *p, TokenKind kind)
{
    if (accept(p, kind))
        return true;
    char what[32];
    snprintf(what, sizeof what, "'%s'", token_spelling(kind));
    parser_fail_expected(p, what);
    return false;
}

/* Words that cannot stand inside brackets: where one comes, a bracket was forgotten before it. */
static bool starts_statement(TokenKind kind)
{
    static const bool starts[TOKEN_KIND_COUNT + 1] = {
        [TOKEN_DEF] = true,   [TOKEN_CLASS] = true,    [TOKEN_RETURN] = true, [TOKEN_WHILE] = true,
        [TOKEN_WITH] = true,  [TOKEN_TRY] = true,      [TOKEN_IMPORT] = true, [TOKEN_FROM] = true,
        [TOKEN_RAISE] = true, [TOKEN_PASS] = true,     [TOKEN_DEL] = true,    [TOKEN_ASSERT] = true,
        [TOKEN_BREAK] = true, [TOKEN_CONTINUE] = true, [TOKEN_GLOBAL] = true, [TOKEN_NONLOCAL] = true,
    };
    return starts[kind];
}

/* Is a bracket still open at the end of the text? The parser has failed here already, or is about to. */
static bool stays_open(Parser *p)
{
    LexerMark mark = lexer_mark(&p->lexer);
    Token token;
    do
        lexer_next(&p->lexer, &token);
    while (token.kind != TOKEN_END && token.kind != TOKEN_ERROR && p->lexer.brackets);
    bool open = token.kind == TOKEN_END && p->lexer.brackets;
    lexer_rewind(&p->lexer, mark);
    return open;
}

void expect_close(Parser *p, TokenKind kind, uint32_t open)
{
    if (accept(p, kind))
        return;
    const char *text = p->lexer.text;
    bool on_later_line = !p->failed && memchr(text + open, '\n', p->token.start - open);
    bool next_line = on_later_line && memchr(text + p->last_end, '\n', p->token.start - p->last_end);
    if (at(p, TOKEN_END) || (on_later_line && starts_statement(p->token.kind)) || (next_line && stays_open(p))) {
        fail_unclosed(p, open);
        return;
    }
    char what[32];
    snprintf(what, sizeof what, "',' or '%s'", token_spelling(kind));
    parser_fail_expected(p, what);
}

Name expect_name(Parser *p)
{
    Name name = p->token.name;
    if (accept(p, TOKEN_NAME))
        return name;
    parser_fail_expected(p, "a name");
    return NULL;
}

void parser_advance_line(Parser *p)
{
    lexer_next(&p->lexer, &p->token);
    p->line_first = p->token.start;
}

/* ---- nodes and lists ---- */

Node *error_node(Parser *p)
{
    Node *node = node_new(p, NODE_CONSTANT, p->token.start);
    node->end = p->token.end;
    return node;
}

void parser_add_nodes(Parser *p)
{
    enum { NODES = 16 }; /* of the largest kind; there are more of others */
    p->next_node = arena_zeroed(p->arena, NODES * sizeof(Node));
    p->nodes_end = p->next_node + NODES * sizeof(Node);
}

/* Room for a list. */
static Node **new_items(Parser *p, uint32_t count)
{
    enum { ITEMS = 128, LONG = 16 };
    if (count > LONG)
        return ARENA_ARRAY(p->arena, Node *, count);
    if (count > (size_t)(p->items_end - p->next_item)) {
        p->next_item = ARENA_ARRAY(p->arena, Node *, ITEMS);
        p->items_end = p->next_item + ITEMS;
    }
    p->next_item += count;
    return p->next_item - count;
}

void scratch_grow(Parser *p)
{
    uint32_t cap = p->scratch_cap ? p->scratch_cap * 2 : 64;
    Node **old = p->scratch;
    p->scratch = arena_grow(p->arena, old, sizeof *old * p->scratch_cap, sizeof *old * cap);
    arena_give_back(p->arena, old, sizeof *old * p->scratch_cap);
    p->scratch_cap = cap;
}

NodeList scratch_copy(Parser *p, uint32_t from, uint32_t count, uint32_t step)
{
    NodeList list = {0};
    if (count == 0)
        return list;
    list.items = new_items(p, count);
    list.count = list.cap = count;
    for (uint32_t i = 0; i < count; i++)
        list.items[i] = p->scratch[from + i * step];
    return list;
}

NodeList scratch_take(Parser *p, uint32_t mark)
{
    NodeList list = scratch_copy(p, mark, p->scratch_count - mark, 1);
    p->scratch_count = mark;
    return list;
}

Node *take_tuple(Parser *p, uint32_t start, uint32_t mark)
{
    Node *tuple = node_new(p, NODE_TUPLE, start);
    tuple->sequence.elts = scratch_take(p, mark);
    return node_end(p, tuple);
}

/* ---- blocks and recovery ---- */

/* Blocks that are open for the parser: a DEDENT that it has not yet seen closes none. */
static uint32_t open_blocks(const Parser *p)
{
    return p->lexer.indent_count + p->lexer.pending_dedents;
}

/* Enough errors: as if the text ended here. */
static void give_up(Parser *p)
{
    p->lexer.at = p->lexer.end;
    p->lexer.brackets = 0;
    p->lexer.pending_dedents = 0;
    p->lexer.indent_count = 1;
    p->lexer.at_line_start = true;
    parser_advance_line(p);
}

static void skip_line(Parser *p)
{
    p->lexer.recovering = true;
    while (!at(p, TOKEN_NEWLINE) && !at(p, TOKEN_END))
        lexer_next(&p->lexer, &p->token);
    p->lexer.recovering = false;
    if (at(p, TOKEN_NEWLINE))
        parser_advance_line(p);
}

/* Out of the blocks that began in the statement: they go with it. */
static void skip_blocks(Parser *p, uint32_t blocks)
{
    while (open_blocks(p) > blocks && !at(p, TOKEN_END))
        lexer_next(&p->lexer, &p->token);
    if (at(p, TOKEN_DEDENT))
        parser_advance_line(p);
}

static bool at_clause(const Parser *p)
{
    return at(p, TOKEN_ELSE) || at(p, TOKEN_ELIF) || at(p, TOKEN_EXCEPT) || at(p, TOKEN_FINALLY);
}

/* After an error in a statement: to the next statement of the same block, or to the block's end. */
static void recover(Parser *p, uint32_t statement_start, uint32_t blocks)
{
    p->failed = false;
    p->token = p->failed_at;
    if (p->error_count >= LIMIT_SYNTAX_ERRORS) {
        give_up(p);
        return;
    }
    bool inside = open_blocks(p) > blocks;
    bool at_next_line = p->token.start == p->line_first && p->line_first != statement_start;
    if (!at_next_line)
        skip_line(p);
    if (inside || open_blocks(p) > blocks)
        skip_blocks(p, blocks);
    while (at_clause(p)) { /* of the statement that is given up */
        skip_line(p);
        if (open_blocks(p) > blocks)
            skip_blocks(p, blocks);
    }
}

/* Pushes them on the scratch. */
static void parse_statements(Parser *p, TokenKind closing)
{
    while (!at(p, closing) && !at(p, TOKEN_END)) {
        uint32_t mark = p->scratch_count, depth = p->depth, elif_depth = p->elif_depth;
        uint32_t start = p->token.start, blocks = open_blocks(p) - at(p, TOKEN_INDENT);
        parse_statement(p);
        if (p->failed) {
            p->scratch_count = mark;
            p->depth = depth;
            p->elif_depth = elif_depth;
            recover(p, start, blocks);
            if (open_blocks(p) < blocks) /* the error was in the indentation: the block ended unseen */
                return;
        }
    }
}

/* `: statement` or an indented block; `after` names what it belongs to. */
NodeList parse_block(Parser *p, const char *after)
{
    uint32_t mark = p->scratch_count;
    if (!expect(p, TOKEN_COLON) || !enter(p))
        return (NodeList){0};
    if (!at(p, TOKEN_NEWLINE)) {
        parse_simple_line(p);
    } else {
        parser_advance_line(p);
        if (at(p, TOKEN_INDENT)) {
            uint32_t around = open_blocks(p) - 1;
            parser_advance_line(p);
            parse_statements(p, TOKEN_DEDENT);
            if (at(p, TOKEN_DEDENT) && open_blocks(p) == around)
                parser_advance_line(p);
        } else if (at(p, TOKEN_ERROR)) {
            parser_fail_expected(p, "an indented block");
        } else {
            parser_fail(p, p->token.start, p->token.end, "expected an indented block after %s", after);
        }
    }
    leave(p);
    return scratch_take(p, mark);
}

/* ---- entry points ---- */

static void parser_init(Parser *p, Arena *arena, NameTable *names, const Source *source, size_t from, DiagList *diags,
                        TokenList *tokens)
{
    memset(p, 0, offsetof(Parser, lexer));
    p->source = source;
    p->arena = arena;
    p->names = names;
    p->diags = diags;
    lexer_init(&p->lexer, arena, names, source, from);
    if (tokens) {
        tokens->count = 0;
        tokens->cap = (uint32_t)(source->len / 2) + 16; /* of shorter tokens there are not that many */
        tokens->items = arena_take(arena, tokens->cap * sizeof *tokens->items);
        p->lexer.kept = tokens;
    }
    parser_advance_line(p);
}

static Node *parse_to_end(Parser *p)
{
    Node *module = node_new(p, NODE_MODULE, 0);
    parse_statements(p, TOKEN_END);
    module->module.body = scratch_take(p, 0);
    module->module.decorated = p->decorated;
    module->end = (uint32_t)(p->lexer.end - p->lexer.text);
    arena_give_back(p->arena, p->scratch, sizeof *p->scratch * p->scratch_cap);
    lexer_end(&p->lexer);
    return module;
}

Node *parse_module_tokens(Arena *arena, NameTable *names, const Source *source, DiagList *diags, TokenList *tokens)
{
    Parser parser;
    parser_init(&parser, arena, names, source, 0, diags, tokens);
    return parse_to_end(&parser);
}

Node *parse_module(Arena *arena, NameTable *names, const Source *source, DiagList *diags)
{
    return parse_module_tokens(arena, names, source, diags, NULL);
}

Node *parse_module_from(Arena *arena, NameTable *names, const Source *source, size_t from, DiagList *diags)
{
    Parser parser;
    parser_init(&parser, arena, names, source, from, diags, NULL);
    return parse_to_end(&parser);
}

Node *parse_expression(Arena *arena, NameTable *names, const Source *source, DiagList *diags)
{
    Parser parser, *p = &parser;
    parser_init(p, arena, names, source, 0, diags, NULL);
    if (at(p, TOKEN_INDENT)) /* blanks before it do not matter */
        parser_advance_line(p);
    Node *node = parse_yield_or_star(p);
    while (at(p, TOKEN_NEWLINE) || at(p, TOKEN_DEDENT))
        parser_advance_line(p);
    if (!at(p, TOKEN_END))
        parser_fail_expected(p, "end of file");
    return node;
}
