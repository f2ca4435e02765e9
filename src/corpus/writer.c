#include "corpus/writer.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* ---- opening ---- */

static bool make_sets(Writer *writer, CorpusError *error)
{
    const CorpusOptions *options = &writer->manifest.options;
    if (options->piece_count || options->end)
        return true;
    if (!hash_set_init(&writer->known, options->count + 1, false) ||
        (options->dedup != DEDUP_MASKED && !hash_set_init(&writer->masked, options->count + 1, true)))
        return corpus_fail(error, "out of memory: a set of %llu records does not fit",
                           (unsigned long long)options->count);
    writer->neighbours = has_splits(options) ? neighbours_new() : NULL;
    return writer->neighbours || !has_splits(options) || corpus_fail(error, "out of memory");
}

/* Of a range: do further candidates belong to another shard? One without a record on the disk is the one that was begun last. */
static bool has_left_block(const Writer *writer, const ShardEntry *entry)
{
    uint64_t size = writer->manifest.options.shard_rows;
    return entry->rows && writer->last_row / size != writer->manifest.next / size;
}

/* The last shard of a split, if it has room. */
static bool continue_split(Writer *writer, Split split, CorpusError *error)
{
    const CorpusOptions *options = &writer->manifest.options;
    for (uint32_t i = writer->manifest.shard_count; i-- > 0;) {
        ShardEntry *entry = &writer->manifest.shards[i];
        if (entry->split != split)
            continue;
        if (options->end ? has_left_block(writer, entry)
                         : entry->rows >= options->shard_rows && options->format != FORMAT_JSON)
            return true;
        char part[SHARD_NAME_SIZE];
        shard_name(options, split, entry->number, SHARD_OPEN, 0, part);
        if (!shard_rename(writer->dir_fd, entry, part))
            return corpus_fail(error, "cannot rename %s/%s: %s", writer->dir, entry->file, strerror(errno));
        memcpy(entry->file, part, sizeof part);
        writer->open_entry[split] = i;
        return shard_continue(&writer->shards[split], entry, error);
    }
    return true;
}

static bool append(Writer *writer, Split split, const char *rest, size_t len, CorpusError *error);

static bool add_pending(Writer *writer, Split split, const char *line, size_t head, size_t len, CorpusError *error)
{
    if (!folder_learn(writer, split, line, len))
        return corpus_fail(error, "%s: a pending record is not a weft record", writer->dir);
    writer->head.len = 0;
    text_add(&writer->head, line, head);
    return append(writer, split, line + head, len - head, error);
}

static bool start_or_continue(Writer *writer, bool found, CorpusError *error)
{
    if (!make_sets(writer, error))
        return false;
    for (int split = 0; split < SPLIT_COUNT; split++) {
        bool piece = writer->manifest.options.piece_count;
        if (piece ? split != SPLIT_TRAIN : !writer->manifest.options.splits[split])
            continue;
        writer->initialized[split] = true;
        if (!shard_writer_init(&writer->shards[split], &writer->manifest.options, writer->dir, writer->dir_fd, error))
            return false;
    }
    if (!found) /* from now on, the folder is known to be ours */
        return manifest_write(&writer->manifest, writer->dir_fd, writer->dir, error);
    if (!folder_check(writer, error))
        return false;
    for (int split = 0; split < SPLIT_COUNT; split++)
        if (writer->initialized[split] && !continue_split(writer, (Split)split, error))
            return false;
    pending_clean(writer);
    return pending_read(writer, add_pending, error);
}

CorpusOutcome writer_open(Writer *writer, const char *dir, const CorpusOptions *options, bool resume,
                          CorpusError *error)
{
    bool empty, found;
    *writer = (Writer){.dir = dir, .open_entry = {-1, -1, -1}, .started = clock_seconds()};
    writer->dir_fd = folder_open_locked(dir, &writer->locked_by_file, error);
    if (writer->dir_fd < 0 || !folder_is_empty(writer->dir_fd, dir, &empty, error) ||
        !manifest_read(&writer->manifest, writer->dir_fd, dir, &found, error))
        return CORPUS_FAILED;
    if (!empty && !resume) {
        corpus_fail(error,
                    found ? "%s already holds a data set: continue it with --resume, or use another folder"
                          : "%s is not empty: use another folder",
                    dir);
        return CORPUS_FAILED;
    }
    if (!empty && !found) {
        corpus_fail(error, "%s is not empty and has no " MANIFEST_NAME ": it is not a weft data set", dir);
        return CORPUS_FAILED;
    }
    if (found && !manifest_same_options(&writer->manifest, options, dir, error))
        return CORPUS_FAILED;
    if (found && writer->manifest.complete)
        return folder_check(writer, error) ? CORPUS_ALREADY_DONE : CORPUS_FAILED;
    if (!found)
        manifest_init(&writer->manifest, options);
    if (!writer->manifest.generator[0]) {
        corpus_fail(error, "out of memory");
        return CORPUS_FAILED;
    }
    return start_or_continue(writer, found, error) ? CORPUS_DONE : CORPUS_FAILED;
}

