/* Operations on numbers and vectors, and jumps. */
#include "eval/ast/code.h"

#include <string.h>

/* ---- ends and jumps ---- */

const Op *op_end(Evaluator *e, const Op *op)
{
    (void)e;
    (void)op;
    return NULL;
}

/* A variable has its value now. */
const Op *op_set(Evaluator *e, const Op *op)
{
    (void)e;
    Slot *slot = op->more;
    slot->datum.kind = (DatumKind)op->variant;
    return op + 1;
}

/* Likewise, and the next statement begins. */
const Op *op_set_step(Evaluator *e, const Op *op)
{
    Slot *slot = op->more;
    slot->datum.kind = (DatumKind)op->variant;
    count_step(e, op->offset);
    return op + 1;
}

const Op *op_step(Evaluator *e, const Op *op)
{
    count_step(e, op->offset);
    return op + 1;
}

/* ---- loops ---- */

static inline const Op *begin_iteration(Evaluator *e, const CodeRange *range, const Op *body)
{
    count_step(e, range->offset);
    Slot *slot = range->slot;
    Dual cell = {.integer = range->index};
    if (range->is_typed) {
        slot->cells[0] = cell;
        slot->datum.kind = DATUM_VALUE;
    } else {
        Datum index = operand_datum(type_scalar(TYPE_INT32), &cell);
        slot_set(e, slot, &index, range->offset);
    }
    return body;
}

static inline bool goes_on(const CodeRange *range)
{
    return range->step > 0 ? range->index < range->end : range->index > range->end && range->step;
}

const Op *op_range_begin(Evaluator *e, const Op *op)
{
    CodeRange *range = op->more;
    range->index = (int32_t)range->bounds[0]->integer;
    range->end = (int32_t)range->bounds[1]->integer;
    range->step = (int32_t)range->bounds[2]->integer;
    return goes_on(range) ? begin_iteration(e, range, op + 1) : op + op->jump;
}

const Op *op_range_next(Evaluator *e, const Op *op)
{
    CodeRange *range = op->more;
    range->index += range->step;
    return goes_on(range) ? begin_iteration(e, range, op + op->jump) : op + 1;
}

const Op *op_jump(Evaluator *e, const Op *op)
{
    (void)e;
    return op + op->jump;
}

static inline bool truth_of(const Op *op, uint32_t i)
{
    return is_float_kind(op->in_type[i]->kind) ? op->in[i]->real != 0 : op->in[i]->integer != 0;
}

const Op *op_unless(Evaluator *e, const Op *op)
{
    (void)e;
    return truth_of(op, 0) ? op + 1 : op + op->jump;
}

/* One of several that are joined by `and` (width 1) or `or` (0): the first that differs decides. */
const Op *op_decide(Evaluator *e, const Op *op)
{
    (void)e;
    bool truth = truth_of(op, 0);
    *op->out = (Dual){.integer = truth};
    return truth == (op->count != 0) ? op + 1 : op + op->jump;
}

const Op *op_check_set(Evaluator *e, const Op *op)
{
    const Slot *slot = op->more;
    if (slot->datum.kind == DATUM_NOTHING)
        stop_unset(e, slot, op->offset);
    return op + 1;
}

const Op *op_copy(Evaluator *e, const Op *op)
{
    (void)e;
    *op->out = *op->in[0];
    return op + 1;
}

const Op *op_copy_wide(Evaluator *e, const Op *op)
{
    (void)e;
    memmove(op->out, op->in[0], op->width * sizeof *op->out);
    return op + 1;
}

/* ---- numbers ---- */

_Noreturn void stop_unforeseen(Evaluator *e, const Op *op, const Datum *outcome)
{
    stop_unsupported(e, op->x->offset, "%s was not foreseen here", datum_text(e, outcome));
}

void take_outcome(Evaluator *e, const Op *op, const Datum *outcome)
{
    if ((outcome->kind != DATUM_VALUE && outcome->kind != DATUM_STRUCT) || outcome->type != op->type)
        stop_unforeseen(e, op, outcome);
    memmove(op->out, outcome->cells, op->width * sizeof *op->out);
}

const Op *op_binary(Evaluator *e, const Op *op)
{
    Datum left = operand_datum(op->in_type[0], op->in[0]), right = operand_datum(op->in_type[1], op->in[1]), outcome;
    ScratchMark mark = scratch_mark(e);
    binary_builtin(e, op->x, (OpKind)op->variant, &left, &right, &outcome);
    take_outcome(e, op, &outcome);
    scratch_release(e, mark);
    return op + 1;
}

/* Results that are out of the ordinary are left to op_binary(), and so are products that another machine may round otherwise. */
#define REAL_OPERATION(name, unless, value, slope, rounds)                                                             \
    const Op *op_##name(Evaluator *e, const Op *op)                                                                    \
    {                                                                                                                  \
        Dual a = *op->in[0], b = *op->in[1], result;                                                                   \
        if (unless)                                                                                                    \
            return op_binary(e, op);                                                                                   \
        result.real = value;                                                                                           \
        result.tangent = slope;                                                                                        \
        if (rounds && !e->in_double)                                                                                   \
            result.real = (double)(float)result.real;                                                                  \
        if (!isfinite(result.real))                                                                                    \
            return op_binary(e, op);                                                                                   \
        *op->out = result;                                                                                             \
        return op + 1;                                                                                                 \
    }
