/* weft keys, weft losers and weft index: a data set made by tasks on many machines. */
#include "range.h"

#include "args.h"
#include "commands.h"
#include "interrupt.h"
#include "terminal.h"

#include <stdio.h>
#include <string.h>

bool read_range(const char *text, CorpusOptions *options)
{
    unsigned long long first, end;
    int used = 0;
    if (strspn(text, "0123456789:") != strlen(text) || strlen(text) > 30 ||
        sscanf(text, "%llu:%llu%n", &first, &end, &used) != 2 || text[used] || first >= end ||
        end > CORPUS_MOST_CANDIDATES)
        return false;
    options->first = first;
    options->end = end;
    return true;
}

/* ---- keys ---- */

typedef struct KeysArgs {
    const char *range, *output, *categories;
    long long seed, jobs;
    int dedup;
} KeysArgs;

static int run_keys(const Call *call)
{
    const KeysArgs *args = call->args;
    CorpusOptions options = corpus_default_options();
    CorpusError error = {""};
    if (call->operand_count)
        return wrong_call(call->command, "unexpected operand '%s'", call->operands[0]);
    if (!args->range || !args->output)
        return wrong_call(call->command, "--range A:B and -o FILE are needed");
    if (!read_range(args->range, &options))
        return wrong_call(call->command, RANGE_ADVICE, args->range);
    if (!read_categories(call->command, args->categories, &options.weights))
        return EXIT_USAGE;
    options.warp = call->warp;
    options.seed = (uint64_t)args->seed;
    options.dedup = (DedupRule)args->dedup;
    options.readable = false; /* nothing is compiled */
    CorpusRun run = {.jobs = (unsigned)args->jobs, .stop = catch_interrupts("keys", "interrupted, nothing is kept")};
    switch (corpus_keys(args->output, &options, &run, &error)) {
    case CORPUS_DONE: return EXIT_DONE;
    case CORPUS_STOPPED: return interrupt_code();
    default: tell(stderr, "weft keys: %s\n", error.message); return EXIT_FOUND;
    }
}

static const KeysArgs keys_defaults = {0};

#define ARGS KeysArgs
static const Option keys_options[] = {
    OPT_TEXT(0, "range", range, "A:B", "candidates A to B-1"),
    OPT_FILE('o', "output", output, "FILE", "the file to write: 8 bytes per candidate"),
    OPT_CATEGORIES('c', "categories", categories, "LIST", "as for weft produce"),
    OPT_COUNT('s', "seed", seed, 0, MAX_SEED, "SEED", "as for weft produce (default 0)"),
    OPT_COUNT('j', "jobs", jobs, 0, MAX_JOBS, "JOBS", "threads (default 0: all cores)"),
    OPT_CHOICE(0, "dedup", dedup, DEDUP_RULE_WORDS, "RULE", "as for weft produce"),
};
#undef ARGS

static const CommandExample keys_examples[] = {
    {"weft keys --range 0:100000 -s 7 -o keys-0", "the first of several tasks"},
    {NULL, NULL},
};

const Command keys_command = {
    .name = "keys",
    .summary = "write what tells duplicates apart, of a range of candidates",
    .operands = "--range A:B -o FILE [options]",
    .description = "Invents the kernels of a range of candidates, compiles none of them, and writes a hash of the "
                   "structure of each. "
                   "weft losers finds the duplicates among them.",
    COMMAND_TABLES(keys_options, keys_examples, keys_defaults),
    .run = run_keys,
};

/* ---- losers ---- */

typedef struct OutputArgs {
    const char *output;
} OutputArgs;

static const OutputArgs output_defaults = {0};

static int run_losers(const Call *call)
{
    const OutputArgs *args = call->args;
    CorpusError error = {""};
    uint64_t losers;
    if (!call->operand_count || !args->output)
        return wrong_call(call->command, "give the files of weft keys and -o FILE");
    if (!corpus_losers(args->output, call->operands, call->operand_count, &losers, &error)) {
        tell(stderr, "weft losers: %s\n", error.message);
        return EXIT_FOUND;
    }
    tell(stderr, "weft losers: %llu candidates are duplicates of earlier ones\n", (unsigned long long)losers);
    return EXIT_DONE;
}

#define ARGS OutputArgs
static const Option losers_options[] = {
    OPT_FILE('o', "output", output, "FILE", "the file to write: a bit per candidate"),
};
#undef ARGS

static const CommandExample losers_examples[] = {
    {"weft losers keys-* -o losers", "which candidates of all these ranges are duplicates"},
    {NULL, NULL},
};

const Command losers_command = {
    .name = "losers",
    .summary = "find the duplicates of many ranges of candidates",
    .operands = "KEYS... -o FILE",
    .description = "Reads what weft keys wrote of adjacent ranges, in any order, and writes which candidates have the "
                   "structure of "
                   "an earlier one. With that, weft produce --range A:B --losers FILE makes any part of the whole.",
    COMMAND_TABLES(losers_options, losers_examples, output_defaults),
    .run = run_losers,
};

/* ---- index ---- */

static int run_index(const Call *call)
{
    const OutputArgs *args = call->args;
    CorpusError error = {""};
    uint64_t rows;
    if (!call->operand_count || !args->output)
        return wrong_call(call->command, "give the folders of the tasks and -o DIR");
    if (!corpus_index(args->output, call->operands, call->operand_count, &rows, &error)) {
        tell(stderr, "weft index: %s\n", error.message);
        return EXIT_FOUND;
    }
    tell(stderr, "weft index: %llu pairs in %s\n", (unsigned long long)rows, args->output);
    return EXIT_DONE;
}

#define ARGS OutputArgs
static const Option index_options[] = {
    OPT_FOLDER('o', "output", output, "DIR", "the folder of the data set; new, empty, or left by an interrupted index"),
};
#undef ARGS

static const CommandExample index_examples[] = {
    {"weft index tasks/* -o data/set", "one data set of what many tasks made"},
    {NULL, NULL},
};

const Command index_command = {
    .name = "index",
    .summary = "make one data set of ranges that tasks made",
    .operands = "DIR... -o DIR",
    .input_kind = INPUTS_FOLDERS,
    .description = "Makes one data set of adjacent ranges, which weft produce --range A:B --losers FILE made: as if "
                   "one machine had "
                   "made the whole range. Files are linked, not copied, unless they lie on another file system; no "
                   "record is written again.",
    COMMAND_TABLES(index_options, index_examples, output_defaults),
    .run = run_index,
};
