/* Records that look alike stay in one split.
 *
 * Two records are neighbours where their grams have a Jaccard similarity of at least NEIGHBOUR_PERCENT. A record joins the
 * split of its neighbours; one with neighbours in two splits belongs to neither, and is left out. The search is exact: what
 * it finds does not depend on the order in which records were added, so that any way to make a set gives the same bytes.
 *
 * How it searches: of a set of n grams, at most n - 0.65 n can be missing from a neighbour, so one more than that many of them,
 * the same of both by one order of all grams, have at least one in common. Lists by gram of the records that have it
 * among these are looked through; in the order, grams come first that the first records have seldom. Memory: about
 * 800 bytes per record, and 13 MB. */
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
