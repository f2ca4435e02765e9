/* Definitions: annotations, parameters, and what a decorated function becomes. */
#include "front/declare_impl.h"
#include "front/parser.h"

#include <string.h>

static const Value *func_value(Unit *unit, Func *func)
{
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_FUNC;
    value->func = func;
    return value;
}

/* ---- annotations ---- */

static void refuse(Refusal *why, DiagKind kind, const Node *at, const char *message)
{
    *why = (Refusal){.kind = kind, .at = at, .message = message};
}

/* An annotation in quotes is read as an expression. */
static const Node *unquote(Unit *unit, const Node *annotation, const File *file, Refusal *why)
{
    if (annotation->kind != NODE_CONSTANT || annotation->constant.kind != CONSTANT_STR)
        return annotation;
    Source *source = ARENA_NEW(unit->arena, Source);
    *source = (Source){file->source->path, annotation->constant.text, annotation->constant.len};
    DiagList errors;
    diags_init(&errors, unit->arena);
    const Node *node = parse_expression(unit->arena, unit->names, source, &errors);
    if (!errors.count)
        return node;
    refuse(why, DIAG_ERROR, annotation,
           arena_format(unit->arena, "the text of this annotation is not an expression: %s", errors.first->message));
    return NULL;
}

/* What an annotation is instead of a type, and what to write, where that can be guessed. */
static void refuse_annotation(Unit *unit, const Node *annotation, const Value *value, Refusal *why)
{
    const char *what = value_kind_name(value->kind);
    if (value->kind == VALUE_UNKNOWN) {
        refuse(why, value->wrong ? DIAG_ERROR : DIAG_UNSUPPORTED, annotation,
               arena_format(unit->arena, "this annotation is not a type%s: %s", value->wrong ? "" : " that weft knows",
                            value->reason));
        return;
    }
    refuse(why, DIAG_ERROR, annotation, arena_format(unit->arena, "this annotation is %s, not a type", what));
    if (value->kind == VALUE_LIST)
        why->hint = "write wp.array(dtype=float), or a vector type such as wp.vec3";
    else if (value->kind == VALUE_MODULE)
        why->hint = "name a type of the module, such as wp.vec3";
    else if (value->kind == VALUE_INT || value->kind == VALUE_FLOAT || value->kind == VALUE_BOOL)
        why->hint = "a default value is written after the annotation: name: type = value";
    else if (value->kind == VALUE_CLASS || value->kind == VALUE_ENUM_CLASS)
        why->hint = value->kind == VALUE_CLASS ? "decorate the class with @wp.struct" : "annotate it with int";
}

const Type *annotation_type(Unit *unit, const Node *annotation, const Scope *scope, Refusal *why)
{
    const Node *node = unquote(unit, annotation, scope->file, why);
    if (!node)
        return NULL;
    if (node->kind == NODE_BIN_OP && node->bin_op.op == OP_BIT_OR) {
        refuse(why, DIAG_ERROR, annotation, "a union of types cannot be used in a kernel: write one of them");
        return NULL;
    }
    const Value *value = static_eval(unit, node, scope);
    if (value_is_intrinsic(value, INTRINSIC_TUPLE))
        return type_tuple(unit->types, NULL, 0, TUPLE_ANNOTATION);
    const Type *type = type_of_value(value);
    if (!type)
        refuse_annotation(unit, annotation, value, why);
    return type;
}

/* ---- names ---- */

const char *qualname_of(Unit *unit, const Scope *scope, Name name)
{
    return arena_join(unit->arena, scope->qualname, name->text);
}

