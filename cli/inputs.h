/* The files that a command works on: those that are named, and all *.py in the folders that are named. */
#ifndef WEFT_CLI_INPUTS_H
#define WEFT_CLI_INPUTS_H

#include "args.h"

#include <stdio.h>

typedef struct Inputs {
    char **paths;
    size_t count, cap;
    bool left_out; /* something in the last folder, by .gitignore */
    bool failed;   /* a folder could not be searched, or has no *.py in it; a message was printed */
} Inputs;

/* In the order of the operands; what is in a folder, and below it, is sorted by name. Hidden folders, __pycache__, links to
 * folders and what .gitignore leaves out are passed over. "-" is standard input. */
void inputs_find(Inputs *inputs, char *const *operands, size_t count);
void inputs_free(Inputs *inputs);

bool is_folder(const char *path);

/* There is no kernel in any of the files, or none that -k asked for: a message, and a record if `json` is not NULL. EXIT_FOUND,
 * always. */
int no_kernel(const Inputs *inputs, const char *kernel, FILE *json);

#endif
