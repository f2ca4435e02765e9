/* Definitions: what a decorated function or class becomes. */
#include "base/sha256.h"
#include "front/parser.h"
#include "front/static_impl.h"

#include <string.h>

static const Value *func_value(Unit *unit, Func *func)
{
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_FUNC;
    value->func = func;
    return value;
}

static const Value *kernel_value(Unit *unit, Kernel *kernel)
{
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_KERNEL;
    value->kernel = kernel;
    return value;
}

/* ---- annotations ---- */

static const Node *unquote(Unit *unit, const Node *annotation, const char **why)
{
    if (annotation->kind != NODE_CONSTANT || annotation->constant.kind != CONSTANT_STR)
        return annotation;
    Source *source = ARENA_NEW(unit->arena, Source);
    *source = (Source){unit->source->path, annotation->constant.text, annotation->constant.len};
    DiagList errors;
    diags_init(&errors, unit->arena, source);
    const Node *node = parse_expression(unit->arena, unit->names, source, &errors);
    if (errors.count) {
        *why = errors.first->message;
        return NULL;
    }
    return node;
}

const Type *annotation_type(Unit *unit, const Node *annotation, const Scope *scope, const char **why)
{
    *why = "it is no type";
    annotation = unquote(unit, annotation, why);
    if (!annotation)
        return NULL;
    if (annotation->kind == NODE_BIN_OP && annotation->bin_op.op == OP_BIT_OR) {
        *why = "unions of types have no meaning in kernels";
        return NULL;
    }
    const Value *value = static_eval(unit, annotation, scope);
    if (value->kind == VALUE_UNKNOWN)
        *why = value->reason;
    if (value_is_intrinsic(value, INTRINSIC_TUPLE))
        return type_tuple(unit->types, NULL, 0, true);
    return type_of_value(value);
}

/* ---- names ---- */

static const char *qualname_of(Unit *unit, const Scope *scope, Name name)
{
    return arena_join(unit->arena, scope->qualname, name->text);
}

/* `make.<locals>.f` becomes `make__locals__f`. */
static Name key_of(Unit *unit, const char *qualname)
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

const char *next_function_name(Unit *unit, Name key)
{
    uint64_t used = 0;
    Binding *entry = NULL;
    for (uint32_t i = 0; i < unit->function_count_count; i++)
        if (unit->function_counts[i].name == key)
            entry = &unit->function_counts[i];
    if (entry)
        used = (uint64_t)entry->value->integer;
    else {
        used = unit->is_library ? 0 : library_uses_of(key);
        entry = &ARENA_PUSH(unit->arena, unit->function_counts, unit->function_count_count, unit->function_count_cap);
        entry->name = key;
    }
    entry->value = value_int(unit->arena, (BigInt)used + 1);
    unit->scratch.len = 0;
    text_add(&unit->scratch, key->text, key->len);
    text_char(&unit->scratch, '_');
    text_uint(&unit->scratch, used);
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

static const char *signature_string(Unit *unit, const Param *params, uint32_t count)
{
    unit->scratch.len = 0;
    signature_of(unit, params, count, &unit->scratch);
    return arena_strndup(unit->arena, unit->scratch.data, unit->scratch.len);
}

/* ---- parameters ---- */

/* NULL, or why the parameters cannot be used. */
static const char *read_params(Unit *unit, Code *code, const Node **at)
{
    const Node *args = code->def->function.params;
    *at = code->def;
    if (args->arguments.vararg || args->arguments.kwarg)
        return "variadic parameters have no meaning in kernels and functions";
    uint32_t positional = args->arguments.posonly.count + args->arguments.args.count;
    code->param_count = positional + args->arguments.kwonly.count;
    code->params = ARENA_ARRAY(unit->arena, Param, code->param_count);
    for (uint32_t i = 0; i < code->param_count; i++) {
        const Node *arg = i < args->arguments.posonly.count ? args->arguments.posonly.items[i]
                          : i < positional ? args->arguments.args.items[i - args->arguments.posonly.count]
                                           : args->arguments.kwonly.items[i - positional];
        const Node *default_node = NULL;
        if (i >= positional)
            default_node = args->arguments.kw_defaults.items[i - positional];
        else if (i + args->arguments.defaults.count >= positional)
            default_node = args->arguments.defaults.items[i + args->arguments.defaults.count - positional];
        Param *param = &code->params[i];
        param->name = arg->arg.name;
        param->keyword_only = i >= positional;
        param->default_value = default_node ? static_eval(unit, default_node, code->scope) : NULL;
        *at = arg;
        if (!arg->arg.annotation)
            return arena_format(unit->arena, "parameter '%s' has no type annotation", arg->arg.name->text);
        const char *why;
        param->type = annotation_type(unit, arg->arg.annotation, code->scope, &why);
        *at = arg->arg.annotation;
        if (!param->type)
            return arena_format(unit->arena, "the type of parameter '%s' is not known: %s", arg->arg.name->text, why);
    }
    const Node *returns = code->def->function.returns;
    bool none = returns && returns->kind == NODE_CONSTANT && returns->constant.kind == CONSTANT_NONE;
    if (returns && !none) {
        const char *why;
        code->has_return = true;
        code->return_type = annotation_type(unit, returns, code->scope, &why);
        *at = returns;
        if (!code->return_type)
            return arena_format(unit->arena, "the result's type is not known: %s", why);
    }
    return NULL;
}

/* ---- functions ---- */

static void add_overload(Unit *unit, Func *head, Func *func)
{
    FuncList *list = strchr(func->signature, '?') ? &head->templates : &head->overloads;
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i]->signature, func->signature) == 0) {
            list->items[i] = func;
            return;
        }
    ARENA_PUSH(unit->arena, list->items, list->count, list->cap) = func;
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

