/* Elements, rows and slices of vectors, quaternions, transforms and matrices: reading and changing them. */
#include "eval/tree/machine.h"

#include <string.h>

enum { MAX_SELECTED = 1024 };

/* Which cells of the aggregate the indices select, in the order of the value. */
typedef struct Selection {
    uint32_t cells[MAX_SELECTED];
    uint32_t count;
} Selection;

typedef struct Line { /* the rows, or the columns */
    int64_t start, stop, step;
} Line;

static Line whole(int64_t length)
{
    return (Line){0, length, 1};
}

static bool read_line(Machine *m, const Op *op, const TreeArg *index, int64_t length, Line *line)
{
    const Cell *at = tree_at(m, index->value);
    if (index->cells == SLICE_CELLS) {
        *line = (Line){(int32_t)at[0].integer, (int32_t)at[1].integer, (int32_t)at[2].integer};
        bool forward = line->step > 0 && line->start >= 0 && line->stop <= length;
        bool backward = line->step < 0 && line->start < length && line->stop >= -1;
        if (!forward && !backward) {
            tree_fail(m, op, FINDING_OUT_OF_BOUNDS, "a slice is outside the vector or matrix");
            return false;
        }
        return true;
    }
    int64_t i = (int32_t)at->integer;
    i += i < 0 ? length : 0;
    if (i < 0 || i >= length) {
        tree_fail(m, op, FINDING_OUT_OF_BOUNDS, "an index is outside the vector or matrix");
        return false;
    }
    *line = (Line){i, i + 1, 1};
    return true;
}

static bool more(const Line *line, int64_t i)
{
    return line->step < 0 ? i > line->stop : i < line->stop;
}

static bool select_cells(Machine *m, const Op *op, uint32_t index_count, Selection *out)
{
    const Type *type = op->args[0].type;
    int64_t row_count = type->composite.rows, col_count = type->composite.cols;
    Line rows, cols = whole(col_count);
    if (!read_line(m, op, &op->args[1], row_count, &rows))
        return false;
    if (index_count > 1 && !read_line(m, op, &op->args[2], col_count, &cols))
        return false;
    out->count = 0;
    for (int64_t i = rows.start; more(&rows, i); i += rows.step)
        for (int64_t j = cols.start; more(&cols, j); j += cols.step) {
            if (out->count == MAX_SELECTED) {
                tree_fail(m, op, FINDING_UNSUPPORTED, "a slice of more than 1024 elements");
                return false;
            }
            out->cells[out->count++] = (uint32_t)(i * col_count + j);
        }
    return true;
}

static void add_to(Cell *sum, double value, uint8_t kind)
{
    if (kind <= CELL_FLOAT64)
        sum->real = tree_round(sum->real + value, kind);
}

/* ---- reading ---- */

/* The plain case: one component of a vector, quaternion or transform. */
static void run_extract_one(Machine *m, const Op *op)
{
    int64_t i = (int32_t)VALUE(1)->integer, length = op->args[0].cells;
    i += i < 0 ? length : 0;
    if (i < 0 || i >= length)
        tree_fail(m, op, FINDING_OUT_OF_BOUNDS, "an index is outside the vector");
    else
        *RESULT(0) = VALUE(0)[i];
}

static void adj_extract_one(Machine *m, const Op *op)
{
    int64_t i = (int32_t)VALUE(1)->integer, length = op->args[0].cells;
    if (op->args[0].type->kind != TYPE_TRANSFORM || m->dialect->transforms_from_the_end)
        i += i < 0 ? length : 0;
    if (i < 0 || i >= length)
        tree_fail(m, op, FINDING_OUT_OF_BOUNDS, "an index is outside the vector");
    else
        add_to(ADJOINT(0) + i, ADJ_RESULT(0)->real, op->outs[0].layout->kinds[0]);
}

static void run_extract(Machine *m, const Op *op)
{
    Selection selection;
    if (!select_cells(m, op, op->arg_count - 1, &selection))
        return;
    const Cell *from = VALUE(0);
    Cell *out = RESULT(0);
    for (uint32_t i = 0; i < selection.count && i < op->outs[0].cells; i++)
        out[i] = from[selection.cells[i]];
}

static void adj_extract(Machine *m, const Op *op)
{
    Selection selection;
    bool row = op->arg_count == 2 && op->args[1].cells == 1 && op->args[0].type->kind == TYPE_MAT;
    if (row && VALUE(1)->integer < 0 && !m->dialect->rows_from_the_end) {
        tree_fail(m, op, FINDING_OUT_OF_BOUNDS, "the adjoint of a row read by a negative index is outside the matrix");
        return;
    }
    if (!select_cells(m, op, op->arg_count - 1, &selection))
        return;
    const Cell *adjoint = ADJ_RESULT(0);
    Cell *sum = ADJOINT(0);
    for (uint32_t i = 0; i < selection.count && i < op->outs[0].cells; i++)
        add_to(sum + selection.cells[i], adjoint[i].real, op->outs[0].layout->kinds[0]);
}

/* ---- changing in place ---- */

typedef enum ChangeKind { CHANGE_ASSIGN, CHANGE_ADD, CHANGE_SUB, CHANGE_AND, CHANGE_OR, CHANGE_XOR } ChangeKind;

