#include "inputs.h"
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

/* The folder is read and closed before those in it are, so that depth costs no open files. */
static void search(Inputs *inputs, const char *folder)
{
    Inputs entries = {0};
    DIR *list = opendir(folder);
    if (!list) {
        tell(stderr, "weft: cannot read %s: %s\n", folder, strerror(errno));
        inputs->failed = true;
        return;
    }
    for (struct dirent *entry; (entry = readdir(list));)
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "__pycache__") != 0)
            add_path(&entries, join(folder, entry->d_name));
    closedir(list);
    if (entries.count)
        qsort(entries.paths, entries.count, sizeof *entries.paths, by_name);
    inputs->failed |= entries.failed;
    for (size_t i = 0; i < entries.count; i++) {
        char *path = entries.paths[i];
        if (is_real_folder(path)) {
            search(inputs, path);
            free(path);
        } else if (is_python(path) && !is_folder(path))
            add_path(inputs, path);
        else
            free(path);
    }
    free(entries.paths);
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
        search(inputs, operands[i]);
        if (!inputs->failed && inputs->count == before) {
            tell(stderr, "weft: there are no .py files in %s\n", operands[i]);
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
