#include "roots.h"

#include "base/array.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

static bool is_in(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    len -= len == 1; /* "/" */
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || !path[len]);
}

bool roots_hold(const Roots *roots, const char *path)
{
    for (size_t i = 0; i < roots->count; i++)
        if (is_in(path, roots->folders[i]))
            return true;
    return false;
}

/* Takes the folder; NULL: it is not there. */
static bool add_real(Roots *roots, char *folder)
{
    if (!folder || roots_hold(roots, folder)) {
        free(folder);
        return true;
    }
    if (!ARRAY_ROOM(roots->folders, roots->count, roots->cap)) {
        free(folder);
        return false;
    }
    roots->folders[roots->count++] = folder;
    return true;
}

bool roots_add(Roots *roots, const char *folder)
{
    return add_real(roots, realpath(folder, NULL));
}

static bool has(const char *folder, const char *name)
{
    char path[PATH_MAX + 32];
    struct stat info;
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && lstat(path, &info) == 0;
}

static bool is_marked(const char *folder)
{
    static const char *const marks[] = {".git", "pyproject.toml", "setup.cfg", "setup.py"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (has(folder, marks[i]))
            return true;
    return false;
}

/* Cuts a path to the folder above; false: there is none. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || !path[1])
        return false;
    slash[slash == path] = '\0';
    return true;
}

bool roots_add_project(Roots *roots, const char *folder)
{
    char *real = realpath(folder, NULL);
    if (!real || roots_hold(roots, real))
        return add_real(roots, real);
    char *at = strdup(real);
    bool found = false;
    for (bool more = at != NULL; more && !found; more = !found && go_up(at))
        found = is_marked(at);
    if (found) {
        free(real);
        return add_real(roots, at);
    }
    free(at);
    for (char *slash = real; has(real, "__init__.py") && (slash = strrchr(real, '/')) && slash > real;) {
        *slash = '\0';
        bool is_package = has(real, "__init__.py");
        if (!is_package) {
            *slash = '/';
            break;
        }
    }
    return add_real(roots, real);
}

void roots_free(Roots *roots)
{
    for (size_t i = 0; i < roots->count; i++)
        free(roots->folders[i]);
    free(roots->folders);
    *roots = (Roots){0};
}

/* A file of a folder above a root says where packages and projects begin. */
static bool is_above(const Roots *roots, const char *path, const char *real)
{
    struct stat info;
    const char *slash = strrchr(real, '/');
    size_t len = slash ? (size_t)(slash - real) : 0;
    for (size_t i = 0; i < roots->count; i++)
        if (strncmp(roots->folders[i], real, len) == 0 && (!len || roots->folders[i][len] == '/'))
            return lstat(path, &info) == 0 && S_ISREG(info.st_mode);
    return false;
}

char *roots_find(const Roots *roots, const char *path, bool *is_outside)
{
    char *real = realpath(path, NULL);
    *is_outside = real && strcmp(real, path) != 0 && !roots_hold(roots, real) && !is_above(roots, path, real);
    if (!*is_outside)
        return real;
    free(real);
    return NULL;
}
