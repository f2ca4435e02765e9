/* weft produce and weft merge: data sets. */
#include "produce.h"
#include "args.h"
#include "commands.h"
#include "interrupt.h"
#include "range.h"
#include "terminal.h"

#include "check/io.h"
#include "corpus/estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- progress ---- */

ProgressView begin_view(const Call *call, bool json)
{
    ProgressView view = {.json = json};
    progress_begin(&view.progress, call);
    view.progress.summary = !call->quiet; /* also without a terminal: logs of long runs end with their result */
    return view;
}

static void show_json(const CorpusProgress *progress)
{
    double rate = progress->seconds > 0 ? (double)(progress->made - progress->resumed_from) / progress->seconds : 0;
    double left =
        rate > 0 && progress->wanted > progress->made ? (double)(progress->wanted - progress->made) / rate : 0;
    fprintf(stderr,
            "{\"made\": %llu, \"wanted\": %llu, \"rejected\": %llu, \"pairs_per_second\": %.1f, \"seconds_left\": "
            "%.1f}\n",
            (unsigned long long)progress->made, (unsigned long long)progress->wanted,
            (unsigned long long)progress->rejected, rate, left);
}

void show_progress(const CorpusProgress *progress, void *user)
{
    ProgressView *view = user;
    char rejected[40];
    view->last = *progress;
    view->known = true;
    snprintf(rejected, sizeof rejected, "%llu rejected", (unsigned long long)progress->rejected);
    if (view->json)
        show_json(progress);
    else
        progress_tell(&view->progress, "pairs", progress->made, progress->wanted, rejected);
}

/* The size of the set, its verdicts, and the next command. */
static void show_summary(const char *dir)
{
    CorpusSummary sum;
    CorpusError error = {""};
    if (!corpus_summary(dir, &sum, &error))
        return;
    tell(stderr, "  size: %.1f MB in files, %llu pairs with readable CUDA\n", (double)sum.bytes / 1e6,
         (unsigned long long)sum.readable);
    if (sum.verified)
        tell(stderr,
             "  verdicts: %llu kernels agree in both evaluators; gradients: %llu right, %llu wrong in Warp, %llu "
             "without one\n",
             (unsigned long long)sum.forward_pass, (unsigned long long)sum.gradient_pass,
             (unsigned long long)sum.gradient_mismatch, (unsigned long long)sum.gradient_none);
    else
        tell(stderr, "  verdicts: none, as --no-verify asks\n");
    if (sum.piece)
        tell(stderr, "  next: weft merge joins all pieces\n");
    else if (sum.task)
        tell(stderr, "  next: weft range join joins all ranges\n");
    else
        tell(stderr, "  next: weft stats %s, weft serve %s, weft export %s --format hf -o DIR\n", dir, dir, dir);
}

int report_outcome(const char *command, const char *dir, CorpusOutcome outcome, ProgressView *view,
                   const CorpusError *error)
{
    const CorpusProgress *last = &view->last;
    bool shown = outcome == CORPUS_DONE && view->known && !view->json;
    if (shown)
        progress_end(&view->progress, "%llu pairs in %s, %llu candidates rejected;", (unsigned long long)last->made,
                     dir, (unsigned long long)last->rejected);
    else
        progress_end(&view->progress, NULL);
    if (shown && view->progress.summary)
        show_summary(dir);
    switch (outcome) {
    case CORPUS_DONE: return EXIT_DONE;
    case CORPUS_ALREADY_DONE: tell(stderr, "weft %s: %s is complete already\n", command, dir); return EXIT_DONE;
    case CORPUS_STOPPED:
        tell(stderr, "weft %s: interrupted; what is done is safe, the same command with --resume continues\n", command);
        return interrupt_code();
    case CORPUS_FAILED: break;
    }
    tell(stderr, "weft %s: %s\n", command, error->message);
    return EXIT_FOUND;
}

/* ---- options ---- */

enum { LARGE_RUN = 10000 }; /* pairs: a run of so many says beforehand what it will take */

typedef struct ProduceArgs {
    long long count, seed, jobs, shard_rows, checkpoint_rows, launches;
    const char *hidden_key;
    const char *output, *categories, *shard, *splits, *candidates, *duplicates;
    int device, format, gradients, dedup; /* as in CorpusOptions */
    bool no_backward, no_readable, no_verify, no_compress, full, resume, timing, json_progress;
} ProduceArgs;

