#include "corpus/samples.h"

#include "base/json.h"
#include "base/pool.h"
#include "corpus/validate.h"
#include "corpus/writer.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

void sample_list_init(SampleList *list)
{
    *list = (SampleList){0};
    arena_init(&list->arena);
}

void sample_list_free(SampleList *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        for (int target = 0; target < BUILD_TARGET_COUNT; target++)
            free(list->items[i].refusal[target]);
    arena_free(&list->arena);
}

Sample *sample_list_add(SampleList *list)
{
    Sample *sample = &ARENA_PUSH(&list->arena, list->items, list->count, list->cap);
    *sample = (Sample){.module = {-1, -1}};
    return sample;
}

static const char *copy_string(SampleList *list, const char *text)
{
    return text ? arena_strndup(&list->arena, text, strlen(text)) : NULL;
}

void sample_list_copy(SampleList *list, const Sample *sample)
{
    Sample *copy = sample_list_add(list);
    copy->id = copy_string(list, sample->id);
    copy->category = copy_string(list, sample->category);
    copy->source = copy_string(list, sample->source);
    copy->name = copy_string(list, sample->name);
    copy->launch = copy_string(list, sample->launch);
    copy->warp = sample->warp;
    copy->block_dim = sample->block_dim;
    for (int target = 0; target < BUILD_TARGET_COUNT; target++)
        copy->text[target] = (SampleText){
            copy_string(list, sample->text[target].preamble), copy_string(list, sample->text[target].prelude),
            copy_string(list, sample->text[target].forward), copy_string(list, sample->text[target].backward)};
}

/* ---- one record ---- */

static const char *copy_field(SampleList *list, const json_t *object, const char *name, bool *missing)
{
    const json_t *value = json_object_get(object, name);
    if (json_is_string(value))
        return copy_string(list, json_string_value(value));
    if (missing)
        *missing = true;
    return NULL;
}

bool sample_list_add_record(SampleList *list, const char *line, CorpusError *error)
{
    static const char *const fields[BUILD_TARGET_COUNT][4] = {
        {"cpp_includes", "cpp_helpers", "cpp_forward", "cpp_backward"},
        {"cuda_includes", "cuda_helpers", "cuda_forward", "cuda_backward"}};
    json_t *record = json_read(line, strlen(line));
    const json_t *warp = json_object_get(record, "warp_version");
    bool missing = !json_object_get(record, "launch_dim") || !json_object_get(record, "arguments");
    Sample *sample = sample_list_add(list);
    sample->id = copy_field(list, record, "id", &missing);
    sample->category = copy_field(list, record, "category", &missing);
    sample->block_dim = (uint32_t)json_integer_value(json_object_get(record, "block_dim"));
    sample->warp = json_is_string(warp) ? weft_find_warp(json_string_value(warp)) : NULL;
    missing |= !json_is_string(json_object_get(record, "python_source"));
    for (int target = 0; target < BUILD_TARGET_COUNT; target++) {
        SampleText *text = &sample->text[target];
        text->preamble = copy_field(list, record, fields[target][0], NULL);
        text->prelude = copy_field(list, record, fields[target][1], NULL);
        text->forward = copy_field(list, record, fields[target][2], NULL);
        text->backward = copy_field(list, record, fields[target][3], NULL);
        missing |= text->forward && !text->preamble;
    }
    sample->name = copy_field(list, record, "mangled_name", &missing);
    sample->readable = copy_field(list, record, "cuda_readable", NULL);
    if (json_is_array(json_object_get(record, "launches"))) {
        Text launches = text_in(&list->arena);
        json_write(json_object_get(record, "launches"), &launches);
        sample->launches = text_cstr(&launches);
    }
    if (!missing) {
        sample->source = arena_join(&list->arena, SOURCE_IMPORT, record_source(record));
        Text text;
        text_init_in(&text, &list->arena);
        check_launch_write(record, &text);
        sample->launch = text_cstr(&text);
    }
    json_decref(record);
    return sample->source || corpus_fail(error, "record %s is not a weft record: promised columns are missing",
                                         sample->id ? sample->id : "?");
}

/* ---- data sets ---- */

/* Only weft's own text is compiled and run. Reading stops at a record whose text does not follow, byte for byte, from
 * its seed and index. It also stops at a shard that differs from the manifest. */
typedef struct SetReader {
    const char *dir;
    int dir_fd;
    Manifest manifest;
    RecordChecker checker;
    SampleList *list;
} SetReader;

static bool read_record(SetReader *reader, char *line, size_t len, CorpusError *error)
{
    RecordVerdict verdict;
    check_record(&reader->checker, line, len, &verdict);
    if (verdict.problem_count)
        return corpus_fail(error, "%s: %s: %s; nothing of this data set is compiled", reader->dir, verdict.id,
                           verdict.first_problem);
    return sample_list_add_record(reader->list, line, error);
}

