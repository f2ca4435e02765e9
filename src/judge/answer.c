#include "judge/judge.h"

static bool is_fence(const char *line, const char *end)
{
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    return end - line >= 3 && memcmp(line, "```", 3) == 0;
}

static bool holds(Span span, const char *name)
{
    return *name && memmem(span.text, span.len, name, strlen(name)) != NULL;
}

Span answer_code(const char *answer, size_t len, const char *name)
{
    Span last = {answer, len};
    bool in_block = false, named = false;
    const char *end = answer + len, *begin = answer;
    for (const char *line = answer; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        const char *next = stop ? stop + 1 : end;
        bool fence = is_fence(line, next), closes = in_block && (fence || next == end);
        Span block = {begin, (size_t)((fence ? line : next) - begin)};
        if (closes && (!named || holds(block, name))) {
            last = block;
            named |= holds(block, name);
        }
        if (fence) {
            in_block = !in_block;
            begin = next;
            if (in_block && next == end && !named) /* nothing follows it */
                last = (Span){end, 0};
        }
        line = next;
    }
    return last;
}
