/* weft tasks: questions for models, made of a data set. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "interrupt.h"
#include "terminal.h"

#include "base/suggest.h"
#include "judge/benchmark.h"

#include <stdio.h>
#include <string.h>

typedef struct TasksArgs {
    const char *output, *benchmark;
    Words kinds;
    long long count, seed;
    bool list, all_kinds;
} TasksArgs;

static void show_progress(uint64_t records, uint64_t of, void *user)
{
    progress_tell(user, "records", records, of, "");
}

static int list_kinds(void)
{
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (task_kinds[kind].uses & FOR_SCORE)
            tell(stdout, "%-24s%s\n", task_kinds[kind].name, task_kinds[kind].about);
    return EXIT_DONE;
}

static int read_kinds(const Command *command, const Words *words, TasksOptions *options)
{
    for (int kind = 0; kind < KIND_COUNT; kind++)
        options->kinds[kind] = !words->count;
    options->named = words->count > 0;
    for (size_t i = 0; i < words->count; i++) {
        Suggestion near = suggestion_for(words->items[i], strlen(words->items[i]));
        char buffer[100];
        int kind = task_kind_named(words->items[i], FOR_SCORE);
        for (int other = 0; other < KIND_COUNT; other++)
            if (task_kinds[other].uses & FOR_SCORE)
                suggestion_offer(&near, task_kinds[other].name, strlen(task_kinds[other].name));
        if (kind == KIND_COUNT)
            return wrong_call(command, "there is no kind of task '%s'%s; `weft tasks --list` names them",
                              words->items[i], suggestion_text(&near, "", buffer, sizeof buffer));
        options->kinds[kind] = true;
    }
    return EXIT_DONE;
}

static bool put_line(const char *line, size_t len, void *user)
{
    return fwrite(line, 1, len, user) == len;
}

static int write_tasks(const Call *call, TasksOptions *options)
{
    const TasksArgs *args = call->args;
    Output output;
    Progress progress;
    TasksReport report;
    CorpusError error = {""};
    if (!open_output(&output, args->output))
        return EXIT_FOUND;
    progress_begin(&progress, call);
    progress_beside(&progress, output.file);
    options->stop = catch_interrupts("tasks", "interrupted, ending (again: leave at once)");
    options->progress = show_progress;
    options->user = &progress;
    bool done = judge_make_tasks(call->operands[0], options, put_line, output.file, &report, &error);
    uint64_t count = 0;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        count += report.tasks[kind];
    if (done)
        progress_end(&progress, "%llu tasks of %llu records,", (unsigned long long)count,
                     (unsigned long long)report.records);
    else
        progress_end(&progress, NULL);
    for (int why = 0; done && !call->quiet && why < UNDETERMINED_COUNT; why++)
        if (report.left_out[why])
            tell(stderr, "%llu left out: %s\n", (unsigned long long)report.left_out[why], undetermined_words(why));
    return settle_output(&output, call->command->name, done, error.message);
}

/* All lines are there, and are those of the benchmark, before one is written. */
static int write_benchmark(const Call *call, const Benchmark *benchmark, TasksOptions *options)
{
    const TasksArgs *args = call->args;
    Output output;
    Progress progress;
    TasksReport report;
    CorpusError error = {""};
    Text lines;
    text_init(&lines);
    progress_begin(&progress, call);
    options->stop = catch_interrupts("tasks", "interrupted, ending (again: leave at once)");
    options->progress = show_progress;
    options->user = &progress;
    bool done = benchmark_make(benchmark, call->operands[0], options, &lines, &report, &error);
    progress_end(&progress, done ? "the benchmark %s," : NULL, benchmark->name);
    int code = EXIT_FOUND;
    if (done && open_output(&output, args->output))
        code = settle_output(&output, call->command->name, put_line(lines.data, lines.len, output.file), "");
    else if (!done && error.message[0])
        tell(stderr, "weft tasks: %s\n", error.message);
    text_free(&lines);
    return done || !interrupt_code() ? code : interrupt_code();
}

static int run_benchmark(const Call *call, TasksOptions *options)
{
    const TasksArgs *args = call->args;
    const Benchmark *benchmark = benchmark_named(args->benchmark);
    if (args->kinds.count || args->all_kinds || args->count || args->seed)
        return wrong_call(call->command,
                          "--benchmark says itself which tasks: no other option about them goes with it");
    if (!benchmark)
        return wrong_call(call->command, "there is no benchmark '%s'; the newest one is %s, of the set of `%s`",
                          args->benchmark, benchmark_at(0)->name, benchmark_at(0)->command);
    return write_benchmark(call, benchmark, options);
}

static int run(const Call *call)
{
    const TasksArgs *args = call->args;
    TasksOptions options = {.limit = (uint64_t)args->count,
                            .seed = (uint64_t)args->seed,
                            .all_kinds = args->all_kinds,
                            .warp = call->warp_given ? call->warp : NULL};
    if (args->list)
        return list_kinds();
    if (call->operand_count != 1)
        return wrong_call(call->command, "one folder is needed: the data set");
    if (args->benchmark)
        return run_benchmark(call, &options);
    if (read_kinds(call->command, &args->kinds, &options) != EXIT_DONE)
        return EXIT_USAGE;
    return write_tasks(call, &options);
}

static const TasksArgs defaults = {.count = 0};

#define ARGS TasksArgs
static const Option options[] = {
    OPT_FILE('o', "output", output, "FILE", "write to a file instead of standard output"),
    OPT_WORDS(0, "kind", kinds, "NAME",
              "a kind of task, see --list; may be given several times (default: all that the set has records for)"),
    OPT_FLAG(0, "all-kinds", all_kinds,
             "a task of every kind for each record, instead of one; prompts then hold answers to other tasks of the "
             "record (copying solves most of them), so give a model one kind only"),
    OPT_COUNT(0, "per-kind", count, 1, MAX_COUNT, "N", "at most N tasks per kind, taken from the start (default: all)"),
    OPT_COUNT('s', "seed", seed, 0, MAX_SEED, "SEED",
              "of the mistakes in tasks about wrong texts: another seed makes others (default 0)"),
    OPT_TEXT(0, "benchmark", benchmark, "NAME",
             "the tasks of a frozen benchmark, byte by byte, or none where the set is another (2026.11)"),
    OPT_FLAG(0, "list", list, "print the kinds and end"),
};

static const CommandExample examples[] = {
    {"weft tasks data/set -o tasks.jsonl", "one task per record, all kinds"},
    {"weft tasks data/set --kind python-to-gradient --per-kind 200 -o tasks.jsonl", "200 tasks of one kind"},
    {"weft tasks data/set --benchmark 2026.11 -o tasks.jsonl", "600 tasks that are the same everywhere"},
    {NULL, NULL},
};

const Command tasks_command = {
    .name = "tasks",
    .summary = "make tasks for models of a data set, without their answers",
    .operands = "SET [-o FILE] [--kind NAME]... [--per-kind N]\nSET --benchmark NAME [-o FILE]\n--list",
    .input_kind = INPUTS_FOLDERS,
    .description = "Writes one line of JSON per task: id, kind, form of the answer, category, difficulty, and the "
                   "prompt, which has the "
                   "exact signature that is asked for. weft score judges what a model answers.\n"
                   "Each record has one task, of a kind that its id decides: the prompt of one kind holds the answer "
                   "to another.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