Name key_of(Unit *unit, const char *qualname)
{
    char *key = arena_alloc(unit->arena, strlen(qualname) * 2 + 1), *to = key;
    for (const char *c = qualname; *c; c++) {
        if (*c == '.') {
            *to++ = '_';
            *to++ = '_';
        } else if ((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_')
            *to++ = *c;
    }
    return name_of(unit->names, key, (size_t)(to - key));
}

/* How many functions of the name were made so far. */
static uint64_t *uses_of(Unit *unit, const File *file, Name key)
{
    TableSlot *slot = table_add(&file->counts->used, unit->arena, key);
    if (!slot->item) {
        uint64_t *first = ARENA_NEW(unit->arena, uint64_t);
        *first = file->is_library ? 0 : library_uses_of(unit->dialect, key);
        slot->item = first;
    }
    return slot->item;
}

void count_functions(Unit *unit, Name key, uint32_t count)
{
    *uses_of(unit, unit->main, key) += count;
}

static const char *next_function_name(Unit *unit, const File *file, Name key)
{
    uint64_t *used = uses_of(unit, file, key);
    unit->scratch.len = 0;
    text_add(&unit->scratch, key->text, key->len);
    text_char(&unit->scratch, '_');
    text_uint(&unit->scratch, (*used)++);
    return arena_strndup(unit->arena, unit->scratch.data, unit->scratch.len);
}

void signature_of(Unit *unit, const Param *params, uint32_t count, Text *out)
{
    (void)unit;
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            text_char(out, '_');
        type_code(params[i].type, out);
    }
}

const char *signature_string(Unit *unit, const Param *params, uint32_t count)
{
    unit->scratch.len = 0;
    signature_of(unit, params, count, &unit->scratch);
    return arena_strndup(unit->arena, unit->scratch.data, unit->scratch.len);
}

/* ---- parameters ---- */

static void read_param(Unit *unit, Code *code, uint32_t i)
{
    const Node *args = code->def->function.params;
    uint32_t positional = args->arguments.posonly.count + args->arguments.args.count;
    const Node *default_node = NULL;
    if (i >= positional)
        default_node = args->arguments.kw_defaults.items[i - positional];
    else if (i + args->arguments.defaults.count >= positional)
        default_node = args->arguments.defaults.items[i + args->arguments.defaults.count - positional];
    Param *param = &code->params[i];
    param->keyword_only = i >= positional;
    param->default_value = default_node ? static_eval(unit, default_node, code->scope) : NULL;
}

const Node *param_node(const Node *args, uint32_t i)
{
    uint32_t positional = args->arguments.posonly.count + args->arguments.args.count;
    return i < args->arguments.posonly.count ? args->arguments.posonly.items[i]
           : i < positional                  ? args->arguments.args.items[i - args->arguments.posonly.count]
                                             : args->arguments.kwonly.items[i - positional];
}

static bool read_return(Unit *unit, Code *code, Refusal *why)
{
    const Node *returns = code->def->function.returns;
    if (!returns || (returns->kind == NODE_CONSTANT && returns->constant.kind == CONSTANT_NONE))
        return true;
    code->has_return = true;
    code->return_type = annotation_type(unit, returns, code->scope, why);
    return code->return_type != NULL;
}

bool read_params(Unit *unit, Code *code, Refusal *why)
{
    const Node *args = code->def->function.params;
    const Node *variadic = args->arguments.vararg ? args->arguments.vararg : args->arguments.kwarg;
    if (variadic) {
        refuse(why, DIAG_ERROR, variadic, "kernels and Warp functions take a fixed number of parameters");
        return false;
    }
    code->param_count = args->arguments.posonly.count + args->arguments.args.count + args->arguments.kwonly.count;
    code->params = ARENA_ARRAY(unit->arena, Param, code->param_count);
    for (uint32_t i = 0; i < code->param_count; i++) {
        const Node *arg = param_node(args, i);
        code->params[i].name = arg->arg.name;
        read_param(unit, code, i);
        if (!arg->arg.annotation) {
            refuse(why, DIAG_ERROR, arg,
                   arena_format(unit->arena, "parameter '%s' has no type annotation", arg->arg.name->text));
            why->hint = arena_format(unit->arena, "write for example %s: float", arg->arg.name->text);
            return false;
        }
        code->params[i].type = annotation_type(unit, arg->arg.annotation, code->scope, why);
        if (!code->params[i].type)
            return false;
    }
    return read_return(unit, code, why);
}

/* ---- functions ---- */

static bool is_signature(const void *key, const void *wanted)
{
    return strcmp(key, wanted) == 0;
}

static TableSlot *signature_slot(Arena *arena, FuncList *list, const char *signature)
{
    uint32_t hash = name_hash(signature, strlen(signature));
    return table_add_like(&list->by_signature, arena, hash, is_signature, signature);
}

void add_to_overloads(Arena *arena, FuncList *list, Func *func)
{
    if (list->by_signature.count != list->count) {
        list->by_signature = (HashTable){0};
        for (uint32_t i = 0; i < list->count; i++) {
            TableSlot *slot = signature_slot(arena, list, list->items[i]->signature);
            slot->key = list->items[i]->signature;
            slot->number = i;
        }
    }
    TableSlot *slot = signature_slot(arena, list, func->signature);
    if (slot->key) {
        list->items[slot->number] = func;
        return;
    }
    slot->key = func->signature;
    slot->number = list->count;
    ARENA_PUSH(arena, list->items, list->count, list->cap) = func;
}

static void add_overload(Unit *unit, Func *head, Func *func)
{
    add_to_overloads(unit->arena, strchr(func->signature, '?') ? &head->templates : &head->overloads, func);
}

static void purge_instances(FuncList *list, const Func *template_func)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i]->generic_parent != template_func)
            list->items[kept++] = list->items[i];
    list->count = kept;
}

