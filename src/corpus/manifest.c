#include "corpus/manifest.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FORMAT_NAME "weft-corpus-1"

void manifest_free(Manifest *manifest)
{
    free(manifest->shards);
    manifest->shards = NULL;
    manifest->shard_count = manifest->shard_cap = 0;
}

ShardEntry *manifest_add_shard(Manifest *manifest, const ShardEntry *entry)
{
    if (manifest->shard_count == manifest->shard_cap) {
        uint32_t cap = manifest->shard_cap ? manifest->shard_cap * 2 : 8;
        ShardEntry *larger = realloc(manifest->shards, cap * sizeof *larger);
        if (!larger)
            return NULL;
        manifest->shards = larger;
        manifest->shard_cap = cap;
    }
    manifest->shards[manifest->shard_count] = *entry;
    return &manifest->shards[manifest->shard_count++];
}

uint32_t manifest_count_shards(const Manifest *manifest, Split split)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < manifest->shard_count; i++)
        count += manifest->shards[i].split == split;
    return count;
}

uint64_t counters_rejected(const Counters *counters)
{
    uint64_t total = 0;
    for (unsigned i = 0; i < REASON_COUNT; i++)
        total += counters->rejected[i];
    return total;
}

void counters_add(Counters *counters, const Candidate *candidate, Split split, size_t bytes)
{
    counters->by_category[candidate->category]++;
    counters->by_split[split]++;
    counters->forward_lines += candidate->forward_lines;
    counters->backward_lines += candidate->backward_lines;
    counters->with_backward += candidate->has_backward;
    counters->record_bytes += bytes;
    counters->forward_pass += candidate->is_checked;
    counters->gradient[candidate->gradient] += candidate->is_checked;
}

void generator_fingerprint(char fingerprint[24])
{
    SynthContext *context = synth_new();
    CategoryWeights weights = category_default_weights();
    Text all;
    SynthSample sample;
    uint64_t made = 0;
    text_init(&all);
    while (context && made < 2 * CATEGORY_COUNT && synth_sample(context, 0, made, &weights, &sample)) {
        text_add(&all, sample.source, sample.source_len);
        text_add(&all, sample.launch, sample.launch_len);
        text_str(&all, sample.description);
        made++;
    }
    fingerprint[0] = 0;
    if (made == 2 * CATEGORY_COUNT)
        snprintf(fingerprint, 24, "%016llx", (unsigned long long)XXH3_64bits(all.data, all.len));
    text_free(&all);
    synth_free(context);
}

/* By the masked structure: all kernels of one shape come to lie in one split. */
Split split_of(const CorpusOptions *options, uint64_t masked)
{
    uint64_t total = (uint64_t)options->splits[0] + options->splits[1] + options->splits[2];
    uint64_t at = (uint64_t)(((unsigned __int128)(masked * 0x9e3779b97f4a7c15u) * total) >> 64);
    for (int split = 0; split < SPLIT_TEST; split++) {
        if (at < options->splits[split])
            return (Split)split;
        at -= options->splits[split];
    }
    return SPLIT_TEST;
}

/* ---- writing ---- */

static void add_number(Text *out, const char *name, uint64_t value)
{
    text_format(out, ", \"%s\": %llu", name, (unsigned long long)value);
}

void add_category_counts(const Counters *counters, Text *out)
{
    const char *comma = "";
    for (int i = 0; i < CATEGORY_COUNT; i++)
        if (counters->by_category[i]) {
            text_format(out, "%s\"%s\": %llu", comma, category_name((CategoryId)i),
                        (unsigned long long)counters->by_category[i]);
            comma = ", ";
        }
}

void add_split_counts(const Counters *counters, Text *out)
{
    for (int i = 0; i < SPLIT_COUNT; i++)
        text_format(out, "%s\"%s\": %llu", i ? ", " : "", split_name((Split)i),
                    (unsigned long long)counters->by_split[i]);
}

