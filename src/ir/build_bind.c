/* Which overload a call means, and which argument goes to which parameter. */
#include "ir/build_bind.h"
#include "ir/build.h"
#include "ir/tile_history.h"

#include "base/sha256.h"

#include <string.h>

bool is_same_query(Builder *b, const Type *one, const Type *other)
{
    const Type *parent = type_query_parent(b->unit->types, one);
    return b->unit->dialect->query_kinds && parent != one && parent == type_query_parent(b->unit->types, other);
}

const Type *eval_type(Builder *b, const Eval *eval)
{
    if (eval->kind == EVAL_VAR) {
        const Type *type = type_strip_reference(eval->var->type);
        return b->kinds_erased ? type_query_parent(b->unit->types, type) : type;
    }
    if (eval->kind == EVAL_LIST) {
        const Type **types = ARENA_ARRAY(b->unit->arena, const Type *, eval->count);
        for (uint32_t i = 0; i < eval->count; i++)
            types[i] = type_strip_reference(eval->list[i]->type);
        return type_tuple(b->unit->types, types, eval->count, TUPLE_VALUE);
    }
    if (eval->kind != EVAL_VALUE)
        return NULL;
    if (eval->value->kind == VALUE_TYPE)
        return eval->value->type;
    return value_variable_type(eval->value);
}

static bool is_function(const Eval *eval)
{
    return eval->kind == EVAL_VALUE && (eval->value->kind == VALUE_FUNC || eval->value->kind == VALUE_BUILTIN);
}

/* Does an argument fit a parameter's type? Arrays fit by class and element; a local array passes for an array. */
static bool argument_fits(Builder *b, const Eval *eval, const Type *param)
{
    if (param->kind == TYPE_ANY)
        return eval->kind != EVAL_VOID;
    if (is_function(eval))
        return param->kind == TYPE_FUNCTION;
    const Type *type = eval_type(b, eval);
    if (!type)
        return false;
    param = type_strip_reference(param);
    if (param->kind == TYPE_ARRAY && type->kind == TYPE_ARRAY) {
        ArrayClass p = param->array.cls, a = type->array.cls;
        bool related = p == a || (p == ARRAY_PLAIN && a == ARRAY_FIXED) || (p == ARRAY_FIXED && a == ARRAY_PLAIN);
        return related && types_match(param->array.dtype, type->array.dtype);
    }
    return types_match(param, type);
}

/* ---- builtins ---- */

static Eval default_eval(Builder *b, const BuiltinParam *param)
{
    Number number = {.is_int = true};
    switch (param->default_kind) {
    case DEFAULT_INT: return eval_value(value_int(b->unit->arena, truncate_real(param->default_value)));
    case DEFAULT_UINT:
        number.integer = truncate_real(param->default_value);
        return eval_value(value_scalar(b->unit->arena, type_scalar(TYPE_UINT32), number));
    case DEFAULT_FLOAT: return eval_value(value_float(b->unit->arena, param->default_value));
    case DEFAULT_BOOL: return eval_value(value_bool(param->default_value != 0));
    case DEFAULT_STR:
        return eval_value(value_str(b->unit->arena, param->default_text, (uint32_t)strlen(param->default_text)));
    case DEFAULT_TYPE: return eval_value(value_type(b->unit->arena, type_scalar(TYPE_PY_FLOAT)));
    default: return (Eval){0};
    }
}

