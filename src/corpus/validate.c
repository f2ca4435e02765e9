/* Does a whole data set hold? Every record, in its place; whole.c looks at what is said about all of them. */
#include "corpus/validate.h"

#include "base/array.h"
#include "base/pool.h"
#include "base/rng.h"
#include "base/safe_file.h"
#include "corpus/losers.h"
#include "corpus/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LINES_AT_ONCE = 32 };

void complain(Validator *validator, const char *format, ...)
{
    va_list args;
    char message[800];
    ValidateReport *report = validator->report;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    defuse(message);
    if (report->problems++ < validator->options->max_messages) {
        text_str(&report->messages, message);
        text_char(&report->messages, '\n');
    }
}

/* For a thread that holds the read lock. */
static void complain_locked(Validator *validator, const char *message)
{
    pthread_mutex_lock(&validator->lock);
    complain(validator, "%s", message);
    pthread_mutex_unlock(&validator->lock);
}

bool validator_stops(const Validator *validator)
{
    return validator->options->stop && *validator->options->stop;
}

/* ---- reading ---- */

static void finish_shard(Validator *validator, const CorpusError *error)
{
    const ShardEntry *entry = &validator->manifest.shards[validator->shard];
    FoundShard *found = &validator->found[validator->shard];
    char message[800];
    shard_sum(validator->reader, &found->sum);
    shard_reader_free(validator->reader);
    validator->reader = NULL;
    if (error->message[0])
        complain_locked(validator, error->message);
    else if (!shard_same_bytes(&found->sum, entry)) {
        snprintf(message, sizeof message, "%s: its bytes are not those of the manifest", entry->file);
        complain_locked(validator, message);
    }
    if (found->rows != entry->rows) {
        snprintf(message, sizeof message, "%s: %llu records, but the manifest says %llu", entry->file,
                 (unsigned long long)found->rows, (unsigned long long)entry->rows);
        complain_locked(validator, message);
    }
    validator->shard++;
}

/* Records of a split ascend, from shard to shard. */
static void check_order(Validator *validator, const char *line, size_t len)
{
    const ShardEntry *entry = &validator->manifest.shards[validator->shard];
    FoundShard *found = &validator->found[validator->shard];
    uint64_t number, *next = &validator->next_number[entry->split];
    char message[200];
    if (!read_record_head(line, len, &number, NULL))
        return; /* check_record says so */
    if (!found->rows)
        found->first = number;
    if (number < *next) {
        snprintf(message, sizeof message, "%s: row %llu is not in the order of the rows", entry->file,
                 (unsigned long long)number);
        complain_locked(validator, message);
    }
    *next = number + 1;
}

typedef struct Lines {
    Text text;
    size_t starts[LINES_AT_ONCE], lengths[LINES_AT_ONCE];
    Split splits[LINES_AT_ONCE];
    uint32_t count;
} Lines;

static void read_lines(Validator *validator, Lines *lines)
{
    CorpusError error = {""};
    lines->count = 0;
    lines->text.len = 0;
    pthread_mutex_lock(&validator->read_lock);
    while (lines->count < LINES_AT_ONCE && validator->shard < validator->manifest.shard_count &&
           !validator_stops(validator)) {
        const ShardEntry *entry = &validator->manifest.shards[validator->shard];
        size_t len;
        if (!validator->reader) {
            validator->reader = shard_open(validator->dir_fd, validator->dir, entry, &validator->manifest.options,
                                           validator->manifest.complete ? SHARD_OF_ANY_SIZE : entry->bytes, &error);
            if (!validator->reader) {
                complain_locked(validator, error.message);
                validator->shard++;
                continue;
            }
        }
        char *line = shard_line(validator->reader, &len, &error);
        if (!line) {
            finish_shard(validator, &error);
            continue;
        }
        check_order(validator, line, len);
        validator->found[validator->shard].rows++;
        lines->splits[lines->count] = entry->split;
        lines->starts[lines->count] = lines->text.len;
        lines->lengths[lines->count++] = len;
        text_add(&lines->text, line, len + 1); /* with its NUL */
    }
    pthread_mutex_unlock(&validator->read_lock);
}

/* ---- what one record means for the whole ---- */

static const char *note_place(Validator *validator, const RecordVerdict *verdict, uint64_t key)
{
    const CorpusOptions *options = &validator->manifest.options;
    if (options->end && verdict->number != verdict->candidate.index)
        return "its row is not its index, as in a range";
    uint64_t place = verdict->number - options->first; /* a smaller number is beyond the end, too */
    if (place >= validator->places)
        return "its row is beyond the end of the data set";
    if (validator->index_of[place] != UINT64_MAX)
        return "its row appears twice";
    if (validator->losers && is_loser(validator->losers, verdict->candidate.index))
        return "an earlier candidate has the same structure";
    validator->index_of[place] = verdict->candidate.index;
    validator->key_of[place] = key;
    return NULL;
}

