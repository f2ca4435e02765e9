/* Which element of an input a thread reads: that of its material, of another thread, of one of several slots, those of its neighbours. */
#include "synth/meaning/source.h"

#include <string.h>

const char *say(Sources *s, const char *format, const Item *item)
{
    return arena_format(s->d->arena, format, phrase_of_item(s->d, item));
}

void add_clause(Sources *s, const char *clause)
{
    Draft *d = s->d;
    if (d->fact_count < sizeof d->facts / sizeof *d->facts)
        d->facts[d->fact_count++] = clause;
}

static const Entity *entity_called(Draft *d, const char *id)
{
    return entity_find(d->meaning, name_cstr(d->meaning->names, id));
}

/* ---- which element ---- */

/* The axes of a table in place of those of the launch; worlds keep theirs. Gives the index of the world, or NULL. */
static Node *replace_axes(Sources *s, Item *item, const Axis *axes, uint32_t count)
{
    Draft *d = s->d;
    Part *part = &item->part;
    bool world = part->kind != PART_SETTING && item->of_world == WORLD_IN_FRONT;
    memcpy(part->axes + world, axes, count * sizeof *axes);
    part->axis_count = count + world;
    part->kind = part->kind == PART_SETTING ? PART_EACH : part->kind;
    d->symbols[item->symbol].entity = axes[0].entity ? axes[0].entity : d->symbols[item->symbol].entity;
    return world ? draft_name(d, d->tid[0]) : NULL;
}

/* x[worldid, a, b] */
static Node *element_at(Sources *s, const Item *item, Node *world, Node *const *indices, uint32_t count)
{
    Draft *d = s->d;
    Node *tuple = draft_new(d, NODE_TUPLE);
    if (world)
        draft_push(d, &tuple->sequence.elts, world);
    for (uint32_t i = 0; i < count; i++)
        draft_push(d, &tuple->sequence.elts, indices[i]);
    Node *index = tuple->sequence.elts.count == 1 ? tuple->sequence.elts.items[0] : tuple;
    return draft_subscript(d, draft_name(d, item->symbol), index);
}

static const Entity *class_entity(Sources *s)
{
    static const char *const ids[] = {"material", "group", "region"};
    return entity_called(s->d, ids[rng_below(&s->d->rng, 3)]);
}

static Item *class_index(Sources *s, const Item *item, const Entity *entity, const char *part)
{
    const char *one = entity->id;
    Item *known = item_of_part(s->d, part, entity);
    if (known && perhaps(s->d, 0.85))
        return known;
    return index_of_launch(s->d, item, entity, part,
                           arena_format(s->d->arena, "%s|@_%s|%s_ids|%s_id", one, one, one, one));
}

/* mass[material[i]] */
Value make_table(Sources *s, Item *item, uint32_t depth)
{
    (void)depth;
    Draft *d = s->d;
    const Entity *entity = class_entity(s);
    Item *index = class_index(s, item, entity, "class");
    Value values[] = {{NULL, item->role}, value_of_item(d, index)};
    Node *world = replace_axes(s, item, &(Axis){.entity = entity}, 1);
    add_clause(s, arena_format(d->arena, "the %s is looked up by %s", phrase_of_item(d, item), entity->id));
    return flow_call(d, "table", element_at(s, item, world, &values[1].node, 1), values, 2);
}

/* friction[material[i], group[i]] */
Value make_pair(Sources *s, Item *item, uint32_t depth)
{
    (void)depth;
    Draft *d = s->d;
    const Entity *first = entity_called(d, "material"), *second = entity_called(d, "group");
    Item *row = class_index(s, item, first, "row"), *column = class_index(s, item, second, "column");
    Value values[] = {{NULL, item->role}, value_of_item(d, row), value_of_item(d, column)};
    const Axis axes[] = {{.entity = first}, {.entity = second}};
    Node *indices[] = {values[1].node, values[2].node}, *world = replace_axes(s, item, axes, 2);
    add_clause(s, say(s, "the %s is looked up by material and group", item));
    return flow_call(d, "table", element_at(s, item, world, indices, 2), values, 3);
}

bool is_single_axis(const Draft *d)
{
    return d->dims == 1 + (d->world != NULL);
}

/* x[source[i]]: the value of another one of them */
Value make_gather(Sources *s, Item *item, uint32_t depth)
{
    (void)depth;
    Draft *d = s->d;
    const Entity *own = own_entity(d);
    Item *index = index_of_launch(d, item, own, "from", "source|indices|from_@|@_ids|source_id|remap");
    Value values[] = {{NULL, item->role}, value_of_item(d, index)};
    Node *world = replace_axes(s, item, &(Axis){.entity = own}, 1);
    add_clause(s, say(s, "the %s is read at an index", item));
    return flow_call(d, "table", element_at(s, item, world, &values[1].node, 1), values, 2);
}

