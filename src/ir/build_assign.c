/* Assignments: to names, elements, components and fields, plain and augmented. */
#include "ir/build.h"
#include "ir/tile_index.h"

#include <string.h>

static const char *augmented_builtin(OpKind op)
{
    switch (op) {
    case OP_ADD: return "add";
    case OP_SUB: return "sub";
    case OP_BIT_AND: return "and";
    case OP_BIT_OR: return "or";
    case OP_BIT_XOR: return "xor";
    default: return NULL;
    }
}

static IrVar *result_var(Builder *b, Eval eval, const Node *at)
{
    if (eval.kind != EVAL_VAR)
        fail(b, at, eval.kind == EVAL_VOID ? "this call returns %s" : "a single value is expected here, not %s",
             eval_repr(b, &eval));
    return eval.var;
}

/* ---- components of local vectors, struct fields ---- */

static bool is_adjoint_target(const Node *lhs)
{
    for (const Node *node = lhs; node->kind == NODE_SUBSCRIPT || node->kind == NODE_ATTRIBUTE;
         node = node->kind == NODE_SUBSCRIPT ? node->subscript.value : node->attribute.value)
        if (node->kind == NODE_ATTRIBUTE && name_is(node->attribute.attr, "adjoint") &&
            node->attribute.value->kind == NODE_NAME)
            return true;
    return false;
}

/* With component overwrites switched on, a changed vector is a new variable. */
static void assign_component(Builder *b, IrVar *target, IrVar **indices, uint32_t count, IrVar *value, const Node *at)
{
    IrVar *args[LIMIT_INDICES + 2] = {target};
    memcpy(args + 1, indices, count * sizeof *args);
    args[count + 1] = value;
    if (!b->module->options->component_overwrites) {
        call_builtin(b, "assign_inplace", args, count + 2, at);
        return;
    }
    Eval copy = call_builtin(b, "assign_copy", args, count + 2, at);
    for (uint32_t i = 0; i < b->symbols.count; i++)
        if (b->symbols.items[i].eval.kind == EVAL_VAR && b->symbols.items[i].eval.var == target) {
            change_symbol(b, &b->symbols.items[i], copy);
            break;
        }
}

static void store_by_index(Builder *b, const char *builtin, IrVar *target, IrVar **indices, uint32_t count,
                           IrVar *value, const Node *at)
{
    IrVar *args[LIMIT_INDICES + 1] = {target};
    memcpy(args + 1, indices, count * sizeof *args);
    IrVar *slot = call_builtin(b, builtin, args, count + 1, at).var;
    IrVar *store[] = {slot, value};
    call_builtin(b, "store", store, 2, at);
}

static void store_subscript(Builder *b, const Node *lhs, IrVar *target, IrVar **indices, uint32_t count, IrVar *value)
{
    const Type *type = type_strip_reference(target->type);
    if (type->kind == TYPE_ARRAY) {
        IrVar *args[LIMIT_INDICES + 2] = {target};
        memcpy(args + 1, indices, count * sizeof *args);
        args[count + 1] = value;
        call_builtin(b, "array_store", args, count + 2, lhs);
    } else if (type_is_tile(type))
        store_tile(b, target, indices, count, value, lhs);
    else if (!type_is_composite(type))
        fail(b, lhs, "a value of type %s has no elements to assign to", repr(b, type));
    else if (is_adjoint_target(lhs))
        store_by_index(b, "index", target, indices, count, value, lhs);
    else if (target->type->kind == TYPE_REF)
        store_by_index(b, "indexref", target, indices, count, value, lhs);
    else
        assign_component(b, target, indices, count, value, lhs);
}

static void set_field(Builder *b, const Node *lhs, IrVar *aggregate, IrVar *value)
{
    Name field = lhs->attribute.attr;
    const Type *type = type_member(b->unit->types, aggregate->type, field);
    if (!type)
        fail(b, lhs, "struct '%s' has no field '%s'", repr(b, aggregate->type), field->text);
    if (value->type->kind == TYPE_REF)
        value = call_builtin(b, "copy", &value, 1, lhs).var;
    if (!types_equal(value->type, type))
        fail(b, lhs, "field '%s' is of type %s, not %s", field->text, repr(b, type), repr(b, value->type));
    IrNode *set = add_node(b, IR_SET_MEMBER);
    set->set_member.aggregate = aggregate;
    set->set_member.value = value;
    set->set_member.field = field;
    set->set_member.differentiable = is_differentiable_value(type);
}

