#include "args.h"
#include "files.h"
#include "interrupt.h"
#include "terminal.h"

#include "base/safe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool is_same_file(const char *path, const char *other)
{
    struct stat one, two;
    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

static bool fail(Output *output, int why)
{
    tell(stderr, "weft: cannot write %s: %s\n", output->path, strerror(why));
    free(output->target);
    free(output->aside);
    *output = (Output){0};
    return false;
}

static bool open_at_once(Output *output)
{
    output->file = fopen(output->path, "wb");
    return output->file || fail(output, errno);
}

/* A new file next to the target, with the permissions of the old one. */
static FILE *open_aside(Output *output, const struct stat *old)
{
    const char *name = strrchr(output->target, '/');
    size_t folder = name ? (size_t)(name + 1 - output->target) : 0, size = strlen(output->target) + 40;
    output->aside = malloc(size);
    if (!output->aside)
        return NULL;
    snprintf(output->aside, size, "%.*s.%s.%ld", (int)folder, output->target, output->target + folder, (long)getpid());
    int fd = file_create(AT_FDCWD, output->aside);
    if (fd < 0)
        return NULL;
    FILE *file = !old || fchmod(fd, old->st_mode & 0777) == 0 ? fdopen(fd, "wb") : NULL;
    if (!file) {
        int why = errno;
        unlink(output->aside);
        close(fd);
        errno = why;
    }
    return file;
}

bool open_output(Output *output, const char *path)
{
    struct stat info;
    *output = (Output){.path = path};
    if (!path || strcmp(path, "-") == 0) {
        output->file = stdout;
        return true;
    }
    bool exists = stat(path, &info) == 0;
    if (exists ? !S_ISREG(info.st_mode) : lstat(path, &info) == 0) /* a device, or a link to what is not there yet */
        return open_at_once(output);
    if (exists && access(path, W_OK) != 0)
        return fail(output, errno);
    output->target = exists ? realpath(path, NULL) : strdup(path); /* a link stays one */
    if (!output->target)
        return fail(output, errno);
    output->file = open_aside(output, exists ? &info : NULL);
    if (output->file)
        return true;
    int why = errno;
    free(output->aside);
    free(output->target);
    output->aside = output->target = NULL;
    return exists && why == EACCES ? open_at_once(output)
                                   : fail(output, why); /* one may write the file, not the folder */
}

bool close_output(Output *output)
{
    if (output->file == stdout)
        return true; /* main() closes it, and sees what could not be written */
    int why = fflush(output->file) != 0 || ferror(output->file) ? (errno ? errno : EIO) : 0;
    if (fclose(output->file) != 0 && !why)
        why = errno;
    if (!why && output->aside && rename(output->aside, output->target) != 0)
        why = errno;
    if (why && output->aside)
        unlink(output->aside);
    if (why)
        return fail(output, why);
    free(output->target);
    free(output->aside);
    *output = (Output){0};
    return true;
}

void drop_output(Output *output)
{
    if (output->file == stdout)
        return;
    fclose(output->file);
    if (output->aside)
        unlink(output->aside);
    free(output->target);
    free(output->aside);
    *output = (Output){0};
}

int settle_output(Output *output, const char *command, bool done, const char *error)
{
    if (done || (!error[0] && !interrupt_code()))
        return close_output(output) && done ? EXIT_DONE : EXIT_FOUND;
    drop_output(output);
    if (!error[0])
        return interrupt_code();
    tell(stderr, "weft %s: %s\n", command, error);
    return EXIT_FOUND;
}
