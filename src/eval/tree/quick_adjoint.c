/* Quick forms of adjoints: see quick.c. */
#include "eval/tree/quick.h"

/* Of the adjoint of a function of one or two: its result's adjoint, theirs, and their values. */
static bool place_adjoints(Op *op)
{
    if (op->out_count != 1 || !op->arg_count || op->arg_count > 2 || op->outs[0].adjoint < 0)
        return false;
    const TreeArg *first = &op->args[0], *last = &op->args[op->arg_count - 1];
    const int32_t at[] = {op->outs[0].adjoint, first->adjoint, last->adjoint, first->value, last->value};
    bool direct = true;
    for (uint32_t i = 0; i < sizeof at / sizeof *at; i++) {
        op->at[i] = at[i];
        direct &= at[i] >= 0;
    }
    return direct;
}

#define ADJOINT_OUT (m->frame + op->at[0])->real
#define ADJOINT_IN(i) (m->frame + op->at[1 + (i)])->real
#define VALUE_IN(i) (m->frame + op->at[3 + (i)])->real

/* One after the other, as both may be one. */
static void quick_adj_add_f(Machine *m, const Op *op)
{
    float g = (float)ADJOINT_OUT;
    ADJOINT_IN(0) = (double)((float)ADJOINT_IN(0) + g);
    ADJOINT_IN(1) = (double)((float)ADJOINT_IN(1) + g);
    GO_ON(1);
}

static void quick_adj_add_d(Machine *m, const Op *op)
{
    double g = ADJOINT_OUT;
    ADJOINT_IN(0) += g;
    ADJOINT_IN(1) += g;
    GO_ON(1);
}

static void quick_adj_sub_f(Machine *m, const Op *op)
{
    float g = (float)ADJOINT_OUT;
    ADJOINT_IN(0) = (double)((float)ADJOINT_IN(0) + g);
    ADJOINT_IN(1) = (double)((float)ADJOINT_IN(1) + -g);
    GO_ON(1);
}

static void quick_adj_sub_d(Machine *m, const Op *op)
{
    double g = ADJOINT_OUT;
    ADJOINT_IN(0) += g;
    ADJOINT_IN(1) += -g;
    GO_ON(1);
}

static void quick_adj_mul_f(Machine *m, const Op *op)
{
    float g = (float)ADJOINT_OUT, a = (float)VALUE_IN(0), b = (float)VALUE_IN(1);
    ADJOINT_IN(0) = (double)((float)ADJOINT_IN(0) + b * g);
    ADJOINT_IN(1) = (double)((float)ADJOINT_IN(1) + a * g);
    GO_ON(1);
}

static void quick_adj_mul_d(Machine *m, const Op *op)
{
    double g = ADJOINT_OUT, a = VALUE_IN(0), b = VALUE_IN(1);
    ADJOINT_IN(0) += b * g;
    ADJOINT_IN(1) += a * g;
    GO_ON(1);
}

/* The value of the first operand is not needed, and that of the result stands in its place. */
static void quick_adj_div_f(Machine *m, const Op *op)
{
    float g = (float)ADJOINT_OUT, result = (float)VALUE_IN(0), b = (float)VALUE_IN(1);
    ADJOINT_IN(0) = (double)((float)ADJOINT_IN(0) + g / b);
    ADJOINT_IN(1) = (double)((float)ADJOINT_IN(1) + -(g * result / b));
    GO_ON(1);
}

static void quick_adj_div_d(Machine *m, const Op *op)
{
    double g = ADJOINT_OUT, result = VALUE_IN(0), b = VALUE_IN(1);
    ADJOINT_IN(0) += g / b;
    ADJOINT_IN(1) += -(g * result / b);
    GO_ON(1);
}

static void choose_adjoint(Op *op, enum TreeVariant variant, TreeFn single, TreeFn twice)
{
    if (!all_single(op) || op->arg_count != 2 || !place_adjoints(op))
        return;
    if (variant == VARIANT_FLOAT)
        op->quick = single;
    else if (variant == VARIANT_DOUBLE)
        op->quick = twice;
}

