/* The text of a module, with lines broken as formatters do it. */
#include "synth/meaning/draft.h"

#include <ctype.h>
#include <string.h>

enum { LINE_WIDTH = 100, INDENT = 4 };

static const signed char depths[256] = {['('] = 1, ['['] = 1, ['{'] = 1, [')'] = -1, [']'] = -1, ['}'] = -1};

/* Every part between commas on a line of its own, with a comma behind the last. */
static void write_parts(Text *out, const char *from, const char *end, size_t indent)
{
    int depth = 0;
    for (const char *c = from;; c++) {
        depth += c < end ? depths[(unsigned char)*c] : 0;
        if (c < end && (*c != ',' || depth))
            continue;
        text_pad(out, ' ', indent);
        text_add(out, from, (size_t)(c - from));
        text_lit(out, ",\n");
        if (c >= end)
            return;
        from = c + 2; /* behind the space */
    }
}

/* The bracket that belongs to the last one of a line, where nothing but a colon follows; NULL: there is none. */
static const char *opening_of_last(const char *line, size_t len)
{
    const char *close = line + len - 1;
    while (close > line && *close == ':')
        close--;
    int depth = 0;
    for (const char *c = close; c > line; c--) {
        depth -= depths[(unsigned char)*c];
        if (!depth)
            return *close == ')' ? c : NULL;
    }
    return NULL;
}

static void write_broken(const char *line, size_t len, bool tall, Text *out)
{
    size_t indent = strspn(line, " ");
    const char *open = opening_of_last(line, len), *close = line + len - 1;
    while (close > line && *close == ':')
        close--;
    if (!open || open + 1 == close) {
        text_add(out, line, len);
        return;
    }
    text_add(out, line, (size_t)(open + 1 - line));
    text_char(out, '\n');
    size_t inner = (size_t)(close - open - 1);
    /* A comma behind the only part of a group, rather than of a call, would make a tuple of it. */
    bool group = open == line || !(isalnum((unsigned char)open[-1]) || strchr("_)]", open[-1]));
    if (group || (!tall && inner + indent + INDENT <= LINE_WIDTH)) {
        text_pad(out, ' ', indent + INDENT);
        text_add(out, open + 1, inner);
        text_char(out, '\n');
    } else
        write_parts(out, open + 1, close, indent + INDENT);
    text_pad(out, ' ', indent);
    text_add(out, close, (size_t)(line + len - close));
}

/* 1e-06 as people write it: 1e-6, or 1.0e-6. */
static void add_line(const Draft *d, const char *line, size_t len, Text *out)
{
    for (size_t i = 0; i < len; i++) {
        bool exponent = line[i] == 'e' && i && isdigit((unsigned char)line[i - 1]) && i + 2 < len &&
                        (line[i + 1] == '-' || line[i + 1] == '+') && line[i + 2] == '0';
        if (!exponent) {
            text_char(out, line[i]);
            continue;
        }
        size_t digits = i;
        while (digits > 0 && (isdigit((unsigned char)line[digits - 1]) || line[digits - 1] == '.'))
            digits--;
        if (d->habits.full_exponents && !memchr(line + digits, '.', i - digits))
            text_lit(out, ".0");
        text_char(out, 'e');
        text_char(out, line[i + 1]);
        i += 2;
    }
}

void lay_out_text(const Draft *d, const Text *plain, Text *out)
{
    const size_t widest = d->habits.tall ? 60 : LINE_WIDTH;
    text_reserve(out, plain->len + plain->len / 2);
    Text one;
    text_init_in(&one, d->arena);
    for (const char *line = plain->data, *end = plain->data + plain->len; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        size_t width = (size_t)(stop - line), indent = strspn(line, " ");
        bool signature = width > 4 && memcmp(line, "def ", 4) == 0;
        one.len = 0;
        if (indent < width) /* lines of blanks alone are empty lines */
            add_line(d, line, width, &one);
        if (signature ? width > widest : one.len > LINE_WIDTH + 12 && line[indent] != '#' && line[indent] != '"')
            write_broken(one.data, one.len, signature, out);
        else
            text_add(out, one.data, one.len);
        text_char(out, '\n');
        line = stop + 1;
    }
}
