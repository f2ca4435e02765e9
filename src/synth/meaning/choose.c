/* The statements of a scene or a law with their choices made. */
#include "synth/meaning/draft.h"

#include <math.h>
#include <string.h>

static double number_of(const Node *node)
{
    if (node->kind == NODE_UNARY_OP)
        return -number_of(node->unary_op.operand);
    return node->constant.kind == CONSTANT_FLOAT ? node->constant.real : (double)constant_integer(node);
}

/* Digits that a person would choose, in the range. */
double nice_value(Rng *rng, double low, double high)
{
    double span = high - low, value = low + span * rng_unit(rng);
    if (span <= 0)
        return low;
    double size = fmax(fabs(low), fabs(high));
    double step = pow(10, floor(log10(fmin(span, size))));
    for (int tries = 0; tries < 8; tries++, step *= 0.5) {
        double rounded = round(value / step) * step;
        if (rounded >= low && rounded <= high && (rounded != 0 || low == 0)) {
            double digits = pow(10, 4 - floor(log10(fmax(fabs(rounded), 1e-300))));
            return rounded == 0 ? 0 : round(rounded * digits) / digits;
        }
    }
    return value;
}

/* ---- decisions ---- */

/* Decided once for each number of a choice; `made` is what comes out if it is new. */
static double decide(Resolver *r, const Node *call, double made)
{
    uint32_t i = call->fact - 1;
    if (!r->decided[i]) {
        r->decided[i] = true;
        r->decisions[i] = made;
    }
    return r->decisions[i];
}

static Item *item_of_local(Resolver *r, const Node *name)
{
    for (uint32_t i = 0; i < r->d->item_count; i++)
        if (r->d->items[i].symbol == r->base + name->fact - 1)
            return &r->d->items[i];
    give_up_draft(r->d, "present() is about something else than a parameter");
}

typedef enum Truth { TRUTH_NO, TRUTH_YES, TRUTH_UNKNOWN } Truth;

/* What a test is, where the draft alone decides it. */
static Truth truth_of(Resolver *r, const Node *test)
{
    const Meaning *meaning = r->d->meaning;
    if (scene_word_is(meaning, test, WORD_present))
        return item_of_local(r, test->call.args.items[0])->present ? TRUTH_YES : TRUTH_NO;
    if (scene_word_is(meaning, test, WORD_allows))
        return scene_allows(meaning, test->call.args.items[0]) ? TRUTH_YES : TRUTH_NO;
    if (scene_word_is(meaning, test, WORD_maybe)) {
        double probability = test->call.args.count ? number_of(test->call.args.items[0]) : 0.5;
        return decide(r, test, perhaps(r->d, probability)) != 0 ? TRUTH_YES : TRUTH_NO;
    }
    if (test->kind == NODE_UNARY_OP && test->unary_op.op == OP_NOT) {
        Truth inner = truth_of(r, test->unary_op.operand);
        return inner == TRUTH_UNKNOWN ? inner : inner == TRUTH_NO ? TRUTH_YES : TRUTH_NO;
    }
    if (test->kind != NODE_BOOL_OP)
        return TRUTH_UNKNOWN;
    Truth ends = test->bool_op.op == OP_AND ? TRUTH_NO : TRUTH_YES, all = ends == TRUTH_NO ? TRUTH_YES : TRUTH_NO;
    for (uint32_t i = 0; i < test->bool_op.values.count; i++) {
        Truth part = truth_of(r, test->bool_op.values.items[i]);
        if (part == ends)
            return ends;
        if (part == TRUTH_UNKNOWN)
            all = TRUTH_UNKNOWN;
    }
    return all;
}

/* ---- expressions ---- */

/* Decided once for each name: a kernel does not have EPS here and 1e-6 there. Whole numbers are sizes and codes, which always have a name. */
static bool is_literal(const Draft *d, const char *names, const Node *value)
{
    if (value->kind == NODE_CALL || (value->kind == NODE_CONSTANT && value->constant.kind == CONSTANT_INT))
        return false; /* a vector is never written out: its parts are read */
    uint32_t mixed = d->salt;
    for (const char *at = names; *at; at++)
        mixed = (mixed ^ (unsigned char)*at) * 16777619u;
    return (mixed >> 8) % 1000 < 1000 * (d->habits.literals + 0.03);
}

