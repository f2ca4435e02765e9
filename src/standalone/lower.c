/* Syntax tree to steps: variables and statements. */
#include "standalone/model.h"

#include <stdarg.h>
#include <string.h>

enum { MAX_NESTING = 100 };

_Noreturn void refuse(Translator *t, const Node *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->reason = arena_format_list(t->arena, format, args);
    va_end(args);
    const Code *kernel = t->module->kernel->code;
    t->offset =
        at ? place_in_kernel(kernel, t->current ? t->current->source->code : kernel, at->start) : kernel->def->start;
    longjmp(t->refused, 1);
}

const Type *strip(const Type *type)
{
    return type_canonical(type_strip_reference(type));
}

const ExprInfo *info_at(Translator *t, const Node *node)
{
    static const ExprInfo nothing;
    const ExprInfo *info = ir_expr_info(t->current->source, node);
    return info ? info : &nothing;
}

/* ---- variables ---- */

void bind_var(Translator *t, Var *var, Name name)
{
    TableSlot *slot = table_add(&t->current->by_name, t->arena, name);
    var->name = name;
    var->older = slot->item;
    slot->item = var;
}

Var *new_var(Translator *t, Name name, const Type *type, const char *text)
{
    Var *var = ARENA_NEW(t->arena, Var);
    VarList *vars = &t->current->vars;
    var->number = vars->count;
    var->bit = one_bit(t, var->number);
    var->name = name;
    var->type = type;
    var->text = name ? local_name(t, name->text) : generated_name(t, text);
    var->label = (Piece){.text = var->text, .tight = TIGHT_NAME, .is_plain = true};
    if (!type || type->kind != TYPE_ARRAY)
        var->label.uses = var->bit;
    note_var_name(t, var->text, true);
    if (name)
        bind_var(t, var, name);
    return ARENA_PUSH(t->arena, vars->items, vars->count, vars->cap) = var;
}

/* The newest variable of that name; with a type: of that type. */
Var *find_var(Translator *t, Name name, const Type *type)
{
    const TableSlot *slot = table_find(&t->current->by_name, name);
    for (Var *var = slot ? slot->item : NULL; var; var = var->older)
        if (!type || (!is_tuple(var) && types_equal(var->type, type)))
            return var;
    return NULL;
}

static Var *find_or_add_var(Translator *t, Name name, const Type *type)
{
    Var *var = find_var(t, name, type);
    return var ? var : new_var(t, name, type, NULL);
}

bool is_tuple(const Var *var)
{
    return var->alias && var->alias->kind == TERM_TUPLE;
}

/* ---- steps ---- */

void add_set(Translator *t, Step *step, Var *var)
{
    ARENA_PUSH(t->arena, step->sets.items, step->sets.count, step->sets.cap) = var;
}

Step *new_step(Translator *t, StepKind kind, Term *const *values, uint32_t count)
{
    Step *step = ARENA_NEW(t->arena, Step);
    step->kind = kind;
    step->values = ARENA_ARRAY(t->arena, Term *, count);
    step->count = count;
    for (uint32_t i = 0; i < count; i++)
        step->values[i] = values[i];
    if (count && op_draws(values[0]))
        add_set(t, step, values[0]->args[0]->var);
    return ARENA_PUSH(t->arena, t->block->items, t->block->count, t->block->cap) = step;
}

Step *set_to(Translator *t, Term *place, Term *value)
{
    Step *step = new_step(t, STEP_ASSIGN, &value, 1);
    step->place = place;
    if (!array_root(place))
        add_set(t, step, root_var(place));
    if (place->kind == TERM_VAR)
        place->var->stores++;
    return step;
}

/* A variable of its own for a value that must be computed once, before the statement. */
Term *hoist(Translator *t, Term *term, const char *stem)
{
    Term *place = var_term(t, new_var(t, NULL, term->type, stem));
    set_to(t, place, term);
    return place;
}

/* ---- assignments ---- */

/* `i, j = wp.tid()`: the names of the indices that the kernel starts with, if nothing else assigns them. */
static bool lower_tid(Translator *t, Node *const *targets, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (targets[i]->kind != NODE_NAME || count != (count > 1 ? t->current->source->kernel_dim : 1))
            return false;
        Var *var = find_or_add_var(t, targets[i]->name.id, type_scalar(TYPE_INT32));
        set_to(t, var_term(t, var), coordinate_term(t, i));
    }
    return true;
}

