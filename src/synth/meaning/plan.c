/* Laws before and behind a scene: an input follows from other quantities, a result is carried on to a further one.
 *
 * Laws are typed by quantities, so whatever is put together has the right dimension. */
#include "synth/meaning/plan.h"

#include <string.h>

enum { MAX_FITTING = 48 };

/* ---- laws by what they give and take ---- */

/* A law about values of no particular meaning says nothing about them. */
static bool has_meaning(const Law *law)
{
    for (uint32_t i = 0; i < law->body.param_count; i++)
        if (!*law->params[i]->unit)
            return false;
    return *law->results[0]->unit != 0;
}

static void load_makers(Meaning *meaning)
{
    if (meaning->makers_known)
        return;
    meaning->makers_known = true;
    meaning->makers = ARENA_ARRAY(meaning->arena, const Law *, meaning->law_count + 1);
    for (uint32_t i = 0; i < meaning->law_count; i++) {
        const Law *law = law_load(meaning, &meaning->laws[i]);
        if (law && law->result_count == 1 && !law->only_inline && !law->is_private && !law->is_conditional &&
            has_meaning(law))
            meaning->makers[meaning->maker_count++] = law;
    }
}

const Item *item_with(const Draft *d, const Quantity *quantity)
{
    for (uint32_t i = 0; i < d->item_count; i++)
        if (d->items[i].present && d->items[i].part.quantity == quantity)
            return &d->items[i];
    return NULL;
}

bool is_over_launch(const Draft *d, const Part *part)
{
    if (part->axis_count != d->dims)
        return false;
    for (uint32_t i = 0; i < part->axis_count; i++)
        if (part->axes[i].entity != d->entities[i])
            return false;
    return true;
}

/* May this value be asked for? Twice the same quantity would need names that tell them apart. */
static bool is_available(const Draft *d, const Law *law, uint32_t i)
{
    const Quantity *quantity = law->params[i];
    for (uint32_t k = 0; k < law->body.param_count; k++)
        if (k != i && law->params[k] == quantity)
            return false;
    const Item *item = item_with(d, quantity);
    return !item ||
           (item->part.role == PART_IN && item->part.low == quantity->low && item->part.high == quantity->high &&
            (item->part.kind == PART_SETTING || is_over_launch(d, &item->part)));
}

/* ---- values for the parameters of a law ---- */

static Node *own_index(Draft *d)
{
    if (d->dims == 1)
        return draft_name(d, d->tid[0]);
    Node *tuple = draft_new(d, NODE_TUPLE);
    for (uint32_t i = 0; i < d->dims; i++)
        draft_push(d, &tuple->sequence.elts, draft_name(d, d->tid[i]));
    return tuple;
}

static Item *new_item(Draft *d, const Quantity *quantity, PartKind kind, PartRole role, const char *name)
{
    if (d->item_count == MAX_ITEMS)
        give_up_draft(d, "more than %d inputs and outputs", MAX_ITEMS);
    Item *item = &d->items[d->item_count++];
    *item =
        (Item){.part = {.kind = kind, .role = role, .quantity = quantity, .low = quantity->low, .high = quantity->high},
               .role = name,
               .present = true,
               .symbol = symbol_new(d, SYMBOL_INPUT, SCOPE_KERNEL,
                                    kind == PART_SETTING ? quantity->settings : quantity->arrays)};
    d->symbols[item->symbol].entity = d->entities[0];
    if (kind == PART_SETTING)
        return item;
    item->part.axis_count = d->dims;
    for (uint32_t i = 0; i < d->dims; i++) {
        item->part.axes[i] = (Axis){.entity = d->entities[i]};
        for (uint32_t k = 0; k < i; k++)
            item->part.axes[i].number += d->entities[k] == d->entities[i];
    }
    return item;
}

/* The i-th value that a law takes: what is there already, a setting, or an array of its own; that one where it should
 * vary from thread to thread. */
static Node *value_for(Draft *d, const Law *law, uint32_t i, bool varies, const char *role)
{
    const Item *item = item_with(d, law->params[i]);
    bool scalar = strcmp(law->params[i]->type, "float") == 0;
    if (!item)
        item = new_item(d, law->params[i], scalar && !varies && perhaps(d, 0.4) ? PART_SETTING : PART_EACH, PART_IN,
                        arena_format(d->arena, "%s.%s", role, law->body.locals[i]->text));
    Node *value = draft_name(d, item->symbol);
    if (item->part.kind != PART_SETTING)
        value = draft_subscript(d, value, own_index(d));
    bool direction = strcmp(law->params[i]->unit, "unit") == 0;
    return direction ? draft_call(d, draft_wp(d, "normalize"), &value, 1) : value;
}

