/* Syntax tree to steps: variables and statements. */
#include "standalone/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NESTING = 100 };

_Noreturn void refuse(Translator *t, const Node *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->reason = arena_format_list(t->arena, format, args);
    va_end(args);
    t->at = at;
    t->asked = NULL;
    longjmp(t->refused, 1);
}

const Type *strip(const Type *type)
{
    return type_canonical(type_strip_reference(type));
}

const NodeFact *fact_at(Translator *t, const Node *node)
{
    static const NodeFact nothing;
    const NodeFact *fact = ir_fact(t->current->source, node);
    return fact ? fact : &nothing;
}

/* ---- variables ---- */

static bool is_used(const Routine *routine, const char *name)
{
    for (uint32_t i = 0; i < routine->vars.count; i++)
        if (strcmp(routine->vars.items[i]->text, name) == 0)
            return true;
    return false;
}

/* x_size and x_dim0 are the sizes of an array x. */
static bool is_size_name(const Routine *routine, const char *name)
{
    const Code *code = routine->source->code;
    for (uint32_t i = 0; i < code->param_count; i++) {
        size_t length = code->params[i].name->len;
        if (strncmp(name, code->params[i].name->text, length) == 0 &&
            (strcmp(name + length, "_size") == 0 || strncmp(name + length, "_dim", 4) == 0))
            return true;
    }
    return false;
}

/* A name that nothing else has. */
static const char *free_name(Translator *t, const char *wanted)
{
    const char *stem = changed_name(t, wanted, NAME_LOCAL), *name = stem;
    if (is_size_name(t->current, name))
        name = stem = arena_join(t->arena, name, "_");
    for (uint32_t i = 2; is_used(t->current, name) || is_global_name(t, name); i++)
        name = arena_format(t->arena, "%s_%u", stem, i);
    return name;
}

static void set_bit(VarList *vars, Var *var)
{
    uint32_t number = vars->count;
    var->bit = (uint64_t)1 << number % VAR_BITS;
    for (uint32_t i = number % VAR_BITS; number >= VAR_BITS && i < number; i += VAR_BITS)
        var->shares_bit = vars->items[i]->shares_bit = true;
}

bool is_ascii(const char *text, size_t length)
{
    unsigned char all = 0;
    for (size_t i = 0; i < length; i++)
        all |= (unsigned char)text[i];
    return all < 0x80;
}

Var *new_var(Translator *t, Name name, const Type *type, const char *text)
{
    Var *var = ARENA_NEW(t->arena, Var);
    VarList *vars = &t->current->vars;
    set_bit(vars, var);
    var->name = name;
    var->type = type;
    var->text = free_name(t, name ? name->text : text);
    var->label = piece_of(var->text);
    var->label.tight = TIGHT_NAME;
    var->label.is_plain = true;
    if (!type || type->kind != TYPE_ARRAY)
        var->label.uses = name_set(t, vars->count);
    ARENA_PUSH(t->arena, vars->items, vars->count, vars->cap) = var;
    ARENA_PUSH(t->arena, t->current->names.items, t->current->names.count, t->current->names.cap) = name;
    return var;
}

/* The newest variable of that name; with a type: of that type. */
Var *find_var(Translator *t, Name name, const Type *type)
{
    const NameList *names = &t->current->names;
    for (uint32_t i = names->count; i-- > 0;)
        if (names->items[i] == name && (!type || types_equal(t->current->vars.items[i]->type, type)))
            return t->current->vars.items[i];
    return NULL;
}

bool is_local(const Translator *t, Name name)
{
    const NameList *names = &t->current->names;
    for (uint32_t i = 0; i < names->count; i++)
        if (names->items[i] == name)
            return true;
    return false;
}

Var *temporary_var(Translator *t, const char *stem, const Type *type)
{
    return new_var(t, NULL, type, stem);
}

/* ---- steps ---- */

Step *new_step(Translator *t, StepKind kind)
{
    Step *step = ARENA_NEW(t->arena, Step);
    step->kind = kind;
    ARENA_PUSH(t->arena, t->block->items, t->block->count, t->block->cap) = step;
    return step;
}

