/* Statements that nothing depends on are left out: an optional output that is
 * not there takes its computation along. */
#include "synth/meaning/style.h"

#include <string.h>

/* Names that the value of a variable is made of. */
typedef struct Need {
    uint32_t variable, name;
} Need;

typedef struct Pruner {
    Draft *d;
    bool *needed; /* by symbol: an output, a condition or a call depends on it */
    Need *needs;
    uint32_t need_count, need_room;
    const Node *target; /* of the assignment that is looked at; NULL: none to a
                         variable */
    bool changed;
} Pruner;

/* The variable that is set, as a whole or in a part: x, v[0]; NULL: it is none.
 */
static const Node *variable_of(const Pruner *pruner, const Node *target)
{
    if (target->kind == NODE_NAME)
        return target->fact ? target : NULL;
    const Node *base = target->kind == NODE_SUBSCRIPT ? target->subscript.value : NULL;
    return base && base->kind == NODE_NAME && base->fact && pruner->d->symbols[base->fact - 1].kind == SYMBOL_LOCAL
               ? base
               : NULL;
}

static const Node *target_of(const Node *node)
{
    return node->kind == NODE_ASSIGN       ? node->assign.targets.items[0]
           : node->kind == NODE_AUG_ASSIGN ? node->aug_assign.target
                                           : NULL;
}

static void add_need(Pruner *pruner, uint32_t variable, uint32_t name)
{
    if (pruner->need_count == pruner->need_room) {
        uint32_t room = pruner->need_room ? 2 * pruner->need_room : 64;
        Need *more = ARENA_ARRAY(pruner->d->arena, Need, room);
        if (pruner->need_count)
            memcpy(more, pruner->needs, sizeof(Need) * pruner->need_count);
        pruner->needs = more;
        pruner->need_room = room;
    }
    pruner->needs[pruner->need_count++] = (Need){variable, name};
}

static void note_needs(Node **place, void *user)
{
    Pruner *pruner = user;
    Node *node = *place;
    const Node *target = target_of(node), *outer = pruner->target;
    bool has_effects = node->kind == NODE_ASSIGN && is_atomic_call(node->assign.value);
    if (target && !has_effects && (target->kind == NODE_TUPLE || variable_of(pruner, target)))
        pruner->target = target;
    if (node->kind == NODE_NAME && node->fact && !node->name.store) {
        const Node *set = pruner->target;
        if (!set)
            pruner->needed[node->fact - 1] = true;
        else if (set->kind != NODE_TUPLE)
            add_need(pruner, variable_of(pruner, set)->fact - 1, node->fact - 1);
        else
            for (uint32_t i = 0; i < set->sequence.elts.count; i++)
                add_need(pruner, set->sequence.elts.items[i]->fact - 1, node->fact - 1);
    }
    draft_slots(node, note_needs, user);
    pruner->target = outer;
}

/* What is needed for something that is needed is needed, too. */
static void find_needed(Pruner *pruner, NodeList *body)
{
    pruner->needed = ARENA_ARRAY(pruner->d->arena, bool, pruner->d->symbol_count + 1);
    pruner->need_count = 0;
    for (uint32_t i = 0; i < body->count; i++)
        note_needs(&body->items[i], pruner);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = pruner->need_count; i-- > 0;) {
            const Need *need = &pruner->needs[i];
            if (pruner->needed[need->variable] && !pruner->needed[need->name])
                pruner->needed[need->name] = more = true;
        }
    }
}

static bool is_unused_target(const Pruner *pruner, const Node *target)
{
    const Node *variable = variable_of(pruner, target);
    return variable && !pruner->needed[variable->fact - 1];
}

static bool is_unused(const Pruner *pruner, const Node *node)
{
    switch (node->kind) {
    case NODE_ASSIGN: {
        const Node *target = node->assign.targets.items[0];
        if (node->assign.value->kind == NODE_CALL && is_thread_statement(node))
            return false;
        if (target->kind != NODE_TUPLE)
            return is_unused_target(pruner, target);
        for (uint32_t i = 0; i < target->sequence.elts.count; i++)
            if (!is_unused_target(pruner, target->sequence.elts.items[i]))
                return false;
        return true;
    }
    case NODE_AUG_ASSIGN: return is_unused_target(pruner, node->aug_assign.target);
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
        if (node->kind == NODE_IF && !node->if_stmt.body.count && node->if_stmt.orelse.count) {
            node->if_stmt.test = negated(pruner->d, node->if_stmt.test); /* only what is else is left */
            node->if_stmt.body = node->if_stmt.orelse;
            node->if_stmt.orelse = (NodeList){0};
        }
        if (is_unused(pruner, node) && node->kind == NODE_ASSIGN && is_atomic_call(node->assign.value))
            node = draft_statement(pruner->d, node->assign.value); /* nobody asks what was there before */
        else if (is_unused(pruner, node)) {
            /* the names that a value is made of were not counted as needed for it, but those of a condition were */
            pruner->changed |= node->kind == NODE_IF || node->kind == NODE_FOR;
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
        find_needed(&pruner, body);
        prune_list(body, &pruner);
    }
}
