/* Builtins: operators, scalar functions and their kin on every component of a vector. */
#include "eval/ast/builtin.h"

#include <string.h>

/* ---- operators ---- */

static Dual add_numbers(const Math *m, Dual a, Dual b)
{
    return number_add(m, a, b);
}
static Dual sub_numbers(const Math *m, Dual a, Dual b)
{
    return number_sub(m, a, b);
}
static Dual mul_numbers(const Math *m, Dual a, Dual b)
{
    return number_mul(m, a, b);
}
static Dual bit_and(const Math *m, Dual a, Dual b)
{
    return number_bits(m, OP_BIT_AND, a, b);
}
static Dual bit_or(const Math *m, Dual a, Dual b)
{
    return number_bits(m, OP_BIT_OR, a, b);
}
static Dual bit_xor(const Math *m, Dual a, Dual b)
{
    return number_bits(m, OP_BIT_XOR, a, b);
}
static Dual shift_left(const Math *m, Dual a, Dual b)
{
    return number_bits(m, OP_L_SHIFT, a, b);
}
static Dual shift_right(const Math *m, Dual a, Dual b)
{
    return number_bits(m, OP_R_SHIFT, a, b);
}

static bool is_integer_power(double y)
{
    return y == trunc(y) && fabs(y) < 1e15;
}

static Dual power(const Math *m, Dual a, Dual b)
{
    if (m->is_int)
        stop_unsupported(m->e, m->offset, "powers of integers");
    if (a.real < 0 && !is_integer_power(b.real))
        stop_undefined(m->e, FINDING_DOMAIN, m->offset, "%g to the power of %g", a.real, b.real);
    if (a.real == 0 && b.real < 0)
        stop_undefined(m->e, FINDING_DIVISION_BY_ZERO, m->offset, "zero to the power of %g", b.real);
    double value = pow(a.real, b.real), tangent = 0;
    if (a.tangent != 0 && b.real != 0)
        tangent += b.real * pow(a.real, b.real - 1) * a.tangent;
    if (b.tangent != 0 && a.real != 0)
        tangent += value * log(fabs(a.real)) * b.tangent;
    value = m->e->noise ? function_elsewhere(m, value) : value;
    return real_result(m, value, tangent, a.real, b.real);
}

static const struct {
    OpKind op;
    NumberFn *function;
    bool scaled;
} operators[] = {
    {OP_ADD, add_numbers, false}, {OP_SUB, sub_numbers, false},           {OP_MULT, mul_numbers, true},
    {OP_DIV, number_div, true},   {OP_FLOOR_DIV, number_floordiv, false}, {OP_MOD, number_mod, false},
    {OP_POW, power, false},       {OP_BIT_AND, bit_and, false},           {OP_BIT_OR, bit_or, false},
    {OP_BIT_XOR, bit_xor, false}, {OP_L_SHIFT, shift_left, false},        {OP_R_SHIFT, shift_right, false},
};

NumberFn *number_operator(OpKind op)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].op == op)
            return operators[i].function;
    return NULL;
}

static _Noreturn void refuse_operator(Evaluator *e, const Expr *x, const Datum *a, const Datum *b)
{
    stop_unsupported(e, x->offset, "this operation on %s and %s is not evaluated", datum_text(e, a), datum_text(e, b));
}

