#include "judge/score.h"

#include "corpus/each_record.h"
#include "corpus/shard.h"
#include "judge/mend_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- files of lines ---- */

/* mended: the line holds what is not text, and the object has U+FFFD there */
typedef bool LineReader(Score *score, const json_t *object, bool mended, const char **why);

enum { MOST_LINE = 64 << 20 };

static json_t *read_mended(const char *line, size_t len)
{
    Text text;
    text_init(&text);
    mend_line(line, len, &text);
    json_t *object = text.failed ? NULL : json_read(text.data, text.len);
    text_free(&text);
    return object;
}

static bool each_line(Score *score, const char *path, LineReader *reader)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0, number = 0;
    bool fine = true;
    if (!file)
        return corpus_fail(&score->error, "%s cannot be read: %s", path, strerror(errno));
    for (ssize_t len; fine && (len = getline(&line, &size, file)) >= 0;) {
        const char *why = "it is not an object in JSON";
        number++;
        while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
            len--;
        if (!len)
            continue;
        json_t *object = len < MOST_LINE ? json_read(line, (size_t)len) : NULL;
        bool mended = !object && len < MOST_LINE;
        if (mended)
            object = read_mended(line, (size_t)len);
        fine = json_is_object(object) && reader(score, object, mended, &why);
        if (!fine)
            corpus_fail(&score->error, "%s:%zu: %s", path, number, why);
        json_decref(object);
    }
    if (fine && ferror(file))
        fine = corpus_fail(&score->error, "%s cannot be read: %s", path, strerror(errno));
    free(line);
    fclose(file);
    return fine;
}

static const char *copy(Score *score, const json_t *object, const char *name)
{
    const char *text = json_member_string(object, name);
    return arena_strndup(&score->arena, text, strlen(text));
}

/* ---- tasks ---- */

static bool read_task(Score *score, const json_t *object, bool mended, const char **why)
{
    int kind = task_kind_named(json_member_string(object, "kind"), FOR_SCORE);
    *why = "it is not text: it holds NUL, half of a surrogate pair, or bytes that are not UTF-8";
    if (mended)
        return false;
    *why = "it is not a task: `id`, `kind` or `record` is missing, or the kind is not known";
    if (kind == KIND_COUNT || !*json_member_string(object, "id") || !*json_member_string(object, "record"))
        return false;
    ScoreTask *task = &ARENA_PUSH(&score->arena, score->tasks, score->task_count, score->task_cap);
    *task = (ScoreTask){.kind = (TaskKind)kind};
    task->id = copy(score, object, "id");
    task->record = copy(score, object, "record");
    task->kernel_name = copy(score, object, "kernel_name");
    task->given = copy(score, object, "given");
    task->category = copy(score, object, "category");
    task->difficulty = copy(score, object, "difficulty");
    return true;
}

static int by_task_id(const void *a, const void *b)
{
    return strcmp(((const ScoreTask *)a)->id, ((const ScoreTask *)b)->id);
}

bool score_read_tasks(Score *score)
{
    const char *path = score->options->tasks;
    if (!each_line(score, path, read_task))
        return false;
    if (!score->task_count)
        return corpus_fail(&score->error, "%s has no task", path);
    qsort(score->tasks, score->task_count, sizeof *score->tasks, by_task_id);
    for (uint32_t i = 1; i < score->task_count; i++)
        if (strcmp(score->tasks[i - 1].id, score->tasks[i].id) == 0)
            return corpus_fail(&score->error, "%s has the task %s twice", path, score->tasks[i].id);
    return true;
}

/* ---- answers ---- */

static uint64_t hash_answer(const Score *score, const ScoreTask *task, const json_t *answer)
{
    uint64_t hash = XXH3_64bits_withSeed(task->id, strlen(task->id), score->options->gpu);
    hash = XXH3_64bits_withSeed(task->record, strlen(task->record), hash);
    hash = XXH3_64bits_withSeed(task->given, strlen(task->given), hash);
    return XXH3_64bits_withSeed(json_string_value(answer), json_string_length(answer), hash);
}

ScoreTask *score_task_named(const Score *score, const char *id)
{
    ScoreTask wanted = {.id = id};
    return bsearch(&wanted, score->tasks, score->task_count, sizeof wanted, by_task_id);
}

