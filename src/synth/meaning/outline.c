/* A run of statements that computes one value, or a few, becomes a function, as a person would do it. */
#include "synth/meaning/outline.h"

#include <ctype.h>
#include <string.h>

typedef struct Range {
    uint32_t first, last; /* statements of the kernel, both included */
    uint32_t weight;      /* statements in all */
    Interface face;
} Range;

/* How much a function of this author takes and gives back. */
typedef struct Limits {
    uint32_t free, results;
} Limits;

/* ---- what statements do ---- */

typedef struct Effects {
    bool closed; /* nothing but variables changes, and control comes out at the end */
    uint32_t weight;
} Effects;

/* i = t // width: where the thread is */
static bool is_of_thread(const Draft *d, const Node *node)
{
    for (uint32_t i = 0; i < d->dims; i++)
        if (node->kind == NODE_ASSIGN && node->assign.targets.items[0]->fact == d->tid[i] + 1)
            return true;
    return false;
}

static void look_at(Node **place, void *user)
{
    Effects *effects = user;
    Node *node = *place;
    if (is_statement(node))
        effects->weight++;
    if (node->kind == NODE_RETURN)
        effects->closed = false;
    if (node->kind == NODE_ASSIGN && node->assign.targets.items[0]->kind != NODE_NAME)
        effects->closed = false;
    if (node->kind == NODE_AUG_ASSIGN && node->aug_assign.target->kind != NODE_NAME)
        effects->closed = false;
    if (node->kind == NODE_EXPR && node->expr.value->kind == NODE_CALL)
        effects->closed = false;
    if (node->kind == NODE_CALL && node->call.func->kind == NODE_ATTRIBUTE) {
        const char *name = node->call.func->attribute.attr->text;
        effects->closed &= strncmp(name, "atomic", 6) != 0 && strncmp(name, "rand", 4) != 0 &&
                           strcmp(name, "zeros") != 0 && strcmp(name, "tid") != 0;
    }
    draft_slots(node, look_at, user);
}

static Effects effects_of(Node *node)
{
    Effects effects = {true, 0};
    look_at(&node, &effects);
    return effects;
}

bool is_closed(Node *node)
{
    return effects_of(node).closed;
}

/* ---- what goes in and out ---- */

static void note_names(Node **place, void *user)
{
    Usage *usage = user;
    Node *node = *place;
    if (node->kind == NODE_NAME && node->fact)
        ++*(node->name.store ? &usage->stores[node->fact - 1] : &usage->loads[node->fact - 1]);
    if (node->kind == NODE_AUG_ASSIGN && node->aug_assign.target->kind == NODE_NAME)
        usage->loads[node->aug_assign.target->fact - 1]++;
    draft_slots(node, note_names, user);
}

/* How often each symbol is stored and loaded in the statements before each one; and what each statement does. */
typedef struct Sums {
    uint16_t *stores, *loads; /* [statement][symbol] */
    uint32_t width;
    Effects *effects; /* [statement] */
} Sums;

static Sums sums_of(Draft *d)
{
    uint32_t width = d->symbol_count;
    Sums sums = {ARENA_ARRAY(d->arena, uint16_t, (d->body.count + 1) * width),
                 ARENA_ARRAY(d->arena, uint16_t, (d->body.count + 1) * width), width,
                 arena_take(d->arena, sizeof(Effects) * d->body.count)};
    Usage usage = {ARENA_ARRAY(d->arena, uint32_t, width), ARENA_ARRAY(d->arena, uint32_t, width), width};
    for (uint32_t i = 0; i < d->body.count; i++) {
        note_names(&d->body.items[i], &usage);
        sums.effects[i] = effects_of(d->body.items[i]);
        for (uint32_t s = 0; s < width; s++) {
            sums.stores[(i + 1) * width + s] = (uint16_t)usage.stores[s];
            sums.loads[(i + 1) * width + s] = (uint16_t)usage.loads[s];
        }
    }
    return sums;
}

/* In the statements from `first` on, up to and without `end`. */
static uint32_t between(const Sums *sums, const uint16_t *counts, uint32_t first, uint32_t end, uint32_t symbol)
{
    return (uint32_t)counts[end * sums->width + symbol] - counts[first * sums->width + symbol];
}

bool is_passed(const Draft *d, uint32_t symbol)
{
    SymbolKind kind = d->symbols[symbol].kind;
    return kind == SYMBOL_LOCAL || kind == SYMBOL_INPUT || kind == SYMBOL_COUNT;
}

