/* What a statement or a call that is not followed may have done.
 *
 * Warp numbers functions of one name as a process defines them, dicts are changed in place, options are set: after something that the
 * loader passed over, none of this is known any more, and a kernel that depends on it is refused. */
#include "front/declare_impl.h"

#include <string.h>

typedef struct Lost {
    Unit *unit;
    const Scope *scope;
    const char *prefix; /* of the names of definitions */
    LossKind kind;
} Lost;

static void lose_node(const Node *node, void *user);

void lose_number(Unit *unit, const char *qualname)
{
    table_add(&unit->lost_numbers, unit->arena, key_of(unit, qualname));
}

static void lose_definition(const Lost *lost, const Node *def)
{
    Unit *unit = lost->unit;
    Lost inner = *lost;
    const char *name = arena_format(unit->arena, "%s%s", lost->prefix, def->function.name->text);
    if (def->function.decorators.count)
        lose_number(unit, name);
    inner.prefix = arena_format(unit->arena, "%s.<locals>.", name);
    for (uint32_t i = 0; i < def->function.body.count; i++)
        lose_node(def->function.body.items[i], &inner);
}

static void lose_value(const Lost *lost, const Value *value)
{
    if (value->kind == VALUE_PYTHON_FUNC)
        lose_call(lost->unit, value->python, lost->kind);
    else if (lost->kind == LOST_NUMBERS)
        return;
    else if (value->kind == VALUE_DICT)
        dict_forget(value, "a dict may be changed by a call or statement that is not followed");
    else if (value->kind == VALUE_STRUCT)
        forget_instance(lost->unit, value);
}

static void lose_path(const Lost *lost, const Node *node)
{
    Name parts[LIMIT_PATH];
    uint32_t count = node_path(node, parts, LIMIT_PATH);
    if (!count)
        return;
    if (name_is(parts[count - 1], "set_module_options"))
        lost->scope->file->options.unsupported = "a module option that is set where weft does not follow";
    const Value *value = scope_find(lost->scope, parts[0]);
    if (value && lost->kind == LOST_ALL)
        forget_object(lost->unit, value);
    for (uint32_t i = 1; i < count && value && value->kind != VALUE_DICT; i++)
        value = value->kind == VALUE_FILE || value->kind == VALUE_CLASS ? static_attribute(lost->unit, value, parts[i])
                                                                        : NULL;
    if (value)
        lose_value(lost, value);
}

static void lose_node(const Node *node, void *user)
{
    const Lost *lost = user;
    if (!step(lost->unit))
        return;
    switch (node->kind) {
    case NODE_FUNCTION_DEF:
    case NODE_ASYNC_FUNCTION_DEF: lose_definition(lost, node); return;
    case NODE_CLASS_DEF: {
        Lost inner = *lost;
        inner.prefix = arena_format(lost->unit->arena, "%s%s.", lost->prefix, node->class_def.name->text);
        node_children(node, lose_node, &inner);
        return;
    }
    case NODE_NAME: lose_path(lost, node); return;
    case NODE_CONSTANT: /* setattr(function, "__qualname__", name) */
        lost->unit->renames_lost |= node->constant.kind == CONSTANT_STR &&
                                    node->constant.len == strlen("__qualname__") &&
                                    !memcmp(node->constant.text, "__qualname__", node->constant.len);
        return;
    case NODE_ATTRIBUTE:
        lost->unit->renames_lost |= name_is(node->attribute.attr, "__qualname__");
        lose_path(lost, node);
        if (node->attribute.value->kind != NODE_NAME && node->attribute.value->kind != NODE_ATTRIBUTE)
            lose_node(node->attribute.value, user);
        return;
    default: node_children(node, lose_node, user); return;
    }
}

void lose_call(Unit *unit, const PythonFunc *func, LossKind kind)
{
    unit->calls_lost += kind == LOST_ALL;
    if (func->def->kind == NODE_LAMBDA)
        return;
    TableSlot *slot = table_add(&unit->lost_functions, unit->arena, func->def);
    if (slot->number >= kind)
        return;
    slot->number = kind;
    Lost lost = {unit, func->scope, arena_format(unit->arena, "%s.<locals>.", func->qualname), kind};
    for (uint32_t i = 0; i < func->def->function.body.count; i++)
        lose_node(func->def->function.body.items[i], &lost);
}

void lose_statement(Unit *unit, const Node *statement, const Scope *scope)
{
    Lost lost = {unit, scope, scope->qualname, LOST_ALL};
    lose_node(statement, &lost);
}
