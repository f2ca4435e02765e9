#include "front/gather_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void gather_fail(Gatherer *g, const char *format, ...)
{
    char message[300];
    va_list args;
    if (g->why)
        return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    g->why = arena_strndup(g->arena, message, strlen(message));
}

/* ---- names ---- */

static Entry *find_entry(const Space *space, Name name)
{
    for (uint32_t i = 0; i < space->count; i++)
        if (space->items[i].name == name)
            return &space->items[i];
    return NULL;
}

Entry *gather_claim(Gatherer *g, Space *space, Name name, const char *text, const void *of)
{
    Entry *entry = find_entry(space, name);
    if (!entry) {
        entry = &ARENA_PUSH(g->arena, space->items, space->count, space->cap);
        *entry = (Entry){.name = name, .text = text, .of = of};
        return entry;
    }
    bool same = of || entry->of ? of == entry->of : text && entry->text && strcmp(text, entry->text) == 0;
    if (same)
        return entry;
    gather_fail(g, "'%s' has two meanings in what the kernel needs", name->text);
    return NULL;
}

void gather_import(Gatherer *g, const char *module, const char *name)
{
    uint32_t before = g->top.count;
    if (strcmp(module, "warp") == 0 && strcmp(name, "wp") == 0)
        return;
    if (!gather_claim(g, &g->top, name_cstr(g->unit->names, name), module, NULL) || g->top.count == before)
        return;
    text_format(&g->imports, strcmp(module, name) == 0 ? "import %s\n" : "import %s as %s\n", module, name);
}

/* The space that a name stands for. */
static Space *enter(Gatherer *g, Space *space, Name name, const void *of)
{
    Entry *entry = gather_claim(g, space, name, NULL, of);
    if (entry && !entry->inner)
        entry->inner = ARENA_NEW(g->arena, Space);
    return entry ? entry->inner : NULL;
}

static void bind_member(Gatherer *g, Space *space, Name name, const Value *member)
{
    Text number = text_in(g->arena);
    Space *inner = enter(g, space, name, member->member.cls);
    text_bigint(&number, member->member.value);
    if (!inner)
        return;
    gather_import(g, "enum", "enum");
    inner->is_enum = true;
    gather_claim(g, inner, member->member.name, text_cstr(&number), NULL);
}

const char *gather_member(Gatherer *g, const Value *member)
{
    bind_member(g, &g->top, member->member.cls->name, member);
    return g->why ? NULL : arena_format(g->arena, "%s.%s", member->member.cls->name->text, member->member.name->text);
}

/* A name that stands for a value, and not for something with parts that are needed. */
static void bind_value(Gatherer *g, Space *space, Name name, const Value *value)
{
    const char *text = gather_value(g, value);
    bool is_top = space == &g->top, is_code = value->kind == VALUE_FUNC || value->kind == VALUE_GRAD;
    if (!text || (is_top && strcmp(text, name->text) == 0))
        return; /* it is defined by that name */
    bool subclass = value->kind == VALUE_TYPE && value->made_by && strncmp(value->made_by, "class", 5) == 0;
    uint32_t before = space->count;
    Entry *entry = gather_claim(g, space, name, text, NULL);
    if (!entry || space->count == before)
        return;
    entry->is_code = is_code;
    if (is_top)
        text_format(is_code ? &g->code : &g->data,
                    subclass  ? "\n\nclass %s(%s):\n    pass\n\n\n"
                    : is_code ? "\n\n%s = %s\n"
                              : "%s = %s\n",
                    name->text, text);
}

