/* Statements, and what they make known about variables. */
#include "synth/context.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static Block *top(Synth *s)
{
    return &s->blocks[s->block_count - 1];
}

static void add_statement(Synth *s, Node *node)
{
    list_push(s, top(s)->list, node);
}

static uint32_t loop_depth(const Synth *s)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < s->block_count; i++)
        depth += s->blocks[i].kind == BLOCK_FOR || s->blocks[i].kind == BLOCK_WHILE;
    return depth;
}

bool in_dynamic_loop(const Synth *s)
{
    for (uint32_t i = 0; i < s->block_count; i++)
        if (s->blocks[i].dynamic)
            return true;
    return false;
}

/* How often a statement here runs at most, counted from where the variable was declared. */
static double trips_since(const Synth *s, const Var *var)
{
    double trips = 1;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < s->block_count; i++)
        if (s->blocks[i].kind == BLOCK_FOR || s->blocks[i].kind == BLOCK_WHILE)
            if (depth++ >= var->loops)
                trips *= s->blocks[i].trips;
    return trips;
}

/* ---- variables ---- */

void mark_index(Synth *s, Expr variable)
{
    s->vars[variable.var - 1].is_index = true;
    s->indices[s->index_count++] = (uint8_t)(variable.var - 1);
}

static void forget_variables(Synth *s, uint32_t count)
{
    s->var_count = count;
    while (s->index_count && s->indices[s->index_count - 1] >= count)
        s->index_count--;
}

static Node *target(Synth *s, Name name)
{
    Node *node = node_name(s, name);
    node->name.store = true;
    return node;
}

uint64_t type_bit(const Type *type)
{
    return (uint64_t)1 << ((uintptr_t)type * 0x9e3779b97f4a7c15u >> 58);
}

static Expr declare(Synth *s, Name name, Expr value)
{
    if (s->var_count == MAX_VARS)
        give_up(s, "too many variables");
    s->vars[s->var_count] = (Var){.name = name,
                                  .type = value.type,
                                  .range = value.range,
                                  .loops = loop_depth(s),
                                  .flags = value.flags & ~(unsigned)EXPR_CONSTANT,
                                  .array = value.array,
                                  .value = value.node};
    s->var_types[s->var_count] = value.type;
    s->types_met |= type_bit(value.type);
    value.node = node_name(s, name);
    value.flags &= ~(unsigned)EXPR_CONSTANT;
    value.var = (int)++s->var_count;
    return value;
}

Expr let_always(Synth *s, const char *names, Expr value)
{
    if (!value.type)
        give_up(s, "a variable without a value");
    Expr variable = declare(s, fresh(s, names), value);
    add_statement(s, node_assign(s, target(s, s->vars[variable.var - 1].name), value.node));
    return variable;
}

Expr let(Synth *s, const char *names, Expr value)
{
    if (!value.type)
        give_up(s, "a variable without a value");
    bool plain = value.node->kind == NODE_NAME || value.node->kind == NODE_CONSTANT;
    bool small = value.node->kind == NODE_SUBSCRIPT || value.node->kind == NODE_ATTRIBUTE;
    if (plain || chance(s, small ? s->style.inline_chance * 1.3 : s->style.inline_chance * 0.6))
        return value;
    return let_always(s, names, value);
}

Expr let_mutable(Synth *s, const char *names, Expr value)
{
    if (!value.type)
        give_up(s, "a variable without a value");
    if (value.node->kind == NODE_CONSTANT) /* a bare constant cannot be changed in a loop */
        value.node = node_call(s, type_callee(s, value.type), &value.node, 1);
    Expr variable = let_always(s, names, value);
    s->vars[variable.var - 1].mutable = true;
    return variable;
}

Expr let_carried(Synth *s, const char *names, Expr start, double low, double high)
{
    if (start.type && (start.range.low < low || start.range.high > high))
        give_up(s, "a start outside of what is carried");
    Expr variable = let_mutable(s, names, start);
    Var *var = &s->vars[variable.var - 1];
    var->range = (Range){low, high};
    var->carried = true;
    return again(s, variable);
}

