/* Where inputs come from: interpolation between two times, means, limits, defaults. Each form gives a value in the input's range, and its
 * operands may be forms again. */
#include "synth/meaning/source.h"
#include "synth/meaning/style.h"

#include <string.h>

static Value operand(Sources *s, Item *item, uint32_t depth)
{
    return read_source(s, item, depth + 1);
}

/* ---- several values ---- */

/* x[i] + alpha * (x_next[i] - x[i]) */
static Value make_blend(Sources *s, Item *item, uint32_t depth)
{
    Draft *d = s->d;
    bool uniform = item->part.kind == PART_SETTING || perhaps(d, 0.6), setting = item->part.kind == PART_SETTING;
    Item *next = item_beside(d, item, PART_IN, "next", setting ? "#_end|end_#|final_#" : "#_next|next_#|#_1|#_end|#_b");
    Item *known = uniform && !setting ? item_of_part(d, "share", NULL) : NULL;
    Item *share = known && known->part.kind == PART_SETTING ? known
                  : uniform                                 ? setting_beside(d, item, "ratio", 0, 1, "share",
                                             setting ? "progress|schedule|ramp" : "alpha|blend|frac|s")
                            : item_of_launch(d, item, "ratio", PART_IN, "share", "blend|mix|alpha|weights|share");
    Value values[] = {operand(s, item, depth), operand(s, next, depth), value_of_item(d, share)};
    Node *between = flow_between(d, values[0].node, values[1].node, values[2].node);
    add_clause(
        s, say(s, setting ? "the %s goes from its start to its end value" : "the %s is interpolated between two values",
               item));
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
    add_clause(
        s,
        say(s, least ? "the smaller of two readings of the %s counts" : "the larger of two readings of the %s counts",
            item));
    return flow_call(d, least ? "least" : "largest", draft_call(d, draft_wp(d, least ? "min" : "max"), parts, 2),
                     values, 2);
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
    Item *instead = uniform ? setting_beside(d, item, NULL, item->part.low, item->part.high, "default",
                                             "default_#|#_default|fallback_#")
                            : item_beside(d, item, PART_IN, "default", "default_#|#_default|fallback_#|#_prior|last_#");
    Value values[] = {operand(s, item, depth), value_of_item(d, valid), operand(s, instead, depth)};
    Node *test = draft_compare(d, OP_EQ, values[1].node, draft_int(d, 0)), *branch = draft_new(d, NODE_IF);
    uint32_t symbol = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, value_names(d, item));
    branch->if_stmt.test = test;
    for (int i = 0; i < 2; i++) {
        Node *target = draft_name(d, symbol);
        target->name.store = true;
        draft_push(d, i ? &branch->if_stmt.orelse : &branch->if_stmt.body,
                   draft_assign(d, target, values[i ? 0 : 2].node));
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
    Item *least =
        which != 1 ? setting_beside(d, item, NULL, low, low + 0.3 * span, "low", "min_#|#_min|#_floor|lowest_#") : NULL;
    Item *most =
        which != 0 ? setting_beside(d, item, NULL, high - 0.3 * span, high, "high", "max_#|#_max|#_cap|#_limit") : NULL;
    Value values[3] = {operand(s, item, depth)};
    uint32_t count = 1;
    if (least)
        values[count++] = operand(s, least, depth);
    if (most)
        values[count++] = operand(s, most, depth);
    Node *parts[] = {values[0].node, values[1].node, count > 2 ? values[2].node : NULL};
    static const char *const builtins[] = {"max", "min", "clamp"}, *const kinds[] = {"largest", "least", "clamp"};
    static const char *const says[] = {"the %s is at least a given one", "the %s is at most a given one",
                                       "the %s is kept between two limits"};
    add_clause(s, say(s, says[which], item));
    return flow_call(d, kinds[which], draft_call(d, draft_wp(d, builtins[which]), parts, count), values, count);
}