/* A product that is not one of components: matrices, quaternions, transforms. */
static bool product(Evaluator *e, const Expr *x, const Datum *a, const Datum *b, Datum *out)
{
    const Type *ta = a->type, *tb = b->type;
    TypeTable *types = e->unit->types;
    const Type *dtype = type_scalar_of(ta);
    Math m = math_for(e, dtype, x->offset);
    if (ta->kind == TYPE_QUAT && tb->kind == TYPE_QUAT) {
        multiply_quats(&m, a->cells, b->cells, new_datum(e, ta, 4, out));
        return true;
    }
    if (ta->kind == TYPE_TRANSFORM && tb->kind == TYPE_TRANSFORM) {
        multiply_transforms(&m, a->cells, b->cells, new_datum(e, ta, 7, out));
        return true;
    }
    if (ta->kind != TYPE_MAT && tb->kind != TYPE_MAT)
        return false;
    if (type_is_single(ta) || type_is_single(tb))
        return false;
    bool row_vector = ta->kind == TYPE_VEC;
    uint32_t rows = row_vector ? 1 : ta->composite.rows, inner = row_vector ? ta->composite.rows : ta->composite.cols;
    uint32_t cols = tb->kind == TYPE_VEC ? 1 : tb->composite.cols;
    if (inner != tb->composite.rows)
        refuse_operator(e, x, a, b);
    const Type *type = row_vector             ? type_vec(types, cols, dtype)
                       : tb->kind == TYPE_VEC ? type_vec(types, rows, dtype)
                                              : type_mat(types, rows, cols, dtype);
    Dual *cells = new_datum(e, type, rows * cols, out);
    multiply_matrices(&m, a->cells, b->cells, rows, inner, cols, cells);
    if (!m.is_int && a->type->kind == TYPE_MAT && b->type->kind == TYPE_MAT)
        for (uint32_t i = 0; i < rows * cols; i++)
            cells[i].real += 0.0; /* these sums begin with zero, and so never end with -0 */
    return true;
}

/* As plain_result(), for vectors and their kin: sums of two of one type, and products with a number. */
static bool plain_parts(Evaluator *e, const Expr *x, OpKind op, const Datum *a, const Datum *b, Datum *out)
{
    const Type *whole = type_is_composite(a->type) ? a->type : b->type;
    if (!type_is_composite(whole))
        return false;
    const Type *scalar = whole->composite.dtype;
    bool is_sum = a->type == b->type && (op == OP_ADD || op == OP_SUB);
    bool is_scaled = (op == OP_MULT && (a->type == scalar || b->type == scalar)) || (op == OP_DIV && b->type == scalar);
    if ((!is_sum && !is_scaled) || (scalar->kind != TYPE_FLOAT32 && scalar->kind != TYPE_FLOAT64))
        return false;
    Math m = math_for(e, scalar, x->offset);
    uint32_t width = whole->composite.rows * whole->composite.cols;
    Dual *cells = new_datum(e, whole, width, out);
    const Dual *left = a->cells, *right = b->cells;
    if (op == OP_ADD)
        for (uint32_t i = 0; i < width; i++)
            cells[i] = add(&m, left[i], right[i]);
    else if (op == OP_SUB)
        for (uint32_t i = 0; i < width; i++)
            cells[i] = sub(&m, left[i], right[i]);
    else if (op == OP_DIV)
        for (uint32_t i = 0; i < width; i++)
            cells[i] = divide_duals(&m, left[i], right[0]);
    else if (a->type == scalar)
        for (uint32_t i = 0; i < width; i++)
            cells[i] = mul(&m, left[0], right[i]);
    else
        for (uint32_t i = 0; i < width; i++)
            cells[i] = mul(&m, left[i], right[0]);
    return true;
}

void binary_builtin(Evaluator *e, const Expr *x, OpKind op, const Datum *a, const Datum *b, Datum *out)
{
    if (a->kind != DATUM_VALUE || b->kind != DATUM_VALUE)
        refuse_operator(e, x, a, b);
    const Type *ta = a->type, *tb = b->type;
    if (ta == tb && plain_result(e, ta, op, a->cells, b->cells, out))
        return;
    if (ta == tb && type_is_single(ta)) {
        Math m = math_for(e, ta, x->offset);
        Dual p = a->cells[0], q = b->cells[0];
        Dual *cell = new_scalar(e, ta, out);
        switch (op) {
        case OP_ADD: *cell = number_add(&m, p, q); return;
        case OP_SUB: *cell = number_sub(&m, p, q); return;
        case OP_MULT: *cell = number_mul(&m, p, q); return;
        case OP_DIV: *cell = number_div(&m, p, q); return;
        default: break;
        }
    }
    if (plain_parts(e, x, op, a, b, out))
        return;
    if (op == OP_MAT_MULT)
        op = OP_MULT;
    size_t row = 0, rows = sizeof operators / sizeof *operators;
    while (row < rows && operators[row].op != op)
        row++;
    if (row == rows || type_scalar_of(ta)->kind != type_scalar_of(tb)->kind)
        refuse_operator(e, x, a, b);
    if (op == OP_MULT && product(e, x, a, b, out))
        return;
    bool scalar_a = type_is_single(ta), scalar_b = type_is_single(tb);
    uint32_t wa = width_of(a), wb = width_of(b), width = wa > wb ? wa : wb;
    bool components = ta->kind == tb->kind && wa == wb && (!operators[row].scaled || scalar_a);
    bool scaled = operators[row].scaled && scalar_a != scalar_b;
    if (!components && !scaled)
        refuse_operator(e, x, a, b);
    Math m = math_for(e, type_scalar_of(ta), x->offset);
    Dual *cells = new_datum(e, scalar_a ? tb : ta, width, out);
    for (uint32_t i = 0; i < width; i++)
        cells[i] = operators[row].function(&m, a->cells[scalar_a ? 0 : i], b->cells[scalar_b ? 0 : i]);
}

