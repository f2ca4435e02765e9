/* What a builtin returns: the functions of the result column of rule.def, and the table itself. Constructors are in
 * rule_make.c, arrays and parts of vectors in rule_array.c. */
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

const Type *common_scalar(RuleCall *call, const Eval *evals, uint32_t count)
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

void rule_listed(RuleCall *call)
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

/* ---- products ---- */

void rule_scalar_mul(RuleCall *call)
{
    const Type *a = eval_type(call->builder, &call->bound[0].eval), *c = eval_type(call->builder, &call->bound[1].eval);
    const Type *compound = type_is_composite(a) ? a : c, *scalar = compound == a ? c : a;
    if (!types_equal(type_scalar_of(compound), scalar))
        fail(call->builder, call->at, "%s and %s do not have the same scalar type", repr(call->builder, a),
             repr(call->builder, c));
    one_output(call, compound);
}

/* The types of both factors must be alike, and the numbers of rows and columns that meet. */
static void check_product(RuleCall *call, const Type *a, const Type *b, uint32_t inner_a, uint32_t inner_b)
{
    if (!types_equal(a->composite.dtype, b->composite.dtype) || inner_a != inner_b)
        fail(call->builder, call->at, "%s and %s cannot be multiplied: %s", repr(call->builder, a),
             repr(call->builder, b),
             inner_a != inner_b
                 ? arena_format(call->builder->arena, "%u columns do not match %u rows", inner_a, inner_b)
                 : "their scalar types differ");
}

void rule_matvec(RuleCall *call)
{
    const Type *a = arg_type(call, "a"), *b = arg_type(call, "b");
    check_product(call, a, b, a->composite.cols, b->composite.rows);
    one_output(call, type_vec(types(call), a->composite.rows, a->composite.dtype));
}

void rule_vecmat(RuleCall *call)
{
    const Type *a = arg_type(call, "a"), *b = arg_type(call, "b");
    check_product(call, a, b, a->composite.rows, b->composite.rows);
    one_output(call, type_vec(types(call), b->composite.cols, a->composite.dtype));
}

void rule_matmat(RuleCall *call)
{
    const Type *a = arg_type(call, "a"), *b = arg_type(call, "b");
    check_product(call, a, b, a->composite.cols, b->composite.rows);
    one_output(call, type_mat(types(call), a->composite.rows, b->composite.cols, a->composite.dtype));
}

static const Type *square_matrix(RuleCall *call)
{
    const Type *matrix = first_type(call);
    if (matrix->composite.rows != matrix->composite.cols)
        fail(call->builder, call->at, "'%s' takes a square matrix, not %s", call->builtin->name,
             repr(call->builder, matrix));
    return matrix;
}

void rule_trace(RuleCall *call)
{
    one_output(call, square_matrix(call)->composite.dtype);
}

void rule_get_diag(RuleCall *call)
{
    const Type *matrix = square_matrix(call);
    one_output(call, type_vec(types(call), matrix->composite.rows, matrix->composite.dtype));
}

void rule_lerp(RuleCall *call)
{
    const Type *a = arg_type(call, "a"), *c = arg_type(call, "b"), *t = arg_type(call, "t");
    if (!types_equal(a, c) || !types_equal(a->composite.dtype, t))
        fail(call->builder, call->at, "%s, %s and %s cannot be interpolated", repr(call->builder, a),
             repr(call->builder, c), repr(call->builder, t));
    one_output(call, a);
}

/* ---- results ---- */

/* The constant that an argument stands for, or the argument itself. */
static Eval constant_of(const Eval *eval)
{
    return eval->kind == EVAL_VAR && eval->var->constant ? eval_value(eval->var->constant) : *eval;
}

void rule_slice(RuleCall *call)
{
    const Type *type = type_slice(types(call));
    Eval *bounds = ARENA_ARRAY(call->builder->arena, Eval, 3);
    for (uint32_t i = 0; i < 3; i++)
        bounds[i] = constant_of(&call->bound[i].eval);
    know_parts(call->builder, type, bounds);
    one_output(call, type);
}

void rule_tuple(RuleCall *call)
{
    Builder *b = call->builder;
    const Bound *rest = rest_of(call);
    const Type **element_types = ARENA_ARRAY(b->unit->arena, const Type *, rest->rest_count);
    Eval *values = ARENA_ARRAY(b->arena, Eval, rest->rest_count);
    for (uint32_t i = 0; i < rest->rest_count; i++) {
        element_types[i] = eval_type(b, &rest->rest[i]);
        const Eval *eval = &rest->rest[i];
        values[i] = constant_of(eval);
        if (element_types[i]->kind == TYPE_ARRAY || element_types[i]->kind == TYPE_TUPLE)
            fail(b, call->at, "%s cannot be an element of a tuple in a kernel", repr(b, element_types[i]));
    }
    if (!rest->rest_count)
        fail(b, call->at, "an empty tuple cannot be used in a kernel");
    const Type *type = type_tuple(types(call), element_types, rest->rest_count, TUPLE_VALUE);
    know_parts(b, type, values);
    one_output(call, type);
}

