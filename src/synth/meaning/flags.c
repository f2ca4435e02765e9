/* Flags as arrays of bool: `if not mask[i]` rather than `if mask[i] == 0`. */
#include "synth/meaning/draft.h"

#include <string.h>

typedef struct FlagUses {
    Draft *d;
    uint32_t fact, mentions;
    Node **tests[16];
    uint32_t test_count;
} FlagUses;

/* mask[i] == 0, mask[i] != 0, mask[i] == 1 */
static bool is_flag_test(const FlagUses *uses, const Node *node)
{
    if (node->kind != NODE_COMPARE || node->compare.comparators.count != 1)
        return false;
    const Node *left = node->compare.left, *right = node->compare.comparators.items[0];
    OpKind op = node->compare.ops[0];
    return left->kind == NODE_SUBSCRIPT && left->subscript.value->kind == NODE_NAME &&
           left->subscript.value->fact == uses->fact && right->kind == NODE_CONSTANT &&
           right->constant.kind == CONSTANT_INT && right->constant.integer <= 1 && (op == OP_EQ || op == OP_NOT_EQ);
}

static void find_tests(Node **place, void *user)
{
    FlagUses *uses = user;
    Node *node = *place;
    uses->mentions += node->kind == NODE_NAME && node->fact == uses->fact;
    if (is_flag_test(uses, node) && uses->test_count < 16)
        uses->tests[uses->test_count++] = place;
    draft_slots(node, find_tests, user);
}

static void rewrite_test(Draft *d, Node **place)
{
    Node *node = *place, *element = node->compare.left;
    bool one = node->compare.comparators.items[0]->constant.integer == 1;
    *place = element;
    if (one == (node->compare.ops[0] == OP_EQ))
        return;
    *place = draft_new(d, NODE_UNARY_OP);
    (*place)->unary_op.op = OP_NOT;
    (*place)->unary_op.operand = element;
}

void make_flags_bool(Draft *d)
{
    if (!d->habits.bool_flags)
        return;
    for (uint32_t i = 0; i < d->item_count; i++) {
        Item *item = &d->items[i];
        if (!item->present || strcmp(item->part.quantity->id, "flag") != 0 || item->part.kind != PART_EACH ||
            item->part.role != PART_IN)
            continue;
        FlagUses uses = {.d = d, .fact = item->symbol + 1};
        for (uint32_t k = 0; k < d->body.count; k++)
            find_tests(&d->body.items[k], &uses);
        if (!uses.test_count || uses.test_count != uses.mentions)
            continue;
        for (uint32_t k = 0; k < uses.test_count; k++)
            rewrite_test(d, uses.tests[k]);
        item->is_bool = true;
    }
}
