/* Liveness: what feeds no output is removed, so that every statement and every parameter matters. */
#include "synth/make.h"

#include <string.h>

typedef struct Live {
    Synth *synth;
    const NameSet *arrays;
    NameSet names;
    bool changed, removed;
    bool dry;                /* nothing is removed: only what is live is found out */
    const struct Live *loop; /* what a jump leads to */
} Live;

static bool is_live(const Live *live, Name name)
{
    return names_contain(&live->names, name);
}

static void mark(Live *live, Name name)
{
    uint64_t *word = &live->names.words[name->id / NAME_SET_BITS], before = *word;
    *word |= (uint64_t)1 << name->id % NAME_SET_BITS;
    live->changed |= *word != before;
}

/* Every name in an expression; stored names do not count as read. */
static void mark_names(Node *node, void *user)
{
    if (node->kind == NODE_NAME) {
        if (!node->name.store)
            mark(user, node->name.id);
        return;
    }
    node_children(node, mark_names, user);
}

typedef struct Mention {
    Name name;
    bool found;
} Mention;

static void look_for(Node *node, void *user)
{
    Mention *mention = user;
    if (node->kind == NODE_NAME && node->name.id == mention->name)
        mention->found = true;
    node_children(node, look_for, user);
}

bool mentions(const Node *node, Name name)
{
    Mention mention = {name, false};
    look_for((Node *)node, &mention);
    return mention.found;
}

static const Node *base_of(const Node *node)
{
    while (node->kind == NODE_SUBSCRIPT || node->kind == NODE_ATTRIBUTE)
        node = node->kind == NODE_SUBSCRIPT ? node->subscript.value : node->attribute.value;
    return node;
}

/* Does a store to this place matter? */
static bool target_matters(const Live *live, const Node *place)
{
    if (place->kind == NODE_TUPLE) {
        for (uint32_t i = 0; i < place->sequence.elts.count; i++)
            if (target_matters(live, place->sequence.elts.items[i]))
                return true;
        return false;
    }
    const Node *base = base_of(place);
    return base->kind != NODE_NAME || names_contain(live->arrays, base->name.id) || is_live(live, base->name.id);
}

static bool is_comment(const Node *node)
{
    return node->kind == NODE_EXPR && node->expr.value->kind == NODE_NAME && node->expr.value->name.id->text[0] == '#';
}

static bool block_matters(const Live *live, const NodeList *body);

static bool matters(const Live *live, const Node *node)
{
    switch (node->kind) {
    case NODE_ASSIGN: return target_matters(live, node->assign.targets.items[0]);
    case NODE_AUG_ASSIGN: return target_matters(live, node->aug_assign.target);
    case NODE_EXPR: return !is_comment(node);
    case NODE_IF: return block_matters(live, &node->if_stmt.body) || block_matters(live, &node->if_stmt.orelse);
    case NODE_FOR: return block_matters(live, &node->for_loop.body);
    case NODE_WHILE: return block_matters(live, &node->while_loop.body);
    case NODE_RETURN: return true;
    default: return false; /* a jump matters only where something else does */
    }
}

static bool block_matters(const Live *live, const NodeList *body)
{
    for (uint32_t i = 0; i < body->count; i++)
        if (matters(live, body->items[i]))
            return true;
    return false;
}

static bool has_jump(const NodeList *body)
{
    for (uint32_t i = 0; i < body->count; i++) {
        const Node *node = body->items[i];
        if (node->kind == NODE_BREAK || node->kind == NODE_CONTINUE)
            return true;
        if (node->kind == NODE_IF && (has_jump(&node->if_stmt.body) || has_jump(&node->if_stmt.orelse)))
            return true;
    }
    return false;
}

/* Jumps are kept wherever their loop is. */
static bool keeps(const Live *live, const Node *node)
{
    if (node->kind == NODE_BREAK || node->kind == NODE_CONTINUE)
        return true;
    if (node->kind == NODE_IF && (has_jump(&node->if_stmt.body) || has_jump(&node->if_stmt.orelse)))
        return true;
    return matters(live, node);
}

static void mark_block(Live *live, NodeList *body);

