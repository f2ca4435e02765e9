/* Tiles that are made: filled, counted, random, of the values that the threads of a block have. */
#include "ir/tile_impl.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static double real_of(Number number)
{
    return number.is_int ? (double)number.integer : number.real;
}

static void make_tile(RuleCall *call, const Type *dtype)
{
    uint32_t shape[TILE_DIMS], ndim = shape_argument(call, "shape", shape);
    one_output(call, type_tile(types(call), dtype, ndim, shape, NULL, storage_argument(call)));
}

static void template_dtype_and_shape(RuleCall *call, Dispatch *out, const Type *dtype)
{
    template_type(out, dtype);
    template_shape(out, call->outputs[0]);
}

void rule_tile_fill(RuleCall *call)
{
    make_tile(call, arg_dtype(call, "dtype"));
}

void dispatch_tile_fill(RuleCall *call, Dispatch *out)
{
    template_dtype_and_shape(call, out, arg_dtype(call, "dtype"));
}

void rule_tile_full(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *dtype = arg_dtype(call, "dtype"), *value = arg_type(call, "value");
    if (!dtype)
        dtype = value;
    bool converts = !b->unit->dialect->tile_full_by_value || type_is_single(value);
    if ((dtype->kind == TYPE_STRUCT || !converts) && !types_equal(value, dtype))
        fail(b, call->at, "a tile of %s cannot be filled with a value of type %s", repr(b, dtype), repr(b, value));
    make_tile(call, dtype);
    call->outputs[0]->tile->nameless = !arg_dtype(call, "dtype");
}

void dispatch_tile_full(RuleCall *call, Dispatch *out)
{
    const Type *dtype = arg_dtype(call, "dtype");
    bool by_value = call->builder->unit->dialect->tile_full_by_value;
    template_dtype_and_shape(call, out, by_value ? call->outputs[0]->tile->dtype : dtype);
    pass_named(call, out, "value");
}

void rule_tile_from_thread(RuleCall *call)
{
    make_tile(call, arg_type(call, "value"));
    call->outputs[0]->tile->nameless = true;
}

void dispatch_tile_from_thread(RuleCall *call, Dispatch *out)
{
    template_dtype_and_shape(call, out, call->outputs[0]->tile->dtype);
    pass_named(call, out, "value");
    pass_named(call, out, "thread_idx");
}

/* ---- random numbers ---- */

static const Value *bound_constant(RuleCall *call, const char *name)
{
    const Bound *bound = bound_named(call, name);
    const Value *value = !bound ? NULL : bound->eval.kind == EVAL_VAR ? bound->eval.var->constant : bound->eval.value;
    if (bound && !value)
        fail(call->builder, call->at, "'%s' of %s() must be a compile-time constant", name, call->builtin->name);
    return value;
}

static void random_result(RuleCall *call, TypeKind kind)
{
    Number low, high;
    const Value *min = bound_constant(call, "min"), *max = bound_constant(call, "max");
    bool known = min && max && value_as_number(min, true, &low) && value_as_number(max, true, &high);
    if (known && call->builder->unit->dialect->tile_ranges_checked) {
        bool empty = low.is_int && high.is_int ? low.integer >= high.integer : real_of(low) >= real_of(high);
        if (empty)
            fail(call->builder, call->at, "min of %s() must be less than max", call->builtin->name);
    }
    make_tile(call, type_scalar(kind));
}

void rule_tile_randi(RuleCall *call)
{
    random_result(call, TYPE_INT32);
}

void rule_tile_randf(RuleCall *call)
{
    random_result(call, TYPE_FLOAT32);
}

void dispatch_tile_random(RuleCall *call, Dispatch *out)
{
    bool rounded =
        call->builder->unit->dialect->tile_ranges_checked && call->outputs[0]->tile->dtype->kind == TYPE_FLOAT32;
    template_shape(out, call->outputs[0]);
    pass_named(call, out, "rng");
    for (const char *name = "min\0max\0"; *name; name += 4) {
        const Value *value = bound_constant(call, name);
        Number number;
        if (value && rounded && value_as_number(value, true, &number)) {
            number = (Number){.real = (double)(float)real_of(number)};
            value = value_float(call->builder->unit->arena, number.real);
        }
        if (value)
            pass(call, out, eval_value(value));
    }
}

/* ---- ranges ---- */

typedef struct Range {
    Number start, stop, step;
} Range;

static Number range_number(RuleCall *call, const Eval *eval, const char *name)
{
    Number number;
    const Value *value = eval->kind == EVAL_VAR ? eval->var->constant : eval->value;
    if (!value || !value_as_number(value, true, &number))
        fail(call->builder, call->at, "the arguments of tile_arange() must be compile-time constants, but %s is not",
             name);
    return number;
}

static Range range_arguments(RuleCall *call)
{
    const Bound *args = rest_of(call);
    Number zero = {.is_int = true}, one = {.is_int = true, .integer = 1};
    Range range = {zero, zero, one};
    if (!args || args->rest_count < 1 || args->rest_count > 3)
        fail(call->builder, call->at, "tile_arange() takes one to three numbers, not %u", args ? args->rest_count : 0);
    if (args->rest_count > 1)
        range.start = range_number(call, &args->rest[0], "start");
    range.stop = range_number(call, &args->rest[args->rest_count > 1], "stop");
    if (args->rest_count > 2)
        range.step = range_number(call, &args->rest[2], "step");
    return range;
}

