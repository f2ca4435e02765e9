#include "corpus/candidate.h"

CorpusOptions corpus_default_options(void)
{
    return (CorpusOptions){.count = 0,
                           .weights = category_default_weights(),
                           .device = DEVICE_SET_CUDA,
                           .backward = true,
                           .verify = true,
                           .compress = true,
                           .splits = {1, 0, 0},
                           .shard_rows = 10000,
                           .checkpoint_rows = 2000};
}

static void add_bool(Text *out, const char *name, bool value)
{
    text_format(out, ", \"%s\": %s", name, value ? "true" : "false");
}

void corpus_options_json(const CorpusOptions *options, Text *out)
{
    static const char *const devices[] = {"", "cuda", "cpu", "both"};
    static const char *const gradients[] = {"proven", "marked", "skip"};
    static const char *const dedups[] = {"structure", "masked"};
    static const char *const formats[] = {"jsonl", "json"};
    text_format(out, "{\"count\": %llu, \"seed\": %llu, \"device\": \"%s\"", (unsigned long long)options->count,
                (unsigned long long)options->seed, devices[options->device]);
    add_bool(out, "backward", options->backward);
    add_bool(out, "verify", options->verify);
    text_format(out, ", \"gradients\": \"%s\", \"dedup\": \"%s\", \"format\": \"%s\"", gradients[options->gradients],
                dedups[options->dedup], formats[options->format]);
    add_bool(out, "compress", options->compress);
    add_bool(out, "timing", options->timing);
    add_bool(out, "with_io", options->with_io);
    text_format(out, ", \"splits\": [%u, %u, %u], \"shard_rows\": %llu, \"checkpoint_rows\": %llu", options->splits[0],
                options->splits[1], options->splits[2], (unsigned long long)options->shard_rows,
                (unsigned long long)options->checkpoint_rows);
    if (options->piece_count)
        text_format(out, ", \"piece\": [%u, %u]", options->piece + 1, options->piece_count);
    text_lit(out, ", \"categories\": {");
    bool follows = false;
    for (int i = 0; i < CATEGORY_COUNT; i++) {
        if (!options->weights.weight[i])
            continue;
        text_format(out, "%s\"%s\": %u", follows ? ", " : "", category_name((CategoryId)i), options->weights.weight[i]);
        follows = true;
    }
    text_lit(out, "}}");
}
