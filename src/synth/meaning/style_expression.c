/* Habits about expressions. */
#include "synth/meaning/style.h"

#include <string.h>

/* ---- which names are vectors ---- */

/* The components of a vector; 0: it is none, or nothing is known. */
static uint32_t vector_length(Draft *d, const Node *node)
{
    const Item *item;
    const char *type;
    switch (node->kind) {
    case NODE_NAME: return node->fact ? d->symbols[node->fact - 1].components : 0;
    case NODE_SUBSCRIPT:
        item = item_of(d, node->subscript.value);
        if (!item || !item->part.axis_count)
            return 0; /* a component of a vector that is a parameter, say */
        type = item->part.quantity->type;
        return strncmp(type, "vec", 3) == 0 && type[3] <= '4' ? (uint32_t)(type[3] - '0') : 0;
    case NODE_BIN_OP: {
        uint32_t left = vector_length(d, node->bin_op.left), right = vector_length(d, node->bin_op.right);
        return left ? left : right;
    }
    case NODE_UNARY_OP: return vector_length(d, node->unary_op.operand);
    case NODE_CALL:
        if (node->call.args.count && (is_wp_call(node, "normalize") || is_wp_call(node, "cw_mul") ||
                                      is_wp_call(node, "cw_div") || is_wp_call(node, "lerp")))
            return vector_length(d, node->call.args.items[0]);
        return is_wp_call(node, "vec3") || is_wp_call(node, "cross") || is_wp_call(node, "quat_rotate") ||
                       is_wp_call(node, "quat_rotate_inv") || is_wp_call(node, "transform_point") ||
                       is_wp_call(node, "transform_vector") || is_wp_call(node, "transform_get_translation")
                   ? 3
               : is_wp_call(node, "vec2") ? 2
               : is_wp_call(node, "vec4") ? 4
                                          : 0;
    default: return 0;
    }
}

static void infer_slot(Node **place, void *user)
{
    Draft *d = user;
    Node *node = *place;
    if (node->kind == NODE_ASSIGN && node->assign.targets.items[0]->kind == NODE_NAME) {
        Symbol *symbol = &d->symbols[node->assign.targets.items[0]->fact - 1];
        uint32_t length = vector_length(d, node->assign.value);
        symbol->components = length ? length : symbol->components;
    }
    draft_slots(node, infer_slot, user);
}

void infer_vectors(Draft *d)
{
    for (uint32_t i = 0; i < d->body.count; i++)
        infer_slot(&d->body.items[i], d);
}

/* ---- rewrites ---- */

enum { FILLED_IN = 1 }; /* node->fact of a call that makes a vector whose components are set later */

/* p[1] as p.y */
static void dot_component(Draft *d, Node **place)
{
    Node *node = *place;
    const Node *index = node->subscript.slice;
    uint32_t length = node->subscript.value->kind == NODE_NAME ? vector_length(d, node->subscript.value) : 0;
    if (!length || index->kind != NODE_CONSTANT || constant_integer(index) >= length)
        return;
    static const char *const names[] = {"x", "y", "z", "w"};
    d->symbols[node->subscript.value->fact - 1].dotted = true;
    *place = draft_attribute(d, node->subscript.value, names[(uint32_t)constant_integer(index)]);
}

static void restyle_clamp(Draft *d, Node *node)
{
    Node *low[] = {node->call.args.items[0], node->call.args.items[1]};
    Node *inner = draft_call(d, draft_wp(d, "max"), low, 2), *high[] = {inner, node->call.args.items[2]};
    if (d->habits.python_min) /* both alike */
        inner->call.func = draft_word(d, "max");
    node->call = draft_call(d, draft_wp(d, "min"), high, 2)->call; /* a node has no memory for more than its members */
}

/* float(0.0), float(0), wp.float32(0.0); wp.vec3(), wp.vec3(0.0), wp.vec3(0.0, 0.0, 0.0) */
static void restyle_zero(Draft *d, Node *node)
{
    static const struct {
        const char *name;
        uint32_t count;
    } vectors[] = {{"vec2", 2}, {"vec3", 3}, {"vec4", 4}};
    Node *func = node->call.func;
    if (func->kind == NODE_NAME && !func->fact && name_is(func->name.id, "float") && node->call.args.count == 1 &&
        node->call.args.items[0]->kind == NODE_CONSTANT && node->call.args.items[0]->constant.kind == CONSTANT_FLOAT &&
        node->call.args.items[0]->constant.real == 0) {
        if (d->habits.wp_scalars && d->habits.zero_style)
            node->call.func = draft_wp(d, "float32");
        else if (d->habits.zero_style == 1)
            node->call.args.items[0] = draft_int(d, 0);
        return;
    }
    for (size_t i = 0; i < 3; i++)
        if (is_wp_call(node, vectors[i].name) && !node->call.args.count && node->fact != FILLED_IN)
            for (uint32_t k = 0; k < (d->habits.zero_style == 1   ? 1
                                      : d->habits.zero_style == 2 ? vectors[i].count
                                                                  : 0);
                 k++)
                draft_push(d, &node->call.args, draft_float(d, 0));
}

