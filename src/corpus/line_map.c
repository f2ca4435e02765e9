#include "corpus/line_map.h"

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

typedef struct MapWriter {
    const Lines *lines;
    uint32_t head;
    bool any;
    Text *out;
} MapWriter;

static void put_entry(MapWriter *w, uint32_t python_line, const char *name, uint32_t first, uint32_t last)
{
    char *to = text_room(w->out, 128 + 3 * UINT_ROOM);
    to = w->any ? put_lit(to, ", {\"python_line\": ") : put_lit(to, "{\"python_line\": ");
    to = put_uint(to, python_line);
    to = put_lit(to, ", \"text\": \"");
    to = put_bytes(to, name, strlen(name));
    to = put_lit(to, "\", \"first_line\": ");
    to = put_uint(to, first);
    to = put_lit(to, ", \"last_line\": ");
    to = put_uint(to, last);
    *to++ = '}';
    text_end(w->out, to);
    w->any = true;
}

/* Marks of one line, one after the other, are one entry. */
static void put_marks(MapWriter *w, const EmitMarks *marks, const Text *text, const char *name)
{
    uint32_t here = 1; /* the line in which mark i begins */
    size_t at = 0;
    for (uint32_t i = 0; i + 1 < marks->count;) {
        uint32_t next = i + 1;
        if (marks->items[i].source == NO_STATEMENT) {
            i = next;
            continue;
        }
        uint32_t line = line_at(w->lines, marks->items[i].source);
        while (next + 1 < marks->count && marks->items[next].source != NO_STATEMENT &&
               line_at(w->lines, marks->items[next].source) == line)
            next++;
        here += count_lines(text->data + at, text->data + marks->items[i].at);
        at = marks->items[i].at;
        uint32_t behind = here + count_lines(text->data + at, text->data + marks->items[next].at);
        if (behind > here && line > w->head)
            put_entry(w, line - w->head, name, here, behind - 1);
        i = next;
    }
}

void line_map_write(const Compiled *compiled, Device device, bool backward, uint32_t head, Text *out)
{
    static const char *const names[DEVICE_COUNT][3] = {
        [DEVICE_CUDA] = {"cuda_prelude", "cuda_forward", "cuda_backward"},
        [DEVICE_CPU] = {"cpp_prelude", "cpp_forward", "cpp_backward"}};
    const EmitText *text = &compiled->texts[device];
    const Source *source = compiled->unit->main->source;
    Lines lines = lines_of(compiled->unit->arena, source->text, source->len);
    MapWriter writer = {&lines, head, false, out};
    text_char(out, '[');
    put_marks(&writer, &text->prelude_marks, &text->prelude, names[device][0]);
    put_marks(&writer, &text->forward_marks, &text->forward, names[device][1]);
    if (backward)
        put_marks(&writer, &text->backward_marks, &text->backward, names[device][2]);
    text_char(out, ']');
}
