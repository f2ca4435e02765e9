/* Remakes the files about a whole data set from its records. The candidates that are not records are invented again.
 * Then manifest, statistics and card must equal the output of a run with these options, byte for byte. */
#include "base/array.h"
#include "base/pool.h"
#include "corpus/validate.h"
#include "corpus/writer.h"

#include <stdlib.h>

/* ---- the order of the records ---- */

static bool check_indices(Validator *validator)
{
    uint64_t before = UINT64_MAX; /* one more is 0 */
    uint64_t problems = validator->report->problems;
    if (validator->manifest.options.end)
        return true; /* each was held against its row */
    bool merged = validator->manifest.options.merged;
    uint32_t source = 0;
    for (uint64_t number = 0; number < validator->manifest.rows; number++) {
        uint64_t index = validator->index_of[number];
        uint32_t now = manifest_source_of(&validator->manifest, number);
        before = now == source ? before : UINT64_MAX;
        source = now;
        if (index == UINT64_MAX)
            complain(validator, "record %llu is missing", (unsigned long long)number);
        else if (before != UINT64_MAX && index <= before)
            complain(validator, "record %llu: its index is not greater than that of the record before it",
                     (unsigned long long)number);
        else if (!merged && index - (before + 1) >= HOPELESS)
            complain(validator, "record %llu: its index is too much greater than that of the record before it",
                     (unsigned long long)number);
        before = index;
    }
    return problems == validator->report->problems;
}

/* Every shard_rows candidates of a range are a shard, unless none of them is a record. */
static void check_blocks(Validator *validator)
{
    const Manifest *manifest = &validator->manifest;
    uint64_t size = manifest->options.shard_rows;
    uint32_t shard = 0;
    for (uint64_t block = 0; block < validator->places; block += size) {
        uint64_t rows = 0;
        for (uint64_t i = block; i < validator->places && i < block + size; i++)
            rows += validator->index_of[i] != UINT64_MAX;
        if (rows && (shard == manifest->shard_count || validator->found[shard].rows != rows)) {
            complain(validator, "the shards of a range would be divided differently");
            return;
        }
        shard += rows > 0;
    }
}

static void check_shards(Validator *validator)
{
    const Manifest *manifest = &validator->manifest;
    uint64_t left[SPLIT_COUNT];
    if (manifest->options.end) {
        check_blocks(validator);
        return;
    }
    memcpy(left, validator->counters.by_split, sizeof left);
    for (uint32_t i = 0; i < manifest->shard_count; i++) {
        const FoundShard *found = &validator->found[i];
        uint64_t *rest = &left[manifest->shards[i].split];
        uint64_t most = manifest->options.format == FORMAT_JSON ? UINT64_MAX : manifest->options.shard_rows;
        if (found->rows != (*rest < most ? *rest : most))
            complain(validator, "%s: shards of %llu records would be divided differently", manifest->shards[i].file,
                     (unsigned long long)manifest->options.shard_rows);
        *rest -= found->rows < *rest ? found->rows : *rest;
        if (i && found->rows && found->first < validator->found[i - 1].first)
            complain(validator, "%s: the manifest has its shards in another order than their records",
                     manifest->shards[i].file);
    }
}

/* ---- candidates that are not records ---- */

/* The same of a range, where every candidate has a place. */
static bool next_gap_of_range(Validator *validator, uint64_t *index)
{
    pthread_mutex_lock(&validator->lock);
    while (validator->gap_index < validator->places && validator->index_of[validator->gap_index] != UINT64_MAX)
        validator->gap_index++;
    bool found = validator->gap_index < validator->places && !validator->gaps_wrong && !validator_stops(validator);
    *index = validator->manifest.options.first + validator->gap_index++;
    pthread_mutex_unlock(&validator->lock);
    return found;
}

