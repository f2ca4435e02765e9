/* Slots by reference: stores to a part of an array element, and updates of one, where the dialect has them.
 *
 * A chain such as bodies[i].pose.p.x leads from an array over an element to one of its parts. The element, and every part before
 * the last, gets a variable that points at it; then the last part is stored or updated as a whole. */
#include "ir/build.h"

#include <string.h>

/* The target while it is read off the syntax. */
typedef struct Chain {
    const Node *links[LIMIT_ASSIGN_CHAIN]; /* attributes and subscripts, the innermost first */
    uint32_t count;
    const Node *root;
    uint32_t array_links;   /* links before the array's own indices */
    uint32_t element_links; /* and those up to the element */
} Chain;

/* The same once it is built. */
typedef struct Target {
    const IrPath *path; /* an array, ELEMENT, and the way to the part */
    IrVar *holder;      /* points at what the last step leads into a part of */
    const Node *last;   /* the last link */
    const Type *type;   /* of the part */
} Target;

static bool is_slice(const Node *node)
{
    return node->kind == NODE_SLICE;
}

static uint32_t index_nodes(const Node *link, const Node **out, uint32_t count, uint32_t max)
{
    const Node *slice = link->subscript.slice;
    uint32_t more = slice->kind == NODE_TUPLE ? slice->sequence.elts.count : 1;
    for (uint32_t i = 0; i < more && count + i < max; i++)
        out[count + i] = slice->kind == NODE_TUPLE ? slice->sequence.elts.items[i] : slice;
    return count + more;
}

/* How many links from `from` on index the array completely, with nothing but integers; 0: they do not. */
static uint32_t element_links(const Chain *chain, uint32_t from, uint32_t ndim)
{
    const Node *nodes[LIMIT_INDICES];
    uint32_t given = 0, used = 0;
    while (from + used < chain->count && chain->links[from + used]->kind == NODE_SUBSCRIPT && given < ndim)
        given = index_nodes(chain->links[from + used++], nodes, given, LIMIT_INDICES);
    bool fits = given == ndim && ndim;
    for (uint32_t i = 0; fits && i < given; i++)
        fits = !is_slice(nodes[i]);
    return fits ? used : 0;
}

static const Type *part_type(Builder *b, const Type *type, const Node *link)
{
    if (link->kind == NODE_SUBSCRIPT) {
        const Node *nodes[LIMIT_INDICES];
        uint32_t count = index_nodes(link, nodes, 0, LIMIT_INDICES);
        if (!type_is_composite(type) || count > 1u + (type->kind == TYPE_MAT) || is_slice(nodes[0]) ||
            (count > 1 && is_slice(nodes[1])))
            return NULL;
        bool row = type->kind == TYPE_MAT && count == 1;
        return row ? type_vec(b->unit->types, type->composite.cols, type->composite.dtype) : type->composite.dtype;
    }
    Name attr = link->attribute.attr;
    if (type->kind == TYPE_VEC || type->kind == TYPE_QUAT)
        return attr->len == 1 && strchr(vector_components(type), attr->text[0]) ? type->composite.dtype : NULL;
    if (type->kind == TYPE_TRANSFORM && name_is(attr, "p"))
        return type_vec(b->unit->types, 3, type->composite.dtype);
    if (type->kind == TYPE_TRANSFORM && name_is(attr, "q"))
        return type_quat(b->unit->types, type->composite.dtype);
    return type->kind == TYPE_STRUCT ? type_member(b->unit->types, type, attr) : NULL;
}

/* Finds the last array of the chain of which an element is named, with a part of it behind. */
static bool find_array(Builder *b, Chain *chain, const Type *type)
{
    bool found = false;
    for (uint32_t i = 0; type && i < chain->count;) {
        if (type->kind != TYPE_ARRAY) {
            type = part_type(b, type, chain->links[i++]);
            continue;
        }
        uint32_t used = element_links(chain, i, type->array.ndim);
        found = used && i + used < chain->count && type->array.cls == ARRAY_PLAIN;
        if (!used)
            return false;
        chain->array_links = i;
        chain->element_links = i += used;
        type = type->array.dtype;
    }
    return found && type;
}

