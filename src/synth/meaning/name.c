/* What things are called. */
#include "synth/meaning/draft.h"
#include "synth/meaning/load.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME_LENGTH = 64 };

uint32_t symbol_new(Draft *d, SymbolKind kind, uint32_t scope, const char *names)
{
    if (d->symbol_count == MAX_SYMBOLS)
        give_up_draft(d, "more than %d names", MAX_SYMBOLS);
    if (!d->symbol_count)
        d->symbols[d->symbol_count++] = (Symbol){0}; /* 0 is none */
    d->symbols[d->symbol_count] = (Symbol){.kind = kind, .scope = scope, .names = names};
    return d->symbol_count++;
}

/* Words of Python, of C++ (fields and arguments keep their names there), names that everybody expects to mean something, and
 * `rhs`: Warp's own text for a struct with a field of that name does not compile. */
void reserve_words(Meaning *meaning)
{
    static const char words[] = "wp float int bool range min max abs len round sum pow print list type "
                                "False None True and as assert async await break class continue def del elif else "
                                "except finally for from global "
                                "if import in is lambda nonlocal not or pass raise return try while with yield "
                                "alignas alignof asm auto bitand bitor case catch char compl concept const constexpr "
                                "decltype default delete do "
                                "double enum explicit export extern friend goto inline linux long mutable namespace "
                                "new noexcept nullptr operator "
                                "private protected public register requires short signed sizeof static struct switch "
                                "template this throw typedef "
                                "rhs typeid typename union unix unsigned using virtual void volatile xor";
    names_of_words(&meaning->reserved, meaning->arena, words);
}

uint32_t column_of(const Draft *d, const Body *body, uint32_t local, uint32_t salt)
{
    if (!body->groups[local])
        return 0;
    uint32_t mixed = (d->salt + body->groups[local] * 2654435761u + salt * 40503u) * 2246822519u;
    static const uint8_t columns[] = {0, 0, 0, 0, 0, 1, 1, 1,
                                      1, 2, 2, 2, 3, 3, 4, 5}; /* the first names are the plainest */
    return columns[(mixed >> 8) % sizeof columns] + 1;
}

static bool is_reserved(const Draft *d, Name name)
{
    return name_find(&d->meaning->reserved, name->hash, name->text, name->len) != NULL;
}

/* Warp looks an attribute of such a name up in its own constants first. */
static bool is_constant_of_warp(const char *text)
{
    return strcmp(text, "tau") == 0 || strcmp(text, "pi") == 0 || strcmp(text, "e") == 0 || strcmp(text, "phi") == 0;
}

/* The scopes in which each name is something, a bit each, by the numbers of names. */
typedef struct Namer {
    Draft *d;
    uint32_t *scopes;
    uint32_t count, cap;
} Namer;

_Static_assert(SCOPE_FIRST_FUNCTION + MAX_DRAFT_FUNCTIONS + MAX_DRAFT_STRUCTS + MAX_OUTLINES <= 32,
               "a bit for each scope");

static uint32_t *scopes_of(Namer *namer, Name name)
{
    while (namer->count <= name->id)
        ARENA_PUSH(namer->d->arena, namer->scopes, namer->count, namer->cap) = 0;
    return &namer->scopes[name->id];
}

/* What the module knows is known everywhere. */
static bool is_taken(Namer *namer, uint32_t symbol, Name name)
{
    uint32_t scope = namer->d->symbols[symbol].scope, taken = *scopes_of(namer, name);
    return scope == SCOPE_MODULE ? taken != 0 : (taken & (1u << scope | 1u << SCOPE_MODULE)) != 0;
}

static void take_name(Namer *namer, uint32_t symbol, Name name)
{
    *scopes_of(namer, name) |= 1u << namer->d->symbols[symbol].scope;
    namer->d->symbols[symbol].name = name;
}

/* The n-th alternative, around the end. */
static const char *word_at(const char *words, uint32_t n, size_t *len)
{
    uint32_t count = 1;
    for (const char *c = words; *c; c++)
        count += *c == '|';
    for (n %= count; n; n--)
        words = strchr(words, '|') + 1;
    *len = strcspn(words, "|");
    return words;
}

/* `@` is what the value is of: @_mass becomes particle_mass. */
static size_t expand(const Symbol *symbol, uint32_t salt, const char *word, size_t len, char out[NAME_LENGTH])
{
    const char *at = memchr(word, '@', len);
    size_t one_len = 0, before = at ? (size_t)(at - word) : len;
    const char *one = symbol->entity ? word_at(symbol->entity->one, salt, &one_len) : "";
    size_t after = at ? len - before - 1 : 0;
    if (at && !one_len && after && at[1] == '_') /* nothing to stand for */
        after--, at++;
    if (before + one_len + after + 8 >= NAME_LENGTH)
        one_len = 0;
    memcpy(out, word, before < NAME_LENGTH - 1 ? before : NAME_LENGTH - 1);
    if (!at)
        return before < NAME_LENGTH - 1 ? before : NAME_LENGTH - 1;
    memcpy(out + before, one, one_len);
    memcpy(out + before + one_len, at + 1, after);
    for (size_t i = 0; i < before + one_len + after; i++)
        out[i] = out[i] == ' ' ? '_' : out[i];
    return before + one_len + after;
}

