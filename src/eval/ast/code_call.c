/* Code of calls: constructors, builtins, functions; and the types that they give. */
#include "eval/ast/builtin.h"
#include "eval/ast/code.h"

#include <string.h>

static const Operand none = {.kind = OPERAND_NONE};

/* ---- types of results ---- */

static const Type *product_type(TypeTable *types, const Type *a, const Type *b)
{
    const Type *dtype = type_scalar_of(a);
    if (a == b && (a->kind == TYPE_QUAT || a->kind == TYPE_TRANSFORM))
        return a;
    bool row_vector = a->kind == TYPE_VEC && b->kind == TYPE_MAT;
    if (!row_vector && a->kind != TYPE_MAT)
        return NULL;
    uint32_t rows = a->composite.rows, inner = row_vector ? rows : a->composite.cols;
    if ((b->kind != TYPE_VEC && b->kind != TYPE_MAT) || inner != b->composite.rows)
        return NULL;
    return row_vector            ? type_vec(types, b->composite.cols, dtype)
           : b->kind == TYPE_VEC ? type_vec(types, rows, dtype)
                                 : type_mat(types, rows, b->composite.cols, dtype);
}

const Type *code_binary_type(Evaluator *e, OpKind op, const Type *a, const Type *b)
{
    bool is_product = op == OP_MULT || op == OP_MAT_MULT;
    if (type_scalar_of(a) != type_scalar_of(b))
        return NULL;
    if (type_is_single(a) && type_is_single(b))
        return op == OP_MAT_MULT ? NULL : a;
    if (type_is_single(a) || type_is_single(b))
        return op == OP_MULT || (op == OP_DIV && type_is_single(b)) ? (type_is_single(a) ? b : a) : NULL;
    if (is_product)
        return product_type(e->unit->types, a, b);
    return a == b && (op == OP_ADD || op == OP_SUB) ? a : NULL;
}

typedef enum Gives {
    GIVES_FIRST, /* the type of the first argument, … */
    GIVES_SECOND,
    GIVES_THIRD,
    GIVES_SCALAR, /* of the parts of the first */
    GIVES_PRODUCT,
    GIVES_SMALLEST, /* of two the first, of the parts of one a scalar */
    GIVES_ELEMENT,  /* of the array that is the first */
    GIVES_TRANSPOSED,
    GIVES_QUATERNION, /* with numbers as the first argument has */
    GIVES_VECTOR,     /* of three, likewise */
    GIVES_MATRIX,     /* of three rows and columns */
    GIVES_TRUTH,
    GIVES_INT,
    GIVES_UNSIGNED,
    GIVES_FLOAT,
    GIVES_NOTHING
} Gives;

static const struct {
    BuiltinFn *function;
    Gives gives;
} rules[] = {
    {math_map, GIVES_FIRST},
    {math_scalars, GIVES_FIRST},
    {math_lerp, GIVES_FIRST},
    {math_signed, GIVES_FIRST},
    {math_unary, GIVES_FIRST},
    {math_min_max, GIVES_SMALLEST},
    {math_classify, GIVES_TRUTH},
    {math_bit_count, GIVES_INT},
    {math_operator, GIVES_PRODUCT},
    {vector_dot, GIVES_SCALAR},
    {vector_cross, GIVES_FIRST},
    {vector_length, GIVES_SCALAR},
    {vector_length_sq, GIVES_SCALAR},
    {vector_normalize, GIVES_FIRST},
    {vector_componentwise, GIVES_FIRST},
    {vector_arg, GIVES_UNSIGNED},
    {vector_skew, GIVES_MATRIX},
    {matrix_transpose, GIVES_TRANSPOSED},
    {matrix_trace, GIVES_SCALAR},
    {matrix_determinant, GIVES_SCALAR},
    {matrix_inverse, GIVES_FIRST},
    {quat_rotate, GIVES_SECOND},
    {quat_inverse, GIVES_FIRST},
    {quat_from_axis_angle, GIVES_QUATERNION},
    {quat_from_matrix, GIVES_QUATERNION},
    {quat_rpy, GIVES_QUATERNION},
    {quat_slerp, GIVES_FIRST},
    {quat_to_matrix, GIVES_MATRIX},
    {transform_multiply, GIVES_FIRST},
    {transform_inverse, GIVES_FIRST},
    {transform_point, GIVES_SECOND},
    {spatial_part, GIVES_VECTOR},
    {spatial_dot, GIVES_SCALAR},
    {random_init, GIVES_UNSIGNED},
    {noise_value, GIVES_FLOAT},
    {misc_len, GIVES_INT},
    {misc_where, GIVES_SECOND},
    {misc_atomic, GIVES_ELEMENT},
    {misc_lower_bound, GIVES_INT},
    {misc_ignore, GIVES_NOTHING},
    {misc_array_store, GIVES_NOTHING},
};

