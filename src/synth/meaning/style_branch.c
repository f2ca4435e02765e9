/* Habits about branches, statement by statement: which side comes first, whether the rest is an else. */
#include "synth/meaning/style.h"

#include <string.h>

static bool ends_in_return(const NodeList *body)
{
    return body->count && body->items[body->count - 1]->kind == NODE_RETURN && !body->items[body->count - 1]->ret.value;
}

/* if c: …; return  and the rest, as  if c: … else: the rest */
static void make_else(Draft *d, NodeList *body, uint32_t at)
{
    Node *node = body->items[at];
    node->if_stmt.body.count--;
    for (uint32_t i = at + 1; i < body->count; i++)
        draft_push(d, &node->if_stmt.orelse, body->items[i]);
    body->count = at + 1;
}

static void join_branches(Draft *d, NodeList *body)
{
    for (uint32_t i = 0; i + 1 < body->count; i++) {
        Node *node = body->items[i];
        if (node->kind == NODE_IF && !node->if_stmt.orelse.count && node->if_stmt.body.count > 1 &&
            !is_comment(node->if_stmt.body.items[node->if_stmt.body.count - 2]) &&
            ends_in_return(&node->if_stmt.body) && body->count - i < 16 && perhaps(d, d->habits.else_blocks)) {
            make_else(d, body, i);
            return;
        }
    }
}

/* if a or b: return  as two guards */
static bool is_double_guard(const Node *node)
{
    return node->kind == NODE_IF && node->if_stmt.test->kind == NODE_BOOL_OP &&
           node->if_stmt.test->bool_op.op == OP_OR && !node->if_stmt.orelse.count && node->if_stmt.body.count == 1 &&
           (node->if_stmt.body.items[0]->kind == NODE_RETURN || node->if_stmt.body.items[0]->kind == NODE_CONTINUE);
}

static void split_guard(Draft *d, const Node *node, NodeList *out)
{
    const NodeList *tests = &node->if_stmt.test->bool_op.values;
    for (uint32_t i = 0; i < tests->count; i++) {
        Node *guard = draft_new(d, NODE_IF);
        guard->if_stmt.test = tests->items[i];
        draft_push(d, &guard->if_stmt.body, draft_copy(d, node->if_stmt.body.items[0]));
        draft_push(d, out, guard);
    }
}

static bool has_elif(const Node *node)
{
    return node->if_stmt.orelse.count == 1 && node->if_stmt.orelse.items[0]->kind == NODE_IF;
}

static bool is_comparison(const Node *test)
{
    return test->kind == NODE_COMPARE && test->compare.comparators.count == 1;
}

static void drop_last_comment(NodeList *list)
{
    if (list->count && is_comment(list->items[list->count - 1]))
        list->count--;
}

static void swap_branches(Draft *d, Node *node)
{
    NodeList body = node->if_stmt.body;
    node->if_stmt.test = negated(d, node->if_stmt.test);
    node->if_stmt.body = node->if_stmt.orelse;
    node->if_stmt.orelse = body;
}

/* if c: x = a else: x = b  as  x = b; if c: x = a */
static bool is_preset(const Node *node)
{
    if (node->kind != NODE_IF || node->if_stmt.body.count != 1 || node->if_stmt.orelse.count != 1)
        return false;
    const Node *yes = node->if_stmt.body.items[0], *no = node->if_stmt.orelse.items[0];
    if (yes->kind != NODE_ASSIGN || no->kind != NODE_ASSIGN)
        return false;
    const Node *a = yes->assign.targets.items[0], *b = no->assign.targets.items[0];
    return a->kind == NODE_NAME && b->kind == NODE_NAME && a->fact == b->fact && draft_is_simple(no->assign.value) &&
           !draft_uses(node->if_stmt.test, a->fact - 1) && !draft_uses(yes->assign.value, a->fact - 1);
}

static void flip_comparison(Node **place, void *user)
{
    Draft *d = user;
    Node *node = *place;
    if (is_statement(node))
        return;
    draft_slots(node, flip_comparison, user);
    if (!is_comparison(node) || node->compare.left->kind == NODE_CONSTANT ||
        node->compare.comparators.items[0]->kind == NODE_CONSTANT || !perhaps(d, d->habits.flipping))
        return;
    static const OpKind from[] = {OP_LT, OP_GT, OP_LT_E, OP_GT_E}, to[] = {OP_GT, OP_LT, OP_GT_E, OP_LT_E};
    for (size_t i = 0; i < 4; i++)
        if (node->compare.ops[0] == from[i]) {
            *place = draft_compare(d, to[i], node->compare.comparators.items[0], node->compare.left);
            return;
        }
}

static void branch_list(NodeList *list, void *user)
{
    Draft *d = user;
    NodeList out = {0};
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        draft_lists(node, branch_list, d);
        if (node->kind == NODE_IF)
            flip_comparison(&node->if_stmt.test, d);
        if (is_double_guard(node) && perhaps(d, d->habits.single_guards)) {
            split_guard(d, node, &out);
            continue;
        }
        if (is_preset(node) && perhaps(d, d->habits.presets)) {
            draft_push(d, &out, node->if_stmt.orelse.items[0]);
            node->if_stmt.orelse.count = 0;
        } else if (node->kind == NODE_IF && node->if_stmt.orelse.count && !has_elif(node) &&
                   is_comparison(node->if_stmt.test) && perhaps(d, d->habits.swapped_branches)) {
            swap_branches(d, node);
            drop_last_comment(&out); /* it was about the other branch */
        }
        draft_push(d, &out, node);
    }
    *list = out;
}

void style_branches(Draft *d, NodeList *body)
{
    branch_list(body, d);
}

void style_rest(Draft *d)
{
    join_branches(d, &d->body);
}
