/* Operands: where the variables, members and pointers of the emitted text lie in a frame. */
#include "eval/tree/quick.h"

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

/* The same for what lies in the frame. */
static void quick_address_of(Machine *m, const Op *op)
{
    ref_at(m, op->number)->at = IN(0);
    GO_ON(1);
}

/* ref = element of the array that args[0] refers to */
static void run_pointer_element(Machine *m, const Op *op)
{
    const Cell *array = tree_at(m, op->args[0].value);
    ref_at(m, op->number)->at = tree_element(m, op, CONST_ARRAY_OF(array), false, op->args + 1, op->arg_count - 1);
}

/* ref = a view, kept in a temporary (the cells behind the reference) */
static void run_pointer_view(Machine *m, const Op *op)
{
    TreeArray *view = ARRAY_OF(m->frame + op->number + REF_CELLS);
    const Cell *array = tree_at(m, op->args[0].value);
    TreeArray made;
    if (!tree_view(m, op, CONST_ARRAY_OF(array), op->args + 1, op->arg_count - 1, &made))
        return;
    *view = made;
    ref_at(m, op->number)->at = m->frame + op->number + REF_CELLS;
}

/* ref = a component of the vector or matrix that args[0] refers to; a row where a matrix has one index */
static void run_pointer_component(Machine *m, const Op *op)
{
    uint32_t rows = op->args[0].type->composite.rows, cols = op->args[0].type->composite.cols;
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
    op->at[1] = base + (int32_t)offset;
    if (base >= 0)
        op->quick = quick_address_of;
    return (int32_t)ref;
}

/* A part of an operand, `offset` cells into it. */
static int32_t part_of(Compiler *c, int32_t base, uint32_t offset)
{
    if (!offset)
        return base;
    return base >= 0 ? base + (int32_t)offset : ~emit_address_of(c, base, offset);
}

/* A struct may have thousands: they are laid out once. */
static const TreeField *struct_field(Compiler *c, const Type *type, Name field)
{
    TableSlot *slot = table_add(&c->program->fields, c->arena, type);
    if (!slot->item)
        tree_list_fields(c->arena, type, slot->item = ARENA_NEW(c->arena, HashTable));
    const HashTable *fields = slot->item;
    const TableSlot *known = fields->count ? table_find(fields, field) : NULL;
    const TreeField *found = known ? known->item : NULL;
    return found && found->cells ? found : NULL;
}

TreeField tree_field_of(Compiler *c, const Type *type, Name field)
{
    TreeField found;
    const TreeField *known = type->kind == TYPE_STRUCT ? struct_field(c, type, field) : NULL;
    if (known)
        return *known;
    if (!tree_field(c->arena, type, field, &found))
        tree_refuse(c, "the member '%s'", field->text);
    return found;
}

/* ---- variables ---- */

/* Where a variable and its adjoint are; the rest of an operand is not filled in. */
static TreeArg place_of(const Compiler *c, const IrVar *var)
{
    if (var->is_parameter)
        return (TreeArg){.value = c->code->params[var->index], .adjoint = c->code->param_adjoints[var->index]};
    return c->vars[var->index];
}

/* A field of a variable, or of its adjoint. */
static TreeArg place_of_part(Compiler *c, const IrVar *var)
{
    const IrPath *path = var->part;
    TreeArg place = place_of(c, path->root);
    if (var->is_adjoint) {
        if (is_forward(c->code->kind))
            tree_refuse(c, "an adjoint outside of a custom gradient");
        /* A reference parameter's adjoint is a pointer; it is named as one. */
        place.value = path->root->type->kind == TYPE_REF ? ~place.adjoint : place.adjoint;
        place.adjoint = place.value;
    }
    for (uint32_t i = 0; i < path->step_count; i++) {
        TreeField field = tree_field_of(c, path->steps[i].of, path->steps[i].field);
        place.value = part_of(c, place.value, field.offset);
        if (!is_forward(c->code->kind))
            place.adjoint = part_of(c, place.adjoint, field.offset);
    }
    return place;
}

