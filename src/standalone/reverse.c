/* The backward text: a block is run again as far as its reverse pass needs values, then its steps are reversed.
 *
 *     region(block)   sweep: the steps whose results the reverse pass of this block needs, each overwritten value saved
 *                     adjoints of the block's own variables, zero
 *                     reverse: the steps from last to first; a saved value is put back before its step is reversed
 *
 * A branch is a region of its own inside the same `if`: the variables that it changes are put back to what they were before
 * it. A loop runs backwards, every turn a region; variables that go from turn to turn are saved at the start of each turn in
 * the sweep. So after the reverse of any step, all variables are what they were before it. */
#include "standalone/model.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TURNS = 4096 };

static void region(Translator *t, const Block *block);

/* ---- sets of needed variables ---- */

typedef struct KeptNeeds {
    uint64_t set;
    bool *flags; /* where variables share bits */
} KeptNeeds;

static bool have_bits(const Translator *t)
{
    return t->current->vars.count <= VAR_BITS;
}

static KeptNeeds keep_needs(Translator *t)
{
    const VarList *vars = &t->current->vars;
    KeptNeeds kept = {.set = t->needed};
    if (have_bits(t))
        return kept;
    kept.flags = arena_take(t->arena, vars->count);
    for (uint32_t i = 0; i < vars->count; i++)
        kept.flags[i] = vars->items[i]->needed;
    return kept;
}

static void restore_needs(Translator *t, KeptNeeds kept)
{
    Var **vars = t->current->vars.items;
    for (uint32_t i = 0; kept.flags && i < t->current->vars.count; i++)
        vars[i]->needed = kept.flags[i];
    for (uint64_t rest = kept.flags ? 0 : t->needed ^ kept.set; rest; rest &= rest - 1)
        vars[__builtin_ctzll(rest)]->needed ^= true;
    t->needed = kept.set;
}

/* ---- who mentions a variable ---- */

static bool mentioned_from(const Block *block, uint32_t first, const Var *var)
{
    for (uint32_t i = first; i < block->count; i++)
        if (step_mentions(block->items[i], var))
            return true;
    return false;
}

static bool only_sets(const Step *step, const Var *var)
{
    return step->kind == STEP_ASSIGN && step->place->kind == TERM_VAR && step->place->var == var &&
           !term_mentions(step->value, var);
}

/* Does anything that is reversed later use what the variable was before step `index`? */
static bool used_before(const Block *block, uint32_t index, const Var *var)
{
    for (uint32_t i = 0; i < index; i++)
        if (step_mentions(block->items[i], var) && !only_sets(block->items[i], var))
            return true;
    if (!block->owner)
        return false;
    if (block->owner->kind == STEP_FOR || block->owner->kind == STEP_WHILE || term_mentions(block->owner->value, var))
        return true;
    for (uint32_t i = 0; i < block->parent->count; i++)
        if (block->parent->items[i] == block->owner)
            return used_before(block->parent, i, var);
    return true;
}

/* Does the reverse of the step itself use the variable's old value? */
static bool step_uses(Translator *t, const Step *step, const Var *var)
{
    KeptNeeds kept = keep_needs(t);
    Step *items[] = {(Step *)step};
    Block alone = {.items = items, .count = 1};
    find_needs(t, t->current, &alone);
    bool uses = var->needed;
    restore_needs(t, kept);
    return uses;
}

static bool is_inside_loop(const Block *block)
{
    for (; block; block = block->parent)
        if (block->owner && (block->owner->kind == STEP_FOR || block->owner->kind == STEP_WHILE))
            return true;
    return false;
}

/* ---- steps that are only run ---- */

static void run_block(Translator *t, const Block *block, bool jumps);

static void check_call(const Term *term, void *user)
{
    if (term->kind == TERM_CALL && term->routine->writes_arrays)
        refuse(user, NULL, "'%s' changes arrays, and its result is used", term->routine->name);
}

static void check_run(Translator *t, const Step *step)
{
    const Var *root = step->place && array_root(step->place) ? root_var(step->place) : NULL;
    if (root && root->needed)
        refuse(t, NULL, "the array '%s' is read after it was overwritten in a branch or loop", root->text);
    visit_term(step->value, check_call, t);
}

