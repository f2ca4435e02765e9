/* Imports: modules that weft knows, and the other files of a project, loaded in the order in which Python would load them.
 *
 * A module is known by its dotted name, as in Python's sys.modules: its file is run once, and a file that imports itself in a
 * circle sees what is there by then. */
#include "front/static_impl.h"

#include <string.h>

typedef enum PackageKind { FOLLOWED, DEFINES_FUNCTIONS, WITHOUT_KERNELS } PackageKind;

static const struct {
    PackageKind kind;
    const char *name;
} packages[] = {
#define PACKAGE(kind, name) {kind, name},
#include "front/packages.def"
#undef PACKAGE
};

/* Is it the package, or inside of it? */
static bool is_within(const char *package, const char *name)
{
    size_t len = strlen(package);
    return strncmp(name, package, len) == 0 && (name[len] == '.' || !name[len]);
}

static bool is_package_of(PackageKind kind, const char *name)
{
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (packages[i].kind == kind && is_within(packages[i].name, name))
            return true;
    return false;
}

static bool is_of_warp(const char *name)
{
    return is_within("warp", name);
}

/* Is it left alone, even if its file could be found? */
static bool is_not_followed(const char *name)
{
    return !is_package_of(FOLLOWED, name) && (is_of_warp(name) || is_package_of(WITHOUT_KERNELS, name));
}

/* ---- finding ---- */

/* The file of module `name` in a folder. NULL: there is none; `package` gets the folder of a package. */
static const StoredFile *file_in(Unit *unit, const char *folder, const char *name, const char **package)
{
    const char *stem = path_join(unit->arena, folder, name);
    const StoredFile *file = files_find(unit->files, path_join(unit->arena, stem, "__init__.py"));
    *package = file ? stem : NULL;
    return file ? file : files_find(unit->files, arena_format(unit->arena, "%s.py", stem));
}

static bool has_module(Unit *unit, const char *folder, const char *name)
{
    const char *package;
    return file_in(unit, folder, name, &package) != NULL;
}

/* Looked for when an import first needs it: most files import nothing but Warp. */
static const ProjectRoots *project_of(Unit *unit)
{
    if (!unit->project)
        unit->project = files_project_roots(unit->files, unit->folder);
    return unit->project;
}

/* Where modules without a parent are looked for, one after the other; NULL: no more. */
static const char *root_at(Unit *unit, uint32_t index)
{
    if (!index)
        return unit->root;
    const ProjectRoots *project = project_of(unit);
    index--;
    if (index < project->count)
        return project->roots[index];
    index -= project->count;
    return index < unit->files->root_count ? unit->files->roots[index] : NULL;
}

static File *module_slot(Unit *unit, const char *name)
{
    const TableSlot *slot = table_find(&unit->modules, name_cstr(unit->names, name));
    return slot ? slot->item : NULL;
}

static File *add_module(Unit *unit, const char *name, File *file)
{
    file->module_name = name;
    table_add(&unit->modules, unit->arena, name_cstr(unit->names, name))->item = file;
    return file;
}

static File *new_file(Unit *unit, const char *name, const StoredFile *stored, const char *package)
{
    File *file = file_new(unit, &stored->source);
    file->module = stored->module;
    file->parsed = stored->module != NULL;
    file->folder = package ? package : path_folder(unit->arena, stored->path);
    file->is_package = package != NULL;
    if (!file->parsed)
        file->unfollowed = arena_format(unit->arena, "%s has a syntax error in line %u", stored->source.path,
                                        source_position(&stored->source, stored->errors.first->offset).line);
    return add_module(unit, name, file);
}

/* A folder without an __init__.py. */
static File *new_namespace(Unit *unit, const char *name, const char *folder)
{
    Source *source = ARENA_NEW(unit->arena, Source);
    *source = (Source){folder, "", 0};
    File *file = file_new(unit, source);
    file->folder = folder;
    file->is_package = true;
    file->state = FILE_LOADED;
    return add_module(unit, name, file);
}

/* `within`: what is to be imported from it; a folder without an __init__.py is a package only then. NULL: not there. */
static File *find_in_folder(Unit *unit, const char *name, const char *last, const char *folder, const char *within)
{
    const char *package;
    const StoredFile *stored = file_in(unit, folder, last, &package);
    if (stored)
        return new_file(unit, name, stored, package);
    const char *inner = path_join(unit->arena, folder, last);
    return within && has_module(unit, inner, within) ? new_namespace(unit, name, inner) : NULL;
}

