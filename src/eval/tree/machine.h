/* Private to the tree evaluator: what an operation sees when it runs.
 *
 * A frame is an array of cells: the variables of one call, then their adjoints, then temporaries. An operation names
 * its operands by offset into the frame; a negative offset ~n means that cell n holds the address of the operand (a C++
 * reference: adjoint parameters, results). */
#ifndef WEFT_EVAL_TREE_MACHINE_H
#define WEFT_EVAL_TREE_MACHINE_H

#include "eval/tree/eval.h"

typedef struct Machine Machine;
typedef struct Op Op;
typedef struct TreeCode TreeCode;
typedef struct TreeTape TreeTape;
typedef void (*TreeFn)(Machine *m, const Op *op);

/* A pointer as a value: T* in the emitted text. */
typedef struct TreeRef {
    Cell *at; /* NULL: never set */
} TreeRef;

/* array_t: strides are in cells, an element is `width` cells. */
typedef struct TreeArray {
    Cell *data; /* NULL: no array */
    Cell *grad; /* NULL: none */
    Cell shape[4];
    int64_t strides[4];
    int64_t before, size; /* cells of the memory before `data`, and from there on */
    uint32_t ndim, width;
} TreeArray;

enum {
    REF_CELLS = 1,
    ARRAY_CELLS = sizeof(TreeArray) / sizeof(Cell),
    RANGE_CELLS = 4, /* start, end, step, i */
    SLICE_CELLS = 3, /* start, stop, step */
    SHAPE_CELLS = 4,
    TILE_CELLS = 6 /* a TreeTile, a TreeStack */
};

/* How one cell takes part in `adj += x` (and, for floats, how it is rounded). */
typedef enum CellKind {
    CELL_FLOAT16,
    CELL_BFLOAT16,
    CELL_FLOAT32,
    CELL_FLOAT64,
    CELL_INTEGER, /* adjoints of integers never reach a float: they stay zero */
    CELL_ARRAY,   /* the first cell of an array: becomes the empty array */
    CELL_FIXED,   /* the first cell of a local array: becomes all zero */
    CELL_OTHER
} CellKind;

typedef enum Uniform { UNIFORM_NOT, UNIFORM_FLOAT32, UNIFORM_FLOAT64, UNIFORM_INTEGER } Uniform;

typedef struct TreeLayout {
    uint32_t cells;
    Uniform uniform;        /* all cells are such numbers */
    const uint8_t *kinds;   /* CellKind of each */
    const TreeArray *fixed; /* of a local array: as its constructor leaves it, but for `data` */
} TreeLayout;

typedef struct TreeArg {
    int32_t value, adjoint; /* offsets; see above */
    uint32_t cells;
    const Type *type; /* without reference */
    const TreeLayout *layout;
} TreeArg;

struct Op {
    TreeFn quick;       /* does the same as `run`, or as that of this operation and the next, and goes on: quick.h */
    int32_t at[5];      /* operands of a quick form: the result, then arguments */
    uint32_t number;    /* of the operation's own choosing */
    const void *detail; /* likewise */
    TreeFn run;
    const TreeArg *args, *outs;
    uint32_t arg_count, out_count;
    uint32_t source;  /* byte offset of the statement */
    const Op *target; /* jumps */
};

/* Small enough to be added to itself, and no index of an array. */
#define LEFTOVER_INTEGER 0x3fffffff
#define LEFTOVER_REAL 1e30

struct Machine {
    const Dialect *dialect;
    const Op *next;    /* NULL: the call has ended */
    const Op *behind;  /* the last operation that has run, where quick forms were left */
    const Op *call;    /* of a function, which is to run next; NULL: none */
    Cell *frame, *top; /* top: free cells behind the frame */
    uint64_t steps;    /* still allowed */
    int64_t thread[4];
    bool backward, sizes, keeps_transposed; /* see TreeRun */
    bool leftover;                          /* variables that were never set hold a large number, not zero */
    uint8_t *outcomes;                      /* of this thread: TreeCoverage.now, or NULL */
    bool notes_bounds;                      /* also where numbers that are compared are equal, or nearly */
    PathSum *path_sum;                      /* NULL: not wanted */
    Journal *journal;                       /* likewise */
    Finding *finding, *remark;
    Finding *undefined;      /* NULL: not wanted */
    TreeTape *tape;          /* NULL: nothing is repaired */
    struct TreeBlock *block; /* of a kernel with tiles: tile.h */
    uint32_t lane, block_dim;
};

