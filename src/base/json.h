/* JSON, both ways.
 *
 * Out: a writer that appends to a text, in the order of the calls. In: jansson's trees, which keep integers of 64 bits;
 * json_write writes a tree as the writer would have, so that what weft wrote comes out byte by byte. */
#ifndef WEFT_BASE_JSON_H
#define WEFT_BASE_JSON_H

#include "base/text.h"

#include <jansson.h>

/* ---- out ---- */

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
void json_add_bool(JsonWriter *json, const char *name, bool value);
/* What is JSON already. */
void json_add_verbatim(JsonWriter *json, const char *name, const char *text, size_t length);

/* ---- in ---- */

/* To be freed with json_decref. NULL: it is not JSON, an object has a member twice, or memory ran out. */
json_t *json_read(const char *bytes, size_t len);
/* Likewise, but when memory ran out it leaves by the arena's recovery point. */
json_t *json_read_or_give_up(Arena *arena, const char *bytes, size_t len);
/* The members of an object that have one of the names (each once, and NULL at the end), as an object; to be freed with
 * json_decref. The others have to be well-formed, but are not kept: a record of 44 KB takes a seventh of the time of json_read.
 * NULL: it is not an object in JSON, a member of these names is there twice, or memory ran out. */
json_t *json_read_members(const char *bytes, size_t len, const char *const *names);
/* A member that is a string; "" where there is none. */
const char *json_member_string(const json_t *object, const char *name);
void json_write(const json_t *value, Text *out);

#endif
