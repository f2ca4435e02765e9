/* Gradient noise in one to four dimensions, its gradient and second derivatives.
 *
 * Every corner of the cell around the point has a random slope; the values of the slopes' planes are blended one
 * dimension after the other. All is computed in double and rounded once. */
#include "eval/tree/machine.h"

#include <math.h>
#include <string.h>

enum { MAX_DIMS = 4 };

/* A scalar field at a point: value, gradient, Hessian. */
typedef struct Field {
    double value, slope[MAX_DIMS], curve[MAX_DIMS][MAX_DIMS];
} Field;

typedef struct NoiseCell {
    int64_t low[MAX_DIMS], high[MAX_DIMS]; /* the corners' coordinates */
    double at[MAX_DIMS];                   /* where the point is between them */
    int dims;
} NoiseCell;

static uint32_t hash_bits(uint32_t state)
{
    uint32_t b = state * 747796405u + 2891336453u;
    uint32_t c = ((b >> ((b >> 28) + 4)) ^ b) * 277803737u;
    return (c >> 22) ^ c;
}

static double next_unit(uint32_t *state)
{
    *state = hash_bits(*state);
    return (double)(*state >> 8) * (1.0 / 16777216.0);
}

static void random_slope(uint32_t state, const int64_t *corner, int dims, double *out)
{
    static const uint32_t primes[MAX_DIMS] = {73856093u, 19349663u, 53471161u, 10000019u};
    uint32_t seed = 0;
    for (int i = 0; i < dims; i++) {
        uint32_t term = (uint32_t)corner[i] * primes[i];
        seed ^= i == dims - 1 ? term + state : term;
    }
    if (dims == 1) {
        out[0] = 2.0 * next_unit(&seed) - 1.0;
        return;
    }
    double square = 0.0;
    for (int i = 0; i < dims; i++) {
        out[i] = next_unit(&seed) - 0.5;
        square += out[i] * out[i];
    }
    double length = sqrt(square);
    for (int i = 0; i < dims; i++)
        out[i] = length > 0.0 ? out[i] / length : 0.0;
}

static Field corner_field(uint32_t state, const NoiseCell *cell, unsigned corner)
{
    Field out = {0};
    int64_t at[MAX_DIMS];
    for (int i = 0; i < cell->dims; i++)
        at[i] = corner >> i & 1 ? cell->high[i] : cell->low[i];
    random_slope(state, at, cell->dims, out.slope);
    for (int i = 0; i < cell->dims; i++)
        out.value += (cell->at[i] - (double)(corner >> i & 1)) * out.slope[i];
    return out;
}

/* a0 + (a1 - a0)·S(t) along one axis, with S the quintic step. */
static Field blend(const Field *a0, const Field *a1, const NoiseCell *cell, int axis)
{
    double t = cell->at[axis];
    double s = t * t * t * (t * (t * 6.0 - 15.0) + 10.0), s1 = 30.0 * t * t * (t * (t - 2.0) + 1.0);
    double s2 = 60.0 * t * (t * (t * 2.0 - 3.0) + 1.0), step = a1->value - a0->value;
    Field out = {.value = step * s + a0->value};
    for (int i = 0; i < cell->dims; i++) {
        double slope_step = a1->slope[i] - a0->slope[i];
        out.slope[i] = slope_step * s + a0->slope[i] + (i == axis ? step * s1 : 0.0);
        for (int j = 0; j < cell->dims; j++) {
            double other = a1->slope[j] - a0->slope[j];
            out.curve[i][j] = (a1->curve[i][j] - a0->curve[i][j]) * s + a0->curve[i][j];
            out.curve[i][j] += (i == axis ? s1 * other : 0.0) + (j == axis ? s1 * slope_step : 0.0);
            out.curve[i][j] += i == axis && j == axis ? step * s2 : 0.0;
        }
    }
    return out;
}

static Field noise_in(uint32_t state, const NoiseCell *cell)
{
    Field fields[1 << MAX_DIMS];
    unsigned count = 1u << cell->dims;
    for (unsigned i = 0; i < count; i++)
        fields[i] = corner_field(state, cell, i);
    for (int axis = 0; axis < cell->dims; axis++) {
        count /= 2;
        for (unsigned i = 0; i < count; i++)
            fields[i] = blend(&fields[2 * i], &fields[2 * i + 1], cell, axis);
    }
    return fields[0];
}

static int64_t floor_of(double x)
{
    double low = floor(x);
    return low >= -2147483648.0 && low < 2147483648.0 ? (int64_t)low : INT32_MIN;
}

static NoiseCell cell_around(const double *point, int dims)
{
    NoiseCell cell = {.dims = dims};
    for (int i = 0; i < dims; i++) {
        cell.at[i] = point[i] - floor(point[i]);
        cell.low[i] = floor_of(point[i]);
        cell.high[i] = tree_wrap(cell.low[i] + 1, TYPE_INT32);
    }
    return cell;
}

/* ---- noise, pnoise ---- */

