/* How often each of several texts was said. */
#ifndef WEFT_BASE_TALLY_H
#define WEFT_BASE_TALLY_H

#include "base/text.h"

typedef struct Tally {
    char *text;
    uint64_t count;
} Tally;

typedef struct Tallies { /* all zeros: none */
    Tally *items;
    size_t count, cap;
} Tallies;

bool tally_add(Tallies *tallies, const char *text, uint64_t count); /* false: out of memory */
bool tally_join(Tallies *tallies, const Tallies *others);
/* A message without the names that it quotes, so that like ones are counted together: "'…' is not known". */
bool tally_add_message(Tallies *tallies, const char *message);
/* One line for each, the most frequent first. */
void tally_lines(Tallies *tallies, Text *out);
void tally_free(Tallies *tallies);

#endif
