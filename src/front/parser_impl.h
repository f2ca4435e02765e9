/* Inside the parser: its state, and what its files share. Not for other parts of weft.
 *
 *   parser.c         the two entry points, errors and recovery, blocks
 *   parse_stmt.c     statements            parse_def.c      functions, classes, parameters
 *   parse_expr.c     operators, calls      parse_display.c  brackets, braces, comprehensions
 *   parse_literal.c  numbers, strings      parse_fstring.c  f-strings
 *   parse_match.c    match statements      parse_target.c   what may be assigned to
 *
 * One token of lookahead. A syntax error is reported once; then the current token becomes
 * one that no rule accepts (see parser_fail), so that every loop ends and every function returns
 * something, and the statement being parsed is thrown away by parse_statements. */
#ifndef WEFT_FRONT_PARSER_IMPL_H
#define WEFT_FRONT_PARSER_IMPL_H

#include "front/lexer.h"
#include "front/parser.h"

enum { TOKEN_STUCK = TOKEN_KIND_COUNT }; /* the token that no rule accepts */
enum { OP_NONE = OP_KIND_COUNT };

/* PRECEDENCE_OP_ADD and so on, and those that the grammar names. */
enum {
#define OP(kind, python_class, symbol, precedence, builtin) PRECEDENCE_OP_##kind = precedence,
#include "lang/op.def"
#undef OP
    PRECEDENCE_OP_NONE = 0,
    PRECEDENCE_COMPARE = PRECEDENCE_OP_EQ
};

typedef struct Parser {
    Token token;         /* the next one, not yet consumed */
    uint32_t last_end;   /* of the last token consumed, line ends and indents not counted */
    uint32_t depth;      /* rules being parsed that can hold themselves */
    uint32_t chained;    /* how deep a tree the loops of parse_expr.c made: see chain_begin */
    uint32_t elif_depth; /* elif clauses around the current statement */
    Arena *arena;
    NameTable *names;
    const Source *source;
    DiagList *diags;

    /* Nodes and short lists are cut from pieces of zeroed memory, which the arena is asked for now and then. */
    char *next_node, *nodes_end;
    Node **next_item, **items_end;

    /* Lists grow here, the innermost on top, and are copied to the arena at their full length. */
    Node **scratch;
    uint32_t scratch_count, scratch_cap;

    NodeList decorated; /* functions */
    uint32_t field_end; /* where the f-string field ends that is being parsed; 0: none is */
    bool failed;        /* the current statement has an error */
    uint32_t error_count;
    Token failed_at;     /* the token that `token` would be */
    uint32_t line_first; /* start of the first token of the current logical line */
    Lexer lexer;
} Parser;

/* ---- tokens ---- */

void parser_advance_line(Parser *p); /* over NEWLINE, INDENT or DEDENT */

static inline bool at(const Parser *p, TokenKind kind)
{
    return p->token.kind == kind;
}

static inline void advance(Parser *p)
{
    p->last_end = p->token.end;
    lexer_next(&p->lexer, &p->token);
}

static inline bool accept(Parser *p, TokenKind kind)
{
    if (!at(p, kind))
        return false;
    advance(p);
    return true;
}

bool expect(Parser *p, TokenKind kind);
void expect_close(Parser *p, TokenKind kind, uint32_t open); /* `open`: where the bracket was opened */
Name expect_name(Parser *p);

/* ---- errors ---- */

