/* weft judge: does the judge hold on this machine? */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "interrupt.h"
#include "terminal.h"

#include "base/json_writer.h"
#include "judge/self_test.h"

#include <stdio.h>

typedef struct JudgeArgs {
    const char *cuda;
    long long jobs;
    bool self_test, quick, gpu, json;
} JudgeArgs;

static void show_progress(const char *stage, uint64_t done, uint64_t of, void *user)
{
    progress_tell(user, stage, done, of, "");
}

/* ---- --self-test ---- */

static void print_rows(const SelfTest *test)
{
    for (uint32_t i = 0; i < test->count; i++) {
        const SelfTestRow *row = &test->rows[i];
        tell(stdout, "%s%s%s  %s: %s\n", style_begin(stdout, row->holds ? STYLE_GOOD : STYLE_BAD),
             row->holds ? "holds" : "FAILS", style_end(stdout, row->holds ? STYLE_GOOD : STYLE_BAD), row->name,
             row->words);
    }
    tell(stdout, "%u of %u hold\n", test->held, test->count);
}

static void print_json(const SelfTest *test)
{
    Text text;
    text_init(&text);
    JsonWriter json = {.out = &text};
    json_open(&json, NULL, '{');
    json_add_uint(&json, "held", test->held);
    json_add_uint(&json, "of", test->count);
    json_open(&json, "rows", '[');
    for (uint32_t i = 0; i < test->count; i++) {
        json_open(&json, NULL, '{');
        json_add_string(&json, "name", test->rows[i].name);
        json_add_bool(&json, "holds", test->rows[i].holds);
        json_add_string(&json, "words", test->rows[i].words);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
    put_json_line(&text, stdout);
}

static int test_itself(const Call *call)
{
    const JudgeArgs *args = call->args;
    Progress progress;
    SelfTest test;
    progress_begin(&progress, call);
    SelfTestOptions options = {.all = !args->quick,
                               .gpu = args->gpu,
                               .cuda = args->cuda,
                               .warp = call->warp,
                               .jobs = (unsigned)args->jobs,
                               .stop = catch_interrupts("judge", "interrupted, ending (again: leave at once)"),
                               .progress = show_progress,
                               .user = &progress};
    bool done = judge_self_test(&test, &options);
    bool holds = done && test.held == test.count;
    progress_end(&progress, done ? "%u attacks and observations," : NULL, test.count);
    if (done && args->json)
        print_json(&test);
    else if (done)
        print_rows(&test);
    else if (test.error.message[0])
        tell(stderr, "weft judge: %s\n", test.error.message);
    self_test_free(&test);
    return holds ? EXIT_DONE : !done && interrupt_code() ? interrupt_code() : EXIT_FOUND;
}

/* ---- the command ---- */

static int run(const Call *call)
{
    const JudgeArgs *args = call->args;
    if (call->operand_count)
        return wrong_call(call->command, "unexpected operand '%s'", call->operands[0]);
    if (!args->self_test)
        return wrong_call(call->command, "--self-test is needed: what the judge is to do");
    return test_itself(call);
}

static const JudgeArgs defaults = {.jobs = 0};

#define ARGS JudgeArgs
static const Option options[] = {
    OPT_FLAG(0, "self-test", self_test, "attack the judge on this machine, and tell which attacks it holds"),
    OPT_FLAG(0, "quick", quick, "with --self-test: about half of the attacks"),
    OPT_FLAG(0, "gpu", gpu, "with --self-test: attacks on a GPU"),
    OPT_FOLDER(0, "cuda", cuda, "DIR", "with --gpu: the CUDA toolkit, for NVRTC (default: found)"),
    OPT_COUNT('j', "jobs", jobs, 1, MAX_JOBS, "N", "answers at the same time (default: as many as there are cores)"),
    OPT_FLAG(0, "json", json, "print the result as JSON"),
};

static const CommandExample examples[] = {
    {"weft judge --self-test", "does the judge hold on this machine?"},
    {"weft judge --self-test --gpu", "the attacks on a GPU"},
    {NULL, NULL},
};

const Command judge_command = {
    .name = "judge",
    .summary = "attack the judge on this machine, and tell what it holds",
    .operands = "--self-test [options]",
    .description =
        "Gives answers to the judge that try to pass without being right, or to do harm: exit codes, forged results, "
        "files of the host, endless loops, memory, processes, launches known by heart. Each stands beside a right "
        "answer, which must pass. They run in the sandbox of weft score alone; without bubblewrap nothing is run.\n"
        "Exit code 1: an attack was not held back.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
