/* Quick forms of the operations that run most: for single numbers whose places in the frame are known.
 *
 * What an operation looks up each time it runs (types, layouts, whether an operand is behind a reference) is known when
 * the code is made. Its quick form does the same to the same cells; where something goes wrong, it leaves that to the operation
 * itself. Some pairs that often follow each other have one quick form for both. A third of the instructions of a run were
 * saved so. Each form ends with GO_ON(). */
#include "eval/tree/quick.h"

/* ---- copies and choices ---- */

static void quick_copy(Machine *m, const Op *op)
{
    memcpy(OUT, IN(0), sizeof(Cell)); /* it may be a pointer */
    GO_ON(1);
}

static void quick_copy_many(Machine *m, const Op *op)
{
    copy_cells(OUT, IN(0), op->outs[0].cells);
    GO_ON(1);
}

/* To a result of a function: where it belongs stands in a cell. */
static void quick_copy_out(Machine *m, const Op *op)
{
    copy_cells(REF_OF(OUT)->at, IN(0), op->outs[0].cells);
    GO_ON(1);
}

void tree_quick_copy(Op *op, enum TreeVariant variant)
{
    (void)variant;
    if (!is_plain(&op->outs[0]))
        return;
    if (place(op))
        op->quick = op->outs[0].cells == 1 ? quick_copy : quick_copy_many;
    else if (op->at[0] < 0 && op->at[1] >= 0) {
        op->at[0] = ~op->at[0];
        op->quick = quick_copy_out;
    }
}

static void quick_assign(Machine *m, const Op *op)
{
    copy_cells(IN(0), IN(1), op->args[0].cells);
    GO_ON(1);
}

void tree_quick_assign(Op *op, enum TreeVariant variant)
{
    (void)variant;
    if (is_plain(&op->args[0]) && place(op))
        op->quick = quick_assign;
}

static void quick_load(Machine *m, const Op *op)
{
    const Cell *from = CONST_REF_OF(IN(0))->at;
    if (!from) {
        tree_run_slowly(m, op);
        return;
    }
    memcpy(OUT, from, sizeof(Cell));
    GO_ON(1);
}

static void quick_load_many(Machine *m, const Op *op)
{
    const Cell *from = CONST_REF_OF(IN(0))->at;
    if (!from) {
        tree_run_slowly(m, op);
        return;
    }
    copy_cells(OUT, from, op->outs[0].cells);
    GO_ON(1);
}

void tree_quick_load(Op *op, enum TreeVariant variant)
{
    (void)variant;
    if (is_plain(&op->outs[0]) && place(op))
        op->quick = op->outs[0].cells == 1 ? quick_load : quick_load_many;
}

static void quick_where(Machine *m, const Op *op)
{
    *OUT = IN(0)->integer ? *IN(1) : *IN(2);
    GO_ON(1);
}

/* With the probe of its condition. */
static void quick_where_probed(Machine *m, const Op *op)
{
    bool truth = IN(0)->integer != 0;
    *OUT = truth ? *IN(1) : *IN(2);
    tree_note_outcome(m, op + 1, truth);
    GO_ON(2);
}

static void quick_where_many(Machine *m, const Op *op)
{
    copy_cells(OUT, IN(0)->integer ? IN(1) : IN(2), op->outs[0].cells);
    GO_ON(1);
}

void tree_quick_where(Op *op, enum TreeVariant variant)
{
    (void)variant;
    bool is_number = op->outs[0].cells == 1 && kind_of(&op->outs[0]) <= CELL_INTEGER;
    if (is_plain(&op->outs[0]) && is_truth(&op->args[0]) && place(op))
        op->quick = is_number ? quick_where : quick_where_many;
}

static void quick_probe_truth(Machine *m, const Op *op)
{
    tree_note_outcome(m, op, IN(0)->integer != 0);
    GO_ON(1);
}