void rule_tuple_extract(RuleCall *call)
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

void rule_where(RuleCall *call)
{
    const Type *a = arg_type(call, "value_if_true"), *c = arg_type(call, "value_if_false");
    if (a && c && !types_equal(a, c) && is_same_query(call->builder, a, c)) {
        one_output(call, type_query_parent(types(call), a));
        return;
    }
    if (!a || !c || !types_equal(a, c))
        fail(call->builder, call->at, "both values must have the same type, not %s and %s",
             eval_repr(call->builder, &bound_named(call, "value_if_true")->eval),
             eval_repr(call->builder, &bound_named(call, "value_if_false")->eval));
    one_output(call, type_is_tile(a) ? chosen_tile(call, a, c) : a);
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

static const Type *needed_dtype(RuleCall *call)
{
    const Type *dtype = arg_dtype(call, "dtype");
    if (!dtype)
        fail(call->builder, call->at, "'%s' needs a dtype, for example dtype=float", call->builtin->name);
    return dtype;
}

void rule_dtype(RuleCall *call)
{
    one_output(call, needed_dtype(call));
}

void rule_volume_dtype(RuleCall *call)
{
    const Type *dtype = needed_dtype(call);
    check_volume_type(call, dtype);
    one_output(call, dtype);
}

void rule_volume_grad(RuleCall *call)
{
    rule_volume_dtype(call);
    check_volume_gradient(call, call->outputs[0]);
}

void rule_volume_store(RuleCall *call)
{
    check_volume_type(call, arg_type(call, "value"));
}

void rule_volume_index(RuleCall *call)
{
    const Type *array = arg_type(call, "voxel_data"), *background = arg_type(call, "background");
    if (!types_equal(array->array.dtype, background))
        fail(call->builder, call->at, "the background must be of type %s, like the voxels",
             repr(call->builder, array->array.dtype));
    one_output(call, array->array.dtype);
}

void rule_volume_grad_index(RuleCall *call)
{
    rule_volume_index(call);
    check_volume_gradient(call, call->outputs[0]);
}

void rule_outer(RuleCall *call)
{
    const Type *a = first_type(call), *b = arg_type(call, "b");
    one_output(call, type_mat(types(call), a->composite.rows, b->composite.rows, common_scalar_of_all(call)));
}

void rule_transpose(RuleCall *call)
{
    const Type *a = first_type(call);
    one_output(call, type_mat(types(call), a->composite.cols, a->composite.rows, a->composite.dtype));
}

void rule_diag(RuleCall *call)
{
    const Type *a = first_type(call);
    one_output(call, type_mat(types(call), a->composite.rows, a->composite.rows, a->composite.dtype));
}

void rule_static_len(RuleCall *call)
{
    const Type *type = first_type(call);
    uint32_t length = type->kind == TYPE_TUPLE  ? type->tuple.count
                      : type->kind == TYPE_TILE ? type->tile->shape[0]
                                                : type_length(type);
    call->replaced = add_constant_int(call->builder, length);
}

void rule_none(RuleCall *call)
{
    (void)call;
}

void rule_same(RuleCall *call)
{
    one_output(call, require_same(call));
}

void rule_same_scalar(RuleCall *call)
{
    one_output(call, type_scalar_of(require_same(call)));
}

void rule_first(RuleCall *call)
{
    one_output(call, first_type(call));
}

void rule_copy(RuleCall *call)
{
    const Type *type = first_type(call);
    one_output(call, type_is_tile(type) ? copied_tile(call, type) : type);
}

void rule_first_scalar(RuleCall *call)
{
    one_output(call, type_scalar_of(first_type(call)));
}

void rule_expect_eq(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *first = arg_type(call, "a"), *second = arg_type(call, "b");
    if (!types_equal(first, second))
        fail(b, call->at, "values of different types cannot be compared: %s and %s", repr(b, first), repr(b, second));
}

void rule_select(RuleCall *call)
{
    fail_hint(call->builder, call->at, "use wp.where(cond, value_if_true, value_if_false)",
              "wp.select() has been removed from Warp");
}

/* ---- the table ---- */

static const struct {
    void (*result)(RuleCall *call);
    void (*dispatch)(RuleCall *call, Dispatch *out);
    unsigned traits;
} rules[RESULT_RULE_COUNT] = {
#define RULE(name, result, dispatch, traits) [RESULT_##name] = {rule_##result, dispatch_##dispatch, traits},
#include "lang/rule.def"
#undef RULE
};

void rule_result(RuleCall *call)
{
    rules[call->builtin->rule].result(call);
}

void rule_dispatch(RuleCall *call, Dispatch *out)
{
    out->template_count = out->arg_count = 0;
    out->initializer_list = out->no_reverse = false;
    out->by_reference = false;
    rules[call->builtin->rule].dispatch(call, out);
}

bool rule_has(ResultRule rule, enum RuleTrait trait)
{
    return rules[rule].traits & trait;
}
