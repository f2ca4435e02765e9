/* Kernels of several steps: a further scene of the same things goes on with what the first one made, or computes something
 * else from the same data.
 *
 * A result that is carried on is an input of the second scene, which reads it only at the thread's own element. What both
 * take is passed once. */
#include "synth/meaning/plan.h"

#include <string.h>

enum { MOST_TRIED = 40, ROOM_FOR_ITEMS = 8, ROOM_FOR_SYMBOLS = 200 };

static bool same_launch(const Scene *a, const Scene *b)
{
    if (a->dims != b->dims)
        return false;
    for (uint32_t i = 0; i < a->dims; i++)
        if (a->entities[i] != b->entities[i])
            return false;
    return true;
}

static bool same_axes(const Part *a, const Part *b)
{
    if (a->axis_count != b->axis_count)
        return false;
    for (uint32_t i = 0; i < a->axis_count; i++)
        if (a->axes[i].entity != b->axes[i].entity || a->axes[i].number != b->axes[i].number ||
            a->axes[i].extent != b->axes[i].extent || a->axes[i].more != b->axes[i].more)
            return false;
    return true;
}

static bool is_used(const Draft *d, const Scene *scene)
{
    for (uint32_t i = 0; i < d->casting_count; i++)
        if (d->castings[i].scene == scene)
            return true;
    return false;
}

/* A quantity that many scenes take (a position, a value) does not make two of them belong together. */
enum { A_FEW = 10, SOME = 40 };
static bool says_enough(Meaning *meaning, const Quantity *quantity, uint32_t most)
{
    uint32_t count;
    const Quantity *table = quantity_table(&count);
    if (!meaning->takers) {
        meaning->takers = ARENA_ARRAY(meaning->arena, uint16_t, count);
        for (uint32_t i = 0; i < meaning->scene_count; i++)
            for (uint32_t k = 0; scene_load(meaning, &meaning->scenes[i]) && k < meaning->scenes[i].part_count; k++)
                if (meaning->scenes[i].parts[k].role == PART_IN)
                    meaning->takers[meaning->scenes[i].parts[k].quantity - table]++;
    }
    return *quantity->unit && meaning->takers[quantity - table] < most;
}

/* Is there room for what the scene brings along, and for what later passes add? */
static bool has_room(const Draft *d, const Scene *scene)
{
    return d->item_count + scene->part_count + ROOM_FOR_ITEMS <= MAX_ITEMS &&
           d->symbol_count + scene->body.local_count + ROOM_FOR_SYMBOLS <= MAX_SYMBOLS &&
           d->constant_count + 8 <= MAX_DRAFT_CONSTANTS;
}

/* A result of the draft that the scene takes; with its part. NULL: there is none. */
static Item *find_link(Draft *d, const Scene *scene, uint32_t *part)
{
    for (uint32_t i = 0; i < d->item_count; i++) {
        Item *item = &d->items[i];
        if (!item->present || item->part.role != PART_OUT || !is_over_launch(d, &item->part) ||
            !says_enough(d->meaning, item->part.quantity, A_FEW))
            continue;
        for (*part = 0; *part < scene->part_count; ++*part) {
            const Part *taken = &scene->parts[*part];
            if (taken->quantity == item->part.quantity && taken->role == PART_IN && taken->kind == PART_EACH &&
                !taken->fixed && taken->probability == 1 && is_over_launch(d, taken) &&
                only_store(d, item) < d->body.count)
                return item;
        }
    }
    return NULL;
}

/* Is it, as a result of the scene, what the draft already has, or something that the draft changes? */
static bool is_conflict(const Draft *d, uint32_t item_count, const Part *part)
{
    for (uint32_t i = 0; i < item_count; i++) {
        const Item *item = &d->items[i];
        if (item->present && item->part.quantity == part->quantity &&
            (part->role != PART_IN || item->part.role == PART_ADD || item->part.role == PART_INOUT))
            return true;
    }
    return false;
}

/* Would two of its results, or a result and an input, be the same quantity as something that is there? */
static bool is_in_the_way(const Draft *d, const Scene *scene)
{
    for (uint32_t i = 0; i < scene->part_count; i++) {
        const Part *part = &scene->parts[i];
        if (part->probability == 1 && is_conflict(d, d->item_count, part))
            return true;
    }
    return false;
}

/* What is optional and in the way is left out. */
static void drop_conflicts(Draft *d, const Casting *casting)
{
    for (uint32_t i = casting->first_item; i < d->item_count; i++)
        if (d->items[i].part.probability < 1 && is_conflict(d, casting->first_item, &d->items[i].part))
            d->items[i].present = false;
}

