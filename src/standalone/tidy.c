/* The lines of a body, and the last look at them before they become text: what nobody uses is left out, and a sum that starts
 * at zero starts with its first term.
 *
 * A line is a statement in parts: what is set, how, and to which value. A value is a piece that knows how tightly it binds and
 * which local names are in it; so nothing here reads text, and signs and brackets are put where precedence wants them. */
#include "standalone/lines.h"

#include <string.h>

/* ---- writing ---- */

Line *put_line(Translator *t, LineKind kind, Piece value)
{
    Body *body = t->body;
    Line *line = &ARENA_PUSH(t->arena, body->lines, body->count, body->cap);
    t->indent -= closes(kind);
    *line = (Line){.kind = kind, .indent = t->indent, .value = value};
    t->indent += opens(kind);
    return line;
}

Line *set_line(Translator *t, Piece place, const char *sign, Piece value)
{
    bool adds = strcmp(sign, "+=") == 0 || strcmp(sign, "-=") == 0, sets = strcmp(sign, "=") == 0;
    Line *line = put_line(t, place.tight == TIGHT_NAME && (adds || sets) ? LINE_SET : LINE_STORE, value);
    line->target = place;
    line->sign = sign;
    return line;
}

Line *declare_line(Translator *t, const char *type, Piece name, Piece value)
{
    Line *line = set_line(t, name, "=", value);
    line->kind = LINE_SET;
    line->type = type;
    return line;
}

Line *declare_zero(Translator *t, const Type *type, Piece name)
{
    bool has_parts = type_is_composite(type) || type->kind == TYPE_STRUCT;
    return declare_line(t, c_type(t, type).text, name, has_parts ? LIT("{}") : zero_text(t, type));
}

void clear_line(Translator *t, const Type *type, Piece place)
{
    set_line(t, place, "=", zero_text(t, type))->starts_sum = place.tight == TIGHT_NAME;
}

void put_sync(Translator *t)
{
    put_line(t, LINE_SYNC, LIT("__syncthreads()"));
}

/* ---- waits ---- */

/* Who has waited need not wait again. */
static void drop_syncs(Body *body)
{
    const Line *last = NULL;
    for (uint32_t i = 0; i < body->count; i++) {
        Line *line = &body->lines[i];
        line->is_dropped |= line->kind == LINE_SYNC && last && last->kind == LINE_SYNC && last->indent == line->indent;
        last = line->is_dropped ? last : line;
    }
    for (uint32_t i = body->count; i-- > 0;) { /* nor who ends */
        Line *line = &body->lines[i];
        if (line->is_dropped)
            continue;
        line->is_dropped = line->kind == LINE_SYNC;
        break;
    }
}

/* ---- sums ---- */

/* The next line of the same block that sets the variable, if nothing looks at it before; or NULL. */
static Line *next_set(const LineIndex *index, uint32_t from)
{
    const Body *body = index->body;
    const Line *line = &body->lines[from];
    LineList mentions = lines_with(index, line->target);
    for (uint32_t i = first_from(mentions, from + 1); i < mentions.count && mentions.items[i] < index->ends[from];
         i++) {
        Line *other = &body->lines[mentions.items[i]];
        if (other->is_dropped)
            continue;
        if (is_read_in(other, line->target))
            return NULL;
        if (is_set_in(other, line->target))
            return other->indent == line->indent && !declares(other) ? other : NULL;
    }
    return NULL;
}

/* `float x = 0; … x -= e;` becomes `float x = -e;` where nothing in between looks at x. */
static void join_sum(Translator *t, const LineIndex *index, uint32_t i)
{
    Line *line = &index->body->lines[i], *next = next_set(index, i);
    if (!next || next->sign[0] == '=')
        return;
    if (next->sign[0] == '-')
        next->value = negative(t, next->value);
    next->sign = "=";
    next->type = line->type;
    line->is_dropped = true;
}

void tidy(Translator *t)
{
    Body *body = t->body;
    LineIndex index = index_lines(t, body);
    drop_unused_lines(t, &index);
    drop_syncs(body);
    for (uint32_t i = 0; i < body->count; i++)
        if (!body->lines[i].is_dropped && body->lines[i].starts_sum)
            join_sum(t, &index, i);
}

/* ---- text ---- */

static void write_line(const Line *line, Text *out)
{
    static const struct { /* around the value */
        const char *before, *behind;
    } forms[] = {
        [LINE_PLAIN] = {"", ""},        [LINE_EFFECT] = {"", ";"},   [LINE_SET] = {"", ";"},
        [LINE_STORE] = {"", ";"},       [LINE_IF] = {"if (", ") {"}, [LINE_ELSE_IF] = {"} else if (", ") {"},
        [LINE_ELSE] = {"} else {", ""}, [LINE_LOOP] = {"", " {"},    [LINE_CLOSE] = {"}", ""},
        [LINE_SYNC] = {"", ";"},
    };
    text_pad(out, ' ', 4 * (size_t)line->indent);
    if (line->kind == LINE_SET || line->kind == LINE_STORE) {
        text_str(out, line->type ? line->type : "");
        text_str(out, line->type ? " " : "");
        text_str(out, line->target.text);
        text_char(out, ' ');
        text_str(out, line->sign);
        text_char(out, ' ');
    }
    text_str(out, forms[line->kind].before);
    if (line->kind != LINE_ELSE && line->kind != LINE_CLOSE)
        text_str(out, line->value.text);
    text_str(out, forms[line->kind].behind);
    text_str(out, line->remark ? " // " : "");
    text_str(out, line->remark ? line->remark : "");
    text_char(out, '\n');
}

void write_lines(const Body *body, Text *out)
{
    for (uint32_t i = 0; i < body->count; i++)
        if (!body->lines[i].is_dropped)
            write_line(&body->lines[i], out);
}