static void run_needed_declarations(Translator *t, const Block *block, const Step *step)
{
    for (uint32_t i = 0; i < step->declared.count; i++) {
        const Var *var = step->declared.items[i];
        if (var->needed && var->home == block)
            declare_line(t, c_type(t, var->type), var->label, start_text(t, var->type), LIT(""));
    }
}

static void run_inner(Translator *t, const Block *block, bool jumps)
{
    t->indent++;
    run_block(t, block, jumps);
    t->indent--;
}

static bool may_break(const Step *step);

static bool ends_with_break(const Block *block)
{
    for (uint32_t i = 0; i < block->count; i++)
        if (may_break(block->items[i]))
            return true;
    return false;
}

static bool may_break(const Step *step)
{
    return step->kind == STEP_BREAK ||
           (step->kind == STEP_IF && (ends_with_break(&step->body) || ends_with_break(&step->orelse)));
}

/* `jumps`: break and continue are written; in a turn that is run again to be reversed, nothing follows them anyway. */
static void run_step(Translator *t, const Step *step, bool jumps)
{
    check_run(t, step);
    switch (step->kind) {
    case STEP_IF:
        if (step->is_guard) {
            LINE(t, LINE_PLAIN, LIT("if ("), term_text(t, step->value, TIGHT_COMMA), LIT(")"));
            t->indent++;
            LINE(t, LINE_PLAIN, LIT("return;"));
            t->indent--;
            break;
        }
        if_line(t, LINE_IF, term_text(t, step->value, TIGHT_COMMA));
        run_inner(t, &step->body, jumps);
        if (block_is_needed(&step->orelse) || (jumps && ends_with_break(&step->orelse))) {
            LINE(t, LINE_ELSE, LIT(""));
            run_inner(t, &step->orelse, jumps);
        }
        close_block(t);
        break;
    case STEP_FOR:
        print_for_head(t, step);
        run_inner(t, &step->body, true);
        close_block(t);
        break;
    case STEP_WHILE:
        LINE(t, LINE_LOOP, LIT("while ("), term_text(t, step->value, TIGHT_COMMA), LIT(")"));
        run_inner(t, &step->body, true);
        close_block(t);
        break;
    case STEP_ATOMIC: refuse(t, NULL, "the old value that an atomic gives is used");
    default: print_step(t, step); break;
    }
}

static void run_block(Translator *t, const Block *block, bool jumps)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const Step *step = block->items[i];
        run_needed_declarations(t, block, step);
        bool jump = jumps && (step->kind == STEP_CONTINUE || may_break(step));
        if (step_is_needed(step) || jump)
            run_step(t, step, jumps);
    }
}

/* ---- the sweep ---- */

/* Variables declared outside of a step that the blocks in it change. */
static void find_changed(Translator *t, const Step *step, bool outside_home, SavedVar **list, uint32_t *count,
                         uint32_t *cap)
{
    for (uint32_t i = 0; (step->inner_assigns & t->needed) && i < t->current->vars.count; i++) {
        const Var *var = t->current->vars.items[i];
        if (!var->needed || !blocks_assign(step, var))
            continue;
        if (!var->home && !var->is_param)
            continue; /* the variable of a loop inside */
        bool inside = false;
        for (const Block *block = var->home; block; block = block->parent)
            inside |= block == &step->body || block == &step->orelse;
        if (!inside || !outside_home)
            ARENA_PUSH(t->arena, *list, *count, *cap) = (SavedVar){.var = var};
    }
}

static void save_before(Translator *t, const Block *block, uint32_t index, Step *step)
{
    step->before = NULL;
    step->before_count = step->before_cap = 0;
    find_changed(t, step, true, &step->before, &step->before_count, &step->before_cap);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < step->before_count; i++) {
        SavedVar saved = step->before[i];
        bool set_here = saved.var->home == block && saved.var->first == step; /* nothing before it */
        if (set_here || (!used_before(block, index, saved.var) && !step_uses(t, step, saved.var)))
            continue;
        saved.name = fresh_name(t, GLUE(t, TIGHT_NAME, saved.var->label, LIT("_before")));
        declare_line(t, c_type(t, saved.var->type), saved.name, saved.var->label, LIT(""));
        step->before[kept++] = saved;
    }
    step->before_count = kept;
}

