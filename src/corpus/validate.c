/* Does a whole data set hold? Every record, and what the manifest says about all of them. */
#include "corpus/validate.h"

#include "base/rng.h"
#include "corpus/hash_set.h"
#include "corpus/writer.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LINES_AT_ONCE = 32, STREAM_SAMPLE = 9 };

typedef struct Validator {
    const char *dir;
    int dir_fd;
    Manifest manifest;
    const ValidateOptions *options;
    bool same_version;
    pthread_mutex_t read_lock; /* the next four */
    ShardReader *reader;
    uint32_t shard;
    uint64_t shard_rows;
    pthread_mutex_t lock; /* what follows */
    ValidateReport *report;
    Counters counters;
    HashSet structures, masked[SPLIT_COUNT];
    unsigned char *seen_numbers; /* a bit a record */
    uint64_t next_index;
} Validator;

static void complain(Validator *validator, const char *format, ...)
{
    va_list args;
    char message[800];
    ValidateReport *report = validator->report;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (report->problems++ < validator->options->max_messages) {
        text_str(&report->messages, message);
        text_char(&report->messages, '\n');
    }
}

/* Of a thread that holds the read lock. */
static void complain_locked(Validator *validator, const char *message)
{
    pthread_mutex_lock(&validator->lock);
    complain(validator, "%s", message);
    pthread_mutex_unlock(&validator->lock);
}

/* ---- reading ---- */

