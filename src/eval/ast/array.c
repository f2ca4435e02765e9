/* Arrays: elements, views, reading and writing, atomics, races between threads. */
#include "eval/ast/number.h"

#include <limits.h>
#include <string.h>

/* ---- views ---- */

void view_of_storage(Storage *storage, const Type *type, uint32_t ndim, const uint32_t *shape, ArrayView *view)
{
    *view = (ArrayView){.storage = storage, .type = type, .ndim = ndim};
    int64_t stride = 1;
    for (uint32_t i = ndim; i-- > 0;) {
        view->shape[i] = shape[i];
        view->stride[i] = stride;
        stride *= shape[i];
    }
}

void view_datum(ArrayView *view, Datum *out)
{
    *out = (Datum){.kind = DATUM_ARRAY, .type = view->type, .arrays = view};
}

static int64_t element_index(Evaluator *e, const Datum *index, uint32_t length, uint32_t offset)
{
    int64_t i = datum_int(e, index, offset);
    if (i < -(int64_t)length || i >= (int64_t)length)
        stop_run(e, FINDING_OUT_OF_BOUNDS, offset, "index %lld of %u elements", (long long)i, length);
    if (i < 0 && e->run->front_only)
        stop_run(e, FINDING_OUT_OF_BOUNDS, offset, "index %lld is computed, and counts from the end", (long long)i);
    return i < 0 ? i + length : i;
}

static int64_t clamp_bound(int64_t value, int64_t length)
{
    int64_t clamped = value < -length ? -length : value > length ? length : value;
    return clamped < 0 ? clamped + length : clamped;
}

/* What Warp's own view does with a slice: start and stop are clamped to the array. */
static void slice_dimension(Evaluator *e, const Datum *slice, uint32_t length, uint32_t offset, int64_t *first,
                            uint32_t *count)
{
    int64_t step = slice->bounds[2], n = length;
    if (step == 0)
        stop_run(e, FINDING_OUT_OF_BOUNDS, offset, "the step of a slice is zero");
    int64_t start = slice->bounds[0] == INT32_MAX ? (step < 0 ? n - 1 : 0) : clamp_bound(slice->bounds[0], n);
    int64_t end = slice->bounds[1] == INT32_MIN ? (step < 0 ? -1 : n) : clamp_bound(slice->bounds[1], n);
    int64_t span = step > 0 ? end - start : start - end, size = step > 0 ? step : -step;
    *first = start;
    *count = span > 0 ? (uint32_t)((span + size - 1) / size) : 0;
}

void index_view(Evaluator *e, const ArrayView *view, const Datum *indices, uint32_t count, uint32_t offset, Datum *out)
{
    if (!view->storage)
        stop_run(e, FINDING_OUT_OF_BOUNDS, offset, "an element of an array that has no memory");
    bool element = count == view->ndim;
    int64_t at = view->offset;
    for (uint32_t i = 0; i < count && element; i++) {
        if (indices[i].kind == DATUM_SLICE) {
            element = false;
            break;
        }
        at += element_index(e, &indices[i], view->shape[i], offset) * view->stride[i];
    }
    if (element) {
        if (e->run->path_sum)
            path_sum_element(e->run->path_sum, (uint64_t)at * view->storage->width);
        *out = (Datum){.kind = DATUM_ELEMENT,
                       .type = type_canonical(view->type->array.dtype),
                       .storage = view->storage,
                       .first_cell = (size_t)at * view->storage->width};
        return;
    }
    ArrayView *result = scratch(e, sizeof *result);
    *result = (ArrayView){.storage = view->storage, .type = view->type, .offset = view->offset};
    for (uint32_t i = 0; i < view->ndim; i++) {
        if (i < count && indices[i].kind != DATUM_SLICE) {
            result->offset += element_index(e, &indices[i], view->shape[i], offset) * view->stride[i];
            continue;
        }
        uint32_t k = result->ndim++;
        result->shape[k] = view->shape[i];
        result->stride[k] = view->stride[i];
        if (i < count) {
            int64_t first;
            slice_dimension(e, &indices[i], view->shape[i], offset, &first, &result->shape[k]);
            if (result->shape[k])
                result->offset += first * view->stride[i];
            result->stride[k] *= indices[i].bounds[2];
        }
    }
    result->type =
        type_array(e->unit->types, view->type->array.cls == ARRAY_FIXED ? ARRAY_PLAIN : view->type->array.cls,
                   view->type->array.dtype, result->ndim);
    view_datum(result, out);
}

/* ---- races ---- */

static _Noreturn void stop_race(Evaluator *e, uint32_t offset, const char *what)
{
    stop_run(e, FINDING_RACE, offset, "an element that another thread %s", what);
}

static inline bool others(uint32_t who, uint32_t me)
{
    return who && who != me;
}

static inline void note(uint32_t *who, uint32_t me)
{
    *who = *who && *who != me ? MANY_THREADS : me;
}

