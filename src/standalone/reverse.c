/* The backward text: a block is run again as far as its reverse pass needs values, then its steps are reversed.
 *
 *     sweep      the steps whose results the reverse pass of this block needs, each overwritten value saved
 *     adjoints   of the block's own variables, zero
 *     reverse    the steps from last to first; a saved value is put back before its step is reversed
 *
 * A branch is a region of its own inside the same `if`: the variables that it changes are put back to what they were before
 * it. A loop runs backwards, every turn a region; variables that go from turn to turn are saved at the start of each turn in
 * the sweep. So after the reverse of any step, all variables are what they were before it. */
#include "standalone/model.h"

#include <string.h>

enum { MAX_TURNS = 4096 };

/* ---- who mentions a variable ---- */

static Var *written_array(Step *step)
{
    return step->place && array_root(step->place) ? root_var(step->place) : NULL;
}

/* Is the array given to a function that changes it? */
static bool is_changed_by_call(const Term *term, const Var *array)
{
    for (uint32_t i = 0; i < term->count; i++) {
        const Var *param = term->kind == TERM_CALL && term->routine->params ? term->routine->params[i] : NULL;
        bool is_it = param && holds_arrays(term->args[i]->type) && root_var(term->args[i]) == array;
        if ((is_it && (param->is_written || param->is_updated)) || is_changed_by_call(term->args[i], array))
            return true;
    }
    return false;
}

static bool changes_array(Step *step, void *array)
{
    bool changes = written_array(step) == array;
    for (uint32_t i = 0; i < step->count; i++)
        changes |= is_changed_by_call(step->values[i], array);
    return changes;
}

static const Bits *arrays_changed_by_calls(Translator *t, const Term *term)
{
    const Bits *arrays = NULL;
    for (uint32_t i = 0; i < term->count; i++) {
        const Var *param = term->kind == TERM_CALL && term->routine->params ? term->routine->params[i] : NULL;
        bool is_changed = param && (param->is_written || param->is_updated);
        const Var *root = is_changed && holds_arrays(term->args[i]->type) ? root_var(term->args[i]) : NULL;
        arrays = join_bits(t, arrays, root ? root->bit : NULL);
        arrays = join_bits(t, arrays, arrays_changed_by_calls(t, term->args[i]));
    }
    return arrays;
}

static void find_flow(Translator *t, Block *block);

/* What the step and the blocks in it read and change. */
static void find_step_flow(Translator *t, Step *step)
{
    const Var *array = written_array(step);
    step->changes = array ? array->bit : NULL;
    step->reads = step->sets.count ? step->changes : NULL;
    for (Term *part = step->place; part && part->count; part = part->args[0])
        for (uint32_t i = 1; i < part->count; i++)
            step->reads = join_bits(t, step->reads, part->args[i]->vars);
    for (uint32_t i = 0; i < step->count; i++) {
        step->reads = join_bits(t, step->reads, step->values[i]->vars);
        step->changes = join_bits(t, step->changes, arrays_changed_by_calls(t, step->values[i]));
    }
    Block *blocks[] = {&step->body, &step->orelse};
    for (uint32_t b = 0; b < 2; b++) {
        find_flow(t, blocks[b]);
        for (uint32_t i = 0; i < blocks[b]->count; i++) {
            step->reads = join_bits(t, step->reads, blocks[b]->items[i]->reads);
            step->changes = join_bits(t, step->changes, blocks[b]->items[i]->changes);
        }
    }
}

/* The variables that a step uses the old value of, added to others. */
static const Bits *add_uses(Translator *t, const Bits *uses, Step *step)
{
    bool sets =
        step->kind != STEP_ATOMIC && (step->tile || (step->kind == STEP_ASSIGN && step->place->kind == TERM_VAR));
    if (!sets)
        return join_bits(t, uses, step->mentions);
    for (uint32_t i = next_bit(step->mentions, 0); i < t->current->vars.count; i = next_bit(step->mentions, i + 1))
        if (!sets_first(step, t->current->vars.items[i]))
            uses = join_bits(t, uses, t->current->vars.items[i]->bit);
    return uses;
}