static void finish_shard(Validator *validator, const CorpusError *error)
{
    const ShardEntry *entry = &validator->manifest.shards[validator->shard];
    char hash[HASH_HEX_SIZE], message[800];
    uint64_t bytes;
    shard_sum(validator->reader, hash, &bytes);
    shard_reader_free(validator->reader);
    validator->reader = NULL;
    if (error->message[0])
        complain_locked(validator, error->message);
    else if (strcmp(hash, entry->hash) != 0 || bytes != entry->bytes) {
        snprintf(message, sizeof message, "%s: its bytes are not those of the manifest", entry->file);
        complain_locked(validator, message);
    }
    if (validator->shard_rows != entry->rows) {
        snprintf(message, sizeof message, "%s: %llu records, but the manifest says %llu", entry->file,
                 (unsigned long long)validator->shard_rows, (unsigned long long)entry->rows);
        complain_locked(validator, message);
    }
    validator->shard++;
    validator->shard_rows = 0;
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
    while (lines->count < LINES_AT_ONCE && validator->shard < validator->manifest.shard_count) {
        const ShardEntry *entry = &validator->manifest.shards[validator->shard];
        size_t len;
        if (!validator->reader) {
            bool compressed = validator->manifest.options.compress;
            validator->reader = shard_open(validator->dir_fd, validator->dir, entry, compressed, UINT64_MAX, &error);
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
        validator->shard_rows++;
        lines->splits[lines->count] = entry->split;
        lines->starts[lines->count] = lines->text.len;
        lines->lengths[lines->count++] = len;
        text_add(&lines->text, line, len + 1); /* with its NUL */
    }
    pthread_mutex_unlock(&validator->read_lock);
}

/* ---- what one record means for the whole ---- */

static void note_candidate(Validator *validator, const Examined *examined, Split split, size_t len, Examined *also)
{
    const Candidate *candidate = &examined->candidate;
    const CorpusOptions *options = &validator->manifest.options;
    const char *why = NULL;
    counters_add(&validator->counters, candidate, split, len);
    if (candidate->index + 1 > validator->next_index)
        validator->next_index = candidate->index + 1;
    if (examined->number >= validator->manifest.rows)
        why = "its number is beyond the end of the data set";
    else if (validator->seen_numbers[examined->number / 8] & (1u << examined->number % 8))
        why = "its id appears twice";
    else
        validator->seen_numbers[examined->number / 8] |= (unsigned char)(1u << examined->number % 8);
    uint64_t key = options->dedup == DEDUP_MASKED ? candidate->masked : candidate->structure;
    if (hash_set_is_full(&validator->structures))
        why = "there are more records than the manifest says";
    else if (!hash_set_add(&validator->structures, key))
        why = "its structure appears twice";
    for (int other = 0; other < SPLIT_COUNT; other++)
        if (other != (int)split && hash_set_has(&validator->masked[other], candidate->masked))
            why = "its shape is in two splits";
    if (!hash_set_is_full(&validator->masked[split]) && hash_set_add(&validator->masked[split], candidate->masked))
        validator->counters.distinct_masked++;
    if (split_of(options, candidate->masked) != split)
        why = "it does not belong to this split";
    if (why) {
        also->problem_count++;
        snprintf(also->first_problem, sizeof also->first_problem, "%s", why);
    }
}

static void note(Validator *validator, const Examined *examined, Split split, size_t len)
{
    ValidateReport *report = validator->report;
    Examined also = {0};
    pthread_mutex_lock(&validator->lock);
    report->records++;
    report->verdicts += examined->verdict_checked;
    if (examined->has_candidate) {
        note_candidate(validator, examined, split, len, &also);
        report->by_category[examined->candidate.category]++;
    }
    if (examined->problem_count || also.problem_count) {
        report->bad_records++;
        if (examined->has_candidate)
            report->bad_by_category[examined->candidate.category]++;
        complain(validator, "%s: %s", examined->id,
                 examined->problem_count ? examined->first_problem : also.first_problem);
    }
    pthread_mutex_unlock(&validator->lock);
}

static bool is_sampled(const Validator *validator, const char *line, size_t len)
{
    Candidate candidate;
    if (!scan_record(line, len, &candidate))
        return false;
    Rng rng = rng_at(validator->manifest.options.seed, candidate.index, STREAM_SAMPLE);
    return rng_unit(&rng) * 100 < validator->options->sample;
}

static void *validate_lines(void *argument)
{
    Validator *validator = argument;
    CorpusOptions options = validator->manifest.options;
    Lines *lines = calloc(1, sizeof *lines);
    Maker *maker;
    Text scratch;
    options.timing = false; /* it is not made again */
    maker = maker_new(&options);
    text_init(&scratch);
    if (!lines || !maker)
        complain_locked(validator, "out of memory");
    else
        for (read_lines(validator, lines); lines->count; read_lines(validator, lines))
            for (uint32_t i = 0; i < lines->count; i++) {
                char *line = lines->text.data + lines->starts[i];
                size_t len = lines->lengths[i];
                Examined examined;
                examine_record(maker, &validator->manifest.options, line, len, is_sampled(validator, line, len),
                               validator->same_version, &scratch, &examined);
                note(validator, &examined, lines->splits[i], len);
            }
    text_free(&scratch);
    maker_free(maker);
    if (lines)
        text_free(&lines->text);
    free(lines);
    return NULL;
}

/* ---- the whole ---- */

static void check_count(Validator *validator, const char *name, uint64_t found, uint64_t written)
{
    if (found != written)
        complain(validator, "manifest.json: %s is %llu, but the records give %llu", name, (unsigned long long)written,
                 (unsigned long long)found);
}

static void check_counts(Validator *validator)
{
    const Counters *found = &validator->counters, *written = &validator->manifest.counters;
    for (int i = 0; i < CATEGORY_COUNT; i++)
        check_count(validator, category_name((CategoryId)i), found->by_category[i], written->by_category[i]);
    for (int i = 0; i < SPLIT_COUNT; i++)
        check_count(validator, split_name((Split)i), found->by_split[i], written->by_split[i]);
    check_count(validator, "rows", validator->report->records, validator->manifest.rows);
    check_count(validator, "count", validator->report->records, validator->manifest.options.count);
    check_count(validator, "forward_lines", found->forward_lines, written->forward_lines);
    check_count(validator, "backward_lines", found->backward_lines, written->backward_lines);
    check_count(validator, "with_backward", found->with_backward, written->with_backward);
    check_count(validator, "record_bytes", found->record_bytes, written->record_bytes);
    check_count(validator, "forward_pass", found->forward_pass, written->forward_pass);
    for (int i = 0; i < 3; i++)
        check_count(validator, gradient_verdict_name((GradientVerdict)i), found->gradient[i], written->gradient[i]);
    check_count(validator, "distinct_structures", validator->structures.count, written->distinct_structures);
    check_count(validator, "distinct_masked", found->distinct_masked, written->distinct_masked);
    check_count(validator, "next_index", validator->next_index, validator->manifest.next);
    check_count(validator, "rejected", validator->next_index - validator->report->records, counters_rejected(written));
}

static void check_stats_file(Validator *validator)
{
    CorpusError error;
    Text text;
    size_t len;
    char *stored = read_small_file(validator->dir_fd, validator->dir, "stats.json", &len, &error);
    if (!stored) {
        complain(validator, "%s", error.message);
        return;
    }
    text_init(&text);
    write_stats_json(&validator->manifest, 1, &text);
    cJSON *before = cJSON_ParseWithLength(stored, len), *now = cJSON_ParseWithLength(text.data, text.len);
    static const char *const clocks[] = {"generation_time_seconds", "pairs_per_second"};
    for (int i = 0; i < 2; i++) {
        if (!cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(before, clocks[i])))
            complain(validator, "stats.json: %s is missing", clocks[i]);
        cJSON_DeleteItemFromObjectCaseSensitive(before, clocks[i]);
        cJSON_DeleteItemFromObjectCaseSensitive(now, clocks[i]);
    }
    if (!before || !cJSON_Compare(before, now, true))
        complain(validator, "stats.json does not fit the manifest");
    cJSON_Delete(before);
    cJSON_Delete(now);
    text_free(&text);
    free(stored);
}

