/* Trees of a draft: made, copied, walked. */
#include "synth/meaning/draft.h"

#include <string.h>

Node *draft_new(Draft *d, NodeKind kind)
{
    Node *node = arena_alloc(d->arena, node_sizes[kind]);
    node->kind = kind;
    return node;
}

Node *draft_name(Draft *d, uint32_t symbol)
{
    Node *node = draft_new(d, NODE_NAME);
    node->name.id = d->meaning->words[0];
    node->fact = symbol + 1;
    return node;
}

Node *draft_word(Draft *d, const char *text)
{
    Node *node = draft_new(d, NODE_NAME);
    node->name.id = name_cstr(&d->names, text);
    return node;
}

Node *draft_attribute(Draft *d, Node *value, const char *name)
{
    Node *node = draft_new(d, NODE_ATTRIBUTE);
    node->attribute.value = value;
    node->attribute.attr = name_cstr(&d->names, name);
    return node;
}

Node *draft_wp(Draft *d, const char *name)
{
    return draft_attribute(d, draft_word(d, "wp"), name);
}

static Node *negated(Draft *d, Node *number)
{
    Node *negative = draft_new(d, NODE_UNARY_OP);
    negative->unary_op.op = OP_U_SUB;
    negative->unary_op.operand = number;
    return negative;
}

Node *draft_int(Draft *d, int64_t value)
{
    Node *node = draft_new(d, NODE_CONSTANT);
    node->constant.kind = CONSTANT_INT;
    constant_set_integer(d->arena, node, value < 0 ? -(BigInt)value : value);
    return value < 0 ? negated(d, node) : node;
}

Node *draft_float(Draft *d, double value)
{
    Node *node = draft_new(d, NODE_CONSTANT);
    node->constant.kind = CONSTANT_FLOAT;
    node->constant.real = value < 0 ? -value : value;
    return value < 0 ? negated(d, node) : node;
}

Node *draft_string(Draft *d, const char *text)
{
    Node *node = draft_new(d, NODE_CONSTANT);
    node->constant.kind = CONSTANT_STR;
    node->constant.text = text;
    node->constant.len = (uint32_t)strlen(text);
    return node;
}

Node *draft_call(Draft *d, Node *function, Node *const *args, uint32_t count)
{
    Node *node = draft_new(d, NODE_CALL);
    node->call.func = function;
    for (uint32_t i = 0; i < count; i++)
        draft_push(d, &node->call.args, args[i]);
    return node;
}

Node *draft_keyword(Draft *d, const char *name, Node *value)
{
    Node *node = draft_new(d, NODE_KEYWORD);
    node->keyword.name = name_cstr(&d->names, name);
    node->keyword.value = value;
    return node;
}

Node *draft_binary(Draft *d, OpKind op, Node *left, Node *right)
{
    Node *node = draft_new(d, NODE_BIN_OP);
    node->bin_op.op = op;
    node->bin_op.left = left;
    node->bin_op.right = right;
    return node;
}

Node *draft_compare(Draft *d, OpKind op, Node *left, Node *right)
{
    Node *node = draft_new(d, NODE_COMPARE);
    node->compare.left = left;
    node->compare.ops = ARENA_ARRAY(d->arena, OpKind, 1);
    node->compare.ops[0] = op;
    draft_push(d, &node->compare.comparators, right);
    return node;
}

Node *draft_subscript(Draft *d, Node *value, Node *index)
{
    Node *node = draft_new(d, NODE_SUBSCRIPT);
    node->subscript.value = value;
    node->subscript.slice = index;
    return node;
}

Node *draft_assign(Draft *d, Node *target, Node *value)
{
    Node *node = draft_new(d, NODE_ASSIGN);
    draft_push(d, &node->assign.targets, target);
    node->assign.value = value;
    return node;
}

Node *draft_statement(Draft *d, Node *value)
{
    Node *node = draft_new(d, NODE_EXPR);
    node->expr.value = value;
    return node;
}

Node *draft_comment(Draft *d, const char *text)
{
    return draft_statement(d, draft_word(d, arena_join(d->arena, "# ", text)));
}

