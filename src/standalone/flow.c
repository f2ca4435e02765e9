/* What is known about the variables of a routine: which carry a gradient, and whose values the reverse pass needs. */
#include "standalone/model.h"

#include <string.h>

/* ---- activity ---- */

bool holds_arrays(const Type *type)
{
    for (uint32_t i = 0; type->kind == TYPE_STRUCT && i < type->decl->field_count; i++)
        if (holds_arrays(strip(type->decl->fields[i].type)))
            return true;
    return type->kind == TYPE_ARRAY;
}

bool term_is_active(const Term *term)
{
    return term && term->active;
}

static bool has_active_arg(const Term *term)
{
    for (uint32_t i = 0; i < term->count; i++)
        if (term->args[i]->active && (term->op->is_construct || (i < 3 && has_text(&term->op->adjoint[i]))))
            return true;
    return false;
}

static bool has_float_arg(const Term *call)
{
    for (uint32_t i = 0; i < call->count; i++) {
        const Term *arg = call->args[i];
        if (holds_arrays(arg->type) ? is_float_type(arg->type) : arg->active)
            return true;
    }
    return false;
}

static bool carries_gradient(const Term *term)
{
    switch (term->kind) {
    case TERM_VAR: return term->var->active; /* only what is float can be */
    case TERM_ELEMENT: return is_float_type(term->type);
    case TERM_COMPONENT:
    case TERM_FIELD: return term->args[0]->active && is_float_type(term->type);
    case TERM_CHOICE: return (term->args[1]->active || term->args[2]->active) && is_float_type(term->type);
    case TERM_OP: return has_active_arg(term) && is_float_type(term->type);
    case TERM_CALL: return is_float_type(term->type) && has_float_arg(term);
    default: return false;
    }
}

/* What a function does with an array is done with the one that it is called with. */
static void note_array_arg(const Term *arg, const Var *param)
{
    if (arg->type->kind != TYPE_ARRAY && arg->type->kind != TYPE_STRUCT)
        return;
    Var *var = (Var *)root_var(arg);
    if (!var || !param)
        return;
    var->is_read |= param->is_read;
    var->is_written |= param->is_written;
    var->is_updated |= param->is_updated;
}

static void settle_term(Term *term, bool is_place);

/* The variables of a part of a term. Most parts are names and numbers. */
static inline uint64_t settle_part(Term *part, bool is_place)
{
    if (part->kind == TERM_LITERAL)
        return 0;
    if (part->kind != TERM_VAR) {
        settle_term(part, is_place);
        return part->vars;
    }
    Var *var = part->var;
    part->active = var->active; /* only what is float can be */
    var->was_seen |= !var->active;
    return part->vars = var->bit;
}

/* Found from the inside out, since most questions about a term are about its parts, too. A variable that is seen before it
 * becomes active makes another round necessary. */
static void settle_term(Term *term, bool is_place)
{
    uint64_t vars = 0;
    for (uint32_t i = 0; i < term->count; i++)
        vars |= settle_part(term->args[i], is_place && i == 0);
    term->vars = vars;
    if (term->kind == TERM_ELEMENT && !is_place) {
        Var *root = (Var *)root_var(term->args[0]);
        if (root)
            root->is_read = true;
    }
    for (uint32_t i = 0; term->kind == TERM_CALL && i < term->count; i++)
        note_array_arg(term->args[i], term->routine->params ? term->routine->params[i] : NULL);
    term->active = carries_gradient(term);
}

/* True: not all is found yet. */
static bool activate(Var *var)
{
    if (!var->active && is_float_type(var->type)) {
        var->active = true;
        return var->was_seen;
    }
    return false;
}

/* The values come before the places, which they may make active. */
static bool settle_assign(const Step *step)
{
    const Term *array = array_root(step->place);
    bool again = false;
    settle_part(step->value, false);
    Var *root = (Var *)root_var(step->place);
    if (array)
        root->is_written = true;
    else if (step->value->active)
        again = activate(root);
    settle_part(step->place, array != NULL);
    return again;
}

static bool settle_unpack(const Step *step)
{
    bool again = false;
    settle_part(step->value, false);
    bool any = has_float_arg(step->value);
    for (uint32_t i = 0; i < step->count; i++) {
        again |= any && activate(step->targets[i]);
        step->targets[i]->was_seen |= !step->targets[i]->active;
    }
    return again;
}

