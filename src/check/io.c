#include "check/io.h"

#include "check/io_impl.h"
#include "check/shrink.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STREAM_COTANGENTS = 13,
    STREAM_IO_NUDGES = 15,
    STREAM_IO_DIRECTIONS = 16,
    MORE_LAUNCHES = 3, /* than are wanted, where each takes a new branch; */
    MOST_RUNS =
        CHECK_MOST_LAUNCHES + MORE_LAUNCHES + 8, /* one that changes an output for the first time is kept, too */
    EXTRA_DRAWS = 24,     /* tried beyond the launches that are wanted, while branches are left, */
    EXTRA_STEPS = 400000, /* and until the region tree has taken so many steps */
    FAILED_DRAWS = 2,     /* in a row from the start: it does not work at this size */
    SMALL_LAUNCHES = 4,   /* beside those that are chosen */
    LARGER_AFTER = 1,     /* draws, then launches with more threads */
    PLAIN_DRAWS = 3,      /* without a choice: inputs that are tried until a launch runs */
    MOST_NOTED = 512      /* threads of all launches together that took a branch as one of the first */
};

/* ---- running it ---- */

typedef struct Io {
    Unit *unit;
    const IrModule *module;
    const CheckLaunch *description;
    const IoOptions *options;
    AstProgram *ast;
    TreeProgram *tree, *in_double;
    Directions *directions; /* of the gradient test */
    TreeCoverage *coverage;
    uint64_t steps; /* forward, until now */
    Rng rng;
} Io;

