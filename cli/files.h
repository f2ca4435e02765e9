/* Reading and writing whole files, with messages. */
#ifndef WEFT_CLI_FILES_H
#define WEFT_CLI_FILES_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The content, to be freed; NULL: a message was printed. "-" is standard input. */
char *read_file(const char *path, size_t *length);

/* "-" or NULL: standard output. NULL: a message was printed. */
FILE *open_output(const char *path);
/* False: something could not be written (a message was printed). */
bool close_output(FILE *file, const char *path);

void put_text(const Text *text, FILE *file);

_Noreturn void
end_without_memory(void); /* with a message and exit code 1; what was not written by then is not written at all */

/* With the folders above it. False: a message was printed. */
bool make_folder(const char *path);

#endif
