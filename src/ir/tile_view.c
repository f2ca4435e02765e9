/* Views of tiles: parts of their memory, in another shape or order; and copies of a tile's parts. */
#include "ir/tile_impl.h"

#include <string.h>

static void no_dimensions(RuleCall *call, uint32_t ndim)
{
    if (!ndim)
        unsupported(call->builder, call->at, "a tile without dimensions, as %s() gives here, is not supported",
                    call->builtin->name);
}

/* The result's type is the template argument, the tile the only argument. */
void dispatch_tile_result_type(RuleCall *call, Dispatch *out)
{
    template_tile(call, out, call->outputs[0]);
    pass_named(call, out, "t");
}

static void view_by_slices(RuleCall *call, const Type *type, const Eval *items, uint32_t count)
{
    Builder *b = call->builder;
    const TileType *tile = type->tile;
    uint32_t ndim = 0, shape[TILE_DIMS];
    int32_t strides[TILE_DIMS];
    if (bound_named(call, "shape"))
        fail(b, call->at, "tile_view() takes a shape or slices, not both");
    for (uint32_t i = 0; i < tile->ndim; i++) {
        const Type *index = i < count ? eval_type(b, &items[i]) : NULL;
        TileSlice slice = {.step = 1, .length = tile->shape[i]};
        if (index && index->kind != TYPE_SLICE)
            continue;
        if (index)
            slice = tile_slice(b, index, tile->shape[i], call->at);
        if (!slice.length)
            fail(b, call->at, "the slice of axis %u is empty, and a tile cannot be", i);
        shape[ndim] = (uint32_t)slice.length;
        strides[ndim++] = (int32_t)(tile->strides[i] * slice.step);
    }
    one_output(call, view_of(call, type, ndim, shape, strides));
}

void rule_tile_view(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *type = tile_argument(call, "t");
    const TileType *tile = type->tile;
    uint32_t count, shape[TILE_DIMS];
    bool sliced = false;
    const Eval *items = tuple_items(call, &bound_named(call, "offset")->eval, &count);
    if (!items)
        unsupported(b, call->at, "the offset of tile_view() must be a tuple that is written in the kernel");
    if (count > tile->ndim)
        fail(b, call->at, "tile_view() has %u offsets for a tile of %s", count, counted(b, tile->ndim, "dimension"));
    for (uint32_t i = 0; i < count; i++) {
        const Type *index = eval_type(b, &items[i]);
        int64_t value;
        bool is_slice = index && index->kind == TYPE_SLICE;
        if (!index || (!is_slice && !type_is_int(index)))
            fail(b, call->at, "an offset of tile_view() must be an integer or a slice, not %s",
                 eval_repr(b, &items[i]));
        sliced |= is_slice;
        if (!is_slice && constant_int(&items[i], &value) && (value < 0 || value >= tile->shape[i]))
            fail_hint(b, call->at, "negative offsets count from the end in subscripts only: t[-1]",
                      "the offset %lld of tile_view() is out of bounds for axis %u with size %u", (long long)value, i,
                      tile->shape[i]);
    }
    force_shared(call, type);
    if (sliced) {
        view_by_slices(call, type, items, count);
        return;
    }
    if (!bound_named(call, "shape")) {
        no_dimensions(call, tile->ndim - count);
        one_output(call, view_of(call, type, tile->ndim - count, tile->shape + count, tile->strides + count));
        return;
    }
    uint32_t ndim = shape_argument(call, "shape", shape);
    if (ndim != tile->ndim)
        fail(b, call->at, "the shape of tile_view() must have as many dimensions as the tile: it has %u, not %u", ndim,
             tile->ndim);
    one_output(call, view_of(call, type, ndim, shape, tile->strides));
}

void dispatch_tile_view(RuleCall *call, Dispatch *out)
{
    const TileType *tile = tile_argument(call, "t")->tile;
    uint32_t count;
    const Eval *items = tuple_items(call, &bound_named(call, "offset")->eval, &count);
    template_tile(call, out, call->outputs[0]);
    pass_named(call, out, "t");
    for (uint32_t i = 0; i < tile->ndim; i++)
        if (i >= count)
            pass_int(call, out, 0);
        else if (eval_type(call->builder, &items[i])->kind == TYPE_SLICE)
            pass_int(call, out,
                     tile_slice(call->builder, eval_type(call->builder, &items[i]), tile->shape[i], call->at).start);
        else
            pass(call, out, items[i]);
}

void rule_tile_slice_indexed(RuleCall *call)
{
    unsupported(call->builder, call->at, "tile_slice_indexed() is written as a subscript: t[indices]");
}

void dispatch_tile_slice_indexed(RuleCall *call, Dispatch *out)
{
    (void)call;
    (void)out;
}

/* ---- other shapes ---- */

