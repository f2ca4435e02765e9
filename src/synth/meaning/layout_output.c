/* Results that go out together: a struct for each thread, filled in field by field and stored at the end. */
#include "synth/meaning/plan.h"

#include <ctype.h>
#include <string.h>

static bool may_go_out(Draft *d, const Item *item)
{
    return item->present && item->form == FORM_ARGUMENT && item->part.kind == PART_EACH &&
           item->part.role == PART_OUT && is_over_launch(d, &item->part) && only_store(d, item) < d->body.count;
}

static void find_return(Node **place, void *user)
{
    *(bool *)user |= (*place)->kind == NODE_RETURN;
    draft_slots(*place, find_return, user);
}

/* Would a thread that leaves between the first and the last store lose what it has? */
static bool is_left_between(Draft *d, uint32_t first, uint32_t last)
{
    bool found = false;
    for (uint32_t i = first; i < last; i++)
        find_return(&d->body.items[i], &found);
    return found;
}

/* "ContactPoint" of "contact point" */
static const char *class_word(Draft *d, const Entity *entity)
{
    size_t len = strcspn(entity->one, "|");
    char *name = arena_strndup(d->arena, entity->one, len), *to = name;
    for (size_t i = 0; i < len; i++) {
        bool first = !i || entity->one[i - 1] == ' ';
        if (entity->one[i] != ' ')
            *to++ = (char)(first ? toupper((unsigned char)entity->one[i]) : entity->one[i]);
    }
    *to = 0;
    return name;
}

/* As the scene calls it, without the ending that tells a second array from the first; what the plan added is called after its
 * quantity. */
static const char *field_names(Draft *d, const Item *item)
{
    const char *own = plain_role(d, item);
    size_t len = strlen(own);
    if (item->is_second)
        return arena_strndup(d->arena, own, len - 4); /* _new */
    return strcmp(own, "next") == 0 ? item->part.quantity->id : own;
}

static Node *field_of(Draft *d, uint32_t value, uint32_t field)
{
    Node *node = draft_attribute(d, draft_name(d, value), "field");
    node->fact = field + 1;
    return node;
}

static DraftStruct *new_result(Draft *d, const Item *like)
{
    const char *word = class_word(d, own_entity(d));
    DraftStruct *structure = &d->structs[d->struct_count++];
    *structure = (DraftStruct){
        .symbol = symbol_new(d, SYMBOL_STRUCT, SCOPE_MODULE,
                             arena_format(d->arena, "%sResult|%sOutput|Result|Output|%sUpdate", word, word, word)),
        .holder = symbol_new(d, SYMBOL_INPUT, SCOPE_KERNEL, "results|outputs|out|output|result_data"),
        .is_array = true,
        .is_output = true,
        .ndim = like->ndim};
    memcpy(structure->shape, like->shape, sizeof structure->shape);
    return structure;
}

/* result = Result() before the first store, result.x = … for each, results[i] = result behind the last. */
static void fill_result(Draft *d, const DraftStruct *structure, uint32_t first, uint32_t last, Node *index)
{
    uint32_t local = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, "result|res|out_i|r|o");
    Node *target = draft_name(d, local);
    target->name.store = true;
    for (uint32_t i = 0; i < d->item_count; i++) {
        const Item *item = &d->items[i];
        if (item->form == FORM_ELEMENT && &d->structs[item->owner] == structure) {
            Node *store = d->body.items[only_store(d, item)];
            store->assign.targets.items[0] = field_of(d, local, item->field);
        }
    }
    NodeList before = {0}, behind = {0};
    draft_push(d, &before, draft_assign(d, target, draft_call(d, draft_name(d, structure->symbol), NULL, 0)));
    draft_push(d, &behind,
               draft_assign(d, draft_subscript(d, draft_name(d, structure->holder), index), draft_name(d, local)));
    draft_insert(d, &d->body, last + 1, &behind);
    draft_insert(d, &d->body, first, &before);
}

void lay_out_results(Draft *d)
{
    uint32_t first = d->body.count, last = 0, count = 0;
    const Item *like = NULL;
    if (d->struct_count == MAX_DRAFT_STRUCTS || !perhaps(d, 0.3 * d->habits.structures))
        return;
    for (uint32_t i = 0; i < d->item_count; i++) {
        if (!may_go_out(d, &d->items[i]))
            continue;
        uint32_t at = only_store(d, &d->items[i]);
        first = at < first ? at : first;
        last = at > last ? at : last;
        like = &d->items[i];
        count++;
    }
    if (count < 2 || is_left_between(d, first, last))
        return;
    Node *index = draft_copy(d, d->body.items[last]->assign.targets.items[0]->subscript.slice);
    const DraftStruct *structure = new_result(d, like);
    uint32_t scope = d->scope_count++, owner = d->struct_count - 1;
    for (uint32_t i = 0; i < d->item_count; i++) {
        Item *item = &d->items[i];
        if (!may_go_out(d, item))
            continue;
        item->form = FORM_ELEMENT;
        item->owner = owner;
        item->field = symbol_new(d, SYMBOL_FIELD, scope, field_names(d, item));
    }
    fill_result(d, structure, first, last, index);
}
