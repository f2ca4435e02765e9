/* Subscripts: array elements and views, components, rows, slices. */
#include "ir/build.h"
#include "ir/tile_index.h"

#include <limits.h>
#include <string.h>

bool is_adjoint_subscript(const Node *node)
{
    return node->kind == NODE_SUBSCRIPT && node->subscript.value->kind == NODE_ATTRIBUTE &&
           name_is(node->subscript.value->attribute.attr, "adjoint");
}

/* wp.adjoint[x] and wp.adjoint[s.field]: the adjoint variable itself. */
static IrVar *adjoint_source(Builder *b, const Node *node)
{
    if (node->kind != NODE_ATTRIBUTE)
        return build_var(b, node);
    IrVar *base = adjoint_source(b, node->attribute.value);
    const Type *member = type_member(b->unit->types, type_strip_reference(base->type), node->attribute.attr);
    if (!member || (!base->is_parameter && !base->part))
        unsupported(b, node, "wp.adjoint of this expression is not supported");
    return field_var(b, base, node->attribute.attr, member);
}

/* The adjoint of the array that a path leads to: that of a view is a view of the adjoint, that of a field is a field of the whole. */
static IrVar *adjoint_of_path(Builder *b, const IrPath *path, const Type *type, const Node *at)
{
    const IrStep *last = path->step_count ? &path->steps[path->step_count - 1] : NULL;
    if (last && last->kind == STEP_VIEW) {
        IrPath *viewed = ARENA_NEW(b->arena, IrPath);
        *viewed = *path;
        viewed->step_count--;
        IrVar *args[LIMIT_INDICES + 1] = {adjoint_of_path(b, viewed, last->of, at)};
        memcpy(args + 1, last->indices, last->index_count * sizeof *args);
        return call_builtin(b, "view", args, last->index_count + 1, at).var;
    }
    for (uint32_t i = 0; i < path->step_count; i++)
        if (path->steps[i].kind != STEP_FIELD)
            unsupported(b, at, "wp.adjoint of this array is not supported");
    return grouped_adjoint(b, path, type);
}

IrVar *build_adjoint_var(Builder *b, const Node *slice)
{
    IrVar *source = adjoint_source(b, slice);
    if (source->is_adjoint)
        unsupported(b, slice, "the adjoint of an adjoint is not supported");
    bool array = type_strip_reference(source->type)->kind == TYPE_ARRAY;
    const IrPath *path = source->part ? source->part : source->origin;
    if (!b->unit->dialect->adjoints_of_parts || !array || !path)
        return adjoint_var(b, source);
    return adjoint_of_path(b, path, type_strip_reference(source->type), slice);
}

/* ---- slices ---- */

static Eval slice_of(Builder *b, Eval start, Eval stop, Eval step, const Node *at)
{
    Eval parts[] = {start, stop, step};
    return call_builtin_evals(b, "slice", parts, 3, at);
}

static Eval int_eval(Builder *b, int64_t value)
{
    return eval_value(value_int(b->unit->arena, value));
}

Eval build_slice(Builder *b, const Node *node)
{
    Eval start = node->slice.lower ? build_expr(b, node->slice.lower) : int_eval(b, INT_MAX);
    Eval stop = node->slice.upper ? build_expr(b, node->slice.upper) : int_eval(b, INT_MIN);
    Eval step = node->slice.step ? build_expr(b, node->slice.step) : int_eval(b, 1);
    return slice_of(b, start, stop, step, node);
}

static int64_t slice_constant(Builder *b, const Node *node)
{
    IrVar *var = build_var(b, node);
    BigInt value;
    if (!var->constant)
        fail(b, node, "the bounds of this slice must be constants");
    if (!value_as_int(var->constant, &value) || value > INT_MAX || value < INT_MIN)
        fail(b, node, "the bounds of a slice must be integers");
    return (int64_t)value;
}

static int64_t clamp_bound(int64_t value, int64_t length, int64_t lower, int64_t upper)
{
    if (value < 0)
        return value + length > lower ? value + length : lower;
    return value < upper ? value : upper;
}

