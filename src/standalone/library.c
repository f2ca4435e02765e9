/* The library: functions of library.py, translated when they are first asked for, and kept as text. */
#include "standalone/model.h"

#include "pipeline.h"
#include "standalone_py.h"

#include <stdlib.h>
#include <string.h>

/* A function for one scalar type, and everything that its text refers to, in order. */
struct LibraryEntry {
    const char *name, **types; /* of the parameters */
    uint32_t param_count;
    const char *c_name, *adjoint, *result_struct;
    NeedList needs[2][2]; /* types and helpers; of the function, its own text being the last one, and of its adjoint */
    LibraryEntry *next;
};

/* ---- the source ---- */

static void add_types(Text *out, bool wide)
{
    const char *s = wide ? "d" : "f";
    text_format(out, "import warp as wp\n\nS = wp.float%s\n", wide ? "64" : "32");
    for (int i = 2; i <= 4; i++)
        text_format(out, "VEC%d = wp.vec%d%s\nMAT%d%d = wp.mat%d%d%s\n", i, i, s, i, i, i, i, s);
    text_format(out, "QUAT = wp.quat%s\nTRANSFORM = wp.transform%s\nVEC6 = wp.spatial_vector%s\n\n", s, s, s);
}

/* The name of the next function; NULL: there is none. */
static const char *next_function(const char *at)
{
    static const char head[] = "@wp.func\ndef ";
    const char *found = strstr(at, head);
    return found ? found + strlen(head) : NULL;
}

/* The function is used by a kernel of its own, so that it is built. */
static void add_use(Text *out, const char *name)
{
    int length = (int)strcspn(name, "(");
    const char *open = name + length, *close = strchr(open, ')');
    text_format(out, "\n\n@wp.kernel\ndef use_%.*s(%.*s):\n    %.*s(", length, name, (int)(close - open - 1), open + 1,
                length, name);
    for (const char *param = open + 1; param < close; param += strcspn(param, ",)") + 2) /* name: type, … */
        text_format(out, "%s%.*s", param > open + 1 ? ", " : "", (int)strcspn(param, ":"), param);
    text_lit(out, ")\n");
}

static void take_library_names(StandaloneLibrary *library)
{
    for (const char *name = (const char *)standalone_py; (name = next_function(name));)
        take_name(library, name, strcspn(name, "("), NAME_LOCAL);
}

/* ---- the library itself ---- */

StandaloneLibrary *standalone_library_new(const char *warp)
{
    jmp_buf failure;
    StandaloneLibrary *volatile library = calloc(1, sizeof *library);
    if (!library)
        return NULL;
    arena_init(&library->arena);
    library->arena.on_failure = &failure;
    if (setjmp(failure)) {
        standalone_library_free(library);
        return NULL;
    }
    names_init(&library->names, &library->arena);
    read_sections(library);
    read_ops(library);
    read_reserved(library);
    take_library_names(library);
    library->weft = weft_new(warp);
    library->arena.on_failure = NULL;
    if (read_patterns(library) && library->weft)
        return library;
    standalone_library_free(library);
    return NULL;
}

void standalone_library_free(StandaloneLibrary *library)
{
    if (!library)
        return;
    weft_free(library->weft);
    regfree(&library->like_type); /* which may be all zero */
    regfree(&library->like_local);
    arena_free(&library->arena);
    free(library);
}

/* ---- loading ---- */

static const char *keep(StandaloneLibrary *library, const char *text)
{
    return text ? arena_strndup(&library->arena, text, strlen(text)) : NULL;
}

static void keep_needs(StandaloneLibrary *library, NeedList *to, const NeedList *from)
{
    for (uint32_t i = 0; i < from->count; i++)
        add_need(&library->arena, to, keep(library, from->items[i]->key), keep(library, from->items[i]->text));
}

/* The texts of the routines, callees first, as helpers. */
static void add_functions(Translator *t, Routine *routine, bool adjoint)
{
    if (!routine)
        return;
    add_functions(t, routine->next, adjoint);
    const char *text = adjoint ? routine->adjoint_text : routine->text, *types = "";
    if (routine->is_kernel || !text)
        return;
    for (uint32_t i = 0; i < routine->param_count; i++)
        types = arena_format(t->arena, "%s%s ", types, c_type(t, routine->params[i]->type).text);
    const char *key = arena_format(t->arena, "%s %s%s", adjoint ? "adjoint" : "function", routine->name, types);
    add_need(t->arena, &t->helpers, key, text);
}

