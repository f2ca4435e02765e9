/* Memory by lifetime: many small allocations, one release.
 *
 * An arena frees no single object but large ones that are given back (arena_give_back). Callers never see a NULL: where memory
 * or the arena's limit is too small, control goes to the recovery point of its owner (see arena_on_failure). */
#ifndef WEFT_BASE_ARENA_H
#define WEFT_BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct ArenaBlock ArenaBlock;

typedef struct Arena {
    ArenaBlock *blocks;  /* newest first */
    ArenaBlock *spare;   /* kept by arena_reset for reuse */
    char *next, *end;    /* free space in the newest block, as far as the limit lets it be used */
    size_t used;         /* bytes handed out since the last reset, but for those of the newest block */
    size_t limit;        /* 0: none; set while nothing is allocated */
    jmp_buf *on_failure; /* where to go when memory runs out; NULL: to the last resort */
    bool over_limit;     /* why control went there */
    bool is_saved;       /* by arena_save: no block is given back */
} Arena;

/* For a program: what happens where nobody set a recovery point. It must not come back; without it, the process aborts.
 * To be set before there are threads. */
void arena_last_resort(void (*end)(void));

/* For a caller with a recovery point of its own: goes on to the one that was there before. */
_Noreturn void arena_give_up(Arena *arena);

void arena_init(Arena *arena);
void arena_reset(Arena *arena); /* forgets everything, keeps up to 4 MiB for reuse */
void arena_free(Arena *arena);

/* All that an arena holds at one time, to come back to as often as wanted. Other memory must not point to what came later. */
typedef struct ArenaSave {
    ArenaBlock *newest;
    char *next, *end;
    size_t used;
    char *bytes; /* of all blocks, newest first; NULL: nothing is saved */
} ArenaSave;

bool arena_save(Arena *arena, ArenaSave *save); /* false: there is no memory for a copy */
void arena_restore(Arena *arena, const ArenaSave *save);
void arena_save_free(ArenaSave *save);

enum { ARENA_ALIGNMENT = 16 };

void *arena_take_slowly(Arena *arena, size_t size); /* from a new block */

/* Aligned for any type; what is in it is left over from others. */
static inline void *arena_take(Arena *arena, size_t size)
{
    if (size > (size_t)(arena->end - arena->next)) /* which is a multiple of the alignment */
        return arena_take_slowly(arena, size);
    void *taken = arena->next;
    arena->next += (size + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
    return taken;
}

/* The same, zeroed. */
static inline void *arena_alloc(Arena *arena, size_t size)
{
    return memset(arena_take(arena, size), 0, size);
}

/* The same for a piece of a known size of some hundred bytes or more. A compiler would zero it with a long row of
 * instructions; a call of the C library takes half as many. */
void *arena_zeroed(Arena *arena, size_t size);

void *arena_grow(Arena *arena, void *old, size_t old_size, size_t new_size);     /* the new part is zeroed */
void *arena_grow_raw(Arena *arena, void *old, size_t old_size, size_t new_size); /* it is not */
/* Makes the newest piece larger or smaller where it is. False: something else was taken since, or there is no room. */
bool arena_resize_last(Arena *arena, void *old, size_t old_size, size_t new_size);
/* For the owner of a table that has become larger, where nobody points into the old one. An object of more than 64 KiB
 * is freed, unless it is the newest. */
void arena_give_back(Arena *arena, void *old, size_t size);
char *arena_strndup(Arena *arena, const char *text, size_t len);
char *arena_join(Arena *arena, const char *first, const char *second);
char *arena_format(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_format_list(Arena *arena, const char *format, va_list args);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc((arena), sizeof(type) * (size_t)(count)))

/* The one growing-array idiom: `ARENA_PUSH(arena, list.items, list.count, list.cap) = x;` */
#define ARENA_PUSH(arena, items, count, cap)                                                                           \
    (*((count) == (cap) ? ((items) = arena_grow((arena), (items), sizeof(*(items)) * (size_t)(count),                  \
                                                sizeof(*(items)) * (size_t)((cap) = (cap) ? (cap)*2 : 4)),             \
                           &(items)[(count)++])                                                                        \
                        : &(items)[(count)++]))

/* Tests make the n-th allocation of this thread from now fail, an arena's or a text's; 0 switches that off. */
void arena_fail_after(unsigned allocations);
bool allocation_fails(void);   /* is it this one's turn? */
bool arena_fail_pending(void); /* has it not come yet? */

#endif
