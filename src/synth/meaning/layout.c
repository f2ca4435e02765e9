/* What the caller passes, and how. */
#include "synth/meaning/draft.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static uint32_t length_of_axis(Draft *d, const Axis *axis)
{
    uint32_t length = axis->entity ? count_of(d, axis->entity, axis->number)->value : axis->extent;
    if (axis->tile) {
        const Item *tile = &d->items[axis->tile - 1];
        length = axis->entity ? length * (uint32_t)tile->value - tile->cut : (uint32_t)tile->value;
    }
    return length + axis->more;
}

static void give_shapes(Draft *d)
{
    for (uint32_t i = 0; i < d->item_count; i++) {
        Item *item = &d->items[i];
        item->type = item->is_bool ? "bool" : item->part.quantity->type;
        item->ndim = item->part.axis_count;
        for (uint32_t k = 0; k < item->ndim; k++) {
            const Axis *axis = &item->part.axes[k];
            item->shape[k] = length_of_axis(d, axis);
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
    return type_is_integer(item->type) ? draft_int(d, (int64_t)item->value) : draft_float(d, item->value);
}

static void make_constant(Draft *d, uint32_t symbol, Node *value)
{
    d->symbols[symbol].kind = SYMBOL_CONSTANT;
    d->symbols[symbol].scope = SCOPE_MODULE;
    d->constants[d->constant_count++] = (DraftConstant){symbol, value, 0};
}

typedef struct LiteralUse {
    uint32_t fact, count;
    bool beside_number, compared; /* in a sum or a product; in a test, which would always come out the same */
} LiteralUse;

static bool is_number(const Node *node)
{
    return node->kind == NODE_CONSTANT ||
           (node->kind == NODE_UNARY_OP && node->unary_op.operand->kind == NODE_CONSTANT);
}

static void look_at_uses(Node **place, void *user)
{
    LiteralUse *use = user;
    Node *node = *place;
    use->count += node->kind == NODE_NAME && node->fact == use->fact;
    if (node->kind == NODE_BIN_OP) {
        const Node *left = node->bin_op.left, *right = node->bin_op.right;
        use->beside_number |=
            (left->fact == use->fact && is_number(right)) || (right->fact == use->fact && is_number(left));
    }
    if (node->kind == NODE_COMPARE) {
        const Node *left = node->compare.left, *right = node->compare.comparators.items[0];
        use->compared |= (left->fact == use->fact && is_number(right)) || (right->fact == use->fact && is_number(left));
    }
    draft_slots(node, look_at_uses, user);
}

static LiteralUse uses_of(Draft *d, const Item *item)
{
    LiteralUse use = {.fact = item->symbol + 1};
    for (uint32_t i = 0; i < d->body.count; i++)
        look_at_uses(&d->body.items[i], &use);
    return use;
}

/* What may differ between two launches of the same program is not written into the kernel. */
static bool differs_between_launches(const Quantity *quantity)
{
    return strcmp(quantity->id, "seed") == 0 || strcmp(quantity->id, "time_step") == 0 ||
           strcmp(quantity->id, "time_value") == 0;
}

static void place_setting(Draft *d, Item *item)
{
    bool integer = strcmp(item->type, "int") == 0, scalar = integer || strcmp(item->type, "float") == 0;
    if (item->turns && d->constant_count < MAX_DRAFT_CONSTANTS) {
        item->value = item->turns;
        item->form = FORM_CONSTANT;
        make_constant(d, item->symbol, number_node(d, item));
        return;
    }
    if (!scalar || item->part.fixed || d->category == CATEGORY_scalar_param ||
        differs_between_launches(item->part.quantity))
        return;
    double draw = rng_unit(&d->rng), span = item->part.high - item->part.low;
    item->value = integer ? round(item->part.low + span * rng_unit(&d->rng))
                          : nice_value(&d->rng, item->part.low == 0 ? 0.05 * span : item->part.low, item->part.high);
    if (draw >= d->habits.constants + d->habits.literals)
        return;
    LiteralUse use = uses_of(d, item);
    if (use.compared)
        return;
    if (draw < d->habits.constants && d->constant_count < MAX_DRAFT_CONSTANTS) {
        item->form = FORM_CONSTANT;
        make_constant(d, item->symbol, number_node(d, item));
    } else if (use.count == 1 && !use.beside_number &&
               item->value >= 0) { /* it stands once, not beside another number */
        item->form = FORM_LITERAL;
        d->symbols[item->symbol].value = number_node(d, item);
    }
}

/* ---- counts ---- */

/* x.shape[0], or x.shape[0] // TILE */
static Node *length_in_tiles(Draft *d, const Axis *axis, Node *length)
{
    return axis->tile ? draft_binary(d, OP_FLOOR_DIV, length, draft_name(d, d->items[axis->tile - 1].symbol)) : length;
}

/* An array whose length says how many there are. */
static Node *length_of(Draft *d, const Count *count)
{
    for (uint32_t i = 0; i < d->item_count; i++) {
        const Item *item = &d->items[i];
        for (uint32_t k = 0; item->present && k < item->ndim && k < item->part.axis_count; k++) {
            const Axis *axis = &item->part.axes[k];
            if (axis->entity != count->entity || axis->number != count->number || axis->more)
                continue;
            if (axis->tile && d->items[axis->tile - 1].cut)
                continue;
            uint32_t symbol = item->form == FORM_ELEMENT ? d->structs[item->owner].holder : item->symbol;
            if (item->form == FORM_SPLIT)
                symbol = item->split[0];
            if (item->form != FORM_FLAT && item->form != FORM_PACKED && item->form != FORM_ROWS)
                return length_in_tiles(
                    d, axis, draft_subscript(d, draft_attribute(d, draft_name(d, symbol), "shape"), draft_int(d, k)));
        }
    }
    return NULL;
}

/* n = x.shape[0], behind wp.tid(). */
static void name_length(Draft *d, const Count *count, Node *length)
{
    Node *target = draft_name(d, count->symbol);
    target->name.store = true;
    d->symbols[count->symbol].kind = SYMBOL_LOCAL;
    uint32_t at = 0;
    while (at < d->body.count && !is_thread_statement(d->body.items[at]))
        at++;
    NodeList one = {0};
    draft_push(d, &one, draft_assign(d, target, length));
    draft_insert(d, &d->body, at < d->body.count ? at + 1 : 0, &one); /* a single thread does not ask for its index */
}

static bool is_grid(const Draft *d, const Entity *entity)
{
    return d->dims > 1 && d->entities[0] == entity && d->entities[1] == entity;
}

/* All axes of a grid alike, and mostly all counts of a kernel. */
static void place_counts(Draft *d)
{
    bool alike = perhaps(d, 0.8);
    double draw = rng_unit(&d->rng);
    for (uint32_t i = 0; i < d->count_count; i++) {
        Count *count = &d->counts[i];
        if (i && !alike && count->entity != d->counts[i - 1].entity)
            draw = rng_unit(&d->rng);
        Node *length = count->symbol ? length_of(d, count) : NULL;
        if (!count->symbol || count->is_field)
            continue;
        if (count->turns && d->constant_count < MAX_DRAFT_CONSTANTS)
            make_constant(d, count->symbol, draft_int(d, count->value));
        else if (length && draw < 0.4 && d->habits.named_lengths)
            name_length(d, count, length);
        else if (length && draw < 0.4)
            d->symbols[count->symbol].value = length;
        else if (draw < 0.5 && d->constant_count < MAX_DRAFT_CONSTANTS)
            make_constant(d, count->symbol, draft_int(d, count->value));
        else if (draw < 0.505 && !is_grid(d, count->entity)) {
            count->is_array = true;
            uint32_t holder = symbol_new(d, SYMBOL_INPUT, SCOPE_KERNEL, d->symbols[count->symbol].names);
            d->symbols[count->symbol].value = draft_subscript(d, draft_name(d, holder), draft_int(d, 0));
            count->owner = holder;
        } else
            count->is_argument = true;
    }
}

/* ---- kinds ---- */

/* Material, of cell_material or materials. */
static const char *class_name(Draft *d, const char *role)
{
    char *name = arena_strndup(d->arena, role, strlen(role));
    bool first = true;
    char *to = name;
    for (const char *c = role; *c; c++) {
        if (*c == '_') {
            first = true;
            continue;
        }
        *to++ = (char)(first ? toupper((unsigned char)*c) : *c);
        first = false;
    }
    *to = 0;
    return name;
}

static void place_members(Draft *d)
{
    for (uint32_t i = 0; i < d->item_count; i++) {
        const Part *part = &d->items[i].part;
        const char *names = d->symbols[d->items[i].symbol].names;
        const char *role = arena_strndup(d->arena, names, strcspn(names, "|"));
        uint32_t class_symbol = 0, symbol = d->items[i].first_member;
        if (part->member_count && d->items[i].present && d->habits.enum_style == 2)
            class_symbol = symbol_new(d, SYMBOL_STRUCT, SCOPE_MODULE, class_name(d, role));
        for (uint32_t k = 0; k < part->member_count; k++, symbol++) {
            if (!d->items[i].present)
                continue;
            if (d->constant_count == MAX_DRAFT_CONSTANTS)
                give_up_draft(d, "more than %d constants", MAX_DRAFT_CONSTANTS);
            if (d->habits.enum_style == 1)
                d->symbols[symbol].names = arena_format(d->arena, "%s_%s", role, d->symbols[symbol].names);
            d->constants[d->constant_count++] = (DraftConstant){symbol, draft_int(d, k), class_symbol};
            if (class_symbol) {
                Node *attribute = draft_attribute(d, draft_name(d, class_symbol), part->members[k]->text);
                d->symbols[symbol].value = attribute;
            }
        }
    }
}

/* ---- the arguments ---- */

static void add_argument(Draft *d, Argument argument)
{
    if (d->argument_count == MAX_ARGUMENTS)
        give_up_draft(d, "more than %d arguments", MAX_ARGUMENTS);
    d->arguments[d->argument_count++] = argument;
}

static void add_item(Draft *d, Item *item)
{
    Argument argument = {.symbol = item->symbol, .type = item->type, .ndim = item->ndim, .item = item};
    memcpy(argument.shape, item->shape, sizeof item->shape);
    if (item->form == FORM_ARGUMENT || item->form == FORM_FLAT || item->form == FORM_VECTOR ||
        item->form == FORM_COLUMNS || item->form == FORM_PACKED || item->form == FORM_ROWS)
        add_argument(d, argument);
    for (uint32_t k = 0; item->form == FORM_SPLIT && k < MAX_SPLIT && item->split[k]; k++) {
        argument.symbol = item->split[k];
        add_argument(d, argument);
    }
}

/* One of the orders in which authors write the parameters of a kernel. */
static int choose_argument_order(Rng *rng)
{
    static const unsigned weights[] = {38, 14, 20, 22, 6};
    return (int)rng_weighted(rng, weights, 5);
}

/* Parameters of a lower rank come first; those of the same rank stay as they came. */
static int argument_rank(bool is_array, bool is_out, int order)
{
    switch (order) {
    case 0: return is_out ? 2 : is_array ? 0 : 1; /* arrays, scalars, outputs */
    case 1: return is_out ? 2 : is_array ? 1 : 0; /* scalars first */
    case 2: return is_out ? 1 : is_array ? 0 : 2; /* scalars last */
    case 3: return is_out ? 1 : 0;                /* as they came, outputs last */
    default: return 0;                            /* as they came */
    }
}

static int rank_of(const Argument *argument, int order)
{
    bool is_array = argument->ndim > 0, is_out = argument->item ? argument->item->part.role != PART_IN
                                                                : argument->structure && argument->structure->is_output;
    return argument_rank(is_array, is_out, order);
}

static void collect_arguments(Draft *d)
{
    for (uint32_t i = 0; i < d->struct_count; i++) {
        const DraftStruct *structure = &d->structs[i];
        Argument argument = {.symbol = structure->holder, .ndim = structure->ndim, .structure = structure};
        memcpy(argument.shape, structure->shape, sizeof argument.shape);
        add_argument(d, argument);
    }
    for (uint32_t i = 0; i < d->item_count; i++)
        if (d->items[i].present)
            add_item(d, &d->items[i]);
    for (uint32_t i = 0; i < d->count_count; i++) {
        const Count *count = &d->counts[i];
        if (count->is_argument)
            add_argument(d, (Argument){.symbol = count->symbol, .type = "int", .count = count});
        if (count->is_array)
            add_argument(d, (Argument){.symbol = count->owner, .type = "int", .ndim = 1, .shape = {1}, .count = count});
    }
    int order = choose_argument_order(&d->rng);
    for (uint32_t i = 1; i < d->argument_count; i++)
        for (uint32_t k = i; k > 0 && rank_of(&d->arguments[k], order) < rank_of(&d->arguments[k - 1], order); k--) {
            Argument swapped = d->arguments[k];
            d->arguments[k] = d->arguments[k - 1];
            d->arguments[k - 1] = swapped;
        }
}

/* ---- what stands for something else ---- */

static void substitute(Node **place, void *user)
{
    Draft *d = user;
    while ((*place)->kind == NODE_NAME && (*place)->fact && d->symbols[(*place)->fact - 1].value)
        *place = draft_copy(d, d->symbols[(*place)->fact - 1].value);
    draft_slots(*place, substitute, d);
}

static void place_tile(Draft *d, Item *item)
{
    Node *length = draft_int(d, (int64_t)item->value);
    item->form = perhaps(d, 0.1) ? FORM_LITERAL : FORM_CONSTANT;
    if (item->form == FORM_CONSTANT)
        make_constant(d, item->symbol, length);
    else
        d->symbols[item->symbol].value = length;
}

/* Arrays of kernels with tiles are passed as they are. */
static void lay_out_tiles(Draft *d)
{
    for (uint32_t i = 0; i < d->item_count; i++)
        if (d->items[i].part.kind == PART_TILE)
            place_tile(d, &d->items[i]);
    place_counts(d);
    for (uint32_t i = 0; i < d->body.count; i++)
        substitute(&d->body.items[i], d);
    collect_arguments(d);
}

void lay_out_data(Draft *d)
{
    give_shapes(d);
    for (uint32_t i = 0; i < d->item_count; i++)
        if (d->items[i].present && d->items[i].part.kind == PART_SETTING)
            place_setting(d, &d->items[i]);
    if (d->scene->is_tiled) {
        lay_out_tiles(d);
        return;
    }
    lay_out_results(d);
    lay_out_structs(d);
    lay_out_tables(d);
    lay_out_grid(d);
    lay_out_vectors(d);
    place_counts(d);
    place_members(d);
    rewrite_access(d);
    for (uint32_t i = 0; i < d->body.count; i++)
        substitute(&d->body.items[i], d);
    name_own_elements(d);
    collect_arguments(d);
}