/* False: the arguments do not fit the parameters' number and names. */
static bool bind_builtin(Builder *b, const Builtin *builtin, const Arg *args, uint32_t count, Bound *bound)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < builtin->param_count; i++) {
        const BuiltinParam *param = &builtin->params[i];
        bound[i] = (Bound){.param = param};
        if (param->variadic) {
            bound[i].rest = ARENA_ARRAY(b->arena, Eval, count);
            while (next < count && !args[next].keyword)
                bound[i].rest[bound[i].rest_count++] = args[next++].eval;
        } else if (next < count && !args[next].keyword)
            bound[i].eval = args[next++].eval;
    }
    if (next < count && !args[next].keyword)
        return false;
    for (; next < count; next++) {
        uint32_t i = 0;
        while (i < builtin->param_count && strcmp(builtin->params[i].name, args[next].keyword->text))
            i++;
        if (i == builtin->param_count || bound[i].eval.kind != EVAL_VOID || builtin->params[i].variadic)
            return false;
        bound[i].eval = args[next].eval;
    }
    for (uint32_t i = 0; i < builtin->param_count; i++) {
        if (bound[i].eval.kind != EVAL_VOID || bound[i].param->variadic)
            continue;
        if (bound[i].param->default_kind == DEFAULT_NONE)
            return false;
        bound[i].eval = default_eval(b, bound[i].param);
        bound[i].is_default = true;
    }
    return true;
}

static bool builtin_param_fits(Builder *b, const BuiltinParam *param, const Eval *eval)
{
    bool is_type = eval->kind == EVAL_VALUE && eval->value->kind == VALUE_TYPE;
    return !(is_type && !param->is_dtype) && argument_fits(b, eval, param->type);
}

/* Most overloads do not fit the types of the first arguments, which is cheaper to find out than to bind all of them. */
static bool positional_fit(Builder *b, const Builtin *builtin, const Arg *args, uint32_t count)
{
    for (uint32_t i = 0; i < count && !args[i].keyword; i++)
        if (args[i].eval.kind != EVAL_VOID && !builtin_param_fits(b, &builtin->params[i], &args[i].eval))
            return false;
    return true;
}

/* The same for those that have no place among the arguments. */
static bool others_fit(Builder *b, const Builtin *builtin, const Arg *args, uint32_t count, const Bound *bound)
{
    for (uint32_t i = 0; i < builtin->param_count; i++) {
        bool seen = i < count && !args[i].keyword && args[i].eval.kind != EVAL_VOID;
        if (!seen && !bound[i].is_default && !builtin_param_fits(b, &builtin->params[i], &bound[i].eval))
            return false;
    }
    return true;
}

static _Noreturn void fail_no_overload(Builder *b, const char *name, const Arg *args, uint32_t count, const char *hint,
                                       const Node *at)
{
    Text text;
    text_init_in(&text, b->arena);
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            text_lit(&text, ", ");
        text_str(&text, eval_repr(b, &args[i].eval));
    }
    char *types = arena_strndup(b->arena, text.data, text.len);
    for (uint32_t i = 0; i < count; i++)
        if (args[i].eval.kind == EVAL_VAR && args[i].eval.var->type->kind == TYPE_TUPLE)
            unsupported(b, at, "'%s' does not take (%s)", name, types); /* Warp takes tuples in more places */
    fail_hint(b, at, hint, "'%s' does not take (%s)", name, types);
}

enum { SHOWN_OVERLOADS = 4 };

/* "it takes (x: float) or (v: vec3)" */
static const char *builtin_signatures(Builder *b, const BuiltinSet *set)
{
    Text text;
    text_init_in(&text, b->arena);
    text_lit(&text, "it takes ");
    for (uint32_t i = 0; i < set->count && i < SHOWN_OVERLOADS; i++) {
        text_str(&text, i ? " or (" : "(");
        for (uint32_t k = 0; k < set->overloads[i]->param_count; k++) {
            const BuiltinParam *param = &set->overloads[i]->params[k];
            text_format(&text, "%s%s%s: ", k ? ", " : "", param->variadic ? "*" : "", param->name);
            type_repr(param->type, &text);
        }
        text_char(&text, ')');
    }
    text_str(&text, set->count > SHOWN_OVERLOADS ? " or others" : "");
    return text_cstr(&text);
}

