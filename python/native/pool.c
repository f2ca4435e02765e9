#include "native.h"

#include <stdlib.h>
#include <string.h>

Weft *pool_take(ContextPool *pool, const char *warp)
{
    const char *version = weft_find_warp(warp);
    if (!version)
        return PyErr_Format(PyExc_ValueError, "weft does not write the text of Warp %s", warp), NULL;
    for (size_t i = pool->count; i-- > 0;)
        if (strcmp(weft_warp_version(pool->free[i]), version) == 0) {
            Weft *found = pool->free[i];
            pool->free[i] = pool->free[--pool->count];
            return found;
        }
    Weft *made = weft_new(version);
    if (!made)
        PyErr_NoMemory();
    return made;
}

void pool_give_back(ContextPool *pool, Weft *weft)
{
    enum { MOST = 64 }; /* as many as threads are likely to compile at the same time */
    if (pool->count == pool->room && pool->room < MOST) {
        size_t room = pool->room ? pool->room * 2 : 4;
        Weft **larger = realloc(pool->free, room * sizeof(Weft *));
        if (larger) {
            pool->free = larger;
            pool->room = room;
        }
    }
    if (pool->count < pool->room)
        pool->free[pool->count++] = weft;
    else
        weft_free(weft);
}

void pool_free(ContextPool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        weft_free(pool->free[i]);
    free(pool->free);
    *pool = (ContextPool){0};
}
