/* Which variables terms, steps and blocks mention, and where variables are declared. And the normal form of a body, in which
 * nothing stands behind a jump.
 *
 * Sets of variables are words with a bit for each; where a routine has more variables than bits, those that share one are
 * looked for in the terms. */
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

static bool finds(const Term *term, const Var *var)
{
    if (term->kind == TERM_VAR)
        return term->var == var;
    for (uint32_t i = 0; i < term->count; i++)
        if (finds(term->args[i], var))
            return true;
    return false;
}

bool term_mentions(const Term *term, const Var *var)
{
    return term && (term->vars & var->bit) && (!var->shares_bit || finds(term, var));
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
uint32_t step_terms(const Step *step, Term **out)
{
    Term *const terms[] = {step->place, step->value, step->compare, step->start, step->stop};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        if (terms[i])
            out[count++] = terms[i];
    return count;
}

static bool own_terms_mention(const Step *step, const Var *var)
{
    Term *terms[STEP_TERMS];
    if (!(step->own & var->bit) || !var->shares_bit)
        return step->own & var->bit;
    for (uint32_t i = step_terms(step, terms); i-- > 0;)
        if (finds(terms[i], var))
            return true;
    for (uint32_t i = 0; step->values && i < step->count; i++)
        if (finds(step->values[i], var))
            return true;
    return false;
}

bool step_mentions(const Step *step, const Var *var)
{
    if (!(step->mentions & var->bit) || !var->shares_bit)
        return step->mentions & var->bit;
    if (own_terms_mention(step, var))
        return true;
    for (uint32_t i = 0; i < step->body.count; i++)
        if (step_mentions(step->body.items[i], var))
            return true;
    for (uint32_t i = 0; i < step->orelse.count; i++)
        if (step_mentions(step->orelse.items[i], var))
            return true;
    return false;
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

static bool one_assigns(const Step *step, const Var *var)
{
    return step_assigns(step, var) || draws(step->value, var) || assigns(&step->body, var) ||
           assigns(&step->orelse, var);
}

bool assigns(const Block *block, const Var *var)
{
    for (uint32_t i = 0; i < block->count; i++)
        if (one_assigns(block->items[i], var))
            return true;
    return false;
}

bool step_sets(const Step *step, const Var *var)
{
    return (step->assigns & var->bit) && (!var->shares_bit || one_assigns(step, var));
}

bool blocks_assign(const Step *step, const Var *var)
{
    if (!(step->inner_assigns & var->bit) || !var->shares_bit)
        return step->inner_assigns & var->bit;
    return assigns(&step->body, var) || assigns(&step->orelse, var);
}

/* What it sets itself, as a set. */
static uint64_t own_assigns(const Step *step)
{
    uint64_t set = 0;
    if (step->kind == STEP_ASSIGN && !array_root(step->place))
        set |= root_var(step->place)->bit;
    if ((step->kind == STEP_ATOMIC || step->kind == STEP_FOR) && step->var)
        set |= step->var->bit;
    for (uint32_t i = 0; step->kind == STEP_UNPACK && i < step->count; i++)
        set |= step->targets[i]->bit;
    if (step->value && step->value->kind == TERM_OP && step->value->op->changes_first)
        set |= step->value->args[0]->var->bit;
    return set;
}

/* ---- homes ---- */

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
    if (var->home != block)
        var->home = var->home ? common_block(var->home, block) : block;
    if (var->is_loop_var && !var->saves)
        var->outside_loop = true;
}

static void mention_term(const Term *term, const Block *block, const Step *step)
{
    if (term->kind == TERM_VAR)
        note_mention(term->var, block, step);
    for (uint32_t i = 0; i < term->count; i++)
        mention_term(term->args[i], block, step);
}

/* While homes are looked for. */
typedef struct Search {
    const VarList *vars;
    bool by_bits;  /* each variable has a bit of its own */
    uint64_t done; /* variables that nothing more can be found out about */
} Search;

static void note_own_terms(Search *search, const Block *block, Step *step)
{
    Term *terms[STEP_TERMS];
    uint32_t count = step_terms(step, terms);
    step->own = 0;
    for (uint32_t i = 0; i < count; i++) {
        step->own |= terms[i]->vars;
        if (!search->by_bits)
            mention_term(terms[i], block, step);
    }
    for (uint32_t i = 0; step->values && i < step->count; i++) {
        step->own |= step->values[i]->vars;
        if (!search->by_bits)
            mention_term(step->values[i], block, step);
    }
    if (!search->by_bits)
        return;
    for (uint64_t rest = step->own & ~search->done; rest; rest &= rest - 1) {
        Var *var = search->vars->items[__builtin_ctzll(rest)];
        note_mention(var, block, step);
        if (!block->parent && !var->is_loop_var) /* there is no block around it */
            search->done |= var->bit;
    }
}

typedef struct Sets { /* of a block's variables */
    uint64_t mentions, assigns;
} Sets;

/* Also finds the sets of its steps. */
static Sets find_mentions(Search *search, Block *block, const Block *parent, const Step *owner)
{
    Sets all = {0};
    block->parent = parent;
    block->owner = owner;
    block->is_home = false;
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        step->declared = (VarList){0};
        note_own_terms(search, block, step);
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
        Sets body = {0}, orelse = {0};
        if (step->body.count)
            body = find_mentions(search, &step->body, block, step);
        if (is_for)
            step->var->saves--;
        if (step->orelse.count)
            orelse = find_mentions(search, &step->orelse, block, step);
        step->mentions = step->own | body.mentions | orelse.mentions;
        step->inner_assigns = body.assigns | orelse.assigns;
        step->assigns = step->inner_assigns | own_assigns(step);
        all.mentions |= step->mentions;
        all.assigns |= step->assigns;
    }
    return all;
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
        if (declares(step, var))
            return true;
        if (own_terms_mention(step, var))
            return false;
        if (step->kind == STEP_IF && step->orelse.count && assigned_first(&step->body, var) &&
            assigned_first(&step->orelse, var))
            return true;
        if (blocks_assign(step, var))
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
    Search search = {.vars = &routine->vars, .by_bits = routine->vars.count <= VAR_BITS};
    for (uint32_t i = 0; i < routine->vars.count; i++) {
        Var *var = routine->vars.items[i];
        var->home = var->mention = NULL;
        var->first = NULL;
        var->saves = 0;
        var->outside_loop = var->declared_by_step = false;
        if (search.by_bits && var->is_param && !var->is_loop_var)
            search.done |= var->bit; /* it is declared already */
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

static bool is_normal(const Block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const Step *step = block->items[i];
        if (step->is_guard)
            continue;
        bool loop = step->kind == STEP_FOR || step->kind == STEP_WHILE;
        if (has_jump(&step->body, loop) || has_jump(&step->orelse, false) || !is_normal(&step->body) ||
            !is_normal(&step->orelse))
            return false;
    }
    return true;
}

/* Most bodies are normal as they are. */
Block *normalize(Translator *t, Routine *routine)
{
    mark_guards(routine);
    if (is_normal(&routine->body))
        return &routine->body;
    t->copies = 0;
    normalize_list(t, routine->body.items, routine->body.count, &routine->normal);
    find_homes(t, routine, &routine->normal);
    find_block_activity(&routine->normal);
    return &routine->normal;
}
