/* Candidates made by threads and taken in order. */
#ifndef WEFT_CORPUS_BATCH_H
#define WEFT_CORPUS_BATCH_H

#include "corpus/candidate.h"

/* On the calling thread; false: enough. `text` is the record, its grams follow it. */
typedef bool CandidateTaker(void *user, const Candidate *candidate, const char *text);

typedef struct CandidateLine {
    const CorpusOptions *options;
    uint64_t first;         /* the candidate to begin with, counted within the piece */
    const atomic_int *stop; /* set: end now; NULL: nobody wants to */
    CandidateTaker *take;
    void *user;
} CandidateLine;

/* On so many threads besides the calling one. False: *error says why. */
bool candidates_in_order(const CandidateLine *line, unsigned jobs, CorpusError *error);

#endif
