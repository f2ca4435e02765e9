/* The column `arguments` of records whose source was not invented. */
#ifndef WEFT_CORPUS_ARGUMENTS_H
#define WEFT_CORPUS_ARGUMENTS_H

#include "base/json.h"
#include "check/check.h"
#include "pipeline.h"

/* A row: a parameter, or a field of the struct that one is (NULL: itself). */
json_t *argument_row(const char *name, const char *field, const char *type, const CheckArg *said, const char *role);

/* {"launch_dim": [8], "arguments": […]}: the launch with all that is assumed about it. `is_valid` false: ranges are left open, since the
 * kernel is not known to be defined within them. */
void write_launch_description(const Compiled *compiled, const CheckLaunch *launch, bool is_valid, Text *out);

/* The column `plan` of a kernel that was not made by one. */
extern const char EMPTY_PLAN[];

#endif
