/* Warp's own functions in the kernel language: library.py, a file of the unit like the user's, of which each definition is loaded
 * when it is first used. */
#include "front/parser.h"
#include "front/static_impl.h"

#include "library_py.h"

#include <string.h>

static const struct {
    WarpVersion since;
    const char *name;
    uint32_t letters; /* of the name */
    const char *digest;
} library[] = {
#define LIBRARY(since, name, digest) {WARP_##since, name, sizeof name - 1, digest},
#include "lang/library.def"
#undef LIBRARY
};

/* The newest that the dialect has. NULL: not a function of the library. */
static const char *digest_of(const Dialect *dialect, Name name)
{
    const char *digest = NULL;
    for (size_t i = 0; i < sizeof library / sizeof *library; i++)
        if (name->len == library[i].letters && name_is(name, library[i].name) &&
            dialect_has(dialect, (VersionRange){library[i].since, WARP_NEWEST}))
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

/* ---- loading on demand: parsing the whole file takes longer than most kernels do ---- */

static const char definition[] = "\n@wp.func\ndef ";

/* Where the next definition begins, or the end of the text. */
static size_t next_definition(const Source *source, size_t from)
{
    const char *found = memmem(source->text + from, source->len - from, definition, sizeof definition - 1);
    return found ? (size_t)(found - source->text) + 1 : source->len;
}

static void load_part(Unit *unit, size_t from, size_t to)
{
    const File *file = unit->library;
    Source *part = ARENA_NEW(unit->arena, Source);
    *part = (Source){file->source->path, file->source->text, to};
    DiagList errors;
    diags_init(&errors, unit->arena);
    const Node *module = parse_module_from(unit->arena, unit->names, part, from, &errors);
    const Value *result = NULL;
    run_block(unit, &module->module.body, file->globals, &result);
}

/* What stands before the first definition is loaded at once. */
static void open_library(Unit *unit)
{
    Source *source = ARENA_NEW(unit->arena, Source);
    *source = (Source){"library.py", (const char *)library_py, library_py_size};
    unit->library = file_new(unit, source);
    unit->library->is_library = true;
    unit->library->counts = ARENA_NEW(unit->arena, FunctionCounts);
    load_part(unit, 0, next_definition(source, 0));
}

/* All definitions of the name. What they call is looked up among the names of warp, and so is loaded in its turn. */
static void load_definitions(Unit *unit, Name name)
{
    const Source *source = unit->library->source;
    const char *head = arena_format(unit->arena, "%s%s(", definition, name->text);
    size_t len = strlen(head);
    for (size_t at = 0; at < source->len;) {
        const char *found = memmem(source->text + at, source->len - at, head, len);
        if (!found)
            return;
        size_t from = (size_t)(found - source->text) + 1; /* without the line end before it */
        at = next_definition(source, from) - 1;
        load_part(unit, from, at + 1);
    }
}

const Value *library_function(Unit *unit, Name name)
{
    const Value *known = unit->library ? scope_find_here(unit->library->globals, name) : NULL;
    if (known && known->kind == VALUE_FUNC && known->func->library_digest)
        return known;
    const char *digest = digest_of(unit->dialect, name);
    if (!digest)
        return NULL;
    if (!unit->library)
        open_library(unit);
    const Scope *globals = unit->library->globals;
    if (!scope_find_here(globals, name))
        load_definitions(unit, name);
    const Value *value = scope_find_here(globals, name);
    if (!value || value->kind != VALUE_FUNC)
        return NULL;
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
