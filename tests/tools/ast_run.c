/* Runs kernels with the AST evaluator on launches described in JSON, for the tests.
 *
 *     ast_run FILE.py LAUNCHES.json [--rounded] [--no-races] [--steps N] [--time N] [-k KERNEL] [--warp VERSION]
 *     ast_run FILE.py --smoke          every kernel of the file on a small launch, in both modes
 *
 * LAUNCHES.json: {"kernel": {"input": {"dim": 4, "args": {…}, "wrt": {…}, "out_grad": {…}}}, …} as in
 * tests/gradients/expected.json, with "block_dim" for kernels with tiles; other members are ignored. "kernel#1" is the second kernel of that name. One JSON
 * line per kernel: its outputs (every array argument), and true_dot, the derivative of sum(out_grad * outputs) along
 * wrt; or the finding. */
#include "eval/ast/eval.h"
#include "smoke.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- a small JSON reader: objects, arrays, numbers, strings, literals ---- */

typedef enum JsonKind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } JsonKind;
typedef struct Json Json;
struct Json {
    JsonKind kind;
    double number;
    int64_t integer;
    char *text, *key;
    Json *first, *next;
};

typedef struct Reader {
    const char *at;
    Arena *arena;
} Reader;

static _Noreturn void die(const char *message, const char *detail)
{
    fprintf(stderr, "ast_run: %s%s\n", message, detail);
    exit(2);
}