Diag *parser_fail(Parser *p, uint32_t start, uint32_t end, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void parser_fail_expected(Parser *p, const char *what); /* "expected …, found …" at the current token */

void parser_fail_depth(Parser *p);

/* Around every rule that can hold itself. False: too deep, an error was reported. */
static inline bool enter(Parser *p)
{
    if (p->depth < LIMIT_PARSE_DEPTH) {
        p->depth++;
        return true;
    }
    parser_fail_depth(p);
    return false;
}

static inline void leave(Parser *p)
{
    p->depth--;
}

/* ---- nodes ---- */

void parser_add_nodes(Parser *p); /* room for more */
static inline Node *node_new(Parser *p, NodeKind kind, uint32_t start)
{
    size_t size = node_sizes[kind];
    if (size > (size_t)(p->nodes_end - p->next_node))
        parser_add_nodes(p);
    Node *node = (Node *)(void *)p->next_node;
    p->next_node += size;
    node->kind = kind;
    node->start = start;
    return node;
}

static inline Node *node_end(Parser *p, Node *node)
{
    node->end = p->last_end;
    return node;
}

void scratch_grow(Parser *p);
static inline void scratch_push(Parser *p, Node *node)
{
    if (p->scratch_count == p->scratch_cap)
        scratch_grow(p);
    p->scratch[p->scratch_count++] = node;
}

/* Everything pushed since `mark`, as a list; the scratch is back at `mark`. */
NodeList scratch_take(Parser *p, uint32_t mark);
Node *take_tuple(Parser *p, uint32_t start, uint32_t mark); /* of what was pushed since the mark */
/* Every `step`-th node from `from` on, the scratch unchanged. */
NodeList scratch_copy(Parser *p, uint32_t from, uint32_t count, uint32_t step);

/* What stands where an expression should, after an error. */
Node *error_node(Parser *p);

/* ---- parser.c ---- */
NodeList parse_block(Parser *p, const char *after);

/* ---- parse_stmt.c ---- */
void parse_statement(Parser *p);   /* one, or the `a; b` of one line: pushed on the scratch */
void parse_simple_line(Parser *p); /* `a; b`, with the line's end */

/* ---- parse_def.c ---- */
Node *parse_decorated(Parser *p);
Node *parse_function(Parser *p, uint32_t start, bool is_async, NodeList decorators, uint32_t first);
Node *parse_class(Parser *p, NodeList decorators, uint32_t first);
Node *parse_parameters(Parser *p, TokenKind closing); /* TOKEN_COLON: those of a lambda */

/* ---- parse_match.c ---- */
bool at_match_statement(Parser *p);
Node *parse_match(Parser *p);

/* ---- parse_expr.c: named after the rules of Python's grammar ---- */
Node *parse_ternary(Parser *p);          /* expression */
Node *parse_named(Parser *p);            /* named_expression: with := */
Node *parse_star_or_ternary(Parser *p);  /* star_expression */
Node *parse_star_or_named(Parser *p);    /* star_named_expression */
Node *parse_star_expressions(Parser *p); /* with commas: a tuple */
Node *parse_yield_or_star(Parser *p);    /* yield_expr | star_expressions */
Node *parse_yield(Parser *p);
Node *parse_starred(Parser *p, bool any_expression); /* `*x`: x a bitwise_or, or any expression */
Node *parse_operators(Parser *p, int precedence);    /* operators that bind at least so tightly */
Node *parse_primary(Parser *p);                      /* an atom with its trailers */
NodeList parse_arguments(Parser *p, uint32_t open, bool allow_generator, NodeList *keywords);

/* ---- parse_display.c ---- */
Node *parse_parentheses(Parser *p);
Node *parse_in_parentheses(Parser *p, bool *spans_parentheses); /* behind `(`, up to but not over `)` */
Node *parse_list(Parser *p);
Node *parse_braces(Parser *p);
static inline bool at_comprehension(const Parser *p)
{
    return at(p, TOKEN_FOR) || at(p, TOKEN_ASYNC);
}
NodeList parse_generators(Parser *p);

/* ---- parse_literal.c ---- */
Node *parse_number(Parser *p);
Node *parse_strings(Parser *p);

typedef struct StringToken {
    uint32_t start, end;
} StringToken;
StringToken string_inside(const Parser *p, StringToken token, StringPrefix prefix); /* without prefix and quotes */

/* What one string token decodes to is never longer than the token. Appends at `out`, returns the new end. */
char *decode_string(Parser *p, char *out, uint32_t from, uint32_t to, StringPrefix prefix);

/* ---- parse_fstring.c ---- */
Node *parse_fstrings(Parser *p, const StringToken *tokens, uint32_t count);

/* ---- parse_target.c ---- */
void make_target(Parser *p, Node *node); /* marks names as stored, or reports why it cannot be assigned to */
void make_delete_target(Parser *p, Node *node);
Node *parse_targets(Parser *p);                /* of `for` */
Node *parse_with_target(Parser *p);            /* star_target */
const char *expression_noun(const Node *node); /* "function call", for messages */

#endif
