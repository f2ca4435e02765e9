#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 40 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters are added, left out, changed, or exchanged with their neighbour. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_len; j++)
        above[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            row[j] = smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[b_len];
}

Suggestion suggestion_for(const char *word, size_t length)
{
    return (Suggestion){.word = word, .word_length = length};
}

void suggestion_offer(Suggestion *suggestion, const char *name, size_t length)
{
    size_t given = suggestion->word_length;
    if (!given || given > LONGEST || length > LONGEST)
        return;
    /* A beginning of a name is as good as a small slip. */
    bool begins = given >= 3 && given < length && memcmp(suggestion->word, name, given) == 0;
    size_t allowed = begins ? 1 : given < 5 ? 1 : given < 9 ? 2 : 3;
    if (!begins && (given > length + allowed || length > given + allowed))
        return;
    size_t far = begins ? 1 : distance(suggestion->word, given, name, length);
    if (far > allowed || far >= length || (suggestion->best && far >= suggestion->distance))
        return;
    suggestion->best = name;
    suggestion->best_length = length;
    suggestion->distance = far;
}

void suggestion_synonym(Suggestion *suggestion)
{
    static const struct {
        const char *word, *name;
    } synonyms[] = {
#define SYNONYM(word, name) {word, name},
#include "base/synonyms.def"
#undef SYNONYM
    };
    for (size_t i = 0; !suggestion->best && i < sizeof synonyms / sizeof *synonyms; i++)
        if (strcmp(synonyms[i].word, suggestion->word) == 0) {
            suggestion->best = synonyms[i].name;
            suggestion->best_length = strlen(synonyms[i].name);
        }
}

const char *suggestion_text(const Suggestion *suggestion, const char *prefix, char *buffer, size_t size)
{
    if (!suggestion->best)
        return "";
    snprintf(buffer, size, " (did you mean '%s%.*s'?)", prefix, (int)suggestion->best_length, suggestion->best);
    return buffer;
}
