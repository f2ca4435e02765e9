/* weft check: is Warp's gradient of a kernel right? */
#include "args.h"
#include "base/limits.h"
#include "base/suggest.h"
#include "check/usual.h"
#include "check_flags.h"
#include "check_kernel.h"
#include "check_report.h"
#include "commands.h"
#include "each_file.h"
#include "files.h"
#include "report.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

typedef struct CheckArgs {
    const char *kernel;
    long long seed, jobs;
    LaunchFlags flags;
    bool json, with_io, no_example, require_coverage;
    const char *sarif, *baseline;
    Imports imports;
} CheckArgs;

/* An argument that flags speak of: does any kernel have it, and if not, which is it likely to be? */
typedef struct GivenName {
    bool known;
    size_t distance;
    char nearest[44];
} GivenName;

/* What came out of a file, or of all of them. */
typedef struct Outcome {
    uint32_t checked, good, wrong, known, unsure, refused;
    uint32_t partial; /* good on the launches that were tried, which do not run all of it */
    NamesMet met;     /* of -k */
    LintNotes notes;
    Tallies reasons;            /* of refusals */
    GivenName names[MAX_GIVEN]; /* of launch.args */
} Outcome;

/* What holds for all files. */
typedef struct CheckAll {
    const CheckArgs *args;
    KernelCheck how;
    Lint lint;
    bool several; /* files: kernels are told apart by them, too */
    Progress progress;
} CheckAll;

/* The work on one file. */
typedef struct Check {
    const CheckAll *all;
    const CheckArgs *args;
    const FileTask *task;
    KernelCheck how;
    CheckMemory memory;
    Outcome *outcome;
} Check;

/* ---- flags for arguments that do not exist ---- */

/* The nearest of all kernels; of those that are as near, the first. */
static void note_name(GivenName *name, const GivenName *other)
{
    bool known = name->known || other->known;
    if (other->nearest[0] && (!name->nearest[0] || other->distance < name->distance))
        *name = *other;
    name->known = known;
}

static void note_names(Check *check, const Compiled *compiled)
{
    uint32_t count;
    const Argument *arguments = list_arguments(compiled, &count);
    for (uint32_t i = 0; i < check->how.given.arg_count; i++) {
        const char *name = check->how.given.args[i].name;
        GivenName given = {0};
        Suggestion near = suggestion_for(name, strlen(name));
        for (uint32_t k = 0; k < count; k++) {
            given.known |= strcmp(name, arguments[k].name) == 0;
            suggestion_offer(&near, arguments[k].name, strlen(arguments[k].name));
        }
        if (near.best)
            snprintf(given.nearest, sizeof given.nearest, "%.*s", (int)near.best_length, near.best);
        given.distance = near.distance;
        note_name(&check->outcome->names[i], &given);
    }
}

static int complain_about_names(const CheckLaunch *launch, const GivenName *names)
{
    int code = EXIT_DONE;
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        const CheckArg *arg = &launch->args[i];
        const GivenName *given = &names[i];
        if (given->known || strcmp(arg->name, "*") == 0)
            continue;
        tell(stderr, "weft check: --%s %s: no kernel that was checked has an argument '%s'%s%s%s\n",
             arg->ndim        ? "shape"
             : arg->has_range ? "range"
             : arg->has_value ? "set"
             : arg->sorted    ? "sorted"
             : arg->definite  ? "definite"
                              : "symmetric",
             arg->name, arg->name, given->nearest[0] ? " (did you mean '" : "", given->nearest,
             given->nearest[0] ? "'?)" : "");
        code = EXIT_FOUND;
    }
    return code;
}

/* ---- all of one kernel ---- */

static void print_report_json(const KernelReport *report)
{
    Text text = {0};
    write_report_json(report, &text);
    put_json_line(&text, report->out);
}

