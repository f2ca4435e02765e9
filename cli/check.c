/* weft check: is Warp's gradient of a kernel right? */
#include "args.h"
#include "base/suggest.h"
#include "check/usual.h"
#include "check_flags.h"
#include "check_kernel.h"
#include "check_report.h"
#include "commands.h"
#include "files.h"
#include "inputs.h"
#include "progress.h"
#include "project.h"
#include "report.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

typedef struct CheckArgs {
    const char *kernel;
    long long seed;
    LaunchFlags flags;
    bool json, with_io, no_example;
    const char *sarif, *baseline;
    Words imports;
} CheckArgs;

/* An argument that flags speak of: does any kernel have it, and if not, which is it likely to be? */
typedef struct GivenName {
    bool known;
    size_t distance;
    char nearest[44];
} GivenName;

typedef struct Check {
    const CheckArgs *args;
    KernelCheck how;
    const char *path;
    Progress progress;
    Project project;
    bool several; /* files: kernels are told apart by them, too */
    uint32_t checked, good, wrong, known, unsure, refused;
    Lint lint;
    Tallies reasons;            /* of refusals */
    GivenName names[MAX_GIVEN]; /* of launch.args */
} Check;

/* ---- flags for arguments that do not exist ---- */

static void note_names(Check *check, const Compiled *compiled)
{
    uint32_t count;
    const Argument *arguments = list_arguments(compiled, &count);
    for (uint32_t i = 0; i < check->how.given.arg_count; i++) {
        const char *name = check->how.given.args[i].name;
        GivenName *given = &check->names[i];
        Suggestion near = suggestion_for(name, strlen(name));
        for (uint32_t k = 0; k < count; k++) {
            given->known |= strcmp(name, arguments[k].name) == 0;
            suggestion_offer(&near, arguments[k].name, strlen(arguments[k].name));
        }
        if (near.best && (!given->nearest[0] || near.distance < given->distance)) {
            snprintf(given->nearest, sizeof given->nearest, "%.*s", (int)near.best_length, near.best);
            given->distance = near.distance;
        }
    }
}

