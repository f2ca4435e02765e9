/* What is known about the variables of a routine: where they are declared, which carry a gradient, and whose values the
 * reverse pass needs. And the normal form of a body, in which nothing stands behind a jump. */
#include "standalone/model.h"

#include <string.h>

enum { MAX_COPIES = 400 };

/* ---- terms ---- */

void visit_term(const Term *term, TermVisitor *visit, void *user)
{
    if (!term)
        return;
    visit(term, user);
    for (uint32_t i = 0; i < term->count; i++)
        visit_term(term->args[i], visit, user);
}

typedef struct Search {
    const Var *var;
    bool found;
} Search;

static void look_for(const Term *term, void *user)
{
    Search *search = user;
    search->found |= term->kind == TERM_VAR && term->var == search->var;
}

bool term_mentions(const Term *term, const Var *var)
{
    Search search = {var, false};
    visit_term(term, look_for, &search);
    return search.found;
}

const Var *root_var(const Term *place)
{
    while (place->kind != TERM_VAR) {
        if (!place->count)
            return NULL;
        place = place->args[0];
    }
    return place->var;
}

const Term *array_root(const Term *place)
{
    for (; place->kind == TERM_COMPONENT || place->kind == TERM_FIELD; place = place->args[0])
        ;
    return place->kind == TERM_ELEMENT ? place->args[0] : NULL;
}

/* ---- steps ---- */

/* Every term of a step itself, not of the blocks in it. */
static void visit_step_terms(const Step *step, TermVisitor *visit, void *user)
{
    visit_term(step->place, visit, user);
    visit_term(step->value, visit, user);
    visit_term(step->compare, visit, user);
    visit_term(step->start, visit, user);
    visit_term(step->stop, visit, user);
    for (uint32_t i = 0; step->values && i < step->count; i++)
        visit_term(step->values[i], visit, user);
}

static bool step_assigns(const Step *step, const Var *var)
{
    if (step->kind == STEP_ASSIGN)
        return root_var(step->place) == var && !array_root(step->place);
    if (step->kind == STEP_ATOMIC || step->kind == STEP_FOR)
        return step->var == var;
    for (uint32_t i = 0; step->kind == STEP_UNPACK && i < step->count; i++)
        if (step->targets[i] == var)
            return true;
    return false;
}

static bool draws(const Term *term, const Var *var)
{
    return term && term->kind == TERM_OP && term->op->changes_first && term->args[0]->var == var;
}

bool assigns(const Block *block, const Var *var)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const Step *step = block->items[i];
        if (step_assigns(step, var) || draws(step->value, var) || assigns(&step->body, var) ||
            assigns(&step->orelse, var))
            return true;
    }
    return false;
}

/* ---- homes ---- */

typedef struct HomeSearch {
    Translator *t;
    const Block *block;
    const Step *step;
} HomeSearch;

static uint32_t depth_of(const Block *block)
{
    uint32_t depth = 0;
    for (; block->parent; block = block->parent)
        depth++;
    return depth;
}

static const Block *common_block(const Block *a, const Block *b)
{
    uint32_t p = depth_of(a), q = depth_of(b);
    for (; p > q; p--)
        a = a->parent;
    for (; q > p; q--)
        b = b->parent;
    for (; a != b; a = a->parent, b = b->parent)
        ;
    return a;
}

static void note_mention(Var *var, const Block *block, const Step *step)
{
    if (!var->home) {
        var->first = step;
        var->mention = block;
    }
    var->home = var->home ? common_block(var->home, block) : block;
    if (var->is_loop_var && !var->saves)
        var->outside_loop = true;
}

static void mention_term(const Term *term, void *user)
{
    HomeSearch *search = user;
    if (term->kind == TERM_VAR)
        note_mention(term->var, search->block, search->step);
}