static Step *assign_step(Translator *t, Term *place, Term *value)
{
    Step *step = new_step(t, STEP_ASSIGN);
    step->place = place;
    step->value = value;
    if (place->kind == TERM_VAR)
        place->var->stores++;
    return step;
}

/* A variable of its own for a value that must be computed once, before the statement. */
Term *hoist(Translator *t, Term *term, const char *stem)
{
    Var *var = temporary_var(t, stem, term->type);
    assign_step(t, var_term(t, var), term);
    return var_term(t, var);
}

static Form call_form(Translator *t, const Node *node)
{
    return node->kind == NODE_CALL ? form_of(t, fact_at(t, node)) : FORM_OPERATION;
}

/* `i, j = wp.tid()`: the names of the indices that the kernel starts with, if nothing else assigns them. */
static bool lower_tid(Translator *t, const Node *const *targets, uint32_t count)
{
    const Type *type = type_scalar(TYPE_INT32);
    for (uint32_t i = 0; i < count; i++) {
        if (targets[i]->kind != NODE_NAME || count != (count > 1 ? t->current->source->kernel_dim : 1))
            return false;
        Var *var = find_var(t, targets[i]->name.id, type);
        if (!var)
            var = new_var(t, targets[i]->name.id, type, targets[i]->name.id->text);
        assign_step(t, var_term(t, var), coordinate_term(t, i));
    }
    return true;
}

/* An array under another name, or a part of one. */
static void lower_array_name(Translator *t, const Node *target, Term *value)
{
    Name name = target->name.id;
    if (find_var(t, name, value->type))
        refuse(t, target, "the array '%s' is assigned more than once", name->text);
    Var *var = new_var(t, name, value->type, name->text);
    var->alias = value;
}

static void lower_name_assign(Translator *t, const Node *target, Term *value)
{
    Name name = target->name.id;
    const Type *type = value->type;
    if (!type)
        refuse(t, target, "the type of '%s' is not known", name->text);
    if (type->kind == TYPE_ARRAY) {
        lower_array_name(t, target, value);
        return;
    }
    Var *var = find_var(t, name, type);
    if (!var)
        var = new_var(t, name, type, name->text);
    assign_step(t, var_term(t, var), value);
}

static void check_place(Translator *t, const Node *node, const Term *place)
{
    const Term *base = place;
    while (base->kind == TERM_COMPONENT || base->kind == TERM_FIELD)
        base = base->args[0];
    if (base->kind != TERM_VAR && base->kind != TERM_ELEMENT)
        refuse(t, node, "this cannot be assigned");
    if (place->kind == TERM_VIEW || place->type->kind == TYPE_ARRAY)
        refuse(t, node, "whole rows of an array are assigned");
    for (const Term *part = place; part != base; part = part->args[0])
        if (part->kind == TERM_COMPONENT && part->type != type_scalar_of(part->args[0]->type) &&
            part->args[0]->type->kind != TYPE_TRANSFORM)
            refuse(t, node, "a row of a matrix is assigned");
}

/* v[0:2] = w, m[1] = row: part by part. */
static void assign_parts(Translator *t, const Parts *parts, Term *value, const char *operation, const Node *at)
{
    bool whole = type_is_composite(value->type);
    if (whole && parts_of(value->type) != parts->count)
        refuse(t, at, "the value has another size than the place");
    value = hoist(t, value, "value");
    for (uint32_t i = 0; i < parts->count; i++) {
        Term *args[] = {parts->items[i], whole ? part_term(t, value, i) : value};
        Term *part = operation ? op_term(t, operation, args, 2, parts->items[i]->type, at) : args[1];
        assign_step(t, parts->items[i], part);
    }
}

