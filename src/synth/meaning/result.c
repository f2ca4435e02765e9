/* What becomes of results: they are relaxed, limited, weighted, held, added to what is there, compared with a target, added up. */
#include "synth/meaning/flow.h"

#include <string.h>

typedef struct Results {
    Draft *d;
    const Item *item; /* the result */
    NodeList before;  /* the store */
    NodeList after;
    Value value;
    Item *old;     /* what it was in the last step, once a form asked */
    uint32_t used; /* a bit for each form: none is used twice */
} Results;

static void put(Results *r, const char *text, Node *node, const Value *operands, uint32_t count, const char *says)
{
    Draft *d = r->d;
    r->value = flow_call(d, text, node, operands, count);
    if (says && d->fact_count < sizeof d->facts / sizeof *d->facts)
        d->facts[d->fact_count++] = arena_format(d->arena, says, phrase_of_item(d, r->item));
}

/* The value with a name, so that it may be read again. */
static Node *named(Results *r)
{
    Draft *d = r->d;
    if (r->value.node->kind != NODE_NAME) {
        Node *variable = flow_variable(d, &r->before, value_names(d, r->item), r->value.node);
        r->value.node = flow_load(d, variable);
    }
    return draft_copy(d, r->value.node);
}

static bool is_scalar_result(const Results *r)
{
    return strcmp(r->item->part.quantity->type, "float") == 0;
}

/* Values that the result may have: those of an input of the same quantity, which may be fewer than the quantity has. */
static void find_range(const Draft *d, const Item *result, double *low, double *high)
{
    *low = result->part.quantity->low;
    *high = result->part.quantity->high;
    for (uint32_t i = 0; i < d->item_count; i++) {
        const Item *item = &d->items[i];
        if (item->present && !item->is_of_flow && item->part.quantity == result->part.quantity &&
            item->part.kind == PART_EACH && (item->part.role == PART_IN || item->part.role == PART_INOUT)) {
            *low = item->part.low;
            *high = item->part.high;
            return;
        }
    }
}

/* A further input of the same quantity. */
static Item *input_beside(Results *r, const char *part, const char *names)
{
    Item *item = item_beside(r->d, r->item, PART_IN, part, names);
    find_range(r->d, r->item, &item->part.low, &item->part.high);
    return item;
}

static Item *old_value(Results *r)
{
    if (!r->old)
        r->old = input_beside(r, "old", "#_prev|prev_#|last_#|#_old");
    return r->old;
}

/* ---- a further output ---- */

/* y_new[i] = value, for each thread that stores the result */
static void store_beside(Results *r, const Item *item, Node *value)
{
    Draft *d = r->d;
    draft_push(d, &r->after,
               draft_assign(d, draft_subscript(d, draft_name(d, item->symbol), flow_own_index(d)), value));
}

static void note_output(Results *r, const Item *item, const char *text, const Value *operands, uint32_t count,
                        const char *says)
{
    Draft *d = r->d;
    const char *clause = says ? arena_format(d->arena, says, phrase_of_item(d, r->item)) : NULL;
    note_flow(d, item->role, flow_call(d, text, NULL, operands, count).text, clause);
}

/* The length of a vector, the size of a number. */
static Node *size_of_value(Results *r, Node *value)
{
    Draft *d = r->d;
    return draft_call(d, draft_wp(d, is_scalar_result(r) ? "abs" : "length"), &value, 1);
}

static void make_error(Results *r)
{
    Draft *d = r->d;
    bool squared = perhaps(d, 0.4);
    Item *target = input_beside(r, "target", "target_#|#_target|#_ref|measured_#|expected_#");
    Item *out =
        item_of_launch(d, r->item, "positive_value", PART_OUT, "error", "error|residual|#_error|deviation|mismatch");
    Value values[] = {{named(r), r->item->role}, value_of_item(d, target)};
    Node *difference = draft_binary(d, OP_SUB, values[0].node, values[1].node), *size;
    if (!squared)
        size = size_of_value(r, difference);
    else {
        Node *variable = flow_variable(d, &r->after, "diff|delta|dev|err", difference);
        Node *parts[] = {flow_load(d, variable), flow_load(d, variable)};
        size = is_scalar_result(r) ? draft_binary(d, OP_MULT, parts[0], parts[1])
                                   : draft_call(d, draft_wp(d, "dot"), parts, 2);
    }
    store_beside(r, out, size);
    note_output(r, out, squared ? "squared_error" : "error", values, 2,
                squared ? "the squared distance of the %s from a target is stored, too"
                        : "the distance of the %s from a target is stored, too");
}

