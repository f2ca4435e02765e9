/* Values that get a name of their own: elements that are read once, calls and operations inside of larger expressions. */
#include "synth/meaning/style.h"

#include <string.h>

typedef struct Namer {
    Draft *d;
    uint32_t scope;
    NodeList before; /* statements that come first */
    double chance;
    const Node *parent; /* of what is looked at */
} Namer;

static void name_parts_of(Namer *namer, Node *node);

/* What the value of a builtin may be called; NULL: there is no good word. */
static const char *word_for_call(const Node *call)
{
    static const struct {
        const char *name, *words;
    } table[] = {{"length", "dist|len|norm|mag|r"},
                 {"dot", "dp|proj|cosine|along|d"},
                 {"cross", "perp|cr|axis|c"},
                 {"sqrt", "root|sq|s"},
                 {"exp", "ex|decay|e|growth"},
                 {"log", "lg|log_x|ln"},
                 {"normalize", "dir|unit|n|u"},
                 {"pow", "pw|power|p"},
                 {"sin", "sn|sin_a|s"},
                 {"cos", "cs|cos_a|c"},
                 {"max", "upper|m|hi|bounded"},
                 {"min", "lower|lo|m|bounded"},
                 {"clamp", "clamped|bounded|limited|c"},
                 {"abs", "mag|size|a|absolute"},
                 {"floor", "base|cell|fl|whole"},
                 {"transpose", "mt|transposed|tr"},
                 {"inverse", "inv|inverted|mi"},
                 {"quat_rotate", "rotated|turned|rv"},
                 {"transform_point", "moved|p_world|tp"}};
    Name called = builtin_called(call);
    if (!called)
        return NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (name_is(called, table[i].name))
            return table[i].words;
    return NULL;
}

static const char *word_for_element(Draft *d, const Node *node)
{
    const Item *item = node->kind == NODE_SUBSCRIPT ? item_of(d, node->subscript.value) : NULL;
    bool is_input = item && item->part.role == PART_IN && item->part.kind == PART_EACH && !item->is_bool;
    return is_input ? item->part.quantity->locals : NULL;
}

/* What the value of an operation may be called; NULL: it is left as it is. `parent` is what it is a part of. */
static const char *word_for_operation(const Node *node, const Node *parent)
{
    if (node->kind != NODE_BIN_OP)
        return NULL;
    if (parent->kind == NODE_BIN_OP && parent->bin_op.op == OP_DIV)
        return parent->bin_op.right == node ? "den|denom|divisor|denominator" : "num|numer|numerator|top";
    switch (node->bin_op.op) {
    case OP_ADD: return "total|combined|s|both|together";
    case OP_SUB: return "diff|delta|gap|d|rel|excess";
    case OP_MULT: return "prod|scaled|term|weighted|p|factor|tmp";
    case OP_DIV: return "ratio|frac|q|quotient|rel|share";
    default: return NULL;
    }
}

/* i + 1 and i - 1 as an index: the next one, the one before. */
static const char *word_for_neighbour(const Draft *d, const Node *node)
{
    if (node->kind != NODE_BIN_OP || node->bin_op.left->kind != NODE_NAME ||
        node->bin_op.right->kind != NODE_CONSTANT || node->bin_op.right->constant.kind != CONSTANT_INT ||
        node->bin_op.right->constant.integer != 1 || node->bin_op.left->fact != d->tid[0] + 1)
        return NULL;
    return node->bin_op.op == OP_ADD   ? "ip|i_next|following|ip1|nxt"
           : node->bin_op.op == OP_SUB ? "im|i_prev|previous|im1|prv"
                                       : NULL;
}

static void give_name(Namer *namer, Node **place, const char *words)
{
    Draft *d = namer->d;
    uint32_t symbol = symbol_new(d, SYMBOL_LOCAL, namer->scope, words);
    d->symbols[symbol].entity = d->scene->entities[0];
    Node *target = draft_name(d, symbol);
    target->name.store = true;
    draft_push(d, &namer->before, draft_assign(d, target, *place));
    *place = draft_name(d, symbol);
}

/* Parts of a sum or a product, and neighbours of the thread's own element. */
static void name_operation(Namer *namer, Node **place, const Node *parent)
{
    Draft *d = namer->d;
    bool index = parent->kind == NODE_SUBSCRIPT && *place == parent->subscript.slice;
    const char *words = index                                                      ? word_for_neighbour(d, *place)
                        : parent->kind == NODE_BIN_OP || parent->kind == NODE_CALL ? word_for_operation(*place, parent)
                                                                                   : NULL;
    if (words && d->symbol_count + 40 <= MAX_SYMBOLS && perhaps(d, d->habits.splitting))
        give_name(namer, place, words);
}

/* Inner values come first, in the order in which they are computed. Not those that are computed on a condition. */
static void name_slot(Node **place, void *user)
{
    Namer *namer = user;
    Draft *d = namer->d;
    Node *node = *place;
    if (node->kind < NODE_BOOL_OP || node->kind == NODE_BOOL_OP || node->kind == NODE_IF_EXP)
        return;
    if (is_atomic_call(node))
        return;
    name_parts_of(namer, node);
    const char *words = word_for_element(d, node);
    words = words ? words : word_for_call(node);
    if (words && d->symbol_count + 40 <= MAX_SYMBOLS && perhaps(d, namer->chance))
        give_name(namer, place, words);
    else if (!words && d->habits.splitting > 0)
        name_operation(namer, place, namer->parent);
}

static void name_parts_of(Namer *namer, Node *node)
{
    const Node *parent = namer->parent;
    namer->parent = node;
    draft_slots(node, name_slot, namer);
    namer->parent = parent;
}

/* The value itself stays: x = wp.length(d) has a name already. */
static void name_inside(Namer *namer, Node *value)
{
    if (is_atomic_call(value))
        return;
    if (value->kind != NODE_BOOL_OP && value->kind != NODE_IF_EXP)
        name_parts_of(namer, value);
}

static void name_in_list(NodeList *list, void *user)
{
    Namer *namer = user;
    Draft *d = namer->d;
    NodeList out = {0};
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        namer->before = (NodeList){0};
        switch (node->kind) {
        case NODE_IF: name_inside(namer, node->if_stmt.test); break;
        case NODE_ASSIGN:
            if (!is_thread_statement(node))
                name_inside(namer, node->assign.value);
            break;
        case NODE_AUG_ASSIGN: name_inside(namer, node->aug_assign.value); break;
        case NODE_RETURN:
            if (node->ret.value)
                name_inside(namer, node->ret.value);
            break;
        default: break;
        }
        draft_insert(d, &out, out.count, &namer->before);
        draft_push(d, &out, node);
        draft_lists(node, name_in_list, namer);
    }
    *list = out;
}

void name_values(Draft *d, NodeList *body, uint32_t scope)
{
    Namer namer = {.d = d, .scope = scope, .chance = d->habits.naming_values};
    if (d->habits.naming_values > 0 || d->habits.splitting > 0)
        name_in_list(body, &namer);
}
