/* The input and output of the process that runs an answer.
 *
 * The judge writes a request, which is read inside the sandbox: the text to compile, and launches as bytes, without
 * expected results. The output was written by a process that runs the answer's own code, and is read as hostile
 * input. Every length in it is one that the judge knows beforehand. */
#ifndef WEFT_JUDGE_JOB_H
#define WEFT_JUDGE_JOB_H

#include "base/text.h"

typedef enum JobMode {
    JOB_NATIVE, /* C++: compiled and run */
    JOB_PYTHON, /* compiled and run by weft itself */
    JOB_NVRTC,  /* CUDA: compiled for a card; what comes back is a JobImage */
    JOB_CARD    /* such an image: run on the card */
} JobMode;

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

enum { JOB_MOST_BUFFERS = 256, JOB_MOST_PARAMS = 256, JOB_MOST_REPEATS = 64 };

/* One call of a kernel. */
typedef struct JobLaunch {
    uint32_t entry; /* 0: the first kernel that was asked for, 1: the second */
    uint32_t threads;
    uint32_t block; /* threads of a block */
    uint32_t
        repeats; /* on a card: 0: run it; otherwise time so many runs, and give back a JobTime instead of the arrays */
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
    const char *source;       /* a whole file; for a card: an image */
    size_t source_len;
    const char *entries
        [2]; /* CUDA: the kernels' names as the text has them; for a card: as the image has them; "": not asked for */
    uint32_t arch; /* NVRTC: 90 for sm_90 */
    bool plain;    /* NVRTC: CUDA of its own, without Warp's headers */
    bool
        is_own; /* for a card: the judge's own text, in a process that runs no others: nothing is hidden from the next */
    JobLaunch *launches; /* native, and for a card */
    uint32_t launch_count;
    uint32_t first_launch; /* the number of the first one, where a job has but a part of them */
    const char *kernel, *warp,
        *inputs;        /* Python: the kernel's name, the version of Warp, launches in JSON without results */
    uint32_t block_dim; /* Python: threads that share tiles; 0: it has none */
} Job;

/* Before each job that a process takes. */
typedef struct JobRequest {
    uint32_t magic, size;
} JobRequest;
enum { JOB_MOST_REQUEST = 1 << 30 };

void job_write(const Job *job, Text *out);
/* With the JobRequest before it. */
void job_write_request(const Job *job, Text *out);
/* Native: a request for each kernel that is asked for, with its launches alone. The process that runs one is over before the next
 * request is read: what the backward kernel is given holds results of the forward kernel. */
void job_write_passes(const Job *job, Text *out);
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

/* The time of a launch: the median run. */
typedef struct JobTime {
    double milliseconds;
} JobTime;

/* The head of NVRTC's output; the kernels' names and the image follow. */
typedef struct JobImage {
    uint32_t magic;
    uint32_t name_sizes[2];
    uint32_t size;
} JobImage;
enum { JOB_MOST_IMAGE = 64 << 20, JOB_MOST_NAME = 4096 };

/* Bytes that a launch gives back behind its mark. */
size_t job_result_size(const JobLaunch *launch);

/* How the run ended, from the trusted process that watches the answer's. */
typedef enum JobStage { JOB_STARTED, JOB_REFUSED, JOB_COMPILED, JOB_RAN } JobStage;
typedef struct JobStatus {
    uint32_t magic, stage;
    int32_t exit_code, signal; /* of the compiler, or of the run */
    uint32_t milliseconds;     /* processor time */
    uint32_t kilobytes;        /* most memory */
    uint32_t leaves;           /* on a card: the process ends, and takes no other job */
} JobStatus;

/* Exit codes of the run that the launcher itself uses. */
enum {
    JOB_EXIT_LOAD = 91,
    JOB_EXIT_SIGNATURE = 92,
    JOB_EXIT_MEMORY = 93,
    JOB_EXIT_PYTHON = 94,
    JOB_EXIT_FINDING = 95,
    JOB_EXIT_FAULT = 96, /* on a card: the messages say which */
    JOB_EXIT_TIME = 97,
    JOB_EXIT_OVERFLOW = 98
};

#endif
