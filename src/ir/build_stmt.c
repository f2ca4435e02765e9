/* Statements: branches, loops, return. */
#include "ir/build.h"

#include <string.h>

/* ---- if ---- */

static IrNode *open_if(Builder *b, IrVar *condition, bool negated)
{
    IrVar *loaded = load(b, condition);
    IrNode *node = add_node(b, IR_IF);
    node->if_node = ARENA_NEW(b->arena, IrIf);
    node->if_node->condition = loaded;
    node->if_node->negated = negated;
    return node;
}

static void build_body_from(Builder *b, const NodeList *body, uint32_t from);

static bool contains(const NodeList *body, NodeKind jump);

/* Does the statement end in `break` or `continue` (`jump`) of the loop around it, or hold one that does? */
static bool may_jump(const Node *node, NodeKind jump)
{
    return node->kind == jump ||
           (node->kind == NODE_IF && (contains(&node->if_stmt.body, jump) || contains(&node->if_stmt.orelse, jump)));
}

static bool contains(const NodeList *body, NodeKind jump)
{
    for (uint32_t i = 0; i < body->count; i++)
        if (may_jump(body->items[i], jump))
            return true;
    return false;
}

static void build_branch(Builder *b, IrVar *condition, bool negated, const NodeList *body, uint32_t from)
{
    IrNode *node = open_if(b, condition, negated);
    IrRegion *outer = b->region;
    b->region = &node->if_node->body;
    build_body_from(b, body, from);
    b->region = outer;
    node->if_node->reverse_condition = load(b, condition);
}

static const Eval *eval_in(const Symbols *symbols, Name name)
{
    const Symbol *symbol = symbol_in(symbols, name);
    return symbol ? &symbol->eval : NULL;
}

static bool same_eval(const Eval *a, const Eval *b)
{
    if (!a || !b || a->kind != b->kind)
        return a == b;
    if (a->kind == EVAL_VAR)
        return a->var == b->var;
    if (a->kind == EVAL_LIST)
        return a->list == b->list;
    if (a->value->kind == VALUE_FUNC && b->value->kind == VALUE_FUNC)
        return a->value->func == b->value->func;
    return a->value == b->value;
}

/* What a branch did to the names: those that it changed, as they are after it, and those that it added. */
typedef struct Branch {
    SymbolChange *changed; /* `before` is what stands after it */
    uint32_t changed_count;
    Symbols added;
} Branch;

/* Notes what was done since the mark, and takes it back. */
static Branch end_branch(Builder *b, SymbolMark mark)
{
    Branch branch = {0};
    branch.changed_count = changes_since(b, mark, &branch.changed);
    for (uint32_t i = 0; i < branch.changed_count; i++)
        branch.changed[i].before = b->symbols.items[branch.changed[i].index].eval;
    for (uint32_t i = mark.count; i < b->symbols.count; i++)
        append_symbol(b->arena, &branch.added, b->symbols.items[i].name)->eval = b->symbols.items[i].eval;
    take_back(b, mark);
    return branch;
}

/* Where a name means different variables after the two branches, a choice between them is computed. */
static void merge_symbol(Builder *b, Name name, const Eval *if_eval, const Eval *else_eval, IrVar *condition,
                         const Node *at)
{
    if (!if_eval)
        set_symbol(b, name, *else_eval);
    else if (!else_eval || same_eval(if_eval, else_eval))
        set_symbol(b, name, *if_eval);
    else {
        if (if_eval->kind != EVAL_VAR || else_eval->kind != EVAL_VAR)
            fail(b, at, "'%s' is %s after one branch and %s after the other", name->text, eval_repr(b, if_eval),
                 eval_repr(b, else_eval));
        const Type *if_type = eval_type(b, if_eval), *else_type = eval_type(b, else_eval);
        if (!types_equal(if_type, else_type) && !is_same_query(b, if_type, else_type))
            fail_hint(b, at, "convert one of the values, so that both branches give it one type",
                      "'%s' is of type %s after one branch and of type %s after the other", name->text,
                      repr(b, if_type), repr(b, else_type));
        IrVar *args[] = {condition, if_eval->var, else_eval->var};
        Eval merged = call_builtin(b, "where", args, 3, at);
        set_symbol(b, name, merged);
    }
}

