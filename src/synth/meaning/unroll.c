/* Loops that carry a state are unrolled where that is affordable: the reverse pass of a loop that Warp unrolls knows every value. */
#include "synth/meaning/carry.h"

enum { LARGEST = 420, SMALLEST_COUNT = 5 }; /* statements of a kernel, when all is unrolled */

/* ---- counts and settings ---- */

typedef struct CountSearch {
    Draft *d;
    uint32_t symbol; /* of what loops count to */
    bool state;      /* a loop over it carries one */
    bool variable;   /* a loop over it stays one: from another start, or with an end of its own */
} CountSearch;

static bool is_bound(const CountSearch *search, const Node *node)
{
    return node->kind == NODE_NAME && node->fact == search->symbol + 1;
}

static bool is_plain_range(const CountSearch *search, const Node *loop)
{
    const NodeList *args = &loop->for_loop.iter->call.args;
    bool from_number = args->count == 1 || (args->count == 2 && args->items[0]->kind == NODE_CONSTANT);
    return from_number && is_bound(search, args->items[args->count - 1]);
}

static void look_for_states(NodeList *list, void *user)
{
    CountSearch *search = user;
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        draft_lists(node, look_for_states, user);
        if (node->kind != NODE_FOR || node->for_loop.iter->kind != NODE_CALL ||
            !draft_uses(node->for_loop.iter, search->symbol))
            continue;
        Carry carry;
        find_carry(search->d, node, &search->d->body, &carry);
        search->state |= carries_state(&carry);
        search->variable |= !is_plain_range(search, node) || leaves_early(node);
    }
}

static bool is_launched(const Draft *d, const Count *count)
{
    for (uint32_t i = 0; i < d->dims; i++)
        if (d->entities[i] == count->entity)
            return true;
    return false;
}

/* The size of the kernel with each loop over the count run so often. */
static uint32_t size_with(Draft *d, uint32_t symbol, uint32_t turns)
{
    d->constants[d->constant_count++] = (DraftConstant){symbol, draft_int(d, turns), 0};
    uint32_t size = unrolled_size(d, &d->body);
    d->constant_count--;
    return size;
}

/* So many that the loops can be unrolled; 0: they carry no state, or the kernel would be too large. */
static uint32_t fixed_turns(Draft *d, uint32_t symbol, uint32_t least, uint32_t most)
{
    CountSearch search = {.d = d, .symbol = symbol};
    look_for_states(&d->body, &search);
    if (!search.state || search.variable || least > most || d->constant_count == MAX_DRAFT_CONSTANTS)
        return 0;
    uint32_t turns = (uint32_t)rng_between(&d->rng, (int)least, (int)most);
    while (turns >= least && size_with(d, symbol, turns) > LARGEST)
        turns--;
    return turns >= least ? turns : 0;
}

void fix_counts(Draft *d)
{
    if (!d->habits.unrolled_states)
        return;
    for (uint32_t i = 0; i < d->count_count; i++)
        if (d->counts[i].symbol && !is_launched(d, &d->counts[i]))
            d->counts[i].turns = fixed_turns(d, d->counts[i].symbol, SMALLEST_COUNT, MAX_UNROLLED_TURNS);
    for (uint32_t i = 0; i < d->item_count; i++) {
        Item *item = &d->items[i];
        if (!item->present || item->part.kind != PART_SETTING || item->part.fixed ||
            !type_is_integer(item->part.quantity->type))
            continue;
        double high = item->part.high < MAX_UNROLLED_TURNS ? item->part.high : MAX_UNROLLED_TURNS;
        item->turns = item->part.low < 2 ? 0 : fixed_turns(d, item->symbol, (uint32_t)item->part.low, (uint32_t)high);
    }
}

/* ---- longer ranges ---- */

static void make_static(Draft *d, Node **bound)
{
    Node *part[] = {*bound};
    if ((*bound)->kind != NODE_CONSTANT && !is_wp_call(*bound, "static"))
        *bound = draft_call(d, draft_wp(d, "static"), part, 1);
}

/* range(-2, 2 + 1) is no constant range to Warp; range(wp.static(RADIUS + 1)) is. */
static void settle_bounds(Draft *d, Node *loop)
{
    NodeList *args = &loop->for_loop.iter->call.args;
    for (uint32_t i = 0; i < args->count; i++) {
        Node *arg = args->items[i];
        if (arg->kind != NODE_BIN_OP)
            continue;
        if (arg->bin_op.left->kind == NODE_CONSTANT && arg->bin_op.right->kind == NODE_CONSTANT) {
            int64_t left = (int64_t)constant_integer(arg->bin_op.left),
                    right = (int64_t)constant_integer(arg->bin_op.right);
            args->items[i] = draft_int(d, arg->bin_op.op == OP_ADD ? left + right : left - right);
        } else
            make_static(d, &args->items[i]);
    }
}

static void unroll_long(Draft *d, Node *loop)
{
    enum { LONGEST = 40 };
    uint32_t turns = constant_turns(d, loop);
    Carry carry;
    if (turns <= MAX_UNROLLED_TURNS || turns > LONGEST)
        return;
    find_carry(d, loop, &d->body, &carry);
    if (!carries_state(&carry) || turns * unrolled_size(d, &loop->for_loop.body) > LARGEST)
        return;
    NodeList *args = &loop->for_loop.iter->call.args;
    Node *part[] = {args->items[args->count - 1]};
    if (!is_wp_call(part[0], "static"))
        args->items[args->count - 1] = draft_call(d, draft_wp(d, "static"), part, 1);
}

static void unroll_list(NodeList *list, void *user)
{
    Draft *d = user;
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        draft_lists(node, unroll_list, user);
        if (!constant_turns(d, node) || leaves_early(node))
            continue;
        settle_bounds(d, node);
        unroll_long(d, node);
    }
}

void unroll_states(Draft *d)
{
    if (d->habits.unrolled_states)
        unroll_list(&d->body, d);
}