static bool read_shard(SetReader *reader, const ShardEntry *entry, CorpusError *error)
{
    const Manifest *manifest = &reader->manifest;
    uint64_t rows = 0;
    ShardEntry found;
    ShardReader *shard = shard_open(reader->dir_fd, reader->dir, entry, &manifest->options, SHARD_WHOLE, error);
    if (!shard)
        return false;
    bool fine = true;
    size_t len;
    for (char *line; fine && (line = shard_line(shard, &len, error)); rows++)
        fine = read_record(reader, line, len, error);
    fine = fine && !error->message[0];
    shard_sum(shard, &found);
    shard_reader_free(shard);
    if (fine && (rows != entry->rows || !shard_same_bytes(&found, entry)))
        fine = corpus_fail(error, "%s/%s does not match the manifest: it was changed", reader->dir, entry->file);
    return fine;
}

static bool is_own(const SetReader *reader, CorpusError *error)
{
    const Manifest *manifest = &reader->manifest;
    char generator[24];
    generator_fingerprint(generator);
    if (strcmp(manifest->weft_version, weft_version()) == 0 && strcmp(manifest->generator, generator) == 0)
        return true;
    return corpus_fail(error,
                       "%s was made by another build of weft (%s, this is %s): its kernels cannot be made again here, "
                       "and nothing is compiled that cannot",
                       reader->dir, manifest->weft_version, weft_version());
}

bool corpus_read_samples(const char *dir, SampleList *list, CorpusError *error)
{
    SetReader reader = {.dir = dir, .list = list};
    bool found = false;
    reader.dir_fd = folder_open(dir, error);
    bool fine = reader.dir_fd >= 0 && manifest_read(&reader.manifest, reader.dir_fd, dir, &found, error);
    if (fine && !found)
        fine = corpus_fail(error, "%s has no " MANIFEST_NAME ": it is not a weft data set", dir);
    if (fine && reader.manifest.options.piece_count)
        fine = corpus_fail(error, "%s is a piece: join all of them with weft merge first", dir);
    if (fine && !reader.manifest.complete)
        fine = fail_unfinished(&reader.manifest, dir, error);
    if (fine && reader.manifest.options.stored)
        fine =
            corpus_fail(error, "%s: its sources were not invented by weft, and nothing is compiled that was not", dir);
    fine = fine && is_own(&reader, error);
    if (fine && reader.manifest.options.hidden[0])
        fine = corpus_fail(
            error, "%s: its launches are drawn from a hidden key, so that its records cannot be made again here", dir);
    reader.checker = (RecordChecker){.manifest = &reader.manifest, .same_version = true, .invents = true};
    if (fine && !record_checker_use(&reader.checker, 0))
        fine = corpus_fail(error, "out of memory");
    for (uint32_t i = 0; fine && i < reader.manifest.shard_count; i++)
        fine = read_shard(&reader, &reader.manifest.shards[i], error);
    record_checker_free(&reader.checker);
    manifest_free(&reader.manifest);
    if (reader.dir_fd >= 0)
        close(reader.dir_fd);
    return fine;
}

/* ---- made on the spot ---- */

typedef struct SampleRun {
    const CorpusOptions *options;
    pthread_mutex_t lock;
    uint64_t next, kept, limit;
    Text *records; /* by index */
    bool failed;
} SampleRun;

static void make_some(void *user, unsigned number)
{
    (void)number;
    SampleRun *samples = user;
    Maker *maker = maker_new(samples->options);
    for (;;) {
        pthread_mutex_lock(&samples->lock);
        uint64_t index = samples->next++;
        samples->failed |= !maker;
        bool enough = samples->failed || index >= samples->limit || samples->kept >= samples->options->count;
        pthread_mutex_unlock(&samples->lock);
        if (enough)
            break;
        Candidate candidate;
        Text *out = &samples->records[index];
        write_record_head(index, SPLIT_TRAIN, out);
        bool made = make_candidate(maker, index, &candidate, out);
        text_char(out, '\0');
        if (!made || candidate.reason)
            out->len = 0;
        pthread_mutex_lock(&samples->lock);
        samples->failed |= !made;
        samples->kept += made && !candidate.reason;
        pthread_mutex_unlock(&samples->lock);
    }
    maker_free(maker);
}

bool corpus_make_samples(const CorpusOptions *options, unsigned jobs, SampleList *list, CorpusError *error)
{
    SampleRun samples = {.options = options, .limit = options->count * 4 + 64};
    samples.records = calloc(samples.limit, sizeof *samples.records);
    if (!samples.records)
        return corpus_fail(error, "out of memory");
    pthread_mutex_init(&samples.lock, NULL);
    pool_run_once(jobs, make_some, &samples);
    pthread_mutex_destroy(&samples.lock);
    bool fine = !samples.failed || corpus_fail(error, "out of memory");
    for (uint64_t i = 0; i < samples.limit; i++) {
        if (fine && samples.records[i].len && list->count < options->count)
            fine = sample_list_add_record(list, samples.records[i].data, error);
        text_free(&samples.records[i]);
    }
    free(samples.records);
    if (fine && list->count < options->count)
        fine = corpus_fail(error, "only %u of %llu kernels could be made", list->count,
                           (unsigned long long)options->count);
    return fine;
}
