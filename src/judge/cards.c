#include "judge/cards.h"

#include "base/clock.h"
#include "judge/room.h"
#include "judge_scrub.h"

#include <stdio.h>
#include <stdlib.h>

enum { START_SECONDS = 60, GRACE_SECONDS = 10, TIMED_RUNS = 15 };

/* A process that is started before anybody needs it, by a thread that has its seat for so long. */
typedef struct Start {
    Cards *cards;
    Room *room;
    Seat *seat;
    pthread_t thread;
} Start;

struct Cards {
    const Sandbox *sandbox;
    CardsOptions options;
    uint32_t arch;
    CardImage scrub;
    Room compilers, runners;
    Room own; /* for the judge's own texts */
    Start starts[3 * MOST_SEATS];
    size_t start_count;
    bool is_closing;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum { SCRUB_UNKNOWN, SCRUB_READY, SCRUB_FAILED } scrub_state;
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

static bool ready_runner(Cards *cards, Seat *seat)
{
    SandboxResult result;
    Server *server = &seat->server;
    bool ready = server->is_alive;
    for (int tries = 0; !ready && tries < 2; tries++) {
        double began = clock_seconds();
        ready = start_runner(cards, server, &result) && hand_scrub(cards, server, &result);
        sandbox_result_free(&result);
        if (!ready)
            server_end(server);
        trace_step(cards->options.trace, "start runner", seat->number, began, 0);
    }
    return ready;
}

static bool ready_compiler(Cards *cards, Seat *seat, SandboxResult *result)
{
    double began = clock_seconds();
    if (seat->server.is_alive)
        return true;
    bool ready = server_start(&seat->server, cards->sandbox, SANDBOX_WITH_COMPILER, result);
    if (ready)
        sandbox_result_free(result);
    trace_step(cards->options.trace, "start compiler", seat->number, began, 0);
    return ready;
}

static Seat *take_seat(Cards *cards, Room *room)
{
    double began = clock_seconds();
    Seat *seat = room_take(room);
    trace_step(cards->options.trace, room == &cards->compilers ? "wait for compiler" : "wait for runner", seat->number,
               began, 0);
    return seat;
}

/* ---- processes that are started ahead ---- */

/* A process in the sandbox dies with the thread that has started it. */
static void stay(Cards *cards)
{
    pthread_mutex_lock(&cards->lock);
    while (!cards->is_closing)
        pthread_cond_wait(&cards->changed, &cards->lock);
    pthread_mutex_unlock(&cards->lock);
}

static void *start_compiler_ahead(void *user)
{
    Start *start = user;
    SandboxResult result;
    if (!ready_compiler(start->cards, start->seat, &result))
        sandbox_result_free(&result); /* whoever needs it tries again, and tells why it fails */
    room_leave(start->room, start->seat);
    stay(start->cards);
    return NULL;
}

/* It takes the card while the judge's own kernels are still being compiled. */
static void *start_runner_ahead(void *user)
{
    Start *start = user;
    Cards *cards = start->cards;
    Server *server = &start->seat->server;
    SandboxResult result;
    double began = clock_seconds();
    bool ready = start_runner(cards, server, &result);
    sandbox_result_free(&result);
    pthread_mutex_lock(&cards->lock);
    while (cards->scrub_state == SCRUB_UNKNOWN)
        pthread_cond_wait(&cards->changed, &cards->lock);
    ready &= cards->scrub_state == SCRUB_READY;
    pthread_mutex_unlock(&cards->lock);
    if (ready) {
        result = (SandboxResult){.end = SANDBOX_DONE};
        ready = hand_scrub(cards, server, &result);
        sandbox_result_free(&result);
    }
    if (!ready)
        server_end(server);
    trace_step(cards->options.trace, "start runner", start->seat->number, began, 0);
    room_leave(start->room, start->seat);
    stay(cards);
    return NULL;
}

/* All seats of the room from this one on. One that cannot have a thread is started by whoever needs it. */
static void start_ahead(Cards *cards, Room *room, unsigned first, void *(*work)(void *))
{
    for (unsigned i = first; i < room->count; i++) {
        Start *start = &cards->starts[cards->start_count];
        *start = (Start){cards, room, &room->seats[i], 0};
        start->seat->is_taken = true;
        if (pthread_create(&start->thread, NULL, work, start) == 0)
            cards->start_count++;
        else
            room_leave(room, start->seat);
    }
}

static void tell_starters(Cards *cards, bool ready, bool is_closing)
{
    pthread_mutex_lock(&cards->lock);
    if (cards->scrub_state == SCRUB_UNKNOWN)
        cards->scrub_state = ready ? SCRUB_READY : SCRUB_FAILED;
    cards->is_closing = is_closing;
    pthread_cond_broadcast(&cards->changed);
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
    Server *first = &cards->runners.seats[0].server;
    double began = clock_seconds();
    bool ready = start_runner(cards, first, &result);
    trace_step(cards->options.trace, "start runner", 0, began, 0);
    cards->arch = ready ? (uint32_t)result.status.exit_code : 0;
    if (!ready)
        snprintf(error->message, sizeof error->message,
                 "the card cannot be used from the sandbox, and answers are never run without one%s%.600s",
                 result.messages.len ? ": " : "", result.messages.len ? text_cstr(&result.messages) : "");
    sandbox_result_free(&result);
    if (!ready || !compile_scrub(cards, error))
        return false;
    tell_starters(cards, true, false);
    result = (SandboxResult){.end = SANDBOX_DONE};
    ready = hand_scrub(cards, first, &result);
    if (!ready)
        snprintf(error->message, sizeof error->message, "the card does not take the judge's own kernels%s%.600s",
                 result.messages.len ? ": " : "", result.messages.len ? text_cstr(&result.messages) : "");
    sandbox_result_free(&result);
    return ready;
}

static void init_locks(Cards *cards)
{
    pthread_rwlockattr_t attributes;
    pthread_mutex_init(&cards->lock, NULL);
    pthread_cond_init(&cards->changed, NULL);
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&cards->quiet, &attributes);
    pthread_rwlockattr_destroy(&attributes);
}

