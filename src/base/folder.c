#include "base/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool make_folder_path(const char *path)
{
    char *part = strdup(path);
    if (!part)
        return false;
    for (char *at = part; *at; at++)
        if (*at == '/' && at > part) {
            *at = '\0';
            mkdir(part, 0777); /* if it fails, so does the last one */
            *at = '/';
        }
    free(part);
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}
