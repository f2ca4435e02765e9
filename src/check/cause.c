#include "check/cause.h"
#include "check/check_impl.h"

#include <string.h>

/* ---- a reverse pass without some of its faults ---- */

static TreeRepair *repair_at(Arena *arena, TreeRepairs *repairs, const void *part)
{
    TableSlot *slot = table_add(&repairs->parts, arena, part);
    if (!slot->item)
        slot->item = ARENA_NEW(arena, TreeRepair);
    return slot->item;
}

static void repair_values(TreeRepair *repair, const Sighting *seen)
{
    enum { LAST = 31 };
    if (seen->node->kind == IR_IF)
        repair->condition = true;
    else if (seen->arg == NO_ARG)
        repair->values = UINT32_MAX;
    else
        repair->values |= 1u << (seen->arg < LAST ? seen->arg : LAST);
    repair->decides |= seen->decides;
}

static const IrFunction *function_of(const IrModule *module, const Func *func)
{
    for (uint32_t i = 0; i < module->function_count; i++)
        if (module->functions[i]->func == func)
            return module->functions[i];
    return NULL;
}

static void add_repair(Arena *arena, const IrModule *module, TreeRepairs *repairs, const Sighting *seen)
{
    TreeRepair *repair = repair_at(arena, repairs, seen->node);
    const IrFunction *called = NULL;
    switch (seen->pattern) {
    case PATTERN_CUSTOM_GRADIENT:
        called = function_of(module, seen->node->call->func);
        if (called)
            repair_at(arena, repairs, called)->flow = true;
        return;
    case PATTERN_ATOMIC_EXTREMUM:
    case PATTERN_FRACTION:
    case PATTERN_MODULUS: repair->adjoint = true; return;
    case PATTERN_COMPONENT_REWRITTEN:
    case PATTERN_OLD_VALUE:
        if (seen->arg == NO_ARG && seen->node->kind == IR_CALL)
            repair->adjoint = true;
        else
            repair_values(repair, seen);
        return;
    case PATTERN_WHILE_LOOP:
    case PATTERN_LOOP_EXIT:
        repair_at(arena, repairs, seen->is_return ? (const void *)seen->function : seen->loop)->flow = true;
        return;
    case PATTERN_LOOP_LAST_VALUE:
        repair_at(arena, repairs, seen->loop)->keeps = true;
        repair_values(repair, seen);
        return;
    case PATTERN_LOOP_DECIDES:
    case PATTERN_LOOP_CARRIED:
    case PATTERN_LOOP_RESULT:
    case PATTERN_LOCAL_ARRAY:
    case PATTERN_ELEMENT_REWRITTEN: repair_values(repair, seen); return;
    default: return; /* of tiles */
    }
}

static TreeProgram *repaired_program(Arena *arena, const IrModule *module, const CauseTrial *trial)
{
    Finding finding;
    TreeRepairs *repairs = ARENA_NEW(arena, TreeRepairs);
    for (uint32_t i = 0; i < trial->seen->count; i++)
        if (trial->chosen[i])
            add_repair(arena, module, repairs, &trial->seen->items[i]);
    return module->uses_tiles ? tree_compile(arena, module, true, &finding)
                              : tree_compile_repaired(arena, module, true, repairs, &finding);
}

/* ---- kernels with tiles ---- */

static bool has_chosen(const CauseTrial *trial, Pattern pattern)
{
    for (uint32_t i = 0; i < trial->seen->count; i++)
        if (trial->chosen[i] && trial->seen->items[i].pattern == pattern)
            return true;
    return false;
}

