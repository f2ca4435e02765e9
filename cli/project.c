#include "project.h"
#include "files.h"
#include "terminal.h"

#include "base/array.h"
#include "pipeline.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *read_imported(void *user, const char *path, size_t *length)
{
    Project *project = user;
    bool is_outside;
    char *real = roots_find(&project->roots, path, &is_outside);
    bool is_there = is_outside || (real && !is_folder(real));
    char *text = real ? read_regular(real, O_NOFOLLOW, length) : NULL;
    free(real);
    if (!text)
        *length = is_there;
    if (text && ARRAY_ROOM(project->texts, project->count, project->cap))
        return project->texts[project->count++] = text;
    free(text);
    return NULL;
}

/* "make" of "make(4)", "k" of "k: float". */
static char *first_name(const char *text)
{
    size_t skip = strspn(text, " "), len = 0;
    while (isalnum((unsigned char)text[skip + len]) || text[skip + len] == '_')
        len++;
    return strndup(text + skip, len);
}

static bool add_call(Project *project, const char *text, bool must_be)
{
    char *name = first_name(text);
    bool done = name && input_files_add_call(project->files, name, text, must_be);
    free(name);
    return done;
}

/* NAME: TYPES is wp.overload(NAME, [TYPES]). */
static bool add_types(Project *project, const char *text, bool must_be)
{
    char *name = first_name(text), *call = NULL;
    const char *colon = strchr(text, ':');
    bool done = name && asprintf(&call, "wp.overload(%s, [%s])", name, colon ? colon + 1 : "") >= 0 &&
                input_files_add_call(project->files, name, call, must_be);
    free(name);
    free(call);
    return done;
}

bool project_open(Project *project, const Imports *imports, const Inputs *inputs)
{
    *project = (Project){0};
    char *folder = getcwd(NULL, 0);
    project->files = weft_files_new(folder ? folder : "/", read_imported, project);
    free(folder);
    bool done = project->files != NULL;
    for (size_t i = 0; done && i < imports->folders.count; i++)
        done = weft_files_add(project->files, imports->folders.items[i]) &&
               roots_add(&project->roots, imports->folders.items[i]);
    for (size_t i = 0; done && i < imports->calls.count; i++)
        done = add_call(project, imports->calls.items[i], inputs->count == 1);
    for (size_t i = 0; done && i < imports->types.count; i++)
        done = add_types(project, imports->types.items[i], inputs->count == 1);
    for (size_t i = 0; done && i < inputs->roots.count; i++)
        done = roots_add(&project->roots, inputs->roots.folders[i]);
    for (size_t i = 0; done && i < imports->facts.count; i++)
        if (!read_facts(project->files, imports->facts.items[i])) {
            project_close(project);
            return false;
        }
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
    free(project->folder);
    roots_free(&project->roots);
    *project = (Project){0};
}

/* The folder of a path; NULL: out of memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
}

WeftFiles *project_files(Project *project, const char *path)
{
    char *folder = strcmp(path, "-") == 0 ? NULL : folder_of(path);
    if (!folder)
        return NULL;
    if (!project->folder || strcmp(project->folder, folder) != 0)
        roots_add_project(&project->roots, folder); /* without it, links are not followed */
    free(project->folder);
    project->folder = folder;
    return project->files;
}
