#include "gpu/reference.h"

#include "base/rng.h"
#include "eval/ast/eval.h"

#include <math.h>

enum {
    STREAM_COTANGENTS = 21,
    STREAM_MOVES = 22,
    DRAWS = 8,
    MAX_STEPS = 4 * CHECK_LAUNCH_STEPS /* what a data set holds was judged by some of its threads */
};

/* A number that no kernel computes by chance, exact in every type. */
static const double POISON_REAL = -47104;
static const int64_t POISON_INTEGER = 0x5A;

/* ---- cells ---- */

static bool same_cell(const LaunchValue *a, const LaunchValue *b, size_t i)
{
    return a->cells[i].integer == b->cells[i].integer ||
           (launch_cell_is_real(a, i) && a->cells[i].real == b->cells[i].real);
}

static bool is_changed(const LaunchValue *value, const LaunchValue *other)
{
    for (size_t i = 0; i < launch_cell_count(value); i++)
        if (!same_cell(value, other, i))
            return true;
    return false;
}

/* ---- running ---- */

static Launch *run_how(Reference *reference, TreeProgram *program, const Launch *from, bool backward, TreeRun how)
{
    Launch *launch = launch_copy(reference->unit->arena, from);
    how.backward = backward;
    how.max_steps = MAX_STEPS;
    if (tree_execute(program, launch, &how) && how.remark.kind == FINDING_NONE)
        return launch;
    const Finding *finding = how.finding.kind ? &how.finding : &how.remark;
    reference->why = arena_format(reference->unit->arena, "%s: %s", finding_name(finding->kind),
                                  finding->message ? finding->message : "");
    return NULL;
}

static Launch *run(Reference *reference, TreeProgram *program, const Launch *from, bool backward)
{
    return run_how(reference, program, from, backward, (TreeRun){0});
}

/* What a kernel with a race computes depends on the machine. Whatever else is found, the region tree finds, too. Lanes of a block
 * that store at one place store the same; but as Warp writes it, each of them takes the gradient from there and clears it, so that on a GPU the
 * reverse pass has a race. */
static bool has_race(Reference *reference)
{
    AstRun how = {.detect_races = true};
    Launch *launch = launch_copy(reference->unit->arena, reference->start);
    bool done = ast_run(reference->unit, reference->module->kernel->kernel, launch, &how);
    reference->backward &= !how.lanes_meet;
    if (done || how.finding.kind != FINDING_RACE || !reference->races)
        return false;
    reference->why = "race: two threads touch one element";
    return true;
}

/* One more pair of runs, forward and, where wanted, backward. */
static bool run_both(Reference *reference, const Launch *start, TreeRun how, RunPair *forward, RunPair *reverse)
{
    forward->own = run_how(reference, reference->own, start, false, how);
    forward->exact = forward->own ? run_how(reference, reference->exact, start, false, how) : NULL;
    if (!forward->exact || !reference->backward)
        return forward->exact != NULL;
    reverse->own = run_how(reference, reference->own, forward->own, true, how);
    reverse->exact = reverse->own ? run_how(reference, reference->exact, forward->exact, true, how) : NULL;
    return reverse->exact != NULL;
}

static bool add_runs(Reference *reference, const Launch *start)
{
    Runs *forward = &reference->forward, *reverse = &reference->reverse;
    if (!run_both(reference, start, (TreeRun){0}, &forward->moved[forward->count], &reverse->moved[reverse->count]))
        return false;
    forward->count++;
    reverse->count += reference->backward;
    return true;
}

/* ---- other orders of the threads ---- */

static void add_order(Reference *reference, uint64_t first_thread, uint64_t stride)
{
    Runs *forward = &reference->forward, *reverse = &reference->reverse;
    TreeRun how = {.first_thread = first_thread, .stride = stride};
    if (!run_both(reference, reference->start, how, &forward->ordered[forward->orders],
                  &reverse->ordered[reverse->orders]))
        return;
    forward->orders++;
    reverse->orders += reference->backward;
}

static void add_orders(Reference *reference)
{
    uint64_t count = launch_size(reference->start);
    add_order(reference, count - 1, count - 1); /* the last first */
    for (uint32_t order = 1; order < MAX_ORDERS; order++)
        add_order(reference, count * order / MAX_ORDERS, count * order * 3 / (4 * MAX_ORDERS) + 1);
}

static void add_sizes(Reference *reference)
{
    TreeRun how = {.sizes = true};
    reference->forward.sizes = run_how(reference, reference->exact, reference->start, false, how);
    if (reference->backward)
        reference->reverse.sizes = run_how(reference, reference->exact, reference->forward.moved[0].exact, true, how);
}

void reference_rotate(Reference *reference)
{
    uint64_t count = launch_size(reference->start);
    uint64_t rotations = count < MAX_ROTATIONS ? count : MAX_ROTATIONS;
    reference->rotated = true;
    for (uint64_t i = 1; i < rotations; i++)
        add_order(reference, count * i / rotations, 1);
}

/* ---- poison ---- */

static void poison_if_changed(LaunchValue *value, LaunchValue *after, void *user)
{
    bool *any = user;
    if (value->type->kind != TYPE_ARRAY || !is_changed(value, after))
        return;
    *any = true;
    for (size_t i = 0; i < launch_cell_count(value); i++)
        if (launch_cell_is_real(value, i))
            value->cells[i].real = POISON_REAL;
        else
            value->cells[i].integer = value->cell_types[i % value->width]->kind == TYPE_BOOL ? 1 : POISON_INTEGER;
}

