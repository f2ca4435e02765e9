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

#define OPT_IMPORTS                                                                                                    \
    OPT_WORDS('I', "import", imports, "DIR", "a folder to look for imported packages in; may be repeated")

/* False: out of memory, and a message was printed. */
bool project_open(Project *project, const Words *imports, const Inputs *inputs);
void project_close(Project *project);
/* What the text of this path may import; NULL for standard input. */
WeftFiles *project_files(Project *project, const char *path);

#endif
