/* Inside the generic generator: random_leaf.c, random_expr.c and random_condition.c make expressions, random_stmt.c and
 * random_output.c statements. */
#ifndef WEFT_SYNTH_RANDOM_PARTS_H
#define WEFT_SYNTH_RANDOM_PARTS_H

#include "synth/random/make.h"

Expr random_variable(Synth *s, const Type *type, bool only_unused);
Expr random_leaf(Synth *s, const Type *type);
Expr literal_within(Synth *s, Expr like);
Expr past_a_threshold(Synth *s, Expr value);
uint32_t loops_open(const Synth *s);
bool in_loop(const Synth *s);
enum { MAX_INDICES = 16 };
uint32_t index_variables(const Synth *s, uint8_t out[MAX_INDICES]); /* the numbers of those in scope */
Expr var_expr(Synth *s, uint32_t i);
void scatter_statement(Synth *s);

#endif
