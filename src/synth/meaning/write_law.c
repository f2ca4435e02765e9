/* Calls of laws: written out where they stand, or functions of their own. */
#include "synth/meaning/draft.h"

#include "lang/builtin.h"

#include <string.h>

static void write_list(Draft *d, NodeList *list, uint32_t scope);

static const Law *law_of_call(Draft *d, const Node *node)
{
    if (node->kind != NODE_CALL || node->call.func->kind != NODE_NAME || node->call.func->fact)
        return NULL;
    Law *law = law_find(d->meaning, node->call.func->name.id);
    if (!law)
        return NULL;
    if (!law_load(d->meaning, law))
        give_up_draft(d, "%s", d->meaning->message);
    if (node->call.args.count != law->body.param_count)
        give_up_draft(d, "the law %s takes %u values, not %u", law->name->text, law->body.param_count,
                      node->call.args.count);
    return law;
}

/* ---- a law as a function ---- */

/* Symbols of a law's names; returns the first. */
static uint32_t law_symbols(Draft *d, const Law *law, uint32_t scope)
{
    uint32_t base = d->symbol_count;
    for (uint32_t i = 0; i < law->body.local_count; i++) {
        uint32_t symbol = symbol_new(d, SYMBOL_LOCAL, scope,
                                     i < law->body.param_count ? law->param_names[i]
                                     : law->body.names[i]      ? law->body.names[i]
                                                               : law->body.locals[i]->text);
        d->symbols[symbol].column = column_of(d, &law->body, i, base);
    }
    return base;
}

static Resolver law_resolver(Draft *d, const Law *law, uint32_t base)
{
    return (Resolver){d, &law->body, base, ARENA_ARRAY(d->arena, double, law->body.choice_count + 1),
                      ARENA_ARRAY(d->arena, bool, law->body.choice_count + 1)};
}

static const char *law_docstring(Draft *d, const Law *law)
{
    char *text = arena_format(d->arena, "%s.", law->says);
    if (text[0] >= 'a' && text[0] <= 'z')
        text[0] = (char)(text[0] - 'a' + 'A');
    return text;
}

typedef struct Literals {
    Draft *d;
    uint32_t like; /* the symbol of the parameter whose type they get */
} Literals;

/* 0.5 as type(x)(0.5) */
static void type_literals(Node **place, void *user)
{
    const Literals *literals = user;
    Draft *d = literals->d;
    Node *node = *place;
    if (node->kind == NODE_CALL && node->call.func->kind == NODE_NAME && !node->call.func->fact)
        return; /* float(0.0) has a type */
    if (node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_FLOAT) {
        Node *like = draft_name(d, literals->like);
        *place = draft_call(d, draft_call(d, draft_word(d, "type"), &like, 1), place, 1);
        return;
    }
    draft_slots(node, type_literals, user);
}

/* def f(x: Any): for scalars of any kind. */
static void make_generic(Draft *d, const Law *law, Node *node, uint32_t base)
{
    uint32_t like = law->body.param_count;
    NodeList *args = &node->function.params->arguments.args;
    for (uint32_t i = 0; i < args->count; i++) {
        if (strcmp(law->params[i]->type, "float") == 0 && like == args->count)
            like = i;
        args->items[i]->arg.annotation = draft_word(d, "Any");
    }
    node->function.returns = NULL;
    d->has_generics = true;
    Literals literals = {d, base + like};
    if (like < args->count && perhaps(d, 0.7))
        for (uint32_t i = 0; i < node->function.body.count; i++)
            type_literals(&node->function.body.items[i], &literals);
}

static Node *law_definition(Draft *d, const Law *law, uint32_t symbol)
{
    uint32_t scope = d->scope_count++, base = law_symbols(d, law, scope);
    Node *node = draft_new(d, NODE_FUNCTION_DEF), *params = draft_new(d, NODE_ARGUMENTS);
    node->fact = symbol + 1;
    node->function.params = params;
    for (uint32_t i = 0; i < law->body.param_count; i++) {
        Node *arg = draft_new(d, NODE_ARG);
        arg->fact = base + i + 1;
        arg->arg.annotation = spell_type(d, law->params[i]->type);
        draft_push(d, &params->arguments.args, arg);
    }
    draft_push(d, &node->function.decorators, draft_wp(d, "func"));
    if (d->habits.annotated_results && law->result_count == 1)
        node->function.returns = spell_type(d, law->results[0]->type);
    if (d->habits.function_docstrings)
        draft_push(d, &node->function.body, draft_statement(d, draft_string(d, law_docstring(d, law))));
    Resolver resolver = law_resolver(d, law, base);
    resolve_statements(&resolver, &law->body.function->function.body, &node->function.body);
    write_list(d, &node->function.body, scope);
    if (perhaps(d, d->habits.generics) && law->body.param_count)
        make_generic(d, law, node, base);
    return node;
}

