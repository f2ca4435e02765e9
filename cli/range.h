/* Ranges of candidates, as options give them. */
#ifndef WEFT_CLI_RANGE_H
#define WEFT_CLI_RANGE_H

#include "corpus/corpus.h"

#define RANGE_ADVICE "--candidates takes two numbers, such as 0:100000, not '%s'"

/* "A:B": candidates A to B-1. False: it is none. */
bool read_range(const char *text, CorpusOptions *options);

#endif