void math_operator(Call *call) /* wp.add(a, b), … */
{
    binary_builtin(call->e, call->x, (OpKind)call->variant, &call->args[0], &call->args[1], call->out);
}

/* ---- functions of one float ---- */

/* Newton's method on erf, from Giles' approximation. */
static double inverse_erf(double y)
{
    double w = -log((1 - y) * (1 + y)), x;
    if (w < 5) {
        w -= 2.5;
        x = 1.50140941 + w * (0.246640727 + w * (-0.00417768164 + w * (-0.00125372503 + w * (0.00021858087))));
    } else {
        w = sqrt(w) - 3;
        x = 2.83297682 + w * (1.00167406 + w * (0.00943887047 + w * (-0.0076224613 + w * 0.00573950773)));
    }
    x *= y;
    for (int i = 0; i < 4; i++)
        x -= (erf(x) - y) / (M_2_SQRTPI * exp(-x * x));
    return x;
}

static Dual bounded(const Math *m, Dual a, int which)
{
    /* Warp clamps the argument of asin and acos. */
    double x = a.real < -1 ? -1 : a.real > 1 ? 1 : a.real;
    double slope = fabs(a.real) < 1 ? 1 / sqrt((1 - x) * (1 + x)) : fabs(a.real) > 1 ? 0 : INFINITY;
    return which == MAP_ASIN ? chain(m, a, asin(x), slope) : chain(m, a, acos(x), -slope);
}

static Dual logarithm(const Math *m, Dual a, int which)
{
    if (a.real <= 0)
        stop_undefined(m->e, FINDING_DOMAIN, m->offset, "logarithm of %g", a.real);
    switch (which) {
    case MAP_LOG: return chain(m, a, log(a.real), 1 / a.real);
    case MAP_LOG2: return chain(m, a, log2(a.real), M_LOG2E / a.real);
    default: return chain(m, a, log10(a.real), M_LOG10E / a.real);
    }
}

static Dual inverse_error(const Math *m, Dual a, int which)
{
    double y = which == MAP_ERFINV ? a.real : 1 - a.real;
    if (fabs(y) >= 1)
        stop_undefined(m->e, FINDING_DOMAIN, m->offset, "inverse error function of %g", a.real);
    double x = inverse_erf(y), slope = exp(x * x) / M_2_SQRTPI;
    return chain(m, a, x, which == MAP_ERFINV ? slope : -slope);
}

static Dual flat(double value)
{
    return (Dual){.real = value};
}

Dual apply_map(const Math *m, int which, Dual a)
{
    double x = a.real, y;
    switch ((enum MapKind)which) {
#define MAP(kind, result)                                                                                              \
    case MAP_##kind:                                                                                                   \
        return result;
#include "eval/ast/map.def"
#undef MAP
    }
    return a;
}

void math_map(Call *call)
{
    refuse_if(call, !is_scalar(&call->args[0]) || !is_float_kind(call->args[0].type->kind));
    Math m = math_of(call);
    result_scalar(call, call->args[0].type, apply_map(&m, call->variant, call->args[0].cells[0]));
}