static void skip_space(Reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static char *read_string(Reader *r)
{
    const char *start = ++r->at;
    while (*r->at && *r->at != '"')
        r->at += *r->at == '\\' && r->at[1] ? 2 : 1; /* names have no escapes worth decoding */
    char *text = arena_strndup(r->arena, start, (size_t)(r->at - start));
    if (*r->at)
        r->at++;
    return text;
}

static Json *read_json(Reader *r)
{
    Json *json = ARENA_NEW(r->arena, Json);
    skip_space(r);
    if (*r->at == '{' || *r->at == '[') {
        bool object = *r->at++ == '{';
        Json **last = &json->first;
        json->kind = object ? JSON_OBJECT : JSON_ARRAY;
        for (skip_space(r); *r->at && *r->at != '}' && *r->at != ']'; skip_space(r)) {
            char *key = object ? read_string(r) : NULL;
            skip_space(r);
            if (object && *r->at++ != ':')
                die("bad JSON near ", r->at - 1);
            *last = read_json(r);
            (*last)->key = key;
            last = &(*last)->next;
            skip_space(r);
            if (*r->at == ',')
                r->at++;
        }
        if (*r->at)
            r->at++;
    } else if (*r->at == '"') {
        json->kind = JSON_STRING;
        json->text = read_string(r);
    } else if (!strncmp(r->at, "true", 4) || !strncmp(r->at, "false", 5)) {
        json->kind = JSON_BOOL;
        json->number = *r->at == 't';
        json->integer = *r->at == 't';
        r->at += *r->at == 't' ? 4 : 5;
    } else if (!strncmp(r->at, "null", 4))
        r->at += 4;
    else {
        char *end;
        json->kind = JSON_NUMBER;
        json->number = strtod(r->at, &end);
        json->integer = *r->at == '-' ? strtoll(r->at, NULL, 10) : (int64_t)strtoull(r->at, NULL, 10);
        if (end == r->at)
            die("bad JSON near ", r->at);
        r->at = end;
    }
    return json;
}

static const Json *member(const Json *object, const char *key)
{
    for (const Json *item = object ? object->first : NULL; item; item = item->next)
        if (item->key && !strcmp(item->key, key))
            return item;
    return NULL;
}

static size_t count_numbers(const Json *json)
{
    size_t count = 0;
    if (json->kind != JSON_ARRAY && json->kind != JSON_OBJECT)
        return 1;
    for (const Json *item = json->first; item; item = item->next)
        count += count_numbers(item);
    return count;
}

static void flatten(const Json *json, const Json ***out)
{
    if (json->kind != JSON_ARRAY && json->kind != JSON_OBJECT)
        *(*out)++ = json;
    else
        for (const Json *item = json->first; item; item = item->next)
            flatten(item, out);
}

/* ---- arguments ---- */

static uint32_t list_length(const Json *json)
{
    uint32_t count = 0;
    for (const Json *item = json->first; item; item = item->next)
        count++;
    return count;
}

static void shape_of(const Json *json, uint32_t ndim, uint32_t *shape)
{
    for (uint32_t i = 0; i < ndim; i++) {
        shape[i] = json && json->kind == JSON_ARRAY ? list_length(json) : 1;
        json = json && json->kind == JSON_ARRAY ? json->first : NULL;
    }
}

static bool is_real(const Type *type)
{
    return type_is_float(type);
}

static void fill(Unit *unit, LaunchValue *value, const Json *json, const char *name)
{
    if (value->field_count) {
        for (uint32_t i = 0; i < value->field_count; i++) {
            const char *field = value->type->decl->fields[i].name->text;
            const Json *given = member(json, field);
            if (given)
                fill(unit, &value->fields[i], given, field);
        }
        return;
    }
    size_t given = count_numbers(json), cells = value->count * value->width;
    if (given != cells)
        die("wrong number of values for ", name);
    const Json **items = ARENA_ARRAY(unit->arena, const Json *, given + 1), **next = items;
    flatten(json, &next);
    for (size_t i = 0; i < cells; i++) {
        if (is_real(value->cell_types[i % value->width]))
            value->cells[i].real = items[i]->number;
        else
            value->cells[i].integer = items[i]->integer;
    }
}

static void fill_reals(Unit *unit, const LaunchValue *value, const Json *json, const char *name, double **out)
{
    if (value->field_count)
        die("no tangents of a struct: ", name);
    size_t cells = value->count * value->width;
    *out = ARENA_ARRAY(unit->arena, double, cells);
    if (!json)
        return;
    if (count_numbers(json) != cells)
        die("wrong number of values for ", name);
    const Json **items = ARENA_ARRAY(unit->arena, const Json *, cells + 1), **next = items;
    flatten(json, &next);
    for (size_t i = 0; i < cells; i++)
        (*out)[i] = items[i]->number;
}

/* Shapes of a struct's arrays come from its JSON. */
static bool init_value(Unit *unit, LaunchValue *value, const Type *type, const Json *json)
{
    uint32_t shape[4] = {1, 1, 1, 1};
    type = type_canonical(type);
    if (type->kind == TYPE_ARRAY)
        shape_of(json, type->array.ndim < 4 ? type->array.ndim : 4, shape);
    if (!launch_value_init(unit, value, type, shape))
        return false;
    for (uint32_t i = 0; i < value->field_count; i++)
        if (!init_value(unit, &value->fields[i], type->decl->fields[i].type,
                        json ? member(json, type->decl->fields[i].name->text) : NULL))
            return false;
    return true;
}

static bool make_launch(Unit *unit, const Kernel *kernel, const Json *input, Launch *launch)
{
    const Json *dim = member(input, "dim"), *args = member(input, "args"), *wrt = member(input, "wrt");
    launch->ndim = 1;
    launch->dim[0] = dim && dim->kind == JSON_NUMBER ? (uint32_t)dim->number : 1;
    if (dim && dim->kind == JSON_ARRAY) {
        launch->ndim = 0;
        for (const Json *item = dim->first; item && launch->ndim < 4; item = item->next)
            launch->dim[launch->ndim++] = (uint32_t)item->number;
    }
    const Json *block = member(input, "block_dim");
    launch->block_dim = block ? (uint32_t)block->number : 0;
    launch->arg_count = kernel->code.param_count;
    launch->args = ARENA_ARRAY(unit->arena, LaunchValue, launch->arg_count);
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        const char *name = kernel->code.params[i].name->text;
        const Json *given = member(args, name);
        if (!init_value(unit, &launch->args[i], kernel->code.params[i].type, given))
            return false;
        if (given)
            fill(unit, &launch->args[i], given, name);
        if (wrt && !launch->args[i].field_count)
            fill_reals(unit, &launch->args[i], member(wrt, name), name, &launch->args[i].tangents);
    }
    return true;
}

