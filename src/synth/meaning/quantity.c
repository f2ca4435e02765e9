/* What values are, and of what: quantities.def as tables. */
#include "synth/meaning/meaning.h"

#include <string.h>

static const Quantity quantities[] = {
#define QUANTITY(id, type, unit, low, high, arrays, locals, settings, phrase)                                          \
    {#id, type, unit, low, high, arrays, locals, settings, phrase},
#define ENTITY(id, one, indices, counts)
#include "synth/meaning/quantities.def"
#undef QUANTITY
#undef ENTITY
};

static const Entity entities[] = {
#define QUANTITY(id, type, unit, low, high, arrays, locals, settings, phrase)
#define ENTITY(id, one, indices, counts) {#id, one, indices, counts},
#include "synth/meaning/quantities.def"
#undef QUANTITY
#undef ENTITY
};

const Quantity *quantity_table(uint32_t *count)
{
    *count = (uint32_t)(sizeof quantities / sizeof *quantities);
    return quantities;
}

const char *synth_unit(const char *quantity)
{
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
        if (strcmp(quantities[i].id, quantity) == 0)
            return quantities[i].unit;
    return "";
}

const Entity *entity_table(uint32_t *count)
{
    *count = (uint32_t)(sizeof entities / sizeof *entities);
    return entities;
}

const Quantity *quantity_find(const Meaning *meaning, Name id)
{
    const TableSlot *slot = table_find(&meaning->quantities, id);
    return slot ? &quantities[slot->number] : NULL;
}

const Entity *entity_find(const Meaning *meaning, Name id)
{
    const TableSlot *slot = table_find(&meaning->entities, id);
    return slot ? &entities[slot->number] : NULL;
}

static bool ends_in(const char *word, size_t len, const char *end)
{
    size_t tail = strlen(end);
    return len > tail && memcmp(word + len - tail, end, tail) == 0;
}

const char *entity_plural(Arena *arena, const char *one)
{
    size_t len = strlen(one);
    if (ends_in(one, len, "tex") || ends_in(one, len, "trix"))
        return arena_format(arena, "%.*sices", (int)len - 2, one);
    if (len > 1 && one[len - 1] == 'y' && !strchr("aeio", one[len - 2])) /* bodies, queries, but keys */
        return arena_format(arena, "%.*sies", (int)len - 1, one);
    if (ends_in(one, len, "s") || ends_in(one, len, "x") || ends_in(one, len, "ch") || ends_in(one, len, "sh"))
        return arena_join(arena, one, "es");
    return arena_join(arena, one, "s");
}

bool is_alternative(const char *alternatives, const char *word, size_t len)
{
    for (const char *at = alternatives; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strncmp(at, word, len) == 0 && (!at[len] || at[len] == '|'))
            return true;
    return false;
}

bool is_word_of_quantity(const Quantity *quantity, const char *role)
{
    static const char *const ends[] = {"_in", "_out", "_of", "_new"};
    size_t len = strlen(role);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end = strlen(ends[i]);
        if (len > end && strcmp(role + len - end, ends[i]) == 0) {
            len -= end;
            break;
        }
    }
    return len < 3 || is_alternative(quantity->locals, role, len) || is_alternative(quantity->arrays, role, len) ||
           is_alternative(quantity->settings, role, len);
}
