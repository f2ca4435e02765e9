#include "files.h"
#include "terminal.h"

#include "base/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *read_file(const char *path, size_t *length)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    if (!file) {
        tell(stderr, "weft: cannot read %s: %s\n", path, strerror(errno));
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
        tell(stderr, "weft: cannot read %s: %s\n", path, data ? strerror(error) : "out of memory");
        free(data);
        return NULL;
    }
    *length = len;
    return data;
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
