/* Which row of functions.def a call is, and what type it gives. */
#include "synth/context.h"

#include <string.h>

static bool function_accepts(char code, const Type *type, const Type *first)
{
    switch (code) {
    case 'f':
        return is_real(type) && (!first || type_scalar_of(first) == type || !type_is_float(type_scalar_of(first)));
    case 's': return type_is_scalar(type) && (!first || !type_is_scalar(first) || first == type);
    case 'i': return type->kind == TYPE_INT32;
    case 'u': return type->kind == TYPE_UINT32;
    case 'v': return is_vec(type) && type_is_float(type_scalar_of(type)) && (!first || !is_vec(first) || first == type);
    case '2':
    case '3':
    case '4':
        return is_vec(type) && type_is_float(type_scalar_of(type)) && type->composite.rows == (uint32_t)(code - '0');
    case 'S': return is_vec(type) && type->composite.rows == 6;
    case 'm': return is_mat(type) && (!first || !is_mat(first) || first == type);
    case 'M': return is_mat(type) && type->composite.rows == type->composite.cols && type->composite.rows <= 4;
    case '9': return is_mat(type) && type->composite.rows == 3 && type->composite.cols == 3;
    case '6': return is_mat(type) && type->composite.rows == 6;
    case 'q': return type->kind == TYPE_QUAT;
    case 't': return type->kind == TYPE_TRANSFORM;
    case 'a': return type->kind == TYPE_ARRAY;
    case 'b': return type->kind == TYPE_BOOL;
    case '=': return type == first;
    case 'e': return type == type_scalar_of(first);
    default: return false;
    }
}

/* ---- names of warp ---- */

void names_of_warp(SynthContext *context)
{
    static const char *const common[COMMON_COUNT] = {[COMMON_WP] = "wp",
                                                     [COMMON_FLOAT] = "float",
                                                     [COMMON_INT] = "int",
                                                     [COMMON_BOOL] = "bool",
                                                     [COMMON_RANGE] = "range"};
    for (int i = 0; i < COMMON_COUNT; i++)
        context->common[i] = name_cstr(&context->names, common[i]);
    uint32_t count;
    const Function *table = function_table(&count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count && !context->next_overload[i]; k++)
            if (same_text(table[i].name, table[k].name))
                context->next_overload[i] = (uint16_t)k;
}

static WarpName look_up(Synth *s, Name name)
{
    Arena *arena = &s->context->tables;
    Node *node = ARENA_NEW(arena, Node), *module = ARENA_NEW(arena, Node);
    module->kind = NODE_NAME;
    module->name.id = s->context->common[COMMON_WP];
    node->kind = NODE_ATTRIBUTE;
    node->attribute.value = module;
    node->attribute.attr = name;
    WarpName found = {.node = node, .is_type = type_of(s, name->text) != NULL};
    uint32_t count;
    const Function *table = function_table(&count);
    for (uint32_t i = 0; i < count && !found.function; i++)
        if (same_text(table[i].name, name->text))
            found.function = &table[i];
    return found;
}

const WarpName *warp_name(Synth *s, Name name)
{
    SynthContext *context = s->context;
    if (name->id >= context->warp_name_count) {
        uint32_t count = name->id < 512 ? 512 : name->id * 2;
        context->warp_names = arena_grow(&context->tables, context->warp_names,
                                         context->warp_name_count * sizeof(WarpName), count * sizeof(WarpName));
        context->warp_name_count = count;
    }
    WarpName *known = &context->warp_names[name->id];
    if (!known->node)
        *known = look_up(s, name);
    return known;
}

static const Function *function_named(Synth *s, Name name)
{
    return warp_name(s, name)->function;
}

static bool accepts_all(const Function *function, const Expr *args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!function_accepts(function->params[i], args[i].type, i ? args[0].type : NULL))
            return false;
    return !function->params[count];
}

const Function *function_find(Synth *s, Name name, const Expr *args, uint32_t count)
{
    uint32_t rows;
    const Function *table = function_table(&rows), *function = function_named(s, name);
    while (function && !accepts_all(function, args, count)) {
        uint32_t next = s->context->next_overload[function - table];
        function = next ? &table[next] : NULL;
    }
    return function;
}

const Type *function_result(Synth *s, const char *code, const Expr *args, uint32_t count)
{
    const Type *first = count ? args[0].type : NULL;
    const Type *scalar = first ? type_scalar_of(first) : s->style.real;
    for (uint32_t i = 0; i < count && !type_is_float(scalar); i++)
        scalar = type_scalar_of(args[i].type);
    switch (*code) {
    case '=': return first;
    case 'e':
    case 'f': return scalar;
    case 'F': return type_scalar(TYPE_FLOAT32);
    case 'b': return type_scalar(TYPE_BOOL);
    case 'i': return type_scalar(TYPE_INT32);
    case 'u': return type_scalar(TYPE_UINT32);
    case '2':
    case '3':
    case '4':
        if (!type_is_float(scalar))
            scalar = type_scalar(TYPE_FLOAT32);
        return type_vec(s->types, (uint32_t)(*code - '0'), scalar);
    case 'S': return type_vec(s->types, 6, scalar);
    case '9': return type_mat(s->types, 3, 3, scalar);
    case '6': return type_mat(s->types, 6, 6, scalar);
    case 'q': return type_quat(s->types, scalar);
    case 't': return type_transform(s->types, scalar);
    case 'o': return type_mat(s->types, first->composite.rows, args[1].type->composite.rows, scalar);
    case 'T': return type_mat(s->types, first->composite.cols, first->composite.rows, scalar);
    case 'd': return type_mat(s->types, first->composite.rows, first->composite.rows, scalar);
    case 'g': return type_vec(s->types, first->composite.rows, scalar);
    default: return NULL;
    }
}
