/* Warp's own functions in the kernel language: library.py, compiled like a user's file on first use. */
#include "front/parser.h"
#include "front/static_impl.h"

#include "library_py.h"

#include <string.h>

static const struct {
    const char *name, *digest;
} library[] = {
#define LIBRARY(name, digest) {name, digest},
#include "lang/library.def"
#undef LIBRARY
};

static const char *digest_of(Name name)
{
    for (size_t i = 0; i < sizeof library / sizeof *library; i++)
        if (name_is(name, library[i].name))
            return library[i].digest;
    return NULL;
}

static unsigned hex_value(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static const unsigned char *parse_digest(Arena *arena, const char *hex)
{
    unsigned char *digest = arena_alloc(arena, 32);
    for (int i = 0; i < 32; i++)
        digest[i] = (unsigned char)(hex_value(hex[2 * i]) << 4 | hex_value(hex[2 * i + 1]));
    return digest;
}

static void load_library(Unit *unit)
{
    Source *source = ARENA_NEW(unit->arena, Source);
    *source = (Source){"library.py", (const char *)library_py, library_py_size};
    Unit *loaded = ARENA_NEW(unit->arena, Unit);
    unit_init(loaded, unit->arena, unit->builtins, source);
    loaded->names = unit->names; /* names and types are shared with the user's file */
    loaded->types = unit->types;
    loaded->warp = unit->warp;
    unit->library = loaded->library = loaded;
    loaded->module = parse_module(unit->arena, unit->names, source, &loaded->diags);
    const Value *result = NULL;
    run_block(loaded, &loaded->module->module.body, loaded->globals, &result);
}

const Value *library_function(Unit *unit, Name name)
{
    const char *digest = digest_of(name);
    if (!digest)
        return NULL;
    if (!unit->library)
        load_library(unit);
    const Value *value = scope_find_here(unit->library->globals, name);
    if (!value || value->kind != VALUE_FUNC)
        return NULL;
    value->func->is_library = true;
    if (!value->func->library_digest)
        value->func->library_digest = parse_digest(unit->arena, digest);
    return value;
}

const char *library_name_at(uint32_t index)
{
    return index < sizeof library / sizeof *library ? library[index].name : NULL;
}

uint64_t library_uses_of(Name key)
{
    if (!digest_of(key))
        return 0;
    bool by_precision = strncmp(key->text, "transform_", 10) == 0 && !name_is(key, "transform_twist") &&
                        !name_is(key, "transform_wrench");
    return by_precision ? 3 : 1;
}
