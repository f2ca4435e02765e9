/* Private to the tree evaluator: what a compiled program is. */
#ifndef WEFT_EVAL_TREE_CODE_H
#define WEFT_EVAL_TREE_CODE_H

#include "eval/tree/machine.h"

typedef struct Compiler Compiler;

/* The emitted text of a function comes in three kinds. */
typedef enum CodeKind {
    CODE_FORWARD,
    CODE_RECORDED, /* the same, with what tape.h keeps */
    CODE_REVERSE,
    CODE_CUSTOM_REVERSE /* a @wp.func_grad: a forward body with the signature of a reverse function */
} CodeKind;

typedef struct FixedSlot { /* a local array: set up when the call begins */
    uint32_t offset;
    const TreeLayout *layout;
} FixedSlot;

/* A variable that is a tile. The code of a function has the memory: a block runs it once at a time. */
typedef struct TileSlot {
    uint32_t offset, cells;
    const Type *type;
    Cell *data, *grad; /* NULL: a view. Of a stack, `grad` is its count */
} TileSlot;

struct TreeCode {
    const IrFunction *function;
    CodeKind kind;
    bool is_compiling;
    const Op *ops;
    uint32_t op_count;
    Cell *image;    /* the frame as a call finds it: constants, zeros */
    uint32_t cells; /* of the frame */
    uint32_t stack; /* of the frame and all that is called from it */
    FixedSlot *fixed;
    uint32_t fixed_count, fixed_cap;
    const TreeLayout **param_layouts;
    int32_t *params, *param_adjoints; /* offsets; ~n: cell n takes the address */
    int32_t *results, *adj_results;   /* cells that take addresses of results and their adjoints, as ~n */
    uint32_t result_count;
    TileSlot *tiles;
    uint32_t tile_count, tile_cap;
    TreeCode *next; /* of the same function */
};

typedef struct KnownLayout {
    const Type *type;
    const TreeLayout *layout;
} KnownLayout;

struct TreeProgram {
    Arena *arena;
    const IrModule *module;
    bool in_double;
    HashTable codes;     /* by function: the code of each kind */
    HashTable functions; /* of the module, by what they were made from; empty: not needed yet */
    TreeCode *forward, *reverse;
    bool reverse_tried; /* it is compiled when it is first run */
    bool reads_unset;   /* the reverse pass does: see tree_note_unset() */
    Finding no_reverse; /* why there is no reverse code */
    TreeTape *tape;     /* NULL: nothing is repaired */
    Cell *stack;
    uint32_t stack_cells;
    Cell *lane_stacks; /* of blocks with several lanes */
    size_t lane_stack_cells;
    struct TreeBlock *block;
    HashTable layouts; /* of types, found once a program */
    HashTable fields;  /* of structs: a table by name, of TreeField */
    KnownLayout recent[8];
    HashTable known_rows; /* of native names: where their rows begin */
    uint8_t *wanted;      /* bit i: outcome i of a place is one that inputs may lead to */
    uint32_t place_count, place_cap;
    TreeBranch *branches;
    uint32_t branch_count, branch_cap;
};

static inline bool is_forward(CodeKind kind)
{
    return kind == CODE_FORWARD || kind == CODE_RECORDED;
}

/* The code of the kernel's reverse pass; NULL: program->no_reverse. */
const TreeCode *tree_reverse_code(TreeProgram *program);

/* ---- a call (call.c) ---- */

typedef enum PassKind {
    PASS_VALUE,
    PASS_CELL, /* a value of one cell */
    PASS_ADDRESS,
    PASS_ARRAY /* a local array as a plain one */
} PassKind;

typedef struct Pass {
    PassKind kind;
    int32_t from; /* in the caller */
    uint32_t to;  /* in the callee */
    const TreeLayout *layout;
} Pass;

typedef struct CallPlan {
    const TreeCode *code;
    Pass *passes;
    uint32_t count;
} CallPlan;

/* Copies the image and sets up local arrays. */
void tree_begin_frame(const TreeCode *code, Cell *frame);

/* Sets up the frame of a function at m->top. */
const TreeCode *tree_enter_call(Machine *m, const Op *op);
extern const TreeFn tree_op_call; /* op->detail is a CallPlan */

