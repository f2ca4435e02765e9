/* Inside the unparser: unparse.c writes statements, unparse_expr.c expressions, unparse_string.c literals. */
#ifndef WEFT_FRONT_UNPARSE_IMPL_H
#define WEFT_FRONT_UNPARSE_IMPL_H

#include "front/ast.h"

/* What a place accepts without parentheses. The positive ones are the precedences of op.def. */
typedef enum Level {
    LEVEL_ANY = -3,   /* also `yield x` and `a, b` */
    LEVEL_STAR = -2,  /* also `a, b` and `*a, b` */
    LEVEL_NAMED = -1, /* also `x := y` */
    LEVEL_TEST = 0,   /* also conditional expressions and lambda */
    LEVEL_OR = 1,
    LEVEL_COMPARE = 4,
    LEVEL_BIT_OR = 5,
    LEVEL_SUM = 9,
    LEVEL_UNARY = 11,
    LEVEL_AWAIT = 13,
    LEVEL_ATOM = 14
} Level;

/* The four ways to quote, in order of preference. */
typedef enum QuoteStyle {
    QUOTE_DOUBLE,
    QUOTE_SINGLE,
    QUOTE_TRIPLE_DOUBLE,
    QUOTE_TRIPLE_SINGLE,
    QUOTE_STYLES
} QuoteStyle;

typedef struct Unparser {
    Text *out;
    uint32_t indent;
    unsigned enclosing; /* a bit for each QuoteStyle of the f-strings that are open */
    bool failed;        /* what was written cannot stand in them */
    bool readable;      /* parentheses also where readers would have to think: (a << b) | c, x or (y and z) */
} Unparser;

void write_expression(Unparser *u, const Node *node, Level level);
void write_expressions(Unparser *u, const NodeList *list, Level level); /* with commas */
void write_arguments(Unparser *u, const NodeList *args, const NodeList *keywords, bool bare_generator);
void write_parameters(Unparser *u, const Node *params);
void write_helper(Unparser *u, const Node *node); /* keyword, arg, comprehension, arguments */

void write_constant(Unparser *u, const Node *node);
void write_joined_string(Unparser *u, const Node *node);
void write_docstring(Unparser *u, const Node *node);

static inline void write_name(Unparser *u, Name name)
{
    if (name)
        text_add(u->out, name->text, name->len);
}

#endif
