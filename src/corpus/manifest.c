#include "corpus/manifest.h"

#include "base/array.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "corpus/details.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void manifest_init(Manifest *manifest, const CorpusOptions *options)
{
    *manifest = (Manifest){.options = *options, .next = options->first};
    snprintf(manifest->weft_version, sizeof manifest->weft_version, "%s", weft_version());
    snprintf(manifest->warp_version, sizeof manifest->warp_version, "%s", options->warp);
    generator_fingerprint(manifest->generator);
}

void manifest_free(Manifest *manifest)
{
    free(manifest->shards);
    manifest->shards = NULL;
    manifest->shard_count = 0;
    manifest->shard_cap = 0;
    free(manifest->sources);
    manifest->sources = NULL;
    manifest->source_count = 0;
}

void manifest_origin_of(const MergedSource *sources, size_t count, char origin[17])
{
    XXH64_hash_t hash = 0;
    for (size_t i = 0; i < count; i++)
        hash = XXH3_64bits_withSeed(sources[i].manifest, strlen(sources[i].manifest), hash);
    snprintf(origin, 17, "%016llx", (unsigned long long)hash);
}

uint32_t manifest_source_of(const Manifest *manifest, uint64_t row)
{
    uint32_t source = 0;
    uint64_t end = manifest->source_count ? manifest->sources[0].rows : 0;
    while (row >= end && source + 1 < manifest->source_count)
        end += manifest->sources[++source].rows;
    return source;
}

