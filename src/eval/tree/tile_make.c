/* Tiles: made, loaded, stored, views and copies, and the values of single lanes. */
#include "eval/tree/tile.h"

#include <string.h>

#define LANE_OF(b, n) ((n) % (b)->count)

static int64_t integer_arg(const TreeBlock *b, uint32_t lane, const TileCall *call, uint32_t arg)
{
    return lane_value(b, lane, call, arg)->integer;
}

/* ---- making ---- */

void tree_tile_fill(TreeBlock *b, const TileCall *call)
{
    const TreeTile *out = tile_out(b, call, 0);
    const TileInfo *info = &call->outs[0];
    for (uint32_t n = 0; n < info->size; n++)
        for (uint32_t i = 0; i < info->layout->cells; i++) {
            Cell *cell = &tile_data(out, info, n)[i];
            if (info->layout->kinds[i] == CELL_INTEGER)
                cell->integer = call->variant;
            else
                cell->real = call->variant;
        }
}

void tree_tile_full(TreeBlock *b, const TileCall *call)
{
    const TreeTile *out = tile_out(b, call, 0);
    const TileInfo *info = &call->outs[0];
    for (uint32_t n = 0; n < info->size; n++)
        tree_tile_convert(call, lane_value(b, LANE_OF(b, n), call, 0), call->op->args[0].type, info,
                          tile_data(out, info, n));
}

void tree_tile_from_thread(TreeBlock *b, const TileCall *call)
{
    const TreeTile *out = tile_out(b, call, 0);
    const TileInfo *info = &call->outs[0];
    int64_t lane = integer_arg(b, 0, call, 1);
    if (lane < 0 || lane >= b->count) {
        tree_block_fail(b, call, FINDING_OUT_OF_BOUNDS, "a lane that the block does not have");
        return;
    }
    for (uint32_t n = 0; n < info->size; n++)
        tree_tile_convert(call, lane_value(b, (uint32_t)lane, call, 0), call->op->args[0].type, info,
                          tile_data(out, info, n));
}

void tree_tile_arange(TreeBlock *b, const TileCall *call)
{
    const TreeTile *out = tile_out(b, call, 0);
    const TileInfo *info = &call->outs[0];
    Cell start, step;
    tree_tile_convert(call, lane_value(b, 0, call, 0), call->op->args[0].type, info, &start);
    tree_tile_convert(call, lane_value(b, 0, call, 2), call->op->args[2].type, info, &step);
    CellKind kind = (CellKind)info->layout->kinds[0];
    for (uint32_t n = 0; n < info->size; n++) {
        Cell *cell = tile_data(out, info, n);
        if (kind == CELL_INTEGER)
            cell->integer = tree_wrap(start.integer + n * step.integer, info->dtype->kind);
        else
            cell->real = tree_round(start.real + tree_round(n * step.real, kind), kind);
    }
}

/* Every lane has a generator of its own, which its elements are drawn from. */
void tree_tile_random(TreeBlock *b, const TileCall *call)
{
    const TreeTile *out = tile_out(b, call, 0);
    const TileInfo *info = &call->outs[0];
    const ElementCall *element = call->element;
    for (uint32_t lane = 0; lane < b->count; lane++) {
        const Cell *in[TILE_MAX_ARGS];
        Cell state = {.integer = tree_next_hash(lane + (uint32_t)integer_arg(b, lane, call, 0))};
        in[0] = &state;
        for (uint32_t i = 1; i < element->count; i++)
            in[i] = lane_value(b, lane, call, i);
        for (uint32_t n = lane; n < info->size; n += b->count) {
            tree_element_forward(b, lane, element, in, tile_data(out, info, n));
            state = *tree_at(&b->lanes[lane].m, element->args[0].value);
        }
    }
}

/* ---- lanes ---- */

/* How many parts a lane's value has; 0: the types of the kernel are for blocks of another size. */
static uint32_t parts_of(TreeBlock *b, const TileCall *call, const TileInfo *info)
{
    if (info->shape[info->ndim - 1] == b->count)
        return info->size / b->count;
    tree_block_fail(b, call, FINDING_UNSUPPORTED, "the kernel was compiled for blocks of another size");
    return 0;
}

