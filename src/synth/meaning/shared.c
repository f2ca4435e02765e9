/* Data that several elements share: `b = shape_body[i]`, then `body_q[b]`. A scene knows nothing of it. */
#include "synth/meaning/plan.h"

#include <string.h>

/* What elements may belong to, which data it has, and how it is written. Lists have a blank around each word; "": all of them. */
typedef struct Owner {
    const char *entity, *elements, *quantities;
    const char *indices, *locals;
    unsigned weight;
} Owner;

static const Owner owners[] = {
    {"body", " shape contact joint sensor sphere box camera site vertex muscle wheel obstacle hinge ray light ",
     " pose rotation velocity angular_velocity twist mass inverse_mass momentum inertia_tensor moment_of_inertia ",
     "@_body|@_body|body_ids|body_index|body_indices|@_parent", "b|body|body_id|body_idx|bid|body", 6},
    {"material",
     " particle shape vertex face tet element contact spring edge body sphere box cell node wheel muscle ray ",
     " stiffness damping friction restitution density viscosity heat_capacity conductivity diffusivity youngs_modulus "
     "poisson_ratio lame_mu lame_lambda thickness yield_strength radius smoothing_length roughness refractive_index "
     "colour surface_albedo ",
     "@_material|@_material|material_ids|mat_ids|material_index|material", "m|mat|material|mat_id|material_id|mid", 6},
    {"environment", " particle body joint robot contact agent sensor sphere box vehicle satellite ray camera muscle ",
     " acceleration friction damping temperature pressure density viscosity time_value restitution ",
     "@_world|@_world|world_ids|env_ids|@_env|env_index", "w|world|worldid|env|env_id|world_idx", 7},
    {"group", "", "", "@_group|@_group|group_ids|groups|group_index|@_group_id", "g|group|group_id|gid|group", 2},
};

typedef struct Sharing {
    Draft *d;
    const Owner *owner;
    const Entity *entity;
    bool shared[MAX_ITEMS];
    uint32_t mentions[MAX_ITEMS], own[MAX_ITEMS]; /* of any kind; at the thread's own element */
    uint32_t reads, thread_uses;                  /* of all elements of the thread; of its index, in all */
    uint32_t symbol;                              /* the local that names the owner */
    const Item *indices;                          /* the array of them */
} Sharing;

static bool is_listed(const char *list, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + len, word))
        if (at > list && at[-1] == ' ' && at[len] == ' ')
            return true;
    return !*list;
}

/* x[i], x[i, k] */
static Node **own_place(const Sharing *s, Node *node)
{
    Node **place = NULL;
    if (node->kind == NODE_SUBSCRIPT && node->subscript.value->kind == NODE_NAME) {
        Node *slice = node->subscript.slice;
        place = slice->kind == NODE_TUPLE ? &slice->sequence.elts.items[0] : &node->subscript.slice;
    }
    return place && (*place)->kind == NODE_NAME && (*place)->fact == s->d->tid[0] + 1 ? place : NULL;
}

static void count_mentions(Node **place, void *user)
{
    Sharing *s = user;
    const Item *item = item_of(s->d, *place);
    s->thread_uses += (*place)->kind == NODE_NAME && (*place)->fact == s->d->tid[0] + 1 && !(*place)->name.store;
    if (item)
        s->mentions[item - s->d->items]++;
    if (own_place(s, *place)) {
        item = item_of(s->d, (*place)->subscript.value);
        if (item) {
            s->own[item - s->d->items]++;
            s->reads++;
        }
    }
    draft_slots(*place, count_mentions, user);
}

/* ---- what is shared ---- */

/* Two values of one quantity would differ in what they belong to; what the kernel computes belongs to the element itself. */
static bool is_only_one(const Draft *d, const Item *item)
{
    for (uint32_t i = 0; i < d->item_count; i++)
        if (&d->items[i] != item && d->items[i].present && d->items[i].part.quantity == item->part.quantity)
            return false;
    return true;
}

static bool can_share(const Sharing *s, const Item *item)
{
    const Part *part = &item->part;
    size_t at = (size_t)(item - s->d->items);
    return item->present && part->kind == PART_EACH && part->role == PART_IN && part->axis_count &&
           part->axes[0].entity == s->d->entities[0] && !part->axes[0].number && !part->axes[0].more && s->own[at] &&
           s->own[at] == s->mentions[at] && is_only_one(s->d, item);
}

