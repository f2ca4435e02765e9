#include "check/check.h"

#include "base/rng.h"
#include "eval/ast_eval.h"
#include "eval/tree_eval.h"

#include <math.h>
#include <string.h>

enum { STREAM_INPUTS = 11, STREAM_DIRECTIONS = 12, DEFAULT_SIZE = 8 };

const char *gradient_verdict_name(GradientVerdict verdict)
{
    static const char *const names[] = {"none", "pass", "mismatch"};
    return names[verdict];
}

const char *check_failure_name(CheckFailure failure)
{
    static const char *const names[] = {
        "ok",       "finding", "evaluators-disagree", "unsupported", "constant-output", "all-zero", "copy-of-input",
        "no-output"};
    return names[failure];
}

/* ---- launches ---- */

const CheckArg *check_find_arg(const CheckLaunch *description, const char *name)
{
    for (uint32_t i = 0; i < description->arg_count; i++)
        if (strcmp(description->args[i].name, name) == 0)
            return &description->args[i];
    return NULL;
}

static Cell draw_cell(Rng *rng, const Type *type, double low, double high)
{
    Cell cell = {0};
    if (type_is_float(type))
        cell.real = round_to_type(low + (high - low) * rng_unit(rng), type->kind);
    else {
        double span = floor(high) - ceil(low) + 1;
        cell.integer = (int64_t)(ceil(low) + floor(rng_unit(rng) * (span > 1 ? span : 1)));
        if (type->kind == TYPE_BOOL)
            cell.integer = cell.integer != 0;
    }
    return cell;
}

/* Rotations are unit quaternions, whatever the range says. */
static void normalize_rotations(LaunchValue *value, const Type *element)
{
    bool quat = element->kind == TYPE_QUAT, transform = element->kind == TYPE_TRANSFORM;
    for (size_t i = 0; (quat || transform) && i < value->count; i++) {
        Cell *q = &value->cells[i * value->width + (transform ? 3 : 0)];
        double norm =
            sqrt(q[0].real * q[0].real + q[1].real * q[1].real + q[2].real * q[2].real + q[3].real * q[3].real);
        if (norm == 0)
            continue;
        for (int k = 0; k < 4; k++)
            q[k].real = round_to_type(q[k].real / norm, element->composite.dtype->kind);
    }
}

typedef struct Filler {
    Unit *unit;
    const CheckLaunch *description;
    Rng rng;
} Filler;

static void fill_value(Filler *filler, LaunchValue *value, const char *path)
{
    if (value->field_count) {
        for (uint32_t i = 0; i < value->field_count; i++) {
            const char *field = value->type->decl->fields[i].name->text;
            fill_value(filler, &value->fields[i],
                       arena_join(filler->unit->arena, arena_join(filler->unit->arena, path, "."), field));
        }
        return;
    }
    const CheckArg *arg = check_find_arg(filler->description, path);
    bool floats = value->width && type_is_float(value->cell_types[0]);
    /* Without a word from the user: floats that most functions take, counts that fit the default arrays, indices into them. */
    double low = floats                            ? 0.25
                 : value->type->kind == TYPE_ARRAY ? 0
                                                   : 3,
           high = floats                            ? 0.95
                  : value->type->kind == TYPE_ARRAY ? DEFAULT_SIZE - 1
                                                    : 6;
    if (arg && arg->has_range) {
        low = arg->low;
        high = arg->high;
    }
    for (size_t i = 0; i < value->count * value->width; i++) {
        const Type *type = value->cell_types[i % value->width];
        value->cells[i] = arg && arg->has_value ? draw_cell(&filler->rng, type, arg->value, arg->value)
                                                : draw_cell(&filler->rng, type, low, high);
    }
    const Type *element = value->type->kind == TYPE_ARRAY ? value->type->array.dtype : value->type;
    if (low < high)
        normalize_rotations(value, element);
}

