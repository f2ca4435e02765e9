/* Habits about loops: written out, counted by hand, or with a bound that is computed when the kernel is compiled. */
#include "synth/meaning/style.h"

static bool is_range(const Node *loop, uint32_t args)
{
    const Node *iter = loop->for_loop.iter;
    return loop->kind == NODE_FOR && iter->kind == NODE_CALL && iter->call.func->kind == NODE_NAME &&
           !iter->call.func->fact && name_is(iter->call.func->name.id, "range") && iter->call.args.count == args &&
           loop->for_loop.target->kind == NODE_NAME;
}

typedef struct Jumps {
    uint32_t symbol;
    bool jumps, stores; /* break, continue; something is stored to the symbol */
    uint32_t statements;
} Jumps;

static void look_for_jumps(Node **place, void *user)
{
    Jumps *jumps = user;
    const Node *node = *place;
    jumps->statements += is_statement(node);
    jumps->jumps |= node->kind == NODE_BREAK || node->kind == NODE_CONTINUE || node->kind == NODE_RETURN;
    jumps->stores |= node->kind == NODE_NAME && node->name.store && node->fact == jumps->symbol + 1;
    draft_slots(*place, look_for_jumps, user);
}

static Jumps jumps_in(NodeList *body, uint32_t symbol)
{
    Jumps jumps = {.symbol = symbol};
    for (uint32_t i = 0; i < body->count; i++)
        look_for_jumps(&body->items[i], &jumps);
    return jumps;
}

/* ---- written out ---- */

typedef struct Unrolling {
    Draft *d;
    uint32_t symbol;
    int64_t value;
} Unrolling;

static bool is_whole_number(const Node *node)
{
    return node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_INT;
}

static bool is_small_sum(const Node *node)
{
    return node->kind == NODE_BIN_OP && (node->bin_op.op == OP_ADD || node->bin_op.op == OP_MULT) &&
           is_whole_number(node->bin_op.left) && is_whole_number(node->bin_op.right);
}

/* x + 2 - 1 */
static void fold_offsets(Draft *d, Node **place)
{
    Node *node = *place, *inner = node->kind == NODE_BIN_OP ? node->bin_op.left : NULL;
    if (inner && (node->bin_op.op == OP_ADD || node->bin_op.op == OP_SUB) && is_whole_number(node->bin_op.right) &&
        constant_integer(node->bin_op.right) == 0) {
        *place = inner;
        return;
    }
    if (!inner || inner->kind != NODE_BIN_OP || (node->bin_op.op != OP_ADD && node->bin_op.op != OP_SUB) ||
        (inner->bin_op.op != OP_ADD && inner->bin_op.op != OP_SUB) || !is_whole_number(node->bin_op.right) ||
        !is_whole_number(inner->bin_op.right))
        return;
    int64_t a = (int64_t)constant_integer(inner->bin_op.right), b = (int64_t)constant_integer(node->bin_op.right);
    int64_t sum = (inner->bin_op.op == OP_ADD ? a : -a) + (node->bin_op.op == OP_ADD ? b : -b);
    *place = sum == 0
                 ? inner->bin_op.left
                 : draft_binary(d, sum > 0 ? OP_ADD : OP_SUB, inner->bin_op.left, draft_int(d, sum > 0 ? sum : -sum));
}

static void put_number(Node **place, void *user)
{
    Unrolling *unrolling = user;
    Node *node = *place;
    if (node->kind == NODE_NAME && node->fact == unrolling->symbol + 1) {
        *place = draft_int(unrolling->d, unrolling->value);
        return;
    }
    draft_slots(node, put_number, user);
    if (is_small_sum(node)) {
        int64_t a = (int64_t)constant_integer(node->bin_op.left), b = (int64_t)constant_integer(node->bin_op.right);
        *place = draft_int(unrolling->d, node->bin_op.op == OP_ADD ? a + b : a * b);
    } else
        fold_offsets(unrolling->d, place);
}

