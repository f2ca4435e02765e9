/* The library: functions of library.py, translated when they are first asked for, and kept as text. */
#include "standalone/model.h"

#include "pipeline.h"
#include "standalone_py.h"

#include <stdlib.h>
#include <string.h>

/* A function for one scalar type, and everything that its text refers to, in order. */
typedef struct LibraryEntry {
    const char *name, *params; /* C types of the parameters, each with a space behind */
    const char *c_name, *adjoint, *result_struct;
    NeedList types, helpers;                 /* of the function; its own text is the last one */
    NeedList adjoint_types, adjoint_helpers; /* of its adjoint */
    struct LibraryEntry *next;
} LibraryEntry;

StandaloneLibrary *standalone_library_new(void)
{
    StandaloneLibrary *library = calloc(1, sizeof *library);
    if (!library)
        return NULL;
    arena_init(&library->arena);
    rows_init(&library->ops);
    index_ops(&library->ops);
    rows_init(&library->helpers);
    index_helpers(&library->helpers);
    rows_init(&library->words);
    index_taken(&library->words);
    library->weft = weft_new();
    if (library->weft)
        return library;
    standalone_library_free(library);
    return NULL;
}

void standalone_library_free(StandaloneLibrary *library)
{
    if (!library)
        return;
    weft_free(library->weft);
    arena_free(&library->arena);
    free(library);
}

/* ---- the source ---- */

static void add_types(Text *out, bool wide)
{
    const char *s = wide ? "d" : "f";
    text_format(out, "import warp as wp\n\nS = wp.float%s\n", wide ? "64" : "32");
    for (int i = 2; i <= 4; i++)
        text_format(out, "VEC%d = wp.vec%d%s\nMAT%d%d = wp.mat%d%d%s\n", i, i, s, i, i, i, i, s);
    text_format(out, "QUAT = wp.quat%s\nTRANSFORM = wp.transform%s\nVEC6 = wp.spatial_vector%s\n\n", s, s, s);
}

/* Every function is used by a kernel of its own, so that it is built. */
static void add_uses(Text *out, const char *source)
{
    for (const char *at = strstr(source, "@wp.func\ndef "); at; at = strstr(at + 1, "@wp.func\ndef ")) {
        const char *name = at + strlen("@wp.func\ndef "), *open = strchr(name, '('), *close = strchr(open, ')');
        text_format(out, "\n\n@wp.kernel\ndef use_%.*s(%.*s):\n    %.*s(", (int)(open - name), name,
                    (int)(close - open - 1), open + 1, (int)(open - name), name);
        for (const char *param = open + 1; param < close;) {
            const char *colon = memchr(param, ':', (size_t)(close - param));
            const char *comma = memchr(param, ',', (size_t)(close - param));
            text_add(out, param, (size_t)(colon - param));
            param = comma ? comma + 2 : close;
            text_str(out, comma ? ", " : "");
        }
        text_lit(out, ")\n");
    }
}

/* ---- loading ---- */

static void keep_list(Arena *arena, NeedList *to, const NeedList *from)
{
    to->last = &to->first;
    for (const Need *item = from->first; item; item = item->next) {
        Need *copy = ARENA_NEW(arena, Need);
        copy->key = arena_strndup(arena, item->key, strlen(item->key));
        copy->text = arena_strndup(arena, item->text, strlen(item->text));
        *to->last = copy;
        to->last = &copy->next;
    }
}

static const char *param_types(Translator *t, const Routine *routine)
{
    const char *types = "";
    for (uint32_t i = 0; i < routine->param_count; i++)
        types = arena_format(t->arena, "%s%s ", types, c_type(t, routine->params[i]->type));
    return types;
}

/* The texts of the routines, callees first, as helpers. */
static void add_functions(Translator *t, const Routine *routine, bool adjoint)
{
    if (!routine)
        return;
    add_functions(t, routine->next, adjoint);
    const char *text = adjoint ? routine->adjoint_text : routine->text;
    if (routine->is_kernel || !text)
        return;
    need(t, &t->helpers,
         arena_format(t->arena, "%s %s%s", adjoint ? "adjoint" : "function", routine->name, param_types(t, routine)),
         text);
}

