/* Parameters, constants and sizes: what a kernel is given. */
#include "synth/random/make.h"

#include <ctype.h>
#include <string.h>

static Param *add_param(Synth *s, Name name, const Type *type, Range range)
{
    if (s->param_count == sizeof s->params / sizeof *s->params)
        give_up(s, "too many parameters");
    Param *param = &s->params[s->param_count++];
    *param = (Param){.name = name, .type = type, .array = -1, .range = range};
    return param;
}

/* Larger ones cost every check memory and time, and show nothing more. */
enum { MAX_ELEMENTS = 20000 };

static bool is_too_large(uint32_t ndim, const uint32_t *shape)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; i < ndim; i++)
        elements *= shape[i];
    return elements > MAX_ELEMENTS;
}

Expr array_param(Synth *s, Role role, const char *names, const Type *dtype, uint32_t ndim, const uint32_t *shape,
                 double low, double high)
{
    if (s->array_count == MAX_ARRAYS)
        give_up(s, "too many arrays");
    if (is_too_large(ndim, shape))
        give_up(s, "an array is too large");
    Array *array = ARENA_NEW(s->arena, Array);
    *array = (Array){.name = fresh(s, names), .dtype = dtype, .ndim = ndim, .range = {low, high}, .role = role};
    array->type = type_array(s->types, ARRAY_PLAIN, dtype, ndim);
    for (uint32_t i = 0; i < ndim; i++)
        array->shape[i] = shape[i];
    s->arrays[s->array_count] = array;
    Param *param = add_param(s, array->name, array->type, array->range);
    param->array = (int)s->array_count++;
    return (Expr){.node = node_name(s, array->name), .type = array->type, .range = array->range, .array = array};
}

static Expr param_expr(Synth *s, const Param *param, unsigned flags)
{
    return (Expr){.node = node_name(s, param->name), .type = param->type, .range = param->range, .flags = flags};
}

Expr scalar_param(Synth *s, const char *names, const Type *type, double low, double high)
{
    Param *param = add_param(s, fresh(s, names), type, (Range){low, high});
    return param_expr(s, param, type_is_float(type_scalar_of(type)) ? EXPR_GENERIC : 0);
}

/* A constant of the module, in capitals: NAME = wp.constant(0.5). */
Expr module_constant(Synth *s, const char *names, const Type *type, double value)
{
    char text[NAME_SIZE];
    pick_name(s, names, text);
    for (char *c = text; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    Name name = fresh(s, text);
    Expr plain = literal(s, type, value);
    Node *node = node_new(s, NODE_ASSIGN);
    list_push(s, &node->assign.targets, node_name(s, name));
    Node *constant = plain.node;
    node->assign.value = chance(s, 0.75) ? node_call(s, node_wp(s, "constant"), &constant, 1) : constant;
    list_push(s, &s->module, node);
    return (Expr){.node = node_name(s, name), .type = plain.type, .range = {value, value}, .flags = EXPR_CONSTANT};
}

Expr size_param(Synth *s, const char *names, uint32_t value)
{
    for (uint32_t i = 0; i < s->param_count; i++) /* the same size is not passed twice */
        if (s->params[i].exact && s->params[i].range.low == value)
            return param_expr(s, &s->params[i], 0);
    /* an array that is known already may tell its extent */
    for (uint32_t a = 0; a < s->array_count && chance(s, 0.6); a++)
        for (uint32_t axis = 0; axis < s->arrays[a]->ndim; axis++)
            if (s->arrays[a]->shape[axis] == value && s->arrays[a]->role == ROLE_INPUT) {
                const Array *array = s->arrays[a];
                Expr whole = {.node = node_name(s, array->name), .type = array->type, .array = array};
                return extent(s, whole, axis);
            }
    Param *param = add_param(s, fresh(s, names), type_scalar(TYPE_INT32), (Range){value, value});
    param->exact = true;
    return param_expr(s, param, 0);
}
