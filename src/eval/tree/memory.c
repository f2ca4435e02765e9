/* Variables: reading, copying, choosing, making; loops over ranges; what prints or checks does nothing here. */
#include "eval/tree/quick.h"

/* ---- copies ---- */

static void run_copy(Machine *m, const Op *op)
{
    tree_copy(RESULT(0), VALUE(0), op->outs[0].layout);
}

static void adj_copy(Machine *m, const Op *op)
{
    tree_accumulate(ADJOINT(0), ADJ_RESULT(0), op->outs[0].layout);
    tree_clear(ADJ_RESULT(0), op->outs[0].layout);
}

static void run_assign(Machine *m, const Op *op)
{
    tree_copy(VALUE(0), VALUE(1), op->args[0].layout);
}

/* Replaces the adjoint of the source: what it had before is lost. */
static void adj_assign(Machine *m, const Op *op)
{
    tree_copy(ADJOINT(1), ADJOINT(0), op->args[0].layout);
    tree_clear(ADJOINT(0), op->args[0].layout);
}

static Cell *target_of(Machine *m, const Op *op, const Cell *reference)
{
    Cell *at = CONST_REF_OF(reference)->at;
    if (!at)
        tree_fail(m, op, FINDING_UNSET_VARIABLE, "a reference that was never set is used");
    return at;
}

/* References to components are not replayed, what reads through them is: it reads through a wild pointer. */
static void run_load(Machine *m, const Op *op)
{
    const Cell *from = REF_OF(VALUE(0))->at;
    if (!from && m->backward) {
        tree_remark(m, op, FINDING_UNSET_VARIABLE, "the reverse pass reads through a pointer that it never set");
        tree_clear(RESULT(0), op->outs[0].layout);
    } else if (!from)
        target_of(m, op, VALUE(0));
    else
        tree_copy(RESULT(0), from, op->outs[0].layout);
}

static void run_store(Machine *m, const Op *op)
{
    Cell *to = target_of(m, op, VALUE(0));
    if (to)
        tree_copy(to, VALUE(1), op->args[1].layout);
}

/* ---- choosing ---- */

static void run_where(Machine *m, const Op *op)
{
    tree_copy(RESULT(0), tree_truth(VALUE(0), op->args[0].type) ? VALUE(1) : VALUE(2), op->outs[0].layout);
}

static void adj_where(Machine *m, const Op *op)
{
    tree_accumulate(tree_truth(VALUE(0), op->args[0].type) ? ADJOINT(1) : ADJOINT(2), ADJ_RESULT(0),
                    op->outs[0].layout);
}

/* The same bits as another type. */
static void run_bitcast(Machine *m, const Op *op)
{
    TypeKind from = op->args[0].type->kind, to = op->outs[0].type->kind;
    Cell value = *VALUE(0), *out = RESULT(0);
    union {
        uint64_t bits;
        float single;
        double real;
    } pun = {.bits = (uint64_t)value.integer};
    if (from == TYPE_FLOAT64)
        pun.real = value.real;
    else if (from == TYPE_FLOAT32)
        pun = (__typeof__(pun)){.single = (float)value.real};
    else if (from == TYPE_FLOAT16 || from == TYPE_BFLOAT16 || to == TYPE_FLOAT16 || to == TYPE_BFLOAT16) {
        tree_fail(m, op, FINDING_UNSUPPORTED, "a cast of the bits of a half");
        return;
    }
    if (to == TYPE_FLOAT64)
        out->real = pun.real;
    else if (to == TYPE_FLOAT32)
        out->real = (double)pun.single;
    else
        out->integer = tree_wrap((int64_t)pun.bits, to);
}

static void run_not(Machine *m, const Op *op)
{
    RESULT(0)->integer = !tree_truth(VALUE(0), op->args[0].type);
}

/* ---- ranges, slices, threads ---- */

enum { RANGE_START, RANGE_END, RANGE_STEP, RANGE_NOW };

static int64_t wrap32(int64_t value)
{
    return (int32_t)value;
}

static void run_range(Machine *m, const Op *op)
{
    Cell *range = RESULT(0);
    int64_t start = op->arg_count > 1 ? VALUE(0)->integer : 0;
    int64_t end = VALUE(op->arg_count > 1 ? 1 : 0)->integer;
    int64_t step = op->arg_count > 2 ? VALUE(2)->integer : 1;
    range[RANGE_START].integer = range[RANGE_NOW].integer = wrap32(start);
    range[RANGE_END].integer = wrap32(end);
    range[RANGE_STEP].integer = wrap32(step);
}

static void run_iter_next(Machine *m, const Op *op)
{
    Cell *range = VALUE(0);
    int64_t now = range[RANGE_NOW].integer;
    range[RANGE_NOW].integer = wrap32(now + range[RANGE_STEP].integer);
    RESULT(0)->integer = now;
}

static void quick_iter_next(Machine *m, const Op *op)
{
    Cell *range = IN(0);
    int64_t now = range[RANGE_NOW].integer;
    range[RANGE_NOW].integer = wrap32(now + range[RANGE_STEP].integer);
    OUT->integer = now;
    GO_ON(1);
}

