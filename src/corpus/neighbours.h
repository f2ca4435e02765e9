/* Records that look alike stay in one split.
 *
 * Two records are neighbours where their grams have a Jaccard similarity of at least NEIGHBOUR_PERCENT. A record
 * joins the split of its neighbours; one with neighbours in two splits belongs to neither, and is left out. The
 * search is exact: its result does not depend on the order of insertion, so any way to make a set gives the same
 * bytes.
 *
 * The search: a neighbour lacks at most n - 0.65 n of a set's n grams. So one more than that many, the first of each
 * set in one order of all grams, share at least one gram. For each gram, a list holds the records that have it among
 * these; the search reads these lists. The order begins with the grams that are rare in the first records. Memory:
 * about 800 bytes per record, and 13 MB. */
#ifndef WEFT_CORPUS_NEIGHBOURS_H
#define WEFT_CORPUS_NEIGHBOURS_H

#include "corpus/corpus.h"
#include "corpus/grams.h"

enum { NEIGHBOUR_PERCENT = 65 };

typedef struct Neighbours Neighbours;

Neighbours *neighbours_new(void); /* NULL: out of memory */
void neighbours_free(Neighbours *neighbours);

/* The split of a record that is wanted in `wanted`, by those that were added; SPLIT_COUNT: it is between two. False: out of memory. */
bool neighbours_choose(Neighbours *neighbours, const GramSet *grams, Split wanted, Split *split);
/* From now on there is such a record. False: out of memory. */
bool neighbours_add(Neighbours *neighbours, const GramSet *grams, Split split);

#endif
