/* One process in the sandbox: started, fed, listened to, and ended. */
#include "judge/sandbox_process.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { GRACE_SECONDS = 10 };

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
        sandbox_close_file(&listening->pipes.ours[TO_INPUT]);
}

/* Bytes beyond `most` are lost; false: there were some. */
bool sandbox_take(int *fd, Text *into, size_t most)
{
    char piece[65536];
    ssize_t got = read(*fd, piece, sizeof piece);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        sandbox_close_file(fd);
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
    if (polled[FROM_STATUS].revents && !sandbox_take(&pipes->ours[FROM_STATUS], &listening->statuses, 4096))
        return false;
    if (polled[FROM_MESSAGES].revents)
        sandbox_take(&pipes->ours[FROM_MESSAGES], &listening->result->messages, MOST_MESSAGES);
    if (polled[FROM_RESULTS].revents &&
        !sandbox_take(&pipes->ours[FROM_RESULTS], &listening->result->results, listening->most)) {
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
    double seconds = job->limits.compile_seconds + 2 * job->limits.run_seconds + GRACE_SECONDS;
    pid_t child;
    *result = (SandboxResult){.end = SANDBOX_DONE};
    job_write_passes(job, &listening.request);
    if (listening.request.failed || !sandbox_start(sandbox, SANDBOX_PLAIN, &listening.pipes, &child))
        result->end = SANDBOX_FAILED;
    else {
        listen_to(&listening, sandbox, clock_seconds() + seconds);
        sandbox_end(sandbox, child, result->end != SANDBOX_DONE);
        read_statuses(&listening);
        sandbox_close_pipes(&listening.pipes);
    }
    if (listening.statuses.failed || result->messages.failed || result->results.failed)
        result->end = SANDBOX_FAILED;
    text_free(&listening.request);
    text_free(&listening.statuses);
}

void sandbox_result_free(SandboxResult *result)
{
    text_free(&result->messages);
    text_free(&result->results);
}
