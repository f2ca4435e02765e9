/* Habits about statements: updates, guards, conditions. */
#include "synth/meaning/style.h"

#include <string.h>

/* ---- updates ---- */

static bool is_same_name(const Node *a, const Node *b)
{
    return a->kind == NODE_NAME && b->kind == NODE_NAME && a->fact && a->fact == b->fact;
}

static bool is_literal(const Node *node)
{
    return node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_FLOAT;
}

/* x = x + y as x += y; scaling by a number is nearly always written so. */
static bool may_augment(Draft *d, const Node *value)
{
    if (value->bin_op.op == OP_MULT && is_literal(value->bin_op.right))
        return true;
    return d->habits.augmented_updates && (value->bin_op.op == OP_ADD || value->bin_op.op == OP_SUB ||
                                           value->bin_op.op == OP_MULT || value->bin_op.op == OP_DIV);
}

/* wp.atomic_add(f, i, v) as f[i] += v */
static Node *plain_atomic(Draft *d, Node *node)
{
    Node *call = node->expr.value;
    const NodeList *args = &call->call.args;
    bool add = name_is(call->call.func->attribute.attr, "atomic_add");
    if ((!add && !name_is(call->call.func->attribute.attr, "atomic_sub")) || args->count < 3)
        return node;
    Node *index = args->items[1];
    if (args->count > 3) {
        index = draft_new(d, NODE_TUPLE);
        for (uint32_t i = 1; i + 1 < args->count; i++)
            draft_push(d, &index->sequence.elts, args->items[i]);
    }
    Node *update = draft_new(d, NODE_AUG_ASSIGN);
    update->aug_assign.op = add ? OP_ADD : OP_SUB;
    update->aug_assign.target = draft_subscript(d, args->items[0], index);
    update->aug_assign.value = args->items[args->count - 1];
    return update;
}

static void update_list(NodeList *list, void *user)
{
    Draft *d = user;
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        if (node->kind == NODE_AUG_ASSIGN && node->aug_assign.target->kind == NODE_NAME && d->habits.plain_updates &&
            !is_literal(node->aug_assign.value)) {
            Node *again = draft_copy(d, node->aug_assign.target);
            again->name.store = false;
            list->items[i] = draft_assign(d, node->aug_assign.target,
                                          draft_binary(d, node->aug_assign.op, again, node->aug_assign.value));
        } else if (node->kind == NODE_ASSIGN && node->assign.value->kind == NODE_BIN_OP &&
                   is_same_name(node->assign.targets.items[0], node->assign.value->bin_op.left) &&
                   may_augment(d, node->assign.value)) {
            Node *update = draft_new(d, NODE_AUG_ASSIGN);
            update->aug_assign.op = node->assign.value->bin_op.op;
            update->aug_assign.target = node->assign.targets.items[0];
            update->aug_assign.value = node->assign.value->bin_op.right;
            list->items[i] = update;
        } else if (node->kind == NODE_EXPR && node->expr.value->kind == NODE_CALL && d->habits.plain_atomics &&
                   node->expr.value->call.func->kind == NODE_ATTRIBUTE)
            list->items[i] = plain_atomic(d, node);
        draft_lists(list->items[i], update_list, d);
    }
}

void style_updates(Draft *d, NodeList *body)
{
    update_list(body, d);
}

/* ---- conditions ---- */

static OpKind opposite(OpKind op)
{
    switch (op) {
    case OP_LT: return OP_GT_E;
    case OP_LT_E: return OP_GT;
    case OP_GT: return OP_LT_E;
    case OP_GT_E: return OP_LT;
    case OP_EQ: return OP_NOT_EQ;
    case OP_NOT_EQ: return OP_EQ;
    default: return op;
    }
}

