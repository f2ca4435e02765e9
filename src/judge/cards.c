#include "judge/cards.h"

#include "judge/server.h"
#include "judge_scrub.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_SEATS = 64, START_SECONDS = 60, GRACE_SECONDS = 10, TIMED_RUNS = 15 };

typedef struct Seat {
    bool is_taken;
    Server server;
} Seat;

/* Processes of one kind, and how many of them there may be. */
typedef struct Room {
    unsigned count;
    Seat seats[MOST_SEATS];
} Room;

struct Cards {
    const Sandbox *sandbox;
    unsigned batch;
    uint32_t arch;
    CardImage scrub;
    Room compilers, runners;
    Room own; /* for the judge's own texts */
    pthread_mutex_t lock;
    pthread_cond_t freed;
    struct {
        uint64_t key;
        double milliseconds;
    } * known;
    size_t known_count, known_cap;
    pthread_rwlock_t quiet; /* runs share it; who measures time has it alone */
};

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

/* Starts a process that takes the card, and tells what that is. */
static bool start_runner(Cards *cards, Server *server, SandboxResult *result)
{
    if (!server_start(server, cards->sandbox, SANDBOX_WITH_CARD, result))
        return false;
    if (result->status.exit_code < 50)
        server_end(server);
    return server->is_alive;
}

static bool hand_scrub(Cards *cards, Server *server, SandboxResult *result)
{
    Job job = scrub_job(cards);
    server_exchange(server, &job, 0, START_SECONDS, result);
    return server->is_alive && result->status.stage == JOB_COMPILED;
}

static bool ready_runner(Cards *cards, Server *server)
{
    SandboxResult result;
    bool ready = server->is_alive;
    for (int tries = 0; !ready && tries < 2; tries++) {
        ready = start_runner(cards, server, &result) && hand_scrub(cards, server, &result);
        sandbox_result_free(&result);
        if (!ready)
            server_end(server);
    }
    return ready;
}

static Seat *take_seat(Cards *cards, Room *room)
{
    Seat *found = NULL;
    pthread_mutex_lock(&cards->lock);
    while (!found) {
        for (unsigned i = 0; i < room->count; i++) { /* one that is warm already, if there is any */
            Seat *seat = &room->seats[i];
            if (!seat->is_taken && (!found || (seat->server.is_alive && !found->server.is_alive)))
                found = seat;
        }
        if (!found)
            pthread_cond_wait(&cards->freed, &cards->lock);
    }
    found->is_taken = true;
    pthread_mutex_unlock(&cards->lock);
    return found;
}

static void leave_seat(Cards *cards, Seat *seat)
{
    if (seat->server.jobs >= cards->batch)
        server_end(&seat->server);
    pthread_mutex_lock(&cards->lock);
    seat->is_taken = false;
    pthread_cond_broadcast(&cards->freed);
    pthread_mutex_unlock(&cards->lock);
}

static void close_room(Room *room)
{
    for (unsigned i = 0; i < room->count; i++)
        server_end(&room->seats[i].server);
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
    bool ready = start_runner(cards, &cards->runners.seats[0].server, &result);
    cards->arch = ready ? (uint32_t)result.status.exit_code : 0;
    if (!ready)
        snprintf(error->message, sizeof error->message,
                 "the card cannot be used from the sandbox, and answers are never run without one%s%.600s",
                 result.messages.len ? ": " : "", result.messages.len ? text_cstr(&result.messages) : "");
    sandbox_result_free(&result);
    if (!ready || !compile_scrub(cards, error))
        return false;
    ready = hand_scrub(cards, &cards->runners.seats[0].server, &result);
    if (!ready)
        snprintf(error->message, sizeof error->message, "the card does not take the judge's own kernels%s%.600s",
                 result.messages.len ? ": " : "", result.messages.len ? text_cstr(&result.messages) : "");
    sandbox_result_free(&result);
    return ready;
}

