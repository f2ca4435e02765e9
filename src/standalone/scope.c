/* Which variables terms, steps and blocks mention, and where variables are declared. And the normal form of a body, in which
 * nothing stands behind a jump. */
#include "standalone/model.h"

#include <string.h>

enum { MAX_COPIES = 400 };

/* ---- terms ---- */

bool term_mentions(Term *term, Var *var)
{
    return has_bit(term->vars, var->number);
}

Var *root_var(Term *place)
{
    while (place->kind != TERM_VAR) {
        if (!place->count)
            return NULL;
        place = place->args[0];
    }
    return place->var;
}

Term *array_root(Term *place)
{
    for (; place->kind == TERM_COMPONENT || place->kind == TERM_FIELD; place = place->args[0])
        ;
    return place->kind == TERM_ELEMENT ? place->args[0] : NULL;
}

/* ---- steps ---- */

bool is_loop(Step *step)
{
    return step->kind == STEP_FOR || step->kind == STEP_WHILE;
}

bool any_step(Block *block, StepTest *test, void *user)
{
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        if (test(step, user) || any_step(&step->body, test, user) || any_step(&step->orelse, test, user))
            return true;
    }
    return false;
}

bool step_jumps(Step *step, uint32_t kinds)
{
    uint32_t inner = is_loop(step) ? kinds & JUMP_RETURN : kinds;
    return (kinds >> step->kind & 1) || block_jumps(&step->body, inner) || block_jumps(&step->orelse, inner);
}

bool block_jumps(Block *block, uint32_t kinds)
{
    for (uint32_t i = 0; i < block->count; i++)
        if (step_jumps(block->items[i], kinds))
            return true;
    return false;
}

bool is_inside_loop(Block *block)
{
    for (; block; block = block->parent)
        if (block->owner && is_loop(block->owner))
            return true;
    return false;
}

bool is_declared_by(Var *var, Step *step)
{
    return var->home && var->first == step && var->declared_by_step;
}

bool sets_var(Step *step, void *var)
{
    for (uint32_t i = 0; i < step->sets.count; i++)
        if (step->sets.items[i] == var)
            return true;
    return false;
}

/* ---- homes ---- */

bool is_inside(const Block *block, const Block *outer)
{
    while (block && block != outer)
        block = block->parent;
    return block;
}

static void note_mention(Var *var, Block *block, Step *step)
{
    if (!var->home) {
        var->first = step;
        var->home = var->mention = block;
    }
    while (!is_inside(block, var->home))
        var->home = var->home->parent;
    if (var->is_loop_var && !var->loops)
        var->outside_loop = true;
}

static void find_mentions(Translator *t, Block *block, Block *parent, Step *owner);

/* Also finds the sets of the step. */
static void find_step_mentions(Translator *t, Block *block, Step *step)
{
    const VarList *vars = &t->current->vars, *sets = &step->sets;
    Var *loop_var = step->kind == STEP_FOR || step->kind == STEP_EACH ? sets->items[0] : NULL;
    step->declared = (VarList){0};
    step->mentions = step->own;
    step->assigns = step->inner_assigns = NULL;
    for (uint32_t i = next_bit(step->own, 0); i < vars->count; i = next_bit(step->own, i + 1))
        note_mention(vars->items[i], block, step);
    for (uint32_t i = 0; i < sets->count; i++) {
        step->assigns = join_bits(t, step->assigns, sets->items[i]->bit);
        if (step->kind == STEP_ATOMIC || step->kind == STEP_UNPACK)
            note_mention(sets->items[i], block, step);
        if (step->kind == STEP_ASSIGN && step->place->kind == TERM_VAR && sets->items[i]->is_loop_var)
            sets->items[i]->outside_loop = true;
    }
    if (step->kind == STEP_ATOMIC && cell_root(step->place))
        step->assigns = join_bits(t, step->assigns, root_var(step->place)->bit);
    if (loop_var && loop_var->loops++)
        loop_var->outside_loop = true;
    find_mentions(t, &step->body, block, step);
    if (loop_var)
        loop_var->loops--;
    find_mentions(t, &step->orelse, block, step);
    step->assigns = join_bits(t, step->inner_assigns, step->assigns);
}

/* What is in a block is in the step that it belongs to, too. */
static void find_mentions(Translator *t, Block *block, Block *parent, Step *owner)
{
    block->parent = parent;
    block->owner = owner;
    block->vars = (VarList){0};
    for (uint32_t i = 0; i < block->count; i++) {
        block->items[i]->number = i;
        find_step_mentions(t, block, block->items[i]);
        if (!owner)
            continue;
        owner->mentions = join_bits(t, owner->mentions, block->items[i]->mentions);
        owner->inner_assigns = join_bits(t, owner->inner_assigns, block->items[i]->assigns);
    }
}

