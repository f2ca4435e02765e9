#include "base/clock.h"
#include "check/check_impl.h"

#include <math.h>
#include <string.h>

enum {
    STREAM_DIRECTIONS = 12,
    STREAM_NUDGES = 14,
    STREAM_NEARBY = 17,
    DEFAULT_DRAWS = 2,
    MAX_DRAWS = 12, /* where branches are left that no thread took */
    /* Threads: run in the kernel's own types; run only to see what they do, for the first two inputs and for others;
     * known to do what few do; checked at least. */
    RACE_THREADS = 24,
    EXPLORED_THREADS = 512,
    FURTHER_THREADS = 10,
    RARE_THREADS = 6,
    FEWEST_THREADS = 4,
    /* Steps after which no further thread is run: of the syntax tree in the kernel's own types, of the region tree to
     * see what threads do, for one set of inputs and for all. */
    ROUNDED_STEPS = 600,
    EXPLORING_STEPS = 4000,
    WIDE_STEPS = 60000, /* before a kernel is said to be degenerate */
    MORE_EXPLORING_STEPS = 20000,
    FEW_STEPS = 200, /* of a thread; if it takes more, fewer threads must do */
    MANY_STEPS = 1000,
    /* Threads that tell nothing new, one after the other, until no further is looked at. */
    PATIENCE = 48,
    PATIENCE_WHEN_COMPLETE = 16,
    /* Of each evaluator, on inputs that are moved in their last digits; of few, accidents stay unseen. */
    NUDGED_RUNS = 6,
    FEW_NUDGED_RUNS = 2,
    TREE_STEPS = 8,     /* of the region tree, where one of the syntax tree is allowed */
    REVERSE_STEPS = 64, /* of a reverse pass that ends, where the forward pass takes one */
    /* Of the region tree: a launch that takes more is not run more often than it must be. */
    LONG_LAUNCH = 4000000
};

const char *gradient_verdict_name(GradientVerdict verdict)
{
    static const char *const names[] = {"none", "pass", "mismatch"};
    return names[verdict];
}

const char *check_failure_name(CheckFailure failure)
{
    static const char *const names[] = {"ok",
                                        "finding",
                                        "evaluators-disagree",
                                        "unsupported",
                                        "constant-output",
                                        "all-zero",
                                        "copy-of-input",
                                        "no-output",
                                        "rounding-decides",
                                        "warp-reads-unset",
                                        "warp-changes-constant"};
    return names[failure];
}

const char *check_stage_name(CheckStage stage)
{
    static const char *const names[] = {"inputs and preparing", "in its own types", "choice of threads",
                                        "values and tangents", "reverse pass"};
    return names[stage];
}

typedef struct Checker {
    Unit *unit;
    const IrModule *module;
    const CheckLaunch *description;
    const CheckOptions *options;
    CheckPrograms *programs;
    AstProgram *ast;
    TreeProgram *tree; /* in double */
    TreeCoverage *coverage;
    Directions *directions;
    Nearby nearby;
    Launch *start[2];         /* inputs of the first draw, and of the one at work */
    Launch *left, *right;     /* changed by runs */
    ThreadList rare;          /* threads that did what few do */
    uint32_t compared;        /* inputs on which the evaluators could be compared, */
    uint32_t undecided;       /* and on which not: rounding decides there */
    uint64_t exploring_steps; /* until now */
    uint64_t forward_steps;   /* of the last forward run of the region tree */
    bool has_priors;          /* an array is only written, and moves */
    bool has_slope;           /* a gradient by an input was not zero */
    const bool *written; /* of each argument: may_be_written(); NULL: outputs that keep their value do not matter */
    Finding undefined;   /* a number that is not defined, and that no output depends on; NONE: there was none */
    CheckResult *result;
    double since; /* when the last stage ended */
} Checker;

/* What was done since the last call belongs to this stage. */
static void end_stage(Checker *c, CheckStage stage)
{
    if (!c->options->timed)
        return;
    double now = clock_seconds() * 1e9;
    c->result->stage_ns[stage] += now - c->since;
    c->since = now;
}

/* ---- runs ---- */

static bool run_ast(Checker *c, Launch *launch, AstRun *run)
{
    if (ast_program_run(c->ast, launch, run))
        return true;
    c->result->finding = run->finding;
    c->result->failure = run->finding.kind == FINDING_UNSUPPORTED ? CHECK_UNSUPPORTED : CHECK_FINDING;
    return false;
}