/* Arrays in a struct may each have a shape of their own. */
static bool layout_value(Filler *filler, LaunchValue *value, const Type *type, const char *path)
{
    const uint32_t default_shape[4] = {DEFAULT_SIZE, DEFAULT_SIZE, DEFAULT_SIZE, DEFAULT_SIZE};
    const CheckArg *arg = check_find_arg(filler->description, path);
    if (!launch_value_init(filler->unit, value, type, arg && arg->ndim ? arg->shape : default_shape))
        return false;
    for (uint32_t i = 0; i < value->field_count; i++) {
        const StructField *field = &value->type->decl->fields[i];
        const char *inner =
            arena_join(filler->unit->arena, arena_join(filler->unit->arena, path, "."), field->name->text);
        if (!layout_value(filler, &value->fields[i], field->type, inner))
            return false;
    }
    return true;
}

Launch *check_make_launch(Unit *unit, const IrModule *module, const CheckLaunch *description, uint64_t seed,
                          const char **why)
{
    const Code *code = module->kernel->code;
    Filler filler = {unit, description, rng_at(seed, 0, STREAM_INPUTS)};
    Launch *launch = ARENA_NEW(unit->arena, Launch);
    launch->ndim = module->kernel->kernel_dim;
    for (uint32_t i = 0; i < 4; i++)
        launch->dim[i] = i < description->ndim                    ? description->dim[i]
                         : i < launch->ndim && !description->ndim ? DEFAULT_SIZE
                                                                  : 1;
    launch->arg_count = code->param_count;
    launch->args = ARENA_ARRAY(unit->arena, LaunchValue, code->param_count);
    for (uint32_t i = 0; i < code->param_count; i++) {
        const char *name = code->params[i].name->text;
        const CheckArg *arg = check_find_arg(description, name);
        const Type *type = code->params[i].type;
        if (arg && arg->ndim && (type->kind != TYPE_ARRAY || type->array.ndim != arg->ndim)) {
            *why = arena_format(unit->arena, "the shape given for '%s' does not fit its type", name);
            return NULL;
        }
        if (!layout_value(&filler, &launch->args[i], type, name)) {
            *why = arena_format(unit->arena, "an argument of the type of '%s' cannot be made", name);
            return NULL;
        }
        fill_value(&filler, &launch->args[i], name);
    }
    return launch;
}

/* ---- going through the cells of a launch ---- */

typedef void CellVisitor(LaunchValue *a, LaunchValue *b, void *user);

static void visit_value(LaunchValue *a, LaunchValue *b, CellVisitor *visit, void *user)
{
    if (a->field_count)
        for (uint32_t i = 0; i < a->field_count; i++)
            visit_value(&a->fields[i], &b->fields[i], visit, user);
    else
        visit(a, b, user);
}

static void visit_launches(Launch *a, Launch *b, CellVisitor *visit, void *user)
{
    for (uint32_t i = 0; i < a->arg_count; i++)
        visit_value(&a->args[i], &b->args[i], visit, user);
}

static bool is_float_array(const LaunchValue *value)
{
    return value->type->kind == TYPE_ARRAY && value->width && type_is_float(value->cell_types[0]);
}

/* ---- comparing values ---- */

typedef struct Difference {
    double largest; /* relative; 1 for integers */
} Difference;

static void compare_cells(LaunchValue *a, LaunchValue *b, void *user)
{
    Difference *difference = user;
    if (a->type->kind != TYPE_ARRAY)
        return;
    double scale = 0;
    for (size_t i = 0; i < a->count * a->width; i++)
        if (type_is_float(a->cell_types[i % a->width]) && fabs(a->cells[i].real) > scale)
            scale = fabs(a->cells[i].real);
    for (size_t i = 0; i < a->count * a->width; i++) {
        double error;
        if (type_is_float(a->cell_types[i % a->width])) {
            double size = fmax(fabs(a->cells[i].real), fmax(1e-3 * scale, 1e-6));
            error = a->cells[i].real == b->cells[i].real ? 0 : fabs(a->cells[i].real - b->cells[i].real) / size;
        } else
            error = a->cells[i].integer != b->cells[i].integer;
        if (!(error <= difference->largest)) /* NaN counts */
            difference->largest = error;
    }
}

