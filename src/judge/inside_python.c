/* An answer in Python: weft's own front end reads it and the region tree evaluator runs it, in a process restricted
 * to that. */
#include "judge/inside.h"

#include "base/json.h"
#include "corpus/launch_rows.h"
#include "eval/tree/eval.h"

#include <stdio.h>
#include <unistd.h>

typedef struct PythonRun {
    const Job *job;
    bool found;
} PythonRun;

enum { MOST_STEPS = 20000000, MOST_ARRAYS = 128 };

static void say(const char *what, const char *why)
{
    dprintf(STDERR_FILENO, "%s%s%s", what, why && *what ? ": " : "", why ? why : "");
}

static bool write_array(const LaunchValue *array)
{
    return inside_write(array->cells, launch_cell_count(array) * sizeof *array->cells);
}

/* The parameters must be exactly those that were asked for. */
static bool types_fit(const Compiled *compiled, const json_t *types)
{
    const Code *code = compiled->module->kernel->code;
    bool fit = code->param_count == json_array_size(types);
    for (uint32_t i = 0; fit && i < code->param_count; i++) {
        Text own = text_in(compiled->unit->arena);
        type_repr(type_canonical(code->params[i].type), &own);
        const char *wanted = json_string_value(json_array_get(types, i));
        fit = wanted && strcmp(text_cstr(&own), wanted) == 0;
    }
    return fit;
}

static void run_launch(const Compiled *compiled, TreeProgram *program, const CudaExample *example, uint32_t number)
{
    const char *why = "";
    LaunchValue *arrays[MOST_ARRAYS];
    Launch *launch = launch_of_rows(compiled, example, &why);
    TreeRun run = {.max_steps = MOST_STEPS};
    if (!launch) {
        say(why, NULL);
        _exit(JOB_EXIT_SIGNATURE);
    }
    if (!tree_execute(program, launch, &run)) {
        say(finding_name(run.finding.kind), run.finding.message);
        _exit(JOB_EXIT_FINDING);
    }
    JobMark mark = {.magic = JOB_MAGIC, .launch = number};
    uint32_t count = launch_arrays(launch, arrays, MOST_ARRAYS);
    bool written = inside_write(&mark, sizeof mark);
    for (uint32_t i = 0; written && i < count; i++)
        written = write_array(arrays[i]);
    if (!written)
        _exit(1);
}

static bool visit(const Compiled *compiled, void *user)
{
    PythonRun *python = user;
    Finding finding = {0};
    python->found = true;
    json_t *inputs = json_read(python->job->inputs, strlen(python->job->inputs));
    CudaExamples examples;
    Text launches = text_in(compiled->unit->arena);
    json_write(json_object_get(inputs, "launches"), &launches);
    if (!types_fit(compiled, json_object_get(inputs, "types"))) {
        say("its parameters are not those that were asked for", NULL);
        _exit(JOB_EXIT_SIGNATURE);
    }
    TreeProgram *program = tree_compile(compiled->unit->arena, compiled->module, false, &finding);
    if (!program || !cuda_read_examples(compiled->unit->arena, launches.data, launches.len, &examples)) {
        say("it cannot be run", finding.message);
        _exit(JOB_EXIT_PYTHON);
    }
    for (uint32_t i = 0; i < examples.count; i++)
        run_launch(compiled, program, &examples.items[i], i);
    return false;
}

void inside_run_python(const Job *job)
{
    PythonRun python = {.job = job};
    Weft *weft = inside_filter(FILTER_ANSWER) ? weft_new(*job->warp ? job->warp : NULL) : NULL;
    Text errors;
    if (!weft)
        _exit(JOB_EXIT_LOAD);
    text_init(&errors);
    PipelineOptions options = pipeline_options();
    options.weft.cuda = options.weft.cpu = options.weft.source = options.weft.backward = false;
    options.weft.kernel = job->kernel;
    options.weft.block_dim = job->block_dim;
    options.weft.memory_limit = (size_t)job->limits.memory_mb << 19; /* half of what the process may have */
    pipeline_compile(weft, &(Source){"answer.py", job->source, job->source_len}, &options,
                     &(PipelineVisitor){.compiled = visit, .user = &python, .errors = &errors});
    if (!python.found) {
        say(errors.len ? text_cstr(&errors) : "there is no kernel of that name", NULL);
        _exit(JOB_EXIT_PYTHON);
    }
    _exit(0);
}
