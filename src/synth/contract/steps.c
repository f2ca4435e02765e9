/* Statements as sentences of a list; what stands below a condition or a loop is indented. */
#include "synth/contract/tell.h"

#include <string.h>

void begin_step(Teller *t)
{
    text_char(t->out, '\n');
    text_pad(t->out, ' ', 2 * (size_t)t->depth);
    text_lit(t->out, "- ");
}

static void tell_any(Teller *t, const Node *node)
{
    tell_expression(t, node, BIND_ANY);
}

/* ---- assignments ---- */

static bool is_set_once(Teller *t, const Node *target)
{
    if (target->kind == NODE_TUPLE) {
        for (uint32_t i = 0; i < target->sequence.elts.count; i++)
            if (!is_set_once(t, target->sequence.elts.items[i]))
                return false;
        return true;
    }
    const Variable *variable = variable_of(t, target);
    return variable && variable->stores == 1;
}

static bool is_called(const Node *func, const char *python, const char *warp)
{
    return func->kind == NODE_NAME ? name_is(func->name.id, python) : name_is(builtin_of(func), warp);
}

const Node *plain_start(const Node *value)
{
    value = without_static(value);
    if (value->kind != NODE_CALL || value->call.args.count != 1)
        return value;
    const Node *func = value->call.func, *start = without_static(value->call.args.items[0]);
    bool negative = start->kind == NODE_UNARY_OP && start->unary_op.op == OP_U_SUB;
    const Node *number = negative ? start->unary_op.operand : start;
    if (number->kind != NODE_CONSTANT)
        return value;
    bool real = number->constant.kind == CONSTANT_FLOAT && is_called(func, "float", "float32");
    bool whole = number->constant.kind == CONSTANT_INT && is_called(func, "int", "int32");
    return real || whole ? start : value;
}

static void tell_set(Teller *t, const Node *target, const Node *value)
{
    bool once = is_set_once(t, target), element = target->kind == NODE_SUBSCRIPT || target->kind == NODE_ATTRIBUTE;
    text_str(t->out, once ? "Let " : "Set ");
    tell_any(t, target);
    text_str(t->out, once ? " be " : " to ");
    tell_any(t, element ? value : plain_start(value));
}

static void tell_update(Teller *t, const Node *target, OpKind op, const Node *value)
{
    static const struct {
        OpKind op;
        const char *verb, *between;
        bool value_first;
    } verbs[] = {{OP_ADD, "Add ", " to ", true},
                 {OP_SUB, "Subtract ", " from ", true},
                 {OP_MULT, "Multiply ", " by ", false},
                 {OP_DIV, "Divide ", " by ", false}};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (verbs[i].op == op) {
            text_str(t->out, verbs[i].verb);
            tell_any(t, verbs[i].value_first ? value : target);
            text_str(t->out, verbs[i].between);
            tell_any(t, verbs[i].value_first ? target : value);
            return;
        }
    text_lit(t->out, "Set ");
    tell_any(t, target);
    text_lit(t->out, " to ");
    Node whole = {.kind = NODE_BIN_OP};
    whole.bin_op.op = op;
    whole.bin_op.left = (Node *)(uintptr_t)target; /* only read */
    whole.bin_op.right = (Node *)(uintptr_t)value;
    tell_any(t, &whole);
}

static bool is_same_name(const Node *a, const Node *b)
{
    return a->kind == NODE_NAME && b->kind == NODE_NAME && a->name.id == b->name.id;
}

/* total = total + x, told as total += x. */
static bool is_update(const Node *target, const Node *value)
{
    return value->kind == NODE_BIN_OP && (value->bin_op.op == OP_ADD || value->bin_op.op == OP_SUB) &&
           is_same_name(target, value->bin_op.left);
}

static void tell_assignment(Teller *t, const Node *target, const Node *value)
{
    if (is_update(target, value))
        tell_update(t, target, value->bin_op.op, value->bin_op.right);
    else
        tell_set(t, target, value);
}

/* ---- calls whose value nobody takes ---- */