static void check_place(Translator *t, const Node *node, Term *place)
{
    Term *base = place;
    while (base->kind == TERM_COMPONENT || base->kind == TERM_FIELD)
        base = base->args[0];
    REFUSE_IF(t, node, base->kind != TERM_VAR && base->kind != TERM_ELEMENT, "this cannot be assigned");
    REFUSE_IF(t, node, place->kind == TERM_VIEW || place->type->kind == TYPE_ARRAY,
              "whole rows of an array are assigned");
    for (Term *part = place; part != base; part = part->args[0])
        REFUSE_IF(t, node,
                  part->kind == TERM_COMPONENT && part->type != type_scalar_of(part->args[0]->type) &&
                      part->args[0]->type->kind != TYPE_TRANSFORM,
                  "a row of a matrix is assigned");
}

/* v[0:2] = w, m[1] = row: part by part. */
static void assign_parts(Translator *t, const Term *parts, Term *value, const char *operation, const Node *at)
{
    bool whole = type_is_composite(value->type);
    REFUSE_IF(t, at, whole && type_parts(value->type) != parts->count, "the value has another size than the place");
    value = hoist(t, value, "value");
    for (uint32_t i = 0; i < parts->count; i++) {
        Term *args[] = {parts->args[i], whole ? part_term(t, value, i) : value};
        Term *part = operation ? op_term(t, operation, args, 2, parts->args[i]->type, at) : args[1];
        set_to(t, parts->args[i], part);
    }
}

static void assign_to(Translator *t, const Node *target, Term *value, bool is_new_array)
{
    const Type *type = value->type;
    if (target->kind == NODE_NAME) {
        Name name = target->name.id;
        REFUSE_IF(t, target, !type, "the type of '%s' is not known", name->text);
        bool is_array = type->kind == TYPE_ARRAY; /* under another name, or a part of one */
        REFUSE_IF(t, target, is_array && find_var(t, name, type), "the array '%s' is assigned more than once",
                  name->text);
        if (is_array)
            new_var(t, name, type, NULL)->alias = value;
        else
            set_to(t, var_term(t, find_or_add_var(t, name, type)), value);
        if (is_new_array)
            find_var(t, name, type)->is_local_array = true;
        return;
    }
    Term *parts = find_parts(t, target);
    if (parts) {
        assign_parts(t, parts, value, NULL, target);
        return;
    }
    Term *place = to_term(t, target);
    check_place(t, target, place);
    bool are_numbers = type_is_scalar(place->type) && !type_is_composite(type);
    REFUSE_IF(t, target,
              !types_equal(place->type, type) && (!are_numbers || type_is_float(place->type) != type_is_float(type)),
              "the value has another type than the place");
    set_to(t, place, value);
}

static void lower_unpack(Translator *t, const Node *node, const NodeList *targets, const Node *call)
{
    Term *value = call_to_term(t, call);
    const ExprInfo *info = info_at(t, call);
    REFUSE_IF(t, node, info->result_count != targets->count || value->kind != TERM_CALL,
              "several values are assigned from one");
    Step *step = new_step(t, STEP_UNPACK, &value, 1);
    for (uint32_t i = 0; i < targets->count; i++) {
        const Node *target = targets->items[i];
        REFUSE_IF(t, target, target->kind != NODE_NAME, "only names can be assigned several values at once");
        add_set(t, step, find_or_add_var(t, target->name.id, info->results[i]));
        step->sets.items[i]->stores++;
    }
}

static void lower_tuple_assign(Translator *t, const Node *node, const NodeList *targets, const Node *value)
{
    if (value->kind == NODE_CALL) {
        lower_unpack(t, node, targets, value);
        return;
    }
    Term *tuple = tuple_of(t, value);
    REFUSE_IF(t, node, !tuple || tuple->count != targets->count, "several values are assigned from one");
    Term **values = new_term(t, TERM_TUPLE, NULL, tuple->args, tuple->count)->args;
    for (uint32_t i = 0; i < tuple->count; i++)
        if (values[i]->kind != TERM_LITERAL && values[i]->type && values[i]->type->kind != TYPE_ARRAY)
            values[i] = hoist(t, values[i], "value");
    for (uint32_t i = 0; i < tuple->count; i++)
        assign_to(t, targets->items[i], values[i], false);
}

