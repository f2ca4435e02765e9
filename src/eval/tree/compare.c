/* Comparisons: chains of them, with the conversions of C++, and of vectors as a whole. */
#include "eval/tree/code.h"

static double as_real(Cell cell, const Type *type)
{
    if (type_is_float(type))
        return cell.real;
    return type->kind == TYPE_UINT64 ? (double)(uint64_t)cell.integer : (double)cell.integer;
}

static bool is_true(OpKind op, int order, bool unordered)
{
    switch (op) {
    case OP_EQ: return !unordered && order == 0;
    case OP_NOT_EQ: return unordered || order != 0;
    case OP_LT: return !unordered && order < 0;
    case OP_LT_E: return !unordered && order <= 0;
    case OP_GT: return !unordered && order > 0;
    default: return !unordered && order >= 0;
    }
}

static bool compare_cells(Cell left, const Type *left_type, Cell right, const Type *right_type, const Comparison *as)
{
    if (as->common <= COMMON_FLOAT32) {
        double a = as_real(left, left_type), b = as_real(right, right_type);
        if (as->common == COMMON_FLOAT32) {
            a = (double)(float)a;
            b = (double)(float)b;
        }
        return is_true(as->op, (a > b) - (a < b), a != a || b != b);
    }
    if (as->common == COMMON_UNSIGNED) {
        uint64_t a = (uint64_t)left.integer, b = (uint64_t)right.integer;
        if (!as->is_wide) {
            a = (uint32_t)a;
            b = (uint32_t)b;
        }
        return is_true(as->op, (a > b) - (a < b), false);
    }
    return is_true(as->op, (left.integer > right.integer) - (left.integer < right.integer), false);
}

/* Vectors and the like are compared as a whole: equal or not. */
static bool compare_values(Machine *m, const TreeArg *left, const TreeArg *right, const Comparison *as)
{
    const Cell *a = tree_at(m, left->value), *b = tree_at(m, right->value);
    const Type *a_type = type_scalar_of(left->type), *b_type = type_scalar_of(right->type);
    if (left->cells == 1) {
        if (m->path_sum)
            path_sum_numbers(m->path_sum, as_real(*a, a_type), as_real(*b, b_type));
        return compare_cells(*a, a_type, *b, b_type, as);
    }
    Comparison equal = *as;
    equal.op = OP_EQ;
    bool all = true;
    for (uint32_t i = 0; all && i < left->cells && i < right->cells; i++)
        all = compare_cells(a[i], a_type, b[i], b_type, &equal);
    return as->op == OP_EQ ? all : !all;
}

static void run_compare(Machine *m, const Op *op)
{
    const Comparison *chain = op->detail;
    bool truth = true;
    for (uint32_t i = 0; truth && i < op->number; i++)
        truth = compare_values(m, &op->args[i], &op->args[i + 1], &chain[i]);
    RESULT(0)->integer = truth;
}

void tree_note_nearness(const Machine *m, uint32_t place, double a, double b)
{
    /* Where one is no number, the distance is none, and the size does not matter. */
    double distance = fabs(a - b), size = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    if (distance <= 0.2 || distance <= 0.1 * size)
        m->outcomes[place + (a < b)] = 1;
    if (distance <= 0.02 || distance <= 0.01 * size)
        m->outcomes[place + 2 + (a < b)] = 1;
}

static void run_compare_reals(Machine *m, const Op *op)
{
    double a = VALUE(0)->real, b = VALUE(1)->real;
    if (m->path_sum)
        path_sum_numbers(m->path_sum, a, b);
    if (m->notes_bounds)
        tree_note_nearness(m, ((const Comparison *)op->detail)->place, a, b);
    RESULT(0)->integer = is_true((OpKind)op->number, (a > b) - (a < b), a != a || b != b);
}

static void run_compare_integers(Machine *m, const Op *op)
{
    int64_t a = VALUE(0)->integer, b = VALUE(1)->integer;
    if (m->path_sum)
        path_sum_numbers(m->path_sum, (double)a, (double)b);
    if (m->notes_bounds)
        m->outcomes[((const Comparison *)op->detail)->place + (a != b)] = 1;
    RESULT(0)->integer = is_true((OpKind)op->number, (a > b) - (a < b), false);
}

static unsigned rank(const Type *type)
{
    return type->kind == TYPE_INT64 || type->kind == TYPE_UINT64 || type->kind == TYPE_HANDLE ? 8 : 4;
}

/* The usual arithmetic conversions of C++. */
static Comparison common_of(Compiler *c, OpKind op, const Type *left, const Type *right)
{
    Comparison out = {.op = op, .common = COMMON_INT};
    left = type_scalar_of(left);
    right = type_scalar_of(right);
    bool reals = type_is_float(left) || type_is_float(right);
    if (reals) {
        bool both = type_is_float(left) && type_is_float(right);
        bool doubled = c->program->in_double || left->kind == TYPE_FLOAT64 || right->kind == TYPE_FLOAT64;
        out.common = both || doubled ? COMMON_REAL : COMMON_FLOAT32;
        return out;
    }
    bool left_unsigned = left->kind == TYPE_UINT32 || left->kind == TYPE_UINT64 || left->kind == TYPE_HANDLE;
    bool right_unsigned = right->kind == TYPE_UINT32 || right->kind == TYPE_UINT64 || right->kind == TYPE_HANDLE;
    unsigned widest = rank(left) > rank(right) ? rank(left) : rank(right);
    bool is_unsigned = (left_unsigned && rank(left) == widest) || (right_unsigned && rank(right) == widest);
    if (is_unsigned)
        out.common = COMMON_UNSIGNED;
    out.is_wide = widest == 8;
    return out;
}

void tree_compile_compare(Compiler *c, const IrCompare *compare)
{
    TreeArg *args = tree_args(c, compare->count + 2);
    Comparison *chain = ARENA_ARRAY(c->arena, Comparison, compare->count);
    args[0] = tree_arg(c, compare->left);
    for (uint32_t i = 0; i < compare->count; i++) {
        args[i + 1] = tree_arg(c, compare->right[i]);
        if (!type_is_single(args[i].type) && !type_is_composite(args[i].type))
            tree_refuse(c, "a comparison of these");
        chain[i] = common_of(c, compare->ops[i], args[i].type, args[i + 1].type);
    }
    args[compare->count + 1] = tree_arg(c, compare->output);
    bool simple = compare->count == 1 && args[0].cells == 1 &&
                  (chain[0].common == COMMON_INT ||
                   (type_is_float(type_scalar_of(args[0].type)) && type_is_float(type_scalar_of(args[1].type))));
    if (simple)
        chain[0].place = tree_new_place(c->program, chain[0].common == COMMON_INT ? 1 << 0 : 0);
    TreeFn run = !simple ? run_compare : chain[0].common == COMMON_INT ? run_compare_integers : run_compare_reals;
    Op *op = tree_emit(c, run);
    op->args = args;
    op->arg_count = compare->count + 1;
    op->outs = &args[compare->count + 1];
    op->out_count = 1;
    op->detail = chain;
    op->number = simple ? (uint32_t)compare->ops[0] : compare->count;
    if (simple)
        tree_quick_compare(op, run == run_compare_reals);
}
