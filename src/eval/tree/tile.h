/* Tiles in the tree evaluator. Only its own files include this.
 *
 *     tile_compile.c  calls with tiles as operations     tile_block.c   the lanes of a block, run by turns
 *     tile_make.c     made, loaded, stored, views        tile_math.c    element by element, reductions
 *     tile_solve.c    products, factors, solves, FFT
 *
 * Every lane of a block has a machine and frames of its own. It runs until it comes to a tile operation, and waits there; when all
 * lanes of the block wait at the same one, it runs once, for all of them. A variable that is a tile holds where its values and its
 * gradients are: one memory for all lanes, which the code of a function has for each variable that owns a tile. */
#ifndef WEFT_EVAL_TREE_TILE_H
#define WEFT_EVAL_TREE_TILE_H

#include "eval/tree/code.h"

typedef struct TreeTile {
    Cell *data, *grad; /* NULL: a view that was not made yet */
    int64_t strides[4];
} TreeTile;

typedef struct TreeStack {
    Cell *data, *count;
} TreeStack;

enum { TILE_MAX_ARGS = 16, TILE_MAX_CELLS = 64 /* of an element; more is refused when the code is made */ };

typedef struct TileInfo { /* what the type of an operand says; size 0: it is no tile */
    uint32_t ndim, shape[4], size;
    const Type *dtype;
    const TreeLayout *layout; /* of an element */
    bool shared;
} TileInfo;

/* A function that is applied to elements: its operands are temporaries of the frame. */
typedef struct ElementCall {
    Op forward, reverse;
    TreeArg *args, *out;
    uint32_t count;
    bool has_reverse;
} ElementCall;

typedef struct TreeBlock TreeBlock;
typedef struct TileCall TileCall;
typedef void TileFn(TreeBlock *b, const TileCall *call);

struct TileCall {
    TileFn *run;
    const Op *op;
    const IrCall *call;
    const char *name;
    TileInfo args[TILE_MAX_ARGS], outs[2];
    ElementCall *element;
    const Dialect *dialect;
    bool in_double;
    bool alone; /* a lane may be */
    int variant;
};

typedef struct Lane {
    Machine m;
    const Op *waiting;
    bool done;
    uint32_t depth;
    struct {
        Cell *frame, *top;
        const Op *next;
    } calls[32];
} Lane;

struct TreeBlock {
    Lane *lanes;
    uint32_t count;
    Arena *arena;
    Cell *room; /* for the time of an operation */
    uint32_t room_cells;
};

/* ---- operands ---- */
static inline Cell *lane_value(const TreeBlock *b, uint32_t lane, const TileCall *call, uint32_t arg)
{
    return tree_at(&b->lanes[lane].m, call->op->args[arg].value);
}
static inline Cell *lane_adjoint(const TreeBlock *b, uint32_t lane, const TileCall *call, uint32_t arg)
{
    return tree_at(&b->lanes[lane].m, call->op->args[arg].adjoint);
}
static inline Cell *lane_result(const TreeBlock *b, uint32_t lane, const TileCall *call, uint32_t out)
{
    return tree_at(&b->lanes[lane].m, call->op->outs[out].value);
}
static inline Cell *lane_adj_result(const TreeBlock *b, uint32_t lane, const TileCall *call, uint32_t out)
{
    return tree_at(&b->lanes[lane].m, call->op->outs[out].adjoint);
}
static inline TreeTile *tile_arg(const TreeBlock *b, const TileCall *call, uint32_t arg)
{
    return (TreeTile *)(void *)lane_value(b, 0, call, arg);
}
static inline TreeTile *tile_out(const TreeBlock *b, const TileCall *call, uint32_t out)
{
    return (TreeTile *)(void *)lane_result(b, 0, call, out);
}

/* Where element n of a tile is, counted in cells. */
int64_t tree_tile_place(const TreeTile *tile, const TileInfo *info, uint32_t n);
int64_t tree_tile_place_at(const TreeTile *tile, const TileInfo *info, const int64_t *coordinates);
void tree_tile_coordinates(const TileInfo *info, uint32_t n, int64_t *out);
static inline Cell *tile_data(const TreeTile *tile, const TileInfo *info, uint32_t n)
{
    return tile->data + tree_tile_place(tile, info, n);
}
static inline Cell *tile_grad(const TreeTile *tile, const TileInfo *info, uint32_t n)
{
    return tile->grad + tree_tile_place(tile, info, n);
}
void tree_block_fail(TreeBlock *b, const TileCall *call, FindingKind kind, const char *message);

/* Applies a function to elements: `in` and `out` are cells. */
void tree_element_forward(TreeBlock *b, uint32_t lane, const ElementCall *element, const Cell *const *in, Cell *out);
/* Adds to the adjoints `adj_in`; entries may be NULL. */
void tree_element_reverse(TreeBlock *b, uint32_t lane, const ElementCall *element, const Cell *const *in,
                          const Cell *adj_out, Cell *const *adj_in);
/* result += more, or less it: numbers of the type of an element, structs included */
void tree_tile_combine_cells(const TileInfo *info, int sign, Cell *sum, const Cell *more);

/* A value of one type as that of another; of as many cells. */
void tree_tile_convert(const TileCall *call, const Cell *from, const Type *type, const TileInfo *to, Cell *out);
uint32_t tree_scalar_types(const Type *type, const Type **out);

/* Of a function or builtin that is applied to elements (call.c): whether it has a reverse pass. */
bool tree_element_function(Compiler *c, const Func *func, ElementCall *element, bool reverse);
bool tree_element_builtin(Compiler *c, const char *native, ElementCall *element, bool reverse);

TileFn tree_adj_tile_result, tree_tile_clear_grad;

/* ---- the table ---- */

typedef struct TileRow {
    const char *name;
    TileFn *forward, *reverse; /* NULL: nothing to do */
    bool alone;
    const char *element; /* the builtin that it applies to elements; "": what it was given as first argument */
    int variant;
} TileRow;

void tree_tile_gate(Machine *m, const Op *op); /* where lanes wait for each other; op->detail is a TileCall */
const TileRow *tree_tile_row(const char *native);

#define TILE(name, forward, reverse, alone, element, variant) TileFn tree_##forward, tree_##reverse;
#include "eval/tree/tile.def"
#undef TILE

#endif
