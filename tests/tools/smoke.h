/* Small launches of kernels with any numbers, and sums of what came out: what the evaluators' tools share. */
#ifndef WEFT_TESTS_SMOKE_H
#define WEFT_TESTS_SMOKE_H

#include "eval/launch.h"

#include <math.h>
#include <stdio.h>

/* The launches of a kernel: both modes on ordinary numbers, then some on those at which functions turn, end or jump. */
enum { SMOKE_MODES = 6 };
static inline const char *smoke_mode_name(int mode)
{
    static const char *const names[SMOKE_MODES] = {"rounded", "double", "edges", "edges in double", "small", "far"};
    return names[mode];
}

static inline bool smoke_in_double(int mode)
{
    return mode == 1 || mode == 3;
}

/* Some number for a float of this mode. */
static inline double some_real(int mode, uint32_t draw)
{
    static const double edges[] = {0, 1, -1, 0.5, -0.5, 2, -2, 0.25, -0.0, 3, -1.5, 1e-7, 0.75, -0.125, 100, 1.0000001};
    static const double far[] = {1e4, -1e4, 250, -77.5, 1e-6, -1e-6, 12.25, -12.25,
                                 1e9, 31,   33,  -1e-3, 6.5,  88,    90,    5e-4};
    if (mode == 2 || mode == 3)
        return edges[draw >> 28];
    if (mode == 5)
        return far[draw >> 28];
    if (mode == 4)
        return (draw >> 8) * 0x1p-23 - 1;
    return (draw >> 8) * 0x1p-24 + 0.1;
}

/* Some number for an integer; by value it may be the end of a loop or a place, and stays small. */
static inline int64_t some_integer(int mode, uint32_t draw, const Type *type, bool by_value)
{
    static const int64_t edges[] = {-1, 0, 1, 2, 3, -2, 5, 7, -5, 31, 32, 127, -128, 255, INT32_MAX, INT32_MIN};
    if (type->kind == TYPE_BOOL)
        return draw >> 30 & 1;
    if (mode < 2 || (mode == 4 && by_value))
        return draw >> 30;
    int64_t number = by_value || mode == 4 ? (int64_t)(draw >> 28) - 7 : edges[draw >> 28];
    switch (type->kind) {
    case TYPE_INT8: return (int8_t)number;
    case TYPE_UINT8: return (uint8_t)number;
    case TYPE_INT16: return (int16_t)number;
    case TYPE_UINT16: return (uint16_t)number;
    case TYPE_UINT32: return (uint32_t)number;
    default: return number;
    }
}

static inline void fill_any(Unit *unit, LaunchValue *value, int mode, uint32_t *seed)
{
    for (uint32_t i = 0; i < value->field_count; i++)
        fill_any(unit, &value->fields[i], mode, seed);
    if (value->field_count)
        return;
    size_t cells = value->count * value->width;
    value->tangents = ARENA_ARRAY(unit->arena, double, cells);
    for (size_t i = 0; i < cells; i++) {
        const Type *type = value->cell_types[i % value->width];
        *seed = *seed * 1664525u + 1013904223u;
        if (type_is_float(type)) {
            value->cells[i].real = (double)(float)some_real(mode, *seed);
            value->tangents[i] = mode < 2 ? 1 : 1 + (double)(i % 3);
        } else
            value->cells[i].integer = some_integer(mode, *seed, type, value->type->kind != TYPE_ARRAY);
    }
}

/* What a number adds to a sum: one that is not finite shows, too, and a large one does not hide the others. */
static inline double shown(double number)
{
    return isfinite(number) ? asinh(number) : isnan(number) ? 1234.5 : number > 0 ? 2345.5 : 3456.5;
}

static inline double sum_of_cells(const LaunchValue *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const LaunchValue *value = &values[i];
        sum += sum_of_cells(value->fields, value->field_count);
        for (size_t k = 0; !value->field_count && k < value->count * value->width; k++)
            sum += (type_is_float(value->cell_types[k % value->width]) ? shown(value->cells[k].real)
                                                                       : (double)(value->cells[k].integer % 1000003)) *
                   (double)(1 + k % 5);
    }
    return sum;
}

static inline void print_sum(const char *name, double sum)
{
    if (isfinite(sum))
        printf(",\"%s\":%.9g", name, sum);
    else
        printf(",\"%s\":null", name);
}

/* False: an argument is of a type that launches do not have. */
static inline bool fill_launch_with_any(Unit *unit, const Kernel *kernel, int mode, Launch *launch)
{
    static const uint32_t shape[4] = {7, 5, 4, 3};
    uint32_t seed = 7u + (uint32_t)mode / 2;
    *launch = (Launch){.dim = {mode < 2 ? 3 : 7, 1, 1, 1}, .ndim = 1, .arg_count = kernel->code.param_count};
    launch->args = ARENA_ARRAY(unit->arena, LaunchValue, launch->arg_count);
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        if (!launch_value_init(unit, &launch->args[i], kernel->code.params[i].type, shape))
            return false;
        fill_any(unit, &launch->args[i], mode, &seed);
    }
    return true;
}

#endif
