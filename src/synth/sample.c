/* One sample after the other: the style of an author, a category, and as many tries as it takes. */
#include "synth/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Category {
    const char *name, *summary, *themes;
    unsigned weight;
    void (*make)(Synth *s);
} Category;

static const Category categories[CATEGORY_COUNT] = {
#define CATEGORY(name, weight, themes, summary) {#name, summary, themes, weight, make_##name},
#include "synth/categories.def"
#undef CATEGORY
};

static const Weights generic_weights[CATEGORY_COUNT] = {
#define WEIGHTS(category, ...) [CATEGORY_##category] = {__VA_ARGS__},
#include "synth/weights.def"
#undef WEIGHTS
};

const Weights *category_weights(CategoryId id)
{
    return &generic_weights[id];
}

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
    CategoryWeights weights = {.random_style = false};
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

SynthContext *synth_new(void)
{
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
    names_of_warp(context);
    types_init(&context->types, &context->tables, &context->names);
    context->words = index_words(&context->tables);
    context->meaning = meaning_new(&context->tables, &context->names);
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

static Style random_style(Synth *s)
{
    static const unsigned arrays[] = {56, 6, 26, 12};
    static const unsigned reals[] = {94, 5, 1};
    static const TypeKind kinds[] = {TYPE_FLOAT32, TYPE_FLOAT64, TYPE_FLOAT32};
    return (Style){.real = type_scalar(kinds[rng_weighted(&s->rng, reals, 3)]),
                   .wp_scalars = chance(s, 0.3),
                   .array_style = rng_weighted(&s->rng, arrays, 4),
                   .augmented = chance(s, 0.55),
                   .plain_atomics = chance(s, 0.1),
                   .docstring = chance(s, 0.22),
                   .comments = chance(s, 0.3),
                   .short_names = chance(s, 0.3),
                   .constants = chance(s, 0.4),
                   .tall = chance(s, 0.3),
                   .at_products = chance(s, 0.5),
                   .inline_chance = 0.15 + 0.5 * rng_unit(&s->rng)};
}

static bool has_output(const Synth *s)
{
    for (uint32_t i = 0; i < s->param_count; i++)
        if (s->params[i].array >= 0 && s->arrays[s->params[i].array]->role != ROLE_INPUT)
            return true;
    return false;
}

/* What a body consists of. */
typedef struct Traits {
    uint32_t statements, branches, loops, nesting, atomics;
} Traits;

static bool is_atomic(const Node *node)
{
    if (node->kind == NODE_AUG_ASSIGN)
        return node->aug_assign.target->kind == NODE_SUBSCRIPT;
    const Node *value = node->kind == NODE_EXPR     ? node->expr.value
                        : node->kind == NODE_ASSIGN ? node->assign.value
                                                    : NULL;
    return value && value->kind == NODE_CALL && value->call.func->kind == NODE_ATTRIBUTE &&
           strncmp(value->call.func->attribute.attr->text, "atomic_", 7) == 0;
}

static void count_traits(const NodeList *body, uint32_t depth, Traits *traits)
{
    for (uint32_t i = 0; i < body->count; i++) {
        const Node *node = body->items[i];
        bool loop = node->kind == NODE_FOR || node->kind == NODE_WHILE;
        traits->statements++;
        traits->atomics += is_atomic(node);
        traits->loops += loop;
        if (loop && depth + 1 > traits->nesting)
            traits->nesting = depth + 1;
        if (node->kind == NODE_IF) {
            traits->branches++;
            count_traits(&node->if_stmt.body, depth, traits);
            count_traits(&node->if_stmt.orelse, depth, traits);
        } else if (loop) {
            count_traits(node->kind == NODE_FOR ? &node->for_loop.body : &node->while_loop.body, depth + 1, traits);
        }
    }
}

/* Parameters that are, or hold, vectors or matrices, and scalars that a caller chooses. */
static bool has_parameters(const Synth *s)
{
    uint32_t vectors = 0, matrices = 0, scalars = 0;
    for (uint32_t i = 0; i < s->param_count; i++) {
        const Param *param = &s->params[i];
        const Type *type = param->array >= 0 ? s->arrays[param->array]->dtype : param->type;
        vectors += is_vec(type);
        matrices += is_mat(type);
        scalars += param->array < 0 && param->strukt < 0;
    }
    return vectors >= s->weights->vectors && matrices >= s->weights->matrices && scalars >= s->weights->scalars;
}

/* The functions and structs that some are about. */
static bool has_definition(const Synth *s)
{
    NodeKind wanted = s->category == CATEGORY_function ? NODE_FUNCTION_DEF
                      : s->category == CATEGORY_struct ? NODE_CLASS_DEF
                                                       : NODE_MODULE;
    bool found = wanted == NODE_MODULE;
    for (uint32_t i = 0; i < s->module.count && !found; i++)
        found = s->module.items[i]->kind == wanted;
    return found;
}

/* Pruning can only take away: what has too little before has too little after it. */
static bool is_of_its_category(const Synth *s, const Traits *traits)
{
    const Weights *w = s->weights;
    return traits->branches >= w->branches && traits->branches + traits->loops >= w->control &&
           traits->nesting >= w->nesting && traits->atomics >= w->atomics && has_parameters(s) && has_definition(s);
}

/* NULL: the kernel is one of its category, and not too short. */
static const char *shortcoming(Synth *s)
{
    Traits traits = {0};
    count_traits(&s->body, 0, &traits);
    if (!has_output(s) || s->param_count < 2)
        return "no output is left";
    if (traits.statements < 4 && chance(s, 0.92))
        return "too short";
    return is_of_its_category(s, &traits) ? NULL : "not what the category is about";
}

static bool attempt(SynthContext *context, Rng rng, CategoryId category, SynthSample *sample)
{
    Synth *s = &context->synth;
    jmp_buf given_up;
    arena_reset(&context->work);
    memset(s, 0, offsetof(Synth, params));
    s->given_up = &given_up;
    if (setjmp(given_up))
        return false;
    s->context = context;
    s->arena = &context->work;
    s->types = &context->types;
    s->rng = rng;
    s->category = category;
    s->weights = category_weights(category);
    names_init(&s->names, s->arena);
    for (int i = 0; i < COMMON_COUNT; i++)
        name_adopt(&s->names, context->common[i]);
    s->style = random_style(s);
    choose_theme(s, categories[category].themes);
    s->blocks[0] = (Block){.kind = BLOCK_TOP, .list = &s->body, .trips = 1};
    s->block_count = 1;
    categories[category].make(s);
    if (s->block_count != 1)
        give_up(s, "a block was left open");
    Traits traits = {0};
    count_traits(&s->body, 0, &traits);
    if (!is_of_its_category(s, &traits))
        give_up(s, "not what the category is about");
    prune(s);
    s->failure = shortcoming(s);
    if (s->failure)
        return false;
    finish(s, sample);
    return true;
}

/* Control comes back here when memory runs out. */
static void recover_at(SynthContext *context, jmp_buf *failure)
{
    context->tables.on_failure = context->work.on_failure = failure;
    context->plain.on_failure = context->source.on_failure = context->launch.on_failure = failure;
}

enum { ENOUGH_SCENES = 8, MOST_TRIES = 64 };

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
        bool from_scenes = !weights->random_style && context->meaning->category_scenes[category] >= ENOUGH_SCENES;
        if (from_scenes && tries <= MOST_TRIES) {
            if (attempt_scene(context, rng_at(seed, index, tries), category, sample))
                return true;
            continue;
        }
        if (attempt(context, rng_at(seed, index, tries), category, sample))
            return true;
        snprintf(context->refusal, sizeof context->refusal, "%s: %s", category_name(category),
                 context->synth.failure ? context->synth.failure : "unknown");
    }
}

