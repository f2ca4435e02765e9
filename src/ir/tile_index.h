/* Subscripts of tiles, for the builder of subscripts and assignments. */
#ifndef WEFT_IR_TILE_INDEX_H
#define WEFT_IR_TILE_INDEX_H

#include "ir/build.h"

/* The tile that the last indices of a chain of brackets are for, and those indices. `ends`: of the brackets, in the list. */
IrVar *tile_subscript_target(Builder *, IrVar *target, const Node **indices, uint32_t *count, const uint32_t *ends,
                             uint32_t group_count, const Node *at);
void build_tile_indices(Builder *, const IrVar *target, const Node **nodes, uint32_t count, IrVar **out);
Eval index_tile(Builder *, IrVar *target, IrVar **indices, uint32_t count, const Node *at);
void store_tile(Builder *, IrVar *target, IrVar **indices, uint32_t count, IrVar *value, const Node *at);
/* Fails where the indices lead to more than an element. */
void check_tile_update(Builder *, const IrVar *target, IrVar *const *indices, uint32_t count, const Node *at);

#endif