static bool is_finite(const LaunchValue *value, const double *numbers)
{
    for (size_t i = 0; numbers && i < value->count * value->width; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

bool is_changed(const LaunchValue *before, const LaunchValue *after)
{
    return before->cells && memcmp(before->cells, after->cells, before->count * before->width * sizeof(Cell)) != 0;
}

bool has_gradient(const LaunchValue *value)
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

/* ---- inputs that are moved in their last digits ---- */

/* Of the number 1. */
static double last_digit(const Type *type)
{
    return type->kind == TYPE_FLOAT64   ? DBL_EPSILON
           : type->kind == TYPE_FLOAT32 ? (double)FLT_EPSILON
           : type->kind == TYPE_FLOAT16 ? 0x1p-10
                                        : 0x1p-7;
}

static void nudge_cells(LaunchValue *value, LaunchValue *same, void *user)
{
    Io *io = user;
    (void)same;
    for (size_t i = 0; i < value->count * value->width; i++) {
        const Type *type = value->cell_types[i % value->width];
        if (type_is_float(type))
            value->cells[i].real =
                round_to_type(value->cells[i].real * (1 + (rng_unit(&io->rng) * 4 - 2) * last_digit(type)), type->kind);
    }
}

/* Rounding alone moves a result by some last digits of the largest number; moved inputs show how much more it may be. */
static const double DIGITS = 32, NUDGE_FACTOR = 8, LARGEST_TOLERANCE = 1e-2, LARGEST_OF_GRADIENTS = 5e-2;

static double scale_of(const LaunchValue *value, const double *numbers, uint32_t offset, uint32_t width)
{
    double scale = 0;
    for (size_t i = 0; i < value->count; i++)
        for (uint32_t k = offset; k < offset + width; k++) {
            size_t at = i * value->width + k;
            scale = fmax(scale, fabs(numbers ? numbers[at] : value->cells[at].real));
        }
    return scale;
}

double tolerance_of(const LaunchValue *value, const double *numbers, const LaunchValue *const nudged[NUDGED_LAUNCHES],
                    bool gradients, uint32_t offset, uint32_t width)
{
    double moved = 0, scale = scale_of(value, numbers, offset, width);
    for (int n = 0; n < NUDGED_LAUNCHES; n++)
        for (size_t i = 0; i < value->count; i++)
            for (uint32_t k = offset; k < offset + width; k++) {
                size_t at = i * value->width + k;
                double here = numbers ? numbers[at] : value->cells[at].real;
                double there = gradients ? nudged[n]->gradients[at] : nudged[n]->cells[at].real;
                moved = fmax(moved, fabs(here - there));
            }
    return moved * NUDGE_FACTOR + scale * DIGITS * last_digit(value->cell_types[offset]);
}

typedef struct Steadiness {
    bool gradients, is_steady;
    double largest; /* gradient of all */
} Steadiness;

/* Where terms cancel, a gradient is all rounding: what counts then are the larger ones beside it. */
static const double NEGLIGIBLE_GRADIENT = 2e-4;

static void find_largest_gradient(LaunchValue *value, LaunchValue *same, void *user)
{
    Steadiness *steadiness = user;
    (void)same;
    if (has_gradient(value))
        steadiness->largest = fmax(steadiness->largest, scale_of(value, value->gradients, 0, value->width));
}

/* Integers stay, and floats move by less than a share of the largest. */
static void look_at_steadiness(LaunchValue *value, LaunchValue *nudged, void *user)
{
    Steadiness *steadiness = user;
    const LaunchValue *both[NUDGED_LAUNCHES] = {nudged, nudged};
    if (steadiness->gradients && !has_gradient(value))
        return;
    for (uint32_t k = 0; k < value->width; k++) {
        if (type_is_float(value->cell_types[k])) {
            const double *numbers = steadiness->gradients ? value->gradients : NULL;
            double most = steadiness->gradients ? LARGEST_OF_GRADIENTS : LARGEST_TOLERANCE;
            double scale = fmax(scale_of(value, numbers, k, 1), steadiness->largest * NEGLIGIBLE_GRADIENT);
            steadiness->is_steady &= tolerance_of(value, numbers, both, steadiness->gradients, k, 1) <= most * scale;
        } else
            for (size_t i = k; !steadiness->gradients && i < value->count * value->width; i += value->width)
                steadiness->is_steady &= value->cells[i].integer == nudged->cells[i].integer;
    }
}

static bool is_steady(const Launch *launch, const Launch *nudged, bool gradients)
{
    Steadiness steadiness = {gradients, true, 0};
    if (gradients)
        launch_visit(launch, launch, find_largest_gradient, &steadiness);
    launch_visit(launch, nudged, look_at_steadiness, &steadiness);
    return steadiness.is_steady;
}

/* ---- one launch ---- */

/* The region tree alone: without a finding, and something is written. */
static bool run_forward(Io *io, const CheckLaunch *description, uint64_t seed, InputKind kind, LaunchRun *run)
{
    const char *why;
    *run = (LaunchRun){.before = check_make_launch(io->unit, io->module, description, seed, &why)};
    if (!run->before)
        return false;
    if (kind != INPUTS_EVEN)
        fill_launch(io->unit, io->module, description, seed, kind, run->before);
    run->after = launch_copy(io->unit->arena, run->before);
    TreeRun tree = {.coverage = io->coverage};
    if (!tree_execute(io->tree, run->after, &tree))
        return false;
    io->steps += tree.steps;
    bool changed = false, finite = true;
    for (uint32_t i = 0; i < run->after->arg_count; i++) {
        changed |= any_change(&run->before->args[i], &run->after->args[i]);
        finite &= all_finite(&run->after->args[i]);
    }
    return changed && finite;
}

/* The syntax tree, strictly: without a finding, and with the same values. */
static bool run_strictly(Io *io, const LaunchRun *run)
{
    AstRun strict = {.detect_races = true};
    Launch *ast = launch_copy(io->unit->arena, run->before);
    return ast_program_run(io->ast, ast, &strict) && check_difference(ast, run->after) <= 2e-3;
}

static bool run_nudged(Io *io, LaunchRun *run, uint64_t seed)
{
    bool fine = true;
    io->rng = rng_at(seed, 0, STREAM_IO_NUDGES);
    for (int n = 0; fine && n < NUDGED_LAUNCHES; n++) {
        TreeRun tree = {0};
        run->nudged[n] = launch_copy(io->unit->arena, run->before);
        launch_visit(run->nudged[n], run->nudged[n], nudge_cells, io);
        fine = tree_execute(io->tree, run->nudged[n], &tree) &&
               (!io->options->choose || is_steady(run->after, run->nudged[n], false));
    }
    return fine;
}

static Launch *run_reverse(Io *io, const Launch *after)
{
    TreeRun run = {.backward = true};
    Launch *backward = launch_copy(io->unit->arena, after);
    bool fine = tree_execute(io->tree, backward, &run) && run.remark.kind == FINDING_NONE;
    for (uint32_t i = 0; fine && i < backward->arg_count; i++)
        fine = all_finite(&backward->args[i]);
    return fine ? backward : NULL;
}

static void take_gradients(LaunchValue *value, LaunchValue *from, void *user)
{
    (void)user;
    value->gradients = from->gradients;
}

/* Is the gradient right on this launch? One that is right on most inputs may be wrong on some: where two numbers are equal of
 * which the larger one is wanted, say. */
static bool is_true_gradient(Io *io, const LaunchRun *run, uint64_t seed)
{
    const double tolerance = 1e-6;
    AstRun ast = {.in_double = true};
    TreeRun forward = {0}, backward = {.backward = true};
    Launch *left = launch_copy(io->unit->arena, run->before), *right = launch_copy(io->unit->arena, run->before);
    set_tangents(io->directions, left, rng_at(seed, 0, STREAM_IO_DIRECTIONS));
    if (!ast_program_run(io->ast, left, &ast) || !tree_execute(io->in_double, right, &forward))
        return false;
    if (!set_cotangents(io->directions, run->before, right))
        return true;
    return tree_execute(io->in_double, right, &backward) &&
           dot_products(io->directions, left, right).error <= tolerance;
}

static bool run_backward(Io *io, LaunchRun *run, uint64_t seed)
{
    io->rng = rng_at(seed, 0, STREAM_COTANGENTS);
    for (uint32_t i = 0; i < run->after->arg_count; i++)
        give_gradients(io, &run->before->args[i], &run->after->args[i]);
    run->backward = run_reverse(io, run->after);
    for (int n = 0; run->backward && n < NUDGED_LAUNCHES; n++) {
        launch_visit(run->nudged[n], run->after, take_gradients, NULL);
        run->nudged_backward[n] = run_reverse(io, run->nudged[n]);
        if (!run->nudged_backward[n] ||
            (io->options->choose && !is_steady(run->backward, run->nudged_backward[n], true)))
            run->backward = NULL;
    }
    return run->backward && (!io->in_double || is_true_gradient(io, run, seed));
}

/* ---- choosing launches ---- */

/* What the launches that were chosen until now have done together. */
typedef struct Choice {
    LaunchRun runs[MOST_RUNS + SMALL_LAUNCHES];
    uint32_t count;
    LaunchRun spare[CHECK_MOST_LAUNCHES]; /* ran well, but told nothing new */
    uint32_t spare_count;
    uint32_t outcomes; /* ways that branches went */
    bool *changed;     /* of each argument of the description */
    bool has_slope;    /* a gradient is not zero */
} Choice;

static uint32_t count_outcomes(const TreeCoverage *coverage)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < coverage->count; i++)
        count += coverage->seen[i];
    return count;
}

