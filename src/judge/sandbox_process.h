/* Processes in the sandbox, for those who start them: sandbox_run.c, one per job, and server.c, one for many. */
#ifndef WEFT_JUDGE_SANDBOX_PROCESS_H
#define WEFT_JUDGE_SANDBOX_PROCESS_H

#include "judge/sandbox.h"

#include <sys/types.h>

/* The process also has: nothing, NVRTC, or the card. */
typedef enum SandboxKind { SANDBOX_PLAIN, SANDBOX_WITH_COMPILER, SANDBOX_WITH_CARD } SandboxKind;

typedef enum Channel { TO_INPUT, FROM_STATUS, FROM_MESSAGES, FROM_RESULTS, CHANNELS } Channel;
typedef struct Pipes {
    int ours[CHANNELS], theirs[CHANNELS]; /* ours do not block */
} Pipes;

/* False: it could not be started, and nothing is left open. */
bool sandbox_start(const Sandbox *sandbox, SandboxKind kind, Pipes *pipes, pid_t *child);
void sandbox_end(const Sandbox *sandbox, pid_t child, bool at_once);
void sandbox_close_pipes(Pipes *pipes);
void sandbox_close_file(int *fd);
/* Reads what is there, and closes the file at its end. Bytes beyond `most` are lost; false: there were some. */
bool sandbox_take(int *fd, Text *into, size_t most);

#endif
