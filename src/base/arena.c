#include "base/arena.h"

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK_SIZE = 64 * 1024, MAX_SPARE = 64 };

struct ArenaBlock {
    ArenaBlock *next;  /* the one before it in time */
    ArenaBlock *newer; /* in use; NULL: it is the newest */
    size_t size;       /* of data */
    _Alignas(ARENA_ALIGNMENT) char data[];
};

static _Thread_local unsigned fail_countdown;

void arena_fail_after(unsigned allocations)
{
    fail_countdown = allocations;
}

bool arena_fail_pending(void)
{
    return fail_countdown > 0;
}

bool allocation_fails(void)
{
    return fail_countdown && --fail_countdown == 0;
}

static void (*last_resort)(void);

void arena_last_resort(void (*end)(void))
{
    last_resort = end;
}

_Noreturn void arena_give_up(Arena *arena)
{
    if (arena->on_failure)
        longjmp(*arena->on_failure, 1);
    if (last_resort)
        last_resort();
    abort();
}

static _Noreturn void out_of_memory(Arena *arena, bool over_limit)
{
    arena->over_limit = over_limit;
    arena_give_up(arena);
}

void arena_init(Arena *arena)
{
    memset(arena, 0, sizeof *arena);
}

static size_t round_up(size_t size)
{
    return (size + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
}

static void use_block(Arena *arena, ArenaBlock *block)
{
    size_t left = arena->limit ? round_up(arena->limit - arena->used) : block->size;
    arena->next = block->data;
    arena->end = block->data + (left < block->size ? left : block->size);
}

static void new_block(Arena *arena, size_t size)
{
    if (allocation_fails())
        out_of_memory(arena, false);
    ArenaBlock *block = size == BLOCK_SIZE ? arena->spare : NULL;
    if (block)
        arena->spare = block->next;
    else
        block = malloc(sizeof *block + size);
    if (!block)
        out_of_memory(arena, false);
    block->size = size;
    block->newer = NULL;
    block->next = arena->blocks;
    if (block->next)
        block->next->newer = block;
    arena->blocks = block;
    use_block(arena, block);
}

void arena_reset(Arena *arena)
{
    uint32_t kept = 0;
    for (ArenaBlock *block = arena->spare; block; block = block->next)
        kept++;
    for (ArenaBlock *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        if (block->size == BLOCK_SIZE && kept < MAX_SPARE) {
            block->next = arena->spare;
            arena->spare = block;
            kept++;
        } else
            free(block);
    }
    arena->blocks = NULL;
    arena->next = arena->end = NULL;
    arena->used = 0;
    arena->over_limit = false;
    arena->is_saved = false;
}

static size_t bytes_in(const ArenaBlock *block, const ArenaBlock *newest, const char *next)
{
    return block == newest ? (size_t)(next - block->data) : block->size;
}

bool arena_save(Arena *arena, ArenaSave *save)
{
    arena->is_saved = true;
    size_t size = 0;
    for (const ArenaBlock *block = arena->blocks; block; block = block->next)
        size += bytes_in(block, arena->blocks, arena->next);
    *save = (ArenaSave){arena->blocks, arena->next, arena->end, arena->used,
                        size && !allocation_fails() ? malloc(size) : NULL};
    char *to = save->bytes;
    for (const ArenaBlock *block = to ? arena->blocks : NULL; block; block = block->next) {
        size_t count = bytes_in(block, arena->blocks, arena->next);
        memcpy(to, block->data, count);
        to += count;
    }
    return save->bytes != NULL;
}

void arena_restore(Arena *arena, const ArenaSave *save)
{
    ArenaBlock *newer = NULL;
    while (arena->blocks != save->newest) {
        ArenaBlock *block = arena->blocks;
        arena->blocks = block->next;
        block->next = newer;
        newer = block;
    }
    if (arena->blocks)
        arena->blocks->newer = NULL;
    Arena rest = {.blocks = newer, .spare = arena->spare};
    arena_reset(&rest);
    arena->spare = rest.spare;
    arena->next = save->next;
    arena->end = save->end;
    arena->used = save->used;
    arena->over_limit = false;
    const char *from = save->bytes;
    for (ArenaBlock *block = save->newest; block; block = block->next) {
        size_t count = bytes_in(block, save->newest, save->next);
        memcpy(block->data, from, count);
        from += count;
    }
}

void arena_save_free(ArenaSave *save)
{
    free(save->bytes);
    *save = (ArenaSave){0};
}

static void free_blocks(ArenaBlock *block)
{
    for (ArenaBlock *next; block; block = next) {
        next = block->next;
        free(block);
    }
}

void arena_free(Arena *arena)
{
    free_blocks(arena->blocks);
    free_blocks(arena->spare);
    arena_init(arena);
}

void *arena_take_slowly(Arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        out_of_memory(arena, true);
    size = round_up(size);
    if (arena->blocks)
        arena->used += (size_t)(arena->next - arena->blocks->data);
    arena->next = arena->end = arena->blocks ? arena->blocks->data : NULL;
    if (arena->limit && arena->used + size > arena->limit)
        out_of_memory(arena, true);
    new_block(arena, size > BLOCK_SIZE ? size : BLOCK_SIZE);
    return arena_take(arena, size);
}

#ifdef __clang__
__attribute__((noinline))
#else
__attribute__((noipa)) /* the size must not become known here */
#endif
void *
arena_zeroed(Arena *arena, size_t size)
{
    return arena_alloc(arena, size);
}

void *arena_grow_raw(Arena *arena, void *old, size_t old_size, size_t new_size)
{
    void *bigger = arena_take(arena, new_size);
    if (old_size)
        memcpy(bigger, old, old_size);
    return bigger;
}

void *arena_grow(Arena *arena, void *old, size_t old_size, size_t new_size)
{
    char *bigger = arena_grow_raw(arena, old, old_size, new_size);
    memset(bigger + old_size, 0, new_size - old_size);
    return bigger;
}

void arena_give_back(Arena *arena, void *old, size_t size)
{
    if (size <= BLOCK_SIZE || arena->is_saved)
        return;
    ArenaBlock *block = (ArenaBlock *)(void *)((char *)old - offsetof(ArenaBlock, data)); /* it has no other object */
    if (!block->newer)                                                                    /* its free space is in use */
        return;
    arena->used -= block->size;
    block->newer->next = block->next;
    if (block->next)
        block->next->newer = block->newer;
    free(block);
}

bool arena_resize_last(Arena *arena, void *old, size_t old_size, size_t new_size)
{
    char *start = old;
    if (!old_size || start + round_up(old_size) != arena->next || new_size > (size_t)(arena->end - start))
        return false;
    arena->next = start + round_up(new_size);
    return true;
}

char *arena_strndup(Arena *arena, const char *text, size_t len)
{
    char *copy = arena_take(arena, len + 1);
    if (len)
        memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

char *arena_join(Arena *arena, const char *first, const char *second)
{
    size_t a = strlen(first), b = strlen(second);
    char *joined = arena_take(arena, a + b + 1);
    memcpy(joined, first, a);
    memcpy(joined + a, second, b + 1);
    return joined;
}

/* Most messages have a few strings and small numbers in them and nothing else: put together here, in a tenth of the instructions of vsnprintf.
 * NULL: this is another one. */
static char *format_strings(Arena *arena, const char *format, va_list args)
{
    enum { PIECES = 16 };
    const char *pieces[PIECES];
    char numbers[PIECES][UINT_ROOM];
    size_t lengths[PIECES], count = 0, total = 0;
    for (const char *mark; *format; format = mark + 2) {
        mark = strchr(format, '%');
        if (count + 2 > PIECES || (mark && mark[1] != 's' && mark[1] != 'u'))
            return NULL;
        pieces[count] = format;
        total += lengths[count++] = mark ? (size_t)(mark - format) : strlen(format);
        if (!mark)
            break;
        if (mark[1] == 'u') {
            lengths[count] = (size_t)(put_uint(numbers[count], va_arg(args, unsigned)) - numbers[count]);
            pieces[count] = numbers[count];
        } else {
            const char *string = va_arg(args, const char *);
            pieces[count] = string ? string : "(null)";
            lengths[count] = strlen(pieces[count]);
        }
        total += lengths[count++];
    }
    char *text = arena_take(arena, total + 1), *to = text;
    for (size_t i = 0; i < count; to += lengths[i++])
        memcpy(to, pieces[i], lengths[i]);
    *to = '\0';
    return text;
}

char *arena_format_list(Arena *arena, const char *format, va_list args)
{
    char none[1];
    va_list again;
    va_copy(again, args);
    char *simple = format_strings(arena, format, again);
    va_end(again);
    if (simple)
        return simple;
    va_copy(again, args);
    size_t room = (size_t)(arena->end - arena->next); /* most texts fit in what is free */
    int length = vsnprintf(room ? arena->next : none, room ? room : sizeof none, format, args);
    size_t len = length > 0 ? (size_t)length : 0;
    char *text = arena_take(arena, len + 1);
    if (len >= room)
        vsnprintf(text, len + 1, format, again);
    va_end(again);
    return text;
}

char *arena_format(Arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_format_list(arena, format, args);
    va_end(args);
    return text;
}
