/* The last look at a body, line by line: what nobody uses is left out; and in a backward body, a variable that starts at zero
 * and is then added to gets its value at once. The printer writes one statement a line, which makes this simple. */
#include "standalone/model.h"

#include <string.h>

typedef struct Line {
    const char *text; /* NULL: left out */
    uint32_t length, indent;
    const char *target; /* the variable that it sets, where that is all it does; or NULL */
    uint32_t target_len;
    bool declares, adds;
    const char *value; /* behind the sign */
    uint64_t words;    /* a bit for every word in it: most lines that do not mention a word are told by that */
} Line;

typedef struct Word {
    const char *text;
    size_t length;
    uint64_t bit;
} Word;

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

static uint64_t word_bit(const char *word, size_t length)
{
    unsigned first = (unsigned char)word[0], middle = (unsigned char)word[length / 2];
    unsigned hash = (unsigned)length + 3 * first + 7 * middle + 13 * (unsigned char)word[length - 1];
    return (uint64_t)1 << ((hash ^ hash >> 6) & 63);
}

static uint64_t words_of(const char *text)
{
    uint64_t words = 0;
    for (const char *at = text; *at; at++) {
        size_t length = word_length(at);
        if (!length)
            continue;
        words |= word_bit(at, length);
        at += length;
        if (!*at)
            break;
    }
    return words;
}

static bool starts(const char *text, size_t word, const char *with, size_t length)
{
    return word == length && memcmp(text, with, length) == 0 && text[length] == ' ';
}

/* The end of a declaration without a value. */
static bool is_end(char c)
{
    return c == '[' || c == ';' || !c;
}