/* x[i, j], of the array and the indices of an atomic operation. */
static void tell_element(Teller *t, const NodeList *args)
{
    tell_expression(t, args->items[0], BIND_ATOM);
    text_char(t->out, '[');
    for (uint32_t i = 1; i + 1 < args->count; i++) {
        const Node *index = args->items[i];
        text_str(t->out, i > 1 ? ", " : "");
        if (index->kind == NODE_TUPLE)
            tell_list(t, &index->sequence.elts, ", ");
        else
            tell_any(t, index);
    }
    text_char(t->out, ']');
}

static bool tell_atomic(Teller *t, const Node *call)
{
    static const struct {
        const char *name, *verb, *between, *end;
        bool value_first;
    } atomics[] = {{"atomic_add", "Atomically add ", " to ", "", true},
                   {"atomic_sub", "Atomically subtract ", " from ", "", true},
                   {"atomic_max", "Atomically raise ", " to at least ", "", false},
                   {"atomic_min", "Atomically lower ", " to at most ", "", false}};
    const NodeList *args = &call->call.args;
    for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++) {
        if (!calls_builtin(call, atomics[i].name) || args->count < 3 || call->call.keywords.count)
            continue;
        text_str(t->out, atomics[i].verb);
        if (atomics[i].value_first)
            tell_any(t, args->items[args->count - 1]);
        else
            tell_element(t, args);
        text_str(t->out, atomics[i].between);
        if (atomics[i].value_first)
            tell_element(t, args);
        else
            tell_any(t, args->items[args->count - 1]);
        return true;
    }
    return false;
}

/* ---- sentences ---- */

/* A statement in one sentence, without its full stop. False: it has a list below it. */
static bool tell_simple(Teller *t, const Node *node)
{
    switch (node->kind) {
    case NODE_ASSIGN:
        t->failed |= node->assign.targets.count != 1;
        tell_assignment(t, node->assign.targets.items[0], node->assign.value);
        return true;
    case NODE_ANN_ASSIGN:
        t->failed |= !node->ann_assign.value;
        if (node->ann_assign.value)
            tell_set(t, node->ann_assign.target, node->ann_assign.value);
        return true;
    case NODE_AUG_ASSIGN:
        tell_update(t, node->aug_assign.target, node->aug_assign.op, node->aug_assign.value);
        return true;
    case NODE_EXPR:
        if (node->expr.value->kind != NODE_CALL || !tell_atomic(t, node->expr.value)) {
            text_lit(t->out, "Call ");
            tell_any(t, node->expr.value);
        }
        return true;
    case NODE_BREAK: text_lit(t->out, "Leave the loop"); return true;
    case NODE_CONTINUE: text_lit(t->out, "Go on with the next turn of the loop"); return true;
    case NODE_RETURN:
        if (node->ret.value) {
            text_lit(t->out, "Return ");
            tell_any(t, node->ret.value);
        } else
            text_str(t->out, t->is_kernel ? "The thread is done" : "Return");
        return true;
    default: return false;
    }
}

/* The only statement of a list, where one sentence tells it; NULL: there are more, or it is a block. */
static const Node *only_sentence(Teller *t, const NodeList *list)
{
    const Node *only = only_told(t, list);
    bool block = only && (only->kind == NODE_IF || only->kind == NODE_FOR || only->kind == NODE_WHILE);
    return block ? NULL : only;
}

static bool is_all_silent(const NodeList *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (!is_silent(list->items[i]))
            return false;
    return true;
}

static void tell_below(Teller *t, const NodeList *list)
{
    t->depth++;
    tell_statements(t, list);
    t->depth--;
}

static void lower(Teller *t, size_t at)
{
    char *first = t->out->data + at;
    if (*first >= 'A' && *first <= 'Z')
        *first = (char)(*first - 'A' + 'a');
}

/* "If …, add …." or "If …:" with a list. */
static void tell_case(Teller *t, const NodeList *list, const char *between)
{
    const Node *only = only_sentence(t, list);
    if (is_all_silent(list)) {
        text_str(t->out, between);
        text_lit(t->out, "do nothing.");
        return;
    }
    if (!only) {
        text_char(t->out, ':');
        tell_below(t, list);
        return;
    }
    text_str(t->out, between);
    size_t at = t->out->len;
    tell_simple(t, only);
    if (t->out->len > at)
        lower(t, at);
    text_char(t->out, '.');
}