static Node *resolve_constant(Resolver *r, const Node *call)
{
    Draft *d = r->d;
    const NodeList *args = &call->call.args;
    const char *names = args->items[0]->constant.text;
    for (uint32_t i = 0; i < d->constant_count; i++)
        if (d->symbols[d->constants[i].symbol].names && strcmp(d->symbols[d->constants[i].symbol].names, names) == 0)
            return draft_name(d, d->constants[i].symbol);
    bool is_number = args->items[1]->kind != NODE_CALL;
    if (is_literal(d, names, args->items[1]) || (is_number && d->constant_count == MAX_DRAFT_CONSTANTS))
        return resolve_expression(r, args->items[1]);
    if (d->constant_count == MAX_DRAFT_CONSTANTS)
        give_up_draft(d, "more than %d constants", MAX_DRAFT_CONSTANTS);
    uint32_t symbol = symbol_new(d, SYMBOL_CONSTANT, SCOPE_MODULE, names);
    d->symbols[symbol].column = (d->salt >> 9) + 1; /* the same of all: G0, G1, or RAPID, LINEAR */
    d->constants[d->constant_count++] = (DraftConstant){symbol, resolve_expression(r, args->items[1]), 0};
    return draft_name(d, symbol);
}

/* What a value of the type starts as: 0.0, wp.vec3(), the identity of rotations and poses. */
static Node *zero_of(Draft *d, const char *type)
{
    if (strcmp(type, "float") == 0)
        return draft_float(d, 0.0);
    if (type_is_integer(type))
        return draft_int(d, 0);
    bool identity = strcmp(type, "quat") == 0 || strcmp(type, "transform") == 0;
    const char *name = identity ? arena_join(d->arena, type, "_identity") : type;
    return draft_call(d, identity ? draft_wp(d, name) : spell_type(d, name), NULL, 0);
}

static Node *resolve_word(Resolver *r, const Node *call)
{
    Draft *d = r->d;
    const Meaning *meaning = d->meaning;
    const NodeList *args = &call->call.args;
    if (scene_word_is(meaning, call, WORD_count)) {
        const Entity *entity = cast_entity(d, entity_find(meaning, args->items[0]->name.id));
        uint32_t number = args->count > 1 ? (uint32_t)number_of(args->items[1]) : 0;
        Count *count = count_of(d, entity, number);
        if (!count->symbol)
            count->symbol = count_symbol(d, entity, number);
        count->looped = true;
        return draft_name(d, count->symbol);
    }
    if (scene_word_is(meaning, call, WORD_number)) {
        double low = number_of(args->items[0]), high = number_of(args->items[1]);
        return draft_float(d, decide(r, call, nice_value(&d->rng, low, high)));
    }
    if (scene_word_is(meaning, call, WORD_integer)) {
        int low = (int)number_of(args->items[0]), high = (int)number_of(args->items[1]);
        return draft_int(d, (int64_t)decide(r, call, rng_between(&d->rng, low, high)));
    }
    if (scene_word_is(meaning, call, WORD_either))
        return resolve_expression(r, args->items[(uint32_t)decide(r, call, rng_below(&d->rng, args->count))]);
    if (scene_word_is(meaning, call, WORD_zero))
        return zero_of(d, item_of_local(r, args->items[0])->part.quantity->type);
    if (scene_word_is(meaning, call, WORD_constant))
        return resolve_constant(r, call);
    return NULL;
}

static void resolve_slot(Node **place, void *user)
{
    *place = resolve_expression(user, *place);
}

static Node *resolve_bool(Resolver *r, const Node *node)
{
    NodeList values = {0};
    for (uint32_t i = 0; i < node->bool_op.values.count; i++)
        if (truth_of(r, node->bool_op.values.items[i]) == TRUTH_UNKNOWN)
            draft_push(r->d, &values, resolve_expression(r, node->bool_op.values.items[i]));
    if (values.count == 1)
        return values.items[0];
    Node *copy = draft_new(r->d, NODE_BOOL_OP);
    copy->bool_op.op = node->bool_op.op;
    copy->bool_op.values = values;
    return copy;
}

static void own_list(Draft *d, NodeList *list)
{
    Node **items = list->items;
    list->items = arena_take(d->arena, sizeof(Node *) * (list->count + 1));
    for (uint32_t i = 0; i < list->count; i++)
        list->items[i] = items[i];
    list->cap = list->count;
}

static void own_lists(Draft *d, Node *node)
{
    switch (node->kind) {
    case NODE_COMPARE: own_list(d, &node->compare.comparators); break;
    case NODE_CALL:
        own_list(d, &node->call.args);
        own_list(d, &node->call.keywords);
        break;
    case NODE_TUPLE:
    case NODE_LIST: own_list(d, &node->sequence.elts); break;
    case NODE_ASSIGN: own_list(d, &node->assign.targets); break;
    default: break;
    }
}

Node *resolve_expression(Resolver *r, const Node *node)
{
    Draft *d = r->d;
    if (node->kind == NODE_BOOL_OP)
        return resolve_bool(r, node);
    if (node->kind == NODE_IF_EXP) {
        Truth truth = truth_of(r, node->if_exp.test);
        if (truth != TRUTH_UNKNOWN)
            return resolve_expression(r, truth == TRUTH_YES ? node->if_exp.body : node->if_exp.orelse);
    }
    if (node->kind == NODE_CALL && node->call.func->kind == NODE_NAME) {
        Node *word = resolve_word(r, node);
        if (word)
            return word;
    }
    Node *copy = node_copy(d->arena, node);
    if (copy->kind == NODE_NAME) {
        if (!copy->fact)
            return copy;
        uint32_t symbol = r->base + copy->fact - 1;
        if (d->symbols[symbol].value)
            return draft_copy(d, d->symbols[symbol].value);
        copy->fact = symbol + 1;
        return copy;
    }
    if (copy->kind == NODE_CALL)
        copy->fact = 0;
    own_lists(d, copy);
    draft_slots(copy, resolve_slot, r);
    return copy;
}