static void store_attribute(Builder *b, const Node *lhs, IrVar *aggregate, IrVar *value)
{
    const Type *type = type_strip_reference(aggregate->type);
    bool reference = aggregate->type->kind == TYPE_REF;
    if (type->kind == TYPE_VEC || type->kind == TYPE_QUAT) {
        IrVar *index = component_index(b, lhs, type);
        if (reference)
            store_by_index(b, "indexref", aggregate, &index, 1, value, lhs);
        else
            assign_component(b, aggregate, &index, 1, value, lhs);
    } else if (type->kind == TYPE_TRANSFORM) {
        bool p = name_is(lhs->attribute.attr, "p");
        if (!p && !name_is(lhs->attribute.attr, "q"))
            fail(b, lhs, "a transform has the parts 'p' and 'q', but no '%s'", lhs->attribute.attr->text);
        if (reference)
            fail(b, lhs, "a part of a transform in an array or struct cannot be assigned here");
        IrVar *args[] = {aggregate, value};
        call_builtin(b, p ? "transform_set_translation" : "transform_set_rotation", args, 2, lhs);
    } else if (type->kind == TYPE_STRUCT && !reference)
        set_field(b, lhs, aggregate, value);
    else {
        Eval given = eval_var(aggregate);
        IrVar *member = result_var(b, build_attribute(b, lhs, &given), lhs);
        IrVar *args[] = {member, value};
        call_builtin(b, member->type->kind == TYPE_REF ? "store" : "assign", args, 2, lhs);
    }
}

/* `out.inner` in `out.inner.x = …`: a member of a local struct, written as such rather than through a reference. */
static IrVar *struct_member(Builder *b, const Node *node)
{
    if (node->kind != NODE_ATTRIBUTE)
        return NULL;
    IrVar *base;
    if (node->attribute.value->kind == NODE_NAME) {
        Eval eval = build_expr(b, node->attribute.value);
        base = eval.kind == EVAL_VAR ? eval.var : NULL;
    } else
        base = struct_member(b, node->attribute.value);
    const Type *type =
        base && base->type->kind == TYPE_STRUCT ? type_member(b->unit->types, base->type, node->attribute.attr) : NULL;
    return type ? field_var(b, base, node->attribute.attr, type) : NULL;
}

static IrVar *attribute_aggregate(Builder *b, const Node *node)
{
    IrVar *member = struct_member(b, node);
    return member && member->type->kind == TYPE_STRUCT ? member : target_var(b, node);
}

/* ---- a component of an array element: one slot is stored ---- */

/* The target of such a store while it is read off the syntax: indices are not built before all of it is known to fit. */
typedef struct Slot {
    IrVar *array;
    const Node *indices[LIMIT_INDICES];
    uint32_t index_count;
    struct SlotStep {
        IrStep step;
        const Node *indices[2];
    } steps[LIMIT_ASSIGN_CHAIN];
    uint32_t step_count;
    const Type *type; /* of what the steps so far lead to */
} Slot;

static struct SlotStep *add_slot_step(Slot *slot, IrStepKind kind, const Type *to)
{
    struct SlotStep *added = &slot->steps[slot->step_count++];
    added->step = (IrStep){.kind = kind, .of = slot->type};
    slot->type = to;
    return added;
}

static bool slot_attribute(Builder *b, Slot *slot, Name attr)
{
    const Type *type = slot->type;
    if (type->kind == TYPE_VEC || type->kind == TYPE_QUAT) {
        const char *components = vector_components(type);
        const char *found = attr->len == 1 ? strchr(components, attr->text[0]) : NULL;
        if (!found)
            return false;
        add_slot_step(slot, STEP_COMPONENT, type->composite.dtype)->step.component = (uint32_t)(found - components);
        return true;
    }
    const Type *member = NULL;
    if (type->kind == TYPE_TRANSFORM && name_is(attr, "p"))
        member = type_vec(b->unit->types, 3, type->composite.dtype);
    else if (type->kind == TYPE_TRANSFORM && name_is(attr, "q"))
        member = type_quat(b->unit->types, type->composite.dtype);
    else if (type->kind == TYPE_STRUCT)
        member = type_member(b->unit->types, type, attr);
    if (!member || member->kind == TYPE_ARRAY)
        return false;
    add_slot_step(slot, STEP_FIELD, member)->step.field = attr;
    return true;
}

