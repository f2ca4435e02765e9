#include "base/json.h"

#include "base/limits.h"

#include <ctype.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* ---- in ---- */

/* Where memory ends within a string, jansson goes on with a part of it, and writes past its buffer or fails an assertion. So an
 * allocation that fails while it reads leaves it at once; what it had made until then is not freed. */
static _Thread_local jmp_buf *way_out;

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (!memory && way_out)
        longjmp(*way_out, 1);
    return memory;
}

static void use_allocate(void)
{
    json_set_alloc_funcs(allocate, free);
}

static json_t *load(const char *bytes, size_t len, size_t flags, json_error_t *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, use_allocate);
    jmp_buf here;
    if (setjmp(here)) {
        way_out = NULL;
        error->text[0] = '\0';
        return NULL;
    }
    way_out = &here;
    json_t *json = json_loadb(bytes, len, flags, error);
    way_out = NULL;
    return json;
}

json_t *json_read(const char *bytes, size_t len)
{
    json_error_t error;
    return load(bytes, len, JSON_REJECT_DUPLICATES, &error);
}

json_t *json_read_or_give_up(Arena *arena, const char *bytes, size_t len)
{
    json_error_t error;
    json_t *json = load(bytes, len, JSON_REJECT_DUPLICATES, &error);
    if (json)
        return json;
    /* Where malloc fails, jansson says nothing, or something else. But what is wrong with the text is wrong each time. */
    json = load(bytes, len, JSON_REJECT_DUPLICATES, &error);
    if (json || !error.text[0] || json_error_code(&error) == json_error_out_of_memory) {
        json_decref(json);
        arena_give_up(arena);
    }
    return NULL;
}

/* A pass over JSON that keeps a few members of the outermost object. Every skip_ function passes over what its name says;
 * false: it is not there. */
typedef struct Scan {
    const char *at, *end;
    const char *const *names; /* of the members to keep */
    json_t *kept;
    unsigned depth; /* of arrays and objects that are open */
} Scan;

static bool skip_value(Scan *scan);

static bool is_next(const Scan *scan, char c)
{
    return scan->at < scan->end && *scan->at == c;
}

static bool skip_char(Scan *scan, char c)
{
    bool found = is_next(scan, c);
    scan->at += found;
    return found;
}

static void skip_space(Scan *scan)
{
    while (skip_char(scan, ' ') || skip_char(scan, '\n') || skip_char(scan, '\t') || skip_char(scan, '\r'))
        ;
}

static bool skip_word(Scan *scan, const char *word)
{
    size_t len = strlen(word);
    bool found = (size_t)(scan->end - scan->at) >= len && memcmp(scan->at, word, len) == 0;
    scan->at += found ? len : 0;
    return found;
}

static bool skip_digits(Scan *scan)
{
    const char *start = scan->at;
    while (scan->at < scan->end && isdigit((unsigned char)*scan->at))
        scan->at++;
    return scan->at > start;
}

static bool skip_number(Scan *scan)
{
    skip_char(scan, '-');
    if (!skip_char(scan, '0') && !skip_digits(scan))
        return false;
    if (skip_char(scan, '.') && !skip_digits(scan))
        return false;
    if (!skip_char(scan, 'e') && !skip_char(scan, 'E'))
        return true;
    if (!skip_char(scan, '-'))
        skip_char(scan, '+');
    return skip_digits(scan);
}

static bool skip_escape(Scan *scan)
{
    size_t digits = 0, left = (size_t)(scan->end - scan->at);
    if (left < 2 || !memchr("\"\\/bfnrtu", scan->at[1], 9))
        return false;
    if (scan->at[1] == 'u')
        while (digits < 4 && left > 2 + digits && isxdigit((unsigned char)scan->at[2 + digits]))
            digits++;
    bool fine = scan->at[1] != 'u' || digits == 4;
    scan->at += 2 + digits;
    return fine;
}

/* One that is not plain ASCII. */
static bool skip_odd_character(Scan *scan)
{
    size_t left = (size_t)(scan->end - scan->at), len = left ? utf8_length(scan->at, left) : 0;
    bool fine = len && (unsigned char)*scan->at >= 0x20;
    scan->at += len;
    return fine;
}

