/* Shared by io.c, which chooses and runs launches, and io_text.c, which writes them; nobody else includes this. */
#ifndef WEFT_CHECK_IO_IMPL_H
#define WEFT_CHECK_IO_IMPL_H

#include "check/check_impl.h"

enum { NUDGED_LAUNCHES = 2 };

/* A launch and what came out of it; the backward ones are NULL where there is no gradient that one could write down. */
typedef struct LaunchRun {
    Launch *before, *after, *backward;
    Launch *nudged[NUDGED_LAUNCHES],
        *nudged_backward[NUDGED_LAUNCHES]; /* from inputs that were moved in their last digits */
} LaunchRun;

bool is_changed(const LaunchValue *before, const LaunchValue *after);
/* An array that has a gradient: of floats, or of structs with floats in them. */
bool has_gradient(const LaunchValue *value);

/* How far a right result may be from the recorded one: of `width` cells from `offset` on, of every element. */
double tolerance_of(const LaunchValue *value, const double *numbers, const LaunchValue *const nudged[NUDGED_LAUNCHES],
                    bool gradients, uint32_t offset, uint32_t width);

void write_launch_run(const IrModule *module, const LaunchRun *run, Text *out);

#endif