static void find_mentions(HomeSearch *search, Block *block, const Block *parent, const Step *owner)
{
    block->parent = parent;
    block->owner = owner;
    block->is_home = false;
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        search->block = block;
        search->step = step;
        step->declared = (VarList){0};
        visit_step_terms(step, mention_term, search);
        if (step->var && step->kind == STEP_ATOMIC)
            note_mention(step->var, block, step);
        for (uint32_t k = 0; step->kind == STEP_UNPACK && k < step->count; k++)
            note_mention(step->targets[k], block, step);
        if (step->kind == STEP_ASSIGN && step->place->kind == TERM_VAR && step->place->var->is_loop_var)
            step->place->var->outside_loop = true;
        bool is_for = step->kind == STEP_FOR;
        if (is_for) { /* `saves` counts the loops around it meanwhile */
            if (step->var->saves)
                step->var->outside_loop = true;
            step->var->saves++;
        }
        find_mentions(search, &step->body, block, step);
        if (is_for)
            step->var->saves--;
        find_mentions(search, &step->orelse, block, step);
    }
}

static bool declares(const Step *step, const Var *var)
{
    if (step->kind == STEP_ASSIGN)
        return step->place->kind == TERM_VAR && step->place->var == var && !term_mentions(step->value, var);
    if (step->kind == STEP_ATOMIC)
        return step->var == var && !term_mentions(step->value, var);
    return false;
}

/* Is the variable assigned in every way through the block before it is read? */
static bool assigned_first(const Block *block, const Var *var)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const Step *step = block->items[i];
        Search search = {var, false};
        if (declares(step, var))
            return true;
        visit_step_terms(step, look_for, &search);
        if (search.found)
            return false;
        if (step->kind == STEP_IF && step->orelse.count && assigned_first(&step->body, var) &&
            assigned_first(&step->orelse, var))
            return true;
        if (assigns(&step->body, var) || assigns(&step->orelse, var))
            return false;
    }
    return false;
}

static bool is_in_loop(const Block *block)
{
    for (; block; block = block->parent)
        if (block->owner && (block->owner->kind == STEP_FOR || block->owner->kind == STEP_WHILE))
            return true;
    return false;
}

static void settle_home(Translator *t, Block *body, Var *var)
{
    if (!var->home)
        return;
    const Block *block = var->mention;
    const Step *step = var->first;
    if (is_in_loop(var->home) && !assigned_first(var->home, var))
        var->home = body; /* its value goes from one turn to the next */
    for (; block != var->home; block = block->parent)
        step = block->owner;
    var->first = step;
    var->declared_by_step = declares(step, var);
    ((Block *)var->home)->is_home = true;
    VarList *declared = &((Step *)step)->declared;
    if (!var->declared_by_step && !var->alias)
        ARENA_PUSH(t->arena, declared->items, declared->count, declared->cap) = var;
}

void find_homes(Translator *t, Routine *routine, Block *body)
{
    HomeSearch search = {.t = t};
    for (uint32_t i = 0; i < routine->vars.count; i++) {
        Var *var = routine->vars.items[i];
        var->home = var->mention = NULL;
        var->first = NULL;
        var->saves = 0;
        var->outside_loop = var->declared_by_step = false;
    }
    find_mentions(&search, body, NULL, NULL);
    for (uint32_t i = 0; i < routine->vars.count; i++) {
        Var *var = routine->vars.items[i];
        if (var->is_param || (var->is_loop_var && !var->outside_loop))
            var->home = NULL;
        else
            settle_home(t, body, var);
    }
}

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

static bool carries_gradient(const Term *term)
{
    if (!is_float_type(term->type))
        return false;
    switch (term->kind) {
    case TERM_VAR: return term->var->active;
    case TERM_ELEMENT: return true;
    case TERM_COMPONENT:
    case TERM_FIELD: return term->args[0]->active;
    case TERM_CHOICE: return term->args[1]->active || term->args[2]->active;
    case TERM_OP:
        for (uint32_t i = 0; i < term->count; i++)
            if (term->args[i]->active && (term->op->is_construct || (i < 3 && has_text(&term->op->adjoint[i]))))
                return true;
        return false;
    case TERM_CALL:
        for (uint32_t i = 0; i < term->count; i++)
            if (holds_arrays(term->args[i]->type) ? is_float_type(term->args[i]->type) : term->args[i]->active)
                return true;
        return false;
    default: return false;
    }
}

