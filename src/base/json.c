#include "base/json.h"

#include <math.h>
#include <string.h>

/* ---- the writer ---- */

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

/* ---- in ---- */

json_t *json_read(const char *bytes, size_t len)
{
    return json_loadb(bytes, len, JSON_REJECT_DUPLICATES, NULL);
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
    case JSON_INTEGER:
        begin(json, name);
        text_int(json->out, json_integer_value(value));
        break;
    case JSON_REAL:
        begin(json, name);
        text_python_float(json->out, json_real_value(value));
        break;
    case JSON_NULL: json_add_verbatim(json, name, "null", 4); break;
    default: json_add_bool(json, name, json_is_true(value)); break;
    }
}

void json_write(const json_t *value, Text *out)
{
    write_value(&(JsonWriter){.out = out}, NULL, value);
}
