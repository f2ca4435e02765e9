#include "base/diag.h"

#include <string.h>

enum { SHOWN_COLUMNS = 120 }; /* of a longer line, only the part around the caret is quoted */

void diags_init(DiagList *list, Arena *arena)
{
    memset(list, 0, sizeof *list);
    list->arena = arena;
    list->last = &list->first;
}

void diags_move(DiagList *to, DiagList *from)
{
    *to = *from;
    if (!to->first)
        to->last = &to->first;
    diags_init(from, from->arena);
}

Diag *diag_add_list(DiagList *list, const Source *source, DiagKind kind, uint32_t start, uint32_t end,
                    const char *format, va_list args)
{
    const char *message = arena_format_list(list->arena, format, args);
    Diag *diag = ARENA_NEW(list->arena, Diag);
    diag->kind = kind;
    diag->offset = start;
    diag->length = end > start ? end - start : 0;
    diag->message = message;
    diag->source = source;
    *list->last = diag;
    list->last = &diag->next;
    list->count++;
    return diag;
}

Diag *diag_add(DiagList *list, const Source *source, DiagKind kind, uint32_t start, uint32_t end, const char *format,
               ...)
{
    va_list args;
    va_start(args, format);
    Diag *diag = diag_add_list(list, source, kind, start, end, format, args);
    va_end(args);
    return diag;
}

static bool starts_code_point(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

/* `at` has the line and where it begins. */
static SourcePosition position_in_line(const Source *source, uint32_t offset, SourcePosition at)
{
    const char *end = memchr(source->text + offset, '\n', source->len - offset);
    at.line_end = end ? (uint32_t)(end - source->text) : (uint32_t)source->len;
    for (uint32_t i = at.line_start; i < offset; i++)
        at.column += starts_code_point(source->text[i]);
    return at;
}

SourcePosition source_position(const Source *source, uint32_t offset)
{
    SourcePosition at = {1, 1, 0, 0};
    if (offset > source->len)
        offset = (uint32_t)source->len;
    for (const char *newline; (newline = memchr(source->text + at.line_start, '\n', offset - at.line_start));) {
        at.line++;
        at.line_start = (uint32_t)(newline - source->text) + 1;
    }
    return position_in_line(source, offset, at);
}

static void find_lines(SourceLines *lines, Arena *arena, const Source *source)
{
    *lines = (SourceLines){.source = source};
    ARENA_PUSH(arena, lines->starts, lines->count, lines->cap) = 0;
    const char *end = source->text + source->len, *at = source->text;
    while (source->len && (at = memchr(at, '\n', (size_t)(end - at))))
        ARENA_PUSH(arena, lines->starts, lines->count, lines->cap) = (uint32_t)(++at - source->text);
}

SourcePosition source_position_in(SourceLines *lines, Arena *arena, const Source *source, uint32_t offset)
{
    if (lines->source != source)
        find_lines(lines, arena, source);
    if (offset > source->len)
        offset = (uint32_t)source->len;
    uint32_t low = 0, high = lines->count; /* the line is one of [low, high) */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (lines->starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return position_in_line(source, offset, (SourcePosition){low + 1, 1, lines->starts[low], 0});
}

/* Control characters would disturb a terminal; tabs become one space so that the caret stands right. */
static void quote_source(const char *text, size_t len, Text *out)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\t')
            text_char(out, ' ');
        else if (c < 0x20 || c == 0x7f)
            text_char(out, '?');
        else
            text_char(out, (char)c);
    }
}

void diag_show(const Diag *diag, Text *out)
{
    diag_show_at(diag, source_position(diag->source, diag->offset), out);
}

void diag_show_at(const Diag *diag, SourcePosition at, Text *out)
{
    text_format(out, "%s:%u:%u: error: %s\n", diag->source->path, at.line, at.column, diag->message);

    const char *text = diag->source->text;
    uint32_t offset = diag->offset > at.line_end ? at.line_end : diag->offset;
    uint32_t from = at.line_start, to = at.line_end;
    if (to > from && text[to - 1] == '\r')
        to--;
    if (offset > to)
        offset = to;
    if (offset - from > SHOWN_COLUMNS / 2)
        for (from = offset - SHOWN_COLUMNS / 2; from < offset && !starts_code_point(text[from]);)
            from++;
    if (to - from > SHOWN_COLUMNS)
        for (to = from + SHOWN_COLUMNS; to > offset && !starts_code_point(text[to]);)
            to--;
    text_lit(out, "    ");
    quote_source(text + from, to - from, out);
    text_lit(out, "\n    ");
    for (uint32_t i = from; i < offset; i++)
        if (starts_code_point(text[i]))
            text_char(out, ' ');
    text_char(out, '^');
    uint32_t marked = offset + diag->length;
    for (uint32_t i = offset + 1; i < marked && i < to; i++)
        if (starts_code_point(text[i]))
            text_char(out, '~');
    text_char(out, '\n');
    if (diag->hint)
        text_format(out, "    hint: %s\n", diag->hint);
}
