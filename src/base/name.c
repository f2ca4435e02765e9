#include "base/name.h"

#include <string.h>

/* Up to eight bytes as a number, for the hash alone: the order of bytes does not matter. */
static uint64_t load_tail(const char *text, size_t len)
{
    uint64_t word = 0;
    if (len >= 4) {
        uint32_t first, last;
        memcpy(&first, text, 4);
        memcpy(&last, text + len - 4, 4);
        word = (uint64_t)first << 32 | last;
    } else if (len) {
        word = (uint64_t)(unsigned char)text[0] << 16 | (uint64_t)(unsigned char)text[len / 2] << 8 |
               (unsigned char)text[len - 1];
    }
    return word;
}

uint32_t name_hash(const char *text, size_t len)
{
    const uint64_t multiplier = 0x9e3779b97f4a7c15u;
    uint64_t hash = len * multiplier;
    for (; len > 8; text += 8, len -= 8) {
        uint64_t word;
        memcpy(&word, text, sizeof word);
        hash = (hash ^ word) * multiplier;
        hash ^= hash >> 32;
    }
    hash = (hash ^ load_tail(text, len)) * multiplier;
    return (uint32_t)(hash >> 32);
}

static void resize(NameTable *table, uint32_t cap)
{
    Name *slots = ARENA_ARRAY(table->arena, Name, cap);
    for (uint32_t i = 0; i < table->cap; i++) {
        if (!table->slots[i])
            continue;
        uint32_t at = table->slots[i]->hash & (cap - 1);
        while (slots[at])
            at = (at + 1) & (cap - 1);
        slots[at] = table->slots[i];
    }
    arena_give_back(table->arena, table->slots, table->cap * sizeof *slots);
    table->slots = slots;
    table->cap = cap;
}

void names_reserve(NameTable *table, uint32_t count)
{
    uint32_t cap = table->cap ? table->cap : 16;
    while (cap / 2 < count)
        cap *= 2;
    if (cap > table->cap)
        resize(table, cap);
}

void names_init(NameTable *table, Arena *arena)
{
    *table = (NameTable){.arena = arena};
}

/* Where a name is, or belongs. The table is not empty. */
static Name *seek(const NameTable *table, uint32_t hash, const char *text, size_t len)
{
    uint32_t mask = table->cap - 1;
    for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
        Name name = table->slots[i];
        if (!name || (name->hash == hash && name->len == len && memcmp(name->text, text, len) == 0))
            return &table->slots[i];
    }
}

Name name_of(NameTable *table, const char *text, size_t len)
{
    return name_add(table, name_hash(text, len), text, len);
}

/* Where the name is, or belongs: there is room for it. */
static Name *slot_of(NameTable *table, uint32_t hash, const char *text, size_t len)
{
    if (table->count >= table->cap / 2)
        resize(table, table->cap ? table->cap * 2 : 64);
    return seek(table, hash, text, len);
}

static Name new_name(NameTable *table, uint32_t hash, const char *text, size_t len, uint8_t watch)
{
    NameText *name = arena_take(table->arena, sizeof *name + len + 1);
    name->hash = hash;
    name->len = (uint32_t)len;
    name->id = table->count++;
    name->watch = watch;
    memcpy(name->text, text, len);
    name->text[len] = '\0';
    return name;
}

Name name_add(NameTable *table, uint32_t hash, const char *text, size_t len)
{
    Name *slot = slot_of(table, hash, text, len);
    if (!*slot)
        return *slot = new_name(table, hash, text, len, 0);
    table->used |= (*slot)->watch;
    return *slot;
}

void name_watch(NameTable *table, const char *text, uint8_t bit)
{
    size_t len = strlen(text);
    uint32_t hash = name_hash(text, len);
    Name *slot = slot_of(table, hash, text, len);
    if (!*slot)
        *slot = new_name(table, hash, text, len, bit);
    table->watched |= (*slot)->watch;
}

Name name_find(const NameTable *table, uint32_t hash, const char *text, size_t len)
{
    return table->cap ? *seek(table, hash, text, len) : NULL;
}

Name name_cstr(NameTable *table, const char *text)
{
    return name_of(table, text, strlen(text));
}
