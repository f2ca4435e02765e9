/* A process in the sandbox: its command, its files, its start. */
#include "judge/sandbox_process.h"

#include "judge/cage.h"
#include "judge/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGS = 160, ROOM_MB = 256 }; /* for what is written to folders in memory, and for weft itself */
/* Bytes of folders in memory: the one that answers can write to, and those of devices. */
#define SCRATCH_BYTES "201326592"
#define DEVICE_BYTES "65536"
#define SHARED_BYTES "67108864"

/* ---- the command ---- */

typedef struct Arguments {
    const char *items[MOST_ARGS];
    size_t count;
    char number[24];
} Arguments;

static void add(Arguments *args, const char *a, const char *b, const char *c)
{
    const char *const words[] = {a, b, c};
    for (size_t i = 0; i < 3; i++)
        if (words[i] && args->count < MOST_ARGS - 1)
            args->items[args->count++] = words[i];
}

/* /lib and the like are links into /usr on most systems, folders on others. */
static void add_system_folder(Arguments *args, const char *path, const char *target)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return;
    if (S_ISLNK(info.st_mode))
        add(args, "--symlink", target, path);
    else
        add(args, "--ro-bind", path, path);
}

/* Programs, libraries and headers; not what else people keep there. A compiler that lies elsewhere needs all of it. */
static void add_usr(const Sandbox *sandbox, Arguments *args)
{
    static const char *const folders[] = {
#define FOLDER(path) path,
#include "judge/usr.def"
#undef FOLDER
    };
    bool is_known = !sandbox->compiler[0];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        is_known |= strncmp(sandbox->compiler, folders[i], strlen(folders[i])) == 0 &&
                    sandbox->compiler[strlen(folders[i])] == '/';
    if (!is_known)
        add(args, "--ro-bind", "/usr", "/usr");
    for (size_t i = 0; is_known && i < sizeof folders / sizeof *folders; i++)
        if (access(folders[i], F_OK) == 0)
            add(args, "--ro-bind", folders[i], folders[i]);
}

/* No device but the one that swallows all: reading from others may never end, also in a compiler that includes them. */
static void add_devices(SandboxKind kind, Arguments *args)
{
    if (kind == SANDBOX_WITH_CARD) { /* the driver looks for more */
        add(args, "--dev", "/dev", NULL);
        add(args, "--size", SHARED_BYTES, NULL);
        add(args, "--tmpfs", "/dev/shm", NULL);
        return;
    }
    add(args, "--size", DEVICE_BYTES, NULL);
    add(args, "--tmpfs", "/dev", NULL);
    add(args, "--dev-bind", "/dev/null", "/dev/null");
    add(args, "--remount-ro", "/dev", NULL);
}

/* The parts of the system that the driver needs: its devices and their descriptions. */
static void add_card(const Sandbox *sandbox, Arguments *args)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    for (uint32_t i = 0; i < sandbox->device_count; i++)
        add(args, "--dev-bind", sandbox->devices[i], sandbox->devices[i]);
    add(args, "--proc", "/proc", NULL);
    add(args, "--ro-bind", "/sys", "/sys");
    add(args, "--ro-bind", sandbox->driver, SANDBOX_DRIVER);
    add(args, "--setenv", "LD_LIBRARY_PATH", SANDBOX_DRIVER);
    if (visible)
        add(args, "--setenv", "CUDA_VISIBLE_DEVICES", visible);
}

/* NVRTC would start the driver if it found it, which takes longer than most compilations and finds no card here. */
static void add_compiler(const Sandbox *sandbox, Arguments *args)
{
    add(args, "--ro-bind", sandbox->nvrtc, SANDBOX_CUDA);
    add(args, "--setenv", "LD_LIBRARY_PATH", SANDBOX_CUDA);
    if (strncmp(sandbox->driver_file, "/usr/", 5) == 0)
        add(args, "--ro-bind", "/dev/null", sandbox->driver_file);
}

/* Around all of it: what its processes and its folders in memory take together. */
static void add_cage(const Sandbox *sandbox, Arguments *args)
{
    const uint64_t most_mb = sandbox->memory_mb > COMPILER_MB ? sandbox->memory_mb : COMPILER_MB;
    snprintf(args->number, sizeof args->number, "%llu", (unsigned long long)(most_mb + ROOM_MB) << 20);
    add(args, sandbox->program, CAGE_WORD, sandbox->cages);
    add(args, args->number, NULL, NULL);
}