double check_difference(Launch *a, Launch *b)
{
    Difference result = {0};
    visit_launches(a, b, compare_cells, &result);
    return result.largest;
}

/* ---- filters ---- */

typedef struct Effects {
    bool written, nonzero, copied_only;
    Launch *before;
} Effects;

static bool same_cell(const LaunchValue *a, size_t i, const LaunchValue *b, size_t k)
{
    return type_is_float(a->cell_types[i % a->width]) ? a->cells[i].real == b->cells[k].real
                                                      : a->cells[i].integer == b->cells[k].integer;
}

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
    if (before->type->kind != TYPE_ARRAY)
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

static CheckFailure degenerate(Launch *before, Launch *after)
{
    Effects effects = {.copied_only = true, .before = before};
    visit_launches(before, after, look_for_effects, &effects);
    if (!effects.written)
        return CHECK_NO_OUTPUT;
    if (!effects.nonzero)
        return CHECK_ALL_ZERO;
    return effects.copied_only ? CHECK_COPY : CHECK_OK;
}

/* ---- gradients ---- */

typedef struct Directions {
    Unit *unit;
    Rng rng;
    bool fixed; /* of a fixed array all tangents are zero */
} Directions;

static double draw_direction(Rng *rng)
{
    double value = rng_unit(rng) * 2 - 1;
    return value + (value < 0 ? -0.1 : 0.1); /* none vanishes */
}

static void set_tangents(LaunchValue *value, LaunchValue *after, void *user)
{
    Directions *directions = user;
    (void)after;
    if (!is_float_array(value))
        return;
    value->tangents = ARENA_ARRAY(directions->unit->arena, double, value->count * value->width);
    for (size_t i = 0; i < value->count * value->width; i++)
        if (!directions->fixed && type_is_float(value->cell_types[i % value->width]))
            value->tangents[i] = draw_direction(&directions->rng);
}

static void set_gradients(LaunchValue *value, LaunchValue *after, void *user)
{
    Directions *directions = user;
    if (!is_float_array(value))
        return;
    bool changed = false;
    for (size_t i = 0; i < value->count * value->width; i++)
        changed |= !same_cell(value, i, after, i);
    value->gradients = ARENA_ARRAY(directions->unit->arena, double, value->count * value->width);
    for (size_t i = 0; changed && i < value->count * value->width; i++)
        if (type_is_float(value->cell_types[i % value->width]))
            value->gradients[i] = draw_direction(&directions->rng);
}

typedef struct Dot {
    double sum, size;
} Dot;

static void dot_tangents(LaunchValue *tangents, LaunchValue *gradients, void *user)
{
    Dot *dot = user;
    if (!is_float_array(tangents) || !tangents->tangents || !gradients->gradients)
        return;
    for (size_t i = 0; i < tangents->count * tangents->width; i++) {
        double term = tangents->tangents[i] * gradients->gradients[i];
        dot->sum += term;
        dot->size += fabs(term);
    }
}

static void count_gradient_cells(LaunchValue *value, LaunchValue *other, void *user)
{
    size_t *count = user;
    (void)other;
    for (size_t i = 0; value->gradients && i < value->count * value->width; i++)
        *count += value->gradients[i] != 0;
}

typedef struct Checker {
    Unit *unit;
    const IrModule *module;
    const CheckLaunch *description;
    const CheckOptions *options;
    AstProgram *ast;
    TreeProgram *tree_double;
    Launch *start; /* never changed */
    Launch *after; /* after a forward run of the region tree, in double */
    CheckResult *result;
} Checker;

