/* The library: functions of library.py, translated when they are first asked for, and kept as text. */
#include "standalone/model.h"

#include "pipeline.h"
#include "standalone_py.h"

#include <stdlib.h>
#include <string.h>

/* A function for one scalar type, and everything that its text refers to, in order. */
typedef struct LibraryEntry {
    const char *name;
    uint64_t *looks; /* of the parameters */
    uint32_t param_count;
    const char *c_name, *adjoint, *result_struct;
    NeedList types, helpers;                 /* of the function; its own text is the last one */
    NeedList adjoint_types, adjoint_helpers; /* of its adjoint */
    struct LibraryEntry *next;
} LibraryEntry;

static bool split_source(StandaloneLibrary *library);

static uint32_t name_slot(const char *name)
{
    uint32_t hash = 0;
    while (*name)
        hash = hash * 31 + (unsigned char)*name++;
    return (hash ^ hash >> 7) % NAME_SLOTS;
}

StandaloneLibrary *standalone_library_new(void)
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
    rows_init(&library->helper_rows);
    index_helpers(library);
    library->atomic_add = helper_row(library, "atomic_add", strlen("atomic_add"));
    library->accumulate = helper_row(library, "accumulate", strlen("accumulate"));
    rows_init(&library->op_rows);
    read_ops(library);
    rows_init(&library->forms);
    index_forms(&library->forms);
    library->weft = weft_new(NULL);
    bool complete = library->weft && split_source(library);
    if (complete)
        read_reserved(library);
    library->arena.on_failure = NULL;
    if (complete)
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

static const char head[] = "@wp.func\ndef ";

static bool split_source(StandaloneLibrary *library)
{
    const char *at = strstr((const char *)standalone_py, head);
    const char *end = (const char *)standalone_py + standalone_py_size;
    while (at && library->part_count < sizeof library->parts / sizeof *library->parts) {
        LibraryPart *part = &library->parts[library->part_count++];
        const char *next = strstr(at + 1, head);
        part->text = at;
        part->length = (size_t)((next ? next : end) - at);
        part->name = at + strlen(head);
        part->name_length = strcspn(part->name, "(");
        const char *tail = strstr(part->name, "__");
        part->stem_length =
            tail && tail < part->name + part->name_length ? (size_t)(tail - part->name) : part->name_length;
        at = next;
    }
    return !at;
}

/* The function is used by a kernel of its own, so that it is built. */
static void add_use(Text *out, const LibraryPart *part)
{
    const char *open = part->name + part->name_length, *close = strchr(open, ')');
    text_format(out, "\n\n@wp.kernel\ndef use_%.*s(%.*s):\n    %.*s(", (int)part->name_length, part->name,
                (int)(close - open - 1), open + 1, (int)part->name_length, part->name);
    for (const char *param = open + 1; param < close;) {
        const char *colon = memchr(param, ':', (size_t)(close - param));
        const char *comma = memchr(param, ',', (size_t)(close - param));
        text_add(out, param, (size_t)(colon - param));
        param = comma ? comma + 2 : close;
        text_str(out, comma ? ", " : "");
    }
    text_lit(out, ")\n");
}

/* The functions of that name, and those that they call. */
static uint64_t choose_parts(const StandaloneLibrary *library, const char *name)
{
    uint64_t chosen = 0, before;
    for (uint32_t i = 0; i < library->part_count; i++) {
        const LibraryPart *part = &library->parts[i];
        if (strlen(name) == part->stem_length && memcmp(name, part->name, part->stem_length) == 0)
            chosen |= (uint64_t)1 << i;
    }
    do {
        before = chosen;
        for (uint32_t i = 0; i < library->part_count; i++) {
            const LibraryPart *part = &library->parts[i];
            for (uint32_t k = 0; (chosen >> i & 1) && k < library->part_count; k++)
                if (memmem(part->text, part->length, library->parts[k].name, library->parts[k].stem_length))
                    chosen |= (uint64_t)1 << k;
        }
    } while (chosen != before);
    return chosen;
}

/* ---- loading ---- */

/* A need of a program, as one that the library keeps. */
static Need *kept_need(StandaloneLibrary *library, Need *need)
{
    if (need->is_kept)
        return need;
    const Need *known = find_need(&library->kept, need->key);
    if (known)
        return (Need *)known;
    Arena *arena = &library->arena;
    Need *copy = ARENA_NEW(arena, Need);
    *copy = (Need){.key = arena_strndup(arena, need->key, strlen(need->key)),
                   .text = arena_strndup(arena, need->text, need->length),
                   .length = need->length,
                   .is_kept = true};
    ARENA_PUSH(arena, library->kept.items, library->kept.count, library->kept.cap) = copy;
    return copy;
}

static void keep_list(StandaloneLibrary *library, NeedList *to, const NeedList *from)
{
    for (uint32_t i = 0; i < from->count; i++)
        ARENA_PUSH(&library->arena, to->items, to->count, to->cap) = kept_need(library, from->items[i]);
}

