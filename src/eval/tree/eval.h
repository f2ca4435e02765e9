/* Runs a region tree as the C++ that Warp writes for it would run: forward, and backward as Warp's reverse pass does it,
 * right or wrong.
 *
 *     TreeProgram *program = tree_compile(arena, module, in_double, &finding);     once per kernel
 *     TreeRun run = {.max_steps = 1000000};
 *     tree_execute(program, launch, &run);           forward: writes the arrays of the launch
 *     run.backward = true;
 *     tree_execute(program, launch, &run);           backward: reads and writes `gradients` of the launch
 *
 * A program is flat code: the three walks of emit/walk.c, with their labels and gotos, become arrays of small operations,
 * so that a `goto` out of a replayed loop body does here what it does there. Threads run one after the other, in order
 * unless another order is wanted, as Warp runs them on the CPU. The backward run starts from the arrays as the forward run left them, and accumulates as
 * wp.Tape does: an array with gradients is passed with its adjoint array, other arguments have adjoints that start at
 * zero and are lost (scalar fields of a struct argument start at the field's own value: Warp passes it so). */
#ifndef WEFT_EVAL_TREE_EVAL_H
#define WEFT_EVAL_TREE_EVAL_H

#include "eval/launch.h"
#include "ir/ir.h"

typedef struct TreeProgram TreeProgram;

/* What the threads of forward runs did where threads may differ: branches taken, trips of loops, operands chosen by
 * min() and the like. It adds up over runs, and lists the threads of the last one that did what few had done before. */
typedef struct TreeCoverage {
    uint8_t *seen;       /* threads with an outcome, up to `enough`; four outcomes a place */
    uint8_t enough;      /* threads that took a path say more than one: what it leads to may be hidden later */
    uint8_t enough_each; /* threads per outcome, for `complete` */
    uint8_t *now;        /* likewise, of the thread that is running */
    uint32_t count;
    uint64_t ways[16]; /* hashes of all outcomes of a thread, of the first that differ */
    uint32_t way_count;
    uint32_t *notable; /* threads that did what few had done before */
    uint32_t notable_count, notable_cap;
    bool
        notes_bounds; /* of two numbers that are compared, it counts whether they were equal, or nearly: the bound itself */
    bool complete;     /* every branch and choice that was met went every way that it has */
    uint32_t idle;     /* threads since the last that told something */
    uint32_t patience; /* a run ends after so many; 0: never */
    uint32_t patience_when_complete;
} TreeCoverage;

/* A branch, a loop or a choice of the forward pass, in the kernel or in a function that it calls. */
typedef struct TreeBranch {
    const IrFunction *function;
    const IrVar *condition; /* NULL: a loop over a range, whose only outcome that counts, 0, is a turn of it */
    uint32_t source;        /* byte offset of the statement, in the file of the function */
    uint32_t place;         /* its outcomes in TreeCoverage.seen: false, true */
    uint8_t wanted;         /* bit i: outcome i runs code that no other does */
    bool is_statement;      /* not a part of an expression */
} TreeBranch;

enum { TREE_DEFAULT_STEPS = 50000000 };

typedef struct TreeRun {
    bool in_double; /* for tree_run: all floats in double, not in the kernel's own types */
    bool backward;
    bool
        sizes; /* what is added to a cell of an array counts by its size, and nothing cancels: how large the sums get */
    bool
        keeps_transposed; /* backward: wp.tile_transpose leaves the values of its tile alone, which Warp's adjoint of it does not */
    /* The thread that begins, and how much further the next one is, around the end. Stride 0: one after the other; a
     * stride that would leave threads out is made larger. */
    uint64_t first_thread, stride;
    uint64_t max_steps; /* operations of the whole launch; 0: TREE_DEFAULT_STEPS */
    RunBudget budget;
    TreeCoverage *coverage; /* forward only; NULL: nobody wants to know */
    PathSum *path_sum;      /* likewise; is added to */
    Journal *journal;       /* likewise: the results of all operations */
    Finding *undefined;     /* backward only: the first operation that makes an adjoint that is not finite; or NULL */
    uint64_t steps;         /* out: how many were run */
    uint32_t threads;       /* out: how many threads have run to their end */
    Finding finding;        /* out: why the run ended early */
    Finding remark;         /* out: something undefined that the backward pass did and that did not end it */
} TreeRun;

/* Compiles the kernel of a module and the functions it calls. NULL: `finding` says what is not supported. The module,
 * its unit and the arena must outlive the program; a program may be run any number of times, one run at a time. */
TreeProgram *tree_compile(Arena *arena, const IrModule *module, bool in_double, Finding *finding);

/* Parts of a reverse pass that are not Warp's but right. */
typedef struct TreeRepair {
    uint32_t
        values; /* bit i: the adjoint of the call gets its i-th argument as the forward pass had it, and its results; bit 31: all others */
    bool decides;   /* they choose what is read: the call is replayed with them, too */
    bool condition; /* of an if: the way that the forward pass took */
    bool flow;      /* of a loop, or the body of a function: node for node back, as they ran, with their values */
    bool adjoint;   /* of a builtin whose own adjoint is wrong or empty */
    bool keeps;     /* of a loop: adjoints of what it sets are cleared after an iteration, not before */
} TreeRepair;

typedef struct TreeRepairs {
    HashTable parts; /* TreeRepair, by IrNode; of the body of a function, by IrFunction */
} TreeRepairs;

/* As tree_compile(), for backward runs that are repaired: each needs a forward run of this program before it, on the same launch, whose
 * arrays have gradients already. */
TreeProgram *tree_compile_repaired(Arena *arena, const IrModule *module, bool in_double, const TreeRepairs *repairs,
                                   Finding *finding);

/* For runs of this program; at most so many threads are listed. Two threads are enough, and one for `complete`, unless it is changed. */
TreeCoverage *tree_coverage_new(TreeProgram *program, uint32_t most);

const TreeBranch *tree_branches(const TreeProgram *program, uint32_t *count);
/* As new. */
void tree_coverage_clear(TreeCoverage *coverage);

/* How much of what the threads of `more` did is new to `have`: what none has done counts more than what few have done. */
uint32_t tree_coverage_gain(const TreeCoverage *have, const TreeCoverage *more);
void tree_coverage_add(const TreeProgram *program, TreeCoverage *have, const TreeCoverage *more);

/* Runs the threads of the launch. False: run->finding; what was written until then stays written. */
bool tree_execute(TreeProgram *program, Launch *launch, TreeRun *run);

/* Both at once. */
bool tree_run(const IrModule *module, Launch *launch, TreeRun *run);

#endif
