/* Python text to syntax tree. Everything of Python 3.11's grammar is parsed; what a kernel
 * cannot use is refused later, with its reason.
 *
 * Plain recursive descent, one function per rule of the grammar. Nesting deeper than
 * LIMIT_PARSE_DEPTH is an error, so no input overruns the stack. Chains that are parsed in a
 * loop (`a + b + …`, `a.b.c…`, elif) also make deep trees: no path down a tree has more than
 * LIMIT_PARSE_CHAIN such links, so that whoever walks a tree may recurse. After a syntax error
 * the parser skips to the next statement at the same or a lower indentation, to report
 * more than one error per run (at most LIMIT_SYNTAX_ERRORS). */
#ifndef WEFT_FRONT_PARSER_H
#define WEFT_FRONT_PARSER_H

#include "base/limits.h"
#include "front/ast.h"
#include "front/lexer.h"

/* Nodes live in `arena`, names in `names`, errors go to `diags`. Always returns a module;
 * where diags gained errors, it holds what could be parsed. The source must be UTF-8 (a
 * leading byte-order mark is skipped) and at most 4 GiB - 1. */
Node *parse_module(Arena *arena, NameTable *names, const Source *source, DiagList *diags);
/* The same; `tokens` becomes all of them, where there are no errors. */
Node *parse_module_tokens(Arena *arena, NameTable *names, const Source *source, DiagList *diags, TokenList *tokens);
/* Only what stands from the offset on, where a line begins; offsets in the tree are those of the whole text. */
Node *parse_module_from(Arena *arena, NameTable *names, const Source *source, size_t from, DiagList *diags);

/* A single expression, for tools and tests. */
Node *parse_expression(Arena *arena, NameTable *names, const Source *source, DiagList *diags);

#endif
