/* Launches of a kernel with what comes out of them, as JSON that is a table: a list of
 *
 *     {"dim": [4], "inputs": [row, …], "outputs": [row, …], "output_gradients": [row, …], "gradients": [row, …]}
 *
 * where a row is {"name": "a", "field": null, "type": "float32", "shape": [4, 3], "floats": […], "ints": null, "tolerance": null}:
 * one array, one scalar, or one field of a struct, its numbers one after the other. docs/reference/records.md has the details. */
#ifndef WEFT_CHECK_IO_H
#define WEFT_CHECK_IO_H

#include "check/check.h"

enum { CHECK_MOST_LAUNCHES = 8 };

typedef struct IoOptions {
    CheckPrograms *programs; /* as in CheckOptions */
    uint64_t seed;
    uint32_t launches; /* at least so many, from 1 to CHECK_MOST_LAUNCHES */
    bool backward;     /* also cotangents and gradients, as the generated backward pass has them */
    bool wants_slope;  /* refuse the kernel where all gradients are zero */
    bool choose;       /* smaller launches than described where the kernel allows it, and inputs that tell much */
    size_t most_bytes; /* a kernel whose launches need more is refused; 0: no matter how many */
    uint32_t size; /* with `choose`: the sizes of the launch become this one, or a little more; 0: as small as can be */
} IoOptions;

/* Appends the list. Launches are chosen such that together they take as many branches as can be found, and change every array that
 * the description calls an output. False: there are no such ones; nothing is appended. */
bool check_write_launches(Unit *unit, const IrModule *module, const CheckLaunch *description, const IoOptions *options,
                          Text *out);

/* Appends the arguments of a launch as an object, for people: {"a": [0.5, 1.5], "n": 4, "p": {"mass": 2.0}}. */
void check_write_inputs(Unit *unit, const IrModule *module, Launch *launch, Text *out);

#endif