/* A group has parameters: what a value is for can be told by the words of its quantity. */
static bool is_parameter(const Quantity *quantity)
{
    static const char *const words[] = {"stiffness", "damping",      "friction",     "rate",    "coefficient",
                                        "gain",      "limit",        "factor",       "density", "mass",
                                        "viscosity", "conductivity", "capacity",     "modulus", "constant",
                                        "period",    "threshold",    "radius",       "weight",  "exponent",
                                        "fraction",  "price",        "permeability", "decay",   "volatility"};
    if (strcmp(quantity->type, "float") != 0)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(quantity->id, words[i]))
            return true;
    return false;
}

static bool is_of_owner(const Owner *owner, const Quantity *quantity)
{
    return *owner->quantities ? is_listed(owner->quantities, quantity->id) : is_parameter(quantity);
}

static bool is_over(const Draft *d, const Entity *entity)
{
    for (uint32_t i = 0; i < d->item_count; i++)
        for (uint32_t k = 0; d->items[i].present && k < d->items[i].part.axis_count; k++)
            if (d->items[i].part.axes[k].entity == entity)
                return true;
    for (uint32_t i = 0; i < d->count_count; i++)
        if (d->counts[i].entity == entity)
            return true;
    return false;
}

static uint32_t mark_shared(Sharing *s, bool all)
{
    uint32_t count = 0, own = 0;
    for (uint32_t i = 0; i < s->d->item_count; i++) {
        const Item *item = &s->d->items[i];
        s->shared[i] = can_share(s, item) && is_of_owner(s->owner, item->part.quantity) && (all || perhaps(s->d, 0.75));
        count += s->shared[i];
        own += item->present && item->part.role != PART_OUT && item->part.role != PART_ADD && !s->shared[i] &&
               s->own[i] > 0;
    }
    for (uint32_t i = 0; !own && i < s->d->item_count; i++) { /* all elements of an owner would come to the same */
        own += s->shared[i];
        count -= s->shared[i];
        s->shared[i] = false;
    }
    return count;
}

static bool choose_owner(Sharing *s)
{
    unsigned weights[sizeof owners / sizeof *owners] = {0}, sum = 0;
    Draft *d = s->d;
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        const Entity *entity = entity_find(d->meaning, name_cstr(d->meaning->names, owners[i].entity));
        bool fits = false;
        for (uint32_t k = 0; k < d->item_count; k++)
            fits |= can_share(s, &d->items[k]) && is_of_owner(&owners[i], d->items[k].part.quantity);
        if (fits && is_listed(owners[i].elements, d->entities[0]->id) && entity != d->entities[0] &&
            !is_over(d, entity))
            sum += weights[i] = owners[i].weight;
    }
    if (!sum)
        return false;
    s->owner = &owners[rng_weighted(&d->rng, weights, sizeof owners / sizeof *owners)];
    s->entity = entity_find(d->meaning, name_cstr(d->meaning->names, s->owner->entity));
    return mark_shared(s, false) || mark_shared(s, true);
}

/* ---- the kernel ---- */

static Item *add_indices(Sharing *s)
{
    Draft *d = s->d;
    Item *item = &d->items[d->item_count++];
    *item = (Item){.role = "shared_index", .present = true};
    item->symbol = symbol_new(d, SYMBOL_INPUT, SCOPE_KERNEL, s->owner->indices);
    d->symbols[item->symbol].entity = d->entities[0];
    item->part = (Part){.kind = PART_INDEX,
                        .role = PART_IN,
                        .quantity = quantity_find(d->meaning, name_cstr(d->meaning->names, "index_value")),
                        .target = s->entity,
                        .axes = {{.entity = d->entities[0]}},
                        .axis_count = 1};
    return item;
}

static void rewrite_uses(Node **place, void *user)
{
    Sharing *s = user;
    Node **index = own_place(s, *place);
    const Item *item = index ? item_of(s->d, (*place)->subscript.value) : NULL;
    if (item && s->shared[item - s->d->items]) {
        *index = s->symbol ? draft_name(s->d, s->symbol)
                           : draft_subscript(s->d, draft_name(s->d, s->indices->symbol), *index);
        return;
    }
    draft_slots(*place, rewrite_uses, user);
}

static uint32_t first_thread(const Draft *d)
{
    uint32_t at = 0;
    while (!is_thread_statement(d->body.items[at]))
        at++;
    return at;
}

static bool reads_shared(const Sharing *s, Node *node)
{
    for (uint32_t i = 0; i < s->d->item_count; i++)
        if (s->shared[i] && draft_uses(node, s->d->items[i].symbol))
            return true;
    return false;
}

