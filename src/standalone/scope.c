/* Which variables terms, steps and blocks mention, and where variables are declared. And the normal form of a body, in which
 * nothing stands behind a jump. */
#include "standalone/model.h"

#include <string.h>

enum { MAX_COPIES = 400 };

/* ---- terms ---- */

void visit_term(Term *term, TermVisitor *visit, void *user)
{
    if (!term)
        return;
    visit(term, user);
    for (uint32_t i = 0; i < term->count; i++)
        visit_term(term->args[i], visit, user);
}

bool term_mentions(Term *term, Var *var)
{
    return term && has_bit(term->vars, var->number);
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

bool step_may_break(Step *step)
{
    return step->kind == STEP_BREAK || (step->kind == STEP_IF && (may_break(&step->body) || may_break(&step->orelse)));
}

bool may_break(Block *block)
{
    for (uint32_t i = 0; i < block->count; i++)
        if (step_may_break(block->items[i]))
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

/* The variables that it sets itself. */
static const Bits *own_assigns(Translator *t, Step *step)
{
    const Bits *set = NULL;
    if (step->kind == STEP_ASSIGN && !array_root(step->place))
        set = root_var(step->place)->bit;
    if ((step->kind == STEP_ATOMIC || step->kind == STEP_FOR) && step->var)
        set = step->var->bit;
    for (uint32_t i = 0; step->kind == STEP_UNPACK && i < step->count; i++)
        set = join_bits(t, set, step->targets[i]->bit);
    return op_draws(step->value) ? join_bits(t, set, step->value->args[0]->var->bit) : set;
}

bool assigns(Translator *t, Block *block, Var *var)
{
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        if (has_bit(own_assigns(t, step), var->number) || assigns(t, &step->body, var) ||
            assigns(t, &step->orelse, var))
            return true;
    }
    return false;
}

/* ---- homes ---- */

bool is_inside(const Block *block, const Block *outer)
{
    while (block && block != outer)
        block = block->parent;
    return block;
}

static Block *common_block(Block *a, Block *b)
{
    while (!is_inside(b, a))
        a = a->parent;
    return a;
}

static void note_mention(Var *var, Block *block, Step *step)
{
    if (!var->home) {
        var->first = step;
        var->mention = block;
    }
    var->home = var->home ? common_block(var->home, block) : block;
    if (var->is_loop_var && !var->loops)
        var->outside_loop = true;
}

static void find_mentions(Translator *t, Block *block, Block *parent, Step *owner);

/* Also finds the sets of the step. */
static void find_step_mentions(Translator *t, Block *block, Step *step)
{
    const VarList *vars = &t->current->vars;
    step->declared = (VarList){0};
    for (uint32_t i = 0; i < vars->count; i++)
        if (has_bit(step->own, i))
            note_mention(vars->items[i], block, step);
    if (step->var && step->kind == STEP_ATOMIC)
        note_mention(step->var, block, step);
    for (uint32_t k = 0; step->kind == STEP_UNPACK && k < step->count; k++)
        note_mention(step->targets[k], block, step);
    if (step->kind == STEP_ASSIGN && step->place->kind == TERM_VAR && step->place->var->is_loop_var)
        step->place->var->outside_loop = true;
    Var *loop_var = step->kind == STEP_FOR ? step->var : NULL;
    if (loop_var && loop_var->loops++)
        loop_var->outside_loop = true;
    find_mentions(t, &step->body, block, step);
    if (loop_var)
        loop_var->loops--;
    find_mentions(t, &step->orelse, block, step);
    Block *blocks[] = {&step->body, &step->orelse};
    step->mentions = step->own;
    step->inner_assigns = NULL;
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < blocks[k]->count; i++) {
            step->mentions = join_bits(t, step->mentions, blocks[k]->items[i]->mentions);
            step->inner_assigns = join_bits(t, step->inner_assigns, blocks[k]->items[i]->assigns);
        }
    step->assigns = join_bits(t, step->inner_assigns, own_assigns(t, step));
}

static void find_mentions(Translator *t, Block *block, Block *parent, Step *owner)
{
    block->parent = parent;
    block->owner = owner;
    block->is_home = false;
    for (uint32_t i = 0; i < block->count; i++)
        find_step_mentions(t, block, block->items[i]);
}

