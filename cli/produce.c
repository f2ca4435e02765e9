/* weft produce and weft merge: data sets. */
#include "args.h"
#include "commands.h"

#include "corpus/corpus.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stop_wanted;

/* The first Ctrl-C ends the run at the next checkpoint, the second at once. */
static void on_interrupt(int signal_number)
{
    stop_wanted = 1;
    signal(signal_number, SIG_DFL);
}

static void catch_signals(void)
{
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error of write */
}

/* ---- progress ---- */

typedef struct Showing {
    bool json, terminal;
} Showing;

static void show_progress(const CorpusProgress *progress, void *user)
{
    const Showing *showing = user;
    double rate = progress->seconds > 0 ? (double)(progress->made - progress->resumed_from) / progress->seconds : 0;
    double left =
        rate > 0 && progress->wanted > progress->made ? (double)(progress->wanted - progress->made) / rate : 0;
    if (showing->json)
        fprintf(stderr,
                "{\"made\": %llu, \"wanted\": %llu, \"rejected\": %llu, \"pairs_per_second\": %.1f, \"seconds_left\": "
                "%.1f}\n",
                (unsigned long long)progress->made, (unsigned long long)progress->wanted,
                (unsigned long long)progress->rejected, rate, left);
    else if (showing->terminal)
        fprintf(stderr, "\r\033[K%llu of %llu pairs, %.0f/s, %d:%02d:%02d left, %llu rejected",
                (unsigned long long)progress->made, (unsigned long long)progress->wanted, rate, (int)(left / 3600),
                (int)(left / 60) % 60, (int)left % 60, (unsigned long long)progress->rejected);
}

static int report(const char *command, const char *dir, CorpusOutcome outcome, const Showing *showing,
                  const CorpusError *error)
{
    if (showing->terminal && !showing->json)
        fprintf(stderr, "\r\033[K");
    switch (outcome) {
    case CORPUS_DONE: return EXIT_DONE;
    case CORPUS_ALREADY_DONE: fprintf(stderr, "weft %s: %s is complete already\n", command, dir); return EXIT_DONE;
    case CORPUS_STOPPED:
        if (strcmp(command, "merge") == 0)
            fprintf(stderr, "weft merge: interrupted; remove %s and merge again\n", dir);
        else
            fprintf(stderr, "weft %s: interrupted; what is done is safe, the same command with --resume continues\n",
                    command);
        return EXIT_FOUND;
    case CORPUS_FAILED: break;
    }
    fprintf(stderr, "weft %s: %s\n", command, error->message);
    return EXIT_FOUND;
}

/* ---- options ---- */

typedef struct ProduceArgs {
    long long count, seed, jobs, shard_rows, checkpoint_rows;
    const char *output, *categories, *device, *format, *shard, *splits, *gradients, *dedup;
    bool no_backward, no_verify, no_compress, resume, timing, with_io, json_progress;
} ProduceArgs;

static bool wrong(const char *format, const char *value)
{
    fputs("weft produce: ", stderr);
    fprintf(stderr, format, value);
    fputs(" (see weft produce --help)\n", stderr);
    return false;
}

static int choose(const char *value, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(value, names[i]) == 0)
            return i;
    return -1;
}

static bool read_splits(const char *text, unsigned splits[SPLIT_COUNT])
{
    int used = 0;
    unsigned long total;
    if (sscanf(text, "%u,%u,%u%n", &splits[0], &splits[1], &splits[2], &used) != 3 || text[used] || strchr(text, '-'))
        return false;
    total = (unsigned long)splits[0] + splits[1] + splits[2];
    return total > 0 && total <= 1000000;
}

static bool read_shard(const char *text, CorpusOptions *options)
{
    unsigned piece, count;
    int used = 0;
    if (sscanf(text, "%u/%u%n", &piece, &count, &used) != 2 || text[used] || !piece || piece > count || count > 65536)
        return false;
    options->piece = piece - 1;
    options->piece_count = count;
    return true;
}