static void lower_place_assign(Translator *t, const Node *target, Term *value)
{
    Parts parts;
    if (find_parts(t, target, &parts)) {
        assign_parts(t, &parts, value, NULL, target);
        return;
    }
    Term *place = to_term(t, target);
    check_place(t, target, place);
    if (!types_equal(place->type, value->type)) {
        if (type_is_composite(place->type) || type_is_composite(value->type))
            refuse(t, target, "the value has another type than the place");
        if (!type_is_scalar(place->type) || type_is_float(place->type) != type_is_float(value->type))
            refuse(t, target, "the value has another type than the place");
    }
    assign_step(t, place, value);
}

static void lower_unpack(Translator *t, const Node *node, const NodeList *targets, const Node *call)
{
    Term *value = call_to_term(t, call, targets->count);
    const NodeFact *fact = fact_at(t, call);
    if (fact->result_count != targets->count || value->kind != TERM_CALL)
        refuse(t, node, "several values are assigned from one");
    Step *step = new_step(t, STEP_UNPACK);
    step->value = value;
    step->count = targets->count;
    step->targets = ARENA_ARRAY(t->arena, Var *, targets->count);
    for (uint32_t i = 0; i < targets->count; i++) {
        const Node *target = targets->items[i];
        if (target->kind != NODE_NAME)
            refuse(t, target, "only names can be assigned several values at once");
        Var *var = find_var(t, target->name.id, fact->results[i]);
        if (!var)
            var = new_var(t, target->name.id, fact->results[i], target->name.id->text);
        var->stores++;
        step->targets[i] = var;
    }
}

static void lower_tuple_assign(Translator *t, const Node *node, const NodeList *targets, const Node *value)
{
    if (call_form(t, value) == FORM_THREAD && lower_tid(t, (const Node *const *)targets->items, targets->count))
        return;
    if (value->kind == NODE_CALL) {
        lower_unpack(t, node, targets, value);
        return;
    }
    const Tuple *tuple = tuple_of(t, value);
    if (tuple ? tuple->count != targets->count
              : value->kind != NODE_TUPLE || value->sequence.elts.count != targets->count)
        refuse(t, node, "several values are assigned from one");
    Term **values = ARENA_ARRAY(t->arena, Term *, targets->count);
    for (uint32_t i = 0; i < targets->count; i++)
        values[i] = tuple ? tuple->items[i] : to_term(t, value->sequence.elts.items[i]);
    for (uint32_t i = 0; i < targets->count; i++)
        if (values[i]->kind != TERM_LITERAL && values[i]->type && values[i]->type->kind != TYPE_ARRAY)
            values[i] = hoist(t, values[i], "value");
    for (uint32_t i = 0; i < targets->count; i++) {
        if (targets->items[i]->kind == NODE_NAME)
            lower_name_assign(t, targets->items[i], values[i]);
        else
            lower_place_assign(t, targets->items[i], values[i]);
    }
}

/* `x = wp.atomic_add(…)` stays one statement. */
static void lower_atomic_assign(Translator *t, const Node *target, const Node *value, const NodeFact *fact)
{
    Var *var = find_var(t, target->name.id, fact->type);
    if (!var)
        var = new_var(t, target->name.id, fact->type, target->name.id->text);
    var->stores++;
    lower_atomic(t, value, fact->builtin->name + strlen("atomic_"), var);
}

static void lower_assign(Translator *t, const Node *node)
{
    const Node *target = node->assign.targets.items[0], *value = node->assign.value;
    if (node->assign.targets.count != 1)
        refuse(t, node, "one value is assigned to several targets");
    if (target->kind == NODE_TUPLE) {
        lower_tuple_assign(t, node, &target->sequence.elts, value);
        return;
    }
    bool is_name = target->kind == NODE_NAME;
    const NodeFact *fact = fact_at(t, value);
    Form form = value->kind == NODE_CALL ? form_of(t, fact) : FORM_OPERATION;
    if (form == FORM_THREAD && lower_tid(t, &target, 1))
        return;
    if (form == FORM_ATOMIC && is_name) {
        lower_atomic_assign(t, target, value, fact);
        return;
    }
    if (is_name && define_tuple(t, target->name.id, value))
        return;
    if (is_name && fact->known && (fact->known->kind == VALUE_FUNC || fact->known->kind == VALUE_BUILTIN))
        return; /* another name of a function: its calls know it */
    t->direct = value;
    Term *term = to_term(t, value);
    if (is_name)
        lower_name_assign(t, target, term);
    else
        lower_place_assign(t, target, term);
}