static bool note_tree_run(Checker *c, bool done, const TreeRun *run)
{
    const Finding *finding = done ? &run->remark : &run->finding;
    if (finding->kind != FINDING_NONE) {
        c->result->finding = *finding;
        c->result->reverse_finding = run->backward;
    }
    /* What the reverse pass runs into is a fault of it, but not what weft cannot run. */
    if (!done && (!run->backward || run->finding.kind == FINDING_UNSUPPORTED))
        c->result->failure = run->finding.kind == FINDING_UNSUPPORTED ? CHECK_UNSUPPORTED : CHECK_FINDING;
    return done;
}

/* Of the region tree: several for a statement. */
static uint64_t most_tree_steps(const Checker *c)
{
    return c->options->max_steps * TREE_STEPS;
}

/* What the whole launch takes, if its other threads are like those that ran. */
static void note_steps(Checker *c, const Launch *launch, const TreeRun *run)
{
    double steps = run->threads ? (double)run->steps / run->threads * (double)launch_size(launch) : 0;
    if (steps > c->result->launch_steps)
        c->result->launch_steps = steps;
}

static bool run_tree(Checker *c, TreeProgram *program, Launch *launch, bool backward, PathSum *path_sum)
{
    TreeRun run = {.backward = backward, .max_steps = most_tree_steps(c), .path_sum = path_sum};
    if (c->options->coverage && program == c->tree && !backward) {
        run.coverage = c->options->coverage->draw;
        tree_coverage_clear(run.coverage);
    }
    bool done = note_tree_run(c, tree_execute(program, launch, &run), &run);
    note_steps(c, launch, &run);
    if (!backward)
        c->forward_steps = run.steps;
    return done;
}

static TreeProgram *compile_tree(Checker *c, bool in_double)
{
    Finding finding;
    TreeProgram *program = region_tree_program(c->programs, in_double, &finding);
    if (!program) {
        c->result->finding = finding;
        c->result->failure = CHECK_UNSUPPORTED;
    }
    return program;
}

/* ---- where rounding decides ---- */

static const double SAME_ROUNDED = 2e-3, SAME_EXACT = 1e-9, SAME_GRADIENT = 1e-6;

/* Differences of two runs of one program that are this much smaller do not explain one of two programs. */
static const double SHARE = 1.0 / 8;

/* Inputs on which the evaluators are apart, and how far. */
typedef struct Doubt {
    TreeProgram *tree;
    bool in_double;
    const Launch *start;
    const ThreadList *threads;
    double error;
    const PathSum
        *syntax_path; /* of the syntax tree on these inputs, whose results are in c->left; NULL: they are not */
} Doubt;

/* One evaluator on inputs as they are, or moved; without a tree, that of the syntax tree. */
static bool run_nudged(Checker *c, const Doubt *doubt, TreeProgram *tree, Launch *launch, Nudge *nudge,
                       PathSum *path_sum)
{
    launch_restore(launch, doubt->start);
    use_threads(launch, doubt->threads);
    if (nudge)
        nudge_launch(nudge, launch);
    if (tree) {
        TreeRun run = {.max_steps = most_tree_steps(c), .path_sum = path_sum};
        return tree_execute(tree, launch, &run);
    }
    AstRun run = {.in_double = doubt->in_double, .max_steps = c->options->max_steps, .path_sum = path_sum};
    run.carries_on = c->undefined.kind != FINDING_NONE;
    return ast_program_run(c->ast, launch, &run);
}

/* Do inputs that are moved in their last digits move the result by a share of the error? */
static bool is_moved(Checker *c, const Doubt *doubt, TreeProgram *tree, uint32_t runs)
{
    Rng rng = rng_at(c->options->seed, tree ? 0 : 1, STREAM_NUDGES);
    Nudge nudge = {.in_double = doubt->in_double};
    PathSum unmoved = {0};
    const double enough = doubt->error * SHARE;
    const double least = isfinite(enough) ? enough / 2 : 0; /* smaller ones do not matter */
    if (!tree && doubt->syntax_path)
        unmoved = *doubt->syntax_path;
    else if (!run_nudged(c, doubt, tree, c->left, NULL, &unmoved))
        return false;
    for (uint32_t i = 0; i < runs; i++) {
        PathSum path_sum = {0};
        draw_nudges(&nudge, &rng);
        if (!run_nudged(c, doubt, tree, c->right, &nudge, &path_sum))
            return true;
        double moved = output_difference(doubt->start, c->left, c->right, least);
        double astray = path_difference(&unmoved, &path_sum);
        if (astray > moved)
            moved = astray;
        if (isnan(enough) ? isnan(moved) : !(moved < enough))
            return true;
    }
    return false;
}

/* Both evaluators are this far apart, but moving the inputs in their last digits moves the result of one as far: then neither
 * is wrong. The noise of a residual was scaled up, say, or numbers are compared that are equal but for their rounding. */
