/* Items and values that forms of inputs and results are made of: see flow.h. */
#include "synth/meaning/flow.h"

#include <string.h>

enum { ITEMS_OF_FORM = 4 };

bool has_room_for_flow(const Draft *d)
{
    enum { ROOM_FOR_SYMBOLS = 160, ROOM_FOR_COUNTS = 3 };
    return d->item_count + ITEMS_OF_FORM <= MAX_ITEMS && d->symbol_count + ROOM_FOR_SYMBOLS <= MAX_SYMBOLS &&
           d->count_count + ROOM_FOR_COUNTS <= MAX_COUNTS && d->flow_count < sizeof d->flows / sizeof *d->flows;
}

void note_flow(Draft *d, const char *role, const char *text, const char *says)
{
    d->flows[d->flow_count++] = arena_format(d->arena, "%s = %s", role, text);
    if (says && d->fact_count < sizeof d->facts / sizeof *d->facts)
        d->facts[d->fact_count++] = says;
}

const char *flow_role(Draft *d, const Item *item, const char *part)
{
    return arena_format(d->arena, "%s.%s", item->role, part);
}

static Item *add_item(Draft *d, const Item *beside, const char *part, const char *names)
{
    Item *item = &d->items[d->item_count++];
    *item = (Item){.role = flow_role(d, beside, part), .present = true, .is_of_flow = true};
    item->symbol = symbol_new(d, SYMBOL_INPUT, SCOPE_KERNEL, names);
    d->symbols[item->symbol].of[0] = beside->symbol;
    d->symbols[item->symbol].entity = own_entity(d);
    return item;
}

/* "old_mass" of mass and of mass_out: words of a role are what it is called in sentences. */
static const char *named_part(Draft *d, const Item *beside, const char *part)
{
    static const char *const ends[] = {"_out", "_of"};
    const char *dot = strrchr(beside->role, '.'), *own = dot ? dot + 1 : beside->role;
    size_t len = strlen(own);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end = strlen(ends[i]);
        if (len > end + 1 && memcmp(own + len - end, ends[i], end) == 0)
            len -= end;
    }
    return arena_format(d->arena, "%s_%.*s", part, (int)len, own);
}

Item *item_beside(Draft *d, const Item *like, PartRole role, const char *part, const char *names)
{
    Item *item = add_item(d, like, named_part(d, like, part), names);
    item->part = like->part;
    item->part.role = role;
    item->part.probability = 1;
    item->of_world = like->of_world;
    d->symbols[item->symbol].entity = d->symbols[like->symbol].entity;
    return item;
}

static void spread_over_launch(Draft *d, Item *item)
{
    Part *part = &item->part;
    part->axis_count = d->dims;
    item->of_world = d->world ? WORLD_IN_FRONT : WORLD_OF_NONE;
    for (uint32_t i = 0; i < d->dims; i++) {
        part->axes[i] = (Axis){.entity = d->entities[i]};
        for (uint32_t k = 0; k < i; k++)
            part->axes[i].number += d->entities[k] == d->entities[i];
    }
}

static const Quantity *quantity_called(Draft *d, const char *id)
{
    return quantity_find(d->meaning, name_cstr(d->meaning->names, id));
}

Item *item_of_launch(Draft *d, const Item *beside, const char *quantity, PartRole role, const char *part,
                     const char *names)
{
    Item *item = add_item(d, beside, part, names);
    const Quantity *what = quantity_called(d, quantity);
    item->part = (Part){
        .kind = PART_EACH, .role = role, .quantity = what, .low = what->low, .high = what->high, .probability = 1};
    spread_over_launch(d, item);
    return item;
}

Item *setting_beside(Draft *d, const Item *beside, const char *quantity, double low, double high, const char *part,
                     const char *names)
{
    Item *item = add_item(d, beside, quantity ? part : named_part(d, beside, part), names);
    const Quantity *what = quantity ? quantity_called(d, quantity) : beside->part.quantity;
    item->part =
        (Part){.kind = PART_SETTING, .role = PART_IN, .quantity = what, .low = low, .high = high, .probability = 1};
    return item;
}

Item *index_of_launch(Draft *d, const Item *beside, const Entity *target, const char *part, const char *names)
{
    Item *item = add_item(d, beside, part, names);
    const Quantity *what = quantity_called(d, "index_value");
    item->part = (Part){.kind = PART_INDEX,
                        .role = PART_IN,
                        .quantity = what,
                        .target = target,
                        .low = what->low,
                        .high = what->high,
                        .probability = 1};
    spread_over_launch(d, item);
    return item;
}

