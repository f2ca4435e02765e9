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

typedef struct Wanted {
    const char *text;
    size_t len;
} Wanted;

static bool has_text(const void *key, const void *wanted)
{
    Name name = key;
    const Wanted *text = wanted;
    return name->len == text->len && memcmp(name->text, text->text, text->len) == 0;
}

void names_init(NameTable *table, Arena *arena)
{
    *table = (NameTable){.arena = arena};
    table_reserve(&table->index, arena, 32); /* a file with one kernel has fewer */
}

Name name_of(NameTable *table, const char *text, size_t len)
{
    return name_add(table, name_hash(text, len), text, len);
}

Name name_add(NameTable *table, uint32_t hash, const char *text, size_t len)
{
    TableSlot *slot = table_add_like(&table->index, table->arena, hash, has_text, &(Wanted){text, len});
    if (slot->key)
        return slot->key;
    NameText *name = arena_take(table->arena, sizeof *name + len + 1);
    name->hash = hash;
    name->len = (uint32_t)len;
    name->id = table->count++;
    memcpy(name->text, text, len);
    name->text[len] = '\0';
    return slot->key = name;
}

Name name_find(const NameTable *table, uint32_t hash, const char *text, size_t len)
{
    const TableSlot *slot = table_find_like(&table->index, hash, has_text, &(Wanted){text, len});
    return slot ? slot->key : NULL;
}

Name name_cstr(NameTable *table, const char *text)
{
    return name_of(table, text, strlen(text));
}

bool name_is_used(const NameTable *table, const char *text)
{
    size_t len = strlen(text);
    return name_find(table, name_hash(text, len), text, len) != NULL;
}