/* Counts and prints what was found out about a kernel: with a baseline, only what is new. */
static void report_kernel(const Check *check, KernelReport *report)
{
    report->path = check->task->path;
    report->out = check->task->out;
    report->several_files = check->all->several;
    report->with_io = check->args->with_io;
    progress_clear(check->task->progress);
    const CheckResult *result = report->result;
    const IrModule *module = report->compiled->module;
    Outcome *outcome = check->outcome;
    bool wrong = result->gradient == GRADIENT_MISMATCH;
    bool unsure = result->failure != CHECK_OK || (result->finding.kind != FINDING_NONE && !wrong);
    if (wrong)
        report->known = lint_add(&check->all->lint, &outcome->notes,
                                 &(LintFinding){module, report->why, wrong_gradient_text(report)});
    if (unsure) {
        SourcePosition at;
        const char *text = no_verdict_text(report, &at);
        lint_notice(&check->all->lint, &outcome->notes, &(LintNotice){report->path, text, at.line, at.column, false});
    }
    outcome->known += report->known != KNOWN_NOT;
    outcome->wrong += wrong && report->known == KNOWN_NOT;
    outcome->unsure += unsure;
    outcome->good += !unsure && !wrong;
    outcome->partial += report->missing_count > 0;
    for (uint32_t i = 0; i < report->missing_count; i++) {
        const TreeBranch *branch = report->missing[i].branch;
        lint_add_branch(&check->all->lint, &outcome->notes, module, branch->function->code, branch->source,
                        missing_text(report, &report->missing[i]));
    }
    if (check->args->json)
        print_report_json(report);
    else if (report->known == KNOWN_NOT && (wrong || !check->args->baseline))
        print_report(report);
}

static void check_one(Check *check, const Compiled *compiled)
{
    const FileTask *task = check->task;
    const char *mistake = find_flag_mistake(&check->how.given, compiled);
    note_names(check, compiled);
    if (mistake) {
        const char *key = compiled->module->kernel->kernel->key->text;
        check->outcome->unsure++;
        tell(task->err, "weft check: %s: %s\n", key, mistake);
        lint_notice(&check->all->lint, &check->outcome->notes, &(LintNotice){task->path, mistake, 1, 1, false});
        if (check->args->json)
            print_refusal_record(task->out, task->path,
                                 &(WeftError){.kernel = key, .message = mistake, .line = 1, .column = 1});
        return;
    }
    report_kernel(check, judge_kernel(&check->how, compiled));
}

/* In memory of its own, which is bounded, and given back for the next kernel. */
static bool check_compiled(const Compiled *compiled, void *user)
{
    Check *check = user;
    Arena *arena = &check->memory.kernel, *const built_in = compiled->unit->building;
    jmp_buf failure;
    arena_reset(arena);
    arena->on_failure = &failure;
    compiled->unit->building = arena;
    check->how.attempts = &check->memory.attempt;
    check->outcome->checked++;
    check->outcome->met |=
        names_met(check->args->kernel, compiled->module->kernel->kernel->key->text, compiled->module->name);
    if (setjmp(failure) == 0)
        check_one(check, compiled);
    else {
        arena_reset(arena);
        arena->on_failure = built_in->on_failure;
        report_kernel(check, too_large_report(compiled));
    }
    compiled->unit->building = built_in;
    return true;
}

/* ---- one file ---- */

static void note_refusal(const WeftError *error, void *user)
{
    Check *check = user;
    const FileTask *task = check->task;
    check->outcome->refused++;
    check->outcome->met |= names_met(check->args->kernel, error->kernel, NULL);
    tally_add_message(&check->outcome->reasons, error->message);
    lint_notice(
        &check->all->lint, &check->outcome->notes,
        &(LintNotice){error->path ? error->path : task->path, error->message, error->line, error->column, false});
    progress_clear(task->progress);
    if (!check->args->baseline)
        print_refusal(task->err, task->path, error);
    if (check->args->json)
        print_refusal_record(task->out, task->path, error);
}

static int check_file(const void *user, const FileTask *task, void *outcome)
{
    const CheckAll *all = user;
    Check check = {.all = all, .args = all->args, .task = task, .how = all->how, .outcome = outcome};
    size_t length;
    char *text = read_input(task->file, &length, task->err);
    if (!text) {
        if (check.args->json)
            print_refusal_record(task->out, task->path,
                                 &(WeftError){.message = "the file cannot be read", .line = 1, .column = 1});
        lint_notice(&all->lint, &check.outcome->notes,
                    &(LintNotice){task->path, "the file cannot be read", 1, 1, false});
        return EXIT_FOUND;
    }
    PipelineOptions options = pipeline_options();
    options.weft.kernel = check.args->kernel;
    options.weft.block_dim = (uint32_t)check.args->flags.block_dim;
    options.weft.cuda = options.weft.cpu = false;
    options.weft.files = project_files(task->project, task->path);
    const Source source = {task->path, text, length};
    if (length <= LIMIT_SOURCE_SIZE)
        lint_comments(&all->lint, &check.outcome->notes, &source, task->err);
    check_memory_init(&check.memory);
    bool done =
        pipeline_compile(task->weft, &source, &options,
                         &(PipelineVisitor){.compiled = check_compiled, .refused = note_refusal, .user = &check});
    if (!done)
        tell(task->err, "weft: out of memory\n");
    check_memory_free(&check.memory);
    free(text);
    return done ? EXIT_DONE : EXIT_FOUND;
}

