/* Private to this room: the code that a kernel is run as.
 *
 * A kernel becomes one flat list of operations on the cells of one frame: calls are replaced by the code of the function, names by
 * slots. Constants lie before the frame, at negative slots, and are there before the first thread starts. */
#ifndef WEFT_CUDA_CODE_H
#define WEFT_CUDA_CODE_H

#include "cuda/syntax.h"

typedef enum OpCode {
#define REAL(name, value) OP_##name,
#define WHOLE(name, value) OP_##name,
#define DO(name, action) OP_##name,
#include "cuda/code.def"
#undef REAL
#undef WHOLE
#undef DO
    OP_COUNT
} OpCode;

typedef struct Op {
    OpCode code;
    int32_t a, b, c, d; /* slots, most of them: see code.def */
    uint32_t count;
} Op;

typedef struct Code {
    const Op *ops;
    uint32_t cost;               /* of all operations, in steps */
    uint32_t frame;              /* cells; the parameters come first */
    uint32_t param_cells;        /* behind them: the number of the thread */
    const CudaNumber *constants; /* that of slot -1 first */
    const CudaNumber *wide;      /* when floats are wide */
    uint32_t constant_count;
} Code;

enum { ZERO_SLOT = -1 }; /* the constant 0 */

/* A pointer is a number: the segment of memory that it leads into, and the cell there. Segment 0 is empty, so that what was never
 * set leads nowhere. */
typedef struct Segment {
    CudaNumber *cells;
    uint64_t count;
} Segment;
enum { SEGMENT_NONE, SEGMENT_FRAME, SEGMENT_ARRAYS }; /* from there on, two for an array: itself, its adjoint */

static inline int64_t pointer_at(uint32_t segment, uint32_t cell)
{
    return (int64_t)((uint64_t)segment << 32 | cell);
}

const Code *generate_code(CudaText *t, CudaFunction *kernel);

/* ---- between the files that make code ---- */

typedef struct Loop {
    uint32_t breaks, continues; /* chains of jumps */
    struct Loop *outer;
} Loop;

typedef struct Constants {
    CudaNumber *own, *wide;
    uint32_t count, cap, wide_count, wide_cap;
} Constants;

typedef struct Generator {
    CudaText *t;
    Op *ops;
    uint32_t count, cap, label; /* label: the last place that something jumps to */
    uint32_t top, most;         /* cells of the frame that are taken; the most that ever were */
    uint32_t depth;
    uint32_t cost;  /* of what was emitted, in steps: an operation is one, many cells are more */
    int32_t thread; /* the slot of its number */
    Constants constants;
    Loop *loop;
    /* of the function whose code is being made */
    const CudaFunction *function;
    int32_t result;
    uint32_t returns; /* a chain of jumps */
} Generator;

/* generate.c: operations, cells, places. */
Op *emit(Generator *g, OpCode code, int32_t a, int32_t b, int32_t c);
void clear_cells(Generator *g, int32_t slot, uint32_t cells);
int32_t take_cells(Generator *g, uint32_t count);
int32_t constant_slot(Generator *g, CudaNumber own, CudaNumber wide);
int32_t whole_slot(Generator *g, int64_t whole);
void enter_code(Generator *g); /* around everything that holds itself, as enter_text */
/* Chains of jumps that do not know yet where to: 0 is an empty one. */
void add_jump(Generator *g, OpCode code, int32_t condition, uint32_t *chain);
void land_jumps(Generator *g, uint32_t chain);
/* Where a loop goes back to, and that it does. */
typedef struct Start {
    uint32_t op, cost;
} Start;
Start start_loop(Generator *g);
void jump_back(Generator *g, Start start);
Place frame_place(int32_t slot);
Place pointer_place(int32_t pointer);
Place with_index(Generator *g, Place place, int32_t index);
Place element_place(Generator *g, Place array, const CudaType *type, OpCode check, int32_t number);
Place pointed_place(Generator *g, const Node *pointer);
Place place_of(Generator *g, const Node *node);
/* Does it lie at a slot that is known now? */
bool fixed_slot(const Node *node, int32_t *slot);
void point_to(Generator *g, Place place, const CudaType *type, int32_t to);
void load_from(Generator *g, Place place, const CudaType *type, int32_t to);
void store_to(Generator *g, Place place, const CudaType *type, int32_t from);

/* generate_value.c: values of one cell, and of several. */
int32_t value_of(Generator *g, const Node *node); /* where it is: not to be written to */
void value_to(Generator *g, const Node *node, int32_t to);
int32_t aggregate_of(Generator *g, const Node *node);
void aggregate_to(Generator *g, const Node *node, int32_t to); /* to: nothing that the node may read */
void run_for_effect(Generator *g, const Node *node);
void compute(Generator *g, const CudaType *type, uint32_t sign, int32_t to, int32_t a, int32_t b);
void compare(Generator *g, const CudaType *type, uint32_t sign, int32_t to, int32_t a, int32_t b);
void copy_cell(Generator *g, int32_t to, int32_t from);

/* generate_call.c */
void call_to(Generator *g, const Node *node, int32_t to);
void builtin_to(Generator *g, const Node *node, int32_t to);
int32_t update_atomically(Generator *g, const Node *node); /* where the old value is */

/* generate_flow.c */
void branch_unless(Generator *g, const Node *condition, uint32_t *chain);
void generate_body(Generator *g, CudaFunction *function, int32_t result);

#endif
