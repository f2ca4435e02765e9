/* The host side of a program: its data, the launches, and a main() that checks itself. */
#ifndef WEFT_STANDALONE_HOST_H
#define WEFT_STANDALONE_HOST_H

#include "eval/ast/eval.h"
#include "standalone/model.h"

enum { DIRECTIONS = 3, MAX_EXPECTED = 256 };

/* Streams of the counter-based random numbers that program and reference share. */
enum { STREAM_WEIGHTS = 1000, STREAM_DIRECTION = 2000 };

/* How a result is compared: those that depend on the order of threads as a set, where all orders give the same one. */
typedef enum Comparison { BY_PLACE, AS_SET, NOT_COMPARED } Comparison;

/* An array argument, or an array in a struct argument. */
typedef struct HostArray {
    Var *param;
    const char *path;    /* "points", "state.points": in the source */
    const char *place;   /* the same in C */
    const char *name;    /* as a C name: "state_points" */
    const char *element; /* C type */
    const Type *type;    /* of an element */
    LaunchValue *value;  /* inputs */
    double low, high;    /* of the inputs */
    uint32_t stream;
    bool is_output, is_float, in_struct;
    bool keeps_result; /* the backward kernel looks at the result of the forward kernel */
    double *expected;  /* every `step`-th part of the result; of a set: all, sorted */
    uint32_t expected_count, step;
    Comparison comparison;
    double tolerance; /* absolute, of one part */
    bool *unsure; /* parts next to a jump, which a last digit decides about: not compared, and without weight; NULL */
} HostArray;

typedef struct HostProgram {
    Translator *t;
    const Launch *launch;
    const StandaloneSample *sample;
    HostArray *arrays;
    uint32_t array_count, array_cap;
    bool has_backward;
    const char *no_backward; /* why its gradient cannot be compared; NULL */
    double derivative[DIRECTIONS], slack[DIRECTIONS];
} HostProgram;

double stream_unit(uint64_t stream, uint64_t index);      /* in [0, 1) */
double stream_direction(uint64_t stream, uint64_t index); /* in [-1, 1) */
void fill_array(const HostArray *array);                  /* inputs from its stream */
/* Fills the arrays with inputs, and finds out what the program must compute from them. False: see out. */
bool find_reference(HostProgram *program, AstProgram *kernel, const IrModule *module, StandaloneProgram *out);
void print_host(HostProgram *program, const char *reason, Text *out); /* why there is no backward kernel */

typedef struct Words {
    const char *const *pairs;  /* a word and what is written for it, in turn, NULL at the end */
    const struct Words *outer; /* more of them; NULL */
} Words;
void fill_words(Text *out, const char *text, size_t length, const Words *words);

#endif
