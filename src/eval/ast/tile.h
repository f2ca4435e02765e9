/* Tiles in the AST evaluator: the lanes of a block, and the values that they share. Only its own files include this.
 *
 *     tile_mark.c   which statements and expressions may meet a tile      tile_lanes.c   running them, all lanes together
 *     tile_value.c  tiles, their parts, subscripts                        tile_make.c    made, loaded, stored
 *     tile_math.c   operators, maps, reductions, scans, sorting           tile_solve.c   products, factors, solves, FFT
 *     tile_lane.c   lanes' own values: wp.tile, scatter, stacks       tile_omit.c   derivatives that are left out
 *
 * A kernel with tiles runs block by block, B lanes together: an expression that may meet a tile is evaluated for every lane
 * before the one around it, and everything else lane after lane, statement by statement. So a tile operation sees the
 * arguments of all lanes at once, and lanes that are not there are a finding, as they would be a deadlock on a GPU. Nothing
 * has to be suspended. A tile is one value a block; element number n (row by row) belongs to lane n mod B, whose arguments
 * count where lanes disagree. As in Warp's text, an expression has one tile, which it makes anew every time. */
#ifndef WEFT_EVAL_AST_TILE_H
#define WEFT_EVAL_AST_TILE_H

#include "eval/ast/number.h"

enum { TILE_MAX_CELLS = 1 << 22, TILE_MAX_ARGS = 16 };

struct Tile {
    Dual *cells;      /* of its first element */
    const Type *type; /* of an element */
    uint32_t width;   /* cells of an element */
    uint32_t ndim, shape[4];
    int64_t stride[4]; /* in elements */
};

struct TileStack {
    Dual *cells;
    const Type *type;
    uint32_t width, capacity;
    int64_t count;
};

/* What an expression, or a name that tiles are copied to, has for itself. */
struct TileSite {
    Dual *cells;
    size_t cap;
    Tile tile;
    TileStack stack;
    TileSite *next; /* for a further result of the same expression */
};

/* The lanes that run something, in order. */
typedef struct LaneSet {
    uint32_t count;
    uint32_t *lanes;
} LaneSet;

typedef struct TileCall { /* one call of a tile builtin, by all lanes of a block */
    Evaluator *e;
    const Expr *x;
    Datum *args[TILE_MAX_ARGS]; /* a Datum a lane */
    uint32_t count, positional; /* the others have a name */
    int variant;
    Datum *out; /* a Datum a lane; they start as DATUM_NOTHING */
} TileCall;

typedef void TileFn(TileCall *call);

typedef struct TileRow {
    const char *name;
    TileFn *function;
    bool makes_tile; /* the result is a tile, or a stack */
    bool alone;      /* a lane may be on its own here */
    int variant;
} TileRow;

/* ---- lanes (tile_lanes.c) ---- */
void enter_lane(Evaluator *e, uint32_t lane);
void lanes_eval(Evaluator *e, const Expr *x, const LaneSet *set, Datum *out);
/* Ends the run unless all lanes are there. */
void need_all_lanes(Evaluator *e, const LaneSet *set, uint32_t offset);

/* ---- tiles (tile_value.c) ---- */
/* A dense tile in scratch, all zero; the memory of a site may be what it is made from. */
Tile *new_tile(Evaluator *e, const Type *type, uint32_t ndim, const uint32_t *shape, uint32_t offset);
/* Copies it to the memory of a site, or of a further one. */
Tile *keep_tile(Evaluator *e, TileSite *site, uint32_t part, const Tile *tile);
void set_tile(Evaluator *e, Tile *tile, Datum *out);                        /* the result of every lane */
void set_result(Evaluator *e, const Expr *x, const Tile *tile, Datum *out); /* likewise, kept */
const Tile *datum_tile(Evaluator *e, const Datum *datum, uint32_t offset);
Tile *copy_tile(Evaluator *e, const Tile *from, uint32_t offset); /* dense, in scratch */
static inline uint32_t tile_size(const Tile *tile)
{
    uint32_t size = 1;
    for (uint32_t i = 0; i < tile->ndim; i++)
        size *= tile->shape[i];
    return size;
}
bool same_shape(const Tile *a, const Tile *b);
/* The cells of element number n, row by row. */
Dual *tile_element(const Tile *tile, uint32_t n);
Dual *tile_at(const Tile *tile, const int64_t *coordinates);
void tile_coordinates(const Tile *tile, uint32_t n, int64_t *out);
Datum element_datum(const Type *type, Dual *cells);
void store_value(Evaluator *e, const Datum *value, const Type *type, Dual *cells, uint32_t offset); /* converted */
/* Each scalar of a value, structs included. */
uint32_t scalar_types(const Type *type, const Type **out);
/* `t[…]` where `object` is a tile: reading. Every lane has its own indices, after the tile in `parts`. */
void tile_subscript(Evaluator *e, const Expr *x, const LaneSet *set, Datum **parts, Datum *out);
/* `t[…] = value` and, with an operator, `t[…] op= value`. */
void tile_subscript_store(Evaluator *e, const Expr *x, const LaneSet *set, Datum **parts, const Datum *value,
                          const OpKind *op, uint32_t offset);

/* Calls it; without the derivatives that the run omits (tile_omit.c). */
void tile_call_omitting(TileCall *call, const TileRow *row);

/* ---- arguments ---- */
/* By its name, or in its place; NULL: left out. */
Datum *tile_arg(const TileCall *call, const char *name, uint32_t place);
Datum *tile_need(const TileCall *call, const char *name, uint32_t place);
const Tile *tile_arg_tile(const TileCall *call, const char *name, uint32_t place);
uint32_t tile_arg_shape(const TileCall *call, const Datum *datum, int64_t *out, uint32_t most);
const Type *tile_arg_type(const TileCall *call, const Datum *datum);
bool tile_arg_truth(const TileCall *call, const char *name, uint32_t place, bool missing);
_Noreturn void refuse_tile_call(const TileCall *call, const char *why);

/* ---- operators (tile_math.c) ---- */
void tile_binary(Evaluator *e, const Expr *x, OpKind op, const Datum *left, const Datum *right, Datum *out);
void tile_negate(Evaluator *e, const Expr *x, const Tile *a, Datum *out);
void tile_in_place(Evaluator *e, const Expr *x, OpKind op, const Tile *a, const Datum *b);
void combine_elements(Evaluator *e, const Expr *x, OpKind op, const Datum *a, const Datum *b, Datum *out);

#define TILE(name, function, makes_tile, alone, variant) TileFn function;
#include "eval/ast/tile.def"
#undef TILE

#endif
