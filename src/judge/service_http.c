/* Requests to a judge that listens, and its replies. */
#include "corpus/shard.h"
#include "judge/mend_line.h"
#include "judge/service.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST_TOKEN = 16, MOST_TOKEN = 1024 };

static const char json_words[] = "application/json";

static void refuse(HttpReply *reply, unsigned status, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void refuse(HttpReply *reply, unsigned status, const char *format, ...)
{
    char why[400];
    JsonWriter json = {.out = &reply->body};
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    reply->status = status;
    reply->type = json_words;
    reply->retry_after = status == 503 ? 1 : 0;
    reply->body.len = 0;
    json_open(&json, NULL, '{');
    json_add_string(&json, "error", why);
    json_close(&json, '}');
    text_char(&reply->body, '\n');
}

/* ---- who may ask ---- */

bool service_read_token(ServiceDoor *door, const char *path, CorpusError *error)
{
    char bytes[MOST_TOKEN + 1];
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_file = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    ssize_t len = is_file ? read(fd, bytes, sizeof bytes) : -1;
    const char *why = fd < 0 ? strerror(errno) : "it is not a file";
    if (fd >= 0)
        close(fd);
    if (len < 0)
        return corpus_fail(error, "%s cannot be read: %s", path, why);
    while (len && isspace((unsigned char)bytes[len - 1]))
        len--;
    bool is_plain = len >= LEAST_TOKEN && len <= MOST_TOKEN;
    for (ssize_t i = 0; is_plain && i < len; i++)
        is_plain = isgraph((unsigned char)bytes[i]);
    text_add(&door->token, bytes, is_plain ? (size_t)len : 0);
    return (is_plain && !door->token.failed) ||
           corpus_fail(error, "%s is no token: a line of %d to %d letters, digits and signs is", path, LEAST_TOKEN,
                       MOST_TOKEN);
}

/* Takes as long for every token of the same length. */
static bool has_token(const ServiceDoor *door, const char *authorization)
{
    static const char scheme[] = "Bearer ";
    const Text *token = &door->token;
    if (strncasecmp(authorization, scheme, sizeof scheme - 1) != 0)
        return false;
    const char *given = authorization + sizeof scheme - 1;
    unsigned apart = strlen(given) != token->len;
    for (size_t i = 0; i < token->len && given[i]; i++)
        apart |= (unsigned)(given[i] ^ token->data[i]);
    return !apart;
}

/* Without a token, the request names this machine: another site's page cannot get here by a name that it controls. */
static bool is_our_host(const ServiceDoor *door, const char *host)
{
    const char *const names[] = {"127.0.0.1", "localhost", service_options(door->service)->address};
    size_t len = strcspn(host, ":");
    unsigned long port = host[len] ? strtoul(host + len + 1, NULL, 10) : 80;
    bool is_ours = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_ours |= strlen(names[i]) == len && strncasecmp(names[i], host, len) == 0;
    return is_ours && port == door->port;
}

/* ---- what is asked ---- */

static bool is_json(const char *type)
{
    size_t len = sizeof json_words - 1;
    return strncasecmp(type, json_words, len) == 0 && (!type[len] || type[len] == ';' || type[len] == ' ');
}

void service_admit(void *user, const HttpRequest *request, HttpReply *reply)
{
    const ServiceDoor *door = user;
    bool is_score = strcmp(request->path, "/score") == 0, is_health = strcmp(request->path, "/health") == 0;
    bool is_known = is_score || is_health || strcmp(request->path, "/metrics") == 0;
    const char *method = is_score ? "POST" : "GET";
    if (!door->token.len && !is_our_host(door, request->host))
        refuse(reply, 403, "the request is for another host");
    else if (!is_known)
        refuse(reply, 404, "there are POST /score, GET /health and GET /metrics");
    else if (strcmp(request->method, method) != 0)
        refuse(reply, 405, "%s takes %s", request->path, method);
    else if (door->token.len && !is_health && !has_token(door, request->authorization))
        refuse(reply, 401, "the header Authorization: Bearer TOKEN is missing, or its token is another");
    else if (is_score && !is_json(request->type))
        refuse(reply, 415, "the header Content-Type: application/json is needed");
    if (reply->status)
        service_count_request(door->service, true);
}

static void tell_health(Service *service, HttpReply *reply)
{
    ServiceCounts counts = service_counts(service);
    bool ok = !service_is_ending(service);
    JsonWriter json = {.out = &reply->body};
    reply->status = ok ? 200 : 503;
    reply->type = json_words;
    json_open(&json, NULL, '{');
    json_add_bool(&json, "ok", ok);
    json_add_string(&json, "weft", service_options(service)->version);
    json_add_bool(&json, "gpu", service_score(service)->options->gpu);
    json_add_uint(&json, "tasks", service_score(service)->task_count);
    json_add_uint(&json, "threads", counts.threads);
    json_add_uint(&json, "waiting", counts.waiting);
    json_add_uint(&json, "running", counts.running);
    json_add_uint(&json, "queue", counts.most_waiting);
    json_close(&json, '}');
    text_char(&reply->body, '\n');
}

/* The memory of this process, without those in sandboxes. */
static uint64_t resident_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*u %llu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void metric(Text *out, const char *type, const char *name, const char *label, double value)
{
    if (!label || strstr(label, "passed"))
        text_format(out, "# TYPE weft_judge_%s %s\n", name, type);
    text_format(out, "weft_judge_%s%s %.15g\n", name, label ? label : "", value);
}

static void tell_metrics(Service *service, HttpReply *reply)
{
    ServiceCounts counts = service_counts(service);
    Text *out = &reply->body;
    reply->status = 200;
    reply->type = "text/plain; version=0.0.4";
    metric(out, "counter", "requests_total", NULL, (double)counts.requests);
    metric(out, "counter", "requests_refused_total", NULL, (double)counts.refused);
    metric(out, "counter", "requests_queue_full_total", NULL, (double)counts.full);
    metric(out, "counter", "answers_total", NULL, (double)counts.answers);
    metric(out, "counter", "answers_known_total", NULL, (double)counts.known);
    metric(out, "counter", "judged_total", "{result=\"passed\"}", (double)counts.passed);
    metric(out, "counter", "judged_total", "{result=\"failed\"}", (double)counts.failed);
    metric(out, "counter", "judged_total", "{result=\"unjudged\"}", (double)counts.unjudged);
    metric(out, "counter", "judging_seconds_total", NULL, counts.seconds);
    metric(out, "gauge", "waiting", NULL, counts.waiting);
    metric(out, "gauge", "running", NULL, counts.running);
    metric(out, "gauge", "queue_limit", NULL, counts.most_waiting);
    metric(out, "gauge", "threads", NULL, counts.threads);
    metric(out, "gauge", "resident_bytes", NULL, (double)resident_bytes());
}

/* ---- POST /score ---- */

typedef struct Asked {
    json_t *json, *list;
    bool is_single, is_mended;
    ServiceAnswer *answers;
    size_t count;
} Asked;

static void read_json(const HttpRequest *request, Asked *asked)
{
    Text text;
    asked->json = json_read(request->body, request->body_len);
    if (asked->json)
        return;
    text_init(&text);
    mend_line(request->body, request->body_len, &text);
    asked->json = text.failed ? NULL : json_read(text.data, text.len);
    asked->is_mended = asked->json;
    text_free(&text);
}

static bool read_answer(const Service *service, const json_t *object, size_t number, Asked *asked, HttpReply *reply)
{
    static const char replacement[] = "\xef\xbf\xbd";
    const json_t *text = json_object_get(object, "answer"), *id = json_object_get(object, "id");
    ServiceAnswer *answer = &asked->answers[number];
    if (!json_is_string(text) || !json_is_string(id))
        refuse(reply, 400, "answer %zu: `id` and `answer` are needed, both strings", number);
    else if (json_string_length(text) > SERVICE_MOST_ANSWER)
        refuse(reply, 413, "answer %zu has more than %d bytes", number, SERVICE_MOST_ANSWER);
    else if (!(answer->task = score_task_named(service_score(service), json_string_value(id))))
        refuse(reply, 404, "answer %zu: there is no task with the id '%.200s'", number, json_string_value(id));
    answer->text = json_string_value(text);
    answer->len = json_string_length(text);
    answer->is_no_text = asked->is_mended && answer->text && strstr(answer->text, replacement);
    return !reply->status;
}

/* One answer, {"answers": […]}, or […]. */
static void read_request(const Service *service, const HttpRequest *request, Asked *asked, HttpReply *reply)
{
    read_json(request, asked);
    json_t *list = json_object_get(asked->json, "answers");
    list = list ? list : asked->json;
    asked->is_single = json_is_object(list);
    asked->count = asked->is_single ? 1 : json_array_size(list);
    if (!asked->json)
        refuse(reply, 400, "the body is not JSON");
    else if (!asked->is_single && !json_is_array(list))
        refuse(reply, 400, "the body is {\"id\": …, \"answer\": …}, a list of such, or {\"answers\": that list}");
    else if (asked->count > service_options(service)->queue)
        refuse(reply, 413, "%zu answers are more than the queue takes, %u", asked->count,
               service_options(service)->queue);
    else if (!(asked->answers = calloc(asked->count + 1, sizeof *asked->answers)))
        refuse(reply, 503, "there is no memory for more requests now");
    for (size_t i = 0; !reply->status && i < asked->count; i++)
        read_answer(service, asked->is_single ? list : json_array_get(list, i), i, asked, reply);
}

/* The lines as elements of a list. */
static void write_results(const Text *lines, bool is_single, Text *out)
{
    if (!is_single)
        text_lit(out, "{\"results\": [");
    for (size_t at = 0; at < lines->len;) {
        const char *end = memchr(lines->data + at, '\n', lines->len - at);
        size_t len = end ? (size_t)(end - lines->data) - at : lines->len - at;
        if (at)
            text_lit(out, ",\n");
        text_add(out, lines->data + at, len);
        at += len + 1;
    }
    if (!is_single)
        text_lit(out, "]}");
    text_char(out, '\n');
    text_fail_like(out, lines);
}

static void score(Service *service, const HttpRequest *request, HttpReply *reply)
{
    Asked asked = {0};
    Text lines;
    text_init(&lines);
    read_request(service, request, &asked, reply);
    ServiceEnd end = reply->status ? SERVICE_DONE : service_judge(service, asked.answers, asked.count, &lines);
    if (end == SERVICE_FULL)
        refuse(reply, 503, "the queue is full");
    else if (end == SERVICE_ENDING)
        refuse(reply, 503, "the server ends");
    else if (end == SERVICE_LOST)
        refuse(reply, 500, "results cannot be kept: out of memory, or the journal cannot be written");
    if (!reply->status) {
        reply->status = 200;
        reply->type = json_words;
        write_results(&lines, asked.is_single, &reply->body);
    }
    text_free(&lines);
    free(asked.answers);
    json_decref(asked.json);
}

void service_answer(void *user, const HttpRequest *request, HttpReply *reply)
{
    const ServiceDoor *door = user;
    if (strcmp(request->path, "/health") == 0)
        tell_health(door->service, reply);
    else if (strcmp(request->path, "/metrics") == 0)
        tell_metrics(door->service, reply);
    else
        score(door->service, request, reply);
    service_count_request(door->service, reply->status >= 400);
}
