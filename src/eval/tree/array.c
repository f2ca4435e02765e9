/* Arrays: elements, views, stores, atomics, and where their adjoints go. */
#include "eval/tree/machine.h"

#include <math.h>
#include <string.h>

/* ---- addressing ---- */

static int64_t index_at(const Machine *m, const TreeArg *index)
{
    return (int32_t)tree_at(m, index->value)->integer; /* the native functions take int */
}

/* A local array's adjoint is one-dimensional whatever the array is: its second index has no stride. */
static Cell *element_unchecked(Machine *m, const Op *op, const TreeArray *array, Cell *base, const TreeArg *indices,
                               uint32_t count)
{
    int64_t offset = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t index = index_at(m, &indices[i]);
        offset += (index < 0 ? index + array->shape[i].integer : index) * array->strides[i];
    }
    if (offset < -array->before || offset + array->width > array->size) {
        tree_fail(m, op, FINDING_OUT_OF_BOUNDS, "an index is outside the adjoint of a local array");
        return NULL;
    }
    return base + offset;
}

/* The array itself may say nothing of its bounds: reading `a.shape` makes the reverse pass clear the shape of a's
 * adjoint, after which only negative indices go wrong. */
static Cell *element_within(Machine *m, const Op *op, const TreeArray *array, Cell *base, const TreeArray *bounds,
                            const TreeArg *indices, uint32_t count)
{
    int64_t offset = 0;
    bool inside = true;
    for (uint32_t i = 0; i < count; i++) {
        int64_t index = index_at(m, &indices[i]);
        if (index < 0)
            index += array->shape[i].integer;
        inside &= index >= 0 && index < bounds->shape[i].integer;
        offset += index * array->strides[i];
    }
    if (!inside || offset < -array->before || offset + array->width > array->size) {
        tree_fail(m, op, FINDING_OUT_OF_BOUNDS, "an index is outside the array");
        return NULL;
    }
    return base + offset;
}

Cell *tree_element(Machine *m, const Op *op, const TreeArray *array, bool grad, const TreeArg *indices, uint32_t count)
{
    Cell *base = grad ? array->grad : array->data;
    if (!base) {
        tree_fail(m, op, FINDING_UNSET_VARIABLE,
                  grad ? "an array without gradients is used where they are needed"
                       : "an array that was never set is used");
        return NULL;
    }
    if (array->ndim != count)
        return element_unchecked(m, op, array, base, indices, count);
    return element_within(m, op, array, base, array, indices, count);
}

Cell *tree_named_element(Machine *m, const Op *op, const TreeArg *indices, uint32_t count)
{
    const TreeArray *array = ARRAY_OF(VALUE(0));
    Cell *element = tree_element(m, op, array, false, indices, count);
    if (m->path_sum && element)
        path_sum_element(m->path_sum, (uint64_t)(element - array->data + array->before));
    return element;
}

Cell *tree_adjoint_element(Machine *m, const Op *op, const TreeArray *array, const TreeArray *adjoint,
                           const TreeArg *indices, uint32_t count, bool *is_own_grad)
{
    if (adjoint->data) {
        *is_own_grad = array->grad && adjoint->data == array->grad;
        if (adjoint->ndim != count)
            return element_unchecked(m, op, adjoint, adjoint->data, indices, count);
        return element_within(m, op, adjoint, adjoint->data, array, indices, count);
    }
    *is_own_grad = true;
    return array->grad ? tree_element(m, op, array, true, indices, count) : NULL;
}

/* ---- views ---- */

enum { SLICE_WHOLE_START = INT32_MAX, SLICE_WHOLE_STOP = INT32_MIN };

static int64_t clamp_to(int64_t value, int64_t length)
{
    value = value < -length ? -length : value > length ? length : value;
    return value < 0 ? value + length : value;
}

static int64_t slice_length(int64_t start, int64_t stop, int64_t step)
{
    if (step > 0 && start < stop)
        return 1 + (stop - start - 1) / step;
    if (step < 0 && start > stop)
        return 1 + (start - stop - 1) / -step;
    return 0;
}

static bool view_index(Machine *m, const Op *op, int64_t index, int64_t length, int64_t *out)
{
    *out = index < 0 ? index + length : index;
    if (*out >= 0 && *out < length)
        return true;
    tree_fail(m, op, FINDING_OUT_OF_BOUNDS, "the index of a view is outside the array");
    return false;
}

