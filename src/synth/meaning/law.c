/* The header of a law, and whether its body can be written into another. */
#include "synth/meaning/load.h"

#include <string.h>

static void read_decorator(Loader *loader, Law *law, const Node *function)
{
    const Node *call = function->function.decorators.items[0];
    if (call->call.args.count != 2) {
        load_error(loader, call, "@law takes a topic and what the law says");
        return;
    }
    law->topic = load_topics(loader, call->call.args.items[0]);
    law->says = load_string(loader, call->call.args.items[1]);
    const Name *words = loader->meaning->words;
    const Node *title = load_keyword(call, words[WORD_title]);
    law->titles = title ? load_string(loader, title) : law->name->text;
    law->only_inline = load_keyword(call, words[WORD_inline]) != NULL;
    law->only_function = load_keyword(call, words[WORD_function]) != NULL;
    const Node *builtin = load_keyword(call, words[WORD_builtin]);
    law->builtin = builtin ? load_string(loader, builtin) : NULL;
    law->is_private = load_keyword(call, words[WORD_private]) != NULL;
    law->is_conditional = load_keyword(call, words[WORD_needs]) != NULL;
}

static void read_quantities(Loader *loader, Law *law, const Node *function)
{
    const NodeList *params = &function->function.params->arguments.args;
    if (params->count > MAX_LAW_PARAMS)
        load_error(loader, function, "more than %d parameters", MAX_LAW_PARAMS);
    for (uint32_t i = 0; i < params->count && !loader->failed; i++) {
        if (params->items[i]->arg.annotation)
            law->params[i] = load_quantity(loader, params->items[i]->arg.annotation);
        else
            load_error(loader, params->items[i], "the parameter '%s' has no quantity",
                       params->items[i]->arg.name->text);
    }
    const Node *returns = function->function.returns;
    if (!returns)
        load_error(loader, function, "a law needs a return annotation");
    else if (returns->kind == NODE_TUPLE)
        for (uint32_t i = 0; i < returns->sequence.elts.count && i < 4; i++)
            law->results[law->result_count++] = load_quantity(loader, returns->sequence.elts.items[i]);
    else
        law->results[law->result_count++] = load_quantity(loader, returns);
}

typedef struct Returns {
    uint32_t count;
} Returns;

static void count_returns(const Node *node, void *user)
{
    ((Returns *)user)->count += node->kind == NODE_RETURN;
    node_children(node, count_returns, user);
}

/* Statements, then the only return. */
static bool can_inline(Node *function)
{
    Returns returns = {0};
    count_returns(function, &returns);
    const NodeList *body = &function->function.body;
    return returns.count == 1 && body->items[body->count - 1]->kind == NODE_RETURN;
}

/* angular_velocity; empty, if it is a description rather than a name. */
static const char *phrase_as_name(Arena *arena, const Quantity *quantity)
{
    char *name = arena_strndup(arena, quantity->phrase, strlen(quantity->phrase));
    uint32_t blanks = 0;
    for (char *c = name; *c; c++) {
        if (*c == ' ')
            *c = '_', blanks++;
        else if (*c < 'a' || *c > 'z')
            return "";
    }
    return blanks < 2 ? name : "";
}

/* As the law has it, mostly, or after its quantity. */
static const char *param_names(Arena *arena, const Law *law, uint32_t i)
{
    const char *own = law->body.locals[i]->text, *given = law->body.names[i];
    if (given)
        return given;
    for (uint32_t k = 0; k < law->body.param_count; k++)
        if (k != i && law->params[k] == law->params[i])
            return own;
    const Quantity *quantity = law->params[i];
    if (!*quantity->unit) /* a value or a ratio says nothing about the part that it plays */
        return own;
    const char *phrase = phrase_as_name(arena, quantity);
    return *phrase ? arena_format(arena, "%s|%s|%s|%s", own, quantity->locals, phrase, phrase)
                   : arena_format(arena, "%s|%s", own, quantity->locals);
}

const Law *law_load(Meaning *meaning, Law *law)
{
    if (law->loaded)
        return law->broken ? NULL : law;
    law->loaded = law->broken = true; /* until the end is reached */
    Loader loader;
    Node *function = load_function(&loader, meaning, &law->chunk);
    if (!function)
        return NULL;
    read_decorator(&loader, law, function);
    if (!loader.failed)
        read_quantities(&loader, law, function);
    if (!loader.failed)
        load_body(&loader, function, &law->body, NULL, 0);
    law->inlines = can_inline(function);
    for (uint32_t i = 0; !loader.failed && i < law->body.param_count; i++)
        law->param_names[i] = param_names(meaning->arena, law, i);
    law->broken = loader.failed;
    return law->broken ? NULL : law;
}