static bool rounding_decides(Checker *c, const Doubt *doubt)
{
    bool is_long = c->result->launch_steps > LONG_LAUNCH && !c->options->threads;
    uint32_t runs = is_long ? FEW_NUDGED_RUNS : NUDGED_RUNS;
    /* Where values agree, the evaluators jump at the same inputs, and the region tree is the faster one. */
    uint32_t of_syntax = doubt->syntax_path ? FEW_NUDGED_RUNS : runs;
    return is_moved(c, doubt, NULL, of_syntax) || is_moved(c, doubt, doubt->tree, runs);
}

/* What to make of inputs on which rounding decides. False: no need to go on. */
static bool leave_undecided(Checker *c)
{
    c->undecided++;
    if (c->options->filters)
        c->result->failure = CHECK_UNSTABLE;
    return !c->options->filters;
}

/* The evaluators differ because Warp's code does not do what the kernel says. */
static bool has_constant_defect(Checker *c)
{
    static const char *const messages[] = {
        [CONSTANT_UNSET] = "Warp reads a constant of the module from a variable that is only set inside a branch",
        [CONSTANT_EARLY] = "Warp reads a constant of the module from a variable before it is set",
        [CONSTANT_CHANGED] = "Warp keeps a constant of the module in a variable that this statement changes"};
    uint32_t source;
    ConstantDefect defect = ir_constant_defect(c->module, &source);
    if (defect == CONSTANT_KEPT)
        return false;
    c->result->failure = defect == CONSTANT_CHANGED ? CHECK_CHANGED : CHECK_UNSET;
    c->result->finding = (Finding){.kind = FINDING_UNSET_VARIABLE, .offset = source, .message = messages[defect]};
    return true;
}

/* Lanes of a block store at one place. The evaluators take lanes in different orders, each of which a GPU may take, too. */
static bool has_lane_race(Checker *c, const Doubt *doubt)
{
    AstRun run = {.detect_races = true, .max_steps = c->options->max_steps};
    if (!c->module->uses_tiles)
        return false;
    launch_restore(c->left, doubt->start);
    use_threads(c->left, doubt->threads);
    if (!ast_program_run(c->ast, c->left, &run) || !run.lanes_meet)
        return false;
    c->result->failure = CHECK_FINDING;
    c->result->finding = (Finding){.kind = FINDING_RACE,
                                   .offset = c->module->kernel->code->def->start,
                                   .message = "lanes of a block store at one place, and their order decides"};
    return true;
}

static bool note_disagreement(Checker *c, const Doubt *doubt, double tolerance)
{
    if (rounding_decides(c, doubt))
        return leave_undecided(c);
    c->result->forward_error = doubt->error;
    if (has_constant_defect(c) || has_lane_race(c, doubt))
        return false;
    c->result->failure = CHECK_DISAGREE;
    if (c->options->locate) {
        const Evaluators evaluators = {.unit = c->unit,
                                       .code = c->module->kernel->code,
                                       .ast = c->ast,
                                       .tree = doubt->tree,
                                       .in_double = doubt->in_double,
                                       .max_steps = c->options->max_steps,
                                       .max_tree_steps = most_tree_steps(c)};
        launch_restore(c->left, doubt->start);
        use_threads(c->left, doubt->threads);
        locate_difference(&evaluators, c->left, tolerance, &c->result->difference);
    }
    return false;
}

/* ---- in the kernel's own types ---- */

/* The region tree alone, in double, is as far from what it was before. */
static bool is_unstable(Checker *c)
{
    launch_restore(c->left, c->start[0]);
    c->left->threads = c->right->threads;
    c->left->thread_count = c->right->thread_count;
    return run_tree(c, c->tree, c->left, false, NULL) && check_difference(c->left, c->right) > SAME_ROUNDED;
}

/* ---- numbers that are not defined ----
 *
 * wp.where() computes both of its sides. A root of a negative number on the side that is dropped is no fault of the launch: all
 * outputs are finite. Warp's gradient may not be, since zero times infinity is not a number. */

static bool is_about_numbers(FindingKind kind)
{
    return kind == FINDING_DOMAIN || kind == FINDING_DIVISION_BY_ZERO || kind == FINDING_NOT_FINITE;
}

/* The run has ended at such a number: may it carry on, to see whether an output depends on it? In data sets it may not. */
static bool may_carry_on(Checker *c)
{
    CheckResult *result = c->result;
    if (c->options->filters || result->failure != CHECK_FINDING || !is_about_numbers(result->finding.kind))
        return false;
    c->undefined = result->finding;
    result->failure = CHECK_OK;
    result->finding = (Finding){0};
    return true;
}