/* Operators are calls of builtins that nobody calls by name. */
static const char *overload_hint(Builder *b, const BuiltinSet *set, const Arg *args, uint32_t count, const Node *at)
{
    if (strcmp(set->name, "pow") == 0 && at && at->kind == NODE_BIN_OP && count == 2) {
        const Node *left = at->bin_op.left;
        Text *text = &b->unit->scratch;
        text->len = 0;
        code_segment(b->code, left->start, left->end, text);
        const char *base = arena_strndup(b->arena, text->data, text->len);
        if (left->kind == NODE_NAME || left->kind == NODE_SUBSCRIPT || left->kind == NODE_ATTRIBUTE)
            return arena_format(b->arena, "both must be floats of one type: write %s * %s, or wp.pow(%s, 2.0)", base,
                                base, base);
        return "both must be floats of one type: write wp.pow(x, 2.0)";
    }
    bool scalars = true;
    for (uint32_t i = 0; i < count; i++) {
        const Type *type = eval_type(b, &args[i].eval);
        scalars &= type && type_is_int(type);
    }
    if (at && at->kind != NODE_CALL)
        return NULL;
    const char *signatures = builtin_signatures(b, set);
    bool float_only = scalars && count == 1 && set->overloads[0]->param_count == 1 &&
                      set->overloads[0]->params[0].type->kind == TYPE_ANY_FLOAT;
    return float_only ? arena_format(b->arena, "%s: convert the argument with float(...)", signatures) : signatures;
}

/* "it takes (x: float, by: float)" */
static const char *func_signatures(Builder *b, const Func *head)
{
    Text text;
    text_init_in(&text, b->arena);
    text_lit(&text, "it takes ");
    uint32_t shown = 0;
    for (int generic = 0; generic < 2; generic++) {
        const FuncList *list = generic ? &head->templates : &head->overloads;
        for (uint32_t i = 0; i < list->count && shown < SHOWN_OVERLOADS; i++) {
            const Code *code = &list->items[i]->code;
            if (list->items[i]->generic_parent)
                continue;
            text_str(&text, shown++ ? " or (" : "(");
            for (uint32_t k = 0; k < code->param_count; k++) {
                text_format(&text, "%s%s: ", k ? ", " : "", code->params[k].name->text);
                type_repr(code->params[k].type, &text);
            }
            text_char(&text, ')');
        }
    }
    return text_cstr(&text);
}

static const Builtin *find_builtin(Builder *b, const BuiltinSet *set, const Arg *args, uint32_t count,
                                   uint32_t expected_outputs, Bound *bound)
{
    for (uint32_t i = 0; i < set->count; i++) {
        const Builtin *builtin = set->overloads[i];
        bool variadic = builtin->flags & BUILTIN_VARIADIC;
        if (builtin->param_count > LIMIT_BUILTIN_PARAMS)
            continue;
        if (!variadic && builtin->param_count < count)
            continue;
        if (!variadic && !positional_fit(b, builtin, args, count))
            continue;
        bool binds = bind_builtin(b, builtin, args, count, bound);
        if (!variadic && (!binds || !others_fit(b, builtin, args, count, bound)))
            continue;
        if (expected_outputs && (builtin->result_count != expected_outputs || builtin->result_count < 2))
            continue;
        return binds ? builtin : NULL;
    }
    return NULL;
}

const Builtin *choose_builtin(Builder *b, const BuiltinSet *set, const Arg *args, uint32_t count,
                              uint32_t expected_outputs, Bound *bound, const Node *at)
{
    const Builtin *found = find_builtin(b, set, args, count, expected_outputs, bound);
    b->kinds_erased = !found && b->unit->dialect->query_kinds;
    if (b->kinds_erased)
        found = find_builtin(b, set, args, count, expected_outputs, bound);
    b->kinds_erased = false;
    if (found)
        return found;
    fail_no_overload(b, called_name(set->name, at), args, count, overload_hint(b, set, args, count, at), at);
}

/* ---- functions of the file ---- */

bool bind_params(const Param *params, uint32_t param_count, const Arg *args, uint32_t count, Eval *out,
                 const Node **nodes)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < param_count; i++) {
        out[i] = (Eval){0};
        nodes[i] = NULL;
    }
    for (; next < count && !args[next].keyword; next++) {
        if (next >= param_count)
            return false;
        out[next] = args[next].eval;
        nodes[next] = args[next].node;
    }
    for (; next < count; next++) {
        uint32_t i = 0;
        while (i < param_count && params[i].name != args[next].keyword)
            i++;
        if (i == param_count || out[i].kind != EVAL_VOID)
            return false;
        out[i] = args[next].eval;
        nodes[i] = args[next].node;
    }
    for (uint32_t i = 0; i < param_count; i++)
        if (out[i].kind == EVAL_VOID) {
            if (!params[i].default_value)
                return false;
            out[i] = eval_value(params[i].default_value);
        }
    return true;
}

