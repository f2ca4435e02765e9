/* Runs kernels of a file with the tree evaluator, for the tests that compare it with Warp.
 *
 *   tree_run FILE.py REQUESTS.json [--warp VERSION]
 *   tree_run FILE.py --smoke [--warp VERSION]      every kernel of the file on a small launch, forward and backward
 *
 * REQUESTS.json is a list of launches: {"kernel": key or full name, "dim": n or [n, …], "args": {name: value, …},
 * "block_dim": lanes of a block, "out_grad": {name: value, …}, "wrt": {name: value, …}, "in_double": bool, "backward": bool}. An array is a nested
 * list, a struct an object; "nan", "inf" and long integers are strings. One line of JSON a launch comes out:
 * {"outputs": {name: [flat…]}, "gradients": {name: [flat…]}, "warp_grad_dot": x, "steps": n} or {"finding": …}. */
#include "eval/tree/eval.h"
#include "front/hash.h"
#include "smoke.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Tool {
    Arena tables, work;
    NameTable names;
    TypeTable types;
    Unit *unit;
    KernelList kernels;
} Tool;

static char *read_file(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "tree_run: cannot read %s\n", path);
        exit(2);
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    *len = text ? fread(text, 1, (size_t)size, file) : 0;
    if (text)
        text[*len] = '\0';
    fclose(file);
    return text;
}

static void load(Tool *tool, const Source *source, const char *warp)
{
    arena_init(&tool->tables);
    arena_init(&tool->work);
    names_init(&tool->names, &tool->tables);
    types_init(&tool->types, NULL, &tool->tables, &tool->names);
    Dialect dialect;
    if (!dialect_find(warp, &dialect)) {
        fprintf(stderr, "tree_run: Warp %s is not known\n", warp);
        exit(2);
    }
    BuiltinTable *builtins = builtins_new(&tool->tables, &tool->types, &dialect);
    tool->unit = ARENA_NEW(&tool->work, Unit);
    unit_init(tool->unit, &tool->work, builtins, source, NULL);
    tool->unit->warp = warp_table_new(&tool->tables, &tool->types, builtins);
    unit_load(tool->unit);
    unit_kernels(tool->unit, &tool->kernels);
}

static IrModule *build(Tool *tool, const char *wanted)
{
    for (uint32_t i = 0; i < tool->kernels.count; i++) {
        Kernel *kernel = tool->kernels.items[i];
        bool by_key = strcmp(kernel->key->text, wanted) == 0;
        if (!by_key && strncmp(kernel->key->text, wanted, kernel->key->len) != 0)
            continue;
        IrModule *module = ir_build(tool->unit, kernel);
        if (!module || ir_verify(module))
            continue;
        module->name = kernel_name(tool->unit, kernel);
        if (module->name && (by_key || strcmp(module->name, wanted) == 0))
            return module;
    }
    return NULL;
}

/* ---- values ---- */

static double number_of(json_t *item)
{
    return json_is_string(item)    ? strtod(json_string_value(item), NULL)
           : json_is_boolean(item) ? json_is_true(item)
                                   : json_number_value(item);
}

static Cell cell_of(json_t *item, const Type *type)
{
    Cell cell;
    if (type_is_float(type))
        cell.real = number_of(item);
    else if (json_is_string(item))
        cell.integer = json_string_value(item)[0] == '-' ? strtoll(json_string_value(item), NULL, 10)
                                                         : (int64_t)strtoull(json_string_value(item), NULL, 10);
    else
        cell.integer = (int64_t)number_of(item);
    return cell;
}

/* All numbers of a nested list or object, in order. */
static size_t flatten(json_t *item, const LaunchValue *value, size_t at, Cell *cells, double *reals)
{
    if (json_is_array(item) || json_is_object(item)) {
        const char *key;
        json_t *child;
        size_t index;
        json_array_foreach(item, index, child) at = flatten(child, value, at, cells, reals);
        json_object_foreach(item, key, child) at = flatten(child, value, at, cells, reals);
        return at;
    }
    if (at >= value->count * value->width)
        return at;
    if (cells)
        cells[at] = cell_of(item, value->cell_types[at % value->width]);
    if (reals)
        reals[at] = number_of(item);
    return at + 1;
}

