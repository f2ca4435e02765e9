/* What is known about the variables of a routine: which carry a gradient, which depend on the order of threads, and whose values
 * the reverse pass needs.
 *
 * Threads meet in atomics alone: whatever else two of them touch is a race, which the evaluator reports. The old value that an
 * atomic gives says who came first, and so does what is left of exchanges. What is computed from such a value, stored at such a
 * place, or done under such a condition depends on the order, too. Sums, extremes and bits that are only collected do not. */
#include "standalone/model.h"

#include <string.h>

/* ---- activity and order ---- */

bool holds_arrays(const Type *type)
{
    for (uint32_t i = 0; type->kind == TYPE_STRUCT && i < type->decl->field_count; i++)
        if (holds_arrays(strip(type->decl->fields[i].type)))
            return true;
    return type->kind == TYPE_ARRAY;
}

static bool has_active_arg(Term *term)
{
    for (uint32_t i = 0; i < term->count; i++)
        if (term->args[i]->active && (term->op == &construct_op || (i < 3 && term->op->adjoint[i])))
            return true;
    return false;
}

static bool has_float_arg(Term *call)
{
    for (uint32_t i = 0; i < call->count; i++) {
        Term *arg = call->args[i];
        if (holds_arrays(arg->type) ? is_float_type(arg->type) : arg->active)
            return true;
    }
    return false;
}

static bool carries_gradient(Term *term)
{
    if (!is_float_type(term->type))
        return false;
    switch (term->kind) {
    case TERM_VAR: return term->var->active;
    case TERM_ELEMENT: return true;
    case TERM_COMPONENT:
    case TERM_CELL:
    case TERM_FIELD: return term->args[0]->active;
    case TERM_CHOICE: return term->args[1]->active || term->args[2]->active;
    case TERM_OP: return has_active_arg(term);
    case TERM_CALL: return has_float_arg(term);
    default: return false;
    }
}

static void mark_unordered(Translator *t, Var *var)
{
    t->has_news |= !var->is_unordered;
    var->is_unordered = true;
}

/* What a function does with an array is done with the one that it is called with. */
static void note_array_arg(Translator *t, Term *arg, Term *call, Var *param)
{
    Var *var = holds_arrays(arg->type) ? root_var(arg) : NULL;
    if (var && param) {
        var->is_read |= param->is_read;
        var->is_written |= param->is_written;
        var->is_updated |= param->is_updated;
        var->is_extreme |= param->is_extreme;
    }
    if (var && call->routine->is_unordered) /* it may do anything with them */
        mark_unordered(t, var);
}

/* Found from the inside out, since most questions about a term are about its parts, too. */
static void settle_term(Translator *t, Term *term, bool is_place)
{
    bool is_call = term->kind == TERM_CALL;
    term->vars = term->kind == TERM_VAR ? term->var->bit : NULL;
    term->is_unordered = term->kind == TERM_VAR ? term->var->is_unordered : is_call && term->routine->is_unordered;
    for (uint32_t i = 0; i < term->count; i++) {
        settle_term(t, term->args[i], is_place && i == 0);
        if (term->kind != TERM_SHAPE) /* which does not look at the array */
            term->vars = join_bits(t, term->vars, term->args[i]->vars);
        term->is_unordered |= term->args[i]->is_unordered;
        if (is_call)
            note_array_arg(t, term->args[i], term, term->routine->params ? term->routine->params[i] : NULL);
    }
    Var *root = term->kind == TERM_ELEMENT && !is_place ? root_var(term->args[0]) : NULL;
    if (root)
        root->is_read = true;
    t->current->is_unordered |= is_call && term->routine->is_unordered;
    t->current->writes_floats |= is_call && term->routine->writes_floats;
    term->active = carries_gradient(term);
}

/* True: it depends on the order of threads. */
static bool settle_step_term(Translator *t, Step *step, Term *term, bool is_place)
{
    settle_term(t, term, is_place);
    step->own = join_bits(t, step->own, term->vars);
    return term->is_unordered;
}

