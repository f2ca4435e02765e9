#include "emit/line_map.h"

#include <string.h>

/* Where the lines of the source begin. */
typedef struct Lines {
    uint32_t *starts, count, cap;
} Lines;

static Lines lines_of(Arena *arena, const char *text, size_t len)
{
    Lines lines = {0};
    ARENA_PUSH(arena, lines.starts, lines.count, lines.cap) = 0;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + len - at)));)
        ARENA_PUSH(arena, lines.starts, lines.count, lines.cap) = (uint32_t)(++at - text);
    return lines;
}

/* From 1. */
static uint32_t line_at(const Lines *lines, uint32_t offset)
{
    uint32_t low = 0, high = lines->count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (lines->starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low + 1;
}

static uint32_t count_lines(const char *from, const char *to)
{
    uint32_t count = 0;
    for (; from < to && (from = memchr(from, '\n', (size_t)(to - from))); from++)
        count++;
    return count;
}

/* Marks of one line, one after the other, are one entry. */
static void add_marks(LineMap *map, Arena *arena, const Lines *lines, TextPart part, const EmitMarks *marks,
                      const Text *text)
{
    uint32_t here = 1; /* the line in which mark i begins */
    size_t at = 0;
    for (uint32_t i = 0; i + 1 < marks->count;) {
        uint32_t next = i + 1;
        if (marks->items[i].source == NO_STATEMENT) {
            i = next;
            continue;
        }
        uint32_t line = line_at(lines, marks->items[i].source);
        while (next + 1 < marks->count && marks->items[next].source != NO_STATEMENT &&
               line_at(lines, marks->items[next].source) == line)
            next++;
        here += count_lines(text->data + at, text->data + marks->items[i].at);
        at = marks->items[i].at;
        uint32_t behind = here + count_lines(text->data + at, text->data + marks->items[next].at);
        if (behind > here)
            ARENA_PUSH(arena, map->items, map->count, map->cap) = (TextLines){part, line, here, behind - 1};
        i = next;
    }
}

LineMap line_map(const EmitText *text, const Source *source, bool backward, Arena *arena)
{
    LineMap map = {0};
    Lines lines = lines_of(arena, source->text, source->len);
    add_marks(&map, arena, &lines, TEXT_PRELUDE, &text->prelude_marks, &text->prelude);
    add_marks(&map, arena, &lines, TEXT_FORWARD, &text->forward_marks, &text->forward);
    if (backward)
        add_marks(&map, arena, &lines, TEXT_BACKWARD, &text->backward_marks, &text->backward);
    return map;
}
