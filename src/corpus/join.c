#include "corpus/join.h"

#include "base/clock.h"
#include "base/sha256.h"
#include "corpus/details.h"
#include "corpus/each_record.h"
#include "corpus/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- one of the sets ---- */

/* A split of a set, and the record that comes next in it. */
typedef struct SplitReader {
    RecordReader *reader;
    const char *line; /* NULL: there are no more */
    size_t len;
    uint64_t row;
} SplitReader;

typedef struct Set {
    const char *dir;
    Manifest manifest;
    SplitReader splits[SPLIT_COUNT];
    uint64_t rows_read;
} Set;

static bool read_manifest(Manifest *manifest, const char *dir, bool *found, CorpusError *error)
{
    *found = false;
    *manifest = (Manifest){0};
    int dir_fd = folder_open(dir, error);
    bool fine = dir_fd >= 0 && manifest_read(manifest, dir_fd, dir, found, error);
    if (dir_fd >= 0)
        close(dir_fd);
    return fine;
}

bool is_whole_set(const char *dir)
{
    Manifest manifest;
    CorpusError error = {""};
    bool found, fine = read_manifest(&manifest, dir, &found, &error) && found && !manifest.options.piece_count;
    manifest_free(&manifest);
    return fine;
}

static bool next_of_split(Set *set, SplitReader *split, CorpusError *error)
{
    Split which;
    split->line = record_reader_next(split->reader, &split->len, &which, error);
    if (!split->line)
        return !error->message[0];
    return read_record_head(split->line, split->len, &split->row, NULL) ||
           corpus_fail(error, "%s: record %llu is not a weft record", set->dir, (unsigned long long)set->rows_read);
}

/* The next record of the set, in the order of the rows. NULL: there are no more. */
static SplitReader *first_of_splits(Set *set)
{
    SplitReader *first = NULL;
    for (int i = 0; i < SPLIT_COUNT; i++)
        if (set->splits[i].line && (!first || set->splits[i].row < first->row))
            first = &set->splits[i];
    return first;
}

static bool begin_reading(Set *set, CorpusError *error)
{
    for (int i = 0; i < SPLIT_COUNT; i++) {
        set->splits[i].reader = record_reader_open(set->dir, NULL, i, error);
        if (!set->splits[i].reader || !next_of_split(set, &set->splits[i], error))
            return false;
    }
    return true;
}

static void end_reading(Set *set)
{
    for (int i = 0; i < SPLIT_COUNT; i++) {
        record_reader_close(set->splits[i].reader);
        set->splits[i] = (SplitReader){0};
    }
}

/* ---- may they be joined? ---- */

static bool can_be_joined(const Set *set, CorpusError *error)
{
    const Manifest *manifest = &set->manifest;
    const CorpusOptions *options = &manifest->options;
    char generator[24];
    if (options->piece_count)
        return corpus_fail(error, "%s is a piece: join all pieces of its set first", set->dir);
    if (options->whole_end)
        return corpus_fail(error, "%s is a task of a larger range: join all of them with weft range join first",
                           set->dir);
    if (!manifest->complete)
        return fail_unfinished(manifest, set->dir, error);
    if (options->merged)
        return corpus_fail(error, "%s was joined from other sets: give those instead", set->dir);
    if (options->hidden[0])
        return corpus_fail(
            error, "%s: its launches are drawn from a hidden key, which sets that are joined cannot have", set->dir);
    if (options->timing)
        return corpus_fail(error, "%s was made with --timing, which sets that are joined cannot have", set->dir);
    generator_fingerprint(generator);
    if (strcmp(manifest->weft_version, weft_version()) != 0 ||
        (!options->stored && strcmp(manifest->generator, generator) != 0))
        return corpus_fail(error, "%s was made by another build of weft (%s, this is %s): make it again with this one",
                           set->dir, manifest->weft_version, weft_version());
    return true;
}

