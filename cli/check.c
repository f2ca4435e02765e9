/* weft check: is Warp's gradient of a kernel right? */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "json.h"

#include "check/check.h"
#include "pipeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Check {
    bool json;
    CheckLaunch launch;
    CheckOptions options;
    const char *path;
    uint32_t checked, wrong, unsure;
} Check;

/* ---- reading the flags ---- */

enum { MAX_GIVEN = 256 };

static CheckArg *arg_named(CheckLaunch *launch, const char *name, size_t length)
{
    for (uint32_t i = 0; i < launch->arg_count; i++)
        if (strncmp(launch->args[i].name, name, length) == 0 && !launch->args[i].name[length])
            return &launch->args[i];
    if (launch->arg_count == MAX_GIVEN)
        return NULL;
    CheckArg *arg = &launch->args[launch->arg_count++];
    memset(arg, 0, sizeof *arg);
    arg->name = strndup(name, length);
    return arg->name ? arg : NULL;
}

/* Numbers separated by commas; how many, or 0 if there is anything else. */
static uint32_t read_list(const char *text, double *out, uint32_t max)
{
    uint32_t count = 0;
    for (;;) {
        char *end;
        double value = strtod(text, &end);
        if (end == text || count == max || !isfinite(value))
            return 0;
        out[count++] = value;
        if (!*end)
            return count;
        if (*end != ',')
            return 0;
        text = end + 1;
    }
}

static bool whole(const double *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] < 1 || numbers[i] > 1 << 20 || numbers[i] != floor(numbers[i]))
            return false;
    return true;
}

static bool wrong_flag(const char *flag, const char *text, const char *form)
{
    fprintf(stderr, "weft check: --%s %s: it is written %s\n", flag, text, form);
    return false;
}

static bool read_dim(Check *check, const char *text)
{
    double numbers[4];
    uint32_t count = read_list(text, numbers, 4);
    if (!count || !whole(numbers, count))
        return wrong_flag("dim", text, "N[,M...]");
    check->launch.ndim = count;
    for (uint32_t i = 0; i < count; i++)
        check->launch.dim[i] = (uint32_t)numbers[i];
    return true;
}

/* A flag that may be given for one argument (NAME=…) or for all (the name "*"). */
static bool read_shape(Check *check, const char *text)
{
    double numbers[4];
    const char *equals = strchr(text, '=');
    uint32_t count = read_list(equals ? equals + 1 : text, numbers, 4);
    CheckArg *arg =
        equals ? arg_named(&check->launch, text, (size_t)(equals - text)) : arg_named(&check->launch, "*", 1);
    if (!count || !whole(numbers, count) || !arg)
        return wrong_flag("shape", text, "[NAME=]7[,5...]");
    arg->ndim = count;
    for (uint32_t i = 0; i < count; i++)
        arg->shape[i] = (uint32_t)numbers[i];
    return true;
}

static bool read_range(Check *check, const char *text)
{
    double numbers[2];
    const char *equals = strchr(text, '=');
    uint32_t count = read_list(equals ? equals + 1 : text, numbers, 2);
    CheckArg *arg =
        equals ? arg_named(&check->launch, text, (size_t)(equals - text)) : arg_named(&check->launch, "*", 1);
    if (count != 2 || numbers[0] > numbers[1] || !arg)
        return wrong_flag("range", text, "[NAME=]LOW,HIGH");
    arg->has_range = true;
    arg->low = numbers[0];
    arg->high = numbers[1];
    return true;
}

static bool read_set(Check *check, const char *text)
{
    double number;
    const char *equals = strchr(text, '=');
    CheckArg *arg = equals && read_list(equals + 1, &number, 1) == 1
                        ? arg_named(&check->launch, text, (size_t)(equals - text))
                        : NULL;
    if (!arg)
        return wrong_flag("set", text, "NAME=VALUE");
    arg->has_value = true;
    arg->value = number;
    return true;
}

/* ---- one kernel ---- */

