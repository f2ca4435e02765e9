/* Wrong variants of all records of a set. */
#include "corpus/each_record.h"
#include "corpus/task_text.h"
#include "judge/mutate.h"

#include <stdio.h>

typedef struct Mutants {
    const MutateOptions *options;
    MutateReport *report;
    LineSink *sink;
    void *sink_user;
    Workshop workshop, second;
    Text line;
    bool unwritten;
} Mutants;

/* Which task a variant is a wrong answer to. */
static const TaskKind kind_of[MUTANT_FORMS] = {
    [MUTANT_PYTHON] = KIND_FROM_CUDA, [MUTANT_CUDA] = KIND_READABLE, [MUTANT_GRADIENT] = KIND_GRADIENT};

static void write_line(Mutants *mutants, const json_t *record, MutantForm form, const Mutant *mutant)
{
    JsonWriter json = {.out = &mutants->line};
    char id[200];
    mutants->line.len = 0;
    snprintf(id, sizeof id, "%s/%s", json_member_string(record, "id"), task_kinds[kind_of[form]].name);
    json_open(&json, NULL, '{');
    json_add_string(&json, "id", id);
    json_add_string(&json, "record", json_member_string(record, "id"));
    json_add_string(&json, "form", mutant_form_name(form));
    json_add_string(&json, "category", json_member_string(record, "category"));
    json_add_string(&json, "difficulty", json_member_string(record, "difficulty"));
    json_add_string(&json, "kernel_name", json_member_string(record, "kernel_name"));
    json_add_string(&json, "change", mutant->change);
    json_add_uint(&json, "line", mutant->line);
    json_add_string(&json, "before", mutant->before);
    json_add_string(&json, "after", mutant->after);
    json_add_string(&json, "difference", mutant->difference);
    json_add_string_n(&json, "answer", mutant->text.data, mutant->text.len);
    json_close(&json, '}');
    text_char(&mutants->line, '\n');
}

static bool is_enough(const Mutants *mutants, int form)
{
    return !mutants->options->forms[form] ||
           (mutants->options->limit && mutants->report->made[form] >= mutants->options->limit);
}

static bool add_variant(Mutants *mutants, const json_t *record, MutantForm form)
{
    Mutant mutant;
    uint64_t row = (uint64_t)json_integer_value(json_object_get(record, "row"));
    mutants->report->tried[form]++;
    if (task_can_be_judged(kind_of[form], record) &&
        mutant_make(&mutants->workshop, &mutants->second, record, form, 1,
                    rng_at(mutants->options->seed, row, (uint64_t)form), &mutant)) {
        mutants->report->made[form]++;
        write_line(mutants, record, form, &mutant);
        mutants->unwritten =
            mutants->line.failed || !mutants->sink(mutants->line.data, mutants->line.len, mutants->sink_user);
    }
    mutant_free(&mutant);
    return !mutants->unwritten;
}

static bool add_record(const char *line, size_t len, Split split, void *user, CorpusError *error)
{
    static const char *const members[] = {TASK_MEMBERS, NULL};
    (void)split;
    Mutants *mutants = user;
    json_t *record = json_read_members(line, len, members);
    const char *warp = json_member_string(record, "warp_version");
    bool fine = true, more = false;
    mutants->report->records++;
    if (!record || !workshop_ready(&mutants->workshop, warp) || !workshop_ready(&mutants->second, warp)) {
        snprintf(error->message, sizeof error->message, "record %llu is not a weft record",
                 (unsigned long long)mutants->report->records);
        fine = false;
    }
    for (int form = 0; fine && form < MUTANT_FORMS; form++) {
        if (!is_enough(mutants, form) && task_serves(kind_of[form], record))
            fine = add_variant(mutants, record, (MutantForm)form);
        more |= !is_enough(mutants, form);
    }
    json_decref(record);
    return fine && more;
}

static void pass_progress(uint64_t records, uint64_t of, void *user)
{
    const MutateOptions *options = ((Mutants *)user)->options;
    if (options->progress)
        options->progress(records, of, options->user);
}

bool judge_mutate(const char *set, const MutateOptions *options, LineSink *sink, void *sink_user, MutateReport *report,
                  CorpusError *error)
{
    Mutants mutants = {.options = options, .report = report, .sink = sink, .sink_user = sink_user};
    RecordVisitor visitor = {
        .warp = options->warp, .stop = options->stop, .visit = add_record, .progress = pass_progress, .user = &mutants};
    *report = (MutateReport){0};
    corpus_each_record(set, &visitor, error);
    workshop_free(&mutants.workshop);
    workshop_free(&mutants.second);
    text_free(&mutants.line);
    return !error->message[0] && !mutants.unwritten && !(options->stop && *options->stop);
}
