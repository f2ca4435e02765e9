/* Statements at module level, and in Python functions that the module calls. */
#include "front/parser.h"
#include "front/static_impl.h"

#include <string.h>

/* Without its names. */
static void start_unit(Unit *unit, Arena *arena, const BuiltinTable *builtins)
{
    memset(unit, 0, sizeof *unit);
    unit->arena = unit->building = arena;
    unit->builtins = builtins;
    unit->dialect = builtins_dialect(builtins);
    unit->types = ARENA_NEW(arena, TypeTable);
}

static void open_main(Unit *unit, const Source *source)
{
    Arena *arena = unit->arena;
    types_init(unit->types, builtins_types(unit->builtins), arena, unit->names);
    diags_init(&unit->diags, arena);
    text_init_in(&unit->scratch, arena);
    unit->config = (ModuleOptions){.enable_backward = true, .default_grid_stride = true, .max_unroll = 16};
    unit->main = file_new(unit, source);
    allow_file_steps(unit, source);
}

void unit_init(Unit *unit, Arena *arena, const BuiltinTable *builtins, const Source *source, FileStore *files)
{
    start_unit(unit, arena, builtins);
    unit->files = files;
    unit->names = files ? &files->names : ARENA_NEW(arena, NameTable);
    if (!files) {
        enum { BYTES_PER_NAME = 48, LEAST_NAMES = 32, MOST_NAMES = 4096 }; /* in usual files there are fewer */
        size_t names = LEAST_NAMES + source->len / BYTES_PER_NAME;
        names_init(unit->names, arena);
        names_reserve(unit->names, names < MOST_NAMES ? (uint32_t)names : MOST_NAMES);
        watch_words(unit->names);
    }
    unit->found = ARENA_ARRAY(arena, FoundName, FOUND_NAMES);
    open_main(unit, source);
}

/* ---- names in common ---- */

static void start_vocabulary(Vocabulary *vocabulary)
{
    enum { USUAL_NAMES = 1024 };
    names_init(&vocabulary->names, &vocabulary->arena);
    names_reserve(&vocabulary->names, USUAL_NAMES);
    watch_words(&vocabulary->names);
    vocabulary->found = ARENA_ARRAY(&vocabulary->arena, FoundName, FOUND_NAMES);
}

void vocabulary_forget(Vocabulary *vocabulary)
{
    arena_reset(&vocabulary->arena);
    vocabulary->names = (NameTable){0};
    vocabulary->found = NULL;
}

void vocabulary_trim(Vocabulary *vocabulary)
{
    enum { MOST_NAMES = 8192, MOST_BYTES = 1 << 20 };
    if (vocabulary->names.count > MOST_NAMES || vocabulary->arena.used > MOST_BYTES)
        vocabulary_forget(vocabulary);
}

void unit_init_sharing(Unit *unit, Arena *arena, const BuiltinTable *builtins, const Source *source,
                       Vocabulary *vocabulary)
{
    if (!vocabulary->found)
        start_vocabulary(vocabulary);
    vocabulary->names.used = 0;
    start_unit(unit, arena, builtins);
    unit->names = &vocabulary->names;
    unit->found = vocabulary->found;
    open_main(unit, source);
}

/* ---- files ---- */

File *file_new(Unit *unit, const Source *source)
{
    File *file = ARENA_NEW(unit->arena, File);
    file->source = source;
    file->has_carriage = source->len && memchr(source->text, '\r', source->len);
    file->options = unit->config;
    file->globals = scope_new(unit, NULL, "");
    file->globals->file = file;
    file->counts = &unit->counts;
    diags_init(&file->diags, unit->arena);
    return file;
}

/* ---- binding targets ---- */

static void bind_unknown(Unit *unit, const Node *target, Scope *scope, const char *why)
{
    switch (target->kind) {
    case NODE_NAME: scope_bind(unit, scope, target->name.id, value_unknown(unit->arena, "%s", why)); return;
    case NODE_TUPLE:
    case NODE_LIST:
        for (uint32_t i = 0; i < target->sequence.elts.count; i++)
            bind_unknown(unit, target->sequence.elts.items[i], scope, why);
        return;
    case NODE_STARRED: bind_unknown(unit, target->wrap.value, scope, why); return;
    case NODE_SUBSCRIPT: bind_unknown(unit, target->subscript.value, scope, "it is changed in place"); return;
    case NODE_ATTRIBUTE: {
        const Value *object = static_eval(unit, target->attribute.value, scope);
        if (object->kind == VALUE_STRUCT)
            forget_instance(unit, object);
        forget_object(unit, object);
        return;
    }
    default: return;
    }
}