static File *find_in_roots(Unit *unit, const char *name, const char *within)
{
    const char *root;
    File *file = NULL;
    for (uint32_t i = 0; !file && (root = root_at(unit, i)); i++)
        file = find_in_folder(unit, name, name, root, NULL);
    for (uint32_t i = 0; !file && within && (root = root_at(unit, i)); i++)
        file = find_in_folder(unit, name, name, root, within);
    return file;
}

/* Modules of Warp, and others within a package that is not followed, lie in its folder, wherever that is; those around them are not loaded. */
static File *find_inside(Unit *unit, const char *name, const char *within)
{
    const char *last = strrchr(name, '.') + 1, *root;
    File *file = NULL;
    for (uint32_t i = 0; !file && (root = root_at(unit, i)); i++) {
        char *folder = arena_format(unit->arena, "%s/%.*s", root, (int)(last - 1 - name), name);
        for (char *c = folder + strlen(root); *c; c++)
            *c = *c == '.' ? '/' : *c;
        file = find_in_folder(unit, name, last, folder, within);
    }
    return file;
}

static File *import_name(Unit *unit, const char *name, const char *within, uint32_t depth);

static File *find_module(Unit *unit, const char *name, const char *within, uint32_t depth)
{
    const char *dot = strrchr(name, '.');
    if (!dot)
        return find_in_roots(unit, name, within);
    const char *parent_name = arena_strndup(unit->arena, name, (size_t)(dot - name));
    if (is_not_followed(parent_name))
        return find_inside(unit, name, within);
    const File *parent = import_name(unit, parent_name, dot + 1, depth + 1);
    File *file = module_slot(unit, name); /* the parent may have imported it */
    if (file || !parent || !parent->is_package)
        return file;
    return find_in_folder(unit, name, dot + 1, parent->folder, within);
}

/* ---- loading ---- */

static void bind_in_parent(Unit *unit, const File *file)
{
    const char *dot = strrchr(file->module_name, '.');
    if (!dot)
        return;
    const File *parent =
        module_slot(unit, arena_strndup(unit->arena, file->module_name, (size_t)(dot - file->module_name)));
    if (parent)
        scope_bind(unit, parent->globals, name_cstr(unit->names, dot + 1), value_file(unit->arena, file));
}

/* What a run of statements counts and reports is the file's own. */
static void load_in_turn(Unit *unit, File *file)
{
    uint32_t steps = unit->steps, step_limit = unit->step_limit, eval_depth = unit->eval_depth,
             call_depth = unit->call_depth;
    DiagList diags;
    File *running = unit->running;
    allow_file_steps(unit, file->source);
    unit->eval_depth = unit->call_depth = 0;
    diags_move(&diags, &unit->diags);
    unit->running = file;
    unit->import_depth++;
    file_run(unit, file);
    unit->import_depth--;
    unit->steps = steps;
    unit->step_limit = step_limit;
    unit->eval_depth = eval_depth;
    unit->call_depth = call_depth;
    diags_move(&file->diags, &unit->diags);
    diags_move(&unit->diags, &diags);
    unit->running = running;
}

static void load_module(Unit *unit, File *file)
{
    if (file->state != FILE_NEW)
        return;
    file->state = FILE_LOADING;
    if (unit->import_depth >= LIMIT_IMPORTS)
        file->unfollowed = arena_format(unit->arena, "more than %d files import each other in a row", LIMIT_IMPORTS);
    else if (file->parsed || file == unit->main)
        load_in_turn(unit, file);
    file->state = FILE_LOADED;
    bind_in_parent(unit, file);
}

/* NULL: it is not among the files that can be read. */
static File *import_name(Unit *unit, const char *name, const char *within, uint32_t depth)
{
    if (!unit->files || depth > LIMIT_PATH || is_not_followed(name))
        return NULL;
    File *file = module_slot(unit, name);
    if (!file)
        file = find_module(unit, name, within, depth);
    if (file)
        load_module(unit, file);
    return file;
}

/* ---- modules as values ---- */

/* A file that would be the module's, but was not read. NULL: there is none. */
static const char *unread_file(Unit *unit, const char *name)
{
    const char *root;
    for (uint32_t i = 0; unit->files && !is_not_followed(name) && (root = root_at(unit, i)); i++) {
        char *stem = arena_format(unit->arena, "%s/%s", strcmp(root, "/") ? root : "", name);
        for (char *c = stem + strlen(stem) - strlen(name); *c; c++)
            *c = *c == '.' ? '/' : *c;
        const char *paths[] = {path_join(unit->arena, stem, "__init__.py"), arena_format(unit->arena, "%s.py", stem)};
        for (int k = 0; k < 2; k++)
            if (files_is_unread(unit->files, paths[k]))
                return paths[k];
    }
    return NULL;
}

