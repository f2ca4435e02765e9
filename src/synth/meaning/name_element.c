/* What an element of an array is called: after the array and the index, mass = masses[i], x1 = x[v1], pos_j = pos[j]. */
#include "synth/meaning/draft.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WORD = 48 };

static const char *after_dot(const char *role)
{
    const char *dot = strrchr(role, '.');
    return dot ? dot + 1 : role;
}

/* The symbol that has the name of an item. */
static const Symbol *symbol_of_item(const Draft *d, const Item *item)
{
    uint32_t first = 0; /* of an item in several arrays, the first that is used */
    while (item->form == FORM_SPLIT && first + 1 < MAX_SPLIT && item->split[first + 1] &&
           !d->symbols[item->split[first]].uses)
        first++;
    return &d->symbols[item->field ? item->field : item->form == FORM_SPLIT ? item->split[first] : item->symbol];
}

const char *name_of_item(const Draft *d, const Item *item)
{
    const Symbol *symbol = symbol_of_item(d, item);
    return symbol->name ? symbol->name->text : after_dot(item->role);
}

const char *drawn_name_of_item(const Draft *d, const Item *item)
{
    const Symbol *symbol = symbol_of_item(d, item);
    return symbol->drawn ? symbol->drawn : name_of_item(d, item);
}

const char *core_of_item(const Draft *d, const Item *item)
{
    const Symbol *symbol = symbol_of_item(d, item);
    return symbol->core ? symbol->core : name_of_item(d, item);
}

/* The index that tells two elements of the array apart; 0: the thread's own, or one that has no name. */
static uint32_t telling_index(const Draft *d, const Node *index)
{
    if (index->kind == NODE_NAME)
        return index->fact && index->fact != d->tid[0] + 1 ? index->fact - 1 : 0;
    uint32_t found = 0;
    for (uint32_t i = 0; index->kind == NODE_TUPLE && i < index->sequence.elts.count; i++) {
        const Node *one = index->sequence.elts.items[i];
        bool own = one->kind == NODE_NAME && one->fact == d->tid[i < MAX_DIMS ? i : 0] + 1;
        if (one->kind == NODE_NAME && one->fact && !own)
            found = one->fact - 1;
    }
    return found;
}

/* The number at the end of (i, 2), and one; 0: there is none. */
static uint32_t constant_index(const Node *index)
{
    const Node *last = index->kind == NODE_TUPLE ? index->sequence.elts.items[index->sequence.elts.count - 1] : index;
    return last->kind == NODE_CONSTANT ? (uint32_t)constant_integer(last) + 1 : 0;
}

uint32_t element_symbol(Draft *d, const Item *item, const Node *index)
{
    uint32_t symbol = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, item->part.quantity->locals);
    d->symbols[symbol].entity = item->part.target ? item->part.target : entity_of_elements(d, item);
    d->symbols[symbol].element_of = item->symbol;
    d->symbols[symbol].of[0] = telling_index(d, index);
    d->symbols[symbol].column_index = constant_index(index);
    return symbol;
}

static bool ends_in(const char *word, const char *end)
{
    size_t len = strlen(word), tail = strlen(end);
    return len > tail && strcmp(word + len - tail, end) == 0;
}

static void cut(char *word, size_t tail)
{
    word[strlen(word) - tail] = 0;
}

/* masses: mass, velocities: velocity, vertices: vertex; state_in: state. The word stays if it is no plural. */
static void make_singular(char *word)
{
    if (ends_in(word, "_in"))
        cut(word, 3);
    const char *bar = strrchr(word, '_');
    if (strlen(bar ? bar + 1 : word) < 4 || ends_in(word, "ss") || ends_in(word, "us") || ends_in(word, "is") ||
        ends_in(word, "bias") || ends_in(word, "series") || ends_in(word, "lens"))
        return;
    if (ends_in(word, "radii"))
        memcpy(word + strlen(word) - 1, "us", 3);
    else if (ends_in(word, "vertices"))
        memcpy(word + strlen(word) - 4, "ex", 3);
    else if (ends_in(word, "indices"))
        memcpy(word + strlen(word) - 4, "ex", 3);
    else if (ends_in(word, "matrices"))
        memcpy(word + strlen(word) - 3, "x", 2);
    else if (ends_in(word, "momenta"))
        memcpy(word + strlen(word) - 1, "um", 3);
    else if (ends_in(word, "axes"))
        memcpy(word + strlen(word) - 2, "is", 3);
    else if (ends_in(word, "ies"))
        memcpy(word + strlen(word) - 3, "y", 2);
    else if (ends_in(word, "sses") || ends_in(word, "xes") || ends_in(word, "ches") || ends_in(word, "shes"))
        cut(word, 2);
    else if (ends_in(word, "s"))
        cut(word, 1);
}

/* vertex_inv_mass of vertices: inv_mass. */
static const char *without_entity(const char *name, const Entity *entity)
{
    size_t len = entity ? strcspn(entity->one, "|") : 0;
    return len && strncmp(name, entity->one, len) == 0 && name[len] == '_' && strlen(name + len) > 2 ? name + len + 1
                                                                                                     : name;
}

/* Is it the only one of its quantity? Then the quantity says which it is. */
static bool is_only_one(const Draft *d, const Item *item)
{
    for (uint32_t i = 0; i < d->item_count; i++)
        if (&d->items[i] != item && d->items[i].present && d->items[i].part.quantity == item->part.quantity)
            return false;
    return item->part.kind == PART_EACH;
}

/* What the plan made is called after its quantity; what a scene calls otherwise says more than that. */
static bool is_called_after_quantity(const Item *item)
{
    return strchr(item->role, '.') || is_word_of_quantity(item->part.quantity, item->role);
}

