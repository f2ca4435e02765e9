/* The judge: what a model wrote, compiled, run and compared, safely.
 *
 * Tasks are made of the records of a data set and hold no answers. An answer is code: it is compiled and run in a
 * sandbox (sandbox.h) on launches of the record and on hidden ones. Its results are compared outside, with those of
 * weft's evaluators (referee.h). Nothing here prints or exits. docs/reference/judge.md is the protocol. */
#ifndef WEFT_JUDGE_JUDGE_H
#define WEFT_JUDGE_JUDGE_H

#include "base/json.h"
#include "corpus/corpus.h"
#include "corpus/kinds.h"
#include "corpus/task_text.h"
#include "judge/sandbox.h"

/* ---- making tasks (tasks.c) ---- */

typedef struct TasksOptions {
    bool kinds[KIND_COUNT];
    bool named;       /* the kinds were: each must have a record */
    bool all_kinds;   /* every kind that a record serves, not one; prompts then hold answers to other tasks */
    uint64_t limit;   /* tasks of each kind; 0: all */
    uint64_t seed;    /* of mistakes that are made for tasks about them */
    const char *warp; /* the version that the set must be of; NULL: any */
    const atomic_int *stop;
    void (*progress)(uint64_t records, uint64_t of, void *user);
    void *user;
} TasksOptions;

typedef struct TasksReport {
    uint64_t records, tasks[KIND_COUNT];
    uint64_t left_out[UNDETERMINED_COUNT]; /* tasks whose answer does not follow from their prompt, by the reason */
} TasksReport;

typedef bool LineSink(const char *line, size_t len, void *user); /* false: it cannot be written */

/* One line of JSON per task. False: *error says why; with an empty message, it was stopped. */
bool judge_make_tasks(const char *set, const TasksOptions *options, LineSink *sink, void *sink_user,
                      TasksReport *report, CorpusError *error);

/* ---- one answer (answer.c) ---- */

/* The code of an answer: the last fenced block that holds the name, else the last block; without fences, all of it. */
Span answer_code(const char *answer, size_t len, const char *name);

/* The last line of an answer about a gradient: `right`, or `wrong, line N`, where words may follow and a label such as "Answer:"
 * may stand before. *line is 0 where none is named. False: it is neither. */
bool answer_verdict(const char *answer, size_t len, bool *right, uint32_t *line);

typedef enum Mark { MARK_NONE, MARK_NO, MARK_YES } Mark; /* none: it was not asked for, or did not come so far */

/* Launches of one pass that the answer got right, and those that it was asked for. */
typedef struct Share {
    uint32_t passed, of;
} Share;

typedef struct Verdict {
    bool stopped; /* the user wants to end: nothing is known */
    bool broken;  /* the judge itself failed, see reason: nothing is known */
    bool compiled, ran, pass;
    Mark forward, backward;
    Share forward_launches, backward_launches;
    double speed_up;      /* how many times as fast as the record's own text; 0: not measured */
    char reason[400];     /* why it does not pass; "": it does */
    char difference[300]; /* where it first differs; "": nowhere, or it did not come so far */
} Verdict;

/* How far it came: "read", "compiled", "ran", "forward" (its values are right, its gradient is not), "passed"; NULL: nothing is known. */
const char *verdict_stage(const Verdict *verdict);
/* Writes the text for a model's next try. It leaves out numbers that are expected on hidden launches. */
void verdict_feedback(const Verdict *verdict, Text *out);

#endif
