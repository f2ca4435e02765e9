/* One process in the sandbox: started, fed, listened to, and ended. */
#include "judge/sandbox.h"

#include "base/clock.h"
#include "judge/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGS = 80, GRACE_SECONDS = 10 };
#define SCRATCH_BYTES "201326592" /* of the folder in memory */

/* ---- the command ---- */

typedef struct Arguments {
    const char *items[MOST_ARGS];
    size_t count;
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

static void build_command(const Sandbox *sandbox, Arguments *args)
{
    add(args, sandbox->bwrap, "--unshare-all", "--die-with-parent");
    add(args, "--new-session", "--clearenv", NULL);
    add(args, "--uid", "65534", NULL);
    add(args, "--gid", "65534", NULL);
    add(args, "--hostname", "judge", NULL);
    add(args, "--cap-drop", "ALL", NULL);
    add(args, "--ro-bind", "/usr", "/usr");
    add_system_folder(args, "/lib", "usr/lib");
    add_system_folder(args, "/lib64", "usr/lib64");
    add_system_folder(args, "/bin", "usr/bin");
    add(args, "--dev", "/dev", NULL);
    add(args, "--ro-bind", sandbox->program, "/judge/weft");
    if (sandbox->folder[0])
        add(args, "--ro-bind", sandbox->folder, "/judge/include");
    if (sandbox->warp_include[0])
        add(args, "--ro-bind", sandbox->warp_include, "/judge/warp");
    add(args, "--size", SCRATCH_BYTES, NULL);
    add(args, "--tmpfs", "/tmp", NULL);
    add(args, "--remount-ro", "/", NULL);
    add(args, "--chdir", "/tmp", NULL);
    add(args, "--setenv", "PATH", "/usr/bin:/bin");
    add(args, "--", "/judge/weft", INSIDE_WORD);
    args->items[args->count] = NULL;
}

/* ---- pipes ---- */

typedef enum Channel { TO_INPUT, FROM_STATUS, FROM_MESSAGES, FROM_RESULTS, CHANNELS } Channel;

typedef struct Pipes {
    int ours[CHANNELS], theirs[CHANNELS];
} Pipes;

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

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_pipes(Pipes *pipes)
{
    for (int i = 0; i < CHANNELS; i++) {
        close_end(&pipes->ours[i]);
        close_end(&pipes->theirs[i]);
    }
}

static bool start(const Sandbox *sandbox, Pipes *pipes, pid_t *child)
{
    Arguments args = {.count = 0};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char *const environment[] = {NULL};
    sigset_t none, usual;
    build_command(sandbox, &args);
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
        close_end(&pipes->theirs[i]);
    return started;
}

/* ---- listening ---- */

typedef struct Listening {
    Pipes pipes;
    Text request, statuses;
    size_t sent, most;
    SandboxResult *result;
} Listening;

static void send_more(Listening *listening)
{
    ssize_t put = send(listening->pipes.ours[TO_INPUT], listening->request.data + listening->sent,
                       listening->request.len - listening->sent, MSG_NOSIGNAL);
    if (put > 0)
        listening->sent += (size_t)put;
    if ((put < 0 && errno != EAGAIN && errno != EINTR) || listening->sent == listening->request.len)
        close_end(&listening->pipes.ours[TO_INPUT]);
}

/* What goes beyond `most` is lost; false: something did. */
static bool take_more(int *fd, Text *into, size_t most)
{
    char piece[65536];
    ssize_t got = read(*fd, piece, sizeof piece);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        close_end(fd);
    size_t room = into->len < most ? most - into->len : 0;
    if (got > 0)
        text_add(into, piece, (size_t)got < room ? (size_t)got : room);
    return got <= 0 || (size_t)got <= room;
}

/* False: no more is to be expected, or wanted. */
static bool listen_once(Listening *listening, double seconds_left)
{
    Pipes *pipes = &listening->pipes;
    struct pollfd polled[CHANNELS];
    bool any = false;
    for (int i = 0; i < CHANNELS; i++) {
        polled[i] = (struct pollfd){.fd = pipes->ours[i], .events = i == TO_INPUT ? POLLOUT : POLLIN};
        any |= i != TO_INPUT && pipes->ours[i] >= 0;
    }
    int wait = seconds_left < 0.2 ? (int)(seconds_left * 1000) + 1 : 200;
    if (!any || (poll(polled, CHANNELS, wait) < 0 && errno != EINTR))
        return false;
    if (polled[TO_INPUT].revents)
        send_more(listening);
    if (polled[FROM_STATUS].revents && !take_more(&pipes->ours[FROM_STATUS], &listening->statuses, 4096))
        return false;
    if (polled[FROM_MESSAGES].revents)
        take_more(&pipes->ours[FROM_MESSAGES], &listening->result->messages, MOST_MESSAGES);
    if (polled[FROM_RESULTS].revents &&
        !take_more(&pipes->ours[FROM_RESULTS], &listening->result->results, listening->most)) {
        listening->result->end = SANDBOX_OVERFLOW;
        return false;
    }
    return true;
}

static void read_statuses(Listening *listening)
{
    SandboxResult *result = listening->result;
    for (size_t at = 0; at + sizeof result->status <= listening->statuses.len; at += sizeof result->status) {
        JobStatus status;
        memcpy(&status, listening->statuses.data + at, sizeof status);
        if (status.magic != JOB_MAGIC)
            break;
        result->status = status;
        result->compiled |= status.stage == JOB_COMPILED;
    }
    bool ended = result->status.stage == JOB_REFUSED || result->status.stage == JOB_RAN;
    if (result->end == SANDBOX_DONE && !(result->status.magic == JOB_MAGIC && ended))
        result->end = SANDBOX_BROKEN;
}

static void end_child(pid_t child, bool at_once)
{
    int status;
    if (at_once)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
}

static void listen_to(Listening *listening, const Sandbox *sandbox, double until)
{
    SandboxResult *result = listening->result;
    for (;;) {
        double left = until - clock_seconds();
        if (sandbox->stop && *sandbox->stop)
            result->end = SANDBOX_STOPPED;
        else if (left <= 0)
            result->end = SANDBOX_TIMEOUT;
        if (result->end != SANDBOX_DONE || !listen_once(listening, left))
            return;
    }
}

void sandbox_run(const Sandbox *sandbox, const Job *job, size_t most, SandboxResult *result)
{
    Listening listening = {.result = result, .most = most};
    double seconds = job->limits.compile_seconds + job->limits.run_seconds + GRACE_SECONDS;
    pid_t child;
    *result = (SandboxResult){.end = SANDBOX_DONE};
    job_write(job, &listening.request);
    if (listening.request.failed || !open_pipes(&listening.pipes) || !start(sandbox, &listening.pipes, &child))
        result->end = SANDBOX_FAILED;
    else {
        listen_to(&listening, sandbox, clock_seconds() + seconds);
        end_child(child, result->end != SANDBOX_DONE);
        read_statuses(&listening);
    }
    if (listening.statuses.failed || result->messages.failed || result->results.failed)
        result->end = SANDBOX_FAILED;
    close_pipes(&listening.pipes);
    text_free(&listening.request);
    text_free(&listening.statuses);
}

void sandbox_result_free(SandboxResult *result)
{
    text_free(&result->messages);
    text_free(&result->results);
}
