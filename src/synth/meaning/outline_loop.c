/* A loop that adds up becomes a function: Warp runs the function again where it reverses what uses the sum, and has its value there. */
#include "synth/meaning/carry.h"
#include "synth/meaning/outline.h"

#include <string.h>

typedef struct SumSearch {
    Draft *d;
    uint32_t made;
} SumSearch;

enum { MAX_SUM_FUNCTIONS = 3, MAX_STARTS = MAX_RESULTS };

/* ---- who uses the sum ---- */

typedef struct PlainUses {
    uint32_t symbol, plain;
} PlainUses;

static bool is_symbol(const Node *node, uint32_t symbol)
{
    return node->kind == NODE_NAME && node->fact == symbol + 1 && !node->name.store;
}

/* y[i] = total, y[i] += total, wp.atomic_add(y, i, total): the reverse pass need not know the value. */
static void count_plain(Node **place, void *user)
{
    PlainUses *uses = user;
    const Node *node = *place;
    if (node->kind == NODE_ASSIGN)
        uses->plain +=
            is_symbol(node->assign.value, uses->symbol) && node->assign.targets.items[0]->kind == NODE_SUBSCRIPT;
    else if (node->kind == NODE_AUG_ASSIGN)
        uses->plain += is_symbol(node->aug_assign.value, uses->symbol);
    else if (node->kind == NODE_EXPR && is_atomic_call(node->expr.value)) {
        const NodeList *args = &node->expr.value->call.args;
        uses->plain += is_symbol(args->items[args->count - 1], uses->symbol);
    }
    draft_slots(*place, count_plain, user);
}

static bool is_needed(Draft *d, uint32_t symbol, uint32_t uses_outside)
{
    PlainUses uses = {symbol, 0};
    for (uint32_t i = 0; i < d->body.count; i++)
        count_plain(&d->body.items[i], &uses);
    return uses.plain < uses_outside;
}

static uint32_t uses_in_body(Draft *d, uint32_t symbol)
{
    uint32_t uses = 0;
    for (uint32_t i = 0; i < d->body.count; i++)
        uses += draft_uses(d->body.items[i], symbol);
    return uses;
}

/* ---- what goes into the function ---- */

typedef struct StoreOf {
    Node *value; /* whose names are looked for */
    bool found;
} StoreOf;

static void look_for_store_of(Node **place, void *user)
{
    StoreOf *search = user;
    Node *node = *place;
    if (node->kind == NODE_NAME && node->name.store && node->fact)
        search->found |= draft_uses(search->value, node->fact - 1) > 0;
    draft_slots(node, look_for_store_of, user);
}

static bool changes_names_of(Node *node, Node *value)
{
    StoreOf search = {value, false};
    look_for_store_of(&node, &search);
    return search.found;
}

/* The statement before the loop that gives the variable its start, with nothing between them that uses it or changes what the
 * start is made of; `at`, if there is none. */
static uint32_t start_of(const NodeList *list, uint32_t at, uint32_t symbol)
{
    for (uint32_t i = at; i-- > 0;) {
        Node *node = list->items[i];
        if (!draft_uses(node, symbol))
            continue;
        if (!is_plain_assignment(node) || assigned_symbol(node) != symbol || !is_closed(node) ||
            draft_uses(node->assign.value, symbol))
            return at;
        for (uint32_t k = i + 1; k < at; k++)
            if (changes_names_of(list->items[k], node->assign.value))
                return at;
        return i;
    }
    return at;
}

typedef struct FreeNames {
    Draft *d;
    const Carry *carry;
    Interface *face;
    bool overflows;
} FreeNames;

static void find_free(Node **place, void *user)
{
    FreeNames *names = user;
    const Node *node = *place;
    draft_slots(*place, find_free, user);
    if (node->kind != NODE_NAME || !node->fact || !is_passed(names->d, node->fact - 1))
        return;
    for (uint32_t i = 0; i < names->carry->count; i++)
        if (names->carry->variables[i].symbol == node->fact - 1)
            return;
    Interface *face = names->face;
    for (uint32_t i = 0; i < face->free_count; i++)
        if (face->free[i] == node->fact - 1)
            return;
    if (face->free_count == MAX_FREE)
        names->overflows = true;
    else
        face->free[face->free_count++] = node->fact - 1;
}

/* Counters of the loop and of loops in it are its own. */
typedef struct Counters {
    Draft *d;
    Carry *carry;
    bool overflows;
} Counters;

static void find_counters(Node **place, void *user)
{
    Counters *counters = user;
    const Node *node = *place;
    draft_slots(*place, find_counters, user);
    if (node->kind != NODE_FOR || node->for_loop.target->kind != NODE_NAME)
        return;
    Carry *carry = counters->carry;
    counters->overflows |= carry->count == MAX_CARRIED;
    if (!counters->overflows)
        carry->variables[carry->count++] = (Carried){.symbol = node->for_loop.target->fact - 1};
}

/* ---- its name ---- */

