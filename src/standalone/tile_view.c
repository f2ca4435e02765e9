/* Tiles: names, subscripts and views. */
#include "standalone/tile.h"

#include <string.h>

/* ---- is it a tile? ---- */

static uint32_t index_count(const Node *subscript, Node *const **items)
{
    const Node *slice = subscript->subscript.slice;
    bool several = slice->kind == NODE_TUPLE;
    *items = several ? slice->sequence.elts.items : &subscript->subscript.slice;
    return several ? slice->sequence.elts.count : 1;
}

uint32_t tile_dims(Translator *t, const Node *node)
{
    if (!t->lanes)
        return 0;
    if (node->kind == NODE_NAME) {
        const Var *var = find_var(t, node->name.id, NULL);
        return var && var->tile ? var->tile->ndim : 0;
    }
    if (node->kind == NODE_SUBSCRIPT) {
        Node *const *items;
        uint32_t count = index_count(node, &items), dims = tile_dims(t, node->subscript.value), taken = 0;
        for (uint32_t i = 0; dims && i < count; i++)
            taken += items[i]->kind != NODE_SLICE && !tile_dims(t, items[i]);
        return taken < dims ? dims - taken : 0;
    }
    const Type *type = info_at(t, node)->type;
    return type && type->kind == TYPE_TILE ? type->tile->ndim : 0;
}

/* ---- views ---- */

static Tile *view_of_memory(Translator *t, Tile *of, uint32_t ndim, const Node *at)
{
    uint32_t ones[TILE_DIMS] = {1, 1, 1, 1};
    Tile *view = make_tile(t, of->dtype, ndim, ones, NULL, at);
    view->var = of->var;
    view->base = of->base;
    return view;
}

/* What may be computed now, and is the same wherever the view is used. */
Term *plain_term(Translator *t, Term *term, const char *stem)
{
    return term->kind == TERM_LITERAL || (term->kind == TERM_VAR && term->var->is_param) ? term : hoist(t, term, stem);
}

/* Negative ones count from the end. */
static Term *wrapped_index(Translator *t, const Node *node, uint32_t length, bool at_once)
{
    Term *index = to_term(t, node);
    REFUSE_IF(t, node, !index->type || !type_is_int(index->type), "an index that is not an integer");
    if (index->has_number)
        return index->number < 0 ? int_term(t, index->number + length) : index;
    const Type *type = type_scalar(TYPE_INT32);
    bool is_natural = index->kind == TERM_VAR && index->var->is_natural;
    if (index->type->kind != TYPE_INT32)
        index = convert_term(t, index, type, node);
    if (!at_once || index->kind != TERM_VAR)
        index = plain_term(t, index, "at");
    if (is_natural)
        return index;
    Term *is_negative = op_term(t, "<", (Term *[]){index, int_term(t, 0)}, 2, type_scalar(TYPE_BOOL), node);
    Term *choice[] = {is_negative, sum_term(t, index, int_term(t, length)), index};
    return new_term(t, TERM_CHOICE, type, choice, 3);
}

static int64_t slice_bound(Translator *t, const Node *node, int64_t length, int64_t low, int64_t high, int64_t missing)
{
    if (!node)
        return missing;
    Term *term = to_term(t, node);
    REFUSE_IF(t, node, !term->has_number, "a slice whose bounds are not numbers");
    int64_t bound = term->number + (term->number < 0 ? length : 0);
    return bound < low ? low : bound > high ? high : bound;
}