/* ---- output ---- */

static void print_cells(const LaunchValue *value)
{
    for (size_t i = 0; i < value->count * value->width; i++) {
        const Type *type = value->cell_types[i % value->width];
        if (i)
            putchar(',');
        if (!is_real(type))
            type->kind == TYPE_UINT64 ? printf("%llu", (unsigned long long)value->cells[i].integer)
                                      : printf("%lld", (long long)value->cells[i].integer);
        else if (isfinite(value->cells[i].real))
            printf("%.17g", value->cells[i].real);
        else
            printf("%s", isnan(value->cells[i].real) ? "NaN" : value->cells[i].real > 0 ? "Infinity" : "-Infinity");
    }
}

static void print_arrays(const LaunchValue *value, const char *name, bool *any)
{
    for (uint32_t i = 0; i < value->field_count; i++)
        print_arrays(&value->fields[i], value->type->decl->fields[i].name->text, any);
    if (value->type->kind != TYPE_ARRAY)
        return;
    printf("%s\"%s\":[", *any ? "," : "", name);
    print_cells(value);
    printf("]");
    *any = true;
}

static double weighted_tangents(Unit *unit, const Kernel *kernel, const Launch *launch, const Json *out_grad)
{
    double sum = 0;
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        const LaunchValue *value = &launch->args[i];
        const Json *weights = member(out_grad, kernel->code.params[i].name->text);
        double *list;
        if (!weights || !value->tangents)
            continue;
        fill_reals(unit, value, weights, kernel->code.params[i].name->text, &list);
        for (size_t k = 0; k < value->count * value->width; k++)
            sum += list[k] * value->tangents[k];
    }
    return sum;
}

static void print_result(Unit *unit, const Kernel *kernel, const Launch *launch, const AstRun *run, const Json *input,
                         const char *key)
{
    printf("{\"kernel\":\"%s\",", key);
    if (run->finding.kind != FINDING_NONE) {
        SourcePosition at = source_position(unit->main->source, run->finding.offset);
        Text text;
        text_init(&text);
        text_json_string(&text, run->finding.message, strlen(run->finding.message));
        printf("\"finding\":\"%s\",\"line\":%u,\"column\":%u,\"message\":%.*s}\n", finding_name(run->finding.kind),
               at.line, at.column, (int)text.len, text.data);
        text_free(&text);
        return;
    }
    printf("\"finding\":null,\"steps\":%llu,\"outputs\":{", (unsigned long long)run->steps);
    bool any = false;
    for (uint32_t i = 0; i < launch->arg_count; i++)
        print_arrays(&launch->args[i], kernel->code.params[i].name->text, &any);
    printf("}");
    if (member(input, "out_grad"))
        printf(",\"true_dot\":%.17g", weighted_tangents(unit, kernel, launch, member(input, "out_grad")));
    printf("}\n");
}

/* ---- main ---- */

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        die("cannot read ", path);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size)
        die("cannot read ", path);
    text[size] = 0;
    fclose(file);
    *length = (size_t)size;
    return text;
}

