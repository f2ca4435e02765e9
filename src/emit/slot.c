/* Slots by reference: pointers to array elements and their parts, stores through them, and atomic updates. */
#include "emit/walk.h"

/* An array, or what a reference to one points at. */
static void put_array(Text *out, const IrVar *array)
{
    bool reference = array->type->kind == TYPE_REF;
    text_str(out, reference ? "*(" : "");
    put_var(out, array);
    text_str(out, reference ? ")" : "");
}

/* The way from the element to the part. */
static void put_accessors(Text *out, const IrPath *path)
{
    for (uint32_t i = 1; i < path->step_count; i++) {
        const IrStep *step = &path->steps[i];
        text_char(out, '.');
        if (step->kind == STEP_FIELD) {
            put_field(out, step->of, step->field);
            continue;
        }
        text_str(out, step->of->kind != TYPE_MAT ? "component_ref("
                      : step->index_count == 1   ? "row_ref("
                                                 : "element_ref(");
        put_vars(out, step->indices, step->index_count);
        text_char(out, ')');
    }
}

static void put_part_address(Text *out, const IrPath *path)
{
    text_lit(out, "&(wp::index(");
    put_array(out, path->root);
    text_lit(out, ", ");
    put_vars(out, path->steps[0].indices, path->steps[0].index_count);
    text_char(out, ')');
    put_accessors(out, path);
    text_char(out, ')');
}

/* Other arrays than plain ones have no adjoint to index, and components hold no arrays. */
static bool can_follow(const IrPath *path)
{
    for (uint32_t i = 0; i < path->step_count; i++) {
        const IrStep *step = &path->steps[i];
        bool plain =
            step->of->kind == TYPE_ARRAY && (step->of->array.cls == ARRAY_PLAIN || step->of->array.cls == ARRAY_FIXED);
        if (step->kind != STEP_FIELD && !plain)
            return false;
    }
    return true;
}

static void put_root_adjoint(Text *out, const IrPath *path)
{
    text_str(out, path->root_is_reference ? "*(" : "");
    put_adj(out, path->root);
    text_str(out, path->root_is_reference ? ")" : "");
}

/* The adjoint of the array: its own, or that of the struct field or view that it is, one step after the other. */
static void put_array_adjoint(Text *out, const IrVar *array)
{
    const IrPath *origin = array->origin;
    if (!origin || !can_follow(origin)) {
        put_adj(out, array);
        return;
    }
    if (!origin->step_count) {
        put_root_adjoint(out, origin);
        return;
    }
    text_lit(out, "([&]() -> ");
    put_type(out, type_strip_reference(array->type));
    text_lit(out, " { auto slot_adj_0 = ");
    put_root_adjoint(out, origin);
    text_lit(out, "; ");
    for (uint32_t i = 0; i < origin->step_count; i++) {
        const IrStep *step = &origin->steps[i];
        if (step->kind == STEP_FIELD) {
            text_format(out, "auto slot_adj_%u = (slot_adj_%u).", i + 1, i);
            put_field(out, step->of, step->field);
        } else {
            bool view = step->kind == STEP_VIEW;
            text_format(out, "if (!slot_adj_%u.data) return {}; auto slot_adj_%u = %s(slot_adj_%u, ", i, i + 1,
                        view ? "wp::view" : "(*wp::address", i);
            put_vars(out, step->indices, step->index_count);
            text_str(out, view ? ")" : "))");
        }
        text_lit(out, "; ");
    }
    text_format(out, "return slot_adj_%u; }())", origin->step_count);
}

static void put_accessor_and_indices(Text *out, const IrPath *path)
{
    text_lit(out, ", [&](auto& _e) -> auto& { return _e");
    put_accessors(out, path);
    text_lit(out, "; }, ");
    put_vars(out, path->steps[0].indices, path->steps[0].index_count);
    text_char(out, ')');
}

static const char *const operations[] = {
    [SLOT_STORE] = "array_store_slot(",    [SLOT_ADD] = "array_atomic_add_slot(", [SLOT_SUB] = "array_atomic_sub_slot(",
    [SLOT_AND] = "array_atomic_and_slot(", [SLOT_OR] = "array_atomic_or_slot(",   [SLOT_XOR] = "array_atomic_xor_slot(",
};

void put_slot_address(Walk *walk, const IrNode *node, uint32_t depth)
{
    Text *out = begin_line(walk, depth);
    put_var(out, node->slot_address.target);
    text_lit(out, " = ");
    put_part_address(out, node->slot_address.path);
    end_line(walk);
}

void put_slot_update(Walk *walk, const IrNode *node, uint32_t depth)
{
    const IrPath *path = node->slot.path;
    Text *out = begin_line(walk, depth);
    if (node->slot.operation == SLOT_STORE) {
        text_lit(out, "wp::store(");
        put_part_address(out, path);
        text_lit(out, ", ");
        put_var(out, node->slot.value);
        text_char(out, ')');
    } else {
        text_lit(out, "wp::");
        text_str(out, operations[node->slot.operation]);
        put_array(out, path->root);
        text_lit(out, ", ");
        put_var(out, node->slot.value);
        put_accessor_and_indices(out, path);
    }
    end_line(walk);
}

void put_reverse_slot_update(Walk *walk, const IrNode *node, uint32_t depth)
{
    const IrPath *path = node->slot.path;
    Text *out = begin_line(walk, depth);
    text_lit(out, "wp::adj_");
    text_str(out, operations[node->slot.operation]);
    put_array(out, path->root);
    text_lit(out, ", ");
    put_array_adjoint(out, path->root);
    text_lit(out, ", ");
    put_adj(out, node->slot.value);
    put_accessor_and_indices(out, path);
    end_line(walk);
}
