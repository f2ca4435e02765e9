/* What a thread keeps between samples. */
#ifndef WEFT_SYNTH_CONTEXT_H
#define WEFT_SYNTH_CONTEXT_H

#include "synth/make.h"

struct SynthContext {
    Arena tables; /* as long as this object: types, templates */
    NameTable names;
    TypeTable types;
    struct TemplateTable *templates;
    Arena work;   /* reset for every candidate */
    Synth synth;
    Text source, launch;
    char refusal[256];
};

#endif