static const Kernel *find_kernel(const KernelList *kernels, const char *key)
{
    const char *mark = strrchr(key, '#');
    size_t length = mark ? (size_t)(mark - key) : strlen(key);
    unsigned long index = mark ? strtoul(mark + 1, NULL, 10) : 0;
    for (uint32_t i = 0; i < kernels->count; i++)
        if (kernels->items[i]->key->len == length && !strncmp(kernels->items[i]->key->text, key, length) &&
            index-- == 0)
            return kernels->items[i];
    return NULL;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void measure(Unit *unit, const Kernel *kernel, const Json *input, const AstRun *options, unsigned long times,
                    const char *key)
{
    AstRun run = *options;
    Launch launch = {0};
    if (!make_launch(unit, kernel, input, &launch))
        return;
    double start = seconds();
    for (unsigned long i = 0; i < times; i++)
        ast_run(unit, kernel, &launch, &run);
    double whole = (seconds() - start) / (double)times;
    AstProgram *program = ast_program(unit, kernel);
    start = seconds();
    for (unsigned long i = 0; i < times; i++)
        ast_program_run(program, &launch, &run);
    fprintf(stderr, "%s: %.2f us prepared and run, %.2f us run again, %llu steps\n", key, whole * 1e6,
            (seconds() - start) / (double)times * 1e6, (unsigned long long)run.steps);
}

static double sum_of(const Journal *journal)
{
    double sum = 0;
    for (uint32_t i = 0; i < journal->count; i++) {
        const JournalEntry *entry = &journal->items[i];
        double value = entry->is_real ? shown(entry->value.real) : (double)(entry->value.integer % 1000003);
        sum += value * (1 + i % 5);
    }
    return sum;
}

static double sum_of_tangents(const LaunchValue *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const LaunchValue *value = &values[i];
        sum += sum_of_tangents(value->fields, value->field_count);
        for (size_t k = 0; value->tangents && k < value->count * value->width; k++)
            sum += shown(value->tangents[k]) * (double)(1 + k % 5);
    }
    return sum;
}

static bool same_values(const LaunchValue *a, const LaunchValue *b, uint32_t count)
{
    bool same = true;
    for (uint32_t i = 0; i < count; i++) {
        size_t cells = launch_cell_count(&a[i]);
        same &= same_values(a[i].fields, b[i].fields, a[i].field_count);
        same &= !a[i].cells || !memcmp(a[i].cells, b[i].cells, cells * sizeof *a[i].cells);
        same &= !a[i].tangents || !memcmp(a[i].tangents, b[i].tangents, cells * sizeof *a[i].tangents);
    }
    return same;
}

static bool same_findings(const Finding *a, const Finding *b)
{
    bool same = a->kind == b->kind && a->offset == b->offset && !memcmp(a->thread, b->thread, sizeof a->thread);
    return same && (a->message ? b->message && !strcmp(a->message, b->message) : !b->message);
}

/* A run without a journal is one by code, where the evaluator makes any: bit for bit the same must come out of it, twice. */
static void compare_by_code(Unit *unit, const Kernel *kernel, const Launch *launch, AstRun how, const Launch *outcome,
                            const AstRun *expected)
{
    AstProgram *program = ast_program(unit, kernel);
    how.journal = NULL;
    for (int i = 0; i < 2; i++) {
        Launch *copy = launch_copy(unit->arena, launch);
        AstRun run = how;
        PathSum path_sum = {0};
        run.path_sum = &path_sum;
        ast_program_run(program, copy, &run);
        if (!same_findings(&run.finding, &expected->finding) || run.steps != expected->steps ||
            run.lanes_meet != expected->lanes_meet || !same_values(copy->args, outcome->args, copy->arg_count) ||
            memcmp(&path_sum, expected->path_sum, sizeof path_sum))
            die("a run by code differs: ", kernel->key->text);
    }
}

