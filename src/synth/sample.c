/* One sample after the other: a category, a scene of it, and as many tries as it takes. */
#include "base/json_writer.h"
#include "synth/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Category {
    const char *name, *summary;
    unsigned weight;
} Category;

static const Category categories[CATEGORY_COUNT] = {
#define CATEGORY(name, weight, summary) {#name, summary, weight},
#include "synth/categories.def"
#undef CATEGORY
};

const char *category_name(CategoryId id)
{
    return categories[id].name;
}

const char *category_summary(CategoryId id)
{
    return categories[id].summary;
}

CategoryWeights category_default_weights(void)
{
    CategoryWeights weights = {0};
    for (int i = 0; i < CATEGORY_COUNT; i++)
        weights.weight[i] = categories[i].weight;
    return weights;
}

const char *category_weights_read(CategoryWeights *weights, const char *text)
{
    memset(weights, 0, sizeof *weights);
    unsigned total = 0;
    for (const char *at = text;;) {
        size_t len = strcspn(at, ",="), whole = strcspn(at, ",");
        int found = -1;
        for (int i = 0; i < CATEGORY_COUNT; i++)
            if (strlen(categories[i].name) == len && memcmp(categories[i].name, at, len) == 0)
                found = i;
        if (found < 0)
            return at;
        unsigned weight = 1;
        if (at[len] == '=') {
            char *end;
            unsigned long value = strtoul(at + len + 1, &end, 10);
            if (end != at + whole || value > 1000000)
                return at;
            weight = (unsigned)value;
        }
        weights->weight[found] += weight;
        total += weight;
        at += whole;
        if (!*at++)
            return total ? NULL : text;
    }
}

SynthContext *synth_new(const char *warp)
{
    Dialect dialect;
    if (!dialect_find(warp, &dialect))
        return NULL;
    jmp_buf failure;
    SynthContext *volatile context = calloc(1, sizeof *context);
    if (!context)
        return NULL;
    if (setjmp(failure)) {
        synth_free(context);
        return NULL;
    }
    arena_init(&context->tables);
    arena_init(&context->work);
    context->tables.on_failure = &failure;
    names_init(&context->names, &context->tables);
    context->meaning = meaning_new(&context->tables, &context->names, &dialect);
    text_init(&context->plain);
    text_init(&context->source);
    text_init(&context->launch);
    context->tables.on_failure = NULL;
    return context;
}

void synth_free(SynthContext *context)
{
    if (!context)
        return;
    text_free(&context->plain);
    text_free(&context->source);
    text_free(&context->launch);
    arena_free(&context->tables);
    arena_free(&context->work);
    free(context);
}

const char *synth_last_refusal(const SynthContext *context)
{
    return context->refusal[0] ? context->refusal : NULL;
}

/* Control comes back here when memory runs out. */
static void recover_at(SynthContext *context, jmp_buf *failure)
{
    context->tables.on_failure = context->work.on_failure = failure;
    context->plain.on_failure = context->source.on_failure = context->launch.on_failure = failure;
}

enum { MOST_TRIES = 64 };

uint32_t synth_scene_count(const SynthContext *context)
{
    return context->meaning->scene_count;
}

const char *synth_scene_name(const SynthContext *context, uint32_t i)
{
    return context->meaning->scenes[i].name->text;
}

bool synth_scene_is_of(const SynthContext *context, uint32_t i, CategoryId category)
{
    return context->meaning->scenes[i].categories >> category & 1;
}

static CategoryId first_category(const Scene *scene)
{
    int i = 0;
    while (i < CATEGORY_COUNT - 1 && !(scene->categories >> i & 1))
        i++;
    return (CategoryId)i;
}

bool synth_scene_sample(SynthContext *context, uint64_t seed, uint64_t index, uint32_t scene, SynthSample *sample)
{
    jmp_buf failure;
    recover_at(context, &failure);
    if (setjmp(failure))
        return false;
    Scene *chosen = &context->meaning->scenes[scene];
    context->refusal[0] = 0;
    for (uint32_t tries = 1; tries <= MOST_TRIES; tries++) {
        *sample = (SynthSample){.category = first_category(chosen), .attempts = tries};
        if (meaning_sample(context, chosen, rng_at(seed, index, tries), sample))
            return true;
    }
    return false;
}

