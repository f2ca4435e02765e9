/* Private to the builder: syntax tree to region tree, with all type errors.
 *
 * The order in which variables are made decides their numbers, so it is part of the output: every function
 * here makes variables in the order in which Warp does. */
#ifndef WEFT_IR_BUILD_H
#define WEFT_IR_BUILD_H

#include "base/limits.h"
#include "base/table.h"
#include "ir/ir.h"

/* What an expression stands for while a function is built. */
typedef enum EvalKind {
    EVAL_VOID, /* a call without result */
    EVAL_VAR,
    EVAL_VALUE,  /* something known now: a type, function, module, … */
    EVAL_LIST,   /* the results of a call with several */
    EVAL_OPERAND /* what a dispatch passes that is neither a variable nor a constant */
} EvalKind;

typedef struct Eval {
    EvalKind kind;
    uint32_t count; /* of the list */
    union {
        IrVar *var;
        const Value *value;
        IrVar **list;
        const IrOperand *operand;
    };
} Eval;

typedef struct Symbol {
    Name name;
    Eval eval;
    uint32_t changed_at; /* number of its last change that was written down, from 1; 0: none */
} Symbol;

/* What a symbol stood for before it was changed. */
typedef struct SymbolChange {
    uint32_t index, changed_at;
    Eval before;
} SymbolChange;

/* Names and what they stand for, in order of first assignment. A short list is searched; a long one has an index. In branches and
 * loops, changes are written down, so that a branch can be taken back, and costs what it changes, not what there is. */
typedef struct Symbols {
    Symbol *items;
    uint32_t count, cap;
    HashTable index;  /* name to position; one that is not below count, or not the name's, does not count */
    uint32_t indexed; /* how many are in it; 0 while there are few */
    uint64_t
        named; /* a bit for every name that ever was among them, by its number: most of those asked for are of modules */
    uint8_t places[64]; /* where the last name of a bit was put */
    SymbolChange *changes;
    uint32_t change_count, change_cap;
    uint32_t open;  /* marks */
    uint32_t since; /* what change_count was at the last of them */
} Symbols;

/* A state of the symbols that one can ask about, or go back to. */
typedef struct SymbolMark {
    uint32_t count, change_count, outer;
} SymbolMark;

typedef struct Loop {
    struct Loop *outer;
    SymbolMark at_start;
    uint32_t label, depth;
    bool is_while;
} Loop;

typedef struct Builder {
    Unit *unit;
    Arena *arena;
    IrModule *module;
    IrFunction *function;
    Code *code;
    Func *func; /* NULL: a kernel is built */
    Kernel *kernel;
    Symbols symbols;
    IrRegion *region; /* where nodes are added */
    IrVarList *block; /* where variables are listed, for the loop around; NULL: none */
    Loop *loop;
    Name going_on; /* in an unrolled loop with `continue`: what says that the turn is not over yet; NULL: elsewhere */
    Name *constant_iterators; /* of unrolled loops */
    uint32_t iterator_count, iterator_cap;
    uint32_t labels;
    const Node *returned;     /* the last return statement with a value */
    uint32_t statement;       /* offset of the current statement */
    const Func *library;      /* the function of Warp's library that the code belongs to, or NULL */
    const Node *library_call; /* where the user called it */
    bool kinds_erased;        /* kinds of queries are looked at as queries of an unknown kind */
    uint32_t depth;           /* of nested function builds */
    uint32_t nesting;         /* of expressions and statements, those of the callers included */
    jmp_buf *failure;
} Builder;

/* An argument of a call: its value and, where there is one, its syntax. */
typedef struct Arg {
    Eval eval;
    const Node *node;
    Name keyword; /* NULL: positional */
} Arg;

