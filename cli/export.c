/* weft export: a data set in the form that a hub or a trainer asks for. */
#include "args.h"
#include "commands.h"
#include "interrupt.h"
#include "terminal.h"

#include "base/suggest.h"
#include "corpus/export.h"

#include <stdio.h>
#include <string.h>

typedef struct ExportArgs {
    const char *output;
    int target;
    Words tasks;
    long long max_tokens;
    bool full;
    bool list;
} ExportArgs;

static void show_progress(uint64_t records, uint64_t of, void *user)
{
    progress_tell(user, "records", records, of, "");
}

static int list_tasks(void)
{
    for (int task = 0; task < KIND_COUNT; task++)
        if (task_kinds[task].uses & FOR_EXPORT)
            tell(stdout, "%-24s%s\n", task_kinds[task].name, task_kinds[task].about);
    return EXIT_DONE;
}

static int read_tasks(const Command *command, const Words *words, ExportOptions *options)
{
    for (size_t i = 0; i < words->count; i++) {
        Suggestion near = suggestion_for(words->items[i], strlen(words->items[i]));
        char buffer[100];
        int task = task_kind_named(words->items[i], FOR_EXPORT);
        for (int other = 0; other < KIND_COUNT; other++)
            if (task_kinds[other].uses & FOR_EXPORT)
                suggestion_offer(&near, task_kinds[other].name, strlen(task_kinds[other].name));
        if (task == KIND_COUNT)
            return wrong_call(command, "there is no kind of task '%s'%s; `weft export --list` names them",
                              words->items[i], suggestion_text(&near, "", buffer, sizeof buffer));
        options->tasks[task] = true;
    }
    return EXIT_DONE;
}

static int run(const Call *call)
{
    const ExportArgs *args = call->args;
    ExportOptions options = {.target = (ExportTarget)args->target,
                             .full = args->full,
                             .max_tokens = (uint64_t)args->max_tokens,
                             .warp = call->warp_given ? call->warp : NULL};
    if (args->list)
        return list_tasks();
    if (call->operand_count != 1)
        return wrong_call(call->command, "one folder is needed: the data set");
    if (args->target < 0)
        return wrong_call(call->command, "--format FORM is needed: hf, trl, alpaca, verl or parquet");
    if (!args->output)
        return wrong_call(call->command, "-o DIR is needed: the folder to write to");
    if (options.target == EXPORT_PARQUET && args->tasks.count)
        return wrong_call(call->command, "--kind goes without --format parquet, which has the records themselves");
    if (read_tasks(call->command, &args->tasks, &options) != EXIT_DONE)
        return EXIT_USAGE;
    Progress progress;
    ExportReport report;
    CorpusError error = {""};
    progress_begin(&progress, call);
    options.stop = catch_interrupts("export", "interrupted, ending (again: leave at once)");
    options.progress = show_progress;
    options.user = &progress;
    CorpusOutcome outcome = corpus_export(call->operands[0], args->output, &options, &report, &error);
    if (outcome == CORPUS_DONE) {
        if (report.too_long)
            tell(stderr, "  %llu %s more than %lld tokens and were left out\n", (unsigned long long)report.too_long,
                 report.too_long == 1 ? "has" : "have", args->max_tokens);
        progress_end(&progress, "%llu rows of %llu records in %s,", (unsigned long long)report.rows,
                     (unsigned long long)report.records, args->output);
        return EXIT_DONE;
    }
    progress_end(&progress, NULL);
    if (outcome == CORPUS_STOPPED) {
        tell(stderr, "weft export: interrupted; %s is not finished; run the same command again\n", args->output);
        return interrupt_code();
    }
    tell(stderr, "weft export: %s\n", error.message[0] ? error.message : "out of memory");
    return EXIT_FOUND;
}

static const ExportArgs defaults = {.target = -1};

#define ARGS ExportArgs
static const Option options[] = {
    OPT_CHOICE(
        0, "format", target, EXPORT_WORDS, "FORM",
        "hf: records in Parquet with a card, as a hub wants them, and a configuration per task; trl: messages, and "
        "prompt "
        "with completion; alpaca: instruction, input, output; verl: prompts with ground truth; parquet: records only"),
    OPT_FOLDER('o', "output", output, "DIR",
               "the folder to write to; new, empty, or left by an export that was interrupted"),
    OPT_WORDS(0, "kind", tasks, "NAME",
              "a kind of task to make of the records, see --list, as for weft tasks; may be given several times "
              "(default: all that the set has "
              "records for; of hf: none)"),
    OPT_COUNT(0, "max-tokens", max_tokens, 1, MAX_COUNT, "N",
              "leave out rows with more than N tokens: of prompt and answer together, or of the longest text of a "
              "record; a token is a word of letters, digits and underscores, or another character"),
    OPT_FLAG(0, "full", full, "records with all their columns, also launches, arguments, plan and line map"),
    OPT_FLAG(0, "list", list, "print the tasks and end"),
};

static const CommandExample examples[] = {
    {"weft export data/set --format hf -o data/hub", "a folder to upload to a hub"},
    {"weft export data/set --format trl --kind python-to-gradient -o data/sft", "one task, for TRL's SFTTrainer"},
    {"weft export data/set --format verl -o data/rl", "all tasks, for reinforcement learning with verl"},
    {NULL, NULL},
};

const Command export_command = {
    .name = "export",
    .summary = "write a data set in the form that a hub or a trainer asks for",
    .operands = "SET --format FORM -o DIR [--kind NAME]...\n--list",
    .input_kind = INPUTS_FOLDERS,
    .description = "Writes the records of a finished data set as Parquet, or makes tasks of them: questions, each "
                   "complete with the "
                   "exact signature asked for, and answers. Splits stay as they are.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
