/* Does a compiled kernel compute what the evaluators say?
 *
 * Compiled code may fuse a multiplication with an addition, has another math library and adds atomically in any order, so
 * its results differ from an evaluator's by rounding. How much rounding there is, the evaluator tells itself: it runs the
 * kernel in its own types and in double, and, where that is not enough, again from inputs moved by one unit in the last
 * place, and with its threads in other orders. Per cell, a result must lie within
 *
 *     SLACK * (largest difference among those runs)
 *     + SUM_ULPS * (unit in the last place of the sum of the sizes of what is added to the cell)
 *     + ULPS * (unit in the last place of the cell)  +  ARRAY_ULPS * (unit in the last place of the array's largest cell)
 *
 * of the double run. (SLACK: the evaluators round once a builtin, where compiled code rounds at every step inside of it.
 * The last term is for what cancels inside of one.) So a well-conditioned cell has a tolerance of some units in the last
 * place, whatever the kernel; a cell next to a jump (a branch that flips under rounding) may take either side; and loose
 * tolerances are counted.
 *
 * A cell that is another one in double when the threads run in another order (a place handed out by an atomic counter,
 * the last of many to write) is not compared, but counted. An array of integers must still hold what the evaluator's
 * holds, wherever in it, if that is so in all orders. */
#ifndef WEFT_GPU_COMPARE_H
#define WEFT_GPU_COMPARE_H

#include "eval/launch.h"

enum { MAX_RUNS = 10, MAX_ORDERS = 5, MAX_ROTATIONS = 128 };

/* In the kernel's own types and in double. */
typedef struct RunPair {
    const Launch *own, *exact;
} RunPair;

typedef struct Runs {
    RunPair moved[MAX_RUNS]; /* from nearly the same start; the first is from the start itself */
    uint32_t count;
    RunPair ordered[MAX_ORDERS + MAX_ROTATIONS]; /* from the start itself, in other orders of the threads */
    uint32_t orders;
    const Launch *sizes; /* what was added to each cell, by its size; NULL: not known */
} Runs;

typedef struct Comparison {
    uint64_t cells, wrong;
    uint64_t loose;     /* cells whose tolerance is more than a thousandth of their size: the runs differ by as much */
    uint64_t unordered; /* cells that depend on the order of threads: not compared */
    double largest;     /* relative error of a cell that is not loose */
    char where[120], what[160]; /* of the first that is wrong */
} Comparison;

/* Compares all arrays, or their gradients, with the runs. `names` are the arguments'. */
void compare_launch(const Launch *result, const Runs *runs, bool gradients, const char *const *names, Comparison *out);

#endif
