/* Items that go into structs: settings together, arrays together, or one array of structs. */
#include "synth/meaning/draft.h"

#include <ctype.h>
#include <string.h>

typedef struct IndexedUses {
    uint32_t *all, *indexed; /* by symbol */
    uint32_t *looked_up;     /* indexed by an element of another array */
} IndexedUses;

static bool is_looked_up(const Node *slice)
{
    if (slice->kind != NODE_TUPLE)
        return slice->kind == NODE_SUBSCRIPT;
    for (uint32_t i = 0; i < slice->sequence.elts.count; i++)
        if (slice->sequence.elts.items[i]->kind == NODE_SUBSCRIPT)
            return true;
    return false;
}

static void count_indexed(Node **place, void *user)
{
    const IndexedUses *uses = user;
    Node *node = *place;
    if (node->kind == NODE_NAME && node->fact)
        uses->all[node->fact - 1]++;
    if (node->kind == NODE_SUBSCRIPT && node->subscript.value->kind == NODE_NAME && node->subscript.value->fact) {
        uses->indexed[node->subscript.value->fact - 1]++;
        uses->looked_up[node->subscript.value->fact - 1] += is_looked_up(node->subscript.slice);
    }
    draft_slots(node, count_indexed, user);
}

/* Of all symbols at once. */
static IndexedUses indexed_uses(Draft *d)
{
    IndexedUses uses = {ARENA_ARRAY(d->arena, uint32_t, d->symbol_count),
                        ARENA_ARRAY(d->arena, uint32_t, d->symbol_count),
                        ARENA_ARRAY(d->arena, uint32_t, d->symbol_count)};
    for (uint32_t i = 0; i < d->body.count; i++)
        count_indexed(&d->body.items[i], &uses);
    return uses;
}

bool is_only_indexed(Draft *d, uint32_t symbol)
{
    IndexedUses uses = indexed_uses(d);
    return uses.all[symbol] == uses.indexed[symbol];
}

/* ---- names ---- */

static const char *capitalized(Draft *d, const char *words)
{
    size_t len = strcspn(words, "|");
    char *name = arena_strndup(d->arena, words, len), *to = name;
    bool first = true;
    for (size_t i = 0; i < len; i++) {
        if (words[i] == ' ' || words[i] == '_') {
            first = true;
            continue;
        }
        *to++ = (char)(first ? toupper((unsigned char)words[i]) : words[i]);
        first = false;
    }
    *to = 0;
    return name;
}

/* One or two words make a name, "angular velocity"; more are a description, "speed of a muscle". */
static bool is_a_name(const char *phrase)
{
    const char *blank = strchr(phrase, ' ');
    return !blank || !strchr(blank + 1, ' ');
}

/* What the scene calls an item, without the ending that tells a parameter from a law or a value: force_out, overlap_of. */
const char *plain_role(Draft *d, const Item *item)
{
    const char *dot = strrchr(item->role, '.'), *own = dot ? dot + 1 : item->role, *ending = strrchr(own, '_');
    if (!ending || (strcmp(ending, "_out") != 0 && strcmp(ending, "_of") != 0))
        return own;
    size_t len = (size_t)(ending - own);
    bool reserved = name_find(&d->meaning->reserved, name_hash(own, len), own, len) != NULL;
    return reserved || !len ? own : arena_strndup(d->arena, own, len);
}

/* What a field of this item is called: as the scene has it, or, if that is a letter or an abbreviation, after its quantity. */
static const char *field_names(Draft *d, const Item *item)
{
    const char *own = plain_role(d, item);
    enum { LONGEST_ABBREVIATION = 3 };
    if (strlen(own) > LONGEST_ABBREVIATION || !is_a_name(item->part.quantity->phrase))
        return own;
    uint32_t same = 0;
    for (uint32_t i = 0; i < d->item_count; i++)
        same += d->items[i].present && d->items[i].part.quantity == item->part.quantity;
    if (same > 1 || item->part.kind == PART_INDEX || item->part.kind == PART_KIND)
        return own;
    char *phrase = arena_strndup(d->arena, item->part.quantity->phrase, strlen(item->part.quantity->phrase));
    for (char *c = phrase; *c; c++)
        *c = (char)(isalnum((unsigned char)*c) ? *c : '_');
    return arena_format(d->arena, "%s|%s|%s", own, phrase, phrase);
}