bool is_followed_package(Unit *unit, const char *module, Name name)
{
    return is_package_of(FOLLOWED, arena_format(unit->arena, "%s.%s", module, name->text));
}

/* Of a package that has nothing of Warp. */
static const Value *outside_module(Unit *unit, const Value *why)
{
    Value *value = ARENA_NEW(unit->arena, Value);
    *value = *why;
    value->outside = true;
    return value;
}

static const Value *not_found(Unit *unit, const char *name)
{
    const char *unread = unread_file(unit, name);
    if (!unread && is_of_warp(name) && import_of_warp(unit, name))
        return value_unknown(unit->arena, "weft does not know what is in module '%s'", name);
    if (unit->files && (unread || is_package_of(DEFINES_FUNCTIONS, name)) && !unit->not_read)
        unit->not_read = name;
    unit->imports_missed++;
    if (unread)
        return value_unknown(
            unit->arena, "module '%s' is not read: %s is no regular file, is too large, or leads out of the project",
            name, unread);
    if (!unit->files)
        return value_unknown(unit->arena, "module '%s' is not part of this file, and other files are not read", name);
    if (is_not_followed(name))
        return value_unknown(unit->arena, "weft does not know what is in module '%s'", name);
    return value_unknown(unit->arena, "module '%s' is not found among the files of the project", name);
}

/* A module that is known by facts about it. NULL: there are none. */
static File *module_of_facts(Unit *unit, const char *name)
{
    if (!unit->files || !has_known_facts(unit, name))
        return NULL;
    bool given;
    File *file = module_slot(unit, name);
    if (!file)
        file = new_namespace(unit, name, name);
    bind_known_facts(unit, file, &given);
    if (is_package_of(DEFINES_FUNCTIONS, name) && !unit->not_read)
        unit->not_read = name;
    unit->imports_missed += !given; /* it may be there where the program runs, or not */
    return file;
}

/* A name of a module that is known by facts: a module inside of it, or none. */
static const Value *fact_inside(Unit *unit, const File *file, Name name)
{
    File *inner = module_of_facts(unit, arena_format(unit->arena, "%s.%s", file->module_name, name->text));
    if (inner)
        return value_file(unit->arena, inner);
    const Value *value =
        value_unknown(unit->arena, "weft has no facts about '%s' of module '%s'", name->text, file->module_name);
    return is_package_of(WITHOUT_KERNELS, file->module_name) ? outside_module(unit, value) : value;
}

static const Value *imported_module(Unit *unit, const char *name, const char *within)
{
    const char *known = known_module(name);
    if (known)
        return value_known_module(unit->arena, known);
    const File *file = import_name(unit, name, within, 0);
    if (!file)
        file = module_of_facts(unit, name);
    const Value *missing = file ? NULL : not_found(unit, name);
    if (!missing)
        return value_file(unit->arena, file);
    return is_package_of(WITHOUT_KERNELS, name) && is_not_followed(name) ? outside_module(unit, missing) : missing;
}

void run_import(Unit *unit, const Node *node, Scope *scope)
{
    for (uint32_t i = 0; i < node->import.names.count; i++) {
        const Node *alias = node->import.names.items[i];
        Name name = alias->alias.name;
        const char *dot = strchr(name->text, '.');
        const Value *value = imported_module(unit, name->text, NULL);
        if (!alias->alias.asname && dot) { /* the first part is bound; the others are its attributes */
            name = name_of(unit->names, name->text, (size_t)(dot - name->text));
            value = imported_module(unit, name->text, NULL);
        }
        scope_bind(unit, scope, alias->alias.asname ? alias->alias.asname : name, value);
    }
}

/* The dotted name of `from ..a.b import`, seen from a file; "" is the folder of a file that is in no package, which may be one
 * without an __init__.py. NULL: it leads out of all packages. */