/* What stands for the symbol after the branch: `at` goes on with the symbols, which come in order. */
static Eval eval_after(const Branch *branch, uint32_t index, uint32_t *at, Eval before)
{
    while (*at < branch->changed_count && branch->changed[*at].index < index)
        ++*at;
    return *at < branch->changed_count && branch->changed[*at].index == index ? branch->changed[*at].before : before;
}

static uint32_t next_changed(const Branch *branch, uint32_t at)
{
    return at < branch->changed_count ? branch->changed[at].index : UINT32_MAX;
}

/* Names in the order in which the two branches know them. */
static void merge_branches(Builder *b, const Branch *one, const Branch *two, IrVar *condition, const Node *node)
{
    uint32_t known = b->symbols.count, at_one = 0, at_two = 0;
    bool renames =
        b->module->options->component_overwrites; /* what was overwritten has the symbol's name from here on */
    for (uint32_t index = 0; index < known; index++) {
        uint32_t first = next_changed(one, at_one), second = next_changed(two, at_two);
        if (!renames)
            index = first < second ? first : second;
        if (index >= known)
            break;
        Symbol *symbol = &b->symbols.items[index];
        Eval if_eval = eval_after(one, index, &at_one, symbol->eval);
        Eval else_eval = eval_after(two, index, &at_two, symbol->eval);
        at_one += index == first;
        at_two += index == second;
        if (same_eval(&if_eval, &else_eval))
            rebind_symbol(b, symbol, if_eval);
        else
            merge_symbol(b, symbol->name, &if_eval, &else_eval, condition, node);
    }
    for (uint32_t i = 0; i < one->added.count; i++) {
        const Symbol *symbol = &one->added.items[i];
        merge_symbol(b, symbol->name, &symbol->eval, eval_in(&two->added, symbol->name), condition, node);
    }
    for (uint32_t i = 0; i < two->added.count; i++)
        if (!symbol_in(&one->added, two->added.items[i].name))
            merge_symbol(b, two->added.items[i].name, NULL, &two->added.items[i].eval, condition, node);
}

/* What stands from `from` on in `body`, or else `orelse`. */
static void build_choice(Builder *b, IrVar *condition, const NodeList *body, uint32_t from, const NodeList *orelse,
                         const Node *node)
{
    if (condition->constant) {
        bool known, truth = value_is_true(condition->constant, &known);
        build_body_from(b, truth ? body : orelse, truth ? from : 0);
        return;
    }
    SymbolMark before = mark_symbols(b);
    build_branch(b, condition, false, body, from);
    Branch one = end_branch(b, before), two = {0};
    if (orelse->count) {
        before = mark_symbols(b);
        build_branch(b, condition, true, orelse, 0);
        two = end_branch(b, before);
    }
    merge_branches(b, &one, &two, condition, node);
}

static void build_if(Builder *b, const Node *node)
{
    build_choice(b, build_var(b, node->if_stmt.test), &node->if_stmt.body, 0, &node->if_stmt.orelse, node);
}

/* ---- loops ---- */

typedef struct StoreSearch {
    Name name;
    const Node *found;
} StoreSearch;

static void find_store(const Node *node, void *user)
{
    StoreSearch *search = user;
    if (!search->found && node->kind == NODE_NAME && node->name.store && node->name.id == search->name)
        search->found = node;
    if (!search->found)
        node_children(node, find_store, user);
}

/* Where a loop assigns to the name; the loop itself, if that cannot be told. */
static const Node *store_of(Name name, const Node *loop)
{
    StoreSearch search = {.name = name};
    node_children(loop, find_store, &search);
    return search.found ? search.found : loop;
}

/* At the end of an iteration, what was assigned in it goes back into the variables that the loop started with. */
static void write_back(Builder *b, SymbolMark at_start, const Node *at)
{
    SymbolChange *changes;
    uint32_t count = changes_since(b, at_start, &changes);
    for (uint32_t i = 0; i < count; i++) {
        Symbol *now = &b->symbols.items[changes[i].index];
        Name name = now->name;
        const Eval *first = &changes[i].before;
        if (same_eval(first, &now->eval))
            continue;
        bool iterator = false;
        for (uint32_t k = 0; k < b->iterator_count; k++)
            iterator |= b->constant_iterators[k] == name;
        if (first->kind != EVAL_VAR || now->eval.kind != EVAL_VAR)
            fail(b, at, "'%s' cannot be changed in a loop", name->text);
        if (iterator && first->var->constant)
            continue;
        if (first->var->constant)
            fail_hint(b, store_of(name, at),
                      arena_format(b->arena, "make it a variable before the loop: %s = %s(...)", name->text,
                                   spelled(b, first->var->type)),
                      "'%s' is a constant and cannot be changed in a loop that is not unrolled", name->text);
        IrVar *args[] = {first->var, now->eval.var};
        call_builtin(b, "assign", args, 2, at);
        change_symbol(b, &b->symbols.items[changes[i].index], *first);
    }
}