/* ---- x += e ---- */

static const char *atomic_of(OpKind op)
{
    switch (op) {
    case OP_ADD: return "add";
    case OP_SUB: return "sub";
    case OP_BIT_AND: return "and";
    case OP_BIT_OR: return "or";
    case OP_BIT_XOR: return "xor";
    default: return NULL;
    }
}

static const char *builtin_of(OpKind op)
{
    static const char *const builtins[] = {
#define OP(kind, python, symbol, precedence, builtin) builtin,
#include "lang/op.def"
#undef OP
    };
    return builtins[op];
}

static const char *sign_of(OpKind op)
{
    return op == OP_ADD ? "+=" : op == OP_SUB ? "-=" : op == OP_MULT ? "*=" : op == OP_DIV ? "/=" : NULL;
}

static void lower_aug_assign(Translator *t, const Node *node)
{
    OpKind op = node->aug_assign.op;
    Parts parts;
    Term *value = to_term(t, node->aug_assign.value);
    if (find_parts(t, node->aug_assign.target, &parts)) {
        if (array_root(parts.items[0]))
            refuse(t, node, "parts of an element are updated");
        assign_parts(t, &parts, value, builtin_of(op), node);
        return;
    }
    Term *place = to_term(t, node->aug_assign.target);
    check_place(t, node->aug_assign.target, place);
    if (fact_at(t, node)->func)
        refuse(t, node, "an operator that the file overloads");
    if (array_root(place) && atomic_of(op) && node->aug_assign.target->kind == NODE_SUBSCRIPT) {
        Step *step = new_step(t, STEP_ATOMIC);
        step->place = place;
        step->value = value;
        step->atomic = atomic_of(op);
        return;
    }
    Term *args[] = {place, value};
    Step *step = assign_step(t, place, op_term(t, builtin_of(op), args, 2, place->type, node));
    step->sign = sign_of(op);
    if (!types_equal(value->type, place->type) && (place->kind != TERM_VAR || !type_is_composite(place->type)))
        step->sign = NULL;
}

/* ---- branches and loops ---- */

typedef struct LocalSearch {
    Translator *t;
    bool found;
} LocalSearch;

static void find_local(Node *node, void *user)
{
    LocalSearch *search = user;
    if (node->kind == NODE_NAME && is_local(search->t, node->name.id))
        search->found = true;
    node_children(node, find_local, user);
}

static bool mentions_local(Translator *t, const Node *node)
{
    LocalSearch search = {t, false};
    find_local((Node *)node, &search);
    return search.found;
}

/* Is the condition known now? Then the other branch was not built, and has no types. */
static bool known_condition(Translator *t, const Node *test, bool *truth)
{
    const Value *known = fact_at(t, test)->known;
    bool is_known = false;
    if (!known)
        return false;
    *truth = value_is_true(known, &is_known);
    if (is_known && mentions_local(t, test))
        refuse(t, test, "a branch that depends on the turn of an unrolled loop");
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
    Step *step = new_step(t, STEP_IF);
    step->value = condition;
    lower_body(t, &step->body, &node->if_stmt.body);
    lower_body(t, &step->orelse, &node->if_stmt.orelse);
}

static void lower_range(Translator *t, Step *step, Term **bounds)
{
    uint32_t count = step->count;
    step->start = count > 1 ? bounds[0] : int_term(t, 0);
    step->stop = bounds[count > 1];
    step->stride = count > 2 ? bounds[2] : int_term(t, 1);
    if (step->stride->has_number)
        step->stride_sign = step->stride->number < 0 ? -1 : 1;
}

typedef struct BoundSearch {
    const Block *body;
    bool found;
} BoundSearch;