/* An output depends on it: the launch is not valid. */
static bool give_up_undefined(Checker *c)
{
    c->result->failure = CHECK_FINDING;
    c->result->finding = c->undefined;
    return false;
}

/* A number that is not defined was compared with another: a value depends on it, though it is finite. */
static bool is_decided_by_undefined(const Checker *c, const PathSum *path_sum)
{
    return c->undefined.kind != FINDING_NONE && path_sum->has_nan;
}

static bool run_past_undefined(Checker *c, const Launch *start, Launch *launch, AstRun *run)
{
    run->carries_on = true;
    if (!ast_program_run(c->ast, launch, run) || !has_finite_values(start, launch) || !has_finite_tangents(launch))
        return give_up_undefined(c);
    return true;
}

/* Strictly: this run also looks for what is not defined. Two correct evaluations may differ in the last digits. */
static bool run_rounded(Checker *c, const ThreadList *list, AstRun *run)
{
    if (run_ast(c, c->left, run))
        return true;
    if (!may_carry_on(c))
        return false;
    launch_restore(c->left, c->start[0]);
    use_threads(c->left, c->options->threads ? list : NULL);
    return run_past_undefined(c, c->start[0], c->left, run);
}

static bool check_rounded(Checker *c)
{
    ThreadList list = {0};
    if (c->options->threads) {
        list = neighbouring_threads(c->unit->building, c->left, RACE_THREADS);
        use_threads(c->left, &list);
    }
    AstRun run = {.detect_races = true, .max_steps = c->options->max_steps};
    if (c->options->threads)
        run.budget = (RunBudget){ROUNDED_STEPS, 2};
    if (!run_rounded(c, &list, &run))
        return false;
    list.count = run.threads;
    if (c->options->threads)
        use_threads(c->right, &list);
    TreeProgram *program = compile_tree(c, false);
    if (!program || !run_tree(c, program, c->right, false, NULL))
        return false;
    double error = check_difference(c->left, c->right);
    if (error <= SAME_ROUNDED)
        return true;
    if (!is_unstable(c)) {
        Doubt doubt = {.tree = program, .start = c->start[0], .error = error};
        doubt.threads = c->options->threads ? &list : NULL;
        return note_disagreement(c, &doubt, SAME_ROUNDED);
    }
    if (c->options->filters)
        c->result->failure = CHECK_UNSTABLE;
    return c->result->failure == CHECK_OK;
}

/* ---- choosing threads ---- */

/* Runs threads of the region tree, and lists those that tell more than the ones before: they stand for all. */
static bool explore(Checker *c, const Launch *start, ThreadList *threads, Launch *work, ThreadList *chosen)
{
    TreeRun run = {.coverage = c->coverage, .max_steps = most_tree_steps(c)};
    run.budget = (RunBudget){EXPLORING_STEPS, 2};
    launch_restore(work, start);
    use_threads(work, threads);
    bool done = note_tree_run(c, tree_execute(c->tree, work, &run), &run);
    end_stage(c, STAGE_CHOICE);
    if (!done || !run.threads)
        return false;
    threads->count = run.threads;
    note_steps(c, work, &run);
    c->exploring_steps += run.steps;
    chosen->count = 0;
    for (uint32_t i = 0; i < c->coverage->notable_count; i++) {
        add_thread(chosen, c->options->threads, c->coverage->notable[i]);
        add_thread(&c->rare, RARE_THREADS, c->coverage->notable[i]);
    }
    uint32_t lanes = work->block_dim > 1 ? work->block_dim : 1;
    uint64_t steps = run.steps / run.threads * lanes;
    uint32_t fewest = steps < FEW_STEPS ? FEWEST_THREADS : steps < MANY_STEPS ? 3 : 2;
    for (uint32_t i = threads->count / lanes;
         i-- > 0 && chosen->count < fewest;) /* the first of them are special ones */
        add_thread(chosen, fewest, threads->items[i * lanes]);
    *chosen = whole_blocks(c->unit->building, work, chosen);
    return true;
}

/* Exploring stops when it has seen every branch: too few threads to say that outputs never change. */
static bool run_widely(Checker *c, const Launch *start, Launch *work)
{
    TreeRun run = {.max_steps = most_tree_steps(c), .budget = {WIDE_STEPS, 2}};
    launch_restore(work, start);
    use_threads(work, NULL);
    bool done = note_tree_run(c, tree_execute(c->tree, work, &run), &run);
    end_stage(c, STAGE_CHOICE);
    return done;
}

