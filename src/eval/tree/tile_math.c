/* Tiles: single elements, element by element, reductions, scans, sorting, stacks. */
#include "eval/tree/tile.h"

#include <string.h>

#define LANE_OF(b, n) ((n) % (b)->count)

static CellKind kind_of(const TileInfo *info)
{
    return (CellKind)info->layout->kinds[0];
}

/* ---- single elements: (t, i…[, component…][, value…]) ---- */

/* The cells that the indices of a lane name, counted from the beginning of the tile; -1: outside. */
static int64_t element_place(TreeBlock *b, uint32_t lane, const TileCall *call, uint32_t indices, uint32_t *width)
{
    const TreeTile *tile = tile_arg(b, call, 0);
    const TileInfo *info = &call->args[0];
    int64_t c[4];
    uint32_t k = 0;
    for (; k < info->ndim; k++) {
        c[k] = lane_value(b, lane, call, 1 + k)->integer;
        if (c[k] < 0 || c[k] >= info->shape[k]) {
            tree_block_fail(b, call, FINDING_OUT_OF_BOUNDS, "an index is outside the tile");
            return -1;
        }
    }
    int64_t at = tree_tile_place_at(tile, info, c);
    *width = info->layout->cells;
    for (; k < indices; k++) {
        bool row = info->dtype->kind == TYPE_MAT && k == info->ndim;
        uint32_t cols = row ? info->dtype->composite.cols : 1, length = *width / cols;
        int64_t i = lane_value(b, lane, call, 1 + k)->integer;
        i += i < 0 ? length : 0;
        if (i < 0 || i >= length) {
            tree_block_fail(b, call, FINDING_OUT_OF_BOUNDS, "an index is outside the element of a tile");
            return -1;
        }
        at += i * cols;
        *width = cols;
    }
    return at;
}

static void add_cells(const TileInfo *info, Cell *to, const Cell *more, uint32_t width)
{
    CellKind kind = kind_of(info);
    for (uint32_t i = 0; i < width; i++)
        if (width == info->layout->cells && info->layout->kinds[i] < CELL_INTEGER)
            to[i].real = tree_round(to[i].real + more[i].real, (CellKind)info->layout->kinds[i]);
        else if (width != info->layout->cells && kind < CELL_INTEGER)
            to[i].real = tree_round(to[i].real + more[i].real, kind);
}

void tree_tile_extract(TreeBlock *b, const TileCall *call)
{
    uint32_t width;
    int64_t at = element_place(b, 0, call, call->op->arg_count - 1, &width);
    if (at >= 0)
        memcpy(lane_result(b, 0, call, 0), tile_arg(b, call, 0)->data + at, width * sizeof(Cell));
}

void tree_adj_tile_extract(TreeBlock *b, const TileCall *call)
{
    uint32_t width;
    int64_t at = element_place(b, 0, call, call->op->arg_count - 1, &width);
    if (at >= 0)
        add_cells(&call->args[0], tile_arg(b, call, 0)->grad + at, lane_adj_result(b, 0, call, 0), width);
}

static bool is_whole(const TileCall *call)
{
    return call->op->arg_count == 2 && call->args[1].size;
}

void tree_tile_store_element(TreeBlock *b, const TileCall *call)
{
    const TreeTile *tile = tile_arg(b, call, 0);
    uint32_t last = call->op->arg_count - 1, width;
    if (is_whole(call)) { /* assign(t, u) */
        const TreeTile *from = tile_arg(b, call, 1);
        for (uint32_t n = 0; tile->data != from->data && n < call->args[0].size; n++)
            memcpy(tile_data(tile, &call->args[0], n), tile_data(from, &call->args[1], n),
                   call->args[0].layout->cells * sizeof(Cell));
        return;
    }
    for (uint32_t lane = 0; lane < b->count; lane++) {
        int64_t at = element_place(b, lane, call, last - 1, &width);
        if (at < 0)
            return;
        memcpy(tile->data + at, lane_value(b, lane, call, last), width * sizeof(Cell));
    }
}