/* The description with the flags for all arguments spelled out for each parameter. */
static CheckLaunch launch_for(Check *check, const Compiled *compiled)
{
    const Code *code = compiled->module->kernel->code;
    const CheckArg *all = NULL;
    for (uint32_t i = 0; i < check->launch.arg_count; i++)
        if (strcmp(check->launch.args[i].name, "*") == 0)
            all = &check->launch.args[i];
    CheckLaunch launch = check->launch;
    launch.args = ARENA_ARRAY(compiled->unit->arena, CheckArg, check->launch.arg_count + code->param_count);
    if (check->launch.arg_count)
        memcpy(launch.args, check->launch.args, check->launch.arg_count * sizeof *launch.args);
    for (uint32_t i = 0; all && i < code->param_count; i++) {
        const Param *param = &code->params[i];
        bool given = false;
        for (uint32_t k = 0; k < check->launch.arg_count; k++)
            given |= strcmp(check->launch.args[k].name, param->name->text) == 0;
        if (given)
            continue;
        CheckArg *arg = &launch.args[launch.arg_count++];
        *arg = *all;
        arg->name = param->name->text;
        uint32_t ndim = param->type->kind == TYPE_ARRAY ? param->type->array.ndim : 0;
        for (uint32_t d = arg->ndim; arg->ndim && d < ndim; d++)
            arg->shape[d] = arg->shape[arg->ndim - 1];
        arg->ndim = arg->ndim ? ndim : 0;
        arg->has_range &= param->type->kind != TYPE_ARRAY || type_is_float(type_scalar_of(param->type->array.dtype));
    }
    return launch;
}

static void print_json(const Compiled *compiled, const CheckResult *result)
{
    JsonWriter json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_string(&json, "kernel", compiled->module->kernel->kernel->key->text);
    json_string(&json, "name", compiled->module->name);
    json_string(&json, "forward", result->failure == CHECK_OK ? "pass" : check_failure_name(result->failure));
    json_string(&json, "gradient", gradient_verdict_name(result->gradient));
    if (isfinite(result->gradient_error))
        json_number(&json, "gradient_error", result->gradient_error);
    json_number(&json, "true_dot", isfinite(result->true_dot) ? result->true_dot : 0);
    json_number(&json, "warp_dot", isfinite(result->warp_dot) ? result->warp_dot : 0);
    json_open(&json, "findings", '[');
    if (result->finding.kind != FINDING_NONE) {
        SourcePosition at = source_position(compiled->unit->source, result->finding.offset);
        json_open(&json, NULL, '{');
        json_string(&json, "kind", finding_name(result->finding.kind));
        json_string(&json, "pass", result->reverse_finding ? "backward" : "forward");
        json_string(&json, "message", result->finding.message ? result->finding.message : "");
        json_number(&json, "line", at.line);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
    putchar('\n');
}

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
    fwrite(text.data, 1, text.len, stdout);
}

static void print_verdict(const Compiled *compiled, const CheckResult *result)
{
    const char *key = compiled->module->kernel->kernel->key->text;
    if (result->failure != CHECK_OK)
        printf("%s: not checked: %s\n", key, check_failure_name(result->failure));
    else if (result->gradient == GRADIENT_NONE)
        printf("%s: forward agrees; there is no gradient to check\n", key);
    else if (result->gradient == GRADIENT_PASS)
        printf("%s: forward agrees; Warp's gradient is right (error %.1e)\n", key, result->gradient_error);
    else
        printf("%s: forward agrees; Warp's gradient is WRONG: %.9g where %.9g is true\n", key, result->warp_dot,
               result->true_dot);
    print_finding(compiled, result);
}

/* The smallest launch, of those tried, on which a gradient is wrong. */
static void find_smallest(const Compiled *compiled, const CheckLaunch *launch, const CheckOptions *options,
                          CheckResult *result)
{
    if (result->gradient != GRADIENT_MISMATCH)
        return;
    for (uint32_t size = 1; size <= 4; size++) {
        CheckLaunch smaller = *launch;
        CheckResult found;
        smaller.ndim = compiled->module->kernel->kernel_dim;
        for (uint32_t i = 0; i < 4; i++)
            smaller.dim[i] = i < smaller.ndim ? size : 1;
        check_kernel(compiled->unit, compiled->module, &smaller, options, &found);
        if (found.failure == CHECK_OK && found.gradient == GRADIENT_MISMATCH) {
            printf("    the smallest launch tried that shows it: --dim %u", size);
            for (uint32_t i = 1; i < smaller.ndim; i++)
                printf(",%u", size);
            printf(" (%.9g where %.9g is true)\n", found.warp_dot, found.true_dot);
            return;
        }
    }
}

static bool check_compiled(const Compiled *compiled, void *user)
{
    Check *check = user;
    CheckResult result;
    CheckLaunch launch = launch_for(check, compiled);
    check_kernel(compiled->unit, compiled->module, &launch, &check->options, &result);
    check->checked++;
    check->wrong += result.gradient == GRADIENT_MISMATCH;
    check->unsure += result.failure != CHECK_OK;
    if (check->json)
        print_json(compiled, &result);
    else {
        print_verdict(compiled, &result);
        find_smallest(compiled, &launch, &check->options, &result);
    }
    return true;
}

