#include "eval/tree/tape.h"

#include <math.h>
#include <string.h>

enum { FLOW = 0, MARK = -1 };

/* ---- the tape ---- */

TreeTape *tree_tape_new(Arena *arena, const TreeRepairs *repairs)
{
    TreeTape *tape = ARENA_NEW(arena, TreeTape);
    tape->arena = arena;
    tape->repairs = repairs;
    ARENA_PUSH(arena, tape->stacks, tape->count, tape->cap) = (TapeStack){0};
    return tape;
}

void tree_tape_begin(TreeTape *tape, uint64_t threads)
{
    tape->ends = ARENA_ARRAY(tape->arena, uint32_t, (threads + 1) * tape->count);
    for (uint32_t i = 0; i < tape->count; i++)
        tape->stacks[i].count = tape->stacks[i].floor = 0;
}

void tree_tape_end_thread(TreeTape *tape, uint64_t place)
{
    for (uint32_t i = 0; i < tape->count; i++)
        tape->ends[(place + 1) * tape->count + i] = tape->stacks[i].count;
}

void tree_tape_use_thread(TreeTape *tape, uint64_t place)
{
    for (uint32_t i = 0; i < tape->count; i++) {
        tape->stacks[i].floor = tape->ends[place * tape->count + i];
        tape->stacks[i].count = tape->ends[(place + 1) * tape->count + i];
    }
}

static void push(TreeTape *tape, TapeStack *stack, const Cell *cells, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        ARENA_PUSH(tape->arena, stack->cells, stack->count, stack->cap) = cells[i];
}

/* The last `count` cells of this thread; NULL: it went another way forward. */
static const Cell *top_of(Machine *m, const Op *op, const TapeStack *stack, uint32_t count)
{
    if (stack->count - stack->floor >= count)
        return stack->cells + stack->count - count;
    tree_fail(m, op, FINDING_UNSET_VARIABLE, "the reverse pass goes where the forward pass did not");
    return NULL;
}

/* ---- operations ---- */

/* args: what is kept */
static void run_keep(Machine *m, const Op *op)
{
    TapeStack *stack = &m->tape->stacks[op->number];
    for (uint32_t i = 0; i < op->arg_count; i++)
        push(m->tape, stack, VALUE(i), op->args[i].cells);
}

static void run_note(Machine *m, const Op *op)
{
    const Cell place = {.integer = op->number};
    push(m->tape, &m->tape->stacks[FLOW], &place, 1);
}

static void run_mark(Machine *m, const Op *op)
{
    const Cell mark = {.integer = MARK};
    (void)op;
    push(m->tape, &m->tape->stacks[FLOW], &mark, 1);
}

typedef struct Taking {
    uint32_t cells, own; /* of all arguments; where their own values go */
    bool stays;          /* what is taken is taken again */
} Taking;

/* args: variables that get what was kept */
static void run_take(Machine *m, const Op *op)
{
    const Taking *taking = op->detail;
    TapeStack *stack = &m->tape->stacks[op->number];
    const Cell *from = top_of(m, op, stack, taking->cells);
    Cell *own = m->frame + taking->own;
    if (!from)
        return;
    stack->count -= taking->stays ? 0 : taking->cells;
    for (uint32_t i = 0; i < op->arg_count; i++) {
        size_t size = op->args[i].cells * sizeof(Cell);
        memcpy(own, VALUE(i), size);
        memcpy(VALUE(i), from, size);
        own += op->args[i].cells;
        from += op->args[i].cells;
    }
}

static void run_give_back(Machine *m, const Op *op)
{
    const Cell *own = m->frame + op->number;
    for (uint32_t i = 0; i < op->arg_count; i++) {
        memcpy(VALUE(i), own, op->args[i].cells * sizeof(Cell));
        own += op->args[i].cells;
    }
}

typedef struct Places {
    uint32_t own;  /* of the operations, the one that goes to them */
    uint32_t *ops; /* by place; 0: it is not here */
    uint32_t count;
} Places;

static void run_go_back(Machine *m, const Op *op)
{
    const Places *places = op->detail;
    TapeStack *stack = &m->tape->stacks[FLOW];
    const Cell *top = top_of(m, op, stack, 1);
    if (!top)
        return;
    int64_t place = top->integer;
    stack->count--;
    if (place == MARK)
        m->next = op->target;
    else if (place < places->count && places->ops[place])
        m->next = op - places->own + places->ops[place];
    else
        tree_fail(m, op, FINDING_UNSET_VARIABLE, "the reverse pass goes where the forward pass did not");
}

