/* Variables of a function, and those that are told where they are used: set once, used once, and nothing in between changes the value. */
#include "synth/contract/tell.h"

#include <string.h>

bool is_silent(const Node *statement)
{
    if (statement->kind == NODE_PASS)
        return true;
    if (statement->kind != NODE_EXPR)
        return false;
    const Node *value = statement->expr.value;
    return value->kind == NODE_NAME || (value->kind == NODE_CONSTANT && value->constant.kind == CONSTANT_STR);
}

static Variable *find(Teller *t, Name name)
{
    for (uint32_t i = 0; i < t->variable_count; i++)
        if (t->variables[i].name == name)
            return &t->variables[i];
    return NULL;
}

Variable *variable_of(Teller *t, const Node *name)
{
    return name->kind == NODE_NAME ? find(t, name->name.id) : NULL;
}

/* ---- counting ---- */

static Variable *add_variable(Teller *t, Name name)
{
    Variable *known = find(t, name);
    if (known)
        return known;
    if (t->variable_count == MOST_VARIABLES) {
        t->failed = true;
        return NULL;
    }
    t->variables[t->variable_count] = (Variable){.name = name};
    return &t->variables[t->variable_count++];
}

static const Node *root_of_place(const Node *place)
{
    while (place->kind == NODE_SUBSCRIPT || place->kind == NODE_ATTRIBUTE)
        place = place->kind == NODE_SUBSCRIPT ? place->subscript.value : place->attribute.value;
    return place;
}

static void count_store(Teller *t, const Node *target)
{
    if (target->kind == NODE_TUPLE) {
        for (uint32_t i = 0; i < target->sequence.elts.count; i++)
            count_store(t, target->sequence.elts.items[i]);
        return;
    }
    const Node *root = root_of_place(target);
    Variable *variable = root->kind == NODE_NAME ? add_variable(t, root->name.id) : NULL;
    if (variable)
        variable->stores++;
}

static void find_stores(const Node *node, void *user)
{
    Teller *t = user;
    switch (node->kind) {
    case NODE_ASSIGN:
        for (uint32_t i = 0; i < node->assign.targets.count; i++)
            count_store(t, node->assign.targets.items[i]);
        break;
    case NODE_AUG_ASSIGN: count_store(t, node->aug_assign.target); break;
    case NODE_ANN_ASSIGN: count_store(t, node->ann_assign.target); break;
    case NODE_FOR: count_store(t, node->for_loop.target); break;
    default: break;
    }
    node_children(node, find_stores, t);
}

static void find_loads(const Node *node, void *user)
{
    Teller *t = user;
    Variable *variable = variable_of(t, node);
    if (variable)
        variable->loads++; /* with its stores, which are taken off at the end */
    node_children(node, find_loads, t);
}

/* ---- what may be told later ---- */

const Node *function_of(const Node *module, const Node *call)
{
    if (call->call.func->kind != NODE_NAME)
        return NULL;
    for (uint32_t i = 0; i < module->module.body.count; i++) {
        const Node *node = module->module.body.items[i];
        if (node->kind == NODE_FUNCTION_DEF && node->function.name == call->call.func->name.id)
            return node;
    }
    return NULL;
}

typedef struct Purity {
    const Node *module;
    uint32_t nodes, depth;
    bool pure, reads;
} Purity;

/* Does the builtin's value depend on its arguments alone, and does it change nothing? */
static bool is_pure_builtin(const char *name)
{
    static const char *const others[] = {"atomic",    "rand",   "tile",  "tid",     "sample",
                                         "poisson",   "printf", "zeros", "bvh",     "mesh_",
                                         "hash_grid", "volume", "curl",  "select_", "expect"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(name, others[i], strlen(others[i])) == 0)
            return false;
    return true;
}

static void look_at(const Node *node, void *user)
{
    Purity *purity = user;
    purity->nodes++;
    if (node->kind == NODE_CALL) {
        Name builtin = builtin_of(node->call.func);
        bool cast = node->call.func->kind == NODE_NAME && !function_of(purity->module, node);
        purity->pure &= builtin ? is_pure_builtin(builtin->text) : cast;
    }
    purity->reads |= node->kind == NODE_SUBSCRIPT;
    node_children(node, look_at, purity);
}

/* Operations with tiles do not take elements as they lie in an array. */
static void look_for_tiles(const Node *node, void *user)
{
    Name builtin = node->kind == NODE_CALL ? builtin_of(node->call.func) : NULL;
    *(bool *)user |= builtin && strncmp(builtin->text, "tile", 4) == 0;
    node_children(node, look_for_tiles, user);
}

static bool has_tiles(const Node *node)
{
    bool found = false;
    look_for_tiles(node, &found);
    return found;
}

typedef struct Mention {
    Name name;
    bool found;
} Mention;

static void look_for(const Node *node, void *user)
{
    Mention *mention = user;
    mention->found |= node->kind == NODE_NAME && node->name.id == mention->name;
    if (!mention->found)
        node_children(node, look_for, mention);
}

