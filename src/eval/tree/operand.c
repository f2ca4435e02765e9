/* Operands: where the variables, members and pointers of the emitted text lie in a frame. */
#include "eval/tree/code.h"

#include <stdlib.h>
#include <string.h>

/* ---- pointers ---- */

static TreeRef *ref_at(const Machine *m, uint32_t offset)
{
    return REF_OF(m->frame + offset);
}

/* ref = address of args[0], as many cells further on as its `cells` say; op->number: where the reference lies */
static void run_address_of(Machine *m, const Op *op)
{
    Cell *base = tree_at(m, op->args[0].value);
    ref_at(m, op->number)->at = base ? base + op->args[0].cells : NULL;
    if (!base)
        tree_fail(m, op, FINDING_UNSET_VARIABLE, "a reference that was never set is used");
}

/* ref = element of the array that args[0] refers to */
static void run_pointer_element(Machine *m, const Op *op)
{
    const Cell *array = tree_at(m, op->args[0].value);
    ref_at(m, op->number)->at = tree_element(m, op, ARRAY_OF(array), false, op->args + 1, op->arg_count - 1);
}

/* ref = a view, kept in a temporary (the cells behind the reference) */
static void run_pointer_view(Machine *m, const Op *op)
{
    TreeArray *view = ARRAY_OF(m->frame + op->number + REF_CELLS);
    const Cell *array = tree_at(m, op->args[0].value);
    TreeArray made;
    if (!tree_view(m, op, ARRAY_OF(array), op->args + 1, op->arg_count - 1, &made))
        return;
    *view = made;
    ref_at(m, op->number)->at = m->frame + op->number + REF_CELLS;
}

/* ref = a component of the vector or matrix that args[0] refers to; a row where a matrix has one index */
static void run_pointer_component(Machine *m, const Op *op)
{
    const Type *type = op->args[0].type;
    uint32_t rows = type ? type->composite.rows : op->args[0].cells, cols = type ? type->composite.cols : 1;
    int64_t row = (int32_t)tree_at(m, op->args[1].value)->integer, col = 0;
    if (op->arg_count > 2)
        col = (int32_t)tree_at(m, op->args[2].value)->integer;
    row += row < 0 ? rows : 0;
    col += col < 0 ? cols : 0;
    ref_at(m, op->number)->at = NULL;
    if (row < 0 || row >= rows || col < 0 || col >= cols)
        tree_fail(m, op, FINDING_OUT_OF_BOUNDS, "an index is outside the vector or matrix");
    else
        ref_at(m, op->number)->at = tree_at(m, op->args[0].value) + row * cols + col;
}

static int32_t emit_address_of(Compiler *c, int32_t base, uint32_t offset)
{
    uint32_t ref = tree_temporary(c, REF_CELLS);
    TreeArg *args = tree_args(c, 1);
    args[0] = (TreeArg){.value = base, .cells = offset};
    Op *op = tree_emit(c, run_address_of);
    op->args = args;
    op->arg_count = 1;
    op->number = ref;
    return (int32_t)ref;
}

/* A part of an operand, `offset` cells into it. */
static int32_t part_of(Compiler *c, int32_t base, uint32_t offset)
{
    if (!offset)
        return base;
    return base >= 0 ? base + (int32_t)offset : ~emit_address_of(c, base, offset);
}

static TreeField field_of(Compiler *c, const Type *type, const char *field, size_t len)
{
    TreeField found;
    if (!tree_field(c->arena, type, field, len, &found))
        tree_refuse(c, "the member '%.*s'", (int)len, field);
    return found;
}

/* ---- variables ---- */

static int param_named(const IrFunction *function, const char *name, size_t len)
{
    for (uint32_t i = 0; i < function->params.count; i++) {
        const char *label = function->params.items[i]->label;
        if (label && strlen(label) == len && memcmp(label, name, len) == 0)
            return (int)i;
    }
    return -1;
}

/* `x`, `3.inner`, `s.inner.part`; bare: `adj_x`, which names the adjoint itself. */
static Slot labelled_slot(Compiler *c, const IrVar *var)
{
    const char *name = var->label;
    bool adjoint = var->bare && strncmp(name, "adj_", 4) == 0;
    if (adjoint)
        name += 4;
    size_t len = strcspn(name, ".");
    Slot slot;
    const Type *type;
    int param = param_named(c->function, name, len);
    if (param >= 0) {
        slot = (Slot){c->code->params[param], c->code->param_adjoints[param]};
        type = c->function->params.items[param]->type;
    } else {
        char *end;
        unsigned long index = strtoul(name, &end, 10);
        if (end != name + len || index >= c->function->vars.count)
            tree_refuse(c, "the name '%s'", var->label);
        slot = c->vars[index];
        type = c->function->vars.items[index]->type;
    }
    if (adjoint) {
        if (c->code->kind == CODE_FORWARD)
            tree_refuse(c, "an adjoint outside of a custom gradient");
        /* A reference parameter's adjoint is a pointer; it is named as one. */
        slot.value = type->kind == TYPE_REF ? ~slot.adjoint : slot.adjoint;
        slot.adjoint = slot.value;
    }
    for (name += len; *name == '.'; name += len) {
        name++;
        len = strcspn(name, ".");
        TreeField field = field_of(c, type_strip_reference(type), name, len);
        slot.value = part_of(c, slot.value, field.offset);
        if (c->code->kind != CODE_FORWARD)
            slot.adjoint = part_of(c, slot.adjoint, field.offset);
        type = field.type;
    }
    return slot;
}