bool note_placed(Validator *validator, const Candidate *candidate, const char *grams, size_t gram_count, Split split)
{
    Placed placed = {.index = candidate->index, .masked = candidate->masked, .split = split};
    if (!ARRAY_ROOM(validator->placed, validator->placed_count, validator->placed_cap) ||
        !gram_set_read(&placed.grams, grams, gram_count)) {
        gram_set_free(&placed.grams);
        return false;
    }
    validator->placed[validator->placed_count++] = placed;
    return true;
}

static const char *note_candidate(Validator *validator, const RecordVerdict *verdict, Split split, size_t bytes)
{
    const Candidate *candidate = &verdict->candidate;
    const CorpusOptions *options = &validator->manifest.options;
    uint64_t key = options->dedup == DEDUP_MASKED ? candidate->masked : candidate->structure;
    counters_add(&validator->counters, candidate, split, bytes);
    const char *why = note_place(validator, verdict, key);
    if (hash_set_is_full(&validator->structures))
        why = "there are more records than the manifest says";
    else if (!hash_set_add(&validator->structures, key))
        why = "its structure appears twice";
    for (int other = 0; other < SPLIT_COUNT; other++)
        if (other != (int)split && hash_set_has(&validator->masked[other], candidate->masked))
            why = "its shape is in two splits";
    if (!hash_set_is_full(&validator->masked[split]) && hash_set_add(&validator->masked[split], candidate->masked))
        validator->counters.distinct_masked++;
    Candidate placed = *candidate;
    if (options->merged) /* the order is that of the rows */
        placed.index = verdict->number;
    if (verdict->gram_count && !note_placed(validator, &placed, verdict->grams, verdict->gram_count, split))
        why = "out of memory";
    return why;
}

/* `bytes`: of its line without details. */
static void note(Validator *validator, const RecordVerdict *verdict, Split split, size_t bytes)
{
    ValidateReport *report = validator->report;
    const char *why = verdict->problem_count ? verdict->first_problem : NULL;
    if (!why && verdict->split != split)
        why = "it names another split than that of its file";
    pthread_mutex_lock(&validator->lock);
    report->records++;
    report->verdicts += verdict->verdict_checked;
    if (verdict->has_candidate) {
        const char *also = note_candidate(validator, verdict, split, bytes);
        why = why ? why : also;
        report->by_category[verdict->candidate.category]++;
    }
    if (why) {
        report->bad_records++;
        if (verdict->has_candidate)
            report->bad_by_category[verdict->candidate.category]++;
        complain(validator, "%s: %s", verdict->id, why);
    }
    if (validator->options->progress)
        validator->options->progress(report->records, validator->manifest.rows, validator->options->user);
    pthread_mutex_unlock(&validator->lock);
}

static void validate_lines(void *user, unsigned number)
{
    (void)number;
    Validator *validator = user;
    RecordChecker checker = {.manifest = &validator->manifest,
                             .same_version = validator->same_version,
                             .invents = validator->invents || validator->invents_sources,
                             .sample = validator->options->sample};
    Lines *lines = calloc(1, sizeof *lines);
    if (!lines || !record_checker_use(&checker, 0))
        complain_locked(validator, "out of memory");
    else
        for (read_lines(validator, lines); lines->count && !lines->text.failed; read_lines(validator, lines))
            for (uint32_t i = 0; i < lines->count && !validator_stops(validator); i++) {
                RecordVerdict verdict;
                const char *line = lines->text.data + lines->starts[i];
                check_record(&checker, line, lines->lengths[i], &verdict);
                note(validator, &verdict, lines->splits[i],
                     details_line_bytes(&validator->manifest.options, line, lines->lengths[i]));
            }
    if (lines && lines->text.failed)
        complain_locked(validator, "out of memory");
    record_checker_free(&checker);
    if (lines)
        text_free(&lines->text);
    free(lines);
}

/* ---- the files ---- */

static bool is_known_file(const Manifest *manifest, const uint32_t counts[SPLIT_COUNT], const char *name)
{
    static const char *const companions[] = {MANIFEST_NAME, STATS_NAME, CARD_NAME, LICENSE_NAME, HEADER_NAME, RUN_NAME};
    ShardName shard;
    uint64_t row;
    for (size_t i = 0; i < sizeof companions / sizeof *companions; i++)
        if (strcmp(name, companions[i]) == 0)
            return true;
    if (manifest->options.format == FORMAT_JSON)
        return row_name_read(&manifest->options, name, &row) && row < manifest->rows;
    return shard_file_read(&manifest->options, name, &shard) && shard.number < counts[shard.split] &&
           (shard.state == SHARD_FINAL) == manifest->complete &&
           (shard.state != SHARD_FINAL || shard.of == counts[shard.split]);
}

static void check_files(Validator *validator)
{
    uint32_t counts[SPLIT_COUNT];
    for (int split = 0; split < SPLIT_COUNT; split++)
        counts[split] = manifest_count_shards(&validator->manifest, (Split)split);
    CorpusError error = {""};
    DIR *list = folder_list(validator->dir_fd, validator->dir, &error);
    for (const char *name; list && (name = folder_next(list, validator->dir, &error));)
        if (name[0] != '.' && !is_known_file(&validator->manifest, counts, name))
            complain(validator, "%s: this file is not in the manifest", name);
    if (error.message[0])
        complain(validator, "%s", error.message);
    if (list)
        closedir(list);
}

