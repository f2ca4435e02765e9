/* Liveness: what feeds no output is removed, so that every statement and every parameter matters. */
#include "synth/random/make.h"

#include <string.h>

static bool is_live(const NameSet *live, Name name)
{
    return names_contain(live, name);
}

static void add_name(uint64_t *set, Name name)
{
    set[name->id / NAME_SET_BITS] |= (uint64_t)1 << name->id % NAME_SET_BITS;
}

/* Every name in an expression; stored names do not count as read. */
static void mark_names(const Node *node, void *user)
{
    if (node->kind != NODE_NAME)
        part_children(node, mark_names, user);
    else if (!node->name.store)
        add_name(user, node->name.id);
}

typedef struct Mention {
    Name name;
    bool found;
} Mention;

static void look_for(const Node *node, void *user)
{
    Mention *mention = user;
    if (node->kind == NODE_NAME && node->name.id == mention->name)
        mention->found = true;
    part_children(node, look_for, user);
}

bool mentions(const Node *node, Name name)
{
    Mention mention = {name, false};
    look_for(node, &mention);
    return mention.found;
}

/* ---- statements, and what they read and write ---- */

typedef struct Steps {
    struct Step *items;
    uint32_t count;
} Steps;

/* A statement with what is found out about it once, as it is asked for many times. */
typedef struct Step {
    Node *node;
    uint64_t *reads;    /* a set: the names in its own expressions, not in those of the blocks in it; see reads_of */
    Name target;        /* the variable that it sets, wholly or in part */
    const Node *tuple;  /* or several of them */
    Steps body, orelse; /* of a branch or a loop */
    bool whole;         /* the target, not a part of it */
    bool stores;        /* to an array, or has another effect */
    bool jumps;         /* is a jump, or a branch with one: kept wherever its loop is */
    bool comment;
} Step;

typedef struct Flow {
    Synth *synth;
    NameSet arrays;
    uint32_t words; /* of a set that are in use */
} Flow;

static const Node *base_of(const Node *node)
{
    while (node->kind == NODE_SUBSCRIPT || node->kind == NODE_ATTRIBUTE)
        node = node->kind == NODE_SUBSCRIPT ? node->subscript.value : node->attribute.value;
    return node;
}

static bool is_comment(const Node *node)
{
    return node->kind == NODE_EXPR && node->expr.value->kind == NODE_NAME && node->expr.value->name.id->text[0] == '#';
}

static bool holds_jump(const Steps *steps)
{
    for (uint32_t i = 0; i < steps->count; i++)
        if (steps->items[i].jumps)
            return true;
    return false;
}

static void find_target(const Flow *flow, Step *step, const Node *place)
{
    const Node *base = base_of(place);
    if (place->kind == NODE_TUPLE)
        step->tuple = place;
    else if (base->kind != NODE_NAME || names_contain(&flow->arrays, base->name.id))
        step->stores = true;
    else
        step->target = base->name.id;
    step->whole = place->kind == NODE_NAME;
}

static Steps steps_of(const Flow *flow, const NodeList *body);

static void find_out(const Flow *flow, Step *step)
{
    Node *node = step->node;
    step->comment = is_comment(node);
    switch (node->kind) {
    case NODE_IF:
        step->body = steps_of(flow, &node->if_stmt.body);
        step->orelse = steps_of(flow, &node->if_stmt.orelse);
        step->jumps = holds_jump(&step->body) || holds_jump(&step->orelse);
        break;
    case NODE_FOR: step->body = steps_of(flow, &node->for_loop.body); break;
    case NODE_WHILE: step->body = steps_of(flow, &node->while_loop.body); break;
    case NODE_ASSIGN: find_target(flow, step, node->assign.targets.items[0]); break;
    case NODE_AUG_ASSIGN: find_target(flow, step, node->aug_assign.target); break;
    case NODE_EXPR: step->stores = !step->comment; break;
    case NODE_RETURN: step->stores = true; break;
    default: step->jumps = node->kind == NODE_BREAK || node->kind == NODE_CONTINUE;
    }
}

/* Found out when it is asked for: most statements that are dropped are never asked. */
static const uint64_t *reads_of(const Flow *flow, Step *step)
{
    if (step->reads)
        return step->reads;
    Node *node = step->node;
    step->reads = ARENA_ARRAY(flow->synth->arena, uint64_t, flow->words);
    switch (node->kind) {
    case NODE_IF: mark_names(node->if_stmt.test, step->reads); break;
    case NODE_FOR: mark_names(node->for_loop.iter, step->reads); break;
    case NODE_WHILE: mark_names(node->while_loop.test, step->reads); break;
    default:
        if (!step->comment)
            node_children(node, mark_names, step->reads);
    }
    return step->reads;
}

