/* See carry.h. */
#include "synth/meaning/carry.h"

#include <string.h>

/* ---- variables of a loop ---- */

typedef struct Search {
    Draft *d;
    Carry *carry;
} Search;

static Carried *carried_of(Search *search, uint32_t symbol)
{
    Carry *carry = search->carry;
    for (uint32_t i = 0; i < carry->count; i++)
        if (carry->variables[i].symbol == symbol)
            return &carry->variables[i];
    if (carry->count == MAX_CARRIED) {
        carry->overflows = true;
        return &carry->variables[0];
    }
    carry->variables[carry->count] = (Carried){.symbol = symbol};
    return &carry->variables[carry->count++];
}

static void find_stored(Node **place, void *user)
{
    Search *search = user;
    Node *node = *place;
    if (node->kind == NODE_NAME && node->name.store && node->fact)
        carried_of(search, node->fact - 1);
    if (node->kind == NODE_FOR) { /* its counter is set by the loop */
        for (uint32_t i = 0; i < node->for_loop.body.count; i++)
            find_stored(&node->for_loop.body.items[i], user);
        return;
    }
    draft_slots(node, find_stored, user);
}

static Carried *known_variable(Search *search, const Node *name)
{
    for (uint32_t i = 0; name->kind == NODE_NAME && name->fact && i < search->carry->count; i++)
        if (search->carry->variables[i].symbol == name->fact - 1)
            return &search->carry->variables[i];
    return NULL;
}

static void note_accesses(Node **place, void *user);

/* total += x, total = total + x, total = x + total: where to find x; NULL: it is no sum. */
static Node **summand(Node *node, uint32_t fact)
{
    if (node->kind == NODE_AUG_ASSIGN)
        return node->aug_assign.op == OP_ADD || node->aug_assign.op == OP_SUB ? &node->aug_assign.value : NULL;
    Node *value = node->assign.value;
    if (value->kind != NODE_BIN_OP || (value->bin_op.op != OP_ADD && value->bin_op.op != OP_SUB))
        return NULL;
    if (value->bin_op.left->kind == NODE_NAME && value->bin_op.left->fact == fact)
        return &value->bin_op.right;
    bool right =
        value->bin_op.op == OP_ADD && value->bin_op.right->kind == NODE_NAME && value->bin_op.right->fact == fact;
    return right ? &value->bin_op.left : NULL;
}

static void note_store(Search *search, Node *node, Node *target)
{
    Carried *variable = known_variable(search, target);
    Node **more = variable ? summand(node, target->fact) : NULL;
    Node **value = node->kind == NODE_ASSIGN ? &node->assign.value : &node->aug_assign.value;
    if (more) {
        note_accesses(more, search);
        variable->loaded_first |= !variable->stores;
        variable->sums++;
    } else {
        note_accesses(value, search);
        if (node->kind == NODE_AUG_ASSIGN || !variable)
            note_accesses(node->kind == NODE_ASSIGN ? &node->assign.targets.items[0] : &node->aug_assign.target,
                          search);
    }
    if (variable)
        variable->stores++;
}

/* In the order in which they happen. */
static void note_accesses(Node **place, void *user)
{
    Search *search = user;
    Node *node = *place;
    if (node->kind == NODE_ASSIGN && node->assign.targets.items[0]->kind != NODE_TUPLE)
        note_store(search, node, node->assign.targets.items[0]);
    else if (node->kind == NODE_ASSIGN) {
        note_accesses(&node->assign.value, search);
        note_accesses(&node->assign.targets.items[0], search);
    } else if (node->kind == NODE_AUG_ASSIGN)
        note_store(search, node, node->aug_assign.target);
    else if (known_variable(search, node)) {
        Carried *variable = known_variable(search, node);
        if (node->name.store)
            variable->stores++;
        else {
            variable->loaded_first |= !variable->stores;
            variable->loads++;
        }
    } else
        draft_slots(node, note_accesses, user);
}

/* ---- what is read after it ---- */

typedef struct After {
    Search search;
    const Node *loop;
    bool passed;
    bool settled[MAX_CARRIED], read[MAX_CARRIED]; /* of each variable: it was met; it was read first */
} After;

static void look_after(Node **place, void *user);

static void settle(After *after, const Node *name, bool read)
{
    const Carried *variable = known_variable(&after->search, name);
    uint32_t i = variable ? (uint32_t)(variable - after->search.carry->variables) : MAX_CARRIED;
    if (!after->passed || !variable || after->settled[i])
        return;
    after->settled[i] = true;
    after->read[i] = read;
}

static void look_at_branches(Node *node, After *after)
{
    look_after(&node->if_stmt.test, after);
    bool before[MAX_CARRIED];
    memcpy(before, after->settled, sizeof before);
    for (uint32_t i = 0; i < node->if_stmt.body.count; i++)
        look_after(&node->if_stmt.body.items[i], after);
    for (uint32_t i = 0; i < MAX_CARRIED; i++) /* what one branch sets, the other one need not */
        after->settled[i] = before[i] || (after->settled[i] && after->read[i]);
    for (uint32_t i = 0; i < node->if_stmt.orelse.count; i++)
        look_after(&node->if_stmt.orelse.items[i], after);
    for (uint32_t i = 0; i < MAX_CARRIED; i++)
        after->settled[i] = before[i] || (after->settled[i] && after->read[i]);
}

