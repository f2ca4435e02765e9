/* Growing arrays in memory of their own, for what outlives arenas.
 *
 *     if (!ARRAY_ROOM(list->items, list->count, list->cap))
 *         return false;                          (out of memory; nothing has changed)
 *     list->items[list->count++] = item; */
#ifndef WEFT_BASE_ARRAY_H
#define WEFT_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* `address` is that of the pointer to the items. */
static inline bool array_grow(void *address, size_t *cap, size_t item_size)
{
    size_t larger = *cap ? *cap * 2 : 16;
    void *items;
    memcpy(&items, address, sizeof items);
    items = realloc(items, larger * item_size);
    if (!items)
        return false;
    memcpy(address, &items, sizeof items);
    *cap = larger;
    return true;
}

#define ARRAY_ROOM(items, count, cap) ((count) < (cap) || array_grow(&(items), &(cap), sizeof *(items)))

#endif
