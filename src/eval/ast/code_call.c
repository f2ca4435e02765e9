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
    GIVES_SCALAR, /* of the parts of the first */
    GIVES_PRODUCT,
    GIVES_SMALLEST, /* of two the first, of the parts of one a scalar */
    GIVES_ELEMENT,  /* of the array that is the first */
    GIVES_TRANSPOSED,
    GIVES_QUATERNION, /* with numbers as the first argument has */
    GIVES_VECTOR,     /* of three, likewise */
    GIVES_MATRIX,     /* of three rows and columns */
    GIVES_OUTER,
    GIVES_DIAGONAL_MATRIX, /* of the vector that is the first */
    GIVES_DIAGONAL,        /* of the matrix that is the first */
    GIVES_LINES,           /* a matrix of these rows or columns */
    GIVES_TRANSFORM_PART,  /* by the variant: translation or rotation */
    GIVES_IDENTITY,
    GIVES_BY_DTYPE, /* a quaternion, transform or spatial vector */
    GIVES_DRAWN,    /* a random number */
    GIVES_CURL,     /* a vector, of two for a point in the plane */
    GIVES_SAMPLED,  /* a random point */
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
    {spatial_cross, GIVES_FIRST},
    {vector_outer, GIVES_OUTER},
    {matrix_diag, GIVES_DIAGONAL_MATRIX},
    {matrix_get_diag, GIVES_DIAGONAL},
    {build_from_lines, GIVES_LINES},
    {build_identity, GIVES_IDENTITY},
    {build_by_dtype, GIVES_BY_DTYPE},
    {transform_part, GIVES_TRANSFORM_PART},
    {geometry_edge_edge, GIVES_FIRST},
    {random_init, GIVES_UNSIGNED},
    {random_draw, GIVES_DRAWN},
    {random_sample, GIVES_SAMPLED},
    {noise_value, GIVES_FLOAT},
    {noise_periodic, GIVES_FLOAT},
    {noise_curl, GIVES_CURL},
    {random_poisson, GIVES_UNSIGNED},
    {random_cdf, GIVES_INT},
    {geometry_triangles, GIVES_INT},
    {misc_len, GIVES_INT},
    {misc_where, GIVES_SECOND},
    {misc_atomic, GIVES_ELEMENT},
    {misc_lower_bound, GIVES_INT},
    {misc_ignore, GIVES_NOTHING},
    {misc_array_store, GIVES_NOTHING},
};

/* wp.identity(n, dtype), wp.quat_identity(dtype), wp.transform_identity(dtype) */
static const Type *identity_type(TypeTable *types, int variant, const Expr *x, const Operand *args, uint32_t count)
{
    const Operand *given = variant == 0 ? &args[1] : count ? &args[0] : NULL;
    const Type *dtype = type_scalar(TYPE_FLOAT32);
    if (given && given->kind == OPERAND_STATIC && given->value->kind == VALUE_TYPE)
        dtype = type_canonical(given->value->type);
    else if (variant == 0 || (given && given->kind != OPERAND_NOTHING))
        return NULL;
    if (!type_is_single(dtype))
        return NULL;
    if (variant)
        return variant == 1 ? type_quat(types, dtype) : type_transform(types, dtype);
    int64_t n = is_int32(&args[0]) && x->kids[0]->eval == eval_constant ? args[0].cells->integer : 0;
    return n >= 1 && n <= 8 ? type_mat(types, (uint32_t)n, (uint32_t)n, dtype) : NULL;
}

/* As build_by_dtype(), without dtype=…. */
static const Type *by_dtype(TypeTable *types, int variant, const Expr *x, const Operand *args, uint32_t count)
{
    const Value *callee = x->call->callee;
    const Type *dtype = NULL;
    if (x->call->keywords)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (args[i].kind != OPERAND_VALUE)
            return NULL;
        dtype = dtype ? dtype : type_scalar_of(args[i].type);
    }
    if (variant == TYPE_VEC && callee && callee->kind == VALUE_TYPE && callee->type->kind == TYPE_VEC)
        dtype = callee->type->composite.dtype;
    dtype = dtype ? dtype : type_scalar(TYPE_FLOAT32);
    return variant == TYPE_VEC    ? type_vec(types, 6, dtype)
           : variant == TYPE_QUAT ? type_quat(types, dtype)
                                  : type_transform(types, dtype);
}

