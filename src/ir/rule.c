/* What a builtin returns: one function a rule of rule.def that needs more than the table can say. */
#include "ir/rule_impl.h"

#include <limits.h>
#include <string.h>

/* ---- looking at arguments ---- */

const Bound *bound_named(const RuleCall *call, const char *name)
{
    for (uint32_t i = 0; i < call->bound_count; i++)
        if (call->bound[i].param->name[0] == name[0] && strcmp(call->bound[i].param->name, name) == 0)
            return call->bound[i].eval.kind == EVAL_VOID && !call->bound[i].rest ? NULL : &call->bound[i];
    return NULL;
}

const Type *arg_type(const RuleCall *call, const char *name)
{
    const Bound *bound = bound_named(call, name);
    return bound ? eval_type(call->builder, &bound->eval) : NULL;
}

/* A type given as an argument, `dtype=wp.float64`. */
const Type *arg_dtype(const RuleCall *call, const char *name)
{
    const Bound *bound = bound_named(call, name);
    if (!bound)
        return NULL;
    if (bound->eval.kind != EVAL_VALUE || bound->eval.value->kind != VALUE_TYPE)
        fail(call->builder, call->at, "'%s' must be a type", name);
    return bound->eval.value->type;
}

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

const Bound *rest_of(const RuleCall *call)
{
    for (uint32_t i = 0; i < call->bound_count; i++)
        if (call->bound[i].param->variadic)
            return &call->bound[i];
    return NULL;
}

bool constant_int(const Eval *eval, int64_t *out)
{
    BigInt value;
    const Value *constant = eval->kind == EVAL_VALUE ? eval->value
                            : eval->kind == EVAL_VAR ? eval->var->constant
                                                     : NULL;
    if (!constant || !value_as_int(constant, &value) || value > INT_MAX || value < INT_MIN)
        return false;
    *out = (int64_t)value;
    return true;
}

/* ---- words for messages ---- */

static const char *counted_values(Builder *b, uint32_t count)
{
    return arena_format(b->arena, "%s %s", counted(b, count, "value"), count == 1 ? "is" : "are");
}

/* ---- one scalar type for all ---- */

static void join_scalar(RuleCall *call, const Type *type, const Type **joined)
{
    const Type *scalar = type_canonical(type_scalar_of(type));
    if (!type_is_scalar(scalar) && scalar->kind != TYPE_BOOL)
        return;
    if (*joined && *joined != scalar)
        fail(call->builder, call->at, "the arguments of '%s' must have the same scalar type, not %s and %s",
             call->builtin->name, repr(call->builder, *joined), repr(call->builder, scalar));
    *joined = scalar;
}

static const Type *common_scalar(RuleCall *call, const Eval *evals, uint32_t count)
{
    const Type *joined = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const Type *type = eval_type(call->builder, &evals[i]);
        if (type)
            join_scalar(call, type, &joined);
    }
    return joined;
}

static const Type *common_scalar_of_all(RuleCall *call)
{
    const Type *joined = NULL;
    for (uint32_t i = 0; i < call->bound_count; i++) {
        const Bound *bound = &call->bound[i];
        const Type *type = bound->eval.kind == EVAL_VAR ? eval_type(call->builder, &bound->eval) : NULL;
        if (type)
            join_scalar(call, type, &joined);
        const Type *rest = common_scalar(call, bound->rest, bound->rest_count);
        if (rest)
            join_scalar(call, rest, &joined);
    }
    if (!joined)
        fail(call->builder, call->at, "'%s' needs at least one number among its arguments", call->builtin->name);
    return joined;
}