/* "T x = …;", "x = …;" or "x += …;" */
static void read_line(Line *l)
{
    const char *at = l->text;
    size_t first = word_length(at);
    l->words = words_of(at);
    l->target = NULL;
    l->declares = l->adds = false;
    if (!first || starts(at, first, "for", 3) || starts(at, first, "if", 2) || starts(at, first, "while", 5) ||
        (first >= 6 && memcmp(at, "return", 6) == 0))
        return;
    const char *name = at, *behind = at + first;
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

bool text_mentions(const char *text, const char *name, size_t length)
{
    for (const char *at = text; *at;) {
        size_t found = word_length(at);
        if (found == length && (at == text || at[-1] != '.') && memcmp(at, name, length) == 0)
            return true;
        at += found ? found : 1;
    }
    return false;
}

typedef struct Lines {
    Translator *t;
    Line *items;
    uint32_t count;
} Lines;

static void set_line(Line *l, const char *text, size_t length)
{
    l->text = text;
    l->length = (uint32_t)length;
    read_line(l);
}

/* The lines stay where they are: each ends in NUL from now on. */
static void split(Lines *lines, Text *body)
{
    size_t count = text_count(body, '\n');
    lines->items = arena_take(lines->t->arena, (count + 1) * sizeof *lines->items);
    for (char *at = body->data, *end = at + body->len; at < end;) {
        char *stop = memchr(at, '\n', (size_t)(end - at)), *start = at;
        while (*at == ' ')
            at++;
        *stop = '\0';
        Line *l = &lines->items[lines->count++];
        l->indent = (uint32_t)(at - start);
        set_line(l, at, (size_t)(stop - at));
        at = stop + 1;
    }
}

static Word target_of(const Line *l)
{
    return (Word){l->target, l->target_len, word_bit(l->target, l->target_len)};
}

static bool is_target(const Line *l, Word word)
{
    return l->target && l->target_len == word.length && memcmp(l->target, word.text, word.length) == 0;
}

static bool line_mentions(const Line *l, Word word)
{
    return (l->words & word.bit) && text_mentions(l->text, word.text, word.length);
}

/* Is the variable of a declaration read anywhere but where it is set, up to the end of its block? */
static bool is_used(const Lines *lines, uint32_t declaration, Word word)
{
    uint32_t indent = lines->items[declaration].indent;
    for (uint32_t i = declaration; i < lines->count; i++) {
        const Line *l = &lines->items[i];
        if (!l->text)
            continue;
        if (l->indent < indent)
            return false;
        if (!(l->words & word.bit))
            continue;
        if (is_target(l, word)) {
            if (!(l->declares && is_end(l->value[-3])) && text_mentions(l->value - 1, word.text, word.length))
                return true;
        } else if (line_mentions(l, word))
            return true;
    }
    return false;
}

static bool has_effect(const Line *l)
{
    return strstr(l->text, "random_") || strstr(l->text, "sample_") || strstr(l->text, "atomic");
}

static void drop_variable(Lines *lines, uint32_t declaration, Word word)
{
    uint32_t indent = lines->items[declaration].indent;
    for (uint32_t i = declaration; i < lines->count; i++) {
        Line *l = &lines->items[i];
        if (l->text && l->indent < indent)
            return;
        if (!l->text || !is_target(l, word))
            continue;
        if (has_effect(l)) {
            l->length -= (uint32_t)(l->value - l->text);
            l->text = l->value;
            l->target = NULL;
        } else
            l->text = NULL;
    }
}

static bool drop_unused(Lines *lines)
{
    bool changed = false;
    for (uint32_t i = lines->count; i-- > 0;) {
        const Line *l = &lines->items[i];
        if (!l->text || !l->target || !l->declares || is_used(lines, i, target_of(l)))
            continue;
        drop_variable(lines, i, target_of(l));
        changed = true;
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

/* Blocks with nothing in them. */
static bool drop_empty(Lines *lines)
{
    bool changed = false;
    for (uint32_t i = 0; i < lines->count; i++) {
        Line *l = &lines->items[i];
        uint32_t k = next_line(lines, i);
        if (!l->text || !opens(l) || k >= lines->count || lines->items[k].text[0] != '}')
            continue;
        Line *end = &lines->items[k];
        if (strcmp(end->text, "}") == 0 && strncmp(l->text, "} else", 6) == 0)
            l->text = NULL; /* the closing bracket is that of the branch before */
        else if (strcmp(end->text, "}") == 0)
            l->text = end->text = NULL;
        else if (strcmp(end->text, "} else {") == 0 && strncmp(l->text, "if (", 4) == 0) {
            const char *text = arena_format(lines->t->arena, "if (!(%.*s)) {", (int)l->length - 7, l->text + 4);
            set_line(l, text, strlen(text));
            end->text = NULL;
        } else
            continue;
        changed = true;
    }
    return changed;
}

static bool is_zero(const char *value)
{
    size_t length = strlen(value);
    return strcmp(value, "0.0f;") == 0 || strcmp(value, "0.0;") == 0 || strcmp(value, "{};") == 0 ||
           (length > 3 && strcmp(value + length - 3, "{};") == 0 && word_length(value) == length - 3);
}

/* `float x = 0; … x += e;` becomes `float x = e;` where nothing in between looks at x. */
static bool join_sum(Lines *lines, uint32_t i)
{
    Line *l = &lines->items[i];
    if (!l->text || !l->target || l->adds || is_end(l->value[-3]) || !is_zero(l->value))
        return false;
    Word word = target_of(l);
    for (uint32_t k = next_line(lines, i); k < lines->count; k = next_line(lines, k)) {
        Line *other = &lines->items[k];
        if (other->indent < l->indent)
            return false;
        if (!line_mentions(other, word))
            continue;
        bool same = is_target(other, word) && other->adds && other->indent == l->indent;
        if (!same || text_mentions(other->value, word.text, word.length))
            return false;
        const char *text = arena_format(lines->t->arena, "%.*s = %s%s", (int)(l->target + word.length - l->text),
                                        l->text, other->value[-3] == '-' ? "-" : "", other->value);
        l->text = NULL;
        set_line(other, text, strlen(text));
        return true;
    }
    return false;
}

const char *tidy(Translator *t, Text *body, bool backward)
{
    Lines lines = {.t = t};
    size_t length = body->len;
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
    text_reserve(&out, length + 1);
    for (uint32_t i = 0; i < lines.count; i++)
        if (lines.items[i].text) {
            text_pad(&out, ' ', lines.items[i].indent);
            text_add(&out, lines.items[i].text, lines.items[i].length);
            text_char(&out, '\n');
        }
    return text_cstr(&out);
}
