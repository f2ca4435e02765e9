/* What is found out about the source beside the region tree: the number of thread indices, and for those who go on from the
 * syntax tree, what its expressions are. */
#include "ir/build.h"

#include <string.h>

/* A node knows its place in the facts of the function that was built last: another one may be made of the same nodes. */
static NodeFact *find_fact(const NodeFacts *facts, const Node *node)
{
    uint32_t place = node->fact - 1; /* 0: beyond all */
    if (place < facts->count && facts->items[place].node == node)
        return &facts->items[place];
    for (uint32_t i = 0; node->fact && i < facts->count; i++)
        if (facts->items[i].node == node)
            return &facts->items[i];
    return NULL;
}

const NodeFact *ir_fact(const IrFunction *function, const Node *node)
{
    return find_fact(&function->facts, node);
}

NodeFact *fact_of(Builder *b, const Node *node)
{
    enum { USUAL = 128 };
    NodeFacts *facts = &b->function->facts;
    NodeFact *known = find_fact(facts, node);
    if (known)
        return known;
    if (facts->count == facts->cap) {
        uint32_t cap = facts->cap ? 2 * facts->cap : USUAL;
        facts->items =
            arena_grow_raw(b->arena, facts->items, facts->count * sizeof *facts->items, cap * sizeof *facts->items);
        facts->cap = cap;
    }
    facts->items[facts->count++] = (NodeFact){.node = node};
    ((Node *)node)->fact = facts->count;
    return &facts->items[facts->count - 1];
}

void note_eval(Builder *b, const Node *node, const Eval *eval)
{
    if (node->kind == NODE_NAME && !node->fact && eval->kind == EVAL_VAR && !eval->var->constant)
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
