/* Shared by io.c, which chooses launches, io_run.c, which runs them, and io_text.c, which writes them; nobody else includes this. */
#ifndef WEFT_CHECK_IO_IMPL_H
#define WEFT_CHECK_IO_IMPL_H

#include "check/check_impl.h"
#include "check/io.h"

enum { NUDGED_LAUNCHES = 2 };

/* A launch and what came out of it; the backward ones are NULL where there is no gradient that one could write down. */
typedef struct LaunchRun {
    Launch *before, *after, *backward;
    Launch *strict; /* `after`, as the syntax tree has it, and where the gradient is tested the tangents of that */
    Launch *nudged[NUDGED_LAUNCHES],
        *nudged_backward[NUDGED_LAUNCHES]; /* from inputs that were moved in their last digits; may be the same one */
    uint64_t steps;                        /* of the region tree, forward */
} LaunchRun;

/* A kernel whose launches are wanted. */
typedef struct Io {
    Unit *unit;
    const IrModule *module;
    const CheckLaunch *description;
    const IoOptions *options;
    CheckPrograms *programs;
    AstProgram *ast;
    TreeProgram *tree;
    Directions *directions; /* of the gradient test; NULL: there is none */
    uint64_t steps;         /* forward, until now, at this size */
    uint64_t usual_steps;   /* likewise, the most that one launch took which ran to its end */
    uint64_t spent;         /* on all launches of all sizes, counted in forward steps */
    uint32_t too_long;      /* runs that were not at their end when they should have been, at all sizes */
    bool is_bounded;        /* launches are chosen, and of any size: what takes too long is left out */
    bool draws_little;      /* fewer inputs than usual */
    Rng rng;
} Io;

/* What may be spent on a kernel whose launches are chosen. */
enum {
    LONGEST_LAUNCH = 200000,     /* steps; */
    SPENT_ON_DRAWS = 150000,     /* then no further inputs are drawn than are needed, */
    SPENT_ON_LAUNCHES = 340000,  /* then no further launches are kept than are needed, */
    SPENT_ON_A_KERNEL = 3000000, /* and then it has none */
    /* A launch that takes more is not worth its threads, and has fewer: the first one, others of its size, larger ones. */
    STEPS_OF_FIRST = 40000,
    STEPS_OF_SMALL = 25000,
    STEPS_OF_LARGER = 12000
};
bool has_spent(const Io *io, uint64_t much);

/* The region tree alone: without a finding, and something is written. `coverage` may be NULL. */
bool run_forward(Io *io, const CheckLaunch *description, uint64_t seed, InputKind kind, TreeCoverage *coverage,
                 LaunchRun *run);
/* What a launch needs beyond its forward run to be one of those that are stored. */
bool complete_run(Io *io, LaunchRun *run, uint64_t seed);

bool any_change(const LaunchValue *before, const LaunchValue *after);
bool is_changed(const LaunchValue *before, const LaunchValue *after);
/* An array that has a gradient: of floats, or of structs with floats in them. */
bool has_gradient(const LaunchValue *value);

/* How far a right result may be from the recorded one: of `width` cells from `offset` on, of every element. */
double tolerance_of(const LaunchValue *value, const double *numbers, const LaunchValue *const nudged[NUDGED_LAUNCHES],
                    bool gradients, uint32_t offset, uint32_t width);

void write_launch_run(const IrModule *module, const LaunchRun *run, Text *out);

#endif
