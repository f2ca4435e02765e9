#include "base/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A new folder is there after a power cut only if the one above it was synced. */
static bool sync_above(const char *path)
{
    char *above = strdup(path);
    if (!above)
        return false;
    size_t len = strlen(above);
    while (len > 1 && above[len - 1] == '/')
        above[--len] = '\0';
    char *slash = strrchr(above, '/');
    if (slash)
        slash[slash == above] = '\0';
    int fd = open(slash ? above : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(above);
    if (fd < 0)
        return errno == EACCES; /* one may write to a folder that one may not read */
    bool synced = fsync(fd) == 0 || errno == EINVAL;
    int why = errno;
    close(fd);
    errno = why;
    return synced;
}

static bool make_one(const char *path)
{
    if (mkdir(path, 0777) == 0)
        return sync_above(path);
    return errno == EEXIST;
}

bool make_folder_path(const char *path)
{
    char *part = strdup(path);
    if (!part)
        return false;
    for (char *at = part; *at; at++)
        if (*at == '/' && at > part) {
            *at = '\0';
            make_one(part); /* if it fails, so does the last one */
            *at = '/';
        }
    free(part);
    return make_one(path);
}