static void make_change(Results *r)
{
    Draft *d = r->d;
    Item *old = old_value(r);
    Item *out = item_beside(d, r->item, PART_OUT, "change", "#_change|delta_#|#_delta|d_#");
    Value values[] = {{named(r), r->item->role}, value_of_item(d, old)};
    store_beside(r, out, draft_binary(d, OP_SUB, values[0].node, values[1].node));
    note_output(r, out, "change", values, 2, "the change of the %s since the last step is stored, too");
}

static void make_peak(Results *r)
{
    Draft *d = r->d;
    bool most = perhaps(d, 0.6);
    Item *old = input_beside(r, "record", most ? "max_#_so_far|#_peak|peak_#" : "min_#_so_far|#_low|lowest_#");
    Item *out = item_beside(d, r->item, PART_OUT, "peak", most ? "new_peak|peak_out|max_#" : "new_low|low_out|min_#");
    Value values[] = {value_of_item(d, old), {named(r), r->item->role}};
    Node *parts[] = {values[0].node, values[1].node};
    store_beside(r, out, draft_call(d, draft_wp(d, most ? "max" : "min"), parts, 2));
    note_output(r, out, most ? "largest" : "least", values, 2,
                most ? "the largest %s so far is kept" : "the least %s so far is kept");
}

/* over[i] = 1 where it is larger than the limit; or how many are is counted */
static void make_exceeded(Results *r)
{
    Draft *d = r->d;
    double low, high;
    find_range(d, r->item, &low, &high);
    low = is_scalar_result(r) ? low : 0;
    Item *limit = is_scalar_result(r)
                      ? setting_beside(d, r->item, NULL, low + 0.3 * (high - low), low + 0.7 * (high - low), "limit",
                                       "#_limit|max_#|#_threshold|alarm_level")
                      : setting_beside(d, r->item, "positive_value", 0.4 * high, high, "limit",
                                       "#_limit|max_#|#_threshold|limit");
    bool counted = perhaps(d, 0.5);
    Item *out = item_of_launch(d, r->item, counted ? "count_value" : "flag", counted ? PART_ADD : PART_OUT, "over",
                               counted ? "num_over|over_count|num_exceeded|alarms" : "over|exceeded|is_over|#_over");
    Value values[] = {{named(r), r->item->role}, value_of_item(d, limit)};
    Node *value = is_scalar_result(r) ? values[0].node : size_of_value(r, values[0].node),
         *branch = draft_new(d, NODE_IF);
    branch->if_stmt.test = draft_compare(d, OP_GT, value, values[1].node);
    if (counted) {
        out->part.axis_count = 1;
        out->part.axes[0] = (Axis){.extent = 1};
        out->of_world = WORLD_OF_NONE;
        Node *parts[] = {draft_name(d, out->symbol), draft_int(d, 0), draft_int(d, 1)};
        draft_push(d, &branch->if_stmt.body, draft_statement(d, draft_call(d, draft_wp(d, "atomic_add"), parts, 3)));
    } else
        for (int i = 0; i < 2; i++)
            draft_push(
                d, i ? &branch->if_stmt.orelse : &branch->if_stmt.body,
                draft_assign(d, draft_subscript(d, draft_name(d, out->symbol), flow_own_index(d)), draft_int(d, !i)));
    draft_push(d, &r->after, branch);
    note_output(r, out, counted ? "count_over" : "over", values, 2,
                counted ? "it is counted how often the %s is above a limit"
                        : "a flag tells where the %s is above a limit");
}