/* The bounds as Python's slice.indices() gives them. */
static Eval constant_slice(Builder *b, const Node *node, int64_t length)
{
    int64_t step = node->slice.step ? slice_constant(b, node->slice.step) : 1;
    if (step == 0)
        fail(b, node, "the step of a slice cannot be zero");
    int64_t lower = step > 0 ? 0 : -1, upper = step > 0 ? length : length - 1;
    int64_t start = step > 0 ? lower : upper, stop = step > 0 ? upper : lower;
    if (node->slice.lower)
        start = clamp_bound(slice_constant(b, node->slice.lower), length, lower, upper);
    if (node->slice.upper)
        stop = clamp_bound(slice_constant(b, node->slice.upper), length, lower, upper);
    return slice_of(b, int_eval(b, start), int_eval(b, stop), int_eval(b, step), node);
}

uint32_t build_indices(Builder *b, const IrVar *holder, const Node **nodes, uint32_t count, IrVar **out)
{
    const Type *target = type_strip_reference(holder->type);
    if (type_is_tile(target)) {
        build_tile_indices(b, holder, nodes, count, out);
        return count;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (nodes[i]->kind == NODE_SLICE && type_is_composite(target)) {
            if (i > 1 || (i == 1 && target->kind != TYPE_MAT))
                fail(b, nodes[i], "too many indices for %s", repr(b, target));
            out[i] = constant_slice(b, nodes[i], i == 0 ? target->composite.rows : target->composite.cols).var;
        } else
            out[i] = build_var(b, nodes[i]);
        const Type *type = type_strip_reference(out[i]->type);
        if (target->kind == TYPE_ARRAY && !type_is_int(type) && type->kind != TYPE_SLICE)
            fail_hint(b, nodes[i], type_is_float(type) ? "convert it: int(...)" : NULL,
                      "an index of an array must be an integer, not %s", repr(b, type));
    }
    return count;
}

/* ---- elements and views ---- */

static bool all_int(IrVar **indices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!type_is_int(type_strip_reference(indices[i]->type)))
            return false;
    return true;
}

static Eval index_array(Builder *b, IrVar *target, const Type *type, IrVar **indices, uint32_t count, const Node *at)
{
    IrVar *args[LIMIT_INDICES + 1] = {target};
    const Dialect *dialect = b->unit->dialect;
    bool element = count == type->array.ndim && all_int(indices, count);
    for (uint32_t i = 0; dialect->index_loaded_first && i < count; i++)
        indices[i] = load(b, indices[i]);
    if (!element && !dialect->view_takes_integers &&
        (type->array.cls == ARRAY_PLAIN || type->array.cls == ARRAY_FIXED)) {
        /* A view takes slices only: an integer becomes a slice of step 0. */
        for (uint32_t i = 0; i < count; i++)
            if (type_strip_reference(indices[i]->type)->kind != TYPE_SLICE)
                indices[i] = slice_of(b, eval_var(indices[i]), eval_var(indices[i]), int_eval(b, 0), at).var;
    }
    memcpy(args + 1, indices, count * sizeof *args);
    Eval out = call_builtin(b, element ? "address" : "view", args, count + 1, at);
    const IrPath *origin = origin_of(b, target);
    if (origin)
        out.var->origin = extend_indices(b, origin, element ? STEP_ELEMENT : STEP_VIEW, type, indices, count);
    return out;
}

static Eval index_value(Builder *b, IrVar *target, const Type *type, IrVar **indices, uint32_t count, const Node *at)
{
    IrVar *args[LIMIT_INDICES + 1] = {target};
    memcpy(args + 1, indices, count * sizeof *args);
    Eval out = call_builtin(b, "extract", args, count + 1, at);
    const IrPath *origin = out.kind == EVAL_VAR ? origin_of(b, target) : NULL;
    bool vector = type->kind == TYPE_VEC || type->kind == TYPE_QUAT || type->kind == TYPE_TRANSFORM;
    if (origin && all_int(indices, count) && ((type->kind == TYPE_MAT && count <= 2) || (vector && count == 1)))
        out.var->origin = extend_indices(b, origin, STEP_INDEX, type, indices, count);
    return out;
}

