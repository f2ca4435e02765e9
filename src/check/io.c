#include "check/io.h"

#include "base/rng.h"
#include "eval/ast/eval.h"
#include "eval/tree/eval.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_COTANGENTS = 13, INPUTS_TRIED = 3, MAX_EXTENTS = 64 };

/* ---- a smaller launch ---- */

/* Sizes of a launch description, and the smaller ones that stand for them: as large or larger than each other as before,
 * and neighbours where they were neighbours, so that an array of n + 1 still fits a loop over n. */
typedef struct Extents {
    uint32_t count, before[MAX_EXTENTS], after[MAX_EXTENTS];
} Extents;

static void add_extent(Extents *extents, uint32_t size, uint32_t limit)
{
    uint32_t at = 0;
    while (at < extents->count && extents->before[at] < size)
        at++;
    if (size <= limit || extents->count == MAX_EXTENTS || (at < extents->count && extents->before[at] == size))
        return;
    memmove(&extents->before[at + 1], &extents->before[at], (extents->count - at) * sizeof *extents->before);
    extents->before[at] = size;
    extents->count++;
}

static void assign_extents(Extents *extents, uint32_t limit)
{
    for (uint32_t i = 0; i < extents->count; i++) {
        uint32_t gap = extents->before[i] - (i ? extents->before[i - 1] : limit);
        extents->after[i] = (i ? extents->after[i - 1] : limit) + (i ? (gap < 2 ? gap : 2) : 0);
    }
}

/* What stands for a number that may be a size, or the last index of one. */
static double smaller(const Extents *extents, double number)
{
    for (uint32_t i = 0; i < extents->count; i++)
        if (number == extents->before[i] || number == extents->before[i] - 1)
            return number - extents->before[i] + extents->after[i];
    return number;
}

static bool holds_integers(const Code *code, const char *name)
{
    for (uint32_t i = 0; i < code->param_count; i++)
        if (strcmp(code->params[i].name->text, name) == 0) {
            const Type *type = type_canonical(code->params[i].type);
            const Type *scalar = type_scalar_of(type->kind == TYPE_ARRAY ? type->array.dtype : type);
            return scalar && !type_is_float(scalar);
        }
    return false;
}

static CheckLaunch shrink(Arena *arena, const Code *code, const CheckLaunch *description, uint32_t limit)
{
    CheckLaunch small = *description;
    Extents extents = {0};
    for (uint32_t i = 0; i < small.ndim; i++)
        add_extent(&extents, small.dim[i], limit);
    for (uint32_t i = 0; i < small.arg_count; i++)
        for (uint32_t k = 0; k < small.args[i].ndim; k++)
            add_extent(&extents, small.args[i].shape[k], limit);
    assign_extents(&extents, limit);
    for (uint32_t i = 0; i < small.ndim; i++)
        small.dim[i] = (uint32_t)smaller(&extents, small.dim[i]);
    small.args = ARENA_ARRAY(arena, CheckArg, small.arg_count);
    for (uint32_t i = 0; i < small.arg_count; i++) {
        CheckArg *arg = &small.args[i];
        *arg = description->args[i];
        for (uint32_t k = 0; k < arg->ndim; k++)
            arg->shape[k] = (uint32_t)smaller(&extents, arg->shape[k]);
        if (!holds_integers(code, arg->name))
            continue;
        arg->value = smaller(&extents, arg->value);
        arg->high = fmax(arg->low, smaller(&extents, arg->high));
    }
    return small;
}

/* ---- running it ---- */

typedef struct Io {
    Unit *unit;
    const IrModule *module;
    const IoOptions *options;
    AstProgram *ast;
    TreeProgram *tree;
    Launch *before, *after, *backward; /* backward NULL: there is none that one could write down */
    Rng rng;
    Text *out;
} Io;

