/* Names and choices of a law or a scene, numbered once, so that a draft need not look anything up. */
#include "synth/meaning/load.h"

#include "lang/builtin.h"

#include <string.h>

typedef struct Numbering {
    Loader *loader;
    Body *body;
    uint8_t *groups;
    uint8_t group_count;
} Numbering;

static uint32_t find_local(const Body *body, Name name)
{
    uint32_t i = 0;
    while (i < body->local_count && body->locals[i] != name)
        i++;
    return i;
}

static void add_local(Numbering *n, const Node *node, Name name)
{
    Body *body = n->body;
    if (find_local(body, name) < body->local_count)
        return;
    if (body->local_count == MAX_LOCALS) {
        load_error(n->loader, node, "more than %d names", MAX_LOCALS);
        return;
    }
    body->locals[body->local_count++] = name;
}

static void collect(const Node *node, void *user)
{
    Numbering *n = user;
    if (node->kind == NODE_NAME && node->name.store)
        add_local(n, node, node->name.id);
    node_children(node, collect, user);
}

/* ---- choices ---- */

static bool is_choice(const Meaning *meaning, const Node *node)
{
    static const SceneWord words[] = {WORD_maybe, WORD_choose, WORD_either, WORD_number, WORD_integer, WORD_constant};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (scene_word_is(meaning, node, words[i]))
            return true;
    return false;
}

/* The last argument, if it is a string: choices of the same tag are made the same way. */
static const char *tag_of(const Meaning *meaning, const Node *call)
{
    const NodeList *args = &call->call.args;
    const Node *last = args->count ? args->items[args->count - 1] : NULL;
    bool is_tag = last && last->kind == NODE_CONSTANT && last->constant.kind == CONSTANT_STR &&
                  (!scene_word_is(meaning, call, WORD_constant) || args->count > 2);
    return is_tag ? last->constant.text : NULL;
}

static void number_choice(Numbering *n, Node *call)
{
    Body *body = n->body;
    const char *tag = tag_of(n->loader->meaning, call);
    for (uint32_t i = 0; tag && i < body->choice_count; i++)
        if (body->tags[i] && strcmp(body->tags[i], tag) == 0) {
            call->fact = i + 1;
            return;
        }
    if (body->choice_count == MAX_CHOICES_OF_SCENE) {
        load_error(n->loader, call, "more than %d choices", MAX_CHOICES_OF_SCENE);
        return;
    }
    body->tags[body->choice_count++] = tag;
    call->fact = body->choice_count;
    if (tag)
        call->call.args.count--;
}

/* ---- names ---- */

static bool is_python_word(const char *text)
{
    static const char *const words[] = {"wp", "float", "int", "bool", "range", "min", "max", "abs", "len", "round"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], text) == 0)
            return true;
    return false;
}

static void number_name(Numbering *n, Node *node)
{
    uint32_t i = find_local(n->body, node->name.id);
    if (i < n->body->local_count)
        node->fact = i + 1;
    else if (law_find(n->loader->meaning, node->name.id))
        return; /* applied to the elements of a tile */
    else if (!is_python_word(node->name.id->text))
        load_error(n->loader, node, "unknown name '%s': not a parameter, a variable, a law, or a word of scenes",
                   node->name.id->text);
}

static void read_names(Numbering *n, const Node *call)
{
    n->group_count++;
    for (uint32_t i = 0; i < call->call.keywords.count; i++) {
        const Node *keyword = call->call.keywords.items[i];
        uint32_t local = keyword->keyword.name ? find_local(n->body, keyword->keyword.name) : n->body->local_count;
        if (local == n->body->local_count)
            load_error(n->loader, keyword, "names() is about '%s', which is no variable here",
                       keyword->keyword.name ? keyword->keyword.name->text : "**");
        else {
            n->body->names[local] = load_string(n->loader, keyword->keyword.value);
            n->groups[local] = n->group_count;
        }
    }
}

static bool is_word_or_law(const Meaning *meaning, Name name)
{
    return (name->id < meaning->known_names && meaning->is_word[name->id]) || law_find(meaning, name) != NULL;
}

/* allows(trait), allows(wp.builtin) */
static void read_permission(Numbering *n, const Node *call)
{
    const Meaning *meaning = n->loader->meaning;
    const Node *what = call->call.args.count == 1 ? call->call.args.items[0] : call;
    Dialect newest;
    bool known = what->kind == NODE_NAME && dialect_trait(&meaning->dialect, what->name.id->text);
    if (what->kind == NODE_ATTRIBUTE)
        known = dialect_find(NULL, &newest) && builtin_is_known(&newest, what->attribute.attr->text);
    if (!known)
        load_error(n->loader, call, "allows() takes a trait of versions.def, or a builtin: allows(wp.bit_count)");
}

static void number(Node *node, void *user)
{
    Numbering *n = user;
    const Meaning *meaning = n->loader->meaning;
    if (node->kind == NODE_NAME) {
        number_name(n, node);
        return;
    }
    if (node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_INT) {
        const char *text = n->loader->source.text + node->start;
        node->fact = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? HEXADECIMAL : 0;
    }
    if (node->kind != NODE_CALL || node->call.func->kind != NODE_NAME ||
        !is_word_or_law(meaning, node->call.func->name.id)) {
        node_edit_children(node, number, user);
        return;
    }
    if (scene_word_is(meaning, node, WORD_names)) {
        read_names(n, node);
        return;
    }
    if (scene_word_is(meaning, node, WORD_allows)) {
        read_permission(n, node);
        return;
    }
    bool about_entity = scene_word_is(meaning, node, WORD_count),
         about_quantity = scene_word_is(meaning, node, WORD_law);
    if (about_entity && node->call.args.count)
        load_entity(n->loader, node->call.args.items[0]);
    if (about_quantity && node->call.args.count)
        load_quantity(n->loader, node->call.args.items[0]);
    if (is_choice(meaning, node))
        number_choice(n, node);
    for (uint32_t i = about_entity || about_quantity; i < node->call.args.count; i++)
        number(node->call.args.items[i], n);
}

void load_body(Loader *loader, Node *function, Body *body, const Part *parts, uint32_t part_count)
{
    Numbering n = {.loader = loader, .body = body};
    Arena *arena = loader->meaning->arena;
    Name locals[MAX_LOCALS];
    const NodeList *params = &function->function.params->arguments.args;
    body->function = function;
    body->locals = locals;
    for (uint32_t i = 0; i < params->count; i++)
        add_local(&n, params->items[i], params->items[i]->arg.name);
    body->param_count = body->local_count;
    for (uint32_t i = 0; i < part_count; i++)
        for (uint32_t k = 0; k < parts[i].member_count; k++)
            add_local(&n, function, parts[i].members[k]);
    for (uint32_t i = 0; i < function->function.body.count; i++)
        collect(function->function.body.items[i], &n);
    body->locals = ARENA_ARRAY(arena, Name, body->local_count + 1);
    memcpy(body->locals, locals, sizeof *locals * body->local_count);
    body->names = ARENA_ARRAY(arena, const char *, body->local_count + 1);
    body->groups = n.groups = ARENA_ARRAY(arena, uint8_t, body->local_count + 1);
    for (uint32_t i = 0; i < function->function.body.count; i++)
        number(function->function.body.items[i], &n);
}