static void find_unsteady(const Term *term, void *user)
{
    BoundSearch *search = user;
    search->found |= term->kind == TERM_ELEMENT || term->kind == TERM_CALL;
    search->found |= term->kind == TERM_VAR && assigns(search->body, term->var);
}

/* Bounds are computed once in Python, at every turn in C: what may change in the loop gets a variable before it. */
static Term *steady_bound(Translator *t, const Step *loop, Term *bound, const char *stem)
{
    BoundSearch search = {&loop->body, false};
    visit_term(bound, find_unsteady, &search);
    if (!search.found)
        return bound;
    t->block->count--; /* the variable comes before the loop */
    Term *steady = hoist(t, bound, stem);
    ARENA_PUSH(t->arena, t->block->items, t->block->count, t->block->cap) = (Step *)loop;
    return steady;
}

static bool is_reversed(Translator *t, const Node *iter)
{
    Name name = iter->kind == NODE_CALL && iter->call.func->kind == NODE_NAME ? iter->call.func->name.id : NULL;
    return name && name_is(name, "reversed") && !is_local(t, name) && iter->call.args.count == 1;
}

static void reverse_range(Translator *t, Step *step)
{
    const Type *type = type_scalar(TYPE_INT32);
    Term *first[] = {step->stop, int_term(t, 1)}, *last[] = {step->start, int_term(t, 1)};
    step->start = op_term(t, "sub", first, 2, type, NULL);
    step->stop = op_term(t, "sub", last, 2, type, NULL);
    step->stride = int_term(t, -1);
    step->stride_sign = -1;
}

static void lower_for(Translator *t, const Node *node)
{
    const Node *iter = node->for_loop.iter, *target = node->for_loop.target;
    bool reversed = is_reversed(t, iter);
    if (reversed)
        iter = iter->call.args.items[0];
    Name range = iter->kind == NODE_CALL && iter->call.func->kind == NODE_NAME ? iter->call.func->name.id : NULL;
    if (!range || !name_is(range, "range") || iter->call.keywords.count || is_local(t, range))
        refuse(t, iter, "a loop over something else than range()");
    if (target->kind != NODE_NAME)
        refuse(t, node, "the variable of a loop must be a name");
    Term *bounds[3];
    uint32_t count = iter->call.args.count;
    for (uint32_t i = 0; i < count && i < 3; i++)
        bounds[i] = to_term(t, iter->call.args.items[i]);
    bool steady = count < 3 || (bounds[2]->has_number && bounds[2]->number) ||
                  (bounds[2]->kind == TERM_VAR && bounds[2]->var->is_param);
    if (!steady)
        refuse(t, iter, "the step of this range is not a number");
    const Type *type = type_scalar(TYPE_INT32);
    for (uint32_t i = 0; i < count && i < 3; i++)
        if (bounds[i]->kind != TERM_LITERAL && !types_equal(bounds[i]->type, type))
            refuse(t, iter, "a range of other integers than int32");
    Var *var = find_var(t, target->name.id, type);
    if (!var)
        var = new_var(t, target->name.id, type, target->name.id->text);
    Step *step = new_step(t, STEP_FOR);
    step->count = count;
    lower_range(t, step, bounds);
    if (reversed && count > 2)
        refuse(t, iter, "a range with steps is reversed");
    if (reversed)
        reverse_range(t, step);
    step->var = var;
    step->number = ++t->current->loops;
    var->is_loop_var = true;
    lower_body(t, &step->body, &node->for_loop.body);
    step->start = steady_bound(t, step, step->start, "first");
    step->stop = steady_bound(t, step, step->stop, "last");
}

static void lower_while(Translator *t, const Node *node)
{
    uint32_t before = t->block->count;
    Term *condition = to_term(t, node->while_loop.test);
    if (t->block->count != before)
        refuse(t, node, "the condition of this loop changes something");
    Step *step = new_step(t, STEP_WHILE);
    step->value = condition;
    step->number = ++t->current->loops;
    lower_body(t, &step->body, &node->while_loop.body);
}

