#include "synth/contract/contract.h"

#include "synth/contract/tell.h"

#include <string.h>

/* ---- the module ---- */

/* wp.kernel, wp.kernel(…) and so on. */
static bool is_decorated(const Node *function, const char *name)
{
    for (uint32_t i = 0; i < function->function.decorators.count; i++) {
        const Node *decorator = function->function.decorators.items[i];
        if (name_is(builtin_of(decorator->kind == NODE_CALL ? decorator->call.func : decorator), name))
            return true;
    }
    return false;
}

const Node *contract_find_kernel(const Node *module, const char *name)
{
    const Node *found = NULL;
    for (uint32_t i = 0; i < module->module.body.count; i++) {
        const Node *node = module->module.body.items[i];
        if (node->kind == NODE_FUNCTION_DEF && name_is(node->function.name, name) && is_decorated(node, "kernel"))
            found = node;
    }
    return found;
}

static bool defines(const Node *node, Name name)
{
    switch (node->kind) {
    case NODE_FUNCTION_DEF: return node->function.name == name;
    case NODE_CLASS_DEF: return node->class_def.name == name;
    case NODE_ASSIGN:
        return node->assign.targets.count == 1 && node->assign.targets.items[0]->kind == NODE_NAME &&
               node->assign.targets.items[0]->name.id == name;
    default: return false;
    }
}

bool is_defined(const Node *module, Name name)
{
    for (uint32_t i = 0; i < module->module.body.count; i++)
        if (defines(module->module.body.items[i], name))
            return true;
    return false;
}

bool is_class(const Node *module, Name name)
{
    for (uint32_t i = 0; i < module->module.body.count; i++) {
        const Node *node = module->module.body.items[i];
        if (node->kind == NODE_CLASS_DEF && node->class_def.name == name)
            return true;
    }
    return false;
}

bool is_known_name(const Node *module, Name name)
{
    static const char *const words[] = {"int", "float", "bool", "len",  "min",   "max",
                                        "abs", "wp",    "type", "True", "False", "None"};
    if (name->text[0] >= '0' && name->text[0] <= '9') /* 0xff, as its author wrote it */
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (name_is(name, words[i]))
            return true;
    return is_defined(module, name);
}

/* ---- functions ---- */

/* The value of a function whose statements are all told in it; NULL: it has others. */
static const Node *only_result(Teller *t, const Node *function)
{
    const NodeList *body = &function->function.body;
    for (uint32_t i = 0; i + 1 < body->count; i++)
        if (!is_told_elsewhere(t, body->items[i]))
            return NULL;
    const Node *last = body->items[body->count - 1];
    return last->kind == NODE_RETURN ? last->ret.value : NULL;
}

static void tell_function(Teller *t, const Node *function)
{
    const NodeList *args = &function->function.params->arguments.args;
    find_variables(t, function);
    text_lit(t->out, "\n\n");
    text_add(t->out, function->function.name->text, function->function.name->len);
    text_char(t->out, '(');
    for (uint32_t i = 0; i < args->count; i++) {
        text_str(t->out, i ? ", " : "");
        text_add(t->out, args->items[i]->arg.name->text, args->items[i]->arg.name->len);
    }
    text_char(t->out, ')');
    const Node *result = only_result(t, function);
    if (result) {
        text_lit(t->out, " is ");
        tell_expression(t, result, BIND_ANY);
        text_char(t->out, '.');
        return;
    }
    size_t before = t->out->len;
    text_char(t->out, ':');
    tell_statements(t, &function->function.body);
    if (t->out->len == before + 1) {
        t->out->len = before;
        text_lit(t->out, " does nothing.");
    }
}

/* Functions of one name differ in their types, which the steps leave out. */
static bool has_namesake(const Node *module, const Node *function)
{
    for (uint32_t i = 0; i < module->module.body.count; i++) {
        const Node *node = module->module.body.items[i];
        if (node != function && node->kind == NODE_FUNCTION_DEF && node->function.name == function->function.name)
            return true;
    }
    return false;
}

static void tell_functions(Teller *t, const Node *module)
{
    for (uint32_t i = 0; i < module->module.body.count; i++) {
        const Node *node = module->module.body.items[i];
        if (node->kind != NODE_FUNCTION_DEF || is_decorated(node, "kernel"))
            continue;
        t->failed |= has_namesake(module, node) || !is_decorated(node, "func") ||
                     node->function.decorators.count != 1 || node->function.params->arguments.defaults.count;
        if (!t->failed)
            tell_function(t, node);
    }
}

/* "For the thread with index i:", "For the thread with indices i and j:", where the kernel begins with them. */
static void tell_thread(Teller *t, const Node *kernel)
{
    const NodeList *body = &kernel->function.body;
    const Node *found = NULL;
    for (uint32_t i = 0; i < body->count; i++)
        if (!found && is_thread(body->items[i]))
            found = t->thread = body->items[i];
    if (!found) {
        text_lit(t->out, "Each thread of the launch does this:\n");
        return;
    }
    const Node *target = found->assign.targets.items[0];
    bool many = target->kind == NODE_TUPLE;
    text_str(t->out, many ? "For the thread with indices " : "For the thread with index ");
    if (many)
        tell_list(t, &target->sequence.elts, ", ");
    else
        tell_expression(t, target, BIND_ANY);
    text_str(t->out, many ? " in the launch, one for each dimension:\n" : " in the launch:\n");
}

ContractResult contract_add_steps(Arena *arena, const Node *module, const Node *kernel, Text *out)
{
    Teller *t = arena_zeroed(arena, sizeof *t);
    *t = (Teller){.arena = arena, .out = out, .module = module, .is_kernel = true};
    find_variables(t, kernel);
    tell_thread(t, kernel);
    tell_statements(t, &kernel->function.body);
    t->is_kernel = false;
    tell_functions(t, module);
    return t->lacks_name ? CONTRACT_UNKNOWN_NAME : t->failed ? CONTRACT_NO_WORDS : CONTRACT_TOLD;
}

/* ---- constants ---- */

static void add_constant(Text *out, size_t start, Name class_name, const Node *statement)
{
    const Node *target = statement->assign.targets.items[0], *value = statement->assign.value;
    if (target->kind != NODE_NAME)
        return;
    text_str(out, out->len > start ? ", " : "");
    if (class_name) {
        text_add(out, class_name->text, class_name->len);
        text_char(out, '.');
    }
    text_add(out, target->name.id->text, target->name.id->len);
    text_lit(out, " = ");
    if (calls_builtin(value, "constant") && value->call.args.count == 1)
        value = value->call.args.items[0];
    unparse(value, out);
}

bool contract_add_constants(const Node *module, Text *out)
{
    size_t start = out->len;
    for (uint32_t i = 0; i < module->module.body.count; i++) {
        const Node *node = module->module.body.items[i];
        if (node->kind == NODE_ASSIGN && node->assign.targets.count == 1)
            add_constant(out, start, NULL, node);
        for (uint32_t k = 0; node->kind == NODE_CLASS_DEF && k < node->class_def.body.count; k++)
            if (node->class_def.body.items[k]->kind == NODE_ASSIGN)
                add_constant(out, start, node->class_def.name, node->class_def.body.items[k]);
    }
    return out->len > start;
}
