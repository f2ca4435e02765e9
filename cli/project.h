/* The files around those that a command is given: what they import is read from the disk, each file once. */
#ifndef WEFT_CLI_PROJECT_H
#define WEFT_CLI_PROJECT_H

#include "args.h"
#include "inputs.h"

#include "weft.h"

typedef struct Project {
    WeftFiles *files;
    Roots roots;  /* what is read lies there, or is not reached by a link */
    char *folder; /* the last that was added to them */
    char **texts; /* what was read, until the end */
    size_t count, cap;
} Project;

/* The options about the files. */
typedef struct Imports {
    Words folders, facts, calls, types;
} Imports;

/* Rows for a member `imports`. */
#define OPT_IMPORTS                                                                                                    \
    OPT_WORDS('I', "import", imports.folders, "DIR", "a folder to look for imported packages in; may be repeated"),    \
        OPT_WORDS(0, "facts", imports.facts, "FILE",                                                                   \
                  "constants and enums of a package, from weft facts; may be repeated"),                               \
        OPT_WORDS(                                                                                                     \
            0, "call", imports.calls, "CALL",                                                                          \
            "also the kernels of this call, as \"make(4, wp.float32)\", in each file that defines its function; "      \
            "may be repeated"),                                                                                        \
        OPT_WORDS(0, "types", imports.types, "TYPES",                                                                  \
                  "\"NAME: TYPE, TYPE\" compiles a generic kernel for these types of its parameters; may be repeated")

/* False: out of memory, and a message was printed. */
bool project_open(Project *project, const Imports *imports, const Inputs *inputs);
/* Can all files of --facts be read? If not, a message was printed. */
bool facts_are_fine(const Imports *imports);
/* A file of --facts. False: a message was printed. */
bool read_facts(WeftFiles *files, const char *path);
void project_close(Project *project);
/* What the text of this path may import; NULL for standard input. */
WeftFiles *project_files(Project *project, const char *path);

#endif
