/* Two defects of Warp's own code, where a constant of the module lives in a variable, which later uses of the constant read. One that
 * both branches of an `if` name is joined behind them: inside a branch that is not taken it is never set. And wp.float64(K) and its
 * kin set the variable where they stand, and are that variable: it is not set before, nor where they are not reached, and `x = wp.float64(K)`
 * makes it x, which a loop may change. */
#include "ir/ir.h"

#include <string.h>

enum { MOST_BRANCHES = 64 };

typedef struct Finder {
    const IrIf **home; /* by variable: the innermost branch that it is joined in; NULL: it is none of these */
    const IrIf *open[MOST_BRANCHES];
    uint32_t depth;
    bool *is_set; /* by variable: by wp.float64(K), until now */
    ConstantDefect defect;
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

static bool is_local(const IrVar *var)
{
    return var && !var->part && !var->is_parameter;
}

static bool is_converted(const IrVar *var)
{
    return is_local(var) && var->is_of_module && !var->constant;
}

static void note_defect(Finder *f, ConstantDefect defect, const IrNode *node)
{
    if (f->found)
        return;
    f->defect = defect;
    f->found = node;
}

static void read_var(Finder *f, const IrVar *var, const IrNode *node)
{
    if (is_local(var) && f->home[var->index] && !is_open(f, f->home[var->index]))
        note_defect(f, CONSTANT_UNSET, node);
    if (is_converted(var) && !f->is_set[var->index])
        note_defect(f, CONSTANT_EARLY, node);
}

static void set_literal(Finder *f, const IrVar *var)
{
    if (!is_converted(var))
        return;
    f->is_set[var->index] = true;
    f->home[var->index] = f->depth ? f->open[f->depth - 1] : NULL;
}

static bool is_constant(const Finder *f, const IrOperand *operand)
{
    const IrVar *var = operand->kind == OPERAND_VAR ? operand->var : NULL;
    return is_local(var) && (var->constant || f->home[var->index]);
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
    bool assigns = call->builtin && strcmp(call->builtin->name, "assign") == 0;
    if (assigns && call->args[0].kind == OPERAND_VAR && is_converted(call->args[0].var))
        note_defect(f, CONSTANT_CHANGED, node);
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
    case IR_SET_LITERAL: set_literal(f, node->literal.target); return;
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

ConstantDefect ir_constant_defect(const IrModule *module, uint32_t *source)
{
    Arena *arena = module->unit->building;
    for (uint32_t i = 0; i <= module->function_count; i++) {
        const IrFunction *function = i < module->function_count ? module->functions[i] : module->kernel;
        Finder f = {.home = ARENA_ARRAY(arena, const IrIf *, function->vars.count + 1),
                    .is_set = ARENA_ARRAY(arena, bool, function->vars.count + 1)};
        look_at_region(&f, &function->body);
        if (f.found) {
            *source = f.found->source;
            return f.defect;
        }
    }
    return CONSTANT_KEPT;
}
