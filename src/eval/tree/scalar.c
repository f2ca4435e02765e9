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

static const TreeRow rows[] = {
#define SCALAR_ROWS
#include "eval/tree/builtin.def"
};

const TreeFamily tree_scalar_family = {rows, sizeof rows / sizeof *rows};