/* One axis of a view: by its slice. */
static void slice_axis(Translator *t, const Node *slice, const Tile *of, uint32_t axis, Tile *view, uint32_t to)
{
    int64_t length = of->shape[axis], step = 1;
    if (slice->slice.step) {
        Term *given = to_term(t, slice->slice.step);
        REFUSE_IF(t, slice, !given->has_number || !given->number, "a slice whose step is not a number");
        step = given->number;
    }
    int64_t low = step > 0 ? 0 : -1, high = low + length;
    int64_t start = slice_bound(t, slice->slice.lower, length, low, high, step > 0 ? low : high);
    int64_t stop = slice_bound(t, slice->slice.upper, length, low, high, step > 0 ? high : low);
    int64_t count = step > 0 ? (stop - start + step - 1) / step : (start - stop - step - 1) / -step;
    REFUSE_IF(t, slice, count <= 0, "an empty slice");
    view->shape[to] = (uint32_t)count;
    view->strides[to] = (int32_t)(of->strides[axis] * step);
    view->base = sum_term(t, view->base, start ? int_term(t, start * of->strides[axis]) : NULL);
}

/* t[rows], t[:, columns]: a copy. */
static Term *gathered_cell(Translator *t, const Tile *tile, Spot *spot)
{
    Term *indices[TILE_DIMS], *which = spot_index(t, spot, tile->axis);
    for (uint32_t i = 0; i < tile->ndim; i++)
        indices[i] = i == tile->axis ? which : spot_index(t, spot, i);
    Term *found = scoped(t, "picked", cell_term(t, tile->indices, &which));
    Term *is_negative = op_term(t, "<", (Term *[]){found, int_term(t, 0)}, 2, type_scalar(TYPE_BOOL), tile->at);
    Term *choice[] = {is_negative, sum_term(t, found, int_term(t, tile->args[0].tile->shape[tile->axis])), found};
    indices[tile->axis] = new_term(t, TERM_CHOICE, found->type, choice, 3);
    return cell_term(t, tile->args[0].tile, indices);
}

static Tile *gather_tile(Translator *t, const Node *node, Tile *of, Node *const *items, uint32_t count)
{
    uint32_t axis = 0;
    while (axis < count && !tile_dims(t, items[axis]))
        axis++;
    Tile *indices = in_memory(t, to_tile(t, items[axis]), "picked"), *made = NULL;
    uint32_t shape[TILE_DIMS];
    memcpy(shape, of->shape, sizeof shape);
    REFUSE_IF(t, node, indices->ndim != 1, "a tile of indices of more than one dimension");
    shape[axis] = indices->shape[0];
    made = make_tile(t, of->dtype, of->ndim, shape, gathered_cell, node);
    give_tile(t, made, of);
    made->indices = indices;
    made->axis = axis;
    return made;
}

/* A view of `of` by indices and slices; the axes that are left are whole. */
static Tile *indexed_tile(Translator *t, const Node *node, Tile *of, Node *const *items, uint32_t count)
{
    uint32_t taken = 0, to = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (tile_dims(t, items[i]))
            return gather_tile(t, node, of, items, count);
        taken += items[i]->kind != NODE_SLICE;
    }
    Tile *view = view_of_memory(t, of, of->ndim - taken, node);
    for (uint32_t i = 0; i < of->ndim; i++) {
        if (i < count && items[i]->kind == NODE_SLICE)
            slice_axis(t, items[i], of, i, view, to++);
        else if (i < count)
            view->base =
                sum_term(t, view->base, times_term(t, wrapped_index(t, items[i], of->shape[i], false), of->strides[i]));
        else {
            view->shape[to] = of->shape[i];
            view->strides[to++] = of->strides[i];
        }
    }
    if (view->base)
        view->base = plain_term(t, view->base, "first");
    return view;
}

Tile *subscript_tile(Translator *t, const Node *node)
{
    Node *const *items;
    uint32_t count = index_count(node, &items);
    return indexed_tile(t, node, in_memory(t, to_tile(t, node->subscript.value), "tile"), items, count);
}

