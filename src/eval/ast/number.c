/* Arithmetic: what is too long for number.h. */
#include "eval/ast/number.h"

#include <string.h>

void check_real(const Math *m, double result, double a, double b)
{
    bool nan_in = isnan(a) || isnan(b), inf_in = isinf(a) || isinf(b);
    if (isnan(result) ? nan_in : nan_in || inf_in)
        return; /* the kernel works with infinities: its own business */
    stop_undefined(m->e, FINDING_NOT_FINITE, m->offset, "the result is %s",
                   isnan(result) ? "not a number" : "not finite");
}

static _Noreturn void stop_division(const Math *m)
{
    stop_run(m->e, FINDING_DIVISION_BY_ZERO, m->offset, "division by zero");
}

static void stop_real_division(const Math *m)
{
    stop_undefined(m->e, FINDING_DIVISION_BY_ZERO, m->offset, "division by zero");
}

Dual divide_duals(const Math *m, Dual a, Dual b)
{
    if (b.real == 0)
        stop_real_division(m);
    double quotient = a.real / b.real;
    return real_result(m, quotient, (a.tangent - quotient * b.tangent) / b.real, a.real, b.real);
}

Dual square_root(const Math *m, Dual a)
{
    if (a.real < 0)
        stop_undefined(m->e, FINDING_DOMAIN, m->offset, "square root of %g", a.real);
    double root = sqrt(a.real);
    return real_result(m, root, a.tangent == 0 ? 0 : 0.5 / root * a.tangent, a.real, a.real);
}

/* ---- another machine ---- */

static uint64_t mix(uint64_t state, uint64_t more)
{
    state = (state ^ more) * 0x9e3779b97f4a7c15u;
    return state ^ state >> 29;
}

