/* Checks every kernel of a file the way data sets are checked: on threads that are chosen, with filters, and writes down a small launch.
 *
 *     check_run FILE.py [--warp VERSION]
 *
 * One line of JSON for each kernel and way of checking. What is chosen on the way (threads, inputs, directions) shows in the sums. */
#include "check/check.h"
#include "check/io.h"
#include "pipeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void describe(const Compiled *compiled, int way, CheckLaunch *launch)
{
    static const uint32_t shapes[3][4] = {{300, 8, 4, 3}, {40, 6, 5, 2}, {9, 7, 2, 2}};
    const Code *code = compiled->module->kernel->code;
    *launch =
        (CheckLaunch){.dim = {shapes[way][0] / (way < 2 ? 4 : 1), 1, 1, 1}, .ndim = 1, .arg_count = code->param_count};
    uint32_t ndim = compiled->module->kernel->kernel_dim;
    for (uint32_t i = 1; i < ndim; i++)
        launch->dim[i] = shapes[way][i];
    launch->ndim = ndim ? ndim : 1;
    launch->args = ARENA_ARRAY(compiled->unit->arena, CheckArg, launch->arg_count + 1);
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        const Type *type = code->params[i].type;
        CheckArg *arg = &launch->args[i];
        arg->name = code->params[i].name->text;
        if (type->kind == TYPE_ARRAY) {
            arg->ndim = type->array.ndim;
            memcpy(arg->shape, shapes[way], sizeof arg->shape);
            arg->sorted = way == 1 && i % 3 == 0;
        }
        arg->has_range = (i + (uint32_t)way) % 2 == 0;
        arg->low = way == 2 ? -1.5 : 0.25;
        arg->high = 2;
    }
}

static void print_number(const char *name, double number)
{
    if (isfinite(number))
        printf(",\"%s\":%.9g", name, number);
    else
        printf(",\"%s\":\"%s\"", name, isnan(number) ? "nan" : "inf");
}

static void print_text(const char *name, const char *words)
{
    Text text;
    text_init(&text);
    text_json_string(&text, words ? words : "", words ? strlen(words) : 0);
    printf(",\"%s\":%.*s", name, (int)text.len, text.data);
    text_free(&text);
}

static void print_result(const Compiled *compiled, int way, const CheckResult *result)
{
    printf("{\"kernel\":\"%s\",\"mode\":\"%d\"", compiled->module->kernel->kernel->key->text, way);
    print_text("failure", check_failure_name(result->failure));
    print_text("finding", finding_name(result->finding.kind));
    print_text("message", result->finding.message);
    printf(",\"reverse\":%d,\"offset\":%u,\"thread\":%u", result->reverse_finding, result->finding.offset,
           result->finding.thread[0]);
    print_text("gradient", gradient_verdict_name(result->gradient));
    print_number("true_dot", result->true_dot);
    print_number("warp_dot", result->warp_dot);
    print_number("steps", result->launch_steps);
    printf(",\"apart\":%d", result->forward_error > 1e-9);
    if (result->difference.is_located) {
        print_text("element", result->difference.element);
        printf(",\"at\":%u", result->difference.has_statement ? result->difference.offset : 0);
    }
}

static bool check(const Compiled *compiled, void *user)
{
    (void)user;
    for (int way = 0; way < 3; way++) {
        CheckLaunch launch;
        CheckResult result;
        describe(compiled, way, &launch);
        CheckOptions options = {.seed = 11 + (uint64_t)way, .filters = way != 1, .threads = way < 2 ? CHECK_SPREAD : 0};
        options.draws = way == 2 ? 3 : 0;
        options.max_steps = 200000;
        options.locate = true;
        check_kernel(compiled->unit, compiled->module, &launch, &options, &result);
        print_result(compiled, way, &result);
        Text io;
        text_init(&io);
        IoOptions small = {
            .seed = 5 + (uint64_t)way, .launches = 1, .backward = compiled->has_backward, .choose = way < 2};
        if (way != 1 && check_write_launches(compiled->unit, compiled->module, &launch, &small, &io) && io.len < 20000)
            printf(",\"launches\":%.*s", (int)io.len, io.data);
        printf("}\n");
        text_free(&io);
    }
    return true;
}

int main(int argc, char **argv)
{
    const char *warp = argc == 4 && strcmp(argv[2], "--warp") == 0 ? argv[3] : NULL;
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file || (argc != 2 && !warp)) {
        fprintf(stderr, "usage: check_run FILE.py [--warp VERSION]\n");
        return 2;
    }
    static char text[1 << 22];
    size_t len = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    Weft *weft = weft_new(warp);
    PipelineOptions options = pipeline_options();
    if (!weft ||
        !pipeline_compile(weft, &(Source){argv[1], text, len}, &options, &(PipelineVisitor){.compiled = check}))
        return 1;
    weft_free(weft);
    return 0;
}
