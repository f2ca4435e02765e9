/* A set of pointers, and with it a map from pointers to small numbers. Lives in an arena. */
#ifndef WEFT_BASE_POINTER_SET_H
#define WEFT_BASE_POINTER_SET_H

#include "base/arena.h"

#include <stdint.h>

typedef struct PointerSet {
    struct PointerSlot {
        const void *key;
        uint32_t value;
    } * slots;
    uint32_t count, cap;
} PointerSet;

bool set_has(const PointerSet *set, const void *key);
/* NULL: not there. */
uint32_t *set_find(const PointerSet *set, const void *key);
/* The value may be changed through the result; `added` (may be NULL) tells whether the key is new (value 0). */
uint32_t *set_add(Arena *arena, PointerSet *set, const void *key, bool *added);
PointerSet set_copy(Arena *arena, const PointerSet *set);

#endif
