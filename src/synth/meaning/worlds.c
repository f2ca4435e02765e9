/* Many worlds at once: `worldid, i = wp.tid()`. What belongs to a world gets one axis more, in front; what all of them share
 * stays as it is. A scene knows nothing of it. */
#include "synth/meaning/plan.h"

#include <string.h>

typedef struct Worlds {
    Draft *d;
    const Entity *entity;
    uint32_t symbol;        /* its index */
    bool spread[MAX_ITEMS]; /* one for each world */
    bool impossible;
} Worlds;

/* What simulations run many of; everything else comes in batches. */
static bool is_simulated(const Entity *entity)
{
    static const char *const ids[] = {"particle", "body",   "face",   "wheel",    "muscle",   "hinge",
                                      "obstacle", "edge",   "vertex", "tet",      "joint",    "spring",
                                      "contact",  "sphere", "box",    "agent",    "robot",    "bone",
                                      "vehicle",  "sensor", "turret", "aircraft", "satellite"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (strcmp(entity->id, ids[i]) == 0)
            return true;
    return false;
}

/* NULL: the scene has worlds of its own, or none would make sense. */
static const Entity *choose_entity(Draft *d)
{
    static const char *const own[] = {"world", "environment", "batch", "batch_entry", "chunk", "lane", "scenario"};
    Name simulated[] = {d->meaning->words[WORD_world], d->meaning->words[WORD_world],
                        d->meaning->words[WORD_environment]};
    for (uint32_t i = 0; i < d->count_count; i++)
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            if (strcmp(d->counts[i].entity->id, own[k]) == 0)
                return NULL;
    bool is_world = is_simulated(d->entities[0]);
    if (!perhaps(d, is_world ? d->habits.worlds : d->habits.worlds / 3))
        return NULL;
    return entity_find(d->meaning, is_world ? simulated[rng_below(&d->rng, 3)] : d->meaning->words[WORD_batch_entry]);
}

const Entity *own_entity(const Draft *d)
{
    return d->entities[d->world != NULL];
}

const Entity *entity_of_elements(const Draft *d, const Item *item)
{
    const Axis *axes = item->part.axes;
    bool nested = d->world && axes[0].entity == d->world && item->part.axis_count > 1 && axes[1].entity;
    return axes[nested].entity;
}

static Item *spread_item(const Worlds *w, const Node *name)
{
    Item *item = item_of(w->d, name);
    return item && w->spread[item - w->d->items] ? item : NULL;
}

/* ---- what belongs to a world ---- */

static bool belongs_to_world(Draft *d, const Item *item, bool settings)
{
    switch (item->part.kind) {
    case PART_EACH: return item->part.role != PART_IN || perhaps(d, 0.75);
    case PART_INDEX: return perhaps(d, 0.15);
    case PART_KIND: return perhaps(d, 0.3);
    case PART_SETTING: return settings && !item->part.fixed && perhaps(d, 0.5);
    default: return false;
    }
}

/* An array that is passed on as a whole stays as it is. */
static void find_whole_uses(Node **place, void *user)
{
    Worlds *w = user;
    Node *node = *place;
    if (node->kind == NODE_SUBSCRIPT && node->subscript.value->kind == NODE_NAME) {
        find_whole_uses(&node->subscript.slice, user);
        return;
    }
    if (is_wp_call(node, "rand_init")) /* all worlds would draw the same numbers */
        w->impossible = true;
    uint32_t first = is_atomic_call(node) && node->call.args.items[0]->kind == NODE_NAME;
    if (first) {
        for (uint32_t i = 1; i < node->call.args.count; i++)
            find_whole_uses(&node->call.args.items[i], user);
        return;
    }
    Item *item = spread_item(w, node);
    if (item && item->part.kind != PART_SETTING) {
        w->spread[item - w->d->items] = false;
        w->impossible |= item->part.role != PART_IN;
    }
    draft_slots(node, find_whole_uses, user);
}

static void choose_items(Worlds *w)
{
    Draft *d = w->d;
    bool settings = perhaps(d, 0.3), any = false;
    for (uint32_t i = 0; i < d->item_count; i++)
        w->spread[i] = d->items[i].present && belongs_to_world(d, &d->items[i], settings);
    for (uint32_t i = 0; i < d->item_count && !any; i++) { /* else all worlds would be alike */
        const Item *item = &d->items[i];
        any = item->present && item->part.kind == PART_EACH &&
              (item->part.role == PART_IN || item->part.role == PART_INOUT);
        w->spread[i] |= any;
    }
    for (uint32_t i = 0; i < d->body.count; i++)
        find_whole_uses(&d->body.items[i], w);
    for (uint32_t i = 0; i < d->item_count; i++)
        w->impossible |= w->spread[i] && d->items[i].part.axis_count == sizeof d->items[i].part.axes / sizeof(Axis);
    w->impossible |= !any;
}

/* ---- the kernel ---- */

/* A sum, a counter: one element for each world in place of the only one. */
static bool is_single(const Item *item)
{
    return item->part.axis_count == 1 && !item->part.axes[0].entity && item->part.axes[0].extent == 1;
}

static Node *behind_world(Worlds *w, const Item *item, Node *slice)
{
    if (is_single(item))
        return draft_name(w->d, w->symbol);
    Node *tuple = draft_new(w->d, NODE_TUPLE);
    draft_push(w->d, &tuple->sequence.elts, draft_name(w->d, w->symbol));
    if (slice->kind == NODE_TUPLE)
        draft_insert(w->d, &tuple->sequence.elts, 1, &slice->sequence.elts);
    else
        draft_push(w->d, &tuple->sequence.elts, slice);
    return tuple;
}

static void rewrite_use(Node **place, void *user)
{
    Worlds *w = user;
    Node *node = *place;
    Item *item = spread_item(w, node);
    if (item) {
        if (item->part.kind == PART_SETTING)
            *place = draft_subscript(w->d, node, draft_name(w->d, w->symbol));
        return;
    }
    draft_slots(node, rewrite_use, user);
    if (node->kind == NODE_SUBSCRIPT && spread_item(w, node->subscript.value))
        node->subscript.slice = behind_world(w, spread_item(w, node->subscript.value), node->subscript.slice);
    if (is_atomic_call(node) && spread_item(w, node->call.args.items[0])) {
        NodeList one = {0};
        draft_push(w->d, &one, draft_name(w->d, w->symbol));
        if (is_single(spread_item(w, node->call.args.items[0])))
            node->call.args.items[1] = one.items[0];
        else
            draft_insert(w->d, &node->call.args, 1, &one);
    }
}

static void give_axis(Worlds *w, Item *item)
{
    Part *part = &item->part;
    item->of_world = is_single(item) ? WORLD_IN_PLACE : WORLD_IN_FRONT;
    if (item->of_world == WORLD_IN_FRONT) {
        memmove(part->axes + 1, part->axes, sizeof(Axis) * part->axis_count);
        part->axis_count++;
    }
    part->axes[0] = (Axis){.entity = w->entity};
    if (part->kind == PART_SETTING)
        part->kind = PART_EACH;
}

/* if not world_mask[worldid]: return */
static Node *mask_guard(Worlds *w)
{
    Draft *d = w->d;
    Item *item = &d->items[d->item_count++];
    const Quantity *flag = quantity_find(d->meaning, d->meaning->words[WORD_flag]);
    *item = (Item){.role = "world_mask", .present = true};
    item->symbol =
        symbol_new(d, SYMBOL_INPUT, SCOPE_KERNEL,
                   strcmp(w->entity->id, "batch_entry") == 0 ? "batch_mask|active_batch|valid_batch|mask|batch_active"
                                                             : "@_mask|active_@s|@_active|@_enabled|mask|reset_mask");
    d->symbols[item->symbol].entity = w->entity;
    item->part = (Part){.kind = PART_EACH, .role = PART_IN, .quantity = flag, .low = 0, .high = 1, .fixed = true};
    item->part.axes[item->part.axis_count++] = (Axis){.entity = w->entity};
    Node *guard = draft_new(d, NODE_IF);
    Node *element = draft_subscript(d, draft_name(d, item->symbol), draft_name(d, w->symbol));
    guard->if_stmt.test = draft_compare(d, OP_EQ, element, draft_int(d, 0));
    draft_push(d, &guard->if_stmt.body, draft_new(d, NODE_RETURN));
    if (d->fact_count < sizeof d->facts / sizeof *d->facts)
        d->facts[d->fact_count++] = arena_format(
            d->arena, "%s whose mask is zero are skipped",
            entity_plural(d->arena, arena_strndup(d->arena, w->entity->one, strcspn(w->entity->one, "|"))));
    return guard;
}

static void spread_threads(Worlds *w)
{
    Draft *d = w->d;
    uint32_t at = 0;
    while (!is_thread_statement(d->body.items[at]))
        at++;
    Node *index = draft_name(d, w->symbol), *target = draft_new(d, NODE_TUPLE);
    Node **threads = &d->body.items[at]->assign.targets.items[0];
    index->name.store = true;
    draft_push(d, &target->sequence.elts, index);
    if ((*threads)->kind == NODE_TUPLE)
        draft_insert(d, &target->sequence.elts, 1, &(*threads)->sequence.elts);
    else
        draft_push(d, &target->sequence.elts, *threads);
    *threads = target;
    if (d->item_count < MAX_ITEMS && perhaps(d, 0.3)) {
        NodeList one = {0};
        draft_push(d, &one, mask_guard(w));
        draft_insert(d, &d->body, at + 1, &one);
    }
    memmove(d->entities + 1, d->entities, sizeof *d->entities * d->dims);
    memmove(d->tid + 1, d->tid, sizeof *d->tid * d->dims);
    d->entities[0] = w->entity;
    d->tid[0] = w->symbol;
    d->dims++;
}

void spread_worlds(Draft *d)
{
    Worlds worlds = {.d = d}, *w = &worlds;
    if (!d->dims || d->dims == MAX_DIMS || !d->habits.worlds)
        return;
    w->entity = choose_entity(d);
    if (!w->entity)
        return;
    choose_items(w);
    if (w->impossible)
        return;
    w->symbol = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, w->entity->indices);
    for (uint32_t i = 0; i < d->body.count; i++)
        rewrite_use(&d->body.items[i], w);
    for (uint32_t i = 0; i < d->item_count; i++)
        if (w->spread[i])
            give_axis(w, &d->items[i]);
    count_of(d, w->entity, 0);
    spread_threads(w);
    d->world = w->entity;
}

