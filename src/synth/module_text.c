#include "synth/module_text.h"

#include "front/parser.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

struct ModuleText {
    Arena tables, work;
    NameTable names;
    HashTable inner;   /* names that some sample uses and does not define itself */
    HashTable defined; /* names that the module has defined */
    HashTable numbers; /* of a name: the last number that was put behind it */
    Source *kept;      /* the texts of the first samples that were noted */
    uint32_t kept_count, kept_cap;
    size_t kept_bytes;
};

enum { MOST_KEPT = 64 << 20 };

static bool init_tables(ModuleText *module)
{
    jmp_buf failure;
    arena_init(&module->tables);
    arena_init(&module->work);
    module->tables.on_failure = &failure;
    if (setjmp(failure))
        return false;
    names_init(&module->names, &module->tables);
    return true;
}

ModuleText *module_text_new(void)
{
    ModuleText *module = calloc(1, sizeof *module);
    if (module && !init_tables(module)) {
        module_text_free(module);
        return NULL;
    }
    return module;
}

void module_text_free(ModuleText *module)
{
    if (!module)
        return;
    arena_free(&module->tables);
    arena_free(&module->work);
    free(module);
}

/* ---- the definitions of a sample ---- */

typedef struct Definition {
    Name name, new_name;
    uint32_t start; /* of the name; UINT32_MAX: of an assignment, which is a name like any other */
} Definition;

/* One sample being read. */
typedef struct SampleReader {
    ModuleText *module;
    Source source;
    TokenList tokens;
    const Node *tree;
    Definition *definitions;
    uint32_t count, cap;
    HashTable indices; /* of a defined name: the number of its first definition + 1 */
} SampleReader;

/* The name behind `def` or `class`. */
static uint32_t name_start(const SampleReader *r, uint32_t from, Name name)
{
    for (uint32_t i = 0; i < r->tokens.count; i++)
        if (r->tokens.items[i].start >= from && r->tokens.items[i].name == name)
            return r->tokens.items[i].start;
    return UINT32_MAX;
}

static void define(SampleReader *r, Name name, uint32_t start)
{
    Arena *arena = &r->module->work;
    uint32_t *index = &table_add(&r->indices, arena, name)->number;
    ARENA_PUSH(arena, r->definitions, r->count, r->cap) = (Definition){name, name, start};
    if (!*index)
        *index = r->count;
}

static void define_targets(SampleReader *r, const Node *target)
{
    if (target->kind == NODE_NAME)
        define(r, target->name.id, UINT32_MAX);
    else if (target->kind == NODE_TUPLE)
        for (uint32_t i = 0; i < target->sequence.elts.count; i++)
            define_targets(r, target->sequence.elts.items[i]);
}

static void find_definitions(SampleReader *r)
{
    const NodeList *body = &r->tree->module.body;
    for (uint32_t i = 0; i < body->count; i++) {
        const Node *node = body->items[i];
        if (node->kind == NODE_FUNCTION_DEF)
            define(r, node->function.name, name_start(r, node->function.def_start, node->function.name));
        else if (node->kind == NODE_CLASS_DEF)
            define(r, node->class_def.name, name_start(r, node->start, node->class_def.name));
        else if (node->kind == NODE_ASSIGN)
            for (uint32_t k = 0; k < node->assign.targets.count; k++)
                define_targets(r, node->assign.targets.items[k]);
        else if (node->kind == NODE_ANN_ASSIGN)
            define_targets(r, node->ann_assign.target);
    }
}

/* The sample with its options of the module at its kernel: in a module of many kernels they would hold for all of them. */
static Source with_own_options(Arena *arena, const SynthSample *sample)
{
    static const char STATEMENT[] = "wp.set_module_options({\"enable_backward\": False})\n", KERNEL[] = "\n@wp.kernel";
    const char *statement = strstr(sample->source, STATEMENT);
    const char *kernel = statement ? strstr(statement, KERNEL) : NULL;
    if (!kernel)
        return (Source){"synth.py", sample->source, sample->source_len};
    const char *rest = statement + strlen(STATEMENT), *end = kernel + strlen(KERNEL);
    rest += strspn(rest, "\n");
    bool has_options = *end == '(';
    Text text = text_in(arena);
    text_add(&text, sample->source, (size_t)(statement - sample->source));
    text_add(&text, rest, (size_t)(end - rest));
    text_str(&text, "(enable_backward=False");
    text_str(&text, !has_options ? ")" : end[1] == ')' ? "" : ", ");
    end += has_options;
    text_add(&text, end, sample->source_len - (size_t)(end - sample->source));
    return (Source){"synth.py", text_cstr(&text), text.len};
}

