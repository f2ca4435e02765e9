/* The three walks of emit/walk.c, as code instead of text. */
#include "eval/tree/quick.h"
#include "eval/tree/tape.h"

/* ---- operations ---- */

/* op->number cells from outs[0] on */
static void run_clear_cells(Machine *m, const Op *op)
{
    memset(RESULT(0), 0, op->number * sizeof(Cell));
}

static void run_unless(Machine *m, const Op *op)
{
    bool truth = tree_truth(VALUE(0), op->args[0].type);
    tree_note_outcome(m, op, truth);
    if (!truth)
        m->next = op->target;
}

static void run_if(Machine *m, const Op *op)
{
    bool truth = tree_truth(VALUE(0), op->args[0].type);
    tree_note_outcome(m, op, truth);
    if (truth)
        m->next = op->target;
}

enum { TRIP_MORE, TRIP_NONE, TRIP_ONE, TRIP_MANY };

static bool is_range_over(const Machine *m, const Op *op)
{
    const Cell *range = VALUE(0);
    int64_t step = range[2].integer, now = range[3].integer, start = range[0].integer, end = range[1].integer;
    bool over = step == 0 || (step > 0 ? now >= end : now <= end);
    tree_note_outcome(m, op, !over ? TRIP_MORE : now == start ? TRIP_NONE : now == start + step ? TRIP_ONE : TRIP_MANY);
    return over;
}

/* The end of a range: jumps when there is no next value. */
static void run_range_end(Machine *m, const Op *op)
{
    if (is_range_over(m, op))
        m->next = op->target;
}

static void quick_range_end(Machine *m, const Op *op)
{
    if (is_range_over(m, op))
        leave(m, op + 1, op->target);
    else
        GO_ON(1);
}

enum { EITHER_WAY = 1 << false | 1 << true };

/* ---- returns ---- */

static TreeArg result_arg(Compiler *c, uint32_t i, bool adjoint)
{
    TreeArg arg = {.type = type_strip_reference(c->function->returns[i]->type)};
    arg.layout = tree_layout_of(c, arg.type);
    arg.cells = arg.layout->cells;
    arg.value = adjoint ? c->code->adj_results[i] : c->code->results[i];
    return arg;
}

static void copy_results(Compiler *c, const IrNode *node)
{
    for (uint32_t i = 0; i < node->ret.count && i < c->code->result_count; i++)
        if (!tree_emit_tile_result(c, result_arg(c, i, false), tree_arg(c, node->ret.values[i]), false))
            tree_emit_to(c, tree_op_copy, result_arg(c, i, false), tree_arg(c, node->ret.values[i]));
}

static void compile_return(Compiler *c, const IrNode *node)
{
    copy_results(c, node);
    tree_emit(c, tree_op_halt);
}

static void replay_return(Compiler *c, const IrNode *node)
{
    if (node->ret.count > 1)
        copy_results(c, node);
    tree_emit_jump(c, tree_emit(c, tree_op_goto), LABEL_RETURN, node->ret.label);
}

static void reverse_return(Compiler *c, const IrNode *node)
{
    tree_place_label(c, LABEL_RETURN, node->ret.label);
    for (uint32_t i = node->ret.count; i-- > 0;)
        if (i < c->code->result_count &&
            !tree_emit_tile_result(c, result_arg(c, i, false), tree_arg(c, node->ret.values[i]), true))
            tree_emit_to(c, tree_op_accumulate, tree_adjoint_of(tree_arg(c, node->ret.values[i])),
                         result_arg(c, i, true));
}

/* ---- regions ---- */

/* Of `a and b`: around `b`. */
static bool is_guard(const IrIf *node)
{
    const IrNode *last = node->body.count ? node->body.items[node->body.count - 1] : NULL;
    return last && last->kind == IR_LOGIC && last->set.target == node->condition;
}

/* Not the arm of a conditional expression, which belongs to the statement around it. */
static bool has_statements(const Compiler *c, const IrRegion *body)
{
    return body->count && body->items[0]->source != c->own_source;
}

static void compile_if(Compiler *c, const IrIf *node, const IrVar *condition,
                       void (*walk)(Compiler *, const IrRegion *))
{
    uint32_t end = c->inner_labels++;
    Op *op = tree_emit_on(c, node->negated ? run_if : run_unless, tree_arg(c, condition));
    op->number = tree_new_place(c->program, EITHER_WAY);
    tree_note_branch(c, (TreeBranch){.condition = condition,
                                     .place = op->number,
                                     .wanted = is_guard(node) ? 1 << !node->negated : EITHER_WAY,
                                     .is_statement = has_statements(c, &node->body)});
    tree_quick_branch(op, node->negated);
    tree_emit_jump(c, op, LABEL_INNER, end);
    walk(c, &node->body);
    tree_place_label(c, LABEL_INNER, end);
}

/* The turns of a counted loop, in the order in which they are run. */
typedef struct Count {
    int64_t first, stop, step;
} Count;