static bool func_fits(Builder *b, const Func *func, const Arg *args, uint32_t count)
{
    Eval evals[LIMIT_FUNC_PARAMS];
    const Node *nodes[LIMIT_FUNC_PARAMS];
    if (func->code.param_count > LIMIT_FUNC_PARAMS ||
        !bind_params(func->code.params, func->code.param_count, args, count, evals, nodes))
        return false;
    for (uint32_t i = 0; i < func->code.param_count; i++) {
        bool none = evals[i].kind == EVAL_VALUE && evals[i].value->kind == VALUE_NONE;
        if (!none && !argument_fits(b, &evals[i], func->code.params[i].type))
            return false;
    }
    return true;
}

/* Members of enums and tuples of constants are values whose type Warp cannot name. */
static bool names_a_type(Builder *b, const Arg *arg)
{
    if (arg->node && arg->node->kind == NODE_ATTRIBUTE) {
        Name path[LIMIT_PATH];
        uint32_t count;
        const Value *value = resolve_static(b, arg->node, false, path, &count);
        if (value && value->kind == VALUE_ENUM_MEMBER)
            return false;
    }
    const Type *type = arg->eval.kind == EVAL_VAR ? arg->eval.var->type : NULL;
    const Eval *values = type && type->kind == TYPE_TUPLE ? known_parts(b, type) : NULL;
    bool constant = values != NULL;
    for (uint32_t i = 0; constant && i < type->tuple.count; i++)
        constant = values[i].kind == EVAL_VALUE;
    return !constant;
}

/* A copy of a generic function for the given argument types. */
static Func *instantiate(Builder *b, Func *head, Func *template_func, const Arg *args, uint32_t count)
{
    const Code *code = &template_func->code;
    uint32_t defaults = 0;
    for (uint32_t i = 0; i < code->param_count; i++)
        defaults += code->params[i].default_value != NULL;
    uint32_t positional = 0;
    while (positional < count && !args[positional].keyword)
        positional++;
    if (positional + defaults < code->param_count)
        return NULL;
    Func *func = ARENA_NEW(b->unit->arena, Func);
    *func = *template_func;
    func->code.params = ARENA_ARRAY(b->unit->arena, Param, code->param_count);
    memcpy(func->code.params, code->params, code->param_count * sizeof(Param));
    for (uint32_t i = 0; i < code->param_count; i++) {
        Param *param = &func->code.params[i];
        Eval eval = i < positional ? args[i].eval : eval_value(param->default_value);
        if (param->type->kind == TYPE_FUNCTION && is_function(&eval))
            continue;
        const Type *type = eval_type(b, &eval);
        if (!type || (i < positional && !type_matches_template(type, param->type)))
            return NULL;
        if (i < positional && !names_a_type(b, &args[i]))
            return NULL;
        param->type = type;
    }
    func->generic_parent = template_func;
    func->shared_tiles = shared_tile_params(func);
    func->code.has_return = false; /* the template's annotation does not bind an instance */
    func->code.return_type = NULL;
    func->specializations = (FuncList){0};
    func->code.statics = NULL;
    func->code.static_count = func->code.static_cap = 0;
    func->code.static_places = (HashTable){0};
    func->code.statics_told = false; /* those that depend on the types of arguments are known only now */
    code_resolve_statics(b->unit, &func->code);
    b->unit->scratch.len = 0;
    signature_of(b->unit, func->code.params, func->code.param_count, &b->unit->scratch);
    func->signature = arena_strndup(b->unit->arena, b->unit->scratch.data, b->unit->scratch.len);
    add_to_overloads(b->unit->arena, &head->overloads, func);
    return func;
}

