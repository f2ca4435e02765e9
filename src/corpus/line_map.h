/* The column line_map of a record: which lines of its texts come from which line of the source. */
#ifndef WEFT_CORPUS_LINE_MAP_H
#define WEFT_CORPUS_LINE_MAP_H

#include "pipeline.h"

/* Appends a list of {"python_line": 5, "text": "cuda_forward", "first_line": 30, "last_line": 32}, text by text and line by line.
 * The kernel must have been compiled with keep_lines. */
void line_map_write(const Compiled *compiled, Device device, bool backward, Text *out);

#endif
