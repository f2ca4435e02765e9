/* Tables with a few columns: two axes, one flat array, an array of vectors, or an array for each column. */
#include "synth/meaning/draft.h"

#include <string.h>

typedef struct ColumnUses {
    uint32_t fact;
    bool literal; /* every column is named by a number */
} ColumnUses;

static void look_at_columns(Node **place, void *user)
{
    ColumnUses *uses = user;
    Node *node = *place;
    if (node->kind == NODE_SUBSCRIPT && node->subscript.value->kind == NODE_NAME &&
        node->subscript.value->fact == uses->fact) {
        const Node *slice = node->subscript.slice;
        const Node *last =
            slice->kind == NODE_TUPLE ? slice->sequence.elts.items[slice->sequence.elts.count - 1] : slice;
        uses->literal &= slice->kind == NODE_TUPLE && last->kind == NODE_CONSTANT;
    }
    draft_slots(node, look_at_columns, user);
}

static bool has_literal_columns(Draft *d, uint32_t symbol)
{
    ColumnUses uses = {symbol + 1, true};
    for (uint32_t i = 0; i < d->body.count; i++)
        look_at_columns(&d->body.items[i], &uses);
    return uses.literal;
}

static void make_flat(Item *item, uint32_t extent)
{
    item->form = FORM_FLAT;
    item->ndim--;
    item->shape[item->ndim - 1] *= extent;
}

static void make_vectors(Draft *d, Item *item, uint32_t extent)
{
    item->form = FORM_VECTOR;
    item->ndim--;
    item->type = arena_format(d->arena, strcmp(item->type, "int") == 0 ? "vec%ui" : "vec%u", extent);
}

static void make_columns(Draft *d, Item *item, uint32_t extent)
{
    static const char *const suffixes[][4] = {{"0", "1", "2", "3"}, {"_a", "_b", "_c", "_d"}, {"_i", "_j", "_k", "_l"}};
    uint32_t set = rng_below(&d->rng, 3);
    const char *dot = strrchr(item->role, '.'), *own = dot ? dot + 1 : item->role; /* without the scene's name */
    item->form = FORM_SPLIT;
    item->ndim--;
    for (uint32_t k = 0; k < extent; k++) {
        item->split[k] =
            symbol_new(d, SYMBOL_INPUT, SCOPE_KERNEL, arena_format(d->arena, "%s%s", own, suffixes[set][k]));
    }
}

/* All tables of a kernel that can be are stored the same way: `draw` is below 1. */
static void lay_out_table(Draft *d, Item *item, double draw)
{
    const Part *part = &item->part;
    uint32_t extent = part->axes[part->axis_count - 1].extent;
    bool scalar = strcmp(item->type, "int") == 0 || strcmp(item->type, "float") == 0;
    if (!extent || extent > MAX_SPLIT || extent < 2 || !scalar || !is_only_indexed(d, item->symbol))
        return;
    if (draw < 0.01 && has_literal_columns(d, item->symbol))
        make_columns(d, item, extent);
    else if (draw < 0.15)
        make_flat(item, extent);
    else if (draw < 0.5)
        make_vectors(d, item, extent);
}

void lay_out_tables(Draft *d)
{
    double draw = rng_unit(&d->rng);
    for (uint32_t i = 0; i < d->item_count; i++) {
        Item *item = &d->items[i];
        if (item->present && item->form == FORM_ARGUMENT && item->part.role == PART_IN && item->part.axis_count == 2)
            lay_out_table(d, item, draw);
    }
}