/* `value` came out of a poisoned start: each cell must be what it was without poison, or must never have been written. */
static void compare_poisoned(LaunchValue *value, LaunchValue *after, void *user)
{
    bool *same = user;
    for (size_t i = 0; *same && value->type->kind == TYPE_ARRAY && i < launch_cell_count(value); i++)
        *same = same_cell(value, after, i) ||
                (launch_cell_is_real(value, i) ? value->cells[i].real == POISON_REAL
                                               : value->cells[i].integer == POISON_INTEGER ||
                                                     value->cell_types[i % value->width]->kind == TYPE_BOOL);
}

/* Outputs that the kernel does not read are filled with poison: what it fails to write shows. An output that it adds to
 * keeps the values of the launch. */
static void poison_outputs(Reference *reference, const Launch *after)
{
    Launch *poisoned = launch_copy(reference->unit->arena, reference->start), *result;
    bool any = false, same = true;
    launch_visit(poisoned, after, poison_if_changed, &any);
    if (!any || !(result = run(reference, reference->own, poisoned, false)))
        return;
    launch_visit(result, after, compare_poisoned, &same);
    if (same) {
        reference->start = poisoned;
        reference->poisoned = true;
    }
}

/* ---- gradients ---- */

typedef struct GradientDraw {
    Arena *arena;
    Rng rng;
    bool any;
} GradientDraw;

/* Every float array has a gradient; that of an output starts with random numbers, others with zero. */
static void draw_gradient(LaunchValue *value, LaunchValue *after, void *user)
{
    GradientDraw *draws = user;
    if (value->type->kind != TYPE_ARRAY || !value->width || !type_is_float(value->cell_types[0]))
        return;
    value->gradients = ARENA_ARRAY(draws->arena, double, launch_cell_count(value));
    if (!is_changed(value, after))
        return;
    draws->any = true;
    for (size_t i = 0; i < launch_cell_count(value); i++)
        if (launch_cell_is_real(value, i)) {
            double draw = rng_unit(&draws->rng) * 2 - 1;
            value->gradients[i] =
                round_to_type(draw + (draw < 0 ? -0.1 : 0.1), value->cell_types[i % value->width]->kind);
        }
}

/* ---- the whole ---- */

static bool try_seed(Reference *reference, const CheckLaunch *description, uint64_t seed)
{
    reference->seed = seed;
    reference->forward = reference->reverse = (Runs){0};
    reference->poisoned = false;
    reference->start = check_make_launch(reference->unit, reference->module, description, seed, &reference->why);
    if (reference->start && (reference->races || reference->module->uses_tiles) && has_race(reference))
        return false;
    const Launch *after = reference->start ? run(reference, reference->own, reference->start, false) : NULL;
    if (!after)
        return false;
    if (reference->backward) {
        GradientDraw draws = {reference->unit->arena, rng_at(seed, 0, STREAM_COTANGENTS), false};
        launch_visit(reference->start, after, draw_gradient, &draws);
    }
    poison_outputs(reference, after);
    reference->why = NULL;
    return add_runs(reference, reference->start);
}

bool reference_make(Reference *reference, Unit *unit, const IrModule *module, const CheckLaunch *description,
                    uint64_t seed, bool backward, bool races)
{
    Finding finding;
    const Code *code = module->kernel->code;
    *reference = (Reference){.unit = unit, .module = module, .races = races};
    reference->names = ARENA_ARRAY(unit->arena, const char *, code->param_count);
    for (uint32_t i = 0; i < code->param_count; i++)
        reference->names[i] = code->params[i].name->text;
    reference->own = tree_compile(unit->arena, module, false, &finding);
    reference->exact = reference->own ? tree_compile(unit->arena, module, true, &finding) : NULL;
    if (!reference->exact) {
        reference->why = finding.message ? finding.message : finding_name(finding.kind);
        return false;
    }
    for (uint32_t attempt = 0; attempt < DRAWS; attempt++) {
        reference->backward = backward;
        if (try_seed(reference, description, seed + attempt))
            return true;
    }
    /* Where no draw has a reverse pass that is defined, the forward one is still worth a comparison. */
    reference->backward = false;
    return backward && try_seed(reference, description, seed);
}

static double moved(double real, TypeKind kind, Rng *rng)
{
    int direction = rng_between(rng, -1, 1);
    double towards = direction < 0 ? -INFINITY : (double)INFINITY;
    if (!direction || real == 0 || real == POISON_REAL)
        return real;
    if (kind == TYPE_FLOAT64)
        return nextafter(real, towards);
    if (kind == TYPE_FLOAT32)
        return nextafterf((float)real, (float)towards);
    return round_to_type(real * (1 + direction * (kind == TYPE_FLOAT16 ? 0x1p-10 : 0x1p-7)), kind);
}

static void move_value(LaunchValue *value, LaunchValue *start, void *user)
{
    Rng *rng = user;
    (void)start;
    for (size_t i = 0; i < launch_cell_count(value); i++) {
        TypeKind kind = value->cell_types[i % value->width]->kind;
        if (!launch_cell_is_real(value, i))
            continue;
        value->cells[i].real = moved(value->cells[i].real, kind, rng);
        if (value->gradients)
            value->gradients[i] = moved(value->gradients[i], kind, rng);
    }
}

void reference_widen(Reference *reference)
{
    for (uint32_t attempt = 1; attempt < MAX_RUNS; attempt++) {
        Launch *moved = launch_copy(reference->unit->arena, reference->start);
        Rng rng = rng_at(reference->seed, attempt, STREAM_MOVES);
        launch_visit(moved, moved, move_value, &rng);
        add_runs(reference, moved); /* a start that is not defined tells nothing */
    }
    add_orders(reference);
    add_sizes(reference);
    reference->widened = true;
}