static bool read_sample(ModuleText *module, const SynthSample *sample, SampleReader *r)
{
    arena_reset(&module->work);
    *r = (SampleReader){.module = module, .source = with_own_options(&module->work, sample)};
    DiagList diags;
    diags_init(&diags, &module->work);
    r->tree = parse_module_tokens(&module->work, &module->names, &r->source, &diags, &r->tokens);
    if (diags.count)
        return false;
    find_definitions(r);
    return true;
}

/* ---- where names are used ---- */

typedef void NameVisitor(SampleReader *r, Name name, uint32_t start, bool is_own, void *user);

/* Walks a tree; names that the function around assigns are not those of the module. */
typedef struct Walk {
    SampleReader *reading;
    HashTable *locals; /* NULL: of the module level */
    bool in_class;     /* fields of a struct are nobody else's */
    NameVisitor *visit;
    void *user;
} Walk;

static void find_locals(const Node *node, void *user)
{
    Walk *walk = user;
    Arena *arena = &walk->reading->module->work;
    if (node->kind == NODE_NAME && node->name.store)
        table_add(walk->locals, arena, node->name.id);
    if (node->kind == NODE_ARG)
        table_add(walk->locals, arena, node->arg.name);
    node_children(node, find_locals, walk);
}

static void walk_node(const Node *node, void *user);

/* Decorators, annotations and defaults belong to the module level. */
static void walk_function(Walk *walk, const Node *node)
{
    HashTable locals = {0};
    Walk inner = {walk->reading, &locals, false, walk->visit, walk->user};
    for (uint32_t i = 0; i < node->function.decorators.count; i++)
        walk_node(node->function.decorators.items[i], walk);
    if (node->function.returns)
        walk_node(node->function.returns, walk);
    walk_node(node->function.params, walk);
    find_locals(node->function.params, &inner);
    for (uint32_t i = 0; i < node->function.body.count; i++)
        find_locals(node->function.body.items[i], &inner);
    for (uint32_t i = 0; i < node->function.body.count; i++)
        walk_node(node->function.body.items[i], &inner);
}

static void walk_node(const Node *node, void *user)
{
    Walk *walk = user;
    SampleReader *r = walk->reading;
    if (node->kind == NODE_FUNCTION_DEF) {
        walk_function(walk, node);
        return;
    }
    if (node->kind == NODE_CLASS_DEF) {
        Walk inner = *walk;
        inner.in_class = true;
        node_children(node, walk_node, &inner);
        return;
    }
    if (node->kind == NODE_ARG)
        walk->visit(r, node->arg.name, node->start, false, walk->user);
    if (node->kind == NODE_NAME && !(walk->in_class && node->name.store)) {
        bool is_own =
            table_has(&r->indices, node->name.id) && !(walk->locals && table_has(walk->locals, node->name.id));
        walk->visit(r, node->name.id, node->start, is_own, walk->user);
    }
    node_children(node, walk_node, walk);
}

static void walk_names(SampleReader *r, NameVisitor *visit, void *user)
{
    Walk walk = {.reading = r, .visit = visit, .user = user};
    for (uint32_t i = 0; i < r->tree->module.body.count; i++)
        walk_node(r->tree->module.body.items[i], &walk);
}

/* ---- first: all names ---- */

static void note_name(SampleReader *r, Name name, uint32_t start, bool is_own, void *user)
{
    (void)start, (void)user;
    if (!is_own)
        table_add(&r->module->inner, &r->module->tables, name);
}

/* As long as there is room: who adds the sample then need not invent it again. */
static void keep_text(ModuleText *module, const SynthSample *sample)
{
    if (module->kept_bytes + sample->source_len > MOST_KEPT) {
        module->kept_bytes = MOST_KEPT; /* none of those that follow, either: they are found by their number */
        return;
    }
    module->kept_bytes += sample->source_len;
    const char *text = arena_strndup(&module->tables, sample->source, sample->source_len);
    ARENA_PUSH(&module->tables, module->kept, module->kept_count, module->kept_cap) =
        (Source){"synth.py", text, sample->source_len};
}