static void note_use(Draft *d, const Law *law)
{
    for (uint32_t i = 0; i < d->used_count; i++)
        if (d->used[i] == law)
            return;
    if (d->used_count < sizeof d->used / sizeof *d->used)
        d->used[d->used_count++] = law;
}

static bool is_one_expression(const Law *law)
{
    uint32_t statements = 0;
    for (uint32_t i = 0; i < law->body.function->function.body.count; i++)
        statements += law->body.function->function.body.items[i]->kind != NODE_EXPR;
    return statements == 1;
}

/* a * b, wp.dot(a, b): nobody writes a function for it. */
static bool is_one_operation(const Law *law)
{
    const NodeList *body = &law->body.function->function.body;
    const Node *last = body->items[body->count - 1], *value = last->kind == NODE_RETURN ? last->ret.value : NULL;
    if (!is_one_expression(law) || !value)
        return false;
    if (value->kind == NODE_BIN_OP)
        return draft_is_simple(value->bin_op.left) && draft_is_simple(value->bin_op.right);
    bool simple = value->kind == NODE_CALL && value->call.func->kind == NODE_ATTRIBUTE;
    for (uint32_t i = 0; simple && i < value->call.args.count; i++)
        simple = draft_is_simple(value->call.args.items[i]);
    return simple;
}

/* How this draft writes a law: decided when it is first met. */
static DraftFunction *form_of(Draft *d, const Law *law)
{
    for (uint32_t i = 0; i < d->function_count; i++)
        if (d->functions[i].law == law)
            return &d->functions[i];
    if (d->function_count == MAX_DRAFT_FUNCTIONS)
        give_up_draft(d, "more than %d laws", MAX_DRAFT_FUNCTIONS);
    note_use(d, law);
    DraftFunction *form = &d->functions[d->function_count++];
    *form = (DraftFunction){.law = law};
    bool as_function = law->only_function || !law->inlines ||
                       (!law->only_inline && !is_one_operation(law) && perhaps(d, d->habits.functions));
    if (law->builtin && builtin_is_known(&d->meaning->dialect, law->builtin) && perhaps(d, 0.75))
        form->builtin = law->builtin;
    else if (as_function)
        form->symbol = symbol_new(d, SYMBOL_FUNCTION, SCOPE_MODULE, law->titles);
    return form;
}

/* The name of the function that a law becomes, which is defined by then. */
static Node *function_of(Draft *d, const Law *law)
{
    DraftFunction *form = form_of(d, law);
    if (!form->symbol)
        form->symbol = symbol_new(d, SYMBOL_FUNCTION, SCOPE_MODULE, law->titles);
    if (!form->definition) {
        form->definition = law_definition(d, law, form->symbol);
        draft_push(d, &d->module, form->definition);
    }
    return draft_name(d, form->symbol);
}

static Node *call_function(Draft *d, Node *call, const Law *law)
{
    call->call.func = function_of(d, law);
    return call;
}

/* wp.tile_map(silu, t): the function itself. */
static void name_applied_law(Draft *d, Node *call)
{
    Node *applied = call->call.args.count ? call->call.args.items[0] : call;
    Law *law = applied->kind == NODE_NAME && !applied->fact ? law_find(d->meaning, applied->name.id) : NULL;
    if (!law)
        return;
    if (!law_load(d->meaning, law))
        give_up_draft(d, "%s", d->meaning->message);
    call->call.args.items[0] = function_of(d, law);
}

/* ---- a law written out ---- */

typedef struct Writer {
    Draft *d;
    uint32_t scope;
    NodeList before; /* statements that come first */
    bool may_hoist;  /* whether something may come first */
} Writer;

static uint32_t body_uses(const Body *body, uint32_t local)
{
    uint32_t uses = 0;
    for (uint32_t i = 0; i < body->function->function.body.count; i++)
        uses += draft_uses(body->function->function.body.items[i], local);
    return uses;
}

typedef struct StoreSearch {
    uint32_t fact;
    bool found;
} StoreSearch;

static void find_store(Node **place, void *user)
{
    StoreSearch *search = user;
    if ((*place)->kind == NODE_NAME)
        search->found |= (*place)->name.store && (*place)->fact == search->fact;
    draft_slots(*place, find_store, user);
}

static bool is_stored(const Body *body, uint32_t local)
{
    StoreSearch search = {local + 1, false};
    for (uint32_t i = 0; i < body->function->function.body.count; i++)
        find_store(&body->function->function.body.items[i], &search);
    return search.found;
}

/* An element of an input, x[i]: it is written wherever it is needed, and named later if that is often. */
static bool is_input_element(Draft *d, const Node *value)
{
    const Item *item = value->kind == NODE_SUBSCRIPT ? item_of(d, value->subscript.value) : NULL;
    return item && item->part.role == PART_IN && item->part.axis_count && is_own_index(d, value->subscript.slice);
}