/* What is before and behind each step. */
static void find_flow(Translator *t, Block *block)
{
    const Bits *earlier = NULL, *later = NULL, *reads = NULL;
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        find_step_flow(t, step);
        step->earlier = earlier;
        earlier = add_uses(t, earlier, step);
    }
    for (uint32_t i = block->count; i-- > 0;) {
        Step *step = block->items[i];
        step->later = later;
        step->later_reads = reads;
        later = join_bits(t, later, step->mentions);
        reads = join_bits(t, reads, step->reads);
    }
}

/* Does anything that is reversed later use what the variable was before step `index`? */
static bool used_before(Block *block, uint32_t index, Var *var)
{
    if (has_bit(block->items[index]->earlier, var->number))
        return true;
    if (!block->owner)
        return false;
    if (is_loop(block->owner) ? !var->tile || !tile_is_fresh(block, var) : term_mentions(block->owner->values[0], var))
        return true;
    return !is_loop(block->owner) && used_before(block->parent, block->owner->number, var);
}

/* The variables whose old values the reverse of the step itself uses. */
static const Bits *used_by_step(Translator *t, Step *step)
{
    const Bits *kept = t->needed, *used;
    Step *items[] = {step};
    find_needs(t, &(Block){.items = items, .count = 1});
    used = t->needed;
    t->needed = kept;
    return used;
}

static bool is_wanted_later(const Translator *t, Step *step)
{
    const Var *array = written_array(step);
    if (array && has_bit(t->needed, array->number) && has_bit(step->later, array->number))
        return true;
    for (uint32_t k = next_bit(step->assigns, 0); k < t->current->vars.count; k = next_bit(step->assigns, k + 1))
        if (has_bit(t->needed, k) && has_bit(step->later, k))
            return true;
    return false;
}

/* ---- steps that are only run ---- */

static void check_calls(Translator *t, Term *term)
{
    REFUSE_IF(t, NULL, term->kind == TERM_CALL && term->routine->writes_arrays,
              "'%s' changes arrays, and its result is used", term->routine->name);
    for (uint32_t i = 0; i < term->count; i++)
        check_calls(t, term->args[i]);
}

void run_step(Translator *t, Step *step)
{
    Var *array = written_array(step);
    REFUSE_IF(t, NULL, array && is_needed(t, array),
              "the array '%s' is read after it was overwritten in a branch or loop", array->text);
    for (uint32_t i = 0; i < step->count; i++)
        check_calls(t, step->values[i]);
    REFUSE_IF(t, NULL, step->kind == STEP_ATOMIC && !cell_root(step->place),
              "the old value that an atomic gives is used");
    if (step->is_guard) {
        LINE(t, "if (@)", print_term(t, step->values[0]));
        put_line(t, LINE_PLAIN, LIT("    return;"));
    } else
        print_step(t, step);
}

/* ---- the sweep ---- */

/* Variables declared outside of a step that the blocks in it change. */
static SavedList find_changed(Translator *t, Step *step)
{
    SavedList list = {0};
    for (uint32_t i = next_bit(step->inner_assigns, 0); i < t->current->vars.count;
         i = next_bit(step->inner_assigns, i + 1)) {
        Var *var = t->current->vars.items[i];
        if (!is_needed(t, var) || (!var->home && !var->is_param && !var->tile))
            continue; /* without a home: the variable of a loop inside */
        if (!is_inside(var->home, &step->body) && !is_inside(var->home, &step->orelse))
            ARENA_PUSH(t->arena, list.items, list.count, list.cap) = (SavedVar){.var = var};
    }
    return list;
}

static Piece save(Translator *t, Var *var, const Type *type, Piece value)
{
    Piece name = fresh_name(t, arena_join(t->arena, var->text, "_before"), 0);
    if (type->kind == TYPE_TILE) {
        ARENA_PUSH(t->arena, t->shared.items, t->shared.count, t->shared.cap) = (SharedCopy){name, var};
        put_tile_copy(t, var, name, value);
        return name;
    }
    declare_line(t, c_type(t, type).text, name, value);
    return name;
}