/* `#` and `$` are the names of other symbols: sin_# becomes sin_phi. */
static size_t fill_in(const Draft *d, const Symbol *symbol, const char *text, size_t len, char out[NAME_LENGTH])
{
    size_t used = 0;
    for (size_t i = 0; i < len; i++) {
        const char *more = text + i;
        size_t more_len = 1;
        if (text[i] == '#' || text[i] == '$') {
            uint32_t other = symbol->of[text[i] == '$'];
            const Item *item = NULL;
            for (uint32_t k = 0; k < d->item_count; k++)
                if (d->items[k].symbol == other)
                    item = &d->items[k];
            more = item ? core_of_item(d, item) : d->symbols[other].name ? d->symbols[other].name->text : "v";
            more_len = strlen(more);
            if (more_len > 5 && strcmp(more + more_len - 4, "_out") == 0) /* force_ref beside force_out */
                more_len -= 4;
            if (more_len > 4 && memcmp(more + more_len - 3, "_of", 3) == 0)
                more_len -= 3;
        }
        if (used + more_len + 8 < NAME_LENGTH) {
            memcpy(out + used, more, more_len);
            used += more_len;
        }
    }
    return used;
}

/* Of a few that are drawn, the one that suits the author: short or long. */
static size_t draw_name(Draft *d, const Symbol *symbol, int turn, char out[NAME_LENGTH])
{
    const char *habitual = turn < 2 ? habitual_names(d, symbol) : NULL, *names = habitual ? habitual : symbol->names;
    size_t best = 0;
    int draws = d->habits.naming && turn < 2 ? 3 : 1;
    if (symbol->element_of) {
        size_t len = element_name(d, symbol, (uint32_t)turn, out, NAME_LENGTH);
        return len < NAME_LENGTH ? len : NAME_LENGTH - 1;
    }
    for (int i = 0; i < draws; i++) {
        char text[NAME_LENGTH];
        size_t len, word_len;
        const char *word = symbol->column && !habitual ? word_at(names, symbol->column - 1 + (uint32_t)turn, &word_len)
                                                       : rng_word(&d->rng, names, &word_len);
        len = expand(symbol, d->salt >> 4, word, word_len, text);
        if (symbol->of[0]) {
            char whole[NAME_LENGTH];
            len = fill_in(d, symbol, text, len, whole);
            memcpy(text, whole, len);
        }
        if (!i || (d->habits.naming == 1 ? len < best : len > best)) {
            memcpy(out, text, len);
            best = len;
        }
    }
    return best;
}

static void upper(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        text[i] = (char)toupper((unsigned char)text[i]);
}

/* A parameter is mostly called as what is passed: NULL, if it is not. */
static const char *known_name(const Draft *d, const Symbol *symbol)
{
    const char *core = d->symbols[symbol->copy_of].core;
    return symbol->copy_of && core && (d->salt + symbol->copy_of) % 4 && strlen(core) < NAME_LENGTH ? core : NULL;
}

/* As drawn, then as the author spells it, then with what goes before and behind. */
static size_t write_name(Draft *d, Symbol *symbol, int turn, char text[NAME_LENGTH])
{
    enum { PLAIN_TURNS = 4 }; /* then names stay as drawn */
    const char *known = turn ? NULL : known_name(d, symbol);
    size_t len = known ? (size_t)snprintf(text, NAME_LENGTH, "%s", known) : draw_name(d, symbol, turn, text);
    symbol->drawn = arena_strndup(d->arena, text, len);
    if (turn < PLAIN_TURNS)
        len = respell_name(d, symbol, text, len, NAME_LENGTH);
    symbol->core = arena_strndup(d->arena, text, len);
    if (symbol->kind == SYMBOL_CONSTANT || symbol->kind == SYMBOL_MEMBER)
        upper(text, len);
    if (turn < PLAIN_TURNS)
        len = affix_name(d, symbol, text, len, NAME_LENGTH);
    text[len] = 0;
    return len;
}

static void name_symbol(Namer *namer, uint32_t i)
{
    Draft *d = namer->d;
    Symbol *symbol = &d->symbols[i];
    char text[NAME_LENGTH + 16];
    size_t len = 0;
    for (int tries = 0; tries < 6; tries++) {
        len = write_name(d, symbol, tries, text);
        Name name = name_of(&d->names, text, len);
        if (!is_reserved(d, name) && !is_taken(namer, i, name) && !(symbol->dotted && is_constant_of_warp(text))) {
            take_name(namer, i, name);
            return;
        }
    }
    static const char letters[] = "ijkmnl";
    for (const char *letter = letters; len == 1 && strchr(letters, text[0]) && *letter; letter++) { /* of loops */
        Name name = name_of(&d->names, letter, 1);
        if (!is_taken(namer, i, name)) {
            take_name(namer, i, name);
            return;
        }
    }
    static const char *const verbs[] = {"compute_", "eval_", "calc_"};
    for (size_t k = 0; symbol->kind == SYMBOL_FUNCTION && k < sizeof verbs / sizeof *verbs; k++) {
        bool has_verb = strncmp(text, "compute_", 8) == 0 || strncmp(text, "eval_", 5) == 0;
        Name name = name_cstr(&d->names, arena_join(d->arena, verbs[k], has_verb ? strchr(text, '_') + 1 : text));
        if (!is_taken(namer, i, name)) {
            take_name(namer, i, name);
            return;
        }
    }
    for (int number = 2;; number++) {
        const char *numbered =
            arena_format(d->arena, isdigit((unsigned char)text[len - 1]) ? "%s_%d" : "%s%d", text, number);
        Name name = name_cstr(&d->names, numbered);
        if (!is_taken(namer, i, name)) {
            take_name(namer, i, name);
            return;
        }
    }
}