void rule_tile_squeeze(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *type = tile_argument(call, "t");
    const TileType *tile = type->tile;
    const Bound *axes = bound_named(call, "axis");
    uint32_t count = 0, ndim = 0, shape[TILE_DIMS];
    int32_t strides[TILE_DIMS];
    bool removed[TILE_DIMS];
    const Eval *items = axes ? tuple_items(call, &axes->eval, &count) : NULL;
    for (uint32_t i = 0; i < tile->ndim; i++)
        removed[i] = !axes && tile->shape[i] == 1;
    for (uint32_t i = 0; i < count; i++) {
        int64_t axis;
        if (!items || !constant_int(&items[i], &axis))
            fail(b, call->at, "the axes of tile_squeeze() must be compile-time constants");
        axis += axis < 0 ? tile->ndim : 0;
        if (axis < 0 || axis >= tile->ndim)
            fail(b, call->at, "tile_squeeze() axis %lld is out of bounds for a tile with %s", (long long)axis,
                 counted(b, tile->ndim, "dimension"));
        if (tile->shape[axis] != 1)
            fail(b, call->at, "an axis of another size than 1 cannot be squeezed out: axis %lld has size %u",
                 (long long)axis, tile->shape[axis]);
        removed[axis] = true;
    }
    for (uint32_t i = 0; i < tile->ndim; i++)
        if (!removed[i]) {
            shape[ndim] = tile->shape[i];
            strides[ndim++] = tile->strides[i];
        }
    no_dimensions(call, ndim);
    force_shared(call, type);
    one_output(call, view_of(call, type, ndim, shape, strides));
}

void rule_tile_reshape(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *type = tile_argument(call, "t");
    uint32_t shape[TILE_DIMS], ndim = shape_argument(call, "shape", shape), size = type_tile_size(type);
    uint32_t open = UINT32_MAX, known = 1;
    if (!type_tile_is_dense(type))
        fail_hint(b, call->at, "copy the view into a new tile first, with wp.tile_assign()",
                  "tile_reshape() needs a contiguous tile, and a view of shape %s is not one",
                  shape_text(b, type->tile));
    for (uint32_t i = 0; i < ndim; i++) {
        if (shape[i] == UINT32_MAX && open != UINT32_MAX)
            fail(b, call->at, "only one dimension of a shape can be -1");
        if (shape[i] == UINT32_MAX)
            open = i;
        else
            known *= shape[i];
    }
    if (open != UINT32_MAX)
        shape[open] = size / known;
    if (open != UINT32_MAX ? size % known != 0 || size < known : size != known)
        fail(b, call->at, "the new shape has %u elements, and the tile %u", known, size);
    no_dimensions(call, ndim);
    force_shared(call, type);
    one_output(call, view_of(call, type, ndim, shape, NULL));
}

void rule_tile_transpose(RuleCall *call)
{
    const Type *type = tile_argument(call, "a");
    const TileType *tile = type->tile;
    uint32_t shape[TILE_DIMS];
    int32_t strides[TILE_DIMS];
    for (uint32_t i = 0; i < tile->ndim; i++) {
        shape[i] = tile->shape[tile->ndim - 1 - i];
        strides[i] = tile->strides[tile->ndim - 1 - i];
    }
    force_shared(call, type);
    one_output(call, view_of(call, type, tile->ndim, shape, strides));
    call->outputs[0]->tile->column_major = !tile->column_major;
}

void rule_tile_broadcast(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *type = tile_argument(call, "a");
    const TileType *tile = type->tile;
    uint32_t shape[TILE_DIMS], ndim = shape_argument(call, "shape", shape);
    int32_t strides[TILE_DIMS];
    if (ndim < tile->ndim)
        fail(b, call->at, "a tile of %s cannot be broadcast to %u", counted(b, tile->ndim, "dimension"), ndim);
    for (uint32_t i = 0; i < ndim; i++) {
        uint32_t missing = ndim - tile->ndim, size = i < missing ? 1 : tile->shape[i - missing];
        if (size != 1 && size != shape[i])
            fail(b, call->at, "tile_broadcast() cannot broadcast dimension %u into %u at index %u", size, shape[i], i);
        strides[i] = size == 1 ? 0 : tile->strides[i - missing];
    }
    force_shared(call, type);
    one_output(call, view_of(call, type, ndim, shape, strides));
    call->outputs[0]->tile->column_major = false;
}

void dispatch_tile_broadcast(RuleCall *call, Dispatch *out)
{
    const TileType *tile = call->outputs[0]->tile;
    template_shape(out, call->outputs[0]);
    for (uint32_t i = 0; i < tile->ndim; i++)
        template_number(out, tile->strides[i]);
    pass_named(call, out, "a");
}

/* ---- copies ---- */

void rule_tile_astype(RuleCall *call)
{
    one_output(call, tile_like(call, tile_argument(call, "t"), arg_dtype(call, "dtype")));
}

void rule_tile_assign(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *to = tile_argument(call, "dst"), *from = tile_argument(call, "src");
    if (to->tile->ndim != from->tile->ndim)
        fail(b, call->at, "tile_assign(): a tile of %s cannot be assigned to one of %u",
             counted(b, from->tile->ndim, "dimension"), to->tile->ndim);
    check_offset(call, to->tile->ndim, "the tile");
    for (uint32_t i = 0; !bound_named(call, "offset") && i < to->tile->ndim; i++)
        if (from->tile->shape[i] > to->tile->shape[i])
            fail(b, call->at, "tile_assign(): a tile of shape %s does not fit into one of shape %s",
                 shape_text(b, from->tile), shape_text(b, to->tile));
    force_shared(call, to);
}

void dispatch_tile_assign(RuleCall *call, Dispatch *out)
{
    pass_named(call, out, "dst");
    pass_named(call, out, "src");
    push_offset(call, out, tile_argument(call, "dst")->tile->ndim);
}
