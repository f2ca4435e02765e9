/* Is an answer right? It is run in the sandbox on the launches of its record and on hidden ones, and what comes out is compared out here.
 *
 * Values are compared with those of the evaluators. The tolerances follow from how the results move with the last
 * digits of the inputs. Gradients are compared element by element with those of the record's own backward kernel, run
 * in double precision by the interpreter of src/cuda. The tolerance is that run's distance from a run in the kernel's
 * types. The dot-product test follows: for a random direction u and the weights w of the launch, w·(J u) of the
 * syntax tree's evaluator. A launch counts only if the record's own kernel passes it, too. */
#ifndef WEFT_JUDGE_REFEREE_H
#define WEFT_JUDGE_REFEREE_H

#include "base/secret.h"
#include "cuda/cuda.h"
#include "judge/cards.h"
#include "judge/judge.h"
#include "judge/workshop.h"

typedef struct RefereeOptions {
    const Secret *hidden; /* also launches that are drawn from this key; NULL: the record's own alone */
    bool timing;          /* on a card: what passes is timed */
    JobLimits limits;
} RefereeOptions;

typedef struct Referee {
    Workshop workshop;
    const Sandbox *sandbox;
    Cards *cards;    /* CUDA is run on them; NULL: as C++ */
    CardImage image; /* then: the answer that was run last */
    const RefereeOptions *options;
} Referee;

/* Puts the headers for compiling answers into the sandbox. The second does so for Warp's form and version `warp`,
 * from the folder `include`; NULL: where that version is installed. */
bool referee_prepare(Sandbox *sandbox, SandboxError *error);
bool referee_prepare_warp(Sandbox *sandbox, const char *warp, const char *include, SandboxError *error);

/* Judges the code of an answer to a task of the kind about the record. */
void referee_judge(Referee *referee, TaskKind kind, const json_t *record, Span code, Verdict *verdict);

/* Judges what an answer says about a text: `right`, or in which line it is wrong. */
void referee_judge_verdict(const json_t *record, const char *given, Span answer, Verdict *verdict);

/* ---- private to the referee ---- */

/* One call of a kernel and what must come of it. */
typedef struct Step {
    const CudaExample *example; /* the launch */
    const char *label;          /* "launch 2" */
    bool backward;
    CudaLaunch *cuda;    /* takes what comes back */
    CudaPacked *packed;  /* as bytes */
    double **gradients;  /* backward: what is expected, by array; NULL: it has none */
    double *tolerances;  /* by array */
    LaunchValue **cells; /* the same arrays as the evaluators have them: which numbers are floats */
    double slope;        /* w·(J u) */
} Step;

enum { MOST_STEPS = 64, MOST_TRIAL_ARRAYS = 64 };

typedef struct Trial {
    const Compiled *compiled;
    Arena *arena;
    CudaText *text;
    bool forward, backward; /* which of the kernels are asked for */
    CudaExamples launches;  /* with those that are hidden, and an empty one at the end */
    uint32_t stored;        /* how many of them are the record's own */
    Step steps[MOST_STEPS];
    JobLaunch jobs[MOST_STEPS];
    uint32_t count;
    const char *why;
} Trial;

/* The launches of the record; each says what its block is. */
json_t *trial_stored_launches(const json_t *record);
/* These, hidden ones, and an empty one; without those that tell hardly anything apart. `stored`: how many are the record's. */
json_t *trial_launches(const Compiled *compiled, const CheckLaunch *description, const json_t *record,
                       const RefereeOptions *options, uint32_t *stored);
bool trial_is_vague(const json_t *launch);
/* For a CPU: tolerances with room for another order of operations. */
void trial_fit_to_cpu(json_t *launches);
/* For a card: tolerances that fit it, and without launches whose results hang on rounding or on the order of threads. The number of stored ones that
 * are left. */
uint32_t trial_fit_to_card(const Compiled *compiled, json_t *launches, uint32_t stored);
const char *trial_label(Arena *arena, const CudaExamples *list, uint32_t stored, uint32_t index);
bool trial_read(Arena *arena, const json_t *list, CudaExamples *examples);

/* The call of a kernel as bytes, from what the launch holds now. */
CudaPacked *trial_pack(Trial *trial, const CudaLaunch *cuda, JobLaunch *job, bool backward);
void trial_find_pointers(Arena *arena, const JobLaunch *job, JobParam *param);
/* Unpacks the results. */
void trial_unpack(const Step *step, const JobLaunch *job, const char *bytes);
/* False: this launch says nothing about gradients. Fills in the job, too. */
bool trial_expect_gradient(Trial *trial, Step *step, JobLaunch *job);
/* Before the backward kernel of a text is run on the launch: forward, weights, rewound. */
bool trial_prepare_gradient(Trial *trial, const Step *step, CudaLaunch *launch);
/* Forward and backward calls of all launches. False: the record cannot be judged by. */
bool trial_plan(Trial *trial);
bool trial_gradient_agrees(Trial *trial, const Step *step);

/* Are the arrays of `after`, which began as `before`, what the launch in JSON says? */
bool python_launch_agrees(Launch *before, Launch *after, const json_t *launch, char *why, size_t size);
void referee_judge_python(Referee *referee, const json_t *record, Span code, Verdict *verdict);
void referee_judge_warp(Referee *referee, const json_t *record, Span code, Verdict *verdict);
void referee_judge_warp_backward(Referee *referee, const json_t *record, Span code, Verdict *verdict);
/* An answer as it is given to a compiler. */
typedef struct AnswerText {
    Text source;
    const char *entries[2];   /* the kernels that are asked for; "": none */
    const char *const *flags; /* of C++ */
    bool plain;               /* no headers of Warp */
} AnswerText;

/* The text with a head before it; for C++, also what the launcher finds the kernels by. */
void referee_write_source(const Referee *referee, const char *head, size_t head_len, Span code, AnswerText *text);
/* Compiles and runs the launches; the result is to be freed. */
void referee_run(Referee *referee, const AnswerText *text, JobLaunch *jobs, uint32_t count, SandboxResult *result);
/* How fast it is, if it passes; `reference`: the record's own text. */
void referee_time(Referee *referee, const AnswerText *reference, const JobLaunch *jobs, uint32_t count,
                  Verdict *verdict);
/* An answer in Warp's form, and the launches that it is judged by. */
typedef struct WarpCase {
    const json_t *record;
    const char *pass; /* "forward" or "backward" */
    Span code;
    JobLaunch *jobs;
    uint32_t count;
    void (*compare)(void *hearing, Arena *arena, const SandboxResult *result); /* with what is expected */
    void *hearing;
} WarpCase;

/* Runs it, has the results compared, and concludes. */
void referee_run_warp(Referee *referee, const WarpCase *heard, Arena *arena, Verdict *verdict);

/* The words and the score, once results were compared; `explained`: there are words already. */
void referee_conclude(Verdict *verdict, bool explained);
/* How a process ended that did not come to its end; false: it did. */
bool referee_explain(const SandboxResult *result, const char *what, Verdict *verdict);

#endif
