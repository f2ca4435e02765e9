/* Subscripts of tiles: elements, rows and slices, and what is gathered by a tile of indices. */
#include "ir/tile_index.h"
#include "ir/tile_impl.h"

#include <limits.h>
#include <string.h>

/* ---- does an expression give a tile? ---- */

static bool call_gives_tile(const Node *node)
{
    static const char *const others[] = {"tile_extract", "tile_query_valid", "tile_stack_count", "tile_stack_push",
                                         NULL};
    const Node *func = node->call.func;
    const char *name = func->kind == NODE_ATTRIBUTE ? func->attribute.attr->text : "";
    for (const char *const *other = others; *other; other++)
        if (strcmp(name, *other) == 0)
            return false;
    return strncmp(name, "tile", 4) == 0;
}

/* Told by names and operators alone: nothing is built. */
static bool gives_tile(Builder *b, const Node *node)
{
    switch (node->kind) {
    case NODE_NAME: {
        const Symbol *symbol = find_symbol(b, node->name.id);
        return symbol && symbol->eval.kind == EVAL_VAR && type_is_tile(type_strip_reference(symbol->eval.var->type));
    }
    case NODE_CALL: return call_gives_tile(node);
    case NODE_UNARY_OP: return gives_tile(b, node->unary_op.operand);
    case NODE_BIN_OP: return gives_tile(b, node->bin_op.left) || gives_tile(b, node->bin_op.right);
    case NODE_SUBSCRIPT: {
        const Node *slice = node->subscript.slice;
        return gives_tile(b, node->subscript.value) && (slice->kind == NODE_SLICE || gives_tile(b, slice));
    }
    default: return false;
    }
}

static bool gives_view(Builder *b, const Node *const *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i]->kind == NODE_SLICE || gives_tile(b, nodes[i]))
            return true;
    return false;
}

/* Brackets that follow one another are one list of indices, unless one of them gives a view that the next one indexes. */
IrVar *tile_subscript_target(Builder *b, IrVar *target, const Node **indices, uint32_t *count, const uint32_t *ends,
                             uint32_t group_count, const Node *at)
{
    uint32_t used = 0;
    for (uint32_t g = 0; g + 1 < group_count && type_is_tile(type_strip_reference(target->type)); g++) {
        const TileType *tile = type_strip_reference(target->type)->tile;
        uint32_t length = ends[g] - used;
        bool view = gives_view(b, indices + used, length);
        bool row = length < tile->ndim && gives_view(b, indices + ends[g], *count - ends[g]);
        if (!view && !row)
            break;
        IrVar *vars[LIMIT_INDICES];
        build_tile_indices(b, target, indices + used, length, vars);
        target = index_tile(b, target, vars, length, at).var;
        used = ends[g];
    }
    *count -= used;
    memmove(indices, indices + used, *count * sizeof *indices);
    return target;
}

/* ---- indices ---- */

static int64_t bound_of(Builder *b, const Node *node)
{
    IrVar *var = build_var(b, node);
    int64_t value;
    Eval eval = eval_var(var);
    if (!constant_int(&eval, &value))
        fail(b, node, "a bound of a slice of a tile must be a compile-time constant");
    return value;
}

static IrVar *build_tile_slice(Builder *b, const Node *node)
{
    int64_t step = node->slice.step ? bound_of(b, node->slice.step) : 1;
    if (step == 0)
        fail(b, node, "the step of a slice cannot be zero");
    int64_t bounds[] = {node->slice.lower ? bound_of(b, node->slice.lower) : INT_MAX, 0, step};
    bounds[1] = node->slice.upper ? bound_of(b, node->slice.upper) : INT_MIN;
    Eval parts[3];
    for (int i = 0; i < 3; i++)
        parts[i] = eval_value(value_int(b->unit->arena, bounds[i]));
    return call_builtin_evals(b, "slice", parts, 3, node).var;
}

/* i < 0 ? i + length : i, in the type of the index. */
static IrVar *wrap_index(Builder *b, IrVar *index, uint32_t length, const Node *at)
{
    const Type *type = type_strip_reference(index->type);
    IrVar *zero = add_var(b, type, value_int(b->unit->arena, 0));
    IrVar *full = add_var(b, type, value_int(b->unit->arena, length));
    IrVar *negative = add_var(b, type_scalar(TYPE_BOOL), NULL);
    IrVar **right = ARENA_ARRAY(b->arena, IrVar *, 1);
    OpKind *op = ARENA_ARRAY(b->arena, OpKind, 1);
    IrVar *left = load(b, index);
    right[0] = zero;
    op[0] = OP_LT;
    add_node(b, IR_COMPARE)->compare = (IrCompare){negative, left, right, op, 1};
    IrVar *sum[] = {index, full};
    IrVar *wrapped = call_builtin(b, "add", sum, 2, at).var;
    IrVar *choice[] = {negative, wrapped, index};
    return call_builtin(b, "where", choice, 3, at).var;
}

