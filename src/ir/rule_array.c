/* What builtins that reach into arrays, vectors and matrices return: elements, atomics, views, slices. */
#include "ir/rule_impl.h"

#include <limits.h>

/* ---- arrays ---- */

static _Noreturn void fail_index_count(RuleCall *call, uint32_t count, uint32_t ndim)
{
    Builder *b = call->builder;
    fail(b, call->at, "%u %s given for an array of %s", count, count == 1 ? "index is" : "indices are",
         counted(b, ndim, "dimension"));
}

uint32_t index_types(const RuleCall *call, const Type **out)
{
    uint32_t count = 0;
    for (const char *name = "i\0j\0k\0l\0"; *name; name += 2) {
        const Type *type = arg_type(call, name);
        if (type)
            out[count++] = type;
    }
    return count;
}

static const Type *check_element_access(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *indices[4], *array = arg_type(call, "arr"), *value = arg_type(call, "value");
    uint32_t count = index_types(call, indices);
    if (array->array.ndim && count != array->array.ndim)
        fail_index_count(call, count, array->array.ndim);
    for (uint32_t i = 0; i < count; i++)
        if (!type_is_int(indices[i]))
            fail(b, call->at, "an index must be an integer, not %s", repr(b, indices[i]));
    bool atomic = strncmp(call->builtin->name, "atomic", 6) == 0;
    if (value && atomic && !types_equal(array->array.dtype, value))
        fail_hint(b, call->at,
                  type_is_value(array->array.dtype)
                      ? arena_format(b->arena, "write %s(...)", spelled(b, array->array.dtype))
                      : NULL,
                  "'%s' on an array of %s takes a value of that type, not %s", call->builtin->name,
                  repr(b, array->array.dtype), repr(b, value));
    if (value && !types_equal(array->array.dtype, value))
        fail_hint(b, call->at,
                  type_is_value(array->array.dtype)
                      ? arena_format(b->arena, "nothing is converted implicitly: write %s(...)",
                                     spelled(b, array->array.dtype))
                      : NULL,
                  "a value of type %s cannot be stored in an array of %s", repr(b, value), repr(b, array->array.dtype));
    return array;
}

static bool is_wide_int(const Type *scalar)
{
    return type_is_int(scalar) && !type_is_narrow(scalar) && scalar->kind != TYPE_PY_INT;
}

static bool is_wide_number(const Type *scalar)
{
    return is_wide_int(scalar) || scalar->kind == TYPE_FLOAT32 || scalar->kind == TYPE_FLOAT64;
}

static bool is_wide_or_bfloat16(const Type *scalar)
{
    return is_wide_number(scalar) || scalar->kind == TYPE_BFLOAT16;
}

static bool is_wide_or_float(const Type *scalar)
{
    return is_wide_number(scalar) || scalar->kind == TYPE_FLOAT16 || scalar->kind == TYPE_BFLOAT16;
}

/* `fits` says of which scalars the elements may consist. */
static void atomic_result(RuleCall *call, bool (*fits)(const Type *))
{
    const Type *array = check_element_access(call);
    if (!fits(type_scalar_of(array->array.dtype)))
        fail(call->builder, call->at, "'%s' cannot be used on arrays of %s", call->builtin->name,
             repr(call->builder, array->array.dtype));
    one_output(call, array->array.dtype);
}

void rule_atomic_add(RuleCall *call)
{
    atomic_result(call, is_wide_or_float);
}

void rule_atomic_min(RuleCall *call)
{
    atomic_result(call, is_wide_or_bfloat16);
}

void rule_atomic_cas(RuleCall *call)
{
    atomic_result(call, is_wide_number);
}

void rule_atomic_bits(RuleCall *call)
{
    atomic_result(call, is_wide_int);
}

void rule_address(RuleCall *call)
{
    one_output(call, type_ref(types(call), check_element_access(call)->array.dtype));
}

void rule_array_store(RuleCall *call)
{
    check_element_access(call);
}

void rule_store(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *address = arg_type(call, "address"), *value = arg_type(call, "value");
    if (!types_equal(address, value))
        fail(b, call->at, "a value of type %s cannot be stored in %s", repr(b, value), repr(b, address));
}

void rule_view(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *indices[4], *array = arg_type(call, "arr");
    uint32_t count = index_types(call, indices), removed = 0;
    bool sliced = false, integers = b->unit->dialect->view_takes_integers;
    if (count > array->array.ndim)
        fail_index_count(call, count, array->array.ndim);
    for (uint32_t i = 0; i < count; i++) {
        const Eval *bounds = indices[i]->kind == TYPE_SLICE ? known_parts(b, indices[i]) : NULL;
        sliced |= indices[i]->kind == TYPE_SLICE;
        if (indices[i]->kind != TYPE_SLICE && !type_is_int(indices[i]))
            fail(b, call->at, "an index must be an integer or a slice, not %s", repr(b, indices[i]));
        BigInt value;
        bool stands = bounds && bounds[2].kind == EVAL_VALUE && value_as_int(bounds[2].value, &value) && value == 0;
        if (stands && integers)
            fail(b, call->at, "the step of a slice cannot be zero");
        removed += stands || (integers && indices[i]->kind != TYPE_SLICE);
    }
    if (!sliced)
        removed = count;
    if (removed >= array->array.ndim)
        fail(b, call->at, "an index must be an integer");
    /* Fabric arrays hold arrays; a view of a fixed array is a plain one. */
    ArrayClass cls = array->array.cls == ARRAY_INDEXED ? ARRAY_INDEXED : ARRAY_PLAIN;
    one_output(call, type_array(types(call), cls, array->array.dtype, array->array.ndim - removed));
}

