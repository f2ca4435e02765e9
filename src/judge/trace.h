/* Where the time goes: a line of JSON for each step that takes some, for whoever asks why scoring is not faster. */
#ifndef WEFT_JUDGE_TRACE_H
#define WEFT_JUDGE_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Trace {
    FILE *file; /* NULL: nothing is written */
    double began;
} Trace;

bool trace_open(Trace *trace, const char *path); /* NULL: nothing is written; false: errno says why it cannot be */
bool trace_close(Trace *trace);                  /* false: not all was written */

/* A step that began at `from` (clock_seconds) and ends now. `number`: of the process, or of the answer. `inside`: milliseconds that it
 * took in the sandbox as the process there tells; 0: it does not. */
void trace_step(const Trace *trace, const char *what, uint64_t number, double from, uint32_t inside);

#endif