static void mark_statement(Live *live, Node *node)
{
    switch (node->kind) {
    case NODE_IF:
        mark_names(node->if_stmt.test, live);
        mark_block(live, &node->if_stmt.body);
        mark_block(live, &node->if_stmt.orelse);
        break;
    case NODE_FOR:
        mark_names(node->for_loop.iter, live);
        mark_block(live, &node->for_loop.body);
        break;
    case NODE_WHILE:
        mark_names(node->while_loop.test, live);
        mark_block(live, &node->while_loop.body);
        break;
    default: node_children(node, mark_names, live);
    }
}

/* From the end: what a statement needs stands before it, so that few rounds are enough. */
static void mark_block(Live *live, NodeList *body)
{
    for (uint32_t i = body->count; i-- > 0;)
        if (keeps(live, body->items[i]))
            mark_statement(live, body->items[i]);
}

static void sweep(const Live *live, NodeList *body)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < body->count; i++) {
        Node *node = body->items[i];
        bool comment_for_kept = is_comment(node) && i + 1 < body->count && keeps(live, body->items[i + 1]);
        if (!keeps(live, node) && !comment_for_kept)
            continue;
        if (node->kind == NODE_IF) {
            sweep(live, &node->if_stmt.body);
            sweep(live, &node->if_stmt.orelse);
            if (!node->if_stmt.body.count) { /* only the other branch is left: the condition is turned round */
                node->if_stmt.body = node->if_stmt.orelse;
                node->if_stmt.orelse = (NodeList){0};
                Node *not_node = ARENA_NEW(live->synth->arena, Node);
                not_node->kind = NODE_UNARY_OP;
                not_node->unary_op.op = OP_NOT;
                not_node->unary_op.operand = node->if_stmt.test;
                node->if_stmt.test = not_node;
            }
        } else if (node->kind == NODE_FOR) {
            sweep(live, &node->for_loop.body);
        } else if (node->kind == NODE_WHILE) {
            sweep(live, &node->while_loop.body);
        }
        body->items[kept++] = node;
    }
    body->count = kept;
}

/* Functions, structs and constants that are still named, from the last one back: an earlier one may serve a later. */
static void sweep_module(Live *live)
{
    Synth *s = live->synth;
    for (uint32_t i = 0; i < s->param_count; i++)
        if (is_live(live, s->params[i].name))
            mark_names(annotation(s, s->params[i].type), live);
    for (uint32_t i = s->module.count; i-- > 0;) {
        Node *node = s->module.items[i];
        Name name = node->kind == NODE_ASSIGN         ? node->assign.targets.items[0]->name.id
                    : node->kind == NODE_FUNCTION_DEF ? node->function.name
                                                      : node->class_def.name;
        if (is_live(live, name))
            node_children(node, mark_names, live);
        else
            s->module.items[i] = NULL;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->module.count; i++)
        if (s->module.items[i])
            s->module.items[kept++] = s->module.items[i];
    s->module.count = kept;
}

/* ---- assignments that are overwritten, or never read again ---- */

static void collect_names(Node *node, void *user)
{
    Live *live = user;
    if (node->kind == NODE_NAME && !node->name.store)
        mark(live, node->name.id);
    node_children(node, collect_names, user);
}

static void unmark(Live *live, Name name)
{
    live->names.words[name->id / NAME_SET_BITS] &= ~((uint64_t)1 << name->id % NAME_SET_BITS);
}

static void merge(Live *into, const Live *from)
{
    for (uint32_t i = 0; i < MAX_NAMES / NAME_SET_BITS; i++) {
        into->changed |= (from->names.words[i] & ~into->names.words[i]) != 0;
        into->names.words[i] |= from->names.words[i];
    }
}

static void backward_block(Live *live, NodeList *body);

/* Is there more than jumps left? */
static bool block_has_work(const NodeList *body)
{
    for (uint32_t i = 0; i < body->count; i++) {
        const Node *node = body->items[i];
        bool only_jumps = node->kind == NODE_BREAK || node->kind == NODE_CONTINUE || is_comment(node);
        if (node->kind == NODE_IF)
            only_jumps = !block_has_work(&node->if_stmt.body) && !block_has_work(&node->if_stmt.orelse);
        if (!only_jumps)
            return true;
    }
    return false;
}