static bool settle_step(const Step *step)
{
    if (step->kind == STEP_ASSIGN)
        return settle_assign(step);
    if (step->kind == STEP_UNPACK)
        return settle_unpack(step);
    Term *const terms[] = {step->place, step->value, step->compare, step->start, step->stop};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        if (terms[i])
            settle_part(terms[i], i == 0);
    for (uint32_t i = 0; step->values && i < step->count; i++)
        settle_part(step->values[i], false);
    if (step->place)
        ((Var *)root_var(step->place))->is_updated = true;
    return false;
}

static bool is_active_alone(const Step *step);

/* True: not all is found yet. Otherwise the steps are known, too. */
static bool activate_block(const Block *block, bool *active)
{
    bool again = false;
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        bool inner = false;
        again |= settle_step(step);
        if (step->body.count)
            again |= activate_block(&step->body, &inner);
        if (step->orelse.count)
            again |= activate_block(&step->orelse, &inner);
        step->active = inner || is_active_alone(step);
        *active |= step->active;
    }
    return again;
}

void find_activity(Translator *t, Routine *routine)
{
    (void)t;
    for (uint32_t i = 0; i < routine->vars.count; i++) {
        Var *var = routine->vars.items[i];
        var->active = var->is_param && !routine->is_kernel && is_float_type(var->type);
        var->was_seen = false;
    }
    bool active = false;
    while (activate_block(&routine->body, &active))
        ;
    for (uint32_t i = 0; i < routine->param_count; i++)
        routine->writes_arrays |= routine->params[i]->is_written || routine->params[i]->is_updated;
}

/* ---- what the reverse pass needs ---- */

/* The variables whose values are needed, as a set, too, where each has a bit of its own. */
typedef struct Needs {
    const VarList *vars;
    uint64_t found;
    uint64_t passed; /* variables that the steps set which were looked at already */
    bool again;      /* one of them turned out to be needed */
} Needs;

static void need_vars(const Term *term, Needs *needs)
{
    if (term->kind == TERM_VAR && !term->var->needed) {
        needs->again = term->var->needed = true;
        needs->found |= term->var->bit;
    }
    for (uint32_t i = 0; i < term->count; i++)
        need_vars(term->args[i], needs);
}

static void need_value(const Term *term, Needs *needs)
{
    if (!term)
        return;
    if (needs->vars->count > VAR_BITS) {
        need_vars(term, needs);
        return;
    }
    uint64_t fresh = term->vars & ~needs->found;
    needs->again |= (fresh & needs->passed) != 0;
    needs->found |= fresh;
    for (; fresh; fresh &= fresh - 1)
        needs->vars->items[__builtin_ctzll(fresh)]->needed = true;
}

static void need_indices(const Term *place, Needs *needs)
{
    for (const Term *part = place; part->count; part = part->args[0])
        for (uint32_t k = 1; k < part->count; k++)
            need_value(part->args[k], needs);
}

/* The values in the adjoints of a term. */
static void need_adjoint(const Term *term, Needs *needs)
{
    if (!term_is_active(term))
        return;
    if (term->kind == TERM_COMPONENT || term->kind == TERM_FIELD || term->kind == TERM_ELEMENT) {
        need_indices(term, needs);
        if (term->kind != TERM_ELEMENT)
            need_adjoint(term->args[0], needs);
        return;
    }
    if (term->kind == TERM_CHOICE)
        need_value(term->args[0], needs);
    uint32_t mentions = term->kind == TERM_CALL ? ~0u : 0; /* arguments whose values are used */
    for (uint32_t i = 0; i < term->count; i++) {
        const Term *arg = term->args[i];
        if (!arg->active)
            continue;
        mentions |= term->kind == TERM_OP && i < 3 ? term->op->adjoint[i].mentions : 0;
        if (arg->count)
            need_adjoint(arg, needs);
    }
    for (uint32_t i = 0; mentions && i < term->count; i++)
        if (i > 31 || mentions >> i & 1)
            need_value(term->args[i], needs);
}

bool term_is_effect(const Term *call)
{
    for (uint32_t i = 0; i < call->count; i++)
        if (is_float_type(call->args[i]->type))
            return call->routine->writes_arrays;
    return false;
}

bool block_is_active(const Block *block)
{
    for (uint32_t i = 0; i < block->count; i++)
        if (block->items[i]->active)
            return true;
    return false;
}

