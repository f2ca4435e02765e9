/* What the walkers rely on. A broken rule here is a bug of weft, never of the source. */
#include "base/limits.h"
#include "ir/ir.h"

typedef struct Verifier {
    const IrFunction *function;
    uint32_t loops[LIMIT_LOOPS];
    uint32_t depth;
} Verifier;

static const char *check_region(Verifier *v, const IrRegion *region);

static const char *check_part(const Verifier *v, const IrPath *path);

/* Of what is no local variable of the function. */
static const char *check_other(const Verifier *v, const IrVar *var)
{
    if (!var)
        return "a variable is missing";
    if (var->part)
        return check_part(v, var->part);
    if (!var->is_parameter)
        return "a variable does not belong to its function";
    return var->index < v->function->params.count && v->function->params.items[var->index] == var
               ? NULL
               : "a parameter does not belong to its function";
}

static inline const char *check_var(const Verifier *v, const IrVar *var)
{
    const IrVarList *vars = &v->function->vars;
    bool is_local = var && var->index < vars->count && vars->items[var->index] == var;
    return is_local ? NULL : check_other(v, var);
}

static const char *check_part(const Verifier *v, const IrPath *path)
{
    for (uint32_t i = 0; i < path->step_count; i++)
        if (path->steps[i].kind != STEP_FIELD)
            return "a part with a name is more than a field";
    return path->root->part ? "a part is a part of a part" : check_var(v, path->root);
}

static const char *check_slot(const Verifier *v, const IrPath *path)
{
    const char *broken = check_var(v, path->root);
    for (uint32_t i = 0; !broken && i < path->step_count; i++) {
        const IrStep *step = &path->steps[i];
        if ((step->kind == STEP_ELEMENT) != (i == 0) || step->kind == STEP_VIEW)
            return "a slot is not a component of an array element";
        for (uint32_t k = 0; !broken && k < step->index_count; k++)
            broken = check_var(v, step->indices[k]);
    }
    return broken;
}

static const char *check_call(const Verifier *v, const IrCall *call)
{
    const char *broken = NULL;
    if (!call->builtin && !call->func && !call->constructed)
        return "a call has no callee";
    for (uint32_t i = 0; !broken && i < call->arg_count; i++) {
        if (call->args[i].kind == OPERAND_VAR)
            broken = check_var(v, call->args[i].var);
        const IrOperand *adjoint = &call->adj_args[i];
        bool is_other =
            adjoint->kind == OPERAND_VAR && (call->args[i].kind != OPERAND_VAR || adjoint->var != call->args[i].var);
        if (!broken && call->reverse && is_other)
            broken = check_var(v, adjoint->var);
    }
    for (uint32_t i = 0; !broken && i < call->output_count; i++) {
        broken = check_var(v, call->outputs[i]);
        if (!broken && call->outputs[i]->constant)
            broken = "a call writes a constant";
    }
    return broken;
}

static const char *check_loop(Verifier *v, uint32_t label, const IrRegion *head, const IrRegion *body)
{
    if (v->depth == LIMIT_LOOPS)
        return "loops are nested too deeply";
    const char *broken = check_region(v, head);
    v->loops[v->depth++] = label;
    if (!broken)
        broken = check_region(v, body);
    v->depth--;
    return broken;
}

static const char *check_node(Verifier *v, const IrNode *node)
{
    switch (node->kind) {
    case IR_CALL: return check_call(v, node->call);
    case IR_IF: {
        const char *broken = check_var(v, node->if_node->condition);
        if (!broken)
            broken = check_var(v, node->if_node->reverse_condition);
        return broken ? broken : check_region(v, &node->if_node->body);
    }
    case IR_FOR: return check_loop(v, node->for_node->label, &node->for_node->head, &node->for_node->body);
    case IR_WHILE: return check_loop(v, node->while_node->label, &node->while_node->test, &node->while_node->body);
    case IR_BREAK:
    case IR_CONTINUE:
        return v->depth && v->loops[v->depth - 1] == node->jump.label ? NULL : "a jump leaves more than its own loop";
    case IR_SET:
    case IR_LOGIC: {
        const char *broken = check_var(v, node->set.target);
        return broken ? broken : check_var(v, node->set.value);
    }
    case IR_SLOT_ADDRESS: {
        const char *broken = check_slot(v, node->slot_address.path);
        return broken ? broken : check_var(v, node->slot_address.target);
    }
    case IR_UPDATE_SLOT:
    case IR_SET_SLOT: {
        const char *broken = check_slot(v, node->slot.path);
        return broken ? broken : check_var(v, node->slot.value);
    }
    case IR_RETURN:
        for (uint32_t i = 0; i < node->ret.count; i++)
            if (check_var(v, node->ret.values[i]))
                return "a returned variable does not belong to its function";
        return NULL;
    default: return NULL;
    }
}

static const char *check_region(Verifier *v, const IrRegion *region)
{
    const char *broken = NULL;
    for (uint32_t i = 0; !broken && i < region->count; i++)
        broken = check_node(v, region->items[i]);
    return broken;
}

const char *ir_verify(const IrModule *module)
{
    const char *broken = NULL;
    for (uint32_t i = 0; !broken && i <= module->function_count; i++) {
        Verifier v = {.function = i < module->function_count ? module->functions[i] : module->kernel};
        for (uint32_t k = 0; !broken && k < v.function->vars.count; k++)
            if (v.function->vars.items[k]->index != k)
                broken = "variables are not numbered in order";
        if (!broken)
            broken = check_region(&v, &v.function->body);
    }
    return broken;
}