static void lower_assign(Translator *t, const Node *node)
{
    Node *target = node->assign.targets.items[0];
    const Node *value = node->assign.value;
    REFUSE_IF(t, node, node->assign.targets.count != 1, "one value is assigned to several targets");
    bool is_name = target->kind == NODE_NAME, has_several = target->kind == NODE_TUPLE;
    const ExprInfo *info = info_at(t, value);
    Form form = form_of(t, value);
    if (t->lanes && lower_tile_assign(t, target, value))
        return;
    if (form == FORM_THREAD && lower_tid(t, has_several ? target->sequence.elts.items : &target,
                                         has_several ? target->sequence.elts.count : 1))
        return;
    if (has_several) {
        lower_tuple_assign(t, node, &target->sequence.elts, value);
        return;
    }
    if (form == FORM_ATOMIC && is_name) { /* it stays one statement */
        lower_atomic(t, value, find_or_add_var(t, target->name.id, info->type));
        return;
    }
    Term *tuple = is_name ? tuple_of(t, value) : NULL;
    if (tuple) {
        for (uint32_t i = 0; value->kind == NODE_TUPLE && i < tuple->count; i++)
            tuple->args[i] = hoist(t, tuple->args[i], target->name.id->text);
        new_var(t, target->name.id, NULL, NULL)->alias = tuple;
        return;
    }
    if (is_name && info->known && (info->known->kind == VALUE_FUNC || info->known->kind == VALUE_BUILTIN))
        return; /* another name of a function: its calls know it */
    t->direct = value;
    assign_to(t, target, to_term(t, value), form == FORM_ZEROS);
}

/* ---- x += e ---- */

/* What arrays are updated with atomically, and how the update of a variable is written. */
static const struct {
    const char *atomic, *sign;
} updates[OP_KIND_COUNT] = {
    [OP_ADD] = {"add", "+="},     [OP_SUB] = {"sub", "-="},   [OP_MULT] = {NULL, "*="},    [OP_DIV] = {NULL, "/="},
    [OP_BIT_AND] = {"and", NULL}, [OP_BIT_OR] = {"or", NULL}, [OP_BIT_XOR] = {"xor", NULL}};

static void lower_aug_assign(Translator *t, const Node *node)
{
    const Node *target = node->aug_assign.target;
    const char *operation = op_builtin(node->aug_assign.op), *atomic = updates[node->aug_assign.op].atomic;
    if (t->lanes && lower_tile_update(t, node))
        return;
    Term *value = to_term(t, node->aug_assign.value), *parts = find_parts(t, target);
    if (parts) {
        REFUSE_IF(t, node, array_root(parts->args[0]), "parts of an element are updated");
        assign_parts(t, parts, value, operation, node);
        return;
    }
    Term *place = to_term(t, target);
    check_place(t, target, place);
    REFUSE_IF(t, node, info_at(t, node)->func, "an operator that the file overloads");
    if (array_root(place) && atomic && target->kind == NODE_SUBSCRIPT) {
        Step *step = new_step(t, STEP_ATOMIC, &value, 1);
        step->place = place;
        step->atomic = find_atomic(atomic);
        return;
    }
    Step *step = set_to(t, place, op_term(t, operation, (Term *[]){place, value}, 2, place->type, node));
    if (types_equal(value->type, place->type) || (place->kind == TERM_VAR && type_is_composite(place->type)))
        step->sign = updates[node->aug_assign.op].sign;
}

/* ---- branches and loops ---- */

typedef struct LocalSearch {
    Translator *t;
    bool found;
} LocalSearch;

static void find_local(const Node *node, void *user)
{
    LocalSearch *search = user;
    search->found |= node->kind == NODE_NAME && find_var(search->t, node->name.id, NULL);
    node_children(node, find_local, user);
}

/* Is the condition known now? Then the other branch was not built, and has no types. */
bool known_condition(Translator *t, const Node *test, bool *truth)
{
    const Value *known = info_at(t, test)->known;
    LocalSearch search = {t, false};
    bool is_known = false;
    if (!known)
        return false;
    *truth = value_is_true(known, &is_known);
    find_local(test, &search);
    REFUSE_IF(t, test, is_known && search.found, "a branch that depends on the turn of an unrolled loop");
    return is_known;
}

