/* A kernel as a CUDA program of its own: readable, with the header weft_math.cuh, with a right gradient, and with a main()
 * that compares what it computes with reference values of weft's evaluators.
 *
 * The text is made from the syntax tree with the builder's types (unit->keep_types must have been set), so that structure,
 * names and comments stay. What cannot be translated is refused with a reason; a kernel whose backward pass cannot be made
 * right gets none, and `reason` says why. See docs/reference/standalone.md. */
#ifndef WEFT_STANDALONE_STANDALONE_H
#define WEFT_STANDALONE_STANDALONE_H

#include "check/check.h"

/* Functions that are written in the kernel language, translated once; one per thread. */
typedef struct StandaloneLibrary StandaloneLibrary;
StandaloneLibrary *standalone_library_new(const char *warp); /* for kernels of that version; NULL: out of memory */
void standalone_library_free(StandaloneLibrary *library);

typedef struct StandaloneText {
    const char *device; /* structs, functions and kernels */
    bool has_backward;
    const char *reason; /* of a refusal; with a translation: why there is no backward kernel */
    uint32_t offset;    /* in the source, of what was refused */
} StandaloneText;

/* The text needs CUDA and weft_math.cuh. Loops whose values the backward kernel needs again save as many turns as
 * launches of that description may take; NULL: 64. Without `backward`, there is the
 * forward kernel alone. False: refused. Everything lives in the unit's arena. */
bool standalone_translate(Unit *unit, const IrModule *module, StandaloneLibrary *library, const CheckLaunch *launch,
                          bool backward, StandaloneText *out);

typedef struct StandaloneSample {
    const char *name;   /* of the kernel */
    const char *source; /* Python */
    size_t source_len;
    const char *category, *description; /* or NULL */
    uint64_t seed, index;
    bool is_guessed; /* the launch: where it takes long, a smaller one will do */
} StandaloneSample;

typedef struct StandaloneProgram {
    Text *cu, *metadata, *makefile;
    const char *stem; /* of the files' names: the kernel's, unless that means something else */
    bool has_backward;
    const char *reason;  /* as in StandaloneText */
    const char *finding; /* the kind of a finding that the evaluator has reported, or NULL */
    uint32_t offset;
} StandaloneProgram;

/* The whole program of a kernel, on the inputs of a launch description. False: refused, see reason. */
bool standalone_program(Unit *unit, const IrModule *module, StandaloneLibrary *library, const CheckLaunch *launch,
                        const StandaloneSample *sample, StandaloneProgram *out);

const char *standalone_shim(void);   /* text of weft_cpu_shim.h */
const char *standalone_header(void); /* text of weft_math.cuh */

#endif