static const Type *range_dtype(RuleCall *call)
{
    const Type *dtype = arg_dtype(call, "dtype");
    if (dtype && !type_is_scalar(dtype))
        fail(call->builder, call->at, "tile_arange() makes numbers, not values of type %s", repr(call->builder, dtype));
    return dtype ? type_canonical(dtype) : type_scalar(TYPE_FLOAT32);
}

/* A number of the range as the type of the elements holds it. */
static Number ranged(RuleCall *call, const Type *dtype, Number number)
{
    Builder *b = call->builder;
    if (!type_is_int(dtype)) {
        bool single = number.is_int && dtype->kind == TYPE_FLOAT32;
        double real = single ? (double)(float)number.integer : round_to_type(real_of(number), dtype->kind);
        if (!isfinite(real))
            fail(b, call->at, "a number of tile_arange() is out of range for %s", repr(b, dtype));
        return (Number){.real = real};
    }
    BigInt whole = number.is_int ? number.integer : truncate_real(number.real);
    if (!number.is_int && (double)whole != number.real)
        fail(b, call->at, "tile_arange() of %s takes whole numbers", repr(b, dtype));
    if (wrap_to_type(whole, dtype->kind) != whole)
        fail(b, call->at, "a number of tile_arange() is out of range for %s", repr(b, dtype));
    return (Number){.is_int = true, .integer = whole};
}

/* How many numbers there are, rounded up. */
static double checked_length(RuleCall *call, const Type *dtype, const Range *range)
{
    Number start = ranged(call, dtype, range->start), stop = ranged(call, dtype, range->stop),
           step = ranged(call, dtype, range->step);
    bool forwards = real_of(step) > 0, whole = step.is_int;
    bool empty = whole ? (forwards ? start.integer >= stop.integer : start.integer <= stop.integer)
                       : (forwards ? start.real >= stop.real : start.real <= stop.real);
    if (empty)
        fail(call->builder, call->at, "the range of tile_arange() is empty");
    if (whole) {
        BigInt way = forwards ? stop.integer - start.integer : start.integer - stop.integer;
        BigInt by = forwards ? step.integer : -step.integer;
        return (double)((way + by - 1) / by);
    }
    double length = ceil(round_to_type((stop.real - start.real) / step.real, dtype->kind));
    return length < 1 ? 1 : length;
}

/* Before that was checked: towards zero, without a look at the type. */
static double unchecked_length(const Range *range)
{
    bool whole = range->start.is_int && range->stop.is_int;
    double way =
        whole ? (double)(range->stop.integer - range->start.integer) : real_of(range->stop) - real_of(range->start);
    return trunc(way / real_of(range->step));
}

static double range_length(RuleCall *call, const Type *dtype, const Range *range)
{
    if (real_of(range->step) == 0)
        fail(call->builder, call->at, "the step of tile_arange() cannot be zero");
    return call->builder->unit->dialect->tile_ranges_checked ? checked_length(call, dtype, range)
                                                             : unchecked_length(range);
}

void rule_tile_arange(RuleCall *call)
{
    Range range = range_arguments(call);
    const Type *dtype = range_dtype(call);
    double length = range_length(call, dtype, &range);
    bool may_be_empty = !call->builder->unit->dialect->tile_ranges_checked && length == 0;
    if (!(length >= 1) && !may_be_empty)
        fail(call->builder, call->at, "the range of tile_arange() is empty");
    if (length > INT_MAX)
        fail(call->builder, call->at, "a tile cannot have more than %d elements", INT_MAX);
    uint32_t shape = (uint32_t)length;
    one_output(call, type_tile(types(call), dtype, 1, &shape, NULL, storage_argument(call)));
}

void dispatch_tile_arange(RuleCall *call, Dispatch *out)
{
    Arena *arena = call->builder->unit->arena;
    const Type *dtype = call->outputs[0]->tile->dtype;
    const Bound *args = rest_of(call);
    Number zero = {.is_int = true}, one = {.is_int = true, .integer = 1};
    template_type(out, dtype);
    template_number(out, call->outputs[0]->tile->shape[0]);
    if (args->rest_count == 1)
        pass(call, out, eval_value(value_scalar(arena, dtype, zero)));
    for (uint32_t i = 0; i < args->rest_count; i++) {
        bool cast = call->builder->unit->dialect->tile_ranges_checked;
        Eval typed = eval_value(value_scalar(arena, dtype, range_number(call, &args->rest[i], "a bound")));
        cast &= !(args->rest[i].kind == EVAL_VAR && args->rest[i].var->type == dtype);
        pass(call, out, cast ? typed : args->rest[i]);
    }
    if (args->rest_count < 3)
        pass(call, out, eval_value(value_scalar(arena, dtype, one)));
}

/* ---- values of threads ---- */

