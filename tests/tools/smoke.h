/* Small launches of kernels with any numbers, and sums of what came out: what the evaluators' tools share. */
#ifndef WEFT_TESTS_SMOKE_H
#define WEFT_TESTS_SMOKE_H

#include "eval/launch.h"

#include <math.h>
#include <stdio.h>

/* Any numbers will do. */
static inline void fill_any(Unit *unit, LaunchValue *value, uint32_t *seed)
{
    for (uint32_t i = 0; i < value->field_count; i++)
        fill_any(unit, &value->fields[i], seed);
    if (value->field_count)
        return;
    size_t cells = value->count * value->width;
    value->tangents = ARENA_ARRAY(unit->arena, double, cells);
    for (size_t i = 0; i < cells; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        if (type_is_float(value->cell_types[i % value->width])) {
            value->cells[i].real = (double)(float)((*seed >> 8) * 0x1p-24 + 0.1);
            value->tangents[i] = 1;
        } else
            value->cells[i].integer = *seed >> 30 & (value->cell_types[i % value->width]->kind == TYPE_BOOL ? 1 : 3);
    }
}

static inline void print_sum(const char *name, double sum)
{
    if (isfinite(sum))
        printf(",\"%s\":%.9g", name, sum);
    else
        printf(",\"%s\":null", name);
}

/* False: an argument is of a type that launches do not have. */
static inline bool fill_launch_with_any(Unit *unit, const Kernel *kernel, Launch *launch)
{
    static const uint32_t shape[4] = {7, 5, 4, 3};
    uint32_t seed = 7;
    *launch = (Launch){.dim = {3, 1, 1, 1}, .ndim = 1, .arg_count = kernel->code.param_count};
    launch->args = ARENA_ARRAY(unit->arena, LaunchValue, launch->arg_count);
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        if (!launch_value_init(unit, &launch->args[i], kernel->code.params[i].type, shape))
            return false;
        fill_any(unit, &launch->args[i], &seed);
    }
    return true;
}

#endif
