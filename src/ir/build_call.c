/* Calls: builtins, functions, constructors, wp.static, wp.grad. */
#include "ir/build.h"
#include "ir/build_bind.h"
#include "ir/tile_history.h"

#include <math.h>
#include <string.h>

/* ---- making the call node ---- */

/* Turns a pending constant into a variable. */
static Eval register_eval(Builder *b, Eval eval, const Node *at)
{
    if (eval.kind == EVAL_VAR || eval.kind == EVAL_OPERAND)
        return eval;
    if (eval.kind == EVAL_VALUE &&
        (value_is_constant(eval.value) || eval.value->kind == VALUE_STR || eval.value->kind == VALUE_STRUCT))
        return eval_var(add_constant(b, eval.value));
    if (eval.kind == EVAL_LIST)
        fail(b, at, "a call with several results cannot be an argument");
    fail(b, at, "%s cannot be an argument here", eval_repr(b, &eval));
}

static bool is_called(const IrFunction *function, const Func *func)
{
    if (function->many_called.count)
        return table_has(&function->many_called, func);
    for (uint32_t i = 0; i < function->called.count; i++)
        if (function->called.items[i] == func)
            return true;
    return false;
}

static void note_called(Builder *b, Func *func)
{
    enum { FEW = 16 };
    FuncList *called = &b->function->called;
    HashTable *many = &b->function->many_called;
    if (is_called(b->function, func))
        return;
    ARENA_PUSH(b->arena, called->items, called->count, called->cap) = func;
    for (uint32_t i = many->count; called->count > FEW && i < called->count; i++)
        table_add(many, b->arena, called->items[i]);
}

static bool used_by_backward(Builder *b)
{
    if (b->func)
        return b->func->used_by_backward;
    for (uint32_t i = 0; i < b->kernel->option_count; i++)
        if (strcmp(b->kernel->options[i].name, "enable_backward") == 0) {
            bool known;
            return value_is_true(b->kernel->options[i].value, &known);
        }
    return true;
}

static void inherit_flags(Builder *b, Func *func)
{
    if (used_by_backward(b))
        func->used_by_backward = true;
    if (b->func && b->func->force_adjoint)
        func->force_adjoint = true;
}

/* An argument, and what its adjoint is added to. */
static void set_operand(Builder *b, IrCall *call, uint32_t i, const Eval *eval, bool by_reference)
{
    if (eval->kind == EVAL_OPERAND) {
        call->args[i] = call->adj_args[i] = *eval->operand;
        return;
    }
    call->adj_args[i] = (IrOperand){.kind = OPERAND_VAR, .var = eval->var};
    call->args[i] = (IrOperand){.kind = OPERAND_VAR, .var = by_reference ? eval->var : load(b, eval->var)};
}

/* Arguments and outputs are left over from others. */
static IrCall *new_raw_call(Builder *b, uint32_t arg_count, uint32_t output_count)
{
    size_t args_size = arg_count * sizeof(IrOperand), outputs_size = output_count * sizeof(IrVar *);
    char *memory = arena_take(b->arena, sizeof(IrCall) + 2 * args_size + outputs_size); /* all in one piece */
    IrCall *call = (IrCall *)(void *)memory;
    IrOperand *args = (IrOperand *)(void *)(memory + sizeof(IrCall));
    *call = (IrCall){.args = args,
                     .adj_args = args + arg_count,
                     .arg_count = arg_count,
                     .outputs = (IrVar **)(void *)(args + 2 * arg_count),
                     .output_count = output_count};
    return call;
}

static IrCall *new_call(Builder *b, uint32_t arg_count, uint32_t output_count)
{
    IrCall *call = new_raw_call(b, arg_count, output_count);
    memset(call->args, 0, 2 * arg_count * sizeof(IrOperand));
    memset(call->outputs, 0, output_count * sizeof(IrVar *));
    return call;
}

