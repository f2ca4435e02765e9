/* Private to the rules of tiles: what they ask of their arguments, and what they pass on.
 *
 * A rule of tiles may force its arguments into shared memory: it changes their types, which all variables that share them then
 * have (lang/type.h). The result's type is made before the native function's arguments are, so a force is seen by both. */
#ifndef WEFT_IR_TILE_IMPL_H
#define WEFT_IR_TILE_IMPL_H

#include "ir/rule_impl.h"

/* ---- arguments (tile_type.c) ---- */
const Type *tile_argument(RuleCall *call, const char *name); /* must be a tile */
void force_shared(RuleCall *call, const Type *tile);
bool truth_argument(RuleCall *call, const char *name); /* must be a constant */
const char *text_argument(RuleCall *call, const char *name);
TileStorage storage_argument(RuleCall *call);
/* The numbers of a shape, which must be constants; their number. `what`: for the message. */
uint32_t shape_argument(RuleCall *call, const char *name, uint32_t *shape);
/* An axis, which must be a constant: wrapped and checked. */
uint32_t axis_argument(RuleCall *call, const char *name, uint32_t ndim);
/* The elements of an offset, or as many zeros; fails if there are not `ndim` of them. */
void check_offset(RuleCall *call, uint32_t ndim, const char *of);
void push_offset(RuleCall *call, Dispatch *out, uint32_t ndim);
/* Are the shapes alike? Fails for those that are not. */
void check_same_shape(RuleCall *call, const char *name, const Type *a, const Type *b);
const char *shape_text(Builder *b, const TileType *tile); /* "(8, 4)" */

/* A slice of an axis of so many elements (tile_index.c). */
typedef struct TileSlice {
    int64_t start, step, length;
} TileSlice;
TileSlice tile_slice(Builder *, const Type *slice, int64_t length, const Node *at);

/* ---- types of results ---- */
const Type *register_tile(RuleCall *call, const Type *dtype, uint32_t ndim, const uint32_t *shape);
const Type *tile_like(RuleCall *call, const Type *tile, const Type *dtype); /* in registers, of the same shape */
const Type *one_element(RuleCall *call, const Type *dtype);
/* A view of a tile's memory. */
const Type *view_of(RuleCall *call, const Type *tile, uint32_t ndim, const uint32_t *shape, const int32_t *strides);

/* ---- what the native function gets ---- */
void pass(RuleCall *call, Dispatch *out, Eval eval);
void pass_named(RuleCall *call, Dispatch *out, const char *name);
void pass_int(RuleCall *call, Dispatch *out, int64_t value);    /* a new constant */
void pass_number(RuleCall *call, Dispatch *out, int64_t value); /* the number itself */
void template_type(Dispatch *out, const Type *type);
void template_tile(RuleCall *call, Dispatch *out, const Type *tile); /* as it is now */
void template_number(Dispatch *out, int64_t number);
void template_truth(Dispatch *out, bool truth);
void template_shape(Dispatch *out, const Type *tile);

#endif
