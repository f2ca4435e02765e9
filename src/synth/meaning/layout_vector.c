/* Vectors whose components are stored one by one: columns of a table, runs of a flat array, or an array for each. */
#include "synth/meaning/draft.h"

#include <string.h>

/* ---- which arrays ---- */

/* The components of an array of vectors; 0: its elements are something else. */
static uint32_t vector_width(const Item *item)
{
    bool plain = item->present && item->form == FORM_ARGUMENT && item->part.kind == PART_EACH && item->part.axis_count;
    if (!plain || strncmp(item->type, "vec", 3) != 0 || item->type[3] < '2' || item->type[3] > '4' || item->type[4])
        return 0;
    return (uint32_t)(item->type[3] - '0');
}

/* May it be written several times? */
static bool is_plain_index(const Node *node)
{
    switch (node->kind) {
    case NODE_NAME:
    case NODE_CONSTANT: return true;
    case NODE_UNARY_OP: return is_plain_index(node->unary_op.operand);
    case NODE_BIN_OP:
        return (node->bin_op.op == OP_ADD || node->bin_op.op == OP_SUB) && is_plain_index(node->bin_op.left) &&
               node->bin_op.right->kind == NODE_CONSTANT;
    case NODE_TUPLE:
        for (uint32_t i = 0; i < node->sequence.elts.count; i++)
            if (!is_plain_index(node->sequence.elts.items[i]))
                return false;
        return true;
    default: return false;
    }
}

static bool is_element(const Node *node, uint32_t symbol)
{
    return node->kind == NODE_SUBSCRIPT && node->subscript.value->kind == NODE_NAME &&
           node->subscript.value->fact == symbol + 1;
}

/* wp.atomic_add(f, i, v) as a statement */
static bool is_atomic_update(const Node *node, uint32_t symbol)
{
    const Node *call = node->kind == NODE_EXPR ? node->expr.value : NULL;
    if (!call || call->kind != NODE_CALL || call->call.func->kind != NODE_ATTRIBUTE || call->call.args.count < 3)
        return false;
    const char *name = call->call.func->attribute.attr->text;
    return (strcmp(name, "atomic_add") == 0 || strcmp(name, "atomic_sub") == 0) &&
           call->call.args.items[0]->kind == NODE_NAME && call->call.args.items[0]->fact == symbol + 1;
}

/* x[i][0] = a: there is no vector to take apart */
static bool is_component_store(const Node *node, uint32_t symbol)
{
    const Node *target = node->kind == NODE_ASSIGN ? node->assign.targets.items[0] : NULL;
    return target && target->kind == NODE_SUBSCRIPT && is_element(target->subscript.value, symbol);
}

typedef struct Mentions {
    uint32_t symbol, all, elements;
    bool repeatable; /* every index may be written several times, and every read done beforehand */
    bool conditional;
} Mentions;

static void look_at_mentions(Node **place, void *user)
{
    Mentions *mentions = user;
    Node *node = *place;
    bool conditional = mentions->conditional;
    mentions->all += node->kind == NODE_NAME && node->fact == mentions->symbol + 1;
    if (is_element(node, mentions->symbol)) {
        mentions->elements++;
        mentions->repeatable &= is_plain_index(node->subscript.slice) && !conditional;
    }
    if (is_component_store(node, mentions->symbol))
        mentions->repeatable = false;
    if (is_atomic_update(node, mentions->symbol)) {
        mentions->elements++;
        for (uint32_t i = 1; i + 1 < node->expr.value->call.args.count; i++)
            mentions->repeatable &= is_plain_index(node->expr.value->call.args.items[i]);
    }
    if (node->kind == NODE_WHILE) {
        mentions->conditional = true;
        look_at_mentions(&node->while_loop.test, user);
        mentions->conditional = conditional;
    }
    mentions->conditional |= node->kind == NODE_IF_EXP || node->kind == NODE_BOOL_OP;
    draft_slots(node, look_at_mentions, user);
    mentions->conditional = conditional;
}