static uint32_t turns_of(Translator *t, const Step *step)
{
    if (step->kind == STEP_FOR && step->start->has_number && step->stop->has_number && step->stride_sign) {
        int64_t start = step->start->number, stop = step->stop->number, stride = step->stride->number;
        int64_t turns = stride > 0 ? (stop - start + stride - 1) / stride : (start - stop - stride - 1) / -stride;
        if (turns > 0 && turns <= MAX_TURNS)
            return (uint32_t)turns;
    }
    return t->turns;
}

/* The loop runs forward and keeps what its turns start from. */
static void sweep_saving_loop(Translator *t, Step *step)
{
    uint32_t turns = turns_of(t, step);
    if (turns > MAX_TURNS)
        refuse(t, NULL, "a loop has too many turns to save what goes from one to the next");
    step->saved = fresh_name(t, LIT("turns"));
    declare_line(t, LIT("int"), step->saved, LIT("0"), LIT(""));
    for (uint32_t i = 0; i < step->carried_count; i++) {
        SavedVar *carried = &step->carried[i];
        carried->name = fresh_name(t, GLUE(t, TIGHT_NAME, carried->var->label, LIT("_stack")));
        use_helper(t, "save", NULL, NULL);
        LINE(t, LINE_PLAIN, c_type(t, carried->var->type), LIT(" "), carried->name, LIT("["), piece_int(t, turns),
             LIT("];"));
    }
    if (step->kind == STEP_FOR)
        print_for_head(t, step);
    else
        LINE(t, LINE_LOOP, LIT("while ("), term_text(t, step->value, TIGHT_COMMA), LIT(")"));
    t->indent++;
    for (uint32_t i = 0; i < step->carried_count; i++)
        LINE(t, LINE_PLAIN, LIT("save("), step->carried[i].name, LIT(", "), step->saved, LIT(", "),
             step->carried[i].var->label, LIT(");"));
    LINE(t, LINE_PLAIN, LIT("++"), step->saved, LIT(";"));
    run_block(t, &step->body, true);
    t->indent--;
    close_block(t);
}

static bool is_loop(const Step *step)
{
    return step->kind == STEP_FOR || step->kind == STEP_WHILE;
}

/* An array that a turn needs and that turns change cannot be put back. */
static void check_arrays(Translator *t, const Block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const Step *step = block->items[i];
        const Var *root = step->place && array_root(step->place) ? root_var(step->place) : NULL;
        if (root && root->needed)
            refuse(t, NULL, "the array '%s' is read and overwritten in a loop", root->text);
        check_arrays(t, &step->body);
        check_arrays(t, &step->orelse);
    }
}

/* What must be known of each turn to reverse it. */
static void find_carried(Translator *t, Step *step)
{
    KeptNeeds kept = keep_needs(t);
    step->carried = NULL;
    step->carried_count = step->carried_cap = 0;
    find_needs(t, t->current, &step->body);
    check_arrays(t, &step->body);
    find_changed(t, step, true, &step->carried, &step->carried_count, &step->carried_cap);
    restore_needs(t, kept);
}

static bool is_wanted_later(Translator *t, const Block *block, uint32_t index, const Step *step)
{
    const Var *array = step->place && array_root(step->place) ? root_var(step->place) : NULL;
    uint64_t wanted = (step->assigns | (array ? array->bit : 0)) & t->needed;
    if (!wanted)
        return false;
    if (have_bits(t)) {
        for (uint32_t i = index + 1; i < block->count; i++)
            if (block->items[i]->mentions & wanted)
                return true;
        return false;
    }
    for (uint32_t i = 0; i < t->current->vars.count; i++) {
        const Var *var = t->current->vars.items[i];
        if (var->needed && (var == array || step_sets(step, var)) && mentioned_from(block, index + 1, var))
            return true;
    }
    return false;
}

static void save_place(Translator *t, const Block *block, uint32_t index, Step *step)
{
    const Var *root = root_var(step->place);
    step->saved = (Piece){0};
    if (array_root(step->place)) {
        if (is_inside_loop(block))
            refuse(t, NULL, "the array '%s' is read and overwritten in a loop", root->text);
    } else if ((root->home && root->first == step && root->declared_by_step) ||
               (!used_before(block, index, root) && !step_uses(t, step, root)))
        return;
    step->saved = fresh_name(t, GLUE(t, TIGHT_NAME, root->label, LIT("_before")));
    declare_line(t, c_type(t, step->place->type), step->saved, place_text(t, step->place, false), LIT(""));
}