static void look_after(Node **place, void *user)
{
    After *after = user;
    Node *node = *place;
    if (node == after->loop) {
        after->passed = true;
        return;
    }
    if (node->kind == NODE_ASSIGN) {
        look_after(&node->assign.value, user);
        look_after(&node->assign.targets.items[0], user);
    } else if (node->kind == NODE_AUG_ASSIGN) {
        settle(after, node->aug_assign.target, true);
        draft_slots(node, look_after, user);
    } else if (node->kind == NODE_IF)
        look_at_branches(node, after);
    else if (node->kind == NODE_NAME)
        settle(after, node, !node->name.store);
    else
        draft_slots(node, look_after, user);
}

void find_carry(Draft *d, Node *loop, NodeList *body, Carry *carry)
{
    Search search = {d, carry};
    NodeList *inner = loop->kind == NODE_FOR ? &loop->for_loop.body : &loop->while_loop.body;
    *carry = (Carry){0};
    for (uint32_t i = 0; i < inner->count; i++)
        find_stored(&inner->items[i], &search);
    for (uint32_t i = 0; i < inner->count; i++)
        note_accesses(&inner->items[i], &search);
    After after = {.search = search, .loop = loop};
    for (uint32_t i = 0; i < body->count; i++)
        look_after(&body->items[i], &after);
    for (uint32_t i = 0; i < carry->count; i++) {
        Carried *variable = &carry->variables[i];
        if (variable->loaded_first || after.read[i])
            variable->kind = variable->sums == variable->stores && !variable->loads && variable->loaded_first
                                 ? CARRY_SUM
                                 : CARRY_STATE;
    }
}

bool carries_state(const Carry *carry)
{
    bool found = carry->overflows;
    for (uint32_t i = 0; i < carry->count; i++)
        found |= carry->variables[i].kind == CARRY_STATE;
    return found;
}

/* ---- loops ---- */

static bool whole_number(const Draft *d, const Node *node, int64_t *value)
{
    int64_t left, right;
    if (node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_INT) {
        *value = (int64_t)constant_integer(node);
        return true;
    }
    if (node->kind == NODE_UNARY_OP && node->unary_op.op == OP_U_SUB &&
        whole_number(d, node->unary_op.operand, value)) {
        *value = -*value;
        return true;
    }
    if (node->kind == NODE_BIN_OP && (node->bin_op.op == OP_ADD || node->bin_op.op == OP_SUB) &&
        whole_number(d, node->bin_op.left, &left) && whole_number(d, node->bin_op.right, &right)) {
        *value = node->bin_op.op == OP_ADD ? left + right : left - right;
        return true;
    }
    for (uint32_t i = 0; node->kind == NODE_NAME && node->fact && i < d->constant_count; i++)
        if (d->constants[i].symbol == node->fact - 1)
            return whole_number(d, d->constants[i].value, value);
    return false;
}

uint32_t constant_turns(const Draft *d, const Node *loop)
{
    int64_t bounds[2] = {0, 0};
    if (loop->kind != NODE_FOR || loop->for_loop.iter->kind != NODE_CALL)
        return 0;
    const Node *call = loop->for_loop.iter;
    uint32_t count = call->call.args.count;
    if (call->call.func->kind != NODE_NAME || call->call.func->fact || !name_is(call->call.func->name.id, "range") ||
        !count || count > 2)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        if (!whole_number(d, call->call.args.items[i], &bounds[count == 1 ? 1 : i]))
            return 0;
    return bounds[1] > bounds[0] ? (uint32_t)(bounds[1] - bounds[0]) : 0;
}

static void find_jump(Node **place, void *user)
{
    NodeKind kind = (*place)->kind;
    *(bool *)user |= kind == NODE_BREAK || kind == NODE_CONTINUE || kind == NODE_RETURN;
    draft_slots(*place, find_jump, user);
}

bool leaves_early(Node *loop)
{
    bool found = false;
    find_jump(&loop, &found);
    return found;
}

bool is_unrolled_by_warp(const Draft *d, Node *loop)
{
    uint32_t turns = constant_turns(d, loop);
    return turns && turns <= MAX_UNROLLED_TURNS && !leaves_early(loop);
}

uint32_t unrolled_size(const Draft *d, const NodeList *list)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        size++;
        if (node->kind == NODE_IF)
            size += unrolled_size(d, &node->if_stmt.body) + unrolled_size(d, &node->if_stmt.orelse);
        else if (node->kind == NODE_WHILE)
            size += unrolled_size(d, &node->while_loop.body);
        else if (node->kind == NODE_FOR)
            size +=
                unrolled_size(d, &node->for_loop.body) * (is_unrolled_by_warp(d, node) ? constant_turns(d, node) : 1);
    }
    return size;
}