/* wp.float32(x) rather than float(x), wp.vec3f(…) rather than wp.vec3(…) */
static void restyle_type(Draft *d, Node *node)
{
    static const char *const types[] = {"vec2", "vec3", "vec4", "mat22", "mat33", "mat44", "quat", "transform", NULL};
    Node *func = node->call.func;
    if (func->kind == NODE_NAME && !func->fact && name_is(func->name.id, "float"))
        node->call.func = draft_wp(d, "float32");
    else if (func->kind == NODE_NAME && !func->fact && name_is(func->name.id, "int"))
        node->call.func = draft_wp(d, "int32");
    for (const char *const *type = types; func->kind == NODE_ATTRIBUTE && *type; type++)
        if (is_wp_call(node, *type)) {
            node->call.func = draft_wp(d, arena_join(d->arena, *type, "f"));
            return;
        }
}

/* wp.length_sq(v) rather than wp.dot(v, v) */
static void restyle_square(Draft *d, Node *node)
{
    const NodeList *args = &node->call.args;
    if (is_wp_call(node, "dot") && args->items[0]->kind == NODE_NAME && args->items[1]->kind == NODE_NAME &&
        args->items[0]->fact && args->items[0]->fact == args->items[1]->fact) {
        node->call.func = draft_wp(d, "length_sq");
        node->call.args.count = 1;
    }
}

/* range(N) as range(wp.static(N)), where N is a constant of the module */
static void make_bound_static(Draft *d, Node *node)
{
    Node **last = &node->call.args.items[node->call.args.count - 1];
    if ((*last)->kind == NODE_NAME && (*last)->fact && d->symbols[(*last)->fact - 1].kind == SYMBOL_CONSTANT)
        *last = draft_call(d, draft_wp(d, "static"), last, 1);
}

/* ---- vectors that are filled in ---- */

static void note_filled(Node **place, void *user)
{
    bool *filled = user;
    const Node *node = *place, *target = node->kind == NODE_ASSIGN ? node->assign.targets.items[0] : NULL;
    if (target && target->kind == NODE_SUBSCRIPT && target->subscript.value->kind == NODE_NAME &&
        target->subscript.value->fact)
        filled[target->subscript.value->fact - 1] = true;
    draft_slots(*place, note_filled, user);
}

static bool makes_zeros(const Node *call)
{
    static const char *const types[] = {"vec2", "vec3", "vec4", "mat22", "mat33", "mat44", NULL};
    bool known = false;
    for (const char *const *type = types; *type; type++)
        known |= is_wp_call(call, *type);
    for (uint32_t i = 0; known && i < call->call.args.count; i++) {
        const Node *arg = call->call.args.items[i];
        known = arg->kind == NODE_CONSTANT && arg->constant.kind == CONSTANT_FLOAT && arg->constant.real == 0;
    }
    return known;
}

typedef struct Filling {
    Draft *d;
    const bool *filled; /* by symbol */
} Filling;

/* x = wp.vec4(), then x[0] = …: what is overwritten has no numbers. */
static void empty_start(Node **place, void *user)
{
    const Filling *filling = user;
    Node *node = *place;
    const Node *target = node->kind == NODE_ASSIGN ? node->assign.targets.items[0] : NULL;
    if (target && target->kind == NODE_NAME && target->fact && filling->filled[target->fact - 1] &&
        makes_zeros(node->assign.value)) {
        node->assign.value->call.args.count = 0;
        node->assign.value->fact = FILLED_IN;
    }
    draft_slots(node, empty_start, user);
}

static void restyle_call(Draft *d, Node *node)
{
    if (is_wp_call(node, "clamp") && node->call.args.count == 3 && d->habits.clamps &&
        draft_is_simple(node->call.args.items[1]) && draft_is_simple(node->call.args.items[2]))
        restyle_clamp(d, node);
    if (d->habits.python_min && node->call.args.count == 2 && (is_wp_call(node, "min") || is_wp_call(node, "max")))
        node->call.func = draft_word(d, node->call.func->attribute.attr->text);
    if (d->habits.ranges_from_zero && node->call.func->kind == NODE_NAME && !node->call.func->fact &&
        name_is(node->call.func->name.id, "range") && node->call.args.count == 1) {
        draft_push(d, &node->call.args, node->call.args.items[0]);
        node->call.args.items[0] = draft_int(d, 0);
    }
    if (d->habits.static_bounds && node->call.func->kind == NODE_NAME && !node->call.func->fact &&
        name_is(node->call.func->name.id, "range"))
        make_bound_static(d, node);
    restyle_zero(d, node);
    if (d->habits.length_squares && node->call.args.count == 2)
        restyle_square(d, node);
    if (d->habits.wp_casts)
        restyle_type(d, node);
}

