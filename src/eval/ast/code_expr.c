/* Code of expressions: names and operators. */
#include "eval/ast/code.h"

#include <string.h>

static const Operand none = {.kind = OPERAND_NONE};

/* ---- names and constants ---- */

static bool same_cells(const Dual *a, const Dual *b, uint32_t width)
{
    return !memcmp(a, b, width * sizeof *a);
}

/* A constant has two values, one for each way of rounding: its cells get that of the run (set_constants). */
Operand code_constant(Coder *c, const Expr *x)
{
    const Datum *rounded = &x->constant.rounded, *exact = &x->constant.exact;
    uint32_t width = rounded->kind == DATUM_VALUE ? code_width(rounded->type) : 0;
    if (!width)
        return none;
    Operand out = {.kind = OPERAND_VALUE, .type = rounded->type, .cells = rounded->cells};
    if (!same_cells(rounded->cells, exact->cells, width)) {
        CodeConstant *constant = ARENA_NEW(c->e->arena, CodeConstant);
        *constant = (CodeConstant){ARENA_ARRAY(c->e->arena, Dual, width), x, width, c->e->constants};
        c->e->constants = constant;
        set_constant(c->e, constant);
        out.cells = constant->cells;
    }
    return out;
}

static Operand code_name(Coder *c, const Expr *x)
{
    Slot *slot = &c->plan->slots[x->slot];
    if (c->is_dynamic[x->slot] || !c->is_typed[x->slot])
        return none;
    if (!c->is_set[x->slot])
        code_emit(c, op_check_set, x)->more = slot;
    TypeKind kind = slot->datum.type->kind;
    return (Operand){.kind = kind == TYPE_ARRAY    ? OPERAND_ARRAY
                             : kind == TYPE_STRUCT ? OPERAND_STRUCT
                                                   : OPERAND_VALUE,
                     .writable = true,
                     .type = slot->datum.type,
                     .cells = slot->cells,
                     .arrays = slot->arrays};
}

/* ---- operators ---- */

/* NULL: there is none of its own. */
static OpFn *number_operation(TypeKind kind, OpKind op)
{
    static const struct {
        OpKind op;
        OpFn *on_ints, *on_floats, *on_doubles;
    } rows[] = {
        {OP_ADD, op_add_int, op_add_float, op_add_double},
        {OP_SUB, op_sub_int, op_sub_float, op_sub_double},
        {OP_MULT, op_mul_int, op_mul_float, op_mul_double},
        {OP_DIV, NULL, op_div_float, op_div_double},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].op == op)
            return kind == TYPE_INT32     ? rows[i].on_ints
                   : kind == TYPE_FLOAT32 ? rows[i].on_floats
                   : kind == TYPE_FLOAT64 ? rows[i].on_doubles
                                          : NULL;
    return NULL;
}

/* As plain_parts(). */
static OpFn *parts_operation(OpKind op, const Type *a, const Type *b)
{
    const Type *whole = type_is_composite(a) ? a : b, *scalar = whole->composite.dtype;
    if (scalar->kind != TYPE_FLOAT32 && scalar->kind != TYPE_FLOAT64)
        return op_binary;
    if (a == b)
        return op == OP_ADD ? op_add_parts : op == OP_SUB ? op_sub_parts : op_binary;
    if (op == OP_MULT && (a == scalar || b == scalar))
        return a == scalar ? op_scale_left : op_scale_right;
    return op == OP_DIV && b == scalar ? op_div_parts : op_binary;
}

/* A product with a matrix, of real numbers. */
static bool is_matrix_product(OpKind op, const Type *a, const Type *b)
{
    bool is_product = op == OP_MULT || op == OP_MAT_MULT, is_real = is_float_kind(type_scalar_of(a)->kind);
    return is_product && is_real && a->kind == TYPE_MAT && (b->kind == TYPE_MAT || b->kind == TYPE_VEC);
}

static OpFn *choose_operation(const Expr *x, OpKind op, const Type *a, const Type *b)
{
    if (is_matrix_product(op, a, b))
        return op_matrix_product;
    if (!type_is_single(a) || !type_is_single(b))
        return parts_operation(op, a, b);
    OpFn *own = number_operation(a->kind, op);
    return own ? own : x && number_operator(op) ? op_number : op_binary;
}

Operand code_binary(Coder *c, const Expr *x, OpKind op, const Operand *left, const Operand *right)
{
    if (left->kind != OPERAND_VALUE || right->kind != OPERAND_VALUE)
        return none;
    const Type *type = code_binary_type(c->e, op, left->type, right->type);
    if (!type || !code_width(type))
        return none;
    Operand out = code_result(c, choose_operation(x, op, left->type, right->type), x, type);
    Op *last = code_last(c);
    last->in[0] = left->cells;
    last->in[1] = right->cells;
    last->in_type[0] = left->type;
    last->in_type[1] = right->type;
    last->variant = (int)op;
    if (last->run == op_number)
        last->number = number_operator(op);
    if (last->run == op_matrix_product) {
        last->count = left->type->composite.rows;
        last->skip = left->type->composite.cols;
        last->variant = right->type->kind == TYPE_MAT;
        out.can_move = false; /* it reads its operands several times */
    }
    return out;
}

static Operand code_binary_expr(Coder *c, const Expr *x)
{
    if (x->binary.overload)
        return none;
    Operand left = code_expr(c, x->kids[0]);
    if (left.kind == OPERAND_NONE)
        return none;
    Operand right = code_expr(c, x->kids[1]);
    left = code_load(c, left, x->offset);
    right = code_load(c, right, x->offset);
    return code_binary(c, x, x->binary.op, &left, &right);
}

