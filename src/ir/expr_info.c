/* What is found out about the source besides the region tree: the number of thread indices, and for those who go on from the
 * syntax tree, what its expressions are. */
#include "ir/build.h"

#include <string.h>

static ExprInfo *find_info(const ExprTable *infos, const Node *node)
{
    const TableSlot *slot = table_find(&infos->index, node);
    return slot ? &infos->items[slot->number] : NULL;
}

const ExprInfo *ir_expr_info(const IrFunction *function, const Node *node)
{
    return find_info(&function->expressions, node);
}

ExprInfo *expr_info_of(Builder *b, const Node *node)
{
    ExprTable *infos = &b->function->expressions;
    TableSlot *slot = table_add(&infos->index, b->arena, node);
    if (!slot->item) {
        slot->number = infos->count;
        slot->item = infos;
        ARENA_PUSH(b->arena, infos->items, infos->count, infos->cap) = (ExprInfo){.node = node};
    }
    return &infos->items[slot->number];
}

void note_eval(Builder *b, const Node *node, const Eval *eval)
{
    if (node->kind == NODE_NAME && eval->kind == EVAL_VAR && !eval->var->constant &&
        !find_info(&b->function->expressions, node))
        return; /* a variable: its name says it all */
    ExprInfo *info = expr_info_of(b, node);
    info->type = NULL;
    info->known = NULL;
    if (eval->kind == EVAL_VAR) {
        info->type = type_canonical(type_strip_reference(eval->var->type));
        info->known = eval->var->constant;
    } else if (eval->kind == EVAL_VALUE)
        info->known = eval->value;
    else if (eval->kind == EVAL_LIST) {
        info->results = ARENA_ARRAY(b->arena, const Type *, eval->count);
        info->result_count = eval->count;
        for (uint32_t i = 0; i < eval->count; i++)
            info->results[i] = type_canonical(type_strip_reference(eval->list[i]->type));
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