static bool may_be_taken_apart(Draft *d, const Item *item)
{
    Mentions mentions = {.symbol = item->symbol, .repeatable = true};
    for (uint32_t i = 0; i < d->body.count; i++)
        look_at_mentions(&d->body.items[i], &mentions);
    return mentions.repeatable && mentions.elements >= mentions.all;
}

/* ---- one component ---- */

static Node *times(Draft *d, uint32_t width, Node *index)
{
    return d->salt & 1 ? draft_binary(d, OP_MULT, draft_int(d, width), index)
                       : draft_binary(d, OP_MULT, index, draft_int(d, width));
}

/* 3 * i; the thread's own may have a name: base = 3 * i. */
static Node *row_start(Draft *d, const Item *item, Node *index)
{
    bool own = d->dims == 1 && index->kind == NODE_NAME && index->fact == d->tid[0] + 1;
    if (!own || item->width != 3 || !(d->salt & 2))
        return times(d, item->width, index);
    if (!d->row_start)
        d->row_start = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, "base|offset|row|start|b3|first");
    return draft_name(d, d->row_start);
}

/* The index of component k: (i, k), 3 * i + k, or i itself. */
static Node *component_index(Draft *d, const Item *item, const Node *index, uint32_t k)
{
    Node *copy = draft_copy(d, index);
    if (item->form == FORM_SPLIT)
        return copy;
    if (item->form == FORM_PACKED) {
        Node *first = row_start(d, item, copy);
        return k ? draft_binary(d, OP_ADD, first, draft_int(d, k)) : first;
    }
    Node *tuple = draft_new(d, NODE_TUPLE);
    if (copy->kind == NODE_TUPLE)
        draft_insert(d, &tuple->sequence.elts, 0, &copy->sequence.elts);
    else
        draft_push(d, &tuple->sequence.elts, copy);
    draft_push(d, &tuple->sequence.elts, draft_int(d, k));
    return tuple;
}

static Node *component_array(Draft *d, const Item *item, uint32_t k)
{
    return draft_name(d, item->form == FORM_SPLIT ? item->split[k] : item->symbol);
}

static Node *component_element(Draft *d, const Item *item, const Node *index, uint32_t k)
{
    return draft_subscript(d, component_array(d, item, k), component_index(d, item, index, k));
}

/* ---- reads ---- */

enum { MAX_READ = 8 };

typedef struct Reader {
    Draft *d;
    const Item *item;
    NodeList before;
    bool whole;                  /* the value of an assignment itself */
    const Node *index[MAX_READ]; /* what was read before, in this list, and its name */
    uint32_t symbol[MAX_READ], count;
} Reader;

/* The thread's own index is the same everywhere. */
static bool is_same_index(const Draft *d, const Node *a, const Node *b)
{
    return a->kind == NODE_NAME && b->kind == NODE_NAME && a->fact == d->tid[0] + 1 && b->fact == a->fact;
}

static Node *all_components(Draft *d, const Item *item, const Node *index)
{
    Node *parts[4];
    for (uint32_t k = 0; k < item->width; k++)
        parts[k] = component_element(d, item, index, k);
    return draft_call(d, draft_wp(d, item->type), parts, item->width);
}