Dual arc_tangent(const Math *m, Dual y, Dual x)
{
    double square = x.real * x.real + y.real * y.real, tangent = 0;
    if (square > 0)
        tangent = (x.real * y.tangent - y.real * x.tangent) / square;
    double value = atan2(y.real, x.real);
    return real_result(m, m->e->noise ? function_elsewhere(m, value) : value, tangent, y.real, x.real);
}

/* ---- functions of several scalars ---- */

static void same_scalars(const Call *call)
{
    for (uint32_t i = 0; i < call->count; i++)
        refuse_if(call, !is_scalar(&call->args[i]) || !types_equal(call->args[i].type, call->args[0].type));
}

/* Operands of which the result is one. */
static void add_to_trail(const Math *m, const Dual *left, const Dual *right, uint32_t width)
{
    PathSum *path_sum = m->e->run->path_sum;
    for (uint32_t i = 0; path_sum && i < width; i++)
        if (is_float_kind(m->kind))
            path_sum_numbers(path_sum, left[i].real, right[i].real);
        else
            path_sum_numbers(path_sum, (double)left[i].integer, (double)right[i].integer);
}

/* (edge0, edge1, x) */
static Dual smooth_step(const Math *m, Dual a, Dual b, Dual c)
{
    Dual t = divide_duals(m, sub(m, c, a), sub(m, b, a));
    if (t.real <= 0)
        t = number_zero();
    else if (t.real >= 1)
        t = (Dual){.real = 1};
    return mul(m, mul(m, t, t), sub(m, constant_real(m, 3), scale(m, 2, t)));
}

Dual scalar_function(const Math *m, int which, Dual a, Dual b, Dual c)
{
    switch (which) {
    case MATH_ATAN2: return arc_tangent(m, a, b);
    case MATH_POW: return power(m, a, b);
    case MATH_COPYSIGN: {
        double sign = signbit(a.real) == signbit(b.real) ? 1 : -1;
        return (Dual){.real = sign * a.real, .tangent = sign * a.tangent};
    }
    case MATH_CLAMP:
        add_to_trail(m, &a, &b, 1);
        add_to_trail(m, &b, &c, 1);
        return number_min(m, number_max(m, b, a), c);
    default: return smooth_step(m, a, b, c);
    }
}

void math_scalars(Call *call)
{
    same_scalars(call);
    Math m = math_of(call);
    Dual a = call->args[0].cells[0], b = call->count > 1 ? call->args[1].cells[0] : a;
    Dual c = call->count > 2 ? call->args[2].cells[0] : a;
    result_scalar(call, call->args[0].type, scalar_function(&m, call->variant, a, b, c));
}

void math_lerp(Call *call)
{
    const Datum *a = &call->args[0], *b = &call->args[1], *t = &call->args[2];
    refuse_if(call, a->kind != DATUM_VALUE || b->kind != DATUM_VALUE || !types_equal(a->type, b->type) ||
                        !is_scalar(t) || !types_equal(t->type, type_scalar_of(a->type)));
    Math m = math_of(call);
    uint32_t width = width_of(a);
    Dual *out = result_value(call, a->type, width), rest = sub(&m, (Dual){.real = 1}, t->cells[0]);
    for (uint32_t i = 0; i < width; i++)
        out[i] = add(&m, mul(&m, a->cells[i], rest), mul(&m, b->cells[i], t->cells[0]));
}

/* sign, abs, step, nonzero: on every component. */
Dual signed_function(const Math *m, int which, Dual a)
{
    bool negative = m->is_int ? !is_unsigned_kind(m->kind) && a.integer < 0 : a.real < 0;
    bool zero = m->is_int ? a.integer == 0 : a.real == 0;
    int64_t whole = 0;
    switch (which) {
    case MATH_ABS:
        return negative ? number_neg(m, a) : m->is_int ? a : (Dual){.real = fabs(a.real), .tangent = a.tangent};
    case MATH_SIGN: whole = negative ? -1 : 1; break;
    case MATH_STEP: whole = negative; break;
    default: whole = !zero; break;
    }
    return m->is_int ? (Dual){.integer = whole} : (Dual){.real = (double)whole};
}

