/* Values that get a name because they are needed again: an element that is read twice, a builtin of the same values that is
 * called twice; and, where the author loads first, the thread's own elements. What else is needed once stays where it is: a
 * name that only says "product" tells less than the product. */
#include "synth/meaning/style.h"

#include <string.h>

enum { MAX_PLACES = 64, MAX_DONE = 32, ROOM_FOR_SYMBOLS = 40 };

/* ---- what may get a name ---- */

/* What the value of a builtin of one or two names is called: # and $ stand for them. NULL: there is no good word. */
static const char *words_for_call(const Node *call)
{
    static const struct {
        const char *name;
        uint32_t args;
        const char *words;
    } table[] = {{"sin", 1, "sin_#|s_#"},
                 {"cos", 1, "cos_#|c_#"},
                 {"tan", 1, "tan_#"},
                 {"sqrt", 1, "sqrt_#|root_#"},
                 {"exp", 1, "exp_#"},
                 {"log", 1, "log_#"},
                 {"abs", 1, "abs_#"},
                 {"length", 1, "#_len|len_#|#_norm|#_length"},
                 {"length_sq", 1, "#_sq|#_len_sq"},
                 {"normalize", 1, "#_dir|#_hat|unit_#"},
                 {"transpose", 1, "#_t|#_transposed"},
                 {"inverse", 1, "inv_#|#_inv"},
                 {"trace", 1, "tr_#|trace_#"},
                 {"determinant", 1, "det_#"},
                 {"quat_inverse", 1, "inv_#|#_inv"},
                 {"transform_get_translation", 1, "#_pos|#_origin"},
                 {"transform_get_rotation", 1, "#_rot|#_q"},
                 {"dot", 2, "#_dot_$"},
                 {"cross", 2, "#_cross_$"}};
    Name called = builtin_called(call);
    if (!called || call->call.keywords.count)
        return NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!name_is(called, table[i].name) || call->call.args.count != table[i].args)
            continue;
        for (uint32_t k = 0; k < table[i].args; k++)
            if (call->call.args.items[k]->kind != NODE_NAME || !call->call.args.items[k]->fact)
                return NULL;
        bool square = table[i].args == 2 && call->call.args.items[0]->fact == call->call.args.items[1]->fact;
        return square ? "#_sq|#_len_sq" : table[i].words;
    }
    return NULL;
}

/* i, (i, j), (i, 2) */
static bool is_plain_index(const Node *slice)
{
    if (slice->kind != NODE_TUPLE)
        return slice->kind == NODE_NAME && slice->fact;
    for (uint32_t i = 0; i < slice->sequence.elts.count; i++)
        if (slice->sequence.elts.items[i]->kind != NODE_NAME && slice->sequence.elts.items[i]->kind != NODE_CONSTANT)
            return false;
    return true;
}

/* An element of an array that is only read, or the thread's own of one that no other thread writes there. */
static const Item *element_of(Draft *d, const Node *node)
{
    const Item *item = node->kind == NODE_SUBSCRIPT ? item_of(d, node->subscript.value) : NULL;
    if (!item || !item->part.axis_count || !is_plain_index(node->subscript.slice))
        return NULL;
    bool own = item->part.role == PART_INOUT && is_own_index(d, node->subscript.slice);
    return item->part.role == PART_IN || own ? item : NULL;
}

/* m = masses[i], behind wp.tid() */
static bool is_own_input(Draft *d, const Node *value)
{
    const Item *item = value->kind == NODE_SUBSCRIPT ? element_of(d, value) : NULL;
    return item && item->part.role == PART_IN && item->part.kind == PART_EACH && !item->is_bool &&
           strcmp(item->part.quantity->id, "flag") != 0 && is_own_index(d, value->subscript.slice);
}

static bool may_have_name(Draft *d, const Node *node)
{
    return node->kind == NODE_SUBSCRIPT ? element_of(d, node) != NULL
                                        : node->kind == NODE_CALL && words_for_call(node) != NULL;
}

/* ---- where it is ---- */

typedef struct Search {
    Draft *d;
    const Node *value;         /* what is looked for; NULL: anything that may have a name */
    Node **places[MAX_PLACES]; /* in the order in which they are written */
    uint32_t count;
} Search;

