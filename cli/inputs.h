/* The files that a command works on: those that are named, and all *.py in the folders that are named. */
#ifndef WEFT_CLI_INPUTS_H
#define WEFT_CLI_INPUTS_H

#include "args.h"
#include "roots.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

typedef enum InputOrigin {
    INPUT_NAMED,  /* by the user: whatever it is */
    INPUT_FOUND,  /* in a folder, a regular file */
    INPUT_LINKED, /* in a folder, a link to a regular file of the same project */
} InputOrigin;

typedef struct InputFile {
    char *path;
    InputOrigin origin;
    dev_t device; /* of files in folders: with `number`, which one it is */
    ino_t number;
} InputFile;

typedef struct Inputs {
    InputFile *files;
    size_t count, cap;
    Roots roots;   /* the projects of the folders that are named */
    bool left_out; /* something in the last folder, by .gitignore */
    bool failed;   /* a folder could not be searched, or has no *.py in it; a message was printed */
} Inputs;

/* In the order of the operands; what is in a folder, and below it, is sorted by name. Hidden folders, __pycache__, links to
 * folders and what .gitignore leaves out are passed over. A link to a regular file of the same project that is not found by its own name
 * counts, once. Other links, pipes and devices are passed over with a message. "-" is standard input. */
void inputs_find(Inputs *inputs, char *const *operands, size_t count);
void inputs_free(Inputs *inputs);

bool is_folder(const char *path);

/* The names of a list "a,b" (NULL: none) that a kernel was met for, by key or by full name (NULL: it has none): a bit each. Names
 * behind the 64th count as met. */
typedef uint64_t NamesMet;
NamesMet names_met(const char *list, const char *key, const char *name);
bool is_name_missing(const char *list, NamesMet met);

/* There is no kernel in any of the files, or none by some name of the list: messages, and records if `json` is not NULL.
 * EXIT_FOUND, always. */
int no_kernel(const Inputs *inputs, const char *list, NamesMet met, FILE *json);

#endif