static const char *absolute_name(Unit *unit, const File *file, const Node *node)
{
    const char *module = node->import_from.module ? node->import_from.module->text : NULL;
    if (!node->import_from.level)
        return module;
    if (!unit->files)
        return NULL;
    size_t len = strlen(file->module_name);
    for (int64_t up = (int64_t)node->import_from.level - file->is_package; up > 0; up--) {
        if (!len)
            return NULL;
        while (len && file->module_name[len - 1] != '.')
            len--;
        len -= len > 0;
    }
    if (!len || !module)
        return module ? module : arena_strndup(unit->arena, file->module_name, len);
    return arena_format(unit->arena, "%.*s.%s", (int)len, file->module_name, module);
}

const Value *file_attribute(Unit *unit, const File *file, Name name)
{
    const Value *value = scope_find_here(file->globals, name);
    if (value)
        return value;
    if (file->unfollowed)
        return value_unknown(unit->arena, "%s", file->unfollowed);
    if (file->has_facts)
        return fact_inside(unit, file, name);
    if (file->star_import)
        return value_unknown(unit->arena,
                             "'%s' may come from 'from %s import *' in %s, whose names weft does not all know",
                             name->text, file->star_import, file->source->path);
    if (file->state == FILE_LOADING)
        return value_unknown(unit->arena, "%s does not define '%s' before it is imported in a circle",
                             file->source->path, name->text);
    return value_unknown(unit->arena, "weft finds no '%s' in %s", name->text, file->source->path);
}

/* A name of the file, or a module of the package. */
static const Value *imported_from_file(Unit *unit, const File *file, Name name)
{
    const Value *value = scope_find_here(file->globals, name);
    if (!value && file->is_package) {
        const File *module =
            import_name(unit, arena_format(unit->arena, "%s.%s", file->module_name, name->text), NULL, 0);
        value = module ? value_file(unit->arena, module) : NULL;
    }
    return value ? value : file_attribute(unit, file, name);
}

/* from FILE import *: what __all__ names, or all without an underscore. */
static void import_all(Unit *unit, const File *file, Scope *scope)
{
    static const char all[] = "__all__";
    const Value *names = scope_find_here(file->globals, name_cstr(unit->names, all));
    bool is_list = names && (names->kind == VALUE_LIST || names->kind == VALUE_TUPLE);
    if (file->unfollowed || file->has_facts || file->star_import || (names && !is_list))
        scope->file->star_import = file->module_name;
    for (uint32_t i = 0; is_list && i < names->sequence.count; i++) {
        const Value *item = names->sequence.items[i];
        if (item->kind != VALUE_STR) {
            scope->file->star_import = file->module_name;
            continue;
        }
        Name name = name_of(unit->names, item->str.text, item->str.len);
        scope_bind(unit, scope, name, imported_from_file(unit, file, name));
    }
    uint32_t count = file->globals->count;
    for (uint32_t i = 0; !names && i < count; i++)
        if (file->globals->bindings[i].name->text[0] != '_')
            scope_bind(unit, scope, file->globals->bindings[i].name, file->globals->bindings[i].value);
}

static const Value *imported_from_known(Unit *unit, const char *module, Name name)
{
    const Value *value = module_attribute(unit, module, name);
    if (value && value->kind != VALUE_UNKNOWN)
        return value;
    const char *full = arena_format(unit->arena, "%s.%s", module, name->text); /* from warp import fem */
    if (is_package_of(FOLLOWED, full))
        return imported_module(unit, full, NULL);
    return value ? value : value_unknown(unit->arena, "weft does not know '%s.%s'", module, name->text);
}

static void import_star(Unit *unit, const Value *module, const char *name, Scope *scope)
{
    if (module && module->kind == VALUE_FILE) {
        import_all(unit, module->file, scope);
        return;
    }
    scope->file->star_import = name && *name ? name : "a package";
    if (module && module->kind == VALUE_MODULE && strcmp(module->module, "warp") == 0)
        import_warp_names(unit, scope);
}

static const Value *missing_name(Unit *unit, Name name, const Value *module)
{
    const Value *value =
        unit->files
            ? value_unknown(unit->arena, "'%s' is imported, but %s", name->text, module->reason)
            : value_unknown(unit->arena, "'%s' is imported from a module that is not part of this file", name->text);
    return module->outside ? outside_module(unit, value) : value;
}