/* One axis more, in front of those of the item: slots of a buffer, steps of a history. */
static Node *add_slots(Sources *s, Item *item, uint32_t extent, Node *slot)
{
    Draft *d = s->d;
    Part *part = &item->part;
    bool setting = part->kind == PART_SETTING, world = !setting && item->of_world == WORLD_IN_FRONT;
    uint32_t own = setting ? 0 : d->dims - world;
    Axis axes[MAX_DIMS + 1] = {{.extent = extent}};
    Node *indices[MAX_DIMS + 1] = {slot};
    for (uint32_t i = 0; i < own; i++) {
        axes[i + 1] = part->axes[i + world];
        indices[i + 1] = draft_name(d, d->tid[d->dims - own + i]);
    }
    Node *first = replace_axes(s, item, axes, own + 1);
    return element_at(s, item, first, indices, own + 1);
}

/* All inputs of a kernel that have slots are read at the same one. */
static Item *slot_beside(Draft *d, const Item *item)
{
    uint32_t extent = (uint32_t)rng_between(&d->rng, 2, 6);
    Item *known = item_of_part(d, "slot", NULL);
    if (known)
        return known;
    Item *slot =
        setting_beside(d, item, "index_value", 0, extent - 1.0, "slot", "frame|slot|level|stage|buffer_id|phase");
    slot->part.fixed = true;
    return slot;
}

/* x[frame, i] */
Value make_slot(Sources *s, Item *item, uint32_t depth)
{
    (void)depth;
    Draft *d = s->d;
    Item *slot = slot_beside(d, item);
    uint32_t extent = (uint32_t)slot->part.high + 1;
    Value values[] = {{NULL, item->role}, value_of_item(d, slot)};
    add_clause(s, arena_format(d->arena, "the %s is that of one of %u slots", phrase_of_item(d, item), extent));
    return flow_call(d, "table", add_slots(s, item, extent, values[1].node), values, 2);
}

static Node *range_call(Draft *d, int64_t first, int64_t end)
{
    Node *args[] = {first ? draft_int(d, first) : draft_int(d, end), draft_int(d, end)};
    return draft_call(d, draft_word(d, "range"), args, first ? 2 : 1);
}

static Node *zero_of(Draft *d, const Quantity *quantity)
{
    return is_vector(quantity) ? draft_call(d, draft_wp(d, quantity->type), NULL, 0) : draft_float(d, 0.0);
}

/* The mean, or the largest or the least, of the last few values. */
Value make_window(Sources *s, Item *item, uint32_t depth)
{
    (void)depth;
    Draft *d = s->d;
    static const char *const kinds[] = {"window_mean", "window_max", "window_min"};
    static const char *const builtins[] = {"", "max", "min"}, *const words[] = {"mean", "largest", "least"};
    const Quantity *quantity = item->part.quantity;
    static const uint8_t drawn[] = {0, 0, 0, 0, 0, 0, 1, 2}; /* mostly the mean */
    uint32_t extent = (uint32_t)rng_between(&d->rng, 3, 8);
    uint32_t kind = is_vector(quantity) ? 0 : drawn[rng_below(&d->rng, sizeof drawn)];
    Node *loop = draft_new(d, NODE_FOR),
         *counter = draft_name(d, symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, "k|lag|s|slot"));
    Node *element = add_slots(s, item, extent, flow_load(d, counter)), *total;
    counter->name.store = true;
    loop->for_loop.target = counter;
    if (kind == 0) {
        total = flow_variable(d, &s->before, "total|acc|sum_recent", zero_of(d, quantity));
        Node *more = draft_new(d, NODE_AUG_ASSIGN);
        more->aug_assign.op = OP_ADD;
        more->aug_assign.target = draft_copy(d, total);
        more->aug_assign.value = element;
        draft_push(d, &loop->for_loop.body, more);
    } else {
        Node *first = draft_copy(d, element), *index = first->subscript.slice;
        Node **place = index->kind == NODE_TUPLE ? &index->sequence.elts.items[item->of_world == WORLD_IN_FRONT]
                                                 : &first->subscript.slice;
        *place = draft_int(d, 0);
        total = flow_variable(d, &s->before, kind == 1 ? "largest|peak|most" : "least|lowest|smallest", first);
        Node *parts[] = {flow_load(d, total), element};
        draft_push(d, &loop->for_loop.body,
                   draft_assign(d, draft_copy(d, total), draft_call(d, draft_wp(d, builtins[kind]), parts, 2)));
    }
    loop->for_loop.iter = range_call(d, kind ? 1 : 0, extent);
    draft_push(d, &s->before, loop);
    Node *value = flow_load(d, total);
    if (kind == 0)
        value = draft_binary(d, OP_DIV, value, draft_float(d, extent));
    add_clause(s,
               arena_format(d->arena, "the %s is the %s of the last %u", phrase_of_item(d, item), words[kind], extent));
    return flow_call(d, kinds[kind], value, &(Value){NULL, item->role}, 1);
}