static Eval call_result(const IrCall *call)
{
    if (call->output_count == 0)
        return (Eval){.kind = EVAL_VOID};
    if (call->output_count == 1)
        return eval_var(call->outputs[0]);
    return (Eval){.kind = EVAL_LIST, .list = call->outputs, .count = call->output_count};
}

/* ---- builtins ---- */

/* wp.float64, wp.int64, wp.uint64 */
static bool may_be_wide(const Builtin *builtin)
{
    if (builtin->rule != RESULT_LISTED || builtin->param_count != 1 || builtin->result_count != 1)
        return false;
    TypeKind kind = builtin->results[0]->kind;
    return (kind == TYPE_FLOAT64 && !strcmp(builtin->name, "float64")) ||
           (kind == TYPE_INT64 && !strcmp(builtin->name, "int64")) ||
           (kind == TYPE_UINT64 && !strcmp(builtin->name, "uint64"));
}

/* wp.float64(0.1) and its kin: the literal itself in full precision, not a narrowed variable. */
static bool is_wide_literal(const Builtin *builtin, const Bound *bound, Number *number)
{
    if (!may_be_wide(builtin) || bound[0].eval.kind != EVAL_VAR || !bound[0].eval.var->constant)
        return false;
    return value_as_number(bound[0].eval.var->constant, true, number) && (number->is_int || !isnan(number->real));
}

static Eval set_wide_literal(Builder *b, const Builtin *builtin, IrVar *var, Number number, const Node *at)
{
    if (var->constant->kind == VALUE_BOOL)
        unsupported(b, at, "converting a constant bool to %s is not supported", builtin->name);
    var->type = builtin->results[0];
    var->constant = NULL;
    IrNode *node = add_node(b, IR_SET_LITERAL);
    node->literal.target = var;
    node->literal.value = value_scalar(b->unit->arena, var->type, number);
    return eval_var(var);
}

/* With variables for its results. */
static IrCall *begin_call(Builder *b, const Builtin *builtin, const Type *const *types, uint32_t output_count,
                          uint32_t arg_count)
{
    IrCall *call = new_raw_call(b, arg_count, output_count);
    for (uint32_t i = 0; i < output_count; i++)
        call->outputs[i] = add_var(b, types[i], NULL);
    call->builtin = builtin;
    call->reverse = !(builtin->flags & BUILTIN_NO_ADJOINT) && arg_count;
    call->reverse_has_templates = builtin->flags & BUILTIN_ADJOINT_TEMPLATE;
    call->replay = builtin->flags & BUILTIN_SKIP_REPLAY ? REPLAY_NOTHING : REPLAY_SAME;
    call->reverse_takes_outputs = (builtin->flags & BUILTIN_NEEDS_OUTPUT) || output_count > 1;
    return call;
}

static Eval end_call(Builder *b, IrCall *call)
{
    add_node(b, IR_CALL)->call = call;
    return call_result(call);
}

/* What is known of a builtin that is called: the types of the results, and what the native function gets. */
Eval make_call(Builder *b, const Builtin *builtin, const Type *const *types, uint32_t output_count, Dispatch *dispatch,
               const Node *at)
{
    IrCall *call = begin_call(b, builtin, types, output_count, dispatch->arg_count);
    for (uint32_t i = 0; i < dispatch->arg_count; i++)
        dispatch->args[i] = dispatch->args[i].kind == EVAL_VOID && output_count
                                ? eval_var(call->outputs[0])
                                : register_eval(b, dispatch->args[i], at);
    for (uint32_t i = 0; i < dispatch->arg_count; i++)
        set_operand(b, call, i, &dispatch->args[i], !i && dispatch->by_reference);
    call->template_count = dispatch->template_count;
    if (call->template_count) {
        IrTemplateArg *templates = ARENA_ARRAY(b->arena, IrTemplateArg, call->template_count);
        memcpy(templates, dispatch->template_args, call->template_count * sizeof *templates);
        call->template_args = templates;
    }
    call->initializer_list = dispatch->initializer_list;
    call->reverse &= !dispatch->no_reverse;
    return end_call(b, call);
}

