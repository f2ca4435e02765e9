/* Data sets of record format 1, written again in the present format.
 *
 * An old record gives its source, description, category and launch description; everything else is made from these as for any
 * candidate. A record whose text is not what weft writes for its source today is refused, comments aside. */
#include "base/clock.h"
#include "base/json.h"
#include "base/pool.h"
#include "corpus/old_set.h"
#include "corpus/writer.h"

#include <pthread.h>
#include <stdlib.h>

enum { BATCH_RECORDS = 16 };

/* ---- one record ---- */

typedef struct Migrator {
    Maker *maker;
    Weft *weft;
    const CorpusOptions *options;
    Text source, launch;
} Migrator;

/* What a parameter or a field of one is given, as a row of `arguments`. */
static json_t *argument_row(const char *name, const char *field, const char *type, const json_t *about,
                            const char *role)
{
    const json_t *range = json_object_get(about, "range"), *value = json_object_get(about, "value");
    json_t *row = json_object();
    json_object_set_new(row, "name", json_string(name));
    json_object_set_new(row, "field", field ? json_string(field) : json_null());
    json_object_set_new(row, "type", json_string(type));
    json_t *shape = json_object_get(about, "shape");
    json_object_set_new(row, "shape", shape ? json_incref(shape) : json_null());
    bool has_range = json_array_size(range) == 2;
    json_object_set_new(row, "low", has_range ? json_real(json_number_value(json_array_get(range, 0))) : json_null());
    json_object_set_new(row, "high", has_range ? json_real(json_number_value(json_array_get(range, 1))) : json_null());
    json_object_set_new(row, "value",
                        json_is_boolean(value)  ? json_real(json_is_true(value))
                        : json_is_number(value) ? json_real(json_number_value(value))
                                                : json_null());
    json_object_set_new(row, "sorted", json_boolean(json_is_true(json_object_get(about, "sorted"))));
    json_object_set_new(row, "role", json_string(role));
    json_object_set_new(row, "quantity", json_null());
    return row;
}

typedef struct ArgumentList {
    json_t *rows;
    const char *name; /* of the parameter */
    Arena *arena;
    const char *written; /* the role of what the kernel writes */
} ArgumentList;

static bool is_written(const json_t *about)
{
    return json_is_true(json_object_get(about, "output"));
}

/* A struct's fields follow it; of an array of structs, those of its elements. */
static void add_argument(ArgumentList *list, const char *path, const Type *type, const json_t *about)
{
    Text repr = text_in(list->arena);
    type_repr(type_canonical(type), &repr);
    bool written = is_written(about);
    json_array_append_new(list->rows,
                          argument_row(list->name, path, text_cstr(&repr), about, written ? list->written : "input"));
    const json_t *fields = json_object_get(about, "fields");
    type = type_canonical(type);
    type = type->kind == TYPE_ARRAY ? type_canonical(type->array.dtype) : type;
    for (uint32_t i = 0; fields && type->kind == TYPE_STRUCT && i < type->decl->field_count; i++) {
        const char *field = type->decl->fields[i].name->text;
        const char *inner = path ? arena_format(list->arena, "%s.%s", path, field) : field;
        const json_t *said = json_object_get(fields, field);
        if (said)
            add_argument(list, inner, type->decl->fields[i].type, said);
    }
}

typedef struct LaunchVisit {
    Migrator *migrator;
    const json_t *launch;
    bool done;
} LaunchVisit;

static bool write_launch(const Compiled *compiled, void *user)
{
    LaunchVisit *visit = user;
    const Code *code = compiled->module->kernel->code;
    const json_t *args = json_object_get(visit->launch, "args");
    Text *out = &visit->migrator->launch;
    ArgumentList list = {.rows = json_array(), .arena = compiled->unit->arena};
    for (uint32_t i = 0; i < code->param_count; i++) {
        list.name = code->params[i].name->text;
        list.written = check_is_output(code, &code->params[i]) ? "output" : "inout";
        add_argument(&list, NULL, code->params[i].type, json_object_get(args, list.name));
    }
    out->len = 0;
    text_lit(out, LAUNCH_HEAD);
    json_write(json_object_get(visit->launch, "dim"), out);
    text_lit(out, LAUNCH_ARGUMENTS);
    json_write(list.rows, out);
    text_char(out, '}');
    json_decref(list.rows);
    visit->done = true;
    return false;
}