void tree_quick_iter_next(Op *op, enum TreeVariant variant)
{
    (void)variant;
    if (place(op))
        op->quick = quick_iter_next;
}

/* Where the dialect does not know better, an empty range with a step above 1 has an iteration when it is reversed: the
 * division truncates towards zero. */
static void run_iter_reverse(Machine *m, const Op *op)
{
    const Cell *range = VALUE(0);
    Cell *out = RESULT(0);
    int64_t start = range[RANGE_START].integer, end = range[RANGE_END].integer, step = range[RANGE_STEP].integer;
    int64_t first = start, last = start - step;
    bool empty = step > 0 ? start >= end : start <= end;
    if (empty && m->dialect->empty_ranges_reverse)
        last = start;
    else if (step > 0)
        first = start + (end - start - 1) / step * step;
    else if (step < 0)
        first = start + (end - start + 1) / step * step;
    out[RANGE_START].integer = out[RANGE_NOW].integer = wrap32(first);
    out[RANGE_END].integer = wrap32(last);
    out[RANGE_STEP].integer = wrap32(-step);
}

static void run_slice(Machine *m, const Op *op)
{
    Cell *out = RESULT(0);
    for (uint32_t i = 0; i < SLICE_CELLS && i < op->arg_count; i++)
        out[i].integer = wrap32(VALUE(i)->integer);
}

static void run_tid(Machine *m, const Op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++)
        RESULT(i)->integer = m->thread[i];
}

static void run_block_dim(Machine *m, const Op *op)
{
    RESULT(0)->integer = m->block_dim ? m->block_dim : 1;
}

/* ---- tuples, shapes ---- */

/* Parts one after the other: tuples, and structs made from their fields. */
static void run_join(Machine *m, const Op *op)
{
    Cell *out = RESULT(0);
    for (uint32_t i = 0; i < op->arg_count; i++) {
        tree_copy(out, VALUE(i), op->args[i].layout);
        out += op->args[i].cells;
    }
    if (!op->arg_count)
        tree_clear(out, op->outs[0].layout);
}

static void adj_join(Machine *m, const Op *op)
{
    const Cell *adjoint = ADJ_RESULT(0);
    for (uint32_t i = 0; i < op->arg_count; i++) {
        if (op->args[i].layout->kinds[0] == CELL_ARRAY && op->args[i].cells == ARRAY_CELLS)
            tree_copy(ADJOINT(i), adjoint, op->args[i].layout);
        else
            tree_accumulate(ADJOINT(i), adjoint, op->args[i].layout);
        adjoint += op->args[i].cells;
    }
}

const TreeRow tree_join_row = {"", "", ANY(run_join), ANY(adj_join), NULL, NULL};

/* op->number: where the part lies. */
static void run_extract_part(Machine *m, const Op *op)
{
    tree_copy(RESULT(0), VALUE(0) + op->number, op->outs[0].layout);
}

const TreeRow tree_part_row = {"", "", ANY(run_extract_part), {0}, NULL, NULL};

static void run_extract_shape(Machine *m, const Op *op)
{
    int64_t index = VALUE(1)->integer;
    if (index < 0 || index >= SHAPE_CELLS)
        tree_fail(m, op, FINDING_OUT_OF_BOUNDS, "a shape has at most four dimensions");
    else
        RESULT(0)->integer = VALUE(0)[index].integer;
}

/* ---- making vectors, matrices, quaternions, transforms ---- */

static void convert_cells(const Op *op, Cell *out, const Cell *in, const TreeArg *from, uint32_t count)
{
    const TreeArg *to = &op->outs[0];
    const Type *to_type = type_scalar_of(to->type), *from_type = type_scalar_of(from->type);
    for (uint32_t i = 0; i < count; i++)
        out[i] = to_type == from_type ? in[i]
                                      : tree_convert(in[i], from_type, to_type, to->layout->kinds[0] == CELL_FLOAT64);
}

static void run_make(Machine *m, const Op *op)
{
    Cell *out = RESULT(0);
    uint32_t cells = op->outs[0].cells;
    if (!op->arg_count) {
        memset(out, 0, cells * sizeof *out);
        return;
    }
    bool fill = op->arg_count == 1 && op->args[0].cells == 1;
    uint32_t used = 0;
    for (uint32_t i = 0; i < op->arg_count && used < cells; i++) {
        uint32_t count = op->args[i].cells < cells - used ? op->args[i].cells : cells - used;
        convert_cells(op, out + used, VALUE(i), &op->args[i], count);
        used += count;
    }
    for (uint32_t i = 1; fill && i < cells; i++)
        out[i] = out[0];
}

static void add_adjoint(Cell *sum, double more, const TreeLayout *layout, uint32_t cell)
{
    if (layout->kinds[cell] <= CELL_FLOAT64)
        sum[cell].real = tree_round(sum[cell].real + tree_round(more, layout->kinds[cell]), layout->kinds[cell]);
}

