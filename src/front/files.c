#include "front/files.h"

#include "base/limits.h"
#include "front/lexer.h"
#include "front/parser.h"

#include <string.h>

void files_init(FileStore *files, const char *folder, ReadFile *read, void *user)
{
    files->read = read;
    files->user = user;
    names_init(&files->names, &files->arena);
    watch_words(&files->names);
    files->folder = "/";
    files->folder = files_absolute(files, folder);
}

void files_free(FileStore *files)
{
    arena_free(&files->arena);
}

void files_add_root(FileStore *files, const char *folder)
{
    const char *root = files_absolute(files, folder);
    ARENA_PUSH(&files->arena, files->roots, files->root_count, files->root_cap) = root;
}

void files_add_call(FileStore *files, const char *name, const char *text, bool must_be)
{
    AskedCall *call = &ARENA_PUSH(&files->arena, files->calls, files->call_count, files->call_cap);
    size_t len = strlen(text);
    call->name = name_cstr(&files->names, name);
    call->source = (Source){"--call", arena_strndup(&files->arena, text, len), len};
    call->must_be = must_be;
}

/* ---- paths ---- */

const char *path_folder(Arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return "/";
    return arena_strndup(arena, path, (size_t)(slash - path));
}

const char *path_join(Arena *arena, const char *folder, const char *name)
{
    return arena_format(arena, "%s%s%s", folder, strcmp(folder, "/") == 0 ? "" : "/", name);
}

/* As text: a symbolic link is a name like any other, as it is to Python. */
const char *files_absolute(FileStore *files, const char *path)
{
    const char *whole = path[0] == '/' ? path : arena_format(&files->arena, "%s/%s", files->folder, path);
    char *out = arena_alloc(&files->arena, strlen(whole) + 2);
    size_t len = 0;
    for (const char *part = whole; *part;) {
        part += strspn(part, "/");
        size_t size = strcspn(part, "/");
        bool up = size == 2 && part[0] == '.' && part[1] == '.', stay = !size || (size == 1 && part[0] == '.');
        while (up && len && out[--len] != '/')
            ;
        if (!up && !stay) {
            out[len++] = '/';
            memcpy(out + len, part, size);
            len += size;
        }
        part += size;
    }
    if (!len)
        out[len++] = '/';
    out[len] = '\0';
    return out;
}

/* As a user would write it. */
static const char *shown_path(const FileStore *files, const char *path)
{
    size_t len = strlen(files->folder);
    return strncmp(path, files->folder, len) == 0 && path[len] == '/' ? path + len + 1 : path;
}

/* ---- texts and trees ---- */

static StoredFile *read_stored(FileStore *files, const char *path)
{
    size_t length = 0;
    const char *text = files->read(files->user, path, &length);
    if (!text && !length)
        return NULL;
    StoredFile *file = ARENA_NEW(&files->arena, StoredFile);
    file->path = path;
    file->is_unread = !text || length > LIMIT_SOURCE_SIZE;
    if (file->is_unread)
        return file;
    file->source = (Source){shown_path(files, path), text, length};
    diags_init(&file->errors, &files->arena);
    return file;
}

static StoredFile *find_known(FileStore *files, const char *path)
{
    Name name = name_cstr(&files->names, path);
    const TableSlot *slot = table_find(&files->files, name);
    if (slot)
        return slot->item;
    StoredFile *file = read_stored(files, name->text);
    table_add(&files->files, &files->arena, name)->item = file;
    return file;
}

static StoredFile *find_unparsed(FileStore *files, const char *path)
{
    StoredFile *file = find_known(files, path);
    return file && !file->is_unread ? file : NULL;
}

bool files_is_unread(FileStore *files, const char *path)
{
    const StoredFile *file = find_known(files, path);
    return file && file->is_unread;
}

bool files_has(FileStore *files, const char *path)
{
    return find_unparsed(files, path) != NULL;
}

const StoredFile *files_find(FileStore *files, const char *path)
{
    StoredFile *file = find_unparsed(files, path);
    if (file && !file->module && !file->errors.count) {
        Node *module = parse_module_tokens(&files->arena, &files->names, &file->source, &file->errors, NULL);
        file->module = file->errors.count ? NULL : module;
    }
    return file;
}