static Scope *closure_scope(Scope *scope)
{
    while (scope->is_class)
        scope = scope->parent;
    return scope;
}

static Func *new_function(Unit *unit, const Node *def, Scope *scope, const char **why, const Node **at)
{
    Func *func = ARENA_NEW(unit->arena, Func);
    func->code.def = def;
    func->code.scope = closure_scope(scope);
    func->key = key_of(unit, qualname_of(unit, scope, def->function.name));
    *why = read_params(unit, &func->code, at);
    if (*why)
        return NULL;
    func->signature = signature_string(unit, func->code.params, func->code.param_count);
    code_finish(unit, &func->code);
    return func;
}

static void make_module(Unit *unit)
{
    unit->module_made = true;
}

static const Value *declare_func(Unit *unit, const Node *def, Scope *scope, const Node *decorator)
{
    const char *why;
    const Node *at;
    make_module(unit);
    Name key = NULL;
    if (decorator->kind == NODE_CALL)
        for (uint32_t i = 0; i < decorator->call.keywords.count; i++) {
            const Node *keyword = decorator->call.keywords.items[i];
            const Value *value = static_eval(unit, keyword->keyword.value, scope);
            if (name_is(keyword->keyword.name, "name") && value->kind == VALUE_STR)
                key = name_of(unit->names, value->str.text, value->str.len);
        }
    Func *func = new_function(unit, def, scope, &why, &at);
    if (!func) {
        /* The name is counted even though the definition cannot be used. */
        next_function_name(unit, key_of(unit, qualname_of(unit, scope, def->function.name)));
        return value_unknown(unit->arena, "function '%s' cannot be used: %s", def->function.name->text, why);
    }
    if (key)
        func->key = key;
    func->native = next_function_name(unit, func->key);
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
    const char *why;
    const Node *at;
    make_module(unit);
    Func *func = new_function(unit, def, scope, &why, &at);
    if (!func)
        return value_unknown(unit->arena, "function '%s' cannot be used: %s", def->function.name->text, why);
    func->native = next_function_name(unit, func->key);
    func->is_snippet = true;
    func->snippet = string_argument(unit, decorator, 0, "snippet", scope);
    func->adj_snippet = string_argument(unit, decorator, 1, "adj_snippet", scope);
    func->replay_snippet = string_argument(unit, decorator, 2, "replay_snippet", scope);
    const Value *texts[] = {func->snippet, func->adj_snippet, func->replay_snippet};
    for (int i = 0; i < 3; i++)
        if (texts[i] && texts[i]->kind != VALUE_STR)
            return value_unknown(unit->arena, "the native code of '%s' is not known", def->function.name->text);
    if (!func->snippet)
        return value_unknown(unit->arena, "native function '%s' has no code", def->function.name->text);
    return func_value(unit, register_function(unit, func, scope));
}