/* ---- the rest ---- */

static void lower_return(Translator *t, const Node *node)
{
    const Node *value = node->ret.value;
    Term **values = NULL;
    uint32_t count = 0;
    if (value && value->kind == NODE_TUPLE) {
        count = value->sequence.elts.count;
        values = ARENA_ARRAY(t->arena, Term *, count);
        for (uint32_t i = 0; i < count; i++)
            values[i] = to_term(t, value->sequence.elts.items[i]);
    } else if (value) {
        if (fact_at(t, value)->result_count > 1)
            refuse(t, value, "the results of a call are returned at once");
        count = 1;
        values = ARENA_ARRAY(t->arena, Term *, 1);
        values[0] = to_term(t, value);
    }
    if (t->current->is_kernel && count)
        refuse(t, node, "a kernel returns a value");
    for (uint32_t i = 0; i < count; i++)
        if (!values[i]->type || values[i]->type->kind == TYPE_ARRAY)
            refuse(t, node, "an array is returned");
    Step *step = new_step(t, STEP_RETURN);
    step->values = values;
    step->count = count;
    if (count && !t->current->results) {
        t->current->results = ARENA_ARRAY(t->arena, const Type *, count);
        t->current->result_count = count;
        for (uint32_t i = 0; i < count; i++)
            t->current->results[i] = values[i]->type;
    }
}

static void lower_setter(Translator *t, const Node *call, const char *part)
{
    if (call->call.args.count != 2)
        refuse(t, call, "this call is not translated");
    Term *whole = to_term(t, call->call.args.items[0]), *value = to_term(t, call->call.args.items[1]);
    if (whole->kind != TERM_VAR)
        refuse(t, call, "a part of something that is no variable is set");
    Term *place = new_term(t, TERM_FIELD, value->type, 1);
    place->args[0] = whole;
    place->text = part;
    assign_step(t, place, value);
}

static void lower_expression(Translator *t, const Node *node)
{
    const Node *value = node->expr.value;
    const NodeFact *fact = fact_at(t, value);
    if (value->kind == NODE_CONSTANT)
        return; /* a docstring */
    Form form = form_of(t, fact);
    if (form == FORM_MESSAGE) {
        lower_message(t, value, fact->builtin->name);
        return;
    }
    if (form == FORM_ATOMIC) {
        lower_atomic(t, value, fact->builtin->name + strlen("atomic_"), NULL);
        return;
    }
    t->direct = value;
    if (form == FORM_SETTER) {
        lower_setter(t, value, strcmp(fact->builtin->name, "transform_set_translation") == 0 ? "p" : "q");
        return;
    }
    Term *term = to_term(t, value);
    if (term->kind == TERM_CALL || (term->kind == TERM_OP && term->op->changes_first))
        new_step(t, STEP_CALL)->value = term;
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
    case NODE_BREAK: new_step(t, STEP_BREAK); break;
    case NODE_CONTINUE: new_step(t, STEP_CONTINUE); break;
    case NODE_RETURN: lower_return(t, node); break;
    default: refuse(t, node, "%s is not translated", node_kind_name(node->kind));
    }
}

void lower_body(Translator *t, Block *block, const NodeList *body)
{
    Block *outer = t->block;
    t->block = block;
    if (++t->nesting > MAX_NESTING)
        refuse(t, NULL, "the code is nested too deeply");
    for (uint32_t i = 0; i < body->count; i++) {
        uint32_t before = block->count;
        const Node *node = body->items[i];
        lower_statement(t, node);
        if (block->count == before)
            continue;
        const Func *func = t->current->source->func;
        if (!t->has_comments || (func && func->code.scope->file->is_library))
            continue; /* the source of a library function is another text */
        block->items[before]->comment = comment_above(t, node);
        if (node->kind == NODE_ASSIGN || node->kind == NODE_AUG_ASSIGN || node->kind == NODE_EXPR)
            block->items[block->count - 1]->remark = comment_behind(t, node);
    }
    t->nesting--;
    t->block = outer;
}