/* An element that one thread reads, another may only read; likewise with atomic updates. */
void note_access(Evaluator *e, Shadow *shadow, uint32_t width, AccessKind kind, uint32_t offset)
{
    static const char *const messages[][3] = {
        [ACCESS_READ] = {"has written is read", NULL, "updates atomically is read"},
        [ACCESS_WRITE] = {"has written is written", "has read is written", "updates atomically is written"},
        [ACCESS_UPDATE] = {"has written is updated atomically", "has read is updated atomically", NULL},
    };
    uint32_t me = e->thread + 1;
    const char *const *message = messages[kind];
    for (uint32_t i = 0; i < width; i++) {
        Shadow *cell = &shadow[i];
        if (others(cell->writer, me))
            stop_race(e, offset, message[0]);
        if (message[1] && others(cell->reader, me))
            stop_race(e, offset, message[1]);
        if (message[2] && others(cell->updater, me))
            stop_race(e, offset, message[2]);
        if (kind == ACCESS_WRITE && e->lane_count > 1) {
            e->run->lanes_meet |= cell->lane && cell->lane != e->lane + 1;
            cell->lane = e->lane + 1;
        }
        note(kind == ACCESS_READ ? &cell->reader : kind == ACCESS_WRITE ? &cell->writer : &cell->updater, me);
    }
}

/* ---- reading and writing ---- */

void fetch_cells(const Storage *storage, size_t first, uint32_t width, Dual *cells)
{
    for (uint32_t i = 0; i < width; i++) {
        cells[i].integer = storage->cells[first + i].integer;
        cells[i].tangent = storage->tangents ? storage->tangents[first + i] : 0;
    }
}

static void put(Storage *storage, size_t first, uint32_t width, const Dual *cells)
{
    for (uint32_t i = 0; i < width; i++) {
        storage->cells[first + i].integer = cells[i].integer;
        if (storage->tangents)
            storage->tangents[first + i] = cells[i].tangent;
    }
}

void note_read(Evaluator *e, const Datum *element, uint32_t width, uint32_t offset)
{
    if (element->storage->shadow)
        note_access(e, element->storage->shadow + element->first_cell, width, ACCESS_READ, offset);
}

void load_datum(Evaluator *e, Datum *datum, uint32_t offset)
{
    if (datum->kind != DATUM_ELEMENT)
        return;
    const Storage *storage = datum->storage;
    size_t first = datum->first_cell;
    if (type_is_single(datum->type)) { /* the common case */
        if (storage->shadow)
            note_access(e, storage->shadow + first, 1, ACCESS_READ, offset);
        fetch_cells(storage, first, 1, new_scalar(e, datum->type, datum));
        return;
    }
    uint32_t width = cells_of_type(e, datum->type, offset);
    if (storage->shadow)
        note_access(e, storage->shadow + first, width, ACCESS_READ, offset);
    Dual *cells = new_datum(e, datum->type, width, datum);
    fetch_cells(storage, first, width, cells);
}

void store_element_cells(Evaluator *e, const Datum *place, const Dual *cells, uint32_t offset)
{
    uint32_t width = type_is_single(place->type) ? 1 : cells_of_type(e, place->type, offset);
    if (place->storage->shadow)
        note_access(e, place->storage->shadow + place->first_cell, width, ACCESS_WRITE, offset);
    put(place->storage, place->first_cell, width, cells);
}

Dual read_cell(Evaluator *e, const ArrayView *view, int64_t index, uint32_t offset)
{
    size_t first = (size_t)(view->offset + index * view->stride[0]) * view->storage->width;
    if (view->storage->shadow)
        note_access(e, view->storage->shadow + first, 1, ACCESS_READ, offset);
    Dual cell;
    fetch_cells(view->storage, first, 1, &cell);
    return cell;
}

/* ---- atomics ---- */

static Dual combine(const Math *m, AtomicOp op, Dual old, Dual value)
{
    switch (op) {
    case ATOMIC_ADD: return number_add(m, old, value);
    case ATOMIC_SUB: return number_sub(m, old, value);
    case ATOMIC_MIN: return number_min(m, old, value);
    case ATOMIC_MAX: return number_max(m, old, value);
    case ATOMIC_AND: return number_bits(m, OP_BIT_AND, old, value);
    case ATOMIC_OR: return number_bits(m, OP_BIT_OR, old, value);
    case ATOMIC_XOR: return number_bits(m, OP_BIT_XOR, old, value);
    default: return value;
    }
}

void atomic_update(Evaluator *e, const Expr *x, const Datum *place, AtomicOp op, const Datum *value,
                   const Datum *compare, Datum *old)
{
    if (place->kind != DATUM_ELEMENT || place->selection || value->kind != DATUM_VALUE ||
        place->type->kind == TYPE_STRUCT)
        stop_unsupported(e, x->offset, "an atomic operation on %s", datum_text(e, place));
    uint32_t width = cells_of_type(e, place->type, x->offset);
    if (cells_of_type(e, value->type, x->offset) != width)
        stop_unsupported(e, x->offset, "%s cannot be combined with %s", datum_text(e, value),
                         type_message(e, place->type));
    Storage *storage = place->storage;
    if (storage->shadow)
        note_access(e, storage->shadow + place->first_cell, width, ACCESS_UPDATE, x->offset);
    Datum before;
    Dual *cells = new_datum(e, place->type, width, &before);
    fetch_cells(storage, place->first_cell, width, cells);
    if (old)
        *old = before;
    Math m = math_for(e, type_scalar_of(place->type), x->offset);
    TypeKind from = type_scalar_of(value->type)->kind;
    if (op == ATOMIC_CAS) {
        for (uint32_t i = 0; i < width; i++)
            if (!number_equal(&m, cells[i], compare->cells[i]))
                return;
    }
    Dual *after = scratch(e, width * sizeof *after);
    for (uint32_t i = 0; i < width; i++)
        after[i] = combine(&m, op, cells[i], convert_scalar(e, value->cells[i], from, m.kind, x->offset));
    put(storage, place->first_cell, width, after);
}
