/* JSON out: fields in the order in which they are written, no spaces to spare. */
#ifndef WEFT_CLI_JSON_H
#define WEFT_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct JsonWriter {
    FILE *out;
    bool follows; /* something was written at this level: a comma comes first */
} JsonWriter;

/* `name` NULL: an element of an array, or the outermost value. */
void json_open(JsonWriter *json, const char *name, char bracket);
void json_close(JsonWriter *json, char bracket);
void json_string(JsonWriter *json, const char *name, const char *text);
void json_string_n(JsonWriter *json, const char *name, const char *text, size_t length);
void json_number(JsonWriter *json, const char *name, double value);
/* What is JSON already. */
void json_verbatim(JsonWriter *json, const char *name, const char *text, size_t length);
void json_bool(JsonWriter *json, const char *name, bool value);

#endif