static DraftStruct *new_struct(Draft *d, const char *class_names, const char *holder_names)
{
    DraftStruct *structure = &d->structs[d->struct_count++];
    *structure = (DraftStruct){.symbol = symbol_new(d, SYMBOL_STRUCT, SCOPE_MODULE, class_names),
                               .holder = symbol_new(d, SYMBOL_INPUT, SCOPE_KERNEL, holder_names)};
    return structure;
}

static Node *field_access(Draft *d, Node *value, uint32_t field)
{
    Node *node = draft_attribute(d, value, "field");
    node->fact = field + 1;
    return node;
}

/* ---- settings ---- */

/* Two or three settings are passed one by one, unless the kernel is about structs. */
static bool are_worth_a_struct(Draft *d, uint32_t settings)
{
    return settings > 3 || (settings == 3 && perhaps(d, 0.4)) || (settings == 2 && d->category == CATEGORY_struct);
}

static void pack_settings(Draft *d)
{
    uint32_t settings = 0;
    for (uint32_t i = 0; i < d->item_count; i++)
        settings += d->items[i].present && d->items[i].part.kind == PART_SETTING && d->items[i].form == FORM_ARGUMENT;
    if (!are_worth_a_struct(d, settings) || d->struct_count == MAX_DRAFT_STRUCTS || !perhaps(d, d->habits.structures))
        return;
    DraftStruct *structure = new_struct(d, "Params|Settings|SimParams|Config|Parameters|ModelParams|Options",
                                        "params|settings|sim|config|params|model|options");
    uint32_t scope = d->scope_count++, owner = d->struct_count - 1;
    for (uint32_t i = 0; i < d->item_count; i++) {
        Item *item = &d->items[i];
        if (!item->present || item->part.kind != PART_SETTING || item->form != FORM_ARGUMENT)
            continue;
        item->form = FORM_FIELD;
        item->owner = owner;
        item->field = symbol_new(d, SYMBOL_FIELD, scope, d->symbols[item->symbol].names);
        d->symbols[item->field].of[0] = d->symbols[item->symbol].of[0];
        d->symbols[item->symbol].value = field_access(d, draft_name(d, structure->holder), item->field);
    }
    for (uint32_t i = 0; i < d->count_count; i++) {
        Count *count = &d->counts[i];
        if (!count->symbol || count->turns || !perhaps(d, 0.3))
            continue;
        count->is_field = true;
        count->owner = owner;
        count->field = symbol_new(d, SYMBOL_FIELD, scope, d->symbols[count->symbol].names);
        d->symbols[count->symbol].value = field_access(d, draft_name(d, structure->holder), count->field);
    }
}

/* ---- arrays ---- */

static bool same_axes(const Part *a, const Part *b)
{
    if (a->axis_count != b->axis_count)
        return false;
    for (uint32_t i = 0; i < a->axis_count; i++)
        if (a->axes[i].entity != b->axes[i].entity || a->axes[i].number != b->axes[i].number ||
            a->axes[i].extent != b->axes[i].extent)
            return false;
    return true;
}

static bool may_move(const IndexedUses *uses, const Item *item, bool as_elements)
{
    bool in_place = !as_elements && item->part.role != PART_ADD; /* state.x[i] = … */
    if (as_elements && uses->looked_up[item->symbol])
        return false; /* Warp's code for a[b[i]].x takes the address of b[i] for the index */
    return item->present && item->form == FORM_ARGUMENT && (item->part.role == PART_IN || in_place) &&
           (item->part.kind == PART_EACH || item->part.kind == PART_KIND) && item->part.axis_count &&
           item->part.axes[0].entity && uses->all[item->symbol] == uses->indexed[item->symbol];
}

