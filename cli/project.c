#include "project.h"
#include "files.h"
#include "terminal.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
