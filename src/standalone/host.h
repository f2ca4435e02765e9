/* The host side of a program: its data, the launches, and a main() that checks itself. */
#ifndef WEFT_STANDALONE_HOST_H
#define WEFT_STANDALONE_HOST_H

#include "standalone/model.h"

enum { DIRECTIONS = 3, MAX_EXPECTED = 256 };

/* Streams of the counter-based random numbers that program and reference share. */
enum { STREAM_WEIGHTS = 1000, STREAM_DIRECTION = 2000 };

/* An array argument, or an array in a struct argument. */
typedef struct HostArray {
    const Var *param;
    const char *path;    /* "points", "state.points": in the source */
    const char *place;   /* the same in C */
    const char *name;    /* as a C name: "state_points" */
    const char *element; /* C type */
    const Type *type;    /* of an element */
    LaunchValue *value;  /* inputs */
    double low, high;    /* of the inputs */
    uint32_t stream;
    bool is_output, is_float, in_struct;
    bool keeps_result;      /* the backward kernel looks at the result of the forward kernel */
    const double *expected; /* every `step`-th part of the result */
    uint32_t expected_count, step;
    double tolerance; /* absolute, of one part */
} HostArray;

typedef struct HostProgram {
    Translator *t;
    const Launch *launch;
    const StandaloneSample *sample;
    HostArray *arrays;
    uint32_t array_count, array_cap;
    bool has_backward;
    double derivative[DIRECTIONS], slack[DIRECTIONS];
} HostProgram;

double stream_unit(uint64_t stream, uint64_t index);      /* in [0, 1) */
double stream_direction(uint64_t stream, uint64_t index); /* in [-1, 1) */
void print_host(HostProgram *program, Text *out);

#endif
