/* Values that a kernel changes go into a second array: x_new[i] = x[i] + … where x[i] was changed in place. Warp's reverse pass
 * reads the element again, so that people who need a gradient keep what was there. */
#include "synth/meaning/style.h"

typedef struct Splitting {
    Draft *d;
    const Item *item;
    uint32_t to;          /* the symbol of the second array */
    bool dry;             /* nothing changes: is it possible? */
    bool failed, written; /* it is not; some path stores something */
} Splitting;

typedef enum Reached { NOT_WRITTEN, WRITTEN, ENDED } Reached;

/* ---- what the kernel does with the array ---- */

typedef struct Accesses {
    const Draft *d;
    uint32_t symbol;
    uint32_t own, all; /* at the thread's own element; mentioned */
} Accesses;

static void count_accesses(Node **place, void *user)
{
    Accesses *accesses = user;
    const Node *node = *place;
    accesses->all += node->kind == NODE_NAME && node->fact == accesses->symbol + 1;
    accesses->own += node->kind == NODE_SUBSCRIPT && node->subscript.value->kind == NODE_NAME &&
                     node->subscript.value->fact == accesses->symbol + 1 &&
                     is_own_index(accesses->d, node->subscript.slice);
    draft_slots(*place, count_accesses, user);
}

static bool is_only_own(Draft *d, uint32_t symbol)
{
    Accesses accesses = {.d = d, .symbol = symbol};
    for (uint32_t i = 0; i < d->body.count; i++)
        count_accesses(&d->body.items[i], &accesses);
    return accesses.all > 0 && accesses.own == accesses.all;
}

static bool is_element(const Splitting *splitting, const Node *node)
{
    return node->kind == NODE_SUBSCRIPT && node->subscript.value->kind == NODE_NAME &&
           node->subscript.value->fact == splitting->item->symbol + 1;
}

static Node *element(Splitting *splitting, const Node *like, bool second)
{
    Draft *d = splitting->d;
    Node *copy = draft_subscript(d, draft_name(d, second ? splitting->to : splitting->item->symbol),
                                 draft_copy(d, like->subscript.slice));
    return copy;
}

static Node *own_element(Splitting *splitting, bool second)
{
    Draft *d = splitting->d;
    Node *index = draft_name(d, d->tid[0]);
    if (d->dims > 1) {
        index = draft_new(d, NODE_TUPLE);
        for (uint32_t i = 0; i < d->dims; i++)
            draft_push(d, &index->sequence.elts, draft_name(d, d->tid[i]));
    }
    return draft_subscript(d, draft_name(d, second ? splitting->to : splitting->item->symbol), index);
}

/* x_new[i] = x[i] */
static Node *kept(Splitting *splitting)
{
    return draft_assign(splitting->d, own_element(splitting, true), own_element(splitting, false));
}

/* ---- every path writes once ---- */

static Reached split_list(Splitting *splitting, NodeList *list, Reached reached);

static void insert_kept(Splitting *splitting, NodeList *list, uint32_t at)
{
    NodeList one = {0};
    if (splitting->dry)
        return;
    draft_push(splitting->d, &one, kept(splitting));
    draft_insert(splitting->d, list, at, &one);
}

static Reached split_branches(Splitting *splitting, Node *node, Reached reached)
{
    splitting->failed |= reached == WRITTEN && draft_uses(node->if_stmt.test, splitting->item->symbol);
    Reached body = split_list(splitting, &node->if_stmt.body, reached);
    Reached other = split_list(splitting, &node->if_stmt.orelse, reached);
    if (body == ENDED || other == ENDED)
        return body == ENDED ? other : body;
    if (body != other) {
        NodeList *without = body == WRITTEN ? &node->if_stmt.orelse : &node->if_stmt.body;
        insert_kept(splitting, without, without->count);
    }
    return body == WRITTEN || other == WRITTEN ? WRITTEN : NOT_WRITTEN;
}

static bool is_store(const Splitting *splitting, const Node *node)
{
    return (node->kind == NODE_ASSIGN && is_element(splitting, node->assign.targets.items[0])) ||
           (node->kind == NODE_AUG_ASSIGN && is_element(splitting, node->aug_assign.target));
}

static void split_store(Splitting *splitting, Node **place)
{
    Draft *d = splitting->d;
    Node *node = *place;
    if (splitting->dry)
        return;
    if (node->kind == NODE_ASSIGN) {
        node->assign.targets.items[0] = element(splitting, node->assign.targets.items[0], true);
        return;
    }
    Node *before = element(splitting, node->aug_assign.target, false);
    *place = draft_assign(d, element(splitting, node->aug_assign.target, true),
                          draft_binary(d, node->aug_assign.op, before, node->aug_assign.value));
}

typedef struct StoreSearch {
    const Splitting *splitting;
    bool found;
} StoreSearch;

static void look_for_store(Node **place, void *user)
{
    StoreSearch *search = user;
    search->found |= is_store(search->splitting, *place);
    draft_slots(*place, look_for_store, user);
}

/* Neither stores in a loop nor what reads the array again can go elsewhere. */
static bool may_stay(const Splitting *splitting, Node *node, Reached reached)
{
    StoreSearch search = {splitting, false};
    look_for_store(&node, &search);
    return !search.found && (reached != WRITTEN || !draft_uses(node, splitting->item->symbol));
}