static bool slot_subscript(Slot *slot, const Node *slice)
{
    const Type *type = slot->type;
    bool pair = slice->kind == NODE_TUPLE && slice->sequence.elts.count == 2;
    if (!type_is_composite(type) || (type->kind == TYPE_MAT ? !pair : slice->kind == NODE_TUPLE))
        return false;
    struct SlotStep *added = add_slot_step(slot, STEP_INDEX, type->composite.dtype);
    added->step.index_count = pair ? 2 : 1;
    added->indices[0] = pair ? slice->sequence.elts.items[0] : slice;
    added->indices[1] = pair ? slice->sequence.elts.items[1] : NULL;
    return true;
}

/* Takes the subscripts that index the array itself; the number of chain links used, or 0. */
static uint32_t slot_array_indices(Slot *slot, const Node **chain, uint32_t length, uint32_t ndim)
{
    uint32_t used = 0;
    for (; used < length && chain[used]->kind == NODE_SUBSCRIPT && slot->index_count < ndim; used++) {
        const Node *slice = chain[used]->subscript.slice;
        uint32_t count = slice->kind == NODE_TUPLE ? slice->sequence.elts.count : 1;
        if (slot->index_count + count > ndim)
            return 0;
        for (uint32_t i = 0; i < count; i++)
            slot->indices[slot->index_count++] = slice->kind == NODE_TUPLE ? slice->sequence.elts.items[i] : slice;
    }
    return slot->index_count == ndim ? used : 0;
}

static bool find_slot(Builder *b, const Node *lhs, const Type *value_type, Slot *slot)
{
    const Node *reversed[LIMIT_ASSIGN_CHAIN], *chain[LIMIT_ASSIGN_CHAIN];
    uint32_t length = 0;
    const Node *node = lhs;
    for (; node->kind == NODE_ATTRIBUTE || node->kind == NODE_SUBSCRIPT;
         node = node->kind == NODE_ATTRIBUTE ? node->attribute.value : node->subscript.value) {
        if (length == LIMIT_ASSIGN_CHAIN)
            return false;
        reversed[length++] = node;
    }
    Symbol *root = node->kind == NODE_NAME ? find_symbol(b, node->name.id) : NULL;
    if (!root || root->eval.kind != EVAL_VAR)
        return false;
    for (uint32_t i = 0; i < length; i++)
        chain[i] = reversed[length - 1 - i];
    memset(slot, 0, sizeof *slot);
    slot->array = root->eval.var;
    const Type *type = type_strip_reference(slot->array->type);
    if (type->kind != TYPE_ARRAY || (type->array.cls != ARRAY_PLAIN && type->array.cls != ARRAY_FIXED) ||
        type->array.ndim == 0)
        return false;
    uint32_t used = slot_array_indices(slot, chain, length, type->array.ndim);
    if (!used || used == length)
        return false;
    slot->type = type->array.dtype;
    for (uint32_t i = used; i < length; i++) {
        bool fits = chain[i]->kind == NODE_ATTRIBUTE ? slot_attribute(b, slot, chain[i]->attribute.attr)
                                                     : slot_subscript(slot, chain[i]->subscript.slice);
        if (!fits)
            return false;
    }
    return types_equal(type_strip_reference(value_type), slot->type);
}

static IrVar *slot_index_var(Builder *b, const Node *node)
{
    if (node->kind == NODE_SLICE)
        unsupported(b, node, "assigning to a slice of a component of an array element is not supported");
    IrVar *var = build_var(b, node);
    if (var->type->kind == TYPE_REF)
        fail_hint(b, node, "read the index into a variable first: i = index[k]",
                  "Warp writes broken code for an index that is read from an array here");
    return var;
}

static IrVar **slot_index_vars(Builder *b, const Node *const *nodes, uint32_t count)
{
    IrVar **vars = ARENA_ARRAY(b->arena, IrVar *, count);
    for (uint32_t i = 0; i < count; i++)
        vars[i] = slot_index_var(b, nodes[i]);
    return vars;
}

