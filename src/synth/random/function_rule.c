/* Where the results of functions lie, and what their arguments must satisfy. */
#include "synth/context.h"

#include <math.h>
#include <string.h>

#define RULE(name) static bool rule_##name(const Expr *a, uint32_t n, Range *r, unsigned *flags)
#define UNUSED ((void)a, (void)n, (void)r, (void)flags)

static double magnitude(Range r)
{
    return fmax(fabs(r.low), fabs(r.high));
}

static bool around_zero(Range r)
{
    return r.low <= 0 && r.high >= 0;
}

static unsigned generic_all(const Expr *a, uint32_t n)
{
    unsigned flags = EXPR_GENERIC;
    for (uint32_t i = 0; i < n; i++)
        flags &= a[i].flags & EXPR_GENERIC ? EXPR_GENERIC : around_zero(a[i].range) ? 0u : EXPR_GENERIC;
    return flags;
}

static bool nonzero(const Expr *a)
{
    return (a->flags & EXPR_GENERIC) || !around_zero(a->range);
}

static Range symmetric(double bound)
{
    return (Range){-bound, bound};
}

static double width(const Expr *a)
{
    return type_is_composite(a->type) ? (double)(a->type->composite.rows * a->type->composite.cols) : 1;
}

static Range times(Range a, Range b)
{
    double p = a.low * b.low, q = a.low * b.high, s = a.high * b.low, t = a.high * b.high;
    return (Range){fmin(fmin(p, q), fmin(s, t)), fmax(fmax(p, q), fmax(s, t))};
}

/* ---- scalars ---- */

/* Functions of one variable that only rise or only fall: their ends are those of their argument. */
typedef struct Curve {
    const char *name;
    double (*value)(double);
    double low, high; /* its domain here: away from poles and overflow */
} Curve;

static double degrees_of(double x)
{
    return x * 57.29577951308232;
}

static double radians_of(double x)
{
    return x / 57.29577951308232;
}

static double erfinv_bound(double x)
{
    return x >= 0 ? 4.0 * x : -4.0 * -x; /* no tighter bound is needed */
}

static double erfcinv_bound(double x)
{
    return 4.0 * (1.0 - x);
}

static const Curve curves[] = {
    {"tan", tan, -1.4, 1.4},
    {"asin", asin, -0.999, 0.999},
    {"acos", acos, -0.999, 0.999},
    {"atan", atan, -1e6, 1e6},
    {"sinh", sinh, -8, 8},
    {"tanh", tanh, -1e3, 1e3},
    {"degrees", degrees_of, -1e4, 1e4},
    {"radians", radians_of, -1e6, 1e6},
    {"exp", exp, -60, 11},
    {"log", log, 1e-7, 1e9},
    {"log2", log2, 1e-7, 1e9},
    {"log10", log10, 1e-7, 1e9},
    {"sqrt", sqrt, 0, 1e9},
    {"cbrt", cbrt, 1e-6, 1e6},
    {"erf", erf, -6, 6},
    {"erfc", erfc, -6, 6},
    {"erfinv", erfinv_bound, -0.99, 0.99},
    {"erfcinv", erfcinv_bound, 0.01, 1.99},
};

static bool curve_range(const char *name, const Expr *a, Range *r, unsigned *flags)
{
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        const Curve *curve = &curves[i];
        if (!same_text(curve->name, name))
            continue;
        if (a->range.low < curve->low || a->range.high > curve->high)
            return false;
        if (curve->value == sqrt && a->range.low <= 0 && !(a->flags & EXPR_GENERIC))
            return false; /* its slope at zero is infinite */
        double p = curve->value(a->range.low), q = curve->value(a->range.high);
        *r = (Range){fmin(p, q), fmax(p, q)};
        *flags = a->flags & EXPR_GENERIC;
        return true;
    }
    return false;
}

