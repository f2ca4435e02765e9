/* Builtins: gradient noise in one to four dimensions, periodic noise, curl noise.
 *
 * Every corner of the cell around a point has a random gradient; the corners are blended dimension by dimension with
 * a polynomial of degree five. Value and gradient are computed together, both with tangents: curl noise is made of
 * gradients, so its derivative needs those of second order. */
#include "eval/ast/builtin.h"
#include "eval/ast/random.h"

#include <limits.h>

enum { MAX_DIMS = 4, MAX_OCTAVES = 64 };

typedef struct Field {
    Dual value, slope[MAX_DIMS];
} Field;

typedef struct Cell4 { /* the cell around a point */
    uint32_t dims, state;
    int32_t low[MAX_DIMS], high[MAX_DIMS];
    Dual within[MAX_DIMS]; /* 0 … 1 */
    Dual blend[MAX_DIMS], blend_slope[MAX_DIMS];
} Cell4;

static void corner_gradient(const Math *m, const Cell4 *cell, uint32_t corner, Dual *out)
{
    static const uint32_t primes[MAX_DIMS] = {73856093, 19349663, 53471161, 10000019};
    uint32_t index = 0;
    for (uint32_t i = 0; i < cell->dims; i++) {
        uint32_t at = (uint32_t)(corner >> i & 1 ? cell->high[i] : cell->low[i]) * primes[i];
        index ^= i + 1 == cell->dims ? at + cell->state : at;
    }
    Dual state = {.integer = index};
    if (cell->dims == 1) {
        out[0] = sub(m, scale(m, 2, random_float(&state)), (Dual){.real = 1});
        return;
    }
    for (uint32_t i = 0; i < cell->dims; i++)
        out[i] = sub(m, random_float(&state), (Dual){.real = 0.5});
    normalize_cells(m, out, cell->dims, out);
}

static Field corner_field(const Math *m, const Cell4 *cell, uint32_t corner)
{
    Field field = {.value = number_zero()};
    corner_gradient(m, cell, corner, field.slope);
    for (uint32_t i = 0; i < cell->dims; i++) {
        Dual distance = corner >> i & 1 ? sub(m, cell->within[i], (Dual){.real = 1}) : cell->within[i];
        field.value = add(m, field.value, mul(m, distance, field.slope[i]));
    }
    return field;
}

static Field blend_fields(const Math *m, const Cell4 *cell, const Field *a, const Field *b, uint32_t dim)
{
    Field out = {.value = number_zero()};
    Dual rise = sub(m, b->value, a->value);
    out.value = add(m, mul(m, rise, cell->blend[dim]), a->value);
    for (uint32_t i = 0; i < cell->dims; i++) {
        out.slope[i] = mul(m, sub(m, b->slope[i], a->slope[i]), cell->blend[dim]);
        if (i == dim)
            out.slope[i] = add(m, out.slope[i], mul(m, rise, cell->blend_slope[dim]));
        out.slope[i] = add(m, out.slope[i], a->slope[i]);
    }
    return out;
}

static Field cell_field(const Math *m, const Cell4 *cell)
{
    Field fields[1 << MAX_DIMS];
    uint32_t count = 1u << cell->dims;
    for (uint32_t i = 0; i < count; i++)
        fields[i] = corner_field(m, cell, i);
    for (uint32_t dim = 0; dim < cell->dims; dim++) {
        count /= 2;
        for (uint32_t i = 0; i < count; i++)
            fields[i] = blend_fields(m, cell, &fields[2 * i], &fields[2 * i + 1], dim);
    }
    return fields[0];
}

/* 6t⁵ - 15t⁴ + 10t³ and its slope. */
static void set_blend(const Math *m, Dual t, Dual *blend, Dual *slope)
{
    Dual inner = sub(m, scale(m, 6, t), (Dual){.real = 15}), cube = mul(m, mul(m, t, t), t);
    *blend = mul(m, cube, add(m, mul(m, t, inner), (Dual){.real = 10}));
    Dual rest = add(m, mul(m, t, sub(m, t, (Dual){.real = 2})), (Dual){.real = 1});
    *slope = mul(m, scale(m, 30, mul(m, t, t)), rest);
}