TreeArg tree_arg(Compiler *c, const IrVar *var)
{
    TreeArg *known = var->part || var->is_parameter ? NULL : &c->vars[var->index];
    if (known && known->layout)
        return *known;
    const Type *type = type_strip_reference(var->type);
    const TreeLayout *layout = type->kind != TYPE_FUNCTION ? tree_layout_of(c, type) : NULL;
    TreeArg arg = var->part ? place_of_part(c, var) : place_of(c, var);
    arg.type = type;
    arg.layout = layout;
    arg.cells = arg.layout ? arg.layout->cells : 0;
    if (known)
        *known = arg;
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

static int32_t step_by_indices(Compiler *c, int32_t at, const IrStep *step, TreeFn run, uint32_t extra_cells)
{
    uint32_t ref = tree_temporary(c, REF_CELLS + extra_cells);
    TreeArg *args = tree_args(c, step->index_count + 1);
    args[0] = (TreeArg){.value = at, .type = step->of};
    for (uint32_t i = 0; i < step->index_count; i++)
        args[i + 1] = tree_arg(c, step->indices[i]);
    Op *op = tree_emit(c, run);
    op->args = args;
    op->arg_count = step->index_count + 1;
    op->number = ref;
    return ~(int32_t)ref;
}

static int32_t take_step(Compiler *c, int32_t at, const IrStep *step)
{
    switch (step->kind) {
    case STEP_FIELD: return part_of(c, at, tree_field_of(c, step->of, step->field).offset);
    case STEP_COMPONENT: return part_of(c, at, step->component);
    case STEP_INDEX: return step_by_indices(c, at, step, run_pointer_component, 0);
    case STEP_ELEMENT: return step_by_indices(c, at, step, run_pointer_element, 0);
    case STEP_VIEW: return step_by_indices(c, at, step, run_pointer_view, ARRAY_CELLS);
    }
    return at;
}

/* ---- the adjoint of an array that is a field or a view ---- */

static void run_unless_array(Machine *m, const Op *op)
{
    if (!CONST_ARRAY_OF(VALUE(0))->data)
        m->next = op->target;
}

/* The adjoint of the root, one step after the other; the empty array where an array on the way has no adjoint. */
int32_t tree_emit_array_adjoint(Compiler *c, const IrPath *origin, const Type *array)
{
    const TreeLayout *layout = tree_layout_of(c, array);
    TreeArg found = {.value = (int32_t)tree_temporary(c, layout->cells), .layout = layout, .cells = layout->cells};
    int32_t at = tree_arg(c, origin->root).adjoint;
    uint32_t end = c->inner_labels++;
    tree_emit_on(c, tree_op_clear, found);
    for (uint32_t i = 0; i < origin->step_count; i++) {
        if (origin->steps[i].kind == STEP_ELEMENT || origin->steps[i].kind == STEP_VIEW)
            tree_emit_jump(c, tree_emit_on(c, run_unless_array, (TreeArg){.value = at}), LABEL_INNER, end);
        at = take_step(c, at, &origin->steps[i]);
    }
    TreeArg last = found;
    last.value = at;
    tree_emit_to(c, tree_op_copy, found, last);
    tree_place_label(c, LABEL_INNER, end);
    return found.value;
}

int32_t tree_emit_pointer(Compiler *c, const IrPath *path, bool adjoint)
{
    TreeArg root = tree_arg(c, path->root);
    int32_t at; /* an operand */
    if (adjoint)
        at = root.adjoint; /* of a reference parameter: through the pointer that was passed */
    else
        at = path->root_is_reference ? ~root.value : root.value;
    for (uint32_t i = 0; i < path->step_count; i++)
        at = take_step(c, at, &path->steps[i]);
    return at < 0 ? ~at : emit_address_of(c, at, 0);
}
