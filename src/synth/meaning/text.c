/* The text of a module, with lines broken as formatters do it. */
#include "synth/meaning/draft.h"

#include <ctype.h>
#include <string.h>

enum { LINE_WIDTH = 100, INDENT = 4 };

/* Texts that are broken into lines are in an arena, as their parts are. */
static const signed char depths[256] = {['('] = 1, ['['] = 1, ['{'] = 1, [')'] = -1, [']'] = -1, ['}'] = -1};

static void add_broken(const char *line, size_t len, Text *out);

static void write_comment(Text *out, size_t indent, const char *words)
{
    text_pad(out, ' ', indent);
    ADD_ALL(out, "# ", words);
}

/* Every part between commas on a line of its own, with a comma behind the last; notes, if any, are about them. */
static void write_parts(Text *out, const char *from, const char *end, size_t indent, const ArgumentNotes *notes)
{
    int depth = 0;
    uint32_t number = 0;
    Text line = text_in(out->arena);
    for (const char *c = from; c <= end; c++) {
        depth += c < end ? depths[(unsigned char)*c] : 0;
        if (c < end && (*c != ',' || depth))
            continue;
        if (notes && notes->before[number]) {
            write_comment(out, indent, notes->before[number]);
            text_char(out, '\n');
        }
        line.len = 0;
        text_pad(&line, ' ', indent);
        text_add(&line, from, (size_t)(c - from));
        add_broken(text_cstr(&line), line.len, out);
        text_char(out, ',');
        if (notes && notes->after[number])
            write_comment(out, 2, notes->after[number]);
        text_char(out, '\n');
        number++;
        from = c + 2; /* behind the space */
    }
}

/* Where a part of a condition or a sum ends: before an operator of this kind that stands in no bracket. */
static bool ends_term(const char *at, size_t kind)
{
    static const char *const operators[][2] = {{" or "}, {" and "}, {" + ", " - "}, {" * ", " / "}};
    for (size_t i = 0; i < 2 && operators[kind][i]; i++)
        if (strncmp(at, operators[kind][i], strlen(operators[kind][i])) == 0)
            return true;
    return false;
}

/* The operators that bind least are where lines are broken. */
static size_t loosest_operator(const char *from, const char *end)
{
    for (size_t kind = 0; kind < 3; kind++) {
        int depth = 0;
        for (const char *c = from; c < end; c++) {
            depth += depths[(unsigned char)*c];
            if (!depth && ends_term(c, kind))
                return kind;
        }
    }
    return 3;
}

/* The parts of a sum or a condition, each on a line that begins with its operator. */
static void write_terms(Text *out, const char *from, const char *end, size_t indent)
{
    size_t kind = loosest_operator(from, end);
    int depth = 0;
    Text line = text_in(out->arena);
    for (const char *c = from; c <= end; c++) {
        depth += c < end ? depths[(unsigned char)*c] : 0;
        if (c < end && (depth || !ends_term(c, kind)))
            continue;
        line.len = 0;
        text_pad(&line, ' ', indent);
        text_add(&line, from, (size_t)(c - from));
        add_broken(text_cstr(&line), line.len, out);
        text_char(out, '\n');
        from = c + 1;
    }
}

/* Where the last bracket of a line was opened, where nothing but a colon follows it; NULL: there is none. */
static const char *opening_of_last(const char *line, const char *close)
{
    int depth = 0;
    for (const char *c = close; c > line; c--) {
        depth -= depths[(unsigned char)*c];
        if (!depth)
            return *close == ')' ? c : NULL;
    }
    return NULL;
}

/* The arguments of a call in lines of their own. */
static void break_call(const char *line, size_t len, const char *open, const char *close, bool tall,
                       const ArgumentNotes *notes, Text *out)
{
    size_t indent = strspn(line, " "), inner = (size_t)(close - open - 1);
    text_add(out, line, (size_t)(open + 1 - line));
    text_char(out, '\n');
    if (!tall && inner + indent + INDENT <= LINE_WIDTH) {
        text_pad(out, ' ', indent + INDENT);
        text_add(out, open + 1, inner);
        text_char(out, '\n');
    } else
        write_parts(out, open + 1, close, indent + INDENT, notes);
    text_pad(out, ' ', indent);
    text_add(out, close, (size_t)(line + len - close));
}

