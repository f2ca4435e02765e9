/* A process in the sandbox that takes one job after the other: JobRequests go in, and for each a JobStatus and
 * results come out. Its output is read as untrusted bytes; when it breaks anything it is ended, and its owner starts
 * another. */
#ifndef WEFT_JUDGE_SERVER_H
#define WEFT_JUDGE_SERVER_H

#include "judge/sandbox_process.h"

typedef struct Server {
    const Sandbox *sandbox;
    bool is_alive;
    pid_t child;
    Pipes pipes;
    uint32_t jobs; /* that it has done: counted by whoever has it */
} Server;

/* Starts it and waits until it says that it has; its first status is in the result, which is to be freed in any case. */
bool server_start(Server *server, const Sandbox *sandbox, SandboxKind kind, SandboxResult *result);
void server_end(Server *server); /* if it is alive */

/* Gives it a job, or none (NULL), and waits for the next status, so many seconds at most. `most`: bytes of results. */
void server_exchange(Server *server, const Job *job, size_t most, double seconds, SandboxResult *result);

#endif