/* "0.9,0.05,0.05": fractions of one, in thousandths. */
static bool read_fractions(const char *text, unsigned splits[SPLIT_COUNT])
{
    double shares[SPLIT_COUNT], total = 0;
    int used = 0;
    if (sscanf(text, "%lf,%lf,%lf%n", &shares[0], &shares[1], &shares[2], &used) != 3 || text[used] ||
        strspn(text, "0123456789.,") != strlen(text))
        return false;
    for (size_t i = 0; i < SPLIT_COUNT; i++) {
        if (!(shares[i] <= 1))
            return false;
        splits[i] = (unsigned)(shares[i] * 1000 + 0.5);
        if (fabs(splits[i] - shares[i] * 1000) > 1e-6)
            return false;
        total += shares[i];
    }
    return fabs(total - 1) < 1e-6;
}

bool read_splits(const char *text, unsigned splits[SPLIT_COUNT])
{
    int used = 0;
    unsigned long total;
    if (strchr(text, '.'))
        return read_fractions(text, splits);
    if (sscanf(text, "%u,%u,%u%n", &splits[0], &splits[1], &splits[2], &used) != 3 || text[used] || strchr(text, '-'))
        return false;
    total = (unsigned long)splits[0] + splits[1] + splits[2];
    return total > 0 && total <= CORPUS_MOST_SHARES;
}

static bool read_shard(const char *text, CorpusOptions *options)
{
    unsigned piece, count;
    int used = 0;
    if (sscanf(text, "%u/%u%n", &piece, &count, &used) != 2 || text[used] || !piece || piece > count ||
        count > CORPUS_MOST_PIECES)
        return false;
    options->piece = piece - 1;
    options->piece_count = count;
    return true;
}

/* EXIT_DONE, or EXIT_USAGE after a message. */
static int fill_options(const Call *call, const ProduceArgs *args, CorpusOptions *options)
{
    const Command *command = call->command;
    *options = corpus_default_options();
    options->warp = call->warp;
    if (!args->count == !args->candidates)
        return wrong_call(command, args->candidates ? "-n cannot be combined with --candidates"
                                                    : "-n N is needed: how many pairs; or --candidates A:B");
    if (!args->output)
        return wrong_call(command, "-o DIR is needed: the folder to write to");
    if (args->splits && !read_splits(args->splits, options->splits))
        return wrong_call(command, "--splits takes three shares, such as 98,1,1 or 0.98,0.01,0.01, not '%s'",
                          args->splits);
    if (args->shard && !read_shard(args->shard, options))
        return wrong_call(command, "--shard takes a piece and the number of pieces, such as 1/4, not '%s'",
                          args->shard);
    if (args->format == FORMAT_JSON && (args->splits || args->shard))
        return wrong_call(command, "--format json cannot be combined with %s", args->splits ? "--splits" : "--shard");
    if (args->duplicates && !args->candidates)
        return wrong_call(command, "--duplicates needs --candidates");
    if (args->candidates && (args->splits || args->shard || args->format == FORMAT_JSON))
        return wrong_call(command, "--candidates cannot be combined with %s",
                          args->splits  ? "--splits"
                          : args->shard ? "--shard"
                                        : "--format json");
    if (args->candidates && !read_range(args->candidates, options))
        return wrong_call(command, RANGE_ADVICE, args->candidates);
    if (options->first % (uint64_t)args->shard_rows)
        return wrong_call(command, "--candidates must begin at a multiple of --shard-rows (%lld), not at %llu",
                          args->shard_rows, (unsigned long long)options->first);
    if (args->format == FORMAT_PARQUET && args->no_compress)
        return wrong_call(command, "--format parquet cannot be combined with --no-compress");
    if (args->no_verify && (args->launches > 0 || args->hidden_key))
        return wrong_call(command, "%s cannot be combined with --no-verify",
                          args->launches > 0 ? "--launches" : "--hidden-key");
    if (!read_categories(command, args->categories, &options->weights))
        return EXIT_USAGE;
    options->count = args->candidates ? options->end - options->first : (uint64_t)args->count;
    options->seed = (uint64_t)args->seed;
    options->device = (unsigned)args->device + 1;
    options->format = (CorpusFormat)args->format;
    options->gradients = (GradientRule)args->gradients;
    options->dedup = (DedupRule)args->dedup;
    options->backward = !args->no_backward;
    options->readable = !args->no_readable;
    options->verify = !args->no_verify;
    options->compress = !args->no_compress && args->format != FORMAT_JSON;
    options->timing = args->timing;
    options->full = args->full || args->format == FORMAT_JSON;
    if (args->no_verify || args->launches >= 0)
        options->launches = args->no_verify ? 0 : (uint32_t)args->launches;
    options->shard_rows = (uint64_t)args->shard_rows;
    options->checkpoint_rows = (uint64_t)args->checkpoint_rows;
    return EXIT_DONE;
}

