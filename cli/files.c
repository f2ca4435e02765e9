#include "files.h"
#include "terminal.h"

#include "base/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *read_file_or_tell(const char *path, size_t *length, FILE *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    if (!file) {
        tell(err, "weft: cannot read %s: %s\n", path, strerror(errno));
        return NULL;
    }
    size_t cap = 65536, len = 0;
    char *data = malloc(cap);
    while (data) {
        len += fread(data + len, 1, cap - len, file);
        if (len < cap)
            break;
        char *bigger = cap > (size_t)1 << 40 ? NULL : realloc(data, cap *= 2);
        if (!bigger)
            free(data);
        data = bigger;
    }
    bool failed = ferror(file);
    int error = errno;
    if (!is_stdin)
        fclose(file);
    if (!data || failed) {
        tell(err, "weft: cannot read %s: %s\n", path, data ? strerror(error) : "out of memory");
        free(data);
        return NULL;
    }
    *length = len;
    return data;
}

char *read_file(const char *path, size_t *length)
{
    return read_file_or_tell(path, length, stderr);
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

enum { LARGEST = 64 << 20 }; /* of a file that is read because another speaks of it */

char *read_quietly(const char *path, size_t *length)
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
