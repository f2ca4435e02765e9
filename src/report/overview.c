#include "report/overview.h"

#include "base/json.h"
#include "base/pool.h"
#include "corpus/each_record.h"
#include "corpus/readable.h"
#include "corpus/writer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const difficulties[DIFFICULTY_COUNT] = {"none", "easy", "medium", "hard"};

const char *difficulty_name(unsigned difficulty)
{
    return difficulties[difficulty];
}

/* The shards of a set are read by several threads, each into an overview of its own; then these are joined, in order. */
typedef struct Reading {
    Overview *whole, *parts; /* a part for each shard */
    int set_fd;
    const atomic_int *stop;
    OverviewProgress *progress;
    void *user;
    atomic_uint next; /* shard */
    atomic_ullong records;
    atomic_int failed; /* 1 + the shard that failed first; 0: none did */
    CorpusError error; /* its error */
} Reading;

static unsigned char index_of(const char *word, const char *name(unsigned), unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(word, name(i)) == 0)
            return (unsigned char)i;
    return 0;
}

const char *row_gradient_name(unsigned gradient)
{
    return gradient_column_word(gradient != ROW_UNCHECKED, (GradientVerdict)gradient);
}

static const char *readable_name(unsigned readable)
{
    return readable_verdict_name((ReadableVerdict)readable);
}

/* The name, and the first paragraph of the description: what the kernel is for. */
static size_t add_texts(Text *texts, const char *name, const char *description)
{
    const char *more = strstr(description, "\n\n");
    size_t start = texts->len, end;
    text_add(texts, name, strlen(name) + 1);
    text_add(texts, description, more ? (size_t)(more - description) : strlen(description));
    text_char(texts, '\0');
    end = texts->len;
    for (size_t i = start; i < end && !texts->failed; i++)
        text_char(texts, (char)tolower((unsigned char)texts->data[i]));
    return start;
}

static OverviewRow *add_row(Overview *overview)
{
    if (overview->count == overview->cap) {
        size_t cap = overview->cap ? 2 * overview->cap : 1024;
        OverviewRow *larger = realloc(overview->rows, cap * sizeof *larger);
        if (!larger)
            return NULL;
        overview->rows = larger;
        overview->cap = cap;
    }
    return &overview->rows[overview->count++];
}

static void take_members(Overview *overview, OverviewRow *row, const json_t *record, Split split,
                         const KernelSizes *sizes)
{
    *row = (OverviewRow){
        .text = add_texts(&overview->texts, json_member_string(record, "kernel_name"),
                          json_member_string(record, "description")),
        .category = (unsigned char)category_named(json_member_string(record, "category")),
        .split = (unsigned char)split,
        .gradient = index_of(json_member_string(record, "gradient_verdict"), row_gradient_name, ROW_GRADIENTS),
        .readable = index_of(json_member_string(record, "readable_verdict"), readable_name, READABLE_COUNT),
        .difficulty = index_of(json_member_string(record, "difficulty"), difficulty_name, DIFFICULTY_COUNT)};
    for (int kind = 0; kind < SIZE_COUNT; kind++) {
        unsigned size = row->sizes[kind] = sizes->sizes[kind];
        overview->bins[kind][size < SIZE_BINS ? size : SIZE_BINS - 1]++;
    }
    for (int i = 0; i < BUILTIN_COUNT; i++)
        overview->builtins[i] += sizes->calls[i];
}

static bool take_record(Overview *overview, Arena *arena, const char *line, size_t len, Split split, CorpusError *error)
{
    static const char *const members[] = {"kernel_name",   "category",         "description",      "difficulty",
                                          "python_source", "gradient_verdict", "readable_verdict", NULL};
    KernelSizes sizes;
    OverviewRow *row = add_row(overview);
    json_t *record = row ? json_read_members(line, len, members) : NULL;
    if (!record)
        return corpus_fail(error, row ? "a record is not one, or memory ran out" : "out of memory");
    const char *source = record_source(record);
    measure_source(arena, source, strlen(source), &sizes);
    take_members(overview, row, record, split, &sizes);
    json_decref(record);
    return !overview->texts.failed || corpus_fail(error, "out of memory");
}

static bool read_shard(Reading *reading, uint32_t number, Arena *arena, bool tells, CorpusError *error)
{
    const Manifest *manifest = &reading->whole->manifest;
    const ShardEntry *entry = &manifest->shards[number];
    ShardReader *reader =
        shard_open(reading->set_fd, reading->whole->set, entry, &manifest->options, SHARD_WHOLE, error);
    const char *line;
    size_t len;
    bool fine = reader != NULL;
    while (fine && !reading->failed && !(reading->stop && *reading->stop) && (line = shard_line(reader, &len, error))) {
        fine = take_record(&reading->parts[number], arena, line, len, entry->split, error);
        uint64_t records = ++reading->records;
        if (tells && reading->progress)
            reading->progress(records, manifest->rows, reading->user);
    }
    shard_reader_free(reader);
    return fine && !error->message[0];
}

