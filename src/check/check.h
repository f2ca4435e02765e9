/* Is a kernel's text right, and is Warp's gradient of it? Found out by running it.
 *
 * Inputs are drawn from the ranges of a launch description. Forward: both evaluators must agree. Gradient: for random
 * tangents u and cotangents w, w·(J u) from the syntax tree must equal (Jᵀ w)·u from the region tree's reverse pass:
 * one number checks a whole gradient. Filters: the outputs must be finite and depend on the inputs. */
#ifndef WEFT_CHECK_CHECK_H
#define WEFT_CHECK_CHECK_H

#include "base/text.h"
#include "eval/launch.h"
#include "ir/ir.h"

enum { CHECK_USUAL_SIZE = 8 }; /* of arrays and launches of which nothing is said, in each dimension */

/* How an argument is filled. Struct fields are named "arg.field". */
typedef struct CheckArg {
    const char *name;
    uint32_t ndim, shape[4]; /* arrays; ndim 0: by default */
    bool has_range, has_value;
    bool is_output; /* the kernel is meant to change it */
    bool sorted;    /* rising: edges of bins, starts of rows */
    bool symmetric; /* its square matrices are, and stay so when they are moved */
    bool
        definite; /* its matrices, or what stands in the last two dimensions, have a diagonal that outweighs all else */
    double low, high; /* of every scalar in it; integers: both ends included */
    double value;     /* it stays so: an array with a value has no direction to be moved in */
} CheckArg;

typedef struct CheckLaunch {
    uint32_t dim[4], ndim; /* ndim 0: by default */
    uint32_t block_dim;    /* so many threads are a block, which shares tiles; 0: by default, without tiles none */
    CheckArg *args;
    uint32_t arg_count;
} CheckLaunch;

/* Reads {"launch_dim": [...], "block_dim": 64, "arguments": [...]}, as records have it. NULL: done; otherwise what is wrong. */
const char *check_launch_read(Arena *arena, const char *json, size_t len, CheckLaunch *out);

/* The same text, from the columns of a record; gives the place where the list of arguments begins. */
struct json_t; /* base/json.h: the page of web/ has no reader of JSON */
size_t check_launch_write(const struct json_t *record, Text *out);

CheckArg *check_find_arg(const CheckLaunch *description, const char *name); /* NULL: nothing is said about it */

/* The same for many names, while the launch stays as it is. */
typedef struct ArgIndex {
    const CheckLaunch *launch;
    HashTable args; /* by name; empty: there are few, and they are looked through */
} ArgIndex;
ArgIndex check_index_args(Arena *arena, const CheckLaunch *launch);
CheckArg *arg_at(const ArgIndex *index, const char *name);

/* What an argument is drawn from. Without a word from the user (arg NULL): floats that most functions take, counts that fit the
 * default arrays, indices into them. */
typedef struct CheckRange {
    double low, high;
} CheckRange;
CheckRange check_range(const LaunchValue *value, const CheckArg *arg);
/* Rotations are unit quaternions, whatever the range says. */
void check_normalize_rotations(LaunchValue *value, const Type *element, size_t count);

/* A matrix of floats that may be symmetric. */
bool check_is_square(const Type *element);
/* Square matrices, or an array of floats of two dimensions or more, parts of which may be matrices: can they be positive definite? */
bool check_has_matrices(const Type *type);

typedef enum GradientVerdict { GRADIENT_NONE, GRADIENT_PASS, GRADIENT_MISMATCH } GradientVerdict;
const char *gradient_verdict_name(GradientVerdict verdict); /* "none", "pass", "mismatch" */

/* Why a kernel is not good enough for a data set. */
typedef enum CheckFailure {
    CHECK_OK,
    CHECK_FINDING,     /* see `finding`: out of bounds, division by zero, … */
    CHECK_DISAGREE,    /* the evaluators compute different values */
    CHECK_UNSUPPORTED, /* an evaluator does not know something in it */
    CHECK_CONSTANT,    /* outputs do not depend on the inputs */
    CHECK_ALL_ZERO,
    CHECK_COPY,      /* an output is an input, unchanged */
    CHECK_NO_OUTPUT, /* nothing is written */
    CHECK_UNSTABLE,  /* in the kernel's own types, rounding alone decides the result */
    CHECK_UNSET,     /* Warp's code reads a variable that it did not set: see `finding` */
    CHECK_CHANGED,   /* Warp's code changes a constant: see `finding` */
    CHECK_FAILURE_COUNT
} CheckFailure;
const char *check_failure_name(CheckFailure failure);

