/* Calls: arguments, functions of the file and of the library, overloads. */
#include "eval/ast/number.h"

#include <string.h>

enum { MAX_ARGS = 1024, MAX_DEPTH = 16 };

/* ---- arguments ---- */

/* `*x`; an argument that is left out is not there at all. */
static bool is_unpacked(const Expr *x, uint32_t i)
{
    return x->kids[i] && x->kids[i]->eval == eval_unpack;
}

/* kids[first …], loaded. `*x` arguments are spread. */
void eval_arguments(Evaluator *e, const Expr *x, uint32_t first, Passed *passed)
{
    uint32_t count = x->count - first;
    Datum *args = scratch(e, count * sizeof *args);
    bool starred = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!x->kids[first + i]) {
            args[i] = (Datum){0};
            continue;
        }
        eval(e, x->kids[first + i], &args[i]);
        starred |= is_unpacked(x, first + i);
    }
    for (uint32_t i = 0; i < count; i++)
        if (args[i].kind == DATUM_ELEMENT)
            load_datum(e, &args[i], x->kids[first + i]->offset);
    *passed = (Passed){.args = args, .count = count, .keywords = x->call->keywords ? x->call->keywords + first : NULL};
    if (!starred)
        return;
    uint32_t total = 0, next = 0;
    for (uint32_t i = 0; i < count; i++)
        total += is_unpacked(x, first + i) ? args[i].count : 1;
    if (total > MAX_ARGS || passed->keywords)
        stop_unsupported(e, x->offset, "too many arguments are unpacked");
    Datum *spread = scratch(e, total * sizeof *spread);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_unpacked(x, first + i)) {
            spread[next++] = args[i];
            continue;
        }
        for (uint32_t k = 0; k < args[i].count; k++) {
            spread[next] = args[i].items[k];
            load_datum(e, &spread[next++], x->offset);
        }
    }
    passed->args = spread;
    passed->count = total;
}

/* The argument for parameter `i`; NULL: it is left out. `next` counts the arguments that were found. */
static const Datum *argument_for(const Passed *passed, Name name, uint32_t i, uint32_t *found)
{
    uint32_t positional = passed->count;
    for (uint32_t k = 0; passed->keywords && k < passed->count; k++)
        if (passed->keywords[k]) {
            positional = positional < k ? positional : k;
            if (passed->keywords[k] == name) {
                (*found)++;
                return &passed->args[k];
            }
        }
    if (i >= positional)
        return NULL;
    (*found)++;
    return &passed->args[i];
}

/* ---- overloads ---- */

static bool is_function(const Datum *datum)
{
    return datum->kind == DATUM_STATIC && (datum->value->kind == VALUE_FUNC || datum->value->kind == VALUE_BUILTIN);
}

static bool tile_fits(const Datum *datum, const Type *param)
{
    TypeKind kind = datum->kind == DATUM_TILE ? TYPE_TILE : TYPE_TILE_STACK;
    return param->kind == kind && (!param->tile->dtype || types_match(type_canonical(param->tile->dtype), datum->type));
}

static bool argument_fits(const Datum *datum, const Type *param)
{
    if (param->kind == TYPE_ANY)
        return true;
    if (is_function(datum))
        return param->kind == TYPE_FUNCTION;
    if (datum->kind == DATUM_TUPLE)
        return param->kind == TYPE_TUPLE;
    if (datum->kind == DATUM_TILE || datum->kind == DATUM_STACK)
        return tile_fits(datum, param);
    if (datum->kind != DATUM_VALUE && datum->kind != DATUM_STRUCT && datum->kind != DATUM_ARRAY)
        return false;
    const Type *type = datum->type;
    param = type_canonical(type_strip_reference(param)); /* a wp.ref parameter is refused later, by its name */
    if (param->kind == TYPE_ARRAY && type->kind == TYPE_ARRAY) {
        ArrayClass p = param->array.cls, a = type->array.cls;
        bool related = p == a || (p == ARRAY_PLAIN && a == ARRAY_FIXED) || (p == ARRAY_FIXED && a == ARRAY_PLAIN);
        return related && types_match(type_canonical(param->array.dtype), type_canonical(type->array.dtype));
    }
    return types_match(param, type);
}

