/* Names for the lengths of fixed axes: where a loop runs over one of 16 bins, the 16 becomes a constant of the module. */
#include "synth/meaning/draft.h"

#include <string.h>

enum { LEAST_EXTENT = 5, MAX_EXTENTS = 4 }; /* shorter axes are corners and components, which people count */

typedef struct Extents {
    Draft *d;
    uint32_t lengths[MAX_EXTENTS], symbols[MAX_EXTENTS];
    uint32_t count;
} Extents;

typedef struct AxisSearch {
    Draft *d;
    uint32_t counter; /* the loop's */
    uint32_t bound;
    const Item *found; /* has an axis that the loop runs over, to its end or to the one before the last */
    uint32_t extent;
} AxisSearch;

static void look_for_axis(Node **place, void *user)
{
    AxisSearch *search = user;
    Node *node = *place;
    draft_slots(node, look_for_axis, user);
    const Item *item = node->kind == NODE_SUBSCRIPT && node->subscript.value->kind == NODE_NAME
                           ? item_of(search->d, node->subscript.value)
                           : NULL;
    if (!item)
        return;
    Node *slice = node->subscript.slice;
    uint32_t count = slice->kind == NODE_TUPLE ? slice->sequence.elts.count : 1;
    for (uint32_t i = 0; i < count && i < item->part.axis_count; i++) {
        Node *index = slice->kind == NODE_TUPLE ? slice->sequence.elts.items[i] : slice;
        const Axis *axis = &item->part.axes[i];
        if (axis->entity || !draft_uses(index, search->counter) ||
            (axis->extent != search->bound && axis->extent != search->bound + 1))
            continue;
        if (!search->found || axis->extent == search->bound) {
            search->found = item;
            search->extent = axis->extent;
        }
    }
}

/* After what the axis counts: num_codes; or after the array whose length it is: rain_len, which may be days. */
static const char *names_for(Draft *d, const Item *item)
{
    const char *role = plain_role(d, item), *ending = strstr(role, "_new");
    role = ending ? arena_strndup(d->arena, role, (size_t)(ending - role)) : role;
    size_t len = strlen(role);
    if (len < 3 || strchr("0123456789_", role[len - 1]))
        return "length|dim|size|width";
    if (role[len - 1] == 's' && role[len - 2] != 's')
        return arena_format(d->arena, "num_%s|n_%s|num_%s", role, role, role);
    return arena_format(d->arena, "%s_len|%s_length|%s_len", role, role, role);
}

/* 0: nothing of this length has a name yet. */
static uint32_t known_symbol(const Extents *extents, uint32_t length)
{
    for (uint32_t i = 0; i < extents->count; i++)
        if (extents->lengths[i] == length)
            return extents->symbols[i];
    return 0;
}

/* The constant for this length; 0: there is no room for more. */
static uint32_t symbol_for(Extents *extents, const Item *item, uint32_t length)
{
    Draft *d = extents->d;
    uint32_t known = known_symbol(extents, length);
    if (known)
        return known;
    if (extents->count == MAX_EXTENTS || d->constant_count == MAX_DRAFT_CONSTANTS)
        return 0;
    uint32_t symbol = symbol_new(d, SYMBOL_CONSTANT, SCOPE_MODULE, names_for(d, item));
    d->constants[d->constant_count++] = (DraftConstant){symbol, draft_int(d, length), 0};
    extents->lengths[extents->count] = length;
    return extents->symbols[extents->count++] = symbol;
}

static void name_bound(Extents *extents, Node *loop)
{
    Node *iter = loop->for_loop.iter;
    if (iter->kind != NODE_CALL || iter->call.func->kind != NODE_NAME || !name_is(iter->call.func->name.id, "range") ||
        iter->call.args.count > 2 || loop->for_loop.target->kind != NODE_NAME)
        return;
    Node **bound = &iter->call.args.items[iter->call.args.count - 1];
    if ((*bound)->kind != NODE_CONSTANT || constant_integer(*bound) < LEAST_EXTENT)
        return;
    AxisSearch search = {extents->d, loop->for_loop.target->fact - 1, (uint32_t)constant_integer(*bound), NULL, 0};
    for (uint32_t i = 0; i < loop->for_loop.body.count; i++)
        look_for_axis(&loop->for_loop.body.items[i], &search);
    uint32_t symbol =
        search.found ? symbol_for(extents, search.found, search.extent) : known_symbol(extents, search.bound);
    search.extent = search.found ? search.extent : search.bound;
    if (!symbol)
        return;
    *bound = draft_name(extents->d, symbol);
    if (search.extent > search.bound)
        *bound = draft_binary(extents->d, OP_SUB, *bound, draft_int(extents->d, 1));
}

static void name_in_list(NodeList *list, void *user)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i]->kind == NODE_FOR)
            name_bound(user, list->items[i]);
        draft_lists(list->items[i], name_in_list, user);
    }
}

void name_extents(Draft *d)
{
    Extents extents = {.d = d};
    if (!perhaps(d, 0.9))
        return;
    name_in_list(&d->body, &extents);
    if (extents.count) /* loops before the one that told what the length is of */
        name_in_list(&d->body, &extents);
}