Item *item_of_part(Draft *d, const char *part, const Entity *target)
{
    for (uint32_t i = d->first_of_sources; i < d->item_count; i++) {
        Item *item = &d->items[i];
        const char *dot = strrchr(item->role, '.');
        if (item->present && dot && strcmp(dot + 1, part) == 0 && item->part.target == target)
            return item;
    }
    return NULL;
}

Node *flow_own_index(Draft *d)
{
    if (d->dims == 1)
        return draft_name(d, d->tid[0]);
    Node *tuple = draft_new(d, NODE_TUPLE);
    for (uint32_t i = 0; i < d->dims; i++)
        draft_push(d, &tuple->sequence.elts, draft_name(d, d->tid[i]));
    return tuple;
}

Value value_of_item(Draft *d, const Item *item)
{
    Node *node = draft_name(d, item->symbol);
    if (item->part.kind != PART_SETTING)
        node = draft_subscript(d, node, flow_own_index(d));
    return (Value){node, item->role};
}

Value float_value(Draft *d, double number)
{
    return (Value){draft_float(d, number), arena_format(d->arena, "%g", number)};
}

Value flow_call(Draft *d, const char *text, Node *node, const Value *operands, uint32_t count)
{
    Text whole = text_in(d->arena);
    ADD_ALL(&whole, text, "(");
    for (uint32_t i = 0; i < count; i++)
        ADD_ALL(&whole, i ? ", " : "", operands[i].text);
    text_char(&whole, ')');
    return (Value){node, text_cstr(&whole)};
}

Node *flow_variable(Draft *d, NodeList *list, const char *names, Node *value)
{
    Node *target = draft_name(d, symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, names));
    target->name.store = true;
    draft_push(d, list, draft_assign(d, target, value));
    return target;
}

Node *flow_load(Draft *d, const Node *variable)
{
    return draft_name(d, variable->fact - 1);
}

Node *flow_between(Draft *d, Node *from, Node *to, Node *part)
{
    double form = (d->salt >> 8 & 255) / 256.0; /* one in a kernel: the same values stay the same */
    if (form < 0.15) {
        Node *parts[] = {from, to, part};
        return draft_call(d, draft_wp(d, "lerp"), parts, 3);
    }
    if (form < 0.55) {
        Node *rest = draft_binary(d, OP_SUB, draft_float(d, 1), draft_copy(d, part));
        return draft_binary(d, OP_ADD, draft_binary(d, OP_MULT, rest, from), draft_binary(d, OP_MULT, part, to));
    }
    Node *step = draft_binary(d, OP_SUB, to, draft_copy(d, from));
    Node *weighted = form < 0.8 ? draft_binary(d, OP_MULT, part, step) : draft_binary(d, OP_MULT, step, part);
    return draft_binary(d, OP_ADD, from, weighted);
}

bool is_vector(const Quantity *quantity)
{
    return strcmp(quantity->type, "vec3") == 0 || strcmp(quantity->type, "vec2") == 0 ||
           strcmp(quantity->type, "vec4") == 0;
}

bool is_continuous(const Quantity *quantity)
{
    return (strcmp(quantity->type, "float") == 0 || is_vector(quantity)) && strcmp(quantity->unit, "unit") != 0;
}

bool is_scalable(const Quantity *quantity)
{
    static const char *const units[] = {"m", "K", "rad"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i], quantity->unit) == 0)
            return false;
    bool plain = !*quantity->unit || strcmp(quantity->unit, "1") == 0; /* a colour, a point of an image */
    return is_continuous(quantity) && !(plain && is_vector(quantity));
}

/* Scenes that decide little come out alike: theirs have more forms. */
double chance_of_flow(const Draft *d)
{
    static const double LEAST = 0.1, PER_DECISION = 0.065;
    uint32_t decisions = 0;
    if (d->is_short)
        return LEAST;
    if (d->scene->categories >> CATEGORY_glue & 1)
        return d->casting_count > 1 ? 0.85 : 1;
    for (uint32_t i = 0; i < d->casting_count; i++)
        decisions += d->castings[i].scene->body.choice_count + d->castings[i].scene->part_count / 2;
    double chance = 1.05 - PER_DECISION * decisions;
    return chance > LEAST ? chance : LEAST;
}
