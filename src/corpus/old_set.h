/* A finished data set of record format 1, read in the order of its records; what is read is checked against its manifest. */
#ifndef WEFT_CORPUS_OLD_SET_H
#define WEFT_CORPUS_OLD_SET_H

#include "corpus/manifest.h"

typedef struct OldSet OldSet;

/* `options`: what its records are written with in the present format. NULL: *error says why it cannot be read. */
OldSet *old_set_open(const char *dir, CorpusOptions *options, CorpusError *error);
/* The next record, until the next call; NULL: the end, or *error says what is wrong. */
const char *old_set_next(OldSet *set, size_t *len, CorpusError *error);
void old_set_free(OldSet *set);

#endif