static bool is_degenerate(Checker *c)
{
    c->result->failure = find_degenerate(c->start[0], c->left);
    if (c->result->failure == CHECK_OK)
        return false;
    if (run_widely(c, c->start[0], c->left))
        c->result->failure = find_degenerate(c->start[0], c->left);
    return c->result->failure != CHECK_OK;
}

/* Do two draws of inputs give the same outputs? */
static bool is_constant(Checker *c)
{
    if (!same_outputs(c->start[0], c->left, c->right))
        return false;
    if (!run_widely(c, c->start[0], c->left) || !run_widely(c, c->start[1], c->right))
        return true;
    if (same_outputs(c->start[0], c->left, c->right))
        c->result->failure = CHECK_CONSTANT;
    return c->result->failure != CHECK_OK;
}

static ThreadList new_list(const Checker *c, uint32_t max)
{
    return (ThreadList){.items = ARENA_ARRAY(c->unit->building, uint32_t, max)};
}

/* ---- values and gradients ---- */

static double gradient_tolerance(const Checker *c)
{
    return c->options->tolerance > 0 ? c->options->tolerance : SAME_GRADIENT;
}

/* The same products by the inputs alone: what arrays that are only written held before stays as it is. What is left is
 * the part of these. */
static DotProducts split_priors(Checker *c, const Launch *start, const ThreadList *threads, uint32_t draw,
                                const DotProducts *all)
{
    AstRun run = {.in_double = true, .max_steps = c->options->max_steps};
    run.carries_on = c->undefined.kind != FINDING_NONE;
    DotProducts inputs = *all;
    hold_priors(c->directions, true);
    launch_restore(c->left, start);
    use_threads(c->left, threads);
    set_tangents(c->directions, c->left, rng_at(c->options->seed, draw, STREAM_DIRECTIONS));
    if (ast_program_run(c->ast, c->left, &run))
        inputs = dot_products(c->directions, c->left, c->right);
    hold_priors(c->directions, false);
    double prior = fabs((all->exact - inputs.exact) - (all->warp - inputs.warp)) / all->scale;
    if (!(prior <= gradient_tolerance(c)))
        c->result->prior = GRADIENT_MISMATCH;
    return inputs;
}

/* Where Warp's gradient stops being finite: the first operation whose adjoint is not. */
static void locate_undefined(Checker *c, const Launch *start, const ThreadList *threads)
{
    CheckResult *result = c->result;
    TreeRun forward = {.max_steps = most_tree_steps(c)}, run = {.backward = true, .max_steps = most_tree_steps(c)};
    Finding place = {0};
    run.undefined = &place;
    launch_restore(c->right, start);
    use_threads(c->right, threads);
    if (tree_execute(c->tree, c->right, &forward) && set_cotangents(c->directions, start, c->right))
        tree_execute(c->tree, c->right, &run);
    result->finding = place;
    result->finding.kind = FINDING_GRADIENT_UNDEFINED;
    if (is_in_statement(c->module->kernel->code, place.offset, c->undefined.offset))
        result->finding.offset = c->undefined.offset;
    result->finding.message = c->undefined.message ? c->undefined.message : "an adjoint is infinite or not a number";
    result->reverse_finding = true;
    result->drops_undefined = c->undefined.kind != FINDING_NONE;
}

/* Do threads meet at an element on these inputs? Then the order of threads decides the result, and there is no gradient to be right.
 * The first inputs were looked at before. */
static bool has_race(Checker *c, const Launch *start, const ThreadList *threads)
{
    AstRun run = {.detect_races = true, .max_steps = c->options->max_steps};
    if (start == c->start[0])
        return false;
    launch_restore(c->left, start);
    use_threads(c->left, threads);
    return !ast_program_run(c->ast, c->left, &run) && run.finding.kind == FINDING_RACE;
}

/* The reverse pass was stopped, but the forward pass came near the limit, too: nothing is known against either. One that
 * takes far more steps than the forward pass does not end. */
static bool is_cut_short(const Checker *c)
{
    uint64_t most = most_tree_steps(c) ? most_tree_steps(c) : TREE_DEFAULT_STEPS;
    return c->result->finding.kind == FINDING_TOO_MANY_STEPS && c->forward_steps > most / REVERSE_STEPS;
}

static const Nearby *nearby_in(Checker *c, uint32_t draw, bool holds)
{
    c->nearby.along = rng_at(c->options->seed, draw, STREAM_DIRECTIONS);
    c->nearby.moves = rng_at(c->options->seed, draw, STREAM_NEARBY);
    hold_priors(c->nearby.directions, holds);
    return &c->nearby;
}

