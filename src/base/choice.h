/* A few words of which one is meant, as one text: "cuda|cpu|both". Options, manifests and records take them from the same text. */
#ifndef WEFT_BASE_CHOICE_H
#define WEFT_BASE_CHOICE_H

#include "base/text.h"

/* The n-th word; false: there are fewer. */
bool choice_at(const char *choices, size_t n, const char **start, size_t *length);
/* Which of them the word is; -1: none. */
int choice_find(const char *choices, const char *word);
/* Appends the n-th. */
void text_choice(Text *text, const char *choices, size_t n);

#endif
