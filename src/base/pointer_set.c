#include "base/pointer_set.h"

#include <string.h>

static uint32_t hash_pointer(const void *key)
{
    uint64_t bits = (uint64_t)(uintptr_t)key;
    return (uint32_t)((bits >> 4) * 0x9e3779b97f4a7c15u >> 32);
}

static struct PointerSlot *slot_of(const PointerSet *set, const void *key)
{
    uint32_t mask = set->cap - 1;
    for (uint32_t i = hash_pointer(key) & mask;; i = (i + 1) & mask)
        if (!set->slots[i].key || set->slots[i].key == key)
            return &set->slots[i];
}

uint32_t *set_find(const PointerSet *set, const void *key)
{
    struct PointerSlot *slot = set->cap ? slot_of(set, key) : NULL;
    return slot && slot->key ? &slot->value : NULL;
}

bool set_has(const PointerSet *set, const void *key)
{
    return set_find(set, key) != NULL;
}

static void grow(Arena *arena, PointerSet *set)
{
    PointerSet bigger = {.cap = set->cap ? set->cap * 2 : 32, .count = set->count};
    bigger.slots = ARENA_ARRAY(arena, struct PointerSlot, bigger.cap);
    for (uint32_t i = 0; i < set->cap; i++)
        if (set->slots[i].key)
            *slot_of(&bigger, set->slots[i].key) = set->slots[i];
    *set = bigger;
}

uint32_t *set_add(Arena *arena, PointerSet *set, const void *key, bool *added)
{
    if (set->count * 2 >= set->cap)
        grow(arena, set);
    struct PointerSlot *slot = slot_of(set, key);
    if (added)
        *added = !slot->key;
    if (!slot->key) {
        slot->key = key;
        set->count++;
    }
    return &slot->value;
}

PointerSet set_copy(Arena *arena, const PointerSet *set)
{
    PointerSet copy = *set;
    if (set->cap) {
        copy.slots = ARENA_ARRAY(arena, struct PointerSlot, set->cap);
        memcpy(copy.slots, set->slots, set->cap * sizeof *copy.slots);
    }
    return copy;
}
