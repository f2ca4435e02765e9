#include "judge/cage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *const limit_names[] = {"memory.max", "memory.limit_in_bytes"}; /* of version 2, of version 1 */

static void name_group(const char *base, pid_t process, char *path, size_t size)
{
    snprintf(path, size, "%s/weft-%ld", base, (long)process);
}

static bool write_word(const char *folder, const char *name, const char *word)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, word, strlen(word)) == (ssize_t)strlen(word);
    return fd >= 0 && close(fd) == 0 && written;
}

static bool can_limit(const char *base)
{
    char group[PATH_MAX], limit[PATH_MAX + 64];
    bool can = false;
    name_group(base, getpid(), group, sizeof group);
    if (mkdir(group, 0700) != 0 && errno != EEXIST)
        return false;
    for (size_t i = 0; i < sizeof limit_names / sizeof *limit_names; i++) {
        snprintf(limit, sizeof limit, "%s/%s", group, limit_names[i]);
        can |= access(limit, W_OK) == 0;
    }
    rmdir(group);
    return can;
}

/* The group that weft itself is in, and those around it. */
static bool try_from(const char *root, const char *own, char *base, size_t size)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof path, "%s%s", root, own);
    if (len >= (int)sizeof path)
        return false;
    for (char *end = path + len; end && end >= path + strlen(root); end = strrchr(path, '/')) {
        *end = '\0';
        if (strlen(path) + 32 < size && can_limit(path)) {
            snprintf(base, size, "%s", path);
            return true;
        }
    }
    return false;
}

void cage_find(char *base, size_t size)
{
    char line[PATH_MAX];
    FILE *file = fopen("/proc/self/cgroup", "r");
    bool found = false;
    base[0] = '\0';
    while (file && !found && fgets(line, sizeof line, file)) {
        char *memory = strstr(line, ":memory:"), *all = strncmp(line, "0::", 3) == 0 ? line + 3 : NULL;
        line[strcspn(line, "\n")] = '\0';
        if (memory)
            found = try_from("/sys/fs/cgroup/memory", memory + 8, base, size);
        else if (all)
            found = try_from("/sys/fs/cgroup", all, base, size);
    }
    if (file)
        fclose(file);
}

int cage_enter(int argc, char **argv)
{
    char group[PATH_MAX], own[32];
    bool limited = false;
    if (argc < 5)
        return 1;
    name_group(argv[2], getpid(), group, sizeof group);
    snprintf(own, sizeof own, "%ld", (long)getpid());
    if (mkdir(group, 0700) == 0 || errno == EEXIST)
        for (size_t i = 0; i < sizeof limit_names / sizeof *limit_names; i++)
            limited |= write_word(group, limit_names[i], argv[3]);
    if (limited && write_word(group, "cgroup.procs", own))
        execv(argv[4], argv + 4);
    dprintf(STDERR_FILENO, "%s cannot be entered: %s\n", group, strerror(errno));
    return 1;
}

void cage_remove(const char *base, pid_t process)
{
    enum { TRIES = 50 };
    char group[PATH_MAX];
    name_group(base, process, group, sizeof group);
    for (int i = 0; i < TRIES && rmdir(group) != 0 && errno == EBUSY; i++)
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); /* its last processes are ending */
}