void tree_tile_of_lanes(TreeBlock *b, const TileCall *call)
{
    const TreeTile *out = tile_out(b, call, 0);
    const TileInfo *info = &call->outs[0];
    uint32_t width = info->layout->cells;
    for (uint32_t n = 0; parts_of(b, call, info) && n < info->size; n++)
        memcpy(tile_data(out, info, n), lane_value(b, LANE_OF(b, n), call, 0) + n / b->count * width,
               width * sizeof(Cell));
}

void tree_adj_tile_of_lanes(TreeBlock *b, const TileCall *call)
{
    const TreeTile *out = tile_out(b, call, 0);
    const TileInfo *info = &call->outs[0];
    if (!parts_of(b, call, info))
        return;
    if (info->shared) /* Warp reads the values there, not the gradients, of a tile in shared memory */
        return;
    for (uint32_t n = 0; n < info->size; n++)
        tree_accumulate(lane_adjoint(b, LANE_OF(b, n), call, 0) + n / b->count * info->layout->cells,
                        tile_grad(out, info, n), info->layout);
}

void tree_tile_to_lanes(TreeBlock *b, const TileCall *call)
{
    const TreeTile *tile = tile_arg(b, call, 0);
    const TileInfo *info = &call->args[0];
    uint32_t width = info->layout->cells, parts = parts_of(b, call, info);
    for (uint32_t lane = 0; lane < b->count; lane++)
        for (uint32_t i = 0; i < parts; i++)
            memcpy(lane_result(b, lane, call, 0) + i * width, tile_data(tile, info, i * b->count + lane),
                   width * sizeof(Cell));
}

void tree_adj_tile_to_lanes(TreeBlock *b, const TileCall *call)
{
    const TreeTile *tile = tile_arg(b, call, 0);
    const TileInfo *info = &call->args[0];
    uint32_t width = info->layout->cells, parts = parts_of(b, call, info);
    for (uint32_t lane = 0; lane < b->count; lane++)
        for (uint32_t i = 0; i < parts; i++)
            tree_accumulate(tile_grad(tile, info, i * b->count + lane), lane_adj_result(b, lane, call, 0) + i * width,
                            info->layout);
}

/* ---- memory ---- */

typedef struct Window {
    const TreeTile *tile;
    const TileInfo *info;
    uint32_t first_offset;
    const TreeTile *indices;
    const TileInfo *index_info;
    int64_t axis;
    bool checked;
} Window;

/* loads: (a, [indices, axis,] offsets…); stores: the tile comes last */
static Window window_of(const TreeBlock *b, const TileCall *call, bool loads)
{
    bool indexed = call->variant;
    Window w = {.first_offset = indexed ? 3 : 1, .checked = true};
    w.tile = loads ? tile_out(b, call, 0) : tile_arg(b, call, call->op->arg_count - 1);
    w.info = loads ? &call->outs[0] : &call->args[call->op->arg_count - 1];
    if (indexed) {
        w.indices = tile_arg(b, call, 1);
        w.index_info = &call->args[1];
        w.axis = integer_arg(b, 0, call, 2);
    } else
        w.checked = call->call->template_args[1].number;
    return w;
}

/* Where element n lies in the array, in cells; -1: nowhere. */
static int64_t window_place(TreeBlock *b, const TileCall *call, const Window *w, uint32_t n)
{
    uint32_t lane = LANE_OF(b, n);
    const TreeArray *array = CONST_ARRAY_OF(lane_value(b, lane, call, 0));
    int64_t c[4], at = 0;
    tree_tile_coordinates(w->info, n, c);
    for (uint32_t i = 0; i < w->info->ndim; i++) {
        int64_t step = c[i], length = array->shape[i].integer;
        if (w->indices && i == w->axis)
            step = tile_data(w->indices, w->index_info, (uint32_t)c[i])->integer;
        int64_t index = integer_arg(b, lane, call, w->first_offset + i) + step;
        if ((index >= length && (w->checked || w->indices)) || (w->indices && index < 0))
            return -1;
        if (index < 0 || index >= length) {
            tree_block_fail(b, call, FINDING_OUT_OF_BOUNDS, "a tile reaches outside the array");
            return -1;
        }
        at += index * array->strides[i];
    }
    PathSum *sum = b->lanes[0].m.path_sum;
    if (sum)
        path_sum_element(sum, (uint64_t)(array->before + at));
    return at;
}