static uint64_t bits_of(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static double next_to(const Math *m, double real, double towards)
{
    if (m->kind == TYPE_FLOAT64)
        return nextafter(real, towards);
    return m->kind == TYPE_FLOAT32 ? (double)nextafterf((float)real, (float)towards) : real;
}

/* Where a product is not exact and its expression is one of those chosen by the seed: the other neighbour. Of the seeds 2k and
 * 2k + 1, one chooses what the other does not. */
double product_elsewhere(const Math *m, double product, double a, double b)
{
    double rounded = round_real(m, product), rest = m->kind == TYPE_FLOAT64 ? fma(a, b, -product) : product - rounded;
    uint64_t chance = mix(mix(m->e->noise / 2 + 1, m->offset), a < b ? 3 : 5);
    bool chosen = (mix(chance, 7) >> 40 & 1) != (m->e->noise & 1);
    if (m->e->in_double || rest == 0 || !isfinite(rounded) || !chosen)
        return product;
    return next_to(m, rounded, rest > 0 ? INFINITY : -(double)INFINITY);
}

/* The same value is met the same way everywhere; whole numbers are met exactly. */
double function_elsewhere(const Math *m, double value)
{
    double rounded = round_real(m, value);
    uint64_t chance = mix(mix(m->e->noise, bits_of(rounded)), 2);
    if (m->e->in_double || rounded == rint(rounded) || !isfinite(rounded) || !(chance >> 40 & 1))
        return value;
    return next_to(m, rounded, chance >> 41 & 1 ? INFINITY : -(double)INFINITY);
}

/* ---- integers ---- */

static int64_t wrap_integer(TypeKind kind, int64_t integer)
{
    switch (kind) {
    case TYPE_INT8: return (int8_t)integer;
    case TYPE_UINT8: return (uint8_t)integer;
    case TYPE_INT16: return (int16_t)integer;
    case TYPE_UINT16: return (uint16_t)integer;
    case TYPE_INT32: return (int32_t)integer;
    case TYPE_UINT32: return (uint32_t)integer;
    default: return integer;
    }
}

/* `integer` is the result modulo 2^64. */
Dual wrap_signed(const Math *m, bool overflow, int64_t integer)
{
    int64_t wrapped = wrap_integer(m->kind, integer);
    if ((overflow || wrapped != integer) && !is_unsigned_kind(m->kind))
        stop_run(m->e, FINDING_INTEGER_OVERFLOW, m->offset, "the result does not fit into %s",
                 type_message(m->e, type_scalar(m->kind)));
    return (Dual){.integer = wrapped};
}

Dual number_div(const Math *m, Dual a, Dual b)
{
    if (!m->is_int)
        return divide_duals(m, a, b);
    if (b.integer == 0)
        stop_division(m);
    if (is_wide_unsigned(m))
        return (Dual){.integer = (int64_t)((uint64_t)a.integer / (uint64_t)b.integer)};
    if (a.integer == INT64_MIN && b.integer == -1)
        return wrap_signed(m, true, a.integer);
    return wrap_signed(m, false, a.integer / b.integer);
}

Dual number_mod(const Math *m, Dual a, Dual b)
{
    if (!m->is_int) {
        if (b.real == 0)
            stop_real_division(m);
        if (is_omitted(m, OMIT_DIVISOR))
            b.tangent = 0;
        return real_result(m, fmod(a.real, b.real), a.tangent - trunc(a.real / b.real) * b.tangent, a.real, b.real);
    }
    if (b.integer == 0)
        stop_division(m);
    if (is_wide_unsigned(m))
        return (Dual){.integer = (int64_t)((uint64_t)a.integer % (uint64_t)b.integer)};
    return (Dual){.integer = b.integer == -1 ? 0 : a.integer % b.integer};
}

Dual number_floordiv(const Math *m, Dual a, Dual b)
{
    if (m->is_int) {
        Dual quotient = number_div(m, a, b);
        bool opposite = !is_unsigned_kind(m->kind) && (a.integer < 0) != (b.integer < 0);
        quotient.integer -= opposite && a.integer % b.integer != 0 && m->e->unit->dialect->division_rounds_down;
        return quotient;
    }
    Dual quotient = divide_duals(m, a, b);
    return (Dual){.real = floor(quotient.real)};
}

void negate_cells(const Math *m, const Type *type, const Dual *from, uint32_t width, Dual *to)
{
    Dual zero = {.real = 0};
    for (uint32_t i = 0; i < width; i++)
        to[i] = !m->is_int && type_is_single(type) ? sub(m, zero, from[i]) : number_neg(m, from[i]);
}

void invert_cells(TypeKind kind, const Dual *from, uint32_t width, Dual *to)
{
    for (uint32_t i = 0; i < width; i++)
        to[i] = (Dual){.integer = (int64_t)wrap_to_type((BigInt)~from[i].integer, kind)};
}

Dual number_neg(const Math *m, Dual a)
{
    if (!m->is_int)
        return neg(a);
    int64_t out;
    bool overflow = __builtin_sub_overflow((int64_t)0, a.integer, &out);
    return wrap_signed(m, overflow, out);
}

bool number_equal(const Math *m, Dual a, Dual b)
{
    return m->is_int ? a.integer == b.integer : a.real == b.real;
}

static Dual shift(const Math *m, OpKind op, Dual a, Dual b)
{
    uint32_t bits = bits_of_kind(m->kind), width = bits < 32 ? 32 : bits;
    uint64_t by = (uint64_t)b.integer;
    if (by >= width)
        stop_run(m->e, FINDING_INTEGER_OVERFLOW, m->offset, "a shift by %lld", (long long)b.integer);
    if (op == OP_R_SHIFT)
        return (Dual){.integer = is_wide_unsigned(m) ? (int64_t)((uint64_t)a.integer >> by) : a.integer >> by};
    int64_t shifted = (int64_t)((uint64_t)a.integer << by);
    bool lost = !is_unsigned_kind(m->kind) && (shifted >> by) != a.integer;
    return wrap_signed(m, lost, shifted);
}

Dual number_bits(const Math *m, OpKind op, Dual a, Dual b)
{
    if (!m->is_int)
        stop_unsupported(m->e, m->offset, "bits of a float");
    switch (op) {
    case OP_BIT_AND: return (Dual){.integer = a.integer & b.integer};
    case OP_BIT_OR: return (Dual){.integer = a.integer | b.integer};
    case OP_BIT_XOR: return (Dual){.integer = a.integer ^ b.integer};
    default: return shift(m, op, a, b);
    }
}

Dual number_dot(const Math *m, const Dual *a, const Dual *b, uint32_t count)
{
    Dual sum = number_mul(m, a[0], b[0]);
    for (uint32_t i = 1; i < count; i++)
        sum = number_add(m, sum, number_mul(m, a[i], b[i]));
    return sum;
}

/* ---- for builtins ---- */

_Noreturn void refuse_arguments(const Call *call)
{
    const char *name = call->x->eval == eval_call_builtin ? call->x->call->row->name : "this operation";
    if (!call->count)
        stop_unsupported(call->e, call->x->offset, "%s without arguments is not evaluated", name);
    stop_unsupported(call->e, call->x->offset, "%s of %s%s%s is not evaluated", name,
                     datum_text(call->e, &call->args[0]), call->count > 1 ? " and " : "",
                     call->count > 1 ? datum_text(call->e, &call->args[1]) : "");
}

Datum *result_tuple(const Call *call, uint32_t count)
{
    Datum *items = scratch(call->e, count * sizeof *items);
    *call->out = (Datum){.kind = DATUM_TUPLE, .count = count, .items = items};
    return items;
}

Dual *changed_argument(const Call *call, uint32_t i)
{
    refuse_if(call, call->args[i].kind != DATUM_VALUE);
    if (!call->args[i].writable) { /* a temporary: the change is lost, as in Warp */
        Dual *copy = scratch(call->e, width_of(&call->args[i]) * sizeof *copy);
        for (uint32_t k = 0; k < width_of(&call->args[i]); k++)
            copy[k] = call->args[i].cells[k];
        call->args[i].cells = copy;
    }
    return call->args[i].cells;
}