static bool find_chain(Builder *b, const Node *lhs, Chain *chain)
{
    const Node *reversed[LIMIT_ASSIGN_CHAIN], *node = lhs;
    chain->count = 0;
    for (; node->kind == NODE_ATTRIBUTE || (node->kind == NODE_SUBSCRIPT && !is_adjoint_subscript(node));
         node = node->kind == NODE_ATTRIBUTE ? node->attribute.value : node->subscript.value) {
        if (chain->count == LIMIT_ASSIGN_CHAIN)
            return false;
        reversed[chain->count++] = node;
    }
    for (uint32_t i = 0; i < chain->count; i++)
        chain->links[i] = reversed[chain->count - 1 - i];
    chain->root = node;
    if (is_adjoint_subscript(node)) /* the array that wp.adjoint[] is asked for has the same type */
        node = node->subscript.slice;
    const Symbol *root = node->kind == NODE_NAME ? find_symbol(b, node->name.id) : NULL;
    return root && root->eval.kind == EVAL_VAR && find_array(b, chain, type_strip_reference(root->eval.var->type));
}

static IrVar *index_var(Builder *b, const Node *node)
{
    IrVar *var = build_var(b, node);
    if (!type_is_int(type_strip_reference(var->type)))
        fail(b, node, "an index of an array must be an integer, not %s", repr(b, type_strip_reference(var->type)));
    return load(b, var);
}

/* A variable that points at what the path leads to. */
static IrVar *add_pointer(Builder *b, const IrPath *path, const IrPath *origin, const Type *type)
{
    IrVar *var = add_var(b, type_ref(b->unit->types, type), NULL);
    var->origin = origin;
    IrNode *node = add_node(b, IR_SLOT_ADDRESS);
    node->slot_address.target = var;
    node->slot_address.path = path;
    return var;
}

static const IrPath *add_last_step(Builder *b, const IrPath *path, const Type *type, const Node *link)
{
    IrVar *indices[2];
    uint32_t count = 1;
    bool is_vector = type->kind == TYPE_VEC || type->kind == TYPE_QUAT;
    if (link->kind == NODE_ATTRIBUTE && !is_vector)
        return extend_field(b, path, type, link->attribute.attr);
    if (link->kind == NODE_ATTRIBUTE)
        indices[0] = component_index(b, link, type);
    else {
        const Node *nodes[2];
        count = index_nodes(link, nodes, 0, 2);
        for (uint32_t i = 0; i < count; i++)
            indices[i] = index_var(b, nodes[i]);
    }
    return extend_indices(b, path, STEP_INDEX, type, indices, count);
}

static void build_target(Builder *b, const Chain *chain, Target *target)
{
    IrVar *indices[LIMIT_INDICES];
    const Node *nodes[LIMIT_INDICES];
    uint32_t count = 0;
    const Node *base = chain->array_links ? chain->links[chain->array_links - 1] : chain->root;
    IrPath *path = ARENA_NEW(b->arena, IrPath);
    path->root = build_var(b, base);
    const Type *array = type_strip_reference(path->root->type);
    const IrPath *origin = origin_of(b, path->root);
    for (uint32_t i = chain->array_links; i < chain->element_links; i++)
        count = index_nodes(chain->links[i], nodes, count, LIMIT_INDICES);
    for (uint32_t i = 0; i < count; i++)
        indices[i] = index_var(b, nodes[i]);
    target->path = extend_indices(b, path, STEP_ELEMENT, array, indices, count);
    origin = origin ? extend_indices(b, origin, STEP_ELEMENT, array, indices, count) : NULL;
    const Type *type = array->array.dtype;
    target->holder = add_pointer(b, target->path, origin, type);
    for (uint32_t i = chain->element_links; i + 1 < chain->count; i++) {
        Name field = chain->links[i]->kind == NODE_ATTRIBUTE ? chain->links[i]->attribute.attr : NULL;
        if (!field || type->kind == TYPE_VEC || type->kind == TYPE_QUAT)
            unsupported(b, chain->links[i], "a part of a component of an array element cannot be assigned");
        target->path = extend_field(b, target->path, type, field);
        origin = origin ? extend_field(b, origin, type, field) : NULL;
        type = part_type(b, type, chain->links[i]);
        target->holder = add_pointer(b, target->path, origin, type);
    }
    target->last = chain->links[chain->count - 1];
    target->path = add_last_step(b, target->path, type, target->last);
    target->type = part_type(b, type, target->last);
}