static bool fill_options(const ProduceArgs *args, CorpusOptions *options)
{
    static const char *const devices[] = {"cuda", "cpu", "both"};
    static const char *const formats[] = {"jsonl", "json"};
    static const char *const gradients[] = {"proven", "marked", "skip"};
    static const char *const dedups[] = {"structure", "masked"};
    int device = choose(args->device, devices, 3), format = choose(args->format, formats, 2);
    int gradient = choose(args->gradients, gradients, 3), dedup = choose(args->dedup, dedups, 2);
    *options = corpus_default_options();
    if (args->count < 1)
        return wrong("%s is needed: how many pairs", "-n");
    if (!args->output)
        return wrong("%s is needed: the folder to write to", "-o");
    if (device < 0)
        return wrong("--device is cuda, cpu or both, not '%s'", args->device);
    if (format < 0)
        return wrong("--format is jsonl or json, not '%s'", args->format);
    if (gradient < 0)
        return wrong("--gradients is proven, marked or skip, not '%s'", args->gradients);
    if (dedup < 0)
        return wrong("--dedup is structure or masked, not '%s'", args->dedup);
    if (args->splits && !read_splits(args->splits, options->splits))
        return wrong("--splits takes three shares, as 98,1,1, not '%s'", args->splits);
    if (args->shard && !read_shard(args->shard, options))
        return wrong("--shard takes a piece and their number, as 1/4, not '%s'", args->shard);
    if (format == FORMAT_JSON && (args->splits || args->shard))
        return wrong("--format json goes without %s", args->splits ? "--splits" : "--shard");
    if (args->shard_rows < 1 || args->checkpoint_rows < 1)
        return wrong("%s must be at least 1", args->shard_rows < 1 ? "--shard-rows" : "--checkpoint");
    if (args->with_io && args->no_verify)
        return wrong("--with-io goes without %s", "--no-verify");
    if (args->jobs > 1024)
        return wrong("%s must be at most 1024", "--jobs");
    if (!read_categories("produce", args->categories, &options->weights))
        return false;
    options->count = (uint64_t)args->count;
    options->seed = (uint64_t)args->seed;
    options->device = (unsigned)device + 1;
    options->format = (CorpusFormat)format;
    options->gradients = (GradientRule)gradient;
    options->dedup = (DedupRule)dedup;
    options->backward = !args->no_backward;
    options->verify = !args->no_verify;
    options->compress = !args->no_compress && format == FORMAT_JSONL;
    options->timing = args->timing;
    options->with_io = args->with_io;
    options->shard_rows = (uint64_t)args->shard_rows;
    options->checkpoint_rows = (uint64_t)args->checkpoint_rows;
    return true;
}

