/* Types by a name of the module's own: `float32 = wp.float32`, then `wp.array[float32]` and `float32(0.0)`. */
#include "synth/meaning/draft.h"

#include <string.h>

/* float32, int32, uint32, vec3f, mat33f, quatf, transformf, spatial_vectorf */
static bool may_be_alias(const char *type)
{
    static const char *const starts[] = {"float", "int", "uint", "vec", "mat", "quatf", "transformf", "spatial_"};
    size_t len = strlen(type);
    bool ends = len > 2 && (type[len - 1] == 'f' || type[len - 1] == '2' || type[len - 1] == '4');
    for (size_t i = 0; ends && i < sizeof starts / sizeof *starts; i++)
        if (strncmp(type, starts[i], strlen(starts[i])) == 0)
            return strcmp(type, "matrix_from_rows") != 0;
    return false;
}

Node *spell_wp_type(Draft *d, const char *type)
{
    if (!d->habits.aliases || !may_be_alias(type))
        return draft_wp(d, type);
    for (uint32_t i = 0; i < d->alias_count; i++)
        if (strcmp(d->aliases[i], type) == 0)
            return draft_word(d, type);
    if (d->alias_count == sizeof d->aliases / sizeof *d->aliases)
        return draft_wp(d, type);
    d->aliases[d->alias_count++] = type;
    return draft_word(d, type);
}

static void use_alias(Node **place, void *user)
{
    Draft *d = user;
    Node *node = *place;
    if (node->kind == NODE_ATTRIBUTE && node->attribute.value->kind == NODE_NAME && !node->attribute.value->fact &&
        name_is(node->attribute.value->name.id, "wp"))
        for (uint32_t i = 0; i < d->alias_count; i++)
            if (name_is(node->attribute.attr, d->aliases[i])) {
                *place = draft_word(d, d->aliases[i]);
                return;
            }
    draft_slots(node, use_alias, user);
}

static void use_in_list(NodeList *list, void *user)
{
    for (uint32_t i = 0; i < list->count; i++) {
        draft_lists(list->items[i], use_in_list, user);
        use_alias(&list->items[i], user);
    }
}

void use_aliases(Draft *d, NodeList *module)
{
    for (uint32_t i = 0; d->alias_count && i < module->count; i++)
        if (module->items[i]->kind == NODE_FUNCTION_DEF)
            use_in_list(&module->items[i]->function.body, d);
}

void add_aliases(Draft *d, NodeList *module)
{
    for (uint32_t i = 0; i < d->alias_count; i++)
        draft_push(d, module, draft_assign(d, draft_word(d, d->aliases[i]), draft_wp(d, d->aliases[i])));
}
