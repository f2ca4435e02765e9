#include "judge/cards.h"

#include "base/clock.h"
#include "judge/sandbox_process.h"
#include "judge_scrub.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { MOST_SEATS = 16, OWN_SEAT = MOST_SEATS, START_SECONDS = 60, GRACE_SECONDS = 10, TIMED_RUNS = 15 };

/* A process that has the card. */
typedef struct CardSeat {
    bool is_taken, is_alive;
    pid_t child;
    Pipes pipes;
    uint32_t jobs; /* that it has run */
} CardSeat;

struct Cards {
    const Sandbox *sandbox;
    unsigned seat_count, batch;
    uint32_t arch;
    CardImage scrub;
    CardSeat seats[MOST_SEATS + 1]; /* the last one: for the judge's own texts */
    pthread_mutex_t lock;
    pthread_cond_t freed;
    struct {
        uint64_t key;
        double milliseconds;
    } * known;
    size_t known_count, known_cap;
    pthread_rwlock_t quiet; /* runs share it; who measures time has it alone */
};

/* ---- speaking with a process ---- */

typedef struct Exchange {
    CardSeat *seat;
    Text request, statuses;
    size_t sent, most;
    double until;
    const atomic_int *stop;
    SandboxResult *result;
} Exchange;

static void send_more(Exchange *exchange)
{
    ssize_t put = send(exchange->seat->pipes.ours[TO_INPUT], exchange->request.data + exchange->sent,
                       exchange->request.len - exchange->sent, MSG_NOSIGNAL);
    if (put > 0)
        exchange->sent += (size_t)put;
    else if (errno != EAGAIN && errno != EINTR)
        exchange->sent = exchange->request.len; /* it is gone: its silence will tell */
}