/* What is live before the statement, given what is live after it. False: it does nothing. */
static bool backward(Live *live, Node *node)
{
    switch (node->kind) {
    case NODE_ASSIGN: {
        Node *place = node->assign.targets.items[0];
        if (place->kind != NODE_NAME)
            break;
        if (!is_live(live, place->name.id))
            return false;
        unmark(live, place->name.id);
        collect_names(node->assign.value, live);
        return true;
    }
    case NODE_AUG_ASSIGN:
        if (node->aug_assign.target->kind == NODE_NAME && !is_live(live, node->aug_assign.target->name.id))
            return false;
        break;
    case NODE_IF: {
        Live other = *live;
        Live after = *live;
        backward_block(live, &node->if_stmt.body);
        backward_block(&other, &node->if_stmt.orelse);
        merge(live, &other);
        live->removed |= other.removed;
        if (node->if_stmt.orelse.count == 0)
            merge(live, &after);
        if (!node->if_stmt.body.count && !node->if_stmt.orelse.count) {
            after.removed = live->removed;
            *live = after; /* its condition is not needed either */
            return false;
        }
        collect_names(node->if_stmt.test, live);
        return true;
    }
    case NODE_FOR:
    case NODE_WHILE: { /* what one round reads, the round before must leave */
        NodeList *body = node->kind == NODE_FOR ? &node->for_loop.body : &node->while_loop.body;
        Live head = *live;
        collect_names(node->kind == NODE_FOR ? node->for_loop.iter : node->while_loop.test, &head);
        do {
            Live round = head;
            round.dry = true;
            round.loop = &head;
            head.changed = false;
            backward_block(&round, body);
            merge(&head, &round);
        } while (head.changed);
        Live inside = head;
        inside.dry = live->dry;
        inside.loop = &head;
        backward_block(&inside, body);
        if (!block_has_work(body)) {
            live->removed |= inside.removed;
            return false;
        }
        head.removed = live->removed | inside.removed;
        head.dry = live->dry;
        head.loop = live->loop;
        *live = head;
        return true;
    }
    case NODE_BREAK:
    case NODE_CONTINUE:
        if (live->loop)
            merge(live, live->loop);
        return true;
    default: break;
    }
    if (!is_comment(node))
        node_children(node, collect_names, live);
    return true;
}

static void backward_block(Live *live, NodeList *body)
{
    for (uint32_t i = body->count; i-- > 0;)
        if (!backward(live, body->items[i]) && !live->dry) {
            memmove(&body->items[i], &body->items[i + 1], sizeof(Node *) * (body->count - i - 1));
            body->count--;
            live->removed = true;
        }
}

static NameSet array_names(const Synth *s)
{
    Live arrays = {0};
    for (uint32_t i = 0; i < s->array_count; i++)
        mark(&arrays, s->arrays[i]->name);
    return arrays.names;
}

/* Names beyond what a set holds: no kernel has so many, and one that had is given up. */
static bool has_too_many_names(Synth *s)
{
    if (s->names.count <= MAX_NAMES - 64) /* types that are spelled out add a few */
        return false;
    s->failed = true;
    s->failure = "too many names";
    return true;
}

/* The same for a helper function: what its results do not need. */
void prune_function(Synth *s, NodeList *body)
{
    if (has_too_many_names(s))
        return;
    NameSet arrays = array_names(s);
    Live live;
    do {
        live = (Live){.synth = s, .arrays = &arrays};
        backward_block(&live, body);
    } while (live.removed);
}

void prune(Synth *s)
{
    if (has_too_many_names(s))
        return;
    NameSet arrays = array_names(s);
    Live live = {.synth = s, .arrays = &arrays};
    do {
        live.names = (NameSet){0};
        do {
            live.changed = false;
            mark_block(&live, &s->body);
        } while (live.changed);
        sweep(&live, &s->body);
        Live flow = {.synth = s, .arrays = &arrays};
        backward_block(&flow, &s->body);
        live.removed = flow.removed;
    } while (live.removed);
    sweep_module(&live);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->param_count; i++)
        if (is_live(&live, s->params[i].name))
            s->params[kept++] = s->params[i];
    s->param_count = kept;
    uint32_t facts = 0;
    for (uint32_t i = 0; i < s->fact_count; i++)
        for (uint32_t k = 0; k < s->body.count; k++)
            if (s->body.items[k] == s->fact_nodes[i]) {
                s->fact_nodes[facts] = s->fact_nodes[i];
                s->facts[facts++] = s->facts[i];
                break;
            }
    s->fact_count = facts;
}
