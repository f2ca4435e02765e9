/* A condition becomes a function that returns bool, as a person would do it: if exceeds_limit(x, limit): … */
#include "synth/meaning/outline.h"

#include <string.h>

enum { MOST_TESTS = 2, MOST_PARAMS = 6 };

/* What a condition mentions, in order. */
typedef struct Mentioned {
    Draft *d;
    uint32_t symbols[MOST_PARAMS], count, size;
    bool fits; /* nothing but values and arrays, and not too many */
} Mentioned;

static void note_mention(Node **place, void *user)
{
    Mentioned *mentioned = user;
    const Node *node = *place;
    mentioned->size++;
    if (node->kind == NODE_CALL && node->call.func->kind == NODE_ATTRIBUTE &&
        (strncmp(node->call.func->attribute.attr->text, "atomic", 6) == 0 ||
         strncmp(node->call.func->attribute.attr->text, "rand", 4) == 0))
        mentioned->fits = false;
    if (node->kind == NODE_NAME && node->fact) {
        uint32_t symbol = node->fact - 1;
        SymbolKind kind = mentioned->d->symbols[symbol].kind;
        if (kind == SYMBOL_CONSTANT || kind == SYMBOL_FUNCTION || kind == SYMBOL_MEMBER || kind == SYMBOL_STRUCT)
            return;
        for (uint32_t i = 0; i < mentioned->count; i++)
            if (mentioned->symbols[i] == symbol)
                return;
        if (mentioned->count == MOST_PARAMS)
            mentioned->fits = false;
        else
            mentioned->symbols[mentioned->count++] = symbol;
    }
    draft_slots(*place, note_mention, user);
}

/* ---- names ---- */

/* The first word that a value may be called; NULL: it is not a name, or too short for a part of another name. */
static const char *word_of(Draft *d, const Node *node)
{
    while (node->kind == NODE_SUBSCRIPT)
        node = node->subscript.value;
    if (node->kind != NODE_NAME && node->kind != NODE_ATTRIBUTE)
        return NULL;
    const char *words = node->fact ? d->symbols[node->fact - 1].names : NULL;
    size_t len = words ? strcspn(words, "|") : 0;
    while (len > 1 && words[len - 1] == '_')
        len--;
    if (len < 3 || memchr(words, '@', len))
        return NULL;
    char *word = arena_strndup(d->arena, words, len);
    for (char *c = word; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c == ' ' ? '_' : *c);
    return word;
}

/* What a comparison of a named value with something else is called. */
static const char *comparison_names(Draft *d, OpKind op, const Node *other, const char *value)
{
    bool zero = other->kind == NODE_CONSTANT &&
                (other->constant.kind == CONSTANT_INT ? other->constant.integer == 0 : other->constant.real == 0);
    const char *format = op == OP_EQ && zero            ? "no_%s|%s_is_zero|without_%s"
                         : op == OP_NOT_EQ && zero      ? "has_%s|%s_is_set|with_%s"
                         : op == OP_EQ                  ? "matches_%s|same_%s|%s_agrees"
                         : op == OP_NOT_EQ              ? "differs_in_%s|other_%s|%s_differs"
                         : op == OP_LT || op == OP_LT_E ? "small_%s|low_%s|%s_is_small"
                                                        : "large_%s|high_%s|%s_is_large";
    return arena_format(d->arena, format, value, value, value);
}

/* NULL: no name would say what it is about. */
static const char *test_names(Draft *d, const Node *test, bool leaves)
{
    if (test->kind == NODE_COMPARE) {
        const char *limit = word_of(d, test->compare.comparators.items[0]), *value = word_of(d, test->compare.left);
        OpKind op = test->compare.ops[0];
        if (limit && (op == OP_LT || op == OP_LT_E))
            return arena_format(d->arena, "within_%s|below_%s|is_under_%s", limit, limit, limit);
        if (limit && (op == OP_GT || op == OP_GT_E))
            return arena_format(d->arena, "exceeds_%s|above_%s|beyond_%s|past_%s", limit, limit, limit, limit);
        if (value)
            return comparison_names(d, op, test->compare.comparators.items[0], value);
    }
    return leaves ? "should_skip|is_skipped|must_skip" : NULL;
}

/* ---- the function ---- */

static void add_return(Draft *d, NodeList *body, bool value)
{
    Node *end = draft_new(d, NODE_RETURN), *word = draft_new(d, NODE_CONSTANT);
    word->constant.kind = CONSTANT_BOOL;
    word->constant.truth = value;
    end->ret.value = word;
    draft_push(d, body, end);
}

