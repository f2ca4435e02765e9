/* Is the readable CUDA of a record right? It is read as text and run on the record's own launches. Values are
 * compared with the stored ones, the gradient with directional derivatives of the syntax tree's evaluator. For random
 * weights w of the final array contents and directions u of the initial ones, w·(J u) must be (Jᵀ w)·u. */
#include "base/rng.h"
#include "corpus/launch_rows.h"
#include "corpus/readable.h"
#include "cuda/cuda.h"
#include "eval/ast/eval.h"

#include <math.h>

enum { WEIGHTS, DIRECTION }; /* streams of random numbers; DIRECTION and those behind it */

typedef struct Trial {
    const Compiled *compiled;
    Arena *arena;
    CudaText *text;
    AstProgram *program;
    bool judge_gradients; /* those that are written down are true */
    const char *why;
} Trial;

/* ---- one launch ---- */

static double number_of(uint64_t stream, uint32_t array, size_t cell)
{
    Rng rng = rng_at(stream, array, cell);
    return 2 * rng_unit(&rng) - 1;
}

/* w·(J u) of the evaluator; false: it does not run there. */
static bool true_slope(Trial *trial, Launch *launch, LaunchValue **arrays, const CudaLaunch *cuda, uint32_t direction,
                       double *slope, double *size)
{
    AstRun run = {.in_double = true};
    *slope = *size = 0;
    for (uint32_t i = 0; i < cuda->array_count; i++) {
        size_t cells = launch_cell_count(arrays[i]);
        arrays[i]->tangents = ARENA_ARRAY(trial->arena, double, cells);
        for (size_t c = 0; c < cells; c++)
            arrays[i]->tangents[c] = launch_cell_is_real(arrays[i], c) ? number_of(DIRECTION + direction, i, c) : 0;
    }
    if (!ast_program_run(trial->program, launch, &run)) {
        trial->why = run.finding.message ? run.finding.message : "it cannot be evaluated";
        return false;
    }
    for (uint32_t i = 0; i < cuda->array_count; i++)
        for (size_t c = 0; cuda->arrays[i].has_adjoint && c < launch_cell_count(arrays[i]); c++) {
            double term = launch_cell_is_real(arrays[i], c) ? number_of(WEIGHTS, i, c) * arrays[i]->tangents[c] : 0;
            *slope += term;
            *size += fabs(term);
        }
    return true;
}

/* (Jᵀ w)·u of the backward kernel, which has run. */
static void read_slope(LaunchValue **arrays, const CudaLaunch *cuda, uint32_t direction, double *slope, double *size)
{
    *slope = *size = 0;
    for (uint32_t i = 0; i < cuda->array_count; i++)
        for (size_t c = 0; cuda->arrays[i].has_adjoint && c < launch_cell_count(arrays[i]); c++) {
            double term = launch_cell_is_real(arrays[i], c)
                              ? cuda_cell(&cuda->arrays[i], c, true) * number_of(DIRECTION + direction, i, c)
                              : 0;
            *slope += term;
            *size += fabs(term);
        }
}

static bool run_backward(Trial *trial, CudaLaunch *launch)
{
    cuda_rewind(launch);
    return cuda_run(trial->text, cuda_backward(trial->text), launch, &trial->why);
}

/* Jᵀ w, with wide floats, in the adjoints; NULL: it cannot be run. */
static CudaLaunch *weigh_backward(Trial *trial, const CudaExample *example)
{
    CudaLaunch *launch = cuda_launch(trial->text, example, true, &trial->why);
    bool keeps_results = false;
    for (uint32_t i = 0; launch && i < launch->array_count; i++)
        keeps_results |= launch->arrays[i].keeps_result;
    if (!launch || (keeps_results && !cuda_run(trial->text, cuda_forward(trial->text), launch, &trial->why)))
        return NULL;
    for (uint32_t i = 0; i < launch->array_count; i++) {
        CudaArray *array = &launch->arrays[i];
        for (size_t c = 0; array->has_adjoint && c < array->elements * array->cells; c++)
            cuda_set_adjoint(launch, array, c, number_of(WEIGHTS, i, c));
    }
    return run_backward(trial, launch) ? launch : NULL;
}

