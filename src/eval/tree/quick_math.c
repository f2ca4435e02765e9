/* Quick forms of arithmetic and of conversions: see quick.c. */
#include "eval/tree/quick.h"

/* ---- single numbers ---- */

#define ARITHMETIC(name, operator)                                                                                     \
    static void quick_##name##_f(Machine *m, const Op *op)                                                             \
    {                                                                                                                  \
        OUT->real = (double)((float)IN(0)->real operator(float) IN(1)->real);                                          \
        GO_ON(1);                                                                                                      \
    }                                                                                                                  \
    static void quick_##name##_d(Machine *m, const Op *op)                                                             \
    {                                                                                                                  \
        OUT->real = IN(0)->real operator IN(1)->real;                                                                  \
        GO_ON(1);                                                                                                      \
    }                                                                                                                  \
    static void quick_##name##_i(Machine *m, const Op *op)                                                             \
    {                                                                                                                  \
        OUT->integer = (int32_t)((uint32_t)IN(0)->integer operator(uint32_t) IN(1)->integer);                          \
        GO_ON(1);                                                                                                      \
    }                                                                                                                  \
    void tree_quick_##name(Op *op, enum TreeVariant variant)                                                           \
    {                                                                                                                  \
        bool narrow = op->number == TYPE_INT32 || op->number == TYPE_PY_INT;                                           \
        if (!all_single(op) || !place(op))                                                                             \
            return;                                                                                                    \
        if (variant == VARIANT_FLOAT)                                                                                  \
            op->quick = quick_##name##_f;                                                                              \
        else if (variant == VARIANT_DOUBLE)                                                                            \
            op->quick = quick_##name##_d;                                                                              \
        else if (variant == VARIANT_INT && narrow)                                                                     \
            op->quick = quick_##name##_i;                                                                              \
    }
ARITHMETIC(add, +)
ARITHMETIC(sub, -)
ARITHMETIC(mul, *)
#undef ARITHMETIC

static void quick_div_f(Machine *m, const Op *op)
{
    OUT->real = (double)((float)IN(0)->real / (float)IN(1)->real);
    GO_ON(1);
}

static void quick_div_d(Machine *m, const Op *op)
{
    OUT->real = IN(0)->real / IN(1)->real;
    GO_ON(1);
}

void tree_quick_div(Op *op, enum TreeVariant variant)
{
    if (!all_single(op) || !place(op))
        return;
    if (variant == VARIANT_FLOAT)
        op->quick = quick_div_f;
    else if (variant == VARIANT_DOUBLE)
        op->quick = quick_div_d;
}

/* ---- cell by cell ---- */

/* Of all cells, one after the other, as the result may be an operand; most vectors have three. */
#define EACH_CELL(statement)                                                                                           \
    do {                                                                                                               \
        uint32_t i = 0, count = op->outs[0].cells;                                                                     \
        if (count == 3) {                                                                                              \
            statement;                                                                                                 \
            i = 1;                                                                                                     \
            statement;                                                                                                 \
            i = 2;                                                                                                     \
            statement;                                                                                                 \
        } else                                                                                                         \
            for (; i < count; i++)                                                                                     \
                statement;                                                                                             \
    } while (0)

#define CELLWISE(name, operator)                                                                                       \
    static void quick_##name##_f(Machine *m, const Op *op)                                                             \
    {                                                                                                                  \
        const Cell *a = IN(0), *b = IN(1);                                                                             \
        Cell *out = OUT;                                                                                               \
        EACH_CELL(out[i].real = (double)((float)a[i].real operator(float) b[i].real));                                 \
        GO_ON(1);                                                                                                      \
    }                                                                                                                  \
    static void quick_##name##_d(Machine *m, const Op *op)                                                             \
    {                                                                                                                  \
        const Cell *a = IN(0), *b = IN(1);                                                                             \
        Cell *out = OUT;                                                                                               \
        EACH_CELL(out[i].real = a[i].real operator b[i].real);                                                         \
        GO_ON(1);                                                                                                      \
    }
CELLWISE(add_cells, +)
CELLWISE(sub_cells, -)
#undef CELLWISE

