/* The author's habits. */
#include "synth/meaning/style.h"

/* Draws in the order of the statements: a list of initialisers would be evaluated in an order that each compiler chooses.
 * `in_full`: every step is written out. */
static void choose_spelling(Draft *d, Habits *habits, bool wp_scalars, bool at_length, bool in_full)
{
    static const unsigned arrays[] = {11, 7, 80, 2}, names[] = {46, 14, 40};
    static const unsigned enums[] = {25, 15, 60, 0}, selects[] = {56, 24, 20}, zeros[] = {45, 25, 30};
    habits->array_style = rng_weighted(&d->rng, arrays, 4);
    habits->wp_scalars = wp_scalars;
    habits->wp_casts = wp_scalars && perhaps(d, 0.7);
    habits->aliases = wp_scalars && perhaps(d, 0.18);
    habits->length_squares = perhaps(d, 0.35);
    habits->docstring = perhaps(d, 0.42);
    habits->function_docstrings = perhaps(d, 0.3);
    habits->annotated_results = perhaps(d, 0.5);
    habits->tall = perhaps(d, 0.4);
    habits->blank_lines = perhaps(d, 0.6);
    habits->comments = perhaps(d, 0.45) ? 0.9 : 0.12;
    habits->noted = perhaps(d, 0.08) ? 0.6 : 0;
    habits->trailing = perhaps(d, 0.25) ? 0.7 : 0.04;
    habits->functions = in_full ? 0.35 : at_length ? 0.97 : perhaps(d, 0.92) ? 0.97 : 0.3;
    habits->structures = d->category == CATEGORY_struct ? 1 : perhaps(d, 0.12) ? 0.6 : 0.02;
    habits->full_exponents = perhaps(d, 0.5);
    habits->plain_constants = perhaps(d, 0.5);
    habits->enum_style = rng_weighted(&d->rng, enums, 4);
    habits->constants = perhaps(d, 0.35) ? 0.35 : 0.08;
    habits->literals = perhaps(d, 0.1) ? 0.15 : 0.01;
    habits->naming = rng_weighted(&d->rng, names, 3);
    habits->plain_updates = perhaps(d, 0.45);
    habits->augmented_updates = perhaps(d, 0.4);
    habits->plain_atomics = perhaps(d, 0.15);
    habits->nested_guard = perhaps(d, 0.45);
    habits->continues = perhaps(d, 0.5);
    habits->nested_ifs = perhaps(d, 0.25);
    habits->select_style = rng_weighted(&d->rng, selects, 3);
    habits->dotted = perhaps(d, 0.14);
    habits->zero_style = rng_weighted(&d->rng, zeros, 3);
    habits->python_min = perhaps(d, 0.4);
    habits->clamps = perhaps(d, 0.4);
    habits->ranges_from_zero = perhaps(d, 0.15);
}

