/* The lines of a body, and the last look at them: what nobody uses is left out; and in a backward body, a variable that
 * starts at zero and is then added to gets its value at once.
 *
 * A line knows which local names it reads, a bit each, and which variable it sets, where that is all it does. */
#include "standalone/model.h"

#include <string.h>

/* ---- writing ---- */

void start_body(Translator *t, Body *body)
{
    enum { USUAL = 4096 };
    t->body = body;
    if (!body->text.arena) {
        text_init_in(&body->text, t->arena);
        text_reserve(&body->text, USUAL);
    }
    body->text.len = 0;
    body->count = body->deepest = 0;
    body->uses = body->declared = 0;
    body->declared_twice = body->has_empty = false;
}

/* Bits of what a body declares: a name that is declared twice, or that shares its bit, is noted as such. */
static void note_declared(Body *body, Piece name)
{
    body->declared_twice |= (body->declared & name.uses) != 0;
    body->declared |= name.uses;
}

/* With room for `length` bytes of text, and some. */
static inline Line *new_line(Translator *t, LineKind kind, size_t length)
{
    enum { SIGNS = 16 };
    Body *body = t->body;
    if (body->count == body->cap) {
        uint32_t cap = body->cap ? 2 * body->cap : 64;
        body->lines =
            arena_grow_raw(t->arena, body->lines, body->count * sizeof *body->lines, cap * sizeof *body->lines);
        body->cap = cap;
    }
    text_room(&body->text, length + SIGNS);
    Line *line = &body->lines[body->count++];
    *line = (Line){.kind = kind, .indent = t->indent, .start = (uint32_t)body->text.len};
    line->value = line->start;
    body->deepest = t->indent > body->deepest ? t->indent : body->deepest;
    return line;
}

static inline char *put(char *to, Piece piece)
{
    return put_bytes(to, piece.text, piece.length);
}

static inline void end_line(Body *body, Line *line, const char *end)
{
    text_end(&body->text, end);
    line->length = (uint32_t)body->text.len - line->start;
    body->uses |= line->uses;
}

/* A block that ends where it starts. */
static inline bool closes_empty(const Body *body, LineKind kind)
{
    return kind >= LINE_ELSE && body->count && body->lines[body->count - 1].kind >= LINE_IF &&
           body->lines[body->count - 1].kind != LINE_CLOSE;
}

void put_line(Translator *t, LineKind kind, const Piece *parts, uint32_t count)
{
    Body *body = t->body;
    size_t length = 0;
    for (uint32_t i = 0; i < count; i++)
        length += parts[i].length;
    body->has_empty |= closes_empty(body, kind);
    Line *line = new_line(t, kind, length);
    char *to = body->text.data + line->start;
    for (uint32_t i = 0; i < count; i++) {
        to = put(to, parts[i]);
        line->uses |= parts[i].uses;
    }
    if (kind == LINE_IF)
        line->value = line->start + parts[0].length;
    end_line(body, line, to);
}

void close_block(Translator *t)
{
    LINE(t, LINE_CLOSE, LIT("}"));
}

static bool is_text(Piece piece, const char *wanted, size_t length)
{
    return piece.length == length && memcmp(piece.text, wanted, length) == 0;
}

