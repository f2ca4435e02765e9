/* Shared by the files of the static evaluator; nobody else includes this. */
#ifndef WEFT_FRONT_STATIC_IMPL_H
#define WEFT_FRONT_STATIC_IMPL_H

#include "front/unit.h"

bool step(Unit *unit);             /* false: the budget of evaluation steps is spent */
const Value *too_long(Unit *unit); /* VALUE_UNKNOWN that says so */
const Value *static_binary(Unit *unit, OpKind op, const Value *a, const Value *b);

/* `wp.array[float]`, `tuple[int, float]`, `wp.ref[T]`: NULL if `object` is nothing of that kind. */
const Type *subscript_annotation(Unit *unit, const Value *object, const Node *slice, const Scope *scope);
/* A value used where a type is meant; NULL: it is none. */
const Type *type_of_value(const Value *value);

/* Instances of structs (instance.c). */
const Value *make_instance(Unit *unit, const Type *type);
const Value *instance_field(const Value *instance, Name name); /* NULL: it has none of that name */
void set_instance_field(Unit *unit, const Value *instance, Name name, const Value *value);
void forget_instance(Unit *unit, const Value *instance);
/* False: the target is not a part of an instance. `value` NULL: it is changed in a way that is not followed. */
bool assign_field(Unit *unit, const Node *target, const Value *value, const Scope *scope);
const Value *instance_trouble(const Value *instance); /* a field that is not known; NULL: all are */

/* Options of modules (module_options.c). */
void set_module_options(Unit *unit, ModuleOptions *options, const Value *dict);
/* The first key that is the name of no option; NULL: there is none. */
const Value *unknown_module_option(const Unit *unit, const Value *dict);
ModuleOptions module_defaults(const File *file);
void note_statics(ModuleOptions *options, const Code *code);               /* of a kernel or function of that module */
ModuleOptions *module_named_by(Unit *unit, File *file, const Value *name); /* NULL or None: the file's own */
bool assign_module_option(Unit *unit, const Node *target, const Value *value, const Scope *scope);
/* Source text and wp.static() values of a definition whose parameters are read (code.c). */
void code_finish(Unit *unit, Code *code);

/* Imports (import.c). */
void run_import(Unit *unit, const Node *node, Scope *scope);
void run_import_from(Unit *unit, const Node *node, Scope *scope);
void import_main(Unit *unit); /* the packages around the unit's file, then the file itself */

/* Statements (load.c). */
const StoredFile *stored_file(Unit *unit, const Source *source); /* with this text; NULL: it is not in the store */
void file_run(Unit *unit, File *file);                           /* all of a file's module level */
typedef enum Flow { FLOW_NEXT, FLOW_RETURN, FLOW_BREAK, FLOW_CONTINUE, FLOW_STUCK } Flow;
Flow run_block(Unit *unit, const NodeList *body, Scope *scope, const Value **result);

#endif
