/* Where inputs come from: tables by material, interpolation between two times, means, limits, buffers of several slots. Each form
 * gives a value in the input's range, and its operands may be forms again. */
#include "synth/meaning/flow.h"

#include <string.h>

typedef struct Sources {
    Draft *d;
    NodeList before; /* statements that the value needs */
    uint32_t left;   /* so many forms may still be used */
    uint32_t used;   /* a bit for each form: none contains itself */
} Sources;

static Value read_item(Sources *s, Item *item, uint32_t depth);

static Value operand(Sources *s, Item *item, uint32_t depth)
{
    return read_item(s, item, depth + 1);
}

static const char *say(Sources *s, const char *format, const Item *item)
{
    return arena_format(s->d->arena, format, phrase_of_item(s->d, item));
}

static void add_clause(Sources *s, const char *clause)
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
    return index_of_launch(s->d, item, entity, part, arena_format(s->d->arena, "%s|@_%s|%s_ids|%s_id", one, one, one, one));
}

/* mass[material[i]] */
static Value make_table(Sources *s, Item *item, uint32_t depth)
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
static Value make_pair(Sources *s, Item *item, uint32_t depth)
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

static bool is_single_axis(const Draft *d)
{
    return d->dims == 1 + (d->world != NULL);
}

/* x[source[i]]: the value of another one of them */
static Value make_gather(Sources *s, Item *item, uint32_t depth)
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

/* x[frame, i] */
static Value make_slot(Sources *s, Item *item, uint32_t depth)
{
    (void)depth;
    Draft *d = s->d;
    uint32_t extent = (uint32_t)rng_between(&d->rng, 2, 6);
    Item *slot = setting_beside(d, item, "index_value", 0, extent - 1.0, "slot", "frame|slot|level|stage|buffer_id|phase");
    slot->part.fixed = true;
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
static Value make_window(Sources *s, Item *item, uint32_t depth)
{
    (void)depth;
    Draft *d = s->d;
    static const char *const kinds[] = {"window_mean", "window_max", "window_min"};
    static const char *const builtins[] = {"", "max", "min"}, *const words[] = {"mean", "largest", "least"};
    const Quantity *quantity = item->part.quantity;
    uint32_t extent = (uint32_t)rng_between(&d->rng, 2, 8), kind = is_vector(quantity) ? 0 : rng_below(&d->rng, 4) % 3;
    Node *loop = draft_new(d, NODE_FOR), *counter = draft_name(d, symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, "k|lag|s|slot"));
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
        Node **place = index->kind == NODE_TUPLE ? &index->sequence.elts.items[item->of_world == WORLD_IN_FRONT] : &first->subscript.slice;
        *place = draft_int(d, 0);
        total = flow_variable(d, &s->before, kind == 1 ? "largest|peak|most" : "least|lowest|smallest", first);
        Node *parts[] = {flow_load(d, total), element};
        draft_push(d, &loop->for_loop.body, draft_assign(d, draft_copy(d, total), draft_call(d, draft_wp(d, builtins[kind]), parts, 2)));
    }
    loop->for_loop.iter = range_call(d, kind ? 1 : 0, extent);
    draft_push(d, &s->before, loop);
    Node *value = flow_load(d, total);
    if (kind == 0)
        value = draft_binary(d, OP_DIV, value, draft_float(d, extent));
    add_clause(s, arena_format(d->arena, "the %s is the %s of the last %u", phrase_of_item(d, item), words[kind], extent));
    return flow_call(d, kinds[kind], value, &(Value){NULL, item->role}, 1);
}

/* ---- neighbours ---- */

static bool is_ordered(const Entity *entity)
{
    static const char *const ids[] = {"cell", "sample", "time_sample", "pixel", "node", "bin", "row", "token", "site", "layer"};
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
        Node *moved = right ? draft_binary(d, OP_ADD, index, one)
                            : draft_binary(d, OP_SUB, draft_binary(d, OP_ADD, index, draft_name(d, count->symbol)), one);
        return draft_binary(d, OP_MOD, moved, draft_name(d, count->symbol));
    }
    Node *parts[2] = {draft_binary(d, right ? OP_ADD : OP_SUB, index, one),
                      right ? draft_binary(d, OP_SUB, draft_name(d, count->symbol), draft_int(d, 1)) : draft_int(d, 0)};
    return draft_call(d, draft_wp(d, right ? "min" : "max"), parts, 2);
}

