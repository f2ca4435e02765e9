/* Inside the synthesiser: what categories are written with.
 *
 *     Expr x = array_in(s, "position|points", type_of(s, "vec3"), 1, s->shape, -2, 2);
 *     Expr d = let(s, "offset|delta", Q(s, "_0[_1] - _2", x, s->tid[0], centre));
 *     store(s, out, s->tid, 1, Q(s, "wp.length(_0)", d));
 *
 * An Expr is a piece of the tree with its type and the interval it lies in. Whatever would not be well defined
 * (an index that may be out of bounds, a divisor that may be zero, a condition that is always true) gives a refused
 * Expr, whose type is NULL; using one makes the whole candidate fail, and another is tried. */
#ifndef WEFT_SYNTH_MAKE_H
#define WEFT_SYNTH_MAKE_H

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

enum { MAX_ARRAYS = 24, MAX_VARS = 96, MAX_BLOCKS = 16, MAX_FACTS = 8, MAX_FIELDS = 8, MAX_STRUCTS = 3 };
enum { MAX_HELPERS = 4, MAX_HELPER_PARAMS = 6 };
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
    int strukt; /* index into structs, or -1 */
    bool exact; /* the value must be range.low */
} Param;

typedef struct Field {
    Name name;
    const Type *type;
    Range range;
} Field;

typedef struct Struct {
    Name name;
    const Type *type;
    Field fields[MAX_FIELDS];
    uint32_t field_count;
} Struct;

typedef struct Helper {
    Name name;
    const Type *params[MAX_HELPER_PARAMS];
    Range param_ranges[MAX_HELPER_PARAMS];
    uint32_t param_count;
    const Type *results[3];
    Range result_ranges[3];
    uint32_t result_count;
    const Type *type; /* of its first result */
    uint32_t taken;   /* names to forget when it ends */
    NodeList body;
    Node *params_node;
    bool annotated;
} Helper;

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
    bool augmented, plain_atomics, docstring, comments, short_names, constants, wrapped, tall, at_products;
    double inline_chance; /* that an intermediate value gets no variable */
} Style;