static Operand truth_result(Coder *c, OpFn *run, const Expr *x, const Operand *value)
{
    Operand out = code_result(c, run, x, type_scalar(TYPE_BOOL));
    code_last(c)->in[0] = value->cells;
    code_last(c)->in_type[0] = value->type;
    return out;
}

static bool is_number(const Operand *value)
{
    return value->kind == OPERAND_VALUE && type_is_single(value->type);
}

static Operand code_unary(Coder *c, const Expr *x)
{
    Operand value = code_loaded(c, x->kids[0]);
    if (value.kind != OPERAND_VALUE)
        return none;
    if (x->op == OP_NOT)
        return is_number(&value) ? truth_result(c, op_not, x, &value) : none;
    bool is_int = !is_float_kind(type_scalar_of(value.type)->kind);
    if (x->op != OP_U_SUB && x->op != OP_U_ADD && !(x->op == OP_INVERT && is_int))
        return none;
    Operand out = code_result(c,
                              x->op == OP_U_SUB    ? op_negate
                              : x->op == OP_INVERT ? op_invert
                                                   : op_copy_wide,
                              x, value.type);
    code_last(c)->in[0] = value.cells;
    return out;
}

static OpFn *comparison(OpKind op, const Type *a, const Type *b)
{
    static const struct {
        OpKind op;
        OpFn *on_ints, *on_reals;
    } rows[] = {
        {OP_EQ, op_equal_ints, op_equal_reals},     {OP_NOT_EQ, op_unequal_ints, op_unequal_reals},
        {OP_LT, op_less_ints, op_less_reals},       {OP_LT_E, op_at_most_ints, op_at_most_reals},
        {OP_GT, op_greater_ints, op_greater_reals}, {OP_GT_E, op_at_least_ints, op_at_least_reals},
    };
    bool are_real = a->kind == TYPE_FLOAT32 || a->kind == TYPE_FLOAT64;
    for (size_t i = 0; a == b && (are_real || a->kind == TYPE_INT32) && i < sizeof rows / sizeof *rows; i++)
        if (rows[i].op == op)
            return are_real ? rows[i].on_reals : rows[i].on_ints;
    return op_compare_any;
}

static Operand code_compare(Coder *c, const Expr *x)
{
    if (x->count != 2)
        return none;
    Operand left = code_expr(c, x->kids[0]);
    if (left.kind == OPERAND_NONE)
        return none;
    Operand right = code_expr(c, x->kids[1]);
    left = code_load(c, left, x->kids[0]->offset);
    right = code_load(c, right, x->kids[1]->offset);
    if (!is_number(&left) || !is_number(&right))
        return none;
    Operand out = truth_result(c, comparison(x->ops[0], left.type, right.type), x, &left);
    Op *last = code_last(c);
    last->in[1] = right.cells;
    last->in_type[1] = right.type;
    last->variant = (int)x->ops[0];
    return out;
}

static Operand code_and_or(Coder *c, const Expr *x)
{
    enum { MOST = 16 };
    uint32_t jumps[MOST];
    Operand out = none;
    if (x->count > MOST || !x->count)
        return none;
    for (uint32_t i = 0; i < x->count; i++) {
        Operand value = code_loaded(c, x->kids[i]);
        if (!is_number(&value))
            return none;
        Operand decision = truth_result(c, op_decide, x, &value);
        if (i)
            code_last(c)->out = out.cells;
        else
            out = decision;
        code_last(c)->count = x->op == OP_AND;
        jumps[i] = c->count - 1;
    }
    code_land(c, jumps, x->count);
    out.can_move = false;
    return out;
}

static Operand code_if_exp(Coder *c, const Expr *x)
{
    Operand test = code_loaded(c, x->kids[0]);
    if (!is_number(&test))
        return none;
    Op *unless = code_emit(c, op_unless, x);
    unless->in[0] = test.cells;
    unless->in_type[0] = test.type;
    uint32_t branch = c->count - 1;
    Operand first = code_loaded(c, x->kids[1]);
    if (first.kind != OPERAND_VALUE)
        return none;
    Operand out = code_result(c, op_copy_wide, x, first.type);
    code_last(c)->in[0] = first.cells;
    code_emit(c, op_jump, x);
    uint32_t end = c->count - 1;
    code_land(c, &branch, 1);
    Operand second = code_loaded(c, x->kids[2]);
    if (second.kind != OPERAND_VALUE || second.type != first.type)
        return none;
    second.can_move = false;
    code_move(c, &second, out.cells);
    code_land(c, &end, 1);
    out.can_move = false;
    return out;
}

/* ---- expressions ---- */

Operand code_expr(Coder *c, const Expr *x)
{
    if (x->eval == eval_name)
        return code_name(c, x);
    if (x->eval == eval_constant)
        return code_constant(c, x);
    if (x->eval == eval_binary)
        return code_binary_expr(c, x);
    if (x->eval == eval_unary)
        return code_unary(c, x);
    if (x->eval == eval_compare)
        return code_compare(c, x);
    if (x->eval == eval_and_or)
        return code_and_or(c, x);
    if (x->eval == eval_if_exp)
        return code_if_exp(c, x);
    if (x->eval == eval_call_builtin || x->eval == eval_call_value || x->eval == eval_call_dynamic)
        return code_call(c, x);
    if (x->eval == eval_attribute || x->eval == eval_subscript)
        return code_part_expr(c, x);
    return none;
}