/* ---- adjoints that are right ---- */

static void true_fraction(Machine *m, const Op *op)
{
    for (uint32_t i = 0; i < op->outs[0].cells; i++)
        ADJOINT(0)[i].real += ADJ_RESULT(0)[i].real;
}

/* What the adjoint of numbers leaves out. */
static void true_divisor(Machine *m, const Op *op)
{
    for (uint32_t i = 0; i < op->outs[0].cells; i++)
        ADJOINT(1)[i].real -= trunc(VALUE(0)[i].real / VALUE(1)[i].real) * ADJ_RESULT(0)[i].real;
}

/* That of vectors is empty. */
static void true_remainder(Machine *m, const Op *op)
{
    true_fraction(m, op);
    true_divisor(m, op);
}

static TreeFn true_adjoint(const IrCall *call)
{
    const char *name = call->builtin->name;
    if (strcmp(name, "mod") == 0)
        return type_is_single(type_strip_reference(call->outputs[0]->type)) ? true_divisor : true_remainder;
    const struct {
        const char *name;
        TreeFn run;
    } known[] = {{"frac", true_fraction},
                 {"atomic_min", tree_op_clear_extremum},
                 {"atomic_max", tree_op_clear_extremum},
                 {"atomic_add", tree_op_return_old},
                 {"atomic_sub", tree_op_return_old},
                 {"assign_inplace", tree_op_clear_changed}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].run;
    return NULL;
}

/* ---- what is repaired ---- */

static const TreeRepair *repair_of(const Compiler *c, const void *part)
{
    static const TreeRepair none;
    const TreeTape *tape = c->program->tape;
    const TableSlot *slot = tape && tape->repairs->parts.count ? table_find(&tape->repairs->parts, part) : NULL;
    return slot ? slot->item : &none;
}

static uint32_t stack_of(Compiler *c, const IrNode *node)
{
    TreeTape *tape = c->program->tape;
    TableSlot *slot = table_add(&tape->numbers, c->arena, node);
    if (!slot->number) {
        slot->number = tape->count;
        ARENA_PUSH(c->arena, tape->stacks, tape->count, tape->cap) = (TapeStack){0};
    }
    return slot->number;
}

static bool has_way_back(const Compiler *c, const IrNode *node)
{
    switch (node->kind) {
    case IR_CALL: return node->call->reverse || repair_of(c, node)->adjoint;
    case IR_MEMBER:
    case IR_SET_MEMBER:
    case IR_SET_SLOT:
    case IR_UPDATE_SLOT:
    case IR_RETURN: return true;
    default: return false;
    }
}

typedef struct VarSet {
    Arena *arena;
    const IrVar **items;
    uint32_t count, cap;
} VarSet;

static bool is_kept(const IrVar *var)
{
    const Type *type = var->type;
    return !var->constant && !var->is_adjoint && type->kind != TYPE_FUNCTION && type->kind != TYPE_REF;
}

static void add_var(VarSet *set, const IrVar *var)
{
    if (!var || !is_kept(var))
        return;
    for (uint32_t i = 0; i < set->count; i++)
        if (set->items[i] == var)
            return;
    ARENA_PUSH(set->arena, set->items, set->count, set->cap) = var;
}

static void add_path(VarSet *set, const IrPath *path)
{
    add_var(set, path->root);
    for (uint32_t i = 0; i < path->step_count; i++)
        for (uint32_t k = 0; k < path->steps[i].index_count; k++)
            add_var(set, path->steps[i].indices[k]);
}

static void add_operand(VarSet *set, const IrOperand *operand)
{
    if (operand->kind == OPERAND_VAR)
        add_var(set, operand->var);
    else if (operand->kind == OPERAND_POINTER)
        add_path(set, operand->origin);
}

static bool has_value(uint32_t values, uint32_t arg)
{
    enum { LAST = 31 };
    return values >> (arg < LAST ? arg : LAST) & 1;
}

static void add_call(VarSet *set, const IrCall *call, uint32_t values)
{
    for (uint32_t i = 0; i < call->arg_count; i++) {
        if (has_value(values, i) || call->args[i].kind == OPERAND_POINTER)
            add_operand(set, &call->args[i]);
        if (call->reverse && call->adj_args[i].kind == OPERAND_POINTER)
            add_operand(set, &call->adj_args[i]);
    }
    for (uint32_t i = 0; i < call->output_count; i++)
        add_var(set, call->outputs[i]);
}