bool tree_view(Machine *m, const Op *op, const TreeArray *from, const TreeArg *indices, uint32_t count, TreeArray *out)
{
    TreeArray view = *from;
    int64_t offset = 0;
    uint32_t dim = 0;
    if (!from->data || count > from->ndim) {
        tree_fail(m, op, FINDING_UNSET_VARIABLE, "a view of an array that was never set");
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const Cell *index = tree_at(m, indices[i].value);
        int64_t length = from->shape[i].integer, start;
        bool slice = indices[i].cells == SLICE_CELLS;
        int64_t step = slice ? (int32_t)index[2].integer : 0;
        if (slice && !step && m->dialect->step_zero_stops) {
            tree_fail(m, op, FINDING_OUT_OF_BOUNDS, "the step of a slice is zero");
            return false;
        }
        if (!step) {
            if (!view_index(m, op, (int32_t)index[0].integer, length, &start))
                return false;
        } else {
            int64_t first = (int32_t)index[0].integer, last = (int32_t)index[1].integer;
            start = first == SLICE_WHOLE_START ? (step < 0 ? length - 1 : 0) : clamp_to(first, length);
            int64_t stop = last == SLICE_WHOLE_STOP ? (step < 0 ? -1 : length) : clamp_to(last, length);
            view.shape[dim].integer = slice_length(start, stop, step);
            view.strides[dim++] = from->strides[i] * step;
        }
        offset += start * from->strides[i];
    }
    for (uint32_t i = count; i < 4; i++, dim++) {
        view.shape[dim] = from->shape[i];
        view.strides[dim] = from->strides[i];
    }
    for (; dim < 4; dim++) {
        view.shape[dim].integer = 0;
        view.strides[dim] = 0;
    }
    view.ndim = from->ndim;
    for (uint32_t i = 0; i < count; i++)
        view.ndim -= !(indices[i].cells == SLICE_CELLS && tree_at(m, indices[i].value)[2].integer);
    view.data += offset;
    view.before += offset;
    view.size -= offset;
    if (view.grad)
        view.grad += offset;
    *out = view;
    return true;
}

static void run_view(Machine *m, const Op *op)
{
    TreeArray view;
    if (tree_view(m, op, ARRAY_OF(VALUE(0)), op->args + 1, op->arg_count - 1, &view))
        memcpy(RESULT(0), &view, sizeof view);
}

/* ---- reading and storing ---- */

static void run_address(Machine *m, const Op *op)
{
    Cell *element = tree_named_element(m, op, op->args + 1, op->arg_count - 1);
    REF_OF(RESULT(0))->at = element;
}

static Cell *adjoint_target(Machine *m, const Op *op, uint32_t index_count, bool *is_own_grad)
{
    return tree_adjoint_element(m, op, ARRAY_OF(VALUE(0)), ARRAY_OF(ADJOINT(0)), op->args + 1, index_count,
                                is_own_grad);
}

/* sum = |sum| + |more|: see TreeRun.sizes */
static void add_sizes(Cell *sum, const Cell *more, const TreeLayout *layout)
{
    for (uint32_t i = 0; i < layout->cells; i++)
        if (layout->kinds[i] <= CELL_FLOAT64)
            sum[i].real = tree_round(fabs(sum[i].real) + fabs(more[i].real), layout->kinds[i]);
}

static void adj_address(Machine *m, const Op *op)
{
    bool own;
    Cell *grad = adjoint_target(m, op, op->arg_count - 1, &own);
    if (grad && m->sizes)
        add_sizes(grad, ADJ_RESULT(0), op->outs[0].layout);
    else if (grad)
        tree_accumulate(grad, ADJ_RESULT(0), op->outs[0].layout);
}

static void run_array_store(Machine *m, const Op *op)
{
    const TreeArg *value = &op->args[op->arg_count - 1];
    Cell *element = tree_named_element(m, op, op->args + 1, op->arg_count - 2);
    if (element)
        tree_copy(element, tree_at(m, value->value), value->layout);
}

static void adj_array_store(Machine *m, const Op *op)
{
    bool own;
    const TreeArg *value = &op->args[op->arg_count - 1];
    Cell *grad = adjoint_target(m, op, op->arg_count - 2, &own);
    if (!grad)
        return;
    tree_accumulate(tree_at(m, value->adjoint), grad, value->layout);
    if (own)
        tree_clear(grad, value->layout);
}

/* ---- atomics: one thread runs at a time ---- */

