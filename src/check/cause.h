/* Is a pattern the cause of a wrong gradient? Found out by trying.
 *
 * A pattern is the cause where the gradient becomes the true one as soon as the reverse pass no longer has that fault: it gets the values
 * that the forward pass had, or goes back the way that it went (eval/tree/eval.h, TreeRepairs). Of kernels with tiles the syntax tree, which
 * has the true derivative, leaves out what the pattern says that Warp leaves out, and must then come to the number that Warp comes to. */
#ifndef WEFT_CHECK_CAUSE_H
#define WEFT_CHECK_CAUSE_H

#include "check/check.h"
#include "check/pattern.h"

/* Of these sightings, so many are mended at a time. */
typedef struct CauseTrial {
    const Sightings *seen;
    const bool *chosen;
    uint64_t seed, max_steps;
    uint64_t *steps; /* of the region tree: those of the trial are added */
} CauseTrial;

/* Is the gradient right then, on the inputs of this seed? Works in unit->building. */
bool cause_explains(Unit *unit, const IrModule *module, const CheckLaunch *description, const CauseTrial *trial);

/* Calls cause_explains() in memory of its own. */
typedef bool CauseTest(const CauseTrial *trial, void *user);

/* The pattern that is the cause, alone or with others that are needed as well, and its first statement; PATTERN_OTHER at the kernel itself
 * where nothing that was tried explains the numbers. */
PatternPlace find_cause(const IrModule *module, uint64_t seed, uint64_t max_steps, CauseTest *test, void *user);

#endif