static void write_counters(const Manifest *manifest, Text *out)
{
    const Counters *counters = &manifest->counters;
    text_lit(out, "{\"by_category\": {");
    add_category_counts(counters, out);
    text_lit(out, "}, \"by_split\": {");
    add_split_counts(counters, out);
    text_lit(out, "}, \"rejected\": {");
    const char *comma = "";
    for (unsigned i = 1; i < REASON_COUNT; i++)
        if (counters->rejected[i]) {
            text_format(out, "%s\"%s\": %llu", comma, reason_name(i), (unsigned long long)counters->rejected[i]);
            comma = ", ";
        }
    text_char(out, '}');
    add_number(out, "forward_lines", counters->forward_lines);
    add_number(out, "backward_lines", counters->backward_lines);
    add_number(out, "with_backward", counters->with_backward);
    add_number(out, "record_bytes", counters->record_bytes);
    add_number(out, "forward_pass", counters->forward_pass);
    add_number(out, "gradient_none", counters->gradient[GRADIENT_NONE]);
    add_number(out, "gradient_pass", counters->gradient[GRADIENT_PASS]);
    add_number(out, "gradient_mismatch", counters->gradient[GRADIENT_MISMATCH]);
    add_number(out, "distinct_structures", counters->distinct_structures);
    add_number(out, "distinct_masked", counters->distinct_masked);
    text_char(out, '}');
}

bool manifest_write(const Manifest *manifest, int dir_fd, const char *dir, CorpusError *error)
{
    Text out;
    text_init(&out);
    text_format(&out,
                "{\n\"format\": \"" FORMAT_NAME
                "\",\n\"weft_version\": \"%s\",\n\"warp_version\": \"%s\",\n\"generator\": \"%s\",\n",
                weft_version(), weft_warp_version(), manifest->generator);
    text_format(&out, "\"seed\": %llu,\n\"options\": ", (unsigned long long)manifest->options.seed);
    corpus_options_json(&manifest->options, &out);
    text_format(&out, ",\n\"complete\": %s,\n\"rows\": %llu,\n\"next_index\": %llu,\n",
                manifest->complete ? "true" : "false", (unsigned long long)manifest->rows,
                (unsigned long long)manifest->next);
    if (manifest->options.piece_count)
        text_format(&out, "\"kept\": %llu,\n", (unsigned long long)manifest->kept);
    if (!manifest->complete)
        text_format(&out, "\"seconds\": %.3f,\n", manifest->seconds);
    text_lit(&out, "\"counters\": ");
    write_counters(manifest, &out);
    text_lit(&out, ",\n\"shards\": [");
    for (uint32_t i = 0; i < manifest->shard_count; i++) {
        const ShardEntry *shard = &manifest->shards[i];
        text_format(&out,
                    "%s\n{\"file\": \"%s\", \"split\": \"%s\", \"rows\": %llu, \"bytes\": %llu, \"xxh3_128\": \"%s\"}",
                    i ? "," : "", shard->file, split_name(shard->split), (unsigned long long)shard->rows,
                    (unsigned long long)shard->bytes, shard->hash);
    }
    text_lit(&out, "\n]\n}\n");
    bool written = write_file_safely(dir_fd, dir, MANIFEST_NAME, out.data, out.len, error);
    text_free(&out);
    return written;
}

/* ---- reading ---- */

/* Problems are collected here: the first one counts. */
typedef struct Reading {
    const char *problem;
} Reading;

static const cJSON *member(Reading *reading, const cJSON *object, const char *name)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!value && !reading->problem)
        reading->problem = name;
    return value;
}

static uint64_t number(Reading *reading, const cJSON *object, const char *name)
{
    const cJSON *value = member(reading, object, name);
    if (!cJSON_IsNumber(value) || value->valuedouble < 0 || value->valuedouble > 9.2e18) {
        reading->problem = reading->problem ? reading->problem : name;
        return 0;
    }
    return (uint64_t)value->valuedouble;
}

static bool boolean(Reading *reading, const cJSON *object, const char *name)
{
    const cJSON *value = member(reading, object, name);
    if (!cJSON_IsBool(value))
        reading->problem = reading->problem ? reading->problem : name;
    return cJSON_IsTrue(value);
}

/* Which of the words it is. */
static unsigned word(Reading *reading, const cJSON *object, const char *name, const char *const *words, unsigned count)
{
    const cJSON *value = member(reading, object, name);
    for (unsigned i = 0; i < count; i++)
        if (cJSON_IsString(value) && strcmp(value->valuestring, words[i]) == 0)
            return i;
    reading->problem = reading->problem ? reading->problem : name;
    return 0;
}

static int category_of(const char *name)
{
    int i = 0;
    while (i < CATEGORY_COUNT && strcmp(category_name((CategoryId)i), name) != 0)
        i++;
    return i;
}

