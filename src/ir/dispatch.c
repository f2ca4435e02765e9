/* What the native function of a builtin is given: the functions of the dispatch column of rule.def. */
#include "ir/rule_impl.h"

#include <string.h>

static void push_arg(RuleCall *call, Dispatch *out, Eval eval)
{
    if (out->arg_count == LIMIT_CALL_ARGS)
        fail(call->builder, call->at, "a call cannot have more than %d arguments", LIMIT_CALL_ARGS);
    out->args[out->arg_count++] = eval;
}

static void push_type(Dispatch *out, const Type *type)
{
    out->template_args[out->template_count++] = (IrTemplateArg){.type = type};
}

static void push_number(Dispatch *out, int64_t number)
{
    out->template_args[out->template_count++] = (IrTemplateArg){.number = number};
}

static void all_args(RuleCall *call, Dispatch *out, const char *except)
{
    for (uint32_t i = 0; i < call->bound_count; i++) {
        const Bound *bound = &call->bound[i];
        if (except && strcmp(bound->param->name, except) == 0)
            continue;
        if (bound->eval.kind != EVAL_VOID)
            push_arg(call, out, bound->eval);
        for (uint32_t k = 0; k < bound->rest_count; k++)
            push_arg(call, out, bound->rest[k]);
    }
}

/* A constant given to a typed constructor is written in the constructor's own precision. */
static Eval cast_constant(RuleCall *call, Eval eval, const Type *dtype)
{
    Number number;
    if (eval.kind != EVAL_VAR || !eval.var->constant || eval.var->type == dtype)
        return eval;
    if (!type_is_scalar(eval.var->type) && eval.var->type->kind != TYPE_BOOL)
        return eval;
    if (eval.var->constant->kind == VALUE_BOOL || !value_as_number(eval.var->constant, true, &number))
        unsupported(call->builder, call->at, "a bool among the elements of a vector or matrix is not supported");
    return eval_value(value_scalar(call->builder->unit->arena, dtype, number));
}

static void cast_rest(RuleCall *call, Dispatch *out, const Type *dtype)
{
    const Bound *rest = rest_of(call);
    for (uint32_t i = 0; i < rest->rest_count; i++)
        push_arg(call, out, cast_constant(call, rest->rest[i], dtype));
}

void dispatch_vector(RuleCall *call, Dispatch *out)
{
    const Type *type = call->outputs[0];
    cast_rest(call, out, type_scalar_of(type));
    push_number(out, type->composite.rows);
    push_type(out, type_scalar_of(type));
    out->initializer_list = out->arg_count > 4;
}

void dispatch_matrix(RuleCall *call, Dispatch *out)
{
    const Type *type = call->outputs[0];
    uint32_t rows = type->composite.rows, cols = type->composite.cols;
    cast_rest(call, out, type_scalar_of(type));
    push_number(out, rows);
    push_number(out, cols);
    push_type(out, type_scalar_of(type));
    out->initializer_list = !(out->arg_count <= 1 || (rows == cols && cols < 5));
}

void dispatch_matrix_from_vectors(RuleCall *call, Dispatch *out)
{
    const Type *type = call->outputs[0];
    uint32_t rows = type->composite.rows, cols = type->composite.cols;
    bool small = rows == cols && rows >= 2 && rows <= 4;
    all_args(call, out, NULL);
    if (!small) {
        push_number(out, rows);
        push_number(out, cols);
    }
    push_type(out, type_scalar_of(type));
    out->initializer_list = rows != cols || rows > 4;
}

void dispatch_identity(RuleCall *call, Dispatch *out)
{
    push_number(out, call->outputs[0]->composite.rows);
    push_type(out, type_scalar_of(call->outputs[0]));
}

/* No arguments, only the type of the elements. */
void dispatch_element_type(RuleCall *call, Dispatch *out)
{
    push_type(out, type_scalar_of(call->outputs[0]));
}

void dispatch_quaternion(RuleCall *call, Dispatch *out)
{
    Eval args[8];
    const Type *dtype = type_scalar_of(call->outputs[0]);
    uint32_t count = plain_args(call, args);
    for (uint32_t i = 0; i < count; i++)
        push_arg(call, out, cast_constant(call, args[i], dtype));
    push_type(out, dtype);
}

void dispatch_spatial_vector(RuleCall *call, Dispatch *out)
{
    all_args(call, out, "dtype");
    push_number(out, 6);
    push_type(out, type_scalar_of(call->outputs[0]));
    out->initializer_list = out->arg_count == 6;
}

void dispatch_transformation(RuleCall *call, Dispatch *out)
{
    const Type *dtype = type_scalar_of(call->outputs[0]);
    cast_rest(call, out, dtype);
    push_type(out, dtype);
    out->initializer_list = out->arg_count > 1;
}

void dispatch_transformation_pq(RuleCall *call, Dispatch *out)
{
    const Type *dtype = type_scalar_of(call->outputs[0]);
    all_args(call, out, "dtype");
    if (!bound_named(call, "q")) {
        Number identity[4] = {{0}};
        identity[3] = (Number){.is_int = true, .integer = 1};
        push_arg(call, out,
                 eval_value(value_composite(call->builder->unit->arena, type_quat(types(call), dtype), identity, 4)));
    }
    push_type(out, dtype);
}

