#include "base/table.h"

static void resize(HashTable *table, Arena *arena, uint32_t cap)
{
    HashTable larger = {.slots = ARENA_ARRAY(arena, TableSlot, cap), .count = table->count, .cap = cap};
    for (uint32_t i = 0; i < table->cap; i++) {
        if (!table->slots[i].key)
            continue;
        uint32_t at = table->slots[i].hash & (cap - 1);
        while (larger.slots[at].key)
            at = (at + 1) & (cap - 1);
        larger.slots[at] = table->slots[i];
    }
    *table = larger;
}

void table_reserve(HashTable *table, Arena *arena, uint32_t count)
{
    uint32_t cap = table->cap ? table->cap : 16;
    while (cap / 2 < count)
        cap *= 2;
    if (cap > table->cap)
        resize(table, arena, cap);
}

void table_make_room(HashTable *table, Arena *arena)
{
    resize(table, arena, table->cap ? table->cap * 2 : 16);
}

/* ---- keys that are found by their address ---- */

static bool is_same(const void *key, const void *wanted)
{
    return key == wanted;
}

TableSlot *table_find(const HashTable *table, const void *key)
{
    return table_find_like(table, hash_address(key), is_same, key);
}

TableSlot *table_add(HashTable *table, Arena *arena, const void *key)
{
    TableSlot *slot = table_add_like(table, arena, hash_address(key), is_same, key);
    slot->key = key;
    return slot;
}