Cards *cards_open(const Sandbox *sandbox, const CardsOptions *options, SandboxError *error)
{
    unsigned jobs = options->jobs;
    Cards *cards = calloc(1, sizeof *cards);
    if (!cards) {
        snprintf(error->message, sizeof error->message, "out of memory");
        return NULL;
    }
    cards->sandbox = sandbox;
    cards->options = *options;
    init_locks(cards);
    room_open(&cards->compilers, jobs);
    room_open(&cards->runners, jobs < options->runners ? jobs : options->runners);
    room_open(&cards->own, 1);
    start_ahead(cards, &cards->runners, 1, start_runner_ahead);
    start_ahead(cards, &cards->compilers, 0, start_compiler_ahead);
    if (options->timing)
        start_ahead(cards, &cards->own, 0, start_runner_ahead);
    if (look_at_card(cards, error))
        return cards;
    cards_close(cards);
    return NULL;
}

void cards_close(Cards *cards)
{
    if (!cards)
        return;
    tell_starters(cards, false, true);
    for (size_t i = 0; i < cards->start_count; i++)
        pthread_join(cards->starts[i].thread, NULL);
    room_close(&cards->compilers);
    room_close(&cards->runners);
    room_close(&cards->own);
    card_image_free(&cards->scrub);
    free(cards->known);
    pthread_mutex_destroy(&cards->lock);
    pthread_cond_destroy(&cards->changed);
    pthread_rwlock_destroy(&cards->quiet);
    free(cards);
}

/* ---- compiling ---- */

/* Reads the output of the sandbox: untrusted bytes. */
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
static void compile_on(Cards *cards, Seat *seat, const Job *job, SandboxResult *result)
{
    const size_t most = sizeof(JobImage) + 2 * JOB_MOST_NAME + JOB_MOST_IMAGE;
    if (!ready_compiler(cards, seat, result)) {
        result->end = result->end == SANDBOX_STOPPED ? SANDBOX_STOPPED : SANDBOX_FAILED;
        return;
    }
    double began = clock_seconds();
    *result = (SandboxResult){.end = SANDBOX_DONE};
    server_exchange(&seat->server, job, most, job->limits.compile_seconds + GRACE_SECONDS, result);
    result->compiled = result->end == SANDBOX_DONE && result->status.stage == JOB_COMPILED;
    trace_step(cards->options.trace, "compile", seat->number, began, result->status.milliseconds);
}

void cards_compile(Cards *cards, Job *job, CardImage *image)
{
    static const char *const none[] = {NULL};
    Seat *seat = take_seat(cards, &cards->compilers);
    *image = (CardImage){.bytes = NULL};
    job->mode = JOB_NVRTC;
    job->flags = none;
    job->arch = cards->arch;
    compile_on(cards, seat, job, &image->compiled);
    room_leave(&cards->compilers, seat);
    if (image->compiled.compiled && !read_image(image))
        image->compiled.end = SANDBOX_BROKEN;
}

void card_image_free(CardImage *image)
{
    sandbox_result_free(&image->compiled);
    image->bytes = NULL;
}

/* ---- running ---- */

static void run_on(Cards *cards, Seat *seat, const Job *job, size_t most, SandboxResult *result)
{
    *result = (SandboxResult){.end = SANDBOX_FAILED};
    if (!ready_runner(cards, seat))
        return;
    double began = clock_seconds();
    result->end = SANDBOX_DONE;
    seat->server.jobs++;
    server_exchange(&seat->server, job, most, job->limits.run_seconds + GRACE_SECONDS, result);
    result->compiled = true;
    trace_step(cards->options.trace, job->launches[0].repeats ? "time" : "run", seat->number, began,
               result->status.milliseconds);
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
    ready_runner(cards, seat); /* before anybody has to wait for it */
    bool was_used = server->is_alive && server->jobs;
    double began = clock_seconds();
    if (is_alone)
        pthread_rwlock_wrlock(&cards->quiet);
    else
        pthread_rwlock_rdlock(&cards->quiet);
    trace_step(cards->options.trace, is_alone ? "wait for silence" : "wait for others", seat->number, began, 0);
    run_on(cards, seat, job, most, result);
    if (was_used && !is_over(result)) {
        sandbox_result_free(result);
        server_end(server);
        run_on(cards, seat, job, most, result);
    }
    pthread_rwlock_unlock(&cards->quiet);
    if (result->end == SANDBOX_DONE && result->status.stage != JOB_RAN)
        result->end = SANDBOX_BROKEN;
    if (server->jobs >= cards->options.batch)
        server_end(server);
    room_leave(room, seat);
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