/* ---- where packages begin ---- */

/* The nearest folder, from this one upwards, that has one of the files; NULL: none has. */
static const char *find_upwards(FileStore *files, const char *folder, const char *const *names, size_t count)
{
    for (const char *at = folder;; at = path_folder(&files->arena, at)) {
        for (size_t i = 0; i < count; i++)
            if (files_has(files, path_join(&files->arena, at, names[i])))
                return at;
        if (strcmp(at, "/") == 0)
            return NULL;
    }
}

static const char *nearest_package(FileStore *files, const char *folder)
{
    return find_upwards(files, folder, (const char *const[]){"__init__.py"}, 1);
}

const char *files_package_root(FileStore *files, const char *folder)
{
    for (const char *package; (package = nearest_package(files, folder)) && strcmp(package, "/");)
        folder = path_folder(&files->arena, package);
    return folder;
}

const StoredFile *files_package(FileStore *files, const char *path)
{
    const char *absolute = files_absolute(files, path);
    const char *folder = path_folder(&files->arena, absolute), *root = files_package_root(files, folder);
    size_t len = strcmp(root, "/") ? strlen(root) + 1 : 1;
    const char *inside = absolute + len, *slash = strcmp(root, folder) ? strchr(inside, '/') : NULL;
    if (!slash)
        return NULL;
    return files_find(files, arena_format(&files->arena, "%.*s/__init__.py", (int)(slash - absolute), absolute));
}

/* The string after `key` and the opening of a list or table: of `where = ["lib"]`, lib. Enough of TOML for the two settings that
 * say where packages are; what is written in another way is not found, and `-I` names it. */
static const char *setting(FileStore *files, const Source *source, const char *key, const char *opening)
{
    const char *at = source->text, *end = source->text + source->len;
    size_t len = strlen(key);
    while ((at = memmem(at, (size_t)(end - at), key, len))) {
        bool starts_line = at == source->text || at[-1] == '\n';
        at += len;
        const char *expected = opening;
        for (; starts_line && *expected && at < end; at++) {
            if (*at == *expected || (*expected == '"' && *at == '\''))
                expected++;
            else if (*at != ' ')
                break;
        }
        if (!starts_line || *expected)
            continue;
        const char *from = at;
        while (at < end && *at != '"' && *at != '\'' && *at != '\n')
            at++;
        return arena_strndup(&files->arena, from, (size_t)(at - from));
    }
    return NULL;
}

static void add_project_root(ProjectRoots *roots, const char *folder)
{
    for (uint32_t i = 0; i < roots->count; i++)
        if (strcmp(roots->roots[i], folder) == 0)
            return;
    roots->roots[roots->count++] = folder;
}

static void read_project(FileStore *files, const char *folder, ProjectRoots *roots)
{
    Arena *arena = &files->arena;
    const StoredFile *project = find_unparsed(files, path_join(arena, folder, "pyproject.toml"));
    add_project_root(roots, folder);
    const char *where = project ? setting(files, &project->source, "where", "=[\"") : NULL;
    const char *package_dir = project ? setting(files, &project->source, "package-dir", "={\"\"=\"") : NULL;
    if (where)
        add_project_root(roots, files_absolute(files, path_join(arena, folder, where)));
    if (package_dir)
        add_project_root(roots, files_absolute(files, path_join(arena, folder, package_dir)));
    add_project_root(roots, path_join(arena, folder, "src"));
}

const ProjectRoots *files_project_roots(FileStore *files, const char *folder)
{
    static const char *const marks[] = {"pyproject.toml", "setup.cfg", "setup.py"};
    Name name = name_cstr(&files->names, folder);
    const TableSlot *slot = table_find(&files->projects, name);
    if (slot)
        return slot->item;
    ProjectRoots *roots = ARENA_NEW(&files->arena, ProjectRoots);
    const char *project = find_upwards(files, folder, marks, sizeof marks / sizeof *marks);
    if (project)
        read_project(files, project, roots);
    table_add(&files->projects, &files->arena, name)->item = roots;
    return roots;
}