void tree_quick_adj_add(Op *op, enum TreeVariant variant)
{
    choose_adjoint(op, variant, quick_adj_add_f, quick_adj_add_d);
}

void tree_quick_adj_sub(Op *op, enum TreeVariant variant)
{
    choose_adjoint(op, variant, quick_adj_sub_f, quick_adj_sub_d);
}

void tree_quick_adj_mul(Op *op, enum TreeVariant variant)
{
    choose_adjoint(op, variant, quick_adj_mul_f, quick_adj_mul_d);
}

void tree_quick_adj_div(Op *op, enum TreeVariant variant)
{
    if (op->outs[0].value < 0)
        return;
    choose_adjoint(op, variant, quick_adj_div_f, quick_adj_div_d);
    op->at[3] = op->outs[0].value;
}

/* What is added to: cells of one kind. Adjoints of integers stay zero. */
static inline void add_cells(Cell *sum, const Cell *more, const TreeLayout *layout)
{
    if (layout->uniform == UNIFORM_FLOAT32)
        for (uint32_t i = 0, count = layout->cells; i < count; i++)
            sum[i].real = (double)(float)(sum[i].real + more[i].real);
    else if (layout->uniform == UNIFORM_FLOAT64)
        for (uint32_t i = 0, count = layout->cells; i < count; i++)
            sum[i].real += more[i].real;
}

static void quick_accumulate(Machine *m, const Op *op)
{
    add_cells(OUT, IN(0), op->outs[0].layout);
    GO_ON(1);
}

void tree_quick_accumulate(Op *op)
{
    if (op->outs[0].layout->uniform && place(op))
        op->quick = quick_accumulate;
}

/* at: the adjoint of a component, that of the vector, the index */
static void quick_adj_extract(Machine *m, const Op *op)
{
    int64_t i = (int32_t)IN(1)->integer;
    if (i < 0 || i >= op->args[0].cells) {
        tree_run_slowly(m, op);
        return;
    }
    add_cells(IN(0) + i, OUT, op->outs[0].layout);
    GO_ON(1);
}

void tree_quick_adj_extract(Op *op, enum TreeVariant variant)
{
    (void)variant;
    const int32_t at[] = {op->outs[0].adjoint, op->args[0].adjoint, op->args[1].value};
    memcpy(op->at, at, sizeof at);
    if (at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && op->outs[0].layout->uniform && op->outs[0].cells == 1)
        op->quick = quick_adj_extract;
}

static void quick_adj_where(Machine *m, const Op *op)
{
    add_cells(m->frame + op->at[IN(0)->integer ? 2 : 3], OUT, op->outs[0].layout);
    GO_ON(1);
}

void tree_quick_adj_where(Op *op, enum TreeVariant variant)
{
    (void)variant;
    const int32_t at[] = {op->outs[0].adjoint, op->args[0].value, op->args[1].adjoint, op->args[2].adjoint};
    memcpy(op->at, at, sizeof at);
    bool direct = at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && at[3] >= 0;
    if (direct && op->outs[0].layout->uniform && is_truth(&op->args[0]))
        op->quick = quick_adj_where;
}

static void quick_adj_copy(Machine *m, const Op *op)
{
    add_cells(IN(0), OUT, op->outs[0].layout);
    memset(OUT, 0, op->outs[0].cells * sizeof(Cell));
    GO_ON(1);
}

void tree_quick_adj_copy(Op *op, enum TreeVariant variant)
{
    (void)variant;
    op->at[0] = op->outs[0].adjoint;
    op->at[1] = op->args[0].adjoint;
    if (op->at[0] >= 0 && op->at[1] >= 0 && op->outs[0].layout->uniform)
        op->quick = quick_adj_copy;
}

/* The gradient of an element; NULL: it has none. at: the adjoint of what was read or stored, the array, its adjoint; the indices
 * are the next operands. False: the operation itself says what is wrong. */
