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

/* Dicts, lists and strings (static_container.c). */
typedef enum Equality { EQUAL_NO, EQUAL_YES, EQUAL_UNSURE } Equality;
Equality values_equal(const Value *a, const Value *b); /* as keys of a dict are */
Value *value_dict(Unit *unit, uint32_t room);          /* empty */
const Value *value_set(Unit *unit, const Value *const *items, uint32_t count);
void dict_put(Unit *unit, const Value *dict, const Value *key, const Value *item);
void dict_merge(Unit *unit, const Value *dict, const Value *other);
void dict_forget(const Value *dict, const char *why);
const Value *dict_item(Unit *unit, const Value *dict, const Value *key);
const Value *value_contains(Unit *unit, const Value *container, const Value *item);
const Value *iterated(Unit *unit, const Value *value); /* what a loop over it takes: of a dict its keys */
bool set_item(Unit *unit, const Node *target, const Value *item, const Scope *scope); /* false: not of a dict */
const Value *call_method(Unit *unit, const Value *object, Name name, const Value **args, uint32_t count);
const Value *value_as_text(Unit *unit, const Value *value);
const Value *join_texts(Unit *unit, const Value *a, const Value *b);
const Value *eval_fstring(Unit *unit, const Node *node, const Scope *scope);

/* Comprehensions (static_comprehension.c). */
const Value *eval_comprehension(Unit *unit, const Node *node, const Scope *scope);

/* What wp.Kernel() is given; NULL: nothing (declare_kernel.c). */
typedef struct KernelParts {
    const Node *at;
    const Value *function, *key, *module, *options;
    bool has_more; /* arguments that are not followed */
} KernelParts;
/* kernel.NAME = value, or an item of that (no name): sets its key, or refuses it. */
void set_kernel_attribute(Unit *unit, Kernel *kernel, Name name, const Value *value, const Node *at,
                          const Scope *scope);
const Value *declare_kernel_object(Unit *unit, const KernelParts *parts, const Scope *scope);

/* Calls (static_call.c, static_sequence.c, static_python.c). */
typedef struct Args {
    const Value *positional[LIMIT_LOAD_ARGS];
    uint32_t count;
    Name names[16];
    const Value *named[16];
    uint32_t named_count;
} Args;
const Value *given_argument(const Args *args, uint32_t position, const char *name); /* NULL: it is not given */
const Value *call_sequence_function(Unit *unit, int id, const Args *args);          /* NULL: not one of them */
const Value *static_method(Unit *unit, const Node *call, const Value *object, const Scope *scope);
/* wp.func(inline=False), kept as a value: the call, whose options are constants. NULL: the value is nothing of that kind. */
const Node *kept_options(const Value *value);
/* Types of ctypes and numbers of NumPy (static_numpy.c). */
const Value *ctype_of(Unit *unit, const Type *scalar); /* scalar._type_ */
const Value *size_of_ctype(Unit *unit, const Value *ctype);
const Value *numpy_type(Unit *unit, const Value *value); /* Warp's type for one of NumPy */
const Value *float_limits(Unit *unit, const Value *type);
const Value *int_limits(Unit *unit, const Value *type);
const Value *scalar_of_numpy(Unit *unit, const Type *type, const Value *numpy);
/* Objects that only a running program has (static_made.c). */
ObjectKind object_made(Unit *unit, const Node *node, const Scope *scope);
/* An unknown value that `node` gave, with what kind of object it is. */
const Value *note_object(Unit *unit, const Node *node, const Scope *scope, const Value *value);
/* A name, or a dotted one of a module: what it stands for, found without evaluating anything. NULL: not known so. */
const Value *plain_value(Unit *unit, const Node *node, const Scope *scope);
const Node *argument_node(const Node *call, uint32_t position, const char *name); /* NULL: it is not given */
const Node *given_shape(const Node *call, uint32_t position);
/* The type of an array of Warp that the expression makes, as far as its text tells it; NULL: it does not (static_array.c). */
const Type *array_made(Unit *unit, const Node *node, const Scope *scope);
/* Launches give a generic kernel its types (static_launch.c). */
const Value *run_launch(Unit *unit, const Node *call, const Args *args);
/* Classes of the project that are called (static_object.c). */
/* An object that a constructor made, and `ran` it; NULL: it is not followed. */
const Value *construct_object(Unit *unit, const Value *cls, Args *args, const PythonFunc **ran);
/* CLASS(…).NAME: the object lives no longer than that. */
const Value *attribute_of_call(Unit *unit, const Node *call, const Value *cls, Name name, const Scope *scope);
void forget_object(Unit *unit, const Value *object); /* that a constructor makes; nothing happens to other values */
void lose_methods(Unit *unit, const Value *cls, const PythonFunc *but);
/* A function or lambda with what its parameters have by default. */
const PythonFunc *python_func(Unit *unit, const Node *def, const Node *params, const Scope *scope,
                              const char *qualname);
