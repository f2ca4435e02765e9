/* What weft check says about one kernel, in words. */
#ifndef WEFT_CLI_CHECK_REPORT_H
#define WEFT_CLI_CHECK_REPORT_H

#include "check_kernel.h"

void print_report(const KernelReport *report);
/* In a line, why a kernel has no verdict, and where. */
const char *no_verdict_text(const KernelReport *report, SourcePosition *at);

#endif