void synth_add_module(const SynthSample *sample, Text *out)
{
    text_lit(out, "import warp as wp\n\n\n");
    text_add(out, sample->source, sample->source_len);
}

void synth_add_arguments(const SynthSample *sample, Text *out)
{
    text_lit(out, ", \"arg_names\": [");
    for (uint32_t i = 0; i < sample->arg_count; i++) {
        text_str(out, i ? ", " : "");
        text_json_string(out, sample->arg_names[i], strlen(sample->arg_names[i]));
    }
    text_lit(out, "], \"arg_types\": {");
    for (uint32_t i = 0; i < sample->arg_count; i++) {
        text_str(out, i ? ", " : "");
        text_json_string(out, sample->arg_names[i], strlen(sample->arg_names[i]));
        text_lit(out, ": ");
        text_json_string(out, sample->arg_types[i], strlen(sample->arg_types[i]));
    }
    text_lit(out, "}, \"launch\": ");
    text_add(out, sample->launch, sample->launch_len);
    if (!sample->scene)
        return;
    const char *const members[][2] = {
        {"instruction", sample->instruction}, {"difficulty", sample->difficulty}, {"algorithm", sample->algorithm}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        text_format(out, ", \"%s\": ", members[i][0]);
        text_json_string(out, members[i][1], strlen(members[i][1]));
    }
    text_lit(out, ", \"plan\": ");
    text_add(out, sample->plan, sample->plan_len);
}

void synth_record(const SynthSample *sample, uint64_t seed, uint64_t index, Text *out)
{
    text_lit(out, "{\"kernel_name\": ");
    text_json_string(out, sample->kernel_name, strlen(sample->kernel_name));
    text_lit(out, ", \"category\": \"");
    text_str(out, category_name(sample->category));
    text_lit(out, "\", \"python_source\": ");
    text_json_string(out, sample->source, sample->source_len);
    text_lit(out, ", \"metadata\": {\"description\": ");
    text_json_string(out, sample->description, strlen(sample->description));
    text_lit(out, ", \"seed\": ");
    text_uint(out, seed);
    text_lit(out, ", \"index\": ");
    text_uint(out, index);
    synth_add_arguments(sample, out);
    text_lit(out, "}}");
}