static void tell_if(Teller *t, const Node *node)
{
    const NodeList *orelse;
    for (const char *word = "If ";; word = "Otherwise, if ") {
        text_str(t->out, word);
        tell_any(t, node->if_stmt.test);
        tell_case(t, &node->if_stmt.body, ", ");
        orelse = &node->if_stmt.orelse;
        if (!orelse->count)
            return;
        begin_step(t);
        if (orelse->count > 1 || orelse->items[0]->kind != NODE_IF)
            break;
        node = orelse->items[0];
    }
    text_lit(t->out, "Otherwise");
    tell_case(t, orelse, ", ");
}

/* ---- loops ---- */

/* "n - 1", and a number as a number. */
static void tell_one_off(Teller *t, const Node *end, int by)
{
    const Node *plain = without_static(end);
    if (plain->kind == NODE_CONSTANT && plain->constant.kind == CONSTANT_INT) {
        text_int(t->out, (int64_t)constant_integer(plain) + by);
        return;
    }
    tell_expression(t, end, BIND_SUM);
    text_str(t->out, by < 0 ? " - 1" : " + 1");
}

static void tell_zero_or(Teller *t, const Node *start)
{
    if (start)
        tell_expression(t, start, BIND_SUM);
    else
        text_char(t->out, '0');
}

/* The number that a step is; 1, if it is not known: then it is positive. */
static double step_of(const Node *step)
{
    step = step ? without_static(step) : NULL;
    bool negative = step && step->kind == NODE_UNARY_OP && step->unary_op.op == OP_U_SUB;
    if (negative)
        step = without_static(step->unary_op.operand);
    bool known = step && step->kind == NODE_CONSTANT && step->constant.kind == CONSTANT_INT;
    return known ? (negative ? -1.0 : 1.0) * (double)constant_integer(step) : negative ? -2.0 : step ? 2.0 : 1.0;
}

bool tell_range(Teller *t, const Node *iter)
{
    iter = without_static(iter);
    if (iter->kind != NODE_CALL || iter->call.keywords.count || iter->call.func->kind != NODE_NAME ||
        !name_is(iter->call.func->name.id, "range") || !iter->call.args.count)
        return false;
    const NodeList *args = &iter->call.args;
    const Node *step = args->count > 2 ? args->items[2] : NULL, *end = args->items[args->count > 1];
    double by = step_of(step);
    text_lit(t->out, "from ");
    tell_zero_or(t, args->count > 1 ? args->items[0] : NULL);
    if (by == 1 || by == -1) {
        text_str(t->out, by < 0 ? " down to " : " to ");
        tell_one_off(t, end, by < 0 ? 1 : -1);
        return true;
    }
    text_lit(t->out, " in steps of ");
    tell_any(t, step);
    text_str(t->out, by < 0 ? ", as long as it is greater than " : ", as long as it is less than ");
    tell_any(t, end);
    return true;
}

static void tell_for(Teller *t, const Node *node)
{
    text_lit(t->out, "For each ");
    tell_any(t, node->for_loop.target);
    text_char(t->out, ' ');
    t->failed |= !tell_range(t, node->for_loop.iter) || node->for_loop.orelse.count;
    tell_case(t, &node->for_loop.body, ": ");
}

static void tell_while(Teller *t, const Node *node)
{
    text_lit(t->out, "As long as ");
    tell_any(t, node->while_loop.test);
    t->failed |= node->while_loop.orelse.count > 0;
    tell_case(t, &node->while_loop.body, ": ");
}

static void tell_statement(Teller *t, const Node *node)
{
    begin_step(t);
    switch (node->kind) {
    case NODE_IF: tell_if(t, node); break;
    case NODE_FOR: tell_for(t, node); break;
    case NODE_WHILE: tell_while(t, node); break;
    default: t->failed |= !tell_simple(t, node); text_char(t->out, '.');
    }
}

void tell_statements(Teller *t, const NodeList *list)
{
    for (uint32_t i = 0; i < list->count && !t->failed; i++) {
        uint32_t next = tell_sum(t, list, i);
        if (next > i)
            i = next - 1;
        else if (!is_told_elsewhere(t, list->items[i]) && list->items[i] != t->thread)
            tell_statement(t, list->items[i]);
    }
}
