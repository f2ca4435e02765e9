/* Names for numbers that never change: where a scene leaves a factor or a summand out, its name would stand for one or zero; where it leaves
 * out what sets a flag, conditions would ask for what cannot be. */
#include "synth/meaning/style.h"

#include <string.h>

typedef struct Neutrals {
    Draft *d;
    const Node **values; /* by symbol: the number that it always is, or NULL */
    uint32_t count;
} Neutrals;

typedef struct Search {
    Neutrals neutrals;
    uint32_t *changes; /* by symbol: statements that set it alone */
    const Usage *usage;
} Search;

static void count_changes(NodeList *list, void *user)
{
    Search *search = user;
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        draft_lists(node, count_changes, user);
        const Node *target = node->kind == NODE_AUG_ASSIGN ? node->aug_assign.target : NULL;
        if (is_plain_assignment(node))
            search->changes[assigned_symbol(node)]++;
        else if (target && target->kind == NODE_NAME && target->fact)
            search->changes[target->fact - 1]++;
    }
}

/* The number in 1.0, float(1.0) or wp.float32(1.0); NULL: it is none. */
static const Node *number_in(const Node *node)
{
    static const char *const casts[] = {"int", "float", "int32", "float32", "float64"};
    bool is_cast = false;
    if (node->kind == NODE_CALL && node->call.args.count == 1) {
        const Node *function = node->call.func;
        const char *name = function->kind == NODE_NAME        ? function->name.id->text
                           : function->kind == NODE_ATTRIBUTE ? function->attribute.attr->text
                                                              : "";
        for (size_t i = 0; i < sizeof casts / sizeof *casts; i++)
            is_cast |= strcmp(name, casts[i]) == 0;
    }
    node = is_cast ? node->call.args.items[0] : node;
    bool is_number =
        node->kind == NODE_CONSTANT && (node->constant.kind == CONSTANT_INT || node->constant.kind == CONSTANT_FLOAT);
    return is_number ? node : NULL;
}

static void find_neutrals(NodeList *list, void *user)
{
    Search *search = user;
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        draft_lists(node, find_neutrals, user);
        if (is_plain_assignment(node) && search->changes[assigned_symbol(node)] == 1 &&
            search->usage->stores[assigned_symbol(node)] == 1)
            search->neutrals.values[assigned_symbol(node)] = number_in(node->assign.value);
    }
}

/* The number that it always is, written out or by name. False: it may change. */
static bool is_known(const Neutrals *neutrals, const Node *node, double *number)
{
    if (node->kind == NODE_NAME && node->fact && node->fact <= neutrals->count)
        node = neutrals->values[node->fact - 1];
    node = node ? number_in(node) : NULL;
    if (node)
        *number = node->constant.kind == CONSTANT_FLOAT ? node->constant.real : (double)constant_integer(node);
    return node;
}

static bool is_always(const Neutrals *neutrals, const Node *node, int number)
{
    double known;
    return is_known(neutrals, node, &known) && known == number;
}

/* ---- sums and products ---- */

static void drop_operand(Node **place, const Neutrals *neutrals)
{
    Node *node = *place, *left = node->bin_op.left, *right = node->bin_op.right;
    OpKind op = node->bin_op.op;
    int number = op == OP_MULT || op == OP_DIV ? 1 : 0;
    if (op != OP_MULT && op != OP_DIV && op != OP_ADD && op != OP_SUB)
        return;
    if (is_always(neutrals, right, number))
        *place = left;
    else if ((op == OP_MULT || op == OP_ADD) && is_always(neutrals, left, number))
        *place = right;
}

/* ---- conditions ---- */

/* Does it hold always, never, or does that depend on something? */
typedef enum Truth { OPEN, ALWAYS, NEVER } Truth;

static Truth truth_of(const Neutrals *neutrals, const Node *test)
{
    double a, b;
    if (test->kind != NODE_COMPARE || test->compare.comparators.count != 1 ||
        !is_known(neutrals, test->compare.left, &a) || !is_known(neutrals, test->compare.comparators.items[0], &b))
        return OPEN;
    switch (test->compare.ops[0]) {
    case OP_EQ: return a == b ? ALWAYS : NEVER;
    case OP_NOT_EQ: return a != b ? ALWAYS : NEVER;
    case OP_LT: return a < b ? ALWAYS : NEVER;
    case OP_LT_E: return a <= b ? ALWAYS : NEVER;
    case OP_GT: return a > b ? ALWAYS : NEVER;
    case OP_GT_E: return a >= b ? ALWAYS : NEVER;
    default: return OPEN;
    }
}

/* Leaves out what changes nothing in `a or b`, `a and b`. One that is decided becomes the part that decides it. */
static void drop_parts(Node **place, const Neutrals *neutrals)
{
    Node *node = *place;
    NodeList *parts = &node->bool_op.values;
    Truth without = node->bool_op.op == OP_OR ? NEVER : ALWAYS;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < parts->count; i++) {
        Truth truth = truth_of(neutrals, parts->items[i]);
        if (truth == without)
            continue;
        if (truth != OPEN) {
            *place = parts->items[i];
            return;
        }
        parts->items[kept++] = parts->items[i];
    }
    if (kept == 0) {
        *place = parts->items[0];
        return;
    }
    parts->count = kept;
    if (kept == 1)
        *place = parts->items[0];
}

static void drop_neutral(Node **place, void *user)
{
    const Neutrals *neutrals = user;
    Node *node = *place;
    draft_slots(node, drop_neutral, user);
    if (node->kind == NODE_BIN_OP)
        drop_operand(place, neutrals);
    else if (node->kind == NODE_BOOL_OP)
        drop_parts(place, neutrals);
    else if (node->kind == NODE_IF_EXP) {
        Truth truth = truth_of(neutrals, node->if_exp.test);
        if (truth != OPEN)
            *place = truth == ALWAYS ? node->if_exp.body : node->if_exp.orelse;
    }
}

/* Statements that are never reached, and conditions that always hold; a comment before them goes with them. */
static void drop_branches(NodeList *list, void *user)
{
    const Neutrals *neutrals = user;
    for (uint32_t i = 0; i < list->count;) {
        Node *node = list->items[i];
        draft_lists(node, drop_branches, user);
        Truth truth = node->kind == NODE_IF ? truth_of(neutrals, node->if_stmt.test) : OPEN;
        if (truth == OPEN) {
            i++;
            continue;
        }
        uint32_t first = i;
        while (first && is_comment(list->items[first - 1]))
            first--;
        const NodeList *instead = truth == ALWAYS ? &node->if_stmt.body : &node->if_stmt.orelse;
        memmove(list->items + first, list->items + i + 1, sizeof *list->items * (list->count - i - 1));
        list->count -= i + 1 - first;
        draft_insert(neutrals->d, list, first, instead);
        i = first + instead->count;
    }
}

void drop_neutral_numbers(Draft *d, NodeList *body)
{
    Usage usage = usage_of(d, body);
    Search search = {{d, ARENA_ARRAY(d->arena, const Node *, d->symbol_count + 1), d->symbol_count},
                     ARENA_ARRAY(d->arena, uint32_t, d->symbol_count + 1),
                     &usage};
    count_changes(body, &search);
    find_neutrals(body, &search);
    for (uint32_t i = 0; i < body->count; i++)
        drop_neutral(&body->items[i], &search.neutrals);
    drop_branches(body, &search.neutrals);
}