Expr again(Synth *s, Expr variable)
{
    if (!variable.var)
        return variable;
    const Var *var = &s->vars[variable.var - 1];
    return (Expr){.node = variable.node,
                  .type = var->type,
                  .range = var->range,
                  .flags = var->flags,
                  .array = var->array,
                  .var = variable.var};
}

void assign(Synth *s, Expr variable, Expr value)
{
    if (!variable.var || !value.type || value.type != variable.type)
        give_up(s, "an assignment of another type");
    Var *var = &s->vars[variable.var - 1];
    if (var->carried && (value.range.low < var->range.low || value.range.high > var->range.high))
        give_up(s, "a carried value leaves its range");
    if (!var->carried && trips_since(s, var) > 1)
        give_up(s, "an assignment in a loop to what is not carried");
    add_statement(s, node_assign(s, target(s, var->name), value.node));
    bool in_block = s->block_count > 1;
    if (!var->carried)
        var->range = in_block ? (Range){fmin(var->range.low, value.range.low), fmax(var->range.high, value.range.high)}
                              : value.range;
    unsigned generic = value.flags & EXPR_GENERIC;
    var->flags = (var->flags & (in_block ? ~0u : ~(unsigned)EXPR_GENERIC)) | (value.flags & EXPR_LOOPED);
    if (!generic)
        var->flags &= ~(unsigned)EXPR_GENERIC;
    else if (!in_block)
        var->flags |= EXPR_GENERIC;
    var->flags &= ~(unsigned)EXPR_UNIT;
    var->array = NULL;
    var->value = NULL;
    if (var->carried && in_dynamic_loop(s))
        var->flags |= EXPR_LOOPED;
}

static Node *update_node(Synth *s, Node *place, Node *old, OpKind op, Node *value)
{
    if (s->style.augmented) {
        Node *node = node_new(s, NODE_AUG_ASSIGN);
        node->aug_assign.target = place;
        node->aug_assign.op = op;
        node->aug_assign.value = value;
        return node;
    }
    Node *sum = node_new(s, NODE_BIN_OP);
    sum->bin_op.op = op;
    sum->bin_op.left = old;
    sum->bin_op.right = value;
    return node_assign(s, place, sum);
}

void accumulate(Synth *s, Expr variable, OpKind op, Expr value)
{
    if (!variable.var || !value.type || value.type != variable.type)
        give_up(s, "a sum of another type");
    Var *var = &s->vars[variable.var - 1];
    Range add = op == OP_SUB ? (Range){-value.range.high, -value.range.low} : value.range;
    double trips = trips_since(s, var);
    if (s->block_count > 1)
        add = (Range){fmin(0, add.low), fmax(0, add.high)};
    Range range = {var->range.low + trips * add.low, var->range.high + trips * add.high};
    if (var->carried && (range.low < var->range.low || range.high > var->range.high))
        give_up(s, "a carried sum leaves its range");
    double limit = type_is_float(type_scalar_of(var->type)) ? 1e12 : 2147483647.0;
    if (range.low < -limit || range.high > limit)
        give_up(s, "a sum may become too large");
    if (!var->carried)
        var->range = range;
    if (type_is_float(type_scalar_of(var->type)))
        var->flags |= (value.flags & EXPR_LOOPED) | (in_dynamic_loop(s) ? EXPR_LOOPED : 0u);
    var->array = NULL;
    var->value = NULL;
    add_statement(s, update_node(s, target(s, var->name), node_name(s, var->name), op, value.node));
}

/* ---- arrays ---- */

static void store(Synth *s, Expr array, const Expr *index, uint32_t count, Expr value)
{
    if (!array.type || array.type->kind != TYPE_ARRAY || !value.type || value.type != array.array->dtype)
        give_up(s, "a store of another type");
    Expr place = subscript(s, array, index, count);
    if (!place.type)
        give_up(s, "no such place");
    add_statement(s, node_assign(s, place.node, value.node));
}

void store_at_tid(Synth *s, Expr array, Expr value)
{
    if (!array.type)
        give_up(s, "a store to no array");
    store(s, array, s->tid, array.array->ndim, value);
}