static void bind_path(Gatherer *g, Space *space, const Name *path, uint32_t count, const Value *value)
{
    const Value *next = NULL;
    const void *of = NULL;
    switch (value->kind) {
    case VALUE_UNKNOWN:
    case VALUE_KERNEL: return;
    case VALUE_MODULE: gather_import(g, value->module, path[0]->text); return;
    case VALUE_FILE:
        of = value->file;
        next = count > 1 ? file_attribute(g->unit, value->file, path[1]) : NULL;
        break;
    case VALUE_CLASS:
    case VALUE_ENUM_CLASS:
        of = value->kind == VALUE_CLASS ? (const void *)value->class_object.scope : value->enum_class;
        next = count > 1 ? static_attribute(g->unit, value, path[1]) : NULL;
        break;
    default: bind_value(g, space, path[0], value); return;
    }
    if (!next || g->why)
        return;
    if (value->kind == VALUE_ENUM_CLASS) {
        if (next->kind == VALUE_ENUM_MEMBER)
            bind_member(g, space, path[0], next);
        return;
    }
    if (next->kind == VALUE_UNKNOWN || next->kind == VALUE_KERNEL || next->kind == VALUE_MODULE)
        return;
    Space *inner = enter(g, space, path[0], of);
    if (inner)
        bind_path(g, inner, path + 1, count - 1, next);
}

/* ---- what a definition refers to ---- */

typedef struct Scan {
    Gatherer *g;
    const Code *code;
    HashTable own;  /* names that it binds itself */
    Space *closure; /* gets what functions around it bind */
} Scan;

static void note_own(const Node *node, void *user)
{
    Scan *scan = user;
    if (node->kind == NODE_NAME && node->name.store)
        table_add(&scan->own, scan->g->arena, node->name.id);
    if (node->kind == NODE_ARG)
        table_add(&scan->own, scan->g->arena, node->arg.name);
    node_children(node, note_own, user);
}

static void follow_path(const Scan *scan, const Name *path, uint32_t count)
{
    const Scope *scope = reference_scope(scan->code, path[0]);
    const Value *value = NULL;
    for (; scope; scope = value ? scope : scope->parent) {
        value = scope->is_class ? NULL : scope_find_here(scope, path[0]);
        if (value)
            break;
    }
    /* A constant counts in Warp's hash even where the definition has a variable of that name. */
    if (!value || (table_has(&scan->own, path[0]) && !value_is_constant(value)))
        return;
    bind_path(scan->g, scope->parent ? scan->closure : &scan->g->top, path, count, value);
}

static void scan_node(const Node *node, void *user)
{
    Scan *scan = user;
    Name path[16];
    uint32_t count = node->kind == NODE_NAME || node->kind == NODE_ATTRIBUTE ? node_path(node, path, 16) : 0;
    if (scan->g->why)
        return;
    if (count)
        follow_path(scan, path, count);
    else
        node_children(node, scan_node, user);
}

static void scan_code(Gatherer *g, const Code *code, Space *closure)
{
    Scan scan = {.g = g, .code = code, .closure = closure};
    note_own(code->def, &scan);
    node_children(code->def, scan_node, &scan);
}

/* ---- definitions ---- */

static void add_indented(Text *out, const char *text, size_t len, uint32_t margin)
{
    for (const char *end = text + len; text < end;) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        size_t length = line_end ? (size_t)(line_end - text) : (size_t)(end - text);
        if (length)
            text_pad(out, ' ', margin);
        text_add(out, text, length);
        text_char(out, '\n');
        text += length + 1;
    }
}

/* What stands in a function or class gets one of the same name around it: `result` is what the name stands for in there. */
static void put_inside(Gatherer *g, const Code *code, const char *outer, bool is_function, const Space *closure,
                       const char *result)
{
    const char *name = code->def->function.name->text;
    if (find_entry(&g->top, name_cstr(g->unit->names, outer)) && is_function)
        gather_fail(g, "'%s' has two meanings in what the kernel needs", outer);
    text_format(&g->code, is_function ? "def %s():\n" : "class %s:\n", outer);
    for (uint32_t i = 0; i < closure->count; i++)
        if (closure->items[i].inner)
            gather_fail(g, "a function around it binds a module or class");
        else
            text_format(&g->code, "    %s = %s\n", closure->items[i].name->text, closure->items[i].text);
    text_str(&g->code, closure->count ? "\n" : "");
    add_indented(&g->code, code->source, code->source_len, 4);
    if (is_function)
        text_format(&g->code, "\n    return %s\n\n\n%s = %s()\n", result, name, outer);
    else
        text_format(&g->code, "\n\n%s = %s.%s\n", name, outer, name);
}

