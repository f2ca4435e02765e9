/* CUDA's own functions, as far as such texts call them, and the two templates of weft's helpers. */
#include "cuda/impl.h"

#include <math.h>

/* ---- functions that C does not have ---- */

static double erfinv(double y)
{
    double w = -log((1 - y) * (1 + y)), x = (w < 5 ? 1.5 : 2.8) * y;
    for (int i = 0; i < 60; i++)
        x -= (erf(x) - y) / (1.1283791670955126 * exp(-x * x)) * (i < 20 ? 0.5 : 1.0);
    return x;
}

static float erfinvf(float y)
{
    return (float)erfinv((double)y);
}

static double erfcinv(double y)
{
    return erfinv(1 - y);
}

static float erfcinvf(float y)
{
    return (float)erfinv(1 - (double)y);
}

/* ---- the table ---- */

static const Builtin builtins[] = {
#define ONE(name)                                                                                                      \
    {#name, BUILTIN_ONE, CUDA_F64, CUDA_F64, 0, name, NULL, NULL, NULL},                                               \
        {#name "f", BUILTIN_ONE, CUDA_F32, CUDA_F32, 0, name, name##f, NULL, NULL},
#define TWO(name)                                                                                                      \
    {#name, BUILTIN_TWO, CUDA_F64, CUDA_F64, 0, NULL, NULL, name, NULL},                                               \
        {#name "f", BUILTIN_TWO, CUDA_F32, CUDA_F32, 0, NULL, NULL, name, name##f},
#define OTHER(name, kind, takes, gives, sign)                                                                          \
    {name, BUILTIN_##kind, CUDA_##takes, CUDA_##gives, sign, NULL, NULL, NULL, NULL},
#include "cuda/builtin.def"
#undef ONE
#undef TWO
#undef OTHER
};

void define_builtins(CudaText *t)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        meaning_of(t, name_of(&t->names, builtins[i].name, strlen(builtins[i].name)))->builtin = &builtins[i];
}

/* ---- reading a call ---- */

static void need_args(CudaText *t, const Builtin *builtin, uint32_t count, uint32_t wanted)
{
    if (count != wanted)
        cannot(t, "%s() has another number of arguments", builtin->name);
}

static const CudaType *pointed_scalar(CudaText *t, const Builtin *builtin, const Node *arg)
{
    if (arg->type->kind != CUDA_POINTER || !is_scalar(arg->type->of))
        cannot(t, "%s() needs a pointer to a number", builtin->name);
    return arg->type->of;
}

/* The type of the call, and its arguments converted. */
static const CudaType *type_call(CudaText *t, const Builtin *builtin, const Node **args, uint32_t count)
{
    const CudaType *type = &t->scalars[CUDA_VOID];
    switch (builtin->kind) {
    case BUILTIN_ONE:
    case BUILTIN_TEST:
    case BUILTIN_BITS:
        need_args(t, builtin, count, 1);
        if (builtin->kind == BUILTIN_BITS && t->wide && (builtin->takes == CUDA_F32 || builtin->gives == CUDA_F32))
            cannot(t, "the bits of a float are used");
        if (builtin->kind != BUILTIN_TEST || !is_real(args[0]->type))
            args[0] = convert_to(t, args[0], &t->scalars[builtin->takes]);
        return &t->scalars[builtin->gives];
    case BUILTIN_TWO:
        need_args(t, builtin, count, 2);
        args[0] = convert_to(t, args[0], &t->scalars[builtin->takes]);
        args[1] = convert_to(t, args[1], &t->scalars[builtin->takes]);
        return &t->scalars[builtin->gives];
    case BUILTIN_MIN:
    case BUILTIN_MAX:
        need_args(t, builtin, count, 2);
        if (!is_scalar(args[0]->type) || !is_scalar(args[1]->type))
            cannot(t, "%s() needs numbers", builtin->name);
        type = common_type(t, args[0]->type, args[1]->type);
        args[0] = convert_to(t, args[0], type);
        args[1] = convert_to(t, args[1], type);
        return type;
    case BUILTIN_ATOMIC:
    case BUILTIN_SWAP:
        need_args(t, builtin, count, builtin->kind == BUILTIN_SWAP ? 3 : 2);
        type = pointed_scalar(t, builtin, args[0]);
        for (uint32_t i = 1; i < count; i++)
            args[i] = convert_to(t, args[i], type);
        return type;
    case BUILTIN_SAVE:
        need_args(t, builtin, count, 3);
        if (args[0]->type->kind != CUDA_ARRAY)
            cannot(t, "save() needs an array");
        args[1] = convert_to(t, args[1], &t->scalars[CUDA_I32]);
        args[2] = convert_to(t, args[2], args[0]->type->of);
        return type;
    case BUILTIN_LOWER_BOUND:
        need_args(t, builtin, count, 4);
        args[1] = convert_to(t, args[1], &t->scalars[CUDA_I32]);
        args[2] = convert_to(t, args[2], &t->scalars[CUDA_I32]);
        args[3] = convert_to(t, args[3], pointed_scalar(t, builtin, args[0]));
        return &t->scalars[CUDA_I32];
    case BUILTIN_TRAP:
    case BUILTIN_PRINT: break;
    }
    return type;
}

const Node *builtin_call(CudaText *t, const Builtin *builtin, const Node **args, uint32_t count)
{
    const CudaType *type = type_call(t, builtin, args, count);
    Node *node = new_node(t, ON_BUILTIN, type);
    node->builtin = builtin;
    node->count = count;
    node->args = ARENA_ARRAY(t->arena, const Node *, count + 1);
    memcpy(node->args, args, count * sizeof *args);
    return node;
}

/* ---- running it ---- */

static bool is_less(const CudaType *type, Number a, Number b)
{
    if (is_real(type))
        return a.real < b.real;
    return type->kind == CUDA_U64 ? (uint64_t)a.whole < (uint64_t)b.whole : a.whole < b.whole;
}

static Number run_atomic(Run *run, const Node *node)
{
    const CudaType *type = node->type;
    char *place = checked_place(run, run_value(run, node->args[0]).place, type->size);
    Number value = run_value(run, node->args[1]), old = number_at(type, place), now = value;
    switch (node->builtin->sign) {
    case '+':
        if (is_real(type))
            now.real = old.real + value.real;
        else
            now.whole = (int64_t)((uint64_t)old.whole + (uint64_t)value.whole);
        break;
    case '<': now = is_less(type, value, old) ? value : old; break;
    case '>': now = is_less(type, old, value) ? value : old; break;
    case '&': now.whole = old.whole & value.whole; break;
    case '|': now.whole = old.whole | value.whole; break;
    case '^': now.whole = old.whole ^ value.whole; break;
    default: break; /* = */
    }
    put_number(type, place, wrap_number(type, now));
    return old;
}

static Number run_swap(Run *run, const Node *node)
{
    const CudaType *type = node->type;
    char *place = checked_place(run, run_value(run, node->args[0]).place, type->size);
    Number expected = run_value(run, node->args[1]), value = run_value(run, node->args[2]),
           old = number_at(type, place);
    if (is_real(type) ? old.real == expected.real : old.whole == expected.whole)
        put_number(type, place, value);
    return old;
}

static Number run_bits(const Node *node, Number value)
{
    Number bits = value;
    float single;
    int32_t whole;
    if (node->builtin->takes == CUDA_F32) {
        single = (float)value.real;
        memcpy(&whole, &single, sizeof whole);
        bits.whole = whole;
    } else if (node->builtin->gives == CUDA_F32) {
        whole = (int32_t)value.whole;
        memcpy(&single, &whole, sizeof single);
        bits.real = (double)single;
    } /* of a double: the same bits mean the other */
    return bits;
}

static Number run_lower_bound(Run *run, const Node *node)
{
    const CudaType *type = node->args[0]->type->of;
    char *values = run_value(run, node->args[0]).place;
    int64_t low = run_value(run, node->args[1]).whole, high = run_value(run, node->args[2]).whole - 1;
    Number wanted = run_value(run, node->args[3]);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        char *place = checked_place(run, values + middle * (int64_t)type->size, type->size);
        if (is_less(type, number_at(type, place), wanted))
            low = middle + 1;
        else
            high = middle;
    }
    return (Number){.whole = low};
}

static void run_save(Run *run, const Node *node)
{
    const CudaType *array = node->args[0]->type, *type = array->of;
    char *stack = run_place(run, node->args[0]);
    int64_t turn = run_value(run, node->args[1]).whole;
    if (turn < 0 || turn >= array->count)
        end_run(run, "a loop has more turns than it saves");
    if (is_scalar(type))
        put_number(type, stack + turn * type->size, run_value(run, node->args[2]));
    else
        memmove(stack + turn * type->size, run_place(run, node->args[2]), type->size);
}

static bool run_test(const char *name, double value)
{
    switch (name[2]) { /* isnan, isinf, isfinite, signbit */
    case 'n': return isnan(value);
    case 'i': return isinf(value);
    case 'f': return isfinite(value);
    default: return signbit(value);
    }
}

Number run_builtin(Run *run, const Node *node)
{
    const Builtin *builtin = node->builtin;
    Number result = {0}, other;
    bool single = node->type->kind == CUDA_F32 && node->type->size == sizeof(float);
    switch (builtin->kind) {
    case BUILTIN_ONE:
        result = run_value(run, node->args[0]);
        result.real = single ? (double)builtin->one_f((float)result.real) : builtin->one(result.real);
        break;
    case BUILTIN_TWO:
        result = run_value(run, node->args[0]);
        other = run_value(run, node->args[1]);
        result.real = single ? (double)builtin->two_f((float)result.real, (float)other.real)
                             : builtin->two(result.real, other.real);
        break;
    case BUILTIN_TEST: result.whole = run_test(builtin->name, run_value(run, node->args[0]).real); break;
    case BUILTIN_BITS: return run_bits(node, run_value(run, node->args[0]));
    case BUILTIN_MIN:
    case BUILTIN_MAX:
        result = run_value(run, node->args[0]);
        other = run_value(run, node->args[1]);
        if (builtin->kind == BUILTIN_MIN ? is_less(node->type, other, result) : is_less(node->type, result, other))
            result = other;
        break;
    case BUILTIN_ATOMIC: return run_atomic(run, node);
    case BUILTIN_SWAP: return run_swap(run, node);
    case BUILTIN_LOWER_BOUND: return run_lower_bound(run, node);
    case BUILTIN_SAVE: run_save(run, node); break;
    case BUILTIN_TRAP: end_run(run, "a thread has stopped the kernel");
    case BUILTIN_PRINT: break;
    }
    return result;
}
