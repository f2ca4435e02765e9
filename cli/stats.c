/* weft stats: what is in a data set. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "terminal.h"

#include "corpus/corpus.h"

#include <stdio.h>

typedef struct StatsArgs {
    bool json;
} StatsArgs;

static int run(const Call *call)
{
    const StatsArgs *args = call->args;
    if (call->operand_count != 1)
        return wrong_call(call->command, "one folder is needed");
    Text text;
    CorpusError error = {""};
    text_init(&text);
    bool fine = corpus_stats(call->operands[0], args->json, &text, &error);
    if (fine && args->json)
        put_text(&text, stdout);
    else if (fine)
        tell_text(stdout, text.data, text.len);
    if (!fine || error.message[0])
        tell(stderr, "weft stats: %s\n", error.message[0] ? error.message : "out of memory");
    text_free(&text);
    return fine && !error.message[0] ? EXIT_DONE : EXIT_FOUND;
}

static const StatsArgs defaults;

#define ARGS StatsArgs
static const Option options[] = {
    OPT_FLAG(0, "json", json, "as one JSON object"),
};

static const CommandExample examples[] = {
    {"weft stats data/set", "what is in the data set"},
    {NULL, NULL},
};

const Command stats_command = {
    .name = "stats",
    .summary = "count what is in a data set",
    .operands = "DIR [--json]",
    .input_kind = INPUTS_FOLDERS,
    .description = "Counts what is in a data set: categories, verdicts, what was rejected, lines, builtins. "
                   "Exit code 1: it is not finished, or cannot be read.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