/* What a category asks of the generic generator: weights.def has a row for each. */
typedef struct Weights {
#define WEIGHT(name) unsigned name;
#include "synth/weight_names.def"
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
    unsigned theme;
    CategoryId category;
    const char *failure;
    jmp_buf *given_up; /* where the next candidate is tried */

    uint32_t dims, dim[4], shape[4]; /* the launch, and the part of it that has work to do */
    Expr tid[4];
    Array *arrays[MAX_ARRAYS];
    uint32_t array_count;
    uint32_t param_count, var_count, index_count, block_count, refined_count;
    Struct structs[MAX_STRUCTS];
    uint32_t struct_count;
    Helper helpers[MAX_HELPERS];
    uint32_t helper_count;
    Expr struct_values[4]; /* structs in scope: parameters and elements that were read */
    uint32_t struct_value_count;
    NodeList module, body; /* constants, structs and functions; the kernel's statements */
    uint32_t taken_count;
    NameSet taken_names;
    const char *stem; /* what `*` stands for in alternatives */
    bool in_function;
    bool rounding_off; /* further statements: on what is there, rather than on new arrays */

    uint64_t types_met;      /* of variables: a bit each, by address; several types may share one */
    const Type *vectors[10]; /* of the kernel's floating-point type, by length: those that were asked for */

    const char *kernel_stem, *entity;
    const char *facts[MAX_FACTS];
    const Node *fact_nodes[MAX_FACTS]; /* the statement each is about */
    uint32_t fact_count;
    const char *description; /* a whole sentence; otherwise it is put together from the facts */

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
/* One of the expressions. */
#define PICK_EXPR(s, ...) pick_expr((s), (Expr[]){__VA_ARGS__}, sizeof((Expr[]){__VA_ARGS__}) / sizeof(Expr))
Expr pick_expr(Synth *s, const Expr *list, size_t count);
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
void forget_names(Synth *s, uint32_t count); /* all but the first so many are free again */
/* The alternatives themselves; in the next names that are picked, `*` stands for the stem. */
const char *about(Synth *s, const char *stem, const char *alternatives);
size_t pick_name(Synth *s, const char *alternatives, char text[NAME_SIZE]); /* free or not; returns its length */
/* One of the themes that these letters of words.def name; none: of all. */
void choose_theme(Synth *s, const char *letters);
/* A word of the theme for a value of this type, with its usual range. */
typedef struct Word {
    const char *name;
    Range range;
} Word;
Word theme_word(Synth *s, const Type *type);
const char *theme_entity(Synth *s);

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
static inline void part_children(Node *node, NodeVisitor *visit, void *user)
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
NodeList list_of(Synth *s, Node *const *nodes, uint32_t count);

/* Functions of warp with their domains and ranges (functions.def, function_rule.c). */
typedef struct Function {
    const char *name, *params, *result, *names;
    unsigned weight;
    bool (*rule)(const Expr *args, uint32_t count, Range *range, unsigned *flags);
} Function;
const Function *function_table(uint32_t *count);
const Function *function_named(Synth *s, Name name); /* the first of that name; NULL: there is none */
const Function *function_find(Synth *s, Name name, const Expr *args, uint32_t count);
bool function_accepts(char code, const Type *type, const Type *first);
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
/* A floating-point setting: a parameter, a module constant or a literal, as the author likes. */
Expr setting(Synth *s, const char *names, double low, double high);
Expr module_constant(Synth *s, const char *names, const Type *type, double value);

/* ---- statements (block.c) ---- */

void launch(Synth *s, uint32_t dims, const uint32_t *shape, const char *const *names);
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
void assign_component(Synth *s, Expr variable, uint32_t i, Expr value);
void store(Synth *s, Expr array, const Expr *index, uint32_t count, Expr value);
void store_at_tid(Synth *s, Expr array, Expr value);
void atomic(Synth *s, const char *function, Expr array, const Expr *index, uint32_t count, Expr value);
void let_many(Synth *s, const char *const *names, Expr *out, uint32_t count, Node *value, const Type *const *types,
              const Range *ranges);

void if_begin(Synth *s, Expr condition);
void elif_begin(Synth *s, Expr condition);
void else_begin(Synth *s);
Expr for_begin(Synth *s, const char *names, Expr start, Expr end, int step); /* start.type NULL: from 0 */
Expr for_count(Synth *s, const char *names, uint32_t count);                 /* unrolled: a literal or a constant */
void while_begin(Synth *s, Expr condition, double trips);
void block_end(Synth *s);
void jump(Synth *s, NodeKind kind); /* NODE_BREAK, NODE_CONTINUE */
void return_early(Synth *s);
void refine(Synth *s, Expr variable, double low, double high); /* until the block ends */
Node *comment_node(Synth *s, const char *text);
void comment(Synth *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fact(Synth *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void add_statement(Synth *s, Node *node);
bool in_dynamic_loop(const Synth *s);
uint64_t type_bit(const Type *type);             /* in types_met */
void mark_index(Synth *s, Expr variable);        /* the newest one: it serves as an index */
void forget_variables(Synth *s, uint32_t count); /* all but the first so many */

/* ---- helper functions and structs (define.c): made before launch() ---- */

/* A function with parameters of these types and ranges; `params` gets them as values. */
Helper *function_begin(Synth *s, const char *names, uint32_t count, const char *const *param_names,
                       const Type *const *types, const Range *ranges, Expr *params);
void function_return(Synth *s, Helper *helper, const Expr *results, uint32_t count);
void function_end(Synth *s, Helper *helper);
Expr call_helper(Synth *s, const Helper *helper, const Expr *args);
void call_helper_many(Synth *s, const Helper *helper, const Expr *args, const char *const *names, Expr *out);

Struct *struct_new(Synth *s, const char *names);
void struct_field(Synth *s, Struct *strukt, const char *names, const Type *type, double low, double high);
void struct_end(Synth *s, Struct *strukt); /* after the last field */
Expr struct_param(Synth *s, const Struct *strukt, const char *names);
Expr random_field(Synth *s, Expr value, const Struct *strukt, const Type *type); /* refused: it has none */

/* ---- what several categories share (common.c) ---- */

Expr at(Synth *s, Expr array, Expr index); /* array[index] */
Expr per_thread(Synth *s, const char *names, const char *type, double low,
                double high); /* a new input, at this thread */
Expr input(Synth *s, const char *names, const char *type, uint32_t count, double low,
           double high); /* a new 1-D input */
Expr index_of(Synth *s, const char *array_names, const char *names,
              uint32_t bound); /* looked up in an array of indices */
/* The ends of an edge, a triangle, a tetrahedron: indices in a 2-D array, a flat one, or one array for each. */
void element_indices(Synth *s, const char *names, const char *const *vertex_names, uint32_t corners, uint32_t bound,
                     Expr *out);
void output(Synth *s, const char *names, Expr value);     /* a new output, at this thread */
void output_sum(Synth *s, const char *names, Expr value); /* added to a total */
void launch_1d(Synth *s, const char *names);
Expr safe_direction(Synth *s, Expr offset, Expr length); /* offset / length, where both may be zero */
Expr square_of(Synth *s, Expr a);
Expr call_identity(Synth *s, uint32_t n);                                          /* wp.identity(n=3, dtype=float) */
void say(Synth *s, const char *format, ...) __attribute__((format(printf, 2, 3))); /* the description */
void extra_statements(Synth *s, int most); /* generic ones, that an output takes up */

/* ---- the generic generator (random_expr.c, random_stmt.c) ---- */

Expr random_expr(Synth *s, const Type *type, int depth);
Expr random_condition(Synth *s, int depth);
Expr random_read(Synth *s, const Type *type); /* an element of an input array, old or new */
const Type *random_type(Synth *s);
void random_statements(Synth *s, int count);
void random_output(Synth *s);
/* A few generic statements around a value, so that no two kernels of one algorithm look alike. */
Expr embellish(Synth *s, Expr value);
void make_generic(Synth *s);

/* ---- finishing (prune.c, finish.c) ---- */

void prune(Synth *s); /* removes what feeds no output */
void prune_function(Synth *s, NodeList *body);
void finish(Synth *s, SynthSample *sample);

/* ---- categories ---- */

const Weights *category_weights(CategoryId id);
#define CATEGORY(name, weight, themes, summary) void make_##name(Synth *s);
#include "synth/categories.def"
#undef CATEGORY

#endif