bool sets_first(Step *step, Var *var)
{
    if (step->tile && step->tile == var)
        return step->kind != STEP_SYNC;
    bool is_set = step->kind == STEP_ASSIGN ? step->place->kind == TERM_VAR && step->place->var == var
                                            : step->kind == STEP_ATOMIC && sets_var(step, var);
    return is_set && !term_mentions(step->values[0], var);
}

bool tile_is_fresh(Block *block, Var *tile)
{
    for (uint32_t i = 0; i < block->count; i++)
        if (has_bit(block->items[i]->mentions, tile->number))
            return sets_first(block->items[i], tile);
    return false;
}

/* Is the variable assigned in every way through the block, from a step on, before it is read? */
static bool assigned_first(Block *block, uint32_t from, Var *var)
{
    for (uint32_t i = from; i < block->count; i++) {
        Step *step = block->items[i];
        if (sets_first(step, var))
            return true;
        if (has_bit(step->own, var->number))
            return false;
        if (step->kind == STEP_IF && step->orelse.count && assigned_first(&step->body, 0, var) &&
            assigned_first(&step->orelse, 0, var))
            return true;
        if (has_bit(step->inner_assigns, var->number))
            return false;
    }
    return false;
}

/* The step of a block around the first mention. */
static Step *first_step(Var *var, const Block *home)
{
    Step *first = var->first;
    for (Block *block = var->mention; block != home; block = block->parent)
        first = block->owner;
    return first;
}

static void settle_home(Translator *t, Block *body, Var *var)
{
    if (is_inside_loop(var->home)) {
        uint32_t from = var->is_loop_var ? 0 : first_step(var, var->home)->number; /* a loop may set it unmentioned */
        if (!assigned_first(var->home, from, var))
            var->home = body; /* its value goes from one turn to the next */
    }
    var->first = first_step(var, var->home);
    var->declared_by_step = sets_first(var->first, var);
    VarList *at_home = &var->home->vars;
    ARENA_PUSH(t->arena, at_home->items, at_home->count, at_home->cap) = var;
    VarList *declared = &var->first->declared;
    if (!var->declared_by_step && !var->alias)
        ARENA_PUSH(t->arena, declared->items, declared->count, declared->cap) = var;
}

void find_homes(Translator *t, Routine *routine, Block *body)
{
    for (uint32_t i = 0; i < routine->vars.count; i++) {
        Var *var = routine->vars.items[i];
        var->home = NULL;
        var->outside_loop = var->declared_by_step = false;
    }
    find_mentions(t, body, NULL, NULL);
    for (uint32_t i = 0; i < routine->vars.count; i++) {
        Var *var = routine->vars.items[i];
        if (var->is_param || var->tile || (var->is_loop_var && !var->outside_loop))
            var->home = NULL;
        else if (var->home)
            settle_home(t, body, var);
    }
}

/* ---- the normal form ---- */

static bool always_jumps(Block *block)
{
    Step *last = block->count ? block->items[block->count - 1] : NULL;
    return last && ((JUMP_ANY >> last->kind & 1) ||
                    (last->kind == STEP_IF && always_jumps(&last->body) && always_jumps(&last->orelse)));
}

static void normalize_list(Translator *t, Step *const *items, uint32_t count, Block *out);

/* A branch, and what follows it if it does not jump away. */
static void normalize_branch(Translator *t, Block *branch, Step *const *rest, uint32_t count, Block *out)
{
    uint32_t total = branch->count + (always_jumps(branch) ? 0 : count);
    Step **all = ARENA_ARRAY(t->arena, Step *, total);
    for (uint32_t i = 0; i < total; i++)
        all[i] = i < branch->count ? branch->items[i] : rest[i - branch->count];
    REFUSE_IF(t, NULL, t->copies + total > MAX_COPIES, "there are too many ways through the code");
    normalize_list(t, all, total, out);
}

static void normalize_list(Translator *t, Step *const *items, uint32_t count, Block *out)
{
    for (uint32_t i = 0; i < count; i++) {
        Step *step = items[i], *copy = ARENA_NEW(t->arena, Step);
        t->copies++;
        *copy = *step;
        copy->body = copy->orelse = (Block){0};
        ARENA_PUSH(t->arena, out->items, out->count, out->cap) = copy;
        REFUSE_IF(t, NULL, is_loop(step) && step_jumps(step, JUMP_RETURN), "a return inside a loop");
        if (step->kind == STEP_IF && !step->is_guard && step_jumps(step, JUMP_ANY)) {
            normalize_branch(t, &step->body, items + i + 1, count - i - 1, &copy->body);
            normalize_branch(t, &step->orelse, items + i + 1, count - i - 1, &copy->orelse);
            return;
        }
        normalize_list(t, step->body.items, step->body.count, &copy->body);
        normalize_list(t, step->orelse.items, step->orelse.count, &copy->orelse);
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

Block *normalize(Translator *t, Routine *routine)
{
    mark_guards(routine);
    t->copies = 0;
    normalize_list(t, routine->body.items, routine->body.count, &routine->normal);
    find_homes(t, routine, &routine->normal);
    find_block_activity(&routine->normal);
    return &routine->normal;
}
