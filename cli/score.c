/* weft score: what models answered to tasks, compiled, run and compared. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "interrupt.h"
#include "terminal.h"

#include "judge/score.h"

#include <stdio.h>

typedef struct ScoreArgs {
    const char *set, *output, *hidden_key, *warp_include, *cuda, *trace;
    long long jobs, compile_time, run_time, memory, batch, runners;
    bool resume, json, gpu, no_timing, open_launches;
} ScoreArgs;

static void show_progress(const char *stage, uint64_t done, uint64_t of, void *user)
{
    progress_tell(user, stage, done, of, "");
}

static int finish(const Call *call, Score *score, ScoreOutcome outcome, Progress *progress)
{
    const ScoreArgs *args = call->args;
    if (outcome == SCORE_DONE) {
        progress_end(progress, "%llu answers,", (unsigned long long)score->counts.answers);
        Text text;
        text_init(&text);
        if (args->json)
            score_summary_json(score, &text);
        else
            score_summary_text(score, &text);
        put_text(&text, stdout);
        text_free(&text);
        return score->counts.unjudged ? EXIT_FOUND : EXIT_DONE;
    }
    progress_end(progress, NULL);
    if (outcome == SCORE_STOPPED) {
        tell(stderr, "weft score: interrupted; the same command with --resume goes on\n");
        return interrupt_code();
    }
    tell(stderr, "weft score: %s\n", score->error.message);
    return EXIT_FOUND;
}

static int run(const Call *call)
{
    const ScoreArgs *args = call->args;
    if (call->operand_count != 2)
        return wrong_call(call->command, "two files are needed: tasks, and answers to them");
    if (!args->set)
        return wrong_call(call->command, "--data SET is needed: the data set that the tasks are made of");
    if (!args->output)
        return wrong_call(call->command, "-o FILE is needed: the results, one line per answer");
    ScoreOptions options = {.tasks = call->operands[0],
                            .answers = call->operands[1],
                            .set = args->set,
                            .output = args->output,
                            .warp_include = args->warp_include,
                            .resume = args->resume,
                            .gpu = args->gpu,
                            .cuda = args->cuda,
                            .batch = (unsigned)args->batch,
                            .runners = (unsigned)args->runners,
                            .trace = args->trace,
                            .jobs = (unsigned)args->jobs,
                            .progress = show_progress};
    options.hidden_key = args->hidden_key;
    options.open_launches = args->open_launches;
    options.referee = (RefereeOptions){.timing = !args->no_timing,
                                       .limits = {.compile_seconds = (uint32_t)args->compile_time,
                                                  .run_seconds = (uint32_t)args->run_time,
                                                  .memory_mb = (uint32_t)args->memory}};
    Progress progress;
    Score score;
    progress_begin(&progress, call);
    options.stop = catch_interrupts("score", "interrupted, ending (again: leave at once)");
    options.user = &progress;
    ScoreOutcome outcome = judge_score(&score, &options);
    int code = finish(call, &score, outcome, &progress);
    score_free(&score);
    return code;
}

static const ScoreArgs defaults = {
    .jobs = 0, .compile_time = 20, .run_time = 5, .memory = 1024, .batch = 64, .runners = 2};

#define ARGS ScoreArgs
static const Option options[] = {
    OPT_FOLDER(0, "data", set, "SET", "the data set that the tasks are made of"),
    OPT_FILE('o', "output", output, "FILE", "the results: one line of JSON per answer, in the order of the answers"),
    OPT_COUNT('j', "jobs", jobs, 0, MAX_JOBS, "JOBS", "answers at a time (default 0: all cores)"),
    OPT_FILE(0, "hidden-key", hidden_key, "FILE",
             "the key that hidden launches are drawn from: 128 random bits, made if there is no such file (default: "
             "FILE.key beside the results)"),
    OPT_FLAG(0, "open-launches", open_launches, "run the launches of the data set alone, which are known to all"),
    OPT_FLAG(0, "gpu", gpu,
             "compile CUDA with NVRTC and run it on a GPU, in a sandbox that has it; also tell how fast it is"),
    OPT_FLAG(0, "no-timing", no_timing, "with --gpu: do not tell how fast what passes is"),
    OPT_COUNT(0, "batch", batch, 1, 100000, "N",
              "with --gpu: answers that one process with the GPU runs, one after the other (default 64; 1: each has "
              "its own)"),
    OPT_COUNT(0, "runners", runners, 1, 64, "N",
              "with --gpu: processes that have the GPU at the same time, about 2 GB of its memory each (default 2)"),
    OPT_FOLDER(0, "cuda", cuda, "DIR", "with --gpu: the CUDA toolkit, for NVRTC (default: found)"),
    OPT_FLAG(0, "resume", resume, "continue after the last complete result"),
    OPT_COUNT(0, "compile-time", compile_time, 1, 600, "SECONDS",
              "processor time that compiling an answer may take (default 20)"),
    OPT_COUNT(0, "run-time", run_time, 1, 600, "SECONDS", "processor time that all its launches may take (default 5)"),
    OPT_COUNT(0, "memory", memory, 64, 65536, "MB", "memory that it may have (default 1024)"),
    OPT_FOLDER(0, "warp-include", warp_include, "DIR",
               "Warp's native headers, for answers in its form (default: those of an installed warp-lang)"),
    OPT_FILE(0, "trace", trace, "FILE", "write down how long each step took: one line of JSON per step"),
    OPT_FLAG(0, "json", json, "print the summary as JSON"),
};

static const CommandExample examples[] = {
    {"weft score tasks.jsonl answers.jsonl --data data/set -o results.jsonl", "judge answers, also on hidden launches"},
    {"weft score tasks.jsonl answers.jsonl --data data/set -o results.jsonl --hidden-key judge.key --gpu",
     "with the hidden launches of another run, on a GPU"},
    {"weft score tasks.jsonl answers.jsonl --data data/set -o results.jsonl --resume",
     "go on where it was interrupted"},
    {NULL, NULL},
};

const Command score_command = {
    .name = "score",
    .summary = "judge what a model answered to tasks: compile it, run it, compare",
    .operands = "TASKS ANSWERS --data SET -o FILE [options]",
    .input_kind = INPUTS_FILES,
    .description =
        "Answers are lines of JSON, {\"id\": the task's, \"answer\": text}; a task may have several. Each is compiled "
        "and run in "
        "a sandbox of its own (bubblewrap), without network, files or environment, under limits; what comes out is "
        "compared "
        "outside with what weft's evaluators compute, gradients number by number and by the dot-product test. Without "
        "bubblewrap nothing is run.\n"
        "The summary has pass@k with 95 % intervals, by kind, category and difficulty. Exit code 1: some answers could "
        "not be "
        "judged.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
