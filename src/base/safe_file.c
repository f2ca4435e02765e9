#include "base/safe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool write_fully(int fd, const char *bytes, size_t len)
{
    while (len) {
        ssize_t done = write(fd, bytes, len);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            errno = done ? errno : EIO;
            return false;
        }
        bytes += done;
        len -= (size_t)done;
    }
    return true;
}

int file_create(int dir_fd, const char *name)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(dir_fd, name, flags, 0666);
    if (fd < 0 && errno == EEXIST && unlinkat(dir_fd, name, 0) == 0)
        fd = openat(dir_fd, name, flags, 0666);
    return fd;
}

/* Closes the file and returns -1 unless it is a regular one. */
static int only_regular(int fd, bool alone)
{
    struct stat info;
    if (fd < 0)
        return -1;
    int why = fstat(fd, &info) != 0 ? errno : !S_ISREG(info.st_mode) || (alone && info.st_nlink > 1) ? ELOOP : 0;
    if (!why)
        return fd;
    close(fd);
    errno = why;
    return -1;
}

int file_open_own(int dir_fd, const char *name)
{
    return only_regular(openat(dir_fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), true);
}

int file_open_regular(int dir_fd, const char *name)
{
    return only_regular(openat(dir_fd, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC), false);
}

bool file_replace(int dir_fd, const char *name, const char *bytes, size_t len)
{
    char aside[NAME_MAX + 1];
    if (snprintf(aside, sizeof aside, "%s.tmp", name) >= (int)sizeof aside) {
        errno = ENAMETOOLONG;
        return false;
    }
    int fd = file_create(dir_fd, aside);
    if (fd < 0)
        return false;
    int why = write_fully(fd, bytes, len) && fsync(fd) == 0 ? 0 : errno;
    if (close(fd) != 0 && !why)
        why = errno;
    if (!why && renameat(dir_fd, aside, dir_fd, name) != 0)
        why = errno;
    if (why) {
        unlinkat(dir_fd, aside, 0);
        errno = why;
        return false;
    }
    return fsync(dir_fd) == 0;
}

int folder_open_below(int dir_fd, const char *name)
{
    if (mkdirat(dir_fd, name, 0777) != 0 && errno != EEXIST)
        return -1;
    return openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool is_plain_name(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    return name[0] && name[0] != '.' && !name[strspn(name, allowed)];
}

void defuse(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++)
        if (*at < 0x20 || *at == 0x7f)
            *at = '?';
        else if (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0) /* the same as two bytes of UTF-8 */
            at[0] = at[1] = '?';
}