/* The usual mode. */
static bool is_release(const Value *value)
{
    return value->kind == VALUE_STR && value->str.len == strlen("release") &&
           !memcmp(value->str.text, "release", value->str.len);
}

/* Some settings are taken when a module is made, others when it is built. */
static void set_config(ModuleOptions *options, bool made, Name name, const Value *value)
{
    bool known, truth = value_is_true(value, &known);
    BigInt integer;
    if (name_is(name, "enable_vector_component_overwrites"))
        options->component_overwrites = truth;
    else if (name_is(name, "default_grid_stride"))
        options->default_grid_stride = truth;
    else if (name_is(name, "enable_backward") && !made)
        options->enable_backward = truth;
    else if (name_is(name, "max_unroll") && !made && value_as_int(value, &integer) && integer > 0 && integer < 1000000)
        options->max_unroll = (int64_t)integer;
    else if ((name_is(name, "mode") && !is_release(value)) ||
             ((name_is(name, "lineinfo") || name_is(name, "deterministic")) && (truth || !known)))
        options->unsupported = "the setting of wp.config";
}

/* `wp.config.NAME = value`: for all modules that it still reaches. */
static bool assign_config(Unit *unit, const Node *target, const Value *value, const Scope *scope)
{
    if (target->kind != NODE_ATTRIBUTE)
        return false;
    const Value *object = static_eval(unit, target->attribute.value, scope);
    if (object->kind != VALUE_MODULE || strcmp(object->module, "warp.config"))
        return false;
    Name name = target->attribute.attr;
    set_config(&unit->config, false, name, value);
    if (!unit->files)
        set_config(&unit->main->options, unit->main->module_made, name, value);
    for (uint32_t i = 0; i < unit->modules.cap; i++) {
        File *file = unit->modules.slots[i].item;
        if (file)
            set_config(&file->options, file->module_made, name, value);
    }
    return true;
}

/* Where a name is bound: `global` says that it is the module's. */
static Scope *binding_scope(Scope *scope, Name name)
{
    return table_has(&scope->global_names, name) ? scope->file->globals : scope;
}

bool bind_target(Unit *unit, const Node *target, const Value *value, Scope *scope)
{
    bool sequence = value->kind == VALUE_TUPLE || value->kind == VALUE_LIST, all = true;
    if (target->kind == NODE_NAME)
        scope_bind(unit, scope, target->name.id, value);
    else if ((target->kind != NODE_TUPLE && target->kind != NODE_LIST) || !sequence ||
             value->sequence.count != target->sequence.elts.count)
        return false;
    else
        for (uint32_t i = 0; i < value->sequence.count; i++)
            all &= bind_target(unit, target->sequence.elts.items[i], value->sequence.items[i], scope);
    return all;
}

/* What is set of a kernel is part of it: weft knows its key alone. */
static bool assign_kernel(Unit *unit, const Node *target, const Value *value, const Scope *scope)
{
    const Node *part = target->kind == NODE_SUBSCRIPT ? target->subscript.value : target;
    const Value *object = part->kind == NODE_ATTRIBUTE ? static_eval(unit, part->attribute.value, scope) : NULL;
    if (!object || object->kind != VALUE_KERNEL || object->is_module)
        return false;
    set_kernel_attribute(unit, object->kernel, part == target ? part->attribute.attr : NULL, value, target, scope);
    return true;
}

/* function.NAME = value, or self.NAME = value in a constructor */
static bool assign_attribute(Unit *unit, const Node *target, const Value *value, const Scope *scope)
{
    const Value *object = target->kind == NODE_ATTRIBUTE ? static_eval(unit, target->attribute.value, scope) : NULL;
    if (object && object->kind == VALUE_CLASS && object->class_object.is_object) {
        scope_bind(unit, object->class_object.scope, target->attribute.attr, value);
        return true;
    }
    if (!object || object->kind != VALUE_FUNC)
        return object && rename_function(object, target->attribute.attr, value);
    if (!object->func->attributes)
        object->func->attributes = scope_new(unit, scope, "");
    scope_bind(unit, object->func->attributes, target->attribute.attr, value);
    return true;
}

