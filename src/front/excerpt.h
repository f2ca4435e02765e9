/* The part of a file that one kernel needs: a source text that compiles on its own. */
#ifndef WEFT_FRONT_EXCERPT_H
#define WEFT_FRONT_EXCERPT_H

#include "front/unit.h"

/* Appends the module-level statements that `def` depends on, in file order, and `def` itself. Complete but for the
 * import of Warp. */
void excerpt(Unit *unit, const Node *def, Text *out);

#endif