void dispatch_zeros(RuleCall *call, Dispatch *out)
{
    const Type *type = call->outputs[0];
    int64_t size = 1;
    for (uint32_t i = 0; i < type->array.ndim; i++) {
        size *= type->array.shape[i];
        push_arg(call, out, eval_value(value_int(call->builder->unit->arena, type->array.shape[i])));
    }
    push_number(out, size);
    push_type(out, type->array.dtype);
}

void dispatch_array(RuleCall *call, Dispatch *out)
{
    uint32_t dims;
    const Eval *items = tuple_items(call, &bound_named(call, "shape")->eval, &dims);
    push_arg(call, out, bound_named(call, "ptr")->eval);
    for (uint32_t i = 0; i < dims; i++)
        push_arg(call, out, items[i]);
    push_type(out, call->outputs[0]->array.dtype);
}

void dispatch_vector_assign(RuleCall *call, Dispatch *out)
{
    Builder *b = call->builder;
    const Type *vector = arg_type(call, "a"), *index = arg_type(call, "i"), *value = arg_type(call, "value");
    if (index->kind == TYPE_SLICE) {
        uint32_t length = slice_length(call, index);
        if (value->kind != TYPE_VEC || !types_equal(type_scalar_of(value), type_scalar_of(vector)) ||
            value->composite.rows != length)
            fail(b, call->at, "a vector of %u elements of type %s is expected, not %s", length,
                 repr(b, type_scalar_of(vector)), repr(b, value));
        push_number(out, length);
    } else if (!types_equal(value, type_scalar_of(vector)))
        fail(b, call->at, "the components of %s are of type %s, not %s", repr(b, vector),
             repr(b, type_scalar_of(vector)), repr(b, value));
    all_args(call, out, NULL);
}

void dispatch_matrix_assign(RuleCall *call, Dispatch *out)
{
    Builder *b = call->builder;
    const Type *matrix = arg_type(call, "a"), *value = arg_type(call, "value"), *dtype = type_scalar_of(matrix);
    const Type *indices[4];
    int64_t shape[2];
    uint32_t dims = selected_shape(call, matrix, shape), count = index_types(call, indices);
    bool sliced = has_slice(call);
    uint32_t length = (uint32_t)(dims == 1 && shape[0] >= 0 ? shape[0] : shape[1]);
    if (dims == 2 && (value->kind != TYPE_MAT || !types_equal(type_scalar_of(value), dtype) ||
                      value->composite.rows != shape[0] || value->composite.cols != shape[1]))
        fail(b, call->at, "a matrix of %lld by %lld elements of type %s is expected, not %s", (long long)shape[0],
             (long long)shape[1], repr(b, dtype), repr(b, value));
    if (dims == 1 &&
        (value->kind != TYPE_VEC || !types_equal(type_scalar_of(value), dtype) || value->composite.rows != length))
        fail(b, call->at, "a vector of %u elements of type %s is expected, not %s", length, repr(b, dtype),
             repr(b, value));
    if (dims == 0 && count == 2 && !types_equal(value, dtype))
        fail(b, call->at, "the elements of %s are of type %s, not %s", repr(b, matrix), repr(b, dtype), repr(b, value));
    if (sliced && dims == 1)
        push_number(out, length);
    if (sliced && dims == 2) {
        push_number(out, shape[0]);
        push_number(out, shape[1]);
    }
    all_args(call, out, NULL);
}

void dispatch_vector_extract(RuleCall *call, Dispatch *out)
{
    const Type *type = call->outputs[0];
    all_args(call, out, NULL);
    if (type_is_composite(type)) {
        push_number(out, type->composite.rows);
        if (type->kind == TYPE_MAT)
            push_number(out, type->composite.cols);
    }
}

void dispatch_matrix_extract(RuleCall *call, Dispatch *out)
{
    if (has_slice(call))
        dispatch_vector_extract(call, out);
    else
        all_args(call, out, NULL);
}

void dispatch_tuple_extract(RuleCall *call, Dispatch *out)
{
    int64_t index = 0;
    constant_int(&bound_named(call, "i")->eval, &index);
    push_arg(call, out, bound_named(call, "a")->eval);
    push_number(out, index);
}

/* ---- the others ---- */

void dispatch_all(RuleCall *call, Dispatch *out)
{
    all_args(call, out, NULL);
}

void dispatch_by_reference(RuleCall *call, Dispatch *out)
{
    all_args(call, out, NULL);
    out->by_reference = true;
}

void dispatch_dtype(RuleCall *call, Dispatch *out)
{
    all_args(call, out, "dtype");
    push_type(out, call->outputs[0]);
}

void dispatch_printf(RuleCall *call, Dispatch *out)
{
    all_args(call, out, NULL);
    if (out->arg_count > 33)
        fail(call->builder, call->at, "wp.printf() takes at most 32 values");
}
