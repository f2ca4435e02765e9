/* A thread's state for compiling and running the kernels of records. */
#ifndef WEFT_JUDGE_WORKSHOP_H
#define WEFT_JUDGE_WORKSHOP_H

#include "base/json.h"
#include "check/check.h"
#include "pipeline.h"
#include "standalone/standalone.h"

typedef struct Workshop {
    Weft *weft;
    StandaloneLibrary *library;
} Workshop;

/* For kernels of that version of Warp; false: out of memory, or there is no such version. */
bool workshop_ready(Workshop *workshop, const char *warp);
void workshop_free(Workshop *workshop);

/* Compiles the kernel of a record and shows it with its launch description, while both are alive. False: it does not compile. */
typedef bool WorkshopVisitor(const Compiled *compiled, const CheckLaunch *launch, void *user);
bool workshop_visit(Workshop *workshop, const json_t *record, WorkshopVisitor *visitor, void *user);

#endif