/* What statements assigned, and what became of the tangents: sums, so that any other value shows. */
static void smoke(Unit *unit, const Kernel *kernel)
{
    for (int mode = 0; mode < SMOKE_MODES; mode++) {
        Launch launch;
        Journal journal = {.items = ARENA_ARRAY(unit->arena, JournalEntry, 2000), .cap = 2000};
        PathSum path_sum = {0};
        AstRun run = {.in_double = smoke_in_double(mode),
                      .detect_races = true,
                      .max_steps = 100000,
                      .path_sum = &path_sum,
                      .journal = &journal};
        bool fits = fill_launch_with_any(unit, kernel, mode, &launch);
        Launch *copy = launch_copy(unit->arena, &launch);
        if (fits) {
            AstRun how = run;
            ast_run(unit, kernel, copy, &run);
            compare_by_code(unit, kernel, &launch, how, copy, &run);
        }
        printf("{\"kernel\":\"%s\",\"mode\":\"%s\",\"finding\":\"%s\"", kernel->key->text, smoke_mode_name(mode),
               fits ? finding_name(run.finding.kind) : "arguments");
        if (fits) {
            printf(",\"numbers\":%u", journal.count);
            print_sum("sum", sum_of(&journal));
            print_sum("outputs", sum_of_cells(copy->args, copy->arg_count));
            print_sum("tangents", sum_of_tangents(copy->args, copy->arg_count));
        }
        if (fits && run.finding.message) {
            Text text;
            text_init(&text);
            text_json_string(&text, run.finding.message, strlen(run.finding.message));
            printf(",\"message\":%.*s", (int)text.len, text.data);
            text_free(&text);
        }
        printf("}\n");
    }
}

int main(int argc, char **argv)
{
    AstRun options = {.in_double = true, .detect_races = true};
    const char *paths[2] = {NULL, NULL}, *wanted = NULL, *warp = NULL;
    unsigned long times = 0;
    int count = 0;
    bool smoking = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--rounded"))
            options.in_double = false;
        else if (!strcmp(argv[i], "--no-races"))
            options.detect_races = false;
        else if (!strcmp(argv[i], "--smoke"))
            smoking = true;
        else if (!strcmp(argv[i], "--steps") && i + 1 < argc)
            options.max_steps = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--time") && i + 1 < argc)
            times = strtoul(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--warp") && i + 1 < argc)
            warp = argv[++i];
        else if (!strcmp(argv[i], "-k") && i + 1 < argc)
            wanted = argv[++i];
        else if (count < 2)
            paths[count++] = argv[i];
    }
    if (count != (smoking ? 1 : 2))
        die("usage: ast_run FILE.py LAUNCHES.json", "");
    Arena tables, work;
    NameTable names;
    TypeTable types;
    arena_init(&tables);
    arena_init(&work);
    names_init(&names, &tables);
    types_init(&types, NULL, &tables, &names);
    Dialect dialect;
    if (!dialect_find(warp, &dialect))
        die("this version of Warp is not known: ", warp);
    const BuiltinTable *builtins = builtins_new(&tables, &types, &dialect);
    size_t length, json_length;
    char *text = read_file(paths[0], &length), *json_text = smoking ? NULL : read_file(paths[1], &json_length);
    Source source = {paths[0], text, length};
    Unit *unit = ARENA_NEW(&work, Unit);
    unit_init(unit, &work, builtins, &source, NULL);
    unit_load(unit);
    KernelList kernels;
    unit_kernels(unit, &kernels);
    for (uint32_t i = 0; smoking && i < kernels.count; i++)
        if (!wanted || !strcmp(wanted, kernels.items[i]->key->text))
            smoke(unit, kernels.items[i]);
    Reader reader = {smoking ? "{}" : json_text, &work};
    Json *all = read_json(&reader);
    for (const Json *entry = all->first; entry; entry = entry->next) {
        const Json *input = member(entry, "input");
        const Kernel *kernel = find_kernel(&kernels, entry->key);
        Launch launch = {0};
        if (!kernel || !input || (wanted && strcmp(wanted, entry->key)))
            continue;
        if (!make_launch(unit, kernel, input, &launch)) {
            printf("{\"kernel\":\"%s\",\"finding\":\"unsupported\",\"message\":\"argument types\"}\n", entry->key);
            continue;
        }
        AstRun run = options;
        ast_run(unit, kernel, &launch, &run);
        print_result(unit, kernel, &launch, &run, input, entry->key);
        if (times)
            measure(unit, kernel, input, &options, times, entry->key);
    }
    text_free(&unit->scratch);
    arena_free(&work);
    arena_free(&tables);
    free(text);
    free(json_text);
    return 0;
}
