/* What a thread keeps between samples. */
#ifndef WEFT_SYNTH_CONTEXT_H
#define WEFT_SYNTH_CONTEXT_H

#include "synth/meaning/meaning.h"
#include "synth/random/make.h"

enum { MAX_CHOICES = 32, MAX_FITTING = 96, MAX_FUNCTIONS = 256 };

/* Names that every kernel has, with the same number in all of them. */
typedef enum CommonName { COMMON_WP, COMMON_FLOAT, COMMON_INT, COMMON_BOOL, COMMON_RANGE, COMMON_COUNT } CommonName;

/* A name in the module of warp, and what it stands for. */
typedef struct WarpName {
    Node *node;               /* wp.NAME */
    const Function *function; /* the first row of that name; NULL: there is none */
    bool is_type;
} WarpName;

/* The functions that give a type, with their weights added up. */
typedef struct FunctionChoice {
    const Type *type;
    const Function *functions[MAX_FITTING];
    unsigned ends[MAX_FITTING], total;
    uint32_t count;
} FunctionChoice;

struct SynthContext {
    Arena tables;    /* as long as this object: types, templates, and nodes that all kernels share */
    NameTable names; /* of templates, and of warp */
    Name common[COMMON_COUNT];
    WarpName *warp_names; /* by the numbers of their names */
    uint32_t warp_name_count;
    uint16_t next_overload[MAX_FUNCTIONS]; /* the next row of the same name; 0: none */
    HashTable spellings;                   /* of types */
    TypeTable types;
    struct TemplateTable *templates;
    NameTable reserved; /* words that no name may be */
    Meaning *meaning;   /* scenes and laws */
    FunctionChoice choices[MAX_CHOICES];
    uint32_t choice_count;
    Arena work; /* reset for every candidate */
    Synth synth;
    Text plain, source, launch;
    char refusal[256];
};

void names_reserved(SynthContext *context); /* sets up the words that no name may be */
/* Sets up the names that all kernels share. */
void names_of_warp(SynthContext *context);
const WarpName *warp_name(Synth *s, Name name); /* a name of the context's table; valid until the next is asked for */

/* One candidate from the grammar of types (random/). False: it did not work out. */
bool attempt_random(SynthContext *context, Rng rng, CategoryId category, SynthSample *sample);

#endif
