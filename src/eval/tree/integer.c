/* Bits: only integers have them, and none has an adjoint. */
#include "eval/tree/machine.h"

#define BITS(name, expression)                                                                                         \
    static void name(Machine *m, const Op *op)                                                                         \
    {                                                                                                                  \
        const Cell *left = VALUE(0), *right = VALUE(1);                                                                \
        Cell *out = RESULT(0);                                                                                         \
        for (uint32_t i = 0; i < op->outs[0].cells; i++) {                                                             \
            int64_t a = left[i].integer, b = right[i].integer;                                                         \
            out[i].integer = tree_wrap(expression, (TypeKind)op->number);                                              \
        }                                                                                                              \
    }

/* Shifts by the width and more: as x86 does it, which takes the lowest bits of the count. */
static unsigned shift_count(int64_t count, TypeKind kind)
{
    bool wide = kind == TYPE_INT64 || kind == TYPE_UINT64;
    return (unsigned)count & (wide ? 63u : 31u);
}

static int64_t shifted_left(int64_t value, int64_t count, TypeKind kind)
{
    return (int64_t)((uint64_t)value << shift_count(count, kind));
}

static int64_t shifted_right(int64_t value, int64_t count, TypeKind kind)
{
    if (kind == TYPE_UINT64)
        return (int64_t)((uint64_t)value >> shift_count(count, kind));
    return value >> shift_count(count, kind);
}

BITS(run_and, a &b)
BITS(run_or, a | b)
BITS(run_xor, a ^ b)
BITS(run_lshift, shifted_left(a, b, (TypeKind)op->number))
BITS(run_rshift, shifted_right(a, b, (TypeKind)op->number))

static void run_invert(Machine *m, const Op *op)
{
    const Cell *a = VALUE(0);
    Cell *out = RESULT(0);
    for (uint32_t i = 0; i < op->outs[0].cells; i++)
        out[i].integer = tree_wrap(~a[i].integer, (TypeKind)op->number);
}

static unsigned width_of(TypeKind kind)
{
    switch (kind) {
    case TYPE_INT8:
    case TYPE_UINT8: return 8;
    case TYPE_INT16:
    case TYPE_UINT16: return 16;
    case TYPE_INT64:
    case TYPE_UINT64:
    case TYPE_HANDLE: return 64;
    default: return 32;
    }
}

/* A cell holds an integer of any width in 64 bits, its sign extended. */
static void run_bit_count(Machine *m, const Op *op)
{
    uint64_t bits = (uint64_t)VALUE(0)->integer << (64 - width_of((TypeKind)op->number));
    RESULT(0)->integer = __builtin_popcountll(bits);
}

static const TreeRow rows[] = {
#define INTEGER_ROWS
#include "eval/tree/builtin.def"
};

const TreeFamily tree_integer_family = {rows, sizeof rows / sizeof *rows};