static bool set_value(Tool *tool, LaunchValue *value, const Type *type, json_t *item, bool gradients)
{
    uint32_t shape[4] = {0};
    type = type_canonical(type);
    json_t *level = item;
    for (uint32_t i = 0; type->kind == TYPE_ARRAY && i < type->array.ndim; i++, level = json_array_get(level, 0))
        shape[i] = level && json_is_array(level) ? (uint32_t)json_array_size(level) : 0;
    if (!launch_value_init(tool->unit, value, type, shape))
        return false;
    if (type->kind == TYPE_STRUCT) {
        for (uint32_t i = 0; i < value->field_count; i++) {
            const StructField *field = &type->decl->fields[i];
            if (!set_value(tool, &value->fields[i], field->type, json_object_get(item, field->name->text), gradients))
                return false;
        }
        return true;
    }
    if (item)
        flatten(item, value, 0, value->cells, NULL);
    if (gradients && type->kind == TYPE_ARRAY)
        value->gradients = ARENA_ARRAY(&tool->work, double, value->count * value->width + 1);
    return true;
}

static void set_gradients(LaunchValue *value, json_t *item)
{
    if (!item)
        return;
    if (value->type->kind == TYPE_STRUCT) {
        for (uint32_t i = 0; i < value->field_count; i++)
            set_gradients(&value->fields[i], json_object_get(item, value->type->decl->fields[i].name->text));
    } else if (value->gradients)
        flatten(item, value, 0, NULL, value->gradients);
}

static double gradient_dot(Tool *tool, const LaunchValue *value, json_t *item)
{
    double sum = 0.0;
    if (!item)
        return 0.0;
    if (value->type->kind == TYPE_STRUCT)
        for (uint32_t i = 0; i < value->field_count; i++)
            sum +=
                gradient_dot(tool, &value->fields[i], json_object_get(item, value->type->decl->fields[i].name->text));
    else if (value->gradients) {
        size_t count = value->count * value->width;
        double *direction = ARENA_ARRAY(&tool->work, double, count + 1);
        flatten(item, value, 0, NULL, direction);
        for (size_t i = 0; i < count; i++)
            sum += direction[i] * value->gradients[i];
    }
    return sum;
}

/* ---- printing ---- */