/* t[i, j]; further indices are of the element itself. */
Term *element_of_tile(Translator *t, const Node *node)
{
    Node *const *items;
    uint32_t count = index_count(node, &items), parts = 0;
    Tile *of = in_memory(t, to_tile(t, node->subscript.value), "tile");
    Term *indices[TILE_DIMS], *rest[2];
    for (uint32_t i = 0; i < count; i++) {
        if (i < of->ndim)
            indices[i] = wrapped_index(t, items[i], of->shape[i], true);
        else {
            REFUSE_IF(t, node, parts > 1, "too many indices");
            rest[parts++] = to_term(t, items[i]);
        }
    }
    Term *cell = cell_term(t, of, indices);
    REFUSE_IF(t, node, parts && !type_is_composite(cell->type), "this has no elements");
    return parts ? index_value(t, cell, rest, parts, node) : cell;
}

/* ---- the functions that make views ---- */

static bool looks_at_memory(const Term *term)
{
    bool looks = term->kind == TERM_ELEMENT || term->kind == TERM_CELL || term->kind == TERM_CALL;
    for (uint32_t i = 0; i < term->count && !looks; i++)
        looks = looks_at_memory(term->args[i]);
    return looks;
}

void offsets_of(Translator *t, const Node *node, uint32_t count, Term **out)
{
    Term *tuple = node ? tuple_of(t, node) : NULL;
    for (uint32_t i = 0; i < count; i++)
        out[i] = tuple && i < tuple->count ? tuple->args[i] : node && !tuple && i == 0 ? to_term(t, node) : NULL;
    for (uint32_t i = 0; i < count; i++)
        if (out[i] && looks_at_memory(out[i]))
            out[i] = hoist(t, out[i], "start");
}

static Tile *given_view(Translator *t, const Node *call, const TileType *type)
{
    Tile *of = in_memory(t, to_tile(t, argument(call, 0, "t")), "tile");
    Term *offsets[TILE_DIMS];
    offsets_of(t, argument(call, 1, "offset"), of->ndim, offsets);
    Tile *view = view_of_memory(t, of, type->ndim, call);
    for (uint32_t i = 0; i < of->ndim; i++)
        view->base = sum_term(t, view->base, times_term(t, offsets[i], of->strides[i]));
    for (uint32_t i = 0; i < type->ndim; i++) {
        view->shape[i] = type->shape[i];
        view->strides[i] = of->strides[i + of->ndim - type->ndim];
    }
    if (view->base)
        view->base = plain_term(t, view->base, "first");
    return view;
}

static Tile *transposed(Translator *t, const Node *call)
{
    Tile *of = in_memory(t, to_tile(t, argument(call, 0, "a")), "tile"), *view = view_of_memory(t, of, of->ndim, call);
    for (uint32_t i = 0; i < of->ndim; i++) {
        view->shape[i] = of->shape[of->ndim - 1 - i];
        view->strides[i] = of->strides[of->ndim - 1 - i];
    }
    return view;
}

static Tile *broadcasted(Translator *t, const Node *call, const TileType *type)
{
    Tile *of = in_memory(t, to_tile(t, argument(call, 0, "a")), "tile"),
         *view = view_of_memory(t, of, type->ndim, call);
    uint32_t more = type->ndim - of->ndim;
    for (uint32_t i = 0; i < type->ndim; i++) {
        view->shape[i] = type->shape[i];
        view->strides[i] = i >= more && of->shape[i - more] > 1 ? of->strides[i - more] : 0;
    }
    return view;
}

/* Other dimensions of elements that stand in a row. */
static Tile *reshaped(Translator *t, const Node *call, const TileType *type)
{
    Tile *of = in_memory(t, to_tile(t, argument(call, 0, "t")), "tile");
    REFUSE_IF(t, call, !is_dense(of), "another shape of a tile whose elements do not stand in a row");
    Tile *view = view_of_memory(t, of, type->ndim, call);
    int32_t stride = 1;
    for (uint32_t i = type->ndim; i-- > 0; stride *= (int32_t)type->shape[i]) {
        view->shape[i] = type->shape[i];
        view->strides[i] = stride;
    }
    return view;
}