/* factor[i] * x[i], and x[i] * wp.exp(-rate * age[i]) */
static Value make_scale(Sources *s, Item *item, uint32_t depth)
{
    Draft *d = s->d;
    if (perhaps(d, 0.3)) {
        Item *rate =
            setting_beside(d, item, "rate_constant", 0.05, 2, "rate", "decay_rate|fade_rate|decay|falloff_rate");
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
    static const char *const ids[] = {"mass",
                                      "inverse_mass",
                                      "stiffness",
                                      "damping",
                                      "rest_length",
                                      "friction",
                                      "restitution",
                                      "radius",
                                      "density",
                                      "viscosity",
                                      "conductivity",
                                      "heat_capacity",
                                      "diffusivity",
                                      "youngs_modulus",
                                      "area",
                                      "volume",
                                      "poisson_ratio",
                                      "lame_mu",
                                      "moment_of_inertia",
                                      "length",
                                      "refractive_index",
                                      "roughness",
                                      "lame_lambda",
                                      "half_extents",
                                      "colour",
                                      "resistance",
                                      "gain",
                                      "volatility",
                                      "variance",
                                      "learning_rate",
                                      "weight",
                                      "rate_constant",
                                      "activation_energy",
                                      "cell_size"};
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
    (void)d;
    return is_scalable(item->part.quantity) && item->part.low <= 0 && item->part.high >= 0 &&
           strcmp(item->part.quantity->id, "ratio") != 0;
}

typedef struct Form {
    Value (*make)(Sources *s, Item *item, uint32_t depth);
    bool (*fits)(const Draft *d, const Item *item);
    unsigned property, state, setting; /* how often it is chosen */
} Form;

static const Form forms[] = {
    {make_table, fits_threads, 30, 4, 34},    {make_pair, fits_threads, 6, 0, 5},
    {make_gather, fits_gather, 10, 14, 0},    {make_slot, fits_slot, 4, 12, 8},
    {make_window, fits_window, 0, 14, 0},     {make_smooth, fits_smooth, 0, 14, 0},
    {make_blend, fits_continuous, 8, 16, 16}, {make_mean, fits_continuous, 6, 12, 0},
    {make_extreme, fits_scalar, 3, 1, 0},     {make_fallback, fits_threads, 12, 12, 0},
    {make_clamp, fits_scalar, 8, 10, 0},      {make_scale, fits_scale, 4, 12, 0},
    {make_each, fits_threads, 0, 0, 24},
};
enum { FORM_COUNT = sizeof forms / sizeof *forms };

Value read_source(Sources *s, Item *item, uint32_t depth)
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

typedef struct Renaming {
    uint32_t from, to; /* facts */
} Renaming;

static void rename_uses(Node **place, void *user)
{
    const Renaming *renaming = user;
    if ((*place)->kind == NODE_NAME && (*place)->fact == renaming->from)
        (*place)->fact = renaming->to;
    draft_slots(*place, rename_uses, user);
}

/* The scene has a name for the value, `m = mass[i]`: the statements before give it that, and the scene's own is left out. */
static bool take_name(Sources *s, uint32_t at, Node *const *place, const Node *value)
{
    Draft *d = s->d;
    while (at < d->body.count && is_comment(d->body.items[at]))
        at++;
    const Node *node = d->body.items[at];
    if (value->kind != NODE_NAME || !s->before.count || !is_plain_assignment(node) || node->assign.value != *place ||
        (at && is_comment(d->body.items[at - 1])))
        return false;
    uint32_t target = assigned_symbol(node);
    if (d->symbols[target].kind != SYMBOL_LOCAL || usage_of(d, &d->body).stores[target] != 1)
        return false;
    Renaming renaming = {value->fact, target + 1};
    for (uint32_t i = 0; i < s->before.count; i++)
        rename_uses(&s->before.items[i], &renaming);
    return true;
}

static void give_source(Draft *d, Item *item, uint32_t left)
{
    Node **places[32];
    uint32_t count = find_places(d, item, places), at = count ? first_use(d, item) : 0;
    if (!count)
        return;
    bool setting = item->part.kind == PART_SETTING;
    Sources sources = {.d = d, .left = left}, *s = &sources;
    Value value = read_source(s, item, 0);
    if (setting && item->part.kind == PART_SETTING && value.text == item->role)
        return;
    if (setting)
        value.text = arena_format(d->arena, "setting(%s)", value.text);
    if (count == 1 && take_name(s, at, places[0], value.node)) {
        d->body.count--;
        memmove(d->body.items + at, d->body.items + at + 1, sizeof(Node *) * (d->body.count - at));
    } else if (count > 1 || !perhaps(d, 0.4)) {
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

void choose_sources(Draft *d)
{
    static const double OF_FLOW = 0.35, OF_LOOKUP = 0.7; /* of what a form brought along, of what is read at indices */
    double chance = chance_of_flow(d);
    d->first_of_sources = d->item_count;
    uint32_t count = d->item_count, given = 0, start = count ? rng_below(&d->rng, count) : 0;
    for (uint32_t k = 0; k < count && given < 3; k++) {
        Item *item = &d->items[(start + k) % count];
        if (!may_have_source(d, item) && may_be_looked_up(d, item) && has_room_for_flow(d) &&
            perhaps(d, OF_LOOKUP * chance)) {
            given += give_lookup_source(d, item);
            chance *= 0.7;
            continue;
        }
        if (!may_have_source(d, item) || !has_room_for_flow(d) ||
            !perhaps(d, (item->is_of_flow                  ? OF_FLOW
                         : item->part.kind == PART_SETTING ? 0.6
                                                           : 1) *
                            chance))
            continue;
        uint32_t before = d->flow_count;
        give_source(d, item, given ? 1 : 3);
        given += d->flow_count > before;
        chance *= 0.7;
    }
}