typedef struct StoredNames {
    Builder *b;
    Name names[64];
    uint32_t count;
} StoredNames;

static void collect_stored(const Node *node, void *user)
{
    StoredNames *stored = user;
    if (node->kind == NODE_NAME && node->name.store) {
        for (uint32_t i = 0; i < stored->count; i++)
            if (stored->names[i] == node->name.id)
                return;
        if (stored->count < 64)
            stored->names[stored->count++] = node->name.id;
    }
    node_children(node, collect_stored, user);
}

/* The last value of an unrolled loop's variable is a constant; a loop that changes it needs a variable. */
static void promote_iterators(Builder *b, const NodeList *body, const Node *at)
{
    if (!b->iterator_count)
        return;
    StoredNames stored = {.b = b};
    uint32_t promoted = 0;
    for (uint32_t i = 0; i < body->count; i++)
        collect_stored(body->items[i], &stored);
    for (uint32_t i = 0; i < stored.count; i++) {
        Symbol *symbol = find_symbol(b, stored.names[i]);
        bool iterator = false;
        for (uint32_t k = 0; k < b->iterator_count; k++)
            iterator |= b->constant_iterators[k] == stored.names[i];
        if (!iterator || !symbol || symbol->eval.kind != EVAL_VAR || !symbol->eval.var->constant)
            continue;
        if (++promoted > 1)
            unsupported(
                b, at, "a loop that changes the variables of several unrolled loops: their order is not fixed in Warp");
        Eval copy = call_builtin(b, "copy", &symbol->eval.var, 1, at);
        set_symbol(b, stored.names[i], copy);
    }
}

static void enter_loop(Builder *b, Loop *loop, uint32_t label, bool is_while)
{
    uint32_t depth = b->loop ? b->loop->depth + 1 : 1;
    if (depth > LIMIT_LOOPS)
        unsupported(b, NULL, "loops are nested more than %d deep", LIMIT_LOOPS);
    *loop = (Loop){.outer = b->loop, .depth = depth, .at_start = mark_symbols(b), .label = label, .is_while = is_while};
    b->loop = loop;
}

static void build_loop_body(Builder *b, Loop *loop, const NodeList *body, const Node *at)
{
    Name outer = b->going_on; /* `continue` means this loop now */
    b->going_on = NULL;
    build_body(b, body);
    b->going_on = outer;
    write_back(b, loop->at_start, at);
    forget_mark(b, loop->at_start);
    b->loop = loop->outer;
}

/* The variables of a finished loop, which one around it may have to clear. */
static void list_inner(Builder *b, const IrVarList *vars)
{
    for (uint32_t i = 0; b->block && b->unit->dialect->loops_clear_inner && i < vars->count; i++)
        ARENA_PUSH(b->arena, b->block->items, b->block->count, b->block->cap) = vars->items[i];
}

typedef struct ConstantRange {
    BigInt start, stop, step;
} ConstantRange;

/* `counted`: NULL, or what `range`, an integer, counts. */
static void build_dynamic_for(Builder *b, const Node *node, IrVar *range, const ConstantRange *counted)
{
    promote_iterators(b, &node->for_loop.body, node);
    IrNode *for_node = add_node(b, IR_FOR);
    IrFor *data = for_node->for_node = ARENA_NEW(b->arena, IrFor);
    IrRegion *outer = b->region;
    IrVarList *outer_block = b->block, head_vars = {0};
    data->label = b->labels++;
    data->range = range;
    b->region = &data->head;
    b->block = &head_vars;
    Eval value;
    if (counted) {
        data->counted = add_var(b, type_scalar(TYPE_INT32), NULL);
        data->start = (int64_t)counted->start;
        data->stop = (int64_t)counted->stop;
        data->step = (int64_t)counted->step;
        value = eval_var(data->counted);
    } else
        value = call_builtin(b, "iter_next", &range, 1, node->for_loop.iter);
    b->labels++;
    b->region = &data->body;
    b->block = &data->locals;
    if (node->for_loop.target->kind != NODE_NAME)
        fail(b, node->for_loop.target, "the variable of a loop must be a name");
    set_symbol(b, node->for_loop.target->name.id, value);
    Loop loop;
    enter_loop(b, &loop, data->label, false);
    build_loop_body(b, &loop, &node->for_loop.body, node);
    b->region = outer;
    b->block = outer_block;
    list_inner(b, &head_vars);
    list_inner(b, &data->locals);
}

