/* Where Warp's text of a kernel with tiles depends on what was built before in the process: refused.
 *
 * The type of a tile parameter lives as long as the function does. If building a kernel changes it, the next build, of another
 * kernel or for another device, starts from the changed one. */
#ifndef WEFT_IR_TILE_HISTORY_H
#define WEFT_IR_TILE_HISTORY_H

#include "ir/build.h"

uint64_t shared_tile_params(const Func *func); /* a bit for each parameter that is a shared tile now */
/* An instance of a generic function is found by the elements of its tiles alone: is it the one for these? */
void check_tiles_of_call(Builder *, const Func *func, const Eval *args, const Node *at);
/* When all is built: are the tiles of functions as they were at the start? */
void check_tiles_of_functions(Builder *);

#endif
