#include "judge/service.h"

#include "base/clock.h"
#include "base/pool.h"
#include "base/sha256.h"
#include "corpus/shard.h"
#include "judge/ledger.h"
#include "judge/station.h"

#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

typedef enum CaseState { CASE_WAITS, CASE_RUNS, CASE_DONE, CASE_DROPPED, CASE_LOST } CaseState;

/* An answer that is not in the journal yet, or was not when somebody asked for it. */
typedef struct Case {
    struct Case *next_waiting, *next, *previous; /* in the queue; among all that wait or run */
    unsigned char hash[LEDGER_HASH];
    ServiceAnswer answer;
    CaseState state;
    unsigned asked; /* by so many requests; the last one frees it */
    Text text, line;
} Case;

struct Service {
    Score *score;
    const ServiceOptions *options;
    Station station;
    Trace trace; /* nowhere */
    Ledger ledger;
    pthread_mutex_t lock; /* of all that follows, and of the ledger's table */
    pthread_cond_t work, done;
    Case *first, *last, *open;
    ServiceCounts counts;
    bool is_ending;
    unsigned threads;
    pthread_t thread[MAX_SERVICE_THREADS];
};

/* An answer that a request waits for. */
typedef struct Wanted {
    unsigned char hash[LEDGER_HASH];
    Case *mine; /* NULL: the journal has it */
    LedgerPlace place;
} Wanted;

/* ---- cases ---- */

/* Everything that the line follows from, but for what all lines of a journal have in common. */
static bool hash_answer(const Service *service, const ServiceAnswer *answer, unsigned char hash[LEDGER_HASH])
{
    const ScoreTask *task = answer->task;
    const ScoreRecord *record = score_record_line(service->score, task);
    const Span parts[] = {{task->id, strlen(task->id)},
                          {record ? record->line : "", record ? record->len : 0},
                          {task->given, strlen(task->given)},
                          {answer->is_no_text ? "no text" : "text", answer->is_no_text ? 7 : 4},
                          {answer->text, answer->len}};
    unsigned char hashes[sizeof parts / sizeof *parts][32], all[32];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        sha256(parts[i].text, parts[i].len, hashes[i]);
    sha256(hashes, sizeof hashes, all);
    memcpy(hash, all, LEDGER_HASH);
    return record;
}

static Case *find_open(const Service *service, const unsigned char hash[LEDGER_HASH])
{
    Case *found = service->open;
    while (found && memcmp(found->hash, hash, LEDGER_HASH) != 0)
        found = found->next;
    return found;
}

static Case *add_case(Service *service, const ServiceAnswer *answer, const unsigned char hash[LEDGER_HASH])
{
    Case *added = calloc(1, sizeof *added);
    if (!added)
        return NULL;
    text_init(&added->text);
    text_init(&added->line);
    text_add(&added->text, answer->text, answer->len);
    added->answer = *answer;
    added->answer.text = text_cstr(&added->text);
    memcpy(added->hash, hash, LEDGER_HASH);
    added->next = service->open;
    if (added->next)
        added->next->previous = added;
    service->open = added;
    *(service->last ? &service->last->next_waiting : &service->first) = added;
    service->last = added;
    service->counts.waiting++;
    return added;
}

/* Nobody new finds it from here on. */
static void close_case(Service *service, Case *ended, CaseState state)
{
    *(ended->previous ? &ended->previous->next : &service->open) = ended->next;
    if (ended->next)
        ended->next->previous = ended->previous;
    ended->state = state;
    pthread_cond_broadcast(&service->done);
}

static void let_go(Case *asked)
{
    if (!asked || --asked->asked)
        return;
    text_free(&asked->text);
    text_free(&asked->line);
    free(asked);
}

/* ---- the threads ---- */