static void sweep_step(Translator *t, const Block *block, uint32_t index)
{
    Step *step = block->items[index];
    run_needed_declarations(t, block, step);
    step->saved = (Piece){0};
    step->before_count = step->carried_count = 0;
    bool active = block_is_active(&step->body) || block_is_active(&step->orelse);
    bool wanted = step_is_needed(step) && (is_wanted_later(t, block, index, step) || step->is_guard);
    if (is_loop(step) && active) {
        find_carried(t, step);
        if (step->carried_count || step->kind == STEP_WHILE || ends_with_break(&step->body)) {
            save_before(t, block, index, step);
            sweep_saving_loop(t, step);
            return;
        }
    }
    if (!wanted)
        return;
    if (is_loop(step) || step->kind == STEP_IF) {
        if (!step->is_guard)
            save_before(t, block, index, step);
        run_step(t, step, false);
        return;
    }
    if (step->kind == STEP_ASSIGN && root_var(step->place)->needed)
        save_place(t, block, index, step);
    if (step->kind == STEP_UNPACK)
        for (uint32_t i = 0; i < step->count; i++)
            if (step->targets[i]->stores > 1 && step->targets[i]->needed)
                refuse(t, NULL, "'%s' is overwritten by one of several results", step->targets[i]->text);
    if (step->kind == STEP_ASSIGN && array_root(step->place))
        print_step(t, step);
    else
        run_step(t, step, false);
}

/* ---- the reverse ---- */

static bool is_linear_in(const Term *value, const Term *place)
{
    if (value->kind != TERM_OP || value->count != 2)
        return false;
    bool sum = strcmp(value->op->name, "add") == 0, difference = strcmp(value->op->name, "sub") == 0;
    const Var *var = place->kind == TERM_VAR ? place->var : NULL;
    return var && (sum || difference) && value->args[0]->kind == TERM_VAR && value->args[0]->var == var &&
           !term_mentions(value->args[1], var);
}

static void reverse_assign(Translator *t, const Step *step)
{
    const Term *place = step->place, *value = step->value;
    if (step->saved.text)
        set_line(t, place_text(t, place, false), "=", step->saved, LIT(""));
    bool in_array = array_root(place) != NULL;
    if (!is_float_type(place->type) || (!in_array && !root_var(place)->active))
        return;
    Piece adjoint = place_text(t, place, true);
    const Var *root = root_var(place);
    bool ends_here = place->kind == TERM_VAR && root->home && root->first == step && root->declared_by_step;
    if (!in_array && is_linear_in(value, place)) { /* x = x + e: the adjoint of x stays */
        bool sub = strcmp(value->op->name, "sub") == 0;
        if (sub && type_is_composite(place->type))
            use_helper(t, "neg", place->type, NULL);
        propagate(t, value->args[1], sub ? negative(t, adjoint) : adjoint);
        return;
    }
    bool reads_itself = in_array || term_mentions(value, root);
    if (reads_itself && term_is_active(value)) {
        Piece name = fresh_gradient(t);
        declare_line(t, c_type(t, place->type), name, adjoint, LIT(""));
        clear_line(t, place->type, adjoint);
        propagate(t, value, name);
        return;
    }
    propagate(t, value, adjoint);
    if (!ends_here)
        clear_line(t, place->type, adjoint);
}

/* Several threads may have the same value: one of them gets the gradient and leaves none to the others. */
static Piece taken_text(Translator *t, const Type *type, Piece adjoint)
{
    if (type->kind == TYPE_FLOAT32)
        return GLUE(t, TIGHT_PRIMARY, LIT("atomicExch(&"), adjoint, LIT(", 0.0f)"));
    use_helper(t, "atomic_take_double", NULL, NULL);
    return GLUE(t, TIGHT_PRIMARY, LIT("atomic_take(&"), adjoint, LIT(")"));
}

