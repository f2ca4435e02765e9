/* Which kernels a file has: those that can be compiled, and why the others cannot.
 *
 * Every kernel of the file is either listed or reported, so that none is skipped without a word. */
#include "front/static_impl.h"

#include <string.h>

/* ---- kernels with a name ---- */

/* Those of the files that it imports are theirs. */
static bool is_of_file(const Unit *unit, const Kernel *kernel)
{
    return kernel->made_by == unit->main;
}

static void list_kernel(Unit *unit, Kernel *kernel, KernelList *out)
{
    if (kernel->listed || !is_of_file(unit, kernel))
        return;
    kernel->listed = true;
    if (!kernel->is_generic)
        ARENA_PUSH(unit->arena, out->items, out->count, out->cap) = kernel;
    for (uint32_t i = 0; i < kernel->overloads.count; i++)
        list_kernel(unit, kernel->overloads.items[i], out);
}

/* A generic kernel itself may have no name: it is enough that each of its overloads has one. */
static bool is_listed(const Kernel *kernel)
{
    bool all = kernel->overloads.count > 0;
    for (uint32_t i = 0; i < kernel->overloads.count; i++)
        all &= kernel->overloads.items[i]->listed;
    return kernel->listed || all;
}

typedef struct Listing {
    Unit *unit;
    KernelList *out;
    uint32_t left; /* values to look at: lists may hold each other many times over */
} Listing;

/* Those in classes, lists and dicts, too; a class may have its own name inside itself, so the depth is bounded. */
static void list_value(Listing *l, const Value *value, uint32_t depth)
{
    if (depth > LIMIT_TYPE_DEPTH || !l->left)
        return;
    l->left--;
    switch (value->kind) {
    case VALUE_KERNEL: list_kernel(l->unit, value->kernel, l->out); return;
    case VALUE_CLASS:
        for (uint32_t i = 0; i < value->class_object.scope->count; i++)
            list_value(l, value->class_object.scope->bindings[i].value, depth + 1);
        return;
    case VALUE_LIST:
    case VALUE_TUPLE:
        for (uint32_t i = 0; i < value->sequence.count; i++)
            list_value(l, value->sequence.items[i], depth + 1);
        return;
    case VALUE_DICT:
        for (uint32_t i = 0; i < value->dict.count; i++)
            list_value(l, value->dict.values[i], depth + 1);
        return;
    default: return;
    }
}

/* ---- kernels that are not compiled ---- */

static void add_report(Unit *unit, const Source *source, const char *key, uint32_t start, uint32_t end,
                       const Refusal *why)
{
    Diag *diag = diag_add(&unit->diags, source, why->kind, start, end, "%s", why->message);
    diag->kernel = key;
    diag->hint = why->hint;
}

/* At the word `def`: `message` goes on after the kernel's name. */
static void report(Unit *unit, const Source *source, const Node *def, const char *key, const char *hint,
                   const char *message)
{
    uint32_t start = def->function.def_start;
    Refusal why = {.kind = DIAG_UNSUPPORTED, .hint = hint};
    why.message = arena_format(unit->arena, "kernel '%s' %s", key, message);
    add_report(unit, source, key, start, start + 3, &why);
}

/* Why the decorators do not make a kernel of the definition; false: they do. */
static bool decorator_refusal(Unit *unit, const Node *def, Refusal *why)
{
    const NodeList *decorators = &def->function.decorators;
    *why = (Refusal){.kind = DIAG_ERROR, .at = def, .message = "an async function cannot be a kernel"};
    if (def->kind == NODE_ASYNC_FUNCTION_DEF)
        return true;
    for (uint32_t i = decorators->count; i-- > 0;) {
        const Node *decorator = decorators->items[i];
        const Value *value =
            static_eval(unit, decorator->kind == NODE_CALL ? decorator->call.func : decorator, unit->main->globals);
        bool unknown = value->kind == VALUE_UNKNOWN;
        why->at = decorator;
        why->kind = unknown && value->wrong ? DIAG_ERROR : DIAG_UNSUPPORTED;
        why->message = !unknown       ? "kernels under this decorator are not compiled"
                       : value->wrong ? value->reason
                                      : arena_format(unit->arena, "the decorator is not known: %s", value->reason);
        if (unknown || (value->kind != VALUE_INTRINSIC && i + 1 < decorators->count))
            return true;
    }
    return false;
}

static bool report_decorator(Unit *unit, const Node *def, const char *key)
{
    Refusal why;
    bool found = decorator_refusal(unit, def, &why);
    if (found)
        add_report(unit, unit->main->source, key, why.at->start, why.at->end, &why);
    return found;
}

