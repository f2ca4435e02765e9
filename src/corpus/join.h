/* Finished sets of any origin, joined into one: harvested, invented, stored.
 *
 * Records stay as they are but for their row, set by set in the order of the rows. One that has the structure of a
 * record before it is left out, and so is one that looks like records of two splits. Splits are chosen as in any
 * other set, so that similar records share one split. The records of the first set keep their split, unless other
 * shares are asked for. */
#ifndef WEFT_CORPUS_JOIN_H
#define WEFT_CORPUS_JOIN_H

#include "corpus/corpus.h"

/* Is the folder a set that is no piece? False also where it is none. */
bool is_whole_set(const char *dir);
CorpusOutcome corpus_join(const char *dir, char *const *sets, size_t count, const CorpusRun *run, CorpusError *error);

#endif