static void find_everywhere(Node **place, void *user)
{
    Search *search = user;
    if ((*place)->kind == search->value->kind && is_same(*place, search->value) && search->count < MAX_PLACES) {
        search->places[search->count++] = place;
        return;
    }
    draft_slots(*place, find_everywhere, user);
}

/* What is computed whatever the values are. Inner values first, as they are computed. */
static void find_certain(Node **place, void *user)
{
    Search *search = user;
    Node *node = *place;
    if (is_statement(node) || node->kind == NODE_IF_EXP)
        return;
    if (node->kind == NODE_BOOL_OP) {
        find_certain(&node->bool_op.values.items[0], user);
        return;
    }
    draft_slots(node, find_certain, user);
    if (may_have_name(search->d, node) && search->count < MAX_PLACES)
        search->places[search->count++] = place;
}

/* The thread's own element stays the same in a loop, and is read before it. */
static void find_own_inputs(Node **place, void *user)
{
    Search *search = user;
    draft_slots(*place, find_own_inputs, user);
    if (is_own_input(search->d, *place) && search->count < MAX_PLACES)
        search->places[search->count++] = place;
}

static void find_in_statement(Node *node, Search *search)
{
    switch (node->kind) {
    case NODE_ASSIGN:
        if (is_thread_statement(node))
            return;
        if (node->assign.targets.items[0]->kind == NODE_SUBSCRIPT)
            find_certain(&node->assign.targets.items[0]->subscript.slice, search);
        if (is_plain_assignment(node) && may_have_name(search->d, node->assign.value))
            draft_slots(node->assign.value, find_certain, search); /* it has a name already */
        else
            find_certain(&node->assign.value, search);
        return;
    case NODE_AUG_ASSIGN: find_certain(&node->aug_assign.value, search); return;
    case NODE_EXPR: find_certain(&node->expr.value, search); return;
    case NODE_IF: find_certain(&node->if_stmt.test, search); return;
    case NODE_FOR:
    case NODE_WHILE: draft_slots(node, find_own_inputs, search); return;
    case NODE_RETURN:
        if (node->ret.value)
            find_certain(&node->ret.value, search);
        return;
    default: return;
    }
}

/* ---- does it stay the same? ---- */

typedef struct Changes {
    const Usage *usage;
    Node *value;
    uint32_t array; /* that the value is an element of, and one; 0: it is none */
    bool changed;   /* something in it is set */
    bool stored;    /* the array is written */
    bool named;     /* it is the value of a variable that never changes */
} Changes;

static bool is_set_once(const Changes *changes, uint32_t symbol)
{
    return symbol >= changes->usage->count || changes->usage->stores[symbol] == 1;
}

static void look_for_changes(Node **place, void *user)
{
    Changes *changes = user;
    Node *node = *place, *value = changes->value;
    const Node *target = node->kind == NODE_ASSIGN       ? node->assign.targets.items[0]
                         : node->kind == NODE_AUG_ASSIGN ? node->aug_assign.target
                         : is_atomic_call(node)          ? node->call.args.items[0]
                                                         : NULL;
    uint32_t fact = node->kind == NODE_NAME && node->name.store                   ? node->fact
                    : target && root_of(target)->kind == NODE_NAME /* v[0] = … */ ? root_of(target)->fact
                                                                                  : 0;
    if (fact && fact == changes->array)
        changes->stored = true;
    else if (fact)
        changes->changed |= draft_uses(value, fact - 1) > 0;
    if (is_plain_assignment(node) && node->assign.value->kind == value->kind && is_same(node->assign.value, value))
        changes->named |= is_set_once(changes, assigned_symbol(node));
    draft_slots(node, look_for_changes, user);
}

/* ---- a name ---- */

static uint32_t new_symbol(Draft *d, const Node *value)
{
    if (value->kind == NODE_SUBSCRIPT)
        return element_symbol(d, element_of(d, value), value->subscript.slice);
    uint32_t symbol = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, words_for_call(value));
    d->symbols[symbol].column = (d->salt >> 8) + 1; /* sin_a and cos_b, or s_a and c_b */
    for (uint32_t i = 0; i < value->call.args.count; i++)
        d->symbols[symbol].of[i] = value->call.args.items[i]->fact - 1;
    return symbol;
}

