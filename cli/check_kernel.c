#include "check_kernel.h"
#include "check/advice.h"
#include "check/cause.h"
#include "check/drive.h"
#include "check/usual.h"

#include <math.h>

enum {
    INPUTS_TRIED = 4,
    MOST_MISSING = 64, /* ways that are listed */
    /* Statements that the threads of a launch may run; for each kernel of a file that ran out of them half as many, down to FEW_STEPS:
     * so that a file of endless loops comes to an end. */
    FEW_STEPS = 100000,
    /* Steps of the region tree: no other inputs for launches that take more, no further examples after so many. */
    LONG_LAUNCH = 4000000,
    EXAMPLE_STEPS = 20000000,
    /* Bytes for the check of one kernel, and for a launch that is only tried. */
    MOST_MEMORY = 1 << 30,
    ATTEMPT_MEMORY = 1 << 28
};

/* There are dozens of launches to try: each that ran out of steps leaves half as many to the next. */
static void note_endless(const CheckResult *result, uint64_t *max_steps)
{
    enum { FEWEST_STEPS = 1 << 14 };
    if (result->finding.kind == FINDING_TOO_MANY_STEPS && *max_steps > FEWEST_STEPS)
        *max_steps /= 2;
}

void check_memory_init(CheckMemory *memory)
{
    arena_init(&memory->kernel);
    arena_init(&memory->attempt);
    memory->kernel.limit = MOST_MEMORY;
    memory->attempt.limit = ATTEMPT_MEMORY;
}

void check_memory_free(CheckMemory *memory)
{
    arena_free(&memory->kernel);
    arena_free(&memory->attempt);
}

/* ---- launches that are only tried ---- */

typedef struct Attempt {
    const KernelCheck *check;
    const Compiled *compiled;
    uint64_t max_steps;
} Attempt;

typedef bool Trial(Attempt *attempt, const CheckLaunch *given, void *user);

/* With memory that is given back afterwards; a launch that takes too much is none that helps. */
static bool try_apart(Trial *trial, Attempt *attempt, const CheckLaunch *given, void *user)
{
    Unit *unit = attempt->compiled->unit;
    Arena *const kept = unit->building, *const apart = attempt->check->attempts;
    jmp_buf failure;
    arena_reset(apart);
    apart->on_failure = &failure;
    unit->building = apart;
    bool good = setjmp(failure) == 0 && trial(attempt, given, user);
    unit->building = kept;
    return good;
}

/* The search for a smallest example. */
typedef struct ExampleSearch {
    Example *example;
    double steps;
    bool steady; /* see check_worst_entry() */
    bool is_met; /* a launch is wrong */
} ExampleSearch;

/* Prepares both evaluators in memory that is given back; what the launch covers does not count. */
static KernelCheck check_apart(const Attempt *attempt)
{
    KernelCheck own = *attempt->check;
    own.options.programs = check_programs_new(attempt->compiled->unit, attempt->compiled->module);
    own.options.coverage = NULL;
    return own;
}

static bool shows_it(Attempt *attempt, const CheckLaunch *given, void *user)
{
    const Compiled *compiled = attempt->compiled;
    ExampleSearch *search = user;
    Example *example = search->example;
    CheckLaunch launch = usual_launch(given, compiled, example->threads, example->size);
    CheckOptions options = check_apart(attempt).options;
    CheckResult result;
    options.seed = example->seed;
    options.max_steps = attempt->max_steps;
    check_kernel(compiled->unit, compiled->module, &launch, &options, &result);
    note_endless(&result, &attempt->max_steps);
    example->inputs.len = 0;
    search->steps += result.launch_steps;
    bool is_wrong = result.failure == CHECK_OK && result.gradient == GRADIENT_MISMATCH;
    search->is_met |= is_wrong;
    return is_wrong && check_worst_entry(compiled->unit, compiled->module, &launch, example->seed, search->steady,
                                         &example->entry, &example->inputs);
}

