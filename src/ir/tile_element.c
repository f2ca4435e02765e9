/* Elements of tiles: read, stored, updated. Whatever reaches for one needs the tile in shared memory. */
#include "ir/tile_impl.h"

#include <string.h>

static uint32_t index_count(const RuleCall *call)
{
    uint32_t count = 0;
    for (const char *name = "i\0j\0k\0l\0m\0n\0"; *name; name += 2)
        count += bound_named(call, name) != NULL;
    return count;
}

static _Noreturn void fail_index_count(RuleCall *call, const Type *tile, uint32_t count)
{
    Builder *b = call->builder;
    fail(b, call->at, "%u %s for a tile of shape %s", count, count == 1 ? "index" : "indices",
         shape_text(b, tile->tile));
}

/* What so many indices lead to: an element, or a part of one. */
static const Type *indexed_type(RuleCall *call, const Type *tile, uint32_t count)
{
    const Type *dtype = tile->tile->dtype;
    uint32_t more = count - tile->tile->ndim;
    bool rows = call->builder->unit->dialect->tile_matrix_rows;
    if (count < tile->tile->ndim)
        fail_index_count(call, tile, count);
    if (more == 0)
        return dtype;
    if ((more == 1 && dtype->kind == TYPE_VEC) || (more == 2 && dtype->kind == TYPE_MAT))
        return type_scalar_of(dtype);
    if (more == 1 && dtype->kind == TYPE_MAT && rows)
        return type_vec(types(call), dtype->composite.cols, dtype->composite.dtype);
    fail_index_count(call, tile, count);
}

void rule_tile_extract(RuleCall *call)
{
    const Type *tile = tile_argument(call, "a");
    force_shared(call, tile);
    one_output(call, indexed_type(call, tile, index_count(call)));
}

void rule_tile_store_element(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *tile = tile_argument(call, "dst"), *dtype = tile->tile->dtype, *value = arg_type(call, "src");
    uint32_t count = index_count(call);
    bool row = dtype->kind == TYPE_MAT && count == tile->tile->ndim + 1;
    if (row && b->unit->dialect->tile_matrix_rows && !types_equal(value, indexed_type(call, tile, count)))
        fail(b, call->at, "a row of %s cannot be assigned a value of type %s", repr(b, dtype), repr(b, value));
    force_shared(call, tile);
}

void rule_tile_update_element(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *tile = tile_argument(call, "a"), *value = arg_type(call, "value");
    bool bits = call->builtin->flags & BUILTIN_NO_ADJOINT;
    if (bits && tile->tile->dtype->kind == TYPE_STRUCT)
        fail(b, call->at, "the elements of a tile of structs have no bits to combine");
    if (!value || !types_equal(tile->tile->dtype, value))
        fail(b, call->at, "an element of a tile of %s cannot be updated with a value of type %s",
             repr(b, tile->tile->dtype), value ? repr(b, value) : "a function");
    force_shared(call, tile);
}

void rule_tile_scatter(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *tile = tile_argument(call, "a"), *value = arg_type(call, "value");
    force_shared(call, tile);
    if (index_count(call) != tile->tile->ndim)
        fail_index_count(call, tile, index_count(call));
    if (!value || !types_equal(tile->tile->dtype, value))
        fail(b, call->at, "the value of %s() must be of the type of the tile's elements, %s, not %s",
             call->builtin->name, repr(b, tile->tile->dtype), value ? repr(b, value) : "a function");
}

void dispatch_tile_scatter(RuleCall *call, Dispatch *out)
{
    pass_named(call, out, "a");
    for (const char *name = "i\0j\0k\0l\0"; *name; name += 2)
        if (bound_named(call, name))
            pass_named(call, out, name);
    pass_named(call, out, "value");
    pass_named(call, out, "has_value");
    if (bound_named(call, "atomic") && !truth_argument(call, "atomic"))
        template_truth(out, false);
}