static void save_before(Translator *t, Block *block, uint32_t index, Step *step)
{
    SavedList changed = find_changed(t, step);
    const Bits *used = changed.count ? used_by_step(t, step) : NULL;
    step->before = (SavedList){0};
    for (uint32_t i = 0; i < changed.count; i++) {
        Var *var = changed.items[i].var;
        bool set_here = var->home == block && var->first == step; /* nothing before it */
        if (!set_here && (used_before(block, index, var) || has_bit(used, var->number)))
            ARENA_PUSH(t->arena, step->before.items, step->before.count, step->before.cap) =
                (SavedVar){var, save(t, var, var->type, var->label)};
    }
}

static uint32_t turns_of(Translator *t, Step *step)
{
    if (step->kind == STEP_FOR && step->values[0]->has_number && step->values[1]->has_number && step->stride_sign) {
        int64_t start = step->values[0]->number, stop = step->values[1]->number, stride = step->values[2]->number;
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
    REFUSE_IF(t, NULL, turns > MAX_TURNS, "a loop has too many turns to save what goes from one to the next");
    step->saved = fresh_name(t, "turns", 0);
    declare_line(t, "int", step->saved, LIT("0"));
    for (uint32_t i = 0; i < step->carried.count; i++) {
        SavedVar *carried = &step->carried.items[i];
        carried->name = fresh_name(t, arena_join(t->arena, carried->var->text, "_stack"), 0);
        LINE(t, "@ @[@];", c_type(t, carried->var->type), carried->name, piece_int(t, turns));
    }
    print_loop_head(t, step);
    for (uint32_t i = 0; i < step->carried.count; i++)
        LINE(t, "save(@, @, @);", step->carried.items[i].name, step->saved, step->carried.items[i].var->label);
    LINE(t, "++@;", step->saved);
    print_loop_body(t, step);
}

/* An array that a turn needs and that turns change cannot be put back. */
static bool check_array(Step *step, void *translator)
{
    const Translator *t = translator;
    for (uint32_t i = next_bit(step->changes, 0); i < t->current->vars.count; i = next_bit(step->changes, i + 1)) {
        Var *var = t->current->vars.items[i];
        REFUSE_IF(translator, NULL, is_needed(t, var) && holds_arrays(var->type) && changes_array(step, var),
                  "the array '%s' is read and overwritten in a loop", var->text);
    }
    return false;
}

/* What must be known of each turn to reverse it. */
static void find_carried(Translator *t, Step *step)
{
    const Bits *kept = t->needed;
    find_needs(t, &step->body);
    any_step(&step->body, check_array, t);
    step->carried = find_changed(t, step);
    t->needed = kept;
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < step->carried.count; i++) {
        Var *var = step->carried.items[i].var;
        bool is_fresh = var->tile && tile_is_fresh(&step->body, var);
        REFUSE_IF(t, NULL, var->tile && !is_fresh,
                  "the tile '%s' goes from one turn of a loop to the next, and its values are needed", var->text);
        if (!is_fresh)
            step->carried.items[kept_count++] = step->carried.items[i];
    }
    step->carried.count = kept_count;
}

static void save_place(Translator *t, Block *block, uint32_t index, Step *step)
{
    Var *root = root_var(step->place);
    if (array_root(step->place)) {
        REFUSE_IF(t, NULL, is_inside_loop(block), "the array '%s' is read and overwritten in a loop", root->text);
    } else if (is_declared_by(root, step) ||
               (!used_before(block, index, root) && !has_bit(used_by_step(t, step), root->number)))
        return;
    step->saved = save(t, root, step->place->type, place_text(t, step->place, false));
}

/* Only a store that stands in the block itself is done again, and undone. */
static void check_later_reads(Translator *t, Step *step)
{
    for (uint32_t k = next_bit(step->changes, 0); k < t->current->vars.count; k = next_bit(step->changes, k + 1)) {
        Var *var = t->current->vars.items[k];
        if (!is_needed(t, var) || !holds_arrays(var->type) || (step->kind == STEP_ASSIGN && written_array(step) == var))
            continue;
        REFUSE_IF(t, NULL, has_bit(step->later_reads, var->number),
                  "the array '%s' is read after it was changed in a branch, in a loop, by a function or by an atomic",
                  var->text);
    }
}