static bool func_fits(const Func *func, const Passed *passed)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < func->code.param_count; i++) {
        const Param *param = &func->code.params[i];
        const Datum *datum = argument_for(passed, param->name, i, &found);
        if (!param->type || (!datum && !param->default_value))
            return false;
        if (datum && !argument_fits(datum, param->type))
            return false;
    }
    return found == passed->count;
}

Func *find_func(Evaluator *e, Func *head, const Passed *passed)
{
    (void)e;
    for (uint32_t i = 0; i < head->overloads.count; i++)
        if (func_fits(head->overloads.items[i], passed))
            return head->overloads.items[i];
    for (uint32_t i = 0; i < head->templates.count; i++)
        if (func_fits(head->templates.items[i], passed))
            return head->templates.items[i];
    if (!head->overloads.count && !head->templates.count && func_fits(head, passed))
        return head;
    return NULL;
}

/* ---- running a function ---- */

/* A local array is passed by reference. */
const Type *parameter_type(Evaluator *e, const Datum *given)
{
    const Type *type = given->type;
    if (given->kind != DATUM_ARRAY || type->array.cls != ARRAY_FIXED)
        return type;
    return type_array(e->unit->types, ARRAY_PLAIN, type->array.dtype, type->array.ndim);
}

void bind_parameters(Evaluator *e, const Expr *x, Plan *plan, const Passed *passed)
{
    const Code *code = plan->code;
    uint32_t found = 0;
    for (uint32_t i = 0; i < plan->slot_count; i++)
        plan->slots[i].datum.kind = DATUM_NOTHING;
    for (uint32_t i = 0; i < code->param_count; i++) {
        const Datum *given = argument_for(passed, code->params[i].name, i, &found);
        Datum datum;
        if (given)
            datum = *given;
        else if (!code->params[i].default_value || !datum_of_value(e, code->params[i].default_value, false, &datum))
            stop_unsupported(e, x->offset, "the default of '%s' is not evaluated", code->params[i].name->text);
        Slot *slot = &plan->slots[i];
        slot_set(e, slot, &datum, x->offset);
        if (slot->datum.kind == DATUM_ARRAY)
            slot->datum.type = slot->arrays->type = parameter_type(e, &slot->datum);
    }
}

static void take_result(Evaluator *e, const Expr *x, const Plan *plan, Datum *out)
{
    *out = plan->result.datum;
    if (out->kind == DATUM_VALUE || out->kind == DATUM_STRUCT)
        detach_datum(e, out, x->offset);
    else if (out->kind == DATUM_ARRAY) {
        ArrayView *view = scratch(e, sizeof *view);
        *view = *out->arrays;
        out->arrays = view;
    } else if (out->kind == DATUM_TUPLE) {
        Datum *items = scratch(e, out->count * sizeof *items);
        memcpy(items, out->items, out->count * sizeof *items);
        for (uint32_t i = 0; i < out->count; i++)
            if (items[i].kind == DATUM_VALUE || items[i].kind == DATUM_STRUCT)
                detach_datum(e, &items[i], x->offset);
        out->items = items;
    }
}

void enter_plan(Evaluator *e, const Expr *x, Plan *plan)
{
    if (plan->refused)
        stop_unsupported(e, x->offset, "%s", plan->refused);
    if (plan->base->active || e->depth == MAX_DEPTH)
        stop_unsupported(e, x->offset, "functions call each other too deeply");
    plan->base->active = true;
    e->depth++;
}

void leave_plan(Evaluator *e, Plan *plan, Plan *caller)
{
    e->depth--;
    e->current = caller;
    plan->base->active = false;
}

static void call_plan(Evaluator *e, const Expr *x, Plan *plan, const Passed *passed, Datum *out)
{
    enter_plan(e, x, plan);
    count_step(e, x->offset);
    bind_parameters(e, x, plan, passed);
    Plan *caller = e->current;
    ScratchMark mark = scratch_mark(e);
    plan->result.datum.kind = DATUM_NOTHING;
    run_plan(e, plan);
    leave_plan(e, plan, caller);
    scratch_release(e, mark);
    take_result(e, x, plan, out);
}

void call_overload(Evaluator *e, const Expr *x, Func *func, const Passed *passed, Datum *out)
{
    call_plan(e, x, code_variant(e, plan_of(e, &func->code, func), passed), passed, out);
}

/* ---- call expressions ---- */

