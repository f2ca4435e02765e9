/* The tasks of a data set, one line of JSON each, in the order of its records. */
#include "corpus/each_record.h"
#include "corpus/readable.h"
#include "corpus/task_text.h"
#include "judge/mutate.h"
#include "judge/workshop.h"

#include <stdio.h>
#include <xxhash.h>

typedef struct Tasks {
    const TasksOptions *options;
    TasksReport *report;
    LineSink *sink;
    void *sink_user;
    Workshop workshop, second;
    Text prompt, line;
    bool unwritten;
} Tasks;

static bool is_enough(const Tasks *tasks, TaskKind kind)
{
    return !tasks->options->kinds[kind] || !(task_kinds[kind].uses & FOR_SCORE) ||
           (tasks->options->limit && tasks->report->tasks[kind] >= tasks->options->limit);
}

static void write_task(Tasks *tasks, TaskKind kind, const TaskSource *source)
{
    const json_t *record = source->record;
    Text *line = &tasks->line;
    JsonWriter json = {.out = line};
    line->len = 0;
    json_open(&json, NULL, '{');
    Text id;
    text_init(&id);
    text_format(&id, "%s/%s", json_member_string(record, "id"), task_kinds[kind].name);
    json_add_string(&json, "id", text_cstr(&id));
    text_free(&id);
    json_add_string(&json, "kind", task_kinds[kind].name);
    json_add_string(&json, "form", form_name(task_kinds[kind].form));
    json_add_string(&json, "category", json_member_string(record, "category"));
    json_add_string(&json, "difficulty", json_member_string(record, "difficulty"));
    json_add_string(&json, "record", json_member_string(record, "id"));
    json_add_string(&json, "kernel_name", json_member_string(record, "kernel_name"));
    json_add_string_n(&json, "prompt", tasks->prompt.data, tasks->prompt.len);
    if (source->given) /* what the judge compares with its own text */
        json_add_string(&json, "given", source->given);
    else
        json_add_verbatim(&json, "given", "null", 4);
    json_close(&json, '}');
    text_char(line, '\n');
}

static bool add_task(Tasks *tasks, TaskKind kind, const TaskSource *source, CorpusError *error)
{
    tasks->prompt.len = 0;
    Undetermined why = task_is_undetermined(kind, source->record);
    tasks->report->left_out[why] += why != DETERMINED;
    if (why != DETERMINED || !task_prompt(kind, source, &tasks->prompt))
        return true;
    write_task(tasks, kind, source);
    if (tasks->line.failed || tasks->prompt.failed)
        return snprintf(error->message, sizeof error->message, "out of memory") < 0;
    tasks->report->tasks[kind]++;
    tasks->unwritten = !tasks->sink(tasks->line.data, tasks->line.len, tasks->sink_user);
    return !tasks->unwritten;
}

typedef struct ForwardOnly {
    Workshop *workshop;
    Text text;
    bool made;
} ForwardOnly;

static bool translate_forward(const Compiled *compiled, const CheckLaunch *launch, void *user)
{
    ForwardOnly *forward = user;
    Readable readable = readable_translate(compiled, forward->workshop->library, launch, false);
    forward->made = readable.text != NULL;
    text_str(&forward->text, readable.text ? readable.text : "");
    return true;
}

/* A text with a mistake; of gradients, half of them have none. False: there is none for this record. */
static bool give_text(Tasks *tasks, TaskKind kind, const json_t *record, Mutant *mutant)
{
    enum { STREAM_GIVEN = 40 };
    uint64_t row = (uint64_t)json_integer_value(json_object_get(record, "row"));
    Rng rng = rng_at(tasks->options->seed, row, STREAM_GIVEN + (uint64_t)kind);
    bool backward = json_is_true(json_object_get(record, "readable_backward"));
    *mutant = (Mutant){.line = 0};
    if (kind == KIND_VERDICT && rng_chance(&rng, 0.5)) {
        text_str(&mutant->text, json_member_string(record, "cuda_readable"));
        return true;
    }
    /* beside its Python, a mistake in the forward kernel is easy to see */
    MutantForm form = kind == KIND_VERDICT || (backward && rng_chance(&rng, 0.8)) ? MUTANT_GRADIENT : MUTANT_CUDA;
    uint32_t changes = kind == KIND_REPAIR ? 1 + rng_below(&rng, 2) : 1;
    return mutant_make(&tasks->workshop, &tasks->second, record, form, changes, rng, mutant);
}