int command_produce(int argc, char **argv)
{
    ProduceArgs args = {.shard_rows = 10000,
                        .checkpoint_rows = 2000,
                        .device = "cuda",
                        .format = "jsonl",
                        .gradients = "proven",
                        .dedup = "structure"};
    const Option options[] = {
        {'n', "count", OPTION_COUNT, &args.count, "N", "how many pairs"},
        {'o', "output", OPTION_TEXT, &args.output, "DIR",
         "the folder to write to; new, or to be continued with --resume"},
        {'c', "categories", OPTION_TEXT, &args.categories, "LIST",
         "only these, as vector,physics or with weights, vector=3,math=1"},
        {'d', "device", OPTION_TEXT, &args.device, "WHICH", "cuda (default), cpu or both"},
        {'s', "seed", OPTION_COUNT, &args.seed, "SEED", "another seed gives other kernels (default 0)"},
        {'j', "jobs", OPTION_COUNT, &args.jobs, "JOBS", "threads (default: all cores); the data do not depend on it"},
        {0, "no-backward", OPTION_FLAG, &args.no_backward, NULL, "without the backward texts"},
        {0, "no-verify", OPTION_FLAG, &args.no_verify, NULL, "do not run the kernels to check them"},
        {0, "with-io", OPTION_FLAG, &args.with_io, NULL,
         "add inputs, outputs and gradients of a small launch to the metadata (see docs/records.md)"},
        {0, "gradients", OPTION_TEXT, &args.gradients, "RULE",
         "a wrong gradient: proven leaves its text out (default), marked keeps it, skip drops the pair"},
        {0, "dedup", OPTION_TEXT, &args.dedup, "RULE",
         "no two alike but for names (structure, default), or also numbers (masked)"},
        {0, "splits", OPTION_TEXT, &args.splits, "A,B,C",
         "shares of train, validation and test, as 98,1,1; no shape is in two of them"},
        {0, "format", OPTION_TEXT, &args.format, "FORMAT", "jsonl (default), or json: one file a pair"},
        {0, "no-compress", OPTION_FLAG, &args.no_compress, NULL, "plain .jsonl instead of .jsonl.zst"},
        {0, "shard-rows", OPTION_COUNT, &args.shard_rows, "N", "pairs a file (default 10000)"},
        {0, "checkpoint", OPTION_COUNT, &args.checkpoint_rows, "N", "pairs that a killed run may lose (default 2000)"},
        {0, "resume", OPTION_FLAG, &args.resume, NULL, "continue what was interrupted, with the same options"},
        {0, "shard", OPTION_TEXT, &args.shard, "I/N", "make piece I of N; weft merge joins them"},
        {0, "timing", OPTION_FLAG, &args.timing, NULL,
         "add generation_time_ms to the metadata; runs are then no longer alike"},
        {0, "json-progress", OPTION_FLAG, &args.json_progress, NULL, "progress as JSON lines on stderr"},
    };
    const Command command = {
        "produce", "-n N -o DIR [options]",
        "Makes a data set: kernels that nobody wrote, compiled, run to check values and gradients, and written\n"
        "down without duplicates. The same options give the same bytes, however often it is interrupted.",
        options, sizeof options / sizeof *options};
    size_t count;
    int code = EXIT_USAGE;
    if (!read_args(&command, argc, argv, &count, &code))
        return code;
    CorpusOptions chosen;
    if (count) {
        wrong("%s are not taken", "operands");
        return EXIT_USAGE;
    }
    if (!fill_options(&args, &chosen))
        return EXIT_USAGE;
    Showing showing = {args.json_progress, isatty(STDERR_FILENO)};
    CorpusRun run = {.jobs = (unsigned)args.jobs,
                     .resume = args.resume,
                     .stop = &stop_wanted,
                     .progress = show_progress,
                     .user = &showing};
    CorpusError error = {""};
    catch_signals();
    return report("produce", args.output, corpus_produce(args.output, &chosen, &run, &error), &showing, &error);
}

int command_merge(int argc, char **argv)
{
    const char *output = NULL;
    bool json_progress = false;
    const Option options[] = {
        {'o', "output", OPTION_TEXT, &output, "DIR", "the folder to write to"},
        {0, "json-progress", OPTION_FLAG, &json_progress, NULL, "progress as JSON lines on stderr"},
    };
    const Command command = {
        "merge", "PIECE... -o DIR",
        "Joins the pieces that weft produce --shard I/N made, all N of them, into what one run would have written.",
        options, sizeof options / sizeof *options};
    size_t count;
    int code = EXIT_USAGE;
    if (!read_args(&command, argc, argv, &count, &code))
        return code;
    if (!count || !output) {
        fprintf(stderr, "weft merge: pieces and -o DIR are needed (see weft merge --help)\n");
        return EXIT_USAGE;
    }
    Showing showing = {json_progress, isatty(STDERR_FILENO)};
    CorpusRun run = {.stop = &stop_wanted, .progress = show_progress, .user = &showing};
    CorpusError error = {""};
    catch_signals();
    return report("merge", output, corpus_merge(output, argv, count, &run, &error), &showing, &error);
}