static void write_line(const Service *service, const Case *judged, const Verdict *verdict, Text *line)
{
    const ScoreTask *task = judged->answer.task;
    JsonWriter json = {.out = line};
    Text feedback;
    char hash[2 * LEDGER_HASH + 1];
    ledger_hash_text(judged->hash, hash);
    text_init(&feedback);
    verdict_feedback(verdict, &feedback);
    json_open(&json, NULL, '{');
    json_add_string(&json, "id", task->id);
    json_add_string(&json, "kind", task_kinds[task->kind].name);
    json_add_string(&json, "category", task->category);
    json_add_string(&json, "difficulty", task->difficulty);
    score_write_verdict(verdict, &json);
    json_add_string_n(&json, "feedback", feedback.data, feedback.len);
    json_add_string(&json, "hash", hash);
    if (service->score->hidden[0])
        json_add_string(&json, "hidden", service->score->hidden);
    else
        json_add_verbatim(&json, "hidden", "null", 4);
    json_close(&json, '}');
    text_char(line, '\n');
    text_fail_like(line, &feedback);
    text_free(&feedback);
}

/* An answer that could not be judged is not kept: when it comes again, it is judged again. */
static void settle(Service *service, Case *judged, const Verdict *verdict, double seconds)
{
    ServiceCounts *counts = &service->counts;
    pthread_mutex_lock(&service->lock);
    counts->running--;
    counts->seconds += seconds;
    bool is_kept = !verdict->stopped && !verdict->broken;
    bool is_lost = judged->line.failed || (is_kept && !ledger_add(&service->ledger, judged->hash, &judged->line));
    counts->passed += is_kept && verdict->pass;
    counts->failed += is_kept && !verdict->pass;
    counts->unjudged += verdict->broken;
    close_case(service, judged, verdict->stopped ? CASE_DROPPED : is_lost ? CASE_LOST : CASE_DONE);
    pthread_mutex_unlock(&service->lock);
}

static Case *next_case(Service *service)
{
    pthread_mutex_lock(&service->lock);
    while (!service->first && !service->is_ending)
        pthread_cond_wait(&service->work, &service->lock);
    Case *next = service->is_ending ? NULL : service->first;
    if (next) {
        service->first = next->next_waiting;
        if (!service->first)
            service->last = NULL;
        next->state = CASE_RUNS;
        service->counts.waiting--;
        service->counts.running++;
    }
    pthread_mutex_unlock(&service->lock);
    return next;
}

static void *work(void *user)
{
    Service *service = user;
    Referee *referee = station_referee(&service->station);
    for (Case *next; (next = next_case(service));) {
        const ServiceAnswer *answer = &next->answer;
        const AnswerGiven given = {answer->task, {answer->text, answer->len}, answer->is_no_text};
        Verdict verdict;
        double began = clock_seconds();
        station_judge(referee, service->score, &given, &verdict);
        write_line(service, next, &verdict, &next->line);
        settle(service, next, &verdict, clock_seconds() - began);
    }
    station_dismiss(referee);
    return NULL;
}

/* ---- requests ---- */

/* Takes all of them, or none. */
static ServiceEnd take(Service *service, const ServiceAnswer *answers, size_t count, Wanted *wanted)
{
    size_t added = 0;
    for (size_t i = 0; i < count; i++)
        added += !ledger_find(&service->ledger, wanted[i].hash) && !find_open(service, wanted[i].hash);
    if (service->is_ending)
        return SERVICE_ENDING;
    if (added > service->options->queue - service->counts.waiting) {
        service->counts.full++;
        return SERVICE_FULL;
    }
    service->counts.answers += count;
    for (size_t i = 0; i < count; i++) {
        const LedgerPlace *place = ledger_find(&service->ledger, wanted[i].hash);
        Case *mine = place ? NULL : find_open(service, wanted[i].hash);
        service->counts.known += place || mine;
        if (place)
            wanted[i].place = *place;
        else if (!mine && !(mine = add_case(service, &answers[i], wanted[i].hash)))
            return SERVICE_LOST;
        if (mine)
            mine->asked++;
        wanted[i].mine = mine;
    }
    pthread_cond_broadcast(&service->work);
    return SERVICE_DONE;
}

