/* What nobody uses is left out of a body: variables that nothing reads, tiles that are filled but never looked at, and blocks with
 * nothing in them.
 *
 * Whatever is dropped may have been the last use of something else. Each variable watches one line that reads it, and each block
 * counts its lines; only where such a line is dropped, its watchers are looked at again. So the work grows as the text does. */
#include "standalone/lines.h"
#include "standalone/tile.h"

#include <string.h>

enum { NO_LINE = UINT32_MAX };

/* ---- the index ---- */

/* The end of the block of each line: the next one with less indent. */
static uint32_t *find_ends(Translator *t, const Body *body)
{
    uint32_t *ends = ARENA_ARRAY(t->arena, uint32_t, body->count);
    for (uint32_t i = body->count; i-- > 0;) {
        uint32_t end = i + 1;
        while (end < body->count && body->lines[end].indent >= body->lines[i].indent)
            end = ends[end];
        ends[i] = end;
    }
    return ends;
}

static void note_line(Translator *t, LineIndex *index, uint32_t line, const Bits *names)
{
    for (uint32_t name = next_bit(names, 0); name != UINT32_MAX; name = next_bit(names, name + 1)) {
        while (index->name_count <= name)
            ARENA_PUSH(t->arena, index->by_name, index->name_count, index->name_cap) = (LineList){0};
        LineList *list = &index->by_name[name];
        if (!list->count || list->items[list->count - 1] != line)
            ARENA_PUSH(t->arena, list->items, list->count, list->cap) = line;
    }
}

LineIndex index_lines(Translator *t, Body *body)
{
    LineIndex index = {.body = body, .ends = find_ends(t, body)};
    for (uint32_t i = 0; i < body->count; i++) {
        note_line(t, &index, i, body->lines[i].value.uses);
        note_line(t, &index, i, body->lines[i].target.uses);
    }
    return index;
}

LineList lines_with(const LineIndex *index, Piece name)
{
    uint32_t number = next_bit(name.uses, 0);
    return number < index->name_count ? index->by_name[number] : (LineList){0};
}