/* Of a tile in registers, the gradient of the source is replaced; shared memory adds to it. */
static void adj_assign_whole(TreeBlock *b, const TileCall *call)
{
    const TreeTile *to = tile_arg(b, call, 0), *from = tile_arg(b, call, 1);
    size_t bytes = call->args[0].layout->cells * sizeof(Cell);
    bool registers = !call->args[0].shared && !call->args[1].shared;
    for (uint32_t n = 0; to->grad != from->grad && n < call->args[0].size; n++) {
        Cell *source = tile_grad(from, &call->args[1], n), *target = tile_grad(to, &call->args[0], n);
        if (registers)
            memcpy(source, target, bytes);
        else
            tree_accumulate(source, target, call->args[0].layout);
        memset(target, 0, bytes);
    }
}

void tree_adj_tile_store_element(TreeBlock *b, const TileCall *call)
{
    const TreeTile *tile = tile_arg(b, call, 0);
    uint32_t last = call->op->arg_count - 1, width;
    if (is_whole(call)) {
        adj_assign_whole(b, call);
        return;
    }
    for (uint32_t lane = 0; lane < b->count; lane++) {
        int64_t at = element_place(b, lane, call, last - 1, &width);
        if (at < 0)
            return;
        add_cells(&call->args[0], lane_adjoint(b, lane, call, last), tile->grad + at, width);
        if (call->dialect->tile_assign_clears)
            memset(tile->grad + at, 0, width * sizeof(Cell));
    }
}

void tree_tile_update(TreeBlock *b, const TileCall *call)
{
    const TreeTile *tile = tile_arg(b, call, 0);
    const TileInfo *info = &call->args[0];
    uint32_t last = call->op->arg_count - 1, width;
    for (uint32_t n = 0; is_whole(call) && n < info->size; n++)
        tree_tile_combine_cells(info, call->variant, tile_data(tile, info, n),
                                tile_data(tile_arg(b, call, 1), &call->args[1], n));
    for (uint32_t lane = 0; !is_whole(call) && lane < b->count; lane++) {
        int64_t at = element_place(b, lane, call, last - 1, &width);
        if (at < 0)
            return;
        tree_tile_combine_cells(info, call->variant, tile->data + at, lane_value(b, lane, call, last));
    }
}

static void add_signed(const TileInfo *info, int sign, Cell *to, const Cell *more)
{
    for (uint32_t i = 0; i < info->layout->cells; i++)
        if (info->layout->kinds[i] < CELL_INTEGER)
            to[i].real = tree_round(to[i].real + sign * more[i].real, (CellKind)info->layout->kinds[i]);
}

void tree_adj_tile_update(TreeBlock *b, const TileCall *call)
{
    const TreeTile *tile = tile_arg(b, call, 0);
    const TileInfo *info = &call->args[0];
    uint32_t last = call->op->arg_count - 1, width;
    for (uint32_t n = 0; is_whole(call) && n < info->size; n++)
        add_signed(info, call->variant, tile_grad(tile_arg(b, call, 1), &call->args[1], n), tile_grad(tile, info, n));
    for (uint32_t lane = 0; !is_whole(call) && lane < b->count; lane++) {
        int64_t at = element_place(b, lane, call, last - 1, &width);
        if (at < 0)
            return;
        add_signed(info, call->variant, lane_adjoint(b, lane, call, last), tile->grad + at);
    }
}

static void update_bits(int kind, Cell *cell, int64_t value, TypeKind type)
{
    int64_t old = cell->integer;
    cell->integer = tree_wrap(kind == ATOMIC_AND ? old & value : kind == ATOMIC_OR ? old | value : old ^ value, type);
}

void tree_tile_update_bits(TreeBlock *b, const TileCall *call)
{
    const TreeTile *tile = tile_arg(b, call, 0);
    const TileInfo *info = &call->args[0];
    uint32_t last = call->op->arg_count - 1, width;
    for (uint32_t n = 0; is_whole(call) && n < info->size; n++)
        update_bits(call->variant, tile_data(tile, info, n),
                    tile_data(tile_arg(b, call, 1), &call->args[1], n)->integer, info->dtype->kind);
    for (uint32_t lane = 0; !is_whole(call) && lane < b->count; lane++) {
        int64_t at = element_place(b, lane, call, last - 1, &width);
        if (at < 0)
            return;
        update_bits(call->variant, tile->data + at, lane_value(b, lane, call, last)->integer, info->dtype->kind);
    }
}

