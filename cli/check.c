/* weft check: is Warp's gradient of a kernel right? */
#include "args.h"
#include "check_flags.h"
#include "commands.h"
#include "files.h"
#include "inputs.h"
#include "report.h"

#include "check/example.h"
#include "check/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct CheckArgs {
    const char *kernel;
    long long seed;
    LaunchFlags flags;
    bool json, with_io, no_example;
} CheckArgs;

typedef struct Check {
    const CheckArgs *args;
    CheckLaunch launch;
    CheckOptions options;
    const char *path;
    uint32_t checked, wrong, unsure, refused;
} Check;

/* ---- one kernel ---- */

enum { INPUTS_TRIED = 4 };

/* The smallest launch, of those tried, on which a gradient is wrong, and what is wrong there. */
typedef struct Example {
    bool found;
    uint32_t threads, size; /* 0: as given */
    uint64_t seed;
    GradientEntry entry;
    Text inputs;
} Example;

static bool shows_it(const Check *check, const Compiled *compiled, Example *example)
{
    CheckLaunch launch = launch_of_flags(&check->launch, compiled, example->threads, example->size);
    CheckOptions options = check->options;
    CheckResult result;
    options.seed = example->seed;
    check_kernel(compiled->unit, compiled->module, &launch, &options, &result);
    example->inputs.len = 0;
    return result.failure == CHECK_OK && result.gradient == GRADIENT_MISMATCH &&
           check_worst_entry(compiled->unit, compiled->module, &launch, example->seed, &example->entry,
                             &example->inputs);
}

static void find_smallest(const Check *check, const Compiled *compiled, Example *example)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 6, 8};
    bool shape_given = false;
    for (uint32_t i = 0; i < check->launch.arg_count; i++)
        shape_given |= check->launch.args[i].ndim > 0;
    text_init_in(&example->inputs, compiled->unit->arena);
    size_t count = sizeof sizes / sizeof *sizes;
    for (size_t i = shape_given ? count - 1 : 0; !example->found && i < count; i++)
        for (size_t k = check->launch.ndim ? i : 0; !example->found && k <= i; k++)
            for (uint64_t draw = 0; !example->found && draw < INPUTS_TRIED; draw++) {
                example->size = shape_given ? 0 : sizes[i];
                example->threads = check->launch.ndim ? 0 : sizes[k];
                example->seed = check->options.seed + draw;
                example->found = shows_it(check, compiled, example);
            }
}

