/* Functions of one or a few floats. */
#include "eval/tree/machine.h"

#include <math.h>

#define TREE_TO_DEGREES 57.29577951308232087679
#define TREE_TO_RADIANS 0.01745329251994329577
#define TREE_2_SQRT_PI 1.1283791670955125738961589031215
#define TREE_SQRT_PI_2 0.88622692545275801364908374167057

/* A first guess, then Halley's method on the tail, which keeps its digits near the ends. */
static double tree_erfinv(double z)
{
    if (!(z > -1.0 && z < 1.0))
        return z == 1.0 ? INFINITY : z == -1.0 ? -INFINITY : NAN;
    if (z == 0.0)
        return z;
    double size = fabs(z), log_term = log1p(-size * size),
           half = 2.0 / (3.14159265358979323846 * 0.147) + log_term / 2.0;
    double x = sqrt(sqrt(half * half - log_term / 0.147) - half);
    for (int i = 0; i < 4; i++) {
        double error = (1.0 - size) - erfc(x); /* = erf(x) - size */
        double slope = TREE_2_SQRT_PI * exp(-x * x);
        double step = error / (slope + x * error);
        x -= isfinite(step) ? step : 0.0;
    }
    return z < 0.0 ? -x : x;
}

static double tree_erfcinv(double x)
{
    return tree_erfinv(1.0 - x);
}

#define TREE_BODY "eval/tree/scalar.inc"
#include "eval/tree/variants.inc"

#define MAP(name)                                                                                                      \
    {                                                                                                                  \
#name, "s", FLOATS(run_##name), FLOATS(adj_##name)                                                             \
    }
#define FLAT(name)                                                                                                     \
    {                                                                                                                  \
#name, "s", FLOATS(run_##name),                                                                                \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }

static const TreeRow rows[] = {
    MAP(sin),
    MAP(cos),
    MAP(tan),
    MAP(asin),
    MAP(acos),
    MAP(atan),
    MAP(sinh),
    MAP(cosh),
    MAP(tanh),
    MAP(exp),
    MAP(log),
    MAP(log2),
    MAP(log10),
    MAP(sqrt),
    MAP(cbrt),
    MAP(erf),
    MAP(erfc),
    MAP(erfinv),
    MAP(erfcinv),
    MAP(degrees),
    MAP(radians),
    FLAT(round),
    FLAT(rint),
    FLAT(trunc),
    FLAT(floor),
    FLAT(ceil),
    FLAT(frac),
    {"atan2", "ss", FLOATS(run_atan2), FLOATS(adj_atan2)},
    {"pow", "ss", FLOATS(run_pow), FLOATS(adj_pow)},
    {"copysign", "ss", FLOATS(run_copysign), FLOATS(adj_copysign)},
    {"smoothstep", "sss", FLOATS(run_smoothstep), FLOATS(adj_smoothstep)},
    {"lerp", "xxs", FLOATS(run_lerp), FLOATS(adj_lerp)},
    {"isfinite", "x", FLOATS(run_isfinite), {0}},
    {"isnan", "x", FLOATS(run_isnan), {0}},
    {"isinf", "x", FLOATS(run_isinf), {0}},
};

const TreeFamily tree_scalar_family = {rows, sizeof rows / sizeof *rows};