void tree_fail(Machine *m, const Op *op, FindingKind kind, const char *message);
void tree_remark(Machine *m, const Op *op, FindingKind kind, const char *message);
/* Runs a call whose frame is set up at m->top. */
void tree_run_code(Machine *m, const TreeCode *code, Cell *frame);

static inline Cell *tree_at(const Machine *m, int32_t offset)
{
    return offset >= 0 ? m->frame + offset : ((const TreeRef *)(const void *)(m->frame + ~offset))->at;
}

#define VALUE(i) tree_at(m, op->args[i].value)
#define ADJOINT(i) tree_at(m, op->args[i].adjoint)
#define RESULT(i) tree_at(m, op->outs[i].value)
#define ADJ_RESULT(i) tree_at(m, op->outs[i].adjoint)
#define ARRAY_OF(cell) ((TreeArray *)(void *)(cell))
#define REF_OF(cell) ((TreeRef *)(void *)(cell))
#define CONST_ARRAY_OF(cell) ((const TreeArray *)(const void *)(cell))
#define CONST_REF_OF(cell) ((const TreeRef *)(const void *)(cell))

/* ---- cells (value.c) ---- */

double tree_round(double value, CellKind kind);
int64_t tree_wrap(int64_t value, TypeKind kind); /* to the width and sign of an integer type */
Cell tree_convert(Cell value, const Type *from, const Type *to, bool in_double);
bool tree_truth(const Cell *value, const Type *type);

uint32_t tree_native_cells(const Type *type); /* of range_t and the like; 0: the evaluator has no such values */
/* The layout of a type; NULL: the evaluator has no such values. */
TreeLayout *tree_layout(Arena *arena, const Type *type, bool in_double);
/* Where a field of an aggregate lies; false: no such field. */
typedef struct TreeField {
    uint32_t offset, cells;
    const Type *type; /* NULL: a part of a transform, the shape of an array */
} TreeField;
bool tree_field(Arena *arena, const Type *aggregate, Name field, TreeField *out);
/* All of a struct, each a TreeField. */
void tree_list_fields(Arena *arena, const Type *aggregate, HashTable *by_name);
/* The cells of a constant; false: not a value the evaluator knows. */
bool tree_constant(const Value *value, const Type *type, bool in_double, Cell *out);

void tree_accumulate(Cell *sum, const Cell *more, const TreeLayout *layout); /* sum += more */
void tree_clear(Cell *value, const TreeLayout *layout);                      /* value = {} */
void tree_copy(Cell *to, const Cell *from, const TreeLayout *layout);        /* to = from */

/* ---- arrays (array.c) ---- */

/* The element at the given indices, in the array's data or (grad) gradients; NULL: failed. */
Cell *tree_element(Machine *m, const Op *op, const TreeArray *array, bool grad, const TreeArg *indices, uint32_t count);
/* An element of the operation's first operand, named in the source: it leaves a path_sum. */
Cell *tree_named_element(Machine *m, const Op *op, const TreeArg *indices, uint32_t count);
/* The view at the given indices and slices; false: failed. */
bool tree_view(Machine *m, const Op *op, const TreeArray *from, const TreeArg *indices, uint32_t count, TreeArray *out);

/* Adjoint addresses: what adj_address and adj_array_store write to or read from; NULL: nowhere, or failed. */
Cell *tree_adjoint_element(Machine *m, const Op *op, const TreeArray *array, const TreeArray *adjoint,
                           const TreeArg *indices, uint32_t count, bool *is_own_grad);

typedef enum AtomicKind {
    ATOMIC_ADD,
    ATOMIC_SUB,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_EXCH,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR
} AtomicKind;

/* Combines cells with those of a value of the type of `like`; `old`, if wanted, gets what they were. */
void tree_combine(const Machine *m, AtomicKind kind, Cell *cells, const Cell *value, Cell *old, const TreeArg *like);
/* adjoint += sign * more, rounded */
void tree_add_adjoint(Cell *adjoint, double sign, const Cell *more, const TreeArg *like);