/* ---- builtins that were called before ---- */

enum { KNOWN_ARGS = 6 }; /* array_store() of an array of four dimensions */

/* A call of which the types of the arguments say everything. Where all units share these types, it is known to all of them. */
struct KnownCall {
    const BuiltinSet *set;
    uint32_t count, expected_outputs;
    const Type *types[KNOWN_ARGS];
    const Builtin *builtin;
    const Type *outputs[4];
    uint32_t output_count;
    bool by_reference; /* the first argument */
};

KnownCalls *known_calls_new(Arena *arena, uint32_t count)
{
    KnownCalls *calls = ARENA_NEW(arena, KnownCalls);
    calls->arena = arena;
    calls->slots = ARENA_ARRAY(arena, KnownCall *, count);
    calls->count = count;
    return calls;
}

static KnownCalls *known_calls(Builder *b, bool shared)
{
    enum { OF_KERNEL = 32 };
    if (shared && b->unit->calls)
        return b->unit->calls;
    if (!b->module->known_calls)
        b->module->known_calls = known_calls_new(b->arena, OF_KERNEL);
    return b->module->known_calls;
}

static bool is_known(const KnownCall *known, const BuiltinSet *set, const Arg *args, uint32_t count,
                     uint32_t expected_outputs)
{
    if (known->set != set || known->count != count || known->expected_outputs != expected_outputs)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (known->types[i] != args[i].eval.var->type)
            return false;
    return true;
}

/* Where such a call is kept, or would be (not `again`); NULL: this is not one. Of two places for it, the first has what was called
 * last. */
static KnownCall *known_call(Builder *b, const BuiltinSet *set, const Arg *args, uint32_t count,
                             uint32_t expected_outputs, bool *again)
{
    uint64_t hash = ((uintptr_t)set ^ expected_outputs) * 0x9e3779b97f4a7c15u;
    bool shared = true;
    if (count > KNOWN_ARGS)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (args[i].keyword || args[i].eval.kind != EVAL_VAR || type_is_tile(args[i].eval.var->type))
            return NULL; /* what a tile gives depends on where it is kept now */
        shared &= args[i].eval.var->type->shared;
        hash = (hash ^ (uintptr_t)args[i].eval.var->type) * 0x9e3779b97f4a7c15u;
    }
    KnownCalls *calls = known_calls(b, shared);
    KnownCall **pair = &calls->slots[hash >> 32 & (calls->count - 2)];
    *again = pair[0] && is_known(pair[0], set, args, count, expected_outputs);
    if (*again)
        return pair[0];
    KnownCall *older = pair[1] ? pair[1] : ARENA_NEW(calls->arena, KnownCall);
    pair[1] = pair[0];
    pair[0] = older;
    *again = is_known(older, set, args, count, expected_outputs);
    return older;
}

static Eval call_again(Builder *b, const KnownCall *known, const Arg *args)
{
    uint32_t count = known->count;
    bool by_reference = known->by_reference; /* reading an argument may be a call that takes the place of this one */
    IrCall *call = begin_call(b, known->builtin, known->outputs, known->output_count, count);
    for (uint32_t i = 0; i < count; i++)
        set_operand(b, call, i, &args[i].eval, !i && by_reference);
    return end_call(b, call);
}

/* Does the rule look at types alone, and does the native function get what was given? */
static bool depends_on_types(const RuleCall *rule, const Dispatch *dispatch, const Arg *args, uint32_t count)
{
    if (!rule_has(rule->builtin->rule, RULE_BY_TYPES) || may_be_wide(rule->builtin) || dispatch->arg_count != count ||
        dispatch->template_count || dispatch->initializer_list)
        return false;
    bool shared = true, gives_shared = true;
    for (uint32_t i = 0; i < count; i++) {
        if (dispatch->args[i].kind != EVAL_VAR || dispatch->args[i].var != args[i].eval.var)
            return false;
        shared &= args[i].eval.var->type->shared;
    }
    for (uint32_t i = 0; i < rule->output_count; i++)
        gives_shared &= rule->outputs[i]->shared;
    return gives_shared || !shared; /* else units would know a type of another one */
}

