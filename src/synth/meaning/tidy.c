/* What nobody would write: a value that is overwritten before it is read, two names for the same value, and an expression written
 * out again where its value has a name. Choices of scenes, scenes that follow each other, and habits bring them about. */
#include "synth/meaning/load.h"
#include "synth/meaning/style.h"

#include <string.h>

enum { MAX_KNOWN = 96 };

/* A name, and what it stands for as long as nothing in it is changed. */
typedef struct Known {
    Node *value;
    uint64_t mentions; /* symbols of the value, by the last six bits of their numbers */
    uint32_t symbol;
} Known;

typedef struct Tidier {
    Draft *d;
    Usage usage;
    uint32_t *instead; /* by symbol: the name that has the same value, and one; 0: none */
    Known known[MAX_KNOWN];
    uint32_t count;
} Tidier;

/* ---- what has the same value wherever it is written ---- */

void list_pure_builtins(Meaning *meaning)
{
    static const char words[] =
        "length length_sq dot cross sqrt normalize transpose abs floor max min vec2 vec3 vec4 exp log inverse sin cos "
        "pow clamp trace outer quat_rotate determinant ddot tan atan2 sign quat_inverse quat_rotate_inv quat_to_matrix "
        "transform_get_translation transform_get_rotation transform_inverse transform_point transform_vector cw_mul "
        "cw_div diag get_diag skew tanh radians degrees";
    names_of_words(&meaning->pure, meaning->arena, words);
}

static bool is_pure_call(const Draft *d, const Node *call)
{
    const Node *function = call->call.func;
    if (function->kind == NODE_NAME)
        return !function->fact && (name_is(function->name.id, "float") || name_is(function->name.id, "int"));
    Name called = builtin_called(call);
    return called && name_find(&d->meaning->pure, called->hash, called->text, called->len);
}

static bool is_pure(const Draft *d, const Node *node);

static bool are_pure(const Draft *d, const NodeList *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (!is_pure(d, list->items[i]))
            return false;
    return true;
}

static bool is_pure(const Draft *d, const Node *node)
{
    switch (node->kind) {
    case NODE_NAME:
    case NODE_CONSTANT: return true;
    case NODE_ATTRIBUTE: return is_pure(d, node->attribute.value);
    case NODE_SUBSCRIPT: return is_pure(d, node->subscript.value) && is_pure(d, node->subscript.slice);
    case NODE_BIN_OP: return is_pure(d, node->bin_op.left) && is_pure(d, node->bin_op.right);
    case NODE_UNARY_OP: return is_pure(d, node->unary_op.operand);
    case NODE_TUPLE: return are_pure(d, &node->sequence.elts);
    case NODE_CALL: return is_pure_call(d, node) && !node->call.keywords.count && are_pure(d, &node->call.args);
    default: return false;
    }
}

static bool are_same(const NodeList *a, const NodeList *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!is_same(a->items[i], b->items[i]))
            return false;
    return true;
}

static bool is_same_constant(const Node *a, const Node *b)
{
    if (a->constant.kind != b->constant.kind)
        return false;
    return a->constant.kind == CONSTANT_INT     ? constant_integer(a) == constant_integer(b)
           : a->constant.kind == CONSTANT_FLOAT ? a->constant.real == b->constant.real
                                                : false;
}

bool is_same(const Node *a, const Node *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case NODE_NAME: return a->fact == b->fact && (a->fact || strcmp(a->name.id->text, b->name.id->text) == 0);
    case NODE_CONSTANT: return is_same_constant(a, b);
    case NODE_ATTRIBUTE:
        return a->fact == b->fact && strcmp(a->attribute.attr->text, b->attribute.attr->text) == 0 &&
               is_same(a->attribute.value, b->attribute.value);
    case NODE_SUBSCRIPT:
        return is_same(a->subscript.value, b->subscript.value) && is_same(a->subscript.slice, b->subscript.slice);
    case NODE_BIN_OP:
        return a->bin_op.op == b->bin_op.op && is_same(a->bin_op.left, b->bin_op.left) &&
               is_same(a->bin_op.right, b->bin_op.right);
    case NODE_UNARY_OP: return a->unary_op.op == b->unary_op.op && is_same(a->unary_op.operand, b->unary_op.operand);
    case NODE_TUPLE: return are_same(&a->sequence.elts, &b->sequence.elts);
    case NODE_CALL: return is_same(a->call.func, b->call.func) && are_same(&a->call.args, &b->call.args);
    default: return false;
    }
}