static const char *counted_things(Draft *d, const Node *loop)
{
    const Node *bound = loop->for_loop.iter->call.args.items[loop->for_loop.iter->call.args.count - 1];
    const Entity *entity = NULL;
    for (uint32_t i = 0; i < d->count_count; i++)
        if (bound->kind == NODE_NAME && bound->fact == d->counts[i].symbol + 1 && d->counts[i].symbol)
            entity = d->counts[i].entity;
    const Item *item = bound->kind == NODE_SUBSCRIPT ? item_of(d, bound->subscript.value) : NULL;
    entity = item && item->part.kind == PART_OFFSETS ? item->part.target : entity;
    if (!entity)
        return NULL;
    size_t len = strcspn(entity->one, "|");
    const char *words = entity_plural(d->arena, arena_strndup(d->arena, entity->one, len));
    char *plural = arena_strndup(d->arena, words, strlen(words));
    for (char *c = plural; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    return plural;
}

static const char *names_for(Draft *d, const NodeList *list, uint32_t at, const Interface *face)
{
    const char *noun = face->result_count == 1 ? noun_for(d, list, at + 1, face->results[0]) : NULL;
    const char *things = counted_things(d, list->items[at]);
    if (noun && things)
        return arena_format(d->arena, "accumulate_%s|sum_%s|%s_over_%s|gather_%s", noun, noun, noun, things, noun);
    if (noun)
        return arena_format(d->arena, "accumulate_%s|sum_%s|compute_%s", noun, noun, noun);
    if (things)
        return arena_format(d->arena, "sum_over_%s|gather_%s|accumulate_%s|reduce_%s", things, things, things, things);
    return face->result_count > 1 ? "accumulate_terms|compute_sums|gather_sums" : "accumulate|sum_terms|compute_sum";
}

/* ---- the loop ---- */

static bool is_start(const uint32_t *starts, uint32_t count, uint32_t at)
{
    for (uint32_t i = 0; i < count; i++)
        if (starts[i] == at)
            return true;
    return false;
}

/* Fills in the results, the variables that others use, too, and where the starts are; false: it is no loop for a function. */
static bool find_results(SumSearch *search, const NodeList *list, uint32_t at, Carry *carry, Outline *outline,
                         uint32_t *starts)
{
    Draft *d = search->d;
    Interface *face = &outline->face;
    bool needed = false;
    for (uint32_t i = 0; i < carry->count; i++) {
        const Carried *variable = &carry->variables[i];
        uint32_t uses = uses_in_body(d, variable->symbol), inside = draft_uses(list->items[at], variable->symbol);
        if (variable->kind == CARRY_SUM) {
            if (face->result_count == MAX_RESULTS)
                return false;
            uint32_t start = starts[face->result_count] = start_of(list, at, variable->symbol);
            if (start == at || uses - inside < 2)
                return false;
            face->results[face->result_count++] = variable->symbol;
            needed |= is_needed(d, variable->symbol, uses - inside - 1);
        } else if (uses > inside) {
            if (outline->shared_count == MAX_SHARED)
                return false;
            outline->shared[outline->shared_count++] = variable->symbol;
        }
    }
    return needed;
}

static bool outline_loop(SumSearch *search, NodeList *list, uint32_t at)
{
    Draft *d = search->d;
    Node *loop = list->items[at], *statements[MAX_STARTS + 1];
    Outline outline = {.statements = statements};
    Carry carry;
    uint32_t starts[MAX_STARTS];
    if (!is_closed(loop) || is_unrolled_by_warp(d, loop))
        return false;
    find_carry(d, loop, &d->body, &carry);
    Counters counters = {d, &carry, carry.overflows};
    bool state = carries_state(&carry);
    find_counters(&loop, &counters);
    if (state || counters.overflows || !find_results(search, list, at, &carry, &outline, starts))
        return false;
    FreeNames names = {d, &carry, &outline.face, false};
    for (uint32_t i = 0; i < at; i++)
        if (is_start(starts, outline.face.result_count, i))
            statements[outline.count++] = list->items[i];
    statements[outline.count++] = loop;
    for (uint32_t i = 0; i < outline.count; i++)
        find_free(&statements[i], &names);
    if (names.overflows || !outline.face.free_count)
        return false;
    Node *call = outlined_call(d, &outline, names_for(d, list, at, &outline.face));
    if (!call)
        return false;
    list->items[at] = call;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (i >= at || !is_start(starts, outline.face.result_count, i))
            list->items[kept++] = list->items[i];
    list->count = kept;
    search->made++;
    return true;
}

static void outline_in_list(NodeList *list, void *user)
{
    SumSearch *search = user;
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t before = list->count;
        draft_lists(list->items[i], outline_in_list, search);
        if (search->made < MAX_SUM_FUNCTIONS && list->items[i]->kind == NODE_FOR && outline_loop(search, list, i))
            i -= before - list->count;
    }
}

void outline_sums(Draft *d)
{
    SumSearch search = {d, 0};
    if (d->habits.sum_functions)
        outline_in_list(&d->body, &search);
}
