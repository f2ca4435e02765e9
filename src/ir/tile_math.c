/* Arithmetic of tiles and reductions: element by element, along an axis, of all elements. */
#include "ir/tile_impl.h"

#include <string.h>

/* ---- operators ---- */

static void check_same_dtype(RuleCall *call, const Type *a, const Type *c)
{
    Builder *b = call->builder;
    if (!types_equal(a->tile->dtype, c->tile->dtype))
        fail(b, call->at, "the tiles of '%s' must have elements of the same type, not %s and %s",
             called_name(call->builtin->name, call->at), repr(b, a->tile->dtype), repr(b, c->tile->dtype));
}

static void check_pair(RuleCall *call, const Type *a, const Type *c)
{
    check_same_shape(call, quoted(call->builder, called_name(call->builtin->name, call->at)), a, c);
    check_same_dtype(call, a, c);
}

void rule_tile_binary(RuleCall *call)
{
    const Type *a = tile_argument(call, "a"), *c = tile_argument(call, "b");
    check_pair(call, a, c);
    one_output(call, tile_like(call, a, a->tile->dtype));
}

static void check_no_struct(RuleCall *call, const Type *tile)
{
    if (tile->tile->dtype->kind == TYPE_STRUCT)
        fail(call->builder, call->at, "'%s' cannot be used on tiles of structs",
             called_name(call->builtin->name, call->at));
}

void rule_tile_bits(RuleCall *call)
{
    rule_tile_binary(call);
    check_no_struct(call, call->outputs[0]);
}

void rule_tile_update(RuleCall *call)
{
    check_pair(call, tile_argument(call, "a"), tile_argument(call, "b"));
}

void rule_tile_update_bits(RuleCall *call)
{
    rule_tile_update(call);
    check_no_struct(call, tile_argument(call, "a"));
}

void rule_tile_negated(RuleCall *call)
{
    const Type *tile = tile_argument(call, "x");
    one_output(call, tile_like(call, tile, tile->tile->dtype));
}

static bool is_vector_or_matrix(const Type *type)
{
    return type->kind == TYPE_VEC || type->kind == TYPE_MAT;
}

/* Products and quotients: one of both must consist of scalars. */
void rule_tile_product(RuleCall *call)
{
    Builder *b = call->builder;
    const char *name = called_name(call->builtin->name, call->at);
    const Type *a = arg_type(call, "a"), *c = arg_type(call, "b");
    if (!a || !c)
        fail(b, call->at, "a function cannot be an operand of '%s'", name);
    const Type *tile = type_is_tile(a) ? a : c;
    if (type_is_tile(a) && type_is_tile(c))
        check_same_shape(call, quoted(b, name), a, c);
    const Type *x = type_is_tile(a) ? a->tile->dtype : a, *y = type_is_tile(c) ? c->tile->dtype : c;
    bool both = is_vector_or_matrix(x) && is_vector_or_matrix(y);
    if (both || !(type_is_scalar(x) || is_vector_or_matrix(x)) || !(type_is_scalar(y) || is_vector_or_matrix(y)))
        fail(b, call->at, "'%s' of %s and %s: at least one of both must consist of scalars", name, repr(b, a),
             repr(b, c));
    if (!types_equal(type_scalar_of(x), type_scalar_of(y)))
        fail(b, call->at, "'%s': the scalar types %s and %s do not match", name, repr(b, type_scalar_of(x)),
             repr(b, type_scalar_of(y)));
    one_output(call, tile_like(call, tile, is_vector_or_matrix(x) ? x : is_vector_or_matrix(y) ? y : x));
}

void dispatch_tile_swapped(RuleCall *call, Dispatch *out)
{
    pass_named(call, out, "b");
    pass_named(call, out, "a");
}

/* ---- reductions ---- */

void rule_tile_sum(RuleCall *call)
{
    one_output(call, one_element(call, tile_argument(call, "a")->tile->dtype));
}

void rule_tile_extremum(RuleCall *call)
{
    const Type *tile = tile_argument(call, "a");
    check_no_struct(call, tile);
    one_output(call, one_element(call, tile->tile->dtype));
}

void rule_tile_argument(RuleCall *call)
{
    check_no_struct(call, tile_argument(call, "a"));
    one_output(call, one_element(call, type_scalar(TYPE_INT32)));
}

/* The shape without the axis; what has one dimension becomes one element. */
static uint32_t reduce_along_axis(RuleCall *call)
{
    const Type *type = tile_argument(call, "a");
    const TileType *tile = type->tile;
    uint32_t axis = axis_argument(call, "axis", tile->ndim), shape[TILE_DIMS] = {1}, ndim = 0;
    force_shared(call, type);
    for (uint32_t i = 0; tile->ndim > 1 && i < tile->ndim; i++)
        if (i != axis)
            shape[ndim++] = tile->shape[i];
    one_output(call, register_tile(call, tile->dtype, ndim ? ndim : 1, shape));
    return axis;
}

void rule_tile_sum_axis(RuleCall *call)
{
    reduce_along_axis(call);
}

void dispatch_tile_sum_axis(RuleCall *call, Dispatch *out)
{
    template_number(out, axis_argument(call, "axis", tile_argument(call, "a")->tile->ndim));
    pass_named(call, out, "a");
}

void rule_tile_reduce_axis(RuleCall *call)
{
    reduce_along_axis(call);
}

void rule_tile_dot(RuleCall *call)
{
    const Type *a = tile_argument(call, "a"), *b = tile_argument(call, "b");
    check_pair(call, a, b);
    check_no_struct(call, a);
    one_output(call, one_element(call, type_scalar_of(a->tile->dtype)));
}

void rule_tile_axpy(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *alpha = arg_type(call, "alpha"), *source = tile_argument(call, "src");
    check_pair(call, source, tile_argument(call, "dest"));
    check_no_struct(call, source);
    const Type *scalar = type_scalar_of(source->tile->dtype);
    if (!alpha || !type_is_scalar(alpha) || !types_equal(alpha, scalar))
        fail(b, call->at, "the factor of tile_axpy() must be of the tile's scalar type, %s, not %s", repr(b, scalar),
             alpha ? repr(b, alpha) : "a function");
}

static void check_kind(RuleCall *call, const Type *dtype, const TypeKind *kinds, uint32_t count, const char *words)
{
    for (uint32_t i = 0; i < count; i++)
        if (dtype->kind == kinds[i])
            return;
    fail(call->builder, call->at, "%s() takes a tile of %s, not of %s", call->builtin->name, words,
         repr(call->builder, dtype));
}

void rule_tile_sort(RuleCall *call)
{
    static const TypeKind kinds[] = {TYPE_FLOAT32, TYPE_INT32, TYPE_UINT32, TYPE_INT64, TYPE_UINT64};
    const Type *keys = tile_argument(call, "keys"), *values = tile_argument(call, "values");
    check_kind(call, keys->tile->dtype, kinds, 5, "float32, int32, uint32, int64 or uint64");
    force_shared(call, keys);
    force_shared(call, values);
    check_same_shape(call, "tile_sort()", keys, values);
}

void rule_tile_scan(RuleCall *call)
{
    static const TypeKind kinds[] = {TYPE_FLOAT32, TYPE_INT32, TYPE_UINT32};
    const Type *tile = tile_argument(call, "a");
    check_kind(call, tile->tile->dtype, kinds, 3, "float32, int32 or uint32");
    one_output(call, tile_like(call, tile, tile->tile->dtype));
}
