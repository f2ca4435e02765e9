#include "front/excerpt.h"

#include "base/table.h"

typedef struct NameSet {
    Arena *arena;
    HashTable names;
} NameSet;

static bool has_name(const NameSet *set, Name name)
{
    return table_has(&set->names, name);
}

static void add_name(NameSet *set, Name name)
{
    if (name)
        table_add(&set->names, set->arena, name);
}

static void collect_names(const Node *node, void *user)
{
    if (node->kind == NODE_NAME)
        add_name(user, node->name.id);
    node_children(node, collect_names, user);
}

static bool binds_target(const Node *target, const NameSet *needed)
{
    if (target->kind == NODE_NAME)
        return has_name(needed, target->name.id);
    bool found = false;
    for (uint32_t i = 0; target->kind == NODE_TUPLE && i < target->sequence.elts.count; i++)
        found |= binds_target(target->sequence.elts.items[i], needed);
    return found;
}

typedef struct Mention {
    const NameSet *needed;
    bool found;
} Mention;

static void find_mention(const Node *node, void *user)
{
    Mention *mention = user;
    mention->found |= node->kind == NODE_NAME && has_name(mention->needed, node->name.id);
    node_children(node, find_mention, user);
}

static bool mentions(const Node *node, const NameSet *needed)
{
    Mention mention = {.needed = needed};
    find_mention(node, &mention);
    return mention.found;
}

/* Statements without a name of their own that change something needed: custom gradients, overloads, options. */
static bool changes_needed(Unit *unit, const Node *node, const NameSet *needed)
{
    const Node *call = node->kind == NODE_EXPR ? node->expr.value : NULL;
    if (node->kind == NODE_FUNCTION_DEF && node->function.decorators.count == 1)
        call = node->function.decorators.items[0];
    if (!call || call->kind != NODE_CALL)
        return false;
    const Value *callee = static_eval(unit, call->call.func, unit->main->globals);
    if (value_is_intrinsic(callee, INTRINSIC_WP_SET_MODULE_OPTIONS))
        return true;
    bool about = value_is_intrinsic(callee, INTRINSIC_WP_FUNC_GRAD) ||
                 value_is_intrinsic(callee, INTRINSIC_WP_FUNC_REPLAY) ||
                 value_is_intrinsic(callee, INTRINSIC_WP_OVERLOAD);
    return about && call->call.args.count && mentions(call->call.args.items[0], needed);
}

static bool imports_needed(const Node *node, const NameSet *needed)
{
    const NodeList *names = node->kind == NODE_IMPORT ? &node->import.names : &node->import_from.names;
    bool plain_warp = node->kind == NODE_IMPORT && names->count == 1 && name_is(names->items[0]->alias.name, "warp") &&
                      name_is(names->items[0]->alias.asname, "wp");
    bool found = false;
    for (uint32_t i = 0; !plain_warp && i < names->count; i++) {
        const Node *alias = names->items[i];
        found |= has_name(needed, alias->alias.asname ? alias->alias.asname : alias->alias.name);
    }
    return found;
}

static bool is_needed(Unit *unit, const Node *node, const NameSet *needed)
{
    switch (node->kind) {
    case NODE_FUNCTION_DEF: return has_name(needed, node->function.name) || changes_needed(unit, node, needed);
    case NODE_CLASS_DEF: return has_name(needed, node->class_def.name);
    case NODE_ASSIGN: return binds_target(node->assign.targets.items[0], needed);
    case NODE_ANN_ASSIGN: return binds_target(node->ann_assign.target, needed);
    case NODE_AUG_ASSIGN: return binds_target(node->aug_assign.target, needed);
    case NODE_EXPR: return changes_needed(unit, node, needed);
    case NODE_IMPORT:
    case NODE_IMPORT_FROM: return imports_needed(node, needed);
    default: return false;
    }
}

static uint32_t first_offset(const Node *node)
{
    if (node->kind == NODE_FUNCTION_DEF)
        return node->function.first_line;
    return node->kind == NODE_CLASS_DEF ? node->class_def.first_line : node->start;
}

void excerpt(Unit *unit, const Node *def, Text *out)
{
    const NodeList *body = &unit->main->module->module.body;
    bool *kept = ARENA_ARRAY(unit->arena, bool, body->count);
    NameSet needed = {.arena = unit->arena};
    collect_names(def, &needed);
    bool inside = false;
    for (uint32_t i = 0; i < body->count; i++)
        inside |= body->items[i] == def;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < body->count; i++) {
            const Node *node = body->items[i];
            bool holds = !inside && node->start <= def->start && def->end <= node->end; /* made by a function */
            if (kept[i] || !(node == def || holds || is_needed(unit, node, &needed)))
                continue;
            kept[i] = changed = true;
            collect_names(node, &needed);
            if (holds && node->kind == NODE_FUNCTION_DEF)
                add_name(&needed, node->function.name);
        }
    }
    bool first = true;
    for (uint32_t i = 0; i < body->count; i++) {
        if (!kept[i])
            continue;
        const Node *node = body->items[i];
        bool definition = node->kind == NODE_FUNCTION_DEF || node->kind == NODE_CLASS_DEF;
        if (!first && definition)
            text_lit(out, "\n\n");
        text_add(out, unit->main->source->text + first_offset(node), node->end - first_offset(node));
        text_char(out, '\n');
        first = false;
    }
}
