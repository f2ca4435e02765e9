/* The library: functions of library.py, translated when they are first asked for, and kept as text. */
#include "standalone/model.h"

#include "pipeline.h"
#include "standalone_py.h"

#include <stdlib.h>
#include <string.h>

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
    read_shared(library);
    take_library_names(library);
    library->weft = weft_new(warp);
    library->arena.on_failure = NULL;
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

/* ---- loading ---- */

static const char *signature_in_c(Translator *t, const char *name, Routine *routine)
{
    for (uint32_t i = 0; i < routine->param_count; i++)
        name = arena_format(t->arena, "%s %s", name, c_type(t, routine->params[i]->type).text);
    return name;
}

/* weft_math.cuh has what is in terms of float32. */
static bool is_in_header(const char *text)
{
    return strstr(standalone_header(), text) != NULL;
}

/* The texts of the routines, callees first, as helpers. */
static void add_functions(Translator *t, bool adjoint)
{
    for (uint32_t i = 0; i < t->routines.count; i++) {
        Routine *routine = t->routines.items[i];
        const char *text = adjoint ? routine->adjoint_text : routine->text;
        if (!routine->is_kernel && text && !is_in_header(text))
            add_need(t->arena, &t->helpers, signature_in_c(t, adjoint ? routine->adjoint : routine->name, routine),
                     text);
    }
}

static bool keep_function(const Compiled *compiled, void *user)
{
    StandaloneLibrary *library = user;
    Translator *t = new_translator(compiled->unit, compiled->module, library);
    t->arena = &library->arena; /* what is made stays */
    if (!translate_all(t) || t->routines.count < 2)
        return true;                                             /* not for this scalar type */
    Routine *routine = t->routines.items[t->routines.count - 2]; /* the newest one is the kernel */
    Routine *entry = ARENA_NEW(t->arena, Routine);
    const char *key = routine->source->func->key->text, *tail = strstr(key, "__"); /* what tells overloads apart */
    size_t length = tail ? (size_t)(tail - key) : strlen(key);
    *entry = (Routine){.signature = signature_in_c(t, arena_strndup(t->arena, key, length), routine),
                       .name = arena_strndup(t->arena, routine->name, strlen(routine->name)),
                       .adjoint = routine->adjoint,
                       .result_struct = routine->result_struct,
                       .next = library->entries};
    add_functions(t, false);
    entry->forward_helpers = t->helpers.count;
    add_functions(t, true);
    for (uint32_t i = 0; i < t->types.count; i++)
        if (!is_in_header(t->types.items[i]->text))
            add_need(t->arena, &entry->types, t->types.items[i]->key, t->types.items[i]->text);
    entry->helpers = t->helpers;
    library->entries = entry;
    return true;
}

/* All functions of library.py, for one scalar type. False: out of memory. */
static bool load_functions(StandaloneLibrary *library, bool wide)
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
    library->loading = true;
    library->loading_wide = wide;
    bool done = !source.failed &&
                pipeline_compile(library->weft, &(Source){"library.py", source.data, source.len}, &options,
                                 &(PipelineVisitor){.compiled = keep_function, .user = library, .errors = &errors});
    library->loaded[wide] = done;
    library->loading = library->loading_wide = false;
    text_free(&source);
    text_free(&errors);
    return done;
}

/* ---- using ---- */

static void use_needs(Translator *t, NeedList *to, const NeedList *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        add_need(t->arena, to, from->items[i]->key, from->items[i]->text);
}

void use_library_adjoint(Translator *t, Routine *routine)
{
    use_needs(t, &t->helpers, &routine->helpers, routine->helpers.count);
}

static Routine *find_routine(Routine *routine, const char *signature)
{
    while (routine && (!routine->signature || strcmp(routine->signature, signature) != 0))
        routine = routine->next;
    return routine;
}

Routine *library_routine(Translator *t, const char *name, Term *const *args, uint32_t count)
{
    StandaloneLibrary *library = t->library;
    bool wide = false;
    for (uint32_t i = 0; i < count; i++) {
        const Type *type = args[i]->type;
        if (!type || type->kind == TYPE_ARRAY)
            return NULL;
        name = arena_format(t->arena, "%s %s", name, c_type(t, type).text);
        wide |= type_scalar_of(type)->kind == TYPE_FLOAT64;
    }
    const TableSlot *known = find_text(&t->by_signature, name);
    if (known)
        return known->item;
    bool is_missing = !find_routine(library->entries, name) && !library->loading && !library->loaded[wide];
    if (is_missing && !load_functions(library, wide))
        arena_give_up(t->arena);
    const Routine *entry = find_routine(library->entries, name);
    if (!entry)
        return NULL;
    Routine *routine = ARENA_NEW(t->arena, Routine);
    *routine = *entry;
    ARENA_PUSH(t->arena, t->routines.items, t->routines.count, t->routines.cap) = routine;
    add_text(t->arena, &t->by_signature, name)->item = routine;
    use_needs(t, &t->types, &entry->types, entry->types.count);
    use_needs(t, &t->helpers, &entry->helpers, entry->forward_helpers);
    return routine;
}
