/* The synthesiser: kernels that nobody wrote, and that look as if somebody had.
 *
 * Sample i of a seed is a pure function of (seed, i, weights): any thread may make any sample. Kernels come from scenes
 * (meaning/meaning.h). */
#ifndef WEFT_SYNTH_SYNTH_H
#define WEFT_SYNTH_SYNTH_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum CategoryId {
#define CATEGORY(name, weight, summary) CATEGORY_##name,
#include "synth/categories.def"
#undef CATEGORY
    CATEGORY_COUNT
} CategoryId;

typedef struct CategoryWeights {
    unsigned weight[CATEGORY_COUNT];
} CategoryWeights;

const char *category_name(CategoryId id);
const char *category_summary(CategoryId id);
CategoryWeights category_default_weights(void);
/* Reads "vector,physics" or "vector=3,physics=1". NULL: done; otherwise the part that is wrong. */
const char *category_weights_read(CategoryWeights *weights, const char *text);

/* The unit of a quantity: "m/s", "1" for plain numbers, "" where there is none. */
const char *synth_unit(const char *quantity);

typedef struct SynthContext SynthContext; /* tables and memory; one per thread */

/* What one sample is; everything lives until the next one is made with the same context. */
typedef struct SynthSample {
    CategoryId category;
    const char *kernel_name, *description;
    const char *source; /* complete but for `import warp as wp` */
    size_t source_len;
    const char *launch; /* JSON: {"launch_dim": [...], "arguments": [...]}, with tiles "block_dim" between them */
    size_t launch_len;
    const char *arguments; /* in `launch`: where the list of arguments begins */
    const char *scene, *instruction, *difficulty, *algorithm;
    bool extended;    /* laws were put before or behind the scene */
    const char *plan; /* JSON: which laws it uses, which argument plays which role, what was decided */
    size_t plan_len;
    uint32_t attempts; /* candidates thrown away before this one, and one */
} SynthSample;

/* `warp`: the version of Warp that kernels are made for, "1.19" or "1.19.0"; NULL: the newest. Gives NULL where memory ran out, or
 * the version is not known. */
SynthContext *synth_new(const char *warp);
void synth_free(SynthContext *context);

/* False: out of memory. */
bool synth_sample(SynthContext *context, uint64_t seed, uint64_t index, const CategoryWeights *weights,
                  SynthSample *sample);
/* Scenes: kernels with holes and choices (meaning/meaning.h). A sample of one; false: out of memory, or the scene is
 * broken: then synth_last_refusal() says where. */
uint32_t synth_scene_count(const SynthContext *context);
const char *synth_scene_name(const SynthContext *context, uint32_t i);
bool synth_scene_is_of(const SynthContext *context, uint32_t i, CategoryId category);
bool synth_scene_sample(SynthContext *context, uint64_t seed, uint64_t index, uint32_t scene, SynthSample *sample);
/* Reads every law and every scene; false: `errors` has a line for each that is wrong. */
bool synth_check_scenes(SynthContext *context, Text *errors);
/* Why the last candidate that was thrown away was; NULL: none was. For tests and whoever adds a category. */
const char *synth_last_refusal(const SynthContext *context);

/* A module that can be compiled: the import that the source lacks, so many lines, and the source. */
enum { SYNTH_MODULE_LINES = 3 };
void synth_add_module(const SynthSample *sample, Text *out);
/* The parts of its launch: [64]; 32, or null without tiles; the list with a row for each argument and each field of a struct. */
#define LAUNCH_HEAD "{\"launch_dim\": "
#define LAUNCH_BLOCK ", \"block_dim\": "
#define LAUNCH_ARGUMENTS ", \"arguments\": "
void synth_add_dim(const SynthSample *sample, Text *out);
void synth_add_block(const SynthSample *sample, Text *out);
uint32_t synth_block(const SynthSample *sample); /* 0: it has no tiles */
bool synth_same_block(const SynthSample *a, const SynthSample *b);
void synth_add_arguments(const SynthSample *sample, Text *out);
/* A sample as one JSON object, without a line end: the members that a record of it has, too. */
void synth_record(const SynthSample *sample, uint64_t seed, uint64_t index, Text *out);

#endif
