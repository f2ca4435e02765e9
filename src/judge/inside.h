/* The part of weft that runs inside the sandbox. It reads a request from its input and has the answer compiled. A
 * child runs the answer under limits and a filter of system calls; weft reports how the child ended. */
#ifndef WEFT_JUDGE_INSIDE_H
#define WEFT_JUDGE_INSIDE_H

#include "judge/job.h"

/* The words by which the sandbox calls weft; no commands of its own. */
#define INSIDE_WORD "inside-sandbox"
#define INSIDE_COMPILER_WORD "inside-sandbox-with-compiler"
#define INSIDE_CARD_WORD "inside-sandbox-with-card"

/* Input: requests, one per pass. Output: JobStatus, one per stage. File 3: results. File 2: what the compiler says. */
int judge_inside(void);
/* The same for processes that take many jobs: JobRequests, each with a job behind it; JobStatus: JOB_STARTED, once, then one per job.
 * A compiler: JOB_COMPILED or JOB_REFUSED. A card: with JOB_STARTED comes what it is (90 for sm_90); JOB_COMPILED for the first job,
 * which has the judge's own kernels; then JOB_RAN. */
int judge_inside_compiler(void);
int judge_inside_card(void);

/* ---- jobs one after the other ---- */

typedef struct InsideFiles {
    int status, messages;
} InsideFiles;

/* Closes what is not for answers, and puts the judge's files out of the way of what libraries print. */
InsideFiles inside_take_files(void);
bool inside_take_job(Arena *arena, JobMode mode, Job *job); /* false: there is none, or it cannot be read */

/* ---- in the child ---- */

enum { INSIDE_RESULTS = 3, COMPILER_MB = 2048 };

void inside_limits(const Job *job); /* on memory, processor time, files */
typedef enum InsideFilter { FILTER_ANSWER, FILTER_NVRTC, FILTER_CARD } InsideFilter;
bool inside_filter(InsideFilter which); /* from here on, no new process, no network, no signal to others */
void inside_run_native(const Job *job) __attribute__((noreturn));
void inside_run_python(const Job *job) __attribute__((noreturn));
void inside_limit_compiler(const Job *job);
struct rusage;
uint32_t inside_milliseconds(const struct rusage *usage); /* of processor time */
void inside_limit_host(void);                             /* of a process with a card: no files, no core */
bool inside_write(const void *bytes, size_t len);

#endif