static bool noise_of(Machine *m, const Op *op, bool periodic, Field *out)
{
    double point[MAX_DIMS] = {0};
    int dims = (int)op->args[1].cells;
    for (int i = 0; i < dims && i < MAX_DIMS; i++)
        point[i] = VALUE(1)[i].real;
    NoiseCell cell = cell_around(point, dims);
    for (int i = 0; periodic && i < dims; i++) {
        int64_t period = (int32_t)VALUE(2 + i)->integer;
        if (period == 0) {
            tree_fail(m, op, FINDING_DIVISION_BY_ZERO, "the period of noise is zero");
            return false;
        }
        cell.low[i] %= period;
        cell.high[i] = (cell.low[i] + 1) % period;
    }
    *out = noise_in((uint32_t)VALUE(0)->integer, &cell);
    return true;
}

static void run(Machine *m, const Op *op, bool periodic)
{
    Field field;
    if (noise_of(m, op, periodic, &field))
        RESULT(0)->real = tree_round(field.value, op->outs[0].layout->kinds[0]);
}

static void adj(Machine *m, const Op *op, bool periodic)
{
    Field field;
    CellKind kind = op->args[1].layout->kinds[0];
    if (!noise_of(m, op, periodic, &field))
        return;
    for (uint32_t i = 0; i < op->args[1].cells; i++)
        ADJOINT(1)
    [i].real = tree_round(ADJOINT(1)[i].real + tree_round(field.slope[i] * ADJ_RESULT(0)->real, kind), kind);
}

static void run_noise(Machine *m, const Op *op)
{
    run(m, op, false);
}

static void adj_noise(Machine *m, const Op *op)
{
    adj(m, op, false);
}

static void run_pnoise(Machine *m, const Op *op)
{
    run(m, op, true);
}

static void adj_pnoise(Machine *m, const Op *op)
{
    adj(m, op, true);
}

/* ---- curl noise: the curl of one field (2D) or three, summed over octaves ---- */

enum { MAX_OCTAVES = 64 };

typedef struct Curl {
    double out[3], back[3][MAX_DIMS]; /* back: how each component moves with each coordinate */
} Curl;

static void add_curl(Curl *sum, const Field *f, int dims, double amplitude, double frequency)
{
    if (dims == 2) {
        sum->out[0] -= amplitude * f[0].slope[1];
        sum->out[1] += amplitude * f[0].slope[0];
    } else {
        sum->out[0] += amplitude * (f[2].slope[1] - f[1].slope[2]);
        sum->out[1] += amplitude * (f[0].slope[2] - f[2].slope[0]);
        sum->out[2] += amplitude * (f[1].slope[0] - f[0].slope[1]);
    }
    for (int c = 0; c < dims; c++) {
        double k = amplitude * frequency;
        sum->back[0][c] += k * (dims == 2 ? -f[0].curve[1][c] : f[2].curve[1][c] - f[1].curve[2][c]);
        sum->back[1][c] += k * (dims == 2 ? f[0].curve[0][c] : f[0].curve[2][c] - f[2].curve[0][c]);
        sum->back[2][c] += dims == 2 ? 0.0 : k * (f[1].curve[0][c] - f[0].curve[1][c]);
    }
}

static Curl curl_of(Machine *m, const Op *op)
{
    int dims = (int)op->args[1].cells;
    uint32_t state = (uint32_t)VALUE(0)->integer;
    int64_t octaves = VALUE(2)->integer;
    CellKind kind = op->args[1].layout->kinds[0];
    double lacunarity = VALUE(3)->real, gain = VALUE(4)->real, amplitude = 1.0, frequency = 1.0;
    Curl sum = {0};
    for (int64_t i = 0; i < octaves && i < MAX_OCTAVES; i++) {
        double point[MAX_DIMS] = {0};
        Field fields[3];
        for (int k = 0; k < dims; k++)
            point[k] = tree_round(frequency * VALUE(1)[k].real, kind);
        NoiseCell cell = cell_around(point, dims);
        fields[0] = noise_in(state, &cell);
        if (dims > 2) {
            state = hash_bits(state + hash_bits(10019689u));
            fields[1] = noise_in(state, &cell);
            state = hash_bits(state + hash_bits(13112221u));
            fields[2] = noise_in(state, &cell);
        }
        add_curl(&sum, fields, dims, amplitude, frequency);
        amplitude = tree_round(amplitude * gain, kind);
        frequency = tree_round(frequency * lacunarity, kind);
    }
    return sum;
}

static void run_curlnoise(Machine *m, const Op *op)
{
    Curl curl = curl_of(m, op);
    for (uint32_t i = 0; i < op->outs[0].cells; i++)
        RESULT(0)[i].real = tree_round(curl.out[i], op->outs[0].layout->kinds[i]);
}

static void adj_curlnoise(Machine *m, const Op *op)
{
    Curl curl = curl_of(m, op);
    CellKind kind = op->args[1].layout->kinds[0];
    for (uint32_t c = 0; c < op->args[1].cells; c++) {
        double sum = 0.0;
        for (uint32_t i = 0; i < op->outs[0].cells; i++)
            sum += curl.back[i][c] * ADJ_RESULT(0)[i].real;
        ADJOINT(1)[c].real = tree_round(ADJOINT(1)[c].real + sum, kind);
    }
}

static const TreeRow rows[] = {
#define NOISE_ROWS
#include "eval/tree/builtin.def"
};

const TreeFamily tree_noise_family = {rows, sizeof rows / sizeof *rows};
