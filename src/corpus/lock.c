/* One writer per folder.
 *
 * flock ends with the process, so a killed one leaves nothing. Some file systems lack it; there, a file that only one
 * process can make is the lock, and names that process. A killed process leaves the file. Only the user can know that
 * the process is gone, and so must remove the file. */
#include "base/folder.h"
#include "base/safe_file.h"
#include "corpus/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static void describe_process(char text[200])
{
    char host[100] = "";
    gethostname(host, sizeof host - 1);
    snprintf(text, 200, "%ld %s\n", (long)getpid(), host);
}

static bool make_lock_file(int dir_fd, const char *dir, CorpusError *error)
{
    char text[200];
    int fd = openat(dir_fd, LOCK_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return corpus_fail(error, "another run is writing to %s; if there is none, remove %s/" LOCK_NAME, dir, dir);
    if (fd < 0)
        return corpus_fail(error, "cannot lock %s: %s", dir, strerror(errno));
    describe_process(text);
    bool written = write_fully(fd, text, strlen(text));
    int why = errno;
    close(fd);
    if (written)
        return true;
    unlinkat(dir_fd, LOCK_NAME, 0);
    return corpus_fail(error, "cannot lock %s: %s", dir, strerror(why));
}

static bool lock_folder(int dir_fd, const char *dir, bool *by_file, CorpusError *error)
{
    int failed;
    *by_file = false;
    do
        failed = flock(dir_fd, LOCK_EX | LOCK_NB);
    while (failed && errno == EINTR);
    if (!failed)
        return true;
    if (errno == EWOULDBLOCK)
        return corpus_fail(error, "another run is writing to %s", dir);
    return *by_file = make_lock_file(dir_fd, dir, error);
}

int folder_open(const char *dir, CorpusError *error)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        corpus_fail(error, "cannot open the folder %s: %s", dir, strerror(errno));
    return fd;
}

int folder_open_locked(const char *dir, bool *by_file, CorpusError *error)
{
    if (!make_folder_path(dir)) {
        corpus_fail(error, "cannot make the folder %s: %s", dir, strerror(errno));
        return -1;
    }
    int fd = folder_open(dir, error);
    if (fd >= 0 && !lock_folder(fd, dir, by_file, error)) {
        close(fd);
        return -1;
    }
    return fd;
}

void folder_unlock(int dir_fd, bool by_file)
{
    if (by_file)
        unlinkat(dir_fd, LOCK_NAME, 0);
    close(dir_fd);
}