static Value make_smooth(Sources *s, Item *item, uint32_t depth)
{
    (void)depth;
    Draft *d = s->d;
    bool wraps = perhaps(d, 0.3), both = perhaps(d, 0.5), right = perhaps(d, 0.6);
    const char *end = wraps ? "around the end" : "the last one is its own";
    Node *world = item->of_world == WORLD_IN_FRONT ? draft_name(d, d->tid[0]) : NULL, *value = value_of_item(d, item).node;
    Node *sides[2];
    for (uint32_t i = 0; i < 1u + both; i++) {
        bool to_right = both ? i : right;
        Node *target = flow_variable(d, &s->before, to_right ? "right|next_i|hi|nxt" : "left|prev_i|lo|prv",
                                     neighbour(s, to_right, wraps));
        Node *index = flow_load(d, target);
        sides[i] = element_at(s, item, world ? draft_copy(d, world) : NULL, &index, 1);
    }
    if (both)
        value = draft_binary(d, OP_ADD, draft_binary(d, OP_MULT, draft_float(d, 0.5), value),
                             draft_binary(d, OP_MULT, draft_float(d, 0.25), draft_binary(d, OP_ADD, sides[0], sides[1])));
    else
        value = draft_binary(d, OP_MULT, draft_float(d, 0.5), draft_binary(d, OP_ADD, value, sides[0]));
    add_clause(s, arena_format(d->arena, "the %s is averaged with %s; %s", phrase_of_item(d, item),
                               both ? "those of both neighbours" : right ? "that of the next one" : "that of the one before",
                               end));
    const char *kind = arena_format(d->arena, "smooth_%s_%s", both ? "both" : right ? "next" : "last", wraps ? "wrap" : "clamp");
    return flow_call(d, kind, value, &(Value){NULL, item->role}, 1);
}

/* ---- several values ---- */

/* x[i] + alpha * (x_next[i] - x[i]) */
static Value make_blend(Sources *s, Item *item, uint32_t depth)
{
    Draft *d = s->d;
    bool uniform = item->part.kind == PART_SETTING || perhaps(d, 0.6), setting = item->part.kind == PART_SETTING;
    Item *next = item_beside(d, item, PART_IN, "next", setting ? "#_end|end_#|final_#" : "#_next|next_#|#_1|#_end|#_b");
    Item *share = uniform ? setting_beside(d, item, "ratio", 0, 1, "share", setting ? "progress|schedule|ramp" : "alpha|blend|frac|s")
                          : item_of_launch(d, item, "ratio", PART_IN, "share", "blend|mix|alpha|weights|share");
    Value values[] = {operand(s, item, depth), operand(s, next, depth), value_of_item(d, share)};
    Node *between = flow_between(d, values[0].node, values[1].node, values[2].node);
    add_clause(s, say(s, setting ? "the %s goes from its start to its end value" : "the %s is interpolated between two values", item));
    return flow_call(d, "blend", between, values, 3);
}

static Value make_mean(Sources *s, Item *item, uint32_t depth)
{
    Draft *d = s->d;
    Item *other = item_beside(d, item, PART_IN, "other", "#_b|other_#|#_old|#_1|prev_#|#_mirror");
    Value values[] = {operand(s, item, depth), operand(s, other, depth)};
    Node *sum = draft_binary(d, OP_ADD, values[0].node, values[1].node);
    add_clause(s, say(s, "the %s is the mean of two", item));
    return flow_call(d, "mean", draft_binary(d, OP_MULT, draft_float(d, 0.5), sum), values, 2);
}