static Reached split_list(Splitting *splitting, NodeList *list, Reached reached)
{
    for (uint32_t i = 0; i < list->count && !splitting->failed; i++) {
        Node *node = list->items[i];
        if (node->kind == NODE_IF)
            reached = split_branches(splitting, node, reached);
        else if (node->kind == NODE_RETURN) {
            if (reached == NOT_WRITTEN)
                insert_kept(splitting, list, i);
            return ENDED;
        } else if (is_store(splitting, node)) {
            splitting->failed |= reached == WRITTEN;
            split_store(splitting, &list->items[i]);
            splitting->written = true;
            reached = WRITTEN;
        } else
            splitting->failed |= !may_stay(splitting, node, reached);
    }
    return reached;
}

/* ---- a variable for what is read again ---- */

typedef struct Replacement {
    Splitting *splitting;
    uint32_t local;
} Replacement;

static void put_local(Node **place, void *user)
{
    Replacement *replacement = user;
    Node *node = *place;
    if (is_element(replacement->splitting, node)) {
        *place = draft_name(replacement->splitting->d, replacement->local);
        return;
    }
    bool store = is_store(replacement->splitting, node);
    draft_slots(node, put_local, user);
    if (store)
        (node->kind == NODE_ASSIGN ? node->assign.targets.items[0] : node->aug_assign.target)->name.store = true;
}

static Node *final_store(Replacement *replacement)
{
    Draft *d = replacement->splitting->d;
    return draft_assign(d, own_element(replacement->splitting, true), draft_name(d, replacement->local));
}

static void store_before_returns(NodeList *list, void *user)
{
    Replacement *replacement = user;
    for (uint32_t i = 0; i < list->count; i++) {
        draft_lists(list->items[i], store_before_returns, user);
        if (list->items[i]->kind != NODE_RETURN)
            continue;
        NodeList one = {0};
        draft_push(replacement->splitting->d, &one, final_store(replacement));
        draft_insert(replacement->splitting->d, list, i++, &one);
    }
}

static void split_by_variable(Splitting *splitting)
{
    Draft *d = splitting->d;
    Replacement replacement = {splitting,
                               symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, splitting->item->part.quantity->locals)};
    d->symbols[replacement.local].entity = d->symbols[splitting->item->symbol].entity;
    NodeList start = {0};
    uint32_t at = 0;
    for (uint32_t i = 0; i < d->body.count; i++) {
        at = is_thread_statement(d->body.items[i]) ? i + 1 : at;
        put_local(&d->body.items[i], &replacement);
    }
    store_before_returns(&d->body, &replacement);
    if (d->body.items[d->body.count - 1]->kind != NODE_RETURN)
        draft_push(d, &d->body, final_store(&replacement));
    Node *target = draft_name(d, replacement.local);
    target->name.store = true;
    draft_push(d, &start, draft_assign(d, target, own_element(splitting, false)));
    draft_insert(d, &d->body, at, &start);
}

/* ---- all arrays ---- */

static void try_paths(Splitting *splitting)
{
    splitting->dry = true;
    split_list(splitting, &splitting->d->body, NOT_WRITTEN);
    splitting->dry = false;
}

static void split_paths(Splitting *splitting)
{
    if (split_list(splitting, &splitting->d->body, NOT_WRITTEN) == NOT_WRITTEN)
        draft_push(splitting->d, &splitting->d->body, kept(splitting));
}

static uint32_t second_symbol(Draft *d, const Item *item)
{
    uint32_t symbol = symbol_new(d, SYMBOL_INPUT, SCOPE_KERNEL, "#_new|#_out|new_#|#_next|out_#|next_#");
    d->symbols[symbol].entity = d->symbols[item->symbol].entity;
    d->symbols[symbol].of[0] = item->symbol;
    d->symbols[symbol].column = (d->salt >> 9) + 1; /* x_new and v_new, not x_new and next_v */
    return symbol;
}

static void split_item(Draft *d, uint32_t i)
{
    Item *item = &d->items[i];
    if (d->item_count == MAX_ITEMS || !is_only_own(d, item->symbol))
        return;
    Splitting splitting = {.d = d, .item = item};
    try_paths(&splitting);
    if (!splitting.written && !splitting.failed)
        return;
    splitting.to = second_symbol(d, item);
    if (splitting.failed) {
        splitting.failed = splitting.written = false;
        split_by_variable(&splitting);
    } else
        split_paths(&splitting);
    Item *second = &d->items[d->item_count++];
    *second = *item;
    second->symbol = splitting.to;
    second->role = arena_join(d->arena, item->role, "_new");
    second->part.role = PART_OUT;
    second->is_second = true;
    item->part.role = PART_IN;
}

void use_second_arrays(Draft *d)
{
    uint32_t count = d->item_count;
    for (uint32_t i = 0; d->habits.second_arrays && i < count; i++) {
        const Part *part = &d->items[i].part;
        if (d->items[i].present && part->role == PART_INOUT && part->kind == PART_EACH && part->axis_count == d->dims)
            split_item(d, i);
    }
}