static void remember(KnownCall *known, const BuiltinSet *set, const Arg *args, uint32_t count,
                     uint32_t expected_outputs, const RuleCall *rule, const Dispatch *dispatch)
{
    known->set = set;
    known->count = count;
    known->expected_outputs = expected_outputs;
    for (uint32_t i = 0; i < count; i++)
        known->types[i] = args[i].eval.var->type;
    known->builtin = rule->builtin;
    for (uint32_t i = 0; i < rule->output_count; i++)
        known->outputs[i] = rule->outputs[i];
    known->output_count = rule->output_count;
    known->by_reference = dispatch->by_reference;
}

/* Functions, modules and the like have no type: no rule need look at them. */
static bool takes_functions(const BuiltinSet *set)
{
    return set->overloads[0]->param_count && set->overloads[0]->params[0].type->kind == TYPE_FUNCTION;
}

static void check_arguments(Builder *b, const BuiltinSet *set, const Arg *args, uint32_t count, const Node *at)
{
    const char *name = set->name;
    for (uint32_t i = 0; i < count; i++) {
        const Eval *eval = &args[i].eval;
        if (eval->kind != EVAL_VALUE || eval_type(b, eval))
            continue;
        bool is_func = eval->value->kind == VALUE_FUNC || eval->value->kind == VALUE_BUILTIN;
        if (is_func && takes_functions(set))
            continue;
        fail_hint(b, args[i].node ? args[i].node : at, is_func ? "call it, and pass its result" : NULL,
                  "%s cannot be an argument of '%s'", value_kind_name(eval->value->kind), called_name(name, at));
    }
}

Eval call_set(Builder *b, const BuiltinSet *set, const Arg *args, uint32_t count, const Type *constructed,
              uint32_t expected_outputs, const Node *at)
{
    Bound bound[LIMIT_BUILTIN_PARAMS];
    Number number;
    bool again = false;
    KnownCall *known = constructed ? NULL : known_call(b, set, args, count, expected_outputs, &again);
    if (!known)
        check_arguments(b, set, args, count, at);
    const Builtin *builtin = again ? known->builtin : choose_builtin(b, set, args, count, expected_outputs, bound, at);
    if (b->unit->keep_types && at)
        expr_info_of(b, at)->builtin = builtin;
    if (again)
        return call_again(b, known, args);
    if (is_wide_literal(builtin, bound, &number))
        return set_wide_literal(b, builtin, bound[0].eval.var, number, at);
    RuleCall rule = {.builder = b,
                     .builtin = builtin,
                     .bound = bound,
                     .bound_count = builtin->param_count,
                     .constructed = constructed,
                     .at = at};
    rule_result(&rule);
    if (rule.replaced)
        return eval_var(rule.replaced);
    Dispatch dispatch;
    rule_dispatch(&rule, &dispatch);
    if (known && depends_on_types(&rule, &dispatch, args, count))
        remember(known, set, args, count, expected_outputs, &rule, &dispatch);
    return make_call(b, builtin, rule.outputs, rule.output_count, &dispatch, at);
}

enum { USUAL_ARGS = 8 };

/* The builder calls a few builtins again and again, most of them by literals: those are found by where the name stands. */
static const BuiltinSet *find_named(Builder *b, const char *name)
{
    if (!b->unit->calls)
        return builtin_find(b->unit->builtins, name, strlen(name));
    const BuiltinSet **recent = &b->unit->calls->named[hash_address(name) % RECENT_NAMED];
    if (!*recent || strcmp((*recent)->name, name) != 0) {
        const BuiltinSet *found = builtin_find(b->unit->builtins, name, strlen(name));
        if (!found)
            return NULL;
        *recent = found;
    }
    return *recent;
}

