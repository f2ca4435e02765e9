/* The three walks of emit/walk.c, as code instead of text. */
#include "eval/tree_code.h"

#include <stdlib.h>
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

/* op->number cells from outs[0] on */
static void run_clear_cells(Machine *m, const Op *op)
{
    memset(RESULT(0), 0, op->number * sizeof(Cell));
}

static void run_goto(Machine *m, const Op *op)
{
    m->next = op->target;
}

static void run_unless(Machine *m, const Op *op)
{
    if (!tree_truth(VALUE(0), op->args[0].type))
        m->next = op->target;
}

static void run_if(Machine *m, const Op *op)
{
    if (tree_truth(VALUE(0), op->args[0].type))
        m->next = op->target;
}

/* The end of a range: jumps when there is no next value. */
static void run_range_end(Machine *m, const Op *op)
{
    const Cell *range = VALUE(0);
    int64_t step = range[2].integer, now = range[3].integer, end = range[1].integer;
    if (step == 0 || (step > 0 ? now >= end : now <= end))
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

const TreeFn tree_op_copy = run_copy, tree_op_halt = run_halt;

static void emit_to(Compiler *c, TreeFn run, TreeArg out, TreeArg in)
{
    TreeArg *args = tree_args(c, 2);
    args[0] = out;
    args[1] = in;
    Op *op = tree_emit(c, run);
    op->outs = args;
    op->out_count = 1;
    op->args = args + 1;
    op->arg_count = 1;
}

static Op *emit_on(Compiler *c, TreeFn run, TreeArg arg)
{
    TreeArg *args = tree_args(c, 1);
    args[0] = arg;
    Op *op = tree_emit(c, run);
    op->args = op->outs = args;
    op->arg_count = op->out_count = 1;
    return op;
}

static TreeArg adjoint_of(TreeArg arg)
{
    arg.value = arg.adjoint;
    return arg;
}

/* ---- comparisons ---- */

typedef enum Common { COMMON_REAL, COMMON_FLOAT32, COMMON_INT, COMMON_UNSIGNED } Common; /* what both sides are compared as */

typedef struct Comparison {
    OpKind op;
    Common common;
    bool is_wide;             /* unsigned: 64 bits, not 32 */
} Comparison;

static double as_real(Cell cell, const Type *type)
{
    if (type_is_float(type))
        return cell.real;
    return type->kind == TYPE_UINT64 ? (double)(uint64_t)cell.integer : (double)cell.integer;
}

static bool is_true(OpKind op, int order, bool unordered)
{
    switch (op) {
    case OP_EQ: return !unordered && order == 0;
    case OP_NOT_EQ: return unordered || order != 0;
    case OP_LT: return !unordered && order < 0;
    case OP_LT_E: return !unordered && order <= 0;
    case OP_GT: return !unordered && order > 0;
    default: return !unordered && order >= 0;
    }
}

static bool compare_cells(Cell left, const Type *left_type, Cell right, const Type *right_type, const Comparison *as)
{
    if (as->common <= COMMON_FLOAT32) {
        double a = as_real(left, left_type), b = as_real(right, right_type);
        if (as->common == COMMON_FLOAT32) {
            a = (double)(float)a;
            b = (double)(float)b;
        }
        return is_true(as->op, (a > b) - (a < b), a != a || b != b);
    }
    if (as->common == COMMON_UNSIGNED) {
        uint64_t a = (uint64_t)left.integer, b = (uint64_t)right.integer;
        if (!as->is_wide) {
            a = (uint32_t)a;
            b = (uint32_t)b;
        }
        return is_true(as->op, (a > b) - (a < b), false);
    }
    return is_true(as->op, (left.integer > right.integer) - (left.integer < right.integer), false);
}

/* Vectors and the like are compared as a whole: equal or not. */
static bool compare_values(Machine *m, const TreeArg *left, const TreeArg *right, const Comparison *as)
{
    const Cell *a = tree_at(m, left->value), *b = tree_at(m, right->value);
    const Type *a_type = type_scalar_of(left->type), *b_type = type_scalar_of(right->type);
    if (left->cells == 1)
        return compare_cells(*a, a_type, *b, b_type, as);
    Comparison equal = *as;
    equal.op = OP_EQ;
    bool all = true;
    for (uint32_t i = 0; all && i < left->cells && i < right->cells; i++)
        all = compare_cells(a[i], a_type, b[i], b_type, &equal);
    return as->op == OP_EQ ? all : !all;
}

static void run_compare(Machine *m, const Op *op)
{
    const Comparison *chain = op->detail;
    bool truth = true;
    for (uint32_t i = 0; truth && i < op->number; i++)
        truth = compare_values(m, &op->args[i], &op->args[i + 1], &chain[i]);
    RESULT(0)->integer = truth;
}

static void run_compare_reals(Machine *m, const Op *op)
{
    double a = VALUE(0)->real, b = VALUE(1)->real;
    RESULT(0)->integer = is_true((OpKind)op->number, (a > b) - (a < b), a != a || b != b);
}

static void run_compare_integers(Machine *m, const Op *op)
{
    int64_t a = VALUE(0)->integer, b = VALUE(1)->integer;
    RESULT(0)->integer = is_true((OpKind)op->number, (a > b) - (a < b), false);
}

static unsigned rank(const Type *type)
{
    return type->kind == TYPE_INT64 || type->kind == TYPE_UINT64 || type->kind == TYPE_HANDLE ? 8 : 4;
}

/* The usual arithmetic conversions of C++. */
static Comparison common_of(Compiler *c, OpKind op, const Type *left, const Type *right)
{
    Comparison out = {.op = op, .common = COMMON_INT};
    left = type_scalar_of(left);
    right = type_scalar_of(right);
    bool reals = type_is_float(left) || type_is_float(right);
    if (reals) {
        bool both = type_is_float(left) && type_is_float(right);
        bool doubled = c->program->in_double || left->kind == TYPE_FLOAT64 || right->kind == TYPE_FLOAT64;
        out.common = both || doubled ? COMMON_REAL : COMMON_FLOAT32;
        return out;
    }
    bool left_unsigned = left->kind == TYPE_UINT32 || left->kind == TYPE_UINT64 || left->kind == TYPE_HANDLE;
    bool right_unsigned = right->kind == TYPE_UINT32 || right->kind == TYPE_UINT64 || right->kind == TYPE_HANDLE;
    unsigned widest = rank(left) > rank(right) ? rank(left) : rank(right);
    bool is_unsigned = (left_unsigned && rank(left) == widest) || (right_unsigned && rank(right) == widest);
    if (is_unsigned)
        out.common = COMMON_UNSIGNED;
    out.is_wide = widest == 8;
    return out;
}

static void compile_compare(Compiler *c, const IrCompare *compare)
{
    TreeArg *args = tree_args(c, compare->count + 2);
    Comparison *chain = ARENA_ARRAY(c->arena, Comparison, compare->count);
    args[0] = tree_arg(c, compare->left);
    for (uint32_t i = 0; i < compare->count; i++) {
        args[i + 1] = tree_arg(c, compare->right[i]);
        if (args[i].type->kind >= TYPE_STR && !type_is_composite(args[i].type))
            tree_refuse(c, "a comparison of these");
        chain[i] = common_of(c, compare->ops[i], args[i].type, args[i + 1].type);
    }
    args[compare->count + 1] = tree_arg(c, compare->output);
    bool simple = compare->count == 1 && args[0].cells == 1 && (chain[0].common == COMMON_INT ||
                  (type_is_float(type_scalar_of(args[0].type)) && type_is_float(type_scalar_of(args[1].type))));
    TreeFn run = !simple ? run_compare : chain[0].common == COMMON_INT ? run_compare_integers : run_compare_reals;
    Op *op = tree_emit(c, run);
    op->args = args;
    op->arg_count = compare->count + 1;
    op->outs = &args[compare->count + 1];
    op->out_count = 1;
    op->detail = chain;
    op->number = simple ? (uint32_t)compare->ops[0] : compare->count;
}

/* ---- members and slots ---- */

static void run_point_at(Machine *m, const Op *op)
{
    Cell *base = VALUE(0);
    REF_OF(RESULT(0))->at = base ? base + op->number : NULL;
    if (!base)
        tree_fail(m, op, FINDING_UNSET_VARIABLE, "a reference that was never set is used");
}

static TreeField member_field(Compiler *c, const IrVar *aggregate, const char *field)
{
    TreeField found;
    if (!tree_field(c->arena, type_strip_reference(aggregate->type), field, strlen(field), &found))
        tree_refuse(c, "the member '%s'", field);
    return found;
}

static void compile_member(Compiler *c, const IrNode *node)
{
    if (node->member.cast)
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
    emit_to(c, run_point_at, target, from);
    c->ops[c->op_count - 1].number = offset;
}

/* A part of an adjoint (or value) as an operand of its own. */
static TreeArg part(Compiler *c, TreeArg whole, TreeField field, const TreeLayout *layout)
{
    if (whole.value >= 0)
        whole.value += (int32_t)field.offset;
    else if (field.offset) {
        uint32_t ref = tree_temporary(c, REF_CELLS);
        TreeArg target = {.value = (int32_t)ref};
        emit_to(c, run_point_at, target, whole);
        c->ops[c->op_count - 1].number = field.offset;
        whole.value = ~(int32_t)ref;
    }
    whole.layout = layout;
    whole.cells = layout->cells;
    return whole;
}

static void reverse_member(Compiler *c, const IrNode *node)
{
    TreeArg target = adjoint_of(tree_arg(c, node->member.target));
    TreeField field = member_field(c, node->member.aggregate, node->member.field);
    TreeArg sum = part(c, adjoint_of(tree_arg(c, node->member.aggregate)), field, target.layout);
    emit_to(c, node->member.differentiable ? run_accumulate : run_copy, sum, target);
}

static void compile_set_member(Compiler *c, const IrNode *node)
{
    TreeArg value = tree_arg(c, node->set_member.value);
    TreeField field = member_field(c, node->set_member.aggregate, node->set_member.field);
    TreeArg target = part(c, tree_arg(c, node->set_member.aggregate), field, value.layout);
    emit_to(c, run_copy, target, value);
}

static void reverse_set_member(Compiler *c, const IrNode *node)
{
    TreeArg value = adjoint_of(tree_arg(c, node->set_member.value));
    TreeField field = member_field(c, node->set_member.aggregate, node->set_member.field);
    TreeArg member = part(c, adjoint_of(tree_arg(c, node->set_member.aggregate)), field, value.layout);
    if (node->set_member.differentiable)
        emit_to(c, run_accumulate, value, member);
    emit_on(c, run_clear, member);
}

/* A component of an array element: the element's indices, then a fixed offset, then up to a few index variables. */
typedef struct SlotIndex {
    uint32_t arg;             /* which of the operation's operands */
    uint32_t limit, stride;   /* in cells */
} SlotIndex;

typedef struct SlotPath {
    uint32_t offset, index_count;
    SlotIndex indices[16];
    uint32_t count;
    const TreeLayout *layout;
} SlotPath;

static Cell *slot_in(Machine *m, const Op *op, Cell *element)
{
    const SlotPath *path = op->detail;
    if (!element)
        return NULL;
    element += path->offset;
    for (uint32_t i = 0; i < path->count; i++) {
        int64_t index = VALUE(path->indices[i].arg)->integer; /* a plain subscript: no counting from the end */
        if (index < 0 || index >= path->indices[i].limit) {
            tree_fail(m, op, FINDING_OUT_OF_BOUNDS, "an index is outside the vector or matrix");
            return NULL;
        }
        element += index * path->indices[i].stride;
    }
    return element;
}

/* args: array, value, indices of the element, indices of the component */
static void run_set_slot(Machine *m, const Op *op)
{
    const SlotPath *path = op->detail;
    Cell *slot = slot_in(m, op, tree_element(m, op, ARRAY_OF(VALUE(0)), false, op->args + 2, path->index_count));
    if (slot)
        tree_copy(slot, VALUE(1), path->layout);
}

static void adj_set_slot(Machine *m, const Op *op)
{
    const SlotPath *path = op->detail;
    bool own;
    Cell *slot = slot_in(m, op, tree_adjoint_element(m, op, ARRAY_OF(VALUE(0)), ARRAY_OF(ADJOINT(0)), op->args + 2,
                                                     path->index_count, &own));
    if (!slot)
        return;
    tree_accumulate(ADJOINT(1), slot, path->layout);
    if (own)
        tree_clear(slot, path->layout);
}

static uint32_t component_number(const char *text)
{
    static const char letters[] = "xyzw";
    const char *found = strchr(letters, text[0]);
    return found && text[0] ? (uint32_t)(found - letters) : UINT32_MAX;
}

/* `.c[1]`, `.x`, `.p`, `.field`, `[` i `]`, `.data[` i `][` j `]` */
static void read_slot_path(Compiler *c, const IrNode *node, SlotPath *path, TreeArg *args)
{
    const Type *type = type_strip_reference(node->slot.array->type)->array.dtype;
    uint32_t part_cells = 0, next = 2 + node->slot.index_count;
    for (uint32_t i = 0; i < node->slot.part_count; i++) {
        const char *text = node->slot.parts[i].text;
        if (!text) {
            if (path->count == 16)
                tree_refuse(c, "so deep a component");
            SlotIndex *index = &path->indices[path->count++];
            index->arg = next;
            args[next++] = tree_arg(c, node->slot.parts[i].var);
            bool row = type && type->kind == TYPE_MAT && i + 1 < node->slot.part_count && node->slot.parts[i + 1].text &&
                       strcmp(node->slot.parts[i + 1].text, "][") == 0;
            index->limit = row ? type->composite.rows : type && type->kind == TYPE_MAT ? type->composite.cols : type ? type->composite.rows : part_cells;
            index->stride = row ? type->composite.cols : 1;
        } else if (strncmp(text, ".c[", 3) == 0)
            path->offset += (uint32_t)strtoul(text + 3, NULL, 10);
        else if (text[0] == '.' && strncmp(text, ".data[", 6) != 0) {
            TreeField field;
            if (type && type->kind == TYPE_QUAT && component_number(text + 1) != UINT32_MAX)
                path->offset += component_number(text + 1);
            else if (tree_field(c->arena, type, text + 1, strlen(text + 1), &field)) {
                path->offset += field.offset;
                type = field.type;
                part_cells = field.cells;
            } else if (!type && component_number(text + 1) != UINT32_MAX)
                path->offset += component_number(text + 1);
            else
                tree_refuse(c, "the member '%s'", text + 1);
        }
    }
}

static void compile_slot(Compiler *c, const IrNode *node, bool reverse)
{
    uint32_t vars = 0;
    for (uint32_t i = 0; i < node->slot.part_count; i++)
        vars += !node->slot.parts[i].text;
    uint32_t count = 2 + node->slot.index_count + vars;
    TreeArg *args = tree_args(c, count);
    SlotPath *path = ARENA_NEW(c->arena, SlotPath);
    args[0] = tree_arg(c, node->slot.array);
    if (node->slot.array->type->kind == TYPE_REF)
        tree_refuse(c, "a component of an array element behind a reference");
    args[1] = tree_arg(c, node->slot.value);
    for (uint32_t i = 0; i < node->slot.index_count; i++)
        args[2 + i] = tree_arg(c, node->slot.indices[i]);
    path->index_count = node->slot.index_count;
    path->layout = args[1].layout;
    read_slot_path(c, node, path, args);
    Op *op = tree_emit(c, reverse ? adj_set_slot : run_set_slot);
    op->args = args;
    op->arg_count = count;
    op->detail = path;
}

/* ---- plain instructions: what forward and replay have in common ---- */

static void compile_literal(Compiler *c, const IrNode *node)
{
    TreeArg target = tree_arg(c, node->literal.target);
    Cell *cells = ARENA_ARRAY(c->arena, Cell, target.cells);
    if (!tree_constant(node->literal.value, node->literal.target->type, c->program->in_double, cells))
        tree_refuse(c, "a constant of this kind");
    emit_on(c, run_literal, target)->detail = cells;
}

static void compile_instruction(Compiler *c, const IrNode *node)
{
    switch (node->kind) {
    case IR_COMPARE: compile_compare(c, &node->compare); return;
    case IR_SET: case IR_SET_ADJOINT: emit_to(c, run_copy, tree_arg(c, node->set.target), tree_arg(c, node->set.value)); return;
    case IR_LOGIC:
        emit_to(c, run_join_truth, tree_arg(c, node->set.target), tree_arg(c, node->set.value));
        c->ops[c->op_count - 1].number = (uint32_t)node->set.op;
        return;
    case IR_SET_REFERENCE: emit_to(c, run_store_through, tree_arg(c, node->set.target), tree_arg(c, node->set.value)); return;
    case IR_BREAK: case IR_CONTINUE: {
        LabelKind start = node->jump.is_while ? LABEL_START_WHILE : LABEL_START_FOR;
        LabelKind end = node->jump.is_while ? LABEL_END_WHILE : LABEL_END_FOR;
        tree_emit_jump(c, tree_emit(c, run_goto), node->kind == IR_BREAK ? end : start, node->jump.label);
        return;
    }
    case IR_MEMBER: compile_member(c, node); return;
    case IR_SET_MEMBER: compile_set_member(c, node); return;
    case IR_SET_SLOT: compile_slot(c, node, false); return;
    case IR_SET_LITERAL: compile_literal(c, node); return;
    case IR_ASSERT: return; /* off in the release builds that Warp makes */
    case IR_ADDRESS_OF: tree_refuse(c, "an address as a number");
    case IR_ZERO: emit_on(c, run_clear, tree_arg(c, node->target)); return;
    case IR_ONE: emit_on(c, run_one, tree_arg(c, node->target)); return;
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
        emit_to(c, run_copy, result_arg(c, i, false), tree_arg(c, node->ret.values[i]));
}

static void compile_return(Compiler *c, const IrNode *node)
{
    copy_results(c, node);
    tree_emit(c, run_halt);
}

static void replay_return(Compiler *c, const IrNode *node)
{
    if (node->ret.count > 1)
        copy_results(c, node);
    tree_emit_jump(c, tree_emit(c, run_goto), LABEL_RETURN, node->ret.label);
}

static void reverse_return(Compiler *c, const IrNode *node)
{
    tree_place_label(c, LABEL_RETURN, node->ret.label);
    for (uint32_t i = node->ret.count; i-- > 0;)
        if (i < c->code->result_count)
            emit_to(c, run_accumulate, adjoint_of(tree_arg(c, node->ret.values[i])), result_arg(c, i, true));
}

/* ---- regions ---- */

static void compile_if(Compiler *c, const IrIf *node, const IrVar *condition, void (*walk)(Compiler *, const IrRegion *))
{
    uint32_t end = c->inner_labels++;
    Op *op = emit_on(c, node->negated ? run_if : run_unless, tree_arg(c, condition));
    tree_emit_jump(c, op, LABEL_INNER, end);
    walk(c, &node->body);
    tree_place_label(c, LABEL_INNER, end);
}

static void compile_for_head(Compiler *c, const IrFor *node)
{
    tree_place_label(c, LABEL_START_FOR, node->label);
    Op *op = emit_on(c, run_range_end, tree_arg(c, node->range));
    if (op->args[0].cells != RANGE_CELLS)
        tree_refuse(c, "a loop over a query");
    tree_emit_jump(c, op, LABEL_END_FOR, node->label);
    tree_walk_forward(c, &node->head);
}

static void compile_for(Compiler *c, const IrFor *node)
{
    compile_for_head(c, node);
    tree_walk_forward(c, &node->body);
    tree_emit_jump(c, tree_emit(c, run_goto), LABEL_START_FOR, node->label);
    tree_place_label(c, LABEL_END_FOR, node->label);
}

/* Adjoints that lie side by side are cleared together. */
static void clear_adjoints(Compiler *c, const IrVarList *locals)
{
    Op *last = NULL;
    for (uint32_t i = 0; i < locals->count; i++) {
        if (locals->items[i]->type->kind == TYPE_FUNCTION)
            continue;
        TreeArg adjoint = adjoint_of(tree_arg(c, locals->items[i]));
        if (adjoint.layout->fixed || adjoint.value < 0) {
            emit_on(c, run_clear, adjoint);
            last = NULL;
        } else if (last && last->args[0].value + (int32_t)last->number == adjoint.value)
            last->number += adjoint.cells;
        else {
            last = emit_on(c, run_clear_cells, adjoint);
            last->number = adjoint.cells;
        }
    }
}

static void reverse_for(Compiler *c, const IrFor *node)
{
    enum TreeVariant variant;
    TreeArg range = tree_arg(c, node->range);
    emit_on(c, tree_find_row("iter_reverse", &range, 1, false, NULL, &variant)->forward[0], range);
    compile_for_head(c, node);
    clear_adjoints(c, &node->locals);
    tree_walk_replay(c, &node->body);
    tree_walk_reverse(c, &node->body);
    tree_emit_jump(c, tree_emit(c, run_goto), LABEL_START_FOR, node->label);
    tree_place_label(c, LABEL_END_FOR, node->label);
}

static void compile_while_head(Compiler *c, const IrWhile *node)
{
    tree_place_label(c, LABEL_START_WHILE, node->label);
    tree_walk_forward(c, &node->test);
    tree_emit_jump(c, emit_on(c, run_unless, tree_arg(c, node->condition)), LABEL_END_WHILE, node->label);
}

static void compile_while(Compiler *c, const IrWhile *node)
{
    compile_while_head(c, node);
    tree_walk_forward(c, &node->body);
    tree_emit_jump(c, tree_emit(c, run_goto), LABEL_START_WHILE, node->label);
    tree_place_label(c, LABEL_END_WHILE, node->label);
}

static void reverse_while(Compiler *c, const IrWhile *node)
{
    compile_while_head(c, node);
    clear_adjoints(c, &node->locals);
    tree_walk_replay(c, &node->body);
    tree_walk_reverse(c, &node->body);
    tree_emit_jump(c, tree_emit(c, run_goto), LABEL_START_WHILE, node->label);
    tree_place_label(c, LABEL_END_WHILE, node->label);
}

/* ---- the walks ---- */

void tree_walk_forward(Compiler *c, const IrRegion *region)
{
    for (uint32_t i = 0; i < region->count; i++) {
        const IrNode *node = region->items[i];
        c->source = node->source;
        switch (node->kind) {
        case IR_CALL: tree_emit_call(c, node->call, false); break;
        case IR_IF: compile_if(c, node->if_node, node->if_node->condition, tree_walk_forward); break;
        case IR_FOR: compile_for(c, node->for_node); break;
        case IR_WHILE: compile_while(c, node->while_node); break;
        case IR_RETURN: compile_return(c, node); break;
        case IR_RETURN_DEFAULT:
            for (uint32_t k = 0; k < c->code->result_count && c->code->result_count == 1; k++)
                emit_on(c, run_clear, result_arg(c, k, false));
            tree_emit(c, run_halt);
            break;
        default: compile_instruction(c, node); break;
        }
    }
}

void tree_walk_replay(Compiler *c, const IrRegion *region)
{
    for (uint32_t i = 0; i < region->count; i++) {
        const IrNode *node = region->items[i];
        c->source = node->source;
        switch (node->kind) {
        case IR_CALL: tree_emit_call(c, node->call, true); break;
        case IR_IF: compile_if(c, node->if_node, node->if_node->condition, tree_walk_replay); break;
        case IR_FOR: case IR_WHILE: case IR_RETURN_DEFAULT: break;
        case IR_RETURN: replay_return(c, node); break;
        default: compile_instruction(c, node); break;
        }
    }
}

void tree_walk_reverse(Compiler *c, const IrRegion *region)
{
    for (uint32_t i = region->count; i-- > 0;) {
        const IrNode *node = region->items[i];
        c->source = node->source;
        switch (node->kind) {
        case IR_CALL: tree_emit_reverse_call(c, node->call); break;
        case IR_IF: compile_if(c, node->if_node, node->if_node->reverse_condition, tree_walk_reverse); break;
        case IR_FOR: reverse_for(c, node->for_node); break;
        case IR_WHILE: reverse_while(c, node->while_node); break;
        case IR_RETURN: reverse_return(c, node); break;
        case IR_MEMBER: reverse_member(c, node); break;
        case IR_SET_MEMBER: reverse_set_member(c, node); break;
        case IR_SET_SLOT: compile_slot(c, node, true); break;
        default: break;
        }
    }
}