/* Quick forms for pairs of operations, and for those that have none of their own; `marks`: room for a byte per operation, all 0. */
void tree_finish_ops(Op *ops, uint32_t count, uint8_t *marks);

/* ---- tiles (tile.h) ---- */
bool tree_is_tile_call(const Compiler *c, const IrCall *call);
void tree_emit_tile_call(Compiler *c, const IrCall *call, bool reverse);
void tree_place_tile(Compiler *c, const Type *type, uint32_t at);
void tree_fill_tile_images(const TreeCode *code);
void tree_clear_tiles(const TreeCode *code);
/* What a function returns; false: it is no tile. */
bool tree_emit_tile_result(Compiler *c, TreeArg to, TreeArg from, bool adjoint);
bool tree_emit_tile_clear(Compiler *c, const IrVar *var); /* of its gradient, in a loop */
struct TreeBlock *tree_new_block(Arena *arena, uint32_t lanes);
void tree_begin_lane(struct TreeBlock *b, uint32_t number, const Machine *m, const TreeCode *code, Cell *stack);
void tree_run_block(struct TreeBlock *b);
uint64_t tree_block_steps(const struct TreeBlock *b); /* that are left */

extern const TreeRow tree_join_row, tree_part_row;

/* The row of a builtin that fits its arguments; NULL: none does. */
typedef struct TreeMatch {
    const TreeRow *row;
    enum TreeVariant variant;
} TreeMatch;

TreeMatch tree_find_row(Compiler *c, const char *native, const TreeArg *args, uint32_t count, const TreeArg *first_out);

/* A call that was looked up, by the types of its arguments. */
typedef struct KnownMatch {
    const char *native;
    uint32_t count;
    const Type *types[3];
    TreeMatch found;
} KnownMatch;

/* ---- compiling (compile.c, operand.c, walk.c) ---- */

typedef struct Label {
    uint32_t kind, number; /* LabelKind */
    uint32_t at;           /* index of an operation */
} Label;

typedef enum LabelKind {
    LABEL_START_FOR,
    LABEL_END_FOR,
    LABEL_START_WHILE,
    LABEL_END_WHILE,
    LABEL_RETURN,
    LABEL_INNER,
    LABEL_KINDS
} LabelKind;

typedef struct Jump {
    uint32_t kind, number; /* of the label */
    uint32_t from;         /* index of the operation that jumps */
} Jump;

struct Compiler {
    TreeProgram *program;
    Arena *arena;
    TreeCode *code;
    const IrFunction *function;
    TreeArg *vars; /* of the function's variables; without a layout: nobody has asked for it yet */
    Op *ops;
    uint32_t op_count, op_cap;
    Label *labels;
    uint32_t label_count, label_cap;
    Jump *jumps;
    uint32_t jump_count, jump_cap;
    uint32_t inner_labels;
    uint32_t cells;
    bool in_flow;                   /* with a tape: in a region whose nodes are noted as they run, */
    const void *flow_of;            /* which is this */
    HashTable kept;                 /* where conditions are, by node */
    TreeArg *given;                 /* variables that have other values for a moment, */
    uint32_t given_count, given_at; /* and where their own are */
    uint32_t source;                /* of the statement being compiled */
    uint32_t own_source;            /* likewise, in the file of the function */
    KnownMatch recent[16];
    Finding *finding;
    jmp_buf *on_failure;
};

