#include "project.h"
#include "terminal.h"

#include "base/array.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 64 << 20 }; /* of a file that is imported */

/* NULL: it is not an ordinary file, or cannot be read. */
static char *read_quietly(const char *path, size_t *length)
{
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return NULL;
    char *text = NULL;
    size_t have = 0, room = 0;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= LARGEST) {
        room = (size_t)info.st_size;
        text = malloc(room + 1);
    }
    while (text && have < room) {
        ssize_t got = read(file, text + have, room - have);
        if (got <= 0)
            break;
        have += (size_t)got;
    }
    close(file);
    *length = have;
    return text;
}

static const char *read_imported(void *user, const char *path, size_t *length)
{
    Project *project = user;
    char *text = read_quietly(path, length);
    if (text && ARRAY_ROOM(project->texts, project->count, project->cap))
        return project->texts[project->count++] = text;
    free(text);
    return NULL;
}

bool project_open(Project *project, const Words *imports)
{
    *project = (Project){0};
    char *folder = getcwd(NULL, 0);
    project->files = weft_files_new(folder ? folder : "/", read_imported, project);
    free(folder);
    bool done = project->files != NULL;
    for (size_t i = 0; done && i < imports->count; i++)
        done = weft_files_add(project->files, imports->items[i]);
    if (done)
        return true;
    tell(stderr, "weft: out of memory\n");
    project_close(project);
    return false;
}

void project_close(Project *project)
{
    weft_files_free(project->files);
    for (size_t i = 0; i < project->count; i++)
        free(project->texts[i]);
    free(project->texts);
    *project = (Project){0};
}

WeftFiles *project_files(const Project *project, const char *path)
{
    return strcmp(path, "-") == 0 ? NULL : project->files;
}
