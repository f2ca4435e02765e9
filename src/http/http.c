#include "http/http.h"

#include "http/guests.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* Bytes: the head of a request; the stack of a connection's thread, on which JSON is read. */
enum { HEAD_SIZE = 32 << 10, STACK_SIZE = 1 << 20, SPARE_GUESTS = 8 };

struct Http {
    HttpOptions options;
    void *library;
    struct MHD_Daemon *daemon;
    Guests guests;
    bool has_guests;
    int fd; /* until the daemon has it; then -1 */
    unsigned port;
    atomic_size_t bodies; /* bytes of all bodies that are held */
#define CALL(name) __typeof__(&(name)) name;
#include "http/functions.def"
#undef CALL
};

/* One request, from its head to the end of its answer. */
typedef struct Exchange {
    Http *http;
    HttpReply reply;
    Text body;
    size_t counted; /* of the body, in http->bodies */
    unsigned refused;
} Exchange;

static bool fail(HttpError *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(HttpError *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return false;
}

/* ---- answers ---- */

static enum MHD_Result send_reply(Exchange *exchange, struct MHD_Connection *connection)
{
    const Http *http = exchange->http;
    HttpReply *reply = &exchange->reply;
    char seconds[20];
    bool is_lost = reply->body.failed || !reply->status;
    size_t len = is_lost ? 0 : reply->body.len;
    struct MHD_Response *response =
        http->MHD_create_response_from_buffer(len, len ? reply->body.data : "", MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    snprintf(seconds, sizeof seconds, "%u", reply->retry_after);
    if (reply->retry_after)
        http->MHD_add_response_header(response, "Retry-After", seconds);
    if (reply->type)
        http->MHD_add_response_header(response, "Content-Type", reply->type);
    http->MHD_add_response_header(response, "Cache-Control", "no-store");
    http->MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    enum MHD_Result sent = http->MHD_queue_response(connection, is_lost ? 500 : reply->status, response);
    http->MHD_destroy_response(response);
    return sent;
}

static void refuse(Exchange *exchange, unsigned status, const char *why)
{
    HttpReply *reply = &exchange->reply;
    reply->status = status;
    reply->type = "application/json";
    reply->retry_after = status == 503 ? 1 : 0;
    reply->body.len = 0;
    text_format(&reply->body, "{\"error\": \"%s\"}\n", why);
}

/* ---- requests ---- */

static const char *header(const Http *http, struct MHD_Connection *connection, const char *name)
{
    const char *value = http->MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
    return value ? value : "";
}

static Guest *guest_of(const Http *http, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        http->MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static HttpRequest request_of(const Http *http, struct MHD_Connection *connection, const char *method, const char *path)
{
    return (HttpRequest){.method = method,
                         .path = path,
                         .host = header(http, connection, "Host"),
                         .type = header(http, connection, "Content-Type"),
                         .authorization = header(http, connection, "Authorization"),
                         .body = ""};
}

/* The head is there. */
static enum MHD_Result begin(Http *http, struct MHD_Connection *connection, const HttpRequest *request, void **own)
{
    Exchange *exchange = calloc(1, sizeof *exchange);
    if (!exchange)
        return MHD_NO;
    *own = exchange;
    exchange->http = http;
    http->options.admit(http->options.user, request, &exchange->reply);
    const char *length = header(http, connection, "Content-Length");
    if (!exchange->reply.status && strtoull(length, NULL, 10) > http->options.most_body)
        refuse(exchange, 413, "the request is too large");
    return exchange->reply.status ? send_reply(exchange, connection) : MHD_YES;
}

/* A part of the body. Where it is too much, the rest is read and forgotten, up to twice as much. */
static enum MHD_Result take(Exchange *exchange, const char *bytes, size_t *size)
{
    Http *http = exchange->http;
    size_t len = *size, most = http->options.most_body;
    *size = 0;
    exchange->counted += len;
    if (atomic_fetch_add(&http->bodies, len) + len > http->options.most_bodies && !exchange->refused)
        exchange->refused = 503;
    if (exchange->counted > most)
        exchange->refused = 413;
    if (exchange->counted > 2 * most)
        return MHD_NO;
    if (exchange->refused)
        text_free(&exchange->body);
    else
        text_add(&exchange->body, bytes, len);
    return MHD_YES;
}

static enum MHD_Result finish(Exchange *exchange, struct MHD_Connection *connection, HttpRequest *request)
{
    Http *http = exchange->http;
    Guest *guest = guest_of(http, connection);
    if (exchange->refused || exchange->body.failed)
        refuse(exchange, exchange->refused ? exchange->refused : 503,
               exchange->refused == 413 ? "the request is too large" : "there is no memory for more requests now");
    else {
        request->body = text_cstr(&exchange->body);
        request->body_len = exchange->body.len;
        guests_move(&http->guests, guest, GUEST_WAITS);
        http->options.answer(http->options.user, request, &exchange->reply);
    }
    guests_move(&http->guests, guest, GUEST_LISTENS);
    return send_reply(exchange, connection);
}

static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *bytes, size_t *size, void **own)
{
    Http *http = user;
    Exchange *exchange = *own;
    HttpRequest request = request_of(http, connection, method, path);
    (void)version;
    if (!exchange)
        return begin(http, connection, &request, own);
    if (*size)
        return take(exchange, bytes, size);
    return exchange->reply.status ? MHD_YES : finish(exchange, connection, &request);
}

static void complete(void *user, struct MHD_Connection *connection, void **own, enum MHD_RequestTerminationCode how)
{
    Http *http = user;
    Exchange *exchange = *own;
    (void)how;
    guests_move(&http->guests, guest_of(http, connection), GUEST_ASKS);
    *own = NULL;
    if (!exchange)
        return;
    atomic_fetch_sub(&http->bodies, exchange->counted);
    text_free(&exchange->body);
    text_free(&exchange->reply.body);
    free(exchange);
}

static void come_and_go(void *user, struct MHD_Connection *connection, void **place,
                        enum MHD_ConnectionNotificationCode what)
{
    Http *http = user;
    const union MHD_ConnectionInfo *info = http->MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        guests_leave(&http->guests, *place);
        *place = NULL;
    } else {
        *place = info ? guests_come(&http->guests, info->connect_fd) : NULL;
        if (info && !*place)
            shutdown(info->connect_fd, SHUT_RDWR);
    }
}

/* ---- opening ---- */

bool http_is_loopback(const char *address)
{
    struct in_addr number;
    return inet_pton(AF_INET, address, &number) == 1 && ntohl(number.s_addr) >> 24 == 127;
}

static bool open_library(Http *http, HttpError *error)
{
    static const struct {
        const char *name;
        size_t offset;
    } functions[] = {
#define CALL(name) {#name, offsetof(Http, name)},
#include "http/functions.def"
#undef CALL
    };
    http->library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
    if (!http->library)
        return fail(error, "libmicrohttpd (libmicrohttpd.so.12) is not installed: apt-get install libmicrohttpd12, or "
                           "whatever your system calls it");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(http->library, functions[i].name);
        if (!found)
            return fail(error, "the libmicrohttpd of this machine has no %s", functions[i].name);
        memcpy((char *)http + functions[i].offset, &found, sizeof found);
    }
    return true;
}

