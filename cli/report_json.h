/* What is reported about kernels, in JSON: refusals, and the fields that every record begins with. */
#ifndef WEFT_CLI_REPORT_JSON_H
#define WEFT_CLI_REPORT_JSON_H

#include "weft.h"

#include "base/json_writer.h"

/* {"file", "kernel_name", "error": {…}} */
void write_refusal_json(const char *path, const WeftError *error, Text *out);

/* The fields that say which kernel a record is about: "file", "kernel_name" (as in the source), "full_name" (with Warp's hash).
 * NULL: not known. */
void json_full_name(JsonWriter *json,
                    const char *full_name); /* both names, from the full one: it ends in _ and 8 digits */
void json_kernel(JsonWriter *json, const char *path, const char *key, const char *full_name);

#endif
