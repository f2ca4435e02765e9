/* Ctrl-C and SIGTERM for commands that take long: the first is noticed at once and ends the work in good order, the
 * second ends the process. */
#ifndef WEFT_CLI_INTERRUPT_H
#define WEFT_CLI_INTERRUPT_H

#include <stdatomic.h>

/* From now on, a signal writes "weft COMMAND: MESSAGE" to stderr and sets what is returned. Both texts must stay. */
const atomic_int *catch_interrupts(const char *command, const char *message);

/* For a command that has nothing to save: a signal writes the line and ends the process with that code. */
void leave_on_interrupt(const char *command, const char *message);

/* What a command returns that was ended so: 130 or 143, as shells have it; 0: there was no signal. */
int interrupt_code(void);

#endif
