/* The author's habits, and the rewrites that follow from them. */
#include "synth/meaning/draft.h"

Habits random_habits(Draft *d)
{
    static const unsigned arrays[] = {50, 8, 34, 8}, names[] = {60, 20, 20}, outputs[] = {50, 20, 20, 10};
    static const unsigned enums[] = {35, 20, 45, 0};
    return (Habits){.array_style = rng_weighted(&d->rng, arrays, 4),
                    .wp_scalars = perhaps(d, 0.25),
                    .docstring = perhaps(d, 0.4),
                    .function_docstrings = perhaps(d, 0.3),
                    .annotated_results = perhaps(d, 0.4),
                    .tall = perhaps(d, 0.4),
                    .blank_lines = perhaps(d, 0.6),
                    .comments = perhaps(d, 0.6) ? 0.75 : 0.1,
                    .functions = perhaps(d, 0.55) ? 0.9 : 0.15,
                    .constants = perhaps(d, 0.35) ? 0.35 : 0.08,
                    .literals = perhaps(d, 0.3) ? 0.35 : 0.05,
                    .structures = d->category == CATEGORY_struct ? 1
                                  : perhaps(d, 0.3)              ? 0.6
                                                                 : 0.04,
                    .full_exponents = perhaps(d, 0.5),
                    .plain_constants = perhaps(d, 0.3),
                    .enum_style = rng_weighted(&d->rng, enums, 4),
                    .naming = rng_weighted(&d->rng, names, 3),
                    .output_names = rng_weighted(&d->rng, outputs, 4)};
}

/* ---- numbers that change ---- */

typedef struct Stores {
    Draft *d;
    uint32_t *counts; /* by symbol */
} Stores;

static void count_stores(Node **place, void *user)
{
    Stores *stores = user;
    Node *node = *place;
    if (node->kind == NODE_NAME && node->name.store && node->fact)
        stores->counts[node->fact - 1]++;
    if (node->kind == NODE_AUG_ASSIGN && node->aug_assign.target->kind == NODE_NAME)
        stores->counts[node->aug_assign.target->fact - 1]++;
    draft_slots(node, count_stores, user);
}

static bool is_number(Draft *d, const Node *node, bool *integer)
{
    if (node->kind == NODE_UNARY_OP)
        return is_number(d, node->unary_op.operand, integer);
    if (node->kind == NODE_NAME && node->fact && d->symbols[node->fact - 1].kind == SYMBOL_CONSTANT)
        for (uint32_t i = 0; i < d->constant_count; i++)
            if (d->constants[i].symbol == node->fact - 1)
                return is_number(d, d->constants[i].value, integer);
    *integer = node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_INT;
    return *integer || (node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_FLOAT);
}

/* A variable that starts as a plain number cannot change in a loop: total = float(0.0). */
static void convert_start(Node **place, void *user)
{
    Stores *stores = user;
    Node *node = *place;
    bool integer = false;
    if (node->kind == NODE_ASSIGN && node->assign.targets.items[0]->kind == NODE_NAME &&
        stores->counts[node->assign.targets.items[0]->fact - 1] > 1 &&
        is_number(stores->d, node->assign.value, &integer))
        node->assign.value =
            draft_call(stores->d, draft_word(stores->d, integer ? "int" : "float"), &node->assign.value, 1);
    draft_slots(node, convert_start, user);
}

void apply_style(Draft *d)
{
    Stores stores = {d, ARENA_ARRAY(d->arena, uint32_t, d->symbol_count + 1)};
    for (uint32_t i = 0; i < d->body.count; i++)
        count_stores(&d->body.items[i], &stores);
    for (uint32_t i = 0; i < d->body.count; i++)
        convert_start(&d->body.items[i], &stores);
}