/* One that was made, but cannot be reached by a name of the module. */
static void report_unnamed(Unit *unit, const Kernel *kernel)
{
    const Node *def = kernel->code.def;
    const Source *source = kernel->code.scope->file->source;
    const Value *now = scope_find_here(unit->main->globals, def->function.name);
    if (now && now->kind == VALUE_KERNEL && now->kernel->code.def != def)
        report(unit, source, def, kernel->key->text, "give one of the two another name",
               "is replaced by a later kernel of the same name");
    else if (source != unit->main->source || !report_decorator(unit, def, kernel->key->text))
        report(unit, source, def, kernel->key->text, "assign it to a name at module level",
               "is made, but no name of the module or of a class refers to it");
}

static void report_generic(Unit *unit, const Kernel *kernel)
{
    const char *key = kernel->code.def->function.name->text;
    report(
        unit, kernel->code.scope->file->source, kernel->code.def, kernel->key->text,
        arena_format(unit->arena, "name the types: wp.overload(%s, [...])", key),
        "is generic, and nothing in this file says for which types to compile it: no wp.overload(), and no wp.launch() "
        "whose types are known");
}

/* ---- definitions that were not reached ---- */

typedef struct Search {
    Unit *unit;
    const HashTable *made; /* definitions of kernels */
    const char *why;       /* what the definitions below are inside of */
    bool says_kernel;      /* is there a name `Kernel` at all? If not, no expression need be looked at */
} Search;

/* Is the last part of a decorator, or of what is called, one of these names? With Warp before it, if anything is. */
static bool is_of_warp(const Unit *unit, const Node *node, const char *const *names)
{
    Name parts[4];
    if (node->kind == NODE_CALL)
        node = node->call.func;
    uint32_t count = node_path(node, parts, 4);
    if (!count || count > 2)
        return false;
    const Value *module = count == 2 ? scope_find_here(unit->main->globals, parts[0]) : NULL;
    bool warp = count == 1 || name_is(parts[0], "wp") || name_is(parts[0], "warp") ||
                (module && module->kind == VALUE_MODULE && !strcmp(module->module, "warp"));
    while (warp && *names && !name_is(parts[count - 1], *names))
        names++;
    return warp && *names;
}

static bool is_definition(const Node *node)
{
    return node->kind == NODE_FUNCTION_DEF || node->kind == NODE_ASYNC_FUNCTION_DEF;
}

typedef struct Use {
    const Unit *unit;
    bool found;
} Use;

static void find_tid(const Node *node, void *user)
{
    static const char *const tid[] = {"tid", NULL};
    Use *use = user;
    if (use->found || is_definition(node))
        return;
    use->found = node->kind == NODE_CALL && node->call.func->kind == NODE_ATTRIBUTE && is_of_warp(use->unit, node, tid);
    node_children(node, find_tid, use);
}

/* A definition that is a kernel: it has Warp's decorator, or asks for the number of its thread under a decorator that is not Warp's. */
static bool is_kernel(const Unit *unit, const Node *node)
{
    static const char *const kernel[] = {"kernel", NULL};
    static const char *const function[] = {"func", "func_native", "func_grad", "func_replay", "overload", NULL};
    bool other = false;
    for (uint32_t i = 0; is_definition(node) && i < node->function.decorators.count; i++) {
        if (is_of_warp(unit, node->function.decorators.items[i], kernel))
            return true;
        if (is_of_warp(unit, node->function.decorators.items[i], function))
            return false;
        other = true;
    }
    Use use = {.unit = unit};
    for (uint32_t i = 0; other && i < node->function.body.count; i++)
        find_tid(node->function.body.items[i], &use);
    return use.found;
}

/* Why what stands inside this statement may not have been run; NULL: that is known from outside. */
static const char *reason_inside(const Search *search, const Node *node)
{
    switch (node->kind) {
    case NODE_FUNCTION_DEF:
    case NODE_ASYNC_FUNCTION_DEF: return "is made by a function that this file does not call at module level";
    case NODE_CLASS_DEF:
        return node->class_def.decorators.count ? "is in a class with a decorator that is not followed" : search->why;
    case NODE_IF:
        return node->if_stmt.test->kind == NODE_COMPARE && node->if_stmt.test->compare.left->kind == NODE_NAME &&
                       name_is(node->if_stmt.test->compare.left->name.id, "__name__")
                   ? "is made only when the file is run as a program"
                   : "is in a branch that is not taken, or whose condition is not known";
    case NODE_TRY: return "is in a part of a 'try' statement that is not followed";
    case NODE_FOR:
    case NODE_WHILE: return "is in a loop that is not followed";
    default: return search->why;
    }
}