static ServiceEnd wait_for(Service *service, const Wanted *wanted, size_t count)
{
    ServiceEnd end = SERVICE_DONE;
    for (size_t i = 0; i < count; i++) {
        const Case *mine = wanted[i].mine;
        while (mine && mine->state < CASE_DONE)
            pthread_cond_wait(&service->done, &service->lock);
        if (mine && mine->state != CASE_DONE)
            end = mine->state == CASE_LOST ? SERVICE_LOST : SERVICE_ENDING;
    }
    return end;
}

static ServiceEnd write_lines(const Service *service, const Wanted *wanted, size_t count, Text *lines)
{
    bool fine = true, is_new = false;
    for (size_t i = 0; fine && i < count; i++) {
        if (wanted[i].mine)
            text_add(lines, wanted[i].mine->line.data, wanted[i].mine->line.len);
        else
            fine = ledger_read(&service->ledger, &wanted[i].place, lines);
        is_new |= wanted[i].mine != NULL;
    }
    return fine && (!is_new || ledger_sync(&service->ledger)) ? SERVICE_DONE : SERVICE_LOST;
}

ServiceEnd service_judge(Service *service, const ServiceAnswer *answers, size_t count, Text *lines)
{
    Wanted *wanted = calloc(count + 1, sizeof *wanted);
    bool is_known = wanted;
    for (size_t i = 0; wanted && i < count; i++)
        is_known &= hash_answer(service, &answers[i], wanted[i].hash);
    if (!is_known) {
        free(wanted);
        return SERVICE_LOST;
    }
    pthread_mutex_lock(&service->lock);
    ServiceEnd end = take(service, answers, count, wanted);
    ServiceEnd judged = wait_for(service, wanted, count);
    pthread_mutex_unlock(&service->lock);
    end = end == SERVICE_DONE ? judged : end;
    if (end == SERVICE_DONE)
        end = write_lines(service, wanted, count, lines);
    pthread_mutex_lock(&service->lock);
    for (size_t i = 0; i < count; i++)
        let_go(wanted[i].mine);
    pthread_mutex_unlock(&service->lock);
    free(wanted);
    return end;
}

const Score *service_score(const Service *service)
{
    return service->score;
}

const ServiceOptions *service_options(const Service *service)
{
    return service->options;
}

bool service_is_ending(const Service *service)
{
    const atomic_int *stop = service->score->options->stop;
    return stop && *stop;
}

ServiceCounts service_counts(Service *service)
{
    pthread_mutex_lock(&service->lock);
    ServiceCounts counts = service->counts;
    pthread_mutex_unlock(&service->lock);
    counts.most_waiting = service->options->queue;
    counts.threads = service->threads;
    return counts;
}

void service_count_request(Service *service, bool is_refused)
{
    pthread_mutex_lock(&service->lock);
    service->counts.requests++;
    service->counts.refused += is_refused;
    pthread_mutex_unlock(&service->lock);
}

/* ---- from the beginning to the end ---- */

/* The first line of a journal says what the others have in common. */
static void write_head(const Service *service, Text *head)
{
    const ScoreOptions *options = service->score->options;
    const JobLimits *limits = &options->referee.limits;
    JsonWriter json = {.out = head};
    json_open(&json, NULL, '{');
    json_add_string(&json, "journal", "weft judge");
    json_add_string(&json, "weft", service->options->version);
    json_add_bool(&json, "gpu", options->gpu);
    json_add_uint(&json, "compile_seconds", limits->compile_seconds);
    json_add_uint(&json, "run_seconds", limits->run_seconds);
    json_add_uint(&json, "memory_mb", limits->memory_mb);
    json_add_string(&json, "hidden", service->score->hidden);
    json_close(&json, '}');
}

static bool open_ledger(Service *service)
{
    Text head;
    text_init(&head);
    write_head(service, &head);
    bool fine = head.failed
                    ? corpus_fail(&service->score->error, "out of memory")
                    : ledger_open(&service->ledger, service->score->options->output, &head, &service->score->error);
    text_free(&head);
    return fine;
}

static bool start_threads(Service *service, unsigned wanted)
{
    while (service->threads < wanted && pthread_create(&service->thread[service->threads], NULL, work, service) == 0)
        service->threads++;
    return service->threads || corpus_fail(&service->score->error, "no thread can be started");
}