static void read_options(Reading *reading, const cJSON *json, uint64_t seed, CorpusOptions *options)
{
    static const char *const devices[] = {"cuda", "cpu", "both"};
    static const char *const gradients[] = {"proven", "marked", "skip"};
    static const char *const dedups[] = {"structure", "masked"};
    static const char *const formats[] = {"jsonl", "json"};
    *options = corpus_default_options();
    options->count = number(reading, json, "count");
    options->seed = seed;
    options->device = word(reading, json, "device", devices, 3) + 1;
    options->backward = boolean(reading, json, "backward");
    options->verify = boolean(reading, json, "verify");
    options->gradients = (GradientRule)word(reading, json, "gradients", gradients, 3);
    options->dedup = (DedupRule)word(reading, json, "dedup", dedups, 2);
    options->format = (CorpusFormat)word(reading, json, "format", formats, 2);
    options->compress = boolean(reading, json, "compress");
    options->timing = boolean(reading, json, "timing");
    options->with_io = boolean(reading, json, "with_io");
    options->shard_rows = number(reading, json, "shard_rows");
    options->checkpoint_rows = number(reading, json, "checkpoint_rows");
    const cJSON *splits = member(reading, json, "splits");
    for (int i = 0; i < SPLIT_COUNT; i++) {
        const cJSON *share = cJSON_GetArrayItem(splits, i);
        options->splits[i] = cJSON_IsNumber(share) && share->valuedouble >= 0 ? (unsigned)share->valuedouble : 0;
    }
    const cJSON *piece = cJSON_GetObjectItemCaseSensitive(json, "piece");
    if (piece && cJSON_GetArraySize(piece) == 2) {
        options->piece = (uint32_t)cJSON_GetArrayItem(piece, 0)->valuedouble - 1;
        options->piece_count = (uint32_t)cJSON_GetArrayItem(piece, 1)->valuedouble;
    }
    memset(&options->weights, 0, sizeof options->weights);
    const cJSON *weight;
    cJSON_ArrayForEach(weight, member(reading, json, "categories"))
    {
        int category = category_of(weight->string);
        if (category == CATEGORY_COUNT || !cJSON_IsNumber(weight))
            reading->problem = "categories";
        else
            options->weights.weight[category] = (unsigned)weight->valuedouble;
    }
    if (!options->splits[0] && !options->splits[1] && !options->splits[2])
        reading->problem = "splits";
    if (!options->shard_rows || !options->checkpoint_rows)
        reading->problem = "shard_rows";
}

static void read_counters(Reading *reading, const cJSON *json, Counters *counters)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, member(reading, json, "by_category"))
    {
        int category = category_of(item->string);
        if (category == CATEGORY_COUNT || !cJSON_IsNumber(item))
            reading->problem = "by_category";
        else
            counters->by_category[category] = (uint64_t)item->valuedouble;
    }
    const cJSON *splits = member(reading, json, "by_split");
    for (int i = 0; i < SPLIT_COUNT; i++)
        counters->by_split[i] = number(reading, splits, split_name((Split)i));
    cJSON_ArrayForEach(item, member(reading, json, "rejected"))
    {
        unsigned reason = reason_of_name(item->string, strlen(item->string));
        if (reason == REASON_COUNT || !cJSON_IsNumber(item))
            reading->problem = "rejected";
        else
            counters->rejected[reason] = (uint64_t)item->valuedouble;
    }
    counters->forward_lines = number(reading, json, "forward_lines");
    counters->backward_lines = number(reading, json, "backward_lines");
    counters->with_backward = number(reading, json, "with_backward");
    counters->record_bytes = number(reading, json, "record_bytes");
    counters->forward_pass = number(reading, json, "forward_pass");
    counters->gradient[GRADIENT_NONE] = number(reading, json, "gradient_none");
    counters->gradient[GRADIENT_PASS] = number(reading, json, "gradient_pass");
    counters->gradient[GRADIENT_MISMATCH] = number(reading, json, "gradient_mismatch");
    counters->distinct_structures = number(reading, json, "distinct_structures");
    counters->distinct_masked = number(reading, json, "distinct_masked");
}

static void read_shards(Reading *reading, const cJSON *list, Manifest *manifest)
{
    static const char *const splits[] = {"train", "validation", "test"};
    uint32_t numbers[SPLIT_COUNT] = {0};
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        ShardEntry entry = {0};
        const cJSON *file = member(reading, item, "file"), *hash = member(reading, item, "xxh3_128");
        if (!cJSON_IsString(file) || !cJSON_IsString(hash) || strlen(file->valuestring) >= SHARD_NAME_SIZE ||
            strlen(hash->valuestring) != HASH_HEX_SIZE - 1 || strchr(file->valuestring, '/')) {
            reading->problem = "shards";
            return;
        }
        strcpy(entry.file, file->valuestring);
        strcpy(entry.hash, hash->valuestring);
        entry.split = (Split)word(reading, item, "split", splits, 3);
        entry.number = numbers[entry.split]++;
        entry.rows = number(reading, item, "rows");
        entry.bytes = number(reading, item, "bytes");
        if (!manifest_add_shard(manifest, &entry))
            reading->problem = "shards";
    }
}