ShardEntry *manifest_add_shard(Manifest *manifest, const ShardEntry *entry)
{
    if (!ARRAY_ROOM(manifest->shards, manifest->shard_count, manifest->shard_cap))
        return NULL;
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

uint64_t manifest_progress(const Manifest *manifest)
{
    if (manifest->options.end)
        return manifest->next - manifest->options.first;
    return manifest->options.stored ? manifest->next : manifest->rows;
}

bool knows_masked(const Manifest *manifest)
{
    return !manifest->options.end || manifest->options.dedup == DEDUP_MASKED;
}

uint64_t counters_rejected(const Counters *counters)
{
    uint64_t total = 0;
    for (unsigned i = 0; i < REASON_COUNT; i++)
        total += counters->rejected[i];
    return total;
}

uint64_t counters_with_readable(const Counters *counters)
{
    return counters->readable[READABLE_PASS] + counters->readable[READABLE_UNCHECKED];
}

void counters_add(Counters *counters, const Candidate *candidate, Split split, size_t bytes)
{
    counters->by_category[candidate->category]++;
    counters->by_split[split]++;
    counters->forward_lines += candidate->forward_lines;
    counters->backward_lines += candidate->backward_lines;
    counters->with_backward += candidate->has_backward;
    counters->record_bytes += bytes;
    counters->split_bytes[split] += bytes;
    for (int i = 0; i < MEASURED_COLUMNS; i++) {
        counters->texts[i].bytes += candidate->texts[i].bytes;
        counters->texts[i].tokens += candidate->texts[i].tokens;
    }
    counters->readable[candidate->readable]++;
    counters->readable_backward += candidate->readable_backward;
    counters->forward_pass += candidate->is_checked;
    counters->gradient[candidate->gradient] += candidate->is_checked;
}

/* 0: it failed. */
static uint64_t find_fingerprint(SynthContext *context)
{
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
    uint64_t hash = made == 2 * CATEGORY_COUNT && !all.failed ? XXH3_64bits(all.data, all.len) : 0;
    text_free(&all);
    return hash;
}

/* Found once per process. Finding it reads all scenes, which takes 0.06 s: the first that invents kernels takes the
 * context over. There is no lock: a process that is forked while a thread has it would wait for it forever. */
static struct {
    _Atomic uint64_t fingerprint;    /* 0: nobody has found it */
    _Atomic(SynthContext *) context; /* NULL: somebody has it */
} known_generator;

void generator_fingerprint(char fingerprint[24])
{
    uint64_t hash = known_generator.fingerprint;
    if (!hash) {
        SynthContext *context = synth_new(NULL);
        known_generator.fingerprint = hash = find_fingerprint(context);
        synth_free(atomic_exchange(&known_generator.context, context));
    }
    fingerprint[0] = 0;
    if (hash)
        snprintf(fingerprint, 24, "%016llx", (unsigned long long)hash);
}

SynthContext *generator_context(const char *warp)
{
    bool is_default = !warp || strcmp(warp, weft_find_warp(NULL)) == 0;
    SynthContext *context = is_default ? atomic_exchange(&known_generator.context, NULL) : NULL;
    return context ? context : synth_new(warp);
}

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

void add_readable_counts(const Counters *counters, Text *out)
{
    for (int i = 0; i < READABLE_COUNT; i++)
        text_format(out, "%s\"%s\": %llu", i ? ", " : "", readable_verdict_name((ReadableVerdict)i),
                    (unsigned long long)counters->readable[i]);
}

void add_text_sizes(const Counters *counters, Text *out)
{
    for (int i = 0; i < MEASURED_COLUMNS; i++)
        text_format(out, "%s\"%s\": {\"bytes\": %llu, \"tokens\": %llu}", i ? ", " : "", measured_columns[i],
                    (unsigned long long)counters->texts[i].bytes, (unsigned long long)counters->texts[i].tokens);
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
    text_lit(out, ", \"split_bytes\": {");
    for (int i = 0; i < SPLIT_COUNT; i++)
        text_format(out, "%s\"%s\": %llu", i ? ", " : "", split_name((Split)i),
                    (unsigned long long)counters->split_bytes[i]);
    text_lit(out, "}, \"texts\": {");
    add_text_sizes(counters, out);
    text_char(out, '}');
    add_number(out, "forward_pass", counters->forward_pass);
    add_number(out, "gradient_none", counters->gradient[GRADIENT_NONE]);
    add_number(out, "gradient_pass", counters->gradient[GRADIENT_PASS]);
    add_number(out, "gradient_mismatch", counters->gradient[GRADIENT_MISMATCH]);
    text_lit(out, ", \"readable\": {");
    add_readable_counts(counters, out);
    text_char(out, '}');
    add_number(out, "readable_backward", counters->readable_backward);
    add_number(out, "distinct_structures", counters->distinct_structures);
    add_number(out, "distinct_masked", counters->distinct_masked);
    text_char(out, '}');
}

static void write_sources(const Manifest *manifest, Text *out)
{
    text_lit(out, ",\n\"sources\": [");
    for (uint32_t i = 0; i < manifest->source_count; i++) {
        const MergedSource *source = &manifest->sources[i];
        text_format(out, "%s\n{\"given\": %llu, \"rows\": %llu, \"manifest\": \"%s\", \"options\": ", i ? "," : "",
                    (unsigned long long)source->given, (unsigned long long)source->rows, source->manifest);
        corpus_options_json(&source->options, out);
        text_char(out, '}');
    }
    text_lit(out, "\n]");
}

/* The last line, a hash of all lines before it: whoever changes one by hand is found out. */
static void add_seal(Text *out)
{
    unsigned char hash[32];
    if (out->failed)
        return;
    sha256(out->data, out->len, hash);
    text_lit(out, "\"sha256\": \"");
    for (size_t i = 0; i < sizeof hash; i++)
        text_format(out, "%02x", hash[i]);
    text_lit(out, "\"\n}\n");
}

void manifest_text(const Manifest *manifest, Text *out)
{
    text_format(out,
                "{\n\"format\": \"" MANIFEST_FORMAT
                "\",\n\"weft_version\": \"%s\",\n\"warp_version\": \"%s\",\n\"generator\": \"%s\",\n",
                manifest->weft_version, manifest->warp_version, manifest->generator);
    text_format(out, "\"seed\": %llu,\n\"options\": ", (unsigned long long)manifest->options.seed);
    corpus_options_json(&manifest->options, out);
    if (manifest->options.merged)
        write_sources(manifest, out);
    text_format(out, ",\n\"complete\": %s,\n\"rows\": %llu,\n\"next_index\": %llu,\n",
                manifest->complete ? "true" : "false", (unsigned long long)manifest->rows,
                (unsigned long long)manifest->next);
    if (manifest->options.piece_count)
        text_format(out, "\"kept\": %llu,\n", (unsigned long long)manifest->kept);
    if (!manifest->complete)
        text_format(out, "\"milliseconds\": %llu,\n", (unsigned long long)manifest->milliseconds);
    if (manifest->pending_rows)
        text_format(out, "\"pending\": {\"rows\": %llu, \"xxh3_128\": \"%s\"},\n",
                    (unsigned long long)manifest->pending_rows, manifest->pending_hash);
    text_lit(out, "\"counters\": ");
    write_counters(manifest, out);
    text_lit(out, ",\n\"shards\": [");
    for (uint32_t i = 0; i < manifest->shard_count; i++) {
        const ShardEntry *shard = &manifest->shards[i];
        text_format(out,
                    "%s\n{\"file\": \"%s\", \"split\": \"%s\", \"rows\": %llu, \"bytes\": %llu, \"xxh3_128\": \"%s\"",
                    i ? "," : "", shard->file, split_name(shard->split), (unsigned long long)shard->rows,
                    (unsigned long long)shard->bytes, shard->hash);
        if (shard->details_hash[0]) {
            char details[SHARD_NAME_SIZE];
            details_file(shard->file, details);
            text_format(out, ", \"details\": {\"file\": \"%s\", \"bytes\": %llu, \"xxh3_128\": \"%s\"}", details,
                        (unsigned long long)shard->details_bytes, shard->details_hash);
        }
        text_char(out, '}');
    }
    text_lit(out, "\n],\n");
    add_seal(out);
}

bool manifest_write(const Manifest *manifest, int dir_fd, const char *dir, CorpusError *error)
{
    Text out;
    text_init(&out);
    manifest_text(manifest, &out);
    bool written = out.failed ? corpus_fail(error, "out of memory")
                   : out.len > LIMIT_COMPANION_BYTES
                       ? corpus_fail(error, "%s has too many files for one manifest: take more records per file", dir)
                       : write_file_safely(dir_fd, dir, MANIFEST_NAME, out.data, out.len, error);
    text_free(&out);
    return written;
}

bool fail_unfinished(const Manifest *manifest, const char *dir, CorpusError *error)
{
    const CorpusOptions *options = &manifest->options;
    const char *command = options->merged ? "merge" : options->stored ? "harvest" : "produce";
    return corpus_fail(error, "%s is not finished: continue it with weft %s --resume", dir, command);
}

/* Says which option differs, in the words of the manifest. */
static void name_other_option(const Manifest *manifest, const CorpusOptions *options, const Text *before,
                              const Text *now, const char *dir, CorpusError *error)
{
    json_t *old = json_read(before->data, before->len), *new = json_read(now->data, now->len), *item;
    const char *name = manifest->options.seed != options->seed                  ? "seed"
                       : strcmp(manifest->options.hidden, options->hidden) != 0 ? "hidden key"
                                                                                : "shard",
               *key;
    Text was = {0}, is = {0};
    json_object_foreach(new, key, item)
    {
        const json_t *other = json_object_get(old, key);
        if (other && json_equal(item, other))
            continue;
        name = key;
        if (other)
            json_write(other, &was);
        json_write(item, &is);
        break;
    }
    corpus_fail(error,
                "%s was begun with a different %s (%s, now %s): continue with the same options, or use another folder",
                dir, name, was.len ? text_cstr(&was) : "none", is.len ? text_cstr(&is) : "none");
    text_free(&was);
    text_free(&is);
    json_decref(old);
    json_decref(new);
}

bool manifest_same_options(const Manifest *manifest, const CorpusOptions *options, const char *dir, CorpusError *error)
{
    Text before, now;
    text_init(&before);
    text_init(&now);
    corpus_options_json(&manifest->options, &before);
    corpus_options_json(options, &now);
    bool failed = before.failed || now.failed;
    bool same = !failed && before.len == now.len && memcmp(before.data, now.data, now.len) == 0;
    if (failed)
        corpus_fail(error, "out of memory");
    else if (!same) {
        name_other_option(manifest, options, &before, &now, dir, error);
    } else if (strcmp(manifest->warp_version, options->warp) != 0) {
        same = corpus_fail(error,
                           "%s was begun for Warp %s, not %s: continue with the same options, or use another folder",
                           dir, manifest->warp_version, options->warp);
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