/* Data of a program, on which the gradient seems wrong, may lie on a kink. */
static void look_for_kink(Checker *c, const Launch *start, const ThreadList *threads, DotProducts *dots)
{
    if (c->options->fill && dots->error > gradient_tolerance(c) && has_finite_gradients(c->right) &&
        gradient_on_kink(nearby_in(c, 0, false), start, threads, dots, gradient_tolerance(c)))
        dots->error = 0;
}

static bool give_up_derivative(Checker *c)
{
    c->result->failure = CHECK_FINDING;
    c->result->finding = (Finding){.kind = FINDING_NOT_FINITE, .message = "the true derivative is not finite here"};
    return false;
}

/* w·(J u) from the syntax tree, which has run, against (Jᵀ w)·u from the region tree, which has run forward. */
static bool check_gradient(Checker *c, const Launch *start, const ThreadList *threads, uint32_t draw,
                           const PathSum *syntax_path)
{
    CheckResult *result = c->result, before = *result;
    if (!set_cotangents(c->directions, start, c->right))
        return true;
    bool has_derivative = has_finite_tangents(c->left);
    if (!has_derivative && c->options->locate && !c->options->fill)
        return give_up_derivative(c);
    bool is_first = result->gradient == GRADIENT_NONE;
    bool ran = run_tree(c, c->tree, c->right, true, NULL);
    if (result->failure == CHECK_UNSUPPORTED || (!ran && is_cut_short(c)))
        return false;
    DotProducts dots = dot_products(c->directions, c->left, c->right);
    if (ran)
        look_for_kink(c, start, threads, &dots);
    end_stage(c, STAGE_GRADIENT);
    double tolerance = gradient_tolerance(c);
    if (c->has_priors && result->prior == GRADIENT_NONE)
        result->prior = GRADIENT_PASS;
    if (c->has_priors && ran && !(dots.error <= tolerance))
        dots = split_priors(c, start, threads, draw, &dots);
    double error = ran && !isnan(dots.error) ? dots.error : INFINITY;
    bool tells_more = dots.slope && !c->has_slope && error == result->gradient_error;
    c->has_slope |= dots.slope;
    if (is_first || error > result->gradient_error || tells_more) {
        result->gradient_error = error;
        result->seed = c->options->seed + draw;
        result->true_dot = dots.exact;
        result->warp_dot = ran ? dots.warp : 0;
    }
    result->gradient = result->gradient_error <= tolerance ? GRADIENT_PASS : GRADIENT_MISMATCH;
    if (result->gradient == GRADIENT_PASS)
        return true;
    bool is_undefined = ran && has_derivative && c->options->locate && !has_finite_gradients(c->right);
    if (is_undefined && !c->options->fill && !has_derivative_by_all(nearby_in(c, draw, false), start, threads)) {
        *result = before;
        return give_up_derivative(c);
    }
    Doubt doubt = {c->tree, true, start, threads, tolerance, syntax_path};
    bool is_jump = rounding_decides(c, &doubt); /* which has no gradient */
    bool is_noise =
        ran && !is_undefined && !is_jump && gradient_is_noise(nearby_in(c, draw, c->has_priors), start, threads, &dots);
    if (is_noise) {
        *result = before;
        return true;
    }
    if (!is_jump && !has_race(c, start, threads)) {
        if (is_undefined)
            locate_undefined(c, start, threads);
        return false;
    }
    *result = before;
    c->compared--;
    return is_jump ? leave_undecided(c) : true;
}

/* Outputs that keep the value which they had, mostly zero over zero, are none that check_gradient() looks at. Where they are zero, a
 * function may have a kink, and which of its slopes is the derivative is a matter of taste. But no slope is infinite. */
static bool check_kept_outputs(Checker *c, const Launch *start, const ThreadList *threads, uint32_t draw,
                               const PathSum *syntax_path)
{
    CheckResult *result = c->result;
    TreeRun forward = {.max_steps = most_tree_steps(c)}, backward = {.backward = true, .max_steps = most_tree_steps(c)};
    const Doubt doubt = {c->tree, true, start, threads, gradient_tolerance(c), syntax_path};
    if (!c->written || !keeps_outputs(c->directions, c->written, start, c->right))
        return true;
    launch_restore(c->right, start);
    use_threads(c->right, threads);
    seek_written(c->directions, c->written);
    bool is_undefined = tree_execute(c->tree, c->right, &forward) && set_cotangents(c->directions, start, c->right) &&
                        tree_execute(c->tree, c->right, &backward) && !has_finite_gradients(c->right) &&
                        has_derivative_by_all(nearby_in(c, draw, false), start, threads) &&
                        !has_race(c, start, threads) && !rounding_decides(c, &doubt);
    if (is_undefined) {
        result->gradient = GRADIENT_MISMATCH;
        result->gradient_error = INFINITY;
        result->seed = c->options->seed + draw;
        result->true_dot = 0;
        result->warp_dot = NAN;
        locate_undefined(c, start, threads);
    }
    seek_written(c->directions, NULL);
    return !is_undefined;
}