/* The launch description as records have it now, with types and roles from the compiled kernel. */
static bool convert_launch(Migrator *migrator, const SynthSample *sample, const json_t *launch)
{
    PipelineOptions options = pipeline_options();
    LaunchVisit visit = {migrator, launch, false};
    options.weft.cuda = false;
    options.weft.cpu = true;
    options.weft.backward = false;
    options.weft.source = false;
    migrator->source.len = 0;
    synth_add_module(sample, &migrator->source);
    return json_is_array(json_object_get(launch, "dim")) && !migrator->source.failed &&
           pipeline_compile(migrator->weft, &(Source){"stored.py", migrator->source.data, migrator->source.len},
                            &options, &(PipelineVisitor){.compiled = write_launch, .user = &visit}) &&
           visit.done && !migrator->launch.failed;
}

/* The text without comments, and without lines that are empty then. */
static void strip_comments(const char *text, Text *out)
{
    while (*text) {
        size_t start = out->len;
        for (bool quoted = false; *text && *text != '\n'; text++) {
            if (!quoted && text[0] == '/' && text[1] == '/') {
                text += strcspn(text, "\n");
                break;
            }
            quoted ^= *text == '"' && !(quoted && text[-1] == '\\');
            text_char(out, *text);
        }
        while (out->len > start && strchr(" \t\r", out->data[out->len - 1]))
            out->len--;
        if (out->len > start)
            text_char(out, '\n');
        text += *text == '\n';
    }
}

static bool same_but_for_comments(const char *a, const char *b)
{
    Text left, right;
    text_init(&left);
    text_init(&right);
    strip_comments(a, &left);
    strip_comments(b, &right);
    bool same = !left.failed && !right.failed && left.len == right.len &&
                (!left.len || memcmp(left.data, right.data, left.len) == 0);
    text_free(&left);
    text_free(&right);
    return same;
}

/* NULL: every text of the old record is that of the new one; otherwise the column that differs. */
static const char *differing_text(const json_t *old, const char *record, size_t len)
{
    static const char *const columns[] = {
        "cuda_prelude", "cuda_forward", "cuda_backward", "cpp_prelude", "cpp_forward", "cpp_backward", NULL};
    Text whole;
    text_init(&whole);
    text_char(&whole, '{');
    text_add(&whole, record, len);
    json_t *now = whole.failed ? NULL : json_read_members(whole.data, whole.len, columns);
    const char *differs = now ? NULL : "record";
    for (size_t i = 0; !differs && columns[i]; i++) {
        const json_t *before = json_object_get(old, columns[i]), *after = json_object_get(now, columns[i]);
        if (json_is_string(before) && json_is_string(after) &&
            !same_but_for_comments(json_string_value(before), json_string_value(after)))
            differs = columns[i];
    }
    json_decref(now);
    text_free(&whole);
    return differs;
}

static const char EMPTY_PLAN[] = "{\"scenes\": [], \"laws\": [], \"roles\": [], \"derived\": [], \"counts\": [], "
                                 "\"choices\": []}";

/* False: out of memory. A candidate with a reason is refused. */
static bool migrate_record(Migrator *migrator, uint64_t index, const char *line, size_t len, Candidate *candidate,
                           Text *out)
{
    json_t *old = json_read(line, len);
    const json_t *metadata = json_object_get(old, "metadata");
    int category = category_named(json_member_string(old, "category"));
    const char *description = json_member_string(metadata, "description");
    SynthSample sample = {.category = (CategoryId)category,
                          .kernel_name = json_member_string(old, "kernel_name"),
                          .description = description,
                          .instruction = description,
                          .source = json_member_string(old, "python_source"),
                          .plan = EMPTY_PLAN,
                          .plan_len = strlen(EMPTY_PLAN)};
    sample.source_len = strlen(sample.source);
    *candidate = (Candidate){.index = index, .start = out->len, .reason = REASON_UNREADABLE};
    bool done = true;
    if (old && category != CATEGORY_COUNT && sample.source_len && *sample.kernel_name) {
        candidate->category = (CategoryId)category;
        candidate->reason = REASON_REFUSED;
        if (convert_launch(migrator, &sample, json_object_get(metadata, "launch"))) {
            sample.launch = text_cstr(&migrator->launch);
            sample.launch_len = migrator->launch.len;
            sample.arguments = strstr(sample.launch, LAUNCH_ARGUMENTS) + strlen(LAUNCH_ARGUMENTS);
            done = candidate_of_sample(migrator->maker, &sample, index, NULL, candidate, out);
            if (done && !candidate->reason && differing_text(old, out->data + candidate->start, candidate->len)) {
                candidate->reason = REASON_TEXT;
                out->len = candidate->start;
                candidate->len = candidate->gram_count = 0;
            }
        }
    }
    json_decref(old);
    return done && !out->failed;
}