static void reverse_atomic(Translator *t, const Step *step)
{
    const char *name = step->atomic;
    if (!is_float_type(step->place->type))
        return;
    if (step->var)
        refuse(t, NULL, "the old value that an atomic gives is used");
    const Var *root = root_var(step->place);
    if (root->is_read || root->is_written)
        refuse(t, NULL, "the array '%s' is updated atomically and used otherwise", root->text);
    Piece adjoint = place_text(t, step->place, true);
    bool sub = strcmp(name, "sub") == 0;
    if (sub || strcmp(name, "add") == 0) {
        if (sub && type_is_composite(step->place->type))
            use_helper(t, "neg", step->place->type, NULL);
        propagate(t, step->value, sub ? negative(t, adjoint) : adjoint);
        return;
    }
    if ((strcmp(name, "min") != 0 && strcmp(name, "max") != 0) || type_is_composite(step->place->type))
        refuse(t, NULL, "atomic_%s() of floats has no gradient", name);
    /* The gradient goes to the value that is there in the end. */
    Piece seed = fresh_gradient(t);
    if_line(
        t, LINE_IF,
        GLUE(t, TIGHT_EQUAL, term_text(t, step->value, TIGHT_LESS), LIT(" == "), place_text(t, step->place, false)));
    t->indent++;
    Piece taken = taken_text(t, step->place->type, adjoint);
    taken.has_effect = true;
    if (term_is_active(step->value)) {
        declare_line(t, c_type(t, step->place->type), seed, taken, LIT(""));
        propagate(t, step->value, seed);
    } else
        LINE(t, LINE_PLAIN, taken, LIT(";"));
    t->indent--;
    close_block(t);
}

static void restore_before(Translator *t, const Step *step)
{
    for (uint32_t i = 0; i < step->before_count; i++)
        set_line(t, step->before[i].var->label, "=", step->before[i].name, LIT(""));
}

static void reverse_if(Translator *t, const Step *step)
{
    restore_before(t, step);
    bool body = block_is_active(&step->body), orelse = block_is_active(&step->orelse);
    if (step->is_guard || (!body && !orelse))
        return;
    Piece condition = print_term(t, step->value);
    if_line(t, LINE_IF, body ? condition : opposite(t, condition));
    t->indent++;
    region(t, body ? &step->body : &step->orelse);
    t->indent--;
    if (body && orelse) {
        LINE(t, LINE_ELSE, LIT(""));
        t->indent++;
        region(t, &step->orelse);
        t->indent--;
    }
    close_block(t);
}

/* The variable of a loop that runs backwards, from the number of the turn. */
static void find_loop_var(Translator *t, const Step *step, Piece turn)
{
    int64_t stride = step->stride->number;
    Piece value = turn,
          size = step->stride->constant ? print_term(t, step->stride) : piece_int(t, stride > 0 ? stride : -stride);
    if (stride != 1)
        value = GLUE(t, TIGHT_PRODUCT, turn, LIT(" * "), size);
    if (stride < 0 && !step->stride->constant)
        value = GLUE(t, TIGHT_SUM, term_text(t, step->start, TIGHT_SUM), LIT(" - "), value);
    else if (!step->start->has_number || step->start->number)
        value = GLUE(t, TIGHT_SUM, term_text(t, step->start, TIGHT_SUM), LIT(" + "), value);
    if (step->var->outside_loop)
        set_line(t, step->var->label, "=", value, LIT(""));
    else
        declare_line(t, LIT("int"), step->var->label, value, LIT(""));
}

static void reverse_turns(Translator *t, const Step *step, Piece turns)
{
    Piece turn = fresh_name(t, LIT("turn"));
    LINE(t, LINE_LOOP, LIT("for (int "), turn, LIT(" = "), turns, LIT(" - 1; "), turn, LIT(" >= 0; --"), turn,
         LIT(")"));
    t->indent++;
    if (step->kind == STEP_FOR)
        find_loop_var(t, step, turn);
    for (uint32_t i = 0; i < step->carried_count; i++)
        set_line(t, step->carried[i].var->label, "=",
                 GLUE(t, TIGHT_PRIMARY, step->carried[i].name, LIT("["), turn, LIT("]")), LIT(""));
    region(t, &step->body);
    t->indent--;
    close_block(t);
}

/* The number before `stop`. */
static Piece last_of(Translator *t, const Term *stop)
{
    if (stop->has_number && !stop->constant)
        return piece_int(t, stop->number - 1);
    return GLUE(t, TIGHT_SUM, term_text(t, stop, TIGHT_SUM), LIT(" - 1"));
}