/* A second definition of the same name is another overload, or replaces the one with its signature. */
static Func *register_function(Unit *unit, Func *func, const Scope *scope)
{
    const Value *existing = scope_find_here(scope, func->code.def->function.name);
    func->head = func;
    add_overload(unit, func, func);
    if (!existing || existing->kind != VALUE_FUNC)
        return func;
    Func *head = existing->func;
    if (strcmp(head->signature, func->signature) == 0) {
        bool generic = strchr(func->signature, '?') != NULL;
        func->templates = (FuncList){0};
        func->overloads = (FuncList){0};
        for (uint32_t i = 0; i < head->templates.count; i++)
            ARENA_PUSH(unit->arena, func->templates.items, func->templates.count, func->templates.cap) =
                head->templates.items[i];
        for (uint32_t i = 0; i < head->overloads.count; i++)
            if (!generic || head->overloads.items[i]->generic_parent != head)
                ARENA_PUSH(unit->arena, func->overloads.items, func->overloads.count, func->overloads.cap) =
                    head->overloads.items[i];
        add_overload(unit, func, func);
        return func;
    }
    for (uint32_t i = 0; i < head->templates.count; i++)
        if (strcmp(head->templates.items[i]->signature, func->signature) == 0)
            purge_instances(&head->overloads, head->templates.items[i]);
    add_overload(unit, head, func);
    func->head = head;
    return head;
}

const Scope *closure_scope(const Scope *scope)
{
    while (scope->is_class)
        scope = scope->parent;
    return scope;
}

/* NULL: the definition cannot be used, and `why` says so. */
static Func *new_function(Unit *unit, const Node *def, Scope *scope, Refusal *why)
{
    Func *func = ARENA_NEW(unit->arena, Func);
    func->code.def = def;
    func->code.scope = closure_scope(scope);
    func->key = key_of(unit, qualname_of(unit, scope, def->function.name));
    if (!read_params(unit, &func->code, why))
        return NULL;
    func->signature = signature_string(unit, func->code.params, func->code.param_count);
    func->numbered_after = scope->file->is_library ? NULL : unit->not_read;
    func->number_lost = !scope->file->is_library && table_has(&unit->lost_numbers, func->key);
    code_finish(unit, &func->code);
    note_statics(&scope->file->options, &func->code);
    return func;
}

