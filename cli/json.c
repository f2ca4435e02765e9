#include "json.h"

#include <string.h>

/* How many bytes of a code point in UTF-8 start here; 0: none does. */
static size_t utf8_length(const unsigned char *text, size_t left)
{
    static const struct {
        unsigned char mask, lead;
        unsigned long least;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t more = 0; more < 4; more++) {
        if ((text[0] & forms[more].mask) != forms[more].lead)
            continue;
        unsigned long point = text[0] & (unsigned char)~forms[more].mask;
        for (size_t i = 1; i <= more; i++) {
            if (i >= left || (text[i] & 0xc0) != 0x80)
                return 0;
            point = point << 6 | (text[i] & 0x3f);
        }
        bool fine = point >= forms[more].least && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
        return fine ? more + 1 : 0;
    }
    return 0;
}

/* What is not UTF-8, in a file's name for instance, becomes U+FFFD. */
static void put_string(FILE *out, const char *text, size_t length)
{
    fputc('"', out);
    size_t done = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        size_t bytes = utf8_length((const unsigned char *)text + i, length - i);
        if (bytes > 1) {
            i += bytes - 1;
            continue;
        }
        if (bytes && c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
            continue;
        fwrite(text + done, 1, i - done, out);
        done = i + 1;
        switch (c) {
        case '\n': fputs("\\n", out); break;
        case '\t': fputs("\\t", out); break;
        case '"': fputs("\\\"", out); break;
        case '\\': fputs("\\\\", out); break;
        default: fprintf(out, "\\u%04x", bytes ? c : 0xfffdu);
        }
    }
    fwrite(text + done, 1, length - done, out);
    fputc('"', out);
}

static void begin(JsonWriter *json, const char *name)
{
    if (json->follows)
        fputs(", ", json->out);
    json->follows = true;
    if (name) {
        put_string(json->out, name, strlen(name));
        fputs(": ", json->out);
    }
}

void json_open(JsonWriter *json, const char *name, char bracket)
{
    begin(json, name);
    fputc(bracket, json->out);
    json->follows = false;
}

void json_close(JsonWriter *json, char bracket)
{
    fputc(bracket, json->out);
    json->follows = true;
}

void json_string_n(JsonWriter *json, const char *name, const char *text, size_t length)
{
    begin(json, name);
    put_string(json->out, text, length);
}

void json_string(JsonWriter *json, const char *name, const char *text)
{
    json_string_n(json, name, text, strlen(text));
}

void json_number(JsonWriter *json, const char *name, double value)
{
    begin(json, name);
    fprintf(json->out, "%.17g", value);
}

void json_verbatim(JsonWriter *json, const char *name, const char *text, size_t length)
{
    begin(json, name);
    fwrite(text, 1, length, json->out);
}

void json_bool(JsonWriter *json, const char *name, bool value)
{
    begin(json, name);
    fputs(value ? "true" : "false", json->out);
}
