/* All that weft check finds out about a kernel: what the usual launch shows, another that is valid where that one is not, the pattern
 * of a wrong gradient, and the smallest example of it. */
#ifndef WEFT_CLI_CHECK_KERNEL_H
#define WEFT_CLI_CHECK_KERNEL_H

#include "lint.h"

#include "check/branches.h"
#include "check/example.h"
#include "pipeline.h"

#include <stdio.h>

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
    FILE *out;          /* what it is printed to */
    bool several_files; /* kernels are told apart by them, too */
    const Compiled *compiled;
    const CheckLaunch *launch;
    const CheckLaunch *shown;  /* with its inputs: the one that the result is of, or the same */
    const CheckResult *result; /* of the launch that was judged */
    const CheckResult *first;  /* of the launch that was asked for: the same, unless another was judged instead */
    const Example *example;
    const char *advice; /* flags that make the first launch valid; NULL: none are known */
    const char *
        driven; /* flags of the launch that was judged because it takes a branch which others do not; NULL: it is another */
    const MissingWay *missing; /* ways that no launch took, */
    uint32_t missing_count;
    uint32_t launches; /* and how many were judged */
    PatternPlace why;  /* of a wrong gradient */
    bool why_tried;    /* without it, the gradient is right */
    Known known;       /* that it is wrong */
    bool with_io;      /* in JSON: inputs, outputs and gradients of the launch, drawn with this seed */
    uint64_t seed;
} KernelReport;

enum { MOST_STEPS = 4000000 }; /* statements that the threads of a launch may run */

/* Memory of the checks of one kernel, given back for the next one, and of a launch that is only tried, given back for the next try. */
typedef struct CheckMemory {
    Arena kernel, attempt;
} CheckMemory;

void check_memory_init(CheckMemory *memory);
void check_memory_free(CheckMemory *memory);

/* How the kernels of a file are checked. options.max_steps becomes less with each kernel that ran out of them, so that a file of endless
 * loops comes to an end. */
typedef struct KernelCheck {
    CheckOptions options;
    CheckLaunch given; /* what was said about launches */
    bool no_example;   /* do not look for a smallest one */
    Arena *attempts;   /* for launches that are only tried */
} KernelCheck;

KernelReport *judge_kernel(KernelCheck *check, const Compiled *compiled); /* in unit->building, like the texts */
KernelReport *too_large_report(const Compiled *compiled); /* of a kernel whose check takes too much memory */
const char *wrong_gradient_text(const KernelReport *report);
const char *example_flags(const KernelReport *report); /* that give the example */
const char *
launch_flags(const KernelReport *report); /* of the launch that was judged; NULL: the one that was asked for */
/* "the condition at line 12 was never true" */
const char *missing_text(const KernelReport *report, const MissingWay *way);
void write_report_json(const KernelReport *report, Text *out);

#endif