void atomic(Synth *s, const char *function, Expr array, const Expr *index, uint32_t count, Expr value)
{
    Expr place = subscript(s, array, index, count);
    if (!place.type || !value.type || value.type != array.array->dtype)
        give_up(s, "an atomic of another type");
    Node *args[8] = {array.node};
    uint32_t n = 1;
    for (uint32_t i = 0; i < count; i++)
        args[n++] = index[i].node;
    args[n++] = value.node;
    Node *node;
    if (s->style.plain_atomics && strcmp(function, "atomic_add") == 0) {
        node = node_new(s, NODE_AUG_ASSIGN); /* a[i] += x is atomic in warp */
        node->aug_assign.target = place.node;
        node->aug_assign.op = OP_ADD;
        node->aug_assign.value = value.node;
    } else {
        node = node_new(s, NODE_EXPR);
        node->expr.value = node_call(s, node_wp(s, function), args, n);
    }
    add_statement(s, node);
}

/* ---- blocks ---- */

static Block *open_block(Synth *s, BlockKind kind, Node *node, NodeList *list)
{
    if (s->block_count == MAX_BLOCKS)
        give_up(s, "blocks too deep");
    Block *block = &s->blocks[s->block_count++];
    *block = (Block){.kind = kind,
                     .list = list,
                     .node = node,
                     .var_count = s->var_count,
                     .trips = 1,
                     .refined_count = s->refined_count};
    return block;
}

static void sync_tid(Synth *s)
{
    for (uint32_t i = 0; i < s->dims; i++)
        if (s->tid[i].var)
            s->tid[i].range = s->vars[s->tid[i].var - 1].range;
}

static void forget_block(Synth *s)
{
    Block *block = top(s);
    while (s->refined_count > block->refined_count) {
        const Refined *old = &s->refined[--s->refined_count];
        s->vars[old->var].range = old->range;
    }
    forget_variables(s, block->var_count);
    sync_tid(s);
}

void if_begin(Synth *s, Expr condition)
{
    if (!condition.type || condition.type->kind != TYPE_BOOL)
        give_up(s, "a condition that is none");
    Node *node = node_new(s, NODE_IF);
    node->if_stmt.test = condition.node;
    add_statement(s, node);
    open_block(s, BLOCK_IF, node, &node->if_stmt.body);
}

void elif_begin(Synth *s, Expr condition)
{
    if (!condition.type || condition.type->kind != TYPE_BOOL)
        give_up(s, "a condition that is none");
    forget_block(s);
    Node *node = node_new(s, NODE_IF);
    node->if_stmt.test = condition.node;
    list_push(s, &top(s)->node->if_stmt.orelse, node);
    top(s)->node = node;
    top(s)->list = &node->if_stmt.body;
}

void else_begin(Synth *s)
{
    forget_block(s);
    top(s)->list = &top(s)->node->if_stmt.orelse;
}

void block_end(Synth *s)
{
    forget_block(s);
    s->block_count--;
}

static Node *range_call(Synth *s, Expr start, Expr end, int step)
{
    Node *args[3];
    uint32_t count = 0;
    if (start.type || step != 1)
        args[count++] = start.type ? start.node : node_constant_int(s, 0);
    args[count++] = end.node;
    if (step != 1)
        args[count++] = node_constant_int(s, step);
    return node_call(s, node_name(s, s->context->common[COMMON_RANGE]), args, count);
}

Expr for_begin(Synth *s, const char *names, Expr start, Expr end, int step)
{
    if (!end.type || end.type->kind != TYPE_INT32)
        give_up(s, "a loop without an end");
    double first = start.type ? start.range.low : 0;
    double trips = fmax(0, ceil((end.range.high - first) / step));
    if (trips < 1)
        give_up(s, "an empty loop");
    Node *node = node_new(s, NODE_FOR);
    add_statement(s, node);
    Block *block = open_block(s, BLOCK_FOR, node, &node->for_loop.body);
    block->trips = trips;
    bool constant = (end.flags & EXPR_CONSTANT) && (!start.type || (start.flags & EXPR_CONSTANT));
    block->dynamic = !constant || trips > 16;
    Expr counter = {.type = type_scalar(TYPE_INT32), .range = {first, end.range.high - 1}, .node = end.node};
    Expr variable = declare(s, fresh(s, names), counter);
    mark_index(s, variable);
    node->for_loop.target = target(s, s->vars[variable.var - 1].name);
    node->for_loop.iter = range_call(s, start, end, step);
    return variable;
}