static Value make_extreme(Sources *s, Item *item, uint32_t depth)
{
    Draft *d = s->d;
    bool least = perhaps(d, 0.5);
    Item *other = item_beside(d, item, PART_IN, "second", "#_b|other_#|#_limit|#_ref|#_alt");
    Value values[] = {operand(s, item, depth), operand(s, other, depth)};
    Node *parts[] = {values[0].node, values[1].node};
    add_clause(s, say(s, least ? "the smaller of two readings of the %s counts" : "the larger of two readings of the %s counts", item));
    return flow_call(d, least ? "least" : "largest", draft_call(d, draft_wp(d, least ? "min" : "max"), parts, 2), values, 2);
}

static bool is_scalar(const Quantity *quantity)
{
    return strcmp(quantity->type, "float") == 0;
}

/* if valid[i] == 0: v = default; else: v = x[i] */
static Value make_fallback(Sources *s, Item *item, uint32_t depth)
{
    Draft *d = s->d;
    bool uniform = is_scalar(item->part.quantity) && perhaps(d, 0.6);
    Item *valid = item_of_launch(d, item, "flag", PART_IN, "valid", "#_valid|valid|has_#|known|#_known");
    Item *instead = uniform ? setting_beside(d, item, NULL, item->part.low, item->part.high, "default", "default_#|#_default|fallback_#")
                            : item_beside(d, item, PART_IN, "default", "default_#|#_default|fallback_#|#_prior|last_#");
    Value values[] = {operand(s, item, depth), value_of_item(d, valid), operand(s, instead, depth)};
    Node *test = draft_compare(d, OP_EQ, values[1].node, draft_int(d, 0)), *branch = draft_new(d, NODE_IF);
    uint32_t symbol = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, value_names(d, item));
    branch->if_stmt.test = test;
    for (int i = 0; i < 2; i++) {
        Node *target = draft_name(d, symbol);
        target->name.store = true;
        draft_push(d, i ? &branch->if_stmt.orelse : &branch->if_stmt.body, draft_assign(d, target, values[i ? 0 : 2].node));
    }
    draft_push(d, &s->before, branch);
    add_clause(s, say(s, "where the %s is not valid, a default takes its place", item));
    return flow_call(d, "fallback", draft_name(d, symbol), values, 3);
}

/* wp.clamp(x[i], x_min, x_max) */
static Value make_clamp(Sources *s, Item *item, uint32_t depth)
{
    Draft *d = s->d;
    double low = item->part.low, high = item->part.high, span = high - low;
    uint32_t which = rng_below(&d->rng, 3);
    Item *least = which != 1 ? setting_beside(d, item, NULL, low, low + 0.3 * span, "low", "min_#|#_min|#_floor|lowest_#") : NULL;
    Item *most = which != 0 ? setting_beside(d, item, NULL, high - 0.3 * span, high, "high", "max_#|#_max|#_cap|#_limit") : NULL;
    Value values[3] = {operand(s, item, depth)};
    uint32_t count = 1;
    if (least)
        values[count++] = operand(s, least, depth);
    if (most)
        values[count++] = operand(s, most, depth);
    Node *parts[] = {values[0].node, values[1].node, count > 2 ? values[2].node : NULL};
    static const char *const builtins[] = {"max", "min", "clamp"}, *const kinds[] = {"largest", "least", "clamp"};
    static const char *const says[] = {"the %s is at least a given one", "the %s is at most a given one", "the %s is kept between two limits"};
    add_clause(s, say(s, says[which], item));
    return flow_call(d, kinds[which], draft_call(d, draft_wp(d, builtins[which]), parts, count), values, count);
}

/* factor[i] * x[i], and x[i] * wp.exp(-rate * age[i]) */
static Value make_scale(Sources *s, Item *item, uint32_t depth)
{
    Draft *d = s->d;
    if (perhaps(d, 0.3)) {
        Item *rate = setting_beside(d, item, "rate_constant", 0.05, 2, "rate", "decay_rate|fade_rate|decay|falloff_rate");
        Item *age = item_of_launch(d, item, "time_value", PART_IN, "age", "age|ages|elapsed|@_age");
        Value values[] = {operand(s, item, depth), operand(s, rate, depth), value_of_item(d, age)};
        Node *negative = draft_new(d, NODE_UNARY_OP);
        negative->unary_op.op = OP_U_SUB;
        negative->unary_op.operand = values[1].node;
        Node *power = draft_binary(d, OP_MULT, negative, values[2].node);
        Node *factor = draft_call(d, draft_wp(d, "exp"), &power, 1);
        add_clause(s, say(s, "the %s fades exponentially with its age", item));
        return flow_call(d, "decay", draft_binary(d, OP_MULT, values[0].node, factor), values, 3);
    }
    bool uniform = perhaps(d, 0.4);
    Item *factor = uniform ? setting_beside(d, item, "ratio", 0, 1, "factor", "#_scale|scale|fraction|#_share")
                           : item_of_launch(d, item, "ratio", PART_IN, "factor", "#_scale|fraction|#_weight|coverage");
    Value values[] = {value_of_item(d, factor), operand(s, item, depth)};
    add_clause(s, say(s, "only a share of the %s counts", item));
    return flow_call(d, "scale", draft_binary(d, OP_MULT, values[0].node, values[1].node), values, 2);
}

