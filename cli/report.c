#include "report.h"
#include "files.h"
#include "terminal.h"

#include <string.h>

void print_refusal(FILE *out, const char *path, const WeftError *error)
{
    /* error->shown begins with the place and the message, and ends with the hint; between them is the source, as it is. */
    char place[1100];
    int length = snprintf(place, sizeof place, "%s:%u:%u: ", path, error->line, error->column);
    size_t head = (size_t)length + strlen("error: ") + strlen(error->message) + 1;
    size_t hint = error->hint ? strlen("    hint: \n") + strlen(error->hint) : 0, all = strlen(error->shown);
    if (length >= (int)sizeof place || head + hint > all || strncmp(place, error->shown, (size_t)length) != 0) {
        tell_text(out, error->shown, all);
        return;
    }
    tell(out, "%s%s%s%serror:%s %s%s%s\n", style_begin(out, STYLE_BOLD), place, style_end(out, STYLE_BOLD),
         style_begin(out, STYLE_BAD), style_end(out, STYLE_BAD), style_begin(out, STYLE_BOLD), error->message,
         style_end(out, STYLE_BOLD));
    fwrite(error->shown + head, 1, all - head - hint, out);
    if (error->hint)
        tell(out, "    %shint:%s %s\n", style_begin(out, STYLE_NOTE), style_end(out, STYLE_NOTE), error->hint);
}

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

void print_refusal_record(FILE *out, const char *path, const WeftError *error)
{
    Text text = {0};
    JsonWriter json = {.out = &text};
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
    put_json_line(&text, out);
}