static void sweep_step(Translator *t, Block *block, uint32_t index)
{
    Step *step = block->items[index];
    check_later_reads(t, step);
    declare_at(t, block, step);
    step->saved = (Piece){0};
    step->before = step->carried = (SavedList){0};
    if (step->kind == STEP_SYNC)
        put_sync(t);
    bool wanted = step_is_needed(t, step) && (is_wanted_later(t, step) || step->is_guard);
    if (is_loop(step) && step->body.active) {
        find_carried(t, step);
        if (step->carried.count || step->kind == STEP_WHILE || block_jumps(&step->body, JUMP_BREAK)) {
            save_before(t, block, index, step);
            sweep_saving_loop(t, step);
            return;
        }
    }
    if (!wanted)
        return;
    if ((is_loop(step) || step->kind == STEP_IF || step->kind == STEP_EACH) && !step->is_guard)
        save_before(t, block, index, step);
    if (step->kind == STEP_ASSIGN && is_needed(t, root_var(step->place)))
        save_place(t, block, index, step);
    for (uint32_t i = 0; step->kind == STEP_UNPACK && i < step->sets.count; i++)
        REFUSE_IF(t, NULL, step->sets.items[i]->stores > 1 && is_needed(t, step->sets.items[i]),
                  "'%s' is overwritten by one of several results", step->sets.items[i]->text);
    if (step->kind == STEP_ASSIGN && array_root(step->place))
        print_step(t, step);
    else
        run_step(t, step);
}

/* ---- the reverse ---- */

static void reverse_block(Translator *t, Block *block);

/* x = x + e or x = x - e. */
static bool is_linear_in(Term *value, Term *place)
{
    if (value->kind != TERM_OP || value->count != 2 || (place->kind != TERM_VAR && place->kind != TERM_CELL))
        return false;
    bool is_sum = strcmp(value->op->name, "add") == 0 || strcmp(value->op->name, "sub") == 0;
    Term *first = value->args[0];
    bool is_same = first->kind == place->kind && root_var(first) == root_var(place) &&
                   (place->kind == TERM_VAR || first->args[1] == place->args[1]);
    return is_sum && is_same && !term_mentions(value->args[1], root_var(place));
}

static void reverse_assign(Translator *t, Step *step)
{
    Term *place = step->place, *value = step->values[0];
    Var *root = root_var(place);
    bool in_array = array_root(place) != NULL;
    if (step->saved.text)
        set_line(t, place_text(t, place, false), "=", step->saved);
    if (!is_float_type(place->type) || (!in_array && !root->active))
        return;
    Piece adjoint = place_text(t, place, true);
    if (!in_array && is_linear_in(value, place)) { /* the adjoint of x stays */
        bool sub = strcmp(value->op->name, "sub") == 0;
        propagate(t, value->args[1], sub ? negative(t, adjoint) : adjoint);
    } else if ((in_array || term_mentions(value, root)) && value->active) { /* it may read itself */
        Piece name = fresh_gradient(t);
        declare_line(t, c_type(t, place->type).text, name, adjoint);
        clear_line(t, place->type, adjoint);
        propagate(t, value, name);
    } else {
        propagate(t, value, adjoint);
        if (place->kind != TERM_VAR || !is_declared_by(root, step))
            clear_line(t, place->type, adjoint);
    }
}

/* Several threads may have the same value: one of them gets the gradient and leaves none to the others. */
static Piece taken_text(Translator *t, const Type *type, Piece adjoint)
{
    Piece taken = JOIN(t, type->kind == TYPE_FLOAT32 ? "atomicExch(&@, 0.0f)" : "atomic_take(&@)", adjoint);
    taken.has_effect = true;
    return taken;
}

