/* Values that get a name of their own: elements that are read once, and calls inside of larger expressions. */
#include "synth/meaning/style.h"

#include <string.h>

typedef struct Namer {
    Draft *d;
    uint32_t scope;
    NodeList before; /* statements that come first */
    double chance;
} Namer;

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
    const Node *function = call->kind == NODE_CALL ? call->call.func : NULL;
    if (!function || function->kind != NODE_ATTRIBUTE || function->fact ||
        function->attribute.value->kind != NODE_NAME || function->attribute.value->fact)
        return NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (name_is(function->attribute.attr, table[i].name))
            return table[i].words;
    return NULL;
}

static const char *word_for_element(const Draft *d, const Node *node)
{
    if (node->kind != NODE_SUBSCRIPT || node->subscript.value->kind != NODE_NAME || !node->subscript.value->fact)
        return NULL;
    for (uint32_t i = 0; i < d->item_count; i++)
        if (d->items[i].symbol == node->subscript.value->fact - 1)
            return d->items[i].part.role == PART_IN && d->items[i].part.kind == PART_EACH && !d->items[i].is_bool
                       ? d->items[i].part.quantity->locals
                       : NULL;
    return NULL;
}

/* Inner values come first, in the order in which they are computed. Not those that are computed on a condition. */
static void name_slot(Node **place, void *user)
{
    Namer *namer = user;
    Draft *d = namer->d;
    Node *node = *place;
    if (node->kind < NODE_BOOL_OP || node->kind == NODE_BOOL_OP || node->kind == NODE_IF_EXP)
        return;
    if (node->kind == NODE_CALL && node->call.func->kind == NODE_ATTRIBUTE &&
        strncmp(node->call.func->attribute.attr->text, "atomic", 6) == 0)
        return;
    draft_slots(node, name_slot, user);
    const char *words = word_for_element(d, node);
    words = words ? words : word_for_call(node);
    if (!words || d->symbol_count + 40 > MAX_SYMBOLS || !perhaps(d, namer->chance))
        return;
    uint32_t symbol = symbol_new(d, SYMBOL_LOCAL, namer->scope, words);
    d->symbols[symbol].entity = d->scene->entities[0];
    Node *target = draft_name(d, symbol);
    target->name.store = true;
    draft_push(d, &namer->before, draft_assign(d, target, node));
    *place = draft_name(d, symbol);
}

/* The value itself stays: x = wp.length(d) has a name already. */
static void name_inside(Namer *namer, Node *value)
{
    if (value->kind == NODE_CALL && value->call.func->kind == NODE_ATTRIBUTE &&
        strncmp(value->call.func->attribute.attr->text, "atomic", 6) == 0)
        return;
    if (value->kind != NODE_BOOL_OP && value->kind != NODE_IF_EXP)
        draft_slots(value, name_slot, namer);
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
    if (d->habits.naming_values > 0)
        name_in_list(body, &namer);
}