static Steps steps_of(const Flow *flow, const NodeList *body)
{
    if (!body->count)
        return (Steps){0};
    Steps steps = {ARENA_ARRAY(flow->synth->arena, Step, body->count), body->count};
    for (uint32_t i = 0; i < body->count; i++) {
        steps.items[i].node = body->items[i];
        find_out(flow, &steps.items[i]);
    }
    return steps;
}

/* What is left of a block. */
static void write_back(const Steps *steps, NodeList *body)
{
    body->count = steps->count;
    for (uint32_t i = 0; i < steps->count; i++) {
        const Step *step = &steps->items[i];
        Node *node = body->items[i] = step->node;
        if (node->kind == NODE_IF) {
            write_back(&step->body, &node->if_stmt.body);
            write_back(&step->orelse, &node->if_stmt.orelse);
        } else if (node->kind == NODE_FOR || node->kind == NODE_WHILE) {
            write_back(&step->body, node->kind == NODE_FOR ? &node->for_loop.body : &node->while_loop.body);
        }
    }
}

/* True: something new was added. */
static bool add_names(const Flow *flow, NameSet *to, const uint64_t *from)
{
    uint64_t added = 0;
    for (uint32_t i = 0; i < flow->words; i++) {
        added |= from[i] & ~to->words[i];
        to->words[i] |= from[i];
    }
    return added != 0;
}

/* ---- statements that feed no output ---- */

static bool tuple_matters(const Flow *flow, const NameSet *live, const Node *tuple)
{
    for (uint32_t i = 0; i < tuple->sequence.elts.count; i++) {
        const Node *base = base_of(tuple->sequence.elts.items[i]);
        if (base->kind != NODE_NAME || names_contain(&flow->arrays, base->name.id) || is_live(live, base->name.id))
            return true;
    }
    return false;
}

static bool block_matters(const Flow *flow, const NameSet *live, const Steps *steps);

/* A jump matters only where something else does. */
static inline bool matters(const Flow *flow, const NameSet *live, const Step *step)
{
    if (step->stores)
        return true;
    if (step->target)
        return is_live(live, step->target);
    if (step->tuple)
        return tuple_matters(flow, live, step->tuple);
    return block_matters(flow, live, &step->body) || block_matters(flow, live, &step->orelse);
}

static bool block_matters(const Flow *flow, const NameSet *live, const Steps *steps)
{
    for (uint32_t i = 0; i < steps->count; i++)
        if (matters(flow, live, &steps->items[i]))
            return true;
    return false;
}

static inline bool keeps(const Flow *flow, const NameSet *live, const Step *step)
{
    return step->jumps || matters(flow, live, step);
}

/* From the end: what a statement needs stands before it, so that few rounds are enough. True: names were added. */
static bool mark_block(const Flow *flow, NameSet *live, const Steps *steps)
{
    bool added = false;
    for (uint32_t i = steps->count; i-- > 0;) {
        Step *step = &steps->items[i];
        if (!keeps(flow, live, step))
            continue;
        added |= add_names(flow, live, reads_of(flow, step));
        if (step->body.count)
            added |= mark_block(flow, live, &step->body);
        if (step->orelse.count)
            added |= mark_block(flow, live, &step->orelse);
    }
    return added;
}

static void sweep(const Flow *flow, const NameSet *live, Steps *steps)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < steps->count; i++) {
        Step *step = &steps->items[i];
        bool comment_for_kept = step->comment && i + 1 < steps->count && keeps(flow, live, step + 1);
        if (!keeps(flow, live, step) && !comment_for_kept)
            continue;
        if (step->body.count)
            sweep(flow, live, &step->body);
        if (step->orelse.count)
            sweep(flow, live, &step->orelse);
        Node *node = step->node;
        if (node->kind == NODE_IF &&
            !step->body.count) { /* only the other branch is left: the condition is turned round */
            step->body = step->orelse;
            step->orelse = (Steps){0};
            node->if_stmt.body = node->if_stmt.orelse;
            node->if_stmt.orelse = (NodeList){0};
            Node *not_node = node_new(flow->synth, NODE_UNARY_OP);
            not_node->unary_op.op = OP_NOT;
            not_node->unary_op.operand = node->if_stmt.test;
            node->if_stmt.test = not_node;
        }
        if (kept++ != i)
            steps->items[kept - 1] = *step;
    }
    steps->count = kept;
}