static const Value *unusable_function(Unit *unit, const Node *def, const Scope *scope, const Refusal *why)
{
    const char *name = def->function.name->text;
    uint32_t line = source_position_in(&scope->file->lines, unit->arena, scope->file->source, why->at->start).line;
    return why->kind == DIAG_ERROR
               ? value_wrong(unit->arena, "in the definition of '%s', line %u, %s", name, line, why->message)
               : value_unknown(unit->arena, "in the definition of '%s', line %u, %s", name, line, why->message);
}

/* What the decorator says: a key, and whether to inline. NULL, or why it cannot be used. */
static const Value *read_func_options(Unit *unit, const Node *decorator, const Scope *scope, Name *key,
                                      Inlining *inlining)
{
    for (uint32_t i = 0; decorator->kind == NODE_CALL && i < decorator->call.keywords.count; i++) {
        const Node *keyword = decorator->call.keywords.items[i];
        const Value *value = static_eval(unit, keyword->keyword.value, scope);
        bool known, truth = value_is_true(value, &known);
        if (name_is(keyword->keyword.name, "name") && value->kind == VALUE_STR)
            *key = name_of(unit->names, value->str.text, value->str.len);
        if (!name_is(keyword->keyword.name, "inline") || value->kind == VALUE_NONE)
            continue;
        if (!unit->dialect->inline_hints)
            return value_wrong(unit->arena, "wp.func() has no option 'inline' in Warp %s", unit->dialect->number);
        if (!known)
            return value_unknown(unit->arena, "the value of the option 'inline' is not known: %s", value->reason);
        *inlining = truth ? INLINE_ALWAYS : INLINE_NEVER;
    }
    return NULL;
}

static const Value *declare_func(Unit *unit, const Node *def, Scope *scope, const Node *decorator)
{
    Refusal why;
    scope->file->module_made = true;
    Name key = NULL;
    Inlining inlining = INLINE_UNSAID;
    const Value *wrong = read_func_options(unit, decorator, scope, &key, &inlining);
    if (wrong)
        return wrong;
    Func *func = new_function(unit, def, scope, &why);
    if (!func) {
        /* The name is counted even though the definition cannot be used. */
        next_function_name(unit, scope->file, key_of(unit, qualname_of(unit, scope, def->function.name)));
        return unusable_function(unit, def, scope, &why);
    }
    if (key)
        func->key = key;
    func->inlining = inlining;
    func->native = next_function_name(unit, scope->file, func->key);
    return func_value(unit, register_function(unit, func, scope));
}

static const Value *string_argument(Unit *unit, const Node *call, uint32_t position, const char *name,
                                    const Scope *scope)
{
    const Node *node = position < call->call.args.count ? call->call.args.items[position] : NULL;
    for (uint32_t i = 0; i < call->call.keywords.count; i++)
        if (name_is(call->call.keywords.items[i]->keyword.name, name))
            node = call->call.keywords.items[i]->keyword.value;
    const Value *value = node ? static_eval(unit, node, scope) : NULL;
    return value && value->kind == VALUE_NONE ? NULL : value;
}

static const Value *declare_native(Unit *unit, const Node *def, Scope *scope, const Node *decorator)
{
    Refusal why;
    scope->file->module_made = true;
    Func *func = new_function(unit, def, scope, &why);
    if (!func)
        return unusable_function(unit, def, scope, &why);
    func->native = next_function_name(unit, scope->file, func->key);
    func->is_snippet = true;
    func->snippet = string_argument(unit, decorator, 0, "snippet", scope);
    func->adj_snippet = string_argument(unit, decorator, 1, "adj_snippet", scope);
    func->replay_snippet = string_argument(unit, decorator, 2, "replay_snippet", scope);
    const Value *texts[] = {func->snippet, func->adj_snippet, func->replay_snippet};
    for (int i = 0; i < 3; i++)
        if (texts[i] && texts[i]->kind != VALUE_STR)
            return value_unknown(unit->arena, "a snippet of the native function '%s' is not a known string",
                                 def->function.name->text);
    if (!func->snippet)
        return value_wrong(unit->arena, "the native function '%s' has no snippet", def->function.name->text);
    return func_value(unit, register_function(unit, func, scope));
}