/* The same data: over the same things, in the same range, and only read. */
static bool is_same_input(const Part *a, const Part *b)
{
    return a->role == PART_IN && b->role == PART_IN && a->quantity == b->quantity && a->kind == b->kind &&
           a->target == b->target && a->low == b->low && a->high == b->high && same_axes(a, b);
}

/* What both scenes take is one item: each of the draft's stands for one of the scene's. */
static void share_inputs(Draft *d, const Casting *casting)
{
    bool given[MAX_ITEMS] = {false};
    for (uint32_t i = casting->first_item; i < d->item_count; i++) {
        Item *item = &d->items[i];
        for (uint32_t k = 0; item->present && k < casting->first_item; k++)
            if (d->items[k].present && !given[k] && is_same_input(&d->items[k].part, &item->part)) {
                d->symbols[item->symbol].value = draft_name(d, d->items[k].symbol);
                given[k] = true;
                break;
            }
    }
}

/* How many arrays of the draft the scene reads, too, of those that tell what it is about; none, if it asks for something that the
 * draft makes. */
static uint32_t count_shared(Draft *d, const Scene *scene, uint32_t most)
{
    uint32_t shared = 0;
    for (uint32_t i = 0; i < scene->part_count; i++) {
        const Part *part = &scene->parts[i];
        const Item *known = part->probability == 1 ? item_with(d, part->quantity) : NULL;
        if (known && known->part.role != PART_IN)
            return 0;
        if (!known || part->role != PART_IN || part->kind == PART_SETTING ||
            !says_enough(d->meaning, part->quantity, most))
            continue;
        for (uint32_t k = 0; k < d->item_count; k++)
            if (d->items[k].present && is_same_input(&d->items[k].part, part)) {
                shared++;
                break;
            }
    }
    return shared;
}

/* Scenes of one file are of one field. */
static bool is_same_field(const Draft *d, const Scene *scene)
{
    for (uint32_t i = 0; i < d->casting_count; i++)
        if (strcmp(d->castings[i].scene->chunk.path, scene->chunk.path) != 0)
            return false;
    return true;
}

/* ---- early ends ---- */

typedef struct EndSearch {
    const Draft *d;
    bool own_value; /* a test looks at something that the scene computed */
    uint32_t returns;
} EndSearch;

static void look_for_ends(Node **place, void *user)
{
    EndSearch *search = user;
    const Node *node = *place;
    search->returns += node->kind == NODE_RETURN;
    if (node->kind == NODE_NAME && node->fact && search->d->symbols[node->fact - 1].kind == SYMBOL_LOCAL) {
        bool thread = false;
        for (uint32_t i = 0; i < search->d->dims; i++)
            thread |= node->fact == search->d->tid[i] + 1;
        search->own_value |= !thread;
    }
    draft_slots(*place, look_for_ends, user);
}

/* Does every thread that has data reach the end? Those that are inactive or of the wrong kind may leave. */
static bool reaches_end(Draft *d)
{
    for (uint32_t i = 0; i < d->body.count; i++) {
        EndSearch search = {.d = d};
        Node *node = d->body.items[i];
        look_for_ends(&node, &search);
        bool guard = node->kind == NODE_IF && node->if_stmt.body.count == 1 && !node->if_stmt.orelse.count &&
                     node->if_stmt.body.items[0]->kind == NODE_RETURN;
        if (search.returns && (!guard || search.own_value))
            return false;
    }
    return true;
}

/* The second scene counts its threads by the first one's names. */
static void share_threads(Draft *d, const Casting *casting)
{
    const NodeList *body = &casting->scene->body.function->function.body;
    for (uint32_t i = 0; i < body->count; i++) {
        const Node *node = body->items[i];
        if (!is_thread_statement(node))
            continue;
        const Node *target = node->assign.targets.items[0];
        for (uint32_t k = 0; k < casting->scene->dims; k++) {
            const Node *name = target->kind == NODE_TUPLE ? target->sequence.elts.items[k] : target;
            d->symbols[casting->base + name->fact - 1].value = draft_name(d, d->tid[k]);
        }
    }
}

static void drop_thread_statement(NodeList *body)
{
    for (uint32_t i = 0; i < body->count; i++)
        if (is_thread_statement(body->items[i])) {
            memmove(body->items + i, body->items + i + 1, sizeof(Node *) * (body->count - i - 1));
            body->count--;
            return;
        }
}

