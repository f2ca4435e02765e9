#include "inputs.h"
#include "ignore.h"
#include "report.h"
#include "terminal.h"

#include "base/array.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Takes the path, which is NULL where there was no memory for it. */
static void add_path(Inputs *inputs, char *path)
{
    if (path && ARRAY_ROOM(inputs->paths, inputs->count, inputs->cap)) {
        inputs->paths[inputs->count++] = path;
        return;
    }
    free(path);
    if (!inputs->failed)
        tell(stderr, "weft: out of memory\n");
    inputs->failed = true;
}

static char *join(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    char *path = NULL;
    if (asprintf(&path, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/", name) < 0)
        return NULL;
    return path;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_python(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".py") == 0;
}

static bool is_real_folder(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* A folder to search: as it is shown, and where it is, with what is left out. */
typedef struct Folder {
    const char *shown, *absolute;
    IgnoreRules rules;
} Folder;

static void search(Inputs *inputs, const Folder *folder);

static void search_below(Inputs *inputs, const char *shown, const char *absolute, const IgnoreRules *above)
{
    Folder folder = {.shown = shown, .absolute = absolute};
    ignore_read(&folder.rules, absolute, above);
    search(inputs, &folder);
    ignore_free(&folder.rules);
}

/* Takes the path of an entry, as it is shown. */
static void search_entry(Inputs *inputs, const Folder *folder, char *path)
{
    bool is_inner = is_real_folder(path);
    bool is_wanted = is_inner || (is_python(path) && !is_folder(path));
    char *absolute = is_wanted ? join(folder->absolute, strrchr(path, '/') + 1) : NULL;
    bool is_left_out = is_wanted && absolute && is_ignored(&folder->rules, absolute, is_inner);
    inputs->left_out |= is_left_out;
    if (is_wanted && !absolute)
        add_path(inputs, NULL);
    else if (is_inner && !is_left_out)
        search_below(inputs, path, absolute, &folder->rules);
    free(absolute);
    if (is_wanted && !is_inner && !is_left_out)
        add_path(inputs, path);
    else
        free(path);
}

/* The folder is read and closed before those in it are, so that depth costs no open files. */
static void search(Inputs *inputs, const Folder *folder)
{
    Inputs entries = {0};
    DIR *list = opendir(folder->shown);
    if (!list) {
        tell(stderr, "weft: cannot read %s: %s\n", folder->shown, strerror(errno));
        inputs->failed = true;
        return;
    }
    for (struct dirent *entry; (entry = readdir(list));)
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "__pycache__") != 0)
            add_path(&entries, join(folder->shown, entry->d_name));
    closedir(list);
    if (entries.count)
        qsort(entries.paths, entries.count, sizeof *entries.paths, by_name);
    inputs->failed |= entries.failed;
    for (size_t i = 0; i < entries.count; i++)
        search_entry(inputs, folder, entries.paths[i]);
    free(entries.paths);
}

static bool has_git(const char *folder)
{
    struct stat info;
    char *path = join(folder, ".git");
    bool found = path && stat(path, &info) == 0;
    free(path);
    return found;
}

/* The folders above one that is named: outermost first, from that of the repository on. Outside of one, they have no say. */
static void search_operand(Inputs *inputs, const char *shown)
{
    enum { DEEPEST = 64 };
    IgnoreRules rules[DEEPEST];
    char *folders[DEEPEST];
    size_t count = 0, known = 0;
    char *absolute = realpath(shown, NULL);
    if (!absolute) {
        search_below(inputs, shown, shown, NULL); /* which says what is wrong with it */
        return;
    }
    bool in_repository = has_git(absolute);
    for (const char *at = absolute, *slash; !in_repository && count < DEEPEST && (slash = strrchr(at, '/'));) {
        char *above = strndup(at, slash == at ? 1 : (size_t)(slash - at));
        if (!above)
            break;
        folders[count++] = above;
        in_repository = has_git(above);
        if (slash == at)
            break;
        at = above;
    }
    for (size_t i = in_repository ? count : 0; i > 0; i--, known++)
        ignore_read(&rules[known], folders[i - 1], known ? &rules[known - 1] : NULL);
    search_below(inputs, shown, absolute, known ? &rules[known - 1] : NULL);
    for (size_t i = 0; i < known; i++)
        ignore_free(&rules[i]);
    for (size_t i = 0; i < count; i++)
        free(folders[i]);
    free(absolute);
}

void inputs_find(Inputs *inputs, char *const *operands, size_t count)
{
    memset(inputs, 0, sizeof *inputs);
    for (size_t i = 0; i < count; i++) {
        size_t before = inputs->count;
        if (!is_folder(operands[i])) {
            add_path(inputs, strdup(operands[i]));
            continue;
        }
        bool failed_before = inputs->failed;
        inputs->failed = false;
        inputs->left_out = false;
        search_operand(inputs, operands[i]);
        if (!inputs->failed && inputs->count == before) {
            tell(stderr, "weft: there are no .py files in %s%s\n", operands[i],
                 inputs->left_out ? " that .gitignore does not leave out" : "");
            inputs->failed = true;
        }
        inputs->failed |= failed_before;
    }
}

void inputs_free(Inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        free(inputs->paths[i]);
    free(inputs->paths);
    memset(inputs, 0, sizeof *inputs);
}

int no_kernel(const Inputs *inputs, const char *kernel, FILE *json)
{
    const char *path = inputs->count == 1 ? inputs->paths[0] : NULL;
    char message[600];
    snprintf(message, sizeof message, "there is no kernel%s%.400s%s%s", kernel ? " '" : "", kernel ? kernel : "",
             kernel ? "'" : "", path ? "" : " in any of the files");
    tell(stderr, "%s: error: %s\n", path ? path : "weft", message);
    if (json)
        print_refusal_record(json, path, &(WeftError){.message = message, .line = 1, .column = 1});
    return EXIT_FOUND;
}
