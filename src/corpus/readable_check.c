/* Is the readable CUDA of a record right? It is read as text and run on the record's own launches: values against those that are
 * written down, the gradient against directional derivatives of the syntax tree's evaluator: for random weights w of what the
 * arrays hold afterwards and directions u of what they held before, w·(J u) must be (Jᵀ w)·u. */
#include "base/rng.h"
#include "corpus/readable.h"
#include "cuda/cuda.h"
#include "eval/ast/eval.h"

#include <math.h>
#include <stdio.h>

enum { WEIGHTS, DIRECTION }; /* streams of random numbers; DIRECTION and those behind it */

typedef struct Trial {
    const Compiled *compiled;
    Arena *arena;
    CudaText *own, *wide;
    AstProgram *program;
    bool judge_gradients; /* those that are written down are true */
    const char *why;
} Trial;

/* ---- the launch as the evaluator takes it ---- */

/* Shapes are those of the rows; what follows the dimensions of an array are those of its elements. */
static CheckLaunch describe(const Trial *trial, const json_t *launch)
{
    const Code *code = trial->compiled->module->kernel->code;
    const json_t *dim = json_object_get(launch, "dim"), *rows = json_object_get(launch, "inputs");
    CheckLaunch out = {.ndim = (uint32_t)json_array_size(dim) < 4 ? (uint32_t)json_array_size(dim) : 4};
    out.args = ARENA_ARRAY(trial->arena, CheckArg, json_array_size(rows) + 1);
    for (uint32_t d = 0; d < out.ndim; d++)
        out.dim[d] = (uint32_t)json_integer_value(json_array_get(dim, d));
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i), *shape = json_object_get(row, "shape");
        const char *name = json_member_string(row, "name"), *field = json_member_string(row, "field");
        uint32_t p = 0;
        while (p < code->param_count && strcmp(code->params[p].name->text, name) != 0)
            p++;
        const Type *type = p < code->param_count ? type_canonical(code->params[p].type) : NULL;
        bool is_array = type && type->kind == TYPE_ARRAY;
        CheckArg *arg = &out.args[out.arg_count++];
        *arg = (CheckArg){.name = *field && !is_array ? arena_format(trial->arena, "%s.%s", name, field) : name,
                          .ndim = is_array ? type->array.ndim : 0};
        if (*field && !is_array)
            arg->ndim = (uint32_t)json_array_size(shape) < 4 ? (uint32_t)json_array_size(shape) : 4;
        for (uint32_t d = 0; d < arg->ndim; d++)
            arg->shape[d] = (uint32_t)json_integer_value(json_array_get(shape, d));
    }
    return out;
}

typedef struct Rows {
    const json_t *list;
    size_t next;
} Rows;

static const json_t *numbers_of(const json_t *row)
{
    const json_t *floats = json_object_get(row, "floats");
    return json_is_array(floats) ? floats : json_object_get(row, "ints");
}

static bool set_cell(LaunchValue *value, size_t cell, const json_t *item)
{
    if (launch_cell_is_real(value, cell))
        value->cells[cell].real = json_number_value(item);
    else
        value->cells[cell].integer = json_integer_value(item);
    return item != NULL;
}

/* The value from the next rows; of an array of structs, each row is one of their fields. */
static bool fill_value(LaunchValue *value, Rows *rows)
{
    for (uint32_t i = 0; i < value->field_count; i++)
        if (!fill_value(&value->fields[i], rows))
            return false;
    for (uint32_t done = 0; !value->field_count && done < value->width;) {
        const json_t *numbers = numbers_of(json_array_get(rows->list, rows->next++));
        size_t each = value->count ? json_array_size(numbers) / value->count : 0;
        if (!each || each * value->count != json_array_size(numbers) || done + each > value->width)
            return false;
        for (size_t i = 0; i < json_array_size(numbers); i++)
            set_cell(value, i / each * value->width + done + i % each, json_array_get(numbers, i));
        done += (uint32_t)each;
    }
    return true;
}

static void list_arrays(LaunchValue *value, LaunchValue **list, uint32_t *count, uint32_t most)
{
    for (uint32_t i = 0; i < value->field_count; i++)
        list_arrays(&value->fields[i], list, count, most);
    if (value->type->kind == TYPE_ARRAY && *count < most)
        list[(*count)++] = value;
}

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

static bool run_backward(Trial *trial, CudaText *text, CudaLaunch *launch)
{
    cuda_rewind(launch);
    return cuda_run(text, cuda_backward(text), launch, &trial->why);
}