Cards *cards_open(const Sandbox *sandbox, unsigned jobs, unsigned batch, SandboxError *error)
{
    enum { RUNNERS = 8 }; /* running an answer is short, taking the card is not */
    pthread_rwlockattr_t attributes;
    Cards *cards = calloc(1, sizeof *cards);
    if (!cards) {
        snprintf(error->message, sizeof error->message, "out of memory");
        return NULL;
    }
    cards->sandbox = sandbox;
    cards->compilers.count = jobs < 1 ? 1 : jobs > MOST_SEATS ? MOST_SEATS : jobs;
    cards->runners.count = jobs < 1 ? 1 : jobs > RUNNERS ? RUNNERS : jobs;
    cards->own.count = 1;
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
    close_room(&cards->compilers);
    close_room(&cards->runners);
    close_room(&cards->own);
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

/* Each is compiled in a process of its own, the child of one that has NVRTC loaded. */
static void compile_on(Cards *cards, Server *server, const Job *job, SandboxResult *result)
{
    const size_t most = sizeof(JobImage) + 2 * JOB_MOST_NAME + JOB_MOST_IMAGE;
    if (!server->is_alive && !server_start(server, cards->sandbox, SANDBOX_WITH_COMPILER, result)) {
        result->end = result->end == SANDBOX_STOPPED ? SANDBOX_STOPPED : SANDBOX_FAILED;
        return;
    }
    if (server->jobs == 0)
        sandbox_result_free(result);
    *result = (SandboxResult){.end = SANDBOX_DONE};
    server->jobs++;
    server_exchange(server, job, most, job->limits.compile_seconds + GRACE_SECONDS, result);
    result->compiled = result->end == SANDBOX_DONE && result->status.stage == JOB_COMPILED;
}

void cards_compile(Cards *cards, Job *job, CardImage *image)
{
    static const char *const none[] = {NULL};
    Seat *seat = take_seat(cards, &cards->compilers);
    *image = (CardImage){.bytes = NULL};
    job->mode = JOB_NVRTC;
    job->flags = none;
    job->arch = cards->arch;
    compile_on(cards, &seat->server, job, &image->compiled);
    leave_seat(cards, seat);
    if (image->compiled.compiled && !read_image(image))
        image->compiled.end = SANDBOX_BROKEN;
}

void card_image_free(CardImage *image)
{
    sandbox_result_free(&image->compiled);
    image->bytes = NULL;
}

/* ---- running ---- */

static void run_on(Cards *cards, Server *server, const Job *job, size_t most, SandboxResult *result)
{
    *result = (SandboxResult){.end = SANDBOX_FAILED};
    if (!ready_runner(cards, server))
        return;
    result->end = SANDBOX_DONE;
    server->jobs++;
    server_exchange(server, job, most, job->limits.run_seconds + GRACE_SECONDS, result);
    result->compiled = true;
}

/* Did it come to an end that is its own? */
static bool is_over(const SandboxResult *result)
{
    return result->end == SANDBOX_STOPPED ||
           (result->end == SANDBOX_DONE && result->status.stage == JOB_RAN &&
            result->status.exit_code != JOB_EXIT_FAULT && result->status.exit_code != JOB_EXIT_TIME);
}

/* `is_alone`: nothing else is run in the meantime. */
static void run_job(Cards *cards, const Job *job, size_t most, Room *room, bool is_alone, SandboxResult *result)
{
    Seat *seat = take_seat(cards, room);
    Server *server = &seat->server;
    ready_runner(cards, server); /* before anybody has to wait for it */
    bool was_used = server->is_alive && server->jobs;
    if (is_alone)
        pthread_rwlock_wrlock(&cards->quiet);
    else
        pthread_rwlock_rdlock(&cards->quiet);
    run_on(cards, server, job, most, result);
    if (was_used && !is_over(result)) {
        sandbox_result_free(result);
        server_end(server);
        run_on(cards, server, job, most, result);
    }
    pthread_rwlock_unlock(&cards->quiet);
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
    run_job(cards, &ready, most, &cards->runners, false, result);
}

double cards_time(Cards *cards, const CardImage *image, JobLaunch launch, JobLimits limits, bool is_own)
{
    SandboxResult result;
    double milliseconds = -1;
    launch.repeats = TIMED_RUNS;
    Job job = card_job(image, &launch, 1, limits);
    job.is_own = is_own;
    size_t size = sizeof(JobMark) + job_result_size(&launch);
    run_job(cards, &job, size, is_own ? &cards->own : &cards->runners, true, &result);
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
