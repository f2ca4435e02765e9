/* The likeness of source texts, regardless of names and numbers: the set of all runs of five tokens.
 *
 * Names become one token and numbers another; texts, comments and line ends are left out. Python's words, what
 * follows a dot and a few builtin names stay as they are. A gram is 20 bits of a hash: the about two hundred grams of
 * a kernel rarely collide, and a table by gram is small. */
#ifndef WEFT_CORPUS_GRAMS_H
#define WEFT_CORPUS_GRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GRAM_TOKENS = 5, GRAM_BITS = 20, GRAM_COUNT = 1 << GRAM_BITS };

typedef struct GramSet {
    uint32_t *items; /* ascending, each once */
    size_t count, cap;
} GramSet;

bool grams_of_source(GramSet *set, const char *source, size_t len); /* false: out of memory */
/* Items that lie anywhere in memory. False: out of memory. */
bool gram_set_read(GramSet *set, const char *items, size_t count);
void gram_set_free(GramSet *set);

#endif