/* A constant range that is not unrolled: an integer goes from its start to its end. */
static void build_counted_for(Builder *b, const Node *node, const ConstantRange *range)
{
    IrVar *counter = add_var(b, type_scalar(TYPE_INT32), NULL);
    IrNode *set = add_node(b, IR_SET_LITERAL);
    set->literal.target = counter;
    set->literal.value = value_int(b->unit->arena, range->start);
    build_dynamic_for(b, node, counter, range);
}

typedef struct RangeArg {
    bool is_number;
    BigInt number;
    Eval eval;
    const Value *typed; /* the number as an instance of a Warp scalar; NULL: a plain one */
} RangeArg;

/* An argument of range(): a number if it is known now. */
static RangeArg range_argument(Builder *b, const Node *node)
{
    RangeArg arg = {0};
    Name path[16];
    uint32_t count;
    const StaticValue *resolved = node->kind == NODE_CALL ? code_static(b->code, node) : NULL;
    const Value *value = resolved ? resolved->value : NULL;
    bool literal = node->kind == NODE_CONSTANT;
    bool negative = node->kind == NODE_UNARY_OP && node->unary_op.op == OP_U_SUB &&
                    (node->unary_op.operand->kind == NODE_CONSTANT || code_static(b->code, node->unary_op.operand));
    if (literal || negative) {
        const Node *constant = literal ? node : node->unary_op.operand;
        const StaticValue *known = code_static(b->code, constant);
        bool is_int = known ? value_as_int(known->value, &arg.number)
                            : constant->constant.kind == CONSTANT_INT || constant->constant.kind == CONSTANT_BOOL;
        if (!is_int)
            fail(b, node, "the arguments of range() must be integers");
        if (!known)
            arg.number =
                constant->constant.kind == CONSTANT_BOOL ? constant->constant.truth : constant_integer(constant);
        if (negative)
            arg.number = -arg.number;
        arg.is_number = true;
        return arg;
    }
    if (!value)
        value = resolve_static(b, node, true, path, &count);
    if (!value) {
        arg.eval = build_expr(b, node);
        if (arg.eval.kind == EVAL_VAR && arg.eval.var->constant)
            value = arg.eval.var->constant;
        else if (arg.eval.kind == EVAL_VALUE)
            value = arg.eval.value;
        else
            return arg;
    }
    if (value->kind == VALUE_UNKNOWN)
        fail_unknown(b, node, "the bound of the loop", value);
    if (value->kind == VALUE_INT ||
        (value->kind == VALUE_SCALAR && type_is_int(value->scalar.type) && value->scalar.number.is_int)) {
        Number number;
        value_as_number(value, true, &number);
        arg.is_number = true;
        arg.number = number.integer;
        arg.typed = value->kind == VALUE_SCALAR ? value : NULL;
        if (arg.typed && arg.typed->scalar.type->kind != TYPE_INT32 && !b->unit->dialect->exact_trip_count)
            fail(b, node, "a typed scalar cannot be the bound of a loop here: write a plain number");
        return arg;
    }
    if (resolved && value->kind == VALUE_BOOL)
        fail(b, node, "the arguments of range() must be integers");
    fail(b, node, "the arguments of range() must be integers, not %s", value_kind_name(value->kind));
}

typedef struct StaticSearch {
    Builder *b;
    bool found;
} StaticSearch;