/* The gradient goes to the value that is there in the end. */
static void reverse_extreme(Translator *t, Step *step, Piece adjoint)
{
    Piece seed = fresh_gradient(t);
    put_line(t, LINE_IF, JOIN(t, "@ == @", print_term(t, step->values[0]), place_text(t, step->place, false)));
    Piece taken = taken_text(t, step->place->type, adjoint);
    if (step->values[0]->active) {
        declare_line(t, c_type(t, step->place->type).text, seed, taken);
        propagate(t, step->values[0], seed);
    } else
        LINE(t, "@;", taken);
    put_line(t, LINE_CLOSE, LIT(""));
}

static void reverse_atomic(Translator *t, Step *step)
{
    const Type *type = step->place->type;
    if (!is_float_type(type))
        return;
    REFUSE_IF(t, NULL, step->sets.count, "the old value that an atomic gives is used");
    Var *root = root_var(step->place);
    if (root->tile && !root->active)
        return;
    REFUSE_IF(t, NULL, !root->tile && (root->is_read || root->is_written),
              "the array '%s' is updated atomically and used otherwise", root->text);
    Piece adjoint = place_text(t, step->place, true);
    if (is_sum(step->atomic))
        propagate(t, step->values[0], step->atomic->kind == ATOMIC_ADD ? adjoint : negative(t, adjoint));
    else if (step->atomic->kind != ATOMIC_EXTREME || type_is_composite(type))
        refuse(t, NULL, "atomic_%s() of floats has no gradient", step->atomic->name);
    else
        reverse_extreme(t, step, adjoint);
}

static void restore_before(Translator *t, Step *step)
{
    for (uint32_t i = 0; i < step->before.count; i++) {
        SavedVar *saved = &step->before.items[i];
        if (saved->var->tile)
            put_tile_copy(t, saved->var, saved->var->label, saved->name);
        else
            set_line(t, saved->var->label, "=", saved->name);
    }
}

static void reverse_if(Translator *t, Step *step)
{
    restore_before(t, step);
    if (step->is_guard || !step->active)
        return;
    Piece condition = print_term(t, step->values[0]);
    put_line(t, LINE_IF, step->body.active ? condition : JOIN(t, "!@", condition));
    print_backward(t, step->body.active ? &step->body : &step->orelse);
    if (step->body.active && step->orelse.active) {
        put_line(t, LINE_ELSE, LIT(""));
        reverse_block(t, &step->orelse);
    }
    put_line(t, LINE_CLOSE, LIT(""));
}

/* The variable of a loop that runs backwards, from the number of the turn. */
static void find_loop_var(Translator *t, Step *step, Piece turn)
{
    int64_t stride = step->values[2]->number;
    bool named = step->values[2]->constant, down = stride < 0 && !named;
    Piece value = turn, size = named ? print_term(t, step->values[2]) : piece_int(t, stride > 0 ? stride : -stride);
    if (stride != 1)
        value = JOIN(t, "@ * @", turn, size);
    if (down || !step->values[0]->has_number || step->values[0]->number)
        value = JOIN(t, down ? "@ - @" : "@ + @", print_term(t, step->values[0]), value);
    if (step->sets.items[0]->outside_loop)
        set_line(t, step->sets.items[0]->label, "=", value);
    else
        declare_line(t, "int", step->sets.items[0]->label, value);
}

/* Every turn from its number. Turns that nothing is saved of: their number follows from the range. */
static void reverse_turns(Translator *t, Step *step)
{
    Piece turns = step->saved;
    if (!turns.text) {
        turns = fresh_name(t, "turns", 0);
        bool up = step->stride_sign > 0;
        int64_t size = up ? step->values[2]->number : -step->values[2]->number;
        Piece first = print_term(t, up ? step->values[0] : step->values[1]);
        Piece last = print_term(t, up ? step->values[1] : step->values[0]);
        declare_line(t, "int", turns,
                     JOIN(t, "(@ - @ + @) / @", last, first, piece_int(t, size - 1), piece_int(t, size)));
    }
    Piece turn = fresh_name(t, "turn", 0);
    put_line(t, LINE_LOOP, JOIN(t, "for (int @ = @ - 1; @ >= 0; --@)", turn, turns, turn, turn));
    if (step->kind == STEP_FOR)
        find_loop_var(t, step, turn);
    for (uint32_t i = 0; i < step->carried.count; i++)
        set_line(t, step->carried.items[i].var->label, "=", JOIN(t, "@[@]", step->carried.items[i].name, turn));
}

