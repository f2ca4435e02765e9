/* An HTTP/1.1 server by libmicrohttpd, which is opened at run time: weft starts and builds without it.
 *
 * Each connection has a thread. A request is seen twice: `admit`, when its head is there, may refuse it before its body
 * is read; `answer` may take as long as it likes. Guests that are slow to ask, or slow to take an answer, are cut off.
 * When there are too many, the slowest makes room (guests.h). */
#ifndef WEFT_HTTP_HTTP_H
#define WEFT_HTTP_HTTP_H

#include "base/text.h"

typedef struct Http Http;

typedef struct HttpError {
    char message[400];
} HttpError;

typedef struct HttpRequest {
    const char *method, *path;
    const char *host, *type, *authorization; /* headers; "": not there */
    const char *body;
    size_t body_len;
} HttpRequest;

typedef struct HttpReply {
    unsigned status;      /* 0: none yet */
    const char *type;     /* a text that stays */
    unsigned retry_after; /* seconds; 0: not said */
    Text body;            /* empty, to be filled */
} HttpReply;

/* On threads of the server, many at a time. */
typedef void HttpHandler(void *user, const HttpRequest *request, HttpReply *reply);

typedef struct HttpOptions {
    const char *address; /* IPv4, as 127.0.0.1 */
    unsigned port;       /* 0: any that is free */
    unsigned most_guests;
    size_t most_body;   /* of one request: more is 413 */
    size_t most_bodies; /* of all requests at a time: more is 503 */
    HttpHandler *admit; /* leaves status 0 where the request is welcome; there is no body yet */
    HttpHandler *answer;
    void *user;
} HttpOptions;

/* Listens, and answers nobody yet. NULL: *error says why. */
Http *http_open(const HttpOptions *options, HttpError *error);
unsigned http_port(const Http *http);
bool http_run(Http *http, HttpError *error); /* from here on; returns at once */
/* Ends all connections; waits for handlers that still work. NULL: nothing happens. */
void http_close(Http *http);

/* Is it an address of this machine that no other reaches? */
bool http_is_loopback(const char *address);

#endif