/* Particle and particles, or ParticleData and state. */
static DraftStruct *new_array_struct(Draft *d, const Entity *entity, bool as_elements)
{
    const char *one = capitalized(d, entity->one);
    char *word = arena_strndup(d->arena, entity->one, strcspn(entity->one, "|"));
    for (char *c = word; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    const char *many = entity_plural(d->arena, word);
    if (as_elements)
        return new_struct(d, arena_format(d->arena, "%s|%s|%sData|%sState", one, one, one, one),
                          arena_format(d->arena, "%s|%s|%s_data|%s_in", many, many, word, many));
    return new_struct(d, arena_format(d->arena, "%sData|%sArrays|%sState|%sBuffers", one, one, one, one),
                      arena_format(d->arena, "state|%s|%s_data|data|model", many, word));
}

/* Inputs over the same things: an array of structs, or a struct of arrays. */
static void pack_arrays(Draft *d, bool as_elements)
{
    uint32_t first = d->item_count, count = 0;
    if (d->struct_count == MAX_DRAFT_STRUCTS || !perhaps(d, d->habits.structures))
        return;
    IndexedUses uses = indexed_uses(d);
    for (uint32_t i = 0; i < d->item_count; i++) {
        if (!may_move(&uses, &d->items[i], as_elements))
            continue;
        if (first == d->item_count)
            first = i;
        count += same_axes(&d->items[first].part, &d->items[i].part);
    }
    if (count < 2)
        return;
    DraftStruct *structure = new_array_struct(d, entity_of_elements(d, &d->items[first]), as_elements);
    structure->is_array = as_elements;
    structure->ndim = as_elements ? d->items[first].ndim : 0;
    memcpy(structure->shape, d->items[first].shape, sizeof structure->shape);
    uint32_t scope = d->scope_count++, owner = d->struct_count - 1;
    Part like = d->items[first].part;
    for (uint32_t i = first; i < d->item_count; i++) {
        Item *item = &d->items[i];
        if (!may_move(&uses, item, as_elements) || !same_axes(&like, &item->part))
            continue;
        item->form = as_elements ? FORM_ELEMENT : FORM_FIELD;
        item->owner = owner;
        item->field =
            symbol_new(d, SYMBOL_FIELD, scope, as_elements ? field_names(d, item) : d->symbols[item->symbol].names);
        d->symbols[item->field].of[0] = d->symbols[item->symbol].of[0];
        if (!as_elements)
            d->symbols[item->symbol].value = field_access(d, draft_name(d, structure->holder), item->field);
    }
}

void lay_out_structs(Draft *d)
{
    pack_settings(d);
    pack_arrays(d, perhaps(d, 0.7));
}

/* ---- a[i] where a is in a struct or a table ---- */

static Node *last_index(Node *slice)
{
    return slice->sequence.elts.items[slice->sequence.elts.count - 1];
}

/* The index without its last part. */
static Node *leading_index(Draft *d, Node *slice)
{
    (void)d;
    if (slice->sequence.elts.count == 2)
        return slice->sequence.elts.items[0];
    slice->sequence.elts.count--;
    return slice;
}

static Node *flat_index(Draft *d, Node *slice, uint32_t extent)
{
    Node *last = last_index(slice), *row = leading_index(d, slice);
    Node *from = d->salt & 1 ? draft_binary(d, OP_MULT, draft_int(d, extent), row)
                             : draft_binary(d, OP_MULT, row, draft_int(d, extent));
    if (last->kind == NODE_CONSTANT && constant_integer(last) == 0)
        return from;
    return draft_binary(d, OP_ADD, from, last);
}

static void access_item(Draft *d, Node **place, const Item *item)
{
    Node *node = *place, *slice = node->subscript.slice;
    switch (item->form) {
    case FORM_ELEMENT:
        *place = field_access(d, draft_subscript(d, draft_name(d, d->structs[item->owner].holder), slice), item->field);
        break;
    case FORM_FLAT:
        node->subscript.slice = flat_index(d, slice, item->part.axes[item->part.axis_count - 1].extent);
        break;
    case FORM_VECTOR: {
        Node *last = last_index(slice);
        *place = draft_subscript(d, draft_subscript(d, node->subscript.value, leading_index(d, slice)), last);
        break;
    }
    case FORM_SPLIT: {
        uint32_t k = (uint32_t)constant_integer(last_index(slice));
        *place = draft_subscript(d, draft_name(d, item->split[k]), leading_index(d, slice));
        break;
    }
    default: break;
    }
}

static void rewrite_slot(Node **place, void *user)
{
    Draft *d = user;
    Node *node = *place;
    draft_slots(node, rewrite_slot, d);
    Item *item = node->kind == NODE_SUBSCRIPT ? item_of(d, node->subscript.value) : NULL;
    if (item)
        access_item(d, place, item);
}

void rewrite_access(Draft *d)
{
    for (uint32_t i = 0; i < d->body.count; i++)
        rewrite_slot(&d->body.items[i], d);
}
