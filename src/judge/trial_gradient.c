/* Gradients: what is expected, and whether an answer's are it. */
#include "judge/referee.h"

#include "base/rng.h"
#include "corpus/launch_rows.h"
#include "eval/ast/eval.h"

#include <math.h>
#include <stdio.h>

enum { STREAM_DIRECTION = 41 };

/* MOST_APART: a number counts if its two precisions differ by at most this share of its size. SLACK and DIGITS: an
 * answer's tolerance, as multiples of that difference and of the last digit. */
static const double MOST_APART = 1e-3, SLACK = 16, DIGITS = 64;

static double weight_of(uint32_t array, size_t cell)
{
    return (double)((array * 7 + cell * 5) % 17) / 8 - 1;
}

static double direction_of(uint32_t array, size_t cell)
{
    Rng rng = rng_at(STREAM_DIRECTION, array, cell);
    return 2 * rng_unit(&rng) - 1;
}

static size_t cell_count(const CudaArray *array)
{
    return array->elements * array->cells;
}

/* A unit in the last place of 1, for numbers of that size in bytes. */
static double last_digit_of(const CudaArray *array)
{
    double bytes = (double)cuda_array_size(array) / (double)cell_count(array);
    return bytes < 3 ? 0x1p-10 : bytes < 6 ? 0x1p-23 : 0x1p-52;
}

static void set_weights(CudaLaunch *launch, LaunchValue **cells)
{
    for (uint32_t i = 0; i < launch->array_count; i++)
        for (size_t c = 0; launch->arrays[i].has_adjoint && c < cell_count(&launch->arrays[i]); c++)
            cuda_set_adjoint(launch, &launch->arrays[i], c, launch_cell_is_real(cells[i], c) ? weight_of(i, c) : 0);
}

bool trial_prepare_gradient(Trial *trial, const Step *step, CudaLaunch *launch)
{
    if (!cuda_run(trial->text, cuda_forward(trial->text), launch, &trial->why))
        return false;
    set_weights(launch, step->cells);
    cuda_rewind(launch);
    return true;
}

/* Forward, then everything ready for the backward kernel. */
static CudaLaunch *prepare(Trial *trial, const Step *step, bool wide)
{
    CudaLaunch *launch = cuda_launch(trial->text, step->example, wide, &trial->why);
    return launch && trial_prepare_gradient(trial, step, launch) ? launch : NULL;
}

/* A number that rounding alone moves that far is not compared: NaN stands for it. */
static bool is_steady(double exact, double rounded)
{
    return fabs(exact - rounded) <= MOST_APART * fmax(1, fabs(exact));
}

/* Computes the expected gradients from the run in double; false: too many depend on rounding. */
static bool compare_runs(Trial *trial, Step *step, const CudaLaunch *own, const CudaLaunch *wide)
{
    size_t compared = 0, left_out = 0;
    for (uint32_t i = 0; i < own->array_count; i++) {
        size_t count = cell_count(&own->arrays[i]);
        double apart = 0, scale = 1;
        if (!own->arrays[i].has_adjoint)
            continue;
        step->gradients[i] = ARENA_ARRAY(trial->arena, double, count);
        for (size_t c = 0; c < count; c++) {
            double exact = cuda_cell(&wide->arrays[i], c, true), rounded = cuda_cell(&own->arrays[i], c, true);
            if (!launch_cell_is_real(step->cells[i], c))
                continue;
            if (!isfinite(exact) || !isfinite(rounded))
                return false;
            compared++;
            left_out += !is_steady(exact, rounded);
            step->gradients[i][c] = is_steady(exact, rounded) ? exact : NAN;
            if (!is_steady(exact, rounded))
                continue;
            apart = fmax(apart, fabs(exact - rounded));
            scale = fmax(scale, fabs(exact));
        }
        step->tolerances[i] = SLACK * apart + DIGITS * last_digit_of(&own->arrays[i]) * scale;
    }
    trial->why = "its gradient hangs on rounding";
    return left_out * 4 <= compared;
}

/* w·(J u), by the evaluator that knows nothing of the text. */
static bool find_slope(Trial *trial, Step *step, Launch *launch, double *size)
{
    AstProgram *program = ast_program(trial->compiled->unit, trial->compiled->module->kernel->kernel);
    AstRun run = {.in_double = true};
    uint32_t count = step->cuda->array_count;
    for (uint32_t i = 0; i < count; i++) {
        LaunchValue *array = step->cells[i];
        array->tangents = ARENA_ARRAY(trial->arena, double, launch_cell_count(array));
        for (size_t c = 0; c < launch_cell_count(array); c++)
            array->tangents[c] = launch_cell_is_real(array, c) ? direction_of(i, c) : 0;
    }
    if (!ast_program_run(program, launch, &run))
        return false;
    step->slope = *size = 0;
    for (uint32_t i = 0; i < count; i++)
        for (size_t c = 0; step->gradients[i] && c < launch_cell_count(step->cells[i]); c++)
            if (launch_cell_is_real(step->cells[i], c)) {
                double term = weight_of(i, c) * step->cells[i]->tangents[c];
                step->slope += term;
                *size += fabs(term);
            }
    return true;
}

