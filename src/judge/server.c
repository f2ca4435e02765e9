#include "judge/server.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

enum { START_SECONDS = 60 };

typedef struct Exchange {
    Server *server;
    Text request, statuses;
    size_t sent, most;
    double until;
    const atomic_int *stop;
    SandboxResult *result;
} Exchange;

static void send_more(Exchange *exchange)
{
    ssize_t put = send(exchange->server->pipes.ours[TO_INPUT], exchange->request.data + exchange->sent,
                       exchange->request.len - exchange->sent, MSG_NOSIGNAL);
    if (put > 0)
        exchange->sent += (size_t)put;
    else if (errno != EAGAIN && errno != EINTR)
        exchange->sent = exchange->request.len; /* it is gone: its silence will tell */
}

/* False: it took longer than it may, or wrote more, or the user wants to end. */
static bool take_all(Exchange *exchange, int wait)
{
    int *ours = exchange->server->pipes.ours;
    SandboxResult *result = exchange->result;
    bool sends = exchange->sent < exchange->request.len;
    struct pollfd polled[CHANNELS];
    for (int i = 0; i < CHANNELS; i++)
        polled[i] = (struct pollfd){.fd = i == TO_INPUT && !sends ? -1 : ours[i], .events = POLLIN};
    polled[TO_INPUT].events = POLLOUT;
    if (poll(polled, CHANNELS, wait) <= 0)
        return true;
    if (polled[TO_INPUT].revents)
        send_more(exchange);
    if (polled[FROM_RESULTS].revents && !sandbox_take(&ours[FROM_RESULTS], &result->results, exchange->most)) {
        result->end = SANDBOX_OVERFLOW;
        return false;
    }
    if (polled[FROM_MESSAGES].revents)
        sandbox_take(&ours[FROM_MESSAGES], &result->messages, MOST_MESSAGES);
    if (polled[FROM_STATUS].revents)
        sandbox_take(&ours[FROM_STATUS], &exchange->statuses, sizeof(JobStatus));
    return true;
}

/* Until a status has come; what was written before it is there by then, and is taken, too. */
static void listen_for_status(Exchange *exchange)
{
    SandboxResult *result = exchange->result;
    int *ours = exchange->server->pipes.ours;
    while (exchange->statuses.len < sizeof(JobStatus) && result->end == SANDBOX_DONE) {
        double left = exchange->until - clock_seconds();
        if (exchange->stop && *exchange->stop)
            result->end = SANDBOX_STOPPED;
        else if (left <= 0)
            result->end = SANDBOX_TIMEOUT;
        else if (take_all(exchange, left < 0.2 ? (int)(left * 1000) + 1 : 200) && ours[FROM_STATUS] < 0 &&
                 exchange->statuses.len < sizeof(JobStatus))
            result->end = SANDBOX_BROKEN;
    }
    for (size_t before = (size_t)-1;
         result->end == SANDBOX_DONE && before != result->results.len + result->messages.len;) {
        before = result->results.len + result->messages.len;
        take_all(exchange, 0);
    }
    if (result->end == SANDBOX_DONE)
        memcpy(&result->status, exchange->statuses.data, sizeof result->status);
    if (result->end == SANDBOX_DONE && result->status.magic != JOB_MAGIC)
        result->end = SANDBOX_BROKEN;
}

void server_end(Server *server)
{
    if (server->is_alive) {
        sandbox_close_pipes(&server->pipes);
        sandbox_end(server->sandbox, server->child, true);
    }
    server->is_alive = false;
}

void server_exchange(Server *server, const Job *job, size_t most, double seconds, SandboxResult *result)
{
    Exchange exchange = {.server = server, .most = most, .until = clock_seconds() + seconds, .result = result};
    exchange.stop = server->sandbox->stop;
    text_init(&exchange.request);
    text_init(&exchange.statuses);
    if (job)
        job_write_request(job, &exchange.request);
    if (exchange.request.failed)
        result->end = SANDBOX_FAILED;
    else
        listen_for_status(&exchange);
    if (exchange.statuses.failed || result->messages.failed || result->results.failed)
        result->end = SANDBOX_FAILED;
    if (result->end != SANDBOX_DONE || result->status.leaves)
        server_end(server);
    text_free(&exchange.request);
    text_free(&exchange.statuses);
}

bool server_start(Server *server, const Sandbox *sandbox, SandboxKind kind, SandboxResult *result)
{
    *result = (SandboxResult){.end = SANDBOX_DONE};
    *server = (Server){.sandbox = sandbox};
    if (!sandbox_start(sandbox, kind, &server->pipes, &server->child)) {
        result->end = SANDBOX_FAILED;
        return false;
    }
    server->is_alive = true;
    server_exchange(server, NULL, 0, START_SECONDS, result);
    if (result->end == SANDBOX_DONE && result->status.stage == JOB_STARTED)
        return true;
    server_end(server);
    return false;
}
