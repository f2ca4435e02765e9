#include "check/example.h"

#include "check/check_impl.h"
#include "check/io.h"
#include "eval/ast/eval.h"
#include "eval/tree/eval.h"

#include <math.h>
#include <string.h>

enum { MAX_CELLS = 256 };

/* The float cells of all arrays of a launch, one after the other. */
typedef struct Cells {
    struct {
        uint32_t arg;
        size_t at;
    } items[MAX_CELLS];
    uint32_t count;
    bool too_many;
} Cells;

static bool is_fixed(const CheckLaunch *description, const Param *param)
{
    const CheckArg *arg = check_find_arg(description, param->name->text);
    return arg && arg->has_value;
}

/* Can it move alone? A symmetric matrix stays so only if it is on its diagonal. */
static bool is_free(const LaunchValue *value, size_t cell)
{
    return !value->symmetric || cell % value->width % (value->symmetric + 1) == 0;
}

/* Collects the cells that differ from `before`, and all cells of arguments that are `written`. NULL: collects all cells
 * that the description does not fix. */
static void collect_cells(const Code *code, const CheckLaunch *description, const Launch *launch, const Launch *before,
                          const bool *written, Cells *cells)
{
    cells->count = 0;
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        const LaunchValue *value = &launch->args[i];
        if (!before && is_fixed(description, &code->params[i]))
            continue;
        for (size_t k = 0; is_float_array(value) && k < value->count * value->width; k++) {
            if (!type_is_float(value->cell_types[k % value->width]) || (!before && !is_free(value, k)) ||
                (before && !(written && written[i]) && value->cells[k].real == before->args[i].cells[k].real))
                continue;
            if (cells->count == MAX_CELLS) {
                cells->too_many = true;
                return;
            }
            cells->items[cells->count].arg = i;
            cells->items[cells->count++].at = k;
        }
    }
}

typedef struct Search {
    Arena *arena;
    AstProgram *ast;
    TreeProgram *tree, *rounded; /* in double, and in the kernel's own types; NULL: those do not matter */
    const Launch *start, *after, *after_rounded;
    Cells inputs, outputs;
    double *exact, *warp, *warp_rounded; /* outputs.count rows of inputs.count */
} Search;

static void clear_numbers(Arena *arena, Launch *launch, bool gradients)
{
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        LaunchValue *value = &launch->args[i];
        double *zeros = is_float_array(value) ? ARENA_ARRAY(arena, double, value->count * value->width) : NULL;
        if (gradients)
            value->gradients = zeros;
        else
            value->tangents = zeros;
    }
}

/* One input moves: how do the outputs? */
static bool exact_column(Search *s, uint32_t input)
{
    Launch *launch = launch_copy(s->arena, s->start);
    AstRun run = {.in_double = true, .carries_on = true};
    clear_numbers(s->arena, launch, false);
    launch->args[s->inputs.items[input].arg].tangents[s->inputs.items[input].at] = 1;
    if (!ast_program_run(s->ast, launch, &run))
        return false;
    for (uint32_t k = 0; k < s->outputs.count; k++)
        s->exact[k * s->inputs.count + input] = launch->args[s->outputs.items[k].arg].tangents[s->outputs.items[k].at];
    return true;
}

/* One output is asked for: what do the inputs get? */
static void add_row(Search *s, TreeProgram *tree, const Launch *after, uint32_t output, double *rows)
{
    Launch *launch = launch_copy(s->arena, after);
    TreeRun run = {.backward = true};
    clear_numbers(s->arena, launch, true);
    launch->args[s->outputs.items[output].arg].gradients[s->outputs.items[output].at] = 1;
    bool done = tree_execute(tree, launch, &run);
    for (uint32_t i = 0; i < s->inputs.count; i++)
        rows[output * s->inputs.count + i] =
            done ? launch->args[s->inputs.items[i].arg].gradients[s->inputs.items[i].at] : (double)NAN;
}

/* In the kernel's own types, rounding errors of the gradient may be larger than what is wrong with it. */
static bool is_steady(const Search *s, size_t at)
{
    if (!s->rounded || !isfinite(s->warp[at]))
        return true;
    return fabs(s->warp_rounded[at] - s->warp[at]) < fabs(s->warp[at] - s->exact[at]) / 2;
}