Expr for_count(Synth *s, const char *names, uint32_t count)
{
    Expr end = integer(s, count);
    if (s->style.constants && count > 3 && chance(s, 0.3))
        end = module_constant(s, "tap_count|window|order|num_terms|samples|iterations|rings", type_scalar(TYPE_INT32),
                              count);
    return for_begin(s, names, (Expr){0}, end, 1);
}

void while_begin(Synth *s, Expr condition, double trips)
{
    if (!condition.type)
        give_up(s, "a condition that is none");
    Node *node = node_new(s, NODE_WHILE);
    node->while_loop.test = condition.node;
    add_statement(s, node);
    Block *block = open_block(s, BLOCK_WHILE, node, &node->while_loop.body);
    block->trips = trips;
    block->dynamic = true;
}

void jump(Synth *s, NodeKind kind)
{
    add_statement(s, node_new(s, kind));
}

static void return_early(Synth *s)
{
    add_statement(s, node_new(s, NODE_RETURN));
}

void refine(Synth *s, Expr variable, double low, double high)
{
    if (!variable.var)
        return;
    Var *var = &s->vars[variable.var - 1];
    if (s->refined_count < sizeof s->refined / sizeof *s->refined)
        s->refined[s->refined_count++] = (Refined){variable.var - 1, var->range};
    var->range = (Range){fmax(var->range.low, low), fmin(var->range.high, high)};
    sync_tid(s);
}

/* ---- the launch ---- */

/* One index for each dimension, from wp.tid(); sometimes more threads are launched than there is work for. */
static void launch(Synth *s, uint32_t dims, const uint32_t *shape, const char *const *names)
{
    s->dims = dims;
    bool padded = dims == 1 && chance(s, 0.16);
    Node *call_node = node_call(s, node_wp(s, "tid"), NULL, 0);
    Node *tuple = node_new(s, NODE_TUPLE);
    for (uint32_t i = 0; i < dims; i++) {
        s->shape[i] = shape[i];
        s->dim[i] = padded ? (shape[i] + 31) / 32 * 32 + 32 : shape[i];
        Expr index = {.node = call_node, .type = type_scalar(TYPE_INT32), .range = {0, (double)s->dim[i] - 1}};
        s->tid[i] = declare(s, fresh(s, names[i]), index);
        mark_index(s, s->tid[i]);
        list_push(s, &tuple->sequence.elts, target(s, s->vars[s->tid[i].var - 1].name));
    }
    add_statement(s, node_assign(s, dims == 1 ? tuple->sequence.elts.items[0] : tuple, call_node));
    if (!padded)
        return;
    Expr count = size_param(s, "n|count|num_items|size|total_count|num_elements", shape[0]);
    if_begin(s, compare(s, OP_GT_E, s->tid[0], count));
    return_early(s);
    block_end(s);
    refine(s, s->tid[0], 0, (double)shape[0] - 1);
}

void launch_grid(Synth *s, uint32_t dims, const char *first_name)
{
    static const unsigned sizes_1d[] = {32, 48, 64, 96, 100, 128, 160, 200, 256};
    static const char *const triples[][4] = {{"i", "j", "k", "l"},
                                             {"row", "col", "layer", "channel"},
                                             {"x", "y", "z", "w"},
                                             {"ix", "iy", "iz", "it"},
                                             {"batch", "row", "col", "channel"}};
    uint32_t shape[4];
    for (uint32_t i = 0; i < dims; i++)
        shape[i] = dims == 1   ? sizes_1d[below(s, 9)]
                   : dims == 2 ? (uint32_t)between(s, 8, 24)
                   : dims == 3 ? (uint32_t)between(s, 4, 8)
                               : (uint32_t)between(s, 2, 5);
    const char *const *group = triples[below(s, dims == 1 ? 1 : dims == 4 ? 5 : 4)];
    const char *names[4] = {dims == 1 ? first_name : group[0], group[1], group[2], group[3]};
    launch(s, dims, shape, names);
}
