#include "base/tally.h"

#include "base/array.h"

#include <ctype.h>

bool tally_add(Tallies *tallies, const char *text, uint64_t count)
{
    for (size_t i = 0; i < tallies->count; i++)
        if (strcmp(tallies->items[i].text, text) == 0) {
            tallies->items[i].count += count;
            return true;
        }
    char *copy = ARRAY_ROOM(tallies->items, tallies->count, tallies->cap) ? strdup(text) : NULL;
    if (copy)
        tallies->items[tallies->count++] = (Tally){copy, count};
    return copy;
}

bool tally_join(Tallies *tallies, const Tallies *others)
{
    bool done = true;
    for (size_t i = 0; i < others->count; i++)
        done &= tally_add(tallies, others->items[i].text, others->items[i].count);
    return done;
}

bool tally_add_message(Tallies *tallies, const char *message)
{
    Text text = {0};
    for (const char *at = message; *at; at++) {
        bool opens = *at == '\'' && (at == message || !isalnum((unsigned char)at[-1]));
        const char *end = opens ? strchr(at + 1, '\'') : NULL;
        if (end) {
            text_lit(&text, "'…'");
            at = end;
        } else
            text_char(&text, *at);
    }
    bool added = !text.failed && tally_add(tallies, text_cstr(&text), 1);
    text_free(&text);
    return added;
}

static int most_first(const void *a, const void *b)
{
    const Tally *left = a, *right = b;
    if (left->count != right->count)
        return left->count < right->count ? 1 : -1;
    return strcmp(left->text, right->text);
}

void tally_lines(Tallies *tallies, Text *out)
{
    if (tallies->count)
        qsort(tallies->items, tallies->count, sizeof *tallies->items, most_first);
    for (size_t i = 0; i < tallies->count; i++)
        text_format(out, "%7llu %s\n", (unsigned long long)tallies->items[i].count, tallies->items[i].text);
}

void tally_free(Tallies *tallies)
{
    for (size_t i = 0; i < tallies->count; i++)
        free(tallies->items[i].text);
    free(tallies->items);
    *tallies = (Tallies){0};
}