/* Axes of one element are left out: those that the result does not have. */
static Tile *squeezed(Translator *t, const Node *call, const TileType *type)
{
    Tile *of = in_memory(t, to_tile(t, argument(call, 0, "t")), "tile"),
         *view = view_of_memory(t, of, type->ndim, call);
    uint32_t to = 0;
    for (uint32_t i = 0; i < of->ndim && to < type->ndim; i++) {
        uint32_t left = of->ndim - i, wanted = type->ndim - to;
        if (of->shape[i] == 1 && left > wanted && type->shape[to] != 1)
            continue;
        view->shape[to] = of->shape[i];
        view->strides[to++] = of->strides[i];
    }
    return view;
}

static Tile *view_call(Translator *t, const Node *call, const char *name, const TileType *type)
{
    if (strcmp(name, "tile_view") == 0)
        return given_view(t, call, type);
    if (strcmp(name, "tile_transpose") == 0)
        return transposed(t, call);
    if (strcmp(name, "tile_broadcast") == 0)
        return broadcasted(t, call, type);
    if (strcmp(name, "tile_reshape") == 0)
        return reshaped(t, call, type);
    if (strcmp(name, "tile_squeeze") == 0)
        return squeezed(t, call, type);
    return NULL;
}

/* ---- all expressions ---- */

static Tile *choice_tile(Translator *t, const Node *node, const TileType *type, const Node *test, const Node *yes,
                         const Node *no)
{
    Tile *tile = operation_tile(t, "?", type, node);
    give_term(t, tile, plain_term(t, to_term(t, test), "chosen"));
    give_tile(t, tile, in_memory(t, to_tile(t, yes), "tile"));
    give_tile(t, tile, in_memory(t, to_tile(t, no), "tile"));
    return tile;
}

static void give_operand(Translator *t, Tile *to, const Node *node)
{
    if (tile_dims(t, node))
        give_tile(t, to, to_tile(t, node));
    else
        give_term(t, to, to_term(t, node));
}

Tile *to_tile(Translator *t, const Node *node)
{
    REFUSE_IF(t, node, !t->current->is_kernel, "a tile in a function");
    if (node->kind == NODE_NAME) {
        const Var *var = find_var(t, node->name.id, NULL);
        REFUSE_IF(t, node, !var || !var->tile, "'%s' is no tile here", node->name.id->text);
        return var->tile;
    }
    if (node->kind == NODE_SUBSCRIPT)
        return subscript_tile(t, node);
    const ExprInfo *info = info_at(t, node);
    REFUSE_IF(t, node, !info->type || info->type->kind != TYPE_TILE, "this use of a tile is not translated");
    REFUSE_IF(t, node, info->func, "a function of tiles is not translated");
    const TileType *type = info->type->tile;
    if (node->kind == NODE_BIN_OP) {
        Tile *tile = operation_tile(t, op_builtin(node->bin_op.op), type, node);
        give_operand(t, tile, node->bin_op.left);
        give_operand(t, tile, node->bin_op.right);
        return tile;
    }
    if (node->kind == NODE_UNARY_OP) {
        Tile *tile = operation_tile(t, op_builtin(node->unary_op.op), type, node);
        give_tile(t, tile, to_tile(t, node->unary_op.operand));
        return tile;
    }
    if (node->kind == NODE_IF_EXP)
        return choice_tile(t, node, type, node->if_exp.test, node->if_exp.body, node->if_exp.orelse);
    REFUSE_IF(t, node, node->kind != NODE_CALL || !info->builtin, "this use of a tile is not translated");
    const char *name = info->builtin->name;
    if (strcmp(name, "where") == 0)
        return choice_tile(t, node, type, argument(node, 0, "cond"), argument(node, 1, "value_if_true"),
                           argument(node, 2, "value_if_false"));
    Tile *view = view_call(t, node, name, type);
    return view ? view : call_tile(t, node, type);
}
