/* What the library keeps from kernel to kernel: types and helpers, written out once. */
#ifndef WEFT_STANDALONE_ENTRY_H
#define WEFT_STANDALONE_ENTRY_H

#include "standalone/model.h"

struct TypeEntry {
    uint64_t shape;
    Piece name;
    Need need;           /* no text: CUDA declares it */
    TypeEntry *parts[2]; /* that are declared before it */
    TypeEntry *next;
};

struct HelperEntry {
    const HelperRow *row;
    uint64_t type, second; /* their shapes */
    Need need;
    AskedList asked; /* what it needs itself, in order */
    HelperEntry *next;
};

static inline uint32_t look_slot(uint64_t shape)
{
    return (uint32_t)(shape * 0x9e3779b97f4a7c15u >> 56) % ENTRY_SLOTS;
}

static inline void set_need(Need *need, const char *key, const char *text, size_t length)
{
    need->key = key;
    need->text = text;
    need->length = (uint32_t)length;
}

#endif