/* By size, then by threads, then by inputs. False: there is none, though a launch is wrong. */
static bool search_examples(const KernelCheck *check, const CheckLaunch *given, const Compiled *compiled, bool steady,
                            Example *example)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 6, 8};
    bool shape_given = compiled->module->uses_tiles; /* the tiles ask for their shapes, and for the launch */
    bool dim_given = given->ndim || compiled->module->uses_tiles;
    Arena *arena = compiled->unit->building;
    ExampleSearch search = {.example = example, .steady = steady};
    Attempt attempt = {check, compiled, check->options.max_steps};
    for (uint32_t i = 0; i < given->arg_count; i++)
        shape_given |= given->args[i].ndim > 0;
    text_init_in(&example->inputs, compiled->unit->building);
    size_t count = sizeof sizes / sizeof *sizes;
    for (size_t i = shape_given ? count - 1 : 0; !example->found && i < count; i++)
        for (size_t k = dim_given ? i : 0; !example->found && k <= i; k++)
            for (uint64_t draw = 0; !example->found && draw < INPUTS_TRIED && search.steps < EXAMPLE_STEPS; draw++) {
                example->size = shape_given ? 0 : sizes[i];
                example->threads = dim_given ? 0 : sizes[k];
                example->seed = check->options.seed + draw;
                example->found = try_apart(shows_it, &attempt, given, &search);
            }
    if (example->found) { /* the names are in memory that is given back */
        example->entry.output = arena_format(arena, "%s", example->entry.output);
        example->entry.input = arena_format(arena, "%s", example->entry.input);
    }
    return example->found || !search.is_met;
}

static void find_smallest(const KernelCheck *check, const CheckLaunch *given, const Compiled *compiled,
                          Example *example)
{
    if (!search_examples(check, given, compiled, true, example))
        search_examples(check, given, compiled, false, example);
}

/* Some inputs, until a gradient is wrong: a kernel may be right on most. Where rounding decides, others may tell more. */
static void try_inputs(const KernelCheck *check, const Compiled *compiled, const CheckLaunch *launch,
                       CheckResult *result)
{
    check_kernel(compiled->unit, compiled->module, launch, &check->options, result);
    for (uint64_t draw = 1; draw < INPUTS_TRIED; draw++) {
        CheckOptions options = check->options;
        CheckResult other;
        bool undecided = result->failure == CHECK_UNSTABLE;
        if ((result->failure != CHECK_OK && !undecided) || result->finding.kind != FINDING_NONE ||
            result->gradient == GRADIENT_MISMATCH || !compiled->module->enable_backward ||
            result->launch_steps > LONG_LAUNCH)
            return;
        options.seed += draw;
        check_kernel(compiled->unit, compiled->module, launch, &options, &other);
        if (other.failure == CHECK_OK &&
            (other.gradient == GRADIENT_MISMATCH || result->gradient == GRADIENT_NONE || undecided))
            *result = other;
    }
}

static bool runs_well(Attempt *attempt, const CheckLaunch *given, void *user)
{
    (void)user;
    CheckLaunch launch = usual_launch(given, attempt->compiled, 0, 0);
    const KernelCheck own = check_apart(attempt);
    CheckOptions options = own.options;
    CheckResult result;
    options.max_steps = attempt->max_steps;
    options.draws = 1;
    check_kernel(attempt->compiled->unit, attempt->compiled->module, &launch, &options, &result);
    note_endless(&result, &attempt->max_steps);
    if (result.failure != CHECK_OK)
        return false;
    try_inputs(&own, attempt->compiled, &launch, &result);
    return result.failure == CHECK_OK && (result.finding.kind == FINDING_NONE || result.reverse_finding);
}

static bool is_valid_launch(const CheckLaunch *given, void *user)
{
    return try_apart(runs_well, user, given, NULL);
}

static const char *advice_about(const KernelCheck *check, const Compiled *compiled, const CheckResult *result,
                                CheckLaunch *found)
{
    Attempt attempt = {check, compiled, 1 << 20};
    return result->failure == CHECK_FINDING && !result->reverse_finding &&
                   result->finding.kind != FINDING_TOO_MANY_STEPS
               ? advise(compiled, &check->given, &result->finding, is_valid_launch, &attempt, found)
               : NULL;
}

/* Did the user say anything about the launch? Then that one is judged, and no other. */
static bool has_flags(const CheckLaunch *launch)
{
    return launch->ndim || launch->block_dim || launch->arg_count;
}

/* A trial of a cause: which one, and on which launch. */
typedef struct CauseAttempt {
    Attempt attempt;
    const CheckLaunch *launch;
    const CauseTrial *trial;
} CauseAttempt;

static bool is_cause(Attempt *attempt, const CheckLaunch *given, void *user)
{
    const CauseAttempt *cause = user;
    return cause_explains(attempt->compiled->unit, attempt->compiled->module, given, cause->trial);
}

static bool try_cause(const CauseTrial *trial, void *user)
{
    CauseAttempt *cause = user;
    cause->trial = trial;
    return try_apart(is_cause, &cause->attempt, cause->launch, cause);
}