static const Type *sampled_type(TypeTable *types, int variant)
{
    bool flat =
        variant == SAMPLE_TRIANGLE || variant == SAMPLE_RING || variant == SAMPLE_DISK || variant == SAMPLE_SQUARE;
    return type_vec(types, flat ? 2 : 3, type_scalar(TYPE_FLOAT32));
}

/* NULL: not known. */
static const Type *given_type(Evaluator *e, Gives gives, int variant, const Expr *x, const Operand *args)
{
    uint32_t count = x->count;
    bool is_value = count && args[0].kind == OPERAND_VALUE;
    const Type *first = is_value ? args[0].type : NULL, *scalar = first ? type_scalar_of(first) : NULL;
    TypeTable *types = e->unit->types;
    uint32_t rows = first && type_is_composite(first) ? first->composite.rows : 0;
    bool is_vector = rows && first->kind == TYPE_VEC, two = count > 1 && args[1].kind == OPERAND_VALUE;
    switch (gives) {
    case GIVES_FIRST: return first;
    case GIVES_SECOND: return two ? args[1].type : NULL;
    case GIVES_OUTER:
        return is_vector && two && args[1].type->kind == TYPE_VEC
                   ? type_mat(types, rows, args[1].type->composite.rows, scalar)
                   : NULL;
    case GIVES_DIAGONAL_MATRIX: return is_vector ? type_mat(types, rows, rows, scalar) : NULL;
    case GIVES_DIAGONAL: return first && first->kind == TYPE_MAT ? type_vec(types, rows, scalar) : NULL;
    case GIVES_LINES: return is_vector ? type_mat(types, variant ? rows : count, variant ? count : rows, scalar) : NULL;
    case GIVES_TRANSFORM_PART: return !scalar ? NULL : variant ? type_quat(types, scalar) : type_vec(types, 3, scalar);
    case GIVES_IDENTITY: return identity_type(types, variant, x, args, count);
    case GIVES_BY_DTYPE: return by_dtype(types, variant, x, args, count);
    case GIVES_CURL:
        return !two || args[1].type->kind != TYPE_VEC
                   ? NULL
                   : type_vec(types, args[1].type->composite.rows == 2 ? 2 : 3, type_scalar(TYPE_FLOAT32));
    case GIVES_SAMPLED: return sampled_type(types, variant);
    case GIVES_DRAWN:
        return type_scalar(variant == RANDOM_INT ? TYPE_INT32 : variant == RANDOM_UINT ? TYPE_UINT32 : TYPE_FLOAT32);
    case GIVES_SCALAR: return scalar;
    case GIVES_PRODUCT: return is_value && two ? code_binary_type(e, (OpKind)variant, first, args[1].type) : NULL;
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

/* kids[first …] */
static bool code_kids(Coder *c, const Expr *x, uint32_t first, Operand *args, uint32_t most)
{
    uint32_t count = x->count - first;
    Expr *const *kids = x->kids + first;
    if (count > most)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const Expr *kid = kids[i];
        if (!kid)
            args[i] = (Operand){.kind = OPERAND_NOTHING};
        else if (kid->eval == eval_constant && kid->constant.rounded.kind == DATUM_STATIC)
            args[i] = (Operand){.kind = OPERAND_STATIC, .value = kid->constant.rounded.value};
        else
            args[i] = code_expr(c, kid);
        if (args[i].kind == OPERAND_NONE || (kid && args[i].kind == OPERAND_NOTHING))
            return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (kids[i])
            args[i] = code_load(c, args[i], kids[i]->offset);
    return true;
}

bool code_arguments(Coder *c, const Expr *x, Operand *args, uint32_t most)
{
    return code_kids(c, x, 0, args, most);
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

/* (array, i[, j…], value) */
static Operand code_atomic(Coder *c, const Expr *x, const Operand *args)
{
    const Operand *value = &args[x->count - 1];
    if (args[0].kind != OPERAND_ARRAY || value->kind != OPERAND_VALUE || args[0].type->array.ndim != x->count - 2)
        return none;
    for (uint32_t i = 1; i + 1 < x->count; i++)
        if (!is_int32(&args[i]))
            return none;
    Operand element = code_element(c, x, &args[0], &args[1]);
    if (element.kind == OPERAND_NONE || code_width(element.type) != code_width(value->type))
        return none;
    code_update(c, x, &element, value, (AtomicOp)x->call->row->variant);
    Operand old = {.kind = OPERAND_VALUE, .type = element.type, .cells = code_temp(c, code_width(element.type))};
    code_last(c)->out = old.cells;
    return old;
}

static Operand code_tid(Coder *c, const Expr *x, uint32_t dimension)
{
    Operand out = code_result(c, op_tid, x, type_scalar(TYPE_INT32));
    code_last(c)->skip = dimension;
    return out;
}

static BuiltinUse *use_builtin(Coder *c, const Expr *x, const BuiltinRow *row, const Operand *args)
{
    BuiltinUse *use = arena_take(c->e->arena, sizeof *use + x->count * sizeof *use->args);
    *use = (BuiltinUse){.function = row->function};
    for (uint32_t i = 0; i < x->count; i++)
        use->args[i] = datum_of(&args[i]);
    Op *op = code_last(c);
    op->more = use;
    op->count = x->count;
    op->variant = row->variant;
    return use;
}

/* A builtin by its function. */
static Operand code_use(Coder *c, const Expr *x, const BuiltinRow *row, const Operand *args)
{
    size_t rule = 0, count = sizeof rules / sizeof *rules;
    while (rule < count && rules[rule].function != row->function)
        rule++;
    if (rule == count)
        return none;
    const Type *type = given_type(c->e, rules[rule].gives, row->variant, x, args);
    Operand out = {.kind = OPERAND_NOTHING};
    if (rules[rule].gives == GIVES_NOTHING)
        code_emit(c, op_use_builtin, x);
    else if (type && code_width(type))
        out = code_result(c, op_use_builtin, x, type);
    else
        return none;
    use_builtin(c, x, row, args);
    return out;
}

/* wp.zeros(shape=4, dtype=float): a local array. */
static Operand code_zeros(Coder *c, const Expr *x, const Operand *args)
{
    const Type *dtype = args[1].kind == OPERAND_STATIC && args[1].value->kind == VALUE_TYPE
                            ? type_canonical(args[1].value->type)
                            : NULL;
    if (!dtype || !code_width(dtype) || !is_int32(&args[0]) || x->kids[0]->eval != eval_constant ||
        args[0].cells->integer < 1 || args[0].cells->integer > 1 << 20)
        return none;
    uint32_t dims[4] = {(uint32_t)args[0].cells->integer, 1, 1, 1};
    Operand out = code_view(c, op_use_array, x, type_fixed_array(c->e->unit->types, dtype, 1, dims));
    use_builtin(c, x, x->call->row, args)->array = out.arrays;
    return out;
}

/* ---- builtins with operations of their own ---- */

typedef enum Takes {
    TAKES_REAL,    /* a number that is a float32 or float64 */
    TAKES_NUMBERS, /* of one type */
    TAKES_VALUE,
    TAKES_TWO,        /* values of one type */
    TAKES_VECTOR,     /* of real numbers; also a quaternion */
    TAKES_TWO_POINTS, /* vectors of three, of one type */
    TAKES_TWO_PARTS   /* values of one type that have parts */
} Takes;

static const struct {
    BuiltinFn *function;
    OpFn *run;
    Takes takes;
    Gives gives;
} direct[] = {
    {math_map, op_map, TAKES_REAL, GIVES_FIRST},
    {math_scalars, op_scalars, TAKES_NUMBERS, GIVES_FIRST},
    {math_signed, op_signed, TAKES_VALUE, GIVES_FIRST},
    {math_min_max, op_extreme, TAKES_TWO, GIVES_FIRST},
    {vector_dot, op_dot, TAKES_TWO_PARTS, GIVES_SCALAR},
    {vector_cross, op_cross, TAKES_TWO_POINTS, GIVES_FIRST},
    {vector_length, op_length, TAKES_VECTOR, GIVES_SCALAR},
    {vector_normalize, op_normalize, TAKES_VECTOR, GIVES_FIRST},
};

static bool takes(Takes what, const Operand *args, uint32_t count)
{
    const Type *type = args[0].type;
    for (uint32_t i = 0; i < count; i++)
        if (args[i].kind != OPERAND_VALUE || args[i].type != type)
            return false;
    bool is_real = count && is_float_kind(type_scalar_of(type)->kind);
    switch (what) {
    case TAKES_REAL: return count == 1 && (type->kind == TYPE_FLOAT32 || type->kind == TYPE_FLOAT64);
    case TAKES_NUMBERS: return count && count <= 3 && type_is_single(type);
    case TAKES_VALUE: return count == 1;
    case TAKES_TWO: return count == 2;
    case TAKES_VECTOR: return count == 1 && is_real && (type->kind == TYPE_VEC || type->kind == TYPE_QUAT);
    case TAKES_TWO_POINTS: return count == 2 && type->kind == TYPE_VEC && type->composite.rows == 3;
    default: return count == 2 && type_is_composite(type);
    }
}

/* OPERAND_NONE: it has none of its own. */
static Operand code_direct(Coder *c, const Expr *x, const BuiltinRow *row, const Operand *args)
{
    size_t i = 0, count = sizeof direct / sizeof *direct;
    while (i < count && direct[i].function != row->function)
        i++;
    if (i == count || !takes(direct[i].takes, args, x->count))
        return none;
    const Type *type = given_type(c->e, direct[i].gives, row->variant, x, args);
    Operand out = code_result(c, direct[i].run, x, type);
    Op *op = code_last(c);
    op->in_type[0] = args[0].type;
    op->variant = row->variant;
    op->count = code_width(args[0].type);
    for (uint32_t k = 0; k < 3; k++)
        op->in[k] = args[k < x->count ? k : 0].cells;
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
    if (row->function == build_zeros)
        return code_zeros(c, x, args);
    if (row->function == misc_atomic && row->variant != ATOMIC_CAS)
        return code_atomic(c, x, args);
    Operand out = code_direct(c, x, row, args);
    return out.kind == OPERAND_NONE ? code_use(c, x, row, args) : out;
}

bool is_range_call(const Expr *x)
{
    return x->eval == eval_call_builtin && x->call->row->function == misc_range && x->count >= 1 && x->count <= 3;
}

/* ---- functions ---- */

/* The call; NULL: there is no code for it. */
static CodeCall *code_callee(Coder *c, const Expr *x)
{
    Operand args[MAX_CODE_ARGS];
    Datum data[MAX_CODE_ARGS];
    if (x->call->keywords || !code_arguments(c, x, args, MAX_CODE_ARGS))
        return NULL;
    for (uint32_t i = 0; i < x->count; i++) {
        if (args[i].kind == OPERAND_STATIC || args[i].kind == OPERAND_NOTHING)
            return NULL;
        data[i] = datum_of(&args[i]);
    }
    Passed passed = {.args = data, .count = x->count};
    Func *func = x->call->callee->func, *head = func->head ? func->head : func;
    func = find_func(c->e, head, &passed);
    Plan *plan = func ? code_variant(c->e, plan_of(c->e, &func->code, func), &passed) : NULL;
    if (!plan || !plan->takes_cells)
        return NULL;
    CodeCall *call = arena_take(c->e->arena, sizeof *call + x->count * sizeof *call->args);
    *call = (CodeCall){.plan = plan, .count = x->count};
    for (uint32_t i = 0; i < x->count; i++) {
        const Layout *layout;
        bool is_struct = code_struct(c->e, args[i].type, &layout);
        call->args[i] = (CodeArgument){.datum = data[i],
                                       .cells = is_struct ? layout->cells : code_width(args[i].type),
                                       .arrays = is_struct ? layout->arrays : args[i].kind == OPERAND_ARRAY};
    }
    return call;
}

static Operand code_function(Coder *c, const Expr *x)
{
    Operand out = {.kind = OPERAND_NOTHING};
    CodeCall *call = code_callee(c, x);
    if (!call || call->plan->result_count > 1)
        return none;
    if (call->plan->result_count)
        out = code_result(c, op_call, x, call->plan->result_types[0]);
    else
        code_emit(c, op_call, x);
    code_last(c)->more = call;
    return out;
}

/* Results of a function lie with its plan until the next call. */
static bool code_results(Coder *c, const Expr *x, Operand *items, uint32_t count)
{
    CodeCall *call = code_callee(c, x);
    const Plan *plan = call ? call->plan : NULL;
    if (!plan || plan->result_count != count || count < 2)
        return false;
    code_emit(c, op_call, x)->more = call;
    for (uint32_t i = 0; i < count; i++)
        items[i] =
            (Operand){.kind = OPERAND_VALUE, .type = plan->result_types[i], .cells = plan->result.items[i].cells};
    return true;
}

/* type(x)(…) */
static Operand code_type_of(Coder *c, const Expr *x)
{
    const Expr *callee = x->kids[0];
    Operand like, args[MAX_CODE_ARGS];
    if (callee->eval != eval_call_builtin || callee->call->row->function != misc_type || callee->count != 1 ||
        !code_arguments(c, callee, &like, 1) || like.kind != OPERAND_VALUE)
        return none;
    return code_kids(c, x, 1, args, MAX_CODE_ARGS) ? code_construct(c, x, like.type, args, x->count - 1) : none;
}

Operand code_call(Coder *c, const Expr *x)
{
    if (x->eval == eval_call_builtin)
        return code_builtin(c, x);
    if (x->eval == eval_call_dynamic)
        return code_type_of(c, x);
    const Value *callee = x->call->callee;
    return callee->kind == VALUE_TYPE   ? code_type_call(c, x, callee->type)
           : callee->kind == VALUE_FUNC ? code_function(c, x)
                                        : none;
}

/* ---- several values ---- */

/* Of builtins that give several; 0: of another one. */
static uint32_t several_types(TypeTable *types, const BuiltinRow *row, const Type *first, const Type **out)
{
    const Type *scalar = type_scalar_of(first);
    uint32_t rows = first->kind == TYPE_MAT ? first->composite.rows : 0;
    if (row->function == quat_to_axis_angle) {
        out[0] = type_vec(types, 3, scalar);
        out[1] = scalar;
        return 2;
    }
    out[0] = first;
    if (row->function == decompose_qr && rows) {
        out[1] = first;
        return 2;
    }
    if ((row->function != decompose_svd && row->function != decompose_eig) || !rows)
        return 0;
    out[1] = type_vec(types, rows, scalar);
    out[2] = first;
    return row->function == decompose_svd ? 3 : 2;
}

static bool code_several(Coder *c, const Expr *x, Operand *items, uint32_t count)
{
    Operand arg;
    const Type *types[3];
    if (x->count != 1 || !code_arguments(c, x, &arg, 1) || arg.kind != OPERAND_VALUE ||
        several_types(c->e->unit->types, x->call->row, arg.type, types) != count)
        return false;
    code_emit(c, op_use_several, x)->width = count;
    BuiltinUse *use = use_builtin(c, x, x->call->row, &arg);
    for (uint32_t i = 0; i < count; i++) {
        if (!code_width(types[i]))
            return false;
        items[i] = (Operand){.kind = OPERAND_VALUE, .type = types[i], .cells = code_temp(c, code_width(types[i]))};
        use->items[i] = operand_datum(types[i], items[i].cells);
    }
    return true;
}

bool code_items(Coder *c, const Expr *x, Operand *items, uint32_t count)
{
    if (x->eval == eval_call_value)
        return x->call->callee->kind == VALUE_FUNC && code_results(c, x, items, count);
    if (x->eval == eval_call_builtin && x->call->row->function != misc_tid)
        return code_several(c, x, items, count);
    if (x->eval == eval_call_builtin) {
        for (uint32_t i = 0; i < count; i++)
            items[i] = code_tid(c, x, i);
        return x->call->expected == count && !x->count;
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