static void activate(Translator *t, Var *var)
{
    t->has_news |= !var->active && is_float_type(var->type);
    var->active |= is_float_type(var->type);
}

/* The values come before the places, which they may make active. `under`: a condition around it depends on the order of threads.
 * True: it depends on that itself. */
static bool settle_step(Translator *t, Step *step, bool under)
{
    bool is_atomic = step->kind == STEP_ATOMIC, is_exchange = false;
    step->own = NULL;
    for (uint32_t i = 0; i < step->count; i++)
        under |= settle_step_term(t, step, step->values[i], false);
    Var *root = step->place ? root_var(step->place) : NULL;
    bool in_array = root && array_root(step->place);
    t->current->writes_floats |= (is_atomic || in_array) && is_float_type(step->place->type);
    if (step->kind == STEP_ASSIGN && in_array)
        root->is_written = true;
    else if (step->kind == STEP_ASSIGN && step->values[0]->active)
        activate(t, root);
    if (is_atomic) {
        if (cell_root(step->place) && step->values[0]->active)
            activate(t, root);
        root->is_updated = true;
        root->is_extreme |= step->atomic->kind == ATOMIC_EXTREME;
        is_exchange = step->atomic->kind == ATOMIC_EXCH || step->atomic->kind == ATOMIC_CAS;
        t->current->is_unordered |= is_exchange || step->sets.count;
    }
    if (root)
        under |= settle_step_term(t, step, step->place, in_array) && step->place->kind != TERM_VAR;
    if (root && (under || is_exchange))
        mark_unordered(t, root);
    for (uint32_t i = 0; i < step->sets.count; i++) {
        if (step->kind == STEP_UNPACK && has_float_arg(step->values[0]))
            activate(t, step->sets.items[i]);
        if (under || is_atomic)
            mark_unordered(t, step->sets.items[i]);
    }
    return under;
}

static void settle_block(Translator *t, Block *block, bool under)
{
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        bool depends = settle_step(t, step, under);
        settle_block(t, &step->body, depends);
        settle_block(t, &step->orelse, depends);
        under |= depends && (step->body.count || step->orelse.count); /* it may have jumped away */
    }
}

void find_activity(Translator *t, Routine *routine)
{
    for (uint32_t i = 0; i < routine->vars.count; i++) {
        Var *var = routine->vars.items[i];
        var->active = var->is_param && !routine->is_kernel && is_float_type(var->type);
    }
    do {
        t->has_news = false;
        settle_block(t, &routine->body, false);
    } while (t->has_news);
    find_block_activity(&routine->body);
    for (uint32_t i = 0; i < routine->param_count; i++)
        routine->writes_arrays |= routine->params[i]->is_written || routine->params[i]->is_updated;
}

bool term_is_effect(Term *call)
{
    for (uint32_t i = 0; i < call->count; i++)
        if (is_float_type(call->args[i]->type))
            return call->routine->writes_arrays;
    return false;
}

static bool is_active_alone(Step *step)
{
    bool active = false;
    switch (step->kind) {
    case STEP_ASSIGN:
        return is_float_type(step->place->type) && (array_root(step->place) || root_var(step->place)->active);
    case STEP_ATOMIC:
        return is_float_type(step->place->type) && (!cell_root(step->place) || root_var(step->place)->active);
    case STEP_UNPACK:
        for (uint32_t i = 0; i < step->sets.count; i++)
            active |= step->sets.items[i]->active;
        return active;
    case STEP_CALL: return step->values[0]->kind == TERM_CALL && term_is_effect(step->values[0]);
    case STEP_RETURN:
        for (uint32_t i = 0; i < step->count; i++)
            active |= step->values[i]->active;
        return active;
    default: return false;
    }
}

void find_block_activity(Block *block)
{
    block->active = false;
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        find_block_activity(&step->body);
        find_block_activity(&step->orelse);
        step->active = step->body.active || step->orelse.active || is_active_alone(step);
        block->active |= step->active;
    }
}

