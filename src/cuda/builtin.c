/* CUDA's own functions, as far as such texts call them, and the two templates of weft's helpers. */
#include "cuda/syntax.h"

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

/* Functions of our own around those of the C library: the address of one of the library's in a table is looked up at every start,
 * and all of them took 40,000 instructions each time (callgrind). */
#define ONE(name)                                                                                                      \
    static double call_##name(double x)                                                                                \
    {                                                                                                                  \
        return name(x);                                                                                                \
    }                                                                                                                  \
    static float call_##name##f(float x)                                                                               \
    {                                                                                                                  \
        return name##f(x);                                                                                             \
    }
#define TWO(name)                                                                                                      \
    static double call_##name(double x, double y)                                                                      \
    {                                                                                                                  \
        return name(x, y);                                                                                             \
    }                                                                                                                  \
    static float call_##name##f(float x, float y)                                                                      \
    {                                                                                                                  \
        return name##f(x, y);                                                                                          \
    }
#define OTHER(name, kind, takes, gives, sign)
#include "cuda/builtin.def"
#undef ONE
#undef TWO
#undef OTHER

const Builtin cuda_builtins[] = {
#define ONE(name)                                                                                                      \
    {#name, BUILTIN_ONE, CUDA_F64, CUDA_F64, 0, call_##name, NULL, NULL, NULL},                                        \
        {#name "f", BUILTIN_ONE, CUDA_F32, CUDA_F32, 0, call_##name, call_##name##f, NULL, NULL},
#define TWO(name)                                                                                                      \
    {#name, BUILTIN_TWO, CUDA_F64, CUDA_F64, 0, NULL, NULL, call_##name, NULL},                                        \
        {#name "f", BUILTIN_TWO, CUDA_F32, CUDA_F32, 0, NULL, NULL, call_##name, call_##name##f},
#define OTHER(name, kind, takes, gives, sign)                                                                          \
    {name, BUILTIN_##kind, CUDA_##takes, CUDA_##gives, sign, NULL, NULL, NULL, NULL},
#include "cuda/builtin.def"
#undef ONE
#undef TWO
#undef OTHER
};

void define_builtins(CudaText *t)
{
    for (size_t i = 0; i < sizeof cuda_builtins / sizeof *cuda_builtins; i++)
        meaning_of(t, name_of(&t->names, cuda_builtins[i].name, strlen(cuda_builtins[i].name)))->builtin =
            &cuda_builtins[i];
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
        note_change(args[0]);
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

/* sqrt() of floats is sqrtf(), as in C++. */
static bool takes_singles(const Builtin *builtin, const Node **args, uint32_t count)
{
    bool all = count && builtin->takes == CUDA_F64 && (builtin->kind == BUILTIN_ONE || builtin->kind == BUILTIN_TWO);
    for (uint32_t i = 0; all && i < count; i++)
        all = args[i]->type->kind == CUDA_F32;
    return all;
}

const Node *builtin_call(CudaText *t, const Builtin *builtin, const Node **args, uint32_t count)
{
    builtin += takes_singles(builtin, args, count); /* the next row has the same with an f */
    const CudaType *type = type_call(t, builtin, args, count);
    Node *node = new_node(t, ON_BUILTIN, type);
    node->builtin = builtin;
    node->count = count;
    node->args = ARENA_ARRAY(t->arena, const Node *, count + 1);
    memcpy(node->args, args, count * sizeof *args);
    return node;
}