void draft_push(Draft *d, NodeList *list, Node *node)
{
    ARENA_PUSH(d->arena, list->items, list->count, list->cap) = node;
}

void draft_insert(Draft *d, NodeList *list, uint32_t at, const NodeList *more)
{
    if (!more->count)
        return; /* neither list may have memory yet */
    for (uint32_t i = 0; i < more->count; i++)
        draft_push(d, list, NULL);
    memmove(list->items + at + more->count, list->items + at, sizeof(Node *) * (list->count - at - more->count));
    memcpy(list->items + at, more->items, sizeof(Node *) * more->count);
}

/* ---- walking ---- */

static void list_slots(NodeList *list, SlotVisitor *visit, void *user)
{
    for (uint32_t i = 0; i < list->count; i++)
        visit(&list->items[i], user);
}

static void slot(Node **place, SlotVisitor *visit, void *user)
{
    if (*place)
        visit(place, user);
}

void draft_inner_slots(Node *node, SlotVisitor *visit, void *user)
{
    switch (node->kind) {
    case NODE_ASSIGN:
        list_slots(&node->assign.targets, visit, user);
        visit(&node->assign.value, user);
        break;
    case NODE_AUG_ASSIGN:
        visit(&node->aug_assign.target, user);
        visit(&node->aug_assign.value, user);
        break;
    case NODE_ANN_ASSIGN:
        visit(&node->ann_assign.target, user);
        visit(&node->ann_assign.value, user);
        break;
    case NODE_EXPR: visit(&node->expr.value, user); break;
    case NODE_RETURN: slot(&node->ret.value, visit, user); break;
    case NODE_IF:
        visit(&node->if_stmt.test, user);
        list_slots(&node->if_stmt.body, visit, user);
        list_slots(&node->if_stmt.orelse, visit, user);
        break;
    case NODE_FOR:
        visit(&node->for_loop.target, user);
        visit(&node->for_loop.iter, user);
        list_slots(&node->for_loop.body, visit, user);
        break;
    case NODE_WHILE:
        visit(&node->while_loop.test, user);
        list_slots(&node->while_loop.body, visit, user);
        break;
    case NODE_ATTRIBUTE: visit(&node->attribute.value, user); break;
    case NODE_SUBSCRIPT:
        visit(&node->subscript.value, user);
        visit(&node->subscript.slice, user);
        break;
    case NODE_BIN_OP:
        visit(&node->bin_op.left, user);
        visit(&node->bin_op.right, user);
        break;
    case NODE_UNARY_OP: visit(&node->unary_op.operand, user); break;
    case NODE_BOOL_OP: list_slots(&node->bool_op.values, visit, user); break;
    case NODE_COMPARE:
        visit(&node->compare.left, user);
        list_slots(&node->compare.comparators, visit, user);
        break;
    case NODE_CALL:
        visit(&node->call.func, user);
        list_slots(&node->call.args, visit, user);
        list_slots(&node->call.keywords, visit, user);
        break;
    case NODE_KEYWORD: visit(&node->keyword.value, user); break;
    case NODE_IF_EXP:
        visit(&node->if_exp.test, user);
        visit(&node->if_exp.body, user);
        visit(&node->if_exp.orelse, user);
        break;
    case NODE_TUPLE:
    case NODE_LIST: list_slots(&node->sequence.elts, visit, user); break;
    case NODE_SLICE:
        slot(&node->slice.lower, visit, user);
        slot(&node->slice.upper, visit, user);
        slot(&node->slice.step, visit, user);
        break;
    default: break;
    }
}

void draft_lists(Node *node, ListVisitor *visit, void *user)
{
    switch (node->kind) {
    case NODE_IF:
        visit(&node->if_stmt.body, user);
        visit(&node->if_stmt.orelse, user);
        break;
    case NODE_FOR: visit(&node->for_loop.body, user); break;
    case NODE_WHILE: visit(&node->while_loop.body, user); break;
    default: break;
    }
}

typedef struct UseCount {
    uint32_t symbol, count;
} UseCount;

static void count_uses(Node **place, void *user)
{
    UseCount *uses = user;
    if ((*place)->kind == NODE_NAME)
        uses->count += (*place)->fact == uses->symbol + 1;
    else
        draft_slots(*place, count_uses, user);
}