/* ---- the whole ---- */

static bool make_tables(Validator *validator, CorpusError *error)
{
    const CorpusOptions *options = &validator->manifest.options;
    uint64_t rows = validator->places = options->end ? options->count : validator->manifest.rows;
    validator->found = calloc(validator->manifest.shard_count + 1, sizeof *validator->found);
    validator->index_of = malloc((rows + 1) * sizeof *validator->index_of);
    validator->key_of = malloc((rows + 1) * sizeof *validator->key_of);
    bool fine = validator->found && validator->index_of && validator->key_of &&
                hash_set_init(&validator->structures, rows + 1, false);
    for (int split = 0; split < SPLIT_COUNT; split++) {
        bool used = validator->manifest.counters.by_split[split] > 0;
        fine = fine && hash_set_init(&validator->masked[split], used ? rows + 1 : 16, true);
    }
    if (fine)
        memset(validator->index_of, 0xff, (rows + 1) * sizeof *validator->index_of);
    return fine || corpus_fail(error, "out of memory: a set of %llu records does not fit", (unsigned long long)rows);
}

static bool prepare(Validator *validator, CorpusError *error)
{
    bool found;
    validator->dir_fd = folder_open(validator->dir, error);
    if (validator->dir_fd < 0 || !manifest_read(&validator->manifest, validator->dir_fd, validator->dir, &found, error))
        return false;
    if (!found)
        return corpus_fail(error, "%s has no " MANIFEST_NAME ": it is not a weft data set", validator->dir);
    if (validator->manifest.options.piece_count)
        return corpus_fail(error, "%s is a piece: join all of them with weft merge first", validator->dir);
    if (validator->manifest.options.whole_end)
        return corpus_fail(error, "%s is a task of a larger range: join all of them with weft range join first",
                           validator->dir);
    const char *warp = validator->options->warp, *own = validator->manifest.warp_version;
    if (warp && strcmp(warp, own) != 0)
        return corpus_fail(error, "%s is for Warp %s, not %s", validator->dir, own, warp);
    return take_hidden_key(&validator->manifest.options, validator->options->hidden_key, validator->dir, error) &&
           make_tables(validator, error);
}

static void validate_all(Validator *validator)
{
    char generator[24];
    generator_fingerprint(generator);
    validator->same_version = strcmp(validator->manifest.weft_version, weft_version()) == 0;
    bool stored = validator->manifest.options.stored, all_stored = stored;
    for (uint32_t i = 0; i < validator->manifest.source_count; i++)
        all_stored &= validator->manifest.sources[i].options.stored;
    if (validator->same_version && !all_stored && strcmp(validator->manifest.generator, generator) != 0) {
        complain(validator, "it was made by another build of weft %s, which invents other kernels", weft_version());
        validator->same_version = false;
    }
    validator->report->origin_checked = validator->invents = validator->same_version && !stored;
    validator->invents_sources = validator->same_version && !all_stored;
    CorpusError error = {""};
    if (validator->invents && validator->manifest.options.end) {
        validator->losers =
            losers_of_range(&validator->manifest.options, validator->options->jobs, validator->options->stop, &error);
        if (error.message[0])
            complain(validator, "%s", error.message);
        validator->invents = validator->losers;
    }
    if (!validator->manifest.complete)
        complain(validator, "the data set is not finished: %llu of %llu records",
                 (unsigned long long)manifest_progress(&validator->manifest),
                 (unsigned long long)validator->manifest.options.count);
    check_files(validator);
    pool_run_once(validator->options->jobs, validate_lines, validator);
    if (!validator_stops(validator))
        check_whole(validator);
    validator->report->stopped = validator_stops(validator);
}

bool corpus_validate(const char *dir, const ValidateOptions *options, ValidateReport *report, CorpusError *error)
{
    Validator validator = {.dir = dir, .dir_fd = -1, .options = options, .report = report};
    *report = (ValidateReport){0};
    pthread_mutex_init(&validator.read_lock, NULL);
    pthread_mutex_init(&validator.lock, NULL);
    bool fine = prepare(&validator, error);
    if (fine)
        validate_all(&validator);
    shard_reader_free(validator.reader);
    if (validator.dir_fd >= 0)
        close(validator.dir_fd);
    manifest_free(&validator.manifest);
    hash_set_free(&validator.structures);
    for (int split = 0; split < SPLIT_COUNT; split++)
        hash_set_free(&validator.masked[split]);
    free(validator.found);
    free(validator.index_of);
    free(validator.key_of);
    loser_map_free(validator.losers);
    free(validator.lost);
    for (size_t i = 0; i < validator.placed_count; i++)
        gram_set_free(&validator.placed[i].grams);
    free(validator.placed);
    pthread_mutex_destroy(&validator.read_lock);
    pthread_mutex_destroy(&validator.lock);
    return fine;
}

void validate_report_free(ValidateReport *report)
{
    text_free(&report->messages);
}