/* What the time goes into. */
typedef enum CheckStage {
    STAGE_INPUTS,   /* drawing them, preparing both evaluators */
    STAGE_ROUNDED,  /* in the kernel's own types, strictly */
    STAGE_CHOICE,   /* of threads; the filters */
    STAGE_VALUES,   /* in double, with tangents */
    STAGE_GRADIENT, /* the reverse pass */
    STAGE_COUNT
} CheckStage;
const char *check_stage_name(CheckStage stage);

/* Where the evaluators part. */
typedef struct CheckDifference {
    bool is_located, has_statement;
    const char *element;             /* "total[0]": of an array argument; NULL: they only went different ways */
    double syntax_tree, region_tree; /* what it is */
    uint32_t thread[4];              /* the first thread after which anything differs */
    uint32_t offset;                 /* of the statement that made the first difference */
} CheckDifference;

typedef struct CheckResult {
    CheckFailure failure;
    CheckDifference difference; /* with CHECK_DISAGREE, if it was to be located */
    Finding finding;            /* also one of the reverse pass alone, with CHECK_OK */
    bool reverse_finding;       /* the finding is of the reverse pass */
    bool drops_undefined;       /* numbers that are not defined are computed, and dropped: by wp.where() */
    double forward_error;       /* largest relative difference of the evaluators, in double */
    GradientVerdict gradient;   /* by the inputs; none: nothing to differentiate, or all derivatives are zero */
    GradientVerdict prior;      /* by what arrays held before that are only written */
    double gradient_error;      /* |w·(J u) - (Jᵀ w)·u| relative to the size of its terms; the worst of the draws */
    double true_dot, warp_dot;  /* of the worst draw */
    uint64_t seed;              /* that the inputs of the worst draw were drawn with */
    double launch_steps;        /* of all threads of the launch, forward or backward, judged by those that ran */
    double stage_ns[STAGE_COUNT];
} CheckResult;

enum {
    CHECK_SPREAD = 8, /* threads that a pair of a data set is checked on, for each inputs */
    /* Steps of the region tree that all threads of a launch together may take, forward or backward, where degenerate kernels
     * are rejected: so that whoever runs the whole launch (weft gpu, weft validate) comes to an end. */
    CHECK_LAUNCH_STEPS = 25000000
};

/* Both evaluators of a kernel: whoever checks it several times prepares them once. They live in unit->building, until the next kernel's turn. */
typedef struct CheckPrograms CheckPrograms;
CheckPrograms *check_programs_new(Unit *unit, const IrModule *module);

/* What ran in checks of it: branches.h. */
typedef struct CheckCoverage CheckCoverage;

typedef struct CheckOptions {
    CheckPrograms *programs; /* of the kernel that is checked; NULL: prepared for this check */
    CheckCoverage
        *coverage; /* of these programs: is added to where all threads are checked; NULL: nobody wants to know */
    uint64_t seed;
    bool filters;       /* also reject degenerate kernels */
    uint32_t draws;     /* inputs tried, each with a direction of its own; 0: 2, and more where branches are left */
    double tolerance;   /* 0: 1e-6 */
    uint64_t max_steps; /* 0: default */
    bool locate;        /* where the evaluators disagree, find out where */
    bool timed;         /* fill in stage_ns */
    uint32_t threads;   /* at most this many for each inputs, chosen by what they do; 0: all */
    /* Inputs that somebody has: called for the launch that the description lays out, which is then the only one. Of its threads,
     * `threads` run that lie all over it. NULL: inputs are drawn. */
    void (*fill)(Launch *launch, void *user);
    void *user;
} CheckOptions;

/* The kernel must have been built into `module` from `unit`. Everything is allocated in unit->building, which lasts until the
 * next kernel's turn. */
void check_kernel(Unit *unit, const IrModule *module, const CheckLaunch *launch, const CheckOptions *options,
                  CheckResult *result);

/* A launch for the kernel, filled by the description and the seed; NULL and `why` if an argument cannot be made. */
Launch *check_make_launch(Unit *unit, const IrModule *module, const CheckLaunch *description, uint64_t seed,
                          const char **why);

/* What the text of a kernel does with its array parameters. */
typedef struct ParamUses ParamUses;
const ParamUses *check_param_uses(Arena *arena, const Code *code);
/* Is this array only written (also by += and atomics), never read? Then what was in it before is no input. */
bool check_is_output(const ParamUses *uses, const Param *param);
bool check_is_written(const ParamUses *uses,
                      const Param *param); /* in the text of the kernel itself; it may be read, too */

/* The largest relative difference of two launches of one kernel; 1 where integers differ. */
double check_difference(const Launch *a, const Launch *b);

#endif
