/* weft judge: does the judge hold on this machine? And a judge that answers over HTTP. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "interrupt.h"
#include "terminal.h"

#include "base/json_writer.h"
#include "judge/self_test.h"
#include "judge/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct JudgeArgs {
    const char *listen, *set, *tasks, *output, *token, *hidden_key, *warp_include, *cuda;
    long long jobs, queue, compile_time, run_time, memory, batch, runners;
    bool self_test, quick, gpu, json, no_timing, open_launches, until_eof;
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

/* ---- --listen ---- */

static void tell_address(unsigned port, const void *user)
{
    const Call *call = user;
    const JudgeArgs *args = call->args;
    tell(stdout, "http://%.*s:%u/ (Ctrl-C ends it)\n", (int)strcspn(args->listen, ":"), args->listen, port);
    fflush(stdout);
}

/* ADDRESS:PORT. */
static bool read_place(const char *text, char *address, size_t size, unsigned *port)
{
    const char *colon = strchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : 0, digits = colon ? strlen(colon + 1) : 0;
    if (!len || len >= size || !digits || digits > 5 || strspn(colon + 1, "0123456789") != digits)
        return false;
    memcpy(address, text, len);
    address[len] = '\0';
    *port = (unsigned)strtoul(colon + 1, NULL, 10);
    return *port <= 65535;
}

static ScoreOptions score_options(const JudgeArgs *args)
{
    return (ScoreOptions){.tasks = args->tasks,
                          .set = args->set,
                          .output = args->output,
                          .warp_include = args->warp_include,
                          .gpu = args->gpu,
                          .cuda = args->cuda,
                          .batch = (unsigned)args->batch,
                          .runners = (unsigned)args->runners,
                          .jobs = (unsigned)args->jobs,
                          .hidden_key = args->hidden_key,
                          .open_launches = args->open_launches,
                          .all_tasks = true,
                          .progress = show_progress,
                          .referee = {.timing = args->gpu && !args->no_timing,
                                      .limits = {.compile_seconds = (uint32_t)args->compile_time,
                                                 .run_seconds = (uint32_t)args->run_time,
                                                 .memory_mb = (uint32_t)args->memory}}};
}

static int listen_to_http(const Call *call, const char *address, unsigned port)
{
    const JudgeArgs *args = call->args;
    Progress progress;
    Score score;
    progress_begin(&progress, call);
    ScoreOptions options = score_options(args);
    options.stop = catch_interrupts("judge", "ending (again: leave at once)");
    options.user = &progress;
    ServiceOptions service = {.address = address,
                              .port = port,
                              .token_file = args->token,
                              .queue = (unsigned)args->queue,
                              .until_eof = args->until_eof,
                              .version = WEFT_VERSION,
                              .ready = tell_address,
                              .user = call};
    bool done = judge_listen(&score, &options, &service);
    progress_end(&progress, NULL);
    if (!done)
        tell(stderr, "weft judge: %s\n", score.error.message);
    score_free(&score);
    return done ? EXIT_DONE : EXIT_FOUND;
}

/* ---- the command ---- */

static int run(const Call *call)
{
    const JudgeArgs *args = call->args;
    char address[64];
    unsigned port = 0;
    if (call->operand_count)
        return wrong_call(call->command, "unexpected operand '%s'", call->operands[0]);
    if (args->self_test == !!args->listen)
        return wrong_call(call->command, "--self-test or --listen is needed: what the judge is to do");
    if (args->self_test)
        return test_itself(call);
    if (!read_place(args->listen, address, sizeof address, &port))
        return wrong_call(call->command, "--listen takes ADDRESS:PORT, as 127.0.0.1:8080, not '%s'", args->listen);
    if (!args->set || !args->tasks || !args->output)
        return wrong_call(call->command, "--listen needs --data SET, --tasks FILE and -o JOURNAL");
    return listen_to_http(call, address, port);
}

static const JudgeArgs defaults = {
    .jobs = 0, .queue = 1024, .compile_time = 20, .run_time = 5, .memory = 1024, .batch = 64, .runners = 2};