static bool listen_at(Http *http, HttpError *error)
{
    const char *host = http->options.address;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)http->options.port)};
    socklen_t size = sizeof address;
    int yes = 1;
    if (inet_pton(AF_INET, host, &address.sin_addr) != 1)
        return fail(error, "'%s' is not an IPv4 address, as 127.0.0.1", host);
    http->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (http->fd >= 0)
        setsockopt(http->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (http->fd < 0 || bind(http->fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(http->fd, 128) != 0 || getsockname(http->fd, (struct sockaddr *)&address, &size) != 0)
        return fail(error, "cannot listen at %s:%u: %s", host, http->options.port, strerror(errno));
    http->port = ntohs(address.sin_port);
    return true;
}

Http *http_open(const HttpOptions *options, HttpError *error)
{
    Http *http = calloc(1, sizeof *http);
    if (!http) {
        fail(error, "out of memory");
        return NULL;
    }
    http->options = *options;
    http->fd = -1;
    if (open_library(http, error) && listen_at(http, error))
        return http;
    http_close(http);
    return NULL;
}

unsigned http_port(const Http *http)
{
    return http->port;
}

bool http_run(Http *http, HttpError *error)
{
    http->has_guests = guests_open(&http->guests, http->options.most_guests);
    if (!http->has_guests)
        return fail(error, "out of memory, or no thread can be started");
    const struct MHD_OptionItem items[] = {
        {MHD_OPTION_LISTEN_SOCKET, http->fd, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)http->options.most_guests + SPARE_GUESTS, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, HEAD_SIZE, NULL},
        {MHD_OPTION_THREAD_STACK_SIZE, STACK_SIZE, NULL},
        {MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)come_and_go, http},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)complete, http},
        {MHD_OPTION_END, 0, NULL},
    };
    http->daemon = http->MHD_start_daemon(MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
                                              MHD_USE_POLL | MHD_USE_ITC,
                                          0, NULL, NULL, handle, http, MHD_OPTION_ARRAY, items, MHD_OPTION_END);
    if (!http->daemon)
        return fail(error, "libmicrohttpd cannot start: %s", strerror(errno));
    http->fd = -1; /* the daemon closes it */
    return true;
}

void http_close(Http *http)
{
    if (!http)
        return;
    if (http->daemon)
        http->MHD_stop_daemon(http->daemon);
    if (http->has_guests)
        guests_close(&http->guests);
    if (http->fd >= 0)
        close(http->fd);
    if (http->library)
        dlclose(http->library);
    free(http);
}
