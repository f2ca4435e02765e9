/* The part of weft that runs inside of the sandbox: it reads a request from its input, has the answer compiled, runs it in a child
 * under limits and a filter of system calls, and says how that ended. */
#ifndef WEFT_JUDGE_INSIDE_H
#define WEFT_JUDGE_INSIDE_H

#include "judge/job.h"

/* The words by which the sandbox calls weft; no commands of its own. */
#define INSIDE_WORD "inside-sandbox"
#define INSIDE_CARD_WORD "inside-sandbox-with-card"

/* Input: a request. Output: JobStatus, one per stage. File 3: results. File 2: what the compiler says. */
int judge_inside(void);
/* The same for a process that has a card: JobRequests, each with a job behind it; JobStatus: with JOB_STARTED, once, what the card is (90
 * for sm_90); with JOB_COMPILED, when the first job was taken, which has the judge's own kernels; then one with JOB_RAN per job. */
int judge_inside_card(void);

/* ---- in the child ---- */

enum { INSIDE_RESULTS = 3 };

void inside_limits(const Job *job); /* on memory, processor time, files */
typedef enum InsideFilter { FILTER_ANSWER, FILTER_NVRTC, FILTER_CARD } InsideFilter;
bool inside_filter(InsideFilter which); /* from here on, no new process, no network, no signal to others */
void inside_run_native(const Job *job) __attribute__((noreturn));
void inside_run_python(const Job *job) __attribute__((noreturn));
void inside_run_nvrtc(const Job *job) __attribute__((noreturn));
int inside_serve_card(void);
void inside_limit_host(void); /* of a process with a card: no files, no core */
bool inside_write(const void *bytes, size_t len);

#endif