/* ---- errors (build.c) ---- */
_Noreturn void fail(Builder *, const Node *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
_Noreturn void fail_hint(Builder *, const Node *at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
_Noreturn void unsupported(Builder *, const Node *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* `what` is VALUE_UNKNOWN: the message ends with its reason. */
_Noreturn void fail_unknown(Builder *, const Node *at, const char *what, const Value *unknown);
const char *quoted(Builder *, const char *name);
const char *spelled(Builder *, const Type *);                     /* as one writes a conversion: "float", "wp.vec3f" */
const char *called_name(const char *builtin, const Node *at);     /* as the source has it: '+', vec3 */
const char *counted(Builder *, uint32_t count, const char *noun); /* "1 value", "2 values" */
const char *repr(Builder *, const Type *);                        /* for messages */
const char *eval_repr(Builder *, const Eval *);

/* ---- variables, nodes and names (build_var.c) ---- */
IrVar *add_var(Builder *, const Type *type, const Value *constant);
IrVar *unlisted_var(Builder *, const Type *type); /* not among the function's own */
IrVar *add_constant(Builder *, const Value *value);
IrVar *add_constant_int(Builder *, int64_t value);
IrNode *add_node(Builder *, IrKind kind);
Eval eval_var(IrVar *var);
Eval eval_value(const Value *value);
/* The elements of a tuple, or the three bounds of a slice, as far as they are known: by the type that was made for it. NULL:
 * nothing is known. */
const Eval *known_parts(const Builder *, const Type *type);
void know_parts(Builder *, const Type *type, Eval *parts); /* they are kept, not copied */
Symbol *find_symbol(Builder *, Name name);
Symbol *symbol_in(const Symbols *symbols, Name name); /* NULL: not there */
void set_symbol(Builder *, Name name, Eval eval);
void rebind_symbol(Builder *, Symbol *symbol, Eval eval); /* the same for one that is at hand */
void change_symbol(Builder *, Symbol *symbol, Eval eval); /* the same, but the variable is not called so from now on */
Symbol *append_symbol(Arena *, Symbols *, Name name);
SymbolMark mark_symbols(Builder *);
void forget_mark(Builder *, SymbolMark mark); /* what was changed since then stays */
void take_back(Builder *, SymbolMark mark);   /* all of it; the mark is forgotten */
/* The symbols of the mark that were changed since then, in order, each with what it stood for at the mark. */
uint32_t changes_since(Builder *, SymbolMark mark, SymbolChange **out);
bool is_ref_param(Builder *, Name name, IrVar **param);

/* ---- expressions (build_expr.c) ---- */
Eval build_expr(Builder *, const Node *node);
void enter_nesting(Builder *, const Node *node); /* fails where the code is nested too deeply */
IrVar *build_var(Builder *, const Node *node);   /* must be a variable */
IrVar *target_var(Builder *, const Node *node);  /* of build_target() */
IrVar *load(Builder *, IrVar *var);              /* reads through a reference */
Eval build_attribute(Builder *, const Node *node, const Eval *aggregate);
Eval member_of_reference(Builder *, const Node *node, IrVar *aggregate);
Eval build_tuple_var(Builder *, IrVar **items, uint32_t count, const Node *at);
const char *similar_builtin(Builder *, const char *name); /* a hint, or NULL */
bool is_literal(Builder *, const Node *node);             /* also a wp.static() that became one */
const char *vector_components(const Type *type);
IrVar *component_index(Builder *, const Node *node, const Type *type);
bool is_differentiable_value(const Type *type);

/* ---- indexing (build_index.c) ---- */
Eval build_subscript(Builder *, const Node *node);
/* The object that a chain of subscripts starts from, and the indices that are left. */
/* What the last indices of a subscript are for, and those indices. `stored`: it is the target of a store. */
IrVar *subscript_target(Builder *, const Node *node, bool stored, const Node **indices, uint32_t *count, uint32_t max);
Eval subscript_of_target(Builder *, const Node *node); /* the same with its indices, as build_target() does it */
uint32_t build_indices(Builder *, const IrVar *holder, const Node **nodes, uint32_t count, IrVar **out);
bool is_adjoint_subscript(const Node *node); /* wp.adjoint[x] */
IrVar *build_adjoint_var(Builder *, const Node *slice);
Eval build_slice(Builder *, const Node *node);

/* ---- paths (build_path.c) ---- */
const IrPath *origin_of(Builder *, IrVar *var); /* NULL: it has no address */
const IrPath *extend_path(Builder *, const IrPath *, IrStep step);
const IrPath *extend_field(Builder *, const IrPath *, const Type *of, Name field);
const IrPath *extend_indices(Builder *, const IrPath *, IrStepKind kind, const Type *of, IrVar **indices,
                             uint32_t count);
IrVar *field_var(Builder *, IrVar *base, Name field,
                 const Type *type);         /* a field of a local or parameter, named as such */
IrVar *adjoint_var(Builder *, IrVar *base); /* wp.adjoint[base] */
IrVar *grouped_adjoint(Builder *, const IrPath *path, const Type *type); /* of an array that fields lead to */
/* The pointer that is passed for a wp.ref[T] parameter. */
IrOperand reference_operand(Builder *, const Node *node, const Eval *eval, const Type *expected, const char *purpose,
                            const IrPath **origin);

/* ---- slots by reference (build_slot.c) ---- */
/* A part of an array element. */
typedef struct Part {
    const IrPath *path; /* an array, ELEMENT, and the way to the part; NULL: not such a part */
    const Type *type;
} Part;

Eval build_target(Builder *, const Node *node); /* what a store leads into: array elements are pointed at, not read */
Part part_by_indices(Builder *, IrVar *holder, IrVar **indices, uint32_t count);
Part part_by_attribute(Builder *, IrVar *holder, const Node *node);
IrVar *part_target(Builder *, IrVar *holder, const Part *part);
IrVar *element_target(Builder *, IrVar *array, IrVar **indices, uint32_t count); /* NULL: it has no parts to store */
void store_part(Builder *, const Part *part, IrVar *value, const Node *at);
/* An augmented assignment, of which the target is built: a part of `holder`, by its indices where there are some. */
void update_part(Builder *, const Node *node, const Part *part, IrVar *holder, IrVar **indices, uint32_t count);
IrVar *current_part(Builder *, const Node *lhs, IrVar *holder, IrVar **indices, uint32_t count); /* the value it has */

/* ---- calls (build_call.c, build_bind.c) ---- */
Eval build_call_node(Builder *, const Node *node, uint32_t expected_outputs);
Eval call_builtin(Builder *, const char *name, IrVar **args, uint32_t count, const Node *at);
Eval call_builtin_evals(Builder *, const char *name, const Eval *args, uint32_t count, const Node *at);
Eval call_set(Builder *, const BuiltinSet *set, const Arg *args, uint32_t count, const Type *constructed,
              uint32_t expected_outputs, const Node *at);
Eval call_func(Builder *, Func *head, const Arg *args, uint32_t count, const Node *at);
/* The user's overload that fits, or NULL. Instantiates generic functions. */
Func *find_overload(Builder *, Func *head, const Arg *args, uint32_t count);
Eval call_struct(Builder *, const Type *type, const Arg *args, uint32_t count, const Node *at);
Eval call_grad(Builder *, const Value *target, const Arg *args, uint32_t count, const Node *at);
/* A user function named like an operator (`add`) that fits the operands; NULL: use the builtin. */
Func *operator_overload(Builder *, const char *name, const Arg *args, uint32_t count);
/* Is there such a function at all, and does it fit? */
bool has_operator(Builder *, OpKind op);
bool operator_fits(Builder *, OpKind op, const Arg *args, uint32_t count);
Eval build_operator(Builder *, OpKind op, IrVar *left, IrVar *right, const Node *at);
Eval build_operand(Builder *, const Node *node); /* a variable, or a number of Python: `x.ndim` */
Eval call_operator(Builder *, OpKind op, Eval left, Eval right, const Node *at);
bool is_same_query(Builder *, const Type *, const Type *); /* of two kinds, perhaps */
const Type *eval_type(Builder *, const Eval *eval);        /* of an argument, references stripped; NULL: a function */
/* A path or type() expression that is known now; NULL: not. */
const Value *resolve_static(Builder *, const Node *node, bool eval_types, Name *path, uint32_t *path_count);

/* ---- results of builtins (rule.c) ---- */
typedef struct Bound { /* an argument bound to a parameter */
    const BuiltinParam *param;
    Eval eval; /* EVAL_VOID: left out */
    bool is_default;
    Eval *rest; /* of a *parameter */
    uint32_t rest_count;
} Bound;

typedef struct Dispatch { /* what the native function gets */
    IrTemplateArg template_args[12];
    uint32_t template_count;
    Eval args[LIMIT_CALL_ARGS]; /* EVAL_VOID: the result itself */
    bool by_reference;          /* the first is passed as the reference itself: it is not read through it */
    uint32_t arg_count;
    bool initializer_list;
    bool no_reverse; /* there is no reverse call, whatever the builtin says */
} Dispatch;

typedef struct RuleCall {
    Builder *builder;
    const Builtin *builtin;
    Bound *bound;
    uint32_t bound_count;
    const Type *constructed; /* the type whose constructor this is, or NULL */
    const Node *at;
    /* results */
    const Type *outputs[4];
    uint32_t output_count;
    IrVar *replaced; /* the call is this variable: no code at all */
} RuleCall;

void rule_result(RuleCall *call);
void rule_dispatch(RuleCall *call, Dispatch *out);
bool rule_has(ResultRule rule, enum RuleTrait trait);
const Bound *bound_named(const RuleCall *call, const char *name);

/* What is known of a builtin that is called, made a call: the types of the results, and what the native function gets. */
Eval make_call(Builder *, const Builtin *builtin, const Type *const *types, uint32_t output_count, Dispatch *dispatch,
               const Node *at);
IrFunction *build_callee(Builder *, Func *func, const Node *at); /* a function that the one that is built uses */

/* ---- statements (build_stmt.c, build_assign.c) ---- */
void build_body(Builder *, const NodeList *body);
void build_statement(Builder *, const Node *node);
void build_assign(Builder *, const Node *node);
void build_aug_assign(Builder *, const Node *node);

/* ---- what expressions are (expr_info.c) ---- */
ExprInfo *expr_info_of(Builder *, const Node *node);
void note_eval(Builder *, const Node *node, const Eval *eval);
uint32_t count_thread_indices(const NodeList *body); /* the most that a wp.tid() is unpacked into */

/* ---- functions (build.c) ---- */
void use_struct(Builder *, const Type *type);
IrFunction *build_unlisted(Builder *caller, Func *func,
                           const Node *at); /* to look at it: not one of the module's functions */
IrFunction *build_function(Builder *caller, Func *func, const Node *at);

#endif