/* A setting that differs from thread to thread. */
static Value make_each(Sources *s, Item *item, uint32_t depth)
{
    Draft *d = s->d;
    const Item like = *item_of_launch(d, item, "ratio", PART_IN, "unused", "unused");
    d->item_count--;
    item->part.kind = PART_EACH;
    item->part.axis_count = like.part.axis_count;
    memcpy(item->part.axes, like.part.axes, sizeof like.part.axes);
    item->of_world = like.of_world;
    d->symbols[item->symbol].entity = own_entity(d);
    return operand(s, item, depth);
}

/* ---- which form ---- */

static bool is_property(const Quantity *quantity)
{
    static const char *const ids[] = {
        "mass",      "inverse_mass", "stiffness",     "damping",      "rest_length",       "friction",   "restitution",
        "radius",    "density",      "viscosity",     "conductivity", "heat_capacity",     "diffusivity", "youngs_modulus",
        "area",      "volume",       "poisson_ratio", "lame_mu",      "moment_of_inertia", "length",     "refractive_index",
        "roughness", "lame_lambda",  "half_extents",  "colour",       "resistance",        "gain",       "volatility",
        "variance",  "learning_rate", "weight",       "rate_constant", "activation_energy", "cell_size"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (strcmp(quantity->id, ids[i]) == 0)
            return true;
    return false;
}

/* A flag or an index is looked up, but never made up. */
static bool is_choice(const Item *item)
{
    return item->part.target || strcmp(item->part.quantity->id, "flag") == 0;
}

static bool fits_threads(const Draft *d, const Item *item)
{
    return d->dims > 0 && !is_choice(item);
}

static bool fits_gather(const Draft *d, const Item *item)
{
    (void)item;
    return is_single_axis(d) && d->entities[d->dims - 1] == own_entity(d);
}

static bool fits_slot(const Draft *d, const Item *item)
{
    (void)d;
    return item->part.kind == PART_SETTING || item->part.axis_count < MAX_DIMS;
}

static bool fits_window(const Draft *d, const Item *item)
{
    return item->part.axis_count < MAX_DIMS && is_continuous(item->part.quantity) && d->dims > 0;
}

static bool fits_smooth(const Draft *d, const Item *item)
{
    return fits_gather(d, item) && is_ordered(own_entity(d)) && is_continuous(item->part.quantity);
}

static bool fits_continuous(const Draft *d, const Item *item)
{
    (void)d;
    return is_continuous(item->part.quantity);
}

static bool fits_scalar(const Draft *d, const Item *item)
{
    (void)d;
    return is_scalar(item->part.quantity);
}

static bool fits_scale(const Draft *d, const Item *item)
{
    return fits_continuous(d, item) && item->part.low <= 0 && item->part.high >= 0 && strcmp(item->part.quantity->id, "ratio") != 0;
}

typedef struct Form {
    Value (*make)(Sources *s, Item *item, uint32_t depth);
    bool (*fits)(const Draft *d, const Item *item);
    unsigned property, state, setting; /* how often it is chosen */
} Form;

static const Form forms[] = {
    {make_table, fits_threads, 30, 4, 34},      {make_pair, fits_threads, 6, 0, 5},
    {make_gather, fits_gather, 10, 14, 0},      {make_slot, fits_slot, 4, 12, 8},
    {make_window, fits_window, 0, 14, 0},       {make_smooth, fits_smooth, 0, 14, 0},
    {make_blend, fits_continuous, 8, 16, 16},   {make_mean, fits_continuous, 6, 12, 0},
    {make_extreme, fits_scalar, 4, 6, 0},       {make_fallback, fits_threads, 12, 12, 0},
    {make_clamp, fits_scalar, 8, 10, 0},        {make_scale, fits_scale, 4, 12, 0},
    {make_each, fits_threads, 0, 0, 24},
};
enum { FORM_COUNT = sizeof forms / sizeof *forms };

static Value read_item(Sources *s, Item *item, uint32_t depth)
{
    Draft *d = s->d;
    static const double deeper[] = {1.0, 0.22, 0.15, 0};
    unsigned weights[FORM_COUNT], total = 0;
    bool setting = item->part.kind == PART_SETTING, property = is_property(item->part.quantity);
    bool more = depth < 3 && s->left && has_room_for_flow(d) && perhaps(d, deeper[depth]);
    for (uint32_t i = 0; more && i < FORM_COUNT; i++) {
        weights[i] = setting ? forms[i].setting : property ? forms[i].property : forms[i].state;
        weights[i] = weights[i] && !(s->used >> i & 1) && forms[i].fits(d, item) ? weights[i] : 0;
        total += weights[i];
    }
    if (!total)
        return value_of_item(d, item);
    s->left--;
    uint32_t chosen = rng_weighted(&d->rng, weights, FORM_COUNT);
    s->used |= 1u << chosen;
    return forms[chosen].make(s, item, depth);
}

/* ---- which inputs ---- */

typedef struct SettingReads {
    uint32_t fact, count;
    Node **places[24];
} SettingReads;

static void find_setting_reads(Node **place, void *user)
{
    SettingReads *reads = user;
    if ((*place)->kind == NODE_NAME && (*place)->fact == reads->fact) {
        if (reads->count < sizeof reads->places / sizeof *reads->places)
            reads->places[reads->count] = place;
        reads->count++;
    }
    draft_slots(*place, find_setting_reads, user);
}

/* Integers count, tell kinds apart and are bounds of loops: they stay where they are. */
static bool may_have_source(const Draft *d, const Item *item)
{
    const Part *part = &item->part;
    static const char *const never[] = {"seed", "time_step", "time_value", "tolerance", "step_count"};
    if (!item->present || part->role != PART_IN || part->fixed || (item->is_of_flow && is_choice(item)))
        return false;
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strcmp(part->quantity->id, never[i]) == 0)
            return false;
    if (part->kind == PART_SETTING)
        return is_scalar(part->quantity);
    return (part->kind == PART_EACH || part->kind == PART_INDEX) && d->dims && is_over_launch(d, part);
}