void writer_free(Writer *writer)
{
    for (int split = 0; split < SPLIT_COUNT; split++)
        if (writer->initialized[split])
            shard_writer_free(&writer->shards[split]);
    packers_close(writer->packers);
    hash_set_free(&writer->known);
    hash_set_free(&writer->masked);
    neighbours_free(writer->neighbours);
    gram_set_free(&writer->grams);
    text_free(&writer->head);
    manifest_free(&writer->manifest);
    if (writer->dir_fd >= 0)
        folder_unlock(writer->dir_fd, writer->locked_by_file);
}

void writer_pack_beside(Writer *writer, unsigned jobs)
{
    enum { JOBS_PER_PACKER = 3 }; /* a record takes at least so many times as long to make as to pack */
    if (!writer->manifest.options.compress)
        return;
    writer->packers = packers_open(jobs / JOBS_PER_PACKER + 1, &writer->manifest.options,
                                   shard_is_parquet(&writer->manifest.options));
    for (int split = 0; split < SPLIT_COUNT; split++)
        shard_writer_pack_beside(&writer->shards[split], writer->packers);
}

/* ---- taking candidates ---- */

static bool close_split(Writer *writer, Split split, CorpusError *error)
{
    ShardWriter *shard = &writer->shards[split];
    if (writer->open_entry[split] < 0)
        return true;
    if (!shard_checkpoint(shard, error) || !shard_close(shard, error))
        return false;
    writer->manifest.shards[writer->open_entry[split]] = shard->entry;
    writer->open_entry[split] = -1;
    return true;
}

static bool write_manifest(Writer *writer, CorpusError *error)
{
    double now = clock_seconds();
    writer->manifest.milliseconds += (uint64_t)((now - writer->started) * 1000);
    writer->started = now;
    return manifest_write(&writer->manifest, writer->dir_fd, writer->dir, error);
}

static bool checkpoint(Writer *writer, CorpusError *error)
{
    if (shard_is_parquet(&writer->manifest.options))
        return writer_pause(writer, error); /* what is in no row group yet is safe, too, and the row groups go on */
    bool had_pending = writer->manifest.pending_rows;
    for (int split = 0; split < SPLIT_COUNT; split++) {
        if (writer->open_entry[split] < 0)
            continue;
        if (!shard_checkpoint(&writer->shards[split], error))
            return false;
        writer->manifest.shards[writer->open_entry[split]] = writer->shards[split].entry;
    }
    writer->manifest.pending_rows = 0;
    if (!write_manifest(writer, error))
        return false;
    if (had_pending)
        pending_clean(writer);
    return true;
}

bool writer_pause(Writer *writer, CorpusError *error)
{
    Text lines;
    bool fine = true;
    text_init(&lines);
    for (int split = 0; split < SPLIT_COUNT; split++) {
        if (writer->open_entry[split] < 0)
            continue;
        fine = fine && shard_pause(&writer->shards[split], &lines, error);
        writer->manifest.shards[writer->open_entry[split]] = writer->shards[split].safe;
    }
    fine = fine && pending_write(writer, &lines, error) && write_manifest(writer, error);
    text_free(&lines);
    if (fine)
        pending_clean(writer);
    return fine;
}

/* A line: the writer's head, and what follows it. */
static bool append(Writer *writer, Split split, const char *rest, size_t len, CorpusError *error)
{
    ShardWriter *shard = &writer->shards[split];
    if (writer->open_entry[split] < 0) {
        if (!shard_start(shard, split, manifest_count_shards(&writer->manifest, split), error))
            return false;
        if (!manifest_add_shard(&writer->manifest, &shard->entry))
            return corpus_fail(error, "out of memory");
        writer->open_entry[split] = writer->manifest.shard_count - 1;
    }
    if (writer->head.failed)
        return corpus_fail(error, "out of memory");
    if (!shard_add(shard, &writer->head, rest, len, error))
        return false;
    bool full = shard->entry.rows >= writer->manifest.options.shard_rows;
    return !full || writer->manifest.options.format == FORMAT_JSON || close_split(writer, split, error);
}