/* (Jᵀ w)·u of the gradients of a launch that has run; `slack`: how far it may be from w·(J u) because of the tolerances. */
static double slope_of(const Step *step, const CudaLaunch *from, double *size, double *slack)
{
    double slope = 0;
    *size = *slack = 0;
    for (uint32_t i = 0; i < step->cuda->array_count; i++)
        for (size_t c = 0; step->gradients[i] && c < cell_count(&step->cuda->arrays[i]); c++) {
            if (!launch_cell_is_real(step->cells[i], c))
                continue;
            double gradient = cuda_cell(&from->arrays[i], c, true);
            double along = direction_of(i, c);
            slope += gradient * along;
            *size += fabs(gradient * along);
            *slack += step->tolerances[i] * fabs(along);
        }
    return slope;
}

/* Sums up, weighted, all arrays after a run from inputs that are moved along the direction; NaN: it does not run. */
static double weigh_moved(Trial *trial, const Step *step, double by)
{
    AstProgram *program = ast_program(trial->compiled->unit, trial->compiled->module->kernel->kernel);
    AstRun run = {.in_double = true};
    LaunchValue *arrays[MOST_TRIAL_ARRAYS];
    const char *why;
    Launch *launch = launch_of_rows(trial->compiled, step->example, &why);
    uint32_t count = launch ? launch_arrays(launch, arrays, MOST_TRIAL_ARRAYS) : 0;
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        for (size_t c = 0; c < launch_cell_count(arrays[i]); c++)
            if (launch_cell_is_real(arrays[i], c))
                arrays[i]->cells[c].real += by * direction_of(i, c);
    if (!launch || !program || !ast_program_run(program, launch, &run))
        return NAN;
    for (uint32_t i = 0; i < count; i++)
        for (size_t c = 0; step->gradients[i] && c < launch_cell_count(arrays[i]); c++)
            sum += launch_cell_is_real(arrays[i], c) ? weight_of(i, c) * arrays[i]->cells[c].real : 0;
    return sum;
}

/* Operands of a minimum that are equal, a comparison at its bound: there the slopes to both sides differ, and either is right. */
static bool is_at_kink(Trial *trial, const Step *step, double size)
{
    const double by = 1e-6, most = 1e-3;
    double here = weigh_moved(trial, step, 0), above = weigh_moved(trial, step, by);
    double below = weigh_moved(trial, step, -by);
    return !(fabs(above - here - (here - below)) <= most * by * (size + 1e-6));
}

bool trial_expect_gradient(Trial *trial, Step *step, JobLaunch *job)
{
    const double tolerance = 1e-5; /* constants are rounded in the text, and not in the evaluator */
    Launch *launch = launch_of_rows(trial->compiled, step->example, &trial->why);
    step->cells = ARENA_ARRAY(trial->arena, LaunchValue *, MOST_TRIAL_ARRAYS);
    step->gradients = ARENA_ARRAY(trial->arena, double *, MOST_TRIAL_ARRAYS);
    step->tolerances = ARENA_ARRAY(trial->arena, double, MOST_TRIAL_ARRAYS);
    step->cuda = cuda_launch(trial->text, step->example, false, &trial->why);
    if (!launch || !step->cuda || launch_arrays(launch, step->cells, MOST_TRIAL_ARRAYS) != step->cuda->array_count)
        return false;
    CudaLaunch *own = prepare(trial, step, false), *wide = prepare(trial, step, true);
    const CudaFunction *backward = cuda_backward(trial->text);
    if (!own || !wide)
        return false;
    step->packed = trial_pack(trial, own, job, true);
    double exact_size, size, slack;
    if (!cuda_run(trial->text, backward, own, &trial->why) || !cuda_run(trial->text, backward, wide, &trial->why) ||
        !compare_runs(trial, step, own, wide) || !find_slope(trial, step, launch, &exact_size))
        return false;
    double slope = slope_of(step, wide, &size, &slack);
    trial->why = "its gradient is not the same to both sides";
    if (is_at_kink(trial, step, exact_size))
        return false;
    trial->why = "the record's own gradient is not right there";
    return fabs(slope - step->slope) <= tolerance * fmax(size, exact_size);
}

/* The number as people find it: x[3]. */
static bool tell_difference(Trial *trial, const CudaArray *array, size_t cell, double expected, double tolerance)
{
    trial->why = arena_format(trial->arena, "gradient of %s%s%s: element %zu: got %.9g, expected %.9g +- %.2g",
                              array->name, array->field ? "." : "", array->field ? array->field : "", cell,
                              cuda_cell(array, cell, true), expected, tolerance);
    return false;
}

bool trial_gradient_agrees(Trial *trial, const Step *step)
{
    bool whole = true;
    double size, slack;
    for (uint32_t i = 0; i < step->cuda->array_count; i++)
        for (size_t c = 0; step->gradients[i] && c < cell_count(&step->cuda->arrays[i]); c++) {
            double expected = step->gradients[i][c];
            whole &= !isnan(expected);
            if (launch_cell_is_real(step->cells[i], c) && !isnan(expected) &&
                !(fabs(cuda_cell(&step->cuda->arrays[i], c, true) - expected) <= step->tolerances[i]))
                return tell_difference(trial, &step->cuda->arrays[i], c, expected, step->tolerances[i]);
        }
    double slope = slope_of(step, step->cuda, &size, &slack);
    if (!whole || fabs(slope - step->slope) <= slack + 1e-4 * size)
        return true;
    trial->why = arena_format(trial->arena, "its gradient gives a slope of %.9g instead of %.9g", slope, step->slope);
    return false;
}
