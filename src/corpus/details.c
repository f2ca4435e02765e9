#include "corpus/details.h"

#include "corpus/candidate.h"

#include <stdio.h>
#include <string.h>

#define ID_KEY "\"id\": \""
#define FIRST_KEY ", \"" FIRST_DETAIL_NAME "\": "

bool has_details(const CorpusOptions *options)
{
    return !options->full && !options->piece_count;
}

/* Quotes in a string are escaped: what looks like a key is one. */
size_t details_start(const char *record, size_t len)
{
    const char *found = memmem(record, len, FIRST_KEY, strlen(FIRST_KEY));
    return found ? (size_t)(found - record) : 0;
}

size_t details_id(const char *record, size_t len)
{
    size_t key = strlen(ID_KEY);
    if (len <= key || memcmp(record, ID_KEY, key) != 0)
        return 0;
    const char *end = memchr(record + key, '"', len - key);
    return end ? (size_t)(end + 1 - record) : 0;
}

bool details_join(const char *line, size_t len, const char *details, size_t details_len, Text *out)
{
    uint64_t row;
    size_t head = read_record_head(line, len, &row, NULL), id = head ? details_id(line + head, len - head) : 0;
    out->len = 0;
    if (!id || line[len - 1] != '}' || details_len <= id + 1 || details[0] != '{' ||
        memcmp(details + 1, line + head, id) != 0)
        return false;
    text_add(out, line, len - 1);
    text_add(out, details + 1 + id, details_len - 1 - id);
    text_char(out, '\0');
    out->len -= !out->failed;
    return !out->failed;
}

size_t details_line_bytes(const CorpusOptions *options, const char *line, size_t len)
{
    size_t start = has_details(options) ? details_start(line, len) : 0;
    return start ? start + 1 : len;
}

/* ---- columns that a record lacks ---- */

/* Where the value at `at` ends: at a comma or bracket that is not in it. */
static const char *skip_value(const char *at, const char *end)
{
    int depth = 0;
    for (bool text = false; at < end; at++) {
        if (text) {
            text = *at != '"';
            at += *at == '\\'; /* what it escapes */
            continue;
        }
        text = *at == '"';
        depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
        if (depth < 0 || (depth == 0 && *at == ','))
            break;
    }
    return at < end ? at : end;
}

bool record_fit(const char *record, size_t len, const Column *columns, Text *out)
{
    const char *at = record, *end = record + len;
    for (const Column *column = columns; column->name; column++) {
        char key[60];
        if (strcmp(column->name, "row") == 0 || strcmp(column->name, "split") == 0)
            continue;
        size_t key_len = (size_t)snprintf(key, sizeof key, "\"%s\": ", column->name);
        text_str(out, at == record && strcmp(column->name, "id") == 0 ? "" : ", ");
        text_add(out, key, key_len);
        if ((size_t)(end - at) < key_len || memcmp(at, key, key_len) != 0) {
            text_lit(out, "null");
            continue;
        }
        const char *value = at + key_len;
        at = skip_value(value, end);
        text_add(out, value, (size_t)(at - value));
        at += end - at > 2 && *at == ',' ? 2 : 0;
    }
    text_char(out, '}');
    return end - at == 1 && *at == '}';
}
