/* What the rules of tiles have in common: arguments, types of results, template arguments. */
#include "ir/tile_impl.h"

#include <limits.h>
#include <string.h>

/* ---- arguments ---- */

const Type *tile_argument(RuleCall *call, const char *name)
{
    const Type *type = arg_type(call, name);
    if (!type || !type_is_tile(type))
        fail(call->builder, call->at, "'%s' of %s() must be a tile, not %s", name, call->builtin->name,
             type ? repr(call->builder, type) : "a function");
    return type;
}

void force_shared(RuleCall *call, const Type *tile)
{
    (void)call;
    tile->tile->storage = TILE_SHARED;
}

static const Value *constant_argument_of(RuleCall *call, const char *name)
{
    const Bound *bound = bound_named(call, name);
    const Value *value = !bound                           ? NULL
                         : bound->eval.kind == EVAL_VALUE ? bound->eval.value
                         : bound->eval.kind == EVAL_VAR   ? bound->eval.var->constant
                                                          : NULL;
    if (!value)
        fail(call->builder, call->at, "'%s' of %s() must be a compile-time constant", name, call->builtin->name);
    return value;
}

bool truth_argument(RuleCall *call, const char *name)
{
    bool known;
    return value_is_true(constant_argument_of(call, name), &known);
}

const char *text_argument(RuleCall *call, const char *name)
{
    const Value *value = constant_argument_of(call, name);
    if (value->kind != VALUE_STR)
        fail(call->builder, call->at, "'%s' of %s() must be a text", name, call->builtin->name);
    return arena_strndup(call->builder->arena, value->str.text, value->str.len);
}

TileStorage storage_argument(RuleCall *call)
{
    const char *text = text_argument(call, "storage");
    if (strcmp(text, "shared") != 0 && strcmp(text, "register") != 0)
        fail(call->builder, call->at, "the storage of a tile is 'shared' or 'register', not '%s'", text);
    return strcmp(text, "shared") == 0 ? TILE_SHARED : TILE_REGISTER;
}

uint32_t shape_argument(RuleCall *call, const char *name, uint32_t *shape)
{
    Builder *b = call->builder;
    uint32_t count;
    const Eval *items = tuple_items(call, &bound_named(call, name)->eval, &count);
    if (count > TILE_DIMS)
        unsupported(b, call->at, "a tile of more than %d dimensions is not supported", TILE_DIMS);
    uint64_t size = 1;
    for (uint32_t i = 0; i < count; i++) {
        int64_t dim;
        if (!constant_int(&items[i], &dim))
            fail_hint(b, call->at, "write a number, a constant of the module, or wp.static(...)",
                      "the shape of a tile must be a compile-time constant");
        if (dim < 1 && !(dim == -1 && strcmp(call->builtin->name, "tile_reshape") == 0))
            fail(b, call->at, "a dimension of a tile must be at least 1, not %lld", (long long)dim);
        shape[i] = (uint32_t)dim;
        size *= dim < 0 ? 1 : (uint64_t)dim;
        if (size > INT_MAX)
            fail(b, call->at, "a tile cannot have more than %d elements", INT_MAX);
    }
    return count;
}

uint32_t axis_argument(RuleCall *call, const char *name, uint32_t ndim)
{
    int64_t axis;
    if (!constant_int(&bound_named(call, name)->eval, &axis))
        fail(call->builder, call->at, "'%s' of %s() must be a compile-time constant", name, call->builtin->name);
    if (axis < 0 || axis >= ndim)
        fail(call->builder, call->at, "%s() axis %lld is out of bounds for a tile with %s", call->builtin->name,
             (long long)axis, counted(call->builder, ndim, "dimension"));
    return (uint32_t)axis;
}

static const Eval *offset_items(RuleCall *call, uint32_t *count)
{
    const Bound *bound = bound_named(call, "offset");
    return bound ? tuple_items(call, &bound->eval, count) : NULL;
}

void check_offset(RuleCall *call, uint32_t ndim, const char *of)
{
    Builder *b = call->builder;
    uint32_t count = ndim;
    const Eval *items = offset_items(call, &count);
    if (count != ndim)
        fail(b, call->at, "the offset of %s() must have as many dimensions as %s: it has %u, not %u",
             call->builtin->name, of, count, ndim);
    for (uint32_t i = 0; items && i < count; i++) {
        const Type *type = eval_type(b, &items[i]);
        if (!type || type_canonical(type)->kind != TYPE_INT32)
            fail(b, call->at, "an offset of %s() must be an int32, not %s", call->builtin->name,
                 eval_repr(b, &items[i]));
    }
}