/* The syntax tree in double, with tangents. */
static bool run_exact(Checker *c, const Launch *start, const ThreadList *threads, uint32_t draw, PathSum *path_sum)
{
    for (;;) {
        AstRun run = {.in_double = true, .max_steps = c->options->max_steps, .path_sum = path_sum};
        *path_sum = (PathSum){0};
        launch_restore(c->left, start);
        use_threads(c->left, threads);
        if (c->module->enable_backward)
            set_tangents(c->directions, c->left, rng_at(c->options->seed, draw, STREAM_DIRECTIONS));
        if (c->undefined.kind != FINDING_NONE)
            return run_past_undefined(c, start, c->left, &run);
        if (run_ast(c, c->left, &run))
            return true;
        if (!may_carry_on(c))
            return false;
    }
}

/* In double, where the two must agree in all digits but the last few. False: no need to go on. */
static bool check_exact(Checker *c, const Launch *start, const ThreadList *threads, uint32_t draw)
{
    bool backward = c->module->enable_backward;
    const CheckResult before = *c->result;
    const uint32_t compared = c->compared;
    launch_restore(c->right, start);
    use_threads(c->right, threads);
    PathSum left = {0}, right = {0}, syntax_path;
    if (!run_exact(c, start, threads, draw, &left) || !run_tree(c, c->tree, c->right, false, &right))
        return false;
    syntax_path = left;
    if (c->module->uses_tiles) /* functions of elements and wrapped indices compare once, or once for each lane */
        left.numbers = right.numbers = 0;
    double error = check_difference(c->left, c->right), astray = path_difference(&left, &right);
    if (astray > error) /* which may be NaN, and then stays so */
        error = astray;
    end_stage(c, STAGE_VALUES);
    if (!(error <= SAME_EXACT)) {
        const Doubt doubt = {c->tree, true, start, threads, error, NULL};
        return note_disagreement(c, &doubt, SAME_EXACT);
    }
    if (error > c->result->forward_error)
        c->result->forward_error = error;
    c->compared++;
    if (backward && !check_gradient(c, start, threads, draw, &syntax_path))
        return false;
    if (backward && c->compared > compared && !check_kept_outputs(c, start, threads, draw, &syntax_path))
        return false;
    if (!is_decided_by_undefined(c, &syntax_path)) {
        if (c->options->coverage && c->compared > compared)
            keep_coverage(c->options->coverage);
        return true;
    }
    *c->result = before;
    return give_up_undefined(c);
}

/* ---- the whole check ---- */

static Launch *draw_inputs(Checker *c, uint32_t draw)
{
    InputKind kind = draw < DEFAULT_DRAWS ? INPUTS_EVEN : INPUTS_EDGES;
    fill_launch(c->unit, c->module, c->description, c->options->seed + draw, kind, c->start[1]);
    end_stage(c, STAGE_INPUTS);
    return c->start[1];
}

static bool check_all_threads(Checker *c)
{
    uint32_t draws = c->options->draws ? c->options->draws : DEFAULT_DRAWS;
    bool good = check_exact(c, c->start[0], NULL, 0);
    for (uint32_t draw = 1; good && draw < draws && c->result->launch_steps <= LONG_LAUNCH; draw++)
        good = check_exact(c, draw_inputs(c, draw), NULL, draw);
    return good;
}

/* The inputs that were given, and no others. */
static bool check_given(Checker *c)
{
    ThreadList list = {0};
    if (c->options->threads)
        list = spread_threads(c->unit->building, c->start[0], c->module, c->options->threads);
    return check_exact(c, c->start[0], c->options->threads ? &list : NULL, 0);
}

/* Further inputs, as long as some branch or choice went only one way; on the threads that told something, and others. */
static bool check_further_inputs(Checker *c, const ThreadList *spread)
{
    ThreadList threads = new_list(c, FURTHER_THREADS), chosen = new_list(c, c->options->threads + FEWEST_THREADS);
    c->coverage->patience = c->coverage->patience_when_complete = 0;
    for (uint32_t draw = 2; draw < MAX_DRAWS && c->exploring_steps < MORE_EXPLORING_STEPS; draw++) {
        if (c->coverage->complete)
            break;
        threads.count = 0;
        for (uint32_t i = 0; i < c->rare.count; i++)
            add_thread(&threads, FURTHER_THREADS, c->rare.items[i]);
        for (uint32_t i = 0; i<spread->count; i += c->start[0]->block_dim> 1 ? c->start[0]->block_dim : 1)
            add_thread(&threads, FURTHER_THREADS, spread->items[i]);
        ThreadList whole = whole_blocks(c->unit->building, c->start[0], &threads);
        Launch *start = draw_inputs(c, draw);
        if (!explore(c, start, &whole, c->left, &chosen))
            return false;
        if (c->coverage->notable_count && !check_exact(c, start, &chosen, draw))
            return false;
    }
    return true;
}

