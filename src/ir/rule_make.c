/* What the constructors of vectors, matrices, quaternions and transforms return. */
#include "ir/rule_impl.h"

/* wp.vec3(..., dtype=...): a type whose elements are known takes a dtype only if it says the same. */
static const Type *constructor_dtype(const RuleCall *call)
{
    const Bound *given = bound_named(call, "dtype");
    if (!call->constructed)
        return arg_dtype(call, "dtype");
    const Type *dtype = call->constructed->composite.dtype;
    bool same = !given || (given->eval.kind == EVAL_VALUE && given->eval.value->kind == VALUE_TYPE &&
                           given->eval.value->type == dtype);
    if (!same)
        fail_hint(call->builder, call->at, "leave 'dtype' out", "the elements of %s are %s already",
                  repr(call->builder, call->constructed), repr(call->builder, dtype));
    return dtype;
}

static const char *counted_values(Builder *b, uint32_t count)
{
    return arena_format(b->arena, "%s %s", counted(b, count, "value"), count == 1 ? "is" : "are");
}

/* Constants are converted to the element type later; variables must have it already. */
static void check_elements(RuleCall *call, const Eval *evals, uint32_t count, const Type *dtype)
{
    for (uint32_t i = 0; i < count; i++) {
        if (evals[i].kind != EVAL_VAR || evals[i].var->constant)
            continue;
        const Type *scalar = type_scalar_of(eval_type(call->builder, &evals[i]));
        if (!types_equal(scalar, dtype))
            fail_hint(call->builder, call->at,
                      arena_format(call->builder->arena, "convert it: %s(...)", spelled(call->builder, dtype)),
                      "a value of type %s is given where the elements are of type %s", repr(call->builder, scalar),
                      repr(call->builder, dtype));
    }
}

/* The element type of what is filled with one value; `dtype` NULL: its own. */
static const Type *dtype_of_one(RuleCall *call, const Eval *value, const Type *dtype)
{
    const Type *type = eval_type(call->builder, value);
    if (dtype && !types_equal(type, dtype))
        check_elements(call, value, 1, dtype);
    return dtype ? dtype : type;
}

uint32_t const_dimension(RuleCall *call, const Eval *eval, const char *what)
{
    int64_t value;
    const Type *type = eval_type(call->builder, eval);
    if (!constant_int(eval, &value) || !type_is_int(type) || value < 0 || value > LIMIT_DIMENSION)
        fail(call->builder, call->at, "%s must be a constant integer", what);
    return (uint32_t)value;
}

const Eval *tuple_items(const RuleCall *call, const Eval *eval, uint32_t *count)
{
    if (eval->kind == EVAL_VAR && type_strip_reference(eval->var->type)->kind == TYPE_TUPLE) {
        const Type *type = type_strip_reference(eval->var->type);
        *count = type->tuple.count;
        return known_parts(call->builder, type);
    }
    *count = 1;
    return eval;
}

void rule_vector(RuleCall *call)
{
    Builder *b = call->builder;
    const Bound *rest = rest_of(call), *length_arg = bound_named(call, "length");
    const Type *dtype = constructor_dtype(call);
    uint32_t length = call->constructed ? call->constructed->composite.rows : 0;
    bool known = call->constructed != NULL;
    if (length_arg) {
        uint32_t given = const_dimension(call, &length_arg->eval, "the length of a vector");
        if (known && given != length)
            fail(b, call->at, "the length %u is not that of %s", given, repr(b, call->constructed));
        length = given;
        known = true;
    }
    uint32_t count = rest->rest_count;
    const Type *first = count ? eval_type(b, &rest->rest[0]) : NULL;
    if (count == 0 && !dtype)
        dtype = type_scalar(TYPE_FLOAT32);
    else if (count == 1 && first->kind == TYPE_VEC) {
        if (known && first->composite.rows != length)
            fail(b, call->at, "a vector of length %u cannot be made from one of length %u", length,
                 first->composite.rows);
        length = first->composite.rows;
        known = true;
        if (!dtype)
            dtype = first->composite.dtype;
    } else if (count == 1)
        dtype = dtype_of_one(call, &rest->rest[0], dtype);
    else if (count > 1) {
        if (known && length != count)
            fail(b, call->at, "%s given for a vector of length %u", counted_values(b, count), length);
        length = count;
        known = true;
        if (dtype)
            check_elements(call, rest->rest, count, dtype);
        else
            dtype = common_scalar(call, rest->rest, count);
    }
    if (!known || !dtype || (!type_is_scalar(dtype) && dtype->kind != TYPE_BOOL))
        fail(b, call->at, "the length and the element type of this vector are not known: give length= and dtype=");
    one_output(call, type_vec(types(call), length, dtype));
}