/* Fills in what the range takes and gives; false: too much, or something that is set before it changes in it. */
static bool find_interface(Draft *d, const Sums *sums, const Limits *limits, Range *range)
{
    uint32_t first = range->first, end = range->last + 1, all = d->body.count;
    range->face.free_count = range->face.result_count = 0;
    for (uint32_t s = 1; s < sums->width; s++) {
        bool stored = between(sums, sums->stores, first, end, s) > 0;
        if (!stored && !between(sums, sums->loads, first, end, s))
            continue;
        if (stored && (between(sums, sums->stores, 0, first, s) || between(sums, sums->stores, end, all, s)))
            return false;
        if (stored && between(sums, sums->loads, end, all, s)) {
            if (range->face.result_count == limits->results)
                return false;
            range->face.results[range->face.result_count++] = s;
        }
        if (!stored && is_passed(d, s)) {
            if (range->face.free_count == limits->free)
                return false;
            range->face.free[range->face.free_count++] = s;
        }
    }
    return range->face.result_count > 0 && range->face.free_count > 0;
}

/* Are the results set at the top of the range, whatever its conditions say? */
static bool is_always_set(const Draft *d, const Range *range)
{
    for (uint32_t i = 0; i < range->face.result_count; i++) {
        bool set = false;
        for (uint32_t k = range->first; k <= range->last; k++) {
            const Node *node = d->body.items[k];
            set |= node->kind == NODE_ASSIGN && node->assign.targets.items[0]->fact == range->face.results[i] + 1;
        }
        if (!set)
            return false;
    }
    return true;
}

static const Argument *argument_of(const Draft *d, uint32_t symbol)
{
    for (uint32_t i = 0; i < d->argument_count; i++)
        if (d->arguments[i].symbol == symbol)
            return &d->arguments[i];
    return NULL;
}

static bool has_loop(const Draft *d, const Range *range)
{
    for (uint32_t i = range->first; i <= range->last; i++)
        if (d->body.items[i]->kind == NODE_FOR || d->body.items[i]->kind == NODE_WHILE)
            return true;
    return false;
}

/* A function without a loop takes values: nobody passes an array and an index for one element of it. */
static bool takes_array(const Draft *d, const Range *range)
{
    for (uint32_t i = 0; i < range->face.free_count; i++) {
        const Argument *argument = argument_of(d, range->face.free[i]);
        if (argument && (argument->ndim || argument->structure))
            return true;
    }
    return false;
}

/* The longest run of statements that ends here and is worth a function. */
static bool find_range(Draft *d, const Sums *sums, const Limits *limits, uint32_t last, Range *best)
{
    enum { LEAST = 3, MOST = 24 }; /* statements */
    uint32_t weight = 0;
    bool found = false;
    if (is_comment(d->body.items[last]))
        return false; /* it is about what follows */
    for (uint32_t first = last + 1; first-- > 1;) {
        weight += sums->effects[first].weight;
        if (is_of_thread(d, d->body.items[first]) || !sums->effects[first].closed || weight > MOST)
            break;
        Range range = {.first = first, .last = last, .weight = weight};
        if (weight >= LEAST && !is_comment(d->body.items[first]) && find_interface(d, sums, limits, &range) &&
            is_always_set(d, &range) && (has_loop(d, &range) || !takes_array(d, &range))) {
            *best = range;
            found = true;
        }
    }
    return found;
}

/* ---- the function ---- */