/* Counts a record whose head is the writer's. */
static void note_record(Writer *writer, const Candidate *candidate, Split split, const char *text)
{
    Manifest *manifest = &writer->manifest;
    size_t bytes = writer->head.len + details_line_bytes(&manifest->options, text, candidate->len);
    counters_add(&manifest->counters, candidate, split, bytes);
}

/* A piece keeps every candidate, for the merge to decide about: also what was wrong with it. */
static bool take_for_piece(Writer *writer, const Candidate *candidate, const char *text, CorpusError *error)
{
    Manifest *manifest = &writer->manifest;
    writer->head.len = 0;
    if (candidate->reason) {
        text_format(&writer->head, "{\"index\": %llu, \"category\": \"%s\", \"rejected\": \"%s\"}",
                    (unsigned long long)candidate->index, category_name(candidate->category),
                    reason_name(candidate->reason));
        manifest->counters.rejected[candidate->reason]++;
    } else {
        write_record_head(candidate->index, SPLIT_TRAIN, &writer->head);
        note_record(writer, candidate, SPLIT_TRAIN, text);
        manifest->kept++;
    }
    manifest->next++;
    manifest->rows++;
    return append(writer, SPLIT_TRAIN, text, candidate->reason ? 0 : candidate->len, error);
}

static void note_structure(Writer *writer, const Candidate *candidate)
{
    Counters *counters = &writer->manifest.counters;
    bool masked = writer->manifest.options.dedup == DEDUP_MASKED;
    hash_set_add(&writer->known, candidate_key(&writer->manifest.options, candidate));
    counters->distinct_structures++;
    counters->distinct_masked += masked || hash_set_add(&writer->masked, candidate->masked);
}

/* SPLIT_COUNT: it fits into none. */
static bool choose_split(Writer *writer, const Candidate *candidate, const char *grams, Split *split)
{
    *split = split_of(&writer->manifest.options, candidate->masked);
    if (!writer->neighbours)
        return true;
    GramSet *set = &writer->grams;
    return gram_set_read(set, grams, candidate->gram_count) &&
           neighbours_choose(writer->neighbours, set, *split, split) &&
           (*split == SPLIT_COUNT || neighbours_add(writer->neighbours, set, *split));
}

static bool take_for_set(Writer *writer, const Candidate *candidate, const char *text, const char *grams,
                         CorpusError *error)
{
    Manifest *manifest = &writer->manifest;
    Split split = SPLIT_TRAIN;
    unsigned reason = candidate->reason;
    manifest->next = candidate->index + 1;
    if (!reason && hash_set_has(&writer->known, candidate_key(&writer->manifest.options, candidate)))
        reason = REASON_DUPLICATE;
    if (!reason && !choose_split(writer, candidate, grams, &split))
        return corpus_fail(error, "out of memory");
    if (split == SPLIT_COUNT)
        reason = REASON_BETWEEN;
    if (reason) {
        manifest->counters.rejected[reason]++;
        if (++writer->rejected_in_a_row < HOPELESS)
            return true;
        return corpus_fail(error,
                           "no new kernel among %d candidates in a row: these options do not yield %llu different ones",
                           HOPELESS, (unsigned long long)manifest->options.count);
    }
    writer->rejected_in_a_row = 0;
    note_structure(writer, candidate);
    writer->head.len = 0;
    write_record_head(manifest->rows, split, &writer->head);
    note_record(writer, candidate, split, text);
    manifest->rows++;
    if (manifest->options.merged)
        manifest->sources[writer->source].rows++;
    return append(writer, split, text, candidate->len, error);
}

/* Which candidates are duplicates is known beforehand. */
static bool take_for_range(Writer *writer, const Candidate *candidate, const char *text, CorpusError *error)
{
    Manifest *manifest = &writer->manifest;
    manifest->next = candidate->index + 1;
    if (candidate->reason)
        manifest->counters.rejected[candidate->reason]++;
    else {
        writer->head.len = 0;
        write_record_head(candidate->index, SPLIT_TRAIN, &writer->head);
        note_record(writer, candidate, SPLIT_TRAIN, text);
        manifest->counters.distinct_structures++;
        manifest->counters.distinct_masked += manifest->options.dedup == DEDUP_MASKED;
        manifest->rows++;
        if (!append(writer, SPLIT_TRAIN, text, candidate->len, error))
            return false;
    }
    return manifest->next % manifest->options.shard_rows != 0 || close_split(writer, SPLIT_TRAIN, error);
}