static const Type *require_same(RuleCall *call)
{
    const Type *first = NULL;
    for (uint32_t i = 0; i < call->bound_count; i++) {
        if (call->bound[i].eval.kind == EVAL_VOID)
            continue;
        const Type *type = eval_type(call->builder, &call->bound[i].eval);
        bool is_operator = call->at && call->at->kind != NODE_CALL;
        if (first && !types_equal(first, type))
            fail_hint(call->builder, call->at,
                      type_is_scalar(first) && type_is_scalar(type)
                          ? arena_format(call->builder->arena, "nothing is converted implicitly: write %s(...)",
                                         spelled(call->builder, type_is_float(first) ? first : type))
                          : NULL,
                      "the %s of '%s' must have the same type, not %s and %s", is_operator ? "operands" : "arguments",
                      called_name(call->builtin->name, call->at), repr(call->builder, first),
                      repr(call->builder, type));
        if (!first)
            first = type;
    }
    return first;
}

static const Type *with_scalar(RuleCall *call, const Type *pattern, const Type *scalar)
{
    if (pattern->kind == TYPE_ANY_SCALAR)
        return scalar;
    if (type_is_composite(pattern) && pattern->composite.dtype->kind == TYPE_ANY_SCALAR)
        switch (pattern->kind) {
        case TYPE_VEC: return type_vec(types(call), pattern->composite.rows, scalar);
        case TYPE_MAT: return type_mat(types(call), pattern->composite.rows, pattern->composite.cols, scalar);
        case TYPE_QUAT: return type_quat(types(call), scalar);
        default: return type_transform(types(call), scalar);
        }
    return pattern;
}

static void listed_result(RuleCall *call)
{
    const Builtin *builtin = call->builtin;
    const Type *scalar = builtin->result_uses_arg_scalar ? common_scalar_of_all(call) : NULL;
    for (uint32_t i = 0; i < builtin->result_count; i++) {
        call->outputs[i] = with_scalar(call, builtin->results[i], scalar);
        if (type_is_composite(call->outputs[i]) && !type_is_scalar(call->outputs[i]->composite.dtype) &&
            call->outputs[i]->composite.dtype->kind != TYPE_BOOL)
            unsupported(call->builder, call->at, "what Warp generates for '%s' is not valid C++", builtin->name);
    }
    call->output_count = builtin->result_count;
}

/* ---- constructors ---- */

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

uint32_t const_dimension(RuleCall *call, const Eval *eval, const char *what)
{
    int64_t value;
    const Type *type = eval_type(call->builder, eval);
    if (!constant_int(eval, &value) || !type_is_int(type) || value < 0 || value > LIMIT_DIMENSION)
        fail(call->builder, call->at, "%s must be a constant integer", what);
    return (uint32_t)value;
}

const Eval *tuple_items(const Eval *eval, uint32_t *count)
{
    if (eval->kind == EVAL_VAR && type_strip_reference(eval->var->type)->kind == TYPE_TUPLE) {
        const Type *type = type_strip_reference(eval->var->type);
        *count = type->tuple.count;
        return type->tuple.values;
    }
    *count = 1;
    return eval;
}

static void vector_result(RuleCall *call)
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
    } else if (count == 1) {
        if (!dtype)
            dtype = first;
        else if (!types_equal(first, dtype))
            check_elements(call, rest->rest, 1, dtype);
    } else if (count > 1) {
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
        fail(b, call->at, "the length and the element type of this vector cannot be told: give length= and dtype=");
    one_output(call, type_vec(types(call), length, dtype));
}

