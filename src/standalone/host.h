/* The host side of a program: its data, the launches, and a main() that checks itself. */
#ifndef WEFT_STANDALONE_HOST_H
#define WEFT_STANDALONE_HOST_H

#include "check/expect.h"
#include "standalone/model.h"

typedef struct Words {
    const char *const *pairs;  /* a word and what is written for it, in turn, NULL at the end */
    const struct Words *outer; /* more of them; NULL */
} Words;

/* An array argument, or an array in a struct argument. */
typedef struct HostArray {
    ExpectedArray e;
    Var *param;
    const char *path;    /* "points", "state.points": in the source */
    const char *place;   /* the same in C */
    const char *name;    /* as a C name: "state_points" */
    const char *element; /* C type */
    bool in_struct;
    bool keeps_result; /* the backward kernel looks at the result of the forward kernel */
    Words words;       /* what host.cu says of it */
} HostArray;

typedef struct HostProgram {
    Translator *t;
    Launch *launch;
    const StandaloneSample *sample;
    HostArray *arrays;
    uint32_t array_count, array_cap;
    uint32_t array_at; /* the one after that which was looked for last */
    Expectation expected;
} HostProgram;

void print_host(HostProgram *program, const char *reason, Text *out); /* why there is no backward kernel */

void fill_words(Text *out, const char *text, size_t length, const Words *words);

#endif