/* The true derivative without what Warp leaves out. */
static AstOmission omissions_of(const CauseTrial *trial)
{
    static const struct {
        Pattern pattern;
        AstOmission omission;
    } omissions[] = {{PATTERN_FRACTION, OMIT_FRACTION},
                     {PATTERN_MODULUS, OMIT_DIVISOR},
                     {PATTERN_TILE_REDUCTION, OMIT_TILE_REDUCTION},
                     {PATTERN_TILE_SCAN, OMIT_TILE_SCAN},
                     {PATTERN_TILE_SOLVE, OMIT_TILE_SOLVE},
                     {PATTERN_TILE_SUM_AXIS, OMIT_TILE_SUM_AXIS}};
    unsigned omits = OMIT_NOTHING;
    for (size_t i = 0; i < sizeof omissions / sizeof *omissions; i++)
        if (has_chosen(trial, omissions[i].pattern))
            omits |= omissions[i].omission;
    return (AstOmission)omits;
}

static void take_cells(LaunchValue *value, LaunchValue *from, void *user)
{
    (void)user;
    if (value->type->kind == TYPE_ARRAY)
        memcpy(value->cells, from->cells, launch_cell_count(value) * sizeof *value->cells);
}

/* ---- a trial ---- */

static void add_gradients(LaunchValue *value, LaunchValue *same, void *user)
{
    Arena *arena = user;
    (void)same;
    if (is_float_array(value) && !value->gradients)
        value->gradients = ARENA_ARRAY(arena, double, launch_cell_count(value));
}

/* With tiles, an element that is written to is repaired by giving the reverse pass the arrays as they were: right where nothing is read
 * after it was written. An old value is what other threads left: their turns come in the opposite order, too. */
static bool run_back(TreeProgram *tree, const Launch *start, Launch *launch, const CauseTrial *trial, bool has_tiles)
{
    TreeRun run = {.backward = true, .max_steps = trial->max_steps};
    run.keeps_transposed = has_chosen(trial, PATTERN_TILE_TRANSPOSED);
    if (has_tiles && has_chosen(trial, PATTERN_ELEMENT_REWRITTEN))
        launch_visit(launch, start, take_cells, NULL);
    if (has_chosen(trial, PATTERN_OLD_VALUE) && launch_running(launch) > 1)
        run.first_thread = run.stride = launch_running(launch) - 1;
    return tree_execute(tree, launch, &run);
}

bool cause_explains(Unit *unit, const IrModule *module, const CheckLaunch *description, const CauseTrial *trial)
{
    enum { STREAM_CAUSE = 15 };
    static const double same = 1e-6;
    Arena *arena = unit->building;
    const char *why;
    bool has_priors;
    Launch *start = check_make_launch(unit, module, description, trial->seed, &why);
    TreeProgram *tree = start ? repaired_program(arena, module, trial) : NULL;
    if (!tree)
        return false;
    launch_visit(start, start, add_gradients, arena);
    Launch *forward = launch_copy(arena, start), *backward = launch_copy(arena, start);
    Directions *directions =
        directions_new(arena, argument_movements(arena, module->kernel->code, description, &has_priors));
    AstRun exact = {.in_double = true, .max_steps = trial->max_steps, .carries_on = true};
    TreeRun run = {.max_steps = trial->max_steps};
    exact.omits = module->uses_tiles ? omissions_of(trial) : OMIT_NOTHING;
    hold_priors(directions, true);
    set_tangents(directions, forward, rng_at(trial->seed, 0, STREAM_CAUSE));
    bool ran = tree_execute(tree, backward, &run);
    *trial->steps += run.steps;
    return ran && ast_program_run(ast_program(unit, module->kernel->kernel), forward, &exact) &&
           set_cotangents(directions, start, backward) && run_back(tree, start, backward, trial, module->uses_tiles) &&
           dot_products(directions, forward, backward).error <= same;
}

/* ---- the search ---- */

/* What is mended with less comes first: a loop that is gone back through as it ran has no stale values, either. */
static const Pattern by_extent[] = {PATTERN_ATOMIC_EXTREMUM,     PATTERN_FRACTION,       PATTERN_MODULUS,
                                    PATTERN_COMPONENT_REWRITTEN, PATTERN_TILE_REDUCTION, PATTERN_TILE_SCAN,
                                    PATTERN_TILE_SOLVE,          PATTERN_TILE_SUM_AXIS,  PATTERN_LOCAL_ARRAY,
                                    PATTERN_ELEMENT_REWRITTEN,   PATTERN_OLD_VALUE,      PATTERN_WHILE_LOOP,
                                    PATTERN_LOOP_CARRIED,        PATTERN_LOOP_RESULT,    PATTERN_LOOP_LAST_VALUE,
                                    PATTERN_LOOP_DECIDES,        PATTERN_LOOP_EXIT};

