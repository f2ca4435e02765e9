/* What a kernel does with its array parameters, as far as its text says so. */
#include "check/check.h"

#include <string.h>

typedef struct Uses {
    Name param;
    bool written, read;
} Uses;

static void look_at(const Node *node, void *user);

/* x[i], x[i].field, x[i][k] where x is the parameter: the parameter's own node, indices looked at; NULL: something else. */
static const Node *written_array(const Node *target, Uses *uses)
{
    const Node *at = target;
    while (at->kind == NODE_SUBSCRIPT || at->kind == NODE_ATTRIBUTE)
        at = at->kind == NODE_SUBSCRIPT ? at->subscript.value : at->attribute.value;
    if (at == target || at->kind != NODE_NAME || at->name.id != uses->param)
        return NULL;
    for (at = target; at->kind != NODE_NAME;
         at = at->kind == NODE_SUBSCRIPT ? at->subscript.value : at->attribute.value)
        if (at->kind == NODE_SUBSCRIPT)
            look_at(at->subscript.slice, uses);
    return at;
}

static void look_at_target(Node *target, Uses *uses)
{
    if (written_array(target, uses))
        uses->written = true;
    else
        look_at(target, uses);
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* wp.atomic_add(x, …) as a statement: what was in the array goes nowhere but into the array; wp.tile_store(x, …), where x may be a row. */
static bool is_update_statement(const Node *node, Uses *uses)
{
    if (node->kind != NODE_EXPR || node->expr.value->kind != NODE_CALL)
        return false;
    const Node *call = node->expr.value, *callee = call->call.func;
    if (callee->kind != NODE_ATTRIBUTE || !call->call.args.count)
        return false;
    const char *name = callee->attribute.attr->text;
    const Node *target = call->call.args.items[0];
    bool of_tile = begins(name, "tile_store") || begins(name, "tile_atomic_add");
    if (target->kind == NODE_NAME)
        return (of_tile || begins(name, "atomic_")) && target->name.id == uses->param;
    return of_tile && written_array(target, uses);
}

static void look_at(const Node *node, void *user)
{
    Uses *uses = user;
    if (node->kind == NODE_ASSIGN) {
        for (uint32_t i = 0; i < node->assign.targets.count; i++)
            look_at_target(node->assign.targets.items[i], uses);
        look_at(node->assign.value, uses);
    } else if (node->kind == NODE_AUG_ASSIGN && (node->aug_assign.op == OP_ADD || node->aug_assign.op == OP_SUB)) {
        look_at_target(node->aug_assign.target, uses);
        look_at(node->aug_assign.value, uses);
    } else if (is_update_statement(node, uses)) {
        uses->written = true;
        for (uint32_t i = 1; i < node->expr.value->call.args.count; i++)
            look_at(node->expr.value->call.args.items[i], uses);
        for (uint32_t i = 0; i < node->expr.value->call.keywords.count; i++)
            look_at(node->expr.value->call.keywords.items[i], uses);
    } else if (node->kind == NODE_NAME)
        uses->read |= node->name.id == uses->param;
    else
        node_children(node, look_at, uses);
}

static Uses uses_of(const Code *code, const Param *param)
{
    Uses uses = {.param = param->name};
    if (type_canonical(param->type)->kind == TYPE_ARRAY && code->def->kind == NODE_FUNCTION_DEF)
        for (uint32_t i = 0; i < code->def->function.body.count; i++)
            look_at(code->def->function.body.items[i], &uses);
    return uses;
}

bool check_is_output(const Code *code, const Param *param)
{
    Uses uses = uses_of(code, param);
    return uses.written && !uses.read;
}

bool check_is_written(const Code *code, const Param *param)
{
    return uses_of(code, param).written;
}