static IrVar *build_tile_index(Builder *b, const TileType *tile, uint32_t axis, const Node *node)
{
    IrVar *index = build_var(b, node);
    const Type *type = type_strip_reference(index->type);
    if (type_is_tile(type))
        return index;
    if (!type_is_int(type))
        fail_hint(b, node, type_is_float(type) ? "convert it: int(...)" : NULL,
                  "an index of a tile must be an integer or a slice, not %s", repr(b, type));
    if (axis >= tile->ndim)
        return index;
    int64_t value, length = tile->shape[axis];
    Eval eval = eval_var(index);
    if (!index->constant)
        return wrap_index(b, index, tile->shape[axis], node);
    if (!constant_int(&eval, &value) || value < -length || value >= length)
        fail(b, node, "the index is out of bounds for axis %u of the tile, with size %u", axis, tile->shape[axis]);
    return value < 0 ? add_constant_int(b, value + length) : index;
}

void build_tile_indices(Builder *b, const IrVar *target, const Node **nodes, uint32_t count, IrVar **out)
{
    const TileType *tile = type_strip_reference(target->type)->tile;
    for (uint32_t i = 0; i < count; i++)
        out[i] = nodes[i]->kind == NODE_SLICE ? build_tile_slice(b, nodes[i]) : build_tile_index(b, tile, i, nodes[i]);
}

/* ---- slices ---- */

static int64_t clamped(int64_t value, int64_t length, int64_t lower, int64_t upper)
{
    value += value < 0 ? length : 0;
    return value < lower ? lower : value > upper ? upper : value;
}

/* As Python's slice.indices() has it. */
TileSlice tile_slice(Builder *b, const Type *type, int64_t length, const Node *at)
{
    const Eval *given = known_parts(b, type);
    int64_t bounds[3];
    for (int i = 0; i < 3; i++)
        if (!given || !constant_int(&given[i], &bounds[i]) || (i == 2 && bounds[i] == 0))
            fail(b, at, "a bound of a slice of a tile must be a compile-time constant, and its step not zero");
    int64_t step = bounds[2], lower = step > 0 ? 0 : -1, upper = step > 0 ? length : length - 1;
    int64_t start = bounds[0] == INT_MAX ? (step > 0 ? lower : upper) : clamped(bounds[0], length, lower, upper);
    int64_t stop = bounds[1] == INT_MIN ? (step > 0 ? upper : lower) : clamped(bounds[1], length, lower, upper);
    int64_t way = step > 0 ? stop - start : start - stop, stride = step > 0 ? step : -step;
    return (TileSlice){start, step, way > 0 ? 1 + (way - 1) / stride : 0};
}

static bool is_slice_var(const IrVar *var)
{
    return type_strip_reference(var->type)->kind == TYPE_SLICE;
}

static bool has_kind(IrVar *const *indices, uint32_t count, TypeKind kind)
{
    for (uint32_t i = 0; i < count; i++)
        if (type_strip_reference(indices[i]->type)->kind == kind)
            return true;
    return false;
}

static const Builtin *only_overload(Builder *b, const char *name)
{
    return builtin_find(b->unit->builtins, name, strlen(name))->overloads[0];
}

/* ---- reading ---- */

static Eval view_tile(Builder *b, IrVar *target, IrVar **indices, uint32_t count, const Node *at)
{
    const Type *type = type_strip_reference(target->type);
    const TileType *tile = type->tile;
    RuleCall call = {.builder = b, .builtin = only_overload(b, "tile_view"), .at = at};
    Dispatch dispatch = {.template_count = 0};
    uint32_t ndim = 0, shape[TILE_DIMS];
    int32_t strides[TILE_DIMS];
    if (count > tile->ndim)
        fail(b, at, "%u %s for a tile of shape %s", count, count == 1 ? "index" : "indices", shape_text(b, tile));
    pass(&call, &dispatch, eval_var(target));
    for (uint32_t i = 0; i < tile->ndim; i++) {
        TileSlice slice = {.step = 1, .length = tile->shape[i]};
        bool kept = i >= count || is_slice_var(indices[i]);
        if (i < count && kept)
            slice = tile_slice(b, type_strip_reference(indices[i]->type), tile->shape[i], at);
        if (kept) {
            if (!slice.length)
                fail(b, at, "the slice of axis %u is empty, and a tile cannot be", i);
            shape[ndim] = (uint32_t)slice.length;
            strides[ndim++] = (int32_t)(tile->strides[i] * slice.step);
            pass_int(&call, &dispatch, slice.start);
        } else
            pass(&call, &dispatch, eval_var(indices[i]));
    }
    force_shared(&call, type);
    const Type *view = view_of(&call, type, ndim, shape, strides);
    template_tile(&call, &dispatch, view);
    return make_call(b, call.builtin, &view, 1, &dispatch, at);
}

