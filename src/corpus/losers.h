/* Which candidates of a range are duplicates, found before any of them is compiled: the structure of a kernel follows from its source.
 *
 * Threads, or tasks on many machines, compute the keys of a range: 8 bytes per candidate. One pass over them in order
 * finds the losers, whose key an earlier candidate has: a bit per candidate. These bits suffice to make any part of
 * the range. Both may be files: a header, then keys or bits. */
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

/* The losers of the options' whole range, found by `jobs` threads. NULL: *error says why, or the user stopped it. */
LoserMap *losers_of_range(const CorpusOptions *options, unsigned jobs, const atomic_int *stop, CorpusError *error);

#endif