/* The variables whose values are kept for a node, as operands. */
static TreeArg *kept_args(Compiler *c, const IrNode *node, uint32_t *count)
{
    uint32_t values = c->in_flow ? UINT32_MAX : repair_of(c, node)->values;
    VarSet set = {.arena = c->arena};
    if (values && node->kind == IR_CALL)
        add_call(&set, node->call, values);
    else if (values && (node->kind == IR_SET_SLOT || node->kind == IR_UPDATE_SLOT)) {
        add_path(&set, node->slot.path);
        add_var(&set, node->slot.value);
    }
    TreeArg *args = tree_args(c, set.count);
    *count = 0;
    for (uint32_t i = 0; i < set.count; i++) {
        args[*count] = tree_arg(c, set.items[i]);
        *count += args[*count].layout && !args[*count].layout->fixed;
    }
    return args;
}

static void emit_with(Compiler *c, TreeFn run, const TreeArg *args, uint32_t count, uint32_t number)
{
    Op *op = tree_emit(c, run);
    op->args = args;
    op->arg_count = count;
    op->number = number;
}

/* ---- the forward pass ---- */

void tree_tape_record_body(Compiler *c)
{
    if (!repair_of(c, c->function)->flow)
        return;
    tree_emit(c, run_mark);
    c->in_flow = true;
    c->flow_of = c->function;
}

void tree_tape_before(Compiler *c, const IrNode *node)
{
    if (c->code->kind != CODE_RECORDED)
        return;
    if (node->kind == IR_ADJOINT_CALL && node->call->func)
        tree_refuse(c, "repairs of a gradient that the kernel takes itself");
    const TreeRepair *repair = repair_of(c, node);
    if (node->kind == IR_IF && repair->condition && !c->in_flow) {
        TreeArg *condition = tree_args(c, 1);
        *condition = tree_arg(c, node->if_node->condition);
        emit_with(c, run_keep, condition, 1, stack_of(c, node));
    }
    if (repair->flow && !c->in_flow) {
        tree_emit(c, run_mark);
        c->in_flow = true;
        c->flow_of = node;
    }
    if (node->kind == IR_RETURN && c->in_flow)
        emit_with(c, run_note, NULL, 0, stack_of(c, node));
}

void tree_tape_after(Compiler *c, const IrNode *node)
{
    uint32_t count = 0;
    if (c->code->kind != CODE_RECORDED || node->kind == IR_RETURN)
        return;
    if (c->flow_of == node) {
        c->in_flow = false;
        c->flow_of = NULL;
        return;
    }
    if (c->in_flow && !has_way_back(c, node))
        return;
    const TreeArg *args = kept_args(c, node, &count);
    if (count)
        emit_with(c, run_keep, args, count, stack_of(c, node));
    if (c->in_flow)
        emit_with(c, run_note, NULL, 0, stack_of(c, node));
}

/* ---- the reverse pass ---- */

static bool emit_take(Compiler *c, const IrNode *node, bool stays)
{
    uint32_t count;
    Taking *taking = ARENA_NEW(c->arena, Taking);
    c->given = kept_args(c, node, &count);
    c->given_count = count;
    if (!count)
        return false;
    taking->stays = stays;
    for (uint32_t i = 0; i < count; i++)
        taking->cells += c->given[i].cells;
    taking->own = c->given_at = tree_temporary(c, taking->cells);
    emit_with(c, run_take, c->given, count, stack_of(c, node));
    c->ops[c->op_count - 1].detail = taking;
    return true;
}

static void emit_give_back(Compiler *c)
{
    emit_with(c, run_give_back, c->given, c->given_count, c->given_at);
}

/* The replayed condition is the one that was kept; the reverse pass comes back to it. */
static void replay_condition(Compiler *c, const IrNode *node)
{
    Taking *taking = ARENA_NEW(c->arena, Taking);
    TreeArg *condition = tree_args(c, 1), kept;
    *condition = kept = tree_arg(c, node->if_node->condition);
    kept.value = (int32_t)tree_temporary(c, condition->cells);
    table_add(&c->kept, c->arena, node)->number = (uint32_t)kept.value;
    *taking = (Taking){.cells = condition->cells, .own = tree_temporary(c, condition->cells)};
    emit_with(c, run_take, condition, 1, stack_of(c, node));
    c->ops[c->op_count - 1].detail = taking;
    tree_emit_to(c, tree_op_copy, kept, *condition);
}