static double combine_reals(double old, double value, AtomicKind kind)
{
    switch (kind) {
    case ATOMIC_ADD: return old + value;
    case ATOMIC_SUB: return old - value;
    case ATOMIC_MIN: return old <= value ? old : value == value ? value : old;
    case ATOMIC_MAX: return old >= value ? old : value == value ? value : old;
    default: return value;
    }
}

static bool is_less(int64_t a, int64_t b, TypeKind kind)
{
    return kind == TYPE_UINT64 ? (uint64_t)a < (uint64_t)b : a < b;
}

static int64_t combine_integers(int64_t old, int64_t value, AtomicKind kind, TypeKind type)
{
    switch (kind) {
    case ATOMIC_ADD: return tree_wrap((int64_t)((uint64_t)old + (uint64_t)value), type);
    case ATOMIC_SUB: return tree_wrap((int64_t)((uint64_t)old - (uint64_t)value), type);
    case ATOMIC_MIN: return is_less(value, old, type) ? value : old;
    case ATOMIC_MAX: return is_less(old, value, type) ? value : old;
    case ATOMIC_AND: return old & value;
    case ATOMIC_OR: return old | value;
    case ATOMIC_XOR: return old ^ value;
    default: return value;
    }
}

void tree_combine(const Machine *m, AtomicKind kind, Cell *cells, const Cell *value, Cell *old, const TreeArg *like)
{
    TypeKind type = type_scalar_of(like->type)->kind;
    if (m->sizes && (kind == ATOMIC_ADD || kind == ATOMIC_SUB) && like->layout->kinds[0] <= CELL_FLOAT64) {
        if (old)
            tree_copy(old, cells, like->layout);
        add_sizes(cells, value, like->layout);
        return;
    }
    for (uint32_t i = 0; i < like->cells; i++) {
        Cell before = cells[i];
        if (like->layout->kinds[i] <= CELL_FLOAT64)
            cells[i].real = tree_round(combine_reals(before.real, value[i].real, kind), like->layout->kinds[i]);
        else
            cells[i].integer = combine_integers(before.integer, value[i].integer, kind, type);
        if (old)
            old[i] = before;
    }
}

static void atomic(Machine *m, const Op *op, AtomicKind kind)
{
    const TreeArg *value = &op->args[op->arg_count - 1];
    Cell *element = tree_named_element(m, op, op->args + 1, op->arg_count - 2);
    if (element)
        tree_combine(m, kind, element, tree_at(m, value->value), op->out_count ? RESULT(0) : NULL, value);
}

#define ATOMIC(name, kind)                                                                                             \
    static void name(Machine *m, const Op *op)                                                                         \
    {                                                                                                                  \
        atomic(m, op, kind);                                                                                           \
    }
ATOMIC(run_atomic_add, ATOMIC_ADD)
ATOMIC(run_atomic_sub, ATOMIC_SUB)
ATOMIC(run_atomic_min, ATOMIC_MIN)
ATOMIC(run_atomic_max, ATOMIC_MAX)
ATOMIC(run_atomic_exch, ATOMIC_EXCH)
ATOMIC(run_atomic_and, ATOMIC_AND)
ATOMIC(run_atomic_or, ATOMIC_OR)
ATOMIC(run_atomic_xor, ATOMIC_XOR)
#undef ATOMIC

static bool cells_equal(const Cell *a, const Cell *b, const TreeLayout *layout)
{
    for (uint32_t i = 0; i < layout->cells; i++) {
        bool real = layout->kinds[i] <= CELL_FLOAT64;
        if (real ? a[i].real != b[i].real : a[i].integer != b[i].integer)
            return false;
    }
    return true;
}

static void run_atomic_cas(Machine *m, const Op *op)
{
    const TreeArg *compare = &op->args[op->arg_count - 2], *value = &op->args[op->arg_count - 1];
    Cell *element = tree_named_element(m, op, op->args + 1, op->arg_count - 3);
    if (!element)
        return;
    bool equal = cells_equal(element, tree_at(m, compare->value), compare->layout);
    if (op->out_count)
        tree_copy(RESULT(0), element, value->layout);
    if (equal)
        tree_copy(element, tree_at(m, value->value), value->layout);
}

void tree_add_adjoint(Cell *adjoint, double sign, const Cell *more, const TreeArg *like)
{
    for (uint32_t i = 0; i < like->cells; i++)
        if (like->layout->kinds[i] <= CELL_FLOAT64)
            adjoint[i].real = tree_round(adjoint[i].real + sign * more[i].real, like->layout->kinds[i]);
}

