#include "base/choice.h"
#include "corpus/manifest.h"

#include "weft.h"

#include <stdio.h>

CorpusOptions corpus_default_options(void)
{
    return (CorpusOptions){.count = 0,
                           .warp = weft_find_warp(NULL),
                           .weights = category_default_weights(),
                           .device = DEVICE_SET_CUDA,
                           .backward = true,
                           .readable = true,
                           .verify = true,
                           .compress = true,
                           .launches = 3,
                           .splits = {1, 0, 0},
                           .shard_rows = 10000,
                           .checkpoint_rows = 2000};
}

bool has_splits(const CorpusOptions *options)
{
    int used = 0;
    for (int split = 0; split < SPLIT_COUNT; split++)
        used += options->splits[split] > 0;
    return used > 1 && !options->piece_count;
}

void corpus_hide_launches(CorpusOptions *options, const Secret *key)
{
    options->has_hidden_seed = true;
    options->hidden_seed = secret_seed(key, "launches of a data set");
    secret_commit(key, options->hidden);
}

bool take_hidden_key(CorpusOptions *options, const Secret *key, const char *dir, CorpusError *error)
{
    char hidden[sizeof options->hidden];
    if (!options->hidden[0])
        return true;
    if (!key)
        return corpus_fail(error, "%s: its launches are drawn from a hidden key: give it with --hidden-key", dir);
    memcpy(hidden, options->hidden, sizeof hidden);
    corpus_hide_launches(options, key);
    return strcmp(hidden, options->hidden) == 0 ||
           corpus_fail(error, "%s: its launches are drawn from another hidden key", dir);
}

static void add_choice(JsonWriter *json, const char *name, const char *choices, unsigned n)
{
    const char *word;
    size_t length;
    choice_at(choices, n, &word, &length);
    json_add_string_n(json, name, word, length);
}

static void add_pair(JsonWriter *json, const char *name, uint64_t one, uint64_t two)
{
    json_open(json, name, '[');
    json_add_uint(json, NULL, one);
    json_add_uint(json, NULL, two);
    json_close(json, ']');
}

void corpus_options_json(const CorpusOptions *options, Text *out)
{
    JsonWriter json = {.out = out};
    json_open(&json, NULL, '{');
    json_add_uint(&json, "count", options->count);
    json_add_uint(&json, "seed", options->seed);
    add_choice(&json, "device", DEVICE_WORDS, options->device - 1);
    json_add_bool(&json, "backward", options->backward);
    json_add_bool(&json, "readable", options->readable);
    json_add_bool(&json, "verify", options->verify);
    add_choice(&json, "gradients", GRADIENT_RULE_WORDS, options->gradients);
    add_choice(&json, "dedup", DEDUP_RULE_WORDS, options->dedup);
    add_choice(&json, "format", FORMAT_WORDS, options->format);
    json_add_bool(&json, "compress", options->compress);
    json_add_bool(&json, "timing", options->timing);
    json_add_bool(&json, "full", options->full);
    json_add_uint(&json, "launches", options->launches);
    if (options->hidden[0])
        json_add_string(&json, "hidden", options->hidden);
    if (options->stored) {
        json_add_string(&json, "source", options->merged ? "merged" : options->harvested ? "harvested" : "stored");
        json_add_string(&json, "origin", options->origin);
    }
    json_open(&json, "splits", '[');
    for (int i = 0; i < SPLIT_COUNT; i++)
        json_add_uint(&json, NULL, options->splits[i]);
    json_close(&json, ']');
    json_add_uint(&json, "shard_rows", options->shard_rows);
    json_add_uint(&json, "checkpoint_rows", options->checkpoint_rows);
    if (options->piece_count)
        add_pair(&json, "piece", options->piece + 1, options->piece_count);
    if (options->end) {
        add_pair(&json, "range", options->first, options->end);
        if (options->whole_end) {
            add_pair(&json, "of", options->whole_first, options->whole_end);
            json_add_string(&json, "losers", options->losers_hash);
        }
    }
    json_open(&json, "categories", '{');
    for (int i = 0; i < CATEGORY_COUNT; i++)
        if (options->weights.weight[i])
            json_add_uint(&json, category_name((CategoryId)i), options->weights.weight[i]);
    json_close(&json, '}');
    json_close(&json, '}');
}
