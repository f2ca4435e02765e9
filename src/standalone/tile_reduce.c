/* Tiles: reductions, and what is computed from rows and columns. */
#include "standalone/tile.h"

#include <string.h>

/* ---- loops of one thread ---- */

static Step *begin_for(Translator *t, Term *start, Term *stop, Var **index)
{
    Term *range[] = {start, stop, int_term(t, 1)};
    Step *loop = new_step(t, STEP_FOR, range, 3);
    *index = new_var(t, NULL, type_scalar(TYPE_INT32), "k");
    (*index)->is_loop_var = true;
    loop->stride_sign = 1;
    add_set(t, loop, *index);
    t->block = &loop->body;
    return loop;
}

static void add_up(Translator *t, Term *sum, Term *term, const Node *at)
{
    Step *step = set_to(t, sum, op_term(t, "add", (Term *[]){sum, term}, 2, sum->type, at));
    step->sign = "+=";
}

static Term *product_of(Translator *t, Term *a, Term *b, const Type *type, const Node *at)
{
    bool are_vectors = type_is_composite(a->type) && type_is_composite(b->type);
    return op_term(t, are_vectors ? "dot" : "mul", (Term *[]){a, b}, 2, type, at);
}

/* A tile of one element, which one thread sets. */
static Tile *single(Translator *t, const Type *dtype, Term *value, const char *stem)
{
    Tile *tile = new_tile_var(t, NULL, stem, dtype, 1, (uint32_t[]){1})->tile;
    Term *zero = int_term(t, 0);
    sync_before(t, tile->var);
    Block *outer = begin_one(t);
    set_to(t, cell_term(t, tile, &zero), value);
    outer->items[outer->count - 1]->tile = tile->var;
    end_one(t, outer);
    tile->var->is_peeked = false;
    tile->var->stores++;
    return tile;
}

/* ---- of all elements ---- */

/* Each thread adds up its own elements first. `b`: they are multiplied by its. */
static Tile *sum_all(Translator *t, const Node *call, Tile *a, Tile *b, const Type *dtype)
{
    Block *outer = t->block;
    Spot spot;
    dtype = strip(dtype);
    Term *part = var_term(t, new_var(t, NULL, dtype, "part"));
    set_to(t, part, zero_term(t, dtype));
    Step *each = begin_each(t, a, &spot);
    Term *cell = cell_at(t, a, &spot);
    add_up(t, part, b ? product_of(t, cell, cell_at(t, b, &spot), dtype, call) : cell, call);
    end_each(t, each, outer);
    return single(t, dtype, hoist(t, op_term(t, "block_sum", &part, 1, dtype, call), "total"), "sum");
}

static Tile *extreme(Translator *t, const Node *call, Tile *tile, const char *operation, bool is_place,
                     const Type *dtype)
{
    tile = as_dense(t, tile, "tile");
    Term *args[] = {var_term(t, tile->var), int_term(t, tile_count(tile))};
    Term *where = hoist(t, op_term(t, operation, args, 2, type_scalar(TYPE_INT32), call), "where");
    if (is_place)
        return single(t, dtype, where, "place");
    Tile row = {.dtype = tile->dtype, .ndim = 1, .shape = {tile_count(tile)}, .strides = {1}, .var = tile->var};
    return single(t, dtype, cell_term(t, &row, &where), "extreme");
}

/* One thread takes the elements in their order. */
static Tile *fold_all(Translator *t, const Node *call, Tile *tile, Mapped what)
{
    tile = in_memory(t, tile, "tile");
    uint32_t count = tile_count(tile);
    tile = as_dense(t, tile, "tile");
    Tile row = {.dtype = tile->dtype, .ndim = 1, .shape = {count}, .strides = {1}, .var = tile->var};
    Tile *to = new_tile_var(t, NULL, "result", tile->dtype, 1, (uint32_t[]){1})->tile;
    Term *zero = int_term(t, 0);
    sync_before(t, to->var);
    Block *outer = begin_one(t), *inner = t->block;
    Term *all = var_term(t, new_var(t, NULL, tile->dtype, "all"));
    set_to(t, all, cell_term(t, &row, &zero));
    Var *k;
    begin_for(t, int_term(t, 1), int_term(t, count), &k);
    Term *index = var_term(t, k), *args[] = {all, cell_term(t, &row, &index)};
    set_to(t, all, apply(t, what, args, 2, tile->dtype, call));
    t->block = inner;
    set_to(t, cell_term(t, to, &zero), all);
    end_one(t, outer);
    to->var->stores++;
    return to;
}

/* ---- along an axis ---- */