/* How much of a kernel is written out, named, and made a function. */
static void choose_structure(Draft *d, Habits *habits, bool at_length, bool in_full)
{
    static const unsigned vectors[] = {197, 1, 1, 1};
    static const ItemForm vector_forms[] = {FORM_ARGUMENT, FORM_COLUMNS, FORM_PACKED, FORM_SPLIT};
    bool brief = d->category == CATEGORY_glue; /* y[i] = x[i], without names for both */
    habits->loading_first = perhaps(d, brief ? 0.25 : at_length ? 0.75 : 0.6) ? 0.85 : 0;
    habits->inlining = at_length ? 0 : perhaps(d, 0.4) ? 0.5 : 0.03;
    habits->direct_returns = perhaps(d, 0.6) ? 0.9 : 0;
    habits->naming_repeats = perhaps(d, at_length ? 0.9 : 0.8) ? 0.88 : 0.1;
    habits->swapping = perhaps(d, 0.12) ? 0.4 : 0.01;
    habits->literals_last = perhaps(d, 0.45);
    habits->at_signs = perhaps(d, 0.25);
    habits->thorough = in_full;
    habits->steps = in_full ? 0.9 : at_length ? 0.65 : perhaps(d, 0.35) ? 0.5 : 0.05;
    habits->flag_bits = perhaps(d, 0.4);
    habits->bool_flags = perhaps(d, 0.6);
    habits->named_lengths = perhaps(d, 0.5);
    habits->outlines = in_full ? 0 : at_length ? 0.96 : perhaps(d, 0.95) ? 0.98 : 0.0;
    habits->element_names = perhaps(d, brief ? 0.3 : 0.75) ? 0.9 : 0;
    habits->static_bounds = perhaps(d, 0.1);
    habits->static_values = perhaps(d, 0.1);
    habits->generic_kernels = 0.75;
    habits->generics = perhaps(d, 0.12) ? 0.7 : 0;
    habits->components = in_full ? 0.04 : 0.01;
    habits->else_blocks = perhaps(d, 0.4) ? 0.9 : 0;
    habits->single_guards = perhaps(d, 0.25) ? 0.8 : 0;
    habits->presets = perhaps(d, 0.5) ? 0.7 : 0;
    habits->swapped_branches = perhaps(d, 0.25) ? 0.3 : 0;
    habits->flipping = perhaps(d, 0.1) ? 0.3 : 0;
    habits->unrolling = perhaps(d, in_full ? 0.5 : 0.06) ? 0.8 : 0;
    habits->while_loops = perhaps(d, 0.03) ? 0.8 : 0;
    habits->flat_launch = perhaps(d, 0.06) ? 0.8 : 0;
    habits->flat_grids = perhaps(d, 0.03) ? 0.8 : 0;
    habits->strides = perhaps(d, 0.2) ? 0.9 : 0;
    habits->unrolled_states = perhaps(d, 0.92);
    habits->sum_functions = perhaps(d, 0.92);
    habits->second_arrays = perhaps(d, 0.92);
    habits->forward_only = 0.02;
    habits->unique_modules = perhaps(d, 0.1);
    habits->plain_options = perhaps(d, 0.07);
    habits->sections = perhaps(d, 0.4) ? 0.9 : 0;
    habits->argument_comments = perhaps(d, 0.05) ? 0.9 : 0;
    habits->args_docstring = perhaps(d, 0.08) ? 0.95 : 0;
    habits->optional_masks = perhaps(d, 0.4);
    habits->worlds = perhaps(d, 0.58) ? 0.9 : 0;
    habits->sharing = perhaps(d, 0.7) ? (brief ? 0.6 : 0.95) : 0;
    habits->guards = brief ? 0.3 : 1;
    habits->derives = perhaps(d, 0.3) ? 0.5 : 0.0;
    habits->vector_form = vector_forms[rng_weighted(&d->rng, vectors, 4)];
}

Habits random_habits(Draft *d)
{
    Habits habits = {0};
    bool wp_scalars = perhaps(d, 0.4);
    bool at_length = perhaps(d, 0.56);            /* everything in one kernel, step by step */
    bool in_full = at_length && perhaps(d, 0.33); /* and every step written out */
    choose_spelling(d, &habits, wp_scalars, at_length, in_full);
    choose_structure(d, &habits, at_length, in_full);
    return habits;
}

/* ---- numbers that change ---- */

static void count_names(Node **place, void *user)
{
    Usage *usage = user;
    Node *node = *place;
    if (node->kind == NODE_NAME && node->fact)
        ++*(node->name.store ? &usage->stores[node->fact - 1] : &usage->loads[node->fact - 1]);
    draft_slots(node, count_names, user);
}

Usage usage_of(Draft *d, NodeList *body)
{
    Usage usage = {ARENA_ARRAY(d->arena, uint32_t, d->symbol_count + 1),
                   ARENA_ARRAY(d->arena, uint32_t, d->symbol_count + 1), d->symbol_count};
    for (uint32_t i = 0; i < body->count; i++)
        count_names(&body->items[i], &usage);
    return usage;
}

