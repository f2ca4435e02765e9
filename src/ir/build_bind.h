/* Private to the call builder. */
#ifndef WEFT_IR_BUILD_BIND_H
#define WEFT_IR_BUILD_BIND_H

#include "ir/build.h"

/* The first overload that fits, with its arguments bound; an error if there is none. */
const Builtin *choose_builtin(Builder *, const BuiltinSet *set, const Arg *args, uint32_t count,
                              uint32_t expected_outputs, Bound *bound, const Node *at);
Func *choose_overload(Builder *, Func *head, const Arg *args, uint32_t count, const Node *at);
/* Arguments in the order of the parameters, defaults filled in; false: they do not fit. */
bool bind_params(const Param *params, uint32_t param_count, const Arg *args, uint32_t count, Eval *out,
                 const Node **nodes);
/* The clone of a function for the functions that it is given. */
Func *specialize(Builder *, Func *func, const Eval *evals, const Node *at);

#endif
