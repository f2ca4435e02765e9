/* Warp's own functions in the kernel language: library.py, compiled like a user's file on first use. */
#include "front/parser.h"
#include "front/static_impl.h"

#include "library_py.h"

#include <string.h>

static const struct {
    WarpVersion since;
    const char *name, *digest;
} library[] = {
#define LIBRARY(since, name, digest) {WARP_##since, name, digest},
#include "lang/library.def"
#undef LIBRARY
};

/* The newest that the dialect has. NULL: not a function of the library. */
static const char *digest_of(const Dialect *dialect, Name name)
{
    const char *digest = NULL;
    for (size_t i = 0; i < sizeof library / sizeof *library; i++)
        if (name_is(name, library[i].name) && dialect_has(dialect, (VersionRange){library[i].since, WARP_NEWEST}))
            digest = library[i].digest;
    return digest;
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

/* The text of library.py without the functions of other names: parsing all of it takes longer than most kernels do.
 * What one of them calls is looked up among the names of warp, and so is loaded in its turn. */
static Source *source_of(Arena *arena, Name name)
{
    static const char start[] = "\n@wp.func\ndef ";
    const char *at = (const char *)library_py, *end = at + library_py_size;
    char *text = arena_take(arena, library_py_size), *to = text;
    while (at < end) {
        /* A piece goes as far as the next function does not begin; only the first one is no function. */
        const char *next = memmem(at + 1, (size_t)(end - at) - 1, start, sizeof start - 1);
        size_t len = (size_t)((next ? next : end) - at), head = sizeof start - 1;
        bool is_function = len > head && memcmp(at, start, head) == 0;
        bool wanted = !is_function || (len > head + name->len && memcmp(at + head, name->text, name->len) == 0 &&
                                       at[head + name->len] == '(');
        if (wanted)
            to = put_bytes(to, at, len);
        at += len;
    }
    Source *source = ARENA_NEW(arena, Source);
    *source = (Source){"library.py", text, (size_t)(to - text)};
    return source;
}

static LibraryUnit *load_library(Unit *unit, Name name)
{
    Unit *loaded = ARENA_NEW(unit->arena, Unit);
    unit_init(loaded, unit->arena, unit->builtins, source_of(unit->arena, name));
    loaded->names = unit->names; /* names and types are shared with the user's file */
    loaded->types = unit->types;
    loaded->warp = unit->warp;
    loaded->is_library = true;
    LibraryUnit *entry = ARENA_NEW(unit->arena, LibraryUnit);
    *entry = (LibraryUnit){name, loaded, unit->library};
    unit->library = entry;
    loaded->module = parse_module(unit->arena, unit->names, loaded->source, &loaded->diags);
    const Value *result = NULL;
    run_block(loaded, &loaded->module->module.body, loaded->globals, &result);
    return entry;
}

const Value *library_function(Unit *unit, Name name)
{
    const char *digest = digest_of(unit->dialect, name);
    if (!digest)
        return NULL;
    LibraryUnit *entry = unit->library;
    while (entry && entry->name != name)
        entry = entry->next;
    if (!entry)
        entry = load_library(unit, name);
    const Value *value = scope_find_here(entry->unit->globals, name);
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

uint64_t library_uses_of(const Dialect *dialect, Name key)
{
    if (!digest_of(dialect, key))
        return 0;
    bool by_precision = strncmp(key->text, "transform_", 10) == 0 && !name_is(key, "transform_twist") &&
                        !name_is(key, "transform_wrench");
    return by_precision ? 3 : 1;
}