static Tile *fold_axis(Translator *t, const Node *call, Tile *tile, uint32_t axis, const Mapped *what,
                       const TileType *type)
{
    tile = in_memory(t, tile, "tile");
    Tile *to = new_tile_var(t, NULL, "sum", type->dtype, type->ndim, type->shape)->tile;
    Block *outer = t->block;
    Spot spot;
    Term *indices[TILE_DIMS] = {0};
    sync_before(t, to->var);
    Step *each = begin_each(t, to, &spot);
    for (uint32_t i = 0, from = 0; i < tile->ndim; i++)
        if (i != axis)
            indices[i] = spot_index(t, &spot, from++);
    Term *all = var_term(t, new_var(t, NULL, to->dtype, what ? "all" : "total"));
    indices[axis] = int_term(t, 0);
    set_to(t, all, what ? cell_term(t, tile, indices) : zero_term(t, to->dtype));
    Var *k;
    Block *inner = t->block;
    begin_for(t, int_term(t, what ? 1 : 0), int_term(t, tile->shape[axis]), &k);
    indices[axis] = var_term(t, k);
    Term *args[] = {all, cell_term(t, tile, indices)};
    if (what)
        set_to(t, all, apply(t, *what, args, 2, to->dtype, call));
    else
        add_up(t, all, args[1], call);
    t->block = inner;
    set_to(t, cell_at(t, to, &spot), all);
    end_each(t, each, outer);
    each->tile = to->var;
    to->var->stores++;
    return to;
}

static bool known_axis(Translator *t, const Node *node, uint32_t ndim, uint32_t *out)
{
    Term *axis = node ? to_term(t, node) : NULL;
    if (!axis)
        return false;
    REFUSE_IF(t, node, !axis->has_number || axis->number < 0 || axis->number >= ndim, "the axis is not a number");
    *out = (uint32_t)axis->number;
    return true;
}

/* ---- scans ---- */

static Tile *scan(Translator *t, const Node *call, Tile *tile, const char *name, const TileType *type)
{
    bool is_exclusive = strstr(name, "exclusive") != NULL;
    const char *operation = strstr(name, "_max_") ? "max" : strstr(name, "_min_") ? "min" : "add";
    tile = as_dense(t, in_memory(t, tile, "tile"), "tile");
    uint32_t count = tile_count(tile);
    Tile row = {.dtype = tile->dtype, .ndim = 1, .shape = {count}, .strides = {1}, .var = tile->var};
    Tile *to = new_tile_var(t, NULL, "scanned", type->dtype, type->ndim, type->shape)->tile, flat = row;
    flat.var = to->var;
    sync_before(t, to->var);
    Block *outer = begin_one(t);
    Term *zero = int_term(t, 0), *all = var_term(t, new_var(t, NULL, tile->dtype, "so_far"));
    set_to(t, all, strcmp(operation, "add") == 0 ? zero_term(t, tile->dtype) : cell_term(t, &row, &zero));
    Var *k;
    begin_for(t, int_term(t, 0), int_term(t, count), &k);
    Term *index = var_term(t, k);
    if (is_exclusive)
        set_to(t, cell_term(t, &flat, &index), all);
    Term *args[] = {all, cell_term(t, &row, &index)};
    set_to(t, all, op_term(t, operation, args, 2, tile->dtype, call));
    if (!is_exclusive)
        set_to(t, cell_term(t, &flat, &index), all);
    end_one(t, outer);
    to->var->stores++;
    return to;
}

/* ---- products of matrices ---- */

/* NULL: it is 1. */
static Term *factor(Translator *t, const Node *node, const Type *type, const Node *at)
{
    if (!node || (node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_FLOAT && node->constant.real == 1.0))
        return NULL;
    return plain_term(t, convert_term(t, to_term(t, node), type, at), "factor");
}

/* alpha * a * b, added to what is there times beta. */
static void multiply(Translator *t, const Node *call, Tile *a, Tile *b, Tile *to, Term *alpha, Term *beta, bool adds)
{
    Block *outer = t->block;
    Spot spot;
    Var *k;
    a = in_memory(t, a, "left");
    b = in_memory(t, b, "right");
    if (a->var == to->var)
        a = copy_of(t, a, "left");
    if (b->var == to->var)
        b = copy_of(t, b, "right");
    sync_before(t, to->var);
    Step *each = begin_each(t, to, &spot);
    Term *row = spot_index(t, &spot, 0), *column = spot_index(t, &spot, 1);
    Term *sum = var_term(t, new_var(t, NULL, to->dtype, "total"));
    set_to(t, sum, zero_term(t, to->dtype));
    Block *inner = t->block;
    begin_for(t, int_term(t, 0), int_term(t, a->shape[1]), &k);
    Term *index = var_term(t, k), *left = cell_term(t, a, (Term *[]){row, index}),
         *right = cell_term(t, b, (Term *[]){index, column});
    add_up(
        t, sum,
        product_of(t, convert_term(t, left, to->dtype, call), convert_term(t, right, to->dtype, call), to->dtype, call),
        call);
    t->block = inner;
    Term *cell = cell_at(t, to, &spot), *value = sum;
    if (alpha)
        value = op_term(t, "mul", (Term *[]){alpha, sum}, 2, to->dtype, call);
    if (adds) {
        Term *before = beta ? op_term(t, "mul", (Term *[]){beta, cell}, 2, to->dtype, call) : cell;
        set_to(t, cell, op_term(t, "add", (Term *[]){before, value}, 2, to->dtype, call))->sign = beta ? NULL : "+=";
    } else
        set_to(t, cell, value);
    end_each(t, each, outer);
    if (!adds)
        each->tile = to->var;
    to->var->stores++;
}

