/* The inputs, outputs and gradients of one small launch, as JSON:
 *
 *     {"dim": [4], "inputs": {"a": [0.5, 1.5, 0.25, 1.0], "n": 4, …}, "outputs": {"out": […]},
 *      "cotangents": {"out": […]}, "gradients": {"a": […], …}}
 *
 * An array is a list in a list for each dimension, a vector or quaternion a list, a matrix a list of rows, a struct an
 * object. Every number has the digits that its own type needs to read back exactly; docs/records.md has the details. */
#ifndef WEFT_CHECK_IO_H
#define WEFT_CHECK_IO_H

#include "check/check.h"

typedef struct IoOptions {
    uint64_t seed;
    bool backward; /* also cotangents and gradients, as the generated backward pass has them */
    bool shrink;   /* a smaller launch than described, where the kernel allows it */
} IoOptions;

/* Appends the object. False: no launch that was tried runs without a finding; nothing is appended. */
bool check_write_io(Unit *unit, const IrModule *module, const CheckLaunch *description, const IoOptions *options,
                    Text *out);
/* Appends the arguments of a launch as its "inputs" have them. */
void check_write_inputs(Unit *unit, const IrModule *module, Launch *launch, Text *out);

#endif