static bool slopes_agree(Trial *trial, const CudaExample *example, uint32_t direction)
{
    enum { MOST_ARRAYS = 64 };
    const double tolerance = 1e-5; /* constants are rounded in the text, and not in the evaluator */
    LaunchValue *arrays[MOST_ARRAYS];
    CudaLaunch *cuda = weigh_backward(trial, example);
    if (!cuda)
        return false;
    Launch *start = launch_of_rows(trial->compiled, example, &trial->why);
    if (!start)
        return false;
    double exact, exact_size, found, found_size;
    uint32_t count = launch_arrays(start, arrays, MOST_ARRAYS);
    if (count != cuda->array_count || !true_slope(trial, start, arrays, cuda, direction, &exact, &exact_size))
        return false;
    read_slope(arrays, cuda, direction, &found, &found_size);
    if (fabs(exact - found) <= tolerance * fmax(exact_size, found_size))
        return true;
    trial->why = arena_format(trial->arena, "its gradient gives a slope of %.9g instead of %.9g", found, exact);
    return false;
}

static bool values_agree(Trial *trial, const CudaExample *example, bool with_gradient, bool *wrong_gradient)
{
    CudaLaunch *launch = cuda_launch(trial->text, example, false, &trial->why);
    if (!launch || !cuda_run(trial->text, cuda_forward(trial->text), launch, &trial->why) ||
        !cuda_outputs_agree(trial->arena, launch, &example->outputs, &trial->why))
        return false;
    if (!with_gradient || !trial->judge_gradients || !example->cotangents.are_there)
        return true;
    trial->why = "a cotangent has no array";
    *wrong_gradient = true;
    return cuda_set_cotangents(launch, &example->cotangents) && run_backward(trial, launch) &&
           cuda_gradients_agree(trial->arena, launch, example, &trial->why);
}

/* ---- all of it ---- */

static void take_away(Readable *readable, ReadableVerdict verdict, const char *why)
{
    readable->text = NULL;
    readable->has_backward = false;
    readable->verdict = verdict;
    readable->reason = why;
}

/* False: trial->why says what is wrong; *wrong_gradient: with the backward kernel alone. */
static bool examples_agree(Trial *trial, const CudaExamples *examples, bool has_backward, bool *wrong_gradient)
{
    /* Where no gradient is written down, the slope is all there is: of the second launch, which has more threads than the first. */
    uint32_t slope_at = !trial->judge_gradients && examples->count > 1;
    trial->why = "there are no launches";
    for (uint32_t i = 0; i < examples->count; i++) {
        bool with_slope = has_backward && i == slope_at;
        *wrong_gradient = false;
        if (!values_agree(trial, &examples->items[i], has_backward && i == 0, wrong_gradient)) /* others are not read */
            return false;
        *wrong_gradient = true;
        if (with_slope && !slopes_agree(trial, &examples->items[i], i))
            return false;
    }
    return examples->count > 0;
}

bool readable_check(const Compiled *compiled, const Text *launches, bool judge_gradients, Readable *readable)
{
    Trial trial = {.compiled = compiled, .arena = compiled->unit->arena, .judge_gradients = judge_gradients};
    CudaExamples examples;
    bool wrong_gradient = false;
    if (!readable->text)
        return true;
    trial.text = cuda_read(trial.arena, readable->text, &trial.why);
    if (!trial.text) {
        take_away(readable, READABLE_UNREAD, trial.why);
        return true;
    }
    trial.program = ast_program(compiled->unit, compiled->module->kernel->kernel);
    if (!cuda_read_first_gradients(trial.arena, launches->data, launches->len, &examples))
        examples.count = 0;
    bool agree = examples_agree(&trial, &examples, readable->has_backward, &wrong_gradient);
    if (agree)
        readable->verdict = READABLE_PASS;
    else
        take_away(readable, READABLE_MISMATCH, arena_format(trial.arena, "%s", trial.why));
    return agree || !wrong_gradient;
}
