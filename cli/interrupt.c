#include "interrupt.h"

#include <string.h>
#include <unistd.h>

static const char *interrupted_command, *interrupt_message;
static volatile sig_atomic_t caught; /* the number of the signal */

/* Only what a handler may call. */
static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* nobody listens */
}

static void on_signal(int number)
{
    caught = number;
    say("\nweft ");
    say(interrupted_command);
    say(": ");
    say(interrupt_message);
    say("\n");
}

const volatile sig_atomic_t *catch_interrupts(const char *command, const char *message)
{
    /* SA_RESETHAND: the second signal finds the system's own action. */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    interrupted_command = command;
    interrupt_message = message;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error of write */
    return &caught;
}

int interrupt_code(void)
{
    return caught ? 128 + (int)caught : 0;
}
