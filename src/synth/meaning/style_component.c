/* Vectors written out: dx, dy and dz rather than d, as people do who come from C.
 *
 * A variable that is a vector becomes two or three numbers where every value that it gets can be taken apart: sums, multiples,
 * cross products, elements of arrays. Where the whole vector is wanted it is put together again. */
#include "synth/meaning/style.h"

#include <string.h>

enum { MOST_WIDTH = 3, MOST_WHOLE = 1 };

typedef struct Variable {
    bool written_out, scalar;
    uint32_t whole; /* how often all of it is wanted at once */
    uint32_t parts[MOST_WIDTH];
} Variable;

typedef struct Components {
    Draft *d;
    Variable *of;    /* by symbol */
    NodeList before; /* statements that come first */
} Components;

/* ---- what expressions are ---- */

static bool is_call_of(const Node *node, const char *name, uint32_t args)
{
    return is_wp_call(node, name) && node->call.args.count == args;
}

static uint32_t width_of_type(const char *type)
{
    return strcmp(type, "vec3") == 0 ? 3 : strcmp(type, "vec2") == 0 ? 2 : 0;
}

static bool is_plain_index(const Node *node)
{
    for (uint32_t i = 0; node->kind == NODE_TUPLE && i < node->sequence.elts.count; i++)
        if (!draft_is_simple(node->sequence.elts.items[i]))
            return false;
    return node->kind == NODE_TUPLE || draft_is_simple(node);
}

static const Item *element_item(Draft *d, const Node *node)
{
    const Item *item = node->kind == NODE_SUBSCRIPT ? item_of(d, node->subscript.value) : NULL;
    uint32_t indices = node->kind != NODE_SUBSCRIPT                ? 0
                       : node->subscript.slice->kind == NODE_TUPLE ? node->subscript.slice->sequence.elts.count
                                                                   : 1;
    return item && indices == item->part.axis_count ? item : NULL;
}

static bool is_scalar(const Components *c, const Node *node)
{
    static const char *const functions[] = {"dot", "length", "length_sq", "sqrt", "exp",  "log",   "sin", "cos",
                                            "abs", "min",    "max",       "pow",  "sign", "clamp", NULL};
    const Item *item;
    switch (node->kind) {
    case NODE_CONSTANT: return node->constant.kind == CONSTANT_FLOAT || node->constant.kind == CONSTANT_INT;
    case NODE_NAME:
        item = item_of(c->d, node);
        return item ? item->part.kind == PART_SETTING && strcmp(item->part.quantity->type, "float") == 0
                    : node->fact && c->of[node->fact - 1].scalar;
    case NODE_SUBSCRIPT:
        item = element_item(c->d, node);
        return item && strcmp(item->part.quantity->type, "float") == 0;
    case NODE_UNARY_OP: return is_scalar(c, node->unary_op.operand);
    case NODE_BIN_OP: return is_scalar(c, node->bin_op.left) && is_scalar(c, node->bin_op.right);
    case NODE_CALL:
        if (node->call.func->kind == NODE_NAME && !node->call.func->fact)
            return name_is(node->call.func->name.id, "float");
        if (is_call_of(node, "dot", 2) || is_call_of(node, "length", 1) || is_call_of(node, "length_sq", 1))
            return true;
        for (size_t i = 0; functions[i]; i++)
            if (node->call.args.count && is_call_of(node, functions[i], node->call.args.count))
                return is_scalar(c, node->call.args.items[0]);
        return false;
    default: return false;
    }
}

/* The components of something that can be taken apart; 0: it cannot. */
static uint32_t width_of(const Components *c, const Node *node)
{
    const Item *item;
    uint32_t left, right;
    switch (node->kind) {
    case NODE_NAME:
        item = item_of(c->d, node);
        if (item)
            return item->part.kind == PART_SETTING ? width_of_type(item->part.quantity->type) : 0;
        left = node->fact ? c->d->symbols[node->fact - 1].components : 0;
        return left <= MOST_WIDTH ? left : 0;
    case NODE_SUBSCRIPT:
        item = element_item(c->d, node);
        return item && is_plain_index(node->subscript.slice) ? width_of_type(item->part.quantity->type) : 0;
    case NODE_UNARY_OP: return node->unary_op.op == OP_U_SUB ? width_of(c, node->unary_op.operand) : 0;
    case NODE_BIN_OP:
        left = width_of(c, node->bin_op.left);
        right = width_of(c, node->bin_op.right);
        if (node->bin_op.op == OP_ADD || node->bin_op.op == OP_SUB)
            return left == right ? left : 0;
        if (node->bin_op.op == OP_MULT)
            return left && is_scalar(c, node->bin_op.right)   ? left
                   : right && is_scalar(c, node->bin_op.left) ? right
                                                              : 0;
        return node->bin_op.op == OP_DIV && is_scalar(c, node->bin_op.right) ? left : 0;
    case NODE_CALL:
        if (is_call_of(node, "cross", 2))
            return width_of(c, node->call.args.items[0]) == 3 && width_of(c, node->call.args.items[1]) == 3 &&
                           node->call.args.items[0]->kind == NODE_NAME && node->call.args.items[1]->kind == NODE_NAME
                       ? 3
                       : 0;
        return is_call_of(node, "vec3", 3) || is_call_of(node, "vec3", 0)   ? 3
               : is_call_of(node, "vec2", 2) || is_call_of(node, "vec2", 0) ? 2
                                                                            : 0;
    default: return 0;
    }
}