/* Behind i = wp.tid() and the masks that leave threads out. */
static uint32_t first_place(const Sharing *s)
{
    const Draft *d = s->d;
    uint32_t at = first_thread(d) + 1;
    for (; at < d->body.count; at++) {
        Node *node = d->body.items[at];
        if (node->kind != NODE_IF || node->if_stmt.orelse.count || node->if_stmt.body.count != 1 ||
            node->if_stmt.body.items[0]->kind != NODE_RETURN || reads_shared(s, node))
            break;
    }
    return at;
}

static void insert_at(Draft *d, uint32_t at, Node *node)
{
    NodeList one = {0};
    draft_push(d, &one, node);
    draft_insert(d, &d->body, at, &one);
}

/* b = shape_body[i] */
static void name_owner(Sharing *s, uint32_t at)
{
    Draft *d = s->d;
    Node *target = draft_name(d, s->symbol);
    target->name.store = true;
    insert_at(d, at,
              draft_assign(d, target, draft_subscript(d, draft_name(d, s->indices->symbol), draft_name(d, d->tid[0]))));
}

static void add_fact(Draft *d, const char *fact)
{
    if (d->fact_count < sizeof d->facts / sizeof *d->facts)
        d->facts[d->fact_count++] = fact;
}

static const char *one_of(Draft *d, const Entity *entity)
{
    return arena_strndup(d->arena, entity->one, strcspn(entity->one, "|"));
}

/* if b < 0: return */
static void skip_negative(Sharing *s, Item *indices, uint32_t at)
{
    Draft *d = s->d;
    Node *guard = draft_new(d, NODE_IF);
    indices->part.low = -1;
    guard->if_stmt.test = draft_compare(d, OP_LT, draft_name(d, s->symbol), draft_int(d, 0));
    if (perhaps(d, 0.3))
        guard->if_stmt.test = draft_compare(d, OP_EQ, draft_name(d, s->symbol), draft_int(d, -1));
    draft_push(d, &guard->if_stmt.body, draft_new(d, NODE_RETURN));
    insert_at(d, at, guard);
}

/* "the stiffness and the damping of each spring are those of its material" */
static void tell_sharing(Sharing *s)
{
    Draft *d = s->d;
    Text text;
    uint32_t count = 0, done = 0;
    text_init_in(&text, d->arena);
    for (uint32_t i = 0; i < d->item_count; i++)
        count += s->shared[i];
    for (uint32_t i = 0; i < d->item_count; i++) {
        if (!s->shared[i])
            continue;
        ADD_ALL(&text, !done ? "the " : done + 1 == count ? " and the " : ", the ", d->items[i].part.quantity->phrase);
        done++;
    }
    ADD_ALL(&text, " of each ", one_of(d, d->entities[0]), count > 1 ? " are those" : " is that", " of its ",
            one_of(d, s->entity));
    add_fact(d, arena_strndup(d->arena, text_cstr(&text), text.len));
}

static void give_owner(Sharing *s)
{
    for (uint32_t i = 0; i < s->d->item_count; i++) {
        Item *item = &s->d->items[i];
        if (!s->shared[i])
            continue;
        item->is_shared = true;
        item->part.axes[0] = (Axis){.entity = s->entity};
        if (s->d->symbols[item->symbol].entity == s->d->entities[0])
            s->d->symbols[item->symbol].entity = s->entity;
    }
}

/* ---- some of the elements ---- */

/* Every input is read at the thread's own element alone, every result written there. */
static bool can_select(const Sharing *s)
{
    const Draft *d = s->d;
    uint32_t inputs = 0;
    for (uint32_t i = 0; i < d->item_count; i++) {
        const Item *item = &d->items[i];
        bool over_launch = false;
        for (uint32_t k = 0; item->present && k < item->part.axis_count; k++)
            over_launch |= item->part.axes[k].entity == d->entities[0];
        if (!item->present || (!over_launch && item->part.target != d->entities[0]))
            continue;
        bool fits = item->part.axes[0].entity == d->entities[0] && !item->part.axes[0].more &&
                    item->part.target != d->entities[0] && s->own[i] == s->mentions[i] &&
                    (item->part.axis_count == 1 || item->part.axes[1].entity != d->entities[0]);
        if (!fits || item->part.role == PART_INOUT || item->part.role == PART_ADD || item->part.kind == PART_OFFSETS)
            return false;
        inputs += item->part.role == PART_IN;
    }
    for (uint32_t i = 0; i < d->count_count; i++)
        if (d->counts[i].entity == d->entities[0] && (d->counts[i].symbol || d->counts[i].looped))
            return false;
    return inputs > 0 && s->thread_uses == s->reads;
}

