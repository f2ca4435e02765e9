/* How a kernel with tiles is launched where nothing is said: as few blocks as show something, and arrays as large as the tiles that are
 * loaded from them and stored to them ask for. */
#ifndef WEFT_CHECK_TILE_LAUNCH_H
#define WEFT_CHECK_TILE_LAUNCH_H

#include "check/check.h"

/* Lanes of a block of which nothing is said. */
enum { CHECK_BLOCK_DIM = 8 };

/* What the indices of threads and the arrays of a kernel are used for; in memory that lasts as long as the kernel's turn (unit->building). */
typedef struct TileSurvey TileSurvey;
TileSurvey *tile_survey(const IrModule *module);

/* Fills in block_dim, dim and ndim where they are 0. Of wp.launch(dim, block_dim): where the kernel's indices count blocks, as
 * wp.launch_tiled has it, the lanes follow as a dimension of their own. */
void tile_launch_dims(const TileSurvey *survey, CheckLaunch *launch);

/* The same with so many blocks along each index that counts blocks. */
void tile_launch_blocks(const TileSurvey *survey, CheckLaunch *launch, uint32_t blocks);

/* As Warp launches it on the CPU, where a block has one thread: without the dimension of the lanes, where there is one. */
void tile_launch_single(uint32_t dim[4], uint32_t ndim, uint32_t *block_dim);

/* Fills in the shape that an array argument ("points", or "state.points") needs in that launch. False: nothing is known about it. */
bool tile_launch_shape(const TileSurvey *survey, const CheckLaunch *launch, CheckArg *arg, uint32_t ndim);

#endif