/* wp.atomic_add(total, group[i], value) */
static void make_total(Results *r)
{
    Draft *d = r->d;
    bool groups = perhaps(d, 0.5);
    const Entity *group = entity_find(d->meaning, name_cstr(d->meaning->names, perhaps(d, 0.5) ? "group" : "region"));
    Item *index = groups ? index_of_launch(d, r->item, group, "group",
                                           arena_format(d->arena, "%s|%s_ids|@_%s", group->id, group->id, group->id))
                         : NULL;
    Item *out =
        item_beside(d, r->item, PART_ADD, "total", groups ? "@_#|#_sum|total_#|#_per_@" : "total_#|#_sum|sum_#");
    out->part.axis_count = 1;
    out->part.axes[0] = groups ? (Axis){.entity = group} : (Axis){.extent = 1};
    out->of_world = WORLD_OF_NONE;
    d->symbols[out->symbol].entity = groups ? group : NULL;
    Value values[] = {{named(r), r->item->role}, groups ? value_of_item(d, index) : (Value){draft_int(d, 0), ""}};
    Node *parts[] = {draft_name(d, out->symbol), values[1].node, values[0].node};
    draft_push(d, &r->after, draft_statement(d, draft_call(d, draft_wp(d, "atomic_add"), parts, 3)));
    note_output(r, out, groups ? "sum_by" : "sum", values, groups ? 2 : 1,
                groups ? arena_format(d->arena, "the %%s is added up for each %s", group->id)
                       : "the %s of all is added up");
}

/* ---- the result itself ---- */

static void make_relaxed(Results *r)
{
    Draft *d = r->d;
    Item *old = old_value(r);
    Item *share = perhaps(d, 0.7)
                      ? setting_beside(d, r->item, "ratio", 0.05, 1, "share", "relaxation|smoothing|alpha|blend|omega")
                      : item_of_launch(d, r->item, "ratio", PART_IN, "share", "relaxation|confidence|trust|alpha");
    Value values[] = {value_of_item(d, old), r->value, value_of_item(d, share)};
    Node *from = values[0].node;
    if (perhaps(d, 0.4))
        from = flow_load(d, flow_variable(d, &r->before, "old|prev|last|before", from));
    put(r, "blend", flow_between(d, from, values[1].node, values[2].node), values, 3,
        "the %s is blended with that of the last step");
}

static void limit_number(Results *r)
{
    Draft *d = r->d;
    double low, high;
    find_range(d, r->item, &low, &high);
    double span = high - low;
    uint32_t which = rng_below(&d->rng, 3);
    Item *least =
        which != 1 ? setting_beside(d, r->item, NULL, low, low + 0.4 * span, "low", "min_#|#_min|#_floor") : NULL;
    Item *most =
        which != 0 ? setting_beside(d, r->item, NULL, high - 0.4 * span, high, "high", "max_#|#_max|#_cap") : NULL;
    Value values[3] = {r->value};
    uint32_t count = 1;
    if (least)
        values[count++] = value_of_item(d, least);
    if (most)
        values[count++] = value_of_item(d, most);
    static const char *const builtins[] = {"max", "min", "clamp"}, *const kinds[] = {"largest", "least", "clamp"};
    static const char *const says[] = {"the %s is at least a given one", "the %s is at most a given one",
                                       "the %s is kept between two limits"};
    Node *parts[] = {values[0].node, values[1].node, count > 2 ? values[2].node : NULL};
    put(r, kinds[which], draft_call(d, draft_wp(d, builtins[which]), parts, count), values, count, says[which]);
}

