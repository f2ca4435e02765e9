/* The last look at a body, line by line: what nobody uses is left out; and in a backward body, a variable that starts at zero
 * and is then added to gets its value at once. The printer writes one statement a line, which makes this simple. */
#include "standalone/model.h"

#include <string.h>

typedef struct Line {
    const char *start, *stop; /* where it was written */
    const char *text;         /* NULL: left out */
    uint32_t length, indent;
    const char *target; /* the variable that it sets, where that is all it does; or NULL */
    uint32_t target_len;
    bool declares, adds;
    const char *value; /* behind the sign */
} Line;

typedef struct Lines {
    Translator *t;
    Line *items;
    uint32_t count;
} Lines;

static bool is_word(char c)
{
    static const uint64_t bits[2] = {0x03ff000000000000u, 0x07fffffe87fffffeu}; /* 0-9; A-Z, _, a-z */
    unsigned char code = (unsigned char)c;
    return code < 128 && (bits[code >> 6] >> (code & 63) & 1);
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (is_word(text[length]))
        length++;
    return length;
}

static bool starts(const char *text, size_t word, const char *with, size_t length)
{
    return word == length && memcmp(text, with, length) == 0 && text[length] == ' ';
}

/* The end of a declaration without a value. */
static bool is_end(char c)
{
    return c == '[' || c == ';' || c == '\n' || !c;
}

/* "T x = …;", "x = …;" or "x += …;" */
static void set_line(Line *l, const char *text, size_t size)
{
    size_t first = word_length(text);
    l->text = text;
    l->length = (uint32_t)size;
    l->target = NULL;
    l->declares = l->adds = false;
    if (!first || starts(text, first, "for", 3) || starts(text, first, "if", 2) || starts(text, first, "while", 5) ||
        (first >= 6 && memcmp(text, "return", 6) == 0))
        return;
    const char *name = text, *behind = text + first;
    size_t length = first;
    if (behind[0] == ' ' && is_word(behind[1])) {
        name = behind + 1;
        length = word_length(name);
        behind = name + length;
        l->declares = true;
    }
    bool spaced = behind[0] == ' ';
    l->adds = spaced && (behind[1] == '+' || behind[1] == '-') && behind[2] == '=' && behind[3] == ' ';
    bool sets = (spaced && behind[1] == '=' && behind[2] == ' ') || (l->declares && is_end(behind[0]));
    if (!l->adds && !sets)
        return;
    l->target = name;
    l->target_len = (uint32_t)length;
    l->value = behind + (l->adds ? 4 : 3);
}

static void split(Lines *lines, const Text *body)
{
    lines->items = arena_take(lines->t->arena, (text_count(body, '\n') + 1) * sizeof *lines->items);
    for (const char *at = body->data, *end = at + body->len; at < end;) {
        Line *l = &lines->items[lines->count++];
        l->start = at;
        while (*at == ' ')
            at++;
        l->indent = (uint32_t)(at - l->start);
        l->stop = memchr(at, '\n', (size_t)(end - at));
        set_line(l, at, (size_t)(l->stop - at));
        at = l->stop + 1;
    }
}

/* ---- who mentions a word ---- */

/* The next mention that is not a field; there is a character before `text`. */
static const char *find_mention(const char *text, const char *name, size_t length)
{
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if (!is_word(at[-1]) && at[-1] != '.' && !is_word(at[length]))
            return at;
    return NULL;
}

bool text_mentions(const char *text, const char *name, size_t length)
{
    return find_mention(text, name, length) != NULL;
}

typedef struct Mentions {
    const Lines *lines;
    uint32_t line, indent;
    const char *name, *at;
    size_t length;
} Mentions;

/* Those of the variable that a line sets, from a place in it on. */
static Mentions mentions_from(const Lines *lines, uint32_t line, const char *at)
{
    const Line *l = &lines->items[line];
    const char *name = arena_strndup(lines->t->arena, l->target, l->target_len);
    return (Mentions){lines, line, l->indent, name, at, l->target_len};
}

/* The line of the next one, up to the end of the block; NULL: there is none. */
static Line *next_mention(Mentions *m)
{
    const Lines *lines = m->lines;
    while ((m->at = find_mention(m->at, m->name, m->length))) {
        while (m->line + 1 < lines->count && lines->items[m->line + 1].start <= m->at) {
            const Line *passed = &lines->items[++m->line];
            if (passed->text && passed->indent < m->indent)
                return NULL;
        }
        Line *l = &lines->items[m->line];
        m->at += m->length;
        if (l->text && m->at <= l->stop)
            return l;
    }
    return NULL;
}

static bool is_target(const Line *l, const char *name, size_t length)
{
    return l->target && l->target_len == length && memcmp(l->target, name, length) == 0;
}

/* ---- what nobody uses ---- */