static bool run_ast(Checker *c, Launch *launch, bool in_double, bool races)
{
    AstRun run = {.in_double = in_double, .detect_races = races, .max_steps = c->options->max_steps};
    if (ast_program_run(c->ast, launch, &run))
        return true;
    c->result->finding = run.finding;
    c->result->failure = run.finding.kind == FINDING_UNSUPPORTED ? CHECK_UNSUPPORTED : CHECK_FINDING;
    return false;
}

static bool run_tree(Checker *c, TreeProgram *program, Launch *launch, bool backward)
{
    TreeRun run = {.backward = backward, .max_steps = c->options->max_steps};
    bool done = tree_execute(program, launch, &run);
    const Finding *finding = done ? &run.remark : &run.finding;
    if (finding->kind != FINDING_NONE) {
        c->result->finding = *finding;
        c->result->reverse_finding = backward;
    }
    if (!done && !backward)
        c->result->failure = run.finding.kind == FINDING_UNSUPPORTED ? CHECK_UNSUPPORTED : CHECK_FINDING;
    return done;
}

static TreeProgram *compile_tree(Checker *c, bool in_double)
{
    Finding finding = {0};
    TreeProgram *program = tree_compile(c->unit->arena, c->module, in_double, &finding);
    if (!program) {
        c->result->finding = finding;
        c->result->failure = CHECK_UNSUPPORTED;
    }
    return program;
}

static bool is_fixed(const Checker *c, uint32_t i)
{
    const CheckArg *arg = check_find_arg(c->description, c->module->kernel->code->params[i].name->text);
    return arg && arg->has_value;
}

/* One direction: w·(J u) from the syntax tree against (Jᵀ w)·u from the region tree. */
static bool check_direction(Checker *c, uint32_t draw)
{
    Arena *arena = c->unit->arena;
    Launch *forward = launch_copy(arena, c->start), *backward = launch_copy(arena, c->after);
    Directions directions = {c->unit, rng_at(c->options->seed, draw, STREAM_DIRECTIONS), false};
    for (uint32_t i = 0; i < forward->arg_count; i++) {
        directions.fixed = is_fixed(c, i);
        visit_value(&forward->args[i], &c->after->args[i], set_tangents, &directions);
    }
    visit_launches(backward, c->start, set_gradients, &directions);
    size_t outputs = 0;
    visit_launches(backward, backward, count_gradient_cells, &outputs);
    if (!outputs) {
        c->result->gradient = GRADIENT_NONE;
        return false;
    }
    Launch *cotangents = launch_copy(arena, backward), *tangents = launch_copy(arena, forward);
    if (!run_ast(c, forward, true, false))
        return false;
    Dot exact = {0}, warp = {0};
    visit_launches(forward, cotangents, dot_tangents, &exact);
    bool ran = run_tree(c, c->tree_double, backward, true);
    if (ran)
        visit_launches(tangents, backward, dot_tangents, &warp);
    double error =
        ran ? fabs(exact.sum - warp.sum) / fmax(fmax(exact.size, warp.size) * 1e-3, fmax(fabs(exact.sum), 1e-12))
            : INFINITY;
    if (!(error <= c->result->gradient_error) || draw == 0) {
        c->result->gradient_error = isnan(error) ? INFINITY : error;
        c->result->true_dot = exact.sum;
        c->result->warp_dot = warp.sum;
    }
    double tolerance = c->options->tolerance > 0 ? c->options->tolerance : 1e-6;
    c->result->gradient = c->result->gradient_error <= tolerance ? GRADIENT_PASS : GRADIENT_MISMATCH;
    return c->result->gradient == GRADIENT_PASS;
}

/* ---- the whole check ---- */

/* The number of threads between two that are run, so that about `wanted` are. Odd: it meets all columns of a grid. */
static uint32_t thread_step(const Launch *launch, uint32_t wanted)
{
    uint64_t threads = 1;
    for (uint32_t i = 0; i < launch->ndim; i++)
        threads *= launch->dim[i];
    uint64_t step = threads / wanted;
    return step < 2 ? 1 : (uint32_t)(step | 1);
}

