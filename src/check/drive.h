/* Launches that take the branches which the usual one does not: values near the constants that a condition is compared with, both truths
 * of a flag, more threads, larger arrays. */
#ifndef WEFT_CHECK_DRIVE_H
#define WEFT_CHECK_DRIVE_H

#include "check/branches.h"
#include "pipeline.h"

typedef struct Drive {
    const Compiled *compiled;
    const CheckLaunch *asked;    /* the launch that was asked for, */
    const CheckLaunch *given;    /* and the one that was judged: the same, or a valid one */
    const CheckOptions *options; /* with programs and coverage */
    bool is_invalid;             /* it cannot be judged itself, and its coverage is empty */
    uint32_t launches;           /* out: valid ones that took a way that was missing */
    bool is_shown;               /* out: the result is of another launch, whose gradient is right: */
    CheckLaunch shown;           /* this one */
    CheckLaunch wrong;           /* out: the launch with a wrong gradient, */
    const char *flags;           /* and what it has beyond the one that was asked for; NULL: none is wrong */
} Drive;

/* Judges launches until every way was taken, a gradient is wrong, or nothing helps. `result` becomes that of the wrong one, or of one that
 * has a gradient where the first had none. Works in unit->building. */
void drive_branches(Drive *drive, CheckResult *result);

#endif