#define ARGS JudgeArgs
static const Option options[] = {
    OPT_FLAG(0, "self-test", self_test, "attack the judge on this machine, and tell which attacks it holds"),
    OPT_FLAG(0, "quick", quick, "with --self-test: about half of the attacks"),
    OPT_FLAG(0, "json", json, "with --self-test: print the result as JSON"),
    OPT_TEXT(0, "listen", listen, "ADDRESS:PORT",
             "judge answers that come over HTTP, until Ctrl-C; port 0: any that is free"),
    OPT_FOLDER(0, "data", set, "SET", "with --listen: the data set that the tasks are made of"),
    OPT_FILE(0, "tasks", tasks, "FILE", "with --listen: the tasks, of weft tasks"),
    OPT_FILE('o', "output", output, "JOURNAL",
             "with --listen: one line of JSON per answer that was judged; a journal that is there is continued, and "
             "answers in it are not judged again"),
    OPT_FILE(0, "token", token, "FILE",
             "with --listen: requests need the token in this file; addresses other than 127.x.x.x need one"),
    OPT_COUNT(0, "queue", queue, 1, 1000000, "N",
              "with --listen: answers that wait; more are refused for now, with 503 (default 1024)"),
    OPT_FLAG(0, "until-eof", until_eof,
             "with --listen: end with standard input, too, for programs that start a judge of their own"),
    OPT_FILE(0, "hidden-key", hidden_key, "FILE",
             "with --listen: the key that hidden launches are drawn from (default: JOURNAL.key)"),
    OPT_FLAG(0, "open-launches", open_launches, "with --listen: run the launches of the data set alone"),
    OPT_COUNT(0, "compile-time", compile_time, 1, 600, "SECONDS",
              "with --listen: processor time that compiling an answer may take (default 20)"),
    OPT_COUNT(0, "run-time", run_time, 1, 600, "SECONDS",
              "with --listen: processor time that all its launches may take (default 5)"),
    OPT_COUNT(0, "memory", memory, 64, 65536, "MB", "with --listen: memory that it may have (default 1024)"),
    OPT_FOLDER(0, "warp-include", warp_include, "DIR",
               "with --listen: Warp's native headers (default: those of an installed warp-lang)"),
    OPT_FLAG(0, "gpu", gpu, "attacks on a GPU, or answers on one"),
    OPT_FLAG(0, "no-timing", no_timing, "with --listen --gpu: do not tell how fast what passes is"),
    OPT_COUNT(0, "batch", batch, 1, 100000, "N", "with --listen --gpu: answers of one process (default 64)"),
    OPT_COUNT(0, "runners", runners, 1, 64, "N", "with --listen --gpu: processes that have the GPU (default 2)"),
    OPT_FOLDER(0, "cuda", cuda, "DIR", "with --gpu: the CUDA toolkit, for NVRTC (default: found)"),
    OPT_COUNT('j', "jobs", jobs, 0, MAX_JOBS, "N", "answers at the same time (default 0: as many as there are cores)"),
};

static const CommandExample examples[] = {
    {"weft judge --self-test", "does the judge hold on this machine?"},
    {"weft judge --self-test --gpu", "the attacks on a GPU"},
    {"weft judge --listen 127.0.0.1:8080 --data data/set --tasks tasks.jsonl -o journal.jsonl",
     "judge what is sent to http://127.0.0.1:8080/score"},
    {NULL, NULL},
};

const Command judge_command = {
    .name = "judge",
    .summary = "judge answers over HTTP; or attack the judge on this machine",
    .operands = "--self-test [options]\n--listen ADDRESS:PORT --data SET --tasks FILE -o JOURNAL [options]",
    .description =
        "--self-test gives answers to the judge that try to pass without being right, or to do harm: exit codes, "
        "forged results, "
        "files of the host, endless loops, memory, processes, launches known by heart. Each stands beside a right "
        "answer, which must pass. They run in the sandbox of weft score alone; without bubblewrap nothing is run. "
        "Exit code 1: an attack was not held back.\n"
        "--listen judges answers as weft score does: POST /score takes {\"id\": the task's, \"answer\": text} or a "
        "list of such, "
        "and "
        "answers with results. The same answer gets the same result without being judged again, also after a "
        "restart. GET /health and GET /metrics tell how it is. It needs libmicrohttpd.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
