/* Random numbers: Warp's generator, bit for bit. The state is an argument that the call moves on. */
#include "eval/tree/machine.h"

#include <math.h>

static const double FULL_TURN = 2.0 * 3.14159265358979323846;

/* PCG, from Jarzynski and Olano, "Hash Functions for GPU Rendering" (2020). */
uint32_t tree_next_hash(uint32_t state)
{
    uint32_t b = state * 747796405u + 2891336453u;
    uint32_t c = ((b >> ((b >> 28) + 4)) ^ b) * 277803737u;
    return (c >> 22) ^ c;
}

/* A generator at work: `wide` computes in double what floats are made of. */
typedef struct Draw {
    Cell *state;
    bool wide;
} Draw;

#define ROUND(x) (draw->wide ? (double)(x) : (double)(float)(x))
#define CALL(fn, x) (draw->wide ? fn(x) : (double)fn##f((float)(x)))

static Draw draw_from(Machine *m, const Op *op)
{
    return (Draw){VALUE(0), op->out_count && op->outs[0].layout->kinds[0] == CELL_FLOAT64};
}

static uint32_t draw_bits(const Draw *draw)
{
    uint32_t bits = tree_next_hash((uint32_t)draw->state->integer);
    draw->state->integer = bits;
    return bits;
}

static double draw_unit(const Draw *draw)
{
    return (double)(draw_bits(draw) >> 8) * (1.0 / 16777216.0);
}

static double draw_between(const Draw *draw, double low, double high)
{
    double scaled = ROUND(ROUND(high - low) * draw_unit(draw));
    return ROUND(scaled + low);
}

static double draw_angle(const Draw *draw)
{
    return draw_between(draw, 0.0, ROUND(2.0f * (draw->wide ? FULL_TURN / 2 : (double)(float)(FULL_TURN / 2))));
}

/* ---- numbers ---- */

static void run_rand_init(Machine *m, const Op *op)
{
    uint32_t seed = (uint32_t)VALUE(0)->integer;
    if (op->arg_count > 1)
        seed += tree_next_hash((uint32_t)VALUE(1)->integer);
    RESULT(0)->integer = tree_next_hash(seed);
}

static void draw_integer(Machine *m, const Op *op, TypeKind kind)
{
    Draw draw = draw_from(m, op);
    uint32_t bits = draw_bits(&draw);
    if (op->arg_count > 1) {
        uint32_t low = (uint32_t)VALUE(1)->integer, span = (uint32_t)VALUE(2)->integer - low;
        if (!span) {
            tree_fail(m, op, FINDING_DIVISION_BY_ZERO, "a random integer from an empty range");
            return;
        }
        bits = bits % span + low;
    }
    RESULT(0)->integer = tree_wrap(bits, kind);
}

static void run_randi(Machine *m, const Op *op)
{
    draw_integer(m, op, TYPE_INT32);
}

static void run_randu(Machine *m, const Op *op)
{
    draw_integer(m, op, TYPE_UINT32);
}

static void run_randf(Machine *m, const Op *op)
{
    Draw draw = draw_from(m, op);
    RESULT(0)->real = op->arg_count > 1 ? draw_between(&draw, VALUE(1)->real, VALUE(2)->real) : draw_unit(&draw);
}

/* Box and Muller. */
static void run_randn(Machine *m, const Op *op)
{
    Draw chosen = draw_from(m, op), *draw = &chosen;
    double first = ROUND(draw_unit(draw) + (double)5.96e-8f), angle = draw_unit(draw);
    double radius = CALL(sqrt, ROUND(-2.0 * CALL(log, first)));
    double turn = draw->wide ? FULL_TURN : (double)(float)FULL_TURN;
    RESULT(0)->real = ROUND(radius * CALL(cos, ROUND(turn * angle)));
}

static void run_sample_cdf(Machine *m, const Op *op)
{
    Draw draw = draw_from(m, op);
    const TreeArray *cdf = ARRAY_OF(VALUE(1));
    double wanted = draw_unit(&draw);
    int64_t lower = 0, upper = cdf->shape[0].integer - 1;
    if (!cdf->data || cdf->strides[0] < 1) {
        tree_fail(m, op, FINDING_UNSET_VARIABLE, "an array that was never set is used");
        return;
    }
    while (lower < upper) {
        int64_t middle = lower + (upper - lower) / 2;
        if (cdf->data[middle].real < wanted)
            lower = middle + 1;
        else
            upper = middle;
    }
    RESULT(0)->integer = lower;
}

/* ---- Poisson: products for small rates, Hörmann's transformed rejection for large ones ---- */

static float log_gamma(float x)
{
    static const float series[10] = {8.333333333333333e-02f,  -2.777777777777778e-03f, 7.936507936507937e-04f,
                                     -5.952380952380952e-04f, 8.417508417508418e-04f,  -1.917526917526918e-03f,
                                     6.410256410256410e-03f,  -2.955065359477124e-02f, 1.796443723688307e-01f,
                                     -1.39243221690590e+00f};
    if (x == 1.0f || x == 2.0f)
        return 0.0f;
    uint32_t shift = x < 7.0f ? (uint32_t)(7.0f - x) : 0;
    float at = x + (float)shift, inverse_square = (1.0f / at) * (1.0f / at), sum = series[9];
    for (int i = 8; i >= 0; i--)
        sum = sum * inverse_square + series[i];
    float result = sum / at + 0.5f * 1.8378770664093453f + (at - 0.5f) * logf(at) - at;
    for (uint32_t i = 0; x < 7.0f && i < shift; i++) {
        result -= logf(at - 1.0f);
        at -= 1.0f;
    }
    return result;
}