/* False: it took longer than it may, or wrote more, or the user wants to end. */
static bool take_all(Exchange *exchange, int wait)
{
    int *ours = exchange->seat->pipes.ours;
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
    int *ours = exchange->seat->pipes.ours;
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

static void end_seat(CardSeat *seat)
{
    if (seat->is_alive) {
        sandbox_close_pipes(&seat->pipes);
        sandbox_end(seat->child, true);
    }
    seat->is_alive = false;
}

/* Gives a job, or none (NULL), and waits for the next status. */
static void exchange_job(Cards *cards, CardSeat *seat, const Job *job, size_t most, double seconds,
                         SandboxResult *result)
{
    Exchange exchange = {.seat = seat, .most = most, .until = clock_seconds() + seconds, .result = result};
    exchange.stop = cards->sandbox->stop;
    text_init(&exchange.request);
    text_init(&exchange.statuses);
    if (job) {
        JobRequest head = {.magic = JOB_MAGIC};
        text_add(&exchange.request, (const char *)&head, sizeof head);
        job_write(job, &exchange.request);
        head.size = (uint32_t)(exchange.request.len - sizeof head);
        if (!exchange.request.failed)
            memcpy(exchange.request.data, &head, sizeof head);
    }
    if (exchange.request.failed || exchange.request.len > JOB_MOST_REQUEST)
        result->end = SANDBOX_FAILED;
    else
        listen_for_status(&exchange);
    if (exchange.statuses.failed || result->messages.failed || result->results.failed)
        result->end = SANDBOX_FAILED;
    if (result->end != SANDBOX_DONE || result->status.leaves)
        end_seat(seat);
    text_free(&exchange.request);
    text_free(&exchange.statuses);
}

/* ---- processes ---- */

static Job scrub_job(const Cards *cards)
{
    static const char *const none[] = {NULL};
    return (Job){.mode = JOB_CARD,
                 .limits = {START_SECONDS, START_SECONDS, 1024},
                 .flags = none,
                 .source = cards->scrub.bytes,
                 .source_len = cards->scrub.size,
                 .entries = {cards->scrub.names[0], cards->scrub.names[1]}};
}

/* Starts a process and lets it take the card; the messages say why it did not. */
static bool start_seat(Cards *cards, CardSeat *seat, SandboxResult *result)
{
    *result = (SandboxResult){.end = SANDBOX_DONE};
    if (!sandbox_start(cards->sandbox, SANDBOX_WITH_CARD, &seat->pipes, &seat->child)) {
        result->end = SANDBOX_FAILED;
        return false;
    }
    seat->is_alive = true;
    seat->jobs = 0;
    exchange_job(cards, seat, NULL, 0, START_SECONDS, result);
    if (result->end == SANDBOX_DONE && result->status.stage == JOB_STARTED && result->status.exit_code >= 50)
        return true;
    end_seat(seat);
    return false;
}

static bool hand_scrub(Cards *cards, CardSeat *seat, SandboxResult *result)
{
    Job job = scrub_job(cards);
    exchange_job(cards, seat, &job, 0, START_SECONDS, result);
    return seat->is_alive && result->status.stage == JOB_COMPILED;
}

static bool ready_seat(Cards *cards, CardSeat *seat)
{
    SandboxResult result;
    bool ready = seat->is_alive;
    for (int tries = 0; !ready && tries < 2; tries++) {
        ready = start_seat(cards, seat, &result) && hand_scrub(cards, seat, &result);
        sandbox_result_free(&result);
        if (!ready)
            end_seat(seat);
    }
    return ready;
}

static CardSeat *take_seat(Cards *cards, bool is_own)
{
    CardSeat *found = NULL;
    pthread_mutex_lock(&cards->lock);
    while (!found) {
        unsigned first = is_own ? OWN_SEAT : 0, end = is_own ? OWN_SEAT + 1 : cards->seat_count;
        for (unsigned i = first; i < end; i++) /* one that is warm already, if there is any */
            if (!cards->seats[i].is_taken && (!found || (cards->seats[i].is_alive && !found->is_alive)))
                found = &cards->seats[i];
        if (!found)
            pthread_cond_wait(&cards->freed, &cards->lock);
    }
    found->is_taken = true;
    pthread_mutex_unlock(&cards->lock);
    return found;
}

static void leave_seat(Cards *cards, CardSeat *seat)
{
    if (seat->jobs >= cards->batch)
        end_seat(seat);
    pthread_mutex_lock(&cards->lock);
    seat->is_taken = false;
    pthread_cond_broadcast(&cards->freed);
    pthread_mutex_unlock(&cards->lock);
}

/* ---- opening ---- */

static bool compile_scrub(Cards *cards, SandboxError *error)
{
    Job job = {.limits = {START_SECONDS, START_SECONDS, 1024},
               .source = (const char *)judge_scrub,
               .source_len = judge_scrub_size,
               .entries = {"weft_scrub_shared", "weft_scrub_local"},
               .plain = true};
    cards_compile(cards, &job, &cards->scrub);
    if (!cards->scrub.bytes)
        snprintf(error->message, sizeof error->message, "NVRTC does not compile the judge's own kernels: %.600s",
                 cards->scrub.compiled.messages.len ? text_cstr(&cards->scrub.compiled.messages)
                                                    : "no reason is given");
    return cards->scrub.bytes;
}

/* The first process tells what the card is. */
static bool look_at_card(Cards *cards, SandboxError *error)
{
    SandboxResult result;
    bool ready = start_seat(cards, &cards->seats[0], &result);
    cards->arch = ready ? (uint32_t)result.status.exit_code : 0;
    if (!ready)
        snprintf(error->message, sizeof error->message,
                 "the card cannot be used from the sandbox, and answers are never run without one%s%.600s",
                 result.messages.len ? ": " : "", result.messages.len ? text_cstr(&result.messages) : "");
    sandbox_result_free(&result);
    if (!ready || !compile_scrub(cards, error))
        return false;
    ready = hand_scrub(cards, &cards->seats[0], &result);
    if (!ready)
        snprintf(error->message, sizeof error->message, "the card does not take the judge's own kernels%s%.600s",
                 result.messages.len ? ": " : "", result.messages.len ? text_cstr(&result.messages) : "");
    sandbox_result_free(&result);
    return ready;
}

Cards *cards_open(const Sandbox *sandbox, unsigned processes, unsigned batch, SandboxError *error)
{
    pthread_rwlockattr_t attributes;
    Cards *cards = calloc(1, sizeof *cards);
    if (!cards) {
        snprintf(error->message, sizeof error->message, "out of memory");
        return NULL;
    }
    cards->sandbox = sandbox;
    cards->seat_count = processes < 1 ? 1 : processes > MOST_SEATS ? MOST_SEATS : processes;
    cards->batch = batch;
    pthread_mutex_init(&cards->lock, NULL);
    pthread_cond_init(&cards->freed, NULL);
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&cards->quiet, &attributes);
    pthread_rwlockattr_destroy(&attributes);
    if (look_at_card(cards, error))
        return cards;
    cards_close(cards);
    return NULL;
}

void cards_close(Cards *cards)
{
    if (!cards)
        return;
    for (unsigned i = 0; i <= MOST_SEATS; i++)
        end_seat(&cards->seats[i]);
    card_image_free(&cards->scrub);
    free(cards->known);
    pthread_mutex_destroy(&cards->lock);
    pthread_cond_destroy(&cards->freed);
    pthread_rwlock_destroy(&cards->quiet);
    free(cards);
}

/* ---- compiling ---- */

/* What came out of the sandbox: bytes from a stranger. */
static bool read_image(CardImage *image)
{
    const Text *results = &image->compiled.results;
    JobImage head;
    size_t at = sizeof head;
    if (results->len < sizeof head)
        return false;
    memcpy(&head, results->data, sizeof head);
    if (head.magic != JOB_MAGIC || head.name_sizes[0] >= JOB_MOST_NAME || head.name_sizes[1] >= JOB_MOST_NAME ||
        results->len != at + head.name_sizes[0] + head.name_sizes[1] + head.size || !head.size)
        return false;
    for (int i = 0; i < 2; i++) {
        memcpy(image->names[i], results->data + at, head.name_sizes[i]);
        image->names[i][head.name_sizes[i]] = '\0';
        at += head.name_sizes[i];
    }
    image->bytes = results->data + at;
    image->size = head.size;
    return true;
}