static void find_static_call(const Node *node, void *user)
{
    StaticSearch *search = user;
    Name path[16];
    bool missing;
    if (search->found)
        return;
    if (node->kind == NODE_CALL && !code_static(search->b->code, node)) {
        uint32_t count = node_path(node->call.func, path, 16);
        if (count && !find_symbol(search->b, path[0]))
            search->found = value_is_intrinsic(
                resolve_path(search->b->unit, search->b->code->scope, path, count, &missing), INTRINSIC_WP_STATIC);
    }
    if (node->kind == NODE_CALL && code_static(search->b->code, node))
        return; /* replaced by its value: not looked into */
    node_children(node, find_static_call, user);
}

typedef struct NameSearch {
    Name name;
    bool found;
} NameSearch;

static bool contains_static(Builder *b, const Node *node)
{
    StaticSearch search = {b, false};
    if (!names_may_have(b->unit->names, WATCH_STATIC))
        return false;
    find_static_call(node, &search);
    return search.found;
}

static BigInt magnitude(BigInt value)
{
    return value < 0 ? -value : value;
}

static bool in_range(BigInt i, BigInt end, BigInt step)
{
    return step > 0 ? i < end : i > end;
}

/* How many turns a range has. */
static BigInt range_turns(const ConstantRange *range)
{
    BigInt way = range->step > 0 ? range->stop - range->start : range->start - range->stop;
    BigInt step = magnitude(range->step);
    return way > 0 ? (way + step - 1) / step : 0;
}

static bool fits_int32(BigInt value)
{
    return value >= INT32_MIN && value <= INT32_MAX;
}

static void find_name(const Node *node, void *user)
{
    NameSearch *search = user;
    search->found |= node->kind == NODE_NAME && node->name.id == search->name;
    if (!search->found)
        node_children(node, find_name, user);
}

/* A name for the flag that says whether a turn goes on. It has the number of a label, and takes another where the source has that name. */
static Name new_flag(Builder *b, const Node *loop)
{
    for (;;) {
        NameSearch search = {name_cstr(b->unit->names, arena_format(b->arena, "_wp_continue_%u", b->labels++)), false};
        find_name(loop, &search);
        if (!search.found && !find_symbol(b, search.name))
            return search.name;
    }
}

static void unroll(Builder *b, const Node *node, BigInt start, BigInt end, BigInt step)
{
    const Node *target = node->for_loop.target;
    if (target->kind != NODE_NAME)
        fail(b, target, "the variable of a loop must be a name");
    if (b->unit->dialect->exact_trip_count && !in_range(start, end, step))
        return;
    ARENA_PUSH(b->arena, b->constant_iterators, b->iterator_count, b->iterator_cap) = target->name.id;
    Name outer = b->going_on;
    b->going_on = NULL;
    if (b->unit->dialect->continue_unrolls && contains(&node->for_loop.body, NODE_CONTINUE))
        b->going_on = new_flag(b, node);
    for (BigInt i = start; in_range(i, end, step); i += step) {
        IrVar *iterator = add_constant(b, value_int(b->unit->arena, i));
        set_symbol(b, target->name.id, eval_var(iterator));
        if (b->going_on)
            set_symbol(b, b->going_on, eval_var(add_constant(b, value_bool(true))));
        build_body(b, &node->for_loop.body);
    }
    b->going_on = outer;
}

static bool is_range_call(const Node *node)
{
    return node->kind == NODE_CALL && node->call.func->kind == NODE_NAME &&
           name_is(node->call.func->name.id, "range") && node->call.args.count >= 1 && node->call.args.count <= 3;
}

static const Value *bound_value(Builder *b, const RangeArg *arg)
{
    return arg->typed ? arg->typed : value_int(b->unit->arena, arg->number);
}

