/* weft mutate: wrong variants of the texts of a data set. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "interrupt.h"
#include "terminal.h"

#include "base/suggest.h"
#include "judge/mutate.h"

#include <stdio.h>
#include <string.h>

typedef struct MutateArgs {
    const char *output;
    int form;
    long long count, seed;
} MutateArgs;

static void show_progress(uint64_t records, uint64_t of, void *user)
{
    progress_tell(user, "records", records, of, "");
}

static bool put_line(const char *line, size_t len, void *user)
{
    return fwrite(line, 1, len, user) == len;
}

static int run(const Call *call)
{
    const MutateArgs *args = call->args;
    MutateOptions options = {.seed = (uint64_t)args->seed,
                             .limit = (uint64_t)args->count,
                             .warp = call->warp_given ? call->warp : NULL,
                             .progress = show_progress};
    Output output;
    Progress progress;
    MutateReport report;
    CorpusError error = {""};
    if (call->operand_count != 1)
        return wrong_call(call->command, "one folder is needed: the data set");
    for (int form = 0; form < MUTANT_FORMS; form++)
        options.forms[form] = args->form < 0 || args->form == form;
    if (!open_output(&output, args->output))
        return EXIT_FOUND;
    progress_begin(&progress, call);
    progress_beside(&progress, output.file);
    options.stop = catch_interrupts("mutate", "interrupted, ending (again: leave at once)");
    options.user = &progress;
    bool done = judge_mutate(call->operands[0], &options, put_line, output.file, &report, &error);
    unsigned long long made = report.made[0] + report.made[1] + report.made[2];
    if (done)
        progress_end(&progress, "%llu wrong variants of %llu records,", made, (unsigned long long)report.records);
    else
        progress_end(&progress, NULL);
    return settle_output(&output, call->command->name, done, error.message);
}

static const MutateArgs defaults = {.form = -1};

#define ARGS MutateArgs
static const Option options[] = {
    OPT_FILE('o', "output", output, "FILE", "write to a file instead of standard output"),
    OPT_CHOICE(
        0, "form", form, "python|cuda|gradient", "FORM",
        "only variants of Python kernels, of readable CUDA kernels, or of their backward kernels (default: all)"),
    OPT_COUNT(0, "per-form", count, 1, MAX_COUNT, "N", "at most N variants of each form (default: one per record)"),
    OPT_COUNT('s', "seed", seed, 0, MAX_SEED, "SEED", "another seed gives other changes (default 0)"),
};

static const CommandExample examples[] = {
    {"weft mutate data/set -o wrong.jsonl", "a wrong Python kernel, CUDA kernel and gradient of each record"},
    {"weft score tasks.jsonl wrong.jsonl --data data/set -o results.jsonl", "they are answers, too, and must not pass"},
    {NULL, NULL},
};

const Command mutate_command = {
    .name = "mutate",
    .summary = "make wrong variants of the texts of a data set, each proved wrong",
    .operands = "SET [-o FILE] [--form FORM] [--per-form N] [-s SEED]",
    .input_kind = INPUTS_FOLDERS,
    .description = "Changes one thing in a text: an operator, a number, a function, or a statement that is left out. "
                   "Each variant compiles and "
                   "runs, and a launch of the record tells it apart from the right text; those that none does are "
                   "dropped. One line of JSON "
                   "each: the wrong text as `answer` to the task `id`, its form, what was changed, in which line, and "
                   "how it differs.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
