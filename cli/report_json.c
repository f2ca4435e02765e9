#include "report_json.h"

#include <string.h>

void json_kernel(JsonWriter *json, const char *path, const char *key, const char *full_name)
{
    if (path)
        json_add_string(json, "file", path);
    if (key)
        json_add_string(json, "kernel_name", key);
    if (full_name)
        json_add_string(json, "full_name", full_name);
}

void json_full_name(JsonWriter *json, const char *full_name)
{
    enum { HASH = 9 };
    size_t length = strlen(full_name);
    json_add_string_n(json, "kernel_name", full_name, length > HASH ? length - HASH : length);
    json_add_string(json, "full_name", full_name);
}

void write_refusal_json(const char *path, const WeftError *error, Text *out)
{
    JsonWriter json = {.out = out};
    json_open(&json, NULL, '{');
    json_kernel(&json, path, error->kernel, NULL);
    if (error->kernel)
        json_add_string(&json, "kernel_key", error->kernel);
    json_open(&json, "error", '{');
    json_add_string(&json, "message", error->message);
    json_add_string(&json, "kind", error->unsupported ? "unsupported" : "error");
    json_add_number(&json, "line", error->line);
    json_add_number(&json, "column", error->column);
    if (error->hint)
        json_add_string(&json, "hint", error->hint);
    json_close(&json, '}');
    json_close(&json, '}');
}
