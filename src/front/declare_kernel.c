/* Kernels: what @wp.kernel, wp.kernel(), wp.Kernel() and wp.overload() make. */
#include "front/declare_impl.h"

#include <string.h>

static const Value *kernel_value(Unit *unit, Kernel *kernel)
{
    Value *value = ARENA_NEW(unit->arena, Value);
    value->kind = VALUE_KERNEL;
    value->kernel = kernel;
    return value;
}

static void refuse_kernel(Unit *unit, Kernel *kernel, const Refusal *why)
{
    const Source *source = (kernel->refused_in ? kernel->refused_in : kernel->code.scope->file)->source;
    Diag *diag = diag_add(&unit->diags, source, why->kind, why->at->start, why->at->end, "%s", why->message);
    diag->kernel = kernel->key->text;
    diag->hint = why->hint;
    Refusal *kept = ARENA_NEW(unit->arena, Refusal);
    *kept = *why;
    kernel->code.refused = kept;
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

static bool is_identifier(const Value *text)
{
    bool is_name = text->str.len > 0 && !(text->str.text[0] >= '0' && text->str.text[0] <= '9');
    for (size_t i = 0; i < text->str.len; i++) {
        char c = text->str.text[i], lower = (char)(c | 0x20);
        is_name &= (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_';
    }
    return is_name;
}

/* What is wrong with the value of an option; NULL: nothing. */
static const char *option_mistake(const char *name, const Value *value)
{
    enum { MOST_BLOCKS = 16 };
    BigInt count = 0;
    bool is_count = value->kind != VALUE_BOOL && value_as_int(value, &count) && count >= 1;
    if (strcmp(name, "cluster_dim") == 0 && !(is_count && count <= MOST_BLOCKS))
        return "cluster_dim is an integer from 1 to 16";
    if (strcmp(name, "cuda_max_registers") == 0 && !is_count)
        return "cuda_max_registers is a positive integer";
    if (strcmp(name, "enable_cuda_smem_spilling") == 0 && value->kind != VALUE_BOOL)
        return "enable_cuda_smem_spilling is True or False";
    if (strcmp(name, "name") == 0 && !(value->kind == VALUE_STR && is_identifier(value)))
        return "the name of a kernel consists of letters, digits and underscores, and does not begin with a digit";
    return NULL;
}

static void change_kernel(Unit *unit, Kernel *kernel, Name name, const Value *value, const Refusal *why,
                          const File *file)
{
    bool key = name && name_is(name, "key") && value->kind == VALUE_STR && is_identifier(value);
    if (kernel->code.refused)
        return;
    if (key)
        kernel->key = name_of(unit->names, value->str.text, value->str.len);
    else if (!name || !name_is(name, "__doc__")) {
        kernel->refused_in = file;
        refuse_kernel(unit, kernel, why);
    }
}

void set_kernel_attribute(Unit *unit, Kernel *kernel, Name name, const Value *value, const Node *at, const Scope *scope)
{
    Refusal why = {.kind = DIAG_UNSUPPORTED, .at = at, .message = "what is set of the kernel here is not followed"};
    change_kernel(unit, kernel, name, value, &why, scope->file);
    for (uint32_t i = 0; !name && i < kernel->overloads.count; i++) /* the overloads share the options */
        change_kernel(unit, kernel->overloads.items[i], name, value, &why, scope->file);
}

static bool has_option(const Kernel *kernel, const char *name)
{
    for (uint32_t i = 0; i < kernel->option_count; i++)
        if (strcmp(kernel->options[i].name, name) == 0)
            return true;
    return false;
}

/* One keyword of the decorator. False: it cannot be used, and `why` says so. */
static bool read_option(Unit *unit, Kernel *kernel, const char *name, const Value *value, Refusal *why)
{
    static const char *const names[] = {"enable_backward", "launch_bounds",      "grid_stride",
                                        "cluster_dim",     "cuda_max_registers", "enable_cuda_smem_spilling"};
    enum { FIRST_NEW = 4 };
    size_t known_count = unit->dialect->more_kernel_options ? sizeof names / sizeof *names : FIRST_NEW;
    if (value->kind == VALUE_UNKNOWN) {
        why->kind = value->wrong ? DIAG_ERROR : DIAG_UNSUPPORTED;
        why->message =
            arena_format(unit->arena, "the value of the kernel's option '%s' is not known: %s", name, value->reason);
        return false;
    }
    if (strcmp(name, "module") == 0 || strcmp(name, "module_options") == 0)
        return true;
    why->message = value->kind == VALUE_NONE ? NULL : option_mistake(name, value);
    if (why->message)
        return false;
    if (unit->dialect->more_kernel_options && strcmp(name, "name") == 0) {
        if (value->kind == VALUE_NONE)
            return true;
        kernel->key = name_of(unit->names, value->str.text, value->str.len);
        return true;
    }
    if (unit->dialect->more_kernel_options && strcmp(name, "entry_point_abi") == 0) {
        why->kind = DIAG_UNSUPPORTED;
        why->message = "an entry point of another form than Warp's usual one is not supported";
        return value->kind == VALUE_NONE ||
               (value->kind == VALUE_STR && value->str.len == 4 && !memcmp(value->str.text, "warp", 4));
    }
    for (size_t k = 0; k < known_count; k++)
        if (strcmp(name, names[k]) == 0) {
            bool known, is_unsaid = k + 1 == sizeof names / sizeof *names && !value_is_true(value, &known);
            if (value->kind != VALUE_NONE && !is_unsaid && kernel->option_count < 8)
                kernel->options[kernel->option_count++] = (KernelOption){names[k], value};
            return true;
        }
    why->message = arena_format(unit->arena, "'%s' is not an option of a kernel", name);
    why->hint = "the options are enable_backward, launch_bounds, grid_stride, cluster_dim, module and module_options";
    return false;
}

/* `positional`: arguments that may stand before the keywords. False: the options cannot be used. */
static bool read_options(Unit *unit, Kernel *kernel, const Node *call, uint32_t positional, const Scope *scope,
                         Refusal *why)
{
    const Value *module = NULL, *module_options = NULL;
    *why = (Refusal){.kind = DIAG_ERROR, .at = call};
    if (call->kind != NODE_CALL)
        return true;
    if (call->call.args.count > positional) {
        why->at = call->call.args.items[positional];
        why->message = "the options of a kernel are given by name";
        return false;
    }
    for (uint32_t i = 0; i < call->call.keywords.count; i++) {
        const Node *keyword = call->call.keywords.items[i];
        const Value *value = static_eval(unit, keyword->keyword.value, scope);
        why->at = keyword;
        if (!read_option(unit, kernel, keyword->keyword.name ? keyword->keyword.name->text : "**", value, why))
            return false;
        if (keyword->keyword.name && name_is(keyword->keyword.name, "module"))
            module = value;
        if (keyword->keyword.name && name_is(keyword->keyword.name, "module_options"))
            module_options = value;
    }
    if (has_option(kernel, "cuda_max_registers") && has_option(kernel, "launch_bounds")) {
        why->at = call;
        why->message = "cuda_max_registers and launch_bounds cannot be given together";
        return false;
    }
    sort_options(kernel);
    bool unique = module && module->kind == VALUE_STR && module->str.len == 6 && !memcmp(module->str.text, "unique", 6);
    if (unique) {
        kernel->module = ARENA_NEW(unit->arena, ModuleOptions);
        *kernel->module = unit->config;
    } else if (module)
        kernel->module = module_named_by(unit, scope->file, module);
    if (module_options && module_options->kind != VALUE_NONE) {
        if (!unique) {
            why->message = "module_options can be given only together with module=\"unique\"";
            return false;
        }
        const Value *unknown = unknown_module_option(unit, module_options);
        if (unknown) {
            why->message =
                arena_format(unit->arena, "there is no module option '%.*s'", (int)unknown->str.len, unknown->str.text);
            return false;
        }
        set_module_options(unit, kernel->module, module_options);
    }
    return true;
}

static Kernel *add_kernel(Unit *unit, const Node *def, const Scope *scope, const char *qualname)
{
    scope->file->module_made = true;
    Kernel *kernel = ARENA_NEW(unit->arena, Kernel);
    ARENA_PUSH(unit->arena, unit->kernels.items, unit->kernels.count, unit->kernels.cap) = kernel;
    kernel->code.def = def;
    kernel->code.scope = scope;
    kernel->made_by = unit->running;
    kernel->key = key_of(unit, qualname);
    kernel->module = &scope->file->options;
    return kernel;
}

/* The kernel of a function that is given to wp.kernel() or wp.Kernel(): the program may have renamed it. False: it cannot be named. */
static Kernel *add_called_kernel(Unit *unit, const PythonFunc *func, const Node *at, const Scope *scope)
{
    const Value *name = function_qualname(unit, func);
    bool known = name->kind == VALUE_STR && !func->is_wrapper && !unit->renames_lost;
    const char *text = known ? arena_strndup(unit->arena, name->str.text, name->str.len) : func->qualname;
    Kernel *kernel = add_kernel(unit, func->def, func->scope, text);
    Refusal why = {
        .kind = DIAG_UNSUPPORTED, .at = at, .message = "the kernel is made of a function that wraps another"};
    if (known)
        return kernel;
    if (!func->is_wrapper)
        why.message = arena_format(unit->arena, "the name of the kernel is not known: %s",
                                   name->kind == VALUE_UNKNOWN ? name->reason
                                   : unit->renames_lost        ? "functions are renamed where weft does not follow"
                                                               : "it is not a string");
    kernel->refused_in = scope->file;
    refuse_kernel(unit, kernel, &why);
    return kernel;
}

static const Value *finish_kernel(Unit *unit, Kernel *kernel)
{
    code_finish(unit, &kernel->code);
    note_statics(kernel->module, &kernel->code);
    for (uint32_t i = 0; i < kernel->code.param_count; i++)
        kernel->is_generic |= type_is_generic(kernel->code.params[i].type);
    return kernel_value(unit, kernel);
}

static const Value *new_kernel(Unit *unit, Kernel *kernel, const Node *call, uint32_t positional,
                               const Scope *call_scope)
{
    Refusal why;
    if (kernel->code.refused)
        return kernel_value(unit, kernel);
    if (!read_options(unit, kernel, call, positional, call_scope, &why) || !read_params(unit, &kernel->code, &why)) {
        refuse_kernel(unit, kernel, &why);
        return kernel_value(unit, kernel);
    }
    return finish_kernel(unit, kernel);
}

/* The options that wp.Kernel() is given: a dict, by the names that the decorator has for them. */
static bool read_option_dict(Unit *unit, Kernel *kernel, const Value *options, Refusal *why)
{
    if (!options || options->kind == VALUE_NONE)
        return true;
    why->kind = DIAG_UNSUPPORTED;
    why->message = "the options of the kernel are not known";
    bool known = options->kind == VALUE_DICT && !options->dict.unsure;
    for (uint32_t i = 0; known && i < options->dict.count; i++) {
        const Value *key = options->dict.keys[i];
        known = key->kind == VALUE_STR && options->dict.values[i]->kind != VALUE_NONE &&
                read_option(unit, kernel, arena_strndup(unit->arena, key->str.text, key->str.len),
                            options->dict.values[i], why);
    }
    sort_options(kernel);
    return known;
}

static bool read_parts(Unit *unit, Kernel *kernel, const KernelParts *parts, const Scope *scope, Refusal *why)
{
    const Value *key = parts->key && parts->key->kind != VALUE_NONE ? parts->key : NULL;
    *why = (Refusal){.kind = DIAG_UNSUPPORTED, .at = parts->at};
    why->message = "a kernel of wp.Kernel() is compiled only if its function, key, module and options are known, and "
                   "nothing else is given";
    if (parts->has_more || (key && !(key->kind == VALUE_STR && is_identifier(key))))
        return false;
    if (key)
        kernel->key = name_of(unit->names, key->str.text, key->str.len);
    if (parts->module && parts->module->kind != VALUE_NONE)
        kernel->module = module_named_by(unit, scope->file, parts->module);
    return read_option_dict(unit, kernel, parts->options, why) && read_params(unit, &kernel->code, why);
}

const Value *declare_kernel_object(Unit *unit, const KernelParts *parts, const Scope *scope)
{
    const Value *function = parts->function;
    table_add(&unit->kernel_calls, unit->arena, parts->at);
    if (!function || function->kind != VALUE_PYTHON_FUNC || function->python->def->kind != NODE_FUNCTION_DEF)
        return value_unknown(unit->arena, "wp.Kernel() is followed only for a function of the project");
    const PythonFunc *func = function->python;
    Kernel *kernel = add_called_kernel(unit, func, parts->at, scope);
    Refusal why;
    if (kernel->code.refused)
        return kernel_value(unit, kernel);
    if (!read_parts(unit, kernel, parts, scope, &why)) {
        kernel->refused_in = scope->file;
        refuse_kernel(unit, kernel, &why);
        return kernel_value(unit, kernel);
    }
    return finish_kernel(unit, kernel);
}

const Value *declare_kernel(Unit *unit, const Node *def, const Scope *scope, const Node *decorator)
{
    const char *qualname = qualname_of(unit, scope, def->function.name);
    return new_kernel(unit, add_kernel(unit, def, closure_scope(scope), qualname), decorator, 0, scope);
}

const Value *declare_called_kernel(Unit *unit, const Node *call, const Value *function, const Scope *scope)
{
    if (!function || function->kind != VALUE_PYTHON_FUNC || function->python->def->kind != NODE_FUNCTION_DEF)
        return value_unknown(unit->arena, "wp.kernel() is followed only for a function of this file");
    return new_kernel(unit, add_called_kernel(unit, function->python, call, scope), call, 1, scope);
}

Kernel *kernel_add_overload(Unit *unit, Kernel *kernel, const Type **types, uint32_t count, const Node *at)
{
    if (!kernel->is_generic || kernel->code.refused || count != kernel->code.param_count)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!types[i] || !type_matches_template(types[i], kernel->code.params[i].type)) {
            if (!at)
                return NULL;
            diag_add(&unit->diags, kernel->code.scope->file->source, DIAG_ERROR, at->start, at->end,
                     "the type given for parameter '%s' of kernel '%s' does not fit its annotation",
                     kernel->code.params[i].name->text, kernel->key->text);
            return NULL;
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
            return kernel->overloads.items[i];
    ARENA_PUSH(unit->arena, kernel->overloads.items, kernel->overloads.count, kernel->overloads.cap) = overload;
    return overload;
}

/* `@wp.overload def kernel(types): ...` adds to the kernel of that name. */
const Value *declare_overload(Unit *unit, const Node *def, const Scope *scope)
{
    const Value *existing = scope_find_here(scope, def->function.name);
    Code code = {.def = def, .scope = scope};
    Refusal why;
    if (!existing || existing->kind != VALUE_KERNEL)
        return value_wrong(unit->arena, "there is no kernel '%s' to overload", def->function.name->text);
    if (!read_params(unit, &code, &why)) {
        diag_add(&unit->diags, scope->file->source, why.kind, why.at->start, why.at->end, "%s", why.message)->hint =
            why.hint;
        return existing;
    }
    const Type **types = ARENA_ARRAY(unit->arena, const Type *, code.param_count);
    for (uint32_t i = 0; i < code.param_count; i++)
        types[i] = code.params[i].type;
    kernel_add_overload(unit, existing->kernel, types, code.param_count, def);
    return existing;
}