/* NULL: not known. */
static const Type *given_type(Evaluator *e, Gives gives, int variant, const Operand *args, uint32_t count)
{
    bool is_value = count && args[0].kind == OPERAND_VALUE;
    const Type *first = is_value ? args[0].type : NULL, *scalar = first ? type_scalar_of(first) : NULL;
    TypeTable *types = e->unit->types;
    switch (gives) {
    case GIVES_FIRST: return first;
    case GIVES_SECOND: return count > 1 && args[1].kind == OPERAND_VALUE ? args[1].type : NULL;
    case GIVES_SCALAR: return scalar;
    case GIVES_PRODUCT:
        return count == 2 && is_value && args[1].kind == OPERAND_VALUE
                   ? code_binary_type(e, (OpKind)variant, first, args[1].type)
                   : NULL;
    case GIVES_SMALLEST: return count == 1 ? scalar : first;
    case GIVES_ELEMENT:
        return count && args[0].kind == OPERAND_ARRAY ? type_canonical(args[0].type->array.dtype) : NULL;
    case GIVES_TRANSPOSED:
        return first && first->kind == TYPE_MAT ? type_mat(types, first->composite.cols, first->composite.rows, scalar)
                                                : NULL;
    case GIVES_QUATERNION: return scalar ? type_quat(types, scalar) : NULL;
    case GIVES_VECTOR: return scalar ? type_vec(types, 3, scalar) : NULL;
    case GIVES_MATRIX: return scalar ? type_mat(types, 3, 3, scalar) : NULL;
    case GIVES_TRUTH: return type_scalar(TYPE_BOOL);
    case GIVES_INT: return type_scalar(TYPE_INT32);
    case GIVES_UNSIGNED: return type_scalar(TYPE_UINT32);
    case GIVES_FLOAT: return type_scalar(TYPE_FLOAT32);
    default: return NULL;
    }
}

/* ---- arguments ---- */

bool code_arguments(Coder *c, const Expr *x, Operand *args, uint32_t most)
{
    if (x->count > most)
        return false;
    for (uint32_t i = 0; i < x->count; i++) {
        const Expr *kid = x->kids[i];
        if (!kid)
            args[i] = (Operand){.kind = OPERAND_NOTHING};
        else if (kid->eval == eval_constant && kid->constant.rounded.kind == DATUM_STATIC)
            args[i] = (Operand){.kind = OPERAND_STATIC, .value = kid->constant.rounded.value};
        else
            args[i] = code_expr(c, kid);
        if (args[i].kind == OPERAND_NONE || (kid && args[i].kind == OPERAND_NOTHING))
            return false;
    }
    for (uint32_t i = 0; i < x->count; i++)
        if (x->kids[i])
            args[i] = code_load(c, args[i], x->kids[i]->offset);
    return true;
}

static Datum datum_of(const Operand *value)
{
    switch (value->kind) {
    case OPERAND_VALUE:
        return (Datum){.kind = DATUM_VALUE, .writable = value->writable, .type = value->type, .cells = value->cells};
    case OPERAND_STRUCT:
        return (Datum){.kind = DATUM_STRUCT,
                       .writable = value->writable,
                       .type = value->type,
                       .cells = value->cells,
                       .arrays = value->arrays};
    case OPERAND_ARRAY: return (Datum){.kind = DATUM_ARRAY, .type = value->type, .arrays = value->arrays};
    case OPERAND_STATIC: return (Datum){.kind = DATUM_STATIC, .value = value->value};
    default: return (Datum){0};
    }
}

/* ---- constructors ---- */

Operand code_convert(Coder *c, const Expr *x, Operand value, const Type *type, uint32_t offset)
{
    if (value.kind != OPERAND_VALUE || !type_is_single(value.type) || !type_is_single(type))
        return none;
    Operand out = code_result(c, value.type == type ? op_copy : op_convert, x, type);
    Op *op = code_last(c);
    op->in[0] = value.cells;
    op->in_type[0] = value.type;
    op->offset = offset;
    return out;
}