bool module_text_kept(const ModuleText *module, uint64_t number, SynthSample *sample)
{
    if (number >= module->kept_count)
        return false;
    *sample = (SynthSample){.source = module->kept[number].text, .source_len = module->kept[number].len};
    return true;
}

ModuleTextResult module_text_note(ModuleText *module, const SynthSample *sample)
{
    jmp_buf failure;
    SampleReader r;
    module->tables.on_failure = module->work.on_failure = &failure;
    if (setjmp(failure))
        return MODULE_TEXT_NO_MEMORY;
    if (!read_sample(module, sample, &r))
        return MODULE_TEXT_NOT_PYTHON;
    walk_names(&r, note_name, NULL);
    keep_text(module, sample);
    return MODULE_TEXT_DONE;
}

/* ---- then: new names ---- */

static bool is_free(const ModuleText *module, Name name)
{
    return !table_has(&module->inner, name) && !table_has(&module->defined, name);
}

static Name free_name(ModuleText *module, Name name)
{
    Name found = name;
    if (!is_free(module, name)) {
        uint32_t *last = &table_add(&module->numbers, &module->tables, name)->number;
        uint32_t number = *last ? *last : 1;
        do
            found = name_cstr(&module->names, arena_format(&module->work, "%s_%u", name->text, ++number));
        while (!is_free(module, found));
        *last = number;
    }
    table_add(&module->defined, &module->tables, found);
    return found;
}

typedef struct Edit {
    uint32_t start;
    Name old, new_name;
} Edit;

typedef struct EditList {
    Edit *items;
    uint32_t count, cap;
} EditList;

static void add_edit(SampleReader *r, EditList *edits, uint32_t start, Name name)
{
    const Definition *definition = &r->definitions[table_find(&r->indices, name)->number - 1];
    if (definition->new_name != name)
        ARENA_PUSH(&r->module->work, edits->items, edits->count, edits->cap) =
            (Edit){start, name, definition->new_name};
}

static void edit_name(SampleReader *r, Name name, uint32_t start, bool is_own, void *user)
{
    if (is_own)
        add_edit(r, user, start, name);
}

static int compare_edits(const void *a, const void *b)
{
    const Edit *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* False: a name does not stand where the tree says. */
static bool write_edited(const SampleReader *r, EditList *edits, Text *out)
{
    uint32_t done = 0;
    if (edits->count)
        qsort(edits->items, edits->count, sizeof *edits->items, compare_edits);
    for (uint32_t i = 0; i < edits->count; i++) {
        const Edit *edit = &edits->items[i];
        if (edit->start < done || edit->start > r->source.len || r->source.len - edit->start < edit->old->len ||
            memcmp(r->source.text + edit->start, edit->old->text, edit->old->len) != 0)
            return false;
        text_add(out, r->source.text + done, edit->start - done);
        text_add(out, edit->new_name->text, edit->new_name->len);
        done = edit->start + edit->old->len;
    }
    text_add(out, r->source.text + done, r->source.len - done);
    return true;
}

ModuleTextResult module_text_add(ModuleText *module, const SynthSample *sample, Text *out)
{
    jmp_buf failure;
    SampleReader r;
    module->tables.on_failure = module->work.on_failure = &failure;
    if (setjmp(failure))
        return MODULE_TEXT_NO_MEMORY;
    if (!read_sample(module, sample, &r))
        return MODULE_TEXT_NOT_PYTHON;
    EditList edits = {0};
    for (uint32_t i = 0; i < r.count; i++) {
        Definition *definition = &r.definitions[i];
        if (table_find(&r.indices, definition->name)->number == i + 1)
            definition->new_name = free_name(module, definition->name);
        if (definition->start != UINT32_MAX)
            add_edit(&r, &edits, definition->start, definition->name);
    }
    walk_names(&r, edit_name, &edits);
    return write_edited(&r, &edits, out) ? MODULE_TEXT_DONE : MODULE_TEXT_NOT_PYTHON;
}