/* (t, i…, value, has_value) */
void tree_tile_scatter(TreeBlock *b, const TileCall *call)
{
    const TreeTile *tile = tile_arg(b, call, 0);
    const TileInfo *info = &call->args[0];
    uint32_t value = info->ndim + 1, width;
    for (uint32_t lane = 0; lane < b->count; lane++) {
        if (!lane_value(b, lane, call, value + 1)->integer)
            continue;
        int64_t at = element_place(b, lane, call, info->ndim, &width);
        if (at < 0)
            return;
        if (call->variant)
            tree_tile_combine_cells(info, 1, tile->data + at, lane_value(b, lane, call, value));
        else
            memcpy(tile->data + at, lane_value(b, lane, call, value), width * sizeof(Cell));
    }
}

void tree_adj_tile_scatter(TreeBlock *b, const TileCall *call)
{
    const TreeTile *tile = tile_arg(b, call, 0);
    const TileInfo *info = &call->args[0];
    uint32_t value = info->ndim + 1, width;
    for (uint32_t lane = 0; lane < b->count; lane++) {
        if (!lane_value(b, lane, call, value + 1)->integer)
            continue;
        int64_t at = element_place(b, lane, call, info->ndim, &width);
        if (at < 0)
            return;
        add_cells(info, lane_adjoint(b, lane, call, value), tile->grad + at, width);
        if (!call->variant)
            memset(tile->grad + at, 0, width * sizeof(Cell));
    }
}

/* ---- element by element ---- */

static void operands(const TreeBlock *b, const TileCall *call, uint32_t n, const Cell **in, Cell **adjoints)
{
    uint32_t first = call->variant ? 1 : 0; /* after a function */
    for (uint32_t i = first; i < call->op->arg_count; i++) {
        const TileInfo *info = &call->args[i];
        uint32_t lane = LANE_OF(b, n);
        in[i - first] = info->size ? tile_data(tile_arg(b, call, i), info, n) : lane_value(b, lane, call, i);
        if (adjoints)
            adjoints[i - first] =
                info->size ? tile_grad(tile_arg(b, call, i), info, n) : lane_adjoint(b, lane, call, i);
    }
}

/* Sums of structs, field by field. */
static void combine_structs(TreeBlock *b, const TileCall *call, uint32_t n)
{
    const TileInfo *info = &call->outs[0];
    Cell *out = tile_data(tile_out(b, call, 0), info, n);
    const Cell *in[TILE_MAX_ARGS];
    operands(b, call, n, in, NULL);
    bool negated = !strcmp(call->name, "tile_neg");
    if (negated)
        memset(out, 0, info->layout->cells * sizeof *out);
    else
        memcpy(out, in[0], info->layout->cells * sizeof *out);
    tree_tile_combine_cells(info, strcmp(call->name, "tile_add") ? -1 : 1, out, in[negated ? 0 : 1]);
}

void tree_tile_map(TreeBlock *b, const TileCall *call)
{
    const TreeTile *out = tile_out(b, call, 0);
    const TileInfo *info = &call->outs[0];
    for (uint32_t n = 0; n < info->size; n++) {
        const Cell *in[TILE_MAX_ARGS];
        if (!call->element) {
            combine_structs(b, call, n);
            continue;
        }
        operands(b, call, n, in, NULL);
        tree_element_forward(b, LANE_OF(b, n), call->element, in, tile_data(out, info, n));
        if (b->lanes[0].m.finding->kind != FINDING_NONE)
            return;
    }
}

void tree_adj_tile_map(TreeBlock *b, const TileCall *call)
{
    const TreeTile *out = tile_out(b, call, 0);
    const TileInfo *info = &call->outs[0];
    for (uint32_t n = 0; n < info->size; n++) {
        const Cell *in[TILE_MAX_ARGS];
        Cell *adjoints[TILE_MAX_ARGS];
        operands(b, call, n, in, adjoints);
        if (call->element) {
            tree_element_reverse(b, LANE_OF(b, n), call->element, in, tile_grad(out, info, n), adjoints);
            continue;
        }
        bool sums = !strcmp(call->name, "tile_add");
        bool negated = !strcmp(call->name, "tile_neg");
        add_signed(info, negated ? -1 : 1, adjoints[0], tile_grad(out, info, n));
        if (!negated)
            add_signed(info, sums ? 1 : -1, adjoints[1], tile_grad(out, info, n));
    }
}