static bool try_slot_store(Builder *b, const Node *lhs, IrVar *value)
{
    Slot slot;
    if (b->unit->dialect->slots_by_reference || !find_slot(b, lhs, value->type, &slot))
        return false;
    if (value->type->kind == TYPE_REF)
        value = call_builtin(b, "copy", &value, 1, lhs).var;
    IrPath *path = ARENA_NEW(b->arena, IrPath);
    IrStep *steps = ARENA_ARRAY(b->arena, IrStep, slot.step_count + 1);
    path->root = slot.array;
    path->steps = steps;
    path->step_count = slot.step_count + 1;
    steps[0] = (IrStep){.kind = STEP_ELEMENT,
                        .of = type_strip_reference(slot.array->type),
                        .indices = slot_index_vars(b, slot.indices, slot.index_count),
                        .index_count = slot.index_count};
    for (uint32_t i = 0; i < slot.step_count; i++) {
        steps[i + 1] = slot.steps[i].step;
        steps[i + 1].indices = slot_index_vars(b, slot.steps[i].indices, steps[i + 1].index_count);
    }
    IrNode *set = add_node(b, IR_SET_SLOT);
    set->slot.path = path;
    set->slot.value = value;
    return true;
}

/* ---- names ---- */

static void set_reference(Builder *b, IrVar *param, IrVar *value, const Node *at)
{
    value = load(b, value);
    if (!types_equal(value->type, param->type->target))
        fail(b, at, "the parameter refers to a value of type %s, not %s", repr(b, param->type->target),
             repr(b, value->type));
    IrNode *set = add_node(b, IR_SET_REFERENCE);
    set->set.target = param;
    set->set.value = value;
}

static void check_rebinding(Builder *b, const Node *lhs, const Eval *value)
{
    Symbol *symbol = find_symbol(b, lhs->name.id);
    if (!symbol)
        return;
    const Eval *old = &symbol->eval;
    const char *name = lhs->name.id->text;
    if (old->kind == EVAL_VALUE)
        fail(b, lhs, "'%s' stands for a function and cannot be assigned a value", name);
    if (old->kind != EVAL_VAR || value->kind != EVAL_VAR)
        fail(b, lhs, "'%s' cannot be assigned here", name);
    if (!types_equal(type_strip_reference(value->var->type), old->var->type) &&
        !is_same_query(b, old->var->type, type_strip_reference(value->var->type)))
        fail_hint(b, lhs, "use another name, or convert the value",
                  "'%s' is of type %s and cannot take a value of type %s", name, repr(b, old->var->type),
                  repr(b, type_strip_reference(value->var->type)));
}

static void bind_function(Builder *b, const Node *lhs, const Value *function)
{
    Symbol *symbol = find_symbol(b, lhs->name.id);
    bool same = symbol && symbol->eval.kind == EVAL_VALUE && symbol->eval.value->kind == function->kind &&
                (function->kind == VALUE_GRAD ? symbol->eval.value->grad_of == function->grad_of
                                              : symbol->eval.value->func == function->func);
    if (symbol && symbol->eval.kind == EVAL_VALUE && !same && function->kind != VALUE_GRAD)
        fail(b, lhs, "'%s' stands for another function already", lhs->name.id->text);
    set_symbol(b, lhs->name.id, eval_value(function));
}

static void assign_name(Builder *b, const Node *lhs, const Node *expr, Eval value)
{
    IrVar *param;
    if (is_ref_param(b, lhs->name.id, &param)) {
        set_reference(b, param, result_var(b, value, expr), expr);
        return;
    }
    if (value.kind == EVAL_VALUE &&
        (value.value->kind == VALUE_FUNC || value.value->kind == VALUE_BUILTIN || value.value->kind == VALUE_GRAD)) {
        bind_function(b, lhs, value.value);
        return;
    }
    if (value.kind == EVAL_VOID)
        fail(b, expr, "this call returns no value");
    if (value.kind == EVAL_VALUE)
        fail(b, expr, "%s cannot be assigned to a variable", eval_repr(b, &value));
    check_rebinding(b, lhs, &value);
    Eval out = value;
    if (value.kind == EVAL_LIST)
        out = build_tuple_var(b, value.list, value.count, expr);
    else if (expr->kind != NODE_TUPLE && (expr->kind == NODE_NAME || value.var->type->kind == TYPE_REF))
        out = call_builtin(b, "copy", &value.var, 1, expr);
    if (out.var->type->kind == TYPE_ARRAY)
        out.var->origin = value.kind == EVAL_VAR ? value.var->origin : NULL;
    set_symbol(b, lhs->name.id, out);
}