static bool is_literal(const Node *node)
{
    return node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_FLOAT;
}

static void swap_back(Node *node)
{
    Node *left = node->bin_op.left;
    node->bin_op.left = node->bin_op.right;
    node->bin_op.right = left;
}

static bool is_product(const Node *node)
{
    return node->kind == NODE_BIN_OP && node->bin_op.op == OP_MULT;
}

static bool can_swap_sum(const Node *node)
{
    return node->kind != NODE_BIN_OP && node->kind != NODE_UNARY_OP && node->kind != NODE_CONSTANT;
}

/* 0.5 * x as x * 0.5, everywhere in a kernel or nowhere, but not inside of longer products; a + b as b + a */
static void swap_operands(Draft *d, Node *node)
{
    Node *left = node->bin_op.left, *right = node->bin_op.right;
    if (is_product(node)) {
        if (is_product(left) && is_literal(left->bin_op.right) && d->habits.literals_last)
            swap_back(left);
        else if (is_literal(left) && right->kind != NODE_BIN_OP && d->habits.literals_last)
            swap_back(node);
    } else if (node->bin_op.op == OP_ADD && can_swap_sum(left) && can_swap_sum(right) && perhaps(d, d->habits.swapping))
        swap_back(node);
}

/* total = x + total: nobody writes it so. */
static bool is_update(const Node *node)
{
    const Node *target = node->assign.targets.items[0], *right = node->assign.value->bin_op.right;
    return node->assign.value->bin_op.op == OP_ADD && target->kind == NODE_NAME && right->kind == NODE_NAME &&
           target->fact && target->fact == right->fact;
}

static void restyle_slot(Node **place, void *user)
{
    Draft *d = user;
    Node *node = *place;
    draft_slots(node, restyle_slot, d);
    switch (node->kind) {
    case NODE_CALL: restyle_call(d, node); break;
    case NODE_ASSIGN:
        if (node->assign.value->kind == NODE_BIN_OP && is_update(node))
            swap_back(node->assign.value);
        break;
    case NODE_BIN_OP: swap_operands(d, node); break;
    case NODE_CONSTANT:
        if (node->fact == HEXADECIMAL)
            *place = draft_word(d, arena_format(d->arena, "0x%llX", (unsigned long long)constant_integer(node)));
        break;
    case NODE_NAME:
        if (node->fact && d->habits.static_values && d->symbols[node->fact - 1].kind == SYMBOL_CONSTANT)
            *place = draft_call(d, draft_wp(d, "static"), place, 1);
        break;
    case NODE_SUBSCRIPT:
        if (d->habits.dotted)
            dot_component(d, place);
        break;
    default: break;
    }
}

typedef struct Undotted {
    Draft *d;
    bool found;
} Undotted;

/* p[0] of a local of which it is not known that it is a vector, and which must stay so */
static void find_undotted(Node **place, void *user)
{
    Undotted *search = user;
    const Node *node = *place, *of = node->kind == NODE_SUBSCRIPT ? node->subscript.value : NULL;
    if (of && of->kind == NODE_NAME && of->fact && search->d->symbols[of->fact - 1].kind == SYMBOL_LOCAL &&
        node->subscript.slice->kind == NODE_CONSTANT && !vector_length(search->d, of))
        search->found = true;
    draft_slots(*place, find_undotted, user);
}

void style_expressions(Draft *d, NodeList *body)
{
    bool dotted = d->habits.dotted;
    Undotted undotted = {d, false};
    for (uint32_t i = 0; dotted && i < body->count; i++)
        find_undotted(&body->items[i], &undotted);
    d->habits.dotted = dotted && !undotted.found; /* all of a function's vectors alike */
    bool *filled = ARENA_ARRAY(d->arena, bool, d->symbol_count + 1);
    Filling filling = {d, filled};
    for (uint32_t i = 0; i < body->count; i++)
        note_filled(&body->items[i], filled);
    for (uint32_t i = 0; i < body->count; i++)
        empty_start(&body->items[i], &filling);
    for (uint32_t i = 0; i < body->count; i++)
        restyle_slot(&body->items[i], d);
    d->habits.dotted = dotted;
}