static bool is_active_alone(const Step *step)
{
    switch (step->kind) {
    case STEP_ASSIGN:
        return is_float_type(step->place->type) && (array_root(step->place) || root_var(step->place)->active);
    case STEP_ATOMIC: return is_float_type(step->place->type);
    case STEP_UNPACK:
        for (uint32_t i = 0; i < step->count; i++)
            if (step->targets[i]->active)
                return true;
        return false;
    case STEP_CALL: return step->value->kind == TERM_CALL && term_is_effect(step->value);
    case STEP_RETURN:
        for (uint32_t i = 0; i < step->count; i++)
            if (term_is_active(step->values[i]))
                return true;
        return false;
    default: return false;
    }
}

bool find_block_activity(const Block *block)
{
    bool active = false;
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        bool body = find_block_activity(&step->body), orelse = find_block_activity(&step->orelse);
        step->active = body || orelse || is_active_alone(step);
        active |= step->active;
    }
    return active;
}

static bool assigns_needed(const Step *step)
{
    const Var *target = step->kind == STEP_ASSIGN ? root_var(step->place) : NULL;
    if (target && target->needed)
        return true;
    if (step->kind == STEP_ATOMIC && ((step->var && step->var->needed)))
        return true;
    if (step->value && step->value->kind == TERM_OP && step->value->op->changes_first &&
        step->value->args[0]->var->needed)
        return true;
    for (uint32_t i = 0; step->kind == STEP_UNPACK && i < step->count; i++)
        if (step->targets[i]->needed)
            return true;
    return false;
}

bool block_is_needed(const Block *block)
{
    for (uint32_t i = 0; i < block->count; i++)
        if (step_is_needed(block->items[i]))
            return true;
    return false;
}

bool step_is_needed(const Step *step)
{
    return assigns_needed(step) || block_is_needed(&step->body) || block_is_needed(&step->orelse) ||
           (step->kind == STEP_IF && step->is_guard);
}

/* What the reverse of the step itself uses. */
static void need_for_reverse(const Step *step, Needs *needs)
{
    if (step->place)
        need_indices(step->place, needs);
    need_adjoint(step->value, needs);
    if (step->kind == STEP_ATOMIC && strcmp(step->atomic, "add") && strcmp(step->atomic, "sub")) {
        need_value(step->value, needs);
        need_indices(step->place, needs);
    }
    for (uint32_t k = 0; (step->kind == STEP_UNPACK || step->kind == STEP_CALL) && k < step->value->count; k++)
        need_value(step->value->args[k], needs);
    for (uint32_t k = 0; step->values && k < step->count; k++)
        need_adjoint(step->values[k], needs);
}

/* From the last step to the first: what a step needs is set by those before it. */
static void need_in_block(const Block *block, bool is_first_time, Needs *needs)
{
    for (uint32_t i = block->count; i-- > 0;) {
        const Step *step = block->items[i];
        if (step->active && is_first_time)
            need_for_reverse(step, needs);
        if (step->kind == STEP_IF || step->kind == STEP_FOR || step->kind == STEP_WHILE) {
            need_in_block(&step->body, is_first_time, needs);
            need_in_block(&step->orelse, is_first_time, needs);
            if (step->active || step_is_needed(step)) {
                need_value(step->kind == STEP_FOR ? step->start : step->value, needs);
                if (step->kind == STEP_FOR)
                    need_value(step->stop, needs);
            }
        } else if (assigns_needed(step)) {
            need_value(step->value, needs);
            if (step->place)
                need_indices(step->place, needs);
        }
        needs->passed |= step->assigns;
        if (step->kind == STEP_ASSIGN)
            needs->passed |= root_var(step->place)->bit;
    }
}

void find_needs(Translator *t, Routine *routine, const Block *body)
{
    Needs needs = {.vars = &routine->vars};
    bool have_bits = routine->vars.count <= VAR_BITS;
    for (uint32_t i = 0; !have_bits && i < routine->vars.count; i++)
        routine->vars.items[i]->needed = false;
    for (uint64_t rest = have_bits ? t->needed : 0; rest; rest &= rest - 1)
        routine->vars.items[__builtin_ctzll(rest)]->needed = false;
    need_in_block(body, true, &needs);
    while (needs.again) {
        needs.again = false;
        need_in_block(body, false, &needs);
    }
    t->needed = needs.found;
}