static bool is_column_changed(const LaunchValue *before, const LaunchValue *after, const Type *type, const char *path,
                              uint32_t *offset);

/* "out", "state.velocity": an argument, a field of a struct, or one of the elements of an array. */
static bool is_path_changed(const LaunchValue *before, const LaunchValue *after, const char *path)
{
    const Type *type = before->type->kind == TYPE_ARRAY ? type_canonical(before->type->array.dtype) : before->type;
    for (uint32_t i = 0; *path && i < before->field_count; i++) {
        const char *rest;
        if (begins_with(path, before->type->decl->fields[i].name, &rest))
            return is_path_changed(&before->fields[i], &after->fields[i], rest);
    }
    uint32_t offset = 0;
    if (*path && type->kind == TYPE_STRUCT && !before->field_count)
        return is_column_changed(before, after, type, path, &offset);
    return any_change(before, after);
}

static bool is_column_changed(const LaunchValue *before, const LaunchValue *after, const Type *type, const char *path,
                              uint32_t *offset)
{
    type = type_canonical(type);
    for (uint32_t i = 0; type->kind == TYPE_STRUCT && i < type->decl->field_count; i++) {
        const char *rest;
        if (begins_with(path, type->decl->fields[i].name, &rest))
            return is_column_changed(before, after, type->decl->fields[i].type, rest, offset);
        *offset += launch_cells_of(type->decl->fields[i].type);
    }
    size_t width = launch_cells_of(type) * sizeof(Cell);
    for (size_t i = *offset; i < before->count * before->width; i += before->width)
        if (memcmp(&before->cells[i], &after->cells[i], width) != 0)
            return true;
    return false;
}