static void build_range_for(Builder *b, const Node *node)
{
    const NodeList *args = &node->for_loop.iter->call.args;
    RangeArg range[3] = {0};
    bool all_numbers = true;
    for (uint32_t i = 0; i < args->count; i++) {
        range[i] = range_argument(b, args->items[i]);
        all_numbers &= range[i].is_number;
    }
    if (all_numbers) {
        BigInt start = args->count > 1 ? range[0].number : 0, end = range[args->count > 1].number;
        BigInt step = args->count > 2 ? range[2].number : 1;
        if (step == 0)
            fail(b, args->items[2], "the step of a range cannot be zero");
        const Dialect *dialect = b->unit->dialect;
        ConstantRange constant = {start, end, step};
        BigInt turns = dialect->exact_trip_count ? range_turns(&constant) : magnitude(end - start) / magnitude(step);
        bool forced = contains_static(b, node);
        bool breaks = contains(&node->for_loop.body, NODE_BREAK),
             goes_on = contains(&node->for_loop.body, NODE_CONTINUE);
        bool small = turns <= b->module->options->max_unroll, jumps = breaks || goes_on;
        b->function->has_long_range |= !small;
        if (forced || (small && !breaks && (!goes_on || dialect->continue_unrolls))) {
            unroll(b, node, start, end, step);
            return;
        }
        if (dialect->counted_ranges && !jumps && fits_int32(start) && fits_int32(end) && fits_int32(step)) {
            build_counted_for(b, node, &constant);
            return;
        }
    }
    Eval evals[3];
    for (uint32_t i = 0; i < args->count; i++)
        evals[i] = range[i].is_number ? eval_var(add_constant(b, bound_value(b, &range[i]))) : range[i].eval;
    Eval call = call_builtin_evals(b, "range", evals, args->count, node->for_loop.iter);
    build_dynamic_for(b, node, call.var, NULL);
}

static bool is_iterable(Builder *b, const Type *type)
{
    static const char name[] = "iter_next";
    const BuiltinSet *set = builtin_find(b->unit->builtins, name, sizeof name - 1);
    for (uint32_t i = 0; i < set->count; i++)
        if (types_equal(set->overloads[i]->params[0].type, type) ||
            is_same_query(b, type, set->overloads[i]->params[0].type))
            return true;
    return false;
}

/* What a loop without range() runs over: a query, or a range in a variable. */
static IrVar *loop_range(Builder *b, const Node *node)
{
    IrVar *var = build_var(b, node->for_loop.iter);
    const Type *type = type_strip_reference(var->type);
    if (!is_iterable(b, type))
        fail_hint(b, node->for_loop.iter,
                  type->kind == TYPE_ARRAY  ? "loop over its indices: for k in range(a.shape[0])"
                  : type_is_composite(type) ? "loop over its indices: for k in range(len(v))"
                                            : NULL,
                  "a loop runs over range(...) or over the results of a query, not over %s", repr(b, type));
    return var;
}

static void build_for(Builder *b, const Node *node)
{
    if (is_range_call(node->for_loop.iter))
        build_range_for(b, node);
    else
        build_dynamic_for(b, node, loop_range(b, node), NULL);
}

static void build_while(Builder *b, const Node *node)
{
    promote_iterators(b, &node->while_loop.body, node);
    IrNode *while_node = add_node(b, IR_WHILE);
    IrWhile *data = while_node->while_node = ARENA_NEW(b->arena, IrWhile);
    IrRegion *outer = b->region;
    IrVarList *outer_block = b->block, test_vars = {0};
    data->label = b->labels++;
    b->region = &data->test;
    b->block = &test_vars;
    data->condition = load(b, build_var(b, node->while_loop.test));
    b->labels++;
    b->region = &data->body;
    b->block = &data->locals;
    Loop loop;
    enter_loop(b, &loop, data->label, true);
    build_loop_body(b, &loop, &node->while_loop.body, node);
    b->region = outer;
    b->block = outer_block;
}

static void build_jump(Builder *b, const Node *node)
{
    if (b->going_on && node->kind == NODE_CONTINUE) {
        set_symbol(b, b->going_on, eval_var(add_constant(b, value_bool(false))));
        return;
    }
    if (!b->loop)
        fail(b, node, "'%s' outside a loop", node->kind == NODE_BREAK ? "break" : "continue");
    write_back(b, b->loop->at_start, node);
    IrNode *jump = add_node(b, node->kind == NODE_BREAK ? IR_BREAK : IR_CONTINUE);
    jump->jump.label = b->loop->label;
    jump->jump.is_while = b->loop->is_while;
}

/* ---- return and the rest ---- */

static const char *types_of(Builder *b, IrVar **values, uint32_t count)
{
    Text text;
    text_init_in(&text, b->arena);
    for (uint32_t i = 0; i < count; i++) {
        text_str(&text, i ? ", " : "");
        type_repr(type_strip_reference(values[i]->type), &text);
    }
    return count ? text_cstr(&text) : "no value";
}

static _Noreturn void fail_returns(Builder *b, const Node *node, IrVar **values, uint32_t count)
{
    uint32_t line = source_position(b->code->scope->file->source, b->returned->start).line;
    fail_hint(b, node, "make all results of one type, for example with a conversion",
              "this returns %s, but line %u returns %s", types_of(b, values, count), line,
              types_of(b, b->function->returns, b->function->return_count));
}