static bool read_answer(Score *score, const json_t *object, bool mended, const char **why)
{
    const json_t *text = json_object_get(object, "answer");
    const char *id = json_member_string(object, "id");
    ScoreTask *task = score_task_named(score, id);
    *why = "it is not an answer: `id` and `answer` are needed, both strings";
    if (!json_is_string(text) || !*id)
        return false;
    *why = "there is no task with this id";
    if (!task)
        return false;
    ScoreAnswer *answer = &ARENA_PUSH(&score->arena, score->answers, score->answer_count, score->answer_cap);
    *answer = (ScoreAnswer){.task = (uint32_t)(task - score->tasks), .attempt = task->answers++, .is_no_text = mended};
    answer->len = json_string_length(text);
    answer->text = arena_strndup(&score->arena, json_string_value(text), answer->len);
    answer->hash = hash_answer(score, task, text);
    return true;
}

bool score_read_answers(Score *score)
{
    if (!each_line(score, score->options->answers, read_answer))
        return false;
    return score->answer_count || corpus_fail(&score->error, "%s has no answer", score->options->answers);
}

/* ---- records ---- */

static int by_record_id(const void *a, const void *b)
{
    return strcmp(((const ScoreRecord *)a)->id, ((const ScoreRecord *)b)->id);
}

typedef struct RecordSearch {
    Score *score;
    uint32_t found;
} RecordSearch;

static bool keep_record(const char *line, size_t len, Split split, void *user, CorpusError *error)
{
    static const char *const members[] = {"id", NULL};
    (void)split;
    RecordSearch *search = user;
    Score *score = search->score;
    json_t *record = json_read_members(line, len, members);
    ScoreRecord wanted = {.id = json_member_string(record, "id")};
    ScoreRecord *found = bsearch(&wanted, score->records, score->record_count, sizeof wanted, by_record_id);
    if (found && !found->line) {
        found->line = arena_strndup(&score->arena, line, len);
        found->len = len;
        search->found++;
    }
    json_decref(record);
    (void)error;
    return search->found < score->record_count ||
           score->options->all_tasks; /* a service reads the set whole: is it sound? */
}

/* The set's progress is that of records. */
static void pass_progress(uint64_t records, uint64_t of, void *user)
{
    const ScoreOptions *options = ((RecordSearch *)user)->score->options;
    if (options->progress)
        options->progress("records", records, of, options->user);
}

/* Whether the text of each question about a gradient is right. */
static bool find_truth(Score *score)
{
    for (uint32_t i = 0; i < score->task_count; i++) {
        ScoreTask *task = &score->tasks[i];
        if (task->kind != KIND_VERDICT)
            continue;
        json_t *record = score_record(score, task);
        if (!record)
            return corpus_fail(&score->error, "the record %s is not JSON", task->record);
        task->is_right = strcmp(json_member_string(record, "cuda_readable"), task->given) == 0;
        json_decref(record);
    }
    return true;
}

bool score_read_records(Score *score)
{
    RecordSearch search = {.score = score};
    score->records = ARENA_ARRAY(&score->arena, ScoreRecord, score->task_count + 1);
    for (uint32_t i = 0; i < score->task_count; i++) /* those with answers, and those that balanced accuracy needs */
        if (score->tasks[i].answers || score->options->all_tasks || score->tasks[i].kind == KIND_VERDICT)
            score->records[score->record_count++].id = score->tasks[i].record;
    qsort(score->records, score->record_count, sizeof *score->records, by_record_id);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < score->record_count; i++)
        if (!kept || strcmp(score->records[kept - 1].id, score->records[i].id) != 0)
            score->records[kept++] = score->records[i];
    score->record_count = kept;
    RecordVisitor visitor = {
        .stop = score->options->stop, .visit = keep_record, .progress = pass_progress, .user = &search};
    corpus_each_record(score->options->set, &visitor, &score->error);
    if (score->error.message[0] || (score->options->stop && *score->options->stop))
        return false;
    for (uint32_t i = 0; i < score->record_count; i++)
        if (!score->records[i].line)
            return corpus_fail(&score->error, "%s has no record %s: these are tasks of another data set",
                               score->options->set, score->records[i].id);
    return find_truth(score);
}

const ScoreRecord *score_record_line(const Score *score, const ScoreTask *task)
{
    ScoreRecord wanted = {.id = task->record};
    return bsearch(&wanted, score->records, score->record_count, sizeof wanted, by_record_id);
}

json_t *score_record(const Score *score, const ScoreTask *task)
{
    const ScoreRecord *record = score_record_line(score, task);
    return record ? json_read(record->line, record->len) : NULL;
}
