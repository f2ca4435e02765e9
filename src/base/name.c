#include "base/name.h"

#include <string.h>

static uint32_t hash_bytes(const char *text, size_t len)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

void names_init(NameTable *table, Arena *arena)
{
    table->arena = arena;
    table->count = 0;
    table->cap = 256;
    table->slots = ARENA_ARRAY(arena, Name, table->cap);
}

static Name *find_slot(Name *slots, uint32_t cap, uint32_t hash, const char *text, size_t len)
{
    for (uint32_t i = hash & (cap - 1);; i = (i + 1) & (cap - 1)) {
        Name name = slots[i];
        if (!name || (name->hash == hash && name->len == len && memcmp(name->text, text, len) == 0))
            return &slots[i];
    }
}

static void grow(NameTable *table)
{
    uint32_t cap = table->cap * 2;
    Name *slots = ARENA_ARRAY(table->arena, Name, cap);
    for (uint32_t i = 0; i < table->cap; i++) {
        Name name = table->slots[i];
        if (name)
            *find_slot(slots, cap, name->hash, name->text, name->len) = name;
    }
    table->slots = slots;
    table->cap = cap;
}

Name name_of(NameTable *table, const char *text, size_t len)
{
    uint32_t hash = hash_bytes(text, len);
    Name *slot = find_slot(table->slots, table->cap, hash, text, len);
    if (*slot)
        return *slot;
    NameText *name = arena_alloc(table->arena, sizeof *name + len + 1);
    name->hash = hash;
    name->len = (uint32_t)len;
    memcpy(name->text, text, len);
    *slot = name;
    if (++table->count > table->cap / 2)
        grow(table);
    return name;
}

Name name_cstr(NameTable *table, const char *text)
{
    return name_of(table, text, strlen(text));
}

bool name_is(Name name, const char *text)
{
    return name && strcmp(name->text, text) == 0;
}