static void assign(Unit *unit, const Node *target, const Value *value, Scope *scope)
{
    bool sequence = value->kind == VALUE_TUPLE || value->kind == VALUE_LIST;
    if (target->kind == NODE_NAME)
        scope_bind(unit, binding_scope(scope, target->name.id), target->name.id, value);
    else if ((target->kind == NODE_TUPLE || target->kind == NODE_LIST) && sequence &&
             value->sequence.count == target->sequence.elts.count)
        for (uint32_t i = 0; i < value->sequence.count; i++)
            assign(unit, target->sequence.elts.items[i], value->sequence.items[i], scope);
    else if (!assign_config(unit, target, value, scope) && !assign_module_option(unit, target, value, scope) &&
             !assign_field(unit, target, value, scope) && !assign_attribute(unit, target, value, scope) &&
             !assign_kernel(unit, target, value, scope) && !set_item(unit, target, value, scope))
        bind_unknown(unit, target, scope,
                     value->kind == VALUE_UNKNOWN ? value->reason : "the assignment is not followed");
}

/* ---- what a statement that is not followed may change ---- */

typedef struct Forget {
    Unit *unit;
    Scope *scope;
    const char *why;
} Forget;

/* Whatever mentions an instance may change it. */
static void forget_if_instance(Unit *unit, const Node *name, const Scope *scope)
{
    const Value *value = scope_find(scope, name->name.id);
    if (value && value->kind == VALUE_STRUCT)
        forget_instance(unit, value);
}

static void forget_bindings(const Node *node, void *user)
{
    Forget *forget = user;
    switch (node->kind) {
    case NODE_NAME:
        if (node->name.store)
            bind_unknown(forget->unit, node, forget->scope, forget->why);
        else
            forget_if_instance(forget->unit, node, forget->scope);
        return;
    case NODE_FUNCTION_DEF:
    case NODE_ASYNC_FUNCTION_DEF:
        scope_bind(forget->unit, forget->scope, node->function.name,
                   value_unknown(forget->unit->arena, "%s", forget->why));
        return;
    case NODE_CLASS_DEF:
        scope_bind(forget->unit, forget->scope, node->class_def.name,
                   value_unknown(forget->unit->arena, "%s", forget->why));
        return;
    case NODE_LAMBDA: return;
    case NODE_ALIAS: {
        Name name = node->alias.asname ? node->alias.asname : node->alias.name;
        scope_bind(forget->unit, forget->scope, name, value_unknown(forget->unit->arena, "%s", forget->why));
        return;
    }
    default: node_children(node, forget_bindings, user); return;
    }
}

static void forget(Unit *unit, const Node *statement, Scope *scope, const char *why)
{
    Forget state = {unit, scope, why};
    lose_statement(unit, statement, scope);
    forget_bindings(statement, &state);
}

/* Lists and dicts handed to a function, or whose method is called, may come back changed. */
static void forget_mutable(Unit *unit, const Node *node, Scope *scope)
{
    if (node->kind != NODE_NAME)
        return;
    const Value *value = scope_find(scope, node->name.id);
    if (value && value->kind == VALUE_STRUCT)
        forget_instance(unit, value);
    if (value && value->kind == VALUE_LIST)
        scope_bind(unit, scope, node->name.id, value_unknown(unit->arena, "it may be changed by a call"));
    if (value && value->kind == VALUE_DICT)
        dict_forget(value, "it may be changed by a call");
}

static void run_expression(Unit *unit, const Node *node, Scope *scope)
{
    if (node->kind != NODE_CALL)
        return;
    uint32_t lost = unit->calls_lost;
    const Value *result = static_eval(unit, node, scope);
    if (result->kind != VALUE_UNKNOWN && lost == unit->calls_lost)
        return;
    if (node->call.func->kind == NODE_ATTRIBUTE)
        forget_mutable(unit, node->call.func->attribute.value, scope);
    for (uint32_t i = 0; i < node->call.args.count; i++)
        forget_mutable(unit, node->call.args.items[i], scope);
}

/* ---- control flow ---- */

