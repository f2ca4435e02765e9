/* Habits about variables, the order of statements, and empty lines. */
#include "synth/meaning/style.h"

#include <string.h>

static bool is_thread(const Draft *d, uint32_t symbol)
{
    for (uint32_t i = 0; i < d->dims; i++)
        if (d->tid[i] == symbol)
            return true;
    return false;
}

/* ---- a variable that is used once ---- */

typedef struct Replacement {
    uint32_t fact;
    Node *value;
    uint32_t size;
} Replacement;

static void measure(Node **place, void *user)
{
    ++*(uint32_t *)user;
    draft_slots(*place, measure, user);
}

static void replace_name(Node **place, void *user)
{
    Replacement *replacement = user;
    if ((*place)->kind == NODE_NAME && (*place)->fact == replacement->fact)
        *place = replacement->value;
    else if (!is_statement(*place))
        draft_slots(*place, replace_name, user);
}

/* The expressions of a statement that are computed once, when it is reached. */
static uint32_t direct_uses(Node *node, uint32_t symbol)
{
    switch (node->kind) {
    case NODE_IF: return draft_uses(node->if_stmt.test, symbol);
    case NODE_FOR: return draft_uses(node->for_loop.iter, symbol);
    case NODE_WHILE: return 0;
    default: return draft_uses(node, symbol);
    }
}

static void replace_in(Node *node, Replacement *replacement)
{
    switch (node->kind) {
    case NODE_IF: replace_name(&node->if_stmt.test, replacement); break;
    case NODE_FOR: replace_name(&node->for_loop.iter, replacement); break;
    default: draft_slots(node, replace_name, replacement); break;
    }
}

static bool reads_same_array(const Node *a, const Node *b)
{
    if (!is_plain_assignment(b) || a->assign.value->kind != NODE_SUBSCRIPT || b->assign.value->kind != NODE_SUBSCRIPT)
        return false;
    const Node *x = root_of(a->assign.value), *y = root_of(b->assign.value);
    return x->kind == NODE_NAME && y->kind == NODE_NAME && x->fact == y->fact;
}

typedef struct PlaceSearch {
    uint32_t fact;
    bool found;
} PlaceSearch;

static bool is_index(const Node *slice, uint32_t fact)
{
    if (slice->kind != NODE_TUPLE)
        return slice->kind == NODE_NAME && slice->fact == fact;
    for (uint32_t i = 0; i < slice->sequence.elts.count; i++)
        if (is_index(slice->sequence.elts.items[i], fact))
            return true;
    return false;
}

static void look_for_index(Node **place, void *user)
{
    PlaceSearch *search = user;
    const Node *node = *place;
    if (node->kind == NODE_ATTRIBUTE && node->attribute.value->kind == NODE_SUBSCRIPT)
        search->found |= is_index(node->attribute.value->subscript.slice, search->fact);
    draft_slots(*place, look_for_index, user);
}

/* The j of a[j].x: Warp's code would take an address for the index, if j were an element of an array itself. */
static bool is_index_of_struct(Node *statement, uint32_t symbol)
{
    PlaceSearch search = {symbol + 1, false};
    look_for_index(&statement, &search);
    return search.found;
}

typedef struct Inliner {
    Draft *d;
    Usage usage;
} Inliner;

static void inline_list(NodeList *list, void *user)
{
    Inliner *inliner = user;
    Draft *d = inliner->d;
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        draft_lists(node, inline_list, inliner);
        if (!is_plain_assignment(node) || i + 1 == list->count || is_thread(d, assigned_symbol(node)))
            continue;
        uint32_t symbol = assigned_symbol(node), size = 0;
        measure(&node->assign.value, &size);
        if (i && reads_same_array(node, list->items[i - 1]))
            continue; /* left, right, up, down stay together */
        if (inliner->usage.stores[symbol] != 1 || inliner->usage.loads[symbol] != 1 || size > 12 ||
            direct_uses(list->items[i + 1], symbol) != 1 || !perhaps(d, d->habits.inlining))
            continue;
        if ((node->assign.value->kind == NODE_SUBSCRIPT || node->assign.value->kind == NODE_ATTRIBUTE) &&
            is_index_of_struct(list->items[i + 1], symbol))
            continue;
        Replacement replacement = {symbol + 1, node->assign.value, size};
        replace_in(list->items[i + 1], &replacement);
        memmove(list->items + i, list->items + i + 1, sizeof(Node *) * (list->count - i - 1));
        list->count--;
        i--;
    }
}