/* The terms of a sum in brackets in lines of their own. */
static void break_group(const char *line, size_t len, const char *open, const char *close, Text *out)
{
    size_t indent = strspn(line, " ");
    text_add(out, line, (size_t)(open + 1 - line));
    text_char(out, '\n');
    write_terms(out, open + 1, close, indent + INDENT);
    text_pad(out, ' ', indent);
    text_add(out, close, (size_t)(line + len - close));
}

/* Stands little before the bracket, and nothing in brackets: 0.5 * (, acc + wp.cw_mul(? */
static bool is_short_head(const char *start, const char *open)
{
    enum { LONGEST = 32 };
    for (const char *c = start; c < open; c++)
        if (depths[(unsigned char)*c] && *c != '[' && *c != ']')
            return false;
    return open - start <= LONGEST;
}

/* Is it a tuple without brackets? */
static bool has_comma(const char *from, const char *end)
{
    int depth = 0;
    for (const char *c = from; c < end; c++) {
        depth += depths[(unsigned char)*c];
        if (*c == ',' && !depth)
            return true;
    }
    return false;
}

/* Behind the = of an assignment, or `return`; NULL: it is something else. */
static const char *value_of(const char *line, size_t len)
{
    int depth = 0;
    size_t indent = strspn(line, " ");
    if (strncmp(line + indent, "return ", 7) == 0)
        return line + indent + 7;
    for (const char *c = line; c + 3 < line + len; c++) {
        depth += depths[(unsigned char)*c];
        if (!depth && c[0] == '=' && c[1] == ' ' && c > line && strchr(" +-*/", c[-1]))
            return c + 2;
    }
    return NULL;
}

/* def f(…) -> T: with a line for each parameter */
static void break_signature(const char *line, size_t len, const ArgumentNotes *notes, Text *out)
{
    const char *open = memchr(line, '(', len), *close = open;
    int depth = 0;
    do
        depth += depths[(unsigned char)*close++];
    while (depth);
    if (close - open > 2)
        break_call(line, len, open, close - 1, true, notes, out);
    else
        text_add(out, line, len);
}

static void break_statement(const char *line, size_t len, Text *out)
{
    const char *close = line + len - 1;
    while (close > line && *close == ':')
        close--;
    bool is_block = line[len - 1] == ':';
    const char *open = opening_of_last(line, close), *value = is_block ? NULL : value_of(line, len);
    bool is_call = open && open > line && (isalnum((unsigned char)open[-1]) || open[-1] == '_') && open + 1 < close;
    if (is_call && (!value || memchr(value, ' ', (size_t)(open - value)) == NULL)) {
        break_call(line, len, open, close, false, NULL, out);
        return;
    }
    size_t indent = strspn(line, " ");
    if (is_block && strncmp(line + indent, "for ", 4) != 0) /* if, elif, while */
        value = line + indent + strcspn(line + indent, " ") + 1;
    const char *start = value ? value : line + indent;
    if (open && !is_block && is_short_head(start, open)) {
        if (is_call) /* acc + f(…) */
            break_call(line, len, open, close, false, NULL, out);
        else /* 0.5 * (…) */
            break_group(line, len, open, close, out);
        return;
    }
    if (!value) {
        text_add(out, line, len);
        return;
    }
    text_add(out, line, (size_t)(value - line));
    text_lit(out, "(\n");
    if (!is_block && has_comma(value, line + len)) /* return a, b */
        write_parts(out, value, line + len, indent + INDENT, NULL);
    else
        write_terms(out, value, line + len - is_block, indent + INDENT);
    text_pad(out, ' ', indent);
    text_str(out, is_block ? "):" : ")");
}

