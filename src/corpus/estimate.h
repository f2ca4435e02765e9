/* The size and the time of a large data set, before it is made. */
#ifndef WEFT_CORPUS_ESTIMATE_H
#define WEFT_CORPUS_ESTIMATE_H

#include "corpus/corpus.h"

typedef struct CorpusEstimate {
    double bytes, details_bytes; /* of all files with records, and of those with details */
    double seconds;              /* with so many threads */
} CorpusEstimate;

enum { ESTIMATE_CANDIDATES = 64 };

/* Makes some candidates of the run, packs their records as a run does, and multiplies. False: out of memory, or none of them is a record. */
bool corpus_estimate(const CorpusOptions *options, unsigned jobs, CorpusEstimate *estimate);

#endif