/* A number that is not defined and that wp.where() drops was seen to be the cause. */
static void explain(const KernelCheck *check, const Compiled *compiled, KernelReport *report)
{
    const CheckResult *result = report->result;
    const PatternPlace undefined = {PATTERN_GRADIENT_UNDEFINED, compiled->module->kernel->code, result->finding.offset};
    CauseAttempt cause = {{check, compiled, check->options.max_steps}, report->launch, NULL};
    bool is_undefined = result->finding.kind == FINDING_GRADIENT_UNDEFINED;
    report->why = undefined;
    if (is_undefined && result->drops_undefined)
        return;
    report->why = find_cause(compiled->module, result->seed, check->options.max_steps, try_cause, &cause);
    report->why_tried = report->why.pattern != PATTERN_OTHER;
    if (is_undefined && !report->why_tried)
        report->why = undefined;
}

/* Where nothing was asked for, also launches that take what the first did not; then what is left. */
static void look_for_branches(const KernelCheck *check, CheckLaunch *given, CheckResult *result, KernelReport *report)
{
    const Compiled *compiled = report->compiled;
    const CheckCoverage *coverage = check->options.coverage;
    Drive drive = {.compiled = compiled, .asked = &check->given, .given = given, .options = &check->options};
    report->launches = 1;
    if (result->failure != CHECK_OK || result->finding.kind != FINDING_NONE || result->gradient == GRADIENT_MISMATCH)
        return;
    if (!has_flags(&check->given) && compiled->module->enable_backward && result->launch_steps <= LONG_LAUNCH)
        drive_branches(&drive, result);
    report->launches += drive.launches;
    report->driven = drive.flags;
    if (drive.is_shown) {
        CheckLaunch *shown = ARENA_NEW(compiled->unit->building, CheckLaunch);
        *shown = usual_launch(&drive.shown, compiled, 0, 0);
        report->shown = shown;
    }
    if (drive.flags)
        *given = drive.wrong;
    if (drive.flags || !compiled->module->enable_backward)
        return;
    MissingWay *missing = ARENA_ARRAY(compiled->unit->building, MissingWay, MOST_MISSING);
    report->missing_count = check_missing_ways(coverage, missing, MOST_MISSING);
    report->missing = missing;
}

static bool is_about_numbers(FindingKind kind)
{
    return kind == FINDING_DOMAIN || kind == FINDING_DIVISION_BY_ZERO || kind == FINDING_NOT_FINITE;
}

/* The usual launch computes a number that is not defined, so that another one was judged. With other flags and counts, outputs may no
 * longer depend on that number. Warp's gradient still does, on the usual inputs alone. */
static void look_beside_invalid(const KernelCheck *check, CheckCoverage *coverage, CheckLaunch *given,
                                KernelReport *report, CheckResult *result)
{
    const Compiled *compiled = report->compiled;
    CheckOptions options = check->options;
    CheckResult other = *report->first;
    Drive drive = {
        .compiled = compiled, .asked = &check->given, .given = &check->given, .options = &options, .is_invalid = true};
    if (report->driven || result->failure != CHECK_OK || result->gradient == GRADIENT_MISMATCH ||
        !compiled->module->enable_backward || result->launch_steps > LONG_LAUNCH ||
        !is_about_numbers(report->first->finding.kind))
        return;
    options.coverage = coverage;
    drive_branches(&drive, &other);
    if (!drive.flags)
        return;
    *given = drive.wrong;
    *result = other;
    report->first = result;
    report->advice = NULL;
    report->driven = drive.flags;
    report->missing_count = 0;
}