static void find_cell(const Math *m, const Dual *point, const int32_t *periods, Cell4 *cell)
{
    for (uint32_t i = 0; i < cell->dims; i++) {
        double base = floor(point[i].real);
        if (!(fabs(base) < 2147483000.0))
            stop_run(m->e, FINDING_INTEGER_OVERFLOW, m->offset, "noise at %g", point[i].real);
        cell->low[i] = (int32_t)base;
        cell->high[i] = (int32_t)base + 1;
        if (periods) {
            if (periods[i] == 0)
                stop_run(m->e, FINDING_DIVISION_BY_ZERO, m->offset, "noise with a period of zero");
            cell->low[i] = periods[i] == -1 ? 0 : cell->low[i] % periods[i];
            cell->high[i] = periods[i] == -1 ? 0 : (cell->low[i] + 1) % periods[i];
        }
        cell->within[i] = sub(m, point[i], (Dual){.real = base});
        set_blend(m, cell->within[i], &cell->blend[i], &cell->blend_slope[i]);
    }
}

static uint32_t point_dims(const Call *call)
{
    const Datum *state = &call->args[0], *point = &call->args[1];
    bool fits = is_scalar(state) && state->type->kind == TYPE_UINT32 && point->kind == DATUM_VALUE &&
                type_scalar_of(point->type)->kind == TYPE_FLOAT32 && (is_scalar(point) || is_vec(point, 0)) &&
                width_of(point) <= MAX_DIMS;
    refuse_if(call, !fits);
    return width_of(point);
}

static Math noise_math(const Call *call)
{
    return math_for(call->e, type_scalar(TYPE_FLOAT32), call->x->offset);
}

void noise_value(Call *call)
{
    Cell4 cell = {.dims = point_dims(call), .state = (uint32_t)call->args[0].cells->integer};
    Math m = noise_math(call);
    find_cell(&m, call->args[1].cells, NULL, &cell);
    result_scalar(call, type_scalar(TYPE_FLOAT32), cell_field(&m, &cell).value);
}

void noise_periodic(Call *call)
{
    Cell4 cell = {.dims = point_dims(call), .state = (uint32_t)call->args[0].cells->integer};
    Math m = noise_math(call);
    int32_t periods[MAX_DIMS] = {1, 1, 1, 1};
    refuse_if(call, call->count != cell.dims + 2);
    for (uint32_t i = 0; i < cell.dims; i++)
        periods[i] = (int32_t)datum_int(call->e, &call->args[i + 2], call->x->offset);
    find_cell(&m, call->args[1].cells, periods, &cell);
    result_scalar(call, type_scalar(TYPE_FLOAT32), cell_field(&m, &cell).value);
}

static Dual real_argument(const Call *call, uint32_t i, double otherwise)
{
    if (i >= call->count || call->args[i].kind == DATUM_NOTHING)
        return (Dual){.real = otherwise};
    refuse_if(call, !is_scalar(&call->args[i]) || call->args[i].type->kind != TYPE_FLOAT32);
    return call->args[i].cells[0];
}

void noise_curl(Call *call)
{
    Cell4 cell = {.dims = point_dims(call), .state = (uint32_t)call->args[0].cells->integer};
    Math m = noise_math(call);
    bool given = call->count > 2 && call->args[2].kind != DATUM_NOTHING;
    int64_t octaves = given ? datum_int(call->e, &call->args[2], call->x->offset) : 1;
    Dual lacunarity = real_argument(call, 3, 2), gain = real_argument(call, 4, 0.5);
    refuse_if(call, cell.dims < 2 || octaves < 0 || octaves > MAX_OCTAVES);
    uint32_t fields = cell.dims == 2 ? 1 : 3, width = cell.dims == 2 ? 2 : 3;
    Dual sums[3][MAX_DIMS], frequency = {.real = 1}, amplitude = {.real = 1};
    for (uint32_t k = 0; k < 12; k++)
        sums[k / 4][k % 4] = number_zero();
    for (int64_t octave = 0; octave < octaves; octave++) {
        static const int32_t offsets[3] = {0, 10019689, 13112221};
        Dual point[MAX_DIMS];
        for (uint32_t i = 0; i < cell.dims; i++)
            point[i] = mul(&m, frequency, call->args[1].cells[i]);
        find_cell(&m, point, NULL, &cell);
        for (uint32_t k = 0; k < fields; k++) {
            if (k)
                cell.state = random_state(cell.state, (uint32_t)offsets[k]);
            Field field = cell_field(&m, &cell);
            for (uint32_t i = 0; i < cell.dims; i++)
                sums[k][i] = add(&m, sums[k][i], mul(&m, amplitude, field.slope[i]));
        }
        amplitude = mul(&m, amplitude, gain);
        frequency = mul(&m, frequency, lacunarity);
    }
    Dual *out = result_value(call, type_vec(call->e->unit->types, width, type_scalar(TYPE_FLOAT32)), width);
    if (cell.dims == 2) {
        out[0] = neg(sums[0][1]);
        out[1] = sums[0][0];
        return;
    }
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = sub(&m, sums[k][j], sums[j][k]);
    }
}
