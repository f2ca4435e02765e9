/* What is found out about the source beside the region tree: the number of thread indices, and for those who go on from the
 * syntax tree, what its expressions are. */
#include "ir/build.h"

#include <string.h>

static NodeFact *find_fact(const NodeFacts *facts, const Node *node)
{
    const TableSlot *slot = table_find(&facts->index, node);
    return slot ? &facts->items[slot->number] : NULL;
}

const NodeFact *ir_fact(const IrFunction *function, const Node *node)
{
    return find_fact(&function->facts, node);
}

NodeFact *fact_of(Builder *b, const Node *node)
{
    NodeFacts *facts = &b->function->facts;
    TableSlot *slot = table_add(&facts->index, b->arena, node);
    if (!slot->item) {
        slot->number = facts->count;
        slot->item = facts;
        ARENA_PUSH(b->arena, facts->items, facts->count, facts->cap) = (NodeFact){.node = node};
    }
    return &facts->items[slot->number];
}

void note_eval(Builder *b, const Node *node, const Eval *eval)
{
    if (node->kind == NODE_NAME && eval->kind == EVAL_VAR && !eval->var->constant &&
        !find_fact(&b->function->facts, node))
        return; /* a variable: its name says it all */
    NodeFact *fact = fact_of(b, node);
    fact->type = NULL;
    fact->known = NULL;
    if (eval->kind == EVAL_VAR) {
        fact->type = type_canonical(type_strip_reference(eval->var->type));
        fact->known = eval->var->constant;
    } else if (eval->kind == EVAL_VALUE)
        fact->known = eval->value;
    else if (eval->kind == EVAL_LIST) {
        fact->results = ARENA_ARRAY(b->arena, const Type *, eval->count);
        fact->result_count = eval->count;
        for (uint32_t i = 0; i < eval->count; i++)
            fact->results[i] = type_canonical(type_strip_reference(eval->list[i]->type));
    }
}

/* ---- thread indices ---- */

static bool is_tid_call(const Node *node)
{
    return node->kind == NODE_CALL && node->call.func->kind == NODE_ATTRIBUTE &&
           name_is(node->call.func->attribute.attr, "tid");
}

uint32_t count_thread_indices(const NodeList *body)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < body->count; i++) {
        const Node *node = body->items[i];
        uint32_t found[2] = {0};
        if (node->kind == NODE_ASSIGN && is_tid_call(node->assign.value)) {
            const Node *target = node->assign.targets.items[0];
            found[0] = target->kind == NODE_TUPLE ? target->sequence.elts.count : 1;
        } else if (node->kind == NODE_IF) {
            found[0] = count_thread_indices(&node->if_stmt.body);
            found[1] = count_thread_indices(&node->if_stmt.orelse);
        } else if (node->kind == NODE_FOR) {
            found[0] = count_thread_indices(&node->for_loop.body);
            found[1] = count_thread_indices(&node->for_loop.orelse);
        } else if (node->kind == NODE_WHILE) {
            found[0] = count_thread_indices(&node->while_loop.body);
            found[1] = count_thread_indices(&node->while_loop.orelse);
        }
        for (int k = 0; k < 2; k++)
            most = found[k] > most ? found[k] : most;
    }
    return most;
}
