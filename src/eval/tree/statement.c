/* Single instructions: copies, members of structs, literals, and what else has no body of its own. */
#include "eval/tree/code.h"

#include <string.h>

/* ---- operations ---- */

static void run_halt(Machine *m, const Op *op)
{
    (void)op;
    m->next = NULL;
}

static void run_copy(Machine *m, const Op *op)
{
    tree_copy(RESULT(0), VALUE(0), op->outs[0].layout);
}

static void run_accumulate(Machine *m, const Op *op)
{
    tree_accumulate(RESULT(0), VALUE(0), op->outs[0].layout);
}

static void run_clear(Machine *m, const Op *op)
{
    tree_clear(RESULT(0), op->outs[0].layout);
}

static void run_goto(Machine *m, const Op *op)
{
    m->next = op->target;
}

static void run_store_through(Machine *m, const Op *op)
{
    Cell *to = REF_OF(RESULT(0))->at;
    if (!to)
        tree_fail(m, op, FINDING_UNSET_VARIABLE, "a reference that was never set is used");
    else
        tree_copy(to, VALUE(0), op->args[0].layout);
}

static void run_join_truth(Machine *m, const Op *op)
{
    bool left = RESULT(0)->integer != 0, right = tree_truth(VALUE(0), op->args[0].type);
    RESULT(0)->integer = op->number == OP_AND ? left && right : left || right;
}

static void run_literal(Machine *m, const Op *op)
{
    memcpy(RESULT(0), op->detail, op->outs[0].cells * sizeof(Cell));
}

static void run_one(Machine *m, const Op *op)
{
    Cell *out = RESULT(0);
    for (uint32_t i = 0; i < op->outs[0].cells; i++)
        if (op->outs[0].layout->kinds[i] <= CELL_FLOAT64)
            out[i].real = 1.0;
        else
            out[i].integer = 1;
}

const TreeFn tree_op_copy = run_copy, tree_op_halt = run_halt, tree_op_goto = run_goto, tree_op_clear = run_clear,
             tree_op_accumulate = run_accumulate;

void tree_emit_to(Compiler *c, TreeFn run, TreeArg out, TreeArg in)
{
    TreeArg *args = tree_args(c, 2);
    args[0] = out;
    args[1] = in;
    Op *op = tree_emit(c, run);
    op->outs = args;
    op->out_count = 1;
    op->args = args + 1;
    op->arg_count = 1;
    if (run == run_copy)
        tree_quick_copy(op, VARIANT_FLOAT);
    else if (run == run_accumulate)
        tree_quick_accumulate(op);
}

Op *tree_emit_on(Compiler *c, TreeFn run, TreeArg arg)
{
    TreeArg *args = tree_args(c, 1);
    args[0] = arg;
    Op *op = tree_emit(c, run);
    op->args = op->outs = args;
    op->arg_count = op->out_count = 1;
    return op;
}

TreeArg tree_adjoint_of(TreeArg arg)
{
    arg.value = arg.adjoint;
    return arg;
}

/* ---- members ---- */

static void run_point_at(Machine *m, const Op *op)
{
    Cell *base = VALUE(0);
    REF_OF(RESULT(0))->at = base ? base + op->number : NULL;
    if (!base)
        tree_fail(m, op, FINDING_UNSET_VARIABLE, "a reference that was never set is used");
}

static TreeField member_field(Compiler *c, const IrVar *aggregate, Name field)
{
    return tree_field_of(c, type_strip_reference(aggregate->type), field);
}

static void compile_member(Compiler *c, const IrNode *node)
{
    if (type_strip_reference(node->member.aggregate->type)->kind == TYPE_ARRAY && name_is(node->member.field, "ptr"))
        tree_refuse(c, "the address of an array's memory");
    TreeArg target = tree_arg(c, node->member.target);
    TreeArg from = {0};
    uint32_t offset = 0;
    if (node->member.origin)
        from.value = ~tree_emit_pointer(c, node->member.origin, false);
    else {
        const IrVar *aggregate = node->member.aggregate;
        from = tree_arg(c, aggregate);
        if (aggregate->type->kind == TYPE_REF)
            from.value = ~from.value;
        offset = member_field(c, aggregate, node->member.field).offset;
    }
    tree_emit_to(c, run_point_at, target, from);
    c->ops[c->op_count - 1].number = offset;
    tree_quick_point_at(&c->ops[c->op_count - 1]);
}

/* A part of an adjoint (or value) as an operand of its own. */
static TreeArg part(Compiler *c, TreeArg whole, TreeField field, const TreeLayout *layout)
{
    if (whole.value >= 0)
        whole.value += (int32_t)field.offset;
    else if (field.offset) {
        uint32_t ref = tree_temporary(c, REF_CELLS);
        TreeArg target = {.value = (int32_t)ref};
        tree_emit_to(c, run_point_at, target, whole);
        c->ops[c->op_count - 1].number = field.offset;
        whole.value = ~(int32_t)ref;
    }
    whole.layout = layout;
    whole.cells = layout->cells;
    return whole;
}