/* Where nothing was asked for and the usual launch is not valid, another that is. */
KernelReport *judge_kernel(KernelCheck *check, const Compiled *compiled)
{
    Arena *arena = compiled->unit->building;
    CheckResult *result = ARENA_NEW(arena, CheckResult), *instead = ARENA_NEW(arena, CheckResult);
    CheckLaunch *launch = ARENA_NEW(arena, CheckLaunch), given = check->given, found;
    Example *example = ARENA_NEW(arena, Example);
    KernelReport *report = ARENA_NEW(arena, KernelReport);
    *example = (Example){0};
    *launch = usual_launch(&given, compiled, 0, 0);
    check->options.programs = check_programs_new(compiled->unit, compiled->module);
    CheckCoverage *coverage = check_coverage_new(compiled->unit, check->options.programs);
    check->options.coverage = coverage;
    try_inputs(check, compiled, launch, result);
    if (result->finding.kind == FINDING_TOO_MANY_STEPS && check->options.max_steps > FEW_STEPS)
        check->options.max_steps /= 2;
    const char *advice = advice_about(check, compiled, result, &found);
    bool adopted = advice && !has_flags(&check->given);
    if (adopted) {
        given = found;
        check->options.coverage = check_coverage_new(compiled->unit, check->options.programs);
        *launch = usual_launch(&given, compiled, 0, 0);
        try_inputs(check, compiled, launch, instead);
    }
    *report = (KernelReport){.compiled = compiled,
                             .launch = launch,
                             .result = adopted ? instead : result,
                             .first = result,
                             .example = example,
                             .advice = advice,
                             .seed = check->options.seed};
    look_for_branches(check, &given, adopted ? instead : result, report);
    if (adopted)
        look_beside_invalid(check, coverage, &given, report, instead);
    if (report->driven)
        *launch = usual_launch(&given, compiled, 0, 0);
    if (report->driven || !report->shown)
        report->shown = launch;
    if (report->result->gradient != GRADIENT_NONE) /* of the inputs that it stands on */
        report->seed = report->result->seed;
    if (report->result->gradient == GRADIENT_MISMATCH) {
        explain(check, compiled, report);
        if (!check->no_example)
            find_smallest(check, &given, compiled, example);
    }
    return report;
}

const char *missing_text(const KernelReport *report, const MissingWay *way)
{
    const Source *source = way->branch->function->code->scope->file->source;
    const Source *own = report->compiled->module->kernel->code->scope->file->source;
    uint32_t line = source_position(source, way->branch->source).line;
    Arena *arena = report->compiled->unit->building;
    const char *place =
        source == own ? arena_format(arena, "line %u", line) : arena_format(arena, "%s:%u", source->path, line);
    if (way->is_loop)
        return arena_format(arena, "the loop at %s never ran", place);
    return arena_format(arena, "the condition at %s was never %s", place, way->when ? "true" : "false");
}

const char *launch_flags(const KernelReport *report)
{
    if (report->driven)
        return report->driven;
    return report->first != report->result ? report->advice : NULL;
}

KernelReport *too_large_report(const Compiled *compiled)
{
    Arena *arena = compiled->unit->building;
    CheckResult *result = ARENA_NEW(arena, CheckResult);
    KernelReport *report = ARENA_NEW(arena, KernelReport);
    *result = (CheckResult){.failure = CHECK_FINDING,
                            .finding = {.kind = FINDING_TOO_MUCH_MEMORY,
                                        .offset = compiled->module->kernel->code->def->start,
                                        .message = "the check takes more than there is, or than 1 GiB"}};
    *report =
        (KernelReport){.compiled = compiled, .result = result, .first = result, .example = ARENA_NEW(arena, Example)};
    return report;
}

const char *example_flags(const KernelReport *report)
{
    const Compiled *compiled = report->compiled;
    const Example *example = report->example;
    Text text;
    text_init_in(&text, compiled->unit->building);
    if (launch_flags(report))
        text_format(&text, "%s ", launch_flags(report));
    if (example->threads) {
        text_lit(&text, "--dim ");
        for (uint32_t i = 0; i < compiled->module->kernel->kernel_dim; i++)
            text_format(&text, "%s%u", i ? "," : "", example->threads);
        text_char(&text, ' ');
    }
    if (example->size)
        text_format(&text, "--shape %u ", example->size);
    text_format(&text, "--seed %llu", (unsigned long long)example->seed);
    return text_cstr(&text);
}

const char *wrong_gradient_text(const KernelReport *report)
{
    const CheckResult *result = report->result;
    const GradientEntry *entry = &report->example->entry;
    Text text;
    text_init_in(&text, report->compiled->unit->building);
    text_format(&text, "Warp's gradient of %s is wrong: ", report->compiled->module->kernel->kernel->key->text);
    if (report->example->found && isfinite(entry->warp))
        text_format(&text, "d %s / d %s is %.9g, but Warp has %.9g; ", entry->output, entry->input, entry->exact,
                    entry->warp);
    else if (isfinite(result->gradient_error))
        text_format(&text, "%.9g where %.9g is true; ", result->warp_dot, result->true_dot);
    text_format(&text, "%s [%s]", pattern_text(report->why.pattern).why, pattern_text(report->why.pattern).name);
    return text_cstr(&text);
}