Node *negated(Draft *d, Node *test)
{
    if (test->kind == NODE_COMPARE && test->compare.comparators.count == 1 &&
        opposite(test->compare.ops[0]) != test->compare.ops[0])
        return draft_compare(d, opposite(test->compare.ops[0]), test->compare.left, test->compare.comparators.items[0]);
    if (test->kind == NODE_UNARY_OP && test->unary_op.op == OP_NOT)
        return test->unary_op.operand;
    if (test->kind == NODE_BOOL_OP) {
        Node *node = draft_new(d, NODE_BOOL_OP);
        node->bool_op.op = test->bool_op.op == OP_AND ? OP_OR : OP_AND;
        for (uint32_t i = 0; i < test->bool_op.values.count; i++)
            draft_push(d, &node->bool_op.values, negated(d, test->bool_op.values.items[i]));
        return node;
    }
    Node *node = draft_new(d, NODE_UNARY_OP);
    node->unary_op.op = OP_NOT;
    node->unary_op.operand = test;
    return node;
}

typedef struct Safety {
    bool safe;
    uint32_t size;
} Safety;

/* May it be computed where it was not before? */
static void look_for_risks(Node **place, void *user)
{
    Safety *safety = user;
    Node *node = *place;
    safety->size++;
    bool call = node->kind == NODE_CALL, divides = node->kind == NODE_BIN_OP && node->bin_op.op != OP_ADD &&
                                                   node->bin_op.op != OP_SUB && node->bin_op.op != OP_MULT;
    if (node->kind == NODE_SUBSCRIPT || call || divides)
        safety->safe = false;
    draft_slots(node, look_for_risks, user);
}

static bool is_safe(Node *node)
{
    Safety safety = {true, 0};
    look_for_risks(&node, &safety);
    return safety.safe && safety.size <= 7;
}

/* if c: a = x; else: a = y */
static bool is_selection(const Node *node)
{
    if (node->kind != NODE_IF || node->if_stmt.body.count != 1 || node->if_stmt.orelse.count != 1)
        return false;
    const Node *yes = node->if_stmt.body.items[0], *no = node->if_stmt.orelse.items[0];
    return yes->kind == NODE_ASSIGN && no->kind == NODE_ASSIGN &&
           is_same_name(yes->assign.targets.items[0], no->assign.targets.items[0]) && is_safe(yes->assign.value) &&
           is_safe(no->assign.value);
}

static Node *selection(Draft *d, Node *node)
{
    Node *yes = node->if_stmt.body.items[0], *no = node->if_stmt.orelse.items[0], *value;
    if (d->habits.select_style == 1) {
        Node *parts[] = {node->if_stmt.test, yes->assign.value, no->assign.value};
        value = draft_call(d, draft_wp(d, "where"), parts, 3);
    } else {
        value = draft_new(d, NODE_IF_EXP);
        value->if_exp.test = node->if_stmt.test;
        value->if_exp.body = yes->assign.value;
        value->if_exp.orelse = no->assign.value;
    }
    return draft_assign(d, yes->assign.targets.items[0], value);
}

/* if c: x = -x */
static bool is_flip(const Node *node)
{
    if (node->kind != NODE_IF || node->if_stmt.body.count != 1 || node->if_stmt.orelse.count)
        return false;
    const Node *only = node->if_stmt.body.items[0];
    return only->kind == NODE_ASSIGN && only->assign.value->kind == NODE_UNARY_OP &&
           only->assign.value->unary_op.op == OP_U_SUB &&
           is_same_name(only->assign.targets.items[0], only->assign.value->unary_op.operand);
}

/* x = wp.where(c, -x, x) */
static Node *flip(Draft *d, Node *node)
{
    Node *only = node->if_stmt.body.items[0];
    Node *parts[] = {node->if_stmt.test, only->assign.value, draft_copy(d, only->assign.value->unary_op.operand)};
    return draft_assign(d, only->assign.targets.items[0], draft_call(d, draft_wp(d, "where"), parts, 3));
}