/* ---- what the reverse pass needs ---- */

bool is_needed(const Translator *t, Var *var)
{
    return has_bit(t->needed, var->number);
}

static void need_value(Translator *t, Term *term)
{
    t->needed = join_bits(t, t->needed, term->vars);
}

static void need_indices(Translator *t, Term *place)
{
    for (Term *part = place; part->count; part = part->args[0])
        for (uint32_t k = 1; k < part->count; k++)
            need_value(t, part->args[k]);
}

/* The values in the adjoints of a term. */
static void need_adjoint(Translator *t, Term *term)
{
    if (!term->active)
        return;
    if (term->kind == TERM_COMPONENT || term->kind == TERM_FIELD || term->kind == TERM_ELEMENT ||
        term->kind == TERM_CELL) {
        need_indices(t, term);
        if (term->kind == TERM_COMPONENT || term->kind == TERM_FIELD)
            need_adjoint(t, term->args[0]);
        return;
    }
    if (term->kind == TERM_CHOICE)
        need_value(t, term->args[0]);
    for (uint32_t i = 0; i < term->count; i++) {
        if (term->kind == TERM_CALL)
            need_value(t, term->args[i]);
        if (!term->args[i]->active)
            continue;
        need_adjoint(t, term->args[i]);
        uint32_t mentioned = term->kind == TERM_OP && i < 3 ? mentioned_args(term->op->adjoint[i]) : 0;
        for (uint32_t k = 0; mentioned && k < term->count; k++)
            if (k < 32 && mentioned >> k & 1)
                need_value(t, term->args[k]);
    }
}

static bool assigns_needed(Step *step, void *translator)
{
    if ((step->kind == STEP_ASSIGN || (step->kind == STEP_ATOMIC && cell_root(step->place))) &&
        is_needed(translator, root_var(step->place)))
        return true;
    for (uint32_t i = 0; i < step->sets.count && !is_loop(step) && step->kind != STEP_EACH; i++)
        if (is_needed(translator, step->sets.items[i]))
            return true;
    return step->is_guard;
}

bool step_is_needed(Translator *t, Step *step)
{
    return any_step(&(Block){.items = &step, .count = 1}, assigns_needed, t);
}

/* What the reverse of the step itself uses. */
static void need_for_reverse(Translator *t, Step *step)
{
    if (step->place)
        need_indices(t, step->place);
    for (uint32_t i = 0; i < step->count; i++)
        need_adjoint(t, step->values[i]);
    if (step->kind == STEP_ATOMIC && !is_sum(step->atomic))
        need_value(t, step->values[0]);
    for (uint32_t k = 0; (step->kind == STEP_UNPACK || step->kind == STEP_CALL) && k < step->values[0]->count; k++)
        need_value(t, step->values[0]->args[k]);
}

/* From the last step to the first: what a step needs is set by those before it. `in_loop`: the loop around it is run again. */
static void need_in_block(Translator *t, Block *block, bool in_loop)
{
    for (uint32_t i = block->count; i-- > 0;) {
        Step *step = block->items[i];
        if (step->active)
            need_for_reverse(t, step);
        bool is_run = step_is_needed(t, step) ||
                      (step->active && (step->kind == STEP_IF || step->kind == STEP_EACH || is_loop(step)));
        need_in_block(t, &step->body, is_loop(step) ? is_run : in_loop);
        need_in_block(t, &step->orelse, in_loop);
        if (!is_run && !step_is_needed(t, step) && !(in_loop && step_jumps(step, JUMP_BREAK)))
            continue;
        for (uint32_t k = 0; k < step->count; k++)
            need_value(t, step->values[k]);
        if (step->place)
            need_indices(t, step->place);
    }
}

void find_needs(Translator *t, Block *body)
{
    const Bits *before;
    t->needed = NULL;
    do {
        before = t->needed;
        need_in_block(t, body, false);
    } while (t->needed != before);
}