/* The same loop, downwards. */
static void reverse_head(Translator *t, Step *step)
{
    Piece start = print_term(t, step->values[0]), name = step->sets.items[0]->label;
    name.uses = NULL; /* the loop declares it */
    Piece last = step->values[1]->has_number && !step->values[1]->constant
                     ? piece_int(t, step->values[1]->number - 1)
                     : JOIN(t, "@ - 1", print_term(t, step->values[1]));
    put_line(t, LINE_LOOP, JOIN(t, "for (int @ = @; @ >= @; --@)", name, last, name, start, name));
}

static void reverse_loop(Translator *t, Step *step)
{
    REFUSE_IF(t, NULL, step->kind == STEP_FOR && !step->stride_sign, "the direction of a loop is not known");
    if (step->body.active) {
        if (!step->saved.text && step->values[2]->number == 1 && !step->sets.items[0]->outside_loop)
            reverse_head(t, step);
        else
            reverse_turns(t, step);
        reverse_block(t, &step->body);
        put_line(t, LINE_CLOSE, LIT(""));
    }
    restore_before(t, step);
}

/* The threads share the turns again. */
static void reverse_each(Translator *t, Step *step)
{
    restore_before(t, step);
    if (!step->active)
        return;
    put_sync(t);
    print_loop_head(t, step);
    reverse_block(t, &step->body);
    put_line(t, LINE_CLOSE, LIT(""));
    put_sync(t);
}

static void reverse_unpack(Translator *t, Step *step)
{
    Piece seed = fresh_gradient(t);
    if (!step->active)
        return;
    declare_line(t, step->values[0]->routine->result_struct, seed, LIT("{}"));
    for (uint32_t i = 0; i < step->sets.count; i++) {
        Var *var = step->sets.items[i];
        if (!var->active)
            continue;
        Piece adjoint = adjoint_name(t, var);
        set_line(t, JOIN(t, "@.value@", seed, piece_int(t, i)), "=", adjoint);
        clear_line(t, var->type, adjoint);
    }
    propagate_call(t, step->values[0], seed);
}

static void reverse_return(Translator *t, Step *step)
{
    for (uint32_t i = 0; i < step->count; i++) {
        Piece seed = LIT("adj_return");
        seed.is_plain = true;
        if (step->count > 1)
            seed = field_of(t, seed, arena_format(t->arena, "value%u", i));
        propagate(t, step->values[i], seed);
    }
}

static void reverse_step(Translator *t, Step *step)
{
    switch (step->kind) {
    case STEP_ASSIGN: reverse_assign(t, step); break;
    case STEP_ATOMIC: reverse_atomic(t, step); break;
    case STEP_IF: reverse_if(t, step); break;
    case STEP_FOR:
    case STEP_WHILE: reverse_loop(t, step); break;
    case STEP_EACH: reverse_each(t, step); break;
    case STEP_SYNC: put_sync(t); break;
    case STEP_UNPACK: reverse_unpack(t, step); break;
    case STEP_RETURN: reverse_return(t, step); break;
    case STEP_CALL:
        if (step->values[0]->kind == TERM_CALL && term_is_effect(step->values[0]))
            propagate_call(t, step->values[0], (Piece){0});
        break;
    case STEP_PRINT:
    case STEP_BREAK:
    case STEP_CONTINUE: break;
    }
}

static void reverse_block(Translator *t, Block *block)
{
    const Bits *kept = t->needed;
    find_needs(t, block);
    for (uint32_t i = 0; i < block->count; i++)
        sweep_step(t, block, i);
    for (uint32_t i = 0; i < block->vars.count; i++) {
        Var *var = block->vars.items[i];
        if (var->active && !var->is_param)
            declare_zero(t, var->type, adjoint_name(t, var))->starts_sum = true;
    }
    for (uint32_t i = block->count; i-- > 0;)
        reverse_step(t, block->items[i]);
    t->needed = kept;
}

void print_backward(Translator *t, Block *body)
{
    find_flow(t, body);
    reverse_block(t, body);
}