static bool hide_launches(const ProduceArgs *args, CorpusOptions *options)
{
    Secret key;
    char why[300] = "the key does not belong into the data set that it hides";
    bool fine =
        !secret_is_inside(args->hidden_key, args->output) && secret_open(args->hidden_key, true, &key, why, sizeof why);
    if (fine)
        corpus_hide_launches(options, &key);
    else
        tell(stderr, "weft produce: %s\n", why);
    return fine;
}

/* "17 minutes" */
static void put_time(double seconds, char *buffer, size_t size)
{
    if (seconds < 90)
        snprintf(buffer, size, "%.0f seconds", seconds);
    else if (seconds < 90 * 60)
        snprintf(buffer, size, "%.0f minutes", seconds / 60);
    else
        snprintf(buffer, size, "%.1f hours", seconds / 3600);
}

/* "370 MB" */
static void put_size(double bytes, char *buffer, size_t size)
{
    if (bytes < 1e9)
        snprintf(buffer, size, "%.0f MB", bytes / 1e6);
    else
        snprintf(buffer, size, "%.1f GB", bytes / 1e9);
}

/* The size and the time of a large run, by a few of its candidates. */
static void tell_estimate(const ProduceArgs *args, const CorpusOptions *options)
{
    CorpusEstimate estimate;
    char took[40], records[40], size[40], details[60] = "";
    if (options->count < LARGE_RUN || args->resume || args->json_progress ||
        !corpus_estimate(options, (unsigned)args->jobs, &estimate))
        return;
    put_time(estimate.seconds, took, sizeof took);
    put_size(estimate.bytes, records, sizeof records);
    put_size(estimate.details_bytes, size, sizeof size);
    if (estimate.details_bytes > 0)
        snprintf(details, sizeof details, " and %s of details", size);
    tell(stderr, "weft produce: this will take about %s for records%s, and %s\n", records, details, took);
}

static int run_produce(const Call *call)
{
    const ProduceArgs *args = call->args;
    CorpusOptions chosen;
    if (call->operand_count)
        return wrong_call(call->command, "unexpected operand '%s'", call->operands[0]);
    if (fill_options(call, args, &chosen) != EXIT_DONE)
        return EXIT_USAGE;
    ProgressView view = begin_view(call, args->json_progress);
    CorpusRun run = {.jobs = (unsigned)args->jobs,
                     .resume = args->resume,
                     .stop = catch_interrupts("produce", "interrupted, saving what is done (again: leave at once)"),
                     .progress = show_progress,
                     .user = &view};
    CorpusError error = {""};
    if (args->hidden_key && !hide_launches(args, &chosen))
        return EXIT_FOUND;
    if (!call->quiet)
        tell_estimate(args, &chosen);
    LoserMap *losers = args->duplicates ? corpus_read_losers(args->duplicates, &chosen, &error) : NULL;
    CorpusOutcome outcome = CORPUS_FAILED;
    if (losers)
        corpus_use_losers(&chosen, losers);
    if (losers || !args->duplicates)
        outcome = corpus_produce(args->output, &chosen, &run, &error);
    loser_map_free(losers);
    return report_outcome("produce", args->output, outcome, &view, &error);
}

static const ProduceArgs produce_defaults = {.shard_rows = 10000, .checkpoint_rows = 2000, .launches = -1};

#define ARGS ProduceArgs
static const Option produce_options[] = {
    OPT_COUNT('n', "count", count, 1, MAX_COUNT, "N", "how many pairs"),
    OPT_FOLDER('o', "output", output, "DIR", "the folder to write to; new, or to be continued with --resume"),
    OPT_CATEGORIES('c', "categories", categories, "LIST",
                   "only these, as vector,physics or with weights, vector=3,math=1"),
    OPT_CHOICE('d', "device", device, DEVICE_WORDS, "WHICH", "cuda (default), cpu or both"),
    OPT_COUNT('s', "seed", seed, 0, MAX_SEED, "SEED", "another seed gives other kernels (default 0)"),
    OPT_COUNT('j', "jobs", jobs, 0, MAX_JOBS, "JOBS", "threads (default 0: all cores); the data do not depend on it"),
    OPT_RECORD_TEXTS,
    OPT_FILE(0, "hidden-key", hidden_key, "FILE",
             "draw these launches from the 128 random bits in this file, which is made if there is none; it stays "
             "outside of DIR, which holds a salted commitment to it"),
    OPT_RECORD_RULES,
    OPT_COUNT(0, "shard-rows", shard_rows, 1, MAX_COUNT, "N", "pairs per file (default 10000)"),
    OPT_COUNT(0, "checkpoint", checkpoint_rows, 1, MAX_COUNT, "N", "pairs that a killed run may lose (default 2000)"),
    OPT_FLAG(0, "resume", resume, "continue what was interrupted, with the same options"),
    OPT_TEXT(0, "candidates", candidates, "A:B", "instead of -n: all that candidates A to B-1 give; see weft range"),
    OPT_FILE(0, "duplicates", duplicates, "FILE",
             "with --candidates: leave out the duplicates that `weft range duplicates` found"),
    OPT_TEXT(0, "shard", shard, "I/N", "make piece I of N; weft merge joins them"),
    OPT_FLAG(0, "timing", timing, "fill in generation_time_ms; two runs then differ"),
    OPT_FLAG(0, "json-progress", json_progress, "progress as JSON lines on stderr"),
};
#undef ARGS

