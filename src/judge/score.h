/* Scoring: many answers to many tasks, one line of JSON each, in the order of the answers, and a summary of them all.
 *
 * A killed run resumes after the last complete line, and ends with the same lines and summary as an uninterrupted
 * one. Nothing in a line depends on the time or the machine. */
#ifndef WEFT_JUDGE_SCORE_H
#define WEFT_JUDGE_SCORE_H

#include "judge/referee.h"

typedef struct ScoreTask {
    const char *id, *record, *kernel_name, *category, *difficulty;
    const char *given; /* the text that the task is about; "": none */
    TaskKind kind;
    bool is_right;                      /* for questions about a gradient: the given text has no mistake */
    uint32_t answers, passed, unjudged; /* of it */
} ScoreTask;

typedef struct ScoreAnswer {
    uint32_t task;
    uint32_t attempt; /* counted from 0, of the task */
    const char *text;
    size_t len;
    bool is_no_text; /* it holds what no text has: NUL, half of a surrogate pair; it does not pass */
    uint64_t hash;   /* of everything that its line follows from, but for the hidden key */
} ScoreAnswer;

typedef struct ScoreRecord {
    const char *id;
    char *line; /* NULL: not found yet */
    size_t len;
} ScoreRecord;

typedef struct ScoreOptions {
    const char *tasks, *answers, *set, *output; /* paths */
    const char *warp_include;                   /* of Warp's headers; NULL: where they are installed */
    bool resume;
    bool gpu;               /* CUDA on a card */
    const char *cuda;       /* then: the toolkit's folder; NULL: found */
    unsigned runners;       /* processes that have the card at the same time */
    unsigned batch;         /* answers that one of those runs */
    const char *trace;      /* where the steps are written down; NULL: nowhere */
    const char *hidden_key; /* the file of the key that hidden launches are drawn from; NULL: beside the results */
    bool open_launches;     /* no hidden ones */
    bool all_tasks;         /* answers come later, to any of the tasks: keep the records of all */
    RefereeOptions referee;
    unsigned jobs;
    const atomic_int *stop;
    void (*progress)(const char *stage, uint64_t done, uint64_t of, void *user);
    void *user;
} ScoreOptions;

typedef struct ScoreCounts {
    uint64_t answers, compiled, ran, forward, backward, passed, unjudged; /* answers with each */
    uint64_t resumed;                                                     /* lines that were there already */
} ScoreCounts;

typedef struct Score {
    Arena arena;
    const ScoreOptions *options;
    ScoreTask *tasks; /* by id */
    ScoreAnswer *answers;
    ScoreRecord *records; /* by id */
    uint32_t task_count, task_cap, answer_count, answer_cap, record_count;
    ScoreCounts counts;
    Secret key;                   /* of hidden launches, */
    char hidden[COMMITMENT_SIZE]; /* and the commitment to it; "": there are none */
    CorpusError error;
} Score;

typedef enum ScoreOutcome { SCORE_DONE, SCORE_STOPPED, SCORE_FAILED } ScoreOutcome;

/* With SCORE_FAILED, score->error says why. To be freed in any case. */
ScoreOutcome judge_score(Score *score, const ScoreOptions *options);
void score_free(Score *score);

/* ---- reading (score_read.c) ---- */

bool score_read_tasks(Score *score);
bool score_read_answers(Score *score);
bool score_read_records(Score *score);
ScoreTask *score_task_named(const Score *score, const char *id); /* NULL: there is none */
json_t *score_record(const Score *score, const ScoreTask *task); /* NULL: out of memory */
const ScoreRecord *score_record_line(const Score *score, const ScoreTask *task);

/* ---- the lines (score_line.c) ---- */

/* Writes the result of an answer as members of an open object. */
void score_write_verdict(const Verdict *verdict, JsonWriter *json);
void score_write_line(const Score *score, const ScoreAnswer *answer, const Verdict *verdict, Text *out);
/* Does the line belong to that answer? Fills in what the summary needs. */
bool score_read_line(const Score *score, const ScoreAnswer *answer, const char *line, size_t len, Verdict *verdict);
void score_count(Score *score, const ScoreAnswer *answer, const Verdict *verdict);

/* ---- the summary (summary.c) ---- */

void score_summary_text(const Score *score, Text *out);
void score_summary_json(const Score *score, Text *out);

/* The chance that at least one of k answers passes, from c of n that do: 1 - C(n - c, k) / C(n, k). */
double pass_at(uint32_t n, uint32_t c, uint32_t k);
/* 95 % of Wilson's interval around a share of `count` tasks. */
void wilson_interval(double share, uint64_t count, double *low, double *high);

#endif
