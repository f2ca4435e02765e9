/* What weft check says about one kernel, in words and in JSON. */
#ifndef WEFT_CLI_CHECK_REPORT_H
#define WEFT_CLI_CHECK_REPORT_H

#include "lint.h"

#include "check/example.h"
#include "pipeline.h"

/* The smallest launch, of those tried, on which a gradient is wrong, and what is wrong there. */
typedef struct Example {
    bool found;
    uint32_t threads, size; /* 0: as given */
    uint64_t seed;
    GradientEntry entry;
    Text inputs;
} Example;

typedef struct KernelReport {
    const char *path;
    bool several_files; /* kernels are told apart by them, too */
    const Compiled *compiled;
    const CheckLaunch *launch;
    const CheckResult *result; /* of the launch that was judged */
    const CheckResult *first;  /* of the launch that was asked for: the same, unless another was judged instead */
    const Example *example;
    const char *advice; /* flags that make the first launch valid; NULL: none are known */
    PatternPlace why;   /* of a wrong gradient */
    Known known;        /* that it is wrong */
    bool with_io;       /* in JSON: inputs, outputs and gradients of the launch, drawn with this seed */
    uint64_t seed;
} KernelReport;

const char *wrong_gradient_text(const KernelReport *report); /* in the unit's arena */
void print_report(const KernelReport *report);
void print_report_json(const KernelReport *report);

#endif