/* Every place where the kernel reads it; 0: some place needs the whole array. */
static uint32_t find_places(Draft *d, const Item *item, Node **places[32])
{
    if (item->part.kind == PART_SETTING) {
        SettingReads reads = {.fact = item->symbol + 1};
        for (uint32_t i = 0; i < d->body.count; i++)
            find_setting_reads(&d->body.items[i], &reads);
        bool all = reads.count <= sizeof reads.places / sizeof *reads.places;
        memcpy(places, reads.places, sizeof reads.places);
        return all ? reads.count : 0;
    }
    OwnReads reads;
    find_own_reads(d, item->symbol, &d->body, &reads);
    memcpy(places, reads.places, sizeof reads.places);
    return reads.count == reads.all ? reads.count : 0;
}

/* Behind wp.tid() and the guards that come first, where the first statement reads it. */
static uint32_t first_use(Draft *d, const Item *item)
{
    uint32_t at = 0;
    while (!draft_uses(d->body.items[at], item->symbol))
        at++;
    while (at > 0 && is_comment(d->body.items[at - 1]))
        at--;
    return at;
}

static void give_source(Draft *d, Item *item, uint32_t left)
{
    Node **places[32];
    uint32_t count = find_places(d, item, places), at = count ? first_use(d, item) : 0;
    if (!count)
        return;
    bool setting = item->part.kind == PART_SETTING;
    Sources sources = {.d = d, .left = left}, *s = &sources;
    Value value = read_item(s, item, 0);
    if (setting && item->part.kind == PART_SETTING && value.text == item->role)
        return;
    if (setting)
        value.text = arena_format(d->arena, "setting(%s)", value.text);
    if (count > 1 || !perhaps(d, 0.4)) {
        Node *variable = value.node->kind == NODE_NAME && value.node->fact != item->symbol + 1
                             ? value.node
                             : flow_variable(d, &s->before, value_names(d, item), value.node);
        for (uint32_t i = 0; i < count; i++)
            *places[i] = flow_load(d, variable);
    } else
        *places[0] = value.node;
    draft_insert(d, &d->body, at, &s->before);
    note_flow(d, item->role, value.text, NULL);
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
    uint32_t extent = (uint32_t)rng_between(&d->rng, 2, 6);
    bool world = item->of_world == WORLD_IN_FRONT;
    Item *slot = setting_beside(d, item, "index_value", 0, extent - 1.0, "slot", "frame|slot|level|stage|buffer_id|phase");
    slot->part.fixed = true;
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
    Item *other = item_beside(d, item, PART_IN, mean ? "other" : "next", mean ? "#_b|other_#|#_old|prev_#" : "#_next|next_#|#_1|#_end");
    Item *share = mean ? NULL : setting_beside(d, item, "ratio", 0, 1, "share", "alpha|blend|frac|s");
    for (uint32_t i = 0; i < lookups->count; i++) {
        Node *first = *lookups->places[i], *second = same_element(d, first, other);
        *lookups->places[i] = mean ? draft_binary(d, OP_MULT, draft_float(d, 0.5), draft_binary(d, OP_ADD, first, second))
                                   : flow_between(d, first, second, draft_name(d, share->symbol));
    }
    const char *text = mean ? arena_format(d->arena, "mean(%s, %s)", item->role, other->role)
                            : arena_format(d->arena, "blend(%s, %s, %s)", item->role, other->role, share->role);
    note_flow(d, item->role, text,
              arena_format(d->arena, mean ? "the %s is the mean of two" : "the %s is interpolated between two values", phrase_of_item(d, item)));
}