enum { PATTERNS = sizeof by_extent / sizeof *by_extent, MOST_TRIALS = 60, MOST_STEPS = 50000000 };

typedef struct Search {
    const IrModule *module;
    CauseTrial trial;
    Sightings seen;
    bool *chosen;
    CauseTest *test;
    void *user;
    uint32_t trials;
    uint64_t steps;
} Search;

static bool explains(Search *s)
{
    return s->trials++ < MOST_TRIALS && s->steps < MOST_STEPS && s->test(&s->trial, s->user);
}

static uint32_t choose(Search *s, Pattern pattern, bool chosen)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->seen.count; i++)
        if (s->seen.items[i].pattern == pattern) {
            s->chosen[i] = chosen;
            count += !s->seen.items[i].is_source;
        }
    return count;
}

static void choose_all(Search *s, bool chosen)
{
    for (uint32_t i = 0; i < s->seen.count; i++)
        s->chosen[i] = chosen;
}

static bool is_same_place(const Sighting *a, const Sighting *b)
{
    return a->pattern == b->pattern && a->function == b->function && a->offset == b->offset;
}

/* Of one statement, the sightings of a pattern; of all others of it, none. */
static void choose_only(Search *s, const Sighting *at)
{
    for (uint32_t i = 0; i < s->seen.count; i++)
        if (s->seen.items[i].pattern == at->pattern)
            s->chosen[i] = s->seen.items[i].is_source || is_same_place(&s->seen.items[i], at);
}

/* One pattern alone; or else all that are needed, the rest being right. */
static bool find_needed(Search *s, Pattern *found)
{
    for (uint32_t i = 0; i < PATTERNS; i++) {
        *found = by_extent[i];
        if (choose(s, *found, true) && explains(s))
            return true;
        choose(s, *found, false);
    }
    choose_all(s, true);
    if (!explains(s))
        return false;
    for (uint32_t i = PATTERNS; i-- > 0;)
        if (choose(s, by_extent[i], false) && !explains(s))
            choose(s, by_extent[i], true);
    *found = PATTERN_OTHER;
    for (uint32_t i = s->seen.count; i-- > 0;)
        if (s->chosen[i] && s->seen.items[i].pattern < *found)
            *found = s->seen.items[i].pattern;
    return true;
}

/* The first statement that explains the numbers alone; otherwise the first of the pattern. */
static const Sighting *find_statement(Search *s, Pattern pattern)
{
    const Sighting *first = NULL, *last = NULL;
    for (uint32_t i = 0; i < s->seen.count; i++) {
        const Sighting *at = &s->seen.items[i];
        if (at->pattern != pattern || at->is_source || (last && is_same_place(last, at)))
            continue;
        first = first ? first : at;
        last = at;
        choose_only(s, at);
        if (explains(s))
            return at;
    }
    return first;
}

PatternPlace find_cause(const IrModule *module, uint64_t seed, uint64_t max_steps, CauseTest *test, void *user)
{
    const Code *code = module->kernel->code;
    const PatternPlace nothing = {PATTERN_OTHER, code, code->def->start};
    Search s = {.module = module, .seen = find_patterns(module), .test = test, .user = user};
    Pattern pattern;
    s.chosen = ARENA_ARRAY(module->unit->building, bool, s.seen.count + 1);
    s.trial = (CauseTrial){&s.seen, s.chosen, seed, max_steps, &s.steps};
    if (explains(&s) || !find_needed(&s, &pattern))
        return nothing;
    const Sighting *at = find_statement(&s, pattern);
    return at ? (PatternPlace){pattern, at->function->code, at->offset} : nothing;
}