/* if size > max: v = v * (max / size) */
static void limit_length(Results *r)
{
    Draft *d = r->d;
    double low, high;
    find_range(d, r->item, &low, &high);
    Item *most = setting_beside(d, r->item, "positive_value", 0.3 * high, high, "most", "max_#|#_max|#_limit|#_cap");
    if (most->part.high <= 0)
        most->part.low = 0.5, most->part.high = 2;
    Value values[] = {r->value, value_of_item(d, most)};
    values[0].node = named(r);
    Node *size = flow_variable(d, &r->before, "size|len_v|norm|mag", size_of_value(r, draft_copy(d, values[0].node)));
    Node *variable = flow_variable(d, &r->before, "limited|#_limited|bounded|v", draft_copy(d, values[0].node));
    d->symbols[variable->fact - 1].of[0] = r->item->symbol;
    Node *branch = draft_new(d, NODE_IF);
    branch->if_stmt.test = draft_compare(d, OP_GT, flow_load(d, size), values[1].node);
    Node *factor = draft_binary(d, OP_DIV, draft_copy(d, values[1].node), flow_load(d, size));
    draft_push(
        d, &branch->if_stmt.body,
        draft_assign(d, draft_copy(d, variable), draft_binary(d, OP_MULT, draft_copy(d, values[0].node), factor)));
    draft_push(d, &r->before, branch);
    put(r, "limit", flow_load(d, variable), values, 2, "the %s is at most so long as a limit says");
}

static void make_limited(Results *r)
{
    if (is_scalar_result(r))
        limit_number(r);
    else
        limit_length(r);
}

static void make_weighted(Results *r)
{
    Draft *d = r->d;
    Item *factor = perhaps(d, 0.5)
                       ? setting_beside(d, r->item, "gain", 0.05, 2, "factor", "gain|scale|#_scale|#_gain")
                       : item_of_launch(d, r->item, "ratio", PART_IN, "factor", "weights|#_weight|confidence|coverage");
    Value values[] = {value_of_item(d, factor), r->value};
    put(r, "scale", draft_binary(d, OP_MULT, values[0].node, values[1].node), values, 2, "the %s is scaled at the end");
}

static void make_added(Results *r)
{
    Draft *d = r->d;
    Item *base = input_beside(r, "base", "#_base|base_#|#_bias|#_offset|#_in");
    Value values[] = {value_of_item(d, base), r->value};
    bool first = perhaps(d, 0.6);
    Node *sum = draft_binary(d, OP_ADD, values[first ? 0 : 1].node, values[first ? 1 : 0].node);
    put(r, "plus", sum, values, 2, "the %s is added to what is there already");
}

/* if frozen[i] == 1: v = old[i]; else: v = value */
static void make_held(Results *r)
{
    Draft *d = r->d;
    bool kept = perhaps(d, 0.5);
    Item *mask = item_of_launch(d, r->item, "flag", PART_IN, "held",
                                kept ? "frozen|locked|pinned|hold" : "free|movable|enabled|update_mask");
    Item *old = old_value(r);
    Value values[] = {value_of_item(d, old), r->value, value_of_item(d, mask)};
    Node *branch = draft_new(d, NODE_IF);
    uint32_t symbol = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, value_names(d, r->item));
    branch->if_stmt.test = draft_compare(d, kept ? OP_NOT_EQ : OP_EQ, values[2].node, draft_int(d, 0));
    for (int i = 0; i < 2; i++) {
        Node *target = draft_name(d, symbol);
        target->name.store = true;
        draft_push(d, i ? &branch->if_stmt.orelse : &branch->if_stmt.body, draft_assign(d, target, values[i].node));
    }
    draft_push(d, &r->before, branch);
    put(r, kept ? "held" : "free", draft_name(d, symbol), values, 3,
        kept ? "where a flag is set, the %s stays as it was" : "where a flag is zero, the %s stays as it was");
}

/* ---- which form ---- */

/* Amounts may be added up: energies, but no temperatures. */
static bool is_amount(const Results *r)
{
    static const char *const units[] = {"J", "N", "kg", "W", "kg*m/s", "N*m", "N*s", "m^2", "m^3", "C", "A", ""};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i], r->item->part.quantity->unit) == 0)
            return true;
    return false;
}

