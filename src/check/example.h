/* One entry of a gradient that Warp gets wrong: how an output moves with an input. */
#ifndef WEFT_CHECK_EXAMPLE_H
#define WEFT_CHECK_EXAMPLE_H

#include "check/check.h"

typedef struct GradientEntry {
    const char *output, *input; /* as "out[3]" or "a[1, 2].x"; components by number */
    double warp, exact;         /* warp NaN: its reverse pass does not end well */
} GradientEntry;

/* The entry that is most wrong on the inputs of that description and seed, in double. False: none is, or there are too
 * many to look at each. `steady`: only one where the error is larger than what rounding does to the gradient in the kernel's own types, so
 * that Warp shows it. `inputs` becomes all arguments as JSON. */
bool check_worst_entry(Unit *unit, const IrModule *module, const CheckLaunch *description, uint64_t seed, bool steady,
                       GradientEntry *entry, Text *inputs);

#endif