uint32_t draft_uses(Node *node, uint32_t symbol)
{
    UseCount uses = {symbol, 0};
    count_uses(&node, &uses);
    return uses.count;
}

bool is_own_index(const Draft *d, const Node *slice)
{
    if (d->dims == 1)
        return slice->kind == NODE_NAME && slice->fact == d->tid[0] + 1;
    if (slice->kind != NODE_TUPLE || slice->sequence.elts.count != d->dims)
        return false;
    for (uint32_t i = 0; i < d->dims; i++)
        if (slice->sequence.elts.items[i]->fact != d->tid[i] + 1)
            return false;
    return true;
}

bool draft_is_simple(const Node *node)
{
    return node->kind == NODE_NAME || node->kind == NODE_CONSTANT ||
           (node->kind == NODE_ATTRIBUTE && draft_is_simple(node->attribute.value)) ||
           (node->kind == NODE_UNARY_OP && node->unary_op.operand->kind == NODE_CONSTANT);
}

/* ---- what a tree is ---- */

Name builtin_called(const Node *node)
{
    const Node *function = node->kind == NODE_CALL ? node->call.func : NULL;
    bool is_builtin = function && function->kind == NODE_ATTRIBUTE && !function->fact &&
                      function->attribute.value->kind == NODE_NAME && !function->attribute.value->fact;
    return is_builtin ? function->attribute.attr : NULL;
}

bool is_wp_call(const Node *node, const char *name)
{
    Name called = builtin_called(node);
    return called && name_is(called, name);
}

bool is_atomic_call(const Node *node)
{
    Name called = builtin_called(node);
    return called && strncmp(called->text, "atomic", 6) == 0;
}

bool is_plain_assignment(const Node *node)
{
    return node->kind == NODE_ASSIGN && node->assign.targets.items[0]->kind == NODE_NAME &&
           node->assign.targets.items[0]->fact;
}

uint32_t assigned_symbol(const Node *assignment)
{
    return assignment->assign.targets.items[0]->fact - 1;
}

const Node *root_of(const Node *place)
{
    while (place->kind == NODE_SUBSCRIPT || place->kind == NODE_ATTRIBUTE)
        place = place->kind == NODE_SUBSCRIPT ? place->subscript.value : place->attribute.value;
    return place;
}

bool is_comment(const Node *node)
{
    return node->kind == NODE_EXPR && node->expr.value->kind == NODE_NAME;
}

Item *item_of(Draft *d, const Node *name)
{
    for (uint32_t i = 0; name->kind == NODE_NAME && name->fact && i < d->item_count; i++)
        if (d->items[i].symbol == name->fact - 1)
            return &d->items[i];
    return NULL;
}

/* ---- copying ---- */

static void copy_list(Draft *d, NodeList *list)
{
    if (!list->count)
        return;
    Node **items = arena_take(d->arena, sizeof(Node *) * list->count);
    memcpy(items, list->items, sizeof(Node *) * list->count);
    list->items = items;
    list->cap = list->count;
}

static void copy_slot(Node **place, void *user)
{
    *place = draft_copy(user, *place);
}

Node *draft_copy(Draft *d, const Node *node)
{
    Node *copy = node_copy(d->arena, node);
    switch (copy->kind) {
    case NODE_BOOL_OP: copy_list(d, &copy->bool_op.values); break;
    case NODE_COMPARE: copy_list(d, &copy->compare.comparators); break;
    case NODE_CALL:
        copy_list(d, &copy->call.args);
        copy_list(d, &copy->call.keywords);
        break;
    case NODE_TUPLE:
    case NODE_LIST: copy_list(d, &copy->sequence.elts); break;
    case NODE_ASSIGN: copy_list(d, &copy->assign.targets); break;
    case NODE_IF:
        copy_list(d, &copy->if_stmt.body);
        copy_list(d, &copy->if_stmt.orelse);
        break;
    case NODE_FOR: copy_list(d, &copy->for_loop.body); break;
    case NODE_WHILE: copy_list(d, &copy->while_loop.body); break;
    default: break;
    }
    draft_slots(copy, copy_slot, d);
    return copy;
}