static Cell *gradients_of(const TreeBlock *b, const TileCall *call, uint32_t n)
{
    uint32_t lane = LANE_OF(b, n);
    const TreeArray *array = CONST_ARRAY_OF(lane_value(b, lane, call, 0));
    return array->grad ? array->grad : CONST_ARRAY_OF(lane_adjoint(b, lane, call, 0))->data;
}

void tree_tile_load(TreeBlock *b, const TileCall *call)
{
    Window w = window_of(b, call, true);
    for (uint32_t n = 0; n < w.info->size; n++) {
        int64_t at = window_place(b, call, &w, n);
        Cell *to = tile_data(w.tile, w.info, n);
        if (at < 0)
            memset(to, 0, w.info->layout->cells * sizeof *to);
        else
            memcpy(to, CONST_ARRAY_OF(lane_value(b, LANE_OF(b, n), call, 0))->data + at,
                   w.info->layout->cells * sizeof *to);
    }
}

void tree_adj_tile_load(TreeBlock *b, const TileCall *call)
{
    Window w = window_of(b, call, true);
    for (uint32_t n = 0; n < w.info->size; n++) {
        int64_t at = window_place(b, call, &w, n);
        Cell *grad = gradients_of(b, call, n);
        if (at >= 0 && grad)
            tree_accumulate(grad + at, tile_grad(w.tile, w.info, n), w.info->layout);
    }
}

void tree_tile_store(TreeBlock *b, const TileCall *call)
{
    Window w = window_of(b, call, false);
    for (uint32_t n = 0; n < w.info->size; n++) {
        int64_t at = window_place(b, call, &w, n);
        if (at >= 0)
            memcpy(CONST_ARRAY_OF(lane_value(b, LANE_OF(b, n), call, 0))->data + at, tile_data(w.tile, w.info, n),
                   w.info->layout->cells * sizeof(Cell));
    }
}

void tree_adj_tile_store(TreeBlock *b, const TileCall *call)
{
    Window w = window_of(b, call, false);
    for (uint32_t n = 0; n < w.info->size; n++) {
        int64_t at = window_place(b, call, &w, n);
        Cell *grad = gradients_of(b, call, n);
        if (at < 0 || !grad)
            continue;
        tree_accumulate(tile_grad(w.tile, w.info, n), grad + at, w.info->layout);
        memset(grad + at, 0, w.info->layout->cells * sizeof(Cell));
    }
}

void tree_tile_atomic_add(TreeBlock *b, const TileCall *call)
{
    Window w = window_of(b, call, false);
    const TreeTile *out = call->op->out_count ? tile_out(b, call, 0) : NULL;
    for (uint32_t n = 0; n < w.info->size; n++) {
        int64_t at = window_place(b, call, &w, n);
        if (at < 0)
            continue;
        Cell *cells = CONST_ARRAY_OF(lane_value(b, LANE_OF(b, n), call, 0))->data + at;
        if (out)
            memcpy(tile_data(out, &call->outs[0], n), cells, w.info->layout->cells * sizeof *cells);
        tree_tile_combine_cells(w.info, 1, cells, tile_data(w.tile, w.info, n));
    }
}

void tree_adj_tile_atomic_add(TreeBlock *b, const TileCall *call)
{
    Window w = window_of(b, call, false);
    for (uint32_t n = 0; n < w.info->size; n++) {
        int64_t at = window_place(b, call, &w, n);
        const Cell *grad = gradients_of(b, call, n);
        if (at >= 0 && grad)
            tree_accumulate(tile_grad(w.tile, w.info, n), grad + at, w.info->layout);
    }
}

/* ---- views ---- */

void tree_tile_view(TreeBlock *b, const TileCall *call)
{
    const TreeTile from = *tile_arg(b, call, 0);
    const TileInfo *info = &call->args[0];
    int64_t start[4] = {0};
    for (uint32_t i = 0; call->variant && i < info->ndim; i++) {
        start[i] = integer_arg(b, 0, call, 1 + i);
        if (start[i] < 0 || start[i] >= info->shape[i]) {
            tree_block_fail(b, call, FINDING_OUT_OF_BOUNDS, "a view begins outside the tile");
            return;
        }
    }
    int64_t at = tree_tile_place_at(&from, info, start);
    const TileType *type = call->op->outs[0].type->tile;
    TreeTile view = {.data = from.data + at, .grad = from.grad + at};
    for (uint32_t i = 0; i < type->ndim; i++)
        view.strides[i] = type->strides[i];
    for (uint32_t lane = 0; lane < b->count; lane++)
        *(TreeTile *)(void *)lane_result(b, lane, call, 0) = view;
}