static bool add_any_task(Tasks *tasks, TaskKind kind, const json_t *record, CorpusError *error)
{
    TaskSource source = {.record = record};
    ForwardOnly forward = {.workshop = &tasks->workshop};
    Mutant mutant = {.line = 0};
    bool is_given = kind == KIND_VERDICT || kind == KIND_REPAIR, fine = true;
    if (kind == KIND_BACKWARD && workshop_visit(&tasks->workshop, record, translate_forward, &forward) && forward.made)
        source.forward_only = text_cstr(&forward.text);
    if (!is_given || give_text(tasks, kind, record, &mutant)) {
        source.given = is_given ? text_cstr(&mutant.text) : NULL;
        fine = add_task(tasks, kind, &source, error);
    }
    mutant_free(&mutant);
    text_free(&forward.text);
    return fine;
}

/* Rounding may move all that its launches leave by more than a mistake does. */
static bool has_clear_launch(const json_t *record)
{
    size_t i;
    json_t *launch;
    json_array_foreach(json_object_get(record, "launches"), i, launch)
    {
        if (!trial_is_vague(launch))
            return true;
    }
    return false;
}

/* The kinds in an order that the record's id alone decides: its task stays the same whatever set it is in. */
static void order_kinds(const json_t *record, TaskKind order[KIND_COUNT])
{
    enum { STREAM_KIND = 60 };
    const char *id = json_member_string(record, "id");
    Rng rng = rng_at(0, XXH3_64bits(id, strlen(id)), STREAM_KIND);
    for (uint32_t i = 0; i < KIND_COUNT; i++) {
        uint32_t place = rng_below(&rng, i + 1);
        order[i] = order[place];
        order[place] = (TaskKind)i;
    }
}

/* One task, of the first kind that the record serves: prompts of two kinds hold each other's answers. */
static bool add_one_task(Tasks *tasks, const json_t *record, CorpusError *error)
{
    TaskKind order[KIND_COUNT];
    bool fine = true, added = false;
    order_kinds(record, order);
    for (int i = 0; fine && !added && i < KIND_COUNT; i++) {
        uint64_t before = tasks->report->tasks[order[i]];
        if (!is_enough(tasks, order[i]) && task_can_be_judged(order[i], record))
            fine = add_any_task(tasks, order[i], record, error);
        added = tasks->report->tasks[order[i]] > before;
    }
    return fine;
}

static bool add_all_tasks(Tasks *tasks, const json_t *record, CorpusError *error)
{
    bool fine = true;
    for (int kind = 0; fine && kind < KIND_COUNT; kind++)
        if (!is_enough(tasks, (TaskKind)kind) && task_can_be_judged((TaskKind)kind, record))
            fine = add_any_task(tasks, (TaskKind)kind, record, error);
    return fine;
}

static bool add_record(const char *line, size_t len, Split split, void *user, CorpusError *error)
{
    static const char *const members[] = {TASK_MEMBERS, NULL};
    (void)split;
    Tasks *tasks = user;
    json_t *record = json_read_members(line, len, members);
    tasks->report->records++;
    const char *warp = json_member_string(record, "warp_version");
    if (!record || !workshop_ready(&tasks->workshop, warp) || !workshop_ready(&tasks->second, warp))
        return snprintf(error->message, sizeof error->message, "record %llu is not a weft record",
                        (unsigned long long)tasks->report->records) < 0;
    bool fine = !has_clear_launch(record)   ? true
                : tasks->options->all_kinds ? add_all_tasks(tasks, record, error)
                                            : add_one_task(tasks, record, error);
    bool more = false;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        more |= !is_enough(tasks, (TaskKind)kind);
    json_decref(record);
    return fine && more;
}

static void pass_progress(uint64_t records, uint64_t of, void *user)
{
    const TasksOptions *options = ((Tasks *)user)->options;
    if (options->progress)
        options->progress(records, of, options->user);
}

bool judge_make_tasks(const char *set, const TasksOptions *options, LineSink *sink, void *sink_user,
                      TasksReport *report, CorpusError *error)
{
    Tasks tasks = {.options = options, .report = report, .sink = sink, .sink_user = sink_user};
    RecordVisitor visitor = {
        .warp = options->warp, .stop = options->stop, .visit = add_record, .progress = pass_progress, .user = &tasks};
    *report = (TasksReport){0};
    corpus_each_record(set, &visitor, error);
    workshop_free(&tasks.workshop);
    workshop_free(&tasks.second);
    text_free(&tasks.prompt);
    text_free(&tasks.line);
    bool stopped = tasks.unwritten || (options->stop && *options->stop);
    uint64_t count = 0;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        count += report->tasks[kind];
        if (!error->message[0] && !stopped && options->named && options->kinds[kind] && !report->tasks[kind])
            snprintf(error->message, sizeof error->message, "%s has no record for tasks of the kind %s", set,
                     task_kinds[kind].name);
    }
    if (!count && !stopped && !error->message[0])
        snprintf(error->message, sizeof error->message, "%s has no record for any task: it has no launches", set);
    return !stopped && !error->message[0];
}