/* One of the scenes of a category: those that can come out in more ways are drawn more often. */
static bool attempt_scene(SynthContext *context, Rng rng, CategoryId category, SynthSample *sample)
{
    Meaning *meaning = context->meaning;
    const unsigned *weights = scene_weights(meaning, category);
    uint32_t chosen = rng_weighted(&rng, weights, meaning->category_scenes[category]);
    return meaning_sample(context, &meaning->scenes[meaning->by_category[category][chosen]], rng, sample);
}

bool synth_sample(SynthContext *context, uint64_t seed, uint64_t index, const CategoryWeights *weights,
                  SynthSample *sample)
{
    jmp_buf failure;
    recover_at(context, &failure);
    if (setjmp(failure))
        return false;
    Rng chooser = rng_at(seed, index, 0);
    CategoryId category = (CategoryId)rng_weighted(&chooser, weights->weight, CATEGORY_COUNT);
    context->refusal[0] = 0;
    for (uint32_t tries = 1;; tries++) {
        *sample = (SynthSample){.category = category, .attempts = tries};
        if (attempt_scene(context, rng_at(seed, index, tries), category, sample))
            return true;
    }
}

void synth_add_module(const SynthSample *sample, Text *out)
{
    text_lit(out, "import warp as wp\n\n\n");
    text_add(out, sample->source, sample->source_len);
}

void synth_add_dim(const SynthSample *sample, Text *out)
{
    const char *start = sample->launch + strlen(LAUNCH_HEAD);
    text_add(out, start, strcspn(start, "]") + strlen("]"));
}

/* The digits of "block_dim", of which there may be none. */
static const char *block_digits(const SynthSample *sample, size_t *length)
{
    const char *start = sample->launch + strcspn(sample->launch, "]") + strlen("]" LAUNCH_BLOCK);
    const char *end = sample->arguments - strlen(LAUNCH_ARGUMENTS);
    *length = start < end ? (size_t)(end - start) : 0;
    return start;
}

void synth_add_block(const SynthSample *sample, Text *out)
{
    size_t length;
    const char *digits = block_digits(sample, &length);
    if (length)
        text_add(out, digits, length);
    else
        text_lit(out, "null");
}

uint32_t synth_block(const SynthSample *sample)
{
    size_t length;
    const char *digits = block_digits(sample, &length);
    return length ? (uint32_t)strtoul(digits, NULL, 10) : 0;
}

bool synth_same_block(const SynthSample *a, const SynthSample *b)
{
    size_t length_a, length_b;
    const char *in_a = block_digits(a, &length_a), *in_b = block_digits(b, &length_b);
    return length_a == length_b && memcmp(in_a, in_b, length_a) == 0;
}

void synth_add_arguments(const SynthSample *sample, Text *out)
{
    const char *end = sample->launch + sample->launch_len - strlen("}");
    text_add(out, sample->arguments, (size_t)(end - sample->arguments));
}

void synth_record(const SynthSample *sample, uint64_t seed, uint64_t index, Text *out)
{
    JsonWriter json = {.out = out};
    json_open(&json, NULL, '{');
    json_add_string(&json, "kernel_name", sample->kernel_name);
    json_add_string(&json, "category", category_name(sample->category));
    json_add_string(&json, "difficulty", sample->difficulty);
    json_add_string(&json, "algorithm", sample->algorithm);
    json_add_string(&json, "description", sample->description);
    json_add_string(&json, "instruction", sample->instruction);
    json_add_string_n(&json, "python_source", sample->source, sample->source_len);
    json_add_uint(&json, "seed", seed);
    json_add_uint(&json, "index", index);
    json_add_verbatim(&json, "plan", sample->plan, sample->plan_len);
    text_lit(out, ", "); /* and the members of the launch, with its closing brace */
    text_add(out, sample->launch + 1, sample->launch_len - 1);
}