enum { MAX_DRAWS = 100000 };

static uint32_t poisson_by_products(const Draw *draw, float rate)
{
    float limit = expf(-rate), product = 1.0f;
    uint32_t count = 0;
    for (int i = 0; i < MAX_DRAWS; i++) {
        product *= (float)draw_unit(draw);
        if (!(product > limit))
            return count;
        count++;
    }
    return count;
}

static uint32_t poisson_by_rejection(const Draw *draw, float rate, bool not_negative)
{
    float b = 0.931f + 2.53f * sqrtf(rate), a = -0.059f + 0.02483f * b, log_rate = logf(rate);
    float inverse_alpha = 1.1239f + 1.1328f / (b - 3.4f), accept = 0.9277f - 3.6224f / (b - 2.0f);
    for (int i = 0; i < MAX_DRAWS; i++) {
        float u = (float)draw_unit(draw) - 0.5f, v = (float)draw_unit(draw), us = 0.5f - fabsf(u);
        float floored = floorf((2.0f * a / us + b) * u + rate + 0.43f);
        uint32_t k = fabsf(floored) < 9e18f ? (uint32_t)(int64_t)floored : 0;
        if (us >= 0.07f && v <= accept)
            return k;
        if ((not_negative && floored < 0.0f) || (us < 0.013f && v > us))
            continue;
        float left = logf(v) + logf(inverse_alpha) - logf(a / (us * us) + b);
        if (left <= -rate + (float)k * log_rate - log_gamma((float)(k + 1)))
            return k;
    }
    return 0;
}

static void run_poisson(Machine *m, const Op *op)
{
    Draw draw = draw_from(m, op);
    float rate = (float)VALUE(1)->real;
    RESULT(0)->integer = rate >= 10.0f  ? poisson_by_rejection(&draw, rate, m->dialect->poisson_is_not_negative)
                         : rate == 0.0f ? 0
                                        : poisson_by_products(&draw, rate);
}

/* ---- points ---- */

static void put_polar(const Draw *draw, Cell *out, double radius, double angle)
{
    out[0].real = ROUND(radius * CALL(cos, angle));
    out[1].real = ROUND(radius * CALL(sin, angle));
}

static void run_sample_triangle(Machine *m, const Op *op)
{
    Draw chosen = draw_from(m, op), *draw = &chosen;
    double r = CALL(sqrt, draw_unit(draw));
    RESULT(0)[0].real = ROUND(1.0 - r);
    RESULT(0)[1].real = ROUND(draw_unit(draw) * r);
}

static void run_sample_ring(Machine *m, const Op *op)
{
    Draw draw = draw_from(m, op);
    put_polar(&draw, RESULT(0), 1.0, draw_angle(&draw));
}

static void run_sample_disk(Machine *m, const Op *op)
{
    Draw chosen = draw_from(m, op), *draw = &chosen;
    double r = CALL(sqrt, draw_unit(draw));
    put_polar(draw, RESULT(0), r, draw_angle(draw));
}

static void put_spherical(const Draw *draw, Cell *out, double radius, double phi, double theta)
{
    double sine = CALL(sin, phi);
    out[0].real = ROUND(ROUND(radius * CALL(cos, theta)) * sine);
    out[1].real = ROUND(ROUND(radius * CALL(sin, theta)) * sine);
    out[2].real = ROUND(radius * CALL(cos, phi));
}

/* Twice the polar angle's range for a whole sphere. */
static void sample_sphere(Machine *m, const Op *op, double spread, bool solid)
{
    Draw chosen = draw_from(m, op), *draw = &chosen;
    double phi = CALL(acos, ROUND(1.0 - ROUND(spread * draw_unit(draw)))), theta = draw_angle(draw), radius = 1.0;
    if (solid) {
        double base = draw_unit(draw);
        radius = draw->wide ? pow(base, 1.0 / 3.0) : (double)powf((float)base, 1.0f / 3.0f);
    }
    put_spherical(draw, RESULT(0), radius, phi, theta);
}

static void run_sample_sphere(Machine *m, const Op *op)
{
    sample_sphere(m, op, 2.0, true);
}

static void run_sample_sphere_surface(Machine *m, const Op *op)
{
    sample_sphere(m, op, 2.0, false);
}

static void run_sample_hemisphere(Machine *m, const Op *op)
{
    sample_sphere(m, op, 1.0, true);
}

static void run_sample_hemisphere_surface(Machine *m, const Op *op)
{
    sample_sphere(m, op, 1.0, false);
}

static void run_sample_cube(Machine *m, const Op *op)
{
    Draw draw = draw_from(m, op);
    for (uint32_t i = 0; i < op->outs[0].cells; i++)
        RESULT(0)[i].real = draw_unit(&draw) - 0.5;
}

static const TreeRow rows[] = {
#define RANDOM_ROWS
#include "eval/tree/builtin.def"
};

const TreeFamily tree_random_family = {rows, sizeof rows / sizeof *rows};
