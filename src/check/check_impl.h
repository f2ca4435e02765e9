/* Shared by the files of the check; nobody else includes this.
 *
 *     check.c     the order of the checks       inputs.c    drawing the arguments of a launch
 *     threads.c   which threads stand for all   compare.c   do two launches agree, is one degenerate
 *     gradient.c  directions, and the two dot products
 *     locate.c    where two evaluators part     programs.c  both evaluators of a kernel */
#ifndef WEFT_CHECK_CHECK_IMPL_H
#define WEFT_CHECK_CHECK_IMPL_H

#include "base/rng.h"
#include "check/check.h"
#include "eval/ast/eval.h"
#include "eval/tree/eval.h"

/* ---- programs.c ---- */

AstProgram *syntax_tree_program(CheckPrograms *programs);
/* NULL: `finding` says why. */
TreeProgram *region_tree_program(CheckPrograms *programs, bool in_double, Finding *finding);

/* ---- inputs.c ---- */

typedef enum InputKind {
    INPUTS_EVEN,  /* anywhere in the ranges */
    INPUTS_EDGES, /* many near the ends of their ranges */
    INPUTS_ALIKE  /* the elements of an array nearly the same, often nearly zero */
} InputKind;

/* As check_make_launch, with inputs of any kind. */
Launch *make_launch(Unit *unit, const IrModule *module, const CheckLaunch *description, uint64_t seed, InputKind kind,
                    const char **why);
/* Draws the arguments of a launch that has been laid out. */
void fill_launch(Unit *unit, const IrModule *module, const CheckLaunch *description, uint64_t seed, InputKind kind,
                 Launch *launch);

/* ---- threads.c ---- */

typedef struct ThreadList {
    uint32_t *items;
    uint32_t count;
} ThreadList;

/* Up to `max` threads all over the launch; among the first both ends, and those that the kernel has a number of. */
ThreadList spread_threads(Arena *arena, const Launch *launch, const IrModule *module, uint32_t max);
/* Up to `max`, neighbours among them: for races. */
ThreadList neighbouring_threads(Arena *arena, const Launch *launch, uint32_t max);
/* The blocks of these threads, whole, each as often as it is named; of kernels without blocks the list itself. */
ThreadList whole_blocks(Arena *arena, const Launch *launch, const ThreadList *list);
/* Unless it is there already. */
void add_thread(ThreadList *list, uint32_t max, uint64_t thread);
void use_threads(Launch *launch, const ThreadList *list); /* NULL: all of them */

/* ---- compare.c ---- */

double array_scale(const LaunchValue *value); /* the largest of its floats */
/* Of the i-th cells, relative to their own size, but no smaller than a thousandth of the scale; integers: 0 or 1. */
double cell_difference(const LaunchValue *a, const LaunchValue *b, size_t i, double scale);
/* As check_difference, of the arrays that the first of two runs from `before` has changed; of a smaller one, `least`. */
double output_difference(const Launch *before, const Launch *a, const Launch *b, double least);
/* They went the same way to their results: otherwise these are the same by chance. */
double path_difference(const PathSum *left, const PathSum *right);

CheckFailure find_degenerate(const Launch *before, const Launch *after);
/* What was written is the same in both. */
bool same_outputs(const Launch *before, const Launch *a, const Launch *b);

bool is_float_array(const LaunchValue *value);

/* ---- branches.c ---- */

struct CheckCoverage {
    Unit *unit;
    CheckPrograms *programs;
    const IrModule *module;
    TreeProgram *tree;  /* in double; NULL: nothing was run yet */
    TreeCoverage *all;  /* of all checks that found nothing wrong, */
    TreeCoverage *draw; /* and of the run at hand */
};

void begin_coverage(CheckCoverage *coverage, TreeProgram *tree, const IrModule *module);
void keep_coverage(CheckCoverage *coverage); /* of the run at hand */

/* ---- finite.c ---- */

/* Of the arrays that a run from `before` has changed. */
bool has_finite_values(const Launch *before, const Launch *after);
bool has_finite_tangents(const Launch *launch);
bool has_finite_gradients(const Launch *launch);
/* Does the simple statement of the kernel that begins at `start` go on to `offset`? */
bool is_in_statement(const Code *code, uint32_t start, uint32_t offset);

