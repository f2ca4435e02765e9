/* Private to the emitter: statements. */
#ifndef WEFT_EMIT_WALK_H
#define WEFT_EMIT_WALK_H

#include "emit/piece.h"

typedef struct Walk {
    Text *out;
    uint32_t margin;         /* spaces before every line */
    bool return_is_continue; /* in the grid-stride loop of a CUDA kernel */
} Walk;

void walk_forward(Walk *walk, const IrRegion *region, uint32_t depth);
void walk_replay(Walk *walk, const IrRegion *region, uint32_t depth);
void walk_reverse(Walk *walk, const IrRegion *region, uint32_t depth);

#endif