static Node *law_call(Draft *d, const Law *law, uint32_t given, Node *value, const char *role)
{
    Node *function = draft_new(d, NODE_NAME), *args[MAX_LAW_PARAMS];
    function->name.id = law->name;
    bool varies = given < law->body.param_count; /* something that it takes differs between threads */
    for (uint32_t i = 0; i < law->body.param_count; i++) {
        const Item *item = item_with(d, law->params[i]);
        varies |= item && item->part.kind != PART_SETTING;
    }
    for (uint32_t i = 0; i < law->body.param_count; i++) {
        args[i] = i == given ? value : value_for(d, law, i, !varies, role);
        varies |= args[i]->kind != NODE_NAME;
    }
    return draft_call(d, function, args, law->body.param_count);
}

/* ---- an input that follows from others ---- */

static void note_own_read(Node **place, void *user)
{
    OwnReads *reads = user;
    Node *node = *place;
    reads->all += node->kind == NODE_NAME && node->fact == reads->fact;
    if (node->kind == NODE_SUBSCRIPT && node->subscript.value->kind == NODE_NAME &&
        node->subscript.value->fact == reads->fact && is_own_index(reads->d, node->subscript.slice) &&
        reads->count < 32)
        reads->places[reads->count++] = place;
    draft_slots(node, note_own_read, user);
}

void find_own_reads(Draft *d, uint32_t symbol, NodeList *body, OwnReads *reads)
{
    *reads = (OwnReads){.d = d, .fact = symbol + 1};
    for (uint32_t i = 0; i < body->count; i++)
        note_own_read(&body->items[i], reads);
}

/* ---- laws of the same field ---- */

typedef struct Topics {
    Draft *d;
    uint64_t bits;
    const Law *laws[8];
    uint32_t count;
} Topics;

static void note_topic(Node **place, void *user)
{
    Topics *topics = user;
    Node *node = *place;
    if (node->kind == NODE_CALL && node->call.func->kind == NODE_NAME && !node->call.func->fact && topics->count < 8) {
        Law *law = law_find(topics->d->meaning, node->call.func->name.id);
        if (law && law_load(topics->d->meaning, law)) {
            topics->laws[topics->count++] = law;
            topics->bits |= law->topic;
        }
    }
    draft_slots(node, note_topic, user);
}

static bool is_related(const Draft *d, const Law *law)
{
    return (law->topic & d->topics) != 0;
}

/* Those that the scene gives, or those of the laws that it calls. */
static void find_topics(Draft *d)
{
    Topics topics = {.d = d};
    for (uint32_t i = 0; i < d->body.count; i++)
        note_topic(&d->body.items[i], &topics);
    memcpy(d->called, topics.laws, sizeof topics.laws);
    d->called_count = topics.count;
    d->topics = d->scene->has_topics ? d->scene->topics : topics.bits;
}

/* A law that the kernel follows already would give the same value again. */
static bool is_called(const Draft *d, const Law *law)
{
    for (uint32_t i = 0; i < d->called_count; i++)
        if (d->called[i] == law)
            return true;
    return false;
}

static void note_called(Draft *d, const Law *law)
{
    if (d->called_count < sizeof d->called / sizeof *d->called)
        d->called[d->called_count++] = law;
}

static uint32_t fitting_makers(const Draft *d, const Quantity *quantity, const Law **out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->meaning->maker_count && count < MAX_FITTING; i++) {
        const Law *law = d->meaning->makers[i];
        bool fits =
            law->results[0] == quantity && law->body.param_count > 0 && is_related(d, law) && !is_called(d, law);
        for (uint32_t k = 0; fits && k < law->body.param_count; k++)
            fits = law->params[k] != quantity && is_available(d, law, k);
        if (fits)
            out[count++] = law;
    }
    return count;
}

/* Comments stay with the statement that they are about. */
static uint32_t before_comments(const Draft *d, uint32_t at)
{
    while (at > 0 && d->body.items[at - 1]->kind == NODE_EXPR && d->body.items[at - 1]->expr.value->kind == NODE_NAME)
        at--;
    return at;
}

static bool derive_input(Draft *d, Item *item)
{
    OwnReads reads;
    const Law *laws[MAX_FITTING];
    find_own_reads(d, item->symbol, &d->body, &reads);
    uint32_t count = reads.count && reads.count == reads.all ? fitting_makers(d, item->part.quantity, laws) : 0;
    if (!count)
        return false;
    const Law *law = laws[rng_below(&d->rng, count)];
    uint32_t at = 0;
    while (!draft_uses(d->body.items[at], item->symbol))
        at++;
    at = before_comments(d, at);
    item->present = false;
    Node *value = law_call(d, law, MAX_LAW_PARAMS, NULL, item->role);
    if (reads.count == 1) {
        *reads.places[0] = value;
    } else {
        uint32_t symbol = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, value_names(d, item));
        Node *target = draft_name(d, symbol);
        target->name.store = true;
        for (uint32_t i = 0; i < reads.count; i++)
            *reads.places[i] = draft_name(d, symbol);
        NodeList one = {0};
        draft_push(d, &one, draft_assign(d, target, value));
        draft_insert(d, &d->body, at, &one);
    }
    d->derived[d->derived_count++] = (Derived){law, item->role, NULL};
    note_called(d, law);
    return true;
}