/* The next of them; false: there are no more. */
static bool next_gap(Validator *validator, uint64_t *index)
{
    if (validator->manifest.options.end)
        return next_gap_of_range(validator, index);
    pthread_mutex_lock(&validator->lock);
    while (validator->gap_number < validator->manifest.rows &&
           validator->gap_index == validator->index_of[validator->gap_number]) {
        validator->gap_index++;
        validator->gap_number++;
    }
    bool found =
        validator->gap_number < validator->manifest.rows && !validator->gaps_wrong && !validator_stops(validator);
    *index = validator->gap_index++;
    pthread_mutex_unlock(&validator->lock);
    return found;
}

static bool note_lost(Validator *validator, uint64_t key, uint64_t index)
{
    if (!ARRAY_ROOM(validator->lost, validator->lost_count, validator->lost_cap))
        return false;
    validator->lost[validator->lost_count++] = (Lost){key, index};
    return true;
}

/* A sound candidate that is missing may have neighbours in two splits; check_splits decides. */
static bool may_be_between(Validator *validator, const Candidate *candidate, const char *grams)
{
    return candidate->gram_count && note_placed(validator, candidate, grams, candidate->gram_count, SPLIT_COUNT);
}

static void note_gap(Validator *validator, const Candidate *candidate, const char *grams, bool made)
{
    bool masked = validator->manifest.options.dedup == DEDUP_MASKED;
    uint64_t key = masked ? candidate->masked : candidate->structure;
    pthread_mutex_lock(&validator->lock);
    if (made && candidate->reason)
        validator->counters.rejected[candidate->reason]++;
    else if (made && !validator->losers && hash_set_has(&validator->structures, key) &&
             note_lost(validator, key, candidate->index))
        validator->counters.rejected[REASON_DUPLICATE]++;
    else if (made && may_be_between(validator, candidate, grams))
        validator->counters.rejected[REASON_BETWEEN]++;
    else {
        if (!validator->gaps_wrong)
            complain(validator,
                     made ? "candidate %llu belongs in the data set but is missing"
                          : "candidate %llu cannot be made again: out of memory",
                     (unsigned long long)candidate->index);
        validator->gaps_wrong = true;
    }
    pthread_mutex_unlock(&validator->lock);
}

static void check_gaps(void *user, unsigned number)
{
    (void)number;
    Validator *validator = user;
    CorpusOptions options = validator->manifest.options;
    options.timing = false;
    options.losers = validator->losers;
    Maker *maker = maker_new(&options);
    Text scratch;
    uint64_t index;
    text_init(&scratch);
    while (next_gap(validator, &index)) {
        Candidate candidate = {.index = index};
        scratch.len = 0;
        bool made = maker && make_candidate(maker, index, &candidate, &scratch) && !scratch.failed;
        note_gap(validator, &candidate, scratch.data + candidate.start + candidate.len, made);
    }
    text_free(&scratch);
    maker_free(maker);
}

static int by_key(const void *a, const void *b)
{
    const Lost *one = a, *two = b;
    return one->key != two->key ? (one->key < two->key ? -1 : 1)
                                : (one->index > two->index) - (one->index < two->index);
}

/* Among candidates with the same key, the first must be the record. */
static void check_firsts(Validator *validator)
{
    if (!validator->lost_count)
        return;
    qsort(validator->lost, validator->lost_count, sizeof *validator->lost, by_key);
    for (uint64_t number = 0; number < validator->manifest.rows; number++) {
        size_t low = 0, high = validator->lost_count;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (validator->lost[middle].key < validator->key_of[number])
                low = middle + 1;
            else
                high = middle;
        }
        const Lost *lost = &validator->lost[low];
        if (low < validator->lost_count && lost->key == validator->key_of[number] &&
            lost->index < validator->index_of[number])
            complain(validator, "record %llu: candidate %llu is a duplicate of it and comes first",
                     (unsigned long long)number, (unsigned long long)lost->index);
    }
}

/* ---- splits ---- */