/* ---- which variables ---- */

static bool is_constant_index(const Node *node)
{
    return node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_INT;
}

static void note_scalars(Node **place, void *user)
{
    Components *c = user;
    const Node *node = *place;
    if (node->kind == NODE_ASSIGN && node->assign.targets.items[0]->kind == NODE_NAME &&
        node->assign.targets.items[0]->fact)
        c->of[node->assign.targets.items[0]->fact - 1].scalar = is_scalar(c, node->assign.value);
    draft_slots(*place, note_scalars, user);
}

static void refuse(Components *c, const Node *name)
{
    if (name->kind == NODE_NAME && name->fact)
        c->of[name->fact - 1].written_out = false;
}

typedef struct CrossSearch {
    bool found;
} CrossSearch;

static void find_cross(Node **place, void *user)
{
    ((CrossSearch *)user)->found |= is_call_of(*place, "cross", 2);
    draft_slots(*place, find_cross, user);
}

/* v = wp.cross(v, w): its components would be used after they have changed. */
static bool turns_itself(Node *value, uint32_t symbol)
{
    CrossSearch search = {false};
    find_cross(&value, &search);
    return search.found && draft_uses(value, symbol);
}

static void look_at_stores(Node **place, void *user)
{
    Components *c = user;
    Node *node = *place;
    if (node->kind == NODE_ASSIGN) {
        const Node *target = node->assign.targets.items[0];
        for (uint32_t i = 0; target->kind == NODE_TUPLE && i < target->sequence.elts.count; i++)
            refuse(c, target->sequence.elts.items[i]);
        if (target->kind == NODE_NAME && target->fact &&
            (width_of(c, node->assign.value) != c->d->symbols[target->fact - 1].components ||
             turns_itself(node->assign.value, target->fact - 1)))
            refuse(c, target);
    }
    if (node->kind == NODE_AUG_ASSIGN && node->aug_assign.target->kind == NODE_NAME) {
        bool sum = node->aug_assign.op == OP_ADD || node->aug_assign.op == OP_SUB;
        if (!sum || !width_of(c, node->aug_assign.value))
            refuse(c, node->aug_assign.target);
    }
    if (node->kind == NODE_FOR)
        refuse(c, node->for_loop.target);
    if (node->kind == NODE_SUBSCRIPT && node->subscript.value->kind == NODE_NAME &&
        !is_constant_index(node->subscript.slice))
        refuse(c, node->subscript.value);
    draft_slots(node, look_at_stores, user);
}

/* ---- components ---- */

static Node *component(Components *c, const Node *node, uint32_t k);

static bool is_zero(const Node *node)
{
    return node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_FLOAT && node->constant.real == 0;
}

/* Without x + 0.0 and 0.0 * x, which components of wp.vec3(0.0, h, 0.0) would give. */
static Node *operation(Draft *d, OpKind op, Node *left, Node *right)
{
    if (is_zero(right) && (op == OP_ADD || op == OP_SUB))
        return left;
    if (is_zero(left) && op == OP_ADD)
        return right;
    if (is_zero(left) && op == OP_SUB) {
        Node *negative = draft_new(d, NODE_UNARY_OP);
        negative->unary_op.op = OP_U_SUB;
        negative->unary_op.operand = right;
        return negative;
    }
    if ((op == OP_MULT && (is_zero(left) || is_zero(right))) || (op == OP_DIV && is_zero(left)))
        return draft_float(d, 0);
    return draft_binary(d, op, left, right);
}

static Node *part_of_cross(Components *c, const Node *call, uint32_t k)
{
    Draft *d = c->d;
    const Node *a = call->call.args.items[0], *b = call->call.args.items[1];
    uint32_t i = (k + 1) % 3, j = (k + 2) % 3;
    return operation(d, OP_SUB, operation(d, OP_MULT, component(c, a, i), component(c, b, j)),
                     operation(d, OP_MULT, component(c, a, j), component(c, b, i)));
}