/* ---- masks that may be left out ---- */

/* if mask[i] == 0: return */
static bool is_mask_guard(Draft *d, const Node *node)
{
    if (node->kind != NODE_IF || node->if_stmt.orelse.count || node->if_stmt.body.count != 1 ||
        node->if_stmt.body.items[0]->kind != NODE_RETURN || node->if_stmt.test->kind != NODE_COMPARE)
        return false;
    const Node *left = node->if_stmt.test->compare.left;
    const Item *item = left->kind == NODE_SUBSCRIPT ? item_of(d, left->subscript.value) : NULL;
    return item && item->part.kind == PART_EACH && item->part.role == PART_IN &&
           strcmp(item->part.quantity->id, "flag") == 0;
}

/* if mask: if mask[i] == 0: return. Callers may pass None for the array: all are meant then. */
void make_masks_optional(Draft *d)
{
    for (uint32_t i = 0; d->habits.optional_masks && i < d->body.count; i++) {
        if (!is_mask_guard(d, d->body.items[i]))
            continue;
        Node *outer = draft_new(d, NODE_IF);
        outer->if_stmt.test = draft_copy(d, d->body.items[i]->if_stmt.test->compare.left->subscript.value);
        draft_push(d, &outer->if_stmt.body, d->body.items[i]);
        d->body.items[i] = outer;
    }
}
