/* Private to the rules: what results (rule.c, rule_make.c, rule_array.c) and dispatch (dispatch.c) look at. */
#ifndef WEFT_IR_RULE_IMPL_H
#define WEFT_IR_RULE_IMPL_H

#include "ir/build.h"

const Type *arg_type(const RuleCall *call, const char *name); /* NULL: left out */
const Bound *rest_of(const RuleCall *call);                   /* the *parameter */
bool constant_int(const Eval *eval, int64_t *out);
uint32_t plain_args(const RuleCall *call, Eval *out);         /* all but dtype */
uint32_t index_types(const RuleCall *call, const Type **out); /* of i, j, k, l */
/* Elements of a tuple argument (a variable made by a tuple), or the argument itself. */
const Eval *tuple_items(const RuleCall *call, const Eval *eval, uint32_t *count);
uint32_t slice_length(RuleCall *call, const Type *slice);
/* The shape that indices select from a matrix: -1 for a single row or column. */
uint32_t selected_shape(RuleCall *call, const Type *matrix, int64_t shape[2]);
bool has_slice(const RuleCall *call);

const Type *arg_dtype(const RuleCall *call, const char *name); /* a type given as an argument; NULL: left out */
uint32_t const_dimension(RuleCall *call, const Eval *eval, const char *what);
const Bound *bound_named(const RuleCall *call, const char *name); /* NULL: left out */

static inline void one_output(RuleCall *call, const Type *type)
{
    call->outputs[0] = type;
    call->output_count = 1;
}

static inline TypeTable *types(const RuleCall *call)
{
    return call->builder->unit->types;
}

static inline const Type *first_type(const RuleCall *call)
{
    return eval_type(call->builder, &call->bound[0].eval);
}

/* The one scalar type of the arguments; NULL: none of them has any. */
const Type *common_scalar(RuleCall *call, const Eval *evals, uint32_t count);

/* Tiles (tile_type.c): the type that a copy has, and the choice between two. */
const Type *copied_tile(RuleCall *call, const Type *tile);
const Type *chosen_tile(RuleCall *call, const Type *a, const Type *b);

/* One function for each word in the columns of rule.def. */
#define RULE(name, result, dispatch, traits)                                                                           \
    void rule_##result(RuleCall *call);                                                                                \
    void dispatch_##dispatch(RuleCall *call, Dispatch *out);
#include "lang/rule.def"
#undef RULE

#endif