/* The flags that give the example. */
static const char *example_flags(const Compiled *compiled, const Example *example)
{
    Text text;
    text_init_in(&text, compiled->unit->arena);
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

/* ---- as JSON ---- */

static void json_real(JsonWriter *json, const char *name, double value)
{
    if (isfinite(value))
        json_number(json, name, value);
    else
        json_verbatim(json, name, "null", 4);
}

static void json_findings(JsonWriter *json, const Compiled *compiled, const CheckResult *result)
{
    json_open(json, "findings", '[');
    if (result->finding.kind != FINDING_NONE) {
        SourcePosition at = source_position(compiled->unit->source, result->finding.offset);
        json_open(json, NULL, '{');
        json_string(json, "kind", finding_name(result->finding.kind));
        json_string(json, "pass", result->reverse_finding ? "backward" : "forward");
        json_string(json, "message", result->finding.message ? result->finding.message : "");
        json_number(json, "line", at.line);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* Where the evaluators part. */
static void json_difference(JsonWriter *json, const Compiled *compiled, const CheckDifference *difference)
{
    if (!difference->is_located)
        return;
    json_open(json, "difference", '{');
    json_open(json, "thread", '[');
    for (uint32_t i = 0; i < compiled->module->kernel->kernel_dim; i++)
        json_number(json, NULL, difference->thread[i]);
    json_close(json, ']');
    if (difference->element) {
        json_string(json, "element", difference->element);
        json_real(json, "syntax_tree", difference->syntax_tree);
        json_real(json, "region_tree", difference->region_tree);
    }
    if (difference->has_statement)
        json_number(json, "line", source_position(compiled->unit->source, difference->offset).line);
    json_close(json, '}');
}

static void print_json(const Check *check, const Compiled *compiled, const CheckLaunch *launch,
                       const CheckResult *result, const Example *example)
{
    JsonWriter json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_kernel(&json, check->path, compiled->module->kernel->kernel->key->text, compiled->module->name);
    json_string(&json, "kernel", compiled->module->kernel->kernel->key->text);
    json_string(&json, "name", compiled->module->name);
    json_string(&json, "forward", result->failure == CHECK_OK ? "pass" : check_failure_name(result->failure));
    json_string(&json, "gradient", gradient_verdict_name(result->gradient));
    json_real(&json, "gradient_error", result->gradient == GRADIENT_NONE ? (double)NAN : result->gradient_error);
    json_real(&json, "true_dot", result->true_dot);
    json_real(&json, "warp_dot", isfinite(result->gradient_error) ? result->warp_dot : (double)NAN);
    json_findings(&json, compiled, result);
    json_difference(&json, compiled, &result->difference);
    if (example->found) {
        json_open(&json, "example", '{');
        json_string(&json, "flags", example_flags(compiled, example));
        json_verbatim(&json, "inputs", example->inputs.data, example->inputs.len);
        json_string(&json, "output", example->entry.output);
        json_string(&json, "input", example->entry.input);
        json_real(&json, "warp", example->entry.warp);
        json_real(&json, "true", example->entry.exact);
        json_close(&json, '}');
    }
    if (check->args->with_io) {
        IoOptions options = {.seed = check->options.seed, .backward = compiled->module->enable_backward};
        Text io;
        text_init_in(&io, compiled->unit->arena);
        bool written = check_write_io(compiled->unit, compiled->module, launch, &options, &io);
        json_verbatim(&json, "io", written ? io.data : "null", written ? io.len : 4);
    }
    json_close(&json, '}');
    putchar('\n');
}

/* ---- as text ---- */

static void print_finding(const Compiled *compiled, const CheckResult *result)
{
    if (result->finding.kind == FINDING_NONE)
        return;
    Text text;
    DiagList list;
    text_init_in(&text, compiled->unit->arena);
    diags_init(&list, compiled->unit->arena, compiled->unit->source);
    Diag *diag = diag_add(&list, DIAG_ERROR, result->finding.offset, result->finding.offset + 1,
                          "%s in the %s pass: %s (thread %u)", finding_name(result->finding.kind),
                          result->reverse_finding ? "backward" : "forward",
                          result->finding.message ? result->finding.message : "", result->finding.thread[0]);
    diag_show(diag, &text);
    put_text(&text, stdout);
}

/* Where the evaluators part, in words. */
static void print_difference(const Compiled *compiled, const CheckDifference *difference)
{
    if (!difference->is_located)
        return;
    Text text;
    text_init_in(&text, compiled->unit->arena);
    text_str(&text, "in thread ");
    for (uint32_t i = 0; i < compiled->module->kernel->kernel_dim; i++)
        text_format(&text, "%s%u", i ? "," : "", difference->thread[i]);
    if (difference->element)
        text_format(&text, ", %s is %.9g from the syntax tree, %.9g from the region tree", difference->element,
                    difference->syntax_tree, difference->region_tree);
    else
        text_str(&text, ", the syntax tree and the region tree go different ways to the same results");
    if (!difference->has_statement) {
        printf("    %s\n", text_cstr(&text));
        return;
    }
    DiagList list;
    diags_init(&list, compiled->unit->arena, compiled->unit->source);
    Diag *diag = diag_add(&list, DIAG_ERROR, difference->offset, difference->offset + 1,
                          "%s; this statement makes the first difference", text_cstr(&text));
    text.len = 0;
    diag_show(diag, &text);
    put_text(&text, stdout);
}

static void print_verdict(const Compiled *compiled, const CheckResult *result)
{
    const char *key = compiled->module->kernel->kernel->key->text;
    if (result->failure != CHECK_OK)
        printf("%s: not checked: %s%s\n", key, check_failure_name(result->failure),
               result->failure == CHECK_UNSTABLE ? " (inputs moved in their last digits give other results)" : "");
    else if (result->gradient == GRADIENT_NONE)
        printf("%s: forward agrees; there is no gradient to check\n", key);
    else if (result->gradient == GRADIENT_PASS)
        printf("%s: forward agrees; Warp's gradient is right (error %.1e)\n", key, result->gradient_error);
    else if (isfinite(result->gradient_error))
        printf("%s: forward agrees; Warp's gradient is WRONG: %.9g where %.9g is true\n", key, result->warp_dot,
               result->true_dot);
    else
        printf("%s: forward agrees; Warp's gradient is WRONG: its backward pass is not defined\n", key);
    print_finding(compiled, result);
    print_difference(compiled, &result->difference);
}

static void print_example(const Compiled *compiled, const Example *example)
{
    if (!example->found)
        return;
    printf("    smallest example found (%s): %.*s\n", example_flags(compiled, example), (int)example->inputs.len,
           example->inputs.data);
    printf("    there d %s / d %s is %.9g, ", example->entry.output, example->entry.input, example->entry.exact);
    if (isfinite(example->entry.warp))
        printf("but Warp has %.9g\n", example->entry.warp);
    else
        printf("but Warp's backward pass is not defined\n");
}

/* Some inputs, until a gradient is wrong: a kernel may be right on most. Where rounding decides, others may tell more. */
static void try_inputs(const Check *check, const Compiled *compiled, const CheckLaunch *launch, CheckResult *result)
{
    check_kernel(compiled->unit, compiled->module, launch, &check->options, result);
    for (uint64_t draw = 1; draw < INPUTS_TRIED; draw++) {
        CheckOptions options = check->options;
        CheckResult other;
        bool undecided = result->failure == CHECK_UNSTABLE;
        if ((result->failure != CHECK_OK && !undecided) || result->finding.kind != FINDING_NONE ||
            result->gradient == GRADIENT_MISMATCH || !compiled->module->enable_backward)
            return;
        options.seed += draw;
        check_kernel(compiled->unit, compiled->module, launch, &options, &other);
        if (other.failure == CHECK_OK &&
            (other.gradient == GRADIENT_MISMATCH || result->gradient == GRADIENT_NONE || undecided))
            *result = other;
    }
}

static bool check_compiled(const Compiled *compiled, void *user)
{
    Check *check = user;
    CheckResult result;
    Example example = {0};
    CheckLaunch launch = launch_of_flags(&check->launch, compiled, 0, 0);
    try_inputs(check, compiled, &launch, &result);
    check->checked++;
    check->wrong += result.gradient == GRADIENT_MISMATCH;
    check->unsure += result.failure != CHECK_OK || result.finding.kind != FINDING_NONE;
    if (result.gradient == GRADIENT_MISMATCH && !check->args->no_example)
        find_smallest(check, compiled, &example);
    if (check->args->json)
        print_json(check, compiled, &launch, &result, &example);
    else {
        print_verdict(compiled, &result);
        print_example(compiled, &example);
    }
    return true;
}

/* ---- the command ---- */

static void note_refusal(const WeftError *error, void *user)
{
    Check *check = user;
    check->refused++;
    print_refusal(check->path, error);
    if (check->args->json)
        print_refusal_record(stdout, check->path, error);
}

static int check_file(Weft *weft, Check *check, const char *path)
{
    size_t length;
    char *text = read_file(path, &length);
    if (!text)
        return EXIT_FOUND;
    WeftOptions options = weft_default_options();
    options.kernel = check->args->kernel;
    options.cuda = options.cpu = false;
    check->path = path;
    bool done = pipeline_visit(weft, path, text, length, &options, check_compiled, note_refusal, check);
    if (!done)
        fprintf(stderr, "weft: out of memory\n");
    free(text);
    return done ? EXIT_DONE : EXIT_FOUND;
}

static int check_files(Weft *weft, Check *check, const Inputs *inputs)
{
    int code = inputs->failed ? EXIT_FOUND : EXIT_DONE;
    for (size_t i = 0; i < inputs->count && !ferror(stdout); i++)
        if (check_file(weft, check, inputs->paths[i]) != EXIT_DONE)
            code = EXIT_FOUND;
    if (code == EXIT_DONE && !check->checked && !check->refused)
        code = no_kernel(inputs, check->args->kernel, check->args->json ? stdout : NULL);
    return check->wrong || check->unsure || check->refused ? EXIT_FOUND : code;
}

static int run(const Call *call)
{
    const CheckArgs *args = call->args;
    CheckArg given[MAX_GIVEN];
    Check check = {.args = args, .launch = {.args = given}, .options = {.seed = (uint64_t)args->seed, .locate = true}};
    if (args->with_io && !args->json)
        return wrong_call(call->command, "--with-io goes with --json");
    if (!call->operand_count)
        return wrong_call(call->command, "no file is given");
    int code = read_launch_flags(call->command, &args->flags, &check.launch);
    Weft *weft = code == EXIT_DONE ? weft_new() : NULL;
    if (code == EXIT_DONE && !weft) {
        fprintf(stderr, "weft: out of memory\n");
        code = EXIT_FOUND;
    }
    if (weft) {
        Inputs inputs;
        inputs_find(&inputs, call->operands, call->operand_count);
        code = check_files(weft, &check, &inputs);
        inputs_free(&inputs);
    }
    for (uint32_t i = 0; i < check.launch.arg_count; i++)
        free((void *)check.launch.args[i].name);
    weft_free(weft);
    return code;
}

static const CheckArgs defaults = {.seed = 1};

#define ARGS CheckArgs
static const Option options[] = {
    OPT_TEXT('k', "kernel", kernel, "NAME", "only this kernel"),
    OPT_TEXT(0, "dim", flags.dim, "N[,M...]", "threads to launch (default 8 in each dimension)"),
    OPT_WORDS(0, "shape", flags.shapes, "[NAME=]7[,5...]",
              "shape of an array, or of all (default 8 in each dimension)"),
    OPT_WORDS(0, "range", flags.ranges, "[NAME=]LOW,HIGH",
              "range of an argument, or of all floats (default 0.25,0.95; integers 3,6, in arrays 0,7; arrays that are "
              "only written are 0)"),
    OPT_WORDS(0, "set", flags.values, "NAME=VALUE",
              "a fixed value for an argument; no derivative with respect to it is asked for"),
    OPT_COUNT('s', "seed", seed, 0, MAX_SEED, "SEED", "of the random inputs (default 1)"),
    OPT_FLAG(0, "no-example", no_example, "do not look for a smallest example of a wrong gradient"),
    OPT_FLAG(0, "json", json, "one JSON line per kernel; a refused one has an error"),
    OPT_FLAG(0, "with-io", with_io, "with --json: also inputs, outputs and gradients of the launch"),
};

static const CommandExample examples[] = {
    {"weft check kernels.py", "every kernel of the file, on random inputs"},
    {"weft check kernels.py -k blur --shape image=16,16 --set radius=2", "one kernel, launched as you use it"},
    {NULL, NULL},
};

const Command check_command = {
    .name = "check",
    .summary = "run kernels and tell whether Warp's gradient of them is right",
    .operands = "FILE.py|DIR... [options]",
    .input_kind = INPUTS_FILES,
    .description =
        "Runs kernels on random inputs, forward and backward, and says whether the gradient that Warp generates "
        "is the true one. Exit code 1: a gradient is wrong, or something was found.\n"
        "--shape, --range and --set may be given several times, once for each argument.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .defaults = &defaults,
    .args_size = sizeof defaults,
    .run = run,
};
