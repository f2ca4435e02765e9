/* Loops that add up, told as sums. */
#include "synth/contract/tell.h"

#include <string.h>

enum { MOST_LOOPS = 3 };

typedef struct Sum {
    const Node *target, *loops[MOST_LOOPS], *test, *term;
    uint32_t loop_count;
} Sum;

static bool is_of_names(const Node *target)
{
    if (target->kind != NODE_TUPLE)
        return target->kind == NODE_NAME;
    for (uint32_t i = 0; i < target->sequence.elts.count; i++)
        if (target->sequence.elts.items[i]->kind != NODE_NAME)
            return false;
    return true;
}

bool is_thread(const Node *statement)
{
    return statement->kind == NODE_ASSIGN && statement->assign.targets.count == 1 &&
           is_of_names(statement->assign.targets.items[0]) && calls_builtin(statement->assign.value, "tid") &&
           !statement->assign.value->call.args.count;
}

const Node *only_told(Teller *t, const NodeList *list)
{
    const Node *only = NULL;
    for (uint32_t i = 0; i < list->count; i++) {
        if (is_told_elsewhere(t, list->items[i]))
            continue;
        if (only)
            return NULL;
        only = list->items[i];
    }
    return only;
}

static bool is_name(const Node *node, Name name)
{
    return node->kind == NODE_NAME && node->name.id == name;
}

/* The term that a statement adds to the variable; NULL: it does something else. */
static const Node *added_to(const Node *node, Name name)
{
    if (node->kind == NODE_AUG_ASSIGN)
        return node->aug_assign.op == OP_ADD && is_name(node->aug_assign.target, name) ? node->aug_assign.value : NULL;
    if (node->kind != NODE_ASSIGN || node->assign.targets.count != 1 || !is_name(node->assign.targets.items[0], name))
        return NULL;
    const Node *value = node->assign.value;
    bool sum = value->kind == NODE_BIN_OP && value->bin_op.op == OP_ADD;
    return sum && is_name(value->bin_op.left, name) ? value->bin_op.right : NULL;
}

/* Nothing but the sum itself may read it, and no value that the term holds. */
static bool reads_itself(Teller *t, const Sum *sum, Name name)
{
    const Variable *variable = variable_of(t, sum->target);
    bool seen = mentions(sum->term, name) || (sum->test && mentions(sum->test, name));
    for (uint32_t i = 0; i < sum->loop_count; i++)
        seen |= mentions(sum->loops[i]->for_loop.iter, name);
    for (uint32_t i = 0; i < t->variable_count; i++)
        seen |= t->variables[i].value && mentions(t->variables[i].value, name) && &t->variables[i] != variable;
    return seen;
}

static bool find_sum(Teller *t, const Node *loop, Sum *sum)
{
    const Node *node = loop;
    Name name = sum->target->name.id;
    while (node && node->kind == NODE_FOR && sum->loop_count < MOST_LOOPS && !node->for_loop.orelse.count) {
        sum->loops[sum->loop_count++] = node;
        node = only_told(t, &node->for_loop.body);
    }
    if (node && node->kind == NODE_IF && !node->if_stmt.orelse.count) {
        sum->test = node->if_stmt.test;
        node = only_told(t, &node->if_stmt.body);
    }
    sum->term = node && sum->loop_count ? added_to(node, name) : NULL;
    return sum->term && !reads_itself(t, sum, name);
}

/* "the sum", "the integer sum", "the sum (vec3)"; NULL: it does not start at zero. */
static const char *kind_of_sum(Teller *t, const Node *start)
{
    start = plain_start(start);
    if (start->kind == NODE_CONSTANT)
        return !is_number(start, 0) ? NULL : start->constant.kind == CONSTANT_FLOAT ? "the sum" : "the integer sum";
    Name type = start->kind == NODE_CALL && !start->call.keywords.count ? builtin_of(start->call.func) : NULL;
    if (!type || (strncmp(type->text, "vec", 3) != 0 && strncmp(type->text, "mat", 3) != 0))
        return NULL;
    for (uint32_t i = 0; i < start->call.args.count; i++)
        if (!is_number(start->call.args.items[i], 0))
            return NULL;
    return strncmp(type->text, "matrix", 6) == 0 ? NULL : arena_format(t->arena, "the sum (%s)", type->text);
}

uint32_t tell_sum(Teller *t, const NodeList *list, uint32_t at)
{
    const Node *first = list->items[at];
    uint32_t next = at + 1;
    if (first->kind != NODE_ASSIGN || first->assign.targets.count != 1 ||
        first->assign.targets.items[0]->kind != NODE_NAME)
        return at;
    Sum sum = {.target = first->assign.targets.items[0]};
    while (next < list->count && is_silent(list->items[next]))
        next++;
    const char *kind = kind_of_sum(t, first->assign.value);
    if (!kind || next == list->count || !find_sum(t, list->items[next], &sum))
        return at;
    const Variable *variable = variable_of(t, sum.target);
    bool once = variable && variable->stores == 2;
    begin_step(t);
    text_str(t->out, once ? "Let " : "Set ");
    tell_expression(t, sum.target, BIND_ANY);
    text_str(t->out, once ? " be " : " to ");
    text_str(t->out, kind);
    text_lit(t->out, " of ");
    tell_expression(t, sum.term, BIND_ANY);
    for (uint32_t i = 0; i < sum.loop_count; i++) {
        text_str(t->out, i ? " and each " : " over each ");
        tell_expression(t, sum.loops[i]->for_loop.target, BIND_ANY);
        text_char(t->out, ' ');
        t->failed |= !tell_range(t, sum.loops[i]->for_loop.iter);
    }
    if (sum.test) {
        text_lit(t->out, ", where ");
        tell_expression(t, sum.test, BIND_ANY);
    }
    text_char(t->out, '.');
    return next + 1;
}