static void lower_if(Translator *t, const Node *node)
{
    bool truth;
    if (known_condition(t, node->if_stmt.test, &truth)) {
        lower_body(t, t->block, truth ? &node->if_stmt.body : &node->if_stmt.orelse);
        return;
    }
    Term *condition = to_term(t, node->if_stmt.test);
    Step *step = new_step(t, STEP_IF, &condition, 1);
    lower_body(t, &step->body, &node->if_stmt.body);
    lower_body(t, &step->orelse, &node->if_stmt.orelse);
}

/* May the block change its value? */
static bool is_unsteady(Term *term, Block *body)
{
    bool unsteady = term->kind == TERM_ELEMENT || term->kind == TERM_CALL ||
                    (term->kind == TERM_VAR && any_step(body, sets_var, term->var));
    for (uint32_t i = 0; i < term->count && !unsteady; i++)
        unsteady = is_unsteady(term->args[i], body);
    return unsteady;
}

/* Bounds are computed once in Python, at every turn in C: what may change in the loop gets a variable before it. */
static Term *steady_bound(Translator *t, Step *loop, Term *bound, const char *stem)
{
    if (!is_unsteady(bound, &loop->body))
        return bound;
    t->block->count--; /* the variable comes before the loop */
    Term *steady = hoist(t, bound, stem);
    ARENA_PUSH(t->arena, t->block->items, t->block->count, t->block->cap) = loop;
    return steady;
}

/* The call of a builtin of Python's? */
static bool is_call_of(Translator *t, const Node *node, const char *name)
{
    const Node *func = node->kind == NODE_CALL ? node->call.func : NULL;
    return func && func->kind == NODE_NAME && name_is(func->name.id, name) && !find_var(t, func->name.id, NULL);
}

static Term *one_less(Translator *t, Term *bound)
{
    return op_term(t, "sub", (Term *[]){bound, int_term(t, 1)}, 2, type_scalar(TYPE_INT32), NULL);
}

static void lower_for(Translator *t, const Node *node)
{
    enum { START, STOP, STRIDE };
    const Node *iter = node->for_loop.iter, *target = node->for_loop.target;
    const Type *type = type_scalar(TYPE_INT32);
    bool reversed = is_call_of(t, iter, "reversed") && iter->call.args.count == 1;
    if (reversed)
        iter = iter->call.args.items[0];
    REFUSE_IF(t, iter, !is_call_of(t, iter, "range") || iter->call.keywords.count, "a loop over anything but range()");
    REFUSE_IF(t, node, target->kind != NODE_NAME, "the variable of a loop must be a name");
    uint32_t count = iter->call.args.count;
    Term *range[] = {int_term(t, 0), NULL, int_term(t, reversed ? -1 : 1)}, *stride;
    for (uint32_t i = 0; i < count && i < 3; i++)
        range[count == 1 ? STOP : i] = to_term(t, iter->call.args.items[i]);
    stride = range[STRIDE];
    bool steady = (stride->has_number && stride->number) || (stride->kind == TERM_VAR && stride->var->is_param);
    REFUSE_IF(t, iter, !steady, "the step of this range is not a number");
    for (uint32_t i = 0; i < 3; i++)
        REFUSE_IF(t, iter, range[i]->kind != TERM_LITERAL && !types_equal(range[i]->type, type),
                  "a range whose integers are not int32");
    Var *var = find_or_add_var(t, target->name.id, type);
    REFUSE_IF(t, iter, reversed && count > 2, "a range with steps is reversed");
    if (reversed) {
        Term *start = range[START];
        range[START] = one_less(t, range[STOP]);
        range[STOP] = one_less(t, start);
    }
    Step *step = new_step(t, STEP_FOR, range, 3);
    step->stride_sign = !stride->has_number ? 0 : stride->number < 0 ? -1 : 1;
    add_set(t, step, var);
    var->is_loop_var = true;
    var->is_natural = range[START]->has_number && range[START]->number >= 0 && step->stride_sign > 0;
    lower_body(t, &step->body, &node->for_loop.body);
    step->values[START] = steady_bound(t, step, step->values[START], "first");
    step->values[STOP] = steady_bound(t, step, step->values[STOP], "last");
}