/* What is about to be changed: `p = wp.static(POINT)` is no copy. */
void tree_refuse_constant(Compiler *c, const IrVar *var);
_Noreturn void tree_refuse(Compiler *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
const TreeLayout *tree_layout_of(Compiler *c, const Type *type);
uint32_t tree_temporary(Compiler *c, uint32_t cells);
Op *tree_emit(Compiler *c, TreeFn run);
void tree_place_label(Compiler *c, LabelKind kind, uint32_t number);
void tree_emit_jump(Compiler *c, Op *op, LabelKind kind, uint32_t number);
TreeCode *tree_code_for(Compiler *c, const IrFunction *function, CodeKind kind);
const IrFunction *tree_function_of(Compiler *c, const Func *func);

/* ---- places where threads may differ (coverage.c) ---- */

enum { OUTCOMES = 4 };
uint32_t tree_new_place(TreeProgram *program, uint8_t wanted); /* the number of its first outcome */
/* Of forward code, a place that is a branch: its condition, first outcome, what is wanted, and whether it is a statement are given. */
void tree_note_branch(Compiler *c, TreeBranch branch);
/* After a call that chooses among its operands: an operation that tells which. */
void tree_emit_probe(Compiler *c, const IrCall *call, const TreeArg *args, const TreeArg *outs);
/* False: the run may end, the remaining threads say nothing new. */
bool tree_end_thread(const TreeProgram *program, TreeCoverage *coverage, uint32_t thread);

static inline void tree_note_outcome(const Machine *m, const Op *op, uint32_t outcome)
{
    if (m->outcomes)
        m->outcomes[op->number + outcome] = 1;
}

/* ---- comparisons (compare.c) ---- */

typedef enum Common {
    COMMON_REAL,
    COMMON_FLOAT32,
    COMMON_INT,
    COMMON_UNSIGNED
} Common; /* what both sides are compared as */

typedef struct Comparison {
    OpKind op;
    Common common;
    bool is_wide;   /* unsigned: 64 bits, not 32 */
    uint32_t place; /* of two single numbers: were they ever equal, or nearly? */
} Comparison;

/* Numbers that are nearly as large as those they are compared with: a small mistake in either shows. */
void tree_note_nearness(const Machine *m, uint32_t place, double a, double b);

/* Operands (operand.c). */
TreeArg tree_arg(Compiler *c, const IrVar *var);
TreeArg tree_operand(Compiler *c, const IrOperand *value, const IrOperand *adjoint);
/* Emits what computes the address; the result is the offset of a TreeRef. */
int32_t tree_emit_pointer(Compiler *c, const IrPath *path, bool adjoint);
/* Emits what finds the adjoint of an array that lies in, or is a view of, something else; the result is an operand. */
int32_t tree_emit_array_adjoint(Compiler *c, const IrPath *origin, const Type *array);
TreeField tree_field_of(Compiler *c, const Type *type, Name field); /* refuses what is not known */
TreeArg *tree_args(Compiler *c, uint32_t count);

void tree_emit_call(Compiler *c, const IrCall *call, bool replay);
/* Marks the calls that the finished code leaves out although it reads what they return, as the old value of an
 * atomic_add(). */
void tree_note_unset(Compiler *c);
void tree_emit_reverse_call(Compiler *c, const IrCall *call);
void tree_emit_adjoint_call(Compiler *c, const IrCall *call);
void tree_emit_on_call(Compiler *c, const IrCall *call,
                       TreeFn run); /* `run` on what the reverse call of a builtin is given */

/* Instructions (statement.c, compare.c, slot.c). */
extern const TreeFn tree_op_copy, tree_op_halt, tree_op_goto, tree_op_clear, tree_op_accumulate;
void tree_emit_to(Compiler *c, TreeFn run, TreeArg out, TreeArg in);
Op *tree_emit_on(Compiler *c, TreeFn run, TreeArg arg); /* the one operand is argument and result */
TreeArg tree_adjoint_of(TreeArg arg);                   /* its adjoint as an operand of its own */
void tree_compile_instruction(Compiler *c, const IrNode *node);
void tree_compile_compare(Compiler *c, const IrCompare *compare);
void tree_compile_slot(Compiler *c, const IrNode *node, bool reverse);
void tree_compile_slot_address(Compiler *c, const IrNode *node);
void tree_compile_slot_update(Compiler *c, const IrNode *node);
void tree_reverse_slot_update(Compiler *c, const IrNode *node);
void tree_reverse_member(Compiler *c, const IrNode *node);
void tree_reverse_set_member(Compiler *c, const IrNode *node);

/* The walks (walk.c). */
void tree_walk_forward(Compiler *c, const IrRegion *region);
void tree_walk_replay(Compiler *c, const IrRegion *region);
void tree_walk_reverse(Compiler *c, const IrRegion *region);

#endif
