#include "judge/station.h"

#include "base/clock.h"
#include "base/pool.h"
#include "base/safe_file.h"
#include "corpus/shard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Slot {
    Verdict verdict;
    Text line;
} Slot;

typedef struct Scoring {
    Score *score;
    Station station;
    Trace trace;
    int fd;
    Text part;      /* the name of the results until all are there; empty: they have theirs already */
    bool is_locked; /* the results are this run's alone */
    uint32_t first; /* answers before this one are done */
    uint32_t taken;
    bool failed;
} Scoring;

/* ---- what is there already ---- */

/* Reads whole lines, and cuts off what is behind them. */
static bool resume(Scoring *scoring, FILE *file)
{
    Score *score = scoring->score;
    char *line = NULL;
    size_t size = 0;
    long long whole = 0;
    bool fine = true;
    for (ssize_t len; fine && (len = getline(&line, &size, file)) > 0 && line[len - 1] == '\n';) {
        Verdict verdict;
        const ScoreAnswer *answer = &score->answers[scoring->first];
        fine = scoring->first < score->answer_count && score_read_line(score, answer, line, (size_t)len - 1, &verdict);
        if (!fine) {
            corpus_fail(&score->error, "%s:%u: this is not the line of the answer %u: other tasks, answers or key",
                        score->options->output, scoring->first + 1, scoring->first + 1);
            break;
        }
        score_count(score, answer, &verdict);
        score->counts.resumed++;
        scoring->first++;
        whole += len;
    }
    free(line);
    if (fine && (ftruncate(scoring->fd, whole) != 0 || lseek(scoring->fd, whole, SEEK_SET) != whole))
        fine = corpus_fail(&score->error, "%s: %s", score->options->output, strerror(errno));
    return fine;
}

static bool open_key(Scoring *scoring)
{
    const ScoreOptions *options = scoring->score->options;
    Text part;
    text_init(&part);
    text_format(&part, "%s.part", options->output);
    bool goes_on = options->resume && (access(options->output, F_OK) == 0 || access(text_cstr(&part), F_OK) == 0);
    bool fine = !part.failed && station_open_key(scoring->score, !goes_on);
    text_free(&part);
    return fine;
}

static bool open_results(Scoring *scoring)
{
    Score *score = scoring->score;
    const char *path = score->options->output;
    bool exists = access(path, F_OK) == 0;
    if (exists && !score->options->resume)
        return corpus_fail(&score->error, "%s exists: look at it again with --resume, or use another file", path);
    if (!exists)
        text_format(&scoring->part, "%s.part", path);
    path = exists ? path : text_cstr(&scoring->part);
    int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (score->options->resume ? 0 : O_EXCL);
    scoring->fd = scoring->part.failed ? -1 : open(path, flags, 0644);
    if (scoring->fd < 0 && errno == EEXIST)
        return corpus_fail(&score->error, "%s is of a run that did not end: continue it with --resume, or remove it",
                           path);
    if (scoring->fd < 0)
        return corpus_fail(&score->error, "%s cannot be written: %s", path, strerror(errno));
    if (flock(scoring->fd, LOCK_EX | LOCK_NB) != 0)
        return corpus_fail(&score->error, "another weft writes to %s", path);
    scoring->is_locked = true;
    int copy = dup(scoring->fd);
    FILE *file = copy >= 0 ? fdopen(copy, "r") : NULL;
    if (!file)
        return corpus_fail(&score->error, "%s cannot be read: %s", path, strerror(errno));
    bool fine = resume(scoring, file);
    fclose(file);
    return fine;
}

/* ---- judging ---- */

static void *open_referee(void *user)
{
    return station_referee(&((Scoring *)user)->station);
}

static void close_referee(void *own)
{
    station_dismiss(own);
}

static void judge_one(void *user, void *own, uint64_t number, void *slot_pointer)
{
    Scoring *scoring = user;
    Score *score = scoring->score;
    Slot *slot = slot_pointer;
    uint64_t index = scoring->first + number;
    slot->line.len = 0;
    slot->verdict = (Verdict){.stopped = true};
    if (index >= score->answer_count || (score->options->stop && *score->options->stop))
        return;
    double began = clock_seconds();
    const ScoreAnswer *answer = &score->answers[index];
    const AnswerGiven given = {
        .task = &score->tasks[answer->task], .text = {answer->text, answer->len}, .is_no_text = answer->is_no_text};
    station_judge(own, score, &given, &slot->verdict);
    score_write_line(score, answer, &slot->verdict, &slot->line);
    trace_step(&scoring->trace, "answer", index, began, 0);
}