/* Is the variable of a declaration read anywhere but where it is set, up to the end of its block? */
static bool is_used(const Lines *lines, uint32_t declaration)
{
    const Line *first = &lines->items[declaration];
    Mentions mentions = mentions_from(lines, declaration, first->target + first->target_len);
    for (const Line *l = next_mention(&mentions); l; l = next_mention(&mentions)) {
        bool set = l->target && mentions.at - mentions.length == l->target;
        bool bare = l->declares && l->target && is_end(l->value[-3]) && is_target(l, mentions.name, mentions.length);
        if (!set && !bare)
            return true;
    }
    return false;
}

static bool has_effect(const Line *l)
{
    static const char *const words[] = {"random_", "sample_", "atomic"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *found = strstr(l->text, words[i]);
        if (found && found < l->text + l->length)
            return true;
    }
    return false;
}

/* True: lines behind the declaration have changed, and with them the use of variables that come later. */
static bool drop_variable(Lines *lines, uint32_t declaration)
{
    Line dropped = lines->items[declaration];
    bool changed = false;
    for (uint32_t i = declaration; i < lines->count; i++) {
        Line *l = &lines->items[i];
        if (l->text && l->indent < dropped.indent)
            break;
        if (!l->text || !is_target(l, dropped.target, dropped.target_len))
            continue;
        changed |= i > declaration;
        if (has_effect(l)) {
            l->length -= (uint32_t)(l->value - l->text);
            l->text = l->value;
            l->target = NULL;
        } else
            l->text = NULL;
    }
    return changed;
}

static bool drop_unused(Lines *lines)
{
    bool changed = false;
    for (uint32_t i = lines->count; i-- > 0;) {
        const Line *l = &lines->items[i];
        if (!l->text || !l->target || !l->declares || is_used(lines, i))
            continue;
        changed |= drop_variable(lines, i);
    }
    return changed;
}

static uint32_t next_line(const Lines *lines, uint32_t i)
{
    do
        i++;
    while (i < lines->count && !lines->items[i].text);
    return i;
}

static bool opens(const Line *l)
{
    return l->length && l->text[l->length - 1] == '{';
}

static bool is_text(const char *text, size_t length, const char *wanted)
{
    return length == strlen(wanted) && memcmp(text, wanted, length) == 0;
}

/* Blocks with nothing in them. */
static bool drop_empty(Lines *lines)
{
    bool changed = false;
    for (uint32_t i = 0; i < lines->count; i++) {
        Line *l = &lines->items[i];
        if (!l->text || !opens(l))
            continue;
        uint32_t k = next_line(lines, i);
        if (k >= lines->count || lines->items[k].text[0] != '}')
            continue;
        Line *end = &lines->items[k];
        bool closes = is_text(end->text, end->length, "}");
        if (closes && strncmp(l->text, "} else", 6) == 0)
            l->text = NULL; /* the closing bracket is that of the branch before */
        else if (closes)
            l->text = end->text = NULL;
        else if (is_text(end->text, end->length, "} else {") && strncmp(l->text, "if (", 4) == 0) {
            const char *text = arena_format(lines->t->arena, "if (!(%.*s)) {", (int)l->length - 7, l->text + 4);
            set_line(l, text, strlen(text));
            end->text = NULL;
        } else
            continue;
        changed = true;
    }
    return changed;
}

/* ---- sums ---- */

static bool is_zero(const char *value, size_t length)
{
    return is_text(value, length, "0.0f;") || is_text(value, length, "0.0;") || is_text(value, length, "{};") ||
           (length > 3 && memcmp(value + length - 3, "{};", 3) == 0 && word_length(value) == length - 3);
}

/* `float x = 0; … x += e;` becomes `float x = e;` where nothing in between looks at x. */
static void join_sum(Lines *lines, uint32_t i)
{
    Line *l = &lines->items[i];
    if (!l->text || !l->target || l->adds || is_end(l->value[-3]) ||
        !is_zero(l->value, (size_t)(l->text + l->length - l->value)))
        return;
    Mentions mentions = mentions_from(lines, i, l->stop);
    Line *other = next_mention(&mentions);
    if (!other || !is_target(other, mentions.name, mentions.length) || !other->adds || other->indent != l->indent)
        return;
    if (next_mention(&mentions) == other)
        return;
    const char *text = arena_format(lines->t->arena, "%.*s = %s%.*s", (int)(l->target + l->target_len - l->text),
                                    l->text, other->value[-3] == '-' ? "-" : "",
                                    (int)(other->text + other->length - other->value), other->value);
    l->text = NULL;
    set_line(other, text, strlen(text));
}

const char *tidy(Translator *t, Text *body, bool backward)
{
    Lines lines = {.t = t};
    text_cstr(body);
    split(&lines, body);
    bool changed = true;
    while (changed) {
        changed = drop_unused(&lines);
        changed |= drop_empty(&lines);
    }
    for (uint32_t i = 0; backward && i < lines.count; i++)
        join_sum(&lines, i);
    Text out;
    text_init_in(&out, t->arena);
    text_reserve(&out, body->len + 1);
    for (uint32_t i = 0; i < lines.count; i++)
        if (lines.items[i].text) {
            text_pad(&out, ' ', lines.items[i].indent);
            text_add(&out, lines.items[i].text, lines.items[i].length);
            text_char(&out, '\n');
        }
    return text_cstr(&out);
}
