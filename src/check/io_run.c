/* Launches of a record, run: forward, strictly, with inputs that are moved in their last digits, and backward. */
#include "check/io_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STREAM_COTANGENTS = 13, STREAM_IO_NUDGES = 15, STREAM_IO_DIRECTIONS = 16 };
/* As many times a forward run: the syntax tree and moved inputs; reverse passes and the test of the gradient. */
enum { STRICT_COST = 5, BACKWARD_COST = 7 };

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
    value->gradients = ARENA_ARRAY(io->unit->building, double, value->count * value->width);
    bool output = is_changed(before, value);
    double *gradient = value->gradients;
    for (size_t i = 0; output && i < value->count; i++)
        for (uint32_t k = 0; k < value->width; k++, gradient++) {
            int eighths = (int)(rng_unit(&io->rng) * 16) - 8;
            if (type_is_float(value->cell_types[k]))
                *gradient = (eighths < 0 ? eighths : eighths + 1) / 8.0;
        }
}

bool any_change(const LaunchValue *before, const LaunchValue *after)
{
    bool changed = is_changed(before, after);
    for (uint32_t i = 0; i < before->field_count; i++)
        changed |= any_change(&before->fields[i], &after->fields[i]);
    return changed;
}

static bool all_finite(const LaunchValue *value)
{
    bool finite = is_finite(value, value->gradients);
    for (uint32_t k = 0; value->cells && k < value->width; k++)
        for (size_t i = k; type_is_float(value->cell_types[k]) && i < value->count * value->width; i += value->width)
            finite &= (bool)isfinite(value->cells[i].real);
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

/* Of gradients, those by any float are written down. */
static void look_for_few(LaunchValue *value, LaunchValue *same, void *user)
{
    enum { MANY = 8 };
    bool *enough = user;
    (void)same;
    *enough &= !is_float_array(value) || value->count * value->width >= MANY;
}

static void nudge_cells(LaunchValue *value, LaunchValue *same, void *user)
{
    Io *io = user;
    (void)same;
    Cell *cell = value->cells;
    for (size_t i = 0; i < value->count; i++)
        for (uint32_t k = 0; k < value->width; k++, cell++) {
            const Type *type = value->cell_types[k];
            if (type_is_float(type))
                cell->real =
                    round_to_type(cell->real * (1 + (rng_unit(&io->rng) * 4 - 2) * last_digit(type)), type->kind);
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
    for (int n = 0; n < NUDGED_LAUNCHES && (!n || nudged[n] != nudged[0]); n++)
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

bool has_spent(const Io *io, uint64_t much)
{
    return io->is_bounded && io->spent > much;
}

/* Of one run. Inputs that keep a kernel busy much longer than others are not worth their time, and may never end. */
static uint64_t most_steps(const Io *io)
{
    enum { FIRST = 4000000, LEAST = 300000, TIMES = 16 };
    if (io->is_bounded)
        return LONGEST_LAUNCH;
    return !io->usual_steps ? FIRST : io->usual_steps * TIMES > LEAST ? io->usual_steps * TIMES : LEAST;
}

bool run_forward(Io *io, const CheckLaunch *description, uint64_t seed, InputKind kind, TreeCoverage *coverage,
                 LaunchRun *run)
{
    const char *why;
    *run = (LaunchRun){.before = make_launch(io->unit, io->module, description, seed, kind, &why)};
    if (!run->before)
        return false;
    run->after = launch_copy(io->unit->building, run->before);
    TreeRun tree = {.coverage = coverage, .max_steps = most_steps(io)};
    bool has_run = tree_execute(io->tree, run->after, &tree);
    io->steps += tree.steps;
    io->spent += tree.steps;
    run->steps = tree.steps;
    io->too_long += tree.finding.kind == FINDING_TOO_MANY_STEPS;
    if (!has_run)
        return false;
    io->usual_steps = tree.steps > io->usual_steps ? tree.steps : io->usual_steps;
    bool changed = false, finite = true;
    for (uint32_t i = 0; i < run->after->arg_count; i++) {
        changed |= any_change(&run->before->args[i], &run->after->args[i]);
        finite &= all_finite(&run->after->args[i]);
    }
    return changed && finite;
}

/* The syntax tree, strictly: without a finding, and with the same values. */
static bool run_strictly(Io *io, LaunchRun *run, uint64_t seed)
{
    AstRun strict = {.detect_races = true};
    run->strict = launch_copy(io->unit->building, run->before);
    if (io->directions)
        set_tangents(io->directions, run->strict, rng_at(seed, 0, STREAM_IO_DIRECTIONS));
    return ast_program_run(io->ast, run->strict, &strict) && check_difference(run->strict, run->after) <= 2e-3;
}

/* One run tells how far all numbers of a launch move, unless there are few of them. */
static bool is_one_nudge_enough(const Launch *launch)
{
    bool enough = true;
    launch_visit(launch, launch, look_for_few, &enough);
    return enough;
}

static bool run_nudged(Io *io, LaunchRun *run, uint64_t seed)
{
    bool fine = true;
    io->rng = rng_at(seed, 0, STREAM_IO_NUDGES);
    for (int n = 0; fine && n < NUDGED_LAUNCHES; n++) {
        TreeRun tree = {.max_steps = most_steps(io)};
        if (n && is_one_nudge_enough(run->before)) {
            run->nudged[n] = run->nudged[0];
            continue;
        }
        run->nudged[n] = launch_copy(io->unit->building, run->before);
        launch_visit(run->nudged[n], run->nudged[n], nudge_cells, io);
        fine = tree_execute(io->tree, run->nudged[n], &tree) &&
               (!io->options->choose || is_steady(run->after, run->nudged[n], false));
    }
    return fine;
}

static Launch *run_reverse(Io *io, const Launch *after)
{
    TreeRun run = {.backward = true, .max_steps = most_steps(io)};
    Launch *backward = launch_copy(io->unit->building, after);
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

/* ---- is the gradient right on this launch? ----
 *
 * One that is right on most inputs may be wrong on some: where two numbers are equal of which the larger one is wanted, say. */

/* w·(J u) and (Jᵀ w)·u of what was run already: w is what the record gives as cotangents, u are the tangents of the strict run. */
typedef struct RoundedDots {
    double exact, exact_size, warp, warp_size;
    double digit; /* the last one, of the finest type */
} RoundedDots;

static void add_term(double term, double *sum, double *size)
{
    *sum += term;
    *size += fabs(term);
}

/* Cells that no thread has touched stand for themselves on both sides, and are left out. */
static void add_rounded_dots(RoundedDots *dots, const double *start, const LaunchValue *strict,
                             const LaunchValue *after, const LaunchValue *backward)
{
    dots->digit = fmin(dots->digit, last_digit(strict->cell_types[0]));
    for (size_t i = 0; i < strict->count * strict->width; i++) {
        double weight = after->gradients[i];
        if (strict->tangents[i] != start[i])
            add_term(weight * (strict->tangents[i] - start[i]), &dots->exact, &dots->exact_size);
        if (backward->gradients[i] != weight)
            add_term((backward->gradients[i] - weight) * start[i], &dots->warp, &dots->warp_size);
    }
}

static void visit_rounded_dots(RoundedDots *dots, const LaunchValue *start, const LaunchValue *strict,
                               const LaunchValue *after, const LaunchValue *backward)
{
    for (uint32_t i = 0; i < strict->field_count; i++)
        visit_rounded_dots(dots, &start->fields[i], &strict->fields[i], &after->fields[i], &backward->fields[i]);
    if (!strict->field_count && is_float_array(strict))
        add_rounded_dots(dots, start->tangents, strict, after, backward);
}

/* The products are as near to each other as the record asks of a gradient at least. False: that says nothing, as rounding may be
 * the reason. It costs next to nothing, as both evaluators have run; the test in double takes three runs. */
static bool is_true_when_rounded(Io *io, const LaunchRun *run, uint64_t seed)
{
    RoundedDots dots = {.digit = (double)FLT_EPSILON};
    Launch *start = launch_copy(io->unit->building, run->before);
    set_tangents(io->directions, start, rng_at(seed, 0, STREAM_IO_DIRECTIONS));
    for (uint32_t i = 0; i < start->arg_count; i++)
        visit_rounded_dots(&dots, &start->args[i], &run->strict->args[i], &run->after->args[i],
                           &run->backward->args[i]);
    return fabs(dots.exact - dots.warp) <= DIGITS * dots.digit * fmax(dots.exact_size, dots.warp_size);
}

static bool is_true_in_double(Io *io, const LaunchRun *run, uint64_t seed)
{
    const double tolerance = 1e-6;
    Finding finding;
    AstRun ast = {.in_double = true};
    TreeRun forward = {.max_steps = most_steps(io)}, backward = {.backward = true, .max_steps = most_steps(io)};
    Launch *left = launch_copy(io->unit->building, run->before), *right = launch_copy(io->unit->building, run->before);
    TreeProgram *in_double = region_tree_program(io->programs, true, &finding);
    set_tangents(io->directions, left, rng_at(seed, 0, STREAM_IO_DIRECTIONS));
    if (!in_double) /* what it does not know cannot be tested */
        return true;
    if (!tree_execute(in_double, right, &forward) || !ast_program_run(io->ast, left, &ast))
        return false;
    if (!set_cotangents(io->directions, run->before, right))
        return true;
    return tree_execute(in_double, right, &backward) && dot_products(io->directions, left, right).error <= tolerance;
}

static bool run_backward(Io *io, LaunchRun *run, uint64_t seed)
{
    io->spent += run->steps * BACKWARD_COST;
    io->rng = rng_at(seed, 0, STREAM_COTANGENTS);
    for (uint32_t i = 0; i < run->after->arg_count; i++)
        give_gradients(io, &run->before->args[i], &run->after->args[i]);
    run->backward = run_reverse(io, run->after);
    for (int n = 0; run->backward && n < NUDGED_LAUNCHES; n++) {
        if (n && run->nudged[n] == run->nudged[0]) {
            run->nudged_backward[n] = run->nudged_backward[0];
            continue;
        }
        launch_visit(run->nudged[n], run->after, take_gradients, NULL);
        run->nudged_backward[n] = run_reverse(io, run->nudged[n]);
        if (!run->nudged_backward[n] ||
            (io->options->choose && !is_steady(run->backward, run->nudged_backward[n], true)))
            run->backward = NULL;
    }
    return run->backward &&
           (!io->directions || is_true_when_rounded(io, run, seed) || is_true_in_double(io, run, seed));
}

bool complete_run(Io *io, LaunchRun *run, uint64_t seed)
{
    io->spent += run->steps * STRICT_COST;
    return run_strictly(io, run, seed) && run_nudged(io, run, seed) &&
           (!io->options->backward || run_backward(io, run, seed));
}
