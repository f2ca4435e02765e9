/* Stores to one component of an array element: `a[i].y = x`, `a[i][r, c] = x`, `a[i].field = x`. */
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

void tree_compile_slot(Compiler *c, const IrNode *node, bool reverse)
{
    const IrPath *path = node->slot.path;
    const IrStep *element = &path->steps[0];
    uint32_t count = 2;
    for (uint32_t i = 0; i < path->step_count; i++)
        count += path->steps[i].index_count;
    TreeArg *args = tree_args(c, count);
    SlotPath *slot = ARENA_NEW(c->arena, SlotPath);
    args[0] = tree_arg(c, path->root);
    if (path->root->type->kind == TYPE_REF)
        tree_refuse(c, "a component of an array element behind a reference");
    args[1] = tree_arg(c, node->slot.value);
    for (uint32_t i = 0; i < element->index_count; i++)
        args[2 + i] = tree_arg(c, element->indices[i]);
    slot->index_count = element->index_count;
    slot->layout = args[1].layout;
    compile_steps(c, path, slot, args);
    Op *op = tree_emit(c, reverse ? adj_set_slot : run_set_slot);
    op->args = args;
    op->arg_count = count;
    op->detail = slot;
}