/* In the kernel's own types, on more threads than the rest: this run also looks for what is not defined. Two correct
 * evaluations may differ in the last digits. */
static bool check_rounded(Checker *c, uint32_t threads)
{
    Arena *arena = c->unit->arena;
    c->start->thread_step = threads ? thread_step(c->start, threads * 4) : 1;
    Launch *ast = launch_copy(arena, c->start), *tree = launch_copy(arena, c->start);
    TreeProgram *program;
    if (!run_ast(c, ast, false, true) || !(program = compile_tree(c, false)) || !run_tree(c, program, tree, false))
        return false;
    if (check_difference(ast, tree) > 2e-3)
        c->result->failure = CHECK_DISAGREE;
    else if (c->options->filters)
        c->result->failure = degenerate(c->start, ast);
    return c->result->failure == CHECK_OK;
}

/* In double, where the two must agree in all digits but the last few. The region tree's result goes to *after. */
static bool check_exact(Checker *c, const Launch *start, Launch **after)
{
    Launch *ast = launch_copy(c->unit->arena, start), *tree = *after = launch_copy(c->unit->arena, start);
    if (!run_ast(c, ast, true, false) || !run_tree(c, c->tree_double, tree, false))
        return false;
    double error = check_difference(ast, tree);
    if (!(error <= c->result->forward_error))
        c->result->forward_error = error;
    if (!(error <= 1e-9))
        c->result->failure = CHECK_DISAGREE;
    return c->result->failure == CHECK_OK;
}

static bool check_forward(Checker *c)
{
    uint32_t threads = c->options->threads;
    if (!check_rounded(c, threads))
        return false;
    c->start->thread_step = threads ? thread_step(c->start, threads) : 1;
    c->tree_double = compile_tree(c, true);
    return c->tree_double && check_exact(c, c->start, &c->after);
}

/* Other inputs, on other threads: the evaluators must agree again, and other inputs must give other outputs. */
static bool check_other_inputs(Checker *c, const CheckLaunch *description)
{
    const char *why;
    Launch *other = check_make_launch(c->unit, c->module, description, c->options->seed + 1, &why), *after,
           *first = c->after;
    if (!other)
        return false;
    other->thread_step = c->start->thread_step;
    if (c->options->filters) {
        if (!check_exact(c, other, &after))
            return false;
        bool same = true;
        for (uint32_t i = 0; same && i < first->arg_count; i++) {
            const LaunchValue *a = &first->args[i], *b = &after->args[i], *before = &c->start->args[i];
            bool output = false;
            for (size_t k = 0; a->type->kind == TYPE_ARRAY && k < a->count * a->width; k++)
                output |= !same_cell(a, k, before, k);
            for (size_t k = 0; output && same && k < a->count * a->width; k++)
                same = same_cell(a, k, b, k);
        }
        if (same)
            c->result->failure = CHECK_CONSTANT;
    }
    if (other->thread_step > 1 && c->result->failure == CHECK_OK) {
        other->thread_first = other->thread_step / 2;
        return check_exact(c, other, &after);
    }
    return c->result->failure == CHECK_OK;
}

void check_kernel(Unit *unit, const IrModule *module, const CheckLaunch *description, const CheckOptions *options,
                  CheckResult *result)
{
    memset(result, 0, sizeof *result);
    Checker c = {.unit = unit, .module = module, .description = description, .options = options, .result = result};
    const char *why = NULL;
    c.start = check_make_launch(unit, module, description, options->seed, &why);
    if (!c.start) {
        result->failure = CHECK_UNSUPPORTED;
        result->finding = (Finding){.kind = FINDING_UNSUPPORTED, .message = why};
        return;
    }
    c.ast = ast_program(unit, module->kernel->kernel);
    if (!check_forward(&c))
        return;
    if (!check_other_inputs(&c, description) || !module->enable_backward)
        return;
    for (uint32_t draw = 0; draw < (options->draws ? options->draws : 2); draw++)
        if (!check_direction(&c, draw))
            return;
}