/* ---- locate.c ---- */

typedef struct Evaluators {
    Unit *unit;
    const Code *code; /* of the kernel */
    AstProgram *ast;
    TreeProgram *tree;
    bool in_double;
    uint64_t max_steps, max_tree_steps;
} Evaluators;

/* False: one thread after the other, they agree. */
bool locate_difference(const Evaluators *evaluators, const Launch *start, double tolerance, CheckDifference *out);

/* ---- output_params.c ---- */

/* For each parameter: the kernel writes to it or to an array in it, or gives it to a call, which may. */
const bool *may_be_written(Arena *arena, const Code *code);

/* ---- gradient.c ---- */

/* One direction: set up before the runs, judged after them. */
typedef struct Directions Directions;
/* How an argument moves: fixed ones do not, all their tangents are zero; prior ones are arrays that are only written, so that
 * what they hold before is not an input. */
typedef enum Movement { MOVE_FREELY, MOVE_PRIOR, MOVE_NOT } Movement;
/* Of each argument. An array that is only written has its content before the launch for an input only where that is drawn from a
 * range. */
const Movement *argument_movements(Arena *arena, const Code *code, const CheckLaunch *description, bool *has_priors);
Directions *directions_new(Arena *arena, const Movement *movements); /* one for each argument */
void hold_priors(Directions *d, bool held);                          /* held: prior ones do not move, either */
void move_all(Directions *d, bool moved);                            /* also arguments that are fixed */
/* Arrays of these arguments have cotangents, too, where the run writes the values that they already held: zero over zero. */
void seek_written(Directions *d, const bool *written);
/* Is there such an array? `after`: behind the forward run, or also the reverse one. */
bool keeps_outputs(Directions *d, const bool *written, const Launch *before, const Launch *after);
/* Tangents of all float arrays of `forward`; what the run changes of them is seen later. */
void set_tangents(Directions *d, Launch *forward, Rng rng);
/* Cotangents of the float arrays that `backward`, a launch after its forward run, has changed, and of those of seek_written(); false:
 * there are none. */
bool set_cotangents(Directions *d, const Launch *before, Launch *backward);
/* w·(J u) of the one run and (Jᵀ w)·u of the other, both without w·u, and their relative distance. */
typedef struct DotProducts {
    double exact, warp, error;
    double scale; /* what a distance is relative to */
    bool slope;   /* the gradient by an input is not zero */
} DotProducts;
#define SMALLEST_SCALE 1e-12
DotProducts dot_products(Directions *d, Launch *forward, Launch *backward);

/* ---- nudge.c ---- */

enum { NUDGES = 251 }; /* numbers that are drawn, for all arrays: a draw for each cell took a fifth of the check */

typedef struct Nudge {
    double steps[NUDGES];   /* in units of the last place */
    double factors[NUDGES]; /* the same, of a double */
    size_t next;            /* of them */
    bool in_double;
} Nudge;

void draw_nudges(Nudge *nudge, Rng *rng);
void nudge_launch(Nudge *nudge, Launch *launch); /* each float up or down by some units in the last place */

/* ---- nearby.c ---- */

typedef struct Nearby {
    Arena *arena;
    AstProgram *ast;
    TreeProgram *tree; /* in double */
    Directions *directions;
    uint64_t max_steps, max_tree_steps;
    Rng along, moves; /* the directions of the products; how data are moved */
} Nearby;

/* The gradient is right close to these data, and the true one is another there. False: it is not, or the launch cannot be run there. */
bool gradient_on_kink(const Nearby *nearby, const Launch *start, const ThreadList *threads, const DotProducts *dots,
                      double tolerance);

/* Nothing but rounding errors may be left in the products: data that are moved in their last digits move them by a share of what they
 * differ by. */
bool gradient_is_noise(const Nearby *nearby, const Launch *start, const ThreadList *threads, const DotProducts *dots);

/* Is the true derivative finite, also by arguments that are fixed? */
bool has_derivative_by_all(const Nearby *nearby, const Launch *start, const ThreadList *threads);

#endif
