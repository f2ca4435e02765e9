/* The types that operators and builtins give, as far as they follow from the types of their operands.
 *
 * What is not foreseen here is evaluated the general way. */
#include "eval/ast/builtin.h"
#include "eval/ast/code.h"

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

bool code_builtin_type(Evaluator *e, const BuiltinRow *row, const Expr *x, const Operand *args, const Type **type)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].function == row->function) {
            *type = given_type(e, rules[i].gives, row->variant, x, args);
            return rules[i].gives == GIVES_NOTHING || (*type && code_width(*type));
        }
    return false;
}

uint32_t code_several_types(TypeTable *types, const BuiltinRow *row, const Type *first, const Type **out)
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
