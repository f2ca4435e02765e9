/* The thread's own element as a variable: p = particles[i], then p.x; tri = faces[i], then tri[0]. */
#include "synth/meaning/draft.h"

typedef struct OwnElement {
    Draft *d;
    uint32_t array; /* the symbol of the array */
    uint32_t local; /* the symbol of the variable; 0: only count */
    uint32_t count; /* how often a part of the element is read */
    bool whole;     /* it is also mentioned as a whole, or stored to */
    const Node *index;
} OwnElement;

static bool is_own_element(const OwnElement *own, const Node *node)
{
    return node->kind == NODE_SUBSCRIPT && node->subscript.value->kind == NODE_NAME &&
           node->subscript.value->fact == own->array + 1 && is_own_index(own->d, node->subscript.slice);
}

/* a[i].x and a[i][k]: the part stays, a[i] becomes the variable. */
static void visit_part(Node **place, void *user)
{
    OwnElement *own = user;
    Node *node = *place;
    Node **base = node->kind == NODE_ATTRIBUTE   ? &node->attribute.value
                  : node->kind == NODE_SUBSCRIPT ? &node->subscript.value
                                                 : NULL;
    if (base && is_own_element(own, *base)) {
        own->count++;
        own->index = (*base)->subscript.slice;
        if (own->local)
            *base = draft_name(own->d, own->local);
        if (node->kind == NODE_SUBSCRIPT)
            visit_part(&node->subscript.slice, user);
        return;
    }
    own->whole |= is_own_element(own, node);
    draft_slots(node, visit_part, user);
}

static bool mentions_part(OwnElement *own, Node *statement)
{
    OwnElement inside = {.d = own->d, .array = own->array};
    visit_part(&statement, &inside);
    return inside.count > 0;
}

static void name_element(Draft *d, uint32_t array, const char *names)
{
    OwnElement own = {.d = d, .array = array};
    for (uint32_t i = 0; i < d->body.count; i++)
        visit_part(&d->body.items[i], &own);
    if (own.count < 2 || own.whole)
        return;
    const Node *index = own.index;
    uint32_t at = 0;
    while (!mentions_part(&own, d->body.items[at]))
        at++;
    own.local = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, names);
    for (uint32_t i = at; i < d->body.count; i++)
        visit_part(&d->body.items[i], &own);
    Node *target = draft_name(d, own.local);
    target->name.store = true;
    NodeList one = {0};
    draft_push(d, &one, draft_assign(d, target, draft_subscript(d, draft_name(d, array), draft_copy(d, index))));
    while (at > 0 && d->body.items[at - 1]->kind == NODE_EXPR && d->body.items[at - 1]->expr.value->kind == NODE_NAME)
        at--; /* comments stay with their statement */
    draft_insert(d, &d->body, at, &one);
}

static const char *one_word(Draft *d, const Entity *entity)
{
    size_t len = 0;
    while (entity->one[len] && entity->one[len] != '|')
        len++;
    char *word = arena_strndup(d->arena, entity->one, len);
    for (char *c = word; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    return arena_format(d->arena, "%s|%s_i|me|this_%s|cur", word, word, word);
}

void name_own_elements(Draft *d)
{
    for (uint32_t i = 0; i < d->struct_count; i++)
        if (d->structs[i].is_array && !d->structs[i].is_output && perhaps(d, d->habits.element_names))
            name_element(d, d->structs[i].holder, one_word(d, own_entity(d)));
    for (uint32_t i = 0; i < d->item_count; i++)
        if (d->items[i].present && d->items[i].form == FORM_VECTOR && d->items[i].part.role == PART_IN &&
            perhaps(d, d->habits.element_names))
            name_element(d, d->items[i].symbol, one_word(d, own_entity(d)));
}
