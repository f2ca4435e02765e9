/* The hash table. It lives in an arena, grows as needed and forgets nothing.
 *
 * Most tables find a key by its address: interned names, types, nodes.
 *
 *     table_add(&table, arena, name)->number = 3;
 *     const TableSlot *slot = table_find(&table, name);
 *     uint32_t number = slot ? slot->number : 0;
 *
 * The others find it by what it holds: the caller gives a hash and a function that compares a key of the table with
 * what is wanted (table_find_like, table_add_like). A slot stays where it is until something else is added. */
#ifndef WEFT_BASE_TABLE_H
#define WEFT_BASE_TABLE_H

#include "base/arena.h"

#include <stdint.h>

typedef struct TableSlot {
    const void *key; /* NULL: free */
    void *item;      /* what goes with the key, for the caller to use: 0 at first */
    uint32_t number; /* the same */
    uint32_t hash;
} TableSlot;

typedef struct HashTable {
    TableSlot *slots;
    uint32_t count, cap; /* cap is a power of two, or 0 */
} HashTable;

typedef bool TableMatch(const void *key, const void *wanted);

/* Room for so many keys. */
void table_reserve(HashTable *table, Arena *arena, uint32_t count);
void table_make_room(HashTable *table, Arena *arena);

/* The slot of a key, or the free one where it belongs. The table is not empty. */
static inline TableSlot *table_seek(const HashTable *table, uint32_t hash, TableMatch *matches, const void *wanted)
{
    uint32_t mask = table->cap - 1;
    for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
        TableSlot *slot = &table->slots[i];
        if (!slot->key || (slot->hash == hash && matches(slot->key, wanted)))
            return slot;
    }
}

/* NULL: there is no such key. */
static inline TableSlot *table_find_like(const HashTable *table, uint32_t hash, TableMatch *matches, const void *wanted)
{
    TableSlot *slot = table->cap ? table_seek(table, hash, matches, wanted) : NULL;
    return slot && slot->key ? slot : NULL;
}

/* Where there was no such key, the slot has none, and the caller must set it. */
static inline TableSlot *table_add_like(HashTable *table, Arena *arena, uint32_t hash, TableMatch *matches,
                                        const void *wanted)
{
    if (table->count >= table->cap / 2)
        table_make_room(table, arena);
    TableSlot *slot = table_seek(table, hash, matches, wanted);
    if (!slot->key) {
        slot->hash = hash;
        table->count++;
    }
    return slot;
}

static inline uint32_t hash_address(const void *key)
{
    return (uint32_t)(((uint64_t)(uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 32);
}

TableSlot *table_find(const HashTable *table, const void *key); /* NULL: it is not there */
TableSlot *table_add(HashTable *table, Arena *arena, const void *key);

static inline bool table_has(const HashTable *table, const void *key)
{
    return table_find(table, key) != NULL;
}

#endif