/* A vector, and a number that is the first operand or the second. */
#define SCALED(name, vector, number, operator)                                                                         \
    static void quick_##name##_f(Machine *m, const Op *op)                                                             \
    {                                                                                                                  \
        const Cell *a = IN(vector);                                                                                    \
        float s = (float)IN(number)->real;                                                                             \
        Cell *out = OUT;                                                                                               \
        EACH_CELL(out[i].real = (double)((float)a[i].real operator s));                                                \
        GO_ON(1);                                                                                                      \
    }                                                                                                                  \
    static void quick_##name##_d(Machine *m, const Op *op)                                                             \
    {                                                                                                                  \
        const Cell *a = IN(vector);                                                                                    \
        double s = IN(number)->real;                                                                                   \
        Cell *out = OUT;                                                                                               \
        EACH_CELL(out[i].real = a[i].real operator s);                                                                 \
        GO_ON(1);                                                                                                      \
    }
SCALED(scale, 0, 1, *)
SCALED(scale_by, 1, 0, *)
SCALED(div_scalar, 0, 1, /)
#undef SCALED
#undef EACH_CELL

static void choose_float(Op *op, enum TreeVariant variant, TreeFn single, TreeFn twice)
{
    if ((variant == VARIANT_FLOAT || variant == VARIANT_DOUBLE) && place(op))
        op->quick = variant == VARIANT_FLOAT ? single : twice;
}

