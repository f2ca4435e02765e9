/* The lines of a body, and the last look at them before they become text: what nobody uses is left out, and a sum that starts
 * at zero starts with its first term.
 *
 * A line is a statement in parts: what is set, how, and to which value. A value is a piece that knows how tightly it binds and
 * which local names are in it; so nothing here reads text, and signs and brackets are put where precedence wants them. */
#include "standalone/tile.h"

#include <string.h>

/* ---- writing ---- */

static bool opens(LineKind kind)
{
    return kind == LINE_IF || kind == LINE_LOOP || kind == LINE_ELSE || kind == LINE_ELSE_IF;
}

static bool closes(LineKind kind)
{
    return kind == LINE_ELSE || kind == LINE_ELSE_IF || kind == LINE_CLOSE;
}

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

/* ---- who mentions a name ---- */

static bool declares(const Line *line)
{
    return line->kind == LINE_SET && line->type;
}

static inline bool is_read_in(const Line *line, const Bits *name)
{
    return bits_meet(line->value.uses, name) || (line->kind == LINE_STORE && bits_meet(line->target.uses, name));
}

static bool is_set_in(const Line *line, Piece name)
{
    return line->kind == LINE_SET && bits_meet(line->target.uses, name.uses);
}

/* The end of the block that a line stands in. */
static uint32_t block_end(const Body *body, uint32_t from)
{
    uint32_t i = from + 1;
    while (i < body->count && (body->lines[i].is_dropped || body->lines[i].indent >= body->lines[from].indent))
        i++;
    return i;
}

/* ---- what nobody uses ---- */

/* Is the variable of a declaration read up to the end of its block? */
static bool is_used(const Body *body, uint32_t declaration)
{
    const Line *first = &body->lines[declaration];
    for (const Line *line = first, *end = body->lines + body->count; line < end; line++) {
        if (line->is_dropped)
            continue;
        if (line->indent < first->indent)
            return false;
        if (is_read_in(line, first->target.uses))
            return true;
    }
    return false;
}

static void drop_variable(Body *body, uint32_t declaration)
{
    Piece name = body->lines[declaration].target;
    for (uint32_t i = declaration, end = block_end(body, declaration); i < end; i++) {
        Line *line = &body->lines[i];
        if (line->is_dropped || !is_set_in(line, name))
            continue;
        if (line->value.has_effect)
            line->kind = LINE_EFFECT;
        else
            line->is_dropped = true;
    }
}

/* From the last line to the first: what only unused variables read is unused, too. */
static bool drop_unused(Body *body)
{
    bool changed = false;
    for (uint32_t i = body->count; i-- > 0;)
        if (!body->lines[i].is_dropped && declares(&body->lines[i]) && !is_used(body, i)) {
            drop_variable(body, i);
            changed = true;
        }
    return changed;
}

/* Blocks with nothing in them. */
static bool drop_empty(Translator *t, Body *body)
{
    bool changed = false;
    for (uint32_t i = 0; i < body->count; i++) {
        Line *line = &body->lines[i];
        if (line->is_dropped || !opens(line->kind) || line->value.has_effect)
            continue;
        uint32_t next = i + 1;
        while (next < body->count && body->lines[next].is_dropped)
            next++;
        Line *end = next < body->count ? &body->lines[next] : NULL;
        if (end && end->kind == LINE_CLOSE) {
            line->is_dropped = true; /* the closing bracket of an else is that of the branch before */
            end->is_dropped = !closes(line->kind);
        } else if (end && end->kind == LINE_ELSE && line->kind == LINE_IF) {
            line->value = JOIN(t, "!@", line->value);
            end->is_dropped = true;
        } else
            continue;
        changed = true;
    }
    return changed;
}

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

/* Is it set to an element of the tile? */
static bool sets_element(const Line *line, Piece tile)
{
    size_t length = strlen(tile.text);
    return line->kind == LINE_STORE && strncmp(line->target.text, tile.text, length) == 0 &&
           line->target.text[length] == '[';
}

/* Tiles that are filled, but never looked at. */
static bool drop_tile(Body *body, Piece tile)
{
    bool changed = false;
    for (uint32_t i = 0; i < body->count; i++) {
        const Line *line = &body->lines[i];
        if (!line->is_dropped && (bits_meet(line->value.uses, tile.uses) ||
                                  (bits_meet(line->target.uses, tile.uses) && !sets_element(line, tile))))
            return false;
    }
    for (uint32_t i = 0; i < body->count; i++) {
        Line *line = &body->lines[i];
        if (line->is_dropped || !sets_element(line, tile) || line->value.has_effect)
            continue;
        line->is_dropped = changed = true;
    }
    return changed;
}

static bool drop_tiles(Translator *t, Body *body)
{
    bool changed = false;
    for (uint32_t i = 0; t->lanes && i < t->current->vars.count; i++) {
        const Var *var = t->current->vars.items[i];
        if (!var->tile || var->tile->var != var)
            continue;
        changed |= drop_tile(body, var->label);
        changed |= var->adjoint.text && drop_tile(body, var->adjoint);
    }
    return changed;
}

/* ---- sums ---- */

/* The next line of the same block that sets the variable, if nothing looks at it before; or NULL. */
static Line *next_set(Body *body, uint32_t from)
{
    Line *line = &body->lines[from];
    for (uint32_t i = from + 1; i < body->count; i++) {
        Line *other = &body->lines[i];
        if (other->is_dropped)
            continue;
        if (other->indent < line->indent || is_read_in(other, line->target.uses))
            return NULL;
        if (is_set_in(other, line->target))
            return other->indent == line->indent && !declares(other) ? other : NULL;
    }
    return NULL;
}

/* `float x = 0; … x -= e;` becomes `float x = -e;` where nothing in between looks at x. */
static void join_sum(Translator *t, Body *body, uint32_t i)
{
    Line *line = &body->lines[i], *next = next_set(body, i);
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
    while (drop_unused(body) || drop_empty(t, body) || drop_tiles(t, body))
        ;
    drop_syncs(body);
    for (uint32_t i = 0; i < body->count; i++)
        if (!body->lines[i].is_dropped && body->lines[i].starts_sum)
            join_sum(t, body, i);
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