static void matrix_result(RuleCall *call)
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
        const Eval *items = tuple_items(&shape_arg->eval, &dims);
        if (dims != 2)
            fail(b, call->at, "the shape of a matrix has two dimensions");
        uint32_t r = const_dimension(call, &items[0], "the shape of a matrix"),
                 c = const_dimension(call, &items[1], "the shape of a matrix");
        if (known && (r != rows || c != cols))
            fail(b, call->at, "the shape is not that of %s", repr(b, call->constructed));
        rows = r;
        cols = c;
        known = true;
    }
    const Type *first = count ? eval_type(b, &rest->rest[0]) : NULL;
    if (count == 0 && !dtype)
        dtype = type_scalar(TYPE_FLOAT32);
    else if (count == 1 && first->kind == TYPE_MAT) {
        if (known && (first->composite.rows != rows || first->composite.cols != cols))
            fail(b, call->at, "%s cannot be made from %s", repr(b, call->constructed), repr(b, first));
        rows = first->composite.rows;
        cols = first->composite.cols;
        known = true;
        if (!dtype)
            dtype = first->composite.dtype;
    } else if (count == 1) {
        if (!dtype)
            dtype = first;
        else if (!types_equal(first, dtype))
            check_elements(call, rest->rest, 1, dtype);
    } else if (count > 1) {
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
        fail(b, call->at, "the shape and the element type of this matrix cannot be told: give shape= and dtype=");
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

uint32_t plain_args(const RuleCall *call, Eval *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < call->bound_count; i++)
        if (strcmp(call->bound[i].param->name, "dtype") && call->bound[i].eval.kind != EVAL_VOID)
            out[count++] = call->bound[i].eval;
    return count;
}

static void quaternion_result(RuleCall *call)
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