static bool is_zero(Piece value)
{
    if (value.length < 2)
        return false;
    if (value.text[0] == '0')
        return is_text(value, "0.0f", 4) || is_text(value, "0.0", 3);
    if (value.text[value.length - 1] != '}' || value.text[value.length - 2] != '{')
        return false;
    for (uint32_t i = 0; i + 2 < value.length; i++) { /* T{} */
        char c = value.text[i];
        if (c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z'))
            return false;
    }
    return true;
}

static inline void put_value(Body *body, Line *line, char *to, Piece value, Piece remark)
{
    line->value = (uint32_t)(to - body->text.data);
    line->uses |= value.uses;
    to = put(to, value);
    *to++ = ';';
    end_line(body, line, put(to, remark));
}

void declare_line(Translator *t, Piece type, Piece name, Piece value, Piece remark)
{
    Body *body = t->body;
    Line *line = new_line(t, LINE_SET, (size_t)type.length + name.length + value.length + remark.length);
    line->declares = true;
    line->target = name;
    line->is_zero = !remark.length && is_zero(value);
    note_declared(body, name);
    char *to = put(body->text.data + line->start, type);
    *to++ = ' ';
    to = put(to, name);
    to = put_lit(to, " = ");
    put_value(body, line, to, value, remark);
}

void set_line(Translator *t, Piece place, Piece sign, Piece value, Piece remark)
{
    bool adds = sign.length == 2 && (sign.text[0] == '+' || sign.text[0] == '-');
    bool sets = place.tight == TIGHT_NAME && (adds || sign.length == 1);
    Body *body = t->body;
    Line *line =
        new_line(t, sets ? LINE_SET : LINE_PLAIN, (size_t)place.length + sign.length + value.length + remark.length);
    if (sets) {
        line->target = place;
        line->adds = adds;
        line->is_zero = !adds && !remark.length && is_zero(value);
    } else
        line->uses = place.uses;
    char *to = put(body->text.data + line->start, place);
    *to++ = ' ';
    to = put(to, sign);
    *to++ = ' ';
    put_value(body, line, to, value, remark);
}

bool repeat_line(Translator *t, const Body *from, uint32_t index)
{
    const Line *old = &from->lines[index];
    if (old->is_dropped || old->value == old->start) /* or its start was */
        return false;
    Body *body = t->body;
    Line *line = new_line(t, old->kind, old->length);
    uint32_t start = line->start;
    *line = *old;
    line->indent = t->indent;
    line->start = start;
    line->value = start + old->value - old->start;
    if (line->declares)
        note_declared(body, line->target);
    end_line(body, line, put_bytes(body->text.data + start, from->text.data + old->start, old->length));
    return true;
}

/* ---- who mentions a name ---- */

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* As a word of its own that is not a field. */
static bool text_mentions(const char *text, size_t length, Piece name)
{
    for (const char *at = text, *end = text + length; (at = memmem(at, (size_t)(end - at), name.text, name.length));
         at++) {
        bool starts = at == text || (!is_word(at[-1]) && at[-1] != '.');
        if (starts && (at + name.length == end || !is_word(at[name.length])))
            return true;
    }
    return false;
}

static inline bool is_read_in(const Translator *t, const Line *line, Piece name)
{
    if (!(line->uses & name.uses & ~HAS_EFFECT))
        return false;
    if (t->locals <= 63) /* every name has a bit of its own */
        return true;
    uint32_t from = line->kind == LINE_SET ? line->value : line->start;
    return text_mentions(t->body->text.data + from, line->start + line->length - from, name);
}

static inline bool is_set_in(const Line *line, Piece name)
{
    return line->kind == LINE_SET && line->target.uses == name.uses && line->target.length == name.length &&
           memcmp(line->target.text, name.text, name.length) == 0;
}

/* The end of the block that a line stands in. */
static uint32_t block_end(const Translator *t, uint32_t from)
{
    uint32_t indent = t->body->lines[from].indent, i = from + 1;
    while (i < t->body->count && (t->body->lines[i].is_dropped || t->body->lines[i].indent >= indent))
        i++;
    return i;
}

/* ---- what nobody uses ---- */

/* Is the variable of a declaration read up to the end of its block? */
static bool is_used(const Translator *t, uint32_t declaration)
{
    for (uint32_t i = declaration, end = block_end(t, declaration); i < end; i++)
        if (!t->body->lines[i].is_dropped && is_read_in(t, &t->body->lines[i], t->body->lines[declaration].target))
            return true;
    return false;
}

/* True: lines behind the declaration have changed, and with them the use of other variables. */
static bool drop_variable(Translator *t, uint32_t declaration)
{
    Piece name = t->body->lines[declaration].target;
    bool changed = false;
    for (uint32_t i = declaration, end = block_end(t, declaration); i < end; i++) {
        Line *line = &t->body->lines[i];
        if (line->is_dropped || !is_set_in(line, name))
            continue;
        changed |= i > declaration;
        if (line->uses & HAS_EFFECT) {
            line->length -= line->value - line->start;
            line->start = line->value;
            line->kind = LINE_PLAIN;
        } else
            line->is_dropped = true;
    }
    return changed;
}

/* From the last line to the first: `read` holds, for the block at each indentation, what the lines behind read. */
static bool drop_unused(Translator *t)
{
    bool changed = false, shares = t->locals > 63;
    uint64_t *read = ARENA_ARRAY(t->arena, uint64_t, t->body->deepest + 1);
    uint32_t depth = 0;
    for (uint32_t i = t->body->count; i-- > 0;) {
        const Line *line = &t->body->lines[i];
        if (line->is_dropped)
            continue;
        for (; depth > line->indent; depth--) {
            read[depth - 1] |= read[depth];
            read[depth] = 0;
        }
        depth = line->indent;
        uint64_t seen = read[depth] | line->uses;
        if (line->declares && !(seen & line->target.uses && (!shares || is_used(t, i)))) {
            changed |= drop_variable(t, i);
            t->body->has_empty = true; /* perhaps */
        }
        if (!line->is_dropped)
            read[depth] |= line->uses;
    }
    return changed;
}

/* if (a) { } else { … } */
static void negate(Translator *t, Line *line)
{
    uint32_t length = line->start + line->length - line->value - 3; /* without `) {` */
    Piece condition = {arena_strndup(t->arena, t->body->text.data + line->value, length), length, TIGHT_COMMA, 0};
    line->start = (uint32_t)t->body->text.len;
    text_lit(&t->body->text, "if (!(");
    line->value = (uint32_t)t->body->text.len - 2;
    text_add(&t->body->text, condition.text, condition.length);
    text_lit(&t->body->text, ")) {");
    line->length = (uint32_t)t->body->text.len - line->start;
}

/* Blocks with nothing in them. */
static bool drop_empty(Translator *t)
{
    bool changed = false;
    for (uint32_t i = 0; i < t->body->count; i++) {
        Line *line = &t->body->lines[i];
        if (line->is_dropped || line->kind < LINE_IF || line->kind == LINE_CLOSE)
            continue;
        uint32_t next = i + 1;
        while (next < t->body->count && t->body->lines[next].is_dropped)
            next++;
        Line *end = next < t->body->count ? &t->body->lines[next] : NULL;
        if (!end || end->kind < LINE_ELSE)
            continue;
        if (end->kind == LINE_CLOSE) {
            line->is_dropped = true; /* the closing bracket of an else is that of the branch before */
            end->is_dropped = line->kind != LINE_ELSE && line->kind != LINE_ELSE_IF;
        } else if (end->kind == LINE_ELSE && line->kind == LINE_IF) {
            negate(t, line);
            end->is_dropped = true;
        } else
            continue;
        changed = true;
    }
    return changed;
}

/* ---- sums ---- */

/* `float x = 0; … x += e;` becomes `float x = e;` where nothing in between looks at x. */
static void join_sum(Translator *t, uint32_t i)
{
    Line *line = &t->body->lines[i], *other = NULL;
    Piece name = line->target;
    for (uint32_t k = i + 1; k < t->body->count && !other; k++) {
        Line *l = &t->body->lines[k];
        if (l->is_dropped)
            continue;
        if (l->indent < line->indent)
            return;
        if (!((l->uses | l->target.uses) & name.uses))
            continue;
        if (is_read_in(t, l, name))
            return;
        if (is_set_in(l, name))
            other = l;
    }
    if (!other || !other->adds || other->indent != line->indent)
        return;
    bool minus = t->body->text.data[other->value - 3] == '-';
    uint32_t head = line->value - 3 - line->start, start = (uint32_t)t->body->text.len; /* "T x" */
    uint32_t length = other->start + other->length - other->value;
    text_reserve(&t->body->text, (size_t)head + length + 8);
    text_add(&t->body->text, t->body->text.data + line->start, head);
    text_lit(&t->body->text, " = ");
    text_add(&t->body->text, "-", minus);
    uint32_t value = (uint32_t)t->body->text.len - minus;
    text_add(&t->body->text, t->body->text.data + other->value, length);
    line->is_dropped = true;
    other->start = start;
    other->value = value;
    other->declares = line->declares;
    other->adds = false;
    other->length = (uint32_t)t->body->text.len - start;
}

/* Is every variable read? What a line reads is declared before it, in a block around it. */
static bool all_are_used(const Translator *t)
{
    const Body *body = t->body;
    return t->locals <= 63 && !body->declared_twice && !(body->declared & ~body->uses);
}

void tidy(Translator *t, bool backward)
{
    bool changed = true, all_used = all_are_used(t);
    while (changed) {
        changed = !all_used && drop_unused(t);
        if (t->body->has_empty && drop_empty(t)) {
            changed = true;
            all_used = false; /* conditions were read */
        }
    }
    for (uint32_t i = 0; backward && i < t->body->count; i++)
        if (!t->body->lines[i].is_dropped && t->body->lines[i].is_zero)
            join_sum(t, i);
}

enum { MARGIN = 32 };

/* Needs room for MARGIN, at least: most lines are written over a part of it. */
static inline char *put_margin(char *to, uint32_t indent)
{
    static const char spaces[] = "                                ";
    _Static_assert(sizeof spaces == MARGIN + 1, "as many as MARGIN says");
    size_t margin = 4 * (size_t)indent;
    memcpy(to, spaces, MARGIN);
    if (margin > MARGIN)
        memset(to, ' ', margin);
    return to + margin;
}

void write_lines(const Body *body, Text *out)
{
    for (uint32_t i = 0; i < body->count; i++) {
        const Line *line = &body->lines[i];
        if (line->is_dropped)
            continue;
        char *to = put_margin(text_room(out, MARGIN + 4 * (size_t)line->indent + line->length + 1), line->indent);
        to = put_bytes(to, body->text.data + line->start, line->length);
        *to++ = '\n';
        text_end(out, to);
    }
}