/* Two draws of inputs, for the filters, too, and then more if need be. */
static bool check_chosen_threads(Checker *c)
{
    ThreadList spread = spread_threads(c->unit->building, c->start[0], c->module, EXPLORED_THREADS);
    uint32_t most = c->options->threads + FEWEST_THREADS;
    ThreadList first = new_list(c, most), second = new_list(c, most);
    c->rare = new_list(c, RARE_THREADS);
    c->coverage = tree_coverage_new(c->tree, c->options->threads);
    c->coverage->patience = PATIENCE;
    c->coverage->patience_when_complete = PATIENCE_WHEN_COMPLETE;
    if (!explore(c, c->start[0], &spread, c->left, &first))
        return false;
    if (c->options->filters && is_degenerate(c))
        return false;
    draw_inputs(c, 1);
    c->coverage->patience = c->coverage->patience_when_complete = 0;
    if (!explore(c, c->start[1], &spread, c->right, &second))
        return false;
    if (c->options->filters && is_constant(c))
        return false;
    return check_exact(c, c->start[0], &first, 0) && check_exact(c, c->start[1], &second, 1) &&
           check_further_inputs(c, &spread);
}

static void run_checks(Unit *unit, const IrModule *module, const CheckLaunch *description, const CheckOptions *options,
                       CheckResult *result)
{
    memset(result, 0, sizeof *result);
    Checker c = {.unit = unit, .module = module, .description = description, .options = options, .result = result};
    const char *why = NULL;
    c.since = options->timed ? clock_seconds() * 1e9 : 0;
    c.start[0] = check_make_launch(unit, module, description, options->seed, &why);
    if (!c.start[0]) {
        result->failure = CHECK_UNSUPPORTED;
        result->finding = (Finding){.kind = FINDING_UNSUPPORTED, .message = why};
        return;
    }
    if (options->fill)
        options->fill(c.start[0], options->user);
    c.start[1] = launch_copy(unit->building, c.start[0]);
    c.left = launch_copy(unit->building, c.start[0]);
    c.right = launch_copy(unit->building, c.start[0]);
    c.programs = options->programs ? options->programs : check_programs_new(unit, module);
    c.ast = syntax_tree_program(c.programs);
    c.tree = compile_tree(&c, true);
    end_stage(&c, STAGE_INPUTS);
    if (options->coverage && c.tree)
        begin_coverage(options->coverage, c.tree, module);
    const Movement *movements = argument_movements(unit->building, module->kernel->code, description, &c.has_priors);
    c.directions = directions_new(unit->building, movements);
    c.nearby = (Nearby){.arena = unit->building, .ast = c.ast, .tree = c.tree, .max_steps = options->max_steps};
    c.nearby.directions = directions_new(unit->building, movements);
    if (!options->filters && options->locate) /* pairs of a data set change what they write to */
        c.written = may_be_written(unit->building, module->kernel->code);
    c.nearby.max_tree_steps = most_tree_steps(&c);
    bool good = c.tree && check_rounded(&c);
    end_stage(&c, STAGE_ROUNDED);
    if (!good)
        return;
    if (options->fill)
        check_given(&c);
    else if (options->threads)
        check_chosen_threads(&c);
    else
        check_all_threads(&c);
    if (result->failure == CHECK_OK && c.undecided && !c.compared)
        result->failure = CHECK_UNSTABLE;
    if (result->gradient == GRADIENT_PASS && !c.has_slope)
        result->gradient = GRADIENT_NONE; /* both are zero: that says nothing */
    if (result->failure == CHECK_OK && options->filters && result->launch_steps > CHECK_LAUNCH_STEPS) {
        result->failure = CHECK_FINDING;
        result->finding = (Finding){.kind = FINDING_TOO_MANY_STEPS,
                                    .offset = module->kernel->code->def->start,
                                    .message = "all threads of the launch together take too many steps"};
    }
}

void check_kernel(Unit *unit, const IrModule *module, const CheckLaunch *description, const CheckOptions *options,
                  CheckResult *result)
{
    run_checks(unit, module, description, options, result);
    if (result->finding.kind != FINDING_NONE && !result->finding.offset) /* about the launch: there is no statement */
        result->finding.offset = module->kernel->code->def->start;
}