void cards_compile(Cards *cards, Job *job, CardImage *image)
{
    static const char *const none[] = {NULL};
    *image = (CardImage){.bytes = NULL};
    job->mode = JOB_NVRTC;
    job->compiler = SANDBOX_CUDA;
    job->flags = none;
    job->arch = cards->arch;
    sandbox_run(cards->sandbox, job, sizeof(JobImage) + 2 * JOB_MOST_NAME + JOB_MOST_IMAGE, &image->compiled);
    if (image->compiled.end == SANDBOX_DONE && image->compiled.compiled && !read_image(image))
        image->compiled.end = SANDBOX_BROKEN;
}

void card_image_free(CardImage *image)
{
    sandbox_result_free(&image->compiled);
    image->bytes = NULL;
}

/* ---- running ---- */

static void run_on(Cards *cards, CardSeat *seat, const Job *job, size_t most, SandboxResult *result)
{
    *result = (SandboxResult){.end = SANDBOX_FAILED};
    if (!ready_seat(cards, seat))
        return;
    result->end = SANDBOX_DONE;
    seat->jobs++;
    exchange_job(cards, seat, job, most, job->limits.run_seconds + GRACE_SECONDS, result);
    result->compiled = true;
}

/* Did it come to an end that is its own? */
static bool is_over(const SandboxResult *result)
{
    return result->end == SANDBOX_STOPPED ||
           (result->end == SANDBOX_DONE && result->status.stage == JOB_RAN &&
            result->status.exit_code != JOB_EXIT_FAULT && result->status.exit_code != JOB_EXIT_TIME);
}

static void run_job(Cards *cards, const Job *job, size_t most, bool is_own, SandboxResult *result)
{
    CardSeat *seat = take_seat(cards, is_own);
    bool was_used = seat->is_alive && seat->jobs;
    run_on(cards, seat, job, most, result);
    for (int tries = 0; was_used && !is_over(result) && tries < 1; tries++) {
        sandbox_result_free(result);
        end_seat(seat);
        run_on(cards, seat, job, most, result);
    }
    if (result->end == SANDBOX_DONE && result->status.stage != JOB_RAN)
        result->end = SANDBOX_BROKEN;
    leave_seat(cards, seat);
}

static Job card_job(const CardImage *image, JobLaunch *launches, uint32_t count, JobLimits limits)
{
    static const char *const none[] = {NULL};
    return (Job){.mode = JOB_CARD,
                 .limits = limits,
                 .flags = none,
                 .source = image->bytes,
                 .source_len = image->size,
                 .entries = {image->names[0], image->names[1]},
                 .launches = launches,
                 .launch_count = count};
}

void cards_run(Cards *cards, const CardImage *image, const Job *job, size_t most, SandboxResult *result)
{
    Job ready = card_job(image, job->launches, job->launch_count, job->limits);
    pthread_rwlock_rdlock(&cards->quiet);
    run_job(cards, &ready, most, false, result);
    pthread_rwlock_unlock(&cards->quiet);
}

double cards_time(Cards *cards, const CardImage *image, JobLaunch launch, JobLimits limits, bool is_own)
{
    SandboxResult result;
    double milliseconds = -1;
    launch.repeats = TIMED_RUNS;
    Job job = card_job(image, &launch, 1, limits);
    size_t size = sizeof(JobMark) + job_result_size(&launch);
    pthread_rwlock_wrlock(&cards->quiet);
    run_job(cards, &job, size, is_own, &result);
    pthread_rwlock_unlock(&cards->quiet);
    if (result.end == SANDBOX_DONE && !result.status.exit_code && result.results.len == size) {
        JobTime time;
        memcpy(&time, result.results.data + sizeof(JobMark), sizeof time);
        milliseconds = time.milliseconds > 0 && time.milliseconds < 1e9 ? time.milliseconds : -1;
    }
    sandbox_result_free(&result);
    return milliseconds;
}

bool cards_recall(Cards *cards, uint64_t key, double *milliseconds)
{
    bool found = false;
    pthread_mutex_lock(&cards->lock);
    for (size_t i = 0; !found && i < cards->known_count; i++) {
        found = cards->known[i].key == key;
        *milliseconds = cards->known[i].milliseconds;
    }
    pthread_mutex_unlock(&cards->lock);
    return found;
}

void cards_remember(Cards *cards, uint64_t key, double milliseconds)
{
    pthread_mutex_lock(&cards->lock);
    if (cards->known_count == cards->known_cap) {
        size_t cap = cards->known_cap ? 2 * cards->known_cap : 64;
        void *grown = realloc(cards->known, cap * sizeof *cards->known);
        cards->known = grown ? grown : cards->known;
        cards->known_cap = grown ? cap : cards->known_cap;
    }
    if (cards->known_count < cards->known_cap) { /* otherwise it is measured again */
        cards->known[cards->known_count].key = key;
        cards->known[cards->known_count++].milliseconds = milliseconds;
    }
    pthread_mutex_unlock(&cards->lock);
}
