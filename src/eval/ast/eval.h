/* The AST evaluator: runs a kernel straight from its syntax tree.
 *
 * All threads of a launch run one after the other (row-major, last dimension fastest). Two modes:
 *   rounded    every operation is rounded to the kernel's own types, as the compiled kernel does;
 *   in_double  floats are never rounded (constants and casts included); tangents are exact to double precision.
 * In both modes the tangents of the launch's arguments are carried along (forward-mode derivatives, the true ones:
 * nothing of Warp's adjoint rules is in here) and those of the outputs are written back.
 *
 * The evaluator knows nothing of the region tree, and it is strict: see FindingKind. */
#ifndef WEFT_EVAL_AST_EVAL_H
#define WEFT_EVAL_AST_EVAL_H

#include "eval/launch.h"

/* What derivatives leave out, to see whether that explains a wrong one. */
typedef enum AstOmission {
    OMIT_NOTHING = 0,
    OMIT_FRACTION = 1, /* the derivative of wp.frac */
    OMIT_DIVISOR = 2,  /* that of a remainder by its divisor */
    OMIT_TILE_REDUCTION = 4,
    OMIT_TILE_SCAN = 8,
    OMIT_TILE_SOLVE = 16,
    OMIT_TILE_SUM_AXIS = 32 /* as Warp before 1.19: see check/patterns.def */
} AstOmission;

typedef struct AstRun {
    bool in_double;  /* no rounding of floats */
    bool carries_on; /* what is not a number, or not finite, is computed on with as machines do, and is no finding */
    uint32_t noise;  /* not 0: products and functions of the library are rounded as another machine may, by this seed */
    bool
        front_only; /* an index below zero, which counts from the end, is a finding, unless it is written as a number */
    bool detect_races;  /* two threads touching one cell without an atomic are a finding */
    uint64_t max_steps; /* statements, iterations and calls of all threads together; 0: ten million */
    RunBudget budget;
    AstOmission omits;
    PathSum *path_sum; /* is added to; NULL: nobody wants to know */
    Journal *journal;  /* likewise: what statements assign and store */
    Finding finding;   /* out */
    uint64_t steps;    /* out: how many were taken */
    uint32_t threads;  /* out: how many have run to their end */
    bool lanes_meet;   /* out, with detect_races: lanes of a block have stored at one place */
} AstRun;

typedef struct AstProgram AstProgram;

/* Prepares a kernel: names resolved to slots, calls to functions. To run it several times. */
AstProgram *ast_program(Unit *unit, const Kernel *kernel);
/* Runs it; array arguments (and their tangents) are changed in place. False: see run->finding; what was written
 * until then stays. The launch's arguments must fit the kernel's parameters (launch_value_init). */
bool ast_program_run(AstProgram *program, Launch *launch, AstRun *run);

/* Both in one. */
bool ast_run(Unit *unit, const Kernel *kernel, Launch *launch, AstRun *run);

#endif