/* ---- the command ---- */

static void add_outcome(void *total, void *result)
{
    Outcome *all = total;
    const Outcome *outcome = result;
    all->checked += outcome->checked;
    all->good += outcome->good;
    all->partial += outcome->partial;
    all->wrong += outcome->wrong;
    all->known += outcome->known;
    all->unsure += outcome->unsure;
    all->refused += outcome->refused;
    all->met |= outcome->met;
    lint_join(&all->notes, &outcome->notes);
    tally_join(&all->reasons, &outcome->reasons);
    for (uint32_t i = 0; i < MAX_GIVEN; i++)
        note_name(&all->names[i], &outcome->names[i]);
}

static void free_outcome(void *result)
{
    Outcome *outcome = result;
    lint_notes_free(&outcome->notes);
    tally_free(&outcome->reasons);
}

static void print_summary(CheckAll *all, Outcome *total)
{
    char known[40] = "", partial[60] = "";
    if (total->partial)
        snprintf(partial, sizeof partial, " (%u with branches that were never taken)", total->partial);
    if (total->known)
        snprintf(known, sizeof known, " and %u known ones", total->known);
    if (total->checked + total->refused > 1)
        progress_end(&all->progress,
                     "%u kernels: %u in order%s, %u with a wrong gradient%s, %u not valid or not checked, %u refused;",
                     total->checked + total->refused, total->good, partial, total->wrong, known, total->unsure,
                     total->refused);
    else
        progress_end(&all->progress, NULL);
    if (all->several && all->progress.summary)
        print_reasons(&total->reasons);
}

static int check_files(CheckAll *all, const char *warp, const Inputs *inputs, Outcome *total)
{
    all->several = inputs->count > 1;
    progress_beside(&all->progress, stdout);
    int code = each_file(&(FileWork){.inputs = inputs,
                                     .warp = warp,
                                     .imports = &all->args->imports,
                                     .out = stdout,
                                     .progress = &all->progress,
                                     .user = all,
                                     .result_size = sizeof *total,
                                     .make = check_file,
                                     .take = add_outcome,
                                     .drop = free_outcome,
                                     .total = total},
                         (unsigned)all->args->jobs);
    if (inputs->failed)
        code = EXIT_FOUND;
    bool is_empty = !total->checked && !total->refused;
    bool misses = all->args->kernel ? is_name_missing(all->args->kernel, total->met) : is_empty;
    if (misses && !inputs->failed && (code == EXIT_DONE || !is_empty)) {
        const char *path = inputs->count == 1 ? inputs->files[0].path : NULL;
        lint_notice(&all->lint, &total->notes, &(LintNotice){path, "there is no kernel", 1, 1, false});
        code = no_kernel(inputs, all->args->kernel, total->met, all->args->json ? stdout : NULL);
    }
    print_summary(all, total);
    if (total->checked && complain_about_names(&all->how.given, total->names) != EXIT_DONE)
        code = EXIT_FOUND;
    bool unsure = (total->unsure || total->refused) && !all->args->baseline;
    bool lacking = total->partial && all->args->require_coverage;
    return total->wrong || unsure || lacking ? EXIT_FOUND : code;
}

