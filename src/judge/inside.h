/* The part of weft that runs inside of the sandbox: it reads a request from its input, has the answer compiled, runs it in a child
 * under limits and a filter of system calls, and says how that ended. */
#ifndef WEFT_JUDGE_INSIDE_H
#define WEFT_JUDGE_INSIDE_H

#include "judge/job.h"

/* The word by which the sandbox calls weft; no command of its own. */
#define INSIDE_WORD "inside-sandbox"

/* Input: a request. Output: JobStatus, one per stage. File 3: results. File 2: what the compiler says. */
int judge_inside(void);

/* ---- in the child ---- */

enum { INSIDE_RESULTS = 3 };

void inside_limits(const Job *job); /* on memory, processor time, files */
bool inside_filter(void);           /* from here on, no new process, no network, no signal to others */
void inside_run_native(const Job *job) __attribute__((noreturn));
void inside_run_python(const Job *job) __attribute__((noreturn));
bool inside_write(const void *bytes, size_t len);

#endif
