/* Names for one and zero: where a scene leaves a factor or a summand out, its name would stand for a number that changes nothing. */
#include "synth/meaning/style.h"

typedef struct Neutrals {
    const Node **values; /* by symbol: the number that it always is, or NULL */
    uint32_t count;
} Neutrals;

typedef struct Search {
    Neutrals neutrals;
    uint32_t *changes; /* by symbol: statements that set it alone */
    const Usage *usage;
} Search;

static void count_changes(NodeList *list, void *user)
{
    Search *search = user;
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        draft_lists(node, count_changes, user);
        const Node *target = node->kind == NODE_AUG_ASSIGN ? node->aug_assign.target : NULL;
        if (is_plain_assignment(node))
            search->changes[assigned_symbol(node)]++;
        else if (target && target->kind == NODE_NAME && target->fact)
            search->changes[target->fact - 1]++;
    }
}

static void find_neutrals(NodeList *list, void *user)
{
    Search *search = user;
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        draft_lists(node, find_neutrals, user);
        if (is_plain_assignment(node) && node->assign.value->kind == NODE_CONSTANT &&
            search->changes[assigned_symbol(node)] == 1 && search->usage->stores[assigned_symbol(node)] == 1)
            search->neutrals.values[assigned_symbol(node)] = node->assign.value;
    }
}

/* Is it this whole number, written out or by name? */
static bool is_always(const Neutrals *neutrals, const Node *node, int number)
{
    if (node->kind == NODE_NAME && node->fact && node->fact <= neutrals->count)
        node = neutrals->values[node->fact - 1];
    if (!node || node->kind != NODE_CONSTANT)
        return false;
    if (node->constant.kind == CONSTANT_INT)
        return node->constant.integer == number;
    return node->constant.kind == CONSTANT_FLOAT && node->constant.real == number;
}

static void drop_neutral(Node **place, void *user)
{
    const Neutrals *neutrals = user;
    Node *node = *place;
    draft_slots(node, drop_neutral, user);
    if (node->kind != NODE_BIN_OP)
        return;
    Node *left = node->bin_op.left, *right = node->bin_op.right;
    OpKind op = node->bin_op.op;
    int number = op == OP_MULT || op == OP_DIV ? 1 : 0;
    if (op != OP_MULT && op != OP_DIV && op != OP_ADD && op != OP_SUB)
        return;
    if (is_always(neutrals, right, number))
        *place = left;
    else if ((op == OP_MULT || op == OP_ADD) && is_always(neutrals, left, number))
        *place = right;
}

void drop_neutral_numbers(Draft *d, NodeList *body)
{
    Usage usage = usage_of(d, body);
    Search search = {{ARENA_ARRAY(d->arena, const Node *, d->symbol_count + 1), d->symbol_count},
                     ARENA_ARRAY(d->arena, uint32_t, d->symbol_count + 1),
                     &usage};
    count_changes(body, &search);
    find_neutrals(body, &search);
    for (uint32_t i = 0; i < body->count; i++)
        drop_neutral(&body->items[i], &search.neutrals);
}
