/* Which candidates of a range are duplicates, found before any of them is compiled: the structure of a kernel follows from its source.
 *
 * The keys of a range are made by threads or by tasks on many machines, 8 bytes per candidate; one pass over all of them in order
 * finds the losers, those whose key an earlier candidate has, as a bit per candidate. Whoever has these bits can make any part of the
 * range without asking anybody. Both may be files: a header, then keys or bits. */
#ifndef WEFT_CORPUS_LOSERS_H
#define WEFT_CORPUS_LOSERS_H

#include "corpus/corpus.h"

struct LoserMap {
    uint64_t first, end;
    uint8_t *bits; /* bit i of byte n: candidate first + 8 n + i */
    char hash[17]; /* of them */
};

/* Is it in the range of the map? */
bool loser_map_covers(const LoserMap *map, uint64_t first, uint64_t end);
bool is_loser(const LoserMap *map, uint64_t index);

/* Of the whole range of the options, on so many threads. NULL: *error says why, or the user wanted an end. */
LoserMap *losers_of_range(const CorpusOptions *options, unsigned jobs, const atomic_int *stop, CorpusError *error);

#endif
