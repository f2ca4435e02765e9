/* What goes into the process that runs an answer, and what comes out of it.
 *
 * A request is written by the judge and read inside of the sandbox: the text to compile, and launches as bytes, with no word of what
 * should come out. What comes back was written by a process that runs the answer's own code: it is read as hostile input, and
 * every length in it is one that the judge knows beforehand. */
#ifndef WEFT_JUDGE_JOB_H
#define WEFT_JUDGE_JOB_H

#include "base/text.h"

typedef enum JobMode { JOB_NATIVE, JOB_PYTHON } JobMode;

/* A pointer in a parameter: at this byte of it stands the address of that buffer. */
typedef struct JobPointer {
    uint32_t offset, buffer;
} JobPointer;

typedef struct JobParam {
    const char *bytes;
    uint32_t size, pointer_count;
    JobPointer *pointers;
} JobParam;

typedef struct JobBuffer {
    const char *bytes;
    uint64_t size;
} JobBuffer;

enum { JOB_MOST_BUFFERS = 256, JOB_MOST_PARAMS = 256 };

/* One call of a kernel. */
typedef struct JobLaunch {
    uint32_t entry; /* 0: the first kernel that was asked for, 1: the second */
    uint32_t threads;
    uint32_t block; /* threads of a block */
    uint32_t buffer_count, param_count;
    JobBuffer *buffers;
    JobParam *params;
} JobLaunch;

typedef struct JobLimits {
    uint32_t compile_seconds, run_seconds; /* of processor time */
    uint32_t memory_mb;                    /* of the process that runs the answer */
} JobLimits;

typedef struct Job {
    JobMode mode;
    JobLimits limits;
    const char *compiler;     /* native: a path that the sandbox has */
    const char *const *flags; /* up to NULL */
    const char *source;       /* a whole file */
    size_t source_len;
    JobLaunch *launches; /* native */
    uint32_t launch_count;
    const char *kernel, *warp,
        *inputs; /* Python: the kernel's name, the version of Warp, launches in JSON without results */
} Job;

void job_write(const Job *job, Text *out);
/* Inside. Everything points into the bytes or lives in the arena. False: cut short. */
bool job_read(Arena *arena, const char *bytes, size_t len, Job *job);

/* ---- what comes back ---- */

/* Before the results of each launch. */
typedef struct JobMark {
    uint32_t magic, launch;
    uint32_t outside; /* it has written outside of its arrays: number of the buffer + 1 */
    uint32_t reserved;
} JobMark;
enum { JOB_MAGIC = 0x77656674 };

/* Bytes that a launch gives back behind its mark. */
size_t job_result_size(const JobLaunch *launch);

/* How the run ended, from the trusted process that watches the answer's. */
typedef enum JobStage { JOB_STARTED, JOB_REFUSED, JOB_COMPILED, JOB_RAN } JobStage;
typedef struct JobStatus {
    uint32_t magic, stage;
    int32_t exit_code, signal; /* of the compiler, or of the run */
    uint32_t milliseconds;     /* processor time */
    uint32_t kilobytes;        /* most memory */
} JobStatus;

/* Exit codes of the run that the launcher itself uses. */
enum { JOB_EXIT_LOAD = 91, JOB_EXIT_SIGNATURE = 92, JOB_EXIT_MEMORY = 93, JOB_EXIT_PYTHON = 94, JOB_EXIT_FINDING = 95 };

#endif