void math_signed(Call *call)
{
    refuse_if(call, call->args[0].kind != DATUM_VALUE);
    Math m = math_of(call);
    uint32_t width = width_of(&call->args[0]);
    Dual *out = result_value(call, call->args[0].type, width);
    for (uint32_t i = 0; i < width; i++)
        out[i] = signed_function(&m, call->variant, call->args[0].cells[i]);
}

void math_unary(Call *call) /* wp.neg, wp.pos, wp.invert */
{
    refuse_if(call, call->args[0].kind != DATUM_VALUE);
    Math m = math_of(call);
    uint32_t width = width_of(&call->args[0]);
    Dual *out = result_value(call, call->args[0].type, width);
    if (call->variant == OP_U_SUB)
        negate_cells(&m, call->args[0].type, call->args[0].cells, width, out);
    else if (call->variant == OP_INVERT && m.is_int)
        invert_cells(m.kind, call->args[0].cells, width, out);
    else if (call->variant == OP_U_ADD)
        memcpy(out, call->args[0].cells, width * sizeof *out);
    else
        refuse_arguments(call);
}

void math_bit_count(Call *call)
{
    static const int bits[] = {
        [TYPE_INT8] = 8,   [TYPE_UINT8] = 8,   [TYPE_INT16] = 16, [TYPE_UINT16] = 16,
        [TYPE_INT32] = 32, [TYPE_UINT32] = 32, [TYPE_INT64] = 64, [TYPE_UINT64] = 64,
    };
    refuse_if(call, !is_scalar(&call->args[0]) || !type_is_int(call->args[0].type));
    int64_t left = call->args[0].cells[0].integer, count = 0;
    for (int i = 0; i < bits[call->args[0].type->kind]; i++, left >>= 1)
        count += left & 1;
    new_int_datum(call->e, TYPE_INT32, count, call->out);
}

void extreme_cells(const Math *m, int is_max, const Dual *a, const Dual *b, uint32_t width, Dual *out)
{
    add_to_trail(m, a, b, width);
    for (uint32_t i = 0; i < width; i++)
        out[i] = is_max ? number_max(m, a[i], b[i]) : number_min(m, a[i], b[i]);
}

void math_min_max(Call *call)
{
    const Datum *a = &call->args[0];
    refuse_if(call, a->kind != DATUM_VALUE);
    Math m = math_of(call);
    NumberFn *function = call->variant ? number_max : number_min;
    uint32_t width = width_of(a);
    if (call->count == 1) {
        refuse_if(call, a->type->kind != TYPE_VEC);
        Dual best = a->cells[0];
        for (uint32_t i = 1; i < width; i++)
            best = function(&m, best, a->cells[i]);
        result_scalar(call, a->type->composite.dtype, best);
        return;
    }
    refuse_if(call, call->args[1].kind != DATUM_VALUE || !types_equal(call->args[1].type, a->type));
    extreme_cells(&m, call->variant, a->cells, call->args[1].cells, width, result_value(call, a->type, width));
}

void math_classify(Call *call)
{
    refuse_if(call, call->args[0].kind != DATUM_VALUE);
    bool is_float = is_float_kind(type_scalar_of(call->args[0].type)->kind);
    bool all_finite = true, any_nan = false, any_inf = false;
    for (uint32_t i = 0; is_float && i < width_of(&call->args[0]); i++) {
        double x = call->args[0].cells[i].real;
        all_finite &= isfinite(x) != 0;
        any_nan |= isnan(x) != 0;
        any_inf |= isinf(x) != 0;
    }
    new_bool_datum(call->e, call->variant == 0 ? all_finite : call->variant == 1 ? any_nan : any_inf, call->out);
}

void math_not(Call *call)
{
    new_bool_datum(call->e, !datum_truth(call->e, &call->args[0], call->x->offset), call->out);
}

/* wp.float32(x), float(x), wp.bool(x), … reached by name. */
void math_convert(Call *call)
{
    const Type *to = type_scalar((TypeKind)call->variant);
    Passed passed = {.args = call->args, .count = call->count};
    if (wide_literal(call->e, call->x, to, call->out))
        return;
    construct_value(call->e, call->x, to, &passed, call->out);
}
