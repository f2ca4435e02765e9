/* What the builder finds out about the expressions of the source, for those who go on from the syntax tree. */
#include "ir/build.h"

#include <string.h>

const NodeFact *ir_fact(const IrFunction *function, const Node *node)
{
    const uint32_t *position = set_find(&function->facts.index, node);
    return position ? &function->facts.items[*position] : NULL;
}

NodeFact *fact_of(Builder *b, const Node *node)
{
    NodeFacts *facts = &b->function->facts;
    bool added;
    uint32_t *position = set_add(b->arena, &facts->index, node, &added);
    if (added) {
        *position = facts->count;
        ARENA_PUSH(b->arena, facts->items, facts->count, facts->cap) = (NodeFact){0};
    }
    return &facts->items[*position];
}

void note_eval(Builder *b, const Node *node, const Eval *eval)
{
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