static void put_definition(Gatherer *g, const Code *code, Name key, const Space *closure, const char *result)
{
    Name name = code->def->function.name;
    static const char locals[] = "__locals__";
    size_t before = key->len - name->len;
    if (key->len < name->len || strcmp(key->text + before, name->text) != 0) {
        gather_fail(g, "'%s' is registered by another name", name->text);
        return;
    }
    text_lit(&g->code, "\n\n");
    size_t tail = strlen(locals);
    bool is_function = before > tail && memcmp(key->text + before - tail, locals, tail) == 0;
    if (before)
        put_inside(g, code, arena_strndup(g->arena, key->text, before - (is_function ? tail : 2)), is_function, closure,
                   result);
    else if (closure->count)
        gather_fail(g, "a function around it binds names");
    else {
        text_add(&g->code, code->source, code->source_len);
        if (strcmp(result, name->text) != 0)
            text_format(&g->code, "\n\n%s = %s\n", name->text, result);
    }
}

/* A gradient or replay of one's own is registered by the name of its function. */
static void put_function(Gatherer *g, const Func *func, bool is_custom)
{
    Space closure = {0};
    Name name = func->code.def->function.name;
    scan_code(g, &func->code, &closure);
    put_definition(g, &func->code, is_custom ? name : func->key, &closure, name->text);
}

static void put_overloads(Gatherer *g, const Func *head)
{
    const FuncList *lists[] = {&head->overloads, &head->templates};
    uint32_t last = 0;
    for (;;) { /* in the order of the file */
        const Func *next = NULL;
        for (int k = 0; k < 2; k++)
            for (uint32_t i = 0; i < lists[k]->count; i++) {
                const Func *item = lists[k]->items[i];
                bool later = item->code.def->start >= last && !item->generic_parent;
                if (later && (!next || item->code.def->start < next->code.def->start))
                    next = item;
            }
        if (!next || g->why)
            return;
        last = next->code.def->start + 1;
        put_function(g, next, false);
        if (next->custom_grad)
            put_function(g, next->custom_grad, true);
        if (next->custom_replay)
            put_function(g, next->custom_replay, true);
    }
}

const char *gather_function(Gatherer *g, Func *func)
{
    const Func *head = func->head ? func->head : func;
    Name name = head->code.def->function.name;
    if (head->library_digest)
        return arena_format(g->arena, "wp.%s", head->key->text);
    if (!gather_claim(g, &g->top, name, NULL, head))
        return NULL;
    if (!table_has(&g->done, head)) {
        table_add(&g->done, g->arena, head);
        put_overloads(g, head);
    }
    return g->why ? NULL : name->text;
}

const char *gather_python(Gatherer *g, const PythonFunc *func)
{
    const Node *def = func->def;
    const Source *source = func->scope->file->source;
    const Code code = {.def = def, .scope = func->scope};
    Space closure = {0};
    if (func->scope->parent || def->kind != NODE_FUNCTION_DEF) {
        gather_fail(g, "a Python function that is not one of the module is needed");
        return NULL;
    }
    if (!gather_claim(g, &g->top, def->function.name, NULL, def))
        return NULL;
    if (!table_has(&g->done, def)) {
        table_add(&g->done, g->arena, def);
        scan_code(g, &code, &closure);
        text_lit(&g->data, "\n\n");
        text_add(&g->data, source->text + def->function.first_line, def->end - def->function.first_line);
        text_lit(&g->data, "\n\n\n");
    }
    return def->function.name->text;
}

/* ---- the whole ---- */

static bool has_code(const Space *space)
{
    bool found = false;
    for (uint32_t i = 0; !found && i < space->count; i++)
        found = space->items[i].is_code || (space->items[i].inner && has_code(space->items[i].inner));
    return found;
}

static bool has_data(const Space *space)
{
    bool found = false;
    for (uint32_t i = 0; !found && i < space->count; i++)
        found = (space->items[i].text && !space->items[i].is_code) ||
                (space->items[i].inner && has_data(space->items[i].inner));
    return found;
}

