/* weft synth --duplicates: which scenes make kernels that were there before. */
#include "commands.h"
#include "progress.h"
#include "terminal.h"

#include "corpus/hash_set.h"
#include "corpus/shape.h"

#include <stdlib.h>
#include <string.h>

/* How often a scene was drawn, and how often a candidate had the structure of an earlier one: among the first half, and among all. */
typedef struct SceneCount {
    const char *name;
    uint64_t drawn, half, all;
} SceneCount;

typedef struct DuplicateCount {
    SynthContext *context;
    HashSet known;
    Arena scratch;
    SceneCount *scenes;
    uint32_t scene_count;
} DuplicateCount;

static void end_count(DuplicateCount *counting)
{
    free(counting->scenes);
    arena_free(&counting->scratch);
    hash_set_free(&counting->known);
    synth_free(counting->context);
}

static bool begin_count(DuplicateCount *counting, const char *warp, uint64_t count)
{
    arena_init(&counting->scratch);
    counting->context = synth_new(warp);
    counting->scene_count = counting->context ? synth_scene_count(counting->context) : 0;
    counting->scenes = calloc(counting->scene_count + 1, sizeof *counting->scenes);
    for (uint32_t i = 0; counting->scenes && i < counting->scene_count; i++)
        counting->scenes[i].name = synth_scene_name(counting->context, i);
    return counting->scene_count && counting->scenes && hash_set_init(&counting->known, count + 1, false);
}

static SceneCount *scene_called(DuplicateCount *counting, const char *name)
{
    uint32_t i = 0;
    while (i + 1 < counting->scene_count && counting->scenes[i].name != name &&
           strcmp(counting->scenes[i].name, name) != 0)
        i++;
    return &counting->scenes[i];
}

static bool note_sample(DuplicateCount *counting, const SynthSample *sample, bool first_half)
{
    jmp_buf failure;
    arena_reset(&counting->scratch);
    counting->scratch.on_failure = &failure;
    if (setjmp(failure)) {
        counting->scratch.on_failure = NULL;
        return false;
    }
    Shape shape = shape_of_source(&counting->scratch, sample->source, sample->source_len);
    counting->scratch.on_failure = NULL;
    SceneCount *scene = scene_called(counting, sample->scene);
    bool known = !hash_set_add(&counting->known, shape.structure);
    scene->drawn++;
    scene->all += known;
    scene->half += known && first_half;
    return true;
}

static int by_duplicates(const void *a, const void *b)
{
    const SceneCount *one = a, *two = b;
    if (one->all != two->all)
        return one->all < two->all ? 1 : -1;
    if (one->drawn != two->drawn)
        return one->drawn < two->drawn ? 1 : -1;
    return strcmp(one->name, two->name);
}

static void print_count(DuplicateCount *counting)
{
    SceneCount total = {.name = "all"};
    qsort(counting->scenes, counting->scene_count, sizeof *counting->scenes, by_duplicates);
    tell(stdout, "%-32s %12s %12s %12s\n", "scene", "candidates", "first half", "duplicates");
    for (uint32_t i = 0; i < counting->scene_count; i++) {
        const SceneCount *scene = &counting->scenes[i];
        total.drawn += scene->drawn;
        total.half += scene->half;
        total.all += scene->all;
        if (scene->drawn)
            tell(stdout, "%-32s %12llu %12llu %12llu\n", scene->name, (unsigned long long)scene->drawn,
                 (unsigned long long)scene->half, (unsigned long long)scene->all);
    }
    tell(stdout, "%-32s %12llu %12llu %12llu\n", total.name, (unsigned long long)total.drawn,
         (unsigned long long)total.half, (unsigned long long)total.all);
}

int count_duplicates(const Call *call, const DuplicateSearch *search)
{
    DuplicateCount counting = {0};
    Progress progress;
    bool fine = begin_count(&counting, call->warp, search->count);
    progress_begin(&progress, call);
    for (uint64_t i = 0; fine && i < search->count; i++) {
        SynthSample sample;
        fine = search->scene < 0
                   ? synth_sample(counting.context, search->seed, search->start + i, search->weights, &sample)
                   : synth_scene_sample(counting.context, search->seed, search->start + i, (uint32_t)search->scene,
                                        &sample);
        fine = fine && note_sample(&counting, &sample, i < search->count / 2);
        progress_tell(&progress, "kernels", i + 1, search->count, "");
    }
    progress_end(&progress, NULL);
    if (fine)
        print_count(&counting);
    else {
        const char *refusal = counting.context ? synth_last_refusal(counting.context) : NULL;
        tell(stderr, "weft: %s\n", refusal ? refusal : "out of memory");
    }
    end_count(&counting);
    return fine ? EXIT_DONE : EXIT_FOUND;
}
