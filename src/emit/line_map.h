/* Which lines of the generated texts come from which line of the source. */
#ifndef WEFT_EMIT_LINE_MAP_H
#define WEFT_EMIT_LINE_MAP_H

#include "emit/emit.h"

typedef enum TextPart { TEXT_PRELUDE, TEXT_FORWARD, TEXT_BACKWARD } TextPart; /* in the order of WeftPart */

typedef struct TextLines {
    TextPart part;
    uint32_t source_line, first_line, last_line; /* from 1 */
} TextLines;

typedef struct LineMap {
    TextLines *items; /* text by text and line by line */
    uint32_t count, cap;
} LineMap;

/* Of texts with marks (unit->keep_lines). */
LineMap line_map(const EmitText *text, const Source *source, bool backward, Arena *arena);

#endif
