/* A judge that listens: answers come over HTTP, wait in a queue with an end, and are judged by threads that keep what
 * is expensive. Each result goes to the journal (ledger.h) before anybody hears of it.
 *
 * An answer is known by a hash of the task, its record and the text. The same answer again gets the same line from the
 * journal, also after a restart. */
#ifndef WEFT_JUDGE_SERVICE_H
#define WEFT_JUDGE_SERVICE_H

#include "http/http.h"
#include "judge/score.h"

typedef struct ServiceOptions {
    const char *address; /* IPv4 */
    unsigned port;
    const char *token_file; /* NULL: no token; then the address is one of this machine alone */
    unsigned queue;         /* answers that wait */
    bool until_eof;         /* ends with standard input, too: the program that started it is gone */
    const char *version;    /* of weft */
    void (*ready)(unsigned port, const void *user);
    const void *user;
} ServiceOptions;

/* Until score->stop is set: `options` as of judge_score, with the journal as output; `answers` and `resume` are not used.
 * False: score->error says why. The score is to be freed in any case. */
bool judge_listen(Score *score, const ScoreOptions *options, const ServiceOptions *service);

/* ---- private: the queue (service.c) ---- */

typedef struct Service Service;

typedef enum ServiceEnd {
    SERVICE_DONE,
    SERVICE_FULL,   /* nothing was taken: later */
    SERVICE_ENDING, /* the server ends: some were not judged */
    SERVICE_LOST    /* results cannot be kept */
} ServiceEnd;

typedef struct ServiceAnswer {
    const ScoreTask *task;
    const char *text;
    size_t len;
    bool is_no_text;
} ServiceAnswer;

typedef struct ServiceCounts {
    uint64_t requests, answers, known, passed, failed, unjudged, full, refused;
    double seconds; /* of threads that judged */
    uint32_t waiting, running, most_waiting;
    unsigned threads;
} ServiceCounts;

/* Waits until all are judged, and appends a line for each, in their order. */
ServiceEnd service_judge(Service *service, const ServiceAnswer *answers, size_t count, Text *lines);
const Score *service_score(const Service *service);
const ServiceOptions *service_options(const Service *service);
ServiceCounts service_counts(Service *service);
bool service_is_ending(const Service *service);
void service_count_request(Service *service, bool is_refused);

/* ---- private: requests (service_http.c) ---- */

typedef struct ServiceDoor {
    Service *service;
    Text token; /* empty: none is asked for */
    unsigned port;
} ServiceDoor;

bool service_read_token(ServiceDoor *door, const char *path, CorpusError *error);
HttpHandler service_admit, service_answer;

enum { MAX_SERVICE_THREADS = 256 };
enum {
    SERVICE_MOST_BODY = 32 << 20,
    SERVICE_MOST_BODIES = 256 << 20,
    SERVICE_MOST_ANSWER = 1 << 20,
    SERVICE_GUESTS = 512
};

#endif