static void add_case(Draft *d, NodeList *body, Node *test, bool value)
{
    Node *node = draft_new(d, NODE_IF);
    node->if_stmt.test = test;
    add_return(d, &node->if_stmt.body, value);
    draft_push(d, body, node);
}

/* return test; or if test: return True, then return False; or one part of the condition after the other */
static void write_test(Draft *d, Node *test, NodeList *body)
{
    uint32_t form = rng_below(&d->rng, 3);
    if (!form || (test->kind != NODE_BOOL_OP && test->kind != NODE_COMPARE)) {
        Node *end = draft_new(d, NODE_RETURN);
        end->ret.value = test;
        draft_push(d, body, end);
    } else if (test->kind == NODE_BOOL_OP && form == 1) {
        bool any = test->bool_op.op == OP_OR;
        for (uint32_t i = 0; i < test->bool_op.values.count; i++) {
            Node *part = test->bool_op.values.items[i];
            add_case(d, body, any ? part : negated(d, part), any);
        }
        add_return(d, body, !any);
    } else {
        add_case(d, body, test, true);
        add_return(d, body, false);
    }
}

/* if i >= n, if a == b: nobody writes a function for it. */
static bool is_too_plain(const Draft *d, const Node *test)
{
    if (test->kind != NODE_COMPARE || test->compare.left->kind != NODE_NAME)
        return false;
    bool equality = test->compare.ops[0] == OP_EQ || test->compare.ops[0] == OP_NOT_EQ;
    return test->compare.left->fact == d->tid[0] + 1 ||
           (equality && test->compare.comparators.items[0]->kind == NODE_NAME);
}

static bool outline_test(Draft *d, Inference *inference, Node **place, bool leaves)
{
    Mentioned mentioned = {.d = d, .fits = true};
    note_mention(place, &mentioned);
    if (!mentioned.fits || !mentioned.count || mentioned.size < 3 || is_too_plain(d, *place))
        return false;
    Node *annotations[MOST_PARAMS], *args[MOST_PARAMS];
    for (uint32_t i = 0; i < mentioned.count; i++) {
        annotations[i] = annotation_of(d, inference, mentioned.symbols[i]);
        if (!annotations[i])
            return false;
        args[i] = draft_name(d, mentioned.symbols[i]);
    }
    bool opposite = perhaps(d, 0.2);
    Node *test = opposite ? negated(d, *place) : *place;
    const char *names = test_names(d, test, leaves && !opposite);
    if (!names)
        return false;
    Node *node = draft_new(d, NODE_FUNCTION_DEF), *params = draft_new(d, NODE_ARGUMENTS);
    uint32_t symbol = symbol_new(d, SYMBOL_FUNCTION, SCOPE_MODULE, names);
    Renaming renaming = {.d = d, .scope = d->scope_count++};
    node->fact = symbol + 1;
    node->function.params = params;
    draft_push(d, &node->function.decorators, draft_wp(d, "func"));
    if (d->habits.annotated_results)
        node->function.returns = spell_type(d, "bool");
    for (uint32_t i = 0; i < mentioned.count; i++) {
        renaming.from[i] = mentioned.symbols[i];
        renaming.to[i] = copy_symbol(d, mentioned.symbols[i], renaming.scope);
        Node *arg = draft_new(d, NODE_ARG);
        arg->fact = renaming.to[i] + 1;
        arg->arg.annotation = annotations[i];
        draft_push(d, &params->arguments.args, arg);
    }
    renaming.count = mentioned.count;
    rename_symbol(&test, &renaming);
    write_test(d, test, &node->function.body);
    draft_push(d, &d->module, node);
    *place = draft_call(d, draft_name(d, symbol), args, mentioned.count);
    if (opposite)
        *place = negated(d, *place);
    return true;
}

/* ---- which conditions ---- */

typedef struct TestSearch {
    Draft *d;
    Inference inference;
    uint32_t made;
} TestSearch;

static bool only_leaves(const Node *node)
{
    NodeKind kind = node->if_stmt.body.count == 1 ? node->if_stmt.body.items[0]->kind : NODE_PASS;
    return kind == NODE_RETURN || kind == NODE_CONTINUE || kind == NODE_BREAK;
}

static void test_list(NodeList *list, void *user)
{
    TestSearch *search = user;
    Draft *d = search->d;
    for (uint32_t i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        draft_lists(node, test_list, user);
        if (node->kind == NODE_IF && search->made < MOST_TESTS && perhaps(d, d->habits.predicates))
            search->made += outline_test(d, &search->inference, &node->if_stmt.test, only_leaves(node));
    }
}

void outline_tests(Draft *d)
{
    if (d->habits.predicates <= 0)
        return;
    TestSearch search = {.d = d};
    infer_types(d, &search.inference);
    test_list(&d->body, &search);
}
