/* Is a scene right in all its forms? Samples of it are compiled and checked like pairs of a data set. */
#ifndef WEFT_CHECK_SCENE_H
#define WEFT_CHECK_SCENE_H

#include "check/check.h"
#include "pipeline.h"
#include "synth/synth.h"

typedef struct SceneTally {
    uint32_t samples, good;
    uint32_t wrong_alone; /* wrong without laws before or behind the scene: mistakes of the scene itself */
    uint32_t shown;       /* samples in the report */
} SceneTally;

/* `count` samples of a scene; of those that are refused or wrong, the first few stand in the report, with their text.
 * False: out of memory. */
bool check_scene(SynthContext *context, Weft *weft, uint32_t scene, uint64_t seed, uint32_t count, SceneTally *tally,
                 Text *report);

#endif