static bool is_number(Draft *d, const Node *node, bool *integer)
{
    if (node->kind == NODE_UNARY_OP)
        return is_number(d, node->unary_op.operand, integer);
    if (node->kind == NODE_NAME && node->fact && d->symbols[node->fact - 1].kind == SYMBOL_CONSTANT)
        for (uint32_t i = 0; i < d->constant_count; i++)
            if (d->constants[i].symbol == node->fact - 1)
                return is_number(d, d->constants[i].value, integer);
    *integer = node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_INT;
    return *integer || (node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_FLOAT);
}

typedef struct StoreSearch {
    uint32_t fact;
    bool in_loop, found;
} StoreSearch;

static void find_store_in_loop(Node **place, void *user)
{
    StoreSearch *search = user;
    const Node *node = *place;
    bool outside = search->in_loop;
    search->in_loop |= node->kind == NODE_FOR || node->kind == NODE_WHILE;
    search->found |= search->in_loop && node->kind == NODE_NAME && node->name.store && node->fact == search->fact;
    draft_slots(*place, find_store_in_loop, user);
    search->in_loop = outside;
}

/* hit = False stays as it is, unless a loop behind it changes the variable: hit = bool(False) */
static void convert_flags(NodeList *list, void *user)
{
    Draft *d = user;
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        draft_lists(node, convert_flags, user);
        if (node->kind != NODE_ASSIGN || node->assign.targets.items[0]->kind != NODE_NAME ||
            node->assign.value->kind != NODE_CONSTANT || node->assign.value->constant.kind != CONSTANT_BOOL)
            continue;
        StoreSearch search = {.fact = node->assign.targets.items[0]->fact};
        for (uint32_t k = i + 1; k < list->count; k++)
            find_store_in_loop(&list->items[k], &search);
        if (search.found)
            node->assign.value = draft_call(d, draft_word(d, "bool"), &node->assign.value, 1);
    }
}

typedef struct Starts {
    Draft *d;
    Usage usage;
} Starts;

/* A variable that starts as a plain number cannot change in a loop: total = float(0.0). */
static void convert_start(Node **place, void *user)
{
    Starts *starts = user;
    Node *node = *place;
    bool integer = false;
    if (node->kind == NODE_ASSIGN && node->assign.targets.items[0]->kind == NODE_NAME &&
        starts->usage.stores[node->assign.targets.items[0]->fact - 1] > 1 &&
        is_number(starts->d, node->assign.value, &integer))
        node->assign.value =
            draft_call(starts->d, draft_word(starts->d, integer ? "int" : "float"), &node->assign.value, 1);
    draft_slots(node, convert_start, user);
}

static void convert_starts(Draft *d, NodeList *body)
{
    Starts starts = {d, usage_of(d, body)};
    for (uint32_t i = 0; i < body->count; i++)
        convert_start(&body->items[i], &starts);
    if (d->habits.bool_flags)
        convert_flags(body, d);
}

/* ---- all habits ---- */

static void style_body(Draft *d, NodeList *body, uint32_t scope)
{
    d->style_scope = scope;
    prune_unused(d, body);
    style_loops(d, body);
    convert_starts(d, body);
    inline_singles(d, body);
    return_directly(d, body);
    style_branches(d, body);
    style_conditions(d, body);
    style_updates(d, body);
    style_expressions(d, body);
}

/* That of its parameters. */
static uint32_t scope_of_function(const Draft *d, const Node *function)
{
    const NodeList *args = &function->function.params->arguments.args;
    return args->count ? d->symbols[args->items[0]->fact - 1].scope : SCOPE_MODULE;
}

void style_functions(Draft *d)
{
    for (uint32_t i = 0; i < d->module.count; i++)
        if (d->module.items[i]->kind == NODE_FUNCTION_DEF)
            style_body(d, &d->module.items[i]->function.body, scope_of_function(d, d->module.items[i]));
}

void apply_style(Draft *d)
{
    shuffle_reads(d);
    style_matrix_products(d);
    style_functions(d);
    style_body(d, &d->body, SCOPE_KERNEL);
    style_guard(d);
    style_rest(d);
    add_blank_lines(d);
}
