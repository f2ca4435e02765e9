/* The lines of a body by the names in them: tidy.c and unused.c look for a name in few lines, not in all. */
#ifndef WEFT_STANDALONE_LINES_H
#define WEFT_STANDALONE_LINES_H

#include "standalone/model.h"

typedef struct LineList { /* numbers of lines, from first to last */
    uint32_t *items;
    uint32_t count, cap;
} LineList;

typedef struct LineIndex {
    Body *body;
    LineList *by_name; /* that mention a local name, by its number */
    uint32_t name_count, name_cap;
    uint32_t *ends; /* of each line: the end of the block that it stands in */
} LineIndex;

static inline bool opens(LineKind kind)
{
    return kind == LINE_IF || kind == LINE_LOOP || kind == LINE_ELSE || kind == LINE_ELSE_IF;
}

static inline bool closes(LineKind kind)
{
    return kind == LINE_ELSE || kind == LINE_ELSE_IF || kind == LINE_CLOSE;
}

static inline bool declares(const Line *line)
{
    return line->kind == LINE_SET && line->type;
}

static inline bool is_read_in(const Line *line, Piece name)
{
    return bits_meet(line->value.uses, name.uses) ||
           (line->kind == LINE_STORE && bits_meet(line->target.uses, name.uses));
}

static inline bool is_set_in(const Line *line, Piece name)
{
    return line->kind == LINE_SET && bits_meet(line->target.uses, name.uses);
}

LineIndex index_lines(Translator *, Body *body);
LineList lines_with(const LineIndex *, Piece name); /* a single name */
uint32_t first_from(LineList list, uint32_t line); /* place in the list of the first one that is not before that line */
void drop_unused_lines(Translator *, LineIndex *index); /* variables, tiles and blocks */

#endif