/* The value of the first scene's result, with a name. */
static Node *name_result(Draft *d, const Item *result)
{
    uint32_t at = only_store(d, result);
    Node *store = d->body.items[at];
    if (store->assign.value->kind == NODE_NAME)
        return store->assign.value;
    uint32_t symbol = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, value_names(d, result));
    Node *target = draft_name(d, symbol);
    target->name.store = true;
    NodeList one = {0};
    draft_push(d, &one, draft_assign(d, target, store->assign.value));
    store->assign.value = draft_name(d, symbol);
    draft_insert(d, &d->body, at, &one);
    return store->assign.value;
}

static bool has_early_end(const NodeList *body)
{
    return body->count && body->items[body->count - 1]->kind == NODE_RETURN;
}

/* How much of everything a draft has: a scene that turns out not to fit is taken back. */
typedef struct Extent {
    uint32_t items, symbols, counts, constants, facts;
} Extent;

static Extent extent_of(const Draft *d)
{
    return (Extent){d->item_count, d->symbol_count, d->count_count, d->constant_count, d->fact_count};
}

static void go_back_to(Draft *d, const Extent *before)
{
    d->item_count = before->items;
    d->symbol_count = before->symbols;
    d->count_count = before->counts;
    d->constant_count = before->constants;
    d->fact_count = before->facts;
}

static void look_for_returns(Node **place, void *user)
{
    bool *found = user;
    *found |= (*place)->kind == NODE_RETURN;
    draft_slots(*place, look_for_returns, user);
}

/* Would some threads leave before they come to what is put behind? */
static bool has_returns(NodeList *body)
{
    bool found = false;
    for (uint32_t i = 0; i < body->count; i++)
        look_for_returns(&body->items[i], &found);
    return found;
}

/* Where the statements of a further scene go: behind all others, or, where some threads leave, in front of them. The number of
 * statements and one: nowhere. */
static uint32_t place_of_scene(Draft *d, NodeList *body)
{
    if (!d->joined || !has_returns(&d->body))
        return d->body.count;
    if (has_returns(body))
        return d->body.count + 1;
    uint32_t at = 0;
    while (at < d->body.count && !is_thread_statement(d->body.items[at]))
        at++;
    return at < d->body.count ? at + 1 : 0;
}

static bool append_scene(Draft *d, const Scene *scene, const Item *result, uint32_t part)
{
    const Extent before = extent_of(d);
    Casting *casting = &d->castings[d->casting_count];
    cast_scene(d, scene, arena_format(d->arena, "%s.", scene->name->text), casting);
    Item *linked = result ? &d->items[casting->first_item + part] : NULL;
    casting->goes_on = result != NULL;
    if (!d->joined)
        drop_conflicts(d, casting);
    share_threads(d, casting);
    if (linked)
        linked->present = false;
    if (!d->joined)
        share_inputs(d, casting);
    if (linked)
        linked->present = true;
    NodeList body = {0};
    Resolver resolver = {d, &scene->body, casting->base, casting->decisions, casting->decided};
    resolve_statements(&resolver, &scene->body.function->function.body, &body);
    drop_thread_statement(&body);
    OwnReads reads = {0};
    if (linked)
        find_own_reads(d, linked->symbol, &body, &reads);
    uint32_t at = place_of_scene(d, &body);
    if (at > d->body.count || (linked && (!reads.count || reads.count != reads.all)) || has_early_end(&d->body)) {
        go_back_to(d, &before);
        return false;
    }
    Node *value = linked ? name_result(d, result) : NULL;
    for (uint32_t i = 0; i < reads.count; i++)
        *reads.places[i] = draft_copy(d, value);
    draft_insert(d, &d->body, linked ? d->body.count : at, &body);
    d->casting_count++;
    drop_unused(d);
    return true;
}

/* After both: stress_and_principal_stress. */
static void rename_kernel(Draft *d)
{
    const Casting *casting = &d->castings[d->casting_count - 1];
    const char *first = true_words(d, &d->castings[0], d->scene->titles);
    const char *last = true_words(d, casting, casting->scene->titles);
    size_t first_len = strcspn(first, "|"), last_len = strcspn(last, "|");
    d->symbols[d->kernel].names = arena_format(d->arena, "%.*s_and_%.*s", (int)first_len, first, (int)last_len, last);
}