static void print_number(double value)
{
    if (isfinite(value))
        printf("%.17g", value);
    else
        printf("\"%s\"", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

static void print_value(const LaunchValue *value, bool gradients)
{
    if (value->type->kind == TYPE_STRUCT) {
        printf("{");
        for (uint32_t i = 0; i < value->field_count; i++) {
            printf("%s\"%s\": ", i ? ", " : "", value->type->decl->fields[i].name->text);
            print_value(&value->fields[i], gradients);
        }
        printf("}");
        return;
    }
    printf("[");
    for (size_t i = 0; (!gradients || value->gradients) && i < value->count * value->width; i++) {
        if (i)
            printf(", ");
        const Type *type = value->cell_types[i % value->width];
        if (gradients)
            print_number(value->gradients[i]);
        else if (type_is_float(type))
            print_number(value->cells[i].real);
        else if (type->kind == TYPE_UINT64)
            printf("%llu", (unsigned long long)value->cells[i].integer);
        else
            printf("%lld", (long long)value->cells[i].integer);
    }
    printf("]");
}

static void print_values(const Kernel *kernel, const Launch *launch, bool gradients)
{
    printf("{");
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        printf("%s\"%s\": ", i ? ", " : "", kernel->code.params[i].name->text);
        print_value(&launch->args[i], gradients);
    }
    printf("}");
}

static void print_finding(const Finding *finding, const char *pass)
{
    printf("{\"finding\": \"%s\", \"pass\": \"%s\", \"offset\": %u, \"message\": \"%s\"}\n",
           finding_name(finding->kind), pass, finding->offset, finding->message ? finding->message : "");
}

/* ---- launches ---- */

static bool read_launch(Tool *tool, const Kernel *kernel, json_t *request, bool backward, Launch *launch)
{
    json_t *dim = json_object_get(request, "dim"), *args = json_object_get(request, "args");
    *launch = (Launch){.dim = {1, 1, 1, 1}, .ndim = 1};
    if (json_is_array(dim)) {
        launch->ndim = (uint32_t)json_array_size(dim);
        for (uint32_t i = 0; i < launch->ndim && i < 4; i++)
            launch->dim[i] = (uint32_t)json_integer_value(json_array_get(dim, i));
    } else if (dim)
        launch->dim[0] = (uint32_t)json_integer_value(dim);
    json_t *block = json_object_get(request, "block_dim");
    launch->block_dim = (uint32_t)json_integer_value(block);
    launch->arg_count = kernel->code.param_count;
    launch->args = ARENA_ARRAY(&tool->work, LaunchValue, launch->arg_count + 1);
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        const Param *param = &kernel->code.params[i];
        if (!set_value(tool, &launch->args[i], param->type, json_object_get(args, param->name->text), backward))
            return false;
    }
    return true;
}

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* "repeat": n prints how long compiling takes, and how long a forward and a backward run of the program. */
static void run_timed(TreeProgram *program, const IrModule *module, const Launch *launch, int repeat)
{
    Arena scratch;
    Finding finding;
    arena_init(&scratch);
    double begin = microseconds();
    for (int i = 0; i < repeat; i++) {
        arena_reset(&scratch);
        tree_compile(&scratch, module, false, &finding);
    }
    double compiled = microseconds();
    for (int i = 0; i < repeat; i++) {
        arena_reset(&scratch);
        Launch *copy = launch_copy(&scratch, launch);
        TreeRun run = {0};
        tree_execute(program, copy, &run);
        run.backward = true;
        tree_execute(program, copy, &run);
    }
    printf("{\"compile_us\": %.2f, \"run_us\": %.2f}\n", (compiled - begin) / repeat,
           (microseconds() - compiled) / repeat);
    arena_free(&scratch);
}

static void run_request(Tool *tool, json_t *request)
{
    const char *name = json_string_value(json_object_get(request, "kernel"));
    json_t *no_backward = json_object_get(request, "backward"), *repeat = json_object_get(request, "repeat");
    bool backward = !no_backward || json_is_true(no_backward);
    json_t *block = json_object_get(request, "block_dim");
    if (block) /* types of some tiles depend on it */
        tool->unit->block_dim = (uint32_t)json_integer_value(block);
    IrModule *module = build(tool, name);
    if (!module) {
        printf("{\"finding\": \"refused\", \"message\": \"the kernel was not built\"}\n");
        return;
    }
    const Kernel *kernel = module->kernel->kernel;
    Launch launch;
    TreeRun run = {.in_double = json_is_true(json_object_get(request, "in_double")), .max_steps = 20000000};
    TreeProgram *program = tree_compile(&tool->work, module, run.in_double, &run.finding);
    if (!program) {
        print_finding(&run.finding, "compile");
        return;
    }
    if (!read_launch(tool, kernel, request, backward, &launch)) {
        printf("{\"finding\": \"unsupported\", \"pass\": \"arguments\", \"message\": \"an argument that launches do "
               "not have\"}\n");
        return;
    }
    json_t *grads = json_object_get(request, "out_grad"), *wrt = json_object_get(request, "wrt");
    for (uint32_t i = 0; i < launch.arg_count; i++)
        set_gradients(&launch.args[i], json_object_get(grads, kernel->code.params[i].name->text));
    if (repeat) {
        run_timed(program, module, &launch, (int)json_integer_value(repeat));
        return;
    }
    if (!tree_execute(program, &launch, &run)) {
        print_finding(&run.finding, "forward");
        return;
    }
    Launch *after = launch_copy(&tool->work, &launch);
    run.backward = true;
    if (backward && !tree_execute(program, &launch, &run)) {
        print_finding(&run.finding, "backward");
        return;
    }
    double dot = 0.0;
    for (uint32_t i = 0; i < launch.arg_count; i++)
        dot += gradient_dot(tool, &launch.args[i], json_object_get(wrt, kernel->code.params[i].name->text));
    printf("{\"outputs\": ");
    print_values(kernel, after, false);
    printf(", \"gradients\": ");
    print_values(kernel, &launch, true);
    printf(", \"warp_grad_dot\": ");
    print_number(dot);
    printf(", \"steps\": %llu}\n", (unsigned long long)run.steps);
}