static bool is_main_guard(const Node *test)
{
    return test->kind == NODE_COMPARE && test->compare.left->kind == NODE_NAME &&
           name_is(test->compare.left->name.id, "__name__");
}

/* Such a branch is not taken: else the module could not be imported. */
static bool ends_in_raise(const NodeList *body)
{
    return body->count && body->items[body->count - 1]->kind == NODE_RAISE;
}

static Flow run_if(Unit *unit, const Node *node, Scope *scope, const Value **result)
{
    if (is_main_guard(node->if_stmt.test))
        return FLOW_NEXT;
    bool known, truth = value_is_true(static_eval(unit, node->if_stmt.test, scope), &known);
    if (!known && !unit->handlers && (ends_in_raise(&node->if_stmt.body) || ends_in_raise(&node->if_stmt.orelse))) {
        truth = !ends_in_raise(&node->if_stmt.body);
        known = true;
    }
    if (!known) {
        if (scope->parent)
            return FLOW_STUCK;
        forget(unit, node, scope, "it depends on a condition that is not known");
        return FLOW_NEXT;
    }
    return run_block(unit, truth ? &node->if_stmt.body : &node->if_stmt.orelse, scope, result);
}

static Flow run_for(Unit *unit, const Node *node, Scope *scope, const Value **result)
{
    const Value *items = iterated(unit, static_eval(unit, node->for_loop.iter, scope));
    if (items->kind != VALUE_LIST && items->kind != VALUE_TUPLE) {
        if (scope->parent)
            return FLOW_STUCK;
        forget(unit, node, scope, "it is changed in a loop");
        return FLOW_NEXT;
    }
    for (uint32_t i = 0; i < items->sequence.count; i++) {
        if (!step(unit))
            return FLOW_STUCK;
        assign(unit, node->for_loop.target, items->sequence.items[i], scope);
        Flow flow = run_block(unit, &node->for_loop.body, scope, result);
        if (flow == FLOW_BREAK)
            return FLOW_NEXT;
        if (flow == FLOW_RETURN || flow == FLOW_STUCK)
            return flow;
    }
    return run_block(unit, &node->for_loop.orelse, scope, result);
}

/* A module that is not found may be there where the program runs, or not: then a handler runs. */
static Flow run_try(Unit *unit, const Node *node, Scope *scope, const Value **result)
{
    uint32_t missed = unit->imports_missed;
    unit->handlers++;
    Flow flow = run_block(unit, &node->try_stmt.body, scope, result);
    unit->handlers--;
    if (flow == FLOW_NEXT)
        flow = run_block(unit, &node->try_stmt.orelse, scope, result);
    if (unit->imports_missed > missed && node->try_stmt.handlers.count)
        forget(unit, node, scope, "it depends on whether a module can be imported");
    return flow;
}

static void run_aug_assign(Unit *unit, const Node *node, Scope *scope)
{
    const Node *target = node->aug_assign.target;
    const Value *value = static_binary(unit, node->aug_assign.op, static_eval(unit, target, scope),
                                       static_eval(unit, node->aug_assign.value, scope));
    if (target->kind == NODE_NAME)
        assign(unit, target, value, scope);
    else if (!assign_field(unit, target, NULL, scope) && !assign_config(unit, target, value, scope) &&
             !assign_attribute(unit, target, value, scope) && !assign_kernel(unit, target, value, scope))
        bind_unknown(unit, target, scope, "it is changed in place");
}

/* `with expression as name`: what Warp has as a context manager gives itself, another object, or None. */
static void enter_context(Unit *unit, const Node *item, Scope *scope)
{
    static const char why[] = "it is made by a context manager";
    const Node *name = item->with_item.vars;
    if (name && name->kind == NODE_NAME && object_made(unit, item->with_item.context, scope) == OBJECT_OTHER) {
        Value *value = ARENA_NEW(unit->arena, Value);
        *value = *value_unknown(unit->arena, "%s", why);
        value->object = OBJECT_OTHER;
        assign(unit, name, value, scope);
    } else if (name)
        bind_unknown(unit, name, scope, why);
}