void tree_quick_probe_truth(Op *op)
{
    if (is_truth(&op->args[0]) && place(op))
        op->quick = quick_probe_truth;
}

static void quick_point_at(Machine *m, const Op *op)
{
    REF_OF(OUT)->at = IN(0) + op->number;
    GO_ON(1);
}

static void quick_point_behind(Machine *m, const Op *op)
{
    Cell *base = REF_OF(IN(0))->at;
    if (!base) {
        tree_run_slowly(m, op);
        return;
    }
    REF_OF(OUT)->at = base + op->number;
    GO_ON(1);
}

void tree_quick_point_at(Op *op)
{
    if (place(op))
        op->quick = quick_point_at;
    else if (op->at[0] >= 0) {
        op->at[1] = ~op->at[1];
        op->quick = quick_point_behind;
    }
}

/* The first of the operands that the result is equal to. */
static void quick_probe_chosen(Machine *m, const Op *op)
{
    bool real = kind_of(&op->args[0]) <= CELL_FLOAT64;
    for (uint32_t i = 1; m->path_sum && i < op->arg_count; i++)
        if (real)
            path_sum_numbers(m->path_sum, IN(i - 1)->real, IN(i)->real);
        else
            path_sum_numbers(m->path_sum, (double)IN(i - 1)->integer, (double)IN(i)->integer);
    if (m->outcomes) {
        int64_t result = OUT->integer;
        uint32_t chosen = 0;
        while (chosen < op->arg_count && chosen + 1 < OUTCOMES && IN(chosen)->integer != result)
            chosen++;
        m->outcomes[op->number + chosen] = 1;
    }
    GO_ON(1);
}

void tree_quick_probe_chosen(Op *op)
{
    if (all_single(op) && place(op))
        op->quick = quick_probe_chosen;
}

static void quick_extract(Machine *m, const Op *op)
{
    int64_t i = (int32_t)IN(1)->integer, length = op->args[0].cells;
    if (i < 0 || i >= length) {
        tree_run_slowly(m, op);
        return;
    }
    *OUT = IN(0)[i];
    GO_ON(1);
}

void tree_quick_extract(Op *op, enum TreeVariant variant)
{
    (void)variant;
    if (place(op))
        op->quick = quick_extract;
}

static void quick_extract_shape(Machine *m, const Op *op)
{
    int64_t i = IN(1)->integer;
    if (i < 0 || i >= SHAPE_CELLS) {
        tree_run_slowly(m, op);
        return;
    }
    *OUT = IN(0)[i];
    GO_ON(1);
}

void tree_quick_extract_shape(Op *op, enum TreeVariant variant)
{
    (void)variant;
    if (place(op))
        op->quick = quick_extract_shape;
}

static void quick_tid(Machine *m, const Op *op)
{
    OUT->integer = m->thread[0];
    GO_ON(1);
}

void tree_quick_tid(Op *op, enum TreeVariant variant)
{
    (void)variant;
    if (place(op))
        op->quick = quick_tid;
}

/* A vector of numbers that are of its type, and one of a number many times. */
static void quick_make(Machine *m, const Op *op)
{
    const TreeArg *args = op->args;
    Cell *out = OUT;
    for (uint32_t i = 0, count = op->arg_count; i < count; i++)
        out[i] = m->frame[args[i].value];
    GO_ON(1);
}

static void quick_fill(Machine *m, const Op *op)
{
    Cell *out = OUT, value = *IN(0);
    for (uint32_t i = 0, count = op->outs[0].cells; i < count; i++)
        out[i] = value;
    GO_ON(1);
}

void tree_quick_make(Op *op, enum TreeVariant variant)
{
    (void)variant;
    const Type *type = type_scalar_of(op->outs[0].type);
    op->at[0] = op->outs[0].value;
    bool fits = op->arg_count && op->at[0] >= 0;
    for (uint32_t i = 0; i < op->arg_count; i++)
        fits &= op->args[i].value >= 0 && op->args[i].cells == 1 && op->args[i].type == type;
    if (!fits)
        return;
    op->at[1] = op->args[0].value;
    if (op->arg_count == op->outs[0].cells)
        op->quick = quick_make;
    else if (op->arg_count == 1)
        op->quick = quick_fill;
}