/* It adds the view's values, which are the tile's own, to the tile's: they are doubled. */
void tree_adj_tile_transpose(TreeBlock *b, const TileCall *call)
{
    const TreeTile *tile = tile_arg(b, call, 0);
    const TileInfo *info = &call->args[0];
    Cell before[TILE_MAX_CELLS];
    if (b->lanes[0].m.keeps_transposed)
        return;
    for (uint32_t n = 0; n < info->size; n++) {
        Cell *cells = tile_data(tile, info, n);
        memcpy(before, cells, info->layout->cells * sizeof *before);
        tree_tile_combine_cells(info, 1, cells, before);
    }
}

/* The coordinate that element n of a gathered tile has in the source; false: outside. */
static bool gathered_from(TreeBlock *b, const TileCall *call, uint32_t n, int64_t *c)
{
    const TreeTile *indices = tile_arg(b, call, 1);
    int64_t axis = integer_arg(b, 0, call, 2);
    tree_tile_coordinates(&call->outs[0], n, c);
    int64_t index = tile_data(indices, &call->args[1], (uint32_t)c[axis])->integer, length = call->args[0].shape[axis];
    c[axis] = index < 0 ? index + length : index;
    if (c[axis] >= 0 && c[axis] < length)
        return true;
    tree_block_fail(b, call, FINDING_OUT_OF_BOUNDS, "an index is outside the tile");
    return false;
}

void tree_tile_gather(TreeBlock *b, const TileCall *call)
{
    const TreeTile *from = tile_arg(b, call, 0), *out = tile_out(b, call, 0);
    int64_t c[4];
    for (uint32_t n = 0; n < call->outs[0].size && gathered_from(b, call, n, c); n++)
        memcpy(tile_data(out, &call->outs[0], n), from->data + tree_tile_place_at(from, &call->args[0], c),
               call->outs[0].layout->cells * sizeof(Cell));
}

void tree_adj_tile_gather(TreeBlock *b, const TileCall *call)
{
    const TreeTile *from = tile_arg(b, call, 0), *out = tile_out(b, call, 0);
    int64_t c[4];
    for (uint32_t n = 0; n < call->outs[0].size && gathered_from(b, call, n, c); n++)
        tree_accumulate(from->grad + tree_tile_place_at(from, &call->args[0], c), tile_grad(out, &call->outs[0], n),
                        call->outs[0].layout);
}

/* ---- copies ---- */

void tree_tile_copy(TreeBlock *b, const TileCall *call)
{
    const TreeTile from = *tile_arg(b, call, 0), *to = tile_out(b, call, 0);
    if (!to->data) { /* a view's variable, or a result that nobody takes */
        for (uint32_t lane = 0; lane < b->count; lane++)
            *(TreeTile *)(void *)lane_result(b, lane, call, 0) = from;
        return;
    }
    if (to->data == from.data)
        return;
    for (uint32_t n = 0; n < call->args[0].size; n++)
        memcpy(tile_data(to, &call->outs[0], n), tile_data(&from, &call->args[0], n),
               call->args[0].layout->cells * sizeof(Cell));
}

static void add_gradients(const TreeTile *to, const TileInfo *ti, const TreeTile *from, const TileInfo *fi, bool clear)
{
    if (to->grad == from->grad)
        return;
    for (uint32_t n = 0; n < fi->size; n++) {
        tree_accumulate(tile_grad(to, ti, n), tile_grad(from, fi, n), fi->layout);
        if (clear)
            memset(tile_grad(from, fi, n), 0, fi->layout->cells * sizeof(Cell));
    }
}

void tree_adj_tile_copy(TreeBlock *b, const TileCall *call)
{
    add_gradients(tile_arg(b, call, 0), &call->args[0], tile_out(b, call, 0), &call->outs[0], true);
}

void tree_adj_tile_result(TreeBlock *b, const TileCall *call)
{
    add_gradients(tile_arg(b, call, 0), &call->args[0], tile_out(b, call, 0), &call->outs[0], false);
}