static bool mentions_symbols(const Node *node)
{
    switch (node->kind) {
    case NODE_NAME: return node->fact != 0;
    case NODE_BIN_OP: return mentions_symbols(node->bin_op.left) || mentions_symbols(node->bin_op.right);
    case NODE_UNARY_OP: return mentions_symbols(node->unary_op.operand);
    case NODE_CALL:
        for (uint32_t i = 0; i < node->call.args.count; i++)
            if (mentions_symbols(node->call.args.items[i]))
                return true;
        return false;
    default: return node->kind == NODE_SUBSCRIPT || node->kind == NODE_ATTRIBUTE;
    }
}

/* ---- names for the same value ---- */

/* An element, or more than one operation: x[i], wp.length(d), a * b. What is shorter is written again. */
static bool is_worth_a_name(const Draft *d, const Node *value)
{
    return (value->kind == NODE_SUBSCRIPT || value->kind == NODE_CALL || value->kind == NODE_BIN_OP) &&
           is_pure(d, value) && mentions_symbols(value);
}

static void use_names(Node **place, void *user)
{
    const Tidier *tidier = user;
    Node *node = *place;
    if (node->kind == NODE_NAME) {
        if (!node->name.store && node->fact && tidier->instead[node->fact - 1])
            node->fact = tidier->instead[node->fact - 1];
        return;
    }
    if (is_statement(node))
        return; /* a statement: its lists are walked on their own */
    draft_slots(node, use_names, user);
    if (node->kind != NODE_SUBSCRIPT && node->kind != NODE_CALL && node->kind != NODE_BIN_OP)
        return;
    for (uint32_t i = 0; i < tidier->count; i++)
        if (tidier->known[i].value->kind == node->kind && is_same(tidier->known[i].value, node) &&
            is_pure(tidier->d, node)) {
            *place = draft_name(tidier->d, tidier->known[i].symbol);
            return;
        }
}

/* x[i] as the target of a store stays, but its index is a value like others. */
static void use_names_in_target(Node *target, Tidier *tidier)
{
    if (target->kind == NODE_SUBSCRIPT)
        use_names(&target->subscript.slice, tidier);
    else if (target->kind == NODE_ATTRIBUTE)
        use_names_in_target(target->attribute.value, tidier);
}

static void use_names_in_call(Node *call, Tidier *tidier)
{
    bool changes = is_atomic_call(call);
    for (uint32_t i = changes; i < call->call.args.count; i++)
        use_names(&call->call.args.items[i], tidier);
}

static void use_names_in(Node *node, Tidier *tidier)
{
    switch (node->kind) {
    case NODE_ASSIGN:
        use_names_in_target(node->assign.targets.items[0], tidier);
        if (node->assign.value->kind == NODE_CALL)
            use_names_in_call(node->assign.value, tidier);
        else
            use_names(&node->assign.value, tidier);
        break;
    case NODE_AUG_ASSIGN:
        use_names_in_target(node->aug_assign.target, tidier);
        use_names(&node->aug_assign.value, tidier);
        break;
    case NODE_EXPR:
        if (node->expr.value->kind == NODE_CALL)
            use_names_in_call(node->expr.value, tidier);
        break;
    case NODE_RETURN:
        if (node->ret.value)
            use_names(&node->ret.value, tidier);
        break;
    case NODE_IF: use_names(&node->if_stmt.test, tidier); break;
    case NODE_FOR: use_names(&node->for_loop.iter, tidier); break;
    default: break;
    }
}

/* ---- what a statement changes ---- */

static uint64_t bit_of(uint32_t symbol)
{
    return (uint64_t)1 << (symbol & 63);
}

static void note_mentions(Node **place, void *user)
{
    uint64_t *mentions = user;
    if ((*place)->kind == NODE_NAME && (*place)->fact)
        *mentions |= bit_of((*place)->fact - 1);
    draft_slots(*place, note_mentions, user);
}

static void remember(Tidier *tidier, Node *value, uint32_t symbol)
{
    Known known = {value, 0, symbol};
    note_mentions(&value, &known.mentions);
    tidier->known[tidier->count++] = known;
}

static bool depends_on(const Known *known, uint32_t symbol)
{
    return known->symbol == symbol || ((known->mentions & bit_of(symbol)) && draft_uses(known->value, symbol));
}