static Count count_of(const IrFor *node, bool reverse)
{
    if (!reverse)
        return (Count){node->start, node->stop, node->step};
    int64_t way = node->step > 0 ? node->stop - node->start - 1 : node->start - node->stop - 1;
    int64_t step = node->step > 0 ? node->step : -node->step;
    return (Count){node->start + way / step * node->step, node->start - node->step, -node->step};
}

static void run_count_from(Machine *m, const Op *op)
{
    const Count *count = op->detail;
    RESULT(0)->integer = count->first;
}

/* args: the integer that counts; outs: the loop's variable */
static void run_count(Machine *m, const Op *op)
{
    const Count *count = op->detail;
    Cell *now = VALUE(0);
    bool over = count->step > 0 ? now->integer >= count->stop : now->integer <= count->stop;
    int64_t trips = (now->integer - count->first) / count->step;
    tree_note_outcome(m, op, !over ? TRIP_MORE : trips == 0 ? TRIP_NONE : trips == 1 ? TRIP_ONE : TRIP_MANY);
    if (over) {
        m->next = op->target;
        return;
    }
    RESULT(0)->integer = now->integer;
    now->integer += count->step;
}

static void compile_counted_head(Compiler *c, const IrFor *node, bool reverse)
{
    Count *count = ARENA_NEW(c->arena, Count);
    *count = count_of(node, reverse);
    if (reverse)
        tree_emit_on(c, run_count_from, tree_arg(c, node->range))->detail = count;
    tree_place_label(c, LABEL_START_FOR, node->label);
    tree_emit_to(c, run_count, tree_arg(c, node->counted), tree_arg(c, node->range));
    Op *op = &c->ops[c->op_count - 1];
    op->detail = count;
    op->number = tree_new_place(c->program, 0);
    tree_emit_jump(c, op, LABEL_END_FOR, node->label);
}

static void compile_for_head(Compiler *c, const IrFor *node)
{
    tree_place_label(c, LABEL_START_FOR, node->label);
    Op *op = tree_emit_on(c, run_range_end, tree_arg(c, node->range));
    op->quick = quick_range_end;
    op->number = tree_new_place(c->program, 0);
    tree_note_branch(c, (TreeBranch){.place = op->number, .wanted = 1 << TRIP_MORE, .is_statement = true});
    if (op->args[0].cells != RANGE_CELLS)
        tree_refuse(c, "a loop over a query");
    tree_emit_jump(c, op, LABEL_END_FOR, node->label);
    tree_walk_forward(c, &node->head);
}

static void compile_for(Compiler *c, const IrFor *node)
{
    if (node->counted)
        compile_counted_head(c, node, false);
    else
        compile_for_head(c, node);
    tree_walk_forward(c, &node->body);
    tree_emit_jump(c, tree_emit(c, tree_op_goto), LABEL_START_FOR, node->label);
    tree_place_label(c, LABEL_END_FOR, node->label);
}

/* Adjoints that lie side by side are cleared together. */
static void clear_adjoints(Compiler *c, const IrVarList *locals)
{
    Op *last = NULL;
    for (uint32_t i = 0; i < locals->count; i++) {
        if (locals->items[i]->type->kind == TYPE_FUNCTION)
            continue;
        if (tree_emit_tile_clear(c, locals->items[i])) {
            last = NULL;
            continue;
        }
        TreeArg adjoint = tree_adjoint_of(tree_arg(c, locals->items[i]));
        if (adjoint.layout->fixed || adjoint.value < 0) {
            tree_emit_on(c, tree_op_clear, adjoint);
            last = NULL;
        } else if (last && last->args[0].value + (int32_t)last->number == adjoint.value)
            last->number += adjoint.cells;
        else {
            last = tree_emit_on(c, run_clear_cells, adjoint);
            last->number = adjoint.cells;
        }
    }
}

static void reverse_range_head(Compiler *c, const IrFor *node)
{
    TreeArg range = tree_arg(c, node->range);
    tree_emit_on(c, tree_find_row(c, "iter_reverse", &range, 1, NULL).row->forward[0], range);
    compile_for_head(c, node);
}

/* One iteration. `keeps`: what a later one left in the adjoints counts. */
static void reverse_turn(Compiler *c, const IrVarList *locals, const IrRegion *body, bool keeps)
{
    if (!keeps)
        clear_adjoints(c, locals);
    tree_walk_replay(c, body);
    tree_walk_reverse(c, body);
    if (keeps)
        clear_adjoints(c, locals);
}

static void reverse_for(Compiler *c, const IrFor *node, bool keeps)
{
    if (node->counted)
        compile_counted_head(c, node, true);
    else
        reverse_range_head(c, node);
    reverse_turn(c, &node->locals, &node->body, keeps);
    tree_emit_jump(c, tree_emit(c, tree_op_goto), LABEL_START_FOR, node->label);
    tree_place_label(c, LABEL_END_FOR, node->label);
}