bool tree_tape_replay(Compiler *c, const IrNode *node)
{
    const TreeRepair *repair = repair_of(c, node);
    if (node->kind == IR_IF && repair->condition)
        replay_condition(c, node);
    return repair->decides && emit_take(c, node, true);
}

void tree_tape_replayed(Compiler *c)
{
    emit_give_back(c);
}

void tree_tape_condition(Compiler *c, const IrNode *node)
{
    const TableSlot *slot = c->kept.count ? table_find(&c->kept, node) : NULL;
    if (!slot)
        return;
    TreeArg condition = tree_arg(c, node->if_node->reverse_condition), kept = condition;
    kept.value = (int32_t)slot->number;
    tree_emit_to(c, tree_op_copy, condition, kept);
}

void tree_tape_reverse(Compiler *c, const IrNode *node)
{
    if (!c->program->tape) {
        tree_reverse_node(c, node);
        return;
    }
    bool gives = emit_take(c, node, false);
    TreeArg *given = c->given;
    uint32_t count = c->given_count, at = c->given_at;
    tree_reverse_node(c, node);
    TreeFn adjoint = repair_of(c, node)->adjoint ? true_adjoint(node->call) : NULL;
    if (adjoint)
        tree_emit_on_call(c, node->call, adjoint);
    if (gives)
        emit_with(c, run_give_back, given, count, at);
}

bool tree_tape_derives(const Compiler *c, const IrFunction *function)
{
    return repair_of(c, function)->flow;
}

bool tree_tape_keeps(const Compiler *c, const IrNode *loop)
{
    return repair_of(c, loop)->keeps;
}

/* ---- regions that are gone back through as they were run ---- */

static void clear_adjoint(Compiler *c, const IrVar *var)
{
    TreeArg adjoint = tree_adjoint_of(tree_arg(c, var));
    if (adjoint.layout && adjoint.layout->kinds[0] <= CELL_INTEGER)
        tree_emit_on(c, tree_op_clear, adjoint);
}

static void clear_results(Compiler *c, const IrNode *node)
{
    if (node->kind == IR_MEMBER)
        clear_adjoint(c, node->member.target);
    for (uint32_t i = 0; node->kind == IR_CALL && i < node->call->output_count; i++)
        clear_adjoint(c, node->call->outputs[i]);
}

static void go_back_through(Compiler *c, const IrRegion *region, Places *places, uint32_t again)
{
    for (uint32_t i = 0; i < region->count; i++) {
        const IrNode *node = region->items[i];
        tree_set_source(c, node);
        if (node->kind == IR_IF)
            go_back_through(c, &node->if_node->body, places, again);
        else if (node->kind == IR_FOR) {
            go_back_through(c, &node->for_node->head, places, again);
            go_back_through(c, &node->for_node->body, places, again);
        } else if (node->kind == IR_WHILE) {
            go_back_through(c, &node->while_node->test, places, again);
            go_back_through(c, &node->while_node->body, places, again);
        } else if (has_way_back(c, node)) {
            uint32_t place = stack_of(c, node);
            if (place < places->count)
                places->ops[place] = c->op_count;
            tree_tape_reverse(c, node);
            clear_results(c, node);
            tree_emit_jump(c, tree_emit(c, tree_op_goto), LABEL_INNER, again);
        }
    }
}

bool tree_tape_region(Compiler *c, const void *part, const IrRegion *head, const IrRegion *body)
{
    if (!repair_of(c, part)->flow)
        return false;
    Places *places = ARENA_NEW(c->arena, Places);
    uint32_t again = c->inner_labels++, end = c->inner_labels++;
    bool outer = c->in_flow;
    c->in_flow = true;
    *places = (Places){.own = c->op_count, .count = c->program->tape->count};
    places->ops = ARENA_ARRAY(c->arena, uint32_t, places->count);
    tree_place_label(c, LABEL_INNER, again);
    Op *op = tree_emit(c, run_go_back);
    op->detail = places;
    tree_emit_jump(c, op, LABEL_INNER, end);
    go_back_through(c, head, places, again);
    go_back_through(c, body, places, again);
    tree_place_label(c, LABEL_INNER, end);
    c->in_flow = outer;
    return true;
}
