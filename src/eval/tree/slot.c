/* Stores to one component of an array element: `a[i].y = x`, `a[i][r, c] = x`, `a[i].field = x`. */
#include "eval/tree/code.h"

#include <stdlib.h>
#include <string.h>

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
            bool row = type && type->kind == TYPE_MAT && i + 1 < node->slot.part_count &&
                       node->slot.parts[i + 1].text && strcmp(node->slot.parts[i + 1].text, "][") == 0;
            index->limit = row                              ? type->composite.rows
                           : type && type->kind == TYPE_MAT ? type->composite.cols
                           : type                           ? type->composite.rows
                                                            : part_cells;
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

void tree_compile_slot(Compiler *c, const IrNode *node, bool reverse)
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