/* Argument types as of the last call here? */
static bool seen_before(const CallSite *site, const Passed *passed)
{
    if (!site->seen_plan || site->seen_cap != passed->count)
        return false;
    for (uint32_t i = 0; i < passed->count; i++)
        if (passed->args[i].kind == DATUM_STATIC || passed->args[i].kind == DATUM_TUPLE ||
            site->seen[i] != passed->args[i].type)
            return false;
    return true;
}

static void remember(Evaluator *e, CallSite *site, const Passed *passed, Plan *plan)
{
    if (site->seen_cap != passed->count || !site->seen) {
        site->seen = ARENA_ARRAY(e->arena, const Type *, passed->count + 1);
        site->seen_cap = passed->count;
    }
    for (uint32_t i = 0; i < passed->count; i++)
        site->seen[i] = passed->args[i].type;
    site->seen_plan = plan;
}

Plan *plan_for(Evaluator *e, const Expr *x, const Value *callee, const Passed *passed)
{
    if (callee->kind != VALUE_FUNC)
        stop_unsupported(e, x->offset, "%s cannot be called", value_kind_name(callee->kind));
    CallSite *site = x->call;
    if (site->callee == callee && seen_before(site, passed))
        return site->seen_plan;
    Func *head = callee->func->head ? callee->func->head : callee->func;
    Func *func = find_func(e, head, passed);
    if (!func)
        stop_unsupported(e, x->offset, "no overload of '%s' takes these arguments", head->key->text);
    Plan *plan = code_variant(e, plan_of(e, &func->code, func), passed);
    if (site->callee == callee)
        remember(e, site, passed, plan);
    return plan;
}

void call_given(Evaluator *e, const Expr *x, const Value *callee, const Passed *passed, Datum *out)
{
    if (callee->kind == VALUE_TYPE) {
        construct_value(e, x, callee->type, passed, out);
        return;
    }
    if (callee->kind == VALUE_BUILTIN) {
        const BuiltinRow *row = builtin_row(callee->builtin->name);
        if (!row || passed->count < row->min_args || passed->count > row->max_args || passed->keywords)
            stop_unsupported(e, x->offset, "the builtin '%s' is not evaluated", callee->builtin->name);
        *out = (Datum){0};
        Call call = {e, x, passed->args, passed->count, row->variant, out};
        row->function(&call);
        return;
    }
    call_plan(e, x, plan_for(e, x, callee, passed), passed, out);
}

void eval_call_value(Evaluator *e, const Expr *x, Datum *out)
{
    const Value *callee = x->call->callee;
    if (callee->kind == VALUE_TYPE && wide_literal(e, x, callee->type, out))
        return;
    Passed passed;
    eval_arguments(e, x, 0, &passed);
    call_given(e, x, callee, &passed, out);
}

void eval_call_dynamic(Evaluator *e, const Expr *x, Datum *out)
{
    Datum callee;
    Passed passed;
    eval(e, x->kids[0], &callee);
    if (callee.kind != DATUM_STATIC)
        stop_unsupported(e, x->offset, "%s cannot be called", datum_text(e, &callee));
    eval_arguments(e, x, 1, &passed);
    call_given(e, x, callee.value, &passed, out);
}

void eval_call_builtin(Evaluator *e, const Expr *x, Datum *out)
{
    const BuiltinRow *row = x->call->row;
    Datum local[6];
    Passed passed;
    bool simple = x->count <= 6;
    for (uint32_t i = 0; simple && i < x->count; i++)
        simple = x->kids[i] && !is_unpacked(x, i);
    if (simple) {
        for (uint32_t i = 0; i < x->count; i++)
            eval(e, x->kids[i], &local[i]);
        for (uint32_t i = 0; i < x->count; i++)
            if (local[i].kind == DATUM_ELEMENT)
                load_datum(e, &local[i], x->kids[i]->offset);
        passed = (Passed){.args = local, .count = x->count};
    } else
        eval_arguments(e, x, 0, &passed);
    if (passed.count < row->min_args || passed.count > row->max_args)
        stop_unsupported(e, x->offset, "'%s' with %u arguments is not evaluated", row->name, passed.count);
    *out = (Datum){0};
    Call call = {e, x, passed.args, passed.count, row->variant, out};
    row->function(&call);
}