static Node *component(Components *c, const Node *node, uint32_t k)
{
    Draft *d = c->d;
    switch (node->kind) {
    case NODE_NAME:
        if (node->fact && c->of[node->fact - 1].written_out)
            return draft_name(d, c->of[node->fact - 1].parts[k]);
        return draft_subscript(d, draft_copy(d, node), draft_int(d, k));
    case NODE_UNARY_OP: {
        Node *copy = draft_new(d, NODE_UNARY_OP);
        copy->unary_op.op = OP_U_SUB;
        copy->unary_op.operand = component(c, node->unary_op.operand, k);
        return copy;
    }
    case NODE_BIN_OP: {
        const Node *left = node->bin_op.left, *right = node->bin_op.right;
        return operation(d, node->bin_op.op, width_of(c, left) ? component(c, left, k) : draft_copy(d, left),
                         width_of(c, right) ? component(c, right, k) : draft_copy(d, right));
    }
    case NODE_CALL:
        if (is_call_of(node, "cross", 2))
            return part_of_cross(c, node, k);
        return node->call.args.count ? draft_copy(d, node->call.args.items[k]) : draft_float(d, 0);
    default: return draft_subscript(d, draft_copy(d, node), draft_int(d, k));
    }
}

/* A factor that is more than a name is computed once. */
static void name_factors(Components *c, Node *node)
{
    Draft *d = c->d;
    if (node->kind == NODE_UNARY_OP)
        name_factors(c, node->unary_op.operand);
    if (node->kind != NODE_BIN_OP)
        return;
    Node **sides[] = {&node->bin_op.left, &node->bin_op.right};
    for (int i = 0; i < 2; i++) {
        if (width_of(c, *sides[i])) {
            name_factors(c, *sides[i]);
            continue;
        }
        if (draft_is_simple(*sides[i]))
            continue;
        uint32_t symbol = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, "scale|factor|coeff|fac|f|k");
        c->of[symbol].scalar = true;
        Node *target = draft_name(d, symbol);
        target->name.store = true;
        draft_push(d, &c->before, draft_assign(d, target, *sides[i]));
        *sides[i] = draft_name(d, symbol);
    }
}

static Node *sum_of_products(Components *c, const Node *a, const Node *b)
{
    Draft *d = c->d;
    Node *sum = NULL;
    for (uint32_t k = 0, width = width_of(c, a); k < width; k++) {
        Node *product = draft_binary(d, OP_MULT, component(c, a, k), component(c, b, k));
        sum = sum ? draft_binary(d, OP_ADD, sum, product) : product;
    }
    return sum;
}

/* ---- the statements ---- */

static bool is_written_out(const Components *c, const Node *node)
{
    return node->kind == NODE_NAME && node->fact && c->of[node->fact - 1].written_out;
}

/* wp.dot(d, d), wp.length(d), d[0], and d itself. */
static void rewrite_value(Node **place, void *user)
{
    Components *c = user;
    Draft *d = c->d;
    Node *node = *place;
    if (node->kind == NODE_SUBSCRIPT && is_written_out(c, node->subscript.value)) {
        *place = draft_name(d, c->of[node->subscript.value->fact - 1].parts[constant_integer(node->subscript.slice)]);
        return;
    }
    const NodeList *args = node->kind == NODE_CALL ? &node->call.args : NULL;
    if (is_call_of(node, "dot", 2) && is_written_out(c, args->items[0]) && args->items[1]->kind == NODE_NAME &&
        width_of(c, args->items[1])) {
        *place = sum_of_products(c, args->items[0], args->items[1]);
        return;
    }
    bool length = is_call_of(node, "length", 1);
    if ((length || is_call_of(node, "length_sq", 1)) && is_written_out(c, args->items[0])) {
        Node *sum = sum_of_products(c, args->items[0], args->items[0]);
        *place = length ? draft_call(d, draft_wp(d, "sqrt"), &sum, 1) : sum;
        return;
    }
    if (is_written_out(c, node)) {
        Node *parts[MOST_WIDTH];
        uint32_t width = d->symbols[node->fact - 1].components;
        for (uint32_t k = 0; k < width; k++)
            parts[k] = component(c, node, k);
        *place = draft_call(d, draft_wp(d, width == 3 ? "vec3" : "vec2"), parts, width);
        return;
    }
    if (!is_statement(node)) /* statements inside are rewritten for themselves */
        draft_slots(node, rewrite_value, user);
}