/* Notes which outputs the launch changes; true: one that none has changed before. */
static bool note_changes(const Io *io, Choice *choice, const LaunchRun *run)
{
    const Code *code = io->module->kernel->code;
    bool is_new = false;
    for (uint32_t i = 0; i < io->description->arg_count; i++)
        for (uint32_t k = 0; io->description->args[i].is_output && !choice->changed[i] && k < code->param_count; k++) {
            const char *rest;
            if (begins_with(io->description->args[i].name, code->params[k].name, &rest) &&
                is_path_changed(&run->before->args[k], &run->after->args[k], rest))
                choice->changed[i] = is_new = true;
        }
    return is_new;
}

/* What was overwritten has none left: that alone is no slope. */
static void look_for_slope(LaunchValue *after, LaunchValue *backward, void *user)
{
    bool *found = user;
    for (size_t i = 0; has_gradient(after) && i < after->count * after->width; i++)
        *found |= backward->gradients[i] != 0 && backward->gradients[i] != after->gradients[i];
}

/* A launch that ran well: is it one of those, or only one to fall back on? */
static void weigh_run(const Io *io, Choice *choice, const LaunchRun *run)
{
    uint32_t outcomes = count_outcomes(io->coverage);
    bool slope = false;
    if (run->backward)
        launch_visit(run->after, run->backward, look_for_slope, &slope);
    bool is_new = outcomes > choice->outcomes, is_needed = slope && !choice->has_slope;
    is_needed |= note_changes(io, choice, run);
    choice->outcomes = outcomes;
    choice->has_slope |= slope;
    if ((is_needed && choice->count < MOST_RUNS) || (is_new && choice->count < io->options->launches + MORE_LAUNCHES))
        choice->runs[choice->count++] = *run;
    else if (choice->spare_count < io->options->launches)
        choice->spare[choice->spare_count++] = *run;
}

static bool is_enough(const Io *io, const Choice *choice)
{
    for (uint32_t i = 0; i < io->description->arg_count; i++)
        if (io->description->args[i].is_output && !choice->changed[i])
            return false;
    bool slope = !io->options->backward || !io->options->wants_slope || choice->has_slope;
    return slope && choice->count + choice->spare_count >= io->options->launches;
}

/* What a launch needs beyond its forward run to be one of those that are stored. */
static bool complete_run(Io *io, LaunchRun *run, uint64_t seed)
{
    return run_strictly(io, run) && run_nudged(io, run, seed) &&
           (!io->options->backward || run_backward(io, run, seed));
}

/* False: something went wrong. A launch that would not be taken is not looked at any further. */
static bool finish_run(Io *io, Choice *choice, LaunchRun *run, uint64_t seed)
{
    if (is_enough(io, choice) && count_outcomes(io->coverage) == choice->outcomes)
        return true;
    if (!complete_run(io, run, seed))
        return false;
    weigh_run(io, choice, run);
    return true;
}