/* ---- a result that is carried on ---- */

/* The parameter that takes the quantity; MAX_LAW_PARAMS: none does, or several do. */
static uint32_t taking_parameter(const Law *law, const Quantity *quantity)
{
    uint32_t found = MAX_LAW_PARAMS;
    for (uint32_t k = 0; k < law->body.param_count; k++) {
        if (law->params[k] != quantity)
            continue;
        if (found < MAX_LAW_PARAMS)
            return MAX_LAW_PARAMS;
        found = k;
    }
    return found;
}

static uint32_t fitting_users(const Draft *d, const Quantity *quantity, const Law **out, uint32_t *given)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->meaning->maker_count && count < MAX_FITTING; i++) {
        const Law *law = d->meaning->makers[i];
        uint32_t own = is_related(d, law) ? taking_parameter(law, quantity) : MAX_LAW_PARAMS;
        if (own == MAX_LAW_PARAMS || law->results[0] == quantity || item_with(d, law->results[0]) || is_called(d, law))
            continue;
        bool fits = true;
        for (uint32_t k = 0; fits && k < law->body.param_count; k++)
            fits = k == own || is_available(d, law, k);
        if (fits) {
            given[count] = own;
            out[count++] = law;
        }
    }
    return count;
}

/* The only store of an output, at the thread's own element, in the kernel's own list of statements. */
uint32_t only_store(Draft *d, const Item *item)
{
    uint32_t found = d->body.count, mentions = 0;
    for (uint32_t i = 0; i < d->body.count; i++) {
        Node *node = d->body.items[i];
        mentions += draft_uses(node, item->symbol);
        const Node *target = node->kind == NODE_ASSIGN ? node->assign.targets.items[0] : NULL;
        if (target && target->kind == NODE_SUBSCRIPT && target->subscript.value->kind == NODE_NAME &&
            target->subscript.value->fact == item->symbol + 1 && is_own_index(d, target->subscript.slice))
            found = i;
    }
    return mentions == 1 ? found : d->body.count;
}

static bool carry_on(Draft *d, const Item *item)
{
    const Law *laws[MAX_FITTING];
    uint32_t given[MAX_FITTING], at = only_store(d, item);
    uint32_t count = at < d->body.count ? fitting_users(d, item->part.quantity, laws, given) : 0;
    if (!count)
        return false;
    uint32_t chosen = rng_below(&d->rng, count);
    const Law *law = laws[chosen];
    Node *store = d->body.items[at], *value = store->assign.value;
    NodeList first = {0}, last = {0};
    if (!draft_is_simple(value)) {
        uint32_t symbol = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, value_names(d, item));
        Node *target = draft_name(d, symbol);
        target->name.store = true;
        draft_push(d, &first, draft_assign(d, target, value));
        store->assign.value = value = draft_name(d, symbol);
    }
    Node *call = law_call(d, law, given[chosen], draft_copy(d, value), item->role);
    const Item *result =
        new_item(d, law->results[0], PART_EACH, PART_OUT, arena_format(d->arena, "%s.next", item->role));
    draft_push(d, &last, draft_assign(d, draft_subscript(d, draft_name(d, result->symbol), own_index(d)), call));
    draft_insert(d, &d->body, at + 1, &last);
    draft_insert(d, &d->body, at, &first);
    d->derived[d->derived_count++] = (Derived){law, result->role, item->role};
    note_called(d, law);
    return true;
}

/* ---- both ---- */

/* Two inputs of one quantity would follow from the same data, and be equal. */
static bool is_only_one(const Draft *d, const Item *item)
{
    for (uint32_t i = 0; i < d->item_count; i++)
        if (&d->items[i] != item && d->items[i].present && d->items[i].part.quantity == item->part.quantity)
            return false;
    return true;
}

void extend_plan(Draft *d)
{
    if (d->habits.derives == 0)
        return;
    load_makers(d->meaning);
    find_topics(d);
    uint32_t count = d->item_count, derived = 0;
    double chance = d->habits.derives;
    for (uint32_t i = 0; i < count && derived < 3; i++) {
        Item *item = &d->items[i];
        if (item->present && item->part.role == PART_IN && item->part.kind == PART_EACH && !item->part.fixed &&
            is_over_launch(d, &item->part) && is_only_one(d, item) && item->part.low == item->part.quantity->low &&
            item->part.high == item->part.quantity->high && perhaps(d, chance))
            derived += derive_input(d, item);
    }
    uint32_t most = perhaps(d, 0.5) ? 1 : 3;
    for (uint32_t i = 0, carried = 0; i < d->item_count && carried < most; i++) { /* also what was carried on */
        const Item *item = &d->items[i];
        if (item->present && item->part.role == PART_OUT && !item->part.fixed && is_over_launch(d, &item->part) &&
            d->derived_count < sizeof d->derived / sizeof *d->derived && perhaps(d, chance))
            carried += carry_on(d, item);
    }
}