static void write_parts(Components *c, Node *node, NodeList *out)
{
    Draft *d = c->d;
    bool update = node->kind == NODE_AUG_ASSIGN;
    Node *target = update ? node->aug_assign.target : node->assign.targets.items[0];
    Node *value = update ? node->aug_assign.value : node->assign.value;
    uint32_t width = d->symbols[target->fact - 1].components;
    name_factors(c, value);
    for (uint32_t i = 0; i < c->before.count; i++)
        rewrite_value(&c->before.items[i]->assign.value, c);
    draft_insert(d, out, out->count, &c->before);
    for (uint32_t k = 0; k < width; k++) {
        Node *name = draft_name(d, c->of[target->fact - 1].parts[k]), *part = component(c, value, k);
        name->name.store = true;
        rewrite_value(&part, c);
        Node *one = update ? draft_new(d, NODE_AUG_ASSIGN) : draft_assign(d, name, part);
        if (update) {
            one->aug_assign.op = node->aug_assign.op;
            one->aug_assign.target = name;
            one->aug_assign.value = part;
        }
        draft_push(d, out, one);
    }
}

static void write_list(NodeList *list, void *user)
{
    Components *c = user;
    NodeList out = {0};
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        const Node *target = node->kind == NODE_ASSIGN       ? node->assign.targets.items[0]
                             : node->kind == NODE_AUG_ASSIGN ? node->aug_assign.target
                                                             : NULL;
        c->before = (NodeList){0};
        if (target && is_written_out(c, target)) {
            write_parts(c, node, &out);
            continue;
        }
        if (target && target->kind == NODE_SUBSCRIPT && is_written_out(c, target->subscript.value)) { /* d[1] = … */
            Node *name = draft_name(
                c->d, c->of[target->subscript.value->fact - 1].parts[constant_integer(target->subscript.slice)]);
            name->name.store = true;
            *(node->kind == NODE_ASSIGN ? &node->assign.targets.items[0] : &node->aug_assign.target) = name;
        }
        draft_slots(node, rewrite_value, c);
        draft_lists(node, write_list, c);
        draft_push(c->d, &out, node);
    }
    *list = out;
}

/* "#_cross_$" as "cross": what a name is made from may be written out itself, and have no name then. */
static void add_own_words(Text *text, const char *name, size_t len)
{
    while (len && strchr("#$_", name[0]))
        name++, len--;
    while (len && strchr("#$_", name[len - 1]))
        len--;
    text_add(text, name, len);
}

/* "d|delta" as "dx|delta_x" */
static const char *part_names(Draft *d, const char *names, char letter)
{
    Text text;
    text_init_in(&text, d->arena);
    for (size_t len; *names; names += len + (names[len] == '|')) {
        len = strcspn(names, "|");
        if (text.len)
            text_char(&text, '|');
        if (memchr(names, '#', len))
            add_own_words(&text, names, len);
        else
            text_add(&text, names, len);
        if (len > 2)
            text_char(&text, '_');
        text_char(&text, letter);
    }
    return text_cstr(&text);
}

static void count_whole(Node **place, void *user)
{
    Components *c = user;
    const Node *node = *place;
    for (uint32_t i = 0; node->kind == NODE_CALL && i < node->call.args.count; i++)
        if (is_written_out(c, node->call.args.items[i]) && !is_call_of(node, "dot", 2) &&
            !is_call_of(node, "length", 1) && !is_call_of(node, "length_sq", 1) && !is_call_of(node, "cross", 2))
            c->of[node->call.args.items[i]->fact - 1].whole++;
    draft_slots(*place, count_whole, user);
}

static void each_place(Components *c, SlotVisitor *visit)
{
    for (uint32_t i = 0; i < c->d->body.count; i++)
        visit(&c->d->body.items[i], c);
}

void write_out_vectors(Draft *d)
{
    if (!perhaps(d, d->habits.components))
        return;
    uint32_t count = d->symbol_count;
    Components c = {.d = d, .of = ARENA_ARRAY(d->arena, Variable, MAX_SYMBOLS)};
    each_place(&c, note_scalars);
    for (uint32_t i = 1; i < count; i++)
        c.of[i].written_out = d->symbols[i].kind == SYMBOL_LOCAL && d->symbols[i].components >= 2 &&
                              d->symbols[i].components <= MOST_WIDTH;
    each_place(&c, look_at_stores);
    each_place(&c, count_whole);
    for (uint32_t i = 1; i < count; i++) {
        if (c.of[i].whole > MOST_WHOLE || d->symbol_count + 60 > MAX_SYMBOLS)
            c.of[i].written_out = false;
        for (uint32_t k = 0; c.of[i].written_out && k < d->symbols[i].components; k++) {
            c.of[i].parts[k] = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, part_names(d, d->symbols[i].names, "xyz"[k]));
            d->symbols[c.of[i].parts[k]].entity = d->symbols[i].entity;
            d->symbols[c.of[i].parts[k]].column = d->symbols[i].column ? d->symbols[i].column : (d->salt >> 9) + 1;
        }
    }
    write_list(&d->body, &c);
}