static void add_update(Builder *b, const Target *target, SlotOperation operation, IrVar *value)
{
    if (value->type->kind == TYPE_REF)
        value = call_builtin(b, "copy", &value, 1, target->last).var;
    if (!types_equal(value->type, target->type))
        fail(b, target->last, "a value of type %s cannot be assigned to a part of type %s", repr(b, value->type),
             repr(b, target->type));
    IrNode *node = add_node(b, IR_UPDATE_SLOT);
    node->slot.path = target->path;
    node->slot.value = value;
    node->slot.operation = operation;
}

bool store_in_slot(Builder *b, const Node *lhs, IrVar *value)
{
    Chain chain;
    Target target;
    if (!b->unit->dialect->slots_by_reference || !find_chain(b, lhs, &chain))
        return false;
    build_target(b, &chain, &target);
    add_update(b, &target, SLOT_STORE, value);
    return true;
}

/* ---- updates ---- */

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
    return scalar->kind > TYPE_UINT16 && (*out <= SLOT_SUB || type_is_int(scalar));
}

/* The value that the part has now. */
static IrVar *current_value(Builder *b, const Target *target)
{
    if (target->last->kind == NODE_ATTRIBUTE) {
        Eval holder = eval_var(target->holder);
        Eval current = build_attribute(b, target->last, &holder);
        return current.var;
    }
    const IrStep *step = &target->path->steps[target->path->step_count - 1];
    IrVar *args[3] = {target->holder};
    memcpy(args + 1, step->indices, step->index_count * sizeof *args);
    return call_builtin(b, "extract", args, step->index_count + 1, target->last).var;
}

bool update_slot(Builder *b, const Node *node)
{
    Chain chain;
    Target target;
    SlotOperation operation = SLOT_STORE;
    if (!b->unit->dialect->slots_by_reference || !find_chain(b, node->aug_assign.target, &chain))
        return false;
    build_target(b, &chain, &target);
    OpKind op = node->aug_assign.op;
    bool atomic = atomic_operation(op, target.type, &operation), overloaded = has_operator(b, op);
    IrVar *current = !atomic || overloaded ? current_value(b, &target) : NULL;
    IrVar *value = build_var(b, node->aug_assign.value);
    Arg args[] = {{.eval = {.kind = EVAL_VAR, .var = current}}, {.eval = eval_var(value)}};
    if (atomic && !(overloaded && operator_fits(b, op, args, 2))) {
        add_update(b, &target, operation, value);
        return true;
    }
    Eval result = build_operator(b, op, current, value, node);
    if (result.kind != EVAL_VAR)
        fail(b, node, "a single value is expected here, not %s", eval_repr(b, &result));
    if (is_differentiable_value(target.type) && b->module->enable_backward)
        fail_hint(b, node, "write the result to another array, or use @wp.kernel(enable_backward=False)",
                  "'%s=' on a part of an array element has no gradient", op_symbol(op));
    add_update(b, &target, SLOT_STORE, result.var);
    return true;
}