/* What is true where Warp's adjoint is not: args and results as the builtin's. */
extern const TreeFn tree_op_clear_extremum, tree_op_return_old, tree_op_clear_changed;

uint32_t tree_next_hash(uint32_t state); /* a step of the generator of random numbers */

/* ---- quick forms (quick.c) ---- */

/* Of any operation: its own function, and what follows. */
void tree_run_slowly(Machine *m, const Op *op) __attribute__((noinline)); /* which would cost forms that jump here */

void tree_quick_accumulate(Op *op);
void tree_quick_probe_truth(Op *op);
void tree_quick_probe_chosen(Op *op);
void tree_quick_point_at(Op *op);
void tree_quick_join_truth(Op *op);
void tree_quick_branch(Op *op, bool negated);
void tree_quick_compare(Op *op, bool reals);

/* ---- builtins ---- */

enum TreeVariant {
    VARIANT_HALF,
    VARIANT_BFLOAT16,
    VARIANT_FLOAT,
    VARIANT_DOUBLE,
    VARIANT_INT,
    VARIANT_UINT64,
    VARIANT_COUNT
};

/* Gives a finished operation a quick form, where it has one (quick.c). */
typedef void TreeChoice(Op *op, enum TreeVariant variant);

/* One builtin for one form of arguments. Letters of the form, one per argument: s scalar, v vector, m matrix,
 * q quaternion, t transform, c any of these four, x scalar or any of these four, a array, l slice, n anything; a
 * trailing * stands for any number of further arguments. */
typedef struct TreeRow {
    const char *name; /* the native one */
    const char *form;
    TreeFn forward[VARIANT_COUNT]; /* NULL: not for elements of that type */
    TreeFn reverse[VARIANT_COUNT]; /* NULL: nothing to propagate */
    TreeChoice *quick_forward, *quick_reverse;
} TreeRow;

typedef struct TreeFamily {
    const TreeRow *rows;
    uint32_t count;
} TreeFamily;

extern const TreeFamily tree_arithmetic_family, tree_scalar_family, tree_vector_family, tree_matrix_family,
    tree_quaternion_family, tree_spatial_family, tree_integer_family, tree_element_family, tree_memory_family,
    tree_array_family, tree_random_family, tree_noise_family, tree_decompose_family, tree_geometry_family,
    tree_component_family;

TreeChoice tree_quick_copy, tree_quick_load, tree_quick_where, tree_quick_extract, tree_quick_address,
    tree_quick_array_store, tree_quick_add, tree_quick_sub, tree_quick_mul, tree_quick_div, tree_quick_convert,
    tree_quick_assign, tree_quick_make, tree_quick_adj_add, tree_quick_adj_sub, tree_quick_adj_mul,
    tree_quick_adj_where, tree_quick_adj_copy, tree_quick_adj_address, tree_quick_adj_array_store, tree_quick_adj_div,
    tree_quick_adj_extract, tree_quick_add_cells, tree_quick_sub_cells, tree_quick_scale, tree_quick_scale_by,
    tree_quick_div_scalar, tree_quick_dot, tree_quick_mod, tree_quick_clamp, tree_quick_min, tree_quick_max,
    tree_quick_and, tree_quick_or, tree_quick_xor, tree_quick_rshift, tree_quick_iter_next, tree_quick_extract_shape,
    tree_quick_tid;

/* Rows of builtin.def. */
#define ROW(name, form, forward, reverse) {name, form, forward, reverse, NULL, NULL},
#define QUICK_ROW(name, form, forward, reverse, ...) {name, form, forward, reverse, __VA_ARGS__},

/* For rows: the same function for every type of element, for floats, for all, or for none. */
#define NONE(fn)                                                                                                       \
    {                                                                                                                  \
        0                                                                                                              \
    }
#define ANY(fn)                                                                                                        \
    {                                                                                                                  \
        fn, fn, fn, fn, fn, fn                                                                                         \
    }
#define FLOATS(fn)                                                                                                     \
    {                                                                                                                  \
        fn##_h, fn##_b, fn##_f, fn##_d, 0, 0                                                                           \
    }
#define NUMBERS(fn)                                                                                                    \
    {                                                                                                                  \
        fn##_h, fn##_b, fn##_f, fn##_d, fn##_i, fn##_u                                                                 \
    }

#endif