static int run(const Call *call)
{
    const CheckArgs *args = call->args;
    CheckArg given[MAX_GIVEN];
    char *given_names[MAX_GIVEN];
    CheckAll all = {.args = args,
                    .how = {.options = {.seed = (uint64_t)args->seed, .locate = true, .max_steps = MOST_STEPS},
                            .given = {.args = given},
                            .no_example = args->no_example}};
    if (args->with_io && !args->json)
        return wrong_call(call->command, "--with-io needs --json");
    if (!call->operand_count)
        return wrong_call(call->command, "no file is given");
    progress_begin(&all.progress, call);
    int code = read_launch_flags(call->command, &args->flags, &all.how.given, given_names);
    if (code == EXIT_DONE) {
        Inputs inputs;
        Outcome total = {0};
        inputs_find(&inputs, call->operands, call->operand_count);
        bool is_open = lint_open(&all.lint, args->sarif, args->baseline);
        code = is_open ? check_files(&all, call->warp, &inputs, &total) : EXIT_FOUND;
        if (is_open && !lint_close(&all.lint, &total.notes, !inputs.failed))
            code = EXIT_FOUND;
        free_outcome(&total);
        inputs_free(&inputs);
    }
    for (uint32_t i = 0; i < all.how.given.arg_count; i++)
        free(given_names[i]);
    return code;
}

static const CheckArgs defaults = {.seed = 1, .jobs = 1};

#define ARGS CheckArgs
static const Option options[] = {
    OPT_LIST('k', "kernel", kernel, "NAME", "only this kernel; may be repeated"),
    OPT_IMPORTS,
    OPT_TEXT(0, "dim", flags.dim, "N[,M...]", "threads to launch (default 8 in each dimension)"),
    OPT_COUNT(0, "block-dim", flags.block_dim, 1, 1024, "N",
              "threads of a block, for kernels with tiles (default 8, or 256 where the kernel depends on it); --dim "
              "counts threads: "
              "of wp.launch_tiled(dim=[4]), 4,N"),
    OPT_WORDS(0, "shape", flags.shapes, "[NAME=]7[,5...]",
              "shape of an array, or of all (default 8 in each dimension)"),
    OPT_WORDS(0, "range", flags.ranges, "[NAME=]LOW,HIGH",
              "range of an argument, or of all floats; otherwise floats are drawn from 0.25,0.95, integers from 3,6, "
              "those in "
              "arrays from 0,7, and arrays that are only written are 0"),
    OPT_WORDS(0, "set", flags.values, "NAME=VALUE",
              "a fixed value for an argument; the derivative with respect to it is not checked"),
    OPT_WORDS(0, "sorted", flags.sorted, "NAME", "this array is sorted ascending, such as the row offsets of CSR"),
    OPT_WORDS(0, "symmetric", flags.symmetric, "NAME", "the square matrices of this argument are symmetric"),
    OPT_WORDS(0, "definite", flags.definite, "NAME", "the matrices in this argument are positive definite"),
    OPT_COUNT('s', "seed", seed, 0, MAX_SEED, "SEED", "seed of the random inputs (default 1)"),
    OPT_FILE_JOBS,
    OPT_FLAG(0, "require-coverage", require_coverage, "exit code 1 also where a branch was never taken"),
    OPT_FLAG(0, "no-example", no_example, "do not look for a smallest example of a wrong gradient"),
    OPT_FLAG(0, "json", json, "one JSON line per kernel; a refused kernel has an error"),
    OPT_FILE(0, "sarif", sarif, "FILE",
             "write the wrong gradients, and kernels without a verdict, as SARIF 2.1.0, for code scanning"),
    OPT_FILE(
        0, "baseline", baseline, "FILE",
        "known wrong gradients, written if the file is not there: only others are told and count for the exit code"),
    OPT_FLAG(0, "with-io", with_io, "with --json: also inputs, outputs and gradients of the launch"),
};

static const CommandExample examples[] = {
    {"weft check kernels.py", "every kernel of the file, on random inputs"},
    {"weft check kernels.py -k blur --shape image=16,16 --set radius=2", "one kernel, launched as you use it"},
    {"weft check src/ --baseline known.txt --sarif weft.sarif", "a project: only wrong gradients that are new"},
    {NULL, NULL},
};

const Command check_command = {
    .name = "check",
    .summary = "run kernels and say whether Warp's gradient is right",
    .operands = "FILE.py|DIR... [options]",
    .input_kind = INPUTS_FILES,
    .description =
        "Runs kernels on random inputs, forward and backward, and says whether the gradient that Warp generates "
        "is the true one. Exit code 1: a gradient is wrong, a launch is not valid, or a kernel was refused.\n"
        "Launches that take further branches are looked for; branches that none takes are listed, and do not count.\n"
        "--shape, --range, --set, --sorted, --symmetric and --definite may be given several times, once for each "
        "argument.\n"
        "A comment '# weft: ignore[PATTERN]' in the line of a wrong gradient, or in the head of the kernel, makes it a "
        "known one.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