#define CURVE(name)                                                                                                    \
    static bool rule_##name(const Expr *a, uint32_t n, Range *r, unsigned *flags)                                      \
    {                                                                                                                  \
        (void)n;                                                                                                       \
        return curve_range(#name, a, r, flags);                                                                        \
    }
CURVE(tan)
CURVE(asin)
CURVE(acos)
CURVE(atan)
CURVE(sinh)
CURVE(tanh)
CURVE(degrees)
CURVE(radians)
CURVE(exp)
CURVE(log)
CURVE(log2)
CURVE(log10)
CURVE(sqrt)
CURVE(cbrt)
CURVE(erf)
CURVE(erfc)
CURVE(erfinv)
CURVE(erfcinv)

RULE(refuse)
{
    return UNUSED, false;
}

RULE(wave)
{
    (void)n;
    *r = (Range){-1, 1};
    *flags = a->flags & EXPR_GENERIC;
    return magnitude(a->range) < 1e4;
}

RULE(angle)
{
    *r = symmetric(3.1416);
    *flags = generic_all(a, n);
    return nonzero(&a[0]) && nonzero(&a[1]);
}

RULE(even) /* cosh */
{
    (void)n;
    (void)flags;
    *r = (Range){1, cosh(magnitude(a->range))};
    return magnitude(a->range) < 8;
}

RULE(power)
{
    (void)n;
    if (a[0].range.low < 1e-3 || a[0].range.high > 1e4 || magnitude(a[1].range) > 6)
        return false;
    double p = pow(a[0].range.low, a[1].range.low), q = pow(a[0].range.low, a[1].range.high);
    double s = pow(a[0].range.high, a[1].range.low), t = pow(a[0].range.high, a[1].range.high);
    *r = (Range){fmin(fmin(p, q), fmin(s, t)), fmax(fmax(p, q), fmax(s, t))};
    *flags = EXPR_GENERIC;
    return r->high < 1e9;
}

RULE(flat)
{
    (void)n;
    (void)flags;
    *r = (Range){floor(a->range.low), ceil(a->range.high)};
    return r->high - r->low >= 2;
}

RULE(copysign)
{
    (void)n;
    *r = symmetric(magnitude(a->range));
    *flags = a->flags & EXPR_GENERIC;
    return around_zero(a[1].range) && nonzero(&a[1]);
}

RULE(step)
{
    (void)n;
    (void)flags;
    *r = (Range){0, 1};
    return around_zero(a->range);
}

RULE(sign)
{
    (void)n;
    (void)flags;
    *r = (Range){-1, 1};
    return around_zero(a->range);
}

RULE(abs)
{
    (void)n;
    *r = (Range){around_zero(a->range) ? 0 : fmin(fabs(a->range.low), fabs(a->range.high)), magnitude(a->range)};
    *flags = a->flags & EXPR_GENERIC;
    return a->range.low < 0;
}

static bool overlap(Range a, Range b)
{
    return a.low < b.high && b.low < a.high;
}

RULE(min)
{
    (void)n;
    (void)flags;
    *r = (Range){fmin(a[0].range.low, a[1].range.low), fmin(a[0].range.high, a[1].range.high)};
    *flags = a[0].flags & a[1].flags & EXPR_GENERIC;
    return !same_tree(a[0].node, a[1].node) && (overlap(a[0].range, a[1].range) || overlap(a[1].range, a[0].range));
}

RULE(max)
{
    (void)n;
    *r = (Range){fmax(a[0].range.low, a[1].range.low), fmax(a[0].range.high, a[1].range.high)};
    *flags = a[0].flags & a[1].flags & EXPR_GENERIC;
    return !same_tree(a[0].node, a[1].node) && (overlap(a[0].range, a[1].range) || overlap(a[1].range, a[0].range));
}

RULE(same)
{
    *r = a->range;
    for (uint32_t i = 1; i < n; i++)
        *r = (Range){fmin(r->low, a[i].range.low), fmax(r->high, a[i].range.high)};
    *flags = generic_all(a, n);
    return true;
}

RULE(clamp)
{
    (void)n;
    (void)flags;
    if (!(a[1].range.high < a[2].range.low))
        return false;
    *r = (Range){fmax(a[0].range.low, a[1].range.low), fmin(a[0].range.high, a[2].range.high)};
    return (a[0].range.low < a[1].range.low || a[0].range.high > a[2].range.high) && r->low < r->high &&
           overlap(a[0].range, (Range){a[1].range.low, a[2].range.high});
}

RULE(smoothstep)
{
    (void)n;
    (void)flags;
    *r = (Range){0, 1};
    return a[0].range.high < a[1].range.low && overlap(a[2].range, (Range){a[0].range.low, a[1].range.high});
}

RULE(lerp)
{
    (void)n;
    if (same_tree(a[0].node, a[1].node) || a[2].range.low < -0.01 || a[2].range.high > 1.01)
        return false;
    *r = (Range){fmin(a[0].range.low, a[1].range.low), fmax(a[0].range.high, a[1].range.high)};
    *flags = (a[0].flags | a[1].flags) & EXPR_GENERIC;
    return true;
}

RULE(truth)
{
    UNUSED;
    *r = (Range){0, 1};
    return true;
}

RULE(add)
{
    (void)n;
    *r = (Range){a[0].range.low + a[1].range.low, a[0].range.high + a[1].range.high};
    *flags = (a[0].flags | a[1].flags) & EXPR_GENERIC;
    return true;
}

RULE(sub)
{
    (void)n;
    *r = (Range){a[0].range.low - a[1].range.high, a[0].range.high - a[1].range.low};
    *flags = a[0].array == a[1].array ? 0 : (a[0].flags | a[1].flags) & EXPR_GENERIC;
    return !same_tree(a[0].node, a[1].node);
}

RULE(mul)
{
    *r = times(a[0].range, a[1].range);
    *flags = generic_all(a, n);
    return true;
}

RULE(scale)
{
    return rule_mul(a, n, r, flags);
}

RULE(div)
{
    if (around_zero(a[1].range) || same_tree(a[0].node, a[1].node))
        return false;
    *r = times(a[0].range, (Range){1 / a[1].range.high, 1 / a[1].range.low});
    *flags = generic_all(a, n);
    return true;
}

RULE(mod)
{
    (void)n;
    (void)flags;
    *r = (Range){0, a[1].range.high - (type_is_int(a[1].type) ? 1 : 0)};
    return a[0].range.low >= 0 && a[1].range.low > 0 && a[0].range.high > a[1].range.low;
}

RULE(bits)
{
    (void)n;
    (void)flags;
    *r = (Range){0, exp2(ceil(log2(fmax(a[0].range.high, a[1].range.high) + 1))) - 1};
    return a[0].range.low >= 0 && a[1].range.low >= 0 && !same_tree(a[0].node, a[1].node);
}

RULE(floordiv)
{
    (void)n;
    (void)flags;
    *r = (Range){0, a[0].range.high / a[1].range.low};
    return a[0].range.low >= 0 && a[1].range.low > 0 && a[0].range.high > a[1].range.low;
}

RULE(neg)
{
    (void)n;
    *r = (Range){-a->range.high, -a->range.low};
    *flags = a->flags & EXPR_GENERIC;
    return true;
}

/* ---- vectors and matrices ---- */

RULE(dot)
{
    Range p = times(a[0].range, a[1].range);
    if (same_tree(a[0].node, a[1].node))
        p.low = around_zero(a[0].range) ? 0 : fmin(a[0].range.low * a[0].range.low, a[0].range.high * a[0].range.high);
    *r = (Range){width(a) * p.low, width(a) * p.high};
    if (a[0].flags & a[1].flags & EXPR_UNIT)
        *r = (Range){-1, 1};
    *flags = generic_all(a, n);
    return true;
}

RULE(ddot)
{
    return rule_dot(a, n, r, flags);
}

RULE(cross)
{
    *r = symmetric(2 * magnitude(times(a[0].range, a[1].range)));
    *flags = generic_all(a, n);
    return !same_tree(a[0].node, a[1].node);
}

RULE(outer)
{
    return rule_mul(a, n, r, flags);
}

RULE(negated)
{
    (void)n;
    (void)flags;
    *r = symmetric(magnitude(a->range));
    return true;
}

RULE(length)
{
    (void)n;
    double near = around_zero(a->range) ? 0 : fmin(fabs(a->range.low), fabs(a->range.high));
    *r = (Range){sqrt(width(a)) * near, sqrt(width(a)) * magnitude(a->range)};
    *flags = a->flags & EXPR_GENERIC;
    return !(a->flags & EXPR_UNIT);
}

RULE(length_sq)
{
    if (!rule_length(a, n, r, flags))
        return false;
    *r = (Range){r->low * r->low, r->high * r->high};
    return true;
}

RULE(normalize)
{
    (void)n;
    *r = (Range){-1, 1};
    *flags = EXPR_GENERIC | EXPR_UNIT;
    return nonzero(a) && !(a->flags & EXPR_UNIT) && magnitude(a->range) > 1e-6;
}

RULE(argument)
{
    (void)n;
    (void)flags;
    *r = (Range){0, width(a) - 1};
    return true;
}

RULE(trace)
{
    (void)n;
    *r = (Range){a->range.low * a->type->composite.rows, a->range.high * a->type->composite.rows};
    *flags = a->flags & EXPR_GENERIC;
    return true;
}

RULE(diag)
{
    (void)n;
    (void)flags;
    *r = (Range){fmin(0, a->range.low), fmax(0, a->range.high)};
    return true;
}

RULE(determinant)
{
    (void)n;
    double m = magnitude(a->range);
    static const double terms[] = {0, 1, 2, 6, 24};
    *r = symmetric(terms[a->type->composite.rows] * pow(m, a->type->composite.rows));
    *flags = a->flags & EXPR_GENERIC;
    return true;
}

/* A matrix is only inverted where a category has seen to it that it can be: there it says so by a range. */
RULE(inverse)
{
    (void)n;
    *r = symmetric(1e3);
    *flags = EXPR_GENERIC;
    return (a->flags & EXPR_GENERIC) != 0;
}

/* ---- rotations ---- */

RULE(unit)
{
    (void)n;
    *r = (Range){-1, 1};
    *flags = EXPR_GENERIC | (a[0].flags & EXPR_UNIT || is_real(a[0].type) ? EXPR_UNIT : 0u);
    for (uint32_t i = 0; i < n; i++)
        if (magnitude(a[i].range) > 100)
            return false;
    return is_real(a[0].type) || (a[0].flags & EXPR_UNIT);
}

RULE(rotation_matrix)
{
    (void)n;
    *r = a->flags & EXPR_UNIT ? (Range){-1, 1} : symmetric(1 + 4 * magnitude(a->range) * magnitude(a->range));
    *flags = a->flags & EXPR_GENERIC;
    return true;
}

RULE(from_rotation)
{
    (void)n;
    *r = (Range){-1, 1};
    *flags = a->flags & EXPR_GENERIC;
    return magnitude(a->range) <= 1; /* a rotation matrix, as categories make them */
}

RULE(conjugate)
{
    (void)n;
    *r = symmetric(magnitude(a->range));
    *flags = a->flags & (EXPR_GENERIC | EXPR_UNIT);
    return true;
}

static Range rotated(const Expr *q, const Expr *v)
{
    double m = sqrt(3) * magnitude(v->range), scale = magnitude(q->range);
    return symmetric(q->flags & EXPR_UNIT ? m : m * (1 + 12 * scale * scale));
}

RULE(rotate)
{
    *r = rotated(&a[0], &a[1]);
    *flags = generic_all(a, n) | (a[0].flags & a[1].flags & EXPR_UNIT);
    return true;
}

RULE(slerp)
{
    (void)n;
    *r = symmetric(1.001);
    *flags = EXPR_GENERIC;
    return (a[0].flags & a[1].flags & EXPR_UNIT) && !same_tree(a[0].node, a[1].node) && a[2].range.low >= 0 &&
           a[2].range.high <= 1;
}

RULE(rigid)
{
    *r = symmetric(fmax(magnitude(a[0].range), magnitude(a[1].range)));
    *flags = generic_all(a, n) | (n > 1 ? a[1].flags & EXPR_UNIT : 0);
    return true;
}

RULE(translation)
{
    (void)n;
    *r = a->range;
    *flags = a->flags & EXPR_GENERIC;
    return true;
}

RULE(get_rotation)
{
    (void)n;
    *r = a->flags & EXPR_UNIT ? symmetric(1) : symmetric(fmin(1, magnitude(a->range)));
    *flags = a->flags & (EXPR_GENERIC | EXPR_UNIT);
    return true;
}

RULE(compose)
{
    double m = magnitude(a[0].range);
    double factor = a[0].flags & EXPR_UNIT ? 2 : 1 + 12 * fmin(1, m * m);
    double other = n > 1 ? magnitude(a[1].range) : m;
    *r = symmetric(m + factor * sqrt(3) * other);
    *flags = generic_all(a, n) | (n > 1 ? a[0].flags & a[1].flags & EXPR_UNIT : a[0].flags & EXPR_UNIT);
    return true;
}

RULE(move)
{
    double m = sqrt(3) * magnitude(a[1].range);
    *r = symmetric(magnitude(a[0].range) + (a[0].flags & EXPR_UNIT ? m : 13 * m));
    *flags = generic_all(a, n);
    return true;
}

RULE(spatial_cross)
{
    *r = symmetric(4 * magnitude(times(a[0].range, a[1].range)));
    *flags = generic_all(a, n);
    return !same_tree(a[0].node, a[1].node);
}

RULE(point_velocity)
{
    *r = symmetric(magnitude(a[0].range) * (1 + 2 * magnitude(a[1].range)));
    *flags = generic_all(a, n);
    return type_scalar_of(a[0].type)->kind == TYPE_FLOAT32; /* it exists in one precision only */
}

RULE(point_twist)
{
    *r = symmetric(magnitude(a[1].range) * 14 * (1 + 4 * magnitude(a[0].range)));
    *flags = generic_all(a, n);
    return type_scalar_of(a[0].type)->kind == TYPE_FLOAT32;
}

/* ---- random numbers ---- */

RULE(state)
{
    UNUSED;
    *r = (Range){0, 4294967295.0};
    return true;
}

RULE(rand_between)
{
    (void)n;
    *r = (Range){a[1].range.low, a[2].range.high - (type_is_int(a[2].type) ? 1 : 0)};
    *flags = EXPR_GENERIC;
    return a[1].range.high < a[2].range.low;
}

RULE(rand_unit)
{
    (void)a, (void)n;
    *r = (Range){0, 1};
    *flags = EXPR_GENERIC;
    return true;
}

RULE(rand_signed)
{
    (void)n;
    *r = (Range){-1.5, 1.5};
    *flags = EXPR_GENERIC;
    for (uint32_t i = 2; i < n; i++)
        if (type_is_int(a[i].type) && a[i].range.low < 1)
            return false;
    return true;
}

RULE(rand_normal)
{
    (void)a, (void)n;
    *r = (Range){-7, 7};
    *flags = EXPR_GENERIC;
    return true;
}

RULE(poisson)
{
    (void)n, (void)flags;
    *r = (Range){0, 200};
    return a[1].range.low > 0 && a[1].range.high <= 20;
}

RULE(cdf)
{
    (void)n, (void)flags;
    *r = (Range){0, a[1].array ? a[1].array->shape[0] : 1};
    return a[1].array && a[1].array->ndim == 1;
}

RULE(curl)
{
    (void)a, (void)n;
    *r = (Range){-12, 12};
    *flags = EXPR_GENERIC;
    return true;
}

RULE(closest)
{
    (void)a, (void)n, (void)flags;
    *r = (Range){0, 100};
    return true;
}

RULE(lower_bound)
{
    (void)n, (void)flags;
    *r = (Range){0, a[0].array ? a[0].array->shape[0] : 1};
    return a[0].array && a[0].array->sorted && a[1].type == a[0].array->dtype;
}

/* ---- the table ---- */

static const Function functions[] = {
#define FUNCTION(name, params, result, rule, weight, names) {name, params, result, names, weight, rule_##rule},
#include "synth/random/functions.def"
#undef FUNCTION
};

_Static_assert(sizeof functions / sizeof *functions <= MAX_FUNCTIONS, "functions.def");

const Function *function_table(uint32_t *count)
{
    *count = sizeof functions / sizeof *functions;
    return functions;
}
