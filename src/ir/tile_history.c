#include "ir/tile_history.h"

#include <string.h>

enum { TRACKED_PARAMS = 64 };

uint64_t shared_tile_params(const Func *func)
{
    uint64_t shared = 0;
    for (uint32_t i = 0; i < func->code.param_count && i < TRACKED_PARAMS; i++) {
        const Type *type = func->code.params[i].type;
        if (type_is_tile(type) && type->tile->storage == TILE_SHARED)
            shared |= (uint64_t)1 << i;
    }
    return shared;
}

static bool is_same_tile(const Type *a, const Type *b)
{
    return a == b || types_have_one_form(a, b);
}

void check_tiles_of_call(Builder *b, const Func *func, const Eval *args, const Node *at)
{
    for (uint32_t i = 0; func->generic_parent && i < func->code.param_count; i++) {
        const Type *param = func->code.params[i].type, *given = eval_type(b, &args[i]);
        if (type_is_tile(param) && given && type_is_tile(given) && !is_same_tile(param, given))
            unsupported(b, at,
                        "the generic function '%s' was used with another tile before, and Warp takes the function that "
                        "it made for "
                        "that one: what it writes is not stable",
                        func->key->text);
    }
}

/* Is the tile of a parameter or result shared, and was not when the function was made? */
static bool became_shared(const Type *type, bool was_shared)
{
    return type && type_is_tile(type) && type->tile->storage == TILE_SHARED && !was_shared;
}

/* Of a function as it was written: its tiles are as the annotations say. */
static void forget(const Type *type)
{
    if (type && type_is_tile(type))
        type->tile->storage = type->tile->declared_shared ? TILE_SHARED : TILE_REGISTER;
}

static bool was_shared(const Func *func, uint32_t param)
{
    if (func->generic_parent)
        return param < TRACKED_PARAMS && (func->shared_tiles >> param & 1);
    const Type *type = func->code.params[param].type;
    return type_is_tile(type) && type->tile->declared_shared;
}

void check_tiles_of_functions(Builder *b)
{
    const char *changed = NULL;
    for (uint32_t i = 0; b->module->uses_tiles && i < b->module->function_count; i++) {
        Func *func = b->module->functions[i]->func;
        const Type *result = func->code.has_return ? func->code.return_type : NULL;
        bool is_changed = became_shared(result, result && type_is_tile(result) && result->tile->declared_shared);
        for (uint32_t k = 0; k < func->code.param_count; k++)
            is_changed |= became_shared(func->code.params[k].type, was_shared(func, k));
        if (!is_changed)
            continue;
        changed = func->key->text;
        for (uint32_t k = 0; !func->generic_parent && k < func->code.param_count; k++)
            forget(func->code.params[k].type);
        forget(result);
    }
    if (changed)
        unsupported(b, NULL,
                    "a tile that function '%s' takes or returns becomes shared: what Warp writes then depends on what "
                    "it built before",
                    changed);
}