static void transformation_result(RuleCall *call)
{
    const Bound *rest = rest_of(call);
    const Type *dtype = constructor_dtype(call);
    uint32_t count = rest->rest_count;
    if (count != 0 && count != 7)
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

static void identity_of_dtype(RuleCall *call, const Type *(*make)(TypeTable *, const Type *))
{
    const Type *dtype = arg_dtype(call, "dtype");
    one_output(call, make(types(call), dtype ? dtype : type_scalar(TYPE_FLOAT32)));
}

/* ---- products ---- */

static const Type *first_type(const RuleCall *call)
{
    return eval_type(call->builder, &call->bound[0].eval);
}

static void scalar_mul_result(RuleCall *call)
{
    const Type *a = eval_type(call->builder, &call->bound[0].eval), *c = eval_type(call->builder, &call->bound[1].eval);
    const Type *compound = type_is_composite(a) ? a : c, *scalar = compound == a ? c : a;
    if (!types_equal(type_scalar_of(compound), scalar))
        fail(call->builder, call->at, "%s and %s do not have the same scalar type", repr(call->builder, a),
             repr(call->builder, c));
    one_output(call, compound);
}

static void product_result(RuleCall *call, ResultRule rule)
{
    const Type *a = arg_type(call, "a"), *c = arg_type(call, "b");
    uint32_t inner_a = rule == RESULT_VECMAT ? a->composite.rows : a->composite.cols, inner_b = c->composite.rows;
    if (!types_equal(a->composite.dtype, c->composite.dtype) || inner_a != inner_b)
        fail(call->builder, call->at, "%s and %s cannot be multiplied: %s", repr(call->builder, a),
             repr(call->builder, c),
             inner_a != inner_b
                 ? arena_format(call->builder->arena, "%u columns do not match %u rows", inner_a, inner_b)
                 : "their scalar types differ");
    const Type *dtype = a->composite.dtype;
    if (rule == RESULT_MATVEC)
        one_output(call, type_vec(types(call), a->composite.rows, dtype));
    else if (rule == RESULT_VECMAT)
        one_output(call, type_vec(types(call), c->composite.cols, dtype));
    else
        one_output(call, type_mat(types(call), a->composite.rows, c->composite.cols, dtype));
}

static void square_result(RuleCall *call, ResultRule rule)
{
    const Type *matrix = first_type(call);
    if (matrix->composite.rows != matrix->composite.cols)
        fail(call->builder, call->at, "'%s' takes a square matrix, not %s", call->builtin->name,
             repr(call->builder, matrix));
    one_output(call, rule == RESULT_TRACE ? matrix->composite.dtype
                                          : type_vec(types(call), matrix->composite.rows, matrix->composite.dtype));
}

static void lerp_result(RuleCall *call)
{
    const Type *a = arg_type(call, "a"), *c = arg_type(call, "b"), *t = arg_type(call, "t");
    if (!types_equal(a, c) || !types_equal(a->composite.dtype, t))
        fail(call->builder, call->at, "%s, %s and %s cannot be interpolated", repr(call->builder, a),
             repr(call->builder, c), repr(call->builder, t));
    one_output(call, a);
}

/* ---- results ---- */

static void slice_result(RuleCall *call)
{
    Type *type = type_slice(types(call));
    for (uint32_t i = 0; i < 3; i++) {
        const Eval *eval = &call->bound[i].eval;
        type->slice.parts[i] = (void *)(eval->kind == EVAL_VALUE ? eval->value : eval->var->constant);
    }
    one_output(call, type);
}

static void tuple_result(RuleCall *call)
{
    Builder *b = call->builder;
    const Bound *rest = rest_of(call);
    const Type **element_types = ARENA_ARRAY(b->arena, const Type *, rest->rest_count);
    Eval *values = ARENA_ARRAY(b->arena, Eval, rest->rest_count);
    for (uint32_t i = 0; i < rest->rest_count; i++) {
        element_types[i] = eval_type(b, &rest->rest[i]);
        const Eval *eval = &rest->rest[i];
        values[i] = eval->kind == EVAL_VAR && eval->var->constant ? eval_value(eval->var->constant) : *eval;
        if (element_types[i]->kind == TYPE_ARRAY || element_types[i]->kind == TYPE_TUPLE)
            fail(b, call->at, "%s cannot be an element of a tuple in a kernel", repr(b, element_types[i]));
    }
    if (!rest->rest_count)
        fail(b, call->at, "an empty tuple cannot be used in a kernel");
    Type *type = type_tuple(types(call), element_types, rest->rest_count, false);
    type->tuple.values = values;
    one_output(call, type);
}

static void tuple_extract_result(RuleCall *call)
{
    int64_t index;
    const Type *tuple = arg_type(call, "a");
    if (!constant_int(&bound_named(call, "i")->eval, &index))
        fail(call->builder, call->at, "the index of a tuple must be a constant");
    if (index < 0)
        unsupported(call->builder, call->at, "a negative index of a tuple is not supported");
    if (index >= tuple->tuple.count)
        fail(call->builder, call->at, "the index %lld is out of range for a tuple of %s", (long long)index,
             counted(call->builder, tuple->tuple.count, "value"));
    one_output(call, tuple->tuple.types[index]);
}

static void where_result(RuleCall *call)
{
    const Type *a = arg_type(call, "value_if_true"), *c = arg_type(call, "value_if_false");
    if (!a || !c || !types_equal(a, c))
        fail(call->builder, call->at, "both values must have the same type, not %s and %s",
             eval_repr(call->builder, &bound_named(call, "value_if_true")->eval),
             eval_repr(call->builder, &bound_named(call, "value_if_false")->eval));
    one_output(call, a);
}

static bool volume_type_supported(const Type *type)
{
    const Type *canonical = type_canonical(type);
    bool scalar = canonical->kind == TYPE_INT32 || canonical->kind == TYPE_INT64 || canonical->kind == TYPE_UINT32 ||
                  canonical->kind == TYPE_FLOAT32 || canonical->kind == TYPE_FLOAT64;
    bool vector = type->kind == TYPE_VEC && (type->composite.rows == 3 || type->composite.rows == 4) &&
                  (type->composite.dtype->kind == TYPE_FLOAT32 || type->composite.dtype->kind == TYPE_FLOAT64);
    return scalar || vector;
}

static void check_volume_type(RuleCall *call, const Type *type)
{
    if (!volume_type_supported(type))
        fail(call->builder, call->at, "a volume cannot hold values of type %s", repr(call->builder, type));
}

static void check_volume_gradient(RuleCall *call, const Type *dtype)
{
    const Type *grad = arg_type(call, "grad");
    const Type *expected = dtype->kind == TYPE_VEC
                               ? type_mat(types(call), dtype->composite.rows, 3, dtype->composite.dtype)
                               : type_vec(types(call), 3, type_canonical(dtype));
    if (!types_equal(grad, expected))
        fail(call->builder, call->at, "the gradient of a volume of %s is of type %s, not %s",
             repr(call->builder, dtype), repr(call->builder, expected), repr(call->builder, grad));
}

static void dtype_result(RuleCall *call)
{
    const Type *dtype = arg_dtype(call, "dtype");
    if (!dtype)
        fail(call->builder, call->at, "'%s' needs a dtype, for example dtype=float", call->builtin->name);
    if (call->builtin->rule != RESULT_CAST && call->builtin->rule != RESULT_TEXTURE)
        check_volume_type(call, dtype);
    if (call->builtin->rule == RESULT_VOLUME_GRAD)
        check_volume_gradient(call, dtype);
    one_output(call, dtype);
}

static void volume_index_result(RuleCall *call)
{
    const Type *array = arg_type(call, "voxel_data"), *background = arg_type(call, "background");
    if (!types_equal(array->array.dtype, background))
        fail(call->builder, call->at, "the background must be of type %s, like the voxels",
             repr(call->builder, array->array.dtype));
    if (call->builtin->rule == RESULT_VOLUME_GRAD_INDEX)
        check_volume_gradient(call, array->array.dtype);
    one_output(call, array->array.dtype);
}

static void first_matrix_result(RuleCall *call, ResultRule rule)
{
    const Type *a = first_type(call);
    switch (rule) {
    case RESULT_OUTER: {
        const Type *c = arg_type(call, "b");
        one_output(call, type_mat(types(call), a->composite.rows, c->composite.rows, common_scalar_of_all(call)));
        return;
    }
    case RESULT_TRANSPOSE:
        one_output(call, type_mat(types(call), a->composite.cols, a->composite.rows, a->composite.dtype));
        return;
    default: one_output(call, type_mat(types(call), a->composite.rows, a->composite.rows, a->composite.dtype)); return;
    }
}

static void identity_result(RuleCall *call)
{
    const Type *dtype = arg_dtype(call, "dtype");
    uint32_t n = const_dimension(call, &bound_named(call, "n")->eval, "the size of an identity matrix");
    one_output(call, type_mat(types(call), n, n, dtype));
}

static void static_len_result(RuleCall *call)
{
    const Type *type = first_type(call);
    uint32_t length = type->kind == TYPE_TUPLE ? type->tuple.count : type_length(type);
    call->replaced = add_constant_int(call->builder, length);
}

void rule_result(RuleCall *call)
{
    Builder *b = call->builder;
    ResultRule rule = call->builtin->rule;
    switch (rule) {
    case RESULT_VOID:
    case RESULT_PRINTF:
    case RESULT_VECTOR_ASSIGN:
    case RESULT_MATRIX_ASSIGN: return;
    case RESULT_VOLUME_STORE: check_volume_type(call, arg_type(call, "value")); return;
    case RESULT_LISTED: listed_result(call); return;
    case RESULT_SAME: one_output(call, require_same(call)); return;
    case RESULT_SAME_SCALAR: one_output(call, type_scalar_of(require_same(call))); return;
    case RESULT_VECTOR_ASSIGN_COPY:
    case RESULT_MATRIX_ASSIGN_COPY:
        if (call->bound[0].eval.kind == EVAL_VAR && call->bound[0].eval.var->type->kind == TYPE_REF)
            fail(b, call->at, "'%s' takes a variable, not a part of an array or struct", call->builtin->name);
        one_output(call, first_type(call));
        return;
    case RESULT_FIRST:
    case RESULT_COPY:
    case RESULT_LOAD: one_output(call, first_type(call)); return;
    case RESULT_FIRST_SCALAR: one_output(call, type_scalar_of(first_type(call))); return;
    case RESULT_VECTOR: vector_result(call); return;
    case RESULT_MATRIX: matrix_result(call); return;
    case RESULT_MATRIX_TRANSFORM:
        fail_hint(b, call->at, "use wp.transform_compose()",
                  "a matrix can no longer be made from a position, a rotation and a scale");
    case RESULT_MATRIX_FROM_COLS:
    case RESULT_MATRIX_FROM_ROWS: matrix_from_vectors_result(call, rule == RESULT_MATRIX_FROM_COLS); return;
    case RESULT_IDENTITY: identity_result(call); return;
    case RESULT_QUATERNION: quaternion_result(call); return;
    case RESULT_QUAT_IDENTITY: identity_of_dtype(call, type_quat); return;
    case RESULT_TRANSFORMATION: transformation_result(call); return;
    case RESULT_TRANSFORMATION_PQ: typed_float_result(call, type_transform); return;
    case RESULT_TRANSFORM_IDENTITY: identity_of_dtype(call, type_transform); return;
    case RESULT_SPATIAL_VECTOR: typed_float_result(call, make_spatial); return;
    case RESULT_OUTER:
    case RESULT_TRANSPOSE:
    case RESULT_DIAG: first_matrix_result(call, rule); return;
    case RESULT_TRACE:
    case RESULT_GET_DIAG: square_result(call, rule); return;
    case RESULT_LERP: lerp_result(call); return;
    case RESULT_SCALAR_MUL: scalar_mul_result(call); return;
    case RESULT_MATVEC:
    case RESULT_VECMAT:
    case RESULT_MATMAT: product_result(call, rule); return;
    case RESULT_EXPECT_EQ:
        if (!types_equal(arg_type(call, "a"), arg_type(call, "b")))
            fail(b, call->at, "values of different types cannot be compared: %s and %s", repr(b, arg_type(call, "a")),
                 repr(b, arg_type(call, "b")));
        return;
    case RESULT_VOLUME_DTYPE:
    case RESULT_VOLUME_GRAD:
    case RESULT_TEXTURE:
    case RESULT_CAST: dtype_result(call); return;
    case RESULT_VOLUME_INDEX:
    case RESULT_VOLUME_GRAD_INDEX: volume_index_result(call); return;
    case RESULT_SELECT:
        fail_hint(b, call->at, "use wp.where(cond, value_if_true, value_if_false)",
                  "wp.select() has been removed from Warp");
    case RESULT_WHERE: where_result(call); return;
    case RESULT_ARRAY: array_result(call); return;
    case RESULT_ZEROS: zeros_result(call); return;
    case RESULT_ADDRESS: one_output(call, type_ref(types(call), check_element_access(call)->array.dtype)); return;
    case RESULT_VIEW: view_result(call); return;
    case RESULT_ARRAY_STORE: check_element_access(call); return;
    case RESULT_STORE:
        if (!types_equal(arg_type(call, "address"), arg_type(call, "value")))
            fail(b, call->at, "a value of type %s cannot be stored in %s", repr(b, arg_type(call, "value")),
                 repr(b, arg_type(call, "address")));
        return;
    case RESULT_ATOMIC_ADD:
    case RESULT_ATOMIC_MIN:
    case RESULT_ATOMIC_CAS:
    case RESULT_ATOMIC_BITS: atomic_result(call, rule); return;
    case RESULT_VECTOR_EXTRACT: vector_extract_result(call); return;
    case RESULT_MATRIX_EXTRACT: matrix_extract_result(call); return;
    case RESULT_VECTOR_INDEX:
    case RESULT_MATRIX_INDEX:
    case RESULT_MATRIX_INDEX_PLAIN: one_output(call, type_ref(types(call), type_scalar_of(first_type(call)))); return;
    case RESULT_MATRIX_ROW_PLAIN:
        one_output(call, type_ref(types(call), type_vec(types(call), first_type(call)->composite.cols,
                                                        type_scalar_of(first_type(call)))));
        return;
    case RESULT_STATIC_LEN: static_len_result(call); return;
    case RESULT_TUPLE: tuple_result(call); return;
    case RESULT_TUPLE_EXTRACT: tuple_extract_result(call); return;
    case RESULT_SLICE: slice_result(call); return;
    default: unsupported(b, call->at, "the builtin '%s' is not supported", call->builtin->name);
    }
}
