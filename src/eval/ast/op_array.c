/* Operations on elements of arrays: where they are, reading, writing, atomics. */
#include "eval/ast/code.h"

static void index_by_operands(Evaluator *e, const Op *op, Datum *out)
{
    Datum indices[4];
    for (uint32_t i = 0; i < op->count; i++)
        indices[i] = operand_datum(type_scalar(TYPE_INT32), op->in[i]);
    if (op->x->eval == eval_subscript)
        index_array(e, op->x, op->view, indices, op->count, out);
    else
        index_view(e, op->view, indices, op->count, op->x->offset, out); /* of an atomic function */
}

/* Indices that are not simply within the array. */
static size_t find_element(Evaluator *e, const Op *op)
{
    Datum element;
    ScratchMark mark = scratch_mark(e);
    index_by_operands(e, op, &element);
    if (element.kind != DATUM_ELEMENT)
        stop_unforeseen(e, op, &element);
    scratch_release(e, mark);
    return element.first_cell;
}

/* The first cell of an element, from its indices. */
static inline size_t element_of(Evaluator *e, const Op *op, uint32_t count)
{
    const ArrayView *view = op->view;
    if (!view->storage || view->ndim != count)
        return find_element(e, op);
    int64_t at = view->offset;
    for (uint32_t i = 0; i < count; i++) {
        int64_t index = op->in[i]->integer;
        if (index < 0 || index >= view->shape[i])
            return find_element(e, op);
        at += index * view->stride[i];
    }
    size_t first = (size_t)at * view->storage->width;
    if (e->run->path_sum)
        path_sum_element(e->run->path_sum, first);
    return first;
}

static inline bool by_others(uint32_t who, uint32_t me)
{
    return who && who != me;
}

/* As note_access(), to which everything is left that may be a race. */
static inline void note_reading(Evaluator *e, Shadow *shadow, uint32_t width, uint32_t offset)
{
    uint32_t me = e->thread + 1;
    for (uint32_t i = 0; i < width; i++) {
        Shadow *cell = &shadow[i];
        if (by_others(cell->writer, me) || by_others(cell->updater, me))
            note_access(e, cell, 1, ACCESS_READ, offset);
        cell->reader = by_others(cell->reader, me) ? MANY_THREADS : me;
    }
}

static inline void read_cells(Evaluator *e, const Op *op, size_t first)
{
    const Storage *storage = op->view->storage;
    Dual *out = op->out;
    uint32_t width = op->width;
    if (storage->shadow)
        note_reading(e, storage->shadow + first, width, op->offset);
    const Cell *cells = storage->cells + first;
    const double *tangents = storage->tangents;
    for (uint32_t i = 0; i < width; i++) {
        out[i].integer = cells[i].integer;
        out[i].tangent = tangents ? tangents[first + i] : 0;
    }
}

static inline void write_cells(Evaluator *e, const Op *op, size_t first)
{
    Storage *storage = op->view->storage;
    const Dual *from = op->more;
    if (storage->shadow)
        note_access(e, storage->shadow + first, op->width, ACCESS_WRITE, op->offset);
    for (uint32_t i = 0; i < op->width; i++) {
        storage->cells[first + i].integer = from[i].integer;
        if (storage->tangents)
            storage->tangents[first + i] = from[i].tangent;
    }
}

const Op *op_shape(Evaluator *e, const Op *op)
{
    *op->out = (Dual){.integer = op->view->shape[part_index(e, op->skip, op->view->ndim, op->offset)]};
    return op + 1;
}

/* Fewer indices than dimensions. */
const Op *op_view(Evaluator *e, const Op *op)
{
    Datum part;
    ScratchMark mark = scratch_mark(e);
    index_by_operands(e, op, &part);
    if (part.kind != DATUM_ARRAY || part.type != op->type)
        stop_unforeseen(e, op, &part);
    *(ArrayView *)op->more = *part.arrays;
    scratch_release(e, mark);
    return op + 1;
}

/* A variable that is an array. */
const Op *op_set_array(Evaluator *e, const Op *op)
{
    (void)e;
    Slot *slot = op->more;
    slot->arrays[0] = *op->view;
    slot->datum.kind = DATUM_ARRAY;
    return op + 1;
}

const Op *op_address(Evaluator *e, const Op *op)
{
    *op->out = (Dual){.integer = (int64_t)element_of(e, op, op->count)};
    return op + 1;
}

/* A part further on, by an index that is computed: of `count` parts, of `width` cells each. */
const Op *op_part(Evaluator *e, const Op *op)
{
    uint32_t part = part_index(e, op->in[1]->integer, op->count, op->offset);
    *op->out = (Dual){.integer = op->in[0]->integer + (int64_t)part * op->width};
    return op + 1;
}

/* Reading and writing an element: one that was found before, one of one dimension, one of any. */
#define ELEMENT_OPERATION(name, touch)                                                                                 \
    const Op *op_##name##_at(Evaluator *e, const Op *op)                                                               \
    {                                                                                                                  \
        touch(e, op, (size_t)op->in[0]->integer + op->skip);                                                           \
        return op + 1;                                                                                                 \
    }                                                                                                                  \
    const Op *op_##name##_1(Evaluator *e, const Op *op)                                                                \
    {                                                                                                                  \
        touch(e, op, element_of(e, op, 1) + op->skip);                                                                 \
        return op + 1;                                                                                                 \
    }                                                                                                                  \
    const Op *op_##name(Evaluator *e, const Op *op)                                                                    \
    {                                                                                                                  \
        touch(e, op, element_of(e, op, op->count) + op->skip);                                                         \
        return op + 1;                                                                                                 \
    }
ELEMENT_OPERATION(load, read_cells)
ELEMENT_OPERATION(store, write_cells)

/* place += value; also the functions that do so, and give what was there before. */
const Op *op_update(Evaluator *e, const Op *op)
{
    Datum value = operand_datum(op->in_type[1], op->in[1]), old;
    Datum place = {.kind = DATUM_ELEMENT,
                   .type = op->type,
                   .storage = op->view->storage,
                   .first_cell = (size_t)op->in[0]->integer + op->skip};
    ScratchMark mark = scratch_mark(e);
    atomic_update(e, op->x, &place, (AtomicOp)op->variant, &value, NULL, &old);
    if (op->out)
        take_outcome(e, op, &old);
    scratch_release(e, mark);
    return op + 1;
}