static int by_index(const void *a, const void *b)
{
    const Placed *one = a, *two = b;
    return (one->index > two->index) - (one->index < two->index);
}

static void check_split(Validator *validator, Neighbours *neighbours, const Placed *placed)
{
    Split wanted = split_of(&validator->manifest.options, placed->masked), split;
    unsigned long long index = placed->index;
    if (!neighbours_choose(neighbours, &placed->grams, wanted, &split))
        complain(validator, "out of memory");
    else if (placed->split == SPLIT_COUNT && split != SPLIT_COUNT)
        complain(validator, "candidate %llu belongs in the data set but is missing", index);
    else if (split == SPLIT_COUNT && placed->split != SPLIT_COUNT)
        complain(validator, "index %llu: it looks like records of two splits", index);
    else if (split != placed->split)
        complain(validator, "index %llu: it does not belong to split %s", index, split_name(placed->split));
    if (placed->split != SPLIT_COUNT && !neighbours_add(neighbours, &placed->grams, placed->split))
        complain(validator, "out of memory");
}

/* Each record where its neighbours are, in the order in which they were made. */
static void check_splits(Validator *validator)
{
    if (!validator->placed_count)
        return;
    Neighbours *neighbours = neighbours_new();
    if (!neighbours)
        complain(validator, "out of memory");
    qsort(validator->placed, validator->placed_count, sizeof *validator->placed, by_index);
    uint64_t problems = validator->report->problems;
    for (size_t i = 0; neighbours && i < validator->placed_count && validator->report->problems == problems; i++)
        check_split(validator, neighbours, &validator->placed[i]);
    neighbours_free(neighbours);
}

/* ---- what is written about them ---- */

static void check_count(Validator *validator, const char *name, uint64_t found, uint64_t written)
{
    if (found != written)
        complain(validator, MANIFEST_NAME ": %s is %llu, but the records give %llu", name, (unsigned long long)written,
                 (unsigned long long)found);
}

static void check_counts(Validator *validator, const Manifest *again)
{
    const Counters *found = &again->counters, *written = &validator->manifest.counters;
    for (int i = 0; i < CATEGORY_COUNT; i++)
        check_count(validator, category_name((CategoryId)i), found->by_category[i], written->by_category[i]);
    for (int i = 0; i < SPLIT_COUNT; i++)
        check_count(validator, split_name((Split)i), found->by_split[i], written->by_split[i]);
    for (unsigned i = 1; i < REASON_COUNT; i++)
        check_count(validator, reason_name(i), found->rejected[i], written->rejected[i]);
    check_count(validator, "rows", again->rows, validator->manifest.rows);
    check_count(validator, "count", manifest_progress(again), validator->manifest.options.count);
    check_count(validator, "forward_lines", found->forward_lines, written->forward_lines);
    check_count(validator, "backward_lines", found->backward_lines, written->backward_lines);
    check_count(validator, "with_backward", found->with_backward, written->with_backward);
    check_count(validator, "record_bytes", found->record_bytes, written->record_bytes);
    for (int i = 0; i < SPLIT_COUNT; i++)
        check_count(validator, "split_bytes", found->split_bytes[i], written->split_bytes[i]);
    for (int i = 0; i < MEASURED_COLUMNS; i++) {
        check_count(validator, measured_columns[i], found->texts[i].bytes, written->texts[i].bytes);
        check_count(validator, measured_columns[i], found->texts[i].tokens, written->texts[i].tokens);
    }
    check_count(validator, "forward_pass", found->forward_pass, written->forward_pass);
    for (int i = 0; i < 3; i++)
        check_count(validator, gradient_verdict_name((GradientVerdict)i), found->gradient[i], written->gradient[i]);
    for (int i = 0; i < READABLE_COUNT; i++)
        check_count(validator, readable_verdict_name((ReadableVerdict)i), found->readable[i], written->readable[i]);
    check_count(validator, "readable_backward", found->readable_backward, written->readable_backward);
    check_count(validator, "distinct_structures", found->distinct_structures, written->distinct_structures);
    check_count(validator, "distinct_masked", found->distinct_masked, written->distinct_masked);
    check_count(validator, "next_index", again->next, validator->manifest.next);
    check_count(validator, "rejected", again->next - again->options.first - again->rows, counters_rejected(written));
}

