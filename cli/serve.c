/* weft serve: a data set in the browser, all of its records. */
#include "args.h"
#include "commands.h"
#include "interrupt.h"
#include "terminal.h"

#include "report/overview.h"

#include <stdio.h>

typedef struct ServeArgs {
    const char *host;
    long long port;
} ServeArgs;

static void show_progress(uint64_t records, uint64_t of, void *user)
{
    progress_tell(user, "records", records, of, "");
}

static void tell_address(const char *address, void *user)
{
    progress_end(user, NULL);
    tell(stdout, "%s (Ctrl-C ends it)\n", address);
    fflush(stdout);
}

static int run(const Call *call)
{
    const ServeArgs *args = call->args;
    Progress progress;
    CorpusError error = {""};
    if (call->operand_count != 1)
        return wrong_call(call->command, "one folder is needed: the data set");
    progress_begin(&progress, call);
    const atomic_int *stop = catch_interrupts("serve", "ending");
    ServeOptions options = {.host = args->host, .stop = stop, .ready = tell_address, .user = &progress};
    Door *door = door_open(args->host, (unsigned)args->port, &error); /* before a large set is read in vain */
    Overview overview = {0};
    bool done = door && overview_read(&overview, call->operands[0], stop, show_progress, &progress, &error);
    Places *places = done ? places_open(&overview, &error) : NULL;
    done = places && report_serve(&overview, places, door, &options, &error);
    places_close(places);
    overview_free(&overview);
    door_close(door);
    progress_end(&progress, NULL);
    if (!done && error.message[0])
        tell(stderr, "weft serve: %s\n", error.message);
    return done ? EXIT_DONE : interrupt_code() ? interrupt_code() : EXIT_FOUND;
}

static const ServeArgs defaults = {.host = "127.0.0.1", .port = 8000};

#define ARGS ServeArgs
static const Option options[] = {
    OPT_COUNT('p', "port", port, 0, 65535, "PORT", "the port to listen at; 0: any that is free (default 8000)"),
    OPT_TEXT(0, "host", host, "ADDRESS",
             "the IPv4 address to listen at (default 127.0.0.1: this machine alone; whoever reaches another one can "
             "read the set)"),
};

static const CommandExample examples[] = {
    {"weft serve data/set", "then open http://127.0.0.1:8000/"},
    {NULL, NULL},
};

const Command serve_command = {
    .name = "serve",
    .summary = "show a data set in the browser",
    .operands = "SET [-p PORT]",
    .input_kind = INPUTS_FOLDERS,
    .description = "Serves the page of weft report with every record of the set, of any size: shards are read in "
                   "place. It answers requests to "
                   "this machine only, gives nothing but the records, and changes nothing.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