void tree_tile_clear_grad(TreeBlock *b, const TileCall *call)
{
    const TreeTile *tile = tile_arg(b, call, 0);
    for (uint32_t n = 0; n < call->args[0].size; n++)
        memset(tile_grad(tile, &call->args[0], n), 0, call->args[0].layout->cells * sizeof(Cell));
}

static uint32_t chosen(const TreeBlock *b, const TileCall *call, uint32_t n)
{
    return tree_truth(lane_value(b, LANE_OF(b, n), call, 0), call->op->args[0].type) ? 1 : 2;
}

void tree_tile_where(TreeBlock *b, const TileCall *call)
{
    const TreeTile *out = tile_out(b, call, 0);
    for (uint32_t n = 0; n < call->outs[0].size; n++) {
        uint32_t i = chosen(b, call, n);
        memcpy(tile_data(out, &call->outs[0], n), tile_data(tile_arg(b, call, i), &call->args[i], n),
               call->outs[0].layout->cells * sizeof(Cell));
    }
}

void tree_adj_tile_where(TreeBlock *b, const TileCall *call)
{
    const TreeTile *out = tile_out(b, call, 0);
    for (uint32_t n = 0; n < call->outs[0].size; n++) {
        uint32_t i = chosen(b, call, n);
        tree_accumulate(tile_grad(tile_arg(b, call, i), &call->args[i], n), tile_grad(out, &call->outs[0], n),
                        call->outs[0].layout);
    }
}

/* (dst, src, offsets…) */
static bool assigned_place(TreeBlock *b, const TileCall *call, uint32_t n, int64_t *at)
{
    int64_t c[4];
    tree_tile_coordinates(&call->args[1], n, c);
    for (uint32_t i = 0; i < call->args[0].ndim; i++) {
        c[i] += integer_arg(b, LANE_OF(b, n), call, 2 + i);
        if (c[i] < 0 || c[i] >= call->args[0].shape[i]) {
            tree_block_fail(b, call, FINDING_OUT_OF_BOUNDS, "an index is outside the tile");
            return false;
        }
    }
    *at = tree_tile_place_at(tile_arg(b, call, 0), &call->args[0], c);
    return true;
}

void tree_tile_assign(TreeBlock *b, const TileCall *call)
{
    const TreeTile *to = tile_arg(b, call, 0), *from = tile_arg(b, call, 1);
    const TileInfo *info = &call->args[1];
    int64_t at;
    for (uint32_t n = 0; n < info->size && assigned_place(b, call, n, &at); n++)
        memmove(to->data + at, tile_data(from, info, n), info->layout->cells * sizeof(Cell));
}

void tree_adj_tile_assign(TreeBlock *b, const TileCall *call)
{
    const TreeTile *to = tile_arg(b, call, 0), *from = tile_arg(b, call, 1);
    const TileInfo *info = &call->args[1];
    int64_t at;
    for (uint32_t n = 0; n < info->size && assigned_place(b, call, n, &at); n++) {
        tree_accumulate(tile_grad(from, info, n), to->grad + at, info->layout);
        memset(to->grad + at, 0, info->layout->cells * sizeof(Cell));
    }
}

void tree_tile_astype(TreeBlock *b, const TileCall *call)
{
    const TreeTile *from = tile_arg(b, call, 0), *out = tile_out(b, call, 0);
    for (uint32_t n = 0; n < call->args[0].size; n++)
        tree_tile_convert(call, tile_data(from, &call->args[0], n), call->args[0].dtype, &call->outs[0],
                          tile_data(out, &call->outs[0], n));
}

void tree_adj_tile_astype(TreeBlock *b, const TileCall *call)
{
    const TreeTile *from = tile_arg(b, call, 0), *out = tile_out(b, call, 0);
    for (uint32_t n = 0; n < call->args[0].size; n++) {
        Cell grad;
        if (call->args[0].layout->kinds[0] == CELL_INTEGER || call->outs[0].layout->kinds[0] == CELL_INTEGER)
            return;
        grad.real = tile_grad(out, &call->outs[0], n)->real;
        tree_accumulate(tile_grad(from, &call->args[0], n), &grad, call->args[0].layout);
    }
}