/* for k in range(3): f += g[k], as three statements */
static bool write_out_loop(Draft *d, Node *loop, NodeList *out)
{
    if (!is_range(loop, 1) || loop->for_loop.iter->call.args.items[0]->kind != NODE_CONSTANT)
        return false;
    uint32_t symbol = loop->for_loop.target->fact - 1;
    uint64_t trips = (uint64_t)constant_integer(loop->for_loop.iter->call.args.items[0]);
    Jumps jumps = jumps_in(&loop->for_loop.body, symbol);
    if (trips < 2 || trips > 4 || jumps.jumps || jumps.stores || jumps.statements > (d->habits.thorough ? 4 : 2) ||
        !perhaps(d, d->habits.unrolling))
        return false;
    for (uint64_t k = 0; k < trips; k++)
        for (uint32_t i = 0; i < loop->for_loop.body.count; i++) {
            Unrolling unrolling = {d, symbol, (int64_t)k};
            Node *copy = draft_copy(d, loop->for_loop.body.items[i]);
            bool comment = copy->kind == NODE_EXPR && copy->expr.value->kind == NODE_NAME;
            if (comment && k)
                continue;
            put_number(&copy, &unrolling);
            draft_push(d, out, copy);
        }
    return true;
}

/* ---- counted by hand ---- */

static bool is_fixed(const Draft *d, const Node *node)
{
    return node->kind == NODE_CONSTANT || node->kind == NODE_UNARY_OP ||
           (node->kind == NODE_NAME && node->fact && d->symbols[node->fact - 1].kind == SYMBOL_CONSTANT);
}

/* for k in range(a, n), as k = a; while k < n: …; k += 1. What runs a fixed number of times is unrolled by the compiler,
 * and stays a for. */
static bool count_by_hand(Draft *d, const Node *loop, NodeList *out)
{
    if (!is_range(loop, 1) && !is_range(loop, 2))
        return false;
    const NodeList *args = &loop->for_loop.iter->call.args;
    const Node *bound = args->items[args->count - 1];
    uint32_t symbol = loop->for_loop.target->fact - 1;
    NodeList body = loop->for_loop.body;
    Jumps jumps = jumps_in(&body, symbol);
    if (!draft_is_simple(bound) || is_fixed(d, bound) || jumps.jumps || jumps.stores ||
        !perhaps(d, d->habits.while_loops))
        return false;
    Node *start = args->count == 2 ? args->items[0] : draft_int(d, 0), *target = draft_name(d, symbol);
    target->name.store = true;
    if (start->kind == NODE_CONSTANT || start->kind == NODE_UNARY_OP)
        start = draft_call(d, draft_word(d, "int"), &start, 1);
    else if (!draft_is_simple(start) && start->kind != NODE_SUBSCRIPT && start->kind != NODE_BIN_OP)
        return false;
    else if (start->kind == NODE_NAME)
        return false; /* a second name of the same variable */
    draft_push(d, out, draft_assign(d, target, start));
    Node *again = draft_new(d, NODE_WHILE), *step = draft_new(d, NODE_AUG_ASSIGN);
    again->while_loop.test = draft_compare(d, OP_LT, draft_name(d, symbol), draft_copy(d, bound));
    again->while_loop.body = body;
    step->aug_assign.op = OP_ADD;
    step->aug_assign.target = draft_copy(d, target);
    step->aug_assign.value = draft_int(d, 1);
    draft_push(d, &again->while_loop.body, step);
    draft_push(d, out, again);
    return true;
}

static void loop_list(NodeList *list, void *user)
{
    Draft *d = user;
    NodeList out = {0};
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        draft_lists(node, loop_list, d);
        if (node->kind != NODE_FOR || (!write_out_loop(d, node, &out) && !count_by_hand(d, node, &out)))
            draft_push(d, &out, node);
    }
    *list = out;
}

void style_loops(Draft *d, NodeList *body)
{
    if (d->habits.unrolling > 0 || d->habits.while_loops > 0)
        loop_list(body, d);
}