/* ---- tuples ---- */

static uint32_t tuple_values(Builder *b, const Node *node, IrVar **values, uint32_t max)
{
    const Node *lhs = node->assign.targets.items[0], *expr = node->assign.value;
    uint32_t count = lhs->sequence.elts.count;
    if (expr->kind == NODE_TUPLE) {
        if (expr->sequence.elts.count > max)
            fail(b, expr, "more than %u values are assigned at once", max);
        for (uint32_t i = 0; i < expr->sequence.elts.count; i++)
            values[i] = build_var(b, expr->sequence.elts.items[i]);
        return expr->sequence.elts.count;
    }
    Eval value = expr->kind == NODE_CALL ? build_call_node(b, expr, count) : build_expr(b, expr);
    if (b->unit->keep_types)
        note_eval(b, expr, &value);
    if (value.kind == EVAL_LIST && value.count <= max) {
        memcpy(values, value.list, value.count * sizeof *values);
        return value.count;
    }
    if (value.kind != EVAL_VAR || value.var->type->kind != TYPE_TUPLE)
        fail(b, expr, "%s cannot be unpacked", eval_repr(b, &value));
    uint32_t given = value.var->type->tuple.count;
    if (given != count || given > max)
        fail(b, node, "%s for %s", counted(b, count, "name"), counted(b, given, "value"));
    for (uint32_t i = 0; i < count; i++) {
        IrVar *args[] = {value.var, add_constant_int(b, i)};
        values[i] = call_builtin(b, "extract", args, 2, expr).var;
    }
    return count;
}

static void assign_tuple(Builder *b, const Node *node)
{
    enum { MAX_VALUES = 64 };
    const Node *lhs = node->assign.targets.items[0];
    IrVar *values[MAX_VALUES], *param;
    uint32_t count = tuple_values(b, node, values, MAX_VALUES);
    bool has_ref_param = false;
    for (uint32_t i = 0; i < lhs->sequence.elts.count; i++) {
        const Node *target = lhs->sequence.elts.items[i];
        if (target->kind != NODE_NAME)
            fail(b, target, "only names can be assigned several values at once");
        has_ref_param |= is_ref_param(b, target->name.id, &param);
    }
    if (count != lhs->sequence.elts.count)
        fail(b, node, "%s for %s", counted(b, lhs->sequence.elts.count, "name"), counted(b, count, "value"));
    for (uint32_t i = 0; has_ref_param && i < count; i++)
        values[i] = load(b, values[i]);
    for (uint32_t i = 0; i < count; i++) {
        const Node *target = lhs->sequence.elts.items[i];
        if (is_ref_param(b, target->name.id, &param)) {
            set_reference(b, param, values[i], target);
            continue;
        }
        Symbol *symbol = find_symbol(b, target->name.id);
        if (symbol) {
            const Eval *old = &symbol->eval;
            bool reference =
                values[i]->type->kind == TYPE_REF || (old->kind == EVAL_VAR && old->var->type->kind == TYPE_REF);
            bool same = old->kind == EVAL_VAR &&
                        (old->var == values[i] || (!reference && types_equal(values[i]->type, old->var->type)));
            if (!same)
                fail_hint(b, target,
                          reference ? "read the elements into variables one by one first"
                                    : "use another name, or convert the value",
                          "'%s' cannot be assigned this value: its type would change", target->name.id->text);
        }
        set_symbol(b, target->name.id, eval_var(values[i]));
    }
}

/* ---- the statements ---- */

static void set_adjoint(Builder *b, const Node *slice, IrVar *value)
{
    IrVar *target = build_adjoint_var(b, slice);
    IrNode *set = add_node(b, IR_SET_ADJOINT);
    set->set.target = target;
    set->set.value = value;
}

static void assign_subscript(Builder *b, const Node *lhs, IrVar *value)
{
    if (is_adjoint_subscript(lhs)) {
        set_adjoint(b, lhs->subscript.slice, value);
        return;
    }
    if (try_slot_store(b, lhs, value))
        return;
    const Node *nodes[LIMIT_INDICES];
    IrVar *indices[LIMIT_INDICES];
    uint32_t count;
    IrVar *target = subscript_target(b, lhs, true, nodes, &count, LIMIT_INDICES);
    build_indices(b, target, nodes, count, indices);
    Part part = part_by_indices(b, target, indices, count);
    if (part.path)
        store_part(b, &part, value, lhs);
    else
        store_subscript(b, lhs, target, indices, count, value);
}

