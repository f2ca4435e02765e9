/* Functions that are applied to the elements of tiles: tile_map, tile_reduce. */
#include "ir/build_bind.h"
#include "ir/tile_impl.h"

#include <math.h>
#include <string.h>

enum { MAP_ARGS = 16 };

static const Value *op_argument(RuleCall *call)
{
    const Bound *bound = bound_named(call, "op");
    bool function = bound && bound->eval.kind == EVAL_VALUE &&
                    (bound->eval.value->kind == VALUE_FUNC || bound->eval.value->kind == VALUE_BUILTIN);
    if (!function)
        fail(call->builder, call->at, "the first argument of %s() must be a builtin or a function with @wp.func",
             call->builtin->name);
    return bound->eval.value;
}

static void pass_operand(RuleCall *call, Dispatch *out, Func *func, const Builtin *builtin)
{
    IrOperand *operand = ARENA_NEW(call->builder->arena, IrOperand);
    operand->kind = OPERAND_FUNCTION;
    operand->function.func = func;
    operand->function.builtin = builtin;
    pass(call, out, (Eval){.kind = EVAL_OPERAND, .operand = operand});
}

/* ---- maps ---- */

/* The elements that an operation is given: of tiles, or values as they are. */
static uint32_t element_args(RuleCall *call, Arg *args)
{
    Builder *b = call->builder;
    const Type *first = tile_argument(call, "a");
    const Bound *rest = rest_of(call), *second = bound_named(call, "b");
    Eval given[MAP_ARGS];
    uint32_t count = 0;
    given[count++] = bound_named(call, "a")->eval;
    if (second)
        given[count++] = second->eval;
    for (uint32_t i = 0; rest && i < rest->rest_count; i++) {
        if (count == MAP_ARGS)
            fail(b, call->at, "tile_map() takes at most %d arguments", MAP_ARGS);
        given[count++] = rest->rest[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        const Type *type = eval_type(b, &given[i]);
        if (type && type_is_tile(type)) {
            check_same_shape(call, "tile_map()", first, type);
            type = type->tile->dtype;
        } else if (given[i].kind != EVAL_VAR || !(type_is_value(type) || type->kind == TYPE_STRUCT))
            fail(b, call->at,
                 "an argument of tile_map() must be a tile, a number, a vector, a matrix or a struct, not %s",
                 eval_repr(b, &given[i]));
        args[i] = (Arg){.eval = eval_var(unlisted_var(b, type))};
    }
    return count;
}

static const Builtin *map_builtin(RuleCall *call, const BuiltinSet *set, const Arg *args, uint32_t count,
                                  const Type **result)
{
    Builder *b = call->builder;
    Bound *bound = ARENA_ARRAY(b->arena, Bound, LIMIT_BUILTIN_PARAMS);
    const Builtin *builtin = choose_builtin(b, set, args, count, 0, bound, call->at);
    RuleCall rule = {
        .builder = b, .builtin = builtin, .bound = bound, .bound_count = builtin->param_count, .at = call->at};
    rule_result(&rule);
    if (rule.replaced || rule.output_count != 1)
        fail(b, call->at, "'%s' cannot be applied to the elements of a tile", set->name);
    *result = rule.outputs[0];
    return builtin;
}

/* `listed`: it is called; else only its result is asked for. */
static const Type *func_result(RuleCall *call, Func *func, bool listed)
{
    Builder *b = call->builder;
    const IrFunction *built = listed ? build_callee(b, func, call->at) : build_unlisted(b, func, call->at);
    const Type *annotated = func->code.has_return ? func->code.return_type : NULL;
    if (annotated)
        return annotated;
    if (built->return_count != 1)
        fail(b, call->at, "function '%s' must return one value to be applied to the elements of a tile",
             func->key->text);
    return built->returns[0]->type;
}

static Func *map_func(RuleCall *call, Func *head, const Arg *args, uint32_t count)
{
    return choose_overload(call->builder, head, args, count, call->at);
}

/* The overload that is written. Of functions of two arguments, Warp looks at the first one alone. */
static Func *named_func(RuleCall *call, Func *head, const Arg *args, uint32_t count)
{
    Builder *b = call->builder;
    for (uint32_t i = 0; count == 2 && i < head->overloads.count; i++) {
        Func *func = head->overloads.items[i];
        if (func->code.param_count == 2 && types_match(func->code.params[0].type, eval_type(b, &args[0].eval)))
            return func;
    }
    return map_func(call, head, args, count);
}

void rule_tile_map(RuleCall *call)
{
    Builder *b = call->builder;
    const Value *op = op_argument(call);
    Arg args[MAP_ARGS];
    uint32_t count = element_args(call, args);
    const Type *result;
    bool is_annotated = false;
    if (op->kind == VALUE_BUILTIN)
        map_builtin(call, op->builtin, args, count, &result);
    else {
        Func *func = map_func(call, op->func, args, count);
        result = func_result(call, func, func == named_func(call, op->func, args, count));
        is_annotated = func->code.has_return;
    }
    if (!(type_is_value(result) || result->kind == TYPE_STRUCT))
        fail(b, call->at, "a tile cannot have elements of type %s", repr(b, result));
    one_output(call, tile_like(call, tile_argument(call, "a"), result));
    call->outputs[0]->tile->nameless = !is_annotated;
}

void dispatch_tile_map(RuleCall *call, Dispatch *out)
{
    const Value *op = op_argument(call);
    const Bound *rest = rest_of(call);
    Arg args[MAP_ARGS];
    uint32_t count = element_args(call, args);
    const Type *result;
    if (op->kind == VALUE_BUILTIN) {
        const Builtin *builtin = map_builtin(call, op->builtin, args, count, &result);
        out->no_reverse = builtin->flags & BUILTIN_NO_ADJOINT;
        pass_operand(call, out, NULL, builtin);
    } else {
        Func *func = named_func(call, op->func, args, count);
        build_callee(call->builder, func, call->at);
        pass_operand(call, out, func, NULL);
    }
    pass_named(call, out, "a");
    if (bound_named(call, "b"))
        pass_named(call, out, "b");
    for (uint32_t i = 0; rest && i < rest->rest_count; i++)
        pass(call, out, rest->rest[i]);
}

/* ---- reductions ---- */

void rule_tile_reduce(RuleCall *call)
{
    Builder *b = call->builder;
    const Value *op = op_argument(call);
    const Type *dtype = tile_argument(call, "a")->tile->dtype;
    if (dtype->kind == TYPE_STRUCT) {
        Arg args[] = {{.eval = eval_var(unlisted_var(b, dtype))}, {.eval = eval_var(unlisted_var(b, dtype))}};
        const Type *result = NULL;
        if (op->kind == VALUE_BUILTIN)
            map_builtin(call, op->builtin, args, 2, &result);
        else
            result = func_result(call, map_func(call, op->func, args, 2), true);
        if (!types_equal(result, dtype))
            fail(b, call->at, "the operation of tile_reduce() must give a value of type %s, not %s", repr(b, dtype),
                 repr(b, result));
    }
    one_output(call, one_element(call, dtype));
}

/* What the operation leaves unchanged; false: none is known. */
static bool identity_of(const char *op, const Type *dtype, Number *out)
{
    static const char *const known[] = {"add", "mul", "min", "max"};
    unsigned which = 0, bits = 8u * kind_traits[dtype->kind].bytes;
    while (which < 4 && strcmp(op, known[which]) != 0)
        which++;
    *out = (Number){.is_int = true, .integer = which == 1};
    if (which < 2)
        return true;
    if (which == 4)
        return false;
    bool min = which == 2, is_signed = dtype->kind == TYPE_INT8 || dtype->kind == TYPE_INT16 ||
                                       dtype->kind == TYPE_INT32 || dtype->kind == TYPE_INT64;
    if (type_is_float(dtype))
        *out = (Number){.real = min ? INFINITY : -INFINITY};
    else if (is_signed)
        out->integer = min ? ((BigInt)1 << (bits - 1)) - 1 : -((BigInt)1 << (bits - 1));
    else
        out->integer = min ? ((BigInt)1 << bits) - 1 : 0;
    return true;
}

void dispatch_tile_reduce(RuleCall *call, Dispatch *out)
{
    Builder *b = call->builder;
    const Value *op = op_argument(call);
    const Type *dtype = tile_argument(call, "a")->tile->dtype;
    const char *name = "";
    if (op->kind == VALUE_BUILTIN) {
        name = op->builtin->overloads[0]->native;
        pass_operand(call, out, NULL, op->builtin->overloads[0]);
    } else {
        const FuncList *overloads = &op->func->overloads;
        Func *func = overloads->count ? overloads->items[0] : NULL;
        if (!func || func->generic_parent)
            unsupported(b, call->at,
                        "tile_reduce() of a generic function: what Warp generates for it is not valid C++");
        build_callee(b, func, call->at);
        pass_operand(call, out, func, NULL);
    }
    pass_named(call, out, "a");
    if (!bound_named(call, "axis"))
        return;
    pass_named(call, out, "axis");
    if (b->unit->dialect->tile_reduce_identity) {
        Number identity;
        bool is_known = identity_of(name, dtype, &identity);
        pass(call, out, eval_value(value_scalar(b->unit->arena, dtype, identity)));
        pass(call, out, eval_value(value_bool(is_known)));
    }
}