static Eval call_named(Builder *b, const char *name, const Arg *args, uint32_t count, const Node *at)
{
    const BuiltinSet *set = find_named(b, name);
    if (!set)
        unsupported(b, at, "the builtin '%s' is not supported here", name);
    return call_set(b, set, args, count, NULL, 0, at);
}

Eval call_builtin_evals(Builder *b, const char *name, const Eval *evals, uint32_t count, const Node *at)
{
    Arg args[20];
    if (count > 20)
        unsupported(b, at, "the builtin '%s' is not supported here", name);
    for (uint32_t i = 0; i < count; i++)
        args[i] = (Arg){.eval = evals[i]};
    return call_named(b, name, args, count, at);
}

Eval call_builtin(Builder *b, const char *name, IrVar **vars, uint32_t count, const Node *at)
{
    Arg few[USUAL_ARGS], *args = count <= USUAL_ARGS ? few : ARENA_ARRAY(b->arena, Arg, count);
    for (uint32_t i = 0; i < count; i++)
        args[i] = (Arg){.eval = eval_var(vars[i])};
    return call_named(b, name, args, count, at);
}

/* ---- functions of the file ---- */

static uint32_t count_named_views(const IrPath *origin)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i + 1 < origin->step_count; i++)
        count += origin->steps[i].kind == STEP_VIEW;
    return count;
}

static void pass_reference(Builder *b, IrCall *call, uint32_t i, const Node *node, const Eval *eval, const Type *param,
                           const Node *at)
{
    const IrPath *origin;
    const char *purpose = arena_format(b->arena, "a wp.ref[%s] parameter", repr(b, param->target));
    call->args[i] = reference_operand(b, node ? node : at, eval, param, purpose, &origin);
    call->adj_args[i] = (IrOperand){.kind = OPERAND_POINTER, .origin = origin, .first_view = b->labels};
    b->labels += count_named_views(origin);
}

static uint32_t func_outputs(Builder *b, const Func *func, const IrFunction *built, const Type **types, uint32_t max,
                             const Node *at)
{
    const Type *annotated = func->code.has_return ? func->code.return_type : NULL;
    uint32_t count = annotated ? (annotated->kind == TYPE_TUPLE ? annotated->tuple.count : 1) : built->return_count;
    if (count > max)
        fail(b, at, "function '%s' returns too many values", func->key->text);
    for (uint32_t i = 0; i < count; i++)
        types[i] = !annotated                      ? built->returns[i]->type
                   : annotated->kind == TYPE_TUPLE ? annotated->tuple.types[i]
                                                   : annotated;
    return count;
}

IrFunction *build_callee(Builder *b, Func *func, const Node *at)
{
    note_called(b, func);
    inherit_flags(b, func);
    bool fresh = !table_has(&b->module->begun, func);
    IrFunction *built = build_function(b, func, at);
    FuncList *deferred = &b->module->deferred_functions;
    if (fresh && func->custom_grad)
        ARENA_PUSH(b->arena, deferred->items, deferred->count, deferred->cap) = func->custom_grad;
    if (fresh && func->custom_replay)
        ARENA_PUSH(b->arena, deferred->items, deferred->count, deferred->cap) = func->custom_replay;
    return built;
}

