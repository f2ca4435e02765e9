/* "Did you mean …?": the name that a misspelt word is nearest to. */
#ifndef WEFT_BASE_SUGGEST_H
#define WEFT_BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Suggestion {
    const char *word;
    size_t word_length;
    const char *best; /* NULL: nothing is near enough */
    size_t best_length, distance;
} Suggestion;

Suggestion suggestion_for(const char *word, size_t length);
void suggestion_offer(Suggestion *suggestion, const char *name, size_t length);

/* If no name is near: the name for a word that other tools use for the same thing, if it is among those of synonyms.def. */
void suggestion_synonym(Suggestion *suggestion);

/* " (did you mean 'vector'?)", or nothing. */
const char *suggestion_text(const Suggestion *suggestion, const char *prefix, char *buffer, size_t size);

#endif
