/* Statements that nothing depends on are left out: an optional output that is not there takes its computation along. */
#include "synth/meaning/style.h"

#include <string.h>

typedef struct Pruner {
    Draft *d;
    uint32_t *loads; /* by symbol; an update of a variable is no use of it */
    bool changed;
} Pruner;

static void count_loads(Node **place, void *user)
{
    Pruner *pruner = user;
    Node *node = *place;
    if (node->kind == NODE_NAME && node->fact && !node->name.store)
        pruner->loads[node->fact - 1]++;
    if (node->kind == NODE_AUG_ASSIGN && node->aug_assign.target->kind == NODE_NAME) {
        count_loads(&node->aug_assign.value, user);
        return;
    }
    const Node *target = node->kind == NODE_ASSIGN ? node->assign.targets.items[0] : NULL;
    bool is_update = target && target->kind == NODE_NAME && target->fact;
    uint32_t before = is_update ? pruner->loads[target->fact - 1] : 0;
    draft_slots(node, count_loads, user);
    if (is_update)
        pruner->loads[target->fact - 1] = before; /* peak = wp.max(peak, x) is no use of peak */
}

static bool is_unused_name(const Pruner *pruner, const Node *target)
{
    return target->kind == NODE_NAME && target->fact && !pruner->loads[target->fact - 1];
}

static bool is_unused(const Pruner *pruner, const Node *node)
{
    switch (node->kind) {
    case NODE_ASSIGN: {
        const Node *target = node->assign.targets.items[0];
        if (node->assign.value->kind == NODE_CALL && is_thread_statement(node))
            return false;
        if (target->kind == NODE_SUBSCRIPT) /* a component of a vector that nobody reads */
            return target->subscript.value->kind == NODE_NAME && target->subscript.value->fact &&
                   pruner->d->symbols[target->subscript.value->fact - 1].kind == SYMBOL_LOCAL &&
                   pruner->loads[target->subscript.value->fact - 1] == 0;
        if (target->kind != NODE_TUPLE)
            return is_unused_name(pruner, target);
        for (uint32_t i = 0; i < target->sequence.elts.count; i++)
            if (!is_unused_name(pruner, target->sequence.elts.items[i]))
                return false;
        return true;
    }
    case NODE_AUG_ASSIGN: return is_unused_name(pruner, node->aug_assign.target);
    case NODE_IF: return !node->if_stmt.body.count && !node->if_stmt.orelse.count;
    case NODE_FOR: return !node->for_loop.body.count;
    default: return false;
    }
}

static void prune_list(NodeList *list, void *user)
{
    Pruner *pruner = user;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        draft_lists(node, prune_list, pruner);
        if (is_unused(pruner, node) && !(node->kind == NODE_ASSIGN && is_atomic_call(node->assign.value))) {
            pruner->changed = true;
            while (kept && is_comment(list->items[kept - 1]))
                kept--; /* they were about it */
            continue;
        }
        list->items[kept++] = node;
    }
    while (kept && is_comment(list->items[kept - 1]))
        kept--;
    list->count = kept;
}

void prune_unused(Draft *d, NodeList *body)
{
    Pruner pruner = {.d = d, .changed = true};
    while (pruner.changed) {
        pruner.changed = false;
        pruner.loads = ARENA_ARRAY(d->arena, uint32_t, d->symbol_count + 1);
        for (uint32_t i = 0; i < body->count; i++)
            count_loads(&body->items[i], &pruner);
        prune_list(body, &pruner);
    }
}
