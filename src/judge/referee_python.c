/* Answers in Python: run in the sandbox by weft's own evaluator, and compared out here with what the record's kernel gives. */
#include "judge/referee.h"

#include "base/safe_file.h"
#include "corpus/launch_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct PythonHearing {
    Referee *referee;
    const json_t *record;
    Span code;
    Verdict *verdict;
    json_t *launches;
    uint32_t stored; /* of them, so many are the record's */
} PythonHearing;

/* ---- what goes in: launches without their results, and the types of the parameters ---- */

static void write_types(const Compiled *compiled, Text *out)
{
    JsonWriter json = {.out = out};
    const Code *code = compiled->module->kernel->code;
    json_open(&json, NULL, '[');
    for (uint32_t i = 0; i < code->param_count; i++) {
        Text name = text_in(compiled->unit->arena);
        type_repr(type_canonical(code->params[i].type), &name);
        json_add_string(&json, NULL, text_cstr(&name));
    }
    json_close(&json, ']');
}

static void write_inputs(const Compiled *compiled, const json_t *launches, uint32_t count, Text *out)
{
    text_lit(out, "{\"types\": ");
    write_types(compiled, out);
    text_lit(out, ", \"launches\": [");
    for (uint32_t i = 0; i < count; i++) {
        const json_t *launch = json_array_get(launches, i);
        text_str(out, i ? ", {\"dim\": " : "{\"dim\": ");
        json_write(json_object_get(launch, "dim"), out);
        text_format(out, ", \"block_dim\": %u", (unsigned)json_integer_value(json_object_get(launch, "block_dim")));
        text_lit(out, ", \"inputs\": ");
        json_write(json_object_get(launch, "inputs"), out);
        text_char(out, '}');
    }
    text_lit(out, "]}");
}

/* ---- what comes out ---- */

static bool is_named(const json_t *row, const char *name, const char *field)
{
    return strcmp(json_member_string(row, "name"), name) == 0 &&
           (!field || strcmp(json_member_string(row, "field"), field) == 0);
}

/* The results of one launch: `cells` of all arrays, in order; `inputs` rows in the same order, `outputs` those that change. An array
 * of structs has a row per field. */
typedef struct RowWalk {
    const json_t *inputs, *outputs;
    const Cell *cells;
    char why[240];
} RowWalk;

static const json_t *find_output(const RowWalk *walk, const json_t *input)
{
    const json_t *field = json_object_get(input, "field");
    size_t index;
    json_t *row;
    json_array_foreach(walk->outputs, index, row)
    {
        if (is_named(row, json_member_string(input, "name"), json_is_string(field) ? json_string_value(field) : NULL))
            return row;
    }
    return NULL;
}

static bool is_unchanged(RowWalk *walk, const LaunchValue *array, const Cell *cells, uint32_t offset, size_t each,
                         const json_t *input)
{
    for (size_t i = 0; i < array->count * each; i++) {
        size_t cell = i / each * array->width + offset + i % each;
        Cell before = array->cells[cell];
        if (launch_cell_is_real(array, cell))
            before.real = round_to_type(before.real, array->cell_types[cell % array->width]->kind);
        if (memcmp(&cells[cell], &before, sizeof before) != 0) {
            snprintf(walk->why, sizeof walk->why, "%s is changed", json_member_string(input, "name"));
            return false;
        }
    }
    return true;
}

/* One row: `each` cells of every element, from `offset` on. */
static bool row_agrees(RowWalk *walk, const LaunchValue *array, const Cell *cells, uint32_t offset, size_t each,
                       const json_t *input)
{
    const json_t *row = find_output(walk, input);
    if (!row) /* the launch does not change it */
        return is_unchanged(walk, array, cells, offset, each, input);
    const json_t *floats = json_object_get(row, "floats"), *tolerance = json_object_get(row, "tolerance");
    const json_t *numbers = json_is_array(floats) ? floats : json_object_get(row, "ints");
    double slack = json_is_number(tolerance) ? json_number_value(tolerance) : 0;
    for (size_t i = 0; i < json_array_size(numbers); i++) {
        size_t cell = i / each * array->width + offset + i % each;
        const json_t *item = json_array_get(numbers, i);
        bool real = launch_cell_is_real(array, cell);
        double expected = json_number_value(item), found = real ? cells[cell].real : (double)cells[cell].integer;
        bool same = real ? fabs(found - expected) <= slack : cells[cell].integer == json_integer_value(item);
        if (same)
            continue;
        const char *field = json_member_string(row, "field");
        snprintf(walk->why, sizeof walk->why, "%s%s%s: element %zu: got %.9g, expected %.9g +- %.2g",
                 json_member_string(row, "name"), *field ? "." : "", field, i, found, expected, slack);
        return false;
    }
    return true;
}