static Operand code_fill(Coder *c, const Expr *x, const Type *type, Dual *cell)
{
    Operand out = code_result(c, op_fill, x, type);
    code_last(c)->in[0] = cell;
    return out;
}

/* As construct_composite(). */
static Operand code_composite(Coder *c, const Expr *x, const Type *type, const Operand *args, uint32_t count)
{
    Dual *cells[MAX_CODE_WIDTH];
    const Type *dtype = type->composite.dtype;
    uint32_t width = code_width(type), next = 0;
    if (!width || (type->kind == TYPE_TRANSFORM && count == 1))
        return none;
    if (count == 0)
        return code_fill(c, x, type, ARENA_NEW(c->e->arena, Dual));
    if (count == 1 && args[0].kind == OPERAND_VALUE && type_is_single(args[0].type)) {
        Operand cell = type->kind == TYPE_QUAT ? none : code_convert(c, x, args[0], dtype, x->offset);
        return cell.kind == OPERAND_NONE ? none : code_fill(c, x, type, cell.cells);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t given = args[i].kind == OPERAND_VALUE ? code_width(args[i].type) : 0;
        if (!given || given > width - next)
            return none;
        for (uint32_t k = 0; k < given; k++) {
            Operand cell = {.kind = OPERAND_VALUE, .type = type_scalar_of(args[i].type), .cells = args[i].cells + k};
            if (cell.type != dtype)
                cell = code_convert(c, x, cell, dtype, x->offset);
            cells[next++] = cell.cells;
        }
    }
    if (next != width)
        return none;
    Operand out = code_result(c, op_gather, x, type);
    code_last(c)->more = memcpy(ARENA_ARRAY(c->e->arena, Dual *, width), cells, width * sizeof *cells);
    return out;
}

static Operand code_construct(Coder *c, const Expr *x, const Type *type, const Operand *args, uint32_t count)
{
    const Layout *layout;
    type = type_canonical(type);
    if (x->call->keywords)
        return none;
    if (type_is_composite(type))
        return code_composite(c, x, type, args, count);
    if (count == 0 && (type_is_single(type) || (code_struct(c->e, type, &layout) && !layout->arrays && layout->cells)))
        return code_fill(c, x, type, ARENA_NEW(c->e->arena, Dual));
    return count == 1 ? code_convert(c, x, args[0], type, x->offset) : none;
}

/* wp.float64(0.1): the number as it is written. */
static Operand code_wide_literal(Coder *c, const Expr *x, const Type *type)
{
    Datum datum;
    ScratchMark mark = scratch_mark(c->e);
    Operand out = none;
    if (wide_literal(c->e, x, type, &datum)) {
        out = (Operand){.kind = OPERAND_VALUE, .type = datum.type, .cells = ARENA_NEW(c->e->arena, Dual)};
        *out.cells = *datum.cells;
    }
    scratch_release(c->e, mark);
    return out;
}

static Operand code_type_call(Coder *c, const Expr *x, const Type *type)
{
    Operand args[MAX_CODE_ARGS], literal = code_wide_literal(c, x, type);
    if (literal.kind != OPERAND_NONE)
        return literal;
    return code_arguments(c, x, args, MAX_CODE_ARGS) ? code_construct(c, x, type, args, x->count) : none;
}

/* ---- builtins ---- */

static Operand code_where(Coder *c, const Expr *x, const Operand *args)
{
    bool fits = args[0].kind == OPERAND_VALUE && type_is_single(args[0].type) && args[1].kind == OPERAND_VALUE &&
                args[2].kind == OPERAND_VALUE && args[1].type == args[2].type;
    if (!fits)
        return none;
    Operand out = code_result(c, op_where, x, args[1].type);
    Op *op = code_last(c);
    op->in_type[0] = args[0].type;
    for (uint32_t i = 0; i < 3; i++)
        op->in[i] = args[i].cells;
    return out;
}

static Operand code_tid(Coder *c, const Expr *x, uint32_t dimension)
{
    Operand out = code_result(c, op_tid, x, type_scalar(TYPE_INT32));
    code_last(c)->skip = dimension;
    return out;
}