void rule_zeros(RuleCall *call)
{
    uint32_t dims, shape[4] = {0};
    const Bound *shape_arg = bound_named(call, "shape");
    const Eval *items = tuple_items(call, &shape_arg->eval, &dims);
    if (dims < 1 || dims > 4)
        fail(call->builder, call->at, "a local array has one to four dimensions");
    uint64_t size = 1;
    for (uint32_t i = 0; i < dims; i++) {
        shape[i] = const_dimension(call, &items[i], "the shape of a local array");
        size *= shape[i];
        if (size > INT_MAX)
            fail(call->builder, call->at, "a local array cannot have more than %d elements", INT_MAX);
    }
    const Type *dtype = arg_dtype(call, "dtype");
    if (!dtype)
        fail(call->builder, call->at, "a local array needs a dtype, for example dtype=float");
    one_output(call, type_fixed_array(types(call), dtype, dims, shape));
}

void rule_array(RuleCall *call)
{
    uint32_t dims;
    tuple_items(call, &bound_named(call, "shape")->eval, &dims);
    const Type *dtype = arg_dtype(call, "dtype");
    if (!dtype || dims < 1 || dims > 4)
        fail(call->builder, call->at,
             "wp.array() in a kernel takes ptr=, shape= with one to four dimensions, and dtype=");
    one_output(call, type_array(types(call), ARRAY_PLAIN, dtype, dims));
}

/* ---- parts of vectors and matrices ---- */

uint32_t slice_length(RuleCall *call, const Type *slice)
{
    int64_t bounds[3];
    const Eval *given = known_parts(call->builder, slice);
    for (int i = 0; i < 3; i++) {
        BigInt value;
        if (!given || given[i].kind != EVAL_VALUE || !value_as_int(given[i].value, &value))
            fail(call->builder, call->at, "the bounds of a slice of a vector or matrix must be constants");
        bounds[i] = (int64_t)value;
    }
    int64_t start = bounds[0], stop = bounds[1], step = bounds[2];
    if (step > 0 && start < stop)
        return (uint32_t)(1 + (stop - start - 1) / step);
    if (step < 0 && start > stop)
        return (uint32_t)(1 + (start - stop - 1) / -step);
    return 0;
}

uint32_t selected_shape(RuleCall *call, const Type *matrix, int64_t shape[2])
{
    const Type *indices[4];
    uint32_t count = index_types(call, indices), dims = 0;
    int64_t full[] = {matrix->composite.rows, matrix->composite.cols};
    for (uint32_t i = 0; i < 2; i++) {
        shape[i] = i >= count ? full[i] : indices[i]->kind == TYPE_SLICE ? (int64_t)slice_length(call, indices[i]) : -1;
        dims += shape[i] >= 0;
    }
    if (dims == 2 && (shape[0] == 0 || shape[1] == 0))
        shape[0] = shape[1] = 0;
    return dims;
}

bool has_slice(const RuleCall *call)
{
    const Type *indices[4];
    uint32_t count = index_types(call, indices);
    for (uint32_t i = 0; i < count; i++)
        if (indices[i]->kind == TYPE_SLICE)
            return true;
    return false;
}

void rule_vector_extract(RuleCall *call)
{
    const Type *vector = arg_type(call, "a"), *index = arg_type(call, "i");
    if (index->kind == TYPE_SLICE)
        one_output(call, type_vec(types(call), slice_length(call, index), type_scalar_of(vector)));
    else
        one_output(call, type_scalar_of(vector));
}

void rule_matrix_extract(RuleCall *call)
{
    int64_t shape[2];
    const Type *matrix = arg_type(call, "a");
    uint32_t dims = selected_shape(call, matrix, shape);
    if (dims == 0)
        one_output(call, matrix->composite.dtype);
    else if (dims == 1)
        one_output(call,
                   type_vec(types(call), (uint32_t)(shape[0] >= 0 ? shape[0] : shape[1]), matrix->composite.dtype));
    else
        one_output(call, type_mat(types(call), (uint32_t)shape[0], (uint32_t)shape[1], matrix->composite.dtype));
}

void rule_component_reference(RuleCall *call)
{
    one_output(call, type_ref(types(call), type_scalar_of(first_type(call))));
}

void rule_row_reference(RuleCall *call)
{
    const Type *matrix = first_type(call);
    one_output(call, type_ref(types(call), type_vec(types(call), matrix->composite.cols, type_scalar_of(matrix))));
}

/* A changed copy: of a variable only. */
void rule_assign_copy(RuleCall *call)
{
    if (call->bound[0].eval.kind == EVAL_VAR && call->bound[0].eval.var->type->kind == TYPE_REF)
        fail(call->builder, call->at, "'%s' takes a variable, not a part of an array or struct", call->builtin->name);
    one_output(call, first_type(call));
}