/* A kernel that has a limit needs no second one. */
static bool is_unlimited(const Results *r)
{
    static const char *const words[] = {"limit", "max", "cap", "low", "high", "top", "least", "most"};
    for (uint32_t i = 0; i < r->d->item_count; i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (r->d->items[i].present && strstr(r->d->items[i].role, words[k]))
                return false;
    return true;
}

static bool is_share(const Results *r)
{
    return is_scalable(r->item->part.quantity);
}

/* Results of one scene belong together: one of them alone stays as it was only where it is the only one. */
static bool is_only_result(const Results *r)
{
    const char *role = r->item->role, *dot = strchr(role, '.');
    size_t scene = dot ? (size_t)(dot - role) : 0;
    for (uint32_t i = 0; i < r->d->item_count; i++) {
        const Item *item = &r->d->items[i];
        const char *other = strchr(item->role, '.');
        bool same =
            scene ? other && (size_t)(other - item->role) == scene && memcmp(item->role, role, scene) == 0 : !other;
        if (item != r->item && item->present && item->part.role != PART_IN && !item->is_of_flow && same)
            return false;
    }
    return true;
}

static bool is_anything(const Results *r)
{
    (void)r;
    return true;
}

typedef struct ResultForm {
    void (*make)(Results *r);
    bool (*suits)(const Results *r);
    bool any, scalar_only; /* values of any type; numbers alone */
    bool last;             /* a further output: it does not change the result */
    unsigned weight;
} ResultForm;

static const ResultForm forms[] = {
    {make_relaxed, is_anything, false, false, false, 16}, {make_limited, is_unlimited, false, false, false, 14},
    {make_weighted, is_share, false, false, false, 12},   {make_added, is_anything, false, false, false, 14},
    {make_held, is_only_result, true, false, false, 14},  {make_error, is_anything, false, false, true, 12},
    {make_change, is_anything, false, false, true, 10},   {make_peak, is_anything, false, true, true, 8},
    {make_exceeded, is_anything, false, false, true, 10}, {make_total, is_amount, false, false, true, 16},
};
enum { RESULT_FORMS = sizeof forms / sizeof *forms };

static bool fits(const ResultForm *form, const Quantity *quantity, bool last)
{
    return form->last == last && (form->any || is_continuous(quantity)) &&
           (!form->scalar_only || strcmp(quantity->type, "float") == 0);
}

static bool choose_form(Results *r, bool last)
{
    unsigned weights[RESULT_FORMS], total = 0;
    for (uint32_t i = 0; i < RESULT_FORMS; i++) {
        weights[i] = !(r->used >> i & 1) && forms[i].suits(r) && fits(&forms[i], r->item->part.quantity, last)
                         ? forms[i].weight
                         : 0;
        total += weights[i];
    }
    if (!total || !has_room_for_flow(r->d))
        return false;
    uint32_t chosen = rng_weighted(&r->d->rng, weights, RESULT_FORMS);
    r->used |= 1u << chosen;
    forms[chosen].make(r);
    return true;
}

static void treat(Draft *d, const Item *item, uint32_t at, double chance)
{
    Node *store = d->body.items[at];
    Results results = {.d = d, .item = item, .value = {store->assign.value, item->role}}, *r = &results;
    bool changed = false;
    for (int i = 0; i < 2 && perhaps(d, i ? 0.35 * chance : 0.8 * chance); i++)
        changed |= choose_form(r, false);
    if (changed)
        note_flow(d, item->role, r->value.text, NULL);
    r->value.text = item->role;
    for (int i = 0; i < 2 && has_room_for_flow(d) && perhaps(d, i ? 0.3 * chance : 0.5 * chance); i++)
        choose_form(r, true);
    store->assign.value = r->value.node;
    draft_insert(d, &d->body, at + 1, &r->after);
    draft_insert(d, &d->body, at, &r->before);
}

void treat_results(Draft *d)
{
    double chance = chance_of_flow(d);
    uint32_t count = d->item_count, treated = 0, start = count ? rng_below(&d->rng, count) : 0;
    for (uint32_t k = 0; d->dims && k < count && treated < 2; k++) {
        const Item *item = &d->items[(start + k) % count];
        if (!item->present || (item->part.role != PART_OUT && item->part.role != PART_INOUT) ||
            item->part.kind != PART_EACH || item->part.fixed || !is_over_launch(d, &item->part) ||
            !has_room_for_flow(d) || !perhaps(d, chance))
            continue;
        uint32_t at = only_store(d, item);
        if (at == d->body.count)
            continue;
        treat(d, item, at, chance);
        treated++;
        chance *= 0.6;
    }
}
