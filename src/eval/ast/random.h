/* Random numbers for the other builtins. */
#ifndef WEFT_EVAL_AST_RANDOM_H
#define WEFT_EVAL_AST_RANDOM_H

#include "eval/ast/impl.h"

uint32_t random_state(uint32_t seed, uint32_t offset); /* rand_init(seed, offset) */
uint32_t random_next(uint32_t state);                  /* a step of the generator */
Dual random_float(Dual *state);                        /* moves the state on */

#endif