static Flow run_statement(Unit *unit, const Node *node, Scope *scope, const Value **result)
{
    switch (node->kind) {
    case NODE_FUNCTION_DEF:
    case NODE_ASYNC_FUNCTION_DEF:
        scope_bind(unit, scope, node->function.name, declare_function(unit, node, scope));
        return FLOW_NEXT;
    case NODE_CLASS_DEF:
        scope_bind(unit, scope, node->class_def.name, declare_class(unit, node, scope));
        return FLOW_NEXT;
    case NODE_ASSIGN: {
        const Value *value = static_eval(unit, node->assign.value, scope);
        for (uint32_t i = 0; i < node->assign.targets.count; i++)
            assign(unit, node->assign.targets.items[i], value, scope);
        return FLOW_NEXT;
    }
    case NODE_ANN_ASSIGN:
        if (node->ann_assign.value)
            assign(unit, node->ann_assign.target, static_eval(unit, node->ann_assign.value, scope), scope);
        return FLOW_NEXT;
    case NODE_AUG_ASSIGN: run_aug_assign(unit, node, scope); return FLOW_NEXT;
    case NODE_EXPR: run_expression(unit, node->expr.value, scope); return FLOW_NEXT;
    case NODE_IMPORT: run_import(unit, node, scope); return FLOW_NEXT;
    case NODE_IMPORT_FROM: run_import_from(unit, node, scope); return FLOW_NEXT;
    case NODE_IF: return run_if(unit, node, scope, result);
    case NODE_FOR: return run_for(unit, node, scope, result);
    case NODE_TRY: return run_try(unit, node, scope, result);
    case NODE_WITH: {
        for (uint32_t i = 0; i < node->with.items.count; i++)
            enter_context(unit, node->with.items.items[i], scope);
        return run_block(unit, &node->with.body, scope, result);
    }
    case NODE_RETURN:
        *result = node->ret.value ? static_eval(unit, node->ret.value, scope) : value_none();
        return FLOW_RETURN;
    case NODE_BREAK: return FLOW_BREAK;
    case NODE_CONTINUE: return FLOW_CONTINUE;
    case NODE_PASS:
    case NODE_ASSERT:
    case NODE_NONLOCAL: return FLOW_NEXT;
    case NODE_GLOBAL:
        for (uint32_t i = 0; i < node->names.count; i++)
            table_add(&scope->global_names, unit->arena, node->names.items[i]);
        return FLOW_NEXT;
    default: /* while, match, del, … */
        if (scope->parent)
            return FLOW_STUCK;
        forget(unit, node, scope, "it is changed by a statement that is not followed");
        return FLOW_NEXT;
    }
}

Flow run_block(Unit *unit, const NodeList *body, Scope *scope, const Value **result)
{
    for (uint32_t i = 0; i < body->count; i++) {
        if (!step(unit))
            return FLOW_STUCK;
        Flow flow = run_statement(unit, body->items[i], scope, result);
        if (flow != FLOW_NEXT)
            return flow;
    }
    return FLOW_NEXT;
}

/* ---- the whole file ---- */

void file_run(Unit *unit, File *file)
{
    const Value *result = NULL;
    if (!file->parsed)
        return;
    const NodeList *body = &file->module->module.body;
    for (uint32_t i = 0; i < body->count && !file->stopped_at; i++)
        if (!step(unit) || run_statement(unit, body->items[i], file->globals, &result) == FLOW_STUCK)
            file->stopped_at = body->items[i];
    if (file->stopped_at)
        file->unfollowed =
            arena_format(unit->arena, "the module level of %s takes too long to follow", file->source->path);
}

/* NULL: another text is in the store, or none. */
const StoredFile *stored_file(Unit *unit, const Source *source)
{
    if (!unit->files || unit->keep_tokens)
        return NULL;
    const StoredFile *stored = files_find(unit->files, files_absolute(unit->files, source->path));
    bool same = stored && stored->source.len == source->len && !memcmp(stored->source.text, source->text, source->len);
    return same ? stored : NULL;
}

void unit_load(Unit *unit)
{
    File *file = unit->main;
    const StoredFile *stored = stored_file(unit, file->source);
    file->module = stored ? stored->module : NULL;
    if (!file->module)
        file->module = parse_module_tokens(unit->arena, unit->names, file->source, &unit->diags,
                                           unit->keep_tokens ? &file->tokens : NULL);
    file->parsed = !unit->diags.count;
    unit->running = file;
    if (file->parsed && unit->files)
        import_main(unit);
    else
        file_run(unit, file);
}
