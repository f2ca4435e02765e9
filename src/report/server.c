/* A small HTTP server for one data set.
 *
 * It knows three addresses, and no files: "/", the page; "/list?…", rows that match; "/record?n=…", one record. A
 * request must name this machine as its host. So no other site's page can send requests through a name it controls
 * (DNS rebinding). Each connection is one thread and one request (door.h); a lock guards what is read. */
#include "report/door.h"
#include "report/overview.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { REQUEST_SIZE = 16384, MOST_ROWS = 200, VALUE_SIZE = 201 };

typedef struct Server {
    const Overview *overview;
    Places *places;
    const char *host;
    unsigned port;
    Text page;
    pthread_mutex_t lock;
} Server;

/* ---- answers ---- */

static void answer(Guest *guest, const char *status, const char *type, const Text *body, bool with_body)
{
    Text head = {0};
    text_format(
        &head,
        "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\nConnection: close\r\nCache-Control: "
        "no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n"
        "Cross-Origin-Opener-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n\r\n",
        status, type, body->len);
    if (!head.failed && !body->failed && guest_send(guest, head.data, head.len) && with_body)
        guest_send(guest, body->data, body->len);
    text_free(&head);
}

/* `why`: a sentence that the page shows; NULL: the status says it all. */
static void refuse_for(Guest *guest, const char *status, const char *why)
{
    Text body = {0};
    text_format(&body, "%s\n", why ? why : status);
    answer(guest, status, "text/plain", &body, true);
    text_free(&body);
}

static void refuse(Guest *guest, const char *status)
{
    refuse_for(guest, status, NULL);
}

/* ---- what is asked for ---- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The value of a field of a query, decoded; "": it is not there. False: it is too long, or has a NUL in it. */
static bool field_of(const char *query, const char *name, char value[VALUE_SIZE])
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
            return false;
        }
        value[used++] = c;
        value[used] = 0;
    }
    return true;
}

/* Why a query of the list is refused; NULL: it is not. */
static const char *wrong_field(const char *query)
{
    static const char *const fields[] = {"category", "split", "gradient", "difficulty", "from", "limit"};
    char value[VALUE_SIZE];
    if (!field_of(query, "q", value))
        return "The words to search for are too long: at most 200 bytes, and no NUL.";
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!field_of(query, fields[i], value))
            return "A field of the query is too long.";
    return NULL;
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

static void write_list(const Overview *overview, const char *query, Text *out)
{
    char words[VALUE_SIZE];
    field_of(query, "q", words);
    for (char *c = words; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    RowFilter filter = {.words = words,
                        .category = choice_of(query, "category", category_word, CATEGORY_COUNT),
                        .split = choice_of(query, "split", split_word, SPLIT_COUNT),
                        .gradient = choice_of(query, "gradient", row_gradient_name, ROW_GRADIENTS),
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

static void answer_record(Server *server, Guest *guest, const char *query, bool with_body)
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
        answer(guest, "200 OK", "application/json", &body, with_body);
    } else
        refuse(guest, error.message[0] ? "500 Internal Server Error" : "404 Not Found");
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

static void answer_request(Server *server, Guest *guest, char *head)
{
    bool get = strncmp(head, "GET ", 4) == 0, only_head = strncmp(head, "HEAD ", 5) == 0;
    if (!get && !only_head) {
        refuse(guest, "405 Method Not Allowed");
        return;
    }
    if (!is_our_host(server, head)) {
        refuse(guest, "403 Forbidden");
        return;
    }
    char *path = head + (get ? 4 : 5), *end = path + strcspn(path, " \r\n");
    *end = 0;
    char *query = strchr(path, '?');
    if (query)
        *query++ = 0;
    if (strcmp(path, "/") == 0)
        answer(guest, "200 OK", "text/html", &server->page, get);
    else if (strcmp(path, "/list") == 0) {
        const char *wrong = wrong_field(query);
        Text body = {0};
        if (wrong)
            refuse_for(guest, "400 Bad Request", wrong);
        else {
            write_list(server->overview, query, &body);
            answer(guest, "200 OK", "application/json", &body, get);
        }
        text_free(&body);
    } else if (strcmp(path, "/record") == 0)
        answer_record(server, guest, query, get);
    else
        refuse(guest, "404 Not Found");
}

static void serve_request(void *user, Guest *guest)
{
    Server *server = user;
    char *head = malloc(REQUEST_SIZE);
    size_t len = 0, got = 1;
    while (head && len + 1 < REQUEST_SIZE && got && !(len && strstr(head, "\r\n\r\n"))) {
        got = guest_receive(guest, head + len, REQUEST_SIZE - 1 - len);
        len += got;
        head[len] = 0;
    }
    guest_asked(guest);
    if (head && len && strlen(head) == len && strstr(head, "\r\n\r\n"))
        answer_request(server, guest, head);
    else if (len && guest_is_late(guest))
        refuse(guest, "408 Request Timeout");
    else if (len + 1 == REQUEST_SIZE)
        refuse_for(guest, "431 Request Header Fields Too Large", "The request is too long: at most 16 KiB.");
    else if (len)
        refuse(guest, "400 Bad Request");
    free(head);
}

bool report_serve(const Overview *overview, Places *places, Door *door, const ServeOptions *options, CorpusError *error)
{
    Server server = {.overview = overview,
                     .places = places,
                     .host = options->host,
                     .port = door_port(door),
                     .lock = PTHREAD_MUTEX_INITIALIZER};
    bool fine = report_page(overview, places, 0, &server.page, error);
    if (fine) {
        char address[100];
        snprintf(address, sizeof address, "http://%s:%u/", options->host, server.port);
        options->ready(address, options->user);
        door_run(door, options->stop, serve_request, &server);
    }
    text_free(&server.page);
    return fine;
}