/* An array that is read at a few indices, and never passed on as a whole. */
static bool give_lookup_source(Draft *d, Item *item)
{
    Lookups lookups = {.fact = item->symbol + 1};
    for (uint32_t i = 0; i < d->body.count; i++)
        find_lookups(&d->body.items[i], &lookups);
    if (!lookups.count || lookups.count > MOST_LOOKUPS || lookups.count != lookups.all)
        return false;
    bool values = is_continuous(item->part.quantity), slots = item->part.axis_count < MAX_DIMS;
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
static bool may_be_looked_up(const Draft *d, const Item *item)
{
    const Part *part = &item->part;
    return item->present && part->role == PART_IN && part->kind == PART_EACH && !part->fixed && !item->is_of_flow &&
           part->axis_count && part->axes[part->axis_count - 1].entity && !part->axes[0].more && d->dims;
}

void choose_sources(Draft *d)
{
    static const double OF_FLOW = 0.35, OF_LOOKUP = 0.7; /* of what a form brought along, of what is read at indices */
    double chance = chance_of_flow(d);
    uint32_t count = d->item_count, given = 0, start = count ? rng_below(&d->rng, count) : 0;
    for (uint32_t k = 0; k < count && given < 3; k++) {
        Item *item = &d->items[(start + k) % count];
        if (!may_have_source(d, item) && may_be_looked_up(d, item) && has_room_for_flow(d) && perhaps(d, OF_LOOKUP * chance)) {
            given += give_lookup_source(d, item);
            chance *= 0.7;
            continue;
        }
        if (!may_have_source(d, item) || !has_room_for_flow(d) || !perhaps(d, (item->is_of_flow ? OF_FLOW : item->part.kind == PART_SETTING ? 0.6 : 1) * chance))
            continue;
        uint32_t before = d->flow_count;
        give_source(d, item, given ? 1 : 3);
        given += d->flow_count > before;
        chance *= 0.7;
    }
}