void run_import_from(Unit *unit, const Node *node, Scope *scope)
{
    const NodeList *names = &node->import_from.names;
    const char *name = absolute_name(unit, scope->file, node);
    if (name && strcmp(name, "__future__") == 0)
        return;
    const Value *module = !name ? value_unknown(unit->arena, "the import leads out of the packages that the file is in")
                          : *name ? imported_module(unit, name, names->items[0]->alias.name->text)
                                  : NULL;
    for (uint32_t i = 0; i < names->count; i++) {
        const Node *alias = names->items[i];
        Name wanted = alias->alias.name;
        const Value *value;
        if (name_is(wanted, "*")) {
            import_star(unit, module, name, scope);
            continue;
        }
        if (!module)
            value = imported_module(unit, wanted->text, NULL);
        else if (module->kind == VALUE_FILE)
            value = imported_from_file(unit, module->file, wanted);
        else if (module->kind == VALUE_MODULE)
            value = imported_from_known(unit, module->module, wanted);
        else
            value = missing_name(unit, wanted, module);
        scope_bind(unit, scope, alias->alias.asname ? alias->alias.asname : wanted, value);
    }
}

/* ---- the file whose kernels are compiled ---- */

/* Its dotted name, from the folder at which its package begins. */
static const char *name_below(Unit *unit, const char *root, const char *path)
{
    size_t len = strlen(root), skip = strcmp(root, "/") == 0 ? 1 : len + 1;
    char *name = arena_strndup(unit->arena, path + skip, strlen(path + skip));
    size_t size = strlen(name);
    if (size > 3 && strcmp(name + size - 3, ".py") == 0)
        name[size - 3] = '\0';
    for (char *c = name; *c; c++)
        *c = *c == '/' ? '.' : *c;
    static const char init[] = ".__init__";
    size = strlen(name);
    if (size > sizeof init - 1 && strcmp(name + size - (sizeof init - 1), init) == 0)
        name[size - (sizeof init - 1)] = '\0';
    return name;
}

/* The packages around the file, from the outermost on; the folders are there, with or without an __init__.py. */
static void import_parents(Unit *unit, const char *name)
{
    for (const char *dot = strchr(name, '.'), *next; dot; dot = next) {
        next = strchr(dot + 1, '.');
        const char *parent = arena_strndup(unit->arena, name, (size_t)(dot - name));
        size_t size = next ? (size_t)(next - dot - 1) : strlen(dot + 1);
        if (known_module(parent) || import_name(unit, parent, arena_strndup(unit->arena, dot + 1, size), 0))
            continue;
        char *folder = arena_format(unit->arena, "%s%s%s", unit->root, strcmp(unit->root, "/") ? "/" : "", parent);
        for (char *c = folder + strlen(unit->root); *c; c++)
            *c = *c == '.' ? '/' : *c;
        if (!module_slot(unit, parent))
            new_namespace(unit, parent, folder);
    }
}

static void load_main(Unit *unit, const char *path)
{
    File *file = unit->main;
    const char *name = name_below(unit, unit->root, path);
    size_t len = strlen(path);
    file->folder = path_folder(unit->arena, path);
    file->is_package = len > 12 && strcmp(path + len - 12, "/__init__.py") == 0;
    add_module(unit, name, file);
    import_parents(unit, name);
    load_module(unit, file);
}

void import_main(Unit *unit)
{
    const char *path = files_absolute(unit->files, unit->main->source->path);
    unit->folder = path_folder(unit->arena, path);
    unit->root = files_package_root(unit->files, unit->folder);
    load_main(unit, path);
    diags_move(&unit->diags, &unit->main->diags);
}

/* ---- one file of a package after the other ---- */

static bool same_roots(const ProjectRoots *a, const ProjectRoots *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = strcmp(a->roots[i], b->roots[i]) == 0;
    return same;
}

/* What is said about the file names it as the caller does. */
static void take_source(File *file, const Source *source)
{
    for (Diag *diag = file->diags.first; diag; diag = diag->next)
        if (diag->source == file->source)
            diag->source = source;
    file->source = source;
}

bool unit_enter(Unit *unit, const Source *source)
{
    const StoredFile *stored = stored_file(unit, source);
    if (!stored || !stored->module ||
        !same_roots(project_of(unit), files_project_roots(unit->files, path_folder(unit->arena, stored->path))))
        return false;
    File *file = module_slot(unit, name_below(unit, unit->root, stored->path));
    if (file && file->source != &stored->source) /* a.py beside a/__init__.py */
        return false;
    diags_move(&unit->main->diags, &unit->diags);
    if (file)
        take_source(file, source);
    unit->main = unit->running = file ? file : file_new(unit, source);
    if (!file) {
        unit->main->module = stored->module;
        unit->main->parsed = true;
        load_main(unit, stored->path);
    }
    diags_move(&unit->diags, &unit->main->diags);
    return true;
}