void inline_singles(Draft *d, NodeList *body)
{
    Inliner inliner = {d, usage_of(d, body)};
    inline_list(body, &inliner);
}

/* x = a * b; return x  as  return a * b */
void return_directly(Draft *d, NodeList *body)
{
    enum { LARGEST = 16 };
    Node *last = body->count > 1 ? body->items[body->count - 1] : NULL,
         *before = last ? body->items[body->count - 2] : NULL;
    if (!last || last->kind != NODE_RETURN || !last->ret.value || last->ret.value->kind != NODE_NAME ||
        !is_plain_assignment(before) || assigned_symbol(before) + 1 != last->ret.value->fact)
        return;
    uint32_t size = 0;
    Usage usage = usage_of(d, body);
    measure(&before->assign.value, &size);
    if (usage.stores[assigned_symbol(before)] != 1 || size > LARGEST || !perhaps(d, d->habits.direct_returns))
        return;
    last->ret.value = before->assign.value;
    body->items[body->count - 2] = last;
    body->count--;
}

/* ---- the order of reads ---- */

static bool is_read(const Draft *d, const Node *node)
{
    return is_plain_assignment(node) && !is_thread(d, assigned_symbol(node)) &&
           (node->assign.value->kind == NODE_SUBSCRIPT || node->assign.value->kind == NODE_ATTRIBUTE);
}

/* One of several arrays that were one table: their reads stay in order. */
static bool is_column(const Draft *d, const Node *array)
{
    for (uint32_t i = 0; i < d->item_count; i++)
        for (uint32_t k = 0; d->items[i].form == FORM_SPLIT && k < MAX_SPLIT; k++)
            if (d->items[i].split[k] && d->items[i].split[k] + 1 == array->fact)
                return true;
    return false;
}

/* a[i][0]: it stays with a[i][1]. */
static bool is_component(const Node *value)
{
    return value->kind == NODE_SUBSCRIPT &&
           (value->subscript.value->kind == NODE_SUBSCRIPT || value->subscript.value->kind == NODE_ATTRIBUTE);
}

/* Two reads next to each other, of different arrays, in either order. */
void shuffle_reads(Draft *d)
{
    for (uint32_t i = 0; i + 1 < d->body.count; i++) {
        Node *a = d->body.items[i], *b = d->body.items[i + 1];
        if (!is_read(d, a) || !is_read(d, b) || draft_uses(b->assign.value, assigned_symbol(a)) ||
            draft_uses(a->assign.value, assigned_symbol(b)) || assigned_symbol(a) == assigned_symbol(b))
            continue;
        if (is_component(a->assign.value) || is_component(b->assign.value))
            continue;
        const Node *x = root_of(a->assign.value), *y = root_of(b->assign.value);
        if (x->kind != NODE_NAME || y->kind != NODE_NAME || x->fact == y->fact || is_column(d, x) || !perhaps(d, 0.4))
            continue;
        d->body.items[i] = b;
        d->body.items[i + 1] = a;
    }
}

/* ---- empty lines ---- */

/* Where the kernel's first statement behind wp.tid() is. */
static uint32_t behind_threads(const Draft *d)
{
    for (uint32_t i = 0; i < d->body.count; i++) {
        const Node *node = d->body.items[i];
        if (node->kind == NODE_ASSIGN) {
            const Node *target = node->assign.targets.items[0];
            const Node *first = target->kind == NODE_TUPLE ? target->sequence.elts.items[0] : target;
            if (first->kind == NODE_NAME && first->fact && is_thread(d, first->fact - 1))
                return i + 1;
        }
    }
    return 0;
}

static bool is_block(const Node *node)
{
    return node->kind == NODE_FOR || node->kind == NODE_WHILE || node->kind == NODE_IF;
}

/* Behind wp.tid(), before comments, around blocks. */
void add_blank_lines(Draft *d)
{
    if (!d->habits.blank_lines)
        return;
    NodeList list = {0};
    for (uint32_t i = 0; i < d->body.count; i++) {
        Node *node = d->body.items[i];
        const Node *before = i ? d->body.items[i - 1] : NULL;
        bool gap = before && !is_comment(before) &&
                   (is_comment(node) || (is_block(before) && perhaps(d, 0.6)) || (is_block(node) && perhaps(d, 0.4)) ||
                    (i == behind_threads(d) && perhaps(d, 0.7)));
        if (gap)
            draft_push(d, &list, draft_statement(d, draft_word(d, "")));
        draft_push(d, &list, node);
    }
    d->body = list;
}
