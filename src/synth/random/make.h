/* Kernels without a meaning, for testing compilers: a grammar of types that uses many builtins.
 *
 *     Expr x = array_in(s, "p|v|q", type_of(s, "vec3"), 1, s->shape, -2, 2);
 *     Expr d = let(s, "a|b|c", Q(s, "wp.length(_0[_1])", x, s->tid[0]));
 *
 * An Expr is a piece of the tree with its type and the interval it lies in. Whatever would not be well defined
 * (an index that may be out of bounds, a divisor that may be zero, a condition that is always true) gives a refused
 * Expr, whose type is NULL; using one makes the whole candidate fail, and another is tried. */
#ifndef WEFT_SYNTH_RANDOM_MAKE_H
#define WEFT_SYNTH_RANDOM_MAKE_H

#include "base/rng.h"
#include "front/ast.h"
#include "lang/type.h"
#include "synth/synth.h"

#include <string.h>

typedef struct Range {
    double low, high;
} Range;

enum {
    EXPR_GENERIC = 1,  /* in general position: zero, or equal to another, only by accident */
    EXPR_CONSTANT = 2, /* the same for every launch */
    EXPR_LOOPED = 4,   /* made by a dynamic loop: a product with it would get a wrong gradient */
    EXPR_UNIT = 8,     /* of length one: a normalised vector or quaternion */
};

enum { MAX_ARRAYS = 24, MAX_VARS = 96, MAX_BLOCKS = 16 };
enum { MAX_NAMES = 1024, NAME_SET_BITS = 64 };
enum { NAME_SIZE = 96, LONGEST_NAME = 80 };

/* A set of names, by their number in the kernel's table. */
typedef struct NameSet {
    uint64_t words[MAX_NAMES / NAME_SET_BITS];
} NameSet;

typedef enum Role { ROLE_INPUT, ROLE_OUTPUT, ROLE_ATOMIC, ROLE_INOUT } Role;

typedef struct Array {
    Name name;
    const Type *dtype;
    const Type *type;
    uint32_t ndim, shape[4];
    Range range;
    Role role;
    bool sorted; /* ascending, for searches */
} Array;

typedef struct Expr {
    Node *node;
    const Type *type; /* NULL: refused; of an array its array type */
    Range range;
    unsigned flags;
    int var;            /* index of the variable this is, plus one; 0: none */
    const Array *array; /* of an array itself, or the one an element was read from */
} Expr;

typedef struct Var {
    Name name;
    const Type *type;
    Range range;
    unsigned flags;
    const Array *array;
    const Node *value; /* what it was set to, while that still holds */
    uint32_t loops;    /* how many loops were open when it was declared */
    uint32_t uses;
    bool carried, is_index, mutable;
} Var;

/* A parameter of the kernel, in the order of the signature. */
typedef struct Param {
    Name name;
    const Type *type;
    int array; /* index into arrays, or -1 */
    Range range;
    bool exact; /* the value must be range.low */
} Param;

typedef enum BlockKind { BLOCK_TOP, BLOCK_IF, BLOCK_FOR, BLOCK_WHILE } BlockKind;

typedef struct Block {
    BlockKind kind;
    NodeList *list;     /* where statements go */
    Node *node;         /* the if, for or while */
    uint32_t var_count; /* to forget what was declared inside */
    double trips;
    bool dynamic;
    uint32_t refined_count; /* ranges to restore at the end */
} Block;

typedef struct Refined {
    int var;
    Range range;
} Refined;

/* How this author writes: chosen once a kernel. */
typedef struct Style {
    const Type *real;     /* the kernel's floating-point type */
    bool wp_scalars;      /* wp.float32 rather than float, wp.vec3f rather than wp.vec3 */
    unsigned array_style; /* 0: array(dtype=), 1: array2d(dtype=), 2: array[...], 3: array(ndim=) */
    bool augmented, plain_atomics, short_names, constants, wrapped, tall, at_products;
    double inline_chance; /* that an intermediate value gets no variable */
} Style;

/* What a category asks of the generic generator: weights.def has a row for each. */
typedef struct Weights {
#define WEIGHT(name) unsigned name;
#include "synth/random/weight_names.def"
#undef WEIGHT
} Weights;

typedef struct Synth {
    SynthContext *context;
    Arena *arena;
    NameTable names;
    TypeTable *types;
    Rng rng;
    Style style;
    const Weights *weights;
    CategoryId category;
    const char *failure;
    jmp_buf *given_up; /* where the next candidate is tried */

    uint32_t dims, dim[4], shape[4]; /* the launch, and the part of it that has work to do */
    Expr tid[4];
    Array *arrays[MAX_ARRAYS];
    uint32_t array_count;
    uint32_t param_count, var_count, index_count, block_count, refined_count;
    NodeList module, body; /* constants, structs and functions; the kernel's statements */
    uint32_t taken_count;
    NameSet taken_names;

    uint64_t types_met;      /* of variables: a bit each, by address; several types may share one */
    const Type *vectors[10]; /* of the kernel's floating-point type, by length: those that were asked for */

    /* Everything above starts as zeros; of these, only what is counted is ever read. */
    Param params[MAX_ARRAYS + 16];
    Var vars[MAX_VARS];
    const Type *var_types[MAX_VARS]; /* their types once more: most searches are by type */
    uint8_t indices[MAX_VARS];       /* those of them that are indices, in order */
    Block blocks[MAX_BLOCKS];
    Refined refined[MAX_BLOCKS * 4];
    Name taken[256];
} Synth;