static const Value *python_function(Unit *unit, const Node *def, Scope *scope)
{
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_PYTHON_FUNC;
    value->python = python_func(unit, def, def->function.params, closure_scope(scope),
                                qualname_of(unit, scope, def->function.name));
    return value;
}

static Func *decorated_target(Unit *unit, const Node *decorator, const Scope *scope)
{
    if (decorator->call.args.count != 1)
        return NULL;
    const Value *value = static_eval(unit, decorator->call.args.items[0], scope);
    return value->kind == VALUE_FUNC ? value->func : NULL;
}

/* The overload whose parameters are the first of `params`. */
static Func *matching_overload(Func *head, const Param *params, uint32_t count)
{
    for (uint32_t i = 0; i < head->overloads.count; i++) {
        Func *func = head->overloads.items[i];
        bool fits = func->code.param_count <= count && !func->generic_parent;
        for (uint32_t k = 0; fits && k < func->code.param_count; k++)
            fits = types_equal(func->code.params[k].type, params[k].type);
        if (fits)
            return func;
    }
    return NULL;
}

/* Refuses a function whose custom gradient or replay weft could not follow. */
static const Value *refuse_function(Unit *unit, Func *target, const Node *at, const char *why)
{
    static const char message[] = "has a custom gradient or replay that could not be followed";
    Refusal *refusal = ARENA_NEW(unit->arena, Refusal);
    refuse(refusal, DIAG_UNSUPPORTED, at, message);
    for (uint32_t i = 0; target && i < target->overloads.count; i++)
        target->overloads.items[i]->code.refused = refusal;
    return value_unknown(unit->arena, "%s", why);
}

static const Value *declare_grad(Unit *unit, const Node *def, Scope *scope, const Node *decorator)
{
    Refusal why;
    Func *head = decorated_target(unit, decorator, scope);
    Func *grad = new_function(unit, def, scope, &why);
    Func *target = head && grad ? matching_overload(head, grad->code.params, grad->code.param_count) : NULL;
    if (!target)
        return refuse_function(unit, head, def, "the custom gradient matches no overload of a function");
    grad->key = target->key;
    grad->native = target->native;
    grad->head = grad;
    grad->skip_forward = true;
    grad->custom_reverse = true;
    grad->custom_reverse_inputs = target->code.param_count;
    target->custom_grad = grad;
    target->skip_reverse = true;
    return python_function(unit, def, scope);
}

static const Value *declare_replay(Unit *unit, const Node *def, Scope *scope, const Node *decorator)
{
    Refusal why;
    Func *head = decorated_target(unit, decorator, scope);
    Func *replay = new_function(unit, def, scope, &why);
    Func *target = head && replay ? matching_overload(head, replay->code.params, replay->code.param_count) : NULL;
    if (!target)
        return refuse_function(unit, head, def, "the custom replay matches no overload of a function");
    replay->key = name_cstr(unit->names, arena_format(unit->arena, "replay_%s", target->key->text));
    replay->native = next_function_name(unit, scope->file, replay->key);
    replay->head = replay;
    replay->skip_reverse = true;
    target->custom_replay = replay;
    return python_function(unit, def, scope);
}

/* ---- decorators ---- */

/* What the innermost decorator makes of a definition; NULL: it is not one of Warp's. */
static const Value *decorate_with_warp(Unit *unit, const Node *def, Scope *scope, const Node *decorator)
{
    bool called = decorator->kind == NODE_CALL;
    const Value *value = static_eval(unit, called ? decorator->call.func : decorator, scope);
    const Node *options = kept_options(value);
    if (options && called)
        return NULL;
    decorator = options ? options : decorator;
    called |= options != NULL;
    switch (value->kind == VALUE_INTRINSIC ? value->intrinsic.id : INTRINSIC_NONE) {
    case INTRINSIC_WP_KERNEL: return declare_kernel(unit, def, scope, decorator);
    case INTRINSIC_WP_FUNC: return declare_func(unit, def, scope, decorator);
    case INTRINSIC_WP_FUNC_NATIVE: return called ? declare_native(unit, def, scope, decorator) : NULL;
    case INTRINSIC_WP_FUNC_GRAD: return called ? declare_grad(unit, def, scope, decorator) : NULL;
    case INTRINSIC_WP_FUNC_REPLAY: return called ? declare_replay(unit, def, scope, decorator) : NULL;
    case INTRINSIC_WP_OVERLOAD: return called ? NULL : declare_overload(unit, def, scope);
    default: return NULL;
    }
}

