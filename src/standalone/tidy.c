/* The last look at a body, line by line: what nobody uses is left out; and in a backward body, a variable that starts at zero
 * and is then added to gets its value at once. The printer writes one statement a line, which makes this simple. */
#include "standalone/model.h"

#include <string.h>

typedef struct Line {
    const char *text; /* NULL: left out */
    uint32_t indent;
    const char *target; /* the variable that it sets, where that is all it does; or NULL */
    uint32_t target_len;
    bool declares, adds, has_effect;
    const char *value; /* behind the sign */
    uint64_t words;    /* a bit for every word in it: most lines that do not mention a word are told by that */
} Line;

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
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
    uint32_t hash = (uint32_t)length;
    for (size_t i = 0; i < length; i++)
        hash = hash * 31 + (unsigned char)word[i];
    return (uint64_t)1 << ((hash ^ hash >> 6 ^ hash >> 12) & 63);
}

static uint64_t words_of(const char *text)
{
    uint64_t words = 0;
    while (*text) {
        size_t length = word_length(text);
        if (length)
            words |= word_bit(text, length);
        text += length ? length : 1;
    }
    return words;
}

/* "T x = …;", "x = …;" or "x += …;" */
static void read_line(Line *l)
{
    const char *at = l->text;
    size_t first = word_length(at);
    l->words = words_of(at);
    l->target = NULL;
    l->declares = l->adds = false;
    l->has_effect = strstr(at, "random_") || strstr(at, "sample_") || strstr(at, "atomic");
    if (!first || strncmp(at, "for ", 4) == 0 || strncmp(at, "if ", 3) == 0 || strncmp(at, "while ", 6) == 0 ||
        strncmp(at, "return", 6) == 0)
        return;
    const char *name = at, *behind = at + first;
    size_t length = first;
    if (behind[0] == ' ' && is_word(behind[1])) {
        name = behind + 1;
        length = word_length(name);
        behind = name + length;
        l->declares = true;
    }
    l->adds = strncmp(behind, " += ", 4) == 0 || strncmp(behind, " -= ", 4) == 0;
    bool sets = strncmp(behind, " = ", 3) == 0 || (l->declares && strchr("[;", behind[0]));
    if (!l->adds && !sets)
        return;
    l->target = name;
    l->target_len = (uint32_t)length;
    l->value = behind + (l->adds ? 4 : 3);
}

bool text_mentions(const char *text, const char *name, size_t length)
{
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || (!is_word(at[-1]) && at[-1] != '.')) && strncmp(at, name, length) == 0 &&
            !is_word(at[length]))
            return true;
    return false;
}

typedef struct Lines {
    Translator *t;
    Line *items;
    uint32_t count;
} Lines;

static void split(Lines *lines, const char *text)
{
    uint32_t cap = 0;
    while (*text) {
        const char *end = strchr(text, '\n');
        size_t length = end ? (size_t)(end - text) : strlen(text), indent = 0;
        while (indent < length && text[indent] == ' ')
            indent++;
        Line *line_ = &ARENA_PUSH(lines->t->arena, lines->items, lines->count, cap);
        *line_ =
            (Line){.text = arena_strndup(lines->t->arena, text + indent, length - indent), .indent = (uint32_t)indent};
        read_line(line_);
        text += length + (end != NULL);
    }
}

static bool is_target(const Line *l, const char *name, size_t length)
{
    return l->target && l->target_len == length && strncmp(l->target, name, length) == 0;
}

static bool line_mentions(const Line *l, const char *name, size_t length)
{
    return (l->words & word_bit(name, length)) && text_mentions(l->text, name, length);
}

/* Is the variable of a declaration read anywhere but where it is set, up to the end of its block? */
static bool is_used(const Lines *lines, uint32_t declaration, const char *name, size_t length)
{
    uint32_t indent = lines->items[declaration].indent;
    for (uint32_t i = declaration; i < lines->count; i++) {
        const Line *l = &lines->items[i];
        if (!l->text)
            continue;
        if (l->indent < indent)
            return false;
        if (is_target(l, name, length)) {
            if (!(l->declares && strchr("[;", l->value[-3])) && text_mentions(l->value - 1, name, length))
                return true;
        } else if (line_mentions(l, name, length))
            return true;
    }
    return false;
}

static void drop_variable(Lines *lines, uint32_t declaration, const char *name, size_t length)
{
    uint32_t indent = lines->items[declaration].indent;
    for (uint32_t i = declaration; i < lines->count; i++) {
        Line *l = &lines->items[i];
        if (l->text && l->indent < indent)
            return;
        if (!l->text || !is_target(l, name, length))
            continue;
        if (l->has_effect) {
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
        if (!l->text || !l->target || !l->declares)
            continue;
        const char *name = arena_strndup(lines->t->arena, l->target, l->target_len);
        if (is_used(lines, i, name, strlen(name)))
            continue;
        drop_variable(lines, i, name, strlen(name));
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
    size_t length = strlen(l->text);
    return length && l->text[length - 1] == '{';
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
            const char *condition = arena_strndup(lines->t->arena, l->text + 4, strlen(l->text) - 7);
            l->text = arena_format(lines->t->arena, "if (!(%s)) {", condition);
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
    if (!l->text || !l->target || l->adds || strchr("[;", l->value[-3]) || !is_zero(l->value))
        return false;
    const char *name = arena_strndup(lines->t->arena, l->target, l->target_len);
    for (uint32_t k = next_line(lines, i); k < lines->count; k = next_line(lines, k)) {
        Line *other = &lines->items[k];
        if (other->indent < l->indent)
            return false;
        if (!line_mentions(other, name, l->target_len))
            continue;
        bool same = is_target(other, name, l->target_len) && other->adds && other->indent == l->indent;
        if (!same || text_mentions(other->value, name, l->target_len))
            return false;
        bool minus = other->value[-3] == '-';
        const char *value = other->value;
        size_t start = (size_t)(l->target - l->text);
        other->text =
            arena_format(lines->t->arena, "%.*s%s = %s%s", (int)start, l->text, name, minus ? "-" : "", value);
        l->text = NULL;
        read_line(other);
        return true;
    }
    return false;
}

const char *tidy(Translator *t, const char *text, bool backward)
{
    Lines lines = {.t = t};
    split(&lines, text);
    bool changed = true;
    while (changed) {
        changed = drop_unused(&lines);
        changed |= drop_empty(&lines);
    }
    for (uint32_t i = 0; backward && i < lines.count; i++)
        join_sum(&lines, i);
    Text out;
    text_init_in(&out, t->arena);
    for (uint32_t i = 0; i < lines.count; i++)
        if (lines.items[i].text) {
            text_pad(&out, ' ', lines.items[i].indent);
            text_str(&out, lines.items[i].text);
            text_char(&out, '\n');
        }
    return text_cstr(&out);
}
