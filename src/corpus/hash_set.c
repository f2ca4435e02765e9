#include "corpus/hash_set.h"

#include <stdlib.h>

bool hash_set_init(HashSet *set, uint64_t capacity, bool thin)
{
    uint64_t slots = capacity + capacity / 3 + 16; /* at most three quarters full */
    *set = (HashSet){.slot_count = slots, .capacity = capacity, .thin = thin};
    set->slots = calloc(slots, thin ? sizeof(uint32_t) : sizeof(uint64_t));
    return set->slots != NULL;
}

void hash_set_free(HashSet *set)
{
    free(set->slots);
    *set = (HashSet){0};
}

/* The place comes from the high bits, what a thin set keeps from the low ones. */
static uint64_t first_slot(const HashSet *set, uint64_t hash)
{
    return (uint64_t)(((unsigned __int128)hash * set->slot_count) >> 64);
}

static uint64_t kept_bits(const HashSet *set, uint64_t hash)
{
    uint64_t bits = set->thin ? (uint32_t)hash : hash;
    return bits ? bits : 1; /* 0 means free */
}

static uint64_t slot_value(const HashSet *set, uint64_t slot)
{
    return set->thin ? ((const uint32_t *)set->slots)[slot] : ((const uint64_t *)set->slots)[slot];
}

/* Where the hash is, or the free slot where it belongs. */
static uint64_t find_slot(const HashSet *set, uint64_t hash, uint64_t kept)
{
    uint64_t slot = first_slot(set, hash);
    for (;;) {
        uint64_t value = slot_value(set, slot);
        if (!value || value == kept)
            return slot;
        if (++slot == set->slot_count)
            slot = 0;
    }
}

bool hash_set_has(const HashSet *set, uint64_t hash)
{
    return slot_value(set, find_slot(set, hash, kept_bits(set, hash))) != 0;
}

bool hash_set_add(HashSet *set, uint64_t hash)
{
    uint64_t kept = kept_bits(set, hash);
    uint64_t slot = find_slot(set, hash, kept);
    if (slot_value(set, slot))
        return false;
    if (set->thin)
        ((uint32_t *)set->slots)[slot] = (uint32_t)kept;
    else
        ((uint64_t *)set->slots)[slot] = kept;
    set->count++;
    return true;
}

bool hash_set_is_full(const HashSet *set)
{
    return set->count >= set->capacity;
}

size_t hash_set_bytes(const HashSet *set)
{
    return (size_t)set->slot_count * (set->thin ? sizeof(uint32_t) : sizeof(uint64_t));
}