static bool is_known_file(const Manifest *manifest, const char *name)
{
    static const char *const companions[] = {MANIFEST_NAME, "stats.json", "README.md"};
    for (size_t i = 0; i < sizeof companions / sizeof *companions; i++)
        if (strcmp(name, companions[i]) == 0)
            return true;
    for (uint32_t i = 0; i < manifest->shard_count; i++) {
        const ShardEntry *entry = &manifest->shards[i];
        const char *star = strchr(entry->file, '*');
        char row[SHARD_NAME_SIZE];
        if (star && strncmp(name, entry->file, (size_t)(star - entry->file)) == 0) {
            uint64_t number = strtoull(name + (star - entry->file), NULL, 10);
            row_name(entry->file, number, row);
            if (number < entry->rows && strcmp(row, name) == 0)
                return true;
        } else if (strcmp(name, entry->file) == 0)
            return true;
    }
    return false;
}

static void check_files(Validator *validator)
{
    int fd = openat(validator->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (entry->d_name[0] != '.' && !is_known_file(&validator->manifest, entry->d_name))
            complain(validator, "%s: the manifest does not know this file", entry->d_name);
    if (list)
        closedir(list);
}

static void run_threads(Validator *validator)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned jobs = validator->options->jobs ? validator->options->jobs : cores > 0 ? (unsigned)cores : 1, started = 0;
    pthread_t *threads = calloc(jobs, sizeof *threads);
    while (threads && started + 1 < jobs && pthread_create(&threads[started], NULL, validate_lines, validator) == 0)
        started++;
    validate_lines(validator);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

static bool prepare(Validator *validator, CorpusError *error)
{
    bool found;
    validator->dir_fd = folder_open(validator->dir, false, error);
    if (validator->dir_fd < 0 || !manifest_read(&validator->manifest, validator->dir_fd, validator->dir, &found, error))
        return false;
    if (!found)
        return corpus_fail(error, "%s has no " MANIFEST_NAME ": it is no data set of weft", validator->dir);
    if (validator->manifest.options.piece_count)
        return corpus_fail(error, "%s is a piece: join all of them with weft merge first", validator->dir);
    uint64_t rows = validator->manifest.rows;
    if (rows > (uint64_t)1 << 40)
        return corpus_fail(error, "%s/" MANIFEST_NAME ": %llu records cannot be", validator->dir,
                           (unsigned long long)rows);
    validator->seen_numbers = calloc(rows / 8 + 1, 1);
    bool fine = validator->seen_numbers && hash_set_init(&validator->structures, rows + 1, false);
    for (int split = 0; split < SPLIT_COUNT; split++) {
        bool used = validator->manifest.counters.by_split[split] > 0;
        fine = fine && hash_set_init(&validator->masked[split], used ? rows + 1 : 16, true);
    }
    return fine || corpus_fail(error, "out of memory");
}

bool corpus_validate(const char *dir, const ValidateOptions *options, ValidateReport *report, CorpusError *error)
{
    Validator validator = {.dir = dir, .dir_fd = -1, .options = options, .report = report};
    *report = (ValidateReport){0};
    pthread_mutex_init(&validator.read_lock, NULL);
    pthread_mutex_init(&validator.lock, NULL);
    bool fine = prepare(&validator, error);
    if (fine) {
        char generator[24];
        generator_fingerprint(generator);
        validator.same_version = strcmp(validator.manifest.weft_version, weft_version()) == 0;
        if (validator.same_version && strcmp(validator.manifest.generator, generator) != 0) {
            complain(&validator, "it was made by another build of weft %s, which invents other kernels",
                     weft_version());
            validator.same_version = false;
        }
        report->origin_checked = validator.same_version;
        if (!validator.manifest.complete)
            complain(&validator, "the data set is not finished: %llu of %llu records",
                     (unsigned long long)validator.manifest.rows, (unsigned long long)validator.manifest.options.count);
        check_files(&validator);
        run_threads(&validator);
        check_counts(&validator);
        check_stats_file(&validator);
    }
    if (validator.dir_fd >= 0)
        close(validator.dir_fd);
    manifest_free(&validator.manifest);
    hash_set_free(&validator.structures);
    for (int split = 0; split < SPLIT_COUNT; split++)
        hash_set_free(&validator.masked[split]);
    free(validator.seen_numbers);
    pthread_mutex_destroy(&validator.read_lock);
    pthread_mutex_destroy(&validator.lock);
    return fine;
}

void validate_report_free(ValidateReport *report)
{
    text_free(&report->messages);
}