/* Functions, structs and constants that are still named, from the last one back: an earlier one may serve a later. */
static void sweep_module(Synth *s, NameSet *live)
{
    for (uint32_t i = 0; i < s->param_count; i++)
        if (is_live(live, s->params[i].name))
            mark_names(annotation(s, s->params[i].type), live->words);
    for (uint32_t i = s->module.count; i-- > 0;) {
        Node *node = s->module.items[i];
        Name name = node->kind == NODE_ASSIGN         ? node->assign.targets.items[0]->name.id
                    : node->kind == NODE_FUNCTION_DEF ? node->function.name
                                                      : node->class_def.name;
        if (is_live(live, name))
            node_children(node, mark_names, live->words);
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

typedef struct Live {
    NameSet names;
    bool removed;
    bool dry;            /* nothing is removed: only what is live is found out */
    const NameSet *loop; /* what a jump leads to */
} Live;

static void backward_block(const Flow *flow, Live *live, Steps *steps);

/* Is there more than jumps left? */
static bool block_has_work(const Steps *steps)
{
    for (uint32_t i = 0; i < steps->count; i++) {
        const Step *step = &steps->items[i];
        bool only_jumps = step->node->kind == NODE_IF ? !block_has_work(&step->body) && !block_has_work(&step->orelse)
                                                      : step->jumps || step->comment;
        if (!only_jumps)
            return true;
    }
    return false;
}

static bool backward_branch(const Flow *flow, Live *live, Step *step)
{
    Live other = *live, after = *live;
    backward_block(flow, live, &step->body);
    backward_block(flow, &other, &step->orelse);
    add_names(flow, &live->names, other.names.words);
    live->removed |= other.removed;
    if (step->orelse.count == 0)
        add_names(flow, &live->names, after.names.words);
    if (!step->body.count && !step->orelse.count) {
        live->names = after.names; /* its condition is not needed either */
        return false;
    }
    add_names(flow, &live->names, reads_of(flow, step));
    return true;
}

/* What one round reads, the round before must leave. */
static bool backward_loop(const Flow *flow, Live *live, Step *step)
{
    NameSet head = live->names;
    add_names(flow, &head, reads_of(flow, step));
    Live round;
    do {
        round = (Live){.names = head, .dry = true, .loop = &head};
        backward_block(flow, &round, &step->body);
    } while (add_names(flow, &head, round.names.words));
    Live inside = {.names = head, .dry = live->dry, .loop = &head};
    backward_block(flow, &inside, &step->body);
    live->removed |= inside.removed;
    if (!block_has_work(&step->body))
        return false;
    live->names = head;
    return true;
}

/* What is live before the statement, given what is live after it. False: it does nothing. */
static bool backward(const Flow *flow, Live *live, Step *step)
{
    switch (step->node->kind) {
    case NODE_IF: return backward_branch(flow, live, step);
    case NODE_FOR:
    case NODE_WHILE: return backward_loop(flow, live, step);
    case NODE_BREAK:
    case NODE_CONTINUE:
        if (live->loop)
            add_names(flow, &live->names, live->loop->words);
        return true;
    default: break;
    }
    if (step->target && step->whole) {
        if (!is_live(&live->names, step->target))
            return false;
        if (step->node->kind == NODE_ASSIGN)
            names_remove(&live->names, step->target);
    }
    add_names(flow, &live->names, reads_of(flow, step));
    return true;
}

static void backward_block(const Flow *flow, Live *live, Steps *steps)
{
    for (uint32_t i = steps->count; i-- > 0;)
        if (!backward(flow, live, &steps->items[i]) && !live->dry) {
            memmove(&steps->items[i], &steps->items[i + 1], sizeof(Step) * (steps->count - i - 1));
            steps->count--;
            live->removed = true;
        }
}

/* ---- the whole ---- */

static void begin(Synth *s, Flow *flow)
{
    if (s->names.count > MAX_NAMES - NAME_SET_BITS) /* a set holds no more, and types that are spelled out add a few */
        give_up(s, "too many names");
    *flow = (Flow){.synth = s, .words = s->names.count / NAME_SET_BITS + 1};
    for (uint32_t i = 0; i < s->array_count; i++)
        names_add(&flow->arrays, s->arrays[i]->name);
}

/* Parameters that are still read. */
static void keep_live(Synth *s, const NameSet *live)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->param_count; i++)
        if (is_live(live, s->params[i].name))
            s->params[kept++] = s->params[i];
    s->param_count = kept;
}

void prune(Synth *s)
{
    Flow flow;
    begin(s, &flow);
    Steps steps = steps_of(&flow, &s->body);
    NameSet live;
    Live after;
    do {
        live = (NameSet){0};
        while (mark_block(&flow, &live, &steps))
            continue;
        sweep(&flow, &live, &steps);
        after = (Live){0};
        backward_block(&flow, &after, &steps);
    } while (after.removed);
    write_back(&steps, &s->body);
    sweep_module(s, &live);
    keep_live(s, &live);
}