/* What has been named, and how: the same value in another loop gets the same name. */
typedef struct Naming {
    Draft *d;
    Usage usage;
    struct {
        Node *value;
        uint32_t symbol;
    } done[MAX_DONE];
    uint32_t count;
    Node *refused[MAX_DONE]; /* what the author does not name here does not get a name further down */
    uint32_t refused_count;
} Naming;

static bool was_refused(const Naming *naming, const Node *value)
{
    for (uint32_t i = 0; i < naming->refused_count; i++)
        if (naming->refused[i]->kind == value->kind && is_same(naming->refused[i], value))
            return true;
    return false;
}

static uint32_t symbol_for(Naming *naming, Node *value)
{
    for (uint32_t i = 0; i < naming->count; i++)
        if (naming->done[i].value->kind == value->kind && is_same(naming->done[i].value, value))
            return naming->done[i].symbol;
    uint32_t symbol = new_symbol(naming->d, value);
    if (naming->count < MAX_DONE) {
        naming->done[naming->count].value = value;
        naming->done[naming->count++].symbol = symbol;
    }
    return symbol;
}

/* Is it there more than once from statement `at` on, whatever happens in between? Mostly not, and that is all there is to ask. */
static bool is_repeated(Draft *d, NodeList *list, uint32_t at, Node *value)
{
    Search search = {.d = d, .value = value};
    for (uint32_t i = at; i < list->count && search.count < 2; i++)
        find_everywhere(&list->items[i], &search);
    return search.count > 1;
}

/* Names the value before statement `at`, if it is needed again from there on, before anything in it changes. */
static bool name_value(Naming *naming, NodeList *list, uint32_t at, Node *value)
{
    Draft *d = naming->d;
    bool own = is_own_input(d, value);
    if (d->symbol_count + ROOM_FOR_SYMBOLS > MAX_SYMBOLS || was_refused(naming, value) ||
        (!own && !is_repeated(d, list, at, value)))
        return false;
    Search search = {.d = d, .value = value};
    Changes changes = {.usage = &naming->usage,
                       .value = value,
                       .array = value->kind == NODE_SUBSCRIPT ? value->subscript.value->fact : 0};
    for (uint32_t i = at; i < list->count && !changes.stored && !changes.changed && !changes.named; i++) {
        look_for_changes(&list->items[i], &changes);
        if (!changes.stored)
            find_everywhere(&list->items[i], &search);
        else if (list->items[i]->kind == NODE_ASSIGN) /* it is computed before it is stored */
            find_everywhere(&list->items[i]->assign.value, &search);
    }
    bool in_loop = list->items[at]->kind == NODE_FOR || list->items[at]->kind == NODE_WHILE;
    bool again = search.count > 1 || (own && in_loop);
    if (!search.count || changes.changed || changes.named || (!again && !own))
        return false;
    if (!perhaps(d, again ? d->habits.naming_repeats : d->habits.loading_first)) {
        if (again && naming->refused_count < MAX_DONE)
            naming->refused[naming->refused_count++] = draft_copy(d, value);
        return false;
    }
    Node *copy = draft_copy(d, value);
    uint32_t symbol = symbol_for(naming, copy);
    Node *target = draft_name(d, symbol);
    target->name.store = true;
    for (uint32_t i = 0; i < search.count; i++)
        *search.places[i] = draft_name(d, symbol);
    while (at > 0 && is_comment(list->items[at - 1]))
        at--;
    NodeList one = {0};
    draft_push(d, &one, draft_assign(d, target, copy));
    draft_insert(d, list, at, &one);
    return true;
}

static bool name_first(Naming *naming, NodeList *list, uint32_t at)
{
    Search search = {.d = naming->d};
    find_in_statement(list->items[at], &search);
    for (uint32_t i = 0; i < search.count; i++)
        if (name_value(naming, list, at, *search.places[i]))
            return true;
    return false;
}

static void name_in_list(NodeList *list, void *user)
{
    Naming *naming = user;
    for (uint32_t i = 0; i < list->count; i++) {
        while (name_first(naming, list, i))
            i++; /* the statement has moved */
        draft_lists(list->items[i], name_in_list, naming);
    }
}

void name_repeats(Draft *d)
{
    Naming *naming = ARENA_NEW(d->arena, Naming);
    naming->d = d;
    naming->usage = usage_of(d, &d->body);
    name_in_list(&d->body, naming);
}