void tree_reverse_member(Compiler *c, const IrNode *node)
{
    TreeArg target = tree_adjoint_of(tree_arg(c, node->member.target));
    TreeField field = member_field(c, node->member.aggregate, node->member.field);
    TreeArg sum = part(c, tree_adjoint_of(tree_arg(c, node->member.aggregate)), field, target.layout);
    tree_emit_to(c, node->member.differentiable ? run_accumulate : run_copy, sum, target);
}

static void compile_set_member(Compiler *c, const IrNode *node)
{
    tree_refuse_constant(c, node->set_member.aggregate);
    TreeArg value = tree_arg(c, node->set_member.value);
    TreeField field = member_field(c, node->set_member.aggregate, node->set_member.field);
    TreeArg target = part(c, tree_arg(c, node->set_member.aggregate), field, value.layout);
    tree_emit_to(c, run_copy, target, value);
}

void tree_reverse_set_member(Compiler *c, const IrNode *node)
{
    TreeArg value = tree_adjoint_of(tree_arg(c, node->set_member.value));
    TreeField field = member_field(c, node->set_member.aggregate, node->set_member.field);
    TreeArg member = part(c, tree_adjoint_of(tree_arg(c, node->set_member.aggregate)), field, value.layout);
    if (node->set_member.differentiable)
        tree_emit_to(c, run_accumulate, value, member);
    tree_emit_on(c, run_clear, member);
}

/* ---- plain instructions: what forward and replay have in common ---- */

static void compile_literal(Compiler *c, const IrNode *node)
{
    TreeArg target = tree_arg(c, node->literal.target);
    Cell *cells = ARENA_ARRAY(c->arena, Cell, target.cells);
    if (!tree_constant(node->literal.value, node->literal.target->type, c->program->in_double, cells))
        tree_refuse(c, "a constant of this kind");
    tree_emit_on(c, run_literal, target)->detail = cells;
}

void tree_compile_instruction(Compiler *c, const IrNode *node)
{
    switch (node->kind) {
    case IR_COMPARE: tree_compile_compare(c, &node->compare); return;
    case IR_SET:
    case IR_SET_ADJOINT: tree_emit_to(c, run_copy, tree_arg(c, node->set.target), tree_arg(c, node->set.value)); return;
    case IR_LOGIC:
        tree_emit_to(c, run_join_truth, tree_arg(c, node->set.target), tree_arg(c, node->set.value));
        c->ops[c->op_count - 1].number = (uint32_t)node->set.op;
        tree_quick_join_truth(&c->ops[c->op_count - 1]);
        return;
    case IR_SET_REFERENCE:
        tree_emit_to(c, run_store_through, tree_arg(c, node->set.target), tree_arg(c, node->set.value));
        return;
    case IR_BREAK:
    case IR_CONTINUE: {
        LabelKind start = node->jump.is_while ? LABEL_START_WHILE : LABEL_START_FOR;
        LabelKind end = node->jump.is_while ? LABEL_END_WHILE : LABEL_END_FOR;
        tree_emit_jump(c, tree_emit(c, run_goto), node->kind == IR_BREAK ? end : start, node->jump.label);
        return;
    }
    case IR_MEMBER: compile_member(c, node); return;
    case IR_SET_MEMBER: compile_set_member(c, node); return;
    case IR_SET_SLOT: tree_compile_slot(c, node, false); return;
    case IR_SLOT_ADDRESS: tree_compile_slot_address(c, node); return;
    case IR_SET_LITERAL: compile_literal(c, node); return;
    case IR_ASSERT: return; /* off in the release builds that Warp makes */
    case IR_ADDRESS_OF: tree_refuse(c, "an address as a number");
    case IR_ZERO: tree_emit_on(c, run_clear, tree_arg(c, node->target)); return;
    case IR_ONE: tree_emit_on(c, run_one, tree_arg(c, node->target)); return;
    case IR_ADJOINT_CALL: tree_emit_adjoint_call(c, node->call); return;
    case IR_MAKE_TUPLE: {
        TreeArg *args = tree_args(c, node->call->arg_count);
        TreeArg *out = tree_args(c, 1);
        for (uint32_t i = 0; i < node->call->arg_count; i++)
            args[i] = tree_operand(c, &node->call->args[i], NULL);
        out[0] = tree_arg(c, node->call->outputs[0]);
        Op *op = tree_emit(c, tree_join_row.forward[0]);
        op->args = args;
        op->arg_count = node->call->arg_count;
        op->outs = out;
        op->out_count = 1;
        return;
    }
    default: return;
    }
}
