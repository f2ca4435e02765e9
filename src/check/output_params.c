/* What a kernel does with its array parameters, as far as its text says so. */
#include "check/check_impl.h"

#include <string.h>

typedef struct Uses {
    bool written, read, passed; /* passed: to a call, which may write to it */
} Uses;

struct ParamUses {
    HashTable params; /* Uses by name, of the array parameters */
};

static void look_at(const Node *node, void *user);

/* NULL: the name is that of no array parameter. */
static Uses *uses_of(const ParamUses *all, Name name)
{
    const TableSlot *slot = table_find(&all->params, name);
    return slot ? slot->item : NULL;
}

/* x[i], x[i].field, x[i][k] where x is a parameter: its uses, indices looked at; NULL: something else. */
static Uses *written_array(const Node *target, ParamUses *uses)
{
    const Node *at = target;
    while (at->kind == NODE_SUBSCRIPT || at->kind == NODE_ATTRIBUTE)
        at = at->kind == NODE_SUBSCRIPT ? at->subscript.value : at->attribute.value;
    Uses *found = at != target && at->kind == NODE_NAME ? uses_of(uses, at->name.id) : NULL;
    if (!found)
        return NULL;
    for (at = target; at->kind != NODE_NAME;
         at = at->kind == NODE_SUBSCRIPT ? at->subscript.value : at->attribute.value)
        if (at->kind == NODE_SUBSCRIPT)
            look_at(at->subscript.slice, uses);
    return found;
}

static void look_at_target(Node *target, ParamUses *uses)
{
    Uses *array = written_array(target, uses);
    if (array)
        array->written = true;
    else
        look_at(target, uses);
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* wp.atomic_add(x, …) as a statement: what was in the array goes nowhere but into the array; wp.tile_store(x, …), where x may be a row. NULL: something else. */
static Uses *updated_array(const Node *node, ParamUses *uses)
{
    if (node->kind != NODE_EXPR || node->expr.value->kind != NODE_CALL)
        return NULL;
    const Node *call = node->expr.value, *callee = call->call.func;
    if (callee->kind != NODE_ATTRIBUTE || !call->call.args.count)
        return NULL;
    const char *name = callee->attribute.attr->text;
    const Node *target = call->call.args.items[0];
    bool of_tile = begins(name, "tile_store") || begins(name, "tile_atomic_add");
    if (target->kind == NODE_NAME)
        return of_tile || begins(name, "atomic_") ? uses_of(uses, target->name.id) : NULL;
    return of_tile ? written_array(target, uses) : NULL;
}

static void note_passed(const Node *call, ParamUses *uses)
{
    for (uint32_t i = 0; i < call->call.args.count; i++) {
        const Node *argument = call->call.args.items[i];
        Uses *found = argument->kind == NODE_NAME ? uses_of(uses, argument->name.id) : NULL;
        if (found)
            found->passed = true;
    }
}

static void look_at(const Node *node, void *user)
{
    ParamUses *uses = user;
    Uses *array;
    if (node->kind == NODE_CALL)
        note_passed(node, uses);
    if (node->kind == NODE_ASSIGN) {
        for (uint32_t i = 0; i < node->assign.targets.count; i++)
            look_at_target(node->assign.targets.items[i], uses);
        look_at(node->assign.value, uses);
    } else if (node->kind == NODE_AUG_ASSIGN && (node->aug_assign.op == OP_ADD || node->aug_assign.op == OP_SUB)) {
        look_at_target(node->aug_assign.target, uses);
        look_at(node->aug_assign.value, uses);
    } else if ((array = updated_array(node, uses))) {
        array->written = true;
        for (uint32_t i = 1; i < node->expr.value->call.args.count; i++)
            look_at(node->expr.value->call.args.items[i], uses);
        for (uint32_t i = 0; i < node->expr.value->call.keywords.count; i++)
            look_at(node->expr.value->call.keywords.items[i], uses);
    } else if (node->kind == NODE_NAME) {
        if ((array = uses_of(uses, node->name.id)))
            array->read = true;
    } else
        node_children(node, look_at, uses);
}

/* With structs, whose fields may be arrays, or of arrays alone. */
static ParamUses *find_uses(Arena *arena, const Code *code, bool with_structs)
{
    ParamUses *uses = ARENA_NEW(arena, ParamUses);
    for (uint32_t i = 0; i < code->param_count; i++) {
        TypeKind kind = code->params[i].type ? type_canonical(code->params[i].type)->kind : TYPE_ANY;
        if (kind == TYPE_ARRAY || (with_structs && kind == TYPE_STRUCT))
            table_add(&uses->params, arena, code->params[i].name)->item = ARENA_NEW(arena, Uses);
    }
    if (uses->params.count && code->def->kind == NODE_FUNCTION_DEF)
        for (uint32_t i = 0; i < code->def->function.body.count; i++)
            look_at(code->def->function.body.items[i], uses);
    return uses;
}

const ParamUses *check_param_uses(Arena *arena, const Code *code)
{
    return find_uses(arena, code, false);
}

const bool *may_be_written(Arena *arena, const Code *code)
{
    const ParamUses *uses = find_uses(arena, code, true);
    bool *written = ARENA_ARRAY(arena, bool, code->param_count + 1);
    for (uint32_t i = 0; i < code->param_count; i++) {
        const Uses *found = uses_of(uses, code->params[i].name);
        written[i] = found && (found->written || found->passed);
    }
    return written;
}

bool check_is_output(const ParamUses *uses, const Param *param)
{
    const Uses *found = uses_of(uses, param->name);
    return found && found->written && !found->read;
}

bool check_is_written(const ParamUses *uses, const Param *param)
{
    const Uses *found = uses_of(uses, param->name);
    return found && found->written;
}
