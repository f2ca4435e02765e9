/* weft range: a data set made by tasks on many machines, in ranges of candidates. */
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

/* -1 and NULL: the option was not given. */
typedef struct RangeArgs {
    const char *candidates, *output, *categories;
    long long seed, jobs;
    int dedup;
} RangeArgs;

/* ---- keys ---- */

static int write_keys(const Call *call)
{
    const RangeArgs *args = call->args;
    CorpusOptions options = corpus_default_options();
    CorpusError error = {""};
    if (call->operand_count > 1)
        return wrong_call(call->command, "unexpected operand '%s'", call->operands[1]);
    if (!args->candidates || !args->output)
        return wrong_call(call->command, "keys: --candidates A:B and -o FILE are needed");
    if (!read_range(args->candidates, &options))
        return wrong_call(call->command, RANGE_ADVICE, args->candidates);
    if (!read_categories(call->command, args->categories, &options.weights))
        return EXIT_USAGE;
    options.warp = call->warp;
    if (args->seed >= 0)
        options.seed = (uint64_t)args->seed;
    if (args->dedup >= 0)
        options.dedup = (DedupRule)args->dedup;
    options.readable = false; /* nothing is compiled */
    CorpusRun run = {.jobs = args->jobs >= 0 ? (unsigned)args->jobs : 0,
                     .stop = catch_interrupts("range keys", "interrupted, nothing is kept")};
    switch (corpus_keys(args->output, &options, &run, &error)) {
    case CORPUS_DONE: return EXIT_DONE;
    case CORPUS_STOPPED: return interrupt_code();
    default: tell(stderr, "weft range keys: %s\n", error.message); return EXIT_FOUND;
    }
}

/* The options of keys are none of the others': they say nothing there, so they are an error. */
static int refuse_options_of_keys(const Call *call)
{
    const RangeArgs *args = call->args;
    const char *given = args->candidates   ? "--candidates"
                        : args->categories ? "--categories"
                        : args->seed >= 0  ? "--seed"
                        : args->jobs >= 0  ? "--jobs"
                        : args->dedup >= 0 ? "--dedup"
                                           : NULL;
    return given ? wrong_call(call->command, "%s is an option of `weft range keys` alone", given) : EXIT_DONE;
}

/* ---- duplicates ---- */

static int find_duplicates(const Call *call)
{
    const RangeArgs *args = call->args;
    CorpusError error = {""};
    uint64_t duplicates;
    if (refuse_options_of_keys(call) != EXIT_DONE)
        return EXIT_USAGE;
    if (call->operand_count < 2 || !args->output)
        return wrong_call(call->command, "duplicates: give the files of `weft range keys` and -o FILE");
    if (!corpus_losers(args->output, call->operands + 1, call->operand_count - 1, &duplicates, &error)) {
        tell(stderr, "weft range duplicates: %s\n", error.message);
        return EXIT_FOUND;
    }
    if (!call->quiet)
        tell(stderr, "weft range duplicates: %llu candidates are duplicates of earlier ones\n",
             (unsigned long long)duplicates);
    return EXIT_DONE;
}

/* ---- join ---- */

static int join_ranges(const Call *call)
{
    const RangeArgs *args = call->args;
    CorpusError error = {""};
    uint64_t rows;
    if (refuse_options_of_keys(call) != EXIT_DONE)
        return EXIT_USAGE;
    if (call->operand_count < 2 || !args->output)
        return wrong_call(call->command, "join: give the folders of the tasks and -o DIR");
    if (!corpus_index(args->output, call->operands + 1, call->operand_count - 1, &rows, &error)) {
        tell(stderr, "weft range join: %s\n", error.message);
        return EXIT_FOUND;
    }
    if (!call->quiet)
        tell(stderr, "weft range join: %llu pairs in %s\n", (unsigned long long)rows, args->output);
    return EXIT_DONE;
}

/* ---- the command ---- */

static int run(const Call *call)
{
    const char *word = call->operand_count ? call->operands[0] : NULL;
    if (word && strcmp(word, "keys") == 0)
        return write_keys(call);
    if (word && strcmp(word, "duplicates") == 0)
        return find_duplicates(call);
    if (word && strcmp(word, "join") == 0)
        return join_ranges(call);
    return wrong_word(call->command, word);
}

static const RangeArgs defaults = {.seed = -1, .jobs = -1, .dedup = -1};

#define ARGS RangeArgs
static const Option options[] = {
    OPT_FILE('o', "output", output, "PATH", "the file to write, or the folder of the data set (join)"),
    OPT_TEXT(0, "candidates", candidates, "A:B", "keys: candidates A to B-1"),
    OPT_CATEGORIES('c', "categories", categories, "LIST", "keys: as for weft produce"),
    OPT_COUNT('s', "seed", seed, 0, MAX_SEED, "SEED", "keys: as for weft produce (default 0)"),
    OPT_COUNT('j', "jobs", jobs, 0, MAX_JOBS, "JOBS", "keys: threads (default 0: all cores)"),
    OPT_CHOICE(0, "dedup", dedup, DEDUP_RULE_WORDS, "RULE", "keys: as for weft produce"),
};
#undef ARGS

static const CommandExample examples[] = {
    {"weft range keys --candidates 0:100000 -s 7 -o keys-0", "hash the first of several ranges"},
    {"weft range duplicates keys-* -o duplicates", "find the duplicates in all of them"},
    {"weft produce --candidates 0:100000 --duplicates duplicates -s 7 -o task-0", "make the first range"},
    {"weft range join task-* -o data/set", "make one data set of all ranges"},
    {NULL, NULL},
};

const Command range_command = {
    .name = "range",
    .summary = "make a data set with tasks on many machines: keys, duplicates, join",
    .operands = "keys --candidates A:B -o FILE [options]\nduplicates KEYS... -o FILE\njoin DIR... -o DIR",
    .input_kind = INPUTS_WORDS,
    .operand_words = "keys|duplicates|join",
    .description =
        "Splits the work of `weft produce` into ranges of candidates. The files are the same as those of one machine.\n"
        "keys invents the kernels of a range, compiles none, and writes 8 bytes per candidate: a hash of its "
        "structure.\n"
        "duplicates reads the hashes of adjacent ranges, in any order, and writes one bit per candidate: whether an "
        "earlier one has its structure. With that file, `weft produce --candidates A:B --duplicates FILE` makes any "
        "range.\n"
        "join makes one data set of adjacent ranges. It links the files, or copies them from another file system. The "
        "folder is new, empty, or left by an interrupted join.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
