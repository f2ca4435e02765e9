/* How the author of a kernel names things: drawn once, so that all names of the kernel agree. */
#ifndef WEFT_SYNTH_MEANING_NAME_STYLE_H
#define WEFT_SYNTH_MEANING_NAME_STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Draft;
struct Symbol;

/* The variable that holds an element of an array: of masses[i] … */
typedef enum ElementStyle {
    ELEMENT_CORE,    /* mass */
    ELEMENT_WORD,    /* m, mi or mass, as its quantity is called */
    ELEMENT_INITIAL, /* m */
    ELEMENT_GLUED,   /* mi */
    ELEMENT_MINE,    /* my_mass */
    ELEMENT_ENDING,  /* mass_val */
    ELEMENT_INDEX    /* mass_i */
} ElementStyle;

/* What arguments say about being read and written. */
typedef enum WayStyle {
    WAY_AS_DRAWN,
    WAY_OUT,         /* rho_out */
    WAY_IN_OUT,      /* mass_in, rho_out */
    WAY_OUT_FIRST,   /* out_rho */
    WAY_IN_OUT_FIRST /* in_mass, out_rho */
} WayStyle;

enum { MODULE_NAME = 20 };

typedef struct NameStyle {
    char module[MODULE_NAME]; /* of the author's project: "mpx"; empty: names do not mention it */
    bool module_last;         /* update_mpx */
    bool module_kernels, module_functions, module_classes, module_constants, module_arrays;
    bool private_kernels, private_functions, private_constants, private_classes; /* _update */
    const char *verb;                      /* before a noun: compute_density; empty: none */
    bool verb_functions;                   /* functions have it, too */
    const char *kernel_start, *kernel_end; /* "k_", "_kernel"; empty: none */
    const char *array_start, *array_end;   /* "sim_", "_buf"; empty: none */
    bool entities;                         /* particle_mass */
    bool camel;                            /* restLength */
    WayStyle way;
    unsigned abbreviates, expands; /* so many of 100 words that have a short or a long form */
    const char *index_word;        /* idx, id, index; empty: as drawn */
    const char *count_word;        /* num_, n_, _count; empty: as drawn */
    const char *thread;            /* what the thread's index is called, @ its entity; empty: as drawn */
    ElementStyle element;
    const char *mine, *ending; /* of elements */
} NameStyle;

NameStyle random_name_style(struct Draft *d);
/* Words in the author's spelling: velocity or vel. Returns the length. */
size_t respell_name(const struct Draft *d, const struct Symbol *symbol, char *text, size_t len, size_t room);
/* What goes before and behind the name of such a symbol. Returns the length. */
size_t affix_name(const struct Draft *d, const struct Symbol *symbol, char *text, size_t len, size_t room);
/* The names to draw from, where the author has a habit; NULL: the symbol's own. */
const char *habitual_names(struct Draft *d, const struct Symbol *symbol);

#endif