/* A class with these attributes; without `code`, those that need no definition before them. */
static void put_space(const Entry *entry, bool code, uint32_t margin, Text *out)
{
    const Space *space = entry->inner;
    text_str(out, margin ? "\n" : "\n\n");
    text_pad(out, ' ', margin);
    text_format(out, space->is_enum ? "class %s(enum.IntEnum):\n" : "class %s:\n", entry->name->text);
    for (uint32_t i = 0; i < space->count; i++) {
        const Entry *item = &space->items[i];
        if (item->inner && (code || has_data(item->inner)))
            put_space(item, code, margin + 4, out);
        if (!item->text || (item->is_code && !code))
            continue;
        text_pad(out, ' ', margin + 4);
        text_format(out, "%s = %s\n", item->name->text, item->text);
    }
}

static void put_spaces(const Gatherer *g, bool enums, bool code, Text *out)
{
    for (uint32_t i = 0; i < g->top.count; i++) {
        const Entry *entry = &g->top.items[i];
        bool wanted =
            entry->inner && entry->inner->is_enum == enums && (code ? has_code(entry->inner) : has_data(entry->inner));
        if (wanted)
            put_space(entry, code, 0, out);
    }
}

/* What the file, or wp.config, says about all kernels of the module. */
static void put_options(const ModuleOptions *options, Text *out)
{
    Text pairs = {0};
    text_init_in(&pairs, out->arena);
    if (!options->enable_backward)
        text_lit(&pairs, ", \"enable_backward\": False");
    if (options->max_unroll != 16)
        text_format(&pairs, ", \"max_unroll\": %lld", (long long)options->max_unroll);
    if (!options->default_grid_stride)
        text_lit(&pairs, ", \"default_grid_stride\": False");
    if (options->strip_hash)
        text_lit(&pairs, ", \"strip_hash\": True");
    if (pairs.len)
        text_format(out, "wp.set_module_options({%s})\n", text_cstr(&pairs) + 2);
}

static void put_kernel(Gatherer *g, const Kernel *kernel)
{
    const char *name = kernel->code.def->function.name->text, *result = name;
    Space closure = {0};
    scan_code(g, &kernel->code, &closure);
    if (!gather_claim(g, &g->top, kernel->code.def->function.name, NULL, kernel))
        return;
    if (!kernel->code.def->function.decorators.count) {
        result = arena_format(g->arena, "wp.kernel(%s)", name);
        if (kernel->option_count)
            gather_fail(g, "it is made by a call with options");
    }
    put_spaces(g, false, true, &g->code);
    put_definition(g, &kernel->code, kernel->key, &closure, result);
    if (!kernel->signature)
        return;
    text_format(&g->code, "\n\nwp.overload(%s, [", name);
    for (uint32_t i = 0; i < kernel->code.param_count; i++) {
        const char *type = gather_type(g, kernel->code.params[i].type);
        text_format(&g->code, "%s%s", i ? ", " : "", type ? type : "");
    }
    text_lit(&g->code, "])\n");
}

/* Without the line ends at either side. */
static void add_part(Text *out, const Text *part, const char *between)
{
    const char *start = part->data, *end = part->data + part->len;
    while (start < end && *start == '\n')
        start++;
    while (end > start && end[-1] == '\n')
        end--;
    if (start == end)
        return;
    text_str(out, out->len ? between : "");
    text_add(out, start, (size_t)(end - start));
    text_char(out, '\n');
}

const char *gather(Unit *unit, const Kernel *kernel, Text *out)
{
    Gatherer g = {.unit = unit, .arena = unit->arena};
    Text spaces = text_in(unit->arena), options = text_in(unit->arena), whole = text_in(unit->arena);
    g.imports = text_in(unit->arena);
    g.data = text_in(unit->arena);
    g.code = text_in(unit->arena);
    put_kernel(&g, kernel);
    if (g.why)
        return g.why;
    put_options(kernel->module, &options);
    add_part(&whole, &g.imports, "");
    add_part(&whole, &options, "\n");
    put_spaces(&g, true, false, &spaces);
    add_part(&whole, &spaces, "\n\n");
    add_part(&whole, &g.data, "\n");
    spaces.len = 0;
    put_spaces(&g, false, false, &spaces);
    add_part(&whole, &spaces, "\n\n");
    add_part(&whole, &g.code, "\n\n");
    text_add(out, whole.data, whole.len);
    return NULL;
}