static bool is_finite(const LaunchValue *value, const double *numbers)
{
    for (size_t i = 0; numbers && i < value->count * value->width; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

static bool is_changed(const LaunchValue *before, const LaunchValue *after)
{
    return before->cells && memcmp(before->cells, after->cells, before->count * before->width * sizeof(Cell)) != 0;
}

/* An array that has a gradient: of floats, or of structs with floats in them. */
static bool has_gradient(const LaunchValue *value)
{
    for (uint32_t i = 0; value->type->kind == TYPE_ARRAY && i < value->width; i++)
        if (type_is_float(value->cell_types[i]))
            return true;
    return false;
}

/* Eighths between -1 and 1: exact in every type, and short. */
static void give_gradients(Io *io, LaunchValue *before, LaunchValue *value)
{
    for (uint32_t i = 0; i < value->field_count; i++)
        give_gradients(io, &before->fields[i], &value->fields[i]);
    if (value->field_count || !has_gradient(value))
        return;
    value->gradients = ARENA_ARRAY(io->unit->arena, double, value->count * value->width);
    bool output = is_changed(before, value);
    for (size_t i = 0; output && i < value->count * value->width; i++) {
        int eighths = (int)(rng_unit(&io->rng) * 16) - 8;
        if (type_is_float(value->cell_types[i % value->width]))
            value->gradients[i] = (eighths < 0 ? eighths : eighths + 1) / 8.0;
    }
}

static bool any_change(const LaunchValue *before, const LaunchValue *after)
{
    bool changed = is_changed(before, after);
    for (uint32_t i = 0; i < before->field_count; i++)
        changed |= any_change(&before->fields[i], &after->fields[i]);
    return changed;
}

static bool all_finite(const LaunchValue *value)
{
    bool finite = is_finite(value, value->gradients);
    for (size_t i = 0; value->cells && i < value->count * value->width; i++)
        finite &= !type_is_float(value->cell_types[i % value->width]) || isfinite(value->cells[i].real);
    for (uint32_t i = 0; i < value->field_count; i++)
        finite &= all_finite(&value->fields[i]);
    return finite;
}

/* Forward: without a finding, the same in both evaluators, and something is written. */
static bool run_forward(Io *io, const CheckLaunch *description, uint64_t seed)
{
    const char *why;
    io->before = check_make_launch(io->unit, io->module, description, seed, &why);
    if (!io->before)
        return false;
    Launch *ast = launch_copy(io->unit->arena, io->before);
    io->after = launch_copy(io->unit->arena, io->before);
    AstRun strict = {.detect_races = true};
    TreeRun run = {0};
    if (!ast_program_run(io->ast, ast, &strict) || !tree_execute(io->tree, io->after, &run) ||
        !(check_difference(ast, io->after) <= 2e-3))
        return false;
    bool changed = false, finite = true;
    for (uint32_t i = 0; i < io->after->arg_count; i++) {
        changed |= any_change(&io->before->args[i], &io->after->args[i]);
        finite &= all_finite(&io->after->args[i]);
    }
    return changed && finite;
}

static bool run_backward(Io *io, uint64_t seed)
{
    TreeRun run = {.backward = true};
    io->rng = rng_at(seed, 0, STREAM_COTANGENTS);
    for (uint32_t i = 0; i < io->after->arg_count; i++)
        give_gradients(io, &io->before->args[i], &io->after->args[i]);
    io->backward = launch_copy(io->unit->arena, io->after);
    bool fine = tree_execute(io->tree, io->backward, &run) && run.remark.kind == FINDING_NONE;
    for (uint32_t i = 0; fine && i < io->backward->arg_count; i++)
        fine = all_finite(&io->backward->args[i]);
    if (!fine)
        io->backward = NULL;
    return fine;
}

/* ---- writing it ---- */

/* The fewest digits from which a number of the type reads back as it is. */
static void write_real(Text *out, double value, const Type *type)
{
    int digits = type->kind == TYPE_FLOAT64 ? 15 : type->kind == TYPE_FLOAT32 ? 6 : 3;
    char text[40];
    do
        snprintf(text, sizeof text, "%.*g", digits++, value);
    while (round_to_type(strtod(text, NULL), type->kind) != value && digits <= 17);
    text_str(out, text);
    if (!strpbrk(text, ".e"))
        text_lit(out, ".0");
}

static void write_cell(Text *out, const LaunchValue *value, size_t at, const double *numbers)
{
    const Type *type = value->cell_types[at % value->width];
    if (type_is_float(type))
        write_real(out, numbers ? numbers[at] : value->cells[at].real, type);
    else if (numbers) /* an integer in a struct */
        text_int(out, (int64_t)numbers[at]);
    else if (type->kind == TYPE_BOOL)
        text_str(out, value->cells[at].integer ? "true" : "false");
    else if (type->kind == TYPE_UINT64)
        text_uint(out, (uint64_t)value->cells[at].integer);
    else
        text_int(out, value->cells[at].integer);
}

/* One scalar, vector, matrix or struct of cells, from cell *at on. */
static void write_element(Text *out, const LaunchValue *value, const Type *type, size_t *at, const double *numbers)
{
    type = type_canonical(type);
    if (type->kind == TYPE_STRUCT) {
        for (uint32_t i = 0; i < type->decl->field_count; i++) {
            text_str(out, i ? ", \"" : "{\"");
            text_str(out, type->decl->fields[i].name->text);
            text_lit(out, "\": ");
            write_element(out, value, type->decl->fields[i].type, at, numbers);
        }
        text_char(out, '}');
    } else if (type_is_composite(type)) {
        uint32_t rows = type->composite.rows, cols = type->kind == TYPE_MAT ? type->composite.cols : 1;
        for (uint32_t i = 0; i < rows; i++)
            for (uint32_t k = 0; k < cols; k++) {
                text_str(out, k ? ", " : i ? ", " : "[");
                text_str(out, type->kind == TYPE_MAT && !k ? "[" : "");
                write_cell(out, value, (*at)++, numbers);
                text_str(out, type->kind == TYPE_MAT && k + 1 == cols ? "]" : "");
            }
        text_char(out, ']');
    } else
        write_cell(out, value, (*at)++, numbers);
}

static void write_dimension(Text *out, const LaunchValue *value, uint32_t dimension, size_t *at, const double *numbers)
{
    if (dimension == value->ndim || dimension == 4) {
        const Type *type = value->type;
        write_element(out, value, type->kind == TYPE_ARRAY ? type->array.dtype : type, at, numbers);
        return;
    }
    text_char(out, '[');
    for (uint32_t i = 0; i < value->shape[dimension]; i++) {
        text_str(out, i ? ", " : "");
        write_dimension(out, value, dimension + 1, at, numbers);
    }
    text_char(out, ']');
}

/* Which parts of an argument are written, and what of them. */
typedef enum Part { PART_INPUTS, PART_OUTPUTS, PART_COTANGENTS, PART_GRADIENTS } Part;

static bool is_part(const LaunchValue *before, const LaunchValue *after, const LaunchValue *backward, Part part)
{
    if (before->field_count) {
        bool any = part == PART_INPUTS;
        for (uint32_t i = 0; i < before->field_count; i++)
            any |= is_part(&before->fields[i], &after->fields[i], backward ? &backward->fields[i] : NULL, part);
        return any;
    }
    bool changed = is_changed(before, after);
    switch (part) {
    case PART_INPUTS: return true;
    case PART_OUTPUTS: return changed;
    case PART_COTANGENTS: return changed && has_gradient(before);
    case PART_GRADIENTS: break;
    }
    size_t size = before->count * before->width * sizeof *backward->gradients;
    return has_gradient(before) && !(changed && memcmp(backward->gradients, after->gradients, size) == 0);
}

static void write_value(Text *out, const LaunchValue *before, const LaunchValue *after, const LaunchValue *backward,
                        Part part)
{
    if (before->field_count) {
        const char *comma = "{\"";
        for (uint32_t i = 0; i < before->field_count; i++) {
            const LaunchValue *inner = backward ? &backward->fields[i] : NULL;
            if (!is_part(&before->fields[i], &after->fields[i], inner, part))
                continue;
            text_str(out, comma);
            text_str(out, before->type->decl->fields[i].name->text);
            text_lit(out, "\": ");
            write_value(out, &before->fields[i], &after->fields[i], inner, part);
            comma = ", \"";
        }
        text_char(out, '}');
        return;
    }
    size_t at = 0;
    write_dimension(out, part == PART_INPUTS ? before : after, 0, &at,
                    part == PART_COTANGENTS  ? after->gradients
                    : part == PART_GRADIENTS ? backward->gradients
                                             : NULL);
}

static void write_part(const Io *io, Part part)
{
    const char *comma = "";
    text_char(io->out, '{');
    for (uint32_t i = 0; i < io->before->arg_count; i++) {
        const LaunchValue *before = &io->before->args[i], *after = &io->after->args[i];
        const LaunchValue *backward = io->backward ? &io->backward->args[i] : NULL;
        if (!is_part(before, after, backward, part))
            continue;
        text_format(io->out, "%s\"%s\": ", comma, io->module->kernel->code->params[i].name->text);
        write_value(io->out, before, after, backward, part);
        comma = ", ";
    }
    text_char(io->out, '}');
}

static void write_all(const Io *io)
{
    text_lit(io->out, "{\"dim\": [");
    for (uint32_t i = 0; i < (io->before->ndim ? io->before->ndim : 1); i++) {
        text_str(io->out, i ? ", " : "");
        text_uint(io->out, io->before->dim[i]);
    }
    text_char(io->out, ']');
    static const char *const names[] = {"inputs", "outputs", "cotangents", "gradients"};
    for (int part = PART_INPUTS; part <= (io->backward ? PART_GRADIENTS : PART_OUTPUTS); part++) {
        text_format(io->out, ", \"%s\": ", names[part]);
        write_part(io, (Part)part);
    }
    text_char(io->out, '}');
}

void check_write_inputs(Unit *unit, const IrModule *module, Launch *launch, Text *out)
{
    Io io = {.unit = unit, .module = module, .before = launch, .after = launch, .out = out};
    write_part(&io, PART_INPUTS);
}

/* Some inputs of the described launch; those whose gradient can be written down are better. */
static bool try_launch(Io *io, const CheckLaunch *description)
{
    bool ran = false;
    for (uint64_t draw = 0; draw < INPUTS_TRIED; draw++) {
        uint64_t seed = io->options->seed + draw;
        if (!run_forward(io, description, seed))
            continue;
        ran = true;
        if (!io->options->backward || run_backward(io, seed))
            return true;
    }
    return ran && run_forward(io, description, io->options->seed);
}

bool check_write_io(Unit *unit, const IrModule *module, const CheckLaunch *description, const IoOptions *options,
                    Text *out)
{
    static const uint32_t limits[] = {3, 5, 8, 16};
    Finding finding;
    Io io = {.unit = unit, .module = module, .options = options, .out = out};
    io.ast = ast_program(unit, module->kernel->kernel);
    io.tree = tree_compile(unit->arena, module, false, &finding);
    if (!io.tree)
        return false;
    bool done = false;
    for (size_t i = 0; options->shrink && !done && i < sizeof limits / sizeof *limits; i++) {
        CheckLaunch small = shrink(unit->arena, module->kernel->code, description, limits[i]);
        done = try_launch(&io, &small);
    }
    if (!done && !try_launch(&io, description))
        return false;
    write_all(&io);
    return true;
}