/* What is stored in an element, component or field; a reference is read before the target is looked at. */
static IrVar *stored_value(Builder *b, Eval value, const Node *expr)
{
    IrVar *var = result_var(b, value, expr);
    bool copied = var->type->kind == TYPE_REF && b->unit->dialect->store_copies_value;
    return copied ? call_builtin(b, "copy", &var, 1, expr).var : var;
}

void build_assign(Builder *b, const Node *node)
{
    if (node->assign.targets.count != 1)
        fail(b, node, "one value cannot be assigned to several names in one statement");
    const Node *lhs = node->assign.targets.items[0], *expr = node->assign.value;
    if (expr->kind == NODE_LIST)
        fail_hint(b, expr, "use a vector such as wp.vec3(), or wp.zeros(shape=N, dtype=...)",
                  "a list cannot be used in a kernel");
    if (lhs->kind == NODE_TUPLE) {
        assign_tuple(b, node);
        return;
    }
    Eval value = build_expr(b, expr);
    if (lhs->kind == NODE_NAME)
        assign_name(b, lhs, expr, value);
    else if (lhs->kind == NODE_SUBSCRIPT)
        assign_subscript(b, lhs, stored_value(b, value, expr));
    else if (lhs->kind == NODE_ATTRIBUTE) {
        IrVar *var = stored_value(b, value, expr);
        if (try_slot_store(b, lhs, var))
            return;
        IrVar *aggregate = attribute_aggregate(b, lhs->attribute.value);
        Part part = part_by_attribute(b, aggregate, lhs);
        if (part.path)
            store_part(b, &part, var, lhs);
        else
            store_attribute(b, lhs, aggregate, var);
    } else
        fail(b, lhs, "%s cannot be assigned to", node_kind_words(lhs->kind));
}

/* Of two tiles, `+=` and its kin change the first one. */
static bool update_whole_tile(Builder *b, const Node *node, IrVar *target, const Eval *value)
{
    const char *suffix = augmented_builtin(node->aug_assign.op);
    if (!suffix || !type_is_tile(target->type) || value->kind != EVAL_VAR || !type_is_tile(value->var->type))
        return false;
    bool bits = node->aug_assign.op != OP_ADD && node->aug_assign.op != OP_SUB;
    IrVar *args[] = {target, value->var};
    call_builtin(b, arena_format(b->arena, "%s%s_inplace", bits ? "bit_" : "", suffix), args, 2, node);
    return true;
}

static void augment_name(Builder *b, const Node *node)
{
    const Node *lhs = node->aug_assign.target;
    Eval value = build_operand(b, node->aug_assign.value);
    IrVar *target = build_var(b, lhs), *param;
    if (update_whole_tile(b, node, target, &value))
        return;
    IrVar *result = result_var(b, call_operator(b, node->aug_assign.op, eval_var(target), value, node), node);
    if (is_ref_param(b, lhs->name.id, &param)) {
        set_reference(b, param, result, node);
        return;
    }
    Symbol *symbol = find_symbol(b, lhs->name.id);
    if (symbol && !types_equal(type_strip_reference(result->type), symbol->eval.var->type))
        fail(b, node, "'%s' is of type %s and cannot take a value of type %s", lhs->name.id->text,
             repr(b, symbol->eval.var->type), repr(b, result->type));
    set_symbol(b, lhs->name.id, eval_var(result));
}

IrVar *current_part(Builder *b, const Node *lhs, IrVar *holder, IrVar **indices, uint32_t count)
{
    if (lhs->kind == NODE_ATTRIBUTE) {
        Eval given = eval_var(holder);
        return result_var(b, build_attribute(b, lhs, &given), lhs);
    }
    IrVar *args[LIMIT_INDICES + 1] = {holder};
    memcpy(args + 1, indices, count * sizeof *args);
    if (holder->type->kind == TYPE_REF && !b->unit->dialect->slots_by_reference)
        return load(b, call_builtin(b, "indexref", args, count + 1, lhs).var);
    bool array = holder->type->kind == TYPE_ARRAY;
    bool tile = type_is_tile(holder->type);
    return call_builtin(b, array ? "address" : tile ? "tile_extract" : "extract", args, count + 1, lhs).var;
}

