/* Memory by lifetime: many small allocations, one release.
 *
 * An arena never frees a single object. When memory runs out, or a limit set on
 * the arena is passed, control goes to the recovery point of whoever owns the
 * arena (see arena_on_failure), so callers never see a NULL. */
#ifndef WEFT_BASE_ARENA_H
#define WEFT_BASE_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct ArenaBlock ArenaBlock;

typedef struct Arena {
    ArenaBlock *blocks;  /* newest first */
    ArenaBlock *spare;   /* kept by arena_reset for reuse */
    char *next, *end;    /* free space in the newest block */
    size_t used;         /* bytes handed out since the last reset */
    size_t limit;        /* 0: none */
    jmp_buf *on_failure; /* where to go when memory runs out; NULL: abort() */
    bool over_limit;     /* why control went there */
} Arena;

void arena_init(Arena *arena);
void arena_reset(Arena *arena); /* forgets everything, keeps up to 4 MiB for reuse */
void arena_free(Arena *arena);

void *arena_alloc(Arena *arena, size_t size); /* zeroed, aligned for any type */
void *arena_grow(Arena *arena, void *old, size_t old_size, size_t new_size);
char *arena_strndup(Arena *arena, const char *text, size_t len);
char *arena_join(Arena *arena, const char *first, const char *second);
char *arena_format(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc((arena), sizeof(type) * (size_t)(count)))

/* The one growing-array idiom: `ARENA_PUSH(arena, list.items, list.count, list.cap) = x;` */
#define ARENA_PUSH(arena, items, count, cap)                                                                           \
    (*((count) == (cap) ? ((items) = arena_grow((arena), (items), sizeof(*(items)) * (size_t)(count),                  \
                                                sizeof(*(items)) * (size_t)((cap) = (cap) ? (cap)*2 : 4)),             \
                           &(items)[(count)++])                                                                        \
                        : &(items)[(count)++]))

/* Tests make the n-th block allocation from now fail; 0 switches that off. */
void arena_fail_after(unsigned allocations);

#endif