static bool take_one(void *user, void *slot_pointer)
{
    Scoring *scoring = user;
    Score *score = scoring->score;
    Slot *slot = slot_pointer;
    uint32_t index = scoring->first + scoring->taken;
    if (index >= score->answer_count || slot->verdict.stopped)
        return false;
    if (slot->line.failed || !write_fully(scoring->fd, slot->line.data, slot->line.len)) {
        scoring->failed = true;
        return corpus_fail(&score->error, "%s cannot be written: %s", score->options->output,
                           slot->line.failed ? "out of memory" : strerror(errno));
    }
    score_count(score, &score->answers[index], &slot->verdict);
    scoring->taken++;
    if (score->options->progress)
        score->options->progress("answers", index + 1, score->answer_count, score->options->user);
    return index + 1 < score->answer_count;
}

/* No more threads and processes than there are answers. */
static unsigned jobs_of(const Scoring *scoring)
{
    unsigned jobs = pool_jobs(scoring->score->options->jobs);
    uint32_t left = scoring->score->answer_count - scoring->first;
    return left < jobs ? left : jobs;
}

static bool judge_all(Scoring *scoring)
{
    enum { SLOTS_PER_JOB = 64 }; /* one that takes long to compile does not hold up the others */
    Score *score = scoring->score;
    unsigned jobs = jobs_of(scoring);
    size_t count = (size_t)jobs * SLOTS_PER_JOB;
    Slot *slots = calloc(count, sizeof *slots);
    PoolLine line = {.user = scoring,
                     .open = open_referee,
                     .close = close_referee,
                     .make = judge_one,
                     .take = take_one,
                     .slots = slots,
                     .slot_size = sizeof *slots,
                     .slot_count = count};
    bool done = slots && pool_run_in_order(jobs, &line);
    for (size_t i = 0; slots && i < count; i++)
        text_free(&slots[i].line);
    free(slots);
    if (!done && !score->error.message[0])
        corpus_fail(&score->error, "out of memory, or no thread can be started");
    return done && !scoring->failed;
}

static bool open_trace(Scoring *scoring)
{
    const char *path = scoring->score->options->trace;
    return trace_open(&scoring->trace, path) ||
           corpus_fail(&scoring->score->error, "%s cannot be written: %s", path, strerror(errno));
}

ScoreOutcome judge_score(Score *score, const ScoreOptions *options)
{
    Scoring scoring = {.score = score, .fd = -1};
    text_init(&scoring.part);
    *score = (Score){.options = options};
    arena_init(&score->arena);
    bool fine = score_read_tasks(score) && score_read_answers(score) && score_read_records(score) &&
                open_key(&scoring) && open_results(&scoring);
    if (fine && scoring.first < score->answer_count)
        fine = open_trace(&scoring) && station_open(&scoring.station, score, jobs_of(&scoring), &scoring.trace) &&
               judge_all(&scoring);
    station_close(&scoring.station);
    if (!trace_close(&scoring.trace) && fine)
        fine = corpus_fail(&score->error, "%s cannot be written", options->trace);
    if (scoring.fd >= 0 && close(scoring.fd) != 0 && fine)
        fine = corpus_fail(&score->error, "%s: %s", options->output, strerror(errno));
    bool done = fine && !score->error.message[0] && score->counts.answers == score->answer_count;
    if (done && scoring.part.len && rename(text_cstr(&scoring.part), options->output) != 0)
        corpus_fail(&score->error, "%s cannot be written: %s", options->output, strerror(errno));
    if (!done && scoring.part.len && scoring.is_locked && !scoring.first && !scoring.taken)
        unlink(text_cstr(&scoring.part)); /* it holds no result */
    text_free(&scoring.part);
    return score->error.message[0] ? SCORE_FAILED : done ? SCORE_DONE : SCORE_STOPPED;
}

void score_free(Score *score)
{
    arena_free(&score->arena);
}