/* From the inside out, since most questions about a term are about its parts, too. */
static void settle_term(Term *term)
{
    if (!term)
        return;
    for (uint32_t i = 0; i < term->count; i++)
        settle_term(term->args[i]);
    term->active = carries_gradient(term);
}

static void settle_step(const Step *step)
{
    Term *const terms[] = {step->place, step->value, step->compare, step->start, step->stop};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        settle_term(terms[i]);
    for (uint32_t i = 0; step->values && i < step->count; i++)
        settle_term(step->values[i]);
}

static bool activate(Var *var, const Term *value)
{
    if (var->active || !is_float_type(var->type) || !term_is_active(value))
        return false;
    return var->active = true;
}

static bool activate_block(const Block *block)
{
    bool changed = false;
    for (uint32_t i = 0; i < block->count; i++) {
        const Step *step = block->items[i];
        settle_step(step);
        if (step->kind == STEP_ASSIGN && !array_root(step->place))
            changed |= activate((Var *)root_var(step->place), step->value);
        for (uint32_t k = 0; step->kind == STEP_UNPACK && k < step->count; k++) {
            bool any = false;
            for (uint32_t a = 0; a < step->value->count; a++)
                any |= step->value->args[a]->type->kind == TYPE_ARRAY || term_is_active(step->value->args[a]);
            Var *var = step->targets[k];
            if (any && !var->active && is_float_type(var->type))
                changed = var->active = true;
        }
        changed |= activate_block(&step->body) | activate_block(&step->orelse);
    }
    return changed;
}

static void note_array_read(const Term *term, void *user)
{
    (void)user;
    const Var *root = term->kind == TERM_ELEMENT ? root_var(term->args[0]) : NULL;
    if (root)
        ((Var *)root)->is_read = true;
    for (uint32_t i = 0; term->kind == TERM_CALL && i < term->count; i++) {
        const Term *arg = term->args[i];
        if (arg->type->kind != TYPE_ARRAY && arg->type->kind != TYPE_STRUCT)
            continue;
        Var *var = (Var *)root_var(arg);
        const Var *param = term->routine->params ? term->routine->params[i] : NULL;
        if (var && param) {
            var->is_read |= param->is_read;
            var->is_written |= param->is_written;
            var->is_updated |= param->is_updated;
        }
    }
}

static void find_array_use(Routine *routine, const Block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const Step *step = block->items[i];
        Var *root = step->place && array_root(step->place) ? (Var *)root_var(step->place) : NULL;
        if (root && step->kind == STEP_ASSIGN)
            root->is_written = true;
        if (root && step->kind == STEP_ATOMIC)
            root->is_updated = true;
        if (root) /* its indices, not itself */
            for (const Term *part = step->place; part->count; part = part->args[0])
                for (uint32_t k = 1; k < part->count; k++)
                    visit_term(part->args[k], note_array_read, NULL);
        else
            visit_term(step->place, note_array_read, NULL);
        visit_term(step->value, note_array_read, NULL);
        visit_term(step->compare, note_array_read, NULL);
        visit_term(step->start, note_array_read, NULL);
        visit_term(step->stop, note_array_read, NULL);
        for (uint32_t k = 0; step->values && k < step->count; k++)
            visit_term(step->values[k], note_array_read, NULL);
        find_array_use(routine, &step->body);
        find_array_use(routine, &step->orelse);
    }
}

void find_activity(Translator *t, Routine *routine)
{
    (void)t;
    for (uint32_t i = 0; i < routine->vars.count; i++) {
        Var *var = routine->vars.items[i];
        var->active = var->is_param && !routine->is_kernel && is_float_type(var->type);
    }
    while (activate_block(&routine->body))
        ;
    find_array_use(routine, &routine->body);
    for (uint32_t i = 0; i < routine->param_count; i++)
        routine->writes_arrays |= routine->params[i]->is_written || routine->params[i]->is_updated;
}