/* function.__name__ = name, or __qualname__; false: it is another attribute, or of something else. */
bool rename_function(const Value *function, Name attribute, const Value *name);
const Value *function_qualname(Unit *unit, const PythonFunc *func); /* a string, or VALUE_UNKNOWN */
/* functools.wraps(wrapped)(wrapper); NULL: the wrapper is not a function. */
const Value *wrap_function(Unit *unit, const Value *wrapper, const Value *wrapped);
const Value *make_property(Unit *unit, const Value *function);    /* @property */
const Value *remember_results(Unit *unit, const Value *function); /* @functools.cache */

/* What was not followed (lost.c). */
typedef enum LossKind {
    LOST_NUMBERS = 1, /* a function was handed over, and may be called later */
    LOST_ALL,
} LossKind;
void lose_call(Unit *unit, const PythonFunc *func, LossKind kind);
void lose_number(Unit *unit, const char *qualname); /* of functions of that name */
void lose_statement(Unit *unit, const Node *statement, const Scope *scope);

/* Options of modules (module_options.c). */
void set_module_options(Unit *unit, ModuleOptions *options, const Value *dict);
/* The first key that is the name of no option; NULL: there is none. */
const Value *unknown_module_option(const Unit *unit, const Value *dict);
void note_statics(ModuleOptions *options, const Code *code);               /* of a kernel or function of that module */
ModuleOptions *module_named_by(Unit *unit, File *file, const Value *name); /* NULL or None: the file's own */
bool assign_module_option(Unit *unit, const Node *target, const Value *value, const Scope *scope);
/* Source text and wp.static() values of a definition whose parameters are read (code.c). */
void code_finish(Unit *unit, Code *code);

/* Calls that the caller asks for (static_asked.c). */
void run_asked_calls(Unit *unit);

/* Facts about modules that are not read (facts.c). */
bool has_known_facts(const Unit *unit, const char *module);
void bind_known_facts(Unit *unit, File *file, bool *given); /* *given: by the caller, whose program has the module */

/* Imports (import.c). */
void run_import(Unit *unit, const Node *node, Scope *scope);
void run_import_from(Unit *unit, const Node *node, Scope *scope);
/* A module of Warp that is not among the files: its functions are counted (warp_functions.c). False: this Warp has none of that name. */
bool import_of_warp(Unit *unit, const char *name);
void count_functions(Unit *unit, Name key, uint32_t count); /* as if so many of the name were defined (declare.c) */
void import_main(Unit *unit); /* the packages around the unit's file, then the file itself */

/* Statements (load.c). */
const StoredFile *stored_file(Unit *unit, const Source *source); /* with this text; NULL: it is not in the store */
void file_run(Unit *unit, File *file);                           /* all of a file's module level */
typedef enum Flow { FLOW_NEXT, FLOW_RETURN, FLOW_BREAK, FLOW_CONTINUE, FLOW_STUCK } Flow;
bool bind_target(Unit *unit, const Node *target, const Value *value, Scope *scope); /* false: not followed as a whole */
Flow run_block(Unit *unit, const NodeList *body, Scope *scope, const Value **result);

#endif