static void build_return(Builder *b, const Node *node)
{
    IrVar **values = NULL;
    uint32_t count = 0;
    const Node *value = node->ret.value;
    if (value && value->kind == NODE_TUPLE) {
        count = value->sequence.elts.count;
        values = ARENA_ARRAY(b->arena, IrVar *, count);
        for (uint32_t i = 0; i < count; i++)
            values[i] = build_var(b, value->sequence.elts.items[i]);
    } else if (value) {
        Eval eval = build_expr(b, value);
        if (eval.kind == EVAL_LIST) {
            count = eval.count;
            values = ARENA_ARRAY(b->arena, IrVar *, count);
            memcpy(values, eval.list, count * sizeof *values);
        } else if (eval.kind == EVAL_VAR) {
            count = 1;
            values = ARENA_ARRAY(b->arena, IrVar *, 1);
            values[0] = eval.var;
        } else
            fail(b, value, "%s cannot be returned from a function", eval_repr(b, &eval));
    }
    IrFunction *function = b->function;
    if (function->returns) {
        bool same = value && count == function->return_count;
        for (uint32_t i = 0; same && i < count; i++) {
            const Type *before = function->returns[i]->type, *now = values[i]->type;
            same = types_have_one_form(before, now);
            if (before != now && is_same_query(b, before, now))
                unsupported(b, node, "queries of two kinds are returned");
        }
        if (!same)
            fail_returns(b, node, values, count);
    }
    if (value) {
        for (uint32_t i = 0; i < count; i++)
            if (values[i]->type->kind == TYPE_REF)
                values[i] = call_builtin(b, "copy", &values[i], 1, node).var;
        function->returns = values;
        function->return_count = count;
        b->returned = node;
    }
    IrNode *ret = add_node(b, IR_RETURN);
    ret->ret.values = function->returns;
    ret->ret.count = function->return_count;
    ret->ret.label = b->labels++;
}

static void build_assert(Builder *b, const Node *node)
{
    IrVar *condition = load(b, build_var(b, node->assert_stmt.test));
    Text *text = &b->unit->scratch;
    text->len = 0;
    code_segment(b->code, node->start, node->end, text);
    IrNode *assertion = add_node(b, IR_ASSERT);
    assertion->assertion.text = arena_strndup(b->arena, text->data, text->len);
    assertion->assertion.len = (uint32_t)text->len;
    assertion->assertion.condition = condition;
}

/* In an unrolled loop, what follows a statement that may continue is done only if it did not. */
static void build_body_from(Builder *b, const NodeList *body, uint32_t from)
{
    static const NodeList nothing;
    for (uint32_t i = from; i < body->count; i++) {
        const Node *node = body->items[i];
        build_statement(b, node);
        if (!b->going_on || !may_jump(node, NODE_CONTINUE))
            continue;
        if (node->kind == NODE_IF && i + 1 < body->count)
            build_choice(b, find_symbol(b, b->going_on)->eval.var, body, i + 1, &nothing, node);
        return;
    }
}

void build_body(Builder *b, const NodeList *body)
{
    build_body_from(b, body, 0);
}

void build_statement(Builder *b, const Node *node)
{
    uint32_t outer = b->statement;
    b->statement = node->start;
    enter_nesting(b, node);
    switch (node->kind) {
    case NODE_ASSIGN: build_assign(b, node); break;
    case NODE_AUG_ASSIGN: build_aug_assign(b, node); break;
    case NODE_EXPR: build_expr(b, node->expr.value); break;
    case NODE_IF: build_if(b, node); break;
    case NODE_FOR: build_for(b, node); break;
    case NODE_WHILE: build_while(b, node); break;
    case NODE_BREAK:
    case NODE_CONTINUE: build_jump(b, node); break;
    case NODE_RETURN: build_return(b, node); break;
    case NODE_ASSERT: build_assert(b, node); break;
    case NODE_PASS: break;
    case NODE_ANN_ASSIGN:
        fail_hint(b, node, "leave the annotation out", "an annotated assignment cannot be used in a kernel");
    default: fail(b, node, "%s cannot be used in a kernel", node_kind_words(node->kind));
    }
    b->nesting--;
    b->statement = outer;
}