/* The adjoint of the old value that an atomic returns is lost. */
static void adj_atomic_sum(Machine *m, const Op *op, double sign)
{
    bool own;
    const TreeArg *value = &op->args[op->arg_count - 1];
    const Cell *grad = adjoint_target(m, op, op->arg_count - 2, &own);
    if (grad)
        tree_add_adjoint(tree_at(m, value->adjoint), sign, grad, value);
}

static void adj_atomic_add(Machine *m, const Op *op)
{
    adj_atomic_sum(m, op, 1.0);
}

static void adj_atomic_sub(Machine *m, const Op *op)
{
    adj_atomic_sum(m, op, -1.0);
}

/* Every thread whose value equals what the element holds in the end gets the gradient. */
static void adj_atomic_minmax(Machine *m, const Op *op)
{
    bool own;
    const TreeArg *value = &op->args[op->arg_count - 1];
    const Cell *grad = adjoint_target(m, op, op->arg_count - 2, &own);
    if (!grad)
        return;
    const Cell *element = tree_element(m, op, ARRAY_OF(VALUE(0)), false, op->args + 1, op->arg_count - 2);
    if (!element)
        return;
    const Cell *given = tree_at(m, value->value);
    Cell *adjoint = tree_at(m, value->adjoint);
    for (uint32_t i = 0; i < value->cells; i++) {
        if (value->layout->kinds[i] > CELL_FLOAT64)
            continue;
        bool same = given[i].real == element[i].real || (isnan(given[i].real) && isnan(element[i].real));
        if (same)
            adjoint[i].real = tree_round(adjoint[i].real + grad[i].real, value->layout->kinds[i]);
    }
}

/* Not Warp's: what was replaced gets nothing of what its successor got. */
static void clear_extremum(Machine *m, const Op *op)
{
    bool own;
    const TreeArg *value = &op->args[op->arg_count - 1];
    Cell *grad = adjoint_target(m, op, op->arg_count - 2, &own);
    const Cell *element = tree_element(m, op, ARRAY_OF(VALUE(0)), false, op->args + 1, op->arg_count - 2);
    const Cell *given = tree_at(m, value->value);
    for (uint32_t i = 0; grad && element && i < value->cells; i++)
        if (value->layout->kinds[i] <= CELL_FLOAT64 && given[i].real == element[i].real)
            grad[i].real = 0;
}

/* Not Warp's: the old value was in the element. */
static void return_old(Machine *m, const Op *op)
{
    bool own;
    Cell *grad = op->out_count ? adjoint_target(m, op, op->arg_count - 2, &own) : NULL;
    if (grad)
        tree_accumulate(grad, ADJ_RESULT(0), op->outs[0].layout);
}

const TreeFn tree_op_clear_extremum = clear_extremum, tree_op_return_old = return_old;

/* ---- questions ---- */

static void run_len(Machine *m, const Op *op)
{
    RESULT(0)->integer = ARRAY_OF(VALUE(0))->shape[0].integer;
}

static bool comes_before(Cell a, Cell b, const TreeArg *value)
{
    if (value->layout->kinds[0] <= CELL_FLOAT64)
        return a.real < b.real;
    return is_less(a.integer, b.integer, value->type->kind);
}

static void run_lower_bound(Machine *m, const Op *op)
{
    const TreeArray *array = ARRAY_OF(VALUE(0));
    const TreeArg *value = &op->args[op->arg_count - 1];
    bool whole = op->arg_count == 2;
    int64_t lower = whole ? 0 : (int32_t)VALUE(1)->integer;
    int64_t upper = (whole ? array->shape[0].integer : (int32_t)VALUE(2)->integer) - 1;
    Cell wanted = *tree_at(m, value->value);
    while (lower < upper) {
        int64_t middle = lower + (upper - lower) / 2;
        if (!array->data || middle < 0 || middle >= array->shape[0].integer || array->strides[0] < 1) {
            tree_fail(m, op, FINDING_OUT_OF_BOUNDS, "lower_bound searches outside the array");
            return;
        }
        /* arr[i] of an array is a plain pointer there: the stride does not count */
        if (comes_before(array->data[middle], wanted, value))
            lower = middle + 1;
        else
            upper = middle;
    }
    RESULT(0)->integer = lower;
}

static const TreeRow rows[] = {
#define ARRAY_ROWS
#include "eval/tree/builtin.def"
};

const TreeFamily tree_array_family = {rows, sizeof rows / sizeof *rows};