#define REAL_OPERATIONS(type, rounds)                                                                                  \
    REAL_OPERATION(add_##type, false, a.real + b.real, a.tangent + b.tangent, rounds)                                  \
    REAL_OPERATION(sub_##type, false, a.real - b.real, a.tangent - b.tangent, rounds)                                  \
    REAL_OPERATION(mul_##type, e->noise, a.real *b.real, a.tangent *b.real + a.real * b.tangent, rounds)               \
    REAL_OPERATION(div_##type, b.real == 0, a.real / b.real, (a.tangent - result.real * b.tangent) / b.real, rounds)
REAL_OPERATIONS(float, true)
REAL_OPERATIONS(double, false)

#define INT_OPERATION(name, sign)                                                                                      \
    const Op *op_##name(Evaluator *e, const Op *op)                                                                    \
    {                                                                                                                  \
        int64_t result = op->in[0]->integer sign op->in[1]->integer;                                                   \
        if (result != (int32_t)result)                                                                                 \
            return op_binary(e, op);                                                                                   \
        *op->out = (Dual){.integer = result};                                                                          \
        return op + 1;                                                                                                 \
    }
INT_OPERATION(add_int, +)
INT_OPERATION(sub_int, -)
INT_OPERATION(mul_int, *)

/* Operators that are not among those above, and other types. */
const Op *op_number(Evaluator *e, const Op *op)
{
    Math m = math_for(e, op->type, op->x->offset);
    *op->out = op->number(&m, *op->in[0], *op->in[1]);
    return op + 1;
}

const Op *op_negate(Evaluator *e, const Op *op)
{
    Math m = math_for(e, type_scalar_of(op->type), op->x->offset);
    negate_cells(&m, op->type, op->in[0], op->width, op->out);
    return op + 1;
}

const Op *op_invert(Evaluator *e, const Op *op)
{
    (void)e;
    invert_cells(type_scalar_of(op->type)->kind, op->in[0], op->width, op->out);
    return op + 1;
}

const Op *op_convert(Evaluator *e, const Op *op)
{
    *op->out = convert_scalar(e, *op->in[0], op->in_type[0]->kind, op->type->kind, op->offset);
    return op + 1;
}

const Op *op_map(Evaluator *e, const Op *op)
{
    Math m = math_for(e, op->type, op->x->offset);
    *op->out = apply_map(&m, op->variant, *op->in[0]);
    return op + 1;
}

/* Functions of one to three numbers of one type. */
const Op *op_scalars(Evaluator *e, const Op *op)
{
    Math m = math_for(e, op->type, op->x->offset);
    *op->out = scalar_function(&m, op->variant, *op->in[0], *op->in[1], *op->in[2]);
    return op + 1;
}

const Op *op_signed(Evaluator *e, const Op *op)
{
    Math m = math_for(e, type_scalar_of(op->type), op->x->offset);
    for (uint32_t i = 0; i < op->width; i++)
        op->out[i] = signed_function(&m, op->variant, op->in[0][i]);
    return op + 1;
}

const Op *op_extreme(Evaluator *e, const Op *op)
{
    Math m = math_for(e, type_scalar_of(op->type), op->x->offset);
    extreme_cells(&m, op->variant, op->in[0], op->in[1], op->width, op->out);
    return op + 1;
}

/* ---- comparisons ---- */

/* Numbers of one type, by one of the signs. */
#define COMPARISON(name, sign)                                                                                         \
    const Op *op_##name##_ints(Evaluator *e, const Op *op)                                                             \
    {                                                                                                                  \
        int64_t a = op->in[0]->integer, b = op->in[1]->integer;                                                        \
        if (e->run->path_sum)                                                                                          \
            path_sum_numbers(e->run->path_sum, (double)a, (double)b);                                                  \
        *op->out = (Dual){.integer = a sign b};                                                                        \
        return op + 1;                                                                                                 \
    }                                                                                                                  \
    const Op *op_##name##_reals(Evaluator *e, const Op *op)                                                            \
    {                                                                                                                  \
        double a = op->in[0]->real, b = op->in[1]->real;                                                               \
        if (e->run->path_sum)                                                                                          \
            path_sum_numbers(e->run->path_sum, a, b);                                                                  \
        *op->out = (Dual){.integer = a sign b};                                                                        \
        return op + 1;                                                                                                 \
    }
COMPARISON(equal, ==)
COMPARISON(unequal, !=)
COMPARISON(less, <)
COMPARISON(at_most, <=)
COMPARISON(greater, >)
COMPARISON(at_least, >=)

const Op *op_compare_any(Evaluator *e, const Op *op)
{
    Datum left = operand_datum(op->in_type[0], op->in[0]), right = operand_datum(op->in_type[1], op->in[1]);
    *op->out = (Dual){.integer = compare_data(e, op->x, (OpKind)op->variant, &left, &right)};
    return op + 1;
}

const Op *op_not(Evaluator *e, const Op *op)
{
    (void)e;
    *op->out = (Dual){.integer = !truth_of(op, 0)};
    return op + 1;
}

/* ---- vectors and their kin ---- */

/* `left` and `right`: of the i-th cells; a number that scales is read before anything is written. */
#define PARTS_OPERATION(name, number, result)                                                                          \
    const Op *op_##name(Evaluator *e, const Op *op)                                                                    \
    {                                                                                                                  \
        Math m = math_for(e, op->type->composite.dtype, op->x->offset);                                                \
        const Dual *left = op->in[0], *right = op->in[1], factor = *(number);                                          \
        Dual *out = op->out;                                                                                           \
        (void)factor;                                                                                                  \
        for (uint32_t i = 0; i < op->width; i++)                                                                       \
            out[i] = result;                                                                                           \
        return op + 1;                                                                                                 \
    }
PARTS_OPERATION(add_parts, left, add(&m, left[i], right[i]))
PARTS_OPERATION(sub_parts, left, sub(&m, left[i], right[i]))
PARTS_OPERATION(scale_right, right, ((void)right, mul(&m, left[i], factor)))
PARTS_OPERATION(scale_left, left, ((void)left, mul(&m, factor, right[i])))
PARTS_OPERATION(div_parts, right, ((void)right, divide_duals(&m, left[i], factor)))

const Op *op_dot(Evaluator *e, const Op *op)
{
    Math m = math_for(e, op->type, op->x->offset);
    *op->out = dot_of(&m, op->in_type[0], op->in[0], op->in[1]);
    return op + 1;
}

const Op *op_length(Evaluator *e, const Op *op)
{
    Math m = math_for(e, op->type, op->x->offset);
    *op->out = length_of(&m, op->in[0], op->count);
    return op + 1;
}

const Op *op_normalize(Evaluator *e, const Op *op)
{
    Math m = math_for(e, op->type->composite.dtype, op->x->offset);
    normalize_value(&m, op->type, op->in[0], op->out);
    return op + 1;
}

const Op *op_cross(Evaluator *e, const Op *op)
{
    Math m = math_for(e, op->type->composite.dtype, op->x->offset);
    cross3(&m, op->in[0], op->in[1], op->out);
    return op + 1;
}

/* Of a matrix of `count` rows and `skip` columns. */
const Op *op_matrix_product(Evaluator *e, const Op *op)
{
    Math m = math_for(e, op->type->composite.dtype, op->x->offset);
    multiply_matrices(&m, op->in[0], op->in[1], op->count, op->skip, op->width / op->count, op->out);
    for (uint32_t i = 0; op->variant && i < op->width; i++)
        op->out[i].real += 0.0; /* as product() */
    return op + 1;
}

/* Cells from here and there. */
const Op *op_gather(Evaluator *e, const Op *op)
{
    (void)e;
    Dual *const *from = op->more;
    for (uint32_t i = 0; i < op->width; i++)
        op->out[i] = *from[i];
    return op + 1;
}

const Op *op_fill(Evaluator *e, const Op *op)
{
    (void)e;
    Dual cell = *op->in[0];
    for (uint32_t i = 0; i < op->width; i++)
        op->out[i] = cell;
    return op + 1;
}

/* v[i] of a variable: in[1] is the index, count the number of parts that there are. */
const Op *op_component(Evaluator *e, const Op *op)
{
    *op->out = op->in[0][part_index(e, op->in[1]->integer, op->count, op->offset)];
    return op + 1;
}

/* The place of a component, for op_read_part() and op_store_part(). */
const Op *op_part_at(Evaluator *e, const Op *op)
{
    *op->out = (Dual){.integer = part_index(e, op->in[1]->integer, op->count, op->offset)};
    return op + 1;
}

/* m[i, j]: in[1] and in[2] are the indices, of `count` rows and `skip` columns. */
static uint32_t matrix_index(Evaluator *e, const Op *op)
{
    uint32_t row = part_index(e, op->in[1]->integer, op->count, op->offset);
    return row * op->skip + part_index(e, op->in[2]->integer, op->skip, op->offset);
}

const Op *op_matrix_cell(Evaluator *e, const Op *op)
{
    *op->out = op->in[0][matrix_index(e, op)];
    return op + 1;
}

const Op *op_matrix_at(Evaluator *e, const Op *op)
{
    *op->out = (Dual){.integer = matrix_index(e, op)};
    return op + 1;
}

const Op *op_read_part(Evaluator *e, const Op *op)
{
    (void)e;
    *op->out = op->in[0][op->in[1]->integer];
    return op + 1;
}

const Op *op_store_part(Evaluator *e, const Op *op)
{
    (void)e;
    op->out[op->in[1]->integer] = *op->in[0];
    return op + 1;
}

const Op *op_where(Evaluator *e, const Op *op)
{
    (void)e;
    const Dual *from = op->in[truth_of(op, 0) ? 1 : 2];
    for (uint32_t i = 0; i < op->width; i++)
        op->out[i] = from[i];
    return op + 1;
}