static void lower_while(Translator *t, const Node *node)
{
    uint32_t before = t->block->count;
    Term *condition = to_term(t, node->while_loop.test);
    REFUSE_IF(t, node, t->block->count != before, "the condition of this loop changes something");
    Step *step = new_step(t, STEP_WHILE, &condition, 1);
    lower_body(t, &step->body, &node->while_loop.body);
}

/* ---- the rest ---- */

static void lower_return(Translator *t, const Node *node)
{
    Node *value = node->ret.value;
    Routine *routine = t->current;
    bool several = value && value->kind == NODE_TUPLE;
    uint32_t count = several ? value->sequence.elts.count : value != NULL;
    Node *const *items = several ? value->sequence.elts.items : &value;
    REFUSE_IF(t, value, value && !several && info_at(t, value)->result_count > 1,
              "the results of a call are returned at once");
    Term **values = count ? ARENA_ARRAY(t->arena, Term *, count) : NULL;
    for (uint32_t i = 0; i < count; i++)
        values[i] = to_term(t, items[i]);
    REFUSE_IF(t, node, routine->is_kernel && count, "a kernel returns a value");
    for (uint32_t i = 0; i < count; i++)
        REFUSE_IF(t, node, !values[i]->type || values[i]->type->kind == TYPE_ARRAY, "an array is returned");
    new_step(t, STEP_RETURN, values, count);
    if (!count || routine->results)
        return;
    routine->results = ARENA_ARRAY(t->arena, const Type *, count);
    routine->result_count = count;
    for (uint32_t i = 0; i < count; i++)
        routine->results[i] = values[i]->type;
}

static void lower_setter(Translator *t, const Node *call, const char *part)
{
    REFUSE_IF(t, call, call->call.args.count != 2, "this call is not translated");
    Term *whole = to_term(t, call->call.args.items[0]), *value = to_term(t, call->call.args.items[1]);
    REFUSE_IF(t, call, whole->kind != TERM_VAR, "a part of something that is not a variable is set");
    set_to(t, field_term(t, whole, part, value->type), value);
}

static void lower_expression(Translator *t, const Node *node)
{
    const Node *value = node->expr.value;
    const char *name = info_at(t, value)->builtin ? info_at(t, value)->builtin->name : "";
    if (value->kind == NODE_CONSTANT || lower_tile_call(t, value))
        return; /* a docstring */
    t->direct = value;
    switch (form_of(t, value)) {
    case FORM_MESSAGE: lower_message(t, value, name); return;
    case FORM_ATOMIC: lower_atomic(t, value, NULL); return;
    case FORM_SETTER: lower_setter(t, value, strcmp(name, "transform_set_translation") == 0 ? "p" : "q"); return;
    default: break;
    }
    Term *term = to_term(t, value);
    if (term->kind == TERM_CALL || op_draws(term))
        new_step(t, STEP_CALL, &term, 1);
}

static void lower_statement(Translator *t, const Node *node)
{
    switch (node->kind) {
    case NODE_PASS: break;
    case NODE_ASSERT: lower_assert(t, node); break;
    case NODE_EXPR: lower_expression(t, node); break;
    case NODE_ASSIGN: lower_assign(t, node); break;
    case NODE_AUG_ASSIGN: lower_aug_assign(t, node); break;
    case NODE_IF: lower_if(t, node); break;
    case NODE_FOR: lower_for(t, node); break;
    case NODE_WHILE: lower_while(t, node); break;
    case NODE_BREAK: new_step(t, STEP_BREAK, NULL, 0); break;
    case NODE_CONTINUE: new_step(t, STEP_CONTINUE, NULL, 0); break;
    case NODE_RETURN: lower_return(t, node); break;
    default: refuse(t, node, "%s is not translated", node_kind_name(node->kind));
    }
}

void lower_body(Translator *t, Block *block, const NodeList *body)
{
    Block *outer = t->block;
    t->block = block;
    REFUSE_IF(t, NULL, ++t->nesting > MAX_NESTING, "the code is nested too deeply");
    for (uint32_t i = 0; i < body->count; i++) {
        uint32_t before = block->count;
        lower_statement(t, body->items[i]);
        if (block->count > before)
            add_comments(t, body->items[i], block->items[before], block->items[block->count - 1]);
    }
    t->nesting--;
    t->block = outer;
}