/* ---- what the reverse pass needs ---- */

static void need_vars(const Term *term, void *user)
{
    bool *changed = user;
    if (term->kind == TERM_VAR && !term->var->needed)
        *changed = term->var->needed = true;
}

static void need_value(const Term *term, bool *changed)
{
    visit_term(term, need_vars, changed);
}

static void need_indices(const Term *place, bool *changed)
{
    for (const Term *part = place; part->count; part = part->args[0])
        for (uint32_t k = 1; k < part->count; k++)
            need_value(part->args[k], changed);
}

/* The values in the adjoints of a term. */
static void need_adjoint(const Term *term, bool *changed)
{
    if (!term_is_active(term))
        return;
    if (term->kind == TERM_COMPONENT || term->kind == TERM_FIELD || term->kind == TERM_ELEMENT) {
        need_indices(term, changed);
        if (term->kind != TERM_ELEMENT)
            need_adjoint(term->args[0], changed);
        return;
    }
    if (term->kind == TERM_CHOICE)
        need_value(term->args[0], changed);
    for (uint32_t i = 0; i < term->count; i++) {
        if (term->kind == TERM_CALL) {
            need_value(term->args[i], changed);
            continue;
        }
        if (!term_is_active(term->args[i]))
            continue;
        uint32_t mentions = term->kind == TERM_OP && i < 3 ? term->op->adjoint[i].mentions : 0;
        for (uint32_t k = 0; mentions && k < term->count; k++)
            if (mentions >> k & 1)
                need_value(term->args[k], changed);
    }
    for (uint32_t i = 0; i < term->count; i++)
        need_adjoint(term->args[i], changed);
}

bool term_is_effect(const Term *call)
{
    for (uint32_t i = 0; i < call->count; i++)
        if (is_float_type(call->args[i]->type))
            return call->routine->writes_arrays;
    return false;
}

static bool step_is_active(const Step *step);

bool block_is_active(const Block *block)
{
    for (uint32_t i = 0; i < block->count; i++)
        if (step_is_active(block->items[i]))
            return true;
    return false;
}

/* Does the reverse pass do anything for the step? */
static bool step_is_active(const Step *step)
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
    case STEP_IF:
    case STEP_FOR:
    case STEP_WHILE: return block_is_active(&step->body) || block_is_active(&step->orelse);
    default: return false;
    }
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
static void need_for_reverse(const Step *step, bool *changed)
{
    if (step->place)
        need_indices(step->place, changed);
    need_adjoint(step->value, changed);
    if (step->kind == STEP_ATOMIC && strcmp(step->atomic, "add") && strcmp(step->atomic, "sub")) {
        need_value(step->value, changed);
        need_indices(step->place, changed);
    }
    for (uint32_t k = 0; (step->kind == STEP_UNPACK || step->kind == STEP_CALL) && k < step->value->count; k++)
        need_value(step->value->args[k], changed);
    for (uint32_t k = 0; step->values && k < step->count; k++)
        need_adjoint(step->values[k], changed);
}

/* From the last step to the first: what a step needs is set by those before it. */
static void need_in_block(const Block *block, bool is_first_time, bool *changed)
{
    for (uint32_t i = block->count; i-- > 0;) {
        const Step *step = block->items[i];
        bool active = step_is_active(step);
        if (active && is_first_time)
            need_for_reverse(step, changed);
        need_in_block(&step->body, is_first_time, changed);
        need_in_block(&step->orelse, is_first_time, changed);
        if (assigns_needed(step)) {
            need_value(step->value, changed);
            if (step->place)
                need_indices(step->place, changed);
        }
        if (step->kind != STEP_IF && step->kind != STEP_WHILE && step->kind != STEP_FOR)
            continue;
        if (!active && !step_is_needed(step))
            continue;
        need_value(step->kind == STEP_FOR ? step->start : step->value, changed);
        if (step->kind == STEP_FOR)
            need_value(step->stop, changed);
    }
}

