/* One kernel of a project as a source text that needs no other file.
 *
 * Functions stand in it as they are written, since Warp hashes their text; everything else that they name (constants, types, structs,
 * enums, modules) by its value. What was defined in a function or a class is put into one of the same name, so that its full name is
 * the same. Nothing is promised: whoever uses the text compiles it and compares. */
#ifndef WEFT_FRONT_GATHER_H
#define WEFT_FRONT_GATHER_H

#include "front/unit.h"

/* Appends the text, complete but for `import warp as wp`. NULL: done; otherwise why it cannot be written. */
const char *gather(Unit *unit, const Kernel *kernel, Text *out);

#endif