uint32_t first_from(LineList list, uint32_t line)
{
    uint32_t low = 0;
    for (uint32_t high = list.count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (list.items[middle] < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- dropping ---- */

typedef struct Part { /* of a line; those of blocks are at the line that opens it */
    uint32_t opener;  /* of the block that the line stands in; NO_LINE: the body */
    uint32_t left;    /* of a block: lines in it that are left */
    uint32_t closer;  /* of a block: the line that closes it; of an else, it may open the next one */
    uint32_t before;  /* of an else: the line that opens the block before it */
    uint32_t watcher; /* the newest declaration that watches the line; NO_LINE: none */
    uint32_t next;    /* of a declaration: the next one that watches the same line */
    uint32_t place;   /* of a declaration: of the line that it watches, in the list of its name */
} Part;

typedef struct Dropper {
    Translator *t;
    LineIndex *index;
    Line *lines;
    Part *parts;
    struct { /* lines: declarations that may be unused, and blocks that may be empty */
        uint32_t *items;
        uint32_t count, cap;
    } todo;
    bool has_dropped;
} Dropper;

static void look_again(Dropper *d, uint32_t line)
{
    ARENA_PUSH(d->t->arena, d->todo.items, d->todo.count, d->todo.cap) = line;
}

static void drop_line(Dropper *d, uint32_t line)
{
    if (d->lines[line].is_dropped)
        return;
    d->lines[line].is_dropped = d->has_dropped = true;
    uint32_t opener = d->parts[line].opener;
    if (opener != NO_LINE && d->lines[opener].is_dropped) /* an else whose branch is gone */
        opener = d->parts[opener].before;
    if (opener != NO_LINE && --d->parts[opener].left == 0)
        look_again(d, opener);
    for (uint32_t i = d->parts[line].watcher; i != NO_LINE; i = d->parts[i].next)
        look_again(d, i);
    d->parts[line].watcher = NO_LINE;
}

/* Is the variable of a declaration read up to the end of its block? Then it watches a line that does. */
static bool is_used(Dropper *d, uint32_t declaration)
{
    Part *part = &d->parts[declaration];
    Piece name = d->lines[declaration].target;
    LineList mentions = lines_with(d->index, name);
    for (; part->place < mentions.count && mentions.items[part->place] < d->index->ends[declaration]; part->place++) {
        uint32_t line = mentions.items[part->place];
        if (d->lines[line].is_dropped || !is_read_in(&d->lines[line], name))
            continue;
        part->next = d->parts[line].watcher;
        d->parts[line].watcher = declaration;
        return true;
    }
    return false;
}

static void drop_variable(Dropper *d, uint32_t declaration)
{
    Piece name = d->lines[declaration].target;
    LineList mentions = lines_with(d->index, name);
    for (uint32_t i = first_from(mentions, declaration); i < mentions.count; i++) {
        uint32_t at = mentions.items[i];
        if (at >= d->index->ends[declaration])
            break;
        Line *line = &d->lines[at];
        if (line->is_dropped || !is_set_in(line, name))
            continue;
        if (line->value.has_effect)
            line->kind = LINE_EFFECT;
        else
            drop_line(d, at);
    }
}

/* A block with nothing in it; what closes it may be an else. */
static void drop_block(Dropper *d, uint32_t opener)
{
    Part *part = &d->parts[opener];
    Line *line = &d->lines[opener];
    uint32_t closer = part->closer, again = opener;
    if (line->value.has_effect)
        return;
    if (d->lines[closer].kind == LINE_CLOSE) {
        drop_line(d, opener);
        if (!closes(line->kind)) {
            drop_line(d, closer);
            return;
        }
        again = part->before; /* the closing bracket of an else is that of the branch before */
        d->parts[again].closer = closer;
    } else if (d->lines[closer].kind == LINE_ELSE && line->kind == LINE_IF) {
        line->value = JOIN(d->t, "!@", line->value);
        drop_line(d, closer);
        part->closer = d->parts[closer].closer;
        part->left = d->parts[closer].left;
    } else
        return;
    if (!d->parts[again].left)
        look_again(d, again);
}

static void drop_all(Dropper *d)
{
    while (d->todo.count) {
        uint32_t i = d->todo.items[--d->todo.count];
        const Line *line = &d->lines[i];
        if (line->is_dropped)
            continue;
        if (opens(line->kind) && !d->parts[i].left)
            drop_block(d, i);
        else if (declares(line) && !is_used(d, i))
            drop_variable(d, i);
    }
}

/* ---- tiles ---- */

/* Is it set to an element of the tile? */
static bool sets_element(const Line *line, Piece tile)
{
    size_t length = strlen(tile.text);
    return line->kind == LINE_STORE && strncmp(line->target.text, tile.text, length) == 0 &&
           line->target.text[length] == '[';
}

/* Tiles that are filled, but never looked at. */
static void drop_tile(Dropper *d, Piece tile)
{
    LineList mentions = lines_with(d->index, tile);
    for (uint32_t i = 0; i < mentions.count; i++) {
        const Line *line = &d->lines[mentions.items[i]];
        if (!line->is_dropped && (bits_meet(line->value.uses, tile.uses) || !sets_element(line, tile)))
            return;
    }
    for (uint32_t i = 0; i < mentions.count; i++)
        if (!d->lines[mentions.items[i]].value.has_effect)
            drop_line(d, mentions.items[i]);
}

/* True: one was dropped. */
static bool drop_tiles(Dropper *d)
{
    const VarList *vars = &d->t->current->vars;
    d->has_dropped = false;
    for (uint32_t i = 0; d->t->lanes && i < vars->count; i++) {
        const Var *var = vars->items[i];
        if (!var->tile || var->tile->var != var)
            continue;
        drop_tile(d, var->label);
        if (var->adjoint.text)
            drop_tile(d, var->adjoint);
    }
    return d->has_dropped;
}

/* ---- all of it ---- */

/* Which block each line stands in, and where blocks end. */
static void find_blocks(Dropper *d)
{
    uint32_t count = d->index->body->count, opener = NO_LINE;
    d->parts = ARENA_ARRAY(d->t->arena, Part, count);
    for (uint32_t i = 0; i < count; i++) {
        Part *part = &d->parts[i];
        part->watcher = NO_LINE;
        if (closes(d->lines[i].kind)) {
            d->parts[opener].closer = i;
            part->before = opener;
            opener = d->parts[opener].opener;
        }
        part->opener = opener;
        if (opener != NO_LINE)
            d->parts[opener].left++;
        if (declares(&d->lines[i]))
            part->place = first_from(lines_with(d->index, d->lines[i].target), i);
        if (opens(d->lines[i].kind))
            opener = i;
    }
}

/* From the last line to the first: what only unused variables read is unused, too. */
void drop_unused_lines(Translator *t, LineIndex *index)
{
    Dropper d = {.t = t, .index = index, .lines = index->body->lines};
    find_blocks(&d);
    for (uint32_t i = 0; i < index->body->count; i++)
        if (declares(&d.lines[i]) || opens(d.lines[i].kind))
            look_again(&d, i);
    do
        drop_all(&d);
    while (drop_tiles(&d));
}