bool sets_first(Step *step, Var *var)
{
    if (step->kind == STEP_ASSIGN)
        return step->place->kind == TERM_VAR && step->place->var == var && !term_mentions(step->value, var);
    return step->kind == STEP_ATOMIC && step->var == var && !term_mentions(step->value, var);
}

/* Is the variable assigned in every way through the block before it is read? */
static bool assigned_first(Block *block, Var *var)
{
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        if (sets_first(step, var))
            return true;
        if (has_bit(step->own, var->number))
            return false;
        if (step->kind == STEP_IF && step->orelse.count && assigned_first(&step->body, var) &&
            assigned_first(&step->orelse, var))
            return true;
        if (has_bit(step->inner_assigns, var->number))
            return false;
    }
    return false;
}

static void settle_home(Translator *t, Block *body, Var *var)
{
    Block *block = var->mention;
    Step *step = var->first;
    if (is_inside_loop(var->home) && !assigned_first(var->home, var))
        var->home = body; /* its value goes from one turn to the next */
    for (; block != var->home; block = block->parent)
        step = block->owner;
    var->first = step;
    var->declared_by_step = sets_first(step, var);
    var->home->is_home = true;
    VarList *declared = &step->declared;
    if (!var->declared_by_step && !var->alias)
        ARENA_PUSH(t->arena, declared->items, declared->count, declared->cap) = var;
}

void find_homes(Translator *t, Routine *routine, Block *body)
{
    for (uint32_t i = 0; i < routine->vars.count; i++) {
        Var *var = routine->vars.items[i];
        var->home = var->mention = NULL;
        var->first = NULL;
        var->outside_loop = var->declared_by_step = false;
    }
    find_mentions(t, body, NULL, NULL);
    for (uint32_t i = 0; i < routine->vars.count; i++) {
        Var *var = routine->vars.items[i];
        if (var->is_param || (var->is_loop_var && !var->outside_loop))
            var->home = NULL;
        else if (var->home)
            settle_home(t, body, var);
    }
}

/* ---- the normal form ---- */

static bool has_jump(Block *block, bool in_loop)
{
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        if (step->kind == STEP_RETURN || (!in_loop && (step->kind == STEP_BREAK || step->kind == STEP_CONTINUE)))
            return true;
        if (has_jump(&step->body, in_loop || is_loop(step)) || has_jump(&step->orelse, in_loop))
            return true;
    }
    return false;
}

static bool always_jumps(Block *block)
{
    Step *last = block->count ? block->items[block->count - 1] : NULL;
    if (!last)
        return false;
    if (last->kind == STEP_RETURN || last->kind == STEP_BREAK || last->kind == STEP_CONTINUE)
        return true;
    return last->kind == STEP_IF && always_jumps(&last->body) && always_jumps(&last->orelse);
}

static void normalize_list(Translator *t, Step *const *items, uint32_t count, Block *out);

/* A branch, and what follows it if it does not jump away. */
static void normalize_branch(Translator *t, Block *branch, Step *const *rest, uint32_t count, Block *out)
{
    bool jumps = always_jumps(branch);
    uint32_t total = branch->count + (jumps ? 0 : count);
    Step **all = ARENA_ARRAY(t->arena, Step *, total);
    for (uint32_t i = 0; i < total; i++)
        all[i] = i < branch->count ? branch->items[i] : rest[i - branch->count];
    normalize_list(t, all, total, out);
}

static void normalize_list(Translator *t, Step *const *items, uint32_t count, Block *out)
{
    for (uint32_t i = 0; i < count; i++) {
        Step *step = items[i], *copy = step;
        if (++t->copies > MAX_COPIES)
            refuse(t, NULL, "there are too many ways through the code");
        if (step->kind == STEP_IF || is_loop(step)) {
            copy = ARENA_NEW(t->arena, Step);
            *copy = *step;
            copy->body = copy->orelse = (Block){0};
        }
        ARENA_PUSH(t->arena, out->items, out->count, out->cap) = copy;
        if (copy == step)
            continue;
        if (is_loop(step) && has_jump(&step->body, true))
            refuse(t, NULL, "a return inside a loop");
        if (is_loop(step) || step->is_guard || (!has_jump(&step->body, false) && !has_jump(&step->orelse, false))) {
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

static bool is_normal(Block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        if (!step->is_guard && (has_jump(&step->body, is_loop(step)) || has_jump(&step->orelse, false) ||
                                !is_normal(&step->body) || !is_normal(&step->orelse)))
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