static bool try_draw(Io *io, const CheckLaunch *description, uint32_t draw, Choice *choice)
{
    uint64_t seed = io->options->seed + draw;
    TreeCoverage *coverage = io->coverage;
    uint8_t *seen = ARENA_ARRAY(io->unit->arena, uint8_t, coverage->count + 1);
    bool complete = coverage->complete;
    memcpy(seen, coverage->seen, coverage->count);
    LaunchRun run;
    static const InputKind kinds[] = {INPUTS_EVEN, INPUTS_EVEN, INPUTS_EDGES, INPUTS_EVEN, INPUTS_ALIKE};
    InputKind kind = io->options->choose ? kinds[draw % (sizeof kinds / sizeof *kinds)] : INPUTS_EVEN;
    if (run_forward(io, description, seed, kind, &run) && finish_run(io, choice, &run, seed))
        return true;
    memcpy(coverage->seen, seen, coverage->count); /* what it did is not done by any launch that is kept */
    memset(coverage->now, 0, coverage->count);
    coverage->complete = complete;
    return false;
}

/* Are further inputs to be tried? Without a choice, the first that run will do. */
static bool wants_more(const Io *io, const Choice *choice, uint32_t draw)
{
    if (!io->options->choose)
        return draw < PLAIN_DRAWS && !choice->count;
    if (is_enough(io, choice) && (io->coverage->complete || io->steps > EXTRA_STEPS))
        return false;
    return draw < io->options->launches + EXTRA_DRAWS;
}

static bool choose_launches(Io *io, const CheckLaunch *small, const CheckLaunch *larger, Choice *choice)
{
    *choice = (Choice){.changed = ARENA_ARRAY(io->unit->arena, bool, io->description->arg_count + 1)};
    io->coverage = tree_coverage_new(io->tree, MOST_NOTED);
    io->coverage->enough = 4;
    io->coverage->enough_each = 2;
    io->coverage->notes_bounds = true;
    io->steps = 0;
    for (uint32_t draw = 0, failed = 0; wants_more(io, choice, draw); draw++) {
        failed += !try_draw(io, draw < LARGER_AFTER ? small : larger, draw, choice);
        if (failed == FAILED_DRAWS && !choice->count && io->options->choose)
            return false;
    }
    while (choice->count < io->options->launches && choice->spare_count)
        choice->runs[choice->count++] = choice->spare[--choice->spare_count];
    return choice->count >= io->options->launches && is_enough(io, choice);
}

/* Numbers that only few inputs tell apart are found by many threads; integers are cheap to write down, and have no gradient. */
static bool has_only_integers(const Io *io)
{
    const Code *code = io->module->kernel->code;
    for (uint32_t i = 0; i < code->param_count; i++)
        if (!type_is_scalar(code->params[i].type) && !is_of_integers(code->params[i].type, ""))
            return false;
    return true;
}

/* A launch with more threads, which see more of what the inputs may be: as large as can be written down in few bytes. */
static CheckLaunch enlarge(Io *io, const CheckLaunch *small, Shrinking by)
{
    static const uint32_t more[] = {253, 125, 29, 13, 5}, most_elements[] = {700, 700, 700, 900, 1200};
    enum { FOR_INTEGERS = 2 /* of them */ };
    for (size_t i = has_only_integers(io) ? 0 : FOR_INTEGERS; i < sizeof more / sizeof *more; i++) {
        Shrinking larger_by = by;
        larger_by.limit = by.limit + more[i];
        larger_by.keep = larger_by.limit > by.keep ? larger_by.limit : by.keep;
        CheckLaunch larger = shrink_launch(io->unit->arena, io->module->kernel->code, io->description, larger_by);
        if (count_elements(&larger) <= most_elements[i])
            return larger;
    }
    return *small;
}

/* Others that are nearly as small: where there are few elements, the first and the last of them count, and numbers that are the same
 * for all threads get more values for few bytes. */