static void adj_make(Machine *m, const Op *op)
{
    const Cell *adjoint = ADJ_RESULT(0);
    uint32_t cells = op->outs[0].cells;
    if (op->outs[0].layout->kinds[0] > CELL_FLOAT64)
        return;
    bool fill = op->arg_count == 1 && op->args[0].cells == 1;
    uint32_t used = 0;
    for (uint32_t i = 0; i < op->arg_count; i++) {
        Cell *sum = ADJOINT(i);
        for (uint32_t k = 0; k < (fill ? cells : op->args[i].cells) && used < cells; k++)
            add_adjoint(sum, adjoint[used++].real, op->args[i].layout, fill ? 0 : k);
    }
}

/* Vectors as columns or as rows of a matrix: cell k of vector i. */
static uint32_t cell_of(const Op *op, uint32_t vector, uint32_t k, bool columns)
{
    uint32_t cols = op->outs[0].type->composite.cols;
    return columns ? k * cols + vector : vector * cols + k;
}

static void make_from(Machine *m, const Op *op, bool columns)
{
    Cell *out = RESULT(0);
    for (uint32_t i = 0; i < op->arg_count; i++) {
        const Cell *vector = VALUE(i);
        for (uint32_t k = 0; k < op->args[i].cells; k++)
            out[cell_of(op, i, k, columns)] = vector[k];
    }
}

static void adj_make_from(Machine *m, const Op *op, bool columns)
{
    const Cell *adjoint = ADJ_RESULT(0);
    for (uint32_t i = 0; i < op->arg_count; i++) {
        Cell *sum = ADJOINT(i);
        for (uint32_t k = 0; k < op->args[i].cells; k++)
            add_adjoint(sum, adjoint[cell_of(op, i, k, columns)].real, op->args[i].layout, k);
    }
}

static void run_from_columns(Machine *m, const Op *op)
{
    make_from(m, op, true);
}

static void adj_from_columns(Machine *m, const Op *op)
{
    adj_make_from(m, op, true);
}

static void run_from_rows(Machine *m, const Op *op)
{
    make_from(m, op, false);
}

static void adj_from_rows(Machine *m, const Op *op)
{
    adj_make_from(m, op, false);
}

static void put_number(const Op *op, Cell *cell, int number)
{
    if (op->outs[0].layout->kinds[0] <= CELL_FLOAT64)
        cell->real = number;
    else
        cell->integer = number;
}

/* The identity of a square matrix, a quaternion, a transform. */
static void run_identity(Machine *m, const Op *op)
{
    Cell *out = RESULT(0);
    const TreeArg *to = &op->outs[0];
    memset(out, 0, to->cells * sizeof *out);
    if (to->type->kind == TYPE_MAT)
        for (uint32_t i = 0; i < to->type->composite.rows; i++)
            put_number(op, &out[i * to->type->composite.cols + i], 1);
    else
        put_number(op, &out[to->cells - 1], 1);
}

static void run_zeros(Machine *m, const Op *op)
{
    Cell *out = RESULT(0);
    TreeArray *array = ARRAY_OF(out);
    tree_clear(out, op->outs[0].layout);
    int64_t stride = array->width;
    array->ndim = op->arg_count;
    for (uint32_t i = op->arg_count; i-- > 0;) {
        array->shape[i].integer = VALUE(i)->integer;
        array->strides[i] = stride;
        stride *= array->shape[i].integer;
    }
}

/* ---- conversions ---- */

static void run_convert(Machine *m, const Op *op)
{
    *RESULT(0) =
        tree_convert(*VALUE(0), op->args[0].type, op->outs[0].type, op->outs[0].layout->kinds[0] == CELL_FLOAT64);
}

static void adj_convert(Machine *m, const Op *op)
{
    if (op->outs[0].layout->kinds[0] <= CELL_FLOAT64)
        add_adjoint(ADJOINT(0), ADJ_RESULT(0)->real, op->args[0].layout, 0);
}

/* ---- pointers to components ---- */

static void point_into(Machine *m, const Op *op, Cell *base)
{
    const Type *type = op->args[0].type;
    uint32_t rows = type->composite.rows, cols = type->composite.cols;
    int64_t row = (int32_t)VALUE(1)->integer, col = op->arg_count > 2 ? (int32_t)VALUE(2)->integer : 0;
    REF_OF(RESULT(0))->at = NULL;
    row += row < 0 ? rows : 0;
    col += col < 0 ? cols : 0;
    if (!base)
        tree_fail(m, op, FINDING_UNSET_VARIABLE, "a reference that was never set is used");
    else if (row < 0 || row >= rows || col < 0 || col >= cols)
        tree_fail(m, op, FINDING_OUT_OF_BOUNDS, "an index is outside the vector or matrix");
    else
        REF_OF(RESULT(0))->at = base + row * cols + col;
}

static void run_index(Machine *m, const Op *op)
{
    point_into(m, op, VALUE(0));
}

static void run_indexref(Machine *m, const Op *op)
{
    point_into(m, op, REF_OF(VALUE(0))->at);
}

static void run_nothing(Machine *m, const Op *op)
{
    (void)m;
    (void)op;
}

static const TreeRow rows[] = {
#define MEMORY_ROWS
#include "eval/tree/builtin.def"
};

const TreeFamily tree_memory_family = {rows, sizeof rows / sizeof *rows};
