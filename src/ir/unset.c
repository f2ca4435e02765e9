/* A defect of Warp's own code: a constant of the module that both branches of an `if` name becomes a variable that is joined behind
 * them, and later uses of the constant read that variable. Inside a branch that is not taken it is never set. */
#include "ir/ir.h"

#include <string.h>

enum { MOST_BRANCHES = 64 };

typedef struct Finder {
    const IrIf **home; /* by variable: the innermost branch that it is joined in; NULL: it is none of these */
    const IrIf *open[MOST_BRANCHES];
    uint32_t depth;
    const IrNode *found;
} Finder;

static void look_at_region(Finder *f, const IrRegion *region);

static bool is_open(const Finder *f, const IrIf *branch)
{
    for (uint32_t i = 0; i < f->depth; i++)
        if (f->open[i] == branch)
            return true;
    return false;
}

static void read_var(Finder *f, const IrVar *var, const IrNode *node)
{
    if (!f->found && var && !var->part && !var->is_parameter && f->home[var->index] && !is_open(f, f->home[var->index]))
        f->found = node;
}

static bool is_constant(const Finder *f, const IrOperand *operand)
{
    const IrVar *var = operand->kind == OPERAND_VAR ? operand->var : NULL;
    return var && !var->part && !var->is_parameter && (var->constant || f->home[var->index]);
}

static void look_at_call(Finder *f, const IrNode *node)
{
    const IrCall *call = node->call;
    bool joins = call->builtin && strcmp(call->builtin->name, "where") == 0 && call->arg_count == 3;
    if (joins && f->depth && is_constant(f, &call->args[1]) && is_constant(f, &call->args[2]))
        f->home[call->outputs[0]->index] = f->open[f->depth - 1];
    for (uint32_t i = 0; i < (joins ? 1 : call->arg_count); i++) /* what is joined need not be set on either side */
        if (call->args[i].kind == OPERAND_VAR)
            read_var(f, call->args[i].var, node);
}

static void look_at_branch(Finder *f, const IrNode *node)
{
    read_var(f, node->if_node->condition, node);
    if (f->depth == MOST_BRANCHES)
        return;
    f->open[f->depth++] = node->if_node;
    look_at_region(f, &node->if_node->body);
    f->depth--;
}

static void look_at(Finder *f, const IrNode *node)
{
    switch (node->kind) {
    case IR_CALL: look_at_call(f, node); return;
    case IR_COMPARE:
        read_var(f, node->compare.left, node);
        for (uint32_t i = 0; i < node->compare.count; i++)
            read_var(f, node->compare.right[i], node);
        return;
    case IR_IF: look_at_branch(f, node); return;
    case IR_FOR:
        look_at_region(f, &node->for_node->head);
        look_at_region(f, &node->for_node->body);
        return;
    case IR_WHILE:
        look_at_region(f, &node->while_node->test);
        look_at_region(f, &node->while_node->body);
        return;
    case IR_SET:
    case IR_LOGIC:
    case IR_SET_REFERENCE: read_var(f, node->set.value, node); return;
    case IR_SET_MEMBER: read_var(f, node->set_member.value, node); return;
    case IR_SET_SLOT:
    case IR_UPDATE_SLOT: read_var(f, node->slot.value, node); return;
    case IR_RETURN:
        for (uint32_t i = 0; i < node->ret.count; i++)
            read_var(f, node->ret.values[i], node);
        return;
    default: return;
    }
}

static void look_at_region(Finder *f, const IrRegion *region)
{
    for (uint32_t i = 0; i < region->count; i++)
        look_at(f, region->items[i]);
}

bool ir_reads_unset_constant(const IrModule *module, uint32_t *source)
{
    Arena *arena = module->unit->arena;
    for (uint32_t i = 0; i <= module->function_count; i++) {
        const IrFunction *function = i < module->function_count ? module->functions[i] : module->kernel;
        Finder f = {.home = ARENA_ARRAY(arena, const IrIf *, function->vars.count + 1)};
        look_at_region(&f, &function->body);
        if (f.found) {
            *source = f.found->source;
            return true;
        }
    }
    return false;
}