bool mentions(const Node *node, Name name)
{
    Mention mention = {.name = name};
    if (node)
        look_for(node, &mention);
    return mention.found;
}

/* The part of a statement that is computed once, when the statement begins. NULL: there is none, or more than that. */
static const Node *first_part(const Node *statement)
{
    switch (statement->kind) {
    case NODE_IF: return statement->if_stmt.test;
    case NODE_FOR: return statement->for_loop.iter;
    case NODE_ASSIGN:
    case NODE_AUG_ASSIGN:
    case NODE_RETURN:
    case NODE_EXPR: return statement;
    default: return NULL;
    }
}

static bool sets_only_a_variable(const Node *statement)
{
    return statement->kind == NODE_ASSIGN && statement->assign.targets.count == 1 &&
           statement->assign.targets.items[0]->kind == NODE_NAME;
}

/* May a value that reads these names be computed after the statement? */
static bool leaves(const Teller *t, const Node *statement, const Node *value)
{
    if (is_silent(statement))
        return true;
    if (!sets_only_a_variable(statement))
        return false;
    Purity purity = {.module = t->module, .pure = true};
    look_at(statement->assign.value, &purity); /* a call may change arrays, or the state of random numbers */
    return purity.pure && !mentions(value, statement->assign.targets.items[0]->name.id);
}

enum { MOST_NODES = 20, MOST_NAMED_NODES = 44, MOST_BETWEEN = 64 };

/* The value of an assignment, if it can stand where its variable is used; NULL: it cannot. */
static const Node *later_value(Teller *t, const NodeList *list, uint32_t at)
{
    const Node *node = list->items[at];
    if (!sets_only_a_variable(node))
        return NULL;
    const Variable *variable = variable_of(t, node->assign.targets.items[0]);
    const Node *value = node->assign.value;
    Purity purity = {.module = t->module, .pure = true};
    if (!variable || variable->stores != 1 || variable->loads != 1)
        return NULL;
    look_at(value, &purity);
    if (!purity.pure || purity.nodes > MOST_NODES)
        return NULL;
    for (uint32_t i = at + 1; i < list->count && i <= at + MOST_BETWEEN; i++) {
        const Node *next = list->items[i], *part = first_part(next);
        if (part && mentions(part, variable->name))
            return purity.reads && has_tiles(part) ? NULL : value;
        if (!leaves(t, next, value))
            return NULL;
    }
    return NULL;
}

static void find_later(Teller *t, const NodeList *list);

static void find_later_below(Teller *t, const Node *node)
{
    if (node->kind == NODE_IF) {
        find_later(t, &node->if_stmt.body);
        find_later(t, &node->if_stmt.orelse);
    } else if (node->kind == NODE_FOR)
        find_later(t, &node->for_loop.body);
    else if (node->kind == NODE_WHILE)
        find_later(t, &node->while_loop.body);
}

/* How many nodes a value has, with those of variables that are told in it. */
static void weigh_told(const Node *node, void *user)
{
    void **pair = user;
    Teller *t = pair[0];
    const Variable *variable = variable_of(t, node);
    ++*(uint32_t *)pair[1];
    if (variable && variable->value)
        weigh_told(variable->value, user);
    node_children(node, weigh_told, user);
}

static bool is_short_enough(Teller *t, const Node *value)
{
    uint32_t nodes = 0;
    weigh_told(value, (void *[]){t, &nodes});
    return nodes <= MOST_NAMED_NODES;
}

static void find_later(Teller *t, const NodeList *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const Node *value = later_value(t, list, i);
        if (value && is_short_enough(t, value))
            variable_of(t, list->items[i]->assign.targets.items[0])->value = value;
        find_later_below(t, list->items[i]);
    }
}

bool is_told_elsewhere(Teller *t, const Node *statement)
{
    if (is_silent(statement))
        return true;
    const Variable *variable =
        sets_only_a_variable(statement) ? variable_of(t, statement->assign.targets.items[0]) : NULL;
    return variable && variable->value;
}

static void count_parameters(Teller *t, const Node *function)
{
    const NodeList *args = &function->function.params->arguments.args;
    for (uint32_t i = 0; i < args->count; i++) {
        Variable *variable = add_variable(t, args->items[i]->arg.name);
        if (variable)
            variable->stores++; /* the caller sets it */
    }
}

void find_variables(Teller *t, const Node *function)
{
    t->variable_count = 0;
    count_parameters(t, function);
    const NodeList *body = &function->function.body;
    for (uint32_t i = 0; i < body->count; i++)
        find_stores(body->items[i], t);
    for (uint32_t i = 0; i < body->count; i++)
        find_loads(body->items[i], t);
    for (uint32_t i = 0; i < t->variable_count; i++) {
        Variable *variable = &t->variables[i];
        bool set_once = variable->stores == 1 && variable->loads; /* the mention that sets it is no use of it */
        variable->loads -= set_once;
    }
    find_later(t, body);
}
