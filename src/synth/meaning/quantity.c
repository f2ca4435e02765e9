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