/* The target of a store, pointed at instead of read; NULL: it is read like any other. */
static IrVar *index_target(Builder *b, IrVar *target, const Type *type, IrVar **indices, uint32_t count)
{
    if (type->kind == TYPE_ARRAY)
        return count == type->array.ndim && all_int(indices, count) ? element_target(b, target, indices, count) : NULL;
    Part part = part_by_indices(b, target, indices, count);
    return part.path ? part_target(b, target, &part) : NULL;
}

static Eval index_with(Builder *b, IrVar *target, bool stored, const Node **nodes, uint32_t count, const Node *at)
{
    IrVar *indices[LIMIT_INDICES];
    const Type *type = type_strip_reference(target->type);
    build_indices(b, target, nodes, count, indices);
    if (type_is_tile(type))
        return index_tile(b, target, indices, count, at);
    IrVar *pointed = stored ? index_target(b, target, type, indices, count) : NULL;
    if (pointed)
        return eval_var(pointed);
    if (type->kind == TYPE_ARRAY)
        return index_array(b, target, type, indices, count, at);
    return index_value(b, target, type, indices, count, at);
}

IrVar *subscript_target(Builder *b, const Node *node, bool stored, const Node **indices, uint32_t *count, uint32_t max)
{
    stored &= b->unit->dialect->slots_by_reference;
    /* Bracket groups from the outside in; the innermost comes first in the list of indices. */
    const Node *groups[LIMIT_INDICES];
    uint32_t group_count = 0;
    const Node *base = node;
    while (base->kind == NODE_SUBSCRIPT && !is_adjoint_subscript(base)) {
        if (group_count == LIMIT_INDICES)
            fail(b, node, "more than %d indices are given", LIMIT_INDICES);
        groups[group_count++] = base;
        base = base->subscript.value;
    }
    IrVar *target = stored ? target_var(b, base) : build_var(b, base);
    uint32_t ends[LIMIT_INDICES]; /* of the groups, in the list of indices */
    *count = 0;
    for (uint32_t g = group_count; g-- > 0;) {
        const Node *slice = groups[g]->subscript.slice;
        uint32_t elements = slice->kind == NODE_TUPLE ? slice->sequence.elts.count : 1;
        for (uint32_t i = 0; i < elements; i++) {
            if (*count == max)
                fail(b, node, "more than %d indices are given", LIMIT_INDICES);
            indices[(*count)++] = slice->kind == NODE_TUPLE ? slice->sequence.elts.items[i] : slice;
        }
        ends[group_count - 1 - g] = *count;
    }
    if (type_is_tile(type_strip_reference(target->type)))
        return tile_subscript_target(b, target, indices, count, ends, group_count, node);
    /* As many indices as the array has dimensions lead to an element, or to a view with dimensions of its own. */
    uint32_t used = 0;
    for (uint32_t g = 0; g < group_count; g++) {
        const Type *type = type_strip_reference(target->type);
        uint32_t ndim = type->kind == TYPE_ARRAY ? type->array.ndim : 0;
        if (!ndim || *count - used <= ndim)
            break;
        bool boundary = false;
        for (uint32_t k = 0; k < group_count; k++)
            boundary |= ends[k] == used + ndim;
        if (!boundary)
            fail(b, node, "%u indices are given for an array of %s", *count - used, counted(b, ndim, "dimension"));
        target = index_with(b, target, stored, indices + used, ndim, node).var;
        used += ndim;
    }
    *count -= used;
    memmove(indices, indices + used, *count * sizeof *indices);
    return target;
}

Eval build_subscript(Builder *b, const Node *node)
{
    if (is_adjoint_subscript(node))
        return eval_var(build_adjoint_var(b, node->subscript.slice));
    const Node *indices[LIMIT_INDICES];
    uint32_t count;
    IrVar *target = subscript_target(b, node, false, indices, &count, LIMIT_INDICES);
    return index_with(b, target, false, indices, count, node);
}

Eval subscript_of_target(Builder *b, const Node *node)
{
    const Node *indices[LIMIT_INDICES];
    uint32_t count;
    IrVar *target = subscript_target(b, node, true, indices, &count, LIMIT_INDICES);
    return index_with(b, target, true, indices, count, node);
}
