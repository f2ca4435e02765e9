/* Folders that are finished as a whole or not at all. A marker stays until the end; the next run clears the rest of
 * an unfinished one. */
#include "base/safe_file.h"
#include "corpus/writer.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool folder_is_unfinished(int dir_fd)
{
    struct stat info;
    return fstatat(dir_fd, UNFINISHED_NAME, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode);
}

/* train-00000.parquet.part, details-train-00000-of-00004.ndjson.zst, README.md.tmp: names that a run gives. */
static bool is_leftover(const char *name)
{
    name += strncmp(name, DETAILS_PREFIX, strlen(DETAILS_PREFIX)) == 0 ? strlen(DETAILS_PREFIX) : 0;
    for (int split = 0; split < SPLIT_COUNT; split++) {
        size_t len = strlen(split_name((Split)split));
        if (strncmp(name, split_name((Split)split), len) == 0 && name[len] == '-' &&
            isdigit((unsigned char)name[len + 1]))
            return strstr(name, ".jsonl") || strstr(name, ".ndjson") || strstr(name, ".parquet");
    }
    return is_companion_name(name) && strcmp(name, LOCK_NAME) != 0;
}

static bool clear_files(int dir_fd, const char *dir, CorpusError *error)
{
    error->message[0] = 0;
    DIR *list = folder_list(dir_fd, dir, error);
    for (const char *name; list && (name = folder_next(list, dir, error));)
        if (is_leftover(name) && unlinkat(dir_fd, name, 0) != 0)
            corpus_fail(error, "cannot remove %s/%s: %s", dir, name, strerror(errno));
    if (list)
        closedir(list);
    return !error->message[0];
}

/* Also those of folders in it, which go where they are empty then. */
static bool clear_leftovers(int dir_fd, const char *dir, CorpusError *error)
{
    DIR *list = clear_files(dir_fd, dir, error) ? folder_list(dir_fd, dir, error) : NULL;
    for (const char *name; list && (name = folder_next(list, dir, error));) {
        int below = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below < 0)
            continue;
        if (clear_files(below, dir, error))
            unlinkat(dir_fd, name, AT_REMOVEDIR);
        close(below);
    }
    if (list)
        closedir(list);
    return !error->message[0];
}

bool folder_begin(int dir_fd, const char *dir, const char *command, CorpusError *error)
{
    bool empty;
    char text[100];
    bool goes_on = folder_is_unfinished(dir_fd);
    if (goes_on && !clear_leftovers(dir_fd, dir, error))
        return false;
    if (!folder_is_empty(dir_fd, dir, &empty, error))
        return false;
    if (!empty)
        return corpus_fail(error,
                           goes_on ? "%s has files that weft did not write: move them away, or use another folder"
                                   : "%s is not empty: use another folder",
                           dir);
    snprintf(text, sizeof text, "weft %s has not ended here. Run the same command again.\n", command);
    return write_file_safely(dir_fd, dir, UNFINISHED_NAME, text, strlen(text), error);
}

bool folder_end(int dir_fd, const char *dir, CorpusError *error)
{
    return (unlinkat(dir_fd, UNFINISHED_NAME, 0) == 0 && fsync(dir_fd) == 0) ||
           corpus_fail(error, "cannot remove %s/" UNFINISHED_NAME ": %s", dir, strerror(errno));
}