Eval call_func(Builder *b, Func *head, const Arg *args, uint32_t count, const Node *at)
{
    Eval evals[LIMIT_FUNC_PARAMS];
    const Node *nodes[LIMIT_FUNC_PARAMS];
    Func *func = choose_overload(b, head, args, count, at);
    bind_params(func->code.params, func->code.param_count, args, count, evals, nodes);
    func = specialize(b, func, evals, at);
    check_tiles_of_call(b, func, evals, at);
    if (b->unit->keep_types && at)
        expr_info_of(b, at)->func = func;
    IrFunction *built = build_callee(b, func, at);
    const Type *types[LIMIT_RESULTS];
    uint32_t output_count = func_outputs(b, func, built, types, LIMIT_RESULTS, at);
    IrVar *outputs[LIMIT_RESULTS];
    for (uint32_t i = 0; i < output_count; i++)
        outputs[i] = add_var(b, types[i], NULL);
    /* Functions given as arguments are known now and are not passed. */
    uint32_t passed = 0;
    bool has_references = false;
    for (uint32_t i = 0; i < func->code.param_count; i++) {
        const Type *type = func->code.params[i].type;
        if (type->kind == TYPE_FUNCTION)
            continue;
        has_references |= type->kind == TYPE_REF;
        evals[passed] = register_eval(b, evals[i], nodes[i] ? nodes[i] : at);
        nodes[passed++] = nodes[i];
    }
    IrCall *call = new_call(b, passed, output_count);
    call->func = func;
    for (uint32_t i = 0, k = 0; i < func->code.param_count; i++) {
        const Type *type = func->code.params[i].type;
        if (type->kind == TYPE_FUNCTION)
            continue;
        if (type->kind == TYPE_REF)
            pass_reference(b, call, k, nodes[k], &evals[k], type, at);
        else
            set_operand(b, call, k, &evals[k], false);
        k++;
    }
    memcpy(call->outputs, outputs, output_count * sizeof *outputs);
    bool custom_replay = output_count < 2 && (func->custom_replay || (output_count == 0 && func->replay_snippet));
    call->replay = custom_replay ? REPLAY_CUSTOM : REPLAY_SAME;
    call->reverse = passed && !func->uses_grad;
    call->reverse_takes_outputs = output_count > 1 && !func->custom_grad;
    FuncList *checked = &b->function->reference_calls;
    if (call->reverse && has_references && !func->custom_grad && !(func->snippet && func->adj_snippet))
        ARENA_PUSH(b->arena, checked->items, checked->count, checked->cap) = func;
    add_node(b, IR_CALL)->call = call;
    return call_result(call);
}

Func *operator_overload(Builder *b, const char *name, const Arg *args, uint32_t count)
{
    NameTable *names = b->unit->names;
    bool may_be = names_may_have(names, WATCH_OPERATOR);
    const Value *value = may_be ? scope_find(b->code->scope, name_cstr(names, name)) : NULL;
    if (!value || value->kind != VALUE_FUNC)
        return NULL;
    return find_overload(b, value->func, args, count) ? value->func : NULL;
}

/* ---- struct constructors ---- */

Eval call_struct(Builder *b, const Type *type, const Arg *args, uint32_t count, const Node *at)
{
    const StructDecl *decl = type->decl;
    Eval evals[LIMIT_FUNC_PARAMS];
    const Node *nodes[LIMIT_FUNC_PARAMS];
    Param params[LIMIT_FUNC_PARAMS];
    if (decl->field_count > LIMIT_FUNC_PARAMS)
        unsupported(b, at, "a struct with more than %d fields cannot be made in a kernel", LIMIT_FUNC_PARAMS);
    uint32_t passed = count ? decl->field_count : 0;
    for (uint32_t i = 0; i < passed; i++)
        params[i] = (Param){.name = decl->fields[i].name, .type = type_canonical(decl->fields[i].type)};
    if (passed && !bind_params(params, passed, args, count, evals, nodes))
        fail(b, at, "struct '%s' is made from a value for each of its %s, or from nothing", decl->key->text,
             counted(b, decl->field_count, "field"));
    for (uint32_t i = 0; i < passed; i++) {
        const Type *given = eval_type(b, &evals[i]);
        if (!given || !types_match(params[i].type, given))
            fail(b, at, "field '%s' of struct '%s' is of type %s, not %s", params[i].name->text, decl->key->text,
                 repr(b, params[i].type), eval_repr(b, &evals[i]));
    }
    IrVar *output = add_var(b, type, NULL);
    for (uint32_t i = 0; i < passed; i++)
        evals[i] = register_eval(b, evals[i], at);
    IrCall *call = new_call(b, passed, 1);
    call->constructed = decl;
    for (uint32_t i = 0; i < passed; i++)
        set_operand(b, call, i, &evals[i], false);
    call->outputs[0] = output;
    call->reverse = passed > 0;
    add_node(b, IR_CALL)->call = call;
    return eval_var(output);
}