/* All sets must be made with the same of these options. */
static bool is_like(const Set *set, const Set *first, bool with_splits, CorpusError *error)
{
    const CorpusOptions *a = &set->manifest.options, *b = &first->manifest.options;
    const struct {
        const char *option;
        bool same;
    } comparisons[] = {
        {"--warp-version", strcmp(a->warp, b->warp) == 0},
        {"--device", a->device == b->device},
        {"--no-backward", a->backward == b->backward},
        {"--no-readable", a->readable == b->readable},
        {"--no-verify", a->verify == b->verify},
        {"--launches", a->launches == b->launches},
        {"--gradients", a->gradients == b->gradients},
        {"--splits", !with_splits || memcmp(a->splits, b->splits, sizeof a->splits) == 0},
    };
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (!comparisons[i].same)
            return corpus_fail(error, "%s and %s were made with different %s%s", first->dir, set->dir,
                               comparisons[i].option,
                               i + 1 == sizeof comparisons / sizeof *comparisons ? ": give the merge --splits" : "");
    return true;
}

static bool hash_manifest(const Manifest *manifest, char hex[SHA256_HEX_SIZE])
{
    unsigned char hash[32];
    Text text;
    text_init(&text);
    manifest_text(manifest, &text); /* just the bytes of the file */
    bool fine = !text.failed;
    if (fine)
        sha256(text.data, text.len, hash);
    for (size_t i = 0; fine && i < sizeof hash; i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    text_free(&text);
    return fine;
}

static bool open_sets(Set *sets, MergedSource *sources, char *const *dirs, size_t count, const CorpusRun *run,
                      CorpusError *error)
{
    for (size_t i = 0; i < count; i++) {
        Set *set = &sets[i];
        bool found;
        set->dir = dirs[i];
        if (!read_manifest(&set->manifest, set->dir, &found, error))
            return false;
        if (!found)
            return corpus_fail(error, "%s has no " MANIFEST_NAME ": it is not a weft data set", set->dir);
        if (!can_be_joined(set, error) || !is_like(set, &sets[0], !run->splits, error))
            return false;
        sources[i] = (MergedSource){.options = set->manifest.options, .given = set->manifest.rows};
        if (!hash_manifest(&set->manifest, sources[i].manifest))
            return corpus_fail(error, "out of memory");
        for (size_t k = 0; k < i; k++)
            if (strcmp(sources[k].manifest, sources[i].manifest) == 0)
                return corpus_fail(error, "%s and %s are the same set", sets[k].dir, set->dir);
    }
    return true;
}

static CorpusOptions joined_options(const MergedSource *sources, size_t count, const CorpusRun *run)
{
    CorpusOptions options = sources[0].options;
    options.first = options.end = options.count = 0;
    options.stored = options.merged = true;
    options.harvested = false;
    for (size_t i = 0; i < count; i++) {
        options.count += sources[i].given;
        options.harvested |= sources[i].options.harvested;
    }
    manifest_origin_of(sources, count, options.origin);
    if (run->splits)
        memcpy(options.splits, run->splits, sizeof options.splits);
    return options;
}

/* ---- joining ---- */

typedef struct Joining {
    Writer writer;
    ColumnList columns; /* of the joined set */
    Text fitted;        /* a record with these columns */
    GramSet grams;
    uint64_t taken; /* records of all sets */
    uint64_t first; /* that was not looked at before an interruption */
    double started, last;
    const CorpusRun *run;
} Joining;

static void tell_progress(Joining *joining, bool always)
{
    const Manifest *manifest = &joining->writer.manifest;
    double now = clock_seconds();
    if (!joining->run->progress || (!always && now - joining->last < 0.2))
        return;
    joining->last = now;
    CorpusProgress progress = {.made = manifest->rows,
                               .wanted = manifest->options.count,
                               .rejected = counters_rejected(&manifest->counters),
                               .seconds = now - joining->started};
    joining->run->progress(&progress, joining->run->user);
}

static bool take_record(Joining *joining, const Set *set, const SplitReader *split, CorpusError *error)
{
    Candidate candidate;
    if (joining->taken < joining->first) {
        joining->taken++;
        return true;
    }
    bool splits = has_splits(&joining->writer.manifest.options);
    if (!read_candidate(split->line, split->len, &candidate, splits ? &joining->grams : NULL))
        return corpus_fail(error, "%s: row %llu is not a weft record", set->dir, (unsigned long long)split->row);
    candidate.index = joining->taken++; /* its place among all that are given */
    candidate.gram_count = splits ? joining->grams.count : 0;
    joining->fitted.len = 0;
    if (!record_fit(split->line + candidate.start, candidate.len, joining->columns, &joining->fitted))
        return corpus_fail(error, "%s: row %llu is not a weft record", set->dir, (unsigned long long)split->row);
    if (joining->fitted.failed)
        return corpus_fail(error, "out of memory");
    candidate.len = joining->fitted.len;
    return writer_take(&joining->writer, &candidate, joining->fitted.data, (const char *)joining->grams.items, error);
}

static CorpusOutcome take_set(Joining *joining, Set *set, uint32_t number, CorpusError *error)
{
    joining->writer.source = number;
    bool fine = begin_reading(set, error);
    for (SplitReader *split; fine && (split = first_of_splits(set));) {
        fine = take_record(joining, set, split, error);
        set->rows_read++;
        fine = fine && next_of_split(set, split, error);
        tell_progress(joining, false);
        if (fine && joining->run->stop && *joining->run->stop)
            return CORPUS_STOPPED;
    }
    if (fine && set->rows_read != set->manifest.rows)
        fine = corpus_fail(error, "%s has %llu records, but its manifest says %llu", set->dir,
                           (unsigned long long)set->rows_read, (unsigned long long)set->manifest.rows);
    end_reading(set);
    return fine ? CORPUS_DONE : CORPUS_FAILED;
}

/* The sources become the manifest's; of a run that goes on, it knows how many rows each has so far. */
static void give_sources(Manifest *manifest, MergedSource **sources, size_t count)
{
    for (size_t i = 0; i < count && i < manifest->source_count; i++)
        (*sources)[i].rows = manifest->sources[i].rows;
    free(manifest->sources);
    manifest->sources = *sources;
    manifest->source_count = (uint32_t)count;
    *sources = NULL;
}

static CorpusOutcome join(const char *dir, Set *sets, MergedSource **sources, size_t count, const CorpusRun *run,
                          CorpusError *error)
{
    CorpusOptions options = joined_options(*sources, count, run);
    if (options.format == FORMAT_JSON && has_splits(&options)) {
        corpus_fail(error, "%s has one file per record, and so no splits", sets[0].dir);
        return CORPUS_FAILED;
    }
    Joining joining = {.started = clock_seconds(), .run = run};
    CorpusOutcome outcome = writer_open(&joining.writer, dir, &options, run->resume, error);
    if (outcome == CORPUS_DONE)
        give_sources(&joining.writer.manifest, sources, count);
    joining.first = joining.writer.manifest.next;
    columns_of(&options, PART_WHOLE, joining.columns);
    for (size_t i = 0; outcome == CORPUS_DONE && i < count; i++)
        outcome = take_set(&joining, &sets[i], (uint32_t)i, error);
    if ((outcome == CORPUS_DONE && !writer_finish(&joining.writer, error)) ||
        (outcome == CORPUS_STOPPED && !writer_pause(&joining.writer, error)))
        outcome = CORPUS_FAILED;
    if (outcome == CORPUS_DONE)
        tell_progress(&joining, true);
    gram_set_free(&joining.grams);
    text_free(&joining.fitted);
    writer_free(&joining.writer);
    return outcome;
}

CorpusOutcome corpus_join(const char *dir, char *const *dirs, size_t count, const CorpusRun *run, CorpusError *error)
{
    if (count > MOST_SOURCES) {
        corpus_fail(error, "%zu sets are too many: at most %d can be joined", count, MOST_SOURCES);
        return CORPUS_FAILED;
    }
    Set *sets = calloc(count, sizeof *sets);
    MergedSource *sources = calloc(count, sizeof *sources);
    CorpusOutcome outcome = CORPUS_FAILED;
    if (!sets || !sources)
        corpus_fail(error, "out of memory");
    else if (open_sets(sets, sources, dirs, count, run, error))
        outcome = join(dir, sets, &sources, count, run, error);
    for (size_t i = 0; sets && i < count; i++) {
        end_reading(&sets[i]);
        manifest_free(&sets[i].manifest);
    }
    free(sets);
    free(sources);
    return outcome;
}