void push_offset(RuleCall *call, Dispatch *out, uint32_t ndim)
{
    uint32_t count = 0;
    const Eval *items = offset_items(call, &count);
    for (uint32_t i = 0; i < ndim; i++)
        if (items)
            pass(call, out, items[i]);
        else
            pass_int(call, out, 0);
}

const char *shape_text(Builder *b, const TileType *tile)
{
    Text text;
    text_init_in(&text, b->arena);
    for (uint32_t i = 0; i < tile->ndim; i++) {
        text_str(&text, i ? ", " : "(");
        text_uint(&text, tile->shape[i]);
    }
    text_str(&text, tile->ndim == 1 ? ",)" : ")");
    return text_cstr(&text);
}

void check_same_shape(RuleCall *call, const char *name, const Type *a, const Type *b)
{
    if (a->tile->ndim == b->tile->ndim &&
        memcmp(a->tile->shape, b->tile->shape, a->tile->ndim * sizeof *a->tile->shape) == 0)
        return;
    fail(call->builder, call->at, "the shapes of the tiles of %s do not match: %s and %s", name,
         shape_text(call->builder, a->tile), shape_text(call->builder, b->tile));
}

/* ---- types ---- */

const Type *register_tile(RuleCall *call, const Type *dtype, uint32_t ndim, const uint32_t *shape)
{
    return type_tile(types(call), dtype, ndim, shape, NULL, TILE_REGISTER);
}

const Type *tile_like(RuleCall *call, const Type *tile, const Type *dtype)
{
    const Type *like = register_tile(call, dtype, tile->tile->ndim, tile->tile->shape);
    like->tile->nameless = tile->tile->nameless && types_equal(like->tile->dtype, tile->tile->dtype);
    return like;
}

const Type *one_element(RuleCall *call, const Type *dtype)
{
    uint32_t one = 1;
    return register_tile(call, dtype, 1, &one);
}

const Type *view_of(RuleCall *call, const Type *tile, uint32_t ndim, const uint32_t *shape, const int32_t *strides)
{
    const Type *view = type_tile(types(call), tile->tile->dtype, ndim, shape, strides, TILE_SHARED);
    view->tile->is_view = true;
    view->tile->column_major = tile->tile->column_major;
    return view;
}

static const Type *shared_copy(RuleCall *call, const Type *tile)
{
    const Type *copy = type_tile_copy(types(call), tile);
    copy->tile->is_view = false;
    return copy;
}

/* In registers, a copy shares the type with what was copied: what becomes of one becomes of both. */
const Type *copied_tile(RuleCall *call, const Type *tile)
{
    return tile->tile->storage == TILE_REGISTER ? tile : shared_copy(call, tile);
}

const Type *chosen_tile(RuleCall *call, const Type *a, const Type *b)
{
    return a->tile->storage == TILE_REGISTER ? a : b->tile->storage == TILE_REGISTER ? b : shared_copy(call, a);
}

/* ---- what the native function gets ---- */

void pass(RuleCall *call, Dispatch *out, Eval eval)
{
    if (out->arg_count == LIMIT_CALL_ARGS)
        fail(call->builder, call->at, "a call cannot have more than %d arguments", LIMIT_CALL_ARGS);
    out->args[out->arg_count++] = eval;
}

void pass_named(RuleCall *call, Dispatch *out, const char *name)
{
    pass(call, out, bound_named(call, name)->eval);
}

void pass_int(RuleCall *call, Dispatch *out, int64_t value)
{
    pass(call, out, eval_value(value_int(call->builder->unit->arena, value)));
}

void pass_number(RuleCall *call, Dispatch *out, int64_t value)
{
    IrOperand *operand = ARENA_NEW(call->builder->arena, IrOperand);
    operand->kind = OPERAND_NUMBER;
    operand->number = value;
    pass(call, out, (Eval){.kind = EVAL_OPERAND, .operand = operand});
}

void template_type(Dispatch *out, const Type *type)
{
    out->template_args[out->template_count++] = (IrTemplateArg){.type = type};
}

void template_tile(RuleCall *call, Dispatch *out, const Type *tile)
{
    template_type(out, type_tile_copy(types(call), tile));
}

void template_number(Dispatch *out, int64_t number)
{
    out->template_args[out->template_count++] = (IrTemplateArg){.number = number};
}

void template_truth(Dispatch *out, bool truth)
{
    out->template_args[out->template_count++] = (IrTemplateArg){.number = truth, .is_truth = true};
}

void template_shape(Dispatch *out, const Type *tile)
{
    for (uint32_t i = 0; i < tile->tile->ndim; i++)
        template_number(out, tile->tile->shape[i]);
}
