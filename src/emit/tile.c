/* How tiles are spelled and declared. */
#include "emit/spell.h"

static void put_dims(Text *out, const char *name, const TileType *tile, bool strides)
{
    text_lit(out, "wp::tile_");
    text_str(out, name);
    text_lit(out, "_t<");
    for (uint32_t i = 0; i < tile->ndim; i++) {
        if (i)
            text_char(out, ',');
        text_int(out, strides ? tile->strides[i] : (int64_t)tile->shape[i]);
    }
    text_char(out, '>');
}

void put_tile_type(Text *out, const Type *type)
{
    const TileType *tile = type->tile;
    if (type->kind == TYPE_TILE_STACK) {
        text_lit(out, "wp::tile_stack_t<");
        put_type(out, tile->dtype);
        text_lit(out, ", ");
        text_uint(out, tile->shape[0]);
        text_char(out, '>');
        return;
    }
    bool shared = tile->storage == TILE_SHARED;
    text_str(out, shared ? "wp::tile_shared_t<" : "wp::tile_register_t<");
    put_type(out, tile->dtype);
    text_str(out, shared ? ",wp::tile_layout_strided_t<" : ",wp::tile_layout_register_t<");
    put_dims(out, "shape", tile, false);
    if (shared) {
        text_lit(out, ", ");
        put_dims(out, "stride", tile, true);
        text_str(out, tile->is_view ? ">, false>" : ">, true>");
    } else
        text_lit(out, ">>");
}

/* What stands behind the name of a variable where it is declared. */
void put_tile_initializer(Text *out, const Type *type, bool with_gradient)
{
    const TileType *tile = type->tile;
    text_lit(out, " = ");
    if (type->kind == TYPE_TILE_STACK) {
        text_lit(out, "wp::tile_stack_alloc<");
        put_type(out, tile->dtype);
        text_lit(out, ", ");
        text_uint(out, tile->shape[0]);
        text_lit(out, ">()");
    } else if (tile->storage == TILE_REGISTER) {
        put_tile_type(out, type);
        text_lit(out, "{}");
    } else if (tile->is_view)
        text_lit(out, "nullptr");
    else {
        text_lit(out, "wp::tile_alloc_empty<");
        put_type(out, tile->dtype);
        text_char(out, ',');
        put_dims(out, "shape", tile, false);
        text_char(out, ',');
        put_dims(out, "stride", tile, true);
        text_str(out, with_gradient ? ",true>()" : ",false>()");
    }
}

/* The adjoint of a shared tile is the tile itself, which has room for gradients. */
void put_tile_adjoint(Text *out, const IrVar *var)
{
    const Type *type = var->type;
    bool shared = type->kind == TYPE_TILE && type->tile->storage == TILE_SHARED;
    put_tile_type(out, type);
    text_str(out, shared ? "& " : " ");
    put_adj(out, var);
    if (shared) {
        text_lit(out, " = ");
        put_var(out, var);
    } else if (type->kind == TYPE_TILE)
        text_lit(out, "{}");
}
