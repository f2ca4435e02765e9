/* What the evaluators say about one launch: the start that a device is given, and where it must get to. */
#ifndef WEFT_GPU_REFERENCE_H
#define WEFT_GPU_REFERENCE_H

#include "check/check.h"
#include "eval/tree/eval.h"
#include "gpu/compare.h"

typedef struct Reference {
    Unit *unit;
    const IrModule *module;
    TreeProgram *own, *exact;
    Launch *start; /* outputs poisoned where nothing reads them; gradients: of what the kernel writes */
    bool backward; /* the reverse pass is defined on this launch */
    bool poisoned;
    bool races;            /* look for them */
    Runs forward, reverse; /* `reverse` has the gradients */
    bool widened, rotated;
    const char **names; /* of the arguments */
    uint64_t seed;
    const char *why; /* it cannot be made */
} Reference;

/* Draws a launch and runs it, in the kernel's own types and in double. Where a draw is not defined (it divides by zero),
 * others are tried; with `races`, a launch in which threads touch one element is not defined either. False: `why`. Everything is allocated in the unit's arena. */
bool reference_make(Reference *reference, Unit *unit, const IrModule *module, const CheckLaunch *description,
                    uint64_t seed, bool backward, bool races);

/* More runs, from inputs moved by one unit in the last place and with the threads in other orders: how much the results
 * depend on rounding, and which of them on the order of threads. */
void reference_widen(Reference *reference);

/* Where the order of threads matters: every thread begins once, as far as there are not too many. So each that may be the
 * first, or the last, to reach an element is that once. */
void reference_rotate(Reference *reference);

#endif