static void add_small_launches(Io *io, Shrinking way, Choice *choice)
{
    static const uint32_t more[SMALL_LAUNCHES] = {1, 3, 0, 2};
    enum { MOST_ELEMENTS = 120 };
    for (uint32_t i = 0; i < SMALL_LAUNCHES; i++) {
        Shrinking by = way;
        LaunchRun run;
        by.limit += more[i];
        by.keep = by.limit > by.keep ? by.limit : by.keep;
        CheckLaunch small = shrink_launch(io->unit->arena, io->module->kernel->code, io->description, by);
        uint64_t seed = io->options->seed + io->options->launches + EXTRA_DRAWS + i;
        if (count_elements(&small) <= MOST_ELEMENTS && run_forward(io, &small, seed, INPUTS_EVEN, &run) &&
            complete_run(io, &run, seed))
            choice->runs[choice->count++] = run;
    }
}

static void count_numbers(LaunchValue *value, LaunchValue *same, void *user)
{
    size_t *count = user;
    (void)same;
    *count += value->count * value->width;
}

/* The launch as it is described: three with so many numbers need more bytes than a record may spend on them. */
static bool is_too_large(const Io *io)
{
    enum { MOST_NUMBERS = 33000 };
    const char *why;
    size_t count = 0;
    Launch *launch = check_make_launch(io->unit, io->module, io->description, io->options->seed, &why);
    if (launch)
        launch_visit(launch, launch, count_numbers, &count);
    return count > MOST_NUMBERS;
}

/* As small as the kernel allows. */
static bool choose_size(Io *io, Choice *choice)
{
    enum { ENOUGH_RUNS = 3 }; /* sizes at which it runs, and yet some output never changes: others will not help */
    Shrinking way;
    for (uint32_t keep = io->options->size; keep; keep = keep < 64 ? 64 : 0) {
        Shrinking to_size = {.limit = io->options->size, .keep = keep};
        CheckLaunch sized = shrink_launch(io->unit->arena, io->module->kernel->code, io->description, to_size);
        if (choose_launches(io, &sized, &sized, choice))
            return true;
    }
    if (io->options->size)
        return false;
    for (uint32_t i = 0, ran = 0; io->options->choose && ran < ENOUGH_RUNS && way_to_shrink(io->description, i, &way);
         i++) {
        CheckLaunch small = shrink_launch(io->unit->arena, io->module->kernel->code, io->description, way);
        CheckLaunch larger = enlarge(io, &small, way);
        if (choose_launches(io, &small, &larger, choice)) {
            add_small_launches(io, way, choice);
            return true;
        }
        ran += choice->count >= io->options->launches;
    }
    if (io->options->choose && is_too_large(io))
        return false;
    return choose_launches(io, io->description, io->description, choice);
}

/* Only by the inputs: what arrays held before that are only written has a verdict of its own. */
static void prepare_gradient_test(Io *io)
{
    bool has_priors;
    Finding finding;
    const Code *code = io->module->kernel->code;
    io->in_double = tree_compile(io->unit->arena, io->module, true, &finding);
    io->directions =
        directions_new(io->unit->arena, argument_movements(io->unit->arena, code, io->description, &has_priors));
    hold_priors(io->directions, true);
}

bool check_write_launches(Unit *unit, const IrModule *module, const CheckLaunch *description, const IoOptions *options,
                          Text *out)
{
    Finding finding;
    IoOptions forward = *options;
    Io io = {.unit = unit, .module = module, .description = description, .options = options};
    io.ast = ast_program(unit, module->kernel->kernel);
    io.tree = tree_compile(unit->arena, module, false, &finding);
    if (options->backward && options->wants_slope)
        prepare_gradient_test(&io);
    Choice *choice = ARENA_NEW(unit->arena, Choice);
    bool done = io.tree && choose_size(&io, choice);
    forward.backward = false; /* a wrong backward pass may have no results that one could write down */
    io.options = &forward;
    if (io.tree && !done && options->backward && !options->wants_slope)
        done = choose_size(&io, choice);
    if (!done)
        return false;
    for (uint32_t i = 0; i < choice->count; i++) {
        text_str(out, i ? ", " : "[");
        write_launch_run(module, &choice->runs[i], out);
    }
    text_char(out, ']');
    return true;
}
