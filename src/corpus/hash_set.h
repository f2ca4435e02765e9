/* Sets of hashes for finding duplicates, at a fixed and small price per member.
 *
 * A full set keeps all 64 bits: 10.7 bytes per member. A thin one keeps 32 bits next to the place that the others choose:
 * 5.3 bytes, and one member in some 10^9 is wrongly taken for known, which is good enough for counting. */
#ifndef WEFT_CORPUS_HASH_SET_H
#define WEFT_CORPUS_HASH_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct HashSet {
    void *slots; /* uint64_t or uint32_t; 0: free */
    uint64_t slot_count, count, capacity;
    bool thin;
} HashSet;

bool hash_set_init(HashSet *set, uint64_t capacity, bool thin); /* false: out of memory */
void hash_set_free(HashSet *set);

/* True: it was not in the set. The set must not be full. */
bool hash_set_add(HashSet *set, uint64_t hash);
bool hash_set_has(const HashSet *set, uint64_t hash);
bool hash_set_is_full(const HashSet *set);
size_t hash_set_bytes(const HashSet *set);

#endif
