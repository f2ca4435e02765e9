/* Other programs. */
#ifndef WEFT_BASE_PROCESS_H
#define WEFT_BASE_PROCESS_H

/* Runs a command, found as a shell would, and waits for it: its exit code; -1: it could not be run, or a signal ended it.
 * Its input is empty; what it prints goes to the file `log`. */
int process_run(const char *const *args, const char *log);

#endif