/* All scenes with the same launch; found once for each kind of launch. */
static const LaunchList *scenes_like(Meaning *meaning, const Scene *scene)
{
    for (LaunchList *list = meaning->launches; list; list = list->next)
        if (same_launch(list->like, scene))
            return list;
    LaunchList *list = ARENA_NEW(meaning->arena, LaunchList);
    list->like = scene;
    list->next = meaning->launches;
    list->scenes = ARENA_ARRAY(meaning->arena, uint16_t, meaning->scene_count);
    for (uint32_t i = 0; i < meaning->scene_count; i++)
        if (scene_load(meaning, &meaning->scenes[i]) && same_launch(scene, &meaning->scenes[i]))
            list->scenes[list->count++] = (uint16_t)i;
    meaning->launches = list;
    return list;
}

static bool compose_once(Draft *d)
{
    static const double LOSSY = 0.2;
    Meaning *meaning = d->meaning;
    const LaunchList *list = scenes_like(meaning, d->scene);
    bool may_add = reaches_end(d);
    uint32_t start = rng_below(&d->rng, list->count), most = d->habits.thorough ? list->count : MOST_TRIED;
    for (uint32_t tries = 0; tries < most; tries++) {
        uint32_t chosen = d->habits.thorough ? (start + tries) % list->count : rng_below(&d->rng, list->count);
        Scene *scene = &meaning->scenes[list->scenes[chosen]];
        uint32_t part = 0;
        if (!scene_load(meaning, scene) || scene->stands_alone || is_used(d, scene) || !is_same_field(d, scene) ||
            is_in_the_way(d, scene) || !has_room(d, scene) || (scene->is_lossy && !perhaps(d, LOSSY)))
            continue;
        const Item *result = find_link(d, scene, &part);
        bool same_data = may_add && count_shared(d, scene, SOME) > 1;
        if ((result || same_data) && append_scene(d, scene, result, part))
            return true;
    }
    return false;
}

/* ---- errands ---- */

/* The share of kernels of glue that stay as short as they are: two in five real kernels have at most five statements. */
static const double SHORT_GLUE = 0.5;

/* Kernels of glue do several things that have nothing to do with each other: they copy one array, reset another, count a step. */
static bool is_glue(const Scene *scene)
{
    return scene->categories >> CATEGORY_glue & 1;
}

/* A scene about some(particle, body) may be about what the draft is about. */
static bool is_about_same(const Draft *d, const Scene *scene)
{
    if (scene->dims != d->dims)
        return false;
    bool same = true, some = d->dims == 0;
    for (uint32_t i = 0; i < d->dims; i++)
        same &= scene->entities[i] == d->entities[i];
    for (uint32_t i = 0; i < scene->some_count && d->dims == 1; i++)
        some |= scene->some[i] == d->entities[0];
    return some || (same && !scene->some_count);
}

static bool join_once(Draft *d)
{
    Meaning *meaning = d->meaning;
    const uint16_t *list = meaning->by_category[CATEGORY_glue];
    for (uint32_t tries = 0; tries < MOST_TRIED; tries++) {
        Scene *scene = &meaning->scenes[list[rng_below(&d->rng, meaning->category_scenes[CATEGORY_glue])]];
        if (!scene_load(meaning, scene) || scene->is_tiled || is_used(d, scene) || !is_about_same(d, scene) ||
            !has_room(d, scene) || scene->is_lossy)
            continue;
        d->joined = scene;
        bool joined = append_scene(d, scene, NULL, 0);
        if (joined)
            d->castings[d->casting_count - 1].entity = cast_entity(d, scene->entities[0]);
        d->joined = NULL;
        return joined;
    }
    return false;
}

static void join_errands(Draft *d)
{
    static const double alone[MAX_CASTINGS] = {0, 0.98, 0.7, 0.4}, threads[MAX_CASTINGS] = {0, 0.55, 0.3, 0.2};
    while (d->casting_count < MAX_CASTINGS &&
           perhaps(d, d->dims ? threads[d->casting_count] : alone[d->casting_count]) && join_once(d))
        rename_kernel(d);
}

void compose_scenes(Draft *d)
{
    static const double again[MAX_CASTINGS] = {0, 1, 0.5, 0}; /* more of them are several kernels */
    d->is_short = is_glue(d->scene) && perhaps(d, SHORT_GLUE);
    if (is_glue(d->scene) && !d->scene->is_lossy && !d->is_short)
        join_errands(d);
    while (d->casting_count < MAX_CASTINGS && !is_of_no_topic(d->scene) &&
           perhaps(d, d->habits.steps * again[d->casting_count]) && compose_once(d))
        rename_kernel(d);
}