static bool keep_function(const Compiled *compiled, void *user)
{
    StandaloneLibrary *library = user;
    Translator *t = new_translator(compiled->unit, compiled->module, library);
    if (!translate_all(t, true) || !t->routines->next)
        return true;                      /* not for this scalar type */
    Routine *routine = t->routines->next; /* the newest one is the kernel */
    LibraryEntry *entry = ARENA_NEW(&library->arena, LibraryEntry);
    const char *key = routine->source->func->key->text, *tail = strstr(key, "__"); /* what tells overloads apart */
    entry->name = arena_strndup(&library->arena, key, tail ? (size_t)(tail - key) : strlen(key));
    entry->c_name = keep(library, routine->name);
    entry->param_count = routine->param_count;
    entry->types = ARENA_ARRAY(&library->arena, const char *, routine->param_count);
    for (uint32_t i = 0; i < routine->param_count; i++)
        entry->types[i] = keep(library, c_type(t, routine->params[i]->type).text);
    entry->result_struct = keep(library, routine->result_struct);
    entry->adjoint = keep(library, routine->adjoint);
    for (int adjoint = 0; adjoint < 2; adjoint++) {
        add_functions(t, t->routines, adjoint);
        keep_needs(library, &entry->needs[adjoint][0], &t->types);
        keep_needs(library, &entry->needs[adjoint][1], &t->helpers);
    }
    entry->next = library->entries;
    library->entries = entry;
    return true;
}

/* All functions of library.py, for one scalar type. */
static void load_functions(StandaloneLibrary *library, bool wide)
{
    Text source, errors;
    text_init(&source);
    text_init(&errors);
    add_types(&source, wide);
    text_str(&source, strstr((const char *)standalone_py, "@wp.func\n"));
    for (const char *name = (const char *)standalone_py; (name = next_function(name));)
        add_use(&source, name);
    PipelineOptions options = pipeline_options();
    options.weft.cuda = options.weft.cpu = options.weft.source = false;
    options.keep_types = options.skip_hash = options.skip_verify = true;
    library->loading = library->loaded[wide] = true;
    library->loading_wide = wide;
    pipeline_compile(library->weft, &(Source){"library.py", source.data, source.len}, &options,
                     &(PipelineVisitor){.compiled = keep_function, .user = library, .errors = &errors});
    library->loading = library->loading_wide = false;
    text_free(&source);
    text_free(&errors);
}

/* ---- using ---- */

static void use_needs(Translator *t, const LibraryEntry *entry, bool adjoint)
{
    NeedList *lists[] = {&t->types, &t->helpers};
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < entry->needs[adjoint][k].count; i++)
            add_need(t->arena, lists[k], entry->needs[adjoint][k].items[i]->key,
                     entry->needs[adjoint][k].items[i]->text);
}

void use_library_adjoint(Translator *t, Routine *routine)
{
    use_needs(t, routine->entry, true);
}

static const LibraryEntry *find_entry(const StandaloneLibrary *library, const char *name, const char *const *types,
                                      uint32_t count)
{
    for (const LibraryEntry *entry = library->entries; entry; entry = entry->next) {
        bool fits = entry->param_count == count && strcmp(entry->name, name) == 0;
        for (uint32_t i = 0; fits && i < count; i++)
            fits = strcmp(entry->types[i], types[i]) == 0;
        if (fits)
            return entry;
    }
    return NULL;
}

Routine *library_routine(Translator *t, const char *name, Term *const *args, uint32_t count)
{
    StandaloneLibrary *library = t->library;
    const char *types[MAX_ARGS];
    bool wide = false;
    for (uint32_t i = 0; i < count; i++) {
        const Type *type = args[i]->type;
        if (!type || type->kind == TYPE_ARRAY || i >= MAX_ARGS)
            return NULL;
        types[i] = c_type(t, type).text;
        wide |= type_scalar_of(type)->kind == TYPE_FLOAT64;
    }
    const LibraryEntry *entry = find_entry(library, name, types, count);
    if (!entry && !library->loading && !library->loaded[wide]) {
        load_functions(library, wide);
        entry = find_entry(library, name, types, count);
    }
    if (!entry)
        return NULL;
    for (Routine *routine = t->routines; routine; routine = routine->next)
        if (routine->entry == entry)
            return routine;
    Routine *routine = ARENA_NEW(t->arena, Routine);
    *routine = (Routine){.name = entry->c_name,
                         .adjoint = entry->adjoint,
                         .result_struct = entry->result_struct,
                         .entry = entry,
                         .next = t->routines};
    t->routines = routine;
    use_needs(t, entry, false);
    return routine;
}
