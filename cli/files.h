/* Reading and writing whole files, with messages. */
#ifndef WEFT_CLI_FILES_H
#define WEFT_CLI_FILES_H

#include "inputs.h"

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The content, with a NUL behind it, to be freed; NULL: a message was printed. A file that a user names may be a pipe or a device; "-" is standard input.
 * No file may be larger than LIMIT_SOURCE_SIZE. */
char *read_file(const char *path, size_t *length);
char *read_file_or_tell(const char *path, size_t *length, FILE *err); /* the message goes there */
/* The same of an input: one that was found in a folder is read only if it is a regular file still. */
char *read_input(const InputFile *file, size_t *length, FILE *err);

/* The same without a message, for what need not be there: NULL also where it is not a regular file, or too large. Never waits.
 * `flags`: more of them for `open`. */
char *read_regular(const char *path, int flags, size_t *length);

/* ---- output.c ---- */

/* What a command writes with -o. It goes to a file of its own, which takes the place of the old one when all is done: a
 * command that fails leaves the old one as it is. Devices and pipes are written to as they are. */
typedef struct Output {
    FILE *file;
    const char *path;
    char *target, *aside; /* NULL: written to at once */
} Output;

/* "-" or NULL: standard output. False: a message was printed. */
bool open_output(Output *output, const char *path);
/* False: something could not be written (a message was printed), and the old file is still there. */
bool close_output(Output *output);
/* Nothing is to be kept of what was written. */
void drop_output(Output *output);

/* The end of a command that writes lines as it goes: its exit code. `error`: what went wrong, with a message then; "" with `done` false:
 * it was interrupted, or what could not be written is told by close_output. */
int settle_output(Output *output, const char *command, bool done, const char *error);

/* Are they one file? What is read would be overwritten. */
bool is_same_file(const char *path, const char *other);

void put_text(const Text *text, FILE *file);
void put_json_line(Text *text, FILE *file); /* with an end of line; the text is freed */

_Noreturn void
end_without_memory(void); /* with a message and exit code 1; what was not written by then is not written at all */

/* With the folders above it. False: a message was printed. */
bool make_folder(const char *path);

#endif
