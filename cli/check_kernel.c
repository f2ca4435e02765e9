#include "check_kernel.h"
#include "check/advice.h"
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
    EXAMPLE_STEPS = 20000000
};

/* There are dozens of launches to try: each that ran out of steps leaves half as many to the next. */
static void note_endless(const CheckResult *result, uint64_t *max_steps)
{
    enum { FEWEST_STEPS = 1 << 14 };
    if (result->finding.kind == FINDING_TOO_MANY_STEPS && *max_steps > FEWEST_STEPS)
        *max_steps /= 2;
}

static bool shows_it(const CheckLaunch *given, const Compiled *compiled, Example *example, CheckOptions *options,
                     double *steps)
{
    CheckLaunch launch = usual_launch(given, compiled, example->threads, example->size);
    CheckResult result;
    options->seed = example->seed;
    check_kernel(compiled->unit, compiled->module, &launch, options, &result);
    note_endless(&result, &options->max_steps);
    example->inputs.len = 0;
    *steps += result.launch_steps;
    return result.failure == CHECK_OK && result.gradient == GRADIENT_MISMATCH &&
           check_worst_entry(compiled->unit, compiled->module, &launch, example->seed, &example->entry,
                             &example->inputs);
}

static void find_smallest(const KernelCheck *check, const CheckLaunch *given, const Compiled *compiled,
                          Example *example)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 6, 8};
    bool shape_given = compiled->module->uses_tiles; /* the tiles ask for their shapes, and for the launch */
    bool dim_given = given->ndim || compiled->module->uses_tiles;
    double steps = 0;
    CheckOptions options = check->options;
    options.coverage = NULL;
    for (uint32_t i = 0; i < given->arg_count; i++)
        shape_given |= given->args[i].ndim > 0;
    text_init_in(&example->inputs, compiled->unit->arena);
    size_t count = sizeof sizes / sizeof *sizes;
    for (size_t i = shape_given ? count - 1 : 0; !example->found && i < count; i++)
        for (size_t k = dim_given ? i : 0; !example->found && k <= i; k++)
            for (uint64_t draw = 0; !example->found && draw < INPUTS_TRIED && steps < EXAMPLE_STEPS; draw++) {
                example->size = shape_given ? 0 : sizes[i];
                example->threads = dim_given ? 0 : sizes[k];
                example->seed = check->options.seed + draw;
                example->found = shows_it(given, compiled, example, &options, &steps);
            }
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

typedef struct Attempt {
    const KernelCheck *check;
    const Compiled *compiled;
    uint64_t max_steps;
} Attempt;

static bool is_valid_launch(const CheckLaunch *given, void *user)
{
    Attempt *attempt = user;
    CheckLaunch launch = usual_launch(given, attempt->compiled, 0, 0);
    CheckOptions options = attempt->check->options;
    CheckResult result;
    options.max_steps = attempt->max_steps;
    options.coverage = NULL;
    options.draws = 1;
    check_kernel(attempt->compiled->unit, attempt->compiled->module, &launch, &options, &result);
    note_endless(&result, &attempt->max_steps);
    if (result.failure != CHECK_OK)
        return false;
    try_inputs(attempt->check, attempt->compiled, &launch, &result);
    return result.failure == CHECK_OK && (result.finding.kind == FINDING_NONE || result.reverse_finding);
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

static PatternPlace find_why(const Compiled *compiled, const CheckResult *result)
{
    bool is_undefined = result->finding.kind == FINDING_GRADIENT_UNDEFINED;
    PatternPlace found = find_pattern(compiled->module, !is_undefined);
    if (is_undefined && (result->drops_undefined || found.pattern == PATTERN_GRADIENT_UNDEFINED))
        return (PatternPlace){PATTERN_GRADIENT_UNDEFINED, compiled->module->kernel->code, result->finding.offset};
    return found;
}

/* Where nothing was asked for, also launches that take what the first did not; then what is left. */
static void look_for_branches(const KernelCheck *check, CheckLaunch *given, CheckResult *result, KernelReport *report)
{
    const Compiled *compiled = report->compiled;
    const CheckCoverage *coverage = check->options.coverage;
    Drive drive = {.compiled = compiled, .given = given, .options = &check->options};
    report->launches = 1;
    if (result->failure != CHECK_OK || result->finding.kind != FINDING_NONE || result->gradient == GRADIENT_MISMATCH)
        return;
    if (!has_flags(&check->given) && compiled->module->enable_backward && result->launch_steps <= LONG_LAUNCH)
        drive_branches(&drive, result);
    report->launches += drive.launches;
    report->driven = drive.flags;
    if (drive.flags)
        *given = drive.wrong;
    if (drive.flags || !compiled->module->enable_backward)
        return;
    MissingWay *missing = ARENA_ARRAY(compiled->unit->building, MissingWay, MOST_MISSING);
    report->missing_count = check_missing_ways(coverage, missing, MOST_MISSING);
    report->missing = missing;
}

/* Where nothing was asked for and the usual launch is not valid, another that is. */
KernelReport *judge_kernel(KernelCheck *check, const Compiled *compiled)
{
    Arena *arena = compiled->unit->arena;
    CheckResult *result = ARENA_NEW(arena, CheckResult), *instead = ARENA_NEW(arena, CheckResult);
    CheckLaunch *launch = ARENA_NEW(arena, CheckLaunch), given = check->given, found;
    Example *example = ARENA_NEW(arena, Example);
    KernelReport *report = ARENA_NEW(arena, KernelReport);
    *example = (Example){0};
    *launch = usual_launch(&given, compiled, 0, 0);
    check->options.programs = check_programs_new(compiled->unit, compiled->module);
    check->options.coverage = check_coverage_new(compiled->unit, check->options.programs);
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
    if (report->driven)
        *launch = usual_launch(&given, compiled, 0, 0);
    if (report->result->gradient == GRADIENT_MISMATCH) {
        report->why = find_why(compiled, report->result);
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
    Arena *arena = report->compiled->unit->arena;
    const char *place =
        source == own ? arena_format(arena, "line %u", line) : arena_format(arena, "%s:%u", source->path, line);
    if (way->is_loop)
        return arena_format(arena, "the loop at %s never ran", place);
    return arena_format(arena, "the condition at %s was never %s", place, way->when ? "true" : "false");
}

const char *launch_flags(const KernelReport *report)
{
    const char *advice = report->first != report->result ? report->advice : NULL;
    if (!advice || !report->driven)
        return report->driven ? report->driven : advice;
    return arena_format(report->compiled->unit->arena, "%s %s", advice, report->driven);
}

const char *example_flags(const KernelReport *report)
{
    const Compiled *compiled = report->compiled;
    const Example *example = report->example;
    Text text;
    text_init_in(&text, compiled->unit->arena);
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
    text_init_in(&text, report->compiled->unit->arena);
    text_format(&text, "Warp's gradient of %s is wrong: ", report->compiled->module->kernel->kernel->key->text);
    if (report->example->found && isfinite(entry->warp))
        text_format(&text, "d %s / d %s is %.9g, but Warp has %.9g; ", entry->output, entry->input, entry->exact,
                    entry->warp);
    else if (isfinite(result->gradient_error))
        text_format(&text, "%.9g where %.9g is true; ", result->warp_dot, result->true_dot);
    text_format(&text, "%s [%s]", pattern_text(report->why.pattern).why, pattern_text(report->why.pattern).name);
    return text_cstr(&text);
}
