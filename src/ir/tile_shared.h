/* How much shared memory the tiles of a kernel take. Each tile that is in shared memory and no view counts, in lines of 16 bytes; in
 * a backward kernel twice, with its gradient; of the functions that are called and of Fourier transforms, the one that takes most.
 * Warp counts a function's tiles as they are when it is called, weft as they are in the end, which may be more. */
#ifndef WEFT_IR_TILE_SHARED_H
#define WEFT_IR_TILE_SHARED_H

#include "ir/ir.h"

/* Of a block: what it has without asking, and what an H200 has. */
enum { SHARED_USUAL = 48 * 1024, SHARED_MOST = 227 * 1024 };

typedef struct SharedBytes {
    uint64_t forward, backward;
} SharedBytes;

SharedBytes ir_shared_bytes(const IrModule *module);

#endif
