/* Tiles and arrays: what is loaded, stored and added to memory. */
#include "ir/tile_impl.h"

#include <string.h>

static const Type *array_argument(RuleCall *call)
{
    const Type *array = arg_type(call, "a");
    if (array->array.cls != ARRAY_PLAIN && array->array.cls != ARRAY_FIXED)
        fail(call->builder, call->at, "%s() takes an array, not %s", call->builtin->name, repr(call->builder, array));
    return array;
}

/* ---- loads ---- */

static void load_result(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *array = array_argument(call);
    uint32_t shape[TILE_DIMS], ndim = shape_argument(call, "shape", shape);
    if (array->array.ndim != ndim)
        fail(b, call->at, "a tile of %s cannot be loaded from an array of %s", counted(b, ndim, "dimension"),
             counted(b, array->array.ndim, "dimension"));
    check_offset(call, ndim, "the array");
    one_output(call, type_tile(types(call), array->array.dtype, ndim, shape, NULL, storage_argument(call)));
}

void rule_tile_load(RuleCall *call)
{
    truth_argument(call, "bounds_check");
    truth_argument(call, "aligned");
    load_result(call);
}

void dispatch_tile_load(RuleCall *call, Dispatch *out)
{
    const Type *tile = call->outputs[0];
    template_type(out, tile->tile->dtype);
    template_truth(out, truth_argument(call, "bounds_check"));
    template_truth(out, tile->tile->storage == TILE_SHARED && truth_argument(call, "aligned"));
    template_shape(out, tile);
    pass_named(call, out, "a");
    push_offset(call, out, tile->tile->ndim);
}

/* The tile of indices, one for each element of the tile along an axis. */
static uint32_t indices_argument(RuleCall *call, uint32_t ndim)
{
    Builder *b = call->builder;
    const Type *indices = tile_argument(call, "indices");
    force_shared(call, indices);
    uint32_t axis = axis_argument(call, "axis", ndim);
    if (indices->tile->ndim != 1)
        fail(b, call->at, "the indices of %s() must be a tile of one dimension, not %u", call->builtin->name,
             indices->tile->ndim);
    return axis;
}

static void check_indices(RuleCall *call, const Type *tile, uint32_t axis)
{
    uint32_t count = tile_argument(call, "indices")->tile->shape[0];
    if (axis >= tile->tile->ndim || tile->tile->shape[axis] != count)
        fail(call->builder, call->at, "%s: the number of indices is %u, but the tile has the shape %s",
             call->builtin->name, count, shape_text(call->builder, tile->tile));
}

void rule_tile_load_indexed(RuleCall *call)
{
    uint32_t axis = indices_argument(call, array_argument(call)->array.ndim);
    load_result(call);
    check_indices(call, call->outputs[0], axis);
}

void dispatch_tile_load_indexed(RuleCall *call, Dispatch *out)
{
    template_shape(out, call->outputs[0]);
    pass_named(call, out, "a");
    pass_named(call, out, "indices");
    pass_named(call, out, "axis");
    push_offset(call, out, call->outputs[0]->tile->ndim);
}

/* ---- stores ---- */

static const Type *check_store(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *array = array_argument(call), *tile = tile_argument(call, "t");
    check_offset(call, array->array.ndim, "the array");
    if (tile->tile->ndim != array->array.ndim)
        fail(b, call->at, "%s(): a tile of %s does not fit an array of %s", call->builtin->name,
             counted(b, tile->tile->ndim, "dimension"), counted(b, array->array.ndim, "dimension"));
    if (!types_equal(array->array.dtype, tile->tile->dtype))
        fail(b, call->at, "%s(): a tile of %s does not fit an array of %s", call->builtin->name,
             repr(b, tile->tile->dtype), repr(b, array->array.dtype));
    return tile;
}

void rule_tile_store(RuleCall *call)
{
    truth_argument(call, "bounds_check");
    truth_argument(call, "aligned");
    check_store(call);
}

void dispatch_tile_store(RuleCall *call, Dispatch *out)
{
    const Type *tile = tile_argument(call, "t");
    template_type(out, tile->tile->dtype);
    template_truth(out, truth_argument(call, "bounds_check"));
    template_truth(out, tile->tile->storage == TILE_SHARED && truth_argument(call, "aligned"));
    pass_named(call, out, "a");
    push_offset(call, out, tile->tile->ndim);
    pass_named(call, out, "t");
}

void rule_tile_store_indexed(RuleCall *call)
{
    uint32_t axis = indices_argument(call, array_argument(call)->array.ndim);
    check_indices(call, check_store(call), axis);
}

void dispatch_tile_store_indexed(RuleCall *call, Dispatch *out)
{
    pass_named(call, out, "a");
    pass_named(call, out, "indices");
    pass_named(call, out, "axis");
    push_offset(call, out, tile_argument(call, "t")->tile->ndim);
    pass_named(call, out, "t");
}

/* ---- atomic additions ---- */

static void atomic_result(RuleCall *call, const Type *tile)
{
    const Type *dtype = tile->tile->dtype, *scalar = type_scalar_of(dtype);
    if (dtype->kind != TYPE_STRUCT && (!type_is_scalar(scalar) || type_is_narrow(scalar)))
        fail(call->builder, call->at,
             "%s() takes tiles of integers of 32 or 64 bits, or of floats, or of vectors of these, not of %s",
             call->builtin->name, repr(call->builder, dtype));
    one_output(call, type_tile(types(call), dtype, tile->tile->ndim, tile->tile->shape, NULL, tile->tile->storage));
}

void rule_tile_atomic_add(RuleCall *call)
{
    truth_argument(call, "bounds_check");
    atomic_result(call, check_store(call));
}

void dispatch_tile_atomic_add(RuleCall *call, Dispatch *out)
{
    const Type *tile = tile_argument(call, "t");
    template_type(out, tile->tile->dtype);
    template_truth(out, truth_argument(call, "bounds_check"));
    pass_named(call, out, "a");
    push_offset(call, out, tile->tile->ndim);
    pass_named(call, out, "t");
}

void rule_tile_atomic_add_indexed(RuleCall *call)
{
    rule_tile_store_indexed(call);
    atomic_result(call, tile_argument(call, "t"));
}