/* current value, operator, store. `value` is NULL where it is to be built after the current one. */
static void augment_by_reading(Builder *b, const Node *node, IrVar *target, IrVar **indices, uint32_t count,
                               IrVar *value)
{
    for (uint32_t i = 0; b->unit->dialect->augmented_target_first && i < count; i++)
        indices[i] = load(b, indices[i]);
    Part part = part_by_indices(b, target, indices, count);
    if (part.path) {
        update_part(b, node, &part, target, indices, count);
        return;
    }
    IrVar *current = current_part(b, node->aug_assign.target, target, indices, count);
    if (!value)
        value = build_var(b, node->aug_assign.value);
    IrVar *result = result_var(b, build_operator(b, node->aug_assign.op, current, value, node), node);
    store_subscript(b, node->aug_assign.target, target, indices, count, result);
}

static void augment_subscript(Builder *b, const Node *node)
{
    const Node *lhs = node->aug_assign.target;
    bool target_first = b->unit->dialect->augmented_target_first;
    IrVar *value = target_first ? NULL : build_var(b, node->aug_assign.value);
    if (is_adjoint_subscript(lhs)) {
        IrVar *current = build_adjoint_var(b, lhs->subscript.slice);
        if (target_first)
            value = build_var(b, node->aug_assign.value);
        set_adjoint(b, lhs->subscript.slice,
                    result_var(b, build_operator(b, node->aug_assign.op, current, value, node), node));
        return;
    }
    const Node *nodes[LIMIT_INDICES];
    IrVar *indices[LIMIT_INDICES];
    uint32_t count;
    IrVar *target = subscript_target(b, lhs, true, nodes, &count, LIMIT_INDICES);
    const Type *type = type_strip_reference(target->type);
    build_indices(b, target, nodes, count, indices);
    const char *suffix = augmented_builtin(node->aug_assign.op);
    bool array = type->kind == TYPE_ARRAY, tile = type_is_tile(type);
    if (tile)
        check_tile_update(b, target, indices, count, lhs);
    if (!array && !tile && !type_is_composite(type))
        fail(b, lhs, "a value of type %s has no elements to assign to", repr(b, type));
    bool narrow = array && type_is_narrow(type_scalar_of(type->array.dtype));
    if (!suffix || narrow || (!array && target->type->kind == TYPE_REF)) {
        augment_by_reading(b, node, target, indices, count, value);
        return;
    }
    if (target_first)
        value = build_var(b, node->aug_assign.value);
    bool bits = node->aug_assign.op != OP_ADD && node->aug_assign.op != OP_SUB;
    const char *name = array
                           ? arena_format(b->arena, "atomic_%s", suffix)
                           : arena_format(b->arena, "%s%s%s_inplace", tile ? "tile_" : "", bits ? "bit_" : "", suffix);
    IrVar *args[LIMIT_INDICES + 2] = {target};
    memcpy(args + 1, indices, count * sizeof *args);
    args[count + 1] = value;
    call_builtin(b, name, args, count + 2, node);
}

void build_aug_assign(Builder *b, const Node *node)
{
    const Node *lhs = node->aug_assign.target;
    bool target_first = b->unit->dialect->augmented_target_first;
    if (lhs->kind == NODE_NAME)
        augment_name(b, node);
    else if (lhs->kind == NODE_SUBSCRIPT)
        augment_subscript(b, node);
    else if (lhs->kind == NODE_ATTRIBUTE) {
        IrVar *value = target_first ? NULL : build_var(b, node->aug_assign.value);
        IrVar *aggregate = attribute_aggregate(b, lhs->attribute.value);
        Part part = part_by_attribute(b, aggregate, lhs);
        if (part.path) {
            update_part(b, node, &part, aggregate, NULL, 0);
            return;
        }
        IrVar *current = current_part(b, lhs, aggregate, NULL, 0);
        if (target_first)
            value = build_var(b, node->aug_assign.value);
        IrVar *result = result_var(b, build_operator(b, node->aug_assign.op, current, value, node), node);
        store_attribute(b, lhs, aggregate, result);
    } else
        fail(b, lhs, "%s cannot be assigned to", node_kind_words(lhs->kind));
}
