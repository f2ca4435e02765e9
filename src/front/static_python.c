/* Calls of Python functions of the project: their parameters are bound, and their statements run. */
#include "front/static_impl.h"

#include <string.h>

const PythonFunc *python_func(Unit *unit, const Node *def, const Node *params, const Scope *scope, const char *qualname)
{
    PythonFunc *func = ARENA_NEW(unit->arena, PythonFunc);
    const NodeList *defaults = &params->arguments.defaults, *named = &params->arguments.kw_defaults;
    *func = (PythonFunc){.def = def, .scope = scope, .qualname = qualname};
    func->names = ARENA_NEW(unit->arena, FunctionNames);
    func->defaults = ARENA_ARRAY(unit->arena, const Value *, defaults->count + named->count);
    for (uint32_t i = 0; i < defaults->count; i++)
        func->defaults[i] = static_eval(unit, defaults->items[i], scope);
    for (uint32_t i = 0; i < named->count; i++)
        func->defaults[defaults->count + i] = named->items[i] ? static_eval(unit, named->items[i], scope) : NULL;
    return func;
}

bool rename_function(const Value *function, Name attribute, const Value *name)
{
    if (function->kind != VALUE_PYTHON_FUNC || !function->python->names)
        return false;
    if (name_is(attribute, "__name__"))
        function->python->names->name = name;
    else if (name_is(attribute, "__qualname__"))
        function->python->names->qualname = name;
    else
        return false;
    return true;
}

const Value *function_qualname(Unit *unit, const PythonFunc *func)
{
    const Value *set = func->names ? func->names->qualname : NULL;
    return set ? set : value_str(unit->arena, func->qualname, (uint32_t)strlen(func->qualname));
}

const Value *wrap_function(Unit *unit, const Value *wrapper, const Value *wrapped)
{
    static const char *const names[] = {"__name__", "__qualname__"};
    if (wrapper->kind != VALUE_PYTHON_FUNC)
        return NULL;
    PythonFunc *func = ARENA_NEW(unit->arena, PythonFunc);
    Value *value = ARENA_NEW(unit->arena, Value);
    *func = *wrapper->python;
    func->names = ARENA_NEW(unit->arena, FunctionNames);
    func->is_wrapper = true;
    value->kind = VALUE_PYTHON_FUNC;
    value->python = func;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Name name = name_cstr(unit->names, names[i]);
        const Value *known = wrapped ? static_attribute(unit, wrapped, name) : NULL;
        rename_function(value, name,
                        known ? known : value_unknown(unit->arena, "that of what is wrapped is not known"));
    }
    return value;
}

const Value *make_property(Unit *unit, const Value *function)
{
    PythonFunc *func = ARENA_NEW(unit->arena, PythonFunc);
    Value *value = ARENA_NEW(unit->arena, Value);
    *func = *function->python;
    func->is_property = true;
    value->kind = VALUE_PYTHON_FUNC;
    value->python = func;
    return value;
}

const Value *remember_results(Unit *unit, const Value *function)
{
    PythonFunc *func = ARENA_NEW(unit->arena, PythonFunc);
    Value *value = ARENA_NEW(unit->arena, Value);
    *func = *function->python;
    func->results = value_dict(unit, 4);
    value->kind = VALUE_PYTHON_FUNC;
    value->python = func;
    return value;
}

typedef struct Call {
    Unit *unit;
    const PythonFunc *func;
    const Node *params;
    const Value **args;
    uint32_t count;
    const Name *names;
    const Value **named;
    uint32_t named_count;
    Scope *scope;
} Call;

static const Value *named_argument(const Call *call, Name name)
{
    for (uint32_t k = 0; k < call->named_count; k++)
        if (call->names[k] == name)
            return call->named[k];
    return NULL;
}

static const Node *positional_param(const Call *call, uint32_t index)
{
    const NodeList *first = &call->params->arguments.posonly;
    return index < first->count ? first->items[index] : call->params->arguments.args.items[index - first->count];
}

static uint32_t positional_params(const Call *call)
{
    return call->params->arguments.posonly.count + call->params->arguments.args.count;
}

static bool bind_positional(const Call *call)
{
    uint32_t total = positional_params(call), with_default = call->params->arguments.defaults.count;
    for (uint32_t i = 0; i < total; i++) {
        Name name = positional_param(call, i)->arg.name;
        const Value *value = i < call->count ? call->args[i] : named_argument(call, name);
        if (!value && i >= total - with_default && call->func->defaults)
            value = call->func->defaults[i - (total - with_default)];
        if (!value)
            return false;
        scope_bind(call->unit, call->scope, name, value);
    }
    return true;
}