static void nest_conditions(Draft *d, Node *node)
{
    Node *inner = draft_new(d, NODE_IF), *test = node->if_stmt.test, *first = test->bool_op.values.items[0];
    inner->if_stmt.body = node->if_stmt.body;
    if (test->bool_op.values.count == 2)
        inner->if_stmt.test = test->bool_op.values.items[1];
    else {
        inner->if_stmt.test = draft_new(d, NODE_BOOL_OP);
        inner->if_stmt.test->bool_op.op = OP_AND;
        for (uint32_t i = 1; i < test->bool_op.values.count; i++)
            draft_push(d, &inner->if_stmt.test->bool_op.values, test->bool_op.values.items[i]);
    }
    node->if_stmt.test = first;
    node->if_stmt.body = (NodeList){0};
    draft_push(d, &node->if_stmt.body, inner);
}

/* Loops over a fixed number of elements are unrolled, and have no `continue`. */
static bool is_unrolled(const Draft *d, const Node *loop)
{
    if (loop->for_loop.iter->kind != NODE_CALL)
        return false;
    const NodeList *args = &loop->for_loop.iter->call.args;
    for (uint32_t i = 0; i < args->count; i++) {
        const Node *arg = args->items[i];
        bool constant = arg->kind == NODE_CONSTANT ||
                        (arg->kind == NODE_NAME && arg->fact && d->symbols[arg->fact - 1].kind == SYMBOL_CONSTANT) ||
                        arg->kind == NODE_UNARY_OP;
        if (!constant)
            return false;
    }
    return true;
}

/* A comment before a test is about what the test asks for, not about its opposite. */
static void drop_comment_before(NodeList *list, uint32_t at)
{
    if (!at || !is_comment(list->items[at - 1]))
        return;
    for (uint32_t i = at; i < list->count; i++)
        list->items[i - 1] = list->items[i];
    list->count--;
}

/* if near: …  at the end of a loop's body, as  if not near: continue */
static void continue_early(Draft *d, Node *loop)
{
    NodeList *body = &loop->for_loop.body;
    Node *last = body->items[body->count - 1];
    if (last->kind != NODE_IF || last->if_stmt.orelse.count || last->if_stmt.body.count < 2 || is_unrolled(d, loop))
        return;
    NodeList rest = last->if_stmt.body;
    last->if_stmt.test = negated(d, last->if_stmt.test);
    last->if_stmt.body = (NodeList){0};
    draft_push(d, &last->if_stmt.body, draft_new(d, NODE_CONTINUE));
    drop_comment_before(body, body->count - 1);
    draft_insert(d, body, body->count, &rest);
}

static void condition_list(NodeList *list, void *user)
{
    Draft *d = user;
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        draft_lists(node, condition_list, d);
        if (d->habits.select_style && is_selection(node))
            list->items[i] = selection(d, node);
        else if (is_flip(node))
            list->items[i] = flip(d, node);
        else if (node->kind == NODE_IF && node->if_stmt.test->kind == NODE_BOOL_OP && d->habits.nested_ifs &&
                 node->if_stmt.test->bool_op.op == OP_AND && !node->if_stmt.orelse.count)
            nest_conditions(d, node);
        else if (node->kind == NODE_FOR && d->habits.continues && node->for_loop.body.count)
            continue_early(d, node);
    }
}

void style_conditions(Draft *d, NodeList *body)
{
    condition_list(body, d);
}

/* ---- the guard of a kernel ---- */

static bool is_guard(const Node *node)
{
    return node->kind == NODE_IF && !node->if_stmt.orelse.count && node->if_stmt.body.count == 1 &&
           node->if_stmt.body.items[0]->kind == NODE_RETURN && !node->if_stmt.body.items[0]->ret.value;
}

void style_guard(Draft *d)
{
    if (!d->habits.nested_guard)
        return;
    for (uint32_t i = 0; i + 1 < d->body.count; i++) {
        Node *node = d->body.items[i];
        if (!is_guard(node) || d->body.count - i > 14)
            continue;
        node->if_stmt.test = negated(d, node->if_stmt.test);
        node->if_stmt.body = (NodeList){0};
        for (uint32_t k = i + 1; k < d->body.count; k++)
            draft_push(d, &node->if_stmt.body, d->body.items[k]);
        d->body.count = i + 1;
        drop_comment_before(&d->body, i);
        return;
    }
}