/* ---- statements ---- */

static void resolve_match(Resolver *r, const Node *node, NodeList *to)
{
    unsigned weights[32] = {0};
    uint32_t count = node->match.cases.count < 32 ? node->match.cases.count : 32;
    for (uint32_t i = 0; i < count; i++) {
        const Node *pattern = node->match.cases.items[i]->match_case.pattern;
        bool number = pattern->pattern.kind == PATTERN_VALUE && pattern->pattern.parts.items[0]->kind == NODE_CONSTANT;
        weights[i] = number ? (unsigned)number_of(pattern->pattern.parts.items[0]) : 1;
    }
    uint32_t chosen = (uint32_t)decide(r, node->match.subject, rng_weighted(&r->d->rng, weights, count));
    resolve_statements(r, &node->match.cases.items[chosen]->match_case.body, to);
}

static void resolve_if(Resolver *r, const Node *node, NodeList *to)
{
    Truth truth = truth_of(r, node->if_stmt.test);
    if (truth != TRUTH_UNKNOWN) {
        resolve_statements(r, truth == TRUTH_YES ? &node->if_stmt.body : &node->if_stmt.orelse, to);
        return;
    }
    Node *copy = draft_new(r->d, NODE_IF);
    copy->if_stmt.test = resolve_expression(r, node->if_stmt.test);
    resolve_statements(r, &node->if_stmt.body, &copy->if_stmt.body);
    resolve_statements(r, &node->if_stmt.orelse, &copy->if_stmt.orelse);
    draft_push(r->d, to, copy);
}

static void resolve_word_statement(Resolver *r, const Node *node, NodeList *to)
{
    Draft *d = r->d;
    const Node *call = node->expr.value;
    if (scene_word_is(d->meaning, call, WORD_names))
        return;
    if (scene_word_is(d->meaning, call, WORD_note)) {
        if (call->call.args.count && perhaps(d, d->habits.comments)) {
            size_t len;
            const char *text = rng_word(&d->rng, call->call.args.items[0]->constant.text, &len);
            const char *words = arena_strndup(d->arena, text, len);
            bool trailing = perhaps(d, d->habits.trailing);
            if (!trailing && perhaps(d, d->habits.noted))
                words = arena_join(d->arena, "NOTE: ", words);
            draft_push(d, to,
                       trailing ? draft_statement(d, draft_word(d, arena_join(d->arena, TRAILING_COMMENT, words)))
                                : draft_comment(d, words));
        }
        return;
    }
    if (scene_word_is(d->meaning, call, WORD_fact)) {
        if (call->call.args.count && d->fact_count < sizeof d->facts / sizeof *d->facts)
            d->facts[d->fact_count++] = call->call.args.items[0]->constant.text;
        return;
    }
    draft_push(d, to, draft_statement(d, resolve_expression(r, call)));
}

static void resolve_loop(Resolver *r, const Node *node, NodeList *to)
{
    Node *copy = draft_new(r->d, node->kind);
    if (node->kind == NODE_FOR) {
        copy->for_loop.target = resolve_expression(r, node->for_loop.target);
        copy->for_loop.iter = resolve_expression(r, node->for_loop.iter);
        resolve_statements(r, &node->for_loop.body, &copy->for_loop.body);
    } else {
        copy->while_loop.test = resolve_expression(r, node->while_loop.test);
        resolve_statements(r, &node->while_loop.body, &copy->while_loop.body);
    }
    draft_push(r->d, to, copy);
}

static bool is_docstring(const Node *node)
{
    return node->kind == NODE_EXPR && node->expr.value->kind == NODE_CONSTANT;
}

void resolve_statements(Resolver *r, const NodeList *from, NodeList *to)
{
    for (uint32_t i = 0; i < from->count; i++) {
        const Node *node = from->items[i];
        switch (node->kind) {
        case NODE_MATCH: resolve_match(r, node, to); break;
        case NODE_IF: resolve_if(r, node, to); break;
        case NODE_FOR:
        case NODE_WHILE: resolve_loop(r, node, to); break;
        case NODE_PASS: break;
        case NODE_EXPR:
            if (!is_docstring(node))
                resolve_word_statement(r, node, to);
            break;
        default: {
            Node *copy = node_copy(r->d->arena, node);
            own_lists(r->d, copy);
            draft_slots(copy, resolve_slot, r);
            draft_push(r->d, to, copy);
        }
        }
    }
}
