/* Builtins: Warp's random numbers. The generator is a 32-bit permuted congruential one, so states and integers are
 * exact; floats are made from the upper 24 bits. */
#include "eval/ast/random.h"
#include "eval/ast/builtin.h"

uint32_t random_next(uint32_t state)
{
    uint32_t mixed = state * 747796405u + 2891336453u;
    uint32_t word = ((mixed >> ((mixed >> 28) + 4)) ^ mixed) * 277803737u;
    return (word >> 22) ^ word;
}

uint32_t random_state(uint32_t seed, uint32_t offset)
{
    return random_next(seed + random_next(offset));
}

void random_init(Call *call)
{
    uint32_t seed = (uint32_t)datum_int(call->e, &call->args[0], call->x->offset), state = random_next(seed);
    if (call->count > 1 && call->args[1].kind != DATUM_NOTHING)
        state = random_state(seed, (uint32_t)datum_int(call->e, &call->args[1], call->x->offset));
    new_int_datum(call->e, TYPE_UINT32, state, call->out);
}

/* Moves the state on; the state itself is the random integer. */
static uint32_t draw(Dual *state)
{
    uint32_t next = random_next((uint32_t)state->integer);
    state->integer = next;
    return next;
}

static Dual *state_of(const Call *call)
{
    refuse_if(call, !is_scalar(&call->args[0]) || call->args[0].type->kind != TYPE_UINT32);
    return changed_argument(call, 0);
}

static Math float_math(const Call *call)
{
    return math_for(call->e, type_scalar(TYPE_FLOAT32), call->x->offset);
}

Dual random_float(Dual *state)
{
    return (Dual){.real = (double)(draw(state) >> 8) * 0x1p-24};
}

static Dual draw_between(const Math *m, Dual *state, Dual low, Dual high)
{
    return add(m, mul(m, sub(m, high, low), random_float(state)), low);
}

static Dual draw_angle(const Math *m, Dual *state)
{
    return mul(m, constant_real(m, 2 * M_PI), random_float(state));
}

static void draw_int(const Call *call, Dual *state)
{
    bool is_signed = call->variant == RANDOM_INT;
    TypeKind kind = is_signed ? TYPE_INT32 : TYPE_UINT32;
    uint32_t number = draw(state);
    if (call->count == 1) {
        new_int_datum(call->e, kind, is_signed ? (int64_t)(int32_t)number : (int64_t)number, call->out);
        return;
    }
    refuse_if(call, call->count != 3);
    uint32_t low = (uint32_t)datum_int(call->e, &call->args[1], call->x->offset);
    uint32_t span = (uint32_t)datum_int(call->e, &call->args[2], call->x->offset) - low;
    if (span == 0)
        stop_run(call->e, FINDING_DIVISION_BY_ZERO, call->x->offset, "a random number from an empty range");
    uint32_t out = number % span + low;
    new_int_datum(call->e, kind, is_signed ? (int64_t)(int32_t)out : (int64_t)out, call->out);
}

void random_draw(Call *call)
{
    Dual *state = state_of(call);
    if (call->variant == RANDOM_INT || call->variant == RANDOM_UINT) {
        draw_int(call, state);
        return;
    }
    Math m = float_math(call);
    Dual out;
    if (call->variant == RANDOM_NORMAL) {
        Dual first = add(&m, random_float(state), constant_real(&m, (double)5.96e-8f));
        Dual radius = square_root(&m, scale(&m, -2, apply_map(&m, MAP_LOG, first)));
        out = mul(&m, radius, apply_map(&m, MAP_COS, draw_angle(&m, state)));
    } else if (call->count == 3) {
        refuse_if(call, !is_kind(&call->args[1], TYPE_FLOAT32) || !is_kind(&call->args[2], TYPE_FLOAT32));
        out = draw_between(&m, state, call->args[1].cells[0], call->args[2].cells[0]);
    } else
        out = random_float(state);
    result_scalar(call, type_scalar(TYPE_FLOAT32), out);
}

static void on_sphere(const Math *m, Dual *state, int which, Dual *out)
{
    Dual one = {.real = 1};
    bool half = which == SAMPLE_HEMISPHERE || which == SAMPLE_HEMISPHERE_SURFACE;
    bool inside = which == SAMPLE_SPHERE || which == SAMPLE_HEMISPHERE;
    Dual phi = apply_map(m, MAP_ACOS, sub(m, one, scale(m, half ? 1 : 2, random_float(state))));
    Dual theta = draw_angle(m, state), radius = one;
    if (inside)
        radius = (Dual){.real = round_real(m, cbrt(random_float(state).real))};
    Dual sine = apply_map(m, MAP_SIN, phi);
    out[0] = mul(m, mul(m, radius, apply_map(m, MAP_COS, theta)), sine);
    out[1] = mul(m, mul(m, radius, apply_map(m, MAP_SIN, theta)), sine);
    out[2] = mul(m, radius, apply_map(m, MAP_COS, phi));
}