/* Is it time for a state to continue from? In a range, its shards alone count, so that tasks write the same bytes. */
static bool is_checkpoint(const Writer *writer)
{
    const Manifest *manifest = &writer->manifest;
    uint64_t rows = manifest->rows;
    if (manifest->options.end)
        rows = writer->open_entry[SPLIT_TRAIN] >= 0 ? writer->shards[SPLIT_TRAIN].entry.rows : 0;
    return rows % manifest->options.checkpoint_rows == 0;
}

bool writer_is_full(const Writer *writer)
{
    const Manifest *manifest = &writer->manifest;
    const CorpusOptions *options = &manifest->options;
    if (!options->piece_count)
        return manifest_progress(manifest) >= options->count;
    uint64_t quota = (options->count + options->piece_count - 1) / options->piece_count;
    return manifest->kept >= quota && manifest->rows % PIECE_BLOCK == 0;
}

bool writer_take(Writer *writer, const Candidate *candidate, const char *text, const char *grams, CorpusError *error)
{
    uint64_t rows = writer->manifest.rows;
    const CorpusOptions *options = &writer->manifest.options;
    if (!(options->piece_count ? take_for_piece(writer, candidate, text, error)
          : options->end       ? take_for_range(writer, candidate, text, error)
                               : take_for_set(writer, candidate, text, grams, error)))
        return false;
    if (writer->manifest.rows == rows || !is_checkpoint(writer))
        return true;
    return checkpoint(writer, error);
}

/* ---- the end ---- */

bool writer_give_names(Writer *writer, CorpusError *error)
{
    Manifest *manifest = &writer->manifest;
    uint32_t counts[SPLIT_COUNT];
    for (int split = 0; split < SPLIT_COUNT; split++)
        counts[split] = manifest_count_shards(manifest, (Split)split);
    for (uint32_t i = 0; i < manifest->shard_count; i++) {
        ShardEntry *entry = &manifest->shards[i];
        char final[SHARD_NAME_SIZE];
        shard_name(&manifest->options, entry->split, entry->number, SHARD_FINAL, counts[entry->split], final);
        if (!shard_rename(writer->dir_fd, entry, final))
            return corpus_fail(error, "cannot rename %s/%s: %s", writer->dir, entry->file, strerror(errno));
        memcpy(entry->file, final, sizeof final);
    }
    return true;
}

bool write_header(int dir_fd, const char *dir, CorpusError *error)
{
    const char *text = standalone_header();
    return write_file_safely(dir_fd, dir, HEADER_NAME, text, strlen(text), error);
}

bool writer_describe(Writer *writer, CorpusError *error)
{
    Manifest *manifest = &writer->manifest;
    Text text;
    text_init(&text);
    manifest->complete = true;
    manifest->pending_rows = 0;
    bool fine = true;
    if (!manifest->options.piece_count) {
        write_stats_json(manifest, &text);
        fine = write_file_safely(writer->dir_fd, writer->dir, STATS_NAME, text.data, text.len, error);
        text.len = 0;
        write_card(manifest, &text);
        fine = fine && write_file_safely(writer->dir_fd, writer->dir, CARD_NAME, text.data, text.len, error);
        text.len = 0;
        write_license(&writer->manifest.options, &text);
        fine = fine && write_file_safely(writer->dir_fd, writer->dir, LICENSE_NAME, text.data, text.len, error);
        fine = fine && (!manifest->options.readable || write_header(writer->dir_fd, writer->dir, error));
        text.len = 0;
        write_run_json(manifest, &text);
        fine = fine && write_file_safely(writer->dir_fd, writer->dir, RUN_NAME, text.data, text.len, error);
        if (text.failed)
            fine = corpus_fail(error, "out of memory");
    }
    text_free(&text);
    return fine && manifest_write(manifest, writer->dir_fd, writer->dir, error);
}

bool writer_finish(Writer *writer, CorpusError *error)
{
    if (!checkpoint(writer, error))
        return false;
    for (int split = 0; split < SPLIT_COUNT; split++)
        if (writer->initialized[split] && !close_split(writer, (Split)split, error))
            return false;
    if (!writer_give_names(writer, error) || !writer_describe(writer, error))
        return false;
    pending_clean(writer);
    return true;
}
