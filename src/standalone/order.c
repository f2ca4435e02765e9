/* What of a kernel's results depends on the order of its threads.
 *
 * Threads meet in atomics alone: whatever else two of them touch is a race, which the evaluator reports. The old value that an
 * atomic gives says who came first, and so does what is left of exchanges. What is computed from such a value, stored at such a
 * place, or done under such a condition depends on the order, too. Sums, extremes and bits that are only collected do not. */
#include "standalone/model.h"

#include <string.h>

static bool has_unordered_atomic(Block *block);

/* Found out once: functions that call each other have more ways than steps. */
static bool is_unordered_routine(Routine *routine)
{
    if (routine->order == ORDER_UNKNOWN)
        routine->order = has_unordered_atomic(&routine->body) ? ORDER_MATTERS : ORDER_DOES_NOT_MATTER;
    return routine->order == ORDER_MATTERS;
}

static void look_for_calls(Term *term, void *found)
{
    *(bool *)found |= term->kind == TERM_CALL && is_unordered_routine(term->routine);
}

static void look_for_unordered(Term *term, void *found)
{
    *(bool *)found |= term->kind == TERM_VAR && term->var->is_unordered;
    look_for_calls(term, found);
}

static bool is_exchange(Step *step)
{
    return step->kind == STEP_ATOMIC && (step->atomic->kind == ATOMIC_EXCH || step->atomic->kind == ATOMIC_CAS);
}

static bool has_unordered_atomic(Block *block)
{
    bool found = false;
    for (uint32_t i = 0; i < block->count && !found; i++) {
        Step *step = block->items[i];
        found = (step->kind == STEP_ATOMIC && step->var) || is_exchange(step) || has_unordered_atomic(&step->body) ||
                has_unordered_atomic(&step->orelse);
        visit_step(step, look_for_calls, &found);
    }
    return found;
}

static void mark(Var *var, bool *changed)
{
    if (!var || var->is_unordered)
        return;
    var->is_unordered = *changed = true;
}

/* A function that tells who came first may do anything with the arrays that it gets. */
static void mark_arrays(Term *term, void *changed)
{
    if (term->kind != TERM_CALL || !is_unordered_routine(term->routine))
        return;
    for (uint32_t i = 0; i < term->count; i++)
        if (holds_arrays(term->args[i]->type))
            mark(root_var(term->args[i]), changed);
}

/* `under`: a condition around it depends on the order. */
static void mark_block(Block *block, bool under, bool *changed)
{
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        Term *terms[STEP_TERMS];
        bool depends = under;
        for (uint32_t k = step_terms(step, terms); k-- > 0;) {
            if (terms[k] != step->place || terms[k]->kind != TERM_VAR)
                visit_term(terms[k], look_for_unordered, &depends);
            visit_term(terms[k], mark_arrays, changed);
        }
        if (step->place && (depends || is_exchange(step)))
            mark(root_var(step->place), changed);
        if (step->kind == STEP_ATOMIC || (step->kind == STEP_FOR && depends))
            mark(step->var, changed);
        for (uint32_t k = 0; step->kind == STEP_UNPACK && depends && k < step->count; k++)
            mark(step->targets[k], changed);
        mark_block(&step->body, depends, changed);
        mark_block(&step->orelse, depends, changed);
        under |= depends && (step->body.count || step->orelse.count); /* it may have jumped away */
    }
}

void find_unordered(Routine *kernel)
{
    bool changed = true;
    while (changed) {
        changed = false;
        mark_block(&kernel->body, false, &changed);
    }
}
