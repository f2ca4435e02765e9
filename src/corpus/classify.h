/* The category of a kernel that somebody wrote, by what its region tree does. */
#ifndef WEFT_CORPUS_CLASSIFY_H
#define WEFT_CORPUS_CLASSIFY_H

#include "ir/ir.h"
#include "synth/synth.h"

/* The first category that fits, from the special (random numbers, queries, rotations) to the general (arithmetic). A
 * kernel that fits many is `combined`. physics, fem and ml name a purpose, which the tree does not show: no kernel
 * gets these. */
CategoryId classify(const IrModule *module);

#endif