/* Does every argument fit into the place of its parameter, without a variable? */
static bool arguments_fit(Draft *d, const Law *law, const Node *call)
{
    for (uint32_t i = 0; i < law->body.param_count; i++)
        if (is_stored(&law->body, i) || (!draft_is_simple(call->call.args.items[i]) && body_uses(&law->body, i) > 1 &&
                                         !is_input_element(d, call->call.args.items[i])))
            return false;
    return true;
}

static void bind_arguments(Writer *w, const Law *law, const Node *call, uint32_t base)
{
    Draft *d = w->d;
    for (uint32_t i = 0; i < law->body.param_count; i++) {
        Node *value = call->call.args.items[i];
        if (!is_stored(&law->body, i) &&
            (draft_is_simple(value) || body_uses(&law->body, i) <= 1 || is_input_element(d, value))) {
            d->symbols[base + i].value = value;
            continue;
        }
        Node *name = draft_name(d, base + i);
        name->name.store = true;
        draft_push(d, &w->before, draft_assign(d, name, value));
    }
}

/* What the law says, up to the first comma. */
static const char *short_sentence(Draft *d, const Law *law)
{
    const char *text = strncmp(law->says, "the ", 4) == 0 ? law->says + 4 : law->says;
    return arena_strndup(d->arena, text, strcspn(text, ",:;"));
}

/* The statements of the law go before; what it returns is the value of the call. */
static Node *write_out(Writer *w, const Node *call, const Law *law)
{
    Draft *d = w->d;
    uint32_t base = law_symbols(d, law, w->scope);
    bind_arguments(w, law, call, base);
    Resolver resolver = law_resolver(d, law, base);
    const NodeList *body = &law->body.function->function.body;
    NodeList statements = {0};
    resolve_statements(&resolver, body, &statements);
    Node *last = statements.items[--statements.count];
    if (statements.count && w->scope == SCOPE_KERNEL && perhaps(d, 0.7 * d->habits.comments))
        draft_push(d, &w->before, draft_comment(d, short_sentence(d, law)));
    write_list(d, &statements, w->scope);
    draft_insert(d, &w->before, w->before.count, &statements);
    return last->ret.value;
}

static void write_slot(Node **place, void *user)
{
    Writer *w = user;
    Node *node = *place;
    bool may_hoist = w->may_hoist;
    if (node->kind == NODE_IF_EXP || node->kind == NODE_BOOL_OP)
        w->may_hoist = false;
    if (is_wp_call(node, "tile_map") || is_wp_call(node, "tile_reduce"))
        name_applied_law(w->d, node);
    const Law *law = law_of_call(w->d, node);
    if (!is_statement(node)) /* statements inside are written for themselves */
        draft_slots(node, write_slot, w);
    w->may_hoist = may_hoist;
    if (!law)
        return;
    bool fits = is_one_expression(law) && arguments_fit(w->d, law, node);
    const DraftFunction *form = form_of(w->d, law);
    if (form->builtin) {
        node->call.func = draft_wp(w->d, form->builtin);
        return;
    }
    if (form->symbol || law->result_count > 1 || (!fits && !may_hoist)) {
        *place = call_function(w->d, node, law);
        return;
    }
    *place = write_out(w, node, law);
    write_slot(place, w); /* what it returns may call laws */
}

/* Laws in the tests of loops and of elif cannot have statements before them. */
static void write_statement(Draft *d, NodeList *list, uint32_t *at, uint32_t scope)
{
    Node *node = list->items[*at];
    Writer writer = {.d = d, .scope = scope, .may_hoist = node->kind != NODE_WHILE};
    switch (node->kind) {
    case NODE_IF: write_slot(&node->if_stmt.test, &writer); break;
    case NODE_FOR: write_slot(&node->for_loop.iter, &writer); break;
    case NODE_WHILE: write_slot(&node->while_loop.test, &writer); break;
    default: draft_slots(node, write_slot, &writer); break;
    }
    draft_insert(d, list, *at, &writer.before);
    *at += writer.before.count;
}

typedef struct ScopedDraft {
    Draft *d;
    uint32_t scope;
} ScopedDraft;

static void write_inner(NodeList *list, void *user)
{
    ScopedDraft *scoped = user;
    write_list(scoped->d, list, scoped->scope);
}

static void write_list(Draft *d, NodeList *list, uint32_t scope)
{
    ScopedDraft scoped = {d, scope};
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        write_statement(d, list, &i, scope);
        draft_lists(node, write_inner, &scoped);
    }
}

void write_laws(Draft *d)
{
    write_list(d, &d->body, SCOPE_KERNEL);
}