static void read_shards(void *user, unsigned thread)
{
    Reading *reading = user;
    Arena arena;
    arena_init(&arena);
    for (uint32_t i; !reading->failed && (i = reading->next++) < reading->whole->manifest.shard_count;) {
        CorpusError error = {""};
        int none = 0;
        if (!read_shard(reading, i, &arena, thread == 0, &error) &&
            atomic_compare_exchange_strong(&reading->failed, &none, (int)i + 1))
            reading->error = error;
    }
    arena_free(&arena);
}

static bool join(Overview *whole, const Overview *part)
{
    size_t texts = whole->texts.len;
    text_add(&whole->texts, part->texts.data ? part->texts.data : "", part->texts.len);
    for (size_t i = 0; i < part->count; i++) {
        OverviewRow *row = add_row(whole);
        if (!row)
            return false;
        *row = part->rows[i];
        row->text += texts;
    }
    for (int kind = 0; kind < SIZE_COUNT; kind++)
        for (int i = 0; i < SIZE_BINS; i++)
            whole->bins[kind][i] += part->bins[kind][i];
    for (int i = 0; i < BUILTIN_COUNT; i++)
        whole->builtins[i] += part->builtins[i];
    return !whole->texts.failed;
}

/* Is it a finished set? Its manifest is kept. */
static bool read_manifest(Overview *overview, int *set_fd, CorpusError *error)
{
    bool found = false;
    RecordReader *reader = record_reader_open(overview->set, NULL, -1, error);
    record_reader_close(reader);
    *set_fd = reader ? folder_open(overview->set, error) : -1;
    return *set_fd >= 0 && manifest_read(&overview->manifest, *set_fd, overview->set, &found, error) && found;
}

static bool read_parts(Reading *reading, CorpusError *error)
{
    uint32_t count = reading->whole->manifest.shard_count;
    reading->parts = calloc(count + 1, sizeof *reading->parts);
    if (!reading->parts)
        return corpus_fail(error, "out of memory");
    pool_run_once(0, read_shards, reading);
    bool fine = !reading->failed && !(reading->stop && *reading->stop);
    if (reading->failed)
        *error = reading->error;
    for (uint32_t i = 0; i < count; i++) {
        if (fine && !join(reading->whole, &reading->parts[i]))
            fine = corpus_fail(error, "out of memory");
        overview_free(&reading->parts[i]);
    }
    free(reading->parts);
    return fine;
}

bool overview_read(Overview *overview, const char *set, const atomic_int *stop, OverviewProgress *progress, void *user,
                   CorpusError *error)
{
    Reading reading = {.whole = overview, .set_fd = -1, .stop = stop, .progress = progress, .user = user};
    memset(overview, 0, sizeof *overview);
    overview->set = strdup(set);
    if (!overview->set)
        return corpus_fail(error, "out of memory");
    bool fine = read_manifest(overview, &reading.set_fd, error) && read_parts(&reading, error);
    if (reading.set_fd >= 0)
        close(reading.set_fd);
    if (fine && overview->count != overview->manifest.rows)
        fine = corpus_fail(error, "%s has %zu records, its manifest says %llu", set, overview->count,
                           (unsigned long long)overview->manifest.rows);
    return fine;
}

void overview_free(Overview *overview)
{
    manifest_free(&overview->manifest);
    text_free(&overview->texts);
    free(overview->rows);
    free(overview->set);
}

/* ---- a choice of rows ---- */

const char *row_name_of(const Overview *overview, const OverviewRow *row)
{
    return overview->texts.data + row->text;
}

static const char *description_of(const Overview *overview, const OverviewRow *row)
{
    const char *name = row_name_of(overview, row);
    return name + strlen(name) + 1;
}

static bool has_words(const Overview *overview, const OverviewRow *row, const char *words)
{
    const char *description = description_of(overview, row), *name = description + strlen(description) + 1;
    return strstr(name, words) || strstr(name + strlen(name) + 1, words);
}

bool row_matches(const Overview *overview, const OverviewRow *row, const RowFilter *filter)
{
    return (filter->category < 0 || row->category == filter->category) &&
           (filter->split < 0 || row->split == filter->split) &&
           (filter->gradient < 0 || row->gradient == filter->gradient) &&
           (filter->difficulty < 0 || row->difficulty == filter->difficulty) &&
           (!*filter->words || has_words(overview, row, filter->words));
}

void write_row(const Overview *overview, size_t number, JsonWriter *json)
{
    const OverviewRow *row = &overview->rows[number];
    json_open(json, NULL, '{');
    json_add_uint(json, "n", number);
    json_add_string(json, "name", row_name_of(overview, row));
    json_add_string(json, "description", description_of(overview, row));
    json_add_string(json, "category",
                    row->category < CATEGORY_COUNT ? category_name((CategoryId)row->category) : "other");
    json_add_string(json, "split", split_name((Split)row->split));
    json_add_string(json, "gradient", row_gradient_name(row->gradient));
    json_add_string(json, "difficulty", difficulty_name(row->difficulty));
    for (int kind = 0; kind < SIZE_COUNT; kind++)
        json_add_uint(json, real_sizes[kind].name, row->sizes[kind]);
    json_close(json, '}');
}
