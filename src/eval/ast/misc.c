/* Builtins: thread index, ranges, choices, atomics, arrays, and what has no effect here. */
#include "eval/ast/builtin.h"

#include <string.h>

/* As one number it is the first coordinate, however many dimensions the launch has. */
void misc_tid(Call *call)
{
    uint32_t expected = call->x->call->expected;
    if (expected < 2) {
        new_int_datum(call->e, TYPE_INT32, call->e->index[0], call->out);
        return;
    }
    refuse_if(call, expected > 4);
    Datum *items = result_tuple(call, expected);
    for (uint32_t i = 0; i < expected; i++)
        new_int_datum(call->e, TYPE_INT32, call->e->index[i], &items[i]);
}

void misc_block_dim(Call *call)
{
    uint32_t given = call->e->launch->block_dim;
    new_int_datum(call->e, TYPE_INT32, given ? given : 1, call->out);
}

void misc_len(Call *call)
{
    const Datum *a = &call->args[0];
    int64_t length;
    if (a->kind == DATUM_ARRAY)
        length = a->arrays->shape[0];
    else if (a->kind == DATUM_TUPLE)
        length = a->count;
    else if (a->kind == DATUM_TILE)
        length = tile_length(a);
    else if (a->kind == DATUM_VALUE && type_is_composite(a->type))
        length = type_length(a->type);
    else
        refuse_arguments(call);
    new_int_datum(call->e, TYPE_INT32, length, call->out);
}

static int32_t range_bound(const Call *call, uint32_t i)
{
    return (int32_t)datum_int(call->e, &call->args[i], call->x->offset);
}

void misc_range(Call *call)
{
    int32_t *bounds = scratch(call->e, 3 * sizeof *bounds);
    bounds[0] = call->count > 1 ? range_bound(call, 0) : 0;
    bounds[1] = range_bound(call, call->count > 1 ? 1 : 0);
    bounds[2] = call->count > 2 ? range_bound(call, 2) : 1;
    *call->out = (Datum){.kind = DATUM_RANGE, .bounds = bounds};
}

void misc_reversed(Call *call)
{
    refuse_if(call, call->args[0].kind != DATUM_RANGE);
    const int32_t *given = call->args[0].bounds;
    int64_t start = given[0], end = given[1], step = given[2];
    int64_t last = step > 0   ? start + (end - start - 1) / step * step
                   : step < 0 ? start + (end - start + 1) / step * step
                              : start;
    int64_t before = start - step;
    if (last != (int32_t)last || before != (int32_t)before || -step != (int32_t)-step)
        stop_run(call->e, FINDING_INTEGER_OVERFLOW, call->x->offset, "the reversed range does not fit into int32");
    int32_t *bounds = scratch(call->e, 3 * sizeof *bounds);
    bounds[0] = (int32_t)last;
    bounds[1] = (int32_t)(step ? before : last);
    bounds[2] = (int32_t)-step;
    *call->out = (Datum){.kind = DATUM_RANGE, .bounds = bounds};
}

void misc_where(Call *call)
{
    *call->out = call->args[datum_truth(call->e, &call->args[0], call->x->offset) ? 1 : 2];
    if (call->out->kind == DATUM_VALUE || call->out->kind == DATUM_STRUCT)
        detach_datum(call->e, call->out, call->x->offset);
}

/* (array, i[, j…], value), for cas (…, compare, value). */
void misc_atomic(Call *call)
{
    AtomicOp op = (AtomicOp)call->variant;
    uint32_t values = op == ATOMIC_CAS ? 2 : 1;
    const Datum *array = &call->args[0];
    refuse_if(call, array->kind != DATUM_ARRAY || call->count < 2 + values ||
                        array->arrays->ndim != call->count - 1 - values);
    const Datum *compared = &call->args[call->count - 2];
    refuse_if(call, op == ATOMIC_CAS && (compared->kind != DATUM_VALUE ||
                                         !types_equal(compared->type, array->arrays->type->array.dtype)));
    Datum place;
    const ArrayView view = *array->arrays;
    index_view(call->e, &view, &call->args[1], view.ndim, call->x->offset, &place);
    keep_datum(call->e, &call->args[call->count - 1], call->x->offset);
    atomic_update(call->e, call->x, &place, op, &call->args[call->count - 1], compared, call->out);
}

void misc_array_store(Call *call)
{
    const Datum *array = &call->args[0];
    refuse_if(call, array->kind != DATUM_ARRAY || call->count < 3 || array->arrays->ndim != call->count - 2);
    Datum place;
    const ArrayView view = *array->arrays;
    index_view(call->e, &view, &call->args[1], view.ndim, call->x->offset, &place);
    store_place(call->e, &place, &call->args[call->count - 1], call->x->offset);
}

void misc_ignore(Call *call) /* print, printf, checks */
{
    (void)call;
}

void misc_type(Call *call)
{
    const Datum *a = &call->args[0];
    refuse_if(call, a->kind != DATUM_VALUE && a->kind != DATUM_STRUCT && a->kind != DATUM_ARRAY);
    CallSite *site = call->x->call;
    if (!site->type_value || !types_equal(site->type_value->type, a->type))
        site->type_value = value_type(call->e->arena, a->type);
    *call->out = (Datum){.kind = DATUM_STATIC, .value = site->type_value};
}

void misc_copy(Call *call)
{
    *call->out = call->args[0];
    if (call->out->kind == DATUM_VALUE || call->out->kind == DATUM_STRUCT)
        detach_datum(call->e, call->out, call->x->offset);
}

void misc_tuple(Call *call)
{
    Datum *items = result_tuple(call, call->count);
    memcpy(items, call->args, call->count * sizeof *items);
}

/* (array, value) or (array, begin, end, value): the first index whose element is not less. */
void misc_lower_bound(Call *call)
{
    const Datum *array = &call->args[0], *value = &call->args[call->count - 1];
    refuse_if(call, array->kind != DATUM_ARRAY || array->arrays->ndim != 1 || !array->arrays->storage ||
                        !is_scalar(value) || call->count == 3);
    const ArrayView *view = array->arrays;
    refuse_if(call, !type_is_single(type_canonical(view->type->array.dtype)));
    Math m = math_for(call->e, value->type, call->x->offset);
    int64_t low = 0, high = view->shape[0]; /* the last element is never passed: so is Warp's */
    if (call->count == 4) {
        low = datum_int(call->e, &call->args[1], call->x->offset);
        high = datum_int(call->e, &call->args[2], call->x->offset);
        if (low < 0 || high > view->shape[0] || low > high)
            stop_run(call->e, FINDING_OUT_OF_BOUNDS, call->x->offset,
                     "the bounds %lld and %lld of a search among %u elements", (long long)low, (long long)high,
                     view->shape[0]);
    }
    for (high--; low < high;) {
        int64_t middle = low + (high - low) / 2;
        if (number_less(&m, read_cell(call->e, view, middle, call->x->offset), value->cells[0]))
            low = middle + 1;
        else
            high = middle;
    }
    new_int_datum(call->e, TYPE_INT32, low, call->out);
}