/* ---- wp.grad ---- */

static IrVar *add_target(Builder *b, IrKind kind, const Type *type)
{
    IrVar *var = add_var(b, type, NULL);
    add_node(b, kind)->target = var;
    return var;
}

/* The gradients as one value: a tuple, where there are several. */
static Eval grad_result(Builder *b, IrVar **results, const Type **types, uint32_t count)
{
    if (count == 1)
        return eval_var(results[0]);
    const Type *tuple = type_tuple(b->unit->types, types, count, TUPLE_VALUE);
    IrCall *make = new_call(b, count, 1);
    make->outputs[0] = add_var(b, tuple, NULL);
    for (uint32_t i = 0; i < count; i++)
        make->args[i] = (IrOperand){.kind = OPERAND_VAR, .var = results[i]};
    add_node(b, IR_MAKE_TUPLE)->call = make;
    return eval_var(make->outputs[0]);
}

static bool has_concrete_overload(const Type *type)
{
    bool small = type_is_composite(type) && type->composite.rows <= 4 &&
                 (type->kind != TYPE_MAT || type->composite.rows == type->composite.cols);
    return type_is_scalar(type) || small;
}

static Eval grad_of_builtin(Builder *b, const BuiltinSet *set, const Arg *args, uint32_t count, const Node *at)
{
    Bound bound[LIMIT_BUILTIN_PARAMS];
    check_arguments(b, set, args, count, at);
    const Builtin *builtin = choose_builtin(b, set, args, count, 0, bound, at);
    RuleCall rule = {.builder = b, .builtin = builtin, .bound = bound, .bound_count = builtin->param_count, .at = at};
    if (builtin->flags & BUILTIN_NO_ADJOINT)
        fail(b, at, "'%s' has no gradient", set->name);
    bool plain = rule_has(builtin->rule, RULE_GRAD);
    for (uint32_t i = 0; i < builtin->param_count; i++)
        plain &= bound[i].eval.kind == EVAL_VAR && has_concrete_overload(eval_type(b, &bound[i].eval));
    if (!plain)
        unsupported(b, at, "wp.grad() of this builtin is not supported");
    rule_result(&rule);
    if (rule.output_count != 1)
        unsupported(b, at, "wp.grad() of a builtin with several results is not supported");
    uint32_t inputs = builtin->param_count, next = 0;
    bool with_output = builtin->flags & BUILTIN_NEEDS_OUTPUT;
    IrCall *adjoint = new_call(b, inputs * 2 + with_output + 1, 0);
    adjoint->builtin = builtin;
    const Type **types = ARENA_ARRAY(b->unit->arena, const Type *, inputs);
    IrVar *results[LIMIT_BUILTIN_PARAMS];
    for (uint32_t i = 0; i < inputs; i++) {
        types[i] = eval_type(b, &bound[i].eval);
        adjoint->args[next++] = (IrOperand){.kind = OPERAND_VAR, .var = load(b, bound[i].eval.var)};
    }
    if (with_output) {
        IrCall *forward = new_call(b, inputs, 1);
        forward->builtin = builtin;
        memcpy(forward->args, adjoint->args, inputs * sizeof *forward->args);
        forward->outputs[0] = add_var(b, rule.outputs[0], NULL);
        add_node(b, IR_CALL)->call = forward;
        adjoint->args[next++] = (IrOperand){.kind = OPERAND_VAR, .var = forward->outputs[0]};
    }
    for (uint32_t i = 0; i < inputs; i++) {
        results[i] = add_target(b, IR_ZERO, types[i]);
        adjoint->args[next++] = (IrOperand){.kind = OPERAND_VAR, .var = results[i]};
    }
    adjoint->args[next++] = (IrOperand){.kind = OPERAND_VAR, .var = add_target(b, IR_ONE, rule.outputs[0])};
    add_node(b, IR_ADJOINT_CALL)->call = adjoint;
    if (b->func && !b->func->custom_reverse)
        b->func->uses_grad = true;
    return grad_result(b, results, types, inputs);
}