static void forget_symbol(Tidier *tidier, uint32_t symbol)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < tidier->count; i++)
        if (!depends_on(&tidier->known[i], symbol))
            tidier->known[kept++] = tidier->known[i];
    tidier->count = kept;
}

static void forget_target(Tidier *tidier, const Node *target)
{
    if (target->kind == NODE_TUPLE)
        for (uint32_t i = 0; i < target->sequence.elts.count; i++)
            forget_target(tidier, target->sequence.elts.items[i]);
    else if (root_of(target)->kind == NODE_NAME && root_of(target)->fact)
        forget_symbol(tidier, root_of(target)->fact - 1);
}

/* Targets of assignments, arrays of atomics, everything that is passed to a function that is not known to be pure. */
static void forget_changed(Node **place, void *user)
{
    Tidier *tidier = user;
    const Node *node = *place;
    if (!tidier->count)
        return;
    switch (node->kind) {
    case NODE_ASSIGN: forget_target(tidier, node->assign.targets.items[0]); break;
    case NODE_AUG_ASSIGN: forget_target(tidier, node->aug_assign.target); break;
    case NODE_FOR: forget_target(tidier, node->for_loop.target); break;
    case NODE_CALL:
        if (!is_pure_call(tidier->d, node))
            for (uint32_t i = 0; i < node->call.args.count; i++)
                forget_target(tidier, node->call.args.items[i]);
        break;
    default: break;
    }
    draft_slots(*place, forget_changed, user);
}

/* Names whose components are changed, v[0] = x, are changed like those that are assigned twice. */
static void count_parts(Node **place, void *user)
{
    Tidier *tidier = user;
    const Node *node = *place;
    const Node *target = node->kind == NODE_ASSIGN       ? node->assign.targets.items[0]
                         : node->kind == NODE_AUG_ASSIGN ? node->aug_assign.target
                                                         : NULL;
    if (target && (node->kind == NODE_AUG_ASSIGN || target->kind != NODE_NAME) && root_of(target)->kind == NODE_NAME &&
        root_of(target)->fact)
        tidier->usage.stores[root_of(target)->fact - 1] += 2;
    draft_slots(*place, count_parts, user);
}

/* ---- lists ---- */

static void tidy_list(NodeList *list, void *user);

static void tidy_blocks(Node *node, Tidier *tidier)
{
    Known known[MAX_KNOWN];
    if (node->kind != NODE_IF)
        forget_changed(&node, tidier); /* the second time through, it is changed already */
    uint32_t before = tidier->count;
    memcpy(known, tidier->known, sizeof *known * before);
    NodeList *blocks[2] = {node->kind == NODE_IF    ? &node->if_stmt.body
                           : node->kind == NODE_FOR ? &node->for_loop.body
                                                    : &node->while_loop.body,
                           node->kind == NODE_IF ? &node->if_stmt.orelse : NULL};
    for (uint32_t i = 0; i < 2 && blocks[i]; i++) {
        memcpy(tidier->known, known, sizeof *known * before);
        tidier->count = before;
        tidy_list(blocks[i], tidier);
    }
    memcpy(tidier->known, known, sizeof *known * before);
    tidier->count = before;
    forget_changed(&node, tidier);
}

static const Known *find_known(const Tidier *tidier, const Node *value)
{
    for (uint32_t i = 0; i < tidier->count; i++)
        if (is_same(tidier->known[i].value, value))
            return &tidier->known[i];
    return NULL;
}

static void tidy_list(NodeList *list, void *user)
{
    Tidier *tidier = user;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        bool single = is_plain_assignment(node) && tidier->usage.stores[assigned_symbol(node)] == 1;
        if (single && is_worth_a_name(tidier->d, node->assign.value)) {
            draft_slots(node->assign.value, use_names, tidier);
            const Known *known = find_known(tidier, node->assign.value);
            if (known) {
                tidier->instead[assigned_symbol(node)] = known->symbol + 1;
                continue;
            }
        } else
            use_names_in(node, tidier);
        list->items[kept++] = node;
        if (node->kind == NODE_IF || node->kind == NODE_FOR || node->kind == NODE_WHILE)
            tidy_blocks(node, tidier);
        else
            forget_changed(&node, tidier);
        if (single && is_worth_a_name(tidier->d, node->assign.value) && tidier->count < MAX_KNOWN)
            remember(tidier, node->assign.value, assigned_symbol(node));
    }
    list->count = kept;
}

