/* Tiles: a tile is an array in shared memory, and what is done with all of its elements a loop whose turns the threads of a block
 * share (STEP_EACH). The body of such a loop is steps and terms like any others, so that the reverse pass knows nothing of tiles
 * but their memory: it runs the same loops over adjoints, which are arrays in shared memory, too.
 *
 * Behind each loop the threads wait for each other. What one thread does for all of them stands under `if (threadIdx.x == 0)`,
 * followed by a STEP_SYNC. A wait in the forward kernel is one in the backward kernel, too, where what it divides runs the other
 * way round; threads that read one element at a time add to its adjoint at a time, atomically.
 *
 *     tile.c        memory, loops and elements     tile_view.c    subscripts and views      tile_call.c    loads, stores, maps
 *     tile_reduce.c reductions, products           tile_text.c    declarations, and what is settled in the end */
#ifndef WEFT_STANDALONE_TILE_H
#define WEFT_STANDALONE_TILE_H

#include "standalone/model.h"

typedef struct Tile Tile;

/* Where a loop over elements is: the number of the element, and its coordinates as far as they were asked for. */
typedef struct Spot {
    Term *flat;
    uint32_t ndim, shape[TILE_DIMS];
    Term *index[TILE_DIMS];
} Spot;

typedef Term *CellMaker(Translator *, const Tile *, Spot *);

enum { TILE_ARGS = 8 };

/* Memory, or something that is computed for each element when a loop asks for it. */
struct Tile {
    const Type *dtype;
    uint32_t ndim, shape[TILE_DIMS];
    Var *var;   /* whose memory it is; NULL: it is computed */
    Term *base; /* number of the first element; NULL: 0 */
    int32_t strides[TILE_DIMS];
    /* computed */
    CellMaker *make;
    const Node *at;
    const char *name; /* of an operation */
    Routine *routine; /* or a function */
    struct {
        Tile *tile; /* one of these two */
        Term *term;
    } args[TILE_ARGS];
    uint32_t count;
    Term *array, *offsets[TILE_DIMS]; /* of a load */
    bool is_checked;                  /* against the array's sizes */
    Tile *indices;                    /* of coordinates along `axis` */
    uint32_t axis;
};

/* ---- memory, loops, elements (tile.c) ---- */
uint32_t tile_count(const Tile *tile);
Tile *make_tile(Translator *, const Type *dtype, uint32_t ndim, const uint32_t *shape, CellMaker *make, const Node *at);
Var *new_tile_var(Translator *, Name name, const char *stem, const Type *dtype, uint32_t ndim, const uint32_t *shape);
Step *begin_each(Translator *, const Tile *like, Spot *spot); /* steps go into its body from here on, */
void end_each(Translator *, Step *each, Block *outer);        /* to here */
Term *scoped(Translator *, const char *stem, Term *value);    /* a variable of the body that is lowered */
Term *spot_index(Translator *, Spot *spot, uint32_t dim);
Term *sum_term(Translator *, Term *a, Term *b); /* of integers; NULL: 0 */
Term *times_term(Translator *, Term *a, int64_t by);
Term *cell_at(Translator *, const Tile *tile, Spot *spot);
Term *cell_term(Translator *, const Tile *tile, Term *const *indices); /* with all its coordinates */
void fill_tile(Translator *, Tile *target, Tile *source);
Tile *in_memory(Translator *, Tile *tile, const char *stem); /* the same, or a copy */
Tile *as_dense(Translator *, Tile *tile,
               const char *stem); /* the same, if its elements stand in a row from the start on */
Tile *copy_of(Translator *, Tile *tile, const char *stem);
bool is_dense(const Tile *tile);
Block *begin_one(Translator *);            /* what one thread does: into its body from here on, */
void end_one(Translator *, Block *outer);  /* to here */
void sync_before(Translator *, Var *tile); /* that is changed next */
void sync_behind(Translator *);
Term *lane_term(Translator *);
Term *plain_term(Translator *, Term *term, const char *stem); /* that has the same value in a loop */

/* ---- expressions (tile_view.c, tile_call.c, tile_reduce.c) ---- */
Tile *to_tile(Translator *, const Node *node);
Tile *subscript_tile(Translator *, const Node *node);
Tile *call_tile(Translator *, const Node *call, const TileType *type);
Tile *reduced_tile(Translator *, const Node *call, const char *name,
                   const TileType *type); /* NULL: it is something else */
bool lower_tile_action(Translator *, const Node *call,
                       const char *name);              /* of linear algebra and the like; false: it is none */
Term *element_of_tile(Translator *, const Node *node); /* t[i, j] */
void offsets_of(Translator *, const Node *node, uint32_t count, Term **out);
typedef struct Mapped { /* a function that is given to tile_map() or tile_reduce() */
    const char *name;
    const Func *func;
} Mapped;
Mapped mapped_function(Translator *, const Node *node);
Term *apply(Translator *, Mapped what, Term **args, uint32_t count, const Type *type, const Node *at);
Tile *operation_tile(Translator *, const char *name, const TileType *type, const Node *at);
void give_tile(Translator *, Tile *to, Tile *tile);
void give_term(Translator *, Tile *to, Term *term);

#endif
