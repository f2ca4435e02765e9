/* An export as a whole: reads the shards of a finished set one after the other, and gives every record to all configurations. */
#include "corpus/export.h"
#include "base/safe_file.h"
#include "corpus/writer.h"

#include <errno.h>
#include <unistd.h>

typedef struct Exporter {
    Export export;
    Exercise exercise;
    Text line;
    bool named; /* the tasks: each must have a record */
    ExportReport *report;
} Exporter;

static bool add_row(Exporter *exporter, ExportConfig *config, TaskKind task, Split split, const json_t *record,
                    CorpusError *error)
{
    exporter->line.len = 0;
    config->write(&exporter->exercise, task, split, record, &exporter->line);
    const char *line = text_cstr(&exporter->line);
    if (exporter->line.failed)
        return corpus_fail(error, "out of memory");
    exporter->report->rows++;
    return export_files_add(&config->files[split], line, error);
}

static bool add_exercises(Exporter *exporter, const json_t *record, Split split, CorpusError *error)
{
    Export *export = &exporter->export;
    for (int task = 0; task < KIND_COUNT; task++) {
        if (!export->options->tasks[task] || !exercise_make(&exporter->exercise, (TaskKind)task, record))
            continue;
        if (export->options->max_tokens && exercise_tokens(&exporter->exercise) > export->options->max_tokens) {
            exporter->report->too_long++;
            continue;
        }
        export->task_rows[task]++;
        for (uint32_t i = 0; i < export->config_count; i++)
            if (export->configs[i].takes[task] &&
                !add_row(exporter, &export->configs[i], (TaskKind)task, split, record, error))
                return false;
    }
    return true;
}

/* The tokens of a record: those of its longest text. */
static uint64_t record_tokens(const char *line, size_t len)
{
    TextSize sizes[MEASURED_COLUMNS];
    uint64_t most = 0;
    measure_texts(line, len, sizes);
    for (int i = 0; i < MEASURED_COLUMNS; i++)
        most = sizes[i].tokens > most ? sizes[i].tokens : most;
    return most;
}

/* A record, without its details unless they are asked for. */
static bool add_whole(Exporter *exporter, ExportConfig *config, const char *line, size_t len, Split split,
                      CorpusError *error)
{
    const ExportOptions *options = exporter->export.options;
    size_t start = options->full ? 0 : details_start(line, len);
    if (options->max_tokens && record_tokens(line, len) > options->max_tokens) {
        exporter->report->too_long++;
        return true;
    }
    exporter->report->rows++;
    if (!start)
        return export_files_add(&config->files[split], line, error);
    exporter->line.len = 0;
    text_add(&exporter->line, line, start);
    text_char(&exporter->line, '}');
    const char *slim = text_cstr(&exporter->line);
    return exporter->line.failed ? corpus_fail(error, "out of memory")
                                 : export_files_add(&config->files[split], slim, error);
}

static bool add_record(Exporter *exporter, const char *line, size_t len, Split split, CorpusError *error)
{
    static const char *const members[] = {TASK_MEMBERS, NULL};
    Export *export = &exporter->export;
    exporter->report->records++;
    for (uint32_t i = 0; i < export->config_count; i++)
        if (export->configs[i].is_records) {
            if (!add_whole(exporter, &export->configs[i], line, len, split, error))
                return false;
        }
    if (export->config_count == 1 && export->configs[0].is_records)
        return true;
    json_t *record = json_read_members(line, len, members);
    if (!record)
        return corpus_fail(error, "record %llu is not a weft record", (unsigned long long)exporter->report->records);
    bool fine = add_exercises(exporter, record, split, error);
    json_decref(record);
    return fine;
}

static bool export_shard(Exporter *exporter, int set_fd, const char *set, const ShardEntry *entry, CorpusError *error)
{
    const Export *export = &exporter->export;
    const ExportOptions *options = export->options;
    const CorpusOptions *made = &export->manifest.options;
    bool slim = !options->full && export->config_count == 1 && export->configs[0].is_records;
    ShardReader *reader = slim ? shard_open_slim(set_fd, set, entry, made, error)
                               : shard_open(set_fd, set, entry, made, SHARD_WHOLE, error);
    bool fine = reader, stopped = false;
    size_t len;
    for (char *line; fine && !stopped && (line = shard_line(reader, &len, error));) {
        fine = add_record(exporter, line, len, entry->split, error);
        if (options->progress)
            options->progress(exporter->report->records, export->manifest.rows, options->user);
        stopped = options->stop && *options->stop;
    }
    if (fine && !stopped && !error->message[0]) {
        ShardEntry found;
        shard_sum(reader, &found);
        if (!shard_same_bytes(&found, entry))
            corpus_fail(error, "%s/%s is not as its manifest says: it was changed", set, entry->file);
    }
    shard_reader_free(reader);
    return fine && !error->message[0];
}

/* ---- beginning and end ---- */

static bool open_set(Export *export, const char *set, int *set_fd, CorpusError *error)
{
    bool found;
    *set_fd = folder_open(set, error);
    if (*set_fd < 0 || !manifest_read(&export->manifest, *set_fd, set, &found, error))
        return false;
    if (!found)
        return corpus_fail(error, "%s has no " MANIFEST_NAME ": it is not a weft data set", set);
    if (export->manifest.options.piece_count)
        return corpus_fail(error, "%s is a piece: join all of them with weft merge first", set);
    if (!export->manifest.complete)
        return fail_unfinished(&export->manifest, set, error);
    const char *warp = export->options->warp, *own = export->manifest.warp_version;
    return !warp || strcmp(warp, own) == 0 || corpus_fail(error, "%s is of Warp %s, not %s", set, own, warp);
}