static int complain_about_names(const Check *check)
{
    int code = EXIT_DONE;
    for (uint32_t i = 0; i < check->how.given.arg_count; i++) {
        const CheckArg *arg = &check->how.given.args[i];
        const GivenName *given = &check->names[i];
        if (given->known || strcmp(arg->name, "*") == 0)
            continue;
        tell(stderr, "weft check: --%s %s: no kernel that was checked has an argument '%s'%s%s%s\n",
             arg->ndim        ? "shape"
             : arg->has_range ? "range"
             : arg->has_value ? "set"
                              : "sorted",
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
    put_json_line(&text, stdout);
}

/* Counts and prints what was found out about a kernel: with a baseline, only what is new. */
static void report_kernel(Check *check, KernelReport *report)
{
    const CheckResult *result = report->result;
    const IrModule *module = report->compiled->module;
    bool wrong = result->gradient == GRADIENT_MISMATCH;
    bool unsure = result->failure != CHECK_OK || (result->finding.kind != FINDING_NONE && !wrong);
    if (wrong)
        report->known = lint_add(&check->lint, &(LintFinding){module, report->why, wrong_gradient_text(report)});
    check->known += report->known != KNOWN_NOT;
    check->wrong += wrong && report->known == KNOWN_NOT;
    check->unsure += unsure;
    check->good += !unsure && !wrong;
    if (check->args->json)
        print_report_json(report);
    else if (report->known == KNOWN_NOT && (wrong || !check->args->baseline))
        print_report(report);
}

static bool check_compiled(const Compiled *compiled, void *user)
{
    Check *check = user;
    progress_clear(&check->progress);
    const char *mistake = find_flag_mistake(&check->how.given, compiled);
    check->checked++;
    note_names(check, compiled);
    if (mistake) {
        check->unsure++;
        tell(stderr, "weft check: %s: %s\n", compiled->module->kernel->kernel->key->text, mistake);
        if (check->args->json)
            print_refusal_record(
                stdout, check->path,
                &(WeftError){
                    .kernel = compiled->module->kernel->kernel->key->text, .message = mistake, .line = 1, .column = 1});
        return true;
    }
    KernelReport *report = judge_kernel(&check->how, compiled);
    report->path = check->path;
    report->several_files = check->several;
    report->with_io = check->args->with_io;
    report_kernel(check, report);
    return true;
}

/* ---- the command ---- */

static void note_refusal(const WeftError *error, void *user)
{
    Check *check = user;
    check->refused++;
    tally_add_message(&check->reasons, error->message);
    progress_clear(&check->progress);
    if (!check->args->baseline)
        print_refusal(stderr, check->path, error);
    if (check->args->json)
        print_refusal_record(stdout, check->path, error);
}

static int check_file(Weft *weft, Check *check, const char *path)
{
    size_t length;
    char *text = read_file(path, &length);
    if (!text) {
        if (check->args->json)
            print_refusal_record(stdout, path,
                                 &(WeftError){.message = "the file cannot be read", .line = 1, .column = 1});
        return EXIT_FOUND;
    }
    PipelineOptions options = pipeline_options();
    check->how.options.max_steps = MOST_STEPS;
    options.weft.kernel = check->args->kernel;
    options.weft.cuda = options.weft.cpu = false;
    options.weft.files = project_files(&check->project, path);
    check->path = path;
    bool done =
        pipeline_compile(weft, &(Source){path, text, length}, &options,
                         &(PipelineVisitor){.compiled = check_compiled, .refused = note_refusal, .user = check});
    if (!done)
        tell(stderr, "weft: out of memory\n");
    free(text);
    return done ? EXIT_DONE : EXIT_FOUND;
}

static int check_files(Weft *weft, Check *check, const Inputs *inputs)
{
    int code = inputs->failed ? EXIT_FOUND : EXIT_DONE;
    check->several = inputs->count > 1;
    progress_beside(&check->progress, stdout);
    for (size_t i = 0; i < inputs->count && !ferror(stdout); i++) {
        if (check_file(weft, check, inputs->paths[i]) != EXIT_DONE)
            code = EXIT_FOUND;
        progress_tell(&check->progress, "files", i + 1, inputs->count, "");
    }
    if (code == EXIT_DONE && !check->checked && !check->refused)
        code = no_kernel(inputs, check->args->kernel, check->args->json ? stdout : NULL);
    char known[40] = "";
    if (check->known)
        snprintf(known, sizeof known, " and %u known ones", check->known);
    if (check->checked + check->refused > 1)
        progress_end(&check->progress,
                     "%u kernels: %u in order, %u with a wrong gradient%s, %u not valid or not checked, %u refused;",
                     check->checked + check->refused, check->good, check->wrong, known, check->unsure, check->refused);
    else
        progress_end(&check->progress, NULL);
    if (check->several && check->progress.summary)
        print_reasons(&check->reasons);
    tally_free(&check->reasons);
    if (check->checked && complain_about_names(check) != EXIT_DONE)
        code = EXIT_FOUND;
    bool unsure = (check->unsure || check->refused) && !check->args->baseline;
    return check->wrong || unsure ? EXIT_FOUND : code;
}

static int run(const Call *call)
{
    const CheckArgs *args = call->args;
    CheckArg given[MAX_GIVEN];
    char *given_names[MAX_GIVEN];
    Check check = {.args = args,
                   .how = {.options = {.seed = (uint64_t)args->seed, .locate = true},
                           .given = {.args = given},
                           .no_example = args->no_example}};
    if (args->with_io && !args->json)
        return wrong_call(call->command, "--with-io needs --json");
    if (!call->operand_count)
        return wrong_call(call->command, "no file is given");
    progress_begin(&check.progress, call);
    int code = read_launch_flags(call->command, &args->flags, &check.how.given, given_names);
    Weft *weft = code == EXIT_DONE ? weft_new(call->warp) : NULL;
    if (code == EXIT_DONE && !weft) {
        tell(stderr, "weft: out of memory\n");
        code = EXIT_FOUND;
    }
    if (weft) {
        Inputs inputs;
        inputs_find(&inputs, call->operands, call->operand_count);
        code = EXIT_FOUND;
        if (project_open(&check.project, &args->imports)) {
            lint_open(&check.lint, args->sarif, args->baseline);
            code = check_files(weft, &check, &inputs);
            if (!lint_close(&check.lint))
                code = EXIT_FOUND;
            project_close(&check.project);
        }
        inputs_free(&inputs);
    }
    for (uint32_t i = 0; i < check.how.given.arg_count; i++)
        free(given_names[i]);
    weft_free(weft);
    return code;
}

static const CheckArgs defaults = {.seed = 1};

#define ARGS CheckArgs
static const Option options[] = {
    OPT_TEXT('k', "kernel", kernel, "NAME", "only this kernel"),
    OPT_IMPORTS,
    OPT_TEXT(0, "dim", flags.dim, "N[,M...]", "threads to launch (default 8 in each dimension)"),
    OPT_WORDS(0, "shape", flags.shapes, "[NAME=]7[,5...]",
              "shape of an array, or of all (default 8 in each dimension)"),
    OPT_WORDS(0, "range", flags.ranges, "[NAME=]LOW,HIGH",
              "range of an argument, or of all floats; otherwise floats are drawn from 0.25,0.95, integers from 3,6, "
              "those in "
              "arrays from 0,7, and arrays that are only written are 0"),
    OPT_WORDS(0, "set", flags.values, "NAME=VALUE",
              "a fixed value for an argument; the derivative with respect to it is not checked"),
    OPT_WORDS(0, "sorted", flags.sorted, "NAME", "the numbers of this array rise, as those that rows start at"),
    OPT_COUNT('s', "seed", seed, 0, MAX_SEED, "SEED", "seed of the random inputs (default 1)"),
    OPT_FLAG(0, "no-example", no_example, "do not look for a smallest example of a wrong gradient"),
    OPT_FLAG(0, "json", json, "one JSON line per kernel; a refused kernel has an error"),
    OPT_FILE(0, "sarif", sarif, "FILE", "write the wrong gradients as SARIF 2.1.0, for code scanning"),
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
        "--shape, --range, --set and --sorted may be given several times, once for each argument.\n"
        "A comment '# weft: ignore[PATTERN]' in the line of a wrong gradient, or in the head of the kernel, makes it a "
        "known one.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