static void build_command(const Sandbox *sandbox, SandboxKind kind, Arguments *args)
{
    if (sandbox->cages[0] && kind == SANDBOX_PLAIN)
        add_cage(sandbox, args);
    add(args, sandbox->bwrap, "--unshare-all", "--die-with-parent");
    add(args, "--new-session", "--clearenv", NULL);
    add(args, "--uid", "65534", NULL);
    add(args, "--gid", "65534", NULL);
    add(args, "--hostname", "judge", NULL);
    add(args, "--cap-drop", "ALL", NULL);
    add_usr(sandbox, args);
    add_system_folder(args, "/lib", "usr/lib");
    add_system_folder(args, "/lib64", "usr/lib64");
    add_system_folder(args, "/bin", "usr/bin");
    add_devices(kind, args);
    add(args, "--ro-bind", sandbox->program, "/judge/weft");
    if (sandbox->folder[0])
        add(args, "--ro-bind", sandbox->folder, "/judge/include");
    if (sandbox->warp_include[0])
        add(args, "--ro-bind", sandbox->warp_include, "/judge/warp");
    if (kind == SANDBOX_WITH_CARD)
        add_card(sandbox, args);
    else if (kind == SANDBOX_WITH_COMPILER)
        add_compiler(sandbox, args);
    else
        add(args, "--size", SCRATCH_BYTES, NULL);
    add(args, kind == SANDBOX_PLAIN ? "--tmpfs" : "--dir", "/tmp",
        NULL); /* nothing is written but by a compiler for C++ */
    add(args, "--remount-ro", "/", NULL);
    add(args, "--chdir", "/tmp", NULL);
    add(args, "--setenv", "PATH", "/usr/bin:/bin");
    static const char *const words[] = {INSIDE_WORD, INSIDE_COMPILER_WORD, INSIDE_CARD_WORD};
    add(args, "--", "/judge/weft", words[kind]);
    args->items[args->count] = NULL;
}

/* ---- pipes ---- */

static bool open_pipes(Pipes *pipes)
{
    for (int i = 0; i < CHANNELS; i++)
        pipes->ours[i] = pipes->theirs[i] = -1;
    for (int i = 0; i < CHANNELS; i++) {
        int ends[2]; /* the input is a socket: writing to one whose reader is gone raises no signal */
        if (i == TO_INPUT ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) : pipe2(ends, O_CLOEXEC))
            return false;
        pipes->ours[i] = ends[i == TO_INPUT];
        pipes->theirs[i] = ends[i != TO_INPUT];
        fcntl(pipes->ours[i], F_SETFL, O_NONBLOCK);
    }
    return true;
}

void sandbox_close_file(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void sandbox_close_pipes(Pipes *pipes)
{
    for (int i = 0; i < CHANNELS; i++) {
        sandbox_close_file(&pipes->ours[i]);
        sandbox_close_file(&pipes->theirs[i]);
    }
}

static bool start(const Sandbox *sandbox, SandboxKind kind, Pipes *pipes, pid_t *child)
{
    Arguments args = {.count = 0};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char *const environment[] = {NULL};
    sigset_t none, usual;
    build_command(sandbox, kind, &args);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    /* first out of the way of the numbers that they get */
    for (int i = 0; i < CHANNELS; i++)
        posix_spawn_file_actions_adddup2(&actions, pipes->theirs[i], 200 + i);
    for (int i = 0; i < CHANNELS; i++) {
        posix_spawn_file_actions_adddup2(&actions, 200 + i, i);
        posix_spawn_file_actions_addclose(&actions, 200 + i);
    }
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0); /* Ctrl-C is for weft: an answer in flight is not to fail by it */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    bool started = posix_spawn(child, args.items[0], &actions, &attributes, (char *const *)(uintptr_t)args.items,
                               environment) == 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    for (int i = 0; i < CHANNELS; i++)
        sandbox_close_file(&pipes->theirs[i]);
    return started;
}

bool sandbox_start(const Sandbox *sandbox, SandboxKind kind, Pipes *pipes, pid_t *child)
{
    if (open_pipes(pipes) && start(sandbox, kind, pipes, child))
        return true;
    sandbox_close_pipes(pipes);
    return false;
}

void sandbox_end(const Sandbox *sandbox, pid_t child, bool at_once)
{
    int status;
    if (at_once)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (sandbox->cages[0])
        cage_remove(sandbox->cages, child);
}