static void compile_while_head(Compiler *c, const IrWhile *node)
{
    tree_place_label(c, LABEL_START_WHILE, node->label);
    tree_walk_forward(c, &node->test);
    Op *op = tree_emit_on(c, run_unless, tree_arg(c, node->condition));
    op->number = tree_new_place(c->program, EITHER_WAY);
    tree_note_branch(
        c, (TreeBranch){.condition = node->condition, .place = op->number, .wanted = 1 << true, .is_statement = true});
    tree_quick_branch(op, false);
    tree_emit_jump(c, op, LABEL_END_WHILE, node->label);
}

static void compile_while(Compiler *c, const IrWhile *node)
{
    compile_while_head(c, node);
    tree_walk_forward(c, &node->body);
    tree_emit_jump(c, tree_emit(c, tree_op_goto), LABEL_START_WHILE, node->label);
    tree_place_label(c, LABEL_END_WHILE, node->label);
}

static void reverse_while(Compiler *c, const IrWhile *node, bool keeps)
{
    compile_while_head(c, node);
    reverse_turn(c, &node->locals, &node->body, keeps);
    tree_emit_jump(c, tree_emit(c, tree_op_goto), LABEL_START_WHILE, node->label);
    tree_place_label(c, LABEL_END_WHILE, node->label);
}

/* ---- the walks ---- */

void tree_set_source(Compiler *c, const IrNode *node)
{
    c->own_source = node->source;
    c->source = place_in_kernel(c->program->module->kernel->code, c->function->code, node->source);
}

void tree_walk_forward(Compiler *c, const IrRegion *region)
{
    for (uint32_t i = 0; i < region->count; i++) {
        const IrNode *node = region->items[i];
        tree_set_source(c, node);
        tree_tape_before(c, node);
        switch (node->kind) {
        case IR_CALL: tree_emit_call(c, node->call, false); break;
        case IR_IF: compile_if(c, node->if_node, node->if_node->condition, tree_walk_forward); break;
        case IR_FOR: compile_for(c, node->for_node); break;
        case IR_WHILE: compile_while(c, node->while_node); break;
        case IR_RETURN: compile_return(c, node); break;
        case IR_UPDATE_SLOT: tree_compile_slot_update(c, node); break;
        case IR_RETURN_DEFAULT:
            for (uint32_t k = 0; k < c->code->result_count && c->code->result_count == 1; k++)
                tree_emit_on(c, tree_op_clear, result_arg(c, k, false));
            tree_emit(c, tree_op_halt);
            break;
        default: tree_compile_instruction(c, node); break;
        }
        tree_tape_after(c, node);
    }
}

void tree_walk_replay(Compiler *c, const IrRegion *region)
{
    for (uint32_t i = 0; i < region->count; i++) {
        const IrNode *node = region->items[i];
        tree_set_source(c, node);
        bool is_given = tree_tape_replay(c, node);
        switch (node->kind) {
        case IR_CALL: tree_emit_call(c, node->call, true); break;
        case IR_IF: compile_if(c, node->if_node, node->if_node->condition, tree_walk_replay); break;
        case IR_FOR:
        case IR_WHILE:
        case IR_UPDATE_SLOT:
        case IR_RETURN_DEFAULT: break;
        case IR_RETURN: replay_return(c, node); break;
        default: tree_compile_instruction(c, node); break;
        }
        if (is_given)
            tree_tape_replayed(c);
    }
}

void tree_reverse_node(Compiler *c, const IrNode *node)
{
    switch (node->kind) {
    case IR_CALL: tree_emit_reverse_call(c, node->call); break;
    case IR_RETURN: reverse_return(c, node); break;
    case IR_MEMBER: tree_reverse_member(c, node); break;
    case IR_SET_MEMBER: tree_reverse_set_member(c, node); break;
    case IR_SET_SLOT: tree_compile_slot(c, node, true); break;
    case IR_UPDATE_SLOT: tree_reverse_slot_update(c, node); break;
    default: break;
    }
}

static void reverse_loop(Compiler *c, const IrNode *node)
{
    bool is_while = node->kind == IR_WHILE, keeps = tree_tape_keeps(c, node);
    const IrRegion *head = is_while ? &node->while_node->test : &node->for_node->head;
    if (tree_tape_region(c, node, head, is_while ? &node->while_node->body : &node->for_node->body))
        return;
    if (is_while)
        reverse_while(c, node->while_node, keeps);
    else
        reverse_for(c, node->for_node, keeps);
}

void tree_walk_reverse(Compiler *c, const IrRegion *region)
{
    for (uint32_t i = region->count; i-- > 0;) {
        const IrNode *node = region->items[i];
        tree_set_source(c, node);
        switch (node->kind) {
        case IR_IF:
            tree_tape_condition(c, node);
            compile_if(c, node->if_node, node->if_node->reverse_condition, tree_walk_reverse);
            break;
        case IR_FOR:
        case IR_WHILE: reverse_loop(c, node); break;
        default: tree_tape_reverse(c, node); break;
        }
    }
}
