/* A system that fails: loaded with LD_PRELOAD, it makes the n-th call of a function fail, and writes down what was called.
 *
 *   FAIL_CALL=write FAIL_NTH=7 FAIL_HOW=ENOSPC LD_PRELOAD=build/fail_nth.so weft produce …
 *
 * FAIL_CALL: open, read, readdir, write, fsync, rename, mkdir, unlink, ftruncate, flock, malloc, pthread_create. FAIL_HOW: the name of an
 * error, or `short` (write: half of it is written, all right), or `kill`: the process ends there, as by kill -9, or `interrupt`: the
 * call is done, and the process gets a SIGINT. FAIL_NTH 0 or none: nothing fails; `all`: every call does. FAIL_LOG: a file to which every call is appended, with the name of the file it was about;
 * its last line is how often FAIL_CALL was called, where FAIL_NTH is a number that is never reached.
 * Calls that touch nothing but standard output and error or a device are left alone, and so are those of the loader before main. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

typedef enum How { HOW_ERROR, HOW_SHORT, HOW_KILL, HOW_INTERRUPT } How;

static const char *failing = "";
static long failing_nth; /* -1: all */
static How how;
static int failing_errno = EIO;
static atomic_long seen;
static int log_fd = -1;
static bool ready;

static int error_named(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } errors[] = {
        {"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EACCES", EACCES}, {"EMFILE", EMFILE},         {"EINTR", EINTR},
        {"EAGAIN", EAGAIN}, {"ENOLCK", ENOLCK}, {"EROFS", EROFS},   {"EOPNOTSUPP", EOPNOTSUPP}, {"EDQUOT", EDQUOT}};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(errors[i].name, name) == 0)
            return errors[i].number;
    return EIO;
}

__attribute__((constructor)) static void start(void)
{
    const char *call = getenv("FAIL_CALL"), *nth = getenv("FAIL_NTH"), *what = getenv("FAIL_HOW");
    const char *log = getenv("FAIL_LOG");
    failing = call ? call : "";
    failing_nth = !nth ? 0 : strcmp(nth, "all") == 0 ? -1 : atol(nth);
    how = !what                            ? HOW_ERROR
          : strcmp(what, "short") == 0     ? HOW_SHORT
          : strcmp(what, "kill") == 0      ? HOW_KILL
          : strcmp(what, "interrupt") == 0 ? HOW_INTERRUPT
                                           : HOW_ERROR;
    failing_errno = what ? error_named(what) : EIO;
    if (log)
        log_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    ready = true;
}

static void note(const char *call, const char *name, int result)
{
    char line[600];
    if (log_fd < 0)
        return;
    int len = snprintf(line, sizeof line, "%s %s %d\n", call, name, result);
    syscall(SYS_write, log_fd, line, (size_t)len);
}

/* The number of calls of FAIL_CALL is the last line of the log. */
__attribute__((destructor)) static void end(void)
{
    note("count", failing, (int)atomic_load(&seen));
}

/* Is it this call's turn? */
static bool fails(const char *call)
{
    if (!ready || strcmp(call, failing) != 0 || !failing_nth)
        return false;
    long number = atomic_fetch_add(&seen, 1) + 1;
    if (failing_nth > 0 && number != failing_nth)
        return false;
    if (how == HOW_KILL)
        syscall(SYS_kill, getpid(), SIGKILL);
    if (how == HOW_INTERRUPT) {
        syscall(SYS_kill, getpid(), SIGINT);
        return false;
    }
    errno = failing_errno;
    return true;
}

static const char *name_of(int fd, char path[300])
{
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, 299);
    path[len > 0 ? len : 0] = '\0';
    return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

static bool is_device(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t len)
{
    static ssize_t (*real)(int, const void *, size_t);
    char path[300];
    if (!real)
        real = REAL(write);
    if (fd <= STDERR_FILENO)
        return real(fd, bytes, len);
    if (fails("write")) {
        note("write!", name_of(fd, path), -1);
        if (how == HOW_SHORT)
            return real(fd, bytes, len > 1 ? len / 2 : len);
        return -1;
    }
    note("write", name_of(fd, path), 0);
    return real(fd, bytes, len);
}

ssize_t read(int fd, void *bytes, size_t len)
{
    static ssize_t (*real)(int, void *, size_t);
    char path[300];
    if (!real)
        real = REAL(read);
    const char *name = name_of(fd, path);
    if (is_device(path))
        return real(fd, bytes, len);
    bool failed = fails("read");
    note(failed ? "read!" : "read", name, 0);
    return failed ? -1 : real(fd, bytes, len);
}

struct dirent *readdir(DIR *list)
{
    static __typeof__(&readdir) real;
    if (!real)
        real = REAL(readdir);
    bool failed = fails("readdir");
    note(failed ? "readdir!" : "readdir", "", 0);
    return failed ? NULL : real(list);
}

int fsync(int fd)
{
    char path[300];
    bool failed = fails("fsync");
    note(failed ? "fsync!" : "fsync", name_of(fd, path), 0);
    return failed ? -1 : (int)syscall(SYS_fsync, fd);
}

int syncfs(int fd)
{
    char path[300];
    bool failed = fails("fsync");
    note(failed ? "syncfs!" : "syncfs", name_of(fd, path), 0);
    return failed ? -1 : (int)syscall(SYS_syncfs, fd);
}

int ftruncate(int fd, off_t size)
{
    char path[300];
    bool failed = fails("ftruncate");
    note("ftruncate", name_of(fd, path), 0);
    return failed ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int openat(int dir, const char *name, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (!is_device(name) && fails("open"))
        return -1;
    if (!is_device(name))
        note(flags & O_CREAT ? "create" : "open", name, 0);
    return (int)syscall(SYS_openat, dir, name, flags, mode);
}

int open(const char *name, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (!is_device(name) && fails("open"))
        return -1;
    if (!is_device(name))
        note(flags & O_CREAT ? "create" : "open", name, 0);
    return (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    bool failed = fails("rename");
    note(failed ? "rename!" : "rename", to, 0);
    return failed ? -1 : (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, 0);
}

int unlinkat(int dir, const char *name, int flags)
{
    bool failed = fails("unlink");
    note("unlink", name, 0);
    return failed ? -1 : (int)syscall(SYS_unlinkat, dir, name, flags);
}

int mkdir(const char *name, mode_t mode)
{
    bool failed = fails("mkdir");
    note("mkdir", name, 0);
    return failed ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, name, mode);
}

int flock(int fd, int operation)
{
    bool failed = fails("flock");
    note("flock", "", 0);
    return failed ? -1 : (int)syscall(SYS_flock, fd, operation);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    static __typeof__(&pthread_create) real;
    if (!real)
        real = REAL(pthread_create);
    return fails("pthread_create") ? EAGAIN : real(thread, attributes, run, argument);
}

/* The C library's own, under the names that it keeps for this. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
    return fails("malloc") ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails("malloc") ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails("malloc") ? NULL : __libc_realloc(old, size);
}
