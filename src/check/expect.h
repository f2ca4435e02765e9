/* What a kernel must compute from random inputs, and how nearly, on whatever machine runs it: results by place or as a set, and
 * directional derivatives of their weighted sum. */
#ifndef WEFT_CHECK_EXPECT_H
#define WEFT_CHECK_EXPECT_H

#include "check/check.h"
#include "eval/ast/eval.h"

enum { DIRECTIONS = 3, MAX_EXPECTED = 256 };

/* Streams of counter-based random numbers: also a program that compares itself can draw them. */
enum { STREAM_WEIGHTS = 1000, STREAM_DIRECTION = 2000 };

/* How a result is compared: those that depend on the order of threads as a set, where all orders give the same one. */
typedef enum Comparison { BY_PLACE, AS_SET, NOT_COMPARED } Comparison;

/* An array argument, or an array in a struct argument. */
typedef struct ExpectedArray {
    const Type *type;   /* of an element */
    LaunchValue *value; /* inputs */
    double low, high;   /* of the inputs */
    uint32_t stream;
    bool is_float, is_output;
    bool is_updated;   /* by atomics */
    bool is_unordered; /* it depends on the order of threads */
    /* what is found */
    double *expected; /* every `step`-th part of the result; of a set: all, sorted */
    uint32_t expected_count, step;
    Comparison comparison;
    double tolerance; /* absolute, of one part */
    bool *unsure; /* parts next to a jump, which a last digit decides about: not compared, and without weight; NULL */
} ExpectedArray;

typedef struct Expectation {
    Arena *arena;
    const Launch *launch;
    AstProgram *kernel;
    const IrModule *module;
    ExpectedArray **arrays; /* in the order of the launch */
    uint32_t array_count;
    bool is_brief;           /* give up where all runs take more than about a second; otherwise, some seconds */
    bool has_backward;       /* derivatives are asked for; afterwards: they can be compared */
    const char *no_backward; /* why not; NULL */
    double derivative[DIRECTIONS], slack[DIRECTIONS];
    Finding finding; /* what went wrong */
} Expectation;

/* Fills the arrays with inputs, and finds out what must be computed from them. False: see the finding. */
bool expect_find(Expectation *expectation);

#endif
