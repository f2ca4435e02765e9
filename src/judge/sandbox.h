/* Where answers are compiled and run: a process of its own, in namespaces of its own, made by bubblewrap.
 *
 * It sees /usr read-only, the weft program, the headers of the judge, and an empty folder in memory; no network, no other process,
 * no environment. In it, weft itself (inside.h) starts the compiler, and then the answer, under limits and a filter of system
 * calls. Where bubblewrap is missing or cannot make namespaces, nothing is run at all. */
#ifndef WEFT_JUDGE_SANDBOX_H
#define WEFT_JUDGE_SANDBOX_H

#include "judge/job.h"

#include <stdatomic.h>

typedef struct SandboxError {
    char message[900];
} SandboxError;

#define SANDBOX_CUDA "/judge/cuda"
#define SANDBOX_DRIVER "/judge/driver"
enum { MOST_DEVICES = 20 };

typedef struct Sandbox {
    char bwrap[512], program[1024], compiler[1024]; /* paths */
    char folder[600];        /* the headers of the judge, bound to /judge/include; made by sandbox_open */
    char warp_include[1024]; /* bound to /judge/warp; "": none */
    char nvrtc[1024];        /* the folder of NVRTC, bound to SANDBOX_CUDA; "": none */
    char driver_file[1024];  /* the CUDA driver's library */
    char driver[1024];       /* its folder, for a process with a card: SANDBOX_DRIVER */
    char devices[MOST_DEVICES][40];
    uint32_t device_count;
    char cages[512];    /* where control groups can be made; "": nowhere */
    uint32_t memory_mb; /* of an answer */
    const atomic_int *stop;
} Sandbox;

/* Finds what it needs and tries it. False: answers cannot be run safely here, and *error says why. For cards, NVRTC and the driver are
 * looked for instead of a C++ compiler; `cuda`: the toolkit's folder, or NULL. */
bool sandbox_open(Sandbox *sandbox, SandboxError *error);
bool sandbox_open_for_cards(Sandbox *sandbox, const char *cuda, SandboxError *error);
void sandbox_close(Sandbox *sandbox);

/* A file that the sandbox sees as /judge/include/NAME; and a header compiled ahead, /judge/include/NAME.gch. */
bool sandbox_add_file(Sandbox *sandbox, const char *name, const char *text, size_t len, SandboxError *error);
bool sandbox_precompiles(
    const Sandbox *sandbox); /* clang's compiled headers know their path: not here, where it is another */
bool sandbox_precompile(Sandbox *sandbox, const char *name, const char *const *flags, SandboxError *error);

typedef enum SandboxEnd {
    SANDBOX_DONE,     /* the status says how it went */
    SANDBOX_TIMEOUT,  /* it took longer than it may by the clock */
    SANDBOX_OVERFLOW, /* it wrote more than it may */
    SANDBOX_BROKEN,   /* the watching process itself has ended early */
    SANDBOX_STOPPED,  /* the user wants to end */
    SANDBOX_FAILED    /* it could not be started */
} SandboxEnd;

typedef struct SandboxResult {
    SandboxEnd end;
    JobStatus status; /* the last one; all zero: none came */
    bool compiled;
    Text messages; /* what the compiler said, at most MOST_MESSAGES bytes */
    Text results;  /* what the answer's process gave back */
} SandboxResult;

enum { MOST_MESSAGES = 16384 };

/* `most`: bytes of results; more is SANDBOX_OVERFLOW. */
void sandbox_run(const Sandbox *sandbox, const Job *job, size_t most, SandboxResult *result);
void sandbox_result_free(SandboxResult *result);

#endif
