/* Slots by reference: stores to a part of an array element, and updates of one, where the dialect has them.
 *
 * A chain such as bodies[i].pose.p.x leads from an array over an element to one of its parts. The element, and every part before
 * the last, gets a variable that points at it, and knows its way from the array; then the last part is stored or updated as a whole. */
#include "ir/build.h"

#include <string.h>

/* A variable that points at the part of an array element that `slot` leads to. */
static IrVar *add_pointer(Builder *b, const IrPath *slot, const IrPath *origin, const Type *type)
{
    IrVar *var = add_var(b, type_ref(b->unit->types, type), NULL);
    var->origin = origin;
    var->slot = slot;
    IrNode *node = add_node(b, IR_SLOT_ADDRESS);
    node->slot_address.target = var;
    node->slot_address.path = slot;
    return var;
}

/* ---- parts ---- */

Part part_by_indices(Builder *b, IrVar *holder, IrVar **indices, uint32_t count)
{
    Part part = {0};
    const Type *type = type_strip_reference(holder->type);
    if (!holder->slot || !type_is_composite(type) || count > 1u + (type->kind == TYPE_MAT))
        return part;
    for (uint32_t i = 0; i < count; i++)
        indices[i] = load(b, indices[i]);
    for (uint32_t i = 0; i < count; i++)
        if (!type_is_int(indices[i]->type))
            return part;
    bool row = type->kind == TYPE_MAT && count == 1;
    part.path = extend_indices(b, holder->slot, STEP_INDEX, type, indices, count);
    part.type = row ? type_vec(b->unit->types, type->composite.cols, type->composite.dtype) : type_scalar_of(type);
    return part;
}

Part part_by_attribute(Builder *b, IrVar *holder, const Node *node)
{
    Part part = {0};
    const Type *type = type_strip_reference(holder->type);
    Name attr = node->attribute.attr;
    if (!holder->slot)
        return part;
    if (type->kind == TYPE_VEC || type->kind == TYPE_QUAT) {
        IrVar *index = component_index(b, node, type);
        return part_by_indices(b, holder, &index, 1);
    }
    if (type->kind == TYPE_TRANSFORM && name_is(attr, "p"))
        part.type = type_vec(b->unit->types, 3, type->composite.dtype);
    else if (type->kind == TYPE_TRANSFORM && name_is(attr, "q"))
        part.type = type_quat(b->unit->types, type->composite.dtype);
    else if (type->kind == TYPE_STRUCT)
        part.type = type_member(b->unit->types, type, attr);
    if (part.type && part.type->kind != TYPE_ARRAY)
        part.path = extend_field(b, holder->slot, type, attr);
    return part;
}

/* ---- targets ---- */

IrVar *element_target(Builder *b, IrVar *array, IrVar **indices, uint32_t count)
{
    const Type *type = type_strip_reference(array->type);
    bool stored = type->array.cls == ARRAY_PLAIN || type->array.cls == ARRAY_FIXED;
    if (!stored || (!type_is_composite(type->array.dtype) && type->array.dtype->kind != TYPE_STRUCT))
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        indices[i] = load(b, indices[i]);
    const IrPath *origin = origin_of(b, array);
    IrPath whole = {.root = array};
    return add_pointer(b, extend_indices(b, &whole, STEP_ELEMENT, type, indices, count),
                       origin ? extend_indices(b, origin, STEP_ELEMENT, type, indices, count) : NULL,
                       type->array.dtype);
}

IrVar *part_target(Builder *b, IrVar *holder, const Part *part)
{
    const IrPath *origin = origin_of(b, holder);
    const IrStep *last = &part->path->steps[part->path->step_count - 1];
    return add_pointer(b, part->path, origin ? extend_path(b, origin, *last) : NULL, part->type);
}

static Eval attribute_target(Builder *b, const Node *node)
{
    Eval base = build_target(b, node->attribute.value);
    Part part = {0};
    if (base.kind == EVAL_VAR)
        part = part_by_attribute(b, base.var, node);
    return part.path ? eval_var(part_target(b, base.var, &part)) : build_attribute(b, node, &base);
}

Eval build_target(Builder *b, const Node *node)
{
    bool subscript = node->kind == NODE_SUBSCRIPT && !is_adjoint_subscript(node);
    if (!b->unit->dialect->slots_by_reference || (node->kind != NODE_ATTRIBUTE && !subscript))
        return build_expr(b, node);
    enter_nesting(b, node);
    Eval eval = subscript ? subscript_of_target(b, node) : attribute_target(b, node);
    if (b->unit->keep_types)
        note_eval(b, node, &eval);
    b->nesting--;
    return eval;
}

/* ---- stores and updates ---- */

static void add_update(Builder *b, const Part *part, SlotOperation operation, IrVar *value, const Node *at)
{
    if (value->type->kind == TYPE_REF)
        value = call_builtin(b, "copy", &value, 1, at).var;
    if (!types_equal(value->type, part->type))
        fail(b, at, "a value of type %s cannot be assigned to a part of type %s", repr(b, value->type),
             repr(b, part->type));
    IrNode *node = add_node(b, IR_UPDATE_SLOT);
    node->slot.path = part->path;
    node->slot.value = value;
    node->slot.operation = operation;
}

void store_part(Builder *b, const Part *part, IrVar *value, const Node *at)
{
    add_update(b, part, SLOT_STORE, value, at);
}

static bool atomic_operation(OpKind op, const Type *type, SlotOperation *out)
{
    switch (op) {
    case OP_ADD: *out = SLOT_ADD; break;
    case OP_SUB: *out = SLOT_SUB; break;
    case OP_BIT_AND: *out = SLOT_AND; break;
    case OP_BIT_OR: *out = SLOT_OR; break;
    case OP_BIT_XOR: *out = SLOT_XOR; break;
    default: return false;
    }
    if (type->kind == TYPE_STRUCT)
        return false;
    const Type *scalar = type_scalar_of(type);
    return !type_is_narrow(scalar) && (*out <= SLOT_SUB || type_is_int(scalar));
}

void update_part(Builder *b, const Node *node, const Part *part, IrVar *holder, IrVar **indices, uint32_t count)
{
    const Node *lhs = node->aug_assign.target;
    OpKind op = node->aug_assign.op;
    SlotOperation operation = SLOT_STORE;
    bool atomic = atomic_operation(op, part->type, &operation), overloaded = has_operator(b, op);
    IrVar *current = NULL;
    if (!atomic || overloaded)
        current = current_part(b, lhs, holder, indices, count);
    IrVar *value = build_var(b, node->aug_assign.value);
    Arg args[] = {{.eval = {.kind = EVAL_VAR, .var = current}}, {.eval = eval_var(value)}};
    if (atomic && !(overloaded && operator_fits(b, op, args, 2))) {
        add_update(b, part, operation, value, lhs);
        return;
    }
    Eval result = build_operator(b, op, current, value, node);
    if (result.kind != EVAL_VAR)
        fail(b, node, "a single value is expected here, not %s", eval_repr(b, &result));
    if (is_differentiable_value(part->type) && b->module->enable_backward)
        fail_hint(b, node, "write the result to another array, or use @wp.kernel(enable_backward=False)",
                  "'%s=' on a part of an array element has no gradient", op_symbol(op));
    add_update(b, part, SLOT_STORE, result.var, lhs);
}