static void drop_waiting(Service *service)
{
    pthread_mutex_lock(&service->lock);
    service->is_ending = true;
    for (Case *next = service->first; next; next = next->next_waiting)
        close_case(service, next, CASE_DROPPED);
    service->first = service->last = NULL;
    service->counts.waiting = 0;
    pthread_cond_broadcast(&service->work);
    pthread_mutex_unlock(&service->lock);
}

/* Whatever else comes is read and forgotten. */
static bool is_at_end(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    char bytes[256];
    return poll(&wait, 1, 0) > 0 && read(fd, bytes, sizeof bytes) <= 0;
}

/* Memory that threads have freed lies in pieces, and the library keeps them: it is given back from time to time. */
static void give_back(Service *service, uint64_t *last)
{
    enum { OFTEN = 200 };
    ServiceCounts counts = service_counts(service);
    uint64_t judged = counts.passed + counts.failed;
    if (judged < *last + OFTEN)
        return;
    *last = judged;
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

static void serve(Service *service, Http *http)
{
    const ScoreOptions *options = service->score->options;
    HttpError error = {""};
    uint64_t trimmed = 0;
    if (!http_run(http, &error)) {
        corpus_fail(&service->score->error, "%s", error.message);
        return;
    }
    service->options->ready(http_port(http), service->options->user);
    while (!*options->stop && !(service->options->until_eof && is_at_end(STDIN_FILENO))) {
        usleep(50000);
        give_back(service, &trimmed);
    }
}

static Http *open_door(Service *service, ServiceDoor *door)
{
    const ServiceOptions *options = service->options;
    HttpOptions http = {.address = options->address,
                        .port = options->port,
                        .most_guests = SERVICE_GUESTS,
                        .most_body = SERVICE_MOST_BODY,
                        .most_bodies = SERVICE_MOST_BODIES,
                        .admit = service_admit,
                        .answer = service_answer,
                        .user = door};
    HttpError error = {""};
    CorpusError *out = &service->score->error;
    if (!options->token_file && !http_is_loopback(options->address)) {
        corpus_fail(out, "%s can be reached from other machines: name a file with a token, --token FILE",
                    options->address);
        return NULL;
    }
    if (options->token_file && !service_read_token(door, options->token_file, out))
        return NULL;
    Http *opened = http_open(&http, &error); /* a port that is taken is noticed before the set is read */
    if (!opened)
        corpus_fail(out, "%s", error.message);
    else
        door->port = http_port(opened);
    return opened;
}

bool judge_listen(Score *score, const ScoreOptions *options, const ServiceOptions *service_options)
{
    Service *service = calloc(1, sizeof *service);
    *score = (Score){.options = options};
    arena_init(&score->arena);
    if (!service)
        return corpus_fail(&score->error, "out of memory");
    *service = (Service){.score = score, .options = service_options, .ledger = {.fd = -1}};
    pthread_mutex_init(&service->lock, NULL);
    pthread_cond_init(&service->work, NULL);
    pthread_cond_init(&service->done, NULL);
    ServiceDoor door = {.service = service};
    unsigned jobs = pool_jobs(options->jobs);
    jobs = jobs < MAX_SERVICE_THREADS ? jobs : MAX_SERVICE_THREADS;
    Http *http = open_door(service, &door);
    bool fine = http && score_read_tasks(score) && score_read_records(score) &&
                station_open_key(score, access(options->output, F_OK) != 0) && open_ledger(service) &&
                station_open(&service->station, score, jobs, &service->trace) && start_threads(service, jobs);
    if (fine)
        serve(service, http);
    drop_waiting(service);
    for (unsigned i = 0; i < service->threads; i++)
        pthread_join(service->thread[i], NULL);
    http_close(http);
    station_close(&service->station);
    ledger_close(&service->ledger);
    text_free(&door.token);
    pthread_cond_destroy(&service->done);
    pthread_cond_destroy(&service->work);
    pthread_mutex_destroy(&service->lock);
    free(service);
    return !score->error.message[0];
}