/* ---- all of them ---- */

static Tile *reduced(Translator *t, const Node *call, const TileType *type)
{
    const Node *given = argument(call, 1, "a");
    Mapped what = mapped_function(t, argument(call, 0, "op"));
    bool adds = !what.func && strcmp(what.name, "add") == 0, least = !what.func && strcmp(what.name, "min") == 0;
    bool most = !what.func && strcmp(what.name, "max") == 0;
    uint32_t axis;
    Tile *tile = to_tile(t, given);
    if (known_axis(t, argument(call, 2, "axis"), tile->ndim, &axis))
        return fold_axis(t, call, tile, axis, adds ? NULL : &what, type);
    if (adds)
        return sum_all(t, call, tile, NULL, type->dtype);
    if ((least || most) && type_is_scalar(tile->dtype))
        return extreme(t, call, tile, least ? "block_argmin" : "block_argmax", false, type->dtype);
    return fold_all(t, call, tile, what);
}

Tile *reduced_tile(Translator *t, const Node *call, const char *name, const TileType *type)
{
    static const char *const extremes[][2] = {{"tile_min", "block_argmin"},
                                              {"tile_max", "block_argmax"},
                                              {"tile_argmin", "block_argmin"},
                                              {"tile_argmax", "block_argmax"}};
    uint32_t axis;
    if (strcmp(name, "tile_sum") == 0) {
        Tile *tile = to_tile(t, argument(call, 0, "a"));
        return known_axis(t, argument(call, 1, "axis"), tile->ndim, &axis) ? fold_axis(t, call, tile, axis, NULL, type)
                                                                           : sum_all(t, call, tile, NULL, type->dtype);
    }
    if (strcmp(name, "tile_dot") == 0) {
        Tile *a = to_tile(t, argument(call, 0, "a"));
        return sum_all(t, call, a, to_tile(t, argument(call, 1, "b")), type->dtype);
    }
    if (strcmp(name, "tile_reduce") == 0)
        return reduced(t, call, type);
    for (uint32_t i = 0; i < sizeof extremes / sizeof *extremes; i++)
        if (strcmp(name, extremes[i][0]) == 0)
            return extreme(t, call, to_tile(t, argument(call, 0, "a")), extremes[i][1], i > 1, type->dtype);
    if (strncmp(name, "tile_scan_", 10) == 0)
        return scan(t, call, to_tile(t, argument(call, 0, "a")), name, type);
    if (strcmp(name, "tile_matmul") == 0) {
        Tile *a = to_tile(t, argument(call, 0, "a")), *b = to_tile(t, argument(call, 1, "b"));
        Tile *to = new_tile_var(t, NULL, "product", type->dtype, type->ndim, type->shape)->tile;
        multiply(t, call, a, b, to, factor(t, argument(call, 2, "alpha"), to->dtype, call), NULL, false);
        return to;
    }
    return NULL;
}

/* alpha * src, added to dest. */
static void add_scaled(Translator *t, const Node *call)
{
    Tile *source = to_tile(t, argument(call, 1, "src")), *to = to_tile(t, argument(call, 2, "dest"));
    Term *alpha = factor(t, argument(call, 0, "alpha"), type_scalar_of(to->dtype), call);
    Block *outer = t->block;
    Spot spot;
    sync_before(t, to->var);
    Step *each = begin_each(t, to, &spot);
    Term *value = cell_at(t, source, &spot), *cell = cell_at(t, to, &spot);
    if (alpha)
        value = op_term(t, "mul", (Term *[]){value, alpha}, 2, to->dtype, call);
    set_to(t, cell, op_term(t, "add", (Term *[]){cell, value}, 2, to->dtype, call))->sign = "+=";
    end_each(t, each, outer);
    to->var->stores++;
}

bool lower_tile_action(Translator *t, const Node *call, const char *name)
{
    const Node *out = argument(call, 2, "out");
    if (strcmp(name, "tile_axpy") == 0) {
        add_scaled(t, call);
        return true;
    }
    if (strcmp(name, "tile_matmul") != 0 || !out || !tile_dims(t, out))
        return false;
    Tile *a = to_tile(t, argument(call, 0, "a")), *b = to_tile(t, argument(call, 1, "b")), *to = to_tile(t, out);
    Term *alpha = factor(t, argument(call, 3, "alpha"), to->dtype, call);
    Term *beta = factor(t, argument(call, 4, "beta"), to->dtype, call);
    multiply(t, call, a, b, to, alpha, beta, true);
    return true;
}