Eval call_grad(Builder *b, const Value *target, const Arg *args, uint32_t count, const Node *at)
{
    Eval evals[LIMIT_FUNC_PARAMS];
    const Node *nodes[LIMIT_FUNC_PARAMS];
    const Type *types[LIMIT_RESULTS];
    if (target->kind == VALUE_BUILTIN)
        return grad_of_builtin(b, target->builtin, args, count, at);
    Func *func = choose_overload(b, target->func, args, count, at);
    bind_params(func->code.params, func->code.param_count, args, count, evals, nodes);
    func = specialize(b, func, evals, at);
    if (b->func && !b->func->custom_reverse)
        b->func->uses_grad = true;
    func->force_adjoint = true;
    IrFunction *built = build_function(b, func, at);
    uint32_t result_count = func_outputs(b, func, built, types, LIMIT_RESULTS, at);
    if (!result_count)
        fail(b, at, "function '%s' returns nothing: it has no gradient", func->key->text);
    uint32_t inputs = 0;
    for (uint32_t i = 0; i < func->code.param_count; i++)
        if (func->code.params[i].type->kind != TYPE_FUNCTION) {
            if (evals[i].kind != EVAL_VAR)
                unsupported(b, at, "a call of wp.grad() must name every argument: default values are not supported");
            evals[inputs++] = evals[i];
        }
    uint32_t extra = result_count > 1 ? result_count : 0;
    IrCall *adjoint = new_call(b, inputs * 2 + extra + result_count, 0);
    adjoint->func = func;
    uint32_t next = 0;
    for (uint32_t i = 0; i < inputs; i++)
        adjoint->args[next++] = (IrOperand){.kind = OPERAND_VAR, .var = load(b, evals[i].var)};
    if (extra) {
        IrCall *forward = new_call(b, inputs, result_count);
        forward->func = func;
        memcpy(forward->args, adjoint->args, inputs * sizeof *forward->args);
        for (uint32_t i = 0; i < result_count; i++) {
            forward->outputs[i] = add_var(b, types[i], NULL);
            adjoint->args[next++] = (IrOperand){.kind = OPERAND_VAR, .var = forward->outputs[i]};
        }
        add_node(b, IR_CALL)->call = forward;
    }
    IrVar *results[LIMIT_FUNC_PARAMS];
    const Type **result_types = ARENA_ARRAY(b->unit->arena, const Type *, inputs);
    for (uint32_t i = 0, k = 0; i < func->code.param_count; i++)
        if (func->code.params[i].type->kind != TYPE_FUNCTION) {
            result_types[k] = func->code.params[i].type;
            results[k] = add_target(b, IR_ZERO, result_types[k]);
            adjoint->args[next++] = (IrOperand){.kind = OPERAND_VAR, .var = results[k++]};
        }
    for (uint32_t i = 0; i < result_count; i++)
        adjoint->args[next++] = (IrOperand){.kind = OPERAND_VAR, .var = add_target(b, IR_ONE, types[i])};
    add_node(b, IR_ADJOINT_CALL)->call = adjoint;
    return grad_result(b, results, result_types, inputs);
}