/* ---- in the tree ---- */

static void count_use(Node **place, void *user)
{
    Draft *d = user;
    Node *node = *place;
    if ((node->kind == NODE_NAME || node->kind == NODE_ATTRIBUTE) && node->fact)
        d->symbols[node->fact - 1].uses++;
    draft_slots(node, count_use, d);
}

static void set_name(Node **place, void *user)
{
    Draft *d = user;
    Node *node = *place;
    if (node->kind == NODE_NAME && node->fact)
        node->name.id = d->symbols[node->fact - 1].name;
    if (node->kind == NODE_ATTRIBUTE && node->fact)
        node->attribute.attr = d->symbols[node->fact - 1].name;
    draft_slots(node, set_name, d);
}

static void each_statement(Draft *d, SlotVisitor *visit)
{
    for (uint32_t i = 0; i < d->body.count; i++)
        visit(&d->body.items[i], d);
    for (uint32_t i = 0; i < d->constant_count; i++)
        visit(&d->constants[i].value, d);
    for (uint32_t i = 0; i < d->module.count; i++) {
        NodeList *body = &d->module.items[i]->function.body;
        for (uint32_t k = 0; d->module.items[i]->kind == NODE_FUNCTION_DEF && k < body->count; k++)
            visit(&body->items[k], d);
    }
}

static void name_definitions(Draft *d)
{
    for (uint32_t i = 0; i < d->module.count; i++) {
        Node *node = d->module.items[i];
        if (node->kind != NODE_FUNCTION_DEF)
            continue;
        node->function.name = d->symbols[node->fact - 1].name;
        NodeList *args = &node->function.params->arguments.args;
        for (uint32_t k = 0; k < args->count; k++) {
            args->items[k]->arg.name = d->symbols[args->items[k]->fact - 1].name;
            set_name(&args->items[k]->arg.annotation, d);
        }
    }
}

/* What no statement mentions any more is not asked for. Of an item in several arrays, some may be left. */
static void drop_unused_arguments(Draft *d)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->argument_count; i++)
        if (d->arguments[i].item)
            d->arguments[i].item->present = false;
    for (uint32_t i = 0; i < d->argument_count; i++) {
        const Argument *argument = &d->arguments[i];
        if (!d->symbols[argument->symbol].uses)
            continue;
        if (argument->item)
            argument->item->present = true;
        d->arguments[kept++] = *argument;
    }
    d->argument_count = kept;
}

/* A function whose only call was left out is left out, too; and then those that it alone calls. */
static void drop_unused_functions(Draft *d)
{
    for (bool dropped = true; dropped;) {
        uint32_t kept = 0;
        for (uint32_t i = 1; i < d->symbol_count; i++)
            d->symbols[i].uses = 0;
        each_statement(d, count_use);
        for (uint32_t i = 0; i < d->module.count; i++)
            if (d->module.items[i]->kind != NODE_FUNCTION_DEF || d->symbols[d->module.items[i]->fact - 1].uses)
                d->module.items[kept++] = d->module.items[i];
        dropped = kept < d->module.count;
        d->module.count = kept;
    }
}

/* What the module knows first, so that nothing in a function hides it; then parameters, then the rest as it comes. */
void name_symbols(Draft *d)
{
    Namer namer = {.d = d};
    drop_unused_functions(d);
    drop_unused_arguments(d);
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 1; i < d->symbol_count; i++) {
            const Symbol *symbol = &d->symbols[i];
            int turn = symbol->scope == SCOPE_MODULE ? 0 : symbol->kind != SYMBOL_LOCAL ? 1 : 2;
            if (turn == round &&
                (symbol->uses || i == d->kernel || symbol->kind == SYMBOL_STRUCT || symbol->kind == SYMBOL_FIELD ||
                 symbol->kind == SYMBOL_INPUT) &&
                !symbol->value)
                name_symbol(&namer, i);
        }
    for (uint32_t i = 0; i < d->module.count; i++) { /* parameters of functions that do not use them */
        Node *node = d->module.items[i];
        for (uint32_t k = 0; node->kind == NODE_FUNCTION_DEF && k < node->function.params->arguments.args.count; k++) {
            uint32_t symbol = node->function.params->arguments.args.items[k]->fact - 1;
            if (!d->symbols[symbol].name)
                name_symbol(&namer, symbol);
        }
    }
    each_statement(d, set_name);
    name_definitions(d);
}