/* ---- reductions ---- */

/* total = total (+) more */
static void fold(TreeBlock *b, const TileCall *call, const TileInfo *info, Cell *total, const Cell *more)
{
    if (!call->element) {
        tree_tile_combine_cells(info, 1, total, more);
        return;
    }
    const Cell *in[2] = {total, more};
    tree_element_forward(b, 0, call->element, in, total);
}

/* Each lane's elements in order, then the lanes. */
static void fold_all(TreeBlock *b, const TileCall *call, const TreeTile *tile, const TileInfo *info, Cell *total)
{
    Cell part[TILE_MAX_CELLS];
    size_t bytes = info->layout->cells * sizeof *part;
    for (uint32_t lane = 0; lane < b->count && lane < info->size; lane++) {
        memcpy(part, tile_data(tile, info, lane), bytes);
        for (uint32_t n = lane + b->count; n < info->size; n += b->count)
            fold(b, call, info, part, tile_data(tile, info, n));
        if (lane)
            fold(b, call, info, total, part);
        else
            memcpy(total, part, bytes);
    }
}

/* The n-th element of the result, and its coordinates with a zero on the axis. */
static void line_start(const TileInfo *info, const TileInfo *result, uint32_t axis, uint32_t n, int64_t *c)
{
    int64_t rest[4] = {0};
    if (info->ndim > 1)
        tree_tile_coordinates(result, n, rest);
    for (uint32_t i = 0, k = 0; i < info->ndim; i++)
        c[i] = i == axis ? 0 : rest[k++];
}

static void fold_axis(TreeBlock *b, const TileCall *call, uint32_t source, uint32_t axis)
{
    const TreeTile *tile = tile_arg(b, call, source), *out = tile_out(b, call, 0);
    const TileInfo *info = &call->args[source], *result = &call->outs[0];
    for (uint32_t n = 0; n < result->size; n++) {
        int64_t c[4];
        Cell *total = tile_data(out, result, n);
        line_start(info, result, axis, n, c);
        memcpy(total, tile->data + tree_tile_place_at(tile, info, c), info->layout->cells * sizeof *total);
        for (c[axis] = 1; c[axis] < info->shape[axis]; c[axis]++)
            fold(b, call, info, total, tile->data + tree_tile_place_at(tile, info, c));
    }
}

void tree_tile_sum(TreeBlock *b, const TileCall *call)
{
    if (call->call->template_count)
        fold_axis(b, call, 0, (uint32_t)call->call->template_args[0].number);
    else
        fold_all(b, call, tile_arg(b, call, 0), &call->args[0], tile_out(b, call, 0)->data);
}

/* Before 1.19, Warp's reverse function does not know of the axis: the first gradient goes everywhere. */
void tree_adj_tile_sum(TreeBlock *b, const TileCall *call)
{
    const TreeTile *tile = tile_arg(b, call, 0), *out = tile_out(b, call, 0);
    const TileInfo *info = &call->args[0], *result = &call->outs[0];
    bool by_axis = call->variant && call->call->template_count;
    uint32_t axis = by_axis ? (uint32_t)call->call->template_args[0].number : 0;
    if (!by_axis) {
        for (uint32_t n = 0; n < info->size; n++)
            tree_accumulate(tile_grad(tile, info, n), out->grad, info->layout);
        return;
    }
    for (uint32_t n = 0; n < result->size; n++) {
        int64_t c[4];
        line_start(info, result, axis, n, c);
        for (c[axis] = 0; c[axis] < info->shape[axis]; c[axis]++)
            tree_accumulate(tile->grad + tree_tile_place_at(tile, info, c), tile_grad(out, result, n), info->layout);
    }
}

/* (function, tile[, axis, …]) */
void tree_tile_reduce(TreeBlock *b, const TileCall *call)
{
    if (call->variant)
        fold_axis(b, call, 1, (uint32_t)lane_value(b, 0, call, 2)->integer);
    else
        fold_all(b, call, tile_arg(b, call, 1), &call->args[1], tile_out(b, call, 0)->data);
}

