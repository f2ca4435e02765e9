/* Flags as bool, arrays and variables: `if not mask[i]` rather than `if mask[i] == 0`. */
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
           right->constant.kind == CONSTANT_INT && constant_integer(right) <= 1 && (op == OP_EQ || op == OP_NOT_EQ);
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
    bool one = constant_integer(node->compare.comparators.items[0]) == 1;
    *place = element;
    if (one == (node->compare.ops[0] == OP_EQ))
        return;
    *place = draft_new(d, NODE_UNARY_OP);
    (*place)->unary_op.op = OP_NOT;
    (*place)->unary_op.operand = element;
}

/* ---- variables ---- */

/* A variable that is only ever 0 or 1, and not counted with. */
typedef struct LocalFlag {
    uint32_t stores, others; /* of 0 or 1; of anything else */
    uint32_t loads, truths;  /* how often it is read; and tested, or stored as it is */
} LocalFlag;

typedef struct LocalFlags {
    Draft *d;
    LocalFlag *of; /* by symbol */
    uint32_t fact; /* of the one that is rewritten */
} LocalFlags;

/* The 0 of int(0), with which a variable that changes in a loop begins. */
static const Node *start_of(const Node *node)
{
    bool is_call = node->kind == NODE_CALL && node->call.func->kind == NODE_NAME && !node->call.func->fact &&
                   name_is(node->call.func->name.id, "int") && node->call.args.count == 1;
    return is_call ? node->call.args.items[0] : node;
}

static bool is_zero_or_one(const Node *node)
{
    return node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_INT && constant_integer(node) <= 1;
}

/* hit == 1 */
static bool is_truth_test(const Node *node)
{
    return node->kind == NODE_COMPARE && node->compare.comparators.count == 1 &&
           node->compare.left->kind == NODE_NAME && node->compare.left->fact &&
           is_zero_or_one(node->compare.comparators.items[0]) &&
           (node->compare.ops[0] == OP_EQ || node->compare.ops[0] == OP_NOT_EQ);
}

static void note_uses(Node **place, void *user)
{
    LocalFlags *flags = user;
    const Node *node = *place, *value = node->kind == NODE_ASSIGN ? node->assign.value : NULL;
    if (value && node->assign.targets.items[0]->kind == NODE_NAME && node->assign.targets.items[0]->fact &&
        is_zero_or_one(start_of(value))) {
        flags->of[node->assign.targets.items[0]->fact - 1].stores++;
        return;
    }
    if (value && value->kind == NODE_NAME && value->fact && node->assign.targets.items[0]->kind == NODE_SUBSCRIPT)
        flags->of[value->fact - 1].truths++; /* done[i] = hit */
    if (is_truth_test(node))
        flags->of[node->compare.left->fact - 1].truths++;
    if (node->kind == NODE_NAME && node->fact)
        ++*(node->name.store ? &flags->of[node->fact - 1].others : &flags->of[node->fact - 1].loads);
    draft_slots(*place, note_uses, user);
}

static Node *truth(Draft *d, bool value)
{
    Node *node = draft_new(d, NODE_CONSTANT);
    node->constant.kind = CONSTANT_BOOL;
    node->constant.truth = value;
    return node;
}

/* hit = 1 as hit = True, hit == 0 as not hit; where the number itself is wanted, int(hit) */
static void rewrite_local(Node **place, void *user)
{
    LocalFlags *flags = user;
    Node *node = *place;
    if (node->kind == NODE_ASSIGN && node->assign.targets.items[0]->fact == flags->fact) {
        node->assign.value = truth(flags->d, constant_integer(start_of(node->assign.value)) == 1);
        return;
    }
    if (is_truth_test(node) && node->compare.left->fact == flags->fact)
        rewrite_test(flags->d, place);
    else if (node->kind == NODE_NAME && node->fact == flags->fact)
        *place = draft_call(flags->d, draft_word(flags->d, "int"), place, 1);
    else
        draft_slots(node, rewrite_local, user);
}

/* Variables that are set to 0 or 1 several times. */
static void make_locals_bool(Draft *d)
{
    LocalFlags flags = {.d = d, .of = ARENA_ARRAY(d->arena, LocalFlag, d->symbol_count)};
    for (uint32_t k = 0; k < d->body.count; k++)
        note_uses(&d->body.items[k], &flags);
    for (uint32_t i = 1; i < d->symbol_count; i++) {
        if (d->symbols[i].kind != SYMBOL_LOCAL || flags.of[i].stores < 2 || flags.of[i].others ||
            flags.of[i].truths != flags.of[i].loads)
            continue;
        flags.fact = i + 1;
        for (uint32_t k = 0; k < d->body.count; k++)
            rewrite_local(&d->body.items[k], &flags);
    }
}

void make_flags_bool(Draft *d)
{
    if (!d->habits.bool_flags)
        return;
    make_locals_bool(d);
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