static bool slopes_agree(Trial *trial, const json_t *json, uint32_t direction)
{
    enum { MOST_ARRAYS = 64 };
    const double tolerance = 1e-5; /* constants are rounded in the text, and not in the evaluator */
    LaunchValue *arrays[MOST_ARRAYS];
    uint32_t count = 0;
    CudaLaunch *cuda = cuda_launch(trial->wide, json, &trial->why);
    bool keeps_results = false;
    for (uint32_t i = 0; cuda && i < cuda->array_count; i++)
        keeps_results |= cuda->arrays[i].keeps_result;
    if (!cuda || (keeps_results && !cuda_run(trial->wide, cuda_forward(trial->wide), cuda, &trial->why)))
        return false;
    for (uint32_t i = 0; i < cuda->array_count; i++)
        for (size_t c = 0; cuda->arrays[i].has_adjoint && c < cuda->arrays[i].elements * cuda->arrays[i].cells; c++)
            cuda_set_adjoint(&cuda->arrays[i], c, number_of(WEIGHTS, i, c));
    if (!run_backward(trial, trial->wide, cuda))
        return false;
    CheckLaunch description = describe(trial, json);
    Launch *start = check_make_launch(trial->compiled->unit, trial->compiled->module, &description, 1, &trial->why);
    Rows rows = {.list = json_object_get(json, "inputs")};
    for (uint32_t i = 0; start && i < start->arg_count; i++)
        if (!fill_value(&start->args[i], &rows))
            start = NULL;
    trial->why = "the launch does not fit the kernel";
    if (!start)
        return false;
    double exact, exact_size, found, found_size;
    for (uint32_t i = 0; i < start->arg_count; i++)
        list_arrays(&start->args[i], arrays, &count, MOST_ARRAYS);
    if (count != cuda->array_count || !true_slope(trial, start, arrays, cuda, direction, &exact, &exact_size))
        return false;
    read_slope(arrays, cuda, direction, &found, &found_size);
    if (fabs(exact - found) <= tolerance * fmax(exact_size, found_size))
        return true;
    trial->why = arena_format(trial->arena, "its gradient gives a slope of %.9g instead of %.9g", found, exact);
    return false;
}

static bool values_agree(Trial *trial, const json_t *json, bool *wrong_gradient, bool with_gradient)
{
    CudaLaunch *launch = cuda_launch(trial->own, json, &trial->why);
    const json_t *cotangents = json_object_get(json, "cotangents");
    if (!launch || !cuda_run(trial->own, cuda_forward(trial->own), launch, &trial->why) ||
        !cuda_outputs_agree(trial->arena, launch, json_object_get(json, "outputs"), &trial->why))
        return false;
    if (!with_gradient || !trial->judge_gradients || !json_is_array(cotangents))
        return true;
    trial->why = "a cotangent has no array";
    *wrong_gradient = true;
    return cuda_set_cotangents(launch, cotangents) && run_backward(trial, trial->own, launch) &&
           cuda_gradients_agree(trial->arena, launch, json_object_get(json, "gradients"), cotangents, &trial->why);
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
static bool launches_agree(Trial *trial, const json_t *list, bool *wrong_gradient)
{
    size_t index;
    json_t *launch;
    trial->why = "there are no launches";
    json_array_foreach(list, index, launch)
    {
        bool with_gradient = trial->wide && index < (trial->judge_gradients ? 1 : 2);
        *wrong_gradient = false;
        if (!values_agree(trial, launch, wrong_gradient, trial->wide && index == 0))
            return false;
        *wrong_gradient = true;
        if (with_gradient && !slopes_agree(trial, launch, (uint32_t)index))
            return false;
    }
    return json_array_size(list) > 0;
}

bool readable_check(const Compiled *compiled, const Text *launches, bool judge_gradients, Readable *readable)
{
    Trial trial = {.compiled = compiled, .arena = compiled->unit->arena, .judge_gradients = judge_gradients};
    bool wrong_gradient = false;
    if (!readable->text)
        return true;
    trial.own = cuda_read(trial.arena, readable->text, false, &trial.why);
    trial.wide = trial.own && readable->has_backward ? cuda_read(trial.arena, readable->text, true, &trial.why) : NULL;
    if (!trial.own || (readable->has_backward && !trial.wide)) {
        take_away(readable, READABLE_UNREAD, trial.why);
        return true;
    }
    trial.program = ast_program(compiled->unit, compiled->module->kernel->kernel);
    json_t *list = json_read(launches->data, launches->len);
    bool agree = launches_agree(&trial, list, &wrong_gradient);
    if (agree)
        readable->verdict = READABLE_PASS;
    else
        take_away(readable, READABLE_MISMATCH, arena_format(trial.arena, "%s", trial.why));
    json_decref(list);
    return agree || !wrong_gradient;
}