void find_needs(Translator *t, Routine *routine, const Block *body)
{
    (void)t;
    bool changed = false;
    for (uint32_t i = 0; i < routine->vars.count; i++)
        routine->vars.items[i]->needed = false;
    need_in_block(body, true, &changed);
    while (changed) {
        changed = false;
        need_in_block(body, false, &changed);
    }
}

/* ---- the normal form ---- */

static bool has_jump(const Block *block, bool in_loop)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const Step *step = block->items[i];
        if (step->kind == STEP_RETURN || (!in_loop && (step->kind == STEP_BREAK || step->kind == STEP_CONTINUE)))
            return true;
        bool loop = step->kind == STEP_FOR || step->kind == STEP_WHILE;
        if (has_jump(&step->body, in_loop || loop) || has_jump(&step->orelse, in_loop))
            return true;
    }
    return false;
}

static bool always_jumps(const Block *block)
{
    const Step *last = block->count ? block->items[block->count - 1] : NULL;
    if (!last)
        return false;
    if (last->kind == STEP_RETURN || last->kind == STEP_BREAK || last->kind == STEP_CONTINUE)
        return true;
    return last->kind == STEP_IF && always_jumps(&last->body) && always_jumps(&last->orelse);
}

static void push(Translator *t, Block *block, Step *step)
{
    ARENA_PUSH(t->arena, block->items, block->count, block->cap) = step;
}

static void normalize_list(Translator *t, Step *const *items, uint32_t count, Block *out);

/* A branch, and what follows it if it does not jump away. */
static void normalize_branch(Translator *t, const Block *branch, Step *const *rest, uint32_t count, Block *out)
{
    bool jumps = always_jumps(branch);
    uint32_t total = branch->count + (jumps ? 0 : count);
    Step **all = ARENA_ARRAY(t->arena, Step *, total);
    if (branch->count)
        memcpy(all, branch->items, branch->count * sizeof *all);
    if (!jumps && count)
        memcpy(all + branch->count, rest, count * sizeof *all);
    normalize_list(t, all, total, out);
}

static void normalize_list(Translator *t, Step *const *items, uint32_t count, Block *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const Step *step = items[i];
        if (++t->copies > MAX_COPIES)
            refuse(t, NULL, "there are too many ways through the code");
        if (step->kind != STEP_IF && step->kind != STEP_FOR && step->kind != STEP_WHILE) {
            push(t, out, (Step *)step);
            continue;
        }
        Step *copy = ARENA_NEW(t->arena, Step);
        *copy = *step;
        copy->body = copy->orelse = (Block){0};
        push(t, out, copy);
        if (step->kind != STEP_IF) {
            if (has_jump(&step->body, true))
                refuse(t, NULL, "a return inside a loop");
            normalize_list(t, step->body.items, step->body.count, &copy->body);
        } else if (step->is_guard || (!has_jump(&step->body, false) && !has_jump(&step->orelse, false))) {
            normalize_list(t, step->body.items, step->body.count, &copy->body);
            normalize_list(t, step->orelse.items, step->orelse.count, &copy->orelse);
        } else {
            normalize_branch(t, &step->body, items + i + 1, count - i - 1, &copy->body);
            normalize_branch(t, &step->orelse, items + i + 1, count - i - 1, &copy->orelse);
            return;
        }
    }
}

/* `if …: return` in a kernel that has not written anything yet can stay as it is. */
static void mark_guards(Routine *routine)
{
    for (uint32_t i = 0; routine->is_kernel && i < routine->body.count; i++) {
        Step *step = routine->body.items[i];
        if (step->kind == STEP_ASSIGN && !array_root(step->place))
            continue;
        if (step->kind != STEP_IF || step->orelse.count || step->body.count != 1 ||
            step->body.items[0]->kind != STEP_RETURN)
            return;
        step->is_guard = true;
    }
}

void normalize(Translator *t, Routine *routine)
{
    t->copies = 0;
    mark_guards(routine);
    normalize_list(t, routine->body.items, routine->body.count, &routine->normal);
}