TreeArg tree_arg(Compiler *c, const IrVar *var)
{
    const Type *type = type_strip_reference(var->type);
    TreeArg arg = {.type = type, .layout = type->kind == TYPE_FUNCTION ? NULL : tree_layout_of(c, type)};
    Slot slot = var->label ? labelled_slot(c, var) : c->vars[var->index];
    arg.value = slot.value;
    arg.adjoint = slot.adjoint;
    arg.cells = arg.layout ? arg.layout->cells : 0;
    return arg;
}

TreeArg *tree_args(Compiler *c, uint32_t count)
{
    return ARENA_ARRAY(c->arena, TreeArg, count ? count : 1);
}

TreeArg tree_operand(Compiler *c, const IrOperand *value, const IrOperand *adjoint)
{
    TreeArg arg = {0};
    if (value->kind == OPERAND_VAR)
        arg = tree_arg(c, value->var);
    else
        arg.value = tree_emit_pointer(c, value->origin, false);
    if (!adjoint || c->code->kind != CODE_REVERSE)
        return arg;
    if (adjoint->kind == OPERAND_VAR)
        arg.adjoint = tree_arg(c, adjoint->var).adjoint;
    else if (adjoint->kind == OPERAND_POINTER)
        arg.adjoint = tree_emit_pointer(c, adjoint->origin, true);
    return arg;
}

/* ---- the way from a variable to a part ---- */

typedef struct Lvalue {
    int32_t at;       /* an operand */
    const Type *type; /* NULL: a part of a transform */
    uint32_t cells;
} Lvalue;

static void step_by_indices(Compiler *c, Lvalue *lvalue, const IrStep *step, TreeFn run, uint32_t extra_cells)
{
    uint32_t ref = tree_temporary(c, REF_CELLS + extra_cells);
    TreeArg *args = tree_args(c, step->index_count + 1);
    args[0] = (TreeArg){.value = lvalue->at, .type = lvalue->type, .cells = lvalue->cells};
    for (uint32_t i = 0; i < step->index_count; i++)
        args[i + 1] = tree_arg(c, step->indices[i]);
    Op *op = tree_emit(c, run);
    op->args = args;
    op->arg_count = step->index_count + 1;
    op->number = ref;
    lvalue->at = ~(int32_t)ref;
}

static void take_step(Compiler *c, Lvalue *lvalue, const IrStep *step)
{
    const Type *type = lvalue->type;
    if (step->kind == STEP_FIELD) {
        if (step->cast)
            tree_refuse(c, "the address of an array's memory");
        TreeField field = field_of(c, type, step->field, strlen(step->field));
        lvalue->at = part_of(c, lvalue->at, field.offset);
        lvalue->type = field.type;
        lvalue->cells = field.cells;
        return;
    }
    if (step->kind == STEP_INDEX) {
        if (type && !type_is_composite(type))
            tree_refuse(c, "a reference to a part of this");
        step_by_indices(c, lvalue, step, run_pointer_component, 0);
        bool row = type && type->kind == TYPE_MAT && step->index_count == 1;
        lvalue->type = row    ? type_vec(c->program->module->unit->types, type->composite.cols, type->composite.dtype)
                       : type ? type->composite.dtype
                              : NULL;
        lvalue->cells = row ? type->composite.cols : 1;
        return;
    }
    if (!type || type->kind != TYPE_ARRAY)
        tree_refuse(c, "a reference to an element of this");
    if (step->kind == STEP_VIEW) {
        step_by_indices(c, lvalue, step, run_pointer_view, ARRAY_CELLS);
        lvalue->cells = ARRAY_CELLS;
        return;
    }
    step_by_indices(c, lvalue, step, run_pointer_element, 0);
    lvalue->type = type->array.dtype;
    lvalue->cells = tree_layout_of(c, lvalue->type)->cells;
}

int32_t tree_emit_pointer(Compiler *c, const IrOrigin *origin, bool adjoint)
{
    TreeArg root = tree_arg(c, origin->root);
    Lvalue lvalue = {.type = root.type, .cells = root.cells};
    if (adjoint)
        lvalue.at = root.adjoint; /* of a reference parameter: through the pointer that was passed */
    else
        lvalue.at = origin->root_is_reference ? ~root.value : root.value;
    for (uint32_t i = 0; i < origin->step_count; i++)
        take_step(c, &lvalue, &origin->steps[i]);
    return lvalue.at < 0 ? ~lvalue.at : emit_address_of(c, lvalue.at, 0);
}