static void in_plane(const Math *m, Dual *state, int which, Dual *out)
{
    Dual one = {.real = 1}, radius = one;
    if (which != SAMPLE_RING)
        radius = square_root(m, random_float(state));
    if (which == SAMPLE_TRIANGLE) {
        out[0] = sub(m, one, radius);
        out[1] = mul(m, random_float(state), radius);
        return;
    }
    Dual theta = draw_angle(m, state);
    out[0] = mul(m, radius, apply_map(m, MAP_COS, theta));
    out[1] = mul(m, radius, apply_map(m, MAP_SIN, theta));
}

void random_sample(Call *call)
{
    Dual *state = state_of(call);
    Math m = float_math(call);
    int which = call->variant;
    bool flat = which == SAMPLE_TRIANGLE || which == SAMPLE_RING || which == SAMPLE_DISK || which == SAMPLE_SQUARE;
    uint32_t width = flat ? 2 : 3;
    Dual *out = result_value(call, type_vec(call->e->unit->types, width, type_scalar(TYPE_FLOAT32)), width);
    if (which == SAMPLE_SQUARE || which == SAMPLE_CUBE)
        for (uint32_t i = 0; i < width; i++)
            out[i] = sub(&m, random_float(state), (Dual){.real = 0.5});
    else if (flat)
        in_plane(&m, state, which, out);
    else
        on_sphere(&m, state, which, out);
}

/* ---- Poisson: by multiplication where the rate is small, by transformed rejection (Hörmann 1993) where it is not.
 * Always in single precision: the result is an integer, and the number of draws depends on it. */

static float single(Dual *state)
{
    return (float)random_float(state).real;
}

static uint32_t poisson_small(Dual *state, float rate)
{
    float limit = expf(-rate), product = 1;
    uint32_t count = 0;
    for (; count < 10000; count++) {
        product *= single(state);
        if (product <= limit)
            break;
    }
    return count;
}

/* Stirling's series from 7 on, below it by steps of one. Warp sums it in single precision, whose rounding decides for rates above some
 * thousands: so do we, in its order. */
static float log_gamma(float x)
{
    static const float terms[] = {1 / 12.0f,         -1 / 360.0f,        1 / 1260.0f, -1 / 1680.0f,
                                  1 / 1188.0f,       -691 / 360360.0f,   1 / 156.0f,  -3617 / 122400.0f,
                                  43867 / 244188.0f, -174611 / 125400.0f};
    enum { TERMS = sizeof terms / sizeof *terms };
    if (x == 1 || x == 2)
        return 0;
    float at = x < 7 ? x + floorf(7 - x) : x, reciprocal = 1 / at, sum = 0;
    for (int i = TERMS; i-- > 0;)
        sum = sum * (reciprocal * reciprocal) + terms[i];
    sum = sum / at + 0.918938533f + (at - 0.5f) * logf(at) - at;
    for (; at > x; at--)
        sum -= logf(at - 1);
    return sum;
}

static uint32_t poisson_large(Dual *state, float rate)
{
    float root = sqrtf(rate), log_rate = logf(rate), b = 0.931f + 2.53f * root, a = -0.059f + 0.02483f * b;
    float inverse_alpha = 1.1239f + 1.1328f / (b - 3.4f), vr = 0.9277f - 3.6224f / (b - 2.0f);
    for (int tries = 0; tries < 10000; tries++) {
        float u = single(state) - 0.5f, v = single(state), us = 0.5f - fabsf(u);
        float value = floorf((2.0f * a / us + b) * u + rate + 0.43f);
        if (us >= 0.07f && v <= vr && value >= 0)
            return (uint32_t)value;
        if (value < 0 || !(value < 4e9f) || (us < 0.013f && v > us))
            continue;
        if (logf(v) + logf(inverse_alpha) - logf(a / (us * us) + b) <= -rate + value * log_rate - log_gamma(value + 1))
            return (uint32_t)value;
    }
    return 0;
}

void random_poisson(Call *call)
{
    Dual *state = state_of(call);
    refuse_if(call, !is_scalar(&call->args[1]) || !is_float_kind(call->args[1].type->kind));
    float rate = (float)call->args[1].cells[0].real;
    if (!(rate >= 0) || rate > 1e8f)
        stop_run(call->e, FINDING_DOMAIN, call->x->offset, "a Poisson number of rate %g", (double)rate);
    uint32_t number = rate >= 10 ? poisson_large(state, rate) : rate == 0 ? 0 : poisson_small(state, rate);
    new_int_datum(call->e, TYPE_UINT32, number, call->out);
}

void random_cdf(Call *call)
{
    Dual *state = state_of(call);
    refuse_if(call,
              call->args[1].kind != DATUM_ARRAY || call->args[1].arrays->ndim != 1 || !call->args[1].arrays->storage);
    const ArrayView *cdf = call->args[1].arrays;
    double u = random_float(state).real;
    int64_t low = 0, high = (int64_t)cdf->shape[0] - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (read_cell(call->e, cdf, middle, call->x->offset).real < u)
            low = middle + 1;
        else
            high = middle;
    }
    new_int_datum(call->e, TYPE_INT32, low, call->out);
}