/* ---- the command ---- */

static int check_file(Weft *weft, Check *check, const char *path, const char *kernel)
{
    size_t length;
    char *text = read_file(path, &length);
    if (!text)
        return EXIT_FOUND;
    WeftOptions options = weft_default_options();
    options.kernel = kernel;
    options.cuda = options.cpu = false;
    Text errors;
    text_init(&errors);
    bool done = pipeline_compile(weft, path, text, length, &options, check_compiled, check, &errors);
    fwrite(errors.data, 1, errors.len, stderr);
    int code = done && !errors.len ? EXIT_DONE : EXIT_FOUND;
    if (!done)
        fprintf(stderr, "weft: out of memory\n");
    if (done && !check->checked && !errors.len) {
        fprintf(stderr, kernel ? "%s: error: there is no kernel '%s'\n" : "%s: error: there is no kernel\n", path,
                kernel);
        code = EXIT_FOUND;
    }
    text_free(&errors);
    free(text);
    return code;
}

static bool read_repeated(Check *check, int *argc, char **argv)
{
    static const struct {
        const char *flag;
        bool (*read)(Check *, const char *);
    } flags[] = {
        {"--dim", read_dim},
        {"--shape", read_shape},
        {"--range", read_range},
        {"--set", read_set},
    };
    int kept = 0;
    for (int i = 0; i < *argc; i++) {
        bool taken = false;
        for (size_t k = 0; !taken && k < sizeof flags / sizeof *flags; k++) {
            size_t len = strlen(flags[k].flag);
            if (strncmp(argv[i], flags[k].flag, len) || (argv[i][len] && argv[i][len] != '='))
                continue;
            taken = true;
            const char *value = argv[i][len] ? argv[i] + len + 1 : i + 1 < *argc ? argv[++i] : NULL;
            if (!value) {
                fprintf(stderr, "weft check: %s needs a value\n", flags[k].flag);
                return false;
            }
            if (!flags[k].read(check, value))
                return false;
        }
        if (!taken)
            argv[kept++] = argv[i];
    }
    *argc = kept;
    return true;
}

int command_check(int argc, char **argv)
{
    const char *kernel = NULL, *unused[4];
    long long seed = 1;
    CheckArg given[MAX_GIVEN];
    Check check = {.launch = {.args = given}};
    const Option options[] = {
        {'k', "kernel", OPTION_TEXT, &kernel, "NAME", "only this kernel"},
        {0, "dim", OPTION_TEXT, &unused[0], "N[,M...]", "threads to launch (default 8 in each dimension)"},
        {0, "shape", OPTION_TEXT, &unused[1], "[NAME=]7[,5...]",
         "shape of an array, or of all (default 8 in each dimension)"},
        {0, "range", OPTION_TEXT, &unused[2], "[NAME=]LO,HI",
         "range of an argument, or of all floats (default 0.25,0.95; integers 3,6, in arrays 0,7)"},
        {0, "set", OPTION_TEXT, &unused[3], "NAME=VALUE", "a fixed value for an argument"},
        {'s', "seed", OPTION_COUNT, &seed, "SEED", "of the random inputs (default 1)"},
        {0, "json", OPTION_FLAG, &check.json, NULL, "one JSON line a kernel"},
    };
    const Command command = {
        "check", "FILE.py... [options]",
        "Runs kernels on random inputs, forward and backward, and says whether the gradient that\n"
        "Warp generates is the true one. Exit code 1: a gradient is wrong, or something was found.",
        options, sizeof options / sizeof *options};
    size_t count;
    int code = EXIT_USAGE;
    bool help = false;
    for (int i = 0; i < argc; i++)
        help |= strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
    if ((!help && !read_repeated(&check, &argc, argv)) || !read_args(&command, argc, argv, &count, &code))
        return code;
    if (!count)
        fprintf(stderr, "weft check: no file is given (see weft check --help)\n");
    Weft *weft = count ? weft_new() : NULL;
    code = count ? EXIT_DONE : EXIT_USAGE;
    check.options.seed = (uint64_t)seed;
    for (size_t i = 0; weft && i < count; i++) {
        check.checked = 0;
        if (check_file(weft, &check, argv[i], kernel) != EXIT_DONE)
            code = EXIT_FOUND;
    }
    if (check.wrong || check.unsure)
        code = EXIT_FOUND;
    for (uint32_t i = 0; i < check.launch.arg_count; i++)
        free((void *)check.launch.args[i].name);
    weft_free(weft);
    return code;
}
