/* Comparing launches: two evaluators, before and after, other inputs. */
#include "check/check_impl.h"

#include <math.h>
#include <string.h>

bool is_float_array(const LaunchValue *value)
{
    return value->type->kind == TYPE_ARRAY && value->width && type_is_float(value->cell_types[0]);
}

static bool same_bytes(const LaunchValue *a, const LaunchValue *b)
{
    return memcmp(a->cells, b->cells, a->count * a->width * sizeof *a->cells) == 0;
}

static bool same_cell(const LaunchValue *a, size_t i, const LaunchValue *b, size_t k)
{
    return type_is_float(a->cell_types[i % a->width]) ? a->cells[i].real == b->cells[k].real
                                                      : a->cells[i].integer == b->cells[k].integer;
}

/* ---- two evaluators ---- */

double array_scale(const LaunchValue *value)
{
    double scale = 0;
    size_t count = value->count * value->width;
    for (uint32_t k = 0; k < value->width; k++)
        for (size_t i = k; type_is_float(value->cell_types[k]) && i < count; i += value->width)
            if (fabs(value->cells[i].real) > scale)
                scale = fabs(value->cells[i].real);
    return scale;
}

double cell_difference(const LaunchValue *a, const LaunchValue *b, size_t i, double scale)
{
    if (!type_is_float(a->cell_types[i % a->width]))
        return a->cells[i].integer != b->cells[i].integer;
    double left = a->cells[i].real, right = b->cells[i].real;
    if (left == right || (isnan(left) && isnan(right)))
        return 0;
    return fabs(left - right) / fmax(fabs(left), fmax(1e-3 * scale, 1e-6));
}

/* Two floats relative to their own size alone: this is already less, so that their difference is not the largest. */
static bool is_smaller(double left, double right, double largest)
{
    return fabs(left - right) < 0.999 * largest * fabs(left);
}

static void compare_cells(LaunchValue *a, LaunchValue *b, void *user)
{
    double *largest = user, scale = -1; /* not known yet */
    if (a->type->kind != TYPE_ARRAY || !a->count || same_bytes(a, b))
        return;
    bool floats_only = is_float_array(a) && type_canonical(a->type->array.dtype)->kind != TYPE_STRUCT;
    for (size_t i = 0; i < a->count * a->width; i++) {
        if (a->cells[i].integer == b->cells[i].integer) /* the same bits: mostly so, as few threads run */
            continue;
        if (floats_only && is_smaller(a->cells[i].real, b->cells[i].real, *largest))
            continue;
        scale = scale < 0 ? array_scale(a) : scale;
        double error = cell_difference(a, b, i, scale);
        if (error > *largest || isnan(error)) /* once it is NaN it stays so: nothing is larger */
            *largest = error;
    }
}

static void compare_outputs(const LaunchValue *before, LaunchValue *a, LaunchValue *b, double *largest)
{
    for (uint32_t i = 0; i < a->field_count; i++)
        compare_outputs(&before->fields[i], &a->fields[i], &b->fields[i], largest);
    if (a->type->kind == TYPE_ARRAY && a->count && !same_bytes(before, a))
        compare_cells(a, b, largest);
}

double output_difference(const Launch *before, const Launch *a, const Launch *b, double least)
{
    double largest = least;
    for (uint32_t i = 0; i < a->arg_count; i++)
        compare_outputs(&before->args[i], &a->args[i], &b->args[i], &largest);
    return largest;
}

double path_difference(const PathSum *left, const PathSum *right)
{
    if (left->elements != right->elements)
        return 1;
    return fabs(left->numbers - right->numbers) / fmax(1, fabs(left->numbers));
}

double check_difference(const Launch *a, const Launch *b)
{
    double largest = 0;
    launch_visit(a, b, compare_cells, &largest);
    return largest;
}

/* ---- filters ---- */

typedef struct Effects {
    bool written, nonzero, copied_only;
    const Launch *before;
} Effects;

static bool is_copy_of_input(const LaunchValue *after, const Launch *before)
{
    for (uint32_t k = 0; k < before->arg_count; k++) {
        const LaunchValue *input = &before->args[k];
        if (input->type->kind != TYPE_ARRAY || input->count != after->count || input->width != after->width ||
            !types_equal(input->type, after->type))
            continue;
        bool same = true;
        for (size_t i = 0; same && i < after->count * after->width; i++)
            same = same_cell(after, i, input, i);
        if (same)
            return true;
    }
    return false;
}

static void look_for_effects(LaunchValue *before, LaunchValue *after, void *user)
{
    Effects *effects = user;
    bool changed = false;
    if (before->type->kind != TYPE_ARRAY || same_bytes(before, after))
        return;
    for (size_t i = 0; i < before->count * before->width; i++) {
        changed |= !same_cell(before, i, after, i);
        bool zero = type_is_float(after->cell_types[i % after->width]) ? after->cells[i].real == 0
                                                                       : after->cells[i].integer == 0;
        effects->nonzero |= changed && !zero;
    }
    effects->written |= changed;
    if (changed && !is_copy_of_input(after, effects->before))
        effects->copied_only = false;
}

CheckFailure find_degenerate(const Launch *before, const Launch *after)
{
    Effects effects = {.copied_only = true, .before = before};
    launch_visit(before, after, look_for_effects, &effects);
    if (!effects.written)
        return CHECK_NO_OUTPUT;
    if (!effects.nonzero)
        return CHECK_ALL_ZERO;
    return effects.copied_only ? CHECK_COPY : CHECK_OK;
}

/* An array that was written, or one in a struct. */
static bool same_output(const LaunchValue *start, const LaunchValue *x, const LaunchValue *y)
{
    bool output = x->type->kind == TYPE_ARRAY && x->count && !same_bytes(x, start);
    for (size_t k = 0; output && k < x->count * x->width; k++)
        if (!same_cell(x, k, y, k))
            return false;
    for (uint32_t i = 0; i < x->field_count; i++)
        if (!same_output(&start->fields[i], &x->fields[i], &y->fields[i]))
            return false;
    return true;
}

bool same_outputs(const Launch *before, const Launch *a, const Launch *b)
{
    for (uint32_t i = 0; i < a->arg_count; i++)
        if (!same_output(&before->args[i], &a->args[i], &b->args[i]))
            return false;
    return true;
}