static const CommandExample produce_examples[] = {
    {"weft produce -n 100000 -o data/set --splits 98,1,1", "a hundred thousand pairs in three splits"},
    {"weft produce -n 100000 -o data/set --splits 98,1,1 --resume", "go on after an interruption"},
    {NULL, NULL},
};

const Command produce_command = {
    .name = "produce",
    .summary = "make a data set: invent, compile, check, write down",
    .operands = "-n N|--candidates A:B -o DIR [options]",
    .description =
        "Makes a data set: invents kernels, compiles them, runs them to check values and gradients, and writes "
        "them down without duplicates. The same options give the same bytes, however often it is interrupted.",
    COMMAND_TABLES(produce_options, produce_examples, produce_defaults),
    .run = run_produce,
};

/* ---- merge ---- */

typedef struct MergeArgs {
    const char *output, *splits, *hidden_key;
    bool resume, json_progress;
} MergeArgs;

static int run_merge(const Call *call)
{
    const MergeArgs *args = call->args;
    if (!call->operand_count || !args->output)
        return wrong_call(call->command, "give the pieces or sets and -o DIR");
    unsigned splits[SPLIT_COUNT];
    if (args->splits && !read_splits(args->splits, splits))
        return wrong_call(call->command, "--splits takes three shares, such as 98,1,1 or 0.98,0.01,0.01, not '%s'",
                          args->splits);
    ProgressView view = begin_view(call, args->json_progress);
    Secret key;
    char why[300];
    if (args->hidden_key && !secret_open(args->hidden_key, false, &key, why, sizeof why)) {
        tell(stderr, "weft merge: %s\n", why);
        return EXIT_FOUND;
    }
    CorpusRun run = {.hidden_key = args->hidden_key ? &key : NULL,
                     .splits = args->splits ? splits : NULL,
                     .resume = args->resume,
                     .stop = catch_interrupts("merge", "interrupted, saving what is done (again: leave at once)"),
                     .progress = show_progress,
                     .user = &view};
    CorpusError error = {""};
    return report_outcome("merge", args->output,
                          corpus_merge(args->output, call->operands, call->operand_count, &run, &error), &view, &error);
}

static const MergeArgs merge_defaults = {.output = NULL};

#define ARGS MergeArgs
static const Option merge_options[] = {
    OPT_FOLDER('o', "output", output, "DIR", "the folder to write to; new, or to be continued with --resume"),
    OPT_FILE(0, "hidden-key", hidden_key, "FILE",
             "the hidden key of the launches, where there is one: what the pieces lack is made here"),
    OPT_TEXT(0, "splits", splits, "A,B,C",
             "of whole sets: shares of train, validation and test (default: those that all of them have)"),
    OPT_FLAG(0, "resume", resume, "continue what was interrupted, with the same pieces or sets"),
    OPT_FLAG(0, "json-progress", json_progress, "progress as JSON lines on stderr"),
};
#undef ARGS

static const CommandExample merge_examples[] = {
    {"weft merge piece-1 piece-2 -o data/set", "join what `weft produce --shard 1/2` and `--shard 2/2` made"},
    {"weft merge data/invented data/newton -o data/both", "join what weft produce and weft harvest made"},
    {NULL, NULL},
};

const Command merge_command = {
    .name = "merge",
    .summary = "join the pieces of a data set, or several sets",
    .operands = "PIECE...|SET... -o DIR [options]",
    .input_kind = INPUTS_FOLDERS,
    .description =
        "Joins the pieces that `weft produce --shard I/N` made, all N of them, into what one run would have written. "
        "Or joins finished sets, invented or harvested: of records with the same structure the first is kept, and "
        "those that look alike come into the same split.",
    COMMAND_TABLES(merge_options, merge_examples, merge_defaults),
    .run = run_merge,
};