static Func *find_fitting(Builder *b, Func *head, const Arg *args, uint32_t count)
{
    for (uint32_t i = 0; i < head->overloads.count; i++)
        if (func_fits(b, head->overloads.items[i], args, count))
            return head->overloads.items[i];
    for (uint32_t i = 0; i < head->templates.count; i++)
        if (func_fits(b, head->templates.items[i], args, count)) {
            Func *func = instantiate(b, head, head->templates.items[i], args, count);
            if (func)
                return func;
        }
    return NULL;
}

Func *find_overload(Builder *b, Func *head, const Arg *args, uint32_t count)
{
    Func *found = find_fitting(b, head, args, count);
    b->kinds_erased = !found && b->unit->dialect->query_kinds;
    if (b->kinds_erased)
        found = find_fitting(b, head, args, count);
    b->kinds_erased = false;
    return found;
}

Func *choose_overload(Builder *b, Func *head, const Arg *args, uint32_t count, const Node *at)
{
    Func *func = find_overload(b, head, args, count);
    if (!func)
        fail_no_overload(b, head->key->text, args, count, func_signatures(b, head), at);
    return func;
}

/* ---- functions as arguments ---- */

static const char *target_native(const Value *target)
{
    return target->kind == VALUE_FUNC ? target->func->native : target->builtin->overloads[0]->native;
}

static const char *target_key(const Value *target)
{
    return target->kind == VALUE_FUNC ? target->func->key->text : target->builtin->name;
}

static bool is_plain_builtin(const BuiltinSet *set)
{
    for (uint32_t i = 0; i < set->count; i++) {
        const Builtin *builtin = set->overloads[i];
        if ((builtin->flags & (BUILTIN_VARIADIC | BUILTIN_SKIP_REPLAY)) || rule_has(builtin->rule, RULE_CALLED_ONLY))
            return false;
    }
    return true;
}

Func *specialize(Builder *b, Func *func, const Eval *evals, const Node *at)
{
    CallableArg *callables = NULL;
    uint32_t count = 0, cap = 0;
    for (uint32_t i = 0; i < func->code.param_count; i++) {
        if (func->code.params[i].type->kind != TYPE_FUNCTION || !is_function(&evals[i]))
            continue;
        const Value *target = evals[i].value;
        if (target->kind == VALUE_BUILTIN && !is_plain_builtin(target->builtin))
            unsupported(
                b, at,
                "the builtin '%s' cannot be passed to a function: only functions with @wp.func and simple builtins can",
                target->builtin->name);
        ARENA_PUSH(b->unit->arena, callables, count, cap) = (CallableArg){func->code.params[i].name, target};
    }
    if (!count)
        return func;
    if (func->custom_grad || func->custom_replay)
        fail(b, at, "a function with a custom gradient or replay cannot take functions");
    for (uint32_t i = 0; i < func->specializations.count; i++) {
        Func *known = func->specializations.items[i];
        bool same = known->callable_count == count;
        for (uint32_t k = 0; same && k < count; k++)
            same = strcmp(target_native(known->callables[k].target), target_native(callables[k].target)) == 0;
        if (same)
            return known;
    }
    Func *clone = ARENA_NEW(b->unit->arena, Func);
    *clone = *func;
    clone->callables = callables;
    clone->callable_count = count;
    clone->code.has_return = func->code.has_return;
    Text text;
    text_init_in(&text, b->arena);
    text_str(&text, func->native);
    for (uint32_t i = 0; i < count; i++) {
        text_str(&text, callables[i].param->text);
        text_str(&text, target_key(callables[i].target));
        text_str(&text, target_native(callables[i].target));
    }
    unsigned char digest[32];
    sha256(text.data, text.len, digest);
    clone->native = arena_format(b->unit->arena, "%s_callable_%02x%02x%02x%02x%02x%02x", func->native, digest[0],
                                 digest[1], digest[2], digest[3], digest[4], digest[5]);
    ARENA_PUSH(b->unit->arena, func->specializations.items, func->specializations.count, func->specializations.cap) =
        clone;
    return clone;
}
