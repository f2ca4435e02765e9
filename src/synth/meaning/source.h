/* Forms of sources, in two files: which element is read (source_element.c), and what is made of several values (source.c). */
#ifndef WEFT_SYNTH_MEANING_SOURCE_H
#define WEFT_SYNTH_MEANING_SOURCE_H

#include "synth/meaning/flow.h"

typedef struct Sources {
    Draft *d;
    NodeList before; /* statements that the value needs */
    uint32_t left;   /* so many forms may still be used */
    uint32_t used;   /* a bit for each form: none contains itself */
} Sources;

/* A clause for the description, with the item's phrase for %s. */
const char *say(Sources *s, const char *format, const Item *item);
void add_clause(Sources *s, const char *clause);
/* The value of an item, by a form or as it is. */
Value read_source(Sources *s, Item *item, uint32_t depth);

Value make_table(Sources *s, Item *item, uint32_t depth);
Value make_pair(Sources *s, Item *item, uint32_t depth);
Value make_gather(Sources *s, Item *item, uint32_t depth);
Value make_slot(Sources *s, Item *item, uint32_t depth);
Value make_window(Sources *s, Item *item, uint32_t depth);
Value make_smooth(Sources *s, Item *item, uint32_t depth);
bool is_ordered(const Entity *entity); /* have they neighbours? */
bool is_single_axis(const Draft *d);   /* but for that of worlds */

/* Arrays that are read at indices, not at the thread's own element. */
bool may_be_looked_up(const Draft *d, const Item *item);
bool give_lookup_source(Draft *d, Item *item);

#endif
