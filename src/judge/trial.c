/* Launches that answers are tried on. */
#include "judge/referee.h"

#include "base/rng.h"
#include "check/io.h"

#include <stdio.h>
#include <xxhash.h>

enum { HIDDEN_SIZES = 4 };

/* A launch of that size, appended; false: the kernel is not defined on such small arrays. */
static bool add_hidden(const Compiled *compiled, const CheckLaunch *description, uint64_t seed, uint32_t size,
                       json_t *list)
{
    IoOptions options = {.seed = seed, .launches = 1, .choose = true, .size = size};
    Text text;
    text_init(&text);
    bool made = check_write_launches(compiled->unit, compiled->module, description, &options, &text) && !text.failed;
    json_t *drawn = made ? json_read(text.data, text.len) : NULL;
    json_array_extend(list, drawn);
    bool added = json_array_size(drawn) > 0;
    json_decref(drawn);
    text_free(&text);
    return added;
}

static void add_all_hidden(const Compiled *compiled, const CheckLaunch *description, const char *id, uint64_t seed,
                           json_t *list)
{
    Rng rng = rng_at(seed, XXH3_64bits(id, strlen(id)), 0);
    const uint32_t sizes[HIDDEN_SIZES] = {1, 2 * rng_below(&rng, 6) + 5, 2 * rng_below(&rng, 16) + 17,
                                          2 * rng_below(&rng, 15) + 4};
    bool any = false;
    for (int i = 0; i < HIDDEN_SIZES; i++)
        any |= add_hidden(compiled, description, rng_next(&rng), sizes[i], list);
    if (!any) /* then at least other inputs */
        add_hidden(compiled, description, rng_next(&rng), 0, list);
}

/* No thread at all: nothing may change. */
static void add_empty(const json_t *like, json_t *list)
{
    json_t *empty = json_copy((json_t *)(uintptr_t)like);
    json_object_set_new(empty, "dim", json_pack("[i]", 0));
    json_object_set_new(empty, "outputs", json_array());
    json_array_append_new(list, empty);
}

json_t *trial_launches(const Compiled *compiled, const CheckLaunch *description, const json_t *record,
                       const RefereeOptions *options)
{
    json_t *list = json_array();
    const json_t *stored = json_object_get(record, "launches");
    json_array_extend(list, (json_t *)(uintptr_t)stored);
    if (options->hidden)
        add_all_hidden(compiled, description, json_member_string(record, "id"), options->hidden_seed, list);
    add_empty(json_array_get(stored, 0), list);
    return list;
}

/* Functions of a card (sine, exponential) are off by up to a few units in the last place, those of the evaluators by half a one: what the tolerance
 * is made of is that much larger. */
void trial_widen(json_t *launches)
{
    const double card_slack = 4;
    size_t i, k;
    json_t *launch, *row;
    json_array_foreach(launches, i, launch) json_array_foreach(json_object_get(launch, "outputs"), k, row)
    {
        json_t *tolerance = json_object_get(row, "tolerance");
        if (json_is_number(tolerance))
            json_object_set_new(row, "tolerance", json_real(card_slack * json_number_value(tolerance)));
    }
}

bool trial_read(Arena *arena, const json_t *list, CudaExamples *examples)
{
    Text text = text_in(arena);
    json_write(list, &text);
    return cuda_read_examples(arena, text.data, text.len, examples);
}

const char *trial_label(Arena *arena, const CudaExamples *list, uint32_t stored, uint32_t index)
{
    const CudaExample *example = &list->items[index];
    unsigned long long threads = 1;
    for (uint32_t d = 0; d < example->ndim; d++)
        threads *= example->dim[d];
    bool hidden = index >= stored;
    if (!threads)
        return "the launch without threads";
    return arena_format(arena, "%slaunch %u (%llu threads)", hidden ? "hidden " : "",
                        hidden ? index - stored + 1 : index + 1, threads);
}

/* ---- as bytes ---- */

/* A buffer for every array that the kernel takes, and for every gradient. */
static void list_buffers(const CudaLaunch *cuda, const CudaPacked *packed, JobLaunch *job)
{
    for (uint32_t i = 0; i < 2 * cuda->array_count; i++) {
        const char *bytes = cuda_packed_array(packed, i / 2, i % 2);
        if (bytes)
            job->buffers[job->buffer_count++] = (JobBuffer){bytes, cuda_array_size(&cuda->arrays[i / 2])};
    }
}

/* Pointers among the bytes of a parameter are found by what they point to: addresses of this process, which no number in it has. */
void trial_find_pointers(Arena *arena, const JobLaunch *job, JobParam *param)
{
    param->pointers = ARENA_ARRAY(arena, JobPointer, param->size / sizeof(void *) + 1);
    for (uint32_t at = 0; at + sizeof(void *) <= param->size; at += sizeof(void *)) {
        const char *pointer;
        memcpy(&pointer, param->bytes + at, sizeof pointer);
        for (uint32_t i = 0; i < job->buffer_count; i++)
            if (pointer == job->buffers[i].bytes)
                param->pointers[param->pointer_count++] = (JobPointer){at, i};
    }
}

CudaPacked *trial_pack(Trial *trial, const CudaLaunch *cuda, JobLaunch *job, bool backward)
{
    const CudaFunction *function = backward ? cuda_backward(trial->text) : cuda_forward(trial->text);
    CudaPacked *packed = cuda_pack(trial->text, function, cuda);
    *job = (JobLaunch){.entry = backward, .threads = (uint32_t)cuda->threads, .block = 32};
    job->buffers = ARENA_ARRAY(trial->arena, JobBuffer, 2 * cuda->array_count + 1);
    list_buffers(cuda, packed, job);
    while (cuda_param_size(function, job->param_count))
        job->param_count++;
    job->params = ARENA_ARRAY(trial->arena, JobParam, job->param_count + 1);
    for (uint32_t i = 0; i < job->param_count; i++) {
        job->params[i] = (JobParam){.bytes = packed->args[i], .size = (uint32_t)cuda_param_size(function, i)};
        trial_find_pointers(trial->arena, job, &job->params[i]);
    }
    return packed;
}

void trial_unpack(const Step *step, const JobLaunch *job, const char *bytes)
{
    uint32_t buffer = 0;
    for (uint32_t i = 0; i < 2 * step->cuda->array_count; i++) {
        char *place = cuda_packed_array(step->packed, i / 2, i % 2);
        if (!place)
            continue;
        memcpy(place, bytes, job->buffers[buffer].size);
        bytes += job->buffers[buffer++].size;
    }
    cuda_unpack(step->packed, step->cuda);
}