static const char *param_types(Translator *t, const Routine *routine)
{
    const char *types = "";
    for (uint32_t i = 0; i < routine->param_count; i++)
        types = arena_format(t->arena, "%s%s ", types, c_type(t, routine->params[i]->type).text);
    return types;
}

/* The texts of the routines, callees first, as helpers. */
static void add_functions(Translator *t, const Routine *routine, bool adjoint)
{
    if (!routine)
        return;
    add_functions(t, routine->next, adjoint);
    Text *text = adjoint ? routine->adjoint_text : routine->text;
    if (routine->is_kernel || !text)
        return;
    new_need(
        t, &t->helpers,
        arena_format(t->arena, "%s %s%s", adjoint ? "adjoint" : "function", routine->name, param_types(t, routine)),
        text_cstr(text), text->len);
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
    entry->param_count = routine->param_count;
    entry->looks = ARENA_ARRAY(arena, uint64_t, routine->param_count);
    for (uint32_t i = 0; i < routine->param_count; i++) {
        c_type(t, routine->params[i]->type);
        entry->looks[i] = look_of(routine->params[i]->type);
    }
    if (routine->result_struct)
        entry->result_struct = arena_strndup(arena, routine->result_struct, strlen(routine->result_struct));
    if (routine->adjoint)
        entry->adjoint = arena_strndup(arena, routine->adjoint, strlen(routine->adjoint));
    add_functions(t, t->routines, false);
    keep_list(library, &entry->types, &t->types);
    keep_list(library, &entry->helpers, &t->helpers);
    add_functions(t, t->routines, true);
    keep_list(library, &entry->adjoint_types, &t->types);
    keep_list(library, &entry->adjoint_helpers, &t->helpers);
    LibraryEntry **slot = &library->entries[name_slot(entry->name)];
    entry->next = *slot;
    *slot = entry;
    return true;
}

/* `chosen` become text, those of them that are `fresh` become entries. */
static void compile_parts(StandaloneLibrary *library, uint64_t chosen, uint64_t fresh, bool wide)
{
    Text source, errors;
    text_init(&source);
    text_init(&errors);
    add_types(&source, wide);
    for (uint32_t i = 0; i < library->part_count; i++)
        if (chosen >> i & 1)
            text_add(&source, library->parts[i].text, library->parts[i].length);
    for (uint32_t i = 0; i < library->part_count; i++)
        if (fresh >> i & 1)
            add_use(&source, &library->parts[i]);
    PipelineOptions options = pipeline_options();
    options.weft.cuda = options.weft.cpu = options.weft.source = false;
    options.keep_types = options.skip_hash = options.skip_verify = true;
    library->loading = true;
    pipeline_compile(library->weft, "library.py", source.data, source.len, &options, keep_function, library, &errors);
    library->loading = false;
    library->loaded[wide] |= fresh;
    text_free(&source);
    text_free(&errors);
}

static void load_function(StandaloneLibrary *library, const char *name, bool wide)
{
    uint64_t chosen = choose_parts(library, name), known = library->loaded[wide];
    LibraryEntry *before[NAME_SLOTS];
    memcpy(before, library->entries, sizeof before);
    if (!(chosen & ~known))
        return;
    library->missed = false;
    compile_parts(library, chosen, chosen & ~known, wide);
    if (!library->missed)
        return;
    /* An operator may stand for a function that is not mentioned: then all of them. */
    memcpy(library->entries, before, sizeof before);
    uint64_t all = ((uint64_t)1 << (library->part_count - 1) << 1) - 1;
    compile_parts(library, all, all & ~known, wide);
}

/* ---- using ---- */

static void use_list(Translator *t, NeedList *to, const NeedList *from)
{
    for (uint32_t i = 0; i < from->count; i++)
        add_need(t, to, from->items[i]);
}

void use_library_adjoint(Translator *t, const Routine *routine)
{
    use_list(t, &t->types, &routine->entry->adjoint_types);
    use_list(t, &t->helpers, &routine->entry->adjoint_helpers);
}

static const LibraryEntry *find_entry(const StandaloneLibrary *library, const char *name, const uint64_t *looks,
                                      uint32_t count)
{
    for (const LibraryEntry *entry = library->entries[name_slot(name)]; entry; entry = entry->next)
        if (entry->param_count == count && strcmp(entry->name, name) == 0 &&
            memcmp(entry->looks, looks, count * sizeof *looks) == 0)
            return entry;
    return NULL;
}

Routine *library_routine(Translator *t, const char *name, const Type *const *types, uint32_t count)
{
    StandaloneLibrary *library = t->library;
    uint64_t looks[MAX_ARGS];
    bool wide = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!types[i] || types[i]->kind == TYPE_ARRAY || i >= MAX_ARGS)
            return NULL;
        c_type(t, types[i]);
        looks[i] = look_of(types[i]);
        wide |= type_scalar_of(types[i])->kind == TYPE_FLOAT64;
    }
    const LibraryEntry *entry = find_entry(library, name, looks, count);
    if (!entry && !library->loading) {
        load_function(library, name, wide);
        renew_marks(t);
        entry = find_entry(library, name, looks, count);
    }
    library->missed |= library->loading && !entry;
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