static bool keep_function(const Compiled *compiled, void *user)
{
    StandaloneLibrary *library = user;
    Arena *arena = &library->arena;
    Translator *t = ARENA_NEW(compiled->unit->arena, Translator);
    t->unit = compiled->unit;
    t->arena = compiled->unit->arena;
    t->module = compiled->module;
    t->library = library;
    if (!translate_all(t, true) || !t->routines->next)
        return true;                            /* not for this scalar type */
    const Routine *routine = t->routines->next; /* the newest one is the kernel */
    LibraryEntry *entry = ARENA_NEW(arena, LibraryEntry);
    const char *key = routine->source->func->key->text, *tail = strstr(key, "__"); /* what tells overloads apart */
    entry->name = arena_strndup(arena, key, tail ? (size_t)(tail - key) : strlen(key));
    entry->c_name = arena_strndup(arena, routine->name, strlen(routine->name));
    const char *types = param_types(t, routine);
    entry->params = arena_strndup(arena, types, strlen(types));
    if (routine->result_struct)
        entry->result_struct = arena_strndup(arena, routine->result_struct, strlen(routine->result_struct));
    if (routine->adjoint)
        entry->adjoint = arena_strndup(arena, routine->adjoint, strlen(routine->adjoint));
    add_functions(t, t->routines, false);
    keep_list(arena, &entry->types, &t->types);
    keep_list(arena, &entry->helpers, &t->helpers);
    add_functions(t, t->routines, true);
    keep_list(arena, &entry->adjoint_types, &t->types);
    keep_list(arena, &entry->adjoint_helpers, &t->helpers);
    entry->next = library->entries;
    library->entries = entry;
    return true;
}

static void load_library(StandaloneLibrary *library, bool wide)
{
    Text source, errors;
    text_init(&source);
    text_init(&errors);
    library->loaded[wide] = true;
    add_types(&source, wide);
    char *text = strndup((const char *)standalone_py, standalone_py_size);
    if (text) {
        text_str(&source, text);
        add_uses(&source, text);
        WeftOptions options = weft_default_options();
        options.cuda = options.cpu = options.source = false;
        options.facts = true;
        pipeline_compile(library->weft, "library.py", source.data, source.len, &options, keep_function, library,
                         &errors);
    }
    free(text);
    text_free(&source);
    text_free(&errors);
}

/* ---- using ---- */

static void use_list(Translator *t, NeedList *to, const NeedList *from)
{
    for (const Need *item = from->first; item; item = item->next)
        need(t, to, item->key, item->text);
}

void use_library_adjoint(Translator *t, const Routine *routine)
{
    use_list(t, &t->types, &routine->entry->adjoint_types);
    use_list(t, &t->helpers, &routine->entry->adjoint_helpers);
}

static const LibraryEntry *find_entry(const StandaloneLibrary *library, const char *name, const char *params)
{
    for (const LibraryEntry *entry = library->entries; entry; entry = entry->next)
        if (strcmp(entry->name, name) == 0 && strcmp(entry->params, params) == 0)
            return entry;
    return NULL;
}

Routine *library_routine(Translator *t, const char *name, const Type *const *types, uint32_t count)
{
    StandaloneLibrary *library = t->library;
    const char *params = "";
    bool wide = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!types[i] || types[i]->kind == TYPE_ARRAY)
            return NULL;
        params = arena_format(t->arena, "%s%s ", params, c_type(t, types[i]));
        wide |= type_scalar_of(types[i])->kind == TYPE_FLOAT64;
    }
    bool busy = t->unit->source->path && strcmp(t->unit->source->path, "library.py") == 0;
    if (!library->loaded[wide] && !busy)
        load_library(library, wide);
    const LibraryEntry *entry = find_entry(library, name, params);
    if (!entry)
        return NULL;
    for (Routine *routine = t->routines; routine; routine = routine->next)
        if (routine->entry == entry)
            return routine;
    Routine *routine = ARENA_NEW(t->arena, Routine);
    routine->name = entry->c_name;
    routine->adjoint = entry->adjoint;
    routine->result_struct = entry->result_struct;
    routine->entry = entry;
    routine->is_library = true;
    routine->next = t->routines;
    t->routines = routine;
    use_list(t, &t->types, &entry->types);
    use_list(t, &t->helpers, &entry->helpers);
    return routine;
}