/* The manifest as a run would have written it. The shards are those that were read. */
static void make_manifest(Validator *validator, Manifest *again, ShardEntry *shards)
{
    const Manifest *manifest = &validator->manifest;
    *again = *manifest;
    again->complete = true;
    again->milliseconds = 0;
    again->rows = validator->report->records;
    again->next = 0;
    for (uint64_t place = 0; place < validator->places; place++)
        if (validator->index_of[place] != UINT64_MAX && validator->index_of[place] >= again->next)
            again->next = validator->index_of[place] + 1;
    if (manifest->options.end)
        again->next = manifest->options.end;
    again->counters = validator->counters;
    again->counters.distinct_structures = validator->structures.count;
    if (!knows_masked(manifest))
        again->counters.distinct_masked = 0;
    if (manifest->options.stored)
        again->next = manifest->options.count;
    if (!validator->invents) /* they cannot be invented again */
        memcpy(again->counters.rejected, manifest->counters.rejected, sizeof again->counters.rejected);
    again->shards = shards;
    uint32_t counts[SPLIT_COUNT];
    for (int split = 0; split < SPLIT_COUNT; split++)
        counts[split] = manifest_count_shards(manifest, (Split)split);
    for (uint32_t i = 0; i < manifest->shard_count; i++) {
        const FoundShard *found = &validator->found[i];
        shards[i] = manifest->shards[i];
        shards[i].rows = found->rows;
        shards[i].bytes = found->sum.bytes;
        shards[i].details_bytes = found->sum.details_bytes;
        memcpy(shards[i].hash, found->sum.hash, HASH_HEX_SIZE);
        memcpy(shards[i].details_hash, found->sum.details_hash, HASH_HEX_SIZE);
        shard_name(&manifest->options, shards[i].split, shards[i].number, SHARD_FINAL, counts[shards[i].split],
                   shards[i].file);
    }
}

static void compare(Validator *validator, const char *name, Text *expected)
{
    CorpusError error;
    if (!companion_is(validator->dir_fd, validator->dir, name, expected, &error))
        complain(validator, "%s", error.message);
    expected->len = 0;
}

static void check_descriptions(Validator *validator)
{
    Manifest again;
    ShardEntry *shards = calloc(validator->manifest.shard_count + 1, sizeof *shards);
    if (!shards) {
        complain(validator, "out of memory");
        return;
    }
    make_manifest(validator, &again, shards);
    check_counts(validator, &again);
    Text text;
    text_init(&text);
    manifest_text(&again, &text);
    compare(validator, MANIFEST_NAME, &text);
    write_stats_json(&again, &text);
    compare(validator, STATS_NAME, &text);
    write_card(&again, &text);
    compare(validator, CARD_NAME, &text);
    write_license(&again.options, &text);
    compare(validator, LICENSE_NAME, &text);
    text_str(&text, standalone_header());
    if (again.options.readable)
        compare(validator, HEADER_NAME, &text);
    text_free(&text);
    free(shards);
}

void check_whole(Validator *validator)
{
    bool fine = !validator->report->problems && check_indices(validator);
    check_shards(validator);
    if (fine && validator->invents) {
        pool_run_once(validator->options->jobs, check_gaps, validator);
        check_firsts(validator);
    } else /* something is wrong already: the counts of rejected candidates are taken as they stand */
        memcpy(validator->counters.rejected, validator->manifest.counters.rejected,
               sizeof validator->counters.rejected);
    if (fine && !validator_stops(validator))
        check_splits(validator);
    if (!validator_stops(validator))
        check_descriptions(validator);
}