/* The vector gets a name before the statement; a single component is read where it stands. */
static void read_slot(Node **place, void *user)
{
    Reader *reader = user;
    Draft *d = reader->d;
    Node *node = *place;
    if (node->kind == NODE_SUBSCRIPT && is_element(node->subscript.value, reader->item->symbol) &&
        node->subscript.slice->kind == NODE_CONSTANT) {
        *place = component_element(d, reader->item, node->subscript.value->subscript.slice,
                                   (uint32_t)constant_integer(node->subscript.slice));
        return;
    }
    if (!is_element(node, reader->item->symbol)) {
        if (!is_statement(node))
            draft_slots(node, read_slot, user);
        return;
    }
    Node *vector = all_components(d, reader->item, node->subscript.slice);
    if (reader->whole) {
        *place = vector;
        return;
    }
    for (uint32_t i = 0; i < reader->count && reader->item->part.role == PART_IN; i++)
        if (is_same_index(d, reader->index[i], node->subscript.slice)) {
            *place = draft_name(d, reader->symbol[i]);
            return;
        }
    uint32_t symbol = element_symbol(d, reader->item, node->subscript.slice);
    d->symbols[symbol].components = reader->item->width;
    Node *target = draft_name(d, symbol);
    target->name.store = true;
    draft_push(d, &reader->before, draft_assign(d, target, vector));
    *place = draft_name(d, symbol);
    if (reader->count < MAX_READ) {
        reader->index[reader->count] = node->subscript.slice;
        reader->symbol[reader->count++] = symbol;
    }
}

static void read_statement(Reader *reader, Node *node)
{
    switch (node->kind) {
    case NODE_IF: read_slot(&node->if_stmt.test, reader); break;
    case NODE_FOR: read_slot(&node->for_loop.iter, reader); break;
    case NODE_WHILE: break;
    case NODE_ASSIGN:
        reader->whole =
            node->assign.targets.items[0]->kind == NODE_NAME && is_element(node->assign.value, reader->item->symbol);
        read_slot(&node->assign.value, reader);
        break;
    case NODE_AUG_ASSIGN: read_slot(&node->aug_assign.value, reader); break;
    default: draft_slots(node, read_slot, reader); break;
    }
}

/* ---- writes ---- */

static const char *own_name(const Item *item)
{
    const char *dot = strrchr(item->role, '.');
    return dot ? dot + 1 : item->role;
}

/* The value as something whose components can be named; it may need a statement before. */
static Node *nameable(Draft *d, const Item *item, Node *value, NodeList *out)
{
    bool built = value->kind == NODE_CALL && value->call.args.count == item->width &&
                 value->call.func->kind == NODE_ATTRIBUTE && name_is(value->call.func->attribute.attr, item->type);
    if (built || value->kind == NODE_NAME)
        return value;
    uint32_t symbol =
        symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL,
                   arena_format(d->arena, "%s_new|%s_value|new_%s", own_name(item), own_name(item), own_name(item)));
    d->symbols[symbol].components = item->width;
    Node *target = draft_name(d, symbol);
    target->name.store = true;
    draft_push(d, out, draft_assign(d, target, value));
    return draft_name(d, symbol);
}

static Node *component_of(Draft *d, const Node *value, uint32_t k)
{
    return value->kind == NODE_CALL ? value->call.args.items[k]
                                    : draft_subscript(d, draft_copy(d, value), draft_int(d, k));
}

static void write_assignment(Draft *d, const Item *item, const Node *node, NodeList *out)
{
    const Node *target = node->assign.targets.items[0];
    Node *value = nameable(d, item, node->assign.value, out);
    for (uint32_t k = 0; k < item->width; k++)
        draft_push(d, out,
                   draft_assign(d, component_element(d, item, target->subscript.slice, k), component_of(d, value, k)));
}

static void write_update(Draft *d, const Item *item, const Node *node, NodeList *out)
{
    Node *value = nameable(d, item, node->aug_assign.value, out);
    for (uint32_t k = 0; k < item->width; k++) {
        Node *update = draft_new(d, NODE_AUG_ASSIGN);
        update->aug_assign.op = node->aug_assign.op;
        update->aug_assign.target = component_element(d, item, node->aug_assign.target->subscript.slice, k);
        update->aug_assign.value = component_of(d, value, k);
        draft_push(d, out, update);
    }
}