static bool bind_keyword_only(const Call *call)
{
    const NodeList *names = &call->params->arguments.kwonly;
    for (uint32_t k = 0; k < names->count; k++) {
        const Value *value = named_argument(call, names->items[k]->arg.name);
        if (!value && call->func->defaults)
            value = call->func->defaults[call->params->arguments.defaults.count + k];
        if (!value)
            return false;
        scope_bind(call->unit, call->scope, names->items[k]->arg.name, value);
    }
    return true;
}

/* *args and **kwargs */
static bool bind_rest(const Call *call)
{
    uint32_t total = positional_params(call), more = call->count > total ? call->count - total : 0;
    const Node *vararg = call->params->arguments.vararg, *kwarg = call->params->arguments.kwarg;
    Unit *unit = call->unit;
    if (vararg) {
        const Value **items = ARENA_ARRAY(unit->arena, const Value *, more);
        if (more)
            memcpy(items, call->args + total, more * sizeof *items);
        scope_bind(unit, call->scope, vararg->arg.name, value_sequence(unit->arena, VALUE_TUPLE, items, more));
    }
    const Value *rest = kwarg ? value_dict(unit, 4) : NULL;
    for (uint32_t k = 0; k < call->named_count; k++) {
        Name name = call->names[k];
        if (scope_find_here(call->scope, name))
            continue;
        if (!rest)
            return false;
        dict_put(unit, rest, value_str(unit->arena, name->text, name->len), call->named[k]);
    }
    if (rest)
        scope_bind(unit, call->scope, kwarg->arg.name, rest);
    return vararg || !more;
}

static const Value *run_call(const Call *call)
{
    Unit *unit = call->unit;
    const PythonFunc *func = call->func;
    if (unit->call_depth == LIMIT_LOAD_CALLS) {
        lose_call(unit, func, LOST_ALL);
        return value_unknown(unit->arena, "calls of Python functions are nested too deeply");
    }
    const Value *result = value_none();
    unit->call_depth++;
    if (func->def->kind == NODE_LAMBDA)
        result = static_eval(unit, func->def->lambda.body, call->scope);
    else if (run_block(unit, &func->def->function.body, call->scope, &result) == FLOW_STUCK) {
        lose_call(unit, func, LOST_ALL);
        result = value_unknown(unit->arena, "'%s' cannot be followed to its end", func->qualname);
    }
    unit->call_depth--;
    return result;
}

/* What tells one call of a function with @functools.cache from another. */
static const Value *call_key(const Call *call)
{
    Arena *arena = call->unit->arena;
    uint32_t count = call->count + 2 * call->named_count;
    const Value **items = ARENA_ARRAY(arena, const Value *, count);
    for (uint32_t i = 0; i < call->count; i++)
        items[i] = call->args[i];
    for (uint32_t k = 0; k < call->named_count; k++) {
        items[call->count + 2 * k] = value_str(arena, call->names[k]->text, call->names[k]->len);
        items[call->count + 2 * k + 1] = call->named[k];
    }
    return value_sequence(arena, VALUE_TUPLE, items, count);
}

const Value *call_python(Unit *unit, const PythonFunc *func, const Value **args, uint32_t count,
                         const Name *keyword_names, const Value **keyword_values, uint32_t keyword_count)
{
    bool is_lambda = func->def->kind == NODE_LAMBDA;
    Call call = {.unit = unit, .func = func, .args = args, .count = count, .names = keyword_names};
    call.params = is_lambda ? func->def->lambda.params : func->def->function.params;
    call.named = keyword_values;
    call.named_count = keyword_count;
    call.scope = scope_new(unit, func->scope, arena_format(unit->arena, "%s.<locals>.", func->qualname));
    const Value *key = func->results ? call_key(&call) : NULL;
    const Value *known = key ? value_contains(unit, func->results, key) : NULL;
    if (known && known->kind == VALUE_BOOL && known->truth)
        return dict_item(unit, func->results, key);
    bool bound =
        (!known || known->kind == VALUE_BOOL) && bind_positional(&call) && bind_keyword_only(&call) && bind_rest(&call);
    if (!bound || func->def->kind == NODE_ASYNC_FUNCTION_DEF) {
        lose_call(unit, func, LOST_ALL);
        return value_unknown(unit->arena, "a call of '%s' is not followed", func->qualname);
    }
    const Value *result = run_call(&call);
    if (key)
        dict_put(unit, func->results, key, result);
    return result;
}
