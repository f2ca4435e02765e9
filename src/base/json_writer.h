/* JSON out: a writer that appends to a text, in the order of the calls. */
#ifndef WEFT_BASE_JSON_WRITER_H
#define WEFT_BASE_JSON_WRITER_H

#include "base/text.h"

typedef struct JsonWriter {
    Text *out;
    bool follows; /* something was written at this level: a comma comes first */
} JsonWriter;

/* `name` NULL: an element of an array, or the outermost value. */
void json_open(JsonWriter *json, const char *name, char bracket);
void json_close(JsonWriter *json, char bracket);
void json_add_string(JsonWriter *json, const char *name, const char *text);
void json_add_string_n(JsonWriter *json, const char *name, const char *text, size_t length);
void json_add_number(JsonWriter *json, const char *name, double value); /* shortest; infinite or NaN: null */
void json_add_uint(JsonWriter *json, const char *name, uint64_t value);
void json_add_int(JsonWriter *json, const char *name, int64_t value);
void json_add_float(JsonWriter *json, const char *name, double value); /* as Python writes it: 2.0 */
void json_add_bool(JsonWriter *json, const char *name, bool value);
/* What is JSON already. */
void json_add_verbatim(JsonWriter *json, const char *name, const char *text, size_t length);

#endif
