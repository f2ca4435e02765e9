/* Inputs that are moved in their last digits: does rounding decide what comes out? */
#include "check/check_impl.h"

void draw_nudges(Nudge *nudge, Rng *rng)
{
    nudge->next = 0;
    for (int i = 0; i < NUDGES; i++) {
        int step = 1 + (int)rng_below(rng, 4);
        nudge->steps[i] = rng_below(rng, 2) ? step : -step;
        nudge->factors[i] = 1 + nudge->steps[i] * 0x1p-52;
    }
}

static double last_place(TypeKind kind)
{
    return kind == TYPE_FLOAT64 ? 0x1p-52 : kind == TYPE_FLOAT32 ? 0x1p-23 : kind == TYPE_FLOAT16 ? 0x1p-10 : 0x1p-7;
}

/* The common case: cells that are all floats, moved as doubles. */
static void nudge_doubles(Nudge *nudge, Cell *cells, size_t count)
{
    _Static_assert(sizeof(Cell) == sizeof(double), "cells are gone through as numbers");
    double *numbers = &cells->real; /* as such, several are multiplied at once */
    for (size_t run; count; count -= run, numbers += run) {
        run = NUDGES - nudge->next < count ? NUDGES - nudge->next : count;
        for (size_t i = 0; i < run; i++)
            numbers[i] *= nudge->factors[nudge->next + i];
        nudge->next = (nudge->next + run) % NUDGES;
    }
}

/* Up or down by some units in the last place. */
static void nudge_value(LaunchValue *value, LaunchValue *same, void *user)
{
    Nudge *nudge = user;
    (void)same;
    if (nudge->in_double && is_float_array(value) && type_is_value(value->type->array.dtype)) {
        nudge_doubles(nudge, value->cells, launch_cell_count(value));
        return;
    }
    for (size_t i = 0; i < launch_cell_count(value); i++) {
        const Type *type = value->cell_types[i % value->width];
        if (!type_is_float(type))
            continue;
        TypeKind kind = nudge->in_double ? TYPE_FLOAT64 : type->kind;
        double moved = value->cells[i].real * (1 + nudge->steps[nudge->next] * last_place(kind));
        value->cells[i].real = round_to_type(moved, kind);
        nudge->next = nudge->next + 1 == NUDGES ? 0 : nudge->next + 1;
    }
}

void nudge_launch(Nudge *nudge, Launch *launch)
{
    launch_visit(launch, launch, nudge_value, nudge);
}
