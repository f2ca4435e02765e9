#include "files.h"
#include "terminal.h"

#include "base/folder.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* All that is left in an open file. NULL: `why` says what is wrong. */
static char *read_open(int fd, size_t *length, const char **why)
{
    size_t cap = 65536, len = 0;
    char *data = malloc(cap);
    ssize_t got = 0;
    *why = NULL;
    while (data && !*why && (got = read(fd, data + len, cap - len)) != 0) {
        if (got < 0 && errno != EINTR)
            *why = strerror(errno);
        len += got > 0 ? (size_t)got : 0;
        if (len > LIMIT_SOURCE_SIZE)
            *why = "it is larger than 64 MiB";
        char *bigger = len < cap ? data : realloc(data, cap *= 2);
        if (!bigger)
            free(data);
        data = bigger;
    }
    *length = len;
    if (!data)
        *why = "out of memory";
    if (!*why) {
        data[len] = '\0';
        return data;
    }
    free(data);
    return NULL;
}

/* Takes the file; -1: errno says why it is not open. */
static char *read_or_tell(int fd, const char *path, size_t *length, FILE *err)
{
    const char *why = strerror(errno);
    char *data = fd >= 0 ? read_open(fd, length, &why) : NULL;
    if (!data)
        tell(err, "weft: cannot read %s: %s\n", path, why);
    if (fd > STDIN_FILENO)
        close(fd);
    return data;
}

char *read_file(const char *path, size_t *length)
{
    return read_file_or_tell(path, length, stderr);
}

char *read_file_or_tell(const char *path, size_t *length, FILE *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    return read_or_tell(is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), path, length, err);
}

/* True for the file that was found there; one that is not a link may have been replaced since. */
static bool is_as_found(int fd, const InputFile *file)
{
    struct stat info;
    bool same = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    return same && (file->origin != INPUT_LINKED || (info.st_dev == file->device && info.st_ino == file->number));
}

char *read_input(const InputFile *file, size_t *length, FILE *err)
{
    if (file->origin == INPUT_NAMED)
        return read_file_or_tell(file->path, length, err);
    int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (file->origin == INPUT_FOUND ? O_NOFOLLOW : 0));
    if (fd >= 0 && !is_as_found(fd, file)) {
        close(fd);
        tell(err, "weft: cannot read %s: it is another file than when its folder was searched\n", file->path);
        return NULL;
    }
    return read_or_tell(fd, file->path, length, err);
}

void end_without_memory(void)
{
    static const char message[] = "weft: out of memory\n";
    (void)!write(STDERR_FILENO, message, sizeof message - 1);
    _Exit(EXIT_FAILURE);
}

void put_text(const Text *text, FILE *file)
{
    if (text->failed)
        end_without_memory();
    if (text->len) /* an empty one may have no memory */
        fwrite(text->data, 1, text->len, file);
}

void put_json_line(Text *text, FILE *file)
{
    text_char(text, '\n');
    put_text(text, file);
    text_free(text);
}

bool make_folder(const char *path)
{
    if (make_folder_path(path))
        return true;
    tell(stderr, "weft: %s: %s\n", path, strerror(errno));
    return false;
}

char *read_regular(const char *path, int flags, size_t *length)
{
    struct stat info;
    const char *why;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
    if (file < 0)
        return NULL;
    bool is_regular = fstat(file, &info) == 0 && S_ISREG(info.st_mode);
    char *text = is_regular ? read_open(file, length, &why) : NULL;
    close(file);
    return text;
}
