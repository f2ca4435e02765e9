/* A small HTTP server for one data set.
 *
 * It knows three addresses, and no files: "/", the page; "/list?…", rows that match; "/record?n=…", one record. A request must name this machine as its
 * host, so that no page of another site can ask through a name that it controls (DNS rebinding). Each connection is one thread and one request; a lock
 * guards what is read. */
#include "report/overview.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_SIZE = 16384, MOST_CONNECTIONS = 64, WAIT_SECONDS = 5, MOST_ROWS = 200, VALUE_SIZE = 200 };

typedef struct Server {
    const Overview *overview;
    Places *places;
    const char *host;
    unsigned port;
    Text page;
    pthread_mutex_t lock;
    atomic_int connections;
} Server;

typedef struct Connection {
    Server *server;
    int fd;
} Connection;

/* ---- answers ---- */

static bool send_all(int fd, const char *bytes, size_t len)
{
    while (len) {
        ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        len -= (size_t)sent;
    }
    return true;
}

static void answer(int fd, const char *status, const char *type, const Text *body, bool with_body)
{
    Text head = {0};
    text_format(
        &head,
        "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\nConnection: close\r\nCache-Control: "
        "no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n"
        "Cross-Origin-Opener-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n\r\n",
        status, type, body->len);
    if (!head.failed && !body->failed && send_all(fd, head.data, head.len) && with_body)
        send_all(fd, body->data, body->len);
    text_free(&head);
}

static void refuse(int fd, const char *status)
{
    Text body = {0};
    text_format(&body, "%s\n", status);
    answer(fd, status, "text/plain", &body, true);
    text_free(&body);
}

/* ---- what is asked for ---- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The value of a field of a query, decoded; "": it is not there, or too long. */
static void field_of(const char *query, const char *name, char value[VALUE_SIZE])
{
    size_t len = strlen(name), used = 0;
    value[0] = 0;
    while (query && !(strncmp(query, name, len) == 0 && query[len] == '=')) {
        query = strchr(query, '&');
        query = query ? query + 1 : NULL;
    }
    for (const char *at = query ? query + len + 1 : ""; *at && *at != '&'; at++) {
        char c = *at == '+' ? ' ' : *at;
        if (c == '%' && hex_digit(at[1]) >= 0 && hex_digit(at[2]) >= 0) {
            c = (char)(hex_digit(at[1]) * 16 + hex_digit(at[2]));
            at += 2;
        }
        if (!c || used + 1 == VALUE_SIZE) {
            value[0] = 0;
            return;
        }
        value[used++] = c;
        value[used] = 0;
    }
}

static uint64_t number_of(const char *query, const char *name, uint64_t otherwise)
{
    char value[VALUE_SIZE], *end;
    field_of(query, name, value);
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    return isdigit((unsigned char)value[0]) && !*end && !errno ? number : otherwise;
}

/* -1: any; count: none of these, which no row has. */
static int choice_of(const char *query, const char *name, const char *word(unsigned), unsigned count)
{
    char value[VALUE_SIZE];
    field_of(query, name, value);
    unsigned i = 0;
    while (i < count && strcmp(value, word(i)) != 0)
        i++;
    return value[0] ? (int)i : -1;
}

static const char *category_word(unsigned i)
{
    return category_name((CategoryId)i);
}

static const char *split_word(unsigned i)
{
    return split_name((Split)i);
}

static const char *gradient_word(unsigned i)
{
    return gradient_verdict_name((GradientVerdict)i);
}