/* Walks the arguments as the rows do. */
static bool value_agrees(RowWalk *walk, const LaunchValue *value, size_t *row)
{
    bool agrees = true;
    for (uint32_t i = 0; i < value->field_count; i++)
        agrees = agrees && value_agrees(walk, &value->fields[i], row);
    if (value->field_count)
        return agrees;
    const Cell *cells = walk->cells;
    bool is_array = value->type->kind == TYPE_ARRAY;
    for (uint32_t done = 0; agrees && done < value->width;) {
        const json_t *input = json_array_get(walk->inputs, (*row)++);
        const json_t *floats = json_object_get(input, "floats");
        size_t numbers = json_array_size(json_is_array(floats) ? floats : json_object_get(input, "ints"));
        size_t each = value->count ? numbers / value->count : 0;
        if (!each)
            return false;
        agrees = !is_array || row_agrees(walk, value, cells, done, each, input);
        done += (uint32_t)each;
    }
    if (is_array)
        walk->cells += launch_cell_count(value);
    return agrees;
}

bool python_launch_agrees(Launch *before, Launch *after, const json_t *launch, char *why, size_t size)
{
    LaunchValue *arrays[MOST_TRIAL_ARRAYS];
    uint32_t count = launch_arrays(after, arrays, MOST_TRIAL_ARRAYS);
    RowWalk walk = {.inputs = json_object_get(launch, "inputs"), .outputs = json_object_get(launch, "outputs")};
    size_t cells = 0, row = 0;
    for (uint32_t i = 0; i < count; i++)
        cells += launch_cell_count(arrays[i]);
    Cell *all = calloc(cells + 1, sizeof *all), *to = all;
    if (!all)
        return false;
    for (uint32_t i = 0; i < count; to += launch_cell_count(arrays[i]), i++)
        memcpy(to, arrays[i]->cells, launch_cell_count(arrays[i]) * sizeof *to);
    walk.cells = all;
    bool agrees = true;
    for (uint32_t a = 0; agrees && a < before->arg_count; a++)
        agrees = value_agrees(&walk, &before->args[a], &row);
    snprintf(why, size, "%s", walk.why);
    free(all);
    return agrees;
}

static size_t result_cells(Launch *launch)
{
    LaunchValue *arrays[MOST_TRIAL_ARRAYS];
    size_t cells = 0;
    uint32_t count = launch_arrays(launch, arrays, MOST_TRIAL_ARRAYS);
    for (uint32_t i = 0; i < count; i++)
        cells += launch_cell_count(arrays[i]);
    return cells;
}

/* ---- the whole ---- */

static void explain(const SandboxResult *result, Verdict *verdict)
{
    int code = result->status.exit_code;
    bool said = result->end == SANDBOX_DONE && !result->status.signal &&
                (code == JOB_EXIT_PYTHON || code == JOB_EXIT_SIGNATURE || code == JOB_EXIT_FINDING);
    if (!said) {
        referee_explain(result, "it", verdict);
        return;
    }
    const char *error = result->messages.len ? memmem(result->messages.data, result->messages.len, "error: ", 7) : NULL;
    const char *from = error ? error + 7 : result->messages.data;
    size_t len = from ? (size_t)(result->messages.data + result->messages.len - from) : 0;
    const char *end = len ? memchr(from, '\n', len) : NULL;
    snprintf(verdict->reason, sizeof verdict->reason, "%s: %.*s",
             code == JOB_EXIT_FINDING ? "running it" : "it does not compile", (int)(end ? (size_t)(end - from) : len),
             from ? from : "");
    defuse(verdict->reason);
}

