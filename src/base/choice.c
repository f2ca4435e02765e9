#include "base/choice.h"

#include <string.h>

bool choice_at(const char *choices, size_t n, const char **start, size_t *length)
{
    for (; n && choices; n--) {
        choices = strchr(choices, '|');
        choices = choices ? choices + 1 : NULL;
    }
    *start = choices;
    *length = choices ? strcspn(choices, "|") : 0;
    return choices != NULL;
}

int choice_find(const char *choices, const char *word)
{
    const char *start;
    size_t length;
    for (size_t i = 0; choice_at(choices, i, &start, &length); i++)
        if (strlen(word) == length && memcmp(word, start, length) == 0)
            return (int)i;
    return -1;
}

void text_choice(Text *text, const char *choices, size_t n)
{
    const char *start;
    size_t length;
    if (choice_at(choices, n, &start, &length))
        text_add(text, start, length);
}
