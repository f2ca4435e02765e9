/* Syntax tree to plan: statements.
 *
 * Names are resolved in the order of the text, as Warp does: a name that has been assigned before (or is a parameter)
 * is a slot, any other one belongs to the module. What cannot run becomes a node that says so when it is reached. */
#include "eval/ast/impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NESTING = 200 };

/* ---- slots ---- */

bool find_plan_slot(const Plan *plan, Name name, uint32_t *slot)
{
    const TableSlot *known = plan->slot_count ? table_find(&plan->slot_places, name) : NULL;
    if (known)
        *slot = known->number;
    return known;
}

uint32_t slot_of(Lower *l, Name name)
{
    uint32_t slot;
    Plan *plan = l->plan;
    if (find_plan_slot(plan, name, &slot)) {
        plan->slots[slot].assigned = true;
        return slot;
    }
    table_add(&plan->slot_places, l->e->arena, name)->number = plan->slot_count;
    ARENA_PUSH(l->e->arena, plan->slots, plan->slot_count, plan->slot_cap) = (Slot){.name = name, .assigned = true};
    if (l->constant_cap < plan->slot_count) {
        uint32_t cap = l->constant_cap ? l->constant_cap * 2 : 32;
        l->constant =
            arena_grow(l->e->arena, l->constant, l->constant_cap * sizeof *l->constant, cap * sizeof *l->constant);
        l->constant_cap = cap;
    }
    l->constant[plan->slot_count - 1] = NULL;
    return plan->slot_count - 1;
}

typedef struct ConstantChange {
    uint32_t slot;
    bool lasts; /* another value behind the branch than before it */
    const Value *before;
} ConstantChange;

static void set_constant(Lower *l, uint32_t slot, const Value *value)
{
    if (l->branches && l->constant[slot] != value) {
        const ConstantChange change = {.slot = slot, .before = l->constant[slot]};
        ARENA_PUSH(l->e->arena, l->changes, l->change_count, l->change_cap) = change;
    }
    l->constant[slot] = value;
}

/* Undoes what a branch has changed since `mark`; slots that are new in it stay. */
static void undo_changes(Lower *l, uint32_t mark, uint32_t known)
{
    uint32_t end = l->change_count;
    const Value **after = ARENA_ARRAY(l->e->arena, const Value *, end - mark + 1);
    for (uint32_t i = mark; i < end; i++)
        after[i - mark] = l->constant[l->changes[i].slot];
    for (uint32_t i = end; i-- > mark;)
        if (l->changes[i].slot < known)
            l->constant[l->changes[i].slot] = l->changes[i].before;
    for (uint32_t i = mark; i < end; i++)
        l->changes[i].lasts = after[i - mark] != l->constant[l->changes[i].slot];
}

/* Behind both branches, of which the first ended at `middle`: constants are what both have left as they were. */
static void join_changes(Lower *l, uint32_t mark, uint32_t middle, uint32_t known)
{
    uint32_t end = l->change_count;
    for (uint32_t i = middle; i < end; i++)
        l->changes[i].lasts = l->constant[l->changes[i].slot] != l->changes[i].before;
    for (uint32_t i = mark; i < end; i++)
        if (l->changes[i].lasts)
            set_constant(l, l->changes[i].slot, NULL);
    for (uint32_t i = known; i < l->plan->slot_count; i++)
        set_constant(l, i, NULL);
}

/* ---- statements ---- */

static Block lower_block(Lower *l, const NodeList *body);