/* A part of a statement: as it is, or broken again if it is too long. */
static void add_broken(const char *line, size_t len, Text *out)
{
    if (len > LINE_WIDTH + 12)
        break_statement(line, len, out);
    else
        text_add(out, line, len);
}

/* 1e-06 as people write it: 1e-6, or 1.0e-6. */
static void add_line(const Draft *d, const char *line, size_t len, Text *out)
{
    size_t done = 0;
    for (const char *e = memchr(line, 'e', len); e; e = memchr(e + 1, 'e', len - (size_t)(e + 1 - line))) {
        size_t i = (size_t)(e - line), digits = i;
        if (!i || !isdigit((unsigned char)e[-1]) || i + 2 >= len || (e[1] != '-' && e[1] != '+') || e[2] != '0')
            continue;
        while (digits > 0 && (isdigit((unsigned char)line[digits - 1]) || line[digits - 1] == '.'))
            digits--;
        text_add(out, line + done, i - done);
        if (d->habits.full_exponents && !memchr(line + digits, '.', i - digits))
            text_lit(out, ".0");
        text_add(out, e, 2);
        done = i + 3;
    }
    text_add(out, line + done, len - done);
}

/* Of the kernel itself, if anything stands around its parameters. */
static const ArgumentNotes *notes_of(const Draft *d, const char *line)
{
    Name name = d->symbols[d->kernel].name;
    const char *at = line + strlen("def ");
    return d->notes->any && strncmp(at, name->text, name->len) == 0 && at[name->len] == '(' ? d->notes : NULL;
}

/* A comment that stands behind the next statement, where there is room; otherwise as any other. Gives where it goes on. */
static const char *write_trailing(const Draft *d, const char *line, const char *stop, const char *end, Text *out)
{
    size_t indent = strspn(line, " "), length = (size_t)(stop - line) - indent - strlen(TRAILING_COMMENT);
    const char *words = line + indent + strlen(TRAILING_COMMENT), *next = stop + 1;
    const char *last = next < end ? memchr(next, '\n', (size_t)(end - next)) : NULL;
    bool fits = last && strspn(next, " ") == indent && last > next + indent && next[indent] != '#' && last[-1] != ':' &&
                (size_t)(last - next) + length + 4 <= LINE_WIDTH;
    if (fits) {
        add_line(d, next, (size_t)(last - next), out);
        text_lit(out, "  # ");
    } else {
        text_pad(out, ' ', indent);
        text_lit(out, "# ");
    }
    text_add(out, words, length);
    text_char(out, '\n');
    return fits ? last + 1 : next;
}

/* A line of the module, broken where it is too long. */
static void lay_out_line(const Draft *d, Text *one, const ArgumentNotes *notes, bool signature, Text *out)
{
    const size_t widest = d->habits.tall ? 60 : LINE_WIDTH;
    const char *line = text_cstr(one);
    size_t indent = strspn(line, " ");
    if (signature && (notes || one->len > widest))
        break_signature(line, one->len, notes, out);
    else if (!signature && one->len > LINE_WIDTH + 12 && line[indent] != '#' && line[indent] != '"')
        break_statement(line, one->len, out);
    else
        text_add(out, line, one->len);
}

void lay_out_text(const Draft *d, const Text *plain, Text *out)
{
    text_reserve(out, plain->len + plain->len / 2);
    Text one = text_in(d->arena), broken = text_in(d->arena);
    for (const char *line = plain->data, *end = plain->data + plain->len; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        size_t width = (size_t)(stop - line), indent = strspn(line, " ");
        if (strncmp(line + indent, TRAILING_COMMENT, strlen(TRAILING_COMMENT)) == 0) {
            line = write_trailing(d, line, stop, end, out);
            continue;
        }
        bool signature = width > 4 && memcmp(line, "def ", 4) == 0;
        one.len = broken.len = 0;
        if (indent < width) /* lines of blanks alone are empty lines */
            add_line(d, line, width, &one);
        lay_out_line(d, &one, signature ? notes_of(d, line) : NULL, signature, &broken);
        text_add(out, broken.data, broken.len);
        text_char(out, '\n');
        line = stop + 1;
    }
}
