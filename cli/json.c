#include "json.h"

#include <string.h>

static void put_string(FILE *out, const char *text, size_t length)
{
    fputc('"', out);
    size_t done = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
            continue;
        fwrite(text + done, 1, i - done, out);
        done = i + 1;
        switch (c) {
        case '\n': fputs("\\n", out); break;
        case '\t': fputs("\\t", out); break;
        case '"': fputs("\\\"", out); break;
        case '\\': fputs("\\\\", out); break;
        default: fprintf(out, "\\u%04x", c);
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