/* ---- all of them ---- */

typedef struct Batch {
    Text lines;
    size_t starts[BATCH_RECORDS + 1];
    uint32_t count;
    uint64_t first; /* place of the first in the old set */
    bool failed;
    Candidate items[BATCH_RECORDS];
    Text text;
} Batch;

typedef struct Migration {
    const CorpusRun *run;
    const CorpusOptions *options;
    OldSet *old;
    Writer writer;
    uint64_t first;       /* record that the run begins with */
    pthread_mutex_t lock; /* what follows: threads read in turn */
    pthread_cond_t turn;
    uint64_t next_batch;
    bool ended;
    CorpusError read_error;
    CorpusError *error;
    CorpusOutcome outcome;
    double started, told;
} Migration;

static bool is_stopped(const Migration *migration)
{
    return migration->run->stop && *migration->run->stop;
}

static void *open_migrator(void *user)
{
    const Migration *migration = user;
    Migrator *migrator = calloc(1, sizeof *migrator);
    if (!migrator)
        return NULL;
    migrator->options = migration->options;
    migrator->maker = maker_new(migration->options);
    migrator->weft = weft_new(migration->options->warp);
    return migrator;
}

static void close_migrator(void *own)
{
    Migrator *migrator = own;
    if (!migrator)
        return;
    maker_free(migrator->maker);
    weft_free(migrator->weft);
    text_free(&migrator->source);
    text_free(&migrator->launch);
    free(migrator);
}

/* The lines of batch `number`, when those before it have been read. */
static void read_batch(Migration *migration, uint64_t number, Batch *batch)
{
    batch->count = 0;
    batch->lines.len = 0;
    batch->first = migration->first + number * BATCH_RECORDS;
    pthread_mutex_lock(&migration->lock);
    while (migration->next_batch != number)
        pthread_cond_wait(&migration->turn, &migration->lock);
    while (!migration->ended && batch->count < BATCH_RECORDS) {
        size_t len;
        const char *line = old_set_next(migration->old, &len, &migration->read_error);
        migration->ended = !line;
        if (!line)
            break;
        batch->starts[batch->count++] = batch->lines.len;
        text_add(&batch->lines, line, len);
        text_char(&batch->lines, '\0');
    }
    batch->starts[batch->count] = batch->lines.len;
    batch->failed = migration->read_error.message[0];
    migration->next_batch++;
    pthread_cond_broadcast(&migration->turn);
    pthread_mutex_unlock(&migration->lock);
}

static void fill_batch(void *user, void *own, uint64_t number, void *slot)
{
    Migration *migration = user;
    Migrator *migrator = own;
    Batch *batch = slot;
    batch->text.len = 0;
    read_batch(migration, number, batch);
    batch->failed |= !migrator || !migrator->maker || !migrator->weft || batch->lines.failed;
    for (uint32_t i = 0; !batch->failed && i < batch->count && !is_stopped(migration); i++)
        batch->failed = !migrate_record(migrator, batch->first + i, batch->lines.data + batch->starts[i],
                                        batch->starts[i + 1] - batch->starts[i] - 1, &batch->items[i], &batch->text);
}