/* A builtin by its function. */
static Operand code_use(Coder *c, const Expr *x, const BuiltinRow *row, const Operand *args)
{
    size_t rule = 0, count = sizeof rules / sizeof *rules;
    while (rule < count && rules[rule].function != row->function)
        rule++;
    if (rule == count)
        return none;
    const Type *type = given_type(c->e, rules[rule].gives, row->variant, args, x->count);
    Operand out = {.kind = OPERAND_NOTHING};
    if (rules[rule].gives == GIVES_NOTHING)
        code_emit(c, op_use_builtin, x);
    else if (type && code_width(type))
        out = code_result(c, op_use_builtin, x, type);
    else
        return none;
    BuiltinUse *use = ARENA_NEW(c->e->arena, BuiltinUse);
    use->function = row->function;
    for (uint32_t i = 0; i < x->count; i++)
        use->args[i] = datum_of(&args[i]);
    Op *op = code_last(c);
    op->more = use;
    op->count = x->count;
    op->variant = row->variant;
    return out;
}

static Operand code_builtin(Coder *c, const Expr *x)
{
    const BuiltinRow *row = x->call->row;
    Operand args[MAX_CODE_ARGS];
    if (row->function == math_convert)
        return code_type_call(c, x, type_scalar((TypeKind)row->variant));
    if (!code_arguments(c, x, args, MAX_CODE_ARGS) || x->count < row->min_args || x->count > row->max_args)
        return none;
    if (row->function == misc_tid)
        return x->call->expected < 2 ? code_tid(c, x, 0) : none;
    if (row->function == misc_where)
        return code_where(c, x, args);
    if (row->function == math_map && args[0].kind == OPERAND_VALUE &&
        (args[0].type->kind == TYPE_FLOAT32 || args[0].type->kind == TYPE_FLOAT64)) {
        Operand out = code_result(c, op_map, x, args[0].type);
        code_last(c)->in[0] = args[0].cells;
        code_last(c)->variant = row->variant;
        return out;
    }
    return code_use(c, x, row, args);
}

bool is_range_call(const Expr *x)
{
    return x->eval == eval_call_builtin && x->call->row->function == misc_range && x->count >= 1 && x->count <= 3;
}

/* ---- functions ---- */

static Operand code_function(Coder *c, const Expr *x)
{
    Operand args[MAX_CODE_ARGS];
    Datum data[MAX_CODE_ARGS];
    if (x->call->keywords || !code_arguments(c, x, args, MAX_CODE_ARGS))
        return none;
    for (uint32_t i = 0; i < x->count; i++)
        data[i] = datum_of(&args[i]);
    Passed passed = {.args = data, .count = x->count};
    Func *func = x->call->callee->func, *head = func->head ? func->head : func;
    func = find_func(c->e, head, &passed);
    Plan *plan = func ? code_variant(c->e, plan_of(c->e, &func->code, func), &passed) : NULL;
    if (!plan || !plan->takes_cells)
        return none;
    Operand out = {.kind = OPERAND_NOTHING};
    if (plan->result_type)
        out = code_result(c, op_call, x, plan->result_type);
    else
        code_emit(c, op_call, x);
    CodeCall *call = ARENA_NEW(c->e->arena, CodeCall);
    call->plan = plan;
    call->count = x->count;
    for (uint32_t i = 0; i < x->count; i++) {
        const Layout *layout;
        bool is_struct = code_struct(c->e, data[i].type, &layout);
        call->args[i] = data[i];
        call->cells[i] = is_struct ? layout->cells : code_width(data[i].type);
        call->arrays[i] = is_struct ? layout->arrays : data[i].kind == DATUM_ARRAY;
    }
    code_last(c)->more = call;
    return out;
}

Operand code_call(Coder *c, const Expr *x)
{
    if (x->eval == eval_call_builtin)
        return code_builtin(c, x);
    const Value *callee = x->call->callee;
    return callee->kind == VALUE_TYPE   ? code_type_call(c, x, callee->type)
           : callee->kind == VALUE_FUNC ? code_function(c, x)
                                        : none;
}

/* ---- several values ---- */

bool code_items(Coder *c, const Expr *x, Operand *items, uint32_t count)
{
    if (x->eval == eval_call_builtin && x->call->row->function == misc_tid && x->call->expected == count && !x->count) {
        for (uint32_t i = 0; i < count; i++)
            items[i] = code_tid(c, x, i);
        return true;
    }
    if (x->eval != eval_tuple || x->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        items[i] = code_expr(c, x->kids[i]);
        if (items[i].kind == OPERAND_NONE)
            return false;
    }
    return true;
}
