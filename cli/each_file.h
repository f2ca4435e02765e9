/* Work on each of many files, one after the other or several at a time. What is printed does not depend on how many: what a file prints
 * beside others is kept, and put out when it is its turn. */
#ifndef WEFT_CLI_EACH_FILE_H
#define WEFT_CLI_EACH_FILE_H

#include "inputs.h"
#include "progress.h"
#include "project.h"

/* What the work on one file has to do with. */
typedef struct FileTask {
    const char *path;
    const InputFile *file;
    Weft *weft;
    Project *project;
    FILE *out, *err;    /* what it prints, and messages */
    Progress *progress; /* to be cleared before something is printed */
} FileTask;

typedef struct FileWork {
    const Inputs *inputs;
    const char *warp; /* the version that is written */
    const Imports *imports;
    FILE *out;
    Progress *progress;
    const void *user;
    size_t result_size;
    /* On any thread: the exit code; `result` is all zeros before. */
    int (*make)(const void *user, const FileTask *task, void *result);
    void (*take)(void *total, void *result); /* in the order of the files: adds it to all others */
    void (*drop)(void *result);              /* frees what is in a result, taken or not */
    void *total;
} FileWork;

#define OPT_FILE_JOBS                                                                                                  \
    OPT_COUNT('j', "jobs", jobs, 0, MAX_JOBS, "JOBS",                                                                  \
              "files at a time (default 1; 0: all cores); what is written does not depend on it")

/* EXIT_FOUND if that is the code of any file, or memory ran out, with a message. Ends early where `out` can take no more. */
int each_file(const FileWork *work, unsigned jobs);

#endif