static Cell changed(Cell old, Cell value, const TreeArg *of, ChangeKind kind)
{
    uint8_t cell = of->layout->kinds[0];
    TypeKind type = type_scalar_of(of->type)->kind;
    Cell out = value;
    switch (kind) {
    case CHANGE_ASSIGN: break;
    case CHANGE_ADD:
        if (cell <= CELL_FLOAT64)
            out.real = tree_round(old.real + value.real, cell);
        else
            out.integer = tree_wrap((int64_t)((uint64_t)old.integer + (uint64_t)value.integer), type);
        break;
    case CHANGE_SUB:
        if (cell <= CELL_FLOAT64)
            out.real = tree_round(old.real - value.real, cell);
        else
            out.integer = tree_wrap((int64_t)((uint64_t)old.integer - (uint64_t)value.integer), type);
        break;
    case CHANGE_AND: out.integer = old.integer & value.integer; break;
    case CHANGE_OR: out.integer = old.integer | value.integer; break;
    case CHANGE_XOR: out.integer = old.integer ^ value.integer; break;
    }
    return out;
}

static void change(Machine *m, const Op *op, Cell *target, ChangeKind kind)
{
    Selection selection;
    if (!select_cells(m, op, op->arg_count - 2, &selection))
        return;
    const TreeArg *last = &op->args[op->arg_count - 1];
    const Cell *value = tree_at(m, last->value);
    for (uint32_t i = 0; i < selection.count && i < last->cells; i++)
        target[selection.cells[i]] = changed(target[selection.cells[i]], value[i], &op->args[0], kind);
}

#define INPLACE(name, kind)                                                                                            \
    static void name(Machine *m, const Op *op)                                                                         \
    {                                                                                                                  \
        change(m, op, VALUE(0), kind);                                                                                 \
    }
INPLACE(run_assign_inplace, CHANGE_ASSIGN)
INPLACE(run_add_inplace, CHANGE_ADD)
INPLACE(run_sub_inplace, CHANGE_SUB)
INPLACE(run_and_inplace, CHANGE_AND)
INPLACE(run_or_inplace, CHANGE_OR)
INPLACE(run_xor_inplace, CHANGE_XOR)
#undef INPLACE

/* The adjoint of what was overwritten stays as it is: a component assigned from itself gets a wrong gradient. */
static void adj_change(Machine *m, const Op *op, double sign)
{
    Selection selection;
    if (!select_cells(m, op, op->arg_count - 2, &selection))
        return;
    const TreeArg *last = &op->args[op->arg_count - 1];
    const Cell *adjoint = ADJOINT(0);
    Cell *sum = tree_at(m, last->adjoint);
    for (uint32_t i = 0; i < selection.count && i < last->cells; i++)
        add_to(&sum[i], sign * adjoint[selection.cells[i]].real, last->layout->kinds[i]);
}

static void adj_assign_inplace(Machine *m, const Op *op)
{
    adj_change(m, op, 1.0);
}

static void adj_sub_inplace(Machine *m, const Op *op)
{
    adj_change(m, op, -1.0);
}

/* Not Warp's: what was overwritten has no adjoint any more. */
static void clear_changed(Machine *m, const Op *op)
{
    Selection selection;
    if (!select_cells(m, op, op->arg_count - 2, &selection))
        return;
    for (uint32_t i = 0; i < selection.count; i++)
        ADJOINT(0)[selection.cells[i]].real = 0;
}

const TreeFn tree_op_clear_changed = clear_changed;

/* ---- changing a copy ---- */

static void run_assign_copy(Machine *m, const Op *op)
{
    Cell *out = RESULT(0);
    tree_copy(out, VALUE(0), op->outs[0].layout);
    change(m, op, out, CHANGE_ASSIGN);
}

/* Goes through the aggregate in its own order, so that a reversed slice gives the adjoints to the wrong elements. */
static void adj_assign_copy(Machine *m, const Op *op)
{
    Selection selection;
    if (!select_cells(m, op, op->arg_count - 2, &selection))
        return;
    const TreeArg *last = &op->args[op->arg_count - 1];
    const Cell *adjoint = ADJ_RESULT(0);
    Cell *sum = ADJOINT(0), *value = tree_at(m, last->adjoint);
    uint32_t next = 0;
    for (uint32_t i = 0; i < op->args[0].cells; i++) {
        bool selected = false;
        for (uint32_t k = 0; k < selection.count && !selected; k++)
            selected = selection.cells[k] == i;
        if (!selected)
            add_to(&sum[i], adjoint[i].real, op->args[0].layout->kinds[i]);
        else if (next < last->cells) {
            add_to(&value[next], adjoint[i].real, last->layout->kinds[next]);
            next++;
        }
    }
}

static const TreeRow component_rows[] = {
#define COMPONENT_ROWS
#include "eval/tree/builtin.def"
#undef COMPONENT_ROWS
};

static const TreeRow rows[] = {
#define ELEMENT_ROWS
#include "eval/tree/builtin.def"
};

const TreeFamily tree_element_family = {rows, sizeof rows / sizeof *rows};
const TreeFamily tree_component_family = {component_rows, sizeof component_rows / sizeof *component_rows};
