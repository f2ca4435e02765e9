/* What a thread keeps between samples. */
#ifndef WEFT_SYNTH_CONTEXT_H
#define WEFT_SYNTH_CONTEXT_H

#include "synth/meaning/meaning.h"

struct SynthContext {
    Arena tables;     /* as long as this object: scenes and laws */
    NameTable names;  /* in them */
    Meaning *meaning; /* scenes and laws */
    Arena work;       /* reset for every candidate */
    Text plain, source, launch;
    char refusal[256];
};

#endif
