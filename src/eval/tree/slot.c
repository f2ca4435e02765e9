/* Parts of array elements: `a[i].y = x`, `a[i][r, c] += x`, `a[i].field = x`. */
#include "eval/tree/code.h"

/* A component of an array element: the element's indices, then a fixed offset, then up to a few index variables. */
typedef struct SlotIndex {
    uint32_t arg;           /* which of the operation's operands */
    uint32_t limit, stride; /* in cells */
} SlotIndex;

typedef struct SlotPath {
    uint32_t offset, index_count;
    SlotIndex indices[16];
    uint32_t count;
    bool from_the_end; /* a negative index counts from the end */
    AtomicKind operation;
    const TreeLayout *layout;
} SlotPath;

static Cell *slot_in(Machine *m, const Op *op, Cell *element)
{
    const SlotPath *path = op->detail;
    if (!element)
        return NULL;
    element += path->offset;
    for (uint32_t i = 0; i < path->count; i++) {
        int64_t index = VALUE(path->indices[i].arg)->integer;
        if (path->from_the_end && index < 0)
            index += path->indices[i].limit;
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
    Cell *slot = slot_in(m, op, tree_named_element(m, op, op->args + 2, path->index_count));
    if (slot)
        tree_copy(slot, VALUE(1), path->layout);
}

static void adj_set_slot(Machine *m, const Op *op)
{
    const SlotPath *path = op->detail;
    bool own;
    Cell *slot = slot_in(
        m, op,
        tree_adjoint_element(m, op, ARRAY_OF(VALUE(0)), ARRAY_OF(ADJOINT(0)), op->args + 2, path->index_count, &own));
    if (!slot)
        return;
    tree_accumulate(ADJOINT(1), slot, path->layout);
    if (own)
        tree_clear(slot, path->layout);
}

/* args: likewise, without a value. The source names the element once, where it is stored. */
static void run_slot_address(Machine *m, const Op *op)
{
    const SlotPath *path = op->detail;
    Cell *element = tree_element(m, op, ARRAY_OF(VALUE(0)), false, op->args + 2, path->index_count);
    REF_OF(RESULT(0))->at = slot_in(m, op, element);
}

static void run_update_slot(Machine *m, const Op *op)
{
    const SlotPath *path = op->detail;
    Cell *slot = slot_in(m, op, tree_named_element(m, op, op->args + 2, path->index_count));
    if (slot)
        tree_combine(m, path->operation, slot, VALUE(1), NULL, &op->args[1]);
}

static void adj_update_slot(Machine *m, const Op *op)
{
    const SlotPath *path = op->detail;
    bool own;
    const Cell *slot = slot_in(
        m, op,
        tree_adjoint_element(m, op, ARRAY_OF(VALUE(0)), ARRAY_OF(ADJOINT(0)), op->args + 2, path->index_count, &own));
    if (slot)
        tree_add_adjoint(ADJOINT(1), path->operation == ATOMIC_SUB ? -1.0 : 1.0, slot, &op->args[1]);
}

static void add_slot_index(Compiler *c, SlotPath *slot, uint32_t arg, uint32_t limit, uint32_t stride)
{
    if (slot->count == sizeof slot->indices / sizeof *slot->indices)
        tree_refuse(c, "so deep a component");
    slot->indices[slot->count++] = (SlotIndex){arg, limit, stride};
}

/* Every step behind the element; the index variables become the last operands. */
static void compile_steps(Compiler *c, const IrPath *path, SlotPath *slot, TreeArg *args)
{
    uint32_t next = 2 + path->steps[0].index_count;
    for (uint32_t i = 1; i < path->step_count; i++) {
        const IrStep *step = &path->steps[i];
        if (step->kind == STEP_FIELD)
            slot->offset += tree_field_of(c, step->of, step->field).offset;
        else if (step->kind == STEP_COMPONENT)
            slot->offset += step->component;
        for (uint32_t k = 0; k < step->index_count; k++, next++) {
            bool is_row = step->of->kind == TYPE_MAT && k == 0;
            uint32_t rows = step->of->composite.rows, cols = step->of->composite.cols;
            args[next] = tree_arg(c, step->indices[k]);
            add_slot_index(c, slot, next, step->of->kind == TYPE_MAT && k ? cols : rows, is_row ? cols : 1);
        }
    }
}

/* The operation's operands: the array, a value (NULL: none), indices of the element and of the component. */
static SlotPath *compile_path(Compiler *c, const IrPath *path, const IrVar *value, TreeArg **args, uint32_t *count)
{
    const IrStep *element = &path->steps[0];
    *count = 2;
    for (uint32_t i = 0; i < path->step_count; i++)
        *count += path->steps[i].index_count;
    *args = tree_args(c, *count);
    SlotPath *slot = ARENA_NEW(c->arena, SlotPath);
    (*args)[0] = tree_arg(c, path->root);
    if (path->root->type->kind == TYPE_REF)
        (*args)[0].value = ~(*args)[0].value;
    if (value) {
        (*args)[1] = tree_arg(c, value);
        slot->layout = (*args)[1].layout;
    }
    for (uint32_t i = 0; i < element->index_count; i++)
        (*args)[2 + i] = tree_arg(c, element->indices[i]);
    slot->index_count = element->index_count;
    compile_steps(c, path, slot, *args);
    return slot;
}

static Op *emit_slot(Compiler *c, TreeFn run, const TreeArg *args, uint32_t count, const SlotPath *slot)
{
    Op *op = tree_emit(c, run);
    op->args = args;
    op->arg_count = count;
    op->detail = slot;
    return op;
}

void tree_compile_slot(Compiler *c, const IrNode *node, bool reverse)
{
    TreeArg *args;
    uint32_t count;
    if (node->slot.path->root->type->kind == TYPE_REF)
        tree_refuse(c, "a component of an array element behind a reference");
    SlotPath *slot = compile_path(c, node->slot.path, node->slot.value, &args, &count);
    emit_slot(c, reverse ? adj_set_slot : run_set_slot, args, count, slot);
}

/* ---- slots by reference ---- */

void tree_compile_slot_address(Compiler *c, const IrNode *node)
{
    TreeArg *args, *out = tree_args(c, 1);
    uint32_t count;
    SlotPath *slot = compile_path(c, node->slot_address.path, NULL, &args, &count);
    slot->from_the_end = true;
    out[0] = tree_arg(c, node->slot_address.target);
    Op *op = emit_slot(c, run_slot_address, args, count, slot);
    op->outs = out;
    op->out_count = 1;
}

static AtomicKind atomic_kind(SlotOperation operation)
{
    switch (operation) {
    case SLOT_ADD: return ATOMIC_ADD;
    case SLOT_SUB: return ATOMIC_SUB;
    case SLOT_AND: return ATOMIC_AND;
    case SLOT_OR: return ATOMIC_OR;
    case SLOT_XOR: return ATOMIC_XOR;
    case SLOT_STORE: break;
    }
    return ATOMIC_EXCH;
}

void tree_compile_slot_update(Compiler *c, const IrNode *node)
{
    TreeArg *args;
    uint32_t count;
    SlotPath *slot = compile_path(c, node->slot.path, node->slot.value, &args, &count);
    slot->from_the_end = true;
    slot->operation = atomic_kind(node->slot.operation);
    emit_slot(c, node->slot.operation == SLOT_STORE ? run_set_slot : run_update_slot, args, count, slot);
}

void tree_reverse_slot_update(Compiler *c, const IrNode *node)
{
    TreeArg *args;
    uint32_t count;
    SlotOperation operation = node->slot.operation;
    bool store = operation == SLOT_STORE;
    if (!store && operation != SLOT_ADD && operation != SLOT_SUB)
        return;
    const IrVar *array = node->slot.path->root;
    SlotPath *slot = compile_path(c, node->slot.path, node->slot.value, &args, &count);
    slot->from_the_end = true;
    slot->operation = atomic_kind(operation);
    if (array->origin && array->origin->step_count)
        args[0].adjoint = tree_emit_array_adjoint(c, array->origin, type_strip_reference(array->type));
    emit_slot(c, store ? adj_set_slot : adj_update_slot, args, count, slot);
}