/* Definitions stand in statements that have a body, not in others and not in expressions. */
static bool has_body(const Node *node)
{
    switch (node->kind) {
    case NODE_FUNCTION_DEF:
    case NODE_ASYNC_FUNCTION_DEF:
    case NODE_CLASS_DEF:
    case NODE_IF:
    case NODE_FOR:
    case NODE_ASYNC_FOR:
    case NODE_WHILE:
    case NODE_WITH:
    case NODE_ASYNC_WITH:
    case NODE_TRY:
    case NODE_TRY_STAR:
    case NODE_EXCEPT_HANDLER:
    case NODE_MATCH:
    case NODE_MATCH_CASE: return true;
    default: return false;
    }
}

/* wp.Kernel(f) that was not run: what it would be called is known only by its function. */
static void report_kernel_calls(const Node *node, void *user)
{
    static const char *const kernel[] = {"Kernel", NULL};
    const Search *search = user;
    if (is_statement(node) && has_body(node))
        return;
    if (node->kind == NODE_CALL && node->call.func->kind == NODE_ATTRIBUTE && is_of_warp(search->unit, node, kernel) &&
        !table_has(&search->unit->kernel_calls, node)) {
        Refusal why = {.kind = DIAG_UNSUPPORTED};
        why.message = arena_format(search->unit->arena, "the kernel that wp.Kernel() makes here %s",
                                   search->why ? search->why : "is not made at module level");
        add_report(search->unit, search->unit->main->source, NULL, node->start, node->end, &why);
    }
    node_children(node, report_kernel_calls, user);
}

static void report_unreached(const Node *node, void *user)
{
    Search *search = user, inner = *search;
    if (!has_body(node)) {
        if (search->says_kernel)
            report_kernel_calls(node, user);
        return;
    }
    if (is_kernel(search->unit, node) && !table_has(search->made, node)) {
        const char *key = node->function.name->text;
        if (search->why || !report_decorator(search->unit, node, key))
            report(search->unit, search->unit->main->source, node, key, NULL,
                   search->why ? search->why : "is not made at module level");
        return;
    }
    inner.why = reason_inside(search, node);
    node_children(node, report_unreached, &inner);
}

/* Everything after the statement at which the loader gave up. */
static const char *stop_reason(Unit *unit)
{
    uint32_t line = source_position(unit->main->source, unit->main->stopped_at->start).line;
    return arena_format(unit->arena, "comes after line %u, where running the module level takes too long to follow",
                        line);
}

/* Is there a kernel that was not made? A kernel has a decorator, so that few definitions need be looked at. */
static bool any_unreached(const Unit *unit, const HashTable *made)
{
    const NodeList *decorated = &unit->main->module->module.decorated;
    for (uint32_t i = 0; i < decorated->count; i++)
        if (!table_has(made, decorated->items[i]) && is_kernel(unit, decorated->items[i]))
            return true;
    return false;
}

static void report_all_unreached(Unit *unit)
{
    const NodeList *body = &unit->main->module->module.body;
    HashTable made = {0};
    Search search = {.unit = unit, .made = &made, .says_kernel = names_may_have(unit->names, WATCH_KERNEL)};
    for (uint32_t i = 0; i < unit->kernels.count; i++)
        table_add(&made, unit->arena, unit->kernels.items[i]->code.def);
    if (!search.says_kernel && !any_unreached(unit, &made))
        return;
    for (uint32_t i = 0; i < body->count; i++) {
        if (body->items[i] == unit->main->stopped_at)
            search.why = stop_reason(unit);
        report_unreached(body->items[i], &search);
    }
}

void unit_kernels(Unit *unit, KernelList *out)
{
    *out = (KernelList){0};
    run_asked_calls(unit);
    find_launches(unit);
    Listing listing = {unit, out, unit->step_limit};
    for (uint32_t i = 0; i < unit->main->globals->count; i++)
        list_value(&listing, unit->main->globals->bindings[i].value, 0);
    HashTable seen = {0}; /* definitions of kernels that are not listed: each is reported once */
    for (uint32_t i = 0; i < unit->kernels.count; i++) {
        const Kernel *kernel = unit->kernels.items[i];
        bool before = table_has(&seen, kernel->code.def);
        if (!is_listed(kernel))
            table_add(&seen, unit->arena, kernel->code.def);
        if (kernel->code.refused || !is_of_file(unit, kernel) || before)
            continue;
        if (!is_listed(kernel))
            report_unnamed(unit, kernel);
        else if (kernel->is_generic && !kernel->overloads.count)
            report_generic(unit, kernel);
    }
    if (unit->main->parsed)
        report_all_unreached(unit);
}