static bool skip_string(Scan *scan)
{
    if (!skip_char(scan, '"'))
        return false;
    for (;;) {
        scan->at += plain_length(scan->at, (size_t)(scan->end - scan->at));
        if (skip_char(scan, '"'))
            return true;
        if (!(is_next(scan, '\\') ? skip_escape(scan) : skip_odd_character(scan)))
            return false;
    }
}

/* Keeps the member whose name and value are here, in case it is one of those. */
static bool keep_member(Scan *scan, const char *name, const char *name_end, const char *value)
{
    json_error_t error;
    json_t *key = load(name, (size_t)(name_end - name), JSON_DECODE_ANY, &error); /* it may have escapes */
    const char *text = json_string_value(key);
    bool fine = key != NULL;
    for (size_t i = 0; fine && scan->names[i]; i++)
        if (strcmp(scan->names[i], text) == 0)
            fine = !json_object_get(scan->kept, text) &&
                   json_object_set_new(
                       scan->kept, text,
                       load(value, (size_t)(scan->at - value), JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error)) == 0;
    json_decref(key);
    return fine;
}

static bool skip_member(Scan *scan)
{
    const char *name = scan->at;
    if (!skip_string(scan))
        return false;
    const char *name_end = scan->at;
    skip_space(scan);
    if (!skip_char(scan, ':'))
        return false;
    skip_space(scan);
    const char *value = scan->at;
    return skip_value(scan) && (scan->depth > 1 || keep_member(scan, name, name_end, value));
}

/* An array or an object. */
static bool skip_list(Scan *scan)
{
    bool object = is_next(scan, '{'), fine = scan->depth < LIMIT_JSON_DEPTH;
    char bracket = object ? '}' : ']';
    scan->at++;
    scan->depth++;
    skip_space(scan);
    bool more = !is_next(scan, bracket);
    while (fine && more) {
        fine = object ? skip_member(scan) : skip_value(scan);
        skip_space(scan);
        more = skip_char(scan, ',');
        if (more)
            skip_space(scan);
    }
    scan->depth--;
    return fine && skip_char(scan, bracket);
}

static bool skip_value(Scan *scan)
{
    switch (scan->at < scan->end ? *scan->at : '\0') {
    case '{':
    case '[': return skip_list(scan);
    case '"': return skip_string(scan);
    case 't': return skip_word(scan, "true");
    case 'f': return skip_word(scan, "false");
    case 'n': return skip_word(scan, "null");
    default: return skip_number(scan);
    }
}

json_t *json_read_members(const char *bytes, size_t len, const char *const *names)
{
    Scan scan = {.at = bytes, .end = bytes + len, .names = names, .kept = json_object()};
    skip_space(&scan);
    bool fine = scan.kept && is_next(&scan, '{') && skip_list(&scan);
    skip_space(&scan);
    if (fine && scan.at == scan.end)
        return scan.kept;
    json_decref(scan.kept);
    return NULL;
}

const char *json_member_string(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static void write_value(JsonWriter *json, const char *name, const json_t *value)
{
    void *members = (void *)(uintptr_t)value; /* jansson iterates over what is not const */
    const char *key;
    json_t *item;
    size_t index;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        json_open(json, name, '{');
        json_object_foreach(members, key, item) write_value(json, key, item);
        json_close(json, '}');
        break;
    case JSON_ARRAY:
        json_open(json, name, '[');
        json_array_foreach(value, index, item) write_value(json, NULL, item);
        json_close(json, ']');
        break;
    case JSON_STRING: json_add_string_n(json, name, json_string_value(value), json_string_length(value)); break;
    case JSON_INTEGER: json_add_int(json, name, json_integer_value(value)); break;
    case JSON_REAL: json_add_float(json, name, json_real_value(value)); break;
    case JSON_NULL: json_add_verbatim(json, name, "null", 4); break;
    default: json_add_bool(json, name, json_is_true(value)); break;
    }
}

void json_write(const json_t *value, Text *out)
{
    write_value(&(JsonWriter){.out = out}, NULL, value);
}