static const Value *python_function(Unit *unit, const Node *def, Scope *scope)
{
    PythonFunc *func = ARENA_NEW(unit->arena, PythonFunc);
    func->def = def;
    func->scope = closure_scope(scope);
    func->qualname = qualname_of(unit, scope, def->function.name);
    const NodeList *defaults = &def->function.params->arguments.defaults;
    func->defaults = ARENA_ARRAY(unit->arena, const Value *, defaults->count);
    for (uint32_t i = 0; i < defaults->count; i++)
        func->defaults[i] = static_eval(unit, defaults->items[i], scope);
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_PYTHON_FUNC;
    value->python = func;
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

/* Marks a function as unusable whose custom gradient or replay weft could not follow. */
static const Value *spoil(Unit *unit, Func *target, const char *why)
{
    if (target)
        for (uint32_t i = 0; i < target->overloads.count; i++)
            target->overloads.items[i]->code.def = NULL;
    return value_unknown(unit->arena, "%s", why);
}

static const Value *declare_grad(Unit *unit, const Node *def, Scope *scope, const Node *decorator)
{
    const char *why;
    const Node *at;
    Func *head = decorated_target(unit, decorator, scope);
    Func *grad = new_function(unit, def, scope, &why, &at);
    Func *target = head && grad ? matching_overload(head, grad->code.params, grad->code.param_count) : NULL;
    if (!target)
        return spoil(unit, head, "the custom gradient fits no function");
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
    const char *why;
    const Node *at;
    Func *head = decorated_target(unit, decorator, scope);
    Func *replay = new_function(unit, def, scope, &why, &at);
    Func *target = head && replay ? matching_overload(head, replay->code.params, replay->code.param_count) : NULL;
    if (!target)
        return spoil(unit, head, "the custom replay fits no function");
    replay->key = name_cstr(unit->names, arena_format(unit->arena, "replay_%s", target->key->text));
    replay->native = next_function_name(unit, replay->key);
    replay->head = replay;
    replay->skip_reverse = true;
    target->custom_replay = replay;
    return python_function(unit, def, scope);
}

/* ---- kernels ---- */

static Kernel *refuse(Unit *unit, Kernel *kernel, const Node *at, DiagKind kind, const char *why)
{
    Diag *diag = diag_add(&unit->diags, kind, at->start, at->end, "%s", why);
    diag->kernel = kernel->key->text;
    kernel->refused = diag;
    return kernel;
}

static void sort_options(Kernel *kernel)
{
    for (uint32_t i = 1; i < kernel->option_count; i++)
        for (uint32_t k = i; k > 0 && strcmp(kernel->options[k - 1].name, kernel->options[k].name) > 0; k--) {
            KernelOption swap = kernel->options[k];
            kernel->options[k] = kernel->options[k - 1];
            kernel->options[k - 1] = swap;
        }
}

/* NULL, or why the decorator's arguments are refused. */
static const char *read_options(Unit *unit, Kernel *kernel, const Node *decorator, const Scope *scope, const Node **at)
{
    static const char *const names[] = {"enable_backward", "launch_bounds", "grid_stride", "cluster_dim"};
    const Value *module_options = NULL;
    bool unique = false, other_module = false;
    if (decorator->kind != NODE_CALL)
        return NULL;
    if (decorator->call.args.count) {
        *at = decorator->call.args.items[0];
        return "the kernel decorator takes keyword arguments only";
    }
    for (uint32_t i = 0; i < decorator->call.keywords.count; i++) {
        const Node *keyword = decorator->call.keywords.items[i];
        *at = keyword;
        const Value *value = static_eval(unit, keyword->keyword.value, scope);
        if (value->kind == VALUE_UNKNOWN)
            return arena_format(unit->arena, "the option is not known: %s", value->reason);
        const char *name = keyword->keyword.name ? keyword->keyword.name->text : "";
        bool known = false;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (strcmp(name, names[k]) == 0) {
                known = true;
                if (value->kind != VALUE_NONE)
                    kernel->options[kernel->option_count++] = (KernelOption){names[k], value};
            }
        if (strcmp(name, "module") == 0) {
            known = true;
            unique = value->kind == VALUE_STR && value->str.len == 6 && memcmp(value->str.text, "unique", 6) == 0;
            other_module = value->kind != VALUE_NONE;
        }
        if (strcmp(name, "module_options") == 0) {
            known = true;
            module_options = value;
        }
        if (!known || kernel->option_count > 7)
            return arena_format(unit->arena, "'%s' is no option of a kernel", name);
    }
    sort_options(kernel);
    if (other_module) {
        kernel->module = ARENA_NEW(unit->arena, ModuleOptions);
        *kernel->module = unit->module_options;
        kernel->module->strip_hash = false;
        kernel->module->enable_backward = true;
        kernel->module->max_unroll = 16;
    }
    if (module_options && module_options->kind != VALUE_NONE) {
        if (!unique)
            return "module_options needs module=\"unique\"";
        set_module_options(unit, kernel->module, module_options);
    }
    return NULL;
}

static const Value *declare_kernel(Unit *unit, const Node *def, Scope *scope, const Node *decorator)
{
    make_module(unit);
    ARENA_PUSH(unit->arena, unit->kernel_defs, unit->kernel_def_count, unit->kernel_def_cap) = def;
    Kernel *kernel = ARENA_NEW(unit->arena, Kernel);
    kernel->code.def = def;
    kernel->code.scope = closure_scope(scope);
    kernel->key = key_of(unit, qualname_of(unit, scope, def->function.name));
    kernel->module = &unit->module_options;
    const Node *at = def;
    const char *why = read_options(unit, kernel, decorator, scope, &at);
    if (!why)
        why = read_params(unit, &kernel->code, &at);
    if (why)
        return kernel_value(unit,
                            refuse(unit, kernel, at, strstr(why, "not known") ? DIAG_UNSUPPORTED : DIAG_ERROR, why));
    code_finish(unit, &kernel->code);
    for (uint32_t i = 0; i < kernel->code.param_count; i++)
        kernel->is_generic |= type_is_generic(kernel->code.params[i].type);
    return kernel_value(unit, kernel);
}

bool kernel_add_overload(Unit *unit, Kernel *kernel, const Type **types, uint32_t count, const Node *at)
{
    if (!kernel->is_generic || kernel->refused || count != kernel->code.param_count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!types[i] || !type_matches_template(types[i], kernel->code.params[i].type)) {
            diag_add(&unit->diags, DIAG_ERROR, at->start, at->end,
                     "the type given for parameter '%s' of kernel '%s' does not fit its annotation",
                     kernel->code.params[i].name->text, kernel->key->text);
            return false;
        }
    Kernel *overload = ARENA_NEW(unit->arena, Kernel);
    *overload = *kernel;
    overload->is_generic = false;
    overload->overloads = (KernelList){0};
    overload->code.params = ARENA_ARRAY(unit->arena, Param, count);
    memcpy(overload->code.params, kernel->code.params, count * sizeof(Param));
    for (uint32_t i = 0; i < count; i++)
        overload->code.params[i].type = types[i];
    overload->signature = signature_string(unit, overload->code.params, count);
    for (uint32_t i = 0; i < kernel->overloads.count; i++)
        if (strcmp(kernel->overloads.items[i]->signature, overload->signature) == 0)
            return true;
    ARENA_PUSH(unit->arena, kernel->overloads.items, kernel->overloads.count, kernel->overloads.cap) = overload;
    return true;
}

/* `@wp.overload def kernel(types): ...` adds to the kernel of that name. */
static const Value *declare_overload(Unit *unit, const Node *def, Scope *scope)
{
    const Value *existing = scope_find_here(scope, def->function.name);
    Code code = {.def = def, .scope = scope};
    const Node *at;
    if (!existing || existing->kind != VALUE_KERNEL)
        return value_unknown(unit->arena, "there is no kernel '%s' to overload", def->function.name->text);
    const char *why = read_params(unit, &code, &at);
    if (why) {
        diag_add(&unit->diags, DIAG_ERROR, at->start, at->end, "%s", why);
        return existing;
    }
    const Type **types = ARENA_ARRAY(unit->arena, const Type *, code.param_count);
    for (uint32_t i = 0; i < code.param_count; i++)
        types[i] = code.params[i].type;
    kernel_add_overload(unit, existing->kernel, types, code.param_count, def);
    return existing;
}

const Value *declare_function(Unit *unit, const Node *def, Scope *scope)
{
    const NodeList *decorators = &def->function.decorators;
    if (!decorators->count)
        return python_function(unit, def, scope);
    const Node *decorator = decorators->items[decorators->count - 1];
    bool called = decorator->kind == NODE_CALL;
    const Value *value = static_eval(unit, called ? decorator->call.func : decorator, scope);
    int id = value->kind == VALUE_INTRINSIC ? value->intrinsic.id : INTRINSIC_NONE;
    bool known = def->kind == NODE_FUNCTION_DEF && decorators->count == 1;
    if (known && id == INTRINSIC_WP_KERNEL)
        return declare_kernel(unit, def, scope, decorator);
    if (known && id == INTRINSIC_WP_FUNC)
        return declare_func(unit, def, scope, decorator);
    if (known && called && id == INTRINSIC_WP_FUNC_NATIVE)
        return declare_native(unit, def, scope, decorator);
    if (known && called && id == INTRINSIC_WP_FUNC_GRAD)
        return declare_grad(unit, def, scope, decorator);
    if (known && called && id == INTRINSIC_WP_FUNC_REPLAY)
        return declare_replay(unit, def, scope, decorator);
    if (known && !called && id == INTRINSIC_WP_OVERLOAD)
        return declare_overload(unit, def, scope);
    return value_unknown(unit->arena, "the decorators of '%s' are not followed", def->function.name->text);
}

/* ---- classes ---- */

static const Value *declare_struct(Unit *unit, const Node *def, Scope *scope)
{
    make_module(unit);
    StructDecl *decl = ARENA_NEW(unit->arena, StructDecl);
    decl->key = key_of(unit, qualname_of(unit, scope, def->class_def.name));
    decl->fields = ARENA_ARRAY(unit->arena, StructField, def->class_def.body.count);
    Text *text = &unit->scratch;
    Text hashed;
    text_init_in(&hashed, unit->arena);
    text_add(&hashed, decl->key->text, decl->key->len);
    for (uint32_t i = 0; i < def->class_def.body.count; i++) {
        const Node *node = def->class_def.body.items[i];
        if (node->kind != NODE_ANN_ASSIGN || node->ann_assign.target->kind != NODE_NAME)
            continue;
        StructField *field = &decl->fields[decl->field_count++];
        const char *why;
        field->name = node->ann_assign.target->name.id;
        field->type = annotation_type(unit, node->ann_assign.annotation, scope, &why);
        if (!field->type)
            return value_unknown(unit->arena, "the type of field '%s' of struct '%s' is not known: %s",
                                 field->name->text, def->class_def.name->text, why);
        text->len = 0;
        type_code(field->type, text);
        text_add(&hashed, field->name->text, field->name->len);
        text_char(&hashed, ':');
        text_add(&hashed, text->data, text->len);
        if (field->type->kind == TYPE_STRUCT)
            text_add(&hashed, (const char *)field->type->decl->hash, 32);
    }
    sha256(hashed.data, hashed.len, decl->hash);
    decl->native_name = arena_format(unit->arena, "%s_%02x%02x%02x%02x", decl->key->text, decl->hash[0], decl->hash[1],
                                     decl->hash[2], decl->hash[3]);
    return value_type(unit->arena, type_struct(unit->types, decl));
}

static const Value *declare_enum(Unit *unit, const Node *def, Scope *scope, bool flag)
{
    EnumClass *cls = ARENA_NEW(unit->arena, EnumClass);
    Scope *inner = scope_new(unit, scope, "");
    cls->name = def->class_def.name;
    BigInt next = 1;
    for (uint32_t i = 0; i < def->class_def.body.count; i++) {
        const Node *node = def->class_def.body.items[i];
        if (node->kind != NODE_ASSIGN || node->assign.targets.count != 1 ||
            node->assign.targets.items[0]->kind != NODE_NAME)
            continue;
        Name name = node->assign.targets.items[0]->name.id;
        const Node *expr = node->assign.value;
        Value *member = ARENA_NEW(unit->arena, Value);
        member->kind = VALUE_ENUM_MEMBER;
        member->member.cls = cls;
        member->member.name = name;
        bool automatic = expr->kind == NODE_CALL &&
                         value_is_intrinsic(static_eval(unit, expr->call.func, scope), INTRINSIC_ENUM_AUTO);
        if (automatic)
            member->member.value = next;
        else if (!value_as_int(static_eval(unit, expr, inner), &member->member.value))
            return value_unknown(unit->arena, "member '%s' of enum '%s' is not known", name->text, cls->name->text);
        next = flag ? 1 : member->member.value + 1;
        while (flag && next <= member->member.value)
            next *= 2;
        scope_bind(unit, inner, name, member);
        ARENA_PUSH(unit->arena, cls->member_names, cls->count, cls->cap) = name;
        cls->count--;
        ARENA_PUSH(unit->arena, cls->members, cls->count, cls->value_cap) = member;
    }
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_ENUM_CLASS;
    value->enum_class = cls;
    return value;
}

const Value *declare_class(Unit *unit, const Node *def, Scope *scope)
{
    const NodeList *decorators = &def->class_def.decorators;
    if (decorators->count) {
        const Value *decorator = static_eval(unit, decorators->items[0], scope);
        if (decorators->count == 1 && value_is_intrinsic(decorator, INTRINSIC_WP_STRUCT))
            return declare_struct(unit, def, scope);
        return value_unknown(unit->arena, "the decorators of class '%s' are not followed", def->class_def.name->text);
    }
    for (uint32_t i = 0; i < def->class_def.bases.count; i++) {
        const Value *base = static_eval(unit, def->class_def.bases.items[i], scope);
        if (value_is_intrinsic(base, INTRINSIC_ENUM_INT_ENUM) || value_is_intrinsic(base, INTRINSIC_ENUM_INT_FLAG))
            return declare_enum(unit, def, scope, value_is_intrinsic(base, INTRINSIC_ENUM_INT_FLAG));
    }
    bool derived = def->class_def.bases.count || def->class_def.keywords.count;
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_CLASS;
    value->class_object.name = def->class_def.name;
    value->class_object.scope =
        scope_new(unit, scope, arena_format(unit->arena, "%s%s.", scope->qualname, def->class_def.name->text));
    const Value *result = NULL;
    value->class_object.scope->is_class = true;
    run_block(unit, &def->class_def.body, value->class_object.scope, &result);
    /* A base may change what the body says, but not the Warp functions in it. */
    Scope *members = value->class_object.scope;
    for (uint32_t i = 0; derived && i < members->count; i++)
        if (members->bindings[i].value->kind != VALUE_FUNC)
            members->bindings[i].value =
                value_unknown(unit->arena, "class '%s' has bases that are not followed", def->class_def.name->text);
    value->class_object.derived = derived;
    return value;
}
