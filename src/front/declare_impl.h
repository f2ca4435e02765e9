/* Shared by the files that declare functions, kernels and classes; nobody else includes this. */
#ifndef WEFT_FRONT_DECLARE_IMPL_H
#define WEFT_FRONT_DECLARE_IMPL_H

#include "front/static_impl.h"

/* A type annotation; NULL: it is none, and `why` says so. */
const Type *annotation_type(Unit *unit, const Node *annotation, const Scope *scope, Refusal *why);
const Node *param_node(const Node *args, uint32_t i); /* the i-th parameter of all */
/* Reads the parameters of code->def. False: they cannot be used, and `why` says so. */
bool read_params(Unit *unit, Code *code, Refusal *why);

const char *qualname_of(Unit *unit, const Scope *scope, Name name);
Name key_of(Unit *unit, const char *qualname); /* `make.<locals>.f` becomes `make__locals__f` */
const char *signature_string(Unit *unit, const Param *params, uint32_t count);
const Scope *closure_scope(const Scope *scope); /* what a definition in `scope` sees: not the names of a class */

/* The decorators that make kernels: @wp.kernel, @wp.overload (declare_kernel.c). */
const Value *declare_kernel(Unit *unit, const Node *def, const Scope *scope, const Node *decorator);
const Value *declare_overload(Unit *unit, const Node *def, const Scope *scope);

#endif
