/* What a thread keeps between samples. */
#ifndef WEFT_SYNTH_CONTEXT_H
#define WEFT_SYNTH_CONTEXT_H

#include "synth/make.h"

enum { MAX_CHOICES = 32, MAX_FITTING = 96 };

/* The functions that give a type, with their weights added up. */
typedef struct FunctionChoice {
    const Type *type;
    const Function *functions[MAX_FITTING];
    unsigned ends[MAX_FITTING], total;
    uint32_t count;
} FunctionChoice;

struct SynthContext {
    Arena tables; /* as long as this object: types, templates */
    NameTable names;
    TypeTable types;
    struct TemplateTable *templates;
    const struct WordIndex *words;
    FunctionChoice choices[MAX_CHOICES];
    uint32_t choice_count;
    Arena work; /* reset for every candidate */
    Synth synth;
    Text source, launch;
    char refusal[256];
};

/* The words of every theme by the kind of their values. */
const struct WordIndex *index_words(Arena *arena);

#endif
