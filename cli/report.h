/* What is reported about kernels, printed. */
#ifndef WEFT_CLI_REPORT_H
#define WEFT_CLI_REPORT_H

#include "report_json.h"

#include <stdio.h>

/* file:line:col: error: …, the line, a caret, the hint; coloured on a terminal. */
void print_refusal(FILE *out, const char *path, const WeftError *error);

/* As JSON: one line. */
void print_refusal_record(FILE *out, const char *path, const WeftError *error);

#endif