static const char *cell_name(Arena *arena, const Code *code, const Launch *launch, uint32_t arg, size_t at)
{
    const LaunchValue *value = &launch->args[arg];
    size_t element = at / value->width, indices[4] = {0};
    Text text;
    text_init_in(&text, arena);
    text_str(&text, code->params[arg].name->text);
    for (uint32_t d = value->ndim; d-- > 0; element /= value->shape[d])
        indices[d] = element % value->shape[d];
    for (uint32_t d = 0; d < value->ndim; d++)
        text_format(&text, "%s%zu", d ? ", " : "[", indices[d]);
    text_char(&text, ']');
    if (value->width > 1)
        text_format(&text, "[%zu]", at % value->width);
    return text_cstr(&text);
}

static bool find_worst(const Search *s, uint32_t *output, uint32_t *input)
{
    double worst = 1e-6;
    bool found = false;
    for (uint32_t k = 0; k < s->outputs.count; k++)
        for (uint32_t i = 0; i < s->inputs.count; i++) {
            double warp = s->warp[k * s->inputs.count + i], exact = s->exact[k * s->inputs.count + i];
            double error = fabs(warp - exact) / fmax(fmax(fabs(warp), fabs(exact)), 1e-3);
            if (isnan(error))
                error = isfinite(exact) ? INFINITY : 0;
            if (!(error > worst) || !is_steady(s, k * (size_t)s->inputs.count + i))
                continue;
            worst = error;
            *output = k;
            *input = i;
            found = true;
        }
    return found;
}

static const Launch *run_forward(const Search *s, TreeProgram *tree)
{
    Launch *after = launch_copy(s->arena, s->start);
    TreeRun run = {0};
    return tree_execute(tree, after, &run) ? after : NULL;
}

static bool search_outputs(Search *s, const Code *code, const CheckLaunch *description, const bool *written,
                           uint32_t *output, uint32_t *input)
{
    collect_cells(code, description, s->after, s->start, written, &s->outputs);
    if (s->inputs.too_many || s->outputs.too_many)
        return false;
    s->exact = ARENA_ARRAY(s->arena, double, s->inputs.count * s->outputs.count + 1);
    s->warp = ARENA_ARRAY(s->arena, double, s->inputs.count * s->outputs.count + 1);
    s->warp_rounded = ARENA_ARRAY(s->arena, double, s->inputs.count * s->outputs.count + 1);
    for (uint32_t i = 0; i < s->inputs.count; i++)
        if (!exact_column(s, i))
            return false;
    for (uint32_t k = 0; k < s->outputs.count; k++) {
        add_row(s, s->tree, s->after, k, s->warp);
        if (s->rounded)
            add_row(s, s->rounded, s->after_rounded, k, s->warp_rounded);
    }
    return find_worst(s, output, input);
}

bool check_worst_entry(Unit *unit, const IrModule *module, const CheckLaunch *description, uint64_t seed, bool steady,
                       GradientEntry *entry, Text *inputs)
{
    const Code *code = module->kernel->code;
    const char *why;
    Finding finding;
    Search *s = ARENA_NEW(unit->building, Search);
    *s = (Search){.arena = unit->building, .ast = ast_program(unit, module->kernel->kernel)};
    Launch *start = check_make_launch(unit, module, description, seed, &why);
    s->tree = tree_compile(unit->building, module, true, &finding);
    if (!start || !s->tree)
        return false;
    s->rounded = steady ? tree_compile(unit->building, module, false, &finding) : NULL;
    s->start = start;
    s->after = run_forward(s, s->tree);
    s->after_rounded = s->rounded ? run_forward(s, s->rounded) : s->after;
    if (!s->after || !s->after_rounded)
        return false;
    collect_cells(code, description, start, NULL, NULL, &s->inputs);
    uint32_t output, input;
    if (!search_outputs(s, code, description, NULL, &output, &input) &&
        !search_outputs(s, code, description, may_be_written(unit->building, code), &output, &input))
        return false;
    size_t at = (size_t)output * s->inputs.count + input;
    *entry = (GradientEntry){
        .output = cell_name(unit->building, code, start, s->outputs.items[output].arg, s->outputs.items[output].at),
        .input = cell_name(unit->building, code, start, s->inputs.items[input].arg, s->inputs.items[input].at),
        .warp = s->warp[at],
        .exact = s->exact[at]};
    check_write_inputs(unit, module, start, inputs);
    return true;
}