const char *value_names(Draft *d, const Item *item)
{
    const char *end = strrchr(item->role, '_');
    if (is_called_after_quantity(item))
        return item->part.quantity->locals;
    bool has_way = end && (strcmp(end, "_out") == 0 || strcmp(end, "_in") == 0);
    return has_way ? arena_strndup(d->arena, item->role, (size_t)(end - item->role)) : item->role;
}

/* Where the author has a word for it, or turns to one: 0 if there is none. */
static size_t quantity_word(Draft *d, const Item *item, char *out, size_t room)
{
    size_t len;
    if (!is_only_one(d, item) || !is_called_after_quantity(item))
        return 0;
    const char *word = rng_word(&d->rng, item->part.quantity->locals, &len);
    return memchr(word, '@', len) ? 0 : (size_t)snprintf(out, room, "%.*s", (int)len, word);
}

/* rest_length: rl, or r */
static void initials(const char *words, bool only_one, char out[WORD])
{
    size_t used = 0;
    for (const char *c = words; *c && used + 1 < WORD && (!only_one || !used); c++)
        if (isalpha((unsigned char)*c) && (c == words || c[-1] == '_'))
            out[used++] = *c;
    out[used] = 0;
}

/* `is_own_word`: one differs from what the array is called. 0: this way has no name for it. */
static size_t styled_element(Draft *d, const Item *item, const char *one, bool is_own_word, ElementStyle how, char *out,
                             size_t room)
{
    Name thread = d->symbols[d->tid[0]].name;
    char index = thread && thread->len == 1 ? thread->text[0] : 'i', first[WORD];
    size_t len = strlen(one);
    switch (how) {
    case ELEMENT_CORE: return is_own_word ? (size_t)snprintf(out, room, "%s", one) : 0;
    case ELEMENT_WORD: return quantity_word(d, item, out, room);
    case ELEMENT_INITIAL:
        initials(one, false, first);
        return len < 3 || strchr("ijknmlo", *first) ? 0 : (size_t)snprintf(out, room, "%s", first);
    case ELEMENT_GLUED:
        initials(one, len > 2, first);
        return (size_t)snprintf(out, room, "%s%c", len > 2 ? first : one, index);
    case ELEMENT_MINE: return (size_t)snprintf(out, room, "%s_%s", d->style.mine, one);
    case ELEMENT_ENDING: return (size_t)snprintf(out, room, "%s%s", one, d->style.ending);
    default: return (size_t)snprintf(out, room, len > 1 ? "%s_%c" : "%s%c", one, index);
    }
}

/* The thread's own element: mass of masses, my_x of x, in the author's way or another one. */
static size_t own_element(Draft *d, const Item *item, const char *one, bool plural, uint32_t turn, char *out,
                          size_t room)
{
    static const ElementStyle others[] = {ELEMENT_CORE,  ELEMENT_WORD,   ELEMENT_MINE,
                                          ELEMENT_GLUED, ELEMENT_ENDING, ELEMENT_INDEX};
    const char *bare = without_entity(one, entity_of_elements(d, item));
    bool is_own_word = plural || bare != one || strcmp(one, name_of_item(d, item)) != 0;
    uint32_t names = 0;
    size_t len = styled_element(d, item, bare, is_own_word, d->style.element, out, room);
    if (len && names++ == turn)
        return len;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        /* How one turns from a letter is chosen once for each array. */
        size_t at = i < 2 ? i : 2 + (i + d->salt + (strlen(one) == 1)) % 4;
        len = others[at] == d->style.element ? 0 : styled_element(d, item, bare, is_own_word, others[at], out, room);
        if (len && names++ == turn)
            return len;
    }
    return styled_element(d, item, bare, is_own_word, ELEMENT_INDEX, out, room);
}

size_t element_name(Draft *d, const Symbol *symbol, uint32_t turn, char *out, size_t room)
{
    const Item *item = NULL;
    for (uint32_t i = 0; i < d->item_count; i++)
        if (d->items[i].symbol == symbol->element_of)
            item = &d->items[i];
    char one[WORD];
    snprintf(one, sizeof one, "%s", core_of_item(d, item));
    make_singular(one);
    bool plural = strcmp(one, core_of_item(d, item)) != 0;
    if (item->part.target && symbol->entity) {
        snprintf(one, sizeof one, "%.*s", (int)strcspn(symbol->entity->one, "|"), symbol->entity->one);
        for (char *c = one; *c; c++)
            *c = *c == ' ' ? '_' : *c;
        plural = true;
    }
    if (symbol->column_index)
        return (size_t)snprintf(out, room, turn % 2 ? "%s_%u" : "%s%u", one, symbol->column_index - 1);
    const char *index = symbol->of[0] && d->symbols[symbol->of[0]].name ? d->symbols[symbol->of[0]].name->text : NULL;
    if (!index)
        return own_element(d, item, one, plural, turn, out, room);
    const char *word = turn < 2 ? without_entity(one, symbol->entity) : one;
    size_t len = strlen(index);
    if (len == 2 && isdigit((unsigned char)index[1])) /* x[v1] */
        return (size_t)snprintf(out, room, turn % 2 ? "%s_%s" : "%s%s", word, turn % 2 ? index : index + 1);
    if (len == 1 && strlen(word) == 1 && turn == 0)
        return (size_t)snprintf(out, room, "%s%s", word, index);
    bool index_first = len > 4 && turn % 2;
    return (size_t)snprintf(out, room, "%s_%s", index_first ? index : word, index_first ? word : index);
}
