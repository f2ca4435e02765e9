/* Kernels of any type: `src: wp.array(dtype=Any)`, and behind them the types that they are made for, `wp.overload(k, [...])`. */
#include "synth/meaning/draft.h"

#include <string.h>

/* What would not do for every type: numbers with a point, casts, components. */
static void find_obstacle(Node **place, void *user)
{
    static const char *const plain[] = {"tid", "atomic_add", "where", "min", "max", "static"};
    bool *found = user;
    const Node *node = *place;
    Name builtin = node->kind == NODE_CALL ? builtin_called(node) : NULL;
    bool known = false;
    for (size_t i = 0; builtin && i < sizeof plain / sizeof *plain; i++)
        known |= name_is(builtin, plain[i]);
    *found |= node->kind == NODE_CALL && !known;
    *found |= node->kind == NODE_CONSTANT && node->constant.kind != CONSTANT_INT;
    draft_slots(*place, find_obstacle, user);
}

/* The type that is left open; NULL: the kernel is for one type alone. */
static const char *open_type(Draft *d)
{
    const char *type = NULL;
    for (uint32_t i = 0; i < d->argument_count; i++) {
        const Argument *argument = &d->arguments[i];
        if (argument->structure)
            return NULL;
        if (!type && argument->item && argument->ndim && !argument->item->is_bool && !type_is_integer(argument->type))
            type = argument->type;
    }
    bool obstacle = !type || d->module.count > 0;
    for (uint32_t i = 0; !obstacle && i < d->body.count; i++)
        if (!is_comment(d->body.items[i]))
            find_obstacle(&d->body.items[i], &obstacle);
    return obstacle ? NULL : type;
}

void choose_generic(Draft *d)
{
    d->open_type = !d->scene->is_tiled && perhaps(d, d->habits.generic_kernels) ? open_type(d) : NULL;
    d->has_generics |= d->open_type != NULL;
    d->open_arrays = d->open_type && perhaps(d, 0.35);
}

bool is_open(const Draft *d, const Argument *argument)
{
    return d->open_type && !argument->structure && strcmp(argument->type, d->open_type) == 0;
}

/* wp.array(dtype=Any), wp.array[Any], Any */
Node *spell_open(Draft *d, const Argument *argument)
{
    Node *any = draft_word(d, "Any");
    return argument->ndim && !d->open_arrays ? spell_array(d, any, argument->ndim) : any;
}

static Node *overload_type(Draft *d, const Argument *argument)
{
    Node *type = spell_type(d, argument->type);
    if (!argument->ndim)
        return type;
    Node *array = draft_call(d, draft_wp(d, "array"), NULL, 0);
    draft_push(d, &array->call.keywords, draft_keyword(d, "dtype", type));
    if (argument->ndim > 1)
        draft_push(d, &array->call.keywords, draft_keyword(d, "ndim", draft_int(d, argument->ndim)));
    return array;
}

/* wp.overload(k, [wp.array(dtype=wp.vec3), float]) */
void add_overload(Draft *d, NodeList *module)
{
    if (!d->open_type)
        return;
    Node *types = draft_new(d, NODE_LIST), *args[2];
    for (uint32_t i = 0; i < d->argument_count; i++)
        draft_push(d, &types->sequence.elts, overload_type(d, &d->arguments[i]));
    args[0] = draft_word(d, d->symbols[d->kernel].name->text);
    args[1] = types;
    draft_push(d, module, draft_statement(d, draft_call(d, draft_wp(d, "overload"), args, 2)));
}