void rule_matrix(RuleCall *call)
{
    Builder *b = call->builder;
    const Bound *rest = rest_of(call), *shape_arg = bound_named(call, "shape");
    const Type *dtype = constructor_dtype(call);
    uint32_t rows = 0, cols = 0, count = rest->rest_count;
    bool known = call->constructed != NULL;
    if (known) {
        rows = call->constructed->composite.rows;
        cols = call->constructed->composite.cols;
    }
    if (shape_arg) {
        uint32_t dims;
        const Eval *items = tuple_items(call, &shape_arg->eval, &dims);
        if (dims != 2)
            fail(b, call->at, "the shape of a matrix has two dimensions");
        uint32_t r = const_dimension(call, &items[0], "the shape of a matrix"),
                 c = const_dimension(call, &items[1], "the shape of a matrix");
        if (known && (r != rows || c != cols))
            fail(b, call->at, "the shape is not that of %s", repr(b, call->constructed));
        if (!r != !c)
            unsupported(b, call->at, "a matrix of %u by %u is not supported", r, c);
        rows = r;
        cols = c;
        known = true;
    }
    const Type *first = count ? eval_type(b, &rest->rest[0]) : NULL;
    if (count == 0 && !dtype)
        dtype = type_scalar(TYPE_FLOAT32);
    else if (count == 1 && first->kind == TYPE_MAT) {
        if (known && (first->composite.rows != rows || first->composite.cols != cols))
            fail(b, call->at, "a matrix of %u by %u cannot be made from %s", rows, cols, repr(b, first));
        rows = first->composite.rows;
        cols = first->composite.cols;
        known = true;
        if (!dtype)
            dtype = first->composite.dtype;
    } else if (count == 1)
        dtype = dtype_of_one(call, &rest->rest[0], dtype);
    else if (count > 1) {
        bool vectors = true;
        for (uint32_t i = 0; i < count; i++)
            vectors &= eval_type(b, &rest->rest[i])->kind == TYPE_VEC;
        if (known && vectors)
            fail_hint(b, call->at, "use wp.matrix_from_rows() or wp.matrix_from_cols()",
                      "a matrix cannot be made from vectors");
        if (known && (uint64_t)rows * cols != count)
            fail(b, call->at, "%s given for a matrix of %u by %u", counted_values(b, count), rows, cols);
        if (dtype)
            check_elements(call, rest->rest, count, dtype);
        else
            dtype = common_scalar(call, rest->rest, count);
    }
    if (!known || !dtype || (!type_is_scalar(dtype) && dtype->kind != TYPE_BOOL))
        fail(b, call->at, "the shape and the element type of this matrix are not known: give shape= and dtype=");
    one_output(call, type_mat(types(call), rows, cols, dtype));
}

static void matrix_from_vectors_result(RuleCall *call, bool cols)
{
    const Bound *rest = rest_of(call);
    const Type *first = NULL;
    for (uint32_t i = 0; i < rest->rest_count; i++) {
        const Type *type = eval_type(call->builder, &rest->rest[i]);
        if (type->kind != TYPE_VEC || (first && !types_equal(first, type)))
            fail(call->builder, call->at, "'%s' takes vectors of one type", call->builtin->name);
        if (!first)
            first = type;
    }
    if (!first)
        fail(call->builder, call->at, "'%s' takes at least one vector", call->builtin->name);
    uint32_t length = first->composite.rows, count = rest->rest_count;
    one_output(call, type_mat(types(call), cols ? length : count, cols ? count : length, first->composite.dtype));
}

void rule_matrix_from_cols(RuleCall *call)
{
    matrix_from_vectors_result(call, true);
}

void rule_matrix_from_rows(RuleCall *call)
{
    matrix_from_vectors_result(call, false);
}

uint32_t plain_args(const RuleCall *call, Eval *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < call->bound_count; i++)
        if (strcmp(call->bound[i].param->name, "dtype") && call->bound[i].eval.kind != EVAL_VOID)
            out[count++] = call->bound[i].eval;
    return count;
}