static bool is_less(const TileInfo *info, const Cell *a, const Cell *b)
{
    if (kind_of(info) != CELL_INTEGER)
        return a->real < b->real;
    return info->dtype->kind == TYPE_UINT64 ? (uint64_t)a->integer < (uint64_t)b->integer : a->integer < b->integer;
}

void tree_tile_extreme(TreeBlock *b, const TileCall *call)
{
    const TreeTile *tile = tile_arg(b, call, 0), *out = tile_out(b, call, 0);
    const TileInfo *info = &call->args[0];
    PathSum *sum = b->lanes[0].m.path_sum;
    uint32_t best = 0;
    for (uint32_t n = 1; n < info->size; n++) {
        const Cell *a = tile_data(tile, info, n), *c = tile_data(tile, info, best);
        if (sum && kind_of(info) != CELL_INTEGER)
            path_sum_numbers(sum, a->real, c->real);
        if (call->variant & 1 ? is_less(info, c, a) : is_less(info, a, c))
            best = n;
    }
    if (call->variant >= 2)
        out->data->integer = best;
    else
        *out->data = *tile_data(tile, info, best);
}

void tree_tile_dot(TreeBlock *b, const TileCall *call)
{
    const TreeTile *x = tile_arg(b, call, 0), *y = tile_arg(b, call, 1);
    const TileInfo *info = &call->args[0];
    CellKind kind = kind_of(info);
    double total = 0;
    for (uint32_t lane = 0; lane < b->count; lane++) {
        double part = 0;
        for (uint32_t n = lane; n < info->size; n += b->count) {
            double sum = 0;
            for (uint32_t i = 0; i < info->layout->cells; i++)
                sum = tree_round(
                    sum + tree_round(tile_data(x, info, n)[i].real * tile_data(y, &call->args[1], n)[i].real, kind),
                    kind);
            part = tree_round(part + sum, kind);
        }
        total = tree_round(total + part, kind);
    }
    tile_out(b, call, 0)->data->real = total;
}

void tree_adj_tile_dot(TreeBlock *b, const TileCall *call)
{
    const TreeTile *x = tile_arg(b, call, 0), *y = tile_arg(b, call, 1);
    const TileInfo *ix = &call->args[0], *iy = &call->args[1];
    CellKind kind = kind_of(ix);
    double grad = tile_out(b, call, 0)->grad->real;
    for (uint32_t n = 0; n < ix->size; n++)
        for (uint32_t i = 0; i < ix->layout->cells; i++) {
            Cell *gx = &tile_grad(x, ix, n)[i], *gy = &tile_grad(y, iy, n)[i];
            gx->real = tree_round(gx->real + grad * tile_data(y, iy, n)[i].real, kind);
            gy->real = tree_round(gy->real + grad * tile_data(x, ix, n)[i].real, kind);
        }
}

/* (alpha, src, dest) */
void tree_tile_axpy(TreeBlock *b, const TileCall *call)
{
    const TreeTile *from = tile_arg(b, call, 1), *to = tile_arg(b, call, 2);
    CellKind kind = kind_of(&call->args[1]);
    for (uint32_t n = 0; n < call->args[1].size; n++)
        for (uint32_t i = 0; i < call->args[1].layout->cells; i++) {
            Cell *cell = &tile_data(to, &call->args[2], n)[i];
            double alpha = lane_value(b, LANE_OF(b, n), call, 0)->real;
            cell->real =
                tree_round(cell->real + tree_round(alpha * tile_data(from, &call->args[1], n)[i].real, kind), kind);
        }
}

void tree_adj_tile_axpy(TreeBlock *b, const TileCall *call)
{
    const TreeTile *from = tile_arg(b, call, 1), *to = tile_arg(b, call, 2);
    CellKind kind = kind_of(&call->args[1]);
    double alpha_grad = 0;
    for (uint32_t n = 0; n < call->args[1].size; n++)
        for (uint32_t i = 0; i < call->args[1].layout->cells; i++) {
            double grad = tile_grad(to, &call->args[2], n)[i].real;
            Cell *cell = &tile_grad(from, &call->args[1], n)[i];
            cell->real = tree_round(cell->real + lane_value(b, LANE_OF(b, n), call, 0)->real * grad, kind);
            alpha_grad += grad * tile_data(from, &call->args[1], n)[i].real;
        }
    Cell *alpha = lane_adjoint(b, 0, call, 0); /* all of it is the first lane's */
    alpha->real = tree_round(alpha->real + alpha_grad, kind);
}

