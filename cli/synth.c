/* weft synth: kernels that nobody wrote. */
#include "args.h"
#include "commands.h"
#include "files.h"

#include "synth/synth.h"

#include <stdlib.h>
#include <string.h>

static void print_categories(void)
{
    CategoryWeights weights = category_default_weights();
    for (int i = 0; i < CATEGORY_COUNT; i++)
        printf("%-18s %3u  %s\n", category_name((CategoryId)i), weights.weight[i], category_summary((CategoryId)i));
}

typedef struct SynthArgs {
    long long count, seed, start;
    const char *categories, *output;
    bool json, list;
} SynthArgs;

static int write_samples(const SynthArgs *options, const CategoryWeights *weights)
{
    SynthContext *context = synth_new();
    FILE *out = context ? open_output(options->output) : NULL;
    int code = out ? EXIT_DONE : EXIT_FOUND;
    Text text;
    text_init(&text);
    if (out && !options->json)
        fputs("import warp as wp\n", out);
    for (long long i = 0; out && i < options->count; i++) {
        uint64_t index = (uint64_t)(options->start + i);
        SynthSample sample;
        if (!synth_sample(context, (uint64_t)options->seed, index, weights, &sample)) {
            fprintf(stderr, "weft: out of memory\n");
            code = EXIT_FOUND;
            break;
        }
        text.len = 0;
        if (options->json) {
            synth_record(&sample, (uint64_t)options->seed, index, &text);
            text_char(&text, '\n');
        } else {
            text_lit(&text, "\n\n");
            text_add(&text, sample.source, sample.source_len);
        }
        put_text(&text, out);
    }
    if (out && !close_output(out, options->output))
        code = EXIT_FOUND;
    text_free(&text);
    synth_free(context);
    return code;
}

static int run(const Call *call)
{
    const SynthArgs *args = call->args;
    CategoryWeights weights = category_default_weights();
    if (call->operand_count)
        return wrong_call(call->command, "no files are taken");
    if (args->start > MAX_SEED - args->count)
        return wrong_call(call->command, "--start %lld is too large", args->start);
    if (!read_categories(call->command, args->categories, &weights))
        return EXIT_USAGE;
    if (args->list) {
        print_categories();
        return EXIT_DONE;
    }
    return write_samples(args, &weights);
}

static const SynthArgs defaults = {.count = 1};

#define ARGS SynthArgs
static const Option options[] = {
    OPT_COUNT('n', "count", count, 1, MAX_COUNT, "N", "how many kernels (default 1)"),
    OPT_CATEGORIES('c', "categories", categories, "LIST",
                   "only these, as vector,physics or with weights, vector=3,physics=1"),
    OPT_COUNT('s', "seed", seed, 0, MAX_SEED, "SEED", "another seed gives other kernels (default 0)"),
    OPT_COUNT(0, "start", start, 0, MAX_SEED, "I", "begin with sample I of the seed (default 0)"),
    OPT_FLAG(0, "json", json, "one record per line: source, category, description, launch"),
    OPT_FLAG(0, "list", list, "print the categories with their weights, and stop"),
    OPT_FILE('o', "output", output, "FILE", "write to a file instead of standard output"),
};

static const CommandExample examples[] = {
    {"weft synth -n 3 -c physics,geometry", "three kernels of two categories, as a Python file"},
    {"weft synth -n 1000 -s 7 --json -o kernels.jsonl", "a thousand records of seed 7"},
    {NULL, NULL},
};

const Command synth_command = {
    .name = "synth",
    .summary = "invent kernels",
    .operands = "[-n N] [-c CATEGORIES] [-s SEED] [options]",
    .description = "Invents kernels: typed, well defined, no two alike. Sample I of a seed is always the same, however "
                   "many are made. Without --json the text is a Python file.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .defaults = &defaults,
    .args_size = sizeof defaults,
    .run = run,
};