void rule_quaternion(RuleCall *call)
{
    Builder *b = call->builder;
    Eval args[8];
    uint32_t count = plain_args(call, args);
    const Type *dtype = constructor_dtype(call);
    if (count == 0 && !dtype)
        dtype = type_scalar(TYPE_FLOAT32);
    else if (count == 1 && !dtype)
        dtype = eval_type(b, &args[0])->composite.dtype;
    else if (count > 1 && dtype)
        check_elements(call, args, count, dtype);
    else if (count > 1)
        dtype = common_scalar(call, args, count);
    bool python_float = count == 0 && dtype && dtype->kind == TYPE_PY_FLOAT; /* Warp wants its own type here */
    if (!dtype || !type_is_float(dtype) || python_float)
        fail_hint(b, call->at, python_float ? "write dtype=wp.float32" : NULL,
                  "the elements of a quaternion are one of Warp's float types, not %s",
                  dtype ? repr(b, dtype) : "of an unknown type");
    one_output(call, type_quat(types(call), dtype));
}

void rule_transformation(RuleCall *call)
{
    const Bound *rest = rest_of(call);
    const Type *dtype = constructor_dtype(call);
    uint32_t count = rest->rest_count;
    const Type *one = count == 1 ? eval_type(call->builder, &rest->rest[0]) : NULL;
    if (one && one->kind == TYPE_TRANSFORM && call->builder->unit->dialect->transform_from_one) {
        if (dtype && !types_equal(dtype, one->composite.dtype))
            fail(call->builder, call->at, "a transform of %s is made from %s", repr(call->builder, dtype),
                 repr(call->builder, one));
        one_output(call, one);
        return;
    }
    if (count != 0 && count != 7 && !(one && call->builder->unit->dialect->transform_from_one))
        fail(call->builder, call->at, "a transform is made from a position and a rotation, or from seven numbers");
    if (count == 0 && !dtype)
        dtype = type_scalar(TYPE_FLOAT32);
    else if (count && dtype)
        check_elements(call, rest->rest, count, dtype);
    else if (count)
        dtype = common_scalar(call, rest->rest, count);
    if (!dtype || !type_is_float(dtype))
        fail(call->builder, call->at, "the elements of a transform are floats, not %s",
             dtype ? repr(call->builder, dtype) : "of an unknown type");
    one_output(call, type_transform(types(call), dtype));
}

static void typed_float_result(RuleCall *call, const Type *(*make)(TypeTable *, const Type *))
{
    Eval args[8];
    uint32_t count = plain_args(call, args);
    const Type *scalar = common_scalar(call, args, count);
    const Type *dtype = constructor_dtype(call);
    if (!dtype)
        dtype = scalar ? scalar : type_scalar(TYPE_FLOAT32);
    else if (scalar && !types_equal(scalar, dtype))
        fail(call->builder, call->at, "the values are of type %s where %s is expected", repr(call->builder, scalar),
             repr(call->builder, dtype));
    one_output(call, make(types(call), dtype));
}

static const Type *make_spatial(TypeTable *table, const Type *dtype)
{
    return type_vec(table, 6, dtype);
}

void rule_transformation_pq(RuleCall *call)
{
    typed_float_result(call, type_transform);
}

void rule_spatial_vector(RuleCall *call)
{
    typed_float_result(call, make_spatial);
}

static void identity_of_dtype(RuleCall *call, const Type *(*make)(TypeTable *, const Type *))
{
    const Type *dtype = arg_dtype(call, "dtype");
    one_output(call, make(types(call), dtype ? dtype : type_scalar(TYPE_FLOAT32)));
}

void rule_quat_identity(RuleCall *call)
{
    identity_of_dtype(call, type_quat);
}

void rule_transform_identity(RuleCall *call)
{
    identity_of_dtype(call, type_transform);
}

void rule_identity(RuleCall *call)
{
    const Type *dtype = arg_dtype(call, "dtype");
    uint32_t n = const_dimension(call, &bound_named(call, "n")->eval, "the size of an identity matrix");
    one_output(call, type_mat(types(call), n, n, dtype));
}

void rule_matrix_transform(RuleCall *call)
{
    fail_hint(call->builder, call->at, "use wp.transform_compose()",
              "a matrix can no longer be made from a position, a rotation and a scale");
}
