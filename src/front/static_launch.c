/* Launches of generic kernels: what they are given says for which types Warp compiles them.
 *
 * Those that the module level runs count as they come. For a kernel that has no types then, those in functions and under
 * `if __name__ == "__main__"` are looked at, without running anything: an assignment of a name is followed where its value is an array,
 * a number or a type. */
#include "front/declare_impl.h"

#include <string.h>

/* ---- types of arguments ---- */

/* As Warp infers it; NULL: not known, or no argument of a generic kernel. */
static const Type *argument_type(const Value *value, const Type *wanted)
{
    switch (value->kind) {
    case VALUE_UNKNOWN: return value->array;
    case VALUE_NONE: return wanted->kind == TYPE_ARRAY ? wanted : NULL;
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_FLOAT: return value_variable_type(value);
    case VALUE_SCALAR: return value->scalar.type;
    case VALUE_COMPOSITE: return value->composite.type;
    case VALUE_STRUCT: return value->instance.type;
    default: return NULL;
    }
}

/* Of the inputs and outputs together. False: a list is not known. */
static bool add_types(const Kernel *kernel, const Value *list, const Type **types, uint32_t *count)
{
    if (!list)
        return true;
    if (list->kind != VALUE_LIST && list->kind != VALUE_TUPLE)
        return false;
    for (uint32_t i = 0; i < list->sequence.count; i++, (*count)++) {
        if (*count == kernel->code.param_count)
            return false;
        types[*count] = argument_type(list->sequence.items[i], kernel->code.params[*count].type);
        if (!types[*count])
            return false;
    }
    return true;
}

static void add_instance(Unit *unit, Kernel *kernel, const Value *inputs, const Value *outputs)
{
    uint32_t count = 0;
    if (!kernel->is_generic || kernel->code.refused)
        return;
    const Type **types = ARENA_ARRAY(unit->arena, const Type *, kernel->code.param_count);
    if (add_types(kernel, inputs, types, &count) && add_types(kernel, outputs, types, &count))
        kernel_add_overload(unit, kernel, types, count, NULL);
}

const Value *run_launch(Unit *unit, const Node *call, const Args *args)
{
    const Value *kernel = given_argument(args, 0, "kernel"), *recorded = given_argument(args, 10, "record_cmd");
    (void)call;
    if (kernel && kernel->kind == VALUE_KERNEL && !kernel->is_module)
        add_instance(unit, kernel->kernel, given_argument(args, 2, "inputs"), given_argument(args, 3, "outputs"));
    return recorded ? value_unknown(unit->arena, "a launch is not followed") : value_none();
}

/* ---- code that was not run ---- */

static void scan_block(Unit *unit, const NodeList *body, Scope *scope);

/* What an expression stands for, if telling it changes nothing; never NULL. */
static const Value *pure_value(Unit *unit, const Node *node, Scope *scope)
{
    Name path[LIMIT_PATH];
    const Type *array = array_made(unit, node, scope);
    const Node *callee = node->kind == NODE_CALL ? node->call.func : NULL;
    const Value *type = callee ? plain_value(unit, callee, scope) : NULL;
    bool number = type && type->kind == VALUE_TYPE && node->call.args.count <= 1 && !node->call.keywords.count &&
                  (!node->call.args.count || node->call.args.items[0]->kind == NODE_CONSTANT);
    if (array) {
        Value *made = ARENA_NEW(unit->arena, Value);
        made->reason = "it is an array of a program that runs";
        made->object = OBJECT_ARRAY;
        made->array = array;
        return made;
    }
    switch (node->kind) {
    case NODE_NAME:
    case NODE_CONSTANT: return static_eval(unit, node, scope);
    case NODE_ATTRIBUTE:
        return node_path(node, path, LIMIT_PATH) ? static_eval(unit, node, scope)
                                                 : value_unknown(unit->arena, "it is not run");
    case NODE_LIST:
    case NODE_TUPLE: {
        uint32_t count = node->sequence.elts.count;
        const Value **items = ARENA_ARRAY(unit->arena, const Value *, count);
        for (uint32_t i = 0; i < count; i++)
            items[i] = pure_value(unit, node->sequence.elts.items[i], scope);
        return value_sequence(unit->arena, VALUE_TUPLE, items, count);
    }
    default: return number ? static_eval(unit, node, scope) : value_unknown(unit->arena, "it is not run");
    }
}

typedef struct Scan {
    Unit *unit;
    Scope *scope;
} Scan;