static double sum_of_gradients(const LaunchValue *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const LaunchValue *value = &values[i];
        sum += sum_of_gradients(value->fields, value->field_count);
        for (size_t k = 0; value->gradients && k < value->count * value->width; k++)
            sum += shown(value->gradients[k]) * (double)(1 + k % 5);
    }
    return sum;
}

static void ask_for_gradients(Unit *unit, LaunchValue *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        LaunchValue *value = &values[i];
        ask_for_gradients(unit, value->fields, value->field_count);
        if (value->type->kind != TYPE_ARRAY)
            continue;
        value->gradients = ARENA_ARRAY(unit->arena, double, value->count * value->width + 1);
        for (size_t k = 0; k < value->count * value->width; k++)
            value->gradients[k] = type_is_float(value->cell_types[k % value->width]) ? 0.5 + (double)(k % 3) : 0;
    }
}

static void add_finding(const Finding *finding)
{
    if (finding->kind == FINDING_NONE)
        return;
    Text text;
    text_init(&text);
    text_json_string(&text, finding->message ? finding->message : "", finding->message ? strlen(finding->message) : 0);
    printf(",\"finding\":\"%s\",\"message\":%.*s", finding_name(finding->kind), (int)text.len, text.data);
    text_free(&text);
}

static void smoke(Tool *tool, Kernel *kernel)
{
    IrModule *module = ir_build(tool->unit, kernel);
    if (!module || ir_verify(module))
        return;
    module->name = kernel_name(tool->unit, kernel);
    for (int mode = 0; mode < SMOKE_MODES; mode++) {
        Launch launch;
        TreeRun forward = {.in_double = smoke_in_double(mode), .max_steps = 100000};
        TreeRun backward = {.in_double = forward.in_double, .backward = true, .max_steps = 100000};
        if (!fill_launch_with_any(tool->unit, kernel, mode, &launch))
            return;
        printf("{\"kernel\":\"%s\",\"mode\":\"%s\"", kernel->key->text, smoke_mode_name(mode));
        TreeProgram *program = tree_compile(tool->unit->arena, module, forward.in_double, &forward.finding);
        bool done = program && tree_execute(program, &launch, &forward);
        add_finding(&forward.finding);
        if (done) {
            print_sum("sum", sum_of_cells(launch.args, launch.arg_count));
            ask_for_gradients(tool->unit, launch.args, launch.arg_count);
            done = tree_execute(program, &launch, &backward);
            add_finding(&backward.finding);
            if (done)
                print_sum("gradients", sum_of_gradients(launch.args, launch.arg_count));
        }
        printf("}\n");
    }
}

int main(int argc, char **argv)
{
    bool asked = argc == 5 && strcmp(argv[3], "--warp") == 0;
    if (argc != 3 && !asked) {
        fprintf(stderr, "usage: tree_run FILE.py REQUESTS.json|--smoke [--warp VERSION]\n");
        return 2;
    }
    bool smoking = strcmp(argv[2], "--smoke") == 0;
    Source source = {.path = argv[1]};
    char *program = read_file(argv[1], &source.len);
    source.text = program;
    size_t len;
    char *text = smoking ? NULL : read_file(argv[2], &len);
    json_t *requests = smoking ? json_array() : json_loads(text, 0, NULL);
    if (!json_is_array(requests)) {
        fprintf(stderr, "tree_run: %s is no list of launches\n", argv[2]);
        return 2;
    }
    static Tool tool;
    load(&tool, &source, asked ? argv[4] : NULL);
    for (uint32_t i = 0; smoking && i < tool.kernels.count; i++)
        smoke(&tool, tool.kernels.items[i]);
    json_t *request;
    size_t index;
    json_array_foreach(requests, index, request) run_request(&tool, request);
    json_decref(requests);
    free(text);
    arena_free(&tool.work);
    arena_free(&tool.tables);
    free(program);
    return 0;
}