/* ---- conditions ---- */

static void quick_unless(Machine *m, const Op *op)
{
    bool truth = IN(0)->integer != 0;
    tree_note_outcome(m, op, truth);
    if (truth)
        GO_ON(1);
    else
        leave(m, op + 1, op->target);
}

static void quick_if(Machine *m, const Op *op)
{
    bool truth = IN(0)->integer != 0;
    tree_note_outcome(m, op, truth);
    if (truth)
        leave(m, op + 1, op->target);
    else
        GO_ON(1);
}

void tree_quick_branch(Op *op, bool negated)
{
    if (is_truth(&op->args[0]) && place(op))
        op->quick = negated ? quick_if : quick_unless;
}

static void quick_and(Machine *m, const Op *op)
{
    OUT->integer = OUT->integer && IN(0)->integer;
    GO_ON(1);
}

static void quick_or(Machine *m, const Op *op)
{
    OUT->integer = OUT->integer || IN(0)->integer;
    GO_ON(1);
}

void tree_quick_join_truth(Op *op)
{
    if (is_truth(&op->args[0]) && place(op))
        op->quick = op->number == OP_AND ? quick_and : quick_or;
}

#define HOLDS(name, Number)                                                                                            \
    static inline bool name(uint32_t relation, Number a, Number b)                                                     \
    {                                                                                                                  \
        switch (relation) {                                                                                            \
        case OP_EQ: return a == b;                                                                                     \
        case OP_NOT_EQ: return a != b;                                                                                 \
        case OP_LT: return a < b;                                                                                      \
        case OP_LT_E: return a <= b;                                                                                   \
        case OP_GT: return a > b;                                                                                      \
        default: return a >= b;                                                                                        \
        }                                                                                                              \
    }
HOLDS(integers_hold, int64_t)
HOLDS(reals_hold, double)
#undef HOLDS

static inline bool compare_integers(Machine *m, const Op *op)
{
    int64_t a = IN(0)->integer, b = IN(1)->integer;
    if (m->path_sum)
        path_sum_numbers(m->path_sum, (double)a, (double)b);
    if (m->notes_bounds)
        m->outcomes[((const Comparison *)op->detail)->place + (a != b)] = 1;
    bool truth = integers_hold(op->number, a, b);
    OUT->integer = truth;
    return truth;
}

static inline bool compare_reals(Machine *m, const Op *op)
{
    double a = IN(0)->real, b = IN(1)->real;
    if (m->path_sum)
        path_sum_numbers(m->path_sum, a, b);
    if (m->notes_bounds)
        tree_note_nearness(m, ((const Comparison *)op->detail)->place, a, b);
    bool truth = reals_hold(op->number, a, b);
    OUT->integer = truth;
    return truth;
}

/* By themselves, and with the branch that they decide. */
#define COMPARE(what)                                                                                                  \
    static void quick_compare_##what(Machine *m, const Op *op)                                                         \
    {                                                                                                                  \
        compare_##what(m, op);                                                                                         \
        GO_ON(1);                                                                                                      \
    }                                                                                                                  \
    static void quick_unless_##what(Machine *m, const Op *op)                                                          \
    {                                                                                                                  \
        bool truth = compare_##what(m, op);                                                                            \
        tree_note_outcome(m, op + 1, truth);                                                                           \
        if (truth)                                                                                                     \
            GO_ON(2);                                                                                                  \
        else                                                                                                           \
            leave(m, op + 2, op[1].target);                                                                            \
    }
COMPARE(integers)
COMPARE(reals)
#undef COMPARE

