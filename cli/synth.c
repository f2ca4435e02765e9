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

typedef struct SynthOptions {
    long long count, seed, start;
    const char *categories, *output;
    bool json, list;
} SynthOptions;

static int write_samples(const SynthOptions *options, const CategoryWeights *weights)
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

int command_synth(int argc, char **argv)
{
    SynthOptions given = {.count = 1};
    const Option options[] = {
        {'n', "count", OPTION_COUNT, &given.count, "N", "how many kernels (default 1)"},
        {'c', "categories", OPTION_TEXT, &given.categories, "LIST",
         "only these, as vector,physics or with weights, vector=3,physics=1"},
        {'s', "seed", OPTION_COUNT, &given.seed, "SEED", "another seed gives other kernels (default 0)"},
        {0, "start", OPTION_COUNT, &given.start, "I", "begin with sample I of the seed (default 0)"},
        {0, "json", OPTION_FLAG, &given.json, NULL, "one record a line: source, category, description, launch"},
        {0, "list", OPTION_FLAG, &given.list, NULL, "print the categories with their weights, and stop"},
        {'o', "output", OPTION_TEXT, &given.output, "FILE", "write to a file instead of standard output"},
    };
    const Command command = {
        "synth", "[-n N] [-c CATEGORIES] [-s SEED] [options]",
        "Invents kernels: typed, well defined, each another one. Sample I of a seed is always the same,\n"
        "however many are made. Without --json the text is a Python file.",
        options, sizeof options / sizeof *options};
    size_t count;
    int code = EXIT_USAGE;
    if (!read_args(&command, argc, argv, &count, &code))
        return code;
    CategoryWeights weights = category_default_weights();
    if (given.list) {
        print_categories();
        return EXIT_DONE;
    }
    if (count) {
        fprintf(stderr, "weft synth: it takes no file (see weft synth --help)\n");
        return EXIT_USAGE;
    }
    return read_categories("synth", given.categories, &weights) ? write_samples(&given, &weights) : EXIT_USAGE;
}
