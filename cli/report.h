/* What is reported about kernels, printed. */
#ifndef WEFT_CLI_REPORT_H
#define WEFT_CLI_REPORT_H

#include "report_json.h"

#include "base/tally.h"

#include <stdio.h>

/* file:line:col: error: …, the line, a caret, the hint; coloured on a terminal. */
void print_refusal(FILE *out, const char *path, const WeftError *error);

/* As JSON: one line. */
void print_refusal_record(FILE *out, const char *path, const WeftError *error);

/* Below the summary of several files: how many kernels were refused for which reason, on stderr. */
void print_reasons(Tallies *reasons);

#endif
