/* Which branches of a kernel ran in the checks of it, and what decides those that did not.
 *
 * A gradient is right on the launches that were run. Code that none of them ran was not checked, whatever the verdict: so
 * weft check looks for inputs that take each branch (drive.h), and names the branches that none took. */
#ifndef WEFT_CHECK_BRANCHES_H
#define WEFT_CHECK_BRANCHES_H

#include "check/check.h"
#include "eval/tree/eval.h"

/* A condition that never was what it may be; of a loop over a range, a body that never ran. */
typedef struct MissingWay {
    const TreeBranch *branch;
    bool when;    /* the condition never was this */
    bool is_loop; /* over a range */
} MissingWay;

/* A new one, for checks with these programs: CheckOptions.coverage. */
CheckCoverage *check_coverage_new(Unit *unit, CheckPrograms *programs);

/* Ways that no check has taken, in the order of the code; those that are decided when the kernel is compiled are left out, what
 * stands inside of code that never ran, and functions that Warp ships. At most `max`. */
uint32_t check_missing_ways(const CheckCoverage *coverage, MissingWay *out, uint32_t max);
bool check_has_taken(const CheckCoverage *coverage, const MissingWay *way);

/* Runs a launch forward alone: does it take that way? */
bool check_takes_way(CheckCoverage *coverage, Launch *launch, const MissingWay *way, uint64_t max_steps,
                     uint64_t *steps);

/* Runs a launch forward alone, and adds what it takes, up to where it fails. */
void check_note_run(CheckCoverage *coverage, Launch *launch, uint64_t max_steps, uint64_t *steps);

/* What the condition is computed from. */
enum { MOST_NUMBERS = 24 };
typedef struct Deciders {
    bool *params;                 /* of the kernel; all of them where the condition is one of a function */
    bool has_thread;              /* wp.tid() */
    bool is_constant;             /* numbers alone */
    double numbers[MOST_NUMBERS]; /* constants on the way, each once */
    uint32_t number_count;
} Deciders;
void find_deciders(Arena *arena, const IrModule *module, const TreeBranch *branch, Deciders *out);

#endif