/* ---- scans and sorting ---- */

void tree_tile_scan(TreeBlock *b, const TileCall *call)
{
    enum { INCLUSIVE, EXCLUSIVE, MAX, MIN };
    const TreeTile *tile = tile_arg(b, call, 0), *out = tile_out(b, call, 0);
    const TileInfo *info = &call->args[0];
    Cell sum = {.integer = 0};
    for (uint32_t n = 0; n < info->size; n++) {
        Cell value = *tile_data(tile, info, n), before = sum;
        bool extreme = call->variant >= MAX;
        if (!extreme)
            tree_tile_combine_cells(info, 1, &sum, &value);
        else if (n == 0 || (call->variant == MAX ? is_less(info, &sum, &value) : is_less(info, &value, &sum)))
            sum = value;
        *tile_data(out, &call->outs[0], n) = call->variant == EXCLUSIVE ? before : sum;
    }
}

static void swap_cells(Cell *a, Cell *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        Cell kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

/* By insertion: equal keys keep their order. */
void tree_tile_sort(TreeBlock *b, const TileCall *call)
{
    const TreeTile *keys = tile_arg(b, call, 0), *values = tile_arg(b, call, 1);
    const TileInfo *ki = &call->args[0], *vi = &call->args[1];
    for (uint32_t n = 1; n < ki->size; n++)
        for (uint32_t k = n; k && is_less(ki, tile_data(keys, ki, k), tile_data(keys, ki, k - 1)); k--) {
            swap_cells(tile_data(keys, ki, k), tile_data(keys, ki, k - 1), 1);
            swap_cells(tile_data(values, vi, k), tile_data(values, vi, k - 1), vi->layout->cells);
        }
}

/* ---- stacks ---- */

static TreeStack *stack_of(const TreeBlock *b, const TileCall *call)
{
    return (TreeStack *)(void *)(call->variant ? lane_result(b, 0, call, 0) : lane_value(b, 0, call, 0));
}

void tree_tile_stack_clear(TreeBlock *b, const TileCall *call)
{
    stack_of(b, call)->count->integer = 0;
}

void tree_tile_stack_count(TreeBlock *b, const TileCall *call)
{
    lane_result(b, 0, call, 0)->integer = stack_of(b, call)->count->integer;
}

void tree_tile_stack_push(TreeBlock *b, const TileCall *call)
{
    TreeStack *stack = stack_of(b, call);
    const TileInfo *info = &call->args[0];
    int64_t *count = &stack->count->integer, capacity = info->shape[0];
    for (uint32_t lane = 0; lane < b->count; lane++) {
        int64_t slot = -1;
        if (lane_value(b, lane, call, 2)->integer && (slot = (*count)++) < capacity)
            tree_tile_convert(call, lane_value(b, lane, call, 1), call->op->args[1].type, info,
                              stack->data + slot * info->layout->cells);
        if (call->op->out_count)
            lane_result(b, lane, call, 0)->integer = slot < capacity ? slot : -1;
    }
    *count = *count > capacity ? capacity : *count;
}

void tree_tile_stack_pop(TreeBlock *b, const TileCall *call)
{
    TreeStack *stack = stack_of(b, call);
    const TileInfo *info = &call->args[0];
    int64_t *count = &stack->count->integer;
    for (uint32_t lane = 0; lane < b->count; lane++) {
        int64_t slot = --*count;
        Cell *out = lane_result(b, lane, call, 0);
        memset(out, 0, info->layout->cells * sizeof *out);
        if (slot >= 0)
            memcpy(out, stack->data + slot * info->layout->cells, info->layout->cells * sizeof *out);
        lane_result(b, lane, call, 1)->integer = slot >= 0 ? slot : -1;
    }
    *count = *count < 0 ? 0 : *count;
}
