/* What the caller passes, and how. */
#include "synth/meaning/draft.h"

#include <math.h>
#include <string.h>

static void give_shapes(Draft *d)
{
    for (uint32_t i = 0; i < d->item_count; i++) {
        Item *item = &d->items[i];
        for (uint32_t k = 0; k < item->part.axis_count; k++) {
            const Axis *axis = &item->part.axes[k];
            item->shape[k] = axis->entity ? count_of(d, axis->entity, axis->number)->value + axis->more : axis->extent;
        }
        if (item->part.kind == PART_INDEX)
            item->part.high = count_of(d, item->part.target, 0)->value - 1.0;
        if (item->part.kind == PART_OFFSETS)
            item->part.high = count_of(d, item->part.target, 0)->value;
    }
}

/* ---- settings ---- */

static Node *number_node(Draft *d, const Item *item)
{
    return type_is_integer(item->part.quantity->type) ? draft_int(d, (int64_t)item->value)
                                                      : draft_float(d, item->value);
}

static void make_constant(Draft *d, Item *item)
{
    item->form = FORM_CONSTANT;
    Symbol *symbol = &d->symbols[item->symbol];
    symbol->kind = SYMBOL_CONSTANT;
    symbol->scope = SCOPE_MODULE;
    d->constants[d->constant_count++] = (DraftConstant){item->symbol, number_node(d, item)};
}

static void place_setting(Draft *d, Item *item)
{
    const char *type = item->part.quantity->type;
    bool scalar = strcmp(type, "float") == 0 || strcmp(type, "int") == 0;
    if (!scalar || item->part.fixed || d->category == CATEGORY_scalar_param)
        return;
    double draw = rng_unit(&d->rng);
    item->value = strcmp(type, "int") == 0
                      ? round(item->part.low + (item->part.high - item->part.low) * rng_unit(&d->rng))
                      : nice_value(&d->rng, item->part.low, item->part.high);
    if (draw < d->habits.constants && d->constant_count < MAX_DRAFT_CONSTANTS)
        make_constant(d, item);
    else if (draw < d->habits.constants + d->habits.literals) {
        item->form = FORM_LITERAL;
        d->symbols[item->symbol].value = number_node(d, item);
    }
}

/* ---- counts ---- */

/* An array whose length says how many there are. */
static const Item *array_over(const Draft *d, const Count *count, uint32_t *axis)
{
    for (uint32_t i = 0; i < d->item_count; i++) {
        const Item *item = &d->items[i];
        for (uint32_t k = 0; item->present && item->form == FORM_ARGUMENT && k < item->part.axis_count; k++)
            if (item->part.axes[k].entity == count->entity && item->part.axes[k].number == count->number &&
                !item->part.axes[k].more) {
                *axis = k;
                return item;
            }
    }
    return NULL;
}

static void place_count(Draft *d, Count *count)
{
    uint32_t axis;
    const Item *array = array_over(d, count, &axis);
    double draw = rng_unit(&d->rng);
    if (!count->symbol)
        return;
    if (array && draw < 0.4) {
        Node *shape = draft_attribute(d, draft_name(d, array->symbol), "shape");
        d->symbols[count->symbol].value = draft_subscript(d, shape, draft_int(d, axis));
    } else if (draw < 0.5 && d->constant_count < MAX_DRAFT_CONSTANTS) {
        Symbol *symbol = &d->symbols[count->symbol];
        symbol->kind = SYMBOL_CONSTANT;
        symbol->scope = SCOPE_MODULE;
        d->constants[d->constant_count++] = (DraftConstant){count->symbol, draft_int(d, count->value)};
    } else
        count->is_argument = true;
}

/* ---- kinds ---- */

static void place_members(Draft *d)
{
    uint32_t symbol = d->items[0].symbol + d->scene->part_count;
    for (uint32_t i = 0; i < d->scene->part_count; i++)
        for (uint32_t k = 0; k < d->scene->parts[i].member_count; k++, symbol++)
            if (d->items[i].present && d->constant_count < MAX_DRAFT_CONSTANTS)
                d->constants[d->constant_count++] = (DraftConstant){symbol, draft_int(d, k)};
}

/* ---- what stands for something else ---- */

static void substitute(Node **place, void *user)
{
    Draft *d = user;
    if ((*place)->kind == NODE_NAME && (*place)->fact && d->symbols[(*place)->fact - 1].value)
        *place = draft_copy(d, d->symbols[(*place)->fact - 1].value);
    draft_slots(*place, substitute, d);
}

void lay_out_data(Draft *d)
{
    give_shapes(d);
    for (uint32_t i = 0; i < d->item_count; i++)
        if (d->items[i].present && d->items[i].part.kind == PART_SETTING)
            place_setting(d, &d->items[i]);
    for (uint32_t i = 0; i < d->count_count; i++)
        place_count(d, &d->counts[i]);
    place_members(d);
    for (uint32_t i = 0; i < d->body.count; i++)
        substitute(&d->body.items[i], d);
}
