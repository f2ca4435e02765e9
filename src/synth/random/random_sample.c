/* Kernels without a meaning: typed, well defined, with many builtins, for testing compilers. One candidate. */
#include "synth/context.h"

#include <stdio.h>
#include <string.h>

static const Weights generic_weights[CATEGORY_COUNT] = {
#define WEIGHTS(category, ...) [CATEGORY_##category] = {__VA_ARGS__},
#include "synth/random/weights.def"
#undef WEIGHTS
};

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
        scalars += param->array < 0;
    }
    return vectors >= s->weights->vectors && matrices >= s->weights->matrices && scalars >= s->weights->scalars;
}

/* Pruning can only take away: what has too little before has too little after it. */
static bool is_of_its_category(const Synth *s, const Traits *traits)
{
    const Weights *w = s->weights;
    return traits->branches >= w->branches && traits->branches + traits->loops >= w->control &&
           traits->nesting >= w->nesting && traits->atomics >= w->atomics && has_parameters(s);
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

static void note_refusal(SynthContext *context, CategoryId category)
{
    snprintf(context->refusal, sizeof context->refusal, "%s: %s", category_name(category),
             context->synth.failure ? context->synth.failure : "unknown");
}

bool attempt_random(SynthContext *context, Rng rng, CategoryId category, SynthSample *sample)
{
    Synth *s = &context->synth;
    jmp_buf given_up;
    arena_reset(&context->work);
    memset(s, 0, offsetof(Synth, params));
    s->given_up = &given_up;
    if (setjmp(given_up)) {
        note_refusal(context, category);
        return false;
    }
    s->context = context;
    s->arena = &context->work;
    s->types = &context->types;
    s->rng = rng;
    s->category = category;
    s->weights = &generic_weights[category];
    names_init(&s->names, s->arena);
    for (int i = 0; i < COMMON_COUNT; i++)
        name_adopt(&s->names, context->common[i]);
    s->style = random_style(s);
    s->blocks[0] = (Block){.kind = BLOCK_TOP, .list = &s->body, .trips = 1};
    s->block_count = 1;
    make_generic(s);
    if (s->block_count != 1)
        give_up(s, "a block was left open");
    Traits traits = {0};
    count_traits(&s->body, 0, &traits);
    if (!is_of_its_category(s, &traits))
        give_up(s, "not what the category is about");
    prune(s);
    s->failure = shortcoming(s);
    if (s->failure)
        give_up(s, s->failure);
    finish(s, sample);
    return true;
}