void tree_quick_compare(Op *op, bool reals)
{
    if (place(op))
        op->quick = reals ? quick_compare_reals : quick_compare_integers;
}

/* ---- elements of arrays ---- */

/* NULL: the operation itself says what is wrong. An array that was never set has no elements. */
static inline Cell *element_at(Machine *m, const Op *op, uint32_t count)
{
    const TreeArray *array = CONST_ARRAY_OF(IN(0));
    int64_t offset = 0;
    if (array->ndim != count)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        int64_t index = (int32_t)IN(1 + i)->integer, length = array->shape[i].integer;
        if ((uint64_t)index >= (uint64_t)length) {
            index += length;
            if (index >= length || index < 0)
                return NULL;
        }
        offset += index * array->strides[i];
    }
    if (offset < -array->before || offset + array->width > array->size)
        return NULL;
    if (m->path_sum)
        path_sum_element(m->path_sum, (uint64_t)(offset + array->before));
    return array->data + offset;
}

static inline void find_address(Machine *m, const Op *op, uint32_t count)
{
    Cell *element = element_at(m, op, count);
    if (!element) {
        tree_run_slowly(m, op);
        return;
    }
    REF_OF(OUT)->at = element;
    GO_ON(1);
}

/* Where something is wrong with the element. The caller counts both operations. */
__attribute__((noinline)) static void load_slowly(Machine *m, const Op *op)
{
    const Op *behind = op + 2;
    m->next = behind;
    op->run(m, op);
    if (m->next == behind)
        op[1].run(m, op + 1);
    else
        m->steps++; /* the load has not run */
    leave(m, behind, m->next);
}

/* With the load that follows. */
static inline void load_element(Machine *m, const Op *op, uint32_t count, bool one)
{
    Cell *element = element_at(m, op, count);
    if (!element) {
        load_slowly(m, op);
        return;
    }
    Cell *out = m->frame + op[1].at[0];
    REF_OF(OUT)->at = element;
    if (one)
        memcpy(out, element, sizeof *out);
    else
        copy_cells(out, element, op[1].outs[0].cells);
    GO_ON(2);
}

static inline void store_element(Machine *m, const Op *op, uint32_t count)
{
    Cell *element = element_at(m, op, count);
    if (!element) {
        tree_run_slowly(m, op);
        return;
    }
    copy_cells(element, IN(1 + count), op->args[1 + count].cells);
    GO_ON(1);
}

#define ELEMENT(count)                                                                                                 \
    static void quick_address_##count(Machine *m, const Op *op)                                                        \
    {                                                                                                                  \
        find_address(m, op, count);                                                                                    \
    }                                                                                                                  \
    static void quick_load_##count(Machine *m, const Op *op)                                                           \
    {                                                                                                                  \
        load_element(m, op, count, true);                                                                              \
    }                                                                                                                  \
    static void quick_load_many_##count(Machine *m, const Op *op)                                                      \
    {                                                                                                                  \
        load_element(m, op, count, false);                                                                             \
    }
ELEMENT(1)
ELEMENT(2)
ELEMENT(3)
#undef ELEMENT

static void quick_store_1(Machine *m, const Op *op)
{
    store_element(m, op, 1);
}

static void quick_store_2(Machine *m, const Op *op)
{
    store_element(m, op, 2);
}

void tree_quick_address(Op *op, enum TreeVariant variant)
{
    static const TreeFn forms[] = {[1] = quick_address_1, quick_address_2, quick_address_3};
    (void)variant;
    if (op->arg_count >= 2 && op->arg_count <= 4 && place(op))
        op->quick = forms[op->arg_count - 1];
}

void tree_quick_array_store(Op *op, enum TreeVariant variant)
{
    static const TreeFn forms[] = {[1] = quick_store_1, quick_store_2};
    (void)variant;
    if (op->arg_count >= 3 && op->arg_count <= 4 && is_plain(&op->args[op->arg_count - 1]) && place(op))
        op->quick = forms[op->arg_count - 2];
}