/* ---- neighbours ---- */

bool is_ordered(const Entity *entity)
{
    static const char *const ids[] = {"cell", "sample", "time_sample", "pixel", "node",
                                      "bin",  "row",    "token",       "site",  "layer"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (strcmp(entity->id, ids[i]) == 0)
            return true;
    return false;
}

/* min(i + 1, n - 1), (i + 1) % n; max(i - 1, 0), (i + n - 1) % n */
static Node *neighbour(Sources *s, bool right, bool wraps)
{
    Draft *d = s->d;
    uint32_t own = d->tid[d->dims - 1];
    Count *count = count_of(d, own_entity(d), 0);
    if ((right || wraps) && !count->symbol)
        count->symbol = count_symbol(d, own_entity(d), 0);
    Node *one = draft_int(d, 1), *index = draft_name(d, own);
    if (wraps) {
        Node *moved = right
                          ? draft_binary(d, OP_ADD, index, one)
                          : draft_binary(d, OP_SUB, draft_binary(d, OP_ADD, index, draft_name(d, count->symbol)), one);
        return draft_binary(d, OP_MOD, moved, draft_name(d, count->symbol));
    }
    Node *parts[2] = {draft_binary(d, right ? OP_ADD : OP_SUB, index, one),
                      right ? draft_binary(d, OP_SUB, draft_name(d, count->symbol), draft_int(d, 1)) : draft_int(d, 0)};
    return draft_call(d, draft_wp(d, right ? "min" : "max"), parts, 2);
}

Value make_smooth(Sources *s, Item *item, uint32_t depth)
{
    (void)depth;
    Draft *d = s->d;
    bool wraps = perhaps(d, 0.3), both = perhaps(d, 0.5), right = perhaps(d, 0.6);
    const char *end = wraps ? "around the end" : "the last one is its own";
    Node *world = item->of_world == WORLD_IN_FRONT ? draft_name(d, d->tid[0]) : NULL,
         *value = value_of_item(d, item).node;
    Node *sides[2];
    for (uint32_t i = 0; i < 1u + both; i++) {
        bool to_right = both ? i : right;
        Node *target = flow_variable(d, &s->before, to_right ? "right|next_i|hi|nxt" : "left|prev_i|lo|prv",
                                     neighbour(s, to_right, wraps));
        Node *index = flow_load(d, target);
        sides[i] = element_at(s, item, world ? draft_copy(d, world) : NULL, &index, 1);
    }
    if (both)
        value =
            draft_binary(d, OP_ADD, draft_binary(d, OP_MULT, draft_float(d, 0.5), value),
                         draft_binary(d, OP_MULT, draft_float(d, 0.25), draft_binary(d, OP_ADD, sides[0], sides[1])));
    else
        value = draft_binary(d, OP_MULT, draft_float(d, 0.5), draft_binary(d, OP_ADD, value, sides[0]));
    add_clause(s, arena_format(d->arena, "the %s is averaged with %s; %s", phrase_of_item(d, item),
                               both    ? "those of both neighbours"
                               : right ? "that of the next one"
                                       : "that of the one before",
                               end));
    const char *kind = arena_format(d->arena, "smooth_%s_%s",
                                    both    ? "both"
                                    : right ? "next"
                                            : "last",
                                    wraps ? "wrap" : "clamp");
    return flow_call(d, kind, value, &(Value){NULL, item->role}, 1);
}

/* ---- arrays that are read at indices ---- */

enum { MOST_LOOKUPS = 6 };

typedef struct Lookups {
    uint32_t fact, all, count;
    Node **places[MOST_LOOKUPS];
} Lookups;

static void find_lookups(Node **place, void *user)
{
    Lookups *lookups = user;
    Node *node = *place;
    lookups->all += node->kind == NODE_NAME && node->fact == lookups->fact;
    if (node->kind == NODE_SUBSCRIPT && node->subscript.value->kind == NODE_NAME &&
        node->subscript.value->fact == lookups->fact) {
        if (lookups->count < MOST_LOOKUPS)
            lookups->places[lookups->count] = place;
        lookups->count++;
    }
    draft_slots(node, find_lookups, user);
}

/* x[j] of another array */
static Node *same_element(Draft *d, const Node *element, const Item *other)
{
    return draft_subscript(d, draft_name(d, other->symbol), draft_copy(d, element->subscript.slice));
}

/* x[j] as x[frame, j] */
static void add_slot_index(Draft *d, const Item *item, Node *element, const Item *slot)
{
    Node *tuple = draft_new(d, NODE_TUPLE), *slice = element->subscript.slice;
    bool world = item->of_world == WORLD_IN_FRONT;
    if (slice->kind == NODE_TUPLE)
        draft_insert(d, &tuple->sequence.elts, 0, &slice->sequence.elts);
    else
        draft_push(d, &tuple->sequence.elts, slice);
    NodeList one = {0};
    draft_push(d, &one, draft_name(d, slot->symbol));
    draft_insert(d, &tuple->sequence.elts, world, &one);
    element->subscript.slice = tuple;
}

static void look_up_slot(Draft *d, Item *item, const Lookups *lookups)
{
    bool world = item->of_world == WORLD_IN_FRONT;
    Item *slot = slot_beside(d, item);
    uint32_t extent = (uint32_t)slot->part.high + 1;
    for (uint32_t i = 0; i < lookups->count; i++)
        add_slot_index(d, item, *lookups->places[i], slot);
    memmove(item->part.axes + world + 1, item->part.axes + world, sizeof(Axis) * (item->part.axis_count - world));
    item->part.axes[world] = (Axis){.extent = extent};
    item->part.axis_count++;
    note_flow(d, item->role, arena_format(d->arena, "slot(%s, %s)", item->role, slot->role),
              arena_format(d->arena, "the %s is that of one of %u slots", phrase_of_item(d, item), extent));
}

static void look_up_both(Draft *d, Item *item, const Lookups *lookups, bool mean)
{
    Item *other = item_beside(d, item, PART_IN, mean ? "other" : "next",
                              mean ? "#_b|other_#|#_old|prev_#" : "#_next|next_#|#_1|#_end");
    Item *known = mean ? NULL : item_of_part(d, "share", NULL);
    Item *share = mean ? NULL
                  : known && known->part.kind == PART_SETTING
                      ? known
                      : setting_beside(d, item, "ratio", 0, 1, "share", "alpha|blend|frac|s");
    for (uint32_t i = 0; i < lookups->count; i++) {
        Node *first = *lookups->places[i], *second = same_element(d, first, other);
        *lookups->places[i] =
            mean ? draft_binary(d, OP_MULT, draft_float(d, 0.5), draft_binary(d, OP_ADD, first, second))
                 : flow_between(d, first, second, draft_name(d, share->symbol));
    }
    const char *text = mean ? arena_format(d->arena, "mean(%s, %s)", item->role, other->role)
                            : arena_format(d->arena, "blend(%s, %s, %s)", item->role, other->role, share->role);
    note_flow(d, item->role, text,
              arena_format(d->arena, mean ? "the %s is the mean of two" : "the %s is interpolated between two values",
                           phrase_of_item(d, item)));
}

/* An array that is read at a few indices, and never passed on as a whole. */
bool give_lookup_source(Draft *d, Item *item)
{
    Lookups lookups = {.fact = item->symbol + 1};
    for (uint32_t i = 0; i < d->body.count; i++)
        find_lookups(&d->body.items[i], &lookups);
    if (!lookups.count || lookups.count > MOST_LOOKUPS || lookups.count != lookups.all)
        return false;
    enum { MOST_VALUES = 3 }; /* more of them would be a function */
    bool values = is_continuous(item->part.quantity) && lookups.count <= MOST_VALUES,
         slots = item->part.axis_count < MAX_DIMS;
    uint32_t form = values ? rng_below(&d->rng, slots ? 3 : 2) : 2;
    if (form == 2 && !slots)
        return false;
    if (form == 2)
        look_up_slot(d, item, &lookups);
    else
        look_up_both(d, item, &lookups, form == 1);
    return true;
}

/* Rows that begin at offsets, and arrays of one element, are no data of many things. */
bool may_be_looked_up(const Draft *d, const Item *item)
{
    const Part *part = &item->part;
    return item->present && part->role == PART_IN && part->kind == PART_EACH && !part->fixed && !item->is_of_flow &&
           part->axis_count && part->axes[part->axis_count - 1].entity && !part->axes[0].more && d->dims;
}
