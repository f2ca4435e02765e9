/* Inside the generic generator: random_expr.c makes expressions, random_stmt.c statements. */
#ifndef WEFT_SYNTH_RANDOM_H
#define WEFT_SYNTH_RANDOM_H

#include "synth/make.h"

Expr random_variable(Synth *s, const Type *type, bool only_unused);
Expr random_leaf(Synth *s, const Type *type);
Expr literal_within(Synth *s, Expr like);
Expr past_a_threshold(Synth *s, Expr value);
uint32_t loops_open(const Synth *s);
bool in_loop(const Synth *s);
/* What a person might call a value. */
const char *suggest_name(Synth *s, Expr value);

#endif