static uint32_t block_of(RuleCall *call)
{
    call->builder->module->depends_on_block = true;
    return call->builder->unit->block_dim;
}

static bool spreads(RuleCall *call, const Type *type)
{
    return type_is_composite(type) && !truth_argument(call, "preserve_type");
}

void rule_tile(RuleCall *call)
{
    Builder *b = call->builder;
    const Bound *x = bound_named(call, "x");
    const Type *type = arg_type(call, "x");
    uint32_t shape[3], ndim = 0;
    if (x->eval.kind == EVAL_VAR && x->eval.var->type->kind == TYPE_REF)
        fail_hint(b, call->at, "read it into a variable first: x = a[i]",
                  "Warp cannot make a tile of what is read from an array or struct in the call");
    if (!type || type_is_tile(type) || !(type_is_value(type) || type->kind == TYPE_STRUCT))
        fail(b, call->at, "a tile cannot be made of %s", eval_repr(b, &x->eval));
    if (type->kind == TYPE_TRANSFORM && spreads(call, type))
        unsupported(b, call->at, "wp.tile() of a transform is not supported");
    bool spread = spreads(call, type);
    if (spread)
        shape[ndim++] = type->composite.rows;
    if (spread && type->kind == TYPE_MAT)
        shape[ndim++] = type->composite.cols;
    shape[ndim++] = block_of(call);
    one_output(call, register_tile(call, spread ? type_scalar_of(type) : type, ndim, shape));
    call->outputs[0]->tile->nameless = true;
}

void dispatch_tile(RuleCall *call, Dispatch *out)
{
    const Type *type = arg_type(call, "x");
    pass_named(call, out, "x");
    if (!spreads(call, type)) {
        template_type(out, type);
        return;
    }
    if (type->kind == TYPE_MAT) {
        template_number(out, type->composite.rows);
        template_number(out, type->composite.cols);
    }
    template_type(out, type_scalar_of(type));
    if (type->kind != TYPE_MAT)
        template_number(out, type->composite.rows);
}

void rule_untile(RuleCall *call)
{
    Builder *b = call->builder;
    const Type *type = tile_argument(call, "a");
    const TileType *tile = type->tile;
    uint32_t block = block_of(call), last = tile->shape[tile->ndim - 1];
    if (last != block)
        fail(b, call->at, "the last dimension of the tile given to untile() is %u, and not the block's width of %u",
             last, block);
    if (tile->ndim > 3)
        fail(b, call->at, "untile() takes a tile of one to three dimensions, not %u", tile->ndim);
    if (tile->ndim > 1 && !type_is_single(tile->dtype))
        unsupported(b, call->at, "untile() of a tile of %s with several dimensions is not supported",
                    repr(b, tile->dtype));
    one_output(call, tile->ndim == 1   ? tile->dtype
                     : tile->ndim == 2 ? type_vec(types(call), tile->shape[0], tile->dtype)
                                       : type_mat(types(call), tile->shape[0], tile->shape[1], tile->dtype));
}

void rule_tile_query_next(RuleCall *call)
{
    uint32_t block = block_of(call);
    one_output(call, register_tile(call, type_scalar(TYPE_INT32), 1, &block));
}

/* ---- stacks ---- */

void rule_tile_stack(RuleCall *call)
{
    int64_t capacity;
    if (!constant_int(&bound_named(call, "capacity")->eval, &capacity))
        fail(call->builder, call->at, "the capacity of tile_stack() must be a compile-time constant");
    if (capacity < 1)
        fail(call->builder, call->at, "the capacity of tile_stack() must be at least 1");
    one_output(call, type_tile_stack(types(call), arg_dtype(call, "dtype"), (uint32_t)capacity));
}

void dispatch_tile_stack(RuleCall *call, Dispatch *out)
{
    template_type(out, arg_dtype(call, "dtype"));
    template_number(out, call->outputs[0]->tile->shape[0]);
}

static const Type *stack_argument(RuleCall *call)
{
    const Type *type = arg_type(call, "s");
    if (!type || type->kind != TYPE_TILE_STACK)
        fail(call->builder, call->at, "%s() takes a stack of tile_stack(), not %s", call->builtin->name,
             type ? repr(call->builder, type) : "a function");
    return type;
}

void rule_tile_stack_push(RuleCall *call)
{
    const Type *stack = stack_argument(call), *value = arg_type(call, "value");
    if (!value || !types_equal(value, stack->tile->dtype))
        fail(call->builder, call->at, "the value of tile_stack_push() is of type %s, and not of the stack's, %s",
             value ? repr(call->builder, value) : "a function", repr(call->builder, stack->tile->dtype));
    one_output(call, type_scalar(TYPE_INT32));
}

void rule_tile_stack_pop(RuleCall *call)
{
    call->outputs[0] = stack_argument(call)->tile->dtype;
    call->outputs[1] = type_scalar(TYPE_INT32);
    call->output_count = 2;
}

void rule_tile_stack_clear(RuleCall *call)
{
    stack_argument(call);
}

void rule_tile_stack_count(RuleCall *call)
{
    stack_argument(call);
    one_output(call, type_scalar(TYPE_INT32));
}