static void write_list(const Overview *overview, const char *query, Text *out)
{
    char words[VALUE_SIZE];
    field_of(query, "q", words);
    for (char *c = words; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    RowFilter filter = {.words = words,
                        .category = choice_of(query, "category", category_word, CATEGORY_COUNT),
                        .split = choice_of(query, "split", split_word, SPLIT_COUNT),
                        .gradient = choice_of(query, "gradient", gradient_word, GRADIENT_VERDICTS),
                        .difficulty = choice_of(query, "difficulty", difficulty_name, DIFFICULTY_COUNT)};
    uint64_t from = number_of(query, "from", 0), limit = number_of(query, "limit", 50), found = 0;
    JsonWriter json = {.out = out};
    limit = limit < MOST_ROWS ? limit : MOST_ROWS;
    json_open(&json, NULL, '{');
    json_open(&json, "rows", '[');
    for (size_t i = 0; i < overview->count; i++)
        if (row_matches(overview, &overview->rows[i], &filter)) {
            if (found >= from && found - from < limit)
                write_row(overview, i, &json);
            found++;
        }
    json_close(&json, ']');
    json_add_uint(&json, "found", found);
    json_close(&json, '}');
}

static void answer_record(Server *server, int fd, const char *query, bool with_body)
{
    CorpusError error = {""};
    Text body = {0};
    size_t len = 0;
    uint64_t number = number_of(query, "n", UINT64_MAX);
    pthread_mutex_lock(&server->lock);
    char *line = number < server->overview->count ? places_read(server->places, number, &len, &error) : NULL;
    pthread_mutex_unlock(&server->lock);
    if (line) {
        text_add(&body, line, len);
        answer(fd, "200 OK", "application/json", &body, with_body);
    } else
        refuse(fd, error.message[0] ? "500 Internal Server Error" : "404 Not Found");
    free(line);
    text_free(&body);
}

/* ---- requests ---- */

/* The line of a header, without its name; NULL: it is not there, or there twice. */
static const char *header_of(const char *head, const char *name, size_t *len)
{
    const char *found = NULL;
    for (const char *line = strstr(head, "\r\n"); line && line[2] && line[2] != '\r'; line = strstr(line + 2, "\r\n")) {
        size_t name_len = strlen(name);
        if (strncasecmp(line + 2, name, name_len) != 0 || line[2 + name_len] != ':')
            continue;
        if (found)
            return NULL;
        found = line + 3 + name_len;
        found += strspn(found, " \t");
        *len = strcspn(found, "\r");
    }
    return found;
}

/* Is it this machine that the request is meant for? */
static bool is_our_host(const Server *server, const char *head)
{
    const char *const names[] = {"127.0.0.1", "localhost", server->host};
    size_t len = 0;
    const char *host = header_of(head, "Host", &len);
    for (int i = 0; host && i < 3; i++) {
        char wanted[80];
        int size = snprintf(wanted, sizeof wanted, "%s:%u", names[i], server->port);
        if (size == (int)len && strncasecmp(host, wanted, len) == 0)
            return true;
        if (server->port == 80 && strlen(names[i]) == len && strncasecmp(host, names[i], len) == 0)
            return true;
    }
    return false;
}

static void answer_request(Server *server, int fd, char *head)
{
    bool get = strncmp(head, "GET ", 4) == 0, only_head = strncmp(head, "HEAD ", 5) == 0;
    if (!get && !only_head) {
        refuse(fd, "405 Method Not Allowed");
        return;
    }
    if (!is_our_host(server, head)) {
        refuse(fd, "403 Forbidden");
        return;
    }
    char *path = head + (get ? 4 : 5), *end = path + strcspn(path, " \r\n");
    *end = 0;
    char *query = strchr(path, '?');
    if (query)
        *query++ = 0;
    if (strcmp(path, "/") == 0)
        answer(fd, "200 OK", "text/html", &server->page, get);
    else if (strcmp(path, "/list") == 0) {
        Text body = {0};
        write_list(server->overview, query, &body);
        answer(fd, "200 OK", "application/json", &body, get);
        text_free(&body);
    } else if (strcmp(path, "/record") == 0)
        answer_record(server, fd, query, get);
    else
        refuse(fd, "404 Not Found");
}

static void *serve_connection(void *user)
{
    Connection *connection = user;
    Server *server = connection->server;
    char *head = malloc(REQUEST_SIZE);
    size_t len = 0;
    ssize_t got = 1;
    while (head && len + 1 < REQUEST_SIZE && got > 0 && !(len && strstr(head, "\r\n\r\n"))) {
        got = recv(connection->fd, head + len, REQUEST_SIZE - 1 - len, 0);
        len += got > 0 ? (size_t)got : 0;
        head[len] = 0;
    }
    if (head && len && strlen(head) == len && strstr(head, "\r\n\r\n"))
        answer_request(server, connection->fd, head);
    else if (len)
        refuse(connection->fd, "400 Bad Request");
    shutdown(connection->fd, SHUT_RDWR);
    close(connection->fd);
    free(head);
    free(connection);
    server->connections--;
    return NULL;
}

/* ---- the door ---- */

static void take_connection(Server *server, int listening)
{
    struct timeval wait = {.tv_sec = WAIT_SECONDS};
    int fd = accept(listening, NULL, NULL);
    Connection *connection = fd >= 0 ? malloc(sizeof *connection) : NULL;
    pthread_t thread;
    if (connection && server->connections < MOST_CONNECTIONS) {
        *connection = (Connection){server, fd};
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
        server->connections++;
        if (pthread_create(&thread, NULL, serve_connection, connection) == 0) {
            pthread_detach(thread);
            return;
        }
        server->connections--;
    }
    free(connection);
    if (fd >= 0)
        close(fd);
}

static int listen_at(const ServeOptions *options, unsigned *port, CorpusError *error)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options->port)};
    socklen_t size = sizeof address;
    int yes = 1, fd = -1;
    if (inet_pton(AF_INET, options->host, &address.sin_addr) != 1) {
        corpus_fail(error, "--host takes an IPv4 address, as 127.0.0.1, not '%s'", options->host);
        return -1;
    }
    fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, MOST_CONNECTIONS) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &size) == 0) {
        *port = ntohs(address.sin_port);
        return fd;
    }
    corpus_fail(error, "cannot listen at %s:%u: %s", options->host, options->port, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

bool report_serve(const Overview *overview, Places *places, const ServeOptions *options, CorpusError *error)
{
    Server server = {.overview = overview, .places = places, .host = options->host, .lock = PTHREAD_MUTEX_INITIALIZER};
    int listening = listen_at(options, &server.port, error);
    bool fine = listening >= 0 && report_page(overview, places, 0, &server.page, error);
    if (fine) {
        char address[100];
        snprintf(address, sizeof address, "http://%s:%u/", options->host, server.port);
        options->ready(address, options->user);
    }
    while (fine && !*options->stop) {
        struct pollfd wait = {.fd = listening, .events = POLLIN};
        if (poll(&wait, 1, 200) > 0)
            take_connection(&server, listening);
    }
    if (listening >= 0)
        close(listening);
    for (int i = 0; i < 10 * (WAIT_SECONDS + 1) && server.connections; i++) /* threads use what is freed next */
        usleep(100000);
    if (!server.connections)
        text_free(&server.page);
    return fine;
}
