/* The folders that files of a project may lie in. A link is followed only where it leads to one of them: what lies elsewhere is
 * not the project's. */
#ifndef WEFT_CLI_ROOTS_H
#define WEFT_CLI_ROOTS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Roots {
    char **folders; /* absolute, without links */
    size_t count, cap;
} Roots;

/* The folder itself. One that is not there is left out. False: out of memory. */
bool roots_add(Roots *roots, const char *folder);
/* The project that the folder is in: the nearest folder upwards with .git, pyproject.toml, setup.cfg or setup.py; without one,
 * the outermost package around it, or the folder itself. */
bool roots_add_project(Roots *roots, const char *folder);
void roots_free(Roots *roots);

/* Does the path, absolute and without links, lie in one of the folders? */
bool roots_hold(const Roots *roots, const char *path);
/* Where a file, given by any absolute path, is read: to be freed. NULL: it is not there; or, with `*is_outside`, it is reached by a
 * link that leads out of all folders. */
char *roots_find(const Roots *roots, const char *path, bool *is_outside);

#endif