/* ---- values that nobody reads ---- */

typedef struct Liveness {
    Draft *d;
    bool *live;       /* by symbol: is it read later? */
    bool *next_round; /* of the loop around: where continue and break lead to; NULL: there is none */
} Liveness;

static void mark_loads(Node **place, void *user)
{
    const Liveness *liveness = user;
    if ((*place)->kind == NODE_NAME && (*place)->fact && !(*place)->name.store)
        liveness->live[(*place)->fact - 1] = true;
    draft_slots(*place, mark_loads, user);
}

/* What a loop reads anywhere is read the next time around; x += 1 reads x. */
static void mark_all_loads(Node **place, void *user)
{
    const Liveness *liveness = user;
    const Node *node = *place;
    if (node->kind == NODE_NAME && node->fact && !node->name.store)
        liveness->live[node->fact - 1] = true;
    if (node->kind == NODE_AUG_ASSIGN && root_of(node->aug_assign.target)->kind == NODE_NAME &&
        root_of(node->aug_assign.target)->fact)
        liveness->live[root_of(node->aug_assign.target)->fact - 1] = true;
    draft_slots(*place, mark_all_loads, user);
}

static bool *copy_of_live(const Liveness *liveness)
{
    size_t size = sizeof(bool) * (liveness->d->symbol_count + 1);
    return memcpy(arena_take(liveness->d->arena, size), liveness->live, size);
}

static void drop_unread(Liveness *liveness, NodeList *list);

static void drop_unread_in_loop(Liveness *liveness, Node *loop)
{
    mark_all_loads(&loop, liveness);
    Liveness inner = {liveness->d, copy_of_live(liveness), NULL};
    inner.next_round = copy_of_live(&inner);
    drop_unread(&inner, loop->kind == NODE_FOR ? &loop->for_loop.body : &loop->while_loop.body);
}

/* From the last statement to the first. */
static void drop_unread(Liveness *liveness, NodeList *list)
{
    uint32_t first = list->count;
    for (uint32_t i = list->count; i-- > 0;) {
        Node *node = list->items[i];
        if (is_plain_assignment(node) && is_pure(liveness->d, node->assign.value)) {
            if (!liveness->live[assigned_symbol(node)])
                continue;
            liveness->live[assigned_symbol(node)] = false;
        }
        if ((node->kind == NODE_CONTINUE || node->kind == NODE_BREAK) && liveness->next_round)
            for (uint32_t k = 0; k < liveness->d->symbol_count; k++)
                liveness->live[k] |= liveness->next_round[k];
        if (node->kind == NODE_FOR || node->kind == NODE_WHILE)
            drop_unread_in_loop(liveness, node);
        else if (node->kind == NODE_IF) {
            bool *after = liveness->live, *other = copy_of_live(liveness);
            drop_unread(liveness, &node->if_stmt.body);
            drop_unread(&(Liveness){liveness->d, other, liveness->next_round}, &node->if_stmt.orelse);
            for (uint32_t k = 0; k < liveness->d->symbol_count; k++)
                after[k] |= other[k];
            mark_loads(&node->if_stmt.test, liveness);
        } else
            mark_loads(&node, liveness);
        if (node->kind == NODE_AUG_ASSIGN && node->aug_assign.target->kind == NODE_NAME &&
            node->aug_assign.target->fact)
            liveness->live[node->aug_assign.target->fact - 1] = true;
        list->items[--first] = node;
    }
    list->count -= first;
    if (first)
        memmove(list->items, list->items + first, sizeof(Node *) * list->count);
}

void tidy_values(Draft *d, NodeList *body)
{
    drop_neutral_numbers(d, body);
    Liveness liveness = {d, ARENA_ARRAY(d->arena, bool, d->symbol_count + 1), NULL};
    drop_unread(&liveness, body);
    Tidier *tidier = ARENA_NEW(d->arena, Tidier);
    tidier->d = d;
    tidier->usage = usage_of(d, body);
    tidier->instead = ARENA_ARRAY(d->arena, uint32_t, d->symbol_count + 1);
    for (uint32_t i = 0; i < body->count; i++)
        count_parts(&body->items[i], tidier);
    tidy_list(body, tidier);
    prune_unused(d, body);
}