static void read_at_selected(Node **place, void *user)
{
    Sharing *s = user;
    Node **index = own_place(s, *place);
    const Item *item = index ? item_of(s->d, (*place)->subscript.value) : NULL;
    if (item && item->part.role == PART_IN)
        *index = draft_name(s->d, s->symbol);
    draft_slots(*place, read_at_selected, user);
}

/* What an index of them may be called, but not as that of the thread is: "p|particle_id|idx". */
static const char *names_of_index(Draft *d, const Entity *entity)
{
    Text text;
    text_init_in(&text, d->arena);
    for (const char *at = entity->indices; *at; at += *at == '|') {
        size_t len = strcspn(at, "|");
        bool of_thread = (len == 3 && strncmp(at, "tid", len) == 0) || (len == 1 && *at == 'i');
        if (!of_thread)
            text_format(&text, "%.*s|", (int)len, at);
        at += len;
    }
    text_lit(&text, "idx|@_id|@_idx|index");
    return arena_strndup(d->arena, text_cstr(&text), text.len);
}

/* tid = wp.tid(), i = particle_ids[tid]: inputs are those of i, results those of the thread. */
static void select_elements(Sharing *s)
{
    Draft *d = s->d;
    const Entity *elements = d->entities[0], *slots = entity_find(d->meaning, name_cstr(d->meaning->names, "slot"));
    uint32_t at = first_thread(d) + 1, thread = d->tid[0];
    s->symbol = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, names_of_index(d, elements));
    d->symbols[s->symbol].entity = elements;
    for (uint32_t i = at; i < d->body.count; i++)
        read_at_selected(&d->body.items[i], s);
    for (uint32_t i = 0; i < d->item_count; i++) {
        Item *item = &d->items[i];
        if (!item->present || !item->part.axis_count || item->part.axes[0].entity != elements)
            continue;
        item->is_shared = item->part.role == PART_IN;
        if (item->part.role == PART_OUT)
            item->part.axes[0] = (Axis){.entity = slots};
    }
    static const Owner selection = {
        .indices = "@_ids|@_ids|indices|@_indices|active_ids|selected|sorted_ids|ids|active_@_ids"};
    s->owner = &selection;
    s->entity = elements;
    d->entities[0] = slots;
    d->symbols[thread].names = slots->indices;
    d->symbols[thread].entity = slots;
    count_of(d, slots, 0);
    Item *indices = add_indices(s);
    d->symbols[indices->symbol].entity = elements;
    s->indices = indices;
    add_fact(d, arena_format(d->arena, "each thread computes one of the %s, the one that a list of indices names",
                             entity_plural(d->arena, one_of(d, elements))));
    if (perhaps(d, 0.3)) {
        skip_negative(s, indices, at);
        add_fact(d, "an index of -1 stands for none and is skipped");
    }
    name_owner(s, at);
}

void share_data(Draft *d)
{
    Sharing sharing = {.d = d}, *s = &sharing;
    if (d->dims != 1 || d->item_count + 1 >= MAX_ITEMS || !perhaps(d, d->habits.sharing))
        return;
    for (uint32_t i = 0; i < d->body.count; i++)
        count_mentions(&d->body.items[i], s);
    if (perhaps(d, 0.35) && can_select(s)) {
        select_elements(s);
        return;
    }
    if (!choose_owner(s))
        return;
    uint32_t uses = 0, at = first_place(s);
    for (uint32_t i = 0; i < d->item_count; i++)
        uses += s->shared[i] ? s->own[i] : 0;
    tell_sharing(s);
    Item *indices = add_indices(s);
    s->indices = indices;
    if (uses > 1 || perhaps(d, 0.45))
        s->symbol = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, s->owner->locals);
    for (uint32_t i = 0; i < d->body.count; i++)
        rewrite_uses(&d->body.items[i], s);
    give_owner(s);
    count_of(d, s->entity, 0);
    if (!s->symbol)
        return;
    if (perhaps(d, 0.35)) {
        skip_negative(s, indices, at);
        add_fact(d, arena_format(d->arena, "%s without a %s have the index -1 and are skipped",
                                 entity_plural(d->arena, one_of(d, d->entities[0])), one_of(d, s->entity)));
    }
    name_owner(s, at);
}