/* Equal texts; most differ in their first letter. */
static inline bool same_text(const char *a, const char *b)
{
    return *a == *b && strcmp(a, b) == 0;
}

static inline bool names_contain(const NameSet *set, Name name)
{
    return set->words[name->id / NAME_SET_BITS] >> name->id % NAME_SET_BITS & 1;
}

static inline void names_add(NameSet *set, Name name)
{
    set->words[name->id / NAME_SET_BITS] |= (uint64_t)1 << name->id % NAME_SET_BITS;
}

static inline void names_remove(NameSet *set, Name name)
{
    set->words[name->id / NAME_SET_BITS] &= ~((uint64_t)1 << name->id % NAME_SET_BITS);
}

/* ---- choices ---- */

bool chance(Synth *s, double probability);
uint32_t below(Synth *s, uint32_t count);
int between(Synth *s, int low, int high);
/* One of the strings. */
#define PICK(s, ...)                                                                                                   \
    pick_text((s), (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
const char *pick_text(Synth *s, const char *const *texts, size_t count);
double nice_number(Synth *s, double low, double high); /* as a person would write it: 0.25, 1.5, 3.0 */

/* ---- types ---- */

const Type *type_of(Synth *s,
                    const char *name); /* "float", "int", "vec3", "mat33", "quat", "transform", "twist", "uint32", … */
static inline bool is_real(const Type *type) /* a floating-point scalar */
{
    return (type->kind >= TYPE_FLOAT16 && type->kind <= TYPE_FLOAT64) || type->kind == TYPE_PY_FLOAT;
}
static inline bool is_vec(const Type *type)
{
    return type->kind == TYPE_VEC;
}
static inline bool is_mat(const Type *type)
{
    return type->kind == TYPE_MAT;
}
Node *annotation(Synth *s, const Type *type);      /* as a parameter's annotation, in the author's style */
Node *type_callee(Synth *s, const Type *type);     /* wp.vec3, float, wp.mat22 … as the function of a call */
const char *type_text(Synth *s, const Type *type); /* as Warp's repr has it; of a struct its name */

/* ---- names (names.c) ---- */

Name intern(Synth *s, const char *text);
Name intern_format(Synth *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A free name out of "a|b|c"; where all are taken, one with a suffix. */
Name fresh(Synth *s, const char *alternatives);
size_t pick_name(Synth *s, const char *alternatives, char text[NAME_SIZE]); /* free or not; returns its length */
/* Names for a value of this type, and a range. */
typedef struct Word {
    const char *name;
    Range range;
} Word;
Word plain_word(Synth *s, const Type *type);
const char *plain_names(Synth *s, const Type *type);

/* ---- expressions (expr.c) ---- */

Expr refused(Synth *s, const char *why);
_Noreturn void give_up(Synth *s, const char *why); /* the whole candidate */
Expr literal(Synth *s, const Type *type, double value);
Expr integer(Synth *s, int64_t value);
Expr real(Synth *s, double value); /* of the kernel's floating-point type */
Expr unary(Synth *s, OpKind op, Expr a);
Expr binary(Synth *s, OpKind op, Expr a, Expr b);
Expr compare(Synth *s, OpKind op, Expr a, Expr b);
Expr both(Synth *s, OpKind op, Expr a, Expr b); /* OP_AND, OP_OR */
Expr call(Synth *s, const char *name, const Expr *args, uint32_t count);
Expr call_warp(Synth *s, Name name, const Expr *args, uint32_t count); /* a name of the context's table */
Expr cast(Synth *s, const Type *type, Expr a);
Expr construct(Synth *s, const Type *type, const Expr *args, uint32_t count);
Expr zero(Synth *s, const Type *type); /* as an accumulator starts: float(0.0), wp.vec3() */
Expr subscript(Synth *s, Expr a, const Expr *index, uint32_t count); /* an element of an array, vector or matrix */
Expr component(Synth *s, Expr a, uint32_t i);
Expr extent(Synth *s, Expr array, uint32_t axis); /* a.shape[axis] */
Expr member(Synth *s, Expr a, const char *name);
Expr where(Synth *s, Expr condition, Expr a, Expr b);
Expr if_else(Synth *s, Expr condition, Expr a, Expr b);
Expr with_range(Expr a, double low, double high); /* where more is known than intervals tell */

/* A template of an expression: _0 … _9 are the arguments. */
#define Q(s, text, ...) quote((s), (text), (const Expr[]){{0}, __VA_ARGS__})
Expr quote(Synth *s, const char *text, const Expr *holes);

/* Trees without a type. */
Node *node_new(Synth *s, NodeKind kind);
Node *node_name(Synth *s, Name name);
Node *node_wp(Synth *s, const char *name); /* wp.NAME; all kernels share it */
Node *node_constant_int(Synth *s, int64_t value);
Node *node_call(Synth *s, Node *function, Node *const *args, uint32_t count);
Node *node_assign(Synth *s, Node *place, Node *value);
bool same_tree(const Node *a, const Node *b); /* the same text */
bool mentions(const Node *node, Name name);
/* As node_children; what most expressions are made of comes first. */
static inline void part_children(const Node *node, NodeVisitor *visit, void *user)
{
    switch (node->kind) {
    case NODE_NAME:
    case NODE_CONSTANT: break;
    case NODE_ATTRIBUTE: visit(node->attribute.value, user); break;
    case NODE_SUBSCRIPT:
        visit(node->subscript.value, user);
        visit(node->subscript.slice, user);
        break;
    case NODE_BIN_OP:
        visit(node->bin_op.left, user);
        visit(node->bin_op.right, user);
        break;
    case NODE_CALL:
        visit(node->call.func, user);
        for (uint32_t i = 0; i < node->call.args.count; i++)
            visit(node->call.args.items[i], user);
        for (uint32_t i = 0; i < node->call.keywords.count; i++)
            visit(node->call.keywords.items[i], user);
        break;
    default: node_children(node, visit, user);
    }
}
void list_push(Synth *s, NodeList *list, Node *node);
void list_reserve(Synth *s, NodeList *list, uint32_t cap); /* room for so many in all */

/* Functions of warp with their domains and ranges (functions.def, function_rule.c). */
typedef struct Function {
    const char *name, *params, *result, *names;
    unsigned weight;
    bool (*rule)(const Expr *args, uint32_t count, Range *range, unsigned *flags);
} Function;
const Function *function_table(uint32_t *count);
const Function *function_find(Synth *s, Name name, const Expr *args, uint32_t count);
const Type *function_result(Synth *s, const char *code, const Expr *args, uint32_t count);

/* ---- parameters (scope.c) ---- */

Expr array_param(Synth *s, Role role, const char *names, const Type *dtype, uint32_t ndim, const uint32_t *shape,
                 double low, double high);
#define array_in(s, names, dtype, ndim, shape, low, high)                                                              \
    array_param((s), ROLE_INPUT, names, dtype, ndim, shape, low, high)
#define array_out(s, names, dtype, ndim, shape) array_param((s), ROLE_OUTPUT, names, dtype, ndim, shape, 0, 0)
Expr scalar_param(Synth *s, const char *names, const Type *type, double low, double high);
/* A number that the kernel needs and the caller knows: a parameter, an array's extent, or a literal. */
Expr size_param(Synth *s, const char *names, uint32_t value);
Expr module_constant(Synth *s, const char *names, const Type *type, double value);

/* ---- statements (block.c) ---- */

/* Sizes that suit a launch of so many dimensions, then launch(). */
void launch_grid(Synth *s, uint32_t dims, const char *first_name);
Expr let(Synth *s, const char *names, Expr value); /* a variable, or the value itself */
Expr let_always(Synth *s, const char *names, Expr value);
Expr let_mutable(Synth *s, const char *names, Expr value);
/* A variable that a loop changes; all its values must stay within low … high. */
Expr let_carried(Synth *s, const char *names, Expr start, double low, double high);
Expr again(Synth *s, Expr variable); /* the variable with what is now known of it */
void assign(Synth *s, Expr variable, Expr value);
void accumulate(Synth *s, Expr variable, OpKind op, Expr value); /* OP_ADD or OP_SUB */
void store_at_tid(Synth *s, Expr array, Expr value);
void atomic(Synth *s, const char *function, Expr array, const Expr *index, uint32_t count, Expr value);

void if_begin(Synth *s, Expr condition);
void elif_begin(Synth *s, Expr condition);
void else_begin(Synth *s);
Expr for_begin(Synth *s, const char *names, Expr start, Expr end, int step); /* start.type NULL: from 0 */
Expr for_count(Synth *s, const char *names, uint32_t count);                 /* unrolled: a literal or a constant */
void while_begin(Synth *s, Expr condition, double trips);
void block_end(Synth *s);
void jump(Synth *s, NodeKind kind);                            /* NODE_BREAK, NODE_CONTINUE */
void refine(Synth *s, Expr variable, double low, double high); /* until the block ends */
bool in_dynamic_loop(const Synth *s);
uint64_t type_bit(const Type *type);      /* in types_met */
void mark_index(Synth *s, Expr variable); /* the newest one: it serves as an index */

/* ---- the generic generator (random_expr.c, random_stmt.c) ---- */

Expr random_expr(Synth *s, const Type *type, int depth);
Expr random_condition(Synth *s, int depth);
Expr random_read(Synth *s, const Type *type); /* an element of an input array, old or new */
const Type *random_type(Synth *s);
void random_output(Synth *s);
void make_generic(Synth *s);

/* ---- finishing (prune.c, finish.c) ---- */

void prune(Synth *s); /* removes what feeds no output */
void finish(Synth *s, SynthSample *sample);

#endif