static void compare(PythonHearing *hearing, Launch *const *references, uint32_t count, const SandboxResult *result)
{
    Verdict *verdict = hearing->verdict;
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        const json_t *launch = json_array_get(hearing->launches, i);
        size_t cells = result_cells(references[i]), row = 0, size = sizeof(JobMark) + cells * sizeof(Cell);
        JobMark mark;
        if (result->results.len - at < size)
            return;
        memcpy(&mark, result->results.data + at, sizeof mark);
        RowWalk walk = {.inputs = json_object_get(launch, "inputs"), .outputs = json_object_get(launch, "outputs")};
        Cell *copy = malloc((cells + 1) * sizeof *copy);
        if (!copy)
            return;
        memcpy(copy, result->results.data + at + sizeof mark, cells * sizeof *copy);
        walk.cells = copy;
        bool agrees = mark.magic == JOB_MAGIC && mark.launch == i;
        for (uint32_t a = 0; agrees && a < references[i]->arg_count; a++)
            agrees = value_agrees(&walk, &references[i]->args[a], &row);
        free(copy);
        at += size;
        verdict->forward_launches.passed += agrees;
        if (verdict->forward != MARK_NO)
            verdict->forward = agrees ? MARK_YES : MARK_NO;
        if (!agrees && !verdict->difference[0]) {
            uint32_t stored = hearing->stored;
            snprintf(verdict->difference, sizeof verdict->difference, "%slaunch %u: %s", i >= stored ? "hidden " : "",
                     i >= stored ? i - stored + 1 : i + 1, walk.why);
        }
    }
    verdict->ran = at == result->results.len;
}

static bool hear(const Compiled *compiled, const CheckLaunch *description, void *user)
{
    PythonHearing *hearing = user;
    Verdict *verdict = hearing->verdict;
    hearing->launches =
        trial_launches(compiled, description, hearing->record, hearing->referee->options, &hearing->stored);
    uint32_t count = (uint32_t)json_array_size(hearing->launches) - 1; /* without the empty one */
    Launch **references = ARENA_ARRAY(compiled->unit->arena, Launch *, count + 1);
    size_t most = 0;
    CudaExamples examples;
    bool read = trial_read(compiled->unit->arena, hearing->launches, &examples);
    for (uint32_t i = 0; i < count; i++) {
        const char *why = "its launches cannot be read";
        references[i] = read ? launch_of_rows(compiled, &examples.items[i], &why) : NULL;
        if (!references[i]) {
            verdict->broken = true;
            snprintf(verdict->reason, sizeof verdict->reason, "the record cannot be judged by: %s", why);
            return true;
        }
        most += sizeof(JobMark) + result_cells(references[i]) * sizeof(Cell);
    }
    verdict->forward_launches.of = count;
    static const char *const none[] = {NULL};
    Text inputs, source;
    SandboxResult result;
    text_init(&inputs);
    text_init(&source);
    write_inputs(compiled, hearing->launches, count, &inputs);
    text_lit(&source, "import warp as wp\n\n\n");
    text_add(&source, hearing->code.text, hearing->code.len);
    text_char(&source, '\n');
    Job job = {
        .mode = JOB_PYTHON, .limits = hearing->referee->options->limits, .flags = none, .source = text_cstr(&source)};
    job.source_len = source.len;
    job.kernel = json_member_string(hearing->record, "kernel_name");
    job.warp = json_member_string(hearing->record, "warp_version");
    job.inputs = text_cstr(&inputs);
    job.block_dim = (uint32_t)json_integer_value(json_object_get(hearing->record, "block_dim"));
    sandbox_run(hearing->referee->sandbox, &job, most, &result);
    explain(&result, verdict);
    int code = result.status.exit_code;
    verdict->compiled = result.end == SANDBOX_DONE && (code == 0 || code == JOB_EXIT_FINDING || result.status.signal);
    if (!verdict->stopped && !verdict->broken)
        compare(hearing, references, count, &result);
    referee_conclude(verdict, verdict->reason[0]);
    text_free(&inputs);
    text_free(&source);
    sandbox_result_free(&result);
    return true;
}

void referee_judge_python(Referee *referee, const json_t *record, Span code, Verdict *verdict)
{
    PythonHearing hearing = {referee, record, code, verdict, NULL, 0};
    if (!workshop_visit(&referee->workshop, record, hear, &hearing)) {
        verdict->broken = true;
        snprintf(verdict->reason, sizeof verdict->reason, "the record cannot be judged by: it does not compile");
    }
    json_decref(hearing.launches);
}