static Eval gather_tile(Builder *b, IrVar *target, IrVar **indices, uint32_t count, const Node *at)
{
    const Type *type = type_strip_reference(target->type), *picked = NULL;
    const TileType *tile = type->tile;
    RuleCall call = {.builder = b, .builtin = only_overload(b, "tile_slice_indexed"), .at = at};
    Dispatch dispatch = {.template_count = 0};
    uint32_t axis = 0, shape[TILE_DIMS];
    if (count > tile->ndim)
        fail(b, at, "%u %s for a tile of shape %s", count, count == 1 ? "index" : "indices", shape_text(b, tile));
    memcpy(shape, tile->shape, sizeof shape);
    for (uint32_t i = 0; i < count; i++) {
        const Type *index = type_strip_reference(indices[i]->type);
        TileSlice whole = index->kind == TYPE_SLICE ? tile_slice(b, index, tile->shape[i], at) : (TileSlice){0};
        if (type_is_tile(index) && picked)
            fail(b, at, "a tile can be indexed by one tile of integers, not by several");
        if (type_is_tile(index) && (index->tile->ndim != 1 || !type_is_int(index->tile->dtype)))
            fail(b, at, "a tile is indexed by a tile of integers of one dimension, not by %s", repr(b, index));
        if (!type_is_tile(index) && (whole.start != 0 || whole.step != 1 || whole.length != tile->shape[i]))
            fail(b, at, "beside a tile of indices, all other axes must be ':'");
        if (type_is_tile(index)) {
            picked = index;
            axis = i;
        }
    }
    force_shared(&call, type);
    force_shared(&call, picked);
    shape[axis] = picked->tile->shape[0];
    const Type *result = register_tile(&call, tile->dtype, tile->ndim, shape);
    template_shape(&dispatch, result);
    pass(&call, &dispatch, eval_var(target));
    pass(&call, &dispatch, eval_var(indices[axis]));
    pass_int(&call, &dispatch, axis);
    return make_call(b, call.builtin, &result, 1, &dispatch, at);
}

Eval index_tile(Builder *b, IrVar *target, IrVar **indices, uint32_t count, const Node *at)
{
    uint32_t ndim = type_strip_reference(target->type)->tile->ndim;
    if (has_kind(indices, count, TYPE_TILE))
        return gather_tile(b, target, indices, count, at);
    if (has_kind(indices, count, TYPE_SLICE) || count < ndim)
        return view_tile(b, target, indices, count, at);
    IrVar *args[LIMIT_INDICES + 1] = {target};
    memcpy(args + 1, indices, count * sizeof *args);
    return call_builtin(b, "tile_extract", args, count + 1, at);
}

/* ---- storing ---- */

void store_tile(Builder *b, IrVar *target, IrVar **indices, uint32_t count, IrVar *value, const Node *at)
{
    uint32_t ndim = type_strip_reference(target->type)->tile->ndim;
    const Type *type = type_strip_reference(value->type);
    if (has_kind(indices, count, TYPE_TILE))
        fail_hint(b, at, "assign to a slice: t[a:b] = ...",
                  "elements chosen by a tile of indices cannot be assigned to");
    if (!has_kind(indices, count, TYPE_SLICE) && count >= ndim) {
        IrVar *args[LIMIT_INDICES + 2] = {target};
        memcpy(args + 1, indices, count * sizeof *args);
        args[count + 1] = value;
        call_builtin(b, "assign", args, count + 2, at);
        return;
    }
    if (!type_is_tile(type))
        fail(b, at, "a part of a tile is assigned a tile of the same shape, not a value of type %s", repr(b, type));
    IrVar *view = view_tile(b, target, indices, count, at).var;
    const TileType *part = view->type->tile;
    if (part->ndim != type->tile->ndim || memcmp(part->shape, type->tile->shape, part->ndim * sizeof *part->shape) != 0)
        fail(b, at, "the part of the tile has the shape %s, and what is assigned to it %s", shape_text(b, part),
             shape_text(b, type->tile));
    IrVar *args[] = {view, value};
    call_builtin(b, "tile_assign", args, 2, at);
}

void check_tile_update(Builder *b, const IrVar *target, IrVar *const *indices, uint32_t count, const Node *at)
{
    bool view = has_kind(indices, count, TYPE_SLICE) || has_kind(indices, count, TYPE_TILE) ||
                count < type_strip_reference(target->type)->tile->ndim;
    if (view)
        fail_hint(b, at, "read the part, update it, and assign it back", "a part of a tile cannot be updated in place");
}