static void refuse(Lower *l, Stmt *stmt, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void refuse(Lower *l, Stmt *stmt, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    stmt->kind = STMT_UNSUPPORTED;
    stmt->message = arena_format_list(l->e->arena, format, args);
    va_end(args);
}

static void lower_name_assign(Lower *l, const Node *target, const Node *value, Stmt *stmt)
{
    stmt->kind = STMT_NAME;
    stmt->value = lower_expr(l, value);
    stmt->slot = slot_of(l, target->name.id);
    set_constant(l, stmt->slot, value->kind == NODE_NAME ? NULL : stmt->value->literal);
}

typedef struct StoreSearch {
    Name name;
    bool whole, part; /* the name itself is assigned; a component or field of it */
} StoreSearch;

static void find_stores(const Node *node, void *user)
{
    StoreSearch *search = user;
    const Node *target = node->kind == NODE_AUG_ASSIGN                             ? node->aug_assign.target
                         : node->kind == NODE_ASSIGN && node->assign.targets.count ? node->assign.targets.items[0]
                                                                                   : NULL;
    const Node *root = target;
    while (root && (root->kind == NODE_SUBSCRIPT || root->kind == NODE_ATTRIBUTE))
        root = root->kind == NODE_SUBSCRIPT ? root->subscript.value : root->attribute.value;
    if (root && root != target && root->kind == NODE_NAME && root->name.id == search->name)
        search->part = true;
    if (node->kind == NODE_NAME && node->name.store && node->name.id == search->name)
        search->whole = true;
    node_children(node, find_stores, user);
}

static StoreSearch stores_of(const NodeList *body, Name name)
{
    StoreSearch search = {.name = name};
    for (uint32_t i = 0; i < body->count; i++)
        find_stores(body->items[i], &search);
    return search;
}

/* `x, y = a, b` makes x another name of a, not a copy. At the end of an iteration of a loop that is not unrolled, Warp
 * writes changed variables back in the order in which they were first assigned: if a comes before x, x gets the new a.
 * (So `a, b = b, a` loses a value.) */
static bool is_lost_in_loop(const Lower *l, Name from, uint32_t target)
{
    uint32_t source;
    return l->loop_body && find_plan_slot(l->plan, from, &source) && source < target &&
           stores_of(l->loop_body, from).whole;
}

static void lower_tuple_assign(Lower *l, const Node *target, const Node *value, Stmt *stmt)
{
    const NodeList *targets = &target->sequence.elts;
    stmt->kind = STMT_TUPLE;
    stmt->value = value->kind == NODE_CALL ? lower_call(l, value, targets->count) : lower_expr(l, value);
    stmt->slots = ARENA_ARRAY(l->e->arena, uint32_t, targets->count);
    stmt->slot_count = targets->count;
    for (uint32_t i = 0; i < targets->count; i++) {
        if (targets->items[i]->kind != NODE_NAME) {
            refuse(l, stmt, "only names can be assigned several values at once");
            return;
        }
        Name name = targets->items[i]->name.id;
        stmt->slots[i] = slot_of(l, name);
        bool known = value->kind == NODE_TUPLE && i < value->sequence.elts.count;
        const Node *from = known ? value->sequence.elts.items[i] : NULL;
        set_constant(l, stmt->slots[i], known ? stmt->value->kids[i]->literal : NULL);
        if (!from || from->kind != NODE_NAME || from->name.id == name)
            continue;
        if (is_lost_in_loop(l, from->name.id, stmt->slots[i])) {
            refuse(l, stmt, "'%s' is changed in this loop: Warp's code does not keep both values", from->name.id->text);
            return;
        }
        const NodeList *body = &l->code->def->function.body;
        stmt->is_alias |= stores_of(body, name).part || stores_of(body, from->name.id).part;
    }
}

static void lower_assign(Lower *l, const Node *node, Stmt *stmt)
{
    const Node *target = node->assign.targets.items[0], *value = node->assign.value;
    if (node->assign.targets.count != 1)
        refuse(l, stmt, "one value is assigned to several targets");
    else if (target->kind == NODE_NAME)
        lower_name_assign(l, target, value, stmt);
    else if (target->kind == NODE_TUPLE)
        lower_tuple_assign(l, target, value, stmt);
    else {
        stmt->kind = STMT_PLACE;
        stmt->value = lower_expr(l, value);
        stmt->place = lower_expr(l, target);
    }
}

static void lower_aug_assign(Lower *l, const Node *node, Stmt *stmt)
{
    const Node *target = node->aug_assign.target;
    OpKind op = stmt->op = node->aug_assign.op;
    stmt->value = lower_expr(l, node->aug_assign.value);
    stmt->overload = operator_function(l, op);
    stmt->place = lower_expr(l, target);
    stmt->is_atomic = (target->kind == NODE_SUBSCRIPT || target->kind == NODE_ATTRIBUTE) &&
                      (op == OP_ADD || op == OP_SUB || op == OP_BIT_AND || op == OP_BIT_OR || op == OP_BIT_XOR);
    stmt->kind = STMT_AUG_PLACE;
    if (target->kind == NODE_NAME) {
        stmt->kind = STMT_AUG_NAME;
        stmt->slot = slot_of(l, target->name.id);
        set_constant(l, stmt->slot, NULL);
    }
}

static void lower_if(Lower *l, const Node *node, Stmt *stmt)
{
    stmt->kind = STMT_IF;
    stmt->value = lower_expr(l, node->if_stmt.test);
    if (stmt->value->eval == eval_constant) { /* only the branch taken exists */
        const Datum *test = &stmt->value->constant.rounded;
        if (test->kind == DATUM_VALUE && type_is_single(test->type)) {
            bool truth = is_float_kind(test->type->kind) ? test->cells->real != 0 : test->cells->integer != 0;
            if (truth)
                stmt->body = lower_block(l, &node->if_stmt.body);
            else
                stmt->orelse = lower_block(l, &node->if_stmt.orelse);
            return;
        }
    }
    uint32_t known = l->plan->slot_count, mark = l->change_count;
    l->branches++;
    stmt->body = lower_block(l, &node->if_stmt.body);
    uint32_t middle = l->change_count;
    undo_changes(l, mark, known);
    stmt->orelse = lower_block(l, &node->if_stmt.orelse);
    join_changes(l, mark, middle, known);
    if (!--l->branches)
        l->change_count = 0;
}

/* Names that a loop assigns are variables in it, not constants. */
static void forget_stored(const Node *node, void *user)
{
    Lower *l = user;
    uint32_t slot;
    if (node->kind == NODE_NAME && node->name.store && find_plan_slot(l->plan, node->name.id, &slot))
        set_constant(l, slot, NULL);
    node_children(node, forget_stored, user);
}

static bool contains_jump(const NodeList *body)
{
    for (uint32_t i = 0; i < body->count; i++) {
        const Node *node = body->items[i];
        if (node->kind == NODE_BREAK || node->kind == NODE_CONTINUE)
            return true;
        if (node->kind == NODE_IF && (contains_jump(&node->if_stmt.body) || contains_jump(&node->if_stmt.orelse)))
            return true;
    }
    return false;
}

/* A short range of constants, without break and continue. */
static bool is_unrolled(const Lower *l, const Node *node, const Expr *iter)
{
    BigInt bounds[3] = {0, 0, 1};
    if (iter->eval != eval_call_builtin || strcmp(iter->call->name, "range") || iter->count > 3 ||
        contains_jump(&node->for_loop.body))
        return false;
    for (uint32_t i = 0; i < iter->count; i++)
        if (!iter->kids[i]->literal || !value_as_int(iter->kids[i]->literal, &bounds[iter->count > 1 ? i : 1]))
            return false;
    const ModuleOptions *options = l->e->kernel->module;
    BigInt span = bounds[1] - bounds[0], step = bounds[2];
    return step != 0 && options && (span < 0 ? -span : span) / (step < 0 ? -step : step) <= options->max_unroll;
}

static void forget_all_stored(Lower *l, const NodeList *body)
{
    for (uint32_t i = 0; i < body->count; i++)
        forget_stored(body->items[i], l);
}

static Block lower_loop_body(Lower *l, const NodeList *body, bool unrolled)
{
    const NodeList *outer = l->loop_body;
    forget_all_stored(l, body);
    if (!unrolled)
        l->loop_body = body;
    Block block = lower_block(l, body);
    l->loop_body = outer;
    forget_all_stored(l, body);
    return block;
}

static void lower_for(Lower *l, const Node *node, Stmt *stmt)
{
    stmt->kind = STMT_FOR;
    stmt->value = lower_expr(l, node->for_loop.iter);
    if (node->for_loop.target->kind != NODE_NAME) {
        refuse(l, stmt, "the variable of a loop must be a name");
        return;
    }
    stmt->slot = slot_of(l, node->for_loop.target->name.id);
    set_constant(l, stmt->slot, NULL);
    stmt->body = lower_loop_body(l, &node->for_loop.body, is_unrolled(l, node, stmt->value));
}

uint32_t lower_place(const Lower *l, const Node *node)
{
    return place_in_kernel(&l->e->kernel->code, l->code, node->start);
}

static void lower_while(Lower *l, const Node *node, Stmt *stmt)
{
    stmt->kind = STMT_WHILE;
    stmt->value = lower_expr(l, node->while_loop.test);
    stmt->body = lower_loop_body(l, &node->while_loop.body, false);
}

static bool lower_statement(Lower *l, const Node *node, Stmt *stmt)
{
    *stmt = (Stmt){.offset = lower_place(l, node)};
    switch (node->kind) {
    case NODE_PASS: return false;
    case NODE_ASSERT: /* off in the release builds that Warp makes, but for what its condition does */
        stmt->kind = STMT_EXPR;
        stmt->value = lower_expr(l, node->assert_stmt.test);
        break;
    case NODE_EXPR:
        if (node->expr.value->kind == NODE_CONSTANT)
            return false; /* a docstring */
        stmt->kind = STMT_EXPR;
        stmt->value = lower_expr(l, node->expr.value);
        break;
    case NODE_ASSIGN: lower_assign(l, node, stmt); break;
    case NODE_AUG_ASSIGN: lower_aug_assign(l, node, stmt); break;
    case NODE_IF: lower_if(l, node, stmt); break;
    case NODE_FOR: lower_for(l, node, stmt); break;
    case NODE_WHILE: lower_while(l, node, stmt); break;
    case NODE_BREAK: stmt->kind = STMT_BREAK; break;
    case NODE_CONTINUE: stmt->kind = STMT_CONTINUE; break;
    case NODE_RETURN:
        stmt->kind = STMT_RETURN;
        stmt->value = node->ret.value ? lower_expr(l, node->ret.value) : NULL;
        break;
    default: refuse(l, stmt, "%s has no meaning in a kernel", node_kind_name(node->kind));
    }
    return true;
}

static Block lower_block(Lower *l, const NodeList *body)
{
    Block block = {.items = ARENA_ARRAY(l->e->arena, Stmt, body->count)};
    if (++l->nesting > MAX_NESTING) {
        l->nesting--;
        if (body->count) {
            block.items[0].offset = lower_place(l, body->items[0]);
            refuse(l, &block.items[block.count++], "the code is nested too deeply");
        }
        return block;
    }
    for (uint32_t i = 0; i < body->count; i++)
        block.count += lower_statement(l, body->items[i], &block.items[block.count]);
    l->nesting--;
    return block;
}

/* ---- plans ---- */

Plan *lower_plan(Evaluator *e, const Code *code, Func *func)
{
    Plan *plan = ARENA_NEW(e->arena, Plan);
    plan->code = code;
    plan->func = func;
    plan->base = plan;
    plan->next = e->plans;
    e->plans = plan;
    if (func && func->is_snippet) {
        plan->refused = arena_format(e->arena, "'%s' is native code", func->key->text);
        return plan;
    }
    Lower l = {.e = e, .plan = plan, .code = code};
    for (uint32_t i = 0; i < code->param_count; i++) {
        uint32_t slot = slot_of(&l, code->params[i].name);
        plan->slots[slot].assigned = false;
        if (code->params[i].type && code->params[i].type->kind == TYPE_REF)
            plan->refused = "a wp.ref parameter";
    }
    plan->body = lower_block(&l, &code->def->function.body);
    if (e->has_tiles && e->main) /* those before: tile_prepare() */
        tile_mark_plan(e, plan);
    return plan;
}

Plan *plan_of(Evaluator *e, const Code *code, Func *func)
{
    TableSlot *same = table_add(&e->plans_of_definitions, e->arena, code->def);
    for (Plan *plan = same->item; plan; plan = plan->next_of_definition)
        if (plan->code->scope == code->scope && plan->code->statics == code->statics && plan->func == func)
            return plan;
    Plan *plan = lower_plan(e, code, func);
    plan->next_of_definition = same->item;
    same->item = plan;
    return plan;
}
