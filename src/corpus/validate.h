/* One record under examination: is it what its own text says, and what its seed and index give? */
#ifndef WEFT_CORPUS_VALIDATE_H
#define WEFT_CORPUS_VALIDATE_H

#include "corpus/manifest.h"

enum { FINDING_SIZE = 300 };

typedef struct Examined {
    bool has_candidate;  /* the record could be read at all */
    Candidate candidate; /* as the record has it */
    uint64_t number;     /* of its id */
    bool verdict_checked;
    uint32_t problem_count;
    char first_problem[FINDING_SIZE];
    char id[40];
} Examined;

/* `sampled`: also find out its verdict again. `same_version`: invent it again, too. */
void examine_record(Maker *maker, const CorpusOptions *options, char *line, size_t len, bool sampled, bool same_version,
                    Text *scratch, Examined *examined);

#endif