#define CHOICE(name)                                                                                                   \
    void tree_quick_##name(Op *op, enum TreeVariant variant)                                                           \
    {                                                                                                                  \
        choose_float(op, variant, quick_##name##_f, quick_##name##_d);                                                 \
    }
CHOICE(add_cells)
CHOICE(sub_cells)
CHOICE(scale)
CHOICE(scale_by)
CHOICE(div_scalar)
#undef CHOICE

/* The sum begins with the first product: see run_dot(). */
static void quick_dot_3f(Machine *m, const Op *op)
{
    const Cell *a = IN(0), *b = IN(1);
    float sum = (float)a[0].real * (float)b[0].real;
    sum = sum + (float)a[1].real * (float)b[1].real;
    sum = sum + (float)a[2].real * (float)b[2].real;
    OUT->real = (double)sum;
    GO_ON(1);
}

static void quick_dot_3d(Machine *m, const Op *op)
{
    const Cell *a = IN(0), *b = IN(1);
    double sum = a[0].real * b[0].real;
    sum = sum + a[1].real * b[1].real;
    OUT->real = sum + a[2].real * b[2].real;
    GO_ON(1);
}

void tree_quick_dot(Op *op, enum TreeVariant variant)
{
    if (op->args[0].type->kind == TYPE_VEC && op->args[0].cells == 3)
        choose_float(op, variant, quick_dot_3f, quick_dot_3d);
}

/* ---- integers ---- */

/* What they give is as wide as what they are given: nothing wraps. */
#define INTEGERS(name, expression)                                                                                     \
    static void quick_##name##_i(Machine *m, const Op *op)                                                             \
    {                                                                                                                  \
        int64_t a = IN(0)->integer, b = IN(1)->integer;                                                                \
        OUT->integer = expression;                                                                                     \
        GO_ON(1);                                                                                                      \
    }
INTEGERS(and, a &b)
INTEGERS(or, a | b)
INTEGERS(xor, a ^ b)
INTEGERS(min, a < b ? a : b)
INTEGERS(max, a > b ? a : b)
INTEGERS(rshift, a >> (b & 31))
#undef INTEGERS

static void quick_clamp_i(Machine *m, const Op *op)
{
    int64_t x = IN(0)->integer, low = IN(1)->integer, high = IN(2)->integer;
    int64_t above = low > x ? low : x;
    OUT->integer = above < high ? above : high;
    GO_ON(1);
}

static void quick_mod_i(Machine *m, const Op *op)
{
    int64_t a = IN(0)->integer, b = IN(1)->integer;
    if (b == 0) {
        tree_run_slowly(m, op);
        return;
    }
    OUT->integer = b == -1 ? 0 : a % b;
    GO_ON(1);
}

static void choose_integer(Op *op, enum TreeVariant variant, TreeFn form)
{
    if (variant == VARIANT_INT && all_single(op) && place(op))
        op->quick = form;
}

#define CHOICE(name)                                                                                                   \
    void tree_quick_##name(Op *op, enum TreeVariant variant)                                                           \
    {                                                                                                                  \
        choose_integer(op, variant, quick_##name##_i);                                                                 \
    }
CHOICE(and)
CHOICE(or)
CHOICE(xor)
CHOICE(mod)
#undef CHOICE

void tree_quick_rshift(Op *op, enum TreeVariant variant)
{
    if (op->number == TYPE_INT32 || op->number == TYPE_PY_INT || op->number == TYPE_UINT32)
        choose_integer(op, variant, quick_rshift_i);
}

/* ---- the smaller, the larger: a NaN counts as missing ---- */

#define EXTREME(name, relation)                                                                                        \
    static void quick_##name##_f(Machine *m, const Op *op)                                                             \
    {                                                                                                                  \
        float a = (float)IN(0)->real, b = (float)IN(1)->real;                                                          \
        OUT->real = (double)(a relation b ? a : b == b ? b : a);                                                       \
        GO_ON(1);                                                                                                      \
    }                                                                                                                  \
    static void quick_##name##_d(Machine *m, const Op *op)                                                             \
    {                                                                                                                  \
        double a = IN(0)->real, b = IN(1)->real;                                                                       \
        OUT->real = a relation b ? a : b == b ? b : a;                                                                 \
        GO_ON(1);                                                                                                      \
    }                                                                                                                  \
    void tree_quick_##name(Op *op, enum TreeVariant variant)                                                           \
    {                                                                                                                  \
        choose_integer(op, variant, quick_##name##_i);                                                                 \
        choose_float(op, variant, quick_##name##_f, quick_##name##_d);                                                 \
    }
EXTREME(min, <=)
EXTREME(max, >=)
#undef EXTREME

void tree_quick_clamp(Op *op, enum TreeVariant variant)
{
    choose_integer(op, variant, quick_clamp_i);
}

/* ---- conversions ---- */

static void quick_integer_to_float(Machine *m, const Op *op)
{
    OUT->real = (double)(float)(double)IN(0)->integer;
    GO_ON(1);
}

static void quick_integer_to_double(Machine *m, const Op *op)
{
    OUT->real = (double)IN(0)->integer;
    GO_ON(1);
}

static void quick_real_to_float(Machine *m, const Op *op)
{
    OUT->real = (double)(float)IN(0)->real;
    GO_ON(1);
}

static void quick_real_to_double(Machine *m, const Op *op)
{
    OUT->real = IN(0)->real;
    GO_ON(1);
}

static void quick_integer_to_int32(Machine *m, const Op *op)
{
    OUT->integer = (int32_t)IN(0)->integer;
    GO_ON(1);
}

static void quick_real_to_int32(Machine *m, const Op *op)
{
    double value = IN(0)->real;
    OUT->integer = value > -0x1p31 - 1 && value < 0x1p31 ? (int64_t)value : INT32_MIN;
    GO_ON(1);
}

static void quick_integer_to_uint32(Machine *m, const Op *op)
{
    OUT->integer = (uint32_t)IN(0)->integer;
    GO_ON(1);
}

static void quick_real_to_uint32(Machine *m, const Op *op)
{
    double value = IN(0)->real;
    OUT->integer = (uint32_t)(value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN);
    GO_ON(1);
}

static void quick_integer_to_bool(Machine *m, const Op *op)
{
    OUT->integer = IN(0)->integer != 0;
    GO_ON(1);
}

void tree_quick_convert(Op *op, enum TreeVariant variant)
{
    (void)variant;
    const TreeArg *from = &op->args[0], *to = &op->outs[0];
    if (!all_single(op) || kind_of(from) > CELL_INTEGER || from->type->kind == TYPE_UINT64 || !place(op))
        return;
    bool real = kind_of(from) <= CELL_FLOAT64;
    if (kind_of(to) == CELL_FLOAT32)
        op->quick = real ? quick_real_to_float : quick_integer_to_float;
    else if (kind_of(to) == CELL_FLOAT64)
        op->quick = real ? quick_real_to_double : quick_integer_to_double;
    else if (to->type->kind == TYPE_INT32 || to->type->kind == TYPE_PY_INT)
        op->quick = real ? quick_real_to_int32 : quick_integer_to_int32;
    else if (to->type->kind == TYPE_UINT32)
        op->quick = real ? quick_real_to_uint32 : quick_integer_to_uint32;
    else if (to->type->kind == TYPE_BOOL && !real)
        op->quick = quick_integer_to_bool;
}