/* ---- pairs ---- */

/* What runs `op` and the one after it; NULL: each runs by itself. */
static TreeFn pair_of(const Op *op)
{
    const Op *next = op + 1;
    bool reads_it = next->quick && next->arg_count && op->out_count && next->at[1] == op->at[0];
    if (op->quick == quick_where)
        return next->quick == quick_probe_truth && next->at[1] == op->at[1] ? quick_where_probed : NULL;
    if (!reads_it)
        return NULL;
    if (next->quick == quick_unless)
        return op->quick == quick_compare_integers ? quick_unless_integers
               : op->quick == quick_compare_reals  ? quick_unless_reals
                                                   : NULL;
    bool one = next->quick == quick_load;
    if (!one && next->quick != quick_load_many)
        return NULL;
    return op->quick == quick_address_1   ? one ? quick_load_1 : quick_load_many_1
           : op->quick == quick_address_2 ? one ? quick_load_2 : quick_load_many_2
           : op->quick == quick_address_3 ? one ? quick_load_3 : quick_load_many_3
                                          : NULL;
}

void tree_run_slowly(Machine *m, const Op *op)
{
    m->next = op + 1;
    op->run(m, op);
    if (m->next == op + 1)
        GO_ON(1);
    else
        m->behind = op + 1;
}

/* A call runs by itself, when all before it is counted: what it runs counts steps, too. */
static void quick_call(Machine *m, const Op *op)
{
    m->call = op;
    leave(m, op + 1, NULL);
}

static void quick_goto(Machine *m, const Op *op)
{
    leave(m, op + 1, op->target);
}

static void quick_halt(Machine *m, const Op *op)
{
    leave(m, op + 1, NULL);
}

/* What every operation has that no quick form was chosen for. */
static TreeFn plain_form(const Op *op)
{
    return op->run == tree_op_call   ? quick_call
           : op->run == tree_op_goto ? quick_goto
           : op->run == tree_op_halt ? quick_halt
                                     : tree_run_slowly;
}

/* The form that comes back to run_ops(), so that calls do not pile up where a compiler makes no jumps of them. */
static void quick_pause(Machine *m, const Op *op)
{
    m->next = op + 1;
    op->run(m, op);
    m->behind = op + 1;
}

enum { MOST_IN_A_ROW = 2000 };
enum { IS_TARGET = 1, IS_SECOND = 2 }; /* of a pair: it is not reached by itself */

/* After so many operations in a row; in front of a place that is jumped to sooner: a loop that begins there has none then. */
static void place_pauses(Op *ops, uint32_t count, const uint8_t *marks)
{
    uint32_t in_a_row = 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        Op *op = &ops[i];
        bool leaves = op->quick == quick_goto || op->quick == quick_call || op->quick == quick_halt;
        bool is_due = ++in_a_row > (marks[i + 1] == IS_TARGET ? MOST_IN_A_ROW / 2 : MOST_IN_A_ROW);
        if (is_due && !leaves && marks[i] != IS_SECOND) {
            op->quick = quick_pause;
            leaves = true;
        }
        in_a_row = leaves ? 0 : in_a_row;
    }
}

void tree_finish_ops(Op *ops, uint32_t count, uint8_t *marks)
{
    for (uint32_t i = 0; i < count; i++)
        if (ops[i].target)
            marks[ops[i].target - ops] = IS_TARGET;
    for (uint32_t i = 0; i < count; i++) {
        Op *op = &ops[i];
        TreeFn pair = op->quick && i + 1 < count && marks[i + 1] != IS_TARGET ? pair_of(op) : NULL;
        if (pair) {
            op->quick = pair;
            marks[i + 1] = IS_SECOND;
        } else if (!op->quick)
            op->quick = plain_form(op);
    }
    if (count > MOST_IN_A_ROW / 2)
        place_pauses(ops, count, marks);
}
