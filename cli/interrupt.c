#include "interrupt.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char *interrupted_command, *interrupt_message;
static pid_t interrupted_process;
static atomic_int caught; /* the number of the signal; threads look at it while the handler sets it */

/* Only what a handler may call. */
static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* nobody listens */
}

static void say_it(void)
{
    say("\nweft ");
    say(interrupted_command);
    say(": ");
    say(interrupt_message);
    say("\n");
}

static void on_signal(int number)
{
    caught = number;
    say_it();
}

static void leave(int number)
{
    if (getpid() == interrupted_process) /* its children get the signal, too, and need not say it again */
        say_it();
    _exit(128 + number);
}

static void listen(const char *command, const char *message, void (*handler)(int))
{
    /* SA_RESETHAND: the second signal finds the system's own action. */
    struct sigaction action = {.sa_handler = handler, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    interrupted_command = command;
    interrupt_message = message;
    interrupted_process = getpid();
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

const atomic_int *catch_interrupts(const char *command, const char *message)
{
    listen(command, message, on_signal);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error of write */
    return &caught;
}

void leave_on_interrupt(const char *command, const char *message)
{
    listen(command, message, leave);
}

int interrupt_code(void)
{
    return caught ? 128 + caught : 0;
}