static inline bool find_gradient(const Machine *m, const Op *op, uint32_t count, Cell **gradient)
{
    const TreeArray *array = CONST_ARRAY_OF(IN(0)), *adjoint = CONST_ARRAY_OF(IN(1));
    const TreeArray *used = adjoint->data ? adjoint : array;
    Cell *base = adjoint->data ? adjoint->data : array->grad;
    int64_t offset = 0;
    bool fits = used->ndim == count;
    *gradient = NULL;
    if (!base)
        return true;
    for (uint32_t i = 0; i < count; i++) {
        int64_t index = (int32_t)m->frame[op->args[1 + i].value].integer;
        index += index < 0 ? used->shape[i].integer : 0;
        fits &= index >= 0 && index < array->shape[i].integer;
        offset += index * used->strides[i];
    }
    if (!fits || offset < -used->before || offset + used->width > used->size)
        return false;
    *gradient = base + offset;
    return true;
}

static inline void add_to_element(Machine *m, const Op *op, uint32_t count)
{
    Cell *gradient;
    if (m->sizes || !find_gradient(m, op, count, &gradient)) {
        tree_run_slowly(m, op);
        return;
    }
    if (gradient)
        add_cells(gradient, OUT, op->outs[0].layout);
    GO_ON(1);
}

/* What was stored gets the gradient of the element, which is cleared where it is the array's own. */
static inline void take_from_element(Machine *m, const Op *op, uint32_t count)
{
    Cell *gradient;
    const TreeArg *value = &op->args[1 + count];
    if (!find_gradient(m, op, count, &gradient)) {
        tree_run_slowly(m, op);
        return;
    }
    if (gradient) {
        const TreeArray *array = CONST_ARRAY_OF(IN(0)), *adjoint = CONST_ARRAY_OF(IN(1));
        add_cells(OUT, gradient, value->layout);
        if (!adjoint->data || adjoint->data == array->grad)
            memset(gradient, 0, value->cells * sizeof *gradient);
    }
    GO_ON(1);
}

#define ELEMENT(count)                                                                                                 \
    static void quick_adj_address_##count(Machine *m, const Op *op)                                                    \
    {                                                                                                                  \
        add_to_element(m, op, count);                                                                                  \
    }                                                                                                                  \
    static void quick_adj_store_##count(Machine *m, const Op *op)                                                      \
    {                                                                                                                  \
        take_from_element(m, op, count);                                                                               \
    }
ELEMENT(1)
ELEMENT(2)
ELEMENT(3)
#undef ELEMENT

/* For arrays of one to three dimensions; `adjoint` is that of what was read or stored. */
static void choose_element(Op *op, uint32_t count, int32_t adjoint, const TreeLayout *layout, const TreeFn forms[3])
{
    const int32_t at[] = {adjoint, op->args[0].value, op->args[0].adjoint};
    bool direct = adjoint >= 0 && op->args[0].value >= 0 && op->args[0].adjoint >= 0;
    memcpy(op->at, at, sizeof at);
    if (count < 1 || count > 3 || !layout->uniform)
        return;
    for (uint32_t i = 0; i < count; i++)
        direct &= op->args[1 + i].value >= 0;
    if (direct)
        op->quick = forms[count - 1];
}

void tree_quick_adj_address(Op *op, enum TreeVariant variant)
{
    static const TreeFn forms[] = {quick_adj_address_1, quick_adj_address_2, quick_adj_address_3};
    (void)variant;
    choose_element(op, op->arg_count - 1, op->outs[0].adjoint, op->outs[0].layout, forms);
}

void tree_quick_adj_array_store(Op *op, enum TreeVariant variant)
{
    static const TreeFn forms[] = {quick_adj_store_1, quick_adj_store_2, quick_adj_store_3};
    const TreeArg *value = &op->args[op->arg_count - 1];
    (void)variant;
    choose_element(op, op->arg_count - 2, value->adjoint, value->layout, forms);
}