/* A decorator that is a function of the project, or of Python. NULL: it is not followed. */
static const Value *decorate(Unit *unit, const Value *value, const Node *node, Scope *scope)
{
    const Value *decorator = static_eval(unit, node->kind == NODE_CALL ? node->call.func : node, scope);
    if (value_is_intrinsic(decorator, INTRINSIC_CACHE) || value_is_intrinsic(decorator, INTRINSIC_LRU_CACHE))
        return value->kind == VALUE_PYTHON_FUNC ? remember_results(unit, value) : NULL;
    if (value_is_intrinsic(decorator, INTRINSIC_PROPERTY))
        return value->kind == VALUE_PYTHON_FUNC && scope->is_class ? make_property(unit, value) : NULL;
    if (value_is_intrinsic(decorator, INTRINSIC_WRAPS))
        return wrap_function(unit, value,
                             node->kind == NODE_CALL && node->call.args.count == 1
                                 ? static_eval(unit, node->call.args.items[0], scope)
                                 : NULL);
    if (value_is_intrinsic(decorator, INTRINSIC_STATICMETHOD))
        return value;
    if (node->kind == NODE_CALL && decorator->kind == VALUE_PYTHON_FUNC)
        decorator = static_eval(unit, node, scope);
    return decorator->kind == VALUE_PYTHON_FUNC ? call_python(unit, decorator->python, &value, 1, NULL, NULL, 0) : NULL;
}

/* Are the first so many decorators from packages that have nothing of Warp? */
static bool all_from_outside(const NodeList *decorators, uint32_t count, const Scope *scope)
{
    for (uint32_t i = 0; i < count; i++) {
        const Node *node = decorators->items[i];
        Name path[LIMIT_PATH];
        const Node *callee = node->kind == NODE_CALL ? node->call.func : node;
        const Value *root = node_path(callee, path, LIMIT_PATH) ? scope_find(scope, path[0]) : NULL;
        bool facts = root && root->kind == VALUE_FILE && root->file->has_facts;
        if (!root || (!facts && (root->kind != VALUE_UNKNOWN || !root->outside)))
            return false;
    }
    return true;
}

/* What such decorators make of a function: no number, and no function of Warp. */
static const Value *outside_object(Unit *unit, const Node *def)
{
    Value *value = ARENA_NEW(unit->arena, Value);
    value->reason = arena_format(unit->arena, "a decorator of '%s' is not followed", def->function.name->text);
    value->object = OBJECT_OTHER;
    value->outside = true;
    return value;
}

/* Decorators are applied from the innermost one outwards. */
const Value *declare_function(Unit *unit, const Node *def, Scope *scope)
{
    const NodeList *decorators = &def->function.decorators;
    if (!decorators->count)
        return python_function(unit, def, scope);
    uint32_t left = decorators->count;
    const Value *value =
        def->kind == NODE_FUNCTION_DEF ? decorate_with_warp(unit, def, scope, decorators->items[left - 1]) : NULL;
    if (value)
        left--;
    else
        value = python_function(unit, def, scope);
    while (value && left-- > 0)
        value = decorate(unit, value, decorators->items[left], scope);
    if (!value && all_from_outside(decorators, left + 1, scope))
        return outside_object(unit, def);
    if (!value)
        lose_number(unit, qualname_of(unit, scope, def->function.name));
    return value ? value : value_unknown(unit->arena, "a decorator of '%s' is not followed", def->function.name->text);
}