static bool open_output(Export *export, bool *by_file, CorpusError *error)
{
    export->dir_fd = folder_open_locked(export->dir, by_file, error);
    return export->dir_fd >= 0 && folder_begin(export->dir_fd, export->dir, "export", error);
}

static bool open_config(const Export *export, ExportConfig *config, CorpusError *error)
{
    int fd = *config->folder ? folder_open_below(export->dir_fd, config->folder) : dup(export->dir_fd);
    if (fd < 0)
        return corpus_fail(error, "cannot make the folder %s/%s: %s", export->dir, config->folder, strerror(errno));
    for (int split = 0; split < SPLIT_COUNT; split++) {
        config->files[split] = (ExportFiles){.dir = export->dir,
                                             .folder = config->folder,
                                             .dir_fd = fd,
                                             .split = (Split)split,
                                             .columns = config->parquet ? config->columns : NULL};
        if (!export_files_init(&config->files[split]))
            return corpus_fail(error, "out of memory");
    }
    return true;
}

static void close_config(ExportConfig *config)
{
    if (config->files[0].dir_fd >= 0)
        close(config->files[0].dir_fd);
    for (int split = 0; split < SPLIT_COUNT; split++)
        export_files_free(&config->files[split]);
}

/* Configurations without rows are not named; a task that was asked for must have some. */
static bool check_rows(Exporter *exporter, const char *set, CorpusError *error)
{
    Export *export = &exporter->export;
    for (int task = 0; task < KIND_COUNT; task++)
        if (exporter->named && export->options->tasks[task] && !export->task_rows[task])
            return corpus_fail(error, "%s has no record for the task %s: it lacks the texts or the verdicts for it",
                               set, task_kinds[task].name);
    return exporter->report->rows || corpus_fail(error, "%s has no record for any task: it has no CUDA text", set);
}

/* Only when all are whole do they get their names: who looks for files of a name finds none of an export that was ended. */
static bool give_names(const Export *export, CorpusError *error)
{
    for (uint32_t i = 0; i < export->config_count; i++)
        for (int split = 0; split < SPLIT_COUNT; split++)
            if (!export_files_name(&export->configs[i].files[split], error))
                return false;
    return true;
}

static bool finish(Exporter *exporter, const char *set, CorpusError *error)
{
    Export *export = &exporter->export;
    if (!check_rows(exporter, set, error))
        return false;
    for (uint32_t i = 0; i < export->config_count; i++)
        for (int split = 0; split < SPLIT_COUNT; split++)
            if (!export_files_close(&export->configs[i].files[split], error))
                return false;
    exporter->line.len = 0;
    export_card(export, &exporter->line);
    if (exporter->line.failed)
        return corpus_fail(error, "out of memory");
    return give_names(export, error) &&
           write_file_safely(export->dir_fd, export->dir, CARD_NAME, exporter->line.data, exporter->line.len, error) &&
           (!export->manifest.options.readable || write_header(export->dir_fd, export->dir, error)) &&
           folder_end(export->dir_fd, export->dir, error);
}

/* Which tasks: those that were named, or all that the set can have records for. */
static bool choose_tasks(Exporter *exporter, ExportOptions *options, const char *set, CorpusError *error)
{
    bool marked = exporter->export.manifest.options.gradients == GRADIENTS_MARKED;
    for (int task = 0; task < KIND_COUNT; task++)
        exporter->named |= options->tasks[task];
    if (options->tasks[KIND_WARP_VERDICT] && !marked)
        return corpus_fail(error, "%s has no backward text that is wrong: make it with weft produce --gradients marked",
                           set);
    bool all = !exporter->named && options->target != EXPORT_HF && options->target != EXPORT_PARQUET;
    for (int task = 0; all && task < KIND_COUNT; task++)
        options->tasks[task] = task_kinds[task].uses & FOR_EXPORT && (task != KIND_WARP_VERDICT || marked);
    return true;
}

static CorpusOutcome export_all(Exporter *exporter, int set_fd, const char *set, CorpusError *error)
{
    Export *export = &exporter->export;
    const atomic_int *stop = export->options->stop;
    export_choose_configs(export);
    for (uint32_t i = 0; i < export->config_count; i++)
        if (!open_config(export, &export->configs[i], error))
            return CORPUS_FAILED;
    for (uint32_t i = 0; i < export->manifest.shard_count; i++) {
        if (!export_shard(exporter, set_fd, set, &export->manifest.shards[i], error))
            return CORPUS_FAILED;
        if (stop && *stop)
            return CORPUS_STOPPED;
    }
    return finish(exporter, set, error) ? CORPUS_DONE : CORPUS_FAILED;
}

CorpusOutcome corpus_export(const char *set, const char *dir, const ExportOptions *options, ExportReport *report,
                            CorpusError *error)
{
    ExportOptions chosen = *options;
    Exporter exporter = {.export = {.dir = dir, .dir_fd = -1, .options = &chosen}, .report = report};
    int set_fd = -1;
    bool by_file = false;
    CorpusOutcome outcome = CORPUS_FAILED;
    *report = (ExportReport){0};
    if (open_set(&exporter.export, set, &set_fd, error) && choose_tasks(&exporter, &chosen, set, error) &&
        open_output(&exporter.export, &by_file, error))
        outcome = export_all(&exporter, set_fd, set, error);
    for (uint32_t i = 0; i < exporter.export.config_count; i++)
        close_config(&exporter.export.configs[i]);
    exercise_free(&exporter.exercise);
    text_free(&exporter.line);
    manifest_free(&exporter.export.manifest);
    if (exporter.export.dir_fd >= 0)
        folder_unlock(exporter.export.dir_fd, by_file);
    if (set_fd >= 0)
        close(set_fd);
    return outcome;
}
