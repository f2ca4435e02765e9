/* Tiles: the values of single lanes. */
#include "eval/ast/tile.h"

#include <string.h>

/* Scalars, structs, and whatever keeps its type are elements; of others, their parts are, with the lane as last dimension. */
void tile_of_lanes(TileCall *call)
{
    Evaluator *e = call->e;
    const Datum *x = tile_need(call, "x", 0);
    if (x[0].kind != DATUM_VALUE && x[0].kind != DATUM_STRUCT)
        refuse_tile_call(call, "of this value");
    const Type *type = x[0].type;
    bool whole = type_is_single(type) || type->kind == TYPE_STRUCT || tile_arg_truth(call, "preserve_type", 1, false);
    uint32_t shape[4], ndim = 0;
    if (!whole) {
        shape[ndim++] = type->kind == TYPE_QUAT ? 4 : type->composite.rows;
        if (type->kind == TYPE_MAT)
            shape[ndim++] = type->composite.cols;
        type = type->composite.dtype;
    }
    shape[ndim++] = e->lane_count;
    Tile *tile = new_tile(e, type, ndim, shape, call->x->offset);
    uint32_t parts = tile_size(tile) / e->lane_count;
    for (uint32_t lane = 0; lane < e->lane_count; lane++)
        for (uint32_t i = 0; i < parts; i++)
            memcpy(tile->cells + ((size_t)i * e->lane_count + lane) * tile->width,
                   x[lane].cells + (size_t)i * tile->width, tile->width * sizeof(Dual));
    set_result(e, call->x, tile, call->out);
}

void tile_to_lanes(TileCall *call)
{
    Evaluator *e = call->e;
    const Tile *tile = tile_arg_tile(call, "a", 0);
    if (tile->ndim > 3 || tile->shape[tile->ndim - 1] != e->lane_count)
        refuse_tile_call(call, "its last dimension is not as long as the block");
    const Type *type = tile->type;
    if (tile->ndim == 2)
        type = type_vec(e->unit->types, tile->shape[0], type);
    else if (tile->ndim == 3)
        type = type_mat(e->unit->types, tile->shape[0], tile->shape[1], type);
    uint32_t parts = tile_size(tile) / e->lane_count;
    for (uint32_t lane = 0; lane < e->lane_count; lane++) {
        Dual *cells = new_datum(e, type, parts * tile->width, &call->out[lane]);
        for (uint32_t i = 0; i < parts; i++)
            memcpy(cells + (size_t)i * tile->width, tile_element(tile, i * e->lane_count + lane),
                   tile->width * sizeof(Dual));
    }
}

/* (t, i…, value, has_value[, atomic]): of each lane that has one. */
void tile_scatter(TileCall *call)
{
    Evaluator *e = call->e;
    const Tile *tile = tile_arg_tile(call, "t", 0);
    uint32_t ndim = tile->ndim;
    const Datum *value = tile_need(call, "value", ndim + 1), *has = tile_need(call, "has_value", ndim + 2);
    static const char *const names[] = {"i", "j", "k", "l"};
    for (uint32_t lane = 0; lane < e->lane_count; lane++) {
        int64_t c[4];
        enter_lane(e, lane);
        if (!datum_truth(e, &has[lane], call->x->offset))
            continue;
        for (uint32_t i = 0; i < ndim; i++) {
            c[i] = datum_int(e, &tile_need(call, names[i], i + 1)[lane], call->x->offset);
            if (c[i] < 0 || c[i] >= tile->shape[i])
                stop_run(e, FINDING_OUT_OF_BOUNDS, call->x->offset, "index %lld of %u elements of a tile",
                         (long long)c[i], tile->shape[i]);
        }
        Datum element = element_datum(tile->type, tile_at(tile, c)), result = value[lane];
        if (call->variant)
            combine_elements(e, call->x, OP_ADD, &element, &value[lane], &result);
        store_value(e, &result, element.type, element.cells, call->x->offset);
    }
}

/* ---- stacks ---- */

static TileStack *stack_argument(const TileCall *call)
{
    const Datum *datum = &tile_need(call, "stack", 0)[call->e->lane];
    if (datum->kind != DATUM_STACK)
        refuse_tile_call(call, "it takes a stack");
    return datum->stack;
}

void tile_stack(TileCall *call)
{
    Evaluator *e = call->e;
    int64_t capacity = datum_int(e, &tile_need(call, "capacity", 0)[0], call->x->offset);
    const Type *type = tile_arg_type(call, &tile_need(call, "dtype", 1)[0]);
    if (capacity < 1 || capacity > TILE_MAX_CELLS)
        refuse_tile_call(call, "this capacity");
    TileStack *stack = &call->x->site->stack;
    uint32_t width = cells_of_type(e, type, call->x->offset);
    if (!stack->cells || stack->capacity < capacity || stack->width != width)
        stack->cells = ARENA_ARRAY(e->arena, Dual, (size_t)capacity * width);
    *stack = (TileStack){.cells = stack->cells, .type = type, .width = width, .capacity = (uint32_t)capacity};
    for (uint32_t lane = 0; lane < e->lane_count; lane++)
        call->out[lane] = (Datum){.kind = DATUM_STACK, .type = type, .stack = stack};
}

void tile_stack_push(TileCall *call)
{
    Evaluator *e = call->e;
    TileStack *stack = stack_argument(call);
    const Datum *value = tile_need(call, "value", 1), *has = tile_need(call, "has_value", 2);
    for (uint32_t lane = 0; lane < e->lane_count; lane++) {
        int64_t slot = -1;
        if (datum_truth(e, &has[lane], call->x->offset) && (slot = stack->count++) < stack->capacity)
            store_value(e, &value[lane], stack->type, stack->cells + (size_t)slot * stack->width, call->x->offset);
        new_int_datum(e, TYPE_INT32, slot < stack->capacity ? slot : -1, &call->out[lane]);
    }
    if (stack->count > stack->capacity)
        stack->count = stack->capacity;
}

void tile_stack_pop(TileCall *call)
{
    Evaluator *e = call->e;
    TileStack *stack = stack_argument(call);
    for (uint32_t lane = 0; lane < e->lane_count; lane++) {
        int64_t slot = --stack->count;
        Datum *items = scratch(e, 2 * sizeof *items);
        Dual *cells = new_datum(e, stack->type, stack->width, &items[0]);
        memset(cells, 0, stack->width * sizeof *cells);
        if (slot >= 0)
            memcpy(cells, stack->cells + (size_t)slot * stack->width, stack->width * sizeof *cells);
        new_int_datum(e, TYPE_INT32, slot >= 0 ? slot : -1, &items[1]);
        call->out[lane] = (Datum){.kind = DATUM_TUPLE, .count = 2, .items = items};
    }
    if (stack->count < 0)
        stack->count = 0;
}

void tile_stack_clear(TileCall *call)
{
    stack_argument(call)->count = 0;
}

void tile_stack_count(TileCall *call)
{
    new_int_datum(call->e, TYPE_INT32, stack_argument(call)->count, &call->out[call->e->lane]);
}