static void reverse_loop(Translator *t, const Step *step)
{
    if (step->kind == STEP_FOR && !step->stride_sign)
        refuse(t, NULL, "the direction of a loop is not known");
    if (!block_is_active(&step->body)) {
        restore_before(t, step);
        return;
    }
    if (step->saved.text)
        reverse_turns(t, step, step->saved);
    else if (step->stride->number == 1 && !step->var->outside_loop) {
        Piece start = term_text(t, step->start, TIGHT_SUM);
        Piece name = step->var->label;
        name.uses = NULL; /* the loop declares it */
        LINE(t, LINE_LOOP, LIT("for (int "), name, LIT(" = "), last_of(t, step->stop), LIT("; "), name, LIT(" >= "),
             start, LIT("; --"), name, LIT(")"));
        t->indent++;
        region(t, &step->body);
        t->indent--;
        close_block(t);
    } else {
        Piece turns = fresh_name(t, LIT("turns"));
        bool up = step->stride_sign > 0;
        int64_t size = up ? step->stride->number : -step->stride->number;
        Piece first = term_text(t, up ? step->start : step->stop, TIGHT_PRODUCT);
        Piece last = term_text(t, up ? step->stop : step->start, TIGHT_SUM);
        declare_line(t, LIT("int"), turns,
                     GLUE(t, TIGHT_PRODUCT, LIT("("), last, LIT(" - "), first, LIT(" + "), piece_int(t, size - 1),
                          LIT(") / "), piece_int(t, size)),
                     LIT(""));
        reverse_turns(t, step, turns);
    }
    restore_before(t, step);
}

static void reverse_unpack(Translator *t, const Step *step)
{
    Piece seed = fresh_gradient(t);
    bool any = false;
    for (uint32_t i = 0; i < step->count; i++)
        any |= step->targets[i]->active;
    if (!any)
        return;
    declare_line(t, piece_of(step->value->routine->result_struct), seed, LIT("{}"), LIT(""));
    for (uint32_t i = 0; i < step->count; i++) {
        const Var *var = step->targets[i];
        if (!var->active)
            continue;
        Piece adjoint = adjoint_name(t, var);
        set_line(t, GLUE(t, TIGHT_PRIMARY, seed, LIT(".value"), piece_int(t, i)), "=", adjoint, LIT(""));
        clear_line(t, var->type, adjoint);
    }
    propagate_call(t, step->value, seed);
}

static void reverse_return(Translator *t, const Step *step)
{
    for (uint32_t i = 0; i < step->count; i++) {
        Piece seed = LIT("adj_return");
        seed.is_plain = true;
        if (step->count > 1)
            seed = part_of(t, seed, GLUE(t, TIGHT_PRIMARY, LIT(".value"), piece_int(t, i)));
        propagate(t, step->values[i], seed);
    }
}

static void reverse_step(Translator *t, const Step *step)
{
    switch (step->kind) {
    case STEP_ASSIGN: reverse_assign(t, step); break;
    case STEP_ATOMIC: reverse_atomic(t, step); break;
    case STEP_IF: reverse_if(t, step); break;
    case STEP_FOR:
    case STEP_WHILE: reverse_loop(t, step); break;
    case STEP_UNPACK: reverse_unpack(t, step); break;
    case STEP_RETURN: reverse_return(t, step); break;
    case STEP_CALL:
        if (step->value->kind == TERM_CALL && term_is_effect(step->value))
            propagate_call(t, step->value, LIT(""));
        break;
    case STEP_PRINT:
    case STEP_BREAK:
    case STEP_CONTINUE: break;
    }
}

static void declare_adjoints(Translator *t, const Block *block)
{
    for (uint32_t i = 0; i < t->current->vars.count; i++) {
        const Var *var = t->current->vars.items[i];
        if (!var->active || var->home != block || var->is_param)
            continue;
        declare_sum(t, var->type, adjoint_name(t, var));
    }
}

static void region(Translator *t, const Block *block)
{
    KeptNeeds kept = keep_needs(t);
    find_needs(t, t->current, block);
    for (uint32_t i = 0; i < block->count; i++)
        sweep_step(t, block, i);
    declare_adjoints(t, block);
    for (uint32_t i = block->count; i-- > 0;)
        reverse_step(t, block->items[i]);
    restore_needs(t, kept);
}

void print_backward(Translator *t, const Block *body)
{
    region(t, body);
}
