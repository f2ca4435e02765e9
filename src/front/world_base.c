#include "front/world_base.h"

#include "front/parser.h"

#include <string.h>

enum { MOST_VALUES = 2048, MOST_LENGTH = 160 };

typedef struct SharedValue {
    const char *text;
    size_t length;
    const Value *value; /* NULL: it cannot be shared */
} SharedValue;

static bool has_text(const void *key, const void *wanted)
{
    const SharedValue *one = key, *two = wanted;
    return one->length == two->length && memcmp(one->text, two->text, one->length) == 0;
}

Scope *world_scope(Unit *unit)
{
    static const char *const modules[][2] = {{"math", "math"}, {"typing", "typing"}, {"np", "numpy"}, {"wp", "warp"}};
    Scope *scope = scope_new(unit, unit->main->globals, "");
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        scope_bind(unit, scope, name_cstr(unit->names, modules[i][0]),
                   value_known_module(unit->arena, known_module(modules[i][1])));
    return scope;
}

const Value *evaluate_text(Unit *unit, const Scope *scope, const char *text, size_t length)
{
    Source *source = ARENA_NEW(unit->arena, Source);
    *source = (Source){"<value>", text, length};
    DiagList errors;
    diags_init(&errors, unit->arena);
    const Node *node = parse_expression(unit->arena, unit->names, source, &errors);
    return errors.count ? value_unknown(unit->arena, "weft cannot read '%s'", text) : static_eval(unit, node, scope);
}

void world_base_forget(WorldBase *base)
{
    arena_reset(&base->arena);
    base->unit = NULL;
    base->values = (HashTable){0};
}

void world_base_join(WorldBase *base, Unit *unit)
{
    static const Source nothing = {"<values>", "", 0};
    if (base->values.count >= MOST_VALUES)
        world_base_forget(base);
    if (!base->unit) {
        Unit *own = ARENA_NEW(&base->arena, Unit);
        unit_init(own, &base->arena, unit->builtins, &nothing, NULL);
        own->warp = unit->warp;
        base->scope = world_scope(own);
        base->unit = own;
    }
    unit->types->base = base->unit->types;
}

/* Does every unit mean the same by it? Tuples and tiles are new types wherever they are made, and structs have names of their unit. */
static bool is_shared_type(const Type *type)
{
    switch (type->kind) {
    case TYPE_STRUCT:
    case TYPE_TUPLE:
    case TYPE_SLICE:
    case TYPE_TILE:
    case TYPE_TILE_STACK: return false;
    case TYPE_ARRAY: return is_shared_type(type->array.dtype);
    case TYPE_REF:
    case TYPE_POINTER: return is_shared_type(type->target);
    default: return true;
    }
}

static bool is_shared(const Value *value)
{
    switch (value->kind) {
    case VALUE_NONE:
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_FLOAT:
    case VALUE_MODULE: return true;
    case VALUE_TYPE: return is_shared_type(value->type);
    default: return false;
    }
}

const Value *world_base_value(WorldBase *base, const char *text, size_t length)
{
    if (length > MOST_LENGTH)
        return NULL;
    const SharedValue wanted = {text, length, NULL};
    uint32_t hash = name_hash(text, length);
    const TableSlot *known = table_find_like(&base->values, hash, has_text, &wanted);
    if (known)
        return ((const SharedValue *)known->key)->value;
    SharedValue *made = ARENA_NEW(&base->arena, SharedValue);
    *made = (SharedValue){arena_strndup(&base->arena, text, length), length, NULL};
    allow_kernel_steps(base->unit);
    const Value *value = evaluate_text(base->unit, base->scope, made->text, length);
    made->value = is_shared(value) ? value : NULL;
    table_add_like(&base->values, &base->arena, hash, has_text, made)->key = made;
    return made->value;
}
