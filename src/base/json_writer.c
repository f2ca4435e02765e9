#include "base/json_writer.h"

#include <math.h>
#include <string.h>

static void begin(JsonWriter *json, const char *name)
{
    if (json->follows)
        text_lit(json->out, ", ");
    json->follows = true;
    if (name) {
        text_json_string(json->out, name, strlen(name));
        text_lit(json->out, ": ");
    }
}

void json_open(JsonWriter *json, const char *name, char bracket)
{
    begin(json, name);
    text_char(json->out, bracket);
    json->follows = false;
}

void json_close(JsonWriter *json, char bracket)
{
    text_char(json->out, bracket);
    json->follows = true;
}

void json_add_string_n(JsonWriter *json, const char *name, const char *text, size_t length)
{
    begin(json, name);
    text_json_string(json->out, text, length);
}

void json_add_string(JsonWriter *json, const char *name, const char *text)
{
    json_add_string_n(json, name, text, strlen(text));
}

void json_add_number(JsonWriter *json, const char *name, double value)
{
    begin(json, name);
    if (!isfinite(value))
        text_lit(json->out, "null");
    else if (value == floor(value) && fabs(value) < 0x1p53)
        text_int(json->out, (int64_t)value);
    else
        text_python_float(json->out, value);
}

void json_add_uint(JsonWriter *json, const char *name, uint64_t value)
{
    begin(json, name);
    text_uint(json->out, value);
}

void json_add_int(JsonWriter *json, const char *name, int64_t value)
{
    begin(json, name);
    text_int(json->out, value);
}

void json_add_float(JsonWriter *json, const char *name, double value)
{
    begin(json, name);
    text_python_float(json->out, value);
}

void json_add_bool(JsonWriter *json, const char *name, bool value)
{
    begin(json, name);
    text_str(json->out, value ? "true" : "false");
}

void json_add_verbatim(JsonWriter *json, const char *name, const char *text, size_t length)
{
    begin(json, name);
    text_add(json->out, text, length);
}
