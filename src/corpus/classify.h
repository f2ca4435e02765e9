/* The category of a kernel that somebody wrote, by what its region tree does. */
#ifndef WEFT_CORPUS_CLASSIFY_H
#define WEFT_CORPUS_CLASSIFY_H

#include "ir/ir.h"
#include "synth/synth.h"

/* The first that fits, from the special (random numbers, queries, rotations) to the general (arithmetic); one that fits many is
 * `combined`. physics, fem and ml are what a kernel is for, which its tree does not say: none is given these. */
CategoryId classify(const IrModule *module);

#endif