static void scan_call(const Node *node, void *user)
{
    const Scan *state = user;
    if (node->kind == NODE_FUNCTION_DEF || node->kind == NODE_CLASS_DEF || node->kind == NODE_LAMBDA ||
        !step(state->unit))
        return;
    const Value *callee = node->kind == NODE_CALL ? plain_value(state->unit, node->call.func, state->scope) : NULL;
    if (value_is_intrinsic(callee, INTRINSIC_WP_LAUNCH) || value_is_intrinsic(callee, INTRINSIC_WP_LAUNCH_TILED)) {
        const Node *kernel_node = argument_node(node, 0, "kernel"), *inputs = argument_node(node, 2, "inputs"),
                   *outputs = argument_node(node, 3, "outputs");
        const Value *kernel = kernel_node ? plain_value(state->unit, kernel_node, state->scope) : NULL;
        if (kernel && kernel->kind == VALUE_KERNEL && kernel->kernel->lacks_types)
            add_instance(state->unit, kernel->kernel, inputs ? pure_value(state->unit, inputs, state->scope) : NULL,
                         outputs ? pure_value(state->unit, outputs, state->scope) : NULL);
    }
    node_children(node, scan_call, user);
}

static void scan_calls(Unit *unit, const Node *node, Scope *scope)
{
    Scan state = {unit, scope};
    if (node)
        scan_call(node, &state);
}

/* What the module level has made is better known already. */
static void bind_pure(Unit *unit, const Node *target, const Node *node, Scope *scope)
{
    const Scope *globals = unit->main->globals;
    if (target->kind != NODE_NAME || (scope->parent == globals && scope_find_here(globals, target->name.id)))
        return;
    scope_bind(unit, scope, target->name.id, pure_value(unit, node, scope));
}

/* Each item of a list of types or numbers in its turn; else the body once, whatever the target is. */
static void scan_for(Unit *unit, const Node *node, Scope *scope)
{
    const Node *target = node->for_loop.target;
    const Value *items = pure_value(unit, node->for_loop.iter, scope);
    bool known = (items->kind == VALUE_TUPLE || items->kind == VALUE_LIST) && target->kind == NODE_NAME;
    for (uint32_t i = 0; known && i < items->sequence.count && step(unit); i++) {
        scope_bind(unit, scope, target->name.id, items->sequence.items[i]);
        scan_block(unit, &node->for_loop.body, scope);
    }
    if (known)
        return;
    if (target->kind == NODE_NAME)
        scope_bind(unit, scope, target->name.id, value_unknown(unit->arena, "it is changed in a loop"));
    scan_block(unit, &node->for_loop.body, scope);
}

static void scan_function(Unit *unit, const Node *def, const Scope *around)
{
    const Node *params = def->function.params;
    Scope *scope = scope_new(unit, around, "");
    const NodeList *lists[] = {&params->arguments.posonly, &params->arguments.args, &params->arguments.kwonly};
    for (int k = 0; k < 3; k++)
        for (uint32_t i = 0; i < lists[k]->count; i++)
            scope_bind(unit, scope, lists[k]->items[i]->arg.name, value_unknown(unit->arena, "it is a parameter"));
    scan_block(unit, &def->function.body, scope);
}

static void scan_statement(Unit *unit, const Node *node, Scope *scope)
{
    switch (node->kind) {
    case NODE_ASSIGN:
        scan_calls(unit, node->assign.value, scope);
        for (uint32_t i = 0; i < node->assign.targets.count; i++)
            bind_pure(unit, node->assign.targets.items[i], node->assign.value, scope);
        return;
    case NODE_EXPR: scan_calls(unit, node->expr.value, scope); return;
    case NODE_IF:
        scan_block(unit, &node->if_stmt.body, scope);
        scan_block(unit, &node->if_stmt.orelse, scope);
        return;
    case NODE_FOR: scan_for(unit, node, scope); return;
    case NODE_WHILE: scan_block(unit, &node->while_loop.body, scope); return;
    case NODE_WITH: scan_block(unit, &node->with.body, scope); return;
    case NODE_TRY: scan_block(unit, &node->try_stmt.body, scope); return;
    case NODE_FUNCTION_DEF: scan_function(unit, node, closure_scope(scope)); return;
    case NODE_CLASS_DEF: {
        Scope *inner = scope_new(unit, scope, "");
        inner->is_class = true;
        scan_block(unit, &node->class_def.body, inner);
        return;
    }
    default: return;
    }
}

static void scan_block(Unit *unit, const NodeList *body, Scope *scope)
{
    for (uint32_t i = 0; i < body->count && step(unit); i++)
        scan_statement(unit, body->items[i], scope);
}

/* Has the file generic kernels for which nothing says the types? */
static bool mark_untyped(const Unit *unit)
{
    bool any = false;
    for (uint32_t i = 0; i < unit->kernels.count; i++) {
        Kernel *kernel = unit->kernels.items[i];
        kernel->lacks_types =
            kernel->made_by == unit->main && kernel->is_generic && !kernel->code.refused && !kernel->overloads.count;
        any |= kernel->lacks_types;
    }
    return any;
}

void find_launches(Unit *unit)
{
    if (!unit->main->parsed || !mark_untyped(unit))
        return;
    Scope *scope = scope_new(unit, unit->main->globals, ""); /* what is assigned here is not the module's */
    allow_file_steps(unit, unit->main->source);
    scan_block(unit, &unit->main->module->module.body, scope);
}