static void write_atomics(Draft *d, const Item *item, const Node *node, NodeList *out)
{
    const Node *call = node->expr.value;
    uint32_t last = call->call.args.count - 1;
    Node *value = nameable(d, item, call->call.args.items[last], out), *index = draft_new(d, NODE_TUPLE);
    for (uint32_t i = 1; i < last; i++)
        draft_push(d, &index->sequence.elts, call->call.args.items[i]);
    if (index->sequence.elts.count == 1)
        index = index->sequence.elts.items[0];
    for (uint32_t k = 0; k < item->width; k++) {
        Node *at = component_index(d, item, index, k), *array = component_array(d, item, k);
        Node *one = draft_call(d, call->call.func, &array, 1);
        if (at->kind == NODE_TUPLE)
            draft_insert(d, &one->call.args, 1, &at->sequence.elts);
        else
            draft_push(d, &one->call.args, at);
        draft_push(d, &one->call.args, component_of(d, value, k));
        draft_push(d, out, draft_statement(d, one));
    }
}

/* ---- statements ---- */

typedef struct Division {
    Draft *d;
    const Item *item;
} Division;

static void divide_list(NodeList *list, void *user)
{
    Division *division = user;
    Draft *d = division->d;
    const Item *item = division->item;
    NodeList out = {0};
    Reader reader = {.d = d, .item = item};
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        reader.before = (NodeList){0};
        reader.whole = false;
        read_statement(&reader, node);
        draft_insert(d, &out, out.count, &reader.before);
        draft_lists(node, divide_list, user);
        if (node->kind == NODE_ASSIGN && is_element(node->assign.targets.items[0], item->symbol))
            write_assignment(d, item, node, &out);
        else if (node->kind == NODE_AUG_ASSIGN && is_element(node->aug_assign.target, item->symbol))
            write_update(d, item, node, &out);
        else if (is_atomic_update(node, item->symbol))
            write_atomics(d, item, node, &out);
        else
            draft_push(d, &out, node);
    }
    *list = out;
}

static void take_apart(Draft *d, Item *item, ItemForm form)
{
    static const char *const suffixes[][4] = {{"_x", "_y", "_z", "_w"}, {"x", "y", "z", "w"}, {"0", "1", "2", "3"}};
    item->width = vector_width(item);
    item->form = form;
    for (uint32_t k = 0; form == FORM_SPLIT && k < item->width; k++)
        item->split[k] = symbol_new(d, SYMBOL_INPUT, SCOPE_KERNEL,
                                    arena_format(d->arena, "%s%s", own_name(item), suffixes[(d->salt >> 3) % 3][k]));
    Division division = {d, item};
    divide_list(&d->body, &division);
    item->type = "float";
    if (form == FORM_PACKED)
        item->shape[0] *= item->width;
    if (form == FORM_COLUMNS)
        item->shape[item->ndim++] = item->width;
}

/* base = 3 * i, behind wp.tid() */
static void name_row_start(Draft *d)
{
    uint32_t at = 0;
    while (!is_thread_statement(d->body.items[at]))
        at++;
    Node *target = draft_name(d, d->row_start);
    target->name.store = true;
    NodeList one = {0};
    draft_push(d, &one, draft_assign(d, target, times(d, 3, draft_name(d, d->tid[0]))));
    draft_insert(d, &d->body, at + 1, &one);
}

/* All vectors of a kernel are stored the same way. */
void lay_out_vectors(Draft *d)
{
    ItemForm form = d->habits.vector_form;
    if (form == FORM_ARGUMENT)
        return;
    for (uint32_t i = 0; i < d->item_count; i++) {
        Item *item = &d->items[i];
        bool fits =
            form == FORM_SPLIT || item->part.axis_count == 1 || (form == FORM_COLUMNS && item->part.axis_count < 4);
        if (vector_width(item) && fits && may_be_taken_apart(d, item))
            take_apart(d, item, form);
    }
    if (d->row_start)
        name_row_start(d);
}
