#include "inputs.h"
#include "ignore.h"
#include "kernel_names.h"
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

static void lack_memory(Inputs *inputs)
{
    if (!inputs->failed)
        tell(stderr, "weft: out of memory\n");
    inputs->failed = true;
}

/* Takes the path, which is NULL where there was no memory for it. */
static void add_file(Inputs *inputs, char *path, InputOrigin origin, const struct stat *info)
{
    if (path && ARRAY_ROOM(inputs->files, inputs->count, inputs->cap)) {
        InputFile file = {.path = path, .origin = origin};
        if (info) {
            file.device = info->st_dev;
            file.number = info->st_ino;
        }
        inputs->files[inputs->count++] = file;
        return;
    }
    free(path);
    lack_memory(inputs);
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
    return strcmp(((const InputFile *)a)->path, ((const InputFile *)b)->path);
}

static bool is_python(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".py") == 0;
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

static const char *kind_of(mode_t mode)
{
    return S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : S_ISDIR(mode) ? "a folder" : "a device";
}

static void tell_passed_over(const char *path, const char *how, const char *what)
{
    tell(stderr, "weft: %s is passed over: it is %s%s\n", path, how, what);
}

/* The target of a link; NULL: it does not count, and a message says why unless that is plain. */
static bool follow_link(const Inputs *inputs, const char *path, struct stat *info)
{
    char *real = realpath(path, NULL);
    bool is_there = real && stat(real, info) == 0, is_inside = is_there && roots_hold(&inputs->roots, real);
    bool is_file = is_there && S_ISREG(info->st_mode), is_inner = is_there && S_ISDIR(info->st_mode);
    bool is_named_python = is_python(path);
    if (!is_there && is_named_python)
        tell_passed_over(path, "a link to ", "nothing");
    else if (is_there && !is_file && !is_inner && is_named_python)
        tell_passed_over(path, "a link to ", kind_of(info->st_mode));
    else if (is_there && !is_inside && (is_named_python || is_inner))
        tell_passed_over(path, "a link that leads out of the project, to ", real);
    free(real);
    return is_file && is_inside && is_named_python;
}