/* Numbers of JSON are doubles for the reader; a seed may have more digits. */
static uint64_t read_seed(const char *text)
{
    const char *at = strstr(text, "\"seed\": ");
    return at ? strtoull(at + strlen("\"seed\": "), NULL, 10) : 0;
}

bool manifest_read(Manifest *manifest, int dir_fd, const char *dir, bool *found, CorpusError *error)
{
    *manifest = (Manifest){0};
    *found = faccessat(dir_fd, MANIFEST_NAME, F_OK, 0) == 0;
    if (!*found)
        return true;
    size_t len;
    char *text = read_small_file(dir_fd, dir, MANIFEST_NAME, &len, error);
    if (!text)
        return false;
    cJSON *json = cJSON_ParseWithLength(text, len);
    Reading reading = {0};
    const cJSON *format = cJSON_GetObjectItemCaseSensitive(json, "format");
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(json, "weft_version");
    const cJSON *generator = cJSON_GetObjectItemCaseSensitive(json, "generator");
    if (!json || !cJSON_IsString(generator) || !cJSON_IsString(format) ||
        strcmp(format->valuestring, FORMAT_NAME) != 0 || !cJSON_IsString(version))
        reading.problem = "format";
    else {
        snprintf(manifest->weft_version, sizeof manifest->weft_version, "%s", version->valuestring);
        snprintf(manifest->generator, sizeof manifest->generator, "%s", generator->valuestring);
        read_options(&reading, member(&reading, json, "options"), read_seed(text), &manifest->options);
        read_counters(&reading, member(&reading, json, "counters"), &manifest->counters);
        manifest->complete = boolean(&reading, json, "complete");
        manifest->rows = number(&reading, json, "rows");
        manifest->next = number(&reading, json, "next_index");
        if (manifest->options.piece_count)
            manifest->kept = number(&reading, json, "kept");
        if (!manifest->complete) {
            const cJSON *seconds = member(&reading, json, "seconds");
            manifest->seconds = cJSON_IsNumber(seconds) ? seconds->valuedouble : 0;
        }
        read_shards(&reading, member(&reading, json, "shards"), manifest);
    }
    cJSON_Delete(json);
    free(text);
    if (reading.problem) {
        manifest_free(manifest);
        return corpus_fail(error, "%s/" MANIFEST_NAME " is damaged: see '%s'", dir, reading.problem);
    }
    return true;
}

bool manifest_same_options(const Manifest *manifest, const CorpusOptions *options, const char *dir, CorpusError *error)
{
    Text before, now;
    text_init(&before);
    text_init(&now);
    corpus_options_json(&manifest->options, &before);
    corpus_options_json(options, &now);
    bool same = before.len == now.len && memcmp(before.data, now.data, now.len) == 0;
    if (!same) {
        cJSON *old = cJSON_ParseWithLength(before.data, before.len), *new = cJSON_ParseWithLength(now.data, now.len);
        const char *name = manifest->options.seed != options->seed ? "seed" : "shard";
        char *was = NULL, *is = NULL;
        const cJSON *item;
        cJSON_ArrayForEach(item, new)
        {
            const cJSON *other = cJSON_GetObjectItemCaseSensitive(old, item->string);
            if (other && cJSON_Compare(item, other, true))
                continue;
            name = item->string;
            was = other ? cJSON_PrintUnformatted(other) : NULL;
            is = cJSON_PrintUnformatted(item);
            break;
        }
        corpus_fail(error,
                    "%s was begun with another %s (%s, now %s): continue with the same options, or use another folder",
                    dir, name, was ? was : "none", is ? is : "none");
        cJSON_free(was);
        cJSON_free(is);
        cJSON_Delete(old);
        cJSON_Delete(new);
    } else if (strcmp(manifest->weft_version, weft_version()) != 0) {
        same = corpus_fail(error, "%s was begun by weft %s, this is weft %s: it would continue with other kernels", dir,
                           manifest->weft_version, weft_version());
    } else {
        char generator[24];
        generator_fingerprint(generator);
        if (strcmp(manifest->generator, generator) != 0)
            same = corpus_fail(
                error, "%s was begun by another build of weft %s, which invents other kernels: use another folder", dir,
                weft_version());
    }
    text_free(&before);
    text_free(&now);
    return same;
}