/* Words that stand in names of quantities and yet do not say what a function computes. */
static bool is_vague(const char *word)
{
    static const char *const words[] = {"value",    "number", "first",  "second", "other", "rest",   "start", "high",
                                        "previous", "factor", "field",  "total",  "index", "offset", "level", "low",
                                        "part",     "size",   "step",   "next",   "point", "count",  "unit",  "data",
                                        "state",    "vector", "matrix", "kind",   "flag",  "code",   "sign",  "mark"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return strlen(word) < 4 || isdigit((unsigned char)word[strlen(word) - 1]); /* point2: its type */
}

/* Is it a word for something that can be computed: one of those that quantities are called by? */
static bool is_noun(const char *word)
{
    uint32_t count;
    const Quantity *table = quantity_table(&count);
    const char *bar = strrchr(word, '_'), *last = bar ? bar + 1 : word;
    size_t len = strlen(last);
    if (is_vague(last))
        return false;
    for (uint32_t i = 0; i < count; i++)
        for (const char *at = strstr(table[i].id, last); at; at = strstr(at + 1, last))
            if ((at == table[i].id || at[-1] == '_') && (!at[len] || at[len] == '_'))
                return true;
    return false;
}

/* A word of the scene that stands for a thing: overlap, but not covered, ahead or best_k. */
static bool is_telling(const char *word)
{
    size_t len = strlen(word);
    return len > 5 && !strchr(word, '_') && !is_vague(word) && strcmp(word + len - 2, "ed") != 0 &&
           strcmp(word + len - 3, "ing") != 0 && strcmp(word + len - 2, "er") != 0 &&
           strcmp(word + len - 3, "est") != 0;
}

/* The word without the ending that tells an output or a keyword apart: torque_out, lambda_. */
static const char *bare_word(Draft *d, const char *words)
{
    const char *dot = strrchr(words, '.');
    words = dot ? dot + 1 : words;
    size_t len = strcspn(words, "|");
    if (len > 4 && memcmp(words + len - 4, "_out", 4) == 0)
        len -= 4;
    while (len > 1 && words[len - 1] == '_')
        len--;
    return arena_strndup(d->arena, words, len);
}

/* The array that the variable is stored to in the statements from `first` on; NULL: none. */
static const Item *stored_as(Draft *d, const NodeList *list, uint32_t first, uint32_t symbol)
{
    for (uint32_t i = first; i < list->count; i++) {
        const Node *node = list->items[i];
        if (node->kind == NODE_ASSIGN && node->assign.value->kind == NODE_NAME &&
            node->assign.value->fact == symbol + 1 && node->assign.targets.items[0]->kind == NODE_SUBSCRIPT)
            return item_of(d, node->assign.targets.items[0]->subscript.value);
    }
    return NULL;
}

/* What the result is called in the function's name; NULL: no word says what it is. */
const char *noun_for(Draft *d, const NodeList *list, uint32_t first, uint32_t symbol)
{
    const Item *item = stored_as(d, list, first, symbol);
    const char *role = item ? bare_word(d, item->role) : NULL, *own = bare_word(d, d->symbols[symbol].names);
    if (role && is_noun(role))
        return role;
    if (item && *item->part.quantity->unit && is_noun(item->part.quantity->id))
        return item->part.quantity->id;
    return is_noun(own) || is_telling(own) ? own : NULL;
}

/* Is a word of one in the other? compute_flow_and_cos_flow tells nobody what the two are. */
static bool share_a_word(const char *a, const char *b)
{
    for (const char *word = a; *word;) {
        size_t len = strcspn(word, "_");
        for (const char *at = b; *at;) {
            size_t other = strcspn(at, "_");
            if (len == other && memcmp(word, at, len) == 0)
                return true;
            at += other + (at[other] == '_');
        }
        word += len + (word[len] == '_');
    }
    return false;
}

/* Named after what it gives back. */
static const char *function_names(Draft *d, const Range *range)
{
    const char *nouns[MAX_RESULTS] = {0};
    for (uint32_t i = 0; i < range->face.result_count; i++) {
        nouns[i] = noun_for(d, &d->body, range->last + 1, range->face.results[i]);
        for (uint32_t k = 0; k < i && nouns[i]; k++)
            if (share_a_word(nouns[i], nouns[k]))
                return NULL;
        if (!nouns[i])
            return NULL;
    }
    const char *a = nouns[0], *b = nouns[1], *c = nouns[2];
    if (c)
        return arena_format(d->arena, "compute_%s_%s_and_%s|%s_%s_and_%s", a, b, c, a, b, c);
    if (b)
        return arena_format(d->arena, "compute_%s_and_%s|%s_and_%s|eval_%s_and_%s", a, b, a, b, a, b);
    return arena_format(d->arena, "compute_%s|compute_%s|eval_%s|calc_%s", a, a, a, a);
}

void rename_symbol(Node **place, void *user)
{
    Renaming *renaming = user;
    Node *node = *place;
    if (node->kind == NODE_NAME && node->fact) {
        for (uint32_t i = 0; i < renaming->count; i++)
            if (node->fact == renaming->from[i] + 1) {
                node->fact = renaming->to[i] + 1;
                return;
            }
        if (renaming->d->symbols[node->fact - 1].kind == SYMBOL_LOCAL)
            renaming->d->symbols[node->fact - 1].scope = renaming->scope;
    }
    draft_slots(node, rename_symbol, user);
}

Node *annotation_of(Draft *d, Inference *inference, uint32_t symbol)
{
    const Argument *argument = argument_of(d, symbol);
    if (argument && argument->structure) {
        Node *name = draft_name(d, argument->structure->symbol);
        return argument->ndim ? spell_array(d, name, argument->ndim) : name;
    }
    if (argument)
        return spell_annotation(d, argument->type, argument->ndim);
    return inference->types[symbol] ? spell_type(d, inference->types[symbol]) : NULL;
}

static Node *result_node(Draft *d, const uint32_t *symbols, uint32_t count, bool store)
{
    Node *tuple = draft_new(d, NODE_TUPLE);
    for (uint32_t i = 0; i < count; i++) {
        Node *name = draft_name(d, symbols[i]);
        name->name.store = store;
        draft_push(d, &tuple->sequence.elts, name);
    }
    return count == 1 ? tuple->sequence.elts.items[0] : tuple;
}

uint32_t copy_symbol(Draft *d, uint32_t symbol, uint32_t scope)
{
    uint32_t copy = symbol_new(d, SYMBOL_LOCAL, scope, d->symbols[symbol].names);
    d->symbols[copy].copy_of = symbol;
    d->symbols[copy].entity = d->symbols[symbol].entity;
    d->symbols[copy].column = d->symbols[symbol].column;
    d->symbols[copy].components = d->symbols[symbol].components;
    d->symbols[copy].element_of = d->symbols[symbol].element_of;
    d->symbols[copy].column_index = d->symbols[symbol].column_index;
    memcpy(d->symbols[copy].of, d->symbols[symbol].of, sizeof d->symbols[copy].of);
    return copy;
}

static Node *make_function(Draft *d, const Outline *outline, uint32_t symbol, Node **annotations)
{
    const Interface *face = &outline->face;
    Renaming renaming = {.d = d, .scope = d->scope_count++};
    Node *node = draft_new(d, NODE_FUNCTION_DEF), *params = draft_new(d, NODE_ARGUMENTS);
    node->fact = symbol + 1;
    node->function.params = params;
    draft_push(d, &node->function.decorators, draft_wp(d, "func"));
    for (uint32_t i = 0; i < face->free_count; i++) {
        uint32_t copy = copy_symbol(d, face->free[i], renaming.scope);
        renaming.from[renaming.count] = face->free[i];
        renaming.to[renaming.count++] = copy;
        Node *arg = draft_new(d, NODE_ARG);
        arg->fact = copy + 1;
        arg->arg.annotation = annotations[i];
        draft_push(d, &params->arguments.args, arg);
    }
    uint32_t inner[MAX_RESULTS];
    for (uint32_t i = 0; i < face->result_count; i++) {
        inner[i] = copy_symbol(d, face->results[i], renaming.scope);
        renaming.from[renaming.count] = face->results[i];
        renaming.to[renaming.count++] = inner[i];
    }
    for (uint32_t i = 0; i < outline->shared_count; i++) {
        renaming.from[renaming.count] = outline->shared[i];
        renaming.to[renaming.count++] = copy_symbol(d, outline->shared[i], renaming.scope);
    }
    for (uint32_t i = 0; i < outline->count; i++) {
        rename_symbol(&outline->statements[i], &renaming);
        draft_push(d, &node->function.body, outline->statements[i]);
    }
    Node *end = draft_new(d, NODE_RETURN);
    end->ret.value = result_node(d, inner, face->result_count, false);
    draft_push(d, &node->function.body, end);
    return node;
}

Node *outlined_call(Draft *d, const Outline *outline, const char *names)
{
    const Interface *face = &outline->face;
    Inference inference;
    Node *annotations[MAX_FREE], *args[MAX_FREE];
    infer_types(d, &inference);
    for (uint32_t i = 0; i < face->free_count; i++) {
        annotations[i] = annotation_of(d, &inference, face->free[i]);
        if (!annotations[i])
            return NULL;
        args[i] = draft_name(d, face->free[i]);
    }
    for (uint32_t i = 0; i < face->result_count; i++)
        d->symbols[face->results[i]].type = inference.types[face->results[i]];
    uint32_t symbol = symbol_new(d, SYMBOL_FUNCTION, SCOPE_MODULE, names);
    draft_push(d, &d->module, make_function(d, outline, symbol, annotations));
    Node *call = draft_call(d, draft_name(d, symbol), args, face->free_count);
    return draft_assign(d, result_node(d, face->results, face->result_count, true), call);
}

static bool outline_range(Draft *d, const Range *range)
{
    const char *names = function_names(d, range);
    Outline outline = {
        .statements = d->body.items + range->first, .count = range->last - range->first + 1, .face = range->face};
    Node *call = names ? outlined_call(d, &outline, names) : NULL;
    if (!call)
        return false;
    d->body.items[range->first] = call;
    uint32_t removed = range->last - range->first;
    memmove(d->body.items + range->first + 1, d->body.items + range->last + 1,
            sizeof(Node *) * (d->body.count - range->last - 1));
    d->body.count -= removed;
    return true;
}

void outline_functions(Draft *d)
{
    if (!perhaps(d, d->habits.outlines))
        return;
    Limits limits = {perhaps(d, 0.3) ? 9 : 6, perhaps(d, 0.1) ? 3 : perhaps(d, 0.3) ? 2 : 1};
    uint32_t most = perhaps(d, 0.4) ? 2 + d->body.count / 40 : 1;
    for (uint32_t made = 0; made < most && d->body.count; made++) {
        uint32_t start = rng_below(&d->rng, d->body.count), i = 0;
        Sums sums = sums_of(d);
        for (; i < d->body.count; i++) {
            uint32_t last = (start + i) % d->body.count;
            Range range;
            if (last && find_range(d, &sums, &limits, last, &range) && outline_range(d, &range))
                break;
        }
        if (i == d->body.count)
            return;
    }
}