/* Takes the path of an entry, as it is shown. */
static void search_entry(Inputs *inputs, const Folder *folder, char *path)
{
    struct stat info;
    bool is_there = lstat(path, &info) == 0, is_link = is_there && S_ISLNK(info.st_mode);
    bool is_inner = is_there && S_ISDIR(info.st_mode), is_file = is_there && S_ISREG(info.st_mode);
    bool is_looked_at = is_inner || is_link || (is_there && is_python(path));
    char *absolute = is_looked_at ? join(folder->absolute, strrchr(path, '/') + 1) : NULL;
    bool is_left_out = absolute && is_ignored(&folder->rules, absolute, is_inner);
    inputs->left_out |= is_left_out;
    if (is_looked_at && !absolute)
        lack_memory(inputs);
    else if (is_inner && !is_left_out)
        search_below(inputs, path, absolute, &folder->rules);
    free(absolute);
    bool is_wanted = is_looked_at && !is_inner && !is_left_out;
    if (is_wanted && is_link)
        is_wanted = follow_link(inputs, path, &info);
    else if (is_wanted && !is_file) {
        tell_passed_over(path, kind_of(info.st_mode), "");
        is_wanted = false;
    }
    if (is_wanted)
        add_file(inputs, path, is_link ? INPUT_LINKED : INPUT_FOUND, &info);
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
            add_file(&entries, join(folder->shown, entry->d_name), INPUT_FOUND, NULL);
    closedir(list);
    if (entries.count)
        qsort(entries.files, entries.count, sizeof *entries.files, by_name);
    inputs->failed |= entries.failed;
    for (size_t i = 0; i < entries.count; i++)
        search_entry(inputs, folder, entries.files[i].path);
    free(entries.files);
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

/* ---- what has two names ---- */

static int by_identity(const void *a, const void *b)
{
    const InputFile *one = *(InputFile *const *)a, *two = *(InputFile *const *)b;
    if (one->device != two->device)
        return one->device < two->device ? -1 : 1;
    if (one->number != two->number)
        return one->number < two->number ? -1 : 1;
    if (one->origin != two->origin)
        return one->origin < two->origin ? -1 : 1;
    return one < two ? -1 : one > two;
}

/* Drops links among the files from `first` on whose file is there by name, or by an earlier link. */
static void drop_second_names(Inputs *inputs, size_t first)
{
    size_t count = inputs->count - first, kept = first;
    InputFile **sorted = count ? malloc(count * sizeof *sorted) : NULL;
    if (count && !sorted)
        lack_memory(inputs);
    for (size_t i = 0; sorted && i < count; i++)
        sorted[i] = &inputs->files[first + i];
    if (sorted)
        qsort(sorted, count, sizeof(InputFile *), by_identity);
    for (size_t i = count; sorted && i-- > 1;) {
        const InputFile *before = sorted[i - 1];
        if (sorted[i]->origin == INPUT_LINKED && sorted[i]->device == before->device &&
            sorted[i]->number == before->number) {
            free(sorted[i]->path);
            sorted[i]->path = NULL;
        }
    }
    for (size_t i = first; i < inputs->count; i++)
        if (inputs->files[i].path)
            inputs->files[kept++] = inputs->files[i];
    inputs->count = kept;
    free(sorted);
}

/* ---- all operands ---- */

static void search_whole(Inputs *inputs, const char *operand)
{
    size_t before = inputs->count;
    inputs->left_out = false;
    if (!roots_add_project(&inputs->roots, operand))
        lack_memory(inputs);
    search_operand(inputs, operand);
    drop_second_names(inputs, before);
}

void inputs_find(Inputs *inputs, char *const *operands, size_t count)
{
    memset(inputs, 0, sizeof *inputs);
    for (size_t i = 0; i < count; i++) {
        size_t before = inputs->count;
        if (!is_folder(operands[i])) {
            add_file(inputs, strdup(operands[i]), INPUT_NAMED, NULL);
            continue;
        }
        bool failed_before = inputs->failed;
        inputs->failed = false;
        search_whole(inputs, operands[i]);
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
        free(inputs->files[i].path);
    free(inputs->files);
    roots_free(&inputs->roots);
    memset(inputs, 0, sizeof *inputs);
}

enum { MOST_NAMES = 64 };

static bool is_name_of(const char *at, size_t length, const char *key, const char *name)
{
    size_t key_length = strlen(key);
    bool is_key = length == key_length && memcmp(at, key, length) == 0;
    bool is_full = name ? strlen(name) == length && memcmp(at, name, length) == 0
                        : length == key_length + 9 && memcmp(at, key, key_length) == 0 && at[key_length] == '_';
    return is_key || is_full;
}

NamesMet names_met(const char *list, const char *key, const char *name)
{
    NamesMet met = 0, bit = 1;
    size_t length;
    for (const char *at = list; at && key && bit; at = at[length] ? at + length + 1 : NULL, bit <<= 1) {
        length = strcspn(at, ",");
        if (is_name_of(at, length, key, name))
            met |= bit;
    }
    return met;
}

/* The first name of the rest of a list that was not met; NULL: there is none. */
static const char *missing_name(const char *list, NamesMet *met, size_t *length)
{
    for (const char *at = list; at; at = at[*length] ? at + *length + 1 : NULL) {
        bool is_met = *met & 1;
        *length = strcspn(at, ",");
        *met = *met >> 1 | (NamesMet)1 << (MOST_NAMES - 1);
        if (!is_met)
            return at;
    }
    return NULL;
}

bool is_name_missing(const char *list, NamesMet met)
{
    size_t length;
    return missing_name(list, &met, &length) != NULL;
}

static void tell_no_kernel(const Inputs *inputs, const char *name, size_t length, FILE *json)
{
    const char *path = inputs->count == 1 ? inputs->files[0].path : NULL;
    char message[600];
    int shown = length > 400 ? 400 : (int)length;
    snprintf(message, sizeof message, "there is no kernel%s%.*s%s%s", name ? " '" : "", shown, name ? name : "",
             name ? "'" : "", path ? "" : " in any of the files");
    tell(stderr, "%s: error: %s\n", path ? path : "weft", message);
    if (json)
        print_refusal_record(json, path, &(WeftError){.message = message, .line = 1, .column = 1});
}

int no_kernel(const Inputs *inputs, const char *list, NamesMet met, FILE *json)
{
    size_t length = 0;
    const char *name = missing_name(list, &met, &length);
    do {
        tell_no_kernel(inputs, name, length, json);
        if (name && name[length])
            name = missing_name(name + length + 1, &met, &length);
        else
            name = NULL;
    } while (name);
    if (list && inputs->count == 1)
        tell_kernel_names(&inputs->files[0]);
    return EXIT_FOUND;
}