static void tell_progress(Migration *migration, bool always)
{
    double now = clock_seconds();
    if (!migration->run->progress || (!always && now - migration->told < 0.2))
        return;
    const Manifest *manifest = &migration->writer.manifest;
    CorpusProgress progress = {.made = manifest->rows,
                               .wanted = migration->options->count,
                               .rejected = counters_rejected(&manifest->counters),
                               .seconds = now - migration->started};
    migration->told = now;
    migration->run->progress(&progress, migration->run->user);
}

static bool take_batch(void *user, void *slot)
{
    Migration *migration = user;
    const Batch *batch = slot;
    migration->outcome = CORPUS_STOPPED;
    if (is_stopped(migration)) /* then the batch may not be whole */
        return false;
    migration->outcome = CORPUS_FAILED;
    if (batch->failed)
        return corpus_fail(migration->error, "%s",
                           migration->read_error.message[0] ? migration->read_error.message : "out of memory");
    for (uint32_t i = 0; i < batch->count; i++) {
        const Candidate *candidate = &batch->items[i];
        const char *text = batch->text.data ? batch->text.data + candidate->start : "";
        uint64_t rows = migration->writer.manifest.rows;
        if (!writer_take(&migration->writer, candidate, text, text + candidate->len, migration->error))
            return false;
        if (migration->writer.manifest.rows == rows && migration->run->refused)
            migration->run->refused(candidate->index, reason_name(migration->writer.last_reason), migration->run->user);
    }
    tell_progress(migration, false);
    migration->outcome = CORPUS_DONE;
    return batch->count == BATCH_RECORDS;
}

static void run_migration(Migration *migration)
{
    unsigned jobs = pool_jobs(migration->run->jobs);
    PoolLine line = {.user = migration,
                     .open = open_migrator,
                     .close = close_migrator,
                     .make = fill_batch,
                     .take = take_batch,
                     .slot_size = sizeof(Batch),
                     .slot_count = 2 * (size_t)jobs + 2};
    Batch *batches = line.slots = calloc(line.slot_count, line.slot_size);
    if (!batches)
        corpus_fail(migration->error, "out of memory");
    else if (!pool_run_in_order(jobs, &line))
        corpus_fail(migration->error, "cannot start a thread");
    for (size_t i = 0; batches && i < line.slot_count; i++) {
        text_free(&batches[i].text);
        text_free(&batches[i].lines);
    }
    free(batches);
}

/* A run that goes on does not look again at what is done. */
static bool skip_done(Migration *migration)
{
    size_t len;
    for (; migration->first < migration->writer.manifest.next; migration->first++)
        if (!old_set_next(migration->old, &len, migration->error))
            return migration->error->message[0] ? false : corpus_fail(migration->error, "it has fewer records now");
    return true;
}

CorpusOutcome corpus_migrate(const char *old_dir, const char *dir, const CorpusRun *run, CorpusError *error)
{
    CorpusOptions options;
    OldSet *old = old_set_open(old_dir, &options, error);
    if (!old)
        return CORPUS_FAILED;
    Migration migration = {.run = run, .options = &options, .old = old, .error = error, .started = clock_seconds()};
    CorpusOutcome outcome = writer_open(&migration.writer, dir, &options, run->resume, error);
    if (outcome == CORPUS_DONE) {
        pthread_mutex_init(&migration.lock, NULL);
        pthread_cond_init(&migration.turn, NULL);
        migration.outcome = CORPUS_FAILED;
        if (skip_done(&migration))
            run_migration(&migration);
        outcome = migration.outcome;
        const Manifest *manifest = &migration.writer.manifest;
        if (outcome == CORPUS_DONE && (manifest->next != options.count || !manifest->rows)) {
            corpus_fail(error,
                        manifest->rows ? "%s has fewer records than its manifest says"
                                       : "no record of %s can be rewritten",
                        old_dir);
            outcome = CORPUS_FAILED;
        }
        if ((outcome == CORPUS_DONE && !writer_finish(&migration.writer, error)) ||
            (outcome == CORPUS_STOPPED && !writer_pause(&migration.writer, error)))
            outcome = CORPUS_FAILED;
        if (outcome == CORPUS_DONE)
            tell_progress(&migration, true);
        pthread_mutex_destroy(&migration.lock);
        pthread_cond_destroy(&migration.turn);
    }
    writer_free(&migration.writer);
    old_set_free(old);
    return outcome;
}
